//! The pass that makes overflows error locations, judged by the interpreter: on every choice of inputs the
//! program as given violates no-overflow if and only if the new one reaches its error location.

use std::fmt::Write as _;

use base::Budget;
use cfa::text::{parse, print};
use cfa::{CheckKind, Program, SignedOverflow};
use interp::{Choice, Chosen, Outcome, Position, Request, Uninitialised};
use passes::{BackTranslation, Instrumented, Selection, instrument};

use crate::generate::{self, Random};

/// Programs of the tests below together: `CFA_PROGRAMS` asks for more.
fn programs(usual: u64) -> u64 {
    std::env::var("CFA_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Expressions of one type at a time; widths without a wider type, odd ones and one bit are among them.
const WIDTHS: [u8; 9] = [32, 32, 32, 64, 64, 8, 128, 33, 65];

struct Writer<'a> {
    random: &'a mut Random,
    width: u8,
}

impl Writer<'_> {
    fn constant(&mut self) -> String {
        let (least, greatest) = cfa::Ty::signed(self.width).range().unwrap();
        let near = self.random.below(3) as i128;
        let value = match self.random.below(8) {
            0 => least + near,
            1 => greatest - near,
            2 => -near,
            3 => greatest / (2 + near),
            4 => least / (2 + near),
            _ => near,
        };
        // The least number has no literal.
        if value == i128::MIN { "(y ^ y)".to_owned() } else { format!("{value}:i{}", self.width) }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(7) {
            0 => self.constant(),
            1 => format!("a[{}:i32]", self.random.below(3)),
            2 => format!("a[(i32) b & {}:i32]", [1, 3, 7][self.random.below(3)]),
            3 => format!("mem(i{}, p)", self.memory_width()).replace("mem(i0, p)", "z"),
            other => ["x", "y", "z"][other % 3].to_owned(),
        }
    }

    /// The width of values in memory; 0 for none.
    fn memory_width(&self) -> u8 {
        if matches!(self.width, 8 | 32 | 64) { self.width } else { 0 }
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(5) == 0 {
            return self.leaf();
        }
        let left = self.value(depth - 1);
        match self.random.below(13) {
            0 => format!("({left} / {})", self.value(depth - 1)),
            1 => format!("({left} % {})", self.value(depth - 1)),
            2 => format!("({left} << {}:i32)", self.random.below(4)),
            3 => {
                let op = [">>", "<<"][self.random.below(2)];
                let mask = [15, 63, 255][self.random.below(3)];
                format!("({left} {op} ((i32) b & {mask}:i32))")
            }
            4 | 5 => format!("-({left})"),
            6 | 7 => format!("({} ? {left} : {})", self.condition(depth - 1), self.value(depth - 1)),
            8 => format!("(i{0}) (i16) ({left})", self.width),
            _ => {
                let op = ["+", "-", "*", "+", "-", "&", "^"][self.random.below(7)];
                format!("({left} {op} {})", self.value(depth - 1))
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (left, right) = (self.value(depth), self.value(depth));
        match self.random.below(5) {
            0 => format!("({left} == {right})"),
            1 => format!("({left} <= {right} & x != y)"),
            2 => format!("!({left} < {right})"),
            _ => format!("({left} < {right})"),
        }
    }

    fn statement(&mut self, text: &mut String, at: usize) {
        let (next, line) = (at + 1, at + 10);
        let region = format!("@f0:{line}:1-{line}:2 stmt");
        let mut edge = |from: usize, to: usize, ops: &str| {
            let colon = if ops.is_empty() { "" } else { ": " };
            let _ = writeln!(text, "  l{from} -> l{to} {colon}{ops} {region}");
        };
        match self.random.below(9) {
            0 => {
                let condition = self.condition(2);
                let target = if self.random.below(3) == 0 { 1 } else { next };
                edge(at, target, &format!("assume {condition}"));
                edge(at, next, &format!("assume !({condition}) ; x := {}", self.value(1)));
            }
            1 => {
                let (first, second, third) = (self.condition(1), self.condition(1), self.condition(1));
                edge(at, next, &format!("assume {first} ; assume {second} ; y := {}", self.value(1)));
                edge(at, next, &format!("assume {third}"));
                edge(at, next, "");
            }
            2 => edge(at, next, &format!("a[(i32) ({}) & 3:i32] := {}", self.value(1), self.value(1))),
            3 => {
                let index = self.value(1);
                edge(at, next, &format!("call f({}) -> (a[(i32) (g + {index}) & 3:i32])", self.value(1)));
            }
            4 => edge(at, next, &format!("call f({}) -> (z)", self.value(2))),
            5 => edge(at, next, &format!("x := {} ; y := {} ; z := x", self.value(1), self.value(1))),
            6 => edge(at, next, &format!("havoc y input \"nondet\" at @f0:{line}:3-{line}:4")),
            _ => {
                let place = ["x", "y", "z", "g"][self.random.below(4)];
                edge(at, next, &format!("{place} := {}", self.value(3)));
            }
        }
    }
}

/// A program without loops whose expressions overflow often.
fn arithmetic(seed: u64) -> String {
    let mut random = Random(seed);
    let width = WIDTHS[random.below(WIDTHS.len())];
    let mut writer = Writer { random: &mut random, width };
    let ty = format!("i{width}");
    let mut text = format!("program LP64 overflow=error start=main\nfile f0 \"a.c\"\nglobal g : {ty}\n");
    let value = writer.value(1).replace(['x', 'y'], "n").replace('z', "g");
    let value = if value.contains(['a', 'b', 'p']) { "n + 1:W".replace('W', &ty) } else { value };
    let _ = write!(
        text,
        "proc f(n) -> (%return) {{\n  local n : {ty}\n  local %return : {ty}\n  entry l0\n  exit l1\n  \
         l0 -> l2 : g := n @f0:1:1-1:2 stmt\n  l2 -> l1 : %return := {value} @f0:2:1-2:2 stmt\n}}\n"
    );
    let _ = write!(
        text,
        "proc main() {{\n  local x : {ty}\n  local y : {ty}\n  local z : {ty}\n  local b : u8\n  local a : {ty}[3]\n  \
         local p : ptr\n  local o : object 16 align 16\n  entry l0\n  exit l1\n"
    );
    let _ = writeln!(text, "  l0 -> l2 : havoc x input \"nondet\" at @f0:3:1-3:2");
    let _ = writeln!(text, "  l2 -> l3 : havoc y input \"nondet\" at @f0:4:1-4:2");
    let _ = writeln!(text, "  l3 -> l4 : havoc z input \"nondet\" at @f0:5:1-5:2");
    let _ = writeln!(text, "  l4 -> l5 : havoc b input \"nondet\" at @f0:6:1-6:2");
    let _ = writeln!(
        text,
        "  l5 -> l6 : init a zero ; a[1:i32] := x ; begin o ; fill(&o, 7:u8, 16:u64) ; p := &o"
    );
    let _ = writeln!(text, "  l6 -> l7 : g := y");
    let count = 1 + writer.random.below(4);
    for index in 0..count {
        writer.statement(&mut text, 7 + index);
    }
    let _ = writeln!(text, "  l{} -> l1\n}}", 7 + count);
    text
}

/// How a run ended and what it chose. Numbers next to the ends of the type are chosen most.
fn run(program: &Program, seed: u64) -> (Outcome, Vec<Chosen>) {
    let mut random = Random(seed);
    let mut oracle = |request: &Request<'_>| {
        let near = random.below(4) as i128;
        let (least, greatest) = request.ty.range().unwrap_or((0, i128::from(u64::MAX)));
        Some(Choice::Int(match random.below(8) {
            0 | 1 => least + near,
            2 | 3 => greatest - near,
            4 => -near,
            5 => i128::from(random.next()),
            _ => near,
        }))
    };
    let (mode, mut budget) = (Uninitialised::Choose, Budget::ticks(200_000));
    let run = interp::run(program, mode, &mut oracle, &mut std::io::sink(), &mut budget);
    (run.outcome, run.choices)
}

/// The outcome without where; an overflow that is a violation is an error location. Of two operands that are both
/// undefined either may be evaluated first.
fn kind(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit { status } => format!("exit {status}"),
        Outcome::Undefined { .. } => "undefined".to_owned(),
        Outcome::Error { .. } => "error".to_owned(),
        Outcome::Returned => "returned".to_owned(),
        Outcome::Halted { .. } => "halted".to_owned(),
        Outcome::Blocked { .. } => "blocked".to_owned(),
        other => panic!("{other:?}"),
    }
}

