//! From a test of the prepared program to a trace of the program as given.
//!
//! The passes remove choices that do not matter and copy those of functions that are called twice. So a choice of the test answers the next question
//! with the same place in the source; questions in between get zero.

use std::collections::VecDeque;

use base::Budget;
use cfa::Program;
use interp::{Choice, Chosen, Outcome, Request, Uninitialised};
use verdict::{Trace, Violation};

/// The trace of the program as given that answers like a test, if it reaches the error.
pub fn on_original(program: &Program, choices: &[Chosen], budget: &mut Budget) -> Option<Trace> {
    // A trace that does not depend on uninitialised values is better evidence.
    [Uninitialised::Report, Uninitialised::Choose].into_iter().find_map(|mode| {
        let mut left: VecDeque<&Chosen> = choices.iter().collect();
        if mode == Uninitialised::Report {
            left.retain(|chosen| chosen.source != cfa::Source::Uninitialised);
        }
        let mut oracle = |request: &Request<'_>| Some(answer(&mut left, request));
        let run = interp::run(program, mode, &mut oracle, &mut std::io::sink(), budget);
        let Outcome::Error { region, property } = run.outcome else { return None };
        Some(Trace { violation: Violation { property, region, stack: run.stack }, choices: run.choices })
    })
}

fn answer(left: &mut VecDeque<&Chosen>, request: &Request<'_>) -> Choice {
    let matches = |chosen: &&&Chosen| chosen.region == request.region && chosen.source == *request.source;
    match left.front().filter(matches) {
        Some(chosen) => {
            let bits = chosen.value.bits;
            left.pop_front();
            Choice::Bits(bits)
        }
        None => Choice::Int(0),
    }
}
