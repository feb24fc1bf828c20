//! The syntax tree of one translation unit: what the text says, not what it means.
//!
//! All nodes live in the arenas of [`TranslationUnit`] and refer to each other by ids, so that dropping a tree
//! never recurses. No node knows a type; typedef names are told from other names by the parser, everything else
//! about names is left to the type checker.
//!
//! # Invariants
//! * I1: a node is pushed after its children, so the ids of an expression's operands are smaller than its own.
//! * I2: the native recursion that a walk needs is bounded by `parse::MAX_NESTING`, except along three spines that
//!   a walk must follow with a loop: the left operands of [`ExprKind::Binary`] (see [`TranslationUnit::left_spine`]; the
//!   comma is a binary operator here), the `otherwise` branches of [`StmtKind::If`] (`else if` chains), and
//!   lists (arguments, statements of a block, labels of a statement, declarators, initialisers).
//! * I3: every span is non-empty and lies in a loaded file, except those of tokens without text (implicit `int`, the empty
//!   statement after a label that ends a block), which are empty spans at the place where the text would be.
//! * I4: [`Declarator::parts`] reads from the name outwards: `int *a[3]` has parts array, pointer ("array of pointers").

mod declaration;
mod expression;
mod literal;
mod statement;

use std::sync::Arc;

use base::{IndexVec, Span, newtype_index};

use crate::lex::Name;

pub use declaration::*;
pub use expression::*;
pub use literal::*;
pub use statement::*;

newtype_index!(
    /// An expression.
    ExprId,
    "e"
);
newtype_index!(
    /// A statement.
    StmtId,
    "s"
);
newtype_index!(
    /// A declaration.
    DeclarationId,
    "d"
);
newtype_index!(
    /// A function definition.
    FunctionId,
    "fn"
);
newtype_index!(
    /// A list of declaration specifiers.
    SpecifiersId,
    "sp"
);
newtype_index!(
    /// A declarator.
    DeclaratorId,
    "dr"
);
newtype_index!(
    /// A type name, as in casts and `sizeof`.
    TypeNameId,
    "tn"
);
newtype_index!(
    /// A `struct` or `union` specifier.
    RecordId,
    "rec"
);
newtype_index!(
    /// An `enum` specifier.
    EnumId,
    "enum"
);
newtype_index!(
    /// An initialiser.
    InitializerId,
    "init"
);
newtype_index!(
    /// A string literal, concatenated.
    StringId,
    "str"
);
newtype_index!(
    /// A floating-point literal.
    FloatId,
    "fl"
);
newtype_index!(
    /// An `asm` statement or top-level `asm`.
    AsmId,
    "asm"
);

newtype_index!(
    /// A `_Generic` selection.
    GenericId,
    "gen"
);
newtype_index!(
    /// A `__builtin_offsetof`.
    OffsetofId,
    "off"
);

/// Consecutive entries of [`TranslationUnit::expr_lists`]; read with [`TranslationUnit::exprs_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ExprList {
    /// First entry.
    pub start: u32,
    /// Number of entries.
    pub len: u32,
}

/// Consecutive entries of [`TranslationUnit::stmt_lists`]; read with [`TranslationUnit::stmts_of`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct StmtList {
    /// First entry.
    pub start: u32,
    /// Number of entries.
    pub len: u32,
}

/// A parsed file with the arenas of all its nodes.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    /// The text that was parsed.
    pub text: Arc<[u8]>,
    /// External declarations in the order of the text.
    pub items: Vec<Item>,
    /// All expressions.
    pub exprs: IndexVec<ExprId, Expr>,
    /// All statements.
    pub stmts: IndexVec<StmtId, Stmt>,
    /// All declarations, also those in blocks and `for` heads.
    pub declarations: IndexVec<DeclarationId, Declaration>,
    /// All function definitions, also nested ones.
    pub functions: IndexVec<FunctionId, FunctionDefinition>,
    /// All lists of declaration specifiers.
    pub specifiers: IndexVec<SpecifiersId, Specifiers>,
    /// All declarators.
    pub declarators: IndexVec<DeclaratorId, Declarator>,
    /// All type names.
    pub type_names: IndexVec<TypeNameId, TypeName>,
    /// All `struct` and `union` specifiers, with and without body.
    pub records: IndexVec<RecordId, RecordSpecifier>,
    /// All `enum` specifiers, with and without body.
    pub enums: IndexVec<EnumId, EnumSpecifier>,
    /// All initialisers.
    pub initializers: IndexVec<InitializerId, Initializer>,
    /// All string literals.
    pub strings: IndexVec<StringId, StringLiteral>,
    /// All floating-point literals.
    pub floats: IndexVec<FloatId, FloatLiteral>,
    /// All `asm`.
    pub asms: IndexVec<AsmId, Asm>,
    /// All `_Generic` selections.
    pub generics: IndexVec<GenericId, Generic>,
    /// All `__builtin_offsetof`.
    pub offsetofs: IndexVec<OffsetofId, Offsetof>,
    /// Storage of [`ExprList`]s.
    pub expr_lists: Vec<ExprId>,
    /// Storage of [`StmtList`]s.
    pub stmt_lists: Vec<StmtId>,
    /// Which types decimal constants have.
    pub decimal_constants: DecimalConstants,
    /// Whether the compiler optimises: then it may know values that it otherwise does not.
    pub is_optimised: bool,
    /// The first `#pragma omp`, which some compilers follow.
    pub open_mp: Option<Span>,
}

/// The types that decimal constants without `u` may have (C89 3.1.3.2, C11 6.4.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalConstants {
    /// Signed ones only.
    #[default]
    C99,
    /// Where `long` does not suffice, `unsigned long`.
    C89,
}

impl TranslationUnit {
    /// The expressions of a list.
    pub fn exprs_of(&self, list: ExprList) -> &[ExprId] {
        &self.expr_lists[list.start as usize..(list.start + list.len) as usize]
    }
    /// The statements of a list.
    pub fn stmts_of(&self, list: StmtList) -> &[StmtId] {
        &self.stmt_lists[list.start as usize..(list.start + list.len) as usize]
    }
    /// The binary expressions from `expr` down its left operands, outermost first, and the first left operand that
    /// is no binary expression. The list is empty if `expr` itself is none. Does not look through parentheses.
    pub fn left_spine(&self, expr: ExprId) -> (Vec<ExprId>, ExprId) {
        let mut spine = Vec::new();
        let mut current = expr;
        while let ExprKind::Binary { left, .. } = self.exprs[current].kind {
            spine.push(current);
            current = left;
        }
        (spine, current)
    }
    /// The expression inside any parentheses.
    pub fn without_parentheses(&self, expr: ExprId) -> ExprId {
        let mut current = expr;
        while let ExprKind::Parenthesized(inner) = self.exprs[current].kind {
            current = inner;
        }
        current
    }
}

/// An identifier at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// Its name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// An external declaration. Stray semicolons leave no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A function with its body.
    Function(FunctionId),
    /// Anything declared without a body, also `_Static_assert`.
    Declaration(DeclarationId),
    /// A top-level `asm("…");`.
    Asm(AsmId),
}
