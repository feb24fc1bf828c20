//! Sums of elements (decision 044), of arrays of at most six elements. The symbol of a sum has the value of the sum at both ends of a piece.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cfa::{Loc, Program};
use encode::{Piece, Vocabulary};
use interp::View;
use passes::Prepared;
use term::{Integer, SymbolId, TermId};
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;
use values::sums::Bound;

use crate::cut::{Cut, Values, scalars};

/// Programs, and executions of each; `WAYPROOF_PROGRAMS` sets the number of programs.
const PROGRAMS: u64 = 60;
const RUNS: u64 = 4;
/// Pieces on one execution.
const MAX_PIECES: usize = 40;

/// Writes programs that add up two arrays, and multiply elements by variables.
struct Writer {
    random: Random,
}

impl Writer {
    fn statement(&mut self) -> String {
        let array = *self.random.pick(&["a", "a", "b"]);
        let number = self.random.between(-2, 5);
        let place = *self.random.pick(&["i", "i", "0", "1", "n - 1", "5 - i"]);
        match self.random.below(10) {
            7 => format!("t = t + {array}[i] * {};", self.random.pick(&["n", "i", "r", "a[i]", "b[i]"])),
            8 => format!("{array}[{place}] = {number};"),
            9 => format!("{array}[i] = i;"),
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
    values: Values,
    elements: BTreeMap<SymbolId, BTreeMap<i128, Integer>>,
}

fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> State {
    let mut state = State { values: scalars(program, vocabulary, view), elements: BTreeMap::new() };
    for var in program.vars.ids() {
        let Some(symbol) = vocabulary.symbol(var) else { continue };
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
            let elements = vocabulary.summed(&sum).and_then(|array| state.elements.get(&array));
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
    cut: Cut<'a>,
    steps: u64,
    /// Steps in which a sum changes, and where its new value follows from the old one.
    changes: u64,
    exact: u64,
}

impl Checked<'_> {
    fn is_possible(&mut self, piece: &Piece, before: &State, after: &State) -> bool {
        let mut conditions = self.elements(before, |cut, array| cut.terms.of_symbol(array));
        conditions.extend(self.elements(after, |cut, array| piece.transition.value(&mut cut.terms, array)));
        self.cut.is_possible(piece, (&before.values, &after.values), conditions)
    }

    /// That arrays have the elements of a state.
    fn elements(
        &mut self,
        state: &State,
        contents: impl Fn(&mut Cut<'_>, SymbolId) -> TermId,
    ) -> Vec<TermId> {
        let mut conditions = Vec::new();
        for (array, elements) in &state.elements {
            for (index, value) in elements {
                let contents = contents(&mut self.cut, *array);
                let terms = &mut self.cut.terms;
                let index = terms.number(Integer::from(*index));
                let (element, value) = (terms.select(contents, index), terms.number(value.clone()));
                conditions.push(terms.eq(element, value));
            }
        }
        conditions
    }

    /// One step of an execution: it is allowed, and with another sum at its end it is usually not.
    fn step(&mut self, (source, target): (Loc, Loc), before: &State, after: &State, context: &str) {
        let found = self.cut.piece((source, target));
        let piece = found.unwrap_or_else(|| panic!("no piece from {source} to {target}\n{context}"));
        assert!(
            self.is_possible(&piece, before, after),
            "no piece from {source}, {before:?}, to {target}, {after:?}\n{context}"
        );
        self.steps += 1;
        let changed = self.cut.vocabulary.sums().map(|(symbol, _)| symbol).find(|symbol| {
            after.values.contains_key(symbol)
                && before.values.get(symbol).is_some_and(|old| after.values[symbol] != *old)
        });
        let Some(symbol) = changed else { return };
        self.changes += 1;
        let mut other = State { values: after.values.clone(), elements: after.elements.clone() };
        other.values.insert(symbol, after.values[&symbol].clone() + Integer::ONE);
        self.exact += u64::from(!self.is_possible(&piece, before, &other));
    }

    fn run(&mut self, seed: u64, context: &str) {
        let states = self.cut.states(seed, MAX_PIECES, state);
        for pair in states.windows(2) {
            let [(source, before), (target, after)] = pair else { continue };
            self.step((*source, *target), before, after, context);
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
        let Some(cut) = Cut::new(&task).filter(|cut| cut.vocabulary.sums().next().is_some()) else {
            continue;
        };
        with_sums += 1;
        let mut checked = Checked { cut, steps: 0, changes: 0, exact: 0 };
        for run in 0..RUNS {
            checked.run(seed * RUNS + run, &text);
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

#[test]
fn every_execution_is_allowed_by_pieces_that_multiply_elements() {
    let fill = "for (i = 0; i < n; i++) { a[i] = i; b[i] = i; }";
    for product in
        ["a[i] * b[i]", "a[i] * a[i]", "(a[i] + 2) * (b[i] - 3)", "a[i] * b[n - 1 - i]", "a[i] * i * b[i]"]
    {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {{\n\
             int a[6], b[6]; long s = 0, t = 0; int i, n = (int) ((unsigned) __VERIFIER_nondet_int() % 6) + 1;\n{fill}\n\
             b[n / 2] = n;\n\
             for (i = 0; i < n; i++) {{ s = s + i * i + (n - i) * i + i * i * i; t = t + {product}; }}\n\
             if (s != t) reach_error();\nreturn 0;\n}}\n"
        );
        let given = compile(&text, Dialect::of(0)).expect("the program should compile");
        let task = Prepared::of(&given);
        let cut = Cut::new(&task).expect("the program should have pieces");
        let mut checked = Checked { cut, steps: 0, changes: 0, exact: 0 };
        for seed in 0..8 {
            checked.run(seed, &text);
        }
        assert!(checked.steps > 30, "{} pieces", checked.steps);
    }
}
