//! Arrays, copies of bytes, bit-fields, and variables of activations, in both data models.
#![allow(clippy::many_single_char_names, reason = "the variables of the programs have short names")]

use cfa::{AllocKind, BinaryOp, FloatKind, InitKind, Length, Op, Place, Source, Ty};
use interp::{Outcome, Resource, UndefinedKind, Value};

use super::builder::{Builder, I32, I64, U8, U32, outcome};
use super::memory::{begin, both, exits, fails, malloc, read};

#[test]
fn array_variables() {
    for ty in [I32, U8, Ty::signed(100), Ty::Float(FloatKind::Double)] {
        exits(7, |b| {
            let a = b.array("a", ty, Length::Fixed(4));
            b.op(Op::Init { var: a, contents: InitKind::Zero });
            let (three, seven) = (b.int(I64, 3), b.int(I32, 7));
            let value = b.cast(ty, seven);
            b.op(Op::Assign { place: Place::Elem { array: a, index: three }, value });
            let (zero, wide) = (b.int(U8, 0), b.int(Ty::unsigned(128), 3));
            let (first, last) = (b.elem(a, zero), b.elem(a, wide));
            let sum = b.add(first, last);
            b.cast(I32, sum)
        });
        for index in [4, -1, 1 << 40] {
            fails(UndefinedKind::ArrayBounds, |b| {
                let a = b.array("a", ty, Length::Fixed(4));
                b.op(Op::Init { var: a, contents: InitKind::Zero });
                let (x, at) = (b.local("x", ty), b.int(I64, index));
                let value = b.elem(a, at);
                b.assign(x, value);
            });
            fails(UndefinedKind::ArrayBounds, |b| {
                let a = b.array("a", ty, Length::Fixed(4));
                let (at, one) = (b.int(Ty::signed(100), index), b.int(I32, 1));
                let value = b.cast(ty, one);
                b.op(Op::Assign { place: Place::Elem { array: a, index: at }, value });
            });
        }
    }
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (a, x, one) = (b.array("a", I32, Length::Fixed(4)), b.local("x", I32), b.int(I32, 1));
        b.op(Op::Init { var: a, contents: InitKind::Zero });
        b.op(Op::Havoc {
            place: Place::Elem { array: a, index: one },
            source: Source::Uninitialised,
            at: super::builder::line(1),
        });
        let value = b.elem(a, one);
        b.assign(x, value);
    });
}

#[test]
fn integers_and_pointers() {
    exits(9, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        let (at, value) = (b.offset(p, 4), b.int(I32, 9));
        b.store(at, value);
        let ty = b.size_ty();
        let (number, four) = (b.cast(ty, p), b.int(ty, 4));
        let moved = b.add(number, four);
        let pointer = b.cast(Ty::Ptr, moved);
        read(b, "v", pointer, I32)
    });
    exits(1, |b| {
        let (p, q) = (malloc(b, "p", 8, InitKind::Zero), malloc(b, "q", 8, InitKind::Zero));
        let (end, less) = (b.offset(p, 8), b.binary(BinaryOp::Lt, p, q));
        let (_, different) = (less, b.binary(BinaryOp::Ne, p, q));
        let width = b.pointer_width();
        let span = b.binary(BinaryOp::PtrSub, end, p);
        let eight = b.int(Ty::signed(width), 8);
        let right = b.binary(BinaryOp::Eq, span, eight);
        let both = b.binary(BinaryOp::And, different, right);
        // The same address by two ways is equal.
        let ty = b.size_ty();
        let number = b.cast(ty, p);
        let again = b.cast(Ty::Ptr, number);
        let same = b.binary(BinaryOp::Eq, again, p);
        b.binary(BinaryOp::And, both, same)
    });
    exits(-4, |b| {
        let p = malloc(b, "p", 8, InitKind::Zero);
        let end = b.offset(p, 4);
        b.binary(BinaryOp::PtrSub, p, end)
    });
}

#[test]
fn arrays_of_dynamic_length() {
    let allocate = |b: &mut Builder, length: i128, index: i128| {
        let (a, n) = (b.array("a", I32, Length::Dynamic), b.int(I64, length));
        b.op(Op::Allocate { var: a, length: n });
        let (at, value) = (b.int(I64, index), b.int(I32, 6));
        b.op(Op::Assign { place: Place::Elem { array: a, index: at }, value });
        b.elem(a, at)
    };
    exits(6, |b| allocate(b, 10, 9));
    // Only the touched part of a huge array takes memory.
    exits(6, |b| allocate(b, 10_000_000_000, 9_999_999_999));
    fails(UndefinedKind::ArrayBounds, |b| {
        allocate(b, 10, 10);
    });
    fails(UndefinedKind::ArrayLength, |b| {
        allocate(b, -1, 0);
    });
    for program in both(|b| {
        allocate(b, 1 << 60, 0);
    }) {
        assert!(matches!(outcome(&program), Outcome::Resource { what: Resource::ObjectSize, .. }));
    }
}

