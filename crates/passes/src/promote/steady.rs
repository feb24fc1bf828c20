//! Where a value that is not followed is still what it was when it was read before, or what was stored.
//!
//! A forward analysis for each procedure: on all ways to a location the value was chosen, and since then no variable that its expression reads was written, nor any memory that it may read. Then the value is the same, so
//! it is not chosen again, and a counterexample that reads it twice can be replayed. A value is chosen where the translation of an operation reads its variable: an expression whose value is chosen
//! as a whole does not choose those of its parts.
//!
//! A store through a pointer into memory that is not followed gives the variable of the same load its value (*forwarding*): `p->n = 1; assert(p->n == 1)` holds wherever `p` leads.
//!
//! # Invariants
//! * C1: a chosen value is known only where it is the value of its expression in every execution. So it survives a store only if each load of the expression is apart from what is written: at another
//!   constant distance from the same pointer, or in other objects. Followed objects are apart from all memory that is not followed; two places in the latter never are, unless by their distance.
//! * C2: a value is forwarded to the load with the same address and type, and only if the loads within the address are apart from the store.
//!
//! # Cost
//! Each store is compared with the values that are known there, at most [`MAX_KNOWN`] after it.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::op::{Op, Place};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Loc, Procedure, Program, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::constant;
use super::meaning::Stands;
use super::object::Objects;
use super::offsets::Linear;
use super::pointers::Pointers;
use super::rewrite::Rewriter;
use super::translate::Translator;
use super::{NONE, ObjectId};
use crate::lifetimes::read_vars;

/// Values that are known after a store.
const MAX_KNOWN: usize = 64;

/// Memory that an operation or an expression accesses.
#[derive(Clone, Debug)]
struct Piece {
    /// The address without its constant distance.
    base: ExprId,
    distance: i64,
    bytes: i64,
    /// The objects that may be meant, and whether it may be memory that is not followed.
    objects: BTreeSet<ObjectId>,
    is_unfollowed: bool,
}

impl Piece {
    fn new(objects: &Objects<'_>, pointers: &Pointers, addr: ExprId, bytes: i64) -> Self {
        let (base, distance) = split(objects.program, addr);
        let pointee = pointers.of(addr);
        let others = pointee.others;
        let is_unfollowed = others.foreign
            || others.strange
            || others.number
            || others.unwritten
            || pointee.objects.keys().any(|object| !objects.is_followed(*object));
        let objects = pointee.objects.keys().copied().collect();
        Self { base, distance, bytes, objects, is_unfollowed }
    }

    fn is_apart(&self, other: &Self) -> bool {
        let is_beside = self.base == other.base
            && (self.distance.saturating_add(self.bytes) <= other.distance
                || other.distance.saturating_add(other.bytes) <= self.distance);
        is_beside || self.objects.is_disjoint(&other.objects) && !(self.is_unfollowed && other.is_unfollowed)
    }
}

/// An address as another one and a constant distance.
fn split(program: &Program, mut addr: ExprId) -> (ExprId, i64) {
    let mut distance = 0_i64;
    while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *program.exprs.get(addr)
        && let Some(sum) = constant(program, rhs).and_then(|amount| distance.checked_add(amount))
    {
        (addr, distance) = (lhs, sum);
    }
    (addr, distance)
}

/// A value that is chosen.
#[derive(Debug, Default)]
struct Choice {
    /// The variables that its expression reads.
    vars: BTreeSet<VarId>,
    /// What its expression loads.
    loads: Vec<(ExprId, Piece)>,
    /// Whether any store may change it: it is about memory, but no load.
    is_fleeting: bool,
}

