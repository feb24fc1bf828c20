//! Which variables an access to promoted memory reads or writes, and when.

use std::collections::{BTreeMap, BTreeSet};

use cfa::op::Place;
use cfa::{BinaryOp, ExprId, Ty};

use super::ObjectId;
use super::layout::Extent;
use super::offsets::{Offsets, Other, Pointee};
use super::slots::{OFFSET, Pair, Slot};
use super::translate::{Fat, Translator};

/// One way in which an access may go.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// When it goes that way.
    pub(super) cond: ExprId,
    pub(super) object: ObjectId,
    /// The leaves, the one with the least significant bits first.
    pub(super) leaves: std::ops::Range<usize>,
    /// Which element, if the object is an array.
    pub(super) index: Option<ExprId>,
}

/// Which accesses the cases cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// All.
    All,
    /// Others are undefined.
    Some,
}

impl Translator<'_> {
    /// The ways in which an access may go. Where an object is not divided as the access needs it, the range of leaves is empty.
    pub(super) fn cases(
        &mut self,
        address: &Fat,
        pointee: &Pointee,
        extent: &Extent,
    ) -> (Vec<Case>, Coverage) {
        let mut cases = Vec::new();
        let mut coverage = if pointee.other == Other::Nothing { Coverage::All } else { Coverage::Some };
        for (object, offsets) in &pointee.objects {
            let this = if pointee.only() == Some(*object) {
                self.out.exprs.bool(true)
            } else {
                self.object_is(address.object, *object)
            };
            let known = self.slots.layouts.get(object).cloned().unwrap_or_default();
            let size = self.candidates.object(*object).size;
            // An object that is no array has a leaf at each offset.
            let listed = match (known.element, size) {
                (None, Some(size)) => offsets.listed(size),
                _ => None,
            };
            if let (Some(_), Offsets::Stride { .. }) = (&listed, offsets) {
                coverage = Coverage::Some;
            }
            let listed = listed.map(Offsets::Few);
            match listed.as_ref().unwrap_or(offsets) {
                Offsets::Few(offsets) => {
                    let (few, covered) = self.few(this, address, (*object, extent), offsets);
                    cases.extend(few);
                    if covered == Coverage::Some {
                        coverage = Coverage::Some;
                    }
                }
                Offsets::Stride { residue, .. } => {
                    let Some(element) = known.element else { continue };
                    let start = residue % element;
                    let leaves = known.parts(start, extent).unwrap_or(0..0);
                    let has_none = |leaf: usize| size.is_some_and(|size| known.length(leaf, size) == 0);
                    if leaves.clone().any(has_none) {
                        coverage = Coverage::Some;
                        continue;
                    }
                    let index = self.scaled(&address.offset.plus_constant(-start), element);
                    cases.push(Case { cond: this, object: *object, leaves, index: Some(index) });
                }
            }
            if size.is_none() {
                coverage = Coverage::Some;
                let inside = self.within(address, *object, extent);
                for case in cases.iter_mut().filter(|case| case.object == *object) {
                    case.cond = self.and(case.cond, inside);
                }
            }
        }
        (cases, coverage)
    }

    /// The ways in which an access to one object at few offsets may go.
    fn few(
        &mut self,
        this: ExprId,
        address: &Fat,
        (object, extent): (ObjectId, &Extent),
        offsets: &BTreeSet<i64>,
    ) -> (Vec<Case>, Coverage) {
        let known = self.slots.layouts.get(&object).cloned().unwrap_or_default();
        let size = self.candidates.object(object).size;
        let is_inside = |at: &&i64| **at >= 0 && size.is_none_or(|size| **at + extent.bytes() <= size);
        let inside: Vec<i64> = offsets.iter().filter(is_inside).copied().collect();
        let coverage = if inside.len() < offsets.len() { Coverage::Some } else { Coverage::All };
        let mut cases = Vec::new();
        for (start, group) in groups(&inside, known.element) {
            let cond = self.at_offsets(this, address, (offsets.len(), &group));
            let index = known.element.map(|element| match group.as_slice() {
                [at] => self.out.exprs.int(OFFSET, i128::from(at / element)),
                _ => self.scaled(&address.offset.plus_constant(-start), element),
            });
            let leaves = known.parts(start, extent).unwrap_or(0..0);
            cases.push(Case { cond, object, leaves, index });
        }
        (cases, coverage)
    }

    /// Whether an access goes to one of some offsets, of so many that are possible.
    fn at_offsets(&mut self, this: ExprId, address: &Fat, (possible, offsets): (usize, &[i64])) -> ExprId {
        if offsets.len() == possible {
            return this;
        }
        let offset = self.number(&address.offset);
        let mut there = self.out.exprs.bool(false);
        for at in offsets {
            let at = self.out.exprs.int(OFFSET, i128::from(*at));
            let here = self.binary(BinaryOp::Eq, offset, at);
            there = self.or(there, here);
        }
        self.and(this, there)
    }

    /// Whether an access lies in an object.
    pub(super) fn within(&mut self, address: &Fat, object: ObjectId, extent: &Extent) -> ExprId {
        let ty = Ty::unsigned(64);
        let size = match (self.candidates.object(object).size, self.slots.size(object)) {
            (Some(size), _) => self.out.exprs.int(ty, i128::from(size)),
            (None, Some(var)) => self.out.exprs.var(var, ty),
            (None, None) => return self.out.exprs.bool(false),
        };
        let (start, zero) = (self.number(&address.offset), self.out.exprs.int(OFFSET, 0));
        let above = self.binary(BinaryOp::Le, zero, start);
        let end = self.number(&address.offset.plus_constant(extent.bytes()));
        let end = self.cast(ty, end);
        let below = self.binary(BinaryOp::Le, end, size);
        self.and(above, below)
    }

    /// Folds the cases of a load of a value.
    pub(super) fn loaded(&mut self, cases: &[Case], coverage: Coverage, ty: Ty) -> ExprId {
        let mut result = match coverage {
            Coverage::All => None,
            Coverage::Some => Some(self.slots.invalid(&mut self.out, ty)),
        };
        for case in cases.iter().rev() {
            let value = self.read_value(case, ty);
            result = Some(match result {
                None => value,
                Some(other) => self.ite(case.cond, value, other),
            });
        }
        result.unwrap_or_else(|| self.slots.invalid(&mut self.out, ty))
    }

    pub(super) fn read_pointer(&mut self, case: &Case) -> Fat {
        match self.slots.leaves(case.object).get(case.leaves.clone()) {
            Some([Slot::Pointer(pair)]) => {
                let pair: Pair = pair.clone();
                self.read_pair(&pair, case.index)
            }
            // It never holds a pointer to a promoted object.
            Some([Slot::Value(var)]) => {
                let var = *var;
                let raw = self.read(var, case.index, Ty::Ptr);
                self.of_raw(raw)
            }
            _ => Fat {
                object: self.slots.invalid(&mut self.out, super::slots::OBJECT),
                offset: super::offsets::Linear::constant(0),
            },
        }
    }

    fn read_value(&mut self, case: &Case, ty: Ty) -> ExprId {
        let leaves = self.slots.layouts[&case.object].leaves[case.leaves.clone()].to_vec();
        let vars: Vec<_> =
            case.leaves.clone().map(|index| self.slots.leaf(case.object, index).clone()).collect();
        if let ([leaf], [Slot::Value(var)]) = (leaves.as_slice(), vars.as_slice()) {
            let value = self.read(*var, case.index, leaf.ty);
            return self.cast(ty, value);
        }
        let width = leaves.iter().map(|leaf| leaf.width).sum::<i64>();
        let Ok(width) = u8::try_from(width) else { return self.slots.invalid(&mut self.out, ty) };
        if vars.is_empty() || leaves.iter().any(|leaf| !leaf.ty.is_int()) {
            return self.slots.invalid(&mut self.out, ty);
        }
        let whole = Ty::unsigned(width);
        let mut sum = self.out.exprs.int(whole, 0);
        let mut shift = 0;
        for (leaf, var) in leaves.iter().zip(&vars) {
            let Slot::Value(var) = var else { continue };
            let bits = self.read(*var, case.index, leaf.ty);
            let bits = self.cast(whole, bits);
            let factor = self.out.exprs.int(whole, 1_i128 << shift);
            let part = self.binary(BinaryOp::Mul, bits, factor);
            sum = self.binary(BinaryOp::Add, sum, part);
            shift += leaf.width;
        }
        self.cast(ty, sum)
    }

    /// What a store of a value assigns, all at once.
    pub(super) fn stored(
        &mut self,
        cases: &[Case],
        coverage: Coverage,
        value: ExprId,
    ) -> Vec<(Place, ExprId)> {
        let mut writes = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let leaves = self.slots.layouts[&case.object].leaves[case.leaves.clone()].to_vec();
            let mut shift = 0;
            for (leaf, index) in leaves.iter().zip(case.leaves.clone()) {
                let Slot::Value(var) = *self.slots.leaf(case.object, index) else { continue };
                let part = self.part(value, leaves.len(), shift, leaf.ty);
                shift += leaf.width;
                writes.push(self.guarded(cases, at, coverage, (var, leaf.ty), part));
            }
        }
        writes
    }

    /// What a store of a pointer assigns, all at once. Where no pointer to a promoted object is ever stored, the pointer is stored as it is.
    pub(super) fn stored_pointer(
        &mut self,
        cases: &[Case],
        coverage: Coverage,
        (value, raw): (&Fat, ExprId),
    ) -> Vec<(Place, ExprId)> {
        let mut writes = Vec::new();
        for (at, case) in cases.iter().enumerate() {
            let pair = match self.slots.leaves(case.object).get(case.leaves.clone()) {
                Some([Slot::Pointer(pair)]) => pair.clone(),
                Some([Slot::Value(var)]) => {
                    let var = *var;
                    writes.push(self.guarded(cases, at, coverage, (var, Ty::Ptr), raw));
                    continue;
                }
                _ => continue,
            };
            if let Some(var) = pair.object {
                writes.push(self.guarded(cases, at, coverage, (var, super::slots::OBJECT), value.object));
            }
            if let Some(var) = pair.offset {
                let offset = self.scaled(&value.offset, pair.unit);
                writes.push(self.guarded(cases, at, coverage, (var, OFFSET), offset));
            }
        }
        writes
    }

    /// The bits of a value that belong to a leaf.
    fn part(&mut self, value: ExprId, count: usize, shift: i64, ty: Ty) -> ExprId {
        if count == 1 {
            return self.cast(ty, value);
        }
        let width = self.out.exprs.ty(value).width(self.out.data_model);
        let unsigned = Ty::unsigned(width);
        let bits = self.cast(unsigned, value);
        let amount = self.out.exprs.int(Ty::signed(32), i128::from(shift));
        let bits = self.binary(BinaryOp::Shr, bits, amount);
        self.cast(ty, bits)
    }

    /// The write of one case: where it goes another way, the variable keeps its value; where it goes no way, it is undefined.
    fn guarded(
        &mut self,
        cases: &[Case],
        at: usize,
        coverage: Coverage,
        (var, ty): (cfa::VarId, Ty),
        value: ExprId,
    ) -> (Place, ExprId) {
        let case = &cases[at];
        let is_only = cases.len() == 1;
        let index = case.index.map(|index| {
            let zero = self.out.exprs.int(OFFSET, 0);
            if is_only { index } else { self.ite(case.cond, index, zero) }
        });
        let place = match index {
            None => Place::Var(var),
            Some(index) => Place::Elem { array: var, index },
        };
        if is_only && coverage == Coverage::All {
            return (place, value);
        }
        let mut other = if is_only { None } else { Some(self.read(var, index, ty)) };
        if coverage == Coverage::Some {
            let invalid = self.slots.invalid(&mut self.out, ty);
            other = Some(match other {
                None => invalid,
                Some(kept) => {
                    let mut elsewhere = self.out.exprs.bool(false);
                    for (number, case) in cases.iter().enumerate() {
                        if number != at {
                            elsewhere = self.or(elsewhere, case.cond);
                        }
                    }
                    self.ite(elsewhere, kept, invalid)
                }
            });
        }
        let kept = other.unwrap_or(value);
        (place, self.ite(case.cond, value, kept))
    }
}

/// Offsets by the leaf that they belong to: each one by itself, or all that have the same place in an element.
fn groups(offsets: &[i64], element: Option<i64>) -> BTreeMap<i64, Vec<i64>> {
    let mut groups: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for at in offsets {
        groups.entry(element.map_or(*at, |element| at % element)).or_default().push(*at);
    }
    groups
}
