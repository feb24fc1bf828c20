//! Unreachable code: what control cannot reach, and what cannot reach a violation.
//!
//! # Meaning
//! Executions that cannot get to a violation any more end where that becomes certain, silently. All others
//! are unchanged, so the error is reachable in the new program if and only if it is in the old one, by the
//! same inputs.

use super::back::BackTranslation;
use super::build::{self, NewEdge, replace_procedures};
use super::relevance::{Relevance, kept_edges};
use cfa::{Loc, Program};

/// Removes what does not lie between an entry and a violation.
pub fn prune(program: &Program) -> (Program, BackTranslation) {
    let relevance = Relevance::new(program);
    replace_procedures(program, |proc| {
        if !relevance.live[proc] {
            return build::stub(program, proc);
        }
        let procedure = &program.procs[proc];
        let mut keep = relevance.locations[proc].clone();
        for edge in kept_edges(program, &relevance, proc) {
            // After an edge that may itself be a violation nothing need matter.
            keep[procedure.edges()[edge].target] = true;
        }
        let edges = kept_edges(program, &relevance, proc);
        let edges = edges.map(|edge| NewEdge::same(program, proc, edge));
        build::procedure(program, proc, |location: Loc| keep[location], edges)
    })
}
