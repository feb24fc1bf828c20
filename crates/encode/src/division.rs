//! Quotients and remainders.
//!
//! By a number they are exact. By a variable they are Skolem constants, of which linear consequences are stated: a quotient `q = a / b` is tied to its dividend by the symbol of the product
//! `q·b`, from which `a` differs by less than `b`.
//!
//! # Meaning
//! All facts are about a division that is defined, and belong to the condition under which it is (`Encoder::fact`). So they hold of the quotient and the remainder that the program computes.
//!
//! # Invariants
//! * D1: within a piece, equal operands have the same quotient and the same remainder of a type. Two types share none: the least `int` divided by -1 is a number of `long`, and a quotient within `int` would exclude it even
//!   where the division of `int` is in a branch that is not chosen.

use std::collections::BTreeMap;

use cfa::{BinaryOp, ExprId, Ty};
use term::{Integer, TermId, Terms};
use values::value::Value;

use crate::encoder::Encoder;
use crate::expression::Coded;
use crate::origin::Rounding;
use crate::product::product_facts;
use crate::transition::Transition;

/// Dividend and divisor.
type Operands = (TermId, TermId);

/// Operands, and the type in which they are divided.
type Division = (Operands, Ty);

/// The divisions by variables of a piece (D1).
#[derive(Debug, Default)]
pub(crate) struct Divisions {
    quotients: BTreeMap<Division, TermId>,
    remainders: BTreeMap<Division, TermId>,
}

/// On which side of zero a number is; zero itself is on both sides of a dividend, and on none of a divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Positive,
    Negative,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Positive, Self::Negative];

    /// Whether numbers of a range may be there.
    fn is_possible(self, range: Option<Value>) -> bool {
        match self {
            Self::Positive => range.is_none_or(|range| range.high() >= 0),
            Self::Negative => range.is_none_or(|range| range.low() < 0),
        }
    }

    /// The magnitude of a number on this side.
    fn magnitude(self, terms: &mut Terms, number: TermId) -> TermId {
        match self {
            Self::Positive => number,
            Self::Negative => terms.neg(number),
        }
    }

    /// The side of a product of numbers on two sides.
    fn times(self, other: Self) -> Self {
        if self == other { Self::Positive } else { Self::Negative }
    }
}

/// The magnitudes of a dividend and of a divisor, each on a known side.
#[derive(Clone, Copy, Debug)]
struct Case {
    condition: TermId,
    dividend: TermId,
    divisor: TermId,
    sides: (Side, Side),
}

