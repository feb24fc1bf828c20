//! Random programs with known verdicts: no engine is wrong about any, crashes, or offers evidence that fails its check.
//!
//! `WAYPROOF_VERDICTS=5000` runs that many programs instead of 200, and `WAYPROOF_VERDICTS_SEED=1000` other ones.

use testkit::verdicts::{Limit, Settings, run};

/// Ticks of one run: the 200 programs take a few seconds, and 86 of 100 runs are decided.
const TICKS: u64 = 300_000;
/// So many of 100 runs are decided, at least. Ticks do not depend on the machine, so neither does this.
const MIN_DECIDED: u64 = 75;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_engine_is_wrong() {
    let settings = Settings {
        count: setting("WAYPROOF_VERDICTS", 200),
        first_seed: setting("WAYPROOF_VERDICTS_SEED", 1_000_000),
        limit: Limit::Ticks(TICKS),
        others: 1,
        variants: 1,
        only: None,
        store: None,
        reduction: 100,
    };
    let summary = run(&settings, &mut |_, _| {}).unwrap();
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
    let programs = summary.safe + summary.unsafe_;
    assert!(programs * 10 >= settings.count * 9, "only {programs} programs");
    assert!(summary.safe * 4 >= programs && summary.unsafe_ * 4 >= programs, "{summary:?}");
    let runs: u64 = summary.counts.values().map(|counts| counts.runs).sum();
    let decided: u64 = summary.counts.values().map(|counts| counts.safe + counts.unsafe_).sum();
    println!("{decided} of {runs} runs decided, {:?}", summary.counts);
    assert!(decided * 100 >= runs * MIN_DECIDED, "{decided} of {runs} runs decided: {summary:?}");
}
