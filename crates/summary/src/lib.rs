//! Path summaries by algebraic program analysis.
//!
//! Knows no engine and no tree.

pub mod polyhedron;
