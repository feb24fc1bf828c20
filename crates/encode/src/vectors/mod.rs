//! Machine operations as formulas over bit-vectors: the second logic.
//!
//! A machine value is the vector of its bits, so every integer operation is the operation of the machine, and nothing of it is rounded up. Floating-point numbers are their encodings.
//! Truth values of expressions are boolean terms as long as they are not stored.
//!
//! # Meaning
//! That of [`Encoder`], with bit-vectors in the place of integers: E1 and E2 hold by the sorts of symbols. An array is a map from indices of [`term::INDEX_WIDTH`] bits, two's complement,
//! which is what the interpreter takes an index for.
//!
//! # What is rounded up
//! What the integer encoding rounds up of memory, addresses and calls; `long double` and `__float128`; the result of an operation on two different NaNs, which is one of them.

mod arithmetic;
mod elements;
mod float;
pub(crate) mod sums;

use cfa::{BinaryOp, Expr, ExprId, Length, Storage, Ty, UnaryOp, VarId};
use rustc_hash::FxHashMap;
use term::{BvOp, INDEX_WIDTH, Integer, TermId, Terms};
use values::state::operands_first;

use crate::encoder::Encoder;
use crate::expression::{Coded, Defined};
use crate::origin::Rounding;
use crate::transition::Transition;

pub use float::float_format;

