//! All executions of a program, and which checks fail in them.
//!
//! # Invariants
//! * E1: executions are given only if all of them were carried out to their ends.

use std::collections::BTreeSet;

use cfa::{CheckKind, DataModel, Program};
use cfront::lower::LibraryArguments;
use checks::Goal;
use interp::{Outcome, UndefinedKind, Uninitialised};
use passes::CheckId;

use super::super::judge::{Execution, explore};
use super::draft::printed;
use super::question::Question;

/// An execution.
pub(super) type Run = Execution;

/// The most executions of a program: the compiled one is run as often.
const MOST_RUNS: usize = 1000;

/// The program as it is checked.
pub(super) fn compile(text: &str, question: Question) -> Result<Program, String> {
    let input = cfront::Input::Text { name: "fuzz.c".to_owned(), text: text.as_bytes().into() };
    let mut options = cfront::Options::new(DataModel::Lp64);
    options.lower.signed_overflow = question.signed_overflow();
    options.lower.checks = question.kinds();
    let is_property = question.goal() == Goal::Any;
    if question.is_silent_about_calls() {
        options.lower.error_functions = Vec::new();
    }
    if !is_property {
        options.lower.library_arguments = LibraryArguments::Assumed;
    }
    let compiled = cfront::compile(&[input], &options);
    let program = compiled.map(|compiled| compiled.program).map_err(|failure| {
        failure.diagnostics.first().map_or(String::new(), |first| first.message.clone())
    })?;
    Ok(if is_property { program } else { passes::separate(&program) })
}

/// All executions (E1).
pub(super) fn executions(text: &str, program: &Program) -> Option<Vec<Run>> {
    let printed = printed(text)?;
    let mut runs = Vec::new();
    let is_checked = program.is_violation(CheckKind::Uninitialised);
    let mut is_known = true;
    let all = explore(&printed, program, Uninitialised::Report, &mut |run| {
        let is_arbitrary =
            matches!(run.outcome, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. });
        is_known &= (is_checked || !is_arbitrary) && runs.len() < MOST_RUNS;
        runs.push(run);
        is_known
    });
    (all && is_known).then_some(runs)
}

/// The same executions where memory that is lost ends none: it is no undefined behaviour, so a check behind it may fail as well. Empty if no memory is lost.
pub(super) fn beyond_lost_memory(text: &str, program: &Program, runs: &[Run]) -> Vec<Run> {
    let is_lost = |run: &Run| matches!(run.outcome, Outcome::Error { kind: CheckKind::LostMemory, .. });
    if !runs.iter().any(is_lost) {
        return Vec::new();
    }
    let mut program = program.clone();
    program.checks.remove(CheckKind::LostMemory);
    executions(text, &program).unwrap_or_default()
}

/// The values that executions print.
pub(super) fn observed(text: &str) -> Option<BTreeSet<i64>> {
    let program = compile(text, Question::Assertions).ok()?;
    let mut values = BTreeSet::new();
    for run in executions(text, &program)? {
        let output = String::from_utf8_lossy(&run.output).into_owned();
        values.extend(output.lines().filter_map(|line| line.parse::<i64>().ok()));
    }
    Some(values)
}

/// The checks that executions fail at; nothing for a failure at no check.
pub(super) fn failing(checks: &passes::Checks, runs: &[Run]) -> BTreeSet<Option<CheckId>> {
    let failures = runs.iter().filter_map(|run| match &run.outcome {
        Outcome::Error { kind, site, .. } => Some(checks.at(*kind, *site)),
        _ => None,
    });
    failures.collect()
}
