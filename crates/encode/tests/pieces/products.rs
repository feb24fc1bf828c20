//! Products of variables (decision 028). The symbol of a product has the value of the product at both ends of a piece. And what is assumed of products everywhere ([`encode::typing`],
//! [`encode::product_typing`]) has to hold in every state.

use std::fmt::Write as _;

use cfa::{Loc, Program};
use encode::Vocabulary;
use interp::View;
use passes::Prepared;
use term::print::text;
use term::{Evaluator, Integer, Model, Node, Sort, SymbolId, TermId};
use testkit::Random;
use testkit::verdicts::Dialect;
use testkit::verdicts::judge::compile;

use crate::cut::{Cut, Values, scalars};

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
fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> Values {
    let mut values = scalars(program, vocabulary, view);
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

pub(crate) struct Checked<'a> {
    cut: Cut<'a>,
    /// What is assumed of all products and variables.
    assumed: Vec<TermId>,
    pub(crate) steps: u64,
    /// Steps in which a product changes.
    changes: u64,
    pub(crate) errors: u64,
}

impl<'a> Checked<'a> {
    pub(crate) fn new(mut cut: Cut<'a>) -> Self {
        let products: Vec<SymbolId> = cut.vocabulary.products().map(|(symbol, _)| symbol).collect();
        let mut assumed = Vec::new();
        for symbol in products {
            let Cut { program, terms, vocabulary, .. } = &mut cut;
            let mentioned = (terms.of_symbol(symbol), terms.int(0));
            let mentioned = terms.le(mentioned.0, mentioned.1);
            assumed.push(encode::typing(program, terms, vocabulary, mentioned));
            assumed.push(encode::product_typing(terms, vocabulary, mentioned));
        }
        Self { cut, assumed, steps: 0, changes: 0, errors: 0 }
    }

    fn assumptions_hold(&self, values: &Values) -> bool {
        let mut model = Model::new();
        for (symbol, value) in values {
            model.set_int(*symbol, value.clone());
        }
        let mut evaluator = Evaluator::new(&self.cut.terms, &model);
        self.assumed.iter().all(|assumed| evaluator.holds(*assumed))
    }

    pub(crate) fn run(&mut self, seed: u64, context: &str) {
        let states = self.cut.states(seed, MAX_PIECES, state);
        for (location, values) in &states {
            assert!(*location == self.cut.error || self.assumptions_hold(values), "{values:?}\n{context}");
        }
        for pair in states.windows(2) {
            let [(source, before), (target, after)] = pair else { continue };
            self.step((*source, *target), before, after, &format!("seed {seed}\n{context}"));
        }
    }

    fn step(&mut self, (source, target): (Loc, Loc), before: &Values, after: &Values, context: &str) {
        let piece = self.cut.piece((source, target));
        let is_allowed = piece.is_some_and(|piece| self.cut.is_possible(&piece, (before, after), Vec::new()));
        assert!(is_allowed, "no piece from {source}, {before:?}, to {target}, {after:?}\n{context}");
        self.steps += 1;
        self.errors += u64::from(target == self.cut.error);
        let is_changed = |(symbol, _): &(SymbolId, &[cfa::VarId])| {
            after.get(symbol).is_some_and(|value| before.get(symbol) != Some(value))
        };
        self.changes += u64::from(self.cut.vocabulary.products().any(|product| is_changed(&product)));
    }
}

#[test]
fn every_execution_is_allowed_by_pieces_with_products() {
    let (mut with_products, mut steps, mut changes, mut errors) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let text = Writer { random: Random::new(seed) }.program();
        let given = compile(&text, Dialect::of(seed)).expect("the program should compile");
        let task = Prepared::of(&given);
        let Some(cut) = Cut::new(&task) else { continue };
        let mut checked = Checked::new(cut);
        with_products += u64::from(checked.cut.vocabulary.products().next().is_some());
        for run in 0..RUNS {
            checked.run(seed * RUNS + run, &text);
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

/// The bound `i < n` and the equation `n = i + 3` have the same variables: where one is replaced, the other is gone, too, and only a number is left. That can be multiplied by anything that the way
/// to the error reads, but not by the array.
const ARRAY_AT_BOUND: &str = "
program LP64 overflow=undefined start=main
proc p0 main() -> () {
  local v0 i : i32
  local v1 n : i32
  local v2 a : i64[*]
  entry l0
  exit l1
  error l3
  l0 -> l2 : havoc i input \"i\"
           ; havoc n input \"n\"
  l2 -> l2 : assume i < 100:i32
           ; a[(i100) i] := (i64) n
           ; i := i + 1:i32
  l2 -> l3 : assume i < n
           ; assume a[(i100) i] < (i64) i * (i64) n | n == i + 3:i32
}
";

#[test]
fn arrays_are_not_multiplied_at_bounds() {
    let program =
        cfa::text::parse("array_at_bound.cfa", ARRAY_AT_BOUND).expect("the text should be a program");
    let task = Prepared::of(&program);
    let cut = Cut::new(&task).expect("the error should be reachable");
    let forest = task.loops(cut.program.entry);
    let head = forest.loops().iter().next().expect("the loop should still be there").header;
    let guard = cut.piece((head, cut.error)).expect("the error should follow the loop").transition.guard;
    let terms = cut.terms.reachable(&[guard]);
    let is_read = |term: &TermId| matches!(cut.terms.node(*term), Node::Select(..));
    assert!(terms.iter().any(is_read) && cut.vocabulary.products().next().is_some());
    for term in terms {
        let (Node::Le(sum) | Node::Zero(sum) | Node::Divides(_, sum)) = *cut.terms.node(term) else {
            continue;
        };
        assert_eq!(cut.terms.sort(sum), Sort::Int, "{}", text(&cut.terms, term));
    }
}
