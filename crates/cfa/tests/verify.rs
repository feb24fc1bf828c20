//! The verifier finds what is broken, and says where.

// Helpers of tests may fail like tests.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use base::{Region, SourceMap};
use cfa::text::parse;
use cfa::verify::{Defect, Invariant, Site};
use cfa::{
    BinaryOp, Callee, DataModel, Edge, EdgeId, Expr, ExprId, Loc, Op, Origin, Place, ProcId, Procedure,
    Program, SignedOverflow, Storage, Ty, UnaryOp, VarId,
};

const I32: Ty = Ty::signed(32);

/// `main` has `x : i32`, `a : u8[3]`, `s : object`, and `f(n) -> (r)` is called once.
fn sample() -> Program {
    let text = "program LP64 start=main
        global g : i32
        proc main() {
          local x : i32
          local a : u8[3]
          local s : object 4 align 4
          error l3
          l0 -> l2 : x := g
          l2 -> l1 : call f(x) -> (x)
          l2 -> l3 : assume x == 3:i32
        }
        proc f(n) -> (r) {
          local n : i32
          local r : i32
          l0 -> l1 : r := n
        }";
    parse("sample.cfa", text).unwrap()
}

const MAIN: ProcId = ProcId(0);
const F: ProcId = ProcId(1);
const X: VarId = VarId(1);
const A: VarId = VarId(2);
const S: VarId = VarId(3);
const N: VarId = VarId(4);

fn defects(change: impl FnOnce(&mut Program)) -> Vec<Defect> {
    let mut program = sample();
    assert_eq!(program.verify(), Ok(()));
    change(&mut program);
    program.verify().unwrap_err()
}

fn with_op(invariant: Invariant, build: impl FnOnce(&mut Program) -> Op) {
    let found = defects(|program| {
        let op = build(program);
        program.procs[MAIN].edge_mut(EdgeId(0)).ops.push(op);
    });
    let site = Site::Op(MAIN, EdgeId(0), 1);
    assert!(found.iter().any(|defect| defect.invariant == invariant && defect.site == site), "{found:?}");
    assert!(found[0].to_string().contains("main") || matches!(found[0].site, Site::Expr(_)), "{}", found[0]);
}

fn with_expr(invariant: Invariant, build: impl FnOnce(&mut Program) -> Expr) {
    let found = defects(|program| {
        let expr = build(program);
        program.exprs.add(expr);
    });
    assert!(
        found.iter().any(|defect| defect.invariant == invariant && matches!(defect.site, Site::Expr(_))),
        "{found:?}"
    );
}

#[test]
fn types_of_operations_are_checked() {
    with_op(Invariant::P3, |program| Op::Assign {
        place: Place::Var(X),
        value: program.exprs.int(Ty::unsigned(8), 1),
    });
    with_op(Invariant::P3, |program| Op::Assume { cond: program.exprs.int(I32, 1) });
    with_op(Invariant::P3, |program| Op::Assign { place: Place::Var(S), value: program.exprs.int(I32, 1) });
    with_op(Invariant::P3, |program| Op::Free { addr: program.exprs.int(I32, 1) });
    with_op(Invariant::P3, |_| Op::Init { var: X, contents: cfa::InitKind::Zero });
    with_op(Invariant::P3, |program| Op::Allocate { var: A, length: program.exprs.int(I32, 1) });
    with_op(Invariant::P3, |_| Op::Begin { var: A });
    with_op(Invariant::P3, |program| Op::Malloc {
        place: Place::Var(X),
        size: program.exprs.int(Ty::unsigned(64), 1),
        kind: cfa::AllocKind::Heap,
        contents: cfa::InitKind::Zero,
    });
    with_op(Invariant::P3, |program| Op::Call {
        callee: Callee::Direct(F),
        args: vec![program.exprs.int(I32, 1), program.exprs.int(I32, 1)],
        results: vec![None],
    });
    with_op(Invariant::P3, |program| Op::Call {
        callee: Callee::Direct(F),
        args: vec![program.exprs.int(Ty::signed(64), 1)],
        results: vec![None],
    });
    with_op(Invariant::P3, |program| Op::Call {
        callee: Callee::Direct(F),
        args: vec![program.exprs.int(I32, 1)],
        results: vec![Some(Place::Elem { array: A, index: program.exprs.int(I32, 0) })],
    });
    with_op(Invariant::P3, |program| Op::Halt {
        reason: cfa::HaltReason::Exit(program.exprs.int(Ty::Ptr, 0)),
    });
}

