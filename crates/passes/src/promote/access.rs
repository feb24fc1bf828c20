//! Which variables an access to memory reads or writes, and when.

use std::collections::BTreeMap;

use cfa::{BinaryOp, Expr, ExprId, Source, Ty, VarId};

use super::layout::{Extent, Part};
use super::offsets::Progression;
use super::pointee::Pointee;
use super::slots::{OBJECT, Slot, WORD};
use super::translate::{Fat, Translator};
use super::{FOREIGN, GARBAGE, ObjectId};

/// One way in which an access may go.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// When it goes that way.
    pub(super) cond: ExprId,
    pub(super) object: ObjectId,
    pub(super) segment: usize,
    /// The leaves, the one with the least significant bits first.
    pub(super) parts: Vec<Part>,
    /// Which element, if the variables are arrays.
    pub(super) index: Option<ExprId>,
}

/// All ways in which an access may go.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    pub(super) cases: Vec<Case>,
    /// When it goes to memory that is not followed.
    pub(super) foreign: ExprId,
    /// Why what is there is arbitrary, and where pointers lead to that are there.
    pub(super) source: Source,
    pub(super) behind: ObjectId,
    /// Whether it may go nowhere: then it is undefined.
    pub(super) may_fail: bool,
}

/// A value that is written if a condition holds.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) var: VarId,
    pub(super) index: Option<ExprId>,
    pub(super) ty: Ty,
    pub(super) cond: ExprId,
    pub(super) value: ExprId,
}

/// A group of offsets that lead to the same leaves.
struct Group {
    segment: usize,
    /// The offset of a scalar; the residue in an array.
    at: i64,
}

