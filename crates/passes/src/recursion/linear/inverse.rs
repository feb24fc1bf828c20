//! Arguments turned around: which value of a parameter makes an argument what it is.
//!
//! # Invariants
//! * V1: for an argument `e(x)` and a value v of its type there is at most one x with `e(x) = v`, and the inverse has it as its value. If there is none, because
//!   `e` overflows where that is undefined, the inverse is undefined.

use cfa::{BinaryOp, Expr, ExprId, Exprs, Ty, UnaryOp, VarId};

/// The value of `param` for which an argument has the value of another variable; nothing if the argument is of another form.
pub(super) fn inverse(exprs: &mut Exprs, argument: ExprId, param: VarId, value: VarId) -> Option<ExprId> {
    let mut value = exprs.var(value, exprs.ty(argument));
    let mut at = argument;
    // From the outside in; the depth of an argument that is turned around is its length.
    loop {
        let is_constant = |id: ExprId| matches!(exprs.get(id), Expr::Const { .. });
        match *exprs.get(at) {
            Expr::Var { var, .. } => return (var == param).then_some(value),
            Expr::Binary { op: BinaryOp::Add, lhs, rhs } if is_constant(rhs) => {
                value = exprs.binary(BinaryOp::Sub, value, rhs);
                at = lhs;
            }
            Expr::Binary { op: BinaryOp::Add, lhs, rhs } if is_constant(lhs) => {
                value = exprs.binary(BinaryOp::Sub, value, lhs);
                at = rhs;
            }
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs } if is_constant(rhs) => {
                value = exprs.binary(BinaryOp::Add, value, rhs);
                at = lhs;
            }
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs } if is_constant(lhs) => {
                value = exprs.binary(BinaryOp::Sub, lhs, value);
                at = rhs;
            }
            Expr::Unary { op: UnaryOp::Neg, arg } => {
                value = exprs.unary(UnaryOp::Neg, value);
                at = arg;
            }
            Expr::Cast { ty: Ty::Int { width, .. }, arg } => match exprs.ty(arg) {
                from @ Ty::Int { width: other, .. } if other == width => {
                    value = exprs.cast(from, value);
                    at = arg;
                }
                _ => return None,
            },
            _ => return None,
        }
        if !matches!(exprs.ty(at), Ty::Int { .. }) {
            return None;
        }
    }
}
