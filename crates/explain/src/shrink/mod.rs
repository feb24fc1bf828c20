//! Smaller inputs that lead to the same violation.
//!
//! # Method
//! Delta debugging by replay, and solving along a path, in turns:
//! 1. inputs are left out, set to zero, and moved towards zero by bisection, one by one, then those with equal values together;
//! 2. if numbers are left that are not obviously small, the path of the execution becomes a formula, and the solver is asked for its
//!    smallest inputs (path.rs, resolve.rs);
//! 3. pairs are moved such that their values keep a sum, a difference or a small multiple: that may find another path.
//!
//! What the interpreter takes to the same violation with a lower [`Cost`] is adopted, as the interpreter recorded it.
//!
//! # Invariants
//! * S1: the result is the recording of a run that ends in the violation of the given trace: same place, same property.
//! * S2: its cost is not above that of the given trace.
//! * S3: its execution is short or hardly longer.
//! * S4: the work is bounded by ticks and depends on nothing else: one trace, one result, unless the clock ends it.

mod path;
mod resolve;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use base::Budget;
use cfa::{FloatKind, Source, Ty};
use interp::{
    Choice, Chosen, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Run, Silent,
    Uninitialised, Value,
};
use passes::Prepared;

use certify::{Certified, Check, certify};
use verdict::{Trace, Verdict};

/// Ticks that shrinking may always take.
const LEAST_TICKS: u64 = 1_000_000;
/// Ticks that it never exceeds.
const MOST_TICKS: u64 = 200_000_000;
/// Of the ticks that were spent on finding the trace, one in this many.
const SHARE: u64 = 4;
/// A trace whose replay takes more than this part of the limit stays as it is.
const FEWEST_RUNS: u64 = 16;
/// What a run takes beside the ticks of its execution.
const RUN_TICKS: u64 = 200;
/// Executions of no more ticks are short enough, whatever the given one takes.
const SHORT: u64 = 20_000;
/// Runs that are tried.
const MOST_RUNS: u32 = 3_000;
/// More inputs than these are not moved in pairs.
const MOST_PAIRED: usize = 12;
/// Paths that are solved.
const MOST_PATHS: u32 = 3;
/// Ticks that solving may take, of which one is a thousand of the solver's units or an operation of a path.
const SOLVING_TICKS: u64 = 20_000;
/// Multiples that are tried for pairs.
const SLOPES: [i128; 8] = [1, -1, 2, -2, 3, -3, 4, -4];

/// The work that the search for smaller inputs took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shrinking {
    /// Runs of the program.
    pub runs: u32,
    /// Solver queries.
    pub queries: u32,
}

/// As [`certify`], and if the verdict is unsafe, looks for smaller inputs.
pub fn certify_smallest(
    task: &Prepared<'_>,
    verdict: Verdict,
    budget: &mut Budget,
) -> (Certified, Shrinking) {
    let effort = budget.spent();
    let certified = certify(task, verdict, budget);
    let nothing = Shrinking::default();
    let (Verdict::Unsafe(trace), Some(Check::Replayed { ticks })) = (certified.verdict(), certified.check())
    else {
        return (certified, nothing);
    };
    let limit = (effort / SHARE).clamp(LEAST_TICKS, MOST_TICKS);
    if trace.choices.is_empty() || ticks.saturating_mul(FEWEST_RUNS) > limit {
        return (certified, nothing);
    }
    let mut shrinker = Shrinker::new(task, trace, budget.child(limit), budget.child(SOLVING_TICKS));
    shrinker.measure(ticks);
    shrinker.shrink();
    budget.absorb(&shrinker.budget);
    budget.absorb(&shrinker.solving);
    let took = Shrinking { runs: MOST_RUNS - shrinker.runs, queries: shrinker.queries };
    if shrinker.best == *trace {
        return (certified, took);
    }
    let small = certify(task, Verdict::Unsafe(shrinker.best), budget);
    // Whatever went wrong with the smaller one, there is a trace that was checked.
    (if matches!(small.verdict(), Verdict::Unsafe(_)) { small } else { certified }, took)
}

/// What is to become smaller: number of inputs, sum of their magnitudes, number of negative ones.
type Cost = (usize, u128, usize);

