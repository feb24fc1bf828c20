//! What an evaluation may read and write: of the operands of one expression, and of everything that a procedure calls.
//!
//! # Invariants
//! * P1: a footprint contains every variable and every class of memory that an evaluation may read or write, local variables of called
//!   procedures and the temporary objects for their results apart: nobody else sees those.
//! * P2: memory that is reached through pointers is told apart by the size of the access; an access to single bytes may be to
//!   anything. Accesses of different sizes to one object are taken for accesses to different ones, as C's rules about aliasing allow. So are
//!   different members of structures, of one type or of two, unless they are reached through a union, and a structure as a whole and members of
//!   structures that are no part of it. Where that is not enough, pointers are told apart by the objects that
//!   they may lead to (module `pointer_targets`).
//!
//! # Cost
//! A procedure is read once; what it calls is collected once for each procedure that an expression with an effect calls.

use std::collections::BTreeSet;

use base::Idx;
use cfa::{Callee, Expr, ExprId, HaltReason, Loc, Op, Place, ProcId, Procedure, Program, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::hir::{self, VariableId};
use crate::lower::function::RESULT_ADDRESS;
use crate::types::{RecordId, Types};

/// The model of the function behind `errno`.
const ERRNO_MODEL: &str = "__wayproof___errno_location";

/// Sizes of accesses: a set of classes.
pub(super) type Sizes = u8;
/// Accesses of every size.
pub(super) const ANY_SIZE: Sizes = !0;

/// The class of accesses with a scalar type.
pub(super) fn sizes_of(ty: Ty, pointer_width: u8) -> Sizes {
    let width = match ty {
        Ty::Int { width, .. } => width,
        Ty::Ptr => pointer_width,
        Ty::Float(cfa::FloatKind::Single) => 32,
        Ty::Float(cfa::FloatKind::Double) => 64,
        Ty::Float(_) => 128,
    };
    match width {
        16 => 1,
        32 => 2,
        64 => 4,
        128 => 8,
        // Bytes, and bit-fields.
        _ => ANY_SIZE,
    }
}

/// What is read and written (P1).
#[derive(Clone, Debug, Default)]
pub(super) struct Footprint {
    /// Variables that are read by name.
    pub reads: BTreeSet<VariableId>,
    /// Variables that are written by name.
    pub writes: BTreeSet<VariableId>,
    /// Parts of variables that are read by name.
    pub reads_parts: BTreeSet<Part>,
    /// Parts of variables that are written by name.
    pub writes_parts: BTreeSet<Part>,
    /// Memory that is read through pointers, by calls.
    pub reads_memory: Sizes,
    /// Memory that is written through pointers, by calls.
    pub writes_memory: Sizes,
    /// What the expression itself reads through pointers.
    pub reads_behind: BTreeSet<Behind>,
    /// What the expression itself writes through pointers.
    pub writes_behind: BTreeSet<Behind>,
    /// Whether the execution may end there, in an error or otherwise.
    pub ends: Ends,
}

/// An access through a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Behind {
    /// The pointer.
    pub pointer: hir::ExprId,
    /// The part of a structure that is accessed.
    pub member: Option<Member>,
    /// How it is accessed.
    pub sizes: Sizes,
}

impl Behind {
    /// Whether the types of two accesses allow that they are to the same memory.
    pub(super) fn meets(self, other: Self, types: &Types) -> bool {
        match (self.member, other.member) {
            (Some(one), Some(two)) => one.meets(two, types),
            _ => self.sizes & other.sizes != 0,
        }
    }
}

/// A part of a variable.
pub(super) type Part = (VariableId, Member);

/// A scalar in the innermost structure around it, or a whole structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// The type of the structure.
    pub record: RecordId,
    /// The number of the member; `None` is all of them.
    pub field: Option<u32>,
}

impl Member {
    /// Whether two accesses may be to the same memory. Where two structures overlap, one is a part of the other.
    pub(super) fn meets(self, other: Self, types: &Types) -> bool {
        match (self.field, other.field) {
            (Some(one), Some(two)) => (self.record, one) == (other.record, two),
            (None, Some(_)) => holds(types, self.record, other.record),
            (Some(_), None) => holds(types, other.record, self.record),
            (None, None) => {
                holds(types, self.record, other.record) || holds(types, other.record, self.record)
            }
        }
    }
}

/// Whether a structure is of a type, or has a part of it.
fn holds(types: &Types, outer: RecordId, inner: RecordId) -> bool {
    let (mut pending, mut seen) = (vec![outer], FxHashSet::default());
    while let Some(record) = pending.pop() {
        if record == inner {
            return true;
        }
        if !seen.insert(record) {
            continue;
        }
        for field in &types.records[record].fields {
            let mut ty = field.ty;
            while let Some((elem, _)) = types.array(ty) {
                ty = elem;
            }
            pending.extend(types.record(ty));
        }
    }
    false
}

