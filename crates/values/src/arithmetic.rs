//! Operations on values of which a range and a congruence is known.
//!
//! # Invariants
//! * Every rule rounds up: what an operation may give for members of its operands is a member of the result, or the result is unknown.

use cfa::{BinaryOp, Program, SignedOverflow, Ty, UnaryOp};

use crate::state::{Abstract, MAX_WIDTH, type_range};
use crate::value::Value;

pub(crate) fn at_most(value: Value, high: i128) -> Option<Value> {
    value.meet(Value::range(value.low(), high)?)
}

pub(crate) fn at_least(value: Value, low: i128) -> Option<Value> {
    value.meet(Value::range(low, value.high())?)
}

/// `value` without the only member of `other`, if that is at an end.
pub(crate) fn without(value: Value, other: Value) -> Option<Value> {
    match other.as_constant() {
        Some(hole) if value.as_constant() == Some(hole) => None,
        Some(hole) if hole == value.low() => at_least(value, hole + 1),
        Some(hole) if hole == value.high() => at_most(value, hole - 1),
        Some(_) | None => Some(value),
    }
}

pub(crate) fn unary(op: UnaryOp, value: Value, ty: Ty) -> Option<Value> {
    match op {
        UnaryOp::Neg => value.negate(),
        // Without sign the complement is max - x, with sign it is -1 - x.
        UnaryOp::Not => {
            Value::constant(if ty.is_signed() { -1 } else { ty.range()?.1 }).plus(value.negate()?)
        }
    }
}

pub(crate) fn cast(value: Value, ty: Ty) -> Option<Value> {
    match ty {
        Ty::Int { width, .. } if width <= MAX_WIDTH => Some(value.wrapped(ty.range()?.0, u32::from(width))),
        Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => None,
    }
}

/// The exact result brought into the type: `None` if it never fits.
pub(crate) fn reduce(program: &Program, exact: Value, ty: Ty) -> Option<Value> {
    let range = type_range(ty)?;
    if ty.is_signed() && program.signed_overflow != SignedOverflow::Wrap {
        exact.meet(range)
    } else {
        cast(exact, ty)
    }
}

pub(crate) fn binary(program: &Program, op: BinaryOp, left: Value, right: Value, ty: Ty) -> Option<Abstract> {
    let arithmetic = |exact: Option<Value>| {
        exact.map(|exact| reduce(program, exact, ty).map_or(Abstract::Never, Abstract::Known))
    };
    let truth = |holds: bool, fails: bool| match (holds, fails) {
        (true, false) => Some(Abstract::Known(Value::constant(1))),
        (false, true) => Some(Abstract::Known(Value::constant(0))),
        _ => None,
    };
    match op {
        BinaryOp::Add => arithmetic(left.plus(right)),
        BinaryOp::Sub => arithmetic(right.negate().and_then(|negated| left.plus(negated))),
        BinaryOp::Mul => arithmetic(left.multiply(right)),
        BinaryOp::Div | BinaryOp::Rem if right.as_constant() == Some(0) => Some(Abstract::Never),
        // A quotient never wraps around.
        BinaryOp::Div => {
            let (exact, range) = (left.divide(right)?, type_range(ty)?);
            Some(exact.meet(range).map_or(Abstract::Never, Abstract::Known))
        }
        BinaryOp::Rem => left.remainder(right).map(Abstract::Known),
        BinaryOp::Eq => truth(left.as_constant().is_some() && left == right, left.meet(right).is_none()),
        BinaryOp::Ne => truth(left.meet(right).is_none(), left.as_constant().is_some() && left == right),
        BinaryOp::Lt => truth(left.high() < right.low(), left.low() >= right.high()),
        BinaryOp::Le => truth(left.high() <= right.low(), left.low() > right.high()),
        BinaryOp::And => bitwise_and(left, right, ty).map(Abstract::Known),
        BinaryOp::Or | BinaryOp::Xor => bitwise_or(op, left, right).map(Abstract::Known),
        BinaryOp::Shl => shift_left(left, right, ty).map(Abstract::Known),
        BinaryOp::Shr => {
            let (fewest, most) = (right.low().max(0), right.high().min(127));
            if fewest > most {
                return Some(Abstract::Never);
            }
            let ends = [left.low() >> fewest, left.low() >> most, left.high() >> fewest, left.high() >> most];
            Value::range(*ends.iter().min()?, *ends.iter().max()?).map(Abstract::Known)
        }
        BinaryOp::PtrAdd | BinaryOp::PtrSub => None,
    }
}

/// How many of the lowest bits of all members are zero.
fn low_zeros(value: Value) -> u32 {
    value.modulus().trailing_zeros().min(value.residue().trailing_zeros()).min(126)
}

pub(crate) fn bitwise_and(left: Value, right: Value, ty: Ty) -> Option<Value> {
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return Some(Value::constant(a & b));
    }
    let bound = [left, right].into_iter().filter(|value| value.low() >= 0).map(Value::high).min();
    let range = match bound {
        Some(high) => Value::range(0, high)?,
        None => same_width(left, right).or_else(|| type_range(ty))?,
    };
    Value::new(range.low(), range.high(), 1 << low_zeros(left).max(low_zeros(right)), 0)
}

pub(crate) fn bitwise_or(op: BinaryOp, left: Value, right: Value) -> Option<Value> {
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return Some(Value::constant(if op == BinaryOp::Or { a | b } else { a ^ b }));
    }
    if left.low() < 0 || right.low() < 0 {
        let range = same_width(left, right)?;
        return Value::new(range.low(), range.high(), 1 << low_zeros(left).min(low_zeros(right)), 0);
    }
    let bits = 128 - (left.high() | right.high()).leading_zeros();
    let low = if op == BinaryOp::Or { left.low().max(right.low()) } else { 0 };
    let high = ((1_i128 << bits.min(126)) - 1).min(left.high().checked_add(right.high())?);
    Value::new(low, high, 1 << low_zeros(left).min(low_zeros(right)), 0)
}

/// All values with as many bits as two signed values need: what bitwise operations make of them needs no more.
fn same_width(left: Value, right: Value) -> Option<Value> {
    // The complement of a negative value has the same number of bits below the sign.
    let magnitude = |value: i128| if value < 0 { !value } else { value };
    let all = [left.low(), left.high(), right.low(), right.high()].map(magnitude);
    let bits = 128 - all.into_iter().fold(0, |all, one| all | one).leading_zeros();
    Value::range(-(1_i128 << bits.min(126)), (1_i128 << bits.min(126)) - 1)
}

/// Shifts to the left by all amounts of a range that are below the width of the type.
fn shift_left(value: Value, amount: Value, ty: Ty) -> Option<Value> {
    let Ty::Int { width, .. } = ty else { return None };
    let (first, last) = (amount.low().max(0), amount.high().min(i128::from(width) - 1));
    let mut result: Option<Value> = None;
    for count in first..=last {
        let count = u32::try_from(count).ok().filter(|count| *count < 64)?;
        let shifted = cast(value.multiply(Value::constant(1 << count))?, ty)?;
        result = Some(result.map_or(shifted, |others| others.join(shifted)));
    }
    result
}
