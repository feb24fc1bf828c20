//! The encoding of machine operations in bit-vectors has exactly the interpreter's result.
//!
//! Random expressions over variables of machine types, floating-point numbers included, are encoded and evaluated by the interpreter for values at the ends of ranges and elsewhere. Guard and
//! value agree with the interpreter, undefined behaviour included; where something is rounded up (the result of an operation on two different NaNs), the interpreter's result is allowed. A part
//! of the cases is also given to the solver, with variables that have these values: it must agree with the evaluator of terms. `WAYPROOF_OPERATIONS` sets the number of expressions.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::Budget;
use cfa::{EdgeId, ExprId, Op, Program, VarId};
use encode::{Encoder, LogicName, Rounding, Site, Skolem, Transition, Vocabulary};
use interp::{EvalError, Value, eval};
use smt::{Answer, SolverFactory, Z3, check_formula};
use term::{Evaluator, Integer, Model, Sort, Substitution, SymbolId, TermId, Terms};
use testkit::Random;
use values::state::State;

/// Machine types with their widths; numbers with fraction come last.
const TYPES: [(&str, u32); 16] = [
    ("u1", 1),
    ("i8", 8),
    ("u8", 8),
    ("i16", 16),
    ("u16", 16),
    ("i32", 32),
    ("u32", 32),
    ("i64", 64),
    ("u64", 64),
    ("i128", 128),
    ("u128", 128),
    ("i7", 7),
    ("u13", 13),
    ("f32", 32),
    ("f64", 64),
    ("f64", 64),
];
/// Types before this one are integers.
const FLOATS: usize = 13;
/// Variables of each type.
const VARIABLES: usize = 2;
/// Valuations of one expression.
const VALUATIONS: usize = 12;
/// Of so many expressions one is given to the solver.
const ASKED: u64 = 8;

fn is_float(ty: usize) -> bool {
    ty >= FLOATS
}

