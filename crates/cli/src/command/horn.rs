//! `wayproof horn`: whether a system of Horn clauses has a solution.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base::{Diagnostic, SourceFile, SourceMap, Span, Stop};
use horn::{Answer, ReadError, System};
use smt::{Derivable, Z3, Z3Settings};
use term::Terms;

use crate::args::HornArgs;
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;
use crate::session::{Progress, Session};

/// Solves the system of a file.
pub(crate) fn horn(args: &HornArgs) -> Result<ExitStatus, Failure> {
    let session = Session::start(args.timeout, Box::new(abandon));
    let mut terms = Terms::new();
    let system = read(&mut terms, &args.file)?;
    let progress = Progress::start("solving", Arc::default());
    let z3 = Z3::new(Z3Settings::default());
    let mut budget = session.budget();
    let (answer, statistics) = horn::solve_with_statistics(&mut terms, &system, &z3, &mut budget);
    drop(progress);
    session.claim();
    let mut text = text(&mut terms, &system, args, &answer);
    if args.stats {
        let (height, queries) = (statistics.height, statistics.queries);
        let (over, under) = (statistics.summary_facts, statistics.reach_facts);
        let (questions, ticks) = (z3.statistics().queries, budget.spent());
        let _ = writeln!(
            text,
            "; height {height}, queries {queries}, summary facts {over}, reachability facts {under}, \
             solver questions {questions}, ticks {ticks}"
        );
    }
    Output::new().write(&text)?;
    if args.against.is_some() {
        compare(&terms, &system, args, &answer)?;
    }
    Ok(match answer {
        Answer::Sat(_) => ExitStatus::Success,
        Answer::Unsat(_) => ExitStatus::Violated,
        Answer::Unknown(_) => ExitStatus::Unknown,
    })
}

/// What is said if the work does not come back in time.
fn abandon(stop: Stop) {
    let _ = Output::new().write(&format!("unknown\n; {stop}\n"));
}

fn read(terms: &mut Terms, path: &Path) -> Result<System, Failure> {
    let bytes = input::read(path)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("{}: byte {} is not UTF-8", path.display(), error.valid_up_to() + 1);
            let diagnostic = Diagnostic::global(message).with_help("SMT-LIB files are text");
            return Err(Failure::global(ExitStatus::FrontEnd, diagnostic));
        }
    };
    horn::read(terms, text).map_err(|error| refuse(path, text, &error))
}

fn refuse(path: &Path, text: &str, error: &ReadError) -> Failure {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text.as_bytes()));
    let lo = u32::try_from(error.place.offset).unwrap_or(0);
    let span = Span { file, lo, hi: lo.saturating_add(1).min(u32::try_from(text.len()).unwrap_or(u32::MAX)) };
    let diagnostic = Diagnostic::error(error.message.clone(), span).with_help(error.help.clone());
    Failure::Input { status: ExitStatus::FrontEnd, diagnostics: vec![diagnostic], sources: Arc::new(sources) }
}

/// What is printed on standard output: the words of SMT-LIB, and what was asked for.
fn text(terms: &mut Terms, system: &System, args: &HornArgs, answer: &Answer) -> String {
    match answer {
        Answer::Sat(solution) if args.model => match horn::print::solution(terms, system, solution) {
            Ok(definitions) => format!("sat\n{definitions}"),
            Err(what) => format!("unknown\n; {what}\n"),
        },
        Answer::Sat(_) => "sat\n".to_owned(),
        Answer::Unsat(derivation) if args.derivation => {
            format!("unsat\n{}", horn::print::derivation(terms, system, derivation))
        }
        Answer::Unsat(_) => "unsat\n".to_owned(),
        Answer::Unknown(reason) => format!("unknown\n; {reason}\n"),
    }
}

/// Asks Spacer; a contradiction is a defect of one of the two.
fn compare(terms: &Terms, system: &System, args: &HornArgs, answer: &Answer) -> Result<(), Failure> {
    let rules = horn::print::rules(terms, system);
    let other = smt::spacer(&rules, horn::print::ERROR, args.timeout.map(Duration::from_secs_f64));
    let (word, contradicts) = match (&other, answer) {
        (Derivable::Yes, answer) => ("unsat".to_owned(), matches!(answer, Answer::Sat(_))),
        (Derivable::No, answer) => ("sat".to_owned(), matches!(answer, Answer::Unsat(_))),
        (Derivable::Unknown(why), _) => (format!("unknown ({why})"), false),
    };
    Output::new().write(&format!("; Spacer: {word}\n"))?;
    if !contradicts {
        return Ok(());
    }
    let message = format!("{}: Spacer of the linked Z3 contradicts this answer", args.file.display());
    let help = "one of the two is wrong: please report it with the file";
    Err(Failure::global(ExitStatus::Internal, Diagnostic::global(message).with_help(help)))
}
