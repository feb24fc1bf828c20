//! The values of expressions over small integers.

use cfa::{BinaryOp, Expr, ExprId, Program, SignedOverflow, Ty, UnaryOp};

use super::State;
use super::layout::{Layout, address};

/// The value of an expression; nothing if it is undefined. Expressions of tests are small, so this recurses.
pub(super) fn evaluate(program: &Program, layout: &Layout, state: &State, root: ExprId) -> Option<i64> {
    let value = |expr| evaluate(program, layout, state, expr);
    match *program.exprs.get(root) {
        Expr::Const { ty: ty @ Ty::Int { .. }, bits } => Some(ty.value_of(bits) as i64),
        Expr::Const { bits, .. } => Some(bits as i64),
        Expr::Var { var, .. } => Some(state[layout.slot(var)]),
        Expr::Elem { array, index, .. } => {
            let (slot, count, _) = layout.place(program, array);
            let index = usize::try_from(value(index)?).ok().filter(|index| *index < count)?;
            Some(state[slot + index])
        }
        Expr::Function { proc } => Some(address(proc)),
        Expr::Unary { op: UnaryOp::Neg, arg } => {
            result(program, program.exprs.ty(arg), -i128::from(value(arg)?))
        }
        Expr::Unary { op: UnaryOp::Not, arg } => {
            let ty = program.exprs.ty(arg);
            Some(wrapped(ty, !i128::from(value(arg)?)))
        }
        Expr::Binary { op, lhs, rhs } => {
            let (left, right) = (i128::from(value(lhs)?), i128::from(value(rhs)?));
            binary(program, program.exprs.ty(lhs), op, left, right)
        }
        Expr::Cast { ty, arg } => Some(wrapped(ty, i128::from(value(arg)?))),
        Expr::Ite { cond, then, other } => value(if value(cond)? == 1 { then } else { other }),
        ref other => panic!("{other:?} is not explored"),
    }
}

fn wrapped(ty: Ty, value: i128) -> i64 {
    ty.value_of(ty.bits_of(value)) as i64
}

/// A result that may not fit.
fn result(program: &Program, ty: Ty, value: i128) -> Option<i64> {
    let fits = ty.range().is_some_and(|(low, high)| low <= value && value <= high);
    let may_wrap = !ty.is_signed() || program.signed_overflow == SignedOverflow::Wrap;
    (fits || may_wrap).then(|| wrapped(ty, value))
}

fn binary(program: &Program, ty: Ty, op: BinaryOp, left: i128, right: i128) -> Option<i64> {
    let truth = |holds: bool| Some(i64::from(holds));
    match op {
        BinaryOp::Add => result(program, ty, left + right),
        BinaryOp::Sub => result(program, ty, left - right),
        BinaryOp::Mul => result(program, ty, left * right),
        // A quotient that does not fit is undefined, also where overflow wraps around, and so is its remainder.
        BinaryOp::Div | BinaryOp::Rem => {
            let quotient = left.checked_div(right)?;
            let fits = ty.range().is_some_and(|(low, high)| low <= quotient && quotient <= high);
            let value = if op == BinaryOp::Div { quotient } else { left.checked_rem(right)? };
            fits.then(|| wrapped(ty, value))
        }
        BinaryOp::And => Some(wrapped(ty, left & right)),
        BinaryOp::Or => Some(wrapped(ty, left | right)),
        BinaryOp::Xor => Some(wrapped(ty, left ^ right)),
        BinaryOp::Eq => truth(left == right),
        BinaryOp::Ne => truth(left != right),
        BinaryOp::Lt => truth(left < right),
        BinaryOp::Le => truth(left <= right),
        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::PtrAdd | BinaryOp::PtrSub => {
            panic!("{op:?} is not explored")
        }
    }
}
