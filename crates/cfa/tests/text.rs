//! The text format: round trips, error positions, hostile input.

// Helpers of tests may fail like tests.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use cfa::text::{parse, print, print_alone};
use cfa::{BinaryOp, Edge, Expr, ExprId, Op, Origin, Place, Program, Ty};
use expect_test::{Expect, expect};

const EVERYTHING: &str = include_str!("data/everything.cfa");

/// Whether two programs are equal but for the numbering of expressions.
fn same_structure(left: &Program, right: &Program) -> bool {
    let mut ids = vec![None; left.exprs.len()];
    for (id, expr) in left.exprs.iter() {
        // An operand that `right` lacks is one that nothing uses.
        let known = expr.operands().all(|operand| ids[operand.0 as usize].is_some());
        if known {
            let mapped = expr.map_operands(|operand| ids[operand.0 as usize].expect("checked above"));
            ids[id.0 as usize] = right.exprs.iter().find(|(_, other)| **other == mapped).map(|(id, _)| id);
        }
    }
    let map = |id: ExprId| ids[id.0 as usize].unwrap_or(ExprId(u32::MAX));
    let same_ops = |a: &Edge, b: &Edge| {
        a.ops.len() == b.ops.len() && a.ops.iter().zip(&b.ops).all(|(a, b)| a.map(map, |var| var) == *b)
    };
    left.data_model == right.data_model
        && left.signed_overflow == right.signed_overflow
        && left.entry == right.entry
        && left.approximations == right.approximations
        && left.vars == right.vars
        && left.procs.len() == right.procs.len()
        && left.procs.iter().zip(&right.procs).all(|(a, b)| {
            (&a.name, a.region, &a.params, &a.results) == (&b.name, b.region, &b.params, &b.results)
                && (a.entry, a.exit, a.error) == (b.entry, b.exit, b.error)
                && a.locations == b.locations
                && a.edges().len() == b.edges().len()
                && a.edges().iter().zip(b.edges()).all(|(a, b)| {
                    (a.source, a.target, a.origin) == (b.source, b.target, b.origin) && same_ops(a, b)
                })
        })
}

#[test]
fn everything_survives_the_round_trip() {
    let first = parse("everything.cfa", EVERYTHING).unwrap();
    let text = print(&first);
    assert_eq!(text, EVERYTHING);
    let second = parse("printed", &text).unwrap();
    assert!(same_structure(&first, &second));
    assert!(same_structure(&second, &first));
}

#[test]
fn a_changed_program_is_not_the_same() {
    let first = parse("a", EVERYTHING).unwrap();
    let second = parse("b", &EVERYTHING.replace("i#4 < 10:i32", "i#4 < 11:i32")).unwrap();
    assert!(!same_structure(&first, &second));
}

fn check_error(text: &str, expected: &Expect) {
    let error = parse("bad.cfa", text).unwrap_err();
    expected.assert_eq(&error.to_string());
}

fn body(edge: &str) -> String {
    format!(
        "program LP64\nproc main() {{\n  local x : i32\n  local a : u8[3]\n  local s : object 4\n  {edge}\n}}\n"
    )
}

