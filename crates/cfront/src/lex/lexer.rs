//! The lexer: bytes of one preprocessed text to tokens, one at a time.
//!
//! Line markers (`# 12 "file"`, `#line`) and `#pragma pack` are noted, other pragmas are skipped; what happens to any other
//! directive depends on the policy.
//!
//! # Invariants
//! * I1: `position` never moves back, and every call of [`Lexer::next_token`] moves it or returns the end of the file.
//! * I2: a line splice (backslash, line break) may stand between any two bytes of a token. [`Lexer::peek`] looks
//!   through splices; the fast paths are left as soon as a backslash appears.

use std::sync::Arc;

use base::{Diagnostic, FileId, Span};

use super::directive::{self, Notes, Policy};
use super::intern::Interner;
use super::token::{Token, TokenKind};
use super::{Failure, splice_length};

/// Turns one text into tokens.
#[derive(Debug)]
pub struct Lexer {
    pub(super) file: FileId,
    pub(super) text: Arc<[u8]>,
    pub(super) position: usize,
    /// What to do with directives.
    pub(super) policy: Policy,
    pub(super) notes: Notes,
    /// Only blanks and comments since the last line break.
    at_line_start: bool,
}

/// What a byte can start or continue.
pub(super) mod class {
    pub(in crate::lex) const LETTER: u8 = 1;
    pub(in crate::lex) const DIGIT: u8 = 2;
    pub(in crate::lex) const BLANK: u8 = 4;
    /// Letter of an identifier beyond ASCII, or of one spelled with an escape.
    pub(in crate::lex) const UNUSUAL: u8 = 8;

    pub(in crate::lex) static OF: [u8; 256] = table();

    const fn table() -> [u8; 256] {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = match byte as u8 {
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => LETTER,
                b'0'..=b'9' => DIGIT,
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C => BLANK,
                0x80..=0xFF | b'\\' => UNUSUAL,
                _ => 0,
            };
            byte += 1;
        }
        table
    }
}

impl Lexer {
    /// A lexer at the start of a text.
    pub fn new(file: FileId, text: Arc<[u8]>) -> Self {
        // A byte order mark says nothing about UTF-8.
        let position = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self { file, text, position, policy: Policy::Reject, notes: Notes::default(), at_line_start: true }
    }
    /// The same lexer with another way to treat directives.
    pub(crate) fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The next token; at the end [`TokenKind::EndOfFile`] for ever.
    pub fn next_token(&mut self, interner: &mut Interner) -> Result<Token, Failure> {
        loop {
            let byte = self.skip_blanks()?;
            let start = self.position;
            self.at_line_start = false;
            let Some(byte) = byte else {
                return Ok(self.token(TokenKind::EndOfFile, start));
            };
            let class = class::OF[byte as usize];
            if class & class::LETTER != 0 {
                let token = self.word(interner)?;
                if token.kind == TokenKind::Pragma {
                    self.skip_pragma_operator(interner)?;
                    continue;
                }
                return Ok(token);
            }
            if class & class::DIGIT != 0
                || (byte == b'.' && self.peek(1).is_some_and(|next| next.is_ascii_digit()))
            {
                self.number();
                return Ok(self.token(TokenKind::Number, start));
            }
            return match byte {
                b'"' => self.quoted(start, b'"', TokenKind::String),
                b'\'' => self.quoted(start, b'\'', TokenKind::Char),
                _ if class & class::UNUSUAL != 0 => self.unusual_word(start, interner),
                _ => self.punctuator(byte),
            };
        }
    }

