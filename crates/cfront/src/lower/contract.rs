//! Contract comments: what the comments right above the definition of the entry function require, in the words of ACSL.
//!
//! `//@ requires n <= len(a);` or `/*@ requires 0 <= n; requires n <= len(a); */` means the same as `--assume` with these conditions. Clauses about the end of
//! the function (`ensures`, `assigns`) say nothing about its start and are skipped, and so is everything from the first `behavior` on, which depends on a case.
//!
//! # Invariants
//! * K1: comments are those between the definition and the text before it that is no comment; none has such text before it in its line.
//! * K2: a clause is understood, is one of those that are skipped, or is an error with its place.

use base::{Diagnostic, FileId, SourceMap, Span};

use crate::hir::{self, FunctionId};
use crate::lower::{Condition, Lowered};

/// Clauses that do not say with which values a function is called.
const SKIPPED: [&str; 6] = ["ensures", "assigns", "allocates", "frees", "terminates", "decreases"];
/// Where clauses begin that hold in some cases only.
const CASES: [&str; 3] = ["behavior", "complete", "disjoint"];

/// What a clause looks like.
pub(super) const HELP: &str =
    "a contract comment says what integer parameters and lengths are, such as `//@ requires n <= len(a);`";

/// What the comments above a function require, in their order.
pub(super) fn required(
    hir: &hir::Program,
    function: FunctionId,
    sources: &SourceMap,
) -> Lowered<Vec<Condition>> {
    let Some(body) = &hir.functions[function].body else { return Ok(Vec::new()) };
    let Some(file) = sources.get(body.span.file) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (start, end) in comments(&file.text, body.span.lo as usize) {
        let text = Text { bytes: &file.text[..end], file: body.span.file };
        if text.clauses(start, &mut found)? == Next::Cases {
            break;
        }
    }
    Ok(found)
}

/// Where the contract comments above a place begin and end, without their marks, from the first one on (K1). The text is read from its start: only so is it known what is a comment.
fn comments(text: &[u8], place: usize) -> Vec<(usize, usize)> {
    let text = &text[..place.min(text.len())];
    let mut found = Vec::new();
    let (mut at, mut is_code_before) = (0, false);
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        let (length, inner) = if rest.starts_with(b"//") {
            let length = line_length(rest);
            (length, Some(length))
        } else if rest.starts_with(b"/*") {
            let inner = rest[2..].windows(2).position(|pair| pair == b"*/").map(|end| end + 2);
            (inner.map_or(rest.len(), |end| end + 2), inner)
        } else {
            (if matches!(byte, b'"' | b'\'') { literal_length(rest) } else { 1 }, None)
        };
        match inner {
            Some(end) if rest.get(2) == Some(&b'@') && !is_code_before => found.push((at + 3, at + end)),
            Some(_) => {}
            None if *byte == b'\n' => is_code_before = false,
            None if byte.is_ascii_whitespace() => {}
            None => {
                is_code_before = true;
                found.clear();
            }
        }
        at += length;
    }
    found
}

/// The length of a comment up to the end of its line; a line that ends with a backslash goes on.
fn line_length(text: &[u8]) -> usize {
    let is_end = |(at, byte): (usize, &u8)| *byte == b'\n' && text[at - 1] != b'\\';
    text.iter().enumerate().skip(1).position(is_end).map_or(text.len(), |end| end + 1)
}

/// The length of a string or of a character constant, which ends with its line at the latest.
fn literal_length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => at += 2,
            byte if *byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// What comes after the clauses of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Further clauses.
    Clauses,
    /// Clauses that hold in some cases.
    Cases,
}

/// A text up to the end of a comment.
struct Text<'t> {
    bytes: &'t [u8],
    file: FileId,
}

