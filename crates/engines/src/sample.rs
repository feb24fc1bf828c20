//! Tries some executions before an engine works on a program with arrays, with calls that stay, or with operations that are rounded up.
//!
//! Tests choose the inputs of a step by a model and repeat them ([Gps25] §4): all elements of a long array that is filled with inputs get the same value. Most programs whose error needs elements
//! that differ fail for nearly all contents, so a few runs with different ones find what the search would have to find element by element.
//!
//! Where calls stay, small inputs are tried: activations are many, and an execution carries them out faster than contracts describe them.
//!
//! Where products or bits are rounded up, words at random are tried: most errors of wrap-around need large inputs, and hardly more than that.
//! Floating-point inputs are numbers between those that the program names, and more often than not close to one of them: that is where polynomials leave the bounds that are claimed.
//!
//! Programs that read characters, or work on arrays, mostly branch on a few constants (`'='`, `'0'`, the length of a buffer). So runs are tried whose inputs are constants of the
//! program, numbers next to them, or characters of one class.
//!
//! # Invariants
//! * A1: nothing here is trusted: a violation is a trace of the program as given, which is replayed as every other.
//! * A2: the sequences of values are fixed, so the same program has the same runs.
//! * A3: a program without arrays, without calls that stay, without operations that may be rounded up and without inputs of one byte is not run.
//!
//! # Cost
//! [`RUNS`] and three runs of at most [`TICKS`] ticks: hundredths of a second each. [`WORDS`] runs with words have [`WORD_TICKS`] each, and [`FRACTIONS`] with floating-point numbers [`FRACTION_TICKS`]. Those with small inputs have [`SMALL_TICKS`] each, and the second one that does not end within them is the last.
//! Those with constants are at most [`CONSTANT_RUNS`], fewer if the program is large, and take [`CONSTANT_TICKS`] together.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Budget, Stop, timeline};
use cfa::{CheckKind, Expr, FloatKind, Op, Place, Procedure, Program, Source, Storage, Ty};
use interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Oracle, Outcome, Request, Run, Seed,
    Silent, UndefinedKind, Uninitialised,
};
use passes::Prepared;
use verdict::Trace;

use crate::exact_bits::{may_round, used};

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
/// Runs with floating-point numbers.
const FRACTIONS: u64 = 512;
/// Ticks of one of them.
const FRACTION_TICKS: u64 = 1 << 15;
/// Floating-point numbers of a program, of either sign.
const MOST_NUMBERS: usize = 64;
/// Ticks of one run with small inputs.
const SMALL_TICKS: u64 = 1 << 21;
/// Runs with small inputs that may take longer: after these, larger inputs hardly take less.
const LONG_RUNS: u32 = 2;
/// Runs with constants of the program.
const CONSTANT_RUNS: usize = 256;
/// The same times the expressions of the program: the state of each run is made anew.
const MADE: usize = 1 << 18;
/// Ticks of one of them.
const CONSTANT_RUN_TICKS: u64 = 1 << 18;
/// Ticks of all of them.
const CONSTANT_TICKS: u64 = 1 << 23;
/// Constants that are looked at.
const MOST_CONSTANTS: usize = 64;
/// Small inputs.
const SMALL: std::ops::Range<i128> = 0..9;

/// A violation in one of a few executions of a program for which they are tried.
pub fn sample(task: &Prepared<'_>, budget: &mut Budget) -> Option<Trace> {
    let mut runs = Runs::of(task.given());
    small(task, &mut runs, budget)
        .or_else(|| contents(task, &mut runs, budget))
        .or_else(|| words(task, &mut runs, budget))
        .or_else(|| fractions(task, &mut runs, budget))
        .or_else(|| constants(task, &mut runs, budget))
}

