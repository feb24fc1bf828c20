//! Padding of records, whose bytes are unspecified after a store to the record (C11 6.2.6.1p6).
//!
//! A brace list makes the members zero that it does not name (C11 6.7.9p21), and an assignment copies the members; compilers store the
//! members alone. The bytes between them become arbitrary, by the choice of the compiler: no counterexample may depend on them. Stores to single
//! members leave the padding as it is, as compilers do.
//!
//! # Invariants
//! * P1: only bits that no member of a record covers are forgotten; of a union that is initialised, those outside the member.
//! * P2: nothing is forgotten in programs that never look at the bytes of a record: without a pointer to other data that is made from one to a record, or
//!   from `void *` or an integer, and without naming a member of a union that has a record with padding. Characters that are only copied are not looked at.

use base::Region;
use cfa::{ApproximationKind, Freedom, Op, Place, Source, Ty};
use rustc_hash::FxHashSet;

use crate::hir::{Initializer, Projection};
use crate::lower::conversions::Conversions;
use crate::lower::function::Body;
use crate::lower::{build, layout};
use crate::types::{Field, RecordId, Type, TypeId, Types};

/// The most stretches of padding that are forgotten one by one.
const MAX_GAPS: usize = 128;

/// A stretch of bits, from the first of an object on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bits {
    start: u64,
    end: u64,
}

/// Whether a program may look at the bytes of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    Observed,
    Hidden,
}

impl Padding {
    /// Looks at the unions that a program uses, and at how it converts pointers (P2).
    pub(super) fn of(types: &Types, unions: &FxHashSet<RecordId>, conversions: &Conversions) -> Self {
        let has_padding = |field: &Field| {
            let mut gaps = Vec::new();
            all_gaps(types, field.ty, 0, &mut gaps);
            !gaps.is_empty()
        };
        let mixes = |record: RecordId| {
            unions.contains(&record) && types.records[record].fields.iter().any(has_padding)
        };
        if conversions.shows_records || types.records.ids().any(mixes) {
            Self::Observed
        } else {
            Self::Hidden
        }
    }
}

impl Body<'_, '_> {
    /// Forgets the padding of an object that was set to zero before its initialiser is written.
    pub(super) fn forget_initialised_padding(&mut self, object: cfa::ExprId, ty: TypeId, init: &Initializer) {
        if self.ctx.padding == Padding::Observed {
            let gaps = self.padding(ty, init);
            self.forget_gaps(object, gaps);
        }
    }

    /// Forgets the padding of a record in memory that was just assigned to.
    pub(super) fn forget_padding(&mut self, addr: cfa::ExprId, record: RecordId) {
        if self.ctx.padding == Padding::Observed {
            let mut gaps = Vec::new();
            gaps_of_record(&self.ctx.hir.types, record, 0, &mut gaps);
            self.forget_gaps(addr, gaps);
        }
    }

    fn forget_gaps(&mut self, addr: cfa::ExprId, gaps: Vec<Bits>) {
        let at = self.origin.region;
        if gaps.len() > MAX_GAPS {
            let what = "the padding of a large object is not looked at";
            self.ctx.approximate(ApproximationKind::Under, what, at);
            return;
        }
        for gap in gaps {
            self.forget_bits(addr, gap, at);
        }
    }

    /// The padding of all records that a list initialises, not of those that it leaves out.
    fn padding(&self, ty: TypeId, init: &Initializer) -> Vec<Bits> {
        let mut seen: FxHashSet<&[Projection]> = FxHashSet::default();
        let mut gaps = Vec::new();
        for item in &init.items {
            for (length, step) in item.path.iter().enumerate() {
                let Projection::Field(number) = *step else { continue };
                let path = &item.path[..length];
                let (offset, ty, _) = self.ctx.projected(ty, path);
                if seen.insert(path) {
                    let within = gaps_of(&self.ctx.hir.types, ty, number);
                    let base = offset.saturating_mul(8);
                    gaps.extend(
                        within.into_iter().map(|gap| Bits { start: gap.start + base, end: gap.end + base }),
                    );
                }
            }
        }
        gaps
    }

