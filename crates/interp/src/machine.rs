//! The machine: the state of a run, how it starts, pauses and ends.

use std::io::Write;

use base::{Budget, Idx, Region, Stop};

use rustc_hash::FxHashMap;

use super::array::Array;
use super::code::{Code, VarPlace};
use super::creators::Creators;
use super::eval::narrow_index;
use super::insn::Insn;
use super::map::Map;
use super::memory::{Memory, NewObject, ObjectKind};
use super::observe::{Observer, View};
use super::oracle::{Chosen, Oracle, Position};
use super::outcome::{CallStack, Fault, Outcome, Resource, Run, StackEntry};
use super::value::{Value, is_wide, to_register};
use super::{Config, LastCalls, exec};
use cfa::op::{InitKind, Source};
use cfa::program::{Loc, ProcId, Program, Storage, VarId};
use cfa::ty::Ty;
use cfa::{CheckKind, CheckSite, ExprId};

/// An active call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) proc: ProcId,
    /// The call to return from; `None` for the first frame.
    pub(super) site: Option<u32>,
    /// The call that made it: another one if it has taken the place of others.
    pub(super) called: Option<u32>,
    /// Whether it has taken the place of others, and of at least how many.
    pub(super) replaced: usize,
    /// Whether the registers of an outer activation of the procedure were saved.
    pub(super) saved: bool,
    /// Number of live objects of the outer frames.
    pub(super) locals: usize,
    /// How many calls the run had made before; no two frames of a run have the same number.
    pub(super) number: u64,
}

/// The state of a run, narrow registers apart.
#[derive(Clone)]
pub(super) struct State<'p> {
    pub(super) program: &'p Program,
    pub(super) code: &'p Code,
    pub(super) config: Config,
    pub(super) wide: Vec<u128>,
    pub(super) arrays: Vec<Array<u64>>,
    pub(super) wide_arrays: Vec<Array<u128>>,
    pub(super) maps: Vec<Map>,
    pub(super) creators: Creators,
    /// The place in memory whose contents are being asked for: object and offset.
    pub(super) asked: Option<(u32, u32)>,
    /// The objects that are inputs and were allocated, and the variables that got their addresses.
    pub(super) allocated: FxHashMap<u32, VarId>,
    pub(super) memory: Memory,
    pub(super) frames: Vec<Frame>,
    /// Number of activations of each procedure.
    pub(super) active: Vec<u32>,
    /// Number of calls so far.
    pub(super) calls: u64,
    /// What becomes of activations now; at first they stay, so that a short run lists all of them.
    pub(super) last_calls: LastCalls,
    pub(super) saved: Saved,
    /// Live objects of activations: local variables and stack allocations.
    pub(super) locals: Vec<u64>,
    pub(super) choices: Vec<Chosen>,
    /// The function of the C library that made memory arbitrary; from then on, what is read without a value may be its.
    pub(super) forgotten: Option<Source>,
    /// Number of heap and stack allocations so far.
    pub(super) allocations: u32,
    /// Where they happened, by number, if that may be asked for.
    pub(super) allocated_at: Vec<Region>,
    /// The part of an expression that the evaluator found undefined.
    pub(super) failed: Option<ExprId>,
}

/// What the outer activations of re-entered procedures had.
#[derive(Clone, Default)]
pub(super) struct Saved {
    pub(super) regs: Vec<u64>,
    pub(super) wide: Vec<u128>,
    pub(super) arrays: Vec<Array<u64>>,
    pub(super) wide_arrays: Vec<Array<u128>>,
}

/// A run of a program that can be paused, looked at and resumed. A copy goes on by itself.
#[derive(Clone)]
pub struct Machine<'p> {
    pub(super) regs: Vec<u64>,
    pub(super) state: State<'p>,
    pub(super) pc: usize,
    /// Ticks that the budget was charged for and that are not spent yet.
    pub(super) fuel: i64,
    /// Locations at which to stop, one bit each.
    pub(super) stops: Vec<u64>,
    /// What went wrong before the first instruction.
    pub(super) failure: Option<Fault>,
}

/// Why an instruction loop ended.
pub(super) enum Pause {
    Fault(Fault),
    Error,
    Blocked,
    Returned,
    Budget(Stop),
    Location(u32),
}

/// How far a machine got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The run ended, or paused for lack of input or budget.
    Ended(Outcome),
    /// A location of [`Machine::stop_at`] was reached.
    Location(ProcId, Loc),
}

