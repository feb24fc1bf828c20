//! What is printed means what it was printed from: random formulas are written in C, compiled and executed on random states.

use std::fmt::Write as _;

use base::Budget;
use cfa::{DataModel, Program, VarId};
use encode::Vocabulary;
use interp::{Choice, Inputs, Outcome, Uninitialised};
use term::{Evaluator, Integer, Model, SymbolId, TermId, Terms};
use values::state::State;
use values::value::Value;

use super::express::Expressions;
use super::names::{Named, Names};

/// Name, type of the automaton and type of C, in both data models.
const VARS: [(&str, &str, &str); 14] = [
    ("b", "u1", "_Bool"),
    ("c", "i8", "signed char"),
    ("d", "u8", "unsigned char"),
    ("s", "i16", "short"),
    ("t", "u16", "unsigned short"),
    ("i", "i32", "int"),
    ("j", "i32", "int"),
    ("u", "u32", "unsigned"),
    ("v", "u32", "unsigned"),
    ("l", "i64", "long long"),
    ("m", "i64", "long long"),
    ("x", "u64", "unsigned long long"),
    ("y", "u64", "unsigned long long"),
    ("h", "i16", "short"),
];

/// Numbers that programs compare with, among them the ends of types.
const CONSTANTS: [i64; 16] =
    [0, 0, 0, 1, 1, -1, 5, -100, 127, 128, 255, 65_535, 1 << 31, (1 << 32) - 1, -(1 << 31), 1 << 40];

/// Expressions in one program.
const EXPRESSIONS: usize = 60;
/// States in which each is evaluated.
const STATES: usize = 12;

/// A generator of numbers (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
    /// A number between two others, often one of them or near zero.
    fn between(&mut self, low: i128, high: i128) -> i128 {
        let near = [low, low + 1, high, high - 1, -1, 0, 1, 2, (low & high) + ((low ^ high) >> 1)];
        let any = low + (i128::from(self.below(1 << 30) as u32) << self.below(34)) % (high - low + 1);
        let chosen = if self.below(3) == 0 { any } else { self.pick(&near) };
        chosen.clamp(low, high)
    }
}

