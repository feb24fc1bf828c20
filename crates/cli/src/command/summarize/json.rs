//! Summaries as JSON. docs/json.md describes it; a change that readers can notice raises [`VERSION`].

use base::{SourceMap, Stop};
use explain::Contract;
use report::{JsonContract, Location, Tool, location};
use serde::Serialize;
use summary::print::{PointKind, Reading};
use term::Terms;
use term::print::smtlib;

use super::{Summarised, fallbacks};
use crate::resolve::Request;

/// The version of the schema.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    schema_version: u32,
    tool: Tool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded_by_values: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    points: Vec<Point>,
    arcs: Vec<Arc>,
    fallbacks: Vec<Fallback>,
    /// Why there are no points.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contracts: Vec<JsonContract>,
}

#[derive(Serialize)]
struct Fallback {
    what: &'static str,
    count: u64,
}

#[derive(Serialize)]
struct Point {
    id: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    summary: Formula,
    #[serde(skip_serializing_if = "Option::is_none")]
    star: Option<Star>,
    facts: Formula,
    #[serde(skip_serializing_if = "Option::is_none")]
    reachable: Option<Formula>,
}

#[derive(Serialize)]
struct Arc {
    source: String,
    target: String,
}

#[derive(Serialize)]
struct Star {
    exact: bool,
    relation: Formula,
}

#[derive(Serialize)]
struct Formula {
    #[serde(skip_serializing_if = "Option::is_none")]
    satisfiable: Option<bool>,
    lines: Vec<String>,
    lines_cut: usize,
    symbols: Vec<Symbol>,
    smtlib: String,
}

#[derive(Serialize)]
struct Symbol {
    name: String,
    meaning: String,
}

impl Document {
    fn new() -> Self {
        Self {
            schema: "wayproof-summaries",
            schema_version: VERSION,
            tool: Tool::THIS,
            files: Vec::new(),
            excluded_by_values: None,
            stopped: None,
            points: Vec::new(),
            arcs: Vec::new(),
            fallbacks: Vec::new(),
            missing: None,
            contracts: Vec::new(),
        }
    }
    fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a document has string keys only");
        text.push('\n');
        text
    }
}

/// The document of all readings.
pub(super) fn render(summarised: &Summarised<'_>) -> String {
    let mut document = Document::new();
    document.files = files(summarised.request);
    document.excluded_by_values = Some(summarised.graph.target.is_none());
    let terms = summarised.terms;
    for reading in summarised.readings {
        document.points.push(Point {
            id: reading.point.to_string(),
            kind: match reading.kind {
                PointKind::Entry => "entry",
                PointKind::Loop => "loop",
                PointKind::Error => "error",
            },
            location: location(&summarised.program.sources, reading.region),
            summary: formula(terms, &reading.summary),
            star: reading
                .star
                .as_ref()
                .map(|star| Star { exact: star.exact, relation: formula(terms, &star.relation) }),
            facts: formula(terms, &reading.facts),
            reachable: reading.forward.as_ref().map(|states| formula(terms, states)),
        });
    }
    let arcs = summarised.graph.arcs.iter();
    document.arcs =
        arcs.map(|arc| Arc { source: arc.source.to_string(), target: arc.target.to_string() }).collect();
    let fallbacks = fallbacks(&summarised.statistics).into_iter();
    document.fallbacks = fallbacks.map(|(what, count)| Fallback { what, count }).collect();
    document.text()
}

/// The document of a program whose calls stay: why there are no summaries, and contracts in their place.
pub(super) fn of_contracts(
    contracts: &[Contract],
    why: String,
    request: &Request,
    sources: &SourceMap,
) -> String {
    let mut document = Document::new();
    document.files = files(request);
    document.missing = Some(why);
    document.contracts = report::contracts(contracts, sources);
    document.text()
}

fn files(request: &Request) -> Vec<String> {
    request.files.iter().map(|file| file.display().to_string()).collect()
}

/// The document of a run that was ended from outside.
pub(super) fn unfinished(stop: Stop) -> String {
    let mut document = Document::new();
    document.stopped = Some(stop.to_string());
    document.text()
}

fn formula(terms: &Terms, reading: &Reading) -> Formula {
    let status = match reading.possible {
        Some(true) => "sat",
        Some(false) => "unsat",
        None => "unknown",
    };
    Formula {
        satisfiable: reading.possible,
        lines: reading.lines.iter().map(|line| format!("{}{}", "  ".repeat(line.depth), line.text)).collect(),
        lines_cut: reading.cut,
        symbols: reading
            .meanings
            .iter()
            .map(|(name, meaning)| Symbol { name: name.clone(), meaning: meaning.clone() })
            .collect(),
        smtlib: smtlib::script(terms, &[reading.formula], status),
    }
}
