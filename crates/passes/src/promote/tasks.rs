//! What operations do with pointers: the expressions that are evaluated, and what is added.

use cfa::op::Op;
use cfa::pointsto::AllocationSite;
use cfa::{BinaryOp, Expr, ExprId, Program, Storage, Ty, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::object::Objects;
use super::offsets::{Linear, Offsets, linear};
use crate::totality::Totality;

/// An operation and the pointers that it evaluates, operands first.
pub(super) struct Task<'a> {
    pub(super) site: AllocationSite,
    pub(super) op: &'a Op,
    pub(super) nodes: Vec<ExprId>,
    /// Those of them that become numbers.
    pub(super) numbers: Vec<ExprId>,
}

/// Whether a variable holds pointers.
pub(super) fn holds_pointer(program: &Program, var: VarId) -> bool {
    matches!(program.vars[var].storage, Storage::Scalar(Ty::Ptr) | Storage::Array { elem: Ty::Ptr, .. })
}

/// The pointer that a number is, if it was converted and nothing else.
pub(super) fn peeled(program: &Program, number: ExprId) -> Option<ExprId> {
    let width = program.data_model.pointer_width();
    let mut at = number;
    loop {
        match *program.exprs.get(at) {
            Expr::Cast { ty: Ty::Int { width: own, .. }, arg } if own >= width => {
                if program.exprs.ty(arg) == Ty::Ptr {
                    return Some(arg);
                }
                at = arg;
            }
            _ => return None,
        }
    }
}

/// An operation with the pointers that it evaluates. A pointer that becomes a number and a pointer again at once is no number.
pub(super) fn task<'a>(program: &Program, site: AllocationSite, op: &'a Op) -> Task<'a> {
    let mut seen = FxHashSet::default();
    let mut pending: Vec<ExprId> = op.exprs().collect();
    let mut numbers = Vec::new();
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        match *program.exprs.get(id) {
            Expr::Cast { ty: Ty::Ptr, arg } if peeled(program, arg).is_some() => {
                pending.extend(peeled(program, arg));
            }
            Expr::Cast { arg, .. } if program.exprs.ty(arg) == Ty::Ptr && program.exprs.ty(id) != Ty::Ptr => {
                numbers.push(arg);
                pending.push(arg);
            }
            ref expr => pending.extend(expr.operands()),
        }
    }
    let mut nodes: Vec<ExprId> = seen.into_iter().filter(|id| program.exprs.ty(*id) == Ty::Ptr).collect();
    nodes.sort_unstable();
    numbers.sort_unstable();
    Task { site, op, nodes, numbers }
}

/// The variables whose pointers an operation reads.
pub(super) fn read_pointers(program: &Program, task: &Task<'_>) -> Vec<VarId> {
    let mut vars = Vec::new();
    for id in &task.nodes {
        if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = *program.exprs.get(*id) {
            vars.push(var);
        }
    }
    vars.extend(task.op.copied_array());
    for target in task.op.call_targets() {
        vars.extend(program.procs[*target].results.iter().copied());
        if task.op.call_targets().len() > 1 {
            vars.extend(program.procs[*target].params.iter().copied());
        }
    }
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// What is added to pointers.
pub(super) fn sums(objects: &Objects<'_>, totality: &Totality) -> FxHashMap<ExprId, (Linear, Offsets)> {
    let program = objects.program;
    let mut sums = FxHashMap::default();
    for id in &objects.used {
        if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = *program.exprs.get(*id) {
            let sum = linear(program, totality, rhs);
            let amount = sum.values(totality);
            sums.insert(*id, (sum, amount));
        }
    }
    sums
}
