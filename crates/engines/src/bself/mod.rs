//! Backward symbolic execution, and loop folding: engines `bse` and `bself`.
//!
//! The search starts at the error and goes backwards. Where it meets a loop, `bse` unwinds it; `bself` first looks for an invariant that excludes the states at hand.
//!
//! # Paper
//! [Bself21].
//!
//! | paper | here |
//! |---|---|
//! | Algorithm 1, BSE; Algorithm 3, BSELF | `bse` |
//! | Algorithm 2, k-induction | engine `kind`, crates/engines/src/kind |
//! | Algorithm 4, FoldLoop, §4.1; the optimisations of §4.4 | `fold_loop` |
//! | InitialInvariantCandidate, §4.2 | `initial_candidate` |
//! | Overapproximate, §4.3 | `overapproximate`; its relations `relations`, valid extensions `valid` |
//! | theorems 1 to 3 | tests at the end of crates/engines/src/kind/mod.rs |
//! | figures 1 to 3 | the tests of this file |
//!
//! Differences: paths are sequences of arcs, with subsumption between obligations; loops may be nested; facts that candidates from the conditions of the program prove together
//! (`joint_facts`, [Houdini01]) are invariants from the start in `bself`.
//!
//! # Invariants
//! * S1: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation.

mod bse;
mod fold_loop;
mod initial_candidate;
mod obligation;
mod overapproximate;
mod relations;
mod valid;

use base::timeline;
use engine::{Counter, Engine, Env};
use passes::Prepared;
use paths::Space;
use verdict::{Reason, Verdict};

pub(crate) use bse::{Ending, Folding, Search};
pub(crate) use obligation::Subsumption;

use crate::facts_of_others::{Heard, tell};
use crate::guide::Guidance;
use crate::joint_facts::{Facts, joint_facts, none};
use crate::problem::Problem;

/// The engines.
pub(crate) struct Backward(pub(crate) Folding);

impl Engine for Backward {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, self.0, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, folding: Folding, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let mut problem = Problem::new(task, &mut env.logic)?;
    let heard = Heard::of(task, &mut problem.graph, env);
    let space = Space { program: task.program(), graph: &problem.graph };
    let facts = match folding {
        Folding::On => joint_facts(space, &heard, env)?,
        Folding::Off => none(space),
    };
    decide(task, problem, folding, &facts, env)
}

/// Decides a program of which facts are known that are inductive together.
fn decide(
    task: &Prepared<'_>,
    problem: Problem,
    folding: Folding,
    facts: &Facts,
    env: &mut Env<'_>,
) -> Result<Verdict, Reason> {
    let space = Space { program: task.program(), graph: &problem.graph };
    let (ending, invariants, labels) = {
        let _stage = timeline::stage("search");
        let mut search = Search::new(task, space, folding, Subsumption::On, &mut env.logic);
        search.assume(facts);
        let ending = search.run(env.events);
        search.report(env.events);
        (ending, search.invariants(), search.labels())
    };
    if ending.is_err() {
        tell(&problem.graph, &invariants, env);
    }
    let ending = ending?;
    if let Ending::Error(trace, arcs) = ending {
        env.events.total(Counter::Depth, u64::from(arcs));
        return Ok(Verdict::Unsafe(*trace));
    }
    let guide = Guidance::Anything.guide(&problem.graph, env)?;
    Ok(Verdict::Safe(problem.annotation(&*guide, &labels, &mut env.logic)))
}

#[cfg(test)]
mod tests {
    use base::{Budget, IndexVec};
    use certify::certify;
    use engine::Recorder;

    use super::*;

    /// What folding alone, without facts and executions, says of a function body, and with how many questions.
    fn fold(body: &str) -> (Verdict, u64) {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nextern void abort(void);\n\
             int main(void) {{ {body} return 0; }}\n"
        );
        let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let program = cfront::compile(&[input], &options).expect("the program should compile").program;
        let task = Prepared::of(&program);
        let recorder = Recorder::default();
        let mut env = Env::new(Budget::ticks(200_000), &recorder);
        let problem = Problem::new(&task, &mut env.logic).expect("the program should be encoded");
        let nothing = IndexVec::filled(Vec::new(), problem.graph.points.len());
        let verdict =
            decide(&task, problem, Folding::On, &nothing, &mut env).unwrap_or_else(Verdict::Unknown);
        let certified = certify(&task, verdict, &mut Budget::unlimited());
        (certified.verdict().clone(), recorder.get(Counter::FoldQuestions))
    }

    /// Figures 1 and 2, figure 2 with an input, and figure 3: left, middle, right.
    const FIGURES: [&str; 6] = [
        "int x = 0, i = 0, n = __VERIFIER_nondet_int(); while (i < n) { if (x != i) reach_error(); ++x; ++i; }",
        "int x = 0, i = 0; while (i < 1000000) { ++x; ++i; } if (x != i) reach_error();",
        "int x = 0, i = 0, n = __VERIFIER_nondet_int(); if (n < 0) return 0; while (i < n) { ++x; ++i; } if (x != i) reach_error();",
        "int x = __VERIFIER_nondet_int(), i = 0; if (x != 1) return 0;\
         while (i < 1000000) { if (i == 5) --x; ++x; ++i; } if (x != i) reach_error();",
        "int n = 1000000, x = 0, i = 0; while (i < n) { ++i; } while (x < n) { ++x; } if (x != i) reach_error();",
        "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\
         if (!(x >= 0 && x <= y && y <= n)) return 0; while (x < n) { ++x; if (x > y) ++y; } if (y != n) reach_error();",
    ];

    #[test]
    fn folding_alone_proves_the_figures_of_the_paper_with_few_questions() {
        for (number, figure) in FIGURES.iter().enumerate() {
            let (verdict, questions) = fold(figure);
            assert!(matches!(verdict, Verdict::Safe(_)), "{number}: {verdict:?} after {questions}");
            assert!(questions <= 150, "{number}: {questions}");
        }
    }

    #[test]
    fn a_loop_is_not_folded_around_an_error() {
        let (verdict, _) = fold(
            "int n = __VERIFIER_nondet_int(), i = 0, x = 0; if (n > 4) return 0;\
             while (i < n) { ++i; x += 2; } if (x > 6) reach_error();",
        );
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
    }
}
