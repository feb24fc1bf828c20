//! Intervals of expressions over few variables, known only where they hold for every value and evaluation is defined for all values or for none.
//!
//! Unlike [`crate::state`], which over-approximates the values of the executions that go on, this says what *all* values of some variables lead to: whoever lets one value
//! stand for an interval relies on it.
//!
//! # Invariants
//! * T1: an interval is known only for types whose values an `i128` holds, and only if the expression is defined for all values of the variables. Arithmetic on
//!   the bounds that leaves `i128` makes an interval unknown.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{BinaryOp, Expr, ExprId, Program, Ty, UnaryOp, VarId};

/// Variables whose values are not known one by one, with the interval of their values where that is known.
pub type Intervals = BTreeMap<VarId, Option<(i128, i128)>>;

/// The interval of the values of an expression, if it can be told from what is known (T1).
pub fn interval(program: &Program, expr: ExprId, values: &Intervals) -> Option<(i128, i128)> {
    let exprs = &program.exprs;
    exprs.ty(expr).range()?;
    match *exprs.get(expr) {
        Expr::Const { ty: ty @ Ty::Int { .. }, bits } => {
            let value = ty.value_of(bits);
            Some((value, value))
        }
        Expr::Var { var, ty: Ty::Int { .. } } => values.get(&var).copied().flatten(),
        Expr::Cast { arg, ty: ty @ Ty::Int { .. } } if exprs.ty(arg).is_int() => {
            let (low, high) = interval(program, arg, values)?;
            let (first, last) = (ty.value_of(ty.bits_of(low)), ty.value_of(ty.bits_of(high)));
            // The whole interval is moved by the same multiple of 2^n, or is not looked at.
            (last.checked_sub(first)? == high.checked_sub(low)?).then_some((first, last))
        }
        Expr::Unary { op: UnaryOp::Not, arg } if exprs.ty(arg) == Ty::BOOL => {
            let (low, high) = interval(program, arg, values)?;
            Some((1_i128.checked_sub(high)?, 1_i128.checked_sub(low)?))
        }
        Expr::Binary { op, lhs, rhs } if exprs.ty(lhs).is_int() => {
            let (left, right) = (interval(program, lhs, values), interval(program, rhs, values));
            // Both operands are evaluated, even if one decides.
            for (operand, value) in [(lhs, left), (rhs, right)] {
                if value.is_none() && !is_equally_defined(program, operand, values) {
                    return None;
                }
            }
            combine(op, exprs.ty(lhs), left, right)
        }
        Expr::Ite { cond, then, other } if exprs.ty(then).is_int() => {
            match interval(program, cond, values)? {
                (1, 1) => interval(program, then, values),
                (0, 0) => interval(program, other, values),
                _ => {
                    let (then, other) = (interval(program, then, values)?, interval(program, other, values)?);
                    Some((then.0.min(other.0), then.1.max(other.1)))
                }
            }
        }
        _ => None,
    }
}

/// Whether an expression reads one of the variables.
pub fn mentions(program: &Program, expr: ExprId, values: &Intervals) -> bool {
    any_below(program, expr, &mut |node| matches!(node, Expr::Var { var, .. } if values.contains_key(var)))
}

/// Whether an expression or one below it is wanted.
pub fn any_below(program: &Program, expr: ExprId, wanted: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let (mut stack, mut seen) = (vec![expr], BTreeSet::new());
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let node = program.exprs.get(id);
            if wanted(node) {
                return true;
            }
            stack.extend(node.operands());
        }
    }
    false
}

/// Whether an expression is defined for all values of the variables, or for none.
fn is_equally_defined(program: &Program, expr: ExprId, values: &Intervals) -> bool {
    let exprs = &program.exprs;
    let mut may_fail = |node: &Expr| match *node {
        Expr::Const { .. } | Expr::Var { .. } | Expr::Ite { .. } => false,
        Expr::Cast { ty, arg } => !(ty.is_int() && exprs.ty(arg).is_int()),
        Expr::Unary { op, arg } => op != UnaryOp::Not && !is_unsigned(exprs.ty(arg)),
        Expr::Binary { op, lhs, .. } => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => !is_unsigned(exprs.ty(lhs)),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => !exprs.ty(lhs).is_int(),
            _ => true,
        },
        _ => true,
    };
    !mentions(program, expr, values) || !any_below(program, expr, &mut may_fail)
}

fn is_unsigned(ty: Ty) -> bool {
    ty.is_int() && !ty.is_signed()
}

/// The interval of an operation on integers.
fn combine(
    op: BinaryOp,
    ty: Ty,
    left: Option<(i128, i128)>,
    right: Option<(i128, i128)>,
) -> Option<(i128, i128)> {
    let truth = |value: bool| Some((i128::from(value), i128::from(value)));
    let open = Some((0, 1));
    if ty == Ty::BOOL {
        // One operand may decide.
        match (op, left, right) {
            (BinaryOp::And, Some((0, 0)), _) | (BinaryOp::And, _, Some((0, 0))) => return truth(false),
            (BinaryOp::Or, Some((1, 1)), _) | (BinaryOp::Or, _, Some((1, 1))) => return truth(true),
            _ => {}
        }
    }
    let (left, right) = (left?, right?);
    let within = |low: i128, high: i128| {
        let (least, most) = ty.range()?;
        (least <= low && high <= most).then_some((low, high))
    };
    match op {
        BinaryOp::Lt if left.1 < right.0 => truth(true),
        BinaryOp::Lt if left.0 >= right.1 => truth(false),
        BinaryOp::Le if left.1 <= right.0 => truth(true),
        BinaryOp::Le if left.0 > right.1 => truth(false),
        BinaryOp::Eq | BinaryOp::Ne if left.1 < right.0 || left.0 > right.1 => truth(op == BinaryOp::Ne),
        BinaryOp::Eq | BinaryOp::Ne if left.0 == left.1 && left == right => truth(op == BinaryOp::Eq),
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Eq | BinaryOp::Ne => open,
        BinaryOp::Add => within(left.0.checked_add(right.0)?, left.1.checked_add(right.1)?),
        BinaryOp::Sub => within(left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?),
        BinaryOp::And if ty == Ty::BOOL => Some((left.0 & right.0, left.1 & right.1)),
        BinaryOp::Or if ty == Ty::BOOL => Some((left.0 | right.0, left.1 | right.1)),
        _ => None,
    }
}