/// All inputs are the same small number.
fn small(task: &Prepared<'_>, runs: &mut Runs<'_>, budget: &mut Budget) -> Option<Trace> {
    task.kept_call()?;
    let _stage = timeline::stage("samples");
    let mut long = 0;
    for value in SMALL {
        if long == LONG_RUNS || budget.poll().is_err() {
            return None;
        }
        let inputs = Inputs::Counting { next: value, step: 0 };
        match runs.execute(&inputs, SMALL_TICKS, budget).0 {
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
fn contents(task: &Prepared<'_>, runs: &mut Runs<'_>, budget: &mut Budget) -> Option<Trace> {
    if !has_arrays(task.program()) {
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
        Trace::of(runs.execute(&inputs, TICKS, budget).0)
    })
}

/// The inputs are words, all values of a type equally likely.
fn words(task: &Prepared<'_>, runs: &mut Runs<'_>, budget: &mut Budget) -> Option<Trace> {
    if !may_round(task.program()) {
        return None;
    }
    let _stage = timeline::stage("samples");
    (0..WORDS).find_map(|seed| {
        budget.poll().ok()?;
        Trace::of(runs.execute(&Inputs::Words(Seed::new(seed)), WORD_TICKS, budget).0)
    })
}

/// The inputs are constants of the program, and numbers and characters near to them.
fn constants(task: &Prepared<'_>, runs: &mut Runs<'_>, budget: &mut Budget) -> Option<Trace> {
    let program = task.program();
    if !(has_arrays(program) || has_byte_inputs(program) || may_round(program)) {
        return None;
    }
    let _stage = timeline::stage("samples");
    let constants = Rc::new(Constants::of(program));
    // Where no input is a byte, characters and digits are nothing new.
    let classes = if has_byte_inputs(program) { &Class::ALL[..] } else { &Class::ALL[..2] };
    let most = (CONSTANT_RUNS / Class::ALL.len() * classes.len()).min(MADE / program.exprs.len().max(1));
    let mut left = CONSTANT_TICKS;
    for number in 0..most {
        if budget.poll().is_err() {
            return None;
        }
        let class = classes[number % classes.len()];
        let inputs = Inputs::Near { seed: Seed::new(number as u64), constants: Rc::clone(&constants), class };
        let ticks = left.min(CONSTANT_RUN_TICKS);
        let (run, spent) = runs.execute(&inputs, ticks, budget);
        if let Some(trace) = Trace::of(run) {
            return Some(trace);
        }
        left = left.checked_sub(spent).filter(|left| *left > 0)?;
    }
    None
}

/// Numbers that the operations of a program mention.
struct Constants {
    integers: Vec<i128>,
    /// Those that are printable characters.
    characters: Vec<i128>,
    floats: Vec<f64>,
}

impl Constants {
    fn of(program: &Program) -> Self {
        let mut integers = BTreeSet::new();
        let mut floats = Vec::new();
        for id in used(program) {
            let Expr::Const { ty, bits } = *program.exprs.get(id) else { continue };
            match ty {
                Ty::Int { .. } if ty != Ty::BOOL && integers.len() < MOST_CONSTANTS => {
                    integers.insert(ty.value_of(bits));
                }
                Ty::Float(FloatKind::Single) if floats.len() < MOST_CONSTANTS => {
                    floats.push(f64::from(f32::from_bits(bits as u32)));
                }
                Ty::Float(FloatKind::Double) if floats.len() < MOST_CONSTANTS => {
                    floats.push(f64::from_bits(bits as u64));
                }
                _ => {}
            }
        }
        let characters = integers.iter().copied().filter(|own| (0x20..0x7f).contains(own)).collect();
        Self { integers: integers.into_iter().collect(), characters, floats }
    }
}

fn has_arrays(program: &Program) -> bool {
    program.vars.iter().any(|var| matches!(var.storage, Storage::Array { .. }))
}

/// Whether a program asks for values of one byte.
fn has_byte_inputs(program: &Program) -> bool {
    let ops = program.procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops);
    let mut asked = ops.filter_map(|op| match op {
        Op::Havoc {
            place: Place::Var(var),
            source: Source::Input { .. } | Source::Extern { .. } | Source::Library { .. },
            ..
        } => Some(&program.vars[*var].storage),
        _ => None,
    });
    asked.any(|storage| matches!(storage, Storage::Scalar(Ty::Int { width: 8, .. })))
}

/// How inputs are chosen near to the constants of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Constants; bytes are those that are printable, if there are any.
    Exact,
    /// Constants and the numbers next to them.
    Next,
    /// Bytes are digits, other numbers as in `Next`.
    Digits,
    /// Bytes are printable characters, other numbers as [`Seed`] has them.
    Printable,
}

