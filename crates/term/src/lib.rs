//! Terms of logic: booleans, integers, bit-vectors with floating-point operations, arrays. Hash-consed, canonical, independent of any solver.
//!
//! [`Terms`] is the arena; a [`TermId`] means something only together with it. Constructors normalise: equal sums
//! are one term, `x < y` and `¬(y ≤ x)` are one atom. Everything that walks over terms does so without recursion,
//! so depth is bounded by memory alone.
//!
//! Knows no solver and no program.

mod arena;
mod arrays;
mod bitvec;
mod boolean;
mod cube;
mod evaluate;
mod float;
mod fraction;
mod implicant;
mod integer;
mod linear;
mod model;
mod nnf;
mod node;
pub mod print;
mod signature;
mod simplify;
mod sums;
mod traverse;

pub use arena::Terms;
pub use arrays::INDEX_WIDTH;
pub use bitvec::BvOp;
pub use boolean::Comparison;
pub use cube::{Constraint, Cube};
pub use evaluate::Evaluator;
pub use float::{FloatFormat, FloatOp};
pub use fraction::Fraction;
pub use integer::{Integer, ParseIntegerError};
pub use linear::Linear;
pub use model::{ArrayValue, Model, Value};
pub use node::{Node, Sort, Symbol, SymbolId, SymbolKind, TermId};
pub use traverse::Substitution;
