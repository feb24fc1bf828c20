//! Lines that start with `#`: line markers, pragmas, and the question whether a text needs preprocessing.

use std::sync::Arc;

use base::source::LineMarker;
use base::{Diagnostic, SourceFile, Span};

use super::lexer::Lexer;
use super::{Failure, splice_length};

/// What to do with directives that a preprocessor should have executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// The text should be preprocessed: they are errors.
    Reject,
    /// The text is what the user wrote: all directives are skipped.
    Skip,
    /// The text is the output of `cc -E -dD`: definitions of macros are noted.
    Note,
}

/// What the directives of a text say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    /// Line markers in order.
    pub(crate) markers: Vec<Marker>,
    /// What `#pragma pack` says.
    pub(crate) packing: Packing,
    /// Definitions of macros in order.
    pub(crate) definitions: Vec<Definition>,
    /// The first `#pragma omp`.
    pub(crate) open_mp: Option<Span>,
}

impl Notes {
    /// Tells a source file what its line markers say.
    pub(crate) fn record_markers(&self, source: &mut SourceFile) {
        for marker in &self.markers {
            let physical_line = source.line_of(marker.end as u32) + 1;
            let (presumed_line, presumed_file) = (marker.line, marker.file.clone());
            source.add_marker(LineMarker { physical_line, presumed_line, presumed_file });
        }
    }

    /// Whether an offset is in a system header.
    pub(crate) fn is_system_at(&self, offset: usize) -> bool {
        let count = self.markers.partition_point(|marker| marker.end <= offset);
        count.checked_sub(1).is_some_and(|index| self.markers[index].is_system)
    }
}

/// A line marker.
#[derive(Clone, Debug)]
pub(crate) struct Marker {
    /// Where its line ends.
    pub(crate) end: usize,
    /// The number that it gives to the next line.
    pub(crate) line: u32,
    /// The file to which that belongs.
    pub(crate) file: Arc<str>,
    /// Whether the file starts here (flag 1).
    pub(crate) enters: bool,
    /// Whether the file is a system header (flag 3).
    pub(crate) is_system: bool,
}

/// A `#define` or `#undef`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Where its line ends.
    pub(crate) end: usize,
    /// The macro.
    pub(crate) name: String,
    /// What it is from here on; `None` if it is no macro any more.
    pub(crate) shape: Option<Shape>,
}

/// Whether a macro takes arguments, and whether it yields tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Without parentheses after it, the name of such a macro is no use of it.
    pub(crate) takes_arguments: bool,
    /// It stands for nothing.
    pub(crate) is_empty: bool,
}

/// Reads the directive at the lexer's position, up to its line break.
pub(super) fn read(lexer: &mut Lexer) -> Result<(), Failure> {
    let start = lexer.position;
    let end = line_end(lexer)?;
    let line = without_comments(&lexer.text[start..end]);
    lexer.position = end;
    if lexer.policy == Policy::Skip {
        return Ok(());
    }
    let line = line.strip_prefix(b"#").or_else(|| line.strip_prefix(b"%:")).unwrap_or(&line);
    let line = line.trim_ascii();
    let word_length = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (word, rest) = line.split_at(word_length);
    match word {
        b"pragma" => super::pragma::read(lexer, start, end, rest),
        b"ident" | b"sccs" => Ok(()),
        b"" if rest.is_empty() => Ok(()),
        b"line" => marker(lexer, start, end, rest),
        [b'0'..=b'9', ..] => marker(lexer, start, end, line),
        b"define" | b"undef" if lexer.policy == Policy::Note => {
            let (name, shape) = macro_head(rest);
            let shape = (word == b"define").then_some(shape);
            lexer.notes.definitions.push(Definition { end, name, shape });
            Ok(())
        }
        _ => {
            let name = String::from_utf8_lossy(word).into_owned();
            let failure = Diagnostic::error(
                format!("preprocessor directive `#{name}` in a text that should be preprocessed"),
                lexer.span(start, end),
            );
            Err(Box::new(failure.with_help(
                "the file needs preprocessing: pass the original .c file, or the output of `cc -E`",
            )))
        }
    }
}

/// What `#pragma pack` says at each place of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    /// Offset of a change and the limit from there on; 0 is "no limit".
    changes: Vec<(usize, u8)>,
    /// What `push` has saved, with its name.
    saved: Vec<(u8, Vec<u8>)>,
}