impl Class {
    const ALL: [Self; 4] = [Self::Exact, Self::Next, Self::Digits, Self::Printable];
}

/// Floating-point inputs lie between numbers of the program.
fn fractions(task: &Prepared<'_>, runs: &mut Runs<'_>, budget: &mut Budget) -> Option<Trace> {
    let is_fraction = |op: &Op| matches!(op, Op::Havoc { place: Place::Var(var), .. } if matches!(task.given().vars[*var].scalar(), Some(Ty::Float(_))));
    if !task.given().procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops).any(is_fraction) {
        return None;
    }
    let _stage = timeline::stage("samples");
    let numbers: Rc<[f64]> = numbers(task.given()).into();
    (0..FRACTIONS).find_map(|seed| {
        budget.poll().ok()?;
        let inputs = Inputs::Fractions { seed: Seed::new(seed), numbers: Rc::clone(&numbers) };
        Trace::of(runs.execute(&inputs, FRACTION_TICKS, budget).0)
    })
}

/// The floating-point numbers of a program, those of the other sign, and zero, ascending.
fn numbers(program: &Program) -> Vec<f64> {
    let mut found = vec![0.0];
    for id in used(program) {
        let number = match *program.exprs.get(id) {
            Expr::Const { ty: Ty::Float(FloatKind::Double), bits } => f64::from_bits(bits as u64),
            Expr::Const { ty: Ty::Float(FloatKind::Single), bits } => f64::from(f32::from_bits(bits as u32)),
            Expr::Cast { ty: Ty::Float(_), arg } => match *program.exprs.get(arg) {
                Expr::Const { ty: ty @ Ty::Int { .. }, bits } => ty.value_of(bits) as f64,
                _ => continue,
            },
            _ => continue,
        };
        if number.is_finite() && found.len() < MOST_NUMBERS {
            found.extend([number, -number]);
        }
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// A number between two neighbours of a list, or one of them. Half of them are close to an end.
fn between(seed: &mut Seed, numbers: &[f64]) -> f64 {
    const PARTS: usize = 1 << 24;
    let at = seed.below(numbers.len());
    let Some(next) = numbers.get(at + 1) else { return numbers[at] };
    let part = seed.below(PARTS) as f64 / PARTS as f64;
    let near = part.powi(6);
    let part = match seed.below(8) {
        0 => 0.0,
        1 | 2 => near,
        3 | 4 => 1.0 - near,
        _ => part,
    };
    numbers[at] * (1.0 - part) + next * part
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
    /// Near to constants.
    Near { seed: Seed, constants: Rc<Constants>, class: Class },
    /// Floating-point numbers between those of a list, which is not empty; others at random.
    Fractions { seed: Seed, numbers: Rc<[f64]> },
}

/// A number of a class that has a type, if the program has one.
fn near(seed: &mut Seed, constants: &Constants, class: Class, request: &Request<'_>) -> Option<Choice> {
    let width = match request.ty {
        Ty::Int { width, .. } => width,
        Ty::Float(_) if class == Class::Exact => {
            return constants.floats.get(seed.below(constants.floats.len())).copied().map(Choice::Float);
        }
        Ty::Float(_) | Ty::Ptr => return seed.choose(request),
    };
    let own = match class {
        Class::Digits if width == 8 => i128::from(b'0') + seed.below(10) as i128,
        Class::Printable if width == 8 => i128::from(b' ') + seed.below(95) as i128,
        Class::Printable => return seed.choose(request),
        Class::Exact | Class::Next | Class::Digits => {
            let is_text = class == Class::Exact && width == 8 && !constants.characters.is_empty();
            let known = if is_text { &constants.characters } else { &constants.integers };
            let distance = if class == Class::Exact { 0 } else { seed.below(3) as i128 - 1 };
            known.get(seed.below(known.len()))?.checked_add(distance)?
        }
    };
    let (low, high) = request.ty.range()?;
    if (low..=high).contains(&own) { Some(Choice::Int(own)) } else { None }
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
            Self::Near { seed, constants, class } => {
                near(seed, constants, *class, request).or_else(|| seed.choose(request))
            }
            Self::Fractions { seed, numbers } => match request.ty {
                Ty::Float(_) => Some(Choice::Float(between(seed, numbers))),
                _ => seed.choose(request),
            },
        }
    }
}

