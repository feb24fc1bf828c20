//! Valid extensions: the two questions of [Bself21] §4.3.
//!
//! With φ the error states of a head, ξ the candidate so far and T one iteration, ψ is a valid extension of ξ if
//!
//! ```text
//!   S:  facts ∧ Inv ∧ ψ ∧ φ                          has no model     (safe)
//!   I:  facts ∧ Inv ∧ ψ(X) ∧ T(X,X') ∧ ¬ξ(X') ∧ ¬ψ(X')  has no model     (ξ ∨ ψ is closed, given that ξ is)
//! ```
//!
//! # Invariants
//! * V1: an answer without a model counts as not valid unless both questions have none.
//! * V2: the clauses that neither refutation needs may be dropped: what is left is valid, too, since ¬ψ(X') only gets stronger.
//!
//! # Cost
//! Models that refuted an earlier extension are tried first: a state of φ, or a step. Otherwise two questions.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use encode::Transition;
use graph::cut::PointId;
use paths::Space;
use smt::{Answer, Logic, Solver, Why, Z3Solver};
use term::{Evaluator, Model, Substitution, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

/// How many models of each kind are remembered.
const MAX_MODELS: usize = 48;

/// A disjunction of conjunctions of clauses.
pub(super) type Dnf = Vec<Vec<TermId>>;

/// A disjunction of conjunctions as a formula.
pub(super) fn formula(terms: &mut Terms, dnf: &Dnf) -> TermId {
    let mut parts = Vec::new();
    for part in dnf {
        parts.push(terms.and(part.iter().copied()));
    }
    terms.or(parts)
}

/// Whether an extension is valid.
#[derive(Clone, Debug)]
pub(super) enum Validity {
    /// It is, and these of its clauses are enough.
    Valid(Vec<TermId>),
    /// This state, or the first state of this step, refutes it.
    Refuted(Rc<Model>),
    /// The solver does not know.
    Unknown,
}

/// One iteration of a loop.
pub(super) struct Iteration {
    /// The relation of the values before and after.
    pub(super) transition: Transition,
    /// The same with names for the values afterwards.
    relation: TermId,
    after: BTreeMap<SymbolId, TermId>,
}

impl Iteration {
    pub(super) fn new(transition: Transition, terms: &mut Terms) -> Self {
        let mut parts = vec![transition.guard];
        let mut after = BTreeMap::new();
        for (symbol, value) in &transition.update {
            let info = terms.symbol(*symbol).clone();
            let name = terms.declare(info.name, info.sort, SymbolKind::Primed);
            let name = terms.of_symbol(name);
            parts.push(terms.eq(name, *value));
            after.insert(*symbol, name);
        }
        Self { relation: terms.and(parts), transition, after }
    }

    /// A condition on the values after an iteration.
    fn primed(&self) -> Substitution {
        Substitution::new(self.after.iter().map(|(symbol, name)| (*symbol, *name)))
    }
}

/// The questions of one folding.
pub(super) struct Extensions {
    safe: Z3Solver,
    step: Z3Solver,
    primed: Substitution,
    /// Outside of the candidate so far, after a step.
    outside: TermId,
    bad: VecDeque<Rc<Model>>,
    steps: VecDeque<Rc<Model>>,
    questions: u64,
}

impl Extensions {
    /// For a loop head with invariants, where the error states are `error`.
    pub(super) fn new(
        space: Space<'_>,
        head: PointId,
        iteration: &Iteration,
        invariants: &[TermId],
        error: TermId,
        logic: &mut Logic,
    ) -> Self {
        let mut primed = iteration.primed();
        let (mut safe, mut step) = (logic.solvers.z3_solver(), logic.solvers.z3_solver());
        let terms = &mut logic.terms;
        let known = terms.and(invariants.iter().copied());
        let relation = terms.and([iteration.relation, known]);
        let before = space.background(terms, head, relation);
        let after = terms.and([space.graph.points[head].facts, known]);
        let after = primed.apply(terms, after);
        step.assert(terms, before);
        step.assert(terms, relation);
        step.assert(terms, after);
        let error = terms.and([error, known]);
        let background = space.background(terms, head, error);
        safe.assert(terms, background);
        safe.assert(terms, error);
        step.push();
        Self {
            safe,
            step,
            primed,
            outside: Terms::TRUE,
            bad: VecDeque::new(),
            steps: VecDeque::new(),
            questions: 0,
        }
    }

    /// How many questions the solver was asked.
    pub(super) fn questions(&self) -> u64 {
        self.questions
    }

    /// Questions that were asked elsewhere for the same folding.
    pub(super) fn count(&mut self, questions: u64) {
        self.questions += questions;
    }

    /// From now on extensions of this candidate are asked for.
    pub(super) fn extend(&mut self, candidate: &Dnf, terms: &mut Terms) {
        let inside = formula(terms, candidate);
        let inside = self.primed.apply(terms, inside);
        self.outside = terms.not(inside);
        self.step.pop();
        self.step.push();
        self.step.assert(terms, self.outside);
    }

    /// Whether a conjunction of clauses is a valid extension.
    pub(super) fn test(&mut self, clauses: &[TermId], logic: &mut Logic) -> Result<Validity, Reason> {
        logic.budget.tick().map_err(Reason::Stopped)?;
        let terms = &mut logic.terms;
        let all = terms.and(clauses.iter().copied());
        if all == Terms::FALSE {
            return Ok(Validity::Valid(clauses.to_vec()));
        }
        let kept = self.primed.apply(terms, all);
        let lost = terms.not(kept);
        let escapes = terms.and([all, self.outside, lost]);
        let known = known(&mut self.bad, terms, all).or_else(|| known(&mut self.steps, terms, escapes));
        if let Some(model) = known {
            return Ok(Validity::Refuted(model));
        }
        self.questions += 1;
        let Logic { terms, budget, .. } = logic;
        let mut needed = match self.safe.check(terms, clauses, budget) {
            Answer::Unsat(core) => core.0,
            Answer::Sat(model) => return Ok(Validity::Refuted(remember(&mut self.bad, model))),
            Answer::Unknown(why) => return undecided(&why),
        };
        self.questions += 1;
        let mut assumptions = clauses.to_vec();
        assumptions.push(lost);
        match self.step.check(terms, &assumptions, budget) {
            Answer::Unsat(core) => needed.extend(core.0),
            Answer::Sat(model) => return Ok(Validity::Refuted(remember(&mut self.steps, model))),
            Answer::Unknown(why) => return undecided(&why),
        }
        Ok(Validity::Valid(clauses.iter().copied().filter(|clause| needed.contains(clause)).collect()))
    }
}

fn undecided(why: &Why) -> Result<Validity, Reason> {
    match why {
        Why::Stopped(stop) => Err(Reason::Stopped(*stop)),
        _ => Ok(Validity::Unknown),
    }
}

/// A known model that satisfies a condition.
fn known(models: &mut VecDeque<Rc<Model>>, terms: &Terms, condition: TermId) -> Option<Rc<Model>> {
    let at = models.iter().position(|model| Evaluator::new(terms, model).holds(condition))?;
    let model = models.remove(at)?;
    models.push_front(Rc::clone(&model));
    Some(model)
}

fn remember(models: &mut VecDeque<Rc<Model>>, model: Model) -> Rc<Model> {
    let model = Rc::new(model);
    models.push_front(Rc::clone(&model));
    models.truncate(MAX_MODELS);
    model
}