impl Packing {
    /// The limit at an offset; 0 if there is none.
    pub(crate) fn at(&self, offset: usize) -> u8 {
        let count = self.changes.partition_point(|(at, _)| *at <= offset);
        count.checked_sub(1).map_or(0, |index| self.changes[index].1)
    }
    /// Executes `pack(arguments)`; `None` if the arguments make no sense.
    pub(super) fn execute(&mut self, offset: usize, arguments: &[u8]) -> Option<()> {
        let mut limit = self.changes.last().map_or(0, |(_, limit)| *limit);
        let mut words = arguments.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        let first = words.next().unwrap_or_default();
        let mut rest = words.peekable();
        let identifier = |word: &&[u8]| word.first().is_some_and(|byte| !byte.is_ascii_digit());
        match first {
            b"push" => self.saved.push((limit, rest.next_if(identifier).unwrap_or_default().to_vec())),
            b"pop" => {
                let depth = match rest.next_if(identifier) {
                    Some(name) => self.saved.iter().rposition(|(_, saved)| saved == name),
                    None => self.saved.len().checked_sub(1),
                };
                // As gcc: a pop without a push changes nothing.
                if let Some(depth) = depth {
                    limit = self.saved[depth].0;
                    self.saved.truncate(depth);
                }
            }
            b"" => limit = 0,
            number => limit = alignment(number)?,
        }
        if let Some(number) = rest.next() {
            limit = alignment(number)?;
        }
        self.changes.push((offset, limit));
        rest.next().is_none().then_some(())
    }
}

/// A power of two up to 16, or 0.
fn alignment(number: &[u8]) -> Option<u8> {
    let value: u8 = std::str::from_utf8(number).ok()?.parse().ok()?;
    matches!(value, 0 | 1 | 2 | 4 | 8 | 16).then_some(value)
}

/// The end of the line that a directive takes, which comments and splices prolong.
fn line_end(lexer: &mut Lexer) -> Result<usize, Failure> {
    let start = lexer.position;
    let mut quote = None;
    while let Some(byte) = lexer.byte(lexer.position) {
        match byte {
            b'\n' => break,
            b'\\' => lexer.position += splice_length(&lexer.text, lexer.position).max(1),
            b'"' | b'\'' => {
                quote = match quote {
                    None => Some(byte),
                    Some(open) if open == byte => None,
                    Some(open) => Some(open),
                };
                lexer.position += 1;
            }
            b'/' if quote.is_none() && lexer.byte(lexer.position + 1) == Some(b'*') => {
                lexer.skip_block_comment()?;
            }
            b'/' if quote.is_none() && lexer.byte(lexer.position + 1) == Some(b'/') => {
                lexer.skip_line_comment();
            }
            _ => lexer.position += 1,
        }
    }
    let end = lexer.position.min(lexer.text.len());
    lexer.position = start;
    Ok(end)
}

/// The line with each comment and splice replaced by a blank.
fn without_comments(line: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(line.len());
    let mut position = 0;
    let mut quoted = false;
    while position < line.len() {
        let splice = splice_length(line, position);
        let rest = &line[position..];
        if splice > 0 {
            position += splice;
        } else if !quoted && rest.starts_with(b"//") {
            break;
        } else if !quoted && rest.starts_with(b"/*") {
            let length = rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |at| at + 4);
            result.push(b' ');
            position += length;
        } else {
            quoted ^= rest[0] == b'"';
            result.push(rest[0]);
            position += 1;
        }
    }
    result
}

/// `12 "file" flags`: what follows `#` or `#line`.
fn marker(lexer: &mut Lexer, start: usize, end: usize, text: &[u8]) -> Result<(), Failure> {
    let text = text.trim_ascii();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok().and_then(|digits| digits.parse::<u32>().ok());
    let Some(presumed_line) = number else {
        return Err(lexer.failure("a line marker should give a line number below 2^32", start, end));
    };
    let rest = text[digits..].trim_ascii();
    let file = match rest.strip_prefix(b"\"") {
        Some(name) => Some(file_name(name).into()),
        None if rest.is_empty() => lexer.notes.markers.last().map(|marker| marker.file.clone()),
        None => return Err(lexer.failure("a line marker should give a file name in quotes", start, end)),
    };
    if let Some(file) = file {
        let flags = rest.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
        let has = |wanted: &[u8]| flags.split(u8::is_ascii_whitespace).any(|flag| flag == wanted);
        let (enters, is_system) = (has(b"1"), has(b"3"));
        lexer.notes.markers.push(Marker { end, line: presumed_line, file, enters, is_system });
    }
    Ok(())
}

