//! Where values of a loop body wrap around, by the shape of its terms.
//!
//! The encoding writes a sum that may leave its type as a choice between two values that differ by the period of the type, or as a remainder.
//! That is recognised here, and nowhere else, by the shape.
//!
//! # Cost
//! Linear in the number of terms.

use term::{Integer, Node, Sort, TermId, Terms};

use encode::Transition;

/// The widths of types whose values may wrap around.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

fn is_period(number: &Integer) -> bool {
    WIDTHS.iter().any(|width| *number == Integer::power_of_two(*width))
}

/// The periods with which values of a body wrap around: choices between numbers that far apart, and remainders.
pub(super) fn periods(terms: &Terms, body: &Transition) -> Vec<Integer> {
    let roots: Vec<TermId> = body.update.values().copied().collect();
    let mut found: Vec<Integer> = Vec::new();
    for term in terms.reachable(&roots) {
        let distance = match terms.node(term) {
            Node::Ite(_, yes, no) if terms.sort(*yes) == Sort::Int => {
                terms.linear(*yes).sub(&terms.linear(*no)).as_constant().map(Integer::abs)
            }
            Node::Mod(_, divisor) => Some(divisor.clone()),
            _ => None,
        };
        found.extend(distance.filter(is_period));
    }
    found.sort();
    found.dedup();
    found
}

/// The usual value of a choice between two values that differ by the period of a type, and the condition of the unusual one.
pub(super) fn wrapped(terms: &mut Terms, term: TermId) -> Option<(TermId, TermId)> {
    let Node::Ite(condition, yes, no) = *terms.node(term) else { return None };
    if terms.sort(term) != Sort::Int {
        return None;
    }
    let (yes_form, no_form) = (terms.linear(yes), terms.linear(no));
    let difference = yes_form.sub(&no_form);
    if !is_period(&difference.as_constant()?.abs()) {
        return None;
    }
    if yes_form.constant_part().abs() < no_form.constant_part().abs() {
        Some((yes, terms.not(condition)))
    } else {
        Some((no, condition))
    }
}
