//! One iteration of a loop, and questions about it: queries to the solver that known models may answer.
//!
//! All domains of a star share one solver and the models it found: most questions are answered by a model that another domain found.
//!
//! # Invariants
//! * Q1: every model kept satisfies the relation.
//! * Q2: effort is counted in ticks; once a star has spent what it may, every further question that no known model answers is unknown. The clock
//!   decides nothing.
//! * Q3: `definition` may be replaced by a simpler one ([`LoopBody::simplify`]) that is equivalent where the relation holds, so the
//!   relation that the solver knows stays that of the first definition.
//!
//! # Cost
//! A question takes up to [`MAX_MODELS`] evaluations of its condition, and if no known model answers it one call of the solver of at most
//! [`MAX_QUESTION_TICKS`] ticks. All questions of one star together take at most the effort of [`super::StarOptions`].

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use base::{Budget, Stop};
use smt::{Answer, Solver, Why, Z3, Z3Solver, check_formula};
use term::{Evaluator, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::hull::Facet;
use super::{Body, StarStatistics};
use crate::joint::Relation;
pub(super) use crate::joint::Reply;

/// How many models are remembered.
const MAX_MODELS: usize = 64;
/// The most ticks of one question.
const MAX_QUESTION_TICKS: u64 = 3_000;

/// A state of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Side {
    /// At its start.
    Before,
    /// At its end.
    After,
}

/// What the questions of one star spend.
pub(super) struct Effort<'a> {
    pub(super) budget: &'a mut Budget,
    /// Ticks that the star may still spend.
    pub(super) left: &'a mut u64,
}

/// A loop body with a solver for its relation.
pub struct LoopBody<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) budget: &'a mut Budget,
    pub(super) statistics: &'a mut StarStatistics,
    /// Ticks that the star may still spend.
    effort: &'a mut u64,
    /// The loop body as it is known now (Q3).
    pub(super) definition: Body,
    solvers: Z3,
    solver: Z3Solver,
    /// For questions that have nothing to do with the relation, made for the first of them: a new solver costs more than such a question.
    scratch: Option<Z3Solver>,
    models: VecDeque<Rc<Model>>,
    /// One iteration between states that satisfy the facts, over the variables and `after`.
    pub(super) relation: TermId,
    /// For each changed integer variable the symbol of its value afterwards.
    pub(super) after: BTreeMap<SymbolId, SymbolId>,
    /// The hulls of the states of iterations that were asked for so far.
    pub(super) hulls: BTreeMap<Side, Rc<[Facet]>>,
}

impl Relation for LoopBody<'_> {
    fn terms(&mut self) -> &mut Terms {
        self.terms
    }

    fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
        LoopBody::ask(self, condition)
    }
}

impl<'a> LoopBody<'a> {
    pub(super) fn new(
        solvers: Z3,
        terms: &'a mut Terms,
        effort: Effort<'a>,
        statistics: &'a mut StarStatistics,
        body: &Body,
    ) -> Self {
        let Effort { budget, left } = effort;
        let mut after = BTreeMap::new();
        let mut conjuncts = vec![body.formula.guard, body.facts];
        let mut pairs = Vec::new();
        for (symbol, value) in &body.formula.update {
            if terms.sort(*value) != Sort::Int {
                continue;
            }
            let name = terms.symbol(*symbol).name.clone();
            let primed = terms.declare(name, Sort::Int, SymbolKind::Primed);
            let term = terms.of_symbol(primed);
            conjuncts.push(terms.eq(term, *value));
            pairs.push((*symbol, term));
            after.insert(*symbol, primed);
        }
        conjuncts.push(Substitution::new(pairs).apply(terms, body.facts));
        let relation = terms.and(conjuncts);
        let mut solver = solvers.z3_solver();
        solver.assert(terms, relation);
        Self {
            terms,
            budget,
            statistics,
            effort: left,
            definition: body.clone(),
            solvers,
            solver,
            scratch: None,
            models: VecDeque::new(),
            relation,
            after,
            hulls: BTreeMap::new(),
        }
    }

    /// The loop body without its solver, which is released before the parts of the body get solvers of their own.
    pub(super) fn into_definition(self) -> Body {
        self.definition
    }

