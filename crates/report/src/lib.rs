//! A finished run as text: for people, for BenchExec, for programs, as annotations, as a web page.
//!
//! A renderer gets a [`Run`], which describes the run as data, and returns a text. What a run consists of is in [`run`](mod@run); the path to a
//! violation, which several renderers show, is computed by [`steps`](fn@steps).
//!
//! Knows no files, no flags and no engine.

mod annotate;
mod answer;
mod each;
mod findings;
mod github;
mod gitlab;
mod html;
mod human;
mod json;
mod junit;
mod path;
mod printable;
pub mod run;
mod sarif;
mod steps;
mod table;

use base::{Diagnostic, Region, SourceMap, Stop};
use interp::CallStack;
use verdict::Verdict;

pub use answer::{Asked, answer};
pub use findings::{Finding, Outcome, findings};
pub use html::{Insight, Summaries, page, unfinished as page_unfinished};
pub use human::{EXTERN_ADVICE, EXTERN_ERROR};
pub use json::{CHECKED_BEFORE, JsonContract, Location, Tool, contracts, known as json_known, location};
pub use printable::printable;
pub use run::{Basis, Extras, Run, Task};
pub use steps::{Change, Frame, Kind, Scope, Selection, Step, steps};
pub use table::Table;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Human,
    /// The same, with a last line `RESULT: …` for BenchExec.
    Svcomp,
    /// One JSON document, see docs/json.md.
    Json,
    /// SARIF 2.1.0 with code flows.
    Sarif,
    /// Annotations of a GitHub workflow.
    Github,
    /// A code-quality report of GitLab.
    Gitlab,
    /// JUnit XML: a test case for each check.
    Junit,
    /// The source with the answer as comments.
    Annotate,
}

/// How much a report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The verdict.
    Verdict,
    /// The verdict, its evidence and what it rests on.
    Full,
}

/// Whether text for people has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// No escape sequences.
    Plain,
    /// The escape sequences of terminals.
    Ansi,
}

/// Where a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Standard output; messages for people go to standard error.
    Console,
    /// A file, which has to say everything by itself.
    File,
}

/// The report of a run.
pub fn render(run: &Run<'_>, format: Format, detail: Detail, color: Color) -> String {
    match format {
        Format::Human => human::render(run, detail, color),
        Format::Svcomp => {
            let explanation = human::render(run, detail, Color::Plain);
            format!("{explanation}RESULT: {}\n", benchexec(run.certified.verdict()))
        }
        Format::Json => json::render(run),
        Format::Sarif => sarif::render(run),
        Format::Github => github::render(run),
        Format::Gitlab => gitlab::render(run),
        Format::Junit => junit::render(run),
        Format::Annotate => annotate::render(run),
    }
}

/// The report of input that cannot be used.
pub fn refused(
    format: Format,
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    destination: Destination,
) -> String {
    let first = diagnostics.first().map_or("", |diagnostic| &diagnostic.message).replace('\n', " ");
    let headline = match destination {
        Destination::Console => String::new(),
        Destination::File => format!("UNKNOWN: the input cannot be used: {first}\n"),
    };
    match format {
        Format::Human => headline,
        Format::Annotate if headline.is_empty() => headline,
        Format::Annotate => format!("// wayproof: {headline}"),
        Format::Svcomp => format!("{headline}RESULT: unknown\n"),
        Format::Json => json::error(diagnostics, sources),
        Format::Sarif => sarif::error(diagnostics, sources),
        Format::Github => github::error(diagnostics, sources),
        Format::Gitlab => gitlab::error(diagnostics, sources),
        Format::Junit => junit::error(diagnostics, sources),
    }
}

/// The report of a run that was ended from outside; what was asked, if that was known by then.
pub fn unfinished(format: Format, stop: Stop, task: Option<&Task>) -> String {
    let first = task.and_then(|task| task.files.first()).map_or("", String::as_str);
    match format {
        Format::Human => format!("UNKNOWN: {stop}\n"),
        Format::Annotate => format!("// wayproof: UNKNOWN: {stop}\n"),
        Format::Svcomp => format!("UNKNOWN: {stop}\nRESULT: unknown\n"),
        Format::Json => json::unfinished(stop, task),
        Format::Sarif => sarif::unfinished(stop),
        Format::Github => github::unfinished(stop),
        Format::Gitlab => gitlab::unfinished(stop, first),
        Format::Junit => junit::unfinished(stop, first),
    }
}

/// The string that BenchExec knows.
fn benchexec(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe(_) => "true".to_owned(),
        Verdict::Unsafe(trace) => format!("false({})", property(trace.violation.kind)),
        Verdict::Unknown(_) => "unknown".to_owned(),
    }
}

/// The property that a violation is one of: by the name of SV-COMP, or by our own if it has none.
fn property(kind: cfa::CheckKind) -> &'static str {
    kind.property().unwrap_or(kind.code())
}

/// The calls that were active, innermost first, as the user sees them: without the start-up procedure, and without a
/// place for its call of the entry function.
fn calls(stack: &CallStack) -> Vec<(&str, Option<Region>)> {
    let written = stack.entries.iter().filter(|entry| !entry.procedure.starts_with('%'));
    let mut calls: Vec<_> = written.map(|entry| (&*entry.procedure, Some(entry.called_at))).collect();
    if stack.omitted == 0
        && let Some((_, place)) = calls.last_mut()
    {
        *place = None;
    }
    calls
}
