//! Verdicts and the evidence that they carry: proofs, traces, reasons, and what a verdict rests on.
//!
//! An engine returns a [`Verdict`]; crate certify re-checks its evidence. SOUNDNESS.md says what a verdict means.
//!
//! Knows no engine and no solver.

mod annotation;
pub mod contract;
pub mod formula;
mod ledger;
mod reason;
pub mod store;
mod vectors;
mod verdict;

pub use annotation::{Annotation, Instance, Invariant};
pub use encode::LogicName;
pub use formula::{Claim, Formula, Imported, Misfit, import, import_into};
pub use ledger::{Assumption, Ledger};
pub use reason::{Claimed, Reason, Rounded};
pub use verdict::{Bounded, End, Proof, Trace, Verdict, Violation};
