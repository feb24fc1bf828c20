//! Side-effect-free machine-typed expressions, hash-consed in one arena per program.
//!
//! # Meaning
//! An expression maps a state to a value of its type, or is *undefined* in that state (overflow, division by
//! zero, bad address, ...: see the interpreter). Evaluation is strict: an expression is undefined if any
//! operand that is evaluated is; of [`Expr::Ite`] only the condition and the chosen branch are evaluated. An
//! operation that evaluates an undefined expression ends the execution there.
//!
//! # Invariants
//! * I1: operands precede their expression in the arena, so a loop over ids in order sees children first;
//!   consumers need no recursion.
//! * I2: structurally equal expressions have equal ids.
//! * I3: types agree as stated at each variant; `Program::verify` re-checks it.
//! * I4: the bits of a constant are reduced to its width.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use base::newtype_index;

use crate::check::CheckKind;
use crate::ty::Ty;
use crate::{ProcId, VarId};

newtype_index!(
    /// An expression of a program's arena.
    ExprId,
    "e"
);

/// Operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Arithmetic negation of an integer or float; signed negation of the least value overflows.
    Neg,
    /// Complement of every bit; on [`Ty::BOOL`] this is logical negation.
    Not,
}

/// Operations on two operands. Unless stated otherwise both have the result's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum. Unsigned wraps; signed overflow is governed by the program's policy.
    Add,
    /// Difference; as [`BinaryOp::Add`].
    Sub,
    /// Product; as [`BinaryOp::Add`].
    Mul,
    /// Quotient rounded towards zero. Undefined for a zero integer divisor; least value / -1 overflows.
    Div,
    /// Remainder with the dividend's sign. Undefined as [`BinaryOp::Div`]. Integers only.
    Rem,
    /// Bitwise and; conjunction on [`Ty::BOOL`].
    And,
    /// Bitwise or; disjunction on [`Ty::BOOL`].
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift: bits leaving at the top are lost, for signed types too (as gcc defines it), unless signed overflow is an
    /// error: then a signed result that does not fit is one, as in C. The right operand is of any integer type; undefined
    /// if it is negative or not less than the width.
    Shl,
    /// Right shift, arithmetic for signed types. The right operand is as for [`BinaryOp::Shl`].
    Shr,
    /// Equality of two values of one type; the result is [`Ty::BOOL`].
    Eq,
    /// Inequality; as [`BinaryOp::Eq`].
    Ne,
    /// Less than, in the operands' signedness; the result is [`Ty::BOOL`].
    Lt,
    /// Less than or equal; as [`BinaryOp::Lt`].
    Le,
    /// `Ptr` plus a signed integer of pointer width, in bytes. Leaving the object is not undefined, accessing there is.
    PtrAdd,
    /// Difference of two pointers in bytes: a signed integer of pointer width.
    PtrSub,
}

impl BinaryOp {
    /// Whether the result is a truth value.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le)
    }
}

/// What is to be done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// To be read.
    Read,
    /// To be written.
    Write,
}

/// What may be asked about an address. The answers are those of the interpreter when it says why an access fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AddressTest {
    /// It is null, or an address near it, and belongs to no object.
    Null,
    /// It belongs to no object that could be accessed, and is not [`AddressTest::Null`].
    Wild,
    /// It belongs to an object whose lifetime is over.
    Dead,
    /// It is the start of a heap object that was freed.
    Freed,
    /// A text starts there: bytes that have values, up to one that is zero, all within one live object.
    Text,
    /// A byte that has no value stands there before the text ends, or the object does.
    VagueText,
    /// The byte there has a value that is no truth value.
    BadBool,
}

