//! What is too rare or too long for an instruction of its own.
//!
//! # Invariants
//! * R1: every step can be repeated: nothing is changed before all arbitrary values that it needs are chosen, except
//!   that uninitialised memory which was given a value keeps it.

use std::io::Write;

use base::Region;

use super::Uninitialised;
use super::array::Miss;
use super::bytes::PAGE;
use super::call::reset_array;
use super::code::{Rare, Reg, VarPlace};
use super::eval::{Env, evaluate, fault, narrow_index};
use super::machine::State;
use super::memory::{NewObject, ObjectKind};
use super::ops::{self, Rules};
use super::oracle::{Chosen, Oracle, Request};
use super::outcome::{Fault, UndefinedKind};
use super::printf;
use super::value::{Value, from_register, is_wide, to_register};
use crate::expr::BinaryOp;
use crate::op::{AllocKind, InitKind, Source};
use crate::program::{ProcId, Storage, VarId};
use crate::ty::{DataModel, FloatKind, Ty};

/// Alignment of heap and stack allocations, as `malloc` gives it.
const ALLOCATION_ALIGN: u64 = 16;

/// What a step may use besides the state.
pub(super) struct Context<'a> {
    pub(super) oracle: &'a mut dyn Oracle,
    pub(super) output: &'a mut dyn Write,
    pub(super) region: Region,
}

/// Bytes that hold the value of a type; the rest of its size is padding.
fn value_bytes(ty: Ty, model: DataModel) -> usize {
    match ty {
        Ty::Float(FloatKind::Extended) => 10,
        Ty::Int { .. } | Ty::Float(_) | Ty::Ptr => ty.size(model) as usize,
    }
}

