//! Code that no execution gets to, and assertions that hold for lack of executions.
//!
//! Both are found by control flow and the analysis of values, so much is missed; what is found is certain. That no values satisfy the conditions of a start elsewhere than in
//! `main` is asked of the engine, within few ticks.
//!
//! # Invariants
//! * U1: no execution of the program reaches a place that is named here; of a start without executions that is certified.

use std::collections::{BTreeMap, BTreeSet};

use base::{Budget, Region, Stop};
use cfa::pointsto::{PointsTo, Punning};
use cfa::{
    ApproximationKind, CheckKind, CheckKinds, Loc, LocationRole, Op, ProcId, Procedure, Program,
    SignedOverflow,
};
use engine::{Env, solve_contained};
use passes::{Checks, InlineConfig, Prepared, inline, resolve_calls};
use verdict::Verdict;

use crate::Plan;

/// What no execution gets to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreached {
    /// The first statements of code that is never executed.
    pub statements: Vec<Region>,
    /// Assertions in such code.
    pub assertions: Vec<Region>,
}

/// Ticks for the question whether the start has executions.
const START: u64 = 1 << 14;

/// The function that the start calls, if its conditions contradict each other: then everything holds for lack of executions.
pub fn never_called(program: &Program, plan: &Plan<'_>, env: &mut Env<'_>) -> Option<Region> {
    if leaves_out(program) {
        return None;
    }
    let (question, called) = start_question(program)?;
    let task = Prepared::with(&question, plan.passes.clone());
    let mut slice = env.share(env.logic.budget.child(START));
    let verdict = solve_contained((plan.engine.configure)(plan.settings), &task, &mut slice);
    env.logic.budget.absorb(&slice.logic.budget);
    let certified = certify::certify(&task, verdict, &mut env.logic.budget);
    matches!(certified.verdict(), Verdict::Safe(_)).then_some(called)
}

/// The program in which the call of the user's function is the error, and nothing else is; only if the start has conditions.
fn start_question(program: &Program) -> Option<(Program, Region)> {
    let start = &program.procs[program.entry];
    let ops =
        || start.edges().iter_enumerated().flat_map(|(id, edge)| edge.ops.iter().map(move |op| (id, op)));
    if !ops().any(|(_, op)| matches!(op, Op::Assume { .. })) {
        return None;
    }
    let (call, called) = ops().filter_map(|(id, op)| Some((id, *op.call_targets().first()?))).next_back()?;
    let region = program.procs[called].region;
    if !program.sources.is_users(region) {
        return None;
    }
    let mut question = program.clone();
    question.checks = CheckKinds::NONE;
    if question.signed_overflow == SignedOverflow::Error {
        question.signed_overflow = SignedOverflow::Undefined;
    }
    let procedure = &mut question.procs[program.entry];
    let error = procedure.error_location(region);
    let edge = procedure.edge_mut(call);
    let before = edge.ops.iter().position(|op| !op.call_targets().is_empty())?;
    edge.ops.truncate(before);
    edge.target = error;
    Some((question, region))
}

/// Looks for what no execution of a program gets to.
pub fn unreached(program: &Program, checks: &Checks, budget: &mut Budget) -> Result<Unreached, Stop> {
    if leaves_out(program) {
        return Ok(Unreached::default());
    }
    let reached = Reached::new(program, budget)?;
    let mut statements = BTreeMap::new();
    for (proc, procedure) in program.procs.iter_enumerated() {
        if !reached.is_known(proc) {
            continue;
        }
        let failing = failing(procedure);
        for edge in procedure.edges().iter().filter(|edge| !failing.contains(&edge.target)) {
            let info = procedure.locations[edge.target];
            let is_first = reached.contains(proc, edge.source) && !reached.contains(proc, edge.target);
            if is_first && info.role == LocationRole::Statement && program.sources.is_users(info.region) {
                statements.insert(key(info.region), info.region);
            }
        }
    }
    let mut assertions = BTreeMap::new();
    for (_, check) in checks.iter().filter(|(_, check)| check.kind == CheckKind::Assertion) {
        if reached.is_known(check.proc) && !reached.may_evaluate(program, check.proc, check.region) {
            assertions.insert(key(check.region), check.region);
        }
    }
    Ok(Unreached {
        statements: statements.into_values().collect(),
        assertions: assertions.into_values().collect(),
    })
}

/// Whether the source has executions that the program lacks: one of them may get anywhere (U1).
fn leaves_out(program: &Program) -> bool {
    program.approximations.iter().any(|approximation| approximation.kind == ApproximationKind::Under)
}

/// The locations of a procedure from which every way leads to the error. That nothing gets there is what an assertion is for.
fn failing(procedure: &Procedure) -> BTreeSet<Loc> {
    let mut failing: BTreeSet<Loc> = procedure.error.into_iter().collect();
    loop {
        let mut open: BTreeSet<Loc> = BTreeSet::new();
        let mut sources: BTreeSet<Loc> = BTreeSet::new();
        for edge in procedure.edges() {
            sources.insert(edge.source);
            if !failing.contains(&edge.target) {
                open.insert(edge.source);
            }
        }
        let known = failing.len();
        failing.extend(sources.difference(&open));
        if failing.len() == known {
            return failing;
        }
    }
}

fn key(region: Region) -> (u32, u32, u32) {
    (region.file.0, region.line, region.column)
}

/// The locations of the program that an execution may reach.
struct Reached {
    locations: BTreeSet<(ProcId, Loc)>,
    /// Procedures that may be called where nobody looks.
    unknown: BTreeSet<ProcId>,
}

impl Reached {
    fn new(program: &Program, budget: &mut Budget) -> Result<Self, Stop> {
        let (resolved, first) = resolve_calls(program, &PointsTo::new(program, Punning::Any));
        let inlined = inline(&resolved, &InlineConfig::default());
        let back = first.then(&inlined.back);
        let new = &inlined.program;
        let mut reached = Self { locations: BTreeSet::new(), unknown: BTreeSet::new() };
        // What is called still may do anything.
        let mut pending: Vec<ProcId> = inlined.kept.iter().flat_map(|call| call.targets.clone()).collect();
        while let Some(proc) = pending.pop() {
            if reached.unknown.insert(proc) {
                let ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
                pending.extend(ops.flat_map(Op::call_targets));
            }
        }
        let entry = &new.procs[new.entry];
        let facts = values::analyze(new, entry, budget)?;
        for location in entry.locations.ids() {
            if facts.at(location).is_some()
                && let Some(origin) = back.location(new.entry, location)
            {
                reached.locations.insert((origin.proc, origin.location));
            }
        }
        Ok(reached)
    }

    fn is_known(&self, proc: ProcId) -> bool {
        !self.unknown.contains(&proc)
    }

    fn contains(&self, proc: ProcId, location: Loc) -> bool {
        self.locations.contains(&(proc, location))
    }

    /// Whether an execution may get to a place in a procedure: to the statement that it is in. For an assertion that is the one that decides whether it
    /// fails.
    fn may_evaluate(&self, program: &Program, proc: ProcId, region: Region) -> bool {
        let procedure = &program.procs[proc];
        let failing = failing(procedure);
        let statements = procedure.locations.iter_enumerated().filter(|(location, info)| {
            matches!(info.role, LocationRole::Statement)
                && info.region.contains(region)
                && !failing.contains(location)
        });
        let extent = |region: Region| (region.end_line - region.line, region.end_column);
        let innermost = statements.min_by_key(|(_, info)| extent(info.region));
        innermost.is_none_or(|(location, _)| self.contains(proc, location))
    }
}
