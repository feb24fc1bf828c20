//! Declarations, specifiers, declarators, initialisers.

use std::ops::Range;

use base::Span;

use super::{
    DeclarationId, DeclaratorId, EnumId, ExprId, Ident, InitializerId, RecordId, SpecifiersId, StmtId,
    StringId, TypeNameId,
};
use crate::lex::Name;

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
    /// Where the body stands in the text of the unit, to compare definitions.
    pub words: Range<u32>,
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
    /// `const`, `pure`, `nonnull` and the like: what the function does, or is given.
    Promise(Name),
    /// `mode(QI)` and the like, without underscores.
    Mode(Name),
    /// `transparent_union`
    TransparentUnion,
    /// `vector_size(n)`
    VectorSize(ExprId),
    /// `#pragma pack(n)` is in force where a record's body ends: no member is aligned to more than `n` bytes.
    /// Only among the attributes of a record.
    MaxAlign(u8),
    /// `gnu_inline`: with `extern`, a definition for calls in this text only.
    GnuInline,
    /// `gnu_inline` in a system header: a faster or checked variant of a library function.
    SystemInline,
    /// `weak`: another definition of the symbol counts, and it need not have any.
    Weak,
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
