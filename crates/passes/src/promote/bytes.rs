//! Copying, setting and forgetting many bytes of memory at once.
//!
//! # Rule
//! Where the address and the number of bytes are known, each leaf in the range is written by itself. Where both sides of a copy are arrays of the same elements and leaves, elements are
//! copied together. In all other cases what may be written becomes arbitrary.

use std::sync::Arc;

use cfa::op::Op;
use cfa::{BinaryOp, ExprId, InitKind, Length, Storage, Ty, VarId};

use super::ObjectId;
use super::access::{Ways, Write};
use super::known::Left;
use super::layout::{Extent, Leaf, Segment, constant};
use super::meaning::Stands;
use super::offsets::{Linear, Offsets, Progression};
use super::pointee::Pointee;
use super::rewrite::{Rewriter, havoc};
use super::slots::{OBJECT, Pair, Slot, WORD};
use super::translate::Fat;
use cfa::op::Place;
use cfa::pointsto::AllocationSite;

/// Leaves that are copied, filled or written one by one.
const MAX_PARTS: usize = 256;

/// A leaf in a range of bytes: its distance in bits from the start, and its kind.
type Pieces = Vec<(i64, Leaf)>;

impl Rewriter<'_> {
    /// Everything that may lie in a range of bytes becomes arbitrary; without a length, everything behind the address.
    pub(super) fn forget(&mut self, to: ExprId, length: Option<ExprId>, left: Left) {
        let program = self.translator.objects.program;
        let pointee = self.translator.pointers.of(to).clone();
        let length = length.and_then(|length| constant(program, length));
        self.forget_behind(&pointee, length, left);
    }

    fn forget_behind(&mut self, pointee: &Pointee, length: Option<i64>, left: Left) {
        for (object, offsets) in &pointee.objects {
            if !self.translator.objects.is_followed(*object) {
                continue;
            }
            for (segment, leaf) in self.translator.slots.leaves(*object) {
                let layout = &self.translator.slots.segments[object][segment];
                if !may_touch(layout, layout.leaves[leaf], offsets, length) {
                    continue;
                }
                if left == Left::Nothing {
                    self.drop_flag(*object, segment, leaf);
                }
                let slot = self.translator.slots.leaf(*object, segment, leaf).clone();
                for (var, _) in slot.vars() {
                    self.ops.push(match self.translator.out.vars[var].storage {
                        Storage::Array { .. } => Op::Init { var, contents: InitKind::Uninitialised },
                        _ => havoc(var),
                    });
                }
            }
        }
    }

    /// The leaves in a range of bytes behind a pointer, if it leads to one place.
    pub(super) fn pieces(&self, pointee: &Pointee, length: i64) -> Option<(ObjectId, Pieces)> {
        let (object, offsets) = match pointee.objects.first_key_value() {
            Some(first) if pointee.objects.len() == 1 => first,
            _ => return None,
        };
        let start = offsets.single()?;
        let size = self.translator.objects.get(*object).size?;
        if !self.translator.objects.is_followed(*object) || start < 0 || start.checked_add(length)? > size {
            return None;
        }
        let range = (start * 8, (start + length) * 8);
        let mut pieces = Vec::new();
        for segment in &self.translator.slots.segments[object] {
            for (index, leaf) in segment.leaves.iter().enumerate() {
                for element in 0..segment.length(index).unwrap_or(1) {
                    let at = segment.start * 8 + leaf.at + element * segment.element.unwrap_or(0) * 8;
                    if at + leaf.width <= range.0 || at >= range.1 {
                        continue;
                    }
                    if at < range.0 || at + leaf.width > range.1 || pieces.len() >= MAX_PARTS {
                        return None;
                    }
                    pieces.push((at - range.0, *leaf));
                }
            }
        }
        Some((*object, pieces))
    }

    /// The ways of an access so many bits behind a pointer.
    pub(super) fn ways_at(&mut self, (address, pointee): (&Fat, &Pointee), bits: i64, leaf: &Leaf) -> Ways {
        let bytes = bits.div_euclid(8);
        let offset = address.offset.plus_constant(i128::from(bytes));
        let moved = Fat { offset, ..address.clone() };
        let pointee = pointee.plus_constant(bytes);
        let extent = Extent { bit: bits.rem_euclid(8), width: leaf.width, ty: leaf.ty };
        self.translator.ways(&moved, &pointee, &extent)
    }

    pub(super) fn fill(&mut self, to: ExprId, byte: ExprId, length: ExprId) {
        let program = self.translator.objects.program;
        let (address, pointee) = (self.translator.fat(to), self.translator.pointers.of(to).clone());
        let value = constant(program, byte);
        let pieces = constant(program, length).and_then(|length| self.pieces(&pointee, length));
        if let (Some((_, pieces)), Some(byte)) = (pieces, value) {
            for (bits, leaf) in pieces {
                self.set_leaf((&address, &pointee), (bits, leaf), &[byte as u8; 17]);
            }
            return;
        }
        if !self.fill_elements((&address, &pointee), byte, length) {
            self.forget(to, Some(length), Left::Values);
        }
    }

    /// Sets elements of one array whose elements are bytes, or zero.
    fn fill_elements(&mut self, (address, pointee): (&Fat, &Pointee), byte: ExprId, length: ExprId) -> bool {
        let program = self.translator.objects.program;
        let Some((object, number)) = self.only_array(pointee) else { return false };
        let segment = self.translator.slots.segments[&object][number].clone();
        let is_zero = constant(program, byte) == Some(0);
        let is_bytes = segment.element == Some(1) && segment.leaves.len() == 1;
        let element = segment.element.unwrap_or(1);
        let whole = constant(program, length).map(|length| length % element == 0);
        let is_whole = whole.unwrap_or_else(|| self.is_multiple(length, element));
        if !(is_bytes || is_zero && is_whole) || !Self::is_aligned(pointee, object, &segment) {
            return false;
        }
        let Some((at, count)) = self.elements(address, object, &segment, length) else { return false };
        for leaf in 0..segment.leaves.len() {
            let slot = self.translator.slots.leaf(object, number, leaf).clone();
            for (var, ty) in slot.vars() {
                let value = if is_zero {
                    self.zero(ty)
                } else {
                    let byte = self.translator.plain(byte);
                    self.translator.cast(ty, byte)
                };
                self.ops.push(Op::FillElems { to: var, at, value, count });
            }
            if let Some(to) = self.translator.slots.flag(object, number, leaf) {
                let value = self.translator.out.exprs.bool(true);
                self.ops.push(Op::FillElems { to, at, value, count });
            }
        }
        true
    }

    /// Whether a number of bytes is always a multiple of another one.
    fn is_multiple(&self, length: ExprId, of: i64) -> bool {
        let sum = self.translator.pointers.linear(self.translator.objects.program, length);
        sum.divided(of).is_some()
    }

    /// The only array that a pointer leads to.
    fn only_array(&self, pointee: &Pointee) -> Option<(ObjectId, usize)> {
        let (object, _) = pointee.objects.first_key_value()?;
        let is_only = pointee.objects.len() == 1 && !pointee.others.foreign;
        if !is_only || !self.translator.objects.is_followed(*object) {
            return None;
        }
        let segments = &self.translator.slots.segments[object];
        match segments.as_slice() {
            [segment] if segment.element.is_some() => Some((*object, 0)),
            _ => None,
        }
    }

    /// Whether a pointer always leads to the start of an element.
    fn is_aligned(pointee: &Pointee, object: ObjectId, segment: &Segment) -> bool {
        let element = segment.element.unwrap_or(1);
        let starts = |at: Progression| at.step % element == 0 && (at.start - segment.start) % element == 0;
        pointee.objects[&object].iter().all(starts)
    }

    /// The first element behind a pointer, and how many a number of bytes is.
    fn elements(
        &mut self,
        address: &Fat,
        object: ObjectId,
        segment: &Segment,
        length: ExprId,
    ) -> Option<(ExprId, ExprId)> {
        let element = segment.element?;
        let from = address.offset.plus_constant(-i128::from(segment.start));
        let index = self.translator.scaled(&from, element);
        let at = if self.translator.objects.is_many(object) {
            self.translator.binary(BinaryOp::Add, address.instance, index)
        } else {
            index
        };
        let length = self.translator.plain(length);
        let ty = self.translator.out.exprs.ty(length);
        let by = self.translator.out.exprs.int(ty, i128::from(element));
        let count = self.translator.binary(BinaryOp::Div, length, by);
        Some((at, count))
    }

    pub(super) fn write_bytes(&mut self, to: ExprId, bytes: &Arc<[u8]>) {
        let (address, pointee) = (self.translator.fat(to), self.translator.pointers.of(to).clone());
        let Some((_, pieces)) = self.pieces(&pointee, bytes.len() as i64) else {
            return self.forget_behind(&pointee, Some(bytes.len() as i64), Left::Values);
        };
        for (bits, leaf) in pieces {
            self.set_leaf((&address, &pointee), (bits, leaf), &bytes[(bits / 8) as usize..]);
        }
    }

    /// A leaf gets the value that bytes mean.
    fn set_leaf(&mut self, pointer: (&Fat, &Pointee), (bits, leaf): (i64, Leaf), bytes: &[u8]) {
        let mut buffer = [0; 17];
        let count = bytes.len().min(17);
        buffer[..count].copy_from_slice(&bytes[..count]);
        let mut low = [0; 16];
        low.copy_from_slice(&buffer[..16]);
        let shift = bits.rem_euclid(8);
        let mut raw = u128::from_le_bytes(low) >> shift;
        if shift > 0 {
            raw |= u128::from(buffer[16]) << (128 - shift);
        }
        let ways = self.ways_at(pointer, bits, &leaf);
        let holds = self.translator.out.exprs.bool(true);
        let mask = |width: i64| u128::MAX >> (128 - width.clamp(1, 128));
        if leaf.ty == Ty::Ptr {
            let offset = Linear::constant((raw & mask(leaf.width)) as i128);
            let value = Fat { offset, ..self.translator.at(super::NONE) };
            let writes = self.translator.stored_pointer(&ways, &value, holds);
            return self.write_all(writes, &ways);
        }
        let width = i64::from(leaf.ty.width(self.translator.out.data_model));
        let bits = raw & mask(width);
        // A byte that is no truth value.
        if leaf.ty == Ty::BOOL && raw & mask(8) > 1 {
            return self.forget_ways(&ways);
        }
        let value = self.translator.out.exprs.add(cfa::Expr::Const { ty: leaf.ty, bits });
        let writes = self.translator.stored(&ways, value, holds);
        self.write_all(writes, &ways);
    }

    /// What an access may write becomes arbitrary.
    fn forget_ways(&mut self, ways: &Ways) {
        for case in &ways.cases {
            for part in &case.parts {
                let slot = self.translator.slots.leaf(case.object, case.segment, part.leaf).clone();
                for (var, _) in slot.vars() {
                    self.ops.push(match self.translator.out.vars[var].storage {
                        Storage::Array { .. } => Op::Init { var, contents: InitKind::Uninitialised },
                        _ => havoc(var),
                    });
                }
            }
        }
    }

    /// Copies leaf by leaf, or element by element; else the target becomes arbitrary.
    pub(super) fn copy(&mut self, to: ExprId, from: ExprId, length: ExprId) {
        let program = self.translator.objects.program;
        let target = (self.translator.fat(to), self.translator.pointers.of(to).clone());
        let source = (self.translator.fat(from), self.translator.pointers.of(from).clone());
        let constant = constant(program, length);
        if let Some(writes) = constant.and_then(|length| self.copied_leaves(&target, (from, &source), length))
        {
            return self.write_always(writes);
        }
        if !self.copied_elements(&target, &source, length) {
            self.forget_behind(&target.1, constant, Left::Nothing);
        }
    }

    /// What a copy of a known number of bytes writes, if both sides are divided alike.
    fn copied_leaves(
        &mut self,
        target: &(Fat, Pointee),
        (from, source): (ExprId, &(Fat, Pointee)),
        length: i64,
    ) -> Option<Vec<Write>> {
        let (_, pieces) = self.pieces(&target.1, length)?;
        let mut writes = Vec::new();
        for (bits, leaf) in pieces {
            self.translator.stands = Stands::Bits { address: from, bit: bits, width: leaf.width };
            let ways = self.ways_at((&source.0, &source.1), bits, &leaf);
            let is_readable = !ways.cases.is_empty()
                && ways.cases.iter().all(|case| self.is_like(case.object, case.segment, &case.parts, &leaf));
            if !is_readable {
                return None;
            }
            let targets = self.ways_at((&target.0, &target.1), bits, &leaf);
            let known = self.translator.known(&ways);
            if leaf.ty == Ty::Ptr {
                let value = self.translator.loaded_pointer(&ways);
                writes.extend(self.translator.stored_pointer(&targets, &value, known));
            } else {
                let extent = Extent { bit: bits.rem_euclid(8), width: leaf.width, ty: leaf.ty };
                let value = self.translator.loaded(&ways, &extent);
                writes.extend(self.translator.stored(&targets, value, known));
            }
        }
        self.translator.stands = Stands::Result;
        Some(writes)
    }

    /// Whether leaves together hold a value of the kind of another one.
    fn is_like(&self, object: ObjectId, segment: usize, parts: &[super::layout::Part], leaf: &Leaf) -> bool {
        let leaves = &self.translator.slots.segments[&object][segment].leaves;
        match parts {
            [part] => {
                let other = leaves[part.leaf];
                other.ty == leaf.ty || other.ty.is_int() && leaf.ty.is_int() && leaf.ty != Ty::BOOL
            }
            _ => leaf.ty.is_int() && leaf.ty != Ty::BOOL,
        }
    }

    /// Copies elements between two arrays that are divided alike.
    fn copied_elements(&mut self, target: &(Fat, Pointee), source: &(Fat, Pointee), length: ExprId) -> bool {
        let program = self.translator.objects.program;
        let (Some(to), Some(from)) = (self.only_array(&target.1), self.only_array(&source.1)) else {
            return false;
        };
        let segments = &self.translator.slots.segments;
        let (one, other) = (segments[&to.0][to.1].clone(), segments[&from.0][from.1].clone());
        let element = one.element.unwrap_or(1);
        let is_whole = match constant(program, length) {
            Some(length) => length % element == 0,
            None => self.is_multiple(length, element),
        };
        let are_alike = one.element == other.element && one.leaves == other.leaves;
        let are_aligned =
            Self::is_aligned(&target.1, to.0, &one) && Self::is_aligned(&source.1, from.0, &other);
        if !is_whole || !are_alike || !are_aligned {
            return false;
        }
        let target_at = self.elements(&target.0, to.0, &one, length);
        let source_at = self.elements(&source.0, from.0, &other, length);
        let (Some((at, count)), Some((start, _))) = (target_at, source_at) else { return false };
        for leaf in 0..one.leaves.len() {
            let slots = &self.translator.slots;
            match (slots.leaf(to.0, to.1, leaf).clone(), slots.leaf(from.0, from.1, leaf).clone()) {
                (Slot::Value(to, _), Slot::Value(from, _)) => {
                    self.ops.push(Op::CopyElems { to, at, from, start, count });
                }
                (Slot::Pointer(to), Slot::Pointer(from)) => self.copy_pairs(&to, at, &from, start, count),
                _ => {}
            }
            let slots = &self.translator.slots;
            if let (Some(to), Some(from)) = (slots.flag(to.0, to.1, leaf), slots.flag(from.0, from.1, leaf)) {
                self.ops.push(Op::CopyElems { to, at, from, start, count });
            }
        }
        true
    }

    /// Copies pointers that are elements of arrays.
    pub(super) fn copy_pairs(&mut self, to: &Pair, at: ExprId, from: &Pair, start: ExprId, count: ExprId) {
        let is_same = to.modulus == from.modulus && to.residue == from.residue;
        let only = from.pointee.only();
        self.copy_part(
            (to.object, OBJECT),
            at,
            from.object,
            start,
            count,
            only.map(|object| i128::from(object.0)),
        );
        self.copy_part((to.instance, WORD), at, from.instance, start, count, Some(0));
        if is_same {
            self.copy_part((to.offset, WORD), at, from.offset, start, count, Some(0));
        } else if let Some(var) = to.offset {
            self.ops.push(Op::Init { var, contents: InitKind::Uninitialised });
        }
    }

    fn copy_part(
        &mut self,
        (to, ty): (Option<VarId>, Ty),
        at: ExprId,
        from: Option<VarId>,
        start: ExprId,
        count: ExprId,
        always: Option<i128>,
    ) {
        let Some(to) = to else { return };
        if let Some(from) = from {
            self.ops.push(Op::CopyElems { to, at, from, start, count });
        } else {
            let value = self.translator.out.exprs.int(ty, always.unwrap_or(0));
            self.ops.push(Op::FillElems { to, at, value, count });
        }
    }

    /// A new object with the bytes of an old one as far as they fit.
    pub(super) fn realloc(&mut self, site: AllocationSite, place: &Place, old: ExprId, size: ExprId) {
        let Some(object) = self.translator.objects.of_site(site) else { return };
        let source = (self.translator.fat(old), self.translator.pointers.of(old).clone());
        // The old one may be the same variable, or be read by what the new one overwrites.
        let source = (self.fixed(&source.0), source.1);
        let size = self.translator.plain(size);
        let pointer = self.create(object, size, InitKind::Uninitialised);
        self.forget_pointers(object);
        for old in source.1.objects.keys() {
            // A single new object was none before.
            if *old != object || self.translator.objects.is_many(object) {
                self.carry_over((&pointer, object), (&source.0, &source.1, *old));
            }
        }
        self.free_fat(&source.0, &source.1);
        self.store_pointer(place, &pointer);
    }

    /// The pointers in a new object may be any, and not only what was never written: what is not carried over leaf by leaf is there, too.
    fn forget_pointers(&mut self, object: ObjectId) {
        for (segment, leaf) in self.translator.slots.leaves(object) {
            let Slot::Pointer(pair) = self.translator.slots.leaf(object, segment, leaf).clone() else {
                continue;
            };
            let scalars = pair.vars().filter(|(var, _)| self.translator.out.vars[*var].scalar().is_some());
            let ops: Vec<Op> = scalars.map(|(var, _)| havoc(var)).collect();
            self.ops.extend(ops);
        }
    }

    /// A pointer whose numbers no later operation changes.
    fn fixed(&mut self, pointer: &Fat) -> Fat {
        let fix = |rewriter: &mut Self, value: ExprId| {
            let ty = rewriter.translator.out.exprs.ty(value);
            let var = rewriter.temporary(ty);
            rewriter.assign_var(var, value);
            rewriter.translator.out.exprs.var(var, ty)
        };
        let (object, instance) = (fix(self, pointer.object), fix(self, pointer.instance));
        Fat { object, instance, offset: pointer.offset.clone() }
    }

    /// Copies what fits from an old object to a new one, if the pointer is that of the old one.
    fn carry_over(
        &mut self,
        (new, object): (&Fat, ObjectId),
        (pointer, pointee, old): (&Fat, &Pointee, ObjectId),
    ) {
        if !self.translator.objects.is_followed(old) || !self.translator.objects.is_followed(object) {
            return;
        }
        let this = self.translator.object_is(pointer, pointee, old);
        let segments = self.translator.slots.segments[&object].clone();
        for (number, segment) in segments.iter().enumerate() {
            let others = &self.translator.slots.segments[&old];
            let alike = others.iter().position(|other| {
                other.start == segment.start
                    && other.element == segment.element
                    && other.leaves == segment.leaves
            });
            let Some(from) = alike else { continue };
            for leaf in 0..segment.leaves.len() {
                let slots = &self.translator.slots;
                let value = (slots.leaf(object, number, leaf).clone(), slots.leaf(old, from, leaf).clone());
                let flags = slots.flag(object, number, leaf).zip(slots.flag(old, from, leaf));
                let flags = flags.map(|(to, from)| (Slot::Value(to, Ty::BOOL), Slot::Value(from, Ty::BOOL)));
                for (to, source) in [Some(value), flags].into_iter().flatten() {
                    match segment.element {
                        None => self.carry_scalar(this, (new, object, &to), (pointer, old, &source)),
                        Some(element) => {
                            self.carry_array(this, element, (new, object, &to), (pointer, old, &source));
                        }
                    }
                }
            }
        }
    }

    fn carry_scalar(
        &mut self,
        cond: ExprId,
        (new, object, to): (&Fat, ObjectId, &Slot),
        (pointer, old, from): (&Fat, ObjectId, &Slot),
    ) {
        let translator = &mut self.translator;
        let to_index = translator.objects.is_many(object).then_some(new.instance);
        let from_index = translator.objects.is_many(old).then_some(pointer.instance);
        let writes = match (to, from) {
            (Slot::Value(var, ty), Slot::Value(source, _)) => {
                let value = translator.read(*source, from_index, *ty);
                vec![Write { var: *var, index: to_index, ty: *ty, cond, value }]
            }
            (Slot::Pointer(pair), Slot::Pointer(source)) => {
                let value = translator.read_pair(source, from_index);
                translator.pair_writes(pair, to_index, cond, &value)
            }
            _ => Vec::new(),
        };
        if !writes.is_empty() {
            self.write_always(writes);
        }
    }

    /// Copies the elements that both objects have; none if the pointer is that of another object.
    fn carry_array(
        &mut self,
        cond: ExprId,
        element: i64,
        (new, object, to): (&Fat, ObjectId, &Slot),
        (pointer, old, from): (&Fat, ObjectId, &Slot),
    ) {
        let one = self.element_count(element, (new, object, to));
        let other = self.element_count(element, (pointer, old, from));
        let translator = &mut self.translator;
        let is_less = translator.binary(BinaryOp::Lt, one, other);
        let least = translator.ite(is_less, one, other);
        let zero = translator.word(0);
        let count = translator.ite(cond, least, zero);
        let count = translator.cast(Ty::unsigned(64), count);
        let at = if translator.objects.is_many(object) { new.instance } else { zero };
        let start = if translator.objects.is_many(old) { pointer.instance } else { zero };
        match (to, from) {
            (Slot::Value(to, _), Slot::Value(from, _)) => {
                self.ops.push(Op::CopyElems { to: *to, at, from: *from, start, count });
            }
            (Slot::Pointer(to), Slot::Pointer(from)) => self.copy_pairs(to, at, from, start, count),
            _ => {}
        }
    }

    /// How many elements of a leaf an object has.
    pub(super) fn element_count(
        &mut self,
        element: i64,
        (pointer, object, slot): (&Fat, ObjectId, &Slot),
    ) -> ExprId {
        let fixed = slot.vars().first().and_then(|(var, _)| match self.translator.out.vars[*var].storage {
            Storage::Array { length: Length::Fixed(length), .. } => i64::try_from(length).ok(),
            _ => None,
        });
        if let Some(length) = fixed {
            return self.translator.word(length);
        }
        let (size, by) = (self.translator.size(pointer, object), self.translator.word(element));
        self.translator.binary(BinaryOp::Div, size, by)
    }

    /// What a pointer leads to does not live any more.
    pub(super) fn free_fat(&mut self, pointer: &Fat, pointee: &Pointee) {
        let mut writes = Vec::new();
        for object in pointee.objects.keys() {
            let Some(var) = self.translator.slots.lives(*object) else { continue };
            let index = self.translator.objects.is_many(*object).then_some(pointer.instance);
            let cond = self.translator.object_is(pointer, pointee, *object);
            let value = self.translator.out.exprs.bool(false);
            writes.push(Write { var, index, ty: Ty::BOOL, cond, value });
        }
        if !writes.is_empty() {
            self.write_always(writes);
        }
        if pointee.others.foreign {
            self.free_exposed();
        }
    }

    /// A pointer that is not followed is freed: any object whose address is known there may be meant.
    fn free_exposed(&mut self) {
        let exposed: Vec<ObjectId> = self.translator.pointers.exposed().collect();
        for object in exposed {
            let Some(var) = self.translator.slots.lives(object) else { continue };
            if matches!(self.translator.out.vars[var].storage, Storage::Array { .. }) {
                self.ops.push(Op::Init { var, contents: InitKind::Uninitialised });
                continue;
            }
            let (lives, arbitrary) =
                (self.translator.out.exprs.var(var, Ty::BOOL), self.translator.round(Ty::BOOL));
            let value = self.translator.and(lives, arbitrary);
            self.assign_var(var, value);
        }
    }
}

/// Whether some bytes behind an address may be in a leaf.
fn may_touch(segment: &Segment, leaf: Leaf, offsets: &Offsets, length: Option<i64>) -> bool {
    let (start, end) = match segment.element {
        None => (segment.start + leaf.at / 8, Some(segment.start + (leaf.at + leaf.width + 7) / 8)),
        Some(_) => (segment.start, segment.end),
    };
    offsets.iter().any(|at| {
        let first = if at.count.is_none() { 0 } else { at.start };
        let last = at.last().zip(length).map(|(last, length)| last.saturating_add(length));
        end.is_none_or(|end| first < end) && last.is_none_or(|last| start < last)
    })
}
