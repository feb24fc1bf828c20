//! The values of literals.
//!
//! A token of a literal says only where it starts; its text is read again here, with splices removed and escapes decoded.

use base::{Diagnostic, Span};

use super::{Failure, TokenKind, splice_length};
use crate::ast::{CharLiteral, Encoding, FloatLiteral, FloatSuffix, IntegerLiteral, IntegerSuffix, Notation};

/// The value of a number token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Number {
    /// An integer.
    Integer(IntegerLiteral),
    /// A floating-point number.
    Float(FloatLiteral),
}

/// The bytes of one token with splices removed.
struct Bytes<'a> {
    text: &'a [u8],
    position: usize,
}

impl Bytes<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.position) == Some(&b'\\') {
            match splice_length(self.text, self.position) {
                0 => break,
                length => self.position += length,
            }
        }
        self.text.get(self.position).copied()
    }
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.position += 1;
        Some(byte)
    }
}

/// The number whose token starts at `start`. Literals above 2^128 - 1 and malformed ones are errors at `span`.
pub fn number(text: &[u8], start: usize, span: Span) -> Result<Number, Failure> {
    // The plain case, `123` or `0` followed by what is no part of it, is worth a short cut.
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = text.get(start + digits).copied().unwrap_or(b' ');
    let plain = !next.is_ascii_alphanumeric() && !matches!(next, b'.' | b'_' | b'$' | b'\\');
    if plain && (1..=19).contains(&digits) && (digits == 1 || text[start] != b'0') {
        let value =
            text[start..start + digits].iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
        let notation = if text[start] == b'0' { Notation::PowerOfTwo } else { Notation::Decimal };
        return Ok(Number::Integer(IntegerLiteral::new(value.into(), notation, IntegerSuffix::default())));
    }
    let spelling = number_spelling(text, start);
    let invalid = |reason: &str| -> Failure {
        let shown: String = spelling.chars().take(60).collect();
        Box::new(Diagnostic::error(format!("invalid number `{shown}`"), span).with_label(reason))
    };
    let lower = spelling.to_ascii_lowercase();
    let (radix, rest) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        _ => (10, lower.as_str()),
    };
    let is_float = match radix {
        16 => rest.contains(['.', 'p']),
        10 => rest.contains(['.', 'e']),
        _ => false,
    };
    if is_float {
        float(&lower, radix, rest).map_err(invalid)
    } else {
        integer(&spelling, radix, rest).map_err(invalid)
    }
}

/// The text of the preprocessing number that starts at `start`.
fn number_spelling(text: &[u8], start: usize) -> String {
    let mut bytes = Bytes { text, position: start };
    let mut spelling = String::new();
    while let Some(byte) = bytes.peek() {
        let accepted = match byte {
            b'+' | b'-' => matches!(spelling.bytes().last(), Some(b'e' | b'E' | b'p' | b'P')),
            b'.' | b'_' | b'$' => true,
            _ => byte.is_ascii_alphanumeric(),
        };
        if !accepted {
            break;
        }
        spelling.push(char::from(byte));
        bytes.position += 1;
    }
    spelling
}

/// An integer from its spelling and, in lower case, what follows its prefix.
fn integer(spelling: &str, radix: u32, rest: &str) -> Result<Number, &'static str> {
    let octal = radix == 10 && rest.starts_with('0');
    let digits = rest.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if digits == 0 {
        return Err("there are no digits after the prefix");
    }
    let real_radix = if octal { 8 } else { radix };
    let mut value: u128 = 0;
    for digit in rest[..digits].bytes() {
        let digit = char::from(digit).to_digit(real_radix).ok_or("a digit of an octal number is below 8")?;
        value = value
            .checked_mul(real_radix.into())
            .and_then(|value| value.checked_add(digit.into()))
            .ok_or("the value does not fit into 128 bits")?;
    }
    let suffix = &spelling[spelling.len() - (rest.len() - digits)..];
    let suffix = integer_suffix(suffix).ok_or("this suffix is unknown")?;
    let notation = if real_radix == 10 { Notation::Decimal } else { Notation::PowerOfTwo };
    Ok(Number::Integer(IntegerLiteral::new(value, notation, suffix)))
}

