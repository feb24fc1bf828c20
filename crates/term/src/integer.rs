//! Integers of any size: a machine word where that is enough, a big number where it is not.
//!
//! # Invariants
//! * I1: the big form is used only for values outside of `i64`, so that equality and hashing are structural.
//! * I2: no operation overflows silently; each either fits the word or moves to the big form.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

use dashu_int::IBig;
use dashu_int::ops::{Abs, DivEuclid, Gcd, RemEuclid};

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Form);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    Word(i64),
    Big(Box<IBig>),
}

impl Integer {
    /// Zero.
    pub const ZERO: Self = Self::word(0);
    /// One.
    pub const ONE: Self = Self::word(1);
    /// Minus one.
    pub const MINUS_ONE: Self = Self::word(-1);

    const fn word(value: i64) -> Self {
        Self(Form::Word(value))
    }

    fn of_big(value: IBig) -> Self {
        match i64::try_from(&value) {
            Ok(word) => Self::word(word),
            Err(_) => Self(Form::Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> IBig {
        match &self.0 {
            Form::Word(word) => IBig::from(*word),
            Form::Big(big) => (**big).clone(),
        }
    }

    /// Two to the power of `exponent`.
    pub fn power_of_two(exponent: u32) -> Self {
        if exponent < 63 { Self::word(1 << exponent) } else { Self::of_big(IBig::ONE << exponent as usize) }
    }

    /// The value as a machine word, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Form::Word(word) => Some(*word),
            Form::Big(_) => None,
        }
    }

    /// The value as a double machine word, if it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Form::Word(word) => Some(i128::from(*word)),
            Form::Big(big) => i128::try_from(&**big).ok(),
        }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Form::Word(0)
    }
    /// Whether this is one.
    pub fn is_one(&self) -> bool {
        self.0 == Form::Word(1)
    }
    /// Whether this is below zero.
    pub fn is_negative(&self) -> bool {
        self.sign() == Ordering::Less
    }
    /// Whether this is above zero.
    pub fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }

    /// How this compares with zero.
    pub fn sign(&self) -> Ordering {
        match &self.0 {
            Form::Word(word) => word.cmp(&0),
            Form::Big(big) => (**big).cmp(&IBig::ZERO),
        }
    }

    /// The distance from zero.
    #[must_use]
    pub fn abs(&self) -> Self {
        match &self.0 {
            Form::Word(word) if *word != i64::MIN => Self::word(word.abs()),
            Form::Word(_) | Form::Big(_) => Self::of_big(self.to_big().abs()),
        }
    }

    /// The greatest common divisor, never negative; that of zero and zero is zero.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        if let (Form::Word(a), Form::Word(b)) = (&self.0, &other.0) {
            let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return Self::from(a);
        }
        if self.is_zero() {
            return other.abs();
        }
        if other.is_zero() {
            return self.abs();
        }
        Self::of_big(IBig::from(self.to_big().gcd(other.to_big())))
    }

    /// The least common multiple of two numbers other than zero, never negative.
    #[must_use]
    pub fn lcm(&self, other: &Self) -> Self {
        (&self.div_floor(&self.gcd(other)) * other).abs()
    }

    /// The quotient rounded down; the divisor is not zero.
    #[must_use]
    pub fn div_floor(&self, divisor: &Self) -> Self {
        assert!(!divisor.is_zero(), "a divisor should not be zero");
        if let (Form::Word(a), Form::Word(b)) = (&self.0, &divisor.0)
            && let (Some(quotient), Some(rest)) = (a.checked_div(*b), a.checked_rem(*b))
        {
            return Self::word(if rest != 0 && (rest < 0) != (*b < 0) { quotient - 1 } else { quotient });
        }
        let (a, b) = if divisor.is_negative() { (-self, -divisor) } else { (self.clone(), divisor.clone()) };
        Self::of_big(a.to_big().div_euclid(b.to_big()))
    }

    /// The quotient rounded up; the divisor is not zero.
    #[must_use]
    pub fn div_ceil(&self, divisor: &Self) -> Self {
        -(-self).div_floor(divisor)
    }

    /// What remains after division, in `0..|divisor|`; the divisor is not zero.
    #[must_use]
    pub fn modulo(&self, divisor: &Self) -> Self {
        assert!(!divisor.is_zero(), "a divisor should not be zero");
        if let (Form::Word(a), Form::Word(b)) = (&self.0, &divisor.0)
            && let Some(rest) = a.checked_rem_euclid(*b)
        {
            return Self::word(rest);
        }
        Self::of_big(IBig::from(self.to_big().rem_euclid(divisor.to_big())))
    }

    /// Whether this divides `other`; zero divides only zero.
    pub fn divides(&self, other: &Self) -> bool {
        if self.is_zero() { other.is_zero() } else { other.modulo(self).is_zero() }
    }

    /// The number `x` in `0..modulus` with `self * x = 1` modulo `modulus`, if there is one; the modulus is positive.
    pub fn inverse_modulo(&self, modulus: &Self) -> Option<Self> {
        let (mut rest, mut next_rest) = (self.modulo(modulus), modulus.clone());
        let (mut factor, mut next_factor) = (Self::ONE, Self::ZERO);
        while !next_rest.is_zero() {
            let quotient = rest.div_floor(&next_rest);
            (rest, next_rest) = (next_rest.clone(), rest - &quotient * &next_rest);
            (factor, next_factor) = (next_factor.clone(), factor - &quotient * &next_factor);
        }
        rest.is_one().then(|| factor.modulo(modulus))
    }

    /// Applies a bitwise operation to two numbers that are not negative.
    pub(crate) fn bitwise(
        &self,
        other: &Self,
        word: fn(i64, i64) -> i64,
        big: fn(IBig, IBig) -> IBig,
    ) -> Self {
        match (&self.0, &other.0) {
            (Form::Word(a), Form::Word(b)) => Self::word(word(*a, *b)),
            _ => Self::of_big(big(self.to_big(), other.to_big())),
        }
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Word(a), Form::Word(b)) => a.cmp(b),
            // I1: a big number is farther from zero than any word.
            (Form::Word(_), Form::Big(_)) => other.sign().reverse(),
            (Form::Big(_), Form::Word(_)) => self.sign(),
            (Form::Big(a), Form::Big(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Implements an operator for values and references, by the word's checked form and the big form.
macro_rules! operator {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait<&Integer> for &Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                if let (Form::Word(a), Form::Word(b)) = (&self.0, &other.0)
                    && let Some(word) = a.$checked(*b)
                {
                    return Integer::word(word);
                }
                Integer::of_big($trait::$method(self.to_big(), other.to_big()))
            }
        }
        impl $trait<Integer> for Integer {
            type Output = Integer;
            fn $method(self, other: Integer) -> Integer {
                $trait::$method(&self, &other)
            }
        }
        impl $trait<&Integer> for Integer {
            type Output = Integer;
            fn $method(self, other: &Integer) -> Integer {
                $trait::$method(&self, other)
            }
        }
        impl $trait<Integer> for &Integer {
            type Output = Integer;
            fn $method(self, other: Integer) -> Integer {
                $trait::$method(self, &other)
            }
        }
    };
}

