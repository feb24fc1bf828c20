//! Which parts of memory have values, and what is wrong with an address, for programs with checks.
//!
//! # Rule
//! If somebody asks whether memory has a value, each leaf of the objects that are meant has a *flag* of the same shape. A flag holds only if the leaf has a value; where
//! that is not followed, it does not hold. Tests that depend on what is not followed have any result.
//!
//! So an edge to the error that tests for what is wrong can be taken whenever it could be taken before, and a proof that it never is holds for the program as it was.

use std::collections::BTreeSet;

use cfa::op::Op;
use cfa::{AddressTest, BinaryOp, Expr, ExprId, InitKind, Place, Source, Ty, VarId};

use super::access::{Case, Ways, Write};
use super::compare::PAGE;
use super::layout::{Extent, constant};
use super::object::{Kind, Objects};
use super::pointee::Pointee;
use super::pointers::Pointers;
use super::rewrite::Rewriter;
use super::slots::Slot;
use super::translate::{Fat, Translator};
use super::{FOREIGN, GARBAGE, NONE, ObjectId};

/// The objects of which somebody asks whether they have values, and those that are copied to them.
pub(super) fn flagged(objects: &Objects<'_>, pointers: &Pointers) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
    for id in &objects.used {
        if let Expr::Initialised { addr, .. } | Expr::Test { test: AddressTest::BadBool, addr } =
            *objects.program.exprs.get(*id)
        {
            found.extend(pointers.of(addr).objects.keys().copied());
        }
    }
    loop {
        let before = found.len();
        for (site, op) in objects.ops() {
            let (is_meant, from) = match op {
                Op::Copy { to, from, .. } => {
                    (pointers.of(*to).objects.keys().any(|object| found.contains(object)), *from)
                }
                Op::Realloc { old, .. } => {
                    (objects.of_site(site).is_some_and(|object| found.contains(&object)), *old)
                }
                _ => continue,
            };
            if is_meant {
                found.extend(pointers.of(from).objects.keys().copied());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The objects in which bytes may become truth values that are none.
pub(super) fn odd(objects: &Objects<'_>, pointers: &Pointers) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
    for (site, op) in objects.ops() {
        match op {
            Op::Fill { to, byte, .. }
                if !constant(objects.program, *byte).is_some_and(|byte| (0..=1).contains(&byte)) =>
            {
                found.extend(pointers.of(*to).objects.keys().copied());
            }
            Op::Write { to, bytes } if bytes.iter().any(|byte| *byte > 1) => {
                found.extend(pointers.of(*to).objects.keys().copied());
            }
            Op::Copy { to, .. } | Op::Forget { to, .. } => {
                found.extend(pointers.of(*to).objects.keys().copied());
            }
            Op::Realloc { .. } => found.extend(objects.of_site(site)),
            _ => {}
        }
    }
    found
}

/// Whether memory that is not followed may have no values: it begins without, or bytes without value are copied to it. What is assigned has a value.
pub(super) fn has_gaps(objects: &Objects<'_>, pointers: &Pointers) -> bool {
    let is_opaque =
        |object: ObjectId| !objects.is_followed(object) && !matches!(objects.get(object).kind, Kind::Proc(_));
    let mut empty = BTreeSet::new();
    for (site, op) in objects.ops() {
        empty.extend(match op {
            Op::Malloc { contents: InitKind::Uninitialised, .. } | Op::Realloc { .. } => {
                objects.of_site(site)
            }
            Op::Init { var, contents: InitKind::Uninitialised }
            | Op::Allocate { var, .. }
            | Op::Begin { var } => objects.of_var(*var),
            _ => None,
        });
    }
    let is_empty = |addr: &ExprId| {
        let pointee = pointers.of(*addr);
        pointee.others.unwritten || pointee.objects.keys().any(|object| empty.contains(object))
    };
    let is_not_followed = |addr: &ExprId| {
        let pointee = pointers.of(*addr);
        pointee.others.foreign || pointee.objects.keys().any(|object| is_opaque(*object))
    };
    empty.iter().any(|object| is_opaque(*object))
        || objects.ops().any(|(_, op)| match op {
            Op::Copy { to, from, .. } => is_not_followed(to) && is_empty(from),
            Op::Forget { to: addr, source: Source::Uninitialised, .. }
            | Op::Havoc {
                place: Place::Mem { addr, .. } | Place::Bits { addr, .. },
                source: Source::Uninitialised,
                ..
            } => is_not_followed(addr),
            _ => false,
        })
}

impl Translator<'_> {
    /// Whether all that an access reads has values; also where it is undefined.
    pub(super) fn initialised(&mut self, addr: ExprId, extent: &Extent) -> ExprId {
        let (address, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let ways = self.ways(&address, &pointee, extent);
        self.known(&ways)
    }

    /// The same of an access with known ways.
    pub(super) fn known(&mut self, ways: &Ways) -> ExprId {
        let mut result = self.out.exprs.bool(true);
        // Memory from outside has values.
        if self.truth(ways.foreign) != Some(false) && self.has_gaps {
            let arbitrary = self.round(Ty::BOOL);
            result = self.ite(ways.foreign, arbitrary, result);
        }
        for case in ways.cases.iter().rev() {
            let known = self.known_case(case);
            result = self.ite(case.cond, known, result);
        }
        result
    }

    fn known_case(&mut self, case: &Case) -> ExprId {
        let mut all = self.out.exprs.bool(true);
        for part in &case.parts {
            let known = match self.slots.flag(case.object, case.segment, part.leaf) {
                Some(flag) => {
                    let index = self.index_of(case, *part);
                    self.read(flag, index, Ty::BOOL)
                }
                None => self.out.exprs.bool(false),
            };
            all = self.and(all, known);
        }
        all
    }

    /// What a store writes to flags.
    pub(super) fn flag_writes(&mut self, case: &Case, known: ExprId) -> Vec<Write> {
        let mut writes = Vec::new();
        for part in &case.parts {
            if let Some(var) = self.slots.flag(case.object, case.segment, part.leaf) {
                let index = self.index_of(case, *part);
                writes.push(Write { var, index, ty: Ty::BOOL, cond: case.cond, value: known });
            }
        }
        writes
    }

    fn has_opaque(&self) -> bool {
        let is_opaque = |object: ObjectId| {
            !self.objects.is_followed(object) && !matches!(self.objects.get(object).kind, Kind::Proc(_))
        };
        self.objects.ids().any(is_opaque)
    }

    /// Whether something holds of an address.
    pub(super) fn test(&mut self, test: AddressTest, addr: ExprId) -> ExprId {
        let (pointer, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let address = (&pointer, &pointee);
        let known = match test {
            AddressTest::Null => self.is_near_null(address),
            AddressTest::Wild => self.is_wild(address),
            AddressTest::Dead => self.is_dead(address),
            AddressTest::Freed => self.is_freed(address),
            AddressTest::BadBool => return self.is_bad_bool(address),
            // Texts are not followed.
            AddressTest::Text | AddressTest::VagueText => return self.round(Ty::BOOL),
        };
        let (foreign, garbage) =
            (self.object_is(&pointer, &pointee, FOREIGN), self.object_is(&pointer, &pointee, GARBAGE));
        // An object from outside is there, whatever is asked.
        let unknown = if self.pointers.is_outside(&pointee) { garbage } else { self.or(foreign, garbage) };
        if self.truth(unknown) == Some(false) {
            return known;
        }
        let arbitrary = self.round(Ty::BOOL);
        self.ite(unknown, arbitrary, known)
    }

    /// Null, or a number near it.
    fn is_near_null(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let none = self.object_is(pointer, pointee, NONE);
        if !pointee.others.number || self.truth(none) == Some(false) {
            return none;
        }
        let (number, page) = (self.wrapped((pointer, pointee)), self.out.exprs.int(super::slots::WORD, PAGE));
        let is_near = self.binary(BinaryOp::Lt, number, page);
        self.and(none, is_near)
    }

    /// Another number, or a procedure.
    fn is_wild(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let none = self.object_is(pointer, pointee, NONE);
        let near = self.is_near_null((pointer, pointee));
        let is_far = self.not(near);
        let mut result = self.and(none, is_far);
        for object in pointee.objects.keys() {
            if matches!(self.objects.get(*object).kind, Kind::Proc(_)) {
                let this = self.object_is(pointer, pointee, *object);
                result = self.or(result, this);
            }
        }
        result
    }

    fn is_dead(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let mut result = self.out.exprs.bool(false);
        for object in pointee.objects.keys() {
            if matches!(self.objects.get(*object).kind, Kind::Proc(_)) {
                continue;
            }
            let (this, lives) = (self.object_is(pointer, pointee, *object), self.is_live(pointer, *object));
            let is_over = self.not(lives);
            let cond = self.and(this, is_over);
            result = self.or(result, cond);
        }
        result
    }

    fn is_freed(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let mut result = self.out.exprs.bool(false);
        for object in pointee.objects.keys() {
            if !self.objects.get(*object).is_heap {
                continue;
            }
            let (this, lives) = (self.object_is(pointer, pointee, *object), self.is_live(pointer, *object));
            let is_over = self.not(lives);
            let (offset, zero) = (self.number(&pointer.offset), self.word(0));
            let at_start = self.binary(BinaryOp::Eq, offset, zero);
            let freed = self.and(is_over, at_start);
            let cond = self.and(this, freed);
            result = self.or(result, cond);
        }
        result
    }

    /// Whether the byte at an address has a value that is no truth value.
    fn is_bad_bool(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let extent = Extent::of(self.objects.program, Ty::BOOL);
        let ways = self.ways(pointer, pointee, &extent);
        let mut result = self.out.exprs.bool(false);
        if self.truth(ways.foreign) != Some(false) && self.has_opaque() {
            let arbitrary = self.round(Ty::BOOL);
            result = self.ite(ways.foreign, arbitrary, result);
        }
        for case in ways.cases.iter().rev() {
            let bad = self.bad_bool_case(case);
            result = self.ite(case.cond, bad, result);
        }
        result
    }

    fn bad_bool_case(&mut self, case: &Case) -> ExprId {
        let leaves = &self.slots.segments[&case.object][case.segment].leaves;
        let is_truth = |leaf: usize| leaves[leaf].ty == Ty::BOOL;
        if case.parts.iter().any(|part| is_truth(part.leaf)) {
            return if self.odd.contains(&case.object) {
                self.round(Ty::BOOL)
            } else {
                self.out.exprs.bool(false)
            };
        }
        let byte = Ty::unsigned(8);
        let (value, one) = (self.read_value(case, byte), self.out.exprs.int(byte, 1));
        let is_more = self.binary(BinaryOp::Lt, one, value);
        let known = self.known_case(case);
        self.and(known, is_more)
    }
}

impl Rewriter<'_> {
    /// All of an object, of many the one that a pointer leads to, gets or loses values.
    pub(super) fn set_flags(&mut self, object: ObjectId, pointer: &Fat, left: Left) {
        let value = left == Left::Values;
        let is_many = self.translator.objects.is_many(object);
        for (segment, leaf) in self.translator.slots.leaves(object) {
            let Some(flag) = self.translator.slots.flag(object, segment, leaf) else { continue };
            let known = self.translator.out.exprs.bool(value);
            let Some(element) = self.translator.slots.segments[&object][segment].element else {
                let index = is_many.then_some(pointer.instance);
                let place = index.map_or(Place::Var(flag), |index| Place::Elem { array: flag, index });
                self.ops.push(Op::Assign { place, value: known });
                continue;
            };
            if !is_many && !value {
                self.ops.push(Op::Init { var: flag, contents: InitKind::Zero });
                continue;
            }
            let count = self.element_count(element, (pointer, object, &Slot::Value(flag, Ty::BOOL)));
            let count = self.translator.cast(Ty::unsigned(64), count);
            let at = if is_many { pointer.instance } else { self.translator.word(0) };
            self.ops.push(Op::FillElems { to: flag, at, value: known, count });
        }
    }

    /// A leaf has no value any more, in any object of its kind.
    pub(super) fn drop_flag(&mut self, object: ObjectId, segment: usize, leaf: usize) {
        let Some(flag) = self.translator.slots.flag(object, segment, leaf) else { return };
        let fails = self.translator.out.exprs.bool(false);
        self.ops.push(match self.translator.out.vars[flag].storage {
            cfa::Storage::Array { .. } => Op::Init { var: flag, contents: InitKind::Zero },
            _ => Op::Assign { place: Place::Var(flag), value: fails },
        });
    }

    /// What the program starts with: nothing has a value.
    pub(super) fn first_flags(&mut self) {
        let flags: Vec<VarId> = self.translator.slots.flags().collect();
        for flag in flags {
            let fails = self.translator.out.exprs.bool(false);
            self.ops.push(match self.translator.out.vars[flag].storage {
                cfa::Storage::Array { .. } => Op::Init { var: flag, contents: InitKind::Zero },
                _ => Op::Assign { place: Place::Var(flag), value: fails },
            });
        }
    }

    /// The bytes from where a pointer leads to the end of its object, if that is one place; at most so many.
    fn bytes_within(&self, pointee: &Pointee, most: Option<i64>) -> Option<i64> {
        let (object, offsets) = pointee.objects.first_key_value()?;
        let rest = self.translator.objects.get(*object).size? - offsets.single()?;
        Some(most.map_or(rest, |most| most.min(rest)))
    }

    /// Memory becomes arbitrary. If a function that is not known does that, it gives values; else there are none afterwards. What had no value was arbitrary
    /// before, so a function without body that only gives values changes flags alone.
    pub(super) fn forget_op(&mut self, to: ExprId, length: ExprId, source: &Source) {
        let (address, pointee) = (self.translator.fat(to), self.translator.pointers.of(to).clone());
        let bytes = self.bytes_within(&pointee, constant(self.translator.objects.program, length));
        let pieces = bytes.and_then(|bytes| self.pieces(&pointee, bytes));
        match source {
            Source::Uninitialised => return self.forget(to, Some(length), Left::Nothing),
            Source::Extern { .. } => {}
            _ => self.forget(to, Some(length), Left::Values),
        }
        let Some((_, pieces)) = pieces else { return };
        let holds = self.translator.out.exprs.bool(true);
        for (bits, leaf) in pieces {
            let ways = self.ways_at((&address, &pointee), bits, &leaf);
            let mut writes = Vec::new();
            for case in &ways.cases {
                writes.extend(self.translator.flag_writes(case, holds));
            }
            if !writes.is_empty() {
                self.write_all(writes, &ways);
            }
        }
    }
}

/// What arbitrary memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// It has values where it had some, and maybe elsewhere.
    Values,
    /// It may have none.
    Nothing,
}
