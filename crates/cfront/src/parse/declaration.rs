//! Declarations and function definitions, at file scope and in blocks.

use base::Span;

use super::declarator::Form;
use super::scope::Declared;
use super::specifiers::Implicit;
use super::{Parsed, Parser};
use crate::ast::{
    Attribute, Declaration, DeclarationId, DeclarationKind, FunctionDefinition, FunctionId, InitDeclarator,
    Item, Parameters, SpecifiersId, Storage,
};
use crate::lex::TokenKind;

/// What a declaration turned out to be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Declaring {
    /// A declaration.
    Declaration(DeclarationId),
    /// A function with its body.
    Function(FunctionId),
}

impl Parser<'_> {
    /// One external declaration.
    pub(super) fn external_declaration(&mut self) -> Parsed<()> {
        let item = match self.token.kind {
            TokenKind::Semicolon => {
                self.bump();
                return Ok(());
            }
            TokenKind::Asm => Item::Asm(self.asm()?),
            TokenKind::StaticAssert => Item::Declaration(self.static_assert()?),
            _ => match self.declaration(self.token.span, Implicit::Always, Vec::new())? {
                Declaring::Declaration(declaration) => Item::Declaration(declaration),
                Declaring::Function(function) => Item::Function(function),
            },
        };
        self.unit.items.push(item);
        Ok(())
    }

    /// A declaration or function definition that starts at `start`, after the given attributes.
    pub(super) fn declaration(
        &mut self,
        start: Span,
        implicit: Implicit,
        attributes: Vec<Attribute>,
    ) -> Parsed<Declaring> {
        if self.at(TokenKind::StaticAssert) {
            return Ok(Declaring::Declaration(self.static_assert()?));
        }
        let specifiers = self.specifiers(implicit, attributes)?;
        let mut declarators = Vec::new();
        if !self.at(TokenKind::Semicolon) {
            loop {
                let declarator = self.init_declarator(specifiers)?;
                if declarators.is_empty() && declarator.initializer.is_none() && self.starts_body(declarator)
                {
                    return Ok(Declaring::Function(self.function(specifiers, declarator, start)?));
                }
                declarators.push(declarator);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        self.expect(TokenKind::Semicolon, "after declaration")?;
        let kind = DeclarationKind::Plain { specifiers, declarators };
        let span = self.span_from(start);
        Ok(Declaring::Declaration(self.unit.declarations.push(Declaration { kind, span })))
    }

    /// A declarator with its initialiser. Its name is in scope from the end of the declarator on.
    fn init_declarator(&mut self, specifiers: SpecifiersId) -> Parsed<InitDeclarator> {
        let declarator = self.declarator(Form::Named)?;
        if let Some(ident) = self.unit.declarators[declarator].ident {
            let storage = self.unit.specifiers[specifiers].storage;
            let is_typedef = matches!(storage, Some((Storage::Typedef, _)));
            self.scopes.declare(ident.name, if is_typedef { Declared::Typedef } else { Declared::Ordinary });
        }
        let initializer = match self.eat(TokenKind::Equal) {
            Some(_) => Some(self.initializer()?),
            None => None,
        };
        Ok(InitDeclarator { declarator, initializer })
    }

    /// Whether the current token starts the body of the declared function, or K&R declarations of its parameters.
    fn starts_body(&self, declared: InitDeclarator) -> bool {
        match self.function_parameters(declared.declarator) {
            None => false,
            Some(_) if self.at(TokenKind::LeftBrace) => true,
            Some(Parameters::Identifiers(names)) => !names.is_empty() && self.starts_declaration(),
            Some(Parameters::Prototype { .. }) => false,
        }
    }

    /// A function definition from the end of its declarator on.
    fn function(
        &mut self,
        specifiers: SpecifiersId,
        declared: InitDeclarator,
        start: Span,
    ) -> Parsed<FunctionId> {
        let declarator = declared.declarator;
        self.scopes.open();
        self.declare_parameters(declarator);
        let mut parameter_declarations = Vec::new();
        while !self.at(TokenKind::LeftBrace) {
            if !self.starts_declaration() {
                let failure = self.unexpected("`{` before function body");
                let declarator = self.unit.declarators[declarator].span;
                return Err(Box::new(failure.with_secondary(declarator, "of this function")));
            }
            match self.declaration(self.token.span, Implicit::WithOthers, Vec::new())? {
                Declaring::Declaration(declaration) => parameter_declarations.push(declaration),
                Declaring::Function(function) => {
                    let span = self.unit.functions[function].span;
                    let message = "a function definition among the declarations of parameters";
                    return Err(Box::new(base::Diagnostic::error(message, span)));
                }
            }
        }
        let open = self.token.payload;
        let body = self.nested(Self::block)?;
        let words = open..self.closed;
        self.scopes.close();
        let span = self.span_from(start);
        let function =
            FunctionDefinition { specifiers, declarator, parameter_declarations, body, words, span };
        Ok(self.unit.functions.push(function))
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<DeclarationId> {
        let start = self.bump().span;
        let open = self.expect(TokenKind::LeftParen, "after `_Static_assert`")?.span;
        let condition = self.conditional()?;
        let mut message = None;
        if self.eat(TokenKind::Comma).is_some() {
            if !self.at(TokenKind::String) {
                return Err(self.unexpected("string literal with a message"));
            }
            message = Some(self.string_literal()?);
        }
        self.expect_close(TokenKind::RightParen, open, "after `_Static_assert`")?;
        self.expect(TokenKind::Semicolon, "after `_Static_assert`")?;
        let kind = DeclarationKind::StaticAssert { condition, message };
        let span = self.span_from(start);
        Ok(self.unit.declarations.push(Declaration { kind, span }))
    }
}
