//! Removes choices from a loop body that no iteration makes.
//!
//! A condition inside the body that holds in all iterations, or in none, is replaced by its truth: choices disappear, and with
//! them the variables whose closed form they hid. Alternatives of the guard that no iteration takes are removed.
//!
//! # Invariants
//! * D1: the result is equivalent to the body for states that satisfy the facts, and lead to such states: every change is justified by the
//!   original relation.

use base::Stop;
use term::{Node, TermId, Terms};

use super::Body;
use super::query::Query;
use graph::transition::TransitionFormula;

/// More conditions than this are not tried.
const MOST_CONDITIONS: usize = 64;

/// An equivalent body for states that satisfy the facts.
pub(super) fn simplify(query: &mut Query<'_>, body: &Body) -> Result<Body, Stop> {
    let mut fixed: Vec<(TermId, TermId)> = Vec::new();
    for condition in conditions(query.terms, body).into_iter().take(MOST_CONDITIONS) {
        let negation = query.terms.not(condition);
        if query.never(negation)? {
            fixed.extend([(condition, Terms::TRUE), (negation, Terms::FALSE)]);
        } else if query.never(condition)? {
            fixed.extend([(condition, Terms::FALSE), (negation, Terms::TRUE)]);
        }
    }
    let mut map = std::collections::BTreeMap::new();
    for (symbol, value) in &body.formula.map {
        let value = query.terms.rewrite(*value, |_, part| {
            fixed.iter().find(|(condition, _)| *condition == part).map_or(part, |(_, truth)| *truth)
        });
        map.insert(*symbol, value);
    }
    let guard = simplify_guard(query, body.formula.guard)?;
    let formula = TransitionFormula { guard, map };
    Ok(Body { formula, facts: body.facts, live: body.live.clone(), hints: body.hints.clone() })
}

fn simplify_guard(query: &mut Query<'_>, guard: TermId) -> Result<TermId, Stop> {
    let mut conjuncts = Vec::new();
    for part in query.terms.conjuncts(guard) {
        let Node::Or(alternatives) = query.terms.node(part) else {
            conjuncts.push(part);
            continue;
        };
        let alternatives = alternatives.to_vec();
        let mut possible = Vec::new();
        for alternative in alternatives {
            if !query.never(alternative)? {
                possible.push(alternative);
            }
        }
        conjuncts.push(query.terms.or(possible));
    }
    Ok(query.terms.and(conjuncts))
}

/// The atoms on which the new values depend.
fn conditions(terms: &Terms, body: &Body) -> Vec<TermId> {
    let roots: Vec<TermId> = body.formula.map.values().copied().collect();
    let is_atom = |term: &TermId| {
        matches!(terms.node(*term), Node::Le(_) | Node::Zero(_) | Node::Divides(..) | Node::Same(..))
    };
    terms.reachable(&roots).into_iter().filter(is_atom).collect()
}
