//! A code-quality report of GitLab: a JSON array with an entry for each finding.

use base::{Diagnostic, Severity, SourceMap, Stop};
use serde_json::{Value, json};
use witness::format::hash;

use crate::Run;
use crate::findings::{Finding, Outcome, findings, place};

/// The findings of a run. A run without findings is an empty array.
pub(super) fn render(run: &Run<'_>) -> String {
    let first = run.task.files.first().map_or("", String::as_str);
    document(findings(run).iter().map(|finding| entry(finding, first)).collect())
}

fn entry(finding: &Finding, first: &str) -> Value {
    let severity = match finding.outcome {
        Outcome::Fails => "critical",
        Outcome::Open => "minor",
    };
    let (path, line) = match &finding.place {
        Some((file, line, _)) => (file.as_str(), *line),
        None => (first, 1),
    };
    json!({
        "type": "issue",
        "check_name": format!("wayproof/{}", finding.kind),
        "description": finding.title,
        "content": { "body": finding.details },
        "categories": ["Bug Risk"],
        "severity": severity,
        "fingerprint": finding.fingerprint,
        "location": { "path": path, "lines": { "begin": line } },
    })
}

/// The report of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop, first: &str) -> String {
    document(vec![problem("unfinished", &format!("UNKNOWN: {stop}"), first, 1, "minor")])
}

/// The report of input that cannot be used.
pub(super) fn error(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let entries = diagnostics.iter().map(|diagnostic| {
        let severity = match diagnostic.severity {
            Severity::Note | Severity::Warning => "info",
            Severity::Error => "blocker",
        };
        let label = diagnostic.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
        let at = label.and_then(|label| place(sources, sources.region(label.span)));
        let (path, line) = at.map_or((String::new(), 1), |(file, line, _)| (file, line));
        problem("input", &diagnostic.message, &path, line, severity)
    });
    document(entries.collect())
}

fn problem(kind: &str, message: &str, path: &str, line: u32, severity: &str) -> Value {
    json!({
        "type": "issue",
        "check_name": format!("wayproof/{kind}"),
        "description": message,
        "categories": ["Bug Risk"],
        "severity": severity,
        "fingerprint": hash([path, kind, message].join("\n").as_bytes()),
        "location": { "path": path, "lines": { "begin": line } },
    })
}

fn document(entries: Vec<Value>) -> String {
    let mut text =
        serde_json::to_string_pretty(&Value::from(entries)).expect("a document has string keys only");
    text.push('\n');
    text
}
