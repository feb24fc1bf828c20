//! Calls, returns and the lifetimes that go with them.
//!
//! # Invariants
//! * F1: the registers of a procedure belong to its innermost activation; those of the outer ones are in `saved`, innermost last.
//! * F2: `locals` has the live objects of all activations, those of inner frames behind those of outer ones.

use super::array::{Array, MAX_LENGTH};
use super::code::{Code, ProcCode, Slot, Target, VarPlace};
use super::machine::{Frame, State};
use super::memory::{Memory, NewObject, ObjectKind};
use super::oracle::Oracle;
use super::outcome::{Fault, Resource, UndefinedKind};
use super::rare_instruction::Asker;
use super::value::is_wide;
use super::{LastCalls, Uninitialised};
use base::{Idx, Region};
use cfa::op::{InitKind, Source};
use cfa::program::{ProcId, Storage, VarId};

/// Gives an array a length and new contents, and accounts for its memory.
pub(super) fn reset_array<T: Copy + Default>(
    array: &mut Array<T>,
    memory: &mut Memory,
    length: u64,
    contents: InitKind,
) -> Result<(), Fault> {
    if length > MAX_LENGTH {
        return Err(Fault::Resource(Resource::ObjectSize));
    }
    memory.refund(array.taken());
    let charged = memory.charge(Array::<T>::footprint(length));
    if charged.is_err() {
        memory.refund(Array::<T>::footprint(length));
        *array = Array::default();
        return charged;
    }
    array.reset(length, contents);
    Ok(())
}

