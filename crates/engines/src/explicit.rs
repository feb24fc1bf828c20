//! Decides a program that has one execution by carrying it out.
//!
//! # Invariants
//! * I1: a verdict other than unknown is given only if no step depended on an arbitrary value (I1 of the module
//!   `execution` of crate certify).

use certify::Execution;
use engine::{Engine, Env};
use passes::Prepared;
use verdict::{Proof, Reason, Verdict};

/// The engine.
pub(crate) struct Explicit;

impl Engine for Explicit {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        match certify::execute(task.given(), &mut env.logic.budget) {
            Execution::Ended(end) => Verdict::Safe(Proof::Execution(end)),
            Execution::Violated(trace) => Verdict::Unsafe(trace),
            Execution::Arbitrary { what, region } => {
                let feature =
                    format!("this engine runs programs that have one execution, and there is {what}");
                Verdict::Unknown(Reason::Unsupported { feature, region })
            }
            Execution::Undecided(reason) => Verdict::Unknown(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use certify::certify;

    use cfa::Program;

    use super::*;

    fn solve(body: &str) -> (Program, Verdict) {
        let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
        let program = cfa::text::parse("test.cfa", &text).unwrap();
        let recorder = engine::Recorder::default();
        let mut env = Env::new(Budget::ticks(100_000), &recorder);
        let verdict = Box::new(Explicit).solve(&Prepared::of(&program), &mut env);
        (program, verdict)
    }

    #[test]
    fn counting_to_ten_is_decided() {
        let (program, verdict) = solve(
            "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l4\n  loc l2\n  loc l3\n\
             l0 -> l2 : x := 0:i32\n  l2 -> l2 : assume x < 10:i32 ; x := x + 1:i32\n\
             l2 -> l3 : assume !(x < 10:i32)\n  l3 -> l4 : assume x != 10:i32\n\
             l3 -> l1 : assume x == 10:i32\n}\n",
        );
        let certified = certify(&Prepared::of(&program), verdict, &mut Budget::unlimited());
        assert!(matches!(certified.verdict(), Verdict::Safe(_)), "{certified:?}");
    }

    #[test]
    fn an_error_behind_a_value_that_does_not_matter_is_found_with_that_value() {
        let (program, verdict) = solve(
            "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l3\n  loc l2\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  l2 -> l3 : assume true\n}\n",
        );
        let certified = certify(&Prepared::of(&program), verdict, &mut Budget::unlimited());
        let Verdict::Unsafe(trace) = certified.verdict() else { panic!("{certified:?}") };
        assert_eq!(trace.choices.len(), 1);
    }

    #[test]
    fn an_endless_loop_is_ended_by_the_budget() {
        let (_, verdict) = solve("proc %start() {\n  entry l0\n  exit l1\n  l0 -> l0\n}\n");
        assert_eq!(verdict, Verdict::Unknown(Reason::Stopped(base::Stop::Ticks)));
    }
}
