//! Members of records: selection, and the way through anonymous records.

use base::{Diagnostic, Span};

use super::Checked;
use super::context::{Checker, error};
use super::conversion::Operand;
use super::suggest;
use crate::ast::{self, Ident, MemberOperator};
use crate::hir::{PlaceId, PlaceKind};
use crate::types::{RecordId, TypeId, Types};

impl Checker<'_> {
    /// `base.member`, `base->member`
    pub(super) fn member(
        &mut self,
        base: ast::ExprId,
        member: Ident,
        operator: MemberOperator,
        span: Span,
    ) -> Checked<Operand> {
        let operand = self.operand(base)?;
        let place = if operator == MemberOperator::Arrow {
            let pointer = self.value(operand)?;
            let ty = self.ty(pointer);
            if self.types().pointee(ty).and_then(|to| self.types().record(to)).is_none() {
                let message = format!(
                    "`->` is applied to {}, which is not a pointer to a struct or union",
                    self.show(ty)
                );
                let diagnostic = Diagnostic::error(message, span);
                return Err(Box::new(if self.types().record(ty).is_some() {
                    diagnostic.with_help("use `.` to select a member of a value")
                } else {
                    diagnostic
                }));
            }
            match self.dereference_value(pointer, self.span(pointer))? {
                Operand::Place(place) => place,
                operand => self.value_place(operand)?,
            }
        } else {
            self.value_place(operand)?
        };
        let ty = self.program.places[place].ty;
        let Some(record) = self.types().record(ty) else {
            let message =
                format!("a member is selected from {}, which is not a struct or union", self.show(ty));
            let diagnostic = Diagnostic::error(message, span);
            let is_pointer = self.types().pointee(ty).is_some_and(|to| self.types().record(to).is_some());
            return Err(Box::new(if is_pointer {
                diagnostic.with_help("use `->` to select a member through a pointer")
            } else {
                diagnostic
            }));
        };
        let path = self.member_path(record, member, ty)?;
        Ok(Operand::Place(self.follow(place, &path, span)))
    }
    /// An operand as a place, if need be one that holds just a value.
    fn value_place(&mut self, operand: Operand) -> Checked<PlaceId> {
        if let Operand::Place(place) = operand {
            return Ok(place);
        }
        let value = self.value(operand)?;
        let (ty, span) = (self.ty(value), self.span(value));
        Ok(self.place(PlaceKind::Value(value), ty, span))
    }
    /// The place of a member, through the anonymous records that contain it.
    fn follow(&mut self, place: PlaceId, path: &[u32], span: Span) -> PlaceId {
        let mut place = place;
        for field in path {
            let ty = self
                .types()
                .record(self.program.places[place].ty)
                .map_or(self.basic.int, |record| self.types().records[record].fields[*field as usize].ty);
            place = self.place(PlaceKind::Field { base: place, field: *field }, ty, span);
        }
        place
    }
    /// The numbers of the fields that lead to a named member.
    pub(super) fn member_path(&self, record: RecordId, member: Ident, ty: TypeId) -> Checked<Vec<u32>> {
        let name = self.text(member.name);
        let definition = &self.types().records[record];
        if !definition.complete {
            return error(format!("{} is incomplete: its members are not known", self.show(ty)), member.span);
        }
        if let Some(path) = find_member(self.types(), record, name) {
            return Ok(path);
        }
        let names = definition.fields.iter().map(|field| &*field.name);
        let diagnostic =
            Diagnostic::error(format!("{} has no member named `{name}`", self.show(ty)), member.span);
        Err(Box::new(suggest::with_suggestion(diagnostic, name, names)))
    }
}

/// The way to a member: its field, or a field of an anonymous record and the way from there.
pub(super) fn find_member(types: &Types, record: RecordId, name: &str) -> Option<Vec<u32>> {
    let fields = &types.records[record].fields;
    if let Some(index) = fields.iter().position(|field| &*field.name == name) {
        return Some(vec![index as u32]);
    }
    for (index, field) in fields.iter().enumerate().filter(|(_, field)| field.name.is_empty()) {
        if let Some(inner) = types.record(field.ty)
            && let Some(path) = find_member(types, inner, name)
        {
            return Some(std::iter::once(index as u32).chain(path).collect());
        }
    }
    None
}
