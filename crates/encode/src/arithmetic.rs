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
            BinaryOp::Div | BinaryOp::Rem => self.divide(transition, op, (lhs, left), (rhs, right), ty),
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
}
