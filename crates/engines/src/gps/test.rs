//! Tests: real executions that the summaries steer towards the error.
//!
//! # Paper
//! [Gps25] §4, procedure `EXPLORE` (figure 4, lines 13 to 25), and §5.3 (gas). A test runs in the interpreter, from the start of the program. What the path of a frontier
//! node prescribes is chosen first; from there on the guide is asked, at every point that is followed by nondeterministic choices, for values
//! after which the error may still be reached (`pilot`). Everything between two such points runs as bytecode.
//!
//! # Gas
//! The guide for tests counts down the rounds of loops that choose values (`gas` of crate graph). The solver is asked for little gas, and every round
//! leaves less of it, so a guided test makes progress by the summary's account or ends. When the account turns out to be wrong, the test
//! is given new gas for a bounded number of times, and what remains is ended by the bound on the interpreter's steps.
//!
//! # Leaps
//! The paper asks at every choice. Here a test that repeats its choices runs ahead with them and asks at the end of the leap (`gallop`); if the guide sees no
//! way from there, or the run has ended meanwhile, the leap is taken back: the machine was copied before it. A leap that is kept is what
//! single steps would have been, too: a state from which the guide sees a way has predecessors from which it does.
//!
//! # Invariants
//! * E1: a test that reports the error is an execution of the prepared program, whatever the guide said. A leap that is taken back leaves
//!   no trace in it: machine, choices, points and gas are copied and replaced together.
//! * E2: every test ends. What is kept is one execution, whose steps are bounded; between two of its stops only a bounded number of leaps is
//!   taken back (`gallop` L2), each of them of bounded cost, which the allowance of the test pays; and the number of questions at a stop is bounded (`pilot` P1).
//!
//! Refutation completeness (S2 of the search) needs no more of tests than E2: whatever a test does, its node is expanded after it.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Budget;
use cfa::{Loc, Program, Storage, Ty, VarId};
use encode::{Site, SkolemSource};
use graph::cut::{Graph, PointId};
use interp::{
    Choice, Chosen, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, Step,
    Uninitialised,
};
use smt::{Solver, Z3};
use term::{SymbolId, Terms};

use super::dead::States;
use super::gallop::Gallop;
use super::pilot::{Course, Guided, Plan, Recollections, Stop, Tank};
use crate::problem::Guide;

/// So many points of a test are remembered beyond the path that it was to follow.
const REMEMBERED: usize = 256;
/// More choices are not made in one test: each of them takes memory.
const MOST_CHOICES: usize = 1 << 21;

/// How a test ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// At the error, with these choices.
    Error(Vec<Chosen>),
    /// Without reaching it.
    NoError,
    /// The bound on its steps was reached.
    TooLong,
}

/// A test.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) ending: Ending,
    /// The points that it went through from the start, up to a bound.
    pub(super) points: Vec<PointId>,
}

/// Carries out tests of one program.
pub(super) struct Tester {
    code: Code,
    /// Points by location; locations that are none are loop heads from which the error cannot be reached.
    points: BTreeMap<Loc, Option<PointId>>,
    guided: BTreeMap<PointId, Guided>,
    /// The symbol of the gas, if the guide has it.
    gas: Option<SymbolId>,
    recollections: Recollections,
}

/// What steers the tests.
pub(super) struct Steering<'a> {
    /// The graph on which the guide was computed.
    pub(super) graph: &'a Graph,
    /// Its summaries.
    pub(super) guide: &'a Guide,
    /// The symbol of the gas, if the graph counts it.
    pub(super) gas: Option<SymbolId>,
}

impl Tester {
    /// Prepares tests of a program.
    pub(super) fn new(program: &Program, steering: &Steering<'_>, solvers: &Z3, terms: &mut Terms) -> Self {
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
        let Steering { graph, gas, .. } = *steering;
        let mut points: BTreeMap<Loc, Option<PointId>> = BTreeMap::new();
        let procedure = &program.procs[program.entry];
        let forest = cfa::loops::LoopForest::of(procedure);
        for location in procedure.locations.ids().filter(|location| forest.is_header(*location)) {
            points.insert(location, None);
        }
        for (id, point) in graph.points.iter_enumerated() {
            points.insert(point.location, Some(id));
        }
        let ids = graph.points.ids();
        let guided =
            ids.filter_map(|id| Some((id, guided(program, steering, id, solvers, terms)?))).collect();
        let recollections = Recollections::default();
        Self { code: Code::new(program, options), points, guided, gas, recollections }
    }

    /// How often memory was of use.
    pub(super) fn recollections(&self) -> Recollections {
        self.recollections
    }

