//! Verdicts, the evidence that they carry, and the check that this evidence must pass.
//!
//! An engine returns a [`Verdict`]; [`certify`] re-checks its evidence against the program alone and returns a
//! [`Certified`] verdict, the only kind that is ever reported. SOUNDNESS.md says what a verdict means.
//!
//! Knows no engine.

mod certify;
mod execution;
mod ledger;
mod verdict;

pub use certify::{Certified, Check, certify};
pub use execution::{Execution, execute};
pub use ledger::{Assumption, Ledger};
pub use verdict::{End, Proof, Reason, Trace, Verdict, Violation};
