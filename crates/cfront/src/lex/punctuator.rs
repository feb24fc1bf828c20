//! Operators and separators, digraphs included.

use super::Failure;
use super::lexer::Lexer;
use super::token::{Token, TokenKind};

impl Lexer {
    /// The longest operator or separator that starts with the byte `first`, which is at `position`.
    pub(super) fn punctuator(&mut self, first: u8) -> Result<Token, Failure> {
        let start = self.position;
        let second = self.peek(1);
        let (kind, length) = match (first, second) {
            (b'.', Some(b'.')) if self.peek(2) == Some(b'.') => (TokenKind::Ellipsis, 3),
            (b'<', Some(b'<')) if self.peek(2) == Some(b'=') => (TokenKind::ShiftLeftEqual, 3),
            (b'>', Some(b'>')) if self.peek(2) == Some(b'=') => (TokenKind::ShiftRightEqual, 3),
            (_, Some(second)) if let Some(kind) = two_bytes(first, second) => (kind, 2),
            _ => match one_byte(first) {
                Some(kind) => (kind, 1),
                None if first == b'#' => {
                    return Err(self.failure("stray `#` in the program", start, start + 1));
                }
                None => {
                    let text = char::from(first).escape_debug().to_string();
                    return Err(self.failure(format!("stray `{text}` in the program"), start, start + 1));
                }
            },
        };
        self.position = self.place(length - 1) + 1;
        Ok(self.token(kind, start))
    }
}

fn two_bytes(first: u8, second: u8) -> Option<TokenKind> {
    use TokenKind as T;
    Some(match (first, second) {
        (b'-', b'>') => T::Arrow,
        (b'+', b'+') => T::PlusPlus,
        (b'-', b'-') => T::MinusMinus,
        (b'&', b'&') => T::AmpersandAmpersand,
        (b'|', b'|') => T::PipePipe,
        (b'<', b'<') => T::ShiftLeft,
        (b'>', b'>') => T::ShiftRight,
        (b'<', b'=') => T::LessEqual,
        (b'>', b'=') => T::GreaterEqual,
        (b'=', b'=') => T::EqualEqual,
        (b'!', b'=') => T::BangEqual,
        (b'+', b'=') => T::PlusEqual,
        (b'-', b'=') => T::MinusEqual,
        (b'*', b'=') => T::StarEqual,
        (b'/', b'=') => T::SlashEqual,
        (b'%', b'=') => T::PercentEqual,
        (b'&', b'=') => T::AmpersandEqual,
        (b'|', b'=') => T::PipeEqual,
        (b'^', b'=') => T::CaretEqual,
        (b'<', b':') => T::LeftBracket,
        (b':', b'>') => T::RightBracket,
        (b'<', b'%') => T::LeftBrace,
        (b'%', b'>') => T::RightBrace,
        _ => return None,
    })
}

fn one_byte(byte: u8) -> Option<TokenKind> {
    use TokenKind as T;
    Some(match byte {
        b'(' => T::LeftParen,
        b')' => T::RightParen,
        b'[' => T::LeftBracket,
        b']' => T::RightBracket,
        b'{' => T::LeftBrace,
        b'}' => T::RightBrace,
        b';' => T::Semicolon,
        b',' => T::Comma,
        b':' => T::Colon,
        b'?' => T::Question,
        b'.' => T::Dot,
        b'+' => T::Plus,
        b'-' => T::Minus,
        b'*' => T::Star,
        b'/' => T::Slash,
        b'%' => T::Percent,
        b'&' => T::Ampersand,
        b'|' => T::Pipe,
        b'^' => T::Caret,
        b'~' => T::Tilde,
        b'!' => T::Bang,
        b'<' => T::Less,
        b'>' => T::Greater,
        b'=' => T::Equal,
        _ => return None,
    })
}
