//! Pointers to local variables become values that are passed and handed back.
//!
//! A recursion often returns its results through a pointer to a local variable of its caller: `int t; f(n - 1, &t); *r = t + 2;`. Each activation has such a variable, so
//! [`promote`](fn@crate::promote) makes an array of them, and [`window`](fn@super::window) and [`linear`](fn@super::linear) refuse procedures that write one.
//!
//! # Method
//! A pointer parameter and the local variables whose addresses it may be belong together. A group of them becomes scalars if all it is used for is to load and to store one integer type as
//! large as the variables, and to pass the addresses to parameters of the group in direct calls, no address twice in one call. Then a parameter takes the value before the call, and if the callee may store
//! through it, the value at the exit is a further result. Only groups with a variable of a recursive procedure are changed: `promote` makes a scalar of any other.
//!
//! # Why it is sound
//! By induction on the depth of calls, the pointer parameters of an activation lead to different live variables of activations below it: those of a call are different parameters of the caller or
//! variables that began in it. No address is stored anywhere, so during a call the variable is accessed through the parameter alone.
//!
//! # Meaning
//! The same executions, and more where a variable is used outside of its lifetime.
//!
//! # Cost
//! Linear in the program, times the number of parameters of the groups.

use std::collections::{BTreeMap, BTreeSet};

use base::{Idx, IndexVec};
use cfa::op::{Callee, Op, Place, Source};
use cfa::{Expr, ExprId, LocationInfo, LocationRole, Origin, ProcId, Program, Storage, Ty, Var, VarId};

use super::Rewriter;
use crate::back::{BackTranslation, ContextId, LocationOrigin, OpOrigin, Step, VarOrigin};
use crate::build::{Builder, Draft};
use crate::calls::CallGraph;
use crate::dead_variables::eliminate_dead;

/// Makes values of pointers that are only passed down.
pub fn hand_back(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    if calls.components.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut uses = Uses::new(program);
    uses.collect();
    let groups = uses.accepted(&calls);
    if groups.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let stored = uses.stored(&groups);
    let mut rewriter = Rewriter::new(program);
    let values = groups.iter().map(|(var, ty)| (*var, value(&mut rewriter, *var, *ty))).collect();
    let (changed, first) = Passing { rewriter, groups, stored, values, renamed: Vec::new() }.run();
    // What a callee always overwrites need not be passed: first the copy of the argument goes, then the argument itself.
    let (shorter, second) = eliminate_dead(&changed);
    let (new, third) = eliminate_dead(&shorter);
    (new, first.then(&second).then(&third))
}

/// The scalar that holds what a variable in memory holds, or what a parameter points to.
fn value(rewriter: &mut Rewriter<'_>, var: VarId, ty: Ty) -> VarId {
    let old = &rewriter.old.vars[var];
    let Storage::Object { .. } = old.storage else {
        let owner = old.owner.unwrap_or(rewriter.old.entry);
        return rewriter.temporary(owner, "value", ty);
    };
    rewriter.vars.push(Some(VarOrigin { var, context: ContextId::ROOT }));
    rewriter.new.vars.push(Var { storage: Storage::Scalar(ty), ..old.clone() })
}

/// Whether a variable may be one of a group.
fn is_candidate(program: &Program, var: VarId) -> bool {
    match program.vars[var].storage {
        Storage::Object { read_only, .. } => !read_only && program.vars[var].owner.is_some(),
        Storage::Scalar(ty) => {
            let owner = program.vars[var].owner.filter(|owner| *owner != program.entry);
            ty == Ty::Ptr && owner.is_some_and(|owner| program.procs[owner].params.contains(&var))
        }
        Storage::Array { .. } => false,
    }
}

/// The variable whose address an expression is, or the parameter that is the address.
fn root(program: &Program, expr: ExprId) -> Option<VarId> {
    match *program.exprs.get(expr) {
        Expr::Address { var } | Expr::Var { var, ty: Ty::Ptr } => is_candidate(program, var).then_some(var),
        _ => None,
    }
}

/// What is done with candidates.
struct Uses<'a> {
    program: &'a Program,
    /// Those that are used in another way than to load, to store and to pass.
    refused: BTreeSet<VarId>,
    /// The types that are loaded and stored.
    types: BTreeMap<VarId, BTreeSet<(u8, bool)>>,
    /// What is passed to which parameter.
    passed: BTreeSet<(VarId, VarId)>,
    /// What is stored to by an operation of its procedure.
    stored: BTreeSet<VarId>,
    seen: Vec<bool>,
}

