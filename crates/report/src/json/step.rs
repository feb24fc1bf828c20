//! Steps of an execution in the report for programs.

use base::SourceMap;
use serde::Serialize;

use super::{Location, location};
use crate::steps::{Kind, Step};

#[derive(Default, Serialize)]
pub(super) struct JsonStep {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    #[serde(skip_serializing_if = "String::is_empty")]
    function: String,
    /// Calls around it.
    depth: usize,
    /// Loops around it.
    nesting: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<JsonChange>,
}

#[derive(Serialize)]
struct JsonChange {
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    r#type: String,
    value: String,
    relevant: bool,
}

pub(super) fn json_step(step: &Step, sources: &SourceMap) -> JsonStep {
    let changes = step.changes.iter().map(|change| JsonChange {
        name: change.name.clone(),
        r#type: change.c_type.to_string(),
        value: change.value.clone(),
        relevant: change.matters,
    });
    let mut json = JsonStep {
        location: location(sources, step.region),
        function: step.function().to_owned(),
        depth: step.depth,
        nesting: step.nesting,
        changes: changes.collect(),
        ..JsonStep::default()
    };
    json.kind = match &step.kind {
        Kind::Statement => "statement",
        Kind::Input { number, .. } => {
            json.input = Some(*number);
            "input"
        }
        Kind::Branch(holds) => {
            json.holds = Some(*holds);
            "branch"
        }
        Kind::Call(callee) => {
            json.callee = Some(callee.to_string());
            "call"
        }
        Kind::Round(number) => {
            (json.from, json.to) = (Some(*number), Some(*number));
            "iteration"
        }
        Kind::Folded { from, to } => {
            (json.from, json.to) = (Some(*from), Some(*to));
            "iterations-as-above"
        }
        Kind::Skipped { from, to } => {
            (json.from, json.to) = (Some(*from), Some(*to));
            "iterations-omitted"
        }
        Kind::Omitted(count) => {
            json.count = Some(*count);
            "steps-omitted"
        }
        Kind::Stopped => "rest-omitted",
        Kind::Violation => "violation",
    };
    json
}
