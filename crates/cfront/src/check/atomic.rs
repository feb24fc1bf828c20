//! Atomic builtin functions of gcc, which are ordinary operations in a program of one thread: other programs are refused where they start a thread.
//!
//! The operand is one object of an integer or pointer type. Arithmetic wraps, so it is done unsigned; it is refused on pointers. What is said
//! about the order of memory accesses has no effect.

use base::Span;

use super::Checked;
use super::context::{Checker, error, unsupported};
use super::conversion::Purpose;
use crate::ast;
use crate::hir::{ArithmeticOp, CompareOp, ExprId, ExprKind, PlaceKind, StmtId, VariableId};
use crate::types::{IntKind, TypeId};

/// What an atomic builtin does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Atomic {
    Fence,
    Load,
    Store,
    /// Stores zero.
    Release,
    Exchange,
    Modify(Change, Yields),
    /// Stores a value if an expected one is there, which is an argument.
    Swap(Yields),
    /// The same; the expected value is behind a pointer, where the old one is stored if it is another one.
    SwapExpected,
}

/// How a value is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    By(ArithmeticOp),
    NotAnd,
}

/// What an operation yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Yields {
    Old,
    New,
    Success,
}

impl Atomic {
    fn named(text: &str) -> Option<Self> {
        Some(match text {
            "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence" => Self::Fence,
            "__atomic_load_n" => Self::Load,
            "__atomic_store_n" => Self::Store,
            "__sync_lock_release" => Self::Release,
            "__sync_lock_test_and_set" | "__atomic_exchange_n" => Self::Exchange,
            "__sync_bool_compare_and_swap" => Self::Swap(Yields::Success),
            "__sync_val_compare_and_swap" => Self::Swap(Yields::Old),
            "__atomic_compare_exchange_n" => Self::SwapExpected,
            _ => {
                let name = text.strip_prefix("__sync_").or_else(|| text.strip_prefix("__atomic_"))?;
                let old = name.strip_prefix("fetch_and_").or_else(|| name.strip_prefix("fetch_"));
                let new = name.strip_suffix("_and_fetch").or_else(|| name.strip_suffix("_fetch"));
                let old = old.map(|op| (op, Yields::Old));
                let (op, yields) = old.or_else(|| new.map(|op| (op, Yields::New)))?;
                let change = match op {
                    "add" => Change::By(ArithmeticOp::Add),
                    "sub" => Change::By(ArithmeticOp::Subtract),
                    "or" => Change::By(ArithmeticOp::Or),
                    "and" => Change::By(ArithmeticOp::And),
                    "xor" => Change::By(ArithmeticOp::Xor),
                    "nand" => Change::NotAnd,
                    _ => return None,
                };
                Self::Modify(change, yields)
            }
        })
    }
}

/// The object that an operation is about.
#[derive(Clone, Copy)]
struct Object {
    address: VariableId,
    ty: TypeId,
    span: Span,
}

