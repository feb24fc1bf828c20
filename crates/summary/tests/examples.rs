//! The worked examples of the paper, written as automata.

use base::Budget;
use cfa::Program;
use graph::{Graph, PointId};
use smt::{Answer, Z3, Z3Settings};
use summary::Summaries;
use summary::print::{Directions, Limits, PointReading, Reader, Reading, StarReading};
use summary::star::{Star, StarOptions, Stars};
use term::{Integer, Sort, Substitution, SymbolKind, TermId, Terms, Value};

struct Summarised {
    program: Program,
    is_unsigned: bool,
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
    let loops = program.procs[program.entry].loops();
    let graph = Graph::of(&program, program.entry, loops, graph::cut::Target::Error, &mut terms, &mut budget)
        .expect("there is no limit");
    let mut stars = Stars::new(solvers.clone(), options);
    let summaries = Summaries::new(&graph, &mut terms, &mut stars, &mut budget).expect("there is no limit");
    let is_unsigned = body.contains(" : u32");
    Summarised { program, is_unsigned, terms, graph, summaries, solvers }
}

impl Summarised {
    fn has_model(&self, formula: TermId) -> bool {
        let mut solver = self.solvers.z3_solver();
        let answer = smt::check_formula(&mut solver, &self.terms, formula, &mut Budget::unlimited());
        assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
        answer.is_sat()
    }
    fn root_is_unsat(&self) -> bool {
        !self.has_model(self.summaries.root().pruning().formula)
    }
    /// The value of a variable now.
    fn variable(&mut self, name: &str) -> TermId {
        let found = self.program.vars.iter_enumerated().find(|(_, info)| &*info.name == name);
        let symbol = found.and_then(|(var, _)| self.graph.vocabulary.symbol(var)).expect("it is a scalar");
        self.terms.of_symbol(symbol)
    }
    /// Its value after the loops of a star.
    fn after(&mut self, star: &Star, name: &str) -> TermId {
        let now = self.variable(name);
        let symbol = self.terms.symbols_of(now)[0];
        star.formula.update.get(&symbol).copied().unwrap_or(now)
    }
    /// The star of the n-th loop, and what holds at its head.
    fn star(&self, number: usize) -> (Star, TermId) {
        let (head, star) = self.summaries.stars().iter().nth(number).expect("there is such a loop");
        (star.pruning().clone(), self.graph.points[*head].facts)
    }
    /// The inputs in the summary of the entry, in the order of the program.
    fn inputs(&mut self) -> Vec<TermId> {
        let root = self.summaries.root().pruning().formula;
        let mut inputs = Vec::new();
        for symbol in self.terms.symbols_of(root) {
            let info = self.terms.symbol(symbol);
            if info.kind == SymbolKind::Skolem && info.name.starts_with("nondet") {
                inputs.push(self.terms.of_symbol(symbol));
            }
        }
        inputs
    }
    fn assert_entails(&mut self, premises: &[TermId], conclusion: TermId) {
        let negation = self.terms.not(conclusion);
        let counterexample = self.terms.and(premises.iter().copied().chain([negation]));
        let shown = term::print::text(&self.terms, conclusion);
        assert!(!self.has_model(counterexample), "{shown} does not follow");
    }
    /// Whether the error is possible with these inputs, as far as the root tells.
    fn allows(&mut self, values: &[i64]) -> bool {
        let mut parts = vec![self.summaries.root().pruning().formula];
        for (input, value) in self.inputs().into_iter().zip(values) {
            let value = self.terms.int(*value);
            parts.push(self.terms.eq(input, value));
        }
        let all = self.terms.and(parts);
        self.has_model(all)
    }

    fn read(&mut self) -> Vec<PointReading> {
        let points: Vec<PointId> = self.graph.points.ids().collect();
        let mut reader = Reader::new(
            &self.program,
            &self.graph,
            &self.summaries,
            &mut self.terms,
            &self.solvers,
            Limits::FULL,
        );
        reader.read(&points, Directions::Both, &mut Budget::unlimited()).expect("there is no limit")
    }

    /// R1 of the printer: what is printed follows from the summary, and each of some states that it allows is allowed by the summary.
    fn check_readings(&mut self) {
        for reading in self.read() {
            let formula = self.summaries.reach(reading.point).pruning().formula;
            let facts = self.graph.points[reading.point].facts;
            self.check_reading(formula, facts, &[], &reading.summary);
            let Some(star) = self.summaries.stars().get(&reading.point) else { continue };
            let star = star.pruning().clone();
            let StarReading { relation, exact } = reading.star.expect("a loop has a star");
            assert_eq!(exact, star.exact);
            // The values afterwards have names of the printer's own.
            let mut definitions = Vec::new();
            for symbol in self.terms.symbols_of(relation.formula) {
                let info = self.terms.symbol(symbol).clone();
                let value = match info.kind {
                    SymbolKind::Primed => self.after(&star, &info.name),
                    SymbolKind::Counter => star.count,
                    _ => continue,
                };
                let value_is_shown = self.terms.symbols_of(star.formula.guard).contains(&symbol);
                if !value_is_shown {
                    let shown = self.terms.of_symbol(symbol);
                    definitions.push(self.terms.eq(shown, value));
                }
            }
            self.check_reading(star.formula.guard, facts, &definitions, &relation);
        }
    }

