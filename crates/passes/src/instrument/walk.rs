//! What evaluating expressions may run into, in the order of evaluation.
//!
//! An operand that is evaluated only under a condition (a branch of [`Expr::Ite`]) is guarded by it. What may be undefined without being a check comes first
//! as a condition that always holds and evaluates it.

use rustc_hash::FxHashSet;

use cfa::{BinaryOp, CheckKind, Expr, ExprId, Exprs, Program, Storage, Ty, VarId};

use super::super::totality::Totality;
use super::fault::{self, Fault, Length};
use super::forms::{Forms, Sure};
use super::overflow::Overflow;
use super::shadow::{Assigned, Shadow};

/// Visits of expressions for one operation. Shared operands of nested conditions may be evaluated under
/// exponentially many conditions; beyond this the operation counts as one that may fail in every state.
const MAX_VISITS: usize = 10_000;

/// Something that evaluation may run into.
pub(super) struct Found {
    pub(super) fault: Fault,
    /// The expression; none if the operation itself fails.
    pub(super) expr: Option<ExprId>,
    /// What holds, and is evaluated, before it happens.
    pub(super) before: Vec<ExprId>,
}

/// What the evaluation of an operation's expressions runs into.
pub(super) enum Evaluation {
    /// All of it, in order; and what is evaluated before the operation does anything.
    Found(Vec<Found>, Vec<ExprId>),
    /// It takes more than [`MAX_VISITS`]. What may go wrong, without conditions.
    TooLarge(Vec<Found>),
}

/// What is known where expressions are evaluated.
pub(super) struct Here<'a> {
    pub(super) program: &'a Program,
    pub(super) totality: &'a Totality,
    pub(super) forms: &'a Forms<'a>,
    pub(super) shadow: &'a Shadow,
    pub(super) sure: &'a Sure,
    pub(super) assigned: Option<&'a Assigned>,
}

/// Too many visits.
struct TooLarge;

/// What is to be done next.
enum Work {
    Visit(ExprId),
    /// The operands are evaluated; the position is that in [`Walk::partial`] before them.
    Leave(ExprId, usize),
    /// What follows is evaluated only if the condition holds.
    Under(ExprId),
    /// The end of that.
    After,
}

/// Looks at expressions that are evaluated one after the other.
pub(super) fn evaluate(here: &Here<'_>, exprs: &mut Exprs, roots: &[ExprId]) -> Evaluation {
    let mut walk = Walk {
        here,
        exprs,
        guards: Vec::new(),
        visited: FxHashSet::default(),
        log: Vec::new(),
        partial: Vec::new(),
        found: Vec::new(),
    };
    if walk.evaluate(roots).is_err() {
        walk.without_order(roots);
        return Evaluation::TooLarge(walk.found);
    }
    let before = walk.before(walk.partial.len());
    Evaluation::Found(walk.found, before)
}

