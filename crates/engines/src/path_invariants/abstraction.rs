//! Predicate abstraction: which predicates of a point hold after an arc.
//!
//! # Paper
//! [PathInvariants06] §4.1, the abstract reachability phase. An abstract state is a conjunction of predicates (Cartesian abstraction); disjunctions are several nodes of the tree.
//!
//! # Invariants
//! * B1: a label and an arc imply the label that [`Abstraction::post`] returns; without a label no state has a successor by the arc.
//!
//! # Cost
//! At most one query for each predicate that no model has refuted yet. Answers are kept: the tree is built anew after each refinement.

use base::IndexVec;
use graph::cut::{ArcId, PointId};
use paths::{Space, gave_up};
use rustc_hash::FxHashMap;
use smt::{Answer, Logic, Solver, Why, Z3Solver};
use term::{Evaluator, Model, TermId};
use verdict::Reason;

/// The predicates of all points, and what is known of them.
pub(super) struct Abstraction<'a> {
    space: Space<'a>,
    solver: Z3Solver,
    /// Π of the paper: the predicates of each point, ascending.
    precision: IndexVec<PointId, Vec<TermId>>,
    known: FxHashMap<(ArcId, Vec<TermId>), Successors>,
}

/// What follows from a label by an arc.
#[derive(Default)]
struct Successors {
    has_any: Option<bool>,
    implied: FxHashMap<TermId, bool>,
}

impl<'a> Abstraction<'a> {
    /// Without any predicates.
    pub(super) fn new(space: Space<'a>, logic: &Logic) -> Self {
        let precision = IndexVec::filled(Vec::new(), space.graph.points.len());
        Self { space, solver: logic.solvers.z3_solver(), precision, known: FxHashMap::default() }
    }

    /// Adds a predicate; whether it is new.
    pub(super) fn add(&mut self, point: PointId, predicate: TermId) -> bool {
        let predicates = &mut self.precision[point];
        match predicates.binary_search(&predicate) {
            Ok(_) => false,
            Err(position) => {
                predicates.insert(position, predicate);
                true
            }
        }
    }

    /// The predicates of each point.
    pub(super) fn precision(&self) -> &IndexVec<PointId, Vec<TermId>> {
        &self.precision
    }

    /// The number of predicates of all points.
    pub(super) fn len(&self) -> usize {
        self.precision.iter().map(Vec::len).sum()
    }

    /// The predicates that hold after an arc from a label; nothing if the arc cannot be taken.
    pub(super) fn post(
        &mut self,
        label: &[TermId],
        arc: ArcId,
        logic: &mut Logic,
    ) -> Result<Option<Vec<TermId>>, Reason> {
        let key = (arc, label.to_vec());
        let mut successors = self.known.remove(&key).unwrap_or_default();
        let result = self.complete(&mut successors, label, arc, logic);
        let post = result.map(|()| {
            let predicates = &self.precision[self.space.graph.arcs[arc].target];
            let is_implied = |predicate: &TermId| successors.implied.get(predicate) == Some(&true);
            (successors.has_any != Some(false))
                .then(|| predicates.iter().copied().filter(is_implied).collect())
        });
        self.known.insert(key, successors);
        post
    }

    /// Finds out what is not known yet.
    fn complete(
        &mut self,
        successors: &mut Successors,
        label: &[TermId],
        arc: ArcId,
        logic: &mut Logic,
    ) -> Result<(), Reason> {
        let graph = self.space.graph;
        let (source, target) = (graph.arcs[arc].source, graph.arcs[arc].target);
        let is_open = |predicate: &TermId| !successors.implied.contains_key(predicate);
        let open: Vec<TermId> = self.precision[target].iter().copied().filter(is_open).collect();
        if successors.has_any == Some(false) || successors.has_any.is_some() && open.is_empty() {
            return Ok(());
        }
        let terms = &mut logic.terms;
        let formula = &graph.arcs[arc].formula;
        let mut substitution = formula.substitution();
        let open: Vec<(TermId, TermId)> =
            open.into_iter().map(|predicate| (predicate, substitution.apply(terms, predicate))).collect();
        let state = terms.and(label.iter().copied().chain([formula.guard]));
        let all = terms.and(open.iter().map(|(_, after)| *after).chain([state]));
        let background = self.space.background(terms, source, all);
        self.solver.push();
        self.solver.assert(&logic.terms, background);
        self.solver.assert(&logic.terms, state);
        let result = self.ask(successors, label, &open, logic);
        self.solver.pop();
        result
    }

    fn ask(
        &mut self,
        successors: &mut Successors,
        label: &[TermId],
        open: &[(TermId, TermId)],
        logic: &mut Logic,
    ) -> Result<(), Reason> {
        if successors.has_any.is_none() {
            successors.has_any = Some(true);
            match self.solver.check(&logic.terms, &[], &mut logic.budget) {
                Answer::Unsat(_) => {
                    successors.has_any = Some(false);
                    return Ok(());
                }
                Answer::Sat(model) => successors.refute(open, &model, logic),
                Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
                Answer::Unknown(_) => {}
            }
        }
        for (predicate, after) in open {
            if successors.implied.contains_key(predicate) {
                continue;
            }
            if predicate == after && label.binary_search(predicate).is_ok() {
                successors.implied.insert(*predicate, true);
                continue;
            }
            let broken = logic.terms.not(*after);
            match self.solver.check(&logic.terms, &[broken], &mut logic.budget) {
                Answer::Unsat(_) => {
                    successors.implied.insert(*predicate, true);
                }
                Answer::Sat(model) => {
                    successors.implied.insert(*predicate, false);
                    successors.refute(open, &model, logic);
                }
                Answer::Unknown(why @ Why::Stopped(_)) => return Err(gave_up(why)),
                Answer::Unknown(_) => {
                    successors.implied.insert(*predicate, false);
                }
            }
        }
        Ok(())
    }
}

impl Successors {
    /// Notes the predicates that a model of a step does not satisfy afterwards.
    fn refute(&mut self, open: &[(TermId, TermId)], model: &Model, logic: &Logic) {
        let mut evaluator = Evaluator::new(&logic.terms, model);
        for (predicate, after) in open {
            if !self.implied.contains_key(predicate) && !evaluator.holds(*after) {
                self.implied.insert(*predicate, false);
            }
        }
    }
}
