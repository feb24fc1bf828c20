//! What a program is compiled to: instructions over two files of registers.
//!
//! # Invariants
//! * C1: every variable, constant and temporary has one register for the whole run: a procedure's activations share theirs,
//!   and a call that re-enters an active procedure saves them first. So no instruction adds a frame base.
//! * C2: temporaries hold nothing across a call.
//! * C3: jump targets are instruction indices within `insns`; every location of every procedure has one.

use std::ops::Range;
use std::sync::Arc;

use base::{IndexVec, Region};

use super::Uninitialised;
use crate::expr::{BinaryOp, ExprId};
use crate::op::{AllocKind, InitKind, OutputFunction, Source};
use crate::program::{EdgeId, Loc, ProcId, VarId};
use crate::ty::{FloatKind, Ty};

/// A register: of the narrow file or of the wide one, as the instruction or the type says.
pub(crate) type Reg = u32;

/// What compiled code reports while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Markers {
    /// Nothing: fastest.
    #[default]
    None,
    /// Edges and writes, to an [`super::Observer`].
    Edges,
    /// Edges and writes, and locations may be stopped at.
    Locations,
}

/// How to compile a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions {
    /// What reading an uninitialised value means.
    pub uninitialised: Uninitialised,
    /// What is reported.
    pub markers: Markers,
}

/// One instruction. `dst` is written last, so it may be an operand too.
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
    /// Everything that is done by [`Rare`].
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

/// Instructions that need more than three operands or are not worth their own code.
#[derive(Clone, Debug)]
pub(crate) enum Rare {
    /// Registers are wide or narrow by their types.
    Binary {
        op: BinaryOp,
        ty: Ty,
        rhs_ty: Ty,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Cast {
        from: Ty,
        to: Ty,
        dst: Reg,
        src: Reg,
    },
    /// An index of a wide type as one of 64 bits; what does not fit is out of every array's bounds.
    NarrowIndex {
        ty: Ty,
        dst: Reg,
        src: Reg,
    },
    Load {
        ty: Ty,
        dst: Reg,
        addr: Reg,
    },
    Store {
        ty: Ty,
        addr: Reg,
        src: Reg,
    },
    LoadBits {
        ty: Ty,
        bit: u8,
        dst: Reg,
        addr: Reg,
    },
    StoreBits {
        ty: Ty,
        bit: u8,
        addr: Reg,
        src: Reg,
    },
    LoadElemWide {
        dst: Reg,
        array: u32,
        index: Reg,
        var: VarId,
    },
    StoreElemWide {
        array: u32,
        index: Reg,
        src: Reg,
        var: VarId,
    },
    /// Evaluated by the evaluator: its code would be too long.
    Slow {
        expr: ExprId,
        dst: Reg,
    },
    Choose {
        ty: Ty,
        source: Source,
        at: Region,
        dst: Reg,
    },
    ForgetElem {
        var: VarId,
        index: Reg,
    },
    ForgetMem {
        addr: Reg,
        size: u64,
    },
    ForgetBits {
        addr: Reg,
        bit: u8,
        width: u8,
    },
    Init {
        var: VarId,
        contents: InitKind,
    },
    Allocate {
        var: VarId,
        ty: Ty,
        length: Reg,
    },
    Begin {
        var: VarId,
    },
    End {
        var: VarId,
    },
    Malloc {
        dst: Reg,
        ty: Ty,
        size: Reg,
        kind: AllocKind,
        contents: InitKind,
    },
    Realloc {
        dst: Reg,
        old: Reg,
        ty: Ty,
        size: Reg,
    },
    Free {
        addr: Reg,
    },
    Copy {
        to: Reg,
        from: Reg,
        ty: Ty,
        length: Reg,
    },
    Fill {
        to: Reg,
        byte: Reg,
        ty: Ty,
        length: Reg,
    },
    Write {
        to: Reg,
        bytes: Arc<[u8]>,
    },
    Output {
        function: OutputFunction,
        args: Vec<(Ty, Reg)>,
        dst: Reg,
    },
    Exit {
        ty: Ty,
        status: Reg,
    },
    Abort,
}

/// A register that a call copies from or to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) ty: Ty,
    pub(crate) reg: Reg,
    /// The register that tells whether it has a value, where that is not certain.
    pub(crate) flag: Option<Reg>,
}

/// Whom a call enters.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Direct(ProcId),
    Indirect { pointer: Reg, targets: Vec<ProcId> },
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub(crate) target: Target,
    pub(crate) args: Vec<Slot>,
    pub(crate) results: Vec<Option<Slot>>,
    /// The instruction after the call.
    pub(crate) next: u32,
    pub(crate) region: Region,
}

/// A procedure's registers and code.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcCode {
    /// First instruction of each location.
    pub(crate) locations: Vec<u32>,
    /// Number of its first location among all.
    pub(crate) first_location: u32,
    /// What a call that re-enters it must save.
    pub(crate) regs: Range<u32>,
    pub(crate) wide: Range<u32>,
    /// Flags and addresses of objects: 0 when it starts.
    pub(crate) cleared: Range<u32>,
    pub(crate) arrays: Range<u32>,
    pub(crate) wide_arrays: Range<u32>,
    /// Lengths of the arrays of both files, which they have when it starts.
    pub(crate) lengths: Vec<u64>,
    pub(crate) wide_lengths: Vec<u64>,
    pub(crate) params: Vec<Slot>,
    pub(crate) results: Vec<Slot>,
}

/// Where a variable is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VarPlace {
    Scalar(Slot),
    Array {
        array: u32,
        ty: Ty,
    },
    /// The register holds the address of the object.
    Object {
        reg: Reg,
    },
}

/// Where a value was written, for observers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WrittenTo {
    Var(VarId),
    Elem { array: VarId, index: Reg },
    Mem { addr: Reg },
    Bits { addr: Reg, bit: u8 },
}

/// The place in the program that an instruction belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) proc: ProcId,
    pub(crate) region: Region,
}

/// A compiled program. It refers to the program by its ids only and may be shared by machines.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) options: CompileOptions,
    pub(crate) insns: Vec<Insn>,
    /// Index into `spots` of each instruction.
    pub(crate) insn_spots: Vec<u32>,
    pub(crate) spots: Vec<Spot>,
    pub(crate) rares: Vec<Rare>,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) written: Vec<(WrittenTo, Ty, Reg)>,
    pub(crate) procs: IndexVec<ProcId, ProcCode>,
    pub(crate) vars: IndexVec<VarId, VarPlace>,
    /// Procedure and location of each number that [`Insn::At`] has.
    pub(crate) locations: Vec<(ProcId, Loc)>,
    /// What registers hold when a run starts: constants, and 0 otherwise.
    pub(crate) image: Vec<u64>,
    pub(crate) wide_image: Vec<u128>,
    /// Registers that hold the addresses of procedures and their numbers.
    pub(crate) function_regs: Vec<(Reg, ProcId)>,
    /// Array variables that are global: number in their file, length.
    pub(crate) global_arrays: Vec<(u32, u64)>,
    pub(crate) global_wide_arrays: Vec<(u32, u64)>,
    pub(crate) array_vars: Vec<VarId>,
    pub(crate) wide_array_count: u32,
}

impl Code {
    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.insns.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.insns.is_empty()
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
