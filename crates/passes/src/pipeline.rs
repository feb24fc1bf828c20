//! The standard sequence of passes.

use std::collections::BTreeSet;

use super::back::BackTranslation;
use super::calls::CallGraph;
use super::compact::compact;
use super::compress::{CallEdges, compress};
use super::dead_variables::eliminate_dead;
use super::inline::{InlineConfig, KeptCall, KeptReason, inline};
use super::instrument::{Checks, Instrumented, Losses, Selection, transform};
use super::promote::promote;
use super::propagate::{propagate, propagate_copies};
use super::prune::prune;
use super::recursion::{
    Obstacle, accumulate, descend, exclude, hand_back, linear, obstacles, settle, tail, window,
};
use super::resolve::resolve_calls;
use super::rows::rows;
use super::scalarise::scalarise;
use super::slice::slice;
use super::unroll::unroll;
use base::census;
use cfa::pointsto::{PointsTo, Punning};
use cfa::{EdgeId, Op, ProcId, Procedure, Program, SignedOverflow};

use super::instrument::CheckId;

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

/// A pass that can be left out, for ablations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptionalPass {
    /// Errors of callees move to the entry.
    Descend,
    /// Tail recursion becomes loops.
    Tail,
    /// Recursion over a window of results becomes loops.
    Window,
    /// Linear recursion becomes loops.
    Linear,
}

impl OptionalPass {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Descend, Self::Tail, Self::Window, Self::Linear];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Descend => "descend",
            Self::Tail => "tail",
            Self::Window => "window",
            Self::Linear => "linear",
        }
    }
}

/// Options of the pipeline.
#[derive(Clone, Debug)]
pub struct PipelineConfig {
    /// Limits of inlining; `None` leaves all calls.
    pub inline: Option<InlineConfig>,
    /// What becomes of memory.
    pub memory: MemoryForm,
    /// What is removed.
    pub precision: Precision,
    /// Which edges are merged; `None` for none.
    pub compress: Option<CallEdges>,
    /// What is left out.
    pub without: BTreeSet<OptionalPass>,
}