    fn forget_bits(&mut self, object: cfa::ExprId, gap: Bits, at: Region) {
        let mut start = gap.start;
        while start < gap.end {
            let (byte, bit) = (start / 8, (start % 8) as u8);
            let rest = gap.end - start;
            let width = if bit == 0 && rest >= 8 { 8 } else { rest.min(8 - u64::from(bit)) };
            let word = Ty::signed(self.exprs().pointer_width());
            let amount = self.exprs().int(word, i128::from(byte));
            let addr = build::offset(self.exprs(), object, amount);
            let ty = Ty::unsigned(width as u8);
            let place = if width == 8 { Place::Mem { addr, ty } } else { Place::Bits { addr, bit, ty } };
            let source = Source::Library {
                function: "the compiler, for padding".into(),
                freedom: Freedom::Determined,
            };
            self.emit(Op::Havoc { place, source, at });
            start += width;
        }
    }
}

/// The padding of a type, also within its members and elements, from a bit on.
fn all_gaps(types: &Types, ty: TypeId, base: u64, gaps: &mut Vec<Bits>) {
    match types.get(ty) {
        Type::Record(record) => gaps_of_record(types, *record, base, gaps),
        Type::Array { elem, .. } => {
            let (Some(size), Some(each)) = (layout::size_of(types, ty), layout::size_of(types, *elem)) else {
                return;
            };
            let mut first = Vec::new();
            all_gaps(types, *elem, base, &mut first);
            let count = size.checked_div(each).filter(|_| !first.is_empty()).unwrap_or(0);
            for number in 0..count.min(MAX_GAPS as u64 + 1) {
                let moved = number * each * 8;
                gaps.extend(first.iter().map(|gap| Bits { start: gap.start + moved, end: gap.end + moved }));
            }
        }
        _ => {}
    }
}

fn gaps_of_record(types: &Types, record: RecordId, base: u64, gaps: &mut Vec<Bits>) {
    let declared = &types.records[record];
    let covered = declared.fields.iter().map(|field| extent(types, field)).collect();
    let within = uncovered(covered, declared.size);
    gaps.extend(within.into_iter().map(|gap| Bits { start: gap.start + base, end: gap.end + base }));
    // Which member of a union holds the value is not known: its padding may be the value of another one.
    if !declared.is_union {
        for field in declared.fields.iter().filter(|field| field.bits.is_none()) {
            all_gaps(types, field.ty, base + field.offset.saturating_mul(8), gaps);
        }
    }
}

/// The bits of a record that no member covers; of a union, those outside the member of a number.
fn gaps_of(types: &Types, ty: TypeId, number: u32) -> Vec<Bits> {
    let Some(record) = types.record(ty).map(|record| &types.records[record]) else { return Vec::new() };
    let covered: Vec<Bits> = if record.is_union {
        record.fields.get(number as usize).map(|field| extent(types, field)).into_iter().collect()
    } else {
        record.fields.iter().map(|field| extent(types, field)).collect()
    };
    uncovered(covered, record.size)
}

/// The bits of so many bytes that are not in the list.
fn uncovered(mut covered: Vec<Bits>, size: u64) -> Vec<Bits> {
    covered.sort_by_key(|bits| bits.start);
    let mut gaps = Vec::new();
    let mut end = 0;
    for bits in covered {
        if bits.start > end {
            gaps.push(Bits { start: end, end: bits.start });
        }
        end = end.max(bits.end);
    }
    let size = size.saturating_mul(8);
    if end < size {
        gaps.push(Bits { start: end, end: size });
    }
    gaps
}

/// The bits that a member covers.
fn extent(types: &Types, field: &Field) -> Bits {
    let start = field.offset.saturating_mul(8);
    if let Some(bits) = field.bits {
        let start = start + u64::from(bits.bit);
        return Bits { start, end: start + u64::from(bits.width) };
    }
    let size = layout::size_of(types, field.ty).unwrap_or(0);
    Bits { start, end: start.saturating_add(size.saturating_mul(8)) }
}