/// One node of an expression; see the module for what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant: the low `width` bits are the value's representation (for floats the IEEE or x87 encoding).
    Const {
        /// Its type. A `Ptr` constant is an address that belongs to no object; 0 is the null pointer.
        ty: Ty,
        /// Its representation.
        bits: u128,
    },
    /// The value of a scalar variable.
    Var {
        /// The variable; its storage is [`crate::Storage::Scalar`].
        var: VarId,
        /// Its type.
        ty: Ty,
    },
    /// An element of an array variable. Undefined if the index is outside the array.
    Elem {
        /// The variable; its storage is [`crate::Storage::Array`].
        array: VarId,
        /// An integer of any type.
        index: ExprId,
        /// The element type.
        ty: Ty,
    },
    /// What memory holds at an address. Undefined unless all bytes lie in one live object.
    Load {
        /// A pointer.
        addr: ExprId,
        /// The type to read.
        ty: Ty,
    },
    /// A bit-field in memory: `width` bits from bit `bit` (counted from the least significant) of the byte at `addr`.
    LoadBits {
        /// A pointer.
        addr: ExprId,
        /// First bit, 0 to 7.
        bit: u8,
        /// An integer type; its width is that of the bit-field.
        ty: Ty,
    },
    /// The address of a memory object: a variable with [`crate::Storage::Object`].
    Address {
        /// The variable.
        var: VarId,
    },
    /// The address of a procedure.
    Function {
        /// The procedure.
        proc: ProcId,
    },
    /// Whether so many bytes from an address on lie in one live object, which may be written if they are to be. Holds for no bytes.
    Accessible {
        /// A pointer.
        addr: ExprId,
        /// Number of bytes, an unsigned integer.
        length: ExprId,
        /// What for.
        access: Access,
    },
    /// Whether two pointers were made from one object, whether it lives or not, and wherever in it or outside they lead.
    SameObject {
        /// A pointer.
        one: ExprId,
        /// A pointer.
        other: ExprId,
    },
    /// Whether an address may be freed: null, or the start of a live heap object.
    Freeable {
        /// A pointer.
        addr: ExprId,
    },
    /// Whether something holds of an address.
    Test {
        /// What.
        test: AddressTest,
        /// A pointer.
        addr: ExprId,
    },
    /// Whether all that [`Expr::Load`], or [`Expr::LoadBits`] if a bit is given, would read at an address has a value. Holds where the access would be
    /// undefined.
    Initialised {
        /// A pointer.
        addr: ExprId,
        /// First bit of a bit-field, 0 to 7.
        bit: Option<u8>,
        /// The type to read.
        ty: Ty,
    },
    /// Whether there is a live heap object that no pointer in a variable of an active procedure, in a global variable, or in an object that is not lost leads to.
    Lost,
    /// An integer whose value is at least `low` and below `bound`, else undefined. With `low` 0 it is an index of an array inside an object: C does not
    /// allow to leave an array that is a part of an object, even where the object goes on. With another `low` it is the number of elements that a pointer is
    /// moved by, and beyond the bounds their size is no number of bytes; see [`limit_kind`].
    Bounded {
        /// An integer of any type.
        index: ExprId,
        /// The least value.
        low: i64,
        /// The number after the greatest value: the number of elements, or one more where only the address of an element is made.
        bound: u64,
    },
    /// Undefined in every state.
    Undefined {
        /// The type that it would have.
        ty: Ty,
    },
    /// An operation on one operand; the type is that of the operand.
    Unary {
        /// What to do.
        op: UnaryOp,
        /// The operand.
        arg: ExprId,
    },
    /// An operation on two operands.
    Binary {
        /// What to do.
        op: BinaryOp,
        /// Left operand.
        lhs: ExprId,
        /// Right operand.
        rhs: ExprId,
    },
    /// Conversion between scalar types. Integer to integer: value modulo 2^width. Integer to float: rounded to nearest.
    /// Float to integer: towards zero, undefined if it does not fit. Pointer to integer and back: the address.
    Cast {
        /// The target type.
        ty: Ty,
        /// What to convert.
        arg: ExprId,
    },
    /// `then` if `cond` holds, else `other`; only the chosen one is evaluated.
    Ite {
        /// A truth value.
        cond: ExprId,
        /// Value if it holds.
        then: ExprId,
        /// Value otherwise; same type.
        other: ExprId,
    },
}

impl Expr {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let operands = match *self {
            Self::Const { .. }
            | Self::Var { .. }
            | Self::Address { .. }
            | Self::Function { .. }
            | Self::Lost
            | Self::Undefined { .. } => [None; 3],
            Self::Elem { index: arg, .. }
            | Self::Load { addr: arg, .. }
            | Self::LoadBits { addr: arg, .. }
            | Self::Freeable { addr: arg }
            | Self::Test { addr: arg, .. }
            | Self::Initialised { addr: arg, .. }
            | Self::Bounded { index: arg, .. }
            | Self::Unary { arg, .. }
            | Self::Cast { arg, .. } => [Some(arg), None, None],
            Self::Binary { lhs, rhs, .. } | Self::SameObject { one: lhs, other: rhs } => {
                [Some(lhs), Some(rhs), None]
            }
            Self::Accessible { addr, length, .. } => [Some(addr), Some(length), None],
            Self::Ite { cond, then, other } => [Some(cond), Some(then), Some(other)],
        };
        operands.into_iter().flatten()
    }
    /// The same node with other operands.
    #[must_use]
    pub fn map_operands(&self, mut map: impl FnMut(ExprId) -> ExprId) -> Self {
        match *self {
            Self::Const { .. }
            | Self::Var { .. }
            | Self::Address { .. }
            | Self::Function { .. }
            | Self::Lost
            | Self::Undefined { .. } => *self,
            Self::Accessible { addr, length, access } => {
                Self::Accessible { addr: map(addr), length: map(length), access }
            }
            Self::SameObject { one, other } => Self::SameObject { one: map(one), other: map(other) },
            Self::Freeable { addr } => Self::Freeable { addr: map(addr) },
            Self::Test { test, addr } => Self::Test { test, addr: map(addr) },
            Self::Initialised { addr, bit, ty } => Self::Initialised { addr: map(addr), bit, ty },
            Self::Bounded { index, low, bound } => Self::Bounded { index: map(index), low, bound },
            Self::Elem { array, index, ty } => Self::Elem { array, index: map(index), ty },
            Self::Load { addr, ty } => Self::Load { addr: map(addr), ty },
            Self::LoadBits { addr, bit, ty } => Self::LoadBits { addr: map(addr), bit, ty },
            Self::Unary { op, arg } => Self::Unary { op, arg: map(arg) },
            Self::Binary { op, lhs, rhs } => Self::Binary { op, lhs: map(lhs), rhs: map(rhs) },
            Self::Cast { ty, arg } => Self::Cast { ty, arg: map(arg) },
            Self::Ite { cond, then, other } => {
                Self::Ite { cond: map(cond), then: map(then), other: map(other) }
            }
        }
    }
}

