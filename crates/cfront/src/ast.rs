//! The syntax tree of one translation unit: what the text says, not what it means.
//!
//! All nodes live in the arenas of [`TranslationUnit`] and refer to each other by ids, so that dropping a tree
//! never recurses. No node knows a type; typedef names are told from other names by the parser, everything else
//! about names is left to the type checker.
//!
//! # Invariants
//! * I1: a node is pushed after its children, so the ids of an expression's operands are smaller than its own.
//! * I2: the native recursion that a walk needs is bounded by `parse::NESTING_LIMIT`, except along three spines that
//!   a walk must follow with a loop: the left operands of [`ExprKind::Binary`] (see [`TranslationUnit::left_spine`]; the
//!   comma is a binary operator here), the `otherwise` branches of [`StmtKind::If`] (`else if` chains), and
//!   lists (arguments, statements of a block, labels of a statement, declarators, initialisers).
//! * I3: every span is non-empty and lies in a loaded file, except those of tokens without text (implicit `int`, the empty
//!   statement after a label that ends a block), which are empty spans at the place where the text would be.
//! * I4: [`Declarator::parts`] reads from the name outwards: `int *a[3]` has parts array, pointer ("array of pointers").

use base::{IndexVec, Span, newtype_index};

use crate::lex::Name;

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

// ---------------------------------------------------------------------------------------------------------
// Declarations

/// A declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What it declares.
    pub kind: DeclarationKind,
    /// From the first specifier to the semicolon.
    pub span: Span,
}

/// The two forms of a declaration.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// Specifiers and declarators: variables, functions, typedefs; without declarators: tags.
    Plain {
        /// What comes before the first declarator.
        specifiers: SpecifiersId,
        /// What is declared.
        declarators: Vec<InitDeclarator>,
    },
    /// `_Static_assert(condition, "message");`
    StaticAssert {
        /// What must not be zero.
        condition: ExprId,
        /// The message, if given.
        message: Option<StringId>,
    },
}

/// One declarator of a declaration with its initialiser.
#[derive(Clone, Copy, Debug)]
pub struct InitDeclarator {
    /// The declarator.
    pub declarator: DeclaratorId,
    /// What follows `=`.
    pub initializer: Option<InitializerId>,
}

/// A function with its body.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// What comes before the declarator; implicit `int` if nothing does.
    pub specifiers: SpecifiersId,
    /// The declarator; it has a name, and its first part is a function.
    pub declarator: DeclaratorId,
    /// The declarations between declarator and body of a K&R definition.
    pub parameter_declarations: Vec<DeclarationId>,
    /// The body, a [`StmtKind::Block`].
    pub body: StmtId,
    /// From the first specifier to the closing brace.
    pub span: Span,
}

/// The specifiers of a declaration, parameter, member or type name, combined.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto`, `register`, with its place.
    pub storage: Option<(Storage, Span)>,
    /// `_Thread_local`, `__thread`.
    pub thread_local: bool,
    /// `inline` and its spellings.
    pub inline: bool,
    /// `_Noreturn` or the attribute `noreturn`.
    pub noreturn: bool,
    /// The qualifiers of the specified type.
    pub qualifiers: Qualifiers,
    /// The arguments of `_Alignas`.
    pub alignas: Vec<AlignasArgument>,
    /// The attributes among the specifiers, except those that belong to a record or enum.
    pub attributes: Vec<Attribute>,
    /// The type.
    pub kind: TypeSpecifier,
    /// Where the type stands: the record, the typedef name, the keywords; empty if `int` is implicit.
    pub type_span: Span,
    /// All specifiers.
    pub span: Span,
}

