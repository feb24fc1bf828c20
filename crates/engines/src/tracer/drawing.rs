//! The tree as the paper draws it.
//!
//! # Paper
//! [Tracer12] figures 6 to 9: interpolants in boxes, infeasible leaves, edges to the nodes that subsume others, and at loop heads what the state is abstracted to.

use engine::{NodeState, SearchTree};
use graph::tree::NodeId;
use term::{TermId, print};

use super::symbolic_execution::Execution;
use crate::draw;

impl Execution<'_> {
    /// The tree for people.
    pub(super) fn drawing(&self) -> SearchTree {
        let mut drawn = draw::tree(self.space, &self.tree, &self.logic.terms);
        for (at, node) in drawn.nodes.iter_mut().enumerate() {
            let id = NodeId(at as u32);
            let info = &self.infos[at];
            if node.state == NodeState::Covered
                && node.cover.is_some_and(|by| !self.tree.is_below(id, NodeId(by as u32)))
            {
                node.state = NodeState::Subsumed;
            }
            if let Some(widened) = &info.widened {
                node.state = NodeState::Widened;
                node.kept = self.text(&widened.kept);
                node.dropped = self.text(&widened.dropped());
            }
            if info.rest.is_some() {
                node.state = NodeState::Partly;
            }
        }
        drawn
    }

    fn text(&self, clauses: &[TermId]) -> String {
        draw::joined(clauses.iter().map(|clause| print::text(&self.logic.terms, *clause)))
    }
}
