//! What every other crate uses: dense ids and persistent maps from them, source positions, diagnostics, budgets, the timeline and the counts of a run.
//!
//! Knows no logic and no C.

pub mod budget;
pub mod census;
pub mod diagnostic;
pub mod index;
pub mod persistent;
pub mod source;
pub mod timeline;

pub use budget::{Budget, Cancel, Stop};
pub use diagnostic::{Cause, Diagnostic, Label, Severity};
pub use index::{Idx, IndexVec};
pub use persistent::PersistentMap;
pub use source::{FileId, Owner, Region, SourceFile, SourceMap, Span};
