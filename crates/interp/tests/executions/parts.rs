//! Parts of pointers in memory, in both data models.

use cfa::{AllocKind, BinaryOp, CheckKind, ExprId, FloatKind, InitKind, Op, Place, Ty};
use interp::Outcome;

use super::builder::{BOTH, Builder, U8, U32, U64, outcome};

/// Two objects of 32 bytes, one that pointers point to, and the address of its byte 4.
struct World {
    p: ExprId,
    q: ExprId,
    pointer: ExprId,
    /// Bytes of a pointer.
    size: i128,
}

fn malloc(b: &mut Builder, name: &str) -> ExprId {
    let (p, ty) = (b.local(name, Ty::Ptr), b.size_ty());
    let size = b.int(ty, 32);
    b.op(Op::Malloc { place: Place::Var(p), size, kind: AllocKind::Heap, contents: InitKind::Zero });
    b.get(p)
}

fn world(b: &mut Builder) -> World {
    let (p, q, target) = (malloc(b, "p"), malloc(b, "q"), malloc(b, "t"));
    let pointer = b.offset(target, 4);
    World { p, q, pointer, size: i128::from(b.pointer_width() / 8) }
}

fn read(b: &mut Builder, name: &str, addr: ExprId, ty: Ty) -> ExprId {
    let (var, value) = (b.local(name, ty), b.load(addr, ty));
    b.assign(var, value);
    b.get(var)
}

fn copy(b: &mut Builder, to: ExprId, from: ExprId, length: i128) {
    let ty = b.size_ty();
    let length = b.int(ty, length);
    b.op(Op::Copy { to, from, length });
}

/// Copies as a program does it: a load and a store of each byte.
fn copy_bytes(b: &mut Builder, to: ExprId, from: ExprId, length: i128) {
    for at in 0..length {
        let (to, from) = (b.offset(to, at), b.offset(from, at));
        let byte = b.load(from, U8);
        b.store(to, byte);
    }
}

/// Whether what is read as a pointer is the one of the world.
fn is_kept(b: &mut Builder, w: &World, at: ExprId) -> ExprId {
    let loaded = read(b, "l", at, Ty::Ptr);
    b.binary(BinaryOp::Eq, loaded, w.pointer)
}

fn run(make: impl Fn(&mut Builder, &World) -> ExprId) -> [Outcome; 2] {
    BOTH.map(|model| {
        let mut b = Builder::new(model);
        let w = world(&mut b);
        let result = make(&mut b, &w);
        let result = b.cast(U32, result);
        b.exit_with(result);
        outcome(&b.program)
    })
}

fn exits(expected: i128, make: impl Fn(&mut Builder, &World) -> ExprId) {
    for outcome in run(make) {
        assert_eq!(outcome, Outcome::Exit { status: expected });
    }
}

fn is_unsupported(expected: &str, make: impl Fn(&mut Builder, &World) -> ExprId) {
    for outcome in run(make) {
        assert!(matches!(&outcome, Outcome::Unsupported { what, .. } if what == expected), "{outcome}");
    }
}

const READING: &str = "reading a part of a pointer";

#[test]
fn pointers_survive_being_copied_in_pieces() {
    for (at, to) in [(0, 0), (0, 8), (3, 3), (3, 9), (8, 5)] {
        exits(1, |b, w| {
            let (from, to) = (b.offset(w.p, at), b.offset(w.q, to));
            b.store(from, w.pointer);
            copy_bytes(b, to, from, w.size);
            is_kept(b, w, to)
        });
        exits(1, |b, w| {
            let (from, to) = (b.offset(w.p, at), b.offset(w.q, to));
            b.store(from, w.pointer);
            // Over another pointer, in two pieces.
            b.store(to, w.p);
            copy(b, to, from, 3);
            let (rest, from) = (b.offset(to, 3), b.offset(from, 3));
            copy(b, rest, from, w.size - 3);
            is_kept(b, w, to)
        });
    }
    // Overlapping, by less than a word.
    exits(1, |b, w| {
        b.store(w.p, w.pointer);
        let to = b.offset(w.p, 3);
        copy(b, to, w.p, w.size);
        let back = b.offset(w.p, 1);
        copy(b, back, to, w.size);
        copy(b, w.p, back, w.size);
        is_kept(b, w, w.p)
    });
}

