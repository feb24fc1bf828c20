//! Codes of what is folded (decision 063), of arrays of at most five elements.
//!
//! The codes of elements are powers of a base, by a numbering of the integers. The code of a result is some multiset, which is followed along the execution: it is read back and folded, and has to yield the value
//! of the variable.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cfa::{Loc, Program};
use encode::{Piece, Vocabulary};
use interp::View;
use passes::Prepared;
use term::{Evaluator, Integer, SymbolId, TermId};
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;
use values::folds::{Coded, FoldOp};
use values::sums::{Bound, Count, Summand, Test};

use crate::cut::{Cut, Values, scalars};

/// Programs, and executions of each; `WAYPROOF_PROGRAMS` sets the number of programs.
const PROGRAMS: u64 = 40;
const RUNS: u64 = 4;
/// Pieces on one execution.
const MAX_PIECES: usize = 40;
/// No multiset of an execution has so many members of one value: each step adds a few.
const BASE_BITS: u32 = 9;

/// The code of a value.
fn code(value: i128) -> Integer {
    Integer::power_of_two(BASE_BITS * number(value))
}

fn number(value: i128) -> u32 {
    let twice = value.unsigned_abs() as u32 * 2;
    if value > 0 { twice - 1 } else { twice }
}

/// What an element counts.
fn counted(Count { test, yes, no }: Count, value: i128) -> i64 {
    let holds = match test {
        Test::AtMost(limit) => value <= i128::from(limit),
        Test::Is(number) => value == i128::from(number),
        Test::Multiple(divisor) => value % i128::from(divisor) == 0,
    };
    if holds { yes } else { no }
}

/// The fold of the multiset with a code; nothing if there is none.
fn fold(op: FoldOp, code: &Integer) -> Option<i128> {
    let neutral = match op {
        FoldOp::And => Some(-1),
        FoldOp::Or | FoldOp::Xor => Some(0),
        FoldOp::Max | FoldOp::Min => None,
    };
    let (mut rest, mut folded, mut at) = (code.clone(), None, 0_i128);
    let base = Integer::power_of_two(BASE_BITS);
    if rest.is_negative() {
        return None;
    }
    while !rest.is_zero() {
        let (value, count) = (if at % 2 == 1 { (at + 1) / 2 } else { -at / 2 }, rest.modulo(&base));
        for _ in 0..count.to_i64()? {
            folded = Some(match (folded, op) {
                (None, _) => value,
                (Some(other), FoldOp::And) => other & value,
                (Some(other), FoldOp::Or) => other | value,
                (Some(other), FoldOp::Xor) => other ^ value,
                (Some(other), FoldOp::Max) => value.max(other),
                (Some(other), FoldOp::Min) => value.min(other),
            });
        }
        rest = rest.div_floor(&base);
        at += 1;
    }
    folded.or(neutral)
}

/// Writes programs that fold an array several times.
struct Writer {
    random: Random,
    op: &'static str,
    test: &'static str,
}

impl Writer {
    fn folding(&mut self, result: &str) -> String {
        match self.op {
            "max" => format!("if ({result} < a[i]) {result} = a[i];"),
            "min" => format!("{result} = a[i] < {result} ? a[i] : {result};"),
            "count" => format!("if (a[i] {}) {result}++; else {result} -= 2;", self.test),
            op => format!("{result} = {result} {op} a[i];"),
        }
    }