impl<'a> Uses<'a> {
    fn new(program: &'a Program) -> Self {
        Self {
            program,
            refused: BTreeSet::new(),
            types: BTreeMap::new(),
            passed: BTreeSet::new(),
            stored: BTreeSet::new(),
            seen: vec![false; program.exprs.len()],
        }
    }

    fn collect(&mut self) {
        let program = self.program;
        // A procedure that is called through a pointer keeps its signature.
        for (_, expr) in program.exprs.iter() {
            if let Expr::Function { proc } = *expr {
                self.refused.extend(&program.procs[proc].params);
            }
        }
        for procedure in &program.procs {
            self.refused.extend(&procedure.results);
            if procedure.entry == procedure.exit {
                self.refused.extend(&procedure.params);
            }
            for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
                self.op(op);
            }
        }
    }

    fn op(&mut self, op: &Op) {
        let program = self.program;
        if !matches!(op, Op::Begin { .. } | Op::End { .. }) {
            self.refused.extend(op.vars());
        }
        let may_store = matches!(op, Op::Assign { .. } | Op::Havoc { .. } | Op::Call { .. });
        for place in op.places() {
            match *place {
                Place::Mem { addr, ty } if may_store && root(program, addr).is_some() => {
                    self.stored.extend(root(program, addr));
                    self.access(addr, ty);
                }
                _ => place.expr().into_iter().for_each(|expr| self.walk(expr)),
            }
        }
        let Op::Call { callee, args, results } = op else {
            return op.values().for_each(|expr| self.walk(expr));
        };
        let Callee::Direct(target) = *callee else {
            for target in op.call_targets() {
                self.refused.extend(&program.procs[*target].params);
            }
            return op.values().for_each(|expr| self.walk(expr));
        };
        let params = &program.procs[target].params;
        let is_plain = |place: &Place| match *place {
            Place::Var(_) => true,
            Place::Mem { addr, .. } => root(program, addr).is_some(),
            Place::Elem { .. } | Place::Bits { .. } => false,
        };
        if !results.iter().flatten().all(is_plain) {
            self.refused.extend(params);
        }
        let mut roots = BTreeSet::new();
        for (param, arg) in params.iter().zip(args) {
            match root(program, *arg) {
                Some(var) if is_candidate(program, *param) => {
                    self.passed.insert((var, *param));
                    if !roots.insert(var) {
                        self.refused.extend([var, *param]);
                    }
                }
                _ => {
                    self.refused.insert(*param);
                    self.walk(*arg);
                }
            }
        }
    }

    /// A value of a type is loaded from an address, or stored there.
    fn access(&mut self, addr: ExprId, ty: Ty) {
        let Some(var) = root(self.program, addr) else { return };
        if let Ty::Int { width, signed } = ty {
            self.types.entry(var).or_default().insert((width, signed));
        } else {
            self.refused.insert(var);
        }
    }

    /// Looks at an expression whose value is used: a candidate may be in it only as the address of a load.
    fn walk(&mut self, expr: ExprId) {
        let program = self.program;
        let mut pending = vec![expr];
        while let Some(id) = pending.pop() {
            self.refused.extend(root(program, id));
            if std::mem::replace(&mut self.seen[id.index()], true) {
                continue;
            }
            match *program.exprs.get(id) {
                Expr::Load { addr, ty } if root(program, addr).is_some() => {
                    self.access(addr, ty);
                }
                ref other => pending.extend(other.operands()),
            }
        }
    }

    /// The members of groups that become scalars, with their types.
    fn accepted(&self, calls: &CallGraph) -> BTreeMap<VarId, Ty> {
        let mut near: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
        for (from, to) in &self.passed {
            near.entry(*from).or_default().push(*to);
            near.entry(*to).or_default().push(*from);
        }
        let (mut accepted, mut seen) = (BTreeMap::new(), BTreeSet::new());
        for first in near.keys() {
            let (mut group, mut pending) = (Vec::new(), vec![*first]);
            while let Some(var) = pending.pop() {
                if seen.insert(var) {
                    group.push(var);
                    pending.extend(near.get(&var).into_iter().flatten());
                }
            }
            if let Some(ty) = self.common_type(calls, &group) {
                accepted.extend(group.iter().map(|var| (*var, ty)));
            }
        }
        accepted
    }

    /// The type of a group, if it becomes scalars.
    fn common_type(&self, calls: &CallGraph, group: &[VarId]) -> Option<Ty> {
        let vars = &self.program.vars;
        let mut types = group.iter().filter_map(|var| self.types.get(var)).flatten();
        let (width, signed) = *types.next()?;
        let is_one = types.all(|other| *other == (width, signed));
        let fits = |var: &VarId| match vars[*var].storage {
            Storage::Object { size, .. } => size * 8 == u64::from(width),
            Storage::Scalar(_) | Storage::Array { .. } => true,
        };
        let is_many = |var: &VarId| {
            let is_object = matches!(vars[*var].storage, Storage::Object { .. });
            is_object && vars[*var].owner.is_some_and(|owner| calls.is_recursive(owner))
        };
        let is_fine = is_one
            && group.iter().all(|var| !self.refused.contains(var) && fits(var))
            && group.iter().any(is_many);
        is_fine.then_some(Ty::Int { width, signed })
    }

    /// The parameters of groups through which the callee may store.
    fn stored(&self, groups: &BTreeMap<VarId, Ty>) -> BTreeSet<VarId> {
        let mut stored: BTreeSet<VarId> =
            self.stored.iter().copied().filter(|var| groups.contains_key(var)).collect();
        loop {
            let count = stored.len();
            for (from, to) in self.passed.iter().filter(|(from, _)| groups.contains_key(from)) {
                if stored.contains(to) {
                    stored.insert(*from);
                }
            }
            if stored.len() == count {
                return stored;
            }
        }
    }
}

