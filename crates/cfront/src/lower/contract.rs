//! Contract comments: what the comments right above the definition of the entry function require, in the words of ACSL.
//!
//! `//@ requires n <= len(a);` or `/*@ requires 0 <= n; requires n <= len(a); */` means the same as `--assume` with these conditions. Clauses about the end of
//! the function (`ensures`, `assigns`) say nothing about its start and are skipped, and so is everything from the first `behavior` on, which depends on a case.
//!
//! # Invariants
//! * K1: comments are those between the definition and the text before it that is no comment; each starts its line.
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

/// Where the contract comments above a place begin and end, without their marks, from the first one on (K1).
fn comments(text: &[u8], place: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut end = place.min(text.len());
    loop {
        while end > 0 && text[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        let line = text[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
        let (start, inner_end) = if text[..end].ends_with(b"*/") {
            let Some(start) = text[..end - 2].windows(2).rposition(|pair| pair == b"/*") else { break };
            (start, end - 2)
        } else {
            (line + text[line..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count(), end)
        };
        let first = text[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
        let starts_line = text[first..start].iter().all(u8::is_ascii_whitespace);
        let mark = text.get(start..start + 2);
        if !starts_line || start >= end || !(mark == Some(b"/*") || mark == Some(b"//")) {
            break;
        }
        if text.get(start + 2) == Some(&b'@') && start + 3 <= inner_end {
            found.push((start + 3, inner_end));
        }
        end = start;
    }
    found.reverse();
    found
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
