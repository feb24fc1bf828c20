//! The values that an integer expression may have, as far as its own text tells.
//!
//! # Invariants
//! * G1: if the expression has a value, it is in the range: where a result may wrap, the range is that of the type.

use cfa::{BinaryOp, Expr, ExprId, Exprs};

/// Deeper operands may have any value of their type.
const DEPTH: u32 = 16;

/// The least and the greatest value; nothing for what is no integer.
pub(super) fn range(exprs: &Exprs, id: ExprId) -> Option<(i128, i128)> {
    within(exprs, id, DEPTH)
}

fn within(exprs: &Exprs, id: ExprId, depth: u32) -> Option<(i128, i128)> {
    let ty = exprs.ty(id);
    if !ty.is_int() {
        return None;
    }
    let all = ty.range();
    if depth == 0 {
        return all;
    }
    let of = |id: ExprId| within(exprs, id, depth - 1);
    let found = match *exprs.get(id) {
        Expr::Const { ty, bits } => {
            let value = ty.value_of(bits);
            Some((value, value))
        }
        Expr::Cast { arg, .. } => of(arg),
        Expr::Ite { then, other, .. } => match (of(then), of(other)) {
            (Some(then), Some(other)) => Some((then.0.min(other.0), then.1.max(other.1))),
            _ => None,
        },
        Expr::Binary { op, lhs, rhs } => match (of(lhs), of(rhs)) {
            (Some(lhs), Some(rhs)) => binary(op, lhs, rhs),
            _ => None,
        },
        _ => None,
    };
    match (found, all) {
        // What does not fit wraps.
        (Some((least, most)), Some((lowest, highest))) if lowest <= least && most <= highest => found,
        _ => all,
    }
}

fn binary(op: BinaryOp, (a, b): (i128, i128), (c, d): (i128, i128)) -> Option<(i128, i128)> {
    match op {
        BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul => {
            let products = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*products.iter().min()?, *products.iter().max()?))
        }
        // A factor or mask that is not negative bounds the result.
        BinaryOp::And if c >= 0 => Some((0, d)),
        BinaryOp::And if a >= 0 => Some((0, b)),
        BinaryOp::Rem if c > 0 => Some((if a >= 0 { 0 } else { 1 - d }, d - 1)),
        BinaryOp::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinaryOp::Shr if a >= 0 && (0..127).contains(&c) && (0..127).contains(&d) => Some((a >> d, b >> c)),
        _ => None,
    }
}
