//! Checks of all kinds as error locations, judged by the interpreter: on every choice of inputs the program as given violates a check if and only if the
//! new one reaches its error location, by an edge that stands for that check.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base::Budget;
use cfa::text::{parse, print};
use cfa::{CheckKind, Program};
use interp::{Choice, Outcome, Request, UndefinedKind, Uninitialised};
use passes::{CheckId, Instrumented, Selection, instrument};

use crate::generate::Random;

fn programs(usual: u64) -> u64 {
    std::env::var("CFA_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

struct Writer<'a> {
    random: &'a mut Random,
    text: String,
    next: usize,
    line: usize,
}

impl Writer<'_> {
    fn pick(&mut self, choices: &[&str]) -> String {
        choices[self.random.below(choices.len())].to_owned()
    }

    fn edge(&mut self, from: usize, to: usize, ops: &str) {
        let (line, colon) = (self.line, if ops.is_empty() { "" } else { ": " });
        let _ = writeln!(self.text, "  l{from} -> l{to} {colon}{ops} @f0:{line}:1-{line}:9 stmt");
    }

    fn step(&mut self, at: usize, ops: &str) -> usize {
        self.next += 1;
        self.line += 1;
        self.edge(at, self.next, ops);
        self.next
    }

    fn index(&mut self) -> String {
        let constant = self.random.below(4);
        match self.random.below(5) {
            0 | 1 => format!("{constant}:i32"),
            2 => "x & 3:i32".to_owned(),
            3 => "y".to_owned(),
            _ => format!("(u8) x & {constant}:u8"),
        }
    }

    fn address(&mut self) -> String {
        let base = self.pick(&["p", "p", "q", "&o", "&go", "gp", "&ro"]);
        let step = ["0:i64", "4:i64", "1:i64", "-4:i64", "(i64) x", "(i64) y * 4:i64"][self.random.below(6)];
        if self.random.below(2) == 0 { base } else { format!("({base} + {step})") }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(14) {
            0 => format!("{}:i32", [0, 1, 2, 7, 2_147_483_647, -1, -2_147_483_647][self.random.below(7)]),
            1 => format!("a[{}]", self.index()),
            2 => format!("d[{}]", self.index()),
            3 | 4 => format!("mem(i32, {})", self.address()),
            5 => format!("(i32) bits(u3, {}, 2)", self.address()),
            6 => format!("(i32) mem(u1, {})", self.address()),
            7 => "(i32) w".to_owned(),
            8 => self.pick(&[
                "(i32) (f * 1.5:f64)",
                "(i32) (f * 1500000000.0:f64)",
                "(i32) (u8) (f32) (f * -1.0:f64)",
            ]),
            9 => "g".to_owned(),
            _ => self.pick(&["x", "y", "z"]),
        }
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(3) == 0 {
            return self.leaf();
        }
        let (left, right) = (self.value(depth - 1), self.value(depth - 1));
        match self.random.below(10) {
            0 => format!("({left} / {right})"),
            1 => format!("({left} % {right})"),
            2 => format!("({left} << {right})"),
            3 => format!("({left} >> {right})"),
            4 => format!("-({left})"),
            5 => format!("({} ? {left} : {right})", self.condition()),
            6 => format!("({left} + {right})"),
            7 => format!("({left} * {right})"),
            8 => format!("(i32) (i8) ({left} - {right})"),
            _ => format!("({left} & {right})"),
        }
    }

    fn condition(&mut self) -> String {
        match self.random.below(5) {
            0 => "p == null".to_owned(),
            1 => format!("{} < {}", self.leaf(), self.leaf()),
            2 => "x == y".to_owned(),
            3 => "0:i32 < x".to_owned(),
            _ => format!("{} == {}", self.value(1), self.leaf()),
        }
    }

    fn place(&mut self) -> String {
        match self.random.below(10) {
            0 => format!("a[{}]", self.index()),
            1 => format!("d[{}]", self.index()),
            2 | 3 => format!("mem(i32, {})", self.address()),
            4 => "g".to_owned(),
            _ => self.pick(&["x", "y", "z"]),
        }
    }

    fn pointer(&mut self) -> String {
        match self.random.below(12) {
            0 => "null".to_owned(),
            1 => "&o".to_owned(),
            2 => "&go".to_owned(),
            3 => "&ro".to_owned(),
            4 => "0x7777:ptr".to_owned(),
            5 => "p + 4:i64".to_owned(),
            6 => "mem(ptr, p)".to_owned(),
            7 => "fn(h)".to_owned(),
            _ => self.pick(&["p", "q", "gp"]),
        }
    }

    fn statement(&mut self, at: usize) -> usize {
        let ops = match self.random.below(36) {
            0..=4 => format!("{} := {}", self.place(), self.value(2)),
            5 => "havoc y input \"nondet\"".to_owned(),
            6 => format!(
                "havoc {} uninit",
                self.pick(&["x", "y", "a[1:i32]", "mem(i32, p)", "bits(u3, p, 1)"])
            ),
            7 => format!("{} := {}", self.place(), self.pick(&["x", "y", "z"])),
            8 | 9 => {
                let contents = self.pick(&["uninit", "zero"]);
                let to = self.pick(&["p", "q", "gp", "p", "mem(ptr, p)"]);
                format!("{to} := malloc({}:u64) heap {contents}", [0, 4, 8, 12][self.random.below(4)])
            }
            10 => "q := malloc(8:u64) stack uninit".to_owned(),
            11 | 12 => format!("{} := {}", self.pick(&["p", "q", "gp"]), self.pointer()),
            13 => format!("free({})", self.pick(&["p", "q", "p", "p + 4:i64", "gp"])),
            14 => {
                let to = self.pick(&["p", "q", "mem(ptr, p)", "mem(ptr, gp)"]);
                format!(
                    "{to} := realloc({}, {}:u64)",
                    self.pick(&["p", "q", "gp"]),
                    [0, 4, 16][self.random.below(3)]
                )
            }
            15 => "end o".to_owned(),
            16 => "begin o".to_owned(),
            17 => format!(
                "copy({}, {}, {}:u64)",
                self.address(),
                self.address(),
                [0, 4, 8][self.random.below(3)]
            ),
            18 => format!("fill({}, 3:u8, (u64) x)", self.address()),
            19 => format!("fill({}, {}:u8, 4:u64)", self.address(), [1, 3][self.random.below(2)]),
            20 => format!(
                "allocate d[{}]",
                self.pick(&["x", "3:i32", "2:u64", "y & 7:i32", "y", "(y & 3:i32) - 3:i32"])
            ),
            21 => format!("call f({}, p) -> ({})", self.pick(&["x", "y", "z + 1:i32"]), self.place()),
            22 => format!("call f({}, p) -> ({})", self.leaf(), self.place()),
            23 => format!("fp := {}", self.pick(&["fn(h)", "fn(k)", "null", "p", "fn(f)"])),
            24 => format!("call *fp {{h, k}}({}) -> ({})", self.pick(&["x", "y", "3:i32"]), self.place()),
            25 => "havoc f input \"nondet\"".to_owned(),
            26 => format!("mem(i32, {}) := {}", self.address(), self.pick(&["x", "z", "5:i32"])),
            27 => format!("bits(u3, {}, 2) := {}", self.address(), self.pick(&["(u3) y", "b"])),
            28 => "init a uninit".to_owned(),
            29 if self.random.below(3) == 0 => self.pick(&["exit(x)", "abort"]),
            30 | 31 => return self.assertion(at),
            32 => return self.overlap(at),
            _ => {
                let (cond, then) = (self.condition(), self.value(1));
                let next = self.step(at, &format!("assume {cond}"));
                let join = self.step(next, &format!("z := {then}"));
                self.edge(at, join, &format!("assume !({cond})"));
                return join;
            }
        };
        self.step(at, &ops)
    }

    /// What a copy does behind it, if source and target were made from one object.
    fn overlap(&mut self, at: usize) -> usize {
        let (one, other) = (self.pick(&["p", "q", "gp"]), self.pick(&["p + 4:i64", "q", "gp", "&o"]));
        let overlaps = self.step(at, &format!("assume same_object({one}, {other})"));
        let end = self.pick(&["overlap", "misuse"]);
        self.edge(overlaps, 1, &end);
        self.step(at, &format!("assume !same_object({one}, {other})"))
    }

    /// An assertion about an input.
    fn assertion(&mut self, at: usize) -> usize {
        let excluded = self.random.below(4);
        let fails = self.step(at, &format!("assume y == {excluded}:i32"));
        self.edge(fails, 2, "");
        self.step(at, &format!("assume y != {excluded}:i32"))
    }

    /// A loop with few rounds.
    fn repeat(&mut self, at: usize) -> usize {
        let head = self.step(at, "i := 0:i32");
        let body = self.step(head, "assume i < 3:i32");
        let mut last = body;
        for _ in 0..2 {
            last = self.statement(last);
        }
        self.line += 1;
        self.edge(last, head, "i := i + 1:i32");
        self.step(head, "assume 3:i32 <= i")
    }
}

