//! `struct`, `union` and `enum`.

use base::Span;

use super::declarator::Form;
use super::scope::Declared;
use super::specifiers::Implicit;
use super::{Parsed, Parser};
use crate::ast::{
    Attribute, AttributeKind, Declarator, DeclaratorId, EnumId, EnumSpecifier, Enumerator, MemberDeclaration,
    MemberDeclarator, RecordId, RecordKind, RecordSpecifier,
};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// A `struct` or `union` specifier.
    pub(super) fn record(&mut self) -> Parsed<RecordId> {
        let keyword = self.bump();
        let kind = if keyword.kind == TokenKind::Struct { RecordKind::Struct } else { RecordKind::Union };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.ident();
        let mut members = None;
        if self.at(TokenKind::LeftBrace) {
            members = Some(self.members(&mut attributes)?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            let (brace, keyword) = (TokenKind::LeftBrace.describe(), keyword.kind.describe());
            return Err(self.unexpected(&format!("name or {brace} after {keyword}")));
        }
        let span = self.span_from(keyword.span);
        let record = RecordSpecifier { kind, tag, members, attributes, keyword: keyword.span, span };
        Ok(self.unit.records.push(record))
    }

    /// The body of a record; adds what `#pragma pack` says to the attributes.
    fn members(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Vec<MemberDeclaration>> {
        let open = self.bump().span;
        let mut members = Vec::new();
        loop {
            match self.token.kind {
                TokenKind::RightBrace => break,
                TokenKind::Semicolon => {
                    self.bump();
                }
                TokenKind::EndOfFile => {
                    let expected = format!("{} after members", TokenKind::RightBrace.describe());
                    let failure = self.unexpected(&expected);
                    return Err(Box::new(failure.with_secondary(open, "this brace is not closed")));
                }
                TokenKind::StaticAssert => {
                    members.push(MemberDeclaration::StaticAssert(self.static_assert()?));
                }
                _ => members.push(self.member_declaration()?),
            }
        }
        let close = self.bump();
        // gcc lays out a record when it sees the end of its body.
        let pack = self.tokens.packing_at(close.payload as usize);
        if pack != 0 {
            attributes.push(Attribute { kind: AttributeKind::MaxAlign(pack), span: close.span });
        }
        Ok(members)
    }

    fn member_declaration(&mut self) -> Parsed<MemberDeclaration> {
        let start = self.token.span;
        let specifiers = self.specifiers(Implicit::WithOthers, Vec::new())?;
        let mut declarators = Vec::new();
        if !self.at(TokenKind::Semicolon) {
            loop {
                declarators.push(self.member()?);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        // The last semicolon may be missing in GNU C.
        if !self.at(TokenKind::RightBrace) {
            self.expect(TokenKind::Semicolon, "after member")?;
        }
        Ok(MemberDeclaration::Members { specifiers, declarators, span: self.span_from(start) })
    }

    fn member(&mut self) -> Parsed<MemberDeclarator> {
        let start = self.token.span;
        let declarator = match self.token.kind {
            TokenKind::Colon => self.no_declarator(),
            _ => self.declarator(Form::Named)?,
        };
        let width = match self.eat(TokenKind::Colon) {
            Some(_) => Some(self.conditional()?),
            None => None,
        };
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        self.unit.declarators[declarator].attributes.extend(attributes);
        Ok(MemberDeclarator { declarator, width, span: self.span_from(start) })
    }
    /// The declarator of what has none.
    fn no_declarator(&mut self) -> DeclaratorId {
        let span = self.empty_span();
        let (ident, asm_label) = (None, None);
        self.unit.declarators.push(Declarator {
            ident,
            parts: Vec::new(),
            attributes: Vec::new(),
            asm_label,
            span,
        })
    }

    /// An `enum` specifier.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumId> {
        let keyword = self.bump().span;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.ident();
        let mut enumerators = None;
        if self.at(TokenKind::LeftBrace) {
            let open = self.bump().span;
            enumerators = Some(self.enumerators(open)?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.unexpected("name or `{` after `enum`"));
        }
        let span = self.span_from(keyword);
        Ok(self.unit.enums.push(EnumSpecifier { tag, enumerators, attributes, keyword, span }))
    }
    fn enumerators(&mut self, open: Span) -> Parsed<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            let ident = self.expect_ident("name of an enumerator")?;
            self.attributes(&mut Vec::new())?;
            let value = match self.eat(TokenKind::Equal) {
                Some(_) => Some(self.conditional()?),
                None => None,
            };
            self.scopes.declare(ident.name, Declared::Ordinary);
            enumerators.push(Enumerator { ident, value });
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect_close(TokenKind::RightBrace, open, "after enumerators")?;
        Ok(enumerators)
    }
}
