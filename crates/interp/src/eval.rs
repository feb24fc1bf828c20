//! Evaluation of single expressions: the definition that compiled code is tested against.
//!
//! # Invariants
//! * V1: an expression is evaluated at most once, whatever shares it, and only if its value is needed.
//! * V2: no recursion: expressions may be deep.

use std::fmt;

use rustc_hash::FxHashMap;

use super::float;
use super::ops::{self, Rules};
use super::outcome::{Fault, UndefinedKind};
use super::value::Value;
use cfa::expr::{Access, AddressTest, BinaryOp, Expr, ExprId, UnaryOp};
use cfa::program::{ProcId, Program, VarId};
use cfa::ty::{DataModel, Ty};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// It is undefined.
    Undefined {
        /// Why.
        kind: UndefinedKind,
        /// The operands, for people.
        detail: String,
    },
    /// It reads a variable that has no value.
    NoValue(VarId),
    /// It reads an array or memory, or takes an address.
    NeedsMemory,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined { kind, detail } => write!(f, "{kind}: {detail}"),
            Self::NoValue(var) => write!(f, "{var} has no value"),
            Self::NeedsMemory => f.write_str("the expression depends on memory"),
        }
    }
}

impl std::error::Error for EvalError {}

/// The value of an expression over scalar variables.
pub fn eval(
    program: &Program,
    expr: ExprId,
    valuation: &dyn Fn(VarId) -> Option<Value>,
) -> Result<Value, EvalError> {
    struct Scalars<'a>(&'a dyn Fn(VarId) -> Option<Value>);
    impl Env for Scalars<'_> {
        type Error = EvalError;
        fn var(&mut self, var: VarId, _: Ty) -> Result<u128, EvalError> {
            (self.0)(var).map(|value| value.bits).ok_or(EvalError::NoValue(var))
        }
        fn elem(&mut self, _: VarId, _: i128, _: Ty) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn load(&mut self, _: u64, _: Ty) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn load_bits(&mut self, _: u64, _: u8, _: Ty) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn accessible(&mut self, _: u64, _: u64, _: Access) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn freeable(&mut self, _: u64) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn test(&mut self, _: AddressTest, _: u64) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn initialised(&mut self, _: u64, _: Option<u8>, _: Ty) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn lost(&mut self) -> Result<u128, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn address(&mut self, _: VarId) -> Result<u64, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn function(&mut self, _: ProcId) -> Result<u64, EvalError> {
            Err(EvalError::NeedsMemory)
        }
        fn pointer(&mut self, address: u64) -> u64 {
            address
        }
        fn undefined(kind: UndefinedKind, detail: String) -> EvalError {
            EvalError::Undefined { kind, detail }
        }
    }
    let bits = evaluate(program, expr, &mut Scalars(valuation))?;
    Ok(Value { ty: program.exprs.ty(expr), bits })
}

/// What an expression reads. Pointers are in the form of registers.
pub(crate) trait Env {
    type Error;
    fn var(&mut self, var: VarId, ty: Ty) -> Result<u128, Self::Error>;
    fn elem(&mut self, array: VarId, index: i128, ty: Ty) -> Result<u128, Self::Error>;
    fn load(&mut self, addr: u64, ty: Ty) -> Result<u128, Self::Error>;
    fn load_bits(&mut self, addr: u64, bit: u8, ty: Ty) -> Result<u128, Self::Error>;
    fn accessible(&mut self, addr: u64, length: u64, access: Access) -> Result<u128, Self::Error>;
    fn freeable(&mut self, addr: u64) -> Result<u128, Self::Error>;
    fn test(&mut self, test: AddressTest, addr: u64) -> Result<u128, Self::Error>;
    fn initialised(&mut self, addr: u64, bit: Option<u8>, ty: Ty) -> Result<u128, Self::Error>;
    fn lost(&mut self) -> Result<u128, Self::Error>;
    fn address(&mut self, var: VarId) -> Result<u64, Self::Error>;
    fn function(&mut self, proc: ProcId) -> Result<u64, Self::Error>;
    fn pointer(&mut self, address: u64) -> u64;
    /// A pointer of LP64 plus an offset.
    fn pointer_add(&mut self, pointer: u64, amount: u64) -> Result<u64, Self::Error> {
        Ok(pointer.wrapping_add(amount))
    }
    fn undefined(kind: UndefinedKind, detail: String) -> Self::Error;
    /// What the error is about.
    fn failed(&mut self, _: ExprId) {}
}

/// The bits of an expression's value.
pub(crate) fn evaluate<E: Env>(program: &Program, root: ExprId, env: &mut E) -> Result<u128, E::Error> {
    let mut values: FxHashMap<ExprId, u128> = FxHashMap::default();
    let mut stack = vec![root];
    while let Some(&expr) = stack.last() {
        if values.contains_key(&expr) {
            stack.pop();
            continue;
        }
        let node = program.exprs.get(expr);
        let needed = match *node {
            Expr::Ite { cond, then, other } => match values.get(&cond) {
                None => Some(cond),
                Some(0) => (!values.contains_key(&other)).then_some(other),
                Some(_) => (!values.contains_key(&then)).then_some(then),
            },
            _ => node.operands().find(|operand| !values.contains_key(operand)),
        };
        if let Some(operand) = needed {
            stack.push(operand);
            continue;
        }
        let value = apply(program, expr, &values, env).inspect_err(|_| env.failed(expr))?;
        values.insert(expr, value);
        stack.pop();
    }
    Ok(values[&root])
}

