//! Soundness by brute force: every run of the interpreter satisfies the summaries.
//!
//! Random loops are summarised and run with random inputs. Whenever two states at the head of a loop are `k` iterations apart, the star relates
//! them with that `k`; and if a run ends in the error, all its states at points satisfy the formula of their point. `WAYPROOF_RUNS` sets the number of
//! runs, `WAYPROOF_SEED` the first program.

use std::collections::BTreeMap;

use crate::generate::{Summarised, array_text, count, order_text, program_text, sum_text, summarise};
use base::Budget;
use cfa::VarId;
use graph::PointId;
use interp::{Code, CompileOptions, Config, Machine, Markers, Outcome, Seed, Silent, Step, Uninitialised};
use smt::{Answer, check_formula};
use summary::Star;
use term::{Evaluator, Integer, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// Runs of one program, and so many if there are ten thousand and more.
const RUNS_PER_PROGRAM: [u64; 2] = [20, 50];
/// Pairs of states checked for each loop in one run.
const MAX_PAIRS: usize = 6;
/// Values of the first ghost that are tried; the others follow it.
const GHOSTS: i64 = 4;

/// Values of variables at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) point: PointId,
    pub(crate) values: BTreeMap<SymbolId, Integer>,
    /// The elements of arrays.
    pub(crate) elements: BTreeMap<SymbolId, BTreeMap<Integer, Integer>>,
}

impl State {
    /// The same with values of ghosts, and those that cells have then.
    fn with_ghosts(&self, summarised: &mut Summarised, first: i64) -> Self {
        let cells = summarised.graph.cells.clone();
        let mut state = self.clone();
        for (ghost, value) in cells.ghosts.iter().zip(first..) {
            state.values.insert(*ghost, Integer::from(value));
        }
        let mut model = Model::new();
        for (symbol, value) in &state.values {
            model.set_int(*symbol, value.clone());
        }
        for cell in &cells.cells {
            let index = Evaluator::new(&summarised.terms, &model).int(cell.index);
            let element = self.elements.get(&cell.array).and_then(|elements| elements.get(&index));
            if let Some(value) = element {
                state.values.insert(cell.symbol, value.clone());
            }
        }
        state
    }
}

/// The states at points that one run meets, and whether it ends in the error.
pub(crate) fn run(summarised: &Summarised, code: &Code, seed: u64) -> (Vec<State>, bool) {
    let Summarised { program, graph, .. } = summarised;
    let mut machine = Machine::new(program, code, Config::default());
    machine.stop_at(graph.points.iter().map(|point| (graph.procedure, point.location)));
    let (mut oracle, mut budget) = (Seed::new(seed), Budget::ticks(2_000));
    let mut states = Vec::new();
    loop {
        match machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget) {
            Step::Location(_, location) => {
                let found = graph.points.iter_enumerated().find(|(_, point)| point.location == location);
                let (point, info) = found.expect("only points are stopped at");
                let view = machine.view();
                let value = |var: VarId| view.scalar(var).map(|value| Integer::from(value.as_int()));
                let product = |factors: &[VarId]| {
                    factors.iter().try_fold(Integer::ONE, |sofar, factor| Some(sofar * value(*factor)?))
                };
                let values = info.live.iter().filter_map(|symbol| {
                    let known = match graph.vocabulary.var(*symbol) {
                        Some(var) => value(var),
                        None => product(graph.vocabulary.factors(*symbol)?),
                    };
                    Some((*symbol, known?))
                });
                let values = values.collect();
                let elements = info.live.iter().filter_map(|symbol| {
                    let elements = view.elements(graph.vocabulary.var(*symbol)?);
                    let pair = |(index, value): (i128, interp::Value)| {
                        (Integer::from(index), Integer::from(value.as_int()))
                    };
                    (!elements.is_empty()).then(|| (*symbol, elements.into_iter().map(pair).collect()))
                });
                let elements = elements.collect();
                states.push(State { point, values, elements });
            }
            Step::Ended(outcome) => return (states, matches!(outcome, Outcome::Error { .. })),
        }
    }
}

/// Whether a formula holds for some values of its Skolem constants; `guess` is tried first.
pub(crate) fn possible(summarised: &Summarised, formula: TermId, guess: &Model) -> bool {
    if Evaluator::new(&summarised.terms, guess).holds(formula) {
        return true;
    }
    let mut solver = summarised.solvers.z3_solver();
    // What the solver does not know does not count against the summary.
    let mut budget = Budget::ticks(4_000);
    !matches!(check_formula(&mut solver, &summarised.terms, formula, &mut budget), Answer::Unsat(_))
}

