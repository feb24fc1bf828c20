//! The typed program: what the text means by C's rules, before any decision about control-flow automata.
//!
//! The checker builds it from the syntax trees of all translation units; the lowering reads it. All names are resolved, all
//! implicit conversions are explicit, all constants are folded where C requires constants, initialisers are
//! flattened, positions are kept.
//!
//! # Invariants
//! * H1: operands precede the expression or place that uses them in the arenas. A walk may recurse only as deep as the
//!   nesting of the text allows (`parse::MAX_NESTING`); left-deep chains of binary operators, `&&`, `||` and commas may be
//!   arbitrarily deep and are walked with a loop.
//! * H2: an expression's type is complete and is never an array or a function (those decay); it is `void` only where C allows
//!   it. It may be a record.
//! * H3: operand types are as stated at each variant; the lowering inserts no conversion of its own except from a scalar to
//!   a truth value.
//! * H4: the expression of an initialiser or assignment has the type of what it is stored to (for a bit-field: its declared type; storing
//!   reduces it to the field's width).

mod expression;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{IndexVec, Span, newtype_index};
use rustc_hash::FxHashSet;

pub use expression::*;

use crate::types::{TypeId, Types};

newtype_index!(
    /// A variable: global, static local, parameter, local, or hidden.
    VariableId,
    "var"
);
newtype_index!(
    /// A function, defined or only declared.
    FunctionId,
    "fun"
);
newtype_index!(
    /// An expression.
    ExprId,
    "e"
);
newtype_index!(
    /// A place: what C calls an lvalue, and array-valued or record-valued operands.
    PlaceId,
    "pl"
);
newtype_index!(
    /// A statement.
    StmtId,
    "s"
);
newtype_index!(
    /// A label of a function.
    LabelId,
    "lab"
);
newtype_index!(
    /// A string literal.
    StringId,
    "str"
);

/// A whole program: all translation units linked.
#[derive(Clone, Debug)]
pub struct Program {
    /// All types.
    pub types: Types,
    /// All variables.
    pub variables: IndexVec<VariableId, Variable>,
    /// All functions.
    pub functions: IndexVec<FunctionId, Function>,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All places.
    pub places: IndexVec<PlaceId, Place>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// All labels.
    pub labels: IndexVec<LabelId, Label>,
    /// All string literals with their terminating zero, as bytes in memory order; equal literals may be shared.
    pub strings: IndexVec<StringId, StringLiteral>,
    /// Variables with static storage duration, in the order in which they are to be initialised.
    pub statics: Vec<VariableId>,
    /// Functions whose body is an inline definition: with external linkage, a compiler may call another one instead.
    pub inline_definitions: FxHashSet<FunctionId>,
    /// Calls of functions that are declared without prototype, with arguments that their definition does not take: undefined.
    pub misfits: FxHashSet<ExprId>,
    /// Functions with an inline definition and another, different one: C does not specify which of them is called (C11 6.7.4p7).
    pub ambiguous_definitions: FxHashSet<FunctionId>,
    /// What functions promise to the optimiser, and by what.
    pub promises: BTreeMap<FunctionId, BTreeSet<String>>,
    /// Functions with several definitions in the same words.
    pub repeated_definitions: FxHashSet<FunctionId>,
    /// Operations in initialisers of static objects whose results do not fit.
    pub static_overflows: Vec<StaticOverflow>,
}

/// A signed operation in the initialiser of a static object whose result does not fit. The object is initialised with the value that gcc
/// computes, modulo 2^n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticOverflow {
    /// The whole value, with the operation.
    pub value: ExprId,
    /// The operation.
    pub operation: ExprId,
    /// The compound literal, if the object is one: those that nobody refers to may be operands of `sizeof`.
    pub literal: Option<VariableId>,
}

/// A string literal as an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// Its bytes, terminating zero included, little endian for wide characters.
    pub bytes: Arc<[u8]>,
    /// Its array type.
    pub ty: TypeId,
    /// Where it first stands.
    pub span: Span,
}

/// How long a variable lives and who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageDuration {
    /// The whole execution; `static` locals too.
    Static,
    /// A parameter.
    Parameter,
    /// From the entry of its block to its end; compound literals in functions too.
    Automatic,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; hidden ones start with `%`.
    pub name: Arc<str>,
    /// Its type, complete (an `extern` array of unknown size that is never defined stays incomplete).
    pub ty: TypeId,
    /// How long it lives.
    pub duration: StorageDuration,
    /// Whether it has external linkage and no definition in any unit: its value is arbitrary.
    pub is_extern: bool,
    /// Whether it is declared `volatile`.
    pub is_volatile: bool,
    /// Whether it is declared `const`, or an array of what is.
    pub is_const: bool,
    /// The number of elements if it is a parameter that is declared as an array of constant length.
    pub extent: Option<u64>,
    /// The function that it belongs to (static locals too).
    pub function: Option<FunctionId>,
    /// Its initialiser if it is static or a compound literal; those of other locals are in [`StmtKind::Declare`].
    pub init: Option<Initializer>,
    /// Alignment demanded beyond that of its type.
    pub align: Option<u64>,
    /// The declarator's name.
    pub declared: Span,
    /// Where it is visible: from its declarator to the end of its block or file.
    pub scope: Span,
}

