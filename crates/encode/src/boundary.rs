//! Products where a loop is left with a variable at its bound.
//!
//! `while (n <= a) n = n + 1;` is left with `n = a + 1`, which no operation says: `n > a` does, with an invariant. So equations are multiplied by variables here that hold only at the bound: if `n = a + 1`, then `n·x = a·x + x`.
//! Where a product has no symbol, an equation of the program may replace a variable: with `z = 6·n + 6`, also `z·x = 6·a·x + 12·x`.
//!
//! # Invariants
//! * What is added is a consequence of what products are, whatever the premises: an implication that holds for all integers.
//!
//! # Cost
//! At most [`MOST_BOUNDS`] · 2 · ([`MOST_EQUATIONS`] + 1) · [`MOST_MULTIPLIERS`] implications.

use std::collections::BTreeSet;

use cfa::VarId;
use term::{Integer, Linear, Node, TermId};

use crate::encoder::Encoder;
use crate::transition::Transition;

/// Comparisons of two variables.
const MOST_BOUNDS: usize = 3;
/// Equations between variables.
const MOST_EQUATIONS: usize = 3;
/// Variables by which equations are multiplied.
const MOST_MULTIPLIERS: usize = 6;

impl Encoder<'_> {
    /// Adds the products of equations that hold at the bounds which a guard compares.
    pub(crate) fn multiply_boundaries(&mut self, transition: &mut Transition, tested: &BTreeSet<VarId>) {
        let (bounds, equations) = self.comparisons(transition.guard);
        let mut multipliers: Vec<TermId> = Vec::new();
        for var in tested {
            if let Some(symbol) = self.vocabulary.symbol(*var) {
                multipliers.push(self.terms.of_symbol(symbol));
            }
        }
        multipliers.truncate(MOST_MULTIPLIERS);
        for bound in bounds {
            for (premise, form) in self.at_bound(&bound, &equations) {
                for multiplier in &multipliers {
                    if let Some(multiple) = self.known_multiple(&form, *multiplier) {
                        let is_zero = self.terms.eq_zero(&multiple);
                        let fact = self.terms.implies(premise, is_zero);
                        self.require(transition, fact);
                    }
                }
            }
        }
    }

    /// Comparisons of two variables, and equations between variables, that a condition consists of.
    fn comparisons(&self, condition: TermId) -> (Vec<Linear>, Vec<Linear>) {
        let (mut bounds, mut equations) = (Vec::new(), Vec::new());
        for part in self.terms.reachable(&[condition]) {
            let (Node::Le(sum) | Node::Zero(sum)) = *self.terms.node(part) else { continue };
            let form = self.terms.linear(sum);
            let is_plain = |term: &TermId| matches!(self.terms.node(*term), Node::Symbol(symbol) if self.vocabulary.var(*symbol).is_some());
            if form.terms().len() != 2 || !form.terms().iter().all(|(term, _)| is_plain(term)) {
                continue;
            }
            if matches!(self.terms.node(part), Node::Zero(_)) {
                equations.push(form);
            } else if form.terms().iter().all(|(_, factor)| factor.abs().is_one()) {
                bounds.push(form);
            }
        }
        bounds.truncate(MOST_BOUNDS);
        equations.truncate(MOST_EQUATIONS);
        (bounds, equations)
    }

    /// The equations at both sides of a bound `form <= 0`, as they are and with a variable replaced, each with what it rests on.
    fn at_bound(&mut self, bound: &Linear, equations: &[Linear]) -> Vec<(TermId, Linear)> {
        let mut found = Vec::new();
        for side in [bound.clone(), bound.add_constant(&-Integer::ONE)] {
            let is_there = self.terms.eq_zero(&side);
            found.push((is_there, side.clone()));
            for equation in equations {
                let shared = side.terms().iter().find(|(term, _)| !equation.coefficient(*term).is_zero());
                let Some((term, own)) = shared else { continue };
                let other = equation.coefficient(*term);
                let without = side.scale(&other).add_scaled(equation, &-own);
                let is_equation = self.terms.eq_zero(equation);
                found.push((self.terms.and([is_there, is_equation]), without));
            }
        }
        found
    }
}
