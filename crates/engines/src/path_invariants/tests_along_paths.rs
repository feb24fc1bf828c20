//! Tests that follow a path, for the confirmation of counterexamples.

use std::collections::BTreeSet;

use cfa::Program;
use graph::cut::{Graph, PointId};
use passes::Prepared;
use paths::{Halt, Runner, Script, Test, Tests};
use smt::Logic;
use verdict::Reason;

/// Steps of the interpreter for the first tests; more once tests turn out to be too short.
const TEST_TICKS: u64 = 4_000_000;

/// Runs tests of one program that end with the path that they follow.
pub(super) struct TestsAlongPaths<'a> {
    program: &'a Program,
    runner: Runner,
    stops: BTreeSet<PointId>,
    ticks: u64,
    tests: u64,
}

impl<'a> TestsAlongPaths<'a> {
    /// Prepares tests that stop at the points of a graph.
    pub(super) fn new(task: &'a Prepared<'_>, graph: &Graph) -> Self {
        let program = task.program();
        let runner = Runner::new(program, task.loops(program.entry), graph);
        Self { program, runner, stops: BTreeSet::new(), ticks: TEST_TICKS, tests: 0 }
    }

    /// How many tests were run.
    pub(super) fn tests(&self) -> u64 {
        self.tests
    }

    /// Further tests may have twice as many steps.
    pub(super) fn allow_longer(&mut self) {
        self.ticks = self.ticks.saturating_mul(2);
    }
}

impl Tests for TestsAlongPaths<'_> {
    fn test(&mut self, points: &[PointId], script: Script, logic: &mut Logic) -> Result<Test, Reason> {
        self.tests += 1;
        let mut execution = self.runner.start(self.program, points[0], points.len(), &self.stops);
        let mut allowance = logic.budget.child(self.ticks);
        let halt = execution.follow(points, script, &mut allowance);
        // A path ends at the error, which is a point as any other: the error itself is one step further.
        let is_there = points.last() == Some(&execution.at());
        let halt = halt.or_else(|| if is_there { execution.advance(&mut allowance) } else { None });
        let halt = halt.unwrap_or(Halt::End);
        logic.budget.absorb(&allowance);
        logic.budget.poll().map_err(Reason::Stopped)?;
        Ok(execution.finish(halt))
    }
}
