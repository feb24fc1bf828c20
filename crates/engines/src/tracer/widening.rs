//! Widening at loop heads: what of a state iterations keep.
//!
//! # Paper
//! [Tracer12] §2.2, and §3 "loop invariant generation": candidates are the constraints of the state at the head; after a cycle each is kept if it still holds, and dropped otherwise. What the refinement found to be
//! needed is never dropped: a cycle that breaks it goes on by itself.
//!
//! The paper tests each candidate by itself and says that subsets would give more. Here the greatest subset that is kept together is found ([Houdini01], [`summary::joint`]); steps that break what is needed, or
//! that other nodes represent, do not count.
//!
//! # Invariants
//! * W1: the state of a head implies its label, which is what is needed and the invariant.
//! * W2: from the label, an iteration that keeps what is needed and ends outside of the other labels keeps the invariant, as far as one relation describes the iteration. If it does not, because loops inside
//!   are widened too far, that shows when the path comes back to the head.
//!
//! # Cost
//! Candidates are linear in the number of variables, of which few are compared with each other; a question for each model that drops some, and two more.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Stop;
use encode::Transition;
use graph::cut::PointId;
use graph::tree::NodeId;
use paths::{Strength, gave_up};
use smt::{Answer, Logic, Solver, Why, Z3Solver, minimise};
use summary::joint::{Asserted, Candidate, survivors};
use summary::{StarOptions, Stars, iteration};
use term::{Evaluator, Integer, Model, Node, Sort, SymbolId, TermId, Terms};
use verdict::Reason;

use super::affine::Hull;
use super::symbolic_execution::{Anchor, Execution};
use crate::joint_facts::tested;

/// More candidates of a head are not tried.
const MAX_CANDIDATES: usize = 200;
/// Of so many variables that a loop changes sums and differences are candidates.
const MAX_RELATED: usize = 8;
/// Of so many variables equations are looked for.
const MAX_HULL: usize = 12;
/// The most that is spent on the relation of one iteration.
const ITERATION_TICKS: u64 = 20_000;
/// The most that is spent on making one core smaller.
const MINIMISATION_TICKS: u64 = 2_000;

/// Where candidates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidates {
    /// From the state: what the paper has.
    State,
    /// The same; that did not suffice, and relations are looked for next.
    StateForNow,
    /// Also equations between variables, and facts that conditions of the program prove together.
    Relations,
}

/// What the state of a head was widened to.
#[derive(Clone, Debug)]
pub(super) struct Widened {
    /// Where candidates come from.
    pub(super) source: Candidates,
    /// What the refinement found to be needed, ascending.
    pub(super) kept: Vec<TermId>,
    /// What the state implies, as far as it was tried.
    candidates: Vec<TermId>,
    /// The affine hull of the state, if it was found.
    hull: Option<Hull>,
    /// What iterations keep together of the candidates and of the equations of the hull.
    pub(super) invariant: Vec<TermId>,
    /// Candidates that a path back to the head broke.
    pub(super) lost: BTreeSet<TermId>,
}

impl Widened {
    /// What widening gave up.
    pub(super) fn dropped(&self) -> Vec<TermId> {
        let is_dropped = |clause: &TermId| !self.invariant.contains(clause) && !self.kept.contains(clause);
        self.candidates.iter().copied().filter(is_dropped).collect()
    }
}

