//! Backward symbolic execution: Algorithm 1 of [Bself21], and Algorithm 3, which is the same with the folding of loops.
//!
//! The paper's paths are sequences of edges; here they are sequences of arcs, each of which stands for all ways between two points. A pre-image is a disjunction then, and its
//! conjunctions become obligations by models, as many as there are. The queue is first in, first out, so a counterexample has the least number of arcs.
//!
//! Algorithm 3 returns "correct" as soon as one loop is folded, which forgets what else is in the queue; here the next obligation is taken.
//!
//! # Invariants
//! * E1 (theorem 1, with subsumption off): the search finds a path to the error if there is one, and ends if there are finitely many feasible paths to the error from anywhere.
//! * E2: when the queue is empty, `Inv(p) ∧ ¬O(p)`, with Inv the invariants and O the obligations of a point, is inductive and excludes the error.
//!
//! # Cost
//! For each obligation and arc into its point a question, and one more for each new obligation.

use std::collections::{BTreeMap, VecDeque};

use base::IndexVec;
use engine::{Counter, Events};
use graph::cut::{ArcId, ENTRY, PointId};
use passes::Prepared;
use paths::{Exactness, Preimage, Space, gave_up, preimage, readable};
use smt::{Answer, Logic, Solver, Why, Z3Solver};
use term::{Model, TermId};
use verdict::{Reason, Trace};

use super::fold_loop::Folds;
use super::obligation::{Obligation, ObligationId, State, Store, Subsumption};
use crate::counterexample::{TestsAlongPaths, execution_along};
use crate::rounded::rounded;

/// Upper bound on obligations.
const MAX_OBLIGATIONS: usize = 50_000;
/// Upper bound on the conjunctions of one pre-image.
const MAX_CUBES: usize = 64;

/// Whether loops are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Folding {
    /// They are: BSELF.
    On,
    /// They are only unwound: BSE.
    Off,
}

/// How a search ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// This execution reaches the error, along so many arcs.
    Error(Box<Trace>, u32),
    /// There is none: the labels show it.
    Closed,
}

/// What is enough of a pre-image to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predecessors {
    /// All are obligations now.
    All,
    /// There are too many.
    TooMany,
}

