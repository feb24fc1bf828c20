//! A solver that remembers models: many questions are answered by one that was found earlier.
//!
//! # Invariants
//! * I1: on each level, the models kept satisfy all assertions up to that level.

use std::collections::VecDeque;
use std::rc::Rc;

use base::Budget;
use term::{Evaluator, Model, TermId, Terms};

use crate::{Answer, Solver, Statistics};

/// A solver in front of another one, with a bounded number of models for each level.
pub struct Pooled<S> {
    inner: S,
    capacity: usize,
    levels: Vec<VecDeque<Rc<Model>>>,
    statistics: Statistics,
}

impl<S: Solver> Pooled<S> {
    /// Remembers up to `capacity` models; `inner` should have no assertions and no open levels yet.
    pub fn new(inner: S, capacity: usize) -> Self {
        Self { inner, capacity, levels: vec![VecDeque::new()], statistics: Statistics::default() }
    }

    /// The models that satisfy all current assertions, the latest first.
    pub fn models(&self) -> impl Iterator<Item = &Model> {
        self.levels.last().into_iter().flatten().map(|model| &**model)
    }

    /// Adds a model found elsewhere. It should satisfy all current assertions; other levels are not told.
    pub fn remember(&mut self, model: Model) {
        let capacity = self.capacity;
        let level = self.last_level();
        level.push_front(Rc::new(model));
        level.truncate(capacity);
    }

    fn last_level(&mut self) -> &mut VecDeque<Rc<Model>> {
        self.levels.last_mut().expect("the first level should never be closed")
    }
}

fn satisfies(terms: &Terms, model: &Model, formulas: &[TermId]) -> bool {
    let mut evaluator = Evaluator::new(terms, model);
    formulas.iter().all(|formula| evaluator.holds(*formula))
}

impl<S: Solver> Solver for Pooled<S> {
    fn assert(&mut self, terms: &Terms, formula: TermId) {
        self.inner.assert(terms, formula);
        self.last_level().retain(|model| satisfies(terms, model, &[formula]));
    }

    fn push(&mut self) {
        self.inner.push();
        let models = self.last_level().clone();
        self.levels.push(models);
    }

    fn pop(&mut self) {
        if self.levels.len() > 1 {
            self.inner.pop();
            let found = self.levels.pop().unwrap_or_default();
            // Models of more assertions are models of fewer.
            let capacity = self.capacity;
            let level = self.last_level();
            for model in found.into_iter().rev() {
                if !level.contains(&model) {
                    level.push_front(model);
                }
            }
            level.truncate(capacity);
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId], budget: &mut Budget) -> Answer {
        let level = self.last_level();
        if let Some(at) = level.iter().position(|model| satisfies(terms, model, assumptions))
            && let Some(model) = level.remove(at)
        {
            let answer = Answer::Sat((*model).clone());
            level.push_front(model);
            self.statistics.count(&answer);
            self.statistics.reused += 1;
            return answer;
        }
        let before = self.inner.statistics().effort;
        let answer = self.inner.check(terms, assumptions, budget);
        if let Answer::Sat(model) = &answer {
            self.remember(model.clone());
        }
        self.statistics.count(&answer);
        self.statistics.effort += self.inner.statistics().effort - before;
        answer
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
