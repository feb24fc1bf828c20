//! Operations on memory as operations on variables.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Region};
use cfa::op::{Callee, Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{EdgeId, Expr, ExprId, InitKind, Loc, ProcId, Source, Storage, Ty, Var, VarId};
use rustc_hash::FxHashMap;

use super::access::{Ways, Write};
use super::layout::Extent;
use super::meaning::Stands;
use super::slots::{OBJECT, Slot, WORD};
use super::steady::{Chosen, Forwarded, Written};
use super::translate::{Fat, Translator};
use super::{FOREIGN, GARBAGE, NONE};
use crate::back::{EdgeOrigin, OpOrigin};
use crate::build::NewEdge;

/// Rewrites the edges of all procedures.
pub(super) struct Rewriter<'a> {
    pub(super) translator: Translator<'a>,
    temporaries: FxHashMap<(ProcId, Ty, usize), VarId>,
    /// Temporaries that the operation at hand uses.
    used: FxHashMap<Ty, usize>,
    pub(super) proc: ProcId,
    pub(super) ops: Vec<Op>,
    /// Which of these operations choose what a new object holds, and the bits of the object.
    pub(super) contents: BTreeMap<usize, (i64, i64)>,
    /// The values that are chosen, and those of them that were chosen before, by location.
    pub(super) chosen: Chosen,
    steady: IndexVec<Loc, BTreeSet<VarId>>,
    /// The new versions of the operations of all edges of the procedure.
    translated: IndexVec<EdgeId, Vec<Translated>>,
}

/// The new version of an operation.
struct Translated {
    ops: Vec<Op>,
    contents: BTreeMap<usize, (i64, i64)>,
    /// The arbitrary values that the operations read.
    chosen: BTreeSet<VarId>,
    /// What a store writes, and the value that is known of it.
    written: Option<Written>,
    forwarded: Forwarded,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(translator: Translator<'a>) -> Self {
        let proc = translator.out.entry;
        let (temporaries, used) = (FxHashMap::default(), FxHashMap::default());
        let (chosen, steady, translated) = (Chosen::new(&translator), IndexVec::new(), IndexVec::new());
        let (ops, contents) = (Vec::new(), BTreeMap::new());
        Self { translator, temporaries, used, proc, ops, contents, chosen, steady, translated }
    }

    /// The edges of a procedure follow.
    pub(super) fn enter(&mut self, proc: ProcId) {
        self.proc = proc;
        let procedure = &self.translator.objects.program.procs[proc];
        self.translated = IndexVec::new();
        for (edge, old) in procedure.edges().iter_enumerated() {
            let mut translated = Vec::new();
            for (position, op) in old.ops.iter().enumerate() {
                self.used.clear();
                self.op(AllocationSite { proc, edge, op: position as u32 }, op);
                let written = Written::new(&self.translator, op);
                let forwarded = self.forwarded(op, written.as_ref());
                let ops = std::mem::take(&mut self.ops);
                let contents = std::mem::take(&mut self.contents);
                let mut chosen = self.rounded_in(&ops);
                for value in forwarded.exprs() {
                    self.rounded_below(value, &mut chosen);
                }
                translated.push(Translated { ops, contents, chosen, written, forwarded });
            }
            self.translated.push(translated);
        }
        self.steady = self.chosen.known(procedure, |edge, position, known| {
            let Translated { chosen, written, forwarded, .. } = &self.translated[edge][position];
            let op = &procedure.edges()[edge].ops[position];
            self.chosen.after(known, op, chosen, (forwarded, written.as_ref()));
        });
    }

    /// Whether an arbitrary value was chosen before, on all ways to a location.
    pub(super) fn is_steady(&self, location: Loc, var: VarId) -> bool {
        self.steady[location].contains(&var)
    }

