//! Control dependence within a procedure.
//!
//! # Paper
//! Ferrante, Ottenstein and Warren 1987, section 3.1: a location is control dependent on a branch if it
//! postdominates one of the branch's ways and not the branch itself. Postdominators are the dominators of the
//! reversed graph, from a virtual end that follows every way in which the procedure may be left: the error,
//! the exit if what comes after it matters, and edges that may fail.
//!
//! # Loops without end
//! Loops are taken to end, so that one which computes nothing of interest is not a decision. But where a
//! violation is the only way to leave, as in `while (1) { ...; if (bad) error(); }`, staying in the loop for
//! ever is the alternative: the end also follows the header of an outermost loop from which nothing but
//! violations can be reached otherwise.

use base::{Idx, IndexVec};

use cfa::loops::{Digraph, Dominators};
use cfa::{EdgeId, Loc, Procedure};

/// What decides whether control gets to a location.
pub(crate) struct ControlDependence {
    deciding: IndexVec<Loc, Vec<Loc>>,
    postdominator: IndexVec<Loc, Option<Loc>>,
}

impl ControlDependence {
    /// Of a procedure. `returning` is its exit if what comes after it matters; `fails` marks the edges that may fail.
    pub(crate) fn new(procedure: &Procedure, returning: Option<Loc>, fails: impl Fn(EdgeId) -> bool) -> Self {
        let count = procedure.locations.len();
        let end = Loc::new(count);
        let none = EdgeId(u32::MAX);
        let mut arcs: Vec<(Loc, Loc, EdgeId)> = Vec::new();
        for (id, edge) in procedure.edges().iter_enumerated() {
            arcs.push((edge.source, edge.target, id));
            if fails(id) {
                arcs.push((edge.source, end, none));
            }
        }
        arcs.extend(procedure.error.map(|error| (error, end, none)));
        let endless = endless_headers(procedure, returning);
        arcs.extend(returning.into_iter().chain(endless).map(|location| (location, end, none)));
        let backward =
            Digraph::new(count + 1, arcs.iter().map(|(source, target, id)| (*target, *source, *id)));
        let tree = Dominators::new(&backward, end);
        let mut deciding: IndexVec<Loc, Vec<Loc>> = IndexVec::filled(Vec::new(), count + 1);
        let forward = Digraph::new(count + 1, arcs.into_iter());
        for branch in procedure.locations.ids() {
            let ways = forward.successors(branch);
            if ways.len() < 2 || !tree.is_reached(branch) {
                continue;
            }
            let meeting = tree.immediate(branch);
            for (way, _) in ways {
                let mut at = Some(*way).filter(|way| tree.is_reached(*way));
                while let Some(location) = at.filter(|location| Some(*location) != meeting) {
                    if deciding[location].last() != Some(&branch) {
                        deciding[location].push(branch);
                    }
                    at = tree.immediate(location);
                }
            }
        }
        let postdominator = procedure.locations.ids().map(|location| tree.immediate(location));
        let postdominator = postdominator.map(|meeting| meeting.filter(|meeting| *meeting != end)).collect();
        Self { deciding, postdominator }
    }
    /// The branches on which a location is control dependent.
    pub(crate) fn deciding(&self, location: Loc) -> &[Loc] {
        &self.deciding[location]
    }
    /// Where all ways from a location meet again; `None` if they do not.
    pub(crate) fn meeting(&self, location: Loc) -> Option<Loc> {
        self.postdominator[location]
    }
}

/// The headers of outermost loops from which control can neither return nor get into another such loop.
fn endless_headers(procedure: &Procedure, returning: Option<Loc>) -> Vec<Loc> {
    let forest = procedure.loops();
    let backward = Digraph::of(procedure).reversed();
    let mut harmless = backward.reachable(returning);
    let mut endless = Vec::new();
    // Outermost loops are numbered in topological order: what comes later is looked at first.
    for looped in forest.loops().as_slice().iter().rev().filter(|looped| looped.parent.is_none()) {
        if harmless[looped.header] {
            continue;
        }
        endless.push(looped.header);
        harmless[looped.header] = true;
        let mut pending = vec![looped.header];
        while let Some(location) = pending.pop() {
            for (source, _) in backward.successors(location) {
                if !std::mem::replace(&mut harmless[*source], true) {
                    pending.push(*source);
                }
            }
        }
    }
    endless
}
