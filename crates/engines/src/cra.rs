//! Proves a program by the summary of all paths from its entry alone.
//!
//! # Paper
//! [Gps25] §7 (RQ 2): compositional recurrence analysis as a prover of its own. If no state at the entry satisfies the summary of all paths to
//! the error, the program is safe; otherwise nothing is known.
//!
//! # Invariants
//! * I1: safe comes with the annotation `Inv(l) = facts(l) ∧ ¬R(l)` at all cut points; T2 of `summary::single_target` says why it is inductive, and
//!   the checker does not rely on it.

use std::collections::BTreeMap;

use engine::{Engine, Env};
use graph::cut::ENTRY;
use passes::Prepared;
use paths::gave_up;
use smt::{Answer, Logic, check_formula};
use summary::StarOptions;
use verdict::{Reason, Verdict};

use crate::guide::Guidance;
use crate::problem::Problem;

/// The engine, with the domains of loop summaries.
pub(crate) struct Cra(pub(crate) StarOptions);

impl Engine for Cra {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        prove(task, self.0, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn prove(task: &Prepared<'_>, star: StarOptions, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let problem = Problem::new(task, &mut env.logic)?;
    let guide = Guidance::Summaries(star).guide(&problem.graph, env)?;
    let root = guide.ahead(ENTRY).pruning().formula;
    let Logic { terms, solvers, budget } = &mut env.logic;
    match check_formula(&mut solvers.z3_solver(), terms, root, budget) {
        Answer::Unsat(_) => Ok(Verdict::Safe(problem.annotation(&*guide, &BTreeMap::new(), &mut env.logic))),
        Answer::Sat(_) => Err(Reason::WeakSummary),
        Answer::Unknown(why) => Err(gave_up(why)),
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
        let recorder = engine::Recorder::default();
        let mut env = Env::new(Budget::unlimited(), &recorder);
        let verdict = Box::new(Cra(StarOptions::default())).solve(&task, &mut env);
        certify(&task, verdict, &mut Budget::unlimited()).verdict().clone()
    }

    #[test]
    fn an_overflow_that_is_the_violation_is_not_proved_absent() {
        assert!(matches!(verdict("error"), Verdict::Unknown(_)));
        assert!(matches!(verdict("undefined"), Verdict::Safe(_)));
    }
}
