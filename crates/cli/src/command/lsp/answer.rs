//! What an editor shows of a report.

use std::ffi::OsStr;
use std::fmt::Write;

use serde_json::{Value, json};

use super::text::{column, functions, path};

/// The severities of the protocol.
const ERROR: u64 = 1;
const INFORMATION: u64 = 3;

/// A report about a text.
pub(super) struct Found<'a> {
    report: &'a Value,
    uri: &'a str,
    lines: Vec<&'a str>,
}

/// A line that is said to have a property.
struct Said {
    /// From 0.
    line: u64,
    /// What is said.
    value: String,
    /// Whether it is about a loop or a function.
    about: About,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Loop,
    Function,
}

/// The buttons above functions.
pub(super) fn lenses(uri: &str, text: &str) -> Value {
    let lens = |name: &str, line: u64| {
        let place = json!({ "line": line, "character": 0 });
        json!({
            "range": { "start": place, "end": place },
            "command": { "title": "check this function", "command": "wayproof.checkFunction", "arguments": [uri, name] },
        })
    };
    functions(text).iter().map(|defined| lens(&defined.name, defined.line)).collect()
}

fn text_of<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

impl<'a> Found<'a> {
    pub(super) fn new(report: &'a Value, uri: &'a str, text: &'a str) -> Self {
        Self { report, uri, lines: text.lines().collect() }
    }

    /// A place of the text; the first line if it has none there.
    fn range(&self, location: Option<&Value>) -> Value {
        let number = |name: &str| location.and_then(|location| location.get(name)?.as_u64());
        let place = |line: Option<u64>, at: Option<u64>| {
            let line = line.unwrap_or(1).saturating_sub(1);
            let text = self.lines.get(usize::try_from(line).unwrap_or(usize::MAX)).copied().unwrap_or("");
            json!({ "line": line, "character": column(text, at.unwrap_or(1)) })
        };
        let start = place(number("line"), number("column"));
        let end = place(number("end_line").or(number("line")), number("end_column").or(number("column")));
        json!({ "start": start, "end": end })
    }

    /// Whether a location is in the text at hand.
    fn is_here(&self, location: &Value) -> bool {
        let here = path(self.uri);
        let there = location.get("file").and_then(Value::as_str).map(std::path::PathBuf::from);
        here.is_some() && there == here
    }

    pub(super) fn diagnostics(&self) -> Vec<Value> {
        let mut shown = Vec::new();
        for problem in list(self.report, "/diagnostics") {
            let severity = if text_of(problem, "/severity") == "error" { ERROR } else { INFORMATION };
            let message = [text_of(problem, "/message"), text_of(problem, "/help")].join("\n");
            shown.push(self.diagnostic(problem.get("location"), severity, "input", message.trim_end(), &[]));
        }
        let checks: Vec<&Value> = list(self.report, "/checks/list").collect();
        for check in &checks {
            let (kind, what) = (text_of(check, "/kind"), text_of(check, "/what"));
            let what = if what.is_empty() { kind.to_owned() } else { format!("{kind}: `{what}`") };
            match text_of(check, "/state") {
                "fails" => shown.push(self.violation(check, kind, &what)),
                "open" => {
                    let message = format!("{what} is open: {}", text_of(check, "/reason/message"));
                    shown.push(self.diagnostic(check.get("location"), INFORMATION, kind, &message, &[]));
                }
                _ => {}
            }
        }
        if checks.is_empty() && text_of(self.report, "/verdict") == "unknown" {
            let reason = self.report.get("reason");
            let message = format!("unknown: {}", text_of(self.report, "/reason/message"));
            let location = reason.and_then(|reason| reason.get("location"));
            shown.push(self.diagnostic(location, INFORMATION, "unknown", &message, &[]));
        }
        shown
    }

    fn violation(&self, check: &Value, kind: &str, what: &str) -> Value {
        let mut message = format!("{what} fails");
        let detail = text_of(check, "/violation/detail");
        if !detail.is_empty() {
            let _ = write!(message, ": {detail}");
        }
        let mut related = Vec::new();
        for (number, input) in list(check, "/violation/inputs").enumerate() {
            let (value, name) = (text_of(input, "/value"), text_of(input, "/name"));
            let told = format!("input {}: {value} for {name}", number + 1);
            let _ = write!(message, "\n{told}");
            if let Some(location) = input.get("location").filter(|location| self.is_here(location)) {
                let location = json!({ "uri": self.uri, "range": self.range(Some(location)) });
                related.push(json!({ "location": location, "message": told }));
            }
        }
        self.diagnostic(check.get("location"), ERROR, kind, &message, &related)
    }

