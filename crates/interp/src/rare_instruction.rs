//! Execution of rare instructions: those that need more operands or more work than the instruction loop should contain.
//!
//! # Invariants
//! * R1: every step can be repeated: nothing is changed before all arbitrary values that it needs are chosen, except
//!   that uninitialised memory which was given a value keeps it.

use std::io::Write;

use base::Region;

use super::Uninitialised;
use super::bytes::PAGE;
use super::call::reset_array;
use super::code::{Rare, Reg, VarPlace};
use super::eval::{Env, beyond, evaluate, fault, narrow_index, whole_index};
use super::float;
use super::machine::State;
use super::map::ELEMENT;
use super::memory::{NewObject, ObjectKind, Owner};
use super::ops::{self, Rules};
use super::oracle::{Calls, Chosen, Held, HeldObject, Oracle, Position, Request};
use super::outcome::{Fault, UndefinedKind};
use super::parts::Stored;
use super::printf;
use super::value::{Value, from_register, is_wide, to_register};
use cfa::expr::{Access, AddressTest, BinaryOp, ExprId};
use cfa::op::{AllocKind, Freedom, InitKind, Source};
use cfa::program::{ProcId, VarId};
use cfa::ty::{DataModel, Ty};

/// Alignment of heap and stack allocations, as `malloc` gives it.
const ALLOCATION_ALIGN: u64 = 16;

/// Who asks for an arbitrary value.
#[derive(Clone, Copy)]
pub(super) struct Asker {
    pub(super) region: Region,
    pub(super) at: Option<Position>,
    /// The element that is asked for.
    pub(super) element: Option<(VarId, u64)>,
}

/// What a step may use besides the state.
pub(super) struct Context<'a> {
    pub(super) oracle: &'a mut dyn Oracle,
    pub(super) output: &'a mut dyn Write,
    pub(super) asker: Asker,
}

