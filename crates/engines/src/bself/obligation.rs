//! Obligations: states from which a goal is reached, and what is known against them.
//!
//! # Invariants
//! * O1: an obligation is a conjunction of literals over the variables of its point. Obligations that were expanded are closed: each predecessor state of one, as far as facts and
//!   invariants allow it, is in an obligation of its own point.
//! * O2: the solver of a point knows its facts, its invariants and, unless subsumption is off, the negations of its obligations.
//! * O3: what was added since a trial began is gone when it is abandoned, from the solvers as well.

use std::collections::BTreeMap;

use base::{IndexVec, newtype_index};
use graph::cut::{ArcId, PointId};
use paths::{Exactness, Space};
use smt::{Logic, Solver, Z3Solver};
use term::{TermId, Terms};

newtype_index!(
    /// An obligation.
    ObligationId,
    "o"
);

/// What became of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing yet.
    Open,
    /// Its predecessors are obligations.
    Expanded,
    /// The same, after its loop was not folded.
    Unfolded,
    /// An invariant of its point excludes it.
    Excluded,
}

/// States of a point from which a goal is reached.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    pub(crate) point: PointId,
    /// The literals.
    pub(crate) cube: Vec<TermId>,
    /// Where the states lead, and by which arc; nothing where a search starts.
    pub(crate) next: Option<(ObligationId, ArcId)>,
    /// The number of arcs to the goal.
    pub(crate) age: u32,
    /// Whether all states lead to the goal.
    pub(crate) exactness: Exactness,
    pub(crate) state: State,
    /// How many invariants its point had when it was found.
    pub(crate) seen: usize,
}

/// Whether states that are in an obligation already become part of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subsumption {
    /// They do not.
    On,
    /// They do: each path is followed by itself, as in the paper's theorems.
    #[cfg(test)]
    Off,
}

/// Where a trial began.
#[derive(Clone, Copy, Debug)]
struct Mark {
    obligations: usize,
    invariants: usize,
}

/// A solver with how many levels it has open.
struct Levelled {
    solver: Z3Solver,
    levels: usize,
}

/// All obligations and invariants.
pub(crate) struct Store<'a> {
    space: Space<'a>,
    subsumption: Subsumption,
    obligations: Vec<Obligation>,
    /// In the order in which they were added.
    invariants: Vec<(PointId, TermId)>,
    solvers: BTreeMap<PointId, Levelled>,
    trials: Vec<Mark>,
}

impl<'a> Store<'a> {
    pub(crate) fn new(space: Space<'a>, subsumption: Subsumption) -> Self {
        Self {
            space,
            subsumption,
            obligations: Vec::new(),
            invariants: Vec::new(),
            solvers: BTreeMap::new(),
            trials: Vec::new(),
        }
    }

