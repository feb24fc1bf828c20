//! C's types, with sizes and layout for a data model.
//!
//! Qualifiers are not part of a type here: what matters of them is recorded at variables and fields.
//!
//! # Invariants
//! * T1: types are interned: equal types have equal ids, except that every record and enum definition is its own type.
//! * T2: the layout of a complete record is that of gcc on x86 (System V ABI), bit-fields included.

mod compatible;
mod display;
mod layout;
mod query;

use base::{IndexVec, newtype_index};
use cfa::{DataModel, FloatKind};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::Arc;

use crate::hir::VariableId;

pub use layout::{MemberSpec, RecordSpec};

newtype_index!(
    /// A type.
    TypeId,
    "ty"
);
newtype_index!(
    /// A struct or union.
    RecordId,
    "rec"
);
newtype_index!(
    /// An enumeration.
    EnumId,
    "enum"
);

/// The standard integer types. Plain `char` is signed, as on x86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names say it
pub enum IntKind {
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
}

impl IntKind {
    /// Whether values may be negative.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Self::Char
                | Self::SignedChar
                | Self::Short
                | Self::Int
                | Self::Long
                | Self::LongLong
                | Self::Int128
        )
    }
    /// Number of value bits including sign: 1 for `_Bool`.
    pub fn width(self, model: DataModel) -> u8 {
        match self {
            Self::Bool => 1,
            Self::Char | Self::SignedChar | Self::UnsignedChar => 8,
            Self::Short | Self::UnsignedShort => 16,
            Self::Int | Self::UnsignedInt => 32,
            Self::Long | Self::UnsignedLong => model.pointer_width(),
            Self::LongLong | Self::UnsignedLongLong => 64,
            Self::Int128 | Self::UnsignedInt128 => 128,
        }
    }
    /// The integer conversion rank (C11 6.3.1.1).
    pub fn rank(self) -> u8 {
        match self {
            Self::Bool => 0,
            Self::Char | Self::SignedChar | Self::UnsignedChar => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Int | Self::UnsignedInt => 3,
            Self::Long | Self::UnsignedLong => 4,
            Self::LongLong | Self::UnsignedLongLong => 5,
            Self::Int128 | Self::UnsignedInt128 => 6,
        }
    }
    /// The type as C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "_Bool",
            Self::Char => "char",
            Self::SignedChar => "signed char",
            Self::UnsignedChar => "unsigned char",
            Self::Short => "short",
            Self::UnsignedShort => "unsigned short",
            Self::Int => "int",
            Self::UnsignedInt => "unsigned int",
            Self::Long => "long",
            Self::UnsignedLong => "unsigned long",
            Self::LongLong => "long long",
            Self::UnsignedLongLong => "unsigned long long",
            Self::Int128 => "__int128",
            Self::UnsignedInt128 => "unsigned __int128",
        }
    }
}

/// Number of elements of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    /// A constant.
    Fixed(u64),
    /// Not known: an incomplete array, or a flexible array member.
    Unknown,
    /// The value of a hidden variable of type `size_t`, set when the declaration is executed.
    Variable(VariableId),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// An integer type.
    Int(IntKind),
    /// A floating-point type.
    Float(FloatKind),
    /// An enumeration.
    Enum(EnumId),
    /// A pointer.
    Pointer(TypeId),
    /// An array.
    Array {
        /// Element type.
        elem: TypeId,
        /// Number of elements.
        length: ArrayLength,
    },
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function(FunctionType),
    /// `__builtin_va_list`: an object that starts with a pointer, see `lower`.
    VaList,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub result: TypeId,
    /// What it takes, after array and function parameters became pointers.
    pub params: Vec<TypeId>,
    /// Whether `...` follows.
    pub variadic: bool,
    /// Whether the parameters are known; false for `f()`.
    pub prototype: bool,
}

/// Where a bit-field lies: `width` bits from bit `bit` of the byte at the field's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// First bit, 0 to 7, from the least significant.
    pub bit: u8,
    /// Number of bits.
    pub width: u8,
}

/// A member of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty for an anonymous record.
    pub name: Arc<str>,
    /// Its declared type.
    pub ty: TypeId,
    /// Offset of its first byte.
    pub offset: u64,
    /// Set if it is a bit-field.
    pub bits: Option<BitField>,
}

/// A struct or union. Unnamed bit-fields shape the layout but are not fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The tag; a made-up description for records without tag.
    pub name: Arc<str>,
    /// The first typedef at file level of a record without tag.
    pub alias: Option<Arc<str>>,
    /// Whether it is a union.
    pub is_union: bool,
    /// Whether its members are known.
    pub complete: bool,
    /// The members in order.
    pub fields: Vec<Field>,
    /// Bytes, padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The tag.
    pub name: Arc<str>,
    /// The integer type that it is compatible with.
    pub kind: IntKind,
    /// Names and values.
    pub enumerators: Vec<(Arc<str>, i128)>,
}

/// The table of types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    /// Sizes of the basic types.
    pub model: DataModel,
    interned: IndexSet<Type, FxBuildHasher>,
    /// All records.
    pub records: IndexVec<RecordId, Record>,
    /// All enumerations.
    pub enums: IndexVec<EnumId, Enum>,
    /// Records whose alignment an attribute gave, see `layout`.
    user_aligned: FxHashSet<RecordId>,
}

impl Types {
    /// The basic types.
    pub fn new(model: DataModel) -> Self {
        Self {
            model,
            interned: IndexSet::default(),
            records: IndexVec::new(),
            enums: IndexVec::new(),
            user_aligned: FxHashSet::default(),
        }
    }
    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        TypeId(
            u32::try_from(self.interned.insert_full(ty).0)
                .expect("T1: a program should have fewer than 2^32 types"),
        )
    }
    /// The type of an id.
    pub fn get(&self, id: TypeId) -> &Type {
        self.interned.get_index(id.0 as usize).expect("T1: a type id should come from this table")
    }
    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }
    /// A pointer type.
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }
}
