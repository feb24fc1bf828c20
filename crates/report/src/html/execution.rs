//! The execution of a counterexample, step by step.

use std::sync::Arc;

use cfa::Program;
use serde::Serialize;

use super::data::{Spot, spot};
use crate::steps::{Change, Frame, Kind, Step};

/// Steps, and the call stacks that they refer to.
#[derive(Serialize, Default)]
pub(super) struct Execution {
    steps: Vec<Row>,
    stacks: Vec<Vec<Call>>,
}

#[derive(Serialize)]
struct Row {
    kind: &'static str,
    at: Spot,
    /// A position among the stacks.
    stack: usize,
    depth: usize,
    nesting: usize,
    matters: bool,
    changes: Vec<Written>,
    /// The number of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    /// What asks for an input, or the function that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    /// Iterations, or how many steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
}

#[derive(Serialize)]
struct Written {
    name: String,
    #[serde(rename = "type")]
    c_type: String,
    value: String,
    matters: bool,
    /// The depth of the activation that it belongs to; nothing for what belongs to none.
    frame: Option<usize>,
}

#[derive(Serialize)]
struct Call {
    name: String,
    at: Spot,
}

impl Execution {
    /// The steps for the page.
    pub(super) fn new(program: &Program, steps: &[Step]) -> Self {
        let mut execution = Self::default();
        let mut last: Option<&Arc<[Frame]>> = None;
        for step in steps {
            if last.is_none_or(|last| last != &step.stack) {
                execution.stacks.push(stack(step));
                last = Some(&step.stack);
            }
            execution.steps.push(row(program, step, execution.stacks.len() - 1));
        }
        execution
    }
}

/// The activations; nothing of the user's calls the entry function.
fn stack(step: &Step) -> Vec<Call> {
    let is_whole = step.depth < step.stack.len();
    let call = |(position, frame): (usize, &Frame)| Call {
        name: frame.function.to_string(),
        at: spot(frame.called_at).filter(|_| position > 0 || !is_whole),
    };
    step.stack.iter().enumerate().map(call).collect()
}

fn row(program: &Program, step: &Step, stack: usize) -> Row {
    let changes = step.changes.iter().map(|change| Written {
        name: change.name.clone(),
        c_type: change.c_type.to_string(),
        value: change.value.clone(),
        matters: change.matters,
        frame: frame(program, change, step),
    });
    let mut row = Row {
        kind: "",
        at: spot(step.region),
        stack,
        depth: step.depth,
        nesting: step.nesting,
        matters: step.matters,
        changes: changes.collect(),
        number: None,
        word: None,
        holds: None,
        from: None,
        to: None,
    };
    row.kind = match &step.kind {
        Kind::Statement => "statement",
        Kind::Input { number, source } => {
            (row.number, row.word) = (Some(*number), Some(source.clone()));
            "input"
        }
        Kind::Branch(holds) => {
            row.holds = Some(*holds);
            "branch"
        }
        Kind::Call(function) => {
            row.word = Some(function.to_string());
            "call"
        }
        Kind::Round(number) => {
            row.from = Some(*number);
            "round"
        }
        Kind::Folded { from, to } => {
            (row.from, row.to) = (Some(*from), Some(*to));
            "folded"
        }
        Kind::Skipped { from, to } => {
            (row.from, row.to) = (Some(*from), Some(*to));
            "skipped"
        }
        Kind::Omitted(count) => {
            row.from = Some(*count);
            "omitted"
        }
        Kind::Stopped => "stopped",
        Kind::Violation => "violation",
    };
    row
}

/// The innermost activation of the function that has what is written, which may be a caller's.
fn frame(program: &Program, change: &Change, step: &Step) -> Option<usize> {
    if let Kind::Call(_) = step.kind {
        return Some(step.depth + 1);
    }
    let owner = &program.procs[change.owner?].name;
    let outwards = step.stack.iter().rev().position(|frame| frame.function == *owner)?;
    step.depth.checked_sub(outwards)
}
