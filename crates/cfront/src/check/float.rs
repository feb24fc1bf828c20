//! Floating-point constants, exactly: literals from their text, and arithmetic where a constant is required.

use cfa::{FloatKind, Ty};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::hir::{ArithmeticOp, CompareOp};

/// Texts longer than this are refused: reading them exactly takes quadratic time.
const MAX_TEXT: usize = 20_000;

/// Applies a generic function to the format of a kind.
macro_rules! dispatch {
    ($kind:expr, $function:ident ( $($argument:expr),* )) => {
        match $kind {
            FloatKind::Single => $function::<Single>($($argument),*),
            FloatKind::Double => $function::<Double>($($argument),*),
            FloatKind::Extended => $function::<X87DoubleExtended>($($argument),*),
            FloatKind::Quad => $function::<Quad>($($argument),*),
        }
    };
}

/// The number that a text without suffix denotes, rounded to nearest; `None` if the text is no number or too long.
pub(super) fn parse(text: &str, kind: FloatKind) -> Option<u128> {
    fn parse_as<F: Float>(text: &str) -> Option<u128> {
        F::from_str_r(text, Round::NearestTiesToEven).ok().map(|parsed| parsed.value.to_bits())
    }
    if text.len() > MAX_TEXT {
        return None;
    }
    dispatch!(kind, parse_as(text))
}

pub(super) fn infinity(kind: FloatKind) -> u128 {
    fn infinity_as<F: Float>() -> u128 {
        F::INFINITY.to_bits()
    }
    dispatch!(kind, infinity_as())
}

pub(super) fn nan(kind: FloatKind) -> u128 {
    fn nan_as<F: Float>() -> u128 {
        F::NAN.to_bits()
    }
    dispatch!(kind, nan_as())
}

/// The smallest normalised number.
pub(super) fn smallest_normal(kind: FloatKind) -> u128 {
    fn smallest_as<F: Float>() -> u128 {
        F::smallest_normalized().to_bits()
    }
    dispatch!(kind, smallest_as())
}

pub(super) fn negate(bits: u128, kind: FloatKind) -> u128 {
    fn negate_as<F: Float>(bits: u128) -> u128 {
        (-F::from_bits(bits)).to_bits()
    }
    dispatch!(kind, negate_as(bits))
}

pub(super) fn is_zero(bits: u128, kind: FloatKind) -> bool {
    fn is_zero_as<F: Float>(bits: u128) -> bool {
        F::from_bits(bits).is_zero()
    }
    dispatch!(kind, is_zero_as(bits))
}

pub(super) fn arithmetic(op: ArithmeticOp, left: u128, right: u128, kind: FloatKind) -> Option<u128> {
    fn arithmetic_as<F: Float>(op: ArithmeticOp, left: u128, right: u128) -> Option<u128> {
        let (left, right) = (F::from_bits(left), F::from_bits(right));
        let result = match op {
            ArithmeticOp::Add => (left + right).value,
            ArithmeticOp::Subtract => (left - right).value,
            ArithmeticOp::Multiply => (left * right).value,
            ArithmeticOp::Divide => (left / right).value,
            _ => return None,
        };
        Some(result.to_bits())
    }
    dispatch!(kind, arithmetic_as(op, left, right))
}

pub(super) fn compare(op: CompareOp, left: u128, right: u128, kind: FloatKind) -> bool {
    fn compare_as<F: Float>(op: CompareOp, left: u128, right: u128) -> bool {
        let order = F::from_bits(left).partial_cmp(&F::from_bits(right));
        match op {
            CompareOp::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
            CompareOp::NotEqual => order.is_none_or(std::cmp::Ordering::is_ne),
            CompareOp::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            CompareOp::LessEqual => order.is_some_and(std::cmp::Ordering::is_le),
            CompareOp::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            CompareOp::GreaterEqual => order.is_some_and(std::cmp::Ordering::is_ge),
        }
    }
    dispatch!(kind, compare_as(op, left, right))
}

/// A value of the type `from` as a floating-point number.
pub(super) fn from_int(value: i128, from: Ty, kind: FloatKind) -> u128 {
    fn from_int_as<F: Float>(value: i128, from: Ty) -> u128 {
        let converted = match from {
            Ty::Int { signed: false, .. } => F::from_u128(value as u128),
            Ty::Int { .. } | Ty::Ptr | Ty::Float(_) => F::from_i128(value),
        };
        converted.value.to_bits()
    }
    dispatch!(kind, from_int_as(value, from))
}

/// The integer part; `None` if it does not fit 128 bits or there is none.
pub(super) fn to_int(bits: u128, kind: FloatKind) -> Option<i128> {
    fn to_int_as<F: Float>(bits: u128) -> Option<i128> {
        let mut is_exact = false;
        let converted = F::from_bits(bits).to_i128_r(128, Round::TowardZero, &mut is_exact);
        (!converted.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(converted.value)
    }
    dispatch!(kind, to_int_as(bits))
}

pub(super) fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    fn convert_from<F>(bits: u128, to: FloatKind) -> u128
    where
        F: Float
            + FloatConvert<Single>
            + FloatConvert<Double>
            + FloatConvert<X87DoubleExtended>
            + FloatConvert<Quad>,
    {
        let value = F::from_bits(bits);
        let mut loses = false;
        match to {
            FloatKind::Single => FloatConvert::<Single>::convert(value, &mut loses).value.to_bits(),
            FloatKind::Double => FloatConvert::<Double>::convert(value, &mut loses).value.to_bits(),
            FloatKind::Extended => {
                FloatConvert::<X87DoubleExtended>::convert(value, &mut loses).value.to_bits()
            }
            FloatKind::Quad => FloatConvert::<Quad>::convert(value, &mut loses).value.to_bits(),
        }
    }
    dispatch!(from, convert_from(bits, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_rounded_to_nearest() {
        assert_eq!(parse("0.1", FloatKind::Double), Some(u128::from(0.1_f64.to_bits())));
        assert_eq!(parse("16777217", FloatKind::Single), Some(u128::from(16_777_216_f32.to_bits())));
        assert_eq!(parse("0x1.8p1", FloatKind::Double), Some(u128::from(3.0_f64.to_bits())));
        assert_eq!(parse("1.", FloatKind::Double), parse("1", FloatKind::Double));
        assert_eq!(parse(".5", FloatKind::Double), Some(u128::from(0.5_f64.to_bits())));
        assert_eq!(parse("1e400", FloatKind::Double), Some(u128::from(f64::INFINITY.to_bits())));
        assert_eq!(parse("1", FloatKind::Extended), Some(0x3FFF_8000_0000_0000_0000));
        assert_eq!(parse(&"9".repeat(100_000), FloatKind::Double), None);
    }

    #[test]
    fn conversions_truncate_towards_zero() {
        let value = parse("2.9", FloatKind::Double).unwrap();
        assert_eq!(to_int(value, FloatKind::Double), Some(2));
        assert_eq!(to_int(negate(value, FloatKind::Double), FloatKind::Double), Some(-2));
        assert_eq!(to_int(nan(FloatKind::Double), FloatKind::Double), None);
        let third = arithmetic(
            ArithmeticOp::Divide,
            from_int(1, Ty::signed(32), FloatKind::Single),
            from_int(3, Ty::signed(32), FloatKind::Single),
            FloatKind::Single,
        );
        assert_eq!(third, Some(u128::from((1.0_f32 / 3.0).to_bits())));
        assert_eq!(convert(value, FloatKind::Double, FloatKind::Single), u128::from(2.9_f32.to_bits()));
    }
}
