//! From a test of the prepared program to a trace of the program as given.

use base::Budget;
use cfa::CheckKind;
use interp::{Chosen, Config, Outcome, Resource, Tracking, Uninitialised, run_with};
use passes::{Objects, Prepared};
use verdict::Trace;

/// Why a test of the prepared program is no trace of the program as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReplayed {
    /// Its calls are nested more deeply than an execution may be. In the prepared program they may be a loop.
    TooDeep,
    /// It does not reach the error.
    Otherwise,
}

/// The trace of the program as given that answers like a test, if it reaches the error.
pub fn on_original(
    task: &Prepared<'_>,
    choices: &[Chosen],
    budget: &mut Budget,
) -> Result<Trace, NotReplayed> {
    // A trace that does not depend on uninitialised values is better evidence. Where reading them is a violation, there is no other.
    let is_violation = task.given().is_violation(CheckKind::Uninitialised);
    let modes = [Some(Uninitialised::Report), (!is_violation).then_some(Uninitialised::Choose)];
    let mut why = NotReplayed::Otherwise;
    let trace = modes.into_iter().flatten().find_map(|mode| {
        let mut replay = |objects: Objects| {
            let mut oracle = task.choices_back(choices).with(objects);
            let config = Config { tracking: Tracking::Creators, ..Config::default() };
            let run = run_with(task.given(), mode, config, &mut oracle, &mut std::io::sink(), budget);
            if matches!(run.outcome, Outcome::Resource { what: Resource::CallDepth, .. }) {
                why = NotReplayed::TooDeep;
            }
            (Trace::of(run), oracle.objects())
        };
        match replay(Objects::AsChosen) {
            (None, 2..) => replay(Objects::Distinct).0,
            (trace, _) => trace,
        }
    });
    trace.ok_or(why)
}
