//! Mutated inputs for a front end: mistakes at the level of tokens and of bytes.
//!
//! # Invariants
//! * I1: the result depends on the seed and the texts alone.
//! * I2: the result is at most [`GROWTH`] bytes longer than the longer of the texts.

use std::ops::Range;

use crate::random::Random;

/// Bytes a mutated text may be longer than its origin (I2).
pub const GROWTH: usize = 64 * 1024;

const FRAGMENTS: &[&str] = &[
    "int",
    "unsigned",
    "long long",
    "__int128",
    "_Bool",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "inline",
    "const",
    "volatile",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "continue",
    "return",
    "sizeof",
    "__typeof__",
    "__attribute__((packed))",
    "__extension__",
    "asm",
    "__asm__(\"nop\")",
    "_Generic",
    "_Alignof",
    "_Static_assert",
    "void",
    "char",
    "float",
    "double",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ":",
    "?",
    "?:",
    "...",
    ".",
    "->",
    "++",
    "--",
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "~",
    "!",
    "=",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "<<",
    ">>",
    "&&",
    "||",
    "+=",
    "<<=",
    "#",
    "##",
    "\n#line 7 \"x.c\"\n",
    "\n# 1 \"y.h\" 1\n",
    "\n#include \"z.h\"\n",
    "\n#define X X\n",
    "\"",
    "'",
    "'\\",
    "\"\\x",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\0",
    "0",
    "1",
    "x",
    "main",
    "({",
    "})",
    "(struct {int a;}){1}",
    "[0 ... 9] = ",
    ".x = ",
    "case 1 ... 2:",
    "__builtin_va_list",
    "__builtin_offsetof",
    "__builtin_types_compatible_p",
    "L\"x\"",
    "u8\"x\"",
    "0x1p3",
    "1e999",
    "$",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0x",
    "0b1",
    "08",
    "0xffffffffffffffffffff",
    "1u",
    "1lul",
    "1.5",
    "1e400",
    "0x1p99999",
    "1000000000000",
];

/// A mutated copy of the text.
pub fn mutate(seed: u64, text: &[u8]) -> Vec<u8> {
    mutate_pair(seed, text, text)
}

/// A mutated copy of the first text, which may take parts of the second.
pub fn mutate_pair(seed: u64, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut random = Random::new(seed);
    let most = text.len().max(other.len()) + GROWTH;
    let mut result = text.to_vec();
    let rounds = *random.pick(&[1, 1, 1, 2, 2, 3, 5, 8]);
    for _ in 0..rounds {
        result = mutate_once(&mut random, &result, other);
        result.truncate(most);
    }
    result
}

fn mutate_once(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut result = text.to_vec();
    match random.weighted(&[14, 8, 8, 14, 8, 4, 5, 3, 6, 6, 3]) {
        0 => replace(&mut result, some_tokens(random, text), b""),
        1 => {
            let tokens = some_tokens(random, text);
            let copy = text[tokens.clone()].to_vec();
            let times = *random.pick(&[1, 1, 1, 2, 20]);
            result.splice(tokens.end..tokens.end, copy.repeat(times));
        }
        2 => swap_tokens(random, &mut result),
        3 => {
            let fragment = random.pick(FRAGMENTS).as_bytes();
            let place = some_token(random, text);
            let with_spaces = [b" ", fragment, b" "].concat();
            let target = if random.chance(50) { place.start..place.start } else { place };
            replace(&mut result, target, &with_spaces);
        }
        4 => change_number(random, &mut result),
        5 => result.truncate(random.below(text.len() + 1)),
        6 => return splice(random, text, other),
        7 => nest(random, &mut result),
        8 => flip_bytes(random, &mut result),
        9 => rename(random, &mut result),
        _ => replace(&mut result, some_tokens(random, text), some_slice(random, other)),
    }
    result
}

fn replace(text: &mut Vec<u8>, range: Range<usize>, with: &[u8]) {
    text.splice(range, with.iter().copied());
}

/// One token near a random position: a word, a number, a string, spaces, or a single character.
fn some_token(random: &mut Random, text: &[u8]) -> Range<usize> {
    if text.is_empty() {
        return 0..0;
    }
    let position = random.below(text.len());
    let class = class_of(text[position]);
    if class == Class::Other {
        return position..position + 1;
    }
    let same = |&index: &usize| class_of(text[index]) == class;
    let start = (0..position).rev().take(200).take_while(same).last().unwrap_or(position);
    let end = (position..text.len()).take(200).take_while(same).last().map_or(position + 1, |last| last + 1);
    start..end
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Other,
}

fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => Class::Word,
        byte if byte.is_ascii_whitespace() => Class::Space,
        _ => Class::Other,
    }
}

