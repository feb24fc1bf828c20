//! Follows executions of C programs in the program that the pass `promote` makes of them ([`testkit::lockstep`]).
//!
//! `promote FILE.c...` does that for files, with some random inputs each; `--ilp32`, `--wrap` and `--calls` (procedures stay) choose how, `--print` shows both programs.

use cfa::{DataModel, SignedOverflow};
use passes::promote_explained;
use testkit::lockstep::{Form, Inputs, follow, prepared};
use testkit::verdicts::Dialect;

/// Executions of one file.
const RUNS: u64 = 40;
/// Steps of an execution.
const MAX_STEPS: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let data_model = if has("--ilp32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    let signed_overflow = if has("--wrap") { SignedOverflow::Wrap } else { SignedOverflow::Undefined };
    let form = if has("--calls") { Form::Calls } else { Form::Inlined };
    let mut failures = 0;
    for file in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                continue;
            }
        };
        let given = match prepared(&text, Dialect { data_model, signed_overflow }, form) {
            Ok(given) => given,
            Err(message) => {
                eprintln!("{file}: {message}");
                continue;
            }
        };
        let new = promote_explained(&given);
        if has("--print") {
            println!("{}\n=====\n{}", cfa::text::print(&given), cfa::text::print(&new.program));
        }
        let mut ends: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for seed in 0..RUNS {
            match follow(&given, &new, &mut Inputs::new(&[], seed), MAX_STEPS) {
                Ok(followed) => *ends.entry(followed.outcome.to_string()).or_default() += 1,
                Err(what) => {
                    println!("{file}: seed {seed}: {what}");
                    failures += 1;
                    break;
                }
            }
        }
        println!("{file}: {ends:?}");
    }
    std::process::exit(i32::from(failures > 0));
}
