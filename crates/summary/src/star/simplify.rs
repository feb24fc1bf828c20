//! Removes choices from a loop body that no iteration makes.
//!
//! A condition inside the body that holds in all iterations, or in none, is replaced by its truth: choices disappear, and with
//! them the variables whose closed form they hid. Alternatives of the guard that no iteration takes are removed.
//!
//! # Invariants
//! * B1: the result is equivalent to the body for states that satisfy the facts, and lead to such states: every change is justified by the
//!   original relation.
//!
//! # Cost
//! At most two questions for each of [`MAX_CONDITIONS`] conditions, and one for each alternative of the guard.

use base::Stop;
use term::{Linear, Node, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::Body;
use super::loop_body::LoopBody;
use encode::Transition;

/// More conditions than this are not tried.
const MAX_CONDITIONS: usize = 64;

/// An equivalent body for states that satisfy the facts.
pub(super) fn simplify(body: &mut LoopBody<'_>) -> Result<Body, Stop> {
    let definition = body.definition.clone();
    let mut fixed: Vec<(TermId, TermId)> = Vec::new();
    for condition in conditions(body.terms, &definition).into_iter().take(MAX_CONDITIONS) {
        let negation = body.terms.not(condition);
        if body.never(negation)? {
            fixed.extend([(condition, Terms::TRUE), (negation, Terms::FALSE)]);
        } else if body.never(condition)? {
            fixed.extend([(condition, Terms::FALSE), (negation, Terms::TRUE)]);
        }
    }
    let mut update = std::collections::BTreeMap::new();
    for (symbol, value) in &definition.formula.update {
        let value = body.terms.rewrite(*value, |_, part| {
            fixed.iter().find(|(condition, _)| *condition == part).map_or(part, |(_, truth)| *truth)
        });
        update.insert(*symbol, value);
    }
    let guard = simplify_guard(body, definition.formula.guard)?;
    let mut formula = Transition { guard, update };
    // Events need closed forms of inner loops. Elsewhere the choice is better: it keeps the bodies of outer loops small.
    if !definition.cells.is_empty() {
        formula = determined(body.terms, formula);
    }
    Ok(Body { formula, ..definition })
}

/// Choices that the guard determines are replaced by what they are: the number of iterations of an inner loop, most often.
fn determined(terms: &mut Terms, mut formula: Transition) -> Transition {
    while let Some((symbol, value)) = equation(terms, formula.guard) {
        let mut substitution = Substitution::new([(symbol, value)]);
        formula.guard = substitution.apply(terms, formula.guard);
        for value in formula.update.values_mut() {
            *value = substitution.apply(terms, *value);
        }
    }
    formula
}

/// A choice that a conjunction determines: by an equation, or by two opposite bounds.
fn equation(terms: &mut Terms, guard: TermId) -> Option<(SymbolId, TermId)> {
    let conjuncts = terms.conjuncts(guard);
    let bounds: Vec<Linear> = conjuncts
        .iter()
        .filter_map(|part| match *terms.node(*part) {
            Node::Le(form) => Some(terms.linear(form)),
            _ => None,
        })
        .collect();
    let equations = conjuncts.iter().filter_map(|part| match *terms.node(*part) {
        Node::Zero(form) => Some(terms.linear(form)),
        Node::Le(form) => {
            let form = terms.linear(form);
            bounds.contains(&form.negate()).then_some(form)
        }
        _ => None,
    });
    for form in equations.collect::<Vec<_>>() {
        for (part, factor) in form.terms() {
            let Node::Symbol(symbol) = *terms.node(*part) else { continue };
            let is_unit = factor.is_one() || (-factor).is_one();
            if terms.symbol(symbol).kind == SymbolKind::Variable || !is_unit {
                continue;
            }
            let rest = form.without(*part);
            let value = if factor.is_one() { rest.negate() } else { rest };
            let value = terms.of_linear(&value);
            if !terms.mentions(value, &[symbol]) {
                return Some((symbol, value));
            }
        }
    }
    None
}

fn simplify_guard(body: &mut LoopBody<'_>, guard: TermId) -> Result<TermId, Stop> {
    let mut conjuncts = Vec::new();
    for part in body.terms.conjuncts(guard) {
        let Node::Or(alternatives) = body.terms.node(part) else {
            conjuncts.push(part);
            continue;
        };
        let alternatives = alternatives.to_vec();
        let mut possible = Vec::new();
        for alternative in alternatives {
            if !body.never(alternative)? {
                possible.push(alternative);
            }
        }
        conjuncts.push(body.terms.or(possible));
    }
    Ok(body.terms.and(conjuncts))
}

/// The atoms on which the new values depend.
fn conditions(terms: &Terms, body: &Body) -> Vec<TermId> {
    let roots: Vec<TermId> = body.formula.update.values().copied().collect();
    let is_atom = |term: &TermId| {
        matches!(terms.node(*term), Node::Le(_) | Node::Zero(_) | Node::Divides(..) | Node::Same(..))
    };
    terms.reachable(&roots).into_iter().filter(is_atom).collect()
}
