//! Loop folding: Algorithm 4 of [Bself21].
//!
//! Given error states φ of a loop head, a formula ξ is looked for that is disjoint from φ, inductive for the loop, and true whenever the loop is entered. The first candidate is
//! `initial_candidate`; it is extended backwards by pre-images (§4.1), each made larger by `overapproximate` (§4.3), until a candidate holds on entry or the limits are reached.
//!
//! That a candidate holds on entry is shown by the same search, started at what enters the loop outside of ξ: a *trial*. While it runs ξ counts as an invariant of the head, which is sound
//! since an arrival outside of ξ would need an earlier one. A trial that fails leaves nothing behind.
//!
//! Loops inside of the loop are part of one iteration by their summaries, which over-approximate them; points inside get their obligations from the trial.
//!
//! # Invariants
//! * F1: what is added to the invariants of a head is closed together with all that is known: every arc into the head is covered by the question I of `valid` or by obligations.
//!
//! # Cost
//! At most [`FOLD_TICKS`] ticks for one folding, a quarter of it inside of another; κ extensions of one candidate, and [`MAX_GIVEN_UP`] foldings of one head that are given up.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use base::Stop;
use graph::cut::{ArcId, ENTRY, PointId};
use paths::readable;
use smt::{Logic, Solver, Z3Solver};
use summary::{StarOptions, Stars, iteration};
use term::{TermId, Terms};
use verdict::Reason;

use super::bse::{Predecessors, Search, cubes};
use super::initial_candidate::{Context, MAX_CLAUSES, Visited, made_inductive};
use super::obligation::{Obligation, ObligationId, State};
use super::overapproximate::{Constants, Overapproximation, Related};
use super::relations::variables;
use super::valid::{Dnf, Extensions, Iteration, Validity, formula};

/// Ticks of one folding.
const FOLD_TICKS: u64 = 20_000;
/// Foldings of one head that may be given up before it is only unwound.
const MAX_GIVEN_UP: usize = 3;
/// Foldings inside of each other.
const MAX_DEPTH: usize = 4;
/// Candidates that are remembered for one head.
const MAX_KNOWN: usize = 64;
/// Pre-images of one extension that are looked at.
const MAX_PREIMAGES: usize = 4;
/// Upper bound on candidates of one folding.
const MAX_CANDIDATES: usize = 24;
/// Obligations of one trial.
const MAX_TRIAL: usize = 200;
/// Foldings that may fail in one trial.
const MAX_FAILED_IN_TRIAL: usize = 1;

/// What foldings share.
#[derive(Default)]
pub(crate) struct Folds {
    /// O_l of the paper: inductive sets that were found for a head.
    known: BTreeMap<PointId, Vec<Dnf>>,
    iterations: BTreeMap<PointId, Rc<Iteration>>,
    failures: BTreeMap<PointId, usize>,
    /// Solvers without assertions.
    free: Vec<Z3Solver>,
    /// Loops that were folded.
    pub(super) folded: u64,
    /// Foldings that were given up.
    pub(super) given_up: u64,
    /// Questions of foldings, those of trials not included.
    pub(super) questions: u64,
}

impl Folds {
    /// The candidates of a head.
    pub(super) fn known(&self, head: PointId) -> Vec<Dnf> {
        self.known.get(&head).cloned().unwrap_or_default()
    }

    fn remember(&mut self, head: PointId, candidate: &Dnf) {
        let known = self.known.entry(head).or_default();
        if known.len() < MAX_KNOWN && !known.contains(candidate) {
            known.push(candidate.clone());
        }
    }

    /// A solver without assertions.
    pub(super) fn take_solver(&mut self, logic: &Logic) -> Z3Solver {
        self.free.pop().unwrap_or_else(|| logic.solvers.z3_solver())
    }

    /// Returns a solver that has no open level and no assertion.
    pub(super) fn give_back(&mut self, solver: Z3Solver) {
        self.free.push(solver);
    }
}

/// A candidate with its last extension.
struct Item {
    last: Vec<TermId>,
    constants: Constants,
    candidate: Dnf,
    /// How many extensions are left; known once the first pre-image is.
    left: Option<usize>,
}

/// What is left to do.
enum Work {
    /// Looks whether a candidate is an invariant, and extends it if not.
    Candidate(Item),
    /// Tries the relations of an extension of a candidate.
    Relations { related: Related, plain: Option<Vec<TermId>>, candidate: Dnf, left: Option<usize> },
}