operator!(Add, add, checked_add);
operator!(Sub, sub, checked_sub);
operator!(Mul, mul, checked_mul);

impl Neg for &Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        &Integer::ZERO - self
    }
}

impl Neg for Integer {
    type Output = Self;
    fn neg(self) -> Self {
        -&self
    }
}

impl AddAssign<&Integer> for Integer {
    fn add_assign(&mut self, other: &Integer) {
        *self = &*self + other;
    }
}

impl SubAssign<&Integer> for Integer {
    fn sub_assign(&mut self, other: &Integer) {
        *self = &*self - other;
    }
}

macro_rules! from_primitive {
    ($($primitive:ty),*) => {
        $(impl From<$primitive> for Integer {
            fn from(value: $primitive) -> Self {
                match i64::try_from(value) {
                    Ok(word) => Self::word(word),
                    Err(_) => Self::of_big(IBig::from(value)),
                }
            }
        })*
    };
}

from_primitive!(i32, i64, i128, u32, u64, u128, usize);

impl FromStr for Integer {
    type Err = ParseIntegerError;
    fn from_str(text: &str) -> Result<Self, ParseIntegerError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ParseIntegerError);
        }
        if let Ok(word) = text.parse() {
            return Ok(Self::word(word));
        }
        IBig::from_str_radix(text, 10).map(Self::of_big).map_err(|_| ParseIntegerError)
    }
}

/// A text is not a decimal integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIntegerError;

impl fmt::Display for ParseIntegerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal integer")
    }
}

impl std::error::Error for ParseIntegerError {}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Word(word) => write!(f, "{word}"),
            Form::Big(big) => write!(f, "{big}"),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = i128> {
        let edge = i128::from(i64::MAX);
        prop_oneof![
            -20i128..20,
            edge - 3..edge + 3,
            -edge - 4..-edge + 3,
            any::<i64>().prop_map(i128::from),
            -(1i128 << 100)..(1i128 << 100)
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_machine_arithmetic_on_both_sides_of_the_word(a in numbers(), b in numbers()) {
            let (x, y) = (Integer::from(a), Integer::from(b));
            prop_assert_eq!((&x + &y).to_i128(), Some(a + b));
            prop_assert_eq!((&x - &y).to_i128(), Some(a - b));
            if let Some(product) = a.checked_mul(b) {
                prop_assert_eq!((&x * &y).to_i128(), Some(product));
            }
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(x.abs().to_i128(), Some(a.abs()));
            if b != 0 {
                let floor = a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0);
                prop_assert_eq!(x.div_floor(&y).to_i128(), Some(floor));
                prop_assert_eq!(x.modulo(&y).to_i128(), Some(a.rem_euclid(b)));
                prop_assert_eq!(y.divides(&x), a % b == 0);
            }
            let gcd = x.gcd(&y);
            prop_assert!(gcd.divides(&x) && gcd.divides(&y));
        }

        #[test]
        fn text_is_read_back(a in numbers()) {
            prop_assert_eq!(a.to_string().parse::<Integer>().unwrap(), Integer::from(a));
            prop_assert_eq!(Integer::from(a).to_string(), a.to_string());
        }

        #[test]
        fn an_inverse_exists_exactly_for_coprime_numbers(a in -50i64..50, m in 1i64..40) {
            let (x, modulus) = (Integer::from(a), Integer::from(m));
            match x.inverse_modulo(&modulus) {
                Some(inverse) => prop_assert_eq!((&x * &inverse).modulo(&modulus), Integer::ONE.modulo(&modulus)),
                None => prop_assert!(!x.gcd(&modulus).is_one()),
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        for text in ["", "-", "+1", "1_0", "0x1", " 1", "1.0"] {
            assert_eq!(text.parse::<Integer>(), Err(ParseIntegerError), "{text}");
        }
    }
}
