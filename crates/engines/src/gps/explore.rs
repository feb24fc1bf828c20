//! EXPLORE: tests that the summaries guide to the error.
//!
//! # Paper
//! [Gps25] §4, procedure `EXPLORE` (figure 4, lines 13 to 25), and §5.3 (gas). A test runs in the interpreter, from the start of the program. What the
//! path of a frontier node prescribes is chosen first (`paths::Execution`); from there on the guide is asked, at every point that is followed by
//! nondeterministic choices, for values after which the error may still be reached (`ask`). Everything between two such points runs as bytecode.
//! [`Explore`] is the strategy that runs tests; [`Expand`] is the one that runs none.
//!
//! # Skips
//! The paper asks at every choice. Here a test that repeats its choices runs ahead with them and asks at the end (`repeat`); if the guide has no
//! path to the error from there, or the run has ended meanwhile, the skip is undone: the execution was copied before it. A skip that is kept is what
//! single steps would have been, too: if the guide has a path from a state, it has one from the predecessors of that state.
//!
//! # Invariants
//! * E1: a test that reports the error is an execution of the prepared program, whatever the guide said. A skip that is undone leaves
//!   no trace in it.
//! * E2: every test ends. What is kept is one execution, whose steps are bounded; between two of its stops only a bounded number of skips is
//!   undone (`repeat` L2), each of them of bounded cost, which is charged to the allowance of the test; and the number of queries at a stop is bounded (`ask` P1).
//!
//! Refutation completeness (S2 of the search) needs no more of tests than E2: whatever a test does, its node is expanded after it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::{Budget, timeline};
use cfa::{Program, Storage, Ty, VarId};
use encode::Site;
use graph::cut::{Graph, PointId};
use graph::tree::NodeId;
use passes::Prepared;
use paths::{
    Confirmation, Ending, Execution, Halt, NotReplayed, PathFormula, Runner, Script, Test, Tests, confirm,
    on_original, script,
};
use smt::{Logic, Solver};
use summary::StarOptions;
use term::{Model, SymbolId};
use verdict::{Reason, Verdict};

use super::Search;
use super::ask::{CacheHits, Chosen, Guided, Refill, Stop};
use super::commit::{Commitment, Followed};
use super::dead_states::States;
use super::gas::{Gas, with_gas};
use super::repeat::{Choices, Repetition};
use crate::guide::{Guide, PathSummaries};

/// Steps of the interpreter for the first tests; more once tests turn out to be too short.
const TEST_TICKS: u64 = 4_000_000;

/// What the search does at a frontier node that may lead to the error.
pub(crate) trait Testing {
    /// Looks at a node whose path is feasible, as `model` shows, and from which the guide sees a way to the error.
    fn visit(
        &self,
        search: &mut Search<'_>,
        node: NodeId,
        path: &mut PathFormula,
        model: &Model,
    ) -> Result<Option<Verdict>, Reason>;

    /// The guide for tests.
    fn guidance(&self) -> TestGuide;
}

/// What guides tests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TestGuide {
    /// Summaries of the graph with gas.
    WithGas(StarOptions),
    /// The guide of the search.
    AsSearch,
}

/// Runs a test along the path of the node, and on as the guide says.
pub(crate) struct Explore(pub(crate) TestGuide);

/// Runs no tests: the node gets its children.
pub(crate) struct Expand;

