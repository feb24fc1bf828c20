//! Accesses beyond what a pointer is assumed to lead to when execution starts in a function other than `main`.
//!
//! Such a pointer leads to an object with a certain number of elements (module `entry`). A caller of the function may pass more of them, or memory
//! that can be freed. An access beyond the assumed ones is undefined in the program, which ends the execution there; so the program has fewer
//! behaviours than the source, and the ledger says so. Where no such access is possible, nothing is lost.
//!
//! # Invariants
//! * B1: flow-insensitive and closed under assignment, calls and memory: if an execution has a pointer into an object at an offset, the analysis
//!   has that offset among those of the object in the value of the expression, variable or memory where the pointer is. What one operation allocates is one
//!   object; objects are looked at byte by byte as far as offsets are constant. Pointers in memory from outside lead there, too.
//! * B2: numbers of all types but truth values carry pointers, or pieces of them that have at least 8 bits; then nothing is known of the offset.

use std::collections::{BTreeMap, BTreeSet};

use base::{IndexVec, Region};
use cfa::{
    Approximation, ApproximationKind, Expr, ExprId, Op, Place, ProcId, Procedure, Program, Source, Storage,
    Ty, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lower::indices::Indices;
use crate::lower::range::Ranges;
use crate::lower::targets::{Growth, Object, Offsets, Targets};

/// After so many rounds offsets that still change may be any.
const MAX_ROUNDS: u32 = 8;

/// Targets that are computed before the analysis gives up; then every access may be beyond.
const MAX_WORK: usize = 20_000_000;

/// An object that execution starts with.
#[derive(Clone, Debug)]
pub(super) struct StartObject {
    /// The object, or the variable that holds the address of one that is allocated.
    pub(super) var: VarId,
    /// The C expression of the pointer to it.
    pub(super) pointer: String,
    /// The number of elements that it has.
    pub(super) elements: u64,
    /// Its size.
    pub(super) bytes: u64,
}

/// Where all pointers of a program may lead.
pub(super) struct State<'p> {
    program: &'p Program,
    indices: &'p Indices,
    /// The sizes of objects that execution starts with, by the variable that they are or that holds their address.
    allocated: FxHashMap<VarId, u64>,
    ranges: Ranges,
    pointer_size: i64,
    values: Vec<Targets>,
    vars: IndexVec<VarId, Targets>,
    /// Pointers at constant offsets of objects.
    cells: BTreeMap<(Object, i64), Targets>,
    /// Pointers at any offset of an object.
    smeared: BTreeMap<Object, Targets>,
    /// Pointers in all memory that is no variable, allocations included.
    heap: Targets,
    /// Those that are stored where it is not known in which of this memory: every allocation may hold them.
    strewn: Targets,
    /// Pointers that were made numbers.
    exposed: Targets,
    growth: Growth,
    changed: bool,
}

/// What the program may do beyond what execution starts with: for each object the first place, and the pointer to it if more elements would help.
pub(super) fn accesses(
    program: &Program,
    objects: &[StartObject],
    indices: &Indices,
) -> Vec<(Option<String>, Approximation)> {
    if objects.is_empty() {
        return Vec::new();
    }
    if let Some(state) = State::of_program(program, indices, objects) {
        return state.find(objects);
    }
    let gave_up = |object: &StartObject| object.approximation(Beyond::Accessed, Region::NOWHERE);
    objects.iter().map(gave_up).collect()
}

impl<'p> State<'p> {
    /// Where the pointers of a program may lead; `None` if that takes too long.
    pub(super) fn of_program(
        program: &'p Program,
        indices: &'p Indices,
        objects: &[StartObject],
    ) -> Option<Self> {
        let mut state = State {
            program,
            indices,
            allocated: objects.iter().map(|object| (object.var, object.bytes)).collect(),
            ranges: Ranges::new(program),
            pointer_size: (program.data_model.pointer_width() / 8).into(),
            values: vec![Targets::default(); program.exprs.len()],
            vars: program.vars.iter().map(|_| Targets::default()).collect(),
            cells: BTreeMap::new(),
            smeared: BTreeMap::new(),
            heap: Targets::elsewhere(),
            strewn: Targets::default(),
            exposed: Targets::default(),
            growth: Growth::Free,
            changed: true,
        };
        let (mut rounds, mut work) = (0, 0);
        while std::mem::replace(&mut state.changed, false) {
            rounds += 1;
            if rounds > MAX_ROUNDS {
                state.growth = Growth::Bounded;
            }
            state.evaluate();
            work += state.values.iter().map(|targets| targets.objects.len() + 1).sum::<usize>();
            if work > MAX_WORK {
                return None;
            }
            let ops = program.procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops);
            for (number, op) in ops.enumerate() {
                state.propagate(op, number);
            }
        }
        Some(state)
    }
}

