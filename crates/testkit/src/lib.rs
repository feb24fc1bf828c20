//! Test helpers for the other crates: random C programs, mutated inputs, the task corpus.
//!
//! Does not know: any other crate of the workspace. What is tested is passed in as a closure or as the path
//! of an executable.

mod generate;
mod random;

pub use generate::{Model, Options, Program, Size, generate, generate_program};
pub use random::Random;
