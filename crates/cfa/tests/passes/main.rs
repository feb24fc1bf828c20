//! Passes: what they make of small programs, and that they keep the meaning of random ones.

// Written by expect-test.
#![allow(clippy::needless_raw_string_hashes)]

mod generate;
mod laws;
mod pointsto;
mod shapes;
