//! What edges do.
//!
//! # Meaning
//! An operation takes a state to its successor states, or ends the execution: [`Op::Assume`] of a false
//! condition and [`Op::Halt`] silently, an undefined expression or address as undefined behaviour. The operations of an
//! edge happen in order. Every source of nondeterminism is [`Op::Havoc`], or the contents of fresh memory.

use std::sync::Arc;

use base::Region;

use crate::expr::ExprId;
use crate::ty::Ty;
use crate::{ProcId, VarId};

/// Something that holds a scalar value and can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A scalar variable.
    Var(VarId),
    /// An element of an array variable; undefined if the index is outside the array.
    Elem {
        /// The array.
        array: VarId,
        /// An integer of any type.
        index: ExprId,
    },
    /// Memory at an address; undefined unless all bytes lie in one live writable object.
    Mem {
        /// A pointer.
        addr: ExprId,
        /// The type to write.
        ty: Ty,
    },
    /// A bit-field in memory, as [`crate::Expr::LoadBits`]; the other bits of its bytes are kept.
    Bits {
        /// A pointer.
        addr: ExprId,
        /// First bit, 0 to 7.
        bit: u8,
        /// An integer type; its width is that of the bit-field.
        ty: Ty,
    },
}

/// Where an arbitrary value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A call of a nondeterministic input function such as `__VERIFIER_nondet_int`.
    Input {
        /// Its name.
        function: Arc<str>,
    },
    /// A variable that is declared without initialiser.
    Uninitialised,
    /// The result of a function without body.
    Extern {
        /// Its name.
        function: Arc<str>,
    },
    /// A parameter of the entry function.
    Argument {
        /// Its name.
        name: Arc<str>,
    },
}

/// How long allocated memory lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocKind {
    /// Until it is freed.
    Heap,
    /// Until the procedure returns (`alloca`, address-taken arrays of variable length).
    Stack,
}

/// What fresh memory contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitKind {
    /// Arbitrary bytes that should not be read.
    Uninitialised,
    /// Zero bytes.
    Zero,
}

/// Why an execution ends without error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HaltReason {
    /// `exit(status)`.
    Exit(ExprId),
    /// `abort()`, `__assert_fail` outside the property, a trap.
    Abort,
}

/// Whom a call enters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A procedure of the program.
    Direct(ProcId),
    /// The procedure that a pointer points to; undefined if it is none of `targets`.
    Indirect {
        /// A pointer.
        pointer: ExprId,
        /// All procedures that it may point to, by a sound analysis.
        targets: Vec<ProcId>,
    },
}

/// Functions that write to standard output; the interpreter executes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputFunction {
    /// `printf(format, ...)`.
    Printf,
    /// `puts(text)`.
    Puts,
    /// `putchar(character)`.
    Putchar,
}

/// One operation of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Writes the value; the place has the value's type.
    Assign {
        /// Where.
        place: Place,
        /// What.
        value: ExprId,
    },
    /// Goes on only if the condition holds.
    Assume {
        /// A truth value.
        cond: ExprId,
    },
    /// Writes an arbitrary value of the place's type.
    Havoc {
        /// Where.
        place: Place,
        /// Why it is arbitrary.
        source: Source,
        /// The source text that asks for it, e.g. the call.
        at: Region,
    },
    /// Gives an array or object variable new contents throughout.
    Init {
        /// A variable with array or object storage.
        var: VarId,
        /// Which contents.
        contents: InitKind,
    },
    /// Gives an array variable of dynamic length its length, and uninitialised contents. Undefined for a negative length.
    Allocate {
        /// An array variable with [`crate::Length::Dynamic`].
        var: VarId,
        /// Number of elements.
        length: ExprId,
    },
    /// Starts the lifetime of a local object; its contents are uninitialised.
    Begin {
        /// A local variable with object storage.
        var: VarId,
    },
    /// Ends the lifetime of a local object: pointers to it become dangling.
    End {
        /// A local variable with object storage.
        var: VarId,
    },
    /// Allocates memory. Allocation never fails.
    Malloc {
        /// Where to put the address of the new object.
        place: Place,
        /// Size in bytes, an unsigned integer.
        size: ExprId,
        /// How long it lives.
        kind: AllocKind,
        /// What it contains.
        contents: InitKind,
    },
    /// `realloc`: a new object with the old one's bytes as far as they fit; the old one, unless null, is freed.
    Realloc {
        /// Where to put the address of the new object.
        place: Place,
        /// The old object.
        old: ExprId,
        /// The new size in bytes, an unsigned integer.
        size: ExprId,
    },
    /// Ends the lifetime of a heap object; nothing for null. Undefined unless at the start of a live heap object.
    Free {
        /// A pointer.
        addr: ExprId,
    },
    /// Copies bytes, uninitialised ones included; the ranges may overlap.
    Copy {
        /// Target address.
        to: ExprId,
        /// Source address.
        from: ExprId,
        /// Number of bytes, an unsigned integer.
        length: ExprId,
    },
    /// Sets bytes to one value.
    Fill {
        /// Address of the first byte.
        to: ExprId,
        /// The value, an unsigned integer of 8 bits.
        byte: ExprId,
        /// Number of bytes, an unsigned integer.
        length: ExprId,
    },
    /// Writes the given bytes; read-only memory is written too (this is how string literals get their contents).
    Write {
        /// Address of the first byte.
        to: ExprId,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Runs a procedure: arguments to its parameters, its results to places.
    Call {
        /// Whom.
        callee: Callee,
        /// One value per parameter.
        args: Vec<ExprId>,
        /// One place per result of the procedure; `None` drops it.
        results: Vec<Option<Place>>,
    },
    /// Writes to standard output.
    Output {
        /// How.
        function: OutputFunction,
        /// The arguments after default promotions, the format first.
        args: Vec<ExprId>,
        /// Where to put the result, a signed integer of 32 bits.
        result: Option<Place>,
    },
    /// Ends the execution.
    Halt {
        /// How it ends.
        reason: HaltReason,
    },
}
