//! Path summaries by algebraic program analysis.
//!
//! Knows no engine and no tree.

mod gas;
pub mod graph;
pub mod polyhedron;
pub mod print;
pub mod star;
pub mod target;
pub mod transition;

pub use graph::{Arc, ArcId, Graph, Point, PointId};
pub use star::{Star, StarOptions, StarStatistics, Starrer};
pub use target::{Over, Reach, Summaries};
pub use transition::TransitionFormula;
