//! Random programs with known verdicts: no engine is wrong about any, crashes, or offers evidence that fails its check.
//!
//! `WAYPROOF_VERDICTS=5000` runs that many programs instead of 200, and `WAYPROOF_VERDICTS_SEED=1000` other ones.

use std::time::Duration;

use testkit::verdicts::{Settings, run};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_engine_is_wrong() {
    let settings = Settings {
        count: setting("WAYPROOF_VERDICTS", 200),
        first_seed: setting("WAYPROOF_VERDICTS_SEED", 1_000_000),
        // Most runs take a few milliseconds; those that do not are not worth more here.
        limit: Duration::from_millis(60),
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
    // Nothing is said about time here, but on a machine that is not overloaded most are decided.
    let decided: u64 = summary.counts.values().map(|counts| counts.safe + counts.unsafe_).sum();
    assert!(decided > 0, "{summary:?}");
}
