//! Exact decimal and hexadecimal expansions of floats of all formats, rounded half to even as glibc prints them.

use std::fmt::Write as _;

use cfa::ty::FloatKind;

/// A float taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Nan,
    Infinite,
    /// `mantissa * 2^exponent`.
    Finite {
        mantissa: u128,
        exponent: i32,
    },
}

/// Sign (whether it is set) and class of an encoding.
pub(crate) fn decompose(kind: FloatKind, bits: u128) -> (bool, Class) {
    let (fraction_bits, exponent_bits, explicit) = match kind {
        FloatKind::Single => (23, 8, false),
        FloatKind::Double => (52, 11, false),
        FloatKind::Extended => (64, 15, true),
        FloatKind::Quad => (112, 15, false),
    };
    let negative = bits >> (fraction_bits + exponent_bits) & 1 != 0;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let ones = (1_u32 << exponent_bits) - 1;
    let biased = (bits >> fraction_bits) as u32 & ones;
    let bias = (ones >> 1) as i32;
    if biased == ones {
        let payload = if explicit { fraction & !(1 << 63) } else { fraction };
        return (negative, if payload == 0 { Class::Infinite } else { Class::Nan });
    }
    let mantissa = if explicit || biased == 0 { fraction } else { fraction | 1 << fraction_bits };
    let point = if explicit { fraction_bits - 1 } else { fraction_bits };
    let exponent = biased.max(1) as i32 - bias - point;
    (negative, Class::Finite { mantissa, exponent })
}

/// A number as decimal digits: 0.d1 d2 d3 ... times 10^point; no digits for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

const BASE: u64 = 1_000_000_000;

fn multiply(limbs: &mut Vec<u64>, factor: u64) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = *limb * factor + carry;
        *limb = product % BASE;
        carry = product / BASE;
    }
    while carry > 0 {
        limbs.push(carry % BASE);
        carry /= BASE;
    }
}

impl Decimal {
    /// All digits of `mantissa * 2^exponent`.
    pub(crate) fn exact(mut mantissa: u128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self { digits: Vec::new(), point: 0 };
        }
        let even = mantissa.trailing_zeros().min(exponent.unsigned_abs()) as i32;
        let exponent = if exponent < 0 {
            mantissa >>= even;
            exponent + even
        } else {
            exponent
        };
        let mut limbs = Vec::new();
        while mantissa > 0 {
            limbs.push((mantissa % u128::from(BASE)) as u64);
            mantissa /= u128::from(BASE);
        }
        // Below the point, a division by 2 is a multiplication by 5 one digit further right.
        let (base, step) = if exponent < 0 { (5_u64, 12) } else { (2_u64, 29) };
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            let count = left.min(step);
            multiply(&mut limbs, base.pow(count));
            left -= count;
        }
        let mut digits = Vec::with_capacity(limbs.len() * 9);
        for limb in limbs.iter().rev() {
            let mut power = BASE / 10;
            while power > 0 {
                digits.push((limb / power % 10) as u8);
                power /= 10;
            }
        }
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        let point = digits.len() as i64 + i64::from(exponent.min(0));
        let mut decimal = Self { digits, point };
        decimal.trim();
        decimal
    }
    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
    }
    /// Keeps the first `count` digits, rounded half to even.
    fn round(&mut self, count: i64) {
        if count >= self.digits.len() as i64 {
            return;
        }
        if count < 0 {
            self.digits.clear();
            self.point = 0;
            return;
        }
        let at = count as usize;
        let (first, rest) = (self.digits[at], &self.digits[at + 1..]);
        let odd = at > 0 && self.digits[at - 1] % 2 == 1;
        let up = first > 5 || first == 5 && (odd || rest.iter().any(|digit| *digit != 0));
        self.digits.truncate(at);
        if up {
            while let Some(9) = self.digits.last() {
                self.digits.pop();
            }
            if let Some(last) = self.digits.last_mut() {
                *last += 1;
            } else {
                self.digits.push(1);
                self.point += 1;
            }
        }
        self.trim();
    }
    /// The digit of weight 10^position.
    fn digit(&self, position: i64) -> char {
        let index = self.point - 1 - position;
        let digit = usize::try_from(index).ok().and_then(|index| self.digits.get(index));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
    /// As `%f`: digits before and behind the point.
    pub(crate) fn fixed(&mut self, precision: usize) -> (String, String) {
        self.round(self.point + precision as i64);
        let whole = (0..self.point.max(1)).rev().map(|position| self.digit(position)).collect();
        let fraction = (1..=precision as i64).map(|position| self.digit(-position)).collect();
        (whole, fraction)
    }
    /// As `%e`: the first digit, the digits behind the point, and the exponent.
    pub(crate) fn scientific(&mut self, precision: usize) -> (String, String, i64) {
        self.round(precision as i64 + 1);
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let first = self.digit(exponent).to_string();
        let rest = (1..=precision as i64).map(|position| self.digit(exponent - position)).collect();
        (first, rest, exponent)
    }
}

