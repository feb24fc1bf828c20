//! Values of literals.

/// An integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The value in four parts, lowest first: keeps expressions small. Read it with [`IntegerLiteral::value`].
    pub limbs: [u32; 4],
    /// How it is written.
    pub notation: Notation,
    /// The suffix.
    pub suffix: IntegerSuffix,
}

impl IntegerLiteral {
    /// A literal of a value.
    pub fn new(value: u128, notation: Notation, suffix: IntegerSuffix) -> Self {
        let limbs = [value as u32, (value >> 32) as u32, (value >> 64) as u32, (value >> 96) as u32];
        Self { limbs, notation, suffix }
    }
    /// Its value.
    pub fn value(self) -> u128 {
        self.limbs.iter().rev().fold(0, |value, limb| value << 32 | u128::from(*limb))
    }
}

/// How an integer literal is written; its type depends on it (C11 6.4.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Decimal: its type is never unsigned unless the suffix says so.
    Decimal,
    /// Octal, hexadecimal or binary.
    PowerOfTwo,
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct IntegerSuffix {
    /// `u`
    pub unsigned: bool,
    /// None, `l` or `ll`: 0, 1 or 2.
    pub long: u8,
    /// `i` or `j` of GNU C: an imaginary number.
    pub imaginary: bool,
}

/// A floating-point literal: its text decides, so that it can be rounded to any format exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatLiteral {
    /// Digits, point and exponent, decimal or hexadecimal (`0x1.8p3`), without suffix.
    pub text: Box<str>,
    /// The suffix.
    pub suffix: FloatSuffix,
    /// `i` or `j` of GNU C: an imaginary number.
    pub imaginary: bool,
}

/// The suffix of a floating-point literal, hence its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// None: `double`.
    None,
    /// `f`: `float`.
    F,
    /// `l`: `long double`.
    L,
    /// `q`, `f128`: `__float128`.
    Q,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `f32x`
    F32x,
    /// `f64x`
    F64x,
}

/// A character literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharLiteral {
    /// The value: of one character its code unit; of several narrow ones (`'ab'`) gcc's combination, first character highest. Not yet
    /// sign-extended: `'\xff'` is 255 here.
    pub value: u32,
    /// How many characters stand between the quotes.
    pub count: u32,
    /// The prefix.
    pub encoding: Encoding,
}

/// The prefix of a character or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: `char`, the bytes of the text.
    Plain,
    /// `u8`: `char`, UTF-8.
    Utf8,
    /// `u`: `char16_t`.
    Char16,
    /// `U`: `char32_t`.
    Char32,
    /// `L`: `wchar_t`, 32 bits here.
    Wide,
}

/// A string literal after escapes and concatenation, without the terminating zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The prefix; concatenation takes the one that is there.
    pub encoding: Encoding,
    /// The code units: bytes for [`Encoding::Plain`] and [`Encoding::Utf8`], 16 bits for [`Encoding::Char16`], else 32.
    pub units: Box<[u32]>,
}

impl StringLiteral {
    /// The low bytes of the units: the text of a narrow literal.
    pub fn bytes(&self) -> Vec<u8> {
        self.units.iter().map(|unit| *unit as u8).collect()
    }
}
