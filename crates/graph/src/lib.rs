//! What engines search: the graph of cut points of a procedure, the direction of approximations, and the abstract reachability tree.
//!
//! Knows no solver, no summaries and no engine.

pub mod cells;
pub mod cut;
pub mod direction;
pub mod elements;
pub mod tree;

pub use cut::{Arc, ArcId, Graph, Point, PointId};
pub use direction::{Over, Under};
pub use tree::{NodeId, Status, Tree};
