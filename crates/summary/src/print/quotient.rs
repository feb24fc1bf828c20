//! Wrap-around as people write it: `x' = (x + k) mod 256` instead of `x' = x + k - 256·q` with a bounded rest.
//!
//! # Invariants
//! * Q1: a quotient is replaced only where the conjuncts fix it: `0 <= u - m·q < m` has one solution for q. So equivalence is kept, with the quotient
//!   existential.

use term::{Integer, Linear, Node, Substitution, SymbolId, TermId, Terms};

/// Quotients are replaced one after the other, so often.
const MAX_ROUNDS: usize = 60;

/// Removes symbols that conjuncts fix as quotients, as far as they may go.
pub(super) fn substitute_quotients(
    terms: &mut Terms,
    formula: TermId,
    may_go: &dyn Fn(&Terms, SymbolId) -> bool,
) -> TermId {
    let mut formula = formula;
    for _ in 0..MAX_ROUNDS {
        let Some((symbol, value)) = quotient(terms, formula, may_go) else { break };
        let replaced = Substitution::new([(symbol, value)]).apply(terms, formula);
        formula = with_remainders(terms, replaced);
    }
    formula
}

/// A symbol that is a quotient, and of what.
fn quotient(
    terms: &mut Terms,
    formula: TermId,
    may_go: &dyn Fn(&Terms, SymbolId) -> bool,
) -> Option<(SymbolId, TermId)> {
    let conjuncts = terms.conjuncts(formula);
    let forms: Vec<Linear> = conjuncts
        .iter()
        .filter_map(|conjunct| match terms.node(*conjunct) {
            Node::Le(sum) => Some(terms.linear(*sum)),
            _ => None,
        })
        .collect();
    for lower in &forms {
        for (term, factor) in lower.terms() {
            let Node::Symbol(symbol) = *terms.node(*term) else { continue };
            if *factor <= Integer::ONE || !may_go(terms, symbol) {
                continue;
            }
            // m·q - u <= 0, and its counterpart u - m·q <= rest with rest < m.
            let is_counterpart = |upper: &&Linear| {
                let sum = lower.add(upper);
                sum.as_constant().is_some_and(|constant| &-constant < factor)
            };
            if !forms.iter().any(|upper| is_counterpart(&upper)) {
                continue;
            }
            let divided = terms.of_linear(&lower.without(*term).negate());
            if !terms.mentions(divided, &[symbol]) {
                return Some((symbol, terms.div(divided, factor)));
            }
        }
    }
    None
}

/// Writes `u - m·(u div m)` as `u mod m`, and leaves out what a modulus makes disappear.
pub(super) fn with_remainders(terms: &mut Terms, formula: TermId) -> TermId {
    terms.rewrite(formula, |terms, term| match terms.node(term).clone() {
        Node::Le(sum) => {
            let form = remainders(terms, sum);
            terms.le_zero(&form)
        }
        Node::Zero(sum) => {
            let form = remainders(terms, sum);
            terms.eq_zero(&form)
        }
        Node::Divides(divisor, sum) => {
            let form = remainders(terms, sum);
            let form = flat(terms, &form, &divisor);
            terms.divides_linear(&divisor, &form)
        }
        Node::Mod(sum, divisor) => {
            let form = remainders(terms, sum);
            let form = flat(terms, &form, &divisor);
            let sum = terms.of_linear(&form);
            terms.modulo(sum, &divisor)
        }
        _ => term,
    })
}

/// A sum with remainders for multiples of quotients.
fn remainders(terms: &mut Terms, sum: TermId) -> Linear {
    let mut form = terms.linear(sum);
    for (term, factor) in form.clone().terms() {
        if let Node::Div(divided, divisor) = terms.node(*term).clone()
            && divisor.divides(factor)
        {
            // c·(u div m) is c/m·(u - u mod m).
            let times = factor.div_floor(&divisor);
            let (whole, rest) = (terms.linear(divided), terms.modulo(divided, &divisor));
            form = form.without(*term).add_scaled(&whole, &times);
            form = form.add_scaled(&Linear::monomial(rest, 1), &-times);
        }
    }
    form
}

/// A sum that counts modulo a number only: remainders of its multiples are as good as what they are remainders of.
fn flat(terms: &Terms, form: &Linear, modulus: &Integer) -> Linear {
    let mut flat = form.clone();
    for (term, factor) in form.terms() {
        if let Node::Mod(divided, divisor) = terms.node(*term)
            && modulus.divides(&(divisor.clone() * factor.clone()))
        {
            flat = flat.without(*term).add_scaled(&terms.linear(*divided), factor);
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use term::{Evaluator, Model, Sort, SymbolKind};

    use super::*;

    #[test]
    fn a_wrapped_sum_is_a_remainder() {
        let mut terms = Terms::new();
        let [x, y, q] = ["x", "y", "q"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Skolem));
        let [x_term, y_term, q_term] = [x, y, q].map(|symbol| terms.of_symbol(symbol));
        let (zero, last, wraps) = (terms.int(0), terms.int(255), terms.scale(&Integer::from(256), q_term));
        let wrapped = terms.sub(x_term, wraps);
        let parts = [terms.ge(wrapped, zero), terms.le(wrapped, last), terms.eq(y_term, wrapped)];
        let formula = terms.and(parts);
        let shorter = substitute_quotients(&mut terms, formula, &|_, symbol| symbol == q);
        assert!(!terms.mentions(shorter, &[q]));
        for (number, expected) in [(0, 0), (255, 255), (256, 0), (-1, 255), (1000, 232)] {
            for value in [0, 232, 255] {
                let mut model = Model::new();
                model.set_int(x, number);
                model.set_int(y, value);
                assert_eq!(
                    Evaluator::new(&terms, &model).holds(shorter),
                    value == expected,
                    "{number} {value}"
                );
            }
        }
    }

    #[test]
    fn a_rest_that_may_be_too_large_fixes_nothing() {
        let mut terms = Terms::new();
        let [x, q] = ["x", "q"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Skolem));
        let [x_term, q_term] = [x, q].map(|symbol| terms.of_symbol(symbol));
        let (zero, last, wraps) = (terms.int(0), terms.int(256), terms.scale(&Integer::from(256), q_term));
        let wrapped = terms.sub(x_term, wraps);
        let parts = [terms.ge(wrapped, zero), terms.le(wrapped, last)];
        let formula = terms.and(parts);
        assert_eq!(substitute_quotients(&mut terms, formula, &|_, symbol| symbol == q), formula);
    }
}
