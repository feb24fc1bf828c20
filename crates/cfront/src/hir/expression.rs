//! Places and expressions of the typed program.

use base::Span;

use super::{ExprId, FunctionId, PlaceId, StmtId, StringId, VariableId};
use crate::types::TypeId;

/// A place.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// The type of what it holds; may be an array or record.
    pub ty: TypeId,
    /// Its text.
    pub span: Span,
}

/// What a place is.
#[derive(Clone, Copy, Debug)]
pub enum PlaceKind {
    /// A variable.
    Variable(VariableId),
    /// What a pointer points to.
    Deref(ExprId),
    /// A field of a record place.
    Field {
        /// The record.
        base: PlaceId,
        /// The number of the field in the record's list.
        field: u32,
    },
    /// An element of an array place (`a[i]` where `a` is an array, not a pointer).
    Index {
        /// The array.
        base: PlaceId,
        /// An integer of any promoted type.
        index: ExprId,
    },
    /// A string literal.
    String(StringId),
    /// A compound literal: its evaluation initialises the variable with [`Variable::init`].
    CompoundLiteral {
        /// The unnamed variable; if static it is among [`Program::statics`] and nothing is to be evaluated.
        variable: VariableId,
    },
    /// A record value that is no lvalue (the result of a call, say) of which a field is selected.
    Value(ExprId),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: TypeId,
    /// Its text.
    pub span: Span,
}

/// An operation of arithmetic: both operands have the type of the result, except for shifts, whose right operand has its own
/// promoted type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum ArithmeticOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    And,
    Xor,
    Or,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Which way a pointer or number moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Up: `+`, `++`.
    Forward,
    /// Down: `-`, `--`.
    Backward,
}

/// Where `++` or `--` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepForm {
    /// Before the operand: the value is the new one.
    Prefix,
    /// After the operand: the value is the old one.
    Postfix,
}

/// The size of what a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementSize {
    /// Known; 1 for `void` and functions as GNU C has it.
    Fixed(u64),
    /// That of a type of variable length, see [`ExprKind::SizeofVariable`].
    Variable(TypeId),
}