impl State<'_> {
    /// Whether two pointers, neither of which is null, may lead to one object.
    pub(super) fn may_meet(&self, one: ExprId, other: ExprId) -> bool {
        self.of(one).meets(self.of(other))
    }

    /// Where the pointers may lead that a variable or its elements hold, unless it lies in memory.
    pub(super) fn held(&self, var: VarId) -> Option<&Targets> {
        match self.program.vars[var].storage {
            Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. } => Some(&self.vars[var]),
            _ => None,
        }
    }

    /// Where a pointer may lead that memory holds.
    pub(super) fn loaded(&self, addr: &Targets) -> Targets {
        self.read(addr, self.pointer_size.unsigned_abs())
    }

    fn of(&self, expr: ExprId) -> &Targets {
        &self.values[expr.0 as usize]
    }

    /// The values of all expressions, operands first.
    fn evaluate(&mut self) {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            let value = self.expr(id, expr);
            self.values[id.0 as usize] = value;
        }
    }

    fn expr(&mut self, id: ExprId, expr: &Expr) -> Targets {
        let exprs = &self.program.exprs;
        let is_pointer = exprs.ty(id) == Ty::Ptr;
        match *expr {
            Expr::Load { addr, ty } => {
                let size = self.program.size_of(ty);
                let read = self.read(&self.of(addr).clone(), size);
                if is_pointer {
                    return read;
                }
                if self.carries(ty) {
                    self.expose(&read);
                }
                Targets::default()
            }
            Expr::LoadBits { addr, .. } => {
                let read = self.read(&self.of(addr).clone(), 17);
                self.expose(&read);
                Targets::default()
            }
            Expr::Cast { arg, .. } if is_pointer => match exprs.ty(arg) {
                Ty::Ptr => self.of(arg).clone(),
                _ => Targets { elsewhere: true, ..self.exposed.clone() },
            },
            Expr::Cast { arg, ty } if exprs.ty(arg) == Ty::Ptr => {
                if self.carries(ty) {
                    self.expose(&self.of(arg).clone());
                }
                Targets::default()
            }
            _ if !is_pointer => Targets::default(),
            Expr::Const { bits, .. } => Targets { elsewhere: bits != 0, ..Targets::default() },
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } => self.vars[var].clone(),
            Expr::Address { var } => Targets::start_of(Object::Variable(var)),
            Expr::Function { .. }
            | Expr::Unary { .. }
            | Expr::Cast { .. }
            | Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. }
            | Expr::Undefined { .. } => Targets::elsewhere(),
            Expr::Binary { lhs, rhs, .. } => {
                let amount = narrowed(self.ranges.get(rhs), self.indices.range(id));
                self.of(lhs).plus(amount)
            }
            Expr::Ite { then, other, .. } => {
                let mut value = self.of(then).clone();
                value.join(&self.of(other).clone(), Growth::Free);
                value
            }
        }
    }

    /// Whether a number of a type may be a pointer, or a part of one (B2).
    fn carries(&self, ty: Ty) -> bool {
        ty.width(self.program.data_model) >= 8
    }

    fn expose(&mut self, targets: &Targets) {
        let growth = self.growth;
        self.changed |= self.exposed.join(&targets.anywhere(), growth);
    }

    /// The pointers that a number of bytes at an address may hold.
    fn read(&self, addr: &Targets, size: u64) -> Targets {
        let mut found = Targets::default();
        for (object, offsets) in &addr.objects {
            let cells = self.cells.range((*object, i64::MIN)..=(*object, i64::MAX));
            for ((_, at), held) in cells {
                match offsets.exact() {
                    Some(offset) if *at == offset => {
                        found.join(held, Growth::Free);
                    }
                    // Bytes of several pointers are no pointer, but who knows.
                    Some(offset) if self.overlaps(*at, offset, size) => {
                        found.join(&held.anywhere(), Growth::Free);
                    }
                    None if self.may_overlap(*at, *offsets, size) => {
                        found.join(held, Growth::Free);
                    }
                    Some(_) | None => {}
                }
            }
            if let Some(held) = self.smeared.get(object) {
                found.join(held, Growth::Free);
            }
            if object.variable().is_none() {
                found.join(&self.strewn, Growth::Free);
            }
        }
        if addr.elsewhere {
            found.join(&self.heap, Growth::Free);
        }
        found
    }

    /// Whether the pointer at an offset and a piece of memory at another one have bytes in common.
    fn overlaps(&self, pointer: i64, offset: i64, size: u64) -> bool {
        let end = offset.saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
        pointer < end && offset < pointer.saturating_add(self.pointer_size)
    }

    /// The same for a piece at one of several offsets.
    fn may_overlap(&self, pointer: i64, offsets: Offsets, size: u64) -> bool {
        let end = offsets.most.saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
        pointer < end && offsets.least < pointer.saturating_add(self.pointer_size)
    }

    fn write(&mut self, addr: &Targets, value: &Targets) {
        if *value == Targets::default() {
            return;
        }
        let growth = self.growth;
        for (object, offsets) in &addr.objects {
            let held = match offsets.exact() {
                Some(offset) => self.cells.entry((*object, offset)).or_default(),
                None => self.smeared.entry(*object).or_default(),
            };
            self.changed |= held.join(value, growth);
            if object.variable().is_none() {
                self.changed |= self.heap.join(value, growth);
            }
        }
        if addr.elsewhere {
            self.changed |= self.heap.join(value, growth) | self.strewn.join(value, growth);
        }
    }

    fn store(&mut self, place: &Place, value: &Targets) {
        let growth = self.growth;
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => {
                self.changed |= self.vars[var].join(value, growth);
            }
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => {
                let addr = self.of(addr).clone();
                self.write(&addr, value);
            }
        }
    }

    /// Follows the operation with a number.
    fn propagate(&mut self, op: &Op, number: usize) {
        match op {
            Op::Assign { place, value } => {
                let targets = match self.program.exprs.ty(*value) {
                    Ty::Ptr => self.of(*value).clone(),
                    ty if self.carries(ty) && matches!(place, Place::Mem { .. } | Place::Bits { .. }) => {
                        self.exposed.clone()
                    }
                    _ => return,
                };
                self.store(place, &targets);
            }
            Op::Havoc { place, source, .. }
                if self.holds_pointer(place) && *source != Source::Uninitialised =>
            {
                self.store(place, &Targets::elsewhere());
            }
            Op::Malloc { place: place @ Place::Var(var), .. } if self.allocated.contains_key(var) => {
                self.store(place, &Targets::start_of(Object::Variable(*var)));
            }
            Op::Malloc { place, .. } => {
                self.store(place, &Targets::start_of(Object::Allocated(number)));
            }
            Op::Realloc { place, old, .. } => {
                let contents = self.read(&self.of(*old).anywhere(), 1);
                let allocated = Targets::start_of(Object::Allocated(number));
                self.write(&allocated.anywhere(), &contents);
                self.store(place, &allocated);
            }
            Op::Copy { to, from, length } => self.copy(*to, *from, *length),
            Op::Fill { to, .. } => {
                let (to, bytes) = (self.of(*to).anywhere(), self.exposed.clone());
                self.write(&to, &bytes);
            }
            Op::Forget { to, addresses, .. } => {
                let to = self.of(*to).anywhere();
                for address in addresses {
                    let known = self.of(*address).anywhere();
                    self.write(&to, &known);
                }
                if !addresses.is_empty() {
                    self.write(&to, &Targets::elsewhere());
                }
            }
            Op::Call { args, results, .. } => {
                for target in op.call_targets() {
                    self.call(*target, args, results);
                }
            }
            _ => {}
        }
    }

    /// Arguments become parameters, and results come back.
    fn call(&mut self, target: ProcId, args: &[ExprId], results: &[Option<Place>]) {
        let procedure = &self.program.procs[target];
        for (param, arg) in procedure.params.iter().zip(args) {
            let targets = self.of(*arg).clone();
            self.store(&Place::Var(*param), &targets);
        }
        for (result, place) in procedure.results.iter().zip(results) {
            if let Some(place) = place {
                let targets = self.vars[*result].clone();
                self.store(place, &targets);
            }
        }
    }

    fn holds_pointer(&self, place: &Place) -> bool {
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => match self.program.vars[var].storage {
                Storage::Scalar(ty) | Storage::Array { elem: ty, .. } => ty == Ty::Ptr,
                Storage::Object { .. } => false,
            },
            Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty == Ty::Ptr,
        }
    }

    /// What a piece of memory holds comes to another one: pointers stay at their offsets if all of them are known.
    fn copy(&mut self, to: ExprId, from: ExprId, length: ExprId) {
        let (to, from) = (self.of(to).clone(), self.of(from).clone());
        let size = self.ranges.get(length).map(|(_, most)| most);
        let single = |targets: &Targets| match targets.objects.iter().next() {
            Some((object, offsets)) if targets.objects.len() == 1 && !targets.elsewhere => {
                offsets.exact().map(|offset| (*object, offset))
            }
            _ => None,
        };
        if let (Some(_), Some((source, first)), Some(size)) = (single(&to), single(&from), size)
            && let Ok(size) = i64::try_from(size)
        {
            let end = first.saturating_add(size);
            let moved: Vec<(i64, Targets)> = self
                .cells
                .range((source, first.saturating_sub(self.pointer_size - 1))..(source, end))
                .map(|((_, at), held)| (*at, held.clone()))
                .collect();
            for (at, held) in moved {
                let is_whole = at >= first && at.saturating_add(self.pointer_size) <= end;
                let amount = i128::from(at) - i128::from(first);
                let address = if is_whole { to.plus(Some((amount, amount))) } else { to.anywhere() };
                self.write(&address, &held);
            }
            if let Some(held) = self.smeared.get(&source).cloned() {
                self.write(&to.anywhere(), &held);
            }
            if source.variable().is_none() {
                let strewn = self.strewn.clone();
                self.write(&to.anywhere(), &strewn);
            }
            return;
        }
        let held = self.read(&from.anywhere(), 1);
        self.write(&to.anywhere(), &held);
    }

    /// The first place of each object where an access may be beyond it, or where it may be freed.
    fn find(&self, objects: &[StartObject]) -> Vec<(Option<String>, Approximation)> {
        let mut found: FxHashMap<VarId, (Region, Beyond)> = FxHashMap::default();
        let mut accesses = Vec::new();
        for edge in self.program.procs.iter().flat_map(Procedure::edges) {
            for op in &edge.ops {
                accesses.clear();
                self.collect(op, &mut accesses);
                for (addr, size, how) in &accesses {
                    for (object, offsets) in &self.accessed(*addr).objects {
                        let Some(var) = object.variable() else { continue };
                        let is_beyond = match how {
                            Beyond::Freed => {
                                matches!(self.program.vars[var].storage, Storage::Object { .. })
                            }
                            Beyond::Accessed => !self.is_inside(var, *offsets, *size),
                        };
                        if is_beyond {
                            found.entry(var).or_insert((edge.origin.region, *how));
                        }
                    }
                }
            }
        }
        let before = self.moved_back();
        let known = objects.iter().filter_map(|object| Some((object, found.get(&object.var)?)));
        known
            .map(|(object, (region, how))| {
                let (short, approximation) = object.approximation(*how, *region);
                (short.filter(|_| !before.contains(&object.var)), approximation)
            })
            .collect()
    }

    /// Objects to which pointers are moved backwards: more elements at the end do not help where those before the first one are accessed.
    fn moved_back(&self) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        for (id, expr) in self.program.exprs.iter() {
            let Expr::Binary { lhs, rhs, .. } = *expr else { continue };
            let amount = narrowed(self.ranges.get(rhs), self.indices.range(id));
            if self.program.exprs.ty(id) == Ty::Ptr && amount.is_some_and(|(_, most)| most < 0) {
                found.extend(self.of(lhs).variables());
            }
        }
        found
    }

    /// Where an access at an address leads: never to the end of an array.
    fn accessed(&self, addr: ExprId) -> Targets {
        match (*self.program.exprs.get(addr), self.indices.last(addr)) {
            (Expr::Binary { lhs, rhs, .. }, Some(last)) => {
                self.of(lhs).plus(narrowed(self.ranges.get(rhs), Some((0, last))))
            }
            _ => self.of(addr).clone(),
        }
    }

    fn is_inside(&self, var: VarId, offsets: Offsets, size: Option<i128>) -> bool {
        let all = match (self.program.vars[var].storage, self.allocated.get(&var)) {
            (_, Some(bytes)) => *bytes,
            (Storage::Object { size, .. }, None) => size,
            (_, None) => return true,
        };
        let Some(size) = size else { return false };
        offsets.least >= 0 && i128::from(offsets.most) + size <= i128::from(all)
    }

    /// What an operation accesses: address, number of bytes if it has a bound, and how.
    fn collect(&self, op: &Op, accesses: &mut Vec<(ExprId, Option<i128>, Beyond)>) {
        let bits =
            |bit: u8, ty: Ty| Some((i128::from(bit) + i128::from(ty.width(self.program.data_model)) + 7) / 8);
        for place in op.places() {
            match *place {
                Place::Mem { addr, ty } => {
                    accesses.push((addr, Some(self.program.size_of(ty).into()), Beyond::Accessed));
                }
                Place::Bits { addr, bit, ty } => accesses.push((addr, bits(bit, ty), Beyond::Accessed)),
                Place::Var(_) | Place::Elem { .. } => {}
            }
        }
        let most = |length: ExprId| self.ranges.get(length).map(|(_, most)| most);
        match op {
            Op::Copy { to, from, length } => {
                accesses.push((*to, most(*length), Beyond::Accessed));
                accesses.push((*from, most(*length), Beyond::Accessed));
            }
            // What a function without body makes arbitrary is never more than there is.
            Op::Fill { to, length, .. } => accesses.push((*to, most(*length), Beyond::Accessed)),
            Op::Write { to, bytes } => accesses.push((*to, Some(bytes.len() as i128), Beyond::Accessed)),
            Op::Free { addr } | Op::Realloc { old: addr, .. } => accesses.push((*addr, None, Beyond::Freed)),
            // Strings end somewhere.
            Op::Output { args, .. } => {
                accesses.extend(args.iter().map(|arg| (*arg, None, Beyond::Accessed)));
            }
            _ => {}
        }
        let mut pending: Vec<ExprId> = op.exprs().collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let expr = self.program.exprs.get(id);
            match *expr {
                Expr::Load { addr, ty } => {
                    accesses.push((addr, Some(self.program.size_of(ty).into()), Beyond::Accessed));
                }
                Expr::LoadBits { addr, bit, ty } => accesses.push((addr, bits(bit, ty), Beyond::Accessed)),
                _ => {}
            }
            pending.extend(expr.operands());
        }
    }
}

/// What is in both of two ranges; all numbers are if nothing is known.
fn narrowed(values: Option<(i128, i128)>, indices: Option<(i128, i128)>) -> Option<(i128, i128)> {
    match (values, indices) {
        (Some((least, most)), Some((first, last))) if least.max(first) <= most.min(last) => {
            Some((least.max(first), most.min(last)))
        }
        (values, indices) => values.or(indices),
    }
}

/// What goes beyond the assumptions about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Accessed,
    Freed,
}

impl StartObject {
    fn approximation(&self, how: Beyond, region: Region) -> (Option<String>, Approximation) {
        let Self { pointer, elements, .. } = self;
        let count = if *elements == 1 { "one element".to_owned() } else { format!("{elements} elements") };
        let what = match how {
            Beyond::Accessed => format!(
                "`{pointer}` is assumed to point to {count}, but an access may be out of bounds; `--entry-elements N` assumes N"
            ),
            Beyond::Freed => {
                format!(
                    "`{pointer}` is assumed to point to an object that must not be freed, but it may be freed"
                )
            }
        };
        let short = (how == Beyond::Accessed).then(|| pointer.clone());
        (short, Approximation { kind: ApproximationKind::Under, what, region })
    }
}
