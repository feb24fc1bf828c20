//! Loop acceleration: iterations (*rounds*) of a loop that repeat themselves are executed in one step, a *leap*.
//!
//! A loop that counts to 10^9 need not be executed 10^9 times. When a run has gone on for a while, its loop heads are watched; at a head, the
//! round ahead is walked through once for all its repetitions ([`walk`]), and if it repeats itself k times, the machine is put where it would be
//! k rounds later. Nothing is approximated: the state after a leap is the state of the plain run, and what the walk does not understand (memory
//! at changing addresses, arbitrary values, output, floating point, numbers that do not grow linearly) is executed round by round as before. Loops inside loops are repeated at
//! once too, so a nest of five loops of 2^32 rounds each is less than a million steps of walking.
//!
//! # Paper
//! [Gps25] takes accelerated loops as single transitions of a summary; here the same idea works on values, inside the interpreter, so that tests, replays and
//! the only execution of a deterministic program profit alike.
//!
//! # Invariants
//! * L1: a run with leaps has the outcome, the choices and the output of the plain run; only the ticks that it takes are fewer.
//! * L2: a location to stop at is never leapt over.
//! * L3: attempts that fail cost a bounded part of the run: the more of them, the longer a head is left alone.

mod cells;
mod eval;
mod form;
mod heads;
mod walk;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;

use base::{Budget, Stop};

use super::exec;
use super::machine::{Machine, Pause, Step};
use super::observe::Observer;
use super::oracle::Oracle;
use super::outcome::Run;
use super::value::Value;
use cells::Key;
use cfa::program::{Loc, ProcId};
use heads::Heads;
pub(super) use heads::is_set;
use walk::{Activation, Home, Walker};

/// Ticks of a run before its loops are watched.
const WARM_UP: u64 = 1 << 12;
/// Ticks that a plain run takes in the time of one step of a walk, about.
const STEP_COST: u64 = 64;
/// Steps of the first attempt at a head; each failure doubles them.
const FIRST_STEPS: u64 = 1 << 8;
/// Bound on the doubling.
const DOUBLINGS: u32 = 14;

/// Drives a machine, leaping where it can. One for each run; a copy of a machine goes on with a copy.
#[derive(Clone, Default)]
pub struct Leaper {
    /// Made when the run has gone on for a while.
    heads: Option<Rc<Heads>>,
    /// Heads where attempts have failed, by number.
    resting: BTreeMap<u32, Rest>,
    /// Ticks so far.
    now: u64,
    /// The heads that are watched, one bit each, or nothing yet.
    watched: Vec<u64>,
    /// When the first of the resting heads is due.
    due: u64,
    /// Shortest time for which a head is left alone.
    rest: u64,
    leaps: u64,
}

/// A head that is left alone for a while.
#[derive(Clone, Copy, Default)]
struct Rest {
    failures: u32,
    until: u64,
}

impl Leaper {
    /// A leaper for a new run.
    pub fn new() -> Self {
        Self { due: WARM_UP, rest: WARM_UP, ..Self::default() }
    }

    /// A leaper that tries at every loop head from the start, whatever that costs.
    pub fn eager() -> Self {
        Self::default()
    }

    /// Number of leaps so far.
    pub fn leaps(&self) -> u64 {
        self.leaps
    }

