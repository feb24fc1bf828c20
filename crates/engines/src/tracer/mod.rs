//! TRACER: symbolic execution whose tree is made finite by interpolants and by widening at loop heads.
//!
//! Depth first, each node stands for a path with its exact formula. Where a path cannot go on, the reason is learnt as interpolants of the nodes before; a later path to a point that an interpolant
//! there describes is not followed. At loop heads paths are widened to what iterations keep; if the error is reached only because of that, what excludes it must be kept.
//!
//! # Paper
//! [Tracer12].
//!
//! | paper | here |
//! |---|---|
//! | symbolic execution, §2 | `symbolic_execution` |
//! | weakest preconditions as interpolants, §2.1 | `paths::Interpolator`; strongest postconditions (engine `tracer-sp`) `paths::Strength` |
//! | subsumption, §2.1, and covering by the head of a loop that is open, §2.2 | `subsumption` |
//! | path invariants via widening, §2.2; loop invariant generation, §3 | `widening`, its equations `affine` |
//! | counterexample-guided refinement, §2.2; loop invariant refinement, §3 | `refinement` |
//! | figures 2, 3, 6 to 9 | the tests at the end of this file |
//!
//! Differences: arcs are the paper's paths where blocks are small enough; candidates are kept together, not each by itself ([Houdini01]); a cycle that does not keep what is needed is not unrolled
//! path by path: the states that keep it are covered, the others are one new node. After the first refinement of a head, candidates are also equations and the facts that the conditions of the program prove together (`joint_facts`), in the place of the invariants that
//! an external tool may provide in the paper.
//!
//! # Invariants
//! * S1: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation.

mod affine;
mod drawing;
mod refinement;
mod subsumption;
mod symbolic_execution;
mod widening;

use engine::{Engine, Env, TreeWanted};
use graph::cut::Cuts;
use passes::Prepared;
use paths::{Space, Strength};
use verdict::{Reason, Verdict};

use self::symbolic_execution::Execution;
use crate::facts_of_others::Heard;
use crate::guide::Guidance;
use crate::joint_facts::joint_facts;
use crate::problem::Problem;

/// The engine.
pub(crate) struct Tracer(pub(crate) Strength);

impl Engine for Tracer {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, self.0, Cuts::HugeBlocks, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, strength: Strength, cuts: Cuts, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let mut problem = Problem::cut_at(task, cuts, &mut env.logic)?;
    let heard = Heard::of(task, &mut problem.graph, env);
    let (outcome, labels) = {
        let space = Space { program: task.program(), graph: &problem.graph };
        let facts = joint_facts(space, &heard, env)?;
        let mut execution = Execution::new(task, &problem.graph, strength, facts, &mut env.logic);
        let outcome = execution.run(env.events);
        execution.report(env.events);
        if env.events.tree_wanted() == TreeWanted::Yes {
            env.events.tree(execution.drawing());
        }
        (outcome?, execution.labels())
    };
    if let Some(verdict) = outcome {
        return Ok(verdict);
    }
    let guide = Guidance::Anything.guide(&problem.graph, env)?;
    Ok(Verdict::Safe(problem.annotation(&*guide, &labels, &mut env.logic)))
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use certify::certify;
    use engine::{Counter, Recorder};
    use passes::PipelineConfig;

    use super::*;

