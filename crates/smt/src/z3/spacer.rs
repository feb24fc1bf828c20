//! Spacer of the linked Z3, as a second opinion on Horn clauses.

use std::time::Duration;

use z3::{Context, Params, SatResult, Solver};

use super::contain::contain;

/// What Spacer says about a system of Horn clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpacerAnswer {
    /// It has a solution.
    Sat,
    /// It has none.
    Unsat,
    /// It is not known.
    Unknown(String),
}

/// Asks Spacer about a system, which is given as text of SMT-LIB: nothing of our own reader is in between.
pub fn spacer(text: &str, limit: Option<Duration>) -> SpacerAnswer {
    let answer = contain(|| {
        let _context = Context::thread_local();
        let Some(solver) = Solver::new_for_logic("HORN") else {
            return SpacerAnswer::Unknown("there is no solver for Horn clauses".to_owned());
        };
        if let Some(limit) = limit {
            let mut parameters = Params::new();
            parameters.set_u32("timeout", u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
            solver.set_params(&parameters);
        }
        solver.from_string(text);
        // What Z3 cannot read leaves no assertion behind, and no message either.
        if solver.get_assertions().is_empty() {
            return SpacerAnswer::Unknown("Z3 reads no clause".to_owned());
        }
        match solver.check() {
            SatResult::Sat => SpacerAnswer::Sat,
            SatResult::Unsat => SpacerAnswer::Unsat,
            SatResult::Unknown => {
                SpacerAnswer::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason".to_owned()))
            }
        }
    });
    answer.unwrap_or_else(SpacerAnswer::Unknown)
}
