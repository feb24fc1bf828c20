//! Files of an earlier run do not pass for results of this one, however it ends.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Finished, Folder, command, with_assertions};

const BUG: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { if (__VERIFIER_nondet_int() == 7) { reach_error(); } return 0; }
";

/// The beginning of a witness.
const WITNESS: &str =
    "- entry_type: violation_sequence\n  metadata:\n    producer:\n      name: \"Wayproof\"\n";

/// Where `check` is asked to write.
const FILES: [&str; 18] = [
    "--witness",
    "w.yml",
    "--harness",
    "h.c",
    "--testcase",
    "t",
    "--report",
    "r.html",
    "--output",
    "json=o.json",
    "--output",
    "sarif=o.sarif",
    "--output",
    "svcomp=o.txt",
    "--output",
    "github=o.gh",
    "--output",
    "human=o.human",
];
const EVIDENCE: [&str; 4] = ["w.yml", "h.c", "t/metadata.xml", "t/test-1.xml"];
const REPORTS: [&str; 5] = ["o.json", "o.sarif", "o.txt", "o.gh", "o.human"];

fn check(folder: &Folder, words: &[&str]) -> Finished {
    command()
        .current_dir(folder.path())
        .args(with_assertions(["check"].iter().chain(words).chain(&FILES)))
        .output()
        .unwrap()
        .into()
}

/// A folder with a program and all results of its check.
fn checked(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("bug.c", BUG);
    let finished = check(&folder, &["bug.c", "--no-exec"]);
    assert_eq!(finished.code, 10, "{finished:?}");
    for file in EVIDENCE.iter().chain(&REPORTS) {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    folder
}

fn read(folder: &Folder, file: &str) -> String {
    fs::read_to_string(folder.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// No evidence is left, and every report says what this run has to say.
fn expect_reports(folder: &Folder, verdict: &str, words: &str) {
    for file in EVIDENCE {
        assert!(!folder.path().join(file).exists(), "{file} is left");
    }
    let json: serde_json::Value = serde_json::from_str(&read(folder, "o.json")).unwrap();
    assert_eq!(json["verdict"], verdict, "{json}");
    let sarif: serde_json::Value = serde_json::from_str(&read(folder, "o.sarif")).unwrap();
    assert!(sarif["runs"][0]["results"].as_array().is_none_or(Vec::is_empty), "{sarif}");
    assert!(read(folder, "o.txt").ends_with("RESULT: unknown\n"), "{}", read(folder, "o.txt"));
    for file in ["o.gh", "o.human", "o.txt"] {
        assert!(read(folder, file).contains(words), "{file}: {}", read(folder, file));
    }
}

#[test]
fn a_verdict_without_evidence_leaves_none_of_an_earlier_one() {
    let folder = checked("stale-safe");
    folder.file("bug.c", BUG.replace("== 7", "!= 7 && 0"));
    let finished = check(&folder, &["bug.c"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(read(&folder, "w.yml").contains("invariant_set"));
    for file in &EVIDENCE[1..] {
        assert!(!folder.path().join(file).exists(), "{file} is left");
    }
}

#[test]
fn an_error_replaces_the_reports() {
    let folder = checked("stale-error");
    folder.file("bug.c", "int main(void) { return x; }\n");
    let finished = check(&folder, &["bug.c"]);
    assert_eq!(finished.code, 2, "{finished:?}");
    expect_reports(&folder, "error", "undeclared identifier `x`");
    assert!(!folder.path().join("r.html").exists());
    for (words, code) in [
        (["bug.c", "--engine", "steam"].as_slice(), 1),
        (&["gone.c"], 1),
        (&["-p", "gone.json"], 1),
        (&["bug.c", "--property", "gone.prp"], 1),
    ] {
        folder.file("w.yml", WITNESS);
        folder.file("o.json", "{\n  \"schema\": \"wayproof-report\",\n  \"verdict\": \"safe\"\n}\n");
        let finished = check(&folder, words);
        assert_eq!(finished.code, code, "{words:?}: {finished:?}");
        assert!(!folder.path().join("w.yml").exists(), "{words:?}");
        assert!(read(&folder, "o.json").contains("\"error\""), "{words:?}");
    }
}

/// A compiler that never comes back, so that only the watchdog can end a run.
fn hanging_compiler(folder: &Folder) -> String {
    let path = folder.file("cc", "#!/bin/sh\nexec sleep 30\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    folder.file("bug.c", format!("#define SEVEN 7\n{BUG}"));
    path.display().to_string()
}

#[test]
fn the_time_limit_replaces_the_reports() {
    let folder = checked("stale-time");
    let compiler = hanging_compiler(&folder);
    let mut command = command();
    command.current_dir(folder.path()).env("CC", compiler);
    let finished: Finished = command
        .args(["check", "--check", "none", "bug.c", "--timeout", "0.2"])
        .args(FILES)
        .output()
        .unwrap()
        .into();
    assert_eq!(finished.code, 5, "{finished:?}");
    expect_reports(&folder, "unknown", "time limit");
    assert!(read(&folder, "r.html").contains("UNKNOWN"));
}

#[test]
fn an_interruption_replaces_the_reports_and_a_kill_leaves_nothing() {
    let folder = checked("stale-signal");
    let compiler = hanging_compiler(&folder);
    for signal in ["-INT", "-KILL"] {
        folder.file("w.yml", WITNESS);
        let mut command = command();
        command.current_dir(folder.path()).env("CC", &compiler).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.args(["check", "--check", "none", "bug.c"]).args(FILES).spawn().unwrap();
        let started = Instant::now();
        while folder.path().join("w.yml").exists() && started.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
        // The first thing that happens is that old files go; soon after it signals are heard.
        std::thread::sleep(Duration::from_millis(300));
        let number = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &number]).status().unwrap().success());
        let status = child.wait().unwrap();
        if signal == "-INT" {
            assert_eq!(status.code(), Some(5));
            expect_reports(&folder, "unknown", "interrupted");
        } else {
            for file in EVIDENCE.iter().chain(&REPORTS) {
                assert!(!folder.path().join(file).exists(), "{file} is left");
            }
        }
    }
}

#[test]
fn inputs_are_not_written_over() {
    let folder = Folder::new("stale-inputs");
    folder.file("bug.c", BUG);
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let task = "format_version: '2.0'\ninput_files: 'bug.c'\nproperties:\n  - property_file: p.prp\n";
    folder.file("task.yml", task);
    for words in [
        ["bug.c", "--harness", "bug.c"].as_slice(),
        &["bug.c", "--output", "json=./bug.c"],
        &["task.yml", "--harness", "bug.c"],
        &["task.yml", "--witness", "task.yml"],
        &["task.yml", "--report", "p.prp"],
        &["bug.c", "--property", "p.prp", "--tree", "p.prp"],
    ] {
        let output = command()
            .current_dir(folder.path())
            .args(with_assertions(["check"].iter().chain(words)))
            .output()
            .unwrap();
        let finished = Finished::from(output);
        assert_eq!(finished.code, 1, "{words:?}: {finished:?}");
        assert!(finished.stderr.contains("which is an input"), "{words:?}: {}", finished.stderr);
    }
    assert_eq!(fs::read_to_string(folder.path().join("bug.c")).unwrap(), BUG);
    // What is no harness is not taken for an old one.
    folder.file("mine.c", "int mine;\n");
    let output = command()
        .current_dir(folder.path())
        .args(["check", "--check", "none", "bug.c", "--harness", "mine.c"])
        .output();
    assert_eq!(Finished::from(output.unwrap()).code, 1);
    assert!(Path::new(&folder.path().join("mine.c")).exists());
}