impl Testing for Explore {
    fn visit(
        &self,
        search: &mut Search<'_>,
        node: NodeId,
        path: &mut PathFormula,
        model: &Model,
    ) -> Result<Option<Verdict>, Reason> {
        // Without choices every test is the same one, which is carried out by itself (module `run_first`).
        if search.is_error(node) || !search.has_choices {
            return Expand.visit(search, node, path, model);
        }
        let points = search.points_to(node);
        search.prepare_tests()?;
        let script = script(search.space.graph, path, model, &search.logic.terms);
        let Some(tester) = &mut search.tester else { return Err(Reason::NotProgressing) };
        let test = tester.test(&points, script, search.logic)?;
        match test.ending {
            Ending::Error(choices) => {
                match on_original(search.task, &choices, &mut search.logic.budget) {
                    Ok(trace) => return Ok(Some(Verdict::Unsafe(trace))),
                    Err(NotReplayed::TooDeep) => search.is_deep = true,
                    Err(NotReplayed::Otherwise) => {}
                }
                search.note_spurious();
            }
            Ending::TooLong => {
                tester.allow_longer();
                search.is_deep = true;
            }
            Ending::NoError => {}
        }
        let is_along = test.points.len() > points.len() && test.points.starts_with(&points);
        search.expand(node, is_along.then(|| (Rc::new(test.points), points.len())));
        Ok(None)
    }

    fn guidance(&self) -> TestGuide {
        self.0
    }
}

impl Testing for Expand {
    fn visit(
        &self,
        search: &mut Search<'_>,
        node: NodeId,
        path: &mut PathFormula,
        model: &Model,
    ) -> Result<Option<Verdict>, Reason> {
        if search.is_error(node) {
            return search.confirm(node, path, model);
        }
        search.expand(node, None);
        Ok(None)
    }

    fn guidance(&self) -> TestGuide {
        TestGuide::AsSearch
    }
}

impl Search<'_> {
    /// A path leads to the error in the encoding: an execution shows it, or there will be no proof.
    fn confirm(
        &mut self,
        node: NodeId,
        path: &mut PathFormula,
        model: &Model,
    ) -> Result<Option<Verdict>, Reason> {
        let points = self.points_to(node);
        self.prepare_tests()?;
        let Some(tester) = &mut self.tester else { return Err(Reason::NotProgressing) };
        match confirm(self.task, self.space.graph, path, &points, model, tester, self.logic)? {
            Confirmation::Confirmed(trace) => return Ok(Some(Verdict::Unsafe(trace))),
            Confirmation::TooLong => {
                tester.allow_longer();
                self.enqueue([node]);
                return Ok(None);
            }
            Confirmation::Spurious => {}
        }
        self.note_spurious();
        // Nothing follows the error; that it is not reached is not shown, so there will be no proof.
        self.tree.expand(node, &[]);
        Ok(None)
    }

    /// The points of the path to a node.
    fn points_to(&self, node: NodeId) -> Vec<PointId> {
        self.tree.path(node).iter().map(|node| self.tree.node(*node).point).collect()
    }

    /// Makes what tests need, the guide with gas included, when the first test is run.
    fn prepare_tests(&mut self) -> Result<(), Reason> {
        if self.tester.is_some() {
            return Ok(());
        }
        let with_gas = match self.strategies.testing.guidance() {
            TestGuide::WithGas(star) => {
                with_gas(self.space.graph, &mut self.logic.terms).map(|made| (made, star))
            }
            TestGuide::AsSearch => None,
        };
        let tester = if let Some(((graph, gas), star)) = with_gas {
            let guide = PathSummaries::of(&graph, star, self.logic)?;
            Tester::new(self.task, &graph, &guide, Some(gas), self.logic)
        } else {
            Tester::new(self.task, self.space.graph, self.guide, None, self.logic)
        };
        self.tester = Some(tester);
        Ok(())
    }
}

/// Carries out guided tests of one program.
pub(super) struct Tester<'a> {
    program: &'a Program,
    runner: Runner,
    guided: BTreeMap<PointId, Guided>,
    stops: BTreeSet<PointId>,
    /// The symbol of the gas, if the guide has it.
    gas: Option<SymbolId>,
    /// Steps of the interpreter for one test.
    ticks: u64,
    tests: u64,
    hits: CacheHits,
}

