//! Sums of elements of arrays as symbols of their own.
//!
//! The symbol Σ⟨a,t⟩ stands for the sum of the elements of `a` at 0 up to before `t`, of mathematical integers, 0 if `t` is not positive. Its change is linear in elements: if `t` grows by one, it grows by `a[t]`; if
//! `a[w]` is written and counts, it grows by what the element does. So `s == Σ⟨a,i⟩` is an invariant like any other, and sums of the same elements are equal whichever loops compute them
//! ([`values::sums`] chooses which).
//!
//! # Meaning
//! A symbol for a sum has, at every location, the value of the sum. Elements outside of an array hold something that nothing changes.
//!
//! # Invariants
//! * U1: the value at the end of a piece is computed from the array and the bound at its end alone. Where that is not linear it is a Skolem constant: rounded up.
//! * U2: what is said of sums in a guard, that they are equal if their bounds are, is a consequence of their meaning.
//!
//! # Cost
//! For each sum terms linear in the stores of a piece.

use term::{Integer, Node, Sort, SymbolId, SymbolKind, TermId};
use values::state::State;
use values::sums::{Bound, Sum};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Bounds that move further than this are rounded up.
const MOST_ELEMENTS: i64 = 8;
/// Stores and choices of one array beyond this number are not followed.
const MOST_STEPS: u32 = 64;

/// A bound where the piece starts: its value, the sum that ends there, and whether the bound is known not to be negative.
struct Known {
    bound: TermId,
    value: TermId,
    is_natural: bool,
}

/// Whether two sums differ in their bounds alone.
fn is_alike(one: &Sum, other: &Sum) -> bool {
    one.array == other.array && one.of == other.of
}

