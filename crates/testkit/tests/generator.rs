//! The generator keeps its promise: no undefined behaviour, one result whatever the optimiser does.
//!
//! `WAYPROOF_GENERATOR_CHECKS=300` checks that many programs per data model instead of a few, and
//! `WAYPROOF_GENERATOR_SEED=1000` other ones.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use testkit::compiler::{Compiler, Mode};
use testkit::differential::options_for;
use testkit::process::End;
use testkit::require::Requirement;
use testkit::{Model, generate_program};

/// What is wrong with the program of the seed, if anything.
fn defect(seed: u64, compiler: &Compiler) -> Option<String> {
    let program = generate_program(seed, &options_for(seed, compiler.model()));
    let run = |mode| compiler.run_program(&program, mode).expect("gcc was found, so it should start");
    let reference = run(Mode::Plain);
    if !matches!(reference.end, End::Code(0..=63)) || !reference.stderr.is_empty() {
        return Some(format!("{reference:?}"));
    }
    let checksum = reference.stdout.strip_suffix('\n').map(str::parse::<u64>);
    if !matches!(checksum, Some(Ok(_))) {
        return Some(format!("no checksum: {reference:?}"));
    }
    [Mode::Sanitized, Mode::Optimised].into_iter().find_map(|mode| {
        let other = run(mode);
        (other != reference).then(|| format!("{mode:?} differs: {reference:?} {other:?}"))
    })
}

fn check(model: Model) {
    let compiler = match Compiler::probe(model, Mode::Sanitized) {
        Ok(compiler) => compiler,
        Err(reason) => {
            let requirement = match model {
                Model::Lp64 => Requirement::Gcc,
                Model::Ilp32 => Requirement::Gcc32,
            };
            return requirement.skip(&reason);
        }
    };
    let setting = |name, default| {
        let text = std::env::var(name).ok();
        text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let (first, count) = (setting("WAYPROOF_GENERATOR_SEED", 0), setting("WAYPROOF_GENERATOR_CHECKS", 12));
    let next = AtomicU64::new(first);
    let defects = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        return;
                    }
                    if let Some(text) = defect(seed, &compiler) {
                        defects.lock().expect("no thread should panic").push(format!("seed {seed}: {text}"));
                    }
                }
            });
        }
    });
    let defects = defects.into_inner().expect("no thread should panic");
    assert!(defects.is_empty(), "{} {}:\n{}", defects.len(), model.name(), defects.join("\n"));
}

#[test]
fn programs_for_lp64_have_one_meaning() {
    check(Model::Lp64);
}

#[test]
fn programs_for_ilp32_have_one_meaning() {
    check(Model::Ilp32);
}
