//! Expressions over promoted memory as expressions over variables.

use cfa::{BinaryOp, Expr, ExprId, Program, Ty, VarId};
use rustc_hash::FxHashMap;

use super::ObjectId;
use super::access::{Case, Coverage};
use super::analysis::Pointees;
use super::candidates::{Candidates, Kind, Lifetime, Object};
use super::layout::Extent;
use super::offsets::{Linear, Offsets, Other, Pointee, gcd};
use super::slots::{OBJECT, OFFSET, Pair, Slots, is_open};
use crate::fold::simplified;

/// A pointer: number of the object, offset in bytes.
#[derive(Clone, Debug)]
pub(super) struct Fat {
    pub(super) object: ExprId,
    pub(super) offset: Linear,
}

/// What an expression becomes.
#[derive(Clone, Debug)]
enum New {
    Plain(ExprId),
    Pointer(Fat),
}

/// Translates the expressions of one program.
pub(super) struct Translator<'a> {
    pub(super) candidates: &'a Candidates<'a>,
    pub(super) pointees: &'a Pointees,
    pub(super) slots: Slots,
    pub(super) out: Program,
    done: FxHashMap<ExprId, New>,
}

impl<'a> Translator<'a> {
    pub(super) fn new(
        candidates: &'a Candidates<'a>,
        pointees: &'a Pointees,
        slots: Slots,
        out: Program,
    ) -> Self {
        let mut translator = Self { candidates, pointees, slots, out, done: FxHashMap::default() };
        for index in 0..candidates.used.len() {
            let id = candidates.used[index];
            let new = translator.node(id);
            translator.done.insert(id, new);
        }
        translator
    }

    /// Whether an expression is a pointer to promoted objects.
    pub(super) fn is_promoted(&self, id: ExprId) -> bool {
        self.pointees.is_followed(id)
    }
    /// What an expression that is no promoted pointer becomes.
    pub(super) fn plain(&self, id: ExprId) -> ExprId {
        match self.done.get(&id) {
            Some(New::Plain(new)) => *new,
            Some(New::Pointer(_)) | None => id,
        }
    }
    /// What a pointer becomes; one that is not promoted is a number that belongs to no object.
    pub(super) fn fat(&mut self, id: ExprId) -> Fat {
        if let Some(New::Pointer(fat)) = self.done.get(&id) {
            return fat.clone();
        }
        let raw = self.plain(id);
        self.of_raw(raw)
    }
    pub(super) fn of_raw(&mut self, raw: ExprId) -> Fat {
        let object = self.out.exprs.int(OBJECT, 0);
        let offset = if let Expr::Const { bits, .. } = *self.out.exprs.get(raw) {
            Linear::constant(bits as i64)
        } else {
            let number = Ty::unsigned(self.out.data_model.pointer_width());
            Linear::term(1, self.cast(number, raw))
        };
        Fat { object, offset }
    }

    fn node(&mut self, id: ExprId) -> New {
        let expr = *self.candidates.program.exprs.get(id);
        if self.is_promoted(id) {
            return New::Pointer(self.pointer(id, expr));
        }
        match expr {
            Expr::Load { addr, ty } if self.is_promoted(addr) || self.pointees.leads_nowhere(addr) => {
                let extent = Extent::of(self.candidates, ty);
                New::Plain(self.load(addr, &extent))
            }
            Expr::LoadBits { addr, bit, ty }
                if self.is_promoted(addr) || self.pointees.leads_nowhere(addr) =>
            {
                let extent = Extent::bits(self.candidates, bit, ty);
                New::Plain(self.load(addr, &extent))
            }
            Expr::Binary { op, lhs, rhs } if self.is_promoted(lhs) || self.is_promoted(rhs) => {
                New::Plain(self.compare(op, lhs, rhs))
            }
            _ if expr.operands().next().is_none() => New::Plain(id),
            _ => {
                let expr = expr.map_operands(|operand| self.plain(operand));
                New::Plain(simplified(&mut self.out, expr))
            }
        }
    }

