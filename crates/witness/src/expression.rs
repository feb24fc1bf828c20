//! Which expressions a witness may contain: those of C without effects, and nothing that only looks like one.
//!
//! The text of an expression is put between parentheses of a C text. So that it cannot do more than be evaluated, its tokens are checked:
//! brackets match, and there is no semicolon, brace, assignment, increment, comma or call. That is done for the text as it stands, and again
//! for what the preprocessor makes of it in its place ([`check_expanded`]): a macro cannot leave the parentheses. What the tokens cannot tell (a call of what stands in
//! parentheses) shows in the syntax tree: see `claim::check_effects`.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::FileId;
use cfront::Interner;
use cfront::lex::{Lexer, Token, TokenKind};

use crate::fresh::Fresh;
use crate::syntax::Parsed;

/// Longer expressions are refused.
const MAX_LENGTH: usize = 1 << 20;

/// A token and its spelling.
type Word<'a> = (TokenKind, &'a [u8]);

/// Says why a text may not be used as an expression.
pub fn check(text: &str) -> Result<(), String> {
    if text.len() > MAX_LENGTH {
        return Err("it is too long".to_owned());
    }
    if text.contains(['\\', '#', '\0']) || text.contains("//") || text.contains("/*") || text.contains("??") {
        return Err("it contains a comment, a directive or a backslash".to_owned());
    }
    let Some(tokens) = lex(text.as_bytes().into()) else {
        return Err("it is not C text".to_owned());
    };
    let kinds: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
    check_tokens(&kinds)
}

/// All tokens of a text; nothing if it is not made of tokens.
fn lex(text: Arc<[u8]>) -> Option<Vec<Token>> {
    let mut interner = Interner::new();
    let mut lexer = Lexer::new(FileId(0), text);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next_token(&mut interner).ok()?;
        if token.kind == TokenKind::EndOfFile {
            return Some(tokens);
        }
        tokens.push(token);
    }
}

/// Says why tokens may not be used as an expression.
fn check_tokens(tokens: &[TokenKind]) -> Result<(), String> {
    let mut open = Vec::new();
    let mut previous = TokenKind::EndOfFile;
    for token in tokens.iter().copied() {
        match token {
            TokenKind::LeftParen if previous == TokenKind::Ident => {
                return Err("it contains a call".to_owned());
            }
            TokenKind::LeftParen => open.push(TokenKind::RightParen),
            TokenKind::LeftBracket => open.push(TokenKind::RightBracket),
            TokenKind::RightParen | TokenKind::RightBracket if open.pop() == Some(token) => {}
            TokenKind::RightParen | TokenKind::RightBracket => {
                return Err("its brackets do not match".to_owned());
            }
            kind if !is_allowed(kind) => return Err(format!("it contains {}", kind.describe())),
            _ => {}
        }
        previous = token;
    }
    if !open.is_empty() {
        return Err("its brackets do not match".to_owned());
    }
    if tokens.is_empty() { Err("it is empty".to_owned()) } else { Ok(()) }
}

/// Brackets apart.
fn is_allowed(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(kind, K::Ident | K::Number | K::Char | K::Question | K::Colon | K::Dot | K::Arrow)
        || matches!(kind, K::Plus | K::Minus | K::Star | K::Slash | K::Percent | K::Tilde | K::Bang)
        || matches!(kind, K::Ampersand | K::Pipe | K::Caret | K::AmpersandAmpersand | K::PipePipe)
        || matches!(kind, K::ShiftLeft | K::ShiftRight | K::Less | K::Greater | K::LessEqual)
        || matches!(kind, K::GreaterEqual | K::EqualEqual | K::BangEqual | K::Sizeof | K::Alignof)
        || matches!(kind, K::Void | K::CharKeyword | K::Short | K::Int | K::Long | K::Float | K::Double)
        || matches!(kind, K::Signed | K::Unsigned | K::Bool | K::Const | K::Volatile)
        || matches!(kind, K::Struct | K::Union | K::Enum | K::Int128 | K::UnsignedInt128)
}

/// What the text of a check must look like when it is parsed.
pub struct Expected {
    /// How many expressions it has.
    pub values: usize,
    /// Names that must not occur in them: they would not mean what they mean at the place of the check.
    pub hidden: Vec<Arc<str>>,
}

/// What is wrong with a check as it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// An expression is none any more.
    Broken(String),
    /// A name in it is declared between the place of the check and the place where it is evaluated.
    Hidden {
        /// The number of the check.
        check: usize,
        /// The name.
        name: Arc<str>,
    },
}

/// A text as the parser gets it.
pub struct Tokens {
    text: Arc<[u8]>,
    tokens: Vec<Token>,
}

impl Tokens {
    /// The tokens of a text after preprocessing; nothing if it is not made of tokens.
    pub fn new(source: &Arc<[u8]>, parsed: &Parsed) -> Option<Self> {
        let text = match parsed {
            Parsed::Itself => source.clone(),
            Parsed::Preprocessed(output) => without_directives(output).into(),
        };
        Some(Self { tokens: lex(text.clone())?, text })
    }

    fn words(&self) -> Vec<Word<'_>> {
        let spelling = |token: &Token| self.text.get(token.span.lo as usize..token.span.hi as usize);
        self.tokens.iter().map(|token| (token.kind, spelling(token).unwrap_or_default())).collect()
    }

    /// How often each of some names occurs.
    pub fn count(&self, names: &[&str]) -> Vec<usize> {
        let words = self.words();
        let count = |name: &&str| words.iter().filter(|word| word.1 == name.as_bytes()).count();
        names.iter().map(count).collect()
    }
}

