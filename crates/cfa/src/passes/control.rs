//! Control dependence within a procedure.
//!
//! # Paper
//! Ferrante, Ottenstein and Warren 1987, section 3.1: a location is control dependent on a branch if it postdominates one of the
//! branch's ways and not the branch itself. Postdominators are the dominators of the reversed graph, from a virtual end that follows
//! every way in which the procedure may be left: the error, the exit if what comes after it matters, and edges that may fail.

use base::{Idx, IndexVec};

use crate::loops::{Digraph, Dominators};
use crate::{EdgeId, Loc, Procedure};

/// What decides whether control gets to a location.
pub(crate) struct ControlDependence {
    deciding: IndexVec<Loc, Vec<Loc>>,
    postdominator: IndexVec<Loc, Option<Loc>>,
}

impl ControlDependence {
    pub(crate) fn new(procedure: &Procedure, exit_matters: bool, fails: impl Fn(EdgeId) -> bool) -> Self {
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
        if exit_matters {
            arcs.push((procedure.exit, end, none));
        }
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
