//! K-induction over cut points: engine `kind`.
//!
//! # Paper
//! [Sheeran00], and Algorithm 2 of [Bself21] for control-flow paths; its theorems 2 and 3 relate it to backward symbolic execution, which a test here checks.
//!
//! | paper | here |
//! |---|---|
//! | base case: no path of k arcs from the entry ends at the error | `Base` |
//! | induction step: no path of k + 1 arcs from anywhere ends at the error | `Induction` |
//!
//! An arc stands for all ways between two points, so one iteration of an innermost loop is one arc and k stays small. Paths of the base case grow at the end, those of the induction step at
//! the front: both solvers keep what they have learnt. Facts that candidates prove together (`joint_facts`) hold at every position.
//!
//! # Invariants
//! * S1: nothing here is trusted. Unsafe is replayed on the program as given, safe is proved again from its annotation (`evidence`).
//! * S2 (theorem 2): without facts, the induction step succeeds for the least k such that no feasible path to the error is longer.

mod bits;
mod evidence;
mod unroll;

use std::collections::BTreeMap;

use base::timeline;
use engine::{Counter, Engine, Env, Events};
use graph::cut::{ENTRY, PointId};
use passes::Prepared;
use paths::{Space, gave_up};
use smt::{Answer, Logic, Solver, Z3Solver};

use verdict::{Reason, Trace, Verdict};

use crate::counterexample::{TestsAlongPaths, execution_along};
use crate::facts_of_others::{Heard, tell};
use crate::joint_facts::joint_facts;
use crate::problem::Problem;
use crate::rounded::rounded;
pub(crate) use bits::KindInBits;
use evidence::Bad;
use unroll::{Position, Unrolling};

/// Proofs with longer paths are too large to be checked.
const MAX_DEPTH: usize = 24;

/// The engine.
pub(crate) struct Kind;

impl Engine for Kind {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        solve(task, env).unwrap_or_else(Verdict::Unknown)
    }
}

fn solve(task: &Prepared<'_>, env: &mut Env<'_>) -> Result<Verdict, Reason> {
    let mut problem = Problem::new(task, &mut env.logic)?;
    let heard = Heard::of(task, &mut problem.graph, env);
    let space = Space { program: task.program(), graph: &problem.graph };
    let facts = joint_facts(space, &heard, env)?;
    let unrolling = Unrolling::new(space, &facts);
    let outcome = {
        let _stage = timeline::stage("search");
        run(task, &unrolling, usize::MAX, env.events, &mut env.logic)
    };
    if outcome.is_err() {
        tell(space.graph, &facts, env);
    }
    let k = match outcome? {
        Outcome::Error(trace, arcs) => {
            env.events.total(Counter::Depth, arcs as u64);
            return Ok(Verdict::Unsafe(*trace));
        }
        Outcome::Proved(k) => k,
    };
    let bad = Bad::new(&unrolling, k, &mut env.logic.terms);
    Ok(Verdict::Safe(problem.annotation(&bad, &BTreeMap::new(), &mut env.logic)))
}

/// What was found out.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// This execution reaches the error, along so many arcs.
    Error(Box<Trace>, usize),
    /// No path of more than so many arcs leads to the error, and none of so many or fewer from the entry.
    Proved(usize),
}

/// Algorithm 2, for paths of at most so many arcs.
fn run(
    task: &Prepared<'_>,
    unrolling: &Unrolling<'_>,
    most: usize,
    events: &dyn Events,
    logic: &mut Logic,
) -> Result<Outcome, Reason> {
    let Some(error) = unrolling.space.graph.target else { return Ok(Outcome::Proved(1)) };
    let mut base = Base::new(unrolling, logic);
    let mut induction = Induction::new(unrolling, error, logic);
    let mut tests = TestsAlongPaths::new(task, unrolling.space.graph);
    for k in 1..=most {
        logic.budget.tick().map_err(Reason::Stopped)?;
        events.total(Counter::Depth, k as u64);
        events.total(Counter::SolverQueries, logic.solvers.statistics().queries);
        let is_longest = match base.longer(unrolling, error, logic)? {
            Found::Path(arcs) => {
                return match execution_along(&arcs, task, unrolling.space, &mut tests, logic)? {
                    Some(trace) => Ok(Outcome::Error(Box::new(trace), k)),
                    None => Err(Reason::Spurious { rounded: rounded(task, unrolling.space.graph) }),
                };
            }
            Found::NoError => false,
            Found::NoPath => true,
        };
        if k <= MAX_DEPTH && induction.is_proved(unrolling, k, logic)? {
            return Ok(Outcome::Proved(k));
        }
        if is_longest {
            return Err(Reason::NotProgressing);
        }
    }
    Err(Reason::NotProgressing)
}