/// A program in which much goes wrong.
fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let kinds: Vec<&str> = CheckKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, CheckKind::Assertion | CheckKind::SignedOverflow))
        .filter(|_| random.below(3) > 0)
        .map(CheckKind::code)
        .collect();
    let overflow = ["undefined", "wrap", "error"][random.below(3)];
    let model = ["LP64", "LP64", "ILP32"][random.below(3)];
    let mut writer = Writer { random: &mut random, text: String::new(), next: 2, line: 10 };
    let mut at = 0;
    for op in [
        "g := 1:i32",
        "gp := null",
        "init go zero",
        "write(&ro, \"abc\\x00\")",
        "p := &go",
        "q := null",
        "fp := fn(h)",
        "w := 5:i64",
        "f := 2.5:f64",
        "i := 0:i32",
        "begin o",
        "allocate d[3:i32]",
        "havoc y input \"nondet\"",
    ] {
        at = writer.step(at, op);
    }
    if writer.random.below(4) > 0 {
        at = writer.step(at, "x := y & 7:i32");
        at = writer.step(at, "z := 2:i32");
    }
    if writer.random.below(3) > 0 {
        at = writer.step(at, "p := malloc(16:u64) heap zero");
        at = writer.step(at, "gp := p");
    }
    if writer.random.below(3) > 0 {
        at = writer.step(at, "init a zero");
        at = writer.step(at, "fill(&o, 1:u8, 8:u64)");
    }
    let count = 2 + writer.random.below(7);
    for _ in 0..count {
        at = if writer.random.below(8) == 0 { writer.repeat(at) } else { writer.statement(at) };
    }
    if writer.random.below(3) == 0 {
        let ready = writer.step(at, "assume x == 3:i32");
        writer.edge(ready, 2, "");
        writer.edge(at, 1, "assume x != 3:i32");
    } else {
        writer.edge(at, 1, "");
    }
    let body = writer.text;
    let returned = ["n", "n + 1:i32", "r", "mem(i32, m)", "(n / g)"][random.below(5)];
    let mut text = format!(
        "program {model} overflow={overflow} start=%start checks=\"{}\"\nfile f0 \"a.c\"\nglobal g : i32\nglobal gp : ptr\nglobal go : object 8 align 8\nglobal ro : \
         object 4 align 1 readonly\n",
        kinds.join(" ")
    );
    text.push_str("proc %start() {\n  entry l0\n  exit l1\n  l0 -> l1 : call main()\n}\n");
    let _ = write!(
        text,
        "proc main() @f0:1:1-99:2 {{\n  local x : i32\n  local y : i32\n  local z : i32\n  local i : i32\n  local w : i64\n  local b : u3\n  local f : f64\n  local a : i32[3]\n  local d : \
         i32[]\n  local p : ptr\n  local q : ptr\n  local fp : ptr\n  local o : object 8 align 8\n  entry l0\n  exit l1\n  error l2\n{body}}}\n"
    );
    let _ = write!(
        text,
        "proc f(n, m) -> (%return) {{\n  local n : i32\n  local m : ptr\n  local r : i32\n  local %return : i32\n  entry l0\n  exit l1\n  l0 -> l2 : assume n < 3:i32 ; r := n @f0:2:1-2:9 stmt\n  \
         l0 -> l2 : assume !(n < 3:i32) @f0:2:1-2:9 stmt\n  l2 -> l1 : %return := {returned} @f0:3:1-3:9 stmt\n}}\n"
    );
    text.push_str("proc h(n) -> (%return) {\n  local n : i32\n  local %return : i32\n  entry l0\n  exit l1\n  l0 -> l1 : %return := n @f0:4:1-4:9 stmt\n}\n");
    text.push_str("proc k(n) -> (%return) {\n  local n : i32\n  local %return : i32\n  entry l0\n  exit l1\n  l0 -> l1 @f0:5:1-5:9 stmt\n}\n");
    match model {
        "ILP32" => {
            text.replace(":i64", ":i32").replace("(i64)", "(i32)").replace("local w : i64", "local w : i32")
        }
        _ => text,
    }
}

