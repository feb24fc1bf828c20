//! Follows executions of C programs in the program that the pass `promote` makes of them ([`testkit::lockstep`]).
//!
//! `promote --seeds FIRST COUNT` does that for random programs, and writes those that cannot be followed to the folder of `--store`; `promote --show SEED` prints one; `promote FILE.c...` does that for files, with some random inputs each; `--ilp32`, `--wrap`, `--overflow` (an error), `--calls` (procedures stay) and `--unroll` choose how, `--print` shows both programs.
#![allow(clippy::print_stdout)]

use cfa::{DataModel, SignedOverflow};
use passes::promote_explained;
use testkit::lockstep::{Form, Inputs, Tally, follow, law, prepared, program, setting};
use testkit::verdicts::Dialect;

/// Executions of one file.
const RUNS: u64 = 40;
/// Steps of an execution.
const MAX_STEPS: usize = 20_000;

fn seeds(first: u64, count: u64, store: Option<&String>) -> usize {
    let mut tally = Tally::default();
    let mut failures = 0;
    for seed in first..first + count {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(seed, &mut tally)));
        let what = match result {
            Ok(Ok(())) => continue,
            Ok(Err(what)) => what,
            Err(_) => "panics".to_owned(),
        };
        failures += 1;
        println!("seed {seed} {:?}: {what}", setting(seed));
        if let Some(folder) = store {
            let file = std::path::Path::new(folder).join(format!("seed{seed}.c"));
            if let Err(error) = std::fs::write(&file, program(seed)) {
                eprintln!("{}: {error}", file.display());
            }
        }
    }
    println!("{count} programs from {first}, {failures} failures: {tally:?}");
    failures
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str, distance: usize| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + distance)
    };
    let number = |text: Option<&String>| text.and_then(|text| text.parse().ok());
    if let Some(seed) = number(after("--show", 1)) {
        return print!("{}", program(seed));
    }
    if let (Some(first), Some(count)) = (number(after("--seeds", 1)), number(after("--seeds", 2))) {
        std::process::exit(i32::from(seeds(first, count, after("--store", 1)) > 0));
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let data_model = if has("--ilp32") { DataModel::Ilp32 } else { DataModel::Lp64 };
    let signed_overflow = match () {
        () if has("--wrap") => SignedOverflow::Wrap,
        () if has("--overflow") => SignedOverflow::Error,
        () => SignedOverflow::Undefined,
    };
    let form = match () {
        () if has("--calls") => Form::Calls,
        () if has("--unroll") => Form::Unrolled,
        () => Form::Inlined,
    };
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
            match follow(&given, &new, &mut Inputs::new(seed), MAX_STEPS) {
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
