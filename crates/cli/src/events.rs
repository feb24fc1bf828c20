//! `check --events`: what happens during a run, as lines of JSON, each written when it happens. docs/json.md describes them.
//!
//! # Invariants
//! * I1: every line is a whole document, also if the run is ended from outside.
//! * I2: the last line is a verdict or an error, and there is one.
//! * I3: with one thread, two runs differ in their seconds only: lines follow what engines do, not the clock.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base::{SourceMap, Stop};
use engine::{Attempt, CheckVerdict, Counter, Decision, Events, Outcome, Recorder, SearchTree, TreeWanted};
use report::Run;
use serde::Serialize;
use serde_json::{Value, json};
use verdict::{Reason, Verdict};

use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::recognise::Kind;
use crate::stale;

/// The version of the lines.
const VERSION: u32 = 1;
/// How a file of events starts.
pub(crate) const HEAD: &str = "{\"event\":\"start\",\"version\":1,\"seconds\":";
/// The total of a counter that is told first. Others are told when they have doubled.
const FIRST_TOTAL: u64 = 16;

/// Where the lines go, if anybody wants them.
#[derive(Clone, Default)]
pub(crate) struct Stream(Option<Arc<Open>>);

struct Open {
    begin: Instant,
    takes_output: bool,
    state: Mutex<State>,
}

struct State {
    sink: Box<dyn Write + Send>,
    /// Why a line could not be written.
    error: Option<io::Error>,
    /// I2.
    has_ended: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    event: &'a str,
    version: u32,
    seconds: f64,
    #[serde(flatten)]
    rest: &'a Value,
}

impl Stream {
    /// Opens what the option names; `-` is standard output.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self(None)) };
        let takes_output = path == Path::new("-");
        let sink: Box<dyn Write + Send> = if takes_output {
            Box::new(io::stdout())
        } else {
            if !stale::may_write(Kind::Events, path) {
                let message = Kind::Events.complaint("--events", path);
                return Err(Failure::usage(message, "name another file; nothing was written"));
            }
            let is_special = path.exists() && !path.is_file();
            let opened =
                if is_special { OpenOptions::new().write(true).open(path) } else { File::create(path) };
            let named =
                |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
            Box::new(opened.map_err(|error| Failure::Output(named(error)))?)
        };
        let state = Mutex::new(State { sink, error: None, has_ended: false });
        Ok(Self(Some(Arc::new(Open { begin: Instant::now(), takes_output, state }))))
    }

    /// Whether standard output is for events, and not for the report.
    pub(crate) fn takes_output(&self) -> bool {
        self.0.as_ref().is_some_and(|open| open.takes_output)
    }

    fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    fn emit(&self, event: &str, rest: &Value) {
        let Some(open) = &self.0 else { return };
        let seconds = (open.begin.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let line = Line { event, version: VERSION, seconds, rest };
        let mut text = serde_json::to_string(&line).expect("a line has string keys only");
        text.push('\n');
        let mut state = open.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.has_ended || state.error.is_some() {
            return;
        }
        state.has_ended = matches!(event, "verdict" | "error");
        let sink = &mut state.sink;
        let written = sink.write_all(text.as_bytes()).and_then(|()| sink.flush());
        state.error = written.err();
    }

    /// Why lines are missing.
    pub(crate) fn failure(&self) -> Option<Failure> {
        let open = self.0.as_ref()?;
        open.state.lock().unwrap_or_else(PoisonError::into_inner).error.take().map(Failure::Output)
    }

    /// What is to be checked.
    pub(crate) fn start(&self, files: &[String], engine: &str) {
        let tool = format!("wayproof {}", env!("CARGO_PKG_VERSION"));
        self.emit("start", &json!({ "tool": tool, "files": files, "engine": engine }));
    }

    /// The front end is done.
    pub(crate) fn program(&self, program: &cfa::Program) {
        let functions = program.procs.iter().filter(|procedure| !procedure.name.starts_with('%')).count();
        let locations: usize = program.procs.iter().map(|procedure| procedure.locations.len()).sum();
        self.emit("program", &json!({ "functions": functions, "locations": locations }));
    }

    /// What was proved and can be said in C, then the verdict.
    pub(crate) fn verdict(&self, run: &Run<'_>, status: ExitStatus) {
        if !self.is_wanted() {
            return;
        }
        for readable in &run.extras.invariants {
            let (line, column) = readable.place;
            let value = &readable.invariant.value;
            self.emit("fact", &json!({ "kind": "invariant", "file": readable.file, "line": line, "column": column, "value": value }));
        }
        for contract in &run.extras.contracts {
            let function = &contract.function;
            for value in &contract.ensures {
                self.emit("fact", &json!({ "kind": "contract", "function": function, "value": value }));
            }
        }
        let (verdict, reason) = match run.certified.verdict() {
            Verdict::Safe(_) => ("safe", None),
            Verdict::Unsafe(_) => ("unsafe", None),
            Verdict::Unknown(reason) => ("unknown", Some(reason)),
        };
        self.end(verdict, reason, status);
    }

    /// The run is ended from outside.
    pub(crate) fn stopped(&self, stop: Stop) {
        self.end("unknown", Some(&Reason::Stopped(stop)), ExitStatus::Unknown);
    }

    fn end(&self, verdict: &str, reason: Option<&Reason>, status: ExitStatus) {
        let mut rest = json!({ "verdict": verdict, "exit_code": status.code() });
        if let Some(reason) = reason {
            rest["reason"] = json!({ "code": reason.code(), "message": reason.to_string() });
        }
        self.emit("verdict", &rest);
    }

    /// The input cannot be used.
    pub(crate) fn refused(&self, failure: &Failure) {
        let Failure::Input { status, diagnostics, .. } = failure else { return };
        let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| &*diagnostic.message).collect();
        self.emit("error", &json!({ "messages": messages, "exit_code": status.code() }));
    }
}

