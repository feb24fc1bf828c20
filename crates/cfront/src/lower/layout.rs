//! C types as machine types: scalars, sizes, and records as lists of scalar leaves.
//!
//! # Invariants
//! * L1: the leaves of a record are in the order of its fields, depth first; their offsets are those of memory.
//! * L2: a record has leaves only if it has no union, no array and at most [`MAX_LEAVES`] scalars: then it is passed
//!   to and from procedures as that many scalars, otherwise by the address of a copy.

use std::rc::Rc;

use cfa::{DataModel, FloatKind, Ty};

use crate::types::{ArrayLength, BitField, RecordId, Type, TypeId, Types};

/// Records with more scalars than this are moved as memory.
const MAX_LEAVES: usize = 32;

/// A scalar part of a record.
#[derive(Clone, Debug)]
pub(super) struct FlatLeaf {
    /// The field numbers that lead to it.
    pub path: Box<[u32]>,
    /// Offset of its first byte.
    pub offset: u64,
    /// Set if it is a bit-field.
    pub bits: Option<BitField>,
    /// The type of what it holds: that of a bit-field has the bit-field's width.
    pub ty: Ty,
    /// The type of its value in expressions.
    pub declared: Ty,
}

/// The leaves of a record, if it has them (L2).
pub(super) type Leaves = Option<Rc<[FlatLeaf]>>;

/// The machine type of a scalar type; `None` for the others.
pub(super) fn scalar(types: &Types, ty: TypeId) -> Option<Ty> {
    let int =
        |kind: crate::types::IntKind| Ty::Int { width: kind.width(types.model), signed: kind.is_signed() };
    match types.get(ty) {
        Type::Int(kind) => Some(int(*kind)),
        Type::Enum(id) => Some(int(types.enums[*id].kind)),
        Type::Float(kind) => Some(Ty::Float(*kind)),
        Type::Pointer(_) | Type::VaList => Some(Ty::Ptr),
        Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => None,
    }
}

/// The type that a field holds: a bit-field's own width.
pub(super) fn held(declared: Ty, bits: Option<BitField>) -> Ty {
    match (declared, bits) {
        (Ty::Int { signed, .. }, Some(bits)) => Ty::Int { width: bits.width, signed },
        (declared, _) => declared,
    }
}

/// The record of a type, if it is one.
pub(super) fn record_of(types: &Types, ty: TypeId) -> Option<RecordId> {
    match types.get(ty) {
        Type::Record(record) => Some(*record),
        _ => None,
    }
}

/// Element type and length of an array type.
pub(super) fn array_of(types: &Types, ty: TypeId) -> Option<(TypeId, ArrayLength)> {
    match types.get(ty) {
        Type::Array { elem, length } => Some((*elem, *length)),
        _ => None,
    }
}

/// Size in bytes of a type whose size does not depend on the execution; an array of unknown length has none of its own.
pub(super) fn size_of(types: &Types, ty: TypeId) -> Option<u64> {
    match types.get(ty) {
        Type::Void | Type::Function(_) => Some(1),
        Type::Array { elem, length: ArrayLength::Fixed(count) } => size_of(types, *elem)?.checked_mul(*count),
        Type::Array { length: ArrayLength::Unknown, .. } => Some(0),
        Type::Array { length: ArrayLength::Variable(_), .. } => None,
        Type::Record(record) => Some(types.records[*record].size),
        Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Pointer(_) | Type::VaList => {
            scalar(types, ty).map(|ty| ty.size(types.model))
        }
    }
}

/// Alignment in bytes, at least 1.
pub(super) fn align_of(types: &Types, ty: TypeId) -> u64 {
    match types.get(ty) {
        Type::Void | Type::Function(_) => 1,
        Type::Array { elem, .. } => align_of(types, *elem),
        Type::Record(record) => types.records[*record].align.max(1),
        Type::Float(FloatKind::Extended) => match types.model {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 16,
        },
        Type::Int(_) | Type::Float(_) | Type::Enum(_) | Type::Pointer(_) | Type::VaList => {
            scalar(types, ty).map_or(1, |ty| ty.size(types.model))
        }
    }
}

/// The leaves of a record (L2).
pub(super) fn leaves(types: &Types, record: RecordId) -> Leaves {
    let mut found = Vec::new();
    collect(types, record, 0, &mut Vec::new(), &mut found)?;
    Some(found.into())
}

fn collect(
    types: &Types,
    record: RecordId,
    base: u64,
    path: &mut Vec<u32>,
    found: &mut Vec<FlatLeaf>,
) -> Option<()> {
    let record = &types.records[record];
    if record.is_union || !record.complete {
        return None;
    }
    for (number, field) in record.fields.iter().enumerate() {
        path.push(number as u32);
        if let Some(declared) = scalar(types, field.ty) {
            found.push(FlatLeaf {
                path: path.as_slice().into(),
                offset: base + field.offset,
                bits: field.bits,
                ty: held(declared, field.bits),
                declared,
            });
        } else {
            collect(types, record_of(types, field.ty)?, base + field.offset, path, found)?;
        }
        path.pop();
        if found.len() > MAX_LEAVES {
            return None;
        }
    }
    Some(())
}

/// A type as C writes it, roughly: for people.
pub(super) fn describe(types: &Types, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Void => "void".into(),
        Type::Int(kind) => kind.name().into(),
        Type::Float(FloatKind::Single) => "float".into(),
        Type::Float(FloatKind::Double) => "double".into(),
        Type::Float(FloatKind::Extended) => "long double".into(),
        Type::Float(FloatKind::Quad) => "__float128".into(),
        Type::Enum(id) => format!("enum {}", types.enums[*id].name),
        Type::Pointer(to) => match types.get(*to) {
            Type::Function(function) => format!("{} (*)()", describe(types, function.result)),
            _ => format!("{} *", describe(types, *to)),
        },
        Type::Array { .. } => {
            let (mut elem, mut suffix) = (ty, String::new());
            while let Type::Array { elem: inner, length } = types.get(elem) {
                match length {
                    ArrayLength::Fixed(count) => suffix.push_str(&format!("[{count}]")),
                    ArrayLength::Unknown | ArrayLength::Variable(_) => suffix.push_str("[]"),
                }
                elem = *inner;
            }
            format!("{}{suffix}", describe(types, elem))
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            format!("{} {}", if record.is_union { "union" } else { "struct" }, record.name)
        }
        Type::Function(function) => format!("{} ()", describe(types, function.result)),
        Type::VaList => "va_list".into(),
    }
}
