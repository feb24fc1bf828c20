//! Reading and writing variables, arrays and memory where it can fail or needs a choice.
//!
//! # Invariants
//! * R1 of [`super::rare_instruction`]: every step can be repeated.

use super::Uninitialised;
use super::array::{Array, Miss};
use super::code::{Rare, VarPlace};
use super::eval::whole_index;
use super::machine::State;
use super::map::ELEMENT;
use super::memory::{Validity, value_bytes};
use super::ops;
use super::outcome::{Fault, UndefinedKind};
use super::parts::{Stored, Wanted};
use super::rare_instruction::{Asker, Context};
use super::value::{from_register, is_wide, to_register};
use cfa::CheckKind;
use cfa::op::{Freedom, Source};
use cfa::program::{Storage, VarId};
use cfa::ty::{DataModel, Ty};

/// Whether a pointer from a source leads to an object of its own, and may be used; nothing for pointers that the library computes.
fn validity(source: &Source) -> Option<Validity> {
    match source {
        Source::Input { .. } | Source::Uninitialised => Some(Validity::Doubtful),
        Source::Extern { .. } | Source::Outside | Source::Argument { .. } | Source::Global { .. } => {
            Some(Validity::Assumed)
        }
        Source::Library { .. } | Source::Rounded | Source::Guess(_) => None,
    }
}

/// Why an element without value is arbitrary.
fn unwritten<T: Copy + Default>(array: &Array<T>) -> Source {
    if array.is_input() { Source::Outside } else { Source::Uninitialised }
}

/// Whether a type is as large as a pointer, and may be one as a whole.
fn wanted(ty: Ty, model: DataModel) -> Wanted {
    match ty {
        Ty::Ptr => Wanted::Word,
        Ty::Int { width, .. } if width == model.pointer_width() => Wanted::Word,
        Ty::Int { .. } | Ty::Float(_) => Wanted::Part,
    }
}