fn substitution(terms: &mut Terms, state: &State) -> Substitution {
    let pairs: Vec<_> =
        state.values.iter().map(|(symbol, value)| (*symbol, terms.number(value.clone()))).collect();
    Substitution::new(pairs)
}

/// What a formula says of a state, with elements for cells; ghosts stay free.
fn with_elements(summarised: &mut Summarised, state: &State, formula: TermId) -> TermId {
    let terms = &mut summarised.terms;
    let formula = summarised.graph.cells.as_elements(terms, formula);
    let mut parts = vec![substitution(terms, state).apply(terms, formula)];
    for (array, elements) in &state.elements {
        for (index, value) in elements {
            let (array, index) = (terms.of_symbol(*array), terms.number(index.clone()));
            let (element, value) = (terms.select(array, index), terms.number(value.clone()));
            parts.push(terms.eq(element, value));
        }
    }
    terms.and(parts)
}

/// That `star` leads from one state to another in so many iterations.
fn related(terms: &mut Terms, star: &Star, from: &State, to: &State, iterations: usize) -> TermId {
    let mut at_start = substitution(terms, from);
    let number = terms.int(iterations as i64);
    let counted = terms.eq(star.count, number);
    let mut parts = vec![star.formula.guard, counted];
    for (symbol, value) in &to.values {
        let reached = star.formula.value(terms, *symbol);
        if terms.sort(reached) == Sort::Int {
            let value = terms.number(value.clone());
            parts.push(terms.eq(reached, value));
        }
    }
    let formula = terms.and(parts);
    at_start.apply(terms, formula)
}

/// The obvious values of Skolem constants: counters count all iterations, the others are the values at the end.
fn guess(terms: &Terms, formula: TermId, to: &State, iterations: usize) -> Model {
    let mut model = Model::new();
    for symbol in terms.symbols_of(formula) {
        let info = terms.symbol(symbol);
        if info.kind == SymbolKind::Counter {
            model.set_int(symbol, iterations as i64);
        } else if let Some((_, value)) = to.values.iter().find(|(of, _)| terms.symbol(**of).name == info.name)
        {
            model.set_int(symbol, value.clone());
        }
    }
    model
}

/// Two states at the head of a loop, so many iterations apart.
pub(crate) struct Iterations<'a> {
    pub(crate) from: &'a State,
    pub(crate) to: &'a State,
    pub(crate) number: usize,
}

/// Some iterations of a loop in one run: none, all since the loop was entered, and half of these.
pub(crate) fn iterations<'a>(
    summarised: &Summarised,
    states: &'a [State],
    head: PointId,
) -> Vec<Iterations<'a>> {
    let mut found = Vec::new();
    // Visits of the head without leaving the loop in between.
    let mut visits: Vec<&State> = Vec::new();
    for state in states {
        if !summarised.graph.in_loop(head, state.point) {
            visits.clear();
        } else if state.point == head {
            visits.push(state);
            let last = visits.len() - 1;
            for first in [0, last / 2, last] {
                found.push(Iterations { from: visits[first], to: state, number: last - first });
            }
        }
    }
    found
}

/// The code of a program that stops at its points.
pub(crate) fn code(summarised: &Summarised) -> Code {
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
    Code::new(&summarised.program, options)
}

/// Checks one run; returns the number of questions.
fn check(summarised: &mut Summarised, states: &[State], is_error: bool, context: &str) -> u64 {
    let mut questions = 0;
    let stars = summarised.summaries.stars().clone();
    for (head, star) in &stars {
        for Iterations { from, to, number } in
            iterations(summarised, states, *head).into_iter().take(MAX_PAIRS)
        {
            let ghosts = if summarised.graph.cells.is_empty() { 1 } else { GHOSTS };
            for first in 0..ghosts {
                questions += 1;
                let (from, to) = (from.with_ghosts(summarised, first), to.with_ghosts(summarised, first));
                let formula = related(&mut summarised.terms, star.pruning(), &from, &to, number);
                let guess = guess(&summarised.terms, formula, &to, number);
                assert!(
                    possible(summarised, formula, &guess),
                    "the star of {head} misses {from:?} to {to:?} in {number}\n{context}"
                );
            }
        }
    }
    for state in states {
        questions += check_elements(summarised, state, context);
    }
    if is_error {
        for state in states {
            let reach = summarised.summaries.reach(state.point).pruning().formula;
            let formula = with_elements(summarised, state, reach);
            questions += 1;
            assert!(
                possible(summarised, formula, &Model::new()),
                "no way from {state:?} to the error\n{context}"
            );
        }
    }
    questions
}

