//! Path summaries by algebraic program analysis.
//!
//! Knows no engine and no tree.

pub mod graph;
pub mod polyhedron;
pub mod transition;

pub use graph::{Arc, ArcId, Graph, Point, PointId};
pub use transition::TransitionFormula;
