//! TRYCOVER: nodes whose states another node represents.
//!
//! # Paper
//! [Gps25] §5.2, procedure `TRYCOVER` (figure 6): the label of an ancestor at the same point is a candidate invariant of the cycle to the node. If the path
//! between them preserves it, interpolants hand the label down, and the ancestor covers the node. As in [Impact06], a node may also be covered by
//! an older node at its point whose label is weaker, after its own label became stronger.
//!
//! # Invariants
//! * V1: a node that is covered has a label that implies that of the node that covers it.
//!
//! # Cost
//! One query for each ancestor at the point; one for each older node at the point of each node of a refined path. Answers about labels are kept.

use graph::tree::NodeId;
use paths::PathFormula;
use smt::Answer;
use term::TermId;
use verdict::Reason;

use super::Search;

/// What the search does to cover nodes.
pub(crate) trait Cover {
    /// Tries to cover a frontier node before it is looked at; whether it is covered now.
    fn try_cover(&self, search: &mut Search<'_>, node: NodeId) -> Result<bool, Reason>;

    /// Tries to cover nodes of a path whose labels became stronger.
    fn close(&self, search: &mut Search<'_>, node: NodeId) -> Result<(), Reason>;
}

/// Covers by ancestors, and by older nodes after refinement.
pub(crate) struct TryCover;

impl Cover for TryCover {
    fn try_cover(&self, search: &mut Search<'_>, node: NodeId) -> Result<bool, Reason> {
        if search.is_error(node) { Ok(false) } else { search.cover_by_ancestor(node) }
    }

    fn close(&self, search: &mut Search<'_>, node: NodeId) -> Result<(), Reason> {
        search.cover_by_older(node)
    }
}

impl Search<'_> {
    /// Tries to cover a node by one of its ancestors, whose label must then be preserved by the path between them.
    fn cover_by_ancestor(&mut self, node: NodeId) -> Result<bool, Reason> {
        let point = self.tree.node(node).point;
        let mut at = self.tree.node(node).parent;
        while let Some((ancestor, _)) = at {
            at = self.tree.node(ancestor).parent;
            if self.tree.node(ancestor).point != point || !self.tree.may_cover(ancestor) {
                continue;
            }
            if self.preserves(ancestor, node)? {
                self.covers += 1;
                let revived = self.tree.cover(node, ancestor);
                self.enqueue(revived);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the path between a node and a descendant at the same point preserves the label; then the label is given to the descendant.
    fn preserves(&mut self, ancestor: NodeId, node: NodeId) -> Result<bool, Reason> {
        let label = self.tree.node(ancestor).label.clone();
        if label.iter().all(|clause| self.tree.node(node).label.binary_search(clause).is_ok()) {
            return Ok(true);
        }
        let point = self.tree.node(ancestor).point;
        let all = self.logic.terms.and(label.iter().copied());
        let background = self.space.background(&mut self.logic.terms, point, all);
        let start = self.logic.terms.and([all, background]);
        let mut path = PathFormula::new(self.logic, ancestor, start);
        path.go_to(node, &self.tree, self.space.graph, &mut self.logic.terms);
        let missing: Vec<TermId> = label
            .into_iter()
            .filter(|clause| self.tree.node(node).label.binary_search(clause).is_err())
            .collect();
        let broken = self.logic.terms.and(missing.iter().copied());
        let broken = self.logic.terms.not(broken);
        match path.check(self.logic, &[broken]) {
            Answer::Unsat(_) => {}
            Answer::Sat(_) => return Ok(false),
            Answer::Unknown(smt::Why::Stopped(stop)) => return Err(Reason::Stopped(stop)),
            Answer::Unknown(_) => return Ok(false),
        }
        let before: Vec<(NodeId, Vec<TermId>)> =
            self.tree.path(node).into_iter().map(|node| (node, self.tree.node(node).label.clone())).collect();
        match self.pass_down(&mut path, node, &missing) {
            Ok(()) => Ok(true),
            Err(Reason::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Err(_) => {
                // Without an explanation there is no cover; what was added on the way is not implied along the tree (R2).
                for (node, label) in before {
                    self.tree.set_label(node, label);
                }
                Ok(false)
            }
        }
    }

    /// Gives a node clauses that its path preserves, and the nodes on the way what explains it.
    fn pass_down(&mut self, path: &mut PathFormula, node: NodeId, clauses: &[TermId]) -> Result<(), Reason> {
        for clause in clauses {
            // The clause itself, not a stronger one: the covering label must not change by this.
            path.go_to(node, &self.tree, self.space.graph, &mut self.logic.terms);
            self.tree.strengthen(node, *clause);
            let Some((parent, arc)) = self.tree.node(node).parent else { continue };
            path.shorten(path.depth() - 1);
            let cube = self.logic.terms.not(*clause);
            let goal = self.space.graph.arcs[arc].formula.before(&mut self.logic.terms, cube);
            let excluded = self.interpolator.exclude(&mut self.tree, path, parent, goal, self.logic)?;
            self.refine(&excluded.changed)?;
        }
        Ok(())
    }

    /// Whether the label of one node implies that of another one at the same point.
    pub(super) fn entails(&mut self, stronger: NodeId, weaker: NodeId) -> Result<bool, Reason> {
        let label = self.tree.node(stronger).label.clone();
        let missing: Vec<TermId> = self
            .tree
            .node(weaker)
            .label
            .iter()
            .copied()
            .filter(|clause| label.binary_search(clause).is_err())
            .collect();
        if missing.is_empty() {
            return Ok(true);
        }
        let weaker_label = self.logic.terms.and(missing);
        let broken = self.logic.terms.not(weaker_label);
        let point = self.tree.node(stronger).point;
        let all = self.logic.terms.and(label);
        let query = self.logic.terms.and([all, broken]);
        if let Some(known) = self.entailments.get(&(point, query)) {
            return Ok(*known);
        }
        let background = self.space.background(&mut self.logic.terms, point, query);
        let formula = self.logic.terms.and([background, query]);
        let holds =
            match smt::check_formula(&mut self.scratch, &self.logic.terms, formula, &mut self.logic.budget) {
                Answer::Unsat(_) => true,
                Answer::Sat(_) => false,
                Answer::Unknown(smt::Why::Stopped(stop)) => return Err(Reason::Stopped(stop)),
                Answer::Unknown(_) => false,
            };
        self.entailments.insert((point, query), holds);
        Ok(holds)
    }

    /// Tries to cover the nodes of a path, from the root on, by older nodes whose labels are weaker.
    fn cover_by_older(&mut self, node: NodeId) -> Result<(), Reason> {
        for candidate in self.tree.path(node) {
            if self.tree.node(candidate).cover.is_some() {
                return Ok(());
            }
            let point = self.tree.node(candidate).point;
            if Some(point) == self.space.graph.target {
                continue;
            }
            let others: Vec<NodeId> =
                self.tree.at(point).iter().copied().take_while(|other| *other < candidate).collect();
            for other in others.into_iter().rev() {
                if self.tree.may_cover(other) && self.entails(candidate, other)? {
                    self.covers += 1;
                    let revived = self.tree.cover(candidate, other);
                    self.enqueue(revived);
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
