//! Bitwise operations and shifts in integer arithmetic.
//!
//! With a constant operand everything is exact: the bits `a..b` of x are `(x div 2^a) mod 2^(b-a)`, for negative x too, because division
//! rounds down. Other operations that have an exact form: [`crate::bit_forms`]. The rest is rounded up.

use std::collections::BTreeSet;

use cfa::{BinaryOp, ExprId, Ty};
use rustc_hash::FxHashMap;
use term::{Integer, TermId, Terms};

use crate::encoder::Encoder;
use crate::expression::Coded;
use crate::origin::Rounding;
use crate::transition::Transition;

/// A constant mask with more runs of ones than this is not taken apart.
const MOST_RUNS: usize = 8;
/// A shift by a variable is a case split over at most this many amounts.
const MOST_AMOUNTS: i128 = 64;
/// Operands of at most so many bits have a disjunction of at most so many.
const NARROW: [u32; 2] = [8, 16];
/// Chains of more operands are not compared with others.
const MOST_OPERANDS: usize = 256;

/// Bitwise operations on bitwise operations of the same kind, by their operands.
///
/// # Meaning
/// The values are those of integers as two's complements without end, so they do not depend on a type.
///
/// # Invariants
/// * H1: a term is the value of a chain for all values of the symbols in it, and not only at the operation at hand: the same term may stand elsewhere, on another path.
/// * H2: a Skolem constant is used for operations of its own type only. On a path that does not go through the operation that it was made for, the values may be too large for its type.
#[derive(Debug, Default)]
pub(crate) struct Chains {
    values: FxHashMap<(BTreeSet<TermId>, BinaryOp, Ty), TermId>,
    parts: FxHashMap<TermId, (BinaryOp, BTreeSet<TermId>)>,
}

impl Chains {
    /// The operation and the operands of a chain that is rounded up.
    pub(crate) fn parts(&self, value: TermId) -> Option<(BinaryOp, Vec<TermId>)> {
        self.parts.get(&value).map(|(op, parts)| (*op, parts.iter().copied().collect()))
    }
    /// The value of a chain that was met before, or of one of at most one operand.
    fn known(&self, terms: &mut Terms, op: BinaryOp, parts: &BTreeSet<TermId>, ty: Ty) -> Option<TermId> {
        match parts.len() {
            0 => Some(terms.int(0)),
            1 => parts.first().copied(),
            _ => self.values.get(&(parts.clone(), op, ty)).copied(),
        }
    }

    fn insert(&mut self, value: TermId, op: BinaryOp, parts: BTreeSet<TermId>, ty: Ty) {
        if parts.len() <= MOST_OPERANDS {
            self.parts.insert(value, (op, parts.clone()));
            self.values.insert((parts, op, ty), value);
        }
    }
}

/// That a value is one of a type.
fn in_range(terms: &mut Terms, value: TermId, ty: Ty) -> Vec<TermId> {
    let Some((low, high)) = ty.range() else { return Vec::new() };
    let (low, high) = (terms.number(low), terms.number(high));
    vec![terms.le(low, value), terms.le(value, high)]
}