    fn check_reading(&mut self, formula: TermId, facts: TermId, definitions: &[TermId], reading: &Reading) {
        let mut whole = vec![formula, facts];
        whole.extend(definitions);
        let all: Vec<TermId> = whole.iter().copied().chain([reading.formula]).collect();
        let all = self.terms.and(all);
        let typing = self.typing(all);
        whole.push(typing);
        self.assert_entails(&whole, reading.formula);
        let whole = self.terms.and(whole);
        let mut rest = vec![reading.formula, facts, typing];
        for _ in 0..8 {
            let question = self.terms.and(rest.iter().copied());
            let mut solver = self.solvers.z3_solver();
            let answer = smt::check_formula(&mut solver, &self.terms, question, &mut Budget::unlimited());
            let Answer::Sat(model) = answer else { break };
            let mut state = Vec::new();
            for symbol in self.terms.symbols_of(reading.formula) {
                let value = model.get(symbol).cloned().unwrap_or_else(|| Value::default_of(Sort::Int));
                let (term, value) = (self.terms.of_symbol(symbol), self.terms.of_value(&value));
                state.push(self.terms.eq(term, value));
            }
            let state = self.terms.and(state);
            let both = self.terms.and([whole, state]);
            assert!(self.has_model(both), "{} is shown as possible", term::print::text(&self.terms, state));
            rest.push(self.terms.not(state));
        }
    }

    /// That variables and inputs are machine integers; the programs here have one type of them.
    fn typing(&mut self, formula: TermId) -> TermId {
        let (low, high) = if self.is_unsigned { (0, 1 << 32) } else { (-(1 << 31), 1 << 31) };
        let mut parts = Vec::new();
        for symbol in self.terms.symbols_of(formula) {
            let info = self.terms.symbol(symbol);
            let is_value = match info.kind {
                SymbolKind::Variable | SymbolKind::Primed => true,
                SymbolKind::Skolem => info.name.starts_with("nondet"),
                _ => false,
            };
            if !is_value {
                continue;
            }
            let (value, low, high) =
                (self.terms.of_symbol(symbol), self.terms.int(low), self.terms.int(high));
            parts.push(self.terms.ge(value, low));
            parts.push(self.terms.lt(value, high));
        }
        self.terms.and(parts)
    }

