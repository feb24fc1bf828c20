//! Machine operations as formulas over the integers.
//!
//! Knows no solver and no engine.

pub mod analysis;
