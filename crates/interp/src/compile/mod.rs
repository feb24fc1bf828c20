//! Compiles a program to register code.
//!
//! A location becomes the tests of its edges in order; what an edge does follows its tests, and the code of its target
//! follows that unless it was laid out before. The test at the head of a loop is repeated at the end of the body, so
//! that an iteration costs one jump.
//!
//! # Invariants
//! * E1: while a procedure is compiled jumps hold labels; at its end they are replaced by instruction indices.
//! * E2: `memo` has the registers of expressions whose code dominates the current point, within one operation.
//! * E3: code size is linear in the program: an expression whose code would be larger is left to the evaluator.

mod addresses;
mod branch;
mod expr;
mod op;

use std::collections::BTreeSet;

use base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

use self::addresses::Addresses;
use self::branch::When;
use super::assigned::{Facts, Known, ProcFacts};
use super::code::{Code, CompileOptions, Markers, ProcCode, Rare, Reg, Slot, Spot, VarPlace};
use super::insn::Insn;
use super::leap::is_set;
use super::oracle::Position;
use super::tail_calls::TailCalls;
use super::value::is_wide;
use cfa::CheckKind;
use cfa::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use cfa::op::Op;
use cfa::program::{Edge, EdgeId, Length, Loc, ProcId, Program, Storage, VarId};
use cfa::ty::{DataModel, Ty};
use cfa::watch::watch_points;

/// A jump target that has no address yet.
type Label = u32;
/// The address of a label that was not bound yet.
const UNBOUND: u32 = u32::MAX;
/// Instructions of a test that is worth repeating at the end of a loop body.
const TEST_LIMIT: usize = 4;

/// The numbers of all locations: that of the first one of each procedure, and what is meant by each.
fn numbered(program: &Program) -> (IndexVec<ProcId, ProcCode>, Vec<(ProcId, Loc)>) {
    let (mut procs, mut locations) = (IndexVec::new(), Vec::new());
    for (proc, procedure) in program.procs.iter_enumerated() {
        procs.push(ProcCode { first_location: locations.len() as u32, ..ProcCode::default() });
        locations.extend(procedure.locations.ids().map(|location| (proc, location)));
    }
    (procs, locations)
}

/// The heads of all loops, those that tail calls are included, one bit each.
fn heads(
    program: &Program,
    procs: &IndexVec<ProcId, ProcCode>,
    tail_calls: &TailCalls,
    locations: usize,
) -> Vec<u64> {
    let mut heads = vec![0; locations.div_ceil(64)];
    let mut add = |proc: ProcId, location: Loc| {
        let number = procs[proc].first_location as usize + location.index();
        heads[number / 64] |= 1 << (number % 64);
    };
    for (proc, procedure) in program.procs.iter_enumerated() {
        for looped in procedure.loops().loops() {
            add(proc, looped.header);
        }
    }
    for proc in &tail_calls.entered {
        add(*proc, program.procs[*proc].entry);
    }
    heads
}

impl Code {
    /// Compiles a program that `Program::verify` accepts.
    pub fn new(program: &Program, options: CompileOptions) -> Self {
        let mut compiler = Compiler::new(program, options);
        compiler.variables();
        for proc in program.procs.ids() {
            compiler.procedure(proc);
        }
        compiler.code
    }
}

/// What is known of the first test of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstTest {
    /// Nothing.
    Open,
    /// It holds, being the opposite of the only test of the edge before, which failed.
    Holds,
}

/// What remains to be laid out.
enum Work {
    Location(Loc),
    /// The tests from an edge on.
    Choice {
        location: Loc,
        edge: usize,
        label: Label,
        first: FirstTest,
    },
}

/// The layout of one procedure.
struct Layout {
    facts: ProcFacts,
    locations: IndexVec<Loc, Label>,
    laid_out: IndexVec<Loc, bool>,
    /// Where an edge continues after its tests.
    bodies: IndexVec<EdgeId, Label>,
    work: Vec<Work>,
}

