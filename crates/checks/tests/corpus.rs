//! The programs of tests/corpus/checks: no check has a wrong verdict, and those that are marked as decided are.
//!
//! A file starts with comments: `// expect: safe`, or `// expect: unsafe KIND LINE` if exactly that check fails; and `// decided: yes` if that is found out within
//! [`MAX_TICKS`]: all checks hold, or the one fails. A program that is no longer decided is a regression; one that is should be marked. `UPDATE_CORPUS=1` writes the
//! lines anew: review the difference.

// Helpers of tests may fail like tests.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use base::Budget;
use certify::Certified;
use cfa::{CheckKind, SignedOverflow};
use checks::{Audit, Goal, Inputs, Judge, NoEarlier, Plan, State, audit};
use engine::{Env, Recorder, Settings};
use passes::{Owner, Prepared};

/// Ticks for one program.
const MAX_TICKS: u64 = 1 << 24;

/// Nobody objects.
struct Nobody;

impl Judge for Nobody {
    fn judge(&mut self, _: &Prepared<'_>, certified: Certified, _: &mut Budget) -> Certified {
        certified
    }
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/checks");
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    found.sort();
    found
}

/// The value of a header line.
fn header<'a>(text: &'a str, key: &str, path: &Path) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("{}: there is no line `// {key}: ...`", path.display()))
}

fn verdicts(path: &Path) -> Audit {
    let mut options = cfront::Options::new(cfa::DataModel::Lp64);
    options.lower.signed_overflow = SignedOverflow::Error;
    let is_wanted = |kind: &CheckKind| !matches!(kind, CheckKind::Assertion | CheckKind::SignedOverflow);
    options.lower.checks = CheckKind::ALL.into_iter().filter(is_wanted).collect();
    let input =
        cfront::Input::Text { name: path.display().to_string(), text: fs::read(path).unwrap().into() };
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let program = passes::separate(&program);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(MAX_TICKS), &recorder);
    let settings = Settings::default();
    let engine = engines::find("gps").unwrap();
    let passes = passes::PipelineConfig::default();
    let plan = Plan { engine, settings: &settings, passes, goal: Goal::Each, inputs: Inputs::AsFound };
    audit(&program, &plan, &mut NoEarlier, &mut Nobody, &mut env)
}

/// The complaints about one program.
fn check(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let (expected, marked) = (header(&text, "expect", path), header(&text, "decided", path));
    let audit = verdicts(path);
    let mut failing = Vec::new();
    let mut is_open = false;
    for (check, state) in audit.iter() {
        match state {
            State::Fails(_) => failing.push(format!("unsafe {} {}", check.kind.code(), check.place.line)),
            State::Open(_) if check.owner == Owner::Model && check.kind == CheckKind::Assertion => {}
            State::Open(_) => is_open = true,
            State::Holds(_) => {}
        }
    }
    // What is lost is not freed either.
    if failing.iter().any(|one| one.starts_with("unsafe lost-memory")) {
        failing.retain(|one| !one.starts_with("unsafe leak"));
    }
    let mut complaints = Vec::new();
    let is_decided = match failing.as_slice() {
        [] => expected == "safe" && !is_open,
        [one] if one == expected => true,
        wrong => {
            complaints.push(format!("{}: {}, not {expected}", path.display(), wrong.join(", ")));
            false
        }
    };
    let decided = if is_decided { "yes" } else { "no" };
    if decided != marked {
        if std::env::var_os("UPDATE_CORPUS").is_some() {
            let (old, new) = (format!("// decided: {marked}\n"), format!("// decided: {decided}\n"));
            fs::write(path, text.replacen(&old, &new, 1)).unwrap();
        } else {
            complaints.push(format!("{}: decided: {decided}", path.display()));
        }
    }
    complaints
}

#[test]
fn every_check_of_the_corpus_has_the_right_verdict_or_none() {
    let programs = programs();
    assert!(programs.len() >= 60);
    let halves = programs.split_at(programs.len() / 2);
    let complaints: Vec<String> = thread::scope(|scope| {
        let threads = [halves.0, halves.1]
            .map(|half| scope.spawn(|| half.iter().flat_map(|path| check(path)).collect::<Vec<_>>()));
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
