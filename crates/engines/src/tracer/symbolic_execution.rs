//! Symbolic execution: the tree of paths, depth first.
//!
//! # Paper
//! [Tracer12] §2. A node of the paper is a program point with a path condition; here it is a point of the cut graph with the formula of the path from the last *anchor*: the root, or the last loop
//! head on the path, whose state was widened to its label.
//!
//! # Invariants
//! * X1: a node is open from when it is expanded until all below it is finished. Nodes that were made since are below it, so what is below an open node is a tail of the tree.
//! * X2: a finished node is covered, infeasible, or its label and each step onwards imply the label of a child, or of a node that represents part of it, or contradict the step. So when the root
//!   is finished, the labels are inductive.
//! * X3: labels below an open head rest on the label of that head. When that changes, all below it is forgotten.
//!
//! # Cost
//! For each node one question whether its path can be taken, and those of subsumption, widening and interpolation.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{IndexVec, timeline};
use encode::Transition;
use engine::{Counter, Events};
use graph::cut::{ArcId, Graph, PointId};
use graph::tree::{NodeId, Status, Tree};
use passes::Prepared;
use paths::{Excluded, Interpolator, PathFormula, Space, Strength, gave_up};
use smt::{Answer, Logic, Why};
use summary::starts::conditions;
use term::{TermId, Terms};
use verdict::{Reason, Verdict};

use super::subsumption::Cover;
use super::widening::Widened;
use crate::counterexample::TestsAlongPaths;

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A new node is looked at.
    Visit(NodeId),
    /// All below a node is done.
    Finish(NodeId),
}

/// How far a node is (X1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    New,
    Open,
    Finished,
}

/// What the tree does not know of a node.
#[derive(Clone, Debug)]
pub(super) struct Info {
    pub(super) progress: Progress,
    /// Of the step to it: which case it is.
    case: TermId,
    /// At loop heads: what the state was widened to.
    pub(super) widened: Option<Widened>,
    /// If others represent it in part: what they do not.
    pub(super) rest: Option<Rest>,
}

/// What is left of a node that comes back to the head of an open loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// The head.
    pub(super) head: NodeId,
    /// That a state is in none of the labels of the others that represent part of it.
    pub(super) others: TermId,
}

impl Info {
    fn new(case: TermId) -> Self {
        Self { progress: Progress::New, case, widened: None, rest: None }
    }
}

/// Where a path starts: the root, or a widened head.
pub(super) struct Anchor {
    pub(super) node: NodeId,
    /// The path from here to the node that is looked at.
    pub(super) path: PathFormula,
    /// States that the label has to exclude.
    pub(super) demands: Vec<TermId>,
    /// Steps back to the anchor itself: the arc, and that a state after it is represented by no other node.
    pub(super) returns: Vec<(ArcId, TermId)>,
}

/// What was done how often.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Nodes that were forgotten count, too: the states of the paper's figure 5.
    pub(super) nodes: u64,
    pub(super) infeasible: u64,
    pub(super) covers: u64,
    pub(super) refinements: u64,
}

