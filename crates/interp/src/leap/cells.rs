//! Numbers in memory, at addresses that stay the same in all rounds.
//!
//! A number that an object holds is a variable like others as long as it is clear which accesses mean it. So only objects without anything special
//! take part (all bytes have values, no pointers), and two accesses to the same bytes must be of the same type.
//!
//! # Invariants
//! * C1: a pointer is the constant that the machine's register holds: it never changes from round to round.
//! * C2: no two cells of a walk overlap.

use rustc_hash::FxHashMap;

use super::form::Form;
use super::walk::{Values, Walker};
use crate::code::VarPlace;
use crate::memory::Memory;
use crate::ops::pointer_add32;
use crate::value::{Value, from_register};
use cfa::CheckKind;
use cfa::expr::{BinaryOp, Expr, ExprId};
use cfa::program::VarId;
use cfa::ty::{DataModel, Ty};

/// What has a value in a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Var(VarId),
    Cell(Cell),
}

/// A number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    /// Its object and the offset there.
    at: (u32, u32),
    ty: Ty,
    /// The pointer to it as registers have it.
    pointer: u64,
}

impl Cell {
    fn size(self) -> u8 {
        match self.ty {
            Ty::Int { width, .. } => width / 8,
            Ty::Float(_) | Ty::Ptr => 0,
        }
    }
    fn overlaps(self, other: Self) -> bool {
        let end = |cell: Self| u64::from(cell.at.1) + u64::from(cell.size());
        self.at.0 == other.at.0 && u64::from(self.at.1) < end(other) && u64::from(other.at.1) < end(self)
    }
    /// Gives it a value; it was writable.
    pub(super) fn write(self, memory: &mut Memory, value: Value) {
        let is_written = memory.store_plain(self.pointer, self.size(), value.bits as u64);
        debug_assert!(is_written, "a cell is in a plain object");
    }
}

impl Walker<'_> {
    /// The type of what has a value; pointers have one here.
    pub(super) fn ty(&self, key: Key) -> Option<Ty> {
        match key {
            Key::Var(var) => self.program().vars[var].scalar(),
            Key::Cell(cell) => Some(cell.ty),
        }
    }
    /// The value in the machine.
    pub(super) fn present(&self, key: Key) -> Option<Form> {
        match key {
            Key::Var(var) => self.register(var),
            Key::Cell(cell) => {
                let raw = self.view.memory.load_plain(cell.pointer, cell.size())?;
                // What may be an address is no number to count with.
                let may_be_address = cell.size() >= self.view.memory.word;
                if may_be_address && self.view.memory.found_number(raw).is_some() {
                    return None;
                }
                Some(Form::constant(cell.ty.value_of(u128::from(raw))))
            }
        }
    }
    fn register(&self, var: VarId) -> Option<Form> {
        let VarPlace::Scalar(slot) = self.view.code.vars[var] else { return None };
        if slot.flag.is_some_and(|flag| self.view.regs[flag as usize] == 0) {
            return None;
        }
        let register = *self.view.regs.get(slot.reg as usize)?;
        match slot.ty {
            Ty::Ptr => self.follows_pointers().then(|| Form::constant(i128::from(register))),
            ty if super::eval::is_supported(ty) => {
                Some(Form::constant(ty.value_of(from_register(ty, register))))
            }
            Ty::Int { .. } | Ty::Float(_) => None,
        }
    }
    /// Whether pointers may be copied: not where that may lose the last one to an object.
    fn follows_pointers(&self) -> bool {
        !self.program().checks.contains(CheckKind::LostMemory)
    }
    /// The value of an expression that is a pointer.
    pub(super) fn pointer(
        &self,
        expr: ExprId,
        known: &FxHashMap<ExprId, Form>,
        values: &Values,
    ) -> Option<Form> {
        let exprs = &self.program().exprs;
        match *exprs.get(expr) {
            Expr::Var { var, .. } => self.value(values, Key::Var(var)),
            Expr::Address { var } => {
                let VarPlace::Object { reg } = self.view.code.vars[var] else { return None };
                let register = *self.view.regs.get(reg as usize)?;
                (register != 0 && self.follows_pointers()).then(|| Form::constant(i128::from(register)))
            }
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } => {
                let pointer = u64::try_from(known[&lhs].as_constant()?).ok()?;
                let by = known[&rhs].as_constant()? as u64;
                let moved = match self.program().data_model {
                    DataModel::Lp64 => {
                        Some(pointer.wrapping_add(by)).filter(|sum| (pointer ^ sum) >> 30 == 0)
                    }
                    DataModel::Ilp32 => Some(pointer_add32(pointer, by)),
                };
                moved.map(|moved| Form::constant(i128::from(moved)))
            }
            _ => None,
        }
    }
    /// What memory holds at an address.
    pub(super) fn load(&self, pointer: &Form, ty: Ty, values: &Values) -> Option<Form> {
        let cell = self.cell(pointer, ty, values)?;
        self.value(values, Key::Cell(cell))
    }
    /// The cell at an address, if it may be written.
    pub(super) fn writable(&self, pointer: &Form, ty: Ty, values: &Values) -> Option<Cell> {
        let cell = self.cell(pointer, ty, values)?;
        self.view.memory.check_writable(cell.pointer, u64::from(cell.size())).ok()?;
        Some(cell)
    }
    /// The cell at an address (C2), in an object whose bytes all have values.
    fn cell(&self, pointer: &Form, ty: Ty, values: &Values) -> Option<Cell> {
        let Ty::Int { width: 8 | 16 | 32 | 64, .. } = ty else { return None };
        let pointer = u64::try_from(pointer.as_constant()?).ok()?;
        let cell = Cell { at: self.view.memory.locate(pointer), ty, pointer };
        self.view.memory.load_plain(pointer, cell.size())?;
        // Cells are in the order of their addresses, and none is larger than 8 bytes.
        let first = Cell { at: (cell.at.0, cell.at.1.saturating_sub(7)), ty: Ty::BOOL, pointer: 0 };
        let mut near = values.range(Key::Cell(first)..).map_while(|(key, _)| match key {
            Key::Cell(other) if other.at <= (cell.at.0, cell.at.1.saturating_add(7)) => Some(*other),
            Key::Cell(_) | Key::Var(_) => None,
        });
        (!near.any(|other| other != cell && other.overlaps(cell))).then_some(cell)
    }
}
