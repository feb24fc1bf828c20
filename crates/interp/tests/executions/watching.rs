//! Observers: traces and narration.
#![allow(clippy::many_single_char_names, reason = "the variables of the programs have short names")]

use base::Budget;
use cfa::{AllocKind, BinaryOp, DataModel, InitKind, Length, Op, Place, Program, Ty};
use expect_test::{Expect, expect};
use interp::{Code, CompileOptions, Config, Inputs, Machine, Markers, Narrator, Outcome, Recorder};

use super::builder::{Builder, I32, U64};

fn watch(program: &Program, inputs: &[i128]) -> (Outcome, String, Recorder) {
    let code = Code::new(program, CompileOptions { markers: Markers::Edges, ..CompileOptions::default() });
    let mut machine = Machine::new(program, &code, Config::default());
    let mut observer = (Narrator::new(Vec::new()), Recorder::default());
    let mut oracle = Inputs::ints(inputs.iter().copied());
    let run = machine.run(&mut oracle, &mut observer, &mut std::io::sink(), &mut Budget::unlimited());
    assert!(!observer.0.failed());
    (run.outcome, String::from_utf8_lossy(&observer.0.into_inner()).into_owned(), observer.1)
}

fn check(program: &Program, inputs: &[i128], expected: &Expect) {
    expected.assert_eq(&watch(program, inputs).1);
}

#[test]
fn narration_names_lines_and_values() {
    let mut b = Builder::new(DataModel::Ilp32);
    let start = (b.proc, b.at);
    let f = b.procedure("twice");
    let (n, r) = (b.param("n", I32), b.result("r", I32));
    let value = b.get(n);
    let sum = b.add(value, value);
    b.assign(r, sum);
    b.finish();
    b.goto_proc(start.0, start.1);
    let (x, p, a) =
        (b.local("x", I32), b.local("p", Ty::Ptr), b.array("a", Ty::signed(100), Length::Fixed(2)));
    let o = b.object("o", 8);
    b.havoc(x);
    let x_value = b.get(x);
    b.call(f, vec![x_value], vec![Some(Place::Var(x))]);
    let (one, wide) = (b.int(I32, 1), b.cast(Ty::signed(100), x_value));
    b.op(Op::Assign { place: Place::Elem { array: a, index: one }, value: wide });
    b.op(Op::Begin { var: o });
    let address = b.address(o);
    let field = b.offset(address, 4);
    b.assign(p, field);
    b.store(field, x_value);
    let (bits, three) = (Ty::unsigned(3), b.int(Ty::unsigned(3), 5));
    b.op(Op::Assign { place: Place::Bits { addr: address, bit: 1, ty: bits }, value: three });
    let function = b.function(f);
    b.assign(p, function);
    let size = b.int(Ty::unsigned(32), 4);
    b.op(Op::Malloc { place: Place::Var(p), size, kind: AllocKind::Heap, contents: InitKind::Zero });
    let null = b.int(Ty::Ptr, 0);
    b.assign(p, null);
    let half = b.double(0.5);
    let d = b.local("d", Ty::Float(cfa::FloatKind::Double));
    b.assign(d, half);
    b.finish();
    check(
        &b.program,
        &[-21],
        &expect![[r"
            t.c:3 %start: x = -21
            t.c:1 twice: r = -42
            t.c:4 %start: x = -42
            t.c:5 %start: a[1] = -42
            t.c:7 %start: p = (char *)(&o) +4
            t.c:8 %start: *((char *)(&o) +4) = -42
            t.c:9 %start: bits from 1 of *(&o) = 5
            t.c:10 %start: p = twice
            t.c:11 %start: p = allocation 1
            t.c:12 %start: p = NULL
            t.c:13 %start: d = 0.5
        "]],
    );
}

/// Two nested loops of n and m iterations.
fn nested(n: i128, m: i128) -> Program {
    let mut b = Builder::new(DataModel::Lp64);
    let (i, j) = (b.local("i", U64), b.local("j", U64));
    let (zero, one, outer, inner) = (b.int(U64, 0), b.int(U64, 1), b.int(U64, n), b.int(U64, m));
    b.assign(i, zero);
    let (i_value, j_value) = (b.get(i), b.get(j));
    let (i_less, j_less) = (b.binary(BinaryOp::Lt, i_value, outer), b.binary(BinaryOp::Lt, j_value, inner));
    let (i_next, j_next) = (b.add(i_value, one), b.add(j_value, one));
    b.while_loop(i_less, |b| {
        b.assign(j, zero);
        b.while_loop(j_less, |b| b.assign(j, j_next));
        b.assign(i, i_next);
    });
    b.exit_with(i_value);
    b.program
}

#[test]
fn a_trace_of_regular_loops_is_small_and_can_be_followed() {
    let program = nested(1000, 100);
    let (outcome, _, recorder) = watch(&program, &[]);
    assert_eq!(outcome, Outcome::Exit { status: 1000 });
    let trace = recorder.trace;
    assert!(trace.len() > 300_000);
    assert!(trace.folded_len() < 100, "{}", trace.folded_len());
    // The edges form a path from the entry.
    let procedure = &program.procs[program.entry];
    let mut at = procedure.entry;
    let mut count = 0;
    for step in trace.unfold() {
        let edge = &procedure.edges()[step.edge];
        assert_eq!(edge.source, at);
        at = edge.target;
        count += 1;
    }
    assert_eq!(count, trace.len());
}
