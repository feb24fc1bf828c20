//! GPS: summaries guide tests to the error, recognise dead ends, and give the interpolants that prove its absence.
//!
//! # Paper
//! [Gps25] §4 and §5. The labels and covers of the tree are those of [Impact06].
//!
//! | paper | here |
//! |---|---|
//! | `GPS`, figure 5: the main loop over the frontier | [`Search::run`] and [`Search::visit`] in this file |
//! | `GPSLITE`, figure 4 | `lite`: the same loop without covers |
//! | `EXPLORE`, figure 4, lines 13 to 25 | `explore`; its queries `Check+` (line 18) are `ask` |
//! | `REFINE`, figure 6 | `refine`; dead-end interpolation (§2.3, §5.2) is `paths::Interpolator` |
//! | `TRYCOVER`, figure 6 | `try_cover` |
//! | abstract reachability tree, §5.1 | `graph::tree` |
//! | gas, §5.3 | `gas` |
//! | path summaries, §6 | crate `summary` |
//!
//! `repeat`, `dead_states` and `commit` are not in the paper: the first two save queries of tests, the last one steers elements of arrays.
//!
//! # Invariants
//! * S1: at the end, every node that is not covered and has no covered ancestor is expanded or pruned; so the annotation is inductive.
//! * S2 (refutation completeness, §5.3): the frontier is a queue, every test ends, every frontier node that is taken is covered, pruned or expanded.
//!   So each path is reached after finitely many steps, unless a prefix of it is a dead end or its states are represented elsewhere.
//! * S3: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation.

mod ask;
mod commit;
mod dead_states;
pub(crate) mod explore;
mod gas;
pub(crate) mod lite;
mod refine;
mod repeat;
pub(crate) mod try_cover;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use base::{IndexVec, Region, Stop, timeline};
use cfa::watch::recursive_procedures;
use cfa::{Op, Procedure, Program};
use encode::Skolem;
use engine::{Counter, Engine, Env, Events, TreeWanted};
use graph::cut::{ArcId, ENTRY, Graph, PointId};
use graph::tree::{NodeId, Status, Tree};
use passes::Prepared;
use paths::{Interpolator, PathFormula, Space, gave_up};
use rustc_hash::FxHashMap;
use smt::{Answer, Logic, Why, Z3Solver};
use term::{TermId, Terms};
use verdict::{Reason, Verdict};

use self::explore::{Tester, Testing};
use self::try_cover::Cover;
use crate::draw;
use crate::facts_of_others::tell;
use crate::guide::{Guidance, Guide};
use crate::problem::Problem;
use crate::rounded::rounded;

/// What the search is composed of.
pub(crate) struct Strategies {
    /// What guides it.
    pub(crate) guidance: Guidance,
    /// How nodes are covered.
    pub(crate) cover: &'static dyn Cover,
    /// What is done at a frontier node.
    pub(crate) testing: Box<dyn Testing>,
}

/// The engine.
pub(crate) struct Gps(pub(crate) Strategies);

impl Engine for Gps {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, &self.0, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, strategies: &Strategies, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let mut problem = Problem::new(task, &mut env.logic)?;
    problem.learn(task, env)?;
    let guide = strategies.guidance.guide(&problem.graph, env)?;
    let (outcome, labels, clauses) = {
        let mut search = Search::new(task, &problem.graph, &*guide, strategies, &mut env.logic);
        let outcome = search.run(env.events).map_err(|reason| search.explained(reason));
        search.report(env.events);
        if env.events.tree_wanted() == TreeWanted::Yes {
            env.events.tree(draw::tree(search.space, &search.tree, &search.logic.terms));
        }
        (outcome, search.labels(), search.clauses())
    };
    if outcome.is_err() {
        tell(&problem.graph, &clauses, env);
    }
    Ok(match outcome? {
        Some(verdict) => verdict,
        None => Verdict::Safe(problem.annotation(&*guide, &labels, &mut env.logic)),
    })
}

/// The points that a test went through, and how many of them are behind.
type Continuation = (Rc<Vec<PointId>>, usize);

/// A search in progress.
pub(crate) struct Search<'a> {
    task: &'a Prepared<'a>,
    space: Space<'a>,
    guide: &'a dyn Guide,
    strategies: &'a Strategies,
    logic: &'a mut Logic,
    tree: Tree,
    queue: VecDeque<NodeId>,
    /// The points that a test went on to from a node.
    continuations: FxHashMap<NodeId, Continuation>,
    tester: Option<Tester<'a>>,
    interpolator: Interpolator<'a>,
    /// Whether there is something to choose in tests.
    has_choices: bool,
    /// For queries about labels.
    scratch: Z3Solver,
    entailments: FxHashMap<(PointId, TermId), bool>,
    dead_ends: u64,
    covers: u64,
    uncovered: u64,
    /// Why the search cannot end with a proof any more.
    obstacle: Option<Reason>,
    /// Whether an execution that may reach the error was too long to be carried out, or its calls were nested too deeply.
    is_deep: bool,
}

