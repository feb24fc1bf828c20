//! CEGAR with path invariants.
//!
//! # Paper
//! [PathInvariants06] §4.1: abstract reachability, counterexample analysis, abstraction refinement.
//!
//! ```text
//!   loop
//!     unwind the graph; a node's label is the predicates of its point that the parent's label and the arc imply      (abstract reachability)
//!     no path to the error: safe, the labels are the proof
//!     the path to the error is feasible: it is tested                                                                (counterexample analysis)
//!     it is not: add the conjuncts of a path invariant of its path program to the predicates                        (abstraction refinement)
//!                 no path invariant is found: the interpolants of the path
//! ```
//!
//! # Invariants
//! * C1 (theorem 1): after a refinement by a path invariant no path of the path program is a counterexample again. A path that appears again all the same is refuted by interpolants.
//! * C2: at the end, every node that is not covered is expanded, and arcs without child cannot be taken from its label; so the labels are inductive.
//! * C3: nodes are looked at in the order of their depth, so every path is reached after finitely many steps. The error waits for a bounded number of steps, in which the loops on the way to
//!   it are closed.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, timeline};
use engine::{Counter, Events};
use graph::cut::{ArcId, ENTRY, Graph, PointId};
use graph::tree::{NodeId, Status, Tree};
use passes::Prepared;
use paths::{Confirmation, Excluded, Interpolator, PathFormula, Space, confirm, gave_up};
use smt::{Answer, Logic};
use summary::StarOptions;
use term::{Model, TermId, Terms};
use verdict::{Reason, Verdict};

use super::abstraction::Abstraction;
use super::invariants::{Source, Synthesis};
use super::path_program::PathProgram;
use crate::counterexample::TestsAlongPaths;
use crate::rounded::rounded;

/// So many steps the error waits at most (C3).
const MAX_WAIT: usize = 6;
/// Path programs of longer paths are not built.
const MAX_PATH: usize = 40;

/// What was refined how often.
#[derive(Default)]
struct Refinements {
    all: u64,
    by_summaries: u64,
    by_templates: u64,
}

/// A search in progress.
pub(super) struct Cegar<'a> {
    task: &'a Prepared<'a>,
    pub(super) space: Space<'a>,
    pub(super) logic: &'a mut Logic,
    pub(super) tree: Tree,
    abstraction: Abstraction<'a>,
    synthesis: Synthesis<'a>,
    interpolator: Interpolator<'a>,
    tester: TestsAlongPaths<'a>,
    /// Nodes to be looked at, by depth.
    open: BTreeSet<(usize, NodeId)>,
    /// Paths to the error that a path invariant should have refuted (C1).
    refuted: BTreeSet<Vec<ArcId>>,
    /// Paths to the error of which nothing is known: there will be no proof.
    given_up: BTreeSet<Vec<ArcId>>,
    obstacle: Option<Reason>,
    refinements: Refinements,
    nodes: u64,
    covers: u64,
}

impl<'a> Cegar<'a> {
    /// A search without predicates.
    pub(super) fn new(
        task: &'a Prepared<'a>,
        graph: &'a Graph,
        summaries: Option<StarOptions>,
        logic: &'a mut Logic,
    ) -> Self {
        let space = Space { program: task.program(), graph };
        Self {
            task,
            space,
            tree: Tree::new(graph.points.len()),
            abstraction: Abstraction::new(space, logic),
            synthesis: Synthesis { program: space.program, summaries },
            interpolator: Interpolator::new(space, logic),
            tester: TestsAlongPaths::new(task, graph),
            open: BTreeSet::new(),
            refuted: BTreeSet::new(),
            given_up: BTreeSet::new(),
            obstacle: None,
            refinements: Refinements::default(),
            nodes: 1,
            covers: 0,
            logic,
        }
    }

