//! IEEE 754 arithmetic on bit-vectors that hold the encodings of numbers.
//!
//! Rounding is to nearest, ties to even; conversions to integers drop the fraction.
//!
//! # Invariants
//! * N1: a result that is not a number is the encoding whose sign, exponent and highest bit of the fraction are set, whatever the operands are. Which NaN an operation of the
//!   machine passes on is for its encoding to say.
//! * N2: a conversion to an integer type that does not hold the value has any result: whoever uses it says elsewhere that the value fits.

use crate::{BvOp, Integer, Sort, TermId, Terms, Value};

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatFormat {
    /// binary32.
    Single,
    /// binary64.
    Double,
}

impl FloatFormat {
    /// Bits of an encoding.
    pub fn width(self) -> u32 {
        match self {
            Self::Single => 32,
            Self::Double => 64,
        }
    }
    /// Bits of the exponent.
    pub fn exponent(self) -> u32 {
        match self {
            Self::Single => 8,
            Self::Double => 11,
        }
    }
    /// Bits of the significand, the hidden one included.
    pub fn precision(self) -> u32 {
        self.width() - self.exponent()
    }
    /// The encoding of positive infinity.
    pub fn infinity(self) -> u64 {
        match self {
            Self::Single => u64::from(f32::INFINITY.to_bits()),
            Self::Double => f64::INFINITY.to_bits(),
        }
    }
    /// The bit of an encoding that tells quiet NaNs from signalling ones.
    pub fn quiet_bit(self) -> u64 {
        1 << (self.precision() - 2)
    }
    /// The bit of an encoding that is set for negative numbers.
    pub fn sign_bit(self) -> u64 {
        1 << (self.width() - 1)
    }
    /// The NaN of N1.
    pub fn default_nan(self) -> u64 {
        self.sign_bit() | self.infinity() | self.quiet_bit()
    }
    /// The encoding of a power of two; infinity if the format has no such number.
    pub fn power_of_two(self, exponent: u32) -> u64 {
        let exponent = i32::try_from(exponent).unwrap_or(i32::MAX);
        match self {
            Self::Single => u64::from(2_f32.powi(exponent).to_bits()),
            Self::Double => 2_f64.powi(exponent).to_bits(),
        }
    }
    fn other(self) -> Self {
        match self {
            Self::Single => Self::Double,
            Self::Double => Self::Single,
        }
    }
}

impl Terms {
    /// The encoding with the other sign.
    pub fn float_neg(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        let sign = self.bv_number(format.width(), format.sign_bit());
        self.bv(BvOp::Xor, &[encoding, sign])
    }
    /// The encoding without sign.
    pub fn float_abs(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        let all = self.bv_number(format.width(), format.sign_bit() - 1);
        self.bv(BvOp::And, &[encoding, all])
    }
    /// Whether an encoding is a number: infinities are.
    pub fn float_is_number(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        let magnitude = self.float_abs(format, encoding);
        let infinity = self.bv_number(format.width(), format.infinity());
        self.bv(BvOp::Ule, &[magnitude, infinity])
    }
    /// Whether an encoding is a number and no infinity.
    pub fn float_is_finite(&mut self, format: FloatFormat, encoding: TermId) -> TermId {
        let magnitude = self.float_abs(format, encoding);
        let infinity = self.bv_number(format.width(), format.infinity());
        self.bv(BvOp::Ult, &[magnitude, infinity])
    }
}

/// An operation on numbers of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Whether two numbers are equal: zeros are, NaNs are not.
    Eq,
    /// Whether the first is less.
    Lt,
    /// Whether the first is at most the second.
    Le,
    /// The number nearest to a signed integer of any width.
    FromSigned,
    /// The number nearest to an unsigned integer of any width.
    FromUnsigned,
    /// The number nearest to one of the other format.
    FromOther,
    /// The whole part as a signed integer of so many bits (N2).
    ToSigned(u32),
    /// The whole part as an unsigned integer of so many bits (N2).
    ToUnsigned(u32),
}

impl FloatOp {
    /// Number of operands.
    pub(crate) fn arity(self) -> usize {
        match self {
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Eq | Self::Lt | Self::Le => 2,
            Self::FromSigned | Self::FromUnsigned | Self::FromOther => 1,
            Self::ToSigned(_) | Self::ToUnsigned(_) => 1,
        }
    }

    /// The sort of the result, or nothing if the operands do not fit.
    pub(crate) fn result(self, format: FloatFormat, operands: &[Sort]) -> Option<Sort> {
        let number = Sort::BitVec(format.width());
        match (self, operands) {
            (Self::Add | Self::Sub | Self::Mul | Self::Div, [a, b]) if *a == number && *b == number => {
                Some(number)
            }
            (Self::Eq | Self::Lt | Self::Le, [a, b]) if *a == number && *b == number => Some(Sort::Bool),
            (Self::FromSigned | Self::FromUnsigned, [Sort::BitVec(width)]) if *width <= 128 => Some(number),
            (Self::FromOther, [a]) if *a == Sort::BitVec(format.other().width()) => Some(number),
            (Self::ToSigned(width) | Self::ToUnsigned(width), [a])
                if *a == number && width > 0 && width <= 128 =>
            {
                Some(Sort::BitVec(width))
            }
            _ => None,
        }
    }

