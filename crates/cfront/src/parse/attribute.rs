//! `__attribute__((…))`: those that matter are kept, the others are skipped.

use super::{Parsed, Parser};
use crate::ast::{AlignasArgument, Attribute, AttributeKind};
use crate::lex::{Name, TokenKind};

impl Parser<'_> {
    /// Any number of attribute specifiers, appended to `attributes`.
    #[inline]
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at(TokenKind::Attribute) {
            self.nested(|parser| parser.attribute_specifier(attributes))?;
        }
        Ok(())
    }

    fn attribute_specifier(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `__attribute__`")?.span;
        let inner = self.expect(TokenKind::LeftParen, "after `__attribute__(`")?.span;
        loop {
            if self.token.kind.is_word() {
                attributes.extend(self.attribute()?);
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_close(TokenKind::RightParen, inner, "after attributes")?;
        self.expect_close(TokenKind::RightParen, open, "after attributes")?;
        Ok(())
    }

    /// One attribute; `None` if it does not matter.
    fn attribute(&mut self) -> Parsed<Option<Attribute>> {
        let token = self.bump();
        let full = self.interner.text(Name(token.payload));
        let name = bare(full);
        let kind = match name {
            "packed" => Some(AttributeKind::Packed),
            "noreturn" => Some(AttributeKind::Noreturn),
            "transparent_union" => Some(AttributeKind::TransparentUnion),
            "aligned" => Some(AttributeKind::Aligned(self.attribute_argument()?.map(AlignasArgument::Expr))),
            "vector_size" => self.attribute_argument()?.map(AttributeKind::VectorSize),
            "mode" => self.mode()?,
            "cleanup"
            | "constructor"
            | "destructor"
            | "alias"
            | "ifunc"
            | "weakref"
            | "scalar_storage_order"
            | "ms_struct" => {
                let name = name.to_owned();
                Some(AttributeKind::Other(self.interner.intern(&name)))
            }
            _ => None,
        };
        if self.at(TokenKind::LeftParen) {
            self.skip_parentheses()?;
        }
        Ok(kind.map(|kind| Attribute { kind, span: self.span_from(token.span) }))
    }

    /// `(expression)`, if there is one.
    fn attribute_argument(&mut self) -> Parsed<Option<crate::ast::ExprId>> {
        if !self.at(TokenKind::LeftParen) {
            return Ok(None);
        }
        let open = self.bump().span;
        let argument = self.conditional()?;
        self.expect_close(TokenKind::RightParen, open, "after argument of attribute")?;
        Ok(Some(argument))
    }

    /// `(QI)`, `(__DI__)` …
    fn mode(&mut self) -> Parsed<Option<AttributeKind>> {
        let open = self.expect(TokenKind::LeftParen, "after attribute `mode`")?.span;
        let mode = self.expect_ident("machine mode")?;
        self.expect_close(TokenKind::RightParen, open, "after machine mode")?;
        let text = bare(self.interner.text(mode.name)).to_owned();
        Ok(Some(AttributeKind::Mode(self.interner.intern(&text))))
    }

    /// Skips balanced parentheses.
    fn skip_parentheses(&mut self) -> Parsed<()> {
        let open = self.token.span;
        let mut depth = 0_usize;
        loop {
            match self.token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::EndOfFile | TokenKind::Error => {
                    let failure = self.unexpected("`)` after arguments of attribute");
                    return Err(Box::new(failure.with_secondary(open, "to close this")));
                }
                _ => {}
            }
            self.bump();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

/// `packed` of `__packed__`.
fn bare(name: &str) -> &str {
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}
