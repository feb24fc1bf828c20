//! REFINE: labels become stronger, and covers that no longer hold are removed.
//!
//! # Paper
//! [Gps25] §5.2, procedure `REFINE` (figure 6). Dead-end interpolation computes the clauses (`paths::Interpolator`, which adds them to the labels); here
//! covers to nodes whose labels changed are checked again (line 5).

use base::timeline;
use graph::tree::{NodeId, Tree};
use paths::{Excluded, PathFormula};
use term::TermId;
use verdict::Reason;

use super::Search;

impl Search<'_> {
    /// Prunes a dead end and labels the path to it. If there are no interpolants, there will be no proof, but perhaps an error elsewhere.
    pub(super) fn dead_end(
        &mut self,
        node: NodeId,
        path: &mut PathFormula,
        goal: TermId,
    ) -> Result<(), Reason> {
        let _stage = timeline::stage("refinement");
        self.dead_ends += 1;
        if node == Tree::ROOT {
            // No state at all reaches the error: there is nothing to label.
            self.tree.prune(node);
            return Ok(());
        }
        let goal = self.interpolator.reduced(path, goal, self.logic)?;
        match self.interpolator.exclude(&mut self.tree, path, node, goal, self.logic) {
            Ok(Excluded { changed, .. }) => {
                self.tree.prune(node);
                self.refine(&changed)?;
                self.strategies.cover.close(self, node)
            }
            Err(Reason::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Err(reason) => {
                self.obstacle.get_or_insert(reason);
                self.tree.prune(node);
                Ok(())
            }
        }
    }

    /// Checks the covers by nodes whose labels became stronger, and removes those that no longer hold.
    pub(super) fn refine(&mut self, nodes: &[NodeId]) -> Result<(), Reason> {
        for node in nodes {
            for covered in self.tree.node(*node).covers.clone() {
                if !self.entails(covered, *node)? {
                    self.uncovered += 1;
                    let revived = self.tree.uncover(covered);
                    self.enqueue(revived);
                }
            }
        }
        Ok(())
    }
}