/// A flattened initialiser: parts are written in order, later ones win.
#[derive(Clone, Debug)]
pub struct Initializer {
    /// Whether all that no item names is zero (true for every brace list and every static; false only for scalars and
    /// records initialised by one expression).
    pub zero_rest: bool,
    /// What is written.
    pub items: Vec<InitItem>,
    /// The text.
    pub span: Span,
}

/// One write of an initialiser.
#[derive(Clone, Debug)]
pub struct InitItem {
    /// The part of the variable, from the outside in; empty for all of it.
    pub path: Vec<Projection>,
    /// What goes there.
    pub value: InitValue,
}

/// What an initialiser writes.
#[derive(Clone, Debug)]
pub enum InitValue {
    /// A value of the part's type.
    Expr(ExprId),
    /// The elements of a character array, as bytes; the rest of the array is zero. Cut to the array's size.
    Bytes(Arc<[u8]>),
}

/// A step to a part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Projection {
    /// The field of this number in the record's list.
    Field(u32),
    /// The element of this index.
    Index(u64),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Its type, a [`crate::types::Type::Function`].
    pub ty: TypeId,
    /// Whether it is declared not to return.
    pub noreturn: bool,
    /// Whether other units see it.
    pub external: bool,
    /// Its parameters and body, if it is defined.
    pub body: Option<Body>,
    /// Its name in its definition, or in its first declaration.
    pub declared: Span,
    /// The first call that declares it implicitly, because no declaration is visible there.
    pub implicit: Option<Span>,
    /// What its body has that is not supported; then the body is empty, and the function must not be called.
    pub refused: Option<Box<base::Diagnostic>>,
}

/// What a function does.
#[derive(Clone, Debug)]
pub struct Body {
    /// One variable per parameter.
    pub params: Vec<VariableId>,
    /// A [`StmtKind::Block`].
    pub block: StmtId,
    /// All labels of the function.
    pub labels: Vec<LabelId>,
    /// From the first specifier to the closing brace.
    pub span: Span,
}

/// A label.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub span: Span,
}

// ---------------------------------------------------------------------------------------------------------
// Statements

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of it, with its semicolon.
    pub span: Span,
    /// Its keyword; its first token if it has none.
    pub keyword: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Nothing.
    Empty,
    /// An expression whose value is dropped.
    Expr(ExprId),
    /// Execution reaches the declaration of a local variable. If the variable has a type of variable length, its bounds
    /// are set first by [`StmtKind::SetBound`] statements before this one.
    Declare {
        /// The variable.
        variable: VariableId,
        /// Its initialiser.
        init: Option<Initializer>,
    },
    /// Sets the hidden bound of a variable length array type; undefined behaviour unless positive.
    SetBound {
        /// A hidden variable of type `size_t`.
        bound: VariableId,
        /// Its value, of type `size_t` (converted from a signed type if the text has one).
        value: ExprId,
    },
    /// `{ … }`: a scope.
    Block(Vec<StmtId>),
    /// A named label and its statement.
    Labeled(LabelId, StmtId),
    /// `if`
    If {
        /// A scalar.
        condition: ExprId,
        /// First branch.
        then: StmtId,
        /// Second branch; chains of `else if` may be arbitrarily long.
        otherwise: Option<StmtId>,
    },
    /// `while`
    While {
        /// A scalar.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do`
    DoWhile {
        /// The body.
        body: StmtId,
        /// A scalar.
        condition: ExprId,
        /// The word `while`.
        while_keyword: Span,
    },
    /// `for`: a scope around its first clause.
    For {
        /// First clause.
        init: Vec<StmtId>,
        /// Second clause, a scalar.
        condition: Option<ExprId>,
        /// Third clause.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`: its cases stand in the body as [`StmtKind::Case`] and [`StmtKind::Default`].
    Switch {
        /// An integer of promoted type.
        scrutinee: ExprId,
        /// The body.
        body: StmtId,
        /// All cases of this switch in the order of the text: inclusive ranges of values of the scrutinee's type, and the
        /// case statement; they do not overlap.
        cases: Vec<(i128, i128, StmtId)>,
        /// The default statement, if any.
        default: Option<StmtId>,
    },
    /// `case` and its statement.
    Case(StmtId),
    /// `default` and its statement.
    Default(StmtId),
    /// `goto`
    Goto(LabelId),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`, with a value of the function's result type
    Return(Option<ExprId>),
    /// An `asm` without operands and with a template that does nothing (empty, or comments), e.g. a compiler barrier.
    Barrier,
}
