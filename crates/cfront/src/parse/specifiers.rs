//! Declaration specifiers and type names.

use base::Diagnostic;

use super::declarator::Form;
use super::{Failure, Parsed, Parser};
use crate::ast::{
    AlignasArgument, Attribute, AttributeKind, BuiltinType, Ident, Qualifiers, Specifiers, SpecifiersId,
    Storage, TypeName, TypeNameId, TypeSpecifier,
};
use crate::lex::{Name, Token, TokenKind};

/// The keywords of a type, in any order.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // four independent keywords
struct TypeWords {
    /// `char`, `int`, `double` …
    base: Option<TokenKind>,
    long: u8,
    short: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
}

impl TypeWords {
    fn is_empty(&self) -> bool {
        self.base.is_none()
            && self.long == 0
            && !self.short
            && !self.signed
            && !self.unsigned
            && !self.complex
    }
    /// Adds a keyword; false if it contradicts the ones before.
    fn add(&mut self, kind: TokenKind) -> bool {
        let flag = match kind {
            TokenKind::Long => {
                self.long += 1;
                return self.long <= 2;
            }
            TokenKind::Short => &mut self.short,
            TokenKind::Signed => &mut self.signed,
            TokenKind::Unsigned => &mut self.unsigned,
            TokenKind::Complex => &mut self.complex,
            _ => return self.base.replace(kind).is_none(),
        };
        !std::mem::replace(flag, true)
    }
    /// The type that the keywords mean together; `None` if they contradict each other.
    fn combined(&self) -> Option<BuiltinType> {
        use BuiltinType as B;
        let plain = self.long == 0 && !self.short && !self.signed && !self.unsigned;
        let signs = !(self.signed && self.unsigned);
        let pick = |signed, unsigned| Some(if self.unsigned { unsigned } else { signed });
        match self.base {
            None if self.complex && plain => Some(B::Double),
            None | Some(TokenKind::Int) if signs => match (self.short, self.long) {
                (false, 0) => pick(B::Int, B::UnsignedInt),
                (true, 0) => pick(B::Short, B::UnsignedShort),
                (false, 1) => pick(B::Long, B::UnsignedLong),
                (false, _) => pick(B::LongLong, B::UnsignedLongLong),
                (true, _) => None,
            },
            Some(TokenKind::CharKeyword) if signs && self.long == 0 && !self.short => {
                if self.signed {
                    Some(B::SignedChar)
                } else {
                    pick(B::Char, B::UnsignedChar)
                }
            }
            Some(TokenKind::Int128) if signs && self.long == 0 && !self.short => {
                pick(B::Int128, B::UnsignedInt128)
            }
            Some(TokenKind::Double) if !self.short && !self.signed && !self.unsigned => match self.long {
                0 => Some(B::Double),
                1 => Some(B::LongDouble),
                _ => None,
            },
            Some(kind) if plain => Some(match kind {
                TokenKind::Void => B::Void,
                TokenKind::Bool => B::Bool,
                TokenKind::Float => B::Float,
                TokenKind::UnsignedInt128 => B::UnsignedInt128,
                TokenKind::Float16 => B::Float16,
                TokenKind::Float32 => B::Float32,
                TokenKind::Float64 => B::Float64,
                TokenKind::Float128 => B::Float128,
                TokenKind::Float32x => B::Float32x,
                TokenKind::Float64x => B::Float64x,
                _ => return None,
            }),
            None | Some(_) => None,
        }
    }
    fn specifier(&self) -> Option<TypeSpecifier> {
        let builtin = self.combined()?;
        if !self.complex {
            return Some(TypeSpecifier::Builtin(builtin));
        }
        (!matches!(builtin, BuiltinType::Void | BuiltinType::Bool)).then_some(TypeSpecifier::Complex(builtin))
    }
}

/// The specifiers of a declaration that have been read.
struct Pending {
    found: Specifiers,
    words: TypeWords,
    /// Whether there is a type that is no keyword of `words`: a record, a `typedef` name …
    has_type: bool,
    /// Whether there is no specifier yet.
    is_empty: bool,
}

/// Whether `int` may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Implicit {
    /// Even if there is no specifier at all: `main() {}` at file scope.
    Always,
    /// If there is some other specifier: `static x;`, `const x`.
    WithOthers,
}