#[test]
fn pointers_copied_byte_by_byte_still_point() {
    exits(42, |b| {
        let (p, q, target) = (
            malloc(b, "p", 8, InitKind::Zero),
            malloc(b, "q", 8, InitKind::Zero),
            malloc(b, "t", 4, InitKind::Zero),
        );
        let value = b.int(I32, 42);
        b.store(target, value);
        b.store(p, target);
        for at in 0..i128::from(b.pointer_width() / 8) {
            let (from, to) = (b.offset(p, at), b.offset(q, at));
            let byte = b.load(from, U8);
            b.store(to, byte);
        }
        let loaded = read(b, "l", q, Ty::Ptr);
        read(b, "v", loaded, I32)
    });
}

#[test]
fn recursive_activations_have_their_own_arrays_and_objects() {
    // f(n): a[0] = n, *o = n, if (n > 0) f(n - 1); return a[0] + *o
    exits(14, |b| {
        let start = (b.proc, b.at);
        let f = b.procedure("f");
        let (n, r, t) = (b.param("n", I32), b.result("r", I32), b.local("t", I32));
        let (a, wide) =
            (b.array("a", I32, Length::Fixed(3)), b.array("w", Ty::signed(100), Length::Fixed(1)));
        let o = b.object("o", 4);
        let (value, zero, one) = (b.get(n), b.int(I32, 0), b.int(I32, 1));
        b.op(Op::Begin { var: o });
        let address = b.address(o);
        b.store(address, value);
        b.op(Op::Assign { place: Place::Elem { array: a, index: zero }, value });
        let big = b.cast(Ty::signed(100), value);
        b.op(Op::Assign { place: Place::Elem { array: wide, index: zero }, value: big });
        let more = b.binary(BinaryOp::Lt, zero, value);
        let done = b.not(more);
        let (at, again, last) = (b.at, b.location(), b.location());
        b.edge(at, again, vec![Op::Assume { cond: more }]);
        b.edge(at, last, vec![Op::Assume { cond: done }]);
        b.at = again;
        let less = b.binary(BinaryOp::Sub, value, one);
        b.call(f, vec![less], vec![Some(Place::Var(t))]);
        b.go(last);
        let (elem, loaded) = (b.elem(a, zero), b.load(address, I32));
        let wide_elem = b.elem(wide, zero);
        let low = b.cast(I32, wide_elem);
        let sum = b.add(elem, loaded);
        let sum = b.add(sum, low);
        let sum = b.binary(BinaryOp::Sub, sum, one);
        b.assign(r, sum);
        b.finish();
        b.goto_proc(start.0, start.1);
        let (x, five) = (b.local("x", I32), b.int(I32, 5));
        b.call(f, vec![five], vec![Some(Place::Var(x))]);
        b.get(x)
    });
    // What a procedure returns the address of is dead.
    for alloca in [false, true] {
        fails(UndefinedKind::Dangling, |b| {
            let start = (b.proc, b.at);
            let f = b.procedure("f");
            let r = b.result("r", Ty::Ptr);
            if alloca {
                let ty = b.size_ty();
                let size = b.int(ty, 4);
                let contents = InitKind::Zero;
                b.op(Op::Malloc { place: Place::Var(r), size, kind: AllocKind::Stack, contents });
            } else {
                let address = begin(b, "o", 4);
                b.assign(r, address);
            }
            b.finish();
            b.goto_proc(start.0, start.1);
            let p = b.local("p", Ty::Ptr);
            b.call(f, vec![], vec![Some(Place::Var(p))]);
            let pointer = b.get(p);
            read(b, "v", pointer, I32);
        });
    }
}

