//! Subsumption: nodes whose states are represented elsewhere, as a whole or in part.
//!
//! # Paper
//! [Tracer12] §2.1: a symbolic state is subsumed by a finished node at the same point whose interpolant it implies. §2.2: the state after a cycle is subsumed by the head of the loop, which is still
//! open; where the cycle does not keep what the head needs, the path is unrolled.
//!
//! Here several nodes may represent a state together, and a node that comes back to an open head is represented in part: the states in the labels of the head and of the others at the point are
//! covered, and what is left is the node.
//!
//! # Invariants
//! * B1: who represents states is finished, or open and an ancestor. Labels of the former are final, those of the latter are forgotten together with all that relies on them (X3).
//!
//! # Cost
//! One question for a node, with the labels of at most [`MAX_REPRESENTATIVES`] others; the core of it says whose are needed.

use graph::tree::{NodeId, Status};
use paths::gave_up;
use smt::{Answer, Logic, Why};
use term::{Evaluator, TermId};
use verdict::Reason;

use super::symbolic_execution::{Execution, Progress, Rest};

/// So many finished nodes at a point are asked, the latest ones.
const MAX_REPRESENTATIVES: usize = 32;

/// What became of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// Others represent all its states.
    Whole,
    /// It has to be expanded; its step may be restricted now.
    No,
    /// It shows that the label of an open head is too strong: the head was opened again, and the node is forgotten.
    Weakened,
}

impl Execution<'_> {
    /// The nodes that may represent states of a node (B1), oldest first.
    pub(super) fn representatives(&self, node: NodeId) -> Vec<NodeId> {
        let point = self.tree.node(node).point;
        let mut open = Vec::new();
        let mut finished = Vec::new();
        for other in self.tree.at(point).iter().copied().filter(|other| *other != node) {
            let is_expanded = self.tree.node(other).status == Status::Expanded;
            match self.infos[other.0 as usize].progress {
                Progress::Finished if is_expanded => finished.push(other),
                Progress::Open if self.tree.is_below(node, other) => open.push(other),
                _ => {}
            }
        }
        let late = finished.len().saturating_sub(MAX_REPRESENTATIVES);
        let mut all: Vec<NodeId> = finished.split_off(late);
        all.extend(open);
        all.sort_unstable();
        all
    }

    /// That a state is not in the label of a node.
    pub(super) fn outside(&mut self, node: NodeId) -> TermId {
        let label = self.logic.terms.and(self.tree.node(node).label.iter().copied());
        self.logic.terms.not(label)
    }

    /// Tries to cover a node whose path can be taken.
    pub(super) fn cover(&mut self, node: NodeId) -> Result<Cover, Reason> {
        let representatives = self.representatives(node);
        if representatives.is_empty() {
            return Ok(Cover::No);
        }
        let parts: Vec<TermId> = representatives.iter().map(|other| self.outside(*other)).collect();
        self.go_to(node);
        let Self { anchors, logic, .. } = self;
        let anchor = anchors.last_mut().expect("X1: the root should be an anchor");
        match anchor.path.core(logic, &parts) {
            Ok(Some(core)) => {
                self.cover_by(node, &representatives, &parts, &core)?;
                return Ok(Cover::Whole);
            }
            Ok(None) => {}
            Err(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Err(_) => return Ok(Cover::No),
        }
        match self.last_open(&representatives) {
            Some(head) => self.cover_in_part(node, head, &representatives, &parts),
            None => Ok(Cover::No),
        }
    }

    fn last_open(&self, nodes: &[NodeId]) -> Option<NodeId> {
        nodes.iter().copied().rfind(|node| self.infos[node.0 as usize].progress == Progress::Open)
    }

    fn cover_by(
        &mut self,
        node: NodeId,
        representatives: &[NodeId],
        parts: &[TermId],
        core: &[TermId],
    ) -> Result<(), Reason> {
        self.counts.covers += 1;
        let needed = |other: NodeId| {
            let position = representatives.iter().position(|known| *known == other);
            position.is_some_and(|position| core.contains(&parts[position]))
        };
        let by: Vec<NodeId> = representatives.iter().copied().filter(|other| needed(*other)).collect();
        if let Some(first) = by.first() {
            self.tree.cover(node, *first);
        }
        let head = self.last_open(&by);
        let others = representatives.iter().zip(parts);
        let others = others.filter(|(other, part)| Some(**other) != head && core.contains(part));
        let others: Vec<TermId> = others.map(|(_, part)| *part).collect();
        let goal = self.logic.terms.and(others);
        match head {
            Some(head) => self.explain_return(node, head, goal),
            None => self.explain(node, goal),
        }
    }

    /// The states of a node that keep what the open head needs are those of the head, or the label of the head is too strong.
    fn cover_in_part(
        &mut self,
        node: NodeId,
        head: NodeId,
        representatives: &[NodeId],
        parts: &[TermId],
    ) -> Result<Cover, Reason> {
        let Some(widened) = self.infos[head.0 as usize].widened.clone() else { return Ok(Cover::No) };
        let others: Vec<TermId> = representatives
            .iter()
            .zip(parts)
            .filter(|(other, _)| **other != head)
            .map(|(_, part)| *part)
            .collect();
        let others = self.logic.terms.and(others);
        let kept = self.logic.terms.and(widened.kept.iter().copied());
        let invariant = self.logic.terms.and(widened.invariant.iter().copied());
        let lost = self.logic.terms.not(invariant);
        match self.check(node, &[others, kept, lost]) {
            Answer::Unsat(_) => {}
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Sat(model) => {
                let path = &self.anchors[self.anchors.len() - 1].path;
                let mut broken = Vec::new();
                for clause in &widened.invariant {
                    let after = path.at_end(&mut self.logic.terms, *clause);
                    if !Evaluator::new(&self.logic.terms, &model).holds(after) {
                        broken.push(*clause);
                    }
                }
                // A model that says nothing of some symbol may seem to break none.
                let broken = if broken.is_empty() { widened.invariant } else { broken };
                self.weaken(head, &broken)?;
                return Ok(Cover::Weakened);
            }
            Answer::Unknown(_) => {
                self.weaken(head, &widened.invariant)?;
                return Ok(Cover::Weakened);
            }
        }
        let unkept = self.logic.terms.not(kept);
        let condition = self.logic.terms.and([unkept, others]);
        let Some((_, arc)) = self.tree.node(node).parent else { return Ok(Cover::No) };
        let Logic { terms, .. } = &mut *self.logic;
        let condition = self.space.graph.arcs[arc].formula.substitution().apply(terms, condition);
        let condition = terms.and([self.tree.node(node).condition, condition]);
        let anchor = self.anchor();
        anchor.path.shorten(anchor.path.depth().saturating_sub(1));
        self.tree.restrict(node, condition);
        self.infos[node.0 as usize].rest = Some(Rest { head, others });
        Ok(Cover::No)
    }

    /// Gives up candidates of an open head, and opens it again.
    fn weaken(&mut self, head: NodeId, broken: &[TermId]) -> Result<(), Reason> {
        if let Some(widened) = &mut self.infos[head.0 as usize].widened {
            widened.lost.extend(broken.iter().copied());
        }
        self.open_again(head)
    }
}
