//! JUnit XML, which most CI servers show as a table of tests: a test case for each check, a failure for a violation, an error for what is open.

use std::fmt::Write;

use base::{Diagnostic, SourceMap, Stop};
use checks::State;
use verdict::Verdict;

use crate::findings::{Finding, Outcome, findings, place};
use crate::{Run, table};

/// How one test case ended.
enum Ending<'a> {
    Passed,
    Found(&'a Finding),
}

/// The checks of a run.
pub(super) fn render(run: &Run<'_>) -> String {
    let found = findings(run);
    let file = run.task.files.first().map_or("", String::as_str);
    let mut suite = Suite::new(file);
    if let Some(table) = run.table {
        for (check, state) in table.rows() {
            if let State::Holds(_) = state {
                let (of, line) = place(run.sources, check.place)
                    .map_or((file.to_owned(), 0), |(file, line, _)| (file, line));
                suite.case(&of, &format!("{} in line {line}", table::describe(check)), &Ending::Passed);
            }
        }
    } else if matches!(run.certified.verdict(), Verdict::Safe(_)) {
        suite.case(file, &run.task.property, &Ending::Passed);
    }
    for finding in &found {
        let (of, line) = finding.place.as_ref().map_or((file, 0), |(file, line, _)| (file.as_str(), *line));
        suite.case(of, &format!("{} in line {line}", finding.check), &Ending::Found(finding));
    }
    suite.finish()
}

/// The report of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop, file: &str) -> String {
    let mut suite = Suite::new(file);
    suite.error(file, "check", &format!("UNKNOWN: {stop}"), "");
    suite.finish()
}

/// The report of input that cannot be used.
pub(super) fn error(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut suite = Suite::new("");
    for diagnostic in diagnostics {
        let label = diagnostic.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
        let at = label.and_then(|label| place(sources, sources.region(label.span)));
        let (file, line) = at.map_or((String::new(), 0), |(file, line, _)| (file, line));
        let name = if line == 0 { "input".to_owned() } else { format!("input, line {line}") };
        suite.error(&file, &name, &diagnostic.message, diagnostic.help.as_deref().unwrap_or(""));
    }
    suite.finish()
}

/// A test suite on its way to text.
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    cases: String,
}

impl Suite {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), tests: 0, failures: 0, errors: 0, cases: String::new() }
    }

    fn case(&mut self, file: &str, name: &str, ending: &Ending<'_>) {
        match ending {
            Ending::Passed => {
                self.tests += 1;
                let (file, name) = (escaped(file), escaped(name));
                let _ = writeln!(self.cases, "    <testcase classname=\"{file}\" name=\"{name}\"/>");
            }
            Ending::Found(finding) => match finding.outcome {
                Outcome::Fails => {
                    self.failures += 1;
                    self.ended(file, name, "failure", (&finding.title, &finding.details));
                }
                Outcome::Open => self.error(file, name, &finding.title, &finding.details),
            },
        }
    }

    fn error(&mut self, file: &str, name: &str, title: &str, details: &str) {
        self.errors += 1;
        self.ended(file, name, "error", (title, details));
    }

    fn ended(&mut self, file: &str, name: &str, element: &str, (title, details): (&str, &str)) {
        self.tests += 1;
        let (file, name, title, details) = (escaped(file), escaped(name), escaped(title), escaped(details));
        let _ = writeln!(
            self.cases,
            "    <testcase classname=\"{file}\" name=\"{name}\">\n      <{element} message=\"{title}\">{details}</{element}>\n    </testcase>"
        );
    }

    fn finish(self) -> String {
        let Self { name, tests, failures, errors, cases } = self;
        let name = escaped(&name);
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Wayproof\" {counts}>\n  <testsuite name=\"{name}\" {counts} skipped=\"0\">\n{cases}  </testsuite>\n</testsuites>\n"
        )
    }
}

/// Text of XML. Characters that XML does not have are replaced.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' => result.push_str("&quot;"),
            '\n' | '\t' => result.push(character),
            control if control.is_control() => result.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => result.push('\u{fffd}'),
            other => result.push(other),
        }
    }
    result
}
