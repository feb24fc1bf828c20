//! Evaluation of expressions over forms: the value in every round, and the conditions under which it is exact.
//!
//! # Invariants
//! * F1: the result is exact in all rounds in which the demands hold; an operator for which that cannot be said has no result.
//! * F2: no recursion: expressions may be deep. An expression is evaluated at most once, and only if its value is needed.

use rustc_hash::FxHashMap;

use super::cells::Key;
use super::form::Form;
use super::walk::{Values, Walker};
use crate::eval::whole_index;
use crate::ops::{self, Rules};
use cfa::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use cfa::ty::{SignedOverflow, Ty};

/// Whether values of a type have forms: integers whose sums and products stay far from the bounds of 128 bits.
pub(super) fn is_supported(ty: Ty) -> bool {
    matches!(ty, Ty::Int { width: ..=64, .. })
}

impl Walker<'_> {
    /// The truth value of a condition, the same in every round.
    pub(super) fn decide(&mut self, cond: ExprId, values: &Values) -> Option<bool> {
        self.eval(cond, values)?.as_constant().map(|value| value != 0)
    }

    /// The value of an expression.
    pub(super) fn eval(&mut self, root: ExprId, values: &Values) -> Option<Form> {
        let exprs = &self.program().exprs;
        let mut known: FxHashMap<ExprId, Form> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            if known.contains_key(&expr) {
                stack.pop();
                continue;
            }
            let node = exprs.get(expr);
            let needed = match *node {
                Expr::Ite { cond, then, other } => match known.get(&cond) {
                    None => Some(cond),
                    Some(truth) => {
                        let chosen = if truth.as_constant()? == 0 { other } else { then };
                        (!known.contains_key(&chosen)).then_some(chosen)
                    }
                },
                _ => node.operands().find(|operand| !known.contains_key(operand)),
            };
            if let Some(operand) = needed {
                stack.push(operand);
                continue;
            }
            let value = if exprs.ty(expr) == Ty::Ptr {
                self.pointer(expr, &known, values)?
            } else {
                self.apply(expr, &known, values)?
            };
            known.insert(expr, value);
            stack.pop();
        }
        known.get(&root).copied()
    }

    fn apply(&mut self, expr: ExprId, known: &FxHashMap<ExprId, Form>, values: &Values) -> Option<Form> {
        let exprs = &self.program().exprs;
        let ty = exprs.ty(expr);
        if !is_supported(ty) {
            return None;
        }
        match *exprs.get(expr) {
            Expr::Const { bits, .. } => Some(Form::constant(ty.value_of(bits))),
            Expr::Var { var, .. } => self.value(values, Key::Var(var)),
            // No walk writes an array.
            Expr::Elem { array, index, .. } => {
                let index_ty = exprs.ty(index);
                let index = index_ty.bits_of(known[&index].as_constant()?);
                let value = self.view.elem(array, whole_index(index_ty, index))?;
                Some(Form::constant(value.as_int()))
            }
            Expr::Unary { op, arg } => {
                let arg = known[&arg];
                match op {
                    UnaryOp::Neg => self.arithmetic(arg.scale(-1)?, ty),
                    // All bits: -x - 1, or the greatest value minus x.
                    UnaryOp::Not if ty.is_signed() => arg.scale(-1)?.plus(-1),
                    UnaryOp::Not => arg.scale(-1)?.plus(ty.range()?.1),
                }
            }
            Expr::Binary { op, lhs, rhs } => {
                let types = (exprs.ty(lhs), exprs.ty(rhs));
                if !is_supported(types.0) || !is_supported(types.1) {
                    return None;
                }
                self.binary(op, types, &known[&lhs], &known[&rhs])
            }
            Expr::Cast { arg, .. } => {
                if is_supported(exprs.ty(arg)) {
                    self.reduced(known[&arg], ty)
                } else {
                    None
                }
            }
            Expr::Ite { cond, then, other } => {
                let chosen = if known[&cond].as_constant()? == 0 { other } else { then };
                Some(known[&chosen])
            }
            Expr::Load { addr, ty } => self.load(&known[&addr], ty, values),
            Expr::LoadBits { .. }
            | Expr::Address { .. }
            | Expr::Function { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Undefined { .. } => None,
            Expr::Bounded { index, low, bound } => {
                let value = known[&index].as_constant()?;
                (i128::from(low)..i128::from(bound)).contains(&value).then_some(known[&index])
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, types: (Ty, Ty), lhs: &Form, rhs: &Form) -> Option<Form> {
        let ty = types.0;
        if let (Some(a), Some(b)) = (lhs.as_constant(), rhs.as_constant()) {
            return self.constants(op, types, a, b);
        }
        match op {
            BinaryOp::Add => self.arithmetic(lhs.add(rhs)?, ty),
            BinaryOp::Sub => self.arithmetic(lhs.sub(rhs)?, ty),
            BinaryOp::Mul => {
                let product = match (lhs.as_constant(), rhs.as_constant()) {
                    (Some(factor), _) => rhs.scale(factor)?,
                    (_, Some(factor)) => lhs.scale(factor)?,
                    _ => return None,
                };
                self.arithmetic(product, ty)
            }
            BinaryOp::Lt => self.is_low(lhs.sub(rhs)?.plus(1)?),
            BinaryOp::Le => self.is_low(lhs.sub(rhs)?),
            BinaryOp::Eq | BinaryOp::Ne => {
                let equal = self.is_zero(&lhs.sub(rhs)?)?;
                Some(Form::constant(i128::from(equal == (op == BinaryOp::Eq))))
            }
            BinaryOp::Div | BinaryOp::Rem => self.divide(op, lhs, rhs.as_constant()?),
            BinaryOp::And => mask(lhs, rhs),
            BinaryOp::Shr => {
                let divisor = self.power(ty, rhs.as_constant()?)?;
                lhs.steps_by(divisor).then(|| lhs.floor_by(divisor))
            }
            BinaryOp::Shl => {
                let factor = self.power(ty, rhs.as_constant()?)?;
                let form = lhs.scale(factor)?;
                let checked = ty.is_signed() && self.program().signed_overflow == SignedOverflow::Error;
                if checked && form.excess(ty)? != 0 {
                    return None;
                }
                self.reduced(form, ty)
            }
            BinaryOp::Or | BinaryOp::Xor | BinaryOp::PtrAdd | BinaryOp::PtrSub => None,
        }
    }

    /// The machine's own definition, where nothing changes.
    fn constants(&self, op: BinaryOp, types: (Ty, Ty), a: i128, b: i128) -> Option<Form> {
        let program = self.program();
        let rules = Rules { model: program.data_model, overflow: program.signed_overflow };
        let bits = ops::binary(rules, op, types, types.0.bits_of(a), types.1.bits_of(b)).ok()?;
        let ty = if op.is_comparison() { Ty::BOOL } else { types.0 };
        Some(Form::constant(ty.value_of(bits)))
    }

    /// The result of arithmetic. A signed one that leaves the range of its type is undefined, unless overflow wraps.
    fn arithmetic(&mut self, form: Form, ty: Ty) -> Option<Form> {
        let wraps = !ty.is_signed() || self.program().signed_overflow == SignedOverflow::Wrap;
        if wraps || form.excess(ty)? == 0 { self.reduced(form, ty) } else { None }
    }

    /// A value reduced to the range of its type: what leaves it in the first round must do so by as much in all rounds.
    fn reduced(&mut self, form: Form, ty: Ty) -> Option<Form> {
        let excess = form.excess(ty)?;
        let form = form.plus(excess.checked_neg()?)?;
        if form.as_constant().is_none() {
            let (least, greatest) = ty.range()?;
            self.demand(form.plus(least.checked_neg()?)?);
            self.demand(form.scale(-1)?.plus(greatest)?);
        }
        Some(form)
    }

    /// The truth value of a form being at most zero.
    fn is_low(&mut self, form: Form) -> Option<Form> {
        let is_low = form.base <= 0;
        self.demand(if is_low { form.scale(-1)? } else { form.plus(-1)? });
        Some(Form::constant(i128::from(is_low)))
    }

    fn is_zero(&mut self, form: &Form) -> Option<bool> {
        match form.base {
            0 => {
                self.demand(*form);
                self.demand(form.scale(-1)?);
            }
            1.. => self.demand(form.plus(-1)?),
            _ => self.demand(form.scale(-1)?.plus(-1)?),
        }
        Some(form.base == 0)
    }

    /// Division by a constant of a form that moves by multiples of it and keeps its sign.
    fn divide(&mut self, op: BinaryOp, lhs: &Form, divisor: i128) -> Option<Form> {
        if divisor <= 0 || !lhs.steps_by(divisor) {
            return None;
        }
        let is_negative = lhs.base < 0;
        let size = if is_negative { lhs.scale(-1)? } else { *lhs };
        self.demand(size);
        let result = match op {
            BinaryOp::Div => size.floor_by(divisor),
            _ => Form::constant(size.base % divisor),
        };
        if is_negative { result.scale(-1) } else { Some(result) }
    }

    fn power(&self, ty: Ty, exponent: i128) -> Option<i128> {
        let width = i128::from(ty.width(self.program().data_model));
        (0..width).contains(&exponent).then(|| 1 << exponent)
    }

    /// Asks that a form be not negative in any round.
    fn demand(&mut self, form: Form) {
        if form.as_constant().is_none() {
            self.demands.push(form);
        }
    }
}

/// The low bits of a form that moves by multiples of the next power of two.
fn mask(lhs: &Form, rhs: &Form) -> Option<Form> {
    let (form, mask) = match (lhs.as_constant(), rhs.as_constant()) {
        (Some(mask), _) => (rhs, mask),
        (_, Some(mask)) => (lhs, mask),
        _ => return None,
    };
    let next = mask.checked_add(1)?;
    (mask >= 0 && next & mask == 0 && form.steps_by(next)).then(|| Form::constant(form.base & mask))
}
