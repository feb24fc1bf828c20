//! Tests of stars: what each domain proves, laws and soundness on random small loops, of single domains and of all together.

mod decompositions;
mod domain_laws;
mod domains;
mod generate;
mod laws;
mod runs;
