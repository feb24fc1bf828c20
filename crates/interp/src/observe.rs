//! Watching a run: edges taken and values written.

use super::array::{Array, Miss};
use super::code::{Code, VarPlace};
use super::eval::EvalError;
use super::look::Look;
use super::map::Map;
use super::memory::{Memory, ObjectKind};
use super::value::{Value, from_register, is_wide};
use cfa::expr::ExprId;
use cfa::program::{EdgeId, ProcId, Program, VarId};
use cfa::ty::Ty;

/// Where a value was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// To a scalar variable.
    Var(VarId),
    /// To an element of an array variable.
    Elem {
        /// The array.
        array: VarId,
        /// The index.
        index: i128,
    },
    /// To memory.
    Mem {
        /// The address.
        addr: Value,
    },
    /// To a bit-field in memory.
    Bits {
        /// The address.
        addr: Value,
        /// First bit.
        bit: u8,
    },
}

/// Receives what happens, if the code was compiled with [`super::Markers::Edges`] or more.
pub trait Observer {
    /// The tests of an edge hold and it is about to be taken.
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId);
    /// All operations of an edge are done.
    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId);
    /// An operation wrote a value.
    fn wrote(&mut self, view: &View<'_>, to: Written, value: Value);
}

/// An observer that is not interested.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    #[inline]
    fn enter(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    #[inline]
    fn leave(&mut self, _: &View<'_>, _: ProcId, _: EdgeId) {}
    #[inline]
    fn wrote(&mut self, _: &View<'_>, _: Written, _: Value) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0.enter(view, proc, edge);
        self.1.enter(view, proc, edge);
    }
    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        self.0.leave(view, proc, edge);
        self.1.leave(view, proc, edge);
    }
    fn wrote(&mut self, view: &View<'_>, to: Written, value: Value) {
        self.0.wrote(view, to, value);
        self.1.wrote(view, to, value);
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn enter(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        (**self).enter(view, proc, edge);
    }
    fn leave(&mut self, view: &View<'_>, proc: ProcId, edge: EdgeId) {
        (**self).leave(view, proc, edge);
    }
    fn wrote(&mut self, view: &View<'_>, to: Written, value: Value) {
        (**self).wrote(view, to, value);
    }
}

/// The state of a machine, to look at. Variables are those of the innermost activation of their procedure.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) program: &'a Program,
    pub(crate) code: &'a Code,
    pub(crate) regs: &'a [u64],
    pub(crate) wide: &'a [u128],
    pub(crate) arrays: &'a [Array<u64>],
    pub(crate) wide_arrays: &'a [Array<u128>],
    pub(crate) maps: &'a [Map],
    pub(crate) memory: &'a Memory,
}

