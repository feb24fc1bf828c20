//! `wayproof queries`: replays logged queries with a second solver. Also the log itself, which `check` writes.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::Diagnostic;
use smt::replay::{Known, Report, SecondSolver, queries_in, replay};

use crate::args::{QueriesArgs, SolverArg};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::output::Output;
use crate::session::Progress;

/// At most so many files are named in one list.
const MAX_SHOWN: usize = 20;

/// Logs all queries of this process in a folder that is new or empty: old files would be taken for part of the log.
pub(crate) fn log_to(folder: &Path) -> Result<(), Failure> {
    let is_used = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        let message = format!("{}: the folder for queries is not empty", folder.display());
        return Err(Failure::usage(
            message,
            "name a folder that does not exist yet, or remove what is in it",
        ));
    }
    smt::log_all_queries(folder).map_err(|error| {
        let message = format!("{}: cannot make the folder for queries: {error}", folder.display());
        Failure::usage(message, "name a folder in a place where you may write")
    })
}

/// Why the log is not complete, if it is not.
pub(crate) fn log_failure() -> Option<Failure> {
    let error = smt::query_log_failure()?;
    let message = format!("not all queries are in the log: {error}");
    Some(Failure::Output(io::Error::new(error.kind(), message)))
}

/// Replays the queries of a folder with a second solver.
pub(crate) fn queries(args: &QueriesArgs) -> Result<ExitStatus, Failure> {
    let folder = &args.replay;
    let files = queries_in(folder).map_err(|error| unreadable(folder, &error))?;
    if files.is_empty() {
        let message = format!("{}: there are no queries (no files *.smt2)", folder.display());
        return Err(Failure::usage(message, "`wayproof check FILE --log-queries DIR` writes them"));
    }
    let solver = find(args.solver)?;
    let chosen = sample(&files, args.sample.unwrap_or(files.len()));
    let limit = Duration::from_secs_f64(args.limit);
    let progress = Progress::start("replaying", std::sync::Arc::default());
    let mut report = Report::default();
    for file in &chosen {
        replay(file, &solver, limit, &mut report).map_err(|error| {
            let message = format!("cannot start {}: {error}", solver.name());
            Failure::usage(
                message,
                "check the variable WAYPROOF_SECOND_SOLVER, or name a solver with --solver",
            )
        })?;
    }
    drop(progress);
    Output::new().write(&table(&report, &solver, chosen.len(), files.len()))?;
    Ok(if !report.disagreed.is_empty() {
        ExitStatus::Violated
    } else if !report.broken.is_empty() {
        ExitStatus::Usage
    } else {
        ExitStatus::Success
    })
}

fn unreadable(folder: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: cannot read the folder: {error}", folder.display());
    Failure::usage(message, "name the folder that `wayproof check FILE --log-queries DIR` wrote")
}

fn find(wanted: Option<SolverArg>) -> Result<SecondSolver, Failure> {
    let known = wanted.map(|solver| match solver {
        SolverArg::Cvc5 => Known::Cvc5,
        SolverArg::Yices => Known::Yices,
        SolverArg::Z3 => Known::Z3,
    });
    let found = known.map_or_else(SecondSolver::discover, SecondSolver::find);
    found.ok_or_else(|| {
        let package = known.unwrap_or(Known::Cvc5).package();
        let message = match known {
            Some(_) => "this second solver is not installed",
            None => "there is no second solver: neither cvc5 nor Yices is installed",
        };
        let help =
            format!("install it with `pip install {package}`, or name a command in WAYPROOF_SECOND_SOLVER");
        Failure::global(ExitStatus::Unknown, Diagnostic::global(message).with_help(help))
    })
}

/// At most `count` files, evenly spread.
fn sample(files: &[PathBuf], count: usize) -> Vec<&PathBuf> {
    let count = count.min(files.len());
    (0..count).map(|at| &files[at * files.len() / count]).collect()
}

fn table(report: &Report, solver: &SecondSolver, asked: usize, all: usize) -> String {
    let mut text = format!("{asked} of {all} queries replayed with {}:\n", solver.name());
    let counts = [
        ("agreed", report.agreed),
        ("undecided", report.undecided),
        ("disagreed", report.disagreed.len()),
        ("broken", report.broken.len()),
    ];
    for (name, count) in counts {
        let _ = writeln!(text, "  {name:<10} {count:>6}");
    }
    for (file, logged, found) in report.disagreed.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "disagreed: {}: logged {logged}, now {found}", file.display());
    }
    for (file, why) in report.broken.iter().take(MAX_SHOWN) {
        let _ = writeln!(text, "broken: {}: {why}", file.display());
    }
    if !report.disagreed.is_empty() {
        text.push_str("one of the solvers is wrong: please report it with these files\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_spread_evenly() {
        let files: Vec<PathBuf> = (0..10).map(|number| PathBuf::from(number.to_string())).collect();
        let names =
            |count| sample(&files, count).iter().map(|path| path.display().to_string()).collect::<String>();
        assert_eq!(
            (names(3), names(10), names(99), names(0)),
            ("036".into(), "0123456789".into(), names(10), String::new())
        );
    }
}
