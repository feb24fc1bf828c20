//! GPS: summaries guide tests to the error, recognise dead ends, and give the interpolants that prove their absence.
//!
//! # Paper
//! [Gps25] §4 and §5: `GPSLite` (figure 4), `GPS` (figure 5), `REFINE` and `TRYCOVER` (figure 6). The labels and covers of the tree are those of
//! [Impact06]; the frontier is processed in breadth-first order:
//!
//! ```text
//!   frontier node u:   covered by an ancestor?                       done                             (refine)
//!                      path(u) and R(u) have no model?               dead end: interpolate, prune     (refine)
//!                      else run a test along path(u), then guided    error: unsafe                    (test)
//!                                                                    no error: expand u
//!   no frontier left:  the labels and summaries prove the program                                      (problem)
//! ```
//!
//! # Invariants
//! * S1: at the end, every node that is not covered and has no covered ancestor is expanded or pruned; so the annotation is inductive.
//! * S2 (refutation completeness, §5.3): the frontier is a queue, every test ends, every frontier node that is taken is covered, pruned or expanded. So each path is
//!   reached after finitely many steps, unless a prefix of it is a dead end or its states are represented elsewhere.
//! * S3: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation.

mod arrays;
mod dead;
mod draw;
mod gallop;
mod path;
mod pilot;
mod refine;
mod replay;
mod test;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::atomic::Ordering;

use base::{Budget, timeline};
use cfa::Program;
use encode::Site;
use graph::cut::{ArcId, Graph, PointId};
use graph::tree::{NodeId, Status, Tree};
use passes::Prepared;
use rustc_hash::FxHashMap;
use smt::{Answer, Why, Z3, Z3Solver};
use summary::StarOptions;
use term::{Model, SymbolId, TermId, Terms};
use verdict::{Reason, Verdict};

use self::path::Path;
use self::pilot::{Plan, plan_of};
use self::test::{Ending, Steering, Test, Tester, is_input};
use crate::problem::{Guide, Problem, solvers};
use engine::{Drawing, Engine, Env, Progress, Tuning};

/// Which parts of the algorithm are in use.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, each of them an ablation of the paper or ours"
)]
pub(crate) struct Options {
    /// Guide by summaries, or not at all.
    pub(crate) summaries: bool,
    /// Count the rounds of loops in the guide for tests.
    pub(crate) gas: bool,
    /// Run tests; otherwise the frontier is only expanded.
    pub(crate) tests: bool,
    /// Cover nodes.
    pub(crate) covering: bool,
    /// Which domains summaries of loops have.
    pub(crate) star: StarOptions,
}

impl Options {
    /// All of it, but for what the user has switched off.
    fn new(tuning: Tuning) -> Self {
        let star = StarOptions { congruences: tuning.congruences, ..StarOptions::default() };
        Self { summaries: tuning.summaries, gas: tuning.gas, tests: true, covering: true, star }
    }
}

/// Steps of the interpreter for the first tests; more once tests turn out to be too short.
const TEST_TICKS: u64 = 4_000_000;
/// So many executions of a path to the error are tried.
const CONFIRMATIONS: usize = 8;

/// A fresh engine.
pub(crate) fn create(tuning: Tuning) -> Box<dyn Engine> {
    Box::new(Gps { options: Options::new(tuning) })
}

/// Without covers: the paper's ablation without refinement.
pub(crate) fn create_lite(tuning: Tuning) -> Box<dyn Engine> {
    Box::new(Gps { options: Options { covering: false, ..Options::new(tuning) } })
}

/// Without summaries and tests: what is left is lazy abstraction with interpolants.
pub(crate) fn create_impact(tuning: Tuning) -> Box<dyn Engine> {
    Box::new(Gps { options: Options { summaries: false, tests: false, ..Options::new(tuning) } })
}

/// The engine with some parts of it.
pub(crate) struct Gps {
    pub(crate) options: Options,
}

impl Engine for Gps {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env) -> Verdict {
        solve(task, self.options, env).unwrap_or_else(Verdict::Unknown)
    }
}

/// What happened, in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    tests: u64,
    dead_ends: u64,
    covers: u64,
    uncovered: u64,
    clauses: u64,
}

fn solve(task: &Prepared<'_>, options: Options, env: &mut Env) -> Result<Verdict, Reason> {
    let mut problem = Problem::new(task, solvers(), &mut env.budget)?;
    let guide = if options.summaries {
        problem.summarise(options.star, &mut env.budget)?
    } else {
        Guide::none(&problem.graph)
    };
    env.statistics.extend(guide.report());
    let (outcome, labels) = {
        let Problem { terms, solvers, graph } = &mut problem;
        let context =
            Context { task, program: task.program(), graph, guide: &guide, progress: &env.progress };
        let mut search = Search::new(context, terms, solvers, options, &mut env.budget);
        let outcome = search.run();
        env.statistics.extend(search.report());
        env.statistics.push(("solver queries", solvers.statistics().queries));
        if env.drawing == Drawing::Wanted {
            env.drawing = Drawing::Done(draw::tree(&search));
        }
        (outcome?, search.labels())
    };
    Ok(match outcome {
        Some(verdict) => verdict,
        None => Verdict::Safe(problem.annotation(&guide, &labels)),
    })
}

