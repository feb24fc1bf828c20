//! Laws that every pass obeys on random programs, judged by the interpreter.

use std::collections::BTreeMap;

use base::Budget;
use cfa::pointsto::{PointsTo, Punning};
use cfa::text::{parse, print};
use cfa::{CheckKind, Edge, EdgeId, Op, ProcId, Program};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Observer, Outcome, Request, Uninitialised, View,
    Written,
};
use passes::{
    BackTranslation, CallEdges, InlineConfig, PipelineConfig, Precision, Selection, StepPart, compact,
    compress, eliminate_dead, inline, instrument, pipeline, promote, propagate, prune, resolve_calls,
    scalarise, slice, unroll,
};

use crate::generate::{Random, text};

const RUNS: u64 = 4;

/// How many programs are tried; `CFA_PROGRAMS` asks for more.
fn programs() -> u64 {
    std::env::var("CFA_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// An edge was entered, or left.
#[derive(Clone, Copy)]
enum Event {
    Enter(ProcId, EdgeId),
    Leave(ProcId, EdgeId),
}

/// Notes the edges that are taken.
#[derive(Default)]
struct Edges(Vec<Event>);

impl Observer for Edges {
    fn enter(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0.push(Event::Enter(proc, edge));
    }
    fn leave(&mut self, _: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0.push(Event::Leave(proc, edge));
    }
    fn wrote(&mut self, _: &View<'_>, _: Written, _: interp::Value) {}
}

/// What the n-th value of an input is depends on the place in the source alone, so that runs can be compared.
fn run(program: &Program, seed: u64) -> (Outcome, Vec<Event>) {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut oracle = |request: &Request<'_>| {
        let count = counts.entry(request.region.line).or_default();
        *count += 1;
        let mut random = Random(seed ^ u64::from(request.region.line) << 32 ^ *count);
        Some(match random.below(3) {
            0 => Choice::Int(random.below(9) as i128 - 3),
            1 => Choice::Int(i128::from(i32::MAX) - random.below(2) as i128),
            _ => Choice::Int(i128::from(random.next())),
        })
    };
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Edges };
    let code = Code::new(program, options);
    let mut machine = Machine::new(program, &code, Config::default());
    let mut edges = Edges::default();
    let run = machine.run(&mut oracle, &mut edges, &mut std::io::sink(), &mut Budget::ticks(200_000));
    (run.outcome, edges.0)
}

/// The edges of the old program that a run through the new one stands for. What follows a call on its edge
/// comes after the callee.
fn translated(
    program: &Program,
    back: &BackTranslation,
    events: &[Event],
    outcome: &Outcome,
) -> Vec<(ProcId, EdgeId)> {
    let (mut steps, mut open) = (Vec::new(), Vec::new());
    for event in events {
        let (Event::Enter(proc, edge) | Event::Leave(proc, edge)) = *event;
        let ops = &program.procs[proc].edges()[edge].ops;
        let origin = back.edge(proc, edge);
        let call = ops.iter().position(|op| matches!(op, Op::Call { .. })).and_then(|at| origin.ops[at]);
        let cut = call.map_or(origin.steps.len(), |call| call.step as usize + 1);
        match event {
            Event::Enter(..) => {
                steps.extend_from_slice(&origin.steps[..cut]);
                open.push(&origin.steps[cut..]);
            }
            Event::Leave(..) => steps.extend_from_slice(open.pop().unwrap()),
        }
    }
    if let (Outcome::Exit { .. }, Some(rest)) = (outcome, open.pop()) {
        // The program ended on an edge that made a call before.
        steps.extend_from_slice(rest);
    }
    let taken = steps.iter().filter(|step| step.from.is_none() && step.part == StepPart::Taken);
    taken.map(|step| (step.proc, step.edge)).collect()
}

/// The outcome without what a pass may change: where the execution ended.
fn kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit { status } => format!("exit {status}"),
        Outcome::Undefined { kind, .. } => format!("undefined {kind:?}"),
        Outcome::Error { kind, .. } => format!("error {kind:?}"),
        Outcome::Returned => "returned".to_owned(),
        Outcome::Halted { .. } => "halted".to_owned(),
        Outcome::Blocked { .. } => "blocked".to_owned(),
        other => panic!("{other:?}"),
    }
}

fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Error { .. })
}

/// Whether the execution ended at a location, not in the middle of an edge.
fn at_error_location(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Error { kind: CheckKind::Assertion, .. })
}

/// What a pass promises.
#[derive(Clone, Copy, PartialEq)]
enum Promise {
    /// The same executions.
    Same,
    /// The same executions as far as they may reach the error.
    SameErrors,
    /// No error is lost; one is gained only where the execution was undefined.
    NoErrorLost,
}

