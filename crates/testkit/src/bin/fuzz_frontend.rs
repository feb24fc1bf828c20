//! Feeds mutated task files to a front end and reports panics and hangs.
//!
//! ```text
//! fuzz_frontend --wayproof PATH [--corpus FOLDER] [--count N] [--seed S] [--threads N]
//!               [--limit SECONDS] [--store FOLDER]
//! ```
//! Each input is a file given to `wayproof parse`. Many inputs are better run in one process: call
//! `testkit::fuzz::fuzz` with the front end as the function.
//! Exit code 0: nothing found, 1: usage, 10: findings.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use testkit::fuzz::{Outcome, Settings, fuzz, read_corpus};
use testkit::process::{End, TemporaryFolder, run};
use testkit::require::bench_folder;

/// The executable and the limit; the function under test takes the input alone.
static SUBJECT: OnceLock<(PathBuf, Duration)> = OnceLock::new();

/// Files above this size would only slow the run down.
const MAX_FILE_BYTES: u64 = 200_000;

fn parse_file(text: &[u8]) -> Outcome {
    let Some((wayproof, limit)) = SUBJECT.get() else { return Outcome::Broken };
    let execution = TemporaryFolder::new().and_then(|folder| {
        let file = folder.write("input.c", text)?;
        run(Command::new(wayproof).arg("parse").arg(file), *limit * 2)
    });
    match execution.map(|execution| execution.end) {
        Ok(End::Code(0)) => Outcome::Accepted,
        // Usage errors and front-end errors; 6 is an internal error, 101 a panic.
        Ok(End::Code(1 | 2 | 5)) => Outcome::Rejected,
        Ok(_) | Err(_) => Outcome::Broken,
    }
}

struct Arguments {
    settings: Settings,
    corpus: PathBuf,
    wayproof: PathBuf,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut settings = Settings {
        count: 1000,
        first_seed: 0,
        limit: Duration::from_secs(10),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        stack: 8 << 20,
        store: None,
    };
    let (mut corpus, mut wayproof) = (bench_folder(), None);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
        match word.as_str() {
            "--count" => settings.count = number(value()?)?,
            "--seed" => settings.first_seed = number(value()?)?,
            "--threads" => settings.threads = number(value()?)? as usize,
            "--limit" => settings.limit = Duration::from_secs(number(value()?)?),
            "--store" => settings.store = Some(PathBuf::from(value()?)),
            "--corpus" => corpus = Some(PathBuf::from(value()?)),
            "--wayproof" => wayproof = Some(PathBuf::from(value()?)),
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok(Arguments {
        settings,
        corpus: corpus.ok_or("--corpus FOLDER is missing".to_owned())?,
        wayproof: wayproof.ok_or("--wayproof PATH is missing".to_owned())?,
    })
}

fn run_fuzzer(arguments: Arguments) -> Result<bool, String> {
    let corpus = read_corpus(&arguments.corpus, &["c", "i"], MAX_FILE_BYTES)
        .map_err(|error| format!("{}: {error}", arguments.corpus.display()))?;
    if corpus.is_empty() {
        return Err(format!("{}: no .c or .i file", arguments.corpus.display()));
    }
    SUBJECT.get_or_init(|| (arguments.wayproof, arguments.settings.limit));
    let start = Instant::now();
    let (files, settings) = (corpus.len(), arguments.settings);
    let summary = fuzz(&settings, corpus, parse_file).map_err(|error| error.to_string())?;
    for finding in &summary.findings {
        println!("seed {}: {:?}, {} bytes", finding.seed, finding.misbehaviour, finding.input.len());
    }
    println!(
        "{} files, {} accepted, {} rejected, {} findings, slowest {:.2} s, {:.1} s in all",
        files,
        summary.accepted,
        summary.rejected,
        summary.findings.len(),
        summary.slowest.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    Ok(summary.findings.is_empty())
}

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)).and_then(run_fuzzer) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(10),
        Err(message) => {
            eprintln!("fuzz_frontend: {message}");
            ExitCode::from(1)
        }
    }
}