/// A storage class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// Type qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(clippy::struct_excessive_bools)] // four independent facts
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic` without parentheses
    pub is_atomic: bool,
}

/// What `_Alignas` and `__attribute__((aligned(…)))` are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignasArgument {
    /// A number of bytes.
    Expr(ExprId),
    /// As aligned as a type.
    Type(TypeNameId),
}

/// The type that the specifiers name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeSpecifier {
    /// A type of keywords; also implicit `int`.
    Builtin(BuiltinType),
    /// `_Complex` of a type of keywords.
    Complex(BuiltinType),
    /// `struct` or `union`.
    Record(RecordId),
    /// `enum`.
    Enum(EnumId),
    /// A typedef name in scope.
    Typedef(Name),
    /// `typeof(expression)`, not evaluated unless its type is variably modified.
    TypeofExpr(ExprId),
    /// `typeof(type)`
    TypeofType(TypeNameId),
    /// `_Atomic(type)`
    Atomic(TypeNameId),
    /// `__auto_type`
    AutoType,
    /// `__builtin_va_list`
    VaList,
}

/// A type of keywords, with the order of the keywords forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum BuiltinType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float,
    Double,
    LongDouble,
    /// `_Float16`
    Float16,
    /// `_Float32`
    Float32,
    /// `_Float64`
    Float64,
    /// `_Float128`, `__float128`
    Float128,
    /// `_Float32x`
    Float32x,
    /// `_Float64x`
    Float64x,
}

/// An attribute that matters; all others are dropped by the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// What it says.
    pub kind: AttributeKind,
    /// Where it stands.
    pub span: Span,
}

/// What an attribute says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// `packed`
    Packed,
    /// `aligned(n)`; without argument: as aligned as any type.
    Aligned(Option<AlignasArgument>),
    /// `noreturn`
    Noreturn,
    /// `mode(QI)` and the like, without underscores.
    Mode(Name),
    /// `transparent_union`
    TransparentUnion,
    /// `vector_size(n)`
    VectorSize(ExprId),
    /// `#pragma pack(n)` is in force where a record's body ends: no member is aligned to more than `n` bytes.
    /// Only among the attributes of a record.
    MaxAlign(u8),
    /// An attribute that changes the meaning of the program and has no form of its own here, by name: `cleanup`,
    /// `constructor`, `destructor`, `alias`, `ifunc`, `weakref`, `scalar_storage_order`, `ms_struct`. To be reported if
    /// it is not modelled.
    Other(Name),
}

/// A `struct` or `union` specifier.
#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag, if any.
    pub tag: Option<Ident>,
    /// The members, if there is a body.
    pub members: Option<Vec<MemberDeclaration>>,
    /// Attributes after the keyword or after the closing brace.
    pub attributes: Vec<Attribute>,
    /// The keyword.
    pub keyword: Span,
    /// From the keyword to the tag, the closing brace or the last attribute.
    pub span: Span,
}

/// `struct` or `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum RecordKind {
    Struct,
    Union,
}

/// One declaration in a record.
#[derive(Clone, Debug)]
pub enum MemberDeclaration {
    /// Members; without declarators an anonymous record (or a declaration of a tag).
    Members {
        /// Their common type.
        specifiers: SpecifiersId,
        /// The members.
        declarators: Vec<MemberDeclarator>,
        /// Up to the semicolon.
        span: Span,
    },
    /// `_Static_assert` in a record, a [`DeclarationKind::StaticAssert`].
    StaticAssert(DeclarationId),
}

/// One member.
#[derive(Clone, Copy, Debug)]
pub struct MemberDeclarator {
    /// Name and type; an unnamed bit-field has neither name nor parts.
    pub declarator: DeclaratorId,
    /// The width of a bit-field.
    pub width: Option<ExprId>,
    /// The declarator and its width.
    pub span: Span,
}

/// An `enum` specifier.
#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    /// The tag, if any.
    pub tag: Option<Ident>,
    /// The enumerators, if there is a body.
    pub enumerators: Option<Vec<Enumerator>>,
    /// Attributes after the keyword or after the closing brace.
    pub attributes: Vec<Attribute>,
    /// The keyword.
    pub keyword: Span,
    /// From the keyword to the tag, the closing brace or the last attribute.
    pub span: Span,
}

/// One enumerator.
#[derive(Clone, Copy, Debug)]
pub struct Enumerator {
    /// Its name.
    pub ident: Ident,
    /// What follows `=`.
    pub value: Option<ExprId>,
}

/// What a declarator adds to the specified type, see I4.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The declared name; absent in type names and some parameters.
    pub ident: Option<Ident>,
    /// How to get from the name to the specified type.
    pub parts: Vec<DeclaratorPart>,
    /// Attributes inside or after the declarator.
    pub attributes: Vec<Attribute>,
    /// The string of `asm("symbol")` after the declarator.
    pub asm_label: Option<StringId>,
    /// The whole declarator; empty if it has no text.
    pub span: Span,
}