/// The new program in the making.
struct Passing<'a> {
    rewriter: Rewriter<'a>,
    groups: BTreeMap<VarId, Ty>,
    stored: BTreeSet<VarId>,
    /// The scalars of the groups' members.
    values: BTreeMap<VarId, VarId>,
    /// What the old expressions are now.
    renamed: Vec<ExprId>,
}

impl Passing<'_> {
    fn run(mut self) -> (Program, BackTranslation) {
        let old = self.rewriter.old;
        for (_, expr) in old.exprs.iter() {
            let new = match *expr {
                Expr::Load { addr, .. } if self.member(addr).is_some() => self.read(addr),
                ref other => {
                    let renamed = &self.renamed;
                    let new = other.map_operands(|operand| renamed[operand.index()]);
                    self.rewriter.new.exprs.add(new)
                }
            };
            self.renamed.push(new);
        }
        for proc in old.procs.ids() {
            let mut ops = old.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
            if old.procs[proc].params.iter().any(|param| self.groups.contains_key(param))
                || ops.any(|op| self.is_changed(op))
            {
                self.build(proc);
            }
        }
        self.rewriter.finish()
    }

    fn is_changed(&self, op: &Op) -> bool {
        let is_renamed = |expr: ExprId| self.renamed[expr.index()] != expr || self.member(expr).is_some();
        op.vars().any(|var| self.groups.contains_key(&var)) || op.exprs().any(is_renamed)
    }

    /// The member of a group whose address an expression is.
    fn member(&self, addr: ExprId) -> Option<VarId> {
        root(self.rewriter.old, addr).filter(|var| self.groups.contains_key(var))
    }

    /// The value at an address that leads to a member of a group.
    fn read(&mut self, addr: ExprId) -> ExprId {
        let known = self.member(addr).and_then(|var| Some((*self.values.get(&var)?, self.groups[&var])));
        known.map_or(addr, |(value, ty)| self.rewriter.new.exprs.var(value, ty))
    }

    fn build(&mut self, proc: ProcId) {
        let old = self.rewriter.old;
        let procedure = &old.procs[proc];
        let mut builder = Builder::new(old, proc);
        let start = self.start(proc, &mut builder);
        let mut locations = IndexVec::filled(builder.procedure.exit, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated() {
            if location == procedure.entry && start.ops.is_empty() {
                locations[location] = builder.procedure.entry;
            } else if location != procedure.exit {
                let origin = LocationOrigin { proc, location, context: ContextId::ROOT };
                locations[location] = builder.location(*info, Some(origin));
            }
        }
        builder.procedure.error = procedure.error.map(|error| locations[error]);
        if !start.ops.is_empty() {
            start.finish(locations[procedure.entry], &mut builder);
            builder.procedure.locations[builder.procedure.entry] =
                LocationInfo { region: procedure.region, role: LocationRole::Plain };
        }
        for (id, edge) in procedure.edges().iter_enumerated() {
            let step = Step::whole(proc, id, ContextId::ROOT);
            let mut draft = Draft::new(locations[edge.source], edge.origin, step);
            for (position, op) in edge.ops.iter().enumerate() {
                self.op(&mut draft, position, op);
            }
            draft.finish(locations[edge.target], &mut builder);
        }
        self.rewriter.changed.insert(proc, builder.finish());
    }

    /// Gives a procedure its new parameters and results. What is done first takes the values that are given.
    fn start(&mut self, proc: ProcId, builder: &mut Builder) -> Draft {
        let mut start = Draft::without_step(builder.procedure.entry, Origin::IMPLICIT);
        for (position, param) in self.rewriter.old.procs[proc].params.iter().enumerate() {
            let (Some(ty), Some(value)) = (self.groups.get(param), self.values.get(param)) else { continue };
            let given = self.rewriter.temporary(proc, "given", *ty);
            builder.procedure.params[position] = given;
            let given = self.rewriter.new.exprs.var(given, *ty);
            start.push(Op::Assign { place: Place::Var(*value), value: given }, None);
            if self.stored.contains(param) {
                builder.procedure.results.push(*value);
            }
        }
        start
    }

    fn op(&mut self, draft: &mut Draft, position: usize, op: &Op) {
        let new = match op {
            Op::Begin { var } if self.groups.contains_key(var) => {
                return self.begin(draft, position, *var);
            }
            Op::End { var } if self.groups.contains_key(var) => return,
            Op::Call { callee: Callee::Direct(target), args, results } => self.call(*target, args, results),
            other => {
                let mut new = other.map(|expr| self.renamed[expr.index()], |var| var);
                if let (Op::Assign { place, .. } | Op::Havoc { place, .. }, Some(old)) =
                    (&mut new, other.places().next())
                {
                    *place = self.place(old);
                }
                new
            }
        };
        draft.push(new, Some(position));
    }

    /// The contents of a variable that begins are arbitrary.
    fn begin(&self, draft: &mut Draft, position: usize, var: VarId) {
        let (Some(value), Some(Ty::Int { width, .. })) = (self.values.get(&var), self.groups.get(&var))
        else {
            return;
        };
        let at = self.rewriter.old.vars[var].declared;
        let place = Place::Var(*value);
        draft.push(Op::Havoc { place, source: Source::Uninitialised, at }, Some(position));
        let contents = Some((0, i64::from(*width)));
        let origin = OpOrigin { contents, ..OpOrigin::new(0, position as u32) };
        if let Some(last) = draft.from.ops.last_mut() {
            *last = Some(origin);
        }
    }

    fn place(&self, place: &Place) -> Place {
        match *place {
            Place::Mem { addr, .. } => {
                let value = self.member(addr).and_then(|var| self.values.get(&var));
                value.map_or_else(|| self.renamed_place(place), |value| Place::Var(*value))
            }
            _ => self.renamed_place(place),
        }
    }

    fn renamed_place(&self, place: &Place) -> Place {
        place.map(&mut |expr| self.renamed[expr.index()], &mut |var| var)
    }

    fn call(&mut self, target: ProcId, args: &[ExprId], results: &[Option<Place>]) -> Op {
        let params = &self.rewriter.old.procs[target].params;
        let mut places: Vec<Option<Place>> =
            results.iter().map(|place| place.as_ref().map(|place| self.place(place))).collect();
        let mut values = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            if !self.groups.contains_key(param) {
                values.push(self.renamed[arg.index()]);
                continue;
            }
            values.push(self.read(*arg));
            if self.stored.contains(param) {
                let value = self.member(*arg).and_then(|var| self.values.get(&var));
                let place = value.map(|value| Place::Var(*value));
                // What the callee has stored is lost where its result is put into the variable.
                places.push(place.filter(|place| !places.contains(&Some(*place))));
            }
        }
        Op::Call { callee: Callee::Direct(target), args: values, results: places }
    }
}
