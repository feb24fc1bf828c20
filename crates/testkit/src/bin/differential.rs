//! Compares `wayproof run` with gcc on generated programs.
//!
//! ```text
//! differential --wayproof PATH [--count N] [--seed S] [--model LP64|ILP32] [--csmith]
//!              [--threads N] [--limit SECONDS] [--shrink N] [--save FOLDER]
//! ```
//! Exit code 0: no mismatch (or skipped, with the reason), 1: usage, 10: mismatches.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use testkit::Model;
use testkit::compiler::Compiler;
use testkit::differential::{self, Executable, Mismatch, Settings, Source};

struct Arguments {
    settings: Settings,
    model: Model,
    wayproof: PathBuf,
    shrink: usize,
    save: Option<PathBuf>,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut settings = Settings {
        count: 100,
        first_seed: 0,
        source: Source::Own,
        limit: Duration::from_secs(20),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let (mut model, mut wayproof, mut shrink, mut save) = (Model::Lp64, None, 0, None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
        match word.as_str() {
            "--count" => settings.count = number(value()?)?,
            "--seed" => settings.first_seed = number(value()?)?,
            "--threads" => settings.threads = number(value()?)? as usize,
            "--limit" => settings.limit = Duration::from_secs(number(value()?)?),
            "--shrink" => shrink = number(value()?)? as usize,
            "--csmith" => settings.source = Source::Csmith,
            "--model" => {
                let name = value()?;
                model = Model::parse(&name).ok_or(format!("{name} is not a data model"))?;
            }
            "--wayproof" => wayproof = Some(PathBuf::from(value()?)),
            "--save" => save = Some(PathBuf::from(value()?)),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    let wayproof = wayproof.ok_or("--wayproof PATH is missing".to_owned())?;
    Ok(Arguments { settings, model, wayproof, shrink, save })
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("differential: {message}");
            return ExitCode::from(1);
        }
    };
    let compiler = match Compiler::find(arguments.model) {
        Ok(compiler) => compiler,
        Err(reason) => {
            println!("{} skipped: {reason}", arguments.model.name());
            return ExitCode::SUCCESS;
        }
    };
    if arguments.settings.source == Source::Csmith
        && let Some(reason) = differential::csmith_missing()
    {
        println!("csmith skipped: {reason}");
        return ExitCode::SUCCESS;
    }
    let subject = Executable { path: arguments.wayproof.clone() };
    let start = Instant::now();
    let summary = differential::compare(&arguments.settings, &compiler, &subject);
    for mismatch in &summary.mismatches {
        report(mismatch, &arguments, &compiler, &subject);
    }
    for (seed, reason) in &summary.skipped {
        println!("seed {seed}: not judged: {}", reason.lines().next().unwrap_or_default());
    }
    println!(
        "{}: {} agreed, {} mismatches, {} not judged, {:.1} s",
        arguments.model.name(),
        summary.agreed,
        summary.mismatches.len(),
        summary.skipped.len(),
        start.elapsed().as_secs_f64()
    );
    // Only programs of csmith may run too long; an own program gcc cannot judge is a defect of the generator.
    let judged = summary.skipped.is_empty() || arguments.settings.source == Source::Csmith;
    if judged && summary.mismatches.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(10) }
}

/// Prints a mismatch and stores its program, made smaller on demand.
fn report(mismatch: &Mismatch, arguments: &Arguments, compiler: &Compiler, subject: &Executable) {
    println!("seed {}: {:?}", mismatch.seed, mismatch.difference);
    println!("  gcc:      {:?} {:?}", mismatch.expected.stdout.trim(), mismatch.expected.end);
    println!("  wayproof: {:?} {:?}", mismatch.actual.stdout.trim(), mismatch.actual.end);
    let mut text = mismatch.program.text.clone();
    if arguments.shrink > 0 {
        text = differential::shrink_mismatch(mismatch, compiler, subject, arguments.shrink);
    }
    if let Some(folder) = &arguments.save {
        let file = folder.join(format!("mismatch-{}-{}.c", arguments.model.name(), mismatch.seed));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &text));
        match written {
            Ok(()) => println!("  stored in {}", file.display()),
            Err(error) => println!("  cannot be stored in {}: {error}", file.display()),
        }
    } else if arguments.shrink > 0 {
        println!("{text}");
    }
}