impl State<'_> {
    fn rules(&self) -> Rules {
        Rules { model: self.program.data_model, overflow: self.program.signed_overflow }
    }
    /// The bits in a register of a type; of a pointer the register itself.
    fn bits(&self, regs: &[u64], ty: Ty, reg: Reg) -> u128 {
        if is_wide(ty) { self.wide[reg as usize] } else { from_register(ty, regs[reg as usize]) }
    }
    fn put(&mut self, regs: &mut [u64], ty: Ty, reg: Reg, bits: u128) {
        if is_wide(ty) {
            self.wide[reg as usize] = bits;
        } else {
            regs[reg as usize] = to_register(ty, bits);
        }
    }
    /// Asks for an arbitrary value and records it; its bits, of a pointer the address.
    pub(super) fn choose(
        &mut self,
        oracle: &mut dyn Oracle,
        ty: Ty,
        source: &Source,
        region: Region,
    ) -> Result<u128, Fault> {
        let Some(choice) = oracle.choose(&Request { source, ty, region }) else {
            return Err(Fault::OutOfInputs(region));
        };
        self.memory.charge(size_of::<Chosen>() as u64)?;
        let mut value = choice.value(ty);
        if ty == Ty::Ptr {
            value.bits &= u128::MAX >> (128 - u32::from(self.program.data_model.pointer_width()));
        }
        self.choices.push(Chosen { value, source: source.clone(), region });
        Ok(value.bits)
    }
    fn policy(&self) -> Uninitialised {
        self.code.options.uninitialised
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
        let bits = self.choose(context.oracle, slot.ty, &Source::Uninitialised, context.region)?;
        if is_wide(slot.ty) {
            self.wide[slot.reg as usize] = bits;
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
    /// Reads a value of any type; the bits, of a pointer the register.
    #[cold]
    pub(super) fn load(&mut self, addr: u64, ty: Ty, context: &mut Context<'_>) -> Result<u128, Fault> {
        let model = self.program.data_model;
        self.memory.check(addr, ty.size(model))?;
        let mut buffer = [0; 16];
        let bytes = value_bytes(ty, model);
        if let Some(missing) = self.memory.read(addr, &mut buffer[..bytes])? {
            if self.policy() == Uninitialised::Report {
                let detail = format!("byte {missing} of a {ty} at {:#x}", self.memory.address(addr));
                return Err(Fault::undefined(UndefinedKind::UninitialisedRead, detail));
            }
            self.complete(addr, ty, bytes, context)?;
            self.memory.read(addr, &mut buffer[..bytes])?;
        }
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
        if untouched {
            let bits = self.choose(context.oracle, ty, &Source::Uninitialised, context.region)?;
            let stored = match ty {
                Ty::Int { .. } => ty.value_of(bits) as u128,
                Ty::Float(_) | Ty::Ptr => bits,
            };
            return self.memory.write_anyway(addr, &stored.to_le_bytes()[..bytes]);
        }
        for at in 0..bytes {
            if self.memory.byte(offset(at))?.1 != 0xff {
                let ty = Ty::unsigned(8);
                let byte = self.choose(context.oracle, ty, &Source::Uninitialised, context.region)?;
                self.memory.settle_byte(offset(at), byte as u8)?;
            }
        }
        Ok(())
    }
    /// Writes a value of any type.
    fn store(&mut self, addr: u64, ty: Ty, bits: u128) -> Result<(), Fault> {
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
    fn load_bits(&mut self, addr: u64, bit: u8, ty: Ty, context: &mut Context<'_>) -> Result<u128, Fault> {
        let width = ty.width(self.program.data_model);
        self.check_field(addr, bit, width)?;
        let mut value = 0;
        for (pointer, mask, position) in self.field(addr, bit, width) {
            let (mut byte, known) = self.memory.byte(pointer)?;
            if known & mask != mask {
                if self.policy() == Uninitialised::Report {
                    let detail = format!("a bit-field at {:#x}", self.memory.address(addr));
                    return Err(Fault::undefined(UndefinedKind::UninitialisedRead, detail));
                }
                let ty = Ty::unsigned(8);
                let chosen = self.choose(context.oracle, ty, &Source::Uninitialised, context.region)?;
                self.memory.settle_byte(pointer, chosen as u8)?;
                byte = self.memory.byte(pointer)?.0;
            }
            let part = u128::from(byte & mask);
            value |= if position == 0 { part >> bit } else { part << (position - u32::from(bit)) };
        }
        Ok(value)
    }
    fn store_bits(&mut self, addr: u64, bit: u8, width: u8, value: u128) -> Result<(), Fault> {
        self.check_field(addr, bit, width)?;
        for (pointer, mask, position) in self.field(addr, bit, width) {
            let part = if position == 0 { value << bit } else { value >> (position - u32::from(bit)) };
            self.memory.write_bits(pointer, mask, part as u8)?;
        }
        Ok(())
    }
    fn forget_bits(&mut self, addr: u64, bit: u8, width: u8) -> Result<(), Fault> {
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
    fn elem_type(&self, var: VarId) -> Ty {
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
            Err(Miss::Uninitialised) if self.policy() == Uninitialised::Choose => {
                let ty = self.elem_type(self.code.array_vars[array as usize]);
                let bits = self.choose(context.oracle, ty, &Source::Uninitialised, context.region)?;
                let value = self.register(ty, bits);
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
    fn load_elem_wide(
        &mut self,
        array: u32,
        var: VarId,
        index: u64,
        context: &mut Context<'_>,
    ) -> Result<u128, Fault> {
        match self.wide_arrays[array as usize].get(index) {
            Ok(value) => Ok(value),
            Err(Miss::Uninitialised) if self.policy() == Uninitialised::Choose => {
                let ty = self.elem_type(var);
                let bits = self.choose(context.oracle, ty, &Source::Uninitialised, context.region)?;
                self.store_elem_wide(array, var, index, bits)?;
                Ok(bits)
            }
            Err(miss) => Err(self.missing_elem(var, index, miss)),
        }
    }
    fn store_elem_wide(&mut self, array: u32, var: VarId, index: u64, value: u128) -> Result<(), Fault> {
        match self.wide_arrays[array as usize].set(index, value) {
            Ok(made) => self.memory.charge(made),
            Err(miss) => Err(self.missing_elem(var, index, miss)),
        }
    }
    fn forget_elem(&mut self, var: VarId, index: u64) -> Result<(), Fault> {
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
    /// Performs a rare instruction; what it costs beyond the usual is returned.
    pub(super) fn rare(
        &mut self,
        regs: &mut [u64],
        index: u32,
        context: &mut Context<'_>,
    ) -> Result<u32, Fault> {
        let code = self.code;
        match &code.rares[index as usize] {
            Rare::Binary { op, ty, rhs_ty, dst, a, b } => {
                self.binary(regs, *op, (*ty, *rhs_ty), *dst, (*a, *b))?;
            }
            Rare::Cast { from, to, dst, src } => {
                let bits = self.bits(regs, *from, *src);
                let result = ops::cast(self.program.data_model, *from, *to, bits).map_err(|kind| {
                    Fault::undefined(kind, format!("{} as {to}", Value { ty: *from, bits }))
                })?;
                self.put(regs, *to, *dst, result);
            }
            Rare::NarrowIndex { ty, dst, src } => {
                regs[*dst as usize] = narrow_index(*ty, self.wide[*src as usize]);
            }
            Rare::Load { ty, dst, addr } => {
                let bits = self.load(regs[*addr as usize], *ty, context)?;
                self.put(regs, *ty, *dst, bits);
            }
            Rare::Store { ty, addr, src } => {
                let bits = self.bits(regs, *ty, *src);
                self.store(regs[*addr as usize], *ty, bits)?;
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
            Rare::Slow { expr, dst } => {
                let program = self.program;
                let bits = evaluate(program, *expr, &mut Running { state: self, regs, context })?;
                self.put(regs, program.exprs.ty(*expr), *dst, bits);
            }
            Rare::Choose { ty, source, at, dst } => {
                let at = if at.is_nowhere() { context.region } else { *at };
                let bits = self.choose(context.oracle, *ty, source, at)?;
                if is_wide(*ty) {
                    self.wide[*dst as usize] = bits;
                } else {
                    regs[*dst as usize] = self.register(*ty, bits);
                }
            }
            Rare::Exit { ty, status } => {
                return Err(Fault::Exit(ty.value_of(self.bits(regs, *ty, *status))));
            }
            Rare::Abort => return Err(Fault::Abort),
            Rare::Output { function, args, dst } => {
                let args: Vec<Value> = args
                    .iter()
                    .map(|(ty, reg)| Value { ty: *ty, bits: self.bits(regs, *ty, *reg) })
                    .collect();
                let text =
                    printf::render(*function, &args, self.program.data_model, &mut |pointer, precision| {
                        self.string(pointer, precision, context)
                    })?;
                if context.output.write_all(&text.bytes).is_err() {
                    return Err(Fault::Resource(super::Resource::Output));
                }
                regs[*dst as usize] = to_register(Ty::signed(32), text.result as u128);
                return Ok(text.bytes.len() as u32 / 16);
            }
            memory => return self.rare_memory(regs, memory),
        }
        Ok(0)
    }
    fn binary(
        &mut self,
        regs: &mut [u64],
        op: BinaryOp,
        (ty, rhs_ty): (Ty, Ty),
        dst: Reg,
        (a, b): (Reg, Reg),
    ) -> Result<(), Fault> {
        let (a, b) = (self.bits(regs, ty, a), self.bits(regs, rhs_ty, b));
        let result = ops::binary(self.rules(), op, (ty, rhs_ty), a, b)
            .map_err(|kind| fault(kind, op, (ty, rhs_ty), a, b))?;
        let result_ty = if op.is_comparison() { Ty::BOOL } else { ty };
        self.put(regs, result_ty, dst, result);
        Ok(())
    }
    /// The operations on memory and lifetimes.
    fn rare_memory(&mut self, regs: &mut [u64], rare: &Rare) -> Result<u32, Fault> {
        let mut touched = 0;
        match *rare {
            Rare::ForgetElem { var, index } => self.forget_elem(var, regs[index as usize])?,
            Rare::ForgetMem { addr, size } => self.memory.forget(regs[addr as usize], size)?,
            Rare::ForgetBits { addr, bit, width } => self.forget_bits(regs[addr as usize], bit, width)?,
            Rare::Init { var, contents } => touched = self.init(regs, var, contents)?,
            Rare::Allocate { var, ty, length } => self.allocate(regs, var, ty, length)?,
            Rare::Begin { var } => self.begin_object(regs, var)?,
            Rare::End { var } => self.end_object(regs, var),
            Rare::Malloc { dst, ty, size, kind, contents } => {
                let size = self.size(regs, ty, size)?;
                regs[dst as usize] = self.malloc(size, kind, contents)?;
                touched = size.min(PAGE as u64);
            }
            Rare::Realloc { dst, old, ty, size } => {
                let (old, size) = (regs[old as usize], self.size(regs, ty, size)?);
                regs[dst as usize] = self.realloc(old, size)?;
                touched = size;
            }
            Rare::Free { addr } => {
                let pointer = regs[addr as usize];
                if self.memory.address(pointer) != 0 {
                    self.memory.check_free(pointer)?;
                    self.memory.kill(pointer);
                }
            }
            Rare::Copy { to, from, ty, length } => {
                touched = self.size(regs, ty, length)?;
                self.memory.copy(regs[to as usize], regs[from as usize], touched)?;
            }
            Rare::Fill { to, byte, ty, length } => {
                touched = self.size(regs, ty, length)?;
                self.memory.fill(regs[to as usize], touched, regs[byte as usize] as u8)?;
            }
            Rare::Write { to, ref bytes } => {
                touched = bytes.len() as u64;
                self.memory.write_anyway(regs[to as usize], bytes)?;
            }
            _ => {}
        }
        Ok(u32::try_from(touched / 64).unwrap_or(u32::MAX))
    }
    fn init(&mut self, regs: &[u64], var: VarId, contents: InitKind) -> Result<u64, Fault> {
        match self.code.vars[var] {
            VarPlace::Array { array, ty } if is_wide(ty) => {
                let array = &mut self.wide_arrays[array as usize];
                let length = array.len();
                reset_array(array, &mut self.memory, length, contents)?;
                Ok(length * 16)
            }
            VarPlace::Array { array, .. } => {
                let array = &mut self.arrays[array as usize];
                let length = array.len();
                reset_array(array, &mut self.memory, length, contents)?;
                Ok(length * 8)
            }
            VarPlace::Object { reg } => {
                let pointer = regs[reg as usize];
                self.memory.renew(pointer, contents)?;
                Ok(self.memory.size_of(pointer))
            }
            VarPlace::Scalar(_) => Ok(0),
        }
    }
    fn allocate(&mut self, regs: &[u64], var: VarId, ty: Ty, length: Reg) -> Result<(), Fault> {
        let wanted = ty.value_of(self.bits(regs, ty, length));
        if ty.is_signed() && wanted < 0 {
            let name = &self.program.vars[var].name;
            return Err(Fault::undefined(
                UndefinedKind::ArrayLength,
                format!("{name} with {wanted} elements"),
            ));
        }
        let length = self.size(regs, ty, length)?;
        match self.code.vars[var] {
            VarPlace::Array { array, ty } if is_wide(ty) => {
                let array = &mut self.wide_arrays[array as usize];
                reset_array(array, &mut self.memory, length, InitKind::Uninitialised)
            }
            VarPlace::Array { array, .. } => {
                let array = &mut self.arrays[array as usize];
                reset_array(array, &mut self.memory, length, InitKind::Uninitialised)
            }
            VarPlace::Scalar(_) | VarPlace::Object { .. } => Ok(()),
        }
    }
    fn malloc(&mut self, size: u64, kind: AllocKind, contents: InitKind) -> Result<u64, Fault> {
        self.allocations = self.allocations.wrapping_add(1);
        let (origin, align, read_only) = (self.allocations, ALLOCATION_ALIGN, false);
        let kind = match kind {
            AllocKind::Heap => ObjectKind::Heap,
            AllocKind::Stack => ObjectKind::Stack,
        };
        let pointer = self.memory.create(NewObject { kind, size, align, read_only, contents, origin })?;
        if kind == ObjectKind::Stack {
            self.locals.push(pointer);
        }
        Ok(pointer)
    }
    fn realloc(&mut self, old: u64, size: u64) -> Result<u64, Fault> {
        if self.memory.address(old) == 0 {
            return self.malloc(size, AllocKind::Heap, InitKind::Uninitialised);
        }
        self.memory.check_free(old)?;
        let pointer = self.malloc(size, AllocKind::Heap, InitKind::Uninitialised)?;
        let kept = self.memory.size_of(old).min(size);
        self.memory.copy(pointer, old, kept)?;
        self.memory.kill(old);
        Ok(pointer)
    }
    /// A string in memory, without its final zero, of at most `limit` bytes.
    fn string(
        &mut self,
        pointer: u64,
        limit: Option<usize>,
        context: &mut Context<'_>,
    ) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        while limit.is_none_or(|limit| bytes.len() < limit) {
            let at = match self.program.data_model {
                DataModel::Lp64 => pointer.wrapping_add(bytes.len() as u64),
                DataModel::Ilp32 => ops::pointer_add32(pointer, bytes.len() as u64),
            };
            let byte = match self.memory.load_plain(at, 1) {
                Some(byte) => byte as u8,
                None => self.load(at, Ty::unsigned(8), context)? as u8,
            };
            if byte == 0 {
                break;
            }
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

/// The environment of the evaluator in a running machine.
struct Running<'a, 'p, 'c> {
    state: &'a mut State<'p>,
    regs: &'a mut [u64],
    context: &'a mut Context<'c>,
}

impl Env for Running<'_, '_, '_> {
    type Error = Fault;
    fn var(&mut self, var: VarId, ty: Ty) -> Result<u128, Fault> {
        let VarPlace::Scalar(slot) = self.state.code.vars[var] else { return Ok(0) };
        if slot.flag.is_some_and(|flag| self.regs[flag as usize] == 0) {
            self.state.uninitialised(self.regs, var, self.context)?;
        }
        Ok(self.state.bits(self.regs, ty, slot.reg))
    }
    fn elem(&mut self, var: VarId, index: u64, ty: Ty) -> Result<u128, Fault> {
        match self.state.code.vars[var] {
            VarPlace::Array { array, .. } if is_wide(ty) => {
                self.state.load_elem_wide(array, var, index, self.context)
            }
            VarPlace::Array { array, .. } => {
                self.state.load_elem(array, index, self.context).map(|value| from_register(ty, value))
            }
            VarPlace::Scalar(_) | VarPlace::Object { .. } => Ok(0),
        }
    }
    fn load(&mut self, addr: u64, ty: Ty) -> Result<u128, Fault> {
        self.state.load(addr, ty, self.context)
    }
    fn load_bits(&mut self, addr: u64, bit: u8, ty: Ty) -> Result<u128, Fault> {
        self.state.load_bits(addr, bit, ty, self.context)
    }
    fn address(&mut self, var: VarId) -> Result<u64, Fault> {
        let VarPlace::Object { reg } = self.state.code.vars[var] else { return Ok(0) };
        let pointer = self.regs[reg as usize];
        if pointer == 0 {
            self.state.not_begun(var)?;
        }
        Ok(pointer)
    }
    fn function(&mut self, proc: ProcId) -> Result<u64, Fault> {
        let mut regs = self.state.code.function_regs.iter();
        Ok(regs.find(|(_, other)| *other == proc).map_or(0, |(reg, _)| self.regs[*reg as usize]))
    }
    fn pointer(&mut self, address: u64) -> u64 {
        self.state.memory.pointer_to(address)
    }
    fn undefined(kind: UndefinedKind, detail: String) -> Fault {
        Fault::undefined(kind, detail)
    }
}
