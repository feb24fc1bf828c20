//! Heap memory that is not freed, and heap memory that nothing leads to.
//!
//! An object is *held* if a pointer to it, wherever in it that points, is the value of a variable of an active procedure or of a global one, or stands in an
//! object that is not on the heap or is held itself. Integers that are addresses count as pointers. A temporary of the innermost procedure holds nothing:
//! between two statements the program has no use for its value. Those of other procedures may be arguments of a call that is going on.
//!
//! # Invariants
//! * H1: what is called lost is held by nothing that the program could use.
//!
//! # Cost
//! Linear in the size of memory and of the variables that may hold pointers.

use std::fmt::Write;

use super::array::Array;
use super::code::{Reg, VarPlace};
use super::machine::State;
use super::outcome::Fault;
use super::value::is_wide;
use base::{Idx, IndexVec, Region};
use cfa::program::{ProcId, Program, VarId};
use cfa::ty::Ty;
use cfa::{CheckKind, CheckSite};

/// The most allocations that a message names.
const MAX_NAMED: usize = 3;

impl State<'_> {
    /// Notes whether something is lost; what that costs is returned.
    pub(super) fn note_lost(&self, regs: &mut [u64], dst: Reg) -> u32 {
        let (lost, cost) = self.lost(regs);
        regs[dst as usize] = u64::from(lost.is_some());
        cost
    }
    /// Fails if something is lost.
    pub(super) fn check_lost(&self, regs: &[u64]) -> Result<u32, Fault> {
        let (lost, cost) = self.lost(regs);
        lost.map_or(Ok(cost), |object| Err(self.lost_fault(object)))
    }
    /// A live heap object that is lost, if there is one, and what it costs to know.
    pub(super) fn lost(&self, regs: &[u64]) -> (Option<u32>, u32) {
        if !self.memory.has_heap() {
            return (None, 0);
        }
        let mut held =
            Held { state: self, seen: vec![false; self.memory.object_count()], pending: Vec::new(), cost: 0 };
        held.roots(regs);
        held.follow();
        let lost = self.memory.heap().find(|(index, _)| !held.seen[*index as usize]);
        (lost.map(|(index, _)| index), u32::try_from(held.cost / 16).unwrap_or(u32::MAX))
    }

    /// That an object is lost.
    #[cold]
    pub(super) fn lost_fault(&self, object: u32) -> Fault {
        Fault::Violation { kind: CheckKind::LostMemory, detail: self.allocation(object) }
    }

    /// What is wrong with memory when the program ends: nothing leads to it, or it was not freed.
    pub(super) fn at_end(&self, regs: &[u64], site: Option<CheckSite>) -> Option<(CheckKind, String)> {
        let Program { checks, excused, .. } = self.program;
        let wanted = |kind| checks.contains(kind) && self.memory.has_heap() && !excused.contains(kind, site);
        if wanted(CheckKind::LostMemory)
            && let (Some(object), _) = self.lost(regs)
        {
            return Some((CheckKind::LostMemory, self.allocation(object)));
        }
        wanted(CheckKind::Leak).then(|| {
            let count = self.memory.heap().count();
            let named = self.memory.heap().take(MAX_NAMED).map(|(object, _)| self.allocation(object));
            let mut detail = named.collect::<Vec<_>>().join(", ");
            if count > MAX_NAMED {
                let _ = write!(detail, " and {} more", count - MAX_NAMED);
            }
            (CheckKind::Leak, detail)
        })
    }

    /// An object of the heap, for people.
    fn allocation(&self, object: u32) -> String {
        let (size, number) = self.memory.allocation(object);
        let bytes = if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") };
        match self.allocated_at.get(number as usize) {
            Some(region) if !region.is_nowhere() => format!("{bytes} allocated in line {}", region.line),
            _ => bytes,
        }
    }

    /// Remembers where the next allocation happens, if that may be asked for.
    pub(super) fn note_allocation(&mut self, region: Region) {
        let checks = self.program.checks;
        if checks.contains(CheckKind::Leak) || checks.contains(CheckKind::LostMemory) {
            let place = self.users_place(region);
            self.allocated_at.resize(self.allocations as usize + 1, Region::NOWHERE);
            self.allocated_at.push(place);
        }
    }
}