/// An execution in progress.
pub(super) struct Execution<'a> {
    pub(super) task: &'a Prepared<'a>,
    pub(super) space: Space<'a>,
    pub(super) strength: Strength,
    pub(super) logic: &'a mut Logic,
    pub(super) tree: Tree,
    pub(super) infos: Vec<Info>,
    pub(super) stack: Vec<Step>,
    pub(super) anchors: Vec<Anchor>,
    pub(super) interpolator: Interpolator<'a>,
    /// Facts of loop heads that hold whenever these are reached: candidates there.
    pub(super) facts: IndexVec<PointId, Vec<TermId>>,
    /// One iteration of each loop, as far as it was found within its budget.
    pub(super) iterations: BTreeMap<PointId, Option<Rc<Transition>>>,
    pub(super) tests: TestsAlongPaths<'a>,
    /// Why there will be no proof, although there may be an error.
    pub(super) obstacle: Option<Reason>,
    pub(super) counts: Counts,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        task: &'a Prepared<'a>,
        graph: &'a Graph,
        strength: Strength,
        facts: IndexVec<PointId, Vec<TermId>>,
        logic: &'a mut Logic,
    ) -> Self {
        let space = Space { program: task.program(), graph };
        Self {
            task,
            space,
            strength,
            tree: Tree::new(graph.points.len()),
            infos: vec![Info::new(Terms::TRUE)],
            stack: vec![Step::Visit(Tree::ROOT)],
            anchors: Vec::new(),
            interpolator: Interpolator::new(space, logic).with_strength(strength),
            facts,
            iterations: BTreeMap::new(),
            tests: TestsAlongPaths::new(task, graph),
            obstacle: None,
            counts: Counts { nodes: 1, ..Counts::default() },
            logic,
        }
    }

    /// The main loop. Nothing if the error cannot be reached: then the labels show it.
    pub(super) fn run(&mut self, events: &dyn Events) -> Result<Option<Verdict>, Reason> {
        let _stage = timeline::stage("search");
        self.push_anchor(Tree::ROOT);
        while let Some(step) = self.stack.pop() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            self.report(events);
            match step {
                Step::Visit(node) => {
                    if let Some(verdict) = self.visit(node)? {
                        return Ok(Some(verdict));
                    }
                }
                Step::Finish(node) => self.finish(node)?,
            }
        }
        debug_assert_eq!(self.tree.check_invariants(), Ok(()));
        match self.obstacle.take() {
            Some(reason) => Err(reason),
            None => Ok(None),
        }
    }

    /// Looks at a new node: it is infeasible, the error, represented by others, or expanded.
    fn visit(&mut self, node: NodeId) -> Result<Option<Verdict>, Reason> {
        let is_error = Some(self.tree.node(node).point) == self.space.graph.target;
        match self.check(node, &[]) {
            Answer::Unsat(_) => {
                self.counts.infeasible += 1;
                self.tree.prune(node);
                self.explain(node, Terms::TRUE)?;
            }
            Answer::Sat(model) if is_error => return self.reached(node, &model),
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Unknown(why) if is_error => return Err(gave_up(why)),
            Answer::Sat(_) | Answer::Unknown(_) => match self.cover(node)? {
                Cover::Whole | Cover::Weakened => {}
                Cover::No => self.open(node)?,
            },
        }
        Ok(None)
    }

    /// The anchor of the current path.
    pub(super) fn anchor(&mut self) -> &mut Anchor {
        self.anchors.last_mut().expect("X1: the root should be an anchor")
    }

    /// Makes a node the anchor of what is below it: its label is all that is known of its state.
    pub(super) fn push_anchor(&mut self, node: NodeId) {
        let path = self.path_from(node);
        self.anchors.push(Anchor { node, path, demands: Vec::new(), returns: Vec::new() });
    }

    /// The empty path at a node where its label holds.
    pub(super) fn path_from(&mut self, node: NodeId) -> PathFormula {
        let content = self.tree.node(node);
        let point = content.point;
        let label = self.logic.terms.and(content.label.iter().copied());
        let background = self.space.background(&mut self.logic.terms, point, label);
        let start = self.logic.terms.and([label, background]);
        PathFormula::new(self.logic, node, start)
    }

    /// Moves the path of the last anchor to a node.
    pub(super) fn go_to(&mut self, node: NodeId) -> &mut PathFormula {
        let anchor = self.anchors.last_mut().expect("X1: the root should be an anchor");
        anchor.path.go_to(node, &self.tree, self.space.graph, &mut self.logic.terms);
        &mut anchor.path
    }

    /// Whether the path to a node can be taken such that all parts hold there.
    pub(super) fn check(&mut self, node: NodeId, parts: &[TermId]) -> Answer {
        self.go_to(node);
        let anchor = self.anchors.last_mut().expect("X1: the root should be an anchor");
        anchor.path.check(self.logic, parts)
    }

    /// Expands a node that no other represents; at loop heads, after widening.
    pub(super) fn open(&mut self, node: NodeId) -> Result<(), Reason> {
        let point = self.tree.node(node).point;
        if node != Tree::ROOT && self.space.graph.points[point].body.is_some() {
            self.widen(node)?;
            self.push_anchor(node);
        }
        let steps = self.steps(point);
        let arcs: Vec<(ArcId, PointId)> =
            steps.iter().map(|(arc, _)| (*arc, self.space.graph.arcs[*arc].target)).collect();
        let children = self.tree.expand(node, &arcs);
        for (child, (_, case)) in children.iter().zip(steps) {
            self.tree.restrict(*child, case);
            self.infos.push(Info::new(case));
        }
        self.counts.nodes += children.len() as u64;
        self.infos[node.0 as usize].progress = Progress::Open;
        self.stack.push(Step::Finish(node));
        self.stack.extend(children.into_iter().rev().map(Step::Visit));
        Ok(())
    }

    /// The steps from a point, those that leave its loop first. Where a loop is entered with values that depend on few conditions, there is a step for each case.
    fn steps(&mut self, point: PointId) -> Vec<(ArcId, TermId)> {
        let graph = self.space.graph;
        let mut arcs = graph.points[point].outgoing.clone();
        arcs.sort_by_key(|arc| graph.in_loop(point, graph.arcs[*arc].target));
        let mut steps = Vec::new();
        for id in arcs {
            let arc = &graph.arcs[id];
            let is_entered = graph.points[arc.target].body.is_some() && !graph.in_loop(arc.target, point);
            let conditions =
                if is_entered { conditions(&self.logic.terms, &arc.formula) } else { Vec::new() };
            for case in 0..1_u32 << conditions.len() {
                let mut literals = Vec::new();
                for (position, condition) in conditions.iter().enumerate() {
                    let holds = case >> position & 1 == 1;
                    literals.push(if holds { *condition } else { self.logic.terms.not(*condition) });
                }
                steps.push((id, self.logic.terms.and(literals)));
            }
        }
        steps
    }

    /// All below a node is done: its label is final, and the nodes before it get what implies it.
    fn finish(&mut self, node: NodeId) -> Result<(), Reason> {
        let is_widened = self.anchors.last().is_some_and(|anchor| anchor.node == node);
        if is_widened && node != Tree::ROOT {
            let anchor = self.anchors.pop().expect("X1: a widened head should be an anchor");
            let label = self.needed(anchor)?;
            self.tree.set_label(node, label.clone());
            let label = self.logic.terms.and(label);
            let outside = self.logic.terms.not(label);
            match self.infos[node.0 as usize].rest {
                Some(Rest { head, others }) => {
                    let goal = self.logic.terms.and([others, outside]);
                    self.explain_return(node, head, goal)?;
                }
                None => self.explain(node, outside)?,
            }
        }
        self.infos[node.0 as usize].progress = Progress::Finished;
        Ok(())
    }

    /// Labels the nodes before a node such that no state after a step to it, in its case, satisfies `goal`, which the path contradicts.
    pub(super) fn explain(&mut self, node: NodeId, goal: TermId) -> Result<(), Reason> {
        let Some((parent, arc)) = self.tree.node(node).parent else { return Ok(()) };
        self.go_to(parent);
        let case = self.infos[node.0 as usize].case;
        let Execution { interpolator, tree, logic, anchors, space, obstacle, .. } = self;
        let anchor = anchors.last_mut().expect("X1: the root should be an anchor");
        let before = space.graph.arcs[arc].formula.before(&mut logic.terms, goal);
        let goal = logic.terms.and([case, before]);
        let excluded = interpolator
            .reduced(&mut anchor.path, goal, logic)
            .and_then(|goal| interpolator.exclude(tree, &mut anchor.path, parent, goal, logic));
        match excluded {
            Ok(Excluded { left, .. }) => anchor.demands.extend(left),
            Err(reason @ Reason::Stopped(_)) => return Err(reason),
            Err(reason) => {
                obstacle.get_or_insert(reason);
            }
        }
        Ok(())
    }

    /// The same where the states that do not satisfy `goal` may also be in the label of the head of an open loop.
    pub(super) fn explain_return(&mut self, node: NodeId, head: NodeId, goal: TermId) -> Result<(), Reason> {
        if let Some((parent, arc)) = self.tree.node(node).parent
            && parent == head
        {
            // The label of the head is not final: it is asked for when the head is finished.
            self.anchor().returns.push((arc, goal));
            return Ok(());
        }
        let label = self.logic.terms.and(self.tree.node(head).label.iter().copied());
        let outside = self.logic.terms.not(label);
        let goal = self.logic.terms.and([outside, goal]);
        self.explain(node, goal)
    }

    /// The labels of the nodes whose states are represented by themselves, by point.
    pub(super) fn labels(&self) -> BTreeMap<PointId, Vec<Vec<TermId>>> {
        let mut labels: BTreeMap<PointId, Vec<Vec<TermId>>> = BTreeMap::new();
        for (_, node) in self.tree.nodes() {
            if node.status == Status::Expanded {
                let known = labels.entry(node.point).or_default();
                if !known.contains(&node.label) {
                    known.push(node.label.clone());
                }
            }
        }
        labels
    }

    pub(super) fn report(&self, events: &dyn Events) {
        let totals = [
            (Counter::Tests, self.tests.tests()),
            (Counter::TreeNodes, self.counts.nodes),
            (Counter::DeadEnds, self.counts.infeasible),
            (Counter::Covers, self.counts.covers),
            (Counter::Clauses, self.interpolator.clauses()),
            (Counter::Refinements, self.counts.refinements),
            (Counter::SolverQueries, self.logic.solvers.statistics().queries),
        ];
        for (counter, total) in totals {
            events.total(counter, total);
        }
    }
}
