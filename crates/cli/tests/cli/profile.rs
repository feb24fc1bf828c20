//! `check --profile`.

use std::fs;

use serde_json::Value;

use crate::support::{Folder, wayproof};

/// The trace of a check, and its exit code.
fn profile(folder: &Folder, options: &[&str]) -> (i32, Value) {
    let file = folder.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
         int n = __VERIFIER_nondet_int();\n  int i = 0;\n  while (i < n) i++;\n  if (n > 0 && i != n) reach_error();\n}\n",
    );
    let trace = folder.path().join("trace.json");
    let finished = wayproof(
        [&["check", file.to_str().unwrap(), "--profile", trace.to_str().unwrap()], options].concat(),
    );
    let text = fs::read_to_string(&trace).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    (finished.code, serde_json::from_str(&text).unwrap())
}

#[test]
fn a_profile_has_nested_stages_and_the_queries_in_them() {
    let folder = Folder::new("profile");
    let (code, trace) = profile(&folder, &[]);
    assert_eq!(code, 0);
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut queries = 0;
    for event in trace["traceEvents"].as_array().unwrap() {
        let name = event["name"].as_str().unwrap();
        match event["ph"].as_str().unwrap() {
            "B" => {
                open.push(name);
                seen.push(name);
            }
            "E" => assert_eq!(open.pop(), Some(name)),
            "X" => {
                queries += 1;
                assert!(!open.is_empty());
                assert!(event["args"]["nodes"].as_u64().unwrap() > 0);
                assert!(["sat", "unsat", "unknown"].contains(&event["args"]["answer"].as_str().unwrap()));
            }
            other => panic!("unexpected {other}"),
        }
    }
    assert!(open.is_empty());
    assert!(queries > 3, "{queries}");
    for stage in ["front end", "engine", "passes", "encoding", "summary", "search", "certification"] {
        assert!(seen.contains(&stage), "{stage} should be among {seen:?}");
    }
}

#[test]
fn a_profile_does_not_change_the_statistics() {
    let folder = Folder::new("profile-statistics");
    let file = folder.file("b.c", fs::read(crate::support::root().join("examples/safe_loop.c")).unwrap());
    let numbers = |options: &[&str]| {
        let finished =
            wayproof([&["check", file.to_str().unwrap(), "--stats", "--format", "json"], options].concat());
        let report: Value = serde_json::from_str(&finished.stdout).unwrap();
        (
            report["verdict"].clone(),
            report["statistics"]["ticks"].clone(),
            report["statistics"]["solver queries"].clone(),
        )
    };
    let trace = folder.path().join("trace.json");
    assert_eq!(numbers(&[]), numbers(&["--profile", trace.to_str().unwrap()]));
}

#[test]
fn a_profile_that_cannot_be_written_loses_no_verdict() {
    let folder = Folder::new("profile-unwritable");
    let file = folder.file("c.c", "int main(void) { return 0; }\n");
    let finished = wayproof(["check", file.to_str().unwrap(), "--profile", "/dev/full"]);
    assert!(finished.stdout.starts_with("SAFE"), "{finished:?}");
    assert_eq!(finished.code, 6);
    assert!(finished.stderr.contains("/dev/full"), "{finished:?}");
}
