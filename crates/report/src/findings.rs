//! What a run found, one entry for each check that fails or is open, for formats that list findings.
//!
//! # Invariants
//! * F1: the fingerprint of a finding depends on its file, function, kind and text, and on how many equal ones stand before it; not on line numbers. So it survives edits elsewhere in the file.

use std::collections::BTreeMap;

use base::{Region, SourceMap};
use cfa::{CheckKind, Program};
use verdict::Verdict;
use witness::format::hash;

use crate::table::{self, Table};
use crate::{Color, Detail, Run, each, human};

/// How a check ended that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It fails: there is an input that violates it.
    Fails,
    /// It is not decided.
    Open,
}

/// A check that fails or is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it ended.
    pub outcome: Outcome,
    /// What kind of check it is, by its code.
    pub kind: String,
    /// The check in one line.
    pub check: String,
    /// What is wrong, in one line.
    pub title: String,
    /// The inputs, or the reason.
    pub details: String,
    /// File, line and column, if it is anywhere.
    pub place: Option<(String, u32, u32)>,
    /// The function that it is in; empty if there is none.
    pub function: String,
    /// Its name across runs (F1).
    pub fingerprint: String,
}

/// All of them, in the order of the source.
pub fn findings(run: &Run<'_>) -> Vec<Finding> {
    let mut found = match run.table {
        Some(table) => of_checks(run, table),
        None => of_verdict(run),
    };
    let mut equal: BTreeMap<String, u32> = BTreeMap::new();
    for finding in &mut found {
        let file = finding.place.as_ref().map_or("", |(file, ..)| file);
        let what = std::mem::take(&mut finding.fingerprint);
        let text = [file, &finding.function, &finding.kind, &what].join("\n");
        let number = equal.entry(text.clone()).or_insert(0);
        finding.fingerprint = hash(format!("{text}\n{number}").as_bytes());
        *number += 1;
    }
    found
}

/// The fingerprints are what the check says, still.
fn of_checks(run: &Run<'_>, table: Table<'_>) -> Vec<Finding> {
    let sources = run.sources;
    let function = |proc| run.program.map_or_else(String::new, |program| name(program, proc));
    let mut found = Vec::new();
    for (check, trace, extras) in table.violations() {
        let told = each::violation(run, (check, trace, extras), Color::Plain);
        let (title, details) = told.split_once('\n').unwrap_or((&told, ""));
        found.push(Finding {
            outcome: Outcome::Fails,
            kind: check.kind.code().to_owned(),
            check: table::describe(check),
            title: title.to_owned(),
            details: details.trim_end().to_owned(),
            place: place(sources, table::place(&trace.violation, Some(check), sources)),
            function: function(check.proc),
            fingerprint: check.what.clone(),
        });
    }
    for (check, reason) in table.open() {
        found.push(Finding {
            outcome: Outcome::Open,
            kind: check.kind.code().to_owned(),
            check: table::describe(check),
            title: format!("open: {}", table::describe(check)),
            details: reason.to_string(),
            place: place(sources, check.place),
            function: function(check.proc),
            fingerprint: check.what.clone(),
        });
    }
    found
}

fn of_verdict(run: &Run<'_>) -> Vec<Finding> {
    let full = human::render(run, Detail::Full, Color::Plain);
    let (title, details) = full.split_once('\n').unwrap_or((&full, ""));
    let (outcome, kind, region) = match run.certified.verdict() {
        Verdict::Safe(_) => return Vec::new(),
        Verdict::Unsafe(trace) => (Outcome::Fails, trace.violation.kind.code(), trace.violation.region),
        Verdict::Unknown(reason) => (Outcome::Open, CheckKind::Assertion.code(), reason.region()),
    };
    vec![Finding {
        outcome,
        kind: kind.to_owned(),
        check: run.task.property.clone(),
        title: title.to_owned(),
        details: details.trim_end().to_owned(),
        place: place(run.sources, region),
        function: run.task.entry.clone(),
        fingerprint: run.task.property.clone(),
    }]
}

fn name(program: &Program, proc: cfa::ProcId) -> String {
    program.procs.get(proc).map_or_else(String::new, |procedure| procedure.name.to_string())
}

/// Where a region is, for files.
pub(crate) fn place(sources: &SourceMap, region: Region) -> Option<(String, u32, u32)> {
    let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
    Some((file.name.trim_start_matches("./").to_owned(), region.line, region.column))
}
