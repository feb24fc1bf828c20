//! Scalar machine types and the data models that size them.

use std::fmt;

/// Sizes of C's types: what `int`, `long` and pointers are on the verified machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits (x86).
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64 (x86-64).
    Lp64,
}

impl DataModel {
    /// Width of a pointer in bits.
    pub fn pointer_width(self) -> u8 {
        match self {
            Self::Ilp32 => 32,
            Self::Lp64 => 64,
        }
    }
    /// The name that SV-COMP uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What happens when the result of signed arithmetic does not fit its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignedOverflow {
    /// The execution is considered up to the overflow and not beyond, as the C standard says.
    Undefined,
    /// The result is reduced modulo 2^width, as with `-fwrapv`.
    Wrap,
    /// It is a violation (property no-overflow), of a left shift too.
    Error,
}

/// Formats of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// IEEE binary32: `float`.
    Single,
    /// IEEE binary64: `double`.
    Double,
    /// The 80-bit format of x87: `long double`.
    Extended,
    /// IEEE binary128: `__float128`.
    Quad,
}

/// The type of a scalar value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ty {
    /// An integer of 1 to 128 bits, in two's complement if signed. Truth values and `_Bool` are [`Ty::BOOL`].
    Int {
        /// Number of bits, 1 to 128. Not only C's widths: a bit-field has the width that it declares.
        width: u8,
        /// Whether the top bit counts negative.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// An address. Pointers to objects and to functions are one type.
    Ptr,
}

impl Ty {
    /// The type of conditions, and C's `_Bool`: one unsigned bit.
    pub const BOOL: Self = Self::unsigned(1);

    /// The signed integer type of `width` bits.
    pub const fn signed(width: u8) -> Self {
        Self::Int { width, signed: true }
    }
    /// The unsigned integer type of `width` bits.
    pub const fn unsigned(width: u8) -> Self {
        Self::Int { width, signed: false }
    }
    /// Bytes that a value of this type occupies in memory.
    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Self::Int { width, .. } => u64::from(width).div_ceil(8).next_power_of_two(),
            Self::Float(FloatKind::Single) => 4,
            Self::Float(FloatKind::Double) => 8,
            Self::Float(FloatKind::Extended) => match model {
                DataModel::Ilp32 => 12,
                DataModel::Lp64 => 16,
            },
            Self::Float(FloatKind::Quad) => 16,
            Self::Ptr => u64::from(model.pointer_width()) / 8,
        }
    }
    /// Width in bits of the value; for pointers that of the data model.
    pub fn width(self, model: DataModel) -> u8 {
        match self {
            Self::Int { width, .. } => width,
            Self::Float(FloatKind::Single) => 32,
            Self::Float(FloatKind::Double) => 64,
            Self::Float(FloatKind::Extended) => 80,
            Self::Float(FloatKind::Quad) => 128,
            Self::Ptr => model.pointer_width(),
        }
    }
    /// Whether this is an integer type.
    pub fn is_int(self) -> bool {
        matches!(self, Self::Int { .. })
    }
    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }
    /// Whether this is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Int { signed: true, .. })
    }
    /// Smallest and largest value of an integer type of at most 127 bits or signed 128; `None` otherwise.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Int { width, signed: true } => {
                let half = 1_i128.checked_shl(u32::from(width) - 1)?;
                Some((half.wrapping_neg(), half.wrapping_sub(1)))
            }
            Self::Int { width, signed: false } if width < 128 => {
                Some((0, i128::MAX >> (127 - u32::from(width))))
            }
            Self::Int { .. } | Self::Float(_) | Self::Ptr => None,
        }
    }
    /// Reads the low bits of `bits` as a value of this integer type (two's complement; 128 unsigned bits wrap).
    pub fn value_of(self, bits: u128) -> i128 {
        match self {
            Self::Int { width, signed } => {
                let unused = 128 - u32::from(width);
                if signed {
                    ((bits << unused) as i128) >> unused
                } else {
                    ((bits << unused) >> unused) as i128
                }
            }
            Self::Float(_) | Self::Ptr => bits as i128,
        }
    }
    /// The bits of this type that represent `value` modulo 2^width.
    pub fn bits_of(self, value: i128) -> u128 {
        match self {
            Self::Int { width, .. } => (value as u128) & (u128::MAX >> (128 - u32::from(width))),
            Self::Float(_) | Self::Ptr => value as u128,
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int { width, signed: true } => write!(f, "i{width}"),
            Self::Int { width, signed: false } => write!(f, "u{width}"),
            Self::Float(FloatKind::Single) => f.write_str("f32"),
            Self::Float(FloatKind::Double) => f.write_str("f64"),
            Self::Float(FloatKind::Extended) => f.write_str("f80"),
            Self::Float(FloatKind::Quad) => f.write_str("f128"),
            Self::Ptr => f.write_str("ptr"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_two_complement() {
        assert_eq!(Ty::signed(8).range(), Some((-128, 127)));
        assert_eq!(Ty::unsigned(8).range(), Some((0, 255)));
        assert_eq!(Ty::BOOL.range(), Some((0, 1)));
        assert_eq!(Ty::signed(1).range(), Some((-1, 0)));
        assert_eq!(Ty::signed(128).range(), Some((i128::MIN, i128::MAX)));
        assert_eq!(Ty::unsigned(127).range(), Some((0, i128::MAX)));
        assert_eq!(Ty::unsigned(128).range(), None);
    }

    #[test]
    fn bits_and_values_are_inverse_within_the_range() {
        for ty in [Ty::signed(3), Ty::unsigned(5), Ty::signed(64), Ty::signed(128)] {
            let (low, high) = ty.range().unwrap();
            for value in [low, -1, 0, 1, high] {
                if (low..=high).contains(&value) {
                    assert_eq!(ty.value_of(ty.bits_of(value)), value, "{ty}");
                }
            }
        }
    }
}