    /// What is said of a function body, without executions, and what was counted.
    fn verdict(body: &str, strength: Strength, cuts: Cuts) -> (Verdict, Recorder) {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nextern void abort(void);\n\
             int main(void) {{ {body} return 0; }}\n"
        );
        let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let program = cfront::compile(&[input], &options).expect("the program should compile").program;
        // A location of the paper is one operation.
        let compress = PipelineConfig::default().compress.filter(|_| cuts != Cuts::Everywhere);
        let task = Prepared::with(&program, PipelineConfig { compress, ..PipelineConfig::default() });
        let recorder = Recorder::default();
        let mut env = Env::new(Budget::ticks(200_000), &recorder);
        let verdict = solve(&task, strength, cuts, &mut env).unwrap_or_else(Verdict::Unknown);
        let certified = certify(&task, verdict, &mut Budget::unlimited()).verdict().clone();
        (certified, recorder)
    }

    /// With another start than zero: of constants the analysis of values knows that the error is not reached.
    const FIGURE_2: &str = "int t = __VERIFIER_nondet_int(), s = t; if (t < 0 || t > 100) return 0;\
         if (__VERIFIER_nondet_int()) s++; else s += 2;\
         if (__VERIFIER_nondet_int()) s++; else s += 2; if (s > t + 10) reach_error();";
    const FIGURE_3: &str = "int lock = 0, old = __VERIFIER_nondet_int(), new = old + 1;\
         while (new != old) { lock = 1; old = new; if (__VERIFIER_nondet_int()) { lock = 0; new++; } }\
         if (lock == 0) reach_error();";

    #[test]
    fn of_the_four_paths_of_figure_2_one_is_followed_and_two_are_subsumed() {
        let (verdict, recorder) = verdict(FIGURE_2, Strength::Weakest, Cuts::Everywhere);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        // Figure 7: subsumed at locations 7 and 4.
        assert_eq!((recorder.get(Counter::DeadEnds), recorder.get(Counter::Covers)), (1, 2));
    }

    #[test]
    fn strongest_postconditions_follow_more_paths_of_figure_2() {
        let (verdict, recorder) = verdict(FIGURE_2, Strength::Strongest, Cuts::Everywhere);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        // Figure 6: s <= t + 2 after the first path subsumes none of the others; s <= t + 3 after the second subsumes the third at location 7.
        assert_eq!((recorder.get(Counter::DeadEnds), recorder.get(Counter::Covers)), (3, 1));
    }

    #[test]
    fn figure_3_needs_one_refinement() {
        for cuts in [Cuts::Loops, Cuts::Everywhere] {
            let (verdict, recorder) = verdict(FIGURE_3, Strength::Weakest, cuts);
            assert!(matches!(verdict, Verdict::Safe(_)), "{cuts:?}: {verdict:?}");
            assert_eq!(recorder.get(Counter::Refinements), 1, "{cuts:?}");
        }
    }

    #[test]
    fn an_error_behind_iterations_that_break_what_is_needed_is_found() {
        let (verdict, recorder) = verdict(
            "int n = __VERIFIER_nondet_int(), i = 0; if (n > 4) return 0; while (i < n) { ++i; } if (i == 3) reach_error();",
            Strength::Weakest,
            Cuts::Loops,
        );
        assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
        assert!(recorder.get(Counter::Refinements) > 0);
    }

    #[test]
    fn candidates_are_kept_together_and_the_cases_at_the_entry_apart() {
        // `a == b` is kept only with `j == i + 1`, which holds in one of two cases.
        let (verdict, _) = verdict(
            "int a = 0, b = 0, j = 1, flag = __VERIFIER_nondet_int(), i; if (flag) i = 0; else i = 1;\
             while (__VERIFIER_nondet_int()) { if (a > 1000000 || j > 1000000) return 0; a++; b += (j - i); i += 2; if (i % 2 == 0) j += 2; else j++; }\
             if (flag && a != b) reach_error();",
            Strength::Weakest,
            Cuts::Loops,
        );
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    }

    #[test]
    fn loops_in_loops_and_one_after_the_other_are_proved_or_left_open_but_never_wrong() {
        let (safe, _) = verdict(
            "int i = 0, s = 0; while (i < 10) { int j = 0; while (j < 5) { j++; } if (j != 5) reach_error(); i++; }\
             while (s < 7) s++; if (i != 10 || s != 7) reach_error();",
            Strength::Weakest,
            Cuts::Loops,
        );
        assert!(matches!(safe, Verdict::Safe(_)), "{safe:?}");
    }
}
