//! What every pointer may be, insensitive to flow, with offsets.
//!
//! # Paper
//! Andersen, Program Analysis and Specialization for the C Programming Language, DIKU 1994: inclusion instead of unification. Memory that is not followed, and
//! everything from outside, is *foreign*.
//!
//! # Why it is sound
//! By induction over an execution: a pointer to a followed object is where the analysis says. Each way in which pointers move is a constraint. An object whose address gets
//! where it is not followed (foreign memory, an opaque object, a number) is *exposed*. Foreign pointers may lead to exposed objects; so if any foreign pointer
//! is accessed, [`super::promote`] makes exposed objects opaque and starts again. That no pointer in followed memory is read or written in part, or as a number, is checked when
//! objects are laid out: up to the first such access all pointers are what the analysis says, so that access is seen.
//!
//! # Cost
//! Operations are evaluated again when what they read has changed. A set of offsets changes at most some twenty times.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use cfa::op::{Callee, InitKind, Op, Place};
use cfa::pointsto::AllocationSite;
use cfa::{BinaryOp, Expr, ExprId, ProcId, Program, Source, Ty, VarId};

use super::ObjectId;
use super::object::{Contents, Kind, Objects};
use super::offsets::{Linear, Offsets, Progression, linear};
use super::pointee::{Others, Pointee, fresh};
use super::tasks::{Task, holds_pointer, peeled, read_pointers, sums, task};
use crate::totality::Totality;

/// Places in one object that are told apart; beyond that all are taken together.
const MAX_CELLS: usize = 64;

/// What may be at some offsets of an object.
type Cells = BTreeMap<Progression, Pointee>;

/// The result.
pub(super) struct Pointers {
    vars: FxHashMap<VarId, Pointee>,
    memory: BTreeMap<ObjectId, Cells>,
    exprs: FxHashMap<ExprId, Pointee>,
    /// What is added to pointers: the sum, and its values.
    sums: FxHashMap<ExprId, (Linear, Offsets)>,
    exposed: BTreeSet<ObjectId>,
    /// Whether an object from outside may be freed.
    pub(super) frees_outside: bool,
    totality: Totality,
}

/// What memory from outside holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outside {
    /// What it held at first: pointers in it lead outside.
    Untouched,
    /// The program may have written to it.
    Written,
}

impl Pointers {
    pub(super) fn new(objects: &Objects<'_>) -> Self {
        let result = Self::with(objects, Outside::Untouched);
        let writes = |(_, op): (AllocationSite, &Op)| {
            let places = op.places().filter_map(|place| match *place {
                Place::Mem { addr, .. } | Place::Bits { addr, .. } => Some(addr),
                Place::Var(_) | Place::Elem { .. } => None,
            });
            let target = match op {
                Op::Copy { to, .. } | Op::Fill { to, .. } | Op::Write { to, .. } | Op::Forget { to, .. } => {
                    Some(*to)
                }
                _ => None,
            };
            places.chain(target).any(|address| result.of(address).others.foreign)
        };
        if objects.ops().any(writes) { Self::with(objects, Outside::Written) } else { result }
    }

    fn with(objects: &Objects<'_>, outside: Outside) -> Self {
        let mut solver = Solver::new(objects, outside);
        solver.solve();
        let mut result = solver.finish();
        result.frees_outside = objects.ops().any(|(_, op)| match op {
            Op::Free { addr } | Op::Realloc { old: addr, .. } => result.of(*addr).others.foreign,
            _ => false,
        });
        result
    }

    /// Whether all memory that is not followed behind a pointer is that of an object from outside, which exists all the time.
    pub(super) fn is_outside(&self, pointee: &Pointee) -> bool {
        pointee.others.foreign && !pointee.others.strange && !self.frees_outside
    }