impl Execution<'_> {
    /// Widens the state of a head, which is the state after the path to it, and labels the node (W1).
    pub(super) fn widen(&mut self, node: NodeId) -> Result<(), Reason> {
        let mut widened = match self.infos[node.0 as usize].widened.take() {
            Some(widened) => widened,
            None => Widened {
                source: Candidates::State,
                kept: Vec::new(),
                candidates: self.candidates(node)?,
                hull: None,
                invariant: Vec::new(),
                lost: BTreeSet::new(),
            },
        };
        if widened.source == Candidates::StateForNow {
            widened.source = Candidates::Relations;
            widened.hull = self.hull(node)?;
            let facts = self.facts[self.tree.node(node).point].clone();
            let facts = self.implied(node, &facts)?;
            widened.candidates.extend(facts);
        }
        let mut tried = widened.candidates.clone();
        let iteration = self.iteration(self.tree.node(node).point)?;
        if let Some(iteration) = &iteration {
            tried.extend(self.equations(node, &widened, iteration)?);
        }
        tried.retain(|candidate| !widened.lost.contains(candidate));
        widened.invariant = match iteration {
            Some(iteration) => self.preserved(node, &widened.kept, &tried, &iteration)?,
            None => tried,
        };
        let mut label: Vec<TermId> = widened.kept.iter().chain(&widened.invariant).copied().collect();
        label.sort_unstable();
        label.dedup();
        self.tree.set_label(node, label);
        self.infos[node.0 as usize].widened = Some(widened);
        Ok(())
    }

    /// One iteration of the loop of a head, if it was found within its budget.
    fn iteration(&mut self, head: PointId) -> Result<Option<Rc<Transition>>, Reason> {
        if let Some(known) = self.iterations.get(&head) {
            return Ok(known.clone());
        }
        let Logic { terms, solvers, budget } = &mut *self.logic;
        let mut child = budget.child(ITERATION_TICKS);
        let mut stars = Stars::new(solvers.clone(), StarOptions::default());
        let found = iteration(self.space.graph, head, terms, &mut stars, &mut child);
        budget.absorb(&child);
        let found = match found {
            Ok(found) => Some(Rc::new(found.pruning().clone())),
            Err(Stop::Ticks) => {
                budget.poll().map_err(Reason::Stopped)?;
                None
            }
            Err(stop) => return Err(Reason::Stopped(stop)),
        };
        self.iterations.insert(head, found.clone());
        Ok(found)
    }

    /// What of the candidates an iteration keeps that keeps what is needed and ends outside of the labels of others (W2).
    fn preserved(
        &mut self,
        node: NodeId,
        kept: &[TermId],
        candidates: &[TermId],
        iteration: &Transition,
    ) -> Result<Vec<TermId>, Reason> {
        let mut solver = self.step(node, kept, iteration, candidates);
        let Logic { terms, budget, .. } = &mut *self.logic;
        let mut after = iteration.substitution();
        let mut tried = Vec::new();
        for candidate in candidates {
            let holds = after.apply(terms, *candidate);
            tried.push(Candidate { assumed: *candidate, broken: terms.not(holds) });
        }
        let mut relation = Asserted { terms, solver: &mut solver, budget };
        let alive = survivors(&mut relation, &tried).map_err(Reason::Stopped)?;
        Ok(alive.into_iter().map(|at| candidates[at]).collect())
    }

    /// A solver that knows one iteration that keeps what is needed and ends outside of the labels of others; it will be asked about some clauses.
    fn step(
        &mut self,
        node: NodeId,
        kept: &[TermId],
        iteration: &Transition,
        clauses: &[TermId],
    ) -> Z3Solver {
        let point = self.tree.node(node).point;
        let representatives = self.representatives(node);
        let others: Vec<TermId> = representatives.into_iter().map(|other| self.outside(other)).collect();
        let Logic { terms, solvers, .. } = &mut *self.logic;
        let mut after = iteration.substitution();
        let mut known = vec![iteration.guard];
        known.extend(kept);
        for condition in kept.iter().chain(&others) {
            known.push(after.apply(terms, *condition));
        }
        let mut all: Vec<TermId> = known.iter().chain(clauses).copied().collect();
        for clause in clauses {
            all.push(after.apply(terms, *clause));
        }
        let all = terms.or(all);
        let background = self.space.background(terms, point, all);
        let known = terms.and(known);
        let mut solver = solvers.z3_solver();
        solver.assert(terms, background);
        solver.assert(terms, known);
        solver
    }

    /// The affine hull of the state of a node, over variables that the loop changes or uses, and others if they are few.
    fn hull(&mut self, node: NodeId) -> Result<Option<Hull>, Reason> {
        let point = self.tree.node(node).point;
        let Some(iteration) = self.iteration(point)? else { return Ok(None) };
        let terms = &self.logic.terms;
        let live = &self.space.graph.points[point].live;
        let is_number =
            |symbol: &SymbolId| live.binary_search(symbol).is_ok() && terms.symbol(*symbol).sort == Sort::Int;
        let changed: Vec<SymbolId> = iteration.update.keys().copied().filter(is_number).collect();
        let used = iteration.symbols(terms).into_iter().filter(|symbol| !changed.contains(symbol));
        let used: Vec<SymbolId> = used.filter(is_number).collect();
        let unused = live.iter().copied().filter(is_number);
        let unused = unused.filter(|symbol| !changed.contains(symbol) && !used.contains(symbol));
        let variables: Vec<SymbolId> =
            changed.iter().chain(&used).copied().chain(unused).take(MAX_HULL).collect();
        let mut hull = Hull::new(variables);
        loop {
            let equations = hull.equations(&mut self.logic.terms);
            let all = self.logic.terms.and(equations);
            // Any state is the first one.
            let broken = if hull.is_empty() { Terms::TRUE } else { self.logic.terms.not(all) };
            match self.check(node, &[broken]) {
                Answer::Sat(model) => {
                    let numbers: BTreeMap<SymbolId, Integer> =
                        self.numbers(point, &model).into_iter().collect();
                    let values: Vec<Integer> =
                        hull.variables().iter().map(|symbol| numbers[symbol].clone()).collect();
                    if !hull.add(&values) {
                        return Ok(None);
                    }
                }
                Answer::Unsat(_) => return Ok(Some(hull)),
                Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
                Answer::Unknown(_) => return Ok(None),
            }
        }
    }

    /// The equations of the hull that iterations keep (Q1).
    fn equations(
        &mut self,
        node: NodeId,
        widened: &Widened,
        iteration: &Transition,
    ) -> Result<Vec<TermId>, Reason> {
        let Some(mut hull) = widened.hull.clone() else { return Ok(Vec::new()) };
        let equations = hull.equations(&mut self.logic.terms);
        let mut solver = self.step(node, &widened.kept, iteration, &equations);
        let mut after = iteration.substitution();
        loop {
            let Logic { terms, budget, .. } = &mut *self.logic;
            let equations = hull.equations(terms);
            let all = terms.and(equations.iter().copied());
            if all == Terms::TRUE {
                return Ok(Vec::new());
            }
            let kept = after.apply(terms, all);
            let broken = terms.not(kept);
            match solver.check(terms, &[all, broken], budget) {
                Answer::Sat(model) => {
                    let mut values = Vec::new();
                    for symbol in hull.variables() {
                        let value = iteration.value(terms, *symbol);
                        values.push(Evaluator::new(terms, &model).int(value));
                    }
                    if !hull.add(&values) {
                        return Ok(Vec::new());
                    }
                }
                Answer::Unsat(_) => return Ok(equations),
                Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
                Answer::Unknown(_) => return Ok(Vec::new()),
            }
        }
    }

    /// What the state of a node implies of: the numbers of a model, how they compare, and the conditions that arcs test.
    fn candidates(&mut self, node: NodeId) -> Result<Vec<TermId>, Reason> {
        let point = self.tree.node(node).point;
        let model = match self.check(node, &[]) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Ok(Vec::new()),
            Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
            Answer::Unknown(_) => return Ok(Vec::new()),
        };
        let changed = self.iteration(point)?;
        let mut found = Vec::new();
        let numbers = self.numbers(point, &model);
        let terms = &mut self.logic.terms;
        for (variable, number) in &numbers {
            let (variable, number) = (terms.of_symbol(*variable), terms.number(number.clone()));
            found.extend([terms.le(variable, number), terms.ge(variable, number)]);
        }
        let is_changed = |symbol: SymbolId| {
            changed.as_ref().is_none_or(|iteration| iteration.update.contains_key(&symbol))
        };
        let related: Vec<&(SymbolId, Integer)> =
            numbers.iter().filter(|(symbol, _)| is_changed(*symbol)).take(MAX_RELATED).collect();
        let two = Integer::from(2);
        for (at, (x, c)) in related.iter().enumerate() {
            let x = terms.of_symbol(*x);
            let number = terms.number(c.clone());
            let difference = terms.sub(x, number);
            found.push(terms.divides(&two, difference));
            for (y, d) in &related[at + 1..] {
                let y = terms.of_symbol(*y);
                for (sum, value) in [(terms.sub(x, y), c - d), (terms.add(x, y), c + d)] {
                    let value = terms.number(value);
                    found.extend([terms.le(sum, value), terms.ge(sum, value)]);
                }
            }
        }
        let mut all = found;
        all.extend(tested(self.space, point, &mut self.logic.terms));
        all.retain(|candidate| !matches!(self.logic.terms.node(*candidate), Node::True | Node::False));
        let mut seen = BTreeSet::new();
        all.retain(|candidate| seen.insert(*candidate));
        all.truncate(MAX_CANDIDATES);
        self.implied(node, &all)
    }

    /// The numbers that variables have at the end of the current path in a model.
    fn numbers(&mut self, point: PointId, model: &Model) -> Vec<(SymbolId, Integer)> {
        let path = &self.anchors[self.anchors.len() - 1].path;
        let terms = &mut self.logic.terms;
        let mut numbers = Vec::new();
        for symbol in &self.space.graph.points[point].live {
            if terms.symbol(*symbol).sort == Sort::Int {
                let term = terms.of_symbol(*symbol);
                let after = path.at_end(terms, term);
                numbers.push((*symbol, Evaluator::new(terms, model).int(after)));
            }
        }
        numbers
    }

    /// The candidates that hold after every execution of the path to a node.
    fn implied(&mut self, node: NodeId, candidates: &[TermId]) -> Result<Vec<TermId>, Reason> {
        self.go_to(node);
        let Self { anchors, logic, .. } = self;
        let path = &mut anchors.last_mut().expect("X1: the root should be an anchor").path;
        let Logic { terms, budget, .. } = &mut **logic;
        let mut tried = Vec::new();
        for candidate in candidates {
            let holds = path.at_end(terms, *candidate);
            tried.push(Candidate { assumed: Terms::TRUE, broken: terms.not(holds) });
        }
        let mut relation = Asserted { terms, solver: path.solver(), budget };
        let alive = survivors(&mut relation, &tried).map_err(Reason::Stopped)?;
        Ok(alive.into_iter().map(|at| candidates[at]).collect())
    }

    /// What of the label of a head its iterations and the paths below it need: the weaker it is, the more it subsumes.
    pub(super) fn needed(&mut self, mut anchor: Anchor) -> Result<Vec<TermId>, Reason> {
        let label = self.tree.node(anchor.node).label.clone();
        if self.strength == Strength::Strongest {
            return Ok(label);
        }
        anchor.path.shorten(0);
        self.tree.set_label(anchor.node, Vec::new());
        for demand in std::mem::take(&mut anchor.demands) {
            let Self { interpolator, tree, logic, .. } = self;
            match interpolator.exclude_at(tree, &mut anchor.path, anchor.node, demand, logic) {
                Ok(_) => {}
                Err(reason @ Reason::Stopped(_)) => return Err(reason),
                Err(_) => return Ok(label),
            }
        }
        let mut needed = self.tree.node(anchor.node).label.clone();
        let point = self.tree.node(anchor.node).point;
        let mut pending = true;
        while std::mem::take(&mut pending) {
            for (arc, others) in &anchor.returns {
                self.logic.budget.tick().map_err(Reason::Stopped)?;
                let Logic { terms, solvers, budget } = &mut *self.logic;
                let outside = terms.and(needed.iter().copied());
                let outside = terms.not(outside);
                let goal = terms.and([*others, outside]);
                let goal = self.space.graph.arcs[*arc].formula.before(terms, goal);
                let known = terms.and(needed.iter().copied().chain([goal]));
                let all = terms.and(label.iter().copied().chain([known]));
                let background = self.space.background(terms, point, all);
                let mut solver = solvers.z3_solver();
                solver.assert(terms, background);
                solver.assert(terms, known);
                match solver.check(terms, &label, budget) {
                    Answer::Unsat(core) if core.0.is_empty() => {}
                    Answer::Unsat(core) => {
                        let mut allowance = budget.child(MINIMISATION_TICKS);
                        let core = minimise(&mut solver, terms, &core, &mut allowance);
                        budget.absorb(&allowance);
                        needed.extend(core.0);
                        pending = true;
                    }
                    Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
                    Answer::Sat(_) | Answer::Unknown(_) => return Ok(label),
                }
            }
        }
        needed.sort_unstable();
        needed.dedup();
        Ok(needed)
    }
}