/// What a search is about.
#[derive(Clone, Copy)]
struct Context<'a> {
    /// The program as given.
    task: &'a Prepared<'a>,
    /// After the standard passes.
    program: &'a Program,
    graph: &'a Graph,
    guide: &'a Guide,
    progress: &'a Progress,
}

/// A search in progress.
pub(super) struct Search<'a> {
    task: &'a Prepared<'a>,
    program: &'a Program,
    graph: &'a Graph,
    guide: &'a Guide,
    progress: &'a Progress,
    terms: &'a mut Terms,
    solvers: Z3,
    options: Options,
    budget: &'a mut Budget,
    tree: Tree,
    queue: VecDeque<NodeId>,
    /// The points that a test went on to from a node.
    continuations: FxHashMap<NodeId, (Rc<Vec<PointId>>, usize)>,
    tester: Option<Tester>,
    test_ticks: u64,
    /// Whether there is something to choose in tests.
    has_choices: bool,
    /// For questions without context.
    scratch: Z3Solver,
    entailments: FxHashMap<(PointId, TermId), bool>,
    statistics: Statistics,
    /// Why the search cannot end with a proof any more.
    obstacle: Option<Reason>,
}

impl<'a> Search<'a> {
    fn new(
        context: Context<'a>,
        terms: &'a mut Terms,
        solvers: &Z3,
        options: Options,
        budget: &'a mut Budget,
    ) -> Self {
        let Context { task, program, graph, guide, progress } = context;
        Self {
            task,
            program,
            graph,
            guide,
            progress,
            terms,
            solvers: solvers.clone(),
            options,
            budget,
            tree: Tree::new(graph.points.len()),
            queue: VecDeque::from([Tree::ROOT]),
            continuations: FxHashMap::default(),
            tester: None,
            test_ticks: TEST_TICKS,
            has_choices: graph
                .arcs
                .iter()
                .any(|arc| arc.skolems.iter().any(|skolem| is_input(&skolem.source))),
            scratch: solvers.z3_solver(),
            entailments: FxHashMap::default(),
            statistics: Statistics::default(),
            obstacle: None,
        }
    }

    /// Searches to the end. Nothing if the error cannot be reached: then the labels show it.
    fn run(&mut self) -> Result<Option<Verdict>, Reason> {
        let _stage = timeline::stage("search");
        let start = self.background(PointId(0), Terms::TRUE);
        let mut path = Path::new(&self.solvers, self.terms, Tree::ROOT, start);
        while let Some(node) = self.queue.pop_front() {
            self.budget.tick().map_err(Reason::Stopped)?;
            if self.tree.node(node).status != Status::Frontier || !self.tree.is_live(node) {
                continue;
            }
            self.show_progress();
            if let Some(verdict) = self.visit(node, &mut path)? {
                return Ok(Some(verdict));
            }
        }
        debug_assert_eq!(self.tree.check_invariants(), Ok(()));
        match self.obstacle.take() {
            Some(reason) => Err(reason),
            None => Ok(None),
        }
    }