impl Encoder<'_> {
    pub(crate) fn bitwise(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> TermId {
        let result = match self.known_chain(op, [left, right], ty) {
            Some(known) => {
                for fact in in_range(self.terms, known, ty) {
                    self.fact(fact);
                }
                known
            }
            None => match self.exact_bits(op, (lhs, left), (rhs, right), ty) {
                Some(exact) => return exact,
                None => self.chained(transition, op, [left, right], ty),
            },
        };
        let mut facts = bitwise_facts(self.terms, op, left, right, result);
        facts.extend(narrow_facts(self.terms, op, left, right, result));
        for fact in facts {
            self.fact(fact);
        }
        result
    }

    /// A Skolem constant for a bitwise operation. One for all chains of the same operands: order and brackets do not matter, nor does repetition; what occurs twice cancels out in an exclusive or.
    fn chained(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        operands: [TermId; 2],
        ty: Ty,
    ) -> TermId {
        let parts = self.chain(op, &operands);
        let result = self.round_up(transition, Rounding::Bitwise, ty);
        self.chains.insert(result, op, parts, ty);
        result
    }

    /// The operands of a chain that is made of chains.
    fn chain(&self, op: BinaryOp, operands: &[TermId]) -> BTreeSet<TermId> {
        let mut parts: BTreeSet<TermId> = BTreeSet::new();
        for operand in operands {
            let own = match self.chains.parts.get(operand) {
                Some((own_op, parts)) if *own_op == op => parts.clone(),
                _ => BTreeSet::from([*operand]),
            };
            for part in own {
                // What has no ones changes nothing.
                let is_void = op != BinaryOp::And && self.ones_in(part) == 0;
                if !is_void && !parts.insert(part) && op == BinaryOp::Xor {
                    parts.remove(&part);
                }
            }
        }
        parts
    }

    /// The value of a chain that was met before, or of one of at most one operand.
    pub(crate) fn known_chain(&mut self, op: BinaryOp, operands: [TermId; 2], ty: Ty) -> Option<TermId> {
        let parts = self.chain(op, &operands);
        self.chains.known(self.terms, op, &parts, ty)
    }

    /// The value of a chain that is shifted: the chain of what is shifted. `shift` is the same for a part, for all values of its symbols (H1).
    fn shifted_chain(
        &mut self,
        (value, ty): (TermId, Ty),
        shifted: TermId,
        mut shift: impl FnMut(&mut Self, TermId) -> TermId,
    ) -> TermId {
        let Some((op, parts)) = self.chains.parts.get(&value).cloned() else { return shifted };
        let images: Vec<TermId> = parts.into_iter().map(|part| shift(self, part)).collect();
        let parts = self.chain(op, &images);
        if let Some(known) = self.chains.known(self.terms, op, &parts, ty) {
            return known;
        }
        if shift(self, value) == shifted {
            self.chains.insert(shifted, op, parts, ty);
        }
        shifted
    }

    /// A bitwise operation on operands of so many bits that are not negative: exact.
    pub(crate) fn bit_by_bit(&mut self, op: BinaryOp, left: TermId, right: TermId, bits: u32) -> TermId {
        let (zero, two) = (self.terms.int(0), Integer::from(2));
        let mut sum = Vec::new();
        for bit in 0..bits {
            let weight = Integer::power_of_two(bit);
            let mut is_set = |operand: TermId| {
                let shifted = self.terms.div(operand, &weight);
                // The highest bit is all that is left.
                let digit = if bit + 1 == bits { shifted } else { self.terms.modulo(shifted, &two) };
                self.terms.ne(digit, zero)
            };
            let (a, b) = (is_set(left), is_set(right));
            let set = match op {
                BinaryOp::And => self.terms.and([a, b]),
                BinaryOp::Or => self.terms.or([a, b]),
                _ => {
                    let same = self.terms.iff(a, b);
                    self.terms.not(same)
                }
            };
            let weight = self.terms.number(weight);
            sum.push(self.terms.ite(set, weight, zero));
        }
        self.terms.sum(sum)
    }

    /// `value & mask` exactly; `None` if the mask has too many runs.
    pub(crate) fn masked(&mut self, value: TermId, mask: i128) -> Option<TermId> {
        if mask < 0 {
            // The ones above the top are without end: x & mask = x - (x & ~mask).
            let cleared = self.masked(value, !mask)?;
            return Some(self.terms.sub(value, cleared));
        }
        let mut parts = Vec::new();
        let mut rest = mask as u128;
        while rest != 0 {
            let start = rest.trailing_zeros();
            let length = (rest >> start).trailing_ones();
            rest &= !(((1_u128 << length) - 1) << start);
            parts.push((start, length));
        }
        if parts.len() > MOST_RUNS {
            return None;
        }
        let mut sum = Vec::new();
        for (start, length) in parts {
            let field = self.field(value, start, Some(length));
            sum.push(self.terms.scale(&Integer::power_of_two(start), field));
        }
        Some(self.terms.sum(sum))
    }

    pub(crate) fn shift(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let width = i128::from(ty.width(self.program.data_model));
        let in_range = {
            let (zero, width) = (self.terms.int(0), self.terms.number(width));
            let above = self.terms.le(zero, right);
            let below = self.terms.lt(right, width);
            self.terms.and([above, below])
        };
        let (first, last) = match self.known(rhs) {
            Some(range) => (range.low().max(0), range.high().min(width - 1)),
            None => (0, width - 1),
        };
        if first > last {
            return (Coded::Int(self.terms.int(0)), Terms::FALSE);
        }
        if last - first >= MOST_AMOUNTS {
            return (Coded::Int(self.round_up(transition, Rounding::Shift, ty)), in_range);
        }
        let mut result = self.shift_by(op, (lhs, left), last as u32, ty);
        for amount in (first..last).rev() {
            let shifted = self.shift_by(op, (lhs, left), amount as u32, ty);
            let number = self.terms.number(amount);
            let is_amount = self.terms.eq(right, number);
            result = self.terms.ite(is_amount, shifted, result);
        }
        (Coded::Int(result), in_range)
    }

    fn shift_by(&mut self, op: BinaryOp, (expr, value): (ExprId, TermId), amount: u32, ty: Ty) -> TermId {
        let factor = Integer::power_of_two(amount);
        if op == BinaryOp::Shr {
            let shifted = self.field(value, amount, None);
            let shift = |encoder: &mut Self, part| encoder.field(part, amount, None);
            return self.shifted_chain((value, ty), shifted, shift);
        }
        let exact = self.terms.scale(&factor, value);
        let range = self.known(expr).and_then(|range| {
            range.multiply(values::value::Value::constant(1_i128.checked_shl(amount).filter(|p| *p > 0)?))
        });
        if self.fits(range, ty) {
            return self
                .shifted_chain((value, ty), exact, |encoder, part| encoder.terms.scale(&factor, part));
        }
        let shifted = self.wrap(exact, range, ty);
        self.shifted_chain((value, ty), shifted, |encoder, part| {
            let exact = encoder.terms.scale(&factor, part);
            encoder.wrap(exact, None, ty)
        })
    }
}

