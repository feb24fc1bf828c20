//! The report for programs. docs/json.md describes it; a change that readers can notice raises [`VERSION`].

mod answer;
mod step;
mod work;

use base::{Diagnostic, Region, Severity, SourceMap, Stop};
use certify::{Certified, Check};
use cfa::{ApproximationKind, SignedOverflow, Source};
use checks::State;
use interp::{CallStack, Chosen};
use serde::Serialize;
use verdict::{End, LogicName, Proof, Reason, Trace, Verdict};
use witness::format::InvariantKind;
use witness::judge::Opinion;

pub(super) use self::answer::render as answer;
use self::step::{JsonStep, json_step};
use self::work::{DecidedBy, JsonClaim, JsonShare, claims, decided_by, share};
use crate::run::{Basis, Extras, Task as Asked};
use crate::table::Table;
use crate::{Run, benchexec, human};

/// The reason of a run that ends because an earlier one has a verdict for the same program and options.
pub const CHECKED_BEFORE: &str = "checked-before";

/// The version of the schema.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    schema_version: u32,
    tool: Tool,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<Task>,
    verdict: &'static str,
    result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<JsonReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_by: Option<&'static str>,
    #[serde(skip_serializing_if = "is_false")]
    nothing_to_check: bool,
    #[serde(skip_serializing_if = "is_false")]
    from_cache: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_program: Option<Execution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<JsonChecks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ledger: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<DecidedBy>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    engines: Vec<JsonShare>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<JsonDiagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<serde_json::Map<String, serde_json::Value>>,
}

/// Serde hands over references.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Who made a document.
#[derive(Serialize)]
pub struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// This version of this tool.
    pub const THIS: Self = Self { name: "wayproof", version: env!("CARGO_PKG_VERSION") };
}

#[derive(Serialize)]
struct Task {
    files: Vec<String>,
    property: String,
    entry: String,
    data_model: &'static str,
    signed_overflow: &'static str,
    engine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<bool>,
    #[serde(skip_serializing_if = "String::is_empty")]
    key: String,
}

