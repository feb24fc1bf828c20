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
use super::insn::Insn;
use super::oracle::Position;
use super::parts::Stored;
use super::tail_calls::TailCalls;
use cfa::expr::{Access as CfaAccess, AddressTest, BinaryOp, ExprId};
use cfa::op::{AllocKind, InitKind, OutputFunction, Source};
use cfa::program::{Loc, ProcId, VarId};
use cfa::ty::Ty;

/// A register: of the narrow file or of the wide one, as the instruction or the type says.
pub(crate) type Reg = u32;

/// What compiled code reports while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Markers {
    /// Nothing: fastest.
    #[default]
    None,
    /// Loop heads may be stopped at; nothing is reported.
    Heads,
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
    /// A load of what may be a part of a pointer and is stored next.
    LoadPart {
        ty: Ty,
        dst: Reg,
        addr: Reg,
    },
    /// The store of what [`Rare::LoadPart`] read at `from`.
    StorePart {
        ty: Ty,
        to: Reg,
        from: Reg,
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
    /// An element of an unbounded array; registers are wide or narrow by their types.
    LoadMap {
        dst: Reg,
        var: VarId,
        index: Reg,
        index_ty: Ty,
    },
    StoreMap {
        var: VarId,
        index: Reg,
        index_ty: Ty,
        src: Reg,
    },
    /// Copies elements between array variables of any kind.
    CopyElems {
        to: (VarId, Reg, Ty),
        from: (VarId, Reg, Ty),
        count: (Reg, Ty),
    },
    FillElems {
        to: (VarId, Reg, Ty),
        value: Reg,
        count: (Reg, Ty),
    },
    Accessible {
        dst: Reg,
        addr: Reg,
        length: Reg,
        ty: Ty,
        access: CfaAccess,
    },
    SameObject {
        dst: Reg,
        one: Reg,
        other: Reg,
    },
    Freeable {
        dst: Reg,
        addr: Reg,
    },
    Test {
        dst: Reg,
        addr: Reg,
        test: AddressTest,
    },
    Initialised {
        dst: Reg,
        addr: Reg,
        bit: Option<u8>,
        ty: Ty,
    },
    Lost {
        dst: Reg,
    },
    /// Memory must not be lost at a loop head, or where a recursive procedure is entered.
    CheckLost,
    Bounded {
        index: Reg,
        ty: Ty,
        low: i64,
        bound: u64,
    },
    Undefined,
    /// Before an expression that the evaluator would evaluate without its guards.
    Unguarded,
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
    Release {
        addr: Reg,
    },
    Copy {
        to: Reg,
        from: Reg,
        ty: Ty,
        length: Reg,
        stored: Stored,
    },
    /// Before an operation that overwrites so many bytes and may leave a part of a pointer.
    Cut {
        to: Reg,
        ty: Ty,
        length: Reg,
    },
    Fill {
        to: Reg,
        byte: Reg,
        ty: Ty,
        length: Reg,
    },
    Forget {
        to: Reg,
        ty: Ty,
        length: Reg,
        source: Source,
    },
    Write {
        to: Reg,
        bytes: Arc<[u8]>,
    },
    Output {
        function: OutputFunction,
        args: Vec<(Ty, Reg)>,
        dst: Reg,
        /// Whether the program looks at the result.
        is_used: bool,
    },
    Exit {
        ty: Ty,
        status: Reg,
    },
    Abort,
    Overlap,
    Misuse,
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
    /// The operation that calls.
    pub(crate) at: Option<Position>,
    /// Whether the procedure returns what this call returns.
    pub(crate) is_last: bool,
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
    /// An unbounded array.
    Map {
        map: u32,
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
    Map { array: VarId, index: Reg, index_ty: Ty },
    Mem { addr: Reg },
    Bits { addr: Reg, bit: u8 },
}

/// The place in the program that an instruction belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) proc: ProcId,
    pub(crate) region: Region,
    /// The operation; `None` for what belongs to a location.
    pub(crate) at: Option<Position>,
}

/// A compiled program. It refers to the program by its ids only and may be shared by machines.
#[derive(Clone, Debug)]
pub struct Code {
    pub(crate) options: CompileOptions,
    pub(crate) insns: Vec<Insn>,
    /// Index into `spots` of each instruction.
    pub(crate) insn_spots: Vec<u32>,
    /// The expression that each instruction computes the value of, if it is undefined where the instruction faults.
    pub(crate) insn_exprs: Vec<Option<ExprId>>,
    pub(crate) spots: Vec<Spot>,
    pub(crate) rares: Vec<Rare>,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) written: Vec<(WrittenTo, Ty, Reg)>,
    pub(crate) procs: IndexVec<ProcId, ProcCode>,
    pub(crate) vars: IndexVec<VarId, VarPlace>,
    /// Procedure and location of each number that [`Insn::At`] has.
    pub(crate) locations: Vec<(ProcId, Loc)>,
    /// The loop heads, and the entries that close cycles of tail calls, one bit for each number; empty unless they may be stopped at.
    pub(crate) heads: Vec<u64>,
    pub(crate) tail_calls: TailCalls,
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
    pub(crate) map_count: u32,
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
