//! Floating-point arithmetic on encodings: binary32 and binary64 natively, x87 and binary128 by software.
//!
//! All rounding is to nearest, ties to even. Results that are not a number are those of x86: an operand that is
//! not a number is passed on, made quiet, the left one first; otherwise the default one, whose sign bit is set.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::outcome::Fault;
use cfa::expr::BinaryOp;
use cfa::ty::FloatKind;

/// Position of the sign bit.
pub(crate) fn sign_bit(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Single => 31,
        FloatKind::Double => 63,
        FloatKind::Extended => 79,
        FloatKind::Quad => 127,
    }
}

/// The bit that tells quiet from signalling, and that of the default result of an invalid operation.
fn quiet_bit(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Single => 1 << 22,
        FloatKind::Double => 1 << 51,
        FloatKind::Extended => 1 << 62,
        FloatKind::Quad => 1 << 111,
    }
}

fn default_nan(kind: FloatKind) -> u128 {
    let exponent: u128 = match kind {
        FloatKind::Single => 0xff << 23,
        FloatKind::Double => 0x7ff << 52,
        // The integer bit is explicit in this format.
        FloatKind::Extended => (0x7fff << 64) | (1 << 63),
        FloatKind::Quad => 0x7fff << 112,
    };
    1 << sign_bit(kind) | exponent | quiet_bit(kind)
}

/// Whether the encoding is not a number.
pub(crate) fn is_nan(kind: FloatKind, bits: u128) -> bool {
    match kind {
        FloatKind::Single => f32::from_bits(bits as u32).is_nan(),
        FloatKind::Double => f64::from_bits(bits as u64).is_nan(),
        FloatKind::Extended => X87DoubleExtended::from_bits(bits).is_nan(),
        FloatKind::Quad => Quad::from_bits(bits).is_nan(),
    }
}

/// What an operation on `lhs` and `rhs` yields if its result is not a number.
pub(crate) fn nan_result(kind: FloatKind, lhs: u128, rhs: u128) -> u128 {
    if is_nan(kind, lhs) {
        lhs | quiet_bit(kind)
    } else if is_nan(kind, rhs) {
        rhs | quiet_bit(kind)
    } else {
        default_nan(kind)
    }
}

/// An error if the operands of an operation are different NaNs: the processor takes the first one, and compilers change the order of
/// operands.
pub(crate) fn check_operands(kind: FloatKind, lhs: u128, rhs: u128) -> Result<(), Fault> {
    if lhs != rhs && is_nan(kind, lhs) && is_nan(kind, rhs) {
        return Err(Fault::Unsupported("the result of an operation on two different NaNs".to_owned()));
    }
    Ok(())
}

fn soft<F: Float>(op: BinaryOp, lhs: u128, rhs: u128) -> Option<u128> {
    let (lhs, rhs) = (F::from_bits(lhs), F::from_bits(rhs));
    let result = match op {
        BinaryOp::Add => lhs.add_r(rhs, Round::NearestTiesToEven),
        BinaryOp::Sub => lhs.sub_r(rhs, Round::NearestTiesToEven),
        BinaryOp::Mul => lhs.mul_r(rhs, Round::NearestTiesToEven),
        _ => lhs.div_r(rhs, Round::NearestTiesToEven),
    };
    (!result.value.is_nan()).then(|| result.value.to_bits())
}

/// Sum, difference, product or quotient.
pub(crate) fn arithmetic(kind: FloatKind, op: BinaryOp, lhs: u128, rhs: u128) -> u128 {
    let result = match kind {
        FloatKind::Single => {
            let (a, b) = (f32::from_bits(lhs as u32), f32::from_bits(rhs as u32));
            let result = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                _ => a / b,
            };
            (!result.is_nan()).then(|| u128::from(result.to_bits()))
        }
        FloatKind::Double => {
            let (a, b) = (f64::from_bits(lhs as u64), f64::from_bits(rhs as u64));
            let result = match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                _ => a / b,
            };
            (!result.is_nan()).then(|| u128::from(result.to_bits()))
        }
        FloatKind::Extended => soft::<X87DoubleExtended>(op, lhs, rhs),
        FloatKind::Quad => soft::<Quad>(op, lhs, rhs),
    };
    result.unwrap_or_else(|| nan_result(kind, lhs, rhs))
}

/// The order of two numbers; `None` if one is not a number.
pub(crate) fn compare(kind: FloatKind, lhs: u128, rhs: u128) -> Option<Ordering> {
    match kind {
        FloatKind::Single => f32::from_bits(lhs as u32).partial_cmp(&f32::from_bits(rhs as u32)),
        FloatKind::Double => f64::from_bits(lhs as u64).partial_cmp(&f64::from_bits(rhs as u64)),
        FloatKind::Extended => {
            X87DoubleExtended::from_bits(lhs).partial_cmp(&X87DoubleExtended::from_bits(rhs))
        }
        FloatKind::Quad => Quad::from_bits(lhs).partial_cmp(&Quad::from_bits(rhs)),
    }
}

