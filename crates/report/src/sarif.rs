//! SARIF 2.1.0: the violation as a result with a code flow, everything else as notifications of the invocation.

use std::fmt::Write;

use base::{Diagnostic, Region, Severity, SourceMap, Stop};
use cfa::CheckKind;
use serde_json::{Value, json};
use verdict::{Trace, Verdict};

use crate::findings::findings;
use crate::steps::{Kind, Step};
use crate::table::Table;
use crate::{Color, Detail, Run, each, human, path, table};

/// The document of a verdict.
pub(super) fn render(run: &Run<'_>) -> String {
    let sources = run.sources;
    let full = human::render(run, Detail::Full, Color::Plain);
    let headline = full.lines().next().unwrap_or_default();
    let ledger = run.certified.ledger().map(|ledger| {
        let entries = ledger.assumptions.iter().map(|assumption| Value::from(assumption.what.clone()));
        human::basis(run.certified, run.basis)
            .into_iter()
            .map(Value::from)
            .chain(entries)
            .collect::<Vec<Value>>()
    });
    let (mut results, notifications) = match (run.table, run.certified.verdict()) {
        (Some(table), _) => (each(run, table), vec![notification("note", &full, None)]),
        (None, Verdict::Unsafe(trace)) => {
            let place = trace.violation.region;
            (vec![result((trace, place), &run.extras.steps, sources, headline, &full)], Vec::new())
        }
        (None, Verdict::Safe(_)) => (Vec::new(), vec![notification("note", &full, None)]),
        (None, Verdict::Unknown(reason)) => {
            (Vec::new(), vec![notification("warning", &full, location(sources, reason.region()))])
        }
    };
    // Findings come first, in this order.
    for (result, finding) in results.iter_mut().zip(findings(run)) {
        if let Some(fields) = result.as_object_mut() {
            let names = json!({ "wayproof/v1": finding.fingerprint });
            fields.insert("partialFingerprints".to_owned(), names);
        }
    }
    let mut properties = json!({
        "verdict": match run.certified.verdict() {
            Verdict::Safe(_) => "safe",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        },
        "engine": run.task.engine,
    });
    if let (Some(ledger), Some(properties)) = (ledger, properties.as_object_mut()) {
        properties.insert("restsOn".to_owned(), ledger.into());
    }
    if let Some(properties) = properties.as_object_mut().filter(|_| run.is_idle()) {
        properties.insert("nothingToCheck".to_owned(), true.into());
    }
    if let (Some(table), Some(properties)) = (run.table, properties.as_object_mut()) {
        let count = table.count();
        let counts = json!({ "hold": count.hold, "fail": count.fail, "open": count.open });
        properties.insert("checks".to_owned(), counts);
    }
    if !run.extras.invariants.is_empty()
        && let Some(properties) = properties.as_object_mut()
    {
        let invariants = run.extras.invariants.iter().map(|readable| {
            json!({ "file": readable.file, "line": readable.place.0, "column": readable.place.1, "value": readable.invariant.value })
        });
        properties.insert("invariants".to_owned(), invariants.collect());
    }
    document(&results, &notifications, Execution::Successful, &properties)
}

/// A result for each check that fails or is open, and for code that is never executed.
fn each(run: &Run<'_>, table: Table<'_>) -> Vec<Value> {
    let sources = run.sources;
    let mut results = Vec::new();
    for (check, trace, extras) in table.violations() {
        let full = each::violation(run, (check, trace, extras), Color::Plain);
        let headline = full.lines().next().unwrap_or_default().to_owned();
        let place = table::place(&trace.violation, Some(check), sources);
        results.push(result((trace, place), &extras.steps, sources, &headline, &full));
    }
    let mut open = |rule: &str, text: &str, place: Region| {
        let mut result = json!({
            "ruleId": rule,
            "kind": "open",
            "level": "none",
            "message": { "text": text },
            "locations": location(sources, place).into_iter().collect::<Vec<Value>>(),
        });
        if let (Some(index), Some(fields)) = (rule_index(rule), result.as_object_mut()) {
            fields.insert("ruleIndex".to_owned(), index.into());
        }
        results.push(result);
    };
    for (check, reason) in table.open() {
        open(rule_of(check.kind), &format!("open: {}: {reason}", table::describe(check)), check.place);
    }
    for region in &table.unreached.assertions {
        open(VACUOUS, "The assertion cannot fail for lack of executions.", *region);
    }
    for region in &table.unreached.statements {
        open(UNREACHABLE, "The code is never executed.", *region);
    }
    results
}

/// The rule of code that is never executed.
const UNREACHABLE: &str = "unreachable";
/// The rule of assertions in such code.
const VACUOUS: &str = "vacuous";

/// The rule that a violation breaks.
fn rule_of(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Assertion => "unreach-call",
        CheckKind::SignedOverflow => "no-overflow",
        kind => kind.code(),
    }
}

