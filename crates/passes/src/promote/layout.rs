//! How an object is divided into variables.
//!
//! # Rule
//! The accesses to an object are progressions of intervals of bits. Where they overlap they form a *segment*. A segment whose accesses all have fixed offsets
//! consists of scalars; any other one is an array, whose elements are as long as the greatest distance that divides all steps. Within a segment, intervals that are the same
//! and hold one kind of value are a *leaf*. Integers that overlap in another way, as in unions, are cut at all ends of intervals, so that each access is a row of leaves.
//! An object in which pointers or floats overlap with anything else has no layout, and neither has one of which bytes are copied or set in a way that may cut a pointer.

use std::collections::{BTreeMap, BTreeSet};

use cfa::op::{Op, Place};
use cfa::{AddressTest, Expr, ExprId, Program, Ty};

use super::ObjectId;
use super::object::{Contents, Objects};
use super::offsets::{Offsets, Progression, gcd};
use super::pointee::Pointee;
use super::pointers::Pointers;

/// Leaves that an object may have.
const MAX_LEAVES: usize = 1024;
/// Rounds in which accesses are carried over by copies.
const MAX_ROUNDS: usize = 8;

/// What is read or written at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Extent {
    /// First bit after the address.
    pub(super) bit: i64,
    /// Number of bits.
    pub(super) width: i64,
    pub(super) ty: Ty,
}

impl Extent {
    /// Of a value in whole bytes.
    pub(super) fn of(program: &Program, ty: Ty) -> Self {
        Self { bit: 0, width: program.size_of(ty) as i64 * 8, ty }
    }
    /// Of a bit-field.
    pub(super) fn bits(program: &Program, bit: u8, ty: Ty) -> Self {
        Self { bit: i64::from(bit), width: i64::from(ty.width(program.data_model)), ty }
    }
    /// Bytes from the address to the end.
    pub(super) fn bytes(&self) -> i64 {
        (self.bit + self.width + 7) / 8
    }
    /// An integer all of whose representations are values, or a part of one.
    fn is_integer(&self) -> bool {
        matches!(self.ty, Ty::Int { width, .. } if i64::from(width) == self.width)
    }
    /// Whether two values in the same place are of one kind.
    fn is_like(&self, other: &Self) -> bool {
        self.ty == other.ty || self.is_integer() && other.is_integer()
    }
    /// Whether it can be made of integers: a truth value in a byte is one if it is 0 or 1.
    fn is_divisible(&self) -> bool {
        self.is_integer() || self.ty == Ty::BOOL
    }
}

/// An interval that is a variable, or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// First bit in the segment, or in an element of it.
    pub(super) at: i64,
    pub(super) width: i64,
    pub(super) ty: Ty,
}

/// A part of an access: a leaf, and how many elements further on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) leaf: usize,
    pub(super) delta: i64,
}

/// A range of bytes that is divided alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// First byte.
    pub(super) start: i64,
    /// The byte after the last one; `None` if it goes on to the end of an object of unknown size.
    pub(super) end: Option<i64>,
    /// Bytes of an element, if it is an array.
    pub(super) element: Option<i64>,
    /// Ascending, without overlap.
    pub(super) leaves: Vec<Leaf>,
}

impl Segment {
    /// Whether an access at an offset belongs to it.
    pub(super) fn contains(&self, offset: i64) -> bool {
        self.start <= offset && self.end.is_none_or(|end| offset < end)
    }
    /// The leaves of an access so many bits after the start of the segment, or of an element; the one with the least significant bits first.
    pub(super) fn parts(&self, bit: i64, width: i64) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let (mut at, end) = (bit, bit + width);
        while at < end {
            let (delta, within) = match self.element {
                None => (0, at),
                Some(element) => (at.div_euclid(element * 8), at.rem_euclid(element * 8)),
            };
            let leaf = self.leaves.iter().position(|leaf| leaf.at == within)?;
            at += self.leaves[leaf].width;
            parts.push(Part { leaf, delta });
        }
        (at == end).then_some(parts)
    }
    /// Number of elements that a leaf has.
    pub(super) fn length(&self, leaf: usize) -> Option<i64> {
        let element = self.element?;
        let last = (self.leaves[leaf].at + self.leaves[leaf].width + 7) / 8;
        Some(((self.end? - self.start - last).div_euclid(element) + 1).max(0))
    }
}

/// An access: where, and what.
type Accesses = BTreeMap<ObjectId, BTreeSet<(Progression, Extent)>>;

