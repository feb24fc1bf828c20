//! What is known about all variables at one location, and how operations change it.
//!
//! # Invariants
//! * S1: the state includes every concrete state that reaches its location: every rule rounds up. A variable without entry may have any
//!   value of its type.
//! * S2: an operation that is undefined in every state, or assumes what never holds, leaves no state.

use base::PersistentMap;
use cfa::{
    BinaryOp, Expr, ExprId, InitKind, Op, Place, Program, SignedOverflow, Storage, Ty, UnaryOp, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arithmetic::{at_least, at_most, binary, cast, reduce, unary, without};
use crate::value::Value;

/// What an expression may evaluate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstract {
    /// Undefined in every state.
    Never,
    /// One of these integers.
    Known(Value),
    /// Any value of the type.
    Unknown,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It does.
    Holds,
    /// It does not.
    Fails,
}

impl Truth {
    /// That of the negation.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }
    /// What the condition evaluates to.
    fn value(self) -> i128 {
        match self {
            Self::Holds => 1,
            Self::Fails => 0,
        }
    }
}

/// Intervals and congruences of scalar variables, and of all elements together of array variables.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct State {
    known: PersistentMap<VarId, Value>,
}

/// How deep disjunctions in conditions are followed on both sides.
const DISJUNCTION_DEPTH: u32 = 3;

/// The widest integers whose values are followed: sums of them fit the bounds of a [`Value`].
pub(crate) const MAX_WIDTH: u8 = 100;

/// The values of a type, if they fit the analysis.
pub fn type_range(ty: Ty) -> Option<Value> {
    match ty {
        Ty::Int { width, .. } if width <= MAX_WIDTH => {
            let (low, high) = ty.range()?;
            Value::range(low, high)
        }
        Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => None,
    }
}

fn element_type(program: &Program, var: VarId) -> Option<Ty> {
    match program.vars[var].storage {
        Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => Some(ty),
        Storage::Object { .. } => None,
    }
}

