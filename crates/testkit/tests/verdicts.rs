//! Random programs with known verdicts: no engine is wrong about any, crashes, or offers evidence that fails its check.
//!
//! `WAYPROOF_VERDICTS=5000` runs that many programs of each kind instead of a few, and `WAYPROOF_VERDICTS_SEED=1000` other ones.

use std::time::Duration;

use testkit::require::Requirement;
use testkit::verdicts::checked::Compiled;
use testkit::verdicts::{Limit, Programs, Settings, Summary, run};

/// Ticks of one run: the 100 programs take some ten seconds, and 80 of 100 runs are decided.
const TICKS: u64 = 2_000;
/// So many of 100 runs are decided, at least. Ticks do not depend on the machine, so neither does this.
const MIN_DECIDED: u64 = 70;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn settings(kind: Programs, count: u64, ticks: u64) -> Settings {
    Settings {
        kind,
        count: setting("WAYPROOF_VERDICTS", count),
        first_seed: setting("WAYPROOF_VERDICTS_SEED", 1_000_000),
        limit: Limit::Ticks(ticks),
        others: 1,
        variants: 1,
        only: None,
        store: None,
        reduction: 100,
    }
}

/// Of 100 runs, how many are decided.
fn decided(summary: &Summary) -> u64 {
    let runs: u64 = summary.counts.values().map(|counts| counts.runs).sum();
    let decided: u64 = summary.counts.values().map(|counts| counts.safe + counts.unsafe_).sum();
    eprintln!("{decided} of {runs} runs decided, {:?}", summary.counts);
    decided * 100 / runs.max(1)
}

#[test]
fn no_check_of_a_program_about_memory_has_a_wrong_verdict() {
    if let Err(reason) = Compiled::find() {
        return Requirement::Gcc.skip(&reason);
    }
    let summary = run(&settings(Programs::Memory, 24, 2_000), &mut |_, _| {}).unwrap();
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
    assert!(summary.executed > summary.safe + summary.unsafe_, "{summary:?}");
    assert!(decided(&summary) >= 25, "{summary:?}");
}

/// A violation of one check was found in the search for another, and what was proved beyond it was said to hold.
#[test]
fn a_check_that_has_failed_does_not_hold_later() {
    let given = settings(Programs::Memory, 1, 2_000);
    let limit = Limit::Time(Duration::from_millis(800));
    let given =
        Settings { first_seed: 95_000_201, count: 1, only: Some("impact".to_owned()), limit, ..given };
    let summary = run(&given, &mut |_, _| {}).unwrap();
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
}

#[test]
fn no_check_of_a_program_about_arrays_has_a_wrong_verdict() {
    let summary = run(&settings(Programs::Arrays, 40, 3_000), &mut |_, _| {}).unwrap();
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
    assert!(summary.safe > 0 && summary.unsafe_ > 0, "{summary:?}");
    assert!(decided(&summary) >= 50, "{summary:?}");
}

#[test]
fn no_engine_is_wrong() {
    let settings = settings(Programs::Control(None), 100, TICKS);
    let summary = run(&settings, &mut |_, _| {}).unwrap();
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
    let programs = summary.safe + summary.unsafe_;
    assert!(programs * 10 >= settings.count * 9, "only {programs} programs");
    assert!(summary.safe * 4 >= programs && summary.unsafe_ * 4 >= programs, "{summary:?}");
    assert!(decided(&summary) >= MIN_DECIDED, "{summary:?}");
}