    fn pointer(&mut self, id: ExprId, expr: Expr) -> Fat {
        match expr {
            Expr::Var { var, .. } => self.held(var, None),
            Expr::Elem { array, index, .. } => {
                let index = self.plain(index);
                self.held(array, Some(index))
            }
            Expr::Load { addr, .. } => self.load_pointer(addr),
            Expr::Address { var } => self.at(self.candidates.of_var(var)),
            Expr::Function { proc } => self.at(self.candidates.of_proc(proc)),
            Expr::Binary { lhs, .. } => {
                let base = self.fat(lhs);
                let sum = self.pointees.sum(id).clone();
                let mut offset = base.offset.plus_constant(sum.constant);
                for (factor, term) in sum.terms {
                    let term = self.plain(term);
                    offset.add(factor, term);
                }
                Fat { object: base.object, offset }
            }
            Expr::Ite { cond, then, other } => {
                let (cond, then, other) = (self.plain(cond), self.fat(then), self.fat(other));
                self.choose(cond, &then, &other)
            }
            Expr::Cast { arg, .. } if self.candidates.program.exprs.ty(arg) == Ty::Ptr => self.fat(arg),
            _ => self.fat(id),
        }
    }

    fn at(&mut self, object: Option<ObjectId>) -> Fat {
        let number = object.map_or(0, |object| object.0);
        Fat { object: self.out.exprs.int(OBJECT, i128::from(number)), offset: Linear::constant(0) }
    }

    /// One of two pointers.
    pub(super) fn choose(&mut self, cond: ExprId, then: &Fat, other: &Fat) -> Fat {
        let object = self.ite(cond, then.object, other.object);
        if then.offset == other.offset {
            return Fat { object, offset: then.offset.clone() };
        }
        let unit = gcd(then.offset.unit(), other.offset.unit()).max(1);
        let (left, right) = (self.scaled(&then.offset, unit), self.scaled(&other.offset, unit));
        let chosen = self.ite(cond, left, right);
        Fat { object, offset: Linear::term(unit, chosen) }
    }

    /// The pointer that a variable, or an element of it, holds.
    fn held(&mut self, var: VarId, index: Option<ExprId>) -> Fat {
        match self.slots.pointer(var).cloned() {
            Some(pair) => self.read_pair(&pair, index),
            None => self.at(None),
        }
    }

    pub(super) fn read_pair(&mut self, pair: &Pair, index: Option<ExprId>) -> Fat {
        let object = match (pair.object, pair.pointee.only()) {
            (Some(var), _) => self.read(var, index, OBJECT),
            (None, only) => self.out.exprs.int(OBJECT, only.map_or(0, |object| i128::from(object.0))),
        };
        let offset = match (pair.offset, pair.pointee.offset()) {
            (Some(var), _) => Linear::term(pair.unit, self.read(var, index, OFFSET)),
            (None, always) => Linear::constant(always.unwrap_or(0)),
        };
        Fat { object, offset }
    }

    pub(super) fn read(&mut self, var: VarId, index: Option<ExprId>, ty: Ty) -> ExprId {
        match index {
            None => self.out.exprs.var(var, ty),
            Some(index) => self.out.exprs.add(Expr::Elem { array: var, index, ty }),
        }
    }

    fn load_pointer(&mut self, addr: ExprId) -> Fat {
        let (address, pointee) = (self.fat(addr), self.pointees.of(addr).clone());
        let extent = Extent::of(self.candidates, Ty::Ptr);
        let (cases, exhaustive) = self.cases(&address, &pointee, &extent);
        self.loaded_pointer(&cases, exhaustive)
    }

    fn load(&mut self, addr: ExprId, extent: &Extent) -> ExprId {
        let (address, pointee) = (self.fat(addr), self.pointees.of(addr).clone());
        let (cases, exhaustive) = self.cases(&address, &pointee, extent);
        self.loaded(&cases, exhaustive, extent.ty)
    }

