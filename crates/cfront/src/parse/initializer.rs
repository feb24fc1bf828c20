//! Initialisers and designators.

use super::{Parsed, Parser};
use crate::ast::{Designator, Initializer, InitializerId, InitializerItem, InitializerKind};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// What follows `=`, or the braces of a compound literal.
    pub(super) fn initializer(&mut self) -> Parsed<InitializerId> {
        let start = self.token.span;
        let kind = if self.at(TokenKind::LeftBrace) {
            InitializerKind::List(self.nested(Self::initializer_list)?)
        } else {
            InitializerKind::Expr(self.assignment()?)
        };
        let span = self.span_from(start);
        Ok(self.unit.initializers.push(Initializer { kind, span }))
    }

    fn initializer_list(&mut self) -> Parsed<Vec<InitializerItem>> {
        let open = self.bump().span;
        let mut items = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            let designators = self.designators()?;
            items.push(InitializerItem { designators, value: self.initializer()? });
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_close(TokenKind::RightBrace, open, "after initialiser")?;
        Ok(items)
    }

    /// Designators up to and with their `=`; none if there are none.
    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        if self.at(TokenKind::Ident) && self.peek_kind(1) == TokenKind::Colon {
            let member = self.expect_ident("name of a member")?;
            self.bump();
            return Ok(vec![Designator::Member(member)]);
        }
        let mut designators = Vec::new();
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.bump();
                    designators.push(Designator::Member(self.expect_ident("name of a member")?));
                }
                TokenKind::LeftBracket => {
                    let open = self.bump().span;
                    let first = self.conditional()?;
                    designators.push(match self.eat(TokenKind::Ellipsis) {
                        Some(_) => Designator::Range(first, self.conditional()?),
                        None => Designator::Index(first),
                    });
                    self.expect_close(TokenKind::RightBracket, open, "after index")?;
                }
                _ => break,
            }
        }
        // Old GNU C leaves out the `=` after one index.
        let may_omit = matches!(designators[..], [Designator::Index(_) | Designator::Range(..)]);
        if !designators.is_empty() && self.eat(TokenKind::Equal).is_none() && !may_omit {
            return Err(self.unexpected("`=` after designator"));
        }
        Ok(designators)
    }
}
