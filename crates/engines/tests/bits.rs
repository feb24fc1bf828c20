//! The programs of tests/bits, bit tricks and floating point, are decided by bounded model checking in bits, and its proofs are certified.
//!
//! Those of tests/bits_unbounded, whose loops have no bound, are decided by the default engine: by induction in bits, or in integers.
//!
//! A file starts with a comment `// expect: safe` or `unsafe`. They are no part of the corpus, on which every engine works: engines over integers spend all that they may on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use base::Budget;
use certify::certify;
use engine::{Env, Part, Recorder, Settings};
use passes::Prepared;
use verdict::{LogicName, Proof, Verdict};

/// Ticks for one program.
const MAX_TICKS: u64 = 1 << 17;

/// Ticks within which the default engine decides what is simple in bits.
const FEW_TICKS: u64 = 1 << 14;

/// All programs of a folder, in order of their names.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
    let files = fs::read_dir(folder).expect("the programs should be there");
    let mut found: Vec<PathBuf> = files.map(|file| file.expect("a file should be readable").path()).collect();
    found.sort();
    found
}

/// What is wrong with the answer of bounded model checking in bits to one program.
fn complaint(path: &Path) -> Option<String> {
    let settings = Settings::leaving_out([Part::Integers]).without_executions();
    let (expected, verdict) = answer(path, "bmc", &settings, MAX_TICKS);
    let is_expected = match &verdict {
        Verdict::Safe(Proof::Bounded(proof)) => expected == "safe" && proof.logic == LogicName::Bits,
        Verdict::Unsafe(_) => expected == "unsafe",
        Verdict::Safe(_) | Verdict::Unknown(_) => false,
    };
    (!is_expected).then(|| format!("{}: {verdict:?}", path.display()))
}

/// The expectation of a program, and the certified answer of an engine.
fn answer(path: &Path, engine: &str, settings: &Settings, ticks: u64) -> (String, Verdict) {
    let text = fs::read_to_string(path).expect("the program should be readable");
    let expected = text.lines().find_map(|line| line.strip_prefix("// expect: ")).expect("an expectation");
    let input =
        cfront::Input::Text { name: path.display().to_string(), text: text.clone().into_bytes().into() };
    let options = cfront::Options::new(cfa::DataModel::Lp64);
    let program = cfront::compile(&[input], &options).expect("the program should compile").program;
    let task = Prepared::of(&program);
    let engine = engines::find(engine).expect("the engine should exist").create(settings);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(ticks), &recorder);
    let verdict = engine.expect("the engine should know bits").solve(&task, &mut env);
    let certified = certify(&task, verdict, &mut Budget::unlimited());
    (expected.to_owned(), certified.verdict().clone())
}

#[test]
fn bit_tricks_and_floating_point_are_decided_in_bits() {
    let programs = programs("bits");
    assert!(programs.len() >= 30, "{} programs", programs.len());
    // The solver's state belongs to a thread: each program has one, so that the order does not matter.
    let complaints = programs.into_iter().filter_map(|path| {
        thread::spawn(move || complaint(&path)).join().expect("the engine should not panic")
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_default_engine_comes_to_bits_in_time() {
    let mut paths = programs("bits_unbounded");
    paths.extend(programs("bits").into_iter().filter(|path| path.ends_with("leading_zeros.c")));
    assert!(paths.len() >= 9, "{} programs", paths.len());
    for path in paths {
        let ask = move || answer(&path, "gps", &Settings::default().without_executions(), FEW_TICKS);
        let (expected, verdict) = thread::spawn(ask).join().expect("the engine should not panic");
        let found = match verdict {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(reason) => panic!("{reason:?}"),
        };
        assert_eq!(found, expected);
    }
}