impl State<'_> {
    /// Where an access to an address of no object is a violation, a pointer that may be anything is a number.
    pub(super) fn validity(&self, source: &Source) -> Option<Validity> {
        let is_violation = self.program.is_violation(CheckKind::WildPointer);
        validity(source).filter(|validity| !is_violation || *validity == Validity::Assumed)
    }
    /// A scalar variable without value is read.
    #[cold]
    pub(super) fn uninitialised(
        &mut self,
        regs: &mut [u64],
        var: VarId,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        let VarPlace::Scalar(slot) = self.code.vars[var] else { return Ok(()) };
        if self.policy() == Uninitialised::Report {
            let name = &self.program.vars[var].name;
            return Err(Fault::undefined(UndefinedKind::UninitialisedRead, format!("variable {name}")));
        }
        let bits = self.choose(context.oracle, slot.ty, &Source::Uninitialised, context.asker)?;
        if is_wide(slot.ty) {
            self.wide[slot.reg as usize] = bits;
        } else if let (Ty::Ptr, Some(validity)) = (slot.ty, self.validity(&Source::Uninitialised)) {
            regs[slot.reg as usize] = self.memory.outside(validity, bits as u64)?;
        } else {
            regs[slot.reg as usize] = self.register(slot.ty, bits);
        }
        if let Some(flag) = slot.flag {
            regs[flag as usize] = 1;
        }
        Ok(())
    }
    #[cold]
    pub(super) fn not_begun(&self, var: VarId) -> Result<(), Fault> {
        let name = &self.program.vars[var].name;
        Err(Fault::undefined(UndefinedKind::Dangling, format!("the lifetime of {name} has not begun")))
    }
    /// Bytes that lost their values are copied like others, so nobody knows later which function took them: the strictest one counts.
    pub(super) fn note_forgotten(&mut self, source: &Source) {
        let is_computed =
            |known: &Source| matches!(known, Source::Library { freedom: Freedom::Determined, .. });
        if *source == Source::Uninitialised {
            return;
        }
        if !self.forgotten.as_ref().is_some_and(is_computed) {
            self.forgotten = Some(source.clone());
        }
    }
    /// Whether memory without value is a violation to read. It is not where a function may have given it one: nobody knows which bytes it wrote.
    pub(super) fn reports_memory(&self) -> bool {
        self.policy() == Uninitialised::Report && self.forgotten.is_none()
    }
    /// Whether a value in memory has all its bits, as far as that is known.
    pub(super) fn is_initialised(&self, addr: u64, bit: Option<u8>, ty: Ty) -> bool {
        self.forgotten.is_some() || self.memory.is_initialised(addr, bit, ty)
    }
    /// Reads or writes memory or an element of an array.
    pub(super) fn access(
        &mut self,
        regs: &mut [u64],
        instruction: &Rare,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        match instruction {
            Rare::Load { ty, dst, addr } => {
                let bits = self.load(regs[*addr as usize], *ty, context)?;
                self.put(regs, *ty, *dst, bits);
            }
            Rare::Store { ty, addr, src } => {
                let bits = self.bits(regs, *ty, *src);
                self.store(regs[*addr as usize], *ty, bits)?;
            }
            Rare::LoadPart { ty, dst, addr } => {
                let bits = self.load_part(regs[*addr as usize], *ty, context)?;
                self.put(regs, *ty, *dst, bits);
            }
            Rare::StorePart { ty, to, from, src } => {
                let bits = self.bits(regs, *ty, *src);
                self.store_part((regs[*to as usize], regs[*from as usize]), *ty, bits)?;
            }
            Rare::LoadBits { ty, bit, dst, addr } => {
                let bits = self.load_bits(regs[*addr as usize], *bit, *ty, context)?;
                self.put(regs, *ty, *dst, bits);
            }
            Rare::StoreBits { ty, bit, addr, src } => {
                let bits = self.bits(regs, *ty, *src);
                self.store_bits(regs[*addr as usize], *bit, ty.width(self.program.data_model), bits)?;
            }
            Rare::LoadElemWide { dst, array, index, var } => {
                self.wide[*dst as usize] =
                    self.load_elem_wide(*array, *var, regs[*index as usize], context)?;
            }
            Rare::StoreElemWide { array, index, src, var } => {
                self.store_elem_wide(*array, *var, regs[*index as usize], self.wide[*src as usize])?;
            }
            Rare::LoadMap { dst, var, index, index_ty } => {
                let index = whole_index(*index_ty, self.bits(regs, *index_ty, *index));
                let ty = self.elem_type(*var);
                let bits = self.load_map(*var, index, context)?;
                self.put(regs, ty, *dst, bits);
            }
            Rare::StoreMap { var, index, index_ty, src } => {
                let index = whole_index(*index_ty, self.bits(regs, *index_ty, *index));
                let bits = self.bits(regs, self.elem_type(*var), *src);
                self.store_map(*var, index, bits)?;
            }
            _ => {}
        }
        Ok(())
    }
    /// Reads a value of any type; the bits, of a pointer the register.
    #[cold]
    pub(super) fn load(&mut self, addr: u64, ty: Ty, context: &mut Context<'_>) -> Result<u128, Fault> {
        let model = self.program.data_model;
        self.memory.check(addr, ty.size(model))?;
        let mut buffer = [0; 16];
        let bytes = value_bytes(ty, model);
        if let Some(missing) = self.memory.read(addr, &mut buffer[..bytes])? {
            if self.reports_memory() && !self.memory.is_input(addr) {
                let detail = format!("byte {missing} of a {ty} at {:#x}", self.memory.address(addr));
                return Err(Fault::undefined(UndefinedKind::UninitialisedRead, detail));
            }
            self.asked = self.memory.found(addr).map(|found| (found.index, found.offset));
            let completed = self.complete(addr, ty, bytes, context);
            self.asked = None;
            completed?;
            self.memory.read(addr, &mut buffer[..bytes])?;
        }
        self.memory.check_parts(addr, bytes, wanted(ty, model))?;
        let raw = u128::from_le_bytes(buffer);
        match ty {
            Ty::BOOL if raw > 1 => {
                Err(Fault::undefined(UndefinedKind::InvalidBool, format!("the byte is {raw}")))
            }
            Ty::Int { .. } => Ok(ty.bits_of(raw as i128)),
            Ty::Ptr if model == DataModel::Ilp32 => Ok(u128::from(self.memory.restore(addr, raw as u32))),
            Ty::Float(_) | Ty::Ptr => Ok(raw),
        }
    }
    /// Gives uninitialised bytes values: all at once if none has one, else byte by byte.
    fn complete(&mut self, addr: u64, ty: Ty, bytes: usize, context: &mut Context<'_>) -> Result<(), Fault> {
        let model = self.program.data_model;
        let offset = |at: usize| match model {
            DataModel::Lp64 => addr.wrapping_add(at as u64),
            DataModel::Ilp32 => ops::pointer_add32(addr, at as u64),
        };
        let mut untouched = true;
        for at in 0..bytes {
            untouched &= self.memory.byte(offset(at))?.1 == 0;
        }
        let source = if self.memory.is_input(addr) { Source::Outside } else { Source::Uninitialised };
        let is_forgotten = source == Source::Uninitialised && self.forgotten.is_some();
        if let (true, Ty::Ptr, false, Some(validity)) = (untouched, ty, is_forgotten, self.validity(&source))
        {
            let number = self.choose(context.oracle, ty, &source, context.asker)?;
            let pointer = self.memory.outside(validity, number as u64)?;
            return self.store(addr, ty, u128::from(pointer));
        }
        if untouched {
            let bits = self.choose(context.oracle, ty, &source, context.asker)?;
            let stored = match ty {
                Ty::Int { .. } => ty.value_of(bits) as u128,
                Ty::Float(_) | Ty::Ptr => bits,
            };
            return self.memory.write_anyway(addr, &stored.to_le_bytes()[..bytes]);
        }
        for at in 0..bytes {
            if self.memory.byte(offset(at))?.1 != 0xff {
                self.asked = self.memory.found(offset(at)).map(|found| (found.index, found.offset));
                let ty = Ty::unsigned(8);
                let byte = self.choose(context.oracle, ty, &source, context.asker)?;
                self.memory.settle_byte(offset(at), byte as u8)?;
            }
        }
        Ok(())
    }
    /// Writes a value of any type.
    pub(super) fn store(&mut self, addr: u64, ty: Ty, bits: u128) -> Result<(), Fault> {
        let model = self.program.data_model;
        self.memory.check(addr, ty.size(model))?;
        let stored = match ty {
            Ty::Int { .. } => ty.value_of(bits) as u128,
            Ty::Float(_) | Ty::Ptr => bits,
        };
        self.memory.write(addr, &stored.to_le_bytes()[..value_bytes(ty, model)])?;
        if ty == Ty::Ptr && model == DataModel::Ilp32 {
            self.memory.note(addr, bits as u64);
        }
        Ok(())
    }
    /// Reads a value that is stored next, and nothing else: it may be a part of a pointer.
    pub(super) fn load_part(&mut self, addr: u64, ty: Ty, context: &mut Context<'_>) -> Result<u128, Fault> {
        let size = ty.size(self.program.data_model);
        if !self.memory.has_parts(addr, size) {
            return self.load(addr, ty, context);
        }
        let mut buffer = [0; 16];
        if self.memory.read(addr, &mut buffer[..size as usize])?.is_some() {
            return Err(Fault::Unsupported(
                "copying a part of a pointer with bytes that have no value".to_owned(),
            ));
        }
        let raw = u128::from_le_bytes(buffer);
        Ok(if matches!(ty, Ty::Int { .. }) { ty.bits_of(raw as i128) } else { raw })
    }
    /// Writes what was just read at `from`; of parts of pointers it stays known what they are.
    pub(super) fn store_part(&mut self, (to, from): (u64, u64), ty: Ty, bits: u128) -> Result<(), Fault> {
        let size = ty.size(self.program.data_model);
        if self.memory.has_parts(from, size) {
            return self.memory.copy(to, from, size, Stored::Pointers);
        }
        self.memory.cut(to, size);
        self.store(to, ty, bits)
    }
    /// The bytes of a bit-field: pointer to each, its part of the field as shift in the byte, bits, and shift in the value.
    fn field(&self, addr: u64, bit: u8, width: u8) -> impl Iterator<Item = (u64, u8, u32)> + use<> {
        let model = self.program.data_model;
        let end = u32::from(bit) + u32::from(width);
        (0..end.div_ceil(8)).map(move |byte| {
            let pointer = match model {
                DataModel::Lp64 => addr.wrapping_add(u64::from(byte)),
                DataModel::Ilp32 => ops::pointer_add32(addr, u64::from(byte)),
            };
            let low = if byte == 0 { u32::from(bit) } else { 0 };
            let high = (end - byte * 8).min(8);
            let mask = (0xff_u32 << low) & (0xff >> (8 - high));
            (pointer, mask as u8, byte * 8)
        })
    }
    fn check_field(&self, addr: u64, bit: u8, width: u8) -> Result<(), Fault> {
        let bytes = (u64::from(bit) + u64::from(width)).div_ceil(8);
        self.memory.check(addr, bytes).map(|_| ())
    }
    pub(super) fn load_bits(
        &mut self,
        addr: u64,
        bit: u8,
        ty: Ty,
        context: &mut Context<'_>,
    ) -> Result<u128, Fault> {
        let width = ty.width(self.program.data_model);
        self.check_field(addr, bit, width)?;
        let bytes = (usize::from(bit) + usize::from(width)).div_ceil(8);
        self.memory.check_parts(addr, bytes, Wanted::Part)?;
        let mut value = 0;
        for (pointer, mask, position) in self.field(addr, bit, width) {
            let (mut byte, known) = self.memory.byte(pointer)?;
            if known & mask != mask {
                let is_input = self.memory.is_input(addr);
                if self.reports_memory() && !is_input {
                    let detail = format!("a bit-field at {:#x}", self.memory.address(addr));
                    return Err(Fault::undefined(UndefinedKind::UninitialisedRead, detail));
                }
                let ty = Ty::unsigned(8);
                let source = if is_input { Source::Outside } else { Source::Uninitialised };
                self.asked = self.memory.found(pointer).map(|found| (found.index, found.offset));
                let chosen = self.choose(context.oracle, ty, &source, context.asker);
                self.asked = None;
                self.memory.settle_byte(pointer, chosen? as u8)?;
                byte = self.memory.byte(pointer)?.0;
            }
            let part = u128::from(byte & mask);
            value |= if position == 0 { part >> bit } else { part << (position - u32::from(bit)) };
        }
        Ok(value)
    }
    pub(super) fn store_bits(&mut self, addr: u64, bit: u8, width: u8, value: u128) -> Result<(), Fault> {
        self.check_field(addr, bit, width)?;
        for (pointer, mask, position) in self.field(addr, bit, width) {
            let part = if position == 0 { value << bit } else { value >> (position - u32::from(bit)) };
            self.memory.write_bits(pointer, mask, part as u8)?;
        }
        Ok(())
    }
    pub(super) fn forget_bits(&mut self, addr: u64, bit: u8, width: u8) -> Result<(), Fault> {
        self.check_field(addr, bit, width)?;
        for (pointer, mask, _) in self.field(addr, bit, width) {
            let (byte, known) = self.memory.byte(pointer)?;
            self.memory.forget(pointer, 1)?;
            if known & !mask != 0 {
                self.memory.write_bits(pointer, known & !mask, byte)?;
            }
        }
        Ok(())
    }
    pub(super) fn elem_type(&self, var: VarId) -> Ty {
        match self.program.vars[var].storage {
            Storage::Array { elem, .. } => elem,
            Storage::Scalar(ty) => ty,
            Storage::Object { .. } => Ty::Ptr,
        }
    }
    #[cold]
    fn missing_elem(&self, var: VarId, index: u64, miss: Miss) -> Fault {
        let name = &self.program.vars[var].name;
        let length = self.view(&[]).length(var);
        match miss {
            Miss::OutOfBounds => Fault::undefined(
                UndefinedKind::ArrayBounds,
                format!("index {} of {name}, which has {length} elements", index as i64),
            ),
            Miss::Uninitialised => {
                Fault::undefined(UndefinedKind::UninitialisedRead, format!("{name}[{index}]"))
            }
        }
    }
    /// Reads an element of a narrow array, by the path that can fail.
    pub(super) fn load_elem(
        &mut self,
        array: u32,
        index: u64,
        context: &mut Context<'_>,
    ) -> Result<u64, Fault> {
        match self.arrays[array as usize].get(index) {
            Ok(value) => Ok(value),
            Err(Miss::Uninitialised)
                if self.policy() == Uninitialised::Choose || self.arrays[array as usize].is_input() =>
            {
                let var = self.code.array_vars[array as usize];
                let ty = self.elem_type(var);
                let source = unwritten(&self.arrays[array as usize]);
                let asker = Asker { element: Some((var, index)), ..context.asker };
                let bits = self.choose(context.oracle, ty, &source, asker)?;
                let value = match (ty, self.validity(&source)) {
                    (Ty::Ptr, Some(validity)) => self.memory.outside(validity, bits as u64)?,
                    _ => self.register(ty, bits),
                };
                self.store_elem(array, index, value)?;
                Ok(value)
            }
            Err(miss) => Err(self.missing_elem(self.code.array_vars[array as usize], index, miss)),
        }
    }
    /// Writes an element of a narrow array, by the path that can fail.
    pub(super) fn store_elem(&mut self, array: u32, index: u64, value: u64) -> Result<(), Fault> {
        match self.arrays[array as usize].set(index, value) {
            Ok(made) => self.memory.charge(made),
            Err(miss) => Err(self.missing_elem(self.code.array_vars[array as usize], index, miss)),
        }
    }
    pub(super) fn load_elem_wide(
        &mut self,
        array: u32,
        var: VarId,
        index: u64,
        context: &mut Context<'_>,
    ) -> Result<u128, Fault> {
        match self.wide_arrays[array as usize].get(index) {
            Ok(value) => Ok(value),
            Err(Miss::Uninitialised)
                if self.policy() == Uninitialised::Choose || self.wide_arrays[array as usize].is_input() =>
            {
                let ty = self.elem_type(var);
                let source = unwritten(&self.wide_arrays[array as usize]);
                let asker = Asker { element: Some((var, index)), ..context.asker };
                let bits = self.choose(context.oracle, ty, &source, asker)?;
                self.store_elem_wide(array, var, index, bits)?;
                Ok(bits)
            }
            Err(miss) => Err(self.missing_elem(var, index, miss)),
        }
    }
    pub(super) fn store_elem_wide(
        &mut self,
        array: u32,
        var: VarId,
        index: u64,
        value: u128,
    ) -> Result<(), Fault> {
        match self.wide_arrays[array as usize].set(index, value) {
            Ok(made) => self.memory.charge(made),
            Err(miss) => Err(self.missing_elem(var, index, miss)),
        }
    }
    pub(super) fn forget_elem(&mut self, var: VarId, index: u64) -> Result<(), Fault> {
        let VarPlace::Array { array, ty } = self.code.vars[var] else { return Ok(()) };
        let forgotten = if is_wide(ty) {
            self.wide_arrays[array as usize].forget(index)
        } else {
            self.arrays[array as usize].forget(index)
        };
        match forgotten {
            Ok(made) => self.memory.charge(made),
            Err(miss) => Err(self.missing_elem(var, index, miss)),
        }
    }
    /// Reads an element of an unbounded array.
    pub(super) fn load_map(
        &mut self,
        var: VarId,
        index: i128,
        context: &mut Context<'_>,
    ) -> Result<u128, Fault> {
        let VarPlace::Map { map, ty } = self.code.vars[var] else { return Ok(0) };
        if let Some(bits) = self.maps[map as usize].get(index) {
            return Ok(bits);
        }
        if self.policy() == Uninitialised::Report {
            let name = &self.program.vars[var].name;
            return Err(Fault::undefined(UndefinedKind::UninitialisedRead, format!("{name}[{index}]")));
        }
        let bits = self.choose(context.oracle, ty, &Source::Uninitialised, context.asker)?;
        self.store_map(var, index, bits)?;
        Ok(bits)
    }
    pub(super) fn store_map(&mut self, var: VarId, index: i128, bits: u128) -> Result<(), Fault> {
        let VarPlace::Map { map, .. } = self.code.vars[var] else { return Ok(()) };
        if self.maps[map as usize].set(index, bits) {
            self.memory.charge(ELEMENT)?;
        }
        Ok(())
    }
    /// The bits of an element of an array variable of any kind.
    pub(super) fn load_any(
        &mut self,
        var: VarId,
        index: i128,
        context: &mut Context<'_>,
    ) -> Result<u128, Fault> {
        let narrow = u64::try_from(index).unwrap_or(u64::MAX);
        match self.code.vars[var] {
            VarPlace::Map { .. } => self.load_map(var, index, context),
            VarPlace::Array { array, ty } if is_wide(ty) => self.load_elem_wide(array, var, narrow, context),
            VarPlace::Array { array, ty } => Ok(from_register(ty, self.load_elem(array, narrow, context)?)),
            VarPlace::Scalar(_) | VarPlace::Object { .. } => Ok(0),
        }
    }
    /// Writes an element of an array variable of any kind.
    pub(super) fn store_any(&mut self, var: VarId, index: i128, bits: u128) -> Result<(), Fault> {
        let narrow = u64::try_from(index).unwrap_or(u64::MAX);
        match self.code.vars[var] {
            VarPlace::Map { .. } => self.store_map(var, index, bits),
            VarPlace::Array { array, ty } if is_wide(ty) => self.store_elem_wide(array, var, narrow, bits),
            VarPlace::Array { array, ty } => self.store_elem(array, narrow, to_register(ty, bits)),
            VarPlace::Scalar(_) | VarPlace::Object { .. } => Ok(()),
        }
    }
}
