//! Making expressions of the program, with the simplifications that are exact and trivial: conversions of constants
//! and of truth values, comparisons of truth values with constants, sums of constant offsets.

use cfa::{BinaryOp, Expr, ExprId, Exprs, Ty, UnaryOp};

/// The value of an integer or address constant.
pub(super) fn constant(exprs: &Exprs, id: ExprId) -> Option<i128> {
    match *exprs.get(id) {
        Expr::Const { ty, bits } if !ty.is_float() => Some(ty.value_of(bits)),
        _ => None,
    }
}

/// A number that an unsigned expression does not exceed, if its form tells one below the limit of its type.
pub(super) fn greatest(exprs: &Exprs, id: ExprId) -> Option<i128> {
    let whole = |ty: Ty| ty.range().map(|(_, most)| most);
    let unsigned = |id: ExprId| matches!(exprs.ty(id), Ty::Int { signed: false, .. });
    let (mut factor, mut at) = (1_i128, id);
    loop {
        match *exprs.get(at) {
            Expr::Const { .. } => return constant(exprs, at).and_then(|value| value.checked_mul(factor)),
            Expr::Cast { arg, .. }
                if unsigned(at) && unsigned(arg) && whole(exprs.ty(arg)) <= whole(exprs.ty(at)) =>
            {
                at = arg;
            }
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs } if unsigned(at) => {
                let (other, by) = match (constant(exprs, lhs), constant(exprs, rhs)) {
                    (_, Some(by)) => (lhs, by),
                    (Some(by), _) => (rhs, by),
                    (None, None) => break,
                };
                // The product must not wrap around.
                let least = greatest_of_type(exprs, other)?.checked_mul(by)?;
                if least > whole(exprs.ty(at))? {
                    break;
                }
                (factor, at) = (factor.checked_mul(by)?, other);
            }
            _ => break,
        }
    }
    greatest_of_type(exprs, at).and_then(|most| most.checked_mul(factor))
}

/// The greatest value of an unsigned expression by its type, or by that of what it is converted from.
fn greatest_of_type(exprs: &Exprs, id: ExprId) -> Option<i128> {
    let mut at = id;
    while let Expr::Cast { arg, .. } = *exprs.get(at)
        && matches!(exprs.ty(arg), Ty::Int { signed: false, .. })
        && exprs.ty(arg).range() <= exprs.ty(at).range()
    {
        at = arg;
    }
    match exprs.ty(at) {
        ty @ Ty::Int { signed: false, .. } => ty.range().map(|(_, most)| most),
        _ => None,
    }
}

/// An address constant.
pub(super) fn address(exprs: &mut Exprs, value: i128) -> ExprId {
    let bits = Ty::unsigned(exprs.pointer_width()).bits_of(value);
    exprs.add(Expr::Const { ty: Ty::Ptr, bits })
}

/// The zero of a type: 0, positive zero, the null pointer.
pub(super) fn zero(exprs: &mut Exprs, ty: Ty) -> ExprId {
    exprs.add(Expr::Const { ty, bits: 0 })
}

/// Whether every value of `inner` is one of `outer`, too.
fn contains(outer: Ty, inner: Ty) -> bool {
    match (outer, inner) {
        (Ty::Int { width: outer, signed: true }, Ty::Int { width: inner, signed: false }) => outer > inner,
        (Ty::Int { signed: false, .. }, Ty::Int { signed: true, .. }) => false,
        (Ty::Int { width: outer, .. }, Ty::Int { width: inner, .. }) => outer >= inner,
        _ => false,
    }
}

/// Bounds of an integer expression by its type, or by the type that it was widened from.
pub(super) fn range(exprs: &Exprs, id: ExprId) -> Option<(i128, i128)> {
    match *exprs.get(id) {
        Expr::Cast { ty, arg } if contains(ty, exprs.ty(arg)) => exprs.ty(arg).range(),
        _ => exprs.ty(id).range(),
    }
}

/// Conversion between scalar types, [`Ty::BOOL`] meaning one bit, not a truth value.
pub(super) fn cast(exprs: &mut Exprs, ty: Ty, arg: ExprId) -> ExprId {
    let from = exprs.ty(arg);
    if from == ty {
        return arg;
    }
    if let Some(value) = constant(exprs, arg) {
        if ty.is_int() {
            return exprs.int(ty, value);
        }
        if ty == Ty::Ptr {
            return address(exprs, value);
        }
    }
    if let Expr::Cast { arg: inner, .. } = *exprs.get(arg) {
        let origin = exprs.ty(inner);
        // The first conversion kept the value, so the second might as well be applied at once.
        if contains(from, origin) && (ty.is_int() || ty.is_float()) {
            return cast(exprs, ty, inner);
        }
    }
    exprs.cast(ty, arg)
}

/// Whether a scalar is not zero.
pub(super) fn truth(exprs: &mut Exprs, value: ExprId) -> ExprId {
    let ty = exprs.ty(value);
    if ty == Ty::BOOL {
        return value;
    }
    if let Some(value) = constant(exprs, value) {
        return exprs.bool(value != 0);
    }
    match *exprs.get(value) {
        Expr::Cast { arg, .. } if ty.is_int() && contains(ty, exprs.ty(arg)) => return truth(exprs, arg),
        Expr::Address { .. } | Expr::Function { .. } => return exprs.bool(true),
        _ => {}
    }
    let zero = zero(exprs, ty);
    exprs.binary(BinaryOp::Ne, value, zero)
}

