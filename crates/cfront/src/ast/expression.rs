//! Expressions and operators.

use base::Span;

use super::{
    CharLiteral, Designator, ExprId, ExprList, FloatId, GenericId, Ident, InitializerId, IntegerLiteral,
    OffsetofId, StmtId, StringId, TypeNameId,
};
use crate::lex::Name;

/// How a member is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberOperator {
    /// `.`, of a value.
    Dot,
    /// `->`, through a pointer.
    Arrow,
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole expression.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// A variable, function or enumerator; `__func__` and builtins too.
    Ident(Name),
    /// An integer literal.
    Integer(IntegerLiteral),
    /// A floating-point literal.
    Float(FloatId),
    /// A character literal.
    Char(CharLiteral),
    /// A string literal, adjacent ones concatenated.
    String(StringId),
    /// `(inner)`: never changes the meaning, kept for the positions.
    Parenthesized(ExprId),
    /// A unary operator.
    Unary {
        /// Which.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// A binary operator, also `&&`, `||` and the comma. Left operands may nest arbitrarily deep (I2).
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
        /// The operator.
        op_span: Span,
    },
    /// `target = value`, `target += value`
    Assign {
        /// The operation of a compound assignment.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: ExprId,
        /// The right side.
        value: ExprId,
        /// The operator.
        op_span: Span,
    },
    /// `condition ? then : otherwise`
    Conditional {
        /// The condition.
        condition: ExprId,
        /// The first value; absent in `a ?: b`, where it is the condition's value.
        then: Option<ExprId>,
        /// The second value.
        otherwise: ExprId,
        /// The `?`.
        question: Span,
    },
    /// `callee(arguments)`; `__builtin_va_start`, `_end` and `_copy` are calls too.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments.
        arguments: ExprList,
        /// The closing parenthesis.
        close: Span,
    },
    /// `base[index]`
    Index {
        /// What stands before the brackets.
        base: ExprId,
        /// What stands between them.
        index: ExprId,
    },
    /// `base.member`, `base->member`
    Member {
        /// What stands before the operator.
        base: ExprId,
        /// The member.
        member: Ident,
        /// How.
        operator: MemberOperator,
    },
    /// `(type)operand`
    Cast {
        /// The type.
        type_name: TypeNameId,
        /// The operand.
        operand: ExprId,
    },
    /// `(type){…}`
    CompoundLiteral {
        /// The type.
        type_name: TypeNameId,
        /// The braces.
        initializer: InitializerId,
    },
    /// `sizeof expression`
    SizeofExpr(ExprId),
    /// `sizeof(type)`
    SizeofType(TypeNameId),
    /// `__alignof__ expression`
    AlignofExpr(ExprId),
    /// `_Alignof(type)`
    AlignofType(TypeNameId),
    /// `({ … })`, with its block
    StatementExpr(StmtId),
    /// `&&label`
    LabelAddress(Ident),
    /// `_Generic(…)`
    Generic(GenericId),
    /// `__builtin_va_arg(list, type)`
    VaArg {
        /// The list.
        list: ExprId,
        /// The type.
        type_name: TypeNameId,
    },
    /// `__builtin_offsetof(type, place)`
    Offsetof(OffsetofId),
    /// `__builtin_types_compatible_p(left, right)`
    TypesCompatible(TypeNameId, TypeNameId),
    /// `__builtin_choose_expr(condition, then, otherwise)`
    ChooseExpr {
        /// The constant condition.
        condition: ExprId,
        /// The value if it is not zero.
        then: ExprId,
        /// The value if it is.
        otherwise: ExprId,
    },
}

/// `_Generic(control, type: value, …, default: value)`
#[derive(Clone, Debug)]
pub struct Generic {
    /// The expression whose type decides; not evaluated.
    pub control: ExprId,
    /// Type (absent for `default`) and result of each association.
    pub associations: Vec<(Option<TypeNameId>, ExprId)>,
}

/// `__builtin_offsetof(type, place)`
#[derive(Clone, Debug)]
pub struct Offsetof {
    /// The type.
    pub type_name: TypeNameId,
    /// The way to the part; starts with a member, has no range.
    pub place: Vec<Designator>,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum UnaryOp {
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    AddressOf,
    Dereference,
    Plus,
    Minus,
    BitNot,
    LogicalNot,
    /// `__real__`
    Real,
    /// `__imag__`
    Imag,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
    Comma,
}
