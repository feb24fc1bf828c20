//! The instructions of compiled code.
//!
//! # Invariants
//! * S1: an instruction takes at most 16 bytes: what needs more operands is a [`super::code::Rare`].
//! * S2: operands are read before `dst` is written, so it may be one of them.

use super::code::Reg;
use super::guard::{Guard, Operands};
use cfa::expr::BinaryOp;
use cfa::program::{EdgeId, VarId};
use cfa::ty::{FloatKind, Ty};

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Insn {
    Mov {
        dst: Reg,
        src: Reg,
    },
    MovWide {
        dst: Reg,
        src: Reg,
    },

    Add64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Sub64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Mul64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    AddU32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubU32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    MulU32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// The checked ones fault if the result does not fit.
    AddI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    MulI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    AddI64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubI64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    MulI64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Faults unless the value survives losing its top `shift` bits.
    Fit {
        dst: Reg,
        src: Reg,
        shift: u8,
    },
    And {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Or {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Xor {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Shifts fault if the amount is not below the width; a left shift leaves the top bits to be extended.
    Shl {
        dst: Reg,
        a: Reg,
        b: Reg,
        width: u8,
    },
    ShrS {
        dst: Reg,
        a: Reg,
        b: Reg,
        width: u8,
    },
    ShrU {
        dst: Reg,
        a: Reg,
        b: Reg,
        width: u8,
    },
    DivS {
        dst: Reg,
        a: Reg,
        b: Reg,
        width: u8,
    },
    RemS {
        dst: Reg,
        a: Reg,
        b: Reg,
        width: u8,
    },
    DivU {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    RemU {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Extends by sign what remains without the top `shift` bits.
    Sext {
        dst: Reg,
        src: Reg,
        shift: u8,
    },
    /// Extends by zero what remains without the top `shift` bits.
    Zext {
        dst: Reg,
        src: Reg,
        shift: u8,
    },
    Eq {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Ne {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LtS {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LeS {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LtU {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LeU {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Float32 {
        op: BinaryOp,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Float64 {
        op: BinaryOp,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Pointer of LP64 plus offset: it stays one to its object.
    PtrAdd64 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Pointer of ILP32 plus offset.
    PtrAdd32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Address of ILP32 to pointer.
    IntToPtr32 {
        dst: Reg,
        src: Reg,
    },

    /// An integer, `double`, `float` or (LP64) pointer.
    Load {
        dst: Reg,
        addr: Reg,
        kind: Access,
    },
    Store {
        addr: Reg,
        src: Reg,
        kind: Access,
    },
    LoadElem {
        dst: Reg,
        array: u32,
        index: Reg,
    },
    StoreElem {
        array: u32,
        index: Reg,
        src: Reg,
    },

    Jump {
        to: u32,
    },
    JumpIf {
        cond: Reg,
        to: u32,
    },
    JumpUnless {
        cond: Reg,
        to: u32,
    },
    JumpEq {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpNe {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpLtS {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpLeS {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpLtU {
        a: Reg,
        b: Reg,
        to: u32,
    },
    JumpLeU {
        a: Reg,
        b: Reg,
        to: u32,
    },

    Call {
        site: u32,
    },
    Return {
        proc: u32,
    },
    /// The error location.
    Error,
    /// No edge is enabled.
    Blocked,
    /// The variable must have been given a value (`flag` is 1).
    CheckInit {
        flag: Reg,
        var: VarId,
    },
    /// The object must have begun (its address is not 0).
    CheckBegun {
        reg: Reg,
        var: VarId,
    },
    /// The operation that follows must not depend on addresses.
    Guard {
        guard: Guard,
        operands: Operands,
        a: Reg,
        b: Reg,
    },
    /// The bytes that are overwritten next may be a part of a pointer.
    Cut {
        addr: Reg,
        size: u32,
    },
    /// Everything that is done by [`super::code::Rare`].
    Rare {
        index: u32,
    },

    /// Markers.
    Enter {
        edge: EdgeId,
    },
    Leave {
        edge: EdgeId,
    },
    Wrote {
        index: u32,
    },
    At {
        location: u32,
    },
}

/// Size and extension of a memory access of at most 8 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Bytes: 1, 2, 4 or 8.
    pub(crate) size: u8,
    pub(crate) class: Class,
}

/// What a memory access of at most 8 bytes reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Unsigned,
    /// Extended by sign.
    Signed,
    Float,
    Pointer,
}

impl Access {
    pub(crate) fn ty(self) -> Ty {
        match (self.class, self.size) {
            (Class::Unsigned, size) => Ty::unsigned(size * 8),
            (Class::Signed, size) => Ty::signed(size * 8),
            (Class::Float, 4) => Ty::Float(FloatKind::Single),
            (Class::Float, _) => Ty::Float(FloatKind::Double),
            (Class::Pointer, _) => Ty::Ptr,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_compact() {
        assert!(size_of::<Insn>() <= 16);
    }
}
