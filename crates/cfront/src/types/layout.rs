//! Layout of structs and unions as gcc does it on x86 (System V ABI, i386 and x86-64).
//!
//! Follows gcc's `place_field` and `layout_decl` (stor-layout.c) with `PCC_BITFIELD_TYPE_MATTERS`: a bit-field may not
//! cross more units of its type's alignment than its type does, named bit-fields align the record by their
//! type, unnamed ones do not, one of width zero moves on to the alignment of its type.
//!
//! # Invariants
//! * L1: positions are counted in bits and never decrease in a struct; in a union every member starts at 0.
//! * L2: the size is a multiple of the alignment.

use std::sync::Arc;

use cfa::{DataModel, FloatKind};

use super::{BitField, Field, Record, RecordId, Type, TypeId, Types};

/// What the text says about a member.
#[derive(Clone, Debug)]
pub struct MemberSpec {
    /// Its name; empty for an anonymous record and an unnamed bit-field.
    pub name: Arc<str>,
    /// Its type.
    pub ty: TypeId,
    /// Alignment of its type if an attribute of a typedef changed it.
    pub type_align: Option<u64>,
    /// Alignment that an attribute of the member itself demands.
    pub align: Option<u64>,
    /// The width of a bit-field; 0 only without name.
    pub width: Option<u8>,
    /// Whether the member itself has the attribute `packed`.
    pub packed: bool,
}

/// What the text says about a record.
#[derive(Clone, Debug, Default)]
pub struct RecordSpec {
    /// Whether all members lie on top of each other.
    pub is_union: bool,
    /// Whether it has the attribute `packed`.
    pub packed: bool,
    /// Alignment that an attribute demands.
    pub align: Option<u64>,
    /// Largest alignment of a member, as `#pragma pack` says.
    pub max_member_align: Option<u64>,
    /// The members in order, unnamed bit-fields included.
    pub members: Vec<MemberSpec>,
}

/// Why a record has no layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// A record under construction; alignments and positions in bits.
struct Layouter<'a> {
    types: &'a Types,
    spec: &'a RecordSpec,
    position: u64,
    align: u64,
    user_aligned: bool,
    union_size: u64,
}

/// How a member is to be aligned, in bits.
struct Demand {
    align: u64,
    is_user: bool,
    /// Whether `packed` reduces the alignment of the member's type.
    is_packed: bool,
}

impl Types {
    /// Completes a record: computes offsets, size and alignment.
    pub fn complete_record(&mut self, id: RecordId, spec: &RecordSpec) -> Result<(), TooLarge> {
        let mut layouter = Layouter {
            types: self,
            spec,
            position: 0,
            align: spec.align.map_or(8, |bytes| bytes.saturating_mul(8)).max(8),
            user_aligned: spec.align.is_some(),
            union_size: 0,
        };
        let mut fields = Vec::with_capacity(spec.members.len());
        for member in &spec.members {
            let bit = layouter.place(member).ok_or(TooLarge)?;
            if member.width.is_some() && member.name.is_empty() {
                continue;
            }
            let bits = member.width.map(|width| BitField { bit: (bit % 8) as u8, width });
            fields.push(Field { name: member.name.clone(), ty: member.ty, offset: bit / 8, bits });
        }
        let Layouter { position, align, user_aligned, union_size, .. } = layouter;
        let bits = if spec.is_union { union_size } else { position };
        let size = bits.checked_next_multiple_of(align).ok_or(TooLarge)? / 8;
        if user_aligned {
            self.user_aligned.insert(id);
        }
        let record = &mut self.records[id];
        *record = Record {
            name: record.name.clone(),
            alias: record.alias.clone(),
            is_union: spec.is_union,
            complete: true,
            fields,
            size,
            align: align / 8,
        };
        Ok(())
    }
}