    /// What a pointer expression may be.
    pub(super) fn of(&self, expr: ExprId) -> &Pointee {
        &self.exprs[&expr]
    }
    /// What a variable, or an element of it, may hold.
    pub(super) fn of_var(&self, var: VarId) -> Pointee {
        self.vars.get(&var).cloned().unwrap_or_default()
    }
    /// What the pointers at some offsets of an object may be.
    pub(super) fn held(&self, object: ObjectId, at: &Offsets) -> Pointee {
        loaded(self.memory.get(&object), at)
    }
    /// What is added by an addition to a pointer.
    pub(super) fn sum(&self, addition: ExprId) -> &Linear {
        &self.sums[&addition].0
    }
    /// The values of what is added.
    pub(super) fn amount(&self, addition: ExprId) -> &Offsets {
        &self.sums[&addition].1
    }
    /// An integer expression as a sum.
    pub(super) fn linear(&self, program: &Program, expr: ExprId) -> Linear {
        linear(program, &self.totality, expr)
    }
    /// The values of an integer expression.
    pub(super) fn values(&self, program: &Program, expr: ExprId) -> Offsets {
        self.linear(program, expr).values(&self.totality)
    }
    /// Objects whose addresses are known where they are not followed.
    pub(super) fn exposed(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.exposed.iter().copied()
    }
    /// All variables that may hold a pointer to an object.
    pub(super) fn holders(&self, object: ObjectId) -> Vec<VarId> {
        let holds = |(_, held): &(&VarId, &Pointee)| held.objects.contains_key(&object);
        let mut vars: Vec<VarId> = self.vars.iter().filter(holds).map(|(var, _)| *var).collect();
        vars.sort_unstable();
        vars
    }
    /// Whether a pointer to what an activation made may be there when it is over.
    pub(super) fn outlives(&self, objects: &Objects<'_>, object: ObjectId) -> bool {
        let Kind::Site(site) = objects.get(object).kind else { return false };
        let results = &objects.program.procs[site.proc].results;
        let leaves = |var: &VarId| objects.program.vars[*var].owner.is_none() || results.contains(var);
        self.is_in_memory(object) || self.exposed.contains(&object) || self.holders(object).iter().any(leaves)
    }
    /// Whether memory may hold a pointer to an object.
    pub(super) fn is_in_memory(&self, object: ObjectId) -> bool {
        self.memory.values().flat_map(Cells::values).any(|held| held.objects.contains_key(&object))
    }
}

/// What may be read at some offsets.
fn loaded(cells: Option<&Cells>, at: &Offsets) -> Pointee {
    let mut found = Pointee::default();
    for (place, held) in cells.into_iter().flatten() {
        if at.iter().any(|offset| offset.meets(*place)) {
            found.join(held);
        }
    }
    found
}

struct Solver<'a> {
    objects: &'a Objects<'a>,
    program: &'a Program,
    tasks: Vec<Task<'a>>,
    queue: VecDeque<usize>,
    is_queued: Vec<bool>,
    /// The operations that read a variable, or an object.
    readers: FxHashMap<VarId, Vec<usize>>,
    loaders: BTreeMap<ObjectId, BTreeSet<usize>>,
    /// Declarations of pointers that are written before they are read.
    unread: BTreeSet<AllocationSite>,
    outside: Outside,
    result: Pointers,
}

impl<'a> Solver<'a> {
    fn new(objects: &'a Objects<'a>, outside: Outside) -> Self {
        let program = objects.program;
        let tasks: Vec<Task<'a>> = objects.ops().map(|(site, op)| task(program, site, op)).collect();
        let mut readers: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
        for (number, task) in tasks.iter().enumerate() {
            for var in read_pointers(program, task) {
                readers.entry(var).or_default().push(number);
            }
        }
        let totality = Totality::new(program);
        let result = Pointers {
            vars: FxHashMap::default(),
            memory: BTreeMap::new(),
            exprs: FxHashMap::default(),
            sums: sums(objects, &totality),
            exposed: BTreeSet::new(),
            frees_outside: false,
            totality,
        };
        Self {
            objects,
            program,
            queue: (0..tasks.len()).collect(),
            is_queued: vec![true; tasks.len()],
            tasks,
            readers,
            loaders: BTreeMap::new(),
            unread: BTreeSet::new(),
            outside,
            result,
        }
    }

    fn solve(&mut self) {
        self.start();
        while let Some(number) = self.queue.pop_front() {
            self.is_queued[number] = false;
            let mut values = FxHashMap::default();
            for index in 0..self.tasks[number].nodes.len() {
                let id = self.tasks[number].nodes[index];
                let value = self.evaluated(id, &values, number);
                values.insert(id, value);
            }
            let Task { site, op, .. } = self.tasks[number];
            self.op(number, site, op, &values);
        }
    }

