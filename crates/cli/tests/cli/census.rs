//! How often a run of `check` parses, lowers and prepares: `--stats` says it. The limits go up only with a new pass that needs the loops of a new program or who calls whom.

use crate::support::wayproof;

/// Files parsed, programs checked, programs lowered, pass pipelines, loop forests.
type Counts = [u64; 5];

const NAMES: [&str; 5] =
    ["files parsed", "programs checked", "programs lowered", "pass pipelines", "loop forests"];

/// The counts of a check.
fn counts(file: &str, options: &[&str]) -> Counts {
    let finished = wayproof([&["check", file, "--stats", "--no-exec"], options].concat());
    NAMES.map(|name| {
        let mut lines = finished.stdout.lines();
        let value = lines.find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("{name}: {finished:?}")).parse().unwrap()
    })
}

/// Fails if a count is above its limit, or if nothing was counted.
fn check(file: &str, options: &[&str], limits: Counts) {
    let counts = counts(file, options);
    assert!(counts[0] >= 1 && counts[1] >= 1 && counts[2] >= 1, "{file} {options:?}: {counts:?}");
    for ((name, count), limit) in NAMES.iter().zip(counts).zip(limits) {
        assert!(count <= limit, "{file} {options:?}: {name}: {count}, at most {limit}");
    }
}

// Of each procedure there is at most one loop forest for each form of its control flow: as given, and after each pass that changed it and whose result is
// asked for its loops (`cfa::Procedure` keeps them). The rest are forests of call graphs, one for each version of the program that a pass asks who calls whom.
#[test]
fn a_file_is_parsed_lowered_and_prepared_once() {
    check("examples/door_lock.c", &["--format", "svcomp"], [1, 1, 1, 1, 20]);
    check("examples/long_way.c", &[], [1, 1, 1, 1, 16]);
    // Invariants for readers are confirmed as formulas: no text is parsed for them.
    check("examples/door_lock.c", &[], [1, 1, 1, 1, 20]);
    check("examples/ring_buffer.c", &[], [1, 1, 1, 1, 37]);
}