/// Bits of a type: the ends of its range, values next to zero, special numbers, or any.
fn bits_of(random: &mut Random, ty: usize) -> u128 {
    let (name, width) = TYPES[ty];
    let all = u128::MAX >> (128 - width);
    let any = (u128::from(random.bits()) << 64) | u128::from(random.bits());
    if is_float(ty) {
        let special: [f64; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN_POSITIVE,
            1e-320,
            2_147_483_648.0,
            -9_223_372_036_854_775_808.0,
            255.5,
            1e-42,
        ];
        let number = match random.below(6) {
            0 => *random.pick(&special),
            1 => random.between(-300, 300) as f64 / 4.0,
            2 => -*random.pick(&special),
            // Whole numbers about the ends of integer types.
            3 => {
                let end = 2_f64.powi(*random.pick(&[7, 8, 15, 16, 31, 32, 63, 64, 127]));
                let end = end + random.between(-2, 2) as f64 / 2.0;
                if random.chance(50) { -end } else { end }
            }
            // NaNs with payloads among others.
            4 => {
                let nan = if name == "f32" { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
                return (nan | (any & 0xf00f)) & all;
            }
            _ => return any & all,
        };
        return if name == "f32" {
            u128::from((number as f32).to_bits())
        } else {
            u128::from(number.to_bits())
        };
    }
    let small = random.between(-9, 9) as i128 as u128;
    (match random.below(6) {
        0 => 0,
        1 => all,
        2 => 1 << (width - 1),
        3 => (1 << (width - 1)) - 1,
        4 => small,
        _ => any,
    }) & all
}

/// Writes expressions of a type.
struct Writer {
    random: Random,
}

impl Writer {
    fn any(&mut self) -> usize {
        self.random.below(TYPES.len())
    }

    fn integer(&mut self) -> usize {
        self.random.below(FLOATS)
    }

    fn constant(&mut self, ty: usize) -> String {
        let name = TYPES[ty].0;
        if !is_float(ty) && ty > 0 && self.random.chance(60) {
            return format!("{}:{name}", self.random.between(0, 17));
        }
        format!("{:#x}:{name}", bits_of(&mut self.random, ty))
    }

    fn leaf(&mut self, ty: usize) -> String {
        if ty == 0 {
            return format!("u1_{}", self.random.below(VARIABLES));
        }
        if self.random.chance(75) {
            format!("{}_{}", TYPES[ty].0, self.random.below(VARIABLES))
        } else {
            self.constant(ty)
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let ty = self.any();
        let (left, right) = (self.expression(ty, depth), self.expression(ty, depth));
        let comparison = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.random.below(5) {
            0 if depth > 0 => {
                let (first, second) = (self.condition(depth - 1), self.condition(depth - 1));
                let connective = *self.random.pick(&["&", "|", "^", "==", "<="]);
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
        if ty == 0 {
            return self.condition(depth - 1);
        }
        let name = TYPES[ty].0;
        match self.random.below(16) {
            0 => format!("(-({}))", self.expression(ty, depth - 1)),
            1 if !is_float(ty) => format!("(~({}))", self.expression(ty, depth - 1)),
            2..=4 => {
                let other = self.any();
                format!("(({name}) {})", self.expression(other, depth - 1))
            }
            5 | 6 if !is_float(ty) => {
                let operator = *self.random.pick(&["<<", ">>"]);
                let amount = self.integer();
                let by = if self.random.chance(50) { self.constant(amount) } else { self.leaf(amount) };
                format!("({} {operator} {by})", self.expression(ty, depth - 1))
            }
            7 => {
                let condition = self.condition(depth - 1);
                let (yes, no) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({condition} ? {yes} : {no})")
            }
            8 => format!("(({name}) {})", self.condition(depth - 1)),
            _ => {
                let operators: &[&str] = if is_float(ty) {
                    &["+", "-", "*", "/"]
                } else {
                    &["+", "-", "*", "/", "%", "&", "|", "^"]
                };
                let operator = *self.random.pick(operators);
                let (left, right) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({left} {operator} {right})")
            }
        }
    }
}

/// A program with one assignment.
struct Case {
    program: Program,
    text: String,
    /// For each variable but the result the number of its type.
    types: Vec<usize>,
}

fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let policy = *random.pick(&["undefined", "wrap"]);
    let model = *random.pick(&["LP64", "ILP32"]);
    let ty = random.below(TYPES.len());
    let mut declarations = format!("  local result : {}\n", TYPES[ty].0);
    let mut types = Vec::new();
    // The last type is there to be chosen more often.
    for (ty, (name, _)) in TYPES.iter().enumerate().take(TYPES.len() - 1) {
        for index in 0..VARIABLES {
            let _ = writeln!(declarations, "  local {name}_{index} : {name}");
            types.push(ty);
        }
    }
    let depth = 1 + random.below(3);
    let expression = Writer { random }.expression(ty, depth);
    let text = format!(
        "program {model} overflow={policy} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n{declarations}  entry l0\n  exit l1\n  \
         l0 -> l1 : result := {expression}\n}}\n"
    );
    let program = cfa::text::parse("case.cfa", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    Case { program, text, types }
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
    let mut vocabulary = Vocabulary::in_logic(LogicName::Bits, program, &[program.entry], &mut terms);
    let mut encoder = Encoder::new(program, &mut terms, &mut vocabulary);
    let (mut transition, mut facts) = (Transition::identity(), State::new());
    let edge = &program.procs[program.entry].edges()[EdgeId(0)];
    for (op, operation) in edge.ops.iter().enumerate() {
        encoder.execute(&mut transition, &mut facts, Site::Operation { edge: EdgeId(0), op }, operation);
    }
    let skolems = encoder.take_skolems();
    let Some(Op::Assign { value: expression, .. }) = edge.ops.last() else { panic!("an assignment") };
    let symbol = vocabulary.symbol(VarId(0)).expect("the result should have a symbol");
    let value = transition.value(&mut terms, symbol);
    Encoded { guard: transition.guard, value, skolems, expression: *expression, terms, vocabulary }
}

/// How many evaluations there were of each kind.
#[derive(Debug, Default)]
struct Tally {
    values: u64,
    undefined: u64,
    rounded: u64,
    asked: u64,
}

/// The variables' symbols with their bits.
fn known(encoded: &Encoded, values: &BTreeMap<VarId, u128>) -> Vec<(SymbolId, term::Value)> {
    let value = |(var, bits): (&VarId, &u128)| {
        let symbol = encoded.vocabulary.symbol(*var)?;
        let Sort::BitVec(width) = encoded.terms.symbol(symbol).sort else { return None };
        Some((symbol, term::Value::BitVec(width, Integer::from(*bits))))
    };
    values.iter().filter_map(value).collect()
}

/// What the interpreter computes; nothing if it is undefined.
fn expected(case: &Case, encoded: &Encoded, values: &BTreeMap<VarId, u128>) -> Option<u128> {
    let program = &case.program;
    let valuation = |var: VarId| {
        let ty = program.vars[var].scalar()?;
        values.get(&var).map(|bits| Value { ty, bits: *bits })
    };
    match eval(program, encoded.expression, &valuation) {
        Ok(value) => Some(value.bits),
        Err(EvalError::Undefined { .. }) => None,
        Err(error) => panic!("{error}\n{}", case.text),
    }
}

/// That the encoding agrees with the interpreter: its guard holds if there is a result, and then its value is the result.
fn agrees(encoded: &mut Encoded, expected: Option<u128>) -> TermId {
    let Encoded { terms, guard, value, .. } = encoded;
    let Some(bits) = expected else { return terms.not(*guard) };
    let width = terms.bit_width(*value);
    let result = terms.bv_number(width, Integer::from(bits));
    let is_expected = terms.eq(*value, result);
    terms.and([*guard, is_expected])
}

fn compare(case: &Case, encoded: &mut Encoded, values: &BTreeMap<VarId, u128>, tally: &mut Tally) {
    let expected = expected(case, encoded, values);
    let context = || format!("{values:x?} gives {expected:x?}\n{}", case.text);
    let (known, agrees) = (known(encoded, values), agrees(encoded, expected));
    let terms = &mut encoded.terms;
    if encoded.skolems.is_empty() {
        let mut model = Model::new();
        for (symbol, value) in known {
            model.set(symbol, value);
        }
        let mut evaluator = Evaluator::new(terms, &model);
        let found = (evaluator.holds(encoded.guard), evaluator.value(encoded.value));
        assert!(evaluator.holds(agrees), "{found:?}: {}", context());
        match expected {
            Some(_) => tally.values += 1,
            None => tally.undefined += 1,
        }
    } else if expected.is_some() {
        let is_nan = |skolem: &Skolem| skolem.rounding() == Some(Rounding::FloatOperation);
        assert!(encoded.skolems.iter().all(is_nan), "only NaNs are rounded up: {}", case.text);
        let pairs: Vec<_> = known.iter().map(|(symbol, value)| (*symbol, terms.of_value(value))).collect();
        let allowed = Substitution::new(pairs).apply(terms, agrees);
        let answer = check_formula(&mut Z3::default().solver(), terms, allowed, &mut Budget::ticks(100_000));
        tally.rounded += 1;
        assert!(!matches!(answer, Answer::Unsat(_)), "the result is not allowed: {}", context());
    }
}

/// The solver finds no other result than the evaluator of terms.
fn ask(case: &Case, encoded: &mut Encoded, values: &BTreeMap<VarId, u128>, tally: &mut Tally) {
    if !encoded.skolems.is_empty() {
        return;
    }
    let expected = expected(case, encoded, values);
    let (known, agrees) = (known(encoded, values), agrees(encoded, expected));
    let terms = &mut encoded.terms;
    let mut parts = vec![terms.not(agrees)];
    for (symbol, value) in known {
        let (variable, number) = (terms.of_symbol(symbol), terms.of_value(&value));
        parts.push(terms.eq(variable, number));
    }
    let differs = terms.and(parts);
    let answer = check_formula(&mut Z3::default().solver(), terms, differs, &mut Budget::ticks(100_000));
    tally.asked += 1;
    assert!(!matches!(answer, Answer::Sat(_)), "the solver: {values:x?} gives {expected:x?}\n{}", case.text);
}

#[test]
fn operations_on_bits_have_the_interpreters_result() {
    let wanted = std::env::var("WAYPROOF_OPERATIONS").ok().and_then(|text| text.parse().ok());
    let first: u64 = std::env::var("WAYPROOF_FIRST").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut tally = Tally::default();
    for seed in first..first + wanted.unwrap_or(2_000) {
        let case = case(seed);
        let mut encoded = encode(&case);
        let mut random = Random::new(seed ^ 0xabcd);
        let valuations = if encoded.skolems.is_empty() { VALUATIONS } else { 1 };
        for number in 0..valuations {
            let vars = case.program.vars.ids().skip(1);
            let values = vars.zip(&case.types).map(|(var, ty)| (var, bits_of(&mut random, *ty))).collect();
            compare(&case, &mut encoded, &values, &mut tally);
            if number == 0 && seed.is_multiple_of(ASKED) {
                ask(&case, &mut encoded, &values, &mut tally);
            }
        }
    }
    println!("{tally:?}");
    assert!(
        tally.values > 1_000 && tally.undefined > 100 && tally.rounded > 10 && tally.asked > 10,
        "{tally:?}"
    );
}
