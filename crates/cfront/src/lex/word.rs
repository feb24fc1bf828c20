//! Identifiers, keywords and the prefixes of literals: the words of the lexer.

use super::Failure;
use super::intern::{Interner, Name};
use super::lexer::{Lexer, class};
use super::token::{Token, TokenKind};

impl Lexer {
    /// An identifier, a keyword, or a literal with a prefix.
    pub(super) fn word(&mut self, interner: &mut Interner) -> Result<Token, Failure> {
        let start = self.position;
        let mut end = start + 1;
        let text = &self.text[..];
        while end < text.len() && class::OF[text[end] as usize] & (class::LETTER | class::DIGIT) != 0 {
            end += 1;
        }
        match text.get(end) {
            Some(next) if class::OF[*next as usize] & class::UNUSUAL != 0 => {
                return self.unusual_word(start, interner);
            }
            Some(quote @ (b'"' | b'\'')) if is_prefix(&text[start..end], *quote) => {
                self.position = end;
                let kind = if *quote == b'"' { TokenKind::String } else { TokenKind::Char };
                return self.quoted(start, *quote, kind);
            }
            _ => {}
        }
        let name = interner.intern_ascii(&text[start..end]);
        self.position = end;
        Ok(self.word_token(name, start))
    }
    fn word_token(&self, name: Name, start: usize) -> Token {
        Token { kind: Interner::kind(name), payload: name.0, span: self.span(start, self.position) }
    }
    /// An identifier with splices, universal character names or letters beyond ASCII.
    #[cold]
    pub(super) fn unusual_word(&mut self, start: usize, interner: &mut Interner) -> Result<Token, Failure> {
        let mut name = String::new();
        loop {
            self.position = self.place(0);
            let at = self.position;
            let letter = match self.byte(at) {
                Some(byte) if class::OF[byte as usize] & (class::LETTER | class::DIGIT) != 0 => {
                    self.position += 1;
                    char::from(byte)
                }
                Some(b'\\') => self.universal_name()?,
                Some(byte) if byte >= 0x80 => self.utf8_letter()?,
                Some(quote @ (b'"' | b'\'')) if is_prefix(name.as_bytes(), quote) => {
                    let kind = if quote == b'"' { TokenKind::String } else { TokenKind::Char };
                    return self.quoted(start, quote, kind);
                }
                _ => break,
            };
            if name.is_empty() && letter.is_numeric() {
                return Err(self.failure("an identifier cannot start with this digit", at, self.position));
            }
            name.push(letter);
        }
        Ok(self.word_token(interner.intern(&name), start))
    }
    /// `\u1234` or `\U12345678` in an identifier.
    fn universal_name(&mut self) -> Result<char, Failure> {
        let start = self.position;
        let digits = match self.byte(start + 1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => return Err(self.failure("stray `\\` in the program", start, start + 1)),
        };
        let end = (start + 2 + digits).min(self.text.len());
        let value = std::str::from_utf8(&self.text[start + 2..end])
            .ok()
            .filter(|text| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok())
            .and_then(char::from_u32);
        match value {
            Some(letter) if letter.is_alphanumeric() || letter == '$' => {
                self.position = end;
                Ok(letter)
            }
            Some(_) | None => Err(self.failure("this character cannot be part of an identifier", start, end)),
        }
    }
    /// A letter beyond ASCII in an identifier.
    fn utf8_letter(&mut self) -> Result<char, Failure> {
        let start = self.position;
        let rest = &self.text[start..(start + 4).min(self.text.len())];
        let valid = match std::str::from_utf8(rest) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        match valid.chars().next() {
            Some(letter) if letter.is_alphanumeric() => {
                self.position += letter.len_utf8();
                Ok(letter)
            }
            Some(other) => {
                let end = start + other.len_utf8();
                Err(self.failure(
                    format!("stray character `{}` in the program", other.escape_debug()),
                    start,
                    end,
                ))
            }
            None => {
                let message = format!("stray byte 0x{:02x}, not UTF-8, in the program", self.text[start]);
                Err(self.failure(message, start, start + 1))
            }
        }
    }
}

/// Whether a word before a quote is the prefix of a literal.
fn is_prefix(word: &[u8], quote: u8) -> bool {
    matches!(word, b"L" | b"u" | b"U") || (word == b"u8" && quote == b'"')
}
