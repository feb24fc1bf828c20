//! Integer constants with suffixes and bases; constant expressions.

use super::integer::{Int, Range};
use super::value::{Expr, level};
use super::{Generator, Model};

/// How a constant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Decimal,
    /// Octal or hexadecimal.
    Other,
}

/// The type of an integer constant (C11 6.4.4.1p5); `None` if no type can hold it.
fn literal_type(value: u64, base: Base, suffix: &str, model: Model) -> Option<Int> {
    let unsigned = suffix.contains('u');
    let candidates: &[Int] = match suffix.matches('l').count() {
        0 => &[Int::Int, Int::Unsigned, Int::Long, Int::UnsignedLong, Int::LongLong, Int::UnsignedLongLong],
        1 => &[Int::Long, Int::UnsignedLong, Int::LongLong, Int::UnsignedLongLong],
        _ => &[Int::LongLong, Int::UnsignedLongLong],
    };
    candidates.iter().copied().find(|ty| {
        let allowed = if unsigned { !ty.signed() } else { ty.signed() || base == Base::Other };
        allowed && ty.range(model).contains(i128::from(value))
    })
}

impl Generator {
    /// A constant with a value that often uncovers mistakes.
    pub(super) fn literal(&mut self) -> Expr {
        let value = match self.random.below(10) {
            0..=3 => self.random.between(0, 12),
            4 => self.random.between(-12, 300),
            5 => 1_i64 << self.random.below(63),
            6 => (1_i64 << self.random.below(63)) - 1,
            7 => self.random.between(-70_000, 70_000),
            8 => self.random.bits() as i32 as i64,
            _ => (self.random.bits() >> self.random.below(64)) as i64,
        };
        self.number(i128::from(value))
    }

    /// A constant in the interval; small values are frequent.
    pub(super) fn literal_in(&mut self, range: Range) -> Expr {
        let low = range.low.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        let high = range.high.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        let value = if self.random.chance(50) {
            self.random.between(low.max(-20).min(high), high.min(100).max(low))
        } else {
            self.random.between(low, high)
        };
        self.number(i128::from(value))
    }

    /// The value as a C constant of some type that can hold it.
    pub(super) fn number(&mut self, value: i128) -> Expr {
        let model = self.options.model;
        if value < 0 {
            if value < -i128::from(i64::MAX) {
                let text = "(-9223372036854775807LL - 1)";
                return Expr::new(text, level::POSTFIX, Int::LongLong, Range::new(value, value));
            }
            let mut positive = self.number(-value);
            if !positive.ty.signed() {
                // A minus in front of an unsigned constant would wrap.
                let text = format!("{}LL", -value);
                positive = Expr::new(text, level::POSTFIX, Int::LongLong, Range::new(-value, -value));
            }
            let text = format!("-{}", positive.text.operand());
            return Expr::new(text, level::UNARY, positive.ty, Range::new(value, value));
        }
        let magnitude = u64::try_from(value).unwrap_or(u64::MAX);
        if let Some(text) = self.character(magnitude) {
            return Expr::new(text, level::POSTFIX, Int::Int, Range::new(value, value));
        }
        let base = if self.random.chance(25) { Base::Other } else { Base::Decimal };
        let suffixes = ["", "", "", "", "", "u", "l", "ul", "ll", "ull", "lu"];
        let suffix = *self.random.pick(&suffixes);
        let (suffix, ty) = match literal_type(magnitude, base, suffix, model) {
            Some(ty) => (suffix, ty),
            None => ("ull", Int::UnsignedLongLong),
        };
        let digits = match (base, self.random.chance(70)) {
            (Base::Decimal, _) => magnitude.to_string(),
            (Base::Other, true) => format!("0x{magnitude:x}"),
            (Base::Other, false) => format!("0{magnitude:o}"),
        };
        let suffix = if self.random.chance(60) { suffix.to_uppercase() } else { suffix.to_owned() };
        let range = Range::new(i128::from(magnitude), i128::from(magnitude));
        Expr::new(digits + &suffix, level::POSTFIX, ty, range)
    }

    /// The value as a character constant, now and then.
    fn character(&mut self, value: u64) -> Option<String> {
        if value > 126 || !self.random.chance(8) {
            return None;
        }
        Some(match (value as u8, self.random.below(3)) {
            (b'\n', _) => "'\\n'".to_owned(),
            (0, _) => "'\\0'".to_owned(),
            (byte @ (32..=38 | 40..=91 | 93..=126), 0 | 1) => format!("'{}'", byte as char),
            (byte, 0) => format!("'\\{byte:o}'"),
            (byte, _) => format!("'\\x{byte:x}'"),
        })
    }

    /// A constant expression for initialisers, case labels and enumerations.
    pub(super) fn constant_expression(&mut self) -> Expr {
        if self.random.chance(70) {
            return self.constant_leaf();
        }
        let (left, right) = (self.constant_leaf(), self.constant_leaf());
        let op = *self.random.pick(&["+", "-", "*", "&", "|", "^", "<<", ">>", "<", "=="]);
        self.apply(op, left, right)
    }

    fn constant_leaf(&mut self) -> Expr {
        match self.random.below(10) {
            0 => self.enum_constant().unwrap_or_else(|| self.literal()),
            1 => self.sizeof_type(),
            2 => {
                let value = self.literal();
                let ty = *self.random.pick(&Int::COMMON);
                self.cast(value, ty)
            }
            _ => self.literal(),
        }
    }

    pub(super) fn enum_constant(&mut self) -> Option<Expr> {
        if self.types.enums.is_empty() {
            return None;
        }
        let index = self.random.below(self.types.enums.len());
        let (name, value) = self.random.pick(&self.types.enums[index].constants).clone();
        Some(Expr::new(name, level::POSTFIX, Int::Int, Range::new(value, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_the_type_the_standard_gives_them() {
        let of = |value, base, suffix, model| literal_type(value, base, suffix, model).unwrap();
        assert_eq!(of(5, Base::Decimal, "", Model::Lp64), Int::Int);
        assert_eq!(of(0x8000_0000, Base::Decimal, "", Model::Lp64), Int::Long);
        assert_eq!(of(0x8000_0000, Base::Decimal, "", Model::Ilp32), Int::LongLong);
        assert_eq!(of(0x8000_0000, Base::Other, "", Model::Ilp32), Int::Unsigned);
        assert_eq!(of(0xFFFF_FFFF_FFFF_FFFF, Base::Other, "", Model::Lp64), Int::UnsignedLong);
        assert_eq!(of(1 << 40, Base::Decimal, "u", Model::Ilp32), Int::UnsignedLongLong);
        assert_eq!(literal_type(1 << 63, Base::Decimal, "ll", Model::Lp64), None);
    }
}
