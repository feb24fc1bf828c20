//! Constraints and their solution by unification.

use base::{Idx, IndexVec};
use rustc_hash::FxHashMap;

use super::{AllocationSite, MemoryRegion, PointsTo, Punning, RegionId};
use crate::op::{Callee, Op, Place, Source};
use crate::{Expr, ExprId, ProcId, Procedure, Program, Storage, Ty, VarId};

pub(super) fn solve(program: &Program, punning: Punning) -> PointsTo {
    let mut solver = Solver::new(program, punning);
    solver.exprs();
    let mut indirect = Vec::new();
    for (proc, procedure) in program.procs.iter_enumerated() {
        for (edge, content) in procedure.edges().iter_enumerated() {
            for (position, op) in content.ops.iter().enumerate() {
                let site = AllocationSite { proc, edge, op: position as u32 };
                solver.op(site, op);
                if let Op::Call { callee: Callee::Indirect { pointer, targets }, args, results } = op {
                    indirect.push((*pointer, targets.as_slice(), args.as_slice(), results.as_slice()));
                }
            }
        }
    }
    // A class only grows, so this ends after at most as many rounds as there are procedures.
    let mut joined: Vec<Vec<ProcId>> = vec![Vec::new(); indirect.len()];
    loop {
        let mut changed = false;
        for ((pointer, targets, args, results), joined) in indirect.iter().zip(&mut joined) {
            let class = solver.class_of(*pointer);
            let callable = solver.procs(class);
            for target in targets.iter().filter(|target| callable.contains(target)) {
                if !joined.contains(target) {
                    joined.push(*target);
                    solver.call(*target, args, results);
                    changed = true;
                }
            }
        }
        if !changed {
            return solver.finish();
        }
    }
}

/// A class of objects; representatives form the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Class(u32);

/// Whether a number in memory may be an address, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    MayBeAddress,
    NoAddress,
}

#[derive(Clone, Debug, Default)]
struct ClassData {
    /// Where the pointers stored in these objects point to.
    content: Option<Class>,
    procs: Vec<ProcId>,
    holds_pointers: bool,
    holds_wide_integers: bool,
}

struct Solver<'a> {
    program: &'a Program,
    punning: Punning,
    up: Vec<Class>,
    size: Vec<u32>,
    data: Vec<ClassData>,
    exposed: Class,
    /// Where a pointer variable or the elements of an array point to; for objects the object itself.
    vars: IndexVec<VarId, Class>,
    functions: IndexVec<ProcId, Class>,
    sites: Vec<(AllocationSite, Class)>,
    exprs: Vec<Option<Class>>,
}

impl<'a> Solver<'a> {
    fn new(program: &'a Program, punning: Punning) -> Self {
        let mut solver = Self {
            program,
            punning,
            up: Vec::new(),
            size: Vec::new(),
            data: Vec::new(),
            exposed: Class(0),
            vars: IndexVec::new(),
            functions: IndexVec::new(),
            sites: Vec::new(),
            exprs: vec![None; program.exprs.len()],
        };
        solver.exposed = solver.fresh();
        solver.vars = program.vars.iter().map(|_| solver.fresh()).collect();
        for proc in program.procs.ids() {
            let class = solver.fresh();
            solver.data[class.0 as usize].procs.push(proc);
            solver.functions.push(class);
        }
        solver
    }

    fn fresh(&mut self) -> Class {
        let class = Class(self.up.len() as u32);
        self.up.push(class);
        self.size.push(1);
        self.data.push(ClassData::default());
        class
    }

    fn find(&mut self, mut class: Class) -> Class {
        while self.up[class.0 as usize] != class {
            let above = self.up[self.up[class.0 as usize].0 as usize];
            self.up[class.0 as usize] = above;
            class = above;
        }
        class
    }