fn cost(choices: &[Chosen]) -> Cost {
    let sum = choices.iter().fold(0_u128, |sum, chosen| sum.saturating_add(weight(chosen.value)));
    (
        choices.len(),
        sum,
        choices.iter().filter(|chosen| integer(chosen.value).is_some_and(i128::is_negative)).count(),
    )
}

/// How far a value is from zero.
fn weight(value: Value) -> u128 {
    let float = match value.ty {
        Ty::Int { .. } => return value.as_int().unsigned_abs(),
        Ty::Float(FloatKind::Single) => f64::from(f32::from_bits(value.bits as u32)),
        Ty::Float(FloatKind::Double) => f64::from_bits(value.bits as u64),
        Ty::Float(_) | Ty::Ptr => return value.bits,
    };
    match float.abs() {
        _ if value.bits == 0 => 0,
        size if size.fract() == 0.0 && size < 1e18 => (size as u128).max(1),
        // Any whole number is easier to read than this.
        size if size.is_finite() => (1 << 64) + (size.min(1e30) as u128),
        _ => 1 << 120,
    }
}

fn integer(value: Value) -> Option<i128> {
    value.ty.is_int().then(|| value.as_int())
}

/// Whether an input is a number that is not obviously small.
fn is_large(chosen: &Chosen) -> bool {
    integer(chosen.value).is_some_and(|number| number.unsigned_abs() > 1)
}

struct Shrinker<'a> {
    task: &'a Prepared<'a>,
    code: Code,
    best: Trace,
    cost: Cost,
    budget: Budget,
    /// Of formulas.
    solving: Budget,
    /// Paths that may still be solved.
    paths: u32,
    /// The cost of what was solved last.
    solved: Option<Cost>,
    /// Questions asked so far.
    queries: u32,
    uninitialised: Uninitialised,
    /// Ticks that one run may take.
    ticks: u64,
    /// Runs that are left.
    runs: u32,
    /// Whether the budget has ended.
    is_over: bool,
    /// Whether the last run was ended because it got long.
    was_long: bool,
    /// Hashes of what was tried.
    tried: BTreeSet<u64>,
}

impl<'a> Shrinker<'a> {
    fn new(task: &'a Prepared<'a>, trace: &Trace, budget: Budget, solving: Budget) -> Self {
        let chooses = trace.choices.iter().any(|chosen| chosen.source == Source::Uninitialised);
        let uninitialised = if chooses { Uninitialised::Choose } else { Uninitialised::Report };
        Self {
            task,
            code: Code::new(task.given(), CompileOptions { uninitialised, markers: Markers::Heads }),
            best: trace.clone(),
            cost: cost(&trace.choices),
            budget,
            solving,
            paths: MOST_PATHS,
            solved: None,
            queries: 0,
            uninitialised,
            ticks: 0,
            runs: MOST_RUNS,
            is_over: false,
            was_long: false,
            tried: BTreeSet::new(),
        }
    }

    /// Runs the trace as it is. Smaller inputs are no gain if the execution gets longer.
    fn measure(&mut self, most: u64) {
        // The interpreter charges its ticks in advance: a limit that fits exactly may end the run.
        let (run, ticks) = self.run(&self.answers(), most.saturating_mul(2).max(SHORT));
        // The trace was replayed: what ends this run is the clock.
        self.is_over |= !matches!(run.outcome, Outcome::Error { .. });
        self.ticks = ticks.saturating_add(ticks / 4).max(SHORT);
    }

    fn shrink(&mut self) {
        self.attempt(&vec![Choice::Int(0); self.best.choices.len()]);
        loop {
            let before = self.cost;
            self.replay();
            self.resolve();
            if self.cost == before {
                self.lower_pairs();
            }
            if self.cost == before || self.is_done() {
                return;
            }
        }
    }

    /// Moves inputs one by one and those that are equal together, each once: where several depend on each other, rounds would be many and
    /// steps small.
    fn replay(&mut self) {
        self.remove();
        self.clear();
        for index in 0..self.best.choices.len() {
            if self.is_done() {
                return;
            }
            self.lower(&[index]);
            self.lower_float(index);
        }
        self.lower_equal();
    }

