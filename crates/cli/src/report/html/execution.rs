//! The execution of a counterexample, step by step.

use serde::Serialize;

/// Steps, and the call stacks that they refer to.
#[derive(Serialize, Default)]
pub(super) struct Execution {
    steps: Vec<()>,
    stacks: Vec<()>,
}
