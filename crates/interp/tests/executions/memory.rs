//! Memory, arrays and lifetimes, in both data models.
#![allow(clippy::many_single_char_names, reason = "the variables of the programs have short names")]

use base::Budget;
use cfa::{
    AllocKind, BinaryOp, CheckKind, DataModel, ExprId, FloatKind, InitKind, Op, OutputFunction, Place,
    Program, Ty,
};
use interp::{
    Code, CompileOptions, Config, Inputs, Machine, Outcome, Resource, Silent, UndefinedKind, Uninitialised,
    Value,
};

use super::builder::{BOTH, Builder, I32, I64, U8, U32, U64, outcome, status, undefined};

/// A program for each data model.
pub(super) fn both(make: impl Fn(&mut Builder)) -> [Program; 2] {
    BOTH.map(|model| {
        let mut b = Builder::new(model);
        make(&mut b);
        b.program
    })
}

/// Checks the status that a program exits with in both data models.
pub(super) fn exits(expected: i128, make: impl Fn(&mut Builder) -> ExprId) {
    for program in both(|b| {
        let value = make(b);
        b.exit_with(value);
    }) {
        assert_eq!(outcome(&program), Outcome::Exit { status: expected }, "{}", program.data_model);
    }
}

/// Checks the undefined behaviour of a program in both data models.
pub(super) fn fails(expected: UndefinedKind, make: impl Fn(&mut Builder)) {
    for program in both(|b| {
        make(b);
        b.finish();
    }) {
        assert_eq!(undefined(&program), expected, "{}", program.data_model);
    }
}

pub(super) fn malloc(b: &mut Builder, name: &str, size: i128, contents: InitKind) -> ExprId {
    let p = b.local(name, Ty::Ptr);
    let ty = b.size_ty();
    let size = b.int(ty, size);
    b.op(Op::Malloc { place: Place::Var(p), size, kind: AllocKind::Heap, contents });
    b.get(p)
}

pub(super) fn begin(b: &mut Builder, name: &str, size: u64) -> ExprId {
    let var = b.object(name, size);
    b.op(Op::Begin { var });
    b.address(var)
}

/// Loads into a fresh variable, so that the load happens here.
pub(super) fn read(b: &mut Builder, name: &str, addr: ExprId, ty: Ty) -> ExprId {
    let var = b.local(name, ty);
    let value = b.load(addr, ty);
    b.assign(var, value);
    b.get(var)
}

#[test]
fn values_of_every_type_survive_memory() {
    let types = [
        Ty::BOOL,
        U8,
        Ty::signed(8),
        Ty::unsigned(16),
        Ty::signed(16),
        I32,
        U32,
        I64,
        U64,
        Ty::signed(24),
        Ty::signed(100),
        Ty::unsigned(128),
    ];
    for ty in types {
        for value in [0, 1, -1, 0x1234_5678_9abc] {
            let value = Value::int(ty, value).as_int();
            exits(value, |b| {
                let base = malloc(b, "p", 64, InitKind::Uninitialised);
                // Alignment does not matter.
                let addr = b.offset(base, 3);
                let constant = b.int(ty, value);
                b.store(addr, constant);
                read(b, "v", addr, ty)
            });
        }
    }
    for kind in [FloatKind::Single, FloatKind::Double, FloatKind::Extended, FloatKind::Quad] {
        exits(-3, |b| {
            let addr = malloc(b, "p", 16, InitKind::Uninitialised);
            let number = b.double(-3.5);
            let stored = b.cast(Ty::Float(kind), number);
            b.store(addr, stored);
            let value = read(b, "v", addr, Ty::Float(kind));
            b.cast(I32, value)
        });
    }
}

#[test]
fn memory_is_little_endian_bytes() {
    exits(0x5678, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        let value = b.int(U32, 0x1234_5678);
        b.store(p, value);
        read(b, "v", p, Ty::unsigned(16))
    });
    exits(0x0034_1200, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        let (at, value) = (b.offset(p, 1), b.int(Ty::unsigned(16), 0x3412));
        b.store(at, value);
        read(b, "v", p, U32)
    });
}

