//! Machine operations as formulas, in two logics ([`LogicName`]).
//!
//! Integers: a machine value is a mathematical integer inside its type's range. [`Encoder`] turns operations of a [`cfa::Program`] into
//! guards and parallel updates over such integers, exactly where linear arithmetic can, and rounded up with a recorded
//! [`Skolem`] where it cannot. Crate `values` proves most operations wrap-free beforehand. Bits: a machine value is its bits, and operations are those of the machine (folder `vectors`).
//!
//! Knows no solver and no engine.

mod arithmetic;
mod bit_forms;
mod bits;
mod boundary;
mod division;
mod elements;
mod encoder;
mod expression;
pub mod facts;
mod fold;
pub mod footprint;
pub mod join;
mod origin;
mod piece;
pub mod polynomial;
mod product;
mod sum;
mod transition;
pub mod unwind;
mod vectors;
mod vocabulary;

pub use encoder::{CallEffect, Contracts, Encoder};
pub use origin::{Origin, Rounding, Site, Skolem};
pub use piece::{Piece, Pieces};
pub use transition::Transition;
pub use vectors::float_format;
pub use vocabulary::{LogicName, Vocabulary, product_typing, typing, typing_of};