struct Compiler<'p> {
    program: &'p Program,
    facts: Facts,
    addresses: Addresses,
    /// The expression whose own code is being made.
    current: Option<ExprId>,
    /// Locations where lost memory is noticed, if that is a violation.
    watched: BTreeSet<(ProcId, Loc)>,
    code: Code,
    labels: Vec<u32>,
    constants: FxHashMap<u64, Reg>,
    wide_constants: FxHashMap<u128, Reg>,
    functions: FxHashMap<ProcId, Reg>,
    temps: Vec<Reg>,
    wide_temps: Vec<Reg>,
    temps_used: usize,
    wide_temps_used: usize,
    memo: FxHashMap<ExprId, Reg>,
    /// The keys of `memo` in order of insertion.
    memo_log: Vec<ExprId>,
    proc: ProcId,
    known: Known,
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, options: CompileOptions) -> Self {
        let (procs, locations) = numbered(program);
        let tail_calls = TailCalls::new(program, options);
        let heads = match options.markers {
            Markers::Heads | Markers::Locations => heads(program, &procs, &tail_calls, locations.len()),
            Markers::None | Markers::Edges => Vec::new(),
        };
        let lost = CheckKind::LostMemory;
        let is_watched = program.checks.contains(lost) && !program.excused.contains(lost, None);
        let watched = if is_watched { watch_points(program) } else { BTreeSet::new() };
        let facts = Facts::new(program, options.uninitialised);
        let known = facts.solve(program, program.entry).at(program.procs[program.entry].entry);
        let code = Code {
            options,
            insns: Vec::new(),
            insn_spots: Vec::new(),
            insn_exprs: Vec::new(),
            spots: vec![Spot { proc: program.entry, region: base::Region::NOWHERE, at: None }],
            rares: Vec::new(),
            sites: Vec::new(),
            written: Vec::new(),
            procs,
            vars: IndexVec::new(),
            locations,
            heads,
            tail_calls,
            image: Vec::new(),
            wide_image: Vec::new(),
            function_regs: Vec::new(),
            global_arrays: Vec::new(),
            global_wide_arrays: Vec::new(),
            array_vars: Vec::new(),
            wide_array_count: 0,
            map_count: 0,
        };
        Self {
            program,
            facts,
            addresses: Addresses::new(program),
            current: None,
            watched,
            code,
            labels: Vec::new(),
            constants: FxHashMap::default(),
            wide_constants: FxHashMap::default(),
            functions: FxHashMap::default(),
            temps: Vec::new(),
            wide_temps: Vec::new(),
            temps_used: 0,
            wide_temps_used: 0,
            memo: FxHashMap::default(),
            memo_log: Vec::new(),
            proc: program.entry,
            known,
        }
    }
    fn lp64(&self) -> bool {
        self.program.data_model == DataModel::Lp64
    }
    fn markers(&self) -> Markers {
        self.code.options.markers
    }
    fn number(&self, location: Loc) -> u32 {
        self.code.procs[self.proc].first_location + location.0
    }
    /// Whether a location may be stopped at.
    fn is_marked(&self, location: Loc) -> bool {
        match self.markers() {
            Markers::None | Markers::Edges => false,
            Markers::Heads => is_set(&self.code.heads, self.number(location)),
            Markers::Locations => true,
        }
    }
    fn register(&mut self, value: u64) -> Reg {
        self.code.image.push(value);
        self.code.image.len() as Reg - 1
    }
    fn wide_register(&mut self, value: u128) -> Reg {
        self.code.wide_image.push(value);
        self.code.wide_image.len() as Reg - 1
    }
    fn constant(&mut self, value: u64) -> Reg {
        if let Some(reg) = self.constants.get(&value) {
            return *reg;
        }
        let reg = self.register(value);
        self.constants.insert(value, reg);
        reg
    }
    fn wide_constant(&mut self, value: u128) -> Reg {
        if let Some(reg) = self.wide_constants.get(&value) {
            return *reg;
        }
        let reg = self.wide_register(value);
        self.wide_constants.insert(value, reg);
        reg
    }
    fn function(&mut self, proc: ProcId) -> Reg {
        if let Some(reg) = self.functions.get(&proc) {
            return *reg;
        }
        let reg = self.register(0);
        self.functions.insert(proc, reg);
        self.code.function_regs.push((reg, proc));
        reg
    }
    /// A temporary for a value of a type; it is free again when the operation ends.
    fn temp(&mut self, ty: Ty) -> Reg {
        if is_wide(ty) {
            if self.wide_temps_used == self.wide_temps.len() {
                let reg = self.wide_register(0);
                self.wide_temps.push(reg);
            }
            self.wide_temps_used += 1;
            self.wide_temps[self.wide_temps_used - 1]
        } else {
            if self.temps_used == self.temps.len() {
                let reg = self.register(0);
                self.temps.push(reg);
            }
            self.temps_used += 1;
            self.temps[self.temps_used - 1]
        }
    }
    fn scalar(&self, var: VarId) -> Slot {
        match self.code.vars[var] {
            VarPlace::Scalar(slot) => slot,
            VarPlace::Array { ty, .. } | VarPlace::Map { ty, .. } => Slot { ty, reg: 0, flag: None },
            VarPlace::Object { reg } => Slot { ty: Ty::Ptr, reg, flag: None },
        }
    }
    fn emit(&mut self, insn: Insn) {
        self.code.insns.push(insn);
        self.code.insn_spots.push(self.code.spots.len() as u32 - 1);
        self.code.insn_exprs.push(self.current);
    }
    fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        self.labels.len() as Label - 1
    }
    fn bind(&mut self, label: Label) {
        self.labels[label as usize] = self.code.insns.len() as u32;
    }
    /// Forgets what the last operation computed.
    fn fresh_operation(&mut self) {
        self.memo.clear();
        self.memo_log.clear();
        self.temps_used = 0;
        self.wide_temps_used = 0;
    }

    /// Gives every variable its register, flag, array or address; those of a procedure are contiguous (C1).
    fn variables(&mut self) {
        let count = self.program.vars.len();
        self.code.vars = IndexVec::filled(VarPlace::Object { reg: 0 }, count);
        let mut owned: IndexVec<ProcId, Vec<VarId>> = IndexVec::filled(Vec::new(), self.program.procs.len());
        let mut globals = Vec::new();
        for (var, decl) in self.program.vars.iter_enumerated() {
            match decl.owner {
                Some(owner) => owned[owner].push(var),
                None => globals.push(var),
            }
        }
        let layout = self.place(&globals);
        let pair = |files: std::ops::Range<u32>, lengths: Vec<u64>| files.zip(lengths).collect::<Vec<_>>();
        self.code.global_arrays = pair(layout.arrays, layout.lengths);
        self.code.global_wide_arrays = pair(layout.wide_arrays, layout.wide_lengths);
        for (proc, vars) in owned.iter_enumerated() {
            let layout = self.place(vars);
            let procedure = &self.program.procs[proc];
            let first_location = self.code.procs[proc].first_location;
            let params = procedure.params.iter().map(|var| self.scalar(*var)).collect();
            let results = procedure.results.iter().map(|var| self.scalar(*var)).collect();
            self.code.procs[proc] = ProcCode { first_location, params, results, ..layout };
        }
    }
    fn place(&mut self, vars: &[VarId]) -> ProcCode {
        let (regs, wide) = (self.code.image.len() as u32, self.code.wide_image.len() as u32);
        let (arrays, wide_arrays) = (self.code.array_vars.len() as u32, self.code.wide_array_count);
        let (mut lengths, mut wide_lengths) = (Vec::new(), Vec::new());
        for var in vars {
            match self.program.vars[*var].storage {
                Storage::Scalar(ty) => {
                    let reg = if is_wide(ty) { self.wide_register(0) } else { self.register(0) };
                    self.code.vars[*var] = VarPlace::Scalar(Slot { ty, reg, flag: None });
                }
                Storage::Array { elem, length: Length::Unbounded } => {
                    self.code.vars[*var] = VarPlace::Map { map: self.code.map_count, ty: elem };
                    self.code.map_count += 1;
                }
                Storage::Array { elem, length } => {
                    let length = match length {
                        Length::Fixed(length) => length,
                        Length::Dynamic | Length::Unbounded => 0,
                    };
                    let array = if is_wide(elem) {
                        wide_lengths.push(length);
                        self.code.wide_array_count += 1;
                        self.code.wide_array_count - 1
                    } else {
                        lengths.push(length);
                        self.code.array_vars.push(*var);
                        self.code.array_vars.len() as u32 - 1
                    };
                    self.code.vars[*var] = VarPlace::Array { array, ty: elem };
                }
                Storage::Object { .. } => {}
            }
        }
        let cleared = self.code.image.len() as u32;
        for var in vars {
            match self.program.vars[*var].storage {
                Storage::Scalar(_) if self.facts.uncertain[*var] => {
                    let flag = Some(self.register(0));
                    self.code.vars[*var] = VarPlace::Scalar(Slot { flag, ..self.scalar(*var) });
                }
                Storage::Object { .. } => {
                    let reg = self.register(0);
                    self.code.vars[*var] = VarPlace::Object { reg };
                }
                Storage::Scalar(_) | Storage::Array { .. } => {}
            }
        }
        let end = self.code.image.len() as u32;
        ProcCode {
            regs: regs..end,
            wide: wide..self.code.wide_image.len() as u32,
            cleared: cleared..end,
            arrays: arrays..self.code.array_vars.len() as u32,
            wide_arrays: wide_arrays..self.code.wide_array_count,
            lengths,
            wide_lengths,
            ..ProcCode::default()
        }
    }

    fn procedure(&mut self, proc: ProcId) {
        let procedure = &self.program.procs[proc];
        self.proc = proc;
        self.labels.clear();
        let start = self.code.insns.len();
        let mut layout = Layout {
            facts: self.facts.solve(self.program, proc),
            locations: procedure.locations.ids().map(|_| self.label()).collect(),
            laid_out: IndexVec::filled(false, procedure.locations.len()),
            bodies: procedure.edges().ids().map(|_| self.label()).collect(),
            work: procedure.locations.ids().rev().map(Work::Location).collect(),
        };
        layout.work.push(Work::Location(procedure.entry));
        while let Some(work) = layout.work.pop() {
            let mut next = match work {
                Work::Location(location) if layout.laid_out[location] => None,
                work @ (Work::Location(_) | Work::Choice { .. }) => Some(work),
            };
            while let Some(work) = next {
                next = match work {
                    Work::Location(location) => self.location(&mut layout, location),
                    Work::Choice { location, edge, label, first } => {
                        self.bind(label);
                        self.choice(&mut layout, location, edge, first)
                    }
                };
            }
        }
        self.resolve(start);
        let addresses = layout.locations.iter().map(|label| self.labels[*label as usize]).collect();
        self.code.procs[proc].locations = addresses;
    }
    /// Replaces the labels of jumps by addresses (E1).
    fn resolve(&mut self, start: usize) {
        for insn in &mut self.code.insns[start..] {
            match insn {
                Insn::Jump { to }
                | Insn::JumpIf { to, .. }
                | Insn::JumpUnless { to, .. }
                | Insn::JumpEq { to, .. }
                | Insn::JumpNe { to, .. }
                | Insn::JumpLtS { to, .. }
                | Insn::JumpLeS { to, .. }
                | Insn::JumpLtU { to, .. }
                | Insn::JumpLeU { to, .. } => *to = self.labels[*to as usize],
                _ => {}
            }
        }
    }
    /// Lays out a location; what comes next in the code is returned.
    fn location(&mut self, layout: &mut Layout, location: Loc) -> Option<Work> {
        let procedure = &self.program.procs[self.proc];
        layout.laid_out[location] = true;
        self.bind(layout.locations[location]);
        self.spot_of_location(location);
        if self.is_marked(location) {
            self.emit(Insn::At { location: self.number(location) });
        }
        if self.watched.contains(&(self.proc, location)) {
            self.rare(Rare::CheckLost);
        }
        if location == procedure.exit {
            self.emit(Insn::Return { proc: self.proc.index() as u32 });
            None
        } else if Some(location) == procedure.error {
            self.emit(Insn::Error);
            None
        } else {
            self.choice(layout, location, 0, FirstTest::Open)
        }
    }
    /// Lays out the tests of a location from an edge on, and the first edge among them.
    fn choice(&mut self, layout: &mut Layout, location: Loc, index: usize, first: FirstTest) -> Option<Work> {
        let procedure = &self.program.procs[self.proc];
        let Some(edge_id) = procedure.outgoing(location).get(index).copied() else {
            self.spot_of_location(location);
            self.emit(Insn::Blocked);
            return None;
        };
        let edge = &procedure.edges()[edge_id];
        self.spot_of_op(edge_id, 0);
        self.known = layout.facts.at(location);
        self.fresh_operation();
        let tests: Vec<ExprId> = self.leading_tests(edge_id);
        let known = match first {
            FirstTest::Open => 0,
            FirstTest::Holds => 1,
        };
        if tests.len() > known {
            let label = self.label();
            let alternative = procedure.outgoing(location).get(index + 1);
            let is_complement = tests.len() == 1
                && alternative.is_some_and(|next| {
                    self.leading_tests(*next).first().is_some_and(|other| self.are_opposite(tests[0], *other))
                });
            for (position, test) in tests.iter().enumerate().skip(known) {
                self.spot_of_op(edge_id, position);
                self.branch(*test, When::Fails, label);
            }
            let first = if is_complement { FirstTest::Holds } else { FirstTest::Open };
            layout.work.push(Work::Choice { location, edge: index + 1, label, first });
        }
        self.bind(layout.bodies[edge_id]);
        if self.markers() >= Markers::Edges {
            self.emit(Insn::Enter { edge: edge_id });
        }
        for (position, op) in edge.ops.iter().enumerate().skip(tests.len()) {
            self.spot_of_op(edge_id, position);
            self.op(op);
            self.facts.transfer(self.program, self.proc, op, &mut self.known);
        }
        if self.markers() >= Markers::Edges {
            self.emit(Insn::Leave { edge: edge_id });
        }
        self.goto(layout, edge.target)
    }
    /// What is emitted from here on belongs to a location.
    fn spot_of_location(&mut self, location: Loc) {
        let region = self.program.procs[self.proc].locations[location].region;
        self.code.spots.push(Spot { proc: self.proc, region, at: None });
    }
    /// What is emitted from here on belongs to an operation.
    fn spot_of_op(&mut self, edge: EdgeId, op: usize) {
        let procedure = &self.program.procs[self.proc];
        let Edge { origin, source, .. } = procedure.edges()[edge];
        let region =
            if origin.region.is_nowhere() { procedure.locations[source].region } else { origin.region };
        let at = Some(Position { proc: self.proc, edge, op: op as u32 });
        if self.code.spots.last().is_none_or(|last| last.at != at) {
            self.code.spots.push(Spot { proc: self.proc, region, at });
        }
    }
    /// The conditions of the assumptions that an edge starts with.
    fn leading_tests(&self, edge: EdgeId) -> Vec<ExprId> {
        let ops = &self.program.procs[self.proc].edges()[edge].ops;
        let test = |op: &Op| match op {
            Op::Assume { cond } => Some(*cond),
            _ => None,
        };
        ops.iter().map_while(test).collect()
    }
    fn goto(&mut self, layout: &mut Layout, target: Loc) -> Option<Work> {
        let procedure = &self.program.procs[self.proc];
        if self.markers() != Markers::Locations {
            // One instruction: cheaper than the jump to it, and an error belongs to the edge that leads to it.
            if target == procedure.exit {
                self.emit(Insn::Return { proc: self.proc.index() as u32 });
                return None;
            }
            if Some(target) == procedure.error {
                self.emit(Insn::Error);
                return None;
            }
        }
        if !layout.laid_out[target] {
            return Some(Work::Location(target));
        }
        if !self.repeat_test(layout, target) {
            self.emit(Insn::Jump { to: layout.locations[target] });
        }
        None
    }
    /// Emits the test of a location with two opposite edges instead of a jump to it, if that is short.
    fn repeat_test(&mut self, layout: &Layout, target: Loc) -> bool {
        let [first, second] = *self.program.procs[self.proc].outgoing(target) else { return false };
        let ([test], [other]) = (&self.leading_tests(first)[..], &self.leading_tests(second)[..]) else {
            return false;
        };
        let is_watched = self.watched.contains(&(self.proc, target));
        if self.markers() == Markers::Locations || is_watched || !self.are_opposite(*test, *other) {
            return false;
        }
        let (length, rares, spots) = (self.code.insns.len(), self.code.rares.len(), self.code.spots.len());
        if self.is_marked(target) {
            self.emit(Insn::At { location: self.number(target) });
        }
        self.known = layout.facts.at(target);
        self.fresh_operation();
        self.spot_of_op(first, 0);
        self.branch(*test, When::Holds, layout.bodies[first]);
        let marks = usize::from(self.is_marked(target));
        if self.code.insns.len() - length > TEST_LIMIT + marks || self.code.rares.len() > rares {
            self.code.insns.truncate(length);
            self.code.insn_spots.truncate(length);
            self.code.insn_exprs.truncate(length);
            self.code.rares.truncate(rares);
            self.code.spots.truncate(spots);
            return false;
        }
        self.emit(Insn::Jump { to: layout.bodies[second] });
        true
    }
    /// Whether exactly one of two conditions holds in every state in which they are defined.
    fn are_opposite(&self, first: ExprId, second: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let negates =
            |outer: ExprId, inner: ExprId| *exprs.get(outer) == Expr::Unary { op: UnaryOp::Not, arg: inner };
        if negates(first, second) || negates(second, first) {
            return true;
        }
        let (Expr::Binary { op, lhs, rhs }, Expr::Binary { op: other, lhs: left, rhs: right }) =
            (*exprs.get(first), *exprs.get(second))
        else {
            return false;
        };
        let same = (lhs, rhs) == (left, right);
        let swapped = (lhs, rhs) == (right, left);
        match (op, other) {
            (BinaryOp::Eq, BinaryOp::Ne) | (BinaryOp::Ne, BinaryOp::Eq) => same || swapped,
            // Neither holds of values that are not numbers.
            (BinaryOp::Lt, BinaryOp::Le) | (BinaryOp::Le, BinaryOp::Lt) => {
                swapped && !exprs.ty(lhs).is_float()
            }
            _ => false,
        }
    }
}
