//! Dead ends: why no continuation of a path reaches the error, as clauses for the labels of its nodes.
//!
//! # Paper
//! [Gps25] §2.3 and §5.2 (dead-end interpolation), `REFINE` of figure 6, and the authors' weakest-precondition interpolants: the states of the last node from which the summary sees a way
//! to the error are excluded there, and their pre-images are excluded at the nodes before.
//!
//! Instead of eliminating quantifiers exactly and then simplifying, bad states are excluded one cube at a time: a model of what is not
//! yet excluded gives an implicant; of that the literals are kept that the path contradicts (an unsatisfiable core, before and after
//! projection); what remains covers as many bad states as it can, and its negation is a short clause.
//!
//! # Invariants
//! * R1 (labels hold): a clause that is added to a node holds after every execution of the path to it: the path formula contradicts its
//!   negation.
//! * R2 (labels are inductive along the tree): the label of a node and the step to its child imply the clauses that were added to the child.
//! * R3 (leaf): the label of a pruned leaf and the summary there have no common model; the Skolem constants of the summary are existential.

use graph::cut::PointId;
use graph::tree::NodeId;
use smt::{Answer, Solver, project};
use term::{Constraint, Model, Node, SymbolId, SymbolKind, TermId};
use verdict::Reason;

use super::arrays::{Elements, read_through};
use super::path::Path;
use super::{Search, gave_up};

/// More cubes of one node are not excluded in one go.
const CUBES: usize = 200;

