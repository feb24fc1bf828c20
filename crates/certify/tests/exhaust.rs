//! Carrying out all executions: what is tried, what is left open, and a comparison with trying every value.

use std::fmt::Write as _;

use base::Budget;
use certify::{Exhaustion, FEW_VALUES, exhaust};
use cfa::Program;
use interp::{
    Choice, Code, CompileOptions, Config, Leaper, Machine, Markers, Outcome, Request, Silent, Uninitialised,
};
use testkit::Random;

fn parsed(text: &str) -> Program {
    cfa::text::parse("test.cfa", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn exhausted(body: &str) -> Exhaustion {
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
    exhaust(&parsed(&text), FEW_VALUES, &mut Budget::ticks(1 << 24))
}

fn count(exhaustion: &Exhaustion) -> Option<u64> {
    match exhaustion {
        Exhaustion::Safe { executions, .. } => Some(*executions),
        _ => None,
    }
}

/// Asks for `x`, leaves with values outside of 2 to 4, and then does the rest.
fn small(rest: &str) -> String {
    format!(
        "global g : i32\nproc %start() {{\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x < 2:i32 | 4:i32 < x\n\
         l2 -> l3 : assume !(x < 2:i32 | 4:i32 < x)\n{rest}}}\n"
    )
}

#[test]
fn every_value_that_is_read_later_is_tried_and_one_of_the_others() {
    let safe = exhausted(&small("l3 -> l1 : y := x * 3:i32\n"));
    assert_eq!(count(&safe), Some(5), "{safe:?}");
    let found = exhausted(&small("l3 -> l9 : assume x * x == 9:i32\n  l3 -> l1 : assume x * x != 9:i32\n"));
    let Exhaustion::Violated(trace) = found else { panic!("{found:?}") };
    assert_eq!(trace.choices[0].value.as_int(), 3);
}

#[test]
fn an_input_without_bounds_that_is_read_is_left_open() {
    let unbounded = "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l9 : assume x * x == 9:i32\n  l2 -> l1 : assume x * x != 9:i32\n}\n";
    assert_eq!(exhausted(unbounded), Exhaustion::Open);
}

#[test]
fn values_behind_a_false_assumption_need_one_execution() {
    let assumed = "proc %start() {\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l3 : assume -1:i32 <= x & x <= 1:i32\n  l3 -> l1 : y := x * x\n}\n";
    // Below, -1, 0, 1, above.
    assert_eq!(count(&exhausted(assumed)), Some(5));
}

#[test]
fn a_copy_counts_as_the_input_and_so_does_a_global_variable() {
    let copied = exhausted(&small(
        "l3 -> l4 : y := x\n  l4 -> l9 : assume y * y == 16:i32\n  l4 -> l1 : assume y * y != 16:i32\n",
    ));
    assert!(matches!(copied, Exhaustion::Violated(_)), "{copied:?}");
    let global = exhausted(
        "global g : i32\nproc %start() {\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc g input \"nondet\" at @f0:1:1-1:2\n  l2 -> l3 : assume 0:i32 <= g & g <= 1:i32\n\
         l3 -> l4 : call look()\n  l4 -> l1\n}\n\
         proc look() {\n  entry l0\n  exit l1\n  error l9\n  l0 -> l9 : assume g * g == 1:i32\n  l0 -> l1 : assume g * g != 1:i32\n}\n",
    );
    assert!(matches!(global, Exhaustion::Violated(_)), "{global:?}");
}

#[test]
fn conditions_on_other_values_are_not_taken_for_conditions_on_the_input() {
    // For x below 0 the way depends on y, which is another input.
    let two = "proc %start() {\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc y input \"other\" at @f0:1:1-1:2\n\
         l2 -> l3 : assume 0:i32 <= y & y <= 1:i32\n\
         l3 -> l4 : havoc x input \"nondet\" at @f0:2:1-2:2\n\
         l4 -> l5 : assume x < 0:i32 & y == 1:i32\n  l4 -> l1 : assume !(x < 0:i32 & y == 1:i32)\n\
         l5 -> l9 : assume x * x == 4:i32\n  l5 -> l1 : assume x * x != 4:i32\n}\n";
    let found = exhausted(two);
    assert!(matches!(found, Exhaustion::Violated(_) | Exhaustion::Open), "{found:?}");
}

#[test]
fn what_the_library_computes_is_not_enumerated() {
    let computed = "proc %start() {\n  local x : u1\n  entry l0\n  exit l1\n\
         l0 -> l2 : havoc x library \"isatty\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x\n  l2 -> l1 : assume !x\n}\n";
    assert_eq!(exhausted(computed), Exhaustion::Open);
    let decided = computed.replace("library", "world");
    assert_eq!(count(&exhausted(&decided)), Some(2));
}

#[test]
fn wrapping_casts_move_whole_intervals_only() {
    let cast = "proc %start() {\n  local x : i32\n  local y : u32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l3 : assume (u32) x <= 2:u32\n  l2 -> l1 : assume !((u32) x <= 2:u32)\n\
         l3 -> l9 : assume x * x == 4:i32\n  l3 -> l1 : assume x * x != 4:i32\n}\n";
    let found = exhausted(cast);
    let Exhaustion::Violated(trace) = found else { panic!("{found:?}") };
    assert_eq!(trace.choices[0].value.as_int(), 2);
}

#[test]
fn unsigned_numbers_of_128_bits_have_no_intervals() {
    // As signed numbers all of (u128) x would be below 5 for a negative x, and some of them above it otherwise.
    let wide = "proc %start() {\n  local x : i64\n  local y : u128\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  l2 -> l3 : y := (u128) x\n\
         l3 -> l1 : assume 9:u128 < y\n  l3 -> l9 : assume !(9:u128 < y)\n}\n";
    let found = exhausted(wide);
    assert!(matches!(found, Exhaustion::Violated(_) | Exhaustion::Open), "{found:?}");
}

#[test]
fn all_values_of_128_bits_are_too_many() {
    for condition in ["x * x == 9:i128", "x == 9:i128", "x < 0:i128 & x * x == 9:i128"] {
        let wide = format!(
            "proc %start() {{\n  local x : i128\n  entry l0\n  exit l1\n  error l9\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
             l2 -> l9 : assume {condition}\n  l2 -> l1 : assume !({condition})\n}}\n"
        );
        let found = exhausted(&wide);
        assert!(matches!(found, Exhaustion::Violated(_) | Exhaustion::Open), "{found:?}");
    }
}

