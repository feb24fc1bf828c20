//! Enumerations: enumerators, and the integer type that gcc gives them.

use base::{Diagnostic, Span};
use cfa::Ty;

use super::Checked;
use super::attribute::Effects;
use super::context::{Checker, error};
use super::scope::{Entity, Linkage, Tag};
use super::specifiers::TagUse;
use crate::ast;
use crate::types::{Enum, EnumId, IntKind, Type, TypeId};

impl Checker<'_> {
    pub(super) fn enum_specifier(&mut self, id: ast::EnumId, tag_use: TagUse) -> Checked<TypeId> {
        let unit = self.unit;
        let specifier = &unit.enums[id];
        let effects = self.effects(&[&specifier.attributes], &[])?;
        let tag_use = if specifier.enumerators.is_some() { TagUse::Declare } else { tag_use };
        let definition = self.find_enum(specifier, tag_use)?;
        let ty = self.program.types.intern(Type::Enum(definition));
        let Some(enumerators) = &specifier.enumerators else { return Ok(ty) };
        if !self.types().enums[definition].enumerators.is_empty() {
            let message = format!("redefinition of {}", self.show(ty));
            return error(message, specifier.tag.map_or(specifier.keyword, |tag| tag.span));
        }
        let mut values: Vec<(ast::Ident, i128)> = Vec::with_capacity(enumerators.len());
        let mut last: Option<(i128, TypeId)> = None;
        for enumerator in enumerators {
            let (value, value_ty) = self.enumerator_value(enumerator, last)?;
            self.declare_enumerator(enumerator.ident, value, value_ty)?;
            values.push((enumerator.ident, value));
            last = Some((value, value_ty));
        }
        let kind = self.enum_kind(&values, &effects);
        let kind = match effects.mode {
            Some(_) => {
                let base = self.int_type(kind);
                let ty = self.with_mode(base, &effects)?;
                self.types().int_kind(ty).unwrap_or(kind)
            }
            None => kind,
        };
        let named = values.iter().map(|(ident, value)| (self.text(ident.name).into(), *value)).collect();
        self.program.types.enums[definition].kind = kind;
        self.program.types.enums[definition].enumerators = named;
        self.retype_enumerators(&values, kind);
        Ok(ty)
    }
    /// The enumeration that a specifier means.
    fn find_enum(&mut self, specifier: &ast::EnumSpecifier, tag_use: TagUse) -> Checked<EnumId> {
        if let Some(tag) = specifier.tag
            && let Some(binding) = self.scopes.lookup_tag(tag.name)
            && (tag_use != TagUse::Declare || binding.depth == self.scopes.depth())
        {
            return match binding.tag {
                Tag::Enum(definition) => Ok(definition),
                Tag::Record(_) => Err(Box::new(self.wrong_tag(tag, binding.span))),
            };
        }
        let name = match specifier.tag {
            Some(tag) => self.text(tag.name).into(),
            None => self.unnamed(specifier.keyword),
        };
        let definition =
            self.program.types.enums.push(Enum { name, kind: IntKind::UnsignedInt, enumerators: Vec::new() });
        if let Some(tag) = specifier.tag {
            self.scopes.bind_tag(tag.name, Tag::Enum(definition), tag.span);
        }
        Ok(definition)
    }
    /// The message about a tag that is another kind of type.
    pub(super) fn wrong_tag(&self, tag: ast::Ident, declared: Span) -> Diagnostic {
        let message = format!("the tag `{}` is that of another kind of type", self.text(tag.name));
        Diagnostic::error(message, tag.span).with_secondary(declared, "declared here")
    }
    /// Whether a type is an enumeration that has only been mentioned.
    pub(super) fn is_undefined_enum(&self, ty: TypeId) -> bool {
        match self.types().get(self.types().element_of_arrays(ty)) {
            Type::Enum(definition) => self.types().enums[*definition].enumerators.is_empty(),
            _ => false,
        }
    }
    fn enumerator_value(
        &mut self,
        enumerator: &ast::Enumerator,
        last: Option<(i128, TypeId)>,
    ) -> Checked<(i128, TypeId)> {
        let int = self.basic.int;
        let (value, ty) = match (enumerator.value, last) {
            (Some(expr), _) => {
                let expr = self.rvalue(expr)?;
                let expr = self.promote(expr);
                (self.require_int(expr, "the value of an enumerator")?, self.ty(expr))
            }
            (None, None) => (0, int),
            (None, Some((last, ty))) => {
                let scalar = self.types().scalar(ty).unwrap_or(Ty::signed(32));
                let next = last.wrapping_add(1);
                if scalar.value_of(next as u128) != next {
                    return error("the value of an enumerator is too large", enumerator.ident.span);
                }
                (next, ty)
            }
        };
        // Enumerators that fit `int` are `int`, whatever their expression was.
        Ok(if i32::try_from(value).is_ok() { (value, int) } else { (value, ty) })
    }
    fn declare_enumerator(&mut self, ident: ast::Ident, value: i128, ty: TypeId) -> Checked<()> {
        if let Some(binding) = self.scopes.lookup_here(ident.name) {
            return Err(Box::new(self.redeclared(ident, binding.span)));
        }
        self.scopes.bind(ident.name, Entity::Enumerator { value, ty }, Linkage::None, ident.span);
        Ok(())
    }
    /// `int` or `unsigned` if they suffice, otherwise the first longer type; the smallest one if packed.
    fn enum_kind(&self, values: &[(ast::Ident, i128)], effects: &Effects) -> IntKind {
        let is_negative = values.iter().any(|(_, value)| *value < 0);
        let fits = |kind: &IntKind| {
            let ty = self.types().int_ty(*kind);
            values.iter().all(|(_, value)| ty.value_of(*value as u128) == *value)
        };
        let small = [IntKind::SignedChar, IntKind::Short];
        let large = [IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128];
        let sign = |kind: IntKind| if is_negative { kind } else { kind.to_unsigned() };
        let candidates = small.into_iter().filter(|_| effects.packed).chain(large);
        candidates.map(sign).find(fits).unwrap_or(IntKind::UnsignedInt128)
    }
    /// Enumerators that do not fit `int` have the type of the whole enumeration.
    fn retype_enumerators(&mut self, values: &[(ast::Ident, i128)], kind: IntKind) {
        let ty = self.int_type(kind);
        for (ident, value) in values {
            if i32::try_from(*value).is_err() {
                self.scopes.rebind(ident.name, Entity::Enumerator { value: *value, ty }, ident.span);
            }
        }
    }
    /// `_Static_assert`
    pub(super) fn static_assert(
        &mut self,
        condition: ast::ExprId,
        message: Option<ast::StringId>,
        span: Span,
    ) -> Checked<()> {
        let condition = self.rvalue(condition)?;
        if self.require_int(condition, "the condition of a static assertion")? != 0 {
            return Ok(());
        }
        let text = message.map_or_else(String::new, |message| {
            format!(": {}", String::from_utf8_lossy(&self.unit.strings[message].bytes()))
        });
        error(format!("static assertion failed{text}"), span)
    }
}
