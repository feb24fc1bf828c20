//! Declarators, with and without names.

use super::scope::Declared;
use super::specifiers::Implicit;
use super::{MAX_NESTING, Parsed, Parser};
use crate::ast::{
    ArraySize, Attribute, BuiltinType, Declarator, DeclaratorId, DeclaratorPart, Ident, Parameter,
    Parameters, Qualifiers, TypeSpecifier,
};
use crate::lex::{Name, TokenKind};

/// Whether a declarator has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It must: variables, members, functions.
    Named,
    /// It must not: type names.
    Abstract,
    /// It may: parameters.
    Parameter,
}

impl Parser<'_> {
    /// A declarator, with the `asm` label and attributes that follow it.
    pub(super) fn declarator(&mut self, form: Form) -> Parsed<DeclaratorId> {
        let start = self.token.span;
        let empty = self.empty_span();
        let mut declarator = Declarator {
            ident: None,
            parts: Vec::new(),
            attributes: Vec::new(),
            asm_label: None,
            span: empty,
        };
        self.attributes(&mut declarator.attributes)?;
        self.declarator_inner(form, &mut declarator)?;
        if declarator.parts.len() > MAX_NESTING as usize {
            return Err(self.too_deep());
        }
        if declarator.ident.is_some() || !declarator.parts.is_empty() {
            declarator.span = self.span_from(start);
        }
        loop {
            match self.token.kind {
                TokenKind::Attribute => self.attributes(&mut declarator.attributes)?,
                TokenKind::Asm if form == Form::Named => declarator.asm_label = Some(self.asm_label()?),
                _ => break,
            }
        }
        Ok(self.unit.declarators.push(declarator))
    }

    /// Pointers, name, and what follows it.
    fn declarator_inner(&mut self, form: Form, declarator: &mut Declarator) -> Parsed<()> {
        let mut pointers = Vec::new();
        while self.eat(TokenKind::Star).is_some() {
            pointers.push(self.qualifiers(&mut declarator.attributes)?);
        }
        match self.token.kind {
            TokenKind::Ident if form != Form::Abstract => declarator.ident = self.ident(),
            TokenKind::LeftParen if self.opens_group(form) => {
                let open = self.bump().span;
                self.attributes(&mut declarator.attributes)?;
                self.nested(|parser| parser.declarator_inner(form, declarator))?;
                self.expect_close(TokenKind::RightParen, open, "after declarator")?;
            }
            _ if form == Form::Named => return Err(self.unexpected("name or declarator")),
            _ => {}
        }
        loop {
            let part = match self.token.kind {
                TokenKind::LeftBracket => self.array_part(&mut declarator.attributes)?,
                TokenKind::LeftParen => self.function_part()?,
                _ => break,
            };
            declarator.parts.push(part);
        }
        let pointers = pointers.into_iter().rev();
        declarator.parts.extend(pointers.map(|qualifiers| DeclaratorPart::Pointer { qualifiers }));
        Ok(())
    }
    /// Whether the parenthesis groups a declarator, rather than holding parameters of a function without name.
    fn opens_group(&self, form: Form) -> bool {
        let next = self.tokens.peek(1);
        match next.kind {
            TokenKind::RightParen | TokenKind::Ellipsis => form == Form::Named,
            TokenKind::Attribute => true,
            _ => form == Form::Named || !self.starts_parameter(next),
        }
    }
    /// Whether a token starts a parameter.
    fn starts_parameter(&self, token: crate::lex::Token) -> bool {
        matches!(token.kind, TokenKind::Register | TokenKind::Alignas) || self.starts_type(token)
    }

    fn array_part(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<DeclaratorPart> {
        let open = self.bump().span;
        let mut is_static = self.eat(TokenKind::Static).is_some();
        let qualifiers = self.qualifiers(attributes)?;
        is_static |= self.eat(TokenKind::Static).is_some();
        let size = match self.token.kind {
            TokenKind::RightBracket => ArraySize::Unspecified,
            TokenKind::Star if self.peek_kind(1) == TokenKind::RightBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(self.nested(Self::assignment)?),
        };
        self.expect_close(TokenKind::RightBracket, open, "after array size")?;
        Ok(DeclaratorPart::Array { size, qualifiers, is_static, span: self.span_from(open) })
    }

    fn function_part(&mut self) -> Parsed<DeclaratorPart> {
        let open = self.bump().span;
        let parameters = match self.token.kind {
            TokenKind::RightParen => Parameters::Identifiers(Vec::new()),
            TokenKind::Ident if !self.starts_type(self.token) => self.identifier_list()?,
            _ => {
                self.scopes.open();
                let parameters = self.nested(Self::prototype)?;
                self.scopes.close();
                parameters
            }
        };
        self.expect_close(TokenKind::RightParen, open, "after parameters")?;
        Ok(DeclaratorPart::Function { parameters, span: self.span_from(open) })
    }
    /// The names of a K&R definition.
    fn identifier_list(&mut self) -> Parsed<Parameters> {
        let mut names = Vec::new();
        loop {
            let ident = self.expect_ident("name of a parameter")?;
            if matches!(self.token.kind, TokenKind::Ident | TokenKind::Star) {
                return Err(self.unknown_type(ident));
            }
            names.push(ident);
            if self.eat(TokenKind::Comma).is_none() {
                return Ok(Parameters::Identifiers(names));
            }
        }
    }
    fn prototype(&mut self) -> Parsed<Parameters> {
        let mut parameters = Vec::new();
        loop {
            if self.eat(TokenKind::Ellipsis).is_some() {
                return Ok(Parameters::Prototype { parameters, variadic: true });
            }
            parameters.push(self.parameter()?);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        if let [only] = parameters[..]
            && self.is_plain_void(only)
        {
            parameters.clear();
        }
        Ok(Parameters::Prototype { parameters, variadic: false })
    }
    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.token.span;
        if self.at(TokenKind::Ident) && !self.starts_type(self.token) {
            let ident = Ident { name: Name(self.token.payload), span: self.token.span };
            return Err(self.unknown_type(ident));
        }
        let specifiers = self.specifiers(Implicit::WithOthers, Vec::new())?;
        let declarator = self.declarator(Form::Parameter)?;
        if let Some(ident) = self.unit.declarators[declarator].ident {
            self.scopes.declare(ident.name, Declared::Ordinary);
        }
        Ok(Parameter { specifiers, declarator, span: self.span_from(start) })
    }
    /// Whether a parameter is the `void` of an empty list.
    fn is_plain_void(&self, parameter: Parameter) -> bool {
        let specifiers = &self.unit.specifiers[parameter.specifiers];
        let declarator = &self.unit.declarators[parameter.declarator];
        specifiers.kind == TypeSpecifier::Builtin(BuiltinType::Void)
            && specifiers.qualifiers == Qualifiers::default()
            && specifiers.storage.is_none()
            && declarator.ident.is_none()
            && declarator.parts.is_empty()
    }

    /// The parameters of the function that a declarator declares, if it declares one.
    pub(super) fn function_parameters(&self, declarator: DeclaratorId) -> Option<&Parameters> {
        match self.unit.declarators[declarator].parts.first() {
            Some(DeclaratorPart::Function { parameters, .. }) => Some(parameters),
            Some(DeclaratorPart::Pointer { .. } | DeclaratorPart::Array { .. }) | None => None,
        }
    }
    /// Declares the names of parameters in the scope of a function's body.
    pub(super) fn declare_parameters(&mut self, declarator: DeclaratorId) {
        let names: Vec<Name> = match self.function_parameters(declarator) {
            Some(Parameters::Prototype { parameters, .. }) => parameters
                .iter()
                .filter_map(|parameter| self.unit.declarators[parameter.declarator].ident)
                .map(|ident| ident.name)
                .collect(),
            Some(Parameters::Identifiers(names)) => names.iter().map(|ident| ident.name).collect(),
            None => Vec::new(),
        };
        for name in names {
            self.scopes.declare(name, Declared::Ordinary);
        }
    }
}
