//! Random arguments: the ends of ranges, ties, and what comes close to being well formed.

use std::fmt::Write as _;

use crate::random::Random;

/// Integers where something changes.
const CORNERS: [i64; 22] = [
    0,
    1,
    -1,
    7,
    8,
    9,
    10,
    255,
    256,
    -128,
    127,
    32_767,
    -32_768,
    65_535,
    2_147_483_647,
    -2_147_483_648,
    4_294_967_295,
    4_294_967_296,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
    -10,
];

/// Doubles where something changes.
const FLOAT_CORNERS: [f64; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.499_999_999_999_999_94,
    0.1,
    9.5,
    99.5,
    999_999.5,
    9_999_995.0,
    0.0001,
    0.000_01,
    1e6,
    1e22,
    1e23,
    4_503_599_627_370_495.5,
    9.3e18,
    -9.3e18,
    9_223_372_036_854_774_784.0,
    2_147_483_647.5,
    1e300,
    5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// A string literal of these bytes.
pub(super) fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' | b'?' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\{}", char::from(*byte));
            }
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}

/// So many bytes from an alphabet.
pub(super) fn bytes(random: &mut Random, alphabet: &[u8], most: usize) -> Vec<u8> {
    (0..random.below(most + 1)).map(|_| *random.pick(alphabet)).collect()
}

/// An integer.
pub(super) fn integer(random: &mut Random) -> i64 {
    if random.chance(50) { *random.pick(&CORNERS) } else { (random.bits() as i64) >> random.below(64) }
}

/// A constant of type `long long`.
pub(super) fn constant(value: i64) -> String {
    format!("(long long)0x{:x}ULL", value as u64)
}