impl<'a> Tester<'a> {
    /// Prepares tests of a program. The guide is that of the graph.
    fn new(
        task: &'a Prepared<'_>,
        graph: &Graph,
        guide: &dyn Guide,
        gas: Option<SymbolId>,
        logic: &mut Logic,
    ) -> Self {
        let program = task.program();
        let runner = Runner::new(program, task.loops(program.entry), graph);
        let ids = graph.points.ids();
        let guided: BTreeMap<PointId, Guided> =
            ids.filter_map(|id| Some((id, guided(program, graph, guide, id, logic)?))).collect();
        let stops = guided.keys().copied().collect();
        Self { program, runner, guided, stops, gas, ticks: TEST_TICKS, tests: 0, hits: CacheHits::default() }
    }

    /// How many tests were run.
    pub(super) fn tests(&self) -> u64 {
        self.tests
    }

    /// How often memory saved a query.
    pub(super) fn hits(&self) -> CacheHits {
        self.hits
    }

    /// Further tests may have twice as many steps.
    fn allow_longer(&mut self) {
        self.ticks = self.ticks.saturating_mul(2);
    }
}

impl Tests for Tester<'_> {
    fn test(&mut self, points: &[PointId], script: Script, logic: &mut Logic) -> Result<Test, Reason> {
        let _stage = timeline::stage("test");
        self.tests += 1;
        let execution = self.runner.start(self.program, points[0], points.len(), &self.stops);
        let commitment = Commitment::new(script.ghosts.clone());
        let mut guided = GuidedTest { execution, gas: Gas::new(self.gas), commitment };
        let mut run =
            Run { program: self.program, guided: &mut self.guided, hits: &mut self.hits, logic: &mut *logic };
        let mut allowance = run.logic.budget.steps(self.ticks);
        let followed = guided.execution.follow(points, script, &mut allowance);
        let halt = followed.unwrap_or_else(|| run.explore(&mut guided, &mut allowance));
        logic.budget.absorb_steps(&allowance);
        logic.budget.poll().map_err(Reason::Stopped)?;
        Ok(guided.execution.finish(halt))
    }
}

/// The query that is asked at a point; nothing if no choices follow it.
fn guided(
    program: &Program,
    graph: &Graph,
    guide: &dyn Guide,
    id: PointId,
    logic: &mut Logic,
) -> Option<Guided> {
    let (terms, point) = (&mut logic.terms, &graph.points[id]);
    let mut ways = Vec::new();
    let mut choices: Vec<(Site, SymbolId)> = Vec::new();
    for arc in point.outgoing.iter().map(|arc| &graph.arcs[*arc]) {
        ways.push(arc.formula.before(terms, guide.ahead(arc.target).pruning().formula));
        let inputs = arc.skolems.iter().filter(|skolem| skolem.is_chosen_number());
        choices.extend(inputs.map(|skolem| (skolem.site, skolem.symbol)));
    }
    choices.sort_unstable();
    choices.dedup();
    let followed = Followed::of(graph, id, terms);
    if choices.is_empty() && !followed.opens_arrays() {
        return None;
    }
    let mut solver = logic.solvers.z3_solver();
    let way = terms.or(ways);
    solver.assert(terms, way);
    let shown = point.live.iter().filter_map(|symbol| Some((graph.vocabulary.var(*symbol)?, *symbol)));
    let shown = shown.filter(|(var, _)| is_shown(program, *var)).collect();
    let products =
        point.live.iter().filter_map(|symbol| Some((*symbol, graph.vocabulary.factors(*symbol)?.to_vec())));
    let states = States::new(shown, products.collect());
    Some(Guided::new(solver, choices, states, followed, point))
}

/// Whether the solver is shown the values of a variable.
fn is_shown(program: &Program, var: VarId) -> bool {
    matches!(
        program.vars[var].storage,
        Storage::Scalar(Ty::Int { .. }) | Storage::Array { elem: Ty::Int { .. }, .. }
    )
}

/// A test in progress. A copy of it can go on by itself.
#[derive(Clone)]
struct GuidedTest<'p> {
    execution: Execution<'p>,
    gas: Gas,
    commitment: Commitment,
}