impl Text<'_> {
    fn span(&self, lo: usize, hi: usize) -> Span {
        Span { file: self.file, lo: lo as u32, hi: hi as u32 }
    }

    /// The clauses of a comment that starts at a place (K2).
    fn clauses(&self, mut start: usize, found: &mut Vec<Condition>) -> Lowered<Next> {
        let refuse = |message: String, span| Err(Box::new(Diagnostic::error(message, span).with_help(HELP)));
        loop {
            let blanks = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'@';
            start += self.bytes[start..].iter().take_while(blanks).count();
            let rest = &self.bytes[start..];
            if rest.is_empty() {
                return Ok(Next::Clauses);
            }
            let length =
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let word = String::from_utf8_lossy(&rest[..length]).into_owned();
            let place = self.span(start, start + length.max(1));
            if CASES.contains(&word.as_str()) {
                return Ok(Next::Cases);
            }
            if word != "requires" && !SKIPPED.contains(&word.as_str()) {
                let what = if word.is_empty() { "this".to_owned() } else { format!("`{word}`") };
                return refuse(format!("{what} is no clause of a contract; `requires` is one"), place);
            }
            let Some(end) = rest.iter().position(|byte| *byte == b';') else {
                return refuse(format!("the clause `{word}` of a contract does not end with `;`"), place);
            };
            if word == "requires" {
                let text = String::from_utf8_lossy(&rest[length..end]).replace('@', " ");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                found.push(Condition { text, place: Some(self.span(start, start + end)) });
            }
            start += end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use base::SourceFile;

    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let place = text.find("int f").expect("the text has the function");
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("a.c", text.as_bytes()));
        let mut found = Vec::new();
        for (start, end) in comments(text.as_bytes(), place) {
            let text = Text { bytes: &text.as_bytes()[..end], file };
            match text.clauses(start, &mut found).map_err(|diagnostic| diagnostic.message)? {
                Next::Clauses => {}
                Next::Cases => break,
            }
        }
        Ok(found.into_iter().map(|condition| condition.text).collect())
    }

    #[test]
    fn comments_right_above_a_definition_are_read_in_order() {
        for (text, expected) in [
            ("int f", vec![]),
            ("// requires n < 3;\nint f", vec![]),
            ("//@ requires n < 3;\nint f", vec!["n < 3"]),
            (
                "int g;\n//@ requires a < b;\n// a word\n\n/*@ requires\n  @ n <=\n  @   len(a); */\nint f",
                vec!["a < b", "n <= len(a)"],
            ),
            ("//@ requires n < 3;\nint g;\nint f", vec![]),
            ("#define N 3 /*@ requires n < 3; */\nint f", vec![]),
            ("int g; //@ requires n < 3;\nint f", vec![]),
            (
                "/*@ requires 0 < n; requires n < m;\n  assigns \\nothing; ensures n == 0; */ int f",
                vec!["0 < n", "n < m"],
            ),
            ("/*@ requires 0 < n; behavior x: requires n < 2; */\n//@ requires 0 < m;\nint f", vec!["0 < n"]),
            ("/*@ */\n//@\nint f", vec![]),
            ("*/ int f", vec![]),
            ("/*@ requires 0 < n; */ /*@ requires n < 3; */ int f", vec!["0 < n", "n < 3"]),
            ("/*@ requires n < 3; */\nint g;\n// a word */\nint f", vec![]),
            ("char *s = \"/*@ requires n < 3; \\\" */\";\nint f", vec![]),
            ("// a line \\\n//@ requires n < 3;\nint f", vec![]),
            ("#error don't\n//@ requires n < 3;\nint f", vec!["n < 3"]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(read(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_clause_is_refused() {
        for (text, expected) in [
            ("//@ require n < 3;\nint f", "`require` is no clause of a contract; `requires` is one"),
            ("//@ (n < 3);\nint f", "this is no clause of a contract; `requires` is one"),
            ("//@ requires n < 3\nint f", "the clause `requires` of a contract does not end with `;`"),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()));
        }
    }
}