fn run(program: &Program, mode: Uninitialised, seed: u64) -> Outcome {
    let mut random = Random(seed);
    let mut oracle = |request: &Request<'_>| {
        let near = random.below(5) as i128;
        let (least, greatest) = request.ty.range().unwrap_or((0, i128::from(u64::MAX)));
        Some(Choice::Int(match random.below(8) {
            0 => least + near,
            1 => greatest - near,
            2 => -near,
            _ => near,
        }))
    };
    interp::run(program, mode, &mut oracle, &mut std::io::sink(), &mut Budget::ticks(200_000)).outcome
}

fn ending(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error { .. } => "error".to_owned(),
        // Which of two undefined operands comes first is nobody's affair; and what is known to fail halts.
        Outcome::Undefined { .. } | Outcome::Halted { .. } => "over".to_owned(),
        Outcome::Blocked { .. } => "blocked".to_owned(),
        other => format!("{other:?}"),
    }
}

/// What the interpreter does not carry out.
fn is_beyond(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unsupported { .. } | Outcome::Resource { .. } | Outcome::Stopped(_))
}

type Tally = BTreeMap<&'static str, usize>;

/// Runs a program before and after the pass; the check that fails, if one does.
fn compare(
    tally: &mut Tally,
    given: &Program,
    new: &Instrumented,
    inputs: u64,
    describe: &dyn Fn() -> String,
) -> Option<CheckId> {
    let mode = Uninitialised::Report;
    let (before, after) = (run(given, mode, inputs), run(&new.program, mode, inputs));
    // Where lack of a value is no violation, it is chosen: in which order is nobody's affair.
    let lacks_value = matches!(before, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. });
    if lacks_value || is_beyond(&before) || is_beyond(&after) {
        *tally.entry("beyond").or_default() += 1;
        return None;
    }
    assert_eq!(
        ending(&before),
        ending(&after),
        "inputs {inputs}: {before:?} became {after:?}: {}",
        describe()
    );
    let (Outcome::Error { kind, site, region, .. }, Outcome::Error { site: edge, region: place, .. }) =
        (&before, &after)
    else {
        *tally.entry("other").or_default() += 1;
        return None;
    };
    let check =
        new.checks.at(*kind, *site).unwrap_or_else(|| panic!("no check for {before:?}: {}", describe()));
    let edge = edge.unwrap();
    let stands_for = new.checks.of_edge(edge.proc, edge.edge);
    assert!(
        stands_for.contains(&check),
        "{before:?}, {after:?}, {check:?} is none of {stands_for:?}: {}",
        describe()
    );
    assert_eq!(region, place, "{before:?}, {after:?}: {}", describe());
    *tally.entry(kind.code()).or_default() += 1;
    Some(check)
}