/// Runs that overflow, and others.
#[derive(Default)]
struct Tally {
    overflows: usize,
    others: usize,
}

fn check(tally: &mut Tally, text: &str, runs: u64) {
    let old = parse("random.cfa", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Instrumented { program: new, back, .. } = instrument(&old, &Selection::all());
    let describe = || format!("{text}\n{}", print(&new));
    if let Err(defects) = new.verify() {
        panic!("{}: {}", defects[0], describe());
    }
    assert_eq!(new.signed_overflow, SignedOverflow::Undefined);
    check_origins(&new, &back);
    for inputs in 0..runs {
        let ((before, old_choices), (after, new_choices)) = (run(&old, inputs), run(&new, inputs));
        assert_eq!(
            kind(&before),
            kind(&after),
            "inputs {inputs}: {before:?} became {after:?}: {}",
            describe()
        );
        let new_choices: Vec<Chosen> =
            new_choices.into_iter().map(|chosen| translated(&back, chosen)).collect();
        assert_eq!(old_choices, new_choices, "inputs {inputs}: {}", describe());
        assert_eq!(before.region(), after.region(), "inputs {inputs}: {before:?}, {after:?}: {}", describe());
        if matches!(before, Outcome::Error { kind: CheckKind::SignedOverflow, .. }) {
            tally.overflows += 1;
        } else {
            tally.others += 1;
        }
    }
}

/// A choice as the program before the pass makes it.
fn translated(back: &BackTranslation, chosen: Chosen) -> Chosen {
    let at = chosen.at.map(|at| {
        let (step, op) = back.edge(at.proc, at.edge).op(at.op as usize).unwrap();
        Position { proc: step.proc, edge: step.edge, op }
    });
    Chosen { at, ..chosen }
}

/// Every operation has its origin (B1).
fn check_origins(new: &Program, back: &BackTranslation) {
    for (proc, procedure) in new.procs.iter_enumerated() {
        for (id, edge) in procedure.edges().iter_enumerated() {
            let origin = back.edge(proc, id);
            assert_eq!(origin.ops.len(), edge.ops.len());
            assert_eq!(origin.steps.len(), 1);
            assert!((0..edge.ops.len()).all(|op| origin.op(op).is_some()));
        }
    }
}

#[test]
fn an_overflow_is_an_error_location_reached_by_the_same_inputs() {
    let mut tally = Tally::default();
    for seed in 0..programs(2400) {
        check(&mut tally, &arithmetic(seed), 6);
    }
    assert!(tally.overflows > 1000 && tally.others > 1000, "{} {}", tally.overflows, tally.others);
}

#[test]
fn overflows_in_loops_and_calls_are_error_locations() {
    let mut tally = Tally::default();
    for seed in 0..programs(400) {
        let text = generate::text(seed);
        let text =
            text.replace("overflow=wrap", "overflow=error").replace("overflow=undefined", "overflow=error");
        check(&mut tally, &text, 4);
    }
    assert!(tally.overflows > 25 && tally.others > 100, "{} {}", tally.overflows, tally.others);
}
