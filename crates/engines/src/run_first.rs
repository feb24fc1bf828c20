//! Tries the only execution of a program before an engine works, and again with larger budgets in turn with the engine.
//!
//! A program without inputs has one execution. Carrying it out decides it, whatever is in it: long loops, memory, recursion. Nothing else does as
//! cheaply, so every engine of the registry starts with it. Whether there is only one execution turns out on the way: the run ends
//! where an arbitrary value matters, and then it is never tried again.
//!
//! ```text
//!   run FIRST_RUN ticks     ended or violated: decided      an arbitrary value: the engine, without limit
//!   engine, SLICE ticks     decided: done                   gave up: a last run
//!   run RUN ticks           and so on, both doubled each time
//! ```
//!
//! A program whose inputs have few values that matter is decided in the same way, by carrying out all its executions (`certify::exhaust`). Where a recursion takes too long,
//! the loops that the passes make of it may not: a function that calls itself twice takes exponential time, the loop linear time.
//! Of a program with arrays some executions are tried, too ([`crate::sample`]).
//!
//! A run starts from the beginning each time, and so does the engine: neither keeps memory while the other works, and all of it takes at most
//! about twice as long as the last round.
//!
//! # Invariants
//! * I1: what decides who works next is counted in ticks, so the verdict does not depend on the clock.
//! * I2: an engine's refusal is reported only after a run of [`LAST_RUN`] ticks did not decide the program, or has met an arbitrary value.

use base::{Budget, Stop, timeline};
use certify::{Execution, Exhaustion, FEW_VALUES, MOST_VALUES};
use cfa::{Op, Program, Source};
use engine::{Engine, Env, Settings};
use passes::Prepared;
use verdict::{Proof, Reason, Verdict};

use crate::sample::{STEPS_OF_A_TICK, sample};

/// Ticks of the first run: hundredths of a second.
const FIRST_RUN: u64 = 1 << 22;
/// Ticks of the second run; each further one has twice as many.
const RUN: u64 = 1 << 27;
/// Ticks of the engine's first attempt; each further one has twice as many. A tick of an engine, mostly of its solver, is worth 2^15 of a run or so.
const SLICE: u64 = 1 << 10;
/// The same if the program asks for inputs after the passes: most of these have many executions, even if the first steps of all are the same.
const SLICE_WITH_INPUTS: u64 = 1 << 15;
/// Ticks of the run after an engine that has nothing more to say: half a minute.
const LAST_RUN: u64 = 1 << 32;

/// Ticks for all executions of a program whose inputs have few values that matter: tenths of a second.
const FEW_RUNS: u64 = 1 << 25;

/// Ticks for all executions of a program with one input of many values: a run takes 2^12 at least, and a second or so if it is all used.
const MANY_RUNS: u64 = (1 << 28) + (1 << 25);

/// An engine behind a run of the only execution.
pub(crate) struct RunFirst {
    /// Makes a fresh engine for each attempt.
    pub(crate) configure: fn(&Settings) -> Box<dyn Engine>,
    /// Its settings.
    pub(crate) settings: Settings,
}

impl Engine for RunFirst {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let program = task.given();
        let mut run = FIRST_RUN;
        let mut slice = if has_inputs(task.program()) { SLICE_WITH_INPUTS } else { SLICE };
        loop {
            match attempt(program, run, &mut env.logic.budget) {
                Attempt::Settled(verdict) => return verdict,
                Attempt::Hopeless => return self.among_many(task, env),
                Attempt::TooShort => {}
            }
            if run == FIRST_RUN
                && let Some(verdict) = unwound(task, &mut env.logic.budget)
            {
                return verdict;
            }
            if env.logic.budget.is_spent() {
                return Verdict::Unknown(Reason::Stopped(Stop::Ticks));
            }
            match self.within(slice, task, env) {
                (Verdict::Unknown(reason), Effort::Enough) => {
                    return match attempt(program, LAST_RUN, &mut env.logic.budget) {
                        Attempt::Settled(verdict) => verdict,
                        Attempt::Hopeless | Attempt::TooShort => Verdict::Unknown(reason),
                    };
                }
                (Verdict::Unknown(_), Effort::Short) => {}
                (verdict, _) => return verdict,
            }
            run = run.saturating_mul(2).max(RUN);
            slice = slice.saturating_mul(2);
        }
    }
}

/// Whether an engine that does not know had enough ticks to find out that it does not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Enough,
    Short,
}

impl RunFirst {
    /// Decides a program with several executions: by carrying them out if they are few, else by the engine.
    fn among_many(&self, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        // Where the passes have found that nothing can fail, an endless execution need not be carried out.
        if task.program().procs.iter().all(|procedure| procedure.error.is_none()) {
            return self.work(task, env);
        }
        let first = all(task.given(), FEW_VALUES, FEW_RUNS, &mut env.logic.budget);
        if let Few::Decided(verdict) = first {
            return verdict;
        }
        if let Some(verdict) = unwound(task, &mut env.logic.budget) {
            return verdict;
        }
        if let Some(trace) = sample(task, &mut env.logic.budget) {
            return Verdict::Unsafe(trace);
        }
        let verdict = self.work(task, env);
        if matches!((&verdict, &first), (Verdict::Unknown(_), Few::TooLong))
            && env.logic.budget.poll().is_ok()
            && let Few::Decided(decided) = all(task.given(), FEW_VALUES, LAST_RUN, &mut env.logic.budget)
        {
            return decided;
        }
        verdict
    }

    /// Lets a fresh engine work.
    fn work(&self, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        (self.configure)(&self.settings).solve(task, env)
    }

