//! Comparisons, differences, numbers and tests of pointers.
//!
//! # Rule
//! Pointers into one object are compared by their offsets. Pointers to different objects differ if both objects live and both pointers lie inside; null differs from
//! all of them. Everything else depends on where objects lie in memory, which C leaves open: the result is arbitrary.

use cfa::{Access, BinaryOp, Expr, ExprId, Ty};

use super::object::{Kind, Objects};
use super::offsets::Linear;
use super::pointee::Pointee;
use super::pointers::Pointers;
use super::slots::{Asked, WORD};
use super::translate::{Fat, Translator};
use super::{FOREIGN, GARBAGE, NONE, ObjectId};

/// Numbers below this, and as many at the other end, are addresses of no object.
pub(super) const PAGE: i128 = 4096;

/// Which properties of objects comparisons and tests ask for.
pub(super) fn asked(objects: &Objects<'_>, pointers: &Pointers) -> Asked {
    let exprs = &objects.program.exprs;
    let mut asked = Asked::default();
    for id in &objects.used {
        match *exprs.get(*id) {
            Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne, lhs, rhs } if exprs.ty(lhs) == Ty::Ptr => {
                let (left, right) = (pointers.of(lhs), pointers.of(rhs));
                if !may_both_be_objects(left, right) {
                    continue;
                }
                for (object, offsets) in left.objects.iter().chain(&right.objects) {
                    let known = objects.get(*object);
                    let is_inside = offsets.iter().all(|at| at.within(known.size, 1) == Some(at));
                    if known.may_end {
                        asked.lives.insert(*object);
                    }
                    if !is_inside && known.size.is_none() {
                        asked.sizes.insert(*object);
                    }
                }
            }
            Expr::Cast { ty, arg } if ty != Ty::Ptr && exprs.ty(arg) == Ty::Ptr => {
                asked.bases.extend(pointers.of(arg).objects.keys());
            }
            Expr::Accessible { addr, .. } | Expr::Freeable { addr } | Expr::Test { addr, .. } => {
                for object in pointers.of(addr).objects.keys() {
                    let known = objects.get(*object);
                    if known.may_end {
                        asked.lives.insert(*object);
                    }
                    if known.size.is_none() {
                        asked.sizes.insert(*object);
                    }
                }
            }
            _ => {}
        }
    }
    asked
}

/// Whether two pointers may be to two objects.
fn may_both_be_objects(left: &Pointee, right: &Pointee) -> bool {
    !left.objects.is_empty() && !right.objects.is_empty()
}