#[test]
fn errors_say_where() {
    check_error("", &expect!["bad.cfa:1:1: `program` should stand here"]);
    check_error("program LP63", &expect!["bad.cfa:1:9: `LP64` or `ILP32` should stand here"]);
    check_error("program LP64\n", &expect!["bad.cfa:2:1: a program has at least one procedure"]);
    check_error(&body("l0 -> l1 : x := y"), &expect!["bad.cfa:6:19: no variable is named y"]);
    check_error(&body("l0 -> l1 : x := 1"), &expect!["bad.cfa:6:19: a number needs its type, as in 1:i32"]);
    check_error(&body("l0 -> l1 : x := 300:u8"), &expect!["bad.cfa:6:19: this is not a constant of type u8"]);
    check_error(
        &body("l0 -> l1 : x := 3:u8"),
        &expect!["bad.cfa:6:14: a value of type u8 goes to a place of type i32"],
    );
    check_error(
        &body("l0 -> l1 : x := x + 3:u8"),
        &expect!["bad.cfa:6:21: operands of types i32 and u8 for Add"],
    );
    check_error(
        &body("l0 -> l1 : assume x"),
        &expect!["bad.cfa:6:14: a condition has type i32 instead of u1"],
    );
    check_error(&body("l0 -> l1 : x := a"), &expect!["bad.cfa:6:19: a is not a scalar"]);
    check_error(&body("l0 -> l1 : x := mem(i32, s)"), &expect!["bad.cfa:6:28: s is not a scalar"]);
    check_error(&body("l1 -> l0"), &expect!["bad.cfa:6:3: nothing leaves the exit and the error location"]);
    check_error(
        &body("l0 -> l4000000000"),
        &expect!["bad.cfa:6:9: location l4000000000 is beyond the number of locations"],
    );
    check_error(&body("l0 -> l1 @f7:1:1-1:1 stmt"), &expect!["bad.cfa:6:12: file f7 is not declared"]);
    check_error(
        &body("l0 -> l1 : call main()"),
        &expect!["bad.cfa:6:14: the entry procedure main is called"],
    );
    check_error(&body("l0 -> l1 : x := `y"), &expect!["bad.cfa:7:1: the quote is not closed on its line"]);
    check_error("program LP64\nproc f() {", &expect!["bad.cfa:2:11: the procedure is not closed by `}`"]);
    check_error(
        "program LP64\nproc f(n) { local n : i32 }",
        &expect!["bad.cfa:1:1: P4 at program: the entry procedure f has parameters"],
    );
    check_error(
        "program LP64\nglobal v7 x : i32\nproc f() {}",
        &expect!["bad.cfa:2:8: v7, but there are only 1 declarations"],
    );
}

#[test]
fn nesting_is_refused_before_the_stack_ends() {
    let deep = format!("l0 -> l1 : x := {}x{}", "(".repeat(100_000), ")".repeat(100_000));
    check_error(&body(&deep), &expect!["bad.cfa:6:219: nested more than 200 deep: use `let`"]);
    let minus = body(&format!("l0 -> l1 : x := {}x", "-".repeat(100_000)));
    assert!(parse("minus.cfa", &minus).is_ok());
    let choices = body(&format!("l0 -> l1 : x := {}x", "x < x ? x : ".repeat(100_000)));
    assert!(parse("choices.cfa", &choices).is_ok());
}

/// A program with one edge `x := value`.
fn with_value(build: impl FnOnce(&mut Program, ExprId) -> ExprId) -> Program {
    let mut program = parse("t", "program LP64\nproc main() { local x : i32 }").unwrap();
    let ty = Ty::signed(32);
    let x = program.exprs.var(cfa::VarId(0), ty);
    let value = build(&mut program, x);
    let main = &mut program.procs[cfa::ProcId(0)];
    let place = Place::Var(cfa::VarId(0));
    main.add_edge(Edge {
        source: main.entry,
        target: main.exit,
        ops: vec![Op::Assign { place, value }],
        origin: Origin::IMPLICIT,
    });
    program
}

#[test]
fn deep_and_shared_expressions_stay_linear() {
    // x + (x + (x + ...)), 100,000 deep to the right; and 64 doublings, a tree of 2^64 nodes.
    let deep =
        with_value(|program, x| (0..100_000).fold(x, |e, _| program.exprs.binary(BinaryOp::Add, x, e)));
    let shared = with_value(|program, x| (0..64).fold(x, |e, _| program.exprs.binary(BinaryOp::Add, e, e)));
    for (program, limit) in [(deep, 1_000_000), (shared, 4_000)] {
        program.verify().unwrap();
        let text = print(&program);
        assert!(text.len() < limit, "{}", text.len());
        let again = parse("t", &text).unwrap();
        assert_eq!(again.exprs.len(), program.exprs.len());
        assert_eq!(print(&again), text);
    }
}