impl<'p> Machine<'p> {
    /// A machine about to enter the program's entry procedure. `code` must be compiled from `program`.
    pub fn new(program: &'p Program, code: &'p Code, config: Config) -> Self {
        let mut machine = Self {
            regs: code.image.clone(),
            state: State {
                program,
                code,
                config,
                wide: code.wide_image.clone(),
                arrays: vec![Array::default(); code.array_vars.len()],
                wide_arrays: vec![Array::default(); code.wide_array_count as usize],
                maps: vec![Map::default(); code.map_count as usize],
                creators: Creators::new(config.tracking),
                asked: None,
                allocated: FxHashMap::default(),
                memory: Memory::new(program.data_model, config.memory_limit),
                frames: Vec::new(),
                active: vec![0; program.procs.len()],
                calls: 0,
                last_calls: LastCalls::Stay,
                saved: Saved::default(),
                locals: Vec::new(),
                choices: Vec::new(),
                forgotten: None,
                allocations: 0,
                allocated_at: Vec::new(),
                failed: None,
            },
            pc: 0,
            fuel: 0,
            stops: vec![0; code.locations.len().div_ceil(64)],
            failure: None,
        };
        let start = program.procs[program.entry].entry;
        if let Err(fault) = machine.globals().and_then(|()| machine.begin(program.entry, start)) {
            machine.failure = Some(fault);
        }
        machine
    }
    /// Creates what exists from the start: procedures, global objects and arrays.
    fn globals(&mut self) -> Result<(), Fault> {
        let State { program, code, memory, arrays, wide_arrays, .. } = &mut self.state;
        let mut functions = Vec::new();
        for proc in program.procs.ids() {
            functions.push(memory.create(NewObject {
                kind: ObjectKind::Procedure,
                size: 1,
                align: 16,
                read_only: true,
                contents: InitKind::Zero,
                origin: proc.index() as u32,
            })?);
        }
        for (reg, proc) in &code.function_regs {
            self.regs[*reg as usize] = functions[proc.index()];
        }
        for (var, decl) in program.vars.iter_enumerated() {
            if let (Storage::Object { size, align, read_only }, None) = (decl.storage, decl.owner) {
                let (kind, contents) = (ObjectKind::Global, InitKind::Uninitialised);
                let origin = var.index() as u32;
                let pointer = memory.create(NewObject { kind, size, align, read_only, contents, origin })?;
                if let VarPlace::Object { reg } = code.vars[var] {
                    self.regs[reg as usize] = pointer;
                }
            }
        }
        for (array, length) in &code.global_arrays {
            super::call::reset_array(&mut arrays[*array as usize], memory, *length, InitKind::Uninitialised)?;
        }
        for (array, length) in &code.global_wide_arrays {
            super::call::reset_array(
                &mut wide_arrays[*array as usize],
                memory,
                *length,
                InitKind::Uninitialised,
            )?;
        }
        Ok(())
    }
    /// Enters a procedure at a location, outside any call.
    fn begin(&mut self, proc: ProcId, location: Loc) -> Result<(), Fault> {
        self.pc = self.state.code.procs[proc].locations[location.index()] as usize;
        // Starting at a location is not reaching it.
        self.pc += usize::from(matches!(self.state.code.insns.get(self.pc), Some(Insn::At { .. })));
        self.state.activate(&mut self.regs, proc, None)
    }
    /// Drops all activations and starts one of `proc` at `location`. Global variables and memory stay as they are; the scalar
    /// variables of the procedure are 0 until [`Machine::set`], its objects have begun and are uninitialised.
    pub fn start_at(&mut self, proc: ProcId, location: Loc) {
        self.state.unwind();
        self.failure = self.begin(proc, location).err();
        for var in self.state.program.vars.ids() {
            let decl = &self.state.program.vars[var];
            if decl.owner != Some(proc) {
                continue;
            }
            match self.state.code.vars[var] {
                VarPlace::Object { .. } => {
                    if let Err(fault) = self.state.begin_object(&mut self.regs, var) {
                        self.failure = Some(fault);
                    }
                }
                VarPlace::Scalar(slot) => self.set(var, Value { ty: slot.ty, bits: 0 }),
                VarPlace::Array { .. } | VarPlace::Map { .. } => {}
            }
        }
    }
    /// Gives a scalar variable a value of its type.
    pub fn set(&mut self, var: VarId, value: Value) {
        if let VarPlace::Scalar(slot) = self.state.code.vars[var] {
            if is_wide(slot.ty) {
                self.state.wide[slot.reg as usize] = value.bits;
            } else {
                self.regs[slot.reg as usize] = self.state.register(slot.ty, value.bits);
            }
            if let Some(flag) = slot.flag {
                self.regs[flag as usize] = 1;
            }
        }
    }
    /// Gives an element of an array variable a value; whether there is such an element.
    pub fn set_elem(&mut self, array: VarId, index: i128, value: Value) -> bool {
        let narrow = u64::try_from(index).unwrap_or(u64::MAX);
        let made = match self.state.code.vars[array] {
            VarPlace::Map { .. } => return self.state.store_map(array, index, value.bits).is_ok(),
            VarPlace::Array { array, ty } if is_wide(ty) => {
                self.state.wide_arrays[array as usize].set(narrow, value.bits)
            }
            VarPlace::Array { array, ty } => {
                let register = self.state.register(ty, value.bits);
                self.state.arrays[array as usize].set(narrow, register)
            }
            VarPlace::Scalar(_) | VarPlace::Object { .. } => return false,
        };
        made.is_ok_and(|made| self.state.memory.charge(made).is_ok())
    }
    /// The state, to look at.
    pub fn view(&self) -> View<'_> {
        self.state.view(&self.regs)
    }
    /// Chooses the locations at which [`Machine::step`] stops; the code must be compiled with
    /// [`super::Markers::Locations`].
    pub fn stop_at(&mut self, locations: impl IntoIterator<Item = (ProcId, Loc)>) {
        self.stops.fill(0);
        for (proc, location) in locations {
            let number = self.state.code.procs[proc].first_location as usize + location.index();
            self.stops[number / 64] |= 1 << (number % 64);
        }
    }
    /// Runs on until the end, a location to stop at, a value that the oracle refuses, or the end of the budget. After the last
    /// three it may be called again.
    pub fn step<O: Observer>(
        &mut self,
        oracle: &mut dyn Oracle,
        observer: &mut O,
        output: &mut dyn Write,
        budget: &mut Budget,
    ) -> Step {
        let pause = if let Some(fault) = self.failure.take() {
            Pause::Fault(fault)
        } else {
            let stops = std::mem::take(&mut self.stops);
            let pause = exec::execute(self, &stops, oracle, observer, output, budget);
            self.stops = stops;
            pause
        };
        self.after(pause)
    }
    /// What a pause means to the caller.
    pub(super) fn after(&self, pause: Pause) -> Step {
        let region = self.region();
        Step::Ended(match pause {
            Pause::Location(number) => {
                let (proc, location) = self.state.code.locations[number as usize];
                return Step::Location(proc, location);
            }
            Pause::Error => {
                let (kind, detail) = (CheckKind::Assertion, String::new());
                let site = self.site().map(|site| CheckSite { op: 0, expr: None, ..site });
                if self.is_excused(kind, site) {
                    Outcome::Halted { region }
                } else {
                    Outcome::Error { region, kind, detail, site }
                }
            }
            Pause::Blocked => Outcome::Blocked { region },
            Pause::Returned => match self.state.at_end(&self.regs, None) {
                Some((kind, detail)) => {
                    let region = cfa::watch::end_of(self.state.program);
                    Outcome::Error { region, kind, detail, site: None }
                }
                None => Outcome::Returned,
            },
            Pause::Budget(stop) => Outcome::Stopped(stop),
            Pause::Fault(fault) => self.outcome(fault, region),
        })
    }
    /// [`Machine::step`] to the end, with what the run yields.
    pub fn run<O: Observer>(
        &mut self,
        oracle: &mut dyn Oracle,
        observer: &mut O,
        output: &mut dyn Write,
        budget: &mut Budget,
    ) -> Run {
        self.stops.fill(0);
        let step = self.step(oracle, observer, output, budget);
        self.ended(step)
    }
    /// What a run without locations to stop at yields.
    pub(super) fn ended(&self, step: Step) -> Run {
        let outcome = match step {
            Step::Ended(outcome) => outcome,
            Step::Location(..) => Outcome::Returned,
        };
        Run { outcome, stack: self.stack(), choices: self.state.choices.clone() }
    }
    fn outcome(&self, fault: Fault, region: Region) -> Outcome {
        let site = self.site();
        let ends = matches!(fault, Fault::Exit(_) | Fault::Abort);
        if ends && let Some((kind, detail)) = self.state.at_end(&self.regs, site) {
            return Outcome::Error { region, kind, detail, site };
        }
        match fault {
            Fault::Undefined { kind, detail } if self.is_violation(kind.check(), site) => {
                Outcome::Error { region, kind: kind.check(), detail, site }
            }
            Fault::Violation { kind, detail } => Outcome::Error { region, kind, detail, site },
            Fault::Undefined { kind, detail } => Outcome::Undefined { kind, region, detail },
            Fault::Resource(what) => Outcome::Resource { what, region },
            Fault::OutOfInputs(at) if at.is_nowhere() => Outcome::OutOfInputs { region },
            Fault::OutOfInputs(region) => Outcome::OutOfInputs { region },
            Fault::Unsupported(what) => Outcome::Unsupported { what, region },
            Fault::Exit(status) => Outcome::Exit { status },
            Fault::Abort => Outcome::Halted { region },
        }
    }
    /// What the current instruction belongs to.
    fn site(&self) -> Option<CheckSite> {
        let code = self.state.code;
        let Position { proc, edge, op } = code.spots[*code.insn_spots.get(self.pc)? as usize].at?;
        let expr = self.state.failed.or(code.insn_exprs.get(self.pc).copied().flatten());
        Some(CheckSite { proc, edge, op, expr })
    }
    fn is_excused(&self, kind: CheckKind, site: Option<CheckSite>) -> bool {
        self.state.program.excused.contains(kind, site)
    }
    fn is_violation(&self, kind: CheckKind, site: Option<CheckSite>) -> bool {
        self.state.program.is_violation(kind) && !self.is_excused(kind, site)
    }
    /// The source text of the current instruction.
    pub fn region(&self) -> Region {
        let code = self.state.code;
        code.insn_spots.get(self.pc).map_or(Region::NOWHERE, |spot| code.spots[*spot as usize].region)
    }
    /// The procedure that is being executed.
    pub fn procedure(&self) -> Option<ProcId> {
        self.state.frames.last().map(|frame| frame.proc)
    }
    /// Ticks that the budget was charged for in advance and that were not needed.
    pub fn unneeded_ticks(&self) -> u64 {
        self.fuel.max(0) as u64
    }
    /// The arbitrary values chosen so far.
    pub fn choices(&self) -> &[Chosen] {
        &self.state.choices
    }
    /// The active calls, innermost first.
    pub fn stack(&self) -> CallStack {
        let State { frames, program, code, config, .. } = &self.state;
        // Behind one that has taken the place of others, calls are missing.
        let complete =
            frames.iter().rev().position(|frame| frame.replaced > 0).map_or(frames.len(), |at| at + 1);
        let listed = complete.min(config.stack_entries);
        let replaced = frames.iter().fold(0_usize, |sum, frame| sum.saturating_add(frame.replaced));
        let entry = |frame: &Frame| StackEntry {
            procedure: program.procs[frame.proc].name.clone(),
            called_at: frame.called.map_or(Region::NOWHERE, |site| code.sites[site as usize].region),
        };
        CallStack {
            entries: frames.iter().rev().take(listed).map(entry).collect(),
            omitted: (frames.len() - listed).saturating_add(replaced),
        }
    }
}

