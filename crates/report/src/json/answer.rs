//! The answer to a question about a condition, for programs: docs/json.md describes it.

use certify::Certified;
use serde::Serialize;
use verdict::{LogicName, Proof, Verdict};
use witness::ask::{Answer, Part, Word};
use witness::claim::Moment;

use super::{
    Call, Entry, Evidence, Input, JsonReason, Location, Tool, checked_by, execution, input, ledger, location,
    reason, stack,
};
use crate::answer::{Asked, certified};

/// The version of the schema.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    tool: Tool,
    condition: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    evaluated: &'static str,
    answer: &'static str,
    can_be_true: JsonPart,
    can_be_false: JsonPart,
    #[serde(skip_serializing_if = "Option::is_none")]
    can_be_undefined: Option<JsonPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    can_be_reached: Option<JsonPart>,
    ledger: Vec<Entry>,
}

#[derive(Default, Serialize)]
struct JsonPart {
    known: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<JsonExample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Evidence>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<JsonReason>,
}

#[derive(Serialize)]
struct JsonExample {
    visit: usize,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    stack: Vec<Call>,
    inputs: Vec<Input>,
}

/// The whole document.
pub(crate) fn render(asked: &Asked<'_>) -> String {
    let Answer { spot, holds, fails, undefined, reached, .. } = asked.answer;
    let document = Document {
        schema: "wayproof-answer",
        schema_version: VERSION,
        tool: Tool::THIS,
        condition: asked.condition,
        location: location(asked.sources, asked.place),
        evaluated: match spot.moment {
            Moment::Statement => "statement",
            Moment::Loop => "loop",
        },
        answer: match asked.answer.word() {
            Word::Always => "always",
            Word::Never => "never",
            Word::Sometimes => "sometimes",
            Word::Unreached => "unreached",
            Word::Possible => "possible",
            Word::NotAlways => "not-always",
            Word::Unknown => "unknown",
        },
        can_be_true: part(asked, holds),
        can_be_false: part(asked, fails),
        can_be_undefined: undefined.as_ref().map(|undefined| part(asked, undefined)),
        can_be_reached: reached.as_ref().map(|reached| part(asked, reached)),
        ledger: entries(asked),
    };
    let mut text = serde_json::to_string_pretty(&document).expect("a document has string keys only");
    text.push('\n');
    text
}

fn part(asked: &Asked<'_>, part: &Part) -> JsonPart {
    let checked_by = certified(part).and_then(Certified::check).map(checked_by);
    match part {
        Part::Can(example) => {
            let trace = &example.trace;
            let example = JsonExample {
                visit: example.visit,
                detail: example.detail.clone(),
                stack: stack(&trace.violation.stack, asked.sources),
                inputs: trace.choices.iter().map(|chosen| input(chosen, asked.sources)).collect(),
            };
            JsonPart { known: "yes", example: Some(example), checked_by, ..JsonPart::default() }
        }
        Part::Never(certified) => {
            JsonPart { known: "no", proof: proof(asked, certified), checked_by, ..JsonPart::default() }
        }
        Part::Open(why) => JsonPart {
            known: "unknown",
            reason: Some(reason(why, &asked.answer.sources)),
            ..JsonPart::default()
        },
    }
}

fn proof(asked: &Asked<'_>, certified: &Certified) -> Option<Evidence> {
    match certified.verdict() {
        Verdict::Safe(Proof::Execution(end)) => Some(execution(end, &asked.answer.sources)),
        Verdict::Safe(Proof::Executions(count) | Proof::UnwoundExecutions(count)) => {
            Some(Evidence::Executions { count: *count })
        }
        Verdict::Safe(Proof::Bounded(proof)) => {
            let logic = match proof.logic {
                LogicName::Integers => "integers",
                LogicName::Bits => "bits",
            };
            Some(Evidence::Bounded { logic, iterations: proof.iterations })
        }
        Verdict::Safe(Proof::Annotation(annotation)) => Some(Evidence::Annotation {
            locations: annotation.locations().count(),
            invariants: Vec::new(),
            quantified: Vec::new(),
            contracts: Vec::new(),
            invariants_suffice: None,
        }),
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    }
}

/// What all parts rest on, each thing once.
fn entries(asked: &Asked<'_>) -> Vec<Entry> {
    let all = asked.answer.parts().filter_map(certified);
    let all = all.filter_map(|certified| ledger(certified, asked.basis, &asked.answer.sources)).flatten();
    let mut entries: Vec<Entry> = Vec::new();
    for entry in all {
        let is_same = |other: &Entry| {
            (other.kind, &other.what, &other.location) == (entry.kind, &entry.what, &entry.location)
        };
        if !entries.iter().any(is_same) {
            entries.push(entry);
        }
    }
    entries
}
