//! Text output: `printf`, `puts` and `putchar` as glibc does them.
//!
//! A format that does not fit its arguments is undefined behaviour; conversions that are not implemented (`%n`, `%m`, wide
//! characters, positional arguments) are unsupported.

use super::decimal::{self, Class, Decimal, Form};
use super::outcome::{Fault, Resource, UndefinedKind};
use super::value::Value;
use cfa::op::OutputFunction;
use cfa::ty::{DataModel, FloatKind, Ty};

/// Most bytes that one call may write.
const OUTPUT_LIMIT: usize = 64 << 20;

/// What a call writes and returns.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    pub(crate) result: i64,
    /// Whether an address is among what is written.
    pub(crate) has_address: bool,
}

/// Reads a string of at most so many bytes at a pointer.
type ReadString<'a> = &'a mut dyn FnMut(u64, Option<usize>) -> Result<Vec<u8>, Fault>;

fn bad(detail: impl Into<String>) -> Fault {
    Fault::undefined(UndefinedKind::BadFormat, detail)
}

/// Whether an argument has the size of an int after promotion.
fn is_int(value: Value) -> bool {
    matches!(value.ty, Ty::Int { width: ..=32, .. })
}

/// The text of an output call. Pointer arguments are as registers have them.
pub(crate) fn render(
    function: OutputFunction,
    args: &[Value],
    model: DataModel,
    read: ReadString<'_>,
) -> Result<Text, Fault> {
    let first = args.first().ok_or_else(|| bad("there is no argument"))?;
    match function {
        OutputFunction::Putchar => {
            let byte = first.bits as u8;
            Ok(Text { bytes: vec![byte], result: i64::from(byte), has_address: false })
        }
        OutputFunction::Puts => {
            let mut bytes = read(first.bits as u64, None)?;
            bytes.push(b'\n');
            let result = bytes.len() as i64;
            Ok(Text { bytes, result, has_address: false })
        }
        OutputFunction::Printf => {
            let format = read(first.bits as u64, None)?;
            let mut printer = Printer { args: args[1..].iter(), model, out: Vec::new(), has_address: false };
            printer.all(&format, read)?;
            let result = printer.out.len() as i64;
            Ok(Text { bytes: printer.out, result, has_address: printer.has_address })
        }
    }
}

/// An argument that is read as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextArgument {
    /// Its position after the format.
    pub index: usize,
    /// The most bytes that are read, if the format says so.
    pub limit: Option<u64>,
}

/// What a format does with arguments of some types, whatever their values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The arguments that are read as texts, in order; those of a limit that is an argument itself count without limit.
    pub texts: Vec<TextArgument>,
    /// What is known of the conversions.
    pub rest: Rest,
}

/// How the conversions of a format fit the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// All of them match.
    Matches,
    /// One does not match its argument, or is none. What comes before it is done.
    Mismatch,
    /// One is not known here, nor is what comes after it.
    Unknown,
}

/// Looks at the format of a call of `printf`.
pub fn examine(format: &[u8], types: &[Ty], model: DataModel) -> Examined {
    // The arguments are told apart by their values.
    let number =
        |(index, ty): (usize, &Ty)| Value { ty: *ty, bits: if *ty == Ty::Ptr { index as u128 } else { 0 } };
    let args: Vec<Value> = types.iter().enumerate().map(number).collect();
    let has_star = format.contains(&b'*');
    let mut texts = Vec::new();
    let mut read = |index: u64, limit: Option<usize>| {
        let limit = limit.filter(|_| !has_star).map(|limit| limit as u64);
        texts.push(TextArgument { index: index as usize, limit });
        Ok(Vec::new())
    };
    let mut printer = Printer { args: args.iter(), model, out: Vec::new(), has_address: false };
    let rest = match printer.all(format, &mut read) {
        Err(Fault::Undefined { kind: UndefinedKind::BadFormat, .. }) => Rest::Mismatch,
        Err(Fault::Unsupported(_)) => Rest::Unknown,
        _ => Rest::Matches,
    };
    Examined { texts, rest }
}