/// What a test works with. Steps of the interpreter have an allowance of their own; the solver is charged to the budget of the logic.
struct Run<'r> {
    program: &'r Program,
    guided: &'r mut BTreeMap<PointId, Guided>,
    hits: &'r mut CacheHits,
    logic: &'r mut Logic,
}

/// How a skip ended.
enum Skip {
    /// It is kept.
    Kept(Choices),
    /// The test is over.
    Halted(Halt),
    /// It was undone, after so many stops.
    Undone(u64),
}

impl<'p> Run<'_> {
    /// Goes on to the end as the guide says.
    fn explore(&mut self, test: &mut GuidedTest<'p>, allowance: &mut Budget) -> Halt {
        let mut repetition = Repetition::new();
        loop {
            if self.guided.contains_key(&test.execution.at()) {
                match self.ask(test, Refill::Allowed) {
                    Some(choices) => repetition.asked(choices),
                    None => return Halt::End,
                }
            }
            while let Some(length) = repetition.due(test.gas.left.as_ref()) {
                let mut share = allowance.child(repetition.ticks());
                let skip = self.skip(test, length, &mut share);
                allowance.absorb(&share);
                match skip {
                    Skip::Kept(choices) => repetition.kept(choices, share.spent()),
                    Skip::Halted(halt) => return halt,
                    // The copy starts with prepaid steps, so the stops are charged explicitly: an undone skip is never free.
                    Skip::Undone(stops) if allowance.charge(stops).is_err() => return Halt::Allowance,
                    Skip::Undone(_) => repetition.undone(),
                }
            }
            if let Some(halt) = test.execution.advance(allowance) {
                return halt;
            }
        }
    }

    /// Asks what to choose at a guided point. Nothing if the guide sees no way to the error.
    fn ask(&mut self, test: &mut GuidedTest<'p>, refill: Refill) -> Option<Choices> {
        let guided = self.guided.get_mut(&test.execution.at())?;
        let view = test.execution.view();
        if guided.is_dead(&view) {
            self.hits.dead_states += 1;
            return None;
        }
        let Logic { terms, budget, .. } = &mut *self.logic;
        let mut stop = Stop { program: self.program, view, terms, budget, refill };
        let chosen = guided.choose(&mut stop, &mut test.gas, &mut test.commitment)?;
        let Chosen { plan, choices, contents } = chosen;
        self.hits.choices += u64::from(choices == Choices::Repeated);
        test.execution.plan = plan;
        if let Some(contents) = contents {
            Rc::make_mut(&mut test.execution.contents).extend(contents);
        }
        Some(choices)
    }

    /// Repeats the choices of the points on the way until `length` guided stops are behind, or one is reached whose choices are not
    /// settled, and asks there.
    fn skip(&mut self, test: &mut GuidedTest<'p>, length: u64, allowance: &mut Budget) -> Skip {
        let mut ahead = test.clone();
        let mut stops = 1;
        loop {
            match ahead.execution.advance(allowance) {
                Some(halt @ (Halt::Error | Halt::Limit)) => {
                    self.hits.skip(stops);
                    *test = ahead;
                    return Skip::Halted(halt);
                }
                Some(Halt::End | Halt::Allowance) => return Skip::Undone(stops),
                None => {}
            }
            let Some(guided) = self.guided.get(&ahead.execution.at()) else { continue };
            if let Some(plan) = guided.steady().filter(|_| stops < length) {
                if guided.is_dead(&ahead.execution.view()) {
                    self.hits.dead_states += 1;
                    return Skip::Undone(stops);
                }
                ahead.execution.plan = Rc::clone(plan);
                guided.consume(&mut ahead.gas);
                stops += 1;
            } else if let Some(choices) = self.ask(&mut ahead, Refill::Forbidden) {
                self.hits.skip(stops);
                *test = ahead;
                return Skip::Kept(choices);
            } else {
                return Skip::Undone(stops);
            }
        }
    }
}