struct Walk<'a> {
    here: &'a Here<'a>,
    exprs: &'a mut Exprs,
    /// The conditions under which the present expression is evaluated, and the length of the log before each.
    guards: Vec<(ExprId, usize)>,
    /// What is evaluated already whenever the present expression is.
    visited: FxHashSet<ExprId>,
    /// The same in order.
    log: Vec<ExprId>,
    /// What may be undefined without being a check and is evaluated before, with its conditions.
    partial: Vec<(Vec<ExprId>, ExprId)>,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn evaluate(&mut self, roots: &[ExprId]) -> Result<(), TooLarge> {
        let mut work: Vec<Work> = roots.iter().rev().map(|root| Work::Visit(*root)).collect();
        let mut visits = 0;
        while let Some(next) = work.pop() {
            visits += 1;
            if visits > MAX_VISITS {
                return Err(TooLarge);
            }
            match next {
                Work::Visit(id) => self.visit(id, &mut work),
                Work::Leave(id, before) => self.leave(id, before),
                Work::Under(cond) => self.guards.push((cond, self.log.len())),
                Work::After => {
                    let (_, length) = self.guards.pop().unwrap_or((ExprId(0), self.log.len()));
                    for id in self.log.drain(length..) {
                        self.visited.remove(&id);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit(&mut self, id: ExprId, work: &mut Vec<Work>) {
        if self.here.shadow.is_harmless(self.here.totality, id) || self.visited.contains(&id) {
            return;
        }
        work.push(Work::Leave(id, self.partial.len()));
        match *self.here.program.exprs.get(id) {
            Expr::Ite { cond, then, other } => {
                let refuted = self.exprs.not(cond);
                work.extend([Work::After, Work::Visit(other), Work::Under(refuted)]);
                work.extend([Work::After, Work::Visit(then), Work::Under(cond)]);
                work.push(Work::Visit(cond));
            }
            ref expr => {
                let operands: Vec<ExprId> = expr.operands().collect();
                work.extend(operands.into_iter().rev().map(Work::Visit));
            }
        }
    }

    fn leave(&mut self, id: ExprId, before: usize) {
        self.visited.insert(id);
        self.log.push(id);
        let guards: Vec<ExprId> = self.guards.iter().map(|(cond, _)| *cond).collect();
        let faults = self.faults(id);
        let is_checked = |kind: CheckKind| self.here.program.is_violation(kind);
        let is_partial = faults.iter().any(|fault| !fault.kinds().iter().all(is_checked));
        for fault in faults {
            // All operands are evaluated by the condition of an overflow itself.
            let is_overflow = matches!(fault, Fault::Single { kind: CheckKind::SignedOverflow, .. });
            let mut holds = self.before(if is_overflow { before } else { self.partial.len() });
            holds.extend(&guards);
            self.found.push(Found { fault, expr: Some(id), before: holds });
        }
        if is_partial {
            // It contains what was found in its operands.
            self.partial.truncate(before);
            self.partial.push((guards, id));
        }
    }

    /// Conditions that always hold, and evaluate what may be undefined.
    fn before(&mut self, count: usize) -> Vec<ExprId> {
        let partial = self.partial[..count].to_vec();
        partial.iter().map(|(guards, id)| is_evaluated(self.exprs, guards, *id)).collect()
    }

    /// All that may go wrong anywhere in expressions.
    fn without_order(&mut self, roots: &[ExprId]) {
        self.found.clear();
        let (mut pending, mut seen) = (roots.to_vec(), FxHashSet::default());
        while let Some(id) = pending.pop() {
            if !self.here.shadow.is_harmless(self.here.totality, id) && seen.insert(id) {
                for fault in self.faults(id) {
                    self.found.push(Found { fault, expr: Some(id), before: Vec::new() });
                }
                pending.extend(self.here.program.exprs.get(id).operands());
            }
        }
    }

    /// What may go wrong at an expression itself, in order.
    fn faults(&mut self, id: ExprId) -> Vec<Fault> {
        let program = self.here.program;
        let ty = program.exprs.ty(id);
        match *program.exprs.get(id) {
            Expr::Var { var, .. } => self.variable(var),
            Expr::Elem { array, index, .. } => {
                let mut faults = self.element(array, index);
                faults.extend(self.here.shadow.missing_element(self.exprs, array, index, self.here.sure));
                faults
            }
            Expr::Load { addr, .. } => self.load(addr, None, ty),
            Expr::LoadBits { addr, bit, .. } => self.load(addr, Some(bit), ty),
            Expr::Binary { op: BinaryOp::Div | BinaryOp::Rem, rhs, .. } if ty.is_int() => {
                let is_zero = self.may_be(rhs, 0).then(|| fault::is_zero(self.exprs, rhs));
                if program.signed_overflow == cfa::SignedOverflow::Wrap {
                    return self.division(id, is_zero).into_iter().collect();
                }
                let by_zero = is_zero.map(|cond| Fault::Single { kind: CheckKind::DivisionByZero, cond });
                by_zero.into_iter().chain(self.overflow(id)).collect()
            }
            Expr::Binary { op: BinaryOp::Shl | BinaryOp::Shr, rhs, .. } => {
                let width = ty.width(program.data_model);
                let mut faults = Vec::new();
                if !self.is_within(rhs, (0, i128::from(width) - 1)) {
                    let cond = fault::bad_shift(self.exprs, rhs, width);
                    faults.push(Fault::Single { kind: CheckKind::ShiftAmount, cond });
                }
                faults.extend(self.overflow(id));
                faults
            }
            Expr::Cast { ty, arg } if ty.is_int() && program.exprs.ty(arg).is_float() => {
                let cond = fault::does_not_fit(self.exprs, arg, ty);
                vec![Fault::Single { kind: CheckKind::FloatToInt, cond }]
            }
            Expr::Bounded { index, low, bound }
                if !self.is_within(index, (i128::from(low), i128::from(bound) - 1)) =>
            {
                let cond = if low == 0 {
                    fault::outside(self.exprs, index, Length::Number(bound))
                } else {
                    fault::beyond(self.exprs, index, low, bound)
                };
                vec![Fault::Single { kind: cfa::limit_kind(low), cond }]
            }
            Expr::Unary { .. } | Expr::Binary { .. } => self.overflow(id).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn variable(&mut self, var: VarId) -> Vec<Fault> {
        let Some(assigned) = self.here.assigned else { return Vec::new() };
        self.here.shadow.missing_value(self.exprs, self.here.program, assigned, var).into_iter().collect()
    }

    /// A division where overflow wraps around: what does not fit traps as a division by zero does, and is reported with it.
    fn division(&mut self, id: ExprId, is_zero: Option<ExprId>) -> Option<Fault> {
        let overflow = Overflow::of(self.here.program, self.here.totality, id);
        let overflows = overflow.map(|overflow| overflow.condition(self.exprs));
        let cond = match (is_zero, overflows) {
            (Some(is_zero), Some(overflows)) => self.exprs.binary(BinaryOp::Or, is_zero, overflows),
            (one, other) => one.or(other)?,
        };
        Some(Fault::Single { kind: CheckKind::DivisionByZero, cond })
    }

    fn overflow(&mut self, id: ExprId) -> Option<Fault> {
        let program = self.here.program;
        if program.signed_overflow == cfa::SignedOverflow::Wrap {
            return None;
        }
        let overflow = Overflow::of(program, self.here.totality, id)?;
        let cond = overflow.condition(self.exprs);
        Some(Fault::Single { kind: CheckKind::SignedOverflow, cond })
    }

    fn element(&mut self, array: VarId, index: ExprId) -> Vec<Fault> {
        let program = self.here.program;
        if self.here.totality.is_inside(program, array, index) {
            return Vec::new();
        }
        let cond = match self.here.shadow.length(self.exprs, program, array) {
            Some(length) => fault::outside(self.exprs, index, length),
            None if is_unbounded(program, array) => return Vec::new(),
            // Nobody asks, so nobody knows the length; the access may be undefined all the same.
            None => self.exprs.bool(true),
        };
        vec![Fault::Single { kind: CheckKind::ArrayBounds, cond }]
    }

    fn load(&mut self, addr: ExprId, bit: Option<u8>, ty: Ty) -> Vec<Fault> {
        let model = self.here.program.data_model;
        let bytes = match bit {
            None => ty.size(model),
            Some(bit) => (u64::from(bit) + u64::from(ty.width(model))).div_ceil(8),
        };
        let mut faults: Vec<Fault> =
            access(self.here, self.exprs, addr, Bytes::Number(bytes), cfa::Access::Read)
                .into_iter()
                .collect();
        if self.here.shadow.is_asked() && !self.here.forms.is_literal(addr) {
            let has_value = self.exprs.add(Expr::Initialised { addr, bit, ty });
            let cond = self.exprs.not(has_value);
            faults.push(Fault::Single { kind: CheckKind::Uninitialised, cond });
        }
        if bit.is_none() && ty == Ty::BOOL {
            let cond = self.exprs.add(Expr::Test { test: cfa::AddressTest::BadBool, addr });
            faults.push(Fault::Single { kind: CheckKind::InvalidBool, cond });
        }
        faults
    }

    fn may_be(&self, id: ExprId, value: i128) -> bool {
        self.here.totality.range(id).is_none_or(|(low, high)| low <= value && value <= high)
    }

    fn is_within(&self, id: ExprId, (least, most): (i128, i128)) -> bool {
        self.here.totality.range(id).is_some_and(|(low, high)| least <= low && high <= most)
    }
}

/// Whether every integer is an index of the array.
fn is_unbounded(program: &Program, array: VarId) -> bool {
    matches!(program.vars[array].storage, Storage::Array { length: cfa::Length::Unbounded, .. })
}

/// How many bytes an access takes.
#[derive(Clone, Copy)]
pub(super) enum Bytes {
    /// Known.
    Number(u64),
    /// The value of an unsigned expression.
    Value(ExprId),
}

/// What may be wrong with an access to memory, if anything.
pub(super) fn access(
    here: &Here<'_>,
    exprs: &mut Exprs,
    addr: ExprId,
    bytes: Bytes,
    access: cfa::Access,
) -> Option<Fault> {
    let known = match bytes {
        Bytes::Number(bytes) => Some(bytes),
        Bytes::Value(length) => {
            super::forms::constant(here.program, length).and_then(|length| u64::try_from(length).ok())
        }
    };
    let kinds = here.forms.access_kinds(addr, known, access, here.sure);
    if kinds.is_empty() || known == Some(0) {
        return None;
    }
    let length = match bytes {
        Bytes::Number(bytes) => {
            let word = Ty::unsigned(exprs.pointer_width());
            exprs.int(word, i128::from(bytes))
        }
        Bytes::Value(length) => length,
    };
    Some(Fault::Access { addr, length, access, kinds })
}

/// What may be wrong with an element of an array that is written.
pub(super) fn written_element(
    here: &Here<'_>,
    exprs: &mut Exprs,
    array: VarId,
    index: ExprId,
) -> Option<Fault> {
    if here.totality.is_inside(here.program, array, index) {
        return None;
    }
    let length: Length = here.shadow.length(exprs, here.program, array)?;
    let cond = fault::outside(exprs, index, length);
    Some(Fault::Single { kind: CheckKind::ArrayBounds, cond })
}

/// A condition that always holds, and evaluates an expression if the guards hold.
fn is_evaluated(exprs: &mut Exprs, guards: &[ExprId], id: ExprId) -> ExprId {
    let holds = exprs.bool(true);
    let same = exprs.binary(BinaryOp::Eq, id, id);
    let mut result = exprs.add(Expr::Ite { cond: same, then: holds, other: holds });
    for guard in guards.iter().rev() {
        result = exprs.add(Expr::Ite { cond: *guard, then: result, other: holds });
    }
    result
}