/// `e+05`: at least two digits.
pub(crate) fn exponent_text(letter: char, exponent: i64) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{letter}{sign}{:02}", exponent.unsigned_abs())
}

/// Whether what says nothing is printed: zeros at the end, a point without digits behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// No.
    Short,
    /// Yes, as the flag `#` demands.
    Full,
}

/// The body of a finite number as `%g` prints it.
pub(crate) fn general_text(mut decimal: Decimal, precision: usize, form: Form, letter: char) -> String {
    let precision = precision.max(1);
    let mut rounded = decimal.clone();
    let (_, _, exponent) = rounded.scientific(precision - 1);
    let (mut text, tail) = if exponent < -4 || exponent >= precision as i64 {
        // glibc drops the zeros if only rounding asks for an exponent.
        let by_rounding = exponent == precision as i64 && decimal.point == exponent;
        let (first, rest, exponent) = decimal.scientific(precision - 1);
        let rest = if by_rounding { "" } else { &rest };
        (format!("{first}.{rest}"), exponent_text(letter, exponent))
    } else {
        let (whole, fraction) = decimal.fixed((precision as i64 - 1 - exponent) as usize);
        (format!("{whole}.{fraction}"), String::new())
    };
    if form == Form::Short {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    text + &tail
}

/// A float as `%.*g` prints it.
pub(crate) fn general(kind: FloatKind, bits: u128, precision: usize) -> String {
    let (negative, class) = decompose(kind, bits);
    let sign = if negative { "-" } else { "" };
    match class {
        Class::Nan => format!("{sign}nan"),
        Class::Infinite => format!("{sign}inf"),
        Class::Finite { mantissa, exponent } => {
            sign.to_owned() + &general_text(Decimal::exact(mantissa, exponent), precision, Form::Short, 'e')
        }
    }
}

/// The body of a finite number as `%a` prints it, without sign: `0x1.8p+1`.
pub(crate) fn hexadecimal(kind: FloatKind, bits: u128, precision: Option<usize>, form: Form) -> String {
    let (_, Class::Finite { mantissa, exponent }) = decompose(kind, bits) else { return String::new() };
    // Bits behind the leading hexadecimal digit; x87 has a whole digit in front, the others one bit.
    let fraction_bits = match kind {
        FloatKind::Single => 23,
        FloatKind::Double => 52,
        FloatKind::Extended => 60,
        FloatKind::Quad => 112,
    };
    if mantissa == 0 {
        return format_hexadecimal(0, 0, 0, 0, precision, form);
    }
    let shown = exponent + fraction_bits;
    // Whole hexadecimal digits.
    let padding = (4 - fraction_bits % 4) % 4;
    let (leading, fraction) = (mantissa >> fraction_bits, mantissa & ((1 << fraction_bits) - 1));
    format_hexadecimal(leading, fraction << padding, fraction_bits + padding, shown, precision, form)
}

fn format_hexadecimal(
    mut leading: u128,
    mut fraction: u128,
    bits: i32,
    mut exponent: i32,
    precision: Option<usize>,
    form: Form,
) -> String {
    let mut digits = bits as usize / 4;
    let mut zeros = 0;
    match precision {
        Some(wanted) if wanted < digits => {
            let dropped = (digits - wanted) * 4;
            let all = (leading << bits) | fraction;
            let (kept, rest) = (all >> dropped, all & ((1 << dropped) - 1));
            let half = 1 << (dropped - 1);
            let rounded = kept + u128::from(rest > half || rest == half && kept % 2 == 1);
            digits = wanted;
            leading = rounded >> (digits * 4);
            fraction = rounded & ((1 << (digits * 4)) - 1);
            // Only x87 has a leading digit that can be `f`.
            if leading == 16 {
                (leading, exponent) = (1, exponent + 4);
            }
        }
        Some(wanted) => zeros = wanted - digits,
        None => {
            while digits > 0 && fraction.is_multiple_of(16) {
                fraction /= 16;
                digits -= 1;
            }
        }
    }
    let mut text = format!("0x{leading:x}");
    if digits + zeros > 0 || form == Form::Full {
        text.push('.');
    }
    if digits > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, "{fraction:0digits$x}");
    }
    text.extend(std::iter::repeat_n('0', zeros));
    let sign = if exponent < 0 { '-' } else { '+' };
    text + &format!("p{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(value: f64) -> Decimal {
        match decompose(FloatKind::Double, u128::from(value.to_bits())) {
            (_, Class::Finite { mantissa, exponent }) => Decimal::exact(mantissa, exponent),
            (_, Class::Nan | Class::Infinite) => Decimal { digits: Vec::new(), point: 0 },
        }
    }

    #[test]
    fn expansions_are_exact() {
        let (whole, fraction) = decimal(0.1).fixed(55);
        assert_eq!(
            (whole.as_str(), fraction.as_str()),
            ("0", "1000000000000000055511151231257827021181583404541015625")
        );
        assert_eq!(decimal(1e23).fixed(0).0, "99999999999999991611392");
        let (_, digits) = decimal(5e-324).fixed(1074);
        assert_eq!(digits.trim_start_matches('0').len(), 751);
        assert!(digits.trim_start_matches('0').starts_with("4940656458412465441765687928682213723650598"));
    }

    #[test]
    fn ties_go_to_even() {
        for (value, shown) in [(0.5, "0"), (1.5, "2"), (2.5, "2"), (0.51, "1"), (9.5, "10"), (99.5, "100")] {
            assert_eq!(decimal(value).fixed(0).0, shown, "{value}");
        }
        assert_eq!(decimal(0.125).fixed(2).1, "12");
        assert_eq!(decimal(0.375).fixed(2).1, "38");
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut state = 1_u64;
        for _ in 0..300 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(state).abs();
            if !value.is_finite() {
                continue;
            }
            for precision in [0, 1, 6, 17] {
                let (first, rest, exponent) = decimal(value).scientific(precision);
                let point = if precision == 0 { "" } else { "." };
                assert_eq!(format!("{first}{point}{rest}e{exponent}"), format!("{value:.precision$e}"));
                let (whole, fraction) = decimal(value).fixed(precision);
                assert_eq!(format!("{whole}{point}{fraction}"), format!("{value:.precision$}"));
            }
        }
    }

    #[test]
    fn hexadecimal_expansions() {
        let hex = |value: f64, precision| {
            hexadecimal(FloatKind::Double, u128::from(value.to_bits()), precision, Form::Short)
        };
        assert_eq!(hex(1.0, None), "0x1p+0");
        assert_eq!(hex(0.1, None), "0x1.999999999999ap-4");
        assert_eq!(hex(0.1, Some(3)), "0x1.99ap-4");
        assert_eq!(hex(3.0, Some(2)), "0x1.80p+1");
        assert_eq!(hex(0.0, None), "0x0p+0");
        assert_eq!(hex(5e-324, None), "0x0.0000000000001p-1022");
        assert_eq!(hexadecimal(FloatKind::Extended, 0x3fff_8000_0000_0000_0000, None, Form::Short), "0x8p-3");
        assert_eq!(
            hexadecimal(FloatKind::Extended, 0x3fff_ffff_ffff_ffff_ffff, Some(2), Form::Short),
            "0x1.00p+1"
        );
    }
}
