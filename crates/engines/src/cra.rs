//! Proves a program by the summary of all paths from its entry alone.
//!
//! # Paper
//! [Gps25] §7 (RQ 2): compositional recurrence analysis as a prover of its own. If no state at the entry satisfies the summary of all paths to
//! the error, the program is safe; otherwise nothing is known.
//!
//! # Invariants
//! * I1: safe comes with the annotation `Inv(l) = facts(l) ∧ ¬R(l)` at all cut points; T2 of `summary::single_target` says why it is inductive, and
//!   the checker does not have to believe it.

use std::collections::BTreeMap;

use graph::cut::ENTRY;
use passes::Prepared;
use smt::{Answer, Why, check_formula};
use summary::StarOptions;
use verdict::{Reason, Verdict};

use crate::problem::{Problem, solvers};
use engine::{Engine, Env, Tuning};

/// A fresh engine.
pub(crate) fn create(tuning: Tuning) -> Box<dyn Engine> {
    let star = if tuning.congruences { StarOptions::default() } else { StarOptions::without_congruences() };
    Box::new(Cra { star })
}

struct Cra {
    star: StarOptions,
}

impl Engine for Cra {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env) -> Verdict {
        prove(task, self.star, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn prove(task: &Prepared<'_>, star: StarOptions, env: &mut Env) -> Result<Verdict, Reason> {
    let mut problem = Problem::new(task, solvers(), &mut env.budget)?;
    let guide = problem.summarise(star, &mut env.budget)?;
    env.statistics.extend(guide.report());
    let root = guide.reach(ENTRY).pruning().formula;
    let mut solver = problem.solvers.z3_solver();
    match check_formula(&mut solver, &problem.terms, root, &mut env.budget) {
        Answer::Unsat(_) => Ok(Verdict::Safe(problem.annotation(&guide, &BTreeMap::new()))),
        Answer::Sat(_) => {
            let what =
                "the summary of all paths does not exclude the error; it takes a search to decide".to_owned();
            Err(Reason::Inconclusive { what })
        }
        Answer::Unknown(Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
        Answer::Unknown(why) => Err(Reason::SolverGaveUp { why: why.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use certify::certify;

    use super::*;

    fn verdict(overflow: &str) -> Verdict {
        let text = format!(
            "program LP64 overflow={overflow} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local x : i32\n  entry l0\n\
             exit l1\n  l0 -> l1 : havoc x input \"nondet\" at @f0:1:1-1:2 ; x := x + 1:i32\n}}\n"
        );
        let program = cfa::text::parse("test.cfa", &text).unwrap();
        let task = Prepared::of(&program);
        let mut env = Env::new(Budget::unlimited());
        let verdict = create(Tuning::default()).solve(&task, &mut env);
        certify(&task, verdict, &mut Budget::unlimited()).verdict().clone()
    }

    #[test]
    fn an_overflow_that_is_the_violation_is_not_proved_absent() {
        assert!(matches!(verdict("error"), Verdict::Unknown(_)));
        assert!(matches!(verdict("undefined"), Verdict::Safe(_)));
    }
}