#[test]
fn an_operand_that_decides_does_not_excuse_the_other_one() {
    // Both operands are evaluated: 0 ends in a division by zero, and the numbers above it do not.
    let strict = "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  l2 -> l3 : assume 0:i32 <= x\n\
         l3 -> l1 : assume x < 0:i32 & 1:i32 < 10:i32 / x\n\
         l3 -> l9 : assume !(x < 0:i32 & 1:i32 < 10:i32 / x)\n}\n";
    let found = exhausted(strict);
    assert!(matches!(found, Exhaustion::Violated(_) | Exhaustion::Open), "{found:?}");
}

/// Asks for two numbers of these types and adds them.
fn added(first: &str, second: &str) -> String {
    format!(
        "proc %start() {{\n  local x : {first}\n  local y : {second}\n  local z : i64\n  entry l0\n  exit l1\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l3 : havoc y input \"nondet\" at @f0:2:1-2:2\n\
         l3 -> l1 : z := (i64) x + (i64) y\n}}\n"
    )
}

#[test]
fn the_number_of_executions_is_limited() {
    assert_eq!(count(&exhausted(&added("u7", "u7"))), Some(1 << 14));
    assert_eq!(exhausted(&added("u7", "u8")), Exhaustion::Open);
}

#[test]
fn more_executions_are_carried_out_if_their_estimate_is_below_the_limit() {
    let tried = |first: &str, second: &str| {
        let text = format!(
            "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{}",
            added(first, second)
        );
        let mut budget = Budget::ticks(1 << 29);
        (exhaust(&parsed(&text), 1 << 16, &mut budget), budget.spent())
    };
    assert_eq!(count(&tried("u8", "i8").0), Some(1 << 16));
    let (exhaustion, spent) = tried("u9", "u9");
    assert_eq!(exhaustion, Exhaustion::Open);
    // A run takes 2^12 ticks at least: after the first 2^14 it is known that there are more than 2^16.
    assert!(spent < 1 << 27, "{spent}");
}

