//! Bitwise operations and shifts in integer arithmetic.
//!
//! With a constant operand everything is exact: the bits `a..b` of x are `(x div 2^a) mod 2^(b-a)`, for negative x too, because division
//! rounds down; and `x | c = x + c - (x & c)`, `x ^ c = x + c - 2 (x & c)`.

use cfa::{BinaryOp, ExprId, Ty};
use term::{Integer, TermId, Terms};

use crate::encoder::Encoder;
use crate::expression::Coded;
use crate::origin::Rounding;
use crate::transition::Transition;

/// A constant mask with more runs of ones than this is not taken apart.
const MOST_RUNS: usize = 8;
/// A shift by a variable is a case split over at most this many amounts.
const MOST_AMOUNTS: i128 = 64;
/// Two variables are taken apart bit by bit if they have at most this many.
const MOST_BITS: u32 = 8;

impl Encoder<'_> {
    pub(crate) fn bitwise(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> TermId {
        let constant =
            |encoder: &Self, term: TermId| encoder.terms.as_number(term).and_then(Integer::to_i128);
        let (value, mask) = match (constant(self, left), constant(self, right)) {
            (_, Some(mask)) => (left, Some(mask)),
            (Some(mask), None) => (right, Some(mask)),
            (None, None) => (left, None),
        };
        if let Some(mask) = mask
            && let Some(both) = self.masked(value, mask)
        {
            let mask = self.terms.number(mask);
            let sum = self.terms.add(value, mask);
            return match op {
                BinaryOp::And => both,
                BinaryOp::Or => self.terms.sub(sum, both),
                _ => {
                    let twice = self.terms.add(both, both);
                    self.terms.sub(sum, twice)
                }
            };
        }
        if let (Some(left_bits), Some(right_bits)) = (self.bits_of(lhs), self.bits_of(rhs))
            && left_bits.max(right_bits) <= MOST_BITS
        {
            return self.bit_by_bit(op, left, right, left_bits.max(right_bits));
        }
        let result = self.round_up(transition, Rounding::Bitwise, ty);
        let not_negative = |encoder: &Self, expr| encoder.known(expr).is_some_and(|range| range.low() >= 0);
        if !ty.is_signed() || not_negative(self, lhs) && not_negative(self, rhs) {
            self.bitwise_facts(op, left, right, result);
        }
        result
    }

    /// How many bits an operand has, if it is not negative.
    fn bits_of(&self, expr: ExprId) -> Option<u32> {
        let range = self.known(expr).filter(|range| range.low() >= 0)?;
        Some(i128::BITS - range.high().leading_zeros())
    }

    /// A bitwise operation on operands of so many bits that are not negative: exact.
    fn bit_by_bit(&mut self, op: BinaryOp, left: TermId, right: TermId, bits: u32) -> TermId {
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

    /// Linear consequences of a bitwise operation on operands that are not negative.
    fn bitwise_facts(&mut self, op: BinaryOp, left: TermId, right: TermId, result: TermId) {
        let zero = self.terms.int(0);
        let sum = self.terms.add(left, right);
        let facts = match op {
            BinaryOp::And => {
                [self.terms.le(zero, result), self.terms.le(result, left), self.terms.le(result, right)]
            }
            BinaryOp::Or => {
                [self.terms.le(left, result), self.terms.le(right, result), self.terms.le(result, sum)]
            }
            _ => [self.terms.le(zero, result), self.terms.le(result, sum), Terms::TRUE],
        };
        for fact in facts {
            self.fact(fact);
        }
        for (operand, other) in [(left, right), (right, left)] {
            let is_zero = self.terms.eq(operand, zero);
            let value = if op == BinaryOp::And { zero } else { other };
            let is_value = self.terms.eq(result, value);
            let fact = self.terms.implies(is_zero, is_value);
            self.fact(fact);
        }
    }

    /// `value & mask` exactly; `None` if the mask has too many runs.
    fn masked(&mut self, value: TermId, mask: i128) -> Option<TermId> {
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
            let weight = Integer::power_of_two(start);
            let shifted = self.terms.div(value, &weight);
            let field = self.terms.modulo(shifted, &Integer::power_of_two(length));
            sum.push(self.terms.scale(&weight, field));
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
            return self.terms.div(value, &factor);
        }
        let exact = self.terms.scale(&factor, value);
        let range = self.known(expr).and_then(|range| {
            range.multiply(values::value::Value::constant(1_i128.checked_shl(amount).filter(|p| *p > 0)?))
        });
        if self.fits(range, ty) { exact } else { self.wrap(exact, range, ty) }
    }
}
