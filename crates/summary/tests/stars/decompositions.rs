//! The laws of stars that are made by one decomposition without domains: K1 and K2 of `summary::star` hold of it by itself.

use crate::generate::{Summarised, count, decomposable_text, summarise_with};
use crate::laws::{Tally, check_loops};
use crate::runs::possible;
use summary::StarOptions;
use summary::star::{DECOMPOSITIONS, Decomposition};

/// Programs for each decomposition.
const PROGRAMS: u64 = 6;

/// The laws of one decomposition. It should change the stars of at least `least` programs.
#[allow(clippy::print_stdout)] // the tally, for `--nocapture`
fn check_decomposition(name: &str, least: u64) {
    let decompositions: &'static [&'static dyn Decomposition] =
        DECOMPOSITIONS.chunks(1).find(|one| one[0].name() == name).expect("the decomposition is in the list");
    let options = StarOptions { domains: &[], decompositions, ..StarOptions::default() };
    let without = StarOptions { decompositions: &[], ..options };
    let programs = count("WAYPROOF_LAWS", PROGRAMS);
    let first = count("WAYPROOF_SEED", 0);
    let (mut tally, mut used) = (Tally::default(), 0);
    for seed in first..first + programs {
        let text = decomposable_text(name, seed);
        let context = format!("decomposition {name}, program {seed}\n{text}");
        let mut summarised = summarise_with(&text, options);
        let plain = summarise_with(&text, without);
        check_loops(&mut summarised, &mut tally, &context);
        let sizes = |of: &Summarised| -> Vec<usize> {
            let stars = of.summaries.stars().values();
            stars.map(|star| of.terms.reachable(&[star.pruning().formula.guard]).len()).collect()
        };
        used += u64::from(sizes(&summarised) != sizes(&plain));
    }
    println!("{name}: used in {used} of {programs} programs, {tally:?}");
    if programs >= PROGRAMS {
        assert!(used >= least, "{name} was used in {used} programs only");
        assert!(tally.held > 10 * tally.open, "{name}: {tally:?}");
    }
}

#[test]
fn unrolling_satisfies_the_laws() {
    check_decomposition("unrolling", 4);
}

#[test]
fn events_satisfy_the_laws() {
    check_decomposition("events", 4);
}

#[test]
fn phases_satisfy_the_laws() {
    check_decomposition("phases", 4);
}

#[test]
fn splits_at_wrap_around_satisfy_the_laws() {
    check_decomposition("wrap-around", 4);
}

#[test]
fn periods_satisfy_the_laws() {
    check_decomposition("period", 4);
}

/// Whether the summary of a program says that the error is not reached.
fn is_excluded(text: &str, options: StarOptions) -> bool {
    let summarised = summarise_with(text, options);
    let entry = summarised.graph.points.ids().next().expect("the entry is the first point");
    let reach = summarised.summaries.reach(entry).pruning().formula;
    !possible(&summarised, reach, &term::Model::new())
}

#[test]
fn periods_exclude_an_error_that_nothing_else_excludes() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
         extern void reach_error(void);\nint main(void) {\n\
         int n = __VERIFIER_nondet_int(), i = 0, first = __VERIFIER_nondet_uchar(), x = first, y = 7, even = 0;\n\
         while (i < n) { int t = x; x = y; y = t; if (i % 2 == 0) even = even + 1; i = i + 1; }\n\
         if (i % 2 == 0 && x != first && even >= 0) reach_error();\nreturn 0; }\n";
    let others: &'static [&'static dyn Decomposition] = &DECOMPOSITIONS[..DECOMPOSITIONS.len() - 1];
    assert_eq!(DECOMPOSITIONS[others.len()].name(), "period");
    assert!(is_excluded(text, StarOptions::default()));
    assert!(!is_excluded(text, StarOptions { decompositions: others, ..StarOptions::default() }));
}
