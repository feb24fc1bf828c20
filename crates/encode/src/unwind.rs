//! All ways of a procedure to the error, up to a number of iterations of each loop, as acyclic formulas.
//!
//! Locations are executed in the weak topological order, so a loop is left before what comes behind it is executed, and all ways that leave it meet there once. An iteration is finished before
//! the next one starts. Values are executed where they are known: a loop whose counter is a number unrolls without a question to the solver.
//!
//! # Paper
//! [Cbmc04]: the unwinding of bounded model checking for C, with large blocks: where paths meet they are merged ([`crate::Pieces`]), so its size is linear in the number of executed locations.
//!
//! # Invariants
//! * W1: every execution from the entry satisfies a condition of an error or a cut if it reaches the error: what is not followed further is cut, or reaches the error from nowhere.
//! * W2: the conditions are over the values at the entry and the Skolem constants; each execution of an operation has its own.
//!
//! # Cost
//! At most [`MOST_STEPS`] executed locations.

use std::collections::BTreeMap;
use std::ops::Range;

use base::{Budget, IndexVec, Stop};
use cfa::loops::{LoopForest, LoopId, reaching};
use cfa::{Edge, EdgeId, Loc, ProcId, Procedure, Program};
use term::{Evaluator, Model, TermId, Terms};
use values::state::State;

use crate::encoder::Encoder;
use crate::join::tells_apart;
use crate::origin::{Origin, Site, Skolem};
use crate::transition::Transition;
use crate::vocabulary::Vocabulary;

/// The most locations that are executed. What is left then is cut.
const MOST_STEPS: u32 = 20_000;

/// The ways to the error, and what is not followed.
#[derive(Debug)]
pub struct Unwound {
    /// When the error is reached, for each way into it.
    pub errors: Vec<TermId>,
    /// When an execution goes on beyond the bound.
    pub cuts: Vec<TermId>,
    /// The Skolem constants of all operations, in the order of execution.
    pub skolems: Vec<Skolem>,
    error_ways: Vec<WayId>,
    ways: Vec<Way>,
}

/// The number of a way.
type WayId = usize;

/// How a location was reached.
#[derive(Clone, Debug)]
enum Way {
    /// It is the entry.
    Start,
    /// By an edge, with the Skolem constants of its operations.
    Edge { from: WayId, edge: EdgeId, chosen: Range<usize> },
    /// By one of two ways.
    Either { condition: TermId, left: WayId, right: WayId },
}

/// An edge of a path, and the values that are chosen on it.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The edge.
    pub edge: EdgeId,
    /// The Skolem constants of its operations.
    pub skolems: &'a [Skolem],
}

impl Unwound {
    /// The path that a model takes to the error; nothing if it satisfies the condition of no error.
    pub fn path(&self, terms: &Terms, model: &Model) -> Option<Vec<Step<'_>>> {
        let mut evaluator = Evaluator::new(terms, model);
        let error = self.errors.iter().position(|condition| evaluator.holds(*condition))?;
        let (mut at, mut steps) = (self.error_ways[error], Vec::new());
        loop {
            match &self.ways[at] {
                Way::Start => break,
                Way::Edge { from, edge, chosen } => {
                    steps.push(Step { edge: *edge, skolems: &self.skolems[chosen.clone()] });
                    at = *from;
                }
                Way::Either { condition, left, right } => {
                    at = if evaluator.holds(*condition) { *left } else { *right };
                }
            }
        }
        steps.reverse();
        Some(steps)
    }
}

/// Unwinds a procedure; an iteration of a loop counts unless numbers alone decide that the loop goes on.
pub fn unwind(
    program: &Program,
    proc: ProcId,
    forest: &LoopForest,
    iterations: u32,
    (terms, vocabulary): (&mut Terms, &mut Vocabulary),
    budget: &mut Budget,
) -> Result<Unwound, Stop> {
    let procedure = &program.procs[proc];
    let mut rank = IndexVec::filled(u32::MAX, procedure.locations.len());
    for (at, location) in forest.order().iter().enumerate() {
        rank[*location] = at as u32;
    }
    let is_error = |edge: &EdgeId| Some(procedure.edges()[*edge].target) == procedure.error;
    let has_exit = |id: LoopId| forest.exits(id).iter().any(|edge| !is_error(edge));
    let loops =
        forest.loops().ids().map(|id| Iterations { count: 0, has_exit: has_exit(id), is_left: false });
    let mut unwinder = Unwinder {
        procedure,
        forest,
        relevant: reaching(procedure, procedure.error),
        rank,
        most: iterations,
        encoder: Encoder::new(program, terms, vocabulary),
        loops: loops.collect(),
        pending: BTreeMap::new(),
        again: BTreeMap::new(),
        unwound: Unwound {
            errors: Vec::new(),
            cuts: Vec::new(),
            skolems: Vec::new(),
            error_ways: Vec::new(),
            ways: vec![Way::Start],
        },
    };
    if unwinder.relevant[procedure.entry] {
        unwinder.run(budget)?;
    }
    Ok(unwinder.unwound)
}

/// Paths to a location that is not executed yet.
struct Path {
    transition: Transition,
    known: State,
    way: WayId,
}

/// What a loop has done since it was entered.
struct Iterations {
    /// How many iterations count.
    count: u32,
    /// Whether it can be left at all, otherwise than by the error.
    has_exit: bool,
    /// Whether some way has left it in the iteration at hand.
    is_left: bool,
}