impl State<'_> {
    /// The register content of a value from outside: pointers find their object.
    pub(super) fn register(&self, ty: Ty, bits: u128) -> u64 {
        match ty {
            Ty::Ptr => self.memory.pointer_to(bits as u64),
            Ty::Int { .. } | Ty::Float(_) => to_register(ty, bits),
        }
    }
    pub(super) fn view<'a>(&'a self, regs: &'a [u64]) -> View<'a> {
        View {
            program: self.program,
            code: self.code,
            regs,
            wide: &self.wide,
            arrays: &self.arrays,
            wide_arrays: &self.wide_arrays,
            maps: &self.maps,
            memory: &self.memory,
        }
    }
    /// A number of bytes in a register; what does not fit is more than any object has.
    pub(super) fn length(&self, regs: &[u64], ty: Ty, reg: u32) -> u64 {
        if is_wide(ty) { narrow_index(ty, self.wide[reg as usize]) } else { regs[reg as usize] }
    }
    /// A size in a register; what no memory could hold is a resource fault.
    pub(super) fn size(&self, regs: &[u64], ty: Ty, reg: u32) -> Result<u64, Fault> {
        let size = self.length(regs, ty, reg);
        if size > i64::MAX as u64 { Err(Fault::Resource(Resource::ObjectSize)) } else { Ok(size) }
    }
}
