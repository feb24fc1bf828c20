//! How people write linear atoms: `i' = i + k`, `k ≥ 0`, `x < y`.

use crate::{Integer, Linear, Node, SymbolKind, TermId, Terms};

/// A relation between two sums.
pub(super) struct Relation {
    pub(super) left: Linear,
    pub(super) operator: Operator,
    pub(super) right: Linear,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Less,
    AtMost,
    AtLeast,
    Greater,
    Equal,
    Different,
}

/// `form ≤ 0`, with the more interesting side on the left and no negative coefficients.
pub(super) fn at_most_zero(terms: &Terms, form: &Linear) -> Relation {
    let (positive, negative) = split(form);
    let constant = form.constant_part();
    let is_main = |side: &Linear| side.terms().iter().any(|(term, _)| Some(*term) == main_term(terms, form));
    let is_strict = constant.is_one() && !positive.terms().is_empty() && !negative.terms().is_empty();
    let constant = if is_strict { Integer::ZERO } else { constant.clone() };
    if is_main(&positive) {
        let operator = if is_strict { Operator::Less } else { Operator::AtMost };
        Relation { left: positive, operator, right: negative.with_constant(-constant) }
    } else {
        let operator = if is_strict { Operator::Greater } else { Operator::AtLeast };
        Relation { left: negative, operator, right: positive.with_constant(constant) }
    }
}

/// `form = 0` or `form ≠ 0`, solved for a term if one has coefficient one.
pub(super) fn equal_to_zero(terms: &Terms, form: &Linear, operator: Operator) -> Relation {
    let is_unit = |coefficient: &Integer| coefficient.abs().is_one();
    let primed = form.terms().iter().find(|(term, factor)| is_unit(factor) && is_primed(terms, *term));
    let unit = primed.or_else(|| form.terms().iter().find(|(_, factor)| is_unit(factor)));
    if let Some((term, factor)) = unit {
        let rest = form.without(*term);
        let right = if factor.is_one() { rest.negate() } else { rest };
        return Relation { left: Linear::monomial(*term, 1), operator, right };
    }
    let (positive, negative) = split(form);
    let negative = negative.with_constant(-form.constant_part());
    Relation { left: positive, operator, right: negative }
}

/// The terms with positive coefficients, and the negated others; without the constant.
fn split(form: &Linear) -> (Linear, Linear) {
    let part = |is_wanted: fn(&Integer) -> bool, form: &Linear| {
        let keep = |factor: &Integer| if is_wanted(factor) { factor.clone() } else { Integer::ZERO };
        form.map(keep, Integer::ZERO)
    };
    (part(Integer::is_positive, form), part(Integer::is_positive, &form.negate()))
}

/// The term that readers look for: a value afterwards, else the first.
fn main_term(terms: &Terms, form: &Linear) -> Option<TermId> {
    let mut all = form.terms().iter().map(|(term, _)| *term);
    all.clone().find(|term| is_primed(terms, *term)).or_else(|| all.next())
}

fn is_primed(terms: &Terms, term: TermId) -> bool {
    matches!(terms.node(term), Node::Symbol(symbol) if terms.symbol(*symbol).kind == SymbolKind::Primed)
}
