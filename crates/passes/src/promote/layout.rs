//! How an object is divided into variables.
//!
//! # Rule
//! The accesses to an object are intervals of bits. Where two of them meet they must be the same, and of one kind; then the interval is a *leaf*. Integers that overlap in
//! another way, as in unions, are divided into bytes. If offsets are known only up to multiples of a number, the object is an array of elements of that size, and the intervals are those within an element.

use std::collections::BTreeMap;

use cfa::op::{Op, Place};
use cfa::{Expr, ExprId, Ty};

use super::ObjectId;
use super::analysis::Pointees;
use super::candidates::{Candidates, Kind};
use super::offsets::{Offsets, Pointee, gcd};

/// Leaves that an object may have.
const MOST_LEAVES: usize = 256;

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
    pub(super) fn of(candidates: &Candidates<'_>, ty: Ty) -> Self {
        Self { bit: 0, width: candidates.program.size_of(ty) as i64 * 8, ty }
    }
    /// Of a bit-field.
    pub(super) fn bits(candidates: &Candidates<'_>, bit: u8, ty: Ty) -> Self {
        Self { bit: i64::from(bit), width: i64::from(ty.width(candidates.program.data_model)), ty }
    }
    /// Bytes from the address to its end.
    pub(super) fn bytes(&self) -> i64 {
        (self.bit + self.width + 7) / 8
    }
    fn is_bits(&self) -> bool {
        self.bit % 8 != 0 || self.width % 8 != 0
    }
}

/// A part of an object, or of its elements, that becomes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// First bit.
    pub(super) at: i64,
    /// Number of bits.
    pub(super) width: i64,
    pub(super) ty: Ty,
}

/// The parts of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes of an element; `None` if the object is no array.
    pub(super) element: Option<i64>,
    /// In order, disjoint.
    pub(super) leaves: Vec<Leaf>,
}

impl Layout {
    /// The leaves that an extent consists of, at an offset in the object or in an element. None if they do not make it up.
    pub(super) fn parts(&self, offset: i64, extent: &Extent) -> Option<std::ops::Range<usize>> {
        let (start, end) = (offset * 8 + extent.bit, offset * 8 + extent.bit + extent.width);
        let first = self.leaves.iter().position(|leaf| leaf.at == start)?;
        let mut at = start;
        for (index, leaf) in self.leaves.iter().enumerate().skip(first) {
            if leaf.at != at {
                return None;
            }
            at += leaf.width;
            if at == end {
                return Some(first..index + 1);
            }
        }
        None
    }
    /// Elements of a leaf in an object of a size.
    pub(super) fn length(&self, leaf: usize, size: i64) -> i64 {
        let Some(element) = self.element else { return 1 };
        let end = (self.leaves[leaf].at + self.leaves[leaf].width + 7) / 8;
        if size < end { 0 } else { (size - end) / element + 1 }
    }
}

/// All accesses by object.
pub(super) type Accesses = BTreeMap<ObjectId, Vec<(Offsets, Extent)>>;

/// What the program accesses.
pub(super) fn accesses(candidates: &Candidates<'_>, pointees: &Pointees) -> Accesses {
    let program = candidates.program;
    let mut accesses = Accesses::new();
    let mut note = |address: ExprId, extent: Extent| {
        for (object, offsets) in &pointees.of(address).objects {
            let known = accesses.entry(*object).or_default();
            if !known.contains(&(offsets.clone(), extent)) {
                known.push((offsets.clone(), extent));
            }
        }
    };
    for id in &candidates.used {
        match *program.exprs.get(*id) {
            Expr::Load { addr, ty } => note(addr, Extent::of(candidates, ty)),
            Expr::LoadBits { addr, bit, ty } => note(addr, Extent::bits(candidates, bit, ty)),
            _ => {}
        }
    }
    let mut copies = Vec::new();
    for op in program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops) {
        for place in op.places() {
            match *place {
                Place::Mem { addr, ty } => note(addr, Extent::of(candidates, ty)),
                Place::Bits { addr, bit, ty } => note(addr, Extent::bits(candidates, bit, ty)),
                Place::Var(_) | Place::Elem { .. } => {}
            }
        }
        if let Op::Copy { to, from, length } = op
            && let Expr::Const { bits, .. } = *program.exprs.get(*length)
            && let Ok(length) = i64::try_from(bits)
        {
            copies.push((pointees.of(*to), pointees.of(*from), length));
        }
    }
    harmonise(&mut accesses, &copies);
    accesses
}

