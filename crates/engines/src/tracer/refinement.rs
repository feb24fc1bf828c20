//! Refinement: a path to the error that exists only because heads were widened says what they have to keep.
//!
//! # Paper
//! [Tracer12] §2.2 and §3 (loop invariant refinement): the heads on the path are visited from the last one up. At the first whose state before widening contradicts the rest of the path, the interpolant
//! there is what must not be abstracted. If there is none, the error is real. The paper restarts then; here only what is below that head is built again. The first time, the head only gets more candidates: equations, and
//! facts that conditions of the program prove together.
//!
//! # Invariants
//! * F1: after a refinement that is not the first of its head, the label of the head excludes the rest of the path: the same path is not found again below it with the same head as its last one.
//!
//! # Cost
//! For each head on the path one question about a path of at most all its steps.

use graph::cut::PointId;
use graph::tree::NodeId;
use paths::{Confirmation, PathFormula, confirm, gave_up};
use smt::Answer;
use term::{Model, TermId, Terms};
use verdict::{Reason, Verdict};

use super::symbolic_execution::{Execution, Step};
use super::widening::Candidates;
use crate::rounded::rounded;

impl Execution<'_> {
    /// The error is reached from the last anchor, as a model shows.
    pub(super) fn reached(&mut self, error: NodeId, model: &Model) -> Result<Option<Verdict>, Reason> {
        for at in (1..self.anchors.len()).rev() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            let mut path = self.path_from(self.anchors[at - 1].node);
            path.go_to(error, &self.tree, self.space.graph, &mut self.logic.terms);
            match path.check(self.logic, &[]) {
                Answer::Sat(model) if at == 1 => return self.confirm(error, &mut path, &model),
                Answer::Sat(_) => {}
                Answer::Unsat(_) => {
                    self.refine(self.anchors[at].node, error, &mut path)?;
                    return Ok(None);
                }
                Answer::Unknown(why) => return Err(gave_up(why)),
            }
        }
        // No head is widened: the path of the root shows the error.
        let mut root = self.anchors.pop().expect("X1: the root should be an anchor");
        let outcome = self.confirm(error, &mut root.path, model);
        self.anchors.push(root);
        outcome
    }

    /// The path is feasible from the root: an execution shows the error, or there will be no proof.
    fn confirm(
        &mut self,
        error: NodeId,
        path: &mut PathFormula,
        model: &Model,
    ) -> Result<Option<Verdict>, Reason> {
        let points: Vec<PointId> =
            self.tree.path(error).iter().map(|node| self.tree.node(*node).point).collect();
        let graph = self.space.graph;
        loop {
            match confirm(self.task, graph, path, &points, model, &mut self.tests, self.logic)? {
                Confirmation::Confirmed(trace) => return Ok(Some(Verdict::Unsafe(trace))),
                Confirmation::TooLong => {
                    self.logic.budget.tick().map_err(Reason::Stopped)?;
                    self.tests.allow_longer();
                }
                Confirmation::Spurious => break,
            }
        }
        let reason = Reason::Spurious { rounded: rounded(self.task, graph) };
        self.obstacle.get_or_insert(reason);
        self.tree.prune(error);
        Ok(None)
    }

    /// The state of a head before widening contradicts the rest of the path, the formula of which starts at the anchor before the head.
    fn refine(&mut self, head: NodeId, error: NodeId, path: &mut PathFormula) -> Result<(), Reason> {
        self.counts.refinements += 1;
        let Some(widened) = &mut self.infos[head.0 as usize].widened else {
            return Err(Reason::NotProgressing);
        };
        if widened.source == Candidates::State {
            widened.source = Candidates::StateForNow;
            return self.open_again(head);
        }
        let depth = self.tree.node(head).depth;
        let mut before: Vec<(NodeId, Vec<TermId>)> = Vec::new();
        for node in self.tree.path(error) {
            if self.tree.node(node).depth < depth {
                before.push((node, self.tree.node(node).label.clone()));
            } else {
                self.tree.set_label(node, Vec::new());
            }
        }
        self.interpolator.exclude(&mut self.tree, path, error, Terms::TRUE, self.logic)?;
        let clauses = self.tree.node(head).label.clone();
        // What the nodes before the head have to say follows when it is finished.
        for (node, label) in before {
            self.tree.set_label(node, label);
        }
        let Some(widened) = &mut self.infos[head.0 as usize].widened else {
            return Err(Reason::NotProgressing);
        };
        let known = widened.kept.len();
        widened.kept.extend(clauses);
        widened.kept.sort_unstable();
        widened.kept.dedup();
        if widened.kept.len() == known {
            return Err(Reason::NotProgressing);
        }
        widened.lost.clear();
        self.open_again(head)
    }

    /// Forgets all below a widened head and opens it again (X3).
    pub(super) fn open_again(&mut self, head: NodeId) -> Result<(), Reason> {
        while let Some(step) = self.stack.pop() {
            if step == Step::Finish(head) {
                break;
            }
        }
        while let Some(anchor) = self.anchors.pop() {
            if anchor.node == head {
                break;
            }
        }
        self.tree.forget(head);
        self.infos.truncate(self.tree.len());
        self.open(head)
    }
}