impl State {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state with what is known of the given variables only, ascending.
    #[must_use]
    pub fn restricted_to(&self, vars: &[VarId]) -> Self {
        let mut restricted = self.clone();
        restricted.known.retain(|var| vars.binary_search(&var).is_ok());
        restricted
    }
    /// Claims to know that the values of a variable are among these. It is the caller's to justify that.
    pub fn claim(&mut self, var: VarId, value: Value) {
        self.known.insert(var, value);
    }
    /// Knows nothing of a variable any more.
    pub fn forget(&mut self, var: VarId) {
        self.known.remove(var);
    }
    /// What is known of a variable beyond its type.
    pub fn get(&self, var: VarId) -> Option<Value> {
        self.known.get(var).copied()
    }
    /// All variables of which something is known.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, Value)> + '_ {
        self.known.iter().map(|(var, value)| (var, *value))
    }
    /// The possible values of a variable.
    pub fn value(&self, program: &Program, var: VarId) -> Option<Value> {
        self.get(var).or_else(|| type_range(element_type(program, var)?))
    }
    fn set(&mut self, program: &Program, var: VarId, value: Abstract) {
        match value {
            Abstract::Known(value) if element_type(program, var).and_then(type_range) != Some(value) => {
                self.known.insert(var, value);
            }
            Abstract::Known(_) | Abstract::Unknown | Abstract::Never => {
                self.known.remove(var);
            }
        }
    }
    /// The smallest state that includes both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self { known: self.known.intersection(&other.known, |_, mine, theirs| Some(mine.join(*theirs))) }
    }
    /// Whether all of `other` is included.
    pub fn includes(&self, other: &Self) -> bool {
        self.known.is_matched_by(&other.known, |mine, theirs| mine.includes(*theirs))
    }
    /// Joined with `previous`, growing bounds moved to thresholds of each variable; what grows beyond its type is dropped.
    #[must_use]
    pub fn widened<'t>(
        &self,
        previous: &Self,
        program: &Program,
        thresholds: impl Fn(VarId) -> &'t [i128],
    ) -> Self {
        let grown = |var, value: &Value, before: &Value| {
            let range = element_type(program, var).and_then(type_range)?;
            value.widened(*before, thresholds(var)).meet(range).filter(|grown| *grown != range)
        };
        Self { known: self.known.intersection(&previous.known, grown) }
    }

    /// The values of an expression.
    pub fn eval(&self, program: &Program, root: ExprId) -> Abstract {
        let node = *program.exprs.get(root);
        let is_leaf = |id: ExprId| program.exprs.get(id).operands().next().is_none();
        if !node.operands().all(is_leaf) {
            return self.eval_below(program, [root])[&root];
        }
        // Most expressions that are asked for: no table is needed.
        let leaf = |id| self.eval_node(program, id, &|_| Abstract::Unknown);
        self.eval_node(program, root, &leaf)
    }

    /// The values of all expressions below those that an operation evaluates.
    pub fn eval_all(&self, program: &Program, op: &Op) -> FxHashMap<ExprId, Abstract> {
        self.eval_below(program, op.exprs())
    }

    fn eval_below(
        &self,
        program: &Program,
        roots: impl IntoIterator<Item = ExprId>,
    ) -> FxHashMap<ExprId, Abstract> {
        let mut values: FxHashMap<ExprId, Abstract> = FxHashMap::default();
        for id in operands_first(program, roots) {
            let value = self.eval_node(program, id, &|operand| values[&operand]);
            values.insert(id, value);
        }
        values
    }

    /// The value of an expression from those of its operands.
    fn eval_node(&self, program: &Program, id: ExprId, values: &impl Fn(ExprId) -> Abstract) -> Abstract {
        let node = *program.exprs.get(id);
        let ty = program.exprs.ty(id);
        if !matches!(node, Expr::Ite { .. })
            && node.operands().any(|operand| values(operand) == Abstract::Never)
        {
            return Abstract::Never;
        }
        let known = |operand: ExprId| match values(operand) {
            Abstract::Known(value) => Some(value),
            Abstract::Unknown | Abstract::Never => type_range(program.exprs.ty(operand)),
        };
        let result = match node {
            Expr::Const { ty, bits } if type_range(ty).is_some() => Some(Value::constant(ty.value_of(bits))),
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => self.value(program, var),
            Expr::Undefined { .. } => return Abstract::Never,
            Expr::Bounded { index, low, bound } => {
                let inside = Value::range(i128::from(low), i128::from(bound) - 1);
                match (known(index), inside) {
                    (_, None) => return Abstract::Never,
                    (None, Some(inside)) => Some(inside),
                    (Some(value), Some(inside)) => match value.meet(inside) {
                        Some(value) => Some(value),
                        None => return Abstract::Never,
                    },
                }
            }
            Expr::Const { .. }
            | Expr::Load { .. }
            | Expr::LoadBits { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Address { .. }
            | Expr::Function { .. } => None,
            Expr::Unary { op, arg } => {
                known(arg).and_then(|value| reduce(program, unary(op, value, ty)?, ty))
            }
            Expr::Cast { arg, .. } => known(arg).and_then(|value| cast(value, ty)),
            Expr::Binary { op, lhs, rhs } => match (known(lhs), known(rhs)) {
                (Some(left), Some(right)) => match binary(program, op, left, right, ty) {
                    Some(Abstract::Never) => return Abstract::Never,
                    Some(Abstract::Known(value)) => Some(value),
                    Some(Abstract::Unknown) | None => None,
                },
                _ => None,
            },
            Expr::Ite { cond, then, other } => {
                return self.eval_ite(values(cond), values(then), values(other), ty);
            }
        };
        match result.or_else(|| type_range(ty)) {
            Some(value) => Abstract::Known(value),
            None => Abstract::Unknown,
        }
    }

    #[allow(clippy::unused_self)] // one of the evaluation rules
    fn eval_ite(&self, cond: Abstract, then: Abstract, other: Abstract, ty: Ty) -> Abstract {
        let (may_hold, may_fail) = match cond {
            Abstract::Never => return Abstract::Never,
            Abstract::Known(value) => (value.contains(1), value.contains(0)),
            Abstract::Unknown => (true, true),
        };
        match (may_hold.then_some(then), may_fail.then_some(other)) {
            (Some(only), None | Some(Abstract::Never)) | (None | Some(Abstract::Never), Some(only)) => only,
            (Some(Abstract::Known(a)), Some(Abstract::Known(b))) => Abstract::Known(a.join(b)),
            (Some(_), Some(_)) | (None, None) => type_range(ty).map_or(Abstract::Unknown, Abstract::Known),
        }
    }

    /// Keeps the states in which the condition has the given truth; false if there are none.
    #[must_use]
    pub fn assume(&mut self, program: &Program, cond: ExprId, truth: Truth) -> bool {
        self.assume_within(program, cond, truth, DISJUNCTION_DEPTH)
    }

    fn assume_within(&mut self, program: &Program, cond: ExprId, truth: Truth, depth: u32) -> bool {
        let mut pending = vec![(cond, truth)];
        while let Some((cond, truth)) = pending.pop() {
            if self.excludes(program, cond, truth) {
                return false;
            }
            match *program.exprs.get(cond) {
                Expr::Unary { op: UnaryOp::Not, arg } => pending.push((arg, truth.opposite())),
                Expr::Binary { op: BinaryOp::And, lhs, rhs } if truth == Truth::Holds => {
                    pending.extend([(rhs, truth), (lhs, truth)]);
                }
                Expr::Binary { op: BinaryOp::Or, lhs, rhs } if truth == Truth::Fails => {
                    pending.extend([(rhs, truth), (lhs, truth)]);
                }
                Expr::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs } if depth > 0 => {
                    if !self.assume_either(program, [&[(lhs, truth)], &[(rhs, truth)]], depth - 1) {
                        return false;
                    }
                }
                // C's && and ||: one branch is a constant, or both are tried.
                Expr::Ite { cond, then, other } => {
                    let first = [(cond, Truth::Holds), (then, truth)];
                    let second = [(cond, Truth::Fails), (other, truth)];
                    if self.excludes(program, other, truth) {
                        pending.extend(first.into_iter().rev());
                    } else if self.excludes(program, then, truth) {
                        pending.extend(second.into_iter().rev());
                    } else if depth > 0 && !self.assume_either(program, [&first, &second], depth - 1) {
                        return false;
                    }
                }
                Expr::Binary { op, lhs, rhs } if op.is_comparison() => {
                    if !self.assume_comparison(program, op, lhs, rhs, truth) {
                        return false;
                    }
                }
                _ => {
                    if !self.refine(program, cond, Value::constant(truth.value())) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether a condition cannot have the given truth.
    fn excludes(&self, program: &Program, cond: ExprId, truth: Truth) -> bool {
        match self.eval(program, cond) {
            Abstract::Never => true,
            Abstract::Known(value) => !value.contains(truth.value()),
            Abstract::Unknown => false,
        }
    }

    /// Keeps the states of which all conditions of one of the two lists hold; false if there are none.
    fn assume_either(
        &mut self,
        program: &Program,
        alternatives: [&[(ExprId, Truth)]; 2],
        depth: u32,
    ) -> bool {
        let kept = alternatives.into_iter().filter_map(|conditions| {
            let mut state = self.clone();
            let holds = |(cond, truth): &(ExprId, Truth)| state.assume_within(program, *cond, *truth, depth);
            conditions.iter().all(holds).then_some(state)
        });
        match kept.reduce(|left, right| left.join(&right)) {
            Some(joined) => {
                *self = joined;
                true
            }
            None => false,
        }
    }

    fn assume_comparison(
        &mut self,
        program: &Program,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        truth: Truth,
    ) -> bool {
        let (Abstract::Known(left), Abstract::Known(right)) =
            (self.eval(program, lhs), self.eval(program, rhs))
        else {
            return true;
        };
        let (left_part, right_part) = match (op, truth) {
            (BinaryOp::Eq, Truth::Holds) | (BinaryOp::Ne, Truth::Fails) => (Some(right), Some(left)),
            (BinaryOp::Eq, Truth::Fails) | (BinaryOp::Ne, Truth::Holds) => {
                (without(left, right), without(right, left))
            }
            (BinaryOp::Lt, Truth::Holds) => {
                (at_most(left, right.high() - 1), at_least(right, left.low() + 1))
            }
            (BinaryOp::Lt, Truth::Fails) => (at_least(left, right.low()), at_most(right, left.high())),
            (BinaryOp::Le, Truth::Holds) => (at_most(left, right.high()), at_least(right, left.low())),
            (BinaryOp::Le, Truth::Fails) => {
                (at_least(left, right.low() + 1), at_most(right, left.high() - 1))
            }
            _ => (Some(left), Some(right)),
        };
        match (left_part, right_part) {
            (Some(left), Some(right)) => self.refine(program, lhs, left) && self.refine(program, rhs, right),
            _ => false,
        }
    }

    /// Uses that an expression lies in `value`; false if no state is left.
    fn refine(&mut self, program: &Program, expr: ExprId, value: Value) -> bool {
        let (mut expr, mut value) = (expr, value);
        loop {
            let Abstract::Known(current) = self.eval(program, expr) else { return true };
            let Some(met) = current.meet(value) else { return false };
            value = met;
            match *program.exprs.get(expr) {
                Expr::Var { var, .. } => {
                    self.set(program, var, Abstract::Known(value));
                    return true;
                }
                Expr::Bounded { index, .. } => expr = index,
                Expr::Cast { ty, arg } => {
                    let (Abstract::Known(inner), Some(range)) = (self.eval(program, arg), type_range(ty))
                    else {
                        return true;
                    };
                    if !range.includes(inner) {
                        return true;
                    }
                    expr = arg;
                }
                Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } => {
                    let (Abstract::Known(left), Abstract::Known(right)) =
                        (self.eval(program, lhs), self.eval(program, rhs))
                    else {
                        return true;
                    };
                    let Some(offset) = right.as_constant() else { return true };
                    let offset = if op == BinaryOp::Add { offset } else { -offset };
                    let moved = Value::constant(offset).plus(left);
                    let range = type_range(program.exprs.ty(expr));
                    let (Some(moved), Some(range)) = (moved, range) else { return true };
                    if !range.includes(moved)
                        && program.exprs.ty(expr).is_signed()
                        && program.signed_overflow == SignedOverflow::Wrap
                        || !range.includes(moved) && !program.exprs.ty(expr).is_signed()
                    {
                        return true; // the sum may have wrapped
                    }
                    let Some(back) = Value::constant(-offset).plus(value) else { return true };
                    value = back;
                    expr = lhs;
                }
                _ => return true,
            }
        }
    }

    /// The state after an operation; false if there is none.
    #[must_use]
    pub fn execute(&mut self, program: &Program, op: &Op) -> bool {
        match op {
            Op::Assign { place, value } => {
                let value = self.eval(program, *value);
                if value == Abstract::Never {
                    return false;
                }
                self.write(program, *place, value);
            }
            Op::Assume { cond } => return self.assume(program, *cond, Truth::Holds),
            Op::Havoc { place, .. } | Op::Malloc { place, .. } | Op::Realloc { place, .. } => {
                self.write(program, *place, Abstract::Unknown);
            }
            Op::Init { var, contents } => {
                let zero = Abstract::Known(Value::constant(0));
                let integers = element_type(program, *var).and_then(type_range).is_some();
                let value = if integers && *contents == InitKind::Zero { zero } else { Abstract::Unknown };
                self.set(program, *var, value);
            }
            Op::Allocate { var, .. } => self.set(program, *var, Abstract::Unknown),
            Op::Call { results, .. } => {
                self.known.retain(|var| program.vars[var].owner.is_some());
                for place in results.iter().flatten() {
                    self.write(program, *place, Abstract::Unknown);
                }
            }
            Op::Output { result, .. } => {
                if let Some(place) = result {
                    self.write(program, *place, Abstract::Unknown);
                }
            }
            Op::CopyElems { to, from, .. } => {
                let copied = self.get(*from).map_or(Abstract::Unknown, Abstract::Known);
                self.write_element(program, *to, copied);
            }
            Op::FillElems { to, value, .. } => {
                let value = self.eval(program, *value);
                if value == Abstract::Never {
                    return false;
                }
                self.write_element(program, *to, value);
            }
            Op::Begin { .. }
            | Op::End { .. }
            | Op::Free { .. }
            | Op::Release { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Forget { .. }
            | Op::Write { .. } => {}
            Op::Halt { .. } => return false,
        }
        true
    }

    /// Some elements of an array get a value.
    fn write_element(&mut self, program: &Program, array: VarId, value: Abstract) {
        let joined = match (self.get(array), value) {
            (Some(old), Abstract::Known(new)) => Abstract::Known(old.join(new)),
            _ => Abstract::Unknown,
        };
        self.set(program, array, joined);
    }

    fn write(&mut self, program: &Program, place: Place, value: Abstract) {
        match place {
            Place::Var(var) => self.set(program, var, value),
            Place::Elem { array, .. } => self.write_element(program, array, value),
            Place::Mem { .. } | Place::Bits { .. } => {}
        }
    }
}

/// The expressions below the roots, operands first.
pub fn operands_first(program: &Program, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut pending: Vec<ExprId> = roots.into_iter().collect();
    while let Some(id) = pending.pop() {
        if seen.insert(id) {
            order.push(id);
            pending.extend(program.exprs.get(id).operands());
        }
    }
    order.sort_unstable();
    order
}
