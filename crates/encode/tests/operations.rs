//! The encoding of machine operations has exactly the interpreter's result.
//!
//! Random expressions over variables of all machine types are encoded, with random ranges known of the variables, and evaluated by the interpreter for
//! values at the ends of ranges and elsewhere. Where nothing is rounded, guard and value agree with the interpreter, undefined
//! behaviour included; where something is, the interpreter's result is allowed. `WAYPROOF_OPERATIONS` sets the number of expressions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::Budget;
use cfa::{EdgeId, ExprId, Op, Program, VarId};
use encode::{Encoder, Site, Skolem, Transition, Vocabulary, polynomial};
use interp::{EvalError, Value, eval};
use smt::{Answer, SolverFactory, Z3, check_formula};
use term::{Evaluator, Integer, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};
use testkit::Random;
use values::state::State;

/// Machine types with their widths.
const TYPES: [(&str, u32, bool); 8] = [
    ("i8", 8, true),
    ("u8", 8, false),
    ("i16", 16, true),
    ("u16", 16, false),
    ("i32", 32, true),
    ("u32", 32, false),
    ("i64", 64, true),
    ("u64", 64, false),
];
/// Variables of each type.
const VARIABLES: usize = 2;
/// Valuations of one expression.
const VALUATIONS: usize = 12;

