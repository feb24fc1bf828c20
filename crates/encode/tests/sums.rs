//! Pieces of programs with sums of elements against the interpreter ([`encode::Pieces`] and decision 044).
//!
//! Random programs that add up arrays of at most six elements are executed. Whenever an execution comes from one cut location to the next, the piece between them has to allow it: with the values and elements at its start
//! its guard holds and its update leads to those at its end, for some values of the Skolem constants. The symbol of a sum has the value of the sum at both ends.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::{Budget, IndexVec};
use cfa::{Loc, Program};
use encode::{Piece, Pieces, Vocabulary};
use interp::{
    Code, CompileOptions, Config, Machine, Markers, Outcome, Seed, Silent, Step, Uninitialised, View,
};
use passes::Prepared;
use smt::{Answer, Z3, Z3Settings, Z3Solver, check_formula};
use term::{Integer, Substitution, SymbolId, TermId, Terms};
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;
use values::sums::Bound;

/// Programs, and executions of each; `WAYPROOF_PROGRAMS` sets the number of programs.
const PROGRAMS: u64 = 60;
const RUNS: u64 = 4;
/// Pieces on one execution.
const MAX_PIECES: usize = 40;

/// Writes programs that add up two arrays.
struct Writer {
    random: Random,
}

impl Writer {
    fn statement(&mut self) -> String {
        let array = *self.random.pick(&["a", "a", "b"]);
        let number = self.random.between(-2, 5);
        let place = *self.random.pick(&["i", "i", "0", "1", "n - 1", "5 - i"]);
        match self.random.below(7) {
            0..=2 => format!("s = s + {array}[i];"),
            3 => format!("t = t - {array}[i] + {number};"),
            4 => format!("{array}[{place}] = {array}[i] + {number};"),
            5 => format!("if (a[i] > {number}) {array}[{place}] = t % 100;"),
            _ => format!("if (b[i] < s) s = s + {array}[i]; else i = i - {};", self.random.between(0, 1)),
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
             int a[6], b[6]; long s = 0, t = 0; int i, n = __VERIFIER_nondet_int(), r = 0;\n\
             if (n < 1 || n > 6) return 0;\n\
             for (i = 0; i < 6; i++) { int v = __VERIFIER_nondet_int(); if (v < -99 || v > 99) v = 7; a[i] = v; b[i] = 2 * v; }\n",
        );
        for _ in 0..=self.random.between(1, 3) {
            let bound = *self.random.pick(&["n", "n", "6", "n - 1"]);
            let step = *self.random.pick(&["i++", "i++", "i += 2"]);
            let start = *self.random.pick(&["0", "0", "1"]);
            let _ = writeln!(text, "r = 0; for (i = {start}; i < {bound} && r < 20; {step}) {{ r++;");
            for _ in 0..=self.random.below(2) {
                let statement = self.statement();
                let _ = writeln!(text, "{statement}");
            }
            text.push_str("}\n");
            if self.random.below(2) == 0 {
                text.push_str("a[0] = a[n - 1];\n");
            }
        }
        text.push_str("if (s != t) reach_error();\nreturn 0;\n}\n");
        text
    }
}

/// What is known of a state: integers, and elements of arrays by index.
#[derive(Debug, Default)]
struct State {
    values: BTreeMap<SymbolId, Integer>,
    elements: BTreeMap<SymbolId, BTreeMap<i128, Integer>>,
}

fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> State {
    let mut state = State::default();
    for var in program.vars.ids() {
        let Some(symbol) = vocabulary.symbol(var) else { continue };
        if let Some(value) = view.scalar(var) {
            state.values.insert(symbol, Integer::from(value.as_int()));
        }
        let pair = |(index, value): (i128, interp::Value)| (index, Integer::from(value.as_int()));
        state.elements.insert(symbol, view.elements(var).into_iter().map(pair).collect());
    }
    let sums: Vec<(SymbolId, Option<Integer>)> = vocabulary
        .sums()
        .map(|(symbol, sum)| {
            let bound = match sum.bound {
                Bound::Number(number) => Some(i128::from(number)),
                Bound::Variable(var) => view.scalar(var).map(interp::Value::as_int),
            };
            let elements = vocabulary.symbol(sum.array).and_then(|array| state.elements.get(&array));
            let value = bound.zip(elements).and_then(|(bound, elements)| {
                let mut indices = 0..bound.max(0);
                indices.try_fold(Integer::ZERO, |total, index| Some(total + elements.get(&index)?.clone()))
            });
            (symbol, value)
        })
        .collect();
    state.values.extend(sums.into_iter().filter_map(|(symbol, value)| Some((symbol, value?))));
    state
}

struct Checked<'a> {
    program: &'a Program,
    terms: Terms,
    vocabulary: Vocabulary,
    pieces: BTreeMap<Loc, Vec<Piece>>,
    solver: Z3Solver,
    steps: u64,
    /// Steps in which a sum changes, and where its new value follows from the old one.
    changes: u64,
    exact: u64,
}

