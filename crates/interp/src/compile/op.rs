//! Code for operations.

use super::super::Uninitialised;
use super::super::assigned::copied_var;
use super::super::code::{CallSite, Markers, Rare, Reg, Slot, Target, VarPlace, WrittenTo};
use super::super::guard::{Guard, Operands};
use super::super::insn::Insn;
use super::super::parts::Stored;
use super::super::value::is_wide;
use super::Compiler;
use super::branch::When;
use super::expr::plain_access;
use cfa::expr::{Expr, ExprId};
use cfa::op::{Callee, HaltReason, Op, OutputFunction, Place, Source};
use cfa::program::{Storage, VarId};
use cfa::ty::{FloatKind, Ty};

/// A place whose index or address is in a register.
#[derive(Clone, Copy)]
enum Spot {
    Var(VarId),
    Elem { array: VarId, index: Reg },
    Map { array: VarId, index: Reg, index_ty: Ty },
    Mem { addr: Reg, ty: Ty, stored: Stored },
    Bits { addr: Reg, bit: u8, ty: Ty, stored: Stored },
}

impl Compiler<'_> {
    pub(super) fn op(&mut self, op: &Op) {
        self.fresh_operation();
        match op {
            Op::Assign { place, value } => self.assign(place, *value),
            Op::Assume { cond } => {
                let holds = self.label();
                self.branch(*cond, When::Holds, holds);
                self.emit(Insn::Blocked);
                self.bind(holds);
            }
            Op::Havoc { place, source, at } => self.havoc(place, source, *at),
            Op::Init { var, contents } => {
                self.check_begun(*var);
                self.rare(Rare::Init { var: *var, contents: *contents });
            }
            Op::Allocate { var, length } => {
                let ty = self.program.exprs.ty(*length);
                let length = self.value(*length);
                self.rare(Rare::Allocate { var: *var, ty, length });
            }
            Op::Begin { var } => self.rare(Rare::Begin { var: *var }),
            Op::End { var } => self.rare(Rare::End { var: *var }),
            Op::Malloc { place, size, kind, contents } => {
                let ty = self.program.exprs.ty(*size);
                let size = self.value(*size);
                let (kind, contents) = (*kind, *contents);
                self.produce(place, |dst| Rare::Malloc { dst, ty, size, kind, contents });
            }
            Op::Realloc { place, old, size } => {
                let ty = self.program.exprs.ty(*size);
                let (old, size) = (self.value(*old), self.value(*size));
                self.produce(place, |dst| Rare::Realloc { dst, old, ty, size });
            }
            Op::Free { .. }
            | Op::Release { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Forget { .. }
            | Op::Write { .. } => {
                self.memory_op(op);
            }
            Op::CopyElems { to, at, from, start, count } => {
                self.copy_elems((*to, *at), (*from, *start), *count);
            }
            Op::FillElems { to, at, value, count } => {
                let (at_ty, count_ty) = (self.program.exprs.ty(*at), self.program.exprs.ty(*count));
                let (at, value, count) = (self.value(*at), self.value(*value), self.value(*count));
                self.rare(Rare::FillElems { to: (*to, at, at_ty), value, count: (count, count_ty) });
            }
            Op::Call { callee, args, results } => self.call(callee, args, results),
            Op::Output { function, args, result } => self.output(*function, args, result.as_ref()),
            Op::Halt { reason } => self.halt(*reason),
        }
    }
    fn halt(&mut self, reason: HaltReason) {
        let end = match reason {
            HaltReason::Exit(status) => {
                let ty = self.program.exprs.ty(status);
                Rare::Exit { ty, status: self.value(status) }
            }
            HaltReason::Abort => Rare::Abort,
            HaltReason::Overlap => Rare::Overlap,
            HaltReason::Misuse => Rare::Misuse,
        };
        self.rare(end);
    }
    /// Elements of an array from an index on become those of another one.
    fn copy_elems(&mut self, (to, at): (VarId, ExprId), (from, start): (VarId, ExprId), count: ExprId) {
        let ty = |compiler: &Self, id: ExprId| compiler.program.exprs.ty(id);
        let (to_ty, from_ty, count_ty) = (ty(self, at), ty(self, start), ty(self, count));
        let (at, start, count) = (self.value(at), self.value(start), self.value(count));
        let (to, from) = ((to, at, to_ty), (from, start, from_ty));
        self.rare(Rare::CopyElems { to, from, count: (count, count_ty) });
    }
    /// Operations on objects in memory that yield nothing.
    fn memory_op(&mut self, op: &Op) {
        let rare = match op {
            Op::Free { addr } => Rare::Free { addr: self.value(*addr) },
            Op::Release { addr } => Rare::Release { addr: self.value(*addr) },
            Op::Copy { to, from, length } => {
                let ty = self.program.exprs.ty(*length);
                let stored = [*to, *from].map(|place| self.addresses.stored(place));
                let stored =
                    if stored.contains(&Stored::Pointers) { Stored::Pointers } else { Stored::Numbers };
                let (to, from, length) = (self.value(*to), self.value(*from), self.value(*length));
                Rare::Copy { to, from, ty, length, stored }
            }
            Op::Fill { to, byte, length } => {
                let ty = self.program.exprs.ty(*length);
                let stored = self.addresses.stored(*to);
                let (to, byte, length) = (self.value(*to), self.value(*byte), self.value(*length));
                self.cut_range(stored, to, ty, length);
                Rare::Fill { to, byte, ty, length }
            }
            Op::Forget { to, length, source, .. } => {
                let ty = self.program.exprs.ty(*length);
                let stored = self.addresses.stored(*to);
                let (to, length) = (self.value(*to), self.value(*length));
                self.cut_range(stored, to, ty, length);
                Rare::Forget { to, ty, length, source: source.clone() }
            }
            Op::Write { to: place, bytes } => {
                let to = self.value(*place);
                if self.addresses.stored(*place) == Stored::Pointers {
                    self.emit(Insn::Cut { addr: to, size: bytes.len() as u32 });
                }
                Rare::Write { to, bytes: bytes.clone() }
            }
            _ => return,
        };
        self.rare(rare);
    }
    fn cut_range(&mut self, stored: Stored, to: Reg, ty: Ty, length: Reg) {
        if stored == Stored::Pointers {
            self.rare(Rare::Cut { to, ty, length });
        }
    }
    fn output(&mut self, function: OutputFunction, args: &[ExprId], result: Option<&Place>) {
        let values: Vec<_> = args.iter().map(|arg| (self.program.exprs.ty(*arg), self.value(*arg))).collect();
        let Some(place) = result else {
            let dst = self.temp(Ty::signed(32));
            return self.rare(Rare::Output { function, args: values, dst, is_used: false });
        };
        // How many characters a number takes decides what the call returns.
        for arg in args {
            self.guard_number(*arg);
        }
        self.produce(place, |dst| Rare::Output { function, args: values, dst, is_used: true });
    }
    fn check_begun(&mut self, var: VarId) {
        if let VarPlace::Object { reg } = self.code.vars[var]
            && self.program.vars[var].owner.is_some()
        {
            self.emit(Insn::CheckBegun { reg, var });
        }
    }
    /// Evaluates the index or address of a place.
    fn locate(&mut self, place: &Place) -> Spot {
        match *place {
            Place::Var(var) => Spot::Var(var),
            Place::Elem { array, index } => {
                self.value(index);
                self.guard_number(index);
                if let VarPlace::Map { .. } = self.code.vars[array] {
                    let index_ty = self.program.exprs.ty(index);
                    return Spot::Map { array, index: self.value(index), index_ty };
                }
                Spot::Elem { array, index: self.index(index) }
            }
            Place::Mem { addr, ty } => {
                Spot::Mem { addr: self.value(addr), ty, stored: self.addresses.stored(addr) }
            }
            Place::Bits { addr, bit, ty } => {
                Spot::Bits { addr: self.value(addr), bit, ty, stored: self.addresses.stored(addr) }
            }
        }
    }
    fn place_type(&self, place: &Place) -> Ty {
        match *place {
            Place::Var(var) => self.scalar(var).ty,
            Place::Elem { array, .. } => match self.program.vars[array].storage {
                Storage::Array { elem, .. } => elem,
                Storage::Scalar(ty) => ty,
                Storage::Object { .. } => Ty::Ptr,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty,
        }
    }
    /// Where a value for a place may be computed: the variable itself, or a temporary.
    fn landing(&mut self, spot: Spot, ty: Ty) -> Reg {
        match spot {
            Spot::Var(var) => self.scalar(var).reg,
            Spot::Elem { .. } | Spot::Map { .. } | Spot::Mem { .. } | Spot::Bits { .. } => self.temp(ty),
        }
    }
    /// Before a place is written: what is left of a pointer there is a part of it, and its bits are not changed.
    fn cut(&mut self, spot: Spot) {
        match spot {
            Spot::Mem { addr, ty, stored: Stored::Pointers } => {
                let size = match ty {
                    Ty::Float(FloatKind::Extended) => 10,
                    Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => ty.size(self.program.data_model) as u32,
                };
                if size % (u32::from(self.program.exprs.pointer_width()) / 8) != 0 {
                    self.emit(Insn::Cut { addr, size });
                }
            }
            Spot::Bits { addr, bit, ty, stored: Stored::Pointers } => {
                let b = self.constant(self.field_size(bit, ty));
                self.emit(Insn::Guard { guard: Guard::Bits, operands: Operands::Pointers, a: addr, b });
            }
            Spot::Var(_) | Spot::Elem { .. } | Spot::Map { .. } | Spot::Mem { .. } | Spot::Bits { .. } => {}
        }
    }
    /// Writes a register to a place.
    fn store(&mut self, spot: Spot, ty: Ty, src: Reg) {
        self.cut(spot);
        match spot {
            Spot::Var(var) => {
                let slot = self.scalar(var);
                if slot.reg != src {
                    self.copy(slot.ty, slot.reg, src);
                }
                if let Some(flag) = slot.flag {
                    let one = self.constant(1);
                    self.emit(Insn::Mov { dst: flag, src: one });
                }
            }
            Spot::Elem { array: var, index } => {
                let VarPlace::Array { array, .. } = self.code.vars[var] else { return };
                if is_wide(ty) {
                    self.rare(Rare::StoreElemWide { array, index, src, var });
                } else {
                    self.emit(Insn::StoreElem { array, index, src });
                }
            }
            Spot::Map { array: var, index, index_ty } => {
                self.rare(Rare::StoreMap { var, index, index_ty, src });
            }
            Spot::Mem { addr, ty, .. } => match plain_access(ty, self.program.data_model) {
                Some(kind) => self.emit(Insn::Store { addr, src, kind }),
                None => self.rare(Rare::Store { ty, addr, src }),
            },
            Spot::Bits { addr, bit, ty, .. } => self.rare(Rare::StoreBits { ty, bit, addr, src }),
        }
        self.report(spot, ty, src);
    }
    fn report(&mut self, spot: Spot, ty: Ty, src: Reg) {
        if self.markers() < Markers::Edges {
            return;
        }
        let to = match spot {
            Spot::Var(var) => WrittenTo::Var(var),
            Spot::Elem { array, index } => WrittenTo::Elem { array, index },
            Spot::Map { array, index, index_ty } => WrittenTo::Map { array, index, index_ty },
            Spot::Mem { addr, .. } => WrittenTo::Mem { addr },
            Spot::Bits { addr, bit, .. } => WrittenTo::Bits { addr, bit },
        };
        let reg = match spot {
            Spot::Var(var) => self.scalar(var).reg,
            Spot::Elem { .. } | Spot::Map { .. } | Spot::Mem { .. } | Spot::Bits { .. } => src,
        };
        let index = self.code.written.len() as u32;
        self.code.written.push((to, ty, reg));
        self.emit(Insn::Wrote { index });
    }
    /// The place loses its value.
    fn forget(&mut self, spot: Spot, ty: Ty) {
        self.cut(spot);
        match spot {
            Spot::Var(var) => {
                if let Some(flag) = self.scalar(var).flag {
                    let zero = self.constant(0);
                    self.emit(Insn::Mov { dst: flag, src: zero });
                }
            }
            Spot::Elem { array, index } => self.rare(Rare::ForgetElem { var: array, index }),
            // An element of an unbounded array keeps its value: only passes make them, where every value is chosen.
            Spot::Map { .. } => {}
            Spot::Mem { addr, ty, .. } => {
                let size = ty.size(self.program.data_model);
                self.rare(Rare::ForgetMem { addr, size });
            }
            Spot::Bits { addr, bit, .. } => {
                let width = ty.width(self.program.data_model);
                self.rare(Rare::ForgetBits { addr, bit, width });
            }
        }
    }
    fn assign(&mut self, place: &Place, value: ExprId) {
        let ty = self.program.exprs.ty(value);
        if let Some(flag) = self.copied_flag(value) {
            return self.assign_copy(place, value, flag);
        }
        if let Place::Var(var) = *place {
            let reg = self.scalar(var).reg;
            self.value_into(value, Some(reg));
            return self.store(Spot::Var(var), ty, reg);
        }
        if let Some(from) = self.part_source(place, value) {
            return self.assign_part(place, value, from);
        }
        let src = self.value(value);
        let spot = self.locate(place);
        self.store(spot, ty, src);
    }
    /// The address from which what may be a part of a pointer is copied to memory as it is.
    fn part_source(&self, place: &Place, value: ExprId) -> Option<ExprId> {
        let (Place::Mem { ty: to, .. }, Expr::Load { addr, ty }) = (place, self.program.exprs.get(value))
        else {
            return None;
        };
        let is_all_value = match *ty {
            Ty::Int { width, .. } => matches!(width, 8 | 16 | 32 | 64 | 128) && *ty != Ty::BOOL,
            Ty::Float(kind) => kind != FloatKind::Extended,
            Ty::Ptr => false,
        };
        let is_copy = to == ty && is_all_value && self.addresses.reads_part(self.program, value);
        is_copy.then_some(*addr)
    }
    /// In the order of other assignments: the value is read before the place is found.
    fn assign_part(&mut self, place: &Place, value: ExprId, from: ExprId) {
        let ty = self.program.exprs.ty(value);
        let (from, src) = (self.value(from), self.temp(ty));
        self.current = Some(value);
        self.rare(Rare::LoadPart { ty, dst: src, addr: from });
        self.current = None;
        let spot = self.locate(place);
        let Spot::Mem { addr: to, .. } = spot else { return };
        self.rare(Rare::StorePart { ty, to, from, src });
        self.report(spot, ty, src);
    }
    /// The flag of the variable that an expression merely copies, if the variable may have no value. Copying that is
    /// no use of it: a struct may be copied before all its parts have values.
    fn copied_flag(&self, value: ExprId) -> Option<Reg> {
        let from = copied_var(self.program, value)?;
        let flag = self.scalar(from).flag?;
        let copies = self.code.options.uninitialised == Uninitialised::Report && !self.has_value(from);
        copies.then_some(flag)
    }
    fn assign_copy(&mut self, place: &Place, value: ExprId, flag: Reg) {
        let ty = self.program.exprs.ty(value);
        let Some(from) = copied_var(self.program, value) else { return };
        let src = self.scalar(from).reg;
        let spot = self.locate(place);
        self.store_if(spot, ty, src, flag);
    }
    /// Writes a register to a place if the flag is set; otherwise the place loses its value.
    fn store_if(&mut self, spot: Spot, ty: Ty, src: Reg, flag: Reg) {
        let (empty, end) = (self.label(), self.label());
        self.emit(Insn::JumpUnless { cond: flag, to: empty });
        self.store(spot, ty, src);
        self.emit(Insn::Jump { to: end });
        self.bind(empty);
        self.forget(spot, ty);
        self.bind(end);
    }
    fn havoc(&mut self, place: &Place, source: &Source, at: base::Region) {
        let ty = self.place_type(place);
        let spot = self.locate(place);
        if *source == Source::Uninitialised && self.code.options.uninitialised == Uninitialised::Report {
            return self.forget(spot, ty);
        }
        let dst = self.landing(spot, ty);
        self.rare(Rare::Choose { ty, source: source.clone(), at, dst });
        self.store(spot, ty, dst);
    }
    /// A rare instruction whose result goes to a place.
    fn produce(&mut self, place: &Place, make: impl FnOnce(Reg) -> Rare) {
        let ty = self.place_type(place);
        let spot = self.locate(place);
        let dst = self.landing(spot, ty);
        self.rare(make(dst));
        self.store(spot, ty, dst);
    }
    /// What a call passes; a variable without value stays without.
    fn argument(&mut self, arg: ExprId) -> Slot {
        let ty = self.program.exprs.ty(arg);
        match (self.copied_flag(arg), copied_var(self.program, arg)) {
            (flag @ Some(_), Some(var)) => Slot { ty, reg: self.scalar(var).reg, flag },
            _ => Slot { ty, reg: self.value(arg), flag: None },
        }
    }
    fn call(&mut self, callee: &Callee, args: &[ExprId], results: &[Option<Place>]) {
        let args = args.iter().map(|arg| self.argument(*arg)).collect();
        let target = match callee {
            Callee::Direct(target) => Target::Direct(*target),
            Callee::Indirect { pointer, targets } => {
                Target::Indirect { pointer: self.value(*pointer), targets: targets.clone() }
            }
        };
        let procs = match callee {
            Callee::Direct(target) => std::slice::from_ref(target),
            Callee::Indirect { targets, .. } => targets,
        };
        let landings: Vec<Option<Slot>> = results
            .iter()
            .enumerate()
            .map(|(index, place)| {
                place.as_ref().map(|place| match *place {
                    Place::Var(var) => self.scalar(var),
                    Place::Elem { .. } | Place::Mem { .. } | Place::Bits { .. } => {
                        let ty = self.place_type(place);
                        let certain = self.facts.has_result(procs, index);
                        let flag = (!certain).then(|| self.temp(Ty::BOOL));
                        Slot { ty, reg: self.temp(ty), flag }
                    }
                })
            })
            .collect();
        let site = self.code.sites.len() as u32;
        let next = self.code.insns.len() as u32 + 1;
        let (region, at) =
            self.code.spots.last().map_or((base::Region::NOWHERE, None), |spot| (spot.region, spot.at));
        let is_last = at.is_some_and(|at| self.code.tail_calls.is_one(self.program, at));
        self.code.sites.push(CallSite { target, args, results: landings.clone(), next, region, at, is_last });
        self.emit(Insn::Call { site });
        // What was computed before the call may have changed in it.
        self.memo.clear();
        self.memo_log.clear();
        for (place, landing) in results.iter().zip(landings) {
            if let (Some(place), Some(landing)) = (place, landing) {
                match *place {
                    Place::Var(var) => self.report(Spot::Var(var), landing.ty, landing.reg),
                    Place::Elem { .. } | Place::Mem { .. } | Place::Bits { .. } => {
                        let spot = self.locate(place);
                        match landing.flag {
                            Some(flag) => self.store_if(spot, landing.ty, landing.reg, flag),
                            None => self.store(spot, landing.ty, landing.reg),
                        }
                    }
                }
            }
        }
    }
}
