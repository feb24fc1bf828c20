//! Compares the verdicts of `wayproof check` with gcc and glibc on random programs that call library functions.
//!
//! ```text
//! library [--wayproof PATH] [--count N] [--seed S] [--limit SECONDS] [--jobs N] [--reduce N] [--floor PERCENT]
//!         [--only KIND] [--save FOLDER] [--show] [--print]
//! ```
//! `--only` names a file of crates/testkit/src/library/scenes. Without `--wayproof` the executable beside this one is used. `--floor` is how many of 100 programs must be decided.
//! `--save` stores the programs with findings, `--show` prints them, `--print` prints all programs with their truth instead of
//! checking them.
//! Exit code 0: no finding, 1: usage, 10: findings, too few decisions, or a program that gcc cannot judge.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use testkit::library::{Counts, Finding, Judge, Kinds, Settings, Summary, run, sample};

struct Arguments {
    settings: Settings,
    floor: f64,
    save: Option<PathBuf>,
    shows: bool,
    prints: bool,
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let beside = std::env::current_exe().map_err(|error| error.to_string())?.with_file_name("wayproof");
    let mut arguments = Arguments {
        settings: Settings {
            wayproof: beside,
            kinds: Kinds::All,
            count: 100,
            first_seed: 0,
            limit: 10,
            jobs: 1,
            reduction: 0,
        },
        floor: 0.0,
        save: None,
        shows: false,
        prints: false,
    };
    let settings = &mut arguments.settings;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
        match word.as_str() {
            "--only" => {
                let name = value()?;
                settings.kinds = Kinds::named(&name).ok_or(format!("{name} is no kind of scene"))?;
            }
            "--wayproof" => settings.wayproof = PathBuf::from(value()?),
            "--count" => settings.count = number(value()?)?,
            "--seed" => settings.first_seed = number(value()?)?,
            "--limit" => settings.limit = number(value()?)?.max(1),
            "--jobs" => settings.jobs = number(value()?)? as usize,
            "--reduce" => settings.reduction = number(value()?)? as usize,
            "--floor" => arguments.floor = number(value()?)? as f64,
            "--save" => arguments.save = Some(PathBuf::from(value()?)),
            "--show" => arguments.shows = true,
            "--print" => arguments.prints = true,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    // The tool is started in other folders.
    settings.wayproof = std::path::absolute(&settings.wayproof).map_err(|error| error.to_string())?;
    if !arguments.prints && !arguments.settings.wayproof.is_file() {
        let path = arguments.settings.wayproof.display();
        return Err(format!("{path} does not exist: build it, or name another one with --wayproof"));
    }
    Ok(arguments)
}

fn report_finding(finding: &Finding, arguments: &Arguments) {
    let Finding { seed, configuration, truth, answer, text } = finding;
    println!("seed {seed}: WRONG, {configuration}: {truth:?} in truth, got {answer:?}");
    if arguments.shows {
        println!("{text}");
    }
}

/// Stores a finding as soon as it is there: a long run may be interrupted.
fn store(finding: &Finding, folder: &Path) {
    let file = folder.join(format!("library-{}.c", finding.seed));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &finding.text));
    match written {
        Ok(()) => eprintln!("a finding is stored in {}", file.display()),
        Err(error) => eprintln!("a finding cannot be stored in {}: {error}", file.display()),
    }
}

fn table(title: &str, rows: &[(&String, &Counts)]) {
    println!(
        "{title:<28} {:>8} {:>8} {:>8} {:>8} {:>9}",
        "programs", "right", "unknown", "wrong", "decided %"
    );
    for (name, counts) in rows {
        let Counts { programs, right, unknown, wrong } = counts;
        println!("{name:<28} {programs:>8} {right:>8} {unknown:>8} {wrong:>8} {:>9.0}", counts.decided());
    }
}

fn report(summary: &Summary, arguments: &Arguments) {
    for (seed, reason) in &summary.not_judged {
        println!("seed {seed}: not judged: {reason}");
    }
    for finding in &summary.findings {
        report_finding(finding, arguments);
    }
    for seed in &summary.not_confirmed {
        println!("seed {seed}: right, but the compiled program of the tool's own second judge differs");
    }
    // What is undecided most comes first.
    let mut functions: Vec<(&String, &Counts)> = summary.functions.iter().collect();
    functions.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.wrong + counts.unknown, counts.programs)));
    table("function", &functions);
    let mut reasons: Vec<(&String, &u64)> = summary.reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in reasons {
        println!("{count:>5} {reason}");
    }
    table("configuration", &summary.configurations.iter().collect::<Vec<_>>());
    let [safe, unsafe_, open] = summary.truths;
    println!("truth: {safe} safe, {unsafe_} unsafe, {open} either; {} not judged", summary.not_judged.len());
}

/// Prints the programs.
fn print(settings: &Settings, judge: &Judge) -> ExitCode {
    for index in 0..settings.count {
        let seed = settings.first_seed.wrapping_add(index);
        match sample(seed, &settings.kinds, judge) {
            Ok(sample) => println!("/* seed {seed}: {:?} */\n{}", sample.truth, sample.text),
            Err(reason) => println!("/* seed {seed}: not judged: {reason} */"),
        }
    }
    ExitCode::SUCCESS
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("library: {message}");
            return ExitCode::from(1);
        }
    };
    let judge = match Judge::find() {
        Ok(judge) => judge,
        Err(reason) => {
            eprintln!("library: {reason}");
            return ExitCode::from(1);
        }
    };
    if arguments.prints {
        return print(&arguments.settings, &judge);
    }
    let start = Instant::now();
    let stored = AtomicUsize::new(0);
    let show_progress = |done: u64, summary: &Summary| {
        let first = stored.swap(summary.findings.len(), Ordering::Relaxed);
        if let Some(folder) = &arguments.save {
            summary.findings.iter().skip(first).for_each(|finding| store(finding, folder));
        }
        if done.is_multiple_of(100) {
            let seconds = start.elapsed().as_secs();
            eprintln!("{done} programs, {} findings, {seconds} s", summary.findings.len());
        }
    };
    let summary = run(&arguments.settings, &judge, &show_progress);
    report(&summary, &arguments);
    let Counts { programs, right, unknown, .. } = summary.total;
    // Other engines may be wrong, too.
    let wrong = summary.findings.len();
    let decided = summary.total.decided();
    println!(
        "{programs} programs: {right} right, {unknown} unknown, {wrong} wrong, {decided:.1} % decided, {:.0} s",
        start.elapsed().as_secs_f64()
    );
    if decided < arguments.floor {
        println!("fewer than {} % are decided", arguments.floor);
        return ExitCode::from(10);
    }
    if wrong == 0 && summary.not_judged.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(10) }
}
