//! Calls that write and read formatted text.

use std::fmt::Write as _;

use super::arguments;
use crate::random::Random;

/// `snprintf` and its relatives, with one to three conversions.
pub(super) fn print(random: &mut Random) -> String {
    let mut format = Vec::new();
    let mut arguments = String::new();
    let mut has_count = false;
    for _ in 0..=random.below(3) {
        if random.chance(40) {
            format.extend(*random.pick(&[b"a".as_slice(), b"abc%%", b"\x80", b"%5%", b" "]));
        }
        conversion(random, &mut format, &mut arguments, &mut has_count);
    }
    if random.chance(2) {
        format.push(b'%');
    }
    let format = arguments::literal(&format);
    let size = match random.below(4) {
        0 => random.below(30),
        1 => 64,
        _ => 2000,
    };
    // The buffer holds three doubles with all their digits, but no large `long double`.
    let kind = if arguments.contains("make_l") { 9 } else { random.below(10) };
    let call = match kind {
        0 => format!("through_list(buffer, {size}, {format}{arguments})"),
        1 => format!("__snprintf_chk(buffer, {size}, 1, sizeof buffer, {format}{arguments})"),
        2 => format!("__sprintf_chk(buffer, 1, sizeof buffer, {format}{arguments})"),
        3 => format!("sprintf(buffer, {format}{arguments})"),
        _ => format!("snprintf(buffer, {size}, {format}{arguments})"),
    };
    format!(
        "    static char buffer[2200];\n    long long count = -7;\n    memset(buffer, '?', sizeof buffer);\n    errno = 5;\n    \
         int result = {call};\n    \
         printf(\"snprintf %d %d %lld %016llx\\n\", result, errno, count, hash(buffer, sizeof buffer));\n"
    )
}

fn conversion(random: &mut Random, format: &mut Vec<u8>, arguments: &mut String, has_count: &mut bool) {
    format.push(b'%');
    flags_and_widths(random, format, arguments);
    let value = arguments::constant(arguments::integer(random));
    match random.below(8) {
        0 => {
            format.extend(random.pick(&["", "h", "hh"]).bytes());
            format.push(*random.pick(b"diuxXo"));
            let _ = write!(arguments, ", (int)({value})");
        }
        1 | 2 => {
            let (length, ty) = *random.pick(&[
                ("l", "long"),
                ("ll", "long long"),
                ("z", "long"),
                ("j", "long long"),
                ("t", "long"),
                ("q", "long long"),
                ("L", "long long"),
            ]);
            format.extend(length.bytes());
            format.push(*random.pick(b"diuxXo"));
            let _ = write!(arguments, ", ({ty})({value})");
        }
        3 => {
            format.push(b's');
            let text = arguments::literal(&arguments::bytes(random, b"abc %\x01\x80\xff", 20));
            let text = if random.chance(5) { "(char *)0" } else { &text };
            let _ = write!(arguments, ", {text}");
        }
        4 => {
            format.push(b'c');
            let _ = write!(arguments, ", {}", random.below(300));
        }
        5 if !*has_count && random.chance(30) => {
            *has_count = true;
            count_conversion(random, format, arguments);
        }
        5 if random.chance(10) => {
            format.push(b'p');
            arguments.push_str(", (void *)0");
        }
        7 if random.chance(40) => {
            format.push(b'L');
            format.push(*random.pick(b"fegaFEGA"));
            let _ = write!(arguments, ", {}", arguments::long_double_text(random));
        }
        _ => {
            if random.chance(20) {
                format.push(b'l');
            }
            format.push(*random.pick(b"fegaFEGA"));
            let _ = write!(arguments, ", {}", arguments::double_text(random));
        }
    }
}

/// Makes the last conversion `%n`, which takes no flags: what was written for a star is removed together with it.
fn count_conversion(random: &mut Random, format: &mut Vec<u8>, arguments: &mut String) {
    let at = format.iter().rposition(|byte| *byte == b'%').unwrap_or(0);
    for _ in format[at..].iter().filter(|byte| **byte == b'*') {
        arguments.truncate(arguments.rfind(',').unwrap_or(0));
    }
    format.truncate(at + 1);
    format.extend(random.pick(&["n", "hn", "hhn", "ln", "lln", "zn"]).bytes());
    arguments.push_str(", &count");
}

