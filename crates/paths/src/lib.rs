//! Paths through the graph of a procedure: their formulas, why they are dead ends, tests that follow them, and the confirmation of counterexamples.
//!
//! Every engine that looks at single paths starts from here. Knows no engine.

mod confirm;
mod contents;
mod elements;
mod execution;
mod formula;
mod interpolate;
mod preimage;
mod replay;

use smt::Why;
use verdict::Reason;

pub use confirm::{Confirmation, Tests, confirm, script};
pub use contents::{Contents, cells_of, open_arrays};
pub use execution::{Ending, Execution, Halt, Plan, Runner, Script, Test, plan_of};
pub use formula::PathFormula;
pub use interpolate::{Excluded, Interpolator, Space, Strength};
pub use preimage::{Exactness, Preimage, preimage, readable};
pub use replay::{NotReplayed, on_original};

/// The solver's failure as a reason.
pub fn gave_up(why: Why) -> Reason {
    match why {
        Why::Stopped(stop) => Reason::Stopped(stop),
        why => Reason::SolverGaveUp { why: why.to_string() },
    }
}
