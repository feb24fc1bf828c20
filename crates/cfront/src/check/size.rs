//! `sizeof`, alignments and `offsetof`.

use base::Span;

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::Operand;
use super::scope::Typed;
use crate::ast::{self, Designator};
use crate::hir::{ExprId, ExprKind, PlaceKind};
use crate::types::{Type, TypeId};

impl Checker<'_> {
    pub(super) fn sizeof_expr(&mut self, operand: ast::ExprId, span: Span) -> Checked<ExprId> {
        let operand = self.operand(operand)?;
        if let Operand::Place(place) = operand
            && self.place_width(place).is_some()
        {
            return error("`sizeof` is applied to a bit-field", span);
        }
        self.sizeof(self.operand_type(operand), span)
    }
    pub(super) fn sizeof_type(&mut self, type_name: ast::TypeNameId, span: Span) -> Checked<ExprId> {
        let (ty, bounds) = self.type_name_with_bounds(type_name)?;
        let size = self.sizeof(ty, span)?;
        // Bounds matter only if the size depends on them.
        Ok(if self.int_constant(size).is_some() { size } else { self.after_bounds(bounds, size) })
    }
    fn sizeof(&mut self, ty: TypeId, span: Span) -> Checked<ExprId> {
        let size_type = self.basic.size;
        // GNU C: 1 for `void` and functions.
        if matches!(self.types().get(ty), Type::Void | Type::Function(_)) {
            return Ok(self.constant(1, size_type, span));
        }
        if let Some(size) = self.types().size_of(ty)
            && !self.is_undefined_enum(ty)
        {
            return Ok(self.constant(i128::from(size), size_type, span));
        }
        if self.types().is_variable_length(ty) && self.types().is_complete(ty) {
            return Ok(self.raw(ExprKind::SizeofVariable(ty), size_type, span));
        }
        error(format!("`sizeof` is applied to the incomplete type {}", self.show(ty)), span)
    }

    pub(super) fn alignof_expr(&mut self, operand: ast::ExprId, span: Span) -> Checked<ExprId> {
        let operand = self.operand(operand)?;
        let mut typed = Typed::plain(self.operand_type(operand));
        if let Operand::Place(place) = operand
            && let PlaceKind::Variable(variable) = self.program.places[place].kind
        {
            typed.align = self.program.variables[variable].align;
        }
        self.alignof(typed, span)
    }
    pub(super) fn alignof_type(&mut self, type_name: ast::TypeNameId, span: Span) -> Checked<ExprId> {
        let typed = self.type_name(type_name)?;
        self.alignof(typed, span)
    }
    /// `_Alignof` is the alignment that every object has, gcc's `__alignof__` that of variables: they differ on i386.
    fn alignof(&mut self, typed: Typed, span: Span) -> Checked<ExprId> {
        let element = self.types().element_of_arrays(typed.ty);
        if matches!(self.types().record(element), Some(record) if !self.types().records[record].complete) {
            return error(format!("the incomplete type {} has no alignment", self.show(typed.ty)), span);
        }
        let file = self.sources.get(span.file);
        let text = file.map_or(&[][..], |file| &file.text[(span.lo as usize).min(file.text.len())..]);
        let is_standard = text.starts_with(b"_Alignof");
        let differ = self.types().align_of(typed.ty) != self.types().preferred_align_of(typed.ty);
        if differ && typed.align.is_none() && !is_standard && !text.starts_with(b"__alignof") {
            return unsupported("the alignment of this type within a macro", span);
        }
        let align = typed.align.unwrap_or_else(|| {
            if is_standard {
                self.types().align_of(typed.ty)
            } else {
                self.types().preferred_align_of(typed.ty)
            }
        });
        Ok(self.constant(i128::from(align), self.basic.size, span))
    }

    pub(super) fn offsetof(&mut self, id: ast::OffsetofId, span: Span) -> Checked<ExprId> {
        let unit = self.unit;
        let offsetof = &unit.offsetofs[id];
        let mut ty = self.type_name(offsetof.type_name)?.ty;
        let mut offset = 0_i128;
        for designator in &offsetof.place {
            match designator {
                Designator::Member(ident) => {
                    let Some(record) = self.types().record(ty) else {
                        let message = format!("{} is not a struct or union", self.show(ty));
                        return error(message, ident.span);
                    };
                    let mut current = record;
                    for field in self.member_path(record, *ident, ty)? {
                        let field = &self.types().records[current].fields[field as usize];
                        if field.bits.is_some() {
                            return error("`offsetof` is applied to a bit-field", ident.span);
                        }
                        offset += i128::from(field.offset);
                        ty = field.ty;
                        if let Some(inner) = self.types().record(ty) {
                            current = inner;
                        }
                    }
                }
                Designator::Index(index) => {
                    let Some((elem, _)) = self.types().array(ty) else {
                        return error(format!("{} is not an array", self.show(ty)), span);
                    };
                    let index = self.rvalue(*index)?;
                    let Some(index) = self.evaluate_int(index) else {
                        return unsupported("an offset with an index that is not constant", span);
                    };
                    let size = self.types().size_of(elem).unwrap_or(0);
                    offset = offset.wrapping_add(index.wrapping_mul(i128::from(size)));
                    ty = elem;
                }
                Designator::Range(..) => return error("`offsetof` does not take a range", span),
            }
        }
        let size = self.types().size_type();
        let offset = self.types().int_ty(size).value_of(offset as u128);
        Ok(self.constant(offset, self.basic.size, span))
    }
}
