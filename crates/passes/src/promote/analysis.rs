//! What every pointer may be, insensitive to flow, with offsets and fields.
//!
//! # Paper
//! Andersen, Program Analysis and Specialization for the C Programming Language, DIKU 1994: inclusion instead of unification. It refines the regions of
//! [`cfa::pointsto`], which decide what is followed at all.
//!
//! # Why it is sound
//! As there. That no pointer in memory is read or written in part, or as a number, is checked when objects are laid out: up to the first such access all
//! pointers are what the analysis says, so that access is seen.
//!
//! # Cost
//! Rounds times expressions; offsets of a pointer change at most some twenty times.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use cfa::op::{Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{BinaryOp, Expr, ExprId, Source, Ty, VarId};

use super::ObjectId;
use super::candidates::Candidates;
use super::offsets::{Linear, Offsets, Other, Pointee, linear};
use crate::lifetimes::prologue;
use crate::totality::Totality;

/// Something that holds pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Holder {
    /// A variable, or all elements of one.
    Var(VarId),
    /// An object at an offset, or somewhere.
    Memory(ObjectId, Option<i64>),
}

/// The result.
pub(super) struct Pointees {
    holders: BTreeMap<Holder, Pointee>,
    exprs: FxHashMap<ExprId, Pointee>,
    sums: FxHashMap<ExprId, Linear>,
}

impl Pointees {
    pub(super) fn new(candidates: &Candidates<'_>) -> Self {
        let program = candidates.program;
        let totality = Totality::new(program);
        let mut pointees =
            Self { holders: BTreeMap::new(), exprs: FxHashMap::default(), sums: FxHashMap::default() };
        for id in &candidates.used {
            if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = *program.exprs.get(*id) {
                pointees.sums.insert(*id, linear(program, &totality, rhs));
            }
        }
        for var in unwritten(candidates) {
            pointees.hold(Holder::Var(var), &Pointee::other(Other::Unwritten));
        }
        loop {
            let before = pointees.holders.clone();
            pointees.evaluate(candidates);
            pointees.flow(candidates);
            if pointees.holders == before {
                return pointees;
            }
        }
    }

    /// What a promoted pointer expression may be.
    pub(super) fn of(&self, expr: ExprId) -> &Pointee {
        &self.exprs[&expr]
    }
    /// What a variable or memory may hold.
    pub(super) fn held(&self, holder: Holder) -> Pointee {
        self.holders.get(&holder).cloned().unwrap_or_default()
    }
    /// Who may hold a pointer to an object.
    pub(super) fn holders(&self, object: ObjectId) -> impl Iterator<Item = Holder> {
        let points = move |(_, held): &(&Holder, &Pointee)| held.objects.contains_key(&object);
        self.holders.iter().filter(points).map(|(holder, _)| *holder)
    }
    /// What is added by an addition to a pointer.
    pub(super) fn sum(&self, addition: ExprId) -> &Linear {
        &self.sums[&addition]
    }

    fn evaluate(&mut self, candidates: &Candidates<'_>) {
        for id in &candidates.used {
            if candidates.region(*id).is_some() && candidates.program.exprs.ty(*id) == Ty::Ptr {
                let pointee = self.evaluated(candidates, *id);
                self.exprs.insert(*id, pointee);
            }
        }
    }

    fn evaluated(&self, candidates: &Candidates<'_>, id: ExprId) -> Pointee {
        let known = |id: ExprId| self.exprs.get(&id).cloned().unwrap_or_default();
        match *candidates.program.exprs.get(id) {
            Expr::Const { bits, .. } => Pointee::other(if bits == 0 { Other::Null } else { Other::Number }),
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => self.held(Holder::Var(var)),
            Expr::Load { addr, .. } if candidates.region(addr).is_some() => self.loaded(&known(addr)),
            Expr::Address { var } => candidates.of_var(var).map_or_else(Pointee::default, Pointee::object),
            Expr::Function { proc } => {
                candidates.of_proc(proc).map_or_else(Pointee::default, Pointee::object)
            }
            Expr::Binary { lhs, .. } => known(lhs).plus(&self.sums[&id]),
            Expr::Ite { then, other, .. } => {
                let mut pointee = known(then);
                pointee.join(&known(other));
                pointee
            }
            Expr::Cast { arg, .. } if candidates.program.exprs.ty(arg) == Ty::Ptr => known(arg),
            // A number that became a pointer; what belongs to an object was refused.
            Expr::Cast { .. } | Expr::Load { .. } | Expr::LoadBits { .. } | Expr::Unary { .. } => {
                Pointee::other(Other::Number)
            }
        }
    }

