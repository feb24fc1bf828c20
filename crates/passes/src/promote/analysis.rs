//! What every pointer may be, insensitive to flow, with offsets and fields.
//!
//! # Paper
//! Andersen, Program Analysis and Specialization for the C Programming Language, DIKU 1994: inclusion instead of unification. Objects that are not followed, and
//! everything from outside, are *foreign*.
//!
//! # Why it is sound
//! By induction over an execution: a pointer that is derived from a followed object is where the analysis says. Each way in which pointers move is a constraint. A pointer that
//! *escapes* takes its object out of what is followed: it is turned into a number, handed to a procedure, stored in foreign memory, or it may
//! be foreign as well, so that nobody knows what it is. So foreign pointers never lead to followed objects. That no pointer in followed memory is read or written in part, or as a
//! number, is checked when objects are laid out: up to the first such access all pointers are what the analysis says, so that access is seen.
//!
//! # Cost
//! Rounds times expressions; offsets of a pointer change at most some twenty times, and each object escapes once.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use cfa::op::{Callee, Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{BinaryOp, Expr, ExprId, Source, Storage, Ty, VarId};

use super::ObjectId;
use super::candidates::{Candidates, is_pointer};
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
    escaped: BTreeSet<ObjectId>,
}

impl Pointees {
    /// The analysis, with the objects that escape refused.
    pub(super) fn new(candidates: &mut Candidates<'_>) -> Self {
        let mut sums = sums(candidates);
        loop {
            let mut pointees = Self {
                holders: BTreeMap::new(),
                exprs: FxHashMap::default(),
                sums,
                escaped: BTreeSet::new(),
            };
            pointees.solve(candidates);
            pointees.mixed();
            if pointees.escaped.is_empty() {
                return pointees;
            }
            for object in &pointees.escaped {
                candidates.refuse(*object);
            }
            sums = pointees.sums;
        }
    }