/// The objects that something leads to.
struct Held<'a, 'p> {
    state: &'a State<'p>,
    seen: Vec<bool>,
    pending: Vec<u32>,
    cost: u64,
}

impl Held<'_, '_> {
    fn add(&mut self, object: u32) {
        if !std::mem::replace(&mut self.seen[object as usize], true) {
            self.pending.push(object);
        }
    }

    fn pointer(&mut self, register: u64) {
        self.cost += 1;
        if let Some(object) = self.state.memory.object_of(register) {
            self.add(object);
        }
    }

    fn number(&mut self, register: u64) {
        self.pointer(self.state.memory.pointer_to(register));
    }

    fn value(&mut self, ty: Ty, register: u64) {
        if ty == Ty::Ptr { self.pointer(register) } else { self.number(register) }
    }

    fn roots(&mut self, regs: &[u64]) {
        for object in self.state.memory.elsewhere() {
            self.add(object);
        }
        let program = self.state.program;
        let innermost = self.state.frames.last().map(|frame| frame.proc);
        let mut owned: IndexVec<ProcId, Vec<VarId>> = IndexVec::filled(Vec::new(), program.procs.len());
        for (var, decl) in program.vars.iter_enumerated() {
            match decl.owner {
                None => self.variable(var, regs),
                Some(owner) if self.state.active[owner.index()] > 0 => {
                    owned[owner].push(var);
                    if innermost != Some(owner) || !decl.name.starts_with('%') {
                        self.variable(var, regs);
                    }
                }
                Some(_) => {}
            }
        }
        self.saved(&owned);
    }

    /// A variable of an innermost activation, or a global one.
    fn variable(&mut self, var: VarId, regs: &[u64]) {
        match self.state.code.vars[var] {
            VarPlace::Scalar(slot) if self.may_point(slot.ty) => {
                self.value(slot.ty, regs[slot.reg as usize]);
            }
            VarPlace::Array { array, ty } if self.may_point(ty) => {
                let cells = &self.state.arrays[array as usize];
                self.cells(cells, ty);
            }
            VarPlace::Map { map, ty } if self.may_point(ty) => {
                for (_, bits) in self.state.maps[map as usize].iter() {
                    self.value(ty, bits as u64);
                }
            }
            VarPlace::Scalar(_) | VarPlace::Array { .. } | VarPlace::Map { .. } | VarPlace::Object { .. } => {
            }
        }
    }

    fn cells(&mut self, cells: &Array<u64>, ty: Ty) {
        for register in cells.values() {
            self.value(ty, register);
        }
    }

    /// The variables of outer activations of procedures that were entered again.
    fn saved(&mut self, owned: &IndexVec<ProcId, Vec<VarId>>) {
        let state = self.state;
        let (mut regs, mut arrays) = (0, 0);
        for frame in state.frames.iter().filter(|frame| frame.saved) {
            let code = &state.code.procs[frame.proc];
            for var in &owned[frame.proc] {
                match state.code.vars[*var] {
                    VarPlace::Scalar(slot) if self.may_point(slot.ty) => {
                        let at = regs + (slot.reg - code.regs.start) as usize;
                        self.value(slot.ty, state.saved.regs[at]);
                    }
                    VarPlace::Array { array, ty } if self.may_point(ty) => {
                        let at = arrays + (array - code.arrays.start) as usize;
                        self.cells(&state.saved.arrays[at], ty);
                    }
                    _ => {}
                }
            }
            regs += code.regs.len();
            arrays += code.arrays.len();
        }
    }

    /// Whether values of a type may be addresses.
    fn may_point(&self, ty: Ty) -> bool {
        let model = self.state.program.data_model;
        match ty {
            Ty::Ptr => true,
            Ty::Int { width, .. } => width >= model.pointer_width() && !is_wide(ty),
            Ty::Float(_) => false,
        }
    }

    fn follow(&mut self) {
        while let Some(object) = self.pending.pop() {
            let (size, _) = self.state.memory.allocation(object);
            self.cost += u64::from(size);
            for next in self.state.memory.pointed_to_by(object) {
                self.add(next);
            }
        }
    }
}
