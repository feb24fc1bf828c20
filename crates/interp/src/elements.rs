//! Operations on many elements of array variables at once.
//!
//! # Cost
//! One tick for eight elements, paid before the operation starts. Otherwise a fill of 2^28 elements would run on after the end of the time.

use cfa::Ty;
use cfa::program::VarId;

use super::array::MAX_LENGTH;
use super::code::{Rare, Reg, VarPlace};
use super::eval::whole_index;
use super::machine::State;
use super::map::ELEMENT;
use super::outcome::{Fault, Resource};
use super::rare_instruction::Context;

/// Elements for which one tick is paid.
const ELEMENTS: u64 = 8;

impl State<'_> {
    /// What an instruction costs before it starts.
    pub(super) fn price(&self, regs: &[u64], index: u32) -> i64 {
        let (Rare::CopyElems { to: (var, ..), count, .. } | Rare::FillElems { to: (var, ..), count, .. }) =
            self.code.rares[index as usize]
        else {
            return 0;
        };
        // What is refused costs nothing.
        let Ok(count) = self.size(regs, count.1, count.0) else { return 0 };
        if self.check_space(var, count).is_err() {
            return 0;
        }
        i64::try_from(count / ELEMENTS).unwrap_or(i64::MAX)
    }
    /// Copies or fills elements.
    pub(super) fn elements(
        &mut self,
        regs: &mut [u64],
        instruction: &Rare,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        let place = |state: &Self, (var, reg, ty): (VarId, Reg, Ty)| {
            (var, whole_index(ty, state.bits(regs, ty, reg)))
        };
        match *instruction {
            Rare::CopyElems { to, from, count } => {
                let (to, from) = (place(self, to), place(self, from));
                let count = self.size(regs, count.1, count.0)?;
                self.copy_elements(to, from, count, context)
            }
            Rare::FillElems { to, value, count } => {
                let (var, start) = place(self, to);
                let bits = self.bits(regs, self.elem_type(var), value);
                let count = self.size(regs, count.1, count.0)?;
                self.check_space(var, count)?;
                for number in 0..count {
                    self.store_any(var, start.saturating_add(i128::from(number)), bits)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
    /// Copies elements. All are read before the first one is written, so the step can be repeated.
    fn copy_elements(
        &mut self,
        (to, at): (VarId, i128),
        (from, start): (VarId, i128),
        count: u64,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        if count > MAX_LENGTH {
            return Err(Fault::Resource(Resource::ObjectSize));
        }
        self.check_space(to, count)?;
        let mut values = Vec::new();
        for number in 0..count {
            values.push(self.load_any(from, start.saturating_add(i128::from(number)), context)?);
        }
        for (number, bits) in values.into_iter().enumerate() {
            self.store_any(to, at.saturating_add(number as i128), bits)?;
        }
        Ok(())
    }
    /// Refuses at once what needs more memory than there is.
    fn check_space(&self, var: VarId, count: u64) -> Result<(), Fault> {
        let is_map = matches!(self.code.vars[var], VarPlace::Map { .. });
        if is_map && count.saturating_mul(ELEMENT) > self.memory.limit() {
            return Err(Fault::Resource(Resource::Memory));
        }
        Ok(())
    }
}