    fn statement(&mut self) -> String {
        let number = self.random.between(-2, 5);
        let place = *self.random.pick(&["i", "i", "0", "1", "n - 1"]);
        let other = *self.random.pick(&["i", "i + 1", "1", "n - 1"]);
        let (one, two) = (self.folding("s"), self.folding("t"));
        match self.random.below(10) {
            0..=2 => one,
            3 | 4 => two,
            5 => format!("a[{place}] = a[{other}];"),
            6 => format!("x = a[{place}]; a[{place}] = a[{other}]; a[{other}] = x;"),
            7 => format!("if (a[i] > {number}) a[{place}] = {number};"),
            8 => format!("if (a[i] > {number}) {{ {one} }} else {{ {two} }}"),
            _ => format!("if (t > {number}) s = t; else {{ {one} }}"),
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
             int a[6], x = 0; long s = 0, t = 0; int i, n = __VERIFIER_nondet_int(), r = 0;\n\
             if (n < 1 || n > 5) return 0;\n\
             for (i = 0; i < 6; i++) { int v = __VERIFIER_nondet_int(); if (v < -8 || v > 7) v = 7; a[i] = v; }\n",
        );
        for round in 0..=self.random.between(1, 3) {
            let bound = *self.random.pick(&["n", "n", "5", "n - 1"]);
            let start = *self.random.pick(&["s = a[0];", "s = 0;", "t = a[0];", "t = s;", "s = -1;"]);
            let first = *self.random.pick(&["0", "0", "1"]);
            let _ = writeln!(text, "{start} r = 0; for (i = {first}; i < {bound} && r < 12; i++) {{ r++;");
            if round < 2 {
                let folding = self.folding("s");
                let _ = writeln!(text, "{folding}");
            }
            for _ in 0..self.random.below(3) {
                let statement = self.statement();
                let _ = writeln!(text, "{statement}");
            }
            text.push_str("}\n");
        }
        text.push_str("if (s != t) reach_error();\nreturn 0;\n}\n");
        text
    }
}

/// What is known of a state: integers, elements of arrays by index, and the values of results.
#[derive(Debug, Default, Clone)]
struct State {
    values: Values,
    elements: BTreeMap<SymbolId, BTreeMap<i128, Integer>>,
    /// The symbol of the code, the operation, and the value.
    results: Vec<(SymbolId, FoldOp, i128)>,
}

fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> State {
    let mut state = State { values: scalars(program, vocabulary, view), ..State::default() };
    for var in program.vars.ids() {
        let Some(symbol) = vocabulary.symbol(var) else { continue };
        let pair = |(index, value): (i128, interp::Value)| (index, Integer::from(value.as_int()));
        state.elements.insert(symbol, view.elements(var).into_iter().map(pair).collect());
    }
    // Others are not written yet.
    let is_small = |value: &i128| value.abs() <= 64;
    for (symbol, var, coded) in vocabulary.codes() {
        let value = view.scalar(var).map(interp::Value::as_int).filter(is_small);
        match (coded, value) {
            (Coded::Elements, _) => {
                let pair = |(index, value): (i128, interp::Value)| {
                    Some((index, code(Some(value.as_int()).filter(is_small)?)))
                };
                state.elements.insert(symbol, view.elements(var).into_iter().filter_map(pair).collect());
            }
            (Coded::Element, Some(value)) => {
                state.values.insert(symbol, code(value));
            }
            (Coded::Fold(op), Some(value)) => state.results.push((symbol, op, value)),
            (Coded::Counts(count), _) => {
                let pair = |(index, value): (i128, interp::Value)| {
                    (index, Integer::from(counted(count, value.as_int())))
                };
                state.elements.insert(symbol, view.elements(var).into_iter().map(pair).collect());
            }
            (_, None) => {}
        }
    }
    for (symbol, sum) in vocabulary.sums().filter(|(_, sum)| sum.of != Summand::Elements) {
        let bound = match sum.bound {
            Bound::Number(number) => Some(i128::from(number)),
            Bound::Variable(var) => view.scalar(var).map(interp::Value::as_int),
        };
        let elements = vocabulary.summed(&sum).and_then(|array| state.elements.get(&array));
        let value = bound.zip(elements).and_then(|(bound, elements)| {
            let mut indices = 0..bound.max(0);
            indices.try_fold(Integer::ZERO, |total, index| Some(total + elements.get(&index)?.clone()))
        });
        state.values.extend(value.map(|value| (symbol, value)));
    }
    state
}