#[test]
fn bad_accesses_have_names() {
    for store in [false, true] {
        let access = |b: &mut Builder, addr: ExprId| {
            if store {
                let value = b.int(I32, 1);
                b.store(addr, value);
            } else {
                read(b, "v", addr, I32);
            }
        };
        for offset in [-1, -4, 5, 8, 1000] {
            fails(UndefinedKind::OutOfBounds, |b| {
                let p = malloc(b, "p", 8, InitKind::Zero);
                let addr = b.offset(p, offset);
                access(b, addr);
            });
        }
        fails(UndefinedKind::NullDereference, |b| {
            let null = b.int(Ty::Ptr, 0);
            let field = b.offset(null, 8);
            access(b, field);
        });
        fails(UndefinedKind::WildPointer, |b| {
            let wild = b.int(Ty::Ptr, 0x7fff_0000);
            access(b, wild);
        });
        fails(UndefinedKind::Dangling, |b| {
            let p = malloc(b, "p", 8, InitKind::Zero);
            b.op(Op::Free { addr: p });
            access(b, p);
        });
        fails(UndefinedKind::Dangling, |b| {
            let var = b.object("o", 8);
            let addr = b.address(var);
            access(b, addr);
        });
        fails(UndefinedKind::Dangling, |b| {
            let var = b.object("o", 8);
            b.op(Op::Begin { var });
            let p = b.local("p", Ty::Ptr);
            let addr = b.address(var);
            b.assign(p, addr);
            b.op(Op::End { var });
            // A new lifetime is a new object.
            b.op(Op::Begin { var });
            let old = b.get(p);
            access(b, old);
        });
    }
    fails(UndefinedKind::ReadOnly, |b| {
        let var = b.global_object("literal", 4, true);
        let addr = b.address(var);
        b.op(Op::Write { to: addr, bytes: (*b"abc\0").into() });
        let value = b.int(U8, 1);
        b.store(addr, value);
    });
    fails(UndefinedKind::InvalidBool, |b| {
        let p = malloc(b, "p", 1, InitKind::Zero);
        let value = b.int(U8, 2);
        b.store(p, value);
        read(b, "v", p, Ty::BOOL);
    });
}

#[test]
fn pointers_are_of_one_object_by_where_they_come_from() {
    exits(0b01100, |b| {
        let (p, q) = (malloc(b, "p", 8, InitKind::Zero), malloc(b, "q", 8, InitKind::Zero));
        let (moved, far, null) = (b.offset(p, 3), b.offset(q, 1 << 16), b.int(Ty::Ptr, 0));
        let pairs = [(p, q), (moved, far), (p, moved), (far, q), (null, null)];
        let mut sum = b.int(I32, 0);
        for (position, (one, other)) in pairs.into_iter().enumerate() {
            let same = b.program.exprs.add(cfa::Expr::SameObject { one, other });
            let (yes, no) = (b.int(I32, 1 << position), b.int(I32, 0));
            let bit = b.ite(same, yes, no);
            sum = b.binary(BinaryOp::Or, sum, bit);
        }
        sum
    });
    fails(UndefinedKind::Overlap, |b| b.op(Op::Halt { reason: cfa::HaltReason::Overlap }));
}

#[test]
fn freeing() {
    fails(UndefinedKind::DoubleFree, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        b.op(Op::Free { addr: p });
        b.op(Op::Free { addr: p });
    });
    fails(UndefinedKind::BadFree, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        let inside = b.offset(p, 4);
        b.op(Op::Free { addr: inside });
    });
    fails(UndefinedKind::BadFree, |b| {
        let local = begin(b, "o", 8);
        b.op(Op::Free { addr: local });
    });
    fails(UndefinedKind::BadFree, |b| {
        let wild = b.int(Ty::Ptr, 0x1234_5678);
        b.op(Op::Free { addr: wild });
    });
    exits(1, |b| {
        let null = b.int(Ty::Ptr, 0);
        b.op(Op::Free { addr: null });
        b.int(I32, 1)
    });
}

