//! Tokens and their spellings.

use base::Span;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Which kind.
    pub kind: TokenKind,
    /// Of an identifier or keyword its name; of any other token the offset of its first byte in the lexed text.
    pub payload: u32,
    /// Where it stands for the user: in the lexed text, or in the text from which that was preprocessed.
    pub span: Span,
}

macro_rules! token_kinds {
    (
        classes { $($class:ident $class_text:literal),* $(,)? }
        punctuators { $($punctuator:ident $text:literal),* $(,)? }
        keywords { $($keyword:ident $first:literal $(| $other:literal)*),* $(,)? }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // the spellings below say it
        pub enum TokenKind { $($class,)* $($punctuator,)* $($keyword,)* }

        impl TokenKind {
            /// How a message names it.
            pub fn describe(self) -> &'static str {
                match self {
                    $(Self::$class => $class_text,)*
                    $(Self::$punctuator => concat!("`", $text, "`"),)*
                    $(Self::$keyword => concat!("`", $first, "`"),)*
                }
            }
        }

        /// All spellings of all keywords. An interner gives them its first names, in this order.
        pub(crate) const KEYWORDS: &[(&str, TokenKind)] =
            &[$(($first, TokenKind::$keyword) $(, ($other, TokenKind::$keyword))*),*];
    };
}

token_kinds! {
    classes {
        EndOfFile "end of file",
        // Stands where the lexer failed; nothing accepts it.
        Error "invalid text",
        Ident "identifier",
        Number "number",
        Char "character literal",
        String "string literal",
    }
    punctuators {
        LeftParen "(", RightParen ")", LeftBracket "[", RightBracket "]", LeftBrace "{", RightBrace "}",
        Semicolon ";", Comma ",", Colon ":", Question "?", Dot ".", Arrow "->", Ellipsis "...",
        Plus "+", Minus "-", Star "*", Slash "/", Percent "%",
        PlusPlus "++", MinusMinus "--",
        Ampersand "&", Pipe "|", Caret "^", Tilde "~", Bang "!",
        AmpersandAmpersand "&&", PipePipe "||",
        ShiftLeft "<<", ShiftRight ">>",
        Less "<", Greater ">", LessEqual "<=", GreaterEqual ">=", EqualEqual "==", BangEqual "!=",
        Equal "=", PlusEqual "+=", MinusEqual "-=", StarEqual "*=", SlashEqual "/=", PercentEqual "%=",
        ShiftLeftEqual "<<=", ShiftRightEqual ">>=", AmpersandEqual "&=", PipeEqual "|=", CaretEqual "^=",
    }
    keywords {
        // statements
        Break "break", Case "case", Continue "continue", Default "default", Do "do", Else "else", For "for",
        Goto "goto", If "if", Return "return", Switch "switch", While "while",
        LocalLabel "__label__", Asm "asm" | "__asm" | "__asm__",
        // storage and function specifiers
        Typedef "typedef", Extern "extern", Static "static", Auto "auto", Register "register",
        ThreadLocal "_Thread_local" | "__thread",
        Inline "inline" | "__inline" | "__inline__", Noreturn "_Noreturn",
        Alignas "_Alignas", Attribute "__attribute__" | "__attribute", Extension "__extension__",
        // qualifiers
        Const "const" | "__const" | "__const__", Volatile "volatile" | "__volatile" | "__volatile__",
        Restrict "restrict" | "__restrict" | "__restrict__", Atomic "_Atomic",
        // types
        Void "void", CharKeyword "char", Short "short", Int "int", Long "long", Float "float", Double "double",
        Signed "signed" | "__signed" | "__signed__", Unsigned "unsigned",
        Bool "_Bool", Complex "_Complex" | "__complex" | "__complex__",
        Int128 "__int128" | "__int128__" | "__int128_t", UnsignedInt128 "__uint128_t",
        Float16 "_Float16", Float32 "_Float32", Float64 "_Float64", Float128 "_Float128" | "__float128",
        Float32x "_Float32x", Float64x "_Float64x", VaList "__builtin_va_list",
        Struct "struct", Union "union", Enum "enum",
        Typeof "typeof" | "__typeof" | "__typeof__", AutoType "__auto_type",
        // expressions
        Sizeof "sizeof", Alignof "_Alignof" | "__alignof" | "__alignof__",
        Real "__real__" | "__real", Imag "__imag__" | "__imag",
        Generic "_Generic", VaArg "__builtin_va_arg", Offsetof "__builtin_offsetof",
        TypesCompatible "__builtin_types_compatible_p", ChooseExpr "__builtin_choose_expr",
        // others
        StaticAssert "_Static_assert", Pragma "_Pragma" | "__pragma",
    }
}

impl TokenKind {
    /// Whether it is a number, character or string.
    pub fn is_literal(self) -> bool {
        matches!(self, Self::Number | Self::Char | Self::String)
    }
    /// Whether its spelling is that of an identifier: identifiers and keywords.
    pub fn is_word(self) -> bool {
        self == Self::Ident || self as u8 >= Self::Break as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_identifiers_and_keywords() {
        assert!(TokenKind::Ident.is_word());
        assert!(KEYWORDS.iter().all(|(_, kind)| kind.is_word()));
        assert!(!TokenKind::CaretEqual.is_word());
        assert_eq!(TokenKind::LeftBrace.describe(), "`{`");
    }

    #[test]
    fn no_keyword_is_spelled_twice() {
        let mut texts: Vec<_> = KEYWORDS.iter().map(|(text, _)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), KEYWORDS.len());
    }
}
