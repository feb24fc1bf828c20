//! The tokens as the parser sees them: the current one and a few ahead.
//!
//! # Invariants
//! * I1: until the text is exhausted, at least [`LOOKAHEAD`] tokens follow the current one in `buffer`; after that the
//!   last token is the end of the file or [`TokenKind::Error`], repeated.

use crate::lex::{Failure, Interner, Lexer, Notes, Token, TokenKind};

/// How far [`TokenStream::peek`] may look.
const LOOKAHEAD: usize = 4;
/// How many tokens are lexed at once. A whole file of tokens would take more memory than its tree.
const CHUNK: usize = 1024;

/// A stream of tokens with lookahead.
#[derive(Debug)]
pub(super) struct TokenStream {
    lexer: Option<Lexer>,
    /// The notes of a lexer that has done its work.
    notes: Notes,
    buffer: Vec<Token>,
    position: usize,
    exhausted: bool,
    failure: Option<Failure>,
}

impl TokenStream {
    /// A stream of the tokens of a lexer.
    pub(super) fn from_lexer(lexer: Lexer, interner: &mut Interner) -> Self {
        let notes = Notes::default();
        let mut stream = Self {
            lexer: Some(lexer),
            notes,
            buffer: Vec::new(),
            position: 0,
            exhausted: false,
            failure: None,
        };
        stream.refill(interner);
        stream
    }
    /// A stream of tokens that end with the end of the file.
    pub(super) fn from_tokens(mut tokens: Vec<Token>, notes: Notes) -> Self {
        if let Some(end) = tokens.last().copied() {
            tokens.extend([end; LOOKAHEAD]);
        }
        Self { lexer: None, notes, buffer: tokens, position: 0, exhausted: true, failure: None }
    }
    /// The token `ahead` of the current one, up to [`LOOKAHEAD`]; 0 is the current one.
    pub(super) fn peek(&self, ahead: usize) -> Token {
        self.buffer[self.position + ahead]
    }
    /// Moves to the next token and returns it.
    pub(super) fn advance(&mut self, interner: &mut Interner) -> Token {
        if self.position + LOOKAHEAD + 1 >= self.buffer.len() && !self.exhausted {
            self.refill(interner);
        }
        if self.position + LOOKAHEAD + 1 < self.buffer.len() {
            self.position += 1;
        }
        self.buffer[self.position]
    }
    /// Why the lexer failed, if it did.
    pub(super) fn take_failure(&mut self) -> Option<Failure> {
        self.failure.take()
    }
    /// What `#pragma pack` says at an offset of the lexed text.
    pub(super) fn packing_at(&self, offset: usize) -> u8 {
        self.lexer.as_ref().map_or(&self.notes, Lexer::notes).packing.at(offset)
    }
    /// Whether the line markers say that an offset of the lexed text is in a system header.
    pub(super) fn is_system_at(&self, offset: usize) -> bool {
        self.lexer.as_ref().map_or(&self.notes, Lexer::notes).is_system_at(offset)
    }
    /// What the directives said, once the text is exhausted or given up.
    pub(super) fn into_notes(self) -> Notes {
        self.lexer.map_or(self.notes, Lexer::into_notes)
    }

    /// Lexes the next chunk. What is wrong with the text is told when the parser gets there.
    fn refill(&mut self, interner: &mut Interner) {
        let Some(lexer) = &mut self.lexer else { return };
        self.buffer.drain(..self.position);
        self.position = 0;
        while self.buffer.len() < CHUNK {
            let token = match lexer.next_token(interner) {
                Ok(token) => token,
                Err(failure) => {
                    let span = failure.primary.as_ref().map_or(lexer.here(), |label| label.span);
                    self.failure = Some(failure);
                    Token { kind: TokenKind::Error, payload: span.lo, span }
                }
            };
            self.buffer.push(token);
            if matches!(token.kind, TokenKind::EndOfFile | TokenKind::Error) {
                self.buffer.extend([token; LOOKAHEAD]);
                self.exhausted = true;
                return;
            }
        }
    }
}