impl Translator<'_> {
    pub(super) fn compare(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (left, right) = (self.fat(lhs), self.fat(rhs));
        let (left_pointee, right_pointee) = (self.pointers.of(lhs).clone(), self.pointers.of(rhs).clone());
        let (one, other) = ((&left, &left_pointee), (&right, &right_pointee));
        // A comparison and its opposite are decided by the same arbitrary values.
        let (test, lhs, rhs, is_opposite) = match op {
            BinaryOp::Ne => (BinaryOp::Eq, lhs, rhs, true),
            BinaryOp::Le => (BinaryOp::Lt, rhs, lhs, true),
            op => (op, lhs, rhs, false),
        };
        let known = self.compared.get(&(test, lhs, rhs)).copied();
        let result = known.unwrap_or_else(|| match op {
            BinaryOp::Eq | BinaryOp::Ne => self.equal(one, other),
            BinaryOp::Le => self.ordered(BinaryOp::Lt, other, one),
            _ => self.ordered(op, one, other),
        });
        self.compared.insert((test, lhs, rhs), result);
        if is_opposite { self.not(result) } else { result }
    }

    fn equal(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let null = |pointee: &Pointee| {
            let others = pointee.others;
            pointee.objects.is_empty()
                && others.null
                && !others.number
                && !others.unwritten
                && !others.foreign
        };
        if null(right.1) {
            return self.is_null(left);
        }
        if null(left.1) {
            return self.is_null(right);
        }
        let same = self.same(left, right);
        let open = self.open(left, right);
        if self.truth(open) == Some(false) {
            return same;
        }
        let arbitrary = self.round(Ty::BOOL);
        let by_chance = self.and(open, arbitrary);
        self.or(same, by_chance)
    }

    /// Whether two pointers are the same object and offset.
    fn same(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let mut same = self.same_object(left, right);
        let numbers = left.1.others.number || right.1.others.number;
        let (one, other) = if numbers {
            (self.wrapped(left), self.wrapped(right))
        } else {
            (self.number(&left.0.offset), self.number(&right.0.offset))
        };
        let equal = if left.0.offset == right.0.offset {
            self.out.exprs.bool(true)
        } else {
            self.binary(BinaryOp::Eq, one, other)
        };
        same = self.and(same, equal);
        same
    }

    fn same_object(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let common = |object: &&ObjectId| right.1.objects.contains_key(*object);
        let has_common = left.1.objects.keys().any(|object| common(&object));
        let (one, other) = (left.1.others, right.1.others);
        let is_possible = has_common
            || (one.null || one.number) && (other.null || other.number)
            || one.foreign && other.foreign
            || one.unwritten && other.unwritten;
        if !is_possible {
            return self.out.exprs.bool(false);
        }
        let object = if left.0.object == right.0.object {
            self.out.exprs.bool(true)
        } else {
            self.binary(BinaryOp::Eq, left.0.object, right.0.object)
        };
        let are_many = left.1.objects.keys().filter(common).any(|object| self.objects.is_many(*object));
        let are_outside = one.foreign && other.foreign || one.unwritten && other.unwritten;
        if left.0.instance == right.0.instance || !(are_many || are_outside) {
            return object;
        }
        let instance = self.binary(BinaryOp::Eq, left.0.instance, right.0.instance);
        // Null and numbers are the same whatever that is.
        let (none, other_none) =
            (self.object_is(left.0, left.1, NONE), self.object_is(right.0, right.1, NONE));
        let none = self.and(none, other_none);
        let instance = self.or(none, instance);
        self.and(object, instance)
    }

    /// The offset of a pointer; the number of an address is taken modulo the size of the address space.
    pub(super) fn wrapped(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let offset = self.number(&pointer.offset);
        if !pointee.others.number || pointer.offset.terms.is_empty() && pointer.offset.constant >= 0 {
            return offset;
        }
        let address = Ty::unsigned(self.out.data_model.pointer_width());
        let number = self.cast(address, offset);
        let number = self.cast(WORD, number);
        let none = self.object_is(pointer, pointee, NONE);
        self.ite(none, number, offset)
    }

    pub(super) fn is_null(&mut self, (pointer, pointee): (&Fat, &Pointee)) -> ExprId {
        let mut null = self.object_is(pointer, pointee, NONE);
        if pointee.others.number && self.truth(null) != Some(false) {
            let (offset, zero) = (self.wrapped((pointer, pointee)), self.word(0));
            let is_zero = self.binary(BinaryOp::Eq, offset, zero);
            null = self.and(null, is_zero);
        }
        null
    }

    /// When pointers that are not the same may still be equal.
    fn open(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let mut open = self.out.exprs.bool(false);
        for (one, other) in [(left, right), (right, left)] {
            let (foreign, garbage) =
                (self.object_is(one.0, one.1, FOREIGN), self.object_is(one.0, one.1, GARBAGE));
            let foreign = self.or(foreign, garbage);
            let null = self.object_is(other.0, other.1, NONE);
            let not_null = if other.1.others.number { self.out.exprs.bool(true) } else { self.not(null) };
            let by_foreign = self.and(foreign, not_null);
            let by_number = self.number_meets(one, other);
            let cond = self.or(by_foreign, by_number);
            open = self.or(open, cond);
        }
        let by_place = self.objects_meet(left, right);
        self.or(open, by_place)
    }

    /// When a number may be the address of an object.
    fn number_meets(&mut self, number: (&Fat, &Pointee), object: (&Fat, &Pointee)) -> ExprId {
        if !number.1.others.number || object.1.objects.is_empty() {
            return self.out.exprs.bool(false);
        }
        let none = self.object_is(number.0, number.1, NONE);
        let other_none = self.object_is(object.0, object.1, NONE);
        let is_object = self.not(other_none);
        let last = (1_i128 << self.out.data_model.pointer_width()) - PAGE;
        let offset = self.wrapped(number);
        let (page, last) = (self.out.exprs.int(WORD, PAGE), self.out.exprs.int(WORD, last));
        let above = self.binary(BinaryOp::Le, page, offset);
        let below = self.binary(BinaryOp::Lt, offset, last);
        let between = self.and(above, below);
        let both = self.and(none, is_object);
        self.and(both, between)
    }

    /// When the addresses of two objects may be equal: one of them is outside, or lives no longer.
    fn objects_meet(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        if !may_both_be_objects(left.1, right.1) {
            return self.out.exprs.bool(false);
        }
        let mut open = self.out.exprs.bool(false);
        let mut literals = [self.out.exprs.bool(false); 2];
        for (side, (pointer, pointee)) in [left, right].into_iter().enumerate() {
            for object in pointee.objects.keys() {
                let this = self.object_is(pointer, pointee, *object);
                let regular = self.is_regular(pointer, pointee, *object);
                let irregular = self.not(regular);
                let cond = self.and(this, irregular);
                open = self.or(open, cond);
                if self.objects.get(*object).is_read_only {
                    literals[side] = self.or(literals[side], this);
                }
            }
        }
        let shared = self.and(literals[0], literals[1]);
        let open = self.or(open, shared);
        let mut both = self.out.exprs.bool(true);
        for (pointer, pointee) in [left, right] {
            for number in [NONE, GARBAGE, FOREIGN] {
                let other = self.object_is(pointer, pointee, number);
                let is_object = self.not(other);
                both = self.and(both, is_object);
            }
        }
        self.and(both, open)
    }

    /// Whether an address lies in its object, and that lives.
    fn is_regular(&mut self, pointer: &Fat, pointee: &Pointee, object: ObjectId) -> ExprId {
        let known = *self.objects.get(object);
        let offsets = &pointee.objects[&object];
        if matches!(known.kind, Kind::Proc(_)) {
            return self.out.exprs.bool(offsets.single() == Some(0));
        }
        let is_inside = offsets.iter().all(|at| at.within(known.size, 1) == Some(at));
        let inside = if is_inside && known.size.is_some() {
            self.out.exprs.bool(true)
        } else {
            let one = self.word(1);
            self.inside(pointer, object, one)
        };
        let lives = self.is_live(pointer, object);
        self.and(inside, lives)
    }

    /// Whether the object of a pointer lives.
    pub(super) fn is_live(&mut self, pointer: &Fat, object: ObjectId) -> ExprId {
        if self.objects.ends_unseen(object) && self.pointers.outlives(self.objects, object) {
            return self.round(Ty::BOOL);
        }
        match self.slots.lives(object) {
            None => self.out.exprs.bool(true),
            Some(var) => {
                let index = self.objects.is_many(object).then_some(pointer.instance);
                self.read(var, index, Ty::BOOL)
            }
        }
    }

    /// An order or a difference: that of the offsets in one object, else arbitrary.
    fn ordered(&mut self, op: BinaryOp, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let (one, other) = (self.wrapped(left), self.wrapped(right));
        let (op, ty) = match op {
            BinaryOp::PtrSub => (BinaryOp::Sub, Ty::signed(self.out.data_model.pointer_width())),
            op => (op, Ty::BOOL),
        };
        let within = if op == BinaryOp::Sub && !left.1.others.number && !right.1.others.number {
            let difference = negated(&right.0.offset).and_then(|negated| left.0.offset.plus(&negated));
            match difference {
                Some(difference) => self.number(&difference),
                None => self.binary(BinaryOp::Sub, one, other),
            }
        } else {
            self.binary(op, one, other)
        };
        let within = if ty == Ty::BOOL { within } else { self.cast(ty, within) };
        let same = self.same_object(left, right);
        if self.truth(same) == Some(true) {
            return within;
        }
        let arbitrary = self.round(ty);
        self.ite(same, within, arbitrary)
    }

    /// The number of an address.
    pub(super) fn address(&mut self, pointer: &Fat, pointee: &Pointee) -> ExprId {
        let address = Ty::unsigned(self.out.data_model.pointer_width());
        let offset = self.number(&pointer.offset);
        let offset = self.cast(address, offset);
        let others = pointee.others;
        let mut result = None;
        if others.foreign || others.unwritten {
            let (foreign, garbage) =
                (self.object_is(pointer, pointee, FOREIGN), self.object_is(pointer, pointee, GARBAGE));
            let foreign = self.or(foreign, garbage);
            let number = self.cast(address, pointer.instance);
            let number = self.binary(BinaryOp::Add, number, offset);
            result = Some(result.map_or(number, |other: ExprId| self.ite(foreign, number, other)));
        }
        for object in pointee.objects.keys() {
            let this = self.object_is(pointer, pointee, *object);
            let base = match self.slots.base(*object) {
                Some(var) => {
                    let index = self.objects.is_many(*object).then_some(pointer.instance);
                    self.read(var, index, address)
                }
                None => self.round(address),
            };
            let number = self.binary(BinaryOp::Add, base, offset);
            result = Some(result.map_or(number, |other| self.ite(this, number, other)));
        }
        let none = self.object_is(pointer, pointee, NONE);
        match result {
            None => offset,
            Some(other) => self.ite(none, offset, other),
        }
    }

    /// Whether so many bytes may be accessed.
    pub(super) fn accessible(&mut self, addr: ExprId, length: ExprId, access: Access) -> ExprId {
        let (pointer, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let length = self.plain(length);
        let length = self.cast(WORD, length);
        let mut result = self.out.exprs.bool(false);
        // What was never written may not be used.
        let mut unknown = self.object_is(&pointer, &pointee, FOREIGN);
        if self.pointers.is_outside(&pointee) {
            // Such an object is as large as needed.
            let (start, zero) = (self.number(&pointer.offset), self.word(0));
            let inside = self.binary(BinaryOp::Le, zero, start);
            result = self.and(unknown, inside);
            unknown = self.out.exprs.bool(false);
        }
        for object in pointee.objects.keys() {
            let known = *self.objects.get(*object);
            let this = self.object_is(&pointer, &pointee, *object);
            if matches!(known.kind, Kind::Proc(_)) || known.is_read_only && access == Access::Write {
                continue;
            }
            if known.size.is_none() && self.slots.size(*object).is_none() {
                unknown = self.or(unknown, this);
                continue;
            }
            let (inside, lives) = (self.inside(&pointer, *object, length), self.is_live(&pointer, *object));
            let valid = self.and(inside, lives);
            let cond = self.and(this, valid);
            result = self.or(result, cond);
        }
        if self.truth(unknown) != Some(false) {
            let arbitrary = self.round(Ty::BOOL);
            let cond = self.and(unknown, arbitrary);
            result = self.or(result, cond);
        }
        let zero = self.word(0);
        let is_empty = self.binary(BinaryOp::Eq, length, zero);
        self.or(is_empty, result)
    }

    /// Whether two pointers were made from one object; of memory that is not followed nobody knows.
    pub(super) fn leads_to_one(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (left, right) = (self.fat(lhs), self.fat(rhs));
        let (left_pointee, right_pointee) = (self.pointers.of(lhs).clone(), self.pointers.of(rhs).clone());
        let (one, other) = ((&left, &left_pointee), (&right, &right_pointee));
        let same = self.same_object(one, other);
        let none = self.object_is(one.0, one.1, NONE);
        let is_object = self.not(none);
        let same = self.and(is_object, same);
        let mut unknown = self.out.exprs.bool(false);
        for (pointer, pointee) in [one, other] {
            for number in [FOREIGN, GARBAGE] {
                let is_outside = self.object_is(pointer, pointee, number);
                unknown = self.or(unknown, is_outside);
            }
        }
        if self.truth(unknown) == Some(false) {
            return same;
        }
        let arbitrary = self.round(Ty::BOOL);
        self.ite(unknown, arbitrary, same)
    }

    /// Whether an address may be freed.
    pub(super) fn freeable(&mut self, addr: ExprId) -> ExprId {
        let (pointer, pointee) = (self.fat(addr), self.pointers.of(addr).clone());
        let mut result = self.is_null((&pointer, &pointee));
        let unknown = self.object_is(&pointer, &pointee, FOREIGN);
        for object in pointee.objects.keys() {
            if !self.objects.get(*object).is_heap {
                continue;
            }
            let this = self.object_is(&pointer, &pointee, *object);
            let (offset, zero) = (self.number(&pointer.offset), self.word(0));
            let at_start = self.binary(BinaryOp::Eq, offset, zero);
            let lives = self.is_live(&pointer, *object);
            let valid = self.and(at_start, lives);
            let cond = self.and(this, valid);
            result = self.or(result, cond);
        }
        if self.truth(unknown) == Some(false) {
            return result;
        }
        let arbitrary = self.round(Ty::BOOL);
        self.ite(unknown, arbitrary, result)
    }
}

/// A sum with all signs changed.
fn negated(sum: &Linear) -> Option<Linear> {
    sum.terms
        .iter()
        .try_fold(Linear::constant(-sum.constant), |negated, (factor, term)| negated.add(-factor, *term))
}
