//! Prints the program the differential driver makes for a seed: `generate SEED [LP64|ILP32]`.
#![allow(clippy::print_stdout)]

use testkit::differential::options_for;
use testkit::{Model, generate};

fn main() {
    let mut words = std::env::args().skip(1);
    let seed = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let model = words.next().and_then(|word| Model::parse(&word)).unwrap_or(Model::Lp64);
    print!("{}", generate(seed, &options_for(seed, model)));
}