fn integer_suffix(text: &str) -> Option<IntegerSuffix> {
    let mut suffix = IntegerSuffix::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = 1;
        match first {
            'u' | 'U' if !suffix.unsigned => suffix.unsigned = true,
            'i' | 'I' | 'j' | 'J' if !suffix.imaginary => suffix.imaginary = true,
            'l' | 'L' if suffix.long == 0 => {
                length = if rest.starts_with("ll") || rest.starts_with("LL") { 2 } else { 1 };
                suffix.long = length as u8;
            }
            _ => return None,
        }
        rest = &rest[length..];
    }
    Some(suffix)
}

/// A floating-point number from its spelling in lower case and what follows its prefix.
fn float(lower: &str, radix: u32, rest: &str) -> Result<Number, &'static str> {
    let digits = |text: &str| text.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let whole = digits(rest);
    let mut end = whole;
    let mut fraction = 0;
    if rest[end..].starts_with('.') {
        fraction = digits(&rest[end + 1..]);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return Err("there are no digits");
    }
    if rest[end..].starts_with(if radix == 16 { 'p' } else { 'e' }) {
        end += 1;
        end += usize::from(rest[end..].starts_with(['+', '-']));
        let exponent = rest[end..].bytes().take_while(u8::is_ascii_digit).count();
        if exponent == 0 {
            return Err("the exponent has no digits");
        }
        end += exponent;
    } else if radix == 16 {
        return Err("a hexadecimal floating-point number needs an exponent `p…`");
    }
    let end = end + lower.len() - rest.len();
    let (imaginary, suffix) = match lower[end..].strip_suffix(['i', 'j']) {
        Some(suffix) => (true, suffix),
        None => match lower[end..].strip_prefix(['i', 'j']) {
            Some(suffix) => (true, suffix),
            None => (false, &lower[end..]),
        },
    };
    let suffix = match suffix {
        "" => FloatSuffix::None,
        "f" => FloatSuffix::F,
        "l" => FloatSuffix::L,
        "q" | "f128" => FloatSuffix::Q,
        "f16" => FloatSuffix::F16,
        "f32" => FloatSuffix::F32,
        "f64" => FloatSuffix::F64,
        "f32x" => FloatSuffix::F32x,
        "f64x" => FloatSuffix::F64x,
        _ => return Err("this suffix is unknown"),
    };
    Ok(Number::Float(FloatLiteral { text: lower[..end].into(), suffix, imaginary }))
}

/// The text of the literal that starts at `start`, without splices.
pub(crate) fn spelling(text: &[u8], start: usize, kind: TokenKind) -> Vec<u8> {
    if kind == TokenKind::Number {
        return number_spelling(text, start).into_bytes();
    }
    let (_, quote, mut bytes) = open(text, start);
    let mut spelling = text[start..bytes.position].to_vec();
    while let Some(byte) = bytes.next() {
        spelling.push(byte);
        match byte {
            b'\\' => spelling.extend(bytes.next()),
            _ if byte == quote => break,
            _ => {}
        }
    }
    spelling
}

/// The prefix of the character or string literal that starts at `start`.
pub fn encoding(text: &[u8], start: usize) -> Encoding {
    open(text, start).0
}

/// Prefix, quote, and the bytes after the opening quote.
fn open(text: &[u8], start: usize) -> (Encoding, u8, Bytes<'_>) {
    let mut bytes = Bytes { text, position: start };
    let mut encoding = Encoding::Plain;
    while let Some(byte) = bytes.next() {
        encoding = match byte {
            b'L' => Encoding::Wide,
            b'U' => Encoding::Char32,
            b'u' => Encoding::Char16,
            b'8' => Encoding::Utf8,
            _ => return (encoding, byte, bytes),
        };
    }
    (encoding, b'"', bytes)
}

/// Appends the code units of the string literal that starts at `start`, read with the given prefix.
pub fn string(
    text: &[u8],
    start: usize,
    encoding: Encoding,
    span: Span,
    units: &mut Vec<u32>,
) -> Result<(), Failure> {
    let (_, quote, mut bytes) = open(text, start);
    while let Some(byte) = bytes.next().filter(|byte| *byte != quote) {
        element(&mut bytes, byte, encoding, span, units)?;
    }
    Ok(())
}

/// The character literal that starts at `start`.
pub fn character(text: &[u8], start: usize, span: Span) -> Result<CharLiteral, Failure> {
    let (encoding, quote, mut bytes) = open(text, start);
    let mut units = Vec::new();
    while let Some(byte) = bytes.next().filter(|byte| *byte != quote) {
        element(&mut bytes, byte, encoding, span, &mut units)?;
    }
    let Some(last) = units.last() else {
        return Err(Box::new(Diagnostic::error("empty character literal", span)));
    };
    let value = match encoding {
        Encoding::Plain => units.iter().fold(0, |value: u32, unit| value << 8 | unit),
        Encoding::Utf8 | Encoding::Char16 | Encoding::Char32 | Encoding::Wide => *last,
    };
    Ok(CharLiteral { value, count: units.len() as u32, encoding })
}

