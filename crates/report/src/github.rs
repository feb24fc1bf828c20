//! Annotations of a GitHub workflow: one line for the verdict, one for each place that it names.

use std::fmt::Write;

use base::{Diagnostic, Region, Severity, SourceMap, Stop};
use verdict::{Proof, Verdict};

use crate::table::Table;
use crate::{Color, Detail, Run, each, human, table};

/// The annotations of a verdict.
pub(super) fn render(run: &Run<'_>) -> String {
    let sources = run.sources;
    let full = human::render(run, Detail::Full, Color::Plain);
    let (headline, details) = full.split_once('\n').unwrap_or((&full, ""));
    let mut text = String::new();
    if let Some(table) = run.table {
        each_check(&mut text, run, table, &full);
        return text;
    }
    match run.certified.verdict() {
        Verdict::Safe(proof) => {
            annotate(&mut text, "notice", None, headline, details);
            if matches!(proof, Proof::Annotation(_)) {
                for readable in &run.extras.invariants {
                    let place = Some((readable.file.clone(), readable.place.0, readable.place.1));
                    annotate(&mut text, "notice", place, "loop invariant", &readable.invariant.value);
                }
            }
        }
        Verdict::Unsafe(trace) => {
            annotate(&mut text, "error", place(sources, trace.violation.region), headline, details);
        }
        Verdict::Unknown(reason) => {
            annotate(&mut text, "warning", place(sources, reason.region()), headline, details);
        }
    }
    text
}

/// An annotation for each check that fails or is open, and for code that is never executed; the last one is the verdict.
fn each_check(text: &mut String, run: &Run<'_>, table: Table<'_>, full: &str) {
    let sources = run.sources;
    for (check, trace, extras) in table.violations() {
        let told = each::violation(run, (check, trace, extras), Color::Plain);
        let (headline, details) = told.split_once('\n').unwrap_or((&told, ""));
        let at = place(sources, table::place(&trace.violation, Some(check), sources));
        annotate(text, "error", at, headline, details);
    }
    for (check, reason) in table.open() {
        let title = format!("open: {}", table::describe(check));
        annotate(text, "warning", place(sources, check.place), &title, &reason.to_string());
    }
    for region in &table.unreached.assertions {
        annotate(
            text,
            "notice",
            place(sources, *region),
            "the assertion cannot fail for lack of executions",
            "",
        );
    }
    for region in &table.unreached.statements {
        annotate(text, "notice", place(sources, *region), "the code is never executed", "");
    }
    for readable in &run.extras.invariants {
        let place = Some((readable.file.clone(), readable.place.0, readable.place.1));
        annotate(text, "notice", place, "loop invariant", &readable.invariant.value);
    }
    let last = full.trim_end().lines().last().unwrap_or_default();
    let count = table.count();
    let level = match (count.fail, count.open) {
        (0, 0) => "notice",
        (0, _) => "warning",
        _ => "error",
    };
    annotate(text, level, None, last, "");
}

/// The report of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop) -> String {
    let mut text = String::new();
    annotate(&mut text, "warning", None, &format!("UNKNOWN: {stop}"), "");
    text
}

/// The report of input that cannot be used.
pub(super) fn error(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        let level = match diagnostic.severity {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let label = diagnostic.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
        let at = label.and_then(|label| place(sources, sources.region(label.span)));
        annotate(&mut text, level, at, &diagnostic.message, diagnostic.help.as_deref().unwrap_or(""));
    }
    text
}

fn place(sources: &SourceMap, region: Region) -> Option<(String, u32, u32)> {
    let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
    Some((file.name.to_string(), region.line, region.column))
}

fn annotate(text: &mut String, level: &str, place: Option<(String, u32, u32)>, title: &str, body: &str) {
    let mut properties = Vec::new();
    if let Some((file, line, column)) = place {
        let file = file.trim_start_matches("./");
        properties.push(format!("file={}", escaped_property(file)));
        properties.push(format!("line={line}"));
        properties.push(format!("col={column}"));
    }
    properties.push("title=Wayproof".to_owned());
    let message =
        if body.trim().is_empty() { title.to_owned() } else { format!("{title}\n{}", body.trim_end()) };
    let _ = writeln!(text, "::{level} {}::{}", properties.join(","), escaped(&message));
}

/// A message of a workflow command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