/// The bits of a double that is no signalling NaN.
pub(super) fn double(random: &mut Random) -> u64 {
    let value = match random.below(6) {
        0 => *random.pick(&FLOAT_CORNERS),
        1 => f64::from_bits(random.bits()),
        2 => (random.bits() as i64 >> random.below(63)) as f64 / (1_u64 << random.below(60)) as f64,
        3 => f64::from_bits(random.bits() >> 12),
        4 => random.between(-1000, 1000) as f64 / 4.0,
        _ => {
            let text = format!("{}.{}e{}", random.below(1000), random.below(1000), random.between(-30, 30));
            text.parse().unwrap_or(1.0)
        }
    };
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

/// A C expression for a double.
pub(super) fn double_text(random: &mut Random) -> String {
    format!("make_d(0x{:x}ULL)", double(random))
}

/// A C expression for a float.
pub(super) fn float_text(random: &mut Random) -> String {
    let bits = if random.chance(40) {
        let bits = random.bits() as u32;
        if f32::from_bits(bits).is_nan() { 0x7fc0_0000 } else { bits }
    } else {
        (f64::from_bits(double(random)) as f32).to_bits()
    };
    format!("make_f(0x{bits:x})")
}

/// A C expression for a long double; subnormal ones are rare because they have many digits.
pub(super) fn long_double_text(random: &mut Random) -> String {
    if random.chance(50) {
        return format!("(long double){}", double_text(random));
    }
    let sign = random.below(2) << 15;
    let head = if random.chance(90) { 16_383 - 60 + random.below(130) } else { random.below(32_767) };
    let mut significand = random.bits() & (u64::MAX << random.below(64));
    if head == 0 {
        significand &= u64::MAX >> 1;
    } else {
        significand |= 1 << 63;
    }
    format!("make_l(0x{significand:x}ULL, {})", head | sign)
}

/// Text that is an integer in some base, or nearly so.
pub(super) fn integer_bytes(random: &mut Random) -> Vec<u8> {
    const WHOLE: [&str; 26] = [
        "0",
        "1",
        "-1",
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551615",
        "0x",
        "0x7fffffffffffffff",
        "0XFFFFFFFFFFFFFFFF",
        "0x10000000000000000",
        "017",
        "08",
        "Zz9",
        "0xg",
        "+-5",
        "- 5",
    ];
    let mut text = Vec::new();
    while random.chance(20) {
        text.push(*random.pick(b" \t\n\x0b\x0c\r"));
    }
    if random.chance(20) {
        text.push(*random.pick(b"+-"));
    }
    match random.below(3) {
        0 => text.extend(random.pick(&WHOLE).bytes()),
        1 => text.extend(bytes(random, b" \t-+0001xX9abfzZgF758.\x80\xff", 24)),
        _ => text.extend(bytes(random, b"0123456789", 26)),
    }
    if random.chance(20) {
        text.extend(bytes(random, b"0x9 zZ-", 2));
    }
    text
}

/// Words and borders of the grammar of floats.
const WHOLE: [&str; 36] = [
    "inf",
    "Infinity",
    "INFINIT",
    "nan",
    "NaN(12)",
    "nan(0x1f)",
    "nan(zz)",
    "nan(",
    "nan()",
    ".",
    "e5",
    "",
    "0x",
    "0x.",
    "0xp5",
    "0x1p",
    "0x1p+",
    "1e",
    "1e+",
    "1.e5",
    ".5e-3",
    "0x.8p1",
    "0x1.8",
    "00",
    "0e999999",
    "1e99999999999999999999",
    "1e-99999999999999999999",
    "0x1p99999999999",
    "0x1p-9999999999",
    "-",
    "0x0p9999",
    "infx",
    "1..2",
    "0x1.1.1",
    "2.2250738585072011e-308",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
];

/// Text that is a float, or nearly so.
pub(super) fn float_bytes(random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    while random.chance(15) {
        text.push(*random.pick(b" \t\n"));
    }
    if random.chance(25) {
        text.push(*random.pick(b"+-"));
    }
    match random.below(8) {
        0 => text.extend(random.pick(&WHOLE).bytes()),
        1 => text.extend(format!("{:e}", f64::from_bits(double(random)).abs()).bytes()),
        2 => text.extend(format!("{:.*e}", random.below(25), f64::from_bits(double(random)).abs()).bytes()),
        3 => text.extend(tie(random).bytes()),
        4 => {
            let (whole, part) = (random.bits() >> random.below(64), random.bits() >> random.below(64));
            let exponent = random.between(-1150, 1100);
            text.extend(format!("0x{whole:x}.{part:x}p{exponent}").bytes());
        }
        5 => {
            text.extend(bytes(random, b"0123456789", 40));
            text.push(b'.');
            text.extend(bytes(random, b"0123456789", 40));
            text.extend(format!("e{}", random.between(-350, 350)).bytes());
        }
        6 => {
            let (digits, exponent) = (random.bits() >> random.below(64), random.between(-40, 40));
            text.extend(format!("{digits}e{exponent}").bytes());
        }
        _ => text.extend(bytes(random, b"0123456789.eE+-xXpPaAnNiIfF( )", 10)),
    }
    if random.chance(15) {
        text.extend(bytes(random, b"fe 1px", 3));
    }
    text
}

/// A number halfway between two doubles or two floats, or just beside.
fn tie(random: &mut Random) -> String {
    // Moderate exponents keep the digits few.
    let exponent = (1023 + random.between(-80, 80)) as u64;
    let bits = (exponent << 52) | (random.bits() >> 12);
    let (bits, step) = if random.chance(50) { (bits, 1) } else { (bits & !0xfff_ffff, 0x2000_0000) };
    let (low, high) = (f64::from_bits(bits), f64::from_bits(bits + step));
    // The mean of two floats is a double; that of two doubles is written with one more digit.
    let mut text = if step == 1 {
        // Twice the mean is exact as a sum of integers: scale both by the weight of half a last place.
        let weight = 2_f64.powi(exponent as i32 - 1023 - 53);
        let units = (low / weight) as u128 + 1;
        exact_product(units, exponent as i64 - 1023 - 53)
    } else {
        format!("{}", f64::midpoint(low, high))
    };
    if random.chance(40) {
        if !text.contains('.') {
            text.push('.');
        }
        let _ = write!(text, "{}1", "0".repeat(random.below(30)));
    }
    text
}

/// The decimal digits of `units` * 2^exponent.
fn exact_product(units: u128, exponent: i64) -> String {
    let mut digits: Vec<u8> = units.to_string().bytes().map(|digit| digit - b'0').collect();
    let mut point = digits.len();
    for _ in 0..exponent.max(0) {
        let mut carry = 0;
        for digit in digits.iter_mut().rev() {
            let sum = *digit * 2 + carry;
            (*digit, carry) = (sum % 10, sum / 10);
        }
        if carry > 0 {
            digits.insert(0, carry);
            point += 1;
        }
    }
    for _ in 0..(-exponent).max(0) {
        let mut rest = 0;
        for digit in &mut digits {
            let sum = rest * 10 + *digit;
            (*digit, rest) = (sum / 2, sum % 2);
        }
        if rest > 0 {
            digits.push(5);
        }
    }
    let text = |digits: &[u8]| digits.iter().map(|digit| char::from(digit + b'0')).collect::<String>();
    format!("{}.{}", text(&digits[..point]), text(&digits[point..]))
}
