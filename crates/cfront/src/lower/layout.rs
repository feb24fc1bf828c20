//! C types as machine types: scalars, sizes, and records as lists of scalar leaves.
//!
//! # Invariants
//! * L1: the leaves of a record are in the order of its fields, depth first; their offsets are those of memory.
//! * L2: a record has leaves only if it has no union, no array and at most [`MAX_LEAVES`] scalars: then it is passed
//!   to and from procedures as that many scalars, otherwise by the address of a copy.

use std::rc::Rc;

use cfa::Ty;

use crate::types::{BitField, RecordId, Type, TypeId, Types};

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

/// The type that a field holds: a bit-field's own width.
pub(super) fn held(declared: Ty, bits: Option<BitField>) -> Ty {
    match (declared, bits) {
        (Ty::Int { signed, .. }, Some(bits)) => Ty::Int { width: bits.width, signed },
        (declared, _) => declared,
    }
}

/// Size in bytes of a type whose size does not depend on the execution; 1 for `void` and functions as GNU C has it, 0 for an array of
/// unknown length, which has no size of its own.
pub(super) fn size_of(types: &Types, ty: TypeId) -> Option<u64> {
    match types.get(ty) {
        Type::Void | Type::Function(_) => Some(1),
        _ if types.is_variable_length(ty) => None,
        _ => Some(types.size_of(ty).unwrap_or(0)),
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
        if let Some(declared) = types.scalar(field.ty) {
            found.push(FlatLeaf {
                path: path.as_slice().into(),
                offset: base + field.offset,
                bits: field.bits,
                ty: held(declared, field.bits),
                declared,
            });
        } else {
            collect(types, types.record(field.ty)?, base + field.offset, path, found)?;
        }
        path.pop();
        if found.len() > MAX_LEAVES {
            return None;
        }
    }
    Some(())
}