impl State<'_> {
    fn rules(&self) -> Rules {
        Rules { model: self.program.data_model, overflow: self.program.signed_overflow }
    }
    /// The bits in a register of a type; of a pointer the register itself.
    pub(super) fn bits(&self, regs: &[u64], ty: Ty, reg: Reg) -> u128 {
        if is_wide(ty) { self.wide[reg as usize] } else { from_register(ty, regs[reg as usize]) }
    }
    pub(super) fn put(&mut self, regs: &mut [u64], ty: Ty, reg: Reg, bits: u128) {
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
        Asker { region, at, element }: Asker,
    ) -> Result<u128, Fault> {
        let forgotten = self.forgotten.clone().filter(|_| *source == Source::Uninitialised);
        let source = forgotten.as_ref().unwrap_or(source);
        let calls = Calls { frames: &self.frames, sites: &self.code.sites };
        let memory = self.asked.and_then(|place| self.creators.place(place));
        let request = Request { source, ty, region, at, calls, memory, element };
        let Some(choice) = oracle.choose(&request) else {
            return Err(Fault::OutOfInputs(self.users_place(region)));
        };
        self.memory.charge(size_of::<Chosen>() as u64)?;
        let mut value = choice.value(ty);
        if ty == Ty::Ptr {
            value.bits &= u128::MAX >> (128 - u32::from(self.program.data_model.pointer_width()));
        }
        let place = self.users_place(region);
        let held = self.asked.and_then(|(object, offset)| {
            let named = |var: VarId| HeldObject::Variable(self.program.vars[var].name.clone());
            let object = match self.memory.owner(object)? {
                Owner::Outside(number) => HeldObject::Outside(number),
                Owner::Variable(var) => named(var),
                Owner::Allocation => named(*self.allocated.get(&object)?),
            };
            Some(Held { object, offset })
        });
        self.choices.push(Chosen { value, source: source.clone(), region, place, at, held });
        Ok(value.bits)
    }
    /// A place in a model of a library function as the user sees it: the innermost call on the stack that is in the user's text.
    pub(super) fn users_place(&self, region: Region) -> Region {
        let sources = &self.program.sources;
        if region.is_nowhere() || sources.is_users(region) {
            return region;
        }
        let sites = self.frames.iter().rev().filter_map(|frame| frame.site);
        let mut places = sites.map(|site| self.code.sites[site as usize].region);
        places.find(|place| sources.is_users(*place)).unwrap_or(region)
    }
    pub(super) fn policy(&self) -> Uninitialised {
        self.code.options.uninitialised
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
            access @ (Rare::Load { .. }
            | Rare::Store { .. }
            | Rare::LoadBits { .. }
            | Rare::StoreBits { .. }
            | Rare::LoadMap { .. }
            | Rare::StoreMap { .. }
            | Rare::LoadElemWide { .. }
            | Rare::StoreElemWide { .. }) => self.access(regs, access, context)?,
            part @ (Rare::LoadPart { .. } | Rare::StorePart { .. }) => self.access(regs, part, context)?,
            test @ (Rare::Accessible { .. }
            | Rare::SameObject { .. }
            | Rare::Freeable { .. }
            | Rare::Test { .. }
            | Rare::Initialised { .. }
            | Rare::Bounded { .. }
            | Rare::Undefined
            | Rare::Unguarded) => self.test(regs, test)?,
            Rare::Lost { dst } => return Ok(self.note_lost(regs, *dst)),
            Rare::CheckLost => return self.check_lost(regs),
            Rare::Slow { expr, dst } => self.slow(regs, *expr, *dst, context)?,
            Rare::Choose { ty, source, at, dst } => {
                let region = if at.is_nowhere() { context.asker.region } else { *at };
                self.answer(regs, (*ty, *dst), source, Asker { region, ..context.asker }, context)?;
            }
            end @ (Rare::Exit { .. } | Rare::Abort | Rare::Overlap | Rare::Misuse) => {
                return Err(self.end(regs, end));
            }
            elements @ (Rare::CopyElems { .. } | Rare::FillElems { .. }) => {
                self.elements(regs, elements, context)?;
            }
            output @ Rare::Output { .. } => return self.output(regs, output, context),
            memory => {
                let cost = self.rare_memory(regs, memory, context.asker.region)?;
                self.track(regs, memory, context.asker.at);
                return Ok(cost);
            }
        }
        Ok(0)
    }
    /// How an execution ends where it is told to.
    fn end(&self, regs: &[u64], end: &Rare) -> Fault {
        match *end {
            Rare::Exit { ty, status } => Fault::Exit(ty.value_of(self.bits(regs, ty, status))),
            Rare::Overlap => {
                Fault::undefined(UndefinedKind::Overlap, "source and target have bytes in common")
            }
            Rare::Misuse => {
                Fault::undefined(UndefinedKind::Misuse, "what was promised to the compiler does not hold")
            }
            _ => Fault::Abort,
        }
    }
    /// An expression that the evaluator evaluates.
    fn slow(
        &mut self,
        regs: &mut [u64],
        expr: ExprId,
        dst: Reg,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        let program = self.program;
        let bits = evaluate(program, expr, &mut Running { state: self, regs, context })?;
        self.failed = None;
        self.put(regs, program.exprs.ty(expr), dst, bits);
        Ok(())
    }
    /// Tests of memory, and what is never defined.
    fn test(&mut self, regs: &mut [u64], test: &Rare) -> Result<(), Fault> {
        match *test {
            Rare::Accessible { dst, addr, length, ty, access } => {
                let length = ty.value_of(self.bits(regs, ty, length));
                let length = u64::try_from(length).unwrap_or(u64::MAX);
                let holds = self.memory.is_accessible(regs[addr as usize], length, access);
                regs[dst as usize] = u64::from(holds);
            }
            Rare::SameObject { dst, one, other } => {
                let holds = self.memory.is_same_object(regs[one as usize], regs[other as usize]);
                regs[dst as usize] = u64::from(holds);
            }
            Rare::Freeable { dst, addr } => {
                regs[dst as usize] = u64::from(self.memory.is_freeable(regs[addr as usize]));
            }
            Rare::Test { dst, addr, test } => {
                regs[dst as usize] = u64::from(self.memory.test(test, regs[addr as usize]));
            }
            Rare::Initialised { dst, addr, bit, ty } => {
                let holds = self.is_initialised(regs[addr as usize], bit, ty);
                regs[dst as usize] = u64::from(holds);
            }
            Rare::Bounded { index, ty, low, bound } => {
                let index = whole_index(ty, self.bits(regs, ty, index));
                if !(i128::from(low)..i128::from(bound)).contains(&index) {
                    let (kind, detail) = beyond(index, low, bound);
                    return Err(Fault::undefined(kind, detail));
                }
            }
            Rare::Unguarded => {
                return Err(Fault::Unsupported("a large expression that computes with addresses".to_owned()));
            }
            _ => return Err(Fault::undefined(UndefinedKind::BadAddress, String::new())),
        }
        Ok(())
    }
    /// Asks for a value and stores it.
    fn answer(
        &mut self,
        regs: &mut [u64],
        (ty, dst): (Ty, Reg),
        source: &Source,
        asker: Asker,
        context: &mut Context<'_>,
    ) -> Result<(), Fault> {
        let bits = self.choose(context.oracle, ty, source, asker)?;
        if is_wide(ty) {
            self.wide[dst as usize] = bits;
        } else if let (Ty::Ptr, Some(validity)) = (ty, self.validity(source)) {
            regs[dst as usize] = self.memory.outside(validity, bits as u64)?;
        } else {
            regs[dst as usize] = self.register(ty, bits);
        }
        Ok(())
    }
    /// Remembers which operation made an object.
    fn track(&mut self, regs: &[u64], instruction: &Rare, at: Option<Position>) {
        let (Some(at), true) = (at, self.creators.is_tracking()) else { return };
        let pointer = match *instruction {
            Rare::Malloc { dst, .. } | Rare::Realloc { dst, .. } => regs[dst as usize],
            Rare::Begin { var } | Rare::Init { var, contents: InitKind::Arbitrary } => {
                match self.code.vars[var] {
                    VarPlace::Object { reg } => regs[reg as usize],
                    _ => return,
                }
            }
            _ => return,
        };
        let Some(found) = self.memory.found(pointer) else { return };
        let calls = Calls { frames: &self.frames, sites: &self.code.sites }.positions().collect();
        self.creators.made(found.index, calls, at);
    }
    /// Formatted output; the cost grows with its length.
    fn output(
        &mut self,
        regs: &mut [u64],
        instruction: &Rare,
        context: &mut Context<'_>,
    ) -> Result<u32, Fault> {
        let Rare::Output { function, args, dst, is_used } = instruction else { return Ok(0) };
        let args: Vec<Value> =
            args.iter().map(|(ty, reg)| Value { ty: *ty, bits: self.bits(regs, *ty, *reg) }).collect();
        let text = printf::render(*function, &args, self.program.data_model, &mut |pointer, precision| {
            self.string(pointer, precision, context)
        })?;
        if *is_used && text.has_address {
            return Err(Fault::Unsupported("counting the characters of an address".to_owned()));
        }
        if context.output.write_all(&text.bytes).is_err() {
            return Err(Fault::Resource(super::Resource::Output));
        }
        regs[*dst as usize] = to_register(Ty::signed(32), text.result as u128);
        Ok(text.bytes.len() as u32 / 16)
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
        if let Ty::Float(kind) = ty
            && !op.is_comparison()
        {
            float::check_operands(kind, a, b)?;
        }
        let result = ops::binary(self.rules(), op, (ty, rhs_ty), a, b)
            .map_err(|kind| fault(kind, op, (ty, rhs_ty), a, b))?;
        let result_ty = if op.is_comparison() { Ty::BOOL } else { ty };
        self.put(regs, result_ty, dst, result);
        Ok(())
    }
    /// The operations on memory and lifetimes.
    fn rare_memory(&mut self, regs: &mut [u64], rare: &Rare, region: Region) -> Result<u32, Fault> {
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
                self.note_allocation(region);
                regs[dst as usize] = self.malloc(size, kind, contents)?;
                self.note_input(regs[dst as usize], dst, contents);
                touched = size.min(PAGE as u64);
            }
            Rare::Realloc { dst, old, ty, size } => {
                let (old, size) = (regs[old as usize], self.size(regs, ty, size)?);
                self.note_allocation(region);
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
            Rare::Release { addr } => self.end_local(regs[addr as usize]),
            Rare::Copy { to, from, ty, length, stored } => {
                touched = self.length(regs, ty, length);
                self.memory.copy(regs[to as usize], regs[from as usize], touched, stored)?;
            }
            Rare::Cut { to, ty, length } => {
                self.memory.cut(regs[to as usize], self.size(regs, ty, length)?);
            }
            Rare::Fill { to, byte, ty, length } => {
                touched = self.length(regs, ty, length);
                self.memory.fill(regs[to as usize], touched, regs[byte as usize] as u8)?;
            }
            Rare::Forget { to, ty, length, ref source } => {
                // A function without body gives values only where there are none: those bytes stay as they are, and what is read there is chosen.
                if let Source::Extern { function } = source {
                    let (function, freedom) = (function.clone(), Freedom::Determined);
                    self.note_forgotten(&Source::Library { function, freedom });
                } else {
                    touched = self.memory.forget_within(regs[to as usize], self.size(regs, ty, length)?)?;
                    self.note_forgotten(source);
                }
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
            VarPlace::Map { map, .. } => {
                let count = self.maps[map as usize].reset(contents) as u64;
                self.memory.refund(count * ELEMENT);
                Ok(count)
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
            VarPlace::Map { .. } | VarPlace::Scalar(_) | VarPlace::Object { .. } => Ok(()),
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
    /// Remembers which variable gets the address of an object that is an input.
    fn note_input(&mut self, pointer: u64, dst: Reg, contents: InitKind) {
        if contents != InitKind::Arbitrary {
            return;
        }
        let is_it = |var: &VarId| matches!(self.code.vars[*var], VarPlace::Scalar(slot) if slot.reg == dst);
        let var = self.program.vars.ids().find(is_it);
        if let (Some(var), Some(found)) = (var, self.memory.found(pointer)) {
            self.allocated.insert(found.index, var);
        }
    }
    fn realloc(&mut self, old: u64, size: u64) -> Result<u64, Fault> {
        if self.memory.address(old) == 0 {
            return self.malloc(size, AllocKind::Heap, InitKind::Uninitialised);
        }
        self.memory.check_free(old)?;
        let pointer = self.malloc(size, AllocKind::Heap, InitKind::Uninitialised)?;
        let kept = self.memory.size_of(old).min(size);
        self.memory.copy(pointer, old, kept, Stored::Pointers)?;
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
            if self.memory.has_parts(at, 1) {
                return Err(Fault::Unsupported("reading a part of a pointer".to_owned()));
            }
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
    fn elem(&mut self, var: VarId, index: i128, ty: Ty) -> Result<u128, Fault> {
        let whole = index;
        let index = u64::try_from(index).unwrap_or(u64::MAX);
        match self.state.code.vars[var] {
            VarPlace::Map { .. } => self.state.load_map(var, whole, self.context),
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
    fn accessible(&mut self, addr: u64, length: u64, access: Access) -> Result<u128, Fault> {
        Ok(u128::from(self.state.memory.is_accessible(addr, length, access)))
    }
    fn same_object(&mut self, one: u64, other: u64) -> Result<u128, Fault> {
        Ok(u128::from(self.state.memory.is_same_object(one, other)))
    }
    fn freeable(&mut self, addr: u64) -> Result<u128, Fault> {
        Ok(u128::from(self.state.memory.is_freeable(addr)))
    }
    fn test(&mut self, test: AddressTest, addr: u64) -> Result<u128, Fault> {
        Ok(u128::from(self.state.memory.test(test, addr)))
    }
    fn initialised(&mut self, addr: u64, bit: Option<u8>, ty: Ty) -> Result<u128, Fault> {
        Ok(u128::from(self.state.is_initialised(addr, bit, ty)))
    }
    fn lost(&mut self) -> Result<u128, Fault> {
        Ok(u128::from(self.state.lost(self.regs).0.is_some()))
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
    fn pointer_add(&mut self, pointer: u64, amount: u64) -> Result<u64, Fault> {
        self.state.memory.add(pointer, amount)
    }
    fn undefined(kind: UndefinedKind, detail: String) -> Fault {
        Fault::undefined(kind, detail)
    }
    fn failed(&mut self, expr: ExprId) {
        self.state.failed = Some(expr);
    }
}
