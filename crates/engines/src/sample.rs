//! Tries some executions before an engine works on a program with arrays, with calls that stay, or with operations that are rounded up.
//!
//! Tests choose the inputs of a step by a model and repeat them ([Gps25] §4): all elements of a long array that is filled with inputs get the same value. Most programs whose error needs elements
//! that differ fail for nearly all contents, so a few runs with different ones find what the search would have to find element by element.
//!
//! Where calls stay, small inputs are tried: activations are many, and an execution carries them out faster than contracts describe them.
//!
//! Where products or bits are rounded up, words at random are tried: most errors of wrap-around need large inputs, and hardly more than that.
//!
//! # Invariants
//! * A1: nothing here is trusted: a violation is a trace of the program as given, which is replayed as every other.
//! * A2: the sequences of values are fixed, so the same program has the same runs.
//! * A3: a program without arrays, without calls that stay and without operations that may be rounded up is not run.
//!
//! # Cost
//! [`RUNS`] and three runs of at most [`TICKS`] ticks: hundredths of a second each. [`WORDS`] runs with words have [`WORD_TICKS`] each. Those with small inputs have [`SMALL_TICKS`] each, and the second one that does not end within them is the last.

use base::{Budget, Stop, timeline};
use cfa::{CheckKind, Program, Storage, Ty};
use interp::{Choice, Oracle, Outcome, Request, Run, Seed, UndefinedKind, Uninitialised};
use passes::Prepared;
use verdict::Trace;

use crate::exact_bits::may_round;

/// Runs with random contents.
const RUNS: u64 = 8;
/// Steps of a run that are worth a tick of an engine, which is mostly one of its solver.
pub(crate) const STEPS_OF_A_TICK: u64 = 1 << 15;
/// Where inputs start that count up or down: small, and no smaller than what programs ask of a length.
const FIRST: i128 = 8;
/// Ticks of one run.
const TICKS: u64 = 1 << 22;
/// Runs with words at random.
const WORDS: u64 = 32;
/// Ticks of one of them.
const WORD_TICKS: u64 = 1 << 18;
/// Ticks of one run with small inputs.
const SMALL_TICKS: u64 = 1 << 21;
/// Runs with small inputs that may take longer: after these, larger inputs hardly take less.
const LONG_RUNS: u32 = 2;
/// Small inputs.
const SMALL: std::ops::Range<i128> = 0..9;

/// A violation in one of a few executions of a program with arrays or calls that stay.
pub(crate) fn sample(task: &Prepared<'_>, budget: &mut Budget) -> Option<Trace> {
    small(task, budget).or_else(|| contents(task, budget)).or_else(|| words(task, budget))
}

/// All inputs are the same small number.
fn small(task: &Prepared<'_>, budget: &mut Budget) -> Option<Trace> {
    task.kept_call()?;
    let _stage = timeline::stage("samples");
    let mut long = 0;
    for value in SMALL {
        if long == LONG_RUNS || budget.poll().is_err() {
            return None;
        }
        let inputs = Inputs::Counting { next: value, step: 0 };
        match execute(task.given(), &inputs, SMALL_TICKS, budget) {
            Run { outcome: Outcome::Stopped(Stop::Ticks), .. } => long += 1,
            run => {
                if let Some(trace) = Trace::of(run) {
                    return Some(trace);
                }
            }
        }
    }
    None
}

/// The elements of arrays differ.
fn contents(task: &Prepared<'_>, budget: &mut Budget) -> Option<Trace> {
    let is_array = |storage: &Storage| matches!(storage, Storage::Array { .. });
    if !task.program().vars.iter().any(|var| is_array(&var.storage)) {
        return None;
    }
    let _stage = timeline::stage("samples");
    let orders = [
        Inputs::Counting { next: FIRST, step: -1 },
        Inputs::Counting { next: FIRST, step: 1 },
        Inputs::Alone { next: FIRST },
    ];
    let random = (0..RUNS).map(|seed| Inputs::Random(Seed::new(seed)));
    orders.into_iter().chain(random).find_map(|inputs| {
        budget.poll().ok()?;
        Trace::of(execute(task.given(), &inputs, TICKS, budget))
    })
}

/// The inputs are words, all values of a type equally likely.
fn words(task: &Prepared<'_>, budget: &mut Budget) -> Option<Trace> {
    if !may_round(task.program()) {
        return None;
    }
    let _stage = timeline::stage("samples");
    (0..WORDS).find_map(|seed| {
        budget.poll().ok()?;
        Trace::of(execute(task.given(), &Inputs::Words(Seed::new(seed)), WORD_TICKS, budget))
    })
}

/// The inputs of a run.
#[derive(Clone)]
enum Inputs {
    /// Each is a step further than the last: what sorts or searches has the least or the most to do.
    Counting { next: i128, step: i128 },
    /// The first differs from all others, which are zero: what is searched for is not found.
    Alone { next: i128 },
    /// At random, small numbers and limits more often than others.
    Random(Seed),
    /// At random, all numbers alike.
    Words(Seed),
}

impl Oracle for Inputs {
    fn choose(&mut self, request: &Request<'_>) -> Option<Choice> {
        match self {
            Self::Counting { next, step } => {
                let own = *next;
                *next += *step;
                Some(Choice::Int(own))
            }
            Self::Alone { next } => Some(Choice::Int(std::mem::take(next))),
            Self::Random(seed) => seed.choose(request),
            Self::Words(seed) => match request.ty {
                Ty::Int { width, .. } if width <= 64 => {
                    let (low, high) = request.ty.range()?;
                    let word = i128::try_from(seed.below(usize::MAX)).ok()?;
                    Some(Choice::Int(low + word.rem_euclid(high - low + 1)))
                }
                _ => seed.choose(request),
            },
        }
    }
}

/// The run with some inputs and so many ticks. That it does not depend on uninitialised values is better, where these are no violation.
fn execute(program: &Program, inputs: &Inputs, ticks: u64, budget: &mut Budget) -> Run {
    let mut run = |mode: Uninitialised| -> Run {
        let cancel = budget.cancel_flag().clone();
        let mut allowance = Budget::ticks(ticks).with_deadline(budget.deadline()).with_cancel(cancel);
        let mut oracle = inputs.clone();
        let run = interp::run(program, mode, &mut oracle, &mut std::io::sink(), &mut allowance);
        // If no tick is left, whoever asks for the next one is told.
        let _ = budget.charge(allowance.spent() / STEPS_OF_A_TICK);
        run
    };
    let first = run(Uninitialised::Report);
    let is_uninitialised =
        matches!(first.outcome, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. });
    if is_uninitialised && !program.is_violation(CheckKind::Uninitialised) {
        return run(Uninitialised::Choose);
    }
    first
}
