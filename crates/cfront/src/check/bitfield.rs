//! Values of bit-fields: what gcc makes of their types.
//!
//! The value of a bit-field has an integer type of the field's width. Narrower than `int` it is promoted to `int`. Wider than `int` it
//! stays, and gcc computes in that odd width: `s.x + 1` of `unsigned long long x : 40` wraps at 2^40 (clang does not). The typed program has no such types,
//! so the result of an unsigned operation is reduced by a mask. A signed operation that may overflow the odd width is not supported: where it does, the
//! behaviour is undefined, wraps around or is a violation, and none of that can be told in the wider type.

use super::context::Checker;
use crate::hir::{ArithmeticOp, ExprId, ExprKind, PlaceId, PlaceKind};
use crate::types::TypeId;
use base::Diagnostic;

impl Checker<'_> {
    /// The width of the bit-field whose value an expression is.
    pub(super) fn bit_field_width(&self, expr: ExprId) -> Option<u8> {
        let mut current = expr;
        loop {
            match &self.program.exprs[current].kind {
                ExprKind::Load(place)
                | ExprKind::Assign { place, .. }
                | ExprKind::CompoundAssign { place, .. }
                | ExprKind::Step { place, .. } => return self.place_width(*place),
                ExprKind::Comma(_, value) | ExprKind::StatementExpr { value: Some(value), .. } => {
                    current = *value;
                }
                _ => return None,
            }
        }
    }
    /// The width of a place that is a bit-field.
    pub(super) fn place_width(&self, place: PlaceId) -> Option<u8> {
        let PlaceKind::Field { base, field } = self.program.places[place].kind else { return None };
        let record = self.types().record(self.program.places[base].ty)?;
        self.types().records[record].fields[field as usize].bits.map(|bits| bits.width)
    }
    /// The width of a value of an integer type that C has no name for.
    pub(super) fn odd_width(&self, expr: ExprId) -> Option<u8> {
        if let Some(width) = self.odd_widths.get(&expr) {
            return Some(*width);
        }
        let kind = self.kind_of(expr)?;
        let width = self.bit_field_width(expr)?;
        (width > 32 && width < kind.width(self.types().model)).then_some(width)
    }
    /// The promotion of a bit-field's value keeps its odd width.
    pub(super) fn keep_odd_width(&mut self, from: ExprId, to: ExprId) {
        let Some(width) = self.odd_width(from) else { return };
        if self.ty(to) == self.promoted_type(from) {
            self.odd_widths.insert(to, width);
        }
    }
    /// The common type of two integers of which at least one has an odd width: that of the wider one, the unsigned one if they
    /// are equally wide.
    pub(super) fn common_odd_type(&mut self, left: ExprId, right: ExprId) -> Option<TypeId> {
        if self.odd_width(left).is_none() && self.odd_width(right).is_none() {
            return None;
        }
        let (left_ty, right_ty) = (self.promoted_type(left), self.promoted_type(right));
        let (left_kind, right_kind) = (self.types().int_kind(left_ty)?, self.types().int_kind(right_ty)?);
        let model = self.types().model;
        let left_width = self.odd_width(left).unwrap_or(left_kind.width(model));
        let right_width = self.odd_width(right).unwrap_or(right_kind.width(model));
        let is_left = left_width > right_width || (left_width == right_width && !left_kind.is_signed());
        Some(if is_left { left_ty } else { right_ty })
    }
    /// The odd width of the common type of two operands.
    pub(super) fn common_odd_width(&mut self, left: ExprId, right: ExprId) -> Option<u8> {
        let common = self.common_odd_type(left, right)?;
        let ordinary = self.types().int_kind(common)?.width(self.types().model);
        let widths = [self.odd_width(left), self.odd_width(right)];
        let others = [left, right].map(|expr| {
            let promoted = self.promoted_type(expr);
            self.types().int_kind(promoted).map_or(ordinary, |kind| kind.width(self.types().model))
        });
        let width = widths.into_iter().zip(others).map(|(odd, other)| odd.unwrap_or(other)).max()?;
        (width < ordinary).then_some(width)
    }
    /// Whether an operation may leave the width of its operands.
    fn may_overflow(&self, result: ExprId) -> bool {
        use ArithmeticOp::{Add, Divide, Multiply, ShiftLeft, Subtract};
        match &self.program.exprs[result].kind {
            ExprKind::Arithmetic { op, .. } => matches!(op, Add | Divide | Multiply | ShiftLeft | Subtract),
            ExprKind::Negate(_) => true,
            _ => false,
        }
    }
    /// A value or result reduced to an odd width, if its type is unsigned and it may be larger.
    pub(super) fn reduce(&mut self, result: ExprId, width: u8) -> ExprId {
        let (ty, span) = (self.ty(result), self.span(result));
        let is_signed = self.kind_of(result).is_none_or(crate::types::IntKind::is_signed);
        let reduced = if is_signed {
            if self.may_overflow(result) {
                let what = format!("signed arithmetic on a bit-field of {width} bits, in which gcc computes");
                self.unsupported.get_or_insert_with(|| Box::new(Diagnostic::unsupported(what, span)));
            }
            result
        } else {
            let mask = self.constant((1_i128 << width) - 1, ty, span);
            self.fold(ExprKind::Arithmetic { op: ArithmeticOp::And, left: result, right: mask }, ty, span)
        };
        self.odd_widths.insert(reduced, width);
        reduced
    }
}
