//! Expressions evaluated in the state of a machine that somebody looks at: nothing is chosen, nothing changes.

use super::code::VarPlace;
use super::eval::{Env, EvalError, evaluate};
use super::observe::View;
use super::outcome::UndefinedKind;
use super::value::{Value, from_register, is_wide};
use cfa::expr::{Access, AddressTest, ExprId};
use cfa::program::{ProcId, VarId};
use cfa::ty::{DataModel, FloatKind, Ty};

/// The environment of an expression that is only looked at.
pub(crate) struct Look<'a>(pub(crate) View<'a>);

impl Look<'_> {
    pub(crate) fn value(mut self, expr: ExprId) -> Result<Value, EvalError> {
        let program = self.0.program;
        let ty = program.exprs.ty(expr);
        let bits = evaluate(program, expr, &mut self)?;
        let bits = if ty == Ty::Ptr { u128::from(self.0.memory.address(bits as u64)) } else { bits };
        Ok(Value { ty, bits })
    }
    fn moved(&self, pointer: u64, by: u64) -> u64 {
        match self.0.program.data_model {
            DataModel::Lp64 => pointer.wrapping_add(by),
            DataModel::Ilp32 => super::ops::pointer_add32(pointer, by),
        }
    }
}

impl Env for Look<'_> {
    type Error = EvalError;
    fn var(&mut self, var: VarId, ty: Ty) -> Result<u128, EvalError> {
        let VarPlace::Scalar(slot) = self.0.code.vars[var] else { return Err(EvalError::NoValue(var)) };
        if slot.flag.is_some_and(|flag| self.0.regs[flag as usize] == 0) {
            return Err(EvalError::NoValue(var));
        }
        let reg = slot.reg as usize;
        Ok(if is_wide(ty) { self.0.wide[reg] } else { from_register(ty, self.0.regs[reg]) })
    }
    fn elem(&mut self, array: VarId, index: i128, ty: Ty) -> Result<u128, EvalError> {
        match (self.0.code.vars[array], u64::try_from(index)) {
            // A pointer is wanted as registers have it.
            (VarPlace::Array { array: number, .. }, Ok(index)) if ty == Ty::Ptr => {
                let element = self.0.arrays[number as usize].get(index);
                element.map(u128::from).map_err(|_| EvalError::NoValue(array))
            }
            _ => self.0.elem(array, index).map(|value| value.bits).ok_or(EvalError::NoValue(array)),
        }
    }
    fn load(&mut self, addr: u64, ty: Ty) -> Result<u128, EvalError> {
        let model = self.0.program.data_model;
        let length = if ty == Ty::Float(FloatKind::Extended) { 10 } else { ty.size(model) as usize };
        let mut buffer = [0; 16];
        let read = self.0.memory.check(addr, ty.size(model)).and_then(|_| {
            let read = self.0.memory.read(addr, &mut buffer[..length])?;
            Ok(read.is_none())
        });
        let raw = u128::from_le_bytes(buffer);
        match (read, ty) {
            (Ok(true), Ty::Int { .. }) => Ok(ty.bits_of(raw as i128)),
            (Ok(true), Ty::Ptr) if model == DataModel::Ilp32 => {
                Ok(u128::from(self.0.memory.restore(addr, raw as u32)))
            }
            (Ok(true), _) => Ok(raw),
            (Ok(false) | Err(_), _) => Err(EvalError::NeedsMemory),
        }
    }
    fn load_bits(&mut self, addr: u64, bit: u8, ty: Ty) -> Result<u128, EvalError> {
        let width = u32::from(ty.width(self.0.program.data_model));
        let count = (u32::from(bit) + width).div_ceil(8);
        let mut value = 0;
        for number in 0..count {
            let byte = self.0.memory.byte(self.moved(addr, u64::from(number)));
            let (byte, known) = byte.map_err(|_| EvalError::NeedsMemory)?;
            let low = if number == 0 { u32::from(bit) } else { 0 };
            let high = (u32::from(bit) + width - number * 8).min(8);
            let mask = ((0xff_u32 << low) & (0xff >> (8 - high))) as u8;
            if known & mask != mask {
                return Err(EvalError::NeedsMemory);
            }
            value |= u128::from(byte & mask) << (number * 8);
        }
        Ok(value >> bit)
    }
    fn accessible(&mut self, addr: u64, length: u64, access: Access) -> Result<u128, EvalError> {
        Ok(u128::from(self.0.memory.is_accessible(addr, length, access)))
    }
    fn same_object(&mut self, one: u64, other: u64) -> Result<u128, EvalError> {
        Ok(u128::from(self.0.memory.is_same_object(one, other)))
    }
    fn freeable(&mut self, addr: u64) -> Result<u128, EvalError> {
        Ok(u128::from(self.0.memory.is_freeable(addr)))
    }
    fn test(&mut self, test: AddressTest, addr: u64) -> Result<u128, EvalError> {
        Ok(u128::from(self.0.memory.test(test, addr)))
    }
    fn initialised(&mut self, addr: u64, bit: Option<u8>, ty: Ty) -> Result<u128, EvalError> {
        Ok(u128::from(self.0.memory.is_initialised(addr, bit, ty)))
    }
    fn lost(&mut self) -> Result<u128, EvalError> {
        Err(EvalError::NeedsMemory)
    }
    fn address(&mut self, var: VarId) -> Result<u64, EvalError> {
        match self.0.code.vars[var] {
            VarPlace::Object { reg } if self.0.regs[reg as usize] != 0 => Ok(self.0.regs[reg as usize]),
            _ => Err(EvalError::NeedsMemory),
        }
    }
    fn function(&mut self, proc: ProcId) -> Result<u64, EvalError> {
        let mut regs = self.0.code.function_regs.iter();
        let found = regs.find(|(_, other)| *other == proc);
        found.map(|(reg, _)| self.0.regs[*reg as usize]).ok_or(EvalError::NeedsMemory)
    }
    fn pointer(&mut self, address: u64) -> u64 {
        self.0.memory.pointer_to(address)
    }
    fn undefined(kind: UndefinedKind, detail: String) -> EvalError {
        EvalError::Undefined { kind, detail }
    }
}