impl Choice {
    fn new(objects: &Objects<'_>, pointers: &Pointers, root: ExprId) -> Self {
        let program = objects.program;
        let mut choice = Self::default();
        let (mut pending, mut seen) = (vec![root], FxHashSet::default());
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let expr = program.exprs.get(id);
            match *expr {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } => {
                    choice.vars.insert(var);
                }
                Expr::Load { addr, ty } => {
                    let bytes = i64::try_from(program.size_of(ty)).unwrap_or(i64::MAX);
                    choice.loads.push((id, Piece::new(objects, pointers, addr, bytes)));
                }
                Expr::LoadBits { .. }
                | Expr::Accessible { .. }
                | Expr::SameObject { .. }
                | Expr::Freeable { .. }
                | Expr::Test { .. }
                | Expr::Initialised { .. }
                | Expr::Lost => choice.is_fleeting = true,
                _ => {}
            }
            pending.extend(expr.operands());
        }
        choice
    }

    /// Whether a store leaves it as it is (C1); the load with the given number is not looked at.
    fn survives(&self, written: &Piece, except: Option<ExprId>) -> bool {
        let mut loads = self.loads.iter().filter(|(id, _)| Some(*id) != except);
        !self.is_fleeting && loads.all(|(_, load)| load.is_apart(written))
    }
}

/// Variables that stand for values of expressions that are chosen.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    choices: BTreeMap<VarId, Choice>,
    /// The variable for what a load reads from memory that is not followed, and the number of the load.
    loads: FxHashMap<(ExprId, Ty), (VarId, ExprId)>,
}

/// The values that an operation gives to chosen variables, before or after its translation.
#[derive(Debug, Default)]
pub(super) struct Forwarded {
    pub(super) before: Option<(VarId, ExprId)>,
    pub(super) after: Option<(VarId, ExprId)>,
}

impl Forwarded {
    fn var(&self) -> Option<VarId> {
        self.before.or(self.after).map(|(var, _)| var)
    }

    pub(super) fn exprs(&self) -> impl Iterator<Item = ExprId> {
        self.before.iter().chain(&self.after).map(|(_, value)| *value)
    }
}

impl Chosen {
    pub(super) fn new(translator: &Translator<'_>) -> Self {
        let (objects, pointers) = (translator.objects, translator.pointers);
        let mut choices = BTreeMap::new();
        for (chosen, rounded) in &translator.rounded {
            if let Stands::Expr(root) = rounded.stands {
                choices.insert(*chosen, Choice::new(objects, pointers, root));
            }
        }
        let mut loads = FxHashMap::default();
        for (load, var) in &translator.unfollowed {
            if let Expr::Load { addr, ty } = *objects.program.exprs.get(*load) {
                loads.insert((addr, ty), (*var, *load));
            }
        }
        Self { choices, loads }
    }

    /// What is known after an operation whose translation reads some variables that stand for chosen values, and gives others a value.
    pub(super) fn after(
        &self,
        known: &mut BTreeSet<VarId>,
        op: &Op,
        read: &BTreeSet<VarId>,
        (forwarded, written): (&Forwarded, Option<&Written>),
    ) {
        let writes_memory = match op {
            Op::Assign { .. } | Op::Havoc { .. } => {
                op.places().any(|place| matches!(place, Place::Mem { .. } | Place::Bits { .. }))
            }
            Op::Assume { .. } => false,
            _ => true,
        };
        if writes_memory && written.is_none() {
            known.clear();
            return;
        }
        known.extend(read.iter().filter(|var| self.choices.contains_key(var)));
        for written in op.places().filter_map(Place::var) {
            known.retain(|chosen| !self.choices[chosen].vars.contains(&written));
        }
        if let Some(Written(piece)) = written {
            known.retain(|chosen| self.choices[chosen].survives(piece, None));
            while known.len() > MAX_KNOWN {
                known.pop_last();
            }
            known.extend(forwarded.var());
        }
    }

