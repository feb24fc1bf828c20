//! Tests: real executions that the summaries steer towards the error.
//!
//! # Paper
//! [Gps25] §4.2 (`Explore`, figure 5) and §5.3 (gas). A test runs in the interpreter, from the start of the program. What the path of a frontier
//! node prescribes is chosen first; from there on the solver is asked, at every point that is followed by nondeterministic choices, for values
//! after which the error may still be reached. Everything between two such points runs as bytecode.
//!
//! # Gas
//! The guide for tests counts down the rounds of loops that choose values (`summary::gas`). The solver is asked for little gas, and every round
//! leaves less of it, so a guided test makes progress by the summary's account or ends. When the account turns out to be wrong, the test
//! is given new gas for a bounded number of times, and what remains is ended by the bound on the interpreter's steps.
//!
//! # Invariants
//! * E1: a test that reports the error is an execution of the prepared program, whatever the guide said.
//! * E2: every test ends: the interpreter's steps are bounded, and the solver is asked at most once for each stop.

use std::cell::Cell;
use std::collections::BTreeMap;

use base::Budget;
use cfa::interp::{
    Choice, Chosen, Code, CompileOptions, Config, Machine, Markers, Observer, Outcome, Request, Step,
    Uninitialised, Value, View, Written,
};
use cfa::{EdgeId, Loc, Op, ProcId, Program, Storage, Ty, VarId};
use encode::{Site, SkolemSource};
use smt::{Answer, Solver, Z3, Z3Solver};
use summary::graph::{Graph, PointId};
use term::{Integer, Model, SymbolId, TermId, Terms};

use crate::problem::Guide;

/// Values for the choices of one step, by their places in the program.
pub(super) type Plan = BTreeMap<Site, i128>;

/// So many points of a test are remembered.
const REMEMBERED: usize = 256;
/// How often a test gets new gas.
const REFUELS: u32 = 32;
/// Arrays up to this length are shown to the solver.
const SHOWN_ELEMENTS: u64 = 32;

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
}

/// A point that is followed by choices.
struct Guided {
    /// Says for the values at the point that the error may be reached: one step, then the guide.
    solver: Z3Solver,
    choices: Vec<(Site, SymbolId)>,
    shown: Vec<(VarId, SymbolId)>,
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
        let Steering { graph, guide, gas } = *steering;
        let mut points: BTreeMap<Loc, Option<PointId>> = BTreeMap::new();
        let procedure = &program.procs[program.entry];
        let forest = cfa::loops::LoopForest::of(procedure);
        for location in procedure.locations.ids().filter(|location| forest.is_header(*location)) {
            points.insert(location, None);
        }
        for (id, point) in graph.points.iter_enumerated() {
            points.insert(point.location, Some(id));
        }
        let mut guided = BTreeMap::new();
        for (id, point) in graph.points.iter_enumerated() {
            let mut ways = Vec::new();
            let mut choices: Vec<(Site, SymbolId)> = Vec::new();
            for arc in point.outgoing.iter().map(|arc| &graph.arcs[*arc]) {
                ways.push(arc.formula.before(terms, guide.reach(arc.target).formula));
                let inputs =
                    arc.skolems.iter().filter(|skolem| is_input(&skolem.source) && skolem.ty.is_some());
                choices.extend(inputs.map(|skolem| (skolem.site, skolem.symbol)));
            }
            choices.sort_unstable();
            choices.dedup();
            if choices.is_empty() {
                continue;
            }
            let mut solver = solvers.z3_solver();
            let way = terms.or(ways);
            solver.assert(terms, way);
            let shown =
                point.live.iter().filter_map(|symbol| Some((graph.vocabulary.var(*symbol)?, *symbol)));
            let shown = shown.filter(|(var, _)| is_shown(program, *var)).collect();
            guided.insert(id, Guided { solver, choices, shown });
        }
        Self { code: Code::new(program, options), points, guided, gas }
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
        let mut allowance = budget.child(ticks);
        let mut machine = Machine::new(program, &self.code, Config::default());
        let entry = program.entry;
        machine.stop_at(self.points.keys().map(|location| (entry, *location)));
        let mut visited = vec![path[0]];
        let mut plans = plans.into_iter();
        let mut follows = true;
        let mut plan = Plan::new();
        let mut pilot = Pilot { gas: None, refuels: REFUELS };
        let position = Position::default();
        let mut at = path[0];
        let ending = loop {
            let step = visited.len() - 1;
            match if follows { plans.next() } else { None } {
                Some(next) => plan = next,
                None if follows && path.len() > 1 && step + 1 < path.len() => plan = Plan::new(),
                None => {
                    follows = false;
                    if let Some(guided) = self.guided.get_mut(&at) {
                        match pilot.choose(program, guided, self.gas, &machine.view(), terms, budget) {
                            Some(chosen) => plan = chosen,
                            None => break Ending::NoError,
                        }
                    }
                }
            }
            if visited.len() == REMEMBERED {
                let stops = self
                    .points
                    .iter()
                    .filter(|(_, point)| point.is_none_or(|point| self.guided.contains_key(&point)));
                machine.stop_at(stops.map(|(location, _)| (entry, *location)));
            }
            let mut oracle = |request: &Request<'_>| Some(answer(program, entry, &position, &plan, request));
            let mut observer = Follower(&position);
            let stepped = machine.step(&mut oracle, &mut observer, &mut std::io::sink(), &mut allowance);
            match stepped {
                Step::Location(_, location) => match self.points.get(&location).copied().flatten() {
                    Some(point) => {
                        at = point;
                        follows &= path.get(step + 1) == Some(&point);
                        if visited.len() < REMEMBERED {
                            visited.push(point);
                        }
                    }
                    None => break Ending::NoError,
                },
                Step::Ended(Outcome::Error { .. }) => break Ending::Error(machine.choices().to_vec()),
                Step::Ended(Outcome::Stopped(_)) => break Ending::TooLong,
                Step::Ended(_) => break Ending::NoError,
            }
        };
        budget.absorb(&allowance);
        Test { ending, points: visited }
    }
}