impl Default for PipelineConfig {
    fn default() -> Self {
        Self {
            inline: Some(InlineConfig::default()),
            memory: MemoryForm::default(),
            precision: Precision::default(),
            compress: Some(CallEdges::default()),
            without: BTreeSet::new(),
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
    /// The checks that became error locations, if there are any.
    pub instrumented: Option<Errors>,
}

/// What the edges to the error of a prepared program stand for.
#[derive(Clone, Debug)]
pub struct Errors {
    /// The checks of the program that was given.
    pub checks: Checks,
    /// The way from the new program to the one with error locations.
    back: BackTranslation,
}

impl Errors {
    /// What an edge to the error stands for.
    pub fn of_edge(&self, proc: ProcId, edge: EdgeId) -> &[CheckId] {
        let last = self.back.edge(proc, edge).steps.last();
        last.map_or(&[], |step| self.checks.of_edge(step.proc, step.edge))
    }
}

/// Applies the standard sequence: make checks error locations if they are violations, resolve indirect calls, prune, make recursion loops, inline, propagate, make memory variables, slice
/// or prune, remove dead variables, merge blocks, renumber.
pub fn pipeline(program: &Program, config: &PipelineConfig) -> Pipelined {
    let has_checks = program.signed_overflow == SignedOverflow::Error
        || !program.checks.is_empty()
        || !program.excused.is_empty();
    if has_checks { select(program, &Selection::all(), config) } else { run(program, None, config) }
}

/// The same with the checks of a selection as error locations.
pub(crate) fn select(program: &Program, selection: &Selection, config: &PipelineConfig) -> Pipelined {
    run(program, Some(transform(program, selection, Losses::Rounded)), config)
}

fn run(program: &Program, instrumented: Option<Instrumented>, config: &PipelineConfig) -> Pipelined {
    census::count(census::Step::PipelineRun);
    let mut stage = Stage { program: program.clone(), backs: Vec::new() };
    let mut first = None;
    if let Some(Instrumented { program, back, checks }) = instrumented {
        debug_assert_eq!(program.verify(), Ok(()));
        stage.program = program;
        first = Some((back, checks));
    }
    stage.apply(|program| resolve_calls(program, &PointsTo::new(program, Punning::Any)));
    stage.apply(prune);
    if let Some(limits) = &config.inline {
        let is_recursive = is_recursive(&stage.program);
        if is_recursive {
            unwind(&mut stage, config, limits);
        }
        stage.apply(|program| inlined(program, limits));
        if is_recursive {
            stage.apply(propagate_copies);
            stage.apply(settle);
        } else if has_calls(&stage.program) {
            // The program is too large for its calls to be inlined. Contracts say what they return, not where they fail.
            stage.apply_unless(config, OptionalPass::Descend, descend);
            stage.apply(prune);
        }
    }
    stage.apply(propagate);
    if config.memory == MemoryForm::Variables {
        stage.apply(unroll);
        stage.apply(promote);
        stage.apply(propagate);
        stage.apply(unroll);
        stage.apply(scalarise);
        stage.apply(rows);
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
    let later = composed.unwrap_or_else(|| BackTranslation::identity(program));
    let kept_calls = kept_calls(&stage.program, config);
    let (back, instrumented) = match first {
        Some((back, checks)) => (back.then(&later), Some(Errors { checks, back: later })),
        None => (later, None),
    };
    Pipelined { program: stage.program, back, kept_calls, instrumented }
}

fn inlined(program: &Program, limits: &InlineConfig) -> (Program, BackTranslation) {
    let inlined = inline(program, limits);
    (inlined.program, inlined.back)
}

/// Makes loops of the recursions that are of the right form. Calls that do not matter go first. What is not recursive is inlined before errors move and bodies are
/// copied: then few calls need a guess whether they fail.
///
/// Memory becomes variables in between. Not earlier: a local object of a procedure that is called from several places would be many objects, one inlined copy of it is one, and tail recursion
/// needs no variables. Not later: [`window`] and [`linear`] guess and keep values of scalars only, so they refuse procedures that write memory or pass pointers. The order does not matter for soundness: each
/// pass keeps the executions of the program that it gets, or has more of them.
fn unwind(stage: &mut Stage, config: &PipelineConfig, limits: &InlineConfig) {
    if config.precision == Precision::Slice {
        stage.apply(slice);
    }
    stage.apply(eliminate_dead);
    stage.apply_unless(config, OptionalPass::Tail, tail);
    if !is_recursive(&stage.program) {
        return;
    }
    stage.apply(|program| inlined(program, limits));
    if config.memory == MemoryForm::Variables {
        stage.apply(hand_back);
        stage.apply(promote);
    }
    stage.apply_unless(config, OptionalPass::Descend, descend);
    stage.apply(prune);
    stage.apply(exclude);
    if !config.without.contains(&OptionalPass::Window) {
        if config.precision == Precision::Slice {
            stage.apply(accumulate);
        }
        stage.apply(window);
    }
    stage.apply_unless(config, OptionalPass::Linear, linear);
}

fn is_recursive(program: &Program) -> bool {
    !CallGraph::new(program).components.is_empty()
}

fn has_calls(program: &Program) -> bool {
    let has_call = |procedure: &Procedure| {
        let mut ops = procedure.edges().iter().flat_map(|edge| &edge.ops);
        ops.any(|op| matches!(op, Op::Call { .. }))
    };
    program.procs.iter().any(has_call)
}

/// The calls of the result, each with the reason for which inlining left it.
fn kept_calls(program: &Program, config: &PipelineConfig) -> Vec<KeptCall> {
    if !has_calls(program) {
        return Vec::new();
    }
    let calls = CallGraph::new(program);
    let reason = |targets: &[ProcId]| match &config.inline {
        None => KeptReason::Off,
        Some(_) if targets.iter().any(|target| calls.is_recursive(*target)) => KeptReason::Recursive,
        Some(limits) if targets.len() > limits.max_targets => KeptReason::Targets,
        Some(_) => KeptReason::Size,
    };
    let obstacles = obstacles(program, &calls);
    let is_left_out = |pass| config.without.contains(&pass);
    let obstacle = |targets: &[ProcId]| {
        let recursive = targets.iter().find(|target| calls.is_recursive(**target))?;
        match obstacles.get(recursive).copied() {
            Some(Obstacle::Fails) if is_left_out(OptionalPass::Descend) => Some(Obstacle::LeftOut),
            None if is_left_out(OptionalPass::Linear) => Some(Obstacle::LeftOut),
            found => found,
        }
    };
    let sites = calls.sites.iter().flatten();
    let kept = sites.map(|site| {
        let targets = site.op(program).call_targets().to_vec();
        let (reason, obstacle) = (reason(&targets), obstacle(&targets));
        KeptCall { proc: site.proc, edge: site.edge, targets, reason, obstacle }
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

    fn apply_unless(
        &mut self,
        config: &PipelineConfig,
        name: OptionalPass,
        pass: impl FnOnce(&Program) -> (Program, BackTranslation),
    ) {
        if !config.without.contains(&name) {
            self.apply(pass);
        }
    }
}