/// One step of a declarator.
#[derive(Clone, Debug)]
pub enum DeclaratorPart {
    /// A pointer to the rest.
    Pointer {
        /// Qualifiers of the pointer itself.
        qualifiers: Qualifiers,
    },
    /// An array of the rest.
    Array {
        /// How many elements.
        size: ArraySize,
        /// Qualifiers between the brackets of a parameter.
        qualifiers: Qualifiers,
        /// `[static n]`
        is_static: bool,
        /// The brackets.
        span: Span,
    },
    /// A function that returns the rest.
    Function {
        /// Its parameters.
        parameters: Parameters,
        /// The parentheses.
        span: Span,
    },
}

/// What stands between the brackets of an array declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[n]`
    Expr(ExprId),
}

/// What stands between the parentheses of a function declarator.
#[derive(Clone, Debug)]
pub enum Parameters {
    /// A prototype; `(void)` is the empty one. One unnamed parameter of a typedef that means `void` must be
    /// treated as empty by the type checker.
    Prototype {
        /// The parameters.
        parameters: Vec<Parameter>,
        /// Whether `...` follows.
        variadic: bool,
    },
    /// `()`, or the names of a K&R definition.
    Identifiers(Vec<Ident>),
}

/// One parameter of a prototype.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its specifiers.
    pub specifiers: SpecifiersId,
    /// Its declarator, perhaps without name.
    pub declarator: DeclaratorId,
    /// The whole parameter.
    pub span: Span,
}

/// A type name.
#[derive(Clone, Copy, Debug)]
pub struct TypeName {
    /// Its specifiers and qualifiers.
    pub specifiers: SpecifiersId,
    /// Its abstract declarator.
    pub declarator: DeclaratorId,
    /// The whole type name.
    pub span: Span,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub struct Initializer {
    /// What it is.
    pub kind: InitializerKind,
    /// The expression, or the braces.
    pub span: Span,
}

/// The two forms of an initialiser.
#[derive(Clone, Debug)]
pub enum InitializerKind {
    /// One expression.
    Expr(ExprId),
    /// A list in braces, perhaps empty.
    List(Vec<InitializerItem>),
}

/// One entry of an initialiser list.
#[derive(Clone, Debug)]
pub struct InitializerItem {
    /// Where the value goes; empty: the next place.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: InitializerId,
}

/// A step to a part of an object.
#[derive(Clone, Copy, Debug)]
pub enum Designator {
    /// `.member`, or the old `member:`.
    Member(Ident),
    /// `[index]`
    Index(ExprId),
    /// `[first ... last]`
    Range(ExprId, ExprId),
}

// ---------------------------------------------------------------------------------------------------------
// Statements

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// The whole statement, with its semicolon.
    pub span: Span,
    /// Its keyword; its first token if it has none (the opening brace of a block).
    pub keyword: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// An expression and a semicolon.
    Expr(ExprId),
    /// A declaration in a block. It is in the scope of that block even if it follows a label.
    Declaration(DeclarationId),
    /// A function defined inside a function.
    NestedFunction(FunctionId),
    /// `__label__ a, b;`
    LocalLabels(Vec<Ident>),
    /// `{ … }`
    Block {
        /// The statements.
        items: StmtList,
        /// The closing brace.
        close: Span,
    },
    /// Labels and the statement that they mark; an empty statement if the block ends.
    Labeled {
        /// At least one label.
        labels: Vec<Label>,
        /// The marked statement, not itself labeled.
        body: StmtId,
    },
    /// `if`
    If {
        /// The condition.
        condition: ExprId,
        /// The first branch.
        then: StmtId,
        /// The second branch.
        otherwise: Option<StmtId>,
    },
    /// `while`
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do … while (…);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        condition: ExprId,
        /// The word `while`.
        while_keyword: Span,
    },
    /// `for`
    For {
        /// The first clause.
        init: ForInit,
        /// The second clause.
        condition: Option<ExprId>,
        /// The third clause.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`
    Switch {
        /// What is compared.
        scrutinee: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `goto label;`
    Goto(Ident),
    /// `goto *expression;`
    ComputedGoto(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`, `return expression;`
    Return(Option<ExprId>),
    /// An `asm` statement.
    Asm(AsmId),
}

/// The first clause of a `for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForInit {
    /// Nothing.
    None,
    /// An expression.
    Expr(ExprId),
    /// A declaration, which ends with the clause's semicolon.
    Declaration(DeclarationId),
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Which kind.
    pub kind: LabelKind,
    /// From the first token to the colon.
    pub span: Span,
    /// `case`, `default`, or the name.
    pub keyword: Span,
}

/// Which kind of label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// `name:`
    Named(Name),
    /// `case value:`
    Case(ExprId),
    /// `case first ... last:`
    CaseRange(ExprId, ExprId),
    /// `default:`
    Default,
}

/// An `asm`, recognised so that it can be reported.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The template.
    pub template: StringId,
    /// Whether there are operands or clobbers (a colon after the template).
    pub has_operands: bool,
    /// Whether it is `asm goto`.
    pub is_goto: bool,
    /// The expressions among the operands, outputs first.
    pub operands: ExprList,
    /// From the keyword to the semicolon.
    pub span: Span,
}

// ---------------------------------------------------------------------------------------------------------
// Expressions

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
        /// Whether it is `->`.
        arrow: bool,
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

/// An integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The value in four parts, lowest first: keeps expressions small. Read it with [`IntegerLiteral::value`].
    pub limbs: [u32; 4],
    /// Whether it is decimal: then it never gets an unsigned type unless its suffix says so.
    pub decimal: bool,
    /// The suffix.
    pub suffix: IntegerSuffix,
}