    /// A test that first follows `plans`, one for each step along `path`, and then the guide; in at most `ticks` steps of the interpreter.
    pub(super) fn run(
        &mut self,
        program: &Program,
        terms: &mut Terms,
        path: &[PointId],
        plans: Vec<Plan>,
        ticks: u64,
        budget: &mut Budget,
    ) -> Test {
        let entry = program.entry;
        let mut machine = Machine::new(program, &self.code, Config::default());
        machine.stop_at(self.points.keys().map(|location| (entry, *location)));
        let mut flight = Flight {
            machine,
            leaper: Leaper::new(),
            at: path[0],
            visited: vec![path[0]],
            plan: Rc::default(),
            tank: Tank::new(self.gas),
        };
        let mut run = Run {
            program,
            terms,
            points: &self.points,
            guided: &mut self.guided,
            recollections: &mut self.recollections,
            budget,
            most_visited: path.len() + REMEMBERED,
        };
        let mut allowance = run.budget.child(ticks);
        let followed = run.follow(&mut flight, path, plans, &mut allowance);
        let halt = followed.unwrap_or_else(|| run.steer(&mut flight, &mut allowance));
        let ending = match halt {
            Halt::Error => Ending::Error(flight.machine.choices().to_vec()),
            Halt::End => Ending::NoError,
            Halt::Allowance | Halt::Limit => Ending::TooLong,
        };
        budget.absorb(&allowance);
        Test { ending, points: flight.visited }
    }
}

/// The question that is asked at a point; nothing if no choices follow it.
fn guided(
    program: &Program,
    steering: &Steering<'_>,
    id: PointId,
    solvers: &Z3,
    terms: &mut Terms,
) -> Option<Guided> {
    let Steering { graph, guide, .. } = steering;
    let point = &graph.points[id];
    let mut ways = Vec::new();
    let mut choices: Vec<(Site, SymbolId)> = Vec::new();
    for arc in point.outgoing.iter().map(|arc| &graph.arcs[*arc]) {
        ways.push(arc.formula.before(terms, guide.reach(arc.target).formula));
        let inputs = arc.skolems.iter().filter(|skolem| is_input(&skolem.source) && skolem.ty.is_some());
        choices.extend(inputs.map(|skolem| (skolem.site, skolem.symbol)));
    }
    choices.sort_unstable();
    choices.dedup();
    if choices.is_empty() {
        return None;
    }
    let mut solver = solvers.z3_solver();
    let way = terms.or(ways);
    solver.assert(terms, way);
    let shown = point.live.iter().filter_map(|symbol| Some((graph.vocabulary.var(*symbol)?, *symbol)));
    let shown = shown.filter(|(var, _)| is_shown(program, *var)).collect();
    let products =
        point.live.iter().filter_map(|symbol| Some((*symbol, graph.vocabulary.factors(*symbol)?.to_vec())));
    let states = States::new(shown, products.collect());
    Some(Guided::new(solver, choices, states, point.body.is_some()))
}

/// A test in progress, at a point. A copy of it can go on by itself.
#[derive(Clone)]
struct Flight<'p> {
    machine: Machine<'p>,
    /// Takes loops without choices in one step once the points are no longer remembered one by one.
    leaper: Leaper,
    at: PointId,
    /// The points so far, up to a bound.
    visited: Vec<PointId>,
    /// What is chosen from here on.
    plan: Rc<Plan>,
    tank: Tank,
}

/// What a test works with.
struct Run<'r> {
    program: &'r Program,
    terms: &'r mut Terms,
    points: &'r BTreeMap<Loc, Option<PointId>>,
    guided: &'r mut BTreeMap<PointId, Guided>,
    recollections: &'r mut Recollections,
    /// For the effort of the solver; steps of the interpreter have an allowance of their own.
    budget: &'r mut Budget,
    most_visited: usize,
}

/// Why a test does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    /// The error is reached.
    Error,
    /// The execution has ended, or arrived where no way to the error is left.
    End,
    /// The allowance is used up.
    Allowance,
    /// Another limit is reached.
    Limit,
}

/// How a leap ended.
enum Leap {
    /// Well; whether the choices at its end are the old ones.
    Landed(bool),
    /// The test is over.
    Halted(Halt),
    /// It was taken back, after so many stops.
    Missed(u64),
}

impl<'p> Run<'_> {
    /// Goes along a path as long as the execution does; nothing if it arrived, or went another way.
    fn follow(
        &self,
        flight: &mut Flight<'p>,
        path: &[PointId],
        plans: Vec<Plan>,
        allowance: &mut Budget,
    ) -> Option<Halt> {
        let mut plans = plans.into_iter();
        for next in &path[1..] {
            flight.plan = Rc::new(plans.next().unwrap_or_default());
            if let Some(halt) = self.advance(flight, allowance) {
                return Some(halt);
            }
            if flight.at != *next {
                break;
            }
        }
        None
    }