    /// The new version of an edge.
    pub(super) fn edge(&mut self, proc: ProcId, edge: EdgeId) -> NewEdge {
        let old = &self.translator.objects.program.procs[proc].edges()[edge];
        self.proc = proc;
        let mut new = NewEdge {
            edge,
            target: old.target,
            ops: Vec::new(),
            from: EdgeOrigin::whole(proc, edge, 0),
            origin: None,
        };
        let mut is_leading = true;
        let mut known = self.steady[old.source].clone();
        let translated = std::mem::take(&mut self.translated[edge]);
        for ((position, op), translated) in old.ops.iter().enumerate().zip(translated) {
            let Translated { ops, contents, chosen, written, forwarded } = translated;
            is_leading &= matches!(op, Op::Assume { .. });
            let origin = OpOrigin::new(0, position as u32);
            // What the tests read that an edge starts with was chosen before.
            if !is_leading {
                for var in chosen.difference(&known) {
                    let (op, is_asked) = self.arbitrary(*var);
                    new.ops.push(op);
                    new.from.ops.push(is_asked.then_some(origin));
                }
            }
            self.chosen.after(&mut known, op, &chosen, (&forwarded, written.as_ref()));
            let given = |(var, value)| Op::Assign { place: Place::Var(var), value };
            let (before, after) = (forwarded.before.map(given), forwarded.after.map(given));
            new.from.ops.extend(before.iter().map(|_| None));
            new.ops.extend(before);
            for (number, new_op) in ops.into_iter().enumerate() {
                let contents = contents.get(&number).copied();
                let is_kept = contents.is_some() || is_copy(op, &new_op);
                new.from.ops.push(is_kept.then_some(OpOrigin { contents, ..origin }));
                new.ops.push(new_op);
            }
            new.from.ops.extend(after.iter().map(|_| None));
            new.ops.extend(after);
        }
        if old.target == self.translator.objects.program.procs[proc].exit {
            self.used.clear();
            self.end_locals();
            new.from.ops.extend(self.ops.iter().map(|_| None));
            new.ops.append(&mut self.ops);
        }
        new
    }

    /// The choice of a value that is not followed, and whether the program asks for it, too.
    pub(super) fn arbitrary(&self, var: VarId) -> (Op, bool) {
        let source =
            self.translator.rounded.get(&var).map_or(Source::Rounded, |rounded| rounded.source.clone());
        let is_asked = source == Source::Outside;
        (Op::Havoc { place: Place::Var(var), source, at: Region::NOWHERE }, is_asked)
    }

    fn op(&mut self, site: AllocationSite, op: &Op) {
        match op {
            Op::Assign { place, value } => self.assign(place, *value),
            Op::Havoc { place, source, at } => self.havoc(place, source, *at),
            Op::Init { var, contents } => self.init(*var, *contents),
            Op::Allocate { var, length } => self.allocate(*var, *length),
            Op::Begin { var } => {
                if let Some(object) = self.translator.objects.of_var(*var) {
                    self.begin(object);
                }
            }
            Op::End { var } => {
                if let Some(object) = self.translator.objects.of_var(*var) {
                    let pointer = self.translator.at(object);
                    self.end(object, &pointer);
                }
            }
            Op::Malloc { place, size, contents, .. } => self.malloc(site, place, *size, *contents),
            Op::Realloc { place, old, size } => self.realloc(site, place, *old, *size),
            Op::Free { addr } | Op::Release { addr } => self.free(*addr),
            Op::Copy { to, from, length } => self.copy(*to, *from, *length),
            Op::Fill { to, byte, length } => self.fill(*to, *byte, *length),
            Op::Write { to, bytes } => self.write_bytes(*to, bytes),
            Op::Forget { to, length, source, .. } => self.forget_op(*to, *length, source),
            Op::Output { result, .. } => {
                if let Some(place) = result {
                    let value = self.translator.round(Ty::signed(32));
                    self.store(place, value);
                }
            }
            Op::Call { callee, args, results } => self.call(callee, args, results),
            Op::CopyElems { to, from, .. } if self.translator.slots.pointer(*to).is_some() => {
                self.copy_pointers(*to, *from, op);
            }
            Op::FillElems { to, at, value, count } if self.translator.slots.pointer(*to).is_some() => {
                self.fill_pointers(*to, *at, *value, *count);
            }
            Op::Assume { .. } | Op::CopyElems { .. } | Op::FillElems { .. } | Op::Halt { .. } => {
                let new = op.map(|expr| self.translator.plain(expr), |var| var);
                self.ops.push(new);
            }
        }
    }