    // Small expressions.

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        simplified(&mut self.out, Expr::Binary { op, lhs, rhs })
    }
    pub(super) fn ite(&mut self, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
        if then == other { then } else { simplified(&mut self.out, Expr::Ite { cond, then, other }) }
    }
    pub(super) fn cast(&mut self, ty: Ty, arg: ExprId) -> ExprId {
        simplified(&mut self.out, Expr::Cast { ty, arg })
    }
    pub(super) fn not(&mut self, arg: ExprId) -> ExprId {
        match self.truth(arg) {
            Some(value) => self.out.exprs.bool(!value),
            None => self.out.exprs.not(arg),
        }
    }
    pub(super) fn and(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.truth(lhs), self.truth(rhs)) {
            (Some(false), _) | (_, Some(true)) => lhs,
            (Some(true), _) | (_, Some(false)) => rhs,
            _ => self.binary(BinaryOp::And, lhs, rhs),
        }
    }
    pub(super) fn or(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        match (self.truth(lhs), self.truth(rhs)) {
            (Some(true), _) | (_, Some(false)) => lhs,
            (Some(false), _) | (_, Some(true)) => rhs,
            _ => self.binary(BinaryOp::Or, lhs, rhs),
        }
    }
    fn truth(&self, id: ExprId) -> Option<bool> {
        match *self.out.exprs.get(id) {
            Expr::Const { bits, .. } => Some(bits != 0),
            _ => None,
        }
    }
    pub(super) fn object_is(&mut self, object: ExprId, number: ObjectId) -> ExprId {
        let number = self.out.exprs.int(OBJECT, i128::from(number.0));
        if object == number {
            return self.out.exprs.bool(true);
        }
        self.binary(BinaryOp::Eq, object, number)
    }

    /// A sum divided by a unit; rounded towards zero if it is no multiple.
    pub(super) fn scaled(&mut self, sum: &Linear, unit: i64) -> ExprId {
        if let Some(sum) = sum.divided(unit) {
            return self.number(&sum);
        }
        let (dividend, divisor) = (self.number(sum), self.out.exprs.int(OFFSET, i128::from(unit)));
        self.binary(BinaryOp::Div, dividend, divisor)
    }
    /// A sum as an expression of type [`OFFSET`].
    pub(super) fn number(&mut self, sum: &Linear) -> ExprId {
        let mut total: Option<ExprId> = None;
        for (factor, term) in &sum.terms {
            let term = self.cast(OFFSET, *term);
            let product = if *factor == 1 {
                term
            } else {
                let factor = self.out.exprs.int(OFFSET, i128::from(*factor));
                self.binary(BinaryOp::Mul, term, factor)
            };
            total = Some(match total {
                None => product,
                Some(total) => self.binary(BinaryOp::Add, total, product),
            });
        }
        let constant = self.out.exprs.int(OFFSET, i128::from(sum.constant));
        match total {
            None => constant,
            Some(total) if sum.constant == 0 => total,
            Some(total) => self.binary(BinaryOp::Add, total, constant),
        }
    }

    // Comparisons.

    fn compare(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let (left, right) = (self.fat(lhs), self.fat(rhs));
        let (left_pointee, right_pointee) = (self.pointees.of(lhs).clone(), self.pointees.of(rhs).clone());
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            let equal = if right_pointee == Pointee::other(Other::Null) {
                self.is_null(&left, &left_pointee)
            } else if left_pointee == Pointee::other(Other::Null) {
                self.is_null(&right, &right_pointee)
            } else {
                self.equal((&left, &left_pointee), (&right, &right_pointee))
            };
            return if op == BinaryOp::Eq { equal } else { self.not(equal) };
        }
        let within = self.offsets(op, &left.offset, &right.offset);
        let same = self.same_object(&left, &right);
        let beyond = if is_open(self.candidates, op, &left_pointee, &right_pointee) {
            let (left, right) = (self.address(&left, &left_pointee), self.address(&right, &right_pointee));
            self.apply(op, left, right)
        } else {
            within
        };
        let result = self.ite(same, within, beyond);
        match op {
            BinaryOp::PtrSub => {
                let width = self.out.data_model.pointer_width();
                self.cast(Ty::signed(width), result)
            }
            _ => result,
        }
    }

    fn apply(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        self.binary(if op == BinaryOp::PtrSub { BinaryOp::Sub } else { op }, left, right)
    }

    /// A comparison of offsets in one object, or their difference.
    fn offsets(&mut self, op: BinaryOp, left: &Linear, right: &Linear) -> ExprId {
        if op == BinaryOp::PtrSub {
            let mut difference = left.plus_constant(right.constant.wrapping_neg());
            right.terms.iter().for_each(|(factor, term)| difference.add(-factor, *term));
            return self.number(&difference);
        }
        let unit = gcd(left.unit(), right.unit()).max(1);
        let (left, right) = (self.scaled(left, unit), self.scaled(right, unit));
        self.apply(op, left, right)
    }

    fn same_object(&mut self, left: &Fat, right: &Fat) -> ExprId {
        if left.object == right.object {
            return self.out.exprs.bool(true);
        }
        self.binary(BinaryOp::Eq, left.object, right.object)
    }

    fn is_null(&mut self, pointer: &Fat, pointee: &Pointee) -> ExprId {
        if pointee.other == Other::Nothing {
            return self.out.exprs.bool(false);
        }
        let none = self.object_is(pointer.object, ObjectId(0));
        if pointee.other == Other::Null {
            return none;
        }
        let zero = self.offsets(BinaryOp::Eq, &pointer.offset, &Linear::constant(0));
        self.and(none, zero)
    }

    /// Pointers to one object are equal if their offsets are; others may be only where C leaves it open.
    fn equal(&mut self, left: (&Fat, &Pointee), right: (&Fat, &Pointee)) -> ExprId {
        let same = self.same_object(left.0, right.0);
        let within = self.offsets(BinaryOp::Eq, &left.0.offset, &right.0.offset);
        let beyond = if is_open(self.candidates, BinaryOp::Eq, left.1, right.1) {
            let (one, other) = (self.address(left.0, left.1), self.address(right.0, right.1));
            let meet = self.binary(BinaryOp::Eq, one, other);
            let (one, other) = (self.is_null(left.0, left.1), self.is_null(right.0, right.1));
            let null = self.or(one, other);
            let (one, other) = (self.is_regular(left.0, left.1), self.is_regular(right.0, right.1));
            let apart = self.and(one, other);
            let never = self.or(null, apart);
            let valid = self.not(never);
            self.and(valid, meet)
        } else {
            self.out.exprs.bool(false)
        };
        let both = self.and(same, within);
        if self.truth(beyond) == Some(false) {
            return both;
        }
        self.ite(same, within, beyond)
    }

    /// Whether a pointer points into an object that lives: then no other such pointer into another object equals it.
    fn is_regular(&mut self, pointer: &Fat, pointee: &Pointee) -> ExprId {
        let mut regular = self.out.exprs.bool(false);
        for (object, offsets) in &pointee.objects {
            let Object { lifetime, kind, size, .. } = *self.candidates.object(*object);
            let mut here = self.object_is(pointer.object, *object);
            match (lifetime, self.slots.lives(*object)) {
                (Lifetime::Program, _) => {}
                (Lifetime::Some, Some(lives)) => {
                    let lives = self.out.exprs.var(lives, Ty::BOOL);
                    here = self.and(here, lives);
                }
                (Lifetime::Some, None) | (Lifetime::Shared, _) => continue,
            }
            let is_inside = match (offsets, size) {
                (Offsets::Few(offsets), Some(size)) => offsets.iter().all(|at| (0..size).contains(at)),
                _ => matches!(kind, Kind::Proc(_)),
            };
            if !is_inside {
                let byte = Extent { bit: 0, width: 8, ty: Ty::unsigned(8) };
                let inside = self.within(pointer, *object, &byte);
                here = self.and(here, inside);
            }
            regular = self.or(regular, here);
        }
        regular
    }

    /// An address as a number, where the order of objects is open.
    fn address(&mut self, pointer: &Fat, pointee: &Pointee) -> ExprId {
        let offset = self.number(&pointer.offset);
        let mut base = self.out.exprs.int(OFFSET, 0);
        for object in pointee.objects.keys() {
            let Some(var) = self.slots.base(*object) else { continue };
            let this = self.object_is(pointer.object, *object);
            let start = self.out.exprs.var(var, OFFSET);
            base = self.ite(this, start, base);
        }
        self.binary(BinaryOp::Add, base, offset)
    }

    /// Folds the cases of a load of a pointer.
    pub(super) fn loaded_pointer(&mut self, cases: &[Case], exhaustive: Coverage) -> Fat {
        let mut result: Option<Fat> = match exhaustive {
            Coverage::All => None,
            Coverage::Some => {
                let object = self.slots.invalid(&mut self.out, OBJECT);
                Some(Fat { object, offset: Linear::constant(0) })
            }
        };
        for case in cases.iter().rev() {
            let value = self.read_pointer(case);
            result = Some(match result {
                None => value,
                Some(other) => self.choose(case.cond, &value, &other),
            });
        }
        result.unwrap_or_else(|| self.at(None))
    }
}
