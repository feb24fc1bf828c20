//! `check --profile`: the timeline of a run in Chrome's trace format, for chrome://tracing, Perfetto or Speedscope.
//!
//! Stages are pairs of begin and end events, so that a run that was cut short shows how far it came; queries to the
//! solver are complete events with answer, number of formulas and number of distinct subterms.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use base::timeline::{self, Detail, Entry, Kind};
use serde::Serialize;

use crate::artifact;
use crate::failure::Failure;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    trace_events: Vec<TraceEvent>,
    display_time_unit: &'static str,
    other_data: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
struct TraceEvent {
    name: &'static str,
    cat: &'static str,
    ph: &'static str,
    /// Microseconds since recording began.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<&'static str, serde_json::Value>,
}

/// Writes what was recorded so far.
pub(crate) fn write(path: &Path) -> Result<(), Failure> {
    let (entries, dropped) = timeline::entries();
    artifact::write(path, &render(&entries, dropped))
}

fn render(entries: &[Entry], dropped: u64) -> String {
    let mut other_data = BTreeMap::from([("tool", format!("wayproof {}", env!("CARGO_PKG_VERSION")))]);
    if dropped > 0 {
        other_data.insert("entries dropped", dropped.to_string());
    }
    let trace_events = entries.iter().map(event).collect();
    let document = Document { trace_events, display_time_unit: "ms", other_data };
    let mut text = serde_json::to_string(&document).expect("a trace should be serialisable");
    text.push('\n');
    text
}

fn event(entry: &Entry) -> TraceEvent {
    let (ph, at, took) = match entry.kind {
        Kind::Begin(at) => ("B", at, None),
        Kind::End(at) => ("E", at, None),
        Kind::Event(at, took) => ("X", at, Some(took)),
    };
    let cat = if took.is_some() { "solver" } else { "stage" };
    let value = |detail: &Detail| match detail {
        Detail::Number(number) => (*number).into(),
        Detail::Word(word) => (*word).into(),
    };
    let args = entry.details.iter().map(|(name, detail)| (*name, value(detail))).collect();
    TraceEvent {
        name: entry.name,
        cat,
        ph,
        ts: microseconds(at),
        dur: took.map(microseconds),
        pid: 1,
        tid: entry.thread,
        args,
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_trace_has_stages_and_queries() {
        let at = Duration::from_micros;
        let entry = |name, kind, details| Entry { name, kind, thread: 1, details };
        let details = vec![("answer", Detail::Word("unsat")), ("nodes", Detail::Number(12))];
        let entries = [
            entry("search", Kind::Begin(at(5)), Vec::new()),
            entry("query", Kind::Event(at(7), at(20)), details),
            entry("search", Kind::End(at(40)), Vec::new()),
        ];
        let text = render(&entries, 2).replace(env!("CARGO_PKG_VERSION"), "VERSION");
        expect![[r#"
            {"traceEvents":[{"name":"search","cat":"stage","ph":"B","ts":5.0,"pid":1,"tid":1},{"name":"query","cat":"solver","ph":"X","ts":7.0,"dur":20.0,"pid":1,"tid":1,"args":{"answer":"unsat","nodes":12}},{"name":"search","cat":"stage","ph":"E","ts":40.0,"pid":1,"tid":1}],"displayTimeUnit":"ms","otherData":{"entries dropped":"2","tool":"wayproof VERSION"}}
        "#]]
        .assert_eq(&text);
    }
}
