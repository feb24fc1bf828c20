//! Candidates of loops that make each element from the one before.
//!
//! `a[k] == a[k - 1] + g(k)` with one element that is known has the closed form `a[k] == a[first] + g(first + 1) + ... + g(k)`. For a polynomial `g` of degree two at most that is a polynomial with integer coefficients, or a half, a third or a sixth of one.
//! `g` may come from other arrays: of each the facts that are known are tried in turn.
//!
//! # Cost
//! No question: wrong candidates are dropped where they are proved.

use std::collections::BTreeSet;

use graph::elements::{ElementFact, Relation};
use term::{Integer, Node, Substitution, SymbolId, TermId, Terms};

use super::candidates::{Claim, MAX_CHOICES, Walk, Walker};

impl Walk<'_> {
    /// The candidates, each with the loop as it is from the known element on.
    pub(super) fn recurrences(
        &mut self,
        walker: &Walker,
        before: &[ElementFact],
        unchanged: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
    ) -> Vec<(Walker, Claim)> {
        let mut found: Vec<(Walker, Claim)> = Vec::new();
        if !walker.step.abs().is_one() {
            return found;
        }
        let Some(mut written) = walker.written else { return found };
        let k = self.terms.of_symbol(self.ghost);
        let mut known = before.to_vec();
        if let Some((at, first, elsewhere)) = self.first_apart(k, written) {
            written = elsewhere;
            let value = Substitution::new([(self.ghost, at)]).apply(self.terms, first);
            let condition = self.terms.eq(k, at);
            known.push(ElementFact { array: walker.array, condition, relation: Relation::Equal, value });
        }
        for choice in 0..MAX_CHOICES {
            let Some(growth) = self.growth(walker, written, (unchanged, choice), changed) else { continue };
            for fact in &known {
                if let Some((walker, claim)) = self.summed(walker, fact, growth, unchanged, changed)
                    && found.iter().all(|(_, known)| known.value != claim.value)
                {
                    found.push((walker, claim));
                }
            }
        }
        found
    }

    /// What an element is more than the one before, over the ghost and what does not change.
    fn growth(
        &mut self,
        walker: &Walker,
        written: TermId,
        (unchanged, choice): (&[ElementFact], usize),
        changed: &BTreeSet<SymbolId>,
    ) -> Option<TermId> {
        let k = self.terms.of_symbol(self.ghost);
        let array = self.terms.of_symbol(walker.array);
        let step = self.terms.number(walker.step.clone());
        let last = self.terms.sub(k, step);
        let last = self.terms.select(array, last);
        let written = self.told(written, unchanged, choice);
        let growth = self.terms.sub(written, last);
        self.is_over(&[growth], changed).then_some(growth)
    }

    /// The closed form from an element that is known.
    fn summed(
        &mut self,
        walker: &Walker,
        fact: &ElementFact,
        growth: TermId,
        unchanged: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
    ) -> Option<(Walker, Claim)> {
        let k = self.terms.of_symbol(self.ghost);
        let start_value = self.told(fact.value, unchanged, 0);
        let Node::Zero(sum) = *self.terms.node(fact.condition) else { return None };
        let form = self.terms.linear(sum);
        let factor = form.coefficient(k);
        let is_known = self.is_over(&[fact.condition, start_value], changed);
        if !factor.abs().is_one() || fact.relation != Relation::Equal || !is_known {
            return None;
        }
        let rest = form.without(k);
        let first = if factor.is_positive() { rest.negate() } else { rest };
        let first = self.terms.of_linear(&first);
        let start = Substitution::new([(self.ghost, first)]).apply(self.terms, walker.solution);
        let (multiple, divisor) = self.sum_of(growth, &walker.step, first)?;
        let grown = self.terms.div(multiple, &divisor);
        let value = self.terms.add(start_value, grown);
        let claim = Claim { condition: Terms::TRUE, relation: Relation::Equal, value };
        Some((Walker { start, ..walker.clone() }, claim))
    }

    /// The sum of a polynomial of the ghost over the indices behind `first` up to the ghost: a multiple of it, and of how many.
    pub(super) fn sum_of(
        &mut self,
        growth: TermId,
        step: &Integer,
        first: TermId,
    ) -> Option<(TermId, Integer)> {
        let k = self.terms.of_symbol(self.ghost);
        let square = self.terms.mul(k, k);
        let form = self.terms.linear(growth);
        let (linear, quadratic) = (form.coefficient(k), form.coefficient(square));
        let constant = form.without(k).without(square);
        let constant = self.terms.of_linear(&constant);
        if self.terms.symbols_of(constant).contains(&self.ghost) {
            return None;
        }
        let distance = self.terms.sub(k, first);
        if linear.is_zero() && quadratic.is_zero() {
            let distance = self.terms.scale(step, distance);
            return Some((self.terms.mul(constant, distance), Integer::ONE));
        }
        if !step.is_one() {
            return None;
        }
        // Six times the sums up to an index: 3 x (x + 1) of the index, x (x + 1) (2 x + 1) of its square.
        let mut sums = Vec::new();
        for at in [k, first] {
            let one = self.terms.int(1);
            let next = self.terms.add(at, one);
            let pair = self.terms.mul(at, next);
            let twice = self.terms.add(at, next);
            let triple = self.terms.mul(pair, twice);
            let (pair, triple) = (
                self.terms.scale(&(&linear * &Integer::from(3)), pair),
                self.terms.scale(&quadratic, triple),
            );
            sums.push(self.terms.add(pair, triple));
        }
        let difference = self.terms.sub(sums[0], sums[1]);
        let even = self.terms.mul(constant, distance);
        let even = self.terms.scale(&Integer::from(6), even);
        let all = self.terms.add(difference, even);
        let form = self.terms.linear(all);
        let common =
            form.terms().iter().fold(form.constant_part().abs(), |common, (_, factor)| common.gcd(factor));
        let common = common.gcd(&Integer::from(6));
        let multiple = form.map(|factor| factor.div_floor(&common), form.constant_part().div_floor(&common));
        Some((self.terms.of_linear(&multiple), Integer::from(6).div_floor(&common)))
    }

    /// A value with what facts say of each element in it that does not change, whether or not the condition holds there: of each array one fact, the number `choice` of those known, or the last.
    pub(super) fn told(&mut self, value: TermId, unchanged: &[ElementFact], choice: usize) -> TermId {
        let ghost = self.ghost;
        self.terms.rewrite(value, |terms, part| {
            let Node::Select(array, index) = *terms.node(part) else { return part };
            let Node::Symbol(symbol) = *terms.node(array) else { return part };
            let is_used = |fact: &&ElementFact| fact.array == symbol && fact.relation == Relation::Equal;
            let mut known: Vec<&ElementFact> = unchanged.iter().filter(is_used).collect();
            // What is known of many elements first.
            known.sort_by_key(|fact| {
                let conjuncts = terms.conjuncts(fact.condition);
                conjuncts.iter().any(|conjunct| matches!(terms.node(*conjunct), Node::Zero(_)))
            });
            match known.get(choice).or(known.last()) {
                Some(fact) => Substitution::new([(ghost, index)]).apply(terms, fact.value),
                None => part,
            }
        })
    }
}