#[test]
fn reallocation_keeps_what_fits() {
    let grow = |b: &mut Builder, from: i128, to: i128| {
        let p = malloc(b, "p", from, InitKind::Zero);
        let value = b.int(I32, 77);
        b.store(p, value);
        let q = b.local("q", Ty::Ptr);
        let ty = b.size_ty();
        let size = b.int(ty, to);
        b.op(Op::Realloc { place: Place::Var(q), old: p, size });
        (p, b.get(q))
    };
    exits(77, |b| {
        let (_, q) = grow(b, 8, 100);
        read(b, "v", q, I32)
    });
    exits(77, |b| {
        let (_, q) = grow(b, 8, 4);
        read(b, "v", q, I32)
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (_, q) = grow(b, 8, 100);
        let at = b.offset(q, 8);
        read(b, "v", at, I32);
    });
    fails(UndefinedKind::Dangling, |b| {
        let (p, _) = grow(b, 8, 100);
        read(b, "v", p, I32);
    });
    exits(5, |b| {
        let (q, null) = (b.local("q", Ty::Ptr), b.int(Ty::Ptr, 0));
        let ty = b.size_ty();
        let size = b.int(ty, 4);
        b.op(Op::Realloc { place: Place::Var(q), old: null, size });
        let (q, value) = (b.get(q), b.int(I32, 5));
        b.store(q, value);
        read(b, "v", q, I32)
    });
}

#[test]
fn initialising_objects_and_globals() {
    exits(0, |b| {
        let o = b.global_object("g", 16, false);
        b.op(Op::Init { var: o, contents: InitKind::Zero });
        let address = b.address(o);
        let at = b.offset(address, 12);
        read(b, "v", at, I32)
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let o = b.global_object("g", 16, false);
        let address = b.address(o);
        read(b, "v", address, I32);
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let address = begin(b, "o", 4);
        let zero = b.int(I32, 0);
        b.store(address, zero);
        let cfa::Expr::Address { var } = *b.program.exprs.get(address) else { unreachable!() };
        b.op(Op::Init { var, contents: InitKind::Uninitialised });
        read(b, "v", address, I32);
    });
}

/// `while (i < n) { p = malloc(size); *p = i; if (!keep) free(p); i++ }`
fn allocations(model: DataModel, n: i128, size: i128, keep: bool) -> Program {
    let mut b = Builder::new(model);
    let (i, p) = (b.local("i", U32), b.local("p", Ty::Ptr));
    let ty = b.size_ty();
    let (zero, one, bound, size) = (b.int(U32, 0), b.int(U32, 1), b.int(U32, n), b.int(ty, size));
    b.assign(i, zero);
    let (i_value, p_value) = (b.get(i), b.get(p));
    let cond = b.binary(BinaryOp::Lt, i_value, bound);
    let next = b.add(i_value, one);
    b.while_loop(cond, |b| {
        let (kind, contents) = (AllocKind::Heap, InitKind::Uninitialised);
        b.op(Op::Malloc { place: Place::Var(p), size, kind, contents });
        b.store(p_value, i_value);
        if !keep {
            b.op(Op::Free { addr: p_value });
        }
        b.assign(i, next);
    });
    b.exit_with(i_value);
    b.program
}

#[test]
fn memory_is_bounded() {
    for model in BOTH {
        // Many objects, one at a time: more than the indices that are kept for the dead.
        assert_eq!(status(&allocations(model, 1_200_000, 16, false)), 1_200_000);
        // 100 objects of 1 GB, freed each time, and of which little is used.
        assert_eq!(status(&allocations(model, 100, 1_000_000_000, false)), 100);
        let program = allocations(model, 1_000_000, 4096, true);
        let code = Code::new(&program, CompileOptions::default());
        let config = Config { memory_limit: 10 << 20, ..Config::default() };
        let mut machine = Machine::new(&program, &code, config);
        let (oracle, out) = (&mut Inputs::default(), &mut std::io::sink());
        let run = machine.run(oracle, &mut Silent, out, &mut Budget::unlimited());
        assert!(matches!(run.outcome, Outcome::Resource { what: Resource::Memory, .. }), "{}", run.outcome);
        let too_large = allocations(DataModel::Lp64, 1, 1 << 33, true);
        assert!(matches!(outcome(&too_large), Outcome::Resource { what: Resource::ObjectSize, .. }));
    }
}