    /// What may be read at an address.
    pub(super) fn loaded(&self, address: &Pointee) -> Pointee {
        // What was never written belongs to no object.
        let mut found = Pointee::other(Other::Unwritten);
        for (object, offsets) in &address.objects {
            let everywhere = Holder::Memory(*object, None)..=Holder::Memory(*object, Some(i64::MAX));
            for (holder, held) in self.holders.range(everywhere) {
                let meets = match (holder, offsets) {
                    (Holder::Memory(_, Some(at)), Offsets::Few(offsets)) => offsets.contains(at),
                    _ => true,
                };
                if meets {
                    found.join(held);
                }
            }
        }
        found
    }

    fn store(&mut self, address: &Pointee, value: &Pointee) {
        for (object, offsets) in &address.objects {
            match offsets {
                Offsets::Few(offsets) => {
                    for offset in offsets {
                        self.hold(Holder::Memory(*object, Some(*offset)), value);
                    }
                }
                Offsets::Stride { .. } => self.hold(Holder::Memory(*object, None), value),
            }
        }
    }

    fn hold(&mut self, holder: Holder, value: &Pointee) {
        self.holders.entry(holder).or_default().join(value);
    }

    fn flow(&mut self, candidates: &Candidates<'_>) {
        let entry = candidates.program.entry;
        for (edge, content) in candidates.program.procs[entry].edges().iter_enumerated() {
            for (position, op) in content.ops.iter().enumerate() {
                let site = AllocationSite { proc: entry, edge, op: position as u32 };
                self.op(candidates, site, op);
            }
        }
    }

    fn op(&mut self, candidates: &Candidates<'_>, site: AllocationSite, op: &Op) {
        match op {
            Op::Assign { place, value } if candidates.region(*value).is_some() => {
                if let Some(value) = self.exprs.get(value).cloned() {
                    self.write(candidates, place, &value);
                }
            }
            Op::Havoc { place, source: Source::Uninitialised, .. } => {
                self.write(candidates, place, &Pointee::other(Other::Unwritten));
            }
            Op::Malloc { place, .. } => {
                if let Some(object) = candidates.of_site(site) {
                    self.write(candidates, place, &Pointee::object(object));
                }
            }
            Op::Init { var, contents } => {
                let other = match contents {
                    cfa::InitKind::Zero => Other::Null,
                    cfa::InitKind::Uninitialised => Other::Unwritten,
                };
                if candidates.region_of(*var).is_some() {
                    self.hold(Holder::Var(*var), &Pointee::other(other));
                }
            }
            Op::Allocate { var, .. } if candidates.region_of(*var).is_some() => {
                self.hold(Holder::Var(*var), &Pointee::other(Other::Unwritten));
            }
            Op::Copy { to, from, .. } => self.copy(candidates, *to, *from),
            _ => {}
        }
    }

    fn write(&mut self, candidates: &Candidates<'_>, place: &Place, value: &Pointee) {
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => {
                if candidates.region_of(var).is_some() {
                    self.hold(Holder::Var(var), value);
                }
            }
            Place::Mem { addr, ty: Ty::Ptr } if candidates.region(addr).is_some() => {
                let address = self.of(addr).clone();
                self.store(&address, value);
            }
            Place::Mem { .. } | Place::Bits { .. } => {}
        }
    }

    /// Every pointer of the source may be anywhere in the target, or at its offset if both addresses are known.
    fn copy(&mut self, candidates: &Candidates<'_>, to: ExprId, from: ExprId) {
        if candidates.region(to).is_none() || candidates.region(from).is_none() {
            return;
        }
        let (to, from) = (self.of(to).clone(), self.of(from).clone());
        let mut moved = Vec::new();
        for (source, source_offsets) in &from.objects {
            let everywhere = Holder::Memory(*source, None)..=Holder::Memory(*source, Some(i64::MAX));
            for (holder, held) in self.holders.range(everywhere) {
                let Holder::Memory(_, at) = *holder else { continue };
                for (target, target_offsets) in &to.objects {
                    let at = match (at, source_offsets.single(), target_offsets.single()) {
                        (Some(at), Some(source), Some(target)) => Some(at - source + target),
                        _ => None,
                    };
                    moved.push((Holder::Memory(*target, at), held.clone()));
                }
            }
        }
        for (holder, held) in moved {
            self.hold(holder, &held);
        }
    }
}

/// Pointer variables that may be read before they are written.
fn unwritten(candidates: &Candidates<'_>) -> Vec<VarId> {
    let program = candidates.program;
    let pointers: Vec<VarId> =
        program.vars.ids().filter(|var| candidates.region_of(*var).is_some()).collect();
    prologue(program, program.entry, &pointers).stale
}
