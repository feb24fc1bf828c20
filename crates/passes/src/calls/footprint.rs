//! What an activation of a procedure reads and writes beyond its own variables, what it calls included.

use std::collections::BTreeSet;

use base::IndexVec;

use super::CallGraph;
use crate::lifetimes::read_vars;
use cfa::op::{InitKind, Op, Place};
use cfa::{Expr, ExprId, ProcId, Program, VarId};

/// What is done with memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Memory {
    /// Nothing.
    #[default]
    Untouched,
    /// It is read.
    Read,
    /// It is written, or objects begin or end.
    Written,
}

/// The effects of an activation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Global scalars and arrays that may be read.
    pub(crate) reads: BTreeSet<VarId>,
    /// Global scalars and arrays that may be written.
    pub(crate) writes: BTreeSet<VarId>,
    /// What is done with memory.
    pub(crate) memory: Memory,
    /// Whether something is printed.
    pub(crate) prints: bool,
    /// Whether something is chosen by an operation. Uninitialised variables are not counted.
    pub(crate) chooses: bool,
}

impl Footprint {
    fn of(program: &Program, proc: ProcId) -> Self {
        let mut footprint = Self::default();
        for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
            footprint.add(program, op);
        }
        footprint
    }

    fn add(&mut self, program: &Program, op: &Op) {
        let is_global = |var: &VarId| program.vars[*var].owner.is_none();
        for root in op.exprs() {
            read_vars(program, root, |var| {
                if is_global(&var) {
                    self.reads.insert(var);
                }
            });
            if loads(program, root) {
                self.memory = self.memory.max(Memory::Read);
            }
        }
        self.reads.extend(op.copied_array().filter(is_global));
        self.writes.extend(op.vars().filter(is_global));
        let writes = match op {
            Op::Begin { .. }
            | Op::End { .. }
            | Op::Malloc { .. }
            | Op::Realloc { .. }
            | Op::Free { .. }
            | Op::Release { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Forget { .. }
            | Op::Write { .. } => true,
            Op::Init { var, .. } => matches!(program.vars[*var].storage, cfa::Storage::Object { .. }),
            _ => op.places().any(|place| matches!(place, Place::Mem { .. } | Place::Bits { .. })),
        };
        if writes {
            self.memory = Memory::Written;
        }
        self.chooses |= match op {
            Op::Havoc { .. } | Op::Forget { .. } | Op::Allocate { .. } => true,
            Op::Init { contents, .. } | Op::Malloc { contents, .. } => *contents != InitKind::Zero,
            _ => false,
        };
        if let Op::Output { .. } = op {
            self.prints = true;
            self.memory = self.memory.max(Memory::Read);
        }
    }

    /// Adds the effects of a callee; whether there were new ones.
    fn include(&mut self, callee: &Self) -> bool {
        let extent = |own: &Self| (own.reads.len(), own.writes.len(), own.memory, own.prints, own.chooses);
        let before = extent(self);
        self.reads.extend(&callee.reads);
        self.writes.extend(&callee.writes);
        self.memory = self.memory.max(callee.memory);
        self.prints |= callee.prints;
        self.chooses |= callee.chooses;
        before != extent(self)
    }
}

/// Whether an expression looks at memory.
pub(crate) fn loads(program: &Program, root: ExprId) -> bool {
    let mut pending = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(id) = pending.pop() {
        let expr = program.exprs.get(id);
        if let Expr::Load { .. } | Expr::LoadBits { .. } | Expr::Accessible { .. } | Expr::Freeable { .. } =
            expr
        {
            return true;
        }
        if expr.operands().next().is_some() && seen.insert(id) {
            pending.extend(expr.operands());
        }
    }
    false
}

/// The footprints of all procedures. Cost: calls times globals, times the nesting of recursion.
pub(crate) fn footprints(program: &Program, calls: &CallGraph) -> IndexVec<ProcId, Footprint> {
    let mut all: IndexVec<ProcId, Footprint> =
        program.procs.ids().map(|proc| Footprint::of(program, proc)).collect();
    loop {
        let mut changed = false;
        for proc in calls.order.iter().rev() {
            for site in &calls.sites[*proc] {
                for target in site.op(program).call_targets() {
                    if target != proc {
                        let callee = std::mem::take(&mut all[*target]);
                        changed |= all[*proc].include(&callee);
                        all[*target] = callee;
                    }
                }
            }
        }
        if !changed {
            return all;
        }
    }
}