impl View<'_> {
    /// The program that runs.
    pub fn program(&self) -> &Program {
        self.program
    }
    pub(crate) fn register(&self, ty: Ty, reg: u32) -> Value {
        let bits =
            if is_wide(ty) { self.wide[reg as usize] } else { self.narrow(ty, self.regs[reg as usize]) };
        Value { ty, bits }
    }
    fn narrow(&self, ty: Ty, register: u64) -> u128 {
        match ty {
            Ty::Ptr => u128::from(self.memory.address(register)),
            Ty::Int { .. } | Ty::Float(_) => from_register(ty, register),
        }
    }
    /// The value of a scalar variable; `None` if it has none.
    pub fn scalar(&self, var: VarId) -> Option<Value> {
        match self.code.vars[var] {
            VarPlace::Scalar(slot) => {
                let has_value = slot.flag.is_none_or(|flag| self.regs[flag as usize] != 0);
                has_value.then(|| self.register(slot.ty, slot.reg))
            }
            VarPlace::Array { .. } | VarPlace::Map { .. } | VarPlace::Object { .. } => None,
        }
    }
    /// The elements of an array variable that have values, by index.
    pub fn elements(&self, array: VarId) -> Vec<(i128, Value)> {
        if let VarPlace::Map { map, ty } = self.code.vars[array] {
            return self.maps[map as usize].iter().map(|(index, bits)| (index, Value { ty, bits })).collect();
        }
        let all =
            (0..i128::from(self.length(array))).filter_map(|index| Some((index, self.elem(array, index)?)));
        all.collect()
    }
    /// Number of elements of an array variable; of an unbounded one, of those that have values.
    pub fn length(&self, array: VarId) -> u64 {
        match self.code.vars[array] {
            VarPlace::Array { array, ty } if is_wide(ty) => self.wide_arrays[array as usize].len(),
            VarPlace::Array { array, .. } => self.arrays[array as usize].len(),
            VarPlace::Map { map, .. } => self.maps[map as usize].len() as u64,
            VarPlace::Scalar(_) | VarPlace::Object { .. } => 0,
        }
    }
    /// An element of an array variable; `None` if there is none or it has no value.
    pub fn elem(&self, array: VarId, index: i128) -> Option<Value> {
        if let VarPlace::Map { map, ty } = self.code.vars[array] {
            return self.maps[map as usize].get(index).map(|bits| Value { ty, bits });
        }
        let index = u64::try_from(index).ok()?;
        let VarPlace::Array { array, ty } = self.code.vars[array] else { return None };
        let bits: Result<u128, Miss> = if is_wide(ty) {
            self.wide_arrays[array as usize].get(index)
        } else {
            self.arrays[array as usize].get(index).map(|register| self.narrow(ty, register))
        };
        bits.ok().map(|bits| Value { ty, bits })
    }
    /// The address of an object variable; `None` if it has not begun.
    pub fn address(&self, var: VarId) -> Option<Value> {
        let VarPlace::Object { reg } = self.code.vars[var] else { return None };
        let pointer = self.regs[reg as usize];
        (pointer != 0).then(|| Value { ty: Ty::Ptr, bits: u128::from(self.memory.address(pointer)) })
    }
    /// The bytes of an object variable from an offset on; `None` for bytes that cannot be read or have no value.
    pub fn bytes(&self, var: VarId, offset: u64, length: usize) -> Vec<Option<u8>> {
        let VarPlace::Object { reg } = self.code.vars[var] else { return vec![None; length] };
        let start = self.regs[reg as usize];
        (0..length as u64)
            .map(|at| {
                let mut byte = [0];
                match self.memory.read(start.wrapping_add(offset + at), &mut byte) {
                    Ok(None) => Some(byte[0]),
                    Ok(Some(_)) | Err(_) => None,
                }
            })
            .collect()
    }
    /// A byte of memory, and which of its bits have a value; `None` if it cannot be read.
    pub fn byte_at(&self, address: Value) -> Option<(u8, u8)> {
        self.memory.byte(self.memory.pointer_to(address.bits as u64)).ok()
    }
    /// The value of an expression, if it is defined and all that it reads has a value.
    pub fn value(&self, expr: ExprId) -> Result<Value, EvalError> {
        Look(*self).value(expr)
    }
    /// The variable with object storage that a pointer points into, and the offset in bytes.
    pub fn target(&self, pointer: Value) -> Option<(VarId, u64)> {
        let (kind, origin, offset) = self.memory.origin(self.memory.pointer_to(pointer.bits as u64))?;
        match kind {
            ObjectKind::Global | ObjectKind::Local => Some((VarId(origin), u64::from(offset))),
            ObjectKind::Procedure
            | ObjectKind::Heap
            | ObjectKind::Stack
            | ObjectKind::Outside
            | ObjectKind::None => None,
        }
    }
    /// A pointer as C would write it: the variable or procedure and an offset, or a number.
    pub fn describe(&self, pointer: Value) -> String {
        let register = self.memory.pointer_to(pointer.bits as u64);
        let Some((kind, origin, offset)) = self.memory.origin(register) else { return pointer.to_string() };
        let name = match kind {
            ObjectKind::Procedure => self.program.procs.get(ProcId(origin)).map(|proc| proc.name.to_string()),
            ObjectKind::Global | ObjectKind::Local => {
                self.program.vars.get(VarId(origin)).map(|var| format!("&{}", var.name))
            }
            ObjectKind::Heap | ObjectKind::Stack => Some(format!("allocation {origin}")),
            ObjectKind::Outside => Some(format!("object {origin} from outside")),
            ObjectKind::None => None,
        };
        match (name, offset as i32) {
            (None, _) => pointer.to_string(),
            (Some(name), 0) => name,
            (Some(name), offset) => format!("(char *)({name}) {offset:+}"),
        }
    }
}