#[test]
fn the_number_of_values_of_an_input_is_limited() {
    assert_eq!(count(&exhausted(&added("u9", "u1"))), Some(1 << 10));
    assert_eq!(exhausted(&added("u10", "u1")), Exhaustion::Open);
}

#[test]
fn an_input_with_many_values_has_to_be_the_only_one() {
    let tried = |body: &str| {
        let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
        exhaust(&parsed(&text), 1 << 16, &mut Budget::ticks(1 << 29))
    };
    let alone = |ty: &str| {
        format!(
            "proc %start() {{\n  local x : {ty}\n  local z : i64\n  entry l0\n  exit l1\n  error l9\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
             l2 -> l3 : z := (i64) x * (i64) x\n\
             l3 -> l9 : assume z == 4294836225:i64\n  l3 -> l1 : assume z != 4294836225:i64\n}}\n"
        )
    };
    assert_eq!(count(&tried(&alone("i16"))), Some(1 << 16));
    assert!(matches!(tried(&alone("u16")), Exhaustion::Violated(_)), "65535 squared");
    assert_eq!(tried(&alone("u17")), Exhaustion::Open);
    assert_eq!(tried(&added("u16", "u1")), Exhaustion::Open);
    assert_eq!(tried(&added("u1", "u16")), Exhaustion::Open);
    // The budget ends first.
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{}", alone("i16"));
    assert_eq!(exhaust(&parsed(&text), 1 << 16, &mut Budget::ticks(1 << 12)), Exhaustion::Open);
}

#[test]
fn the_number_of_intervals_of_an_input_is_limited() {
    // Of two numbers in a row one is odd.
    let parity = |ty: &str| {
        format!(
            "proc %start() {{\n  local x : {ty}\n  entry l0\n  exit l1\n  error l9\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
             l2 -> l1 : assume (u1) x\n  l2 -> l3 : assume !((u1) x)\n  l3 -> l1\n}}\n"
        )
    };
    assert_eq!(exhausted(&parity("i32")), Exhaustion::Open);
    assert_eq!(count(&exhausted(&parity("u8"))), Some(256));
}

#[test]
fn inputs_of_one_function_are_told_apart_by_where_they_are_asked_for() {
    let two = "proc %start() {\n  local x : i32\n  local y : i64\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x < 0:i32 | 1:i32 < x\n  l2 -> l3 : assume !(x < 0:i32 | 1:i32 < x)\n\
         l3 -> l4 : havoc y input \"nondet\" at @f0:2:1-2:2\n\
         l4 -> l9 : assume x == 3:i32\n  l4 -> l1 : assume x != 3:i32\n}\n";
    // Below 0, 0, 1, above 1; nobody looks at y.
    assert_eq!(count(&exhausted(two)), Some(4));
}

#[test]
fn an_input_that_is_used_on_the_same_edge_is_left_open() {
    let used = "proc %start() {\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n ; y := x & 7:i32\n\
         l2 -> l9 : assume y == 3:i32\n  l2 -> l1 : assume y != 3:i32\n}\n";
    assert_eq!(exhausted(used), Exhaustion::Open);
}