/// How the objects are divided, or those that cannot be.
pub(super) fn layouts(
    objects: &Objects<'_>,
    pointers: &Pointers,
) -> Result<BTreeMap<ObjectId, Vec<Segment>>, Vec<ObjectId>> {
    let accesses = accesses(objects, pointers)?;
    let together = together(objects, pointers);
    let cut = cut_pointers(objects, pointers, &accesses);
    let (mut layouts, mut failed) = (BTreeMap::new(), Vec::new());
    for object in objects.ids().filter(|object| objects.is_followed(*object)) {
        if cut.contains(&object) {
            failed.push(object);
            continue;
        }
        let own: Vec<_> = accesses.get(&object).into_iter().flatten().copied().collect();
        match divided(&own) {
            Some(mut segments) => {
                if together.contains(&object) {
                    widen(&mut segments, objects.get(object).size);
                }
                layouts.insert(object, segments);
            }
            None => failed.push(object),
        }
    }
    if failed.is_empty() { Ok(layouts) } else { Err(failed) }
}

/// The objects of which many bytes are copied or set at once.
fn together(objects: &Objects<'_>, pointers: &Pointers) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
    for (site, op) in objects.ops() {
        match op {
            Op::Copy { to, from, .. } => {
                found.extend(pointers.of(*to).objects.keys().chain(pointers.of(*from).objects.keys()));
            }
            Op::Fill { to, .. } => found.extend(pointers.of(*to).objects.keys()),
            Op::Realloc { old, .. } => {
                found.extend(pointers.of(*old).objects.keys());
                found.extend(objects.of_site(site));
            }
            _ => {}
        }
    }
    found
}

/// The followed objects in which a range of bytes that is copied or set may begin or end inside a pointer: its parts would be followed no longer.
fn cut_pointers(objects: &Objects<'_>, pointers: &Pointers, accesses: &Accesses) -> BTreeSet<ObjectId> {
    let mut found = BTreeSet::new();
    for (_, op) in objects.ops() {
        let (addresses, lengths) = match op {
            Op::Copy { to, from, length } => (vec![*to, *from], pointers.values(objects.program, *length)),
            Op::Fill { to, length, .. } => (vec![*to], pointers.values(objects.program, *length)),
            Op::Write { to, bytes } => (vec![*to], Offsets::of(Progression::one(bytes.len() as i64))),
            _ => continue,
        };
        for (object, starts) in addresses.into_iter().flat_map(|address| &pointers.of(address).objects) {
            let ends = starts.plus(&lengths);
            let is_cut = |(at, extent): &(Progression, Extent)| {
                let inner = |byte| at.plus(Progression::one(byte));
                extent.ty == Ty::Ptr
                    && (1..extent.bytes())
                        .any(|byte| starts.iter().chain(ends.iter()).any(|border| inner(byte).meets(border)))
            };
            if accesses.get(object).is_some_and(|accesses| accesses.iter().any(is_cut)) {
                found.insert(*object);
            }
        }
    }
    found
}

/// An array that is alone in its object has elements wherever they fit: elements that are only copied count, too.
fn widen(segments: &mut [Segment], size: Option<i64>) {
    if let [Segment { start, end, element: Some(element), .. }] = segments {
        *start = start.rem_euclid(*element);
        // Of an object of unknown size nobody knows how many there are.
        *end = end.zip(size).map(|(end, size)| size.max(end));
    }
}

/// All accesses to followed objects, as far as they lie inside; or the objects that are copied, if that does not come to an end.
fn accesses(objects: &Objects<'_>, pointers: &Pointers) -> Result<Accesses, Vec<ObjectId>> {
    let program = objects.program;
    let mut found = Found { objects, accesses: Accesses::new() };
    for id in &objects.used {
        match *program.exprs.get(*id) {
            Expr::Load { addr, ty } | Expr::Initialised { addr, bit: None, ty } => {
                found.access(pointers.of(addr), Extent::of(program, ty));
            }
            Expr::LoadBits { addr, bit, ty } | Expr::Initialised { addr, bit: Some(bit), ty } => {
                found.access(pointers.of(addr), Extent::bits(program, bit, ty));
            }
            // The load itself may be gone, if nobody needs its value.
            Expr::Test { test: AddressTest::BadBool, addr } => {
                found.access(pointers.of(addr), Extent::of(program, Ty::BOOL));
            }
            _ => {}
        }
    }
    for place in objects.ops().flat_map(|(_, op)| op.places()) {
        match *place {
            Place::Mem { addr, ty } => found.access(pointers.of(addr), Extent::of(program, ty)),
            Place::Bits { addr, bit, ty } => found.access(pointers.of(addr), Extent::bits(program, bit, ty)),
            Place::Var(_) | Place::Elem { .. } => {}
        }
    }
    for _ in 0..MAX_ROUNDS {
        let before: usize = found.accesses.values().map(BTreeSet::len).sum();
        for (site, op) in objects.ops() {
            match op {
                Op::Copy { to, from, length } => {
                    let length = constant(program, *length);
                    found.copy(pointers.of(*to), pointers.of(*from), length);
                }
                Op::Realloc { old, .. } => {
                    let new = objects.of_site(site).map(Pointee::object).unwrap_or_default();
                    found.copy(&new, pointers.of(*old), None);
                }
                _ => {}
            }
        }
        if found.accesses.values().map(BTreeSet::len).sum::<usize>() == before {
            return Ok(found.accesses);
        }
    }
    let copied = together(objects, pointers);
    Err(copied.into_iter().filter(|object| objects.is_followed(*object)).collect())
}

