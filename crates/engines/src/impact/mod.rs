//! Lazy abstraction with interpolants.
//!
//! # Paper
//! [Impact06], and [Gps25] §7 (RQ 2), where it is compared. It is the search of GPS with nothing that guides it and no tests: every path is feasible
//! until a query at the error shows that it is not, and interpolants of infeasible paths label the tree.

use crate::gps::explore::Expand;
use crate::gps::try_cover::TryCover;
use crate::gps::{Gps, Strategies};
use crate::guide::Guidance;

/// The engine.
pub(crate) fn impact() -> Gps {
    Gps(Strategies { guidance: Guidance::Anything, cover: &TryCover, testing: Box::new(Expand) })
}
