//! Passes: what they make of small programs, and that they keep the meaning of random ones.

// Expectations are written by expect-test; helpers of tests may fail like tests.
#![allow(clippy::needless_raw_string_hashes, clippy::unwrap_used)]

mod checks;
mod choices;
mod elements;
mod generate;
mod hand_back;
mod laws;
mod overflow;
mod pointsto;
mod recursion;
mod shapes;
mod sliced;