    /// The main loop. Nothing if the error cannot be reached: then the labels show it.
    pub(super) fn run(&mut self, events: &dyn Events) -> Result<Option<Verdict>, Reason> {
        self.restart();
        while let Some(error) = self.reach_error()? {
            self.report(events);
            let start = self.space.background(&mut self.logic.terms, ENTRY, Terms::TRUE);
            let mut path = PathFormula::new(self.logic, Tree::ROOT, start);
            path.go_to(error, &self.tree, self.space.graph, &mut self.logic.terms);
            match path.check(self.logic, &[]) {
                Answer::Sat(model) => {
                    if let Some(verdict) = self.confirm(error, &mut path, &model)? {
                        return Ok(Some(verdict));
                    }
                }
                Answer::Unsat(_) => self.refine(error, &mut path)?,
                Answer::Unknown(why) => return Err(gave_up(why)),
            }
        }
        debug_assert_eq!(self.tree.check_invariants(), Ok(()));
        match self.obstacle.take() {
            Some(reason) => Err(reason),
            None => Ok(None),
        }
    }

    /// Abstract reachability: unwinds the graph until there is a path to the error. Nothing if there is none.
    fn reach_error(&mut self) -> Result<Option<NodeId>, Reason> {
        let _stage = timeline::stage("abstract reachability");
        while let Some((_, node)) = self.open.pop_first() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            if Some(self.tree.node(node).point) == self.space.graph.target {
                if !self.given_up.contains(&self.arcs_to(node)) {
                    return Ok(Some(node));
                }
                self.tree.expand(node, &[]);
            } else if !self.cover(node) {
                self.expand(node)?;
            }
        }
        Ok(None)
    }

    /// Tries to cover a node by an older one whose label is weaker. Labels contain all that they imply (B1), so that shows by their predicates.
    fn cover(&mut self, node: NodeId) -> bool {
        let own = self.tree.node(node);
        let others = self.tree.at(own.point).iter().copied().filter(|other| *other < node);
        let is_weaker = |other: &NodeId| {
            let label = &self.tree.node(*other).label;
            label.iter().all(|predicate| own.label.binary_search(predicate).is_ok())
        };
        // The latest first: an ancestor that covers a node closes a loop.
        let mut weaker = others.rev().filter(|other| self.tree.may_cover(*other)).filter(is_weaker);
        let Some(by) = weaker.next() else { return false };
        self.covers += 1;
        self.tree.cover(node, by);
        true
    }

    fn expand(&mut self, node: NodeId) -> Result<(), Reason> {
        let graph = self.space.graph;
        let label = self.tree.node(node).label.clone();
        let mut outgoing = graph.points[self.tree.node(node).point].outgoing.clone();
        outgoing.sort_by_key(|arc| graph.arcs[*arc].target);
        let mut steps = Vec::new();
        let mut labels = Vec::new();
        for arc in outgoing {
            if let Some(after) = self.abstraction.post(&label, arc, self.logic)? {
                steps.push((arc, graph.arcs[arc].target));
                labels.push(after);
            }
        }
        let children = self.tree.expand(node, &steps);
        for ((child, label), (_, point)) in children.into_iter().zip(labels).zip(steps) {
            self.tree.set_label(child, label);
            self.nodes += 1;
            let is_error = Some(point) == graph.target;
            let wait = if is_error { graph.points.len().min(MAX_WAIT) } else { 0 };
            self.open.insert((self.tree.node(child).depth as usize + wait, child));
        }
        Ok(())
    }

    /// A tree with nothing but a root.
    fn restart(&mut self) {
        self.tree = Tree::new(self.space.graph.points.len());
        self.open = BTreeSet::from([(0, Tree::ROOT)]);
    }

    /// The predicates of the abstraction, by point.
    pub(super) fn predicates(&self) -> &IndexVec<PointId, Vec<TermId>> {
        self.abstraction.precision()
    }

    fn arcs_to(&self, node: NodeId) -> Vec<ArcId> {
        let path = self.tree.path(node);
        path.iter().filter_map(|node| self.tree.node(*node).parent.map(|(_, arc)| arc)).collect()
    }

    /// Counterexample analysis: a path leads to the error in the encoding; an execution shows it, or there will be no proof.
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
            match confirm(self.task, graph, path, &points, model, &mut self.tester, self.logic)? {
                Confirmation::Confirmed(trace) => return Ok(Some(Verdict::Unsafe(trace))),
                Confirmation::TooLong => {
                    self.logic.budget.tick().map_err(Reason::Stopped)?;
                    self.tester.allow_longer();
                }
                Confirmation::Spurious => break,
            }
        }
        let reason = Reason::Spurious { rounded: rounded(self.task, graph) };
        self.give_up(error, reason);
        Ok(None)
    }

    /// Goes on without having refuted a path: there may be an error elsewhere.
    fn give_up(&mut self, error: NodeId, reason: Reason) {
        self.obstacle.get_or_insert(reason);
        self.given_up.insert(self.arcs_to(error));
        self.tree.expand(error, &[]);
    }

    /// Abstraction refinement: new predicates that refute a path to the error, and what it stands for.
    fn refine(&mut self, error: NodeId, path: &mut PathFormula) -> Result<(), Reason> {
        let _stage = timeline::stage("refinement");
        self.refinements.all += 1;
        let arcs = self.arcs_to(error);
        let is_new = arcs.len() <= MAX_PATH && self.refuted.insert(arcs);
        if is_new && self.refine_by_path_invariant(error)? {
            self.restart();
            return Ok(());
        }
        match self.interpolator.exclude(&mut self.tree, path, error, Terms::TRUE, self.logic) {
            Ok(Excluded { changed, .. }) => {
                let mut is_new = false;
                for node in changed {
                    let node = self.tree.node(node).clone();
                    for clause in node.label {
                        is_new |= self.abstraction.add(node.point, clause);
                    }
                }
                if is_new {
                    self.restart();
                } else {
                    self.give_up(error, Reason::NotProgressing);
                }
            }
            Err(reason @ Reason::Stopped(_)) => return Err(reason),
            Err(reason) => self.give_up(error, reason),
        }
        Ok(())
    }

    /// Whether there are new predicates.
    fn refine_by_path_invariant(&mut self, error: NodeId) -> Result<bool, Reason> {
        let program = PathProgram::of(&self.tree, error, self.space.graph, &mut self.logic.terms);
        if !program.has_loops() {
            return Ok(false);
        }
        let Some((invariant, source)) = self.synthesis.path_invariant(&program, self.logic)? else {
            return Ok(false);
        };
        match source {
            Source::Summaries => self.refinements.by_summaries += 1,
            Source::Templates => self.refinements.by_templates += 1,
        }
        let mut is_new = false;
        for (point, predicates) in invariant.iter_enumerated() {
            for predicate in predicates {
                is_new |= self.abstraction.add(program.origin[point], *predicate);
            }
        }
        Ok(is_new)
    }

    /// The labels of the nodes whose states are represented by themselves, by point.
    pub(super) fn labels(&self) -> BTreeMap<PointId, Vec<Vec<TermId>>> {
        let mut labels: BTreeMap<PointId, Vec<Vec<TermId>>> = BTreeMap::new();
        for (_, node) in self.tree.nodes() {
            if node.status == Status::Expanded && Some(node.point) != self.space.graph.target {
                let known = labels.entry(node.point).or_default();
                if !known.contains(&node.label) {
                    known.push(node.label.clone());
                }
            }
        }
        labels
    }

    /// Tells how far the search is.
    pub(super) fn report(&self, events: &dyn Events) {
        let totals = [
            (Counter::Tests, self.tester.tests()),
            (Counter::TreeNodes, self.nodes),
            (Counter::Covers, self.covers),
            (Counter::Refinements, self.refinements.all),
            (Counter::InvariantsBySummaries, self.refinements.by_summaries),
            (Counter::InvariantsByTemplates, self.refinements.by_templates),
            (Counter::Predicates, self.abstraction.len() as u64),
            (Counter::SolverQueries, self.logic.solvers.statistics().queries),
        ];
        for (counter, total) in totals {
            events.total(counter, total);
        }
    }
}