    pub(crate) fn get(&self, id: ObligationId) -> &Obligation {
        &self.obligations[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: ObligationId) -> &mut Obligation {
        &mut self.obligations[id.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.obligations.len()
    }

    /// The invariants of a point.
    pub(crate) fn invariants(&self, point: PointId) -> Vec<TermId> {
        self.invariants.iter().filter(|(at, _)| *at == point).map(|(_, invariant)| *invariant).collect()
    }

    /// The solver of a point (O2), at the level of the current trial.
    pub(crate) fn solver(&mut self, point: PointId, logic: &mut Logic) -> &mut Z3Solver {
        let (space, subsumption, depth) = (self.space, self.subsumption, self.trials.len());
        let (invariants, obligations) = (&self.invariants, &self.obligations);
        let levelled = self.solvers.entry(point).or_insert_with(|| {
            let mut solver = logic.solvers.z3_solver();
            let facts = space.background(&mut logic.terms, point, Terms::TRUE);
            solver.assert(&logic.terms, facts);
            // Made within a trial: what is older stays when the trial is abandoned.
            let first = self.trials.first().copied();
            let mark = first.unwrap_or(Mark { obligations: obligations.len(), invariants: invariants.len() });
            for (at, invariant) in &invariants[..mark.invariants] {
                if *at == point {
                    solver.assert(&logic.terms, *invariant);
                }
            }
            if subsumption == Subsumption::On {
                for known in obligations[..mark.obligations].iter().filter(|known| known.point == point) {
                    let clause = excluded(&mut logic.terms, known);
                    solver.assert(&logic.terms, clause);
                }
            }
            Levelled { solver, levels: 0 }
        });
        for level in levelled.levels..depth {
            levelled.solver.push();
            let from = self.trials[level];
            let next = self.trials.get(level + 1).copied();
            let to = next.unwrap_or(Mark { obligations: obligations.len(), invariants: invariants.len() });
            for (at, invariant) in &invariants[from.invariants..to.invariants] {
                if *at == point {
                    levelled.solver.assert(&logic.terms, *invariant);
                }
            }
            if subsumption == Subsumption::On {
                let known = &obligations[from.obligations..to.obligations];
                for known in known.iter().filter(|known| known.point == point) {
                    let clause = excluded(&mut logic.terms, known);
                    levelled.solver.assert(&logic.terms, clause);
                }
            }
        }
        levelled.levels = depth;
        &mut levelled.solver
    }

    /// Adds an obligation.
    pub(crate) fn add(&mut self, obligation: Obligation, logic: &mut Logic) -> ObligationId {
        let clause = excluded(&mut logic.terms, &obligation);
        let point = obligation.point;
        let id = ObligationId(self.obligations.len() as u32);
        if self.subsumption == Subsumption::On {
            self.solver(point, logic).assert(&logic.terms, clause);
        }
        self.obligations.push(obligation);
        id
    }

    /// Adds an invariant, or what is taken for one in a trial.
    pub(crate) fn add_invariant(&mut self, point: PointId, invariant: TermId, logic: &mut Logic) {
        self.solver(point, logic).assert(&logic.terms, invariant);
        self.invariants.push((point, invariant));
    }

    /// How many trials are under way.
    pub(crate) fn depth(&self) -> usize {
        self.trials.len()
    }

    /// Begins a trial.
    pub(crate) fn begin(&mut self) {
        self.trials.push(Mark { obligations: self.obligations.len(), invariants: self.invariants.len() });
    }

    /// Keeps what was added since the last trial began.
    pub(crate) fn commit(&mut self, logic: &mut Logic) {
        let Some(mark) = self.trials.pop() else { return };
        let depth = self.trials.len();
        for (point, levelled) in &mut self.solvers {
            if levelled.levels <= depth {
                continue;
            }
            while levelled.levels > depth {
                levelled.solver.pop();
                levelled.levels -= 1;
            }
            for (at, invariant) in &self.invariants[mark.invariants..] {
                if at == point {
                    levelled.solver.assert(&logic.terms, *invariant);
                }
            }
            if self.subsumption == Subsumption::On {
                let known = &self.obligations[mark.obligations..];
                for known in known.iter().filter(|known| known.point == *point) {
                    let clause = excluded(&mut logic.terms, known);
                    levelled.solver.assert(&logic.terms, clause);
                }
            }
        }
    }

    /// Forgets what was added since a number of trials were under way (O3).
    pub(crate) fn abandon(&mut self, depth: usize) {
        let Some(mark) = self.trials.get(depth).copied() else { return };
        self.trials.truncate(depth);
        self.obligations.truncate(mark.obligations);
        self.invariants.truncate(mark.invariants);
        for levelled in self.solvers.values_mut() {
            while levelled.levels > depth {
                levelled.solver.pop();
                levelled.levels -= 1;
            }
        }
    }

    /// What is proved at each point, as clauses: every obligation is excluded by itself or by an invariant.
    pub(crate) fn labels(&self, terms: &mut Terms) -> IndexVec<PointId, Vec<TermId>> {
        let mut labels = IndexVec::filled(Vec::new(), self.space.graph.points.len());
        for (point, invariant) in &self.invariants {
            labels[*point].push(*invariant);
        }
        for known in self.obligations.iter().filter(|known| known.state != State::Excluded) {
            labels[known.point].push(excluded(terms, known));
        }
        labels
    }
}

/// That a state is not in an obligation.
fn excluded(terms: &mut Terms, obligation: &Obligation) -> TermId {
    let cube = terms.and(obligation.cube.iter().copied());
    terms.not(cube)
}
