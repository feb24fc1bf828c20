//! Operations that begin and end the lifetimes of objects, as operations on variables.

use base::Region;
use cfa::op::{Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{BinaryOp, Expr, ExprId, InitKind, Source, Storage, Ty, VarId};

use super::access::Write;
use super::known::Left;
use super::object::Kind;
use super::offsets::Linear;
use super::rewrite::Rewriter;
use super::slots::{Slot, WORD};
use super::translate::Fat;
use super::{FOREIGN, GARBAGE, ObjectId};

impl Rewriter<'_> {
    /// A variable in memory begins to live.
    pub(super) fn begin(&mut self, object: ObjectId) {
        if self.translator.objects.is_many(object) {
            // The contents of a new one of many are arbitrary already.
            let number = self.take_number(object, None);
            if let (Some(current), Some(number)) = (self.translator.slots.current(object), number) {
                self.assign_var(current, number);
            }
            return;
        }
        self.renew(object, None, InitKind::Uninitialised);
        self.start_life(object, None);
    }

    /// Gives an object new contents; of many the one with a number.
    pub(super) fn renew(&mut self, object: ObjectId, number: Option<ExprId>, contents: InitKind) {
        let start = self.translator.at(object);
        let pointer = Fat { instance: number.unwrap_or(start.instance), ..start };
        let left = if contents == InitKind::Uninitialised { Left::Nothing } else { Left::Values };
        self.set_flags(object, &pointer, left);
        if let (Some(number), InitKind::Zero) = (number, contents) {
            return self.clear_one(object, number);
        }
        for (segment, leaf) in self.translator.slots.leaves(object) {
            let slot = self.translator.slots.leaf(object, segment, leaf).clone();
            let layout = &self.translator.slots.segments[&object][segment];
            let bits = (layout.start * 8 + layout.leaves[leaf].at, layout.leaves[leaf].width);
            self.init_slot(&slot, contents, Some(bits));
        }
    }

    /// The number of a new one of many objects: the next one is behind it.
    pub(super) fn take_number(&mut self, object: ObjectId, size: Option<ExprId>) -> Option<ExprId> {
        let next = self.translator.slots.next(object)?;
        let number = self.temporary(WORD);
        let value = self.translator.out.exprs.var(next, WORD);
        self.assign_var(number, value);
        let number = self.translator.out.exprs.var(number, WORD);
        let size = match (self.translator.objects.get(object).size, size) {
            (Some(size), _) => self.translator.word(size),
            (None, Some(size)) => self.translator.cast(WORD, size),
            (None, None) => self.translator.word(0),
        };
        // Empty objects have a number of their own, too.
        let one = self.translator.word(1);
        let room = self.translator.binary(BinaryOp::Add, size, one);
        let following = self.translator.binary(BinaryOp::Add, number, room);
        self.assign_var(next, following);
        if let Some(var) = self.translator.slots.size(object) {
            self.ops.push(Op::Assign { place: Place::Elem { array: var, index: number }, value: size });
        }
        self.start_life(object, Some(number));
        Some(number)
    }

    pub(super) fn start_life(&mut self, object: ObjectId, number: Option<ExprId>) {
        if let Some(var) = self.translator.slots.lives(object) {
            let holds = self.translator.out.exprs.bool(true);
            self.set_one(var, number, holds);
        }
        self.choose_address(object, number);
    }

    /// Whether an object lives as long as the program.
    pub(super) fn is_static(&self, object: ObjectId) -> bool {
        match self.translator.objects.get(object).kind {
            Kind::Var(var) => self.translator.objects.program.vars[var].owner.is_none(),
            Kind::Proc(_) => true,
            Kind::Site(_) => false,
        }
    }

    pub(super) fn set_one(&mut self, var: VarId, number: Option<ExprId>, value: ExprId) {
        let place = number.map_or(Place::Var(var), |index| Place::Elem { array: var, index });
        self.ops.push(Op::Assign { place, value });
    }

    /// An object gets an arbitrary address that is aligned and not null, if anybody asks for it.
    pub(super) fn choose_address(&mut self, object: ObjectId, number: Option<ExprId>) {
        let Some(var) = self.translator.slots.base(object) else { return };
        let width = self.translator.out.data_model.pointer_width();
        let align = self.translator.objects.get(object).align.max(1);
        let bits = width - u8::from(width == 64) - align.trailing_zeros() as u8;
        let (narrow, address) = (Ty::unsigned(bits), Ty::unsigned(width));
        let chosen = self.temporary(narrow);
        self.ops.push(Op::Havoc { place: Place::Var(chosen), source: Source::Rounded, at: Region::NOWHERE });
        let chosen = self.translator.out.exprs.var(chosen, narrow);
        let (wide, factor) = (
            self.translator.cast(address, chosen),
            self.translator.out.exprs.int(address, i128::from(align)),
        );
        let product = self.translator.binary(BinaryOp::Mul, wide, factor);
        let zero = self.translator.out.exprs.int(address, 0);
        let is_null = self.translator.binary(BinaryOp::Eq, product, zero);
        let value = self.translator.ite(is_null, factor, product);
        self.set_one(var, number, value);
    }

    /// Gives the variables of a leaf, or all elements of them, new contents; `bits` are its place in the object.
    pub(super) fn init_slot(&mut self, slot: &Slot, contents: InitKind, bits: Option<(i64, i64)>) {
        let vars = slot.vars();
        let is_array = |var: VarId| matches!(self.translator.out.vars[var].storage, Storage::Array { .. });
        if vars.iter().any(|(var, _)| is_array(*var)) {
            return self.ops.extend(vars.into_iter().map(|(var, _)| Op::Init { var, contents }));
        }
        if contents == InitKind::Zero {
            for (var, ty) in vars {
                let zero = self.zero(ty);
                self.assign_var(var, zero);
            }
            return;
        }
        let (source, object) = match contents {
            InitKind::Arbitrary => (Source::Outside, FOREIGN),
            InitKind::Uninitialised | InitKind::Zero => (Source::Uninitialised, GARBAGE),
        };
        match slot {
            Slot::Value(var, _) => self.choose_contents(*var, source, bits),
            Slot::Pointer(pair) => {
                let number = Ty::unsigned(self.translator.out.data_model.pointer_width());
                let var = self.temporary(number);
                self.choose_contents(var, source, bits);
                let value = self.translator.out.exprs.var(var, number);
                let (fat, holds) =
                    (self.translator.outside(object, value), self.translator.out.exprs.bool(true));
                let writes = self.translator.pair_writes(pair, None, holds, &fat);
                self.write_always(writes);
            }
        }
    }

    /// A variable gets what was never written.
    pub(super) fn choose_contents(&mut self, var: VarId, source: Source, bits: Option<(i64, i64)>) {
        if let Some(bits) = bits {
            self.contents.insert(self.ops.len(), bits);
        }
        let at = self.translator.out.vars[var].declared;
        self.ops.push(Op::Havoc { place: Place::Var(var), source, at });
    }

    pub(super) fn zero(&mut self, ty: Ty) -> ExprId {
        self.translator.out.exprs.add(Expr::Const { ty, bits: 0 })
    }

    /// Sets one of many objects to zero.
    pub(super) fn clear_one(&mut self, object: ObjectId, number: ExprId) {
        let holds = self.translator.out.exprs.bool(true);
        let pointer = Fat {
            object: self.translator.object_number(object),
            instance: number,
            offset: Linear::constant(0),
        };
        for (segment, leaf) in self.translator.slots.leaves(object) {
            let slot = self.translator.slots.leaf(object, segment, leaf).clone();
            let layout = self.translator.slots.segments[&object][segment].clone();
            for (var, ty) in slot.vars() {
                let value = self.zero(ty);
                match layout.element {
                    None => {
                        let write = Write { var, index: Some(number), ty, cond: holds, value };
                        self.write_always(vec![write]);
                    }
                    Some(element) => {
                        let size = self.translator.size(&pointer, object);
                        let by = self.translator.word(element);
                        let count = self.translator.binary(BinaryOp::Div, size, by);
                        let count = self.translator.cast(Ty::unsigned(64), count);
                        self.ops.push(Op::FillElems { to: var, at: number, value, count });
                    }
                }
            }
        }
    }

    pub(super) fn end(&mut self, object: ObjectId, pointer: &Fat) {
        if let Some(var) = self.translator.slots.lives(object) {
            let number = self.translator.objects.is_many(object).then_some(pointer.instance);
            let fails = self.translator.out.exprs.bool(false);
            self.set_one(var, number, fails);
        }
    }

    /// The locals of a procedure that is called end when it returns.
    pub(super) fn end_locals(&mut self) {
        let objects = self.translator.objects;
        if self.proc == objects.program.entry {
            return;
        }
        for object in objects.ids() {
            let Kind::Var(var) = objects.get(object).kind else { continue };
            if objects.program.vars[var].owner == Some(self.proc) {
                let pointer = self.translator.at(object);
                self.end(object, &pointer);
            }
        }
    }

    pub(super) fn free(&mut self, addr: ExprId) {
        let (pointer, pointee) = (self.translator.fat(addr), self.translator.pointers.of(addr).clone());
        self.free_fat(&pointer, &pointee);
    }

    pub(super) fn malloc(&mut self, site: AllocationSite, place: &Place, size: ExprId, contents: InitKind) {
        let Some(object) = self.translator.objects.of_site(site) else { return };
        let size = self.translator.plain(size);
        let pointer = self.create(object, size, contents);
        self.store_pointer(place, &pointer);
    }

    /// Makes the object of an allocation.
    pub(super) fn create(&mut self, object: ObjectId, size: ExprId, contents: InitKind) -> Fat {
        let mut pointer = self.translator.at(object);
        if self.translator.objects.is_many(object) {
            if let Some(number) = self.take_number(object, Some(size)) {
                pointer.instance = number;
                if contents == InitKind::Zero {
                    self.set_flags(object, &pointer, Left::Values);
                    self.clear_one(object, number);
                }
            }
        } else {
            if let Some(var) = self.translator.slots.size(object) {
                let size = self.translator.cast(WORD, size);
                self.assign_var(var, size);
            }
            self.renew(object, None, contents);
            self.start_life(object, None);
        }
        pointer
    }
}
