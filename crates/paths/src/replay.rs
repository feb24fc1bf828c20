//! From a test of the prepared program to a trace of the program as given.

use base::Budget;
use interp::{Chosen, Config, Outcome, Tracking, Uninitialised, run_with};
use passes::Prepared;
use verdict::{Trace, Violation};

/// The trace of the program as given that answers like a test, if it reaches the error.
pub fn on_original(task: &Prepared<'_>, choices: &[Chosen], budget: &mut Budget) -> Option<Trace> {
    // A trace that does not depend on uninitialised values is better evidence.
    [Uninitialised::Report, Uninitialised::Choose].into_iter().find_map(|mode| {
        let mut oracle = task.choices_back(choices);
        let config = Config { tracking: Tracking::Creators, ..Config::default() };
        let run = run_with(task.given(), mode, config, &mut oracle, &mut std::io::sink(), budget);
        let Outcome::Error { region, property } = run.outcome else { return None };
        Some(Trace { violation: Violation { property, region, stack: run.stack }, choices: run.choices })
    })
}