fn apply<E: Env>(
    program: &Program,
    expr: ExprId,
    values: &FxHashMap<ExprId, u128>,
    env: &mut E,
) -> Result<u128, E::Error> {
    let exprs = &program.exprs;
    let rules = Rules { model: program.data_model, overflow: program.signed_overflow };
    match *exprs.get(expr) {
        Expr::Const { bits, .. } => Ok(bits),
        Expr::Var { var, ty } => env.var(var, ty),
        Expr::Elem { array, index, ty } => env.elem(array, whole_index(exprs.ty(index), values[&index]), ty),
        Expr::Load { addr, ty } => env.load(values[&addr] as u64, ty),
        Expr::LoadBits { addr, bit, ty } => env.load_bits(values[&addr] as u64, bit, ty),
        Expr::Address { var } => env.address(var).map(u128::from),
        Expr::Function { proc } => env.function(proc).map(u128::from),
        Expr::Accessible { addr, length, access } => {
            let length = exprs.ty(length).value_of(values[&length]);
            env.accessible(values[&addr] as u64, u64::try_from(length).unwrap_or(u64::MAX), access)
        }
        Expr::Freeable { addr } => env.freeable(values[&addr] as u64),
        Expr::Test { test, addr } => env.test(test, values[&addr] as u64),
        Expr::Initialised { addr, bit, ty } => env.initialised(values[&addr] as u64, bit, ty),
        Expr::Lost => env.lost(),
        Expr::Bounded { index, low, bound } => {
            let value = whole_index(exprs.ty(index), values[&index]);
            bounded::<E>(value, low, bound).map(|()| values[&index])
        }
        Expr::Undefined { .. } => Err(E::undefined(UndefinedKind::BadAddress, String::new())),
        Expr::Unary { op, arg } => {
            let (ty, bits) = (exprs.ty(arg), values[&arg]);
            let result = match (op, ty) {
                (UnaryOp::Neg, Ty::Int { .. }) => ops::binary(rules, BinaryOp::Sub, (ty, ty), 0, bits),
                (UnaryOp::Neg, Ty::Float(kind)) => Ok(bits ^ (1 << float::sign_bit(kind))),
                (UnaryOp::Not, Ty::Int { .. }) => Ok(ty.bits_of(!bits as i128)),
                (_, Ty::Ptr) | (UnaryOp::Not, Ty::Float(_)) => Ok(bits),
            };
            result.map_err(|kind| E::undefined(kind, format!("-{}", Value { ty, bits })))
        }
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } if rules.model == DataModel::Lp64 => {
            env.pointer_add(values[&lhs] as u64, values[&rhs] as u64).map(u128::from)
        }
        Expr::Binary { op, lhs, rhs } => {
            let types = (exprs.ty(lhs), exprs.ty(rhs));
            let (a, b) = (values[&lhs], values[&rhs]);
            ops::binary(rules, op, types, a, b).map_err(|kind| E::undefined(kind, describe(op, types, a, b)))
        }
        Expr::Cast { ty, arg } => {
            let (from, bits) = (exprs.ty(arg), values[&arg]);
            let result = ops::cast(rules.model, from, ty, bits)
                .map_err(|kind| E::undefined(kind, format!("{} as {ty}", Value { ty: from, bits })))?;
            let made = ty == Ty::Ptr && from != Ty::Ptr && rules.model == DataModel::Ilp32;
            Ok(if made { u128::from(env.pointer(result as u64)) } else { result })
        }
        Expr::Ite { cond, then, other } => Ok(values[if values[&cond] != 0 { &then } else { &other }]),
    }
}

/// Whether an index is within its bounds.
fn bounded<E: Env>(value: i128, low: i64, bound: u64) -> Result<(), E::Error> {
    if (i128::from(low)..i128::from(bound)).contains(&value) {
        return Ok(());
    }
    let (kind, detail) = beyond(value, low, bound);
    Err(E::undefined(kind, detail))
}

/// An index as one of 64 bits; what is negative or too large is beyond the end of every array.
pub(crate) fn narrow_index(ty: Ty, bits: u128) -> u64 {
    u64::try_from(whole_index(ty, bits)).unwrap_or(u64::MAX)
}

/// An index that is outside an array, for people.
pub(crate) fn beyond(index: i128, low: i64, bound: u64) -> (UndefinedKind, String) {
    if low == 0 {
        (UndefinedKind::ArrayBounds, format!("index {index} of an array with {bound} elements"))
    } else {
        (UndefinedKind::OutOfBounds, format!("a pointer is moved by {index} elements"))
    }
}

/// An index as a number; one that does not fit is the greatest.
pub(crate) fn whole_index(ty: Ty, bits: u128) -> i128 {
    let index = ty.value_of(bits);
    let unsigned_overflow = !ty.is_signed() && index < 0;
    if unsigned_overflow { i128::MAX } else { index }
}

/// An operation on values, for people.
pub(crate) fn describe(op: BinaryOp, (ty, rhs_ty): (Ty, Ty), a: u128, b: u128) -> String {
    let sign = match op {
        BinaryOp::Add | BinaryOp::PtrAdd => "+",
        BinaryOp::Sub | BinaryOp::PtrSub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
    };
    let operation = format!("{} {sign} {}", Value { ty, bits: a }, Value { ty: rhs_ty, bits: b });
    match ty {
        Ty::Int { width, signed } if b != 0 || !matches!(op, BinaryOp::Div | BinaryOp::Rem) => {
            let kind = if signed { "a signed" } else { "an unsigned" };
            format!("{operation} in {kind} integer of {width} bits")
        }
        Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => operation,
    }
}

/// The fault of an undefined operation.
pub(crate) fn fault(kind: UndefinedKind, op: BinaryOp, types: (Ty, Ty), a: u128, b: u128) -> Fault {
    Fault::undefined(kind, describe(op, types, a, b))
}