/// What an [`Expr::Bounded`] with this least value violates if its value lies outside.
pub fn limit_kind(low: i64) -> CheckKind {
    if low == 0 { CheckKind::ArrayBounds } else { CheckKind::OutOfBounds }
}

/// The arena of a program's expressions. Constructors fold nothing but what is stated.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: IndexSet<Expr, FxBuildHasher>,
    types: Vec<Ty>,
    pointer_width: u8,
}

impl Exprs {
    /// An empty arena for programs with pointers of the given width.
    pub fn new(pointer_width: u8) -> Self {
        Self { nodes: IndexSet::default(), types: Vec::new(), pointer_width }
    }
    /// Width of a pointer in bits.
    pub fn pointer_width(&self) -> u8 {
        self.pointer_width
    }
    /// The node of an id.
    pub fn get(&self, id: ExprId) -> &Expr {
        self.nodes.get_index(id.0 as usize).expect("an expression id should come from this arena")
    }
    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Ty {
        self.types[id.0 as usize]
    }
    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.types.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
    /// All expressions, operands before what uses them.
    pub fn iter(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        self.nodes.iter().enumerate().map(|(index, expr)| (ExprId(index as u32), expr))
    }
    /// The id of a node, which is added if new.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        let ty = self.infer(&expr);
        let (index, new) = self.nodes.insert_full(expr);
        if new {
            self.types.push(ty);
        }
        ExprId(u32::try_from(index).expect("an arena should hold fewer than 2^32 expressions"))
    }
    /// The type that a node has or would have.
    pub fn infer(&self, expr: &Expr) -> Ty {
        match *expr {
            Expr::Const { ty, .. }
            | Expr::Var { ty, .. }
            | Expr::Elem { ty, .. }
            | Expr::Load { ty, .. }
            | Expr::LoadBits { ty, .. }
            | Expr::Undefined { ty }
            | Expr::Cast { ty, .. } => ty,
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost => Ty::BOOL,
            Expr::Address { .. } | Expr::Function { .. } => Ty::Ptr,
            Expr::Unary { arg, .. } | Expr::Bounded { index: arg, .. } => self.ty(arg),
            Expr::Binary { op, lhs, .. } => match op {
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => Ty::BOOL,
                BinaryOp::PtrSub => Ty::signed(self.pointer_width),
                BinaryOp::PtrAdd => Ty::Ptr,
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Div
                | BinaryOp::Rem
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shl
                | BinaryOp::Shr => self.ty(lhs),
            },
            Expr::Ite { then, .. } => self.ty(then),
        }
    }
    /// The integer constant `value` modulo 2^width, or an address constant.
    pub fn int(&mut self, ty: Ty, value: i128) -> ExprId {
        self.add(Expr::Const { ty, bits: ty.bits_of(value) })
    }
    /// A truth value.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.int(Ty::BOOL, i128::from(value))
    }
    /// The value of a scalar variable.
    pub fn var(&mut self, var: VarId, ty: Ty) -> ExprId {
        self.add(Expr::Var { var, ty })
    }
    /// An operation on one operand; a double negation of a truth value is removed.
    pub fn unary(&mut self, op: UnaryOp, arg: ExprId) -> ExprId {
        match *self.get(arg) {
            Expr::Unary { op: UnaryOp::Not, arg: inner } if op == UnaryOp::Not => inner,
            _ => self.add(Expr::Unary { op, arg }),
        }
    }
    /// Logical negation of a truth value.
    #[allow(clippy::should_implement_trait)]
    pub fn not(&mut self, arg: ExprId) -> ExprId {
        self.unary(UnaryOp::Not, arg)
    }
    /// An operation on two operands.
    pub fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.add(Expr::Binary { op, lhs, rhs })
    }
    /// A conversion; none if the type is the same already.
    pub fn cast(&mut self, ty: Ty, arg: ExprId) -> ExprId {
        if self.ty(arg) == ty { arg } else { self.add(Expr::Cast { ty, arg }) }
    }
}