impl State<'_> {
    /// Performs the call of a site; the first instruction of the procedure that is entered is returned.
    pub(super) fn call(&mut self, regs: &mut [u64], number: u32) -> Result<u32, Fault> {
        let code: &Code = self.code;
        let site = &code.sites[number as usize];
        let proc = match &site.target {
            Target::Direct(proc) => *proc,
            Target::Indirect { pointer, targets } => self.target(regs[*pointer as usize], targets)?,
        };
        let callee = &code.procs[proc];
        if callee.params.len() != site.args.len() {
            let detail = format!("{} arguments for {} parameters", site.args.len(), callee.params.len());
            return Err(Fault::undefined(UndefinedKind::BadFunctionPointer, detail));
        }
        if site.is_last && self.is_replaceable() {
            self.replace(regs, proc, number)?;
            return Ok(callee.locations[self.program.procs[proc].entry.index()]);
        }
        if self.frames.len() >= self.config.call_depth {
            return Err(Fault::Resource(Resource::CallDepth));
        }
        if self.active[proc.index()] == 0 {
            self.activate(regs, proc, Some(number))?;
            for (arg, param) in site.args.iter().zip(&callee.params) {
                let value = self.slot_value(regs, arg);
                self.pass(regs, param, value);
            }
        } else {
            // The arguments may be registers that the new activation takes over.
            let values: Vec<_> = site.args.iter().map(|arg| self.slot_value(regs, arg)).collect();
            self.activate(regs, proc, Some(number))?;
            for (value, param) in values.into_iter().zip(&callee.params) {
                self.pass(regs, param, value);
            }
        }
        Ok(callee.locations[self.program.procs[proc].entry.index()])
    }
    /// Whether the present activation may end before its last call returns: nothing that it owns may be needed by then.
    pub(super) fn is_replaceable(&self) -> bool {
        let owns_nothing = self.frames.last().is_some_and(|frame| frame.locals == self.locals.len());
        self.last_calls == LastCalls::Replaced && owns_nothing
    }
    /// Lets an activation of a procedure take the place of the present one.
    fn replace(&mut self, regs: &mut [u64], proc: ProcId, number: u32) -> Result<(), Fault> {
        let code: &Code = self.code;
        let values: Vec<_> =
            code.sites[number as usize].args.iter().map(|arg| self.slot_value(regs, arg)).collect();
        let Some(old) = self.frames.pop() else { return Ok(()) };
        self.active[old.proc.index()] -= 1;
        if old.saved {
            self.restore(regs, &code.procs[old.proc]);
        }
        self.activate(regs, proc, old.site)?;
        if let Some(frame) = self.frames.last_mut() {
            (frame.called, frame.replaced) = (Some(number), old.replaced.saturating_add(1));
        }
        for (value, param) in values.into_iter().zip(&code.procs[proc].params) {
            self.pass(regs, param, value);
        }
        Ok(())
    }
    fn target(&self, pointer: u64, targets: &[ProcId]) -> Result<ProcId, Fault> {
        let address = self.memory.address(pointer);
        let Some(proc) = self.memory.procedure(pointer).map(ProcId) else {
            let detail = format!("address {address:#x} is that of no procedure");
            return Err(Fault::undefined(UndefinedKind::BadFunctionPointer, detail));
        };
        if targets.contains(&proc) {
            return Ok(proc);
        }
        let detail = format!("{} may not be called here", self.program.procs[proc].name);
        Err(Fault::undefined(UndefinedKind::BadFunctionPointer, detail))
    }
    /// The value of a slot, and whether it has one.
    fn slot_value(&self, regs: &[u64], slot: &Slot) -> (u128, bool) {
        let has_value = slot.flag.is_none_or(|flag| regs[flag as usize] != 0);
        let value =
            if is_wide(slot.ty) { self.wide[slot.reg as usize] } else { u128::from(regs[slot.reg as usize]) };
        (value, has_value)
    }
    fn pass(&mut self, regs: &mut [u64], slot: &Slot, (value, has_value): (u128, bool)) {
        if is_wide(slot.ty) {
            self.wide[slot.reg as usize] = value;
        } else {
            regs[slot.reg as usize] = value as u64;
        }
        if let Some(flag) = slot.flag {
            regs[flag as usize] = u64::from(has_value);
        }
    }
    /// Makes a new activation of a procedure (F1).
    pub(super) fn activate(
        &mut self,
        regs: &mut [u64],
        proc: ProcId,
        site: Option<u32>,
    ) -> Result<(), Fault> {
        let callee: &ProcCode = &self.code.procs[proc];
        let saved = self.active[proc.index()] > 0;
        if saved {
            self.save(regs, callee)?;
        }
        regs[callee.cleared.start as usize..callee.cleared.end as usize].fill(0);
        for (array, length) in callee.arrays.clone().zip(&callee.lengths) {
            let array = &mut self.arrays[array as usize];
            reset_array(array, &mut self.memory, *length, InitKind::Uninitialised)?;
        }
        for (array, length) in callee.wide_arrays.clone().zip(&callee.wide_lengths) {
            let array = &mut self.wide_arrays[array as usize];
            reset_array(array, &mut self.memory, *length, InitKind::Uninitialised)?;
        }
        self.active[proc.index()] += 1;
        let (locals, number) = (self.locals.len(), self.calls);
        self.frames.push(Frame { proc, site, called: site, replaced: 0, saved, locals, number });
        self.calls += 1;
        Ok(())
    }
    fn footprint(callee: &ProcCode) -> u64 {
        let arrays = callee.arrays.len() * size_of::<Array<u64>>();
        let wide_arrays = callee.wide_arrays.len() * size_of::<Array<u128>>();
        (callee.regs.len() * 8 + callee.wide.len() * 16 + arrays + wide_arrays) as u64
    }
    fn save(&mut self, regs: &[u64], callee: &ProcCode) -> Result<(), Fault> {
        self.memory.charge(Self::footprint(callee))?;
        self.saved.regs.extend_from_slice(&regs[callee.regs.start as usize..callee.regs.end as usize]);
        let wide = callee.wide.start as usize..callee.wide.end as usize;
        self.saved.wide.extend_from_slice(&self.wide[wide]);
        for array in callee.arrays.clone() {
            self.saved.arrays.push(std::mem::take(&mut self.arrays[array as usize]));
        }
        for array in callee.wide_arrays.clone() {
            self.saved.wide_arrays.push(std::mem::take(&mut self.wide_arrays[array as usize]));
        }
        Ok(())
    }
    fn restore(&mut self, regs: &mut [u64], callee: &ProcCode) {
        self.memory.refund(Self::footprint(callee));
        let from = self.saved.regs.len() - callee.regs.len();
        regs[callee.regs.start as usize..callee.regs.end as usize].copy_from_slice(&self.saved.regs[from..]);
        self.saved.regs.truncate(from);
        let from = self.saved.wide.len() - callee.wide.len();
        let wide = callee.wide.start as usize..callee.wide.end as usize;
        self.wide[wide].copy_from_slice(&self.saved.wide[from..]);
        self.saved.wide.truncate(from);
        let from = self.saved.arrays.len() - callee.arrays.len();
        for (array, saved) in callee.arrays.clone().zip(self.saved.arrays.drain(from..)) {
            self.memory.refund(self.arrays[array as usize].taken());
            self.arrays[array as usize] = saved;
        }
        let from = self.saved.wide_arrays.len() - callee.wide_arrays.len();
        for (array, saved) in callee.wide_arrays.clone().zip(self.saved.wide_arrays.drain(from..)) {
            self.memory.refund(self.wide_arrays[array as usize].taken());
            self.wide_arrays[array as usize] = saved;
        }
    }
    /// Returns from a procedure; the next instruction, or `None` if there is no caller.
    pub(super) fn leave(
        &mut self,
        regs: &mut [u64],
        proc: ProcId,
        oracle: &mut dyn Oracle,
        region: Region,
    ) -> Result<Option<u32>, Fault> {
        let code: &Code = self.code;
        let callee = &code.procs[proc];
        let Some(frame) = self.frames.last().copied() else { return Ok(None) };
        let site = frame.site.map(|site| &code.sites[site as usize]);
        // Asked for before anything changes, so that a run without input can be resumed here. Where lack of a value is
        // reported, it is passed on instead: returning a struct is no use of its parts.
        if self.code.options.uninitialised == Uninitialised::Choose {
            for (result, place) in callee.results.iter().zip(site.iter().flat_map(|site| &site.results)) {
                if place.is_some() {
                    self.choose_result(regs, result, oracle, region)?;
                }
            }
        }
        let values: [(u128, bool); 4];
        let many: Vec<(u128, bool)>;
        let results = if callee.results.len() <= 4 {
            values = std::array::from_fn(|index| {
                callee.results.get(index).map_or((0, false), |result| self.slot_value(regs, result))
            });
            &values[..callee.results.len()]
        } else {
            many = callee.results.iter().map(|result| self.slot_value(regs, result)).collect();
            &many[..]
        };
        self.frames.pop();
        self.active[proc.index()] -= 1;
        while self.locals.len() > frame.locals {
            if let Some(object) = self.locals.pop() {
                self.memory.kill(object);
            }
        }
        if frame.saved {
            self.restore(regs, callee);
        }
        let Some(site) = site else { return Ok(None) };
        for (value, place) in results.iter().zip(&site.results) {
            if let Some(place) = place {
                self.pass(regs, place, *value);
            }
        }
        Ok(Some(site.next))
    }
    /// Gives a result that the caller uses a value.
    fn choose_result(
        &mut self,
        regs: &mut [u64],
        result: &Slot,
        oracle: &mut dyn Oracle,
        region: Region,
    ) -> Result<(), Fault> {
        let Some(flag) = result.flag.filter(|flag| regs[*flag as usize] == 0) else { return Ok(()) };
        let asker = Asker { region, at: None, element: None };
        let bits = self.choose(oracle, result.ty, &Source::Uninitialised, asker)?;
        if is_wide(result.ty) {
            self.wide[result.reg as usize] = bits;
        } else {
            regs[result.reg as usize] = self.register(result.ty, bits);
        }
        regs[flag as usize] = 1;
        Ok(())
    }
    /// Ends all activations.
    pub(super) fn unwind(&mut self) {
        for object in std::mem::take(&mut self.locals) {
            self.memory.kill(object);
        }
        self.frames.clear();
        self.active.fill(0);
        let saved = std::mem::take(&mut self.saved);
        let arrays: u64 = saved.arrays.iter().map(Array::taken).sum();
        let wide_arrays: u64 = saved.wide_arrays.iter().map(Array::taken).sum();
        let cells =
            saved.arrays.len() * size_of::<Array<u64>>() + saved.wide_arrays.len() * size_of::<Array<u128>>();
        let registers = saved.regs.len() * 8 + saved.wide.len() * 16;
        self.memory.refund(arrays + wide_arrays + (cells + registers) as u64);
    }
    /// Starts the lifetime of a local object; a live one from before dies.
    pub(super) fn begin_object(&mut self, regs: &mut [u64], var: VarId) -> Result<(), Fault> {
        let (VarPlace::Object { reg }, Storage::Object { size, align, read_only }) =
            (self.code.vars[var], self.program.vars[var].storage)
        else {
            return Ok(());
        };
        self.end_object(regs, var);
        let pointer = self.memory.create(NewObject {
            kind: ObjectKind::Local,
            size,
            align,
            read_only,
            contents: InitKind::Uninitialised,
            origin: var.index() as u32,
        })?;
        regs[reg as usize] = pointer;
        self.locals.push(pointer);
        Ok(())
    }
    /// Ends the lifetime of a local object, if it is live. Its address stays known.
    pub(super) fn end_object(&mut self, regs: &mut [u64], var: VarId) {
        let VarPlace::Object { reg } = self.code.vars[var] else { return };
        self.end_local(regs[reg as usize]);
    }
    /// Ends the lifetime of what the present activation has on the stack at an address, if there is anything.
    pub(super) fn end_local(&mut self, pointer: u64) {
        let outer = self.frames.last().map_or(0, |frame| frame.locals);
        // Lifetimes nest: it is near the end.
        if let Some(at) = self.locals[outer..].iter().rposition(|local| *local == pointer) {
            self.locals.remove(outer + at);
            self.memory.kill(pointer);
        }
    }
}
