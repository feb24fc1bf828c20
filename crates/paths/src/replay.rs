//! From a test of the prepared program to a trace of the program as given.

use base::Budget;
use cfa::CheckKind;
use interp::{Chosen, Config, Tracking, Uninitialised, run_with};
use passes::{Objects, Prepared};
use verdict::Trace;

/// The trace of the program as given that answers like a test, if it reaches the error.
pub fn on_original(task: &Prepared<'_>, choices: &[Chosen], budget: &mut Budget) -> Option<Trace> {
    // A trace that does not depend on uninitialised values is better evidence. Where reading them is a violation, there is no other.
    let is_violation = task.given().is_violation(CheckKind::Uninitialised);
    let modes = [Some(Uninitialised::Report), (!is_violation).then_some(Uninitialised::Choose)];
    modes.into_iter().flatten().find_map(|mode| {
        let mut replay = |objects: Objects| {
            let mut oracle = task.choices_back(choices).with(objects);
            let config = Config { tracking: Tracking::Creators, ..Config::default() };
            let run = run_with(task.given(), mode, config, &mut oracle, &mut std::io::sink(), budget);
            (Trace::of(run), oracle.objects())
        };
        match replay(Objects::AsChosen) {
            (None, 2..) => replay(Objects::Distinct).0,
            (trace, _) => trace,
        }
    })
}