/// Runs of a program, which is compiled once, and only if there is one.
struct Runs<'p> {
    program: &'p Program,
    /// Uninitialised values end a run.
    reporting: Option<Code>,
    /// They are chosen.
    choosing: Option<Code>,
}

impl<'p> Runs<'p> {
    fn of(program: &'p Program) -> Self {
        Self { program, reporting: None, choosing: None }
    }

    /// The run with some inputs and so many ticks, and the ticks that it has taken. That it does not depend on uninitialised values is better, where these are no violation.
    fn execute(&mut self, inputs: &Inputs, ticks: u64, budget: &mut Budget) -> (Run, u64) {
        let code = self.reporting.get_or_insert_with(|| compile(self.program, Uninitialised::Report));
        let (first, spent) = execute(self.program, code, inputs, ticks, budget);
        let is_uninitialised =
            matches!(first.outcome, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. });
        if !is_uninitialised || self.program.is_violation(CheckKind::Uninitialised) {
            return (first, spent);
        }
        let code = self.choosing.get_or_insert_with(|| compile(self.program, Uninitialised::Choose));
        let (second, more) = execute(self.program, code, inputs, ticks, budget);
        (second, spent + more)
    }
}

fn compile(program: &Program, uninitialised: Uninitialised) -> Code {
    Code::new(program, CompileOptions { uninitialised, markers: Markers::Heads })
}

/// One run of a compiled program, and the ticks that it has taken.
fn execute(program: &Program, code: &Code, inputs: &Inputs, ticks: u64, budget: &mut Budget) -> (Run, u64) {
    let cancel = budget.cancel_flag().clone();
    let mut allowance = Budget::ticks(ticks).with_deadline(budget.deadline()).with_cancel(cancel);
    let mut machine = Machine::new(program, code, Config::default());
    let mut oracle = inputs.clone();
    let run = Leaper::new().run(&mut machine, &mut oracle, &mut Silent, &mut std::io::sink(), &mut allowance);
    // If no tick is left, whoever asks for the next one is told.
    let _ = budget.charge(allowance.spent() / STEPS_OF_A_TICK);
    (run, allowance.spent())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(body: &str) -> Option<Trace> {
        let text = format!(
            "extern float __VERIFIER_nondet_float(void);\nextern void reach_error(void);\nint main(void) {{ float x = __VERIFIER_nondet_float(); {body} return 0; }}\n"
        );
        let input = cfront::Input::Text { name: "a.c".into(), text: text.into_bytes().into() };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let program = cfront::compile(&[input], &options).expect("the program should compile").program;
        sample(&Prepared::of(&program), &mut Budget::ticks(1 << 20))
    }

    #[test]
    fn a_polynomial_leaves_its_bounds_close_to_an_end_of_its_range() {
        let square = |bound: &str| {
            format!(
                "if (!(x >= 0.0f && x < 1.0f)) return 0; float y = 1.0f + 0.5f * x - 0.125f * x * x + 0.0625f * x * x * x; if (y > {bound}) reach_error();"
            )
        };
        assert!(sampled(&square("1.42f")).is_some());
        assert!(sampled(&square("1.45f")).is_none(), "no value is larger");
        assert!(
            sampled("if (x == -1.5f) reach_error();").is_some(),
            "a number of the program, or its opposite"
        );
    }
}
