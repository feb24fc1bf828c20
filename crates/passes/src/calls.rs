//! The call graph.

use base::{Idx, IndexVec};

use cfa::loops::{Digraph, LoopForest};
use cfa::{EdgeId, Loc, Op, ProcId, Program};

/// A call operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSite {
    pub(crate) proc: ProcId,
    pub(crate) edge: EdgeId,
    pub(crate) op: usize,
}

impl CallSite {
    pub(crate) fn op<'a>(&self, program: &'a Program) -> &'a Op {
        &program.procs[self.proc].edges()[self.edge].ops[self.op]
    }
}

/// The calls of a program, and an order of the procedures that can be reached from its entry.
pub(crate) struct CallGraph {
    /// The calls in each procedure.
    pub(crate) sites: IndexVec<ProcId, Vec<CallSite>>,
    /// Callers first, as far as recursion allows.
    pub(crate) order: Vec<ProcId>,
    recursive: IndexVec<ProcId, bool>,
}

impl CallGraph {
    pub(crate) fn new(program: &Program) -> Self {
        let mut sites = IndexVec::filled(Vec::new(), program.procs.len());
        for (proc, procedure) in program.procs.iter_enumerated() {
            for (edge, content) in procedure.edges().iter_enumerated() {
                for (position, op) in content.ops.iter().enumerate() {
                    if matches!(op, Op::Call { .. }) {
                        sites[proc].push(CallSite { proc, edge, op: position });
                    }
                }
            }
        }
        // Loops of the graph of procedures are recursions.
        let arcs: Vec<(Loc, Loc, EdgeId)> = sites
            .iter()
            .flatten()
            .flat_map(|site: &CallSite| {
                let targets = site.op(program).call_targets().iter();
                targets.map(|target| (Loc::new(site.proc.index()), Loc::new(target.index()), EdgeId(0)))
            })
            .collect();
        let graph = Digraph::new(program.procs.len(), arcs.into_iter());
        let forest = LoopForest::new(&graph, Loc::new(program.entry.index()));
        let recursive = program.procs.ids().map(|proc| forest.innermost(Loc::new(proc.index())).is_some());
        Self {
            sites,
            order: forest.order().iter().map(|node| ProcId::new(node.index())).collect(),
            recursive: recursive.collect(),
        }
    }
    /// Whether an activation of the procedure may contain another one.
    pub(crate) fn is_recursive(&self, proc: ProcId) -> bool {
        self.recursive[proc]
    }
}
