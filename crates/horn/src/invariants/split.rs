//! Comparisons that tell the cases of a predicate apart.
//!
//! A clause of the predicate that tests an argument against a number has found a case: `n <= 100`, `m = 0`. Where an argument is compared with a number by equality, or has few values, neighbouring numbers are cases, too: what is derived for m = 2 takes what is derived
//! for m = 1.
//!
//! # Invariants
//! * I1: the choice depends on the system alone, and is a matter of precision, not of soundness.

use std::collections::{BTreeMap, BTreeSet};

use term::{Integer, Node, SymbolId, TermId, Terms};

use crate::system::{Atom, Clause, PredicateId, System};

/// More conditions are not used for one argument.
const MOST_OF_ONE: usize = 4;
/// More conditions are not used for one predicate.
const MOST: usize = 6;
/// Numbers of this size come from ranges of types.
const FAR: i64 = 1 << 30;

/// Conditions `formal <= number` that clauses with the predicate as head test.
pub(crate) fn comparisons(terms: &mut Terms, system: &System, predicate: PredicateId) -> Vec<TermId> {
    let formals = &system.predicates[predicate].formals;
    let mut found: BTreeMap<usize, BTreeSet<Integer>> = BTreeMap::new();
    for clause in &system.clauses {
        let Some(head) = clause.head.as_ref().filter(|head| head.predicate == predicate) else { continue };
        for (position, bounds) in tested(terms, clause, head) {
            found.entry(position).or_default().extend(bounds);
        }
    }
    let mut conditions = Vec::new();
    for (position, bounds) in found {
        for bound in bounds.into_iter().take(MOST_OF_ONE) {
            let (formal, bound) = (terms.of_symbol(formals[position]), terms.number(bound));
            conditions.push(terms.le(formal, bound));
        }
    }
    conditions.truncate(MOST);
    conditions
}

/// For arguments of the head that are symbols, the numbers that the constraint compares them with.
fn tested(terms: &Terms, clause: &Clause, head: &Atom) -> Vec<(usize, Vec<Integer>)> {
    let mut positions: BTreeMap<SymbolId, usize> = BTreeMap::new();
    for (position, argument) in head.arguments.iter().enumerate() {
        if let Node::Symbol(symbol) = terms.node(*argument) {
            positions.entry(*symbol).or_insert(position);
        }
    }
    let mut found = Vec::new();
    for atom in terms.reachable(&[clause.constraint]) {
        let (Node::Le(sum) | Node::Zero(sum)) = terms.node(atom) else { continue };
        let form = terms.linear(*sum);
        let [(term, factor)] = form.terms() else { continue };
        let Node::Symbol(symbol) = terms.node(*term) else { continue };
        let Some(position) = positions.get(symbol).filter(|_| factor.abs().is_one()) else { continue };
        // `factor * x + constant <= 0`, or `= 0`.
        let number =
            if factor.is_one() { -form.constant_part().clone() } else { form.constant_part().clone() };
        if number.to_i64().is_none_or(|number| number.unsigned_abs() >= FAR.unsigned_abs()) {
            continue;
        }
        let bounds = match terms.node(atom) {
            Node::Zero(_) => {
                let (one, two) = (&number + Integer::ONE, &number + Integer::ONE + Integer::ONE);
                vec![&number - Integer::ONE, number, one, two]
            }
            _ if factor.is_one() => vec![number],
            _ => vec![number - Integer::ONE],
        };
        found.push((*position, bounds));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least number of 64 bits has no absolute value of 64 bits.
    #[test]
    fn numbers_at_the_end_of_64_bits_come_from_types() {
        let mut terms = Terms::new();
        let text = "(set-logic HORN)\n(declare-fun p (Int) Bool)\n\
            (assert (forall ((x Int)) (=> (and (>= x (- 9223372036854775808)) (<= x 100)) (p x))))\n\
            (assert (forall ((x Int)) (=> (and (p x) (> x 100)) false)))\n(check-sat)\n";
        let system = crate::read(&mut terms, text).expect("the text should be a system");
        let predicate = system.predicates.ids().next().expect("there is a predicate");
        assert_eq!(comparisons(&mut terms, &system, predicate).len(), 1);
    }
}
