//! The union of two guarded updates without multiplying anything out.
//!
//! Two paths from one branching have guards of the form `common ∧ c ∧ a` and `common ∧ ¬c ∧ b`. Their union is
//! `common ∧ (c ? a : b)`, and what a variable holds is `c ? x : y`.

use term::{Comparison, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

/// How two guards differ.
struct Fork {
    common: Vec<TermId>,
    /// Holds on the left and not on the right, if there is something so simple.
    condition: Option<TermId>,
    /// What else holds on the left only.
    left: Vec<TermId>,
    /// What else holds on the right only.
    right: Vec<TermId>,
}

/// Whether a simple condition tells two guards apart.
pub fn tells_apart(terms: &mut Terms, left: TermId, right: TermId) -> bool {
    fork(terms, left, right).condition.is_some()
}

/// The union of two guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Either {
    /// One of the guards holds.
    pub guard: TermId,
    /// In the union, this selects the left one.
    pub condition: TermId,
    /// Set if nothing simple tells the guards apart: the condition is then this new Skolem constant. The choice itself is arbitrary, which is
    /// always exact.
    pub choice: Option<SymbolId>,
}

/// The union of two guards with a condition that tells them apart.
pub fn either(terms: &mut Terms, left: TermId, right: TermId) -> Either {
    let Fork { common, condition, left, right } = fork(terms, left, right);
    let choice = condition.is_none().then(|| terms.fresh("path", Sort::Bool, SymbolKind::Path));
    let condition = condition.or_else(|| choice.map(|symbol| terms.of_symbol(symbol))).unwrap_or(Terms::TRUE);
    let (left, right) = (terms.and(left), terms.and(right));
    let rest = terms.ite(condition, left, right);
    Either { guard: terms.and(common.into_iter().chain([rest])), condition, choice }
}

/// One of two values. Choices that both are sums of are taken out: what several branches add to is a sum of choices, of the size of the code, and whatever the order of the branches the same.
pub fn choose(terms: &mut Terms, condition: TermId, [left, right]: [TermId; 2]) -> TermId {
    let is_sum = |terms: &Terms, value: TermId| matches!(terms.node(value), Node::Linear(_) | Node::Ite(..));
    if left == right || terms.sort(left) != Sort::Int || !is_sum(terms, left) || !is_sum(terms, right) {
        return terms.ite(condition, left, right);
    }
    let (left_form, right_form) = (terms.linear(left), terms.linear(right));
    let mut common = Linear::constant(0);
    for (part, factor) in left_form.terms() {
        if matches!(terms.node(*part), Node::Ite(..)) && right_form.coefficient(*part) == *factor {
            common = common.add(&Linear::monomial(*part, factor.clone()));
        }
    }
    let (left_rest, right_rest) = (left_form.sub(&common), right_form.sub(&common));
    let rest = [terms.of_linear(&left_rest), terms.of_linear(&right_rest)];
    let chosen = terms.ite(condition, rest[0], rest[1]);
    let common = terms.of_linear(&common);
    terms.add(common, chosen)
}

fn fork(terms: &mut Terms, left: TermId, right: TermId) -> Fork {
    let Comparison { common, left, right } = terms.compare_conjuncts(left, right);
    if let Some((condition, left, right)) = opposite(terms, &left, &right) {
        return Fork { common, condition: Some(condition), left, right };
    }
    if let Some((condition, right, left)) = opposite(terms, &right, &left) {
        return Fork { common, condition: Some(terms.not(condition)), left, right };
    }
    Fork { common, condition: None, left, right }
}

/// A part of `from` that is the negation of one or several parts of `other`; and both without these.
fn opposite(
    terms: &mut Terms,
    from: &[TermId],
    other: &[TermId],
) -> Option<(TermId, Vec<TermId>, Vec<TermId>)> {
    for part in from {
        let negation = terms.not(*part);
        let negated = terms.conjuncts(negation);
        if negated.iter().all(|part| other.contains(part)) {
            let from = from.iter().copied().filter(|kept| kept != part).collect();
            let other = other.iter().copied().filter(|kept| !negated.contains(kept)).collect();
            return Some((*part, from, other));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atoms(terms: &mut Terms) -> [TermId; 3] {
        ["a", "b", "c"].map(|name| {
            let x = terms.constant(name, Sort::Int, SymbolKind::Variable);
            let zero = terms.int(0);
            terms.le(x, zero)
        })
    }

    #[test]
    fn what_branches_add_to_is_a_sum_of_choices() {
        let mut terms = Terms::new();
        let [a, b, _] = atoms(&mut terms);
        let (one, minus_one) = (terms.int(1), terms.int(-1));
        let count = |terms: &mut Terms, conditions: [TermId; 2]| {
            let mut value = terms.int(0);
            for condition in conditions {
                let steps = [terms.add(value, one), terms.add(value, minus_one)];
                value = choose(terms, condition, steps);
            }
            value
        };
        assert_eq!(count(&mut terms, [a, b]), count(&mut terms, [b, a]));
    }

    #[test]
    fn complementary_branches_leave_what_they_share() {
        let mut terms = Terms::new();
        let [a, b, _] = atoms(&mut terms);
        let not_b = terms.not(b);
        let (left, right) = (terms.and([a, b]), terms.and([a, not_b]));
        assert_eq!(either(&mut terms, left, right), Either { guard: a, condition: b, choice: None });
    }

    #[test]
    fn a_conjunction_and_its_negation_are_told_apart() {
        let mut terms = Terms::new();
        let [a, b, c] = atoms(&mut terms);
        let both = terms.and([a, b]);
        let not_both = terms.not(both);
        let (left, right) = (terms.and([both, c]), terms.and([not_both, c]));
        assert!(tells_apart(&mut terms, left, right));
        assert_eq!(either(&mut terms, left, right).guard, c);
    }

    #[test]
    fn unrelated_guards_are_an_arbitrary_choice() {
        let mut terms = Terms::new();
        let [a, b, _] = atoms(&mut terms);
        assert!(!tells_apart(&mut terms, a, b));
        let union = either(&mut terms, a, b);
        let choice = union.choice.map(|symbol| terms.of_symbol(symbol));
        assert_eq!(choice, Some(union.condition));
    }
}