/// What is copied is accessed on both sides alike.
fn harmonise(accesses: &mut Accesses, copies: &[(&Pointee, &Pointee, i64)]) {
    loop {
        let mut new = Vec::new();
        for (to, from, length) in copies {
            for (left, left_offsets) in &to.objects {
                for (right, right_offsets) in &from.objects {
                    let (Some(left_at), Some(right_at)) = (left_offsets.single(), right_offsets.single())
                    else {
                        continue;
                    };
                    new.extend(shifted(accesses, (*left, left_at), (*right, right_at), *length));
                    new.extend(shifted(accesses, (*right, right_at), (*left, left_at), *length));
                }
            }
        }
        let mut changed = false;
        for (object, access) in new {
            let known = accesses.entry(object).or_default();
            if !known.contains(&access) && known.len() < 4 * MOST_LEAVES {
                known.push(access);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// The accesses to one object in a range, as accesses to another.
fn shifted(
    accesses: &Accesses,
    (from, start): (ObjectId, i64),
    (to, target): (ObjectId, i64),
    length: i64,
) -> Vec<(ObjectId, (Offsets, Extent))> {
    let mut found = Vec::new();
    for (offsets, extent) in accesses.get(&from).into_iter().flatten() {
        match offsets {
            Offsets::Few(offsets) => {
                for offset in offsets {
                    if *offset >= start && offset + extent.bytes() <= start + length {
                        found.push((to, (Offsets::one(offset - start + target), *extent)));
                    }
                }
            }
            Offsets::Stride { modulus, residue } => {
                let residue = (residue - start + target).rem_euclid(*modulus);
                found.push((to, (Offsets::Stride { modulus: *modulus, residue }, *extent)));
            }
        }
    }
    found
}

/// Divides an object; `None` if its accesses do not fit together.
pub(super) fn layout(
    candidates: &Candidates<'_>,
    object: ObjectId,
    accesses: &[(Offsets, Extent)],
) -> Option<Layout> {
    if matches!(candidates.object(object).kind, Kind::Proc(_)) {
        return Some(Layout::default());
    }
    let size = candidates.object(object).size;
    divided(size, accesses).or_else(|| {
        // A small object may be no array, but fields at all offsets that are possible.
        let listed =
            |(offsets, extent): &(Offsets, Extent)| Some((Offsets::Few(offsets.listed(size?)?), *extent));
        let listed: Option<Vec<_>> = accesses.iter().map(listed).collect();
        divided(size, &listed?)
    })
}

/// Divides an object of a size by the accesses as they are.
fn divided(size: Option<i64>, accesses: &[(Offsets, Extent)]) -> Option<Layout> {
    let modulus = accesses.iter().fold(0, |unit, (offsets, _)| match offsets {
        Offsets::Few(_) => unit,
        Offsets::Stride { modulus, .. } => gcd(unit, *modulus),
    });
    let element = (modulus != 0).then_some(modulus);
    let mut extents: Vec<Extent> = Vec::new();
    for (offsets, extent) in accesses {
        let starts: Vec<i64> = match offsets {
            Offsets::Few(offsets) => {
                let inside = |at: &&i64| **at >= 0 && size.is_none_or(|size| **at + extent.bytes() <= size);
                offsets.iter().filter(inside).map(|at| element.map_or(*at, |element| at % element)).collect()
            }
            Offsets::Stride { residue, .. } => vec![residue % modulus],
        };
        for start in starts {
            let bit = start.checked_mul(8)? + extent.bit;
            if element.is_some_and(|element| bit + extent.width > element * 8) {
                return None;
            }
            extents.push(Extent { bit, ..*extent });
        }
    }
    extents.sort_unstable();
    extents.dedup();
    let leaves = leaves(&extents)?;
    (leaves.len() <= MOST_LEAVES).then_some(Layout { element, leaves })
}

/// Clusters of extents that meet become leaves.
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
        let is_same = |extent: &Extent| (extent.bit, extent.width) == (first.bit, first.width);
        if cluster.iter().all(is_same) {
            let fits = |extent: &Extent| {
                extent.ty == first.ty || is_plain_integer(extent) && is_plain_integer(first)
            };
            if !cluster.iter().all(fits) {
                return None;
            }
            leaves.push(Leaf { at: first.bit, width: first.width, ty: first.ty });
            continue;
        }
        if !cluster.iter().all(is_plain_integer) {
            return None;
        }
        let bytes = (first.bit..end).step_by(8);
        leaves.extend(bytes.map(|at| Leaf { at, width: 8, ty: Ty::unsigned(8) }));
        if leaves.len() > MOST_LEAVES {
            return None;
        }
    }
    Some(leaves)
}

/// An integer in whole bytes all of whose representations are values.
fn is_plain_integer(extent: &Extent) -> bool {
    !extent.is_bits() && matches!(extent.ty, Ty::Int { width, .. } if i64::from(width) == extent.width)
}