struct Unwinder<'a> {
    procedure: &'a Procedure,
    forest: &'a LoopForest,
    relevant: IndexVec<Loc, bool>,
    rank: IndexVec<Loc, u32>,
    most: u32,
    encoder: Encoder<'a>,
    loops: IndexVec<LoopId, Iterations>,
    /// Locations to be executed, by their rank.
    pending: BTreeMap<u32, Vec<Path>>,
    /// Heads of loops to be executed again when the iteration at hand is finished, by their rank.
    again: BTreeMap<u32, Vec<Path>>,
    unwound: Unwound,
}

impl Unwinder<'_> {
    fn run(&mut self, budget: &mut Budget) -> Result<(), Stop> {
        let start = Path { transition: Transition::identity(), known: State::new(), way: 0 };
        self.pending.insert(self.rank[self.procedure.entry], vec![start]);
        let mut steps = 0;
        while let Some((rank, paths)) = self.next() {
            budget.tick()?;
            steps += 1;
            if steps > MOST_STEPS {
                self.cut(&paths);
                continue;
            }
            let location = self.forest.order()[rank as usize];
            let path = self.merge(location, paths);
            self.leave(location, &path);
        }
        Ok(())
    }

    /// What is executed next: the next iteration of the innermost loop whose last one is finished, else the first location.
    fn next(&mut self) -> Option<(u32, Vec<Path>)> {
        loop {
            let first = self.pending.first_key_value().map(|(rank, _)| *rank);
            let Some((&head, _)) = self.again.last_key_value() else { return self.pending.pop_first() };
            let location = self.forest.order()[head as usize];
            let id = self.forest.headed_by(location);
            let end = head + id.map_or(1, |id| self.forest.body(id).len() as u32);
            if first.is_some_and(|first| first < end) {
                return self.pending.pop_first();
            }
            let paths = self.again.remove(&head).unwrap_or_default();
            if id.is_some_and(|id| self.is_bounded(id)) {
                self.pending.insert(head, paths);
            } else {
                self.cut(&paths);
            }
        }
    }

    /// Whether a loop may go on: numbers alone decide it if no way has left the loop, although there is one.
    fn is_bounded(&mut self, id: LoopId) -> bool {
        let iterations = &mut self.loops[id];
        let is_decided = iterations.has_exit && !iterations.is_left;
        iterations.is_left = false;
        iterations.count += u32::from(!is_decided);
        iterations.count < self.most
    }

    fn cut(&mut self, paths: &[Path]) {
        self.unwound.cuts.extend(paths.iter().map(|path| path.transition.guard));
    }

    /// Executes the edges that leave a location.
    fn leave(&mut self, location: Loc, path: &Path) {
        for id in self.procedure.outgoing(location) {
            let edge = &self.procedure.edges()[*id];
            let is_relevant = self.relevant[edge.target];
            // Whether a loop is left counts even if no way leads on to the error.
            if !is_relevant && self.forest.innermost(location).is_none() {
                continue;
            }
            let (mut transition, mut known) = (path.transition.clone(), path.known.clone());
            for (op, operation) in edge.ops.iter().enumerate() {
                let site = Site::Operation { edge: *id, op };
                self.encoder.execute(&mut transition, &mut known, site, operation);
                if transition.guard == Terms::FALSE {
                    break;
                }
            }
            let first = self.unwound.skolems.len();
            self.unwound.skolems.extend(self.encoder.take_skolems());
            let chosen = first..self.unwound.skolems.len();
            if transition.guard == Terms::FALSE {
                continue;
            }
            self.mark_left(edge);
            if is_relevant {
                let way = self.way(Way::Edge { from: path.way, edge: *id, chosen });
                self.arrive(edge, Path { transition, known, way });
            }
        }
    }

    fn way(&mut self, way: Way) -> WayId {
        self.unwound.ways.push(way);
        self.unwound.ways.len() - 1
    }

    /// Notes which loops an edge leaves.
    fn mark_left(&mut self, edge: &Edge) {
        if Some(edge.target) == self.procedure.error {
            return;
        }
        let mut around = self.forest.innermost(edge.source);
        while let Some(id) = around {
            if self.forest.contains(id, edge.target) {
                break;
            }
            self.loops[id].is_left = true;
            around = self.forest.loops()[id].parent;
        }
    }

    fn arrive(&mut self, edge: &Edge, path: Path) {
        let (source, target) = (self.rank[edge.source], self.rank[edge.target]);
        if Some(edge.target) == self.procedure.error {
            self.unwound.errors.push(path.transition.guard);
            self.unwound.error_ways.push(path.way);
        } else if target <= source {
            self.again.entry(target).or_default().push(path);
        } else {
            if let Some(id) = self.forest.headed_by(edge.target) {
                let Iterations { count, is_left, .. } = &mut self.loops[id];
                (*count, *is_left) = (0, false);
            }
            self.pending.entry(target).or_default().push(path);
        }
    }

    /// The union of paths that meet at a location. Those that parted last are merged first: their conditions have most in common.
    fn merge(&mut self, location: Loc, mut paths: Vec<Path>) -> Path {
        let mut merged = paths.pop().expect("a location should be reached by at least one path");
        while !paths.is_empty() {
            let guard = merged.transition.guard;
            let apart = |terms: &mut Terms, path: &Path| tells_apart(terms, path.transition.guard, guard);
            let partner = paths.iter().rposition(|path| apart(self.encoder.terms, path));
            let path = paths.remove(partner.unwrap_or(paths.len() - 1));
            let (transition, either) = path.transition.joined(self.encoder.terms, &merged.transition);
            if let Some(symbol) = either.choice {
                let site = Site::Join { location, number: 0 };
                self.unwound.skolems.push(Skolem { symbol, ty: None, site, origin: Origin::Path });
            }
            let way =
                self.way(Way::Either { condition: either.condition, left: path.way, right: merged.way });
            merged = Path { transition, known: path.known.join(&merged.known), way };
        }
        merged
    }
}