impl Search<'_> {
    /// Tries to exclude an obligation at a loop head by an invariant; nothing has changed if that fails.
    pub(super) fn try_fold(&mut self, id: ObligationId, depth: usize) -> Result<bool, Reason> {
        let head = self.store.get(id).point;
        if self.space.graph.points[head].body.is_none()
            || depth >= MAX_DEPTH
            || self.folds.failures.get(&head).is_some_and(|failed| *failed >= MAX_GIVEN_UP)
        {
            return Ok(false);
        }
        let ticks = if depth == 0 { FOLD_TICKS } else { FOLD_TICKS / 4 };
        let child = self.logic.budget.child(ticks);
        let whole = std::mem::replace(&mut self.logic.budget, child);
        let trials = self.store.depth();
        let result = self.fold(id, depth);
        let child = std::mem::replace(&mut self.logic.budget, whole);
        self.logic.budget.absorb(&child);
        let is_folded = match result {
            Ok(is_folded) => is_folded,
            Err(Reason::Stopped(Stop::Ticks) | Reason::SolverGaveUp { .. } | Reason::NotInterpolated) => {
                self.store.abandon(trials);
                self.logic.budget.tick().map_err(Reason::Stopped)?;
                Some(false)
            }
            Err(reason) => return Err(reason),
        };
        match is_folded {
            Some(true) => self.folds.folded += 1,
            Some(false) => {
                self.store.get_mut(id).state = State::Unfolded;
                self.folds.given_up += 1;
                if depth == 0 {
                    *self.folds.failures.entry(head).or_default() += 1;
                }
            }
            None => {}
        }
        Ok(is_folded == Some(true))
    }

    /// One iteration of the loop of a head.
    fn iteration(&mut self, head: PointId) -> Result<Rc<Iteration>, Reason> {
        if let Some(known) = self.folds.iterations.get(&head) {
            return Ok(Rc::clone(known));
        }
        let Logic { terms, solvers, budget } = &mut *self.logic;
        let mut stars = Stars::new(solvers.clone(), StarOptions::default());
        let found = iteration(self.space.graph, head, terms, &mut stars, budget).map_err(Reason::Stopped)?;
        let mut found = found.pruning().clone();
        let live = &self.space.graph.points[head].live;
        found.update.retain(|symbol, _| live.binary_search(symbol).is_ok());
        found.guard = readable(terms, found.guard);
        for value in found.update.values_mut() {
            *value = readable(terms, *value);
        }
        let found = Rc::new(Iteration::new(found, terms));
        self.folds.iterations.insert(head, Rc::clone(&found));
        Ok(found)
    }

    /// Whether an obligation at the same head, from which this one was reached, was not folded.
    fn visited(&self, id: ObligationId) -> Visited {
        let head = self.store.get(id).point;
        let mut at = id;
        while let Some((next, _)) = self.store.get(at).next {
            let known = self.store.get(next);
            if known.point == head && known.state == State::Unfolded {
                return Visited::Before;
            }
            at = next;
        }
        Visited::Never
    }

    /// Nothing if the loop need not be folded: unwinding it once adds no state (§4.4).
    fn fold(&mut self, id: ObligationId, depth: usize) -> Result<Option<bool>, Reason> {
        let Obligation { point: head, cube, .. } = self.store.get(id).clone();
        let iteration = self.iteration(head)?;
        let error = self.logic.terms.and(cube);
        let invariants = self.store.invariants(head);
        let unwound = iteration.transition.before(&mut self.logic.terms, error);
        let unwound = self.logic.terms.and(invariants.iter().copied().chain([unwound]));
        self.folds.questions += 1;
        if self.is_unreached(head, unwound)? {
            return Ok(None);
        }
        let known = self.logic.terms.and(invariants.iter().copied().chain([error]));
        let background = self.space.background(&mut self.logic.terms, head, known);
        let background = self.logic.terms.and(invariants.iter().copied().chain([background]));
        let visited = self.visited(id);
        let mut context = Context { folds: &mut self.folds, logic: self.logic, background, error };
        let flipped = if visited == Visited::Never { context.flipped() } else { Vec::new() };
        let seeds = context.seeds(head, &iteration.transition, visited)?;
        let mut extensions = Extensions::new(self.space, head, &iteration, &invariants, error, self.logic);
        let mut states = self.folds.take_solver(self.logic);
        states.push();
        states.assert(&self.logic.terms, background);
        let mut fold = Fold { head, depth, id, error, iteration: &iteration, background };
        let count = flipped.len();
        for (at, seed) in flipped.into_iter().chain(seeds).enumerate() {
            extensions.extend(&Vec::new(), &mut self.logic.terms);
            let seed = if at < count {
                let validity = extensions.test(&seed, self.logic)?;
                matches!(validity, Validity::Valid(_)).then_some(seed)
            } else {
                made_inductive(seed, &iteration.transition, &mut extensions, self.logic)?
            };
            let Some(seed) = seed else { continue };
            if fold.grow(self, &seed, &mut extensions, &mut states)? {
                self.folds.questions += extensions.questions();
                states.pop();
                self.folds.give_back(states);
                return Ok(Some(true));
            }
        }
        self.folds.questions += extensions.questions();
        states.pop();
        self.folds.give_back(states);
        Ok(Some(false))
    }

    /// Whether no state that is not yet an obligation satisfies a formula.
    fn is_unreached(&mut self, point: PointId, formula: TermId) -> Result<bool, Reason> {
        let formula = readable(&mut self.logic.terms, formula);
        let background = self.space.background(&mut self.logic.terms, point, formula);
        let question = self.logic.terms.and([background, formula]);
        let solver = self.store.solver(point, self.logic);
        let Logic { terms, budget, .. } = &mut *self.logic;
        match smt::check_formula(solver, terms, question, budget) {
            smt::Answer::Unsat(_) => Ok(true),
            smt::Answer::Unknown(smt::Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
            smt::Answer::Sat(_) | smt::Answer::Unknown(_) => Ok(false),
        }
    }

    /// Whether a candidate holds whenever the loop is entered, and at the points inside; then it is an invariant, and what shows it is kept.
    fn holds_on_entry(&mut self, head: PointId, candidate: &Dnf, depth: usize) -> Result<bool, Reason> {
        let trials = self.store.depth();
        self.store.begin();
        let inside = formula(&mut self.logic.terms, candidate);
        self.store.add_invariant(head, inside, self.logic);
        match self.is_closed(head, inside, depth) {
            Ok(true) => {
                self.store.commit(self.logic);
                Ok(true)
            }
            Ok(false) => {
                self.store.abandon(trials);
                Ok(false)
            }
            Err(reason) => {
                self.store.abandon(trials);
                Err(reason)
            }
        }
    }

    /// The trial: whether no arrival outside of a formula is possible.
    fn is_closed(&mut self, head: PointId, inside: TermId, depth: usize) -> Result<bool, Reason> {
        let outside = self.logic.terms.not(inside);
        let mut queue = VecDeque::new();
        let mut arcs: Vec<ArcId> = self.incoming[head].clone();
        // What comes from the head itself is the business of the question I; arcs from the entry refute most candidates.
        arcs.retain(|arc| self.space.graph.arcs[*arc].source != head);
        arcs.sort_by_key(|arc| self.space.graph.arcs[*arc].source != ENTRY);
        for arc in arcs {
            if self.predecessors(outside, arc, None, &mut queue)? == Predecessors::TooMany
                || queue.iter().any(|id| self.store.get(*id).point == ENTRY)
            {
                return Ok(false);
            }
        }
        let (mut failed, mut seen) = (0, 0);
        while let Some(id) = queue.pop_front() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            seen += 1;
            if seen > MAX_TRIAL || self.store.get(id).point == ENTRY {
                return Ok(false);
            }
            if self.is_excluded(id)? || self.try_fold(id, depth + 1)? {
                self.store.get_mut(id).state = State::Excluded;
                continue;
            }
            if self.store.get(id).state == State::Unfolded {
                failed += 1;
                if failed > MAX_FAILED_IN_TRIAL {
                    return Ok(false);
                }
            }
            let cube = self.store.get(id).cube.clone();
            let goal = self.logic.terms.and(cube);
            for arc in self.incoming[self.store.get(id).point].clone() {
                if self.predecessors(goal, arc, Some(id), &mut queue)? == Predecessors::TooMany {
                    return Ok(false);
                }
            }
            if self.store.get(id).state == State::Open {
                self.store.get_mut(id).state = State::Expanded;
            }
        }
        Ok(true)
    }
}

