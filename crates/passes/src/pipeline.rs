//! The standard sequence of passes.

use super::back::BackTranslation;
use super::calls::CallGraph;
use super::compact::compact;
use super::compress::{CallEdges, compress};
use super::dead_variables::eliminate_dead;
use super::inline::{InlineConfig, KeptCall, KeptReason, inline};
use super::instrument::instrument;
use super::promote::promote;
use super::propagate::propagate;
use super::prune::prune;
use super::resolve::resolve_calls;
use super::slice::slice;
use super::unroll::unroll;
use base::census;
use cfa::pointsto::{PointsTo, Punning};
use cfa::{Op, ProcId, Procedure, Program, SignedOverflow};

/// What is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// What does not influence the error goes: more executions, so counterexamples are replayed.
    #[default]
    Slice,
    /// Only what changes nothing about executions that reach the error.
    Exact,
}

/// What becomes of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryForm {
    /// It becomes variables, and short loops over it are unrolled: more executions, so counterexamples are replayed.
    #[default]
    Variables,
    /// It stays memory.
    Bytes,
}

/// Options of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineConfig {
    /// Limits of inlining; `None` leaves all calls.
    pub inline: Option<InlineConfig>,
    /// What becomes of memory.
    pub memory: MemoryForm,
    /// What is removed.
    pub precision: Precision,
    /// Which edges are merged; `None` for none.
    pub compress: Option<CallEdges>,
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            inline: Some(InlineConfig::default()),
            memory: MemoryForm::default(),
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
    /// All calls that are left in the new program.
    pub kept_calls: Vec<KeptCall>,
}

/// Applies the standard sequence: make overflows error locations if they are violations, resolve indirect calls, prune, inline, propagate, slice or prune, remove
/// dead variables, merge blocks, renumber.
pub fn pipeline(program: &Program, config: &PipelineConfig) -> Pipelined {
    census::count(census::Step::PipelineRun);
    let mut stage = Stage { program: program.clone(), backs: Vec::new() };
    if program.signed_overflow == SignedOverflow::Error {
        stage.apply(instrument);
    }
    stage.apply(|program| resolve_calls(program, &PointsTo::new(program, Punning::Any)));
    stage.apply(prune);
    if let Some(limits) = &config.inline {
        stage.apply(|program| {
            let inlined = inline(program, limits);
            (inlined.program, inlined.back)
        });
    }
    stage.apply(propagate);
    if config.memory == MemoryForm::Variables {
        stage.apply(unroll);
        stage.apply(promote);
        stage.apply(propagate);
        stage.apply(unroll);
    }
    stage.apply(match config.precision {
        // Slicing prunes first.
        Precision::Slice => slice,
        Precision::Exact => prune,
    });
    stage.apply(eliminate_dead);
    if let Some(calls) = config.compress {
        stage.apply(|program| compress(program, calls));
    }
    stage.apply(compact);
    // From the end, where programs are smallest.
    let composed = stage.backs.into_iter().rev().reduce(|later, earlier| earlier.then(&later));
    let back = composed.unwrap_or_else(|| BackTranslation::identity(program));
    let kept_calls = kept_calls(&stage.program, config);
    Pipelined { program: stage.program, back, kept_calls }
}

/// The calls of the result, each with the reason for which inlining left it.
fn kept_calls(program: &Program, config: &PipelineConfig) -> Vec<KeptCall> {
    let has_call = |procedure: &Procedure| {
        let mut ops = procedure.edges().iter().flat_map(|edge| &edge.ops);
        ops.any(|op| matches!(op, Op::Call { .. }))
    };
    if !program.procs.iter().any(has_call) {
        return Vec::new();
    }
    let calls = CallGraph::new(program);
    let reason = |targets: &[ProcId]| match &config.inline {
        None => KeptReason::Off,
        Some(_) if targets.iter().any(|target| calls.is_recursive(*target)) => KeptReason::Recursive,
        Some(limits) if targets.len() > limits.max_targets => KeptReason::Targets,
        Some(_) => KeptReason::Size,
    };
    let sites = calls.sites.iter().flatten();
    let kept = sites.map(|site| {
        let targets = site.op(program).call_targets().to_vec();
        KeptCall { proc: site.proc, edge: site.edge, reason: reason(&targets), targets }
    });
    kept.collect()
}

struct Stage {
    program: Program,
    /// Of all passes so far, the first one first.
    backs: Vec<BackTranslation>,
}

impl Stage {
    fn apply(&mut self, pass: impl FnOnce(&Program) -> (Program, BackTranslation)) {
        let (program, back) = pass(&self.program);
        debug_assert_eq!(program.verify(), Ok(()));
        self.program = program;
        self.backs.push(back);
    }
}
