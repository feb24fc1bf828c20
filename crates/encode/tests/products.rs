//! Pieces of programs with products against the interpreter ([`encode::Pieces`] and decision 028).
//!
//! Random programs that multiply, and that multiply by adding, are executed. Whenever an execution comes from one cut location to the next, the piece between them has to allow it: with
//! the values at its start its guard holds and its update leads to the values at its end, for some values of the Skolem constants. The symbol of a product has the value of
//! the product at both ends. And what is assumed of products everywhere ([`encode::typing`], [`encode::product_typing`]) has to hold in every state.

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
use term::{Evaluator, Integer, Model, Substitution, SymbolId, TermId, Terms};
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;

/// Programs, and executions of each.
const PROGRAMS: u64 = 80;
const RUNS: u64 = 6;
/// Pieces on one execution.
const MAX_PIECES: usize = 12;

/// Writes programs over a few variables that are multiplied.
struct Writer {
    random: Random,
}

impl Writer {
    fn variable(&mut self) -> &'static str {
        const NAMES: [&str; 5] = ["a", "b", "i", "p", "q"];
        NAMES[self.random.below(NAMES.len())]
    }

    fn term(&mut self) -> String {
        let (x, y) = (self.variable(), self.variable());
        let number = self.random.between(-3, 4);
        match self.random.below(6) {
            0 | 1 => format!("{x} * {y}"),
            2 => format!("{x} * {y} * {}", self.variable()),
            3 => format!("({x} + {number}) * ({y} - {number})"),
            4 => format!("{number} * {x}"),
            _ => format!("{x} + {number}"),
        }
    }

    fn statement(&mut self) -> String {
        let target = *self.random.pick(&["p", "q", "p", "b"]);
        let other = *self.random.pick(&["a", "b", "i"]);
        match self.random.below(6) {
            0 | 1 => format!("{target} = {target} + {other};"),
            2 => format!("{target} = {target} - {other};"),
            3 => format!("{target} = {target} + {other} * {};", self.variable()),
            4 => format!("{target} = {};", self.term()),
            _ => format!(
                "if ({} > {}) {target} = {target} + {}; else {target} = {};",
                self.variable(),
                self.random.between(-2, 9),
                self.random.between(1, 3),
                self.term()
            ),
        }
    }

    fn program(&mut self) -> String {
        let mut text = String::from(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
             long a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), i = 0, p = 0, q = 1;\n\
             if (a < -20 || a > 20 || b < -20 || b > 20) return 0;\n",
        );
        let _ = writeln!(text, "while (i < {}) {{", self.random.pick(&["a", "b", "10", "a + b"]));
        for _ in 0..=self.random.below(3) {
            let statement = self.statement();
            let _ = writeln!(
                text,
                "if (p > 10000 || p < -10000 || q > 10000 || q < -10000 || b > 10000 || b < -10000) return 0;\n{statement}"
            );
        }
        text.push_str("i = i + 1;\n}\n");
        let (left, right) = (self.term(), self.term());
        let _ = writeln!(text, "if ({left} != {right} + p - q) reach_error();\nreturn 0;\n}}");
        text
    }
}

/// The values of scalar variables, and of the products that have symbols.
fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> BTreeMap<SymbolId, Integer> {
    let mut values = BTreeMap::new();
    for var in program.vars.ids() {
        if let (Some(symbol), Some(value)) = (vocabulary.symbol(var), view.scalar(var)) {
            values.insert(symbol, Integer::from(value.as_int()));
        }
    }
    let products: Vec<(SymbolId, Option<Integer>)> = vocabulary
        .products()
        .map(|(symbol, factors)| {
            let factor = |var: &cfa::VarId| values.get(&vocabulary.symbol(*var)?).cloned();
            (symbol, factors.iter().try_fold(Integer::ONE, |product, var| Some(product * factor(var)?)))
        })
        .collect();
    values.extend(products.into_iter().filter_map(|(symbol, value)| Some((symbol, value?))));
    values
}

struct Checked<'a> {
    program: &'a Program,
    terms: Terms,
    vocabulary: Vocabulary,
    pieces: BTreeMap<Loc, Vec<Piece>>,
    solver: Z3Solver,
    /// What is assumed of all products and variables.
    assumed: Vec<TermId>,
    steps: u64,
    /// Steps in which a product changes.
    changes: u64,
    errors: u64,
}