    /// Processes one node of the frontier.
    fn visit(&mut self, node: NodeId, path: &mut Path) -> Result<Option<Verdict>, Reason> {
        let is_error = Some(self.tree.node(node).point) == self.graph.error;
        if self.options.covering && !is_error && self.force_cover(node)? {
            return Ok(None);
        }
        if self.continuations.contains_key(&node) {
            self.expand(node, None);
            return Ok(None);
        }
        let point = self.tree.node(node).point;
        path.go_to(node, &self.tree, self.graph, self.terms);
        let goal = self.guide.reach(point).formula;
        match path.check(self.terms, &[goal], self.budget) {
            Answer::Unsat(_) => {
                self.statistics.dead_ends += 1;
                self.explain(node, path, goal)?;
                Ok(None)
            }
            Answer::Sat(model) => self.probe(node, path, &model),
            Answer::Unknown(Why::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Answer::Unknown(why) => {
                if is_error {
                    return Err(Reason::SolverGaveUp { why: why.to_string() });
                }
                self.expand(node, None);
                Ok(None)
            }
        }
    }

    /// Prunes a dead end and labels the path to it. If no explanation is found, there will be no proof, but perhaps an error elsewhere.
    fn explain(&mut self, node: NodeId, path: &mut Path, goal: TermId) -> Result<(), Reason> {
        let _stage = timeline::stage("refinement");
        if node == Tree::ROOT {
            // No state at all reaches the error: there is nothing to label.
            self.tree.prune(node);
            return Ok(());
        }
        let goal = self.reduced(path, goal)?;
        match self.exclude(path, node, goal) {
            Ok(changed) => {
                self.tree.prune(node);
                self.changed(&changed)?;
                if self.options.covering { self.close(node) } else { Ok(()) }
            }
            Err(Reason::Stopped(stop)) => Err(Reason::Stopped(stop)),
            Err(reason) => {
                self.obstacle.get_or_insert(reason);
                self.tree.prune(node);
                Ok(())
            }
        }
    }

    /// The path to a node can be taken and the guide sees a way to the error from there: tests it.
    fn probe(&mut self, node: NodeId, path: &mut Path, model: &Model) -> Result<Option<Verdict>, Reason> {
        let is_error = Some(self.tree.node(node).point) == self.graph.error;
        if !self.options.tests && !is_error {
            self.expand(node, None);
            return Ok(None);
        }
        // Without choices every test is the same one, which is carried out by itself (module `single`).
        if !self.has_choices && !is_error {
            self.expand(node, None);
            return Ok(None);
        }
        if is_error {
            return self.confirm(node, path, model);
        }
        let points = self.points_to(node);
        let test = self.test(path, &points, model)?;
        match test.ending {
            Ending::Error(choices) => {
                if let Some(trace) = replay::on_original(self.task, &choices, self.budget) {
                    return Ok(Some(Verdict::Unsafe(trace)));
                }
                self.note_obstacle();
            }
            Ending::TooLong => self.test_ticks = self.test_ticks.saturating_mul(2),
            Ending::NoError => {}
        }
        let is_along = test.points.len() > points.len() && test.points.starts_with(&points);
        self.expand(node, is_along.then(|| (Rc::new(test.points), points.len())));
        Ok(None)
    }

    /// A path leads to the error as far as the formulas tell. An execution shows it, or else it remains open: where values are approximated, other
    /// choices may do what the first ones do not.
    fn confirm(&mut self, node: NodeId, path: &mut Path, model: &Model) -> Result<Option<Verdict>, Reason> {
        let points = self.points_to(node);
        let mut model = model.clone();
        let mut tried = Vec::new();
        for _ in 0..CONFIRMATIONS {
            let test = self.test(path, &points, &model)?;
            match test.ending {
                Ending::Error(choices) => {
                    if let Some(trace) = replay::on_original(self.task, &choices, self.budget) {
                        return Ok(Some(Verdict::Unsafe(trace)));
                    }
                }
                Ending::TooLong => {
                    self.test_ticks = self.test_ticks.saturating_mul(2);
                    self.enqueue([node]);
                    return Ok(None);
                }
                Ending::NoError => {}
            }
            tried.push(self.other_choices(path, &model));
            match path.check(self.terms, &tried, self.budget) {
                Answer::Sat(other) => model = other,
                Answer::Unsat(_) | Answer::Unknown(_) => break,
            }
        }
        self.note_obstacle();
        // Nothing follows the error; that it is not reached is not shown, so there will be no proof.
        self.tree.expand(node, &[]);
        Ok(None)
    }

    /// The points of the path to a node.
    fn points_to(&self, node: NodeId) -> Vec<PointId> {
        self.tree.path(node).iter().map(|node| self.tree.node(*node).point).collect()
    }

    /// Runs a test along a path, with the choices of a model.
    fn test(&mut self, path: &Path, points: &[PointId], model: &Model) -> Result<Test, Reason> {
        let _stage = timeline::stage("test");
        let plans: Vec<Plan> = path.choices().map(|(arc, chosen)| self.plan(arc, chosen, model)).collect();
        self.statistics.tests += 1;
        self.prepare_tests()?;
        let Some(tester) = &mut self.tester else { return Err(Reason::NotProgressing) };
        let test = tester.run(self.program, self.terms, points, plans, self.test_ticks, self.budget);
        self.budget.poll().map_err(Reason::Stopped)?;
        Ok(test)
    }

    /// That a path chooses otherwise than a model does.
    fn other_choices(&mut self, path: &Path, model: &Model) -> TermId {
        let mut different = Vec::new();
        for (arc, chosen) in path.choices() {
            for (skolem, (_, name)) in self.graph.arcs[arc].skolems.iter().zip(chosen) {
                if is_input(&skolem.source) && skolem.ty.is_some() {
                    let (variable, value) =
                        (self.terms.of_symbol(*name), self.terms.number(model.int(*name)));
                    different.push(self.terms.ne(variable, value));
                }
            }
        }
        self.terms.or(different)
    }

    fn note_obstacle(&mut self) {
        let what = approximations(self.graph);
        self.obstacle.get_or_insert(Reason::Inconclusive {
            what: format!("the counterexample is spurious; over-approximated: {what}"),
        });
    }

    /// What a model chooses on a step.
    fn plan(&self, arc: ArcId, chosen: &[(SymbolId, SymbolId)], model: &Model) -> Plan {
        let skolems = self.graph.arcs[arc].skolems.iter().zip(chosen);
        let inputs = skolems.filter(|(skolem, _)| is_input(&skolem.source) && skolem.ty.is_some());
        let sites: Vec<(Site, SymbolId)> = inputs.map(|(skolem, (_, name))| (skolem.site, *name)).collect();
        plan_of(&sites, model)
    }

    /// Makes what tests need, the guide with gas included, when the first test is run.
    fn prepare_tests(&mut self) -> Result<(), Reason> {
        if self.tester.is_some() {
            return Ok(());
        }
        let with_gas =
            if self.options.gas && self.options.summaries { self.graph.with_gas(self.terms) } else { None };
        let (program, solvers) = (self.program, &self.solvers);
        let tester = if let Some((graph, gas)) = with_gas {
            let guide = Guide::of_summaries(&graph, self.terms, solvers, self.options.star, self.budget)?;
            let steering = Steering { graph: &graph, guide: &guide, gas: Some(gas) };
            Tester::new(program, &steering, solvers, self.terms)
        } else {
            let steering = Steering { graph: self.graph, guide: self.guide, gas: None };
            Tester::new(program, &steering, solvers, self.terms)
        };
        self.tester = Some(tester);
        Ok(())
    }

    /// Gives a node its children. `test` has gone through the node: points, and how many of them are behind.
    fn expand(&mut self, node: NodeId, test: Option<(Rc<Vec<PointId>>, usize)>) {
        let test = test.or_else(|| self.continuations.remove(&node));
        let point = &self.graph.points[self.tree.node(node).point];
        let steps: Vec<(ArcId, PointId)> =
            point.outgoing.iter().map(|arc| (*arc, self.graph.arcs[*arc].target)).collect();
        let children = self.tree.expand(node, &steps);
        if let Some((points, at)) = test
            && let Some(next) = points.get(at)
            && let Some(index) = steps.iter().position(|(_, target)| target == next)
            && at + 1 < points.len()
        {
            self.continuations.insert(children[index], (points, at + 1));
        }
        self.enqueue(children);
    }

    fn enqueue(&mut self, nodes: impl IntoIterator<Item = NodeId>) {
        self.queue.extend(nodes);
    }

    /// The labels of the nodes whose states are represented by themselves, by point.
    fn labels(&self) -> BTreeMap<PointId, Vec<Vec<TermId>>> {
        let mut labels: BTreeMap<PointId, Vec<Vec<TermId>>> = BTreeMap::new();
        for (id, node) in self.tree.nodes() {
            if node.status == Status::Expanded && self.tree.is_live(id) {
                let known = labels.entry(node.point).or_default();
                if !known.contains(&node.label) {
                    known.push(node.label.clone());
                }
            }
        }
        labels
    }

    fn show_progress(&self) {
        self.progress.tests.store(self.statistics.tests, Ordering::Relaxed);
        self.progress.nodes.store(self.tree.len() as u64, Ordering::Relaxed);
        self.progress.dead_ends.store(self.statistics.dead_ends, Ordering::Relaxed);
        self.progress.queries.store(self.solvers.statistics().queries, Ordering::Relaxed);
    }

    fn report(&self) -> Vec<(&'static str, u64)> {
        let Statistics { tests, dead_ends, covers, uncovered, clauses } = self.statistics;
        let recalled = self.tester.as_ref().map(Tester::recollections).unwrap_or_default();
        vec![
            ("tests", tests),
            ("choices remembered", recalled.choices),
            ("leaps", recalled.leaps),
            ("dead states remembered", recalled.dead_states),
            ("tree nodes", self.tree.len() as u64),
            ("dead ends", dead_ends),
            ("covers", covers),
            ("covers removed", uncovered),
            ("clauses", clauses),
        ]
    }
}

/// What of the graph is rounded, for people.
fn approximations(graph: &Graph) -> String {
    let mut found: Vec<&str> = Vec::new();
    for skolem in graph.arcs.iter().flat_map(|arc| &arc.skolems) {
        if let encode::SkolemSource::Approximation(what) = &skolem.source
            && !found.contains(&what.as_str())
        {
            found.push(what);
        }
    }
    if found.is_empty() { "memory, or parts that were sliced away".to_owned() } else { found.join(", ") }
}

/// The solver's failure as a reason.
fn gave_up(why: Why) -> Reason {
    match why {
        Why::Stopped(stop) => Reason::Stopped(stop),
        why => Reason::SolverGaveUp { why: why.to_string() },
    }
}