impl Encoder<'_> {
    /// The value of an expression; that it is defined is added to the guard.
    pub(crate) fn vector_expression(&mut self, transition: &mut Transition, root: ExprId) -> Coded {
        let mut done: FxHashMap<ExprId, Defined> = FxHashMap::default();
        for id in operands_first(self.program, [root]) {
            let defined = self.vector_node(transition, id, &done);
            done.insert(id, defined);
        }
        let Defined { value, when } = done[&root];
        self.require(transition, when);
        value
    }

    /// The bits of a value.
    pub(crate) fn as_vector(&mut self, coded: Coded) -> TermId {
        match coded {
            Coded::Int(term) => term,
            Coded::Bool(term) => self.truth_value(term, 1),
        }
    }

    /// Whether a value that is one bit is set.
    pub(crate) fn as_truth(&mut self, coded: Coded) -> TermId {
        match coded {
            Coded::Bool(term) => term,
            Coded::Int(term) => {
                let one = self.terms.bv_number(1, 1);
                self.terms.eq(term, one)
            }
        }
    }

    fn truth_value(&mut self, term: TermId, width: u32) -> TermId {
        let (one, zero) = (self.terms.bv_number(width, 1), self.terms.bv_number(width, 0));
        self.terms.ite(term, one, zero)
    }

    pub(crate) fn width(&self, ty: Ty) -> u32 {
        u32::from(ty.width(self.program.data_model))
    }

    fn vector_node(
        &mut self,
        transition: &mut Transition,
        id: ExprId,
        done: &FxHashMap<ExprId, Defined>,
    ) -> Defined {
        let node = *self.program.exprs.get(id);
        let ty = self.program.exprs.ty(id);
        if let Expr::Ite { cond, then, other } = node {
            return self.vector_choice(&done[&cond], &done[&then], &done[&other], ty);
        }
        let conditions: Vec<TermId> = node.operands().map(|operand| done[&operand].when).collect();
        let value = |operand: ExprId| done[&operand].value;
        let (value, own) = match node {
            Expr::Const { ty: Ty::BOOL, bits } => (Coded::Bool(self.terms.bool(bits != 0)), Terms::TRUE),
            Expr::Const { ty, bits } => {
                let width = self.width(ty);
                (Coded::Int(self.terms.bv_number(width, Integer::from(bits))), Terms::TRUE)
            }
            Expr::Var { var, .. } => (Coded::Int(self.variable(transition, var)), Terms::TRUE),
            Expr::Elem { array, index, .. } => {
                let position = self.as_vector(value(index));
                let inside = self.vector_inside(array, index, position);
                let position = self.position_of(index, position);
                let array = self.variable(transition, array);
                (Coded::Int(self.terms.select(array, position)), inside)
            }
            Expr::Load { .. } | Expr::LoadBits { .. } => {
                (Coded::Int(self.round_up(transition, Rounding::Memory, ty)), Terms::TRUE)
            }
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost => (Coded::Int(self.round_up(transition, Rounding::Memory, ty)), Terms::TRUE),
            Expr::Bounded { index, low, bound } => {
                let position = self.as_vector(value(index));
                (Coded::Int(position), self.vector_between(index, position, low, Some(bound)))
            }
            Expr::Undefined { .. } if ty == Ty::BOOL => (Coded::Bool(Terms::FALSE), Terms::FALSE),
            Expr::Undefined { .. } => {
                let width = self.width(ty);
                (Coded::Int(self.terms.bv_number(width, 0)), Terms::FALSE)
            }
            Expr::Address { var } => self.vector_address(transition, id, var),
            Expr::Function { proc } => {
                let name = self.program.procs[proc].name.clone();
                self.fixed_address(id, &name)
            }
            Expr::Unary { op, arg } => self.vector_unary(op, arg, value(arg), ty),
            Expr::Binary { op, lhs, rhs } => {
                self.vector_binary(transition, op, (lhs, value(lhs)), (rhs, value(rhs)), ty)
            }
            Expr::Cast { arg, .. } => self.vector_cast(transition, arg, value(arg), ty),
            Expr::Ite { .. } => unreachable!("treated above"),
        };
        Defined { value, when: self.terms.and(conditions.into_iter().chain([own])) }
    }

    fn vector_choice(&mut self, cond: &Defined, then: &Defined, other: &Defined, ty: Ty) -> Defined {
        let holds = self.as_truth(cond.value);
        let branches = self.terms.ite(holds, then.when, other.when);
        let when = self.terms.and([cond.when, branches]);
        // A branch that is never defined has no say in the value.
        if then.when == Terms::FALSE || other.when == Terms::FALSE {
            let value = if then.when == Terms::FALSE { other.value } else { then.value };
            return Defined { value, when };
        }
        let value = if ty == Ty::BOOL {
            let (then, other) = (self.as_truth(then.value), self.as_truth(other.value));
            Coded::Bool(self.terms.ite(holds, then, other))
        } else {
            let (then, other) = (self.as_vector(then.value), self.as_vector(other.value));
            Coded::Int(self.terms.ite(holds, then, other))
        };
        Defined { value, when }
    }

    /// The address of an object, and when it is defined.
    fn vector_address(&mut self, transition: &mut Transition, id: ExprId, var: VarId) -> (Coded, TermId) {
        if self.program.vars[var].owner.is_none() {
            let name = self.program.vars[var].name.clone();
            return self.fixed_address(id, &name);
        }
        // A local object has a new address in every lifetime, so no one symbol stands for it.
        let address = self.round_up(transition, Rounding::LocalAddress, Ty::Ptr);
        (Coded::Int(address), self.is_not_zero(address))
    }

    fn fixed_address(&mut self, id: ExprId, name: &str) -> (Coded, TermId) {
        let address = self.vocabulary.address(self.program, self.terms, id, name);
        (Coded::Int(address), self.is_not_zero(address))
    }

    pub(crate) fn is_not_zero(&mut self, vector: TermId) -> TermId {
        let width = self.terms.bit_width(vector);
        let zero = self.terms.bv_number(width, 0);
        self.terms.ne(vector, zero)
    }

    /// An index as arrays have it.
    pub(crate) fn position_of(&mut self, index: ExprId, vector: TermId) -> TermId {
        self.resized(vector, self.program.exprs.ty(index), INDEX_WIDTH)
    }

    /// A vector of a type, in another width: the same value modulo a power of two.
    pub(crate) fn resized(&mut self, vector: TermId, from: Ty, width: u32) -> TermId {
        let own = self.terms.bit_width(vector);
        match own.cmp(&width) {
            std::cmp::Ordering::Equal => vector,
            std::cmp::Ordering::Greater => {
                self.terms.bv(BvOp::Extract { high: width - 1, low: 0 }, &[vector])
            }
            std::cmp::Ordering::Less if from.is_signed() => {
                self.terms.bv(BvOp::SignExtend(width - own), &[vector])
            }
            std::cmp::Ordering::Less => self.terms.bv(BvOp::ZeroExtend(width - own), &[vector]),
        }
    }

    /// That an index, which is a vector of its type, is one of an array.
    pub(crate) fn vector_inside(&mut self, array: VarId, index: ExprId, vector: TermId) -> TermId {
        let Storage::Array { length, .. } = self.program.vars[array].storage else { return Terms::TRUE };
        match length {
            Length::Unbounded => Terms::TRUE,
            Length::Fixed(length) => self.vector_between(index, vector, 0, Some(length)),
            // A dynamic length is not part of the state: beyond the end is considered too, which only adds executions.
            Length::Dynamic => self.vector_between(index, vector, 0, None),
        }
    }

    /// That an integer is at least a number and below a bound, if there is one; what the analysis knows already is left out.
    fn vector_between(&mut self, index: ExprId, vector: TermId, low: i64, bound: Option<u64>) -> TermId {
        let known = self.known(index);
        let mut conditions = Vec::new();
        // A sign bit more than both sides need, so that the comparison is that of numbers.
        let width = self.terms.bit_width(vector).max(64) + 1;
        let number = self.resized(vector, self.program.exprs.ty(index), width);
        if known.is_none_or(|range| range.low() < i128::from(low)) {
            let low = self.terms.bv_number(width, low);
            conditions.push(self.terms.bv(BvOp::Sle, &[low, number]));
        }
        if let Some(bound) = bound
            && known.is_none_or(|range| range.high() >= i128::from(bound))
        {
            let bound = self.terms.bv_number(width, bound);
            conditions.push(self.terms.bv(BvOp::Slt, &[number, bound]));
        }
        self.terms.and(conditions)
    }

    fn vector_unary(&mut self, op: UnaryOp, arg: ExprId, value: Coded, ty: Ty) -> (Coded, TermId) {
        match (op, ty) {
            (UnaryOp::Not, Ty::BOOL) => {
                let term = self.as_truth(value);
                (Coded::Bool(self.terms.not(term)), Terms::TRUE)
            }
            (UnaryOp::Not, _) => {
                let vector = self.as_vector(value);
                (Coded::Int(self.terms.bv(BvOp::Not, &[vector])), Terms::TRUE)
            }
            (UnaryOp::Neg, Ty::Float(_)) => {
                let (vector, width) = (self.as_vector(value), self.width(ty));
                let sign = self.terms.bv_number(width, Integer::power_of_two(width - 1));
                (Coded::Int(self.terms.bv(BvOp::Xor, &[vector, sign])), Terms::TRUE)
            }
            (UnaryOp::Neg, _) => {
                let vector = self.as_vector(value);
                (Coded::Int(self.terms.bv(BvOp::Neg, &[vector])), self.negation_fits(arg, vector, ty))
            }
        }
    }

    fn vector_cast(
        &mut self,
        transition: &mut Transition,
        arg: ExprId,
        value: Coded,
        ty: Ty,
    ) -> (Coded, TermId) {
        let from = self.program.exprs.ty(arg);
        match (value, ty) {
            _ if from.is_float() || ty.is_float() => {
                let vector = self.as_vector(value);
                self.float_cast(transition, vector, from, ty)
            }
            (Coded::Bool(_), Ty::Int { width: 1, .. }) => (value, Terms::TRUE),
            (Coded::Bool(term), _) => {
                let width = self.width(ty);
                (Coded::Int(self.truth_value(term, width)), Terms::TRUE)
            }
            (Coded::Int(vector), _) => {
                let width = self.width(ty);
                (Coded::Int(self.resized(vector, from, width)), Terms::TRUE)
            }
        }
    }

    fn vector_binary(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, Coded),
        (rhs, right): (ExprId, Coded),
        ty: Ty,
    ) -> (Coded, TermId) {
        let operands = self.program.exprs.ty(lhs);
        if operands == Ty::BOOL
            && let Some(result) = self.vector_connective(op, left, right)
        {
            return (Coded::Bool(result), Terms::TRUE);
        }
        let (left, right) = (self.as_vector(left), self.as_vector(right));
        if let Ty::Float(kind) = operands {
            return self.float_binary(transition, op, kind, (left, right), ty);
        }
        let compared = |less: BvOp, signed_less: BvOp| if operands.is_signed() { signed_less } else { less };
        match op {
            BinaryOp::Eq => (Coded::Bool(self.terms.eq(left, right)), Terms::TRUE),
            BinaryOp::Ne => (Coded::Bool(self.terms.ne(left, right)), Terms::TRUE),
            BinaryOp::Lt => {
                (Coded::Bool(self.terms.bv(compared(BvOp::Ult, BvOp::Slt), &[left, right])), Terms::TRUE)
            }
            BinaryOp::Le => {
                (Coded::Bool(self.terms.bv(compared(BvOp::Ule, BvOp::Sle), &[left, right])), Terms::TRUE)
            }
            BinaryOp::And => (Coded::Int(self.terms.bv(BvOp::And, &[left, right])), Terms::TRUE),
            BinaryOp::Or => (Coded::Int(self.terms.bv(BvOp::Or, &[left, right])), Terms::TRUE),
            BinaryOp::Xor => (Coded::Int(self.terms.bv(BvOp::Xor, &[left, right])), Terms::TRUE),
            BinaryOp::Shl | BinaryOp::Shr => self.vector_shift(op, left, (rhs, right), ty),
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub => self.vector_arithmetic(op, (lhs, left), (rhs, right), ty),
        }
    }

    /// Operations on truth values that are connectives; nothing for others.
    fn vector_connective(&mut self, op: BinaryOp, left: Coded, right: Coded) -> Option<TermId> {
        let (a, b) = (self.as_truth(left), self.as_truth(right));
        Some(match op {
            BinaryOp::And => self.terms.and([a, b]),
            BinaryOp::Or => self.terms.or([a, b]),
            BinaryOp::Eq => self.terms.iff(a, b),
            BinaryOp::Ne | BinaryOp::Xor => {
                let same = self.terms.iff(a, b);
                self.terms.not(same)
            }
            BinaryOp::Lt => {
                let not_a = self.terms.not(a);
                self.terms.and([not_a, b])
            }
            BinaryOp::Le => self.terms.implies(a, b),
            _ => return None,
        })
    }
}
