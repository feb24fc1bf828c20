//! Facts that an iteration never destroys: if one holds before the loop it holds after any number of iterations. And facts that every iteration
//! establishes, whatever held before.
//!
//! Candidates are the conditions of the loop body itself and those that matter later (exit conditions, assertions): linear
//! inequalities and congruences that are inductive by themselves; for facts that are established also disjunctions of two.
//!
//! # Invariants
//! * W1: a fact is returned only after the solver has shown that no iteration leads from a state that satisfies it to one that does not.

use base::Stop;
use term::{Node, TermId};

use super::query::Query;

/// More candidates than this are not tried.
const MOST_CANDIDATES: usize = 48;

/// Disjunctions are made of so many conditions.
const MOST_PAIRED: usize = 6;
/// More disjunctions than this are not returned.
const MOST_CLAUSES: usize = 6;

/// Those of the candidates, over variables only, that every iteration preserves.
pub(super) fn stable(query: &mut Query<'_>, candidates: &[TermId]) -> Result<Vec<TermId>, Stop> {
    let mut found = Vec::new();
    for candidate in candidates.iter().take(MOST_CANDIDATES) {
        let afterwards = query.primed(*candidate);
        if afterwards == *candidate {
            continue; // does not change at all
        }
        let lost = query.terms.not(afterwards);
        let broken = query.terms.and([*candidate, lost]);
        if query.never(broken)? {
            found.push(*candidate);
        }
    }
    Ok(found)
}

/// Literals over the state, or disjunctions of two, that hold after every iteration though not in every state: of the conditions and their
/// negations.
pub(super) fn established(
    query: &mut Query<'_>,
    conditions: &[TermId],
    facts: TermId,
) -> Result<Vec<TermId>, Stop> {
    let mut found = Vec::new();
    let mut pairs: Vec<[TermId; 2]> = Vec::new();
    for condition in conditions.iter().take(MOST_PAIRED) {
        let literals = [*condition, query.terms.not(*condition)];
        let mut is_open = true;
        for literal in literals {
            if holds_after(query, literal)? {
                // Hulls find those that are inequalities.
                if !matches!(query.terms.node(literal), Node::Le(_) | Node::Zero(_)) {
                    found.push(literal);
                }
                is_open = false;
            }
        }
        if is_open {
            pairs.push(literals);
        }
    }
    let mut clauses = 0;
    for (at, left) in pairs.iter().enumerate() {
        for right in &pairs[at + 1..] {
            for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (*a, *b))) {
                let clause = query.terms.or([a, b]);
                if clauses < MOST_CLAUSES && holds_after(query, clause)? && !follows(query, facts, clause)? {
                    clauses += 1;
                    found.push(clause);
                }
            }
        }
    }
    Ok(found)
}

fn holds_after(query: &mut Query<'_>, condition: TermId) -> Result<bool, Stop> {
    let afterwards = query.primed(condition);
    let lost = query.terms.not(afterwards);
    query.never(lost)
}

/// Whether a condition holds in all states that satisfy the facts: then it says nothing about iterations.
fn follows(query: &mut Query<'_>, facts: TermId, condition: TermId) -> Result<bool, Stop> {
    let negation = query.terms.not(condition);
    let state = query.terms.and([facts, negation]);
    query.is_impossible(state)
}