    /// A call that stays: pointers are passed and returned as their variables.
    fn call(&mut self, callee: &Callee, args: &[ExprId], results: &[Option<Place>]) {
        let program = self.translator.objects.program;
        let (callee, targets) = match callee {
            Callee::Direct(proc) => (Callee::Direct(*proc), vec![*proc]),
            Callee::Indirect { pointer, targets } => {
                let pointer = self.function(*pointer, targets);
                (Callee::Indirect { pointer, targets: targets.clone() }, targets.clone())
            }
        };
        let Some(first) = targets.first() else {
            // A call of nobody.
            let cond = self.translator.out.exprs.add(Expr::Undefined { ty: Ty::BOOL });
            self.ops.push(Op::Assume { cond });
            return;
        };
        let params = program.procs[*first].params.clone();
        let mut new_args = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            match self.translator.slots.pointer(*param).cloned() {
                Some(pair) => {
                    let (value, holds) = (self.translator.fat(*arg), self.translator.out.exprs.bool(true));
                    let writes = self.translator.pair_writes(&pair, None, holds, &value);
                    new_args.extend(writes.into_iter().map(|write| write.value));
                }
                None => new_args.push(self.translator.plain(*arg)),
            }
        }
        let (mut places, mut stores) = (Vec::new(), Vec::new());
        for (result, place) in program.procs[*first].results.clone().iter().zip(results) {
            self.receive(*result, place.as_ref(), &mut places, &mut stores);
        }
        self.ops.push(Op::Call { callee, args: new_args, results: places });
        for (place, value) in stores {
            match value {
                Received::Value(value) => self.store(&place, value),
                Received::Pointer(fat) => self.store_pointer(&place, &fat),
            }
        }
    }

    /// The places of one result: variables that are temporary, to be stored after the call.
    fn receive(
        &mut self,
        result: VarId,
        place: Option<&Place>,
        places: &mut Vec<Option<Place>>,
        stores: &mut Vec<(Place, Received)>,
    ) {
        if let Some(mut pair) = self.translator.slots.pointer(result).cloned() {
            let mut received = |rewriter: &mut Self, var: Option<VarId>, ty: Ty| {
                var?;
                let temporary = place.map(|_| rewriter.temporary(ty));
                places.push(temporary.map(Place::Var));
                temporary
            };
            pair.object = received(self, pair.object, OBJECT);
            pair.instance = received(self, pair.instance, WORD);
            pair.offset = received(self, pair.offset, WORD);
            if let Some(place) = place {
                let fat = self.translator.read_pair(&pair, None);
                stores.push((*place, Received::Pointer(fat)));
            }
        } else {
            let direct = place.and_then(|place| match *place {
                Place::Var(var) => Some(Place::Var(var)),
                _ => None,
            });
            match (place, direct) {
                (Some(place), None) => {
                    let ty = self.translator.out.vars[result].scalar().unwrap_or(WORD);
                    let temporary = self.temporary(ty);
                    places.push(Some(Place::Var(temporary)));
                    let value = self.translator.out.exprs.var(temporary, ty);
                    stores.push((*place, Received::Value(value)));
                }
                (_, direct) => places.push(direct),
            }
        }
    }

    /// A pointer to a procedure as an address again. One that is not followed may be each of the procedures.
    fn function(&mut self, pointer: ExprId, targets: &[ProcId]) -> ExprId {
        let (fat, pointee) = (self.translator.fat(pointer), self.translator.pointers.of(pointer).clone());
        let foreign = self.translator.object_is(&fat, &pointee, FOREIGN);
        let mut result = self.translator.out.exprs.int(Ty::Ptr, 0);
        for target in targets.iter().rev() {
            if let Some(object) = self.translator.objects.of_proc(*target) {
                let mut this = self.translator.object_is(&fat, &pointee, object);
                if self.translator.truth(foreign) != Some(false) {
                    self.translator.stands = Stands::Callee { pointer, proc: *target };
                    let arbitrary = self.translator.round(Ty::BOOL);
                    self.translator.stands = Stands::Result;
                    let by_chance = self.translator.and(foreign, arbitrary);
                    this = self.translator.or(this, by_chance);
                }
                let function = self.translator.out.exprs.add(Expr::Function { proc: *target });
                result = self.translator.ite(this, function, result);
            }
        }
        result
    }

    fn assign(&mut self, place: &Place, value: ExprId) {
        if self.translator.objects.program.exprs.ty(value) == Ty::Ptr {
            let fat = self.translator.fat(value);
            return self.store_pointer(place, &fat);
        }
        let value = self.translator.plain(value);
        self.store(place, value);
    }

    /// Writes a value that is no pointer.
    pub(super) fn store(&mut self, place: &Place, value: ExprId) {
        let holds = self.translator.out.exprs.bool(true);
        self.store_known(place, value, holds);
    }

    /// The same with what says whether it is a value.
    fn store_known(&mut self, place: &Place, value: ExprId, known: ExprId) {
        let program = self.translator.objects.program;
        let (addr, extent) = match *place {
            Place::Var(_) => return self.ops.push(Op::Assign { place: *place, value }),
            Place::Elem { array, index } => {
                let index = self.translator.plain(index);
                let value = self.inside_length(array, index, value);
                return self.ops.push(Op::Assign { place: Place::Elem { array, index }, value });
            }
            Place::Mem { addr, ty } => (addr, Extent::of(program, ty)),
            Place::Bits { addr, bit, ty } => (addr, Extent::bits(program, bit, ty)),
        };
        let ways = self.ways(addr, &extent);
        let writes = self.translator.stored(&ways, value, known);
        self.write_all(writes, &ways);
    }

    /// A value that is undefined if it goes beyond the variable length of an array.
    fn inside_length(&mut self, array: VarId, index: ExprId, value: ExprId) -> ExprId {
        match self.translator.below_length(array, index) {
            Some(inside) => {
                let ty = self.translator.out.exprs.ty(value);
                let undefined = self.translator.out.exprs.add(Expr::Undefined { ty });
                self.translator.ite(inside, value, undefined)
            }
            None => value,
        }
    }

    /// Writes a pointer.
    pub(super) fn store_pointer(&mut self, place: &Place, value: &Fat) {
        let holds = self.translator.out.exprs.bool(true);
        self.store_known_pointer(place, value, holds);
    }

    fn store_known_pointer(&mut self, place: &Place, value: &Fat, known: ExprId) {
        let holds = self.translator.out.exprs.bool(true);
        match *place {
            Place::Var(var) => {
                let Some(pair) = self.translator.slots.pointer(var).cloned() else { return };
                let writes = self.translator.pair_writes(&pair, None, holds, value);
                self.write_always(writes);
            }
            Place::Elem { array, index } => {
                let Some(pair) = self.translator.slots.pointer(array).cloned() else { return };
                let index = self.translator.plain(index);
                let mut writes = self.translator.pair_writes(&pair, Some(index), holds, value);
                for write in &mut writes {
                    write.value = self.inside_length(array, index, write.value);
                }
                self.write_always(writes);
            }
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                let extent = Extent::of(self.translator.objects.program, Ty::Ptr);
                let ways = self.ways(addr, &extent);
                let writes = self.translator.stored_pointer(&ways, value, known);
                self.write_all(writes, &ways);
            }
        }
    }

    fn ways(&mut self, addr: ExprId, extent: &Extent) -> Ways {
        let (address, pointee) = (self.translator.fat(addr), self.translator.pointers.of(addr).clone());
        self.translator.ways(&address, &pointee, extent)
    }

    pub(super) fn write_always(&mut self, writes: Vec<Write>) {
        let foreign = self.translator.out.exprs.bool(true);
        let ways =
            Ways { cases: Vec::new(), foreign, source: Source::Rounded, behind: NONE, may_fail: false };
        self.write_all(writes, &ways);
    }

    /// Writes what an access writes: where it goes another way, a variable keeps its value; where it goes no way, it is undefined.
    pub(super) fn write_all(&mut self, mut writes: Vec<Write>, ways: &Ways) {
        let mut covered = ways.foreign;
        for case in &ways.cases {
            covered = self.translator.or(covered, case.cond);
        }
        if !ways.may_fail && !ways.cases.is_empty() {
            covered = self.translator.out.exprs.bool(true);
        }
        if writes.is_empty() {
            if self.translator.truth(covered) != Some(true) {
                // The access must still be possible.
                let undefined = self.translator.out.exprs.add(Expr::Undefined { ty: Ty::BOOL });
                let cond = self.translator.ite(covered, covered, undefined);
                self.ops.push(Op::Assume { cond });
            }
            return;
        }
        if writes.len() > 1 {
            let targets: BTreeSet<VarId> = writes.iter().map(|write| write.var).collect();
            covered = self.settled(covered, &targets);
            for write in &mut writes {
                write.cond = self.settled(write.cond, &targets);
                write.value = self.settled(write.value, &targets);
                write.index = write.index.map(|index| self.settled(index, &targets));
            }
        }
        for write in writes {
            self.write_one(&write, covered);
        }
    }

    fn write_one(&mut self, write: &Write, covered: ExprId) {
        let Write { var, index, ty, cond, value } = *write;
        let translator = &mut self.translator;
        let is_certain = translator.truth(cond) == Some(true);
        let is_fixed =
            matches!(translator.out.vars[var].storage, Storage::Array { length: cfa::Length::Fixed(_), .. });
        // An element elsewhere must be one that exists.
        let index = match index {
            Some(index) if !is_certain && is_fixed => {
                let zero = translator.word(0);
                let index = translator.cast(WORD, index);
                Some(translator.ite(cond, index, zero))
            }
            index => index,
        };
        let value = if is_certain {
            value
        } else {
            let kept = translator.read(var, index, ty);
            let undefined = translator.out.exprs.add(Expr::Undefined { ty });
            let other = if translator.truth(covered) == Some(true) {
                kept
            } else if covered == cond {
                undefined
            } else {
                translator.ite(covered, kept, undefined)
            };
            translator.ite(cond, value, other)
        };
        let place = index.map_or(Place::Var(var), |index| Place::Elem { array: var, index });
        self.ops.push(Op::Assign { place, value });
    }

    /// A value that writing some variables does not change.
    fn settled(&mut self, value: ExprId, targets: &BTreeSet<VarId>) -> ExprId {
        let mut reads = false;
        crate::lifetimes::read_vars(&self.translator.out, value, |var| reads |= targets.contains(&var));
        if !reads {
            return value;
        }
        let ty = self.translator.out.exprs.ty(value);
        let var = self.temporary(ty);
        self.ops.push(Op::Assign { place: Place::Var(var), value });
        self.translator.out.exprs.var(var, ty)
    }

    pub(super) fn temporary(&mut self, ty: Ty) -> VarId {
        let number = self.used.entry(ty).or_default();
        *number += 1;
        let (proc, number) = (self.proc, *number);
        let out = &mut self.translator.out;
        *self.temporaries.entry((proc, ty, number)).or_insert_with(|| {
            out.vars.push(Var {
                name: format!("%m{number}_{ty}").into(),
                storage: Storage::Scalar(ty),
                owner: Some(proc),
                c_type: "".into(),
                declared: Region::NOWHERE,
                scope: Region::NOWHERE,
            })
        })
    }

    pub(super) fn assign_var(&mut self, var: VarId, value: ExprId) {
        self.ops.push(Op::Assign { place: Place::Var(var), value });
    }

    /// An arbitrary value. The operation that chooses it has the position of the one that chose it before.
    fn havoc(&mut self, place: &Place, source: &Source, at: Region) {
        let ty = match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => match self.translator.out.vars[var].storage {
                Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => ty,
                Storage::Object { .. } => return,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty,
        };
        let known = self.translator.out.exprs.bool(*source != Source::Uninitialised);
        if ty == Ty::Ptr {
            let object = if *source == Source::Uninitialised { GARBAGE } else { FOREIGN };
            let number = Ty::unsigned(self.translator.out.data_model.pointer_width());
            let var = self.temporary(number);
            self.ops.push(Op::Havoc { place: Place::Var(var), source: source.clone(), at });
            let value = self.translator.out.exprs.var(var, number);
            let fat = self.translator.outside(object, value);
            return self.store_known_pointer(place, &fat, known);
        }
        match *place {
            Place::Var(_) => self.ops.push(Op::Havoc { place: *place, source: source.clone(), at }),
            Place::Elem { array, index } if self.translator.slots.length(array).is_none() => {
                let place = Place::Elem { array, index: self.translator.plain(index) };
                self.ops.push(Op::Havoc { place, source: source.clone(), at });
            }
            _ => {
                let var = self.temporary(ty);
                self.ops.push(Op::Havoc { place: Place::Var(var), source: source.clone(), at });
                let value = self.translator.out.exprs.var(var, ty);
                self.store_known(place, value, known);
            }
        }
    }

    fn init(&mut self, var: VarId, contents: InitKind) {
        if let Some(object) = self.translator.objects.of_var(var) {
            let number = self.translator.slots.current(object);
            let number = number.map(|current| self.translator.out.exprs.var(current, WORD));
            return self.renew(object, number, contents);
        }
        match self.translator.slots.pointer(var).cloned() {
            Some(pair) => self.init_slot(&Slot::Pointer(pair), contents, None),
            None => self.ops.push(Op::Init { var, contents }),
        }
    }

    fn allocate(&mut self, var: VarId, length: ExprId) {
        let length = self.translator.plain(length);
        let word = self.translator.cast(WORD, length);
        let vars: Vec<VarId> = match self.translator.slots.pointer(var) {
            Some(pair) => pair.vars().map(|(var, _)| var).collect(),
            None => vec![var],
        };
        self.ops.extend(vars.into_iter().map(|var| Op::Allocate { var, length }));
        if let Some(known) = self.translator.slots.length(var) {
            self.assign_var(known, word);
        }
    }

    /// Elements of an array of pointers are copied with all their variables.
    fn copy_pointers(&mut self, to: VarId, from: VarId, op: &Op) {
        let Op::CopyElems { at, start, count, .. } = *op else { return };
        let slots = &self.translator.slots;
        let (Some(target), Some(source)) = (slots.pointer(to).cloned(), slots.pointer(from).cloned()) else {
            return;
        };
        let (at, start, count) =
            (self.translator.plain(at), self.translator.plain(start), self.translator.plain(count));
        self.copy_pairs(&target, at, &source, start, count);
    }

    fn fill_pointers(&mut self, to: VarId, at: ExprId, value: ExprId, count: ExprId) {
        let Some(pair) = self.translator.slots.pointer(to).cloned() else { return };
        let (fat, holds) = (self.translator.fat(value), self.translator.out.exprs.bool(true));
        let (at, count) = (self.translator.plain(at), self.translator.plain(count));
        for write in self.translator.pair_writes(&pair, None, holds, &fat) {
            self.ops.push(Op::FillElems { to: write.var, at, value: write.value, count });
        }
    }
}

/// What a call returns.
enum Received {
    Value(ExprId),
    Pointer(Fat),
}

/// A value that is not followed becomes arbitrary.
pub(super) fn havoc(var: VarId) -> Op {
    Op::Havoc { place: Place::Var(var), source: Source::Rounded, at: Region::NOWHERE }
}

/// A choice answers the operation that asks for it in the program before; so only a copy of it has its position.
fn is_copy(old: &Op, new: &Op) -> bool {
    match (old, new) {
        (Op::Havoc { source: old, .. }, Op::Havoc { source: new, .. }) => old == new,
        (Op::Havoc { .. }, _) | (_, Op::Havoc { .. }) => false,
        _ => true,
    }
}