/// Linear consequences of a bitwise operation: bounds by the signs of its operands, and what it is of zero and of equal operands. They determine the
/// result if both operands are 0 or 1.
fn bitwise_facts(
    terms: &mut Terms,
    op: BinaryOp,
    left: TermId,
    right: TermId,
    result: TermId,
) -> Vec<TermId> {
    let zero = terms.int(0);
    let mut facts = Vec::new();
    let mut implication = |terms: &mut Terms, premise: TermId, conclusion: TermId| {
        facts.push(terms.implies(premise, conclusion));
    };
    let (left_is_natural, right_is_natural) = (terms.ge(left, zero), terms.ge(right, zero));
    let (left_is_negative, right_is_negative) = (terms.not(left_is_natural), terms.not(right_is_natural));
    let both_natural = terms.and([left_is_natural, right_is_natural]);
    let is_natural = terms.ge(result, zero);
    for (operand, other, natural, negative) in
        [(left, right, left_is_natural, left_is_negative), (right, left, right_is_natural, right_is_negative)]
    {
        let (is_zero, is_other) = (terms.eq(operand, zero), terms.eq(result, other));
        let (below, above) = (terms.le(result, operand), terms.le(operand, result));
        match op {
            BinaryOp::And => {
                let conclusion = terms.and([is_natural, below]);
                implication(terms, natural, conclusion);
                let is_nothing = terms.eq(result, zero);
                implication(terms, is_zero, is_nothing);
            }
            BinaryOp::Or => {
                implication(terms, both_natural, above);
                let is_negative = terms.not(is_natural);
                let conclusion = terms.and([is_negative, above]);
                implication(terms, negative, conclusion);
                implication(terms, is_zero, is_other);
            }
            _ => implication(terms, is_zero, is_other),
        }
    }
    let (same, sum) = (terms.eq(left, right), terms.add(left, right));
    let of_same = if op == BinaryOp::Xor { zero } else { left };
    let (is_of_same, at_most_sum) = (terms.eq(result, of_same), terms.le(result, sum));
    implication(terms, same, is_of_same);
    match op {
        BinaryOp::And => {
            let both_negative = terms.and([left_is_negative, right_is_negative]);
            let bounds = [terms.le(result, left), terms.le(result, right)];
            let bounds = terms.and(bounds);
            implication(terms, both_negative, bounds);
        }
        BinaryOp::Or => implication(terms, both_natural, at_most_sum),
        _ => {
            let same_sign = terms.iff(left_is_natural, right_is_natural);
            let agrees = terms.iff(same_sign, is_natural);
            implication(terms, Terms::TRUE, agrees);
            implication(terms, both_natural, at_most_sum);
        }
    }
    facts
}

/// Operands of few bits have a disjunction of few bits.
fn narrow_facts(terms: &mut Terms, op: BinaryOp, left: TermId, right: TermId, result: TermId) -> Vec<TermId> {
    if op == BinaryOp::And {
        return Vec::new();
    }
    let zero = terms.int(0);
    let fact = |bits: &u32| {
        let limit = terms.number(Integer::power_of_two(*bits));
        let premise =
            [terms.le(zero, left), terms.le(zero, right), terms.lt(left, limit), terms.lt(right, limit)];
        let (premise, conclusion) = (terms.and(premise), terms.lt(result, limit));
        terms.implies(premise, conclusion)
    };
    NARROW.iter().map(fact).collect()
}