/// What remains to steer with.
struct Pilot {
    gas: Option<Integer>,
    refuels: u32,
}

impl Pilot {
    /// Values for the choices that follow a point, or nothing if the guide sees no way to the error.
    fn choose(
        &mut self,
        program: &Program,
        guided: &mut Guided,
        gas: Option<SymbolId>,
        view: &View<'_>,
        terms: &mut Terms,
        budget: &mut Budget,
    ) -> Option<Plan> {
        let state = state_formula(program, &guided.shown, view, terms);
        guided.solver.push();
        guided.solver.assert(terms, state);
        let model = match gas {
            None => ask(&mut guided.solver, terms, &[], budget),
            Some(gas) => self.ask_with_gas(&mut guided.solver, terms, gas, budget),
        };
        guided.solver.pop();
        let model = model?;
        Some(plan_of(&guided.choices, &model))
    }

    fn ask_with_gas(
        &mut self,
        solver: &mut Z3Solver,
        terms: &mut Terms,
        gas: SymbolId,
        budget: &mut Budget,
    ) -> Option<Model> {
        let tank = terms.of_symbol(gas);
        if let Some(left) = self.gas.clone() {
            let left = terms.number(left);
            let enough = terms.le(tank, left);
            if let Some(model) = ask(solver, terms, &[enough], budget) {
                self.gas = Some(&model.int(gas) - &Integer::ONE);
                return Some(model);
            }
            self.refuels = self.refuels.checked_sub(1)?;
        }
        let mut best = ask(solver, terms, &[], budget)?;
        // Less gas is a shorter way to the error.
        loop {
            let half = best.int(gas).div_floor(&Integer::from(2));
            if best.int(gas) <= Integer::ONE {
                break;
            }
            let half = terms.number(half);
            let less = terms.le(tank, half);
            match ask(solver, terms, &[less], budget) {
                Some(model) => best = model,
                None => break,
            }
        }
        self.gas = Some(&best.int(gas) - &Integer::ONE);
        Some(best)
    }
}

fn ask(solver: &mut Z3Solver, terms: &Terms, assumptions: &[TermId], budget: &mut Budget) -> Option<Model> {
    match solver.check(terms, assumptions, budget) {
        Answer::Sat(model) => Some(model),
        Answer::Unsat(_) | Answer::Unknown(_) => None,
    }
}

/// The values that a model gives to choices.
pub(super) fn plan_of(choices: &[(Site, SymbolId)], model: &Model) -> Plan {
    choices.iter().filter_map(|(site, symbol)| Some((*site, model.int(*symbol).to_i128()?))).collect()
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

/// That the variables have the values that they have.
fn state_formula(
    program: &Program,
    shown: &[(VarId, SymbolId)],
    view: &View<'_>,
    terms: &mut Terms,
) -> TermId {
    let mut parts = Vec::with_capacity(shown.len());
    let number = |value: Value| match value.ty {
        Ty::Int { width: 128, signed: false } => None,
        _ => Some(Integer::from(value.as_int())),
    };
    for (var, symbol) in shown {
        let variable = terms.of_symbol(*symbol);
        if program.vars[*var].scalar().is_some() {
            if let Some(value) = view.scalar(*var).and_then(number) {
                let value = terms.number(value);
                parts.push(terms.eq(variable, value));
            }
        } else if view.length(*var) <= SHOWN_ELEMENTS {
            for index in 0..view.length(*var) {
                if let Some(value) = view.elem(*var, index).and_then(number) {
                    let (index, value) = (terms.number(index as i128), terms.number(value));
                    let element = terms.select(variable, index);
                    parts.push(terms.eq(element, value));
                }
            }
        }
    }
    terms.and(parts)
}

/// The edge that is being taken, and how many of its operations are behind.
#[derive(Default)]
struct Position {
    edge: Cell<Option<EdgeId>>,
    next: Cell<usize>,
}

/// Keeps the position up to date.
struct Follower<'a>(&'a Position);

impl Observer for Follower<'_> {
    #[inline]
    fn enter(&mut self, _: &View<'_>, _: ProcId, edge: EdgeId) {
        self.0.edge.set(Some(edge));
        self.0.next.set(0);
    }
    #[inline]
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    #[inline]
    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}

/// What a plan says to a question; zero if it says nothing.
fn answer(
    program: &Program,
    entry: ProcId,
    position: &Position,
    plan: &Plan,
    request: &Request<'_>,
) -> Choice {
    let planned = position.edge.get().and_then(|edge| {
        let ops = &program.procs[entry].edges()[edge].ops;
        let asks = |op: &Op| matches!(op, Op::Havoc { source, at, .. } if source == request.source && *at == request.region);
        let op = (position.next.get()..ops.len()).find(|index| asks(&ops[*index]))?;
        position.next.set(op + 1);
        plan.get(&Site { edge, op }).copied()
    });
    Choice::Int(planned.unwrap_or(0))
}
