//! Copying, setting and forgetting many bytes of promoted memory at once.

use std::sync::Arc;

use base::Region;
use cfa::op::{Freedom, Op, Place};
use cfa::{Expr, ExprId, InitKind, Source, Storage, Ty};

use super::ObjectId;
use super::access::{Case, Coverage};
use super::layout::{Extent, Leaf};
use super::offsets::{Linear, Pointee};
use super::rewrite::Rewriter;
use super::slots::{OBJECT, Slot};
use super::translate::Fat;

/// Elements that are copied, filled or written one by one.
const MOST_PARTS: usize = 256;

/// The leaves in a range of bytes behind a pointer.
struct Parts {
    object: ObjectId,
    /// Distance in bits from the pointer, and leaf.
    leaves: Vec<(i64, Leaf)>,
}

impl Rewriter<'_> {
    /// Everything that may lie in a range of bytes becomes arbitrary; without a length, everything behind the address.
    pub(super) fn forget(&mut self, to: ExprId, length: Option<i64>, source: &Source) {
        let pointee = self.translator.pointees.of(to).clone();
        for (object, offsets) in &pointee.objects {
            let layout = self.translator.slots.layouts.get(object).cloned().unwrap_or_default();
            let range = match (offsets.single(), length, layout.element) {
                (Some(at), Some(length), None) => Some((at * 8, (at + length) * 8)),
                _ => None,
            };
            for (index, leaf) in layout.leaves.iter().enumerate() {
                if range.is_some_and(|(start, end)| leaf.at + leaf.width <= start || leaf.at >= end) {
                    continue;
                }
                let vars = match self.translator.slots.leaf(*object, index) {
                    Slot::Value(var) => [Some(*var), None],
                    Slot::Pointer(pair) => [pair.object, pair.offset],
                };
                for var in vars.into_iter().flatten() {
                    self.ops.push(match self.translator.out.vars[var].storage {
                        Storage::Array { .. } => Op::Init { var, contents: InitKind::Uninitialised },
                        _ => {
                            Op::Havoc { place: Place::Var(var), source: source.clone(), at: Region::NOWHERE }
                        }
                    });
                }
            }
        }
    }

    /// The leaves in a range of bytes behind a pointer, if it has one object and one offset.
    fn parts(&self, pointee: &Pointee, length: i64) -> Option<Parts> {
        let object = pointee.only()?;
        let start = pointee.offset()?;
        let layout = self.translator.slots.layouts.get(&object)?;
        let size = self.translator.candidates.object(object).size?;
        if start < 0 || start.checked_add(length)? > size {
            return None;
        }
        let mut found = Vec::new();
        for (index, leaf) in layout.leaves.iter().enumerate() {
            for element in 0..layout.length(index, size) {
                let at = leaf.at + element * layout.element.unwrap_or(0) * 8;
                if at + leaf.width <= start * 8 || at >= (start + length) * 8 {
                    continue;
                }
                let is_inside = at >= start * 8 && at + leaf.width <= (start + length) * 8;
                if !is_inside || found.len() >= MOST_PARTS {
                    return None;
                }
                found.push((at - start * 8, *leaf));
            }
        }
        Some(Parts { object, leaves: found })
    }

    /// The cases of an access at a distance of bits from a pointer.
    fn cases_at(&mut self, pointer: ExprId, bits: i64, leaf: &Leaf) -> (Vec<Case>, Coverage) {
        let address = self.translator.fat(pointer);
        let address =
            Fat { object: address.object, offset: address.offset.plus_constant(bits.div_euclid(8)) };
        let pointee = self.translator.pointees.of(pointer).plus(&Linear::constant(bits.div_euclid(8)));
        let extent = Extent { bit: bits.rem_euclid(8), width: leaf.width, ty: leaf.ty };
        self.translator.cases(&address, &pointee, &extent)
    }

    pub(super) fn fill(&mut self, to: ExprId, byte: ExprId, length: ExprId) {
        let pointee = self.translator.pointees.of(to).clone();
        let source = Source::Library { function: "memset".into(), freedom: Freedom::Determined };
        let (length, byte) = (self.constant(length), self.constant(byte));
        let parts = length.and_then(|length| self.parts(&pointee, length));
        let (Some(Parts { object, leaves }), Some(byte)) = (parts, byte) else {
            return self.forget(to, length, &source);
        };
        let bytes = vec![byte as u8; 16];
        for (bits, leaf) in leaves {
            let at = bits.rem_euclid(8);
            self.set_leaf(to, object, (bits, leaf), &bytes, at);
        }
    }

    pub(super) fn write_bytes(&mut self, to: ExprId, bytes: &Arc<[u8]>) {
        let pointee = self.translator.pointees.of(to).clone();
        let source = Source::Library { function: "memcpy".into(), freedom: Freedom::Determined };
        let Some(Parts { object, leaves }) = self.parts(&pointee, bytes.len() as i64) else {
            return self.forget(to, Some(bytes.len() as i64), &source);
        };
        for (bits, leaf) in leaves {
            let from = (bits / 8) as usize;
            self.set_leaf(to, object, (bits, leaf), &bytes[from..], bits.rem_euclid(8));
        }
    }

    /// A leaf gets the value that bytes mean, from a bit on.
    fn set_leaf(&mut self, to: ExprId, object: ObjectId, (bits, leaf): (i64, Leaf), bytes: &[u8], at: i64) {
        let mut buffer = [0; 16];
        let count = bytes.len().min(16);
        buffer[..count].copy_from_slice(&bytes[..count]);
        let raw = u128::from_le_bytes(buffer) >> at;
        let width = match leaf.ty {
            Ty::Ptr => leaf.width.clamp(1, 64) as u32,
            ty => u32::from(ty.width(self.translator.out.data_model)),
        };
        let raw = raw & (u128::MAX >> (128 - width));
        let (cases, coverage) = self.cases_at(to, bits, &leaf);
        let [case] = cases.as_slice() else { return };
        let slot = self.translator.slots.leaf(object, case.leaves.start).clone();
        let writes = match slot {
            Slot::Pointer(_) => {
                let number = self.translator.out.exprs.int(OBJECT, 0);
                let fat = Fat { object: number, offset: Linear::constant(raw as i64) };
                let raw = self.translator.out.exprs.add(Expr::Const { ty: Ty::Ptr, bits: raw });
                self.translator.stored_pointer(&cases, coverage, (&fat, raw))
            }
            Slot::Value(_) => {
                let value = self.translator.out.exprs.add(Expr::Const { ty: leaf.ty, bits: raw });
                self.translator.stored(&cases, coverage, value)
            }
        };
        self.parallel(writes);
    }

    /// Copies leaf by leaf where both sides are divided alike; else the target becomes arbitrary.
    pub(super) fn copy(&mut self, to: ExprId, from: ExprId, length: Option<i64>) {
        let source = &Source::Library { function: "memcpy".into(), freedom: Freedom::Determined };
        let pointee = self.translator.pointees.of(to).clone();
        let parts = length.and_then(|length| self.parts(&pointee, length));
        let Some(Parts { leaves, .. }) = parts else { return self.forget(to, length, source) };
        let mut writes = Vec::new();
        for (bits, leaf) in leaves {
            let (targets, all) = self.cases_at(to, bits, &leaf);
            let (sources, covered) = self.cases_at(from, bits, &leaf);
            let known = |case: &Case| self.is_divided_like(case, &leaf);
            if sources.is_empty() || !sources.iter().all(known) {
                return self.forget(to, length, source);
            }
            if leaf.ty == Ty::Ptr {
                let value = self.translator.loaded_pointer(&sources, covered);
                let is_raw = |case: &Case| {
                    matches!(self.translator.slots.leaf(case.object, case.leaves.start), Slot::Value(_))
                };
                // What comes from pairs goes to pairs.
                let raw = if sources.iter().all(is_raw) {
                    self.translator.loaded(&sources, covered, Ty::Ptr)
                } else {
                    self.translator.out.exprs.int(Ty::Ptr, 0)
                };
                writes.extend(self.translator.stored_pointer(&targets, all, (&value, raw)));
            } else {
                let value = self.translator.loaded(&sources, covered, leaf.ty);
                writes.extend(self.translator.stored(&targets, all, value));
            }
        }
        self.parallel(writes);
    }

    /// Whether a case reads one leaf of the same kind.
    fn is_divided_like(&self, case: &Case, leaf: &Leaf) -> bool {
        let slots = &self.translator.slots;
        let leaves = slots.layouts.get(&case.object).map(|layout| &layout.leaves[case.leaves.clone()]);
        let Some([other]) = leaves else { return false };
        let is_pointer = |slot: &Slot| matches!(slot, Slot::Pointer(_));
        (other.ty == leaf.ty || other.ty.is_int() && leaf.ty.is_int() && other.width == leaf.width)
            && (!is_pointer(slots.leaf(case.object, case.leaves.start)) || leaf.ty == Ty::Ptr)
    }
}