#[test]
fn copying_moves_bytes_pointers_and_holes() {
    let ty = |b: &Builder| b.size_ty();
    // Overlapping ranges, both directions.
    for (to, from) in [(1, 0), (0, 1)] {
        exits(if to == 1 { 0x0403_0201 } else { 0x0605_0403 }, |b| {
            let p = malloc(b, "p", 8, InitKind::Zero);
            b.op(Op::Write { to: p, bytes: vec![1, 2, 3, 4, 5, 6, 7, 8].into() });
            let size_ty = ty(b);
            let (target, source, length) = (b.offset(p, to), b.offset(p, from), b.int(size_ty, 6));
            b.op(Op::Copy { to: target, from: source, length });
            let at = b.offset(p, 1);
            read(b, "v", at, U32)
        });
    }
    fails(UndefinedKind::UninitialisedRead, |b| {
        let (p, q) = (malloc(b, "p", 8, InitKind::Uninitialised), malloc(b, "q", 8, InitKind::Zero));
        let size_ty = ty(b);
        let (value, length) = (b.int(I32, 1), b.int(size_ty, 8));
        b.store(p, value);
        // Copying a hole is no error, reading it is.
        b.op(Op::Copy { to: q, from: p, length });
        read(b, "v", q, I32);
        let hole = b.offset(q, 4);
        read(b, "w", hole, I32);
    });
    exits(42, |b| {
        let (p, q, target) = (
            malloc(b, "p", 16, InitKind::Zero),
            malloc(b, "q", 16, InitKind::Zero),
            malloc(b, "t", 4, InitKind::Zero),
        );
        let value = b.int(I32, 42);
        b.store(target, value);
        // Stored out of bounds, copied, and moved back: only provenance says which object is meant.
        let outside = b.offset(target, 1 << 20);
        let at = b.offset(p, 2);
        b.store(at, outside);
        let size_ty = ty(b);
        let length = b.int(size_ty, 16);
        b.op(Op::Copy { to: q, from: p, length });
        let at = b.offset(q, 2);
        let loaded = read(b, "l", at, Ty::Ptr);
        let back = b.offset(loaded, -(1 << 20));
        read(b, "v", back, I32)
    });
    fails(UndefinedKind::OutOfBounds, |b| {
        let (p, q) = (malloc(b, "p", 8, InitKind::Zero), malloc(b, "q", 4, InitKind::Zero));
        let size_ty = ty(b);
        let length = b.int(size_ty, 8);
        b.op(Op::Copy { to: q, from: p, length });
    });
    exits(0x0505_0505, |b| {
        let p = malloc(b, "p", 8, InitKind::Uninitialised);
        let size_ty = ty(b);
        let (byte, length) = (b.int(U8, 5), b.int(size_ty, 8));
        b.op(Op::Fill { to: p, byte, length });
        let at = b.offset(p, 4);
        read(b, "v", at, U32)
    });
    exits(1, |b| {
        // No bytes, no access.
        let (null, size_ty) = (b.int(Ty::Ptr, 0), ty(b));
        let (byte, none) = (b.int(U8, 5), b.int(size_ty, 0));
        b.op(Op::Fill { to: null, byte, length: none });
        b.op(Op::Copy { to: null, from: null, length: none });
        b.int(I32, 1)
    });
}

#[test]
fn bit_fields() {
    // Every position and width in 24 bytes: the neighbours stay.
    for width in [1_u8, 3, 8, 13, 32, 64, 65, 128] {
        for bit in 0..8 {
            for signed in [false, true] {
                let ty = Ty::Int { width, signed };
                let pattern = Value::int(ty, 0x5a5a_1234_5678_9abc_def0_1357_9bdf_0246).as_int();
                exits(pattern, |b| {
                    let p = malloc(b, "p", 24, InitKind::Zero);
                    let size_ty = b.size_ty();
                    let (byte, length) = (b.int(U8, 0xff), b.int(size_ty, 24));
                    b.op(Op::Fill { to: p, byte, length });
                    let (addr, value) = (b.offset(p, 2), b.int(ty, pattern));
                    b.op(Op::Assign { place: Place::Bits { addr, bit, ty }, value });
                    // The bits before and behind are still ones.
                    let before = b.offset(p, 1);
                    let (behind, behind_bit) = ((bit + width) / 8, (bit + width) % 8);
                    let behind = b.offset(p, 2 + i128::from(behind));
                    let before = b.load_bits(before, 0, Ty::unsigned(8 + bit));
                    let behind = b.load_bits(behind, behind_bit, Ty::unsigned(8));
                    let (all, ones) = (b.int(Ty::unsigned(8 + bit), -1), b.int(U8, -1));
                    let (low, high) =
                        (b.binary(BinaryOp::Eq, before, all), b.binary(BinaryOp::Eq, behind, ones));
                    b.op(Op::Assume { cond: low });
                    b.op(Op::Assume { cond: high });
                    b.load_bits(addr, bit, ty)
                });
            }
        }
    }
    // One field may be written and read while its neighbour has no value.
    exits(5, |b| {
        let addr = begin(b, "o", 1);
        let (ty, five) = (Ty::unsigned(3), b.int(Ty::unsigned(3), 5));
        b.op(Op::Assign { place: Place::Bits { addr, bit: 2, ty }, value: five });
        b.load_bits(addr, 2, ty)
    });
    fails(UndefinedKind::UninitialisedRead, |b| {
        let addr = begin(b, "o", 1);
        let (ty, five, x) = (Ty::unsigned(3), b.int(Ty::unsigned(3), 5), b.local("x", Ty::unsigned(3)));
        b.op(Op::Assign { place: Place::Bits { addr, bit: 2, ty }, value: five });
        let value = b.load_bits(addr, 3, ty);
        b.assign(x, value);
    });
}