/// One character or escape whose first byte has been read.
fn element(
    bytes: &mut Bytes<'_>,
    first: u8,
    encoding: Encoding,
    span: Span,
    units: &mut Vec<u32>,
) -> Result<(), Failure> {
    let narrow = matches!(encoding, Encoding::Plain | Encoding::Utf8);
    if first == b'\\' {
        return escape(bytes, encoding, span, units);
    }
    if first < 0x80 || narrow {
        units.push(first.into());
        return Ok(());
    }
    // A wide literal has one unit for each character of the text.
    let mut sequence = vec![first];
    while sequence.len() < 4 && bytes.peek().is_some_and(|byte| byte & 0xC0 == 0x80) {
        sequence.extend(bytes.next());
    }
    match std::str::from_utf8(&sequence) {
        Ok(letters) => {
            letters.chars().for_each(|letter| push_character(letter as u32, encoding, units));
            Ok(())
        }
        Err(_) => Err(Box::new(Diagnostic::error("a wide literal is not valid UTF-8", span))),
    }
}

/// What follows a backslash.
fn escape(
    bytes: &mut Bytes<'_>,
    encoding: Encoding,
    span: Span,
    units: &mut Vec<u32>,
) -> Result<(), Failure> {
    let mask = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xFF,
        Encoding::Char16 => 0xFFFF,
        Encoding::Char32 | Encoding::Wide => u32::MAX,
    };
    let Some(letter) = bytes.next() else { return Ok(()) };
    let unit = match letter {
        b'a' => 7,
        b'b' => 8,
        b't' => 9,
        b'n' => 10,
        b'v' => 11,
        b'f' => 12,
        b'r' => 13,
        b'e' | b'E' => 27,
        b'0'..=b'7' => {
            let mut value = u32::from(letter - b'0');
            for _ in 0..2 {
                let Some(digit @ b'0'..=b'7') = bytes.peek() else { break };
                value = value * 8 + u32::from(digit - b'0');
                bytes.position += 1;
            }
            value
        }
        b'x' => {
            let (value, digits) = hex_digits(bytes, usize::MAX);
            if digits == 0 {
                return Err(Box::new(Diagnostic::error("escape `\\x` without digits", span)));
            }
            value
        }
        b'u' | b'U' => {
            let expected = if letter == b'u' { 4 } else { 8 };
            let (value, digits) = hex_digits(bytes, expected);
            if digits != expected || char::from_u32(value).is_none() {
                return Err(Box::new(Diagnostic::error("invalid universal character name", span)));
            }
            push_character(value, encoding, units);
            return Ok(());
        }
        // As gcc: an unknown escape stands for its letter.
        other => other.into(),
    };
    units.push(unit & mask);
    Ok(())
}

/// The value of up to `limit` hexadecimal digits, and how many there were.
fn hex_digits(bytes: &mut Bytes<'_>, limit: usize) -> (u32, usize) {
    let mut value: u32 = 0;
    let mut count = 0;
    while count < limit {
        let Some(digit) = bytes.peek().and_then(|byte| char::from(byte).to_digit(16)) else { break };
        value = value.wrapping_shl(4) | digit;
        count += 1;
        bytes.position += 1;
    }
    (value, count)
}

fn push_character(character: u32, encoding: Encoding, units: &mut Vec<u32>) {
    let letter = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(letter.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Char16 => {
            let mut buffer = [0; 2];
            units.extend(letter.encode_utf16(&mut buffer).iter().map(|unit| u32::from(*unit)));
        }
        Encoding::Char32 | Encoding::Wide => units.push(character),
    }
}

#[cfg(test)]
mod tests {
    use base::FileId;

    use super::*;

    const SPAN: Span = Span { file: FileId(0), lo: 0, hi: 1 };