    /// K2 at every loop: the certificate's steps hold. For each arc p -> q, from facts(p), the arc and R(q) follows an instance of R(p).
    fn check_steps(&mut self) {
        for arc in &self.graph.arcs {
            let goal = self.summaries.reach(arc.target).pruning().formula;
            let step = arc.formula.before(&mut self.terms, goal);
            let facts = self.graph.points[arc.source].facts;
            let reach = self.summaries.reach(arc.source).pruning().clone();
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
    assert!(example.summaries.stars().values().all(|star| star.pruning().exact));
    example.check_steps();
    example.check_readings();
    example.check_forward();
    // The error needs at least a thousand iterations, and any such number will do.
    assert!(example.allows(&[1_000]) && example.allows(&[i64::from(i32::MAX)]));
    let (root, bound) = (example.summaries.root().pruning().formula, example.terms.int(1_000));
    let input = example.inputs()[0];
    let conclusion = example.terms.ge(input, bound);
    example.assert_entails(&[root], conclusion);
}

impl Summarised {
    /// W1 of the printer, for the counting loop: states that arrive are allowed, and the counters are known to be equal.
    fn check_forward(&mut self) {
        let states = self.read()[1].forward.as_ref().expect("it was asked for").formula;
        let [i, min, n] = ["i", "min", "n"].map(|name| self.variable(name));
        let conclusion = self.terms.eq(i, min);
        self.assert_entails(&[states], conclusion);
        for (count, bound, is_expected) in [(0, -7, true), (3, 5, true), (5, 5, true), (6, 5, false)] {
            let (count, bound) = (self.terms.int(count), self.terms.int(bound));
            let parts = [self.terms.eq(i, count), self.terms.eq(min, count), self.terms.eq(n, bound), states];
            let state = self.terms.and(parts);
            assert_eq!(self.has_model(state), is_expected);
        }
    }
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
    example.check_steps();
    example.check_readings();
    let (star, facts) = example.star(0);
    let (n, r) = (example.variable("n"), example.variable("r"));
    let (n_after, r_after) = (example.after(&star, "n"), example.after(&star, "r"));
    let (zero, terms) = (example.terms.int(0), &mut example.terms);
    let fewer = terms.sub(n, star.count);
    let more = terms.add(r, star.count);
    let is_none = terms.eq(star.count, zero);
    let same = terms.eq(r, r_after);
    let (positive, left) = (terms.gt(n, zero), terms.ge(n_after, zero));
    let bounds = terms.and([positive, left]);
    let expected = [
        terms.eq(n_after, fewer),
        terms.ge(r_after, more),
        terms.implies(is_none, same),
        terms.or([is_none, bounds]),
    ];
    for conclusion in expected {
        example.assert_entails(&[star.formula.guard, facts], conclusion);
    }
    assert!(!example.allows(&[0]) && !example.allows(&[3]) && !example.allows(&[-1]));
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
    assert!(example.root_is_unsat());
    example.check_steps();
    example.check_readings();
    let (star, facts) = example.star(0);
    let (x, x_after) = (example.variable("x"), example.after(&star, "x"));
    let least = example.terms.add(x, star.count);
    let conclusion = example.terms.ge(x_after, least);
    example.assert_entails(&[star.formula.guard, facts], conclusion);
    let mut without = summarise(EX3, StarOptions::without_congruences());
    without.check_steps();
}

/// The second loop of EX-3 alone: x is any number.
const COUNTDOWN: &str = "proc %start() {
  local m : i32
  local x : i32
  entry l0
  exit l1
  error l4
  loc l2
  loc l3
  l0 -> l2 : havoc m input \"nondet\" at @f0:1:1-1:2 ; havoc x input \"nondet\" at @f0:1:1-1:2
  l2 -> l2 : assume m > 0:i32 ; x := x - 2:i32 ; m := m - 1:i32
  l2 -> l3 : assume !(m > 0:i32)
  l3 -> l4 : assume x == 1:i32
  l3 -> l1 : assume x != 1:i32
}
";

#[test]
fn the_summary_of_a_countdown_is_exact() {
    let mut example = summarise(COUNTDOWN, StarOptions::default());
    example.check_steps();
    example.check_readings();
    let (m, x) = (example.variable("m"), example.variable("x"));
    let head = *example.summaries.stars().keys().next().unwrap();
    let reach = example.summaries.reach(head).pruning().formula;
    let (zero, one, three) = (example.terms.int(0), example.terms.int(1), example.terms.int(3));
    let terms = &mut example.terms;
    let rest = terms.sub(x, one);
    let odd = terms.divides(&Integer::from(2), rest);
    let (is_one, none) = (terms.eq(x, one), terms.le(m, zero));
    let at_once = terms.and([is_one, none]);
    let doubled = terms.scale(&Integer::from(2), m);
    let (is_more, as_many) = (terms.ge(x, three), terms.eq(doubled, rest));
    let later = terms.and([is_more, as_many]);
    let either = terms.or([at_once, later]);
    let conclusion = terms.and([odd, either]);
    example.assert_entails(&[reach], conclusion);
}

/// The automaton of a lock that is opened by three letters, one an iteration; then three values must be right.
const LOCK: &str = "proc %start() {
  local c : i32
  local state : i32
  entry l0
  exit l1
  error l9
  loc l2
  loc l3
  loc l4
  loc l5
  l0 -> l2 : state := 0:i32
  l2 -> l3 : havoc c input \"nondet\" at @f0:3:1-3:2
  l3 -> l2 : assume state == 0:i32 ; assume c == 68:i32 ; state := 1:i32
  l3 -> l4 : assume !(state == 0:i32)
  l3 -> l2 : assume state == 0:i32 ; assume c != 68:i32
  l4 -> l2 : assume state == 1:i32 ; assume c == 79:i32 ; state := 2:i32
  l4 -> l5 : assume !(state == 1:i32)
  l4 -> l2 : assume state == 1:i32 ; assume c != 79:i32
  l5 -> l2 : assume state == 2:i32 ; assume c == 71:i32 ; state := 3:i32
  l5 -> l2 : assume state == 2:i32 ; assume c != 71:i32
  l5 -> l9 : assume state == 3:i32 ; assume c == 67:i32
}
";

#[test]
fn a_state_machine_advances_by_one_at_most() {
    let mut example = summarise(LOCK, StarOptions::default());
    example.check_steps();
    example.check_readings();
    let (star, facts) = example.star(0);
    let (state, after) = (example.variable("state"), example.after(&star, "state"));
    let most = example.terms.add(state, star.count);
    let (not_back, not_far) = (example.terms.le(state, after), example.terms.le(after, most));
    for conclusion in [not_back, not_far] {
        example.assert_entails(&[star.formula.guard, facts], conclusion);
    }
    assert!(!example.root_is_unsat());
}