/// A constant number of bytes.
pub(super) fn constant(program: &Program, id: ExprId) -> Option<i64> {
    match *program.exprs.get(id) {
        Expr::Const { bits, .. } => i64::try_from(bits).ok(),
        _ => None,
    }
}

struct Found<'a> {
    objects: &'a Objects<'a>,
    accesses: Accesses,
}

impl Found<'_> {
    fn access(&mut self, address: &Pointee, extent: Extent) {
        for (object, offsets) in &address.objects {
            for at in offsets.iter() {
                self.add(*object, at, extent);
            }
        }
    }

    fn add(&mut self, object: ObjectId, at: Progression, extent: Extent) {
        let known = self.objects.get(object);
        if known.contents == Contents::Followed
            && let Some(at) = at.within(known.size, extent.bytes())
        {
            self.accesses.entry(object).or_default().insert((at, extent));
        }
    }

    /// What is copied is divided alike on both sides, where both addresses are known.
    fn copy(&mut self, to: &Pointee, from: &Pointee, length: Option<i64>) {
        for (target, target_offsets) in &to.objects {
            for (source, source_offsets) in &from.objects {
                self.share((*source, source_offsets), (*target, target_offsets), length);
                self.share((*target, target_offsets), (*source, source_offsets), length);
            }
        }
    }

    fn share(
        &mut self,
        (source, source_offsets): (ObjectId, &Offsets),
        (target, target_offsets): (ObjectId, &Offsets),
        length: Option<i64>,
    ) {
        let known: Vec<_> = self.accesses.get(&source).into_iter().flatten().copied().collect();
        for (at, extent) in known {
            for start in source_offsets.iter() {
                // Where in the copied range the access lies, if that is always the same.
                let relative = match (start.single(), start.step) {
                    (Some(offset), _) => at.plus(Progression::one(-offset)),
                    (None, step) if at.step % step == 0 => {
                        Progression::one((at.start - start.start).rem_euclid(step))
                    }
                    _ => continue,
                };
                if let Some(relative) = relative.within(length, extent.bytes()) {
                    for base in target_offsets.iter() {
                        self.add(target, base.plus(relative), extent);
                    }
                }
            }
        }
    }
}

/// Divides an object by its accesses.
fn divided(accesses: &[(Progression, Extent)]) -> Option<Vec<Segment>> {
    let mut pending: Vec<(i64, Option<i64>, Progression, Extent)> = Vec::new();
    for (at, extent) in accesses {
        let start = if at.count.is_none() { 0 } else { at.start };
        pending.push((start, at.last().map(|last| last + extent.bytes()), *at, *extent));
    }
    pending.sort_unstable_by_key(|(start, end, at, extent)| (*start, end.unwrap_or(i64::MAX), *at, *extent));
    let mut segments = Vec::new();
    let mut rest = pending.as_slice();
    while let Some((start, end, ..)) = rest.first().copied() {
        let (mut end, mut count) = (end, 1);
        while let Some((_, other, ..)) = rest.get(count).filter(|next| end.is_none_or(|end| next.0 < end)) {
            end = match (end, *other) {
                (Some(end), Some(other)) => Some(end.max(other)),
                _ => None,
            };
            count += 1;
        }
        let (members, others) = rest.split_at(count);
        rest = others;
        let members: Vec<(Progression, Extent)> =
            members.iter().map(|(_, _, at, extent)| (*at, *extent)).collect();
        segments.push(segment(start, end, &members)?);
    }
    let leaves: usize = segments.iter().map(|segment| segment.leaves.len()).sum();
    (leaves <= MAX_LEAVES).then_some(segments)
}

fn segment(start: i64, end: Option<i64>, members: &[(Progression, Extent)]) -> Option<Segment> {
    let step = members.iter().fold(0, |step, (at, _)| gcd(step, at.step));
    let element = (step != 0).then_some(step);
    let mut extents: Vec<Extent> = Vec::new();
    for (at, extent) in members {
        let from = at.start - start;
        let from = element.map_or(from, |element| from.rem_euclid(element));
        extents.push(Extent { bit: from.checked_mul(8)? + extent.bit, ..*extent });
    }
    extents.sort_unstable();
    extents.dedup();
    let leaves = match element {
        Some(element) if extents.iter().any(|extent| extent.bit + extent.width > element * 8) => {
            crossing(&extents, element * 8)?
        }
        _ => leaves(&extents)?,
    };
    Some(Segment { start, end, element, leaves })
}

