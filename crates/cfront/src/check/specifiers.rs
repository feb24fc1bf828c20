//! Declaration specifiers and type names: the type that they name.

use base::Span;
use cfa::FloatKind;

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::scope::{Entity, Typed};
use crate::ast::{self, BuiltinType, SpecifiersId, TypeNameId, TypeSpecifier};
use crate::hir::StmtId;
use crate::types::{IntKind, Type, TypeId};

/// What a mention of a tag is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagUse {
    /// `struct s;` declares the tag in its scope, whatever is visible outside.
    Declare,
    /// Any other mention means the visible tag, if there is one.
    Mention,
}

impl Checker<'_> {
    /// The type that specifiers name.
    pub(super) fn specifiers(&mut self, id: SpecifiersId, tag_use: TagUse) -> Checked<Typed> {
        let unit = self.unit;
        let specifiers = &unit.specifiers[id];
        let mut typed = match specifiers.kind {
            TypeSpecifier::Builtin(builtin) => Typed::plain(self.builtin_type(builtin)?),
            TypeSpecifier::Complex(part) => {
                let part = self.builtin_type(part)?;
                Typed::plain(self.complex(part))
            }
            TypeSpecifier::Record(record) => Typed::plain(self.record_specifier(record, tag_use)?),
            TypeSpecifier::Enum(definition) => Typed::plain(self.enum_specifier(definition, tag_use)?),
            TypeSpecifier::Typedef(name) => {
                let entity = self.scopes.lookup(name).map(|binding| binding.entity);
                let Some(Entity::Typedef(typed)) = entity else {
                    let message = format!("`{}` does not name a type", self.text(name));
                    return error(message, specifiers.type_span);
                };
                typed
            }
            TypeSpecifier::TypeofExpr(expr) => {
                let operand = self.operand(expr)?;
                Typed::plain(self.operand_type(operand))
            }
            TypeSpecifier::TypeofType(type_name) => self.type_name_keeping_bounds(type_name)?,
            TypeSpecifier::Atomic(type_name) => self.type_name_keeping_bounds(type_name)?,
            TypeSpecifier::AutoType => {
                return error(
                    "`__auto_type` needs a plain variable with an initialiser",
                    specifiers.type_span,
                );
            }
            TypeSpecifier::VaList => Typed::plain(self.basic.va_list),
        };
        typed.is_const |= specifiers.qualifiers.is_const;
        typed.is_volatile |= specifiers.qualifiers.is_volatile;
        if specifiers.qualifiers.is_atomic || matches!(specifiers.kind, TypeSpecifier::Atomic(_)) {
            self.check_atomic(typed.ty, specifiers.type_span)?;
        }
        Ok(typed)
    }
    /// gcc aligns atomic objects of 1, 2, 4, 8 and 16 bytes to their size.
    fn check_atomic(&self, ty: TypeId, span: Span) -> Checked<()> {
        match self.types().size_of(ty) {
            Some(size @ (1 | 2 | 4 | 8 | 16)) if self.types().align_of(ty) < size => {
                unsupported("an `_Atomic` type that is aligned to more than its type without `_Atomic`", span)
            }
            _ => Ok(()),
        }
    }
    fn builtin_type(&mut self, builtin: BuiltinType) -> Checked<TypeId> {
        let int = |checker: &mut Self, kind| Ok(checker.int_type(kind));
        let float = |checker: &mut Self, kind| Ok(checker.program.types.intern(Type::Float(kind)));
        match builtin {
            BuiltinType::Void => Ok(self.basic.void),
            BuiltinType::Bool => Ok(self.basic.bool),
            BuiltinType::Char => Ok(self.basic.char),
            BuiltinType::SignedChar => int(self, IntKind::SignedChar),
            BuiltinType::UnsignedChar => int(self, IntKind::UnsignedChar),
            BuiltinType::Short => int(self, IntKind::Short),
            BuiltinType::UnsignedShort => int(self, IntKind::UnsignedShort),
            BuiltinType::Int => Ok(self.basic.int),
            BuiltinType::UnsignedInt => Ok(self.basic.unsigned),
            BuiltinType::Long => Ok(self.basic.long),
            BuiltinType::UnsignedLong => int(self, IntKind::UnsignedLong),
            BuiltinType::LongLong => int(self, IntKind::LongLong),
            BuiltinType::UnsignedLongLong => int(self, IntKind::UnsignedLongLong),
            BuiltinType::Int128 => int(self, IntKind::Int128),
            BuiltinType::UnsignedInt128 => int(self, IntKind::UnsignedInt128),
            BuiltinType::Float | BuiltinType::Float32 => float(self, FloatKind::Single),
            BuiltinType::Double | BuiltinType::Float64 | BuiltinType::Float32x => Ok(self.basic.double),
            BuiltinType::LongDouble | BuiltinType::Float64x => float(self, FloatKind::Extended),
            BuiltinType::Float128 => float(self, FloatKind::Quad),
            BuiltinType::Float16 => Ok(self.half()),
        }
    }

    /// The type of a type name whose bounds, if it has any, are not to be evaluated.
    pub(super) fn type_name(&mut self, id: TypeNameId) -> Checked<Typed> {
        let mark = self.pending_bounds.len();
        let typed = self.type_name_keeping_bounds(id)?;
        self.pending_bounds.truncate(mark);
        Ok(typed)
    }
    /// The type of a type name, and the statements that set its bounds.
    pub(super) fn type_name_with_bounds(&mut self, id: TypeNameId) -> Checked<(TypeId, Vec<StmtId>)> {
        let mark = self.pending_bounds.len();
        let typed = self.type_name_keeping_bounds(id)?;
        let bounds = self.pending_bounds.split_off(mark);
        Ok((typed.ty, bounds))
    }
    fn type_name_keeping_bounds(&mut self, id: TypeNameId) -> Checked<Typed> {
        let ast::TypeName { specifiers, declarator, .. } = self.unit.type_names[id];
        let base = self.specifiers(specifiers, TagUse::Mention)?;
        let typed = self.declarator_type(base, declarator)?;
        self.with_attributes(typed, specifiers, declarator)
    }
}