/// Programs with a reachable error on which an implementation without care says safe: two loops with `step` as the body of the first.
fn doubling(step: &str) -> String {
    format!(
        "proc %start() {{
  local n : i32
  local m : i32
  local z : i32
  local x : i32
  entry l0
  exit l1
  error l9
  loc l2
  loc l3
  loc l4
  loc l5
  l0 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; havoc m input \"nondet\" at @f0:2:1-2:2 ; \
havoc z input \"nondet\" at @f0:3:1-3:2 ; x := 2:i32
{step}
  l5 -> l2 : n := n - 1:i32
  l2 -> l3 : assume !(n > 0:i32)
  l3 -> l3 : assume m > 0:i32 ; x := x - 2:i32 ; m := m - 1:i32
  l3 -> l4 : assume !(m > 0:i32)
  l4 -> l9 : assume x == 1:i32
  l4 -> l1 : assume x != 1:i32
}}
"
    )
}

#[test]
fn errors_that_are_reachable_stay_possible() {
    let steps = [
        (
            "  l2 -> l5 : assume n > 0:i32 ; assume n == 1:i32 ; assume z == 12345:i32 ; x := x + 1:i32
  l2 -> l5 : assume n > 0:i32 ; assume n != 1:i32 ; x := 2:i32 * x
  l2 -> l5 : assume n > 0:i32 ; assume n == 1:i32 ; assume z != 12345:i32 ; x := 2:i32 * x",
            [1, 1, 12345],
        ),
        (
            "  l2 -> l5 : assume n > 0:i32 ; assume n == z ; x := 3:i32
  l2 -> l5 : assume n > 0:i32 ; assume n != z ; x := 2:i32 * x",
            [1, 1, 1],
        ),
        (
            "  l2 -> l5 : assume n > 0:i32 ; assume n == 1:i32 ; assume x > 60:i32 ; x := 65:i32
  l2 -> l5 : assume n > 0:i32 ; assume n != 1:i32 ; x := 2:i32 * x
  l2 -> l5 : assume n > 0:i32 ; assume n == 1:i32 ; assume x <= 60:i32 ; x := 2:i32 * x",
            [6, 32, 0],
        ),
    ];
    for (step, witness) in steps {
        let mut example = summarise(&doubling(step), StarOptions::default());
        example.check_steps();
        assert!(example.allows(&witness), "{step}");
        example.check_readings();
    }
}

/// Unsigned arithmetic.
const TRANSFER: &str = "proc %start() {
  local x : u32
  local y : u32
  local z : u32
  entry l0
  exit l1
  error l5
  loc l2
  loc l3
  loc l4
  l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2 ; havoc y input \"nondet\" at @f0:1:1-1:2 ; havoc z input \"nondet\" at @f0:1:1-1:2
  l2 -> l2 : assume z > 0:u32 ; x := x + 1:u32 ; z := z - 1:u32
  l2 -> l3 : assume !(z > 0:u32)
  l3 -> l3 : assume y > 0:u32 ; y := y - 1:u32 ; x := x - 1:u32
  l3 -> l4 : assume !(y > 0:u32)
  l4 -> l5 : assume x != 0:u32
  l4 -> l1 : assume x == 0:u32
}
";

#[test]
fn readings_of_wrapping_arithmetic_are_equivalent() {
    let mut example = summarise(TRANSFER, StarOptions::default());
    example.check_steps();
    example.check_readings();
}

/// The value of x after the loop is eliminated; that it fits its type must not be taken for granted, for it is what bounds n.
const SQUARES: &str = "proc %start() {
  local n : u32
  local x : u32
  local t : u32
  entry l0
  exit l1
  error l4
  loc l2
  loc l3
  l0 -> l2 : havoc n input \"nondet\" at @f0:1:1-1:2 ; havoc x input \"nondet\" at @f0:2:1-2:2
  l2 -> l3 : havoc t input \"nondet\" at @f0:3:1-3:2
  l3 -> l2 : assume t != 0:u32 ; x := x * x
  l3 -> l4 : assume t == 0:u32 ; assume 2:u64 * (u64) x == (u64) n + 8589934582:u64
}
";

#[test]
fn types_of_eliminated_values_count() {
    let mut example = summarise(SQUARES, StarOptions::default());
    example.check_readings();
    let shown: Vec<String> = example.read()[1].summary.lines.iter().map(|line| line.text.clone()).collect();
    assert_eq!(shown[1..], ["n ≤ 8", "n ≡ 0 (mod 2)"]);
}