    fn diagnostic(
        &self,
        location: Option<&Value>,
        severity: u64,
        code: &str,
        message: &str,
        related: &[Value],
    ) -> Value {
        let location = location.filter(|location| self.is_here(location));
        json!({
            "range": self.range(location),
            "severity": severity,
            "source": "wayproof",
            "code": code,
            "message": message,
            "relatedInformation": related,
        })
    }

    /// Invariants and contracts.
    fn said(&self) -> Vec<Said> {
        let line = |value: &Value, pointer: &str| {
            value.pointer(pointer).and_then(Value::as_u64).map(|line| line.saturating_sub(1))
        };
        let mut said = Vec::new();
        // Invariants name files without their folders.
        let here = path(self.uri).and_then(|path| path.file_name().map(ToOwned::to_owned));
        let is_here = |invariant: &&Value| here.as_deref() == Some(OsStr::new(text_of(invariant, "/file")));
        for invariant in list(self.report, "/evidence/invariants").filter(is_here) {
            if let Some(line) = line(invariant, "/line").filter(|_| text_of(invariant, "/tied_to") == "loop")
            {
                said.push(Said { line, value: text_of(invariant, "/value").to_owned(), about: About::Loop });
            }
        }
        let quantified = list(self.report, "/evidence/quantified");
        for fact in quantified.filter(|fact| fact.get("location").is_some_and(|place| self.is_here(place))) {
            if let Some(line) = line(fact, "/location/line") {
                said.push(Said { line, value: text_of(fact, "/value").to_owned(), about: About::Loop });
            }
        }
        for contract in list(self.report, "/evidence/contracts") {
            let is_here = contract.get("location").is_some_and(|place| self.is_here(place));
            if let Some(line) = line(contract, "/location/line").filter(|_| is_here) {
                let ensures: Vec<&str> = list(contract, "/ensures").filter_map(Value::as_str).collect();
                said.push(Said { line, value: ensures.join(" && "), about: About::Function });
            }
        }
        said
    }

    pub(super) fn hints(&self, params: &Value) -> Value {
        let (first, last) = lines_of(params);
        let hints = self.said().into_iter().filter(|said| (first..=last).contains(&said.line)).map(|said| {
            let text =
                self.lines.get(usize::try_from(said.line).unwrap_or(usize::MAX)).copied().unwrap_or("");
            let end = column(text, u64::MAX);
            let word = match said.about {
                About::Loop => "invariant",
                About::Function => "ensures",
            };
            json!({
                "position": { "line": said.line, "character": end },
                "label": format!("{word} {}", said.value),
                "paddingLeft": true,
            })
        });
        hints.collect()
    }

    pub(super) fn hover(&self, params: &Value) -> Value {
        let Some(line) = params.pointer("/position/line").and_then(Value::as_u64) else { return Value::Null };
        let mut text = String::new();
        for said in self.said().iter().filter(|said| said.line == line) {
            let word = match said.about {
                About::Loop => "loop invariant",
                About::Function => "whenever it returns",
            };
            let _ = writeln!(text, "- {word}: `{}`", said.value);
        }
        for check in list(self.report, "/checks/list") {
            let location = check.get("location").filter(|location| self.is_here(location));
            if location.and_then(|location| location.get("line")?.as_u64()) == Some(line + 1) {
                let (kind, what) = (text_of(check, "/kind"), text_of(check, "/what"));
                let _ = writeln!(text, "- {kind} `{what}`: {}", text_of(check, "/state"));
            }
        }
        if text.is_empty() {
            return Value::Null;
        }
        json!({ "contents": { "kind": "markdown", "value": format!("**Wayproof**\n\n{text}") } })
    }

    /// Insertion of invariants before their loops, in the words of ACSL.
    pub(super) fn actions(&self, params: &Value) -> Value {
        let (first, last) = lines_of(params);
        let said = self.said();
        let loops =
            said.iter().filter(|said| said.about == About::Loop && (first..=last).contains(&said.line));
        let actions = loops.map(|said| {
            let text =
                self.lines.get(usize::try_from(said.line).unwrap_or(usize::MAX)).copied().unwrap_or("");
            let indent: String = text.chars().take_while(|character| character.is_whitespace()).collect();
            let place = json!({ "line": said.line, "character": 0 });
            let inserted = format!("{indent}//@ loop invariant {};\n", said.value);
            let edit = json!({ "range": { "start": place, "end": place }, "newText": inserted });
            json!({
                "title": format!("insert the invariant {}", said.value),
                "kind": "quickfix",
                "edit": { "changes": { self.uri: [edit] } },
            })
        });
        actions.collect()
    }
}

/// The lines that a request is about, from 0.
fn lines_of(params: &Value) -> (u64, u64) {
    let line = |pointer: &str| params.pointer(pointer).and_then(Value::as_u64);
    (line("/range/start/line").unwrap_or(0), line("/range/end/line").unwrap_or(u64::MAX))
}