/// The truth value behind an integer that is a converted truth value.
fn converted_truth(exprs: &Exprs, id: ExprId) -> Option<ExprId> {
    match *exprs.get(id) {
        Expr::Cast { arg, ty } if exprs.ty(arg) == Ty::BOOL && contains(ty, Ty::BOOL) => Some(arg),
        _ if exprs.ty(id) == Ty::BOOL => Some(id),
        _ => None,
    }
}

/// A comparison: `==`, `!=`, `<` or `<=`.
pub(super) fn compare(exprs: &mut Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
    if let (Some(left), Some(right)) = (constant(exprs, lhs), constant(exprs, rhs)) {
        // 128 unsigned bits do not fit the constants compared here.
        if exprs.ty(lhs) != Ty::unsigned(128) && exprs.ty(lhs).is_int() {
            let holds = match op {
                BinaryOp::Eq => left == right,
                BinaryOp::Ne => left != right,
                BinaryOp::Lt => left < right,
                _ => left <= right,
            };
            return exprs.bool(holds);
        }
    }
    if let (Some(truth), Some(value)) = (converted_truth(exprs, lhs), constant(exprs, rhs)) {
        match (op, value) {
            (BinaryOp::Eq, 0) | (BinaryOp::Ne, 1) => return exprs.not(truth),
            (BinaryOp::Eq, 1) | (BinaryOp::Ne, 0) => return truth,
            _ => {}
        }
    }
    exprs.binary(op, lhs, rhs)
}

/// The negation of a truth value; comparisons of integers are turned round.
pub(super) fn not(exprs: &mut Exprs, arg: ExprId) -> ExprId {
    if let Some(value) = constant(exprs, arg) {
        return exprs.bool(value == 0);
    }
    if let Expr::Binary { op, lhs, rhs } = *exprs.get(arg) {
        let ordered = !exprs.ty(lhs).is_float();
        match op {
            BinaryOp::Eq => return exprs.binary(BinaryOp::Ne, lhs, rhs),
            BinaryOp::Ne => return exprs.binary(BinaryOp::Eq, lhs, rhs),
            BinaryOp::Lt if ordered => return exprs.binary(BinaryOp::Le, rhs, lhs),
            BinaryOp::Le if ordered => return exprs.binary(BinaryOp::Lt, rhs, lhs),
            _ => {}
        }
    }
    exprs.unary(UnaryOp::Not, arg)
}

/// Conjunction of truth values.
pub(super) fn and(exprs: &mut Exprs, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (constant(exprs, lhs), constant(exprs, rhs)) {
        (Some(0), _) | (_, Some(1)) => lhs,
        (Some(_), _) | (_, Some(_)) => rhs,
        (None, None) => exprs.binary(BinaryOp::And, lhs, rhs),
    }
}

/// Disjunction of truth values.
pub(super) fn or(exprs: &mut Exprs, lhs: ExprId, rhs: ExprId) -> ExprId {
    match (constant(exprs, lhs), constant(exprs, rhs)) {
        (Some(0), _) => rhs,
        (_, Some(0)) => lhs,
        (Some(_), _) => lhs,
        (_, Some(_)) => rhs,
        (None, None) => exprs.binary(BinaryOp::Or, lhs, rhs),
    }
}

/// A choice; none if the condition is constant.
pub(super) fn ite(exprs: &mut Exprs, cond: ExprId, then: ExprId, other: ExprId) -> ExprId {
    match constant(exprs, cond) {
        Some(0) => other,
        Some(_) => then,
        None if then == other => then,
        None => exprs.add(Expr::Ite { cond, then, other }),
    }
}

/// A pointer moved by `offset` bytes, an integer of any type.
pub(super) fn offset(exprs: &mut Exprs, pointer: ExprId, offset: ExprId) -> ExprId {
    let word = Ty::signed(exprs.pointer_width());
    let amount = cast(exprs, word, offset);
    let Some(value) = constant(exprs, amount) else {
        return exprs.binary(BinaryOp::PtrAdd, pointer, amount);
    };
    if value == 0 {
        return pointer;
    }
    match *exprs.get(pointer) {
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } => {
            if let Some(first) = constant(exprs, rhs) {
                let sum = exprs.int(word, first + value);
                return self::offset(exprs, lhs, sum);
            }
        }
        Expr::Const { ty: Ty::Ptr, bits } => return address(exprs, bits as i128 + value),
        _ => {}
    }
    exprs.binary(BinaryOp::PtrAdd, pointer, amount)
}

/// `index * size` bytes as a signed integer of pointer width.
pub(super) fn scale(exprs: &mut Exprs, index: ExprId, size: u64) -> ExprId {
    let word = Ty::signed(exprs.pointer_width());
    let index = cast(exprs, word, index);
    match constant(exprs, index) {
        Some(value) => exprs.int(word, value.wrapping_mul(i128::from(size))),
        None if size == 1 => index,
        None => {
            let size = exprs.int(word, i128::from(size));
            exprs.binary(BinaryOp::Mul, index, size)
        }
    }
}
