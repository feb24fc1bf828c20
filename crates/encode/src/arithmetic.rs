//! Sums, products, quotients and wrap-around.

use cfa::{BinaryOp, DataModel, ExprId, Ty};
use term::{Integer, TermId, Terms};

use crate::encoder::Encoder;
use crate::expression::Coded;
use crate::origin::Rounding;
use crate::product::product_facts;
use crate::transition::Transition;
use values::value::Value;

/// Smallest and largest value of an integer or pointer type.
pub(crate) fn bounds(ty: Ty, model: DataModel) -> Option<(Integer, Integer)> {
    match ty {
        Ty::Int { width, signed: true } => {
            let half = Integer::power_of_two(u32::from(width) - 1);
            Some((-&half, half - Integer::ONE))
        }
        Ty::Int { width, signed: false } => {
            Some((Integer::ZERO, Integer::power_of_two(u32::from(width)) - Integer::ONE))
        }
        Ty::Ptr => {
            Some((Integer::ZERO, Integer::power_of_two(u32::from(model.pointer_width())) - Integer::ONE))
        }
        Ty::Float(_) => None,
    }
}

impl Encoder<'_> {
    /// Whether all values in `range` are values of the type.
    #[allow(clippy::unused_self)]
    pub(crate) fn fits(&self, range: Option<Value>, ty: Ty) -> bool {
        match (range, ty.range()) {
            (Some(range), Some((low, high))) => range.within(low, high),
            (Some(range), None) => matches!(ty, Ty::Int { .. }) && range.low() >= 0,
            (None, _) => false,
        }
    }

    pub(crate) fn within_type(&mut self, term: TermId, ty: Ty) -> TermId {
        let Some((low, high)) = bounds(ty, self.program.data_model) else { return Terms::TRUE };
        let (low, high) = (self.terms.number(low), self.terms.number(high));
        let above = self.terms.le(low, term);
        let below = self.terms.le(term, high);
        self.terms.and([above, below])
    }

    /// `term` modulo 2^width within the type's range; a case split if it is at most one period outside, else by division.
    pub(crate) fn wrap(&mut self, term: TermId, range: Option<Value>, ty: Ty) -> TermId {
        let (Some((low, high)), Ty::Int { width, .. }) = (bounds(ty, self.program.data_model), ty) else {
            return term;
        };
        let period = Integer::power_of_two(u32::from(width));
        let Some(range) = range else {
            if low.is_zero() {
                return self.field(term, 0, Some(u32::from(width)));
            }
            let offset = self.terms.number(-&low);
            let shifted = self.terms.add(term, offset);
            let wrapped = self.terms.modulo(shifted, &period);
            let back = self.terms.number(low);
            return self.terms.add(wrapped, back);
        };
        let (lowest, highest) = (Integer::from(range.low()), Integer::from(range.high()));
        if lowest < &low - &period || highest > &high + &period {
            return self.wrap(term, None, ty);
        }
        let (low_term, high_term) = (self.terms.number(low.clone()), self.terms.number(high.clone()));
        let period = self.terms.number(period);
        let mut result = term;
        if highest > high {
            let over = self.terms.gt(term, high_term);
            let down = self.terms.sub(term, period);
            result = self.terms.ite(over, down, result);
        }
        if lowest < low {
            let under = self.terms.lt(term, low_term);
            let up = self.terms.add(term, period);
            result = self.terms.ite(under, up, result);
        }
        result
    }

    /// The result of a binary operation and when it is defined. One arm for each operator: the length is that of the list of operators.
    pub(crate) fn arithmetic(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        (rhs, right): (ExprId, TermId),
        ty: Ty,
    ) -> (Coded, TermId) {
        let ranges = self.known(lhs).zip(self.known(rhs));
        match op {
            BinaryOp::Add => {
                let exact = self.terms.add(left, right);
                self.fit(exact, ranges.and_then(|(a, b)| a.plus(b)), ty)
            }
            BinaryOp::Sub => {
                let exact = self.terms.sub(left, right);
                self.fit(exact, ranges.and_then(|(a, b)| a.plus(b.negate()?)), ty)
            }
            BinaryOp::Mul => {
                let range = ranges.and_then(|(a, b)| a.multiply(b));
                let linear = self.terms.as_number(left).is_some() || self.terms.as_number(right).is_some();
                if linear {
                    let exact = self.terms.mul(left, right);
                    return self.fit(exact, range, ty);
                }
                let wraps = !(self.fits(range, ty)
                    || ty.is_signed() && self.program.signed_overflow != cfa::SignedOverflow::Wrap);
                // Of an unknown product that wraps around nothing is known but its type.
                if let Some((exact, facts)) = self.multiply(left, right)
                    && !(wraps && self.has_unknown_product(exact))
                {
                    self.facts.extend(facts);
                    let consequences = product_facts(self.terms, left, right, exact);
                    self.facts.extend(consequences);
                    return self.fit(exact, range, ty);
                }
                let result = self.round_up(transition, Rounding::Product, ty);
                if !wraps {
                    let consequences = product_facts(self.terms, left, right, result);
                    self.facts.extend(consequences);
                }
                (Coded::Int(result), Terms::TRUE)
            }
            BinaryOp::Div | BinaryOp::Rem => self.divide(transition, op, (lhs, left), right, ty),
            BinaryOp::PtrAdd => {
                let address = Ty::unsigned(self.program.data_model.pointer_width());
                let exact = self.terms.add(left, right);
                (Coded::Int(self.wrap(exact, None, address)), Terms::TRUE)
            }
            BinaryOp::PtrSub => {
                let exact = self.terms.sub(left, right);
                (Coded::Int(self.wrap(exact, None, ty)), Terms::TRUE)
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le => unreachable!("not arithmetic"),
        }
    }

    fn divide(
        &mut self,
        transition: &mut Transition,
        op: BinaryOp,
        (lhs, left): (ExprId, TermId),
        right: TermId,
        ty: Ty,
    ) -> (Coded, TermId) {
        let zero = self.terms.int(0);
        if let Some(divisor) = self.terms.as_number(right).cloned() {
            if divisor.is_zero() {
                return (Coded::Int(zero), Terms::FALSE);
            }
            let not_negative = self.known(lhs).is_some_and(|range| range.low() >= 0) && divisor.is_positive();
            let exact = match (op, not_negative) {
                (BinaryOp::Div, true) => self.terms.div(left, &divisor),
                (BinaryOp::Div, false) => self.terms.div_truncated(left, &divisor),
                (_, true) => self.terms.modulo(left, &divisor),
                (_, false) => self.terms.rem_truncated(left, &divisor),
            };
            if !ty.is_signed() || divisor != Integer::MINUS_ONE {
                return (Coded::Int(exact), Terms::TRUE);
            }
            // The least value divided by -1 does not fit, and never wraps around.
            let quotient = self.terms.neg(left);
            let negated = self.known(lhs).and_then(Value::negate);
            let defined = if self.fits(negated, ty) { Terms::TRUE } else { self.within_type(quotient, ty) };
            return (Coded::Int(if op == BinaryOp::Div { quotient } else { exact }), defined);
        }
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
        let what = if op == BinaryOp::Div { Rounding::Quotient } else { Rounding::Remainder };
        let result = self.round_up(transition, what, ty);
        self.division_facts(op, left, right, result);
        (Coded::Int(result), when)
    }

    /// Linear consequences of truncated division by something that is not zero.
    fn division_facts(&mut self, op: BinaryOp, left: TermId, right: TermId, result: TermId) {
        let (zero, one) = (self.terms.int(0), self.terms.int(1));
        let minus_left = self.terms.neg(left);
        let minus_right = self.terms.neg(right);
        // The result lies between zero and the dividend.
        for (sign, lower, upper) in [(true, zero, left), (false, left, zero)] {
            let side = if sign { self.terms.ge(left, zero) } else { self.terms.le(left, zero) };
            let (low, high) = if op == BinaryOp::Div {
                let magnitude = if sign { left } else { minus_left };
                let negated = self.terms.neg(magnitude);
                (self.terms.le(negated, result), self.terms.le(result, magnitude))
            } else {
                (self.terms.le(lower, result), self.terms.le(result, upper))
            };
            let between = self.terms.and([low, high]);
            let fact = self.terms.implies(side, between);
            self.fact(fact);
        }
        let divisor_positive = self.terms.ge(right, one);
        let divisor_negative = self.terms.ge(minus_right, one);
        let dividend_positive = self.terms.ge(left, zero);
        if op == BinaryOp::Div {
            let both = self.terms.and([divisor_positive, dividend_positive]);
            let positive = self.terms.ge(result, zero);
            let fact = self.terms.implies(both, positive);
            self.fact(fact);
            let small = self.terms.lt(left, right);
            let both_small = self.terms.and([both, small]);
            let is_zero = self.terms.eq(result, zero);
            let fact = self.terms.implies(both_small, is_zero);
            self.fact(fact);
        } else {
            // The rest is smaller than the divisor.
            for (side, magnitude) in [(divisor_positive, right), (divisor_negative, minus_right)] {
                let negated = self.terms.neg(magnitude);
                let above = self.terms.lt(negated, result);
                let below = self.terms.lt(result, magnitude);
                let between = self.terms.and([above, below]);
                let fact = self.terms.implies(side, between);
                self.fact(fact);
            }
        }
    }
}
