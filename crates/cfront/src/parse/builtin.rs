//! Operators of GNU C and C11 that look like calls but take types.

use base::Span;

use super::{Parsed, Parser};
use crate::ast::{Designator, ExprId, ExprKind, Generic, Offsetof};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// `_Generic`, `__builtin_va_arg`, `__builtin_offsetof`, `__builtin_types_compatible_p` or `__builtin_choose_expr`.
    pub(super) fn builtin(&mut self) -> Parsed<ExprId> {
        let keyword = self.bump();
        let open = self.expect(TokenKind::LeftParen, &format!("after {}", keyword.kind.describe()))?.span;
        let (kind, depth) = self.depth_within(|parser| match keyword.kind {
            TokenKind::Generic => parser.generic(),
            TokenKind::VaArg => {
                let list = parser.assignment()?;
                parser.expect(TokenKind::Comma, "after argument list")?;
                let type_name = parser.type_name()?;
                Ok(ExprKind::VaArg { list, type_name })
            }
            TokenKind::Offsetof => parser.offset(),
            TokenKind::TypesCompatible => {
                let left = parser.type_name()?;
                parser.expect(TokenKind::Comma, "after type name")?;
                let right = parser.type_name()?;
                Ok(ExprKind::TypesCompatible(left, right))
            }
            _ => {
                let condition = parser.assignment()?;
                parser.expect(TokenKind::Comma, "after condition")?;
                let then = parser.assignment()?;
                parser.expect(TokenKind::Comma, "after expression")?;
                let otherwise = parser.assignment()?;
                Ok(ExprKind::ChooseExpr { condition, then, otherwise })
            }
        })?;
        self.expect_close(TokenKind::RightParen, open, "after arguments")?;
        self.push_expr(kind, self.span_from(keyword.span), depth)
    }

    fn generic(&mut self) -> Parsed<ExprKind> {
        let control = self.assignment()?;
        let mut associations = Vec::new();
        while self.eat(TokenKind::Comma).is_some() {
            let type_name = match self.eat(TokenKind::Default) {
                Some(_) => None,
                None => Some(self.type_name()?),
            };
            self.expect(TokenKind::Colon, "after type name")?;
            associations.push((type_name, self.assignment()?));
        }
        Ok(ExprKind::Generic(self.unit.generics.push(Generic { control, associations })))
    }

    fn offset(&mut self) -> Parsed<ExprKind> {
        let type_name = self.type_name()?;
        self.expect(TokenKind::Comma, "after type name")?;
        let mut place = vec![Designator::Member(self.expect_ident("name of a member")?)];
        loop {
            match self.token.kind {
                TokenKind::Dot => {
                    self.bump();
                    place.push(Designator::Member(self.expect_ident("name of a member")?));
                }
                TokenKind::LeftBracket => {
                    let open: Span = self.bump().span;
                    place.push(Designator::Index(self.expression()?));
                    self.expect_close(TokenKind::RightBracket, open, "after index")?;
                }
                _ => return Ok(ExprKind::Offsetof(self.unit.offsetofs.push(Offsetof { type_name, place }))),
            }
        }
    }
}