/// What paths of one length there are.
enum Found {
    /// One to the error.
    Path(Vec<graph::cut::ArcId>),
    /// None to the error.
    NoError,
    /// None at all.
    NoPath,
}

/// The base case: paths from the entry.
struct Base {
    solver: Z3Solver,
    positions: Vec<Position>,
}

impl Base {
    fn new(unrolling: &Unrolling<'_>, logic: &mut Logic) -> Self {
        let mut solver = logic.solvers.z3_solver();
        let first = unrolling.position(&mut logic.terms);
        let start = first.is_at(&mut logic.terms, ENTRY);
        solver.assert(&logic.terms, start);
        Self { solver, positions: vec![first] }
    }

    /// Goes on to paths that are longer by one.
    fn longer(
        &mut self,
        unrolling: &Unrolling<'_>,
        error: PointId,
        logic: &mut Logic,
    ) -> Result<Found, Reason> {
        let next = unrolling.position(&mut logic.terms);
        let step = unrolling.step(&mut logic.terms, &self.positions[self.positions.len() - 1], &next);
        let is_there = next.is_at(&mut logic.terms, error);
        self.positions.push(next);
        self.solver.assert(&logic.terms, step);
        let Logic { terms, budget, .. } = logic;
        match self.solver.check(terms, &[is_there], budget) {
            Answer::Sat(model) => return Ok(Found::Path(unrolling.arcs(&self.positions, &model))),
            Answer::Unsat(_) => {}
            Answer::Unknown(why) => return Err(gave_up(why)),
        }
        let is_elsewhere = terms.not(is_there);
        match self.solver.check(terms, &[is_elsewhere], budget) {
            Answer::Sat(_) => Ok(Found::NoError),
            Answer::Unsat(_) => Ok(Found::NoPath),
            Answer::Unknown(why) => Err(gave_up(why)),
        }
    }
}

/// The induction step: paths to the error, of one arc at the start.
struct Induction {
    solver: Z3Solver,
    first: Position,
    length: usize,
}

impl Induction {
    fn new(unrolling: &Unrolling<'_>, error: PointId, logic: &mut Logic) -> Self {
        let mut solver = logic.solvers.z3_solver();
        let first = unrolling.position(&mut logic.terms);
        let end = first.is_at(&mut logic.terms, error);
        solver.assert(&logic.terms, end);
        Self { solver, first, length: 0 }
    }