#[test]
fn ids_and_owners_are_checked() {
    with_op(Invariant::P1, |_| Op::Assume { cond: ExprId(4000) });
    with_op(Invariant::P1, |_| Op::Begin { var: VarId(4000) });
    with_op(Invariant::P1, |program| Op::Assign { place: Place::Var(X), value: program.exprs.var(N, I32) });
    with_op(Invariant::P1, |program| Op::Assign { place: Place::Var(N), value: program.exprs.int(I32, 1) });
    with_op(Invariant::P1, |program| {
        // Hidden one level down.
        let n = program.exprs.var(N, I32);
        Op::Assign { place: Place::Var(X), value: program.exprs.unary(UnaryOp::Neg, n) }
    });
    with_op(Invariant::P1, |_| Op::Call {
        callee: Callee::Direct(ProcId(9)),
        args: Vec::new(),
        results: Vec::new(),
    });
    let found = defects(|program| program.procs[F].exit = Loc(70));
    assert_eq!((found[0].invariant, found[0].site), (Invariant::P1, Site::Proc(F)));
    let found = defects(|program| program.vars[X].owner = Some(ProcId(70)));
    assert_eq!((found[0].invariant, found[0].site), (Invariant::P1, Site::Var(X)));
    let found = defects(|program| program.entry = ProcId(70));
    assert_eq!((found[0].invariant, found[0].site), (Invariant::P1, Site::Program));
}

#[test]
fn nothing_leaves_the_ends() {
    for end in [Loc(1), Loc(3)] {
        let found = defects(|program| {
            let (source, target) = (end, Loc(2));
            program.procs[MAIN].add_edge(Edge { source, target, ops: Vec::new(), origin: Origin::IMPLICIT });
        });
        assert_eq!((found[0].invariant, found[0].site), (Invariant::P2, Site::Edge(MAIN, EdgeId(3))));
    }
}

#[test]
fn the_entry_is_called_by_nobody() {
    with_op(Invariant::P4, |_| Op::Call {
        callee: Callee::Direct(MAIN),
        args: Vec::new(),
        results: Vec::new(),
    });
    with_op(Invariant::P4, |program| Op::Call {
        callee: Callee::Indirect { pointer: program.exprs.int(Ty::Ptr, 0), targets: vec![MAIN] },
        args: Vec::new(),
        results: Vec::new(),
    });
    let found = defects(|program| program.entry = F);
    assert!(found.iter().any(|defect| defect.invariant == Invariant::P4 && defect.site == Site::Program));
}

#[test]
fn interfaces_are_scalars_of_their_procedure() {
    for (proc, var) in [(F, X), (MAIN, S), (MAIN, A)] {
        let found = defects(|program| program.procs[proc].results.push(var));
        assert!(
            found.iter().any(|defect| defect.invariant == Invariant::P5 && defect.site == Site::Proc(proc))
        );
    }
}

