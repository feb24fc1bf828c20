//! Conjuncts that follow from the others are dropped.
//!
//! Clauses that tools write often hold all consequences of a few inequalities. Every one of them is a literal of the queries that are made from
//! the clause, and a question for the rule SUM.
//!
//! # Cost
//! A question for each inequality of a clause that has many.

use base::Budget;
use smt::{Answer, Solver, SolverFactory};
use term::{Node, TermId, Terms};

use crate::system::System;

/// Clauses with fewer inequalities stay as they are.
const MANY: usize = 12;
/// The effort for all clauses together.
const TICKS: u64 = 2_000;

/// Replaces the constraints of clauses by equivalent ones.
pub(crate) fn drop_redundant(
    terms: &mut Terms,
    system: &mut System,
    solvers: &dyn SolverFactory,
    budget: &mut Budget,
) {
    let mut share = budget.child(TICKS);
    for clause in &mut system.clauses {
        let conjuncts = terms.conjuncts(clause.constraint);
        let (inequalities, others): (Vec<TermId>, Vec<TermId>) =
            conjuncts.into_iter().partition(|conjunct| matches!(terms.node(*conjunct), Node::Le(_)));
        if inequalities.len() >= MANY {
            let needed = needed(terms, inequalities, &mut *solvers.solver(), &mut share);
            clause.constraint = terms.and(needed.into_iter().chain(others));
        }
    }
    budget.absorb(&share);
}

/// Inequalities from which all of the given ones follow. Long ones are the first to go.
fn needed(
    terms: &mut Terms,
    inequalities: Vec<TermId>,
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Vec<TermId> {
    let mut needed = inequalities;
    needed.sort_by_key(|conjunct| terms.symbols_of(*conjunct).len());
    for index in (0..needed.len()).rev() {
        let mut question = needed.clone();
        question[index] = terms.not(needed[index]);
        if let Answer::Unsat(_) = solver.check(terms, &question, budget) {
            needed.remove(index);
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use smt::Z3;

    use super::*;

    #[test]
    fn consequences_of_other_inequalities_are_dropped() {
        let mut terms = Terms::new();
        let weaker: Vec<String> = (0..20).map(|bound| format!("(>= (+ x y) (- {bound}))")).collect();
        let text = format!(
            "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (>= x 0) (>= y 0) {}) (p x y))))",
            weaker.join(" ")
        );
        let mut system = crate::read(&mut terms, &text).expect("the text should be a system");
        drop_redundant(&mut terms, &mut system, &Z3::default(), &mut Budget::ticks(10_000));
        let constraint = system.clauses.iter().next().expect("there is one clause").constraint;
        assert_eq!(terms.conjuncts(constraint).len(), 2);
    }
}
