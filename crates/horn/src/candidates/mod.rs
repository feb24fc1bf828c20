//! Candidate facts: what may hold of predicates, given from outside, and its reduction to what is inductive.
//!
//! Whoever has an idea what a predicate means, from executions or from an earlier proof, adds it to [`Candidates`]:
//! facts, or points that the predicate has, to which facts are fitted ([`fit`]). The search reduces all of them jointly: an application of a clause whose premises satisfy all candidates and whose
//! conclusion does not drops every candidate that is false there. What is left when there is no such application holds
//! of everything that is derived.
//!
//! # Paper
//! Houdini (Flanagan and Leino, FME 2001).
//!
//! # Invariants
//! * I1: candidates are never trusted: what is kept was shown to be inductive, together and by the solver.
//! * I2: what is kept is the largest inductive part of the candidates, except where the solver does not know.
//!
//! # Cost
//! At most one question more than there are candidates for each clause, and one for each fact that is kept.

mod fit;

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use smt::{Answer, Solver, SolverFactory, Why, check_formula};
use term::{Evaluator, Integer, Model, TermId, Terms};

use crate::system::{Clause, PredicateId, System};

/// Facts that may hold of predicates, over their formals.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    facts: BTreeMap<PredicateId, Vec<TermId>>,
    samples: BTreeMap<PredicateId, Samples>,
}

/// Points that a predicate has.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// So many of the formals, the first ones, are given, and the others follow from them.
    pub inputs: usize,
    /// Integers for all formals.
    pub points: BTreeSet<Vec<Integer>>,
}

impl Candidates {
    /// No candidates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a formula over the formals of a predicate; each of its conjuncts is a candidate. What comes first is preferred
    /// where one candidate follows from others.
    pub fn add(&mut self, terms: &Terms, predicate: PredicateId, fact: TermId) {
        let facts = self.facts.entry(predicate).or_default();
        for conjunct in terms.conjuncts(fact) {
            if conjunct != Terms::TRUE && !facts.contains(&conjunct) {
                facts.push(conjunct);
            }
        }
    }

    /// Adds points of a predicate, whose formals are integers. Facts that all of them satisfy are candidates.
    pub fn sample(&mut self, predicate: PredicateId, samples: Samples) {
        self.samples.insert(predicate, samples);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.values().all(Vec::is_empty) && self.samples.is_empty()
    }

    /// The candidates of a predicate.
    pub fn of(&self, predicate: PredicateId) -> &[TermId] {
        self.facts.get(&predicate).map_or(&[], Vec::as_slice)
    }
}

/// For which points facts are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For all.
    All,
    /// For those within the bounds that all points satisfy: a procedure may do anything for arguments that it is never called with.
    Seen,
}

/// The candidates that are inductive together, without those that follow from others; none if the budget does not last.
pub(crate) fn reduce(
    terms: &mut Terms,
    system: &System,
    candidates: &Candidates,
    scope: Scope,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) -> Candidates {
    let mut solver = solvers.solver();
    let mut left = candidates.clone();
    for (predicate, samples) in std::mem::take(&mut left.samples) {
        for fact in fit::fit(terms, system, predicate, &samples, scope) {
            left.add(terms, predicate, fact);
        }
    }
    let mut reduction = Reduction { system, left };
    match reduction.run(terms, &mut *solver, budget) {
        Ok(()) => {
            reduction.drop_redundant(terms, &mut *solver, budget);
            reduction.left
        }
        Err(Spent) => Candidates::new(),
    }
}

/// The budget does not last.
struct Spent;

struct Reduction<'a> {
    system: &'a System,
    left: Candidates,
}