    fn unify(&mut self, left: Class, right: Class) {
        let mut pending = vec![(left, right)];
        while let Some((left, right)) = pending.pop() {
            let (left, right) = (self.find(left), self.find(right));
            if left == right {
                continue;
            }
            let (winner, loser) = if self.size[left.0 as usize] >= self.size[right.0 as usize] {
                (left, right)
            } else {
                (right, left)
            };
            self.up[loser.0 as usize] = winner;
            self.size[winner.0 as usize] += self.size[loser.0 as usize];
            let lost = std::mem::take(&mut self.data[loser.0 as usize]);
            let data = &mut self.data[winner.0 as usize];
            data.procs.extend(lost.procs);
            data.holds_pointers |= lost.holds_pointers;
            data.holds_wide_integers |= lost.holds_wide_integers;
            match (data.content, lost.content) {
                (Some(kept), Some(lost)) => pending.push((kept, lost)),
                (None, lost) => data.content = lost,
                (Some(_), None) => {}
            }
        }
    }

    fn content(&mut self, class: Class) -> Class {
        let class = self.find(class);
        if let Some(content) = self.data[class.0 as usize].content {
            return content;
        }
        let content = self.fresh();
        self.data[class.0 as usize].content = Some(content);
        content
    }

    fn procs(&mut self, class: Class) -> Vec<ProcId> {
        let class = self.find(class);
        self.data[class.0 as usize].procs.clone()
    }

    fn class_of(&mut self, pointer: ExprId) -> Class {
        if let Some(class) = self.exprs[pointer.index()] {
            return class;
        }
        let class = self.fresh();
        self.exprs[pointer.index()] = Some(class);
        class
    }

    fn expose(&mut self, class: Class) {
        self.unify(class, self.exposed);
    }

    /// Classes of all expressions that operations use, operands first.
    fn exprs(&mut self) {
        let program = self.program;
        let mut used = vec![false; program.exprs.len()];
        for edge in program.procs.iter().flat_map(Procedure::edges) {
            edge.ops.iter().flat_map(Op::exprs).for_each(|expr| used[expr.index()] = true);
        }
        for index in (0..used.len()).rev() {
            if used[index] {
                let operands = program.exprs.get(ExprId::new(index)).operands();
                operands.for_each(|operand| used[operand.index()] = true);
            }
        }
        for (id, expr) in program.exprs.iter() {
            if used[id.index()] {
                self.exprs[id.index()] = self.expr(id, expr);
            }
        }
    }

