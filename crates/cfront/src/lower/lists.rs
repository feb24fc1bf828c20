//! Lists of variable arguments.
//!
//! A caller makes a block of slots, one an argument and one behind the last. A slot has the value (of a record the address of a copy) and the
//! class of the argument; behind the last there is none. A list is a pointer to the next slot.
//!
//! Where an argument of another class is asked for, C defines nothing. What processors do depends on the registers that they pass arguments of a class in:
//! on x86-64 an integer that is asked for in the place of a `double` is the next integer. So the value is arbitrary, and so is everything that is taken
//! from the list after that: the list is null.
//!
//! A callee gets a copy of a list. In C its value is indeterminate after the callee has taken an argument from it
//! (C11 7.16): whether the caller goes on after the last argument that was taken differs between processors.
//!
//! # Invariants
//! * V1: a value that a program takes from a list is the argument, of the same class and size, or it is arbitrary and determined by the machine.

use cfa::{ApproximationKind, BinaryOp, Expr, ExprId, Freedom, Op, Origin, Place, Role, Source, Ty, VarId};

use crate::hir::{self, ExprKind, FunctionId, PlaceId, PlaceKind, VariableId};
use crate::lower::call::{Argument, Site};
use crate::lower::function::Body;
use crate::lower::{Lowered, build};
use crate::types::{RecordId, Type};

/// Bytes of a slot.
const SLOT: u64 = 32;
/// Where the class is in it.
const CLASS_OFFSET: u64 = 16;
/// The type of classes.
const CLASS: Ty = Ty::unsigned(32);
/// The class of the slot behind the last argument.
const NO_CLASS: i128 = 0;
/// What the classes of floating-point numbers begin with; those of integers and addresses are their sizes.
const FLOATS: i128 = 0x20;
/// What the classes of records begin with.
const RECORDS: i128 = 0x100;

fn class_of_record(record: RecordId) -> i128 {
    RECORDS + i128::from(record.0)
}

impl Body<'_, '_> {
    fn class_of(&mut self, ty: Ty) -> i128 {
        match ty {
            Ty::Int { .. } | Ty::Ptr => i128::from(ty.size(self.ctx.program.data_model)),
            Ty::Float(kind) => FLOATS + kind as i128,
        }
    }

    /// The block of slots of arguments beyond the prototype; its address.
    pub(super) fn pass_further(&mut self, args: Vec<Argument>) -> ExprId {
        let block = self.temporary_object((args.len() as u64 + 1) * SLOT, SLOT);
        let mut start = 0;
        for arg in args {
            let (value, class) = match arg {
                Argument::Scalar(value) => {
                    let ty = self.exprs().ty(value);
                    (value, self.class_of(ty))
                }
                Argument::Record(record, value) => {
                    // The callee reads it later: it must be a copy.
                    let from = self.record_address(record, &value);
                    let size = self.ctx.hir.types.records[record].size;
                    let to = self.temporary_object(size, 16);
                    self.copy_record(to, from, record);
                    (to, class_of_record(record))
                }
            };
            let (addr, ty) = (self.slot_part(block, start), self.exprs().ty(value));
            self.emit(Op::Assign { place: Place::Mem { addr, ty }, value });
            self.write_class(block, start, class);
            start += SLOT;
        }
        self.write_class(block, start, NO_CLASS);
        block
    }

    fn slot_part(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        let word = Ty::signed(self.exprs().pointer_width());
        let amount = self.exprs().int(word, i128::from(bytes));
        build::offset(self.exprs(), pointer, amount)
    }

    fn write_class(&mut self, block: ExprId, start: u64, class: i128) {
        let addr = self.slot_part(block, start + CLASS_OFFSET);
        let value = self.exprs().int(CLASS, class);
        self.emit(Op::Assign { place: Place::Mem { addr, ty: CLASS }, value });
    }

    /// Takes a scalar from a list.
    pub(super) fn next_scalar(&mut self, list: PlaceId, ty: Ty) -> Lowered<ExprId> {
        let class = self.class_of(ty);
        self.next_argument(list, class, ty, |body, var| {
            if ty == Ty::Ptr {
                // An uninitialised pointer: an access through it ends the execution, as everywhere.
                let addr = body.temporary_object(ty.size(body.ctx.program.data_model), 16);
                let value = body.exprs().add(Expr::Load { addr, ty });
                body.emit(Op::Assign { place: Place::Var(var), value });
            } else {
                let source = Source::Library { function: "va_arg".into(), freedom: Freedom::Determined };
                let at = body.origin.region;
                body.emit(Op::Havoc { place: Place::Var(var), source, at });
            }
        })
    }

