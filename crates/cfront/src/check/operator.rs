//! Binary operators, compound assignment, `++` and `--`, the conditional operator (C11 6.5.5 to 6.5.17).

use base::Span;

use super::Checked;
use super::context::{Checker, error};
use super::conversion::{Operand, Purpose};
use crate::ast::{self, BinaryOp};
use crate::hir::{ArithmeticOp, CompareOp, Direction, ExprId, ExprKind, StepForm};
use crate::types::TypeId;

/// What kind of operation a binary operator is.
enum Class {
    Arithmetic(ArithmeticOp),
    Compare(CompareOp),
    And,
    Or,
    Comma,
}

fn class(op: BinaryOp) -> Class {
    match op {
        BinaryOp::Multiply => Class::Arithmetic(ArithmeticOp::Multiply),
        BinaryOp::Divide => Class::Arithmetic(ArithmeticOp::Divide),
        BinaryOp::Remainder => Class::Arithmetic(ArithmeticOp::Remainder),
        BinaryOp::Add => Class::Arithmetic(ArithmeticOp::Add),
        BinaryOp::Subtract => Class::Arithmetic(ArithmeticOp::Subtract),
        BinaryOp::ShiftLeft => Class::Arithmetic(ArithmeticOp::ShiftLeft),
        BinaryOp::ShiftRight => Class::Arithmetic(ArithmeticOp::ShiftRight),
        BinaryOp::BitAnd => Class::Arithmetic(ArithmeticOp::And),
        BinaryOp::BitXor => Class::Arithmetic(ArithmeticOp::Xor),
        BinaryOp::BitOr => Class::Arithmetic(ArithmeticOp::Or),
        BinaryOp::Less => Class::Compare(CompareOp::Less),
        BinaryOp::Greater => Class::Compare(CompareOp::Greater),
        BinaryOp::LessEqual => Class::Compare(CompareOp::LessEqual),
        BinaryOp::GreaterEqual => Class::Compare(CompareOp::GreaterEqual),
        BinaryOp::Equal => Class::Compare(CompareOp::Equal),
        BinaryOp::NotEqual => Class::Compare(CompareOp::NotEqual),
        BinaryOp::LogicalAnd => Class::And,
        BinaryOp::LogicalOr => Class::Or,
        BinaryOp::Comma => Class::Comma,
    }
}

/// The operator as C writes it.
fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::Comma => ",",
    }
}

fn is_shift(op: ArithmeticOp) -> bool {
    matches!(op, ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight)
}

fn needs_integers(op: ArithmeticOp) -> bool {
    !matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply | ArithmeticOp::Divide)
}

/// Which way an addition or subtraction moves a pointer.
fn direction(op: ArithmeticOp) -> Direction {
    if op == ArithmeticOp::Subtract { Direction::Backward } else { Direction::Forward }
}

