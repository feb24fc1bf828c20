//! Which expressions a witness may contain: those of C without effects, and nothing that only looks like one.
//!
//! The text of an expression is put between parentheses of a C text. So that it cannot do more than be evaluated, its tokens are checked
//! first: brackets match, and there is no semicolon, brace, assignment, increment, comma or call. What the tokens cannot tell (a call of what stands in
//! parentheses) shows in the syntax tree: see `claim::check_effects`.

use std::sync::Arc;

use base::FileId;
use cfront::Interner;
use cfront::lex::{Lexer, TokenKind};

/// Longer expressions are refused.
const MAX_LENGTH: usize = 1 << 20;

/// Says why a text may not be used as an expression.
pub fn check(text: &str) -> Result<(), String> {
    if text.len() > MAX_LENGTH {
        return Err("it is too long".to_owned());
    }
    if text.contains(['\\', '#', '\0']) || text.contains("//") || text.contains("/*") || text.contains("??") {
        return Err("it contains a comment, a directive or a backslash".to_owned());
    }
    let mut interner = Interner::new();
    let mut lexer = Lexer::new(FileId(0), Arc::from(text.as_bytes()));
    let mut open = Vec::new();
    let mut previous = TokenKind::EndOfFile;
    let mut count = 0_usize;
    loop {
        let Ok(token) = lexer.next_token(&mut interner) else {
            return Err("it is not text of C".to_owned());
        };
        match token.kind {
            TokenKind::EndOfFile => break,
            TokenKind::LeftParen if previous == TokenKind::Ident => {
                return Err("it contains a call".to_owned());
            }
            TokenKind::LeftParen => open.push(TokenKind::RightParen),
            TokenKind::LeftBracket => open.push(TokenKind::RightBracket),
            TokenKind::RightParen | TokenKind::RightBracket if open.pop() == Some(token.kind) => {}
            TokenKind::RightParen | TokenKind::RightBracket => {
                return Err("its brackets do not match".to_owned());
            }
            kind if !is_allowed(kind) => return Err(format!("it contains {}", kind.describe())),
            _ => {}
        }
        previous = token.kind;
        count += 1;
    }
    if !open.is_empty() {
        return Err("its brackets do not match".to_owned());
    }
    if count == 0 { Err("it is empty".to_owned()) } else { Ok(()) }
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
