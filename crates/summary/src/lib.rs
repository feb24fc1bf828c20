//! Path summaries by algebraic program analysis.
//!
//! Knows no engine and no tree.

mod continuations;
pub mod elements;
pub mod joint;
pub mod polyhedron;
pub mod print;
pub mod single_target;
pub mod star;
pub mod starts;

pub use single_target::{Reach, Summaries, iteration, relation_to_target};
pub use star::{Star, StarOptions, StarStatistics, Stars};
