//! Stack memory that may be used when the procedure that allocated it has returned.
//!
//! # Cost
//! The size of the procedures that may be active at the same time, for each procedure that allocates on the stack.

use base::IndexVec;
use rustc_hash::FxHashSet;

use super::calls::CallGraph;
use cfa::op::{AllocKind, Op, Place};
use cfa::{Expr, ExprId, ProcId, Program, Storage, Ty, VarId};

/// The procedures whose stack memory may be accessed when they have returned. It would live on in their callers, so a test whether it lives would hold for too long.
pub(crate) fn leaks_stack(program: &Program, calls: &CallGraph) -> IndexVec<ProcId, bool> {
    let is_tested = program.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Accessible { .. }));
    let allocates = |op: &Op| matches!(op, Op::Malloc { kind: AllocKind::Stack, .. });
    let mut leaks = IndexVec::filled(false, program.procs.len());
    for proc in calls.order.iter().filter(|_| is_tested) {
        if ops(program, *proc).any(allocates) {
            leaks[*proc] = lets_pointers_out(program, calls, *proc);
        }
    }
    leaks
}

fn ops(program: &Program, proc: ProcId) -> impl Iterator<Item = &Op> {
    program.procs[proc].edges().iter().flat_map(|edge| &edge.ops)
}

/// Whether a pointer that a procedure has may be left when it returns: in its results, in memory, in a global variable or as a number.
fn lets_pointers_out(program: &Program, calls: &CallGraph, proc: ProcId) -> bool {
    let is_pointer = |var: VarId| {
        matches!(program.vars[var].storage, Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. })
    };
    if program.procs[proc].results.iter().any(|result| is_pointer(*result)) {
        return true;
    }
    let (mut pending, mut seen) = (vec![proc], vec![proc]);
    while let Some(proc) = pending.pop() {
        for op in ops(program, proc) {
            let stores = op.places().any(|place| match *place {
                Place::Mem { ty, .. } | Place::Bits { ty, .. } => ty == Ty::Ptr,
                Place::Elem { array, .. } => is_pointer(array),
                Place::Var(var) => is_pointer(var) && program.vars[var].owner.is_none(),
            });
            if stores || op.exprs().any(|root| makes_number(program, root)) {
                return true;
            }
        }
        for target in calls.sites[proc].iter().flat_map(|site| site.op(program).call_targets()) {
            if !seen.contains(target) {
                seen.push(*target);
                pending.push(*target);
            }
        }
    }
    false
}

/// Whether a pointer becomes a number.
fn makes_number(program: &Program, root: ExprId) -> bool {
    let exprs = &program.exprs;
    let (mut pending, mut seen) = (vec![root], FxHashSet::default());
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        match *exprs.get(id) {
            Expr::Cast { ty, arg } if ty != Ty::Ptr && exprs.ty(arg) == Ty::Ptr => return true,
            ref expr => pending.extend(expr.operands()),
        }
    }
    false
}
