//! Tests on random small loops.

mod generate;
mod laws;
mod runs;