fn range(ty: usize) -> (i128, i128) {
    let (_, width, signed) = TYPES[ty];
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

/// A value of a range: its ends, values next to zero, or any.
fn value_in(random: &mut Random, low: i128, high: i128) -> i128 {
    let value = match random.below(6) {
        0 => low,
        1 => high,
        2 => low + i128::from(random.between(0, 3)),
        3 => high - i128::from(random.between(0, 3)),
        4 => i128::from(random.between(-9, 9)),
        _ => low + (i128::from(random.bits()) << 1 | 1).rem_euclid(high - low + 1),
    };
    value.clamp(low, high)
}

/// Writes expressions of a type.
struct Writer {
    random: Random,
}

impl Writer {
    fn constant(&mut self, ty: usize) -> String {
        let (low, high) = range(ty);
        let value = if self.random.chance(60) {
            i128::from(self.random.between(-4, 17)).clamp(low, high)
        } else {
            value_in(&mut self.random, low, high)
        };
        format!("{value}:{}", TYPES[ty].0)
    }

    fn leaf(&mut self, ty: usize) -> String {
        if self.random.chance(70) {
            format!("{}_{}", TYPES[ty].0, self.random.below(VARIABLES))
        } else {
            self.constant(ty)
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let ty = self.random.below(TYPES.len());
        let (left, right) = (self.expression(ty, depth), self.expression(ty, depth));
        let comparison = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.random.below(5) {
            0 if depth > 0 => {
                let (first, second) = (self.condition(depth - 1), self.condition(depth - 1));
                let connective = *self.random.pick(&["&", "|", "^"]);
                format!("({first} {connective} {second})")
            }
            1 => format!("!({left} {comparison} {right})"),
            _ => format!("({left} {comparison} {right})"),
        }
    }

    fn expression(&mut self, ty: usize, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let name = TYPES[ty].0;
        match self.random.below(16) {
            0 => format!("(-({}))", self.expression(ty, depth - 1)),
            1 => format!("(~({}))", self.expression(ty, depth - 1)),
            2..=4 => {
                let other = self.random.below(TYPES.len());
                format!("(({name}) {})", self.expression(other, depth - 1))
            }
            5 | 6 => {
                let operator = *self.random.pick(&["<<", ">>"]);
                let amount = self.random.below(TYPES.len());
                let by = if self.random.chance(80) { self.constant(amount) } else { self.leaf(amount) };
                format!("({} {operator} {by})", self.expression(ty, depth - 1))
            }
            7 => {
                let condition = self.condition(depth - 1);
                let (yes, no) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({condition} ? {yes} : {no})")
            }
            8 => format!("(({name}) {})", self.condition(depth - 1)),
            choice => {
                let operator =
                    ["+", "-", "*", "/", "%", "&", "|", "^"][(choice - 9 + self.random.below(8)) % 8];
                let left = self.expression(ty, depth - 1);
                // Linear arithmetic is exact if one side is a number.
                let needs_number = matches!(operator, "*" | "/" | "%" | "&" | "|" | "^");
                let right = if needs_number && self.random.chance(75) {
                    self.constant(ty)
                } else {
                    self.expression(ty, depth - 1)
                };
                format!("({left} {operator} {right})")
            }
        }
    }
}

impl Writer {
    /// Bitwise operations, most of them of one kind, with brackets in any way: on few variables, so that the same operands are met in several orders.
    fn chain(&mut self, ty: usize, depth: usize) -> String {
        if depth == 0 {
            let from = if self.random.chance(70) { ty } else { self.random.below(TYPES.len()) };
            return format!("(({}) {}_{})", TYPES[ty].0, TYPES[from].0, self.random.below(VARIABLES));
        }
        let operators = ["&", "|", "^"];
        let main = operators[ty % 3];
        let operator = if self.random.chance(80) { main } else { *self.random.pick(&operators) };
        let rest = self.random.below(depth);
        let (left, right) = (self.chain(ty, depth - 1), self.chain(ty, rest));
        if self.random.chance(50) {
            format!("({left} {operator} {right})")
        } else {
            format!("({right} {operator} {left})")
        }
    }
}

/// A program with one assignment after assumptions about the ranges of all variables.
struct Case {
    program: Program,
    ranges: BTreeMap<VarId, (i128, i128)>,
    text: String,
}

/// What is assigned.
type Write = fn(&mut Writer, usize, usize) -> String;

fn case(seed: u64, write: Write) -> Case {
    let mut random = Random::new(seed);
    let policy = *random.pick(&["undefined", "wrap"]);
    let ty = random.below(TYPES.len());
    let mut declarations = format!("  local result : {}\n", TYPES[ty].0);
    let mut assumptions = String::new();
    let mut bounds = Vec::new();
    for (ty, (name, ..)) in TYPES.iter().enumerate() {
        for index in 0..VARIABLES {
            let (low, high) = range(ty);
            let _ = writeln!(declarations, "  local {name}_{index} : {name}");
            let (mut first, mut last) = (low, high);
            if random.chance(60) {
                first = value_in(&mut random, low, high);
                let width = 1_i128 << random.below(20);
                last = value_in(&mut random, first, high.min(first + width));
                let _ = write!(
                    assumptions,
                    "assume {first}:{name} <= {name}_{index} ; assume {name}_{index} <= {last}:{name} ; "
                );
            }
            bounds.push((first, last));
        }
    }
    let depth = 1 + random.below(3);
    let expression = write(&mut Writer { random }, ty, depth);
    let text = format!(
        "program LP64 overflow={policy} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n{declarations}  entry l0\n  exit l1\n  \
         l0 -> l1 : {assumptions}result := {expression}\n}}\n"
    );
    let program = cfa::text::parse("case.cfa", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    // `result` is the first variable.
    let ranges = program.vars.ids().skip(1).zip(bounds).collect();
    Case { program, ranges, text }
}

/// A case, encoded.
struct Encoded {
    terms: Terms,
    vocabulary: Vocabulary,
    skolems: Vec<Skolem>,
    guard: TermId,
    value: TermId,
    expression: ExprId,
}

fn encode(case: &Case) -> Encoded {
    let program = &case.program;
    let mut terms = Terms::new();
    let mut vocabulary = Vocabulary::of(program, program.entry, &mut terms);
    let mut encoder = Encoder::new(program, &mut terms, &mut vocabulary);
    let (mut transition, mut facts) = (Transition::identity(), State::new());
    let edge = &program.procs[program.entry].edges()[EdgeId(0)];
    for (op, operation) in edge.ops.iter().enumerate() {
        encoder.execute(&mut transition, &mut facts, Site::Operation { edge: EdgeId(0), op }, operation);
    }
    let skolems = encoder.take_skolems();
    let Some(Op::Assign { value: expression, .. }) = edge.ops.last() else { panic!("an assignment") };
    let symbol = vocabulary.symbol(VarId(0));
    let value =
        symbol.and_then(|symbol| transition.update.get(&symbol)).copied().unwrap_or_else(|| terms.int(0));
    Encoded { guard: transition.guard, value, skolems, expression: *expression, terms, vocabulary }
}

/// How many evaluations there were of each kind.
#[derive(Debug, Default)]
struct Tally {
    values: u64,
    undefined: u64,
    rounded: u64,
}

/// What the symbols of variables, and of their products, stand for.
fn symbols(vocabulary: &Vocabulary, values: &BTreeMap<VarId, i128>) -> Vec<(SymbolId, Integer)> {
    let value = |var: &VarId| Integer::from(values.get(var).copied().unwrap_or(0));
    let single = values.keys().filter_map(|var| Some((vocabulary.symbol(*var)?, value(var))));
    let products = vocabulary.products().map(|(symbol, factors)| {
        (symbol, factors.iter().fold(Integer::ONE, |product, factor| product * value(factor)))
    });
    single.chain(products).collect()
}

fn compare(case: &Case, encoded: &mut Encoded, values: &BTreeMap<VarId, i128>, tally: &mut Tally) {
    let program = &case.program;
    let valuation = |var: VarId| {
        let ty = program.vars[var].scalar()?;
        values.get(&var).map(|value| Value::int(ty, *value))
    };
    let expected = match eval(program, encoded.expression, &valuation) {
        Ok(value) => Some(value.as_int()),
        Err(EvalError::Undefined { .. }) => None,
        Err(error) => panic!("{error}\n{}", case.text),
    };
    let context = || format!("{values:?} gives {expected:?}\n{}", case.text);
    let terms = &mut encoded.terms;
    if encoded.skolems.is_empty() {
        let mut model = Model::new();
        for (symbol, value) in symbols(&encoded.vocabulary, values) {
            model.set_int(symbol, value);
        }
        let mut evaluator = Evaluator::new(terms, &model);
        let guard = evaluator.holds(encoded.guard);
        assert_eq!(guard, expected.is_some(), "whether it is defined: {}", context());
        match expected {
            Some(expected) => {
                tally.values += 1;
                assert_eq!(evaluator.int(encoded.value), Integer::from(expected), "the value: {}", context());
            }
            None => tally.undefined += 1,
        }
    } else if let Some(expected) = expected {
        let all_rounded = encoded.skolems.iter().all(|skolem| skolem.rounding().is_some());
        assert!(all_rounded, "an expression chooses nothing: {}", case.text);
        let known = symbols(&encoded.vocabulary, values).into_iter();
        let pairs: Vec<_> = known.map(|(symbol, value)| (symbol, terms.number(value))).collect();
        let expected = terms.number(Integer::from(expected));
        let is_expected = terms.eq(encoded.value, expected);
        let allowed = terms.and([encoded.guard, is_expected]);
        let allowed = Substitution::new(pairs).apply(terms, allowed);
        let answer = check_formula(&mut Z3::default().solver(), terms, allowed, &mut Budget::ticks(100_000));
        tally.rounded += 1;
        assert!(!matches!(answer, Answer::Unsat(_)), "the result is not allowed: {}", context());
    }
}

#[test]
fn encoded_operations_have_the_interpreters_result() {
    let wanted = std::env::var("WAYPROOF_OPERATIONS").ok().and_then(|text| text.parse().ok());
    let mut tally = Tally::default();
    for seed in 0..wanted.unwrap_or(1_500) {
        let case = case(seed, Writer::expression);
        let mut encoded = encode(&case);
        let mut random = Random::new(seed ^ 0xabcd);
        let valuations = if encoded.skolems.is_empty() { VALUATIONS } else { 1 };
        for _ in 0..valuations {
            let values = case
                .ranges
                .iter()
                .map(|(var, (low, high))| (*var, value_in(&mut random, *low, *high)))
                .collect();
            compare(&case, &mut encoded, &values, &mut tally);
        }
    }
    println!("{tally:?}");
    assert!(tally.values > 1_000 && tally.undefined > 100 && tally.rounded > 10, "{tally:?}");
}

/// Chains share Skolem constants, so each of them must allow the results of all.
#[test]
fn chains_of_bitwise_operations_allow_the_interpreters_result() {
    let mut tally = Tally::default();
    let difference: Write = |writer, ty, depth| {
        let (first, second) = (writer.chain(ty, depth + 2), writer.chain(ty, depth + 2));
        format!("({first} ^ ({second} | ({first} & {second})))")
    };
    for seed in 0..400 {
        let case = case(seed, difference);
        let mut encoded = encode(&case);
        let mut random = Random::new(seed ^ 0x1234);
        let ranges = case.ranges.iter();
        let values = ranges.map(|(var, (low, high))| (*var, value_in(&mut random, *low, *high))).collect();
        compare(&case, &mut encoded, &values, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.rounded > 200 && tally.undefined == 0, "{tally:?}");
}

#[test]
fn chains_of_the_same_operands_are_equal() {
    for (left, right) in [
        ("(a & (b & c))", "((c & a) & (b & a))"),
        ("(a | (b | c))", "((c | a) | (b | a))"),
        ("(a ^ (b ^ c))", "((c ^ (a ^ (b ^ a))) ^ a)"),
        ("(a ^ (b ^ a))", "b"),
        ("((a ^ b) >> 3:i32)", "((b >> 3:i32) ^ (a >> 3:i32))"),
        ("((a ^ b) << 3:i32)", "((b << 3:i32) ^ (a << 3:i32))"),
        ("(((a ^ b) ^ (b >> 1:i32)) >> 2:i32)", "(((a >> 2:i32) ^ (b >> 2:i32)) ^ (b >> 3:i32))"),
        ("(b ^ ((a ^ b) & (-((i32) (a < b)))))", "((b <= a) ? b : a)"),
    ] {
        let text = format!(
            "program LP64 overflow=wrap start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local result : i32\n  local a : i32\n  \
             local b : i32\n  local c : i32\n  entry l0\n  exit l1\n  l0 -> l1 : result := (i32) ({left} == {right})\n}}\n"
        );
        let program = cfa::text::parse("case.cfa", &text).expect("the program should be well-formed");
        let encoded = encode(&Case { program, ranges: BTreeMap::new(), text });
        assert_eq!(encoded.terms.as_number(encoded.value), Some(&Integer::ONE), "{left} {right}");
    }
}

/// What is said of products as terms holds whatever the variables and an index that is no variable are, with products by symbols and without.
#[test]
fn links_between_products_hold() {
    let text = "program LP64 overflow=wrap start=%start\nfile f0 \"a.c\"\nproc %start() {\n  local result : i64\n  local a : i64\n  \
                local b : i64\n  entry l0\n  exit l1\n  l0 -> l1 : result := ((a * b) + (a * a)) * b\n}\n";
    let program = cfa::text::parse("case.cfa", text).expect("the program should be well-formed");
    let mut terms = Terms::new();
    let vocabulary = Vocabulary::of(&program, program.entry, &mut terms);
    let index = terms.declare("k", Sort::Int, SymbolKind::Variable);
    let names = [vocabulary.symbol(VarId(1)), vocabulary.symbol(VarId(2)), Some(index)];
    let atoms: Vec<TermId> = names.iter().flatten().map(|symbol| terms.of_symbol(*symbol)).collect();
    assert!(vocabulary.products().count() >= 3, "products should be followed");
    let mut random = Random::new(7);
    for _ in 0..300 {
        let mut roots: Vec<TermId> =
            vocabulary.products().map(|(symbol, _)| terms.of_symbol(symbol)).collect();
        for _ in 0..random.between(1, 5) {
            let mut product = terms.int(1);
            for _ in 0..random.between(2, 4) {
                let shift = terms.int(random.between(-1, 1));
                let factor = terms.add(*random.pick(&atoms), shift);
                product = terms.mul(product, factor);
            }
            roots.push(product);
        }
        // Of squares more is said where terms divide.
        if random.below(2) == 0 {
            let half = terms.div(roots[0], &Integer::from(2));
            roots.push(half);
        }
        let links = polynomial::product_links(&mut terms, &vocabulary, &roots);
        let (a, b, k) = (random.between(-2, 2), random.between(-2, 2), random.between(-2, 2));
        let values = BTreeMap::from([(VarId(1), i128::from(a)), (VarId(2), i128::from(b))]);
        let mut model = Model::new();
        for (symbol, value) in symbols(&vocabulary, &values) {
            model.set_int(symbol, value);
        }
        model.set_int(index, Integer::from(k));
        assert!(Evaluator::new(&terms, &model).holds(links), "{a} {b} {k}");
        for root in roots {
            let (plain, named) = (
                polynomial::with_products(&mut terms, &vocabulary, root),
                polynomial::with_symbols(&mut terms, &vocabulary, root),
            );
            let mut evaluator = Evaluator::new(&terms, &model);
            let value = evaluator.int(root);
            assert_eq!((evaluator.int(plain), evaluator.int(named)), (value.clone(), value), "{a} {b} {k}");
        }
    }
}

#[test]
fn the_least_value_divided_by_minus_one_has_no_value() {
    for (operator, policy) in [("/", "wrap"), ("%", "wrap"), ("/", "undefined"), ("%", "undefined")] {
        for divisor in ["-1:i8", "d"] {
            let text = format!(
                "program LP64 overflow={policy} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local result : i8\n  \
                 local x : i8\n  local d : i8\n  entry l0\n  exit l1\n  l0 -> l1 : result := x {operator} {divisor}\n}}\n"
            );
            let program = cfa::text::parse("case.cfa", &text).expect("the program should be well-formed");
            let ranges = BTreeMap::from([(VarId(1), (-128, -128)), (VarId(2), (-1, -1))]);
            let case = Case { program, ranges, text };
            let mut encoded = encode(&case);
            let values = BTreeMap::from([(VarId(1), -128), (VarId(2), -1)]);
            let mut tally = Tally::default();
            compare(&case, &mut encoded, &values, &mut tally);
            assert_eq!(tally.values + tally.rounded, 0, "{tally:?} {}", case.text);
        }
    }
}