/// Checks the woven checks as the parser gets them. `expected` has them by number; `plain` is the same text with numbers in the place of the expressions:
/// what is around them must not depend on them.
pub fn check_expanded(
    tokens: &Tokens,
    plain: &Tokens,
    fresh: &Fresh,
    expected: &BTreeMap<usize, Expected>,
) -> Result<(), Wrong> {
    let (tokens, plain) = (tokens.words(), plain.words());
    if outline(&tokens, fresh, expected)? == outline(&plain, fresh, expected)? {
        Ok(())
    } else {
        Err(Wrong::Broken("it changes the program around it".to_owned()))
    }
}

/// The tokens around the expressions of checks.
fn outline<'a>(
    tokens: &[Word<'a>],
    fresh: &Fresh,
    expected: &BTreeMap<usize, Expected>,
) -> Result<Vec<Word<'a>>, Wrong> {
    let mut around = Vec::with_capacity(tokens.len());
    let mut seen: Vec<usize> = Vec::new();
    let mut at = 0;
    let mut is_declared = false;
    while let Some(word) = tokens.get(at) {
        around.push(*word);
        at += 1;
        if word.1 != fresh.begin.as_bytes() {
            continue;
        }
        // The first one is the declaration.
        if std::mem::replace(&mut is_declared, true) {
            let (number, length) = check_one(&tokens[at..], fresh, expected)?;
            seen.push(number);
            around.extend_from_slice(&tokens[at..at + 3]);
            at += length;
        }
    }
    seen.sort_unstable();
    if seen.iter().ne(expected.keys()) {
        return Err(Wrong::Broken("a macro of the program changes the inserted check".to_owned()));
    }
    Ok(around)
}

/// Checks what follows the name that starts a check, and returns the number of the check and of the tokens up to its end.
fn check_one(
    tokens: &[Word<'_>],
    fresh: &Fresh,
    expected: &BTreeMap<usize, Expected>,
) -> Result<(usize, usize), Wrong> {
    use TokenKind as K;
    let broken = || Wrong::Broken("it is not an expression at its place".to_owned());
    let kind = |at: usize| tokens.get(at).map_or(K::EndOfFile, |token| token.0);
    let number = match tokens.get(1) {
        Some((K::Number, text)) => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
        _ => None,
    }
    .ok_or_else(broken)?;
    let expected = expected.get(&number).ok_or_else(broken)?;
    if [kind(0), kind(2), kind(3)] != [K::LeftParen, K::RightParen, K::Comma] {
        return Err(broken());
    }
    let mut at = 4;
    for value in 0..expected.values {
        if [kind(at), kind(at + 1)] != [K::LeftParen, K::LeftParen] {
            return Err(broken());
        }
        let start = at + 2;
        let length = closing(&tokens[start..]).ok_or_else(broken)?;
        let inside = &tokens[start..start + length];
        let kinds: Vec<K> = inside.iter().map(|token| token.0).collect();
        check_tokens(&kinds).map_err(Wrong::Broken)?;
        if let Some(name) = hidden(inside, &expected.hidden) {
            return Err(Wrong::Hidden { check: number, name });
        }
        at = start + length;
        let next = if value + 1 == expected.values { K::Question } else { K::AmpersandAmpersand };
        if [kind(at), kind(at + 1), kind(at + 2)] != [K::RightParen, K::RightParen, next] {
            return Err(broken());
        }
        at += 3;
    }
    let ends = tokens.get(at).is_some_and(|token| token.1 == fresh.stop.as_bytes());
    if ends { Ok((number, at)) } else { Err(broken()) }
}

/// How many tokens come before the first bracket that closes none of them.
fn closing(tokens: &[Word<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, (kind, _)) in tokens.iter().enumerate() {
        match kind {
            TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
            TokenKind::RightParen | TokenKind::RightBracket if depth == 0 => return Some(at),
            TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
            _ => {}
        }
    }
    None
}

/// A name of the list that is used, members apart.
fn hidden(tokens: &[Word<'_>], names: &[Arc<str>]) -> Option<Arc<str>> {
    let used = |at: usize| {
        let is_member = at > 0 && matches!(tokens[at - 1].0, TokenKind::Dot | TokenKind::Arrow);
        (tokens[at].0 == TokenKind::Ident && !is_member).then_some(tokens[at].1)
    };
    let mut words = (0..tokens.len()).filter_map(used);
    words.find_map(|word| names.iter().find(|name| name.as_bytes() == word).cloned())
}

/// The output of the preprocessor without the lines that are directives. It has no comments.
fn without_directives(text: &[u8]) -> Vec<u8> {
    let mut rest = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_start().starts_with(b"#") {
            rest.push(b'\n');
        } else {
            rest.extend_from_slice(line);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_accepted() {
        for text in [
            "x",
            "x <= 5 && (long long)y + 1 != 'a'",
            "a[i].f->g ? 1 : sizeof(int)",
            "!(x % 2 == 0) || ~y < 0",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn code_is_not() {
        for text in [
            "",
            "(",
            ")",
            "1); evil(); (1",
            "x = 5",
            "x++",
            "--x",
            "f()",
            "f (x)",
            "x += 1",
            "({ 1; })",
            "a, b",
            "\"s\"",
            "x // y",
            "x /* y",
            "1 \\\n",
            "#define",
            "(int[]){1}[0]",
            "(x]",
            "goto l",
            "asm(\"\")",
            "x;",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
