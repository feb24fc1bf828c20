//! How verdicts are reported: for people, for BenchExec, for programs.

mod annotate;
mod github;
mod html;
mod human;
mod json;
mod path;
mod sarif;
mod steps;

use base::{Region, SourceMap};
use certify::Certified;
use cfa::Program;
use interp::{CallStack, Property};
use verdict::Verdict;

use crate::args::Format;
use crate::basis::Basis;
use crate::exit::ExitStatus;
use crate::export::Extras;
use crate::resolve::Request;

pub(crate) use github::{error as github_error, unfinished as github_unfinished};
pub(crate) use html::{Insight, Summaries, unfinished as page_unfinished};
pub(crate) use json::{
    Location, Tool, error as json_error, known as json_known, location, unfinished as json_unfinished,
};
pub(crate) use sarif::{error as sarif_error, unfinished as sarif_unfinished};
pub(crate) use steps::{Scope, Selection, Step, steps};

/// Everything that a report is made of.
pub(crate) struct Report<'a> {
    /// What was asked.
    pub(crate) request: &'a Request,
    /// The program that was verified; `None` if there is none because the property or a construct is not supported.
    pub(crate) program: Option<&'a Program>,
    /// The texts that places refer to.
    pub(crate) sources: &'a SourceMap,
    /// The answer.
    pub(crate) certified: &'a Certified,
    /// What is said beyond its evidence.
    pub(crate) extras: &'a Extras,
    /// What shaped the program that it is about.
    pub(crate) basis: &'a Basis,
    /// Which steps of the path to a violation the text for people tells, if any.
    pub(crate) told: Option<Selection>,
    /// The name of the engine.
    pub(crate) engine: &'a str,
    /// How much work was done, if the user wants to know: name, value.
    pub(crate) statistics: Option<&'a [(&'static str, f64)]>,
}

impl Report<'_> {
    /// Whether it says safe about a program in which there is nothing to check.
    fn is_idle(&self) -> bool {
        self.basis.is_idle && matches!(self.certified.verdict(), Verdict::Safe(_))
    }
}

/// How much people are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The verdict.
    Verdict,
    /// The verdict, its evidence and what it rests on.
    Full,
}

/// The text for standard output.
pub(crate) fn render(report: &Report<'_>, format: Format, detail: Detail, color: bool) -> String {
    match format {
        Format::Human => human::render(report, detail, color),
        Format::Svcomp => {
            let explanation = human::render(report, detail, false);
            format!("{explanation}RESULT: {}\n", benchexec(report.certified.verdict()))
        }
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Annotate => annotate::render(report),
    }
}

/// The report as a web page.
pub(crate) fn page(report: &Report<'_>, insight: &Insight<'_>) -> String {
    html::render(report, insight)
}

/// The exit code that belongs to a verdict.
pub(crate) fn status(verdict: &Verdict) -> ExitStatus {
    match verdict {
        Verdict::Safe(_) => ExitStatus::Success,
        Verdict::Unsafe(_) => ExitStatus::Violated,
        Verdict::Unknown(_) => ExitStatus::Unknown,
    }
}

/// The string that BenchExec knows.
fn benchexec(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Safe(_) => "true",
        Verdict::Unsafe(trace) => match trace.violation.property {
            Property::Unreachability => "false(unreach-call)",
            Property::NoOverflow => "false(no-overflow)",
        },
        Verdict::Unknown(_) => "unknown",
    }
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