impl Encoder<'_> {
    /// The sums that may have changed, at the end of a piece. What is known of those at its start is added to the guard.
    pub(crate) fn sums(&mut self, transition: &mut Transition, start: &State) -> Vec<(SymbolId, TermId)> {
        let all: Vec<(SymbolId, Sum)> = self.vocabulary.sums().collect();
        let mut values = Vec::new();
        for (symbol, sum) in &all {
            let Some(array) = self.vocabulary.summed(sum) else { continue };
            let own = self.bound(&sum.bound);
            let bound = match *self.terms.node(own) {
                Node::Symbol(symbol) => transition.value(self.terms, symbol),
                _ => own,
            };
            let contents = transition.value(self.terms, array);
            let is_same = bound == own && contents == self.terms.of_symbol(array);
            if is_same {
                continue;
            }
            let known = self.known_sums(sum, &all, start);
            let mut steps = MOST_STEPS;
            let value = self.sum(array, contents, bound, &known, &mut steps);
            values.push((*symbol, value.unwrap_or_else(|| self.unknown_sum())));
        }
        self.equal_sums(transition, &all);
        values
    }

    fn bound(&mut self, bound: &Bound) -> TermId {
        match bound {
            Bound::Number(number) => self.terms.number(Integer::from(*number)),
            Bound::Variable(var) => {
                let symbol = self.vocabulary.symbol(*var).expect("a bound should be a scalar");
                self.terms.of_symbol(symbol)
            }
        }
    }

    fn known_sums(&mut self, of: &Sum, all: &[(SymbolId, Sum)], start: &State) -> Vec<Known> {
        let zero = self.terms.int(0);
        let mut known = vec![Known { bound: zero, value: zero, is_natural: true }];
        for (symbol, sum) in all.iter().filter(|(_, sum)| is_alike(sum, of)) {
            let is_natural = match sum.bound {
                Bound::Number(number) => number >= 0,
                Bound::Variable(var) => start.get(var).is_some_and(|value| value.low() >= 0),
            };
            known.push(Known {
                bound: self.bound(&sum.bound),
                value: self.terms.of_symbol(*symbol),
                is_natural,
            });
        }
        known
    }

    /// The sum of the elements that an array has by stores into that of the start, up to a bound.
    fn sum(
        &mut self,
        array: SymbolId,
        contents: TermId,
        bound: TermId,
        known: &[Known],
        steps: &mut u32,
    ) -> Option<TermId> {
        *steps = steps.checked_sub(1)?;
        match *self.terms.node(contents) {
            Node::Store(before, at, value) => {
                let rest = self.sum(array, before, bound, known, steps)?;
                let old = self.terms.select(before, at);
                let growth = self.terms.sub(value, old);
                let counted = self.counts(at, bound);
                let zero = self.terms.int(0);
                let growth = self.terms.ite(counted, growth, zero);
                Some(self.terms.add(rest, growth))
            }
            Node::Ite(condition, yes, no) => {
                let yes = self.sum(array, yes, bound, known, steps)?;
                let no = self.sum(array, no, bound, known, steps)?;
                Some(self.terms.ite(condition, yes, no))
            }
            // All elements are 0.
            Node::ConstArray(value) => {
                let is_zero = self.terms.as_number(value).is_some_and(Integer::is_zero);
                is_zero.then_some(value)
            }
            Node::Symbol(symbol) if symbol == array => self.prefix(contents, bound, known, steps),
            _ => None,
        }
    }

    fn counts(&mut self, at: TermId, bound: TermId) -> TermId {
        let zero = self.terms.int(0);
        let above = self.terms.le(zero, at);
        let below = self.terms.lt(at, bound);
        self.terms.and([above, below])
    }

    /// The sum of the elements at the start up to a bound near one whose sum is known.
    fn prefix(&mut self, array: TermId, bound: TermId, known: &[Known], steps: &mut u32) -> Option<TermId> {
        if let Node::Ite(condition, yes, no) = *self.terms.node(bound) {
            *steps = steps.checked_sub(1)?;
            let yes = self.prefix(array, yes, known, steps)?;
            let no = self.prefix(array, no, known, steps)?;
            return Some(self.terms.ite(condition, yes, no));
        }
        let limit = Integer::from(MOST_ELEMENTS);
        let mut nearest: Option<(&Known, Integer)> = None;
        for from in known {
            let distance = self.terms.linear(bound).sub(&self.terms.linear(from.bound));
            let Some(distance) = distance.as_constant().filter(|distance| distance.abs() <= limit) else {
                continue;
            };
            if nearest.as_ref().is_none_or(|(_, other)| distance.abs() < other.abs()) {
                nearest = Some((from, distance.clone()));
            }
        }
        let (from, distance) = nearest?;
        let distance = distance.to_i64()?;
        let mut value = from.value;
        for step in 0..distance.abs() {
            let offset = if distance > 0 { step } else { -step - 1 };
            let offset = self.terms.int(offset);
            let at = self.terms.add(from.bound, offset);
            let mut element = self.terms.select(array, at);
            if !(from.is_natural && distance > 0) {
                let zero = self.terms.int(0);
                let counts = self.terms.le(zero, at);
                element = self.terms.ite(counts, element, zero);
            }
            value =
                if distance > 0 { self.terms.add(value, element) } else { self.terms.sub(value, element) };
        }
        Some(value)
    }

    /// U1.
    fn unknown_sum(&mut self) -> TermId {
        let symbol = self.terms.fresh("sum", Sort::Int, SymbolKind::Skolem);
        let origin = Origin::Rounded(Rounding::Sum);
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, origin });
        self.terms.of_symbol(symbol)
    }

    /// U2: sums of one array with equal bounds are equal.
    fn equal_sums(&mut self, transition: &mut Transition, all: &[(SymbolId, Sum)]) {
        for (number, (symbol, sum)) in all.iter().enumerate() {
            for (other, _) in all[..number].iter().filter(|(_, other)| is_alike(other, sum)) {
                let bounds = [self.bound(&sum.bound), self.bound_of(*other, all)];
                if self.are_apart(transition.guard, bounds) {
                    continue;
                }
                let is_there = self.terms.eq(bounds[0], bounds[1]);
                let (one, other) = (self.terms.of_symbol(*symbol), self.terms.of_symbol(*other));
                let same = self.terms.eq(one, other);
                let fact = self.terms.implies(is_there, same);
                self.require(transition, fact);
            }
        }
    }

    fn bound_of(&mut self, symbol: SymbolId, all: &[(SymbolId, Sum)]) -> TermId {
        let (_, sum) = all.iter().find(|(known, _)| *known == symbol).expect("one of them");
        self.bound(&sum.bound)
    }

    /// Whether a condition says, by one of its conjuncts, that two terms differ.
    fn are_apart(&mut self, condition: TermId, [left, right]: [TermId; 2]) -> bool {
        let difference = self.terms.linear(left).sub(&self.terms.linear(right));
        let is_positive = |rest: Option<&Integer>| rest.is_some_and(Integer::is_positive);
        self.terms.conjuncts(condition).into_iter().any(|part| match *self.terms.node(part) {
            Node::Le(sum) => {
                let form = self.terms.linear(sum);
                is_positive(form.sub(&difference).as_constant())
                    || is_positive(form.sub(&difference.negate()).as_constant())
            }
            _ => false,
        })
    }
}
