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
    /// A pass over-approximates it: it has one value, which the program no longer says.
    Rounded,
    /// What the memory behind a pointer from outside holds: one that an input or a function without body yields, or that such memory holds.
    Outside,
    /// A pass has changed the order of execution: what is computed or decided later is guessed here, and an execution that has guessed wrong is
    /// blocked. The program as given has no such choice.
    Guess(Guess),
    /// The result of a function without body.
    Extern {
        /// Its name.
        function: Arc<str>,
    },
    /// What a function of the C library returns or writes.
    Library {
        /// Its name, or `stdin` for a byte of standard input.
        function: Arc<str>,
        /// Who decides about the value.
        freedom: Freedom,
    },
    /// A parameter of the entry function, or a part of what it leads to.
    Argument {
        /// It as C writes it: `n`, `p->next->key`; `p != NULL` for whether a pointer leads to an object.
        name: Arc<str>,
    },
    /// The value that a variable with static storage, or a part of what it leads to, has when the entry function is called.
    Global {
        /// It as C writes it.
        name: Arc<str>,
    },
}

/// What is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// 1 if the property is violated before a call returns, 0 if the call returns.
    Fails,
    /// Which procedure the innermost activation of a recursion belongs to.
    Innermost,
    /// 1 if a certain call has started the activation that ended last, 0 if another one has.
    Caller,
    /// The value of a variable where an activation starts.
    Value,
}

/// The name under which bytes of standard input are chosen, one at a time; -1 is its end.
pub const STDIN: &str = "stdin";

/// Who decides about a value that comes from the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Freedom {
    /// The outside world: every value that the program allows occurs on some run.
    World,
    /// The library computes it: one value is right, and the program does not say which. An execution that chooses it is no
    /// execution of the program.
    Determined,
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
    /// Arbitrary bytes that are inputs, chosen when they are first read. Pointers among them come from outside.
    Arbitrary,
    /// Zero bytes.
    Zero,
}