/// All rules with what they say.
fn rules() -> Vec<(&'static str, String)> {
    let rule = |kind: CheckKind| {
        let text = match kind {
            CheckKind::Assertion => "The error is never reached and no assertion fails.".to_owned(),
            CheckKind::SignedOverflow => "No signed operation overflows.".to_owned(),
            kind => format!("There is no {kind}."),
        };
        (rule_of(kind), text)
    };
    let others = [
        (UNREACHABLE, "All code is executed by some execution.".to_owned()),
        (VACUOUS, "All assertions are evaluated by some execution.".to_owned()),
    ];
    CheckKind::ALL.into_iter().map(rule).chain(others).collect()
}

fn rule_index(rule: &str) -> Option<usize> {
    rules().iter().position(|(name, _)| *name == rule)
}

/// The report of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop) -> String {
    let message = format!("UNKNOWN: {stop}");
    let notifications = [notification("warning", &message, None)];
    document(&[], &notifications, Execution::Successful, &json!({ "verdict": "unknown" }))
}

/// The report of input that cannot be used.
pub(super) fn error(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let notifications: Vec<Value> = diagnostics
        .iter()
        .map(|diagnostic| {
            let level = match diagnostic.severity {
                Severity::Note => "note",
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            let label = diagnostic.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
            let place = label.and_then(|label| location(sources, sources.region(label.span)));
            notification(level, &diagnostic.message, place)
        })
        .collect();
    document(&[], &notifications, Execution::Failed, &json!({ "verdict": "error" }))
}

/// Whether the tool could do its work.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Execution {
    Successful,
    Failed,
}

fn document(results: &[Value], notifications: &[Value], execution: Execution, properties: &Value) -> String {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Wayproof",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules().iter().map(|(id, text)| rule(id, text)).collect::<Vec<Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": execution == Execution::Successful,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
            "properties": properties,
        }],
    });
    let mut text = serde_json::to_string_pretty(&document).expect("a document has string keys only");
    text.push('\n');
    text
}

fn notification(level: &str, message: &str, place: Option<Value>) -> Value {
    let mut notification = json!({ "level": level, "message": { "text": message.trim_end() } });
    if let (Some(place), Some(fields)) = (place, notification.as_object_mut()) {
        fields.insert("locations".to_owned(), vec![place].into());
    }
    notification
}

fn result(
    (trace, region): (&Trace, Region),
    steps: &[Step],
    sources: &SourceMap,
    headline: &str,
    full: &str,
) -> Value {
    let rule = rule_of(trace.violation.kind);
    let index = rule_index(rule);
    let place = location(sources, region);
    let flow: Vec<Value> = steps.iter().filter_map(|step| flow_location(step, sources, headline)).collect();
    let stack: Vec<Value> = crate::calls(&trace.violation.stack)
        .iter()
        .map(|(function, called_at)| {
            let mut frame = json!({});
            let at = called_at.and_then(|region| location(sources, region)).unwrap_or_else(|| json!({}));
            if let Some(fields) = frame.as_object_mut() {
                let mut at = at;
                if let Some(at) = at.as_object_mut() {
                    at.insert("message".to_owned(), json!({ "text": format!("in {function}") }));
                }
                fields.insert("location".to_owned(), at);
            }
            frame
        })
        .collect();
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": "error",
        "message": { "text": full.trim_end() },
        "locations": place.clone().into_iter().collect::<Vec<Value>>(),
        "stacks": [{ "frames": stack }],
    });
    if let Some(fields) = result.as_object_mut() {
        if !flow.is_empty() {
            fields.insert("codeFlows".to_owned(), json!([{ "threadFlows": [{ "locations": flow }] }]));
        }
        let line = region.line;
        let text = sources.get(region.file).filter(|_| line > 0).map(|file| {
            String::from_utf8_lossy(file.line_text(line)).split_whitespace().collect::<Vec<_>>().join(" ")
        });
        // The text of the line, not its number: a result stays the same when code is added above it.
        let name = place.as_ref().and_then(|place| place.pointer("/physicalLocation/artifactLocation/uri"));
        let print =
            format!("{rule}:{}:{}", name.and_then(Value::as_str).unwrap_or(""), text.unwrap_or_default());
        let print = witness::format::hash(print.as_bytes());
        fields.insert("partialFingerprints".to_owned(), json!({ "violation/v1": print }));
    }
    result
}

/// A step as a location of a code flow; nothing for a step that is nowhere.
fn flow_location(step: &Step, sources: &SourceMap, headline: &str) -> Option<Value> {
    let mut place = location(sources, step.region)?;
    let (message, importance) = match step.kind {
        Kind::Violation => (headline.to_owned(), "essential"),
        Kind::Input { .. } => (path::what(step), "essential"),
        _ if step.kind.is_mark() => (path::what(step), "unimportant"),
        _ => (path::what(step), "important"),
    };
    if let Some(fields) = place.as_object_mut() {
        fields.insert("message".to_owned(), json!({ "text": message }));
    }
    Some(json!({ "location": place, "nestingLevel": step.depth + step.nesting, "importance": importance }))
}

/// A location of SARIF; nothing for nowhere.
fn location(sources: &SourceMap, region: Region) -> Option<Value> {
    let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
    Some(json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&file.name) },
            "region": {
                "startLine": region.line,
                "startColumn": region.column,
                "endLine": region.end_line,
                "endColumn": region.end_column,
            },
        },
    }))
}

/// A path as a relative reference, or as a file URI if it is absolute.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.trim_start_matches("./").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