impl IntegerLiteral {
    /// A literal of a value.
    pub fn new(value: u128, decimal: bool, suffix: IntegerSuffix) -> Self {
        let limbs = [value as u32, (value >> 32) as u32, (value >> 64) as u32, (value >> 96) as u32];
        Self { limbs, decimal, suffix }
    }
    /// Its value.
    pub fn value(self) -> u128 {
        self.limbs.iter().rev().fold(0, |value, limb| value << 32 | u128::from(*limb))
    }
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct IntegerSuffix {
    /// `u`
    pub unsigned: bool,
    /// None, `l` or `ll`: 0, 1 or 2.
    pub long: u8,
    /// `i` or `j` of GNU C: an imaginary number.
    pub imaginary: bool,
}

/// A floating-point literal: its text decides, so that it can be rounded to any format exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatLiteral {
    /// Digits, point and exponent, decimal or hexadecimal (`0x1.8p3`), without suffix.
    pub text: Box<str>,
    /// The suffix.
    pub suffix: FloatSuffix,
    /// `i` or `j` of GNU C: an imaginary number.
    pub imaginary: bool,
}

/// The suffix of a floating-point literal, hence its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// None: `double`.
    None,
    /// `f`: `float`.
    F,
    /// `l`: `long double`.
    L,
    /// `q`, `f128`: `__float128`.
    Q,
    /// `f16`
    F16,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `f32x`
    F32x,
    /// `f64x`
    F64x,
}

/// A character literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharLiteral {
    /// The value: of one character its code unit; of several narrow ones (`'ab'`) gcc's combination, first character highest. Not yet
    /// sign-extended: `'\xff'` is 255 here.
    pub value: u32,
    /// How many characters stand between the quotes.
    pub count: u32,
    /// The prefix.
    pub encoding: Encoding,
}

/// The prefix of a character or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// None: `char`, the bytes of the text.
    Plain,
    /// `u8`: `char`, UTF-8.
    Utf8,
    /// `u`: `char16_t`.
    Char16,
    /// `U`: `char32_t`.
    Char32,
    /// `L`: `wchar_t`, 32 bits here.
    Wide,
}

/// A string literal after escapes and concatenation, without the terminating zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The prefix; concatenation takes the one that is there.
    pub encoding: Encoding,
    /// The code units: bytes for [`Encoding::Plain`] and [`Encoding::Utf8`], 16 bits for [`Encoding::Char16`], else 32.
    pub units: Box<[u32]>,
}

impl StringLiteral {
    /// The low bytes of the units: the text of a narrow literal.
    pub fn bytes(&self) -> Vec<u8> {
        self.units.iter().map(|unit| *unit as u8).collect()
    }
}