impl Checker<'_> {
    /// A chain of binary operators down the left operands (K1).
    pub(super) fn binary_chain(&mut self, id: ast::ExprId) -> Checked<Operand> {
        let unit = self.unit;
        let (spine, first) = unit.left_spine(id);
        let mut left = self.operand(first)?;
        for node in spine.into_iter().rev() {
            let ast::Expr { kind: ast::ExprKind::Binary { op, right, op_span, .. }, span } = unit.exprs[node]
            else {
                continue;
            };
            left = Operand::Value(self.binary(op, left, right, op_span, span)?);
        }
        Ok(left)
    }
    fn binary(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let int = self.basic.int;
        match class(op) {
            Class::Arithmetic(arithmetic) => {
                let left = self.value(left)?;
                let right = self.rvalue(right)?;
                self.arithmetic(arithmetic, op, left, right, op_span, span)
            }
            Class::Compare(compare) => {
                let left = self.value(left)?;
                let right = self.rvalue(right)?;
                self.comparison(compare, op, left, right, op_span, span)
            }
            Class::And => {
                let left = self.scalar(left)?;
                let right = self.condition(right)?;
                Ok(self.fold(ExprKind::LogicalAnd(left, right), int, span))
            }
            Class::Or => {
                let left = self.scalar(left)?;
                let right = self.condition(right)?;
                Ok(self.fold(ExprKind::LogicalOr(left, right), int, span))
            }
            Class::Comma => {
                let left = self.value(left)?;
                self.drop_late_call(left);
                let right = self.rvalue(right)?;
                let ty = self.ty(right);
                Ok(self.raw(ExprKind::Comma(left, right), ty, span))
            }
        }
    }
    fn invalid<T>(&self, op: BinaryOp, left: ExprId, right: ExprId, op_span: Span) -> Checked<T> {
        self.refuse_stand_ins([self.ty(left), self.ty(right)], op_span)?;
        let message = format!(
            "invalid operands of binary `{}`: {} and {}",
            sign(op),
            self.show(self.ty(left)),
            self.show(self.ty(right))
        );
        error(message, op_span)
    }
    fn arithmetic(
        &mut self,
        arithmetic: ArithmeticOp,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        op_span: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let (left_ty, right_ty) = (self.ty(left), self.ty(right));
        if self.types().is_arithmetic(left_ty) && self.types().is_arithmetic(right_ty) {
            if needs_integers(arithmetic)
                && !(self.types().is_integer(left_ty) && self.types().is_integer(right_ty))
            {
                return self.invalid(op, left, right, op_span);
            }
            return Ok(self.number_arithmetic(arithmetic, left, right, span));
        }
        let left_pointer = self.types().pointee(left_ty);
        let right_pointer = self.types().pointee(right_ty);
        let is_integer = |ty| self.types().is_integer(ty);
        match (arithmetic, left_pointer, right_pointer) {
            (ArithmeticOp::Add | ArithmeticOp::Subtract, Some(_), None) if is_integer(right_ty) => {
                self.pointer_offset(left, right, direction(arithmetic), span)
            }
            (ArithmeticOp::Add, None, Some(_)) if is_integer(left_ty) => {
                self.pointer_offset(right, left, Direction::Forward, span)
            }
            (ArithmeticOp::Subtract, Some(left_to), Some(right_to))
                if self.types().compatible(left_to, right_to) =>
            {
                let element = self.element_size(left_ty, op_span)?;
                let right = self.convert(right, left_ty);
                let kind = ExprKind::PointerDifference { left, right, element };
                Ok(self.raw(kind, self.basic.difference, span))
            }
            _ => self.invalid(op, left, right, op_span),
        }
    }
    fn pointer_offset(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        direction: Direction,
        span: Span,
    ) -> Checked<ExprId> {
        let ty = self.ty(pointer);
        let element = self.element_size(ty, span)?;
        let index = self.promote(index);
        Ok(self.raw(ExprKind::PointerOffset { pointer, index, element, direction }, ty, span))
    }
    /// Arithmetic of two numbers.
    fn number_arithmetic(&mut self, op: ArithmeticOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        if is_shift(op) {
            let odd = self.odd_width(left);
            let left = self.promote(left);
            let right = self.promote(right);
            let ty = self.ty(left);
            let result = self.fold(ExprKind::Arithmetic { op, left, right }, ty, span);
            return odd.map_or(result, |width| self.reduce(result, width));
        }
        let ty = self.common_type(left, right);
        let odd = self.common_odd_width(left, right);
        let left = self.as_common(left, ty, odd);
        let right = self.as_common(right, ty, odd);
        let result = self.fold(ExprKind::Arithmetic { op, left, right }, ty, span);
        odd.map_or(result, |width| self.reduce(result, width))
    }
    /// A number as the common type.
    fn as_common(&mut self, expr: ExprId, ty: TypeId, odd: Option<u8>) -> ExprId {
        let is_same = self.odd_width(expr) == odd;
        let converted = self.convert(expr, ty);
        match odd {
            Some(width) if !is_same => self.reduce(converted, width),
            _ => converted,
        }
    }
    fn comparison(
        &mut self,
        compare: CompareOp,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        op_span: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let (left_ty, right_ty) = (self.ty(left), self.ty(right));
        let types = self.types();
        let (left, right) = if types.is_arithmetic(left_ty) && types.is_arithmetic(right_ty) {
            let ty = self.common_type(left, right);
            let odd = self.common_odd_width(left, right);
            (self.as_common(left, ty, odd), self.as_common(right, ty, odd))
        } else {
            match (types.pointee(left_ty), types.pointee(right_ty)) {
                (Some(_), Some(right_to)) if types.is_void(right_to) => (self.convert(left, right_ty), right),
                (Some(_), Some(_)) => (left, self.convert(right, left_ty)),
                (Some(_), None) if types.is_integer(right_ty) => (left, self.convert(right, left_ty)),
                (None, Some(_)) if types.is_integer(left_ty) => (self.convert(left, right_ty), right),
                _ => return self.invalid(op, left, right, op_span),
            }
        };
        Ok(self.fold(ExprKind::Compare { op: compare, left, right }, self.basic.int, span))
    }

    // -------------------------------------------------------------------------------------------------
    // Assignment operators

    pub(super) fn compound_assignment(
        &mut self,
        op: BinaryOp,
        target: ast::ExprId,
        value: ast::ExprId,
        op_span: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let place = self.target(target, "left operand of assignment", op_span)?;
        let value = self.rvalue(value)?;
        let ty = self.program.places[place].ty;
        let Class::Arithmetic(arithmetic) = class(op) else {
            return error("this operator cannot be combined with an assignment", op_span);
        };
        // Its type and width decide; the value itself is read by the assignment.
        let old = self.raw(ExprKind::Load(place), ty, span);
        let value_ty = self.ty(value);
        let types = self.types();
        if types.pointee(ty).is_some()
            && matches!(arithmetic, ArithmeticOp::Add | ArithmeticOp::Subtract)
            && types.is_integer(value_ty)
        {
            let element = self.element_size(ty, op_span)?;
            let index = self.promote(value);
            let direction = direction(arithmetic);
            return Ok(self.raw(ExprKind::PointerAssign { place, index, element, direction }, ty, span));
        }
        let are_integers = types.is_integer(ty) && types.is_integer(value_ty);
        let are_numbers = types.is_arithmetic(ty) && types.is_arithmetic(value_ty);
        if !are_numbers || (needs_integers(arithmetic) && !are_integers) {
            return self.invalid(op, old, value, op_span);
        }
        let (computation, value) = if is_shift(arithmetic) {
            (self.promoted_type(old), self.promote(value))
        } else {
            let common = self.common_type(old, value);
            let odd = self.common_odd_width(old, value);
            (common, self.as_common(value, common, odd))
        };
        Ok(self.raw(ExprKind::CompoundAssign { place, op: arithmetic, value, computation }, ty, span))
    }
    /// `++` and `--`
    pub(super) fn step(
        &mut self,
        operand: ast::ExprId,
        direction: Direction,
        form: StepForm,
        span: Span,
    ) -> Checked<ExprId> {
        let what = match direction {
            Direction::Forward => "operand of `++`",
            Direction::Backward => "operand of `--`",
        };
        let place = self.target(operand, what, span)?;
        let ty = self.program.places[place].ty;
        let element = if self.types().pointee(ty).is_some() {
            Some(self.element_size(ty, span)?)
        } else if self.types().is_arithmetic(ty) {
            None
        } else {
            return error(format!("wrong type of {what}: {}", self.show(ty)), span);
        };
        Ok(self.raw(ExprKind::Step { place, direction, form, element }, ty, span))
    }

    // -------------------------------------------------------------------------------------------------
    // The conditional operator

    pub(super) fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: ast::ExprId,
        otherwise: ast::ExprId,
        question: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let condition = self.condition(condition)?;
        let then = self.rvalue(then)?;
        let otherwise = self.rvalue(otherwise)?;
        let ty = self.branch_type(then, otherwise, question)?;
        if self.types().is_void(ty) {
            self.drop_late_call(then);
            self.drop_late_call(otherwise);
        }
        let then = self.convert(then, ty);
        let otherwise = self.convert(otherwise, ty);
        Ok(self.fold(ExprKind::Conditional { condition, then, otherwise, question }, ty, span))
    }
    pub(super) fn conditional_value(
        &mut self,
        condition: ast::ExprId,
        otherwise: ast::ExprId,
        question: Span,
        span: Span,
    ) -> Checked<ExprId> {
        let condition = self.condition(condition)?;
        let otherwise = self.rvalue(otherwise)?;
        let ty = self.branch_type(condition, otherwise, question)?;
        let otherwise = self.convert(otherwise, ty);
        if let (Some(value), Some(_)) = (self.int_constant(condition), self.int_constant(otherwise)) {
            return Ok(if value == 0 { otherwise } else { self.convert(condition, ty) });
        }
        Ok(self.raw(ExprKind::ConditionalValue { condition, otherwise, question }, ty, span))
    }
    /// The type of a conditional expression with the given branches.
    fn branch_type(&mut self, then: ExprId, otherwise: ExprId, question: Span) -> Checked<TypeId> {
        let (left, right) = (self.ty(then), self.ty(otherwise));
        let types = self.types();
        if types.is_arithmetic(left) && types.is_arithmetic(right) {
            return Ok(self.common_type(then, otherwise));
        }
        if left == right {
            return Ok(left);
        }
        if types.is_void(left) || types.is_void(right) {
            return Ok(self.basic.void);
        }
        if (left == self.basic.va_list && types.is_scalar(right))
            || (right == self.basic.va_list && types.is_scalar(left))
        {
            return Ok(self.basic.void_pointer);
        }
        match (types.pointee(left), types.pointee(right)) {
            (Some(_), _) if self.is_null_constant(otherwise) => Ok(left),
            (_, Some(_)) if self.is_null_constant(then) => Ok(right),
            (Some(left_to), Some(right_to)) => {
                if types.is_void(left_to) || types.is_void(right_to) {
                    return Ok(self.basic.void_pointer);
                }
                if types.compatible(left_to, right_to) {
                    let to = self.program.types.composite(left_to, right_to);
                    return Ok(self.pointer(to));
                }
                Ok(self.basic.void_pointer)
            }
            (Some(_), None) if types.is_integer(right) => Ok(left),
            (None, Some(_)) if types.is_integer(left) => Ok(right),
            _ => error(
                format!(
                    "the branches of a conditional expression have the types {} and {}",
                    self.show(left),
                    self.show(right)
                ),
                question,
            ),
        }
    }
    /// A `return` value or the like as the type that is wanted.
    pub(super) fn returned(&mut self, value: ExprId, ty: TypeId) -> Checked<ExprId> {
        self.assign(value, ty, Purpose::Return)
    }
}