/// One conversion, between `%` and its letter.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "they are C's flags, which combine freely")]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Length modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Pointer,
    LongDouble,
}

struct Printer<'a> {
    args: std::slice::Iter<'a, Value>,
    model: DataModel,
    out: Vec<u8>,
    has_address: bool,
}

impl Printer<'_> {
    fn all(&mut self, format: &[u8], read: ReadString<'_>) -> Result<(), Fault> {
        let mut rest = format;
        while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
            self.out.extend_from_slice(&rest[..at]);
            rest = &rest[at + 1..];
            let (mut spec, size, letter) = self.spec(&mut rest)?;
            spec.zero &= !spec.left;
            self.conversion(spec, size, letter, read)?;
            if self.out.len() > OUTPUT_LIMIT {
                return Err(Fault::Resource(Resource::OutputSize));
            }
        }
        self.out.extend_from_slice(rest);
        Ok(())
    }
    fn next(&mut self) -> Result<Value, Fault> {
        self.args.next().copied().ok_or_else(|| bad("there are more conversions than arguments"))
    }
    /// A number, or the argument that `*` stands for.
    fn number(&mut self, rest: &mut &[u8]) -> Result<Option<i64>, Fault> {
        if rest.first() == Some(&b'*') {
            *rest = &rest[1..];
            let value = self.next()?;
            if !is_int(value) {
                return Err(bad("`*` takes an int"));
            }
            return Ok(Some(i64::from(value.as_int() as i32)));
        }
        let mut number = None;
        while let Some(digit) = rest.first().filter(|byte| byte.is_ascii_digit()) {
            let so_far: i64 = number.unwrap_or(0);
            number = Some((so_far * 10 + i64::from(digit - b'0')).min(i64::from(i32::MAX)));
            *rest = &rest[1..];
        }
        Ok(number)
    }
    fn spec(&mut self, rest: &mut &[u8]) -> Result<(Spec, Size, u8), Fault> {
        let mut spec = Spec::default();
        while let Some(flag) = rest.first() {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                // Groups digits in locales that say how; "C" does not.
                b'\'' => {}
                _ => break,
            }
            *rest = &rest[1..];
        }
        let width = self.number(rest)?.unwrap_or(0);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if rest.first() == Some(&b'.') {
            *rest = &rest[1..];
            // A negative precision counts as none.
            spec.precision = usize::try_from(self.number(rest)?.unwrap_or(0)).ok();
        }
        if spec.width.max(spec.precision.unwrap_or(0)) > OUTPUT_LIMIT {
            return Err(Fault::Resource(Resource::OutputSize));
        }
        let (size, skip) = match rest {
            [b'h', b'h', ..] => (Size::Char, 2),
            [b'h', ..] => (Size::Short, 1),
            [b'l', b'l', ..] => (Size::LongLong, 2),
            [b'l', ..] => (Size::Long, 1),
            [b'q' | b'j', ..] => (Size::LongLong, 1),
            [b'z' | b't', ..] => (Size::Pointer, 1),
            [b'L', ..] => (Size::LongDouble, 1),
            _ => (Size::Int, 0),
        };
        *rest = &rest[skip..];
        let letter = *rest.first().ok_or_else(|| bad("the format ends within a conversion"))?;
        *rest = &rest[1..];
        Ok((spec, size, letter))
    }
    fn conversion(&mut self, spec: Spec, size: Size, letter: u8, read: ReadString<'_>) -> Result<(), Fault> {
        match letter {
            b'%' => self.out.push(b'%'),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => self.integer(spec, size, letter)?,
            b'c' if size == Size::Int => {
                let value = self.next()?;
                if !is_int(value) {
                    return Err(bad("%c takes an int"));
                }
                self.pad_text(spec, &[value.bits as u8]);
            }
            b's' if size == Size::Int => {
                let value = self.next()?;
                if value.ty != Ty::Ptr {
                    return Err(bad("%s takes a string"));
                }
                let text = read(value.bits as u64, spec.precision)?;
                self.pad_text(spec, &text);
            }
            b'p' => {
                let value = self.next()?;
                if value.ty != Ty::Ptr {
                    return Err(bad("%p takes a pointer"));
                }
                let width = u32::from(self.model.pointer_width());
                let address = value.bits & (u128::MAX >> (128 - width));
                self.has_address |= address != 0;
                if address == 0 {
                    self.pad_text(spec, b"(nil)");
                } else {
                    let spec = Spec { alternative: true, ..spec };
                    self.digits(spec, b'x', spec.positive_sign(), address);
                }
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => self.float(spec, size, letter)?,
            b'c' | b's' | b'C' | b'S' | b'n' | b'm' => {
                return Err(Fault::Unsupported(format!("conversion %{}", char::from(letter))));
            }
            other if other == b'$' || other.is_ascii_digit() => {
                return Err(Fault::Unsupported("positional conversion".into()));
            }
            other => return Err(bad(format!("unknown conversion %{}", other.escape_ascii()))),
        }
        Ok(())
    }
    /// Text, to which the flag `0` does not apply.
    fn pad_text(&mut self, spec: Spec, body: &[u8]) {
        self.pad(Spec { zero: false, ..spec }, &[], body);
    }
    /// Sign or prefix, then the digits, filled up to the width.
    fn pad(&mut self, spec: Spec, prefix: &[u8], body: &[u8]) {
        let missing = spec.width.saturating_sub(prefix.len() + body.len());
        let fill = |out: &mut Vec<u8>, byte| out.extend(std::iter::repeat_n(byte, missing));
        if !spec.left && !spec.zero {
            fill(&mut self.out, b' ');
        }
        self.out.extend_from_slice(prefix);
        if !spec.left && spec.zero {
            fill(&mut self.out, b'0');
        }
        self.out.extend_from_slice(body);
        if spec.left {
            fill(&mut self.out, b' ');
        }
    }
    fn integer(&mut self, mut spec: Spec, size: Size, letter: u8) -> Result<(), Fault> {
        let value = self.next()?;
        let Ty::Int { width: given, .. } = value.ty else {
            return Err(bad(format!("%{} takes an integer", char::from(letter))));
        };
        let width = match size {
            Size::Char => 8,
            Size::Short => 16,
            Size::Int => 32,
            Size::Long | Size::Pointer => self.model.pointer_width(),
            Size::LongLong | Size::LongDouble => 64,
        };
        // What is narrower than int was promoted.
        let passed = width.max(32);
        if given.max(32) != passed {
            return Err(bad(format!("%{} takes {passed} bits, not {given}", char::from(letter))));
        }
        let signed = matches!(letter, b'd' | b'i');
        let number = Ty::Int { width, signed }.value_of(value.as_int() as u128);
        if !signed {
            spec.plus = false;
            spec.space = false;
        }
        let sign: &[u8] = if number < 0 { b"-" } else { spec.positive_sign() };
        self.digits(spec, letter, sign, number.unsigned_abs());
        Ok(())
    }
    /// The digits of an integer, with what the flags ask for.
    fn digits(&mut self, mut spec: Spec, letter: u8, sign: &[u8], magnitude: u128) {
        let mut digits = match letter {
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            b'o' => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        if spec.precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        if let Some(precision) = spec.precision {
            spec.zero = false;
            let missing = precision.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        if letter == b'o' && spec.alternative && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let mut prefix = sign.to_vec();
        match letter {
            b'x' if spec.alternative && magnitude != 0 => prefix.extend(b"0x"),
            b'X' if spec.alternative && magnitude != 0 => prefix.extend(b"0X"),
            _ => {}
        }
        self.pad(spec, &prefix, digits.as_bytes());
    }
    fn float(&mut self, mut spec: Spec, size: Size, letter: u8) -> Result<(), Fault> {
        let value = self.next()?;
        let kind = match (value.ty, size) {
            (Ty::Float(kind @ (FloatKind::Extended | FloatKind::Quad)), Size::LongDouble) => kind,
            (Ty::Float(FloatKind::Double), Size::Int | Size::Long) => FloatKind::Double,
            _ => return Err(bad(format!("%{} takes a double, L a long double", char::from(letter)))),
        };
        let (negative, class) = decimal::decompose(kind, value.bits);
        let lower = letter.to_ascii_lowercase();
        let precision = spec.precision.unwrap_or(6);
        let sign: &[u8] = if negative { b"-" } else { spec.positive_sign() };
        let mut prefix = sign.to_vec();
        let form = if spec.alternative { Form::Full } else { Form::Short };
        let body = match class {
            Class::Nan | Class::Infinite => {
                spec.zero = false;
                if class == Class::Nan { "nan".to_owned() } else { "inf".to_owned() }
            }
            Class::Finite { .. } if lower == b'a' => {
                let text = decimal::hexadecimal(kind, value.bits, spec.precision, form);
                prefix.extend_from_slice(&text.as_bytes()[..2]);
                text[2..].to_owned()
            }
            Class::Finite { mantissa, exponent } => {
                let mut exact = Decimal::exact(mantissa, exponent);
                let point = if precision > 0 || spec.alternative { "." } else { "" };
                match lower {
                    b'f' => {
                        let (whole, fraction) = exact.fixed(precision);
                        format!("{whole}{point}{fraction}")
                    }
                    b'e' => {
                        let (first, rest, exponent) = exact.scientific(precision);
                        format!("{first}{point}{rest}{}", decimal::exponent_text('e', exponent))
                    }
                    _ => decimal::general_text(exact, precision, form, 'e'),
                }
            }
        };
        let body = if letter == lower { body } else { body.to_ascii_uppercase() };
        if letter != lower {
            prefix.make_ascii_uppercase();
        }
        self.pad(spec, &prefix, body.as_bytes());
        Ok(())
    }
}

impl Spec {
    /// What stands before a number that is not negative.
    fn positive_sign(self) -> &'static [u8] {
        match self {
            Self { plus: true, .. } => b"+",
            Self { space: true, .. } => b" ",
            Self { .. } => b"",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of `printf` where the strings at addresses 1, 2, ... are the given ones.
    fn printf(format: &str, strings: &[&str], args: &[Value]) -> Result<String, Fault> {
        let mut all = vec![Value::int(Ty::Ptr, 1)];
        all.extend_from_slice(args);
        let text = render(OutputFunction::Printf, &all, DataModel::Lp64, &mut |pointer, limit| {
            let text = if pointer == 1 { format } else { strings[pointer as usize - 2] };
            Ok(text.bytes().take(limit.unwrap_or(usize::MAX)).collect())
        })?;
        assert_eq!(text.result, text.bytes.len() as i64);
        Ok(String::from_utf8_lossy(&text.bytes).into_owned())
    }
    fn int(value: i128) -> Value {
        Value::int(Ty::signed(32), value)
    }
    fn long(value: i128) -> Value {
        Value::int(Ty::signed(64), value)
    }

    #[test]
    fn integers_with_flags() {
        let cases: &[(&str, Value, &str)] = &[
            ("[%d]", int(-5), "[-5]"),
            ("[%5d]", int(-5), "[   -5]"),
            ("[%-5d]", int(-5), "[-5   ]"),
            ("[%05d]", int(-5), "[-0005]"),
            ("[%+d]", int(5), "[+5]"),
            ("[% d]", int(5), "[ 5]"),
            ("[%.3d]", int(5), "[005]"),
            ("[%05.3d]", int(5), "[  005]"),
            ("[%.0d]", int(0), "[]"),
            ("[%u]", int(-1), "[4294967295]"),
            ("[%x]", int(-1), "[ffffffff]"),
            ("[%#X]", int(255), "[0XFF]"),
            ("[%#o]", int(8), "[010]"),
            ("[%#x]", int(0), "[0]"),
            ("[%hhd]", int(200), "[-56]"),
            ("[%hu]", int(-1), "[65535]"),
            ("[%ld]", long(-1), "[-1]"),
            ("[%zu]", long(-1), "[18446744073709551615]"),
            ("[%lld]", long(i128::from(i64::MIN)), "[-9223372036854775808]"),
            ("[%c]", int(65), "[A]"),
            ("[%3c]", int(65), "[  A]"),
            ("[%03c]", int(65), "[  A]"),
            ("[%'d]", int(1_234_567), "[1234567]"),
            ("[%+u]", int(5), "[5]"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(printf(format, &[], &[*value]).unwrap(), *expected, "{format}");
        }
    }

    #[test]
    fn strings_pointers_and_stars() {
        let pointer = |at| Value::int(Ty::Ptr, at);
        assert_eq!(printf("%s-%5.1s|", &["abc", "xyz"], &[pointer(2), pointer(3)]).unwrap(), "abc-    x|");
        assert_eq!(printf("%p %p", &[], &[pointer(0), pointer(255)]).unwrap(), "(nil) 0xff");
        assert_eq!(printf("%08p %08p", &[], &[pointer(0), pointer(255)]).unwrap(), "   (nil) 0x0000ff");
        assert_eq!(printf("%05s", &["ab"], &[pointer(2)]).unwrap(), "   ab");
        assert_eq!(
            printf("%*d|%-*d|%.*f%%", &[], &[int(4), int(7), int(-3), int(1), int(2), Value::double(0.5)])
                .unwrap(),
            "   7|1  |0.50%"
        );
    }

    #[test]
    fn floats_as_glibc_prints_them() {
        let cases: &[(&str, f64, &str)] = &[
            ("%f", 3.0, "3.000000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 2.5, "2."),
            ("%10.3f|", -1.2345, "    -1.234|"),
            ("%010.3f", -1.2345, "-00001.234"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%E", 0.0, "0.000000E+00"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 1e6, "1e+06"),
            ("%g", 123_456.0, "123456"),
            ("%#g", 1.0, "1.00000"),
            ("%#g", 1e6, "1.00000e+06"),
            ("%#g", 999_999.5, "1.e+06"),
            ("%.3g", 999.9, "1e+03"),
            ("%a", 1.0, "0x1p+0"),
            ("%08a", 1.0, "0x001p+0"),
            ("%A", 0.1, "0X1.999999999999AP-4"),
            ("%f", f64::NEG_INFINITY, "-inf"),
            ("%5F", f64::INFINITY, "  INF"),
            ("%05f", f64::INFINITY, "  inf"),
            ("%f", -0.0, "-0.000000"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(printf(format, &[], &[Value::double(*value)]).unwrap(), *expected, "{format} {value}");
        }
        let extended = Value { ty: Ty::Float(FloatKind::Extended), bits: 0x3fff_8000_0000_0000_0001 };
        assert_eq!(printf("%.20Lf", &[], &[extended]).unwrap(), "1.00000000000000000011");
    }

    #[test]
    fn bad_formats_are_faults() {
        for (format, args) in [
            ("%d", vec![]),
            ("%d", vec![Value::double(1.0)]),
            ("%ld", vec![int(1)]),
            ("%d", vec![long(1)]),
            ("%hhd", vec![long(1)]),
            ("%c", vec![long(1)]),
            ("%*d", vec![long(1), int(1)]),
            ("%s", vec![int(1)]),
            ("%", vec![]),
            ("%y", vec![int(1)]),
        ] {
            let fault = printf(format, &[], &args).unwrap_err();
            assert!(matches!(fault, Fault::Undefined { kind: UndefinedKind::BadFormat, .. }), "{format}");
        }
        assert!(matches!(printf("%n", &[], &[int(1)]), Err(Fault::Unsupported(_))));
        assert!(matches!(
            printf("%999999999999d", &[], &[int(1)]),
            Err(Fault::Resource(Resource::OutputSize))
        ));
    }
}