/// How an execution may end in an evaluation.
#[expect(clippy::struct_excessive_bools, reason = "independent ways to end")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    /// In an error.
    pub in_error: bool,
    /// By `exit`, `abort` and the like.
    pub in_halt: bool,
    /// In undefined behaviour, which is an error where it is checked.
    pub in_check: bool,
    /// Never: it has a loop, which may go on for ever. Recursion is taken to end.
    pub in_loop: bool,
}

impl Footprint {
    /// Adds another one.
    pub(super) fn add(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.reads_parts.extend(&other.reads_parts);
        self.writes_parts.extend(&other.writes_parts);
        self.reads_memory |= other.reads_memory;
        self.writes_memory |= other.writes_memory;
        self.reads_behind.extend(&other.reads_behind);
        self.writes_behind.extend(&other.writes_behind);
        self.ends.in_error |= other.ends.in_error;
        self.ends.in_halt |= other.ends.in_halt;
        self.ends.in_check |= other.ends.in_check;
        self.ends.in_loop |= other.ends.in_loop;
    }
    /// Whether anything is written.
    pub(super) fn has_writes(&self) -> bool {
        !self.writes.is_empty()
            || !self.writes_parts.is_empty()
            || self.writes_memory != 0
            || !self.writes_behind.is_empty()
    }
}

/// The footprints of procedures.
#[derive(Debug)]
pub(super) struct Footprints<'a> {
    program: &'a Program,
    variable_of: &'a FxHashMap<VarId, VariableId>,
    errno: Option<VariableId>,
    /// Without what they call.
    own: FxHashMap<ProcId, (Footprint, Vec<ProcId>)>,
    whole: FxHashMap<ProcId, Footprint>,
}

impl<'a> Footprints<'a> {
    /// None is known yet.
    pub(super) fn new(
        program: &'a Program,
        variable_of: &'a FxHashMap<VarId, VariableId>,
        errno: Option<VariableId>,
    ) -> Self {
        Self { program, variable_of, errno, own: FxHashMap::default(), whole: FxHashMap::default() }
    }

    /// Of a procedure with all that it calls.
    pub(super) fn of(&mut self, proc: ProcId) -> &Footprint {
        if !self.whole.contains_key(&proc) {
            let mut sum = Footprint::default();
            let (mut pending, mut seen) = (vec![proc], FxHashSet::default());
            while let Some(next) = pending.pop() {
                if !seen.insert(next) {
                    continue;
                }
                if !self.own.contains_key(&next) {
                    let own = self.read(next);
                    self.own.insert(next, own);
                }
                let (own, callees) = &self.own[&next];
                sum.add(own);
                pending.extend(callees);
            }
            self.whole.insert(proc, sum);
        }
        &self.whole[&proc]
    }

    fn read(&self, proc: ProcId) -> (Footprint, Vec<ProcId>) {
        let reader = Reader {
            of: self,
            errno_pointers: self.errno_pointers(proc),
            result: result_address(self.program, proc),
        };
        let (mut found, mut callees, mut seen) = (Footprint::default(), Vec::new(), FxHashSet::default());
        for op in self.program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
            for place in op.places() {
                reader.write(place, &mut found);
            }
            for expr in op.exprs() {
                reader.values(expr, &mut found, &mut seen);
            }
            match op {
                Op::Copy { to, from, .. } => {
                    reader.bytes(*to, &mut found.writes, &mut found.writes_memory);
                    reader.bytes(*from, &mut found.reads, &mut found.reads_memory);
                }
                Op::Fill { to, .. }
                | Op::Write { to, .. }
                | Op::Forget { to, .. }
                | Op::Free { addr: to }
                | Op::Release { addr: to } => {
                    reader.bytes(*to, &mut found.writes, &mut found.writes_memory);
                }
                Op::Realloc { old, .. } => reader.bytes(*old, &mut found.writes, &mut found.writes_memory),
                Op::Halt { reason: HaltReason::Exit(_) | HaltReason::Abort } => found.ends.in_halt = true,
                Op::Output { .. } => found.reads_memory = ANY_SIZE,
                Op::Call { callee, .. } => {
                    callees.extend(op.call_targets());
                    if let Callee::Indirect { targets, .. } = callee
                        && targets.is_empty()
                    {
                        (found.reads_memory, found.writes_memory) = (ANY_SIZE, ANY_SIZE);
                    }
                }
                _ => {}
            }
        }
        found.ends.in_error = self.program.procs[proc].error.is_some();
        found.ends.in_check = true;
        found.ends.in_loop = has_cycle(&self.program.procs[proc]);
        (found, callees)
    }

    /// The variables of a procedure that hold the address of `errno`.
    fn errno_pointers(&self, proc: ProcId) -> FxHashSet<VarId> {
        let mut found = FxHashSet::default();
        let ops = || self.program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
        for op in ops() {
            if let Op::Call { callee: Callee::Direct(callee), results, .. } = op
                && &*self.program.procs[*callee].name == ERRNO_MODEL
            {
                found.extend(results.iter().flatten().filter_map(Place::var));
            }
        }
        if !found.is_empty() {
            for op in ops() {
                if let Op::Assign { place: Place::Var(copy), value } = op
                    && let Expr::Var { var, .. } = *self.program.exprs.get(*value)
                    && found.contains(&var)
                {
                    found.insert(*copy);
                }
            }
        }
        found
    }
}

