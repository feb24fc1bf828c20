//! Tokens of SMT-LIB, with their places and matching parentheses.

use super::{Place, ReadError};

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// Byte offset of its first character.
    pub(super) start: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// `(` and the index of its `)`.
    Open(usize),
    /// `)`.
    Close,
    /// A symbol, without the bars of a quoted one.
    Symbol(&'a str),
    /// Digits.
    Numeral(&'a str),
    /// `:name`.
    Keyword(&'a str),
    /// A string, a decimal, a number in another base: nothing that is used here.
    Other(&'a str),
}

/// All tokens of a text. Every parenthesis has its partner.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
    let bytes = text.as_bytes();
    let (mut result, mut open): (Vec<Token<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b';' => {
                at = end_of(bytes, at, |byte| byte != b'\n');
                continue;
            }
            b'(' => {
                open.push(result.len());
                at += 1;
                Kind::Open(0)
            }
            b')' => {
                let error = || ReadError::new(text, start, "this closes nothing", "remove the parenthesis");
                let partner = open.pop().ok_or_else(error)?;
                let index = result.len();
                result[partner].kind = Kind::Open(index);
                at += 1;
                Kind::Close
            }
            b'|' => {
                at = closing(text, start, b'|', "quoted symbol")? + 1;
                Kind::Symbol(&text[start + 1..at - 1])
            }
            b'"' => {
                at = closing(text, start, b'"', "string")? + 1;
                Kind::Other(&text[start..at])
            }
            _ => {
                at = end_of(bytes, at, is_word);
                if at == start {
                    return Err(ReadError::new(
                        text,
                        start,
                        "this character is not part of SMT-LIB",
                        "remove it; or is this not a file of SMT-LIB?",
                    ));
                }
                word(&text[start..at])
            }
        };
        result.push(Token { kind, start });
    }
    if let Some(index) = open.last() {
        let start = result[*index].start;
        return Err(ReadError::new(text, start, "this is never closed", "add the missing parenthesis"));
    }
    Ok(result)
}

fn end_of(bytes: &[u8], from: usize, goes_on: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|byte| !goes_on(*byte)).map_or(bytes.len(), |length| from + length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/:#".contains(&byte) || byte >= 0x80
}

fn closing(text: &str, start: usize, end: u8, what: &str) -> Result<usize, ReadError> {
    let bytes = text.as_bytes();
    let at = end_of(bytes, start + 1, |byte| byte != end);
    if at == bytes.len() {
        return Err(ReadError::new(
            text,
            start,
            format!("this {what} is never closed"),
            "add the closing mark",
        ));
    }
    Ok(at)
}

fn word(text: &str) -> Kind<'_> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        Kind::Numeral(text)
    } else if let Some(name) = text.strip_prefix(':') {
        Kind::Keyword(name)
    } else if text.starts_with(|c: char| c.is_ascii_digit() || c == '#') {
        Kind::Other(text)
    } else {
        Kind::Symbol(text)
    }
}

/// Line and column of a byte offset.
pub(super) fn place(text: &str, offset: usize) -> Place {
    let before = &text[..offset.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place {
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        offset: before.len(),
    }
}
