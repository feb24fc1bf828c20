//! Executions of the prepared program that follow a path, with the choices that a model makes.
//!
//! A test runs in the interpreter from the start of the program. It stops at the points of a graph, so that the caller can choose what comes
//! next; everything between two points runs as bytecode.
//!
//! # Invariants
//! * E1: a test that reports the error is an execution of the prepared program, whatever its choices come from. A copy of an
//!   [`Execution`] goes on by itself: machine, choices and points are copied together.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::Budget;
use cfa::loops::LoopForest;
use cfa::{Loc, ProcId, Program};
use encode::Site;
use graph::cut::{Graph, PointId};
use interp::{
    Choice, Chosen, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Position, Request,
    Silent, Step, Uninitialised, View,
};
use term::{Integer, Model, SymbolId};

use crate::contents::Contents;

/// Upper bound on the choices of one test: each of them takes memory.
const MAX_CHOICES: usize = 1 << 21;
/// So many points of a test are remembered beyond the path that it was to follow.
const REMEMBERED: usize = 256;

/// Values for the choices of one step, by their places in the program.
pub type Plan = BTreeMap<Site, i128>;

/// What a test that follows a path does.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// What is chosen, for each step.
    pub plans: Vec<Plan>,
    /// What elements are to be that no operation writes.
    pub contents: Contents,
    /// The indices that the error is to be reached with.
    pub ghosts: BTreeMap<SymbolId, Integer>,
}

/// The values that a model gives to choices.
pub fn plan_of(choices: &[(Site, SymbolId)], model: &Model) -> Plan {
    choices.iter().filter_map(|(site, symbol)| Some((*site, model.int(*symbol).to_i128()?))).collect()
}

/// How a test ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// At the error, with these choices.
    Error(Vec<Chosen>),
    /// Without reaching it.
    NoError,
    /// The bound on its steps was reached.
    TooLong,
}

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// How it ended.
    pub ending: Ending,
    /// The points that it went through from the start, up to a bound.
    pub points: Vec<PointId>,
}

/// Why a test does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The error is reached.
    Error,
    /// The execution has ended, or arrived where no way to the error is left.
    End,
    /// The allowance is used up.
    Allowance,
    /// Another limit is reached.
    Limit,
}

/// Runs tests of the procedure where execution starts.
pub struct Runner {
    code: Code,
    entry: ProcId,
    /// Points by location; locations that are none are loop heads from which the error cannot be reached.
    points: BTreeMap<Loc, Option<PointId>>,
}

impl Runner {
    /// Prepares tests that stop at the points of a graph.
    pub fn new(program: &Program, forest: &LoopForest, graph: &Graph) -> Self {
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
        let locations = program.procs[program.entry].locations.ids();
        let mut points: BTreeMap<Loc, Option<PointId>> = locations
            .filter(|location| forest.is_header(*location))
            .map(|location| (location, None))
            .collect();
        points.extend(graph.points.iter_enumerated().map(|(id, point)| (point.location, Some(id))));
        Self { code: Code::new(program, options), entry: program.entry, points }
    }

    /// An execution at its start that will remember the points of a path of the given length and some more. Once it has those, it stops only at the
    /// points of `stops`.
    pub fn start<'p>(
        &'p self,
        program: &'p Program,
        start: PointId,
        length: usize,
        stops: &'p BTreeSet<PointId>,
    ) -> Execution<'p> {
        let mut machine = Machine::new(program, &self.code, Config::default());
        machine.stop_at(self.points.keys().map(|location| (self.entry, *location)));
        Execution {
            runner: self,
            stops,
            machine,
            leaper: Leaper::new(),
            at: start,
            visited: vec![start],
            max_visited: length + REMEMBERED,
            plan: Rc::default(),
            contents: Rc::default(),
        }
    }
}

/// A test in progress, at a point. A copy of it can go on by itself.
#[derive(Clone)]
pub struct Execution<'p> {
    runner: &'p Runner,
    stops: &'p BTreeSet<PointId>,
    machine: Machine<'p>,
    /// Takes loops without choices in one step once the points are no longer remembered one by one.
    leaper: Leaper,
    at: PointId,
    /// The points so far, up to a bound.
    visited: Vec<PointId>,
    max_visited: usize,
    /// What is chosen from here on.
    pub plan: Rc<Plan>,
    /// What elements are to be that no operation has written.
    pub contents: Rc<Contents>,
}

impl Execution<'_> {
    /// Where it is.
    pub fn at(&self) -> PointId {
        self.at
    }

    /// The values there.
    pub fn view(&self) -> View<'_> {
        self.machine.view()
    }

    /// Goes along a path as a script says, as long as the execution does. Nothing if it arrived or went another way.
    pub fn follow(&mut self, path: &[PointId], script: Script, allowance: &mut Budget) -> Option<Halt> {
        self.contents = Rc::new(script.contents);
        let mut plans = script.plans.into_iter();
        for next in &path[1..] {
            self.plan = Rc::new(plans.next().unwrap_or_default());
            if let Some(halt) = self.advance(allowance) {
                return Some(halt);
            }
            if self.at != *next {
                break;
            }
        }
        None
    }

    /// Runs on to the next point; why the test does not go on if there is none.
    pub fn advance(&mut self, allowance: &mut Budget) -> Option<Halt> {
        let Self { runner, machine, leaper, plan, contents, .. } = self;
        let mut oracle = |request: &Request<'_>| {
            let element = contents.answer(request).map(Choice::Int);
            Some(element.unwrap_or_else(|| answer(plan, runner.entry, request)))
        };
        let stepped = leaper.step(machine, &mut oracle, &mut Silent, &mut std::io::sink(), allowance);
        let point = match stepped {
            Step::Location(_, location) => runner.points.get(&location).copied().flatten(),
            Step::Ended(Outcome::Error { .. }) => return Some(Halt::Error),
            Step::Ended(Outcome::Stopped(base::Stop::Ticks)) => return Some(Halt::Allowance),
            Step::Ended(Outcome::Stopped(_)) => return Some(Halt::Limit),
            Step::Ended(_) => None,
        };
        let Some(point) = point else { return Some(Halt::End) };
        if machine.choices().len() > MAX_CHOICES {
            return Some(Halt::Limit);
        }
        self.at = point;
        if self.visited.len() < self.max_visited {
            self.visited.push(point);
            if self.visited.len() == self.max_visited {
                let kept = runner.points.iter();
                let kept = kept.filter(|(_, point)| point.is_none_or(|point| self.stops.contains(&point)));
                self.machine.stop_at(kept.map(|(location, _)| (runner.entry, *location)));
            }
        }
        None
    }

    /// The test, with how it ended.
    pub fn finish(self, halt: Halt) -> Test {
        let ending = match halt {
            Halt::Error => Ending::Error(self.machine.choices().to_vec()),
            Halt::End => Ending::NoError,
            Halt::Allowance | Halt::Limit => Ending::TooLong,
        };
        Test { ending, points: self.visited }
    }
}

/// What a plan says to a question; zero if it says nothing. It is about the procedure where execution starts, not about those that are called.
fn answer(plan: &Plan, entry: ProcId, request: &Request<'_>) -> Choice {
    let site = |at: Position| Site::Operation { edge: at.edge, op: at.op as usize };
    let at = request.at.filter(|at| at.proc == entry);
    let planned = at.and_then(|at| plan.get(&site(at)).copied());
    Choice::Int(planned.unwrap_or(0))
}
