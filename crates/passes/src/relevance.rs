//! Which locations and edges lie on the way to a violation.
//!
//! # Definitions
//! A procedure *may fail* if from its entry control may get to its error location, or to a call of one that may
//! fail; overflows are error locations ([`instrument`](fn@super::instrument)). A location *matters* if an execution
//! there may still get to a violation: in its own procedure, or in a caller after a return. The exit matters if the
//! location after some call does; calls are not told apart.

use base::{Idx, IndexVec};

use super::calls::CallGraph;
use cfa::loops::Digraph;
use cfa::{Edge, EdgeId, Expr, Loc, Op, ProcId, Program};

type Flags = IndexVec<ProcId, IndexVec<Loc, bool>>;

/// The result of the analysis.
pub(crate) struct Relevance {
    /// Whether a location can be reached from the procedure's entry and matters.
    pub(crate) locations: Flags,
    /// Procedures that may be called on the way to a violation.
    pub(crate) live: IndexVec<ProcId, bool>,
    /// Procedures after whose return a violation may come.
    pub(crate) exit_matters: IndexVec<ProcId, bool>,
    may_fail: IndexVec<ProcId, bool>,
    returns: IndexVec<ProcId, bool>,
}

impl Relevance {
    pub(crate) fn new(program: &Program) -> Self {
        let calls = CallGraph::new(program);
        let (reached, returns) = find_returning(program, &calls);
        let count = program.procs.len();
        let mut relevance = Self {
            locations: IndexVec::filled(IndexVec::new(), count),
            live: IndexVec::filled(false, count),
            exit_matters: IndexVec::filled(false, count),
            may_fail: IndexVec::filled(false, count),
            returns,
        };
        relevance.find_failing(program, &calls, &reached);
        relevance.find_mattering(program, &reached);
        relevance
    }

    /// Whether an edge may itself lead to a violation, whatever comes after it.
    pub(crate) fn edge_fails(&self, edge: &Edge) -> bool {
        edge.ops.iter().any(|op| self.op_fails(op))
    }

    /// Whether an operation may itself lead to a violation.
    pub(crate) fn op_fails(&self, op: &Op) -> bool {
        op.call_targets().iter().any(|target| self.may_fail[*target])
    }

    /// Whether a violation may come before an activation of the procedure ends.
    pub(crate) fn may_fail(&self, proc: ProcId) -> bool {
        self.may_fail[proc]
    }

    /// Whether a call may return.
    pub(crate) fn returns(&self, call: &Op) -> bool {
        call.call_targets().iter().any(|target| self.returns[*target])
    }

    /// Whether an edge is on the way to a violation.
    pub(crate) fn keeps(&self, program: &Program, proc: ProcId, edge: &Edge) -> bool {
        let locations = &self.locations[proc];
        let arrives = locations[edge.target] && passes(program, &self.returns, edge);
        locations[edge.source] && (arrives || self.edge_fails(edge))
    }

    fn find_failing(&mut self, program: &Program, calls: &CallGraph, reached: &Flags) {
        let mut callers: IndexVec<ProcId, Vec<ProcId>> = IndexVec::filled(Vec::new(), program.procs.len());
        let mut pending = Vec::new();
        for (proc, procedure) in program.procs.iter_enumerated() {
            for site in &calls.sites[proc] {
                if reached[proc][procedure.edges()[site.edge].source] {
                    for target in site.op(program).call_targets() {
                        callers[*target].push(proc);
                    }
                }
            }
            let error = procedure.error.is_some_and(|error| reached[proc][error]);
            if error {
                pending.push(proc);
            }
        }
        while let Some(proc) = pending.pop() {
            if !std::mem::replace(&mut self.may_fail[proc], true) {
                pending.extend(&callers[proc]);
            }
        }
    }

    /// From the entry procedure into callees: a callee is looked at again when its exit turns out to matter.
    fn find_mattering(&mut self, program: &Program, reached: &Flags) {
        let mut pending = vec![program.entry];
        self.live[program.entry] = true;
        while let Some(proc) = pending.pop() {
            let procedure = &program.procs[proc];
            let failing = procedure.edges().iter().filter(|edge| self.edge_fails(edge));
            let mut roots: Vec<Loc> = failing.map(|edge| edge.source).collect();
            roots.extend(procedure.error);
            if self.exit_matters[proc] {
                roots.push(procedure.exit);
            }
            let mut matters = passing_graph(program, proc, &self.returns).reversed().reachable(roots);
            for (location, flag) in matters.iter_mut().enumerate() {
                *flag &= reached[proc][Loc::new(location)];
            }
            self.locations[proc] = matters;
            for edge in procedure.edges() {
                if !self.keeps(program, proc, edge) {
                    continue;
                }
                let after = self.locations[proc][edge.target];
                for target in edge.ops.iter().flat_map(Op::call_targets) {
                    let newly = !self.live[*target] || (after && !self.exit_matters[*target]);
                    self.live[*target] = true;
                    self.exit_matters[*target] |= after;
                    if newly {
                        pending.push(*target);
                    }
                }
            }
        }
    }
}

/// What can be reached in each procedure from its entry, and which procedures may return.
fn find_returning(program: &Program, calls: &CallGraph) -> (Flags, IndexVec<ProcId, bool>) {
    let mut returns: IndexVec<ProcId, bool> = IndexVec::filled(false, program.procs.len());
    let mut reached: Flags =
        program.procs.iter().map(|procedure| IndexVec::filled(false, procedure.locations.len())).collect();
    // Callees first: without recursion the second round changes nothing.
    loop {
        let mut changed = false;
        for proc in calls.order.iter().rev() {
            let procedure = &program.procs[*proc];
            reached[*proc] = passing_graph(program, *proc, &returns).reachable([procedure.entry]);
            if reached[*proc][procedure.exit] && !std::mem::replace(&mut returns[*proc], true) {
                changed = true;
            }
        }
        if !changed {
            return (reached, returns);
        }
    }
}

/// Whether control may get to the end of an edge.
fn passes(program: &Program, returns: &IndexVec<ProcId, bool>, edge: &Edge) -> bool {
    edge.ops.iter().all(|op| match op {
        Op::Halt { .. } => false,
        Op::Call { .. } => op.call_targets().iter().any(|target| returns[*target]),
        Op::Assume { cond } => !matches!(program.exprs.get(*cond), Expr::Const { bits: 0, .. }),
        _ => true,
    })
}

/// The control flow of a procedure without the edges that never get to their target.
fn passing_graph(program: &Program, proc: ProcId, returns: &IndexVec<ProcId, bool>) -> Digraph {
    let procedure = &program.procs[proc];
    let passing: Vec<(Loc, Loc, EdgeId)> = procedure
        .edges()
        .iter_enumerated()
        .filter(|(_, edge)| passes(program, returns, edge))
        .map(|(id, edge)| (edge.source, edge.target, id))
        .collect();
    Digraph::new(procedure.locations.len(), passing.into_iter())
}

/// The edges of a procedure that are kept.
pub(crate) fn kept_edges<'a>(
    program: &'a Program,
    relevance: &'a Relevance,
    proc: ProcId,
) -> impl Iterator<Item = EdgeId> + 'a {
    let edges = program.procs[proc].edges().iter_enumerated();
    edges
        .filter(move |(_, edge)| relevance.live[proc] && relevance.keeps(program, proc, edge))
        .map(|(id, _)| id)
}
