//! Laws of the passes that make recursion loops and move errors, on random recursive programs whose executions are all explored.

use base::Budget;
use cfa::text::{parse, print};
use cfa::{Op, Program, SignedOverflow, Source, VarId};
use interp::{Choice, Inputs, Outcome, Uninitialised};
use passes::{
    BackTranslation, InlineConfig, PipelineConfig, Precision, Prepared, accumulate, descend, inline, linear,
    pipeline, prune, tail, window,
};
use testkit::explore::{End, Ends, explore};
use testkit::recursive_program;

/// Programs with more states are left out.
const MOST_STATES: usize = 40_000;
/// The global variables that are compared: `g` and `h`.
const GLOBALS: usize = 2;

/// The first program and how many are tried; `CFA_PROGRAMS` asks for more, `CFA_FIRST` for others.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(default)
    };
    let first = number("CFA_FIRST", 0);
    first..first + number("CFA_PROGRAMS", 300)
}

fn program(seed: u64) -> Program {
    let text = recursive_program(seed);
    parse("random.cfa", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"))
}

fn ends(program: &Program) -> Option<Ends> {
    explore(program, GLOBALS, MOST_STATES)
}

fn errors(ends: &Ends) -> Vec<&End> {
    ends.ends.iter().filter(|end| matches!(end, End::Error(_))).collect()
}

fn inlined(program: &Program) -> (Program, BackTranslation) {
    let inlined = inline(program, &InlineConfig::default());
    (inlined.program, inlined.back)
}

/// Which ends a pass keeps.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    All,
    /// Those at the error.
    Errors,
    /// Whether there are some at the error.
    AnyError,
    /// All, and there may be more.
    More,
}

fn check(
    name: &str,
    kept: Kept,
    pass: impl Fn(&Program) -> Program,
    is_changed: impl Fn(&Program, &Program) -> bool,
) {
    let (mut compared, mut changed, mut skipped) = (0, 0, 0);
    let seeds = seeds();
    for seed in seeds.clone() {
        let old = program(seed);
        let new = pass(&old);
        let describe = || format!("{name}, seed {seed}\n{}\nbecame\n{}", print(&old), print(&new));
        if let Err(defects) = new.verify() {
            panic!("{}: {}", defects[0], describe());
        }
        if !is_changed(&old, &new) {
            continue;
        }
        changed += 1;
        let (Some(before), Some(after)) = (ends(&old), ends(&new)) else {
            skipped += 1;
            continue;
        };
        compared += 1;
        match kept {
            Kept::All => assert_eq!(before.ends, after.ends, "{}", describe()),
            Kept::Errors => assert_eq!(errors(&before), errors(&after), "{}", describe()),
            Kept::More => assert!(before.ends.is_subset(&after.ends), "{}", describe()),
            Kept::AnyError => {
                assert_eq!(errors(&before).is_empty(), errors(&after).is_empty(), "{}", describe());
            }
        }
    }
    let count = seeds.end - seeds.start;
    assert!(
        compared * 100 > count,
        "{name}: {compared} of {count} compared; {changed} changed, {skipped} too large"
    );
}

fn differ(old: &Program, new: &Program) -> bool {
    print(old) != print(new)
}

#[test]
fn tail_recursion_becomes_a_loop_with_the_same_ends() {
    check("tail", Kept::All, |program| tail(program).0, differ);
}

#[test]
fn linear_recursion_becomes_a_loop_with_the_same_ends() {
    check("linear", Kept::All, |program| linear(program).0, differ);
}

#[test]
fn recursion_over_a_window_becomes_a_loop_with_the_same_ends() {
    check("window", Kept::All, |program| window(program).0, differ);
}

#[test]
fn sums_become_results() {
    check("accumulate", Kept::More, |program| accumulate(program).0, differ);
    let is_exact = |old: &Program, new: &Program| {
        let ty = old.vars[VarId(0)].scalar();
        let wraps = old.signed_overflow == SignedOverflow::Wrap;
        differ(old, new) && (wraps || ty.is_some_and(|ty| !ty.is_signed()))
    };
    check("accumulate modulo 2^n", Kept::All, |program| accumulate(program).0, is_exact);
    let both = |program: &Program| window(&accumulate(program).0).0;
    check("accumulate and window", Kept::More, both, differ);
}