impl<'a> Checked<'a> {
    /// The pieces of a program between its cut locations.
    fn new(task: &'a Prepared<'_>) -> Option<(Self, Vec<Loc>)> {
        let program = task.program();
        let procedure = &program.procs[program.entry];
        let relevant = cfa::loops::reaching_error(procedure);
        let forest = task.loops(program.entry);
        let is_end = |location: Loc| location == procedure.entry || Some(location) == procedure.error;
        let is_wanted =
            |location: &Loc| relevant[*location] && (is_end(*location) || forest.is_header(*location));
        let cuts: Vec<Loc> = procedure.locations.ids().filter(is_wanted).collect();
        let mut is_cut = IndexVec::filled(false, procedure.locations.len());
        for cut in &cuts {
            is_cut[*cut] = true;
        }
        let facts = values::analyze(program, procedure, &mut Budget::unlimited()).expect("no budget ends");
        let mut terms = Terms::new();
        let mut vocabulary = Vocabulary::of(program, program.entry, &mut terms);
        let made = Pieces::new(program, procedure, forest, &is_cut, &relevant);
        let mut pieces = BTreeMap::new();
        for cut in &cuts {
            let known = facts.at(*cut)?;
            pieces.insert(*cut, made.from(*cut, known, &mut terms, &mut vocabulary));
        }
        let solver = Z3::new(Z3Settings::default()).z3_solver();
        let checked = Self { program, terms, vocabulary, pieces, solver, steps: 0, changes: 0, exact: 0 };
        Some((checked, cuts))
    }

    /// What a piece says of two states, the first of which is put in.
    fn question(&mut self, piece: &Piece, before: &State, after: &State) -> TermId {
        let mut parts = vec![piece.transition.guard];
        for (symbol, value) in &after.values {
            let reached = piece.transition.value(&mut self.terms, *symbol);
            let value = self.terms.number(value.clone());
            parts.push(self.terms.eq(reached, value));
        }
        for (state, is_after) in [(before, false), (after, true)] {
            for (array, elements) in &state.elements {
                for (index, value) in elements {
                    let contents = if is_after {
                        piece.transition.value(&mut self.terms, *array)
                    } else {
                        self.terms.of_symbol(*array)
                    };
                    let index = self.terms.number(Integer::from(*index));
                    let element = self.terms.select(contents, index);
                    let value = self.terms.number(value.clone());
                    parts.push(self.terms.eq(element, value));
                }
            }
        }
        let formula = self.terms.and(parts);
        let pairs: Vec<(SymbolId, TermId)> =
            before.values.iter().map(|(symbol, value)| (*symbol, self.terms.number(value.clone()))).collect();
        Substitution::new(pairs).apply(&mut self.terms, formula)
    }

    fn is_possible(&mut self, formula: TermId) -> bool {
        let answer = check_formula(&mut self.solver, &self.terms, formula, &mut Budget::ticks(20_000));
        assert!(!matches!(answer, Answer::Unknown(_)), "values should decide a piece: {answer:?}");
        answer.is_sat()
    }

    /// One step of an execution: it is allowed, and with another sum at its end it is usually not.
    fn step(&mut self, (source, target): (Loc, Loc), before: &State, after: &State, context: &str) {
        let found = self.pieces[&source].iter().find(|piece| piece.target == target).cloned();
        let piece = found.unwrap_or_else(|| panic!("no piece from {source} to {target}\n{context}"));
        let question = self.question(&piece, before, after);
        assert!(
            self.is_possible(question),
            "no piece from {source}, {before:?}, to {target}, {after:?}\n{context}"
        );
        self.steps += 1;
        let changed = self.vocabulary.sums().map(|(symbol, _)| symbol).find(|symbol| {
            after.values.contains_key(symbol)
                && before.values.get(symbol).is_some_and(|old| after.values[symbol] != *old)
        });
        let Some(symbol) = changed else { return };
        self.changes += 1;
        let mut other = State { values: after.values.clone(), elements: after.elements.clone() };
        other.values.insert(symbol, after.values[&symbol].clone() + Integer::ONE);
        let question = self.question(&piece, before, &other);
        self.exact += u64::from(!self.is_possible(question));
    }

    fn run(&mut self, code: &Code, cuts: &[Loc], seed: u64, context: &str) {
        let entry = self.program.entry;
        let mut machine = Machine::new(self.program, code, Config::default());
        machine.stop_at(cuts.iter().map(|cut| (entry, *cut)));
        let (mut oracle, mut budget) = (Seed::new(seed), Budget::ticks(4_000));
        let mut last: Option<(Loc, State)> = None;
        let error = self.program.procs[entry].error.expect("programs have an error");
        for _ in 0..MAX_PIECES {
            let (location, now) =
                match machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget) {
                    Step::Location(_, location) => {
                        (location, state(self.program, &self.vocabulary, &machine.view()))
                    }
                    Step::Ended(Outcome::Error { .. }) => (error, State::default()),
                    Step::Ended(_) => return,
                };
            if let Some((source, before)) = last.take() {
                self.step((source, location), &before, &now, context);
            }
            if location == error {
                return;
            }
            last = Some((location, now));
        }
    }
}

#[test]
fn every_execution_is_allowed_by_pieces_with_sums() {
    let programs = std::env::var("WAYPROOF_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let programs = programs.unwrap_or(PROGRAMS);
    let (mut with_sums, mut steps, mut changes, mut exact) = (0, 0, 0, 0);
    for seed in 0..programs {
        let text = Writer { random: Random::new(seed) }.program();
        let given = compile(&text, Dialect::of(seed)).expect("the program should compile");
        let task = Prepared::of(&given);
        let program = task.program();
        let Some((mut checked, cuts)) = Checked::new(&task) else { continue };
        if program.procs[program.entry].error.is_none() || checked.vocabulary.sums().next().is_none() {
            continue;
        }
        with_sums += 1;
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
        let code = Code::new(program, options);
        for run in 0..RUNS {
            checked.run(&code, &cuts, seed * RUNS + run, &text);
        }
        steps += checked.steps;
        changes += checked.changes;
        exact += checked.exact;
    }
    println!(
        "{with_sums} programs with sums, {steps} pieces, {changes} change a sum, {exact} of them exactly"
    );
    assert!(with_sums * 4 > programs, "{with_sums} programs with sums");
    assert!(changes > programs && exact * 2 > changes, "{changes} changes, {exact} exact");
}