    /// Takes a record from a list; the address of its copy.
    pub(super) fn next_record(&mut self, list: PlaceId, record: RecordId) -> Lowered<ExprId> {
        self.next_argument(list, class_of_record(record), Ty::Ptr, |body, var| {
            let size = body.ctx.hir.types.records[record].size;
            let value = body.temporary_object(size, 16);
            body.emit(Op::Assign { place: Place::Var(var), value });
        })
    }

    /// Advances a list; what its slot has if that is of a class, otherwise what `mismatch` puts in the variable.
    fn next_argument(
        &mut self,
        list: PlaceId,
        class: i128,
        ty: Ty,
        mismatch: impl FnOnce(&mut Self, VarId),
    ) -> Lowered<ExprId> {
        let place = self.place(list)?;
        let target = self.target(&place)?;
        let old = self.read(&place)?;
        let old = self.copy(old);
        let taken = self.temporary(ty);
        let null = build::address(self.exprs(), 0);
        let (addr, none) = (self.slot_part(old, CLASS_OFFSET), self.exprs().int(CLASS, NO_CLASS));
        let found = self.exprs().add(Expr::Load { addr, ty: CLASS });
        let leads = build::compare(self.exprs(), BinaryOp::Ne, old, null);
        let found = build::ite(self.exprs(), leads, found, none);
        let expected = self.exprs().int(CLASS, class);
        let agrees = build::compare(self.exprs(), BinaryOp::Eq, found, expected);
        let origin = Origin { role: Role::Implicit, ..self.origin };
        let (holds, fails) = self.fork(agrees, origin, origin);
        self.graph.set(fails);
        mismatch(self, taken);
        self.write(&target, null);
        let end = self.graph.take();
        self.graph.set(holds);
        let value = self.exprs().add(Expr::Load { addr: old, ty });
        self.emit(Op::Assign { place: Place::Var(taken), value });
        let next = self.slot_part(old, SLOT);
        self.write(&target, next);
        self.graph.join(end);
        Ok(self.read_var(taken))
    }

    /// After a call: lists that a library function was given lead nowhere. If a function of the program got one and the caller uses it
    /// again, both verdicts are capped.
    pub(super) fn pass_lists(
        &mut self,
        callee: Option<FunctionId>,
        args: &[hir::ExprId],
        site: &Site,
    ) -> Lowered<()> {
        let hir = self.ctx.hir;
        for arg in args {
            let ExprKind::Load(place) = hir.exprs[*arg].kind else { continue };
            if *hir.types.get(hir.places[place].ty) != Type::VaList {
                continue;
            }
            let variable = self.variable_of(place);
            let is_ours = variable
                .and_then(|variable| hir.variables[variable].function)
                .is_some_and(|function| hir.functions[function].name.starts_with("__wayproof_"));
            if is_ours {
                continue;
            }
            let callee = callee.map(|callee| &hir.functions[self.ctx.resolved[callee]]);
            let is_library =
                callee.is_some_and(|callee| callee.body.is_none() || callee.name.starts_with("__wayproof_"));
            if is_library {
                let place = self.place(place)?;
                let target = self.target(&place)?;
                let null = build::address(self.exprs(), 0);
                self.write(&target, null);
            } else if variable.is_none_or(|variable| self.uses_of_list(variable) > 1) {
                let what = "a list of variable arguments may be used again after it was passed to a function";
                self.ctx.approximate(ApproximationKind::Under, what, site.origin.region);
                self.ctx.approximate(ApproximationKind::Over, what, site.origin.region);
            }
        }
        Ok(())
    }

    fn variable_of(&self, place: PlaceId) -> Option<VariableId> {
        match self.ctx.hir.places[place].kind {
            PlaceKind::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// How often a program takes an argument from a list or passes it on.
    fn uses_of_list(&self, list: VariableId) -> usize {
        let is_use = |expr: &&hir::Expr| match expr.kind {
            ExprKind::Load(place) | ExprKind::VaArg(place) => self.variable_of(place) == Some(list),
            _ => false,
        };
        self.ctx.hir.exprs.iter().filter(is_use).count()
    }
}
