//! Which variables may be read before they are given a value.
//!
//! # Invariants
//! * U1: a variable that is not found is written on every way from where it begins without value to where it is read.
//!
//! # Cost
//! One walk over a procedure for each of its variables that begin without value.

use base::IndexVec;
use cfa::{EdgeId, Expr, Op, Place, ProcId, Program, Source, VarId};
use rustc_hash::FxHashSet;

/// The scalar variables that begin without value and may be read before they are written.
pub(super) fn unwritten(program: &Program) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    for (proc, procedure) in program.procs.iter_enumerated() {
        let begins: Vec<(EdgeId, usize, VarId)> = procedure
            .edges()
            .iter_enumerated()
            .flat_map(|(id, edge)| edge.ops.iter().enumerate().map(move |(index, op)| (id, index, op)))
            .filter_map(|(id, index, op)| match op {
                Op::Havoc { place: Place::Var(var), source: Source::Uninitialised, .. } => {
                    Some((id, index, *var))
                }
                _ => None,
            })
            .collect();
        if begins.is_empty() {
            continue;
        }
        let walk = Walk::new(program, proc);
        found.extend(begins.into_iter().filter(|begin| walk.is_read(*begin)).map(|(.., var)| var));
    }
    found
}

struct Walk<'a> {
    program: &'a Program,
    proc: ProcId,
    /// What each operation of each edge reads.
    reads: IndexVec<EdgeId, Vec<FxHashSet<VarId>>>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, proc: ProcId) -> Self {
        let read = |op: &Op| {
            let mut found: FxHashSet<VarId> = op.copied_array().into_iter().collect();
            let mut pending: Vec<_> = op.exprs().collect();
            let mut seen = FxHashSet::default();
            while let Some(id) = pending.pop() {
                if !seen.insert(id) {
                    continue;
                }
                let expr = program.exprs.get(id);
                if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = expr {
                    found.insert(*var);
                }
                pending.extend(expr.operands());
            }
            found
        };
        let edges = program.procs[proc].edges().iter();
        let reads = edges.map(|edge| edge.ops.iter().map(read).collect()).collect();
        Self { program, proc, reads }
    }

    /// Whether a variable may be read after an operation of an edge, before it is written.
    fn is_read(&self, (edge, index, var): (EdgeId, usize, VarId)) -> bool {
        let procedure = &self.program.procs[self.proc];
        // Others may read it.
        if self.program.vars[var].owner != Some(self.proc) {
            return true;
        }
        let (mut pending, mut seen) = (vec![(edge, index + 1)], FxHashSet::default());
        while let Some((id, start)) = pending.pop() {
            let edge = &procedure.edges()[id];
            let mut is_written = false;
            for (op, reads) in edge.ops.iter().zip(&self.reads[id]).skip(start) {
                if reads.contains(&var) {
                    return true;
                }
                if op.places().any(|place| *place == Place::Var(var)) {
                    is_written = true;
                    break;
                }
            }
            if is_written || !seen.insert(edge.target) {
                continue;
            }
            if edge.target == procedure.exit && procedure.results.contains(&var) {
                return true;
            }
            pending.extend(procedure.outgoing(edge.target).iter().map(|next| (*next, 0)));
        }
        false
    }
}