/// A search in progress.
pub(crate) struct Search<'a> {
    pub(super) task: &'a Prepared<'a>,
    pub(super) space: Space<'a>,
    pub(super) logic: &'a mut Logic,
    pub(super) store: Store<'a>,
    /// Arcs by their targets.
    pub(super) incoming: IndexVec<PointId, Vec<ArcId>>,
    pub(super) folds: Folds,
    folding: Folding,
    tests: TestsAlongPaths<'a>,
    /// Why there will be no proof, although the search goes on.
    obstacle: Option<Reason>,
    /// The greatest age of an obligation that was looked at.
    deepest: u32,
    /// Older obligations end the search.
    oldest: u32,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        task: &'a Prepared<'a>,
        space: Space<'a>,
        folding: Folding,
        subsumption: Subsumption,
        logic: &'a mut Logic,
    ) -> Self {
        let mut incoming: IndexVec<PointId, Vec<ArcId>> =
            IndexVec::filled(Vec::new(), space.graph.points.len());
        for (id, arc) in space.graph.arcs.iter_enumerated() {
            incoming[arc.target].push(id);
        }
        Self {
            task,
            space,
            logic,
            store: Store::new(space, subsumption),
            incoming,
            folds: Folds::default(),
            folding,
            tests: TestsAlongPaths::new(task, space.graph),
            obstacle: None,
            deepest: 0,
            oldest: u32::MAX,
        }
    }

    /// Invariants that are known from elsewhere: together they are inductive.
    pub(crate) fn assume(&mut self, facts: &IndexVec<PointId, Vec<TermId>>) {
        for (point, facts) in facts.iter_enumerated() {
            for fact in facts {
                self.store.add_invariant(point, *fact, self.logic);
            }
        }
    }

    /// The main loop.
    pub(crate) fn run(&mut self, events: &dyn Events) -> Result<Ending, Reason> {
        let Some(error) = self.space.graph.target else { return Ok(Ending::Closed) };
        let goal = Obligation {
            point: error,
            cube: Vec::new(),
            next: None,
            age: 0,
            exactness: Exactness::Exact,
            state: State::Open,
            seen: 0,
        };
        let goal = self.store.add(goal, self.logic);
        let mut queue = VecDeque::from([goal]);
        while let Some(id) = queue.pop_front() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            self.report(events);
            let Obligation { point, age, .. } = *self.store.get(id);
            if age > self.oldest {
                return Err(Reason::NotProgressing);
            }
            if point == ENTRY
                && let Some(trace) = self.confirm(id)?
            {
                return Ok(Ending::Error(Box::new(trace), age));
            }
            self.deepest = self.deepest.max(age);
            if self.is_excluded(id)? || self.folding == Folding::On && self.try_fold(id, 0)? {
                self.store.get_mut(id).state = State::Excluded;
                continue;
            }
            self.expand(id, &mut queue)?;
        }
        match self.obstacle.take() {
            Some(reason) => Err(reason),
            None => Ok(Ending::Closed),
        }
    }

    /// Whether invariants that were found after an obligation exclude it.
    pub(super) fn is_excluded(&mut self, id: ObligationId) -> Result<bool, Reason> {
        let Obligation { point, seen, cube, .. } = self.store.get(id).clone();
        let invariants = self.store.invariants(point);
        if invariants.len() <= seen {
            return Ok(false);
        }
        let formula = self.logic.terms.and(cube.into_iter().chain(invariants));
        self.is_impossible(point, formula)
    }

    /// Whether no state of a point satisfies a formula.
    pub(super) fn is_impossible(&mut self, point: PointId, formula: TermId) -> Result<bool, Reason> {
        let background = self.space.background(&mut self.logic.terms, point, formula);
        let question = self.logic.terms.and([background, formula]);
        let mut solver = self.folds.take_solver(self.logic);
        let Logic { terms, budget, .. } = &mut *self.logic;
        let answer = smt::check_formula(&mut solver, terms, question, budget);
        self.folds.give_back(solver);
        match answer {
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(why @ Why::Stopped(_)) => Err(gave_up(why)),
            Answer::Sat(_) | Answer::Unknown(_) => Ok(false),
        }
    }

    /// Makes obligations of the predecessors of one.
    pub(super) fn expand(
        &mut self,
        id: ObligationId,
        queue: &mut VecDeque<ObligationId>,
    ) -> Result<(), Reason> {
        let Obligation { point, cube, state, .. } = self.store.get(id).clone();
        let goal = self.logic.terms.and(cube);
        for arc in self.incoming[point].clone() {
            if self.predecessors(goal, arc, Some(id), queue)? == Predecessors::TooMany {
                self.obstacle.get_or_insert(Reason::NotProgressing);
            }
        }
        if state == State::Open {
            self.store.get_mut(id).state = State::Expanded;
        }
        Ok(())
    }

    /// Makes obligations of the states from which an arc leads to a goal at its target. They are at the end of the queue.
    pub(super) fn predecessors(
        &mut self,
        goal: TermId,
        arc: ArcId,
        next: Option<ObligationId>,
        queue: &mut VecDeque<ObligationId>,
    ) -> Result<Predecessors, Reason> {
        let point = self.space.graph.arcs[arc].source;
        let formula = self.space.graph.arcs[arc].formula.before(&mut self.logic.terms, goal);
        let formula = readable(&mut self.logic.terms, formula);
        let background = self.space.background(&mut self.logic.terms, point, formula);
        let solver = self.store.solver(point, self.logic);
        solver.push();
        solver.assert(&self.logic.terms, background);
        solver.assert(&self.logic.terms, formula);
        let cubes = cubes(solver, formula, MAX_CUBES, self.logic);
        solver.pop();
        let (cubes, count) = cubes?;
        let (age, exactness) = match next {
            Some(next) => {
                let next = self.store.get(next);
                (next.age + 1, next.exactness)
            }
            None => (0, Exactness::Larger),
        };
        let is_rounded = self.space.graph.arcs[arc].skolems.iter().any(|skolem| skolem.rounding().is_some());
        for cube in cubes {
            if self.store.len() >= MAX_OBLIGATIONS {
                return Err(Reason::NotProgressing);
            }
            let is_exact = exactness == Exactness::Exact && cube.exactness == Exactness::Exact && !is_rounded;
            let obligation = Obligation {
                point,
                cube: cube.literals,
                next: next.map(|next| (next, arc)),
                age,
                exactness: if is_exact { Exactness::Exact } else { Exactness::Larger },
                state: State::Open,
                seen: self.store.invariants(point).len(),
            };
            queue.push_back(self.store.add(obligation, self.logic));
        }
        Ok(count)
    }

    /// An execution from an obligation of the entry to the error. If there is none, there will be no proof.
    fn confirm(&mut self, id: ObligationId) -> Result<Option<Trace>, Reason> {
        let mut arcs = Vec::new();
        let mut at = id;
        while let Some((next, arc)) = self.store.get(at).next {
            arcs.push(arc);
            at = next;
        }
        let found = execution_along(&arcs, self.task, self.space, &mut self.tests, self.logic)?;
        if found.is_none() {
            let rounded = rounded(self.task, self.space.graph);
            self.obstacle.get_or_insert(Reason::Spurious { rounded });
        }
        Ok(found)
    }

    /// The invariants that were found or are known from elsewhere.
    pub(crate) fn invariants(&self) -> IndexVec<PointId, Vec<TermId>> {
        let mut invariants = IndexVec::filled(Vec::new(), self.space.graph.points.len());
        for point in self.space.graph.points.ids() {
            invariants[point] = self.store.invariants(point);
        }
        invariants
    }

    /// What is proved at the points when the search has closed, for the annotation.
    pub(crate) fn labels(&mut self) -> BTreeMap<PointId, Vec<Vec<TermId>>> {
        let labels = self.store.labels(&mut self.logic.terms);
        labels.iter_enumerated().map(|(point, label)| (point, vec![label.clone()])).collect()
    }

    /// Ends the search at paths of more than so many arcs.
    #[cfg(test)]
    pub(crate) fn give_up_beyond(&mut self, arcs: u32) {
        self.oldest = arcs;
    }

    /// The greatest number of arcs of a feasible path that was looked at.
    #[cfg(test)]
    pub(crate) fn deepest(&self) -> u32 {
        self.deepest
    }

    pub(crate) fn report(&self, events: &dyn Events) {
        let totals = [
            (Counter::Tests, self.tests.tests()),
            (Counter::Obligations, self.store.len() as u64),
            (Counter::Folds, self.folds.folded),
            (Counter::FoldsGivenUp, self.folds.given_up),
            (Counter::FoldQuestions, self.folds.questions),
            (Counter::SolverQueries, self.logic.solvers.statistics().queries),
        ];
        for (counter, total) in totals {
            events.total(counter, total);
        }
    }
}

/// The conjunctions of a formula that a solver has asserted, as far as it is not excluded already.
pub(super) fn cubes(
    solver: &mut Z3Solver,
    formula: TermId,
    most: usize,
    logic: &mut Logic,
) -> Result<(Vec<Preimage>, Predecessors), Reason> {
    let mut found = Vec::new();
    loop {
        let model: Model = match solver.check(&logic.terms, &[], &mut logic.budget) {
            Answer::Unsat(_) => return Ok((found, Predecessors::All)),
            Answer::Sat(model) => model,
            Answer::Unknown(why) => return Err(gave_up(why)),
        };
        if found.len() == most {
            return Ok((found, Predecessors::TooMany));
        }
        let cube = preimage(&mut logic.terms, formula, &model)?;
        let states = logic.terms.and(cube.literals.iter().copied());
        let others = logic.terms.not(states);
        solver.assert(&logic.terms, others);
        found.push(cube);
    }
}
