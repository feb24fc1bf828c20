//! The call graph, its recursive components, and what procedures read and write.

mod footprint;
mod shape;

use base::{Idx, IndexVec};

use cfa::loops::{Digraph, LoopForest};
use cfa::{EdgeId, Loc, Op, ProcId, Program};

pub(crate) use footprint::{Footprint, Memory, footprints, loads};
pub(crate) use shape::{has_live_objects, is_linear, is_tail};

/// A call operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Procedures that may call each other, directly or not, callees first. Only what can be reached from the entry.
    pub(crate) components: Vec<Component>,
    /// The component of a recursive procedure.
    component: IndexVec<ProcId, Option<u32>>,
}

/// A strongly connected component of the call graph that has a call: each activation of a member may contain one of every member.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// The procedures, ascending.
    pub(crate) members: Vec<ProcId>,
}

impl Component {
    /// Whether a procedure is a member.
    pub(crate) fn contains(&self, proc: ProcId) -> bool {
        self.members.binary_search(&proc).is_ok()
    }
    /// Whether an operation may enter a member.
    pub(crate) fn is_entered_by(&self, op: &Op) -> bool {
        op.call_targets().iter().any(|target| self.contains(*target))
    }
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
        // Outermost loops of the graph of procedures are its components.
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
        let mut component = IndexVec::filled(None, program.procs.len());
        let mut components = Vec::new();
        // The order is topological, callers first.
        let outermost = forest.order().iter().filter_map(|node| forest.headed_by(*node));
        for id in outermost.filter(|id| forest.loops()[*id].parent.is_none()) {
            let members = forest.body(id).iter().map(|node| ProcId::new(node.index()));
            let mut members: Vec<ProcId> = members.collect();
            members.sort_unstable();
            components.push(Component { members });
        }
        components.reverse();
        for (number, found) in components.iter().enumerate() {
            for member in &found.members {
                component[*member] = Some(number as u32);
            }
        }
        let order = forest.order().iter().map(|node| ProcId::new(node.index())).collect();
        Self { sites, order, components, component }
    }
    /// Whether an activation of the procedure may contain another one.
    pub(crate) fn is_recursive(&self, proc: ProcId) -> bool {
        self.component[proc].is_some()
    }
    /// The component of a recursive procedure.
    pub(crate) fn component(&self, proc: ProcId) -> Option<&Component> {
        self.component[proc].map(|number| &self.components[number as usize])
    }
    /// The calls by which members of a component call members.
    pub(crate) fn inner_sites<'a>(
        &'a self,
        program: &'a Program,
        component: &'a Component,
    ) -> impl Iterator<Item = CallSite> + 'a {
        let sites = component.members.iter().flat_map(|member| &self.sites[*member]).copied();
        sites.filter(|site| component.is_entered_by(site.op(program)))
    }
    /// The members of a component that are called by other procedures than members.
    pub(crate) fn called_from_outside(&self, program: &Program, component: &Component) -> Vec<ProcId> {
        let mut outer = Vec::new();
        for caller in self.order.iter().filter(|caller| !component.contains(**caller)) {
            for site in &self.sites[*caller] {
                let targets = site.op(program).call_targets().iter();
                outer.extend(targets.copied().filter(|target| component.contains(*target)));
            }
        }
        outer.sort_unstable();
        outer.dedup();
        outer
    }
}