/// One folding.
struct Fold<'x> {
    head: PointId,
    depth: usize,
    id: ObligationId,
    error: TermId,
    iteration: &'x Iteration,
    /// What holds at the head.
    background: TermId,
}

impl Fold<'_> {
    /// Algorithm 4 from a valid candidate on.
    fn grow(
        &mut self,
        search: &mut Search<'_>,
        seed: &[TermId],
        extensions: &mut Extensions,
        states: &mut Z3Solver,
    ) -> Result<bool, Reason> {
        let live = &search.space.graph.points[self.head].live;
        let mentioned: Vec<TermId> = seed.iter().copied().chain([self.error]).collect();
        let variables = variables(&search.logic.terms, live, &mentioned);
        let mut over = Overapproximation { extensions, states, variables: &variables };
        let mut bag: VecDeque<Work> = VecDeque::new();
        self.extend(search, &mut over, seed, (&Vec::new(), &Constants::new(), None), &mut bag)?;
        let mut count = 0;
        while let Some(work) = bag.pop_front() {
            let item = match work {
                Work::Candidate(item) => item,
                Work::Relations { related, plain, candidate, left } => {
                    over.extensions.extend(&candidate, &mut search.logic.terms);
                    for last in over.by_relations(&related, plain.as_deref(), search.logic)? {
                        let constants = related.constants.clone();
                        bag.push_back(self.candidate(search, last, constants, &candidate, left));
                    }
                    continue;
                }
            };
            count += 1;
            if search.holds_on_entry(self.head, &item.candidate, self.depth)? {
                debug_assert!(search.store.get(self.id).point == self.head, "a trial keeps what is older");
                return Ok(true);
            }
            if item.left == Some(0) || count >= MAX_CANDIDATES {
                continue;
            }
            let preimages = self.preimages(search, &item)?;
            let left = item.left.unwrap_or_else(|| (2 * preimages.len()).saturating_sub(1)).saturating_sub(1);
            over.extensions.extend(&item.candidate, &mut search.logic.terms);
            for preimage in preimages {
                if preimage.len() <= MAX_CLAUSES
                    && matches!(over.extensions.test(&preimage, search.logic)?, Validity::Valid(_))
                {
                    let base = (&item.candidate, &item.constants, Some(left));
                    self.extend(search, &mut over, &preimage, base, &mut bag)?;
                }
            }
        }
        Ok(false)
    }

    /// Puts the candidates that a valid extension gives into the bag, those by relations for later.
    fn extend(
        &self,
        search: &mut Search<'_>,
        over: &mut Overapproximation<'_>,
        clauses: &[TermId],
        (candidate, constants, left): (&Dnf, &Constants, Option<usize>),
        bag: &mut VecDeque<Work>,
    ) -> Result<(), Reason> {
        let related = over.related(clauses, constants, search.logic)?;
        let plain = over.plain(&related, search.logic)?;
        if let Some(last) = plain.clone() {
            bag.push_back(self.candidate(search, last, related.constants.clone(), candidate, left));
        }
        bag.push_back(Work::Relations { related, plain, candidate: candidate.clone(), left });
        Ok(())
    }

    /// A candidate with one extension more.
    fn candidate(
        &self,
        search: &mut Search<'_>,
        last: Vec<TermId>,
        constants: Constants,
        before: &Dnf,
        left: Option<usize>,
    ) -> Work {
        let mut candidate = before.clone();
        // What a larger extension includes is not repeated.
        candidate.retain(|part| !last.iter().all(|clause| part.contains(clause)));
        candidate.push(last.clone());
        search.folds.remember(self.head, &candidate);
        Work::Candidate(Item { last, constants, candidate, left })
    }

    /// The states outside of a candidate from which one iteration leads into its last extension.
    fn preimages(&self, search: &mut Search<'_>, item: &Item) -> Result<Vec<Vec<TermId>>, Reason> {
        let logic = &mut *search.logic;
        let terms = &mut logic.terms;
        let last = terms.and(item.last.iter().copied());
        let inside = formula(terms, &item.candidate);
        let before = self.iteration.transition.before(terms, last);
        let before = readable(terms, before);
        let (outside, safe) = (terms.not(inside), terms.not(self.error));
        let typed = search.space.background(terms, self.head, before);
        let mut solver = search.folds.take_solver(logic);
        solver.push();
        for part in [self.background, typed, before, outside, safe] {
            solver.assert(&logic.terms, part);
        }
        let found = cubes(&mut solver, before, MAX_PREIMAGES, logic);
        solver.pop();
        search.folds.give_back(solver);
        let (found, _) = found?;
        search.folds.questions += found.len() as u64 + 1;
        Ok(found.into_iter().map(|cube| cube.literals).filter(|cube| !cube.contains(&Terms::FALSE)).collect())
    }
}
