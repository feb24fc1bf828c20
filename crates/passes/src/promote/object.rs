//! The objects of a program, as far as its text tells them apart.

use std::collections::{BTreeMap, BTreeSet};

use base::{Idx, IndexVec};

use cfa::op::{AllocKind, Op};
use cfa::pointsto::AllocationSite;
use cfa::{Expr, ExprId, ProcId, Program, Storage, VarId};

use super::tasks::holds_pointer;
use super::{FIRST, ObjectId};
use crate::calls::CallGraph;
use crate::lifetimes::ReadLater;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A variable in memory.
    Var(VarId),
    /// What an allocation makes.
    Site(AllocationSite),
    /// A procedure, which only has an address.
    Proc(ProcId),
}

/// How many objects there are of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// At most one at a time, and nobody knows an earlier one.
    One,
    /// Many: a pointer says which.
    Many,
}

/// What becomes of the contents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// They become variables.
    Followed,
    /// They are arbitrary whenever they are read.
    Opaque,
}

/// An object, or many that the same text makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    /// Bytes, if they are known.
    pub(super) size: Option<i64>,
    pub(super) align: u64,
    pub(super) count: Count,
    pub(super) contents: Contents,
    pub(super) is_read_only: bool,
    /// Whether it may be freed.
    pub(super) is_heap: bool,
    /// Whether its lifetime may end before that of the program.
    pub(super) may_end: bool,
}