/// Clusters of intervals that meet become leaves.
fn leaves(extents: &[Extent]) -> Option<Vec<Leaf>> {
    let mut leaves = Vec::new();
    let mut rest = extents;
    while let Some(first) = rest.first() {
        let mut end = first.bit + first.width;
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.bit < end) {
            end = end.max(next.bit + next.width);
            count += 1;
        }
        let (cluster, others) = rest.split_at(count);
        rest = others;
        let is_same =
            |extent: &Extent| (extent.bit, extent.width) == (first.bit, first.width) && extent.is_like(first);
        if cluster.iter().all(is_same) {
            leaves.push(Leaf { at: first.bit, width: first.width, ty: first.ty });
        } else {
            let ends = cluster.iter().flat_map(|extent| [extent.bit, extent.bit + extent.width]);
            leaves.extend(cut(cluster, ends.collect())?);
        }
    }
    Some(leaves)
}

/// The leaves of an element if accesses go on into the next one.
fn crossing(extents: &[Extent], period: i64) -> Option<Vec<Leaf>> {
    let ends = extents.iter().flat_map(|extent| [extent.bit, extent.bit + extent.width]);
    let mut ends: BTreeSet<i64> = ends.map(|end| end.rem_euclid(period)).collect();
    ends.extend([0, period]);
    cut(extents, ends)
}

/// Integers that are divided at some ends.
fn cut(extents: &[Extent], ends: BTreeSet<i64>) -> Option<Vec<Leaf>> {
    if !extents.iter().all(Extent::is_divisible) {
        return None;
    }
    let ends: Vec<i64> = ends.into_iter().collect();
    let leaf = |pair: &[i64]| {
        let width = u8::try_from(pair[1] - pair[0]).ok().filter(|width| *width <= 128)?;
        Some(Leaf { at: pair[0], width: i64::from(width), ty: Ty::unsigned(width) })
    };
    ends.windows(2).map(leaf).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(width: i64, ty: Ty) -> Extent {
        Extent { bit: 0, width, ty }
    }
    fn int(bits: u8) -> Extent {
        extent(i64::from(bits), Ty::signed(bits))
    }
    fn many(start: i64, step: i64, count: i64) -> Progression {
        Progression { start, step, count: Some(count) }
    }

    #[test]
    fn fields_and_arrays_are_told_apart() {
        let accesses = [(many(4, 4, 10), int(32)), (Progression::one(0), int(32)), (many(44, 1, 4), int(8))];
        let segments = divided(&accesses).unwrap();
        let shape: Vec<_> =
            segments.iter().map(|segment| (segment.start, segment.end, segment.element)).collect();
        assert_eq!(shape, [(0, Some(4), None), (4, Some(44), Some(4)), (44, Some(48), Some(1))]);
        assert_eq!(segments[1].length(0), Some(10));
    }

    #[test]
    fn fields_of_elements_are_leaves() {
        let accesses = [(many(0, 12, 5), int(32)), (many(4, 12, 5), extent(64, Ty::Ptr))];
        let segments = divided(&accesses).unwrap();
        assert_eq!(segments.len(), 1);
        assert_eq!((segments[0].element, segments[0].leaves.len()), (Some(12), 2));
        assert_eq!(segments[0].parts(32, 64), Some(vec![Part { leaf: 1, delta: 0 }]));
        assert_eq!(segments[0].length(1), Some(5));
    }

    #[test]
    fn integers_that_overlap_are_cut() {
        let accesses = [(Progression::one(0), int(32)), (Progression::one(2), int(16))];
        let segments = divided(&accesses).unwrap();
        let widths: Vec<i64> = segments[0].leaves.iter().map(|leaf| leaf.width).collect();
        assert_eq!(widths, [16, 16]);
        assert_eq!(segments[0].parts(0, 32).map(|parts| parts.len()), Some(2));
        let with_pointer = [(Progression::one(0), int(64)), (Progression::one(0), extent(64, Ty::Ptr))];
        assert_eq!(divided(&with_pointer), None);
    }

    #[test]
    fn a_wide_access_to_a_narrow_array_is_a_row_of_elements() {
        let any = Progression { start: 0, step: 1, count: None };
        let segments = divided(&[(any, int(8)), (any, int(32))]).unwrap();
        let parts = segments[0].parts(0, 32).unwrap();
        assert_eq!(parts.iter().map(|part| part.delta).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }
}
