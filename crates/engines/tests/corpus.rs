//! The programs of tests/corpus: no engine is wrong on any of them, and each decides exactly those that its line says.
//!
//! A file starts with comments: `// expect: safe` or `unsafe`, and `// engines: NAMES`, the engines that decide it within [`MAX_TICKS`] or [`ALONE_TICKS`], or `none`.
//! An engine that no longer decides a program it is named for is a regression; one that decides more should be named. `UPDATE_CORPUS=1` writes the
//! lines anew: review the difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use base::Budget;
use certify::certify;
use engine::{Env, Recorder, Settings};
use engines::ENGINES;
use passes::Prepared;
use verdict::Verdict;

/// Ticks for an engine on one program: about a second.
const MAX_TICKS: u64 = 1 << 16;
/// Ticks for an engine that works alone here: executions would take most of them. Where it finds no invariant, its questions get large, and a tick takes much
/// longer than elsewhere.
const ALONE_TICKS: u64 = 1 << 11;
/// Ticks of the check of their proofs: some have many cases, and a solver takes as long as it may.
const CHECK_TICKS: u64 = 1 << 13;
/// These engines.
const ALONE: [&str; 6] = ["bself", "bse", "kind", "bmc", "tracer", "tracer-sp"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

/// All programs, in order of their names.
fn programs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for topic in fs::read_dir(corpus()).expect("the corpus should be there") {
        let topic = topic.expect("the corpus should be readable").path();
        for file in fs::read_dir(topic).expect("a topic should be a folder") {
            let file = file.expect("a topic should be readable").path();
            // The programs about checks have a test of their own (crate checks).
            if file.parent().is_some_and(|topic| !topic.ends_with("checks")) {
                found.push(file);
            }
        }
    }
    found.sort();
    found
}

/// The value of a header line.
fn header<'a>(text: &'a str, key: &str, path: &Path) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("{}: there is no line `// {key}: ...`", path.display()))
}

/// What an engine says of a program.
fn decide(engine: &str, path: &Path) -> &'static str {
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    let text = fs::read(path).expect("the program should be readable").into();
    let input = cfront::Input::Text { name: path.display().to_string(), text };
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let spec = engines::find(engine).expect("the engine should exist");
    let task = Prepared::of(&program);
    let recorder = Recorder::default();
    let (ticks, settings, mut check) = if ALONE.contains(&engine) {
        (ALONE_TICKS, Settings::default().without_executions(), Budget::ticks(CHECK_TICKS))
    } else {
        (MAX_TICKS, Settings::default(), Budget::unlimited())
    };
    let mut env = Env::new(Budget::ticks(ticks), &recorder);
    let verdict = (spec.configure)(&settings).solve(&task, &mut env);
    match certify(&task, verdict, &mut check).verdict() {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The complaints about one program.
fn check(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("the program should be readable");
    let expected = header(&text, "expect", path);
    let named = header(&text, "engines", path);
    let mut complaints = Vec::new();
    let mut decided = Vec::new();
    // What compositions decide is what their members decide, and with the budgets of a test the first of them alone.
    for spec in ENGINES.iter().filter(|spec| !["auto", "se-bself"].contains(&spec.name)) {
        let verdict = decide(spec.name, path);
        if verdict == expected {
            decided.push(spec.name);
        } else if verdict != "unknown" {
            complaints.push(format!("{}: {} says {verdict}", path.display(), spec.name));
        }
    }
    let decided = if decided.is_empty() { "none".to_owned() } else { decided.join(" ") };
    if decided != named {
        if std::env::var_os("UPDATE_CORPUS").is_some() {
            let (old, new) = (format!("// engines: {named}\n"), format!("// engines: {decided}\n"));
            fs::write(path, text.replacen(&old, &new, 1)).expect("the program should be writable");
        } else {
            complaints.push(format!("{}: decided by {decided}, not by {named}", path.display()));
        }
    }
    complaints
}

#[test]
fn every_engine_decides_what_the_corpus_says_and_none_is_wrong() {
    let programs = programs();
    assert!(programs.len() >= 50, "{} programs", programs.len());
    // The solver's state belongs to a thread: each program has one, so that the order does not matter.
    let half = |first: usize| {
        let mut complaints = Vec::new();
        for path in programs.iter().skip(first).step_by(2) {
            let path = path.clone();
            complaints.extend(thread::spawn(move || check(&path)).join().expect("no engine should panic"));
        }
        complaints
    };
    let complaints = thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut complaints = half(0);
        complaints.extend(other.join().expect("no engine should panic"));
        complaints
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
