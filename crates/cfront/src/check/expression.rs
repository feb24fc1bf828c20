//! Expressions: which rule applies to which form.

use base::Span;

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::{Operand, Purpose};
use crate::ast::{self, UnaryOp};
use crate::hir::{Direction, ExprId, ExprKind, PlaceId, PlaceKind, StepForm, StmtId};
use crate::types::TypeId;

impl Checker<'_> {
    /// An expression, not yet converted to a value.
    pub(super) fn operand(&mut self, id: ast::ExprId) -> Checked<Operand> {
        let unit = self.unit;
        let ast::Expr { kind, span } = unit.exprs[id];
        match kind {
            ast::ExprKind::Ident(name) => self.identifier(name, span),
            ast::ExprKind::Integer(literal) => self.integer_literal(literal, span).map(Operand::Value),
            ast::ExprKind::Float(literal) => {
                self.float_literal(&unit.floats[literal], span).map(Operand::Value)
            }
            ast::ExprKind::Char(literal) => Ok(Operand::Value(self.char_literal(literal, span))),
            ast::ExprKind::String(literal) => Ok(self.string_literal(&unit.strings[literal], span)),
            ast::ExprKind::Parenthesized(inner) => self.operand(inner),
            ast::ExprKind::Unary { op, operand } => self.unary(op, operand, span),
            ast::ExprKind::Binary { .. } => self.binary_chain(id),
            ast::ExprKind::Assign { op: None, target, value, op_span } => {
                self.assignment(target, value, op_span, span).map(Operand::Value)
            }
            ast::ExprKind::Assign { op: Some(op), target, value, op_span } => {
                self.compound_assignment(op, target, value, op_span, span).map(Operand::Value)
            }
            ast::ExprKind::Conditional { condition, then, otherwise, question } => match then {
                Some(then) => {
                    self.conditional(condition, then, otherwise, question, span).map(Operand::Value)
                }
                None => self.conditional_value(condition, otherwise, question, span).map(Operand::Value),
            },
            ast::ExprKind::Call { callee, arguments, close } => {
                self.call(callee, unit.exprs_of(arguments), close, span).map(Operand::Value)
            }
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Member { base, member, operator } => self.member(base, member, operator, span),
            ast::ExprKind::Cast { type_name, operand } => {
                self.cast_expression(type_name, operand, span).map(Operand::Value)
            }
            ast::ExprKind::CompoundLiteral { type_name, initializer } => {
                self.compound_literal(type_name, initializer, span)
            }
            ast::ExprKind::SizeofExpr(operand) => self.sizeof_expr(operand, span).map(Operand::Value),
            ast::ExprKind::SizeofType(type_name) => self.sizeof_type(type_name, span).map(Operand::Value),
            ast::ExprKind::AlignofExpr(operand) => self.alignof_expr(operand, span).map(Operand::Value),
            ast::ExprKind::AlignofType(type_name) => self.alignof_type(type_name, span).map(Operand::Value),
            ast::ExprKind::StatementExpr(block) => self.statement_expr(block, span).map(Operand::Value),
            ast::ExprKind::LabelAddress(_) => unsupported("addresses of labels", span),
            ast::ExprKind::Generic(generic) => self.generic(generic, span),
            ast::ExprKind::VaArg { list, type_name } => {
                self.va_arg(list, type_name, span).map(Operand::Value)
            }
            ast::ExprKind::Offsetof(offsetof) => self.offsetof(offsetof, span).map(Operand::Value),
            ast::ExprKind::TypesCompatible(left, right) => {
                self.types_compatible(left, right, span).map(Operand::Value)
            }
            ast::ExprKind::ChooseExpr { condition, then, otherwise } => {
                self.choose_expr(condition, then, otherwise)
            }
        }
    }
    /// The value of an expression.
    pub(super) fn rvalue(&mut self, id: ast::ExprId) -> Checked<ExprId> {
        let operand = self.operand(id)?;
        self.value(operand)
    }
    /// The value of an expression whose truth is asked for.
    pub(super) fn condition(&mut self, id: ast::ExprId) -> Checked<ExprId> {
        let operand = self.operand(id)?;
        self.scalar(operand)
    }
    /// An expression whose value is dropped.
    pub(super) fn dropped(&mut self, id: ast::ExprId) -> Checked<ExprId> {
        let expr = self.rvalue(id)?;
        self.drop_late_call(expr);
        Ok(expr)
    }

    // -------------------------------------------------------------------------------------------------
    // Unary operators

    fn unary(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Checked<Operand> {
        match op {
            UnaryOp::AddressOf => return self.address_of(operand, span).map(Operand::Value),
            UnaryOp::Dereference => return self.dereference(operand, span),
            UnaryOp::PreIncrement => {
                return self.step(operand, Direction::Forward, StepForm::Prefix, span).map(Operand::Value);
            }
            UnaryOp::PreDecrement => {
                return self.step(operand, Direction::Backward, StepForm::Prefix, span).map(Operand::Value);
            }
            UnaryOp::PostIncrement => {
                return self.step(operand, Direction::Forward, StepForm::Postfix, span).map(Operand::Value);
            }
            UnaryOp::PostDecrement => {
                return self.step(operand, Direction::Backward, StepForm::Postfix, span).map(Operand::Value);
            }
            UnaryOp::Real | UnaryOp::Imag => return unsupported("complex numbers", span),
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot | UnaryOp::LogicalNot => {}
        }
        let operand = self.operand(operand)?;
        if op == UnaryOp::LogicalNot {
            let value = self.scalar(operand)?;
            return Ok(Operand::Value(self.fold(ExprKind::LogicalNot(value), self.basic.int, span)));
        }
        let value = self.value(operand)?;
        let ty = self.ty(value);
        let (is_fine, sign) = match op {
            UnaryOp::BitNot => (self.types().is_integer(ty), "~"),
            UnaryOp::Minus => (self.types().is_arithmetic(ty), "-"),
            _ => (self.types().is_arithmetic(ty), "+"),
        };
        if !is_fine {
            return error(format!("wrong type of operand of unary `{sign}`: {}", self.show(ty)), span);
        }
        let odd = self.odd_width(value);
        let value = self.promote(value);
        let ty = self.ty(value);
        let result = match op {
            UnaryOp::Minus if self.is_float_constant(value) => self.negated_constant(value, span),
            UnaryOp::Minus => self.fold(ExprKind::Negate(value), ty, span),
            UnaryOp::BitNot => self.fold(ExprKind::BitNot(value), ty, span),
            // Not the operand itself: `+x` of a bit-field is no bit-field.
            _ if self.int_constant(value).is_none() => self.raw(ExprKind::Convert(value), ty, span),
            _ => value,
        };
        Ok(Operand::Value(match odd {
            Some(width) => self.reduce(result, width),
            None => result,
        }))
    }
    fn is_float_constant(&self, expr: ExprId) -> bool {
        matches!(self.program.exprs[expr].kind, ExprKind::Float(_))
    }
    fn negated_constant(&mut self, expr: ExprId, span: Span) -> ExprId {
        let ty = self.ty(expr);
        match (self.types().float_kind(ty), &self.program.exprs[expr].kind) {
            (Some(kind), ExprKind::Float(bits)) => {
                let bits = super::float::negate(*bits, kind);
                self.raw(ExprKind::Float(bits), ty, span)
            }
            _ => self.raw(ExprKind::Negate(expr), ty, span),
        }
    }
    fn address_of(&mut self, operand: ast::ExprId, span: Span) -> Checked<ExprId> {
        match self.operand(operand)? {
            Operand::Function(function, _) => Ok(self.function_address(function, span)),
            Operand::Value(_) => error("an lvalue is required as operand of unary `&`", span),
            Operand::Place(place) => self.address_of_place(place, span),
        }
    }
    /// A pointer to a place.
    pub(super) fn address_of_place(&mut self, place: PlaceId, span: Span) -> Checked<ExprId> {
        if let PlaceKind::Deref(pointer) = self.program.places[place].kind {
            return Ok(pointer);
        }
        if self.place_width(place).is_some() {
            return error("the address of a bit-field cannot be taken", span);
        }
        if !self.is_object(place) {
            return error("an lvalue is required as operand of unary `&`", span);
        }
        let ty = self.pointer(self.program.places[place].ty);
        Ok(self.raw(ExprKind::AddressOf(place), ty, span))
    }
    /// Whether a place is part of an object, not of a mere value.
    pub(super) fn is_object(&self, place: PlaceId) -> bool {
        let mut current = place;
        loop {
            match self.program.places[current].kind {
                PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => current = base,
                PlaceKind::Value(_) => return false,
                PlaceKind::Variable(_)
                | PlaceKind::Deref(_)
                | PlaceKind::String(_)
                | PlaceKind::CompoundLiteral { .. } => return true,
            }
        }
    }
    fn dereference(&mut self, operand: ast::ExprId, span: Span) -> Checked<Operand> {
        let operand = self.operand(operand)?;
        if let Operand::Function(function, _) = operand {
            return Ok(Operand::Function(function, span));
        }
        let pointer = self.value(operand)?;
        self.dereference_value(pointer, span)
    }
    pub(super) fn dereference_value(&mut self, pointer: ExprId, span: Span) -> Checked<Operand> {
        let Some(to) = self.types().pointee(self.ty(pointer)) else {
            let message = format!("wrong type of operand of unary `*`: {}", self.show(self.ty(pointer)));
            return error(message, span);
        };
        if let ExprKind::FunctionAddress(function) = self.program.exprs[pointer].kind
            && self.program.functions[function].ty == to
        {
            return Ok(Operand::Function(function, span));
        }
        Ok(Operand::Place(self.place(PlaceKind::Deref(pointer), to, span)))
    }

    // -------------------------------------------------------------------------------------------------
    // Casts, compound literals, statement expressions

    fn cast_expression(
        &mut self,
        type_name: ast::TypeNameId,
        operand: ast::ExprId,
        span: Span,
    ) -> Checked<ExprId> {
        let (target, bounds) = self.type_name_with_bounds(type_name)?;
        let operand = self.operand(operand)?;
        let value = self.value(operand)?;
        let record = self.types().record(target);
        let result = match record {
            Some(record) if self.ty(value) != target => self.cast_to_union(value, record, target, span)?,
            _ => self.cast(value, target, span)?,
        };
        Ok(self.after_bounds(bounds, result))
    }
    /// GNU C: a value of a member's type as a union.
    fn cast_to_union(
        &mut self,
        value: ExprId,
        record: crate::types::RecordId,
        target: TypeId,
        span: Span,
    ) -> Checked<ExprId> {
        let definition = &self.types().records[record];
        let ty = self.ty(value);
        let field = definition.fields.iter().position(|field| field.ty == ty);
        match field {
            Some(field) if definition.is_union && self.function.is_some() => {
                Ok(self.union_value(target, field as u32, value))
            }
            _ => self.cast(value, target, span),
        }
    }
    /// A value after statements that set the bounds of the types that it mentions.
    pub(super) fn after_bounds(&mut self, bounds: Vec<StmtId>, value: ExprId) -> ExprId {
        if bounds.is_empty() {
            return value;
        }
        let (ty, span) = (self.ty(value), self.span(value));
        let kind = ExprKind::StatementExpr { body: bounds, value: Some(value) };
        self.raw(kind, ty, span)
    }
    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> Checked<Operand> {
        let base = self.operand(base)?;
        let index = self.operand(index)?;
        let types = self.types();
        let is_array = |operand: Operand| types.array(self.operand_type(operand)).is_some();
        let (base, index) = if !is_array(base) && types.is_integer(self.operand_type(base)) {
            (index, base)
        } else {
            (base, index)
        };
        let index = self.value(index)?;
        if !self.types().is_integer(self.ty(index)) {
            let message =
                format!("an array subscript is not an integer, but has type {}", self.show(self.ty(index)));
            return error(message, self.span(index));
        }
        let index = self.promote(index);
        if let Operand::Place(place) = base
            && let Some((elem, _)) = self.types().array(self.program.places[place].ty)
        {
            return Ok(Operand::Place(self.place(PlaceKind::Index { base: place, index }, elem, span)));
        }
        let pointer = self.value(base)?;
        let ty = self.ty(pointer);
        if self.types().pointee(ty).is_none() {
            let message = format!(
                "a value of type {} is subscripted: it is neither an array nor a pointer",
                self.show(ty)
            );
            return error(message, span);
        }
        let element = self.element_size(ty, span)?;
        let direction = Direction::Forward;
        let moved = self.raw(ExprKind::PointerOffset { pointer, index, element, direction }, ty, span);
        self.dereference_value(moved, span)
    }
    /// The place that is assigned to.
    pub(super) fn target(&mut self, id: ast::ExprId, what: &str, span: Span) -> Checked<PlaceId> {
        let operand = self.operand(id)?;
        let Operand::Place(place) = operand else {
            return error(format!("an lvalue is required as {what}"), span);
        };
        let ty = self.program.places[place].ty;
        if !self.is_object(place) {
            return error(format!("an lvalue is required as {what}"), span);
        }
        if self.types().array(ty).is_some() {
            return error(format!("a value of array type {} cannot be assigned to", self.show(ty)), span);
        }
        if !self.types().is_complete(ty) {
            return error(
                format!("a value of incomplete type {} cannot be assigned to", self.show(ty)),
                span,
            );
        }
        if let Some(variable) = self.const_root(place) {
            let name = self.program.variables[variable].name.clone();
            let diagnostic = base::Diagnostic::error(format!("assignment to the constant `{name}`"), span)
                .with_secondary(self.program.variables[variable].declared, "declared `const` here");
            return Err(Box::new(diagnostic));
        }
        Ok(place)
    }
    /// The `const` variable that a place is part of.
    fn const_root(&self, place: PlaceId) -> Option<crate::hir::VariableId> {
        let mut current = place;
        loop {
            match self.program.places[current].kind {
                PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => current = base,
                PlaceKind::Variable(variable) => {
                    return self.variable_facts[variable].is_const.then_some(variable);
                }
                _ => return None,
            }
        }
    }
    fn assignment(
        &mut self,
        target: ast::ExprId,
        value: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let place = self.target(target, "left operand of assignment", op_span)?;
        let value = self.rvalue(value)?;
        let ty = self.program.places[place].ty;
        let value = self.assign(value, ty, Purpose::Assign)?;
        Ok(self.raw(ExprKind::Assign { place, value }, ty, span))
    }
}