impl Checker<'_> {
    /// A call of an atomic builtin; `None` if the name is none.
    pub(super) fn atomic_builtin(
        &mut self,
        text: &str,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Checked<Option<ExprId>> {
        if !text.starts_with("__sync_") && !text.starts_with("__atomic_") {
            return Ok(None);
        }
        let Some(atomic) = Atomic::named(text) else {
            return unsupported(format!("the builtin function `{text}`"), span);
        };
        if atomic == Atomic::Fence {
            let zero = self.constant(0, self.basic.int, span);
            return Ok(Some(self.raw(ExprKind::Convert(zero), self.basic.void, span)));
        }
        let Some((pointer, values)) = arguments.split_first() else {
            return error(format!("wrong number of arguments of `{text}`"), span);
        };
        let pointer = self.rvalue(*pointer)?;
        let to = self.types().pointee(self.ty(pointer));
        let fits = |to: &TypeId| self.types().is_integer(*to) || self.types().pointee(*to).is_some();
        let Some(ty) = to.filter(fits) else {
            return error(format!("`{text}` needs a pointer to an integer or to a pointer"), span);
        };
        if matches!(atomic, Atomic::Modify(..)) && self.types().pointee(ty).is_some() {
            return unsupported(format!("`{text}` of a pointer"), span);
        }
        let (address, declare) = self.hidden_variable("%address", pointer);
        let object = Object { address, ty, span };
        let count = match atomic {
            Atomic::Load | Atomic::Release | Atomic::Fence => 0,
            Atomic::Store | Atomic::Exchange | Atomic::Modify(..) => 1,
            Atomic::Swap(_) | Atomic::SwapExpected => 2,
        };
        if values.len() < count {
            return error(format!("wrong number of arguments of `{text}`"), span);
        }
        let (values, orders) = values.split_at(count);
        let mut body = vec![declare];
        for order in orders {
            let order = self.rvalue(*order)?;
            if self.int_constant(order).is_none() {
                body.push(self.run(order));
            }
        }
        let result = self.atomic_operation(atomic, object, values, &mut body)?;
        Ok(Some(self.after(body, result)))
    }

    fn atomic_operation(
        &mut self,
        atomic: Atomic,
        object: Object,
        values: &[ast::ExprId],
        body: &mut Vec<StmtId>,
    ) -> Checked<ExprId> {
        let Object { ty, span, .. } = object;
        match atomic {
            Atomic::Fence | Atomic::Load => Ok(self.load_object(object)),
            Atomic::Store | Atomic::Release => {
                let value = match values {
                    [value] => self.atomic_value(*value, ty)?,
                    _ => self.atomic_zero(ty, span),
                };
                let store = self.store_object(object, value);
                Ok(self.raw(ExprKind::Convert(store), self.basic.void, span))
            }
            Atomic::Exchange => {
                let value = self.atomic_value(values[0], ty)?;
                let (value, declare) = self.hidden_variable("%value", value);
                body.push(declare);
                let old = self.old_value(object, body);
                let value = self.load_variable(value, span);
                let store = self.store_object(object, value);
                body.push(self.run(store));
                Ok(self.load_variable(old, span))
            }
            Atomic::Modify(change, yields) => {
                let value = self.atomic_value(values[0], ty)?;
                let (value, declare) = self.hidden_variable("%value", value);
                body.push(declare);
                let old = self.old_value(object, body);
                let new = self.changed(change, (old, value), ty, span);
                let store = self.store_object(object, new);
                if yields == Yields::New {
                    return Ok(store);
                }
                body.push(self.run(store));
                Ok(self.load_variable(old, span))
            }
            Atomic::Swap(yields) => {
                let expected = self.atomic_value(values[0], ty)?;
                let (expected, declare) = self.hidden_variable("%expected", expected);
                let value = self.atomic_value(values[1], ty)?;
                let (value, declare_value) = self.hidden_variable("%value", value);
                body.extend([declare, declare_value]);
                let old = self.old_value(object, body);
                let (is_equal, new) = self.swapped((old, expected, value), ty, span);
                let store = self.store_object(object, new);
                body.push(self.run(store));
                Ok(if yields == Yields::Old { self.load_variable(old, span) } else { is_equal })
            }
            Atomic::SwapExpected => self.swap_expected(object, values, body),
        }
    }

    fn swap_expected(
        &mut self,
        object: Object,
        values: &[ast::ExprId],
        body: &mut Vec<StmtId>,
    ) -> Checked<ExprId> {
        let Object { ty, span, .. } = object;
        let pointer = self.rvalue(values[0])?;
        if self.types().pointee(self.ty(pointer)) != Some(ty) {
            return error("the expected value has another type than the object", self.span(pointer));
        }
        let (address, declare_address) = self.hidden_variable("%at", pointer);
        let there = Object { address, ty, span };
        let expected = self.load_object(there);
        let (expected, declare) = self.hidden_variable("%expected", expected);
        let value = self.atomic_value(values[1], ty)?;
        let (value, declare_value) = self.hidden_variable("%value", value);
        body.extend([declare_address, declare, declare_value]);
        let old = self.old_value(object, body);
        let (is_equal, new) = self.swapped((old, expected, value), ty, span);
        let store = self.store_object(object, new);
        let seen = self.load_variable(old, span);
        let report = self.store_object(there, seen);
        body.extend([self.run(store), self.run(report)]);
        Ok(self.convert(is_equal, self.basic.bool))
    }

    fn atomic_value(&mut self, value: ast::ExprId, ty: TypeId) -> Checked<ExprId> {
        let value = self.rvalue(value)?;
        self.assign(value, ty, Purpose::Argument(2, None))
    }

    fn atomic_zero(&mut self, ty: TypeId, span: Span) -> ExprId {
        let zero = self.constant(0, self.basic.int, span);
        self.convert(zero, ty)
    }

    fn load_object(&mut self, Object { address, ty, span }: Object) -> ExprId {
        let pointer = self.load_variable(address, span);
        let place = self.place(PlaceKind::Deref(pointer), ty, span);
        self.raw(ExprKind::Load(place), ty, span)
    }

    fn store_object(&mut self, Object { address, ty, span }: Object, value: ExprId) -> ExprId {
        let pointer = self.load_variable(address, span);
        let place = self.place(PlaceKind::Deref(pointer), ty, span);
        self.raw(ExprKind::Assign { place, value }, ty, span)
    }

    fn old_value(&mut self, object: Object, body: &mut Vec<StmtId>) -> VariableId {
        let old = self.load_object(object);
        let (before, declare) = self.hidden_variable("%before", old);
        body.push(declare);
        before
    }

    /// Whether the old value is the expected one, and what is stored: the value, or the old one again.
    fn swapped(
        &mut self,
        (old, expected, value): (VariableId, VariableId, VariableId),
        ty: TypeId,
        span: Span,
    ) -> (ExprId, ExprId) {
        let mut is_equal = Vec::new();
        for _ in 0..2 {
            let (left, right) = (self.load_variable(old, span), self.load_variable(expected, span));
            let kind = ExprKind::Compare { op: CompareOp::Equal, left, right };
            is_equal.push(self.raw(kind, self.basic.int, span));
        }
        let (then, otherwise) = (self.load_variable(value, span), self.load_variable(old, span));
        let kind = ExprKind::Conditional { condition: is_equal[0], then, otherwise, question: span };
        (is_equal[1], self.raw(kind, ty, span))
    }

    fn changed(
        &mut self,
        change: Change,
        (old, value): (VariableId, VariableId),
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let unsigned = self.types().int_kind(ty).map_or(IntKind::UnsignedInt, IntKind::to_unsigned);
        let unsigned = self.int_type(unsigned);
        let (old, value) = (self.load_variable(old, span), self.load_variable(value, span));
        let (left, right) = (self.convert(old, unsigned), self.convert(value, unsigned));
        let op = match change {
            Change::By(op) => op,
            Change::NotAnd => ArithmeticOp::And,
        };
        let mut new = self.raw(ExprKind::Arithmetic { op, left, right }, unsigned, span);
        if change == Change::NotAnd {
            new = self.raw(ExprKind::BitNot(new), unsigned, span);
        }
        self.convert(new, ty)
    }
}