impl<'a> Search<'a> {
    fn new(
        task: &'a Prepared<'a>,
        graph: &'a Graph,
        guide: &'a dyn Guide,
        strategies: &'a Strategies,
        logic: &'a mut Logic,
    ) -> Self {
        let space = Space { program: task.program(), graph };
        let mut skolems = graph.arcs.iter().flat_map(|arc| &arc.skolems);
        Self {
            task,
            space,
            guide,
            strategies,
            tree: Tree::new(graph.points.len()),
            queue: VecDeque::from([Tree::ROOT]),
            continuations: FxHashMap::default(),
            tester: None,
            interpolator: Interpolator::new(space, logic),
            has_choices: skolems.any(Skolem::is_input),
            scratch: logic.solvers.z3_solver(),
            entailments: FxHashMap::default(),
            dead_ends: 0,
            covers: 0,
            uncovered: 0,
            obstacle: None,
            is_deep: false,
            logic,
        }
    }

    /// The main loop. Nothing if the error cannot be reached: then the labels show it.
    fn run(&mut self, events: &dyn Events) -> Result<Option<Verdict>, Reason> {
        let _stage = timeline::stage("search");
        let start = self.space.background(&mut self.logic.terms, ENTRY, Terms::TRUE);
        let mut path = PathFormula::new(self.logic, Tree::ROOT, start);
        while let Some(node) = self.queue.pop_front() {
            self.logic.budget.tick().map_err(Reason::Stopped)?;
            if self.tree.node(node).status != Status::Frontier || !self.tree.is_live(node) {
                continue;
            }
            self.report(events);
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

    /// What is in the way if the budget ends the search: where recursion has become a loop, calls that are nested too deeply say more than that.
    fn explained(&self, reason: Reason) -> Reason {
        let call = recursive_call(self.task.given()).filter(|_| self.is_deep);
        match (&reason, call) {
            (Reason::Stopped(Stop::Deadline | Stop::Ticks), Some(region)) => {
                Reason::LongCounterexample { region }
            }
            _ => reason,
        }
    }

    /// Looks at one node of the frontier.
    fn visit(&mut self, node: NodeId, path: &mut PathFormula) -> Result<Option<Verdict>, Reason> {
        if self.strategies.cover.try_cover(self, node)? {
            return Ok(None);
        }
        if self.continuations.contains_key(&node) {
            self.expand(node, None);
            return Ok(None);
        }
        path.go_to(node, &self.tree, self.space.graph, &mut self.logic.terms);
        let ahead = self.guide.ahead(self.tree.node(node).point).pruning().formula;
        match path.check(self.logic, &[ahead]) {
            Answer::Unsat(_) => {
                self.dead_end(node, path, ahead)?;
                Ok(None)
            }
            Answer::Sat(model) => self.strategies.testing.visit(self, node, path, &model),
            Answer::Unknown(why @ Why::Stopped(_)) => Err(gave_up(why)),
            Answer::Unknown(why) if self.is_error(node) => Err(gave_up(why)),
            Answer::Unknown(_) => {
                self.expand(node, None);
                Ok(None)
            }
        }
    }

    fn is_error(&self, node: NodeId) -> bool {
        Some(self.tree.node(node).point) == self.space.graph.target
    }

    /// A counterexample does not replay.
    fn note_spurious(&mut self) {
        let rounded = rounded(self.task, self.space.graph);
        self.obstacle.get_or_insert(Reason::Spurious { rounded });
    }

    /// Gives a node its children, of which one may be where a test went on.
    fn expand(&mut self, node: NodeId, test: Option<Continuation>) {
        let test = test.or_else(|| self.continuations.remove(&node));
        let point = &self.space.graph.points[self.tree.node(node).point];
        let steps: Vec<(ArcId, PointId)> =
            point.outgoing.iter().map(|arc| (*arc, self.space.graph.arcs[*arc].target)).collect();
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

    /// The clauses of all labels, by point: each holds on some path.
    fn clauses(&self) -> IndexVec<PointId, Vec<TermId>> {
        let mut clauses: IndexVec<PointId, Vec<TermId>> =
            IndexVec::filled(Vec::new(), self.space.graph.points.len());
        for (_, node) in self.tree.nodes() {
            clauses[node.point].extend(&node.label);
        }
        clauses
    }

    fn report(&self, events: &dyn Events) {
        let tests = self.tester.as_ref().map_or(0, Tester::tests);
        let hits = self.tester.as_ref().map(Tester::hits).unwrap_or_default();
        let totals = [
            (Counter::Tests, tests),
            (Counter::ChoicesRemembered, hits.choices),
            (Counter::Skips, hits.skips),
            (Counter::DeadStatesRemembered, hits.dead_states),
            (Counter::TreeNodes, self.tree.len() as u64),
            (Counter::DeadEnds, self.dead_ends),
            (Counter::Covers, self.covers),
            (Counter::CoversRemoved, self.uncovered),
            (Counter::Clauses, self.interpolator.clauses()),
            (Counter::SolverQueries, self.logic.solvers.statistics().queries),
        ];
        for (counter, total) in totals {
            events.total(counter, total);
        }
    }
}

/// Where a program calls a procedure that may call itself.
fn recursive_call(program: &Program) -> Option<Region> {
    let recursive = recursive_procedures(program);
    let mut edges = program.procs.iter().flat_map(Procedure::edges);
    let enters = |op: &Op| op.call_targets().iter().any(|target| recursive[*target]);
    edges.find(|edge| edge.ops.iter().any(enters)).map(|edge| edge.origin.region)
}
