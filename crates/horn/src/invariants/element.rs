//! An abstract state of integers: an affine hull, and bounds and a stride of each of some sums.
//!
//! # Invariants
//! * I1: every point that was joined satisfies all facts.

use term::{Integer, Linear, SymbolId, TermId, Terms};

use super::hull::Hull;

/// A bound is widened when it has changed so often.
pub(super) const PATIENCE: u32 = 3;
/// With more variables only single ones are bounded.
const PAIR_LIMIT: usize = 14;

/// A sum of one or two variables: indices and signs.
pub(crate) type Form = Vec<(usize, Integer)>;

/// The sums that are looked at, of so many variables.
pub(crate) fn forms(variables: usize) -> Vec<Form> {
    let mut forms: Vec<Form> = (0..variables).map(|index| vec![(index, Integer::ONE)]).collect();
    if variables <= PAIR_LIMIT {
        for a in 0..variables {
            for b in a + 1..variables {
                forms.push(vec![(a, Integer::ONE), (b, -Integer::ONE)]);
                forms.push(vec![(a, Integer::ONE), (b, Integer::ONE)]);
            }
        }
    }
    forms
}

fn value(form: &Form, point: &[Integer]) -> Integer {
    form.iter().fold(Integer::ZERO, |sum, (index, sign)| sum + &(sign * &point[*index]))
}

/// What is known of one sum.
#[derive(Clone, Debug)]
struct Range {
    /// The least value, unless there is none, and how often it changed.
    least: (Option<Integer>, u32),
    /// The greatest value, unless there is none, and how often it changed.
    greatest: (Option<Integer>, u32),
    /// The first value, and what divides the distance of all others from it.
    first: Integer,
    stride: Integer,
}

/// An abstract state.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    hull: Hull,
    ranges: Vec<Range>,
}

impl Element {
    /// The state of one point.
    pub(crate) fn new(point: &[Integer], forms: &[Form]) -> Self {
        let range = |form: &Form| {
            let value = value(form, point);
            Range {
                least: (Some(value.clone()), 0),
                greatest: (Some(value.clone()), 0),
                first: value,
                stride: Integer::ZERO,
            }
        };
        Self { hull: Hull::new(point), ranges: forms.iter().map(range).collect() }
    }

    /// The state with one more point.
    pub(super) fn join(&mut self, point: &[Integer], forms: &[Form], thresholds: &[Integer]) {
        self.hull.join(point);
        for (range, form) in self.ranges.iter_mut().zip(forms) {
            range.join(&value(form, point), thresholds);
        }
    }

    /// A state that includes both.
    pub(crate) fn merge(mut self, other: &Self, forms: &[Form]) -> Self {
        debug_assert_eq!(self.ranges.len(), forms.len());
        self.hull.merge(&other.hull);
        for (range, other) in self.ranges.iter_mut().zip(&other.ranges) {
            range.merge(other);
        }
        self
    }

    /// What all points satisfy (I1).
    pub(crate) fn facts(&self, terms: &mut Terms, variables: &[SymbolId], forms: &[Form]) -> Vec<TermId> {
        let symbols: Vec<TermId> = variables.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
        let mut facts = Vec::new();
        for (coefficients, value) in self.hull.equations() {
            let products = symbols.iter().copied().zip(coefficients).collect();
            facts.push(terms.eq_zero(&Linear::collect(products, -value)));
        }
        for (range, form) in self.ranges.iter().zip(forms) {
            let products = form.iter().map(|(index, sign)| (symbols[*index], sign.clone())).collect();
            range.facts(terms, &Linear::collect(products, Integer::ZERO), &mut facts);
        }
        facts
    }
}

impl Range {
    fn join(&mut self, value: &Integer, thresholds: &[Integer]) {
        let (least, changes) = &mut self.least;
        if least.as_ref().is_some_and(|least| value < least) {
            *changes += 1;
            let has_patience = *changes <= PATIENCE;
            let threshold = || thresholds.iter().rev().find(|threshold| *threshold <= value).cloned();
            *least = if has_patience { Some(value.clone()) } else { threshold() };
        }
        let (greatest, changes) = &mut self.greatest;
        if greatest.as_ref().is_some_and(|greatest| value > greatest) {
            *changes += 1;
            let has_patience = *changes <= PATIENCE;
            let threshold = || thresholds.iter().find(|threshold| *threshold >= value).cloned();
            *greatest = if has_patience { Some(value.clone()) } else { threshold() };
        }
        self.stride = self.stride.gcd(&(value - &self.first));
    }

    fn merge(&mut self, other: &Self) {
        let least = match (&self.least.0, &other.least.0) {
            (Some(a), Some(b)) => Some(a.clone().min(b.clone())),
            _ => None,
        };
        let greatest = match (&self.greatest.0, &other.greatest.0) {
            (Some(a), Some(b)) => Some(a.clone().max(b.clone())),
            _ => None,
        };
        self.least.0 = least;
        self.greatest.0 = greatest;
        self.stride = self.stride.gcd(&other.stride).gcd(&(&self.first - &other.first));
    }

    /// The facts about a sum. That it is constant is an equation of the hull.
    fn facts(&self, terms: &mut Terms, form: &Linear, facts: &mut Vec<TermId>) {
        if self.stride.is_zero() {
            return;
        }
        if let (Some(least), _) = &self.least {
            facts.push(terms.le_zero(&form.negate().add_constant(least)));
        }
        if let (Some(greatest), _) = &self.greatest {
            facts.push(terms.le_zero(&form.add_constant(&-greatest.clone())));
        }
        if !self.stride.is_one() {
            facts.push(terms.divides_linear(&self.stride, &form.add_constant(&-self.first.clone())));
        }
    }
}