/// The name of a macro and its shape, from what follows `#define` or `#undef`.
fn macro_head(text: &[u8]) -> (String, Shape) {
    let text = text.trim_ascii();
    let length = text.iter().take_while(|byte| !matches!(byte, b' ' | b'\t' | b'(')).count();
    let name = String::from_utf8_lossy(&text[..length]).into_owned();
    let takes_arguments = text.get(length) == Some(&b'(');
    let body = match text.iter().position(|byte| *byte == b')') {
        Some(close) if takes_arguments => &text[close + 1..],
        Some(_) | None => &text[length..],
    };
    let shape = Shape { takes_arguments, is_empty: body.trim_ascii().is_empty() };
    (name, shape)
}

/// A file name up to its closing quote, without escapes.
fn file_name(text: &[u8]) -> String {
    let mut name = Vec::new();
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => name.extend(bytes.next()),
            _ => name.push(*byte),
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// Whether a text has directives that a preprocessor must execute (`#include`, `#define`, `#if` …), outside
/// comments and literals, or `_Pragma`. Line markers and pragmas are none.
pub fn needs_preprocessing(text: &[u8]) -> bool {
    if memchr::memmem::find(text, b"_Pragma").is_some() {
        return true;
    }
    if memchr::memchr(b'#', text).is_none() {
        return false;
    }
    let mut position = 0;
    let mut at_line_start = true;
    while position < text.len() {
        let rest = &text[position..];
        match rest[0] {
            b'\n' => at_line_start = true,
            b' ' | b'\t' | b'\r' | 0x0B | 0x0C => {}
            b'\\' => position += splice_length(text, position).max(2) - 1,
            b'/' if rest.starts_with(b"/*") => {
                position +=
                    rest[2..].windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |at| at + 3);
            }
            b'/' if rest.starts_with(b"//") => {
                while position + 1 < text.len() && text[position + 1] != b'\n' {
                    position += splice_length(text, position + 1).max(1);
                }
            }
            quote @ (b'"' | b'\'') => {
                at_line_start = false;
                position += 1;
                while position < text.len() && text[position] != quote && text[position] != b'\n' {
                    position +=
                        if text[position] == b'\\' { splice_length(text, position).max(2) } else { 1 };
                }
                // An unterminated literal ends with its line, which starts a new one.
                position -= usize::from(text.get(position) == Some(&b'\n'));
            }
            b'#' if at_line_start => {
                let blanks = rest[1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
                let word = &rest[1 + blanks..];
                let length = word.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                if !matches!(
                    &word[..length],
                    b"pragma" | b"line" | b"ident" | b"sccs" | b"" | [b'0'..=b'9', ..]
                ) {
                    return true;
                }
                at_line_start = false;
            }
            _ => at_line_start = false,
        }
        position += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_a_stack() {
        let mut packing = Packing::default();
        for (offset, text) in
            [(10, "4"), (20, "push, 1"), (30, "push,name,2"), (40, "pop"), (50, "pop,name"), (60, "pop")]
        {
            assert_eq!(packing.execute(offset, text.as_bytes()), Some(()));
        }
        assert_eq!([5, 10, 25, 35, 45, 55, 65].map(|at| packing.at(at)), [0, 4, 1, 2, 1, 1, 4]);
        assert_eq!(packing.execute(70, b"3"), None);
        assert_eq!(packing.execute(80, b""), Some(()));
        assert_eq!(packing.at(90), 0);
    }

    #[test]
    fn only_executable_directives_need_preprocessing() {
        assert!(needs_preprocessing(b"#include <stdio.h>\n"));
        assert!(needs_preprocessing(b"int x;\n  #  define A 1\n"));
        assert!(needs_preprocessing(b"/* a */ #if 1\n"));
        assert!(needs_preprocessing(b"int x = 'a;\n#endif"));
        assert!(!needs_preprocessing(b"# 1 \"a.c\"\n#pragma once\n#line 3\n#\ndefine\n"));
        assert!(!needs_preprocessing(b"/*\n#include <a.h>\n*/ // \\\n#if\nchar *s = \"\\\n#define\"; x #if"));
        assert!(!needs_preprocessing(b""));
        assert!(!needs_preprocessing(b"#"));
    }
}
