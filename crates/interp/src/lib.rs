//! The reference interpreter: executes programs exactly, for both data models.
//!
//! It is the judge of every counterexample and the fast path of every deterministic step. A program is compiled
//! once ([`Code`]) and then run by a [`Machine`], from its entry or from any location. Arbitrary values come from an
//! [`Oracle`] and are recorded, so that a run can be replayed.
//!
//! # Meaning
//! At a location the first edge, in order, whose leading assumptions all hold is taken; if there is none, the execution ends
//! silently. Undefined behaviour ends it with its name ([`UndefinedKind`]). Expressions mean what [`cfa::expr`] says,
//! operations what [`cfa::op`] says; in particular:
//! * an object or array is uninitialised until it is written; so is a scalar variable. What reading them means is a
//!   choice ([`Uninitialised`]). Assigning a variable to another one is no reading: it copies the lack of a value too.
//! * all objects of a procedure's activation that are still live die when it returns.
//! * what depends on where objects lie in memory is not executed: see [`guard`].
//! * a pointer never reaches an object but the one it was made for, except through a number in ILP32, where the live
//!   object at that address is meant.
//!
//! # Invariants
//! * N1: nothing of the interpreted program's nesting is on the native stack.
//! * N2: one program, one oracle: one run. No step depends on the clock, on addresses of the host or on hash order.

mod address;
mod array;
pub mod assigned;
mod bitmap;
mod bytes;
mod call;
mod checked_access;
mod code;
mod compile;
mod creators;
mod decimal;
mod elements;
mod eval;
mod exec;
mod float;
mod guard;
mod insn;
mod leap;
mod look;
mod lost;
mod machine;
mod map;
mod memory;
mod narrate;
mod observe;
mod ops;
mod oracle;
mod outcome;
mod parts;
mod printf;
mod rare_instruction;
mod tail_calls;
mod trace;
mod value;

pub use code::{Code, CompileOptions, Markers};
pub use eval::{EvalError, eval};
pub use leap::Leaper;
pub use machine::{Machine, Step};
pub use narrate::Narrator;
pub use observe::{Observer, Silent, View, Written};
pub use oracle::{
    Calls, Choice, Chosen, Creator, Held, HeldObject, Inputs, MemoryPlace, Oracle, Position, Request, Seed,
    Zero,
};
pub use outcome::{CallStack, Outcome, Resource, Run, StackEntry, UndefinedKind};
pub use printf::{Examined, Rest, TextArgument, examine};
pub use trace::{Recorder, Trace, TraceStep};
pub use value::Value;

use base::Budget;

use cfa::program::Program;

/// What reading a value that was never written means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uninitialised {
    /// It is undefined behaviour.
    #[default]
    Report,
    /// It is an arbitrary value that the oracle chooses: of a variable when it is declared, of memory and array elements
    /// when they are first read.
    Choose,
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Bytes that memory objects, arrays and saved activations may take.
    pub memory_limit: u64,
    /// Nested calls.
    pub call_depth: usize,
    /// Calls that [`CallStack`] lists.
    pub stack_entries: usize,
    /// What is remembered of objects.
    pub tracking: Tracking,
    /// What becomes of an activation whose last act is a call.
    pub last_calls: LastCalls,
}

/// What becomes of an activation whose last act is a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastCalls {
    /// It stays until the call returns: every activation is in [`Request::calls`].
    #[default]
    Stay,
    /// That of the callee takes its place once the run has gone on for a while, so that a tail recursion may be of any depth and its rounds are leapt over.
    Replaced,
}

/// What is remembered of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracking {
    /// Nothing more than their contents.
    #[default]
    Contents,
    /// Which operation made them, for [`Request::memory`].
    Creators,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            memory_limit: 2 << 30,
            call_depth: 1_000_000,
            stack_entries: 64,
            tracking: Tracking::Contents,
            last_calls: LastCalls::Stay,
        }
    }
}

impl Config {
    /// Limits for a run that nobody asks for its activations.
    pub fn unobserved() -> Self {
        Self { last_calls: LastCalls::Replaced, ..Self::default() }
    }
}

/// Runs a verified program from its entry to its end, with leaps over what repeats itself.
pub fn run(
    program: &Program,
    uninitialised: Uninitialised,
    oracle: &mut dyn Oracle,
    output: &mut dyn std::io::Write,
    budget: &mut Budget,
) -> Run {
    run_with(program, uninitialised, Config::default(), oracle, output, budget)
}

/// The same with other limits.
pub fn run_with(
    program: &Program,
    uninitialised: Uninitialised,
    config: Config,
    oracle: &mut dyn Oracle,
    output: &mut dyn std::io::Write,
    budget: &mut Budget,
) -> Run {
    let code = Code::new(program, CompileOptions { uninitialised, markers: Markers::Heads });
    let mut machine = Machine::new(program, &code, config);
    Leaper::new().run(&mut machine, oracle, &mut Silent, output, budget)
}
