//! Filling and copying a variable number of elements of short arrays is exact in both logics: guard and elements are compared with a few lines of Rust, for all positions around the ends.

use cfa::{EdgeId, Program, VarId};
use encode::{Encoder, LogicName, Site, Transition, Vocabulary};
use term::{ArrayValue, Evaluator, Integer, Model, Sort, SymbolId, Terms, Value};
use values::state::State;

/// The arrays: `a` has 6 elements, `b` has 9.
const LENGTHS: [i64; 2] = [6, 9];

/// An operation: its text, whether the first index is `x` or a number, and for copies the array that is read and its first index.
struct Operation {
    text: &'static str,
    at: Option<i64>,
    source: Option<(usize, Option<i64>)>,
}

const OPERATIONS: [Operation; 7] = [
    Operation { text: "fill_elems a[(i100) x] (7:i32, n)", at: None, source: None },
    Operation { text: "fill_elems a[0:i100] (7:i32, n)", at: Some(0), source: None },
    Operation { text: "fill_elems a[2:i100] (7:i32, n)", at: Some(2), source: None },
    Operation { text: "copy_elems a[(i100) x] b[(i100) y] (n)", at: None, source: Some((1, None)) },
    Operation { text: "copy_elems a[(i100) x] a[(i100) y] (n)", at: None, source: Some((0, None)) },
    Operation { text: "copy_elems a[1:i100] a[0:i100] (n)", at: Some(1), source: Some((0, Some(0))) },
    Operation { text: "copy_elems a[0:i100] b[(i100) y] (n)", at: Some(0), source: Some((1, None)) },
];

/// What is at an index before the operation.
fn before(array: usize, index: i64) -> i64 {
    100 * (array as i64 + 1) + index
}

/// The elements of `a` afterwards, unless a range leaves its array.
fn expected(operation: &Operation, [x, y, n]: [i64; 3]) -> Option<Vec<i64>> {
    let mut elements: Vec<i64> = (0..LENGTHS[0]).map(|index| before(0, index)).collect();
    for number in 0..n {
        let to = usize::try_from(operation.at.unwrap_or(x) + number).ok()?;
        let value = match operation.source {
            None => 7,
            Some((array, start)) => {
                let from = start.unwrap_or(y) + number;
                if !(0..LENGTHS[array]).contains(&from) {
                    return None;
                }
                before(array, from)
            }
        };
        *elements.get_mut(to)? = value;
    }
    Some(elements)
}

fn scalar(terms: &Terms, symbol: SymbolId, value: i64) -> Value {
    match terms.symbol(symbol).sort {
        Sort::BitVec(width) => {
            let modulus = 1_i128 << width;
            Value::BitVec(width, Integer::from(i128::from(value).rem_euclid(modulus)))
        }
        _ => Value::Int(Integer::from(value)),
    }
}

fn check(logic: LogicName, program: &Program, operation: &Operation) -> [usize; 2] {
    let mut terms = Terms::new();
    let mut vocabulary = Vocabulary::in_logic(logic, program, &[program.entry], &mut terms);
    let mut encoder = Encoder::new(program, &mut terms, &mut vocabulary);
    let (mut transition, mut facts) = (Transition::identity(), State::new());
    let edge = &program.procs[program.entry].edges()[EdgeId(0)];
    for (op, operation) in edge.ops.iter().enumerate() {
        encoder.execute(&mut transition, &mut facts, Site::Operation { edge: EdgeId(0), op }, operation);
    }
    assert!(encoder.take_skolems().is_empty(), "{} is rounded up", operation.text);
    let symbols: Vec<SymbolId> = (0..5).map(|var| vocabulary.symbol(VarId(var)).expect("a symbol")).collect();
    let after = transition.value(&mut terms, symbols[0]);
    let mut counts = [0; 2];
    for x in -1..8 {
        for y in -1..11 {
            for n in (0..11).chain([1 << 40]) {
                let mut model = Model::new();
                for array in 0..2 {
                    let mut value = ArrayValue::new(Integer::ZERO);
                    for index in 0..LENGTHS[array] {
                        value.set(Integer::from(index), Integer::from(before(array, index)));
                    }
                    model.set(symbols[array], Value::Array(value));
                }
                for (symbol, value) in symbols[2..].iter().zip([x, y, n]) {
                    model.set(*symbol, scalar(&terms, *symbol, value));
                }
                let mut evaluator = Evaluator::new(&terms, &model);
                let result = expected(operation, [x, y, n]);
                let context = format!("{} with {x}, {y}, {n} in {logic:?}", operation.text);
                assert_eq!(evaluator.holds(transition.guard), result.is_some(), "{context}");
                counts[usize::from(result.is_some())] += 1;
                let (Some(result), Value::Array(array)) = (result, evaluator.value(after)) else { continue };
                let elements: Vec<Integer> =
                    (0..LENGTHS[0]).map(|i| array.get(&Integer::from(i)).clone()).collect();
                assert_eq!(elements, result.into_iter().map(Integer::from).collect::<Vec<_>>(), "{context}");
            }
        }
    }
    counts
}

#[test]
fn a_variable_number_of_elements_is_exact_in_short_arrays() {
    for operation in &OPERATIONS {
        let text = format!(
            "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local a : i32[6]\n  local b : i32[9]\n  \
             local x : i32\n  local y : i32\n  local n : u64\n  entry l0\n  exit l1\n  l0 -> l1 : {}\n}}\n",
            operation.text
        );
        let program = cfa::text::parse("case.cfa", &text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        for logic in [LogicName::Integers, LogicName::Bits] {
            let [undefined, defined] = check(logic, &program, operation);
            assert!(undefined > 20 && defined > 20, "{text}");
        }
    }
}