impl Translator<'_> {
    /// The ways in which an access may go.
    pub(super) fn ways(&mut self, address: &Fat, pointee: &Pointee, extent: &Extent) -> Ways {
        let others = pointee.others;
        let (foreign, garbage) =
            (self.object_is(address, pointee, FOREIGN), self.object_is(address, pointee, GARBAGE));
        let mut ways = Ways {
            cases: Vec::new(),
            foreign: self.or(foreign, garbage),
            source: Source::Outside,
            behind: if others.foreign { FOREIGN } else { GARBAGE },
            may_fail: others.null || others.number,
        };
        for (object, offsets) in &pointee.objects {
            let this = self.object_is(address, pointee, *object);
            if !self.objects.is_followed(*object) {
                ways.foreign = self.or(ways.foreign, this);
                (ways.source, ways.behind) = (Source::Rounded, FOREIGN);
                continue;
            }
            let size = self.objects.get(*object).size;
            let mut groups: BTreeMap<(usize, i64), Group> = BTreeMap::new();
            let mut is_clipped = false;
            for at in offsets.iter() {
                let inside = at.within(size, extent.bytes());
                is_clipped |= inside != Some(at);
                for group in inside.into_iter().flat_map(|at| self.groups(*object, at)) {
                    groups.insert((group.segment, group.at), group);
                }
            }
            // An array of fixed length knows its bounds.
            let is_bounded = |group: &Group| self.has_bounds(*object, group.segment);
            let is_guarded = is_clipped && !(groups.len() == 1 && groups.values().all(is_bounded));
            // Beyond a length that is computed an access leads nowhere, too.
            ways.may_fail |= is_guarded || size.is_none();
            let is_only = groups.len() == 1 && !is_guarded;
            for group in groups.into_values() {
                let cond = if is_only { this } else { self.belongs(this, address, *object, &group) };
                if let Some(case) = self.case(cond, address, *object, &group, extent) {
                    ways.cases.push(case);
                }
            }
        }
        ways
    }

    /// The groups of leaves that some offsets of an object lead to.
    fn groups(&self, object: ObjectId, at: Progression) -> Vec<Group> {
        let segments = &self.slots.segments[&object];
        let Some(number) = segments.iter().position(|segment| segment.contains(at.start)) else {
            return Vec::new();
        };
        let segment = &segments[number];
        let from = at.start - segment.start;
        let at = segment.element.map_or(at.start, |element| from.rem_euclid(element));
        vec![Group { segment: number, at }]
    }

    /// Whether the variables of a segment are arrays with a fixed number of elements.
    fn has_bounds(&self, object: ObjectId, segment: usize) -> bool {
        let segment = &self.slots.segments[&object][segment];
        segment.element.is_some() && segment.end.is_some() && !self.objects.is_many(object)
    }

    /// Whether an address in an object is one of a group.
    fn belongs(&mut self, this: ExprId, address: &Fat, object: ObjectId, group: &Group) -> ExprId {
        let segment = self.slots.segments[&object][group.segment].clone();
        let offset = self.number(&address.offset);
        let Some(element) = segment.element else {
            let at = self.word(group.at);
            let here = self.binary(BinaryOp::Eq, offset, at);
            return self.and(this, here);
        };
        let start = self.word(segment.start);
        let above = self.binary(BinaryOp::Le, start, offset);
        let mut cond = self.and(this, above);
        if let Some(end) = segment.end {
            let end = self.word(end);
            let below = self.binary(BinaryOp::Lt, offset, end);
            cond = self.and(cond, below);
        }
        if segment.leaves.len() > 1 {
            let from = self.number(&address.offset.plus_constant(-i128::from(segment.start)));
            let (element, residue) = (self.word(element), self.word(group.at));
            let rest = self.binary(BinaryOp::Rem, from, element);
            let aligned = self.binary(BinaryOp::Eq, rest, residue);
            cond = self.and(cond, aligned);
        }
        cond
    }

    fn case(
        &mut self,
        cond: ExprId,
        address: &Fat,
        object: ObjectId,
        group: &Group,
        extent: &Extent,
    ) -> Option<Case> {
        let segment = self.slots.segments[&object][group.segment].clone();
        let from = if segment.element.is_none() { group.at - segment.start } else { group.at };
        let parts = segment.parts(from * 8 + extent.bit, extent.width)?;
        let mut cond = cond;
        let is_many = self.objects.is_many(object);
        let size = self.objects.get(object).size;
        let is_guarded = segment.element.is_some() && !self.has_bounds(object, group.segment);
        if size.is_none() || is_guarded {
            let length = self.word(extent.bytes());
            let inside = self.inside(address, object, length);
            cond = self.and(cond, inside);
        }
        let element = segment.element.map(|element| {
            let start = i128::from(segment.start + group.at);
            self.scaled(&address.offset.plus_constant(-start), element)
        });
        let index = match (is_many, element) {
            (false, element) => element,
            (true, None) => Some(address.instance),
            (true, Some(element)) => Some(self.binary(BinaryOp::Add, address.instance, element)),
        };
        Some(Case { cond, object, segment: group.segment, parts, index })
    }

    /// The size of an object in bytes.
    pub(super) fn size(&mut self, address: &Fat, object: ObjectId) -> ExprId {
        match (self.objects.get(object).size, self.slots.size(object)) {
            (Some(size), _) => self.word(size),
            (None, Some(var)) => {
                let index = self.objects.is_many(object).then_some(address.instance);
                self.read(var, index, WORD)
            }
            // Nobody asks for it but where it does not matter.
            (None, None) => self.round(WORD),
        }
    }

    /// Whether so many bytes from an address on lie in an object.
    pub(super) fn inside(&mut self, address: &Fat, object: ObjectId, length: ExprId) -> ExprId {
        let size = self.size(address, object);
        let (start, zero) = (self.number(&address.offset), self.word(0));
        let above = self.binary(BinaryOp::Le, zero, start);
        let end = self.binary(BinaryOp::Add, start, length);
        let below = self.binary(BinaryOp::Le, end, size);
        self.and(above, below)
    }

    /// The index of a part.
    pub(super) fn index_of(&mut self, case: &Case, part: Part) -> Option<ExprId> {
        let index = case.index?;
        if part.delta == 0 {
            return Some(index);
        }
        let delta = self.word(part.delta);
        Some(self.binary(BinaryOp::Add, index, delta))
    }

    /// The value of a load.
    pub(super) fn loaded(&mut self, ways: &Ways, extent: &Extent) -> ExprId {
        let ty = extent.ty;
        let mut result =
            (ways.may_fail || ways.cases.is_empty()).then(|| self.out.exprs.add(Expr::Undefined { ty }));
        if self.truth(ways.foreign) != Some(false) {
            let arbitrary = self.round_from(ty, ways.source.clone());
            self.note_unfollowed(arbitrary);
            result = Some(match result {
                None => arbitrary,
                Some(other) => self.ite(ways.foreign, arbitrary, other),
            });
        }
        for case in ways.cases.iter().rev() {
            let value = self.read_value(case, ty);
            result = Some(match result {
                None => value,
                Some(other) => self.ite(case.cond, value, other),
            });
        }
        result.unwrap_or_else(|| self.out.exprs.add(Expr::Undefined { ty }))
    }

    pub(super) fn read_value(&mut self, case: &Case, ty: Ty) -> ExprId {
        let leaves = &self.slots.segments[&case.object][case.segment].leaves;
        let widths: Vec<i64> = case.parts.iter().map(|part| leaves[part.leaf].width).collect();
        let mut values = Vec::new();
        for part in &case.parts {
            let Slot::Value(var, ty) = *self.slots.leaf(case.object, case.segment, part.leaf) else {
                return self.round(ty);
            };
            let index = self.index_of(case, *part);
            values.push(self.read(var, index, ty));
        }
        let bits = if let [value] = values.as_slice() {
            *value
        } else {
            let whole = Ty::unsigned(widths.iter().sum::<i64>().clamp(1, 128) as u8);
            let mut sum = self.out.exprs.int(whole, 0);
            let mut shift = 0;
            for (value, width) in values.iter().zip(&widths) {
                let value = self.cast(whole, *value);
                let factor = self.out.exprs.add(Expr::Const { ty: whole, bits: 1 << shift });
                let part = self.binary(BinaryOp::Mul, value, factor);
                sum = self.binary(BinaryOp::Add, sum, part);
                shift += width;
            }
            sum
        };
        let held = self.out.exprs.ty(bits);
        if ty == Ty::BOOL && held != Ty::BOOL {
            // Other bytes than 0 and 1 are no truth values.
            let (zero, one) = (self.out.exprs.int(held, 0), self.out.exprs.int(held, 1));
            let (is_zero, is_one) =
                (self.binary(BinaryOp::Eq, bits, zero), self.binary(BinaryOp::Eq, bits, one));
            let is_valid = self.or(is_zero, is_one);
            let undefined = self.out.exprs.add(Expr::Undefined { ty });
            return self.ite(is_valid, is_one, undefined);
        }
        self.cast(ty, bits)
    }

    /// The pointer of a load.
    pub(super) fn loaded_pointer(&mut self, ways: &Ways) -> Fat {
        let undefined = |translator: &mut Self| {
            let object = translator.out.exprs.add(Expr::Undefined { ty: OBJECT });
            Fat { object, ..translator.at(super::NONE) }
        };
        let mut result = (ways.may_fail || ways.cases.is_empty()).then(|| undefined(self));
        if self.truth(ways.foreign) != Some(false) {
            let address = Ty::unsigned(self.out.data_model.pointer_width());
            let number = self.round_from(address, ways.source.clone());
            if ways.behind == FOREIGN {
                self.note_unfollowed(number);
            }
            let arbitrary = self.outside(ways.behind, number);
            result = Some(match result {
                None => arbitrary,
                Some(other) => {
                    self.choose(ways.foreign, &arbitrary, &Fat { offset: arbitrary.offset.clone(), ..other })
                }
            });
        }
        for case in ways.cases.iter().rev() {
            let Some(value) = self.read_pointer(case) else { continue };
            result = Some(match result {
                None => value,
                // What is undefined needs no offset of its own.
                Some(other) if matches!(self.out.exprs.get(other.object), Expr::Undefined { .. }) => {
                    let object = self.ite(case.cond, value.object, other.object);
                    Fat { object, ..value }
                }
                Some(other) => self.choose(case.cond, &value, &other),
            });
        }
        result.unwrap_or_else(|| undefined(self))
    }

    pub(super) fn read_pointer(&mut self, case: &Case) -> Option<Fat> {
        let [part] = case.parts.as_slice() else { return None };
        let Slot::Pointer(pair) = self.slots.leaf(case.object, case.segment, part.leaf).clone() else {
            return None;
        };
        let index = self.index_of(case, *part);
        Some(self.read_pair(&pair, index))
    }

    /// What a store of a value writes; `known` says whether it is one.
    pub(super) fn stored(&mut self, ways: &Ways, value: ExprId, known: ExprId) -> Vec<Write> {
        let mut writes = Vec::new();
        for case in &ways.cases {
            let leaves = self.slots.segments[&case.object][case.segment].leaves.clone();
            // A value of several leaves is cut as an integer of their width.
            let value = match case.parts.as_slice() {
                [_] => value,
                parts => {
                    let width = parts.iter().map(|part| leaves[part.leaf].width).sum::<i64>();
                    self.cast(Ty::unsigned(width.clamp(1, 128) as u8), value)
                }
            };
            let mut shift = 0;
            for part in &case.parts {
                let Slot::Value(var, ty) = *self.slots.leaf(case.object, case.segment, part.leaf) else {
                    continue;
                };
                let value = match case.parts.len() {
                    1 => self.cast(ty, value),
                    _ => self.part(value, shift, ty),
                };
                shift += leaves[part.leaf].width;
                let index = self.index_of(case, *part);
                writes.push(Write { var, index, ty, cond: case.cond, value });
            }
            writes.extend(self.flag_writes(case, known));
        }
        writes
    }

    /// The bits of a value that belong to a leaf.
    fn part(&mut self, value: ExprId, shift: i64, ty: Ty) -> ExprId {
        let amount = self.out.exprs.int(Ty::signed(32), i128::from(shift));
        let bits = self.binary(BinaryOp::Shr, value, amount);
        self.cast(ty, bits)
    }

    /// What a store of a pointer writes.
    pub(super) fn stored_pointer(&mut self, ways: &Ways, value: &Fat, known: ExprId) -> Vec<Write> {
        let mut writes = Vec::new();
        for case in &ways.cases {
            let [part] = case.parts.as_slice() else { continue };
            let Slot::Pointer(pair) = self.slots.leaf(case.object, case.segment, part.leaf).clone() else {
                continue;
            };
            let index = self.index_of(case, *part);
            writes.extend(self.pair_writes(&pair, index, case.cond, value));
            writes.extend(self.flag_writes(case, known));
        }
        writes
    }

    /// What the variables of a pointer get.
    pub(super) fn pair_writes(
        &mut self,
        pair: &super::slots::Pair,
        index: Option<ExprId>,
        cond: ExprId,
        value: &Fat,
    ) -> Vec<Write> {
        let mut writes = Vec::new();
        let mut write = |var: Option<VarId>, ty: Ty, value: ExprId| {
            writes.extend(var.map(|var| Write { var, index, ty, cond, value }));
        };
        write(pair.object, OBJECT, value.object);
        write(pair.instance, WORD, value.instance);
        if pair.offset.is_some() {
            let from = value.offset.plus_constant(-i128::from(pair.residue));
            let scaled = self.scaled(&from, pair.modulus);
            write(pair.offset, WORD, scaled);
        }
        writes
    }
}