    fn expr(&mut self, id: ExprId, expr: &Expr) -> Option<Class> {
        let ty = self.program.exprs.ty(id);
        match *expr {
            Expr::Cast { arg, .. } if ty == Ty::Ptr => {
                if self.program.exprs.ty(arg) == Ty::Ptr {
                    Some(self.class_of(arg))
                } else if matches!(self.program.exprs.get(arg), Expr::Const { .. }) {
                    Some(self.fresh())
                } else {
                    Some(self.exposed)
                }
            }
            Expr::Cast { arg, ty } if self.program.exprs.ty(arg) == Ty::Ptr => {
                if ty.width(self.program.data_model) >= 8 {
                    let class = self.class_of(arg);
                    self.expose(class);
                }
                None
            }
            Expr::Load { addr, ty } => {
                let region = self.class_of(addr);
                self.access(region, ty, Number::MayBeAddress)
            }
            Expr::LoadBits { addr, ty, .. } => {
                let region = self.class_of(addr);
                self.access_bits(region, ty)
            }
            _ if ty != Ty::Ptr => None,
            Expr::Const { .. } => Some(self.fresh()),
            Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } => {
                Some(self.vars[var])
            }
            Expr::Function { proc } => Some(self.functions[proc]),
            Expr::Binary { lhs, .. } => Some(self.class_of(lhs)),
            Expr::Ite { then, other, .. } => {
                let (then, other) = (self.class_of(then), self.class_of(other));
                self.unify(then, other);
                Some(then)
            }
            Expr::Undefined { .. } => Some(self.fresh()),
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost
            | Expr::Bounded { .. } => None,
            // No other expression is a pointer (I3).
            Expr::Unary { .. } | Expr::Cast { .. } => Some(self.exposed),
        }
    }

    /// Memory of a region is read or written as a type: the class of the value if it is a pointer.
    fn access(&mut self, region: Class, ty: Ty, number: Number) -> Option<Class> {
        let root = self.find(region);
        match ty {
            Ty::Ptr => {
                self.data[root.0 as usize].holds_pointers = true;
                Some(self.content(region))
            }
            Ty::Int { width, .. } if number == Number::MayBeAddress => {
                let wide = width >= self.program.data_model.pointer_width();
                self.data[root.0 as usize].holds_wide_integers |= wide;
                if width == 8 || self.punning == Punning::Any {
                    let content = self.content(region);
                    self.expose(content);
                }
                None
            }
            Ty::Int { .. } | Ty::Float(_) => None,
        }
    }

    /// A bit-field is no character type: by the rules for effective types it is no part of a pointer.
    fn access_bits(&mut self, region: Class, ty: Ty) -> Option<Class> {
        let number = if self.punning == Punning::Any { Number::MayBeAddress } else { Number::NoAddress };
        self.access(region, ty, number)
    }

    /// The class of what a place holds, if it holds a pointer.
    fn place(&mut self, place: &Place, number: Number) -> Option<Class> {
        match *place {
            Place::Var(var) => {
                (self.program.vars[var].storage == Storage::Scalar(Ty::Ptr)).then(|| self.vars[var])
            }
            Place::Elem { array, .. } => match self.program.vars[array].storage {
                Storage::Array { elem: Ty::Ptr, .. } => Some(self.vars[array]),
                _ => None,
            },
            Place::Mem { addr, ty } => {
                let region = self.class_of(addr);
                self.access(region, ty, number)
            }
            Place::Bits { addr, ty, .. } => {
                let region = self.class_of(addr);
                self.access_bits(region, ty)
            }
        }
    }

    /// Constants are no addresses.
    fn number(&self, value: ExprId) -> Number {
        match self.program.exprs.get(value) {
            Expr::Const { .. } => Number::NoAddress,
            _ => Number::MayBeAddress,
        }
    }

    fn flow(&mut self, place: &Place, value: Option<Class>) {
        if let (Some(target), Some(value)) = (self.place(place, Number::MayBeAddress), value) {
            self.unify(target, value);
        }
    }

    fn op(&mut self, site: AllocationSite, op: &Op) {
        match op {
            Op::Assign { place, value } => {
                if let Some(target) = self.place(place, self.number(*value)) {
                    let value = self.class_of(*value);
                    self.unify(target, value);
                }
            }
            Op::Havoc { place, source, .. } => {
                if *source == Source::Uninitialised {
                    self.place(place, Number::NoAddress);
                } else if let Some(target) = self.place(place, Number::MayBeAddress) {
                    self.expose(target);
                }
            }
            Op::Malloc { place, .. } => {
                let object = self.fresh();
                self.sites.push((site, object));
                self.flow(place, Some(object));
            }
            Op::Realloc { place, old, .. } => {
                // The new object has the old one's bytes: they share a region.
                let object = self.class_of(*old);
                self.sites.push((site, object));
                self.flow(place, Some(object));
            }
            Op::Copy { to, from, .. } => {
                let (to, from) = (self.class_of(*to), self.class_of(*from));
                let (to, from) = (self.content(to), self.content(from));
                self.unify(to, from);
            }
            Op::Fill { to, byte, .. } => {
                let region = self.class_of(*to);
                self.access(region, Ty::unsigned(8), self.number(*byte));
            }
            Op::Forget { to, addresses, .. } => self.forget(*to, addresses),
            Op::Free { addr: pointer } | Op::Release { addr: pointer } | Op::Write { to: pointer, .. } => {
                self.class_of(*pointer);
            }
            Op::Call { callee: Callee::Direct(target), args, results } => self.call(*target, args, results),
            Op::Output { args, result, .. } => self.output(args, result.as_ref()),
            Op::Call { callee: Callee::Indirect { .. }, .. }
            | Op::Assume { .. }
            | Op::Init { .. }
            | Op::Allocate { .. }
            | Op::Begin { .. }
            | Op::End { .. }
            | Op::FillElems { .. }
            | Op::Halt { .. } => {}
            Op::CopyElems { to, from, .. } => {
                let (to, from) = (self.vars[*to], self.vars[*from]);
                self.unify(to, from);
            }
        }
    }

    /// Memory may hold any of the addresses afterwards, and so may whatever else is unknown.
    fn forget(&mut self, to: ExprId, addresses: &[ExprId]) {
        let region = self.class_of(to);
        for address in addresses {
            let known = self.class_of(*address);
            self.expose(known);
            if let Some(content) = self.access(region, Ty::Ptr, Number::MayBeAddress) {
                self.unify(content, known);
            }
        }
    }

    fn output(&mut self, args: &[ExprId], result: Option<&Place>) {
        for arg in args {
            if self.program.exprs.ty(*arg) == Ty::Ptr {
                self.class_of(*arg);
            }
        }
        if let Some(place) = result {
            self.place(place, Number::MayBeAddress);
        }
    }

    fn call(&mut self, target: ProcId, args: &[ExprId], results: &[Option<Place>]) {
        let procedure = &self.program.procs[target];
        for (param, arg) in procedure.params.iter().zip(args) {
            if self.program.exprs.ty(*arg) == Ty::Ptr {
                let (param, arg) = (self.vars[*param], self.class_of(*arg));
                self.unify(param, arg);
            }
        }
        for (result, place) in procedure.results.iter().zip(results) {
            if let Some(place) = place {
                self.flow(place, Some(self.vars[*result]));
            }
        }
    }

    /// Numbers the regions: those of variables first, then of sites, of procedures, and of pointers that
    /// reach nothing.
    fn finish(mut self) -> PointsTo {
        let program = self.program;
        let mut numbering = Numbering::default();
        let mut vars = IndexVec::filled(None, program.vars.len());
        for (var, declared) in program.vars.iter_enumerated() {
            if matches!(declared.storage, Storage::Object { .. }) {
                let class = self.find(self.vars[var]);
                let id = numbering.id(class);
                numbering.regions[id].vars.push(var);
                vars[var] = Some(id);
            }
        }
        for index in 0..self.sites.len() {
            let (site, class) = self.sites[index];
            let id = numbering.id(self.find(class));
            numbering.regions[id].sites.push(site);
        }
        for proc in program.procs.ids() {
            let class = self.find(self.functions[proc]);
            let id = numbering.id(class);
            numbering.regions[id].procs.push(proc);
        }
        let mut exprs = Vec::with_capacity(self.exprs.len());
        for index in 0..self.exprs.len() {
            let class = self.exprs[index].map(|class| self.find(class));
            exprs.push(class.map(|class| numbering.id(class)));
        }
        let (mut contents, mut assumes_effective_types) = (IndexVec::new(), false);
        let exposed = self.find(self.exposed);
        // Contents may be regions that nothing else mentions, and have contents themselves.
        while let Some(class) = numbering.classes.get(contents.len()).copied() {
            let region = RegionId::new(contents.len());
            numbering.regions[region].exposed = class == exposed;
            let data = self.data[class.0 as usize].clone();
            assumes_effective_types |=
                self.punning == Punning::EffectiveTypes && data.holds_pointers && data.holds_wide_integers;
            let content = data.content.map(|content| self.find(content));
            contents.push(content.map(|content| numbering.id(content)));
        }
        PointsTo { regions: numbering.regions, exprs, vars, contents, assumes_effective_types }
    }
}

/// Regions in the order in which their classes are met.
#[derive(Default)]
struct Numbering {
    ids: FxHashMap<Class, RegionId>,
    classes: Vec<Class>,
    regions: IndexVec<RegionId, MemoryRegion>,
}

impl Numbering {
    fn id(&mut self, class: Class) -> RegionId {
        if let Some(id) = self.ids.get(&class) {
            return *id;
        }
        let id = self.regions.push(MemoryRegion::default());
        self.ids.insert(class, id);
        self.classes.push(class);
        id
    }
}
