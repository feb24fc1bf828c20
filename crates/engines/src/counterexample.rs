//! Counterexamples that are paths: tests that follow them, and their confirmation.

use std::collections::BTreeSet;

use cfa::Program;
use graph::cut::{ArcId, ENTRY, Graph, PointId};
use graph::tree::Tree;
use passes::Prepared;
use paths::{Confirmation, Halt, PathFormula, Runner, Script, Space, Test, Tests, confirm, gave_up};
use smt::{Answer, Logic};
use term::Terms;
use verdict::{Reason, Trace};

/// Steps of the interpreter for the first tests; more once tests turn out to be too short.
const TEST_TICKS: u64 = 4_000_000;

/// Runs tests of one program that end with the path that they follow.
pub(crate) struct TestsAlongPaths<'a> {
    program: &'a Program,
    runner: Runner,
    stops: BTreeSet<PointId>,
    ticks: u64,
    tests: u64,
}

impl<'a> TestsAlongPaths<'a> {
    /// Prepares tests that stop at the points of a graph.
    pub(crate) fn new(task: &'a Prepared<'_>, graph: &Graph) -> Self {
        let program = task.program();
        let runner = Runner::new(program, task.loops(program.entry), graph);
        Self { program, runner, stops: BTreeSet::new(), ticks: TEST_TICKS, tests: 0 }
    }

    /// How many tests were run.
    pub(crate) fn tests(&self) -> u64 {
        self.tests
    }

    /// Further tests may have twice as many steps.
    pub(crate) fn allow_longer(&mut self) {
        self.ticks = self.ticks.saturating_mul(2);
    }
}

impl Tests for TestsAlongPaths<'_> {
    fn test(&mut self, points: &[PointId], script: Script, logic: &mut Logic) -> Result<Test, Reason> {
        self.tests += 1;
        let mut execution = self.runner.start(self.program, points[0], points.len(), &self.stops);
        let mut allowance = logic.budget.steps(self.ticks);
        let halt = execution.follow(points, script, &mut allowance);
        // A path ends at the error, which is a point as any other: the error itself is one step further.
        let is_there = points.last() == Some(&execution.at());
        let halt = halt.or_else(|| if is_there { execution.advance(&mut allowance) } else { None });
        let halt = halt.unwrap_or(Halt::End);
        logic.budget.absorb_steps(&allowance);
        logic.budget.poll().map_err(Reason::Stopped)?;
        Ok(execution.finish(halt))
    }
}

/// The execution that follows a path from the entry to the error; nothing if the path cannot be taken, or only in the encoding.
pub(crate) fn execution_along(
    arcs: &[ArcId],
    task: &Prepared<'_>,
    space: Space<'_>,
    tests: &mut TestsAlongPaths<'_>,
    logic: &mut Logic,
) -> Result<Option<Trace>, Reason> {
    let graph = space.graph;
    let mut tree = Tree::new(graph.points.len());
    let (mut node, mut points) = (Tree::ROOT, vec![ENTRY]);
    for arc in arcs {
        let target = graph.arcs[*arc].target;
        points.push(target);
        node = tree.expand(node, &[(*arc, target)])[0];
    }
    let start = space.background(&mut logic.terms, ENTRY, Terms::TRUE);
    let mut path = PathFormula::new(logic, Tree::ROOT, start);
    path.go_to(node, &tree, graph, &mut logic.terms);
    let model = match path.check(logic, &[]) {
        Answer::Sat(model) => model,
        Answer::Unsat(_) => return Ok(None),
        Answer::Unknown(why) => return Err(gave_up(why)),
    };
    loop {
        match confirm(task, graph, &mut path, &points, &model, tests, logic)? {
            Confirmation::Confirmed(trace) => return Ok(Some(trace)),
            Confirmation::TooLong => {
                logic.budget.tick().map_err(Reason::Stopped)?;
                tests.allow_longer();
            }
            Confirmation::Spurious => return Ok(None),
        }
    }
}
