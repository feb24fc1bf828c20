//! Values that nobody has given, in both data models.
#![allow(clippy::many_single_char_names, reason = "the variables of the programs have short names")]

use base::Budget;
use cfa::{BinaryOp, DataModel, ExprId, InitKind, Length, Op, Place, Source, Ty};
use interp::{Choice, Outcome, Request, UndefinedKind, Uninitialised};

use super::builder::{Builder, I32, U8, U32, run_with, status, undefined};
use super::memory::{begin, both, exits, fails, malloc, read};

#[test]
fn uninitialised_values_are_reported_or_chosen() {
    type Make = fn(&mut Builder) -> ExprId;
    let cases: [(Make, &[i128], i128); 6] = [
        (
            |b| {
                let x = b.local("x", I32);
                b.get(x)
            },
            &[5],
            5,
        ),
        (
            |b| {
                let x = b.local("x", Ty::signed(100));
                b.op(Op::Havoc {
                    place: Place::Var(x),
                    source: Source::Uninitialised,
                    at: super::builder::line(1),
                });
                b.get(x)
            },
            &[-5],
            -5,
        ),
        (
            |b| {
                let a = b.array("a", I32, Length::Fixed(3));
                let two = b.int(I32, 2);
                let value = b.elem(a, two);
                // Read twice, chosen once.
                b.binary(BinaryOp::Xor, value, two)
            },
            &[4],
            6,
        ),
        (
            |b| {
                let p = malloc(b, "p", 4, InitKind::Uninitialised);
                read(b, "v", p, I32)
            },
            &[-7],
            -7,
        ),
        (
            |b| {
                let p = malloc(b, "p", 4, InitKind::Uninitialised);
                let (at, value) = (b.offset(p, 1), b.int(U8, 0x11));
                b.store(at, value);
                read(b, "v", p, U32)
            },
            &[1, 2, 3],
            0x0302_1101,
        ),
        (
            |b| {
                let o = begin(b, "o", 8);
                b.load_bits(o, 3, Ty::signed(3))
            },
            &[0b0010_1000],
            -3,
        ),
    ];
    for (make, inputs, expected) in cases {
        for program in both(|b| {
            let value = make(b);
            b.exit_with(value);
        }) {
            let reported = run_with(&program, Uninitialised::Report, inputs).outcome;
            assert!(
                matches!(reported, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. }),
                "{reported}"
            );
            let chosen = run_with(&program, Uninitialised::Choose, inputs);
            assert_eq!(chosen.outcome, Outcome::Exit { status: expected });
            assert_eq!(chosen.choices.len(), inputs.len());
            assert!(chosen.choices.iter().all(|choice| choice.source == Source::Uninitialised));
            let without = run_with(&program, Uninitialised::Choose, &[]).outcome;
            assert!(matches!(without, Outcome::OutOfInputs { .. }));
        }
    }
}

#[test]
fn a_variable_may_lose_its_value_and_get_it_on_some_paths() {
    // x is given a value only if c holds; it is declared again in each iteration.
    for (c, expected) in [(1, Some(5)), (0, None)] {
        let mut b = Builder::new(DataModel::Lp64);
        let (x, five, condition) = (b.local("x", I32), b.int(I32, 5), b.int(Ty::BOOL, c));
        let not = b.not(condition);
        let (at, set, joined) = (b.at, b.location(), b.location());
        b.edge(at, set, vec![Op::Assume { cond: condition }]);
        b.edge(at, joined, vec![Op::Assume { cond: not }]);
        b.at = set;
        b.assign(x, five);
        b.go(joined);
        let value = b.get(x);
        b.exit_with(value);
        let result = run_with(&b.program, Uninitialised::Report, &[]).outcome;
        match expected {
            Some(status) => assert_eq!(result, Outcome::Exit { status }),
            None => {
                assert!(matches!(result, Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, .. }));
            }
        }
    }
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (x, y) = (b.local("x", I32), b.local("y", I32));
        let five = b.int(I32, 5);
        b.assign(x, five);
        b.op(Op::Havoc { place: Place::Var(x), source: Source::Uninitialised, at: super::builder::line(1) });
        let value = b.get(x);
        let sum = b.add(value, five);
        b.assign(y, sum);
    });
}