    fn integer_of(text: &str) -> Option<(u128, Notation, IntegerSuffix)> {
        match number(text.as_bytes(), 0, SPAN) {
            Ok(Number::Integer(literal)) => Some((literal.value(), literal.notation, literal.suffix)),
            Ok(Number::Float(_)) | Err(_) => None,
        }
    }
    fn float_of(text: &str) -> Option<(String, FloatSuffix, bool)> {
        match number(text.as_bytes(), 0, SPAN) {
            Ok(Number::Float(literal)) => Some((literal.text.into(), literal.suffix, literal.imaginary)),
            Ok(Number::Integer(_)) | Err(_) => None,
        }
    }
    fn value(text: &str) -> Option<u128> {
        integer_of(text).map(|(value, _, _)| value)
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(value("0"), Some(0));
        assert_eq!(value("18446744073709551616"), Some(1 << 64));
        assert_eq!(value("0xffffffffffffffffffffffffffffffff"), Some(u128::MAX));
        assert_eq!(value("0x100000000000000000000000000000000"), None);
        assert_eq!(value("0777"), Some(0o777));
        assert_eq!(value("0b1011"), Some(11));
        assert_eq!(value("12\\\n34"), Some(1234));
        assert_eq!(value("089"), None);
        assert_eq!(value("0x"), None);
        assert_eq!(value("12ab"), None);
    }

    #[test]
    fn integer_suffixes() {
        let suffix = |unsigned, long, imaginary| IntegerSuffix { unsigned, long, imaginary };
        assert_eq!(integer_of("1uLL"), Some((1, Notation::Decimal, suffix(true, 2, false))));
        assert_eq!(integer_of("1lU"), Some((1, Notation::Decimal, suffix(true, 1, false))));
        assert_eq!(integer_of("0x1l"), Some((1, Notation::PowerOfTwo, suffix(false, 1, false))));
        assert_eq!(integer_of("3i"), Some((3, Notation::Decimal, suffix(false, 0, true))));
        assert_eq!(integer_of("1lL"), None);
        assert_eq!(integer_of("1uu"), None);
    }

    #[test]
    fn floats_keep_their_text() {
        assert_eq!(float_of("1.5e+3F"), Some(("1.5e+3".into(), FloatSuffix::F, false)));
        assert_eq!(float_of("0x1.8p-3L"), Some(("0x1.8p-3".into(), FloatSuffix::L, false)));
        assert_eq!(float_of(".5q"), Some((".5".into(), FloatSuffix::Q, false)));
        assert_eq!(float_of("1.f64x"), Some(("1.".into(), FloatSuffix::F64x, false)));
        assert_eq!(float_of("09.5"), Some(("09.5".into(), FloatSuffix::None, false)));
        assert_eq!(float_of("2.0fi"), Some(("2.0".into(), FloatSuffix::F, true)));
        assert_eq!(float_of("1e"), None);
        assert_eq!(float_of("0x1.8"), None);
        assert_eq!(float_of("1.5z"), None);
    }

    fn units(text: &[u8]) -> Option<Vec<u32>> {
        let mut units = Vec::new();
        string(text, 0, encoding(text, 0), SPAN, &mut units).ok()?;
        Some(units)
    }

    #[test]
    fn strings_decode_escapes() {
        assert_eq!(units(b"\"a\\n\\x41\\101\\0\\\"\\e\""), Some(vec![97, 10, 65, 65, 0, 34, 27]));
        assert_eq!(units(b"\"a\\\nb\""), Some(vec![97, 98]));
        assert_eq!(units(b"\"\xE9\""), Some(vec![0xE9]));
        assert_eq!(units("\"\\u00e9é\"".as_bytes()), Some(vec![0xC3, 0xA9, 0xC3, 0xA9]));
        assert_eq!(units("u\"\\U0001F600\"".as_bytes()), Some(vec![0xD83D, 0xDE00]));
        assert_eq!(units("L\"é\\xfffff\"".as_bytes()), Some(vec![0xE9, 0xF_FFFF]));
        assert_eq!(units(b"L\"\xE9\""), None);
        assert_eq!(units(b"\"\\ud800\""), None);
    }

    #[test]
    fn characters_combine_as_in_gcc() {
        let value = |text: &str| {
            character(text.as_bytes(), 0, SPAN).map(|literal| (literal.value, literal.count)).ok()
        };
        assert_eq!(value("'a'"), Some((97, 1)));
        assert_eq!(value("'\\xff'"), Some((255, 1)));
        assert_eq!(value("'ab'"), Some((97 * 256 + 98, 2)));
        assert_eq!(value("L'\u{e9}'"), Some((0xE9, 1)));
        assert_eq!(value("''"), None);
    }
}