/// A run of tokens, mostly short, sometimes a line or up to a bracket.
fn some_tokens(random: &mut Random, text: &[u8]) -> Range<usize> {
    let first = some_token(random, text);
    let end = match random.below(10) {
        0..=4 => first.end,
        5..=7 => first.end + random.below(40),
        8 => {
            let line = text[first.end..].iter().position(|&byte| byte == b'\n');
            line.map_or(text.len(), |offset| first.end + offset)
        }
        _ => {
            let bracket = text[first.end..].iter().position(|byte| b")}];".contains(byte));
            bracket.map_or(text.len(), |offset| first.end + offset + 1)
        }
    };
    first.start..end.min(text.len())
}

fn some_slice<'a>(random: &mut Random, text: &'a [u8]) -> &'a [u8] {
    let start = random.below(text.len() + 1);
    let length = random.below((text.len() - start).min(2000) + 1);
    &text[start..start + length]
}

fn swap_tokens(random: &mut Random, text: &mut Vec<u8>) {
    let (mut left, mut right) = (some_token(random, text), some_token(random, text));
    if left.start > right.start {
        std::mem::swap(&mut left, &mut right);
    }
    if left.end > right.start {
        return;
    }
    let (first, second) = (text[left.clone()].to_vec(), text[right.clone()].to_vec());
    text.splice(right, first);
    text.splice(left, second);
}

/// The words of the text that `accept` likes.
fn words(text: &[u8], accept: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < text.len() {
        if class_of(text[index]) != Class::Word {
            index += 1;
            continue;
        }
        let length = text[index..].iter().take_while(|&&byte| class_of(byte) == Class::Word).count();
        if accept(text[index]) {
            found.push(index..index + length);
        }
        index += length;
    }
    found
}

fn change_number(random: &mut Random, text: &mut Vec<u8>) {
    let numbers = words(text, |byte| byte.is_ascii_digit());
    if numbers.is_empty() {
        return;
    }
    let range = random.pick(&numbers).clone();
    let number = *random.pick(NUMBERS);
    replace(text, range, number.as_bytes());
}

/// Gives one use of a name the name of something else.
fn rename(random: &mut Random, text: &mut Vec<u8>) {
    let names = words(text, |byte| !byte.is_ascii_digit());
    if names.is_empty() {
        return;
    }
    let (from, to) = (random.pick(&names).clone(), random.pick(&names).clone());
    let name = text[to].to_vec();
    replace(text, from, &name);
}

/// The beginning of one text and the end of the other.
fn splice(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut result = text[..random.below(text.len() + 1)].to_vec();
    result.extend_from_slice(&other[random.below(other.len() + 1)..]);
    result
}

/// Wraps a part into many brackets, or opens many and closes none.
fn nest(random: &mut Random, text: &mut Vec<u8>) {
    let pairs: [(&[u8], &[u8]); 9] = [
        (b"(", b")"),
        (b"{", b"}"),
        (b"[", b"]"),
        (b"-", b""),
        (b"*", b""),
        (b"(int)", b""),
        (b"if (1) ", b""),
        (b"({", b";})"),
        (b"1 ? 1 : ", b""),
    ];
    let (open, close) = *random.pick(&pairs);
    let depth = *random.pick(&[3, 10, 100, 1000, 5000]);
    let part = some_tokens(random, text);
    let closing = if random.chance(70) { close.repeat(depth) } else { Vec::new() };
    text.splice(part.end..part.end, closing);
    text.splice(part.start..part.start, open.repeat(depth));
}

fn flip_bytes(random: &mut Random, text: &mut [u8]) {
    if text.is_empty() {
        return;
    }
    for _ in 0..=random.below(8) {
        let position = random.below(text.len());
        text[position] = match random.below(4) {
            0 => text[position] ^ (1 << random.below(8)),
            1 => random.bits() as u8,
            2 => *random.pick(&[0, 0x7F, 0x80, 0xFF, b'\n', b'\\', b'"', b'\'']),
            _ => text[position].wrapping_add(1),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"int main(void) { int x = 12; return x + 0x1f; }\n";

    #[test]
    fn same_seed_gives_same_mutation() {
        for seed in 0..200 {
            assert_eq!(mutate(seed, TEXT), mutate(seed, TEXT));
        }
    }

    #[test]
    fn most_mutations_change_the_text() {
        let changed = (0..500).filter(|&seed| mutate(seed, TEXT) != TEXT).count();
        assert!(changed > 450, "{changed}");
    }

    #[test]
    fn growth_is_bounded_even_for_odd_texts() {
        for text in [&b""[..], b"x", b"\0\0", TEXT, &[0xFF; 300]] {
            for seed in 0..500 {
                assert!(mutate_pair(seed, text, TEXT).len() <= TEXT.len().max(text.len()) + GROWTH);
            }
        }
    }
}
