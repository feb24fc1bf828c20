//! The check that the evidence of every verdict must pass. This crate is what `safe` and `unsafe` have to be trusted for.
//!
//! [`certify`] re-checks the evidence of a verdict against the program alone and returns a [`Certified`] verdict, the only kind that is ever
//! reported.
//!
//! Knows no engine, no summaries and no search.

mod annotation;
mod certified;
mod execution;
mod exhaust;

pub use annotation::no_calls;
pub use certified::{Certified, Check, certify, check_choices};
pub use execution::{Execution, execute};
pub use exhaust::{Exhaustion, exhaust};
