//! Which values are constant enough for variables of static duration (C11 6.6, with what gcc adds).

use super::Checked;
use super::constant::Constant;
use super::context::{Checker, error};
use crate::hir::{
    ArithmeticOp, ExprId, ExprKind, InitValue, PlaceId, PlaceKind, StaticOverflow, StorageDuration,
    VariableId,
};

impl Checker<'_> {
    /// The value that a static variable is initialised with; a message if it is not constant. If an operation in it overflows, that is noted,
    /// and the value is the one that gcc computes: initialisation is no part of an execution, which an overflow could end.
    pub(super) fn static_value(&mut self, value: ExprId) -> Checked<ExprId> {
        if let Some(culprit) = self.static_culprit(value) {
            return error("the initialiser of a static variable is not constant", self.span(culprit));
        }
        let Some(operation) = self.static_overflow(value) else { return Ok(value) };
        let (ty, span) = (self.ty(value), self.span(value));
        let computed = match self.evaluate(value, 0) {
            Some(Constant::Int(number)) => self.constant(number, ty, span),
            Some(Constant::Float(bits)) => self.raw(ExprKind::Float(bits), ty, span),
            // An address with a computed offset: the operation stays where it is.
            None => return Ok(value),
        };
        self.program.static_overflows.push(StaticOverflow { value, operation, literal: None });
        Ok(computed)
    }
    /// A signed operation in a constant value whose result does not fit; a shift only if there is no other.
    fn static_overflow(&self, value: ExprId) -> Option<ExprId> {
        let mut shift = None;
        let mut work = vec![value];
        while let Some(expr) = work.pop() {
            if self.overflows(expr) {
                match self.program.exprs[expr].kind {
                    ExprKind::Arithmetic { op: ArithmeticOp::ShiftLeft, .. } => shift = Some(expr),
                    _ => return Some(expr),
                }
            }
            match self.program.exprs[expr].kind {
                ExprKind::Negate(operand)
                | ExprKind::BitNot(operand)
                | ExprKind::LogicalNot(operand)
                | ExprKind::Convert(operand) => work.push(operand),
                ExprKind::Arithmetic { left, right, .. }
                | ExprKind::Compare { left, right, .. }
                | ExprKind::Comma(left, right) => work.extend([left, right]),
                ExprKind::LogicalAnd(left, right) => {
                    let is_short = self.evaluate_int(left) == Some(0);
                    work.extend([Some(left), (!is_short).then_some(right)].into_iter().flatten());
                }
                ExprKind::LogicalOr(left, right)
                | ExprKind::ConditionalValue { condition: left, otherwise: right, .. } => {
                    let is_short = self.evaluate_int(left).is_some_and(|value| value != 0);
                    work.extend([Some(left), (!is_short).then_some(right)].into_iter().flatten());
                }
                ExprKind::Conditional { condition, then, otherwise, .. } => {
                    let holds = self.evaluate_int(condition).is_some_and(|value| value != 0);
                    work.extend([condition, if holds { then } else { otherwise }]);
                }
                _ => {}
            }
        }
        shift
    }
    /// The part of a value that is not constant.
    pub(super) fn static_culprit(&self, value: ExprId) -> Option<ExprId> {
        let mut work = vec![value];
        while let Some(expr) = work.pop() {
            match &self.program.exprs[expr].kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::FunctionAddress(_) => {}
                ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    if !self.has_static_address(*place, &mut work) {
                        return Some(expr);
                    }
                }
                ExprKind::Convert(operand) if self.loses_address(*operand, expr) => return Some(expr),
                ExprKind::Negate(operand)
                | ExprKind::BitNot(operand)
                | ExprKind::LogicalNot(operand)
                | ExprKind::Convert(operand) => work.push(*operand),
                ExprKind::Arithmetic { left, right, .. }
                | ExprKind::Compare { left, right, .. }
                | ExprKind::PointerDifference { left, right, .. }
                | ExprKind::LogicalAnd(left, right)
                | ExprKind::LogicalOr(left, right)
                | ExprKind::Comma(left, right)
                | ExprKind::PointerOffset { pointer: left, index: right, .. }
                | ExprKind::ConditionalValue { condition: left, otherwise: right, .. } => {
                    work.extend([*left, *right]);
                }
                ExprKind::Conditional { condition, then, otherwise, .. } => {
                    match self.evaluate_int(*condition) {
                        Some(0) => work.push(*otherwise),
                        Some(_) => work.push(*then),
                        None => work.extend([*condition, *then, *otherwise]),
                    }
                }
                ExprKind::Builtin { args, .. } if !args.is_empty() => work.extend(args.iter().copied()),
                // gcc reads scalar constants that it has seen the value of.
                ExprKind::Load(place) => match self.program.places[*place].kind {
                    PlaceKind::Variable(variable) if self.is_known_constant(variable) => {}
                    _ => return Some(expr),
                },
                _ => return Some(expr),
            }
        }
        None
    }
    /// Whether a conversion makes a smaller integer of an address: no linker can do that.
    fn loses_address(&self, operand: ExprId, converted: ExprId) -> bool {
        let model = self.types().model;
        let width = self.kind_of(converted).map_or(u8::MAX, |kind| kind.width(model));
        self.types().pointee(self.ty(operand)).is_some()
            && (2..model.pointer_width()).contains(&width)
            && self.evaluate_int(operand).is_none()
    }
    fn is_known_constant(&self, variable: VariableId) -> bool {
        let known = &self.program.variables[variable];
        let is_single = known.init.as_ref().is_some_and(|init| {
            matches!(init.items.as_slice(), [item] if item.path.is_empty() && matches!(item.value, InitValue::Expr(_)))
        });
        self.variable_facts[variable].is_const && known.duration == StorageDuration::Static && is_single
    }
    /// Whether the address of a place is constant if that of the pushed values is.
    fn has_static_address(&self, place: PlaceId, work: &mut Vec<ExprId>) -> bool {
        let mut current = place;
        loop {
            match self.program.places[current].kind {
                PlaceKind::Variable(variable) | PlaceKind::CompoundLiteral { variable } => {
                    return self.program.variables[variable].duration == StorageDuration::Static;
                }
                PlaceKind::String(_) => return true,
                PlaceKind::Deref(pointer) => {
                    work.push(pointer);
                    return true;
                }
                PlaceKind::Field { base, .. } => current = base,
                PlaceKind::Index { base, index } => {
                    work.push(index);
                    current = base;
                }
                PlaceKind::Value(_) => return false,
            }
        }
    }
}