#[test]
fn copying_a_variable_without_value_is_no_use() {
    // A struct is copied part by part, through a call, before all parts have values.
    exits(3, |b| {
        let start = (b.proc, b.at);
        let f = b.procedure("f");
        let (x, y) = (b.param("x", I32), b.param("y", I32));
        let (p, q) = (b.result("p", I32), b.result("q", I32));
        let (x_value, y_value) = (b.get(x), b.get(y));
        b.assign(p, x_value);
        b.assign(q, y_value);
        b.finish();
        b.goto_proc(start.0, start.1);
        let (s_x, s_y, t_x, t_y) =
            (b.local("s.x", I32), b.local("s.y", I32), b.local("t.x", I32), b.local("t.y", I32));
        let three = b.int(I32, 3);
        b.assign(s_x, three);
        let (x_value, y_value) = (b.get(s_x), b.get(s_y));
        b.call(f, vec![x_value, y_value], vec![Some(Place::Var(t_x)), Some(Place::Var(t_y))]);
        b.get(t_x)
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (x, y, z) = (b.local("x", I32), b.local("y", I32), b.local("z", I32));
        let (x_value, y_value) = (b.get(x), b.get(y));
        b.assign(y, x_value);
        let sum = b.add(y_value, y_value);
        b.assign(z, sum);
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (x, p) = (b.local("x", I32), malloc(b, "p", 4, InitKind::Zero));
        let value = b.get(x);
        b.store(p, value);
        read(b, "v", p, I32);
    });
    // The result of a function that returned none.
    fails(UndefinedKind::UninitialisedRead, |b| {
        let start = (b.proc, b.at);
        let f = b.procedure("f");
        b.result("r", I32);
        b.finish();
        b.goto_proc(start.0, start.1);
        b.call(f, vec![], vec![None]);
        let p = malloc(b, "p", 4, InitKind::Zero);
        b.call(f, vec![], vec![Some(Place::Mem { addr: p, ty: I32 })]);
        read(b, "v", p, I32);
    });
    let mut b = Builder::new(DataModel::Lp64);
    let start = (b.proc, b.at);
    let f = b.procedure("f");
    b.result("r", I32);
    b.finish();
    b.goto_proc(start.0, start.1);
    let x = b.local("x", I32);
    b.call(f, vec![], vec![Some(Place::Var(x))]);
    let value = b.get(x);
    b.exit_with(value);
    assert_eq!(undefined(&b.program), UndefinedKind::UninitialisedRead);
    assert_eq!(run_with(&b.program, Uninitialised::Choose, &[8]).outcome, Outcome::Exit { status: 8 });
}

#[test]
fn globals_without_initialiser_have_no_value() {
    let program = |assigned: bool| {
        let mut b = Builder::new(DataModel::Lp64);
        let start = (b.proc, b.at);
        let g = b.global("g", I32);
        let f = b.procedure("f");
        let r = b.result("r", I32);
        let (value, one) = (b.get(g), b.int(I32, 1));
        let sum = b.add(value, one);
        b.assign(r, sum);
        b.finish();
        b.goto_proc(start.0, start.1);
        let x = b.local("x", I32);
        if assigned {
            b.assign(g, one);
        }
        b.call(f, vec![], vec![Some(Place::Var(x))]);
        let value = b.get(x);
        b.exit_with(value);
        b.program
    };
    assert_eq!(status(&program(true)), 2);
    assert_eq!(undefined(&program(false)), UndefinedKind::UninitialisedRead);
    let chosen = run_with(&program(false), Uninitialised::Choose, &[41]);
    assert_eq!(chosen.outcome, Outcome::Exit { status: 42 });
}

#[test]
fn an_element_that_is_asked_for_is_named() {
    for width in [32, 100] {
        let mut b = Builder::new(DataModel::Lp64);
        let ty = Ty::signed(width);
        let (a, index) = (b.array("a", ty, Length::Fixed(1000)), b.int(I32, 777));
        let value = b.elem(a, index);
        let value = b.cast(I32, value);
        b.exit_with(value);
        let mut asked = Vec::new();
        let mut oracle = |request: &Request<'_>| {
            asked.push(request.element);
            Some(Choice::Int(6))
        };
        let mut output = std::io::sink();
        let budget = &mut Budget::unlimited();
        let run = interp::run(&b.program, Uninitialised::Choose, &mut oracle, &mut output, budget);
        assert_eq!(run.outcome, Outcome::Exit { status: 6 }, "{width}");
        assert_eq!(asked, [Some((a, 777))], "{width}");
    }
}
