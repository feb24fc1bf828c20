//! Verdicts, the evidence that they carry, and the check that this evidence must pass.
//!
//! An engine returns a [`Verdict`]; [`certify`] re-checks its evidence against the program alone and returns a
//! [`Certified`] verdict, the only kind that is ever reported. SOUNDNESS.md says what a verdict means.
//!
//! Knows no engine.

mod annotation;
mod certify;
mod correctness;
mod execution;
mod exhaust;
mod invariants;
mod ledger;
mod shrink;
pub mod store;
mod verdict;

pub use annotation::{Annotation, Invariant};
pub use certify::{Certified, Check, certify, check_choices};
pub use correctness::checks_as_invariants;
pub use execution::{Execution, execute};
pub use exhaust::{Exhaustion, exhaust};
pub use invariants::{READING_TICKS, SourceInvariant, source_invariants};
pub use ledger::{Assumption, Ledger};
pub use shrink::{Shrinking, certify_smallest};
pub use verdict::{End, Proof, Reason, Trace, Verdict, Violation};
