//! Runs every engine on random programs with known verdicts.
//!
//! ```text
//! verdicts [--kind loops|recursion|memory|arrays] [--count N] [--seed S] [--limit MILLISECONDS | --ticks N] [--others N] [--variants N] [--engine NAME]
//!          [--reduce N] [--save FOLDER] [--show] [--print]
//! ```
//! Without `--kind` programs have loops, and one of four is recursive. Programs of the kind memory are also executed by gcc with sanitizers. `--print` prints programs of the kinds memory and arrays.
//! `--others` is how many configurations see a program besides gps. `--show` prints the programs' findings in full.
//! Exit code 0: no finding, 1: usage, 10: findings.
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use testkit::verdicts::checked::{Topic, text};
use testkit::verdicts::{Control, Limit, Programs as Kind, Settings, Summary, run};

/// Whether the programs of findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Programs {
    Hidden,
    Shown,
    /// Programs are printed, and nothing else is done.
    Printed,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<(Settings, Programs), String> {
    let mut settings = Settings {
        kind: Kind::Control(None),
        count: 100,
        first_seed: 0,
        limit: Limit::Time(Duration::from_millis(500)),
        others: 7,
        variants: 1,
        only: None,
        store: None,
        reduction: 400,
    };
    let mut programs = Programs::Hidden;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
        match word.as_str() {
            "--kind" => {
                settings.kind = match value()?.as_str() {
                    "loops" => Kind::Control(Some(Control::Loops)),
                    "recursion" => Kind::Control(Some(Control::Recursion)),
                    "memory" => Kind::Memory,
                    "arrays" => Kind::Arrays,
                    other => return Err(format!("unknown kind {other}")),
                }
            }
            "--ticks" => settings.limit = Limit::Ticks(number(value()?)?),
            "--print" => programs = Programs::Printed,
            "--count" => settings.count = number(value()?)?,
            "--seed" => settings.first_seed = number(value()?)?,
            "--limit" => settings.limit = Limit::Time(Duration::from_millis(number(value()?)?)),
            "--others" => settings.others = number(value()?)? as usize,
            "--variants" => settings.variants = number(value()?)? as usize,
            "--reduce" => settings.reduction = number(value()?)? as usize,
            "--engine" => settings.only = Some(value()?),
            "--save" => settings.store = Some(PathBuf::from(value()?)),
            "--show" => programs = Programs::Shown,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    Ok((settings, programs))
}

fn report(summary: &Summary, programs: Programs) {
    for finding in &summary.findings {
        let (kind, known) = (finding.kind, finding.known.word());
        println!(
            "seed {}: {kind:?}, {}: known {known}, got {:?}",
            finding.seed, finding.configuration, finding.answer
        );
        if programs == Programs::Shown {
            println!("{}", finding.text);
        }
    }
    let Summary { safe, unsafe_, skipped, variants, .. } = summary;
    println!(
        "{} programs ({safe} safe, {unsafe_} unsafe), {skipped} seeds without, {variants} variants",
        safe + unsafe_
    );
    println!("{:<22} {:>7} {:>7} {:>7} {:>9}", "configuration", "runs", "safe", "unsafe", "seconds");
    for (name, counts) in &summary.counts {
        let seconds = counts.time.as_secs_f64();
        println!("{name:<22} {:>7} {:>7} {:>7} {seconds:>9.1}", counts.runs, counts.safe, counts.unsafe_);
    }
    for (name, counts) in &summary.questions {
        let decided = (counts.safe + counts.unsafe_) as f64 * 100.0 / counts.runs.max(1) as f64;
        println!("{name:<22} {:>7} {:>7} {:>7} {decided:>8.1}%", counts.runs, counts.safe, counts.unsafe_);
    }
    if summary.executed > 0 {
        println!(
            "{} executions of compiled programs; gcc refuses {} programs",
            summary.executed, summary.refused
        );
    }
    for ((name, code), count) in &summary.unknown {
        println!("unknown: {name}: {code}: {count}");
    }
    println!("{} findings", summary.findings.len());
}

/// Prints the programs with what is asked about them.
fn print(settings: &Settings) -> ExitCode {
    let topic = match settings.kind {
        Kind::Memory => Topic::Memory,
        Kind::Arrays => Topic::Arrays,
        Kind::Control(_) => return ExitCode::from(1),
    };
    for seed in settings.first_seed..settings.first_seed.saturating_add(settings.count) {
        if let Some((text, question)) = text(topic, seed) {
            println!("// seed {seed}: {}\n{text}", question.name());
        }
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let (settings, programs) = match parse(std::env::args().skip(1)) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("verdicts: {message}");
            return ExitCode::from(1);
        }
    };
    if programs == Programs::Printed {
        return print(&settings);
    }
    let start = Instant::now();
    let mut show_progress = |done: u64, summary: &Summary| {
        if done.is_multiple_of(60) {
            eprintln!(
                "{done} programs, {} findings, {:.0} s",
                summary.findings.len(),
                start.elapsed().as_secs_f64()
            );
        }
    };
    match run(&settings, &mut show_progress) {
        Ok(summary) => {
            report(&summary, programs);
            if summary.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(10) }
        }
        Err(error) => {
            eprintln!("verdicts: {error}");
            ExitCode::from(1)
        }
    }
}
