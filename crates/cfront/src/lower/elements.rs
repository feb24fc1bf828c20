//! Comparison functions that read beyond the elements that they are given.
//!
//! C does not say which pairs of elements a sort or a search compares. The models compare those that glibc compares; whether a function that reads the neighbours of
//! an element leaves the array depends on the pairs.
//!
//! # Invariants
//! * F1: a function that is not found reads through its parameters, and through copies of them, only within the element.

use cfa::{BinaryOp, Callee, Expr, ExprId, Op, Place, ProcId, Program, VarId};
use rustc_hash::FxHashSet;

use crate::library;

/// A call of a library function that compares elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    /// The function, if it is known.
    pub proc: Option<ProcId>,
    /// Bytes of an element, if they are known.
    pub size: Option<i128>,
    /// How many of its first parameters lead to something else than an element.
    pub keys: usize,
}

/// Whether a comparison function may read beyond an element.
pub(super) fn reads_beyond(program: &Program, comparison: Comparison) -> bool {
    let Some(proc) = comparison.proc else { return true };
    let params = program.procs[proc].params.iter().skip(comparison.keys).copied().collect();
    let (mut pending, mut seen): (Vec<(ProcId, Vec<VarId>)>, _) =
        (vec![(proc, params)], FxHashSet::default());
    while let Some((proc, params)) = pending.pop() {
        if program.procs[proc].name.starts_with(library::MODEL_PREFIX) || !seen.insert((proc, params.clone()))
        {
            continue;
        }
        let Some(elements) = copies(program, proc, params) else { return true };
        let element = |expr: ExprId| match base(program, expr) {
            (Expr::Var { var, .. }, offset) if elements.contains(&var) => Some(offset),
            _ => None,
        };
        for op in ops(program, proc) {
            if op.exprs().any(|root| leaves(program, root, comparison.size, &element)) {
                return true;
            }
            let Op::Call { callee, args, .. } = op else { continue };
            let given: Vec<bool> = args.iter().map(|arg| element(*arg).is_some()).collect();
            let is_moved = args.iter().any(|arg| element(*arg).is_some_and(|offset| offset != Some(0)));
            if is_moved || matches!(callee, Callee::Indirect { .. }) && given.contains(&true) {
                return true;
            }
            for target in op.call_targets().iter().filter(|_| given.contains(&true)) {
                let params = program.procs[*target].params.iter().zip(&given);
                pending
                    .push((*target, params.filter(|(_, given)| **given).map(|(param, _)| *param).collect()));
            }
        }
    }
    false
}

fn ops(program: &Program, proc: ProcId) -> impl Iterator<Item = &Op> {
    program.procs[proc].edges().iter().flat_map(|edge| &edge.ops)
}

/// The variables of a procedure that point to elements; nothing if one points beyond the start of one.
fn copies(program: &Program, proc: ProcId, params: Vec<VarId>) -> Option<FxHashSet<VarId>> {
    let mut elements: FxHashSet<VarId> = params.into_iter().collect();
    loop {
        let before = elements.len();
        for op in ops(program, proc) {
            if let Op::Assign { place: Place::Var(var), value } = op
                && let (Expr::Var { var: from, .. }, offset) = base(program, *value)
                && elements.contains(&from)
            {
                if offset != Some(0) {
                    return None;
                }
                elements.insert(*var);
            }
        }
        if elements.len() == before {
            return Some(elements);
        }
    }
}

/// What an address starts from, and its distance if that is a constant.
fn base(program: &Program, addr: ExprId) -> (Expr, Option<i128>) {
    let (mut base, mut offset) = (addr, Some(0_i128));
    while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *program.exprs.get(base) {
        let step = match *program.exprs.get(rhs) {
            Expr::Const { ty, bits } => Some(ty.value_of(bits)),
            _ => None,
        };
        offset = offset.zip(step).and_then(|(offset, step)| offset.checked_add(step));
        base = lhs;
    }
    (*program.exprs.get(base), offset)
}

/// Whether an expression reads through a pointer to an element, and not within the element.
fn leaves(
    program: &Program,
    root: ExprId,
    size: Option<i128>,
    element: &impl Fn(ExprId) -> Option<Option<i128>>,
) -> bool {
    let (mut pending, mut seen) = (vec![root], FxHashSet::default());
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = program.exprs.get(id);
        if let Expr::Load { addr, ty } | Expr::LoadBits { addr, ty, .. } = *expr
            && let Some(offset) = element(addr)
        {
            let bytes = i128::from(program.size_of(ty));
            let is_inside = offset.is_some_and(|offset| {
                offset >= 0 && (offset == 0 || size.is_some_and(|size| offset + bytes <= size))
            });
            if !is_inside {
                return true;
            }
        }
        pending.extend(expr.operands());
    }
    false
}
