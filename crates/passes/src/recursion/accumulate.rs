//! Sums in global variables become results.
//!
//! A recursion that only ever adds to a global variable, and reads it for nothing else, returns in effect what it adds. With that as a result it may be a function of its
//! arguments, and [`window`](fn@super::window) may apply: `void f(int n) { if (n > 0) { g++; f(n - 1); f(n - 1); } }`.
//!
//! # Method
//! Each member of the component gets a further result for each such variable, the sum of what the activation adds, of an unsigned type: it is zero at the start, what
//! is added to the variable is added to the sum, and so is what an inner call returns. Where a member is called from outside, the sum is added to the variable.
//!
//! # Meaning
//! The same executions if the variable is unsigned or overflow wraps. Else more: an execution in which the variable overflows on the way is not ended by that.

use cfa::op::{Callee, Op, Place};
use cfa::{BinaryOp, Expr, ExprId, LocationInfo, LocationRole, Origin, ProcId, Program, Ty, VarId};
use rustc_hash::FxHashMap;

use super::Rewriter;
use crate::back::{BackTranslation, ContextId, LocationOrigin, Step};
use crate::build::{Builder, Draft};
use crate::calls::{CallGraph, Component, footprints, is_linear};
use crate::frames::reads;
use base::IndexVec;

/// Makes results of sums.
pub fn accumulate(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    let footprints = footprints(program, &calls);
    let mut sums: FxHashMap<ProcId, Vec<Sum>> = FxHashMap::default();
    for component in &calls.components {
        let writes: Vec<VarId> = footprints[component.members[0]].writes.iter().copied().collect();
        let is_sum = |var: &VarId| is_sum(program, &calls, &footprints, component, *var);
        if writes.is_empty() || is_linear(program, &calls, component) || !writes.iter().all(is_sum) {
            continue;
        }
        for member in &component.members {
            sums.insert(*member, writes.iter().filter_map(|var| Sum::of(program, *var)).collect());
        }
    }
    if sums.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let mut rewriter = Rewriter::new(program);
    let mut results: FxHashMap<ProcId, Vec<VarId>> = FxHashMap::default();
    for member in program.procs.ids() {
        if let Some(sums) = sums.get(&member) {
            let vars = sums.iter().map(|sum| rewriter.temporary(member, "sum", sum.unsigned)).collect();
            results.insert(member, vars);
        }
    }
    for proc in program.procs.ids() {
        let mut callees = calls.sites[proc].iter().flat_map(|site| site.op(program).call_targets());
        if sums.contains_key(&proc) || callees.any(|target| sums.contains_key(target)) {
            Summing { rewriter: &mut rewriter, sums: &sums, results: &results, proc }.build();
        }
    }
    rewriter.finish()
}

/// A variable that is added to.
#[derive(Clone, Copy)]
struct Sum {
    var: VarId,
    ty: Ty,
    unsigned: Ty,
}

impl Sum {
    fn of(program: &Program, var: VarId) -> Option<Self> {
        let ty @ Ty::Int { width, .. } = program.vars[var].scalar()? else { return None };
        Some(Self { var, ty, unsigned: Ty::unsigned(width) })
    }
}

/// Whether a component only adds to a global variable.
fn is_sum(
    program: &Program,
    calls: &CallGraph,
    footprints: &IndexVec<ProcId, crate::calls::Footprint>,
    component: &Component,
    var: VarId,
) -> bool {
    let is_used =
        |op: &Op| op.vars().any(|other| other == var) || op.exprs().any(|expr| reads(program, expr, var));
    let is_fine = |op: &Op| match op {
        Op::Call { .. } => {
            let outside = op.call_targets().iter().filter(|target| !component.contains(**target));
            let mut footprints = outside.map(|target| &footprints[*target]);
            !is_used(op) && !footprints.any(|other| other.reads.contains(&var) || other.writes.contains(&var))
        }
        op => !is_used(op) || added(program, op, var).is_some(),
    };
    // A procedure that is called through a pointer keeps its signature; so does one whose results depend on the variable where they are put.
    let is_plain = |op: &Op| match op {
        Op::Call { callee: Callee::Indirect { .. }, .. } => !component.is_entered_by(op),
        Op::Call { results, .. } if component.is_entered_by(op) => {
            results.iter().flatten().all(|place| matches!(place, Place::Var(_)))
        }
        _ => true,
    };
    let members = component.members.iter().flat_map(|member| program.procs[*member].edges());
    let all = calls.order.iter().flat_map(|proc| program.procs[*proc].edges());
    Sum::of(program, var).is_some()
        && members.flat_map(|edge| &edge.ops).all(is_fine)
        && all.flat_map(|edge| &edge.ops).all(is_plain)
}