/// All objects.
pub(super) struct Objects<'a> {
    pub(super) program: &'a Program,
    /// The procedures that may be executed.
    pub(super) procs: Vec<ProcId>,
    /// The expressions that they evaluate, operands first.
    pub(super) used: Vec<ExprId>,
    all: IndexVec<ObjectId, Object>,
    of_var: BTreeMap<VarId, ObjectId>,
    of_site: BTreeMap<AllocationSite, ObjectId>,
    of_proc: BTreeMap<ProcId, ObjectId>,
    /// Where pointers may be read before they are written.
    pub(super) later: BTreeMap<ProcId, ReadLater>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let mut procs = CallGraph::new(program).order;
        procs.sort_unstable();
        let none = Object {
            kind: Kind::Proc(program.entry),
            size: Some(0),
            align: 1,
            count: Count::One,
            contents: Contents::Opaque,
            is_read_only: false,
            is_heap: false,
            may_end: false,
        };
        let mut objects = Self {
            program,
            used: used_exprs(program, &procs),
            procs,
            all: (0..FIRST).map(|_| none).collect(),
            of_var: BTreeMap::new(),
            of_site: BTreeMap::new(),
            of_proc: BTreeMap::new(),
            later: BTreeMap::new(),
        };
        for proc in objects.procs.clone() {
            let later = ReadLater::new(program, proc, &objects.own_pointers(proc));
            objects.later.insert(proc, later);
        }
        objects.add_vars(none);
        objects.add_sites(none);
        objects.add_procs(none);
        objects
    }

    /// The variables with pointers that a procedure may use.
    pub(super) fn own_pointers(&self, proc: ProcId) -> Vec<VarId> {
        let program = self.program;
        let is_own = |var: &VarId| {
            let owner = program.vars[*var].owner;
            holds_pointer(program, *var) && (owner == Some(proc) || owner.is_none())
        };
        program.vars.ids().filter(is_own).collect()
    }

    pub(super) fn get(&self, object: ObjectId) -> &Object {
        &self.all[object]
    }
    pub(super) fn get_mut(&mut self, object: ObjectId) -> &mut Object {
        &mut self.all[object]
    }
    /// Those that have contents or an address.
    pub(super) fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (FIRST..self.all.len()).map(ObjectId::new)
    }
    pub(super) fn of_var(&self, var: VarId) -> Option<ObjectId> {
        self.of_var.get(&var).copied()
    }
    pub(super) fn of_site(&self, site: AllocationSite) -> Option<ObjectId> {
        self.of_site.get(&site).copied()
    }
    pub(super) fn of_proc(&self, proc: ProcId) -> Option<ObjectId> {
        self.of_proc.get(&proc).copied()
    }
    pub(super) fn is_followed(&self, object: ObjectId) -> bool {
        self.all[object].contents == Contents::Followed
    }
    pub(super) fn is_many(&self, object: ObjectId) -> bool {
        self.all[object].count == Count::Many
    }
    /// Whether an object ends with the activation that made it, without an operation.
    pub(super) fn ends_unseen(&self, object: ObjectId) -> bool {
        let known = self.get(object);
        matches!(known.kind, Kind::Site(site) if !known.is_heap && site.proc != self.program.entry)
    }
    /// All operations that may be executed.
    pub(super) fn ops(&self) -> impl Iterator<Item = (AllocationSite, &'a Op)> + '_ {
        let program = self.program;
        self.procs.iter().flat_map(move |proc| {
            program.procs[*proc].edges().iter_enumerated().flat_map(move |(edge, content)| {
                let at = move |(op, content): (usize, &'a Op)| {
                    (AllocationSite { proc: *proc, edge, op: op as u32 }, content)
                };
                content.ops.iter().enumerate().map(at)
            })
        })
    }

    fn add_vars(&mut self, none: Object) {
        let program = self.program;
        let begun: BTreeSet<VarId> = self.ops().flat_map(|(_, op)| op.vars()).collect();
        let ended: BTreeSet<VarId> = self
            .ops()
            .filter_map(|(_, op)| match op {
                Op::End { var } => Some(*var),
                _ => None,
            })
            .collect();
        let addressed: BTreeSet<VarId> = self
            .used
            .iter()
            .filter_map(|id| match program.exprs.get(*id) {
                Expr::Address { var } => Some(*var),
                _ => None,
            })
            .collect();
        for (var, declared) in program.vars.iter_enumerated() {
            let Storage::Object { size, align, read_only } = declared.storage else { continue };
            if !begun.contains(&var) && !addressed.contains(&var) {
                continue;
            }
            let is_local = declared.owner.is_some_and(|owner| owner != program.entry);
            let object = Object {
                kind: Kind::Var(var),
                size: i64::try_from(size).ok(),
                align,
                count: if is_local { Count::Many } else { Count::One },
                contents: Contents::Followed,
                is_read_only: read_only,
                may_end: is_local || ended.contains(&var),
                ..none
            };
            let id = self.all.push(object);
            self.of_var.insert(var, id);
        }
    }

    /// An allocation that is executed again makes another object while the first one may live.
    fn add_sites(&mut self, none: Object) {
        let program = self.program;
        let sites: Vec<_> = self
            .ops()
            .filter_map(|(site, op)| match op {
                Op::Malloc { size, kind, .. } => Some((site, *size, *kind)),
                Op::Realloc { size, .. } => Some((site, *size, AllocKind::Heap)),
                _ => None,
            })
            .collect();
        for (site, size, kind) in sites {
            let procedure = &program.procs[site.proc];
            let source = procedure.edges()[site.edge].source;
            let is_once = site.proc == program.entry && procedure.loops().innermost(source).is_none();
            let size = match *program.exprs.get(size) {
                Expr::Const { bits, .. } => i64::try_from(bits).ok(),
                _ => None,
            };
            let object = Object {
                kind: Kind::Site(site),
                size,
                align: 16,
                count: if is_once { Count::One } else { Count::Many },
                contents: Contents::Followed,
                is_heap: kind == AllocKind::Heap,
                may_end: true,
                ..none
            };
            let id = self.all.push(object);
            self.of_site.insert(site, id);
        }
    }

    fn add_procs(&mut self, none: Object) {
        for index in 0..self.used.len() {
            if let Expr::Function { proc } = *self.program.exprs.get(self.used[index])
                && !self.of_proc.contains_key(&proc)
            {
                let id = self.all.push(Object { kind: Kind::Proc(proc), ..none });
                self.of_proc.insert(proc, id);
            }
        }
    }
}

/// The expressions that the operations of procedures evaluate, operands first.
fn used_exprs(program: &Program, procs: &[ProcId]) -> Vec<ExprId> {
    let mut used = vec![false; program.exprs.len()];
    for proc in procs {
        for op in program.procs[*proc].edges().iter().flat_map(|edge| &edge.ops) {
            op.exprs().for_each(|expr| used[expr.index()] = true);
        }
    }
    for index in (0..used.len()).rev() {
        if used[index] {
            program.exprs.get(ExprId::new(index)).operands().for_each(|operand| used[operand.index()] = true);
        }
    }
    (0..used.len()).filter(|index| used[*index]).map(ExprId::new).collect()
}