impl Search<'_> {
    /// Labels the nodes of a dead path, the one that `path` stands for: `goal`, over the values at `node`, cannot hold there. The label of the
    /// node where the path starts stays, since it contradicts what is left of the goal there. Returns the nodes whose labels changed.
    pub(super) fn exclude(
        &mut self,
        path: &mut Path,
        node: NodeId,
        goal: TermId,
    ) -> Result<Vec<NodeId>, Reason> {
        let mut changed = Vec::new();
        let mut goal = goal;
        let mut at = node;
        while path.depth() > 0 {
            let cubes = self.exclude_at(path, at, goal)?;
            if cubes.is_empty() {
                break;
            }
            changed.push(at);
            let Some((parent, arc)) = self.tree.node(at).parent else { break };
            path.shorten(path.depth() - 1);
            let formula = &self.graph.arcs[arc].formula;
            let cubes = self.terms.or(cubes);
            goal = formula.before(self.terms, cubes);
            at = parent;
        }
        Ok(changed)
    }

    /// Adds clauses to the label of a node until no state that it allows satisfies `goal`. Returns the negations of the new clauses.
    fn exclude_at(&mut self, path: &mut Path, node: NodeId, goal: TermId) -> Result<Vec<TermId>, Reason> {
        let goal = read_through(self.terms, goal);
        let point = self.tree.node(node).point;
        self.scratch.push();
        let background = self.background(point, goal);
        self.scratch.assert(self.terms, background);
        self.scratch.assert(self.terms, goal);
        for clause in self.tree.node(node).label.clone() {
            self.scratch.assert(self.terms, clause);
        }
        let result = self.exclude_all(path, node, goal);
        self.scratch.pop();
        result
    }

    fn exclude_all(&mut self, path: &mut Path, node: NodeId, goal: TermId) -> Result<Vec<TermId>, Reason> {
        let chosen: Vec<SymbolId> = self.terms.symbols_of(goal);
        let chosen: Vec<SymbolId> = chosen
            .into_iter()
            .filter(|symbol| self.terms.symbol(*symbol).kind != SymbolKind::Variable)
            .collect();
        let mut cubes = Vec::new();
        loop {
            let model = match self.scratch.check(self.terms, &[], self.budget) {
                Answer::Unsat(_) => return Ok(cubes),
                Answer::Sat(model) => model,
                Answer::Unknown(why) => return Err(gave_up(why)),
            };
            if cubes.len() == CUBES {
                let what = "an infeasible path has no short explanation".to_owned();
                return Err(Reason::Inconclusive { what });
            }
            let cube = self.cube(path, goal, &chosen, &model)?;
            let cube = self.terms.and(cube);
            let clause = self.terms.not(cube);
            self.scratch.assert(self.terms, clause);
            self.tree.strengthen(node, clause);
            self.statistics.clauses += 1;
            cubes.push(cube);
        }
    }

    /// A cube that the path contradicts, with the model in it, as large as can be found.
    fn cube(
        &mut self,
        path: &mut Path,
        goal: TermId,
        chosen: &[SymbolId],
        model: &Model,
    ) -> Result<Vec<TermId>, Reason> {
        let inconsistent = || Reason::Inconclusive {
            what: "the explanation of an infeasible path is not definite (nonlinear arithmetic or arrays)"
                .to_owned(),
        };
        let literals = self.terms.implicant(goal, model).ok_or_else(inconsistent)?;
        let literals = self.constraints(&literals, model);
        let core =
            path.core(self.terms, &literals, self.budget).map_err(gave_up)?.ok_or_else(inconsistent)?;
        if !core.iter().any(|literal| self.terms.mentions(*literal, chosen)) {
            return Ok(core);
        }
        let Elements { literals, chosen, model } = Elements::of(self.terms, &core, chosen, model);
        let (chosen, model) = (&chosen[..], &model);
        let core = self.terms.and(literals);
        let projected = match project::project_model(self.terms, core, chosen, model) {
            Ok(cube) => {
                let items = cube.constraints.iter().map(|item| self.terms.of_constraint(item));
                let mut items: Vec<TermId> = items.collect();
                items.extend(cube.others);
                items
            }
            Err(project::Failure::Stopped(stop)) => return Err(Reason::Stopped(stop)),
            Err(_) => {
                // Dropping what cannot be projected makes the cube larger; the path has to contradict it all the same.
                let forgotten = project::forget(self.terms, core, chosen);
                self.terms.conjuncts(forgotten)
            }
        };
        let projected = self.constraints(&projected, model);
        path.core(self.terms, &projected, self.budget).map_err(gave_up)?.ok_or_else(inconsistent)
    }

    /// Literals as linear constraints that hold in the model; equations as pairs of inequalities, of which one may be enough.
    fn constraints(&mut self, literals: &[TermId], model: &Model) -> Vec<TermId> {
        let cube = self.terms.linear_cube(literals, model);
        let mut result = cube.others;
        for constraint in cube.constraints {
            match constraint {
                Constraint::Zero(form) => {
                    result.push(self.terms.le_zero(&form));
                    result.push(self.terms.le_zero(&form.negate()));
                }
                other => result.push(self.terms.of_constraint(&other)),
            }
        }
        result.retain(|literal| !matches!(self.terms.node(*literal), Node::True));
        result.sort_unstable();
        result.dedup();
        result
    }

    /// What is known at a point of the symbols in a formula.
    pub(super) fn background(&mut self, point: PointId, formula: TermId) -> TermId {
        let facts = self.graph.points[point].facts;
        let both = self.terms.and([facts, formula]);
        let typed = encode::typing(self.program, self.terms, &self.graph.vocabulary, both);
        self.terms.and([facts, typed])
    }

    /// Tries to cover a node by one of its ancestors, whose label must then be preserved by the path between them.
    pub(super) fn force_cover(&mut self, node: NodeId) -> Result<bool, Reason> {
        let point = self.tree.node(node).point;
        let mut at = self.tree.node(node).parent;
        while let Some((ancestor, _)) = at {
            at = self.tree.node(ancestor).parent;
            if self.tree.node(ancestor).point != point || !self.tree.may_cover(ancestor) {
                continue;
            }
            if self.preserves(ancestor, node)? {
                self.statistics.covers += 1;
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
        let all = self.terms.and(label.iter().copied());
        let background = self.background(point, all);
        let start = self.terms.and([all, background]);
        let mut path = Path::new(&self.solvers, self.terms, ancestor, start);
        path.go_to(node, &self.tree, self.graph, self.terms);
        let missing: Vec<TermId> = label
            .into_iter()
            .filter(|clause| self.tree.node(node).label.binary_search(clause).is_err())
            .collect();
        let broken = self.terms.and(missing.iter().copied());
        let broken = self.terms.not(broken);
        match path.check(self.terms, &[broken], self.budget) {
            Answer::Unsat(_) => {}
            Answer::Sat(_) => return Ok(false),
            Answer::Unknown(smt::Why::Stopped(stop)) => return Err(Reason::Stopped(stop)),
            Answer::Unknown(_) => return Ok(false),
        }
        let before: Vec<(NodeId, Vec<TermId>)> =
            self.tree.path(node).into_iter().map(|node| (node, self.tree.node(node).label.clone())).collect();
        match self.hand_down(&mut path, node, &missing) {
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
    fn hand_down(&mut self, path: &mut Path, node: NodeId, clauses: &[TermId]) -> Result<(), Reason> {
        for clause in clauses {
            // The clause itself, not a stronger one: the covering label must not change by this.
            path.go_to(node, &self.tree, self.graph, self.terms);
            self.tree.strengthen(node, *clause);
            let Some((parent, arc)) = self.tree.node(node).parent else { continue };
            path.shorten(path.depth() - 1);
            let cube = self.terms.not(*clause);
            let goal = self.graph.arcs[arc].formula.before(self.terms, cube);
            let changed = self.exclude(path, parent, goal)?;
            self.changed(&changed)?;
        }
        Ok(())
    }

    /// Covers of nodes whose labels became stronger have to be looked at again.
    pub(super) fn changed(&mut self, nodes: &[NodeId]) -> Result<(), Reason> {
        for node in nodes {
            for covered in self.tree.node(*node).covers.clone() {
                if !self.entails(covered, *node)? {
                    self.statistics.uncovered += 1;
                    let revived = self.tree.uncover(covered);
                    self.enqueue(revived);
                }
            }
        }
        Ok(())
    }

    /// Whether the label of one node implies that of another one at the same point.
    fn entails(&mut self, stronger: NodeId, weaker: NodeId) -> Result<bool, Reason> {
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
        let weaker_label = self.terms.and(missing);
        let broken = self.terms.not(weaker_label);
        let point = self.tree.node(stronger).point;
        let all = self.terms.and(label);
        let query = self.terms.and([all, broken]);
        if let Some(known) = self.entailments.get(&(point, query)) {
            return Ok(*known);
        }
        let background = self.background(point, query);
        let formula = self.terms.and([background, query]);
        let holds = match smt::check_formula(&mut self.scratch, self.terms, formula, self.budget) {
            Answer::Unsat(_) => true,
            Answer::Sat(_) => false,
            Answer::Unknown(smt::Why::Stopped(stop)) => return Err(Reason::Stopped(stop)),
            Answer::Unknown(_) => false,
        };
        self.entailments.insert((point, query), holds);
        Ok(holds)
    }

    /// Tries to cover the nodes of a path, from the root on, by older nodes whose labels are weaker.
    pub(super) fn close(&mut self, node: NodeId) -> Result<(), Reason> {
        for candidate in self.tree.path(node) {
            if self.tree.node(candidate).cover.is_some() {
                return Ok(());
            }
            let point = self.tree.node(candidate).point;
            if Some(point) == self.graph.error {
                continue;
            }
            let others: Vec<NodeId> =
                self.tree.at(point).iter().copied().take_while(|other| *other < candidate).collect();
            for other in others.into_iter().rev() {
                if self.tree.may_cover(other) && self.entails(candidate, other)? {
                    self.statistics.covers += 1;
                    let revived = self.tree.cover(candidate, other);
                    self.enqueue(revived);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The summary at a node reduced to the conjuncts that the path contradicts.
    pub(super) fn reduced(&mut self, path: &mut Path, goal: TermId) -> Result<TermId, Reason> {
        let parts = self.terms.conjuncts(goal);
        match path.core(self.terms, &parts, self.budget).map_err(gave_up)? {
            Some(core) => Ok(self.terms.and(core)),
            None => Ok(goal),
        }
    }
}