    /// Whether there may be an iteration at all. Also finds the first model.
    pub(super) fn is_executed(&mut self) -> Result<bool, Stop> {
        Ok(!self.never(Terms::TRUE)?)
    }

    /// Whether an iteration satisfies a condition.
    pub(super) fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
        if condition == Terms::FALSE {
            return Ok(Reply::No);
        }
        let known = |model: &Rc<Model>| Evaluator::new(self.terms, model).holds(condition);
        if let Some(at) = self.models.iter().position(known)
            && let Some(model) = self.models.remove(at)
        {
            self.models.push_front(Rc::clone(&model));
            return Ok(Reply::Yes(model));
        }
        self.search(condition)
    }

    /// Asks the solver.
    fn search(&mut self, condition: TermId) -> Result<Reply, Stop> {
        self.statistics.questions += 1;
        if *self.effort == 0 {
            self.statistics.unanswered += 1;
            return Ok(Reply::Unknown);
        }
        let mut allowance = self.budget.child(MAX_QUESTION_TICKS.min(*self.effort));
        // On a level of its own: conditions that stay would slow down all later questions.
        self.solver.push();
        self.solver.assert(self.terms, condition);
        let answer = self.solver.check(self.terms, &[], &mut allowance);
        self.solver.pop();
        self.budget.absorb(&allowance);
        *self.effort = self.effort.saturating_sub(allowance.spent());
        match answer {
            Answer::Sat(model) => {
                let model = Rc::new(model);
                self.models.push_front(Rc::clone(&model));
                self.models.truncate(MAX_MODELS);
                Ok(Reply::Yes(model))
            }
            Answer::Unsat(_) => Ok(Reply::No),
            Answer::Unknown(why) => {
                self.statistics.unanswered += 1;
                match why {
                    // Only the allowance of this question is spent, unless the next tick says otherwise.
                    Why::Stopped(Stop::Ticks) => self.budget.tick()?,
                    Why::Stopped(stop) => return Err(stop),
                    Why::Effort | Why::Incomplete(_) | Why::Crashed(_) => {}
                }
                Ok(Reply::Unknown)
            }
        }
    }

    /// Whether no iteration satisfies a condition.
    pub(super) fn never(&mut self, condition: TermId) -> Result<bool, Stop> {
        Ok(matches!(self.ask(condition)?, Reply::No))
    }

    /// Whether a formula, which has nothing to do with the relation, has no model.
    pub(super) fn is_impossible(&mut self, formula: TermId) -> Result<bool, Stop> {
        self.statistics.questions += 1;
        let mut allowance = self.budget.child(MAX_QUESTION_TICKS.min(*self.effort));
        let scratch = self.scratch.get_or_insert_with(|| self.solvers.z3_solver());
        let answer = check_formula(scratch, self.terms, formula, &mut allowance);
        self.budget.absorb(&allowance);
        *self.effort = self.effort.saturating_sub(allowance.spent());
        match answer {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(Why::Stopped(stop)) if stop != Stop::Ticks => Err(stop),
            Answer::Unknown(_) => {
                self.statistics.unanswered += 1;
                Ok(false)
            }
        }
    }

    /// The integer variables that an iteration changes, ascending.
    pub(super) fn changed(&self) -> Vec<SymbolId> {
        self.after.keys().copied().collect()
    }

    /// The models known so far, latest first.
    pub(super) fn models(&self) -> Vec<Rc<Model>> {
        self.models.iter().cloned().collect()
    }

    /// The term of a variable's value afterwards.
    pub(super) fn value_after(&mut self, symbol: SymbolId) -> TermId {
        let name = self.after.get(&symbol).copied().unwrap_or(symbol);
        self.terms.of_symbol(name)
    }

    /// A condition on the state, as one on the state afterwards.
    pub(super) fn primed(&mut self, condition: TermId) -> TermId {
        let pairs: Vec<_> =
            self.after.iter().map(|(symbol, primed)| (*symbol, self.terms.of_symbol(*primed))).collect();
        Substitution::new(pairs).apply(self.terms, condition)
    }
}