/// Whom a call enters.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// A function by its name.
    Direct(FunctionId),
    /// Through a pointer.
    Indirect(ExprId),
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, enumeration or pointer constant.
    Int(i128),
    /// A floating-point constant, in the encoding of its type.
    Float(u128),
    /// What a place holds: a scalar or a record.
    Load(PlaceId),
    /// A pointer to a place (`&x`).
    AddressOf(PlaceId),
    /// A pointer to the first element of an array place.
    Decay(PlaceId),
    /// A pointer to a function.
    FunctionAddress(FunctionId),
    /// Negation of a number; promoted already.
    Negate(ExprId),
    /// `~` of an integer; promoted already.
    BitNot(ExprId),
    /// `!` of a scalar; the result is `int`.
    LogicalNot(ExprId),
    /// Arithmetic.
    Arithmetic {
        /// What to do.
        op: ArithmeticOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// Comparison of two operands of one type, numbers or pointers; the result is `int`.
    Compare {
        /// Which.
        op: CompareOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// A pointer moved by elements.
    PointerOffset {
        /// The pointer, of the result's type.
        pointer: ExprId,
        /// An integer of any promoted type.
        index: ExprId,
        /// Size of an element.
        element: ElementSize,
        /// Which way.
        direction: Direction,
    },
    /// Number of elements between two pointers; the result is `ptrdiff_t`.
    PointerDifference {
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
        /// Size of an element.
        element: ElementSize,
    },
    /// `&&` of scalars; the result is `int`.
    LogicalAnd(ExprId, ExprId),
    /// `||` of scalars; the result is `int`.
    LogicalOr(ExprId, ExprId),
    /// `c ? a : b`; both branches have the result's type (perhaps `void` or a record).
    Conditional {
        /// A scalar.
        condition: ExprId,
        /// If it is not zero.
        then: ExprId,
        /// If it is.
        otherwise: ExprId,
        /// The `?`.
        question: Span,
    },
    /// `a ?: b`: the condition is evaluated once, and converted to the result's type if it is not zero.
    ConditionalValue {
        /// A scalar.
        condition: ExprId,
        /// If it is zero.
        otherwise: ExprId,
        /// The `?`.
        question: Span,
    },
    /// The first is evaluated and dropped, the second is the value.
    Comma(ExprId, ExprId),
    /// Stores a value of the place's type; the value of the expression is what the place then holds (bit-fields
    /// reduced).
    Assign {
        /// Where.
        place: PlaceId,
        /// What.
        value: ExprId,
    },
    /// `place op= value` for numbers: the old value is converted to `computation`, the operation done there, and the result
    /// converted back. The place is evaluated once.
    CompoundAssign {
        /// Where.
        place: PlaceId,
        /// What to do.
        op: ArithmeticOp,
        /// Right operand, of type `computation` (of its own promoted type for shifts).
        value: ExprId,
        /// Type of the left operand and result of the operation.
        computation: TypeId,
    },
    /// `place += index` or `-=` for pointers.
    PointerAssign {
        /// Where.
        place: PlaceId,
        /// An integer of any promoted type.
        index: ExprId,
        /// Size of an element.
        element: ElementSize,
        /// Which way.
        direction: Direction,
    },
    /// `++` and `--` of a number or pointer.
    Step {
        /// Where.
        place: PlaceId,
        /// `++` goes forward, `--` backward.
        direction: Direction,
        /// Before or after the operand.
        form: StepForm,
        /// For pointers the size of an element.
        element: Option<ElementSize>,
    },
    /// Conversion of a scalar to the expression's type, or of anything to `void`.
    Convert(ExprId),
    /// A call; arguments have the parameters' types, those beyond the prototype are promoted.
    Call {
        /// Whom.
        callee: Callee,
        /// With what.
        args: Vec<ExprId>,
        /// The closing parenthesis.
        close: Span,
    },
    /// A builtin that is no function.
    Builtin {
        /// Which.
        builtin: Builtin,
        /// With what, of the types stated at the builtin.
        args: Vec<ExprId>,
    },
    /// `({ … })`
    StatementExpr {
        /// The statements, in a scope of their own.
        body: Vec<StmtId>,
        /// The value: the last expression statement of the block, not among `body`.
        value: Option<ExprId>,
    },
    /// The size in bytes of a type of variable length, from its bounds; `size_t`.
    SizeofVariable(TypeId),
    /// `__builtin_va_arg(list, type)`; the type is the expression's.
    VaArg(PlaceId),
}

/// Builtins that are not functions with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `__builtin_unreachable()`
    Unreachable,
    /// `__builtin_trap()`
    Trap,
    /// `__builtin_va_start(list, last)`: one argument, the address of the list.
    VaStart,
    /// `__builtin_va_end(list)`: the address of the list.
    VaEnd,
    /// `__builtin_va_copy(to, from)`: the addresses of both lists.
    VaCopy,
    /// `__builtin_alloca(size)`: `size_t`; the result is `void *`.
    Alloca,
    /// `__builtin_{add,sub,mul}_overflow(a, b, &result)`: two integers of any type and a pointer to an integer; the result is
    /// `_Bool`, computed as if exactly.
    Overflow(ArithmeticOp),
    /// Count of leading zero bits of an unsigned integer; undefined for 0; the result is `int`.
    CountLeadingZeros,
    /// Count of trailing zero bits; as above.
    CountTrailingZeros,
    /// Number of one bits; the result is `int`.
    PopCount,
    /// Parity of the number of one bits; the result is `int`.
    Parity,
    /// One plus the index of the least significant one bit of a signed integer, or 0; `int`.
    FindFirstSet,
    /// Bytes reversed; operand and result of the same unsigned type.
    ByteSwap,
    /// `isnan`: a float; `int`.
    IsNan,
    /// `isinf` as gcc has it: 1, 0 or -1; `int`.
    IsInf,
    /// `isfinite`: `int`.
    IsFinite,
    /// `signbit`: `int`, not zero if set.
    SignBit,
    /// `fabs` of the operand's type.
    FloatAbs,
    /// `copysign` of two operands of one type.
    CopySign,
    /// What a compiler may find out or not, depending on how it optimises: the operand is the answer of one that finds out nothing.
    CompilersChoice(CompilersChoice),
}

/// Builtins whose value depends on how a compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompilersChoice {
    /// `__builtin_object_size`
    ObjectSize,
    /// `__builtin_constant_p`
    ConstantP,
}