/// What an operation adds to a variable, or subtracts from it; nothing if it does something else.
fn added(program: &Program, op: &Op, var: VarId) -> Option<(BinaryOp, ExprId)> {
    let Op::Assign { place: Place::Var(to), value } = op else { return None };
    let Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = *program.exprs.get(*value)
    else {
        return None;
    };
    let is_var = |id: ExprId| matches!(*program.exprs.get(id), Expr::Var { var: other, .. } if other == var);
    let by = if is_var(lhs) {
        rhs
    } else if is_var(rhs) && op == BinaryOp::Add {
        lhs
    } else {
        return None;
    };
    (*to == var && !reads(program, by, var)).then_some((op, by))
}

/// A procedure that sums, or calls one that does.
struct Summing<'r, 'a> {
    rewriter: &'r mut Rewriter<'a>,
    sums: &'r FxHashMap<ProcId, Vec<Sum>>,
    results: &'r FxHashMap<ProcId, Vec<VarId>>,
    proc: ProcId,
}

impl Summing<'_, '_> {
    fn build(&mut self) {
        let old = self.rewriter.old;
        let procedure = &old.procs[self.proc];
        let mut builder = Builder::new(old, self.proc);
        let mut locations = IndexVec::filled(builder.procedure.exit, procedure.locations.len());
        for (location, info) in procedure.locations.iter_enumerated() {
            if location != procedure.exit {
                let origin = LocationOrigin { proc: self.proc, location, context: ContextId::ROOT };
                locations[location] = builder.location(*info, Some(origin));
            }
        }
        builder.procedure.error = procedure.error.map(|error| locations[error]);
        let mut start = Draft::without_step(builder.procedure.entry, Origin::IMPLICIT);
        for (sum, var) in self.own() {
            let value = self.rewriter.new.exprs.int(sum.unsigned, 0);
            start.push(Op::Assign { place: Place::Var(var), value }, None);
            builder.procedure.results.push(var);
        }
        start.finish(locations[procedure.entry], &mut builder);
        for (id, edge) in procedure.edges().iter_enumerated() {
            let step = Step::whole(self.proc, id, ContextId::ROOT);
            let mut draft = Draft::new(locations[edge.source], edge.origin, step);
            for (position, op) in edge.ops.iter().enumerate() {
                for op in self.ops(op) {
                    draft.push(op, Some(position));
                }
            }
            draft.finish(locations[edge.target], &mut builder);
        }
        builder.procedure.locations[builder.procedure.entry] =
            LocationInfo { region: procedure.region, role: LocationRole::Plain };
        self.rewriter.changed.insert(self.proc, builder.finish());
    }

    /// The sums of the procedure itself.
    fn own(&self) -> Vec<(Sum, VarId)> {
        let sums = self.sums.get(&self.proc).into_iter().flatten().copied();
        sums.zip(self.results.get(&self.proc).into_iter().flatten().copied()).collect()
    }

    fn ops(&mut self, op: &Op) -> Vec<Op> {
        if let Op::Call { callee: Callee::Direct(target), args, results } = op
            && let Some(sums) = self.sums.get(target)
        {
            return self.call(*target, sums, args, results);
        }
        let own = self.own().into_iter();
        let found: Vec<_> = own
            .filter_map(|(sum, var)| Some((sum.unsigned, var, added(self.rewriter.old, op, sum.var)?)))
            .collect();
        match found[..] {
            [(unsigned, var, (operator, by))] => {
                let exprs = &mut self.rewriter.new.exprs;
                let (before, by) = (exprs.var(var, unsigned), exprs.cast(unsigned, by));
                vec![Op::Assign { place: Place::Var(var), value: exprs.binary(operator, before, by) }]
            }
            _ => vec![op.clone()],
        }
    }

    fn call(&mut self, target: ProcId, sums: &[Sum], args: &[ExprId], results: &[Option<Place>]) -> Vec<Op> {
        let own = self.own();
        let inner: Vec<Option<VarId>> = sums
            .iter()
            .map(|sum| own.iter().find(|(mine, _)| mine.var == sum.var).map(|(_, var)| *var))
            .collect();
        let (mut places, mut after) = (results.to_vec(), Vec::new());
        for (sum, inner) in sums.iter().zip(inner) {
            let returned = self.rewriter.temporary(self.proc, "added", sum.unsigned);
            places.push(Some(Place::Var(returned)));
            let exprs = &mut self.rewriter.new.exprs;
            let by = exprs.var(returned, sum.unsigned);
            match inner {
                Some(var) => {
                    let before = exprs.var(var, sum.unsigned);
                    let value = exprs.binary(BinaryOp::Add, before, by);
                    after.push(Op::Assign { place: Place::Var(var), value });
                }
                // What the callee has added is lost where its result is put into the variable.
                None if results.contains(&Some(Place::Var(sum.var))) => {}
                None => {
                    let before = exprs.var(sum.var, sum.ty);
                    let before = exprs.cast(sum.unsigned, before);
                    let value = exprs.binary(BinaryOp::Add, before, by);
                    after.push(Op::Assign { place: Place::Var(sum.var), value: exprs.cast(sum.ty, value) });
                }
            }
        }
        let mut ops = vec![Op::Call { callee: Callee::Direct(target), args: args.to_vec(), results: places }];
        ops.extend(after);
        ops
    }
}