    /// What is known at the locations of a procedure; nothing where nothing leads to.
    pub(super) fn known(
        &self,
        procedure: &Procedure,
        mut after: impl FnMut(EdgeId, usize, &mut BTreeSet<VarId>),
    ) -> IndexVec<Loc, BTreeSet<VarId>> {
        let mut known: IndexVec<Loc, Option<BTreeSet<VarId>>> =
            IndexVec::filled(None, procedure.locations.len());
        known[procedure.entry] = Some(BTreeSet::new());
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            if self.choices.is_empty() {
                break;
            }
            for id in procedure.outgoing(location) {
                let edge = &procedure.edges()[*id];
                let mut here = known[location].clone().unwrap_or_default();
                for position in 0..edge.ops.len() {
                    after(*id, position, &mut here);
                }
                let merged = match &known[edge.target] {
                    None => here,
                    Some(before) => before.intersection(&here).copied().collect(),
                };
                if known[edge.target].as_ref() != Some(&merged) {
                    known[edge.target] = Some(merged);
                    pending.push(edge.target);
                }
            }
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// The memory that a store writes.
#[derive(Debug)]
pub(super) struct Written(Piece);

impl Written {
    /// Of an assignment of a scalar in memory.
    pub(super) fn new(translator: &Translator<'_>, op: &Op) -> Option<Self> {
        let (Op::Assign { place: Place::Mem { addr, ty }, .. }
        | Op::Havoc { place: Place::Mem { addr, ty }, .. }) = op
        else {
            return None;
        };
        let bytes = i64::try_from(translator.objects.program.size_of(*ty)).unwrap_or(i64::MAX);
        Some(Self(Piece::new(translator.objects, translator.pointers, *addr, bytes)))
    }
}

impl Rewriter<'_> {
    /// What a store gives the variable of the same load (C2). Its translation is at hand.
    pub(super) fn forwarded(&mut self, op: &Op, written: Option<&Written>) -> Forwarded {
        let mut forwarded = Forwarded::default();
        let (Op::Assign { place: Place::Mem { addr, ty }, value }, Some(Written(piece))) = (op, written)
        else {
            return forwarded;
        };
        let Some((var, load)) = self.chosen.loads.get(&(*addr, *ty)).copied() else { return forwarded };
        if !self.chosen.choices.get(&var).is_some_and(|choice| choice.survives(piece, Some(load))) {
            return forwarded;
        }
        let Some(new) = self.unfollowed_value(*value, *ty) else { return forwarded };
        let mut read = BTreeSet::new();
        read_vars(&self.translator.out, new, |var| {
            read.insert(var);
        });
        // The value is that before the operation.
        if !self.ops.iter().flat_map(Op::places).filter_map(Place::var).any(|written| read.contains(&written))
        {
            forwarded.after = Some((var, new));
        } else if !read.contains(&var) && !self.rounded_in(&self.ops).contains(&var) {
            forwarded.before = Some((var, new));
        }
        forwarded
    }

    /// A value as the variable of a load from memory that is not followed holds it; pointers only if they lead there, too.
    fn unfollowed_value(&mut self, value: ExprId, ty: Ty) -> Option<ExprId> {
        let translator = &mut self.translator;
        if ty != Ty::Ptr {
            let new = translator.plain(value);
            return (translator.out.exprs.ty(new) == ty).then_some(new);
        }
        let (fat, pointee) = (translator.fat(value), translator.pointers.of(value).clone());
        let others = pointee.others;
        let is_outside = pointee.objects.is_empty() && !others.number && !others.unwritten && !others.strange;
        if !is_outside || fat.offset != Linear::constant(0) {
            return None;
        }
        let address = Ty::unsigned(translator.out.data_model.pointer_width());
        let is_null = translator.object_is(&fat, &pointee, NONE);
        let (zero, number) = (translator.out.exprs.int(address, 0), translator.cast(address, fat.instance));
        Some(translator.ite(is_null, zero, number))
    }

    /// What the tests that an edge starts with read of what is arbitrary, and the position of the first test that does.
    pub(super) fn tested(&self, ops: &[Op]) -> BTreeMap<VarId, u32> {
        let mut tested = BTreeMap::new();
        for (position, op) in ops.iter().enumerate() {
            let Op::Assume { cond } = op else { break };
            let mut found = BTreeSet::new();
            self.rounded_below(self.translator.plain(*cond), &mut found);
            for var in found {
                tested.entry(var).or_insert(position as u32);
            }
        }
        tested
    }

    /// The arbitrary values that operations read.
    pub(super) fn rounded_in(&self, ops: &[Op]) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        for expr in ops.iter().flat_map(Op::exprs) {
            self.rounded_below(expr, &mut found);
        }
        found
    }

    pub(super) fn rounded_below(&self, root: ExprId, found: &mut BTreeSet<VarId>) {
        if !self.translator.rounded.is_empty() {
            let is_rounded = |var: &VarId| self.translator.rounded.contains_key(var);
            read_vars(&self.translator.out, root, |var| {
                if is_rounded(&var) {
                    found.insert(var);
                }
            });
        }
    }
}
