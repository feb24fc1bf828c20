//! Equations of a clause are solved for symbols of the clause.

use rustc_hash::FxHashSet;
use term::{Integer, Node, Sort, Substitution, SymbolId, TermId, Terms};

use super::{Part, map_terms};

/// Solves equations `symbol = term` of the constraint, as long as terms stay free of choices.
pub(super) fn solve(terms: &mut Terms, part: &mut Part) {
    loop {
        let solved = solvable(terms, part);
        if solved.is_empty() {
            return;
        }
        let mut substitution = Substitution::new(solved);
        part.clause = part.clause.substitute(terms, &mut substitution);
        map_terms(&mut part.origin, |term| substitution.apply(terms, term));
    }
}

/// Definitions that can be substituted at once: no defined symbol occurs in a definition.
fn solvable(terms: &mut Terms, part: &Part) -> Vec<(SymbolId, TermId)> {
    let mut defined: FxHashSet<SymbolId> = FxHashSet::default();
    let mut used: FxHashSet<SymbolId> = FxHashSet::default();
    let mut solved = Vec::new();
    let conjuncts = terms.conjuncts(part.clause.constraint);
    let all: FxHashSet<TermId> = conjuncts.iter().copied().collect();
    for conjunct in conjuncts {
        let found = definition(terms, conjunct, &defined).or_else(|| tight(terms, conjunct, &all, &defined));
        let Some((symbol, value)) = found else { continue };
        let inner = terms.symbols_of(value);
        if used.contains(&symbol)
            || defined.contains(&symbol)
            || inner.iter().any(|other| *other == symbol || defined.contains(other))
        {
            continue;
        }
        defined.insert(symbol);
        used.extend(inner);
        solved.push((symbol, value));
    }
    solved
}

/// The conjunct as `symbol = value`.
fn definition(
    terms: &mut Terms,
    conjunct: TermId,
    taken: &FxHashSet<SymbolId>,
) -> Option<(SymbolId, TermId)> {
    match terms.node(conjunct).clone() {
        Node::Symbol(symbol) => Some((symbol, Terms::TRUE)),
        Node::Not(inner) => match terms.node(inner) {
            Node::Symbol(symbol) => Some((*symbol, Terms::FALSE)),
            _ => None,
        },
        Node::Zero(sum) => solve_sum(terms, sum, taken),
        Node::Same(a, b) => [(a, b), (b, a)].into_iter().find_map(|(side, value)| match terms.node(side) {
            Node::Symbol(symbol) if !taken.contains(symbol) => Some((*symbol, value)),
            _ => None,
        }),
        Node::Ite(a, b, c) if terms.sort(b) == Sort::Bool && terms.not(b) == c => same(terms, a, b),
        _ => None,
    }
}

/// An inequality whose opposite is a conjunct, too: an equation.
fn tight(
    terms: &mut Terms,
    conjunct: TermId,
    all: &FxHashSet<TermId>,
    taken: &FxHashSet<SymbolId>,
) -> Option<(SymbolId, TermId)> {
    let Node::Le(sum) = *terms.node(conjunct) else { return None };
    let opposite = terms.linear(sum).negate();
    let opposite = terms.le_zero(&opposite);
    if all.contains(&opposite) { solve_sum(terms, sum, taken) } else { None }
}

/// Two booleans are equal: one of them is a symbol, the other a literal.
fn same(terms: &mut Terms, a: TermId, b: TermId) -> Option<(SymbolId, TermId)> {
    let literal = |term: TermId| match terms.node(term) {
        Node::Symbol(symbol) => Some((*symbol, true)),
        Node::Not(inner) => match terms.node(*inner) {
            Node::Symbol(symbol) => Some((*symbol, false)),
            _ => None,
        },
        _ => None,
    };
    let ((symbol, is_positive), (other, _)) = (literal(a)?, literal(b)?);
    let value = if is_positive { b } else { terms.not(b) };
    (symbol != other).then_some((symbol, value))
}

/// A symbol with coefficient one or minus one, and what it equals. Sums with choices or quotients inside are left
/// alone, elements of arrays are not.
fn solve_sum(terms: &mut Terms, sum: TermId, taken: &FxHashSet<SymbolId>) -> Option<(SymbolId, TermId)> {
    let form = terms.linear(sum);
    let mut found = None;
    for (term, coefficient) in form.terms() {
        let symbol = match terms.node(*term) {
            Node::Symbol(symbol) => symbol,
            Node::Select(..) => continue,
            _ => return None,
        };
        if (coefficient.is_one() || *coefficient == -Integer::ONE) && !taken.contains(symbol) {
            found = Some((*symbol, *term, coefficient.clone()));
        }
    }
    let (symbol, term, coefficient) = found?;
    let rest = form.without(term);
    let value = if coefficient.is_one() { rest.negate() } else { rest };
    Some((symbol, terms.of_linear(&value)))
}
