//! Facts that an iteration never destroys: if one holds before the loop it holds after any number of iterations.
//!
//! Candidates are the conditions of the loop body itself and those that matter later (exit conditions, assertions): linear
//! inequalities and congruences that are inductive by themselves.
//!
//! # Invariants
//! * W1: a fact is returned only after the solver has shown that no iteration leads from a state that satisfies it to one that does not.

use base::Stop;
use term::TermId;

use super::query::Query;

/// More candidates than this are not tried.
const MOST_CANDIDATES: usize = 48;

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
