//! Operations on promoted memory as operations on variables.

use std::sync::Arc;

use base::Region;
use cfa::op::{Callee, Freedom, Op, OutputFunction, Place};
use cfa::pointsto::AllocationSite;
use cfa::{EdgeId, Expr, ExprId, InitKind, Length, ProcId, Source, Storage, Ty, Var, VarId};
use rustc_hash::FxHashMap;

use super::ObjectId;
use super::access::{Case, Coverage};
use super::layout::{Extent, Leaf};
use super::offsets::Linear;
use super::slots::{OFFSET, Pair, Slot};
use super::translate::{Fat, Translator};
use crate::back::{EdgeOrigin, OpOrigin};
use crate::build::NewEdge;

/// Rewrites the edges of the entry procedure.
pub(super) struct Rewriter<'a> {
    pub(super) translator: Translator<'a>,
    temporaries: FxHashMap<(Ty, usize), VarId>,
    /// Temporaries that the operation at hand uses.
    used: FxHashMap<Ty, usize>,
    pub(super) ops: Vec<Op>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(translator: Translator<'a>) -> Self {
        Self { translator, temporaries: FxHashMap::default(), used: FxHashMap::default(), ops: Vec::new() }
    }

    /// The new version of an edge.
    pub(super) fn edge(&mut self, proc: ProcId, edge: EdgeId) -> NewEdge {
        let old = &self.translator.candidates.program.procs[proc].edges()[edge];
        let mut new = NewEdge {
            edge,
            target: old.target,
            ops: Vec::new(),
            from: EdgeOrigin::whole(proc, edge, 0),
            origin: None,
        };
        for (position, op) in old.ops.iter().enumerate() {
            self.used.clear();
            let site = AllocationSite { proc, edge, op: position as u32 };
            self.op(site, op);
            // A choice answers the operation that asks for it in the program before; so only a copy of it has its position.
            let is_copy = |new: &Op| match (op, new) {
                (Op::Havoc { .. }, Op::Havoc { .. }) => true,
                (Op::Havoc { .. }, _) | (_, Op::Havoc { .. }) => false,
                _ => true,
            };
            let origin = OpOrigin { step: 0, op: position as u32 };
            for op in std::mem::take(&mut self.ops) {
                new.from.ops.push(is_copy(&op).then_some(origin));
                new.ops.push(op);
            }
        }
        new
    }

    fn op(&mut self, site: AllocationSite, op: &Op) {
        match op {
            Op::Assign { place, value } => self.assign(place, *value),
            Op::Havoc { place, source, at } => self.havoc(place, source, *at),
            Op::Init { var, contents } => self.init(*var, *contents, op),
            Op::Allocate { var, length } => self.allocate(*var, *length, op),
            Op::Begin { var } => match self.translator.candidates.of_var(*var) {
                Some(object) => self.begin(object, InitKind::Uninitialised),
                None => self.plain(op),
            },
            Op::End { var } => match self.translator.candidates.of_var(*var) {
                Some(object) => self.end(object),
                None => self.plain(op),
            },
            Op::Malloc { place, size, contents, .. } => self.malloc(site, place, *size, *contents, op),
            Op::Free { addr } if self.is_promoted(*addr) => self.free(*addr),
            Op::Copy { to, from, length } if self.is_promoted(*to) && self.is_promoted(*from) => {
                let length = self.constant(*length);
                self.copy(*to, *from, length);
            }
            Op::Fill { to, byte, length } if self.is_promoted(*to) => self.fill(*to, *byte, *length),
            Op::Write { to, bytes } if self.is_promoted(*to) => self.write_bytes(*to, bytes),
            Op::Forget { to, length, source, .. } if self.is_promoted(*to) => {
                let length = self.constant(*length);
                self.forget(*to, length, source);
            }
            Op::Output { function, args, result } if args.iter().any(|arg| self.is_promoted(*arg)) => {
                self.output(*function, *result);
            }
            Op::Call { callee, args, results } => self.call(callee, args, results),
            _ => self.plain(op),
        }
    }

    /// A call that stays. Results that go to promoted memory go by a temporary.
    fn call(&mut self, callee: &Callee, args: &[ExprId], results: &[Option<Place>]) {
        let mut stores = Vec::new();
        let mut places = Vec::new();
        for place in results {
            places.push(place.as_ref().map(|place| {
                self.plain_place(place).unwrap_or_else(|| {
                    let (Place::Mem { ty, .. } | Place::Bits { ty, .. }) = *place else {
                        unreachable!("a variable that holds what a call returns is not promoted")
                    };
                    let var = self.temporary(ty);
                    stores.push((*place, self.translator.out.exprs.var(var, ty)));
                    Place::Var(var)
                })
            }));
        }
        let callee = match callee {
            Callee::Direct(proc) => Callee::Direct(*proc),
            Callee::Indirect { pointer, targets } => {
                Callee::Indirect { pointer: self.translator.plain(*pointer), targets: targets.clone() }
            }
        };
        let args = args.iter().map(|arg| self.translator.plain(*arg)).collect();
        self.ops.push(Op::Call { callee, args, results: places });
        for (place, value) in stores {
            let writes = self.value_writes(&place, value);
            self.parallel(writes);
        }
    }

    fn is_promoted(&self, address: ExprId) -> bool {
        self.translator.is_promoted(address)
    }

    /// The operation with its expressions translated.
    fn plain(&mut self, op: &Op) {
        let new = op.map(|expr| self.translator.plain(expr), |var| var);
        self.ops.push(new);
    }

    /// The place, unless it is promoted.
    fn plain_place(&self, place: &Place) -> Option<Place> {
        let is_promoted = match place {
            Place::Var(var) | Place::Elem { array: var, .. } => self.translator.slots.pointer(*var).is_some(),
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                self.is_promoted(*addr) || self.translator.pointees.leads_nowhere(*addr)
            }
        };
        (!is_promoted).then(|| place.map(&mut |expr| self.translator.plain(expr), &mut |var| var))
    }

    fn assign(&mut self, place: &Place, value: ExprId) {
        if let Some(place) = self.plain_place(place) {
            let value = self.translator.plain(value);
            self.ops.push(Op::Assign { place, value });
            return;
        }
        if self.translator.candidates.program.exprs.ty(value) == Ty::Ptr {
            let (fat, raw) = (self.translator.fat(value), self.translator.plain(value));
            let writes = self.pointer_writes(place, (&fat, raw));
            self.parallel(writes);
            return;
        }
        let value = self.translator.plain(value);
        let writes = self.value_writes(place, value);
        self.parallel(writes);
    }

    fn pointer_writes(&mut self, place: &Place, value: (&Fat, ExprId)) -> Vec<(Place, ExprId)> {
        match *place {
            Place::Var(var) => self.pair_writes(var, None, value.0),
            Place::Elem { array, index } => {
                let index = self.translator.plain(index);
                self.pair_writes(array, Some(index), value.0)
            }
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                let extent = Extent::of(self.translator.candidates, Ty::Ptr);
                let (cases, coverage) = self.cases(addr, &extent);
                self.check_nowhere(&cases);
                self.translator.stored_pointer(&cases, coverage, value)
            }
        }
    }

    fn pair_writes(&mut self, var: VarId, index: Option<ExprId>, value: &Fat) -> Vec<(Place, ExprId)> {
        let Some(pair) = self.translator.slots.pointer(var).cloned() else { return Vec::new() };
        let place = |var: VarId| match index {
            None => Place::Var(var),
            Some(index) => Place::Elem { array: var, index },
        };
        let mut writes = Vec::new();
        if let Some(object) = pair.object {
            writes.push((place(object), value.object));
        }
        if let Some(offset) = pair.offset {
            let value = self.translator.scaled(&value.offset, pair.unit);
            writes.push((place(offset), value));
        }
        writes
    }

    fn value_writes(&mut self, place: &Place, value: ExprId) -> Vec<(Place, ExprId)> {
        let (addr, extent) = match *place {
            Place::Mem { addr, ty } => (addr, Extent::of(self.translator.candidates, ty)),
            Place::Bits { addr, bit, ty } => (addr, Extent::bits(self.translator.candidates, bit, ty)),
            Place::Var(_) | Place::Elem { .. } => return Vec::new(),
        };
        let (cases, coverage) = self.cases(addr, &extent);
        self.check_nowhere(&cases);
        self.translator.stored(&cases, coverage, value)
    }

    fn cases(&mut self, addr: ExprId, extent: &Extent) -> (Vec<Case>, Coverage) {
        let (address, pointee) = (self.translator.fat(addr), self.translator.pointees.of(addr).clone());
        self.translator.cases(&address, &pointee, extent)
    }

    /// An access that goes no way ends the execution.
    fn check_nowhere(&mut self, cases: &[Case]) {
        if cases.is_empty() {
            let cond = self.translator.slots.invalid(&mut self.translator.out, Ty::BOOL);
            self.ops.push(Op::Assume { cond });
        }
    }

    /// Assigns values that are all computed before.
    pub(super) fn parallel(&mut self, writes: Vec<(Place, ExprId)>) {
        let count = writes.len();
        let mut later = Vec::new();
        for (number, (place, value)) in writes.into_iter().enumerate() {
            if number == 0 || count == 1 {
                later.push((place, value));
                continue;
            }
            let value = self.settled(value);
            let place = match place {
                Place::Elem { array, index } => Place::Elem { array, index: self.settled(index) },
                place => place,
            };
            later.push((place, value));
        }
        self.ops.extend(later.into_iter().map(|(place, value)| Op::Assign { place, value }));
    }

    /// A value that later assignments do not change.
    fn settled(&mut self, value: ExprId) -> ExprId {
        let exprs = &self.translator.out.exprs;
        if matches!(exprs.get(value), Expr::Const { .. }) {
            return value;
        }
        let ty = exprs.ty(value);
        let var = self.temporary(ty);
        self.ops.push(Op::Assign { place: Place::Var(var), value });
        self.translator.out.exprs.var(var, ty)
    }

    fn temporary(&mut self, ty: Ty) -> VarId {
        let number = self.used.entry(ty).or_default();
        *number += 1;
        let out = &mut self.translator.out;
        let owner = Some(out.entry);
        *self.temporaries.entry((ty, *number)).or_insert_with(|| {
            out.vars.push(Var {
                name: format!("%m{number}_{ty}").into(),
                storage: Storage::Scalar(ty),
                owner,
                c_type: "".into(),
                declared: Region::NOWHERE,
                scope: Region::NOWHERE,
            })
        })
    }

    fn havoc(&mut self, place: &Place, source: &Source, at: Region) {
        let source = source.clone();
        if let Some(place) = self.plain_place(place) {
            self.ops.push(Op::Havoc { place, source, at });
            return;
        }
        if let Place::Var(var) | Place::Elem { array: var, .. } = *place {
            let index = place.expr().map(|index| self.translator.plain(index));
            if let Some(pair) = self.translator.slots.pointer(var).cloned() {
                self.havoc_pair(&pair, index, &source, at);
            }
            return;
        }
        let (addr, extent) = match *place {
            Place::Mem { addr, ty } => (addr, Extent::of(self.translator.candidates, ty)),
            Place::Bits { addr, bit, ty } => (addr, Extent::bits(self.translator.candidates, bit, ty)),
            Place::Var(_) | Place::Elem { .. } => return,
        };
        if extent.ty == Ty::Ptr {
            self.forget(addr, Some(extent.bytes()), &source);
            return;
        }
        let (cases, coverage) = self.cases(addr, &extent);
        self.check_nowhere(&cases);
        if let ([case], Coverage::All) = (cases.as_slice(), coverage)
            && case.leaves.len() == 1
            && let Slot::Value(var) = *self.translator.slots.leaf(case.object, case.leaves.start)
            && self.translator.slots.layouts[&case.object].leaves[case.leaves.start].ty == extent.ty
        {
            let place = case.index.map_or(Place::Var(var), |index| Place::Elem { array: var, index });
            self.ops.push(Op::Havoc { place, source, at });
            return;
        }
        let var = self.temporary(extent.ty);
        self.ops.push(Op::Havoc { place: Place::Var(var), source, at });
        let value = self.translator.out.exprs.var(var, extent.ty);
        let writes = self.translator.stored(&cases, coverage, value);
        self.parallel(writes);
    }

    fn havoc_pair(&mut self, pair: &Pair, index: Option<ExprId>, source: &Source, at: Region) {
        for var in [pair.object, pair.offset].into_iter().flatten() {
            let place = index.map_or(Place::Var(var), |index| Place::Elem { array: var, index });
            self.ops.push(Op::Havoc { place, source: source.clone(), at });
        }
    }

    fn init(&mut self, var: VarId, contents: InitKind, op: &Op) {
        if let Some(object) = self.translator.candidates.of_var(var) {
            self.fresh(object, contents);
        } else if let Some(pair) = self.translator.slots.pointer(var) {
            let vars = [pair.object, pair.offset];
            self.ops.extend(vars.into_iter().flatten().map(|var| Op::Init { var, contents }));
        } else {
            self.plain(op);
        }
    }

    fn allocate(&mut self, var: VarId, length: ExprId, op: &Op) {
        let Some(pair) = self.translator.slots.pointer(var) else { return self.plain(op) };
        let vars = [pair.object, pair.offset];
        let length = self.translator.plain(length);
        self.ops.extend(vars.into_iter().flatten().map(|var| Op::Allocate { var, length }));
    }

    /// An object comes into being.
    fn begin(&mut self, object: ObjectId, contents: InitKind) {
        if let Some(var) = self.translator.slots.base(object) {
            self.uninitialised(var);
        }
        if let Some(var) = self.translator.slots.lives(object) {
            let value = self.translator.out.exprs.bool(true);
            self.ops.push(Op::Assign { place: Place::Var(var), value });
        }
        self.fresh(object, contents);
    }

    fn end(&mut self, object: ObjectId) {
        if let Some(var) = self.translator.slots.lives(object) {
            let value = self.translator.out.exprs.bool(false);
            self.ops.push(Op::Assign { place: Place::Var(var), value });
        }
    }

    /// What is freed does not live any more.
    fn free(&mut self, addr: ExprId) {
        let (address, pointee) = (self.translator.fat(addr), self.translator.pointees.of(addr).clone());
        for object in pointee.objects.keys() {
            let Some(var) = self.translator.slots.lives(*object) else { continue };
            let this = self.translator.object_is(address.object, *object);
            let lives = self.translator.out.exprs.var(var, Ty::BOOL);
            let other = self.translator.not(this);
            let value = self.translator.and(other, lives);
            self.ops.push(Op::Assign { place: Place::Var(var), value });
        }
    }

    /// An object gets new contents throughout.
    fn fresh(&mut self, object: ObjectId, contents: InitKind) {
        let leaves: Vec<Leaf> = self
            .translator
            .slots
            .layouts
            .get(&object)
            .map(|layout| layout.leaves.clone())
            .unwrap_or_default();
        for (index, leaf) in leaves.iter().enumerate() {
            let slot = self.translator.slots.leaf(object, index).clone();
            match slot {
                Slot::Value(var) => self.fresh_var(var, leaf.ty, contents),
                Slot::Pointer(pair) => {
                    let parts = [(pair.object, super::slots::OBJECT), (pair.offset, OFFSET)];
                    for (var, ty) in parts {
                        if let Some(var) = var {
                            self.fresh_var(var, ty, contents);
                        }
                    }
                }
            }
        }
    }

    fn fresh_var(&mut self, var: VarId, ty: Ty, contents: InitKind) {
        match (self.translator.out.vars[var].storage, contents) {
            (Storage::Array { .. }, _) => self.ops.push(Op::Init { var, contents }),
            (_, InitKind::Uninitialised) => self.uninitialised(var),
            (_, InitKind::Zero) => {
                let value = self.translator.out.exprs.add(Expr::Const { ty, bits: 0 });
                self.ops.push(Op::Assign { place: Place::Var(var), value });
            }
        }
    }

    fn uninitialised(&mut self, var: VarId) {
        let at = self.translator.out.vars[var].declared;
        self.ops.push(Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, at });
    }

    fn malloc(&mut self, site: AllocationSite, place: &Place, size: ExprId, contents: InitKind, op: &Op) {
        let Some(object) = self.translator.candidates.of_site(site) else { return self.plain(op) };
        let size = self.translator.plain(size);
        if let Some(var) = self.translator.slots.size(object) {
            let value = self.translator.cast(Ty::unsigned(64), size);
            self.ops.push(Op::Assign { place: Place::Var(var), value });
            self.allocate_arrays(object, value);
        }
        self.begin(object, contents);
        let number = self.translator.out.exprs.int(super::slots::OBJECT, i128::from(object.0));
        let fat = Fat { object: number, offset: Linear::constant(0) };
        let null = self.translator.out.exprs.int(Ty::Ptr, 0);
        let writes = self.pointer_writes(place, (&fat, null));
        self.parallel(writes);
    }

    /// Arrays of variable length get theirs, and one element more that accesses elsewhere may name.
    fn allocate_arrays(&mut self, object: ObjectId, size: ExprId) {
        let Some(element) = self.translator.slots.layouts.get(&object).and_then(|layout| layout.element)
        else {
            return;
        };
        let ty = Ty::unsigned(64);
        let by = self.translator.out.exprs.int(ty, i128::from(element));
        let count = self.translator.binary(cfa::BinaryOp::Div, size, by);
        let one = self.translator.out.exprs.int(ty, 1);
        let length = self.translator.binary(cfa::BinaryOp::Add, count, one);
        for var in self.arrays(object) {
            self.ops.push(Op::Allocate { var, length });
        }
    }

    /// The arrays of variable length of an object.
    fn arrays(&self, object: ObjectId) -> Vec<VarId> {
        let slots = &self.translator.slots;
        let vars = slots.leaves(object).iter().flat_map(|slot| match slot {
            Slot::Value(var) => [Some(*var), None],
            Slot::Pointer(pair) => [pair.object, pair.offset],
        });
        let is_dynamic = |var: &VarId| {
            matches!(self.translator.out.vars[*var].storage, Storage::Array { length: Length::Dynamic, .. })
        };
        vars.flatten().filter(is_dynamic).collect()
    }

    /// Gives arrays of variable length an element before they are allocated.
    pub(super) fn first_allocations(&mut self) -> Vec<Op> {
        let length = self.translator.out.exprs.int(Ty::unsigned(64), 1);
        let candidates = self.translator.candidates;
        let arrays: Vec<VarId> = candidates.promoted().flat_map(|object| self.arrays(object)).collect();
        arrays.into_iter().map(|var| Op::Allocate { var, length }).collect()
    }

    pub(super) fn constant(&self, id: ExprId) -> Option<i64> {
        match *self.translator.candidates.program.exprs.get(id) {
            Expr::Const { bits, .. } => i64::try_from(bits).ok(),
            _ => None,
        }
    }

    /// What an output function prints does not matter; what it returns is one number.
    fn output(&mut self, function: OutputFunction, result: Option<Place>) {
        let Some(place) = result else { return };
        let function: Arc<str> = match function {
            OutputFunction::Printf => "printf".into(),
            OutputFunction::Puts => "puts".into(),
            OutputFunction::Putchar => "putchar".into(),
        };
        let source = Source::Library { function, freedom: Freedom::Determined };
        self.havoc(&place, &source, Region::NOWHERE);
    }
}