/// The float nearest to a signed integer.
pub(crate) fn from_signed(kind: FloatKind, value: i128) -> u128 {
    let round = Round::NearestTiesToEven;
    match kind {
        FloatKind::Single => u128::from((value as f32).to_bits()),
        FloatKind::Double => u128::from((value as f64).to_bits()),
        FloatKind::Extended => X87DoubleExtended::from_i128_r(value, round).value.to_bits(),
        FloatKind::Quad => Quad::from_i128_r(value, round).value.to_bits(),
    }
}

/// The float nearest to an unsigned integer.
pub(crate) fn from_unsigned(kind: FloatKind, value: u128) -> u128 {
    let round = Round::NearestTiesToEven;
    match kind {
        FloatKind::Single => u128::from((value as f32).to_bits()),
        FloatKind::Double => u128::from((value as f64).to_bits()),
        FloatKind::Extended => X87DoubleExtended::from_u128_r(value, round).value.to_bits(),
        FloatKind::Quad => Quad::from_u128_r(value, round).value.to_bits(),
    }
}

/// The integer of `width` bits, in two's complement, that a float is when its fraction is dropped; `None` if it does not fit.
pub(crate) fn to_signed(kind: FloatKind, bits: u128, width: u8) -> Option<u128> {
    fn soft<F: Float>(value: F, width: u8) -> Option<i128> {
        // The library cannot do one bit.
        let result = value.to_i128_r(128, Round::TowardZero, &mut false);
        let (least, most) = (i128::MIN >> (128 - u32::from(width)), i128::MAX >> (128 - u32::from(width)));
        let fits = !result.status.intersects(Status::INVALID_OP) && (least..=most).contains(&result.value);
        fits.then_some(result.value)
    }
    let limit = 2_f64.powi(i32::from(width) - 1);
    let hard = |number: f64| {
        let whole = number.trunc();
        // What is not a number is in no range.
        (-limit..limit).contains(&whole).then_some(whole as i128)
    };
    let value = match kind {
        FloatKind::Single => hard(f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => hard(f64::from_bits(bits as u64)),
        FloatKind::Extended => soft(X87DoubleExtended::from_bits(bits), width),
        FloatKind::Quad => soft(Quad::from_bits(bits), width),
    };
    value.map(|value| value as u128 & (u128::MAX >> (128 - u32::from(width))))
}

/// The same for unsigned integers.
pub(crate) fn to_unsigned(kind: FloatKind, bits: u128, width: u8) -> Option<u128> {
    fn soft<F: Float>(value: F, width: u8) -> Option<u128> {
        let result = value.to_u128_r(usize::from(width), Round::TowardZero, &mut false);
        (!result.status.intersects(Status::INVALID_OP)).then_some(result.value)
    }
    let limit = 2_f64.powi(i32::from(width));
    let hard = |number: f64| {
        let whole = number.trunc();
        (0.0..limit).contains(&whole).then_some(whole as u128)
    };
    match kind {
        FloatKind::Single => hard(f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => hard(f64::from_bits(bits as u64)),
        FloatKind::Extended => soft(X87DoubleExtended::from_bits(bits), width),
        FloatKind::Quad => soft(Quad::from_bits(bits), width),
    }
}

fn soft_convert<F: Float + FloatConvert<T>, T: Float>(bits: u128) -> u128 {
    let mut loses = false;
    F::from_bits(bits).convert_r(Round::NearestTiesToEven, &mut loses).value.to_bits()
}

/// A float in another format, rounded to nearest.
pub(crate) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    match (from, to) {
        (FloatKind::Single, FloatKind::Double) if !is_nan(from, bits) => {
            u128::from(f64::from(f32::from_bits(bits as u32)).to_bits())
        }
        (FloatKind::Double, FloatKind::Single) if !is_nan(from, bits) => {
            u128::from((f64::from_bits(bits as u64) as f32).to_bits())
        }
        (FloatKind::Single, FloatKind::Double) => soft_convert::<Single, Double>(bits),
        (FloatKind::Double, FloatKind::Single) => soft_convert::<Double, Single>(bits),
        (FloatKind::Single, FloatKind::Extended) => soft_convert::<Single, X87DoubleExtended>(bits),
        (FloatKind::Single, FloatKind::Quad) => soft_convert::<Single, Quad>(bits),
        (FloatKind::Double, FloatKind::Extended) => soft_convert::<Double, X87DoubleExtended>(bits),
        (FloatKind::Double, FloatKind::Quad) => soft_convert::<Double, Quad>(bits),
        (FloatKind::Extended, FloatKind::Single) => soft_convert::<X87DoubleExtended, Single>(bits),
        (FloatKind::Extended, FloatKind::Double) => soft_convert::<X87DoubleExtended, Double>(bits),
        (FloatKind::Extended, FloatKind::Quad) => soft_convert::<X87DoubleExtended, Quad>(bits),
        (FloatKind::Quad, FloatKind::Single) => soft_convert::<Quad, Single>(bits),
        (FloatKind::Quad, FloatKind::Double) => soft_convert::<Quad, Double>(bits),
        (FloatKind::Quad, FloatKind::Extended) => soft_convert::<Quad, X87DoubleExtended>(bits),
        (FloatKind::Single, FloatKind::Single)
        | (FloatKind::Double, FloatKind::Double)
        | (FloatKind::Extended, FloatKind::Extended)
        | (FloatKind::Quad, FloatKind::Quad) => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(value: f64) -> u128 {
        u128::from(value.to_bits())
    }

    #[test]
    fn invalid_operations_give_the_default_of_x86() {
        let zero_by_zero = arithmetic(FloatKind::Double, BinaryOp::Div, double(0.0), double(0.0));
        assert_eq!(zero_by_zero, 0xfff8_0000_0000_0000);
        let single = arithmetic(FloatKind::Single, BinaryOp::Div, 0, 0);
        assert_eq!(single, 0xffc0_0000);
        let passed_on = arithmetic(FloatKind::Double, BinaryOp::Add, double(1.0), 0x7ff0_0000_0000_0005);
        assert_eq!(passed_on, 0x7ff8_0000_0000_0005);
    }

    #[test]
    fn extended_sums_keep_64_bits_of_mantissa() {
        let one = convert(FloatKind::Double, FloatKind::Extended, double(1.0));
        assert_eq!(one, 0x3fff_8000_0000_0000_0000);
        let tiny = convert(FloatKind::Double, FloatKind::Extended, double(2_f64.powi(-63)));
        let sum = arithmetic(FloatKind::Extended, BinaryOp::Add, one, tiny);
        assert_eq!(sum, 0x3fff_8000_0000_0000_0001);
        // Half a unit in the last place is a tie: to even.
        let half = convert(FloatKind::Double, FloatKind::Extended, double(2_f64.powi(-64)));
        assert_eq!(arithmetic(FloatKind::Extended, BinaryOp::Add, one, half), one);
        assert_eq!(
            arithmetic(FloatKind::Extended, BinaryOp::Add, sum, half),
            0x3fff_8000_0000_0000_0002,
            "a tie above an odd mantissa goes up"
        );
    }

    #[test]
    fn conversions_to_integers_check_the_range() {
        let signed = |value: f64, width| to_signed(FloatKind::Double, double(value), width);
        let unsigned = |value: f64, width| to_unsigned(FloatKind::Double, double(value), width);
        assert_eq!(unsigned(-0.9, 8), Some(0));
        assert_eq!(unsigned(255.9, 8), Some(255));
        assert_eq!(unsigned(256.0, 8), None);
        assert_eq!(signed(-128.9, 8), Some(0x80));
        assert_eq!(signed(-129.0, 8), None);
        assert_eq!(signed(2_147_483_648.0, 32), None);
        assert_eq!(signed(f64::NAN, 64), None);
        assert_eq!(unsigned(f64::NAN, 64), None);
        assert_eq!(unsigned(f64::INFINITY, 128), None);
        assert_eq!(unsigned(2_f64.powi(127), 128), Some(1 << 127));
        let big = convert(FloatKind::Double, FloatKind::Extended, double(300.5));
        assert_eq!(to_unsigned(FloatKind::Extended, big, 9), Some(300));
        assert_eq!(to_unsigned(FloatKind::Extended, big, 8), None);
    }

    #[test]
    fn integers_round_to_nearest_even() {
        assert_eq!(from_signed(FloatKind::Double, (1 << 53) + 1), double(9_007_199_254_740_992.0));
        assert_eq!(from_signed(FloatKind::Double, (1 << 53) + 3), double(9_007_199_254_740_996.0));
        assert_eq!(from_unsigned(FloatKind::Single, u128::MAX), u128::from(f32::INFINITY.to_bits()));
        let extended = from_signed(FloatKind::Extended, i128::from(u64::MAX));
        assert_eq!(to_unsigned(FloatKind::Extended, extended, 64), Some(u128::from(u64::MAX)));
    }
}
