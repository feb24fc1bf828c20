//! The standard sequence of passes.

use super::back::BackTranslation;
use super::compact::compact;
use super::compress::{CallEdges, compress};
use super::dead::eliminate_dead;
use super::inline::{InlineConfig, KeptCall, inline};
use super::propagate::propagate;
use super::prune::prune;
use super::resolve::resolve_calls;
use super::slice::slice;
use crate::Program;
use crate::pointsto::{PointsTo, Punning};

/// What is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// What does not influence the error goes: more executions, so counterexamples are replayed.
    #[default]
    Slice,
    /// Only what changes nothing about executions that reach the error.
    Exact,
}

/// Options of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineConfig {
    /// Limits of inlining; `None` leaves all calls.
    pub inline: Option<InlineConfig>,
    /// What is removed.
    pub precision: Precision,
    /// Which edges are merged; `None` for none.
    pub compress: Option<CallEdges>,
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            inline: Some(InlineConfig::default()),
            precision: Precision::default(),
            compress: Some(CallEdges::default()),
        }
    }
}

/// The result of the pipeline.
#[derive(Clone, Debug)]
pub struct Pipelined {
    /// The new program.
    pub program: Program,
    /// The way back to the program that was given.
    pub back: BackTranslation,
    /// Calls that are left, in terms of the program after inlining; empty if inlining was off.
    pub kept_calls: Vec<KeptCall>,
}

/// Applies the standard sequence: resolve indirect calls, prune, inline, propagate, prune, remove dead variables, slice, merge
/// blocks, renumber.
pub fn pipeline(program: &Program, config: &PipelineConfig) -> Pipelined {
    let mut stage = Stage { program: program.clone(), back: None };
    stage.apply(|program| resolve_calls(program, &PointsTo::new(program, Punning::Any)));
    stage.apply(prune);
    let mut kept_calls = Vec::new();
    if let Some(limits) = &config.inline {
        stage.apply(|program| {
            let inlined = inline(program, limits);
            kept_calls = inlined.kept;
            (inlined.program, inlined.back)
        });
    }
    stage.apply(propagate);
    stage.apply(prune);
    stage.apply(eliminate_dead);
    if config.precision == Precision::Slice {
        stage.apply(slice);
        stage.apply(eliminate_dead);
    }
    if let Some(calls) = config.compress {
        stage.apply(|program| compress(program, calls));
    }
    stage.apply(compact);
    let back = stage.back.unwrap_or_else(|| BackTranslation::identity(program));
    Pipelined { program: stage.program, back, kept_calls }
}

struct Stage {
    program: Program,
    back: Option<BackTranslation>,
}

impl Stage {
    fn apply(&mut self, pass: impl FnOnce(&Program) -> (Program, BackTranslation)) {
        let (program, back) = pass(&self.program);
        debug_assert_eq!(program.verify(), Ok(()));
        self.program = program;
        self.back = Some(match self.back.take() {
            Some(before) => before.then(&back),
            None => back,
        });
    }
}