impl<'a> Checked<'a> {
    /// The pieces of a program between its cut locations.
    fn new(task: &'a Prepared<'_>) -> Option<(Self, Vec<Loc>)> {
        let program = task.program();
        let procedure = &program.procs[program.entry];
        let relevant = cfa::loops::reaching_error(procedure);
        let forest = task.loops(program.entry);
        let cuts: Vec<Loc> = procedure
            .locations
            .ids()
            .filter(|location| {
                let is_end = *location == procedure.entry || Some(*location) == procedure.error;
                relevant[*location] && (is_end || forest.is_header(*location))
            })
            .collect();
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
        let products: Vec<SymbolId> = vocabulary.products().map(|(symbol, _)| symbol).collect();
        let mut assumed = Vec::new();
        for symbol in products {
            let mentioned = (terms.of_symbol(symbol), terms.int(0));
            let mentioned = terms.le(mentioned.0, mentioned.1);
            assumed.push(encode::typing(program, &mut terms, &vocabulary, mentioned));
            assumed.push(encode::product_typing(&mut terms, &vocabulary, mentioned));
        }
        let solver = Z3::new(Z3Settings::default()).z3_solver();
        let checked =
            Self { program, terms, vocabulary, pieces, solver, assumed, steps: 0, changes: 0, errors: 0 };
        Some((checked, cuts))
    }

    /// Whether a piece leads from one state to another; without values at its end, whether it can be taken.
    fn is_allowed(
        &mut self,
        (source, target): (Loc, Loc),
        before: &BTreeMap<SymbolId, Integer>,
        after: &BTreeMap<SymbolId, Integer>,
    ) -> bool {
        let Some(piece) = self.pieces[&source].iter().find(|piece| piece.target == target) else {
            return false;
        };
        let mut parts = vec![piece.transition.guard];
        for (symbol, value) in after {
            let (reached, value) =
                (piece.transition.value(&mut self.terms, *symbol), self.terms.number(value.clone()));
            parts.push(self.terms.eq(reached, value));
        }
        let formula = self.terms.and(parts);
        let pairs: Vec<(SymbolId, TermId)> =
            before.iter().map(|(symbol, value)| (*symbol, self.terms.number(value.clone()))).collect();
        let formula = Substitution::new(pairs).apply(&mut self.terms, formula);
        let answer = check_formula(&mut self.solver, &self.terms, formula, &mut Budget::ticks(20_000));
        assert!(!matches!(answer, Answer::Unknown(_)), "values should decide a piece: {answer:?}");
        answer.is_sat()
    }

    fn assumptions_hold(&self, values: &BTreeMap<SymbolId, Integer>) -> bool {
        let mut model = Model::new();
        for (symbol, value) in values {
            model.set_int(*symbol, value.clone());
        }
        let mut evaluator = Evaluator::new(&self.terms, &model);
        self.assumed.iter().all(|assumed| evaluator.holds(*assumed))
    }

    fn run(&mut self, code: &Code, cuts: &[Loc], error: Loc, seed: u64, context: &str) {
        let entry = self.program.entry;
        let mut machine = Machine::new(self.program, code, Config::default());
        machine.stop_at(cuts.iter().map(|cut| (entry, *cut)));
        let (mut oracle, mut budget) = (Seed::new(seed), Budget::ticks(4_000));
        let mut last: Option<(Loc, BTreeMap<SymbolId, Integer>)> = None;
        for _ in 0..MAX_PIECES {
            let (location, values) =
                match machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget) {
                    Step::Location(_, location) => {
                        (location, state(self.program, &self.vocabulary, &machine.view()))
                    }
                    Step::Ended(Outcome::Error { .. }) => (error, BTreeMap::new()),
                    Step::Ended(_) => return,
                };
            assert!(self.assumptions_hold(&values) || values.is_empty(), "{values:?}\n{context}");
            if let Some((source, before)) = last.take().filter(|(source, _)| *source != error) {
                assert!(
                    self.is_allowed((source, location), &before, &values),
                    "seed {seed}: no piece from {source}, {before:?}, to {location}, {values:?}\n{context}"
                );
                self.steps += 1;
                self.errors += u64::from(location == error);
                let is_changed = |(symbol, _): &(SymbolId, &[cfa::VarId])| {
                    values.get(symbol).is_some_and(|value| before.get(symbol) != Some(value))
                };
                self.changes += u64::from(self.vocabulary.products().any(|product| is_changed(&product)));
            }
            if location == error {
                return;
            }
            last = Some((location, values));
        }
    }
}

#[test]
fn every_execution_is_allowed_by_pieces_with_products() {
    let (mut with_products, mut steps, mut changes, mut errors) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let text = Writer { random: Random::new(seed) }.program();
        let given = compile(&text, Dialect::of(seed)).expect("the program should compile");
        let task = Prepared::of(&given);
        let program = task.program();
        let Some(error) = program.procs[program.entry].error else { continue };
        let Some((mut checked, cuts)) = Checked::new(&task) else { continue };
        with_products += u64::from(checked.vocabulary.products().next().is_some());
        let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
        let code = Code::new(program, options);
        for run in 0..RUNS {
            checked.run(&code, &cuts, error, seed * RUNS + run, &text);
        }
        steps += checked.steps;
        changes += checked.changes;
        errors += checked.errors;
    }
    println!(
        "{with_products} programs with products, {steps} pieces, {changes} change a product, {errors} lead to the error"
    );
    assert!(with_products * 2 > PROGRAMS, "{with_products} programs with products");
    assert!(changes > 200 && errors > 20, "{changes} changes, {errors} errors");
}