impl Parser<'_> {
    /// Whether a token, the current one or the one after it, starts a type name: a type or a qualifier.
    pub(super) fn starts_type(&self, token: Token) -> bool {
        match token.kind {
            TokenKind::Ident => self.scopes.is_typedef(Name(token.payload)),
            TokenKind::Const | TokenKind::Volatile | TokenKind::Restrict | TokenKind::Atomic => true,
            // No expression starts with an attribute.
            TokenKind::Attribute => true,
            TokenKind::Extension => self.peek_past_extension(),
            kind => kind as u8 >= TokenKind::Void as u8 && kind as u8 <= TokenKind::AutoType as u8,
        }
    }
    /// Whether what follows `(__extension__` is a type.
    fn peek_past_extension(&self) -> bool {
        let after = self.tokens.peek(2);
        after.kind != TokenKind::Extension && after.kind != TokenKind::Attribute && self.starts_type(after)
    }
    /// Whether the current token starts a declaration.
    pub(super) fn starts_declaration(&self) -> bool {
        match self.token.kind {
            TokenKind::Attribute | TokenKind::Extension => false,
            TokenKind::Typedef
            | TokenKind::Extern
            | TokenKind::Static
            | TokenKind::Auto
            | TokenKind::Register
            | TokenKind::ThreadLocal
            | TokenKind::Inline
            | TokenKind::Noreturn
            | TokenKind::Alignas
            | TokenKind::StaticAssert => true,
            _ => self.starts_type(self.token),
        }
    }

    /// Specifiers of a declaration, in any order; `attributes` are those that came before.
    pub(super) fn specifiers(
        &mut self,
        implicit: Implicit,
        attributes: Vec<Attribute>,
    ) -> Parsed<SpecifiersId> {
        let start = self.token.span;
        let before = self.empty_span();
        let found = Specifiers {
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            qualifiers: Qualifiers::default(),
            alignas: Vec::new(),
            attributes,
            kind: TypeSpecifier::Builtin(BuiltinType::Int),
            type_span: before,
            span: before,
        };
        let mut pending = Pending { found, words: TypeWords::default(), has_type: false, is_empty: true };
        while self.specifier(&mut pending)? {
            pending.is_empty = false;
        }
        if pending.words.is_empty() && !pending.has_type {
            self.check_implicit_int(implicit, &pending)?;
        }
        let Pending { mut found, words, is_empty, .. } = pending;
        if !words.is_empty() {
            found.kind = words.specifier().ok_or_else(|| -> Failure {
                Box::new(Diagnostic::error("these type specifiers cannot be combined", found.type_span))
            })?;
        }
        if !is_empty {
            found.span = self.span_from(start);
        }
        found.noreturn |= found.attributes.iter().any(|attribute| attribute.kind == AttributeKind::Noreturn);
        Ok(self.unit.specifiers.push(found))
    }
    /// Whether `int` may be implied before the current token.
    fn check_implicit_int(&mut self, implicit: Implicit, pending: &Pending) -> Parsed<()> {
        let declares = match self.token.kind {
            TokenKind::Ident => {
                if matches!(self.peek_kind(1), TokenKind::Ident | TokenKind::Star) {
                    let ident = Ident { name: Name(self.token.payload), span: self.token.span };
                    return Err(self.unknown_type(ident));
                }
                true
            }
            TokenKind::Star | TokenKind::LeftParen => true,
            _ => !pending.is_empty,
        };
        match (implicit, pending.is_empty) {
            (_, false) | (Implicit::Always, true) if declares => Ok(()),
            (Implicit::Always, _) => Err(self.unexpected("declaration")),
            (Implicit::WithOthers, _) => Err(self.unexpected("type name")),
        }
    }

    /// One specifier; false if the current token is none.
    fn specifier(&mut self, pending: &mut Pending) -> Parsed<bool> {
        let found = &mut pending.found;
        let token = self.token;
        match token.kind {
            TokenKind::Typedef => self.storage(found, Storage::Typedef)?,
            TokenKind::Extern => self.storage(found, Storage::Extern)?,
            TokenKind::Static => self.storage(found, Storage::Static)?,
            TokenKind::Auto => self.storage(found, Storage::Auto)?,
            TokenKind::Register => self.storage(found, Storage::Register)?,
            TokenKind::ThreadLocal => found.thread_local = true,
            TokenKind::Inline => found.inline = true,
            TokenKind::Noreturn => found.noreturn = true,
            TokenKind::Extension => {}
            TokenKind::Attribute => {
                self.attributes(&mut found.attributes)?;
                return Ok(true);
            }
            TokenKind::Alignas => {
                found.alignas.push(self.alignas()?);
                return Ok(true);
            }
            kind if self.is_qualifier() && set_qualifier(&mut found.qualifiers, kind) => {}
            TokenKind::Ident
                if pending.has_type
                    || !pending.words.is_empty()
                    || !self.scopes.is_typedef(Name(token.payload)) =>
            {
                return Ok(false);
            }
            kind if kind != TokenKind::Ident && !self.starts_type(token) => return Ok(false),
            _ => {
                self.type_specifier(pending)?;
                let found = &mut pending.found;
                let type_span = self.span_from(token.span);
                let first = found.type_span.lo == found.type_span.hi;
                found.type_span = if first { type_span } else { found.type_span.to(type_span) };
                return Ok(true);
            }
        }
        self.bump();
        Ok(true)
    }
    /// Whether the current token can be a qualifier: `_Atomic(` starts a type.
    fn is_qualifier(&self) -> bool {
        !(self.at(TokenKind::Atomic) && self.peek_kind(1) == TokenKind::LeftParen)
    }
    /// A type specifier: a keyword of `words` or a whole type.
    fn type_specifier(&mut self, pending: &mut Pending) -> Parsed<()> {
        let token = self.token;
        let kind = match token.kind {
            TokenKind::Struct | TokenKind::Union => TypeSpecifier::Record(self.nested(Self::record)?),
            TokenKind::Enum => TypeSpecifier::Enum(self.nested(Self::enumeration)?),
            TokenKind::Typeof => self.nested(Self::type_of)?,
            TokenKind::Atomic => {
                self.bump();
                TypeSpecifier::Atomic(self.nested(Self::parenthesized_type)?.0)
            }
            TokenKind::Ident => {
                self.bump();
                TypeSpecifier::Typedef(Name(token.payload))
            }
            TokenKind::AutoType => {
                self.bump();
                TypeSpecifier::AutoType
            }
            TokenKind::VaList => {
                self.bump();
                TypeSpecifier::VaList
            }
            kind => {
                if pending.has_type || !pending.words.add(kind) {
                    let message =
                        format!("{} cannot be combined with the type before it", self.describe_token(token));
                    return Err(Box::new(
                        self.failure(message, "").with_secondary(pending.found.type_span, "this type"),
                    ));
                }
                self.bump();
                return Ok(());
            }
        };
        if pending.has_type || !pending.words.is_empty() {
            let failure = Diagnostic::error("two types in one declaration", self.span_from(token.span));
            let failure = failure.with_secondary(pending.found.type_span, "the first type");
            return Err(Box::new(failure.with_help("is a `;` missing before it?")));
        }
        pending.found.kind = kind;
        pending.has_type = true;
        Ok(())
    }
    /// Records a storage class; the keyword is the current token.
    fn storage(&mut self, found: &mut Specifiers, storage: Storage) -> Parsed<()> {
        match found.storage {
            None => {
                found.storage = Some((storage, self.token.span));
                Ok(())
            }
            Some((before, _)) if before == storage => Ok(()),
            Some((_, span)) => {
                let failure = self.failure("two storage classes in one declaration", "the second one");
                Err(Box::new(failure.with_secondary(span, "the first one")))
            }
        }
    }
    fn alignas(&mut self) -> Parsed<AlignasArgument> {
        self.bump();
        if self.starts_type(self.tokens.peek(1)) {
            return Ok(AlignasArgument::Type(self.nested(Self::parenthesized_type)?.0));
        }
        let open = self.expect(TokenKind::LeftParen, "after `_Alignas`")?.span;
        let argument = self.nested(Self::conditional)?;
        self.expect_close(TokenKind::RightParen, open, "after argument of `_Alignas`")?;
        Ok(AlignasArgument::Expr(argument))
    }
    fn type_of(&mut self) -> Parsed<TypeSpecifier> {
        self.bump();
        if self.at(TokenKind::LeftParen) && self.starts_type(self.tokens.peek(1)) {
            return Ok(TypeSpecifier::TypeofType(self.parenthesized_type()?.0));
        }
        let open = self.expect(TokenKind::LeftParen, "after `typeof`")?.span;
        let expr = self.expression()?;
        self.expect_close(TokenKind::RightParen, open, "after operand of `typeof`")?;
        Ok(TypeSpecifier::TypeofExpr(expr))
    }

    /// Qualifiers (and attributes) after a `*` or between brackets.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            self.attributes(attributes)?;
            if !set_qualifier(&mut qualifiers, self.token.kind) {
                return Ok(qualifiers);
            }
            self.bump();
        }
    }

    /// A type name, as in casts.
    pub(super) fn type_name(&mut self) -> Parsed<TypeNameId> {
        self.nested(|parser| {
            let start = parser.token.span;
            if parser.at(TokenKind::Ident) && !parser.starts_type(parser.token) {
                let ident = Ident { name: Name(parser.token.payload), span: parser.token.span };
                return Err(parser.unknown_type(ident));
            }
            let specifiers = parser.specifiers(Implicit::WithOthers, Vec::new())?;
            let declarator = parser.declarator(Form::Abstract)?;
            let span = parser.span_from(start);
            Ok(parser.unit.type_names.push(TypeName { specifiers, declarator, span }))
        })
    }
}

/// Sets the qualifier of a keyword; false if it is none.
fn set_qualifier(qualifiers: &mut Qualifiers, kind: TokenKind) -> bool {
    match kind {
        TokenKind::Const => qualifiers.is_const = true,
        TokenKind::Volatile => qualifiers.is_volatile = true,
        TokenKind::Restrict => qualifiers.is_restrict = true,
        TokenKind::Atomic => qualifiers.is_atomic = true,
        _ => return false,
    }
    true
}
