//! The engine `auto`, which is the default: who decides, on how many threads, and what is said of it.

use serde_json::Value;

use crate::support::{Folder, command};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// Programs with different verdicts and different engines that decide them.
fn programs() -> Vec<String> {
    let bodies = [
        "int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (n > 0 && i != n) reach_error();",
        "int x = 0, n = __VERIFIER_nondet_int(); while (x < n) { x = x + 1; if (x == 40) reach_error(); }",
        "int a = 1, b = 2, c = 3; while (__VERIFIER_nondet_int()) { if (a == b) reach_error(); int t = a; a = b; b = c; c = t; }",
        "unsigned x = __VERIFIER_nondet_int(), y = x; while (x > 1) { if (x % 2 == 0) x = x / 2; else x = 3 * x + 1; } if (y > 5 && x > 9) reach_error();",
    ];
    bodies.iter().map(|body| format!("{HEAD}int main(void) {{ {body} return 0; }}\n")).collect()
}

/// The report of a run, without what depends on the clock.
fn report(file: &str, folder: &Folder, more: &[&str]) -> Value {
    let words =
        ["check", "--engine", "auto", "--check", "none", "--no-exec", "--format", "json", "--stats", file];
    let output = command().current_dir(folder.path()).args(words).args(more).output().unwrap();
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let statistics = report["statistics"].as_object_mut().unwrap();
    statistics.retain(|name, _| !name.ends_with("seconds"));
    report
}

#[test]
fn threads_change_neither_verdict_nor_evidence_nor_statistics() {
    let folder = Folder::new("rounds-threads");
    for (number, program) in programs().iter().enumerate() {
        let name = format!("{number}.c");
        folder.file(&name, program);
        let one = report(&name, &folder, &[]);
        for threads in ["2", "4"] {
            assert_eq!(report(&name, &folder, &["--jobs", threads]), one, "{threads} threads: {program}");
        }
    }
}

#[test]
fn reports_say_who_has_decided() {
    let folder = Folder::new("rounds-decided");
    folder.file("a.c", &programs()[0]);
    let report = report("a.c", &folder, &[]);
    assert_eq!(report["task"]["engine"], "auto");
    assert_eq!(report["decided_by"], serde_json::json!({ "engine": "gps", "round": 1, "facts_used": [] }));
    assert_eq!(report["engines"][0]["decided"], 1);
    let words = ["check", "--engine", "auto", "--check", "none", "--no-exec", "--stats", "a.c"];
    let output = command().current_dir(folder.path()).args(words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("decided by engine `gps` in round 1\nengines:\n  gps: attempts 1, decided 1, ticks"),
        "{text}"
    );
}