    fn solve(&mut self, candidates: &Candidates<'_>) {
        for var in unwritten(candidates) {
            self.hold(Holder::Var(var), &Pointee::other(Other::Unwritten));
        }
        for (var, declared) in candidates.program.vars.iter_enumerated() {
            let holds =
                matches!(declared.storage, Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. });
            if holds && candidates.is_shared(var) {
                self.hold(Holder::Var(var), &Pointee::other(Other::Foreign));
            }
        }
        loop {
            let before = self.holders.clone();
            self.evaluate(candidates);
            self.flow(candidates);
            if self.holders == before {
                return;
            }
        }
    }

    /// What may be foreign and may be an object: nobody can tell which.
    fn mixed(&mut self) {
        for pointee in self.holders.values().chain(self.exprs.values()) {
            if pointee.other == Other::Foreign {
                self.escaped.extend(pointee.objects.keys());
            }
        }
    }

    fn escape(&mut self, pointee: &Pointee) {
        self.escaped.extend(pointee.objects.keys());
    }
    fn escape_expr(&mut self, expr: ExprId) {
        if let Some(pointee) = self.exprs.get(&expr).cloned() {
            self.escape(&pointee);
        }
    }

    /// What a pointer expression may be.
    pub(super) fn of(&self, expr: ExprId) -> &Pointee {
        &self.exprs[&expr]
    }
    /// Whether an expression is a pointer to followed objects.
    pub(super) fn is_followed(&self, expr: ExprId) -> bool {
        self.exprs.get(&expr).is_some_and(|pointee| !pointee.objects.is_empty())
    }
    /// Whether an expression is a pointer that leads to no object at all.
    pub(super) fn leads_nowhere(&self, expr: ExprId) -> bool {
        self.exprs
            .get(&expr)
            .is_some_and(|pointee| pointee.objects.is_empty() && pointee.other < Other::Foreign)
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
            if is_pointer(candidates.program, *id) {
                let pointee = self.evaluated(candidates, *id);
                self.exprs.insert(*id, pointee);
            } else if let Expr::Cast { arg, .. } = *candidates.program.exprs.get(*id) {
                self.escape_expr(arg);
            }
        }
    }

    fn evaluated(&self, candidates: &Candidates<'_>, id: ExprId) -> Pointee {
        let known = |id: ExprId| self.exprs.get(&id).cloned().unwrap_or_default();
        let object =
            |object: Option<ObjectId>| object.map_or_else(|| Pointee::other(Other::Foreign), Pointee::object);
        let exprs = &candidates.program.exprs;
        match *exprs.get(id) {
            Expr::Const { bits, .. } => Pointee::other(if bits == 0 { Other::Null } else { Other::Number }),
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => self.held(Holder::Var(var)),
            Expr::Load { addr, .. } => self.loaded(&known(addr)),
            Expr::Address { var } => object(candidates.of_var(var)),
            Expr::Function { proc } => object(candidates.of_proc(proc)),
            Expr::Binary { lhs, .. } => known(lhs).plus(&self.sums[&id]),
            Expr::Ite { then, other, .. } => {
                let mut pointee = known(then);
                pointee.join(&known(other));
                pointee
            }
            Expr::Cast { arg, .. } if is_pointer(candidates.program, arg) => known(arg),
            Expr::Cast { arg, .. } if matches!(exprs.get(arg), Expr::Const { .. }) => {
                Pointee::other(Other::Number)
            }
            _ => Pointee::other(Other::Foreign),
        }
    }

    /// What may be read at an address.
    pub(super) fn loaded(&self, address: &Pointee) -> Pointee {
        // What was never written belongs to no object.
        let other = if address.other == Other::Foreign { Other::Foreign } else { Other::Unwritten };
        let mut found = Pointee::other(other);
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
        if address.other == Other::Foreign {
            self.escape(value);
        }
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
            Op::Assign { place, value } => {
                if let Some(value) = self.exprs.get(value).cloned() {
                    self.write(candidates, place, &value);
                }
            }
            Op::Havoc { place, source, .. } => {
                let other = if *source == Source::Uninitialised { Other::Unwritten } else { Other::Foreign };
                self.write(candidates, place, &Pointee::other(other));
            }
            Op::Malloc { place, .. } => {
                let object = candidates.of_site(site);
                let value = object.map_or_else(|| Pointee::other(Other::Foreign), Pointee::object);
                self.write(candidates, place, &value);
            }
            Op::Realloc { place, old, .. } => {
                self.escape_expr(*old);
                self.write(candidates, place, &Pointee::other(Other::Foreign));
            }
            Op::Init { var, contents } => {
                let other = match contents {
                    cfa::InitKind::Zero => Other::Null,
                    cfa::InitKind::Uninitialised => Other::Unwritten,
                };
                self.hold_array(candidates, *var, other);
            }
            Op::Allocate { var, .. } => self.hold_array(candidates, *var, Other::Unwritten),
            Op::Copy { to, from, .. } => self.copy(*to, *from),
            Op::Forget { to, addresses, .. } if !addresses.is_empty() => {
                self.escape_expr(*to);
                for address in addresses {
                    self.escape_expr(*address);
                }
            }
            Op::Call { callee, args, results } => {
                if let Callee::Indirect { pointer, .. } = callee {
                    self.escape_expr(*pointer);
                }
                for arg in args {
                    self.escape_expr(*arg);
                }
                for place in results.iter().flatten() {
                    self.write(candidates, place, &Pointee::other(Other::Foreign));
                }
            }
            _ => {}
        }
    }

    fn hold_array(&mut self, candidates: &Candidates<'_>, var: VarId, other: Other) {
        if matches!(candidates.program.vars[var].storage, Storage::Array { elem: Ty::Ptr, .. }) {
            self.hold(Holder::Var(var), &Pointee::other(other));
        }
    }

    fn write(&mut self, candidates: &Candidates<'_>, place: &Place, value: &Pointee) {
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => {
                let storage = candidates.program.vars[var].storage;
                if matches!(storage, Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. }) {
                    self.hold(Holder::Var(var), value);
                }
            }
            Place::Mem { addr, ty: Ty::Ptr } => {
                let address = self.of(addr).clone();
                self.store(&address, value);
            }
            Place::Mem { .. } | Place::Bits { .. } => {}
        }
    }

    /// Every pointer of the source may be anywhere in the target, or at its offset if both addresses are known. A copy between followed and foreign memory
    /// takes both out of what is followed.
    fn copy(&mut self, to: ExprId, from: ExprId) {
        let (to, from) = (self.of(to).clone(), self.of(from).clone());
        if to.other == Other::Foreign || from.other == Other::Foreign {
            self.escape(&to);
            self.escape(&from);
            // What they hold is foreign from then on.
            return;
        }
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

/// What is added to pointers.
fn sums(candidates: &Candidates<'_>) -> FxHashMap<ExprId, Linear> {
    let program = candidates.program;
    let totality = Totality::new(program);
    let mut sums = FxHashMap::default();
    for id in &candidates.used {
        if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = *program.exprs.get(*id) {
            sums.insert(*id, linear(program, &totality, rhs));
        }
    }
    sums
}

/// Pointer variables that may be read before they are written.
fn unwritten(candidates: &Candidates<'_>) -> Vec<VarId> {
    let program = candidates.program;
    let holds = |var: &VarId| {
        matches!(program.vars[*var].storage, Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. })
    };
    let pointers: Vec<VarId> = program.vars.ids().filter(holds).collect();
    prologue(program, program.entry, &pointers).stale
}