/// Records what engines do, and tells it.
pub(crate) struct Listener<'a> {
    recorder: &'a Recorder,
    stream: &'a Stream,
    sources: &'a SourceMap,
    /// By counter, the total that is told next.
    next: Mutex<Vec<u64>>,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(recorder: &'a Recorder, stream: &'a Stream, sources: &'a SourceMap) -> Self {
        Self { recorder, stream, sources, next: Mutex::new(vec![FIRST_TOTAL; Counter::ALL.len()]) }
    }

    /// I3: progress is told when a total has doubled since it was told last.
    fn progress(&self, counter: Counter, value: u64) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = &mut next[counter as usize];
        if value < *limit {
            return;
        }
        *limit = value.saturating_mul(2);
        drop(next);
        self.stream.emit("progress", &json!({ "counter": counter.name(), "value": value }));
    }
}

impl Events for Listener<'_> {
    fn total(&self, counter: Counter, value: u64) {
        self.recorder.total(counter, value);
        if self.stream.is_wanted() {
            self.progress(counter, value);
        }
    }
    fn restart(&self) {
        self.recorder.restart();
    }
    fn tree_wanted(&self) -> TreeWanted {
        self.recorder.tree_wanted()
    }
    fn tree(&self, tree: SearchTree) {
        self.recorder.tree(tree);
    }
    fn works(&self, engine: &'static str, round: u32) {
        self.recorder.works(engine, round);
        self.stream.emit("engine", &json!({ "engine": engine, "round": round + 1 }));
    }
    fn attempted(&self, attempt: Attempt) {
        let used: u64 = attempt.used.iter().map(|(_, clauses)| clauses).sum();
        let mut rest = json!({
            "engine": attempt.engine,
            "round": attempt.round + 1,
            "ticks": attempt.ticks,
            "decided": attempt.outcome == Outcome::Decided,
            "facts_told": attempt.told,
            "facts_used": used,
        });
        if let Outcome::GaveUp(reason) = &attempt.outcome {
            rest["reason"] = json!({ "code": reason.code(), "message": reason.to_string() });
        }
        self.stream.emit("attempt", &rest);
        self.recorder.attempted(attempt);
    }
    fn decided(&self, decision: Decision<'_>) {
        let state = match decision.verdict {
            CheckVerdict::Holds => "holds",
            CheckVerdict::Fails => "fails",
        };
        let location = report::location(self.sources, decision.place);
        let rest = json!({ "kind": decision.kind.code(), "state": state, "what": decision.what, "location": location });
        self.stream.emit("check", &rest);
    }
}