impl Encoder<'_> {
    /// A quotient or a remainder, and when it is defined.
    pub(crate) fn divide(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        if let Some(divisor) = self.terms.as_number(right).cloned() {
            return self.divide_by_number(op, (lhs, left), &divisor, ty);
        }
        let zero = self.terms.int(0);
        let mut when = self.terms.ne(right, zero);
        if ty.is_signed() {
            // The least value divided by -1 does not fit, and never wraps around.
            let minus = self.terms.int(-1);
            let harmless = self.terms.ne(right, minus);
            let negated = self.terms.neg(left);
            let fits = self.within_type(negated, ty);
            let fits = self.terms.or([harmless, fits]);
            when = self.terms.and([when, fits]);
        }
        let cases = self.cases((lhs, left), (rhs, right));
        let result = if op == BinaryOp::Div {
            self.quotient(transition, (left, right), &cases, ty)
        } else {
            self.remainder(transition, (left, right), &cases, ty)
        };
        (Coded::Int(result), when)
    }

    fn divide_by_number(
        &mut self,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        divisor: &Integer,
        ty: Ty,
    ) -> (Coded, TermId) {
        if divisor.is_zero() {
            return (Coded::Int(self.terms.int(0)), Terms::FALSE);
        }
        let not_negative = self.known(lhs).is_some_and(|range| range.low() >= 0) && divisor.is_positive();
        let exact = match (op, not_negative) {
            (BinaryOp::Div, true) => self.terms.div(left, divisor),
            (BinaryOp::Div, false) => self.terms.div_truncated(left, divisor),
            (_, true) => self.terms.modulo(left, divisor),
            (_, false) => self.terms.rem_truncated(left, divisor),
        };
        if !ty.is_signed() || *divisor != Integer::MINUS_ONE {
            return (Coded::Int(exact), Terms::TRUE);
        }
        // The least value divided by -1 does not fit, and never wraps around.
        let quotient = self.terms.neg(left);
        let negated = self.known(lhs).and_then(Value::negate);
        let defined = if self.fits(negated, ty) { Terms::TRUE } else { self.within_type(quotient, ty) };
        (Coded::Int(if op == BinaryOp::Div { quotient } else { exact }), defined)
    }

    /// On which sides of zero the operands may be.
    fn cases(&mut self, (lhs, left): (ExprId, TermId), (rhs, right): (ExprId, TermId)) -> Vec<Case> {
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let ranges = (self.known(lhs), self.known(rhs));
        let mut cases = Vec::new();
        for above in Side::BOTH.into_iter().filter(|side| side.is_possible(ranges.0)) {
            for below in Side::BOTH.into_iter().filter(|side| side.is_possible(ranges.1)) {
                let dividend = above.magnitude(self.terms, left);
                let divisor = below.magnitude(self.terms, right);
                let (first, second) = (self.terms.ge(dividend, zero), self.terms.ge(divisor, one));
                let condition = self.terms.and([first, second]);
                cases.push(Case { condition, dividend, divisor, sides: (above, below) });
            }
        }
        cases
    }

    fn quotient(
        &mut self,
        transition: &mut Transition,
        operands: Operands,
        cases: &[Case],
        ty: Ty,
    ) -> TermId {
        let (left, right) = operands;
        let result = match self.divisions.quotients.get(&(operands, ty)) {
            Some(known) => *known,
            None => self.round_up(transition, Rounding::Quotient, ty),
        };
        self.divisions.quotients.insert((operands, ty), result);
        for case in cases {
            let magnitude = case.sides.0.times(case.sides.1).magnitude(self.terms, result);
            self.quotient_facts(case, magnitude);
        }
        let Some((product, facts)) = self.multiply(result, right) else { return result };
        self.facts.extend(facts);
        let facts = product_facts(self.terms, result, right, product);
        self.facts.extend(facts);
        let rest = self.terms.sub(left, product);
        for case in cases {
            let magnitude = case.sides.0.magnitude(self.terms, rest);
            self.remainder_facts(case, magnitude);
        }
        if let Some(remainder) = self.divisions.remainders.get(&(operands, ty)) {
            let fact = self.terms.eq(rest, *remainder);
            self.fact(fact);
        }
        result
    }

    fn remainder(
        &mut self,
        transition: &mut Transition,
        operands: Operands,
        cases: &[Case],
        ty: Ty,
    ) -> TermId {
        let (left, right) = operands;
        let result = match self.divisions.remainders.get(&(operands, ty)) {
            Some(known) => *known,
            None => self.round_up(transition, Rounding::Remainder, ty),
        };
        self.divisions.remainders.insert((operands, ty), result);
        for case in cases {
            let magnitude = case.sides.0.magnitude(self.terms, result);
            self.remainder_facts(case, magnitude);
        }
        if let Some(quotient) = self.divisions.quotients.get(&(operands, ty)).copied()
            && let Some((product, facts)) = self.multiply(quotient, right)
        {
            self.facts.extend(facts);
            let rest = self.terms.sub(left, product);
            let fact = self.terms.eq(rest, result);
            self.fact(fact);
        }
        result
    }

    /// Of the magnitude of a quotient: it is at most the dividend, 0 if the dividend is smaller than the divisor, and at most half of it from 2 on.
    fn quotient_facts(&mut self, case: &Case, quotient: TermId) {
        let (zero, one, two) = (self.terms.int(0), self.terms.int(1), self.terms.int(2));
        let not_negative = self.terms.ge(quotient, zero);
        let not_greater = self.terms.le(quotient, case.dividend);
        let is_small = self.terms.lt(case.dividend, case.divisor);
        let is_zero = self.terms.eq(quotient, zero);
        let is_positive = self.terms.ge(quotient, one);
        let by_size = self.terms.ite(is_small, is_zero, is_positive);
        let twice = self.terms.scale(&Integer::from(2), quotient);
        let is_half = self.terms.le(twice, case.dividend);
        let by_two = self.terms.ge(case.divisor, two);
        let halved = self.terms.implies(by_two, is_half);
        let consequence = self.terms.and([not_negative, not_greater, by_size, halved]);
        let fact = self.terms.implies(case.condition, consequence);
        self.fact(fact);
    }

    /// Of the magnitude of a remainder: it is smaller than the divisor, the dividend itself if that is smaller, and else at most their difference.
    fn remainder_facts(&mut self, case: &Case, remainder: TermId) {
        let zero = self.terms.int(0);
        let not_negative = self.terms.ge(remainder, zero);
        let is_smaller = self.terms.lt(remainder, case.divisor);
        let is_small = self.terms.lt(case.dividend, case.divisor);
        let is_dividend = self.terms.eq(remainder, case.dividend);
        let difference = self.terms.sub(case.dividend, case.divisor);
        let is_taken_off = self.terms.le(remainder, difference);
        let by_size = self.terms.ite(is_small, is_dividend, is_taken_off);
        let consequence = self.terms.and([not_negative, is_smaller, by_size]);
        let fact = self.terms.implies(case.condition, consequence);
        self.fact(fact);
    }
}
