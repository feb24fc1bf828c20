//! Tests of stars: what each domain proves, laws and soundness on random small loops.

mod domains;
mod generate;
mod laws;
mod runs;