struct Checked<'a> {
    cut: Cut<'a>,
    /// The codes of results as they were followed so far.
    codes: Values,
    steps: u64,
    /// Results that change to the fold of more than what they are.
    folded: u64,
}

impl Checked<'_> {
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

    /// The codes of results at the end of a piece that make its step possible. A result may be an element of itself; else its code is what the piece says.
    fn codes_after(&mut self, piece: &Piece, before: &State, after: &State) -> Option<Values> {
        let mut conditions = self.elements(before, |cut, array| cut.terms.of_symbol(array));
        conditions.extend(self.elements(after, |cut, array| piece.transition.value(&mut cut.terms, array)));
        let mut start = before.values.clone();
        start.extend(self.codes.clone());
        let mut end = after.values.clone();
        let mut codes = Values::new();
        for (symbol, op, value) in &after.results {
            let mut alone = end.clone();
            alone.insert(*symbol, code(*value));
            if self.cut.is_possible(piece, (&start, &alone), conditions.clone()) {
                codes.insert(*symbol, code(*value));
            } else {
                let mut model = self.cut.model(piece, (&start, &end), conditions.clone())?;
                let reached = piece.transition.value(&mut self.cut.terms, *symbol);
                for (symbol, value) in &start {
                    model.set_int(*symbol, value.clone());
                }
                let reached = Evaluator::new(&self.cut.terms, &model).int(reached);
                assert_eq!(fold(*op, &reached), Some(*value), "{op:?} of the multiset with code {reached}");
                self.folded += 1;
                codes.insert(*symbol, reached);
            }
            end.insert(*symbol, codes[symbol].clone());
        }
        self.cut.is_possible(piece, (&start, &end), conditions).then_some(codes)
    }

    fn step(&mut self, (source, target): (Loc, Loc), before: &State, after: &State, context: &str) {
        let found = self.cut.piece((source, target));
        let piece = found.unwrap_or_else(|| panic!("no piece from {source} to {target}\n{context}"));
        let codes = self.codes_after(&piece, before, after);
        self.codes = codes.unwrap_or_else(|| {
            panic!("no piece from {source}, {before:?}, to {target}, {after:?}\n{context}")
        });
        self.steps += 1;
    }

    fn run(&mut self, seed: u64, context: &str) {
        let states = self.cut.states(seed, MAX_PIECES, state);
        self.codes.clear();
        for (symbol, _, value) in states.first().iter().flat_map(|(_, state)| &state.results) {
            self.codes.insert(*symbol, code(*value));
        }
        for pair in states.windows(2) {
            let [(source, before), (target, after)] = pair else { continue };
            self.step((*source, *target), before, after, context);
        }
    }
}

#[test]
fn every_execution_is_allowed_by_pieces_with_codes() {
    let programs = std::env::var("WAYPROOF_PROGRAMS").ok().and_then(|text| text.parse().ok());
    let programs = programs.unwrap_or(PROGRAMS);
    let (mut with_codes, mut steps, mut folded) = (0, 0, 0);
    for seed in 0..programs {
        let op = ["&", "|", "^", "max", "min", "count"][(seed % 6) as usize];
        let mut random = Random::new(seed);
        let test = *random.pick(&["% 2 == 0", "% 3 != 0", "< 2", "> 1", "== 7"]);
        let text = Writer { random, op, test }.program();
        let given = compile(&text, Dialect::of(seed)).expect("the program should compile");
        let task = Prepared::of(&given);
        let Some(cut) = Cut::new(&task).filter(|cut| cut.vocabulary.codes().next().is_some()) else {
            continue;
        };
        with_codes += 1;
        let mut checked = Checked { cut, codes: Values::new(), steps: 0, folded: 0 };
        for run in 0..RUNS {
            checked.run(seed * RUNS + run, &text);
        }
        steps += checked.steps;
        folded += checked.folded;
    }
    println!("{with_codes} programs with codes, {steps} pieces, {folded} folds");
    assert!(with_codes * 4 > programs, "{with_codes} programs with codes");
    assert!(folded > programs, "{folded} folds");
}