    /// Goes on to the end as the guide says.
    fn steer(&mut self, flight: &mut Flight<'p>, allowance: &mut Budget) -> Halt {
        let mut gallop = Gallop::new();
        loop {
            if self.guided.contains_key(&flight.at) {
                match self.ask(flight, true) {
                    Some(is_kept) => gallop.asked(is_kept),
                    None => return Halt::End,
                }
            }
            while let Some(length) = gallop.due(flight.tank.left.as_ref()) {
                let mut purse = allowance.child(gallop.ticks());
                let leap = self.leap(flight, length, &mut purse);
                allowance.absorb(&purse);
                match leap {
                    Leap::Landed(is_kept) => gallop.landed(is_kept, purse.spent()),
                    Leap::Halted(halt) => return halt,
                    // The machine has some steps in reserve that are paid for; with those of its copy, the leap could be free.
                    Leap::Missed(stops) if allowance.charge(stops).is_err() => return Halt::Allowance,
                    Leap::Missed(_) => gallop.missed(),
                }
            }
            if let Some(halt) = self.advance(flight, allowance) {
                return halt;
            }
        }
    }

    /// Asks what to choose at a guided point; whether that is what was chosen before. Nothing if the guide sees no way to the error.
    fn ask(&mut self, flight: &mut Flight<'p>, may_refuel: bool) -> Option<bool> {
        let guided = self.guided.get_mut(&flight.at)?;
        let view = flight.machine.view();
        if guided.is_dead(&view) {
            self.recollections.dead_states += 1;
            return None;
        }
        let Self { program, terms, budget, .. } = self;
        let mut stop = Stop { program, view, terms, budget, may_refuel };
        let Course { plan, is_kept } = guided.choose(&mut stop, &mut flight.tank)?;
        self.recollections.choices += u64::from(is_kept);
        flight.plan = plan;
        Some(is_kept)
    }

    /// Repeats the choices of the points on the way until `length` guided stops are behind, or one is reached whose choices are not
    /// settled, and asks there.
    fn leap(&mut self, flight: &mut Flight<'p>, length: u64, allowance: &mut Budget) -> Leap {
        let mut ahead = flight.clone();
        let mut stops = 1;
        loop {
            match self.advance(&mut ahead, allowance) {
                Some(halt @ (Halt::Error | Halt::Limit)) => {
                    self.recollections.leap(stops);
                    *flight = ahead;
                    return Leap::Halted(halt);
                }
                Some(Halt::End | Halt::Allowance) => return Leap::Missed(stops),
                None => {}
            }
            let Some(guided) = self.guided.get(&ahead.at) else { continue };
            if let Some(plan) = guided.steady().filter(|_| stops < length) {
                if guided.is_dead(&ahead.machine.view()) {
                    self.recollections.dead_states += 1;
                    return Leap::Missed(stops);
                }
                ahead.plan = Rc::clone(plan);
                ahead.tank.take(guided);
                stops += 1;
            } else if let Some(is_kept) = self.ask(&mut ahead, false) {
                self.recollections.leap(stops);
                *flight = ahead;
                return Leap::Landed(is_kept);
            } else {
                return Leap::Missed(stops);
            }
        }
    }

    /// Runs on to the next stop; how the test ended if there is none.
    fn advance(&self, flight: &mut Flight<'p>, allowance: &mut Budget) -> Option<Halt> {
        let entry = self.program.entry;
        let Flight { machine, leaper, plan, .. } = &mut *flight;
        let mut oracle = |request: &Request<'_>| Some(answer(plan, request));
        let stepped = leaper.step(machine, &mut oracle, &mut Silent, &mut std::io::sink(), allowance);
        let point = match stepped {
            Step::Location(_, location) => self.points.get(&location).copied().flatten(),
            Step::Ended(Outcome::Error { .. }) => return Some(Halt::Error),
            Step::Ended(Outcome::Stopped(base::Stop::Ticks)) => return Some(Halt::Allowance),
            Step::Ended(Outcome::Stopped(_)) => return Some(Halt::Limit),
            Step::Ended(_) => None,
        };
        let Some(point) = point else { return Some(Halt::End) };
        if machine.choices().len() > MOST_CHOICES {
            return Some(Halt::Limit);
        }
        flight.at = point;
        if flight.visited.len() < self.most_visited {
            flight.visited.push(point);
            if flight.visited.len() == self.most_visited {
                let stops = self
                    .points
                    .iter()
                    .filter(|(_, point)| point.is_none_or(|point| self.guided.contains_key(&point)));
                flight.machine.stop_at(stops.map(|(location, _)| (entry, *location)));
            }
        }
        None
    }
}

/// Whether a symbol stands for what the program leaves open.
pub(super) fn is_input(source: &SkolemSource) -> bool {
    matches!(source, SkolemSource::Choice(..))
}

fn is_shown(program: &Program, var: VarId) -> bool {
    matches!(
        program.vars[var].storage,
        Storage::Scalar(Ty::Int { .. }) | Storage::Array { elem: Ty::Int { .. }, .. }
    )
}

/// What a plan says to a question; zero if it says nothing.
fn answer(plan: &Plan, request: &Request<'_>) -> Choice {
    let planned = request.at.and_then(|at| plan.get(&Site { edge: at.edge, op: at.op as usize }).copied());
    Choice::Int(planned.unwrap_or(0))
}