    /// Lets a fresh engine work for a number of ticks. What an attempt leaves behind that was too short is forgotten, but for what it has spent.
    fn within(&self, ticks: u64, task: &Prepared<'_>, env: &mut Env<'_>) -> (Verdict, Effort) {
        let mut slice = env.share(env.logic.budget.child(ticks));
        let verdict = self.work(task, &mut slice);
        let slice = slice.logic.budget;
        env.logic.budget.absorb(&slice);
        // The last question of an engine may have been refused before it took all that was left, and an engine that runs short may give up instead of being stopped.
        let ran_short =
            verdict == Verdict::Unknown(Reason::Stopped(Stop::Ticks)) || slice.spent() >= ticks / 2;
        if matches!(verdict, Verdict::Unknown(_)) && ran_short && env.logic.budget.poll().is_ok() {
            env.events.restart();
            return (verdict, Effort::Short);
        }
        (verdict, Effort::Enough)
    }
}

/// Whether a program asks for inputs.
fn has_inputs(program: &Program) -> bool {
    let is_input = |op: &Op| matches!(op, Op::Havoc { source, .. } if !matches!(source, Source::Uninitialised | Source::Guess(_)));
    program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops).any(is_input)
}

/// What the executions of a program showed, within the first limits.
#[derive(Debug)]
pub enum Tried {
    /// They decide it.
    Decided(Verdict),
    /// There is one, but it takes longer: an engine that tries it should go on.
    OneTooLong,
    /// They are few, but they take longer.
    FewTooLong,
    /// They do not decide it.
    Open,
}

/// Tries the only execution of a program, or all of them if they are few.
pub fn try_executions(task: &Prepared<'_>, budget: &mut Budget) -> Tried {
    match attempt(task.given(), FIRST_RUN, budget) {
        Attempt::Settled(verdict) => return Tried::Decided(verdict),
        Attempt::TooShort => return Tried::OneTooLong,
        Attempt::Hopeless => {}
    }
    // Where the passes have found that nothing can fail, an endless execution need not be carried out.
    if task.program().procs.iter().all(|procedure| procedure.error.is_none()) {
        return Tried::Open;
    }
    match all(task.given(), FEW_VALUES, FEW_RUNS, budget) {
        Few::Decided(verdict) => Tried::Decided(verdict),
        Few::TooLong => Tried::FewTooLong,
        Few::Open => Tried::Open,
    }
}

/// Carries out all executions of a program with one input of many values, as an engine.
pub(crate) struct ManyExecutions;

impl Engine for ManyExecutions {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let budget = &mut env.logic.budget;
        let cancel = budget.cancel_flag().clone();
        let mut steps = Budget::unlimited().with_deadline(budget.deadline()).with_cancel(cancel);
        let found = all(task.given(), MOST_VALUES, MANY_RUNS, &mut steps);
        // If no tick is left, whoever asks for the next one is told.
        let _ = budget.charge(steps.spent() / STEPS_OF_A_TICK);
        match found {
            Few::Decided(verdict) => verdict,
            Few::TooLong | Few::Open => Verdict::Unknown(Reason::NotProgressing),
        }
    }
}

/// What carrying out all executions showed.
enum Few {
    Decided(Verdict),
    /// They are few, but it takes longer.
    TooLong,
    /// They are many, or cannot all be carried out.
    Open,
}

fn all(program: &Program, most: usize, ticks: u64, budget: &mut Budget) -> Few {
    let _stage = timeline::stage("executions");
    let mut allowance = budget.child(ticks);
    let exhaustion = certify::exhaust(program, most, &mut allowance);
    budget.absorb(&allowance);
    match exhaustion {
        Exhaustion::Safe { executions, .. } => Few::Decided(Verdict::Safe(Proof::Executions(executions))),
        Exhaustion::Violated(trace) => Few::Decided(Verdict::Unsafe(trace)),
        Exhaustion::TooLong => Few::TooLong,
        Exhaustion::Open => Few::Open,
    }
}

/// Carries out all executions of the program in which recursions are loops. Only a proof is of use: the inputs of a violation are those of another program.
fn unwound(task: &Prepared<'_>, budget: &mut Budget) -> Option<Verdict> {
    match all(task.unwound()?, FEW_VALUES, FEW_RUNS, budget) {
        Few::Decided(Verdict::Safe(Proof::Executions(count))) => {
            Some(Verdict::Safe(Proof::UnwoundExecutions(count)))
        }
        Few::Decided(_) | Few::TooLong | Few::Open => None,
    }
}

/// What a run of the only execution showed.
enum Attempt {
    /// It has come to its end, or the clock or the user has ended the work.
    Settled(Verdict),
    /// It has not come to its end.
    TooShort,
    /// There is more than one execution, or the interpreter cannot carry it out.
    Hopeless,
}

fn attempt(program: &Program, ticks: u64, budget: &mut Budget) -> Attempt {
    let _stage = timeline::stage("execution");
    let mut allowance = budget.child(ticks);
    let execution = certify::execute(program, &mut allowance);
    budget.absorb(&allowance);
    match execution {
        Execution::Ended(end) => Attempt::Settled(Verdict::Safe(Proof::Execution(end))),
        Execution::Violated(trace) => Attempt::Settled(Verdict::Unsafe(trace)),
        Execution::Undecided(Reason::Stopped(Stop::Ticks)) => Attempt::TooShort,
        Execution::Undecided(Reason::Stopped(stop @ (Stop::Deadline | Stop::Cancelled))) => {
            Attempt::Settled(Verdict::Unknown(Reason::Stopped(stop)))
        }
        Execution::Arbitrary { .. } | Execution::Undecided(_) => Attempt::Hopeless,
    }
}
