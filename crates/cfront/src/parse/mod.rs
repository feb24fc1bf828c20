//! Recursive-descent parser of C11 and GNU C.
//!
//! The only context that C's grammar needs is which names are typedef names: [`scope`] tracks that. Everything else that looks
//! like meaning (types, constants, redeclarations) is left to the type checker.
//!
//! # Invariants
//! * I1: `nesting` bounds the native recursion of the parser by [`MAX_NESTING`] constructs.
//! * I2: `depths` has the depth of each expression, with left operands of binary operators not counted; none exceeds
//!   [`MAX_NESTING`]. So a walk of the tree that follows left operands with a loop is bounded, too (`ast` I2).
//! * I3: every error of the grammar is reported at the current token, so that a failure of the lexer, which stands
//!   there as [`TokenKind::Error`], is never hidden.

mod asm;
mod attribute;
mod builtin;
mod declaration;
mod declarator;
mod expression;
mod initializer;
mod record;
mod scope;
mod specifiers;
mod statement;
mod stream;

use std::sync::Arc;

use base::{Diagnostic, FileId, SourceMap, Span};

use crate::ast::{Expr, ExprId, ExprKind, ExprList, Ident, StmtId, StmtKind, StmtList, TranslationUnit};
use crate::ast::{Stmt, StringId, StringLiteral};
use crate::lex::{Failure, Interner, Lexer, Name, Notes, Token, TokenKind, literal};
use scope::Scopes;
use stream::TokenStream;

/// How deep constructs may nest: parentheses, blocks, declarators, unary operators …
///
/// Chains of binary operators, `else if`, commas, labels and lists may be as long as memory allows. A parser and a checker that
/// recurse this deep need about 16 MiB of stack in a debug build: see [`with_large_stack`](crate::with_large_stack).
pub const MAX_NESTING: u32 = 2000;

type Parsed<T> = Result<T, Failure>;

/// Parses a loaded text that needs no preprocessing. Its line markers are recorded in the source map.
pub fn parse(
    file: FileId,
    sources: &mut SourceMap,
    interner: &mut Interner,
) -> Result<TranslationUnit, Diagnostic> {
    let text = sources.file(file).text.clone();
    check_bytes(file, &text)?;
    let stream = TokenStream::from_lexer(Lexer::new(file, text.clone()), interner);
    let mut parser = Parser::new(stream, text, interner);
    let result = parser.translation_unit();
    let mut unit = parser.unit;
    let notes = parser.tokens.into_notes();
    notes.record_markers(sources.file_mut(file));
    unit.open_mp = notes.open_mp;
    result.map(|()| unit).map_err(|failure| *failure)
}

/// Parses the tokens of a lexed text, whose spans may be in other files; they end with the end of the file.
pub(crate) fn parse_tokens(
    tokens: Vec<Token>,
    text: Arc<[u8]>,
    notes: Notes,
    interner: &mut Interner,
) -> Result<TranslationUnit, Diagnostic> {
    let open_mp = notes.open_mp;
    let mut parser = Parser::new(TokenStream::from_tokens(tokens, notes), text, interner);
    parser.unit.open_mp = open_mp;
    parser.translation_unit().map_err(|failure| *failure)?;
    Ok(parser.unit)
}

/// What can be said against a text before lexing it.
pub(crate) fn check_bytes(file: FileId, text: &[u8]) -> Result<(), Diagnostic> {
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::global("the file is larger than 4 GiB"));
    }
    match memchr::memchr(0, text) {
        None => Ok(()),
        Some(at) => {
            let span = Span { file, lo: at as u32, hi: at as u32 + 1 };
            Err(Diagnostic::error("the text contains a NUL byte", span).with_help("is this a C file?"))
        }
    }
}

/// The state of parsing one text.
struct Parser<'a> {
    tokens: TokenStream,
    /// The current token.
    token: Token,
    /// Where the token before it stands.
    previous: Span,
    /// The offset of the last `}` in the lexed text.
    closed: u32,
    interner: &'a mut Interner,
    scopes: Scopes,
    nesting: u32,
    depths: Vec<u16>,
    /// The largest depth of an expression since somebody reset it, see [`Parser::depth_within`].
    deepest: u16,
    unit: TranslationUnit,
}

impl<'a> Parser<'a> {
    fn new(tokens: TokenStream, text: Arc<[u8]>, interner: &'a mut Interner) -> Self {
        let token = tokens.peek(0);
        Self {
            token,
            previous: token.span,
            closed: 0,
            tokens,
            interner,
            scopes: Scopes::default(),
            nesting: 0,
            depths: Vec::new(),
            deepest: 0,
            unit: TranslationUnit { text, ..TranslationUnit::default() },
        }
    }

    fn translation_unit(&mut self) -> Parsed<()> {
        while self.token.kind != TokenKind::EndOfFile {
            self.external_declaration()?;
        }
        Ok(())
    }

    // -- tokens ------------------------------------------------------------------------------------------

