//! Linear forms: sums of integer terms with coefficients, plus a constant.
//!
//! # Invariants
//! * I1: the terms ascend strictly, and no coefficient is zero. Equal sums are equal values.
//! * I2: the terms are neither numbers nor linear forms themselves (the arena flattens them).

use crate::{Integer, TermId};

/// A sum `a·x + b·y + … + c`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    terms: Vec<(TermId, Integer)>,
    constant: Integer,
}

impl Linear {
    /// The sum that is just a number.
    pub fn constant(value: impl Into<Integer>) -> Self {
        Self { terms: Vec::new(), constant: value.into() }
    }

    /// The sum that is just `coefficient * term`; the term should be neither a number nor a sum (I2).
    pub fn monomial(term: TermId, coefficient: impl Into<Integer>) -> Self {
        let coefficient = coefficient.into();
        let terms = if coefficient.is_zero() { Vec::new() } else { vec![(term, coefficient)] };
        Self { terms, constant: Integer::ZERO }
    }

    /// The sum of these products and a constant, in any order and with repetitions.
    pub fn collect(mut products: Vec<(TermId, Integer)>, constant: Integer) -> Self {
        products.sort_by_key(|(term, _)| *term);
        let mut terms: Vec<(TermId, Integer)> = Vec::with_capacity(products.len());
        for (term, coefficient) in products {
            match terms.last_mut() {
                Some((last, sum)) if *last == term => *sum += &coefficient,
                Some(_) | None => {
                    drop_zero(&mut terms);
                    terms.push((term, coefficient));
                }
            }
        }
        drop_zero(&mut terms);
        Self { terms, constant }
    }

    /// The terms with their coefficients, ascending.
    pub fn terms(&self) -> &[(TermId, Integer)] {
        &self.terms
    }

    /// The constant.
    pub fn constant_part(&self) -> &Integer {
        &self.constant
    }

    /// The value, if there are no terms.
    pub fn as_constant(&self) -> Option<&Integer> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The coefficient of a term; zero if it does not occur.
    pub fn coefficient(&self, term: TermId) -> Integer {
        match self.terms.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(at) => self.terms[at].1.clone(),
            Err(_) => Integer::ZERO,
        }
    }

    /// The sum without one of its terms.
    #[must_use]
    pub fn without(&self, term: TermId) -> Self {
        let terms = self.terms.iter().filter(|(other, _)| *other != term).cloned().collect();
        Self { terms, constant: self.constant.clone() }
    }

    /// The sum with another constant.
    #[must_use]
    pub fn with_constant(&self, constant: Integer) -> Self {
        Self { terms: self.terms.clone(), constant }
    }

    /// The sum times `factor`.
    #[must_use]
    pub fn scale(&self, factor: &Integer) -> Self {
        if factor.is_zero() {
            return Self::constant(Integer::ZERO);
        }
        let terms = self.terms.iter().map(|(term, coefficient)| (*term, coefficient * factor)).collect();
        Self { terms, constant: &self.constant * factor }
    }

    /// The sum with opposite sign.
    #[must_use]
    pub fn negate(&self) -> Self {
        self.scale(&Integer::MINUS_ONE)
    }

    /// `self + factor * other`.
    #[must_use]
    pub fn add_scaled(&self, other: &Self, factor: &Integer) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let left_first = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some((a, _)), Some((b, _))) => a <= b,
            };
            let (source, factor) = if left_first { (&mut left, &Integer::ONE) } else { (&mut right, factor) };
            let Some((term, coefficient)) = source.next() else { break };
            let product = coefficient * factor;
            match terms.last_mut() {
                Some((last, sum)) if *last == *term => *sum += &product,
                Some(_) | None => {
                    drop_zero(&mut terms);
                    terms.push((*term, product));
                }
            }
        }
        drop_zero(&mut terms);
        Self { terms, constant: &self.constant + &other.constant * factor }
    }

    /// `self + other`.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.add_scaled(other, &Integer::ONE)
    }

    /// `self - other`.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add_scaled(other, &Integer::MINUS_ONE)
    }

    /// `self + value`.
    #[must_use]
    pub fn add_constant(&self, value: &Integer) -> Self {
        self.with_constant(&self.constant + value)
    }

    /// The greatest common divisor of the coefficients, without the constant; zero if there are none.
    pub fn content(&self) -> Integer {
        let mut gcd = Integer::ZERO;
        for (_, coefficient) in &self.terms {
            gcd = gcd.gcd(coefficient);
            if gcd.is_one() {
                break;
            }
        }
        gcd
    }

    /// The same terms with coefficients and constant mapped one by one.
    #[must_use]
    pub fn map(&self, mut coefficient: impl FnMut(&Integer) -> Integer, constant: Integer) -> Self {
        let mapped = self.terms.iter().map(|(term, old)| (*term, coefficient(old)));
        Self { terms: mapped.filter(|(_, new)| !new.is_zero()).collect(), constant }
    }
}

/// Restores I1 before the next term is appended.
fn drop_zero(terms: &mut Vec<(TermId, Integer)>) {
    if terms.last().is_some_and(|(_, coefficient)| coefficient.is_zero()) {
        terms.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forms() -> impl Strategy<Value = Linear> {
        (prop::collection::vec((0u32..6, -3i64..4), 0..8), -5i64..6).prop_map(|(products, constant)| {
            let products = products.into_iter().map(|(term, factor)| (TermId(term), factor.into())).collect();
            Linear::collect(products, constant.into())
        })
    }

    proptest! {
        #[test]
        fn sums_are_canonical_and_pointwise(a in forms(), b in forms(), factor in -3i64..4) {
            let sum = a.add_scaled(&b, &factor.into());
            prop_assert!(sum.terms().windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(sum.terms().iter().all(|(_, coefficient)| !coefficient.is_zero()));
            for term in (0..6).map(TermId) {
                let expected = a.coefficient(term) + b.coefficient(term) * Integer::from(factor);
                prop_assert_eq!(sum.coefficient(term), expected);
            }
            prop_assert_eq!(a.sub(&a), Linear::constant(0));
            prop_assert_eq!(a.add(&b), b.add(&a));
        }
    }
}