/// What stands between `%` and the length of the argument.
fn flags_and_widths(random: &mut Random, format: &mut Vec<u8>, arguments: &mut String) {
    while random.chance(30) {
        format.push(*random.pick(b"-+ #0'"));
    }
    if random.chance(50) {
        if random.chance(30) {
            format.push(b'*');
            // Writing to a string cannot fail.
            let _ = write!(arguments, ", {}", random.between(-40, 40));
        } else {
            format.extend(random.pick(&["1", "5", "12", "40", "20"]).bytes());
        }
    }
    if random.chance(50) {
        format.push(b'.');
        if random.chance(30) {
            format.push(b'*');
            let _ = write!(arguments, ", {}", random.between(-10, 30));
        } else if random.chance(80) {
            let most = if random.chance(10) { 400 } else { 25 };
            format.extend(random.below(most).to_string().bytes());
        }
    }
}

/// `sscanf`, with one to three conversions.
pub(super) fn scan(random: &mut Random) -> String {
    let text = arguments::literal(&input_bytes(random));
    let format = arguments::literal(&scan_format(random));
    let function = if random.chance(50) { "sscanf" } else { "__isoc99_sscanf" };
    format!(
        "    static union {{ char bytes[64]; long double align; }} to[3];\n    memset(to, '?', sizeof to);\n    errno = 5;\n    \
         int result = {function}({text}, {format}, to, to + 1, to + 2);\n    \
         printf(\"{function} %d %d %016llx\\n\", result, errno, hash(to, sizeof to));\n"
    )
}

/// What `scanf` may read.
pub(super) fn input_bytes(random: &mut Random) -> Vec<u8> {
    const WORDS: [&[u8]; 41] = [
        b"12",
        b"-5",
        b"0x1f",
        b"0x",
        b"08",
        b"+7",
        b"99999999999",
        b"-99999999999999999999999",
        b"18446744073709551616",
        b"abc",
        b"a-b]",
        b"1.5",
        b"1e5",
        b"1e+",
        b"-.5e-3",
        b"0x1.8p3",
        b"inf",
        b"infinity",
        b"infi",
        b"nan",
        b"nan(1)",
        b"nax",
        b".",
        b"-",
        b"%",
        b" ",
        b"\n\t",
        b"x:",
        b"::",
        b"0xg",
        b"12abc",
        b"1e400",
        b"i",
        b"na",
        b"]",
        b"^",
        b"\x80\xff",
        b"0x.p",
        b"1.2.3",
        b"+-1",
        b"1e5e5",
    ];
    let mut text = Vec::new();
    for _ in 0..random.below(5) {
        text.extend(*random.pick(&WORDS));
        if random.chance(50) {
            text.extend(*random.pick(&[b" ".as_slice(), b"\n", b",", b"  "]));
        }
    }
    text
}

/// A format for `scanf` with at most three results.
pub(super) fn scan_format(random: &mut Random) -> Vec<u8> {
    const SETS: [&str; 15] = [
        "[a-z]",
        "[^a-z]",
        "[]x]",
        "[^]x]",
        "[-5]",
        "[0-9a-fx]",
        "[9-0]",
        "[a-]",
        "[^\n]",
        "[%]",
        "[ \t]",
        "[^-]",
        "[a-c-e]",
        "[]-a]",
        "[0-]",
    ];
    let mut format = Vec::new();
    for _ in 0..=random.below(3) {
        if random.chance(30) {
            format.extend(*random.pick(&[b" ".as_slice(), b",", b" ,", b"a", b"%%", b"x:", b"\n", b"\x80"]));
        }
        format.push(b'%');
        let kind = random.below(8);
        if kind == 7 {
            format.extend(random.pick(&["n", "ln", "hhn", "hn", "lln"]).bytes());
            continue;
        }
        if random.chance(15) {
            format.push(b'*');
        }
        // Texts need a width that fits the result.
        if random.chance(30) || kind == 4 || kind == 6 {
            format.extend((1 + random.below(12)).to_string().bytes());
        }
        match kind {
            0..=2 => {
                let lengths = ["", "h", "hh", "l", "ll", "z", "j", "t", "q", "L"];
                format.extend(random.pick(&lengths).bytes());
                format.push(*random.pick(b"diuoxX"));
            }
            3 => {
                format.extend(random.pick(&["", "l", "L"]).bytes());
                format.push(*random.pick(b"feagEGF"));
            }
            4 => format.push(b's'),
            5 => format.push(b'c'),
            _ => format.extend(random.pick(&SETS).bytes()),
        }
    }
    if random.chance(12) {
        format.push(b' ');
    }
    if random.chance(2) {
        format.push(b'%');
    }
    format
}