/// All variables in one procedure, and products of them.
fn program() -> Program {
    let mut text =
        "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {\n".to_owned();
    for (name, ty, _) in VARS {
        let _ = writeln!(text, "  local {name} : {ty}");
    }
    text += "  entry l0\n  exit l1\n  error l2\n  l0 -> l2 : assume i * j == 7:i32\n  l0 -> l3 : assume x * y == 9:u64\n\
             l3 -> l4 : assume (i64) i * l == 9:i64\n  l4 -> l2 : assume (u64) l * x == 3:u64\n  l0 -> l1\n}\n";
    cfa::text::parse("test.cfa", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

struct World {
    program: Program,
    terms: Terms,
    vocabulary: Vocabulary,
    symbols: Vec<SymbolId>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Self {
        let program = program();
        let mut terms = Terms::new();
        let vocabulary = Vocabulary::of(&program, program.entry, &mut terms);
        let mut symbols: Vec<SymbolId> =
            program.vars.ids().filter_map(|var| vocabulary.symbol(var)).collect();
        let products: Vec<SymbolId> = vocabulary.products().map(|(symbol, _)| symbol).collect();
        assert!(products.len() >= 3, "the products of the program should be followed: {products:?}");
        symbols.extend(products);
        Self { program, terms, vocabulary, symbols, random: Random(seed) }
    }

    fn range(&self, var: VarId) -> (i128, i128) {
        self.program.vars[var].scalar().and_then(cfa::Ty::range).expect("all variables are integers")
    }

    fn variable(&mut self, name: &str) -> TermId {
        let position = VARS.iter().position(|(known, ..)| *known == name);
        let var = VarId(position.expect("the variable should exist") as u32);
        let symbol = self.vocabulary.symbol(var).expect("it is an integer");
        self.terms.of_symbol(symbol)
    }

    /// An atom, often of the forms that are written without conversions.
    fn atom(&mut self) -> TermId {
        let mut sum = Vec::new();
        let constant = if self.random.below(3) == 0 {
            // Two variables of one type, which differ by little.
            let (left, right) =
                self.random.pick(&[("i", "j"), ("u", "v"), ("l", "m"), ("x", "y"), ("s", "h")]);
            let (left, right) = (self.variable(left), self.variable(right));
            sum.extend([left, self.terms.neg(right)]);
            self.random.pick(&[0, 1, -1])
        } else {
            for _ in 0..self.random.pick(&[1, 1, 2, 2, 3]) {
                let symbol = self.random.pick(&self.symbols.clone());
                let term = self.terms.of_symbol(symbol);
                let factor = self.random.pick(&[1, 1, 1, -1, -1, -1, 2, -3, 7]);
                sum.push(self.terms.scale(&Integer::from(factor), term));
            }
            self.random.pick(&CONSTANTS)
        };
        sum.push(self.terms.int(constant));
        let sum = self.terms.sum(sum);
        let form = self.terms.linear(sum);
        let atom = match self.random.below(6) {
            0..=2 => self.terms.le_zero(&form),
            3 | 4 => self.terms.eq_zero(&form),
            _ => {
                let divisor = Integer::from(self.random.pick(&[2, 3, 8, 1000]));
                self.terms.divides(&divisor, sum)
            }
        };
        if self.random.below(4) == 0 { self.terms.not(atom) } else { atom }
    }

    fn formula(&mut self) -> TermId {
        let mut parts = Vec::new();
        for _ in 0..self.random.pick(&[1, 1, 1, 2, 3]) {
            let (left, right) = (self.atom(), self.atom());
            parts.push(if self.random.below(3) == 0 { self.terms.or([left, right]) } else { left });
        }
        let formula = self.terms.and(parts);
        self.terms.nnf(formula)
    }

    /// What may be known of the variables.
    fn facts(&mut self) -> State {
        let mut state = State::new();
        for var in self.program.vars.ids() {
            let (low, high) = self.range(var);
            let (low, high) = match self.random.below(4) {
                0 => continue,
                1 => (low.max(-1000), high.min(1000)),
                2 => (low.max(0), high.min(1 << 20)),
                _ => {
                    let (a, b) = (self.random.between(low, high), self.random.between(low, high));
                    (a.min(b), a.max(b))
                }
            };
            state.claim(var, Value::range(low, high).expect("it is not empty"));
        }
        state
    }

    /// Values that facts allow, as a model and as inputs.
    fn state(&mut self, facts: &State) -> (Model, Vec<i128>) {
        let mut model = Model::new();
        let mut values = Vec::new();
        for var in self.program.vars.ids() {
            let (mut low, mut high) = self.range(var);
            if let Some(value) = facts.get(var) {
                (low, high) = (low.max(value.low()), high.min(value.high()));
            }
            let value = self.random.between(low, high);
            values.push(value);
            model.set_int(self.vocabulary.symbol(var).expect("it is an integer"), value);
        }
        for (symbol, factors) in self.vocabulary.products() {
            let one = Integer::from(1);
            let factor = |var: &VarId| model.int(self.vocabulary.symbol(*var).expect("it is an integer"));
            let product = factors.iter().fold(one, |product, var| product * factor(var));
            model.set_int(symbol, product);
        }
        (model, values)
    }
}

/// A program that reaches the error if the expression with the number of its first input holds in the state of the other inputs.
fn compiled(expressions: &[String], model: DataModel) -> Program {
    let mut text = "extern void reach_error(void);\nextern int number(void);\n".to_owned();
    for (name, _, ty) in VARS {
        let _ = writeln!(text, "extern {ty} get_{name}(void);");
    }
    text += "int main(void) {\n  int which = number();\n";
    for (name, _, ty) in VARS {
        let _ = writeln!(text, "  {ty} {name} = get_{name}();");
    }
    text += "  switch (which) {\n";
    for (number, expression) in expressions.iter().enumerate() {
        let _ = writeln!(text, "  case {number}: if ({expression}) reach_error(); break;");
    }
    text += "  }\n  return 0;\n}\n";
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.as_bytes().into() };
    let compiled = cfront::compile(&[input], &cfront::Options::new(model));
    compiled
        .map_err(|failure| failure.diagnostics)
        .unwrap_or_else(|error| panic!("{error:?}\n{text}"))
        .program
}

#[test]
fn what_is_printed_means_what_it_was_printed_from() {
    let (mut pairs, mut true_ones) = (0, 0);
    for (seed, model) in
        [(1, DataModel::Lp64), (2, DataModel::Ilp32), (3, DataModel::Lp64), (4, DataModel::Ilp32)]
    {
        let mut world = World::new(seed);
        let names = Names::of_all(&world.program);
        let (mut formulas, mut texts) = (Vec::new(), Vec::new());
        while texts.len() < EXPRESSIONS {
            let (formula, facts) = (world.formula(), world.facts());
            let expressions = Expressions {
                program: &world.program,
                known: Some(&facts),
                words: Named { names: &names, vocabulary: &world.vocabulary },
            };
            if let Some(text) = expressions.text(&world.terms, formula) {
                texts.push(text);
                formulas.push((formula, facts));
            }
        }
        let program = compiled(&texts, model);
        for (number, (formula, facts)) in formulas.iter().enumerate() {
            for _ in 0..STATES {
                let (state, values) = world.state(facts);
                let inputs = std::iter::once(number as i128).chain(values.iter().copied());
                let mut inputs = Inputs::new(inputs.map(Choice::Int));
                let mode = Uninitialised::Report;
                let mut budget = Budget::unlimited();
                let run = interp::run(&program, mode, &mut inputs, &mut std::io::sink(), &mut budget);
                let printed = match run.outcome {
                    Outcome::Error { .. } => true,
                    Outcome::Returned => false,
                    other => panic!("{other}: {} in {values:?}", texts[number]),
                };
                let meant = Evaluator::new(&world.terms, &state).holds(*formula);
                assert_eq!(printed, meant, "{model:?}: {} in {values:?}", texts[number]);
                pairs += 1;
                true_ones += usize::from(meant);
            }
        }
    }
    assert!(pairs >= 2000, "{pairs}");
    assert!(true_ones * 10 > pairs && true_ones * 10 < 9 * pairs, "{true_ones} of {pairs}");
}
