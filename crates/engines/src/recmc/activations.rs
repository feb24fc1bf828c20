//! Contracts from executions: activations of recursive procedures that some runs of the program finish.
//!
//! The program is run with inputs that are small or near its constants. An observer notes the values of the arguments of
//! each predicate when an activation arrives at its location: values at the entry and values there. Crate horn fits facts to them and keeps what is inductive.
//!
//! # Invariants
//! * A1: nothing here is trusted: what is fitted is proved before it is used.
//! * A2: the inputs are fixed, so the same program has the same runs.
//! * A3: a program without recursion is not run.
//!
//! # Cost
//! At most [`RUNS`] runs of [`TICKS`] steps, fewer if each predicate has [`ENOUGH`] points: hundredths of a second.

use std::collections::{BTreeMap, BTreeSet};

use base::Budget;
use cfa::watch::recursive_procedures;
use cfa::{EdgeId, Expr, Loc, ProcId, Procedure, Program, Ty, VarId};
use horn::{Candidates, Samples};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Observer, Oracle, Request, Seed, Uninitialised,
    Value, View, Written,
};
use term::Integer;

use super::clauses::Clauses;

/// Runs of the program.
const RUNS: usize = 64;
/// Steps of a run.
const TICKS: u64 = 1 << 14;
/// Nested calls of a run.
const DEPTH: usize = 500;
/// Points of a predicate; more are not noted.
const ENOUGH: usize = 1500;
/// Predicates with more arguments have no candidates.
const ARGUMENT_LIMIT: usize = 12;
/// Inputs around zero.
const SMALL: std::ops::Range<i128> = -2..9;
/// Constants that are further from zero are no inputs.
const FAR: i128 = 1 << 12;
/// Steps of a run that are worth a tick of an engine.
const STEPS_OF_A_TICK: u64 = 1 << 15;

/// What activations of recursive procedures tell about the predicates at their locations.
pub(super) fn candidates(
    program: &Program,
    clauses: &Clauses,
    is_kept: impl Fn(ProcId, Loc) -> bool,
    budget: &mut Budget,
) -> Candidates {
    let mut log = Log::new(program, clauses, is_kept);
    let mut candidates = Candidates::new();
    if log.watched.is_empty() {
        return candidates;
    }
    let code =
        Code::new(program, CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Edges });
    let pool = pool(program);
    let config = Config { call_depth: DEPTH, ..Config::default() };
    for run in 0..RUNS {
        if budget.poll().is_err() || log.has_enough() {
            break;
        }
        let mut oracle = Pool { values: &pool, run, seed: Seed::new(run as u64) };
        let mut allowance = Budget::ticks(TICKS);
        log.activations.clear();
        log.is_called = false;
        let mut machine = Machine::new(program, &code, config);
        machine.run(&mut oracle, &mut log, &mut std::io::sink(), &mut allowance);
        // If no tick is left, whoever asks for the next one is told.
        let _ = budget.charge(allowance.spent() / STEPS_OF_A_TICK);
    }
    for ((proc, location), watched) in log.watched {
        let inputs = clauses.inputs(proc).len();
        let samples = Samples { inputs, points: watched.points };
        candidates.sample(clauses.points[&(proc, location)].predicate, samples);
    }
    candidates
}

/// Inputs that are worth trying: numbers around zero, and constants of the program with their neighbours.
fn pool(program: &Program) -> Vec<i128> {
    let mut near = BTreeSet::new();
    let ops = program.procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops);
    for expr in ops.flat_map(|op| values::state::operands_first(program, op.exprs())) {
        let Expr::Const { ty: ty @ Ty::Int { .. }, bits } = *program.exprs.get(expr) else { continue };
        let value = Value { ty, bits }.as_int();
        if (-FAR..=FAR).contains(&value) {
            near.extend([value - 1, value, value + 1]);
        }
    }
    let small: Vec<i128> = SMALL.collect();
    near.retain(|value| !small.contains(value));
    small.into_iter().chain(near).collect()
}

/// The first runs have the same value for all inputs, the others change.
struct Pool<'a> {
    values: &'a [i128],
    run: usize,
    seed: Seed,
}

impl Oracle for Pool<'_> {
    fn choose(&mut self, _: &Request<'_>) -> Option<Choice> {
        let index = if self.run < self.values.len().min(RUNS / 4) {
            self.run
        } else {
            self.seed.below(self.values.len())
        };
        self.values.get(index).copied().map(Choice::Int)
    }
}

/// A location whose predicate gets points.
struct Watched {
    /// The variables of its arguments: at the entry, then at the location.
    now: Vec<VarId>,
    points: BTreeSet<Vec<Integer>>,
}

/// An activation that has not returned.
struct Activation {
    proc: ProcId,
    /// The values of the inputs at the entry; nothing if one of them has none.
    given: Option<Vec<Integer>>,
}

/// The points that are reached.
struct Log<'a> {
    program: &'a Program,
    clauses: &'a Clauses,
    watched: BTreeMap<(ProcId, Loc), Watched>,
    activations: Vec<Activation>,
    /// Whether an edge with a call was entered last.
    is_called: bool,
}

impl<'a> Log<'a> {
    fn new(program: &'a Program, clauses: &'a Clauses, is_kept: impl Fn(ProcId, Loc) -> bool) -> Self {
        let recursive = recursive_procedures(program);
        let mut watched = BTreeMap::new();
        for ((proc, location), point) in &clauses.points {
            let is_wanted = recursive[*proc] && is_kept(*proc, *location);
            if !is_wanted || point.arguments.len() > ARGUMENT_LIMIT {
                continue;
            }
            let arguments = point.arguments.iter().copied();
            let now = arguments.filter_map(|symbol| clauses.vocabulary.var(symbol)).collect();
            watched.insert((*proc, *location), Watched { now, points: BTreeSet::new() });
        }
        Self { program, clauses, watched, activations: Vec::new(), is_called: false }
    }

    fn has_enough(&self) -> bool {
        self.watched.values().all(|watched| watched.points.len() >= ENOUGH)
    }
}

fn integers(view: &View<'_>, vars: &[VarId]) -> Option<Vec<Integer>> {
    vars.iter().map(|var| view.scalar(*var).map(|value| Integer::from(value.as_int()))).collect()
}

impl Observer for Log<'_> {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        if self.is_called {
            let given = integers(view, self.clauses.inputs(proc));
            self.activations.push(Activation { proc, given });
        }
        self.is_called = super::clauses::is_call(&self.program.procs[proc].edges()[edge]);
    }

    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        let procedure = &self.program.procs[proc];
        let location = procedure.edges()[edge].target;
        let Some(activation) = self.activations.last().filter(|activation| activation.proc == proc) else {
            return;
        };
        if let Some(watched) = self.watched.get_mut(&(proc, location))
            && watched.points.len() < ENOUGH
            && let (Some(given), Some(now)) = (&activation.given, integers(view, &watched.now))
        {
            watched.points.insert(given.iter().cloned().chain(now).collect());
        }
        if location == procedure.exit {
            self.activations.pop();
        }
    }

    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}