#[derive(Serialize)]
struct JsonReason {
    code: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<JsonClaim>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

/// A place in a document.
#[derive(PartialEq, Eq, Serialize)]
pub struct Location {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

/// What holds whenever a function returns.
#[derive(Serialize)]
pub struct JsonContract {
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    ensures: Vec<String>,
}

/// What holds of all elements of an array at a loop.
#[derive(Serialize)]
struct JsonForAll {
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    value: String,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Evidence {
    Annotation {
        locations: usize,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        invariants: Vec<JsonInvariant>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        quantified: Vec<JsonForAll>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        contracts: Vec<JsonContract>,
        #[serde(skip_serializing_if = "Option::is_none")]
        invariants_suffice: Option<bool>,
    },
    Execution {
        end: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        undefined_behaviour: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<Location>,
    },
    Executions {
        count: u64,
    },
    Bounded {
        logic: &'static str,
        iterations: u32,
    },
    Trace {
        property: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        detail: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<Location>,
        stack: Vec<Call>,
        inputs: Vec<Input>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        steps: Vec<JsonStep>,
    },
}

/// What is known about each check.
#[derive(Serialize)]
struct JsonChecks {
    hold: usize,
    fail: usize,
    open: usize,
    /// What the form of operations excludes; not counted.
    excluded_by_form: usize,
    excluded_by_values: usize,
    list: Vec<JsonCheck>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never_executed: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vacuous_assertions: Vec<Location>,
}

#[derive(Serialize)]
struct JsonCheck {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'static str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<JsonReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled_program: Option<Execution>,
}

#[derive(Serialize)]
struct JsonInvariant {
    file: String,
    line: u32,
    column: u32,
    tied_to: &'static str,
    value: String,
}

#[derive(Serialize)]
struct Execution {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Serialize)]
struct Call {
    function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    called_at: Option<Location>,
}

#[derive(Serialize)]
struct Input {
    value: String,
    r#type: String,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

#[derive(Serialize)]
struct Entry {
    kind: &'static str,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

#[derive(Serialize)]
struct JsonDiagnostic {
    severity: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

impl Document {
    fn new(verdict: &'static str, result: impl Into<String>) -> Self {
        Self {
            schema: "wayproof-report",
            schema_version: VERSION,
            tool: Tool::THIS,
            task: None,
            verdict,
            result: result.into(),
            reason: None,
            evidence: None,
            checked_by: None,
            nothing_to_check: false,
            from_cache: false,
            compiled_program: None,
            checks: None,
            ledger: None,
            decided_by: None,
            engines: Vec::new(),
            diagnostics: Vec::new(),
            statistics: None,
        }
    }
    fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a document has string keys only");
        text.push('\n');
        text
    }
}

/// The report of a verdict.
pub(super) fn render(run: &Run<'_>) -> String {
    let sources = run.sources;
    let verdict = run.certified.verdict();
    let name = match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    let mut document = Document::new(name, benchexec(verdict));
    document.task = Some(task(run.task));
    document.nothing_to_check = run.is_idle();
    match verdict {
        Verdict::Safe(Proof::Execution(end)) => document.evidence = Some(execution(end, sources)),
        Verdict::Safe(Proof::Executions(count) | Proof::UnwoundExecutions(count)) => {
            document.evidence = Some(Evidence::Executions { count: *count });
        }
        Verdict::Safe(Proof::Bounded(proof)) => {
            let logic = match proof.logic {
                LogicName::Integers => "integers",
                LogicName::Bits => "bits",
            };
            document.evidence = Some(Evidence::Bounded { logic, iterations: proof.iterations });
        }
        Verdict::Safe(Proof::Annotation(annotation)) => {
            document.evidence = Some(Evidence::Annotation {
                locations: annotation.locations().count(),
                invariants: invariants(run.extras),
                quantified: quantified(run.extras, sources),
                contracts: contracts(&run.extras.contracts, sources),
                invariants_suffice: run.extras.inductive,
            });
        }
        Verdict::Unsafe(trace) => {
            document.evidence = Some(trace_of(trace, run.extras, sources));
        }
        Verdict::Unknown(why) => document.reason = Some(reason(why, sources)),
    }
    document.checked_by = run.certified.check().map(checked_by);
    document.from_cache = run.extras.is_cached;
    document.compiled_program = run.extras.opinion.as_ref().map(execution_of);
    document.checks = run.table.map(|table| checks(run, table));
    document.ledger = ledger(run.certified, run.basis, sources);
    document.decided_by = run.work.decided.as_ref().map(decided_by);
    document.engines = run.statistics.iter().flat_map(|_| &run.work.shares).map(share).collect();
    document.statistics = run.statistics.map(|statistics| {
        statistics.iter().map(|(name, value)| ((*name).to_owned(), serde_json::Value::from(*value))).collect()
    });
    document.text()
}

fn checked_by(check: Check) -> &'static str {
    match check {
        Check::Replayed { .. } => "replay",
        Check::Reexecuted { .. } => "re-execution",
        Check::Proved { .. } => "proof",
    }
}

fn trace_of(trace: &Trace, extras: &Extras, sources: &SourceMap) -> Evidence {
    Evidence::Trace {
        property: crate::property(trace.violation.kind),
        detail: trace.violation.detail.clone(),
        location: location(sources, trace.violation.region),
        stack: stack(&trace.violation.stack, sources),
        inputs: trace.choices.iter().map(|chosen| input(chosen, sources)).collect(),
        steps: extras.steps.iter().map(|step| json_step(step, sources)).collect(),
    }
}

/// What is known about each check.
fn checks(run: &Run<'_>, table: Table<'_>) -> JsonChecks {
    let (sources, audit) = (run.sources, table.audit);
    let row = |(check, state): (&passes::Check, &State)| {
        let function = run.program.and_then(|program| program.procs.get(check.proc));
        let function =
            function.map(|procedure| procedure.name.to_string()).filter(|name| !name.starts_with('%'));
        let mut row = JsonCheck {
            kind: check.kind.code(),
            property: check.kind.property(),
            what: check.what.clone(),
            function: function.unwrap_or_default(),
            location: location(sources, check.place),
            state: "holds",
            reason: None,
            violation: None,
            compiled_program: None,
        };
        match state {
            State::Holds(_) => {}
            State::Fails(number) => {
                row.state = "fails";
                let extras = table.extras.get(*number);
                let found = audit.violations.get(*number).map(|violated| violated.certified.verdict());
                if let (Some(extras), Some(Verdict::Unsafe(trace))) = (extras, found) {
                    row.violation = Some(trace_of(trace, extras, sources));
                    row.compiled_program = extras.opinion.as_ref().map(execution_of);
                }
            }
            State::Open(why) => {
                row.state = "open";
                row.reason = Some(reason(why, sources));
            }
        }
        row
    };
    let count = table.count();
    let places =
        |regions: &[Region]| regions.iter().filter_map(|region| location(sources, *region)).collect();
    JsonChecks {
        hold: count.hold,
        fail: count.fail,
        open: count.open,
        excluded_by_form: audit.checks.excluded(),
        excluded_by_values: audit.by_values,
        list: table.rows().map(row).collect(),
        never_executed: places(&table.unreached.statements),
        vacuous_assertions: places(&table.unreached.assertions),
    }
}

/// Contracts as part of a document.
pub fn contracts(contracts: &[explain::Contract], sources: &SourceMap) -> Vec<JsonContract> {
    let contract = |contract: &explain::Contract| JsonContract {
        function: contract.function.clone(),
        location: location(sources, contract.region),
        ensures: contract.ensures.clone(),
    };
    contracts.iter().map(contract).collect()
}

fn quantified(extras: &Extras, sources: &SourceMap) -> Vec<JsonForAll> {
    let fact = |fact: &explain::ForAll| JsonForAll {
        location: location(sources, fact.region),
        value: fact.text.clone(),
    };
    extras.quantified.iter().map(fact).collect()
}

fn invariants(extras: &Extras) -> Vec<JsonInvariant> {
    let invariants = extras.invariants.iter().map(|readable| JsonInvariant {
        file: readable.invariant.location.file.clone(),
        line: readable.place.0,
        column: readable.place.1,
        tied_to: match readable.invariant.kind {
            InvariantKind::Loop => "loop",
            InvariantKind::Location => "statement",
        },
        value: readable.invariant.value.clone(),
    });
    invariants.collect()
}

fn execution_of(opinion: &Opinion) -> Execution {
    match opinion {
        Opinion::Confirmed => Execution { outcome: "confirmed", why: None },
        Opinion::Differs(how) => Execution { outcome: "differs", why: Some(how.clone()) },
        Opinion::NotJudged(why) => Execution { outcome: "not-judged", why: Some(why.clone()) },
    }
}

/// The report of a run that was ended from outside; what was asked, if that was known by then.
pub(super) fn unfinished(stop: Stop, asked: Option<&Asked>) -> String {
    let mut document = Document::new("unknown", "unknown");
    document.task = asked.map(task);
    document.reason = Some(reason(&Reason::Stopped(stop), &SourceMap::new()));
    document.text()
}

/// The report of input that cannot be used.
pub(super) fn error(diagnostics: &[Diagnostic], sources: &SourceMap) -> String {
    let mut document = Document::new("error", "unknown");
    document.diagnostics =
        diagnostics.iter().map(|diagnostic| json_diagnostic(diagnostic, sources)).collect();
    document.text()
}

fn json_diagnostic(diagnostic: &Diagnostic, sources: &SourceMap) -> JsonDiagnostic {
    JsonDiagnostic {
        severity: match diagnostic.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        location: diagnostic
            .primary
            .as_ref()
            .filter(|label| sources.get(label.span.file).is_some())
            .and_then(|label| location(sources, sources.region(label.span))),
    }
}

/// The report of a run that ends because an earlier one has a verdict for this key.
pub fn known(asked: &Asked) -> String {
    let mut document = Document::new("unknown", "unknown");
    document.task = Some(task(asked));
    let message = "an earlier run has checked the same program with the same options".to_owned();
    document.reason = Some(JsonReason { code: CHECKED_BEFORE, message, claims: Vec::new(), location: None });
    document.text()
}

fn task(asked: &Asked) -> Task {
    Task {
        files: asked.files.clone(),
        property: asked.property.clone(),
        entry: asked.entry.clone(),
        data_model: asked.data_model.name(),
        signed_overflow: match asked.signed_overflow {
            SignedOverflow::Undefined => "undefined",
            SignedOverflow::Wrap => "wrap",
            SignedOverflow::Error => "error",
        },
        engine: asked.engine.clone(),
        expected: asked.expected,
        key: asked.key.clone(),
    }
}

/// A region as a place; nothing if it is nowhere.
pub fn location(sources: &SourceMap, region: Region) -> Option<Location> {
    let file = sources.get(region.file).filter(|_| !region.is_nowhere())?;
    Some(Location {
        file: file.name.to_string(),
        line: region.line,
        column: region.column,
        end_line: region.end_line,
        end_column: region.end_column,
    })
}

fn reason(reason: &Reason, sources: &SourceMap) -> JsonReason {
    JsonReason {
        code: reason.code(),
        message: reason.to_string(),
        claims: claims(reason),
        location: location(sources, reason.region()),
    }
}

fn execution(end: &End, sources: &SourceMap) -> Evidence {
    let (name, status, undefined, region) = match end {
        End::Returned => ("returned", None, None, Region::NOWHERE),
        End::Exited { status } => ("exited", Some(status.to_string()), None, Region::NOWHERE),
        End::Aborted { region } => ("aborted", None, None, *region),
        End::Blocked { region } => ("blocked", None, None, *region),
        End::Undefined { kind, detail, region } => {
            ("undefined-behaviour", None, Some(format!("{kind}: {detail}")), *region)
        }
    };
    Evidence::Execution {
        end: name,
        status,
        undefined_behaviour: undefined,
        location: location(sources, region),
    }
}

fn stack(stack: &CallStack, sources: &SourceMap) -> Vec<Call> {
    let calls = crate::calls(stack).into_iter().map(|(function, place)| Call {
        function: function.to_owned(),
        called_at: place.and_then(|place| location(sources, place)),
    });
    calls.collect()
}

fn input(chosen: &Chosen, sources: &SourceMap) -> Input {
    let (source, name) = match &chosen.source {
        Source::Input { function } => ("input", Some(function.to_string())),
        Source::Uninitialised => ("uninitialised", None),
        Source::Rounded => ("rounded", None),
        Source::Outside => ("outside", None),
        Source::Guess(_) => ("guess", None),
        Source::Extern { function } => ("extern", Some(function.to_string())),
        Source::Library { function, .. } => ("library", Some(function.to_string())),
        Source::Argument { name } => ("argument", Some(name.to_string())),
        Source::Global { name } => ("global", Some(name.to_string())),
    };
    Input {
        value: chosen.value.to_string(),
        r#type: chosen.value.ty.to_string(),
        source,
        name,
        location: location(sources, chosen.place),
    }
}

fn ledger(certified: &Certified, basis: &Basis, sources: &SourceMap) -> Option<Vec<Entry>> {
    let ledger = certified.ledger()?;
    let options =
        basis.options.iter().map(|what| Entry { kind: "option", what: what.clone(), location: None });
    let undefined = human::undefined(ledger).map(|what| Entry { kind: "assumption", what, location: None });
    let entries = ledger.assumptions.iter().map(|assumption| Entry {
        kind: match assumption.kind {
            ApproximationKind::Assumption => "assumption",
            ApproximationKind::Model => "model",
            ApproximationKind::Over => "over-approximation",
            ApproximationKind::Under => "under-approximation",
        },
        what: assumption.what.clone(),
        location: location(sources, assumption.region),
    });
    Some(options.chain(undefined).chain(entries).collect())
}
