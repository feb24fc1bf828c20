//! Tokens of the text format.

use base::{FileId, Region};

use super::ParseError;
use super::names::{continues_word, starts_word};
use crate::ty::{FloatKind, Ty};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word or a name in backquotes, with the id that may follow it: `x#7`.
    Name { text: String, quoted: bool, id: Option<u32> },
    /// A number as written, and the type after its colon.
    Number { text: String, ty: Option<Ty> },
    /// A text in double quotes, unescaped.
    Text(Vec<u8>),
    /// `@f0:1:2-3:4` or `@nowhere`.
    Region(Region),
    /// An operator or bracket.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: u32,
    pub(super) column: u32,
    /// Whether white space precedes it.
    pub(super) spaced: bool,
}

/// Longer symbols come before their prefixes.
const SYMBOLS: [&str; 34] = [
    ":=", "->", "<<", ">>", "<=", ">=", "==", "!=", "(", ")", "{", "}", "[", "]", ",", ";", ":", "=", "<",
    ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "?", "#", ".", "@",
];

/// The type that a word names.
pub(super) fn type_of_word(word: &str) -> Option<Ty> {
    match word {
        "ptr" => return Some(Ty::Ptr),
        "f32" => return Some(Ty::Float(FloatKind::Single)),
        "f64" => return Some(Ty::Float(FloatKind::Double)),
        "f80" => return Some(Ty::Float(FloatKind::Extended)),
        "f128" => return Some(Ty::Float(FloatKind::Quad)),
        _ => {}
    }
    let (signed, digits) = match word.as_bytes().first()? {
        b'i' => (true, &word[1..]),
        b'u' => (false, &word[1..]),
        _ => return None,
    };
    if digits.starts_with('0') || digits.starts_with('+') {
        return None;
    }
    let width: u8 = digits.parse().ok()?;
    (1..=128).contains(&width).then_some(Ty::Int { width, signed })
}

/// All tokens of a text, the last one [`Kind::End`].
pub(super) fn tokens(file: &str, text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { file, rest: text, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token()?;
        let last = token.kind == Kind::End;
        tokens.push(token);
        if last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    file: &'a str,
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, ParseError> {
        let (line, column) = (self.line, self.column);
        Err(ParseError { file: self.file.to_owned(), line, column, message: message.into() })
    }
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }
    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
        Some(c)
    }
    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
        &start[..start.len() - self.rest.len()]
    }
    fn skip_space(&mut self) -> bool {
        let before = self.rest.len();
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest.starts_with("//") {
                return self.rest.len() != before;
            }
            self.take_while(|c| c != '\n');
        }
    }
    fn token(&mut self) -> Result<Token, ParseError> {
        let spaced = self.skip_space();
        let (line, column) = (self.line, self.column);
        let kind = match self.peek() {
            None => Kind::End,
            // A percent sign before a space is the operator.
            Some('%') if !self.rest[1..].starts_with(continues_word) => self.symbol()?,
            Some(c) if starts_word(c) => {
                let text = self.take_while(continues_word).to_owned();
                Kind::Name { text, quoted: false, id: self.name_id()? }
            }
            Some('`') => {
                let Ok(text) = String::from_utf8(self.quoted('`')?) else {
                    return self.error("a name should be UTF-8");
                };
                Kind::Name { text, quoted: true, id: self.name_id()? }
            }
            Some('"') => Kind::Text(self.quoted('"')?),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some('@') => self.region()?,
            Some(_) => self.symbol()?,
        };
        Ok(Token { kind, line, column, spaced })
    }
    fn symbol(&mut self) -> Result<Kind, ParseError> {
        for symbol in SYMBOLS {
            if self.rest.starts_with(symbol) {
                for _ in 0..symbol.len() {
                    self.bump();
                }
                return Ok(Kind::Symbol(symbol));
            }
        }
        self.error(format!("unexpected character {:?}", self.peek().unwrap_or(' ')))
    }
    fn name_id(&mut self) -> Result<Option<u32>, ParseError> {
        if !self.rest.starts_with('#') {
            return Ok(None);
        }
        self.bump();
        self.small_number().map(Some)
    }
    fn small_number(&mut self) -> Result<u32, ParseError> {
        let digits = self.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error("a number below 2^32 should stand here"),
        }
    }
    fn quoted(&mut self, quote: char) -> Result<Vec<u8>, ParseError> {
        self.bump();
        let mut bytes = Vec::new();
        loop {
            match self.bump() {
                None | Some('\n') => return self.error("the quote is not closed on its line"),
                Some(c) if c == quote => return Ok(bytes),
                Some('\\') => match self.bump() {
                    Some('n') => bytes.push(b'\n'),
                    Some('t') => bytes.push(b'\t'),
                    Some('x') => {
                        let digits = self.rest.get(..2).unwrap_or_default();
                        match u8::from_str_radix(digits, 16) {
                            Ok(byte) if digits.bytes().all(|c| c.is_ascii_hexdigit()) => bytes.push(byte),
                            _ => return self.error("two hexadecimal digits should follow \\x"),
                        }
                        self.bump();
                        self.bump();
                    }
                    Some(c) if c == quote || c == '\\' => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                    _ => return self.error("unknown escape"),
                },
                Some(c) => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
    }
    /// Digits, letters and dots, an exponent's sign, then `:` and a type. What they mean is decided with the
    /// type.
    fn number(&mut self) -> Kind {
        let start = self.rest;
        loop {
            self.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
            let so_far = &start[..start.len() - self.rest.len()];
            let exponent = !so_far.starts_with("0x") && so_far.ends_with('e');
            if exponent && self.rest.starts_with(['+', '-']) {
                self.bump();
            } else {
                break;
            }
        }
        let text = start[..start.len() - self.rest.len()].to_owned();
        let ty = self.rest.strip_prefix(':').and_then(|after| {
            let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
            type_of_word(&after[..end]).map(|ty| (ty, end + 1))
        });
        if let Some((_, length)) = ty {
            for _ in 0..length {
                self.bump();
            }
        }
        Kind::Number { text, ty: ty.map(|(ty, _)| ty) }
    }
    fn region(&mut self) -> Result<Kind, ParseError> {
        self.bump();
        if self.rest.starts_with("nowhere") {
            self.take_while(continues_word);
            return Ok(Kind::Region(Region::NOWHERE));
        }
        let mut numbers = [0; 5];
        for (number, before) in numbers.iter_mut().zip(["f", ":", ":", "-", ":"]) {
            if !self.rest.starts_with(before) {
                return self.error("a region has the form @f0:line:column-line:column");
            }
            self.bump();
            *number = self.small_number()?;
        }
        let [file, line, column, end_line, end_column] = numbers;
        if line == 0 {
            return self.error("lines are counted from 1");
        }
        Ok(Kind::Region(Region { file: FileId(file), line, column, end_line, end_column }))
    }
}