#[test]
fn operators_nest_as_in_c() {
    for (source, printed) in [
        ("x - (x - x) - x", "x - (x - x) - x"),
        ("(x + x) * x + x * x", "(x + x) * x + x * x"),
        ("((x))", "x"),
        ("-(-5:i32)", "-(-5:i32)"),
        ("-(5:i32)", "-(5:i32)"),
        ("- -x", "--x"),
        ("x > 1:i32 ? x : x ? 1:i32 : 2:i32", "error"),
        ("x > 1:i32 ? x : x >= x ? 1:i32 : 2:i32", "1:i32 < x ? x : x <= x ? 1:i32 : 2:i32"),
        ("(x < x ? x : x) + x", "(x < x ? x : x) + x"),
        ("(i32) (x == x & x != x)", "(i32) (x == x & x != x)"),
        ("(i32) !(x < x)", "(i32) !(x < x)"),
        ("~x << 3:u8 | x & x ^ x", "~x << 3:u8 | x & x ^ x"),
        ("(i32) -0.0:f64", "(i32) -0.0:f64"),
        ("(i32) 0x7f800000:f32", "(i32) 0x7f800000:f32"),
    ] {
        let text = body(&format!("l0 -> l1 : x := {source}"));
        match parse("t", &text) {
            Ok(program) => {
                let out = print(&program);
                assert!(out.contains(&format!(": x := {printed}\n")), "{source}: {out}");
            }
            Err(error) => assert_eq!(printed, "error", "{error}"),
        }
    }
}

/// A small fixed generator, so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn mutated_texts_are_programs_or_errors() {
    let words: Vec<&str> = EVERYTHING.split_inclusive(|c: char| !c.is_alphanumeric()).collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut pieces = words.clone();
        for _ in 0..=random.below(3) {
            let (at, from) = (random.below(pieces.len()), random.below(words.len()));
            match random.below(4) {
                0 => drop(pieces.remove(at)),
                1 => pieces.insert(at, words[from]),
                2 => pieces[at] = words[from],
                _ => pieces.truncate(pieces.len() - at / 8),
            }
        }
        match parse("fuzz", &pieces.concat()) {
            Ok(program) => {
                accepted += 1;
                let text = print(&program);
                let again = parse("again", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(print(&again), text);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn mutated_bytes_never_panic() {
    let mut random = Random(77);
    for _ in 0..2000 {
        let mut bytes = EVERYTHING.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        let _ = parse("fuzz", &String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn many_procedures_are_read_in_linear_time() {
    const COUNT: usize = 60_000;
    let mut text = String::from("program LP64\n");
    // With a search through all procedures for each of them this would take minutes.
    for number in 0..COUNT {
        let _ = writeln!(text, "proc f{number}() {{ local x : i32 l0 -> l1 : x := 1:i32 }}");
    }
    let program = parse("many", &text).unwrap();
    assert_eq!(program.procs.len(), COUNT);
    assert!(matches!(program.exprs.iter().next(), Some((_, Expr::Const { .. }))));
}

#[test]
fn the_text_of_a_procedure_alone_does_not_depend_on_the_rest_of_the_program() {
    let head = "program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n";
    let start = "proc %start() {\n  entry l0\n  exit l1\n  l0 -> l1 : call f(1:i32)\n}\n";
    let body = "proc f(n) {\n  local n : i32\n  entry l0\n  exit l1\n  l0 -> l1 : g := g + n\n}\n";
    let other = "proc e(n) {\n  local n : i32\n  entry l0\n  exit l1\n  l0 -> l1 : g := g - n\n}\n";
    let alone = |text: &str| {
        let program = parse("test.cfa", text).unwrap();
        print_alone(&program.without_positions(), program.find_proc("f").unwrap())
    };
    let plain = alone(&format!("{head}global g : i32\n{start}{body}"));
    let more = format!("{head}global a : i32\nglobal g : i32\n{other}{start}{body}");
    assert_eq!(alone(&more), plain);
    assert_ne!(alone(&more.replace("g + n", "g + 1:i32")), plain);
    assert_ne!(alone(&more.replace("g + n", "a + n")), plain);
    // A local variable is not a global one of its name.
    let hidden = body.replace("  entry", "  local g : i32\n  entry");
    assert_ne!(alone(&format!("{head}global g : i32\n{start}{hidden}")), plain);
}
