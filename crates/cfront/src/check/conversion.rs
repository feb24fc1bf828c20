//! Conversions: decay, promotions, usual arithmetic conversions, assignment and casts (C11 6.3).

use base::{Diagnostic, Span};
use cfa::FloatKind;

use super::Checked;
use super::context::{Checker, error, unsupported};
use crate::hir::{ExprId, ExprKind, FunctionId, PlaceId, PlaceKind};
use crate::types::{ArrayLength, IntKind, RecordId, Type, TypeId};

/// An expression before it is known what is wanted of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    /// A place: its value, its address or its size may be wanted.
    Place(PlaceId),
    /// A value.
    Value(ExprId),
    /// A function by its name.
    Function(FunctionId, Span),
}

/// What a value is assigned to, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Assign,
    Initialize,
    Return,
    /// An argument, counted from 1, of a function that is declared at a place.
    Argument(usize, Option<Span>),
}

impl Checker<'_> {
    /// The type of an operand before any conversion.
    pub(super) fn operand_type(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Place(place) => self.program.places[place].ty,
            Operand::Value(expr) => self.ty(expr),
            Operand::Function(function, _) => self.program.functions[function].ty,
        }
    }
    pub(super) fn operand_span(&self, operand: Operand) -> Span {
        match operand {
            Operand::Place(place) => self.program.places[place].span,
            Operand::Value(expr) => self.span(expr),
            Operand::Function(_, span) => span,
        }
    }
    /// The value of an operand: places are read, arrays and functions decay.
    pub(super) fn value(&mut self, operand: Operand) -> Checked<ExprId> {
        match operand {
            Operand::Value(expr) => Ok(expr),
            Operand::Function(function, span) => Ok(self.function_address(function, span)),
            Operand::Place(place) => self.load(place),
        }
    }
    pub(super) fn function_address(&mut self, function: FunctionId, span: Span) -> ExprId {
        let ty = self.pointer(self.program.functions[function].ty);
        self.raw(ExprKind::FunctionAddress(function), ty, span)
    }
    fn load(&mut self, place: PlaceId) -> Checked<ExprId> {
        let (ty, span) = (self.program.places[place].ty, self.program.places[place].span);
        if let Some((elem, _)) = self.types().array(ty) {
            let pointer = self.pointer(elem);
            return Ok(self.raw(ExprKind::Decay(place), pointer, span));
        }
        if self.types().is_void(ty) {
            return Ok(self.dropped_place(place));
        }
        if self.types().function(ty).is_some()
            && let PlaceKind::Deref(pointer) = self.program.places[place].kind
        {
            // The function that a pointer designates decays to that pointer again.
            return Ok(pointer);
        }
        if !self.types().is_complete(ty) {
            return error(format!("use of a value of incomplete type {}", self.show(ty)), span);
        }
        Ok(match self.program.places[place].kind {
            // A field of a value that is no object still is a value.
            PlaceKind::Value(expr) => expr,
            _ => self.raw(ExprKind::Load(place), ty, span),
        })
    }
    /// `*p` of a pointer to `void`: nothing is read.
    fn dropped_place(&mut self, place: PlaceId) -> ExprId {
        let span = self.program.places[place].span;
        let void = self.basic.void;
        let dropped = match self.program.places[place].kind {
            PlaceKind::Deref(pointer) => pointer,
            _ => self.constant(0, self.basic.int, span),
        };
        self.raw(ExprKind::Convert(dropped), void, span)
    }

    // -------------------------------------------------------------------------------------------------
    // Arithmetic

    /// The integer promotions of a value; other types stay.
    pub(super) fn promote(&mut self, expr: ExprId) -> ExprId {
        let ty = self.promoted_type(expr);
        self.convert(expr, ty)
    }
    /// The type that a value is promoted to.
    pub(super) fn promoted_type(&mut self, expr: ExprId) -> TypeId {
        let ty = self.ty(expr);
        let Some(kind) = self.types().int_kind(ty) else { return ty };
        if let Some(width) = self.bit_field_width(expr)
            && (width < 32 || (width == 32 && kind.is_signed()))
        {
            return self.basic.int;
        }
        if let Some(32) = self.bit_field_width(expr) {
            return self.basic.unsigned;
        }
        let promoted = self.types().promoted(kind);
        self.int_type(promoted)
    }
    /// The common type of two values by the usual arithmetic conversions; both are arithmetic.
    pub(super) fn common_type(&mut self, left: ExprId, right: ExprId) -> TypeId {
        let (left_ty, right_ty) = (self.promoted_type(left), self.promoted_type(right));
        self.common_odd_type(left, right).unwrap_or_else(|| self.common_promoted(left_ty, right_ty))
    }
    fn common_promoted(&mut self, left: TypeId, right: TypeId) -> TypeId {
        if left == right {
            return left;
        }
        match (self.types().float_kind(left), self.types().float_kind(right)) {
            (Some(left), Some(right)) => self.program.types.intern(Type::Float(left.max(right))),
            (Some(_), None) => left,
            (None, Some(_)) => right,
            (None, None) => match (self.types().int_kind(left), self.types().int_kind(right)) {
                (Some(left), Some(right)) => {
                    let common = self.types().common_int(left, right);
                    self.int_type(common)
                }
                _ => left,
            },
        }
    }
    /// A scalar as another scalar type, or anything as `void`; no question asked.
    pub(super) fn convert(&mut self, expr: ExprId, ty: TypeId) -> ExprId {
        if self.ty(expr) == ty {
            return expr;
        }
        let span = self.span(expr);
        let converted = self.fold(ExprKind::Convert(expr), ty, span);
        self.keep_odd_width(expr, converted);
        converted
    }
    /// The default argument promotions (C11 6.5.2.2).
    pub(super) fn promote_argument(&mut self, expr: ExprId) -> ExprId {
        match self.types().float_kind(self.ty(expr)) {
            Some(FloatKind::Single) => self.convert(expr, self.basic.double),
            _ => self.promote(expr),
        }
    }
    /// A value whose truth is asked for.
    pub(super) fn scalar(&mut self, operand: Operand) -> Checked<ExprId> {
        let expr = self.value(operand)?;
        let ty = self.ty(expr);
        if self.types().is_scalar(ty) {
            return Ok(expr);
        }
        let span = self.span(expr);
        if self.types().is_void(ty) {
            return error("a value of type `void` is used where a scalar is required", span);
        }
        self.refuse_stand_ins([ty, ty], span)?;
        error(format!("a value of type {} is used where a scalar is required", self.show(ty)), span)
    }

    // -------------------------------------------------------------------------------------------------
    // Assignment and casts

    /// Whether a value is a null pointer constant (C11 6.3.2.3).
    pub(super) fn is_null_constant(&self, expr: ExprId) -> bool {
        let expr = &self.program.exprs[expr];
        matches!(expr.kind, ExprKind::Int(0))
            && (self.types().is_integer(expr.ty) || expr.ty == self.basic.void_pointer)
    }
    /// A value converted as if by assignment; what gcc only warns about is silently done.
    pub(super) fn assign(&mut self, expr: ExprId, target: TypeId, purpose: Purpose) -> Checked<ExprId> {
        let ty = self.ty(expr);
        if ty == target {
            return Ok(expr);
        }
        let types = self.types();
        if types.is_void(ty) {
            return error("the value of a `void` expression is used", self.span(expr));
        }
        let is_float = |ty| types.float_kind(ty).is_some();
        let is_pointer = |ty| matches!(types.get(ty), Type::Pointer(_) | Type::VaList);
        let is_fine = types.is_scalar(ty)
            && types.is_scalar(target)
            && !(is_float(ty) && is_pointer(target))
            && !(is_pointer(ty) && is_float(target));
        if is_fine {
            return Ok(self.convert(expr, target));
        }
        if let (Purpose::Argument(..), Some(record)) = (purpose, types.record(target))
            && self.transparent_unions.contains(&record)
            && let Some(wrapped) = self.wrap_in_union(expr, record, target)
        {
            return Ok(wrapped);
        }
        self.refuse_stand_ins([ty, target], self.span(expr))?;
        Err(Box::new(self.mismatch(ty, target, self.span(expr), purpose)))
    }
    /// Refuses what is valid C for the types that records stand for.
    pub(super) fn refuse_stand_ins(&self, operands: [TypeId; 2], span: Span) -> Checked<()> {
        match operands.into_iter().find_map(|ty| self.stands_for(ty)) {
            Some(construct) => unsupported(construct, span),
            None => Ok(()),
        }
    }
    fn mismatch(&self, from: TypeId, to: TypeId, span: Span, purpose: Purpose) -> Diagnostic {
        let (from, to) = (self.show(from), self.show(to));
        match purpose {
            Purpose::Assign => {
                Diagnostic::error(format!("incompatible types when assigning {from} to {to}"), span)
            }
            Purpose::Initialize => {
                Diagnostic::error(format!("incompatible types when initialising {to} with {from}"), span)
            }
            Purpose::Return => Diagnostic::error(
                format!("incompatible types when returning {from} from a function that returns {to}"),
                span,
            ),
            Purpose::Argument(number, declared) => {
                let message =
                    format!("incompatible type of argument {number}: expected {to}, but it has type {from}");
                let diagnostic = Diagnostic::error(message, span);
                match declared {
                    Some(declared) => diagnostic.with_secondary(declared, "the function is declared here"),
                    None => diagnostic,
                }
            }
        }
    }
    /// An argument for a parameter that is a transparent union: a union with the member that it fits.
    fn wrap_in_union(&mut self, expr: ExprId, record: RecordId, union_ty: TypeId) -> Option<ExprId> {
        let members: Vec<TypeId> = self.types().records[record].fields.iter().map(|field| field.ty).collect();
        let ty = self.ty(expr);
        let is_null = self.is_null_constant(expr);
        let fits = |checker: &Self, member: TypeId| {
            let void = checker.basic.void_pointer;
            checker.types().compatible(member, ty)
                || (checker.types().pointee(member).is_some()
                    && (is_null || ty == void || (member == void && checker.types().pointee(ty).is_some())))
        };
        let index = members.iter().position(|member| fits(self, *member))?;
        let value = self.convert(expr, members[index]);
        Some(self.union_value(union_ty, index as u32, value))
    }
    /// `(type)value`
    pub(super) fn cast(&mut self, expr: ExprId, target: TypeId, span: Span) -> Checked<ExprId> {
        let ty = self.ty(expr);
        let types = self.types();
        let is_fine = types.is_void(target)
            || match (types.get(ty), types.get(target)) {
                (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => false,
                _ => (types.is_scalar(ty) && types.is_scalar(target)) || ty == target,
            };
        if !is_fine {
            self.refuse_stand_ins([ty, target], span)?;
            let message =
                format!("a value of type {} cannot be converted to {}", self.show(ty), self.show(target));
            return error(message, span);
        }
        if ty == target {
            // The value of a bit-field is no longer that of a bit-field.
            if self.bit_field_width(expr).is_none() {
                return Ok(expr);
            }
            return Ok(self.raw(ExprKind::Convert(expr), target, span));
        }
        Ok(self.fold(ExprKind::Convert(expr), target, span))
    }
    /// The size of what a pointer points to, for arithmetic on it.
    pub(super) fn element_size(&self, pointer: TypeId, span: Span) -> Checked<crate::hir::ElementSize> {
        use crate::hir::ElementSize;
        let Some(to) = self.types().pointee(pointer) else {
            return Ok(ElementSize::Fixed(1));
        };
        match self.types().get(to) {
            Type::Void | Type::Function(_) => Ok(ElementSize::Fixed(1)),
            _ if self.types().is_variable_length(to) => Ok(ElementSize::Variable(to)),
            _ => match self.types().size_of(to) {
                Some(size) => Ok(ElementSize::Fixed(size)),
                None => {
                    error(format!("arithmetic on a pointer to the incomplete type {}", self.show(to)), span)
                }
            },
        }
    }
    /// An array type, checked for its size.
    pub(super) fn array_type(&mut self, elem: TypeId, length: u64, span: Span) -> Checked<TypeId> {
        let limit = i64::MAX as u64 >> (64 - u32::from(self.types().model.pointer_width()));
        let size = self.types().size_of(elem).unwrap_or(1);
        if size.checked_mul(length).is_none_or(|size| size > limit) {
            return error(
                format!("an array of {length} elements of type {} is too large", self.show(elem)),
                span,
            );
        }
        Ok(self.program.types.intern(Type::Array { elem, length: ArrayLength::Fixed(length) }))
    }
    /// The integer kind of an expression's type.
    pub(super) fn kind_of(&self, expr: ExprId) -> Option<IntKind> {
        self.types().int_kind(self.ty(expr))
    }
}