    /// The result on values; nothing if the operands do not fit.
    pub(crate) fn apply(self, format: FloatFormat, operands: &[&Value]) -> Option<Value> {
        let bits = |value: &Value| match value {
            Value::BitVec(width, value) => Some((*width, bits_of(value))),
            _ => None,
        };
        match (self, operands) {
            (_, [a]) => {
                let (width, bits) = bits(a)?;
                self.convert(format, width, bits)
            }
            (_, [a, b]) => {
                let (a, b) = (bits(a)?.1 as u64, bits(b)?.1 as u64);
                match format {
                    FloatFormat::Single => {
                        self.combine(format, f32::from_bits(a as u32), f32::from_bits(b as u32), |number| {
                            u64::from(number.to_bits())
                        })
                    }
                    FloatFormat::Double => {
                        self.combine(format, f64::from_bits(a), f64::from_bits(b), f64::to_bits)
                    }
                }
            }
            _ => None,
        }
    }

    fn combine<F>(self, format: FloatFormat, a: F, b: F, encode: impl Fn(F) -> u64) -> Option<Value>
    where
        F: Copy
            + PartialOrd
            + std::ops::Add<Output = F>
            + std::ops::Sub<Output = F>
            + std::ops::Mul<Output = F>
            + std::ops::Div<Output = F>,
    {
        let number = match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Div => a / b,
            Self::Eq => return Some(Value::Bool(a == b)),
            Self::Lt => return Some(Value::Bool(a < b)),
            Self::Le => return Some(Value::Bool(a <= b)),
            _ => return None,
        };
        Some(quiet(format, encode(number)))
    }

    fn convert(self, format: FloatFormat, width: u32, bits: u128) -> Option<Value> {
        let whole = || match format {
            FloatFormat::Single => f64::from(f32::from_bits(bits as u32)).trunc(),
            FloatFormat::Double => f64::from_bits(bits as u64).trunc(),
        };
        // Widths are at most 128.
        let unused = 128 - width;
        let encoding = match (self, format) {
            (Self::FromSigned, FloatFormat::Single) => {
                u64::from((((bits << unused) as i128 >> unused) as f32).to_bits())
            }
            (Self::FromSigned, FloatFormat::Double) => {
                (((bits << unused) as i128 >> unused) as f64).to_bits()
            }
            (Self::FromUnsigned, FloatFormat::Single) => u64::from((bits as f32).to_bits()),
            (Self::FromUnsigned, FloatFormat::Double) => (bits as f64).to_bits(),
            (Self::FromOther, FloatFormat::Single) => {
                u64::from((f64::from_bits(bits as u64) as f32).to_bits())
            }
            (Self::FromOther, FloatFormat::Double) => f64::from(f32::from_bits(bits as u32)).to_bits(),
            (Self::ToSigned(width), _) => return Some(vector(width, whole() as i128 as u128)),
            (Self::ToUnsigned(width), _) => return Some(vector(width, whole() as u128)),
            _ => return None,
        };
        Some(quiet(format, encoding))
    }
}

/// An encoding, or the NaN of N1 in its place.
fn quiet(format: FloatFormat, encoding: u64) -> Value {
    let is_nan = encoding & !format.sign_bit() > format.infinity();
    vector(format.width(), u128::from(if is_nan { format.default_nan() } else { encoding }))
}

fn vector(width: u32, bits: u128) -> Value {
    Value::BitVec(width, Integer::from(bits & (u128::MAX >> (128 - width))))
}

/// The bits of an unsigned value of at most 128 bits.
fn bits_of(value: &Integer) -> u128 {
    let word = |value: &Integer| value.to_i128().map(|word| word as u128);
    word(value).or_else(|| word(&(value - Integer::power_of_two(128)))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> Value {
        Value::BitVec(64, Integer::from(number.to_bits()))
    }

    #[test]
    fn results_that_are_no_numbers_are_one_encoding() {
        let apply = |op: FloatOp, a, b| op.apply(FloatFormat::Double, &[&double(a), &double(b)]);
        let nan = Some(Value::BitVec(64, Integer::from(0xfff8_0000_0000_0000_u64)));
        assert_eq!(apply(FloatOp::Div, 0.0, 0.0), nan);
        assert_eq!(apply(FloatOp::Sub, f64::INFINITY, f64::INFINITY), nan);
        assert_eq!(apply(FloatOp::Add, f64::NAN, 1.0), nan);
        assert_eq!(apply(FloatOp::Eq, f64::NAN, f64::NAN), Some(Value::Bool(false)));
        assert_eq!(apply(FloatOp::Eq, 0.0, -0.0), Some(Value::Bool(true)));
        assert_eq!(apply(FloatOp::Div, 1.0, -0.0), Some(double(f64::NEG_INFINITY)));
    }

    #[test]
    fn conversions_know_signs_and_widths() {
        let byte = |bits: u32| Value::BitVec(8, Integer::from(bits));
        let from = |op: FloatOp, bits| op.apply(FloatFormat::Double, &[&byte(bits)]);
        assert_eq!(from(FloatOp::FromSigned, 255), Some(double(-1.0)));
        assert_eq!(from(FloatOp::FromUnsigned, 255), Some(double(255.0)));
        let to = |op: FloatOp, number| op.apply(FloatFormat::Double, &[&double(number)]);
        assert_eq!(to(FloatOp::ToSigned(8), -128.9), Some(byte(128)));
        assert_eq!(to(FloatOp::ToUnsigned(8), 255.9), Some(byte(255)));
        let all = Value::BitVec(128, Integer::power_of_two(128) - Integer::ONE);
        let rounded = FloatOp::FromUnsigned.apply(FloatFormat::Double, &[&all]);
        assert_eq!(rounded, Some(double(2_f64.powi(128))));
        let tenth = FloatOp::FromOther.apply(FloatFormat::Single, &[&double(0.1)]);
        assert_eq!(tenth, Some(Value::BitVec(32, Integer::from(0.1_f32.to_bits()))));
    }
}