    /// Asks the solver for smaller inputs along the path of the best ones.
    fn resolve(&mut self) {
        let is_solved = self.solved == Some(self.cost);
        if is_solved || self.is_done() || self.paths == 0 || !self.best.choices.iter().any(is_large) {
            return;
        }
        self.paths -= 1;
        self.solved = Some(self.cost);
        let path = path::follow(self.task, &self.best.choices, self.uninitialised, &mut self.solving);
        let Some(path) = path else { return };
        let smaller = resolve::smaller(path, &mut self.solving);
        self.queries += smaller.queries;
        for candidate in smaller.candidates {
            let mut answers = self.answers();
            for (index, value) in candidate {
                if let (Some(answer), Some(value)) = (answers.get_mut(index), value.to_i128()) {
                    *answer = Choice::Int(value);
                }
            }
            if self.attempt(&answers) {
                break;
            }
        }
        self.solved = Some(self.cost);
    }

    fn is_done(&self) -> bool {
        self.runs == 0 || self.is_over
    }

    /// The inputs as answers.
    fn answers(&self) -> Vec<Choice> {
        let answer = |chosen: &Chosen| match integer(chosen.value) {
            Some(value) => Choice::Int(value),
            None => Choice::Bits(chosen.value.bits),
        };
        self.best.choices.iter().map(answer).collect()
    }

    /// An input as a number; nothing if it is none, or if there is no such input any more.
    fn number(&self, index: usize) -> Option<i128> {
        self.best.choices.get(index).and_then(|chosen| integer(chosen.value))
    }

