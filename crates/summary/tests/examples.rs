//! The worked examples of the paper, written as automata.

use base::Budget;
use cfa::Program;
use smt::{Answer, Z3, Z3Settings};
use summary::star::{Star, StarOptions, Starrer};
use summary::{Graph, Summaries};
use term::{Substitution, TermId, Terms};

struct Summarised {
    terms: Terms,
    graph: Graph,
    summaries: Summaries,
    solvers: Z3,
}

fn summarise(body: &str, options: StarOptions) -> Summarised {
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
    let program: Program = cfa::text::parse("test.cfa", &text).expect("the program should be well-formed");
    let mut terms = Terms::new();
    let mut budget = Budget::unlimited();
    let solvers = Z3::new(Z3Settings::default());
    let graph = Graph::new(&program, &mut terms, &mut budget).expect("there is no limit");
    let mut starrer = Starrer::new(solvers.clone(), options);
    let summaries = Summaries::new(&graph, &mut terms, &mut starrer, &mut budget).expect("there is no limit");
    Summarised { terms, graph, summaries, solvers }
}

impl Summarised {
    fn has_model(&self, formula: TermId) -> bool {
        let mut solver = self.solvers.z3_solver();
        let answer = smt::check_formula(&mut solver, &self.terms, formula, &mut Budget::unlimited());
        assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
        answer.is_sat()
    }
    fn root_is_unsat(&self) -> bool {
        !self.has_model(self.summaries.root().get().formula)
    }
    fn stars(&self) -> Vec<String> {
        let show = |star: &Star| {
            let mut lines = vec![term::print::text(&self.terms, star.formula.guard)];
            for (symbol, value) in &star.formula.map {
                let name = term::print::own_name(&self.terms, *symbol);
                lines.push(format!("{name} := {}", term::print::text(&self.terms, *value)));
            }
            lines.join("\n")
        };
        self.summaries.stars().values().map(show).collect()
    }

    /// K2 at every loop: the certificate's steps hold. For each arc p -> q, from facts(p), the arc and R(q) follows an instance of R(p).
    fn check_steps(&mut self) {
        for arc in &self.graph.arcs {
            let goal = self.summaries.reach(arc.target).get().formula;
            let step = arc.formula.before(&mut self.terms, goal);
            let facts = self.graph.points[arc.source].facts;
            let reach = self.summaries.reach(arc.source).get().clone();
            let mut parts = vec![facts, step];
            for instance in &reach.instances {
                let instance =
                    Substitution::new(instance.iter().copied()).apply(&mut self.terms, reach.formula);
                parts.push(self.terms.not(instance));
            }
            let broken = self.terms.and(parts);
            assert!(!self.has_model(broken), "{:?} -> {:?}", arc.source, arc.target);
        }
    }
}

const EX1: &str = "proc %start() {
  local n : i32
  local i : i32
  local min : i32
  entry l0
  exit l1
  error l4
  loc l2
  loc l3
  l0 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; i := 0:i32 ; min := 0:i32
  l2 -> l2 : assume i < n ; min := min + 1:i32 ; i := i + 1:i32
  l2 -> l3 : assume !(i < n)
  l3 -> l4 : assume !(min < 1000:i32)
  l3 -> l1 : assume min < 1000:i32
}
";

#[test]
fn a_counting_loop_is_accelerated_exactly() {
    let mut example = summarise(EX1, StarOptions::default());
    println!("{}", example.stars().join("\n---\n"));
    assert!(!example.root_is_unsat());
    assert!(example.summaries.stars().values().all(|star| star.exact));
    example.check_steps();
}

const EX2: &str = "proc %start() {
  local n : i32
  local r : i32
  entry l0
  exit l1
  error l4
  loc l2
  loc l3
  l0 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; r := 0:i32
  l2 -> l2 : assume n > 0:i32 ; r := r + n ; n := n - 1:i32
  l2 -> l3 : assume !(n > 0:i32)
  l3 -> l4 : assume r == 2:i32
  l3 -> l1 : assume r != 2:i32
}
";

#[test]
fn increments_are_bounded() {
    let mut example = summarise(EX2, StarOptions::default());
    println!("{}", example.stars().join("\n---\n"));
    example.check_steps();
}

const EX3: &str = "proc %start() {
  local n : i32
  local m : i32
  local x : i32
  entry l0
  exit l1
  error l5
  loc l2
  loc l3
  loc l4
  l0 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; havoc m input \"nondet\" at @f0:1:1-1:2 ; x := 2:i32
  l2 -> l2 : assume n > 0:i32 ; x := 2:i32 * x ; n := n - 1:i32
  l2 -> l3 : assume !(n > 0:i32)
  l3 -> l3 : assume m > 0:i32 ; x := x - 2:i32 ; m := m - 1:i32
  l3 -> l4 : assume !(m > 0:i32)
  l4 -> l5 : assume x == 1:i32
  l4 -> l1 : assume x != 1:i32
}
";

#[test]
fn parity_is_proved_by_the_root_summary_alone() {
    let mut example = summarise(EX3, StarOptions::default());
    println!("{}", example.stars().join("\n---\n"));
    assert!(example.root_is_unsat());
    example.check_steps();
    let mut without = summarise(EX3, StarOptions { congruences: false, ..StarOptions::default() });
    without.check_steps();
}