#[test]
fn output() {
    for model in BOTH {
        let mut b = Builder::new(model);
        let text = b.global_object("format", 16, true);
        let (address, number) = (b.address(text), b.int(I32, -42));
        b.op(Op::Write { to: address, bytes: (*b"x=%d %s!\0zzz\0").into() });
        let word = b.offset(address, 9);
        let r = b.local("r", I32);
        b.op(Op::Output {
            function: OutputFunction::Printf,
            args: vec![address, number, word],
            result: Some(Place::Var(r)),
        });
        b.op(Op::Output { function: OutputFunction::Puts, args: vec![word], result: None });
        let letter = b.int(I32, 65);
        b.op(Op::Output { function: OutputFunction::Putchar, args: vec![letter], result: None });
        let length = b.get(r);
        b.exit_with(length);
        let mut out = Vec::new();
        let oracle = &mut Inputs::default();
        let run = interp::run(&b.program, Uninitialised::Report, oracle, &mut out, &mut Budget::unlimited());
        assert_eq!(run.outcome, Outcome::Exit { status: 10 });
        assert_eq!(String::from_utf8_lossy(&out), "x=-42 zzz!zzz\nA");
    }
    fails(UndefinedKind::BadFormat, |b| {
        let text = b.global_object("format", 4, true);
        let address = b.address(text);
        b.op(Op::Write { to: address, bytes: (*b"%d\0\0").into() });
        b.op(Op::Output { function: OutputFunction::Printf, args: vec![address], result: None });
    });
    fails(UndefinedKind::OutOfBounds, |b| {
        let text = b.global_object("format", 2, true);
        let address = b.address(text);
        b.op(Op::Write { to: address, bytes: (*b"ab").into() });
        b.op(Op::Output { function: OutputFunction::Puts, args: vec![address], result: None });
    });
}

/// A pointer of LP64 that is moved by as many bytes as the numbers say, one after the other.
fn moved(b: &mut Builder, amounts: &[i128]) -> (ExprId, ExprId) {
    let object = b.object("o", 8);
    b.op(Op::Begin { var: object });
    b.op(Op::Init { var: object, contents: InitKind::Zero });
    let start = b.address(object);
    let mut at = start;
    for (number, amount) in amounts.iter().enumerate() {
        let (var, next) = (b.local(&format!("p{number}"), Ty::Ptr), b.offset(at, *amount));
        b.assign(var, next);
        at = b.get(var);
    }
    (start, at)
}

#[test]
fn what_is_far_from_its_object_is_outside_of_it_and_not_told_apart() {
    let far = 3_i128 << 40;
    for amounts in [&[far][..], &[-far], &[far, 4], &[-far, 4], &[-far, -far / 1000, 8]] {
        let mut b = Builder::new(DataModel::Lp64);
        b.program.checks = CheckKind::ALL.into_iter().collect();
        let (_, at) = moved(&mut b, amounts);
        let value = b.load(at, I32);
        b.exit_with(value);
        let outcome = outcome(&b.program);
        assert!(matches!(outcome, Outcome::Error { kind: CheckKind::OutOfBounds, .. }), "{outcome}");
    }
    for (amounts, op) in [
        (&[far][..], BinaryOp::Eq),
        (&[far], BinaryOp::PtrSub),
        (&[-far], BinaryOp::Lt),
        (&[far, -far], BinaryOp::Eq),
        (&[-far, 1 << 30, 1 << 30], BinaryOp::Eq),
    ] {
        let mut b = Builder::new(DataModel::Lp64);
        let (start, at) = moved(&mut b, amounts);
        let result = b.binary(op, at, start);
        b.exit_with(result);
        let outcome = outcome(&b.program);
        assert!(matches!(outcome, Outcome::Unsupported { .. }), "{amounts:?}: {outcome}");
    }
    let mut b = Builder::new(DataModel::Lp64);
    let (start, at) = moved(&mut b, &[1 << 29, -(1 << 30), 1 << 29]);
    let result = b.binary(BinaryOp::Eq, at, start);
    b.exit_with(result);
    assert_eq!(outcome(&b.program), Outcome::Exit { status: 1 });
    // Within one expression only the result counts.
    let mut b = Builder::new(DataModel::Lp64);
    let (start, _) = moved(&mut b, &[]);
    let (there, back) = (b.local("there", I64), b.local("back", I64));
    for (var, amount) in [(there, far), (back, -far)] {
        let amount = b.int(I64, amount);
        b.assign(var, amount);
    }
    let (there, back) = (b.get(there), b.get(back));
    let away = b.binary(BinaryOp::PtrAdd, start, there);
    let field = b.offset(away, 4);
    let home = b.binary(BinaryOp::PtrAdd, field, back);
    let distance = b.binary(BinaryOp::PtrSub, home, start);
    b.exit_with(distance);
    assert_eq!(outcome(&b.program), Outcome::Exit { status: 4 });
}
