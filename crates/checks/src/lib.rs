//! Several checks in one query: a verdict for each of them.
//!
//! # Method
//! All checks are errors of one program, and an engine looks for any of them. A violation is recorded, and from then on an execution ends where that check fails: it is
//! taken for granted that it holds, and the ledger says so. The search goes on with the rest. A proof of what is left proves it together. When the engine gives up, the open
//! checks are tried in groups and then one by one, with slices of their own ([`rounds`]).
//!
//! # Invariants
//! * A1: a check holds only by a proof that passed `certify`, of a program in which it is an error; or by its form.
//! * A2: a check fails only by a trace that passed `certify` against the program as given.
//! * A3: limits are in ticks: the same program and settings, the same answer, unless the clock ends it, or its last quarter begins before the rounds end.
//!
//! # Cost
//! One run of the engine if all checks hold, one more for each violation. If the engine gives up, the work of the rounds is a constant factor of that of the last one.

mod discharge;
mod reach;
mod rounds;

use base::Region;
use certify::Certified;
use engine::{EngineSpec, Settings};
use passes::{CheckId, Checks, PipelineConfig, Prepared};
use verdict::{Reason, Verdict};

pub use reach::{Unreached, never_called, unreached};
pub use rounds::audit;

/// When the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// When every check has its verdict.
    Each,
    /// At the first violation.
    Any,
}

/// Whether smaller inputs are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// They are.
    Smallest,
    /// The inputs are those that were found.
    AsFound,
}

/// How a program is checked.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The engine.
    pub engine: &'static EngineSpec,
    /// What is left out of it.
    pub settings: &'a Settings,
    /// The passes that prepare programs.
    pub passes: PipelineConfig,
    /// When the search ends.
    pub goal: Goal,
    /// Which inputs violations are reported with.
    pub inputs: Inputs,
}

/// Who has a veto on violations: the compiled program.
pub trait Judge {
    /// The violation with the opinion of the judge; unknown if it objects.
    fn judge(&mut self, task: &Prepared<'_>, certified: Certified, budget: &mut base::Budget) -> Certified;
}

/// Who has evidence of an earlier run.
pub trait Earlier {
    /// The verdict of this number about a program in which the violations before it are known; nothing if there are no more. It is not trusted.
    fn verdict(&mut self, number: usize, task: &Prepared<'_>, budget: &mut base::Budget) -> Option<Verdict>;
}

/// Nobody has.
pub struct NoEarlier;

impl Earlier for NoEarlier {
    fn verdict(&mut self, _: usize, _: &Prepared<'_>, _: &mut base::Budget) -> Option<Verdict> {
        None
    }
}

/// What is known about a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It holds, as the proof of this number says.
    Holds(usize),
    /// It fails, as the violation of this number shows.
    Fails(usize),
    /// Neither is known.
    Open(Reason),
}

/// A proof, and what it is about.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The proof.
    pub certified: Certified,
    /// The checks that are errors in its program.
    pub checks: Vec<CheckId>,
}

/// A violation.
#[derive(Clone, Debug)]
pub struct Violated {
    /// Which check fails.
    pub check: CheckId,
    /// The trace.
    pub certified: Certified,
}

/// The verdicts about all checks of a program.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The checks.
    pub checks: Checks,
    /// What is known about each, in their order.
    pub states: Vec<State>,
    /// The proofs, each for the program that was left when it was found.
    pub proofs: Vec<Proved>,
    /// The violations, in the order in which they were found.
    pub violations: Vec<Violated>,
    /// Number of checks that the analysis of values discharges.
    pub by_values: usize,
    /// The work of the search for smaller inputs.
    pub shrinking: explain::Shrinking,
    /// What the certification of the proofs has taken, in ticks.
    pub certification: u64,
    /// Whether all of it is from an earlier run.
    pub is_earlier: bool,
}

impl Audit {
    /// The checks with what is known about them.
    pub fn iter(&self) -> impl Iterator<Item = (&passes::Check, &State)> {
        self.checks.iter().map(|(_, check)| check).zip(&self.states)
    }
    /// The number of checks that hold.
    pub fn holding(&self) -> usize {
        self.states.iter().filter(|state| matches!(state, State::Holds(_))).count()
    }
    /// The first reason for which a check is open.
    pub fn first_open(&self) -> Option<&Reason> {
        self.states.iter().find_map(|state| match state {
            State::Open(reason) => Some(reason),
            _ => None,
        })
    }
    /// The place of a check.
    pub fn place(&self, check: CheckId) -> Region {
        self.checks.get(check).map_or(Region::NOWHERE, |check| check.place)
    }
}
