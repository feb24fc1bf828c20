//! Laws of the pass `hand_back`: random recursive programs that return values through pointers to local variables.

use std::fmt::Write as _;

use base::Budget;
use cfa::text::{parse, print};
use cfa::{Op, Program};
use interp::{Choice, Inputs, Uninitialised};
use passes::hand_back;
use testkit::Random;

/// The addresses that a procedure knows.
const PLACES: [&str; 4] = ["a", "b", "&t", "&u"];

struct Writer {
    random: Random,
    text: String,
    last: usize,
    line: usize,
    /// Whether pointers are used in ways that the pass refuses.
    is_wild: bool,
}

impl Writer {
    fn step(&mut self, ops: &str) {
        self.line += 1;
        let (from, line) = (self.last, self.line);
        self.last += 1;
        let _ = writeln!(self.text, "  l{from} -> l{} : {ops}  @f0:{line}:1-{line}:9 stmt", self.last);
    }

    fn value(&mut self) -> String {
        let place = *self.random.pick(&PLACES);
        match self.random.below(4) {
            0 => format!("{}:u8", self.random.below(5)),
            1 => "n".to_owned(),
            2 => format!("mem(u8, {place}) + {}:u8", self.random.below(3)),
            _ => format!("mem(u8, {place})"),
        }
    }

    fn statement(&mut self) {
        let (one, other) = (*self.random.pick(&PLACES), *self.random.pick(&PLACES));
        let line = self.line + 1;
        let callee = *self.random.pick(&["f", "f", "g"]);
        let result = if self.random.chance(30) { format!("mem(u8, {one})") } else { "x".to_owned() };
        match self.random.below(if self.is_wild { 8 } else { 6 }) {
            0 | 1 => {
                let value = self.value();
                self.step(&format!("mem(u8, {one}) := {value}"));
            }
            2 => self.step(&format!("havoc mem(u8, {one}) input \"nondet\" at @f0:{line}:1-{line}:9")),
            3..=5 if one != other => {
                self.step(&format!("call {callee}(n - 1:u8, {one}, {other}) -> ({result})"));
            }
            6 => self.step(&format!("p := {one} ; mem(u8, p) := 3:u8")),
            7 => self.step(&format!("call f(n - 1:u8, {one}, {one}) -> (x)")),
            _ => {
                let value = self.value();
                self.step(&format!("x := {value}"));
            }
        }
    }

    fn procedure(&mut self, name: &str) {
        let _ = writeln!(
            self.text,
            "proc {name}(n, a, b) -> (%r) {{\n  local n : u8\n  local a : ptr\n  local b : ptr\n  local %r : u8\n  local x : u8\n  local t : object 1 align 1\n  local u : object 1 align 1\n  entry l0\n  exit l1"
        );
        self.text.push_str(
            "  l0 -> l2 : begin t ; begin u ; mem(u8, &t) := n ; mem(u8, &u) := 1:u8 ; x := 0:u8\n",
        );
        self.last = 4;
        self.text.push_str("  l2 -> l3 : assume n == 0:u8\n  l2 -> l4 : assume n != 0:u8\n");
        let base = self.value();
        let base_place = *self.random.pick(&PLACES);
        for _ in 0..=self.random.below(5) {
            self.statement();
        }
        let (value, last) = (self.value(), self.last);
        let _ = writeln!(self.text, "  l3 -> l1 : mem(u8, {base_place}) := {base} ; %r := x ; end u ; end t");
        let _ = writeln!(self.text, "  l{last} -> l1 : %r := {value} + x ; end u ; end t\n}}");
    }
}

fn program(seed: u64) -> (String, Program) {
    let mut random = Random::new(seed);
    let is_wild = random.chance(25);
    let (first, second, wanted) = (random.below(4), random.below(6), random.below(6));
    let text = "program LP64 overflow=wrap start=main\nfile f0 \"random.c\"\nglobal p : ptr\n".to_owned();
    let mut writer = Writer { random, text, last: 0, line: 0, is_wild };
    writer.procedure("f");
    writer.procedure("g");
    let _ = writeln!(
        writer.text,
        "proc main() {{\n  local r : object 1 align 1\n  local s : object 1 align 1\n  local x : u8\n  entry l0\n  exit l1\n  error l4\n  l0 -> l2 : begin r ; begin s ; mem(u8, &r) := {second}:u8 ; mem(u8, &s) := 2:u8\n  l2 -> l3 : call f({first}:u8, &r, &s) -> (x)\n  l3 -> l4 : assume mem(u8, &r) + x - mem(u8, &s) == {wanted}:u8\n  l3 -> l1 : assume mem(u8, &r) + x - mem(u8, &s) != {wanted}:u8\n}}"
    );
    let program =
        parse("random.cfa", &writer.text).unwrap_or_else(|error| panic!("{seed}: {error}\n{}", writer.text));
    (writer.text, program)
}

fn begins(program: &Program) -> usize {
    let ops = program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops);
    ops.filter(|op| matches!(op, Op::Begin { .. })).count()
}

#[test]
fn values_are_handed_back_as_through_pointers() {
    let (mut changed, mut refused, mut compared, mut errors) = (0, 0, 0, 0);
    for seed in 0..600 {
        let (text, old) = program(seed);
        let (new, _) = hand_back(&old);
        if let Err(defects) = new.verify() {
            panic!("{seed}: {}\n{text}\n{}", defects[0], print(&new));
        }
        if begins(&new) == begins(&old) {
            refused += 1;
            continue;
        }
        changed += 1;
        for inputs in 0..4 {
            let run = |program: &Program| {
                // Inputs that nobody reads are not asked for any more, so all are the same.
                let mut oracle = Inputs::new(std::iter::repeat_n(Choice::Int(inputs), 10_000));
                let budget = &mut Budget::ticks(20_000);
                interp::run(program, Uninitialised::Choose, &mut oracle, &mut std::io::sink(), budget)
            };
            let (before, after) = (run(&old), run(&new));
            if matches!(before.outcome, interp::Outcome::Stopped(_)) {
                continue;
            }
            let kind = |outcome: &interp::Outcome| std::mem::discriminant(outcome);
            assert_eq!(kind(&before.outcome), kind(&after.outcome), "{seed}\n{text}\n{}", print(&new));
            compared += 1;
            errors += usize::from(matches!(before.outcome, interp::Outcome::Error { .. }));
        }
    }
    assert!(
        changed > 200 && refused > 50 && compared > 500 && errors > 20,
        "{changed} {refused} {compared} {errors}"
    );
}
