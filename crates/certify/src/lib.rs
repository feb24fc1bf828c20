//! The check that the evidence of every verdict must pass. `safe` and `unsafe` rest on this crate.
//!
//! [`certify`] re-checks the evidence of a verdict against the program alone and returns a [`Certified`] verdict, the only kind that is ever
//! reported.
//!
//! # What is trusted
//! All of this crate, which stays below a thousand lines: each file decides about some kind of evidence.
//! * crates/certify/src/certified.rs: which check belongs to which evidence, and which approximations of a program forbid which verdict.
//! * crates/certify/src/annotation.rs: which obligations make invariants a proof.
//! * crates/certify/src/bounded.rs: that a program whose executions are bounded is safe if none of them reaches the error.
//! * crates/certify/src/execution.rs and exhaust.rs: that the executions which were carried out stand for all others.
//!
//! And what these call: the standard passes (crate passes), the encoding of operations (encode, term, values), the solver (smt) and the interpreter (interp).
//! Crate verdict is data: what it imports is proved as it was imported, so neither the engine, nor the file that a proof comes from, nor the import has to be trusted.
//!
//! Knows no engine, no summaries and no search.

mod annotation;
mod bounded;
mod certified;
mod execution;
mod exhaust;

pub use annotation::{Observer, check_annotation, no_calls};
pub use bounded::check_bounded;
pub use certified::{Certified, Check, certify, check_choices};
pub use execution::{Execution, execute};
pub use exhaust::{Exhaustion, FEW_VALUES, exhaust};
pub use values::representatives::MOST_VALUES;