#[test]
fn what_is_left_of_a_pointer_is_a_part() {
    let cuts: [fn(&mut Builder, ExprId); 5] = [
        |b, place| {
            let zero = b.int(U8, 0);
            b.store(place, zero);
        },
        |b, place| {
            let (ty, byte) = (b.size_ty(), b.int(U8, 0));
            let length = b.int(ty, 2);
            b.op(Op::Fill { to: place, byte, length });
        },
        |b, place| b.op(Op::Write { to: place, bytes: vec![0].into() }),
        |b, place| {
            let from = malloc(b, "zeros");
            copy(b, place, from, 1);
        },
        |b, place| {
            // Behind the word of the pointer, and one byte of it.
            let zero = b.int(U64, 0);
            let place = b.offset(place, -7);
            b.store(place, zero);
        },
    ];
    for cut in cuts {
        // The last bytes of the pointer stay.
        is_unsupported(READING, |b, w| {
            let at = b.offset(w.p, 8);
            b.store(at, w.pointer);
            cut(b, at);
            is_kept(b, w, at)
        });
        is_unsupported(READING, |b, w| {
            let at = b.offset(w.p, 8);
            b.store(at, w.pointer);
            cut(b, at);
            let rest = b.offset(at, 3);
            read(b, "v", rest, U8)
        });
        // What was written is a number.
        exits(0, |b, w| {
            let at = b.offset(w.p, 8);
            b.store(at, w.pointer);
            cut(b, at);
            read(b, "v", at, U8)
        });
    }
}

#[test]
fn parts_are_parts_wherever_they_are_copied() {
    for (ty, at) in [(U8, 0), (Ty::unsigned(16), 0), (Ty::unsigned(16), 1), (U8, 3)] {
        is_unsupported(READING, |b, w| {
            let from = b.offset(w.p, at);
            b.store(w.p, w.pointer);
            copy(b, w.q, from, i128::from(ty.width(b.program.data_model) / 8));
            read(b, "v", w.q, ty)
        });
        is_unsupported(READING, |b, w| {
            let from = b.offset(w.p, at);
            b.store(w.p, w.pointer);
            let value = b.load(from, ty);
            b.store(w.q, value);
            read(b, "v", w.q, ty)
        });
    }
    // A copy that is no copy of the whole.
    is_unsupported(READING, |b, w| {
        b.store(w.p, w.pointer);
        let next = b.offset(w.p, w.size);
        b.store(next, w.pointer);
        let middle = b.offset(w.p, 2);
        copy(b, w.q, middle, w.size);
        is_kept(b, w, w.q)
    });
    // Numbers beside them are numbers.
    exits(7, |b, w| {
        let (next, seven) = (b.offset(w.p, w.size), b.int(U32, 7));
        b.store(w.p, w.pointer);
        b.store(next, seven);
        let from = b.offset(w.p, 1);
        copy(b, w.q, from, w.size + 3);
        let at = b.offset(w.q, w.size - 1);
        read(b, "v", at, U32)
    });
}

#[test]
fn pointers_that_are_no_words_are_pointers() {
    exits(1, |b, w| {
        let at = b.offset(w.p, 3);
        b.store(at, w.pointer);
        is_kept(b, w, at)
    });
    is_unsupported(READING, |b, w| {
        let (at, byte) = (b.offset(w.p, 3), b.offset(w.p, 4));
        b.store(at, w.pointer);
        read(b, "v", byte, U8)
    });
    is_unsupported(READING, |b, w| {
        let at = b.offset(w.p, 3);
        b.store(w.p, w.pointer);
        is_kept(b, w, at)
    });
}

#[test]
fn more_than_a_pointer_is_no_number() {
    is_unsupported(READING, |b, w| {
        let at = b.offset(w.p, 8);
        b.store(at, w.pointer);
        read(b, "v", w.p, Ty::unsigned(128))
    });
    is_unsupported(READING, |b, w| {
        let at = b.offset(w.p, 8);
        b.store(at, w.pointer);
        let across = b.offset(w.p, 6);
        read(b, "v", across, U32)
    });
    is_unsupported(READING, |b, w| {
        b.store(w.p, w.pointer);
        let value = read(b, "v", w.p, Ty::Float(FloatKind::Single));
        b.cast(U32, value)
    });
    is_unsupported("changing bits of a pointer", |b, w| {
        b.store(w.p, w.pointer);
        let (ty, place) = (Ty::unsigned(3), w.p);
        let value = b.int(ty, 4);
        b.op(Op::Assign { place: Place::Bits { addr: place, bit: 0, ty }, value });
        is_kept(b, w, w.p)
    });
}

#[test]
fn clearing_byte_by_byte_leaves_numbers() {
    exits(0, |b, w| {
        b.store(w.p, w.pointer);
        for at in 0..w.size {
            let (place, zero) = (b.offset(w.p, at), b.int(U8, 0));
            b.store(place, zero);
        }
        let byte = b.offset(w.p, 2);
        read(b, "v", byte, U8)
    });
}

#[test]
fn a_copy_reads_before_it_finds_its_place() {
    for model in BOTH {
        let mut b = Builder::new(model);
        b.program.checks = CheckKind::ALL.into_iter().collect();
        let w = world(&mut b);
        b.store(w.p, w.pointer);
        let (null, beyond) = (b.int(Ty::Ptr, 0), b.offset(w.p, 100));
        let (value, place) = (b.load(beyond, U8), b.load(null, Ty::Ptr));
        b.store(place, value);
        b.finish();
        let outcome = outcome(&b.program);
        let Outcome::Error { kind, site: Some(site), .. } = outcome else { panic!("{outcome}") };
        assert_eq!((kind, site.expr), (CheckKind::OutOfBounds, Some(value)));
    }
}
