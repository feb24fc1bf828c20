//! Inline assembly: it is parsed so that it can be reported, and never skipped.

use super::{Parsed, Parser};
use crate::ast::{Asm, AsmId, ExprId, StringId};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// An `asm` statement or top-level `asm`, with its semicolon.
    pub(super) fn asm(&mut self) -> Parsed<AsmId> {
        let start = self.bump().span;
        let mut is_goto = false;
        loop {
            match self.token.kind {
                TokenKind::Volatile | TokenKind::Inline | TokenKind::Const => {}
                TokenKind::Goto => is_goto = true,
                _ => break,
            }
            self.bump();
        }
        let open = self.expect(TokenKind::LeftParen, "after `asm`")?.span;
        if !self.at(TokenKind::String) {
            return Err(self.unexpected("string literal with the assembler code"));
        }
        let template = self.string_literal()?;
        let has_operands = self.at(TokenKind::Colon);
        let mut operands = Vec::new();
        while self.eat(TokenKind::Colon).is_some() {
            self.asm_section(&mut operands)?;
        }
        self.expect_close(TokenKind::RightParen, open, "after assembler code")?;
        self.expect(TokenKind::Semicolon, "after `asm`")?;
        let operands = self.push_expr_list(&operands);
        let span = self.span_from(start);
        Ok(self.unit.asms.push(Asm { template, has_operands, is_goto, operands, span }))
    }

    /// Outputs, inputs, clobbers or labels.
    fn asm_section(&mut self, operands: &mut Vec<ExprId>) -> Parsed<()> {
        loop {
            match self.token.kind {
                TokenKind::LeftBracket => {
                    let open = self.bump().span;
                    self.expect_ident("name of an operand")?;
                    self.expect_close(TokenKind::RightBracket, open, "after name of an operand")?;
                    continue;
                }
                TokenKind::String => {
                    self.string_literal()?;
                    if self.at(TokenKind::LeftParen) {
                        let open = self.bump().span;
                        operands.push(self.nested(Self::expression)?);
                        self.expect_close(TokenKind::RightParen, open, "after operand")?;
                    }
                }
                TokenKind::Ident => {
                    self.bump();
                }
                _ => return Ok(()),
            }
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(());
            }
        }
    }

    /// `asm("symbol")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parsed<StringId> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `asm`")?.span;
        if !self.at(TokenKind::String) {
            return Err(self.unexpected("string literal with the symbol"));
        }
        let symbol = self.string_literal()?;
        self.expect_close(TokenKind::RightParen, open, "after symbol")?;
        Ok(symbol)
    }
}