    /// Runs the program with other answers and adopts them if that is better; zero answers what is asked beyond.
    fn attempt(&mut self, answers: &[Choice]) -> bool {
        // What was tried before costs as much as its inputs.
        self.is_over |= self.budget.charge(answers.len() as u64).is_err();
        if self.is_done() {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        for answer in answers {
            match answer {
                Choice::Int(value) => (0, *value as u128).hash(&mut hasher),
                Choice::Float(value) => (1, u128::from(value.to_bits())).hash(&mut hasher),
                Choice::Bits(bits) => (2, *bits).hash(&mut hasher),
            }
        }
        if !self.tried.insert(hasher.finish()) {
            return false;
        }
        self.runs -= 1;
        let (run, _) = self.run(answers, self.ticks);
        self.was_long = matches!(run.outcome, Outcome::Stopped(_));
        let Some(trace) = Trace::of(run) else { return false };
        let found = cost(&trace.choices);
        if !trace.violation.is_same(&self.best.violation) || found >= self.cost {
            return false;
        }
        self.cost = found;
        self.best = trace;
        true
    }

    /// A run with these answers, and the ticks that it takes.
    fn run(&mut self, answers: &[Choice], most: u64) -> (Run, u64) {
        // More inputs than there are would not be better.
        let zeros = self.best.choices.len().saturating_sub(answers.len());
        let mut next = answers.iter().copied().chain(std::iter::repeat_n(Choice::Int(0), zeros));
        let mut oracle = |_: &Request<'_>| next.next();
        let mut machine = Machine::new(self.task.given(), &self.code, Config::default());
        let mut child = self.budget.child(most);
        let run = Leaper::new().run(&mut machine, &mut oracle, &mut Silent, &mut std::io::sink(), &mut child);
        let ticks = child.spent().saturating_sub(machine.unneeded_ticks());
        self.is_over |= self.budget.charge(ticks + RUN_TICKS).is_err() || self.budget.poll().is_err();
        (run, ticks)
    }

    /// Tries to do without inputs: halves, quarters, and so on to single ones.
    fn remove(&mut self) {
        self.by_chunks(|answers, start, end| {
            answers.drain(start..end);
        });
    }

    /// Tries zero, in the same way.
    fn clear(&mut self) {
        self.by_chunks(|answers, start, end| answers[start..end].fill(Choice::Int(0)));
    }

    fn by_chunks(&mut self, change: impl Fn(&mut Vec<Choice>, usize, usize)) {
        let mut size = self.best.choices.len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < self.best.choices.len() && !self.is_done() {
                let mut answers = self.answers();
                let end = (start + size).min(answers.len());
                change(&mut answers, start, end);
                let count = self.best.choices.len();
                // What was behind a chunk that is gone has moved to its place.
                if !self.attempt(&answers) || self.best.choices.len() >= count {
                    start += size;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
    }

    /// Whether giving these inputs one value is better.
    fn set(&mut self, indices: &[usize], value: i128) -> bool {
        // Thousands of inputs are not copied in vain.
        if self.is_done() {
            return false;
        }
        let mut answers = self.answers();
        for index in indices {
            match answers.get_mut(*index) {
                Some(answer) => *answer = Choice::Int(value),
                None => return false,
            }
        }
        self.attempt(&answers)
    }

    /// Moves inputs with one common value towards zero.
    fn lower(&mut self, indices: &[usize]) {
        let Some(first) = indices.first().and_then(|index| self.number(*index)) else { return };
        let mut sign = first.signum();
        if sign == 0 {
            return;
        }
        for small in [0, 1, -1] {
            self.was_long = false;
            // A value that decides how long the execution is would end in between, for no reason that people see.
            if self.set(indices, small) || self.was_long {
                return;
            }
        }
        if sign < 0 && first.checked_neg().is_some_and(|positive| self.set(indices, positive)) {
            sign = 1;
        }
        let (mut low, mut high) = (1_i128, first.checked_abs().unwrap_or(i128::MAX));
        while high - low > 1 && !self.is_done() {
            let middle = low + (high - low) / 2;
            if self.set(indices, sign * middle) { high = middle } else { low = middle }
        }
        // Not everything is monotone: parity, remainders, masks.
        for less in 2..=9 {
            if high > less && self.set(indices, sign * (high - less)) {
                break;
            }
        }
        let powers = (1..127).map(|power| 1_i128 << power).take_while(|power| *power < high);
        for power in powers.collect::<Vec<i128>>() {
            if self.set(indices, sign * power) {
                break;
            }
        }
    }

    /// Tries whole numbers for a float.
    fn lower_float(&mut self, index: usize) {
        let Some(value) = self.best.choices.get(index).map(|chosen| chosen.value) else { return };
        let number = match value.ty {
            Ty::Float(FloatKind::Single) => f64::from(f32::from_bits(value.bits as u32)),
            Ty::Float(FloatKind::Double) => f64::from_bits(value.bits as u64),
            Ty::Float(_) | Ty::Ptr | Ty::Int { .. } => return,
        };
        let halves = std::iter::successors(Some(number / 2.0), |half| Some(half / 2.0)).take(60);
        let candidates = [1.0, -1.0, number.trunc(), number.round()];
        for candidate in candidates.into_iter().chain(halves.map(f64::trunc)) {
            let mut answers = self.answers();
            let Some(answer) = answers.get_mut(index) else { return };
            *answer = Choice::Float(candidate);
            self.attempt(&answers);
        }
    }

    /// Moves inputs that have equal values together.
    fn lower_equal(&mut self) {
        let numbers: BTreeSet<i128> =
            (0..self.best.choices.len()).filter_map(|index| self.number(index)).collect();
        for number in numbers.into_iter().filter(|number| *number != 0) {
            if self.is_done() {
                return;
            }
            let all = 0..self.best.choices.len();
            let equal: Vec<usize> = all.filter(|index| self.number(*index) == Some(number)).collect();
            if equal.len() > 1 {
                self.lower(&equal);
            }
        }
    }

    /// Moves pairs of inputs so that their difference, their sum or that of small multiples stays.
    fn lower_pairs(&mut self) {
        let count = self.best.choices.len();
        if count > MOST_PAIRED {
            return;
        }
        for first in 0..count {
            for second in (0..count).filter(|second| *second != first) {
                for slope in SLOPES {
                    self.lower_pair(first, second, slope);
                }
            }
        }
    }

    /// Moves the first input towards zero, and the second one by a multiple of that.
    fn lower_pair(&mut self, first: usize, second: usize, slope: i128) {
        let mut step = self.number(first).unwrap_or(0);
        // A step that worked is tried again, one that did not is halved.
        while step != 0 && !self.is_done() {
            let (Some(one), Some(other)) = (self.number(first), self.number(second)) else { return };
            let moved =
                one.checked_sub(step).zip(step.checked_mul(slope).and_then(|by| other.checked_sub(by)));
            let (Some((one, other)), mut answers) = (moved, self.answers()) else { return };
            (answers[first], answers[second]) = (Choice::Int(one), Choice::Int(other));
            if !self.attempt(&answers) {
                step /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use interp::Inputs;

    use cfa::Program;

    use super::*;

    /// A program that asks for `count` numbers x0, x1, ... and reaches the error if the condition holds.
    fn program(count: usize, condition: &str) -> Program {
        let each = |line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
        let vars = each(&|index| format!("  local x{index} : i32\n"));
        let locations = each(&|index| format!("  loc l{}\n", index + 3));
        let asks = each(&|index| {
            let source = if index == 0 { 0 } else { index + 2 };
            format!("  l{source} -> l{} : havoc x{index} input \"nondet\" at @f0:1:1-1:2\n", index + 3)
        });
        let last = count + 2;
        let condition = condition.replace(" && ", ") & (");
        let text = format!(
            "program LP64 overflow=wrap start=%start\nfile f0 \"a.c\"\nproc %start() {{\n{vars}  entry l0\n  exit l1\n  \
             error l2\n{locations}{asks}  l{last} -> l2 : assume ({condition})  @f0:2:1-2:9 stmt\n  \
             l{last} -> l1 : assume true\n}}\n"
        );
        cfa::text::parse("test.cfa", &text).unwrap()
    }

    /// The trace of these inputs, and the ticks of its execution.
    fn traced(program: &Program, inputs: &[i128]) -> (Trace, u64) {
        let mut budget = Budget::unlimited();
        let mut oracle = Inputs::ints(inputs.iter().copied());
        let run = interp::run(program, Uninitialised::Report, &mut oracle, &mut std::io::sink(), &mut budget);
        (Trace::of(run).unwrap(), budget.spent())
    }

    fn shrunk(program: &Program, inputs: &[i128]) -> Vec<i128> {
        let verdict = Verdict::Unsafe(traced(program, inputs).0);
        let (certified, took) = certify_smallest(&Prepared::of(program), verdict, &mut Budget::unlimited());
        assert!(took.runs <= MOST_RUNS);
        let Verdict::Unsafe(trace) = certified.verdict() else { panic!("{certified:?}") };
        trace.choices.iter().map(|chosen| chosen.value.as_int()).collect()
    }

    #[test]
    fn thousands_of_inputs_are_no_quadratic_work() {
        let inputs: Vec<i128> = (0..4000).map(|index| index % 7 + 900).collect();
        let condition = "x0 + x3999 == 1802:i32";
        assert!(shrunk(&program(4000, condition), &inputs).len() <= 4000);
    }

    #[test]
    fn single_inputs_go_to_their_bounds() {
        assert_eq!(shrunk(&program(1, "100:i32 < x0"), &[2_000_000_000]), [101]);
        assert_eq!(shrunk(&program(1, "x0 < -7:i32"), &[-2_000_000_000]), [-8]);
        assert_eq!(shrunk(&program(1, "x0 != 5:i32"), &[-77]), [0]);
        assert_eq!(shrunk(&program(1, "x0 == -5:i32"), &[-5]), [-5]);
        assert_eq!(shrunk(&program(1, "x0 < x0 + 1:i32"), &[i128::from(i32::MIN)]), [0]);
    }

    #[test]
    fn coupled_inputs_move_together() {
        assert_eq!(shrunk(&program(2, "x0 == x1"), &[777_777, 777_777]), [0, 0]);
        assert_eq!(shrunk(&program(2, "x0 == x1 + 5:i32"), &[900_005, 900_000])[1].abs(), 0);
        assert_eq!(shrunk(&program(2, "x0 + x1 == 9:i32"), &[-1_000_000, 1_000_009]).iter().sum::<i128>(), 9);
        assert_eq!(
            shrunk(&program(2, "x0 + x1 == 9:i32"), &[-1_000_000, 1_000_009])
                .iter()
                .map(|x| x.abs())
                .sum::<i128>(),
            9
        );
        assert_eq!(shrunk(&program(2, "x0 == x1 * 3:i32 + 1:i32"), &[300_001, 100_000]), [1, 0]);
    }

    #[test]
    fn inputs_that_equations_tie_together_are_solved() {
        let sums = "x0 + x1 == 700:i32 && x1 + x2 == 900:i32 && x2 + x3 == 1500:i32";
        let found = shrunk(&program(4, sums), &[-90_000, 90_700, -89_800, 91_300]);
        assert_eq!(found.iter().map(|value| value.abs()).sum::<i128>(), 2200, "{found:?}");
        // The first input does not matter, and all are asked for at one place in the source.
        let sums = "x1 + x2 == 700:i32 && x2 + x3 == 900:i32 && x3 + x4 == 1500:i32";
        let found = shrunk(&program(5, sums), &[0, -90_000, 90_700, -89_800, 91_300]);
        assert_eq!(found.iter().map(|value| value.abs()).sum::<i128>(), 2200, "{found:?}");
        let chain = "0:i32 < x0 && x0 < x1 && x1 < x2 && 1000:i32 < x0 + x1 + x2 && x2 < x0 + 7:i32";
        let found = shrunk(&program(3, chain), &[70_000, 70_003, 70_006]);
        assert_eq!(found.iter().sum::<i128>(), 1001, "{found:?}");
        let weighted = "x0 * 7:i32 - x1 * 5:i32 == 3:i32 && 40:i32 < x0 && x2 == x0 + x1 * 3:i32";
        let found = shrunk(&program(3, weighted), &[4_004, 5_605, 20_819]);
        assert_eq!(found, [44, 61, 227]);
    }

    #[test]
    fn where_formulas_would_round_a_value_stays() {
        let product = "x0 * x1 == 221:i32 && x2 + x3 == x0 && x3 + x4 == x1 && x2 - x4 == x0 - x1";
        let found = shrunk(&program(5, product), &[13, 17, -5000, 5013, -4996]);
        assert_eq!(found[..2], [13, 17]);
        assert_eq!(found[2..].iter().map(|value| value.abs()).sum::<i128>(), 17, "{found:?}");
    }

    #[test]
    fn a_clock_that_ends_keeps_what_was_found() {
        let cancel = base::Cancel::new();
        let mut budget = Budget::unlimited().with_cancel(cancel.clone());
        let program = program(2, "x0 == x1 + 5:i32");
        let task = Prepared::of(&program);
        let (mut trace, ticks) = traced(&program, &[900_005, 900_000]);
        let mut shrinker =
            Shrinker::new(&task, &trace, budget.child(LEAST_TICKS), budget.child(SOLVING_TICKS));
        shrinker.measure(ticks);
        cancel.cancel();
        shrinker.resolve();
        assert_eq!(shrinker.best, trace);
        budget = Budget::unlimited();
        trace = shrinker.best;
        assert!(matches!(certify(&task, Verdict::Unsafe(trace), &mut budget).verdict(), Verdict::Unsafe(_)));
    }

    #[test]
    fn an_execution_that_is_long_without_leaps_is_no_obstacle() {
        let text = "program LP64 overflow=wrap start=%start\nfile f0 \"a.c\"\nproc %start() {\n  local n : i32\n  local i : i32\n  \
                    entry l0\n  exit l1\n  error l2\n  loc l3\n  l0 -> l3 : havoc n input \"nondet\" at @f0:1:1-1:2; i := 0:i32\n  \
                    l3 -> l3 : assume i < n; i := i + 1:i32\n  \
                    l3 -> l2 : assume n <= i; assume 1000:i32 <= i  @f0:2:1-2:9 stmt\n  \
                    l3 -> l1 : assume n <= i; assume i < 1000:i32\n}\n";
        let program = cfa::text::parse("test.cfa", text).unwrap();
        assert_eq!(shrunk(&program, &[2_000_000_000]), [1000]);
    }

    #[test]
    fn what_cannot_be_smaller_stays() {
        assert_eq!(shrunk(&program(2, "x0 * 65536:i32 + x1 == 65543:i32"), &[1, 7]), [1, 7]);
    }
}
