//! Functions in the style of libraries, each started by itself: tests/functions.
//!
//! A line `// NAME VERDICT [OPTIONS]` of a file says what is true of a function and how it is started. `open` is for what is not decided yet. A verdict may become unknown on a slow
//! machine, but never another one. Every counterexample that has a harness is confirmed by the compiled program: the law is that interpreter and harness start alike.

use std::fs;
use std::process::Command;

use crate::support::{Finished, command, root};

/// A function that is started.
struct Start {
    file: String,
    name: String,
    verdict: String,
    options: Vec<String>,
}

fn starts() -> Vec<Start> {
    let folder = root().join("tests/functions");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut found = Vec::new();
    for file in files {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let mut words = line.strip_prefix("// ").unwrap_or_default().split(' ').map(str::to_owned);
            let (Some(name), Some(verdict)) = (words.next(), words.next()) else { continue };
            if matches!(&*verdict, "safe" | "unsafe") {
                let file = file.display().to_string();
                found.push(Start { file, name, verdict, options: words.collect() });
            }
        }
    }
    found
}

#[test]
fn functions_have_the_verdicts_that_their_files_state() {
    let has_compiler = Command::new("cc").arg("--version").output().is_ok();
    let mut complaints = Vec::new();
    for Start { file, name, verdict, options } in starts() {
        let words = ["check", &file, "--entry", &name, "--check", "none", "--timeout", "60"];
        let finished: Finished = command().args(words).args(&options).output().unwrap().into();
        let code = if verdict == "safe" { 0 } else { 10 };
        if finished.code != code {
            complaints.push(format!("{file}: {name} should be {verdict}\n{}", finished.stdout));
        }
        let is_judged = finished.stdout.contains("checked: compiled and executed, the program ends in");
        if verdict == "unsafe" && has_compiler && !is_judged {
            complaints.push(format!("{file}: {name} has no harness\n{}", finished.stdout));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
