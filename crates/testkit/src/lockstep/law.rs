//! The law on one random program.

use std::collections::BTreeMap;

use cfa::{DataModel, SignedOverflow};
use interp::Outcome;
use passes::promote_explained;

use super::{Followed, Form, Inputs, follow, prepared};
use crate::memory::{Length, memory_program};
use crate::verdicts::Dialect;

/// Executions of one program.
const RUNS: u64 = 6;
/// Steps of an execution.
const MAX_STEPS: usize = 4000;

/// How the program of a seed is read, and in which form it comes to the pass.
pub fn setting(seed: u64) -> (Dialect, Form) {
    let data_model = if seed % 3 == 2 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let signed_overflow = match seed / 3 % 4 {
        0 => SignedOverflow::Wrap,
        1 => SignedOverflow::Error,
        _ => SignedOverflow::Undefined,
    };
    let form = match seed / 2 % 5 {
        0 | 1 => Form::Calls,
        2 => Form::Unrolled,
        _ => Form::Inlined,
    };
    (Dialect { data_model, signed_overflow }, form)
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Executions by the way in which they ended.
    pub ends: BTreeMap<&'static str, usize>,
    /// Values that the new programs left open.
    pub open: usize,
    /// Steps.
    pub steps: usize,
}

impl Tally {
    fn add(&mut self, followed: &Followed) {
        let end = match followed.outcome {
            Outcome::Returned | Outcome::Exit { .. } | Outcome::Halted { .. } => "returned",
            Outcome::Error { .. } => "error",
            Outcome::Undefined { .. } => "undefined",
            Outcome::Unsupported { .. } => "unsupported",
            _ => "limit",
        };
        *self.ends.entry(end).or_default() += 1;
        self.open += followed.open;
        self.steps += followed.steps;
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    memory_program(seed, if seed.is_multiple_of(4) { Length::Short } else { Length::Long })
}

/// Follows some executions of the program of a seed.
pub fn law(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let (dialect, form) = setting(seed);
    let given = prepared(&program(seed), dialect, form)?;
    let new = promote_explained(&given);
    if let Err(defects) = new.program.verify() {
        return Err(format!("not a program: {}", defects[0]));
    }
    for run in 0..RUNS {
        let followed = follow(&given, &new, &mut Inputs::new(seed * RUNS + run), MAX_STEPS)
            .map_err(|what| format!("inputs {run}: {what}"))?;
        tally.add(&followed);
    }
    Ok(())
}
