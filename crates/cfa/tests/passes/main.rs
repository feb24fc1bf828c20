//! Passes: what they make of small programs, and that they keep the meaning of random ones.

mod generate;
mod laws;
mod pointsto;
mod shapes;