impl Reduction<'_> {
    fn run(&mut self, terms: &mut Terms, solver: &mut dyn Solver, budget: &mut Budget) -> Result<(), Spent> {
        let clauses: Vec<&Clause> =
            self.system.clauses.iter().filter(|clause| clause.head.is_some()).collect();
        let mut holds = vec![false; clauses.len()];
        while let Some(index) = holds.iter().position(|holds| !holds) {
            holds[index] = true;
            let Some(changed) = self.apply(terms, clauses[index], solver, budget)? else { continue };
            for (other, clause) in clauses.iter().enumerate() {
                if clause.body.iter().any(|atom| atom.predicate == changed) {
                    holds[other] = false;
                }
            }
        }
        Ok(())
    }

    /// Drops the candidates of the head of a clause that do not follow from those of its body; the head if some were dropped.
    fn apply(
        &mut self,
        terms: &mut Terms,
        clause: &Clause,
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Result<Option<PredicateId>, Spent> {
        let Some(head) = &clause.head else { return Ok(None) };
        let mut facts = self.left.of(head.predicate).to_vec();
        let before = facts.len();
        let mut premises = vec![clause.constraint];
        for atom in &clause.body {
            let known = terms.and(self.left.of(atom.predicate).iter().copied());
            premises.push(atom.instantiate(terms, self.system, known));
        }
        let premises = terms.and(premises);
        // Facts that the solver does not decide together are asked for one by one.
        let mut together = true;
        let mut open = 0;
        while open < facts.len() {
            let asked = if together { &facts[..] } else { &facts[open..=open] };
            let conclusion = terms.and(asked.iter().copied());
            let conclusion = head.instantiate(terms, self.system, conclusion);
            let fails = terms.not(conclusion);
            let question = terms.and([premises, fails]);
            match check_formula(solver, terms, question, budget) {
                Answer::Unsat(_) if together => break,
                Answer::Unsat(_) => open += 1,
                Answer::Sat(model) => {
                    let mut evaluator = Evaluator::new(terms, &model);
                    let mut derived = Model::new();
                    let formals = &self.system.predicates[head.predicate].formals;
                    for (formal, argument) in formals.iter().zip(&head.arguments) {
                        derived.set(*formal, evaluator.value(*argument));
                    }
                    let mut evaluator = Evaluator::new(terms, &derived);
                    let count = facts.len();
                    if together {
                        facts.retain(|fact| evaluator.holds(*fact));
                    } else {
                        facts.remove(open);
                    }
                    together &= facts.len() < count;
                }
                Answer::Unknown(Why::Stopped(_)) => return Err(Spent),
                Answer::Unknown(_) if together => together = false,
                Answer::Unknown(_) => {
                    facts.remove(open);
                }
            }
        }
        let is_changed = facts.len() < before;
        self.left.facts.insert(head.predicate, facts);
        Ok(is_changed.then_some(head.predicate))
    }

    /// Drops facts that follow from others of the same predicate, the last ones first.
    fn drop_redundant(&mut self, terms: &mut Terms, solver: &mut dyn Solver, budget: &mut Budget) {
        for facts in self.left.facts.values_mut() {
            for index in (0..facts.len()).rev() {
                let fact = facts.remove(index);
                let others = facts.iter().copied().chain([terms.not(fact)]).collect::<Vec<_>>();
                let question = terms.and(others);
                if !matches!(check_formula(solver, terms, question, budget), Answer::Unsat(_)) {
                    facts.insert(index, fact);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use smt::Z3;

    /// McCarthy's function.
    const MCCARTHY: &str = "(set-logic HORN)
(declare-fun m (Int Int) Bool)
(assert (forall ((n Int)) (=> (> n 100) (m n (- n 10)))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (<= n 100) (m (+ n 11) a) (m a b)) (m n b))))
(assert (forall ((n Int) (r Int)) (=> (and (m n r) (<= n 101) (not (= r 91))) false)))
";

    #[test]
    fn what_is_not_inductive_is_dropped_and_the_rest_is_kept() {
        let mut terms = Terms::new();
        let system = read(&mut terms, MCCARTHY).unwrap();
        let predicate = system.predicates.ids().next().unwrap();
        let formals = &system.predicates[predicate].formals;
        let (n, r) = (terms.of_symbol(formals[0]), terms.of_symbol(formals[1]));
        let number = |terms: &mut Terms, value: i64| terms.number(value);
        let (ninety_one, hundred, ten) =
            (number(&mut terms, 91), number(&mut terms, 100), number(&mut terms, 10));
        let is_small = terms.le(n, hundred);
        let (is_91, shifted) = (terms.eq(r, ninety_one), terms.sub(n, ten));
        let is_shifted = terms.eq(r, shifted);
        let small = terms.implies(is_small, is_91);
        let large = terms.or([is_small, is_shifted]);
        let at_least = terms.le(ninety_one, r);
        let wrong = terms.le(r, n);
        let mut candidates = Candidates::new();
        for fact in [small, wrong, large, at_least] {
            candidates.add(&terms, predicate, fact);
        }
        let mut budget = Budget::ticks(10_000);
        let kept = reduce(&mut terms, &system, &candidates, Scope::All, &Z3::default(), &mut budget);
        // That the result is at least 91 follows from the other two.
        assert_eq!(kept.of(predicate), [small, large]);
        let mut alone = Candidates::new();
        alone.add(&terms, predicate, small);
        let kept = reduce(&mut terms, &system, &alone, Scope::All, &Z3::default(), &mut budget);
        assert!(kept.is_empty(), "not inductive by itself: {kept:?}");
    }
}