impl Layouter<'_> {
    /// Places a member and returns its first bit.
    fn place(&mut self, member: &MemberSpec) -> Option<u64> {
        let size = match member.width {
            Some(width) => u64::from(width),
            None => self.types.size_of(member.ty).unwrap_or(0).checked_mul(8)?,
        };
        let demand = self.demand(member);
        self.align_record(member, &demand);
        if self.spec.is_union {
            self.union_size = self.union_size.max(size.checked_next_multiple_of(8)?);
            return Some(0);
        }
        let is_ordinary = member.width.is_some_and(|width| self.is_ordinary(u64::from(width)));
        self.position = self.position.checked_next_multiple_of(demand.align)?;
        if let Some(width @ 1..) = member.width
            && !is_ordinary
        {
            self.avoid_crossing(member, u64::from(width), &demand)?;
        }
        let start = self.position;
        self.position = self.position.checked_add(size).filter(|end| *end < 1 << 62)?;
        Some(start)
    }
    fn is_packed(&self, member: &MemberSpec) -> bool {
        let is_reducible = member.width.is_some() || self.type_align(member) > 8;
        (self.spec.packed || member.packed) && is_reducible
    }
    /// What gcc calls `DECL_ALIGN` and `DECL_USER_ALIGN` after `layout_decl`.
    fn demand(&self, member: &MemberSpec) -> Demand {
        let own = member.align.map(|bytes| bytes.saturating_mul(8));
        let is_packed = self.is_packed(member);
        let mut demand = Demand { align: own.unwrap_or(1), is_user: own.is_some(), is_packed };
        let is_zero_width = member.width == Some(0);
        let packed = is_packed && !is_zero_width;
        if (member.width.is_none() && !(packed && own.is_some())) || is_zero_width {
            let natural = self.type_align(member);
            if natural > demand.align {
                demand = Demand { align: natural, is_user: self.type_is_user_aligned(member), is_packed };
            }
        }
        if packed && own.is_none() {
            demand.align = demand.align.min(8);
        }
        if member.width.is_none() {
            demand.align = demand.align.max(8);
        }
        if !packed && !demand.is_user {
            demand.align = self.limited(member.ty, demand.align);
        }
        if let Some(limit) = self.spec.max_member_align
            && !is_zero_width
        {
            demand.align = demand.align.min(limit * 8);
        }
        demand
    }
    /// A record is at least as aligned as its members.
    fn align_record(&mut self, member: &MemberSpec, demand: &Demand) {
        self.user_aligned |= demand.is_user;
        let Some(width) = member.width else {
            self.align = self.align.max(demand.align);
            return;
        };
        if member.name.is_empty() {
            return;
        }
        let mut align = self.unit_align(member);
        if let Some(limit) = self.spec.max_member_align {
            align = align.min(limit * 8);
        } else if demand.is_packed && width != 0 {
            align = align.min(8);
        }
        self.align = self.align.max(demand.align).max(align);
        self.user_aligned |= self.type_is_user_aligned(member);
    }
    /// Whether a bit-field here is as good as an integer: gcc then forgets that it is a bit-field.
    fn is_ordinary(&self, width: u64) -> bool {
        matches!(width, 8 | 16 | 32 | 64) && self.position.is_multiple_of(width)
    }
    /// A bit-field may not span more units of alignment of its type than its type itself.
    fn avoid_crossing(&mut self, member: &MemberSpec, width: u64, demand: &Demand) -> Option<()> {
        if demand.is_packed || self.spec.max_member_align.is_some() {
            return Some(());
        }
        let unit = self.unit_align(member);
        let type_size = self.types.size_of(member.ty)?.checked_mul(8)?;
        let start = self.position % unit;
        if (start + width).div_ceil(unit) > type_size / unit {
            self.position = self.position.checked_next_multiple_of(unit)?;
        }
        self.user_aligned |= self.type_is_user_aligned(member);
        Some(())
    }
    /// Alignment of a bit-field's type, reduced as the ABI has it for members.
    fn unit_align(&self, member: &MemberSpec) -> u64 {
        let align = self.type_align(member);
        if self.type_is_user_aligned(member) { align } else { self.limited(member.ty, align) }
    }
    /// What gcc calls `TYPE_ALIGN`.
    fn type_align(&self, member: &MemberSpec) -> u64 {
        member.type_align.unwrap_or_else(|| self.types.preferred_align_of(member.ty)).saturating_mul(8).max(8)
    }
    fn type_is_user_aligned(&self, member: &MemberSpec) -> bool {
        let element = self.types.element_of_arrays(member.ty);
        member.type_align.is_some()
            || self.types.record(element).is_some_and(|record| self.types.user_aligned.contains(&record))
    }
    /// The i386 ABI aligns members that are 8-byte scalars to 4.
    fn limited(&self, ty: TypeId, align: u64) -> u64 {
        let element = self.types.get(self.types.element_of_arrays(ty));
        let is_limited = self.types.model == DataModel::Ilp32
            && matches!(element, Type::Int(_) | Type::Enum(_) | Type::Float(FloatKind::Double));
        if is_limited { align.min(32) } else { align }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntKind;

    fn member(name: &str, ty: TypeId, width: Option<u8>) -> MemberSpec {
        MemberSpec { name: name.into(), ty, type_align: None, align: None, width, packed: false }
    }
    fn lay_out(types: &mut Types, spec: &RecordSpec) -> Record {
        let id = types.records.push(Record {
            name: "s".into(),
            alias: None,
            is_union: false,
            complete: false,
            fields: Vec::new(),
            size: 0,
            align: 1,
        });
        types.complete_record(id, spec).unwrap();
        types.records[id].clone()
    }

    #[test]
    fn doubles_are_less_aligned_in_records_of_i386() {
        for (model, size, offset) in [(DataModel::Ilp32, 12, 4), (DataModel::Lp64, 16, 8)] {
            let mut types = Types::new(model);
            let char = types.int(IntKind::Char);
            let double = types.intern(Type::Float(FloatKind::Double));
            let members = vec![member("c", char, None), member("d", double, None)];
            let record = lay_out(&mut types, &RecordSpec { members, ..RecordSpec::default() });
            assert_eq!((record.size, record.fields[1].offset), (size, offset), "{model}");
        }
    }

    #[test]
    fn bit_fields_share_units_and_zero_width_ends_them() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.int(IntKind::Int);
        let members = vec![
            member("a", int, Some(20)),
            member("b", int, Some(20)),
            member("", int, Some(0)),
            member("c", int, Some(3)),
        ];
        let spec = RecordSpec { members, ..RecordSpec::default() };
        let record = lay_out(&mut types, &spec);
        let offsets: Vec<u64> = record.fields.iter().map(|field| field.offset).collect();
        assert_eq!(offsets, [0, 4, 8]);
        let packed = lay_out(&mut types, &RecordSpec { packed: true, ..spec });
        assert_eq!((packed.fields[1].offset, packed.fields[1].bits.unwrap().bit, packed.size), (2, 4, 9));
    }
}