/// Every state satisfies what is known of all elements.
fn check_elements(summarised: &mut Summarised, state: &State, context: &str) -> u64 {
    let elements = summarised.graph.elements.clone();
    let of_pairs = check_pairs(summarised, state, context);
    let (Some(ghost), Some(facts)) = (elements.ghost, elements.facts.get(&state.point)) else {
        return of_pairs;
    };
    for fact in facts {
        for index in -1..8 {
            let terms = &mut summarised.terms;
            let index = terms.int(index);
            let formula = fact.at(terms, ghost, index);
            let formula = with_elements(summarised, state, formula);
            let what = term::print::text(&summarised.terms, fact.condition);
            assert!(
                possible(summarised, formula, &Model::new()),
                "of elements with {what} something else is known than {state:?}\n{context}"
            );
        }
    }
    of_pairs + 9 * facts.len() as u64
}

/// Every state satisfies what is known of all pairs of elements.
fn check_pairs(summarised: &mut Summarised, state: &State, context: &str) -> u64 {
    let pairs = summarised.graph.elements.pairs.clone();
    let (Some(ghosts), Some(facts)) = (pairs.ghosts, pairs.facts.get(&state.point)) else { return 0 };
    for fact in facts {
        for (one, other) in (-1..7).flat_map(|one| (-1..7).map(move |other| (one, other))) {
            let terms = &mut summarised.terms;
            let indices = [terms.int(one), terms.int(other)];
            let formula = Substitution::new(ghosts.into_iter().zip(indices)).apply(terms, *fact);
            let formula = with_elements(summarised, state, formula);
            let what = term::print::text(&summarised.terms, *fact);
            assert!(
                possible(summarised, formula, &Model::new()),
                "of pairs of elements {what} is known, but there is {state:?}\n{context}"
            );
        }
    }
    64 * facts.len() as u64
}

#[allow(clippy::print_stdout)] // the tally, for `--nocapture`
/// Checks runs of random programs; returns the number of questions and of errors.
fn check_programs(runs: u64, write: fn(u64) -> String) -> (u64, u64) {
    let first = count("WAYPROOF_SEED", 1);
    let (mut errors, mut questions) = (0_u64, 0);
    let runs_per_program = RUNS_PER_PROGRAM[usize::from(runs >= 10_000)];
    for index in 0..runs.div_ceil(runs_per_program) {
        let text = write(first + index);
        let mut summarised = summarise(&text);
        let code = code(&summarised);
        for seed in 0..runs_per_program {
            let (states, is_error) = run(&summarised, &code, seed * 77_777 + index);
            errors += u64::from(is_error);
            let context = format!("program {}, inputs {seed}\n{text}", first + index);
            questions += check(&mut summarised, &states, is_error, &context);
        }
    }
    (questions, errors)
}

#[test]
fn every_run_satisfies_the_summaries() {
    let runs = count("WAYPROOF_RUNS", 300);
    let (questions, _) = check_programs(runs, program_text);
    assert!(questions > runs, "the runs should meet points");
}

#[test]
fn every_run_satisfies_the_facts_about_pairs_of_elements() {
    // Sorting loops have two heads and large bodies: each program takes seconds.
    let runs = count("WAYPROOF_RUNS", 40);
    let (questions, _) = check_programs(runs, order_text);
    assert!(questions > runs, "the runs should meet points");
}

#[test]
fn every_run_satisfies_the_summaries_with_cells() {
    let runs = count("WAYPROOF_RUNS", 300);
    let (questions, errors) = check_programs(runs, array_text);
    assert!(questions > runs, "the runs should meet points");
    assert!(errors > runs / 20, "the runs should meet errors");
}

#[test]
fn every_run_satisfies_the_summaries_with_facts_about_elements() {
    let runs = count("WAYPROOF_RUNS", 300);
    let (questions, errors) = check_programs(runs, sum_text);
    assert!(questions > runs, "the runs should meet points");
    assert!(errors > runs / 20, "the runs should meet errors");
}