/// Why an execution ends where it is told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HaltReason {
    /// `exit(status)`.
    Exit(ExprId),
    /// `abort()`, `__assert_fail` outside the property, a trap.
    Abort,
    /// Undefined behaviour: bytes were copied to a place that overlaps their own.
    Overlap,
    /// Undefined behaviour: what the program or the library promises to the compiler does not hold.
    Misuse,
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
    /// Ends the lifetime of an object that was allocated on the stack, such as an array of variable length whose block is left; nothing if the address is not the
    /// start of a live one that the procedure has allocated.
    Release {
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
    /// Makes bytes arbitrary, as far as the object at the address goes; they are chosen when they are read. Nothing happens if the address is
    /// that of no object that may be written. With the source [`Source::Extern`] bytes that have values keep them: the others count as having some.
    Forget {
        /// Address of the first byte.
        to: ExprId,
        /// Number of bytes at most, an unsigned integer.
        length: ExprId,
        /// Why they are arbitrary.
        source: Source,
        /// If addresses may be among the bytes: pointers that the function was given. The addresses are these, or lead to memory of the library.
        addresses: Vec<ExprId>,
    },
    /// Writes the given bytes; read-only memory is written too (this is how string literals get their contents).
    Write {
        /// Address of the first byte.
        to: ExprId,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Copies elements of one array variable to another one, or to the same; the ranges may overlap. Undefined if a range leaves its array.
    CopyElems {
        /// Where to; its elements have the type of those that are copied.
        to: VarId,
        /// Index of the first element there.
        at: ExprId,
        /// Where from.
        from: VarId,
        /// Index of the first element there.
        start: ExprId,
        /// Number of elements, an unsigned integer.
        count: ExprId,
    },
    /// Sets elements of an array variable to one value. Undefined if the range leaves the array.
    FillElems {
        /// The array.
        to: VarId,
        /// Index of the first element.
        at: ExprId,
        /// The value; it has the type of the elements.
        value: ExprId,
        /// Number of elements, an unsigned integer.
        count: ExprId,
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

impl Place {
    /// The expression that says where: index or address.
    pub fn expr(&self) -> Option<ExprId> {
        match *self {
            Self::Var(_) => None,
            Self::Elem { index, .. } => Some(index),
            Self::Mem { addr, .. } | Self::Bits { addr, .. } => Some(addr),
        }
    }
    /// The variable that is written, unless it is memory.
    pub fn var(&self) -> Option<VarId> {
        match *self {
            Self::Var(var) | Self::Elem { array: var, .. } => Some(var),
            Self::Mem { .. } | Self::Bits { .. } => None,
        }
    }
    /// The same place with other expressions and variables.
    #[must_use]
    pub fn map(&self, expr: &mut impl FnMut(ExprId) -> ExprId, var: &mut impl FnMut(VarId) -> VarId) -> Self {
        match *self {
            Self::Var(scalar) => Self::Var(var(scalar)),
            Self::Elem { array, index } => Self::Elem { array: var(array), index: expr(index) },
            Self::Mem { addr, ty } => Self::Mem { addr: expr(addr), ty },
            Self::Bits { addr, bit, ty } => Self::Bits { addr: expr(addr), bit, ty },
        }
    }
}

impl HaltReason {
    /// The same reason with renamed expressions.
    fn map(self, expr: &mut impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Exit(status) => Self::Exit(expr(status)),
            Self::Abort | Self::Overlap | Self::Misuse => self,
        }
    }
}

impl Callee {
    /// The same callee of renamed expressions.
    fn map(&self, expr: &mut impl FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Direct(target) => Self::Direct(*target),
            Self::Indirect { pointer, targets } => {
                Self::Indirect { pointer: expr(*pointer), targets: targets.clone() }
            }
        }
    }
}

impl Op {
    /// The places that are written, in order.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        let (one, many): (Option<&Place>, &[Option<Place>]) = match self {
            Self::Assign { place, .. }
            | Self::Havoc { place, .. }
            | Self::Malloc { place, .. }
            | Self::Realloc { place, .. } => (Some(place), &[]),
            Self::Output { result, .. } => (result.as_ref(), &[]),
            Self::Call { results, .. } => (None, results),
            Self::Assume { .. }
            | Self::Init { .. }
            | Self::Allocate { .. }
            | Self::Begin { .. }
            | Self::End { .. }
            | Self::Free { .. }
            | Self::Release { .. }
            | Self::Copy { .. }
            | Self::Fill { .. }
            | Self::Forget { .. }
            | Self::Write { .. }
            | Self::CopyElems { .. }
            | Self::FillElems { .. }
            | Self::Halt { .. } => (None, &[]),
        };
        one.into_iter().chain(many.iter().flatten())
    }
    /// The expressions whose values are used, those of [`Op::places`] apart.
    pub fn values(&self) -> impl Iterator<Item = ExprId> {
        let (few, many): ([Option<ExprId>; 3], &[ExprId]) = match self {
            Self::Assign { value, .. } => ([Some(*value), None, None], &[]),
            Self::Assume { cond } => ([Some(*cond), None, None], &[]),
            Self::Havoc { .. } | Self::Init { .. } | Self::Begin { .. } | Self::End { .. } => {
                ([None; 3], &[])
            }
            Self::Allocate { length, .. } => ([Some(*length), None, None], &[]),
            Self::Malloc { size, .. } => ([Some(*size), None, None], &[]),
            Self::Realloc { old, size, .. } => ([Some(*old), Some(*size), None], &[]),
            Self::Free { addr } | Self::Release { addr } => ([Some(*addr), None, None], &[]),
            Self::Copy { to, from, length } => ([Some(*to), Some(*from), Some(*length)], &[]),
            Self::Fill { to, byte, length } => ([Some(*to), Some(*byte), Some(*length)], &[]),
            Self::Forget { to, length, addresses, .. } => ([Some(*to), Some(*length), None], addresses),
            Self::Write { to, .. } => ([Some(*to), None, None], &[]),
            Self::CopyElems { at, start, count, .. } => ([Some(*at), Some(*start), Some(*count)], &[]),
            Self::FillElems { at, value, count, .. } => ([Some(*at), Some(*value), Some(*count)], &[]),
            Self::Call { callee: Callee::Direct(_), args, .. } => ([None; 3], args),
            Self::Call { callee: Callee::Indirect { pointer, .. }, args, .. } => {
                ([Some(*pointer), None, None], args)
            }
            Self::Output { args, .. } => ([None; 3], args),
            Self::Halt { reason: HaltReason::Exit(status) } => ([Some(*status), None, None], &[]),
            Self::Halt { reason: HaltReason::Abort | HaltReason::Overlap | HaltReason::Misuse } => {
                ([None; 3], &[])
            }
        };
        few.into_iter().flatten().chain(many.iter().copied())
    }
    /// All expressions that are evaluated.
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> {
        self.values().chain(self.places().filter_map(Place::expr))
    }
    /// The variables that are named outside expressions: what is written, initialised, begun or ended, and the array that elements are copied from.
    pub fn vars(&self) -> impl Iterator<Item = VarId> {
        let whole = match self {
            Self::Init { var, .. }
            | Self::Allocate { var, .. }
            | Self::Begin { var }
            | Self::End { var }
            | Self::FillElems { to: var, .. } => [Some(*var), None],
            Self::CopyElems { to, from, .. } => [Some(*to), Some(*from)],
            _ => [None, None],
        };
        whole.into_iter().flatten().chain(self.places().filter_map(Place::var))
    }
    /// The array whose elements are read outside expressions.
    pub fn copied_array(&self) -> Option<VarId> {
        match self {
            Self::CopyElems { from, .. } => Some(*from),
            _ => None,
        }
    }
    /// The procedures that a call may enter; none for other operations.
    pub fn call_targets(&self) -> &[ProcId] {
        match self {
            Self::Call { callee: Callee::Direct(target), .. } => std::slice::from_ref(target),
            Self::Call { callee: Callee::Indirect { targets, .. }, .. } => targets,
            _ => &[],
        }
    }
    /// The same operation with other expressions and variables.
    #[must_use]
    pub fn map(&self, mut expr: impl FnMut(ExprId) -> ExprId, mut var: impl FnMut(VarId) -> VarId) -> Self {
        let (expr, var) = (&mut expr, &mut var);
        match self {
            Self::Assign { place, value } => {
                Self::Assign { place: place.map(expr, var), value: expr(*value) }
            }
            Self::Assume { cond } => Self::Assume { cond: expr(*cond) },
            Self::Havoc { place, source, at } => {
                Self::Havoc { place: place.map(expr, var), source: source.clone(), at: *at }
            }
            Self::Init { var: whole, contents } => Self::Init { var: var(*whole), contents: *contents },
            Self::Allocate { var: whole, length } => {
                Self::Allocate { var: var(*whole), length: expr(*length) }
            }
            Self::Begin { var: whole } => Self::Begin { var: var(*whole) },
            Self::End { var: whole } => Self::End { var: var(*whole) },
            Self::Malloc { place, size, kind, contents } => {
                let place = place.map(expr, var);
                Self::Malloc { place, size: expr(*size), kind: *kind, contents: *contents }
            }
            Self::Realloc { place, old, size } => {
                Self::Realloc { place: place.map(expr, var), old: expr(*old), size: expr(*size) }
            }
            Self::Free { addr } => Self::Free { addr: expr(*addr) },
            Self::Release { addr } => Self::Release { addr: expr(*addr) },
            Self::Copy { to, from, length } => {
                Self::Copy { to: expr(*to), from: expr(*from), length: expr(*length) }
            }
            Self::Fill { to, byte, length } => {
                Self::Fill { to: expr(*to), byte: expr(*byte), length: expr(*length) }
            }
            Self::Forget { to, length, source, addresses } => Self::Forget {
                to: expr(*to),
                length: expr(*length),
                source: source.clone(),
                addresses: addresses.iter().map(|address| expr(*address)).collect(),
            },
            Self::Write { to, bytes } => Self::Write { to: expr(*to), bytes: bytes.clone() },
            Self::CopyElems { to, at, from, start, count } => {
                let (to, from) = (var(*to), var(*from));
                Self::CopyElems { to, at: expr(*at), from, start: expr(*start), count: expr(*count) }
            }
            Self::FillElems { to, at, value, count } => {
                Self::FillElems { to: var(*to), at: expr(*at), value: expr(*value), count: expr(*count) }
            }
            Self::Call { callee, args, results } => Self::Call {
                callee: callee.map(expr),
                args: args.iter().map(|arg| expr(*arg)).collect(),
                results: results.iter().map(|place| place.map(|place| place.map(expr, var))).collect(),
            },
            Self::Output { function, args, result } => Self::Output {
                function: *function,
                args: args.iter().map(|arg| expr(*arg)).collect(),
                result: result.map(|place| place.map(expr, var)),
            },
            Self::Halt { reason } => Self::Halt { reason: reason.map(expr) },
        }
    }
}
