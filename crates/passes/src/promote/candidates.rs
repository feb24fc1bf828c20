//! Which objects may become variables: those that exist at most once at a time, and whose pointers are all seen.

use base::{Idx, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

use cfa::op::Op;
use cfa::pointsto::AllocationSite;
use cfa::{Expr, ExprId, ProcId, Program, Storage, Ty, VarId};

use super::ObjectId;
use crate::calls::CallGraph;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A variable in memory.
    Var(VarId),
    /// What an allocation makes, which is executed at most once.
    Site(AllocationSite),
    /// A procedure, which only has an address.
    Proc(ProcId),
}

/// When an address in an object differs from those in all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// Always.
    Program,
    /// While it lives.
    Some,
    /// Never for sure: literals may share their memory.
    Shared,
}

/// An object that may be promoted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    /// Bytes, if they are known.
    pub(super) size: Option<i64>,
    pub(super) lifetime: Lifetime,
}

/// The objects, and which of them are still to be promoted.
pub(super) struct Candidates<'a> {
    pub(super) program: &'a Program,
    /// Numbered from 1; 0 is none.
    objects: Vec<Object>,
    refused: Vec<bool>,
    of_var: FxHashMap<VarId, ObjectId>,
    of_site: FxHashMap<AllocationSite, ObjectId>,
    of_proc: FxHashMap<ProcId, ObjectId>,
    /// Variables that other procedures use, too.
    shared: IndexVec<VarId, bool>,
    /// Expressions that the entry procedure evaluates, operands first.
    pub(super) used: Vec<ExprId>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let mut candidates = Self {
            program,
            objects: Vec::new(),
            refused: Vec::new(),
            of_var: FxHashMap::default(),
            of_site: FxHashMap::default(),
            of_proc: FxHashMap::default(),
            shared: shared_vars(program),
            used: used_exprs(program, program.entry),
        };
        candidates.number_vars();
        candidates.number_sites();
        candidates.number_procs();
        candidates
    }

    pub(super) fn object(&self, object: ObjectId) -> &Object {
        &self.objects[object.index() - 1]
    }
    /// The objects that are promoted.
    pub(super) fn promoted(&self) -> impl Iterator<Item = ObjectId> {
        let kept = |index: &usize| !self.refused[*index - 1];
        (1..=self.objects.len()).filter(kept).map(ObjectId::new)
    }
    fn kept(&self, object: ObjectId) -> Option<ObjectId> {
        (!self.refused[object.index() - 1]).then_some(object)
    }
    /// A promoted variable in memory.
    pub(super) fn of_var(&self, var: VarId) -> Option<ObjectId> {
        self.of_var.get(&var).and_then(|object| self.kept(*object))
    }
    /// What a promoted allocation makes.
    pub(super) fn of_site(&self, site: AllocationSite) -> Option<ObjectId> {
        self.of_site.get(&site).and_then(|object| self.kept(*object))
    }
    pub(super) fn of_proc(&self, proc: ProcId) -> Option<ObjectId> {
        self.of_proc.get(&proc).and_then(|object| self.kept(*object))
    }
    /// An object stays in memory after all.
    pub(super) fn refuse(&mut self, object: ObjectId) {
        self.refused[object.index() - 1] = true;
    }
    /// Whether another procedure may read or write a variable.
    pub(super) fn is_shared(&self, var: VarId) -> bool {
        self.shared[var]
    }

    fn number(&mut self, kind: Kind, size: Option<i64>, lifetime: Lifetime) -> ObjectId {
        self.objects.push(Object { kind, size, lifetime });
        self.refused.push(false);
        ObjectId::new(self.objects.len())
    }

    fn number_vars(&mut self) {
        let program = self.program;
        let ops = program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops);
        let ended: FxHashSet<VarId> = ops
            .filter_map(|op| match op {
                Op::End { var } => Some(*var),
                _ => None,
            })
            .collect();
        for (var, declared) in program.vars.iter_enumerated() {
            let Storage::Object { size, read_only, .. } = declared.storage else { continue };
            let is_mine = declared.owner.is_none_or(|owner| owner == program.entry);
            if !is_mine || self.shared[var] {
                continue;
            }
            let lifetime = if read_only {
                Lifetime::Shared
            } else if declared.owner.is_some() && ended.contains(&var) {
                Lifetime::Some
            } else {
                Lifetime::Program
            };
            let id = self.number(Kind::Var(var), i64::try_from(size).ok(), lifetime);
            self.of_var.insert(var, id);
        }
    }

    /// An allocation that is executed again makes another object while the first one may live.
    fn number_sites(&mut self) {
        let program = self.program;
        let entry = &program.procs[program.entry];
        for (edge, content) in entry.edges().iter_enumerated() {
            for (position, op) in content.ops.iter().enumerate() {
                let Op::Malloc { size, .. } = op else { continue };
                if entry.loops().innermost(content.source).is_some() {
                    continue;
                }
                let size = match *program.exprs.get(*size) {
                    Expr::Const { bits, .. } => i64::try_from(bits).ok(),
                    _ => None,
                };
                let site = AllocationSite { proc: program.entry, edge, op: position as u32 };
                let id = self.number(Kind::Site(site), size, Lifetime::Some);
                self.of_site.insert(site, id);
            }
        }
    }

    fn number_procs(&mut self) {
        for index in 0..self.used.len() {
            if let Expr::Function { proc } = *self.program.exprs.get(self.used[index])
                && !self.of_proc.contains_key(&proc)
            {
                let id = self.number(Kind::Proc(proc), Some(0), Lifetime::Program);
                self.of_proc.insert(proc, id);
            }
        }
    }
}

/// The variables that procedures other than the entry procedure name, if they may be called.
fn shared_vars(program: &Program) -> IndexVec<VarId, bool> {
    let mut shared = IndexVec::filled(false, program.vars.len());
    for proc in CallGraph::new(program).order {
        if proc == program.entry {
            continue;
        }
        for expr in used_exprs(program, proc) {
            if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } =
                *program.exprs.get(expr)
            {
                shared[var] = true;
            }
        }
        let ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
        for var in ops.flat_map(Op::vars) {
            shared[var] = true;
        }
    }
    shared
}

/// The expressions that the operations of a procedure evaluate, operands first.
fn used_exprs(program: &Program, proc: ProcId) -> Vec<ExprId> {
    let mut used = vec![false; program.exprs.len()];
    for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
        op.exprs().for_each(|expr| used[expr.index()] = true);
    }
    for index in (0..used.len()).rev() {
        if used[index] {
            program.exprs.get(ExprId::new(index)).operands().for_each(|operand| used[operand.index()] = true);
        }
    }
    (0..used.len()).filter(|index| used[*index]).map(ExprId::new).collect()
}

/// Whether an expression is a pointer.
pub(super) fn is_pointer(program: &Program, expr: ExprId) -> bool {
    program.exprs.ty(expr) == Ty::Ptr
}
