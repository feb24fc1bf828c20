//! What makes evidence readable: invariants as expressions of C, contracts of functions, and smaller inputs. Nothing here has to be trusted: smaller inputs are certified
//! again.
//!
//! Knows no engine.

mod contracts;
mod invariants;
mod quantified;
mod shrink;

pub use contracts::{Contract, contracts};
pub use invariants::{READING_TICKS, SourceInvariant, Wording, is_inductive, source_invariants};
pub use quantified::{ForAll, quantified};
pub use shrink::{Shrinking, certify_smallest};
