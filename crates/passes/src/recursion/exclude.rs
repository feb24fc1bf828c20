//! Recursive procedures without what no activation of them does.
//!
//! A procedure is written for all arguments, and called with some. What the others would do makes recursion look more complicated than it is: `mult(n, m)`
//! may begin with `if (m < 0) return mult(n, -m)` and be called with numbers that are not negative.
//!
//! # Meaning
//! The same executions: edges go that no execution takes, by the analysis of values across calls ([`values::entry_facts`]), and edges that end the execution.

use base::Budget;
use rustc_hash::FxHashSet;

use crate::back::BackTranslation;
use crate::build::{self, NewEdge, replace_procedures};
use crate::calls::CallGraph;
use crate::relevance::Relevance;
use cfa::{EdgeId, ProcId, Program};

/// Ticks for the analysis: hundredths of a second.
const MAX_TICKS: u64 = 1 << 18;

/// Removes edges of recursive procedures that no execution takes.
pub(crate) fn exclude(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    let mut excluded: FxHashSet<(ProcId, EdgeId)> = FxHashSet::default();
    let relevance = Relevance::new(program);
    let mut budget = Budget::ticks(MAX_TICKS);
    if let Ok(entries) = values::entry_facts(program, &mut budget) {
        for component in &calls.components {
            for member in &component.members {
                let procedure = &program.procs[*member];
                let Some(start) = &entries[*member] else { continue };
                let facts = values::analyze_from(program, procedure, start, &mut budget);
                let Ok(facts) = facts else { continue };
                for (id, edge) in procedure.edges().iter_enumerated() {
                    let after = facts.at(edge.source).and_then(|state| values::after(program, edge, state));
                    // What ends the execution may come after a call that fails.
                    if after.is_none() && !relevance.edge_fails(edge) {
                        excluded.insert((*member, id));
                    }
                }
            }
        }
    }
    replace_procedures(program, |proc| {
        let edges = program.procs[proc].edges().ids().filter(|edge| !excluded.contains(&(proc, *edge)));
        let edges = edges.map(|edge| NewEdge::same(program, proc, edge));
        build::procedure(program, proc, |_| true, edges)
    })
}
