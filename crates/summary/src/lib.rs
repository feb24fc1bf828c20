//! Path summaries by algebraic program analysis.
//!
//! Knows no engine and no tree.

pub mod polyhedron;
pub mod print;
pub mod star;
pub mod target;

pub use star::{Star, StarOptions, StarStatistics, Starrer};
pub use target::{Over, Reach, Summaries};