    /// Variables that are read before they are written hold nothing that leads anywhere; declarations whose value is never read do nothing.
    fn start(&mut self) {
        let program = self.program;
        for proc in &self.objects.procs {
            let (procedure, later) = (&program.procs[*proc], &self.objects.later[proc]);
            for var in self.objects.own_pointers(*proc) {
                let is_stale = later.at(var, procedure.entry) && !procedure.params.contains(&var);
                if is_stale && (program.vars[var].owner.is_some() || *proc == program.entry) {
                    self.hold_var(var, &Pointee::others(Others::UNWRITTEN));
                }
            }
            for task in self.tasks.iter().filter(|task| task.site.proc == *proc) {
                let Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, .. } = task.op else {
                    continue;
                };
                let edge = &program.procs[*proc].edges()[task.site.edge];
                if holds_pointer(program, *var) && !later.contains(program, *var, edge, task.site.op as usize)
                {
                    self.unread.insert(task.site);
                }
            }
        }
    }

    fn finish(mut self) -> Pointers {
        for index in 0..self.objects.used.len() {
            let id = self.objects.used[index];
            if self.program.exprs.ty(id) == Ty::Ptr {
                let known = std::mem::take(&mut self.result.exprs);
                let value = self.evaluated(id, &known, 0);
                self.result.exprs = known;
                self.result.exprs.insert(id, value);
            }
        }
        self.result
    }

    fn enqueue(&mut self, number: usize) {
        if !std::mem::replace(&mut self.is_queued[number], true) {
            self.queue.push_back(number);
        }
    }

    fn hold_var(&mut self, var: VarId, value: &Pointee) {
        if self.result.vars.entry(var).or_default().join(value) {
            for number in self.readers.get(&var).cloned().unwrap_or_default() {
                self.enqueue(number);
            }
        }
    }

    fn hold_memory(&mut self, object: ObjectId, at: Progression, value: &Pointee) {
        if self.objects.get(object).contents == Contents::Opaque {
            return self.expose(value);
        }
        let size = self.objects.get(object).size;
        let Some(at) = at.within(size, 1) else { return };
        let cells = self.result.memory.entry(object).or_default();
        let at = if cells.contains_key(&Progression::ANY) { Progression::ANY } else { at };
        let mut changed = !cells.contains_key(&at);
        changed |= cells.entry(at).or_default().join(value);
        if cells.len() > MAX_CELLS {
            let mut all = Pointee::default();
            for held in cells.values() {
                all.join(held);
            }
            *cells = Cells::from([(Progression::ANY, all)]);
        }
        if changed {
            for number in self.loaders.get(&object).cloned().unwrap_or_default() {
                self.enqueue(number);
            }
        }
    }

    fn expose(&mut self, value: &Pointee) {
        self.result.exposed.extend(value.objects.keys());
    }

    fn evaluated(&mut self, id: ExprId, known: &FxHashMap<ExprId, Pointee>, task: usize) -> Pointee {
        let of = |id: ExprId| known.get(&id).cloned().unwrap_or_default();
        let exprs = &self.program.exprs;
        let object = |object: Option<ObjectId>| object.map(Pointee::object).unwrap_or_default();
        match *exprs.get(id) {
            Expr::Const { bits, .. } => {
                Pointee::others(if bits == 0 { Others::NULL } else { Others::NUMBER })
            }
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => self.result.of_var(var),
            Expr::Load { addr, .. } => self.load(&of(addr), task),
            Expr::Address { var } => object(self.objects.of_var(var)),
            Expr::Function { proc } => object(self.objects.of_proc(proc)),
            Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => of(lhs).plus(self.result.amount(id)),
            Expr::Ite { then, other, .. } => {
                let mut pointee = of(then);
                pointee.join(&of(other));
                pointee
            }
            Expr::Cast { arg, .. } if exprs.ty(arg) == Ty::Ptr => of(arg),
            Expr::Cast { arg, .. } => match (peeled(self.program, arg), exprs.get(arg)) {
                (Some(pointer), _) => of(pointer),
                (None, Expr::Const { bits: 0, .. }) => Pointee::others(Others::NULL),
                (None, Expr::Const { .. }) => Pointee::others(Others::NUMBER),
                (None, _) => Pointee::others(Others::FOREIGN),
            },
            Expr::Undefined { .. } => Pointee::default(),
            Expr::Binary { .. }
            | Expr::Unary { .. }
            | Expr::LoadBits { .. }
            | Expr::Accessible { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. } => Pointee::others(Others::FOREIGN),
        }
    }

    fn load(&mut self, address: &Pointee, task: usize) -> Pointee {
        let mut found = Pointee::default();
        if address.others.foreign {
            found.join(&Pointee::others(self.behind(address)));
        }
        if address.others.unwritten {
            found.join(&Pointee::others(Others::UNWRITTEN));
        }
        for (object, at) in &address.objects {
            if self.objects.is_followed(*object) {
                self.loaders.entry(*object).or_default().insert(task);
                found.join(&loaded(self.result.memory.get(object), at));
            } else {
                found.join(&Pointee::others(Others::FOREIGN));
            }
        }
        found
    }

    /// What pointers are in memory that is not followed.
    fn behind(&self, address: &Pointee) -> Others {
        if self.outside == Outside::Untouched && !address.others.strange {
            Others::OUTSIDE
        } else {
            Others::FOREIGN
        }
    }

    fn store(&mut self, address: &Pointee, value: &Pointee) {
        if address.others.foreign {
            self.expose(value);
        }
        for (object, offsets) in &address.objects {
            for at in offsets.iter() {
                self.hold_memory(*object, at, value);
            }
        }
    }

    fn write(&mut self, place: &Place, value: &Pointee, known: &FxHashMap<ExprId, Pointee>) {
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => {
                if holds_pointer(self.program, var) {
                    self.hold_var(var, value);
                }
            }
            Place::Mem { addr, ty: Ty::Ptr } => {
                let address = known.get(&addr).cloned().unwrap_or_default();
                self.store(&address, value);
            }
            Place::Mem { .. } | Place::Bits { .. } => {}
        }
    }

    fn op(&mut self, number: usize, site: AllocationSite, op: &Op, known: &FxHashMap<ExprId, Pointee>) {
        let of = |id: ExprId| known.get(&id).cloned().unwrap_or_default();
        for pointer in self.tasks[number].numbers.clone() {
            self.expose(&of(pointer));
        }
        match op {
            Op::Assign { place, value } if self.program.exprs.ty(*value) == Ty::Ptr => {
                self.write(place, &of(*value), known);
            }
            Op::Havoc { .. } if self.unread.contains(&site) => {}
            Op::Havoc { place, source, .. } => {
                self.write(place, &Pointee::others(Others::from(source)), known);
            }
            Op::Init { var, contents } => self.renew(*var, *contents),
            Op::Allocate { var, .. } | Op::Begin { var } => self.renew(*var, InitKind::Uninitialised),
            Op::Malloc { place, contents, .. } => {
                let Some(object) = self.objects.of_site(site) else { return };
                self.hold_memory(object, Progression::ANY, &Pointee::others(fresh(*contents)));
                self.write(place, &Pointee::object(object), known);
            }
            Op::Realloc { place, old, .. } => {
                let Some(object) = self.objects.of_site(site) else { return };
                self.hold_memory(object, Progression::ANY, &Pointee::others(Others::UNWRITTEN));
                self.copy(number, &Pointee::object(object), &of(*old));
                self.write(place, &Pointee::object(object), known);
            }
            Op::Copy { to, from, .. } => self.copy(number, &of(*to), &of(*from)),
            Op::Fill { to, byte, .. } => {
                let is_zero = matches!(self.program.exprs.get(*byte), Expr::Const { bits: 0, .. });
                let others = if is_zero { Others::NULL } else { Others::NUMBER };
                self.store_everywhere(&of(*to), &Pointee::others(others));
            }
            Op::Write { to, .. } => self.store_everywhere(&of(*to), &Pointee::others(Others::NUMBER)),
            Op::Forget { to, addresses, .. } => {
                let others = if addresses.is_empty() { Others::UNWRITTEN } else { Others::FOREIGN };
                self.store_everywhere(&of(*to), &Pointee::others(others));
                self.expose_all(addresses, known);
            }
            Op::CopyElems { to, from, .. } if holds_pointer(self.program, *from) => {
                let value = self.result.of_var(*from);
                self.hold_var(*to, &value);
            }
            Op::FillElems { to, value, .. } if holds_pointer(self.program, *to) => {
                self.hold_var(*to, &of(*value));
            }
            Op::Call { callee, args, results } => self.call(callee, args, results, known),
            Op::Assign { .. }
            | Op::Assume { .. }
            | Op::End { .. }
            | Op::Free { .. }
            | Op::Release { .. }
            | Op::CopyElems { .. }
            | Op::FillElems { .. }
            | Op::Output { .. }
            | Op::Halt { .. } => {}
        }
    }

    fn expose_all(&mut self, addresses: &[ExprId], known: &FxHashMap<ExprId, Pointee>) {
        for address in addresses {
            self.expose(&known.get(address).cloned().unwrap_or_default());
        }
    }

    fn call(
        &mut self,
        callee: &Callee,
        args: &[ExprId],
        results: &[Option<Place>],
        known: &FxHashMap<ExprId, Pointee>,
    ) {
        let targets = match callee {
            Callee::Direct(target) => std::slice::from_ref(target),
            Callee::Indirect { targets, .. } => targets,
        };
        self.alike(targets);
        for target in targets {
            let procedure = &self.program.procs[*target];
            for (param, arg) in procedure.params.iter().zip(args) {
                if holds_pointer(self.program, *param) {
                    self.hold_var(*param, &known.get(arg).cloned().unwrap_or_default());
                }
            }
            for (result, place) in procedure.results.iter().zip(results) {
                if let (Some(place), true) = (place, holds_pointer(self.program, *result)) {
                    let value = self.result.of_var(*result);
                    self.write(place, &value, known);
                }
            }
        }
    }

    /// All targets of one call take and return pointers alike.
    fn alike(&mut self, targets: &[ProcId]) {
        let Some((first, others)) = targets.split_first() else { return };
        if others.is_empty() {
            return;
        }
        let program = self.program;
        let interface = |proc: &ProcId| {
            let procedure = &program.procs[*proc];
            procedure.params.iter().chain(&procedure.results).copied().collect::<Vec<VarId>>()
        };
        for position in 0..interface(first).len() {
            let vars: Vec<VarId> =
                targets.iter().filter_map(|target| interface(target).get(position).copied()).collect();
            if !vars.iter().all(|var| holds_pointer(program, *var)) {
                continue;
            }
            let mut all = Pointee::default();
            for var in &vars {
                all.join(&self.result.of_var(*var));
            }
            for var in vars {
                self.hold_var(var, &all);
            }
        }
    }

    /// A variable gets new contents.
    fn renew(&mut self, var: VarId, contents: InitKind) {
        let value = Pointee::others(fresh(contents));
        match self.objects.of_var(var) {
            Some(object) => self.hold_memory(object, Progression::ANY, &value),
            None if holds_pointer(self.program, var) => self.hold_var(var, &value),
            None => {}
        }
    }

    fn store_everywhere(&mut self, address: &Pointee, value: &Pointee) {
        for object in address.objects.keys() {
            self.hold_memory(*object, Progression::ANY, value);
        }
    }

    /// Every pointer of the source may be anywhere in the target, or at its place if both addresses are known.
    fn copy(&mut self, task: usize, to: &Pointee, from: &Pointee) {
        if from.objects.keys().any(|object| !self.objects.is_followed(*object)) {
            self.store_everywhere(to, &Pointee::others(Others::FOREIGN));
        } else if from.others.foreign {
            self.store_everywhere(to, &Pointee::others(self.behind(from)));
        }
        for (source, source_offsets) in &from.objects {
            self.loaders.entry(*source).or_default().insert(task);
            let cells = self.result.memory.get(source).cloned().unwrap_or_default();
            for (at, held) in cells {
                if to.others.foreign {
                    self.expose(&held);
                }
                for (target, target_offsets) in &to.objects {
                    let moved = match (source_offsets.single(), target_offsets.single()) {
                        (Some(source), Some(target)) => {
                            at.plus(Progression::one(-source)).plus(Progression::one(target))
                        }
                        _ => Progression::ANY,
                    };
                    self.hold_memory(*target, moved, &held);
                }
            }
        }
    }
}