    /// What the directives met so far said.
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }
    /// What all directives said.
    pub(crate) fn into_notes(self) -> Notes {
        self.notes
    }
    /// After a failure: moves to the end of the line, so that lexing can go on.
    pub(crate) fn skip_line(&mut self) {
        let rest = &self.text[self.position.min(self.text.len())..];
        self.position += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
    /// The empty span at the current position.
    pub(crate) fn here(&self) -> Span {
        self.span(self.position, self.position)
    }

    pub(super) fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, payload: start as u32, span: self.span(start, self.position) }
    }
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, lo: start as u32, hi: end as u32 }
    }
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    pub(super) fn failure(&self, message: impl Into<String>, start: usize, end: usize) -> Failure {
        Box::new(Diagnostic::error(message, self.span(start, end)))
    }
    /// Whether the line markers say that the text at hand is that of a system header.
    pub(super) fn is_in_system_header(&self) -> bool {
        self.notes.markers.last().is_some_and(|marker| marker.is_system)
    }
    pub(super) fn byte(&self, position: usize) -> Option<u8> {
        self.text.get(position).copied()
    }
    /// The place of the `ahead`th byte from here, not counting splices (I2).
    pub(super) fn place(&self, ahead: usize) -> usize {
        let mut position = self.position;
        for step in 0..=ahead {
            if step > 0 {
                position += 1;
            }
            while self.byte(position) == Some(b'\\') {
                match splice_length(&self.text, position) {
                    0 => break,
                    length => position += length,
                }
            }
        }
        position
    }
    /// The `ahead`th byte from here, not counting splices (I2).
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.byte(self.place(ahead))
    }

    /// Skips blanks, comments, splices and directives; the byte after them.
    fn skip_blanks(&mut self) -> Result<Option<u8>, Failure> {
        loop {
            let Some(byte) = self.byte(self.position) else { return Ok(None) };
            if class::OF[byte as usize] & class::BLANK != 0 {
                self.position += 1;
                continue;
            }
            match byte {
                b'\n' => {
                    self.position += 1;
                    self.at_line_start = true;
                }
                b'/' => match self.peek(1) {
                    Some(b'*') => self.skip_block_comment()?,
                    Some(b'/') => self.skip_line_comment(),
                    _ => return Ok(Some(byte)),
                },
                b'\\' => match splice_length(&self.text, self.position) {
                    0 => return Ok(Some(byte)),
                    length => self.position += length,
                },
                b'#' if self.at_line_start => directive::read(self)?,
                b'%' if self.at_line_start && self.peek(1) == Some(b':') => directive::read(self)?,
                _ => return Ok(Some(byte)),
            }
        }
    }
    pub(super) fn skip_block_comment(&mut self) -> Result<(), Failure> {
        let start = self.position;
        let mut position = self.place(1) + 1;
        loop {
            // Most bytes of a comment are no star; the slice search is fast.
            match self.text[position.min(self.text.len())..].iter().position(|byte| *byte == b'*') {
                None => {
                    let failure = self.failure("unterminated comment", start, start + 2);
                    return Err(Box::new(failure.with_label("the comment starts here")));
                }
                Some(ahead) => position += ahead + 1,
            }
            let mut slash = position;
            while self.byte(slash) == Some(b'\\') && splice_length(&self.text, slash) > 0 {
                slash += splice_length(&self.text, slash);
            }
            if self.byte(slash) == Some(b'/') {
                self.position = slash + 1;
                return Ok(());
            }
        }
    }
    /// Moves to the line break that ends the comment.
    pub(super) fn skip_line_comment(&mut self) {
        while let Some(byte) = self.byte(self.position) {
            match byte {
                b'\n' => return,
                b'\\' => self.position += splice_length(&self.text, self.position).max(1),
                _ => self.position += 1,
            }
        }
    }

    /// Skips a preprocessing number.
    fn number(&mut self) {
        loop {
            self.position = self.place(0);
            let Some(byte) = self.byte(self.position) else { return };
            let accepted = match byte {
                b'.' => true,
                b'+' | b'-' => matches!(self.text[self.position - 1], b'e' | b'E' | b'p' | b'P'),
                _ => class::OF[byte as usize] & (class::LETTER | class::DIGIT) != 0,
            };
            if !accepted {
                return;
            }
            self.position += 1;
        }
    }

    /// A literal from its opening quote, which is at `position`, on.
    pub(super) fn quoted(&mut self, start: usize, quote: u8, kind: TokenKind) -> Result<Token, Failure> {
        let mut position = self.position + 1;
        loop {
            match self.byte(position) {
                Some(byte) if byte == quote => break,
                // A splice or an escape: neither ends the literal. A splice may have blanks before its line break.
                Some(b'\\') => position += splice_length(&self.text, position).max(2),
                None | Some(b'\n') => {
                    let failure = self.failure(format!("unterminated {}", kind.describe()), start, start + 1);
                    return Err(Box::new(failure.with_label("the literal starts here")));
                }
                Some(_) => position += 1,
            }
        }
        self.position = position + 1;
        Ok(self.token(kind, start))
    }

    /// Skips the rest of `_Pragma("…")`.
    fn skip_pragma_operator(&mut self, interner: &mut Interner) -> Result<(), Failure> {
        for expected in [TokenKind::LeftParen, TokenKind::String, TokenKind::RightParen] {
            let token = self.next_token(interner)?;
            if token.kind != expected {
                let message = format!("expected {} in `_Pragma(\"…\")`", expected.describe());
                return Err(Box::new(Diagnostic::error(message, token.span)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::needless_raw_string_hashes, clippy::format_push_string)] // what expect-test writes; brevity
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::lex::Name;

    /// The tokens of a text, one `kind lo..hi` each, or the error.
    fn check(text: &[u8], expected: &Expect) {
        let mut interner = Interner::new();
        let mut lexer = Lexer::new(FileId(0), text.into());
        let mut shown = String::new();
        loop {
            match lexer.next_token(&mut interner) {
                Ok(token) if token.kind == TokenKind::EndOfFile => break,
                Ok(token) => {
                    let text = match token.kind {
                        TokenKind::Ident => interner.text(Name(token.payload)).to_owned(),
                        kind => kind.describe().to_owned(),
                    };
                    shown += &format!("{text} {}..{}\n", token.span.lo, token.span.hi);
                }
                Err(failure) => {
                    let span = failure.primary.map(|label| (label.span.lo, label.span.hi));
                    shown += &format!("error: {} {span:?}\n", failure.message);
                    break;
                }
            }
        }
        for marker in lexer.into_notes().markers {
            shown += &format!("marker {} {}\n", marker.line, marker.file);
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn words_numbers_and_punctuators() {
        check(
            b"a$1 __inline x<<=0x1e+3...->>= .5 <: %>",
            &expect![[r#"
                a$1 0..3
                `inline` 4..12
                x 13..14
                `<<=` 14..17
                number 17..26
                `->` 26..28
                `>=` 28..30
                number 31..33
                `[` 34..36
                `}` 37..39
            "#]],
        );
    }

    #[test]
    fn splices_may_stand_anywhere() {
        check(
            b"in\\\nt a+\\ \n= 1\\\n2; /\\\n* x *\\\n/ b /\\\n/ c \\\n d\n e",
            &expect![[r#"
                `int` 0..5
                a 6..7
                `+=` 7..12
                number 13..17
                `;` 17..18
                b 31..32
                e 46..47
            "#]],
        );
    }

    #[test]
    fn literals_with_prefixes() {
        check(
            b"L'a' u8\"x\\\"y\" U\"\" u8'a' \"\xE9\" '\\''",
            &expect![[r#"
                character literal 0..4
                string literal 5..13
                string literal 14..17
                u8 18..20
                character literal 20..23
                string literal 24..27
                character literal 28..32
            "#]],
        );
    }

    #[test]
    fn letters_beyond_ascii() {
        check(
            "é1 \\u00e9x".as_bytes(),
            &expect![[r#"
            é1 0..3
            éx 4..11
        "#]],
        );
        check(
            b"x \xE9",
            &expect![[r#"
            x 0..1
            error: stray byte 0xe9, not UTF-8, in the program Some((2, 3))
        "#]],
        );
        check(
            "x → y".as_bytes(),
            &expect![[r#"
            x 0..1
            error: stray character `→` in the program Some((2, 5))
        "#]],
        );
        check(
            b"x \\ y",
            &expect![[r#"
            x 0..1
            error: stray `\` in the program Some((2, 3))
        "#]],
        );
        check(
            b"x @ y",
            &expect![[r#"
            x 0..1
            error: stray `@` in the program Some((2, 3))
        "#]],
        );
    }

    #[test]
    fn directives() {
        check(
            b"# 7 \"a\\\\b.c\" 1 3\nx\n#line 9\n#pragma once /* \n */ y\n_Pragma(\"once\") z %: 3 \"q\"\n%: 4 \"q\"\n",
            &expect![[r#"
                x 17..18
                z 66..67
                `%` 68..69
                `:` 69..70
                number 71..72
                string literal 73..76
                marker 7 a\b.c
                marker 9 a\b.c
                marker 4 q
            "#]],
        );
        check(
            b"x\n#define A 1\n",
            &expect![[r#"
            x 0..1
            error: preprocessor directive `#define` in a text that should be preprocessed Some((2, 13))
        "#]],
        );
        check(
            b"# 99999999999 \"a\"\n",
            &expect![[r#"
            error: a line marker should give a line number below 2^32 Some((0, 17))
        "#]],
        );
        check(
            b"#!shell\n",
            &expect![[r#"
            error: preprocessor directive `#` in a text that should be preprocessed Some((0, 7))
        "#]],
        );
    }

    #[test]
    fn unterminated_texts_point_to_their_start() {
        check(
            b"a /* b",
            &expect![[r#"
            a 0..1
            error: unterminated comment Some((2, 4))
        "#]],
        );
        check(
            b"a /*/",
            &expect![[r#"
            a 0..1
            error: unterminated comment Some((2, 4))
        "#]],
        );
        check(
            b"a \"b\nc",
            &expect![[r#"
            a 0..1
            error: unterminated string literal Some((2, 3))
        "#]],
        );
        check(
            b"a 'b\\",
            &expect![[r#"
            a 0..1
            error: unterminated character literal Some((2, 3))
        "#]],
        );
        check(
            b"a // b\\",
            &expect![[r#"
            a 0..1
        "#]],
        );
    }
}
