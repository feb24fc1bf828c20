//! The pass `promote` loses no execution: executions of random C programs with memory, and of the programs of tests/corpus, are followed in the program without memory.
//!
//! `WAYPROOF_LOCKSTEP=20000` follows that many random programs instead of 250, and `WAYPROOF_LOCKSTEP_SEED=1000` other ones. The binary `promote` does the same and shows what fails.

use std::fs;
use std::path::Path;

use cfa::{DataModel, SignedOverflow};
use passes::promote_explained;
use testkit::lockstep::{Form, Inputs, Tally, follow, law, prepared, setting};
use testkit::verdicts::Dialect;

/// Executions of a program of the corpus, and their steps.
const RUNS: u64 = 5;
const MAX_STEPS: usize = 2000;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn executions_of_random_programs_are_kept() {
    let (count, first) = (number("WAYPROOF_LOCKSTEP", 250), number("WAYPROOF_LOCKSTEP_SEED", 0));
    let mut tally = Tally::default();
    for seed in first..first + count {
        if let Err(what) = law(seed, &mut tally) {
            panic!("seed {seed} {:?}: {what}", setting(seed));
        }
    }
    println!("{count} programs: {tally:?}");
    let all: usize = tally.ends.values().sum();
    let ended = tally.ends.get("returned").copied().unwrap_or(0);
    assert!(ended * 2 > all, "only {ended} of {all} executions end: {tally:?}");
}

#[test]
fn executions_of_the_corpus_are_kept() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let dialect = Dialect { data_model: DataModel::Lp64, signed_overflow: SignedOverflow::Undefined };
    let mut complaints = Vec::new();
    for topic in ["memory", "pointers", "promotion", "arrays"] {
        for file in fs::read_dir(corpus.join(topic)).expect("the topic should be there") {
            let path = file.expect("a topic should be readable").path();
            let text = fs::read_to_string(&path).expect("a program should be readable");
            for form in [Form::Calls, Form::Inlined, Form::Unrolled] {
                let given = prepared(&text, dialect, form).expect("a program should compile");
                let new = promote_explained(&given);
                for run in 0..RUNS {
                    if let Err(what) = follow(&given, &new, &mut Inputs::new(run), MAX_STEPS) {
                        complaints.push(format!("{} {form:?} {run}: {what}", path.display()));
                    }
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