/// A program, and the same with its checks as error locations.
fn prepared(seed: u64) -> (String, Program, Instrumented) {
    let text = text(seed);
    let given = parse("random.cfa", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let new = instrument(&given, &Selection::all());
    if let Err(defects) = new.program.verify() {
        panic!("{}: {text}\n{}", defects[0], print(&new.program));
    }
    (text, given, new)
}

#[test]
fn beyond_a_known_violation_nothing_is_considered() {
    let mut tally = Tally::default();
    let mut known = 0;
    for seed in 0..programs(1500) {
        let (text, mut given, mut new) = prepared(seed);
        let mut failed: Vec<CheckId> = Vec::new();
        for inputs in 0..8 {
            let describe = || format!("seed {seed}\n{text}\n{}", print(&new.program));
            let Some(check) = compare(&mut tally, &given, &new, inputs, &describe) else { continue };
            assert!(!failed.contains(&check), "{check:?} fails again: {}", describe());
            failed.push(check);
            let mut excused = (*given.excused).clone();
            new.checks.excuse(check, &mut excused);
            given.excused = excused.into();
            let next = instrument(&given, &Selection::all());
            let names = |checks: &passes::Checks| -> Vec<_> {
                checks.iter().map(|(_, check)| check.clone()).collect()
            };
            assert_eq!(names(&next.checks), names(&new.checks), "K1: {}", describe());
            new = next;
        }
        known += failed.len();
    }
    assert!(known > 1000, "{known} {tally:?}");
}

#[test]
fn a_violation_is_an_error_location_that_names_its_check() {
    let mut tally = Tally::default();
    for seed in 0..programs(6000) {
        let (text, given, new) = prepared(seed);
        let describe = || format!("seed {seed}\n{text}\n{}", print(&new.program));
        for inputs in 0..4 {
            compare(&mut tally, &given, &new, inputs, &describe);
        }
    }
    for kind in CheckKind::ALL.into_iter().filter(|kind| *kind != CheckKind::BadFormat) {
        assert!(tally.get(kind.code()).is_some_and(|count| *count > 5), "{kind:?}: {tally:?}");
    }
    assert!(tally["other"] > 1000 && tally["beyond"] < tally["other"], "{tally:?}");
}

#[test]
fn floats_that_do_not_fit_are_told_exactly() {
    let mut counts = (0, 0);
    for width in [1_u32, 3, 8, 16, 24, 25, 31, 32, 33, 53, 54, 63, 64, 65, 113, 114, 127, 128] {
        for sign in ["i", "u"] {
            let mut values: Vec<String> = [
                "0.0",
                "-0.0",
                "0.5",
                "-0.5",
                "-0.9999999999",
                "-1.0",
                "-1.5",
                "1e30",
                "-1e30",
                "1e300",
                "-1e300",
            ]
            .map(str::to_owned)
            .to_vec();
            for power in [width - 1, width] {
                for bits in [0_i64, 1, -1] {
                    let near = (2_f64.powi(power as i32).to_bits() as i64 + bits) as u64;
                    values.push(format!("{:?}", f64::from_bits(near)));
                    values.push(format!("{:?}", -f64::from_bits(near)));
                    values.push(format!("{:?}", -f64::from_bits(near) - 1.0));
                }
            }
            for float in ["f32", "f64", "f80", "f128"] {
                for value in &values {
                    let text = format!(
                        "program LP64 overflow=wrap start=main checks=\"float-to-int\"\nproc main() {{\n  local f : {float}\n  local x : {sign}{width}\n  entry l0\n  exit l1\n  \
                         l0 -> l2 : f := ({float}) {value}:f64\n  l2 -> l1 : x := ({sign}{width}) f\n}}\n"
                    );
                    let given = parse("a.cfa", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                    let new = instrument(&given, &Selection::all());
                    let (before, after) =
                        (run(&given, Uninitialised::Report, 0), run(&new.program, Uninitialised::Report, 0));
                    assert_eq!(ending(&before), ending(&after), "{before:?} {after:?} {text}");
                    if matches!(before, Outcome::Error { .. }) { counts.0 += 1 } else { counts.1 += 1 }
                }
            }
        }
    }
    assert!(counts.0 > 500 && counts.1 > 500, "{counts:?}");
}