/// Whether the control flow of a procedure has a cycle: locations without edges into them are taken away until none is left, or only cycles and what is behind them.
fn has_cycle(proc: &Procedure) -> bool {
    let mut incoming = vec![0_usize; proc.locations.len()];
    for edge in proc.edges() {
        incoming[edge.target.index()] += 1;
    }
    let mut free: Vec<Loc> =
        proc.locations.ids().filter(|location| incoming[location.index()] == 0).collect();
    let mut taken = 0;
    while let Some(location) = free.pop() {
        taken += 1;
        for edge in proc.outgoing(location) {
            let target = proc.edges()[*edge].target;
            incoming[target.index()] -= 1;
            if incoming[target.index()] == 0 {
                free.push(target);
            }
        }
    }
    taken < proc.locations.len()
}

/// The hidden parameter with the address of a temporary object for the result.
fn result_address(program: &Program, proc: ProcId) -> Option<VarId> {
    let first = *program.procs[proc].params.first()?;
    (*program.vars[first].name == *RESULT_ADDRESS).then_some(first)
}

/// Reads the operations of one procedure.
struct Reader<'a, 'p> {
    of: &'a Footprints<'p>,
    errno_pointers: FxHashSet<VarId>,
    /// The hidden parameter that says where the result belongs.
    result: Option<VarId>,
}

impl Reader<'_, '_> {
    /// The variable of the source behind a variable that other procedures see, too.
    fn shared(&self, var: VarId) -> Option<VariableId> {
        if self.of.program.vars[var].owner.is_some() {
            return None;
        }
        self.of.variable_of.get(&var).copied()
    }

    /// The object that an address leads into, if it is known.
    fn object(&self, mut addr: ExprId) -> Option<VarId> {
        loop {
            match *self.of.program.exprs.get(addr) {
                Expr::Address { var } => return Some(var),
                Expr::Binary { op: cfa::BinaryOp::PtrAdd, lhs, .. } => addr = lhs,
                _ => return None,
            }
        }
    }

    /// Whether an address leads into the object that the caller made for the result.
    fn is_result(&self, mut addr: ExprId) -> bool {
        loop {
            match *self.of.program.exprs.get(addr) {
                Expr::Var { var, .. } => return self.result == Some(var),
                Expr::Binary { op: cfa::BinaryOp::PtrAdd, lhs, .. } => addr = lhs,
                _ => return false,
            }
        }
    }

    fn access(&self, addr: ExprId, sizes: Sizes, variables: &mut BTreeSet<VariableId>, memory: &mut Sizes) {
        match (self.object(addr), self.of.program.exprs.get(addr)) {
            (Some(var), _) => variables.extend(self.shared(var)),
            (None, Expr::Var { var, .. }) if self.errno_pointers.contains(var) => {
                variables.extend(self.of.errno);
            }
            (None, _) if self.is_result(addr) => {}
            (None, _) => *memory |= sizes,
        }
    }

    fn bytes(&self, addr: ExprId, variables: &mut BTreeSet<VariableId>, memory: &mut Sizes) {
        self.access(addr, ANY_SIZE, variables, memory);
    }

    fn write(&self, place: &Place, found: &mut Footprint) {
        let width = self.of.program.exprs.pointer_width();
        match *place {
            Place::Var(var) | Place::Elem { array: var, .. } => found.writes.extend(self.shared(var)),
            Place::Mem { addr, ty } => {
                self.access(addr, sizes_of(ty, width), &mut found.writes, &mut found.writes_memory);
            }
            Place::Bits { addr, .. } => self.bytes(addr, &mut found.writes, &mut found.writes_memory),
        }
    }

    fn values(&self, expr: ExprId, found: &mut Footprint, seen: &mut FxHashSet<ExprId>) {
        let width = self.of.program.exprs.pointer_width();
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let node = self.of.program.exprs.get(expr);
            match *node {
                Expr::Var { var, .. } | Expr::Elem { array: var, .. } => found.reads.extend(self.shared(var)),
                Expr::Load { addr, ty } => {
                    self.access(addr, sizes_of(ty, width), &mut found.reads, &mut found.reads_memory);
                }
                Expr::LoadBits { addr, .. } => {
                    self.bytes(addr, &mut found.reads, &mut found.reads_memory);
                }
                _ => {}
            }
            pending.extend(node.operands());
        }
    }
}