    /// Moves to the next token; returns the one left behind.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.token;
        self.previous = token.span;
        if token.kind == TokenKind::RightBrace {
            self.closed = token.payload;
        }
        self.token = self.tokens.advance(self.interner);
        token
    }
    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }
    fn peek_kind(&self, ahead: usize) -> TokenKind {
        self.tokens.peek(ahead).kind
    }
    /// Consumes a token of this kind if it is the current one.
    #[inline]
    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        if self.token.kind == kind { Some(self.bump()) } else { None }
    }
    /// Consumes a token of this kind; `place` says where it is expected ("after expression").
    #[inline]
    fn expect(&mut self, kind: TokenKind, place: &str) -> Parsed<Token> {
        if self.token.kind == kind {
            Ok(self.bump())
        } else {
            Err(self.unexpected(&format!("{} {place}", kind.describe())))
        }
    }
    /// As [`Parser::expect`] for a bracket that closes the one at `open`.
    #[inline]
    fn expect_close(&mut self, kind: TokenKind, open: Span, place: &str) -> Parsed<Token> {
        if self.token.kind == kind {
            return Ok(self.bump());
        }
        let failure = self.unexpected(&format!("{} {place}", kind.describe()));
        Err(Box::new(failure.with_secondary(open, "to close this")))
    }
    /// An identifier; `what` says of what.
    fn expect_ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.token.kind {
            TokenKind::Ident => {
                let token = self.bump();
                Ok(Ident { name: Name(token.payload), span: token.span })
            }
            _ => Err(self.unexpected(what)),
        }
    }
    /// The error that something else was expected than the current token (I3).
    #[cold]
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    fn unexpected(&mut self, expected: &str) -> Failure {
        let message = format!("expected {expected}, found {}", self.describe_token(self.token));
        self.failure(message, &format!("expected {expected}"))
    }
    /// An error at the current token (I3).
    #[cold]
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    fn failure(&mut self, message: impl Into<String>, label: &str) -> Failure {
        if self.token.kind == TokenKind::Error
            && let Some(failure) = self.tokens.take_failure()
        {
            return failure;
        }
        Box::new(Diagnostic::error(message, self.token.span).with_label(label))
    }
    fn describe_token(&self, token: Token) -> String {
        match token.kind {
            kind if kind.is_word() => format!("`{}`", self.interner.text(Name(token.payload))),
            kind => kind.describe().to_owned(),
        }
    }
    fn span_from(&self, start: Span) -> Span {
        start.to(self.previous)
    }
    /// The empty span before the current token.
    fn empty_span(&self) -> Span {
        Span { hi: self.token.span.lo, ..self.token.span }
    }

    // -- nesting -----------------------------------------------------------------------------------------

    /// Runs `inner` one level deeper (I1).
    #[inline]
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }
    #[cold]
    #[allow(clippy::unnecessary_box_returns)] // errors travel boxed
    fn too_deep(&mut self) -> Failure {
        let failure = self.failure("constructs are nested too deeply", "nested too deeply here");
        Box::new(failure.with_help(format!("constructs may nest up to {MAX_NESTING} levels")))
    }
    /// The largest depth of any expression that `inner` makes, besides what it returns.
    fn depth_within<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(T, u16)> {
        let saved = std::mem::take(&mut self.deepest);
        let result = inner(self)?;
        let depth = self.deepest;
        self.deepest = saved.max(depth);
        Ok((result, depth))
    }

    // -- nodes -------------------------------------------------------------------------------------------

    fn depth(&self, expr: ExprId) -> u16 {
        self.depths[expr.0 as usize]
    }
    /// A new expression above others of the given depth.
    #[inline]
    fn push_expr(&mut self, kind: ExprKind, span: Span, depth_below: u16) -> Parsed<ExprId> {
        self.push_expr_at(kind, span, depth_below + 1)
    }
    /// A new expression of the given depth (I2).
    #[inline]
    fn push_expr_at(&mut self, kind: ExprKind, span: Span, depth: u16) -> Parsed<ExprId> {
        if u32::from(depth) > MAX_NESTING {
            return Err(self.too_deep());
        }
        self.deepest = self.deepest.max(depth);
        self.depths.push(depth);
        Ok(self.unit.exprs.push(Expr { kind, span }))
    }
    fn push_stmt(&mut self, kind: StmtKind, start: Span, keyword: Span) -> StmtId {
        let span = self.span_from(start);
        self.unit.stmts.push(Stmt { kind, span, keyword })
    }
    fn push_expr_list(&mut self, list: &[ExprId]) -> ExprList {
        let start = self.unit.expr_lists.len() as u32;
        self.unit.expr_lists.extend_from_slice(list);
        ExprList { start, len: list.len() as u32 }
    }
    fn push_stmt_list(&mut self, list: &[StmtId]) -> StmtList {
        let start = self.unit.stmt_lists.len() as u32;
        self.unit.stmt_lists.extend_from_slice(list);
        StmtList { start, len: list.len() as u32 }
    }

    /// One or more string literals, concatenated; the current token is one.
    fn string_literal(&mut self) -> Parsed<StringId> {
        let mut pieces = vec![self.bump()];
        while self.at(TokenKind::String) {
            pieces.push(self.bump());
        }
        let mut encoding = literal::encoding(&self.unit.text, pieces[0].payload as usize);
        for piece in &pieces[1..] {
            let other = literal::encoding(&self.unit.text, piece.payload as usize);
            encoding = concatenated(encoding, other).ok_or_else(|| {
                Box::new(
                    Diagnostic::error(
                        "string literals with different prefixes cannot be concatenated",
                        piece.span,
                    )
                    .with_secondary(pieces[0].span, "the first literal"),
                )
            })?;
        }
        let mut units = Vec::new();
        for piece in &pieces {
            literal::string(&self.unit.text, piece.payload as usize, encoding, piece.span, &mut units)?;
        }
        Ok(self.unit.strings.push(StringLiteral { encoding, units: units.into_boxed_slice() }))
    }
}

/// The prefix of two literals in a row.
fn concatenated(left: crate::ast::Encoding, right: crate::ast::Encoding) -> Option<crate::ast::Encoding> {
    use crate::ast::Encoding::Plain;
    match (left, right) {
        (Plain, other) | (other, Plain) => Some(other),
        (left, right) if left == right => Some(left),
        _ => None,
    }
}
