//! Checks that the analysis of values discharges: no edge that stands for one of them can be taken.
//!
//! # Invariants
//! * V1: what is discharged fails in no execution.

use std::collections::BTreeSet;

use base::{Budget, Stop};
use passes::{CheckId, Prepared};

/// The checks of a program that no edge of its prepared form may still violate.
pub(crate) fn discharged(task: &Prepared<'_>, budget: &mut Budget) -> Result<BTreeSet<CheckId>, Stop> {
    let Some(errors) = task.errors() else { return Ok(BTreeSet::new()) };
    let program = task.program();
    let mut left: BTreeSet<CheckId> = errors.checks.ids().collect();
    for (proc, procedure) in program.procs.iter_enumerated() {
        let Some(error) = procedure.error else { continue };
        let facts = values::analyze(program, procedure, budget)?;
        for (id, edge) in procedure.edges().iter_enumerated().filter(|(_, edge)| edge.target == error) {
            let Some(mut state) = facts.at(edge.source).cloned() else { continue };
            if !edge.ops.iter().all(|op| state.execute(program, op)) {
                continue;
            }
            let violates = errors.of_edge(proc, id);
            if violates.is_empty() {
                // It is not known what the edge stands for.
                return Ok(BTreeSet::new());
            }
            for check in violates {
                left.remove(check);
            }
        }
    }
    Ok(left)
}