#[test]
fn types_of_expressions_are_checked() {
    let one = |program: &mut Program| program.exprs.int(I32, 1);
    let wide = |program: &mut Program| program.exprs.int(Ty::signed(64), 1);
    let double = |program: &mut Program| {
        program.exprs.add(Expr::Const { ty: Ty::Float(cfa::FloatKind::Double), bits: 0 })
    };
    with_expr(Invariant::I3, |program| Expr::Binary {
        op: BinaryOp::Add,
        lhs: one(program),
        rhs: wide(program),
    });
    with_expr(Invariant::I3, |program| Expr::Binary {
        op: BinaryOp::Lt,
        lhs: one(program),
        rhs: wide(program),
    });
    with_expr(Invariant::I3, |program| Expr::Binary {
        op: BinaryOp::PtrAdd,
        lhs: one(program),
        rhs: wide(program),
    });
    with_expr(Invariant::I3, |program| Expr::Binary {
        op: BinaryOp::Rem,
        lhs: double(program),
        rhs: double(program),
    });
    with_expr(Invariant::I3, |program| Expr::Binary {
        op: BinaryOp::Shl,
        lhs: one(program),
        rhs: double(program),
    });
    with_expr(Invariant::I3, |program| Expr::Unary { op: UnaryOp::Not, arg: double(program) });
    with_expr(Invariant::I3, |program| Expr::Cast { ty: Ty::Ptr, arg: double(program) });
    with_expr(Invariant::I3, |program| Expr::Cast { ty: Ty::unsigned(0), arg: one(program) });
    with_expr(Invariant::I3, |program| Expr::Load { addr: one(program), ty: I32 });
    with_expr(Invariant::I3, |program| Expr::LoadBits {
        addr: program.exprs.int(Ty::Ptr, 0),
        bit: 8,
        ty: Ty::unsigned(3),
    });
    with_expr(Invariant::I3, |program| Expr::Ite {
        cond: one(program),
        then: one(program),
        other: one(program),
    });
    with_expr(Invariant::I3, |program| Expr::Ite {
        cond: program.exprs.bool(true),
        then: one(program),
        other: wide(program),
    });
    with_expr(Invariant::I3, |_| Expr::Var { var: X, ty: Ty::signed(64) });
    with_expr(Invariant::I3, |_| Expr::Var { var: A, ty: Ty::unsigned(8) });
    with_expr(Invariant::I3, |program| Expr::Elem { array: A, index: double(program), ty: Ty::unsigned(8) });
    with_expr(Invariant::I3, |_| Expr::Address { var: X });
    with_expr(Invariant::P1, |_| Expr::Function { proc: ProcId(9) });
    with_expr(Invariant::I1, |_| Expr::Load { addr: ExprId(999), ty: I32 });
}

#[test]
fn constants_are_reduced() {
    with_expr(Invariant::I4, |_| Expr::Const { ty: Ty::unsigned(8), bits: 256 });
    with_expr(Invariant::I4, |_| Expr::Const { ty: Ty::BOOL, bits: 2 });
    with_expr(Invariant::I4, |_| Expr::Const { ty: Ty::Ptr, bits: 1 << 64 });
    with_expr(Invariant::I4, |_| Expr::Const { ty: Ty::Float(cfa::FloatKind::Single), bits: 1 << 32 });
}

#[test]
fn pointers_have_the_width_of_the_data_model() {
    for (model, fits) in [(DataModel::Lp64, true), (DataModel::Ilp32, false)] {
        let mut program = Program::new(model, SignedOverflow::Undefined, Arc::new(SourceMap::new()));
        program.exprs.add(Expr::Const { ty: Ty::Ptr, bits: 1 << 40 });
        assert_eq!(program.verify().is_ok(), fits);
    }
}

#[test]
fn storage_is_checked() {
    let found = defects(|program| {
        program.vars[S].storage = Storage::Object { size: 4, align: 3, read_only: false };
    });
    assert_eq!((found[0].invariant, found[0].site), (Invariant::P3, Site::Var(S)));
}

#[test]
fn an_empty_procedure_is_fine() {
    let mut program = sample();
    program.procs.push(Procedure::new("nothing", Region::NOWHERE));
    assert_eq!(program.verify(), Ok(()));
}
