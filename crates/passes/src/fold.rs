//! Simplification of single expression nodes.
//!
//! # Rule
//! The result has the same value as the node in every state, and is undefined in the same states. Constants
//! are computed by the interpreter's own evaluator; an operation that is undefined for its constant operands
//! is left as it is.

use cfa::{BinaryOp, Expr, ExprId, Program, Ty, UnaryOp};
use interp::eval;

/// Adds a node whose operands are simplified already.
pub(crate) fn simplified(program: &mut Program, expr: Expr) -> ExprId {
    if let Some(known) = rewrite(program, &expr) {
        return known;
    }
    let id = program.exprs.add(expr);
    let constant = |operand: ExprId| matches!(program.exprs.get(operand), Expr::Const { .. });
    // A number that becomes a pointer may mean an object: that is for memory to decide.
    let makes_pointer = matches!(expr, Expr::Cast { ty: Ty::Ptr, .. });
    let mut operands = expr.operands().peekable();
    if operands.peek().is_none() || makes_pointer || !operands.all(constant) {
        return id;
    }
    match eval(program, id, &|_| None) {
        Ok(value) => program.exprs.add(Expr::Const { ty: value.ty, bits: value.bits }),
        Err(_) => id,
    }
}

fn rewrite(program: &mut Program, expr: &Expr) -> Option<ExprId> {
    let exprs = &mut program.exprs;
    let bits = |id: ExprId| match *exprs.get(id) {
        Expr::Const { bits, .. } => Some(bits),
        _ => None,
    };
    match *expr {
        Expr::Ite { cond, then, other } => match bits(cond) {
            Some(0) => Some(other),
            Some(_) => Some(then),
            None => None,
        },
        Expr::Cast { ty, arg } if exprs.ty(arg) == ty => Some(arg),
        Expr::Bounded { index, low, bound } => match *exprs.get(index) {
            Expr::Const { ty, bits } if (i128::from(low)..i128::from(bound)).contains(&ty.value_of(bits)) => {
                Some(index)
            }
            _ => None,
        },
        Expr::Cast { ty: Ty::Ptr, arg } if bits(arg) == Some(0) => Some(exprs.int(Ty::Ptr, 0)),
        Expr::Unary { op: UnaryOp::Not, arg } => match *exprs.get(arg) {
            Expr::Unary { op: UnaryOp::Not, arg: inner } => Some(inner),
            _ => None,
        },
        Expr::Binary { op, lhs, rhs } => {
            let (left, right) = (bits(lhs), bits(rhs));
            match op {
                _ if exprs.ty(lhs).is_float() => None,
                BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if left == Some(0) => Some(rhs),
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr
                | BinaryOp::PtrAdd
                    if right == Some(0) =>
                {
                    Some(lhs)
                }
                BinaryOp::PtrAdd => joined_offsets(program, lhs, rhs),
                // One bit of type `i1` stands for -1.
                BinaryOp::Mul | BinaryOp::Div if right == Some(1) && exprs.ty(rhs) != Ty::signed(1) => {
                    Some(lhs)
                }
                BinaryOp::Mul if left == Some(1) && exprs.ty(lhs) != Ty::signed(1) => Some(rhs),
                BinaryOp::And if exprs.ty(lhs) == Ty::BOOL && left == Some(1) => Some(rhs),
                BinaryOp::And if exprs.ty(lhs) == Ty::BOOL && right == Some(1) => Some(lhs),
                BinaryOp::Eq | BinaryOp::Ne => equality(program, op, lhs, rhs),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `(p + a) + b` is `p + (a + b)`: addresses wrap.
fn joined_offsets(program: &mut Program, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
    let exprs = &mut program.exprs;
    let Expr::Binary { op: BinaryOp::PtrAdd, lhs: base, rhs: first } = *exprs.get(lhs) else { return None };
    let (Expr::Const { ty, bits: first }, Expr::Const { bits: second, .. }) =
        (*exprs.get(first), *exprs.get(rhs))
    else {
        return None;
    };
    let sum = exprs.int(ty, (first as i128).wrapping_add(second as i128));
    Some(exprs.binary(BinaryOp::PtrAdd, base, sum))
}

/// Comparisons of truth values that were converted to numbers, and of addresses.
fn equality(program: &mut Program, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Option<ExprId> {
    let vars = &program.vars;
    let exprs = &mut program.exprs;
    let (left, right) = (*exprs.get(lhs), *exprs.get(rhs));
    let fixed = |expr: &Expr| match expr {
        Expr::Function { .. } => true,
        // A local object has no address before its lifetime.
        Expr::Address { var } => vars[*var].owner.is_none(),
        _ => false,
    };
    let null = |expr: &Expr| matches!(expr, Expr::Const { ty: Ty::Ptr, bits: 0 });
    let equal = match (&left, &right) {
        (Expr::Function { proc: a }, Expr::Function { proc: b }) => Some(a == b),
        (Expr::Address { var: a }, Expr::Address { var: b }) if a == b && fixed(&left) => Some(true),
        (object, other) | (other, object) if fixed(object) && null(other) => Some(false),
        _ => None,
    };
    if let Some(equal) = equal {
        return Some(exprs.bool(equal == (op == BinaryOp::Eq)));
    }
    // An address as a number is zero for null alone.
    if let (Expr::Cast { ty, arg }, Expr::Const { bits: 0, .. })
    | (Expr::Const { bits: 0, .. }, Expr::Cast { ty, arg }) = (left, right)
        && exprs.ty(arg) == Ty::Ptr
        && matches!(ty, Ty::Int { width, .. } if width >= exprs.pointer_width())
    {
        let null = exprs.int(Ty::Ptr, 0);
        return Some(exprs.binary(op, arg, null));
    }
    let (cast, constant) = match (left, right) {
        (Expr::Cast { ty, arg }, Expr::Const { bits, .. })
        | (Expr::Const { bits, .. }, Expr::Cast { ty, arg }) => ((ty, arg), bits),
        _ => return None,
    };
    let (ty, arg) = cast;
    let wide = matches!(ty, Ty::Int { width, .. } if width > 1);
    if !wide || exprs.ty(arg) != Ty::BOOL {
        return None;
    }
    match constant {
        0 | 1 => {
            let same = (constant == 1) == (op == BinaryOp::Eq);
            Some(if same { arg } else { exprs.not(arg) })
        }
        // The number is 0 or 1; the truth value that it comes from must still be defined.
        _ => None,
    }
}
