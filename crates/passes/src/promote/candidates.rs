//! Which regions of memory may become variables: objects that exist at most once at a time, reached by pointers that are all seen.

use base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

use cfa::op::{Callee, Op, Place};
use cfa::pointsto::{AllocationSite, PointsTo, Punning, RegionId};
use cfa::{BinaryOp, Expr, ExprId, ProcId, Program, Storage, Ty, VarId};

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
    pub(super) region: RegionId,
    pub(super) lifetime: Lifetime,
}

/// Regions and the objects in them.
pub(super) struct Candidates<'a> {
    pub(super) program: &'a Program,
    pub(super) points_to: PointsTo,
    refused: IndexVec<RegionId, bool>,
    /// Numbered from 1; 0 is none.
    pub(super) objects: Vec<Object>,
    of_var: FxHashMap<VarId, ObjectId>,
    of_site: FxHashMap<AllocationSite, ObjectId>,
    of_proc: FxHashMap<ProcId, ObjectId>,
    /// Where a pointer variable, or the elements of an array of pointers, point to.
    var_regions: FxHashMap<VarId, RegionId>,
    /// Expressions that the entry procedure evaluates, operands first.
    pub(super) used: Vec<ExprId>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let points_to = PointsTo::new(program, Punning::Never);
        let mut candidates = Self {
            program,
            refused: IndexVec::filled(false, points_to.regions().len()),
            points_to,
            objects: Vec::new(),
            of_var: FxHashMap::default(),
            of_site: FxHashMap::default(),
            of_proc: FxHashMap::default(),
            var_regions: FxHashMap::default(),
            used: Vec::new(),
        };
        candidates.used = used_exprs(program, program.entry);
        candidates.find_var_regions();
        candidates.refuse_regions();
        candidates.number_objects();
        candidates.spread();
        candidates
    }

    /// The region that a pointer expression has, if it is promoted.
    pub(super) fn region(&self, pointer: ExprId) -> Option<RegionId> {
        self.points_to.region(pointer).filter(|region| !self.refused[*region])
    }
    /// The region that a variable points to, if it is promoted.
    pub(super) fn region_of(&self, var: VarId) -> Option<RegionId> {
        self.var_regions.get(&var).copied().filter(|region| !self.refused[*region])
    }
    /// Whether pointers into a region are promoted.
    pub(super) fn is_followed(&self, region: RegionId) -> bool {
        !self.refused[region]
    }
    pub(super) fn object(&self, object: ObjectId) -> &Object {
        &self.objects[object.index() - 1]
    }
    pub(super) fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (1..=self.objects.len()).map(ObjectId::new)
    }
    pub(super) fn is_promoted(&self, object: ObjectId) -> bool {
        !self.refused[self.object(object).region]
    }
    /// A promoted variable in memory.
    pub(super) fn of_var(&self, var: VarId) -> Option<ObjectId> {
        self.of_var.get(&var).copied().filter(|object| self.is_promoted(*object))
    }
    /// What a promoted allocation makes.
    pub(super) fn of_site(&self, site: AllocationSite) -> Option<ObjectId> {
        self.of_site.get(&site).copied().filter(|object| self.is_promoted(*object))
    }
    pub(super) fn of_proc(&self, proc: ProcId) -> Option<ObjectId> {
        self.of_proc.get(&proc).copied().filter(|object| self.is_promoted(*object))
    }

    /// A region stays in memory after all, and with it what its pointers point to.
    pub(super) fn refuse(&mut self, region: RegionId) {
        self.refused[region] = true;
        self.spread();
    }

    fn find_var_regions(&mut self) {
        let program = self.program;
        for (id, expr) in program.exprs.iter() {
            if let (
                Expr::Var { var, ty: Ty::Ptr } | Expr::Elem { array: var, ty: Ty::Ptr, .. },
                Some(region),
            ) = (expr, self.points_to.region(id))
            {
                self.var_regions.insert(*var, region);
            }
        }
        for op in program.procs.iter().flat_map(cfa::Procedure::edges).flat_map(|edge| &edge.ops) {
            if let Op::Assign { place: Place::Var(var) | Place::Elem { array: var, .. }, value } = op
                && let Some(region) = self.points_to.region(*value)
                && program.exprs.ty(*value) == Ty::Ptr
            {
                self.var_regions.insert(*var, region);
            }
        }
    }

    /// Whether nothing speaks against a region so far.
    fn refuse_regions(&mut self) {
        let program = self.program;
        for region in self.points_to.regions().ids() {
            self.refused[region] |= self.points_to.regions()[region].exposed;
        }
        let calls = CallGraph::new(program);
        for proc in &calls.order {
            if *proc != program.entry {
                for expr in used_exprs(program, *proc) {
                    self.refuse_expr(expr);
                }
            }
        }
        for index in 0..self.used.len() {
            let id = self.used[index];
            if let Expr::Cast { arg, ty } = *program.exprs.get(id)
                && program.exprs.ty(arg) == Ty::Ptr
                && ty != Ty::Ptr
            {
                self.refuse_expr(arg);
            }
        }
        for op in program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops) {
            self.refuse_op(op);
        }
        for (var, declared) in program.vars.iter_enumerated() {
            if let (Storage::Object { .. }, Some(region)) =
                (declared.storage, self.points_to.region_of_var(var))
            {
                self.refused[region] |= declared.owner.is_some_and(|owner| owner != program.entry);
            }
        }
        self.refuse_sites();
    }

    fn refuse_expr(&mut self, expr: ExprId) {
        if let Some(region) = self.points_to.region(expr) {
            self.refused[region] = true;
        }
    }

    /// What operations do that cannot be followed.
    fn refuse_op(&mut self, op: &Op) {
        match op {
            Op::Call { callee, args, results } => {
                if let Callee::Indirect { pointer, .. } = callee {
                    self.refuse_expr(*pointer);
                }
                for arg in args {
                    self.refuse_expr(*arg);
                }
                for place in results.iter().flatten() {
                    self.refuse_place(place);
                }
            }
            Op::Realloc { old, place, .. } => {
                self.refuse_expr(*old);
                self.refuse_place(place);
            }
            Op::Forget { to, addresses, .. } if !addresses.is_empty() => self.refuse_expr(*to),
            Op::Havoc { place, source, .. } if *source != cfa::Source::Uninitialised => {
                if let Place::Var(var) | Place::Elem { array: var, .. } = place
                    && let Some(region) = self.var_regions.get(var)
                {
                    self.refused[*region] = true;
                }
                if let Place::Mem { addr, ty: Ty::Ptr } = place {
                    self.refuse_expr(*addr);
                }
            }
            _ => {}
        }
    }

    fn refuse_place(&mut self, place: &Place) {
        match place {
            Place::Var(var) | Place::Elem { array: var, .. } => {
                if let Some(region) = self.var_regions.get(var) {
                    self.refused[*region] = true;
                }
            }
            Place::Mem { addr, .. } | Place::Bits { addr, .. } => self.refuse_expr(*addr),
        }
    }

    /// An allocation that is executed again makes another object while the first one may live.
    fn refuse_sites(&mut self) {
        let entry = &self.program.procs[self.program.entry];
        for region in self.points_to.regions().ids() {
            for index in 0..self.points_to.regions()[region].sites.len() {
                let site = self.points_to.regions()[region].sites[index];
                let elsewhere = site.proc != self.program.entry
                    || entry.loops().innermost(entry.edges()[site.edge].source).is_some();
                self.refused[region] |= elsewhere;
            }
        }
    }

    fn number_objects(&mut self) {
        let program = self.program;
        let ended = |var: VarId| {
            let mut ops = program.procs[program.entry].edges().iter().flat_map(|edge| &edge.ops);
            ops.any(|op| matches!(op, Op::End { var: other } if *other == var))
        };
        for region in self.points_to.regions().ids() {
            if self.refused[region] {
                continue;
            }
            let content = self.points_to.regions()[region].clone();
            for var in content.vars {
                let Storage::Object { size, read_only, .. } = program.vars[var].storage else { continue };
                let lifetime = if read_only {
                    Lifetime::Shared
                } else if program.vars[var].owner.is_some() && ended(var) {
                    Lifetime::Some
                } else {
                    Lifetime::Program
                };
                let size = i64::try_from(size).ok();
                let id = self.number(Object { kind: Kind::Var(var), size, region, lifetime });
                self.of_var.insert(var, id);
            }
            for site in content.sites {
                let op = &program.procs[site.proc].edges()[site.edge].ops[site.op as usize];
                let Op::Malloc { size, .. } = op else { continue };
                let size = match *program.exprs.get(*size) {
                    Expr::Const { bits, .. } => i64::try_from(bits).ok(),
                    _ => None,
                };
                let lifetime = Lifetime::Some;
                let id = self.number(Object { kind: Kind::Site(site), size, region, lifetime });
                self.of_site.insert(site, id);
            }
            for proc in content.procs {
                let lifetime = Lifetime::Program;
                let id = self.number(Object { kind: Kind::Proc(proc), size: Some(0), region, lifetime });
                self.of_proc.insert(proc, id);
            }
        }
    }

    fn number(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId::new(self.objects.len())
    }

    /// Pointers that are kept in memory, or compared with others that are, stay as they are: so does what they point to, and what is copied from
    /// or to memory.
    fn spread(&mut self) {
        loop {
            let mut changed = false;
            for region in self.points_to.regions().ids() {
                if let (true, Some(content)) = (self.refused[region], self.points_to.contents(region)) {
                    changed |= !std::mem::replace(&mut self.refused[content], true);
                }
            }
            for index in 0..self.used.len() {
                changed |= self.refuse_mixed(self.used[index]);
            }
            changed |= self.refuse_copies();
            if !changed {
                return;
            }
        }
    }

    /// A copy between memory that is promoted and memory that is not: both stay.
    fn refuse_copies(&mut self) -> bool {
        let mut changed = false;
        for op in self.program.procs[self.program.entry].edges().iter().flat_map(|edge| &edge.ops) {
            let Op::Copy { to, from, .. } = op else { continue };
            if let (Some(to), Some(from)) = (self.points_to.region(*to), self.points_to.region(*from))
                && self.refused[to] != self.refused[from]
            {
                (self.refused[to], self.refused[from]) = (true, true);
                changed = true;
            }
        }
        changed
    }

    /// A comparison of two pointers only one of which is promoted: neither is.
    fn refuse_mixed(&mut self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let Expr::Binary { op, lhs, rhs } = *exprs.get(id) else { return false };
        let compares = op.is_comparison() || op == BinaryOp::PtrSub;
        let is_constant = |id: ExprId| matches!(exprs.get(id), Expr::Const { .. });
        if !compares || exprs.ty(lhs) != Ty::Ptr || is_constant(lhs) || is_constant(rhs) {
            return false;
        }
        match (self.points_to.region(lhs), self.points_to.region(rhs)) {
            (Some(left), Some(right)) if self.refused[left] != self.refused[right] => {
                (self.refused[left], self.refused[right]) = (true, true);
                true
            }
            _ => false,
        }
    }
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
