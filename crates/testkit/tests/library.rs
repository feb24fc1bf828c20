//! The generator of programs that call the C library: it keeps its promises, and gcc judges all of its programs.
//!
//! `WAYPROOF_LIBRARY=500` looks at that many programs instead of a few, and `WAYPROOF_LIBRARY_SEED=1000` at other ones.
//! The verdicts of the tool about such programs are compared by the binary `library`, which needs the tool's executable.

use std::collections::BTreeSet;

use testkit::library::{Judge, Kinds, Truth, sample};
use testkit::require::Requirement;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_program_has_a_truth() {
    let judge = match Judge::find() {
        Ok(judge) => judge,
        Err(reason) => return Requirement::Gcc.skip(&reason),
    };
    let first = setting("WAYPROOF_LIBRARY_SEED", 0);
    let count = setting("WAYPROOF_LIBRARY", 40);
    let mut functions = BTreeSet::new();
    let mut truths = [0, 0];
    for seed in first..first + count {
        let sample =
            sample(seed, &Kinds::All, &judge).unwrap_or_else(|reason| panic!("seed {seed}: {reason}"));
        let lines = sample.text.lines().count();
        assert!((8..=90).contains(&lines), "seed {seed}: {lines} lines\n{}", sample.text);
        functions.extend(sample.functions());
        match sample.truth {
            Truth::Safe => truths[0] += 1,
            Truth::Unsafe => truths[1] += 1,
            Truth::Open => {}
        }
    }
    assert!(functions.len() >= 20, "{functions:?}");
    assert!(truths.iter().all(|&programs| programs * 4 >= count), "{truths:?}");
}

#[test]
fn a_program_depends_on_its_seed_alone() {
    let judge = match Judge::find() {
        Ok(judge) => judge,
        Err(reason) => return Requirement::Gcc.skip(&reason),
    };
    let text = |seed| sample(seed, &Kinds::All, &judge).map(|sample| sample.text);
    assert_eq!(text(3), text(3));
    assert_ne!(text(3), text(4));
}