    /// As [`Machine::run`].
    pub fn run<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        oracle: &mut dyn Oracle,
        observer: &mut O,
        output: &mut dyn Write,
        budget: &mut Budget,
    ) -> Run {
        machine.stops.fill(0);
        let step = self.step(machine, oracle, observer, output, budget);
        machine.ended(step)
    }

    /// As [`Machine::step`]. The code must be compiled with [`super::Markers::Heads`] or [`super::Markers::Locations`]; otherwise there are no leaps.
    pub fn step<O: Observer>(
        &mut self,
        machine: &mut Machine<'_>,
        oracle: &mut dyn Oracle,
        observer: &mut O,
        output: &mut dyn Write,
        budget: &mut Budget,
    ) -> Step {
        if machine.failure.is_some() || machine.state.code.heads.is_empty() {
            return machine.step(oracle, observer, output, budget);
        }
        let own = std::mem::take(&mut machine.stops);
        let pause = loop {
            let stops = if self.watched.is_empty() {
                Cow::Borrowed(&own)
            } else {
                Cow::Owned(union(&own, &self.watched))
            };
            let mut slice = budget.child(self.due.saturating_sub(self.now).max(1));
            let pause = exec::execute(machine, &stops, oracle, observer, output, &mut slice);
            self.now += slice.spent();
            budget.absorb(&slice);
            match pause {
                Pause::Budget(Stop::Ticks) if !budget.is_spent() => {
                    machine.state.last_calls = machine.state.config.last_calls;
                    self.watch(machine);
                }
                Pause::Location(number) => {
                    if is_set(&self.watched, number) && !is_set(&own, number) {
                        if let Err(stop) = self.try_leap(machine, &own, number, budget) {
                            break Pause::Budget(stop);
                        }
                    } else {
                        break Pause::Location(number);
                    }
                }
                pause => break pause,
            }
        };
        machine.stops = own;
        machine.after(pause)
    }

    /// Looks at which heads are to be watched now.
    fn watch(&mut self, machine: &Machine<'_>) {
        let heads =
            self.heads.get_or_insert_with(|| Rc::new(Heads::new(machine.state.program, machine.state.code)));
        self.watched = heads.bits().to_vec();
        self.due = u64::MAX;
        for (number, rest) in &self.resting {
            if rest.until > self.now {
                self.watched[*number as usize / 64] &= !(1 << (number % 64));
                self.due = self.due.min(rest.until);
            }
        }
    }

    /// Leaps from a head if it can.
    fn try_leap(
        &mut self,
        machine: &mut Machine<'_>,
        own: &[u64],
        number: u32,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let Some(heads) = &self.heads else { return Ok(()) };
        let (proc, head) = machine.state.code.locations[number as usize];
        let failures = self.resting.get(&number).map_or(0, |rest| rest.failures);
        // Without rest the attempts are many, so they stay short.
        let doublings = if self.rest == 0 { 0 } else { failures.min(DOUBLINGS) };
        let steps = FIRST_STEPS << doublings;
        let (leap, used) = find(machine, heads, own, (proc, head), steps);
        let cost = used * STEP_COST;
        let gain = leap.as_ref().map_or(0, |leap| leap.rounds);
        if let Some(leap) = leap {
            leap.perform(machine);
            if machine.state.code.tail_calls.entered.contains(&proc)
                && head == machine.state.program.procs[proc].entry
                && let Some(frame) = machine.state.frames.last_mut()
            {
                frame.replaced = frame.replaced.saturating_add(usize::try_from(gain).unwrap_or(usize::MAX));
            }
            self.leaps += 1;
        }
        if gain < i128::from(cost) {
            let until = self.now + (cost * 4).min(self.rest << DOUBLINGS).max(self.rest << doublings);
            self.resting.insert(number, Rest { failures: failures + 1, until });
            self.watch(machine);
        } else {
            self.resting.remove(&number);
        }
        self.now += used;
        budget.charge(used)
    }
}

/// Where a leap ends.
struct Leap {
    values: Vec<(Key, Value)>,
    rounds: i128,
}

impl Leap {
    /// Puts a machine there.
    fn perform(self, machine: &mut Machine<'_>) {
        for (key, value) in self.values {
            match key {
                Key::Var(var) => machine.set(var, value),
                Key::Cell(cell) => cell.write(&mut machine.state.memory, value),
            }
        }
    }
}

/// The leap from a head, and the steps that it took to find it.
fn find(
    machine: &Machine<'_>,
    heads: &Heads,
    stops: &[u64],
    (proc, head): (ProcId, Loc),
    steps: u64,
) -> (Option<Leap>, u64) {
    let view = machine.view();
    let state = &machine.state;
    let mut walker = Walker { view, state, heads, stops, steps, demands: Vec::new(), level: 0 };
    let leap = walker.start(proc, head).and_then(|start| {
        let repetition = walker.repetition(Home { proc, head, activation: Activation::Present }, &start)?;
        let rounds = repetition.rounds.as_constant()?;
        let mut values = Vec::new();
        for (key, change) in &repetition.changes {
            let before = walker.present(*key)?.as_constant()?;
            let after = before.checked_add(change.checked_mul(rounds)?)?;
            values.push((*key, Value::int(walker.ty(*key)?, after)));
        }
        Some(Leap { values, rounds })
    });
    (leap, steps - walker.steps)
}

fn union(own: &[u64], watched: &[u64]) -> Vec<u64> {
    own.iter().enumerate().map(|(word, bits)| bits | watched.get(word).copied().unwrap_or(0)).collect()
}
