//! Prints one generated program: `generate SEED [ILP32] [floats] [nondet] [small|large]`.
#![allow(clippy::print_stdout)]

use testkit::{Model, Options, Size, generate};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let seed = words.first().and_then(|word| word.parse().ok()).unwrap_or(0);
    let options = Options {
        model: if has("ILP32") { Model::Ilp32 } else { Model::Lp64 },
        floats: has("floats"),
        nondet: has("nondet"),
        size: if has("small") {
            Size::Small
        } else if has("large") {
            Size::Large
        } else {
            Size::Medium
        },
    };
    print!("{}", generate(seed, &options));
}