#[test]
fn an_uninitialised_value_that_is_read_is_left_open() {
    let read = "proc %start() {\n  local x : u1\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x\n  l2 -> l3 : assume !x\n\
         l3 -> l9 : assume y == 3:i32\n  l3 -> l1 : assume y != 3:i32\n}\n";
    assert_eq!(exhausted(read), Exhaustion::Open);
}

#[test]
fn an_input_is_followed_through_empty_edges_and_assignments() {
    for (assigned, condition) in [
        ("1:i64", "x < 2:i32 | 4:i32 < x"),
        ("(i64) x", "x < 2:i32 | 4:i32 < x"),
        ("(i64) x", "y < 2:i64 | 4:i64 < y"),
    ] {
        let followed = format!(
            "proc %start() {{\n  local x : i32\n  local y : i64\n  local z : i32\n  entry l0\n  exit l1\n  error l9\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  l2 -> l3\n  l3 -> l4 : y := {assigned}\n\
             l4 -> l1 : assume {condition}\n  l4 -> l5 : assume !({condition})\n\
             l5 -> l1 : z := x * 3:i32\n}}\n"
        );
        assert_eq!(count(&exhausted(&followed)), Some(5), "{followed}");
    }
}

#[test]
fn of_two_edges_that_may_both_be_taken_none_is_followed() {
    for order in [["l2 -> l3", "l2 -> l1"], ["l2 -> l1", "l2 -> l3"]] {
        let both = format!(
            "proc %start() {{\n  local x : i32\n  entry l0\n  exit l1\n  error l9\n\
             l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  {}\n  {}\n\
             l3 -> l9 : assume x * x == 49:i32\n  l3 -> l1 : assume x * x != 49:i32\n}}\n",
            order[0], order[1]
        );
        assert_eq!(exhausted(&both), Exhaustion::Open, "{both}");
    }
}

#[test]
fn executions_that_do_not_end_within_the_budget_are_too_long() {
    let endless = "proc %start() {\n  local x : u1\n  entry l0\n  exit l1\n  error l9\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x\n  l2 -> l2 : assume !x\n}\n";
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{endless}");
    let found = exhaust(&parsed(&text), FEW_VALUES, &mut Budget::ticks(1 << 12));
    assert_eq!(found, Exhaustion::TooLong);
}

/// The types of random programs. The last two are wider than what an input has.
const TYPES: [&str; 6] = ["i3", "u3", "i4", "u4", "i128", "u128"];

/// A random program with the inputs `x` and `y`, which looks at them in comparisons mostly.
struct Generator {
    random: Random,
    input: &'static str,
}