fn check(name: &str, promise: Promise, pass: impl Fn(&Program) -> (Program, BackTranslation)) {
    let (mut errors, mut others) = (0, 0);
    for seed in 0..programs() {
        let text = text(seed);
        let given = parse("random.cfa", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        // The other passes know of error locations only.
        let old = instrument(&given, &Selection::all()).program;
        let (new, back) = pass(&old);
        let describe = || format!("{name}, seed {seed}\n{text}\n{}", print(&new));
        if let Err(defects) = new.verify() {
            panic!("{}: {}", defects[0], describe());
        }
        let calls = |edge: &Edge| edge.ops.iter().filter(|op| matches!(op, Op::Call { .. })).count();
        let several_calls = new.procs.iter().flat_map(cfa::Procedure::edges).any(|edge| calls(edge) > 1);
        for inputs in 0..RUNS {
            let (before, old_edges) = run(&old, inputs);
            let (after, new_edges) = run(&new, inputs);
            if is_error(&before) {
                errors += 1;
            } else {
                others += 1;
            }
            let fine = match promise {
                Promise::Same => kind(&before) == kind(&after),
                Promise::SameErrors => is_error(&before) == is_error(&after),
                Promise::NoErrorLost => {
                    let undefined = matches!(before, Outcome::Undefined { .. });
                    is_error(&after) == is_error(&before) || (undefined && is_error(&after))
                }
            };
            assert!(fine, "inputs {inputs}: {before:?} became {after:?}: {}", describe());
            let mut old_edges = translated(&old, &BackTranslation::identity(&old), &old_edges, &before);
            let mut steps = translated(&new, &back, &new_edges, &after);
            if several_calls {
                // Which steps come between them is not told by entering and leaving the edge.
                old_edges.sort_unstable();
                steps.sort_unstable();
            }
            if promise == Promise::Same {
                // A merged edge that ends early has more steps than were taken, or fewer if its tests were
                // undefined.
                let common = steps.len().min(old_edges.len());
                let same = steps[..common] == old_edges[..common];
                let complete = at_error_location(&before) || matches!(before, Outcome::Exit { .. });
                let same = if complete { steps == old_edges } else { same || several_calls };
                assert!(same, "inputs {inputs}: {old_edges:?} became {steps:?}: {}", describe());
            } else if at_error_location(&before) {
                let mut old = old_edges.iter();
                let subsequence = steps.iter().all(|step| old.any(|other| other == step));
                assert!(subsequence, "inputs {inputs}: {old_edges:?} became {steps:?}: {}", describe());
            }
        }
    }
    assert!(errors > 100 && others > 100, "{errors} errors, {others} others");
}

#[test]
fn resolving_calls_keeps_executions() {
    check("resolve", Promise::Same, |program| {
        resolve_calls(program, &PointsTo::new(program, Punning::EffectiveTypes))
    });
}

#[test]
fn inlining_keeps_executions() {
    check("inline", Promise::Same, |program| {
        let inlined = inline(program, &InlineConfig::default());
        (inlined.program, inlined.back)
    });
    check("inline a little", Promise::Same, |program| {
        let config = InlineConfig { max_edges: 150, max_partial: 150, max_growth: 0, max_targets: 1 };
        let inlined = inline(program, &config);
        (inlined.program, inlined.back)
    });
}

#[test]
fn propagation_keeps_executions() {
    check("propagate", Promise::Same, propagate);
    check("propagate after inlining", Promise::Same, |program| {
        let inlined = inline(program, &InlineConfig::default());
        let (program, back) = propagate(&inlined.program);
        (program, inlined.back.then(&back))
    });
}

#[test]
fn unrolling_keeps_executions() {
    check("unroll", Promise::Same, unroll);
    check("unroll after inlining", Promise::Same, |program| {
        let inlined = inline(program, &InlineConfig::default());
        let (program, back) = unroll(&inlined.program);
        (program, inlined.back.then(&back))
    });
}

#[test]
fn scalars_for_elements_keep_executions() {
    check("scalarise", Promise::Same, scalarise);
    check("scalarise after unrolling", Promise::Same, |program| {
        let inlined = inline(program, &InlineConfig::default());
        let (program, unrolled) = unroll(&inlined.program);
        let (program, back) = scalarise(&program);
        (program, inlined.back.then(&unrolled).then(&back))
    });
}

#[test]
fn promotion_loses_no_error() {
    check("promote", Promise::NoErrorLost, promote);
    check("promote after inlining", Promise::NoErrorLost, |program| {
        let inlined = inline(program, &InlineConfig::default());
        let (program, back) = promote(&inlined.program);
        (program, inlined.back.then(&back))
    });
}

#[test]
fn eliminating_dead_variables_keeps_executions() {
    check("dead", Promise::Same, eliminate_dead);
}

#[test]
fn compression_keeps_executions() {
    check("compress", Promise::Same, |program| compress(program, CallEdges::Apart));
    check("compress with calls", Promise::Same, |program| compress(program, CallEdges::Merged));
    check("inline after compression", Promise::Same, |program| {
        let (compressed, first) = compress(program, CallEdges::Merged);
        let inlined = inline(&compressed, &InlineConfig::default());
        (inlined.program, first.then(&inlined.back))
    });
}

#[test]
fn compaction_keeps_executions() {
    check("compact", Promise::Same, compact);
}

#[test]
fn pruning_keeps_errors() {
    check("prune", Promise::SameErrors, prune);
}

#[test]
fn slicing_loses_no_error() {
    check("slice", Promise::NoErrorLost, slice);
}

#[test]
fn the_pipeline_obeys_its_precision() {
    let exact = PipelineConfig { precision: Precision::Exact, ..PipelineConfig::default() };
    check("exact pipeline", Promise::SameErrors, |program| {
        let done = pipeline(program, &exact);
        (done.program, done.back)
    });
    check("pipeline", Promise::NoErrorLost, |program| {
        let done = pipeline(program, &PipelineConfig::default());
        (done.program, done.back)
    });
}

#[test]
fn random_programs_survive_the_round_trip() {
    for seed in 0..programs() {
        let program = parse("random.cfa", &text(seed)).unwrap();
        let printed = print(&program);
        assert_eq!(print(&parse("printed.cfa", &printed).unwrap()), printed);
        let done = pipeline(&program, &PipelineConfig::default());
        let printed = print(&done.program);
        assert_eq!(print(&parse("printed.cfa", &printed).unwrap()), printed);
    }
}