#[test]
fn errors_move_to_the_entry() {
    let pass = |program: &Program| {
        let new = descend(program).0;
        // Procedures that nobody calls are stubs then.
        let called = prune(&new).0;
        for (_, procedure) in called.procs.iter_enumerated().filter(|(proc, _)| *proc != new.entry) {
            let fails = procedure.edges().iter().any(|edge| Some(edge.target) == procedure.error);
            assert!(!fails, "{}", print(&new));
        }
        new
    };
    check("descend", Kept::All, pass, differ);
}

#[test]
fn all_of_them_together_keep_the_errors() {
    let unwound = |program: &Program| {
        let program = inlined(&tail(program).0).0;
        let program = prune(&descend(&program).0).0;
        inlined(&linear(&program).0).0
    };
    check("together", Kept::Errors, unwound, differ);
    let exact = PipelineConfig { precision: Precision::Exact, ..PipelineConfig::default() };
    check("pipeline", Kept::AnyError, |program| pipeline(program, &exact).program, differ);
}

/// What runs of the interpreter end in is found by exploration.
#[test]
fn exploration_agrees_with_the_interpreter() {
    for seed in seeds() {
        let program = program(seed);
        let Some(found) = ends(&program) else { continue };
        for inputs in 0..4 {
            let mut oracle = interp::Seed::new(inputs);
            let run = interp::run(
                &program,
                Uninitialised::Choose,
                &mut oracle,
                &mut std::io::sink(),
                &mut Budget::ticks(20_000),
            );
            let is_error = matches!(run.outcome, Outcome::Error { .. });
            if is_error || run.outcome == Outcome::Returned {
                let is_found = found.ends.iter().any(|end| matches!(end, End::Error(_)) == is_error);
                assert!(is_found, "seed {seed}: {:?}\n{}", run.outcome, print(&program));
            }
        }
    }
}

fn has_uninitialised(program: &Program) -> bool {
    let mut ops = program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
    ops.any(|op| matches!(op, Op::Havoc { source: Source::Uninitialised, .. }))
}

/// Translates executions to the error of prepared programs; how many there were, and how many inputs they had.
fn replay(precision: Precision) -> (usize, usize) {
    let (mut errors, mut inputs) = (0, 0);
    for seed in seeds() {
        let given = program(seed);
        let task = Prepared::with(&given, PipelineConfig { precision, ..PipelineConfig::default() });
        // An uninitialised variable of an inlined procedure has no operation in the given program that asks for its value.
        if task.kept_call().is_some() || has_uninitialised(task.program()) {
            continue;
        }
        let Some(found) = ends(task.program()) else { continue };
        let run = |program: &Program, oracle: &mut dyn interp::Oracle| {
            let budget = &mut Budget::ticks(200_000);
            interp::run(program, Uninitialised::Choose, oracle, &mut std::io::sink(), budget)
        };
        for choices in found.choices {
            let mut oracle = Inputs::new(choices.iter().map(|value| Choice::Int(i128::from(*value))));
            let before = run(task.program(), &mut oracle);
            let describe = || format!("seed {seed}\n{}\nbecame\n{}", print(&given), print(task.program()));
            assert!(matches!(before.outcome, Outcome::Error { .. }), "{:?}: {}", before.outcome, describe());
            let after = run(&given, &mut task.choices_back(&before.choices));
            errors += 1;
            inputs += after.choices.len();
            let is_fine = match after.outcome {
                Outcome::Error { .. } => true,
                // What does not matter for the error may be undefined, endless, or end the execution.
                Outcome::Undefined { .. }
                | Outcome::Stopped(_)
                | Outcome::Resource { .. }
                | Outcome::Halted { .. } => precision == Precision::Slice,
                _ => false,
            };
            assert!(is_fine, "{:?}: {}", after.outcome, describe());
        }
    }
    (errors, inputs)
}

#[test]
fn what_reaches_the_error_without_recursion_reaches_it_with_recursion() {
    for precision in [Precision::Exact, Precision::Slice] {
        let (errors, inputs) = replay(precision);
        assert!(errors > 50 && inputs > 50, "{errors} errors, {inputs} inputs");
    }
}