    /// Whether no path of k + 1 arcs leads to the error.
    fn is_proved(&mut self, unrolling: &Unrolling<'_>, k: usize, logic: &mut Logic) -> Result<bool, Reason> {
        while self.length <= k {
            let before = unrolling.position(&mut logic.terms);
            let step = unrolling.step(&mut logic.terms, &before, &self.first);
            self.solver.assert(&logic.terms, step);
            self.first = before;
            self.length += 1;
        }
        match self.solver.check(&logic.terms, &[], &mut logic.budget) {
            Answer::Unsat(_) => Ok(true),
            Answer::Sat(_) => Ok(false),
            Answer::Unknown(why) => Err(gave_up(why)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use base::{Budget, IndexVec};
    use certify::certify;
    use engine::Recorder;

    use super::*;
    use crate::bself::{Ending, Folding, Search, Subsumption};

    /// The random programs that are compared.
    const PROGRAMS: u64 = 40;
    /// Longer paths are not looked at.
    const LONGEST: usize = 5;

    /// Numbers that look random.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    /// A program with one or two loops, with the error inside of one or behind them.
    fn program_text(seed: u64) -> String {
        let mut random = Random(seed);
        let mut body =
            format!("int x = {}, y = {}, n = __VERIFIER_nondet_int();", random.below(3), random.below(3));
        for _ in 0..=random.below(2) {
            let bound = if random.below(2) == 0 { "n".to_owned() } else { random.below(5).to_string() };
            let steps = [
                "x = x + 1;",
                "x = x + 1; y = y + 1;",
                "if (y > 0) y = y - 1; x = x + 1;",
                "x = x + 2; y = x;",
            ];
            let step = steps[random.below(4) as usize];
            let tests = ["x != y", "y > x + 2", "x == 3", "y == 4", "x + y == 5"];
            let test = tests[random.below(5) as usize];
            let check =
                if random.below(3) > 0 { format!("if ({test}) reach_error();") } else { String::new() };
            let _ = write!(body, "while (x < {bound}) {{ {check} {step} }}");
        }
        if random.below(2) == 0 {
            body += "if (x < 0 || x == y + 3) reach_error();";
        }
        format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {{ {body} return 0; }}\n"
        )
    }

    fn program(text: &str) -> cfa::Program {
        let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.as_bytes().to_vec().into() };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        cfront::compile(&[input], &options).expect("the program should compile").program
    }

    fn env(recorder: &Recorder, ticks: u64) -> Env<'_> {
        Env::new(Budget::ticks(ticks), recorder)
    }

    /// How k-induction without facts ends, and backward symbolic execution without subsumption with the length of its longest feasible path.
    fn both(task: &Prepared<'_>) -> (Result<Outcome, Reason>, Result<Ending, Reason>, u32) {
        let recorder = Recorder::default();
        let mut env = env(&recorder, u64::MAX);
        let problem = Problem::new(task, &mut env.logic).expect("the program should be encoded");
        let space = Space { program: task.program(), graph: &problem.graph };
        let nothing = IndexVec::filled(Vec::new(), problem.graph.points.len());
        let unrolling = Unrolling::new(space, &nothing);
        let by_induction = run(task, &unrolling, LONGEST, env.events, &mut env.logic);
        let mut search = Search::new(task, space, Folding::Off, Subsumption::Off, &mut env.logic);
        search.give_up_beyond(LONGEST as u32);
        let backwards = search.run(&recorder);
        let deepest = search.deepest();
        (by_induction, backwards, deepest)
    }

    #[test]
    fn backward_execution_and_induction_decide_the_same_programs_with_paths_of_the_same_length() {
        let (mut proved, mut refuted) = (0, 0);
        for seed in 0..PROGRAMS {
            let text = program_text(seed);
            let program = program(&text);
            let task = Prepared::of(&program);
            match both(&task) {
                // Theorem 2: k is the length of the longest feasible path to the error, and at least one.
                (Ok(Outcome::Proved(k)), Ok(Ending::Closed), deepest) => {
                    proved += 1;
                    assert_eq!(k, deepest.max(1) as usize, "{seed}: {text}");
                }
                (Ok(Outcome::Error(_, k)), Ok(Ending::Error(_, arcs)), _) => {
                    refuted += 1;
                    assert_eq!(k, arcs as usize, "{seed}: {text}");
                }
                // Neither ends where feasible paths to the error are longer.
                (Err(_), Err(_), _) => {}
                (induction, backwards, _) => panic!("{seed}: {induction:?}, {backwards:?}\n{text}"),
            }
        }
        assert!(proved >= 8 && refuted >= 8, "{proved} proved, {refuted} refuted");
    }

    fn verdict(text: &str) -> Verdict {
        let program = program(text);
        let task = Prepared::of(&program);
        let recorder = Recorder::default();
        let verdict = Box::new(Kind).solve(&task, &mut env(&recorder, 20_000));
        certify(&task, verdict, &mut Budget::unlimited()).verdict().clone()
    }

    const HEAD: &str =
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); int main(void) {";

    #[test]
    fn a_proof_that_needs_two_arcs_is_certified() {
        // Neither condition is inductive by itself: the values rotate.
        let text = format!(
            "{HEAD} int a = 1, b = 2, c = 3; while (__VERIFIER_nondet_int()) {{ if (a == b) reach_error(); int t = a; a = b; b = c; c = t; }} }}"
        );
        let verdict = verdict(&text);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
    }
}
