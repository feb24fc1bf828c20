//! Constant expressions: folding while building, and exact evaluation where C wants a constant.
//!
//! Folding ([`Checker::fold`]) never touches an operation whose behaviour C leaves undefined: those stay in the program, so that
//! running into them is noticed. Where a constant is required ([`Checker::evaluate`]), gcc's rules hold:
//! signed arithmetic wraps, and what is not evaluated need not be constant.

use std::cmp::Ordering;

use base::Span;
use cfa::Ty;

use super::Checked;
use super::context::{Checker, error};
use super::float;
use crate::hir::{ArithmeticOp, CompareOp, Direction, ElementSize, ExprId, ExprKind, PlaceId, PlaceKind};
use crate::types::{Type, TypeId};

/// How deep [`Checker::evaluate`] follows operands: deeper expressions are not constant.
const MAX_DEPTH: u32 = 2500;

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    Int(i128),
    Float(u128),
}

/// What to do where C leaves an integer operation undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Undefined {
    /// There is no result.
    Refuse,
    /// Results wrap, as gcc evaluates constants.
    Wrap,
}

impl Checker<'_> {
    /// A new expression, replaced by its value if it is an integer operation on constants.
    pub(super) fn fold(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        match self.folded(&kind, ty) {
            Some(value) => self.constant(value, ty, span),
            None => self.raw(kind, ty, span),
        }
    }
    /// The value of an integer or pointer constant.
    pub(super) fn int_constant(&self, expr: ExprId) -> Option<i128> {
        match self.program.exprs[expr].kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }
    fn folded(&self, kind: &ExprKind, ty: TypeId) -> Option<i128> {
        let scalar = self.types().scalar(ty)?;
        let value = |expr: ExprId| self.int_constant(expr);
        match *kind {
            ExprKind::Negate(operand) => value(operand)?.checked_neg().and_then(|value| fit(scalar, value)),
            ExprKind::BitNot(operand) => Some(wrap(scalar, !value(operand)?)),
            ExprKind::LogicalNot(operand) => Some(i128::from(value(operand)? == 0)),
            ExprKind::Arithmetic { op, left, right } => {
                int_arithmetic(op, scalar, value(left)?, value(right)?, Undefined::Refuse)
            }
            ExprKind::Compare { op, left, right } => {
                let operands = self.types().scalar(self.ty(left))?;
                Some(i128::from(compare(op, order(operands, value(left)?, value(right)?))))
            }
            ExprKind::LogicalAnd(left, right) => Some(i128::from(value(left)? != 0 && value(right)? != 0)),
            ExprKind::LogicalOr(left, right) => Some(i128::from(value(left)? != 0 || value(right)? != 0)),
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                let (then, otherwise) = (value(then)?, value(otherwise)?);
                Some(if value(condition)? != 0 { then } else { otherwise })
            }
            ExprKind::Convert(operand) => {
                let value = value(operand)?;
                match scalar {
                    Ty::BOOL => Some(i128::from(value != 0)),
                    Ty::Int { .. } | Ty::Ptr => Some(self.wrap_scalar(scalar, value)),
                    Ty::Float(_) => None,
                }
            }
            _ => None,
        }
    }
    /// Reduces a value to the range of an integer or pointer type.
    fn wrap_scalar(&self, scalar: Ty, value: i128) -> i128 {
        match scalar {
            Ty::Ptr => wrap(Ty::unsigned(self.types().model.pointer_width()), value),
            _ => wrap(scalar, value),
        }
    }

    // -------------------------------------------------------------------------------------------------
    // Where a constant is required

    /// The value of an integer constant expression; `what` names it in the message if it is none.
    pub(super) fn require_int(&self, expr: ExprId, what: &str) -> Checked<i128> {
        let span = self.span(expr);
        if !self.types().is_integer(self.ty(expr)) {
            let message = format!("{what} is not an integer, but has type {}", self.show(self.ty(expr)));
            return error(message, span);
        }
        match self.evaluate(expr, 0) {
            Some(Constant::Int(value)) => Ok(value),
            Some(Constant::Float(_)) | None => error(format!("{what} is not an integer constant"), span),
        }
    }
    /// The value of an integer expression, if it is constant.
    pub(super) fn evaluate_int(&self, expr: ExprId) -> Option<i128> {
        match self.evaluate(expr, 0)? {
            Constant::Int(value) => Some(value),
            Constant::Float(_) => None,
        }
    }

    /// Whether an operation on integer constants has a result that its signed type does not have, or that C leaves undefined for a shift.
    pub(super) fn overflows(&self, expr: ExprId) -> bool {
        let Some(ty @ Ty::Int { signed: true, .. }) = self.types().scalar(self.ty(expr)) else {
            return false;
        };
        match self.program.exprs[expr].kind {
            ExprKind::Negate(operand) => self
                .evaluate_int(operand)
                .is_some_and(|value| value.checked_neg().and_then(|value| fit(ty, value)).is_none()),
            ExprKind::Arithmetic { op, left, right } => {
                let (Some(left), Some(right)) = (self.evaluate_int(left), self.evaluate_int(right)) else {
                    return false;
                };
                let result = |undefined| int_arithmetic(op, ty, left, right, undefined);
                result(Undefined::Refuse).is_none() && result(Undefined::Wrap).is_some()
            }
            _ => false,
        }
    }

    /// The value of a constant expression, by gcc's rules. `depth` is the number of operators around it.
    pub(super) fn evaluate(&self, expr: ExprId, depth: u32) -> Option<Constant> {
        if depth > MAX_DEPTH {
            return None;
        }
        let node = &self.program.exprs[expr];
        let ty = self.types().scalar(node.ty)?;
        let value = |operand: ExprId| self.evaluate(operand, depth + 1);
        let truth = |operand: ExprId| self.truth(operand, depth + 1);
        let int = |value: bool| Some(Constant::Int(i128::from(value)));
        match node.kind {
            ExprKind::Int(value) => Some(Constant::Int(value)),
            ExprKind::Float(bits) => Some(Constant::Float(bits)),
            ExprKind::Negate(operand) | ExprKind::BitNot(operand) => {
                evaluate_unary(&node.kind, value(operand)?, ty)
            }
            ExprKind::LogicalNot(operand) => int(!truth(operand)?),
            ExprKind::Arithmetic { op, left, right } => match (value(left)?, value(right)?, ty) {
                (Constant::Int(left), Constant::Int(right), _) => {
                    int_arithmetic(op, ty, left, right, Undefined::Wrap).map(Constant::Int)
                }
                (Constant::Float(left), Constant::Float(right), Ty::Float(kind)) => {
                    float::arithmetic(op, left, right, kind).map(Constant::Float)
                }
                _ => None,
            },
            ExprKind::Compare { op, left, right } => self.evaluate_compare(op, left, right, depth),
            ExprKind::LogicalAnd(left, right) => int(truth(left)? && truth(right)?),
            ExprKind::LogicalOr(left, right) => int(truth(left)? || truth(right)?),
            ExprKind::Conditional { condition, then, otherwise, .. } => {
                value(if truth(condition)? { then } else { otherwise })
            }
            ExprKind::ConditionalValue { condition, otherwise, .. } => {
                if truth(condition)? {
                    self.evaluate_conversion(condition, ty, depth)
                } else {
                    value(otherwise)
                }
            }
            ExprKind::Comma(_, last) => value(last),
            ExprKind::Convert(operand) => self.evaluate_conversion(operand, ty, depth),
            ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                self.address(place, depth).map(|address| Constant::Int(self.wrap_scalar(Ty::Ptr, address)))
            }
            ExprKind::PointerOffset { pointer, index, element: ElementSize::Fixed(size), direction } => {
                let moved = move_pointer(value(pointer)?, value(index)?, size, direction)?;
                Some(Constant::Int(self.wrap_scalar(Ty::Ptr, moved)))
            }
            ExprKind::PointerDifference { left, right, element: ElementSize::Fixed(size @ 1..) } => {
                match (value(left)?, value(right)?) {
                    (Constant::Int(left), Constant::Int(right)) => {
                        Some(Constant::Int((left - right) / i128::from(size)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
    fn truth(&self, expr: ExprId, depth: u32) -> Option<bool> {
        match (self.evaluate(expr, depth)?, self.types().get(self.ty(expr))) {
            (Constant::Int(value), _) => Some(value != 0),
            (Constant::Float(bits), Type::Float(kind)) => Some(!float::is_zero(bits, *kind)),
            (Constant::Float(_), _) => None,
        }
    }
    fn evaluate_compare(&self, op: CompareOp, left: ExprId, right: ExprId, depth: u32) -> Option<Constant> {
        let operands = self.types().scalar(self.ty(left))?;
        let holds = match (self.evaluate(left, depth + 1)?, self.evaluate(right, depth + 1)?, operands) {
            (Constant::Int(left), Constant::Int(right), _) => compare(op, order(operands, left, right)),
            (Constant::Float(left), Constant::Float(right), Ty::Float(kind)) => {
                float::compare(op, left, right, kind)
            }
            _ => return None,
        };
        Some(Constant::Int(i128::from(holds)))
    }
    fn evaluate_conversion(&self, operand: ExprId, ty: Ty, depth: u32) -> Option<Constant> {
        if ty == Ty::BOOL {
            return self.truth(operand, depth + 1).map(|truth| Constant::Int(i128::from(truth)));
        }
        let from = self.types().scalar(self.ty(operand))?;
        match (self.evaluate(operand, depth + 1)?, from, ty) {
            (Constant::Int(value), _, Ty::Int { .. } | Ty::Ptr) => {
                Some(Constant::Int(self.wrap_scalar(ty, value)))
            }
            (Constant::Int(value), from, Ty::Float(kind)) => {
                Some(Constant::Float(float::from_int(value, from, kind)))
            }
            (Constant::Float(bits), Ty::Float(from), Ty::Float(to)) => {
                Some(Constant::Float(float::convert(bits, from, to)))
            }
            (Constant::Float(bits), Ty::Float(from), Ty::Int { .. }) => {
                float::to_int(bits, from).map(|value| Constant::Int(wrap(ty, value)))
            }
            _ => None,
        }
    }
    /// The address of a place that a constant pointer leads to: `&((struct s *)0)->member`.
    fn address(&self, place: PlaceId, depth: u32) -> Option<i128> {
        let mut offset = 0_i128;
        let mut current = place;
        loop {
            let node = &self.program.places[current];
            match node.kind {
                PlaceKind::Field { base, field } => {
                    let record = self.types().record(self.program.places[base].ty)?;
                    offset += i128::from(self.types().records[record].fields[field as usize].offset);
                    current = base;
                }
                PlaceKind::Index { base, index } => {
                    let size = self.types().size_of(node.ty)?;
                    let Constant::Int(index) = self.evaluate(index, depth + 1)? else { return None };
                    offset = offset.checked_add(index.checked_mul(i128::from(size))?)?;
                    current = base;
                }
                PlaceKind::Deref(pointer) => match self.evaluate(pointer, depth + 1)? {
                    Constant::Int(base) => return base.checked_add(offset),
                    Constant::Float(_) => return None,
                },
                PlaceKind::Variable(_)
                | PlaceKind::String(_)
                | PlaceKind::CompoundLiteral { .. }
                | PlaceKind::Value(_) => return None,
            }
        }
    }
}

/// An address moved by elements.
fn move_pointer(pointer: Constant, index: Constant, size: u64, direction: Direction) -> Option<i128> {
    let (Constant::Int(pointer), Constant::Int(index)) = (pointer, index) else { return None };
    let offset = index.checked_mul(i128::from(size))?;
    match direction {
        Direction::Forward => pointer.checked_add(offset),
        Direction::Backward => pointer.checked_sub(offset),
    }
}

/// `-` and `~` of a constant.
fn evaluate_unary(kind: &ExprKind, operand: Constant, ty: Ty) -> Option<Constant> {
    match (kind, operand, ty) {
        (ExprKind::Negate(_), Constant::Int(value), _) => Some(Constant::Int(wrap(ty, value.wrapping_neg()))),
        (ExprKind::Negate(_), Constant::Float(bits), Ty::Float(kind)) => {
            Some(Constant::Float(float::negate(bits, kind)))
        }
        (ExprKind::BitNot(_), Constant::Int(value), _) => Some(Constant::Int(wrap(ty, !value))),
        _ => None,
    }
}

/// The low bits of a value as a value of an integer type.
fn wrap(ty: Ty, value: i128) -> i128 {
    ty.value_of(value as u128)
}

/// The value, if an integer type has it; unsigned types have all, reduced.
fn fit(ty: Ty, value: i128) -> Option<i128> {
    match ty {
        Ty::Int { signed: true, .. } => (wrap(ty, value) == value).then_some(value),
        Ty::Int { .. } => Some(wrap(ty, value)),
        Ty::Float(_) | Ty::Ptr => None,
    }
}

/// How two values of an integer or pointer type are ordered.
fn order(ty: Ty, left: i128, right: i128) -> Ordering {
    match ty {
        Ty::Int { signed: false, .. } | Ty::Ptr => (left as u128).cmp(&(right as u128)),
        Ty::Int { .. } | Ty::Float(_) => left.cmp(&right),
    }
}

fn compare(op: CompareOp, order: Ordering) -> bool {
    match op {
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
        CompareOp::Less => order.is_lt(),
        CompareOp::LessEqual => order.is_le(),
        CompareOp::Greater => order.is_gt(),
        CompareOp::GreaterEqual => order.is_ge(),
    }
}

/// Arithmetic in an integer type.
fn int_arithmetic(op: ArithmeticOp, ty: Ty, left: i128, right: i128, undefined: Undefined) -> Option<i128> {
    let Ty::Int { width, signed } = ty else { return None };
    let finish = |exact: Option<i128>, wrapped: i128| match (signed, undefined) {
        (true, Undefined::Refuse) => fit(ty, exact?),
        _ => Some(wrap(ty, wrapped)),
    };
    match op {
        ArithmeticOp::Add => finish(left.checked_add(right), left.wrapping_add(right)),
        ArithmeticOp::Subtract => finish(left.checked_sub(right), left.wrapping_sub(right)),
        ArithmeticOp::Multiply => finish(left.checked_mul(right), left.wrapping_mul(right)),
        ArithmeticOp::Divide | ArithmeticOp::Remainder => divide(op, ty, left, right, undefined),
        ArithmeticOp::And => Some(left & right),
        ArithmeticOp::Xor => Some(wrap(ty, left ^ right)),
        ArithmeticOp::Or => Some(wrap(ty, left | right)),
        ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight => {
            let count = u32::try_from(right).ok().filter(|count| *count < u32::from(width))?;
            if op == ArithmeticOp::ShiftLeft {
                let wrapped = wrap(ty, left.wrapping_shl(count));
                let is_defined = !signed || (left >= 0 && wrapped >> count == left && wrapped >= 0);
                (is_defined || undefined == Undefined::Wrap).then_some(wrapped)
            } else if signed {
                Some(left >> count)
            } else {
                Some(wrap(ty, ((left as u128) >> count) as i128))
            }
        }
    }
}

fn divide(op: ArithmeticOp, ty: Ty, left: i128, right: i128, undefined: Undefined) -> Option<i128> {
    if right == 0 {
        return None;
    }
    if let Ty::Int { signed: false, .. } = ty {
        let (left, right) = (left as u128, right as u128);
        return Some((if op == ArithmeticOp::Divide { left / right } else { left % right }) as i128);
    }
    let quotient = left.checked_div(right);
    if undefined == Undefined::Refuse {
        // The remainder of the smallest value by -1 is as undefined as the quotient.
        fit(ty, quotient?)?;
    }
    Some(match op {
        ArithmeticOp::Divide => wrap(ty, left.wrapping_div(right)),
        _ => left.wrapping_rem(right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(op: ArithmeticOp, ty: Ty, left: i128, right: i128) -> [Option<i128>; 2] {
        [Undefined::Refuse, Undefined::Wrap].map(|undefined| int_arithmetic(op, ty, left, right, undefined))
    }

    #[test]
    fn undefined_operations_are_not_folded() {
        let int = Ty::signed(32);
        let (smallest, largest) = (i128::from(i32::MIN), i128::from(i32::MAX));
        assert_eq!(both(ArithmeticOp::Add, int, largest, 1), [None, Some(smallest)]);
        assert_eq!(both(ArithmeticOp::Multiply, int, 3, -4), [Some(-12); 2]);
        assert_eq!(both(ArithmeticOp::Divide, int, 7, 0), [None, None]);
        assert_eq!(both(ArithmeticOp::Divide, int, smallest, -1), [None, Some(smallest)]);
        assert_eq!(both(ArithmeticOp::Remainder, int, smallest, -1), [None, Some(0)]);
        assert_eq!(both(ArithmeticOp::Remainder, int, -7, 2), [Some(-1); 2]);
        assert_eq!(both(ArithmeticOp::ShiftLeft, int, 1, 31), [None, Some(smallest)]);
        assert_eq!(both(ArithmeticOp::ShiftLeft, int, 1, 32), [None, None]);
        assert_eq!(both(ArithmeticOp::ShiftRight, int, -8, 1), [Some(-4); 2]);
    }

    #[test]
    fn unsigned_arithmetic_wraps() {
        let unsigned = Ty::unsigned(32);
        assert_eq!(both(ArithmeticOp::Subtract, unsigned, 0, 1), [Some(0xFFFF_FFFF); 2]);
        assert_eq!(both(ArithmeticOp::ShiftLeft, unsigned, 3, 31), [Some(0x8000_0000); 2]);
        let widest = Ty::unsigned(128);
        assert_eq!(both(ArithmeticOp::Divide, widest, -1, 2), [Some(i128::MAX); 2]);
        assert!(compare(CompareOp::Greater, order(widest, -1, 0)));
    }
}