impl Generator {
    fn number(&mut self, ty: &str, depth: usize) -> String {
        let choice = if depth == 0 { self.random.below(2) } else { self.random.below(9) };
        match choice {
            0 => {
                let low = if ty.starts_with('u') { 0 } else { -4 };
                format!("{}:{ty}", self.random.between(low, 3))
            }
            1 | 2 if ty == self.input => (*self.random.pick(&["x", "y", "z"])).to_owned(),
            1 | 2 => format!("({ty}) {}", self.random.pick(&["x", "y", "z"])),
            3 => {
                let from = *self.random.pick(&TYPES);
                format!("({ty}) ({})", self.number(from, depth - 1))
            }
            4 => {
                let condition = self.condition(depth - 1);
                let (then, other) = (self.number(ty, depth - 1), self.number(ty, depth - 1));
                format!("({condition} ? {then} : {other})")
            }
            5 => format!("(-({}))", self.number(ty, depth - 1)),
            _ => {
                let op = *self.random.pick(&["+", "-", "+", "-", "*", "/", "%", "&", "|", "^"]);
                format!("({} {op} {})", self.number(ty, depth - 1), self.number(ty, depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let choice = if depth == 0 { 0 } else { self.random.below(6) };
        match choice {
            0..=2 => {
                let ty = if self.random.chance(60) { self.input } else { *self.random.pick(&TYPES) };
                let op = *self.random.pick(&["<", "<=", "==", "!="]);
                let depth = depth.saturating_sub(1);
                format!("({} {op} {})", self.number(ty, depth), self.number(ty, depth))
            }
            3 => format!("!({})", self.condition(depth - 1)),
            _ => {
                let op = *self.random.pick(&["&", "|"]);
                format!("({} {op} {})", self.condition(depth - 1), self.condition(depth - 1))
            }
        }
    }

    fn program(&mut self) -> String {
        let (ty, policy) = (self.input, *self.random.pick(&["undefined", "wrap"]));
        let mut text = format!(
            "program LP64 overflow={policy} start=%start\nfile f0 \"a.c\"\nproc %start() {{\n  local x : {ty}\n  local y : {ty}\n  local z : {ty}\n\
             entry l0\n  exit l1\n  error l9\n  l0 -> l2 : y := 1:{ty}\n  l2 -> l3 : z := 2:{ty}\n\
             l3 -> l10 : havoc x input \"x\" at @f0:1:1-1:2\n"
        );
        let last = 10 + self.random.below(6);
        let second = 10 + self.random.below(8);
        for at in 10..=last {
            let next = at + 1;
            if at == second {
                let _ = writeln!(text, "l{at} -> l{next} : havoc y input \"y\" at @f0:2:1-2:2");
            } else if self.random.chance(35) {
                let target = *self.random.pick(&["x", "y", "z", "z"]);
                let _ = writeln!(text, "l{at} -> l{next} : {target} := {}", self.number(ty, 2));
            } else {
                let condition = self.condition(3);
                let aside = match self.random.below(4) {
                    0 => 9,
                    1 => 1,
                    _ => next + self.random.below(last + 1 - at),
                };
                let _ = writeln!(text, "l{at} -> l{next} : assume {condition}");
                if self.random.chance(85) {
                    let _ = writeln!(text, "l{at} -> l{aside} : assume !{condition}");
                }
            }
        }
        let end = *self.random.pick(&[1, 9]);
        text + &format!("l{} -> l{end}\n}}\n", last + 1)
    }
}

/// Whether the program reaches the error for some values of the inputs.
fn has_error(program: &Program, values: std::ops::RangeInclusive<i128>) -> bool {
    let options = CompileOptions { uninitialised: Uninitialised::Report, markers: Markers::Heads };
    let code = Code::new(program, options);
    for x in values.clone() {
        for y in values.clone() {
            let mut inputs = [x, y].into_iter();
            let mut oracle = |_: &Request<'_>| inputs.next().map(Choice::Int);
            let mut machine = Machine::new(program, &code, Config::default());
            let mut budget = Budget::ticks(1 << 16);
            let output = &mut std::io::sink();
            let run = Leaper::new().run(&mut machine, &mut oracle, &mut Silent, output, &mut budget);
            if matches!(run.outcome, Outcome::Error { .. }) {
                return true;
            }
        }
    }
    false
}

#[test]
fn random_programs_get_the_verdict_that_trying_every_value_gives() {
    let (mut safe, mut violated) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (input, values) =
            random.pick(&[("i3", -4..=3), ("u3", 0..=7), ("i4", -8..=7), ("u4", 0..=15)]).clone();
        let text = Generator { random, input }.program();
        let program = parsed(&text);
        let expected = has_error(&program, values);
        match exhaust(&program, FEW_VALUES, &mut Budget::ticks(1 << 24)) {
            Exhaustion::Safe { .. } => {
                safe += 1;
                assert!(!expected, "seed {seed}\n{text}");
            }
            Exhaustion::Violated(_) => {
                violated += 1;
                assert!(expected, "seed {seed}\n{text}");
            }
            Exhaustion::Open | Exhaustion::TooLong => {}
        }
    }
    // Otherwise nothing would be compared.
    assert!(safe > 500 && violated > 500, "{safe} safe, {violated} violated");
}
