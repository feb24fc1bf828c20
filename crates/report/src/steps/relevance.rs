//! What a violation may depend on: what slicing keeps.

use base::IndexVec;
use cfa::{EdgeId, Expr, ExprId, ProcId, Program, VarId};
use interp::Written;

/// Edges and variables that matter, and variables that people know.
pub(super) struct Relevance {
    edges: IndexVec<ProcId, IndexVec<EdgeId, bool>>,
    vars: IndexVec<VarId, bool>,
    /// Variables of the source, and results of functions.
    named: IndexVec<VarId, bool>,
}

impl Relevance {
    pub(super) fn new(program: &Program) -> Self {
        let (sliced, back) = passes::slice(program);
        let no_edge = |procedure: &cfa::Procedure| IndexVec::filled(false, procedure.edges().len());
        let mut named: IndexVec<VarId, bool> =
            program.vars.iter().map(|var| !var.name.starts_with('%')).collect();
        for result in program.procs.iter().flat_map(|procedure| &procedure.results) {
            named[*result] = true;
        }
        let mut relevance = Self {
            edges: program.procs.iter().map(no_edge).collect(),
            vars: IndexVec::filled(false, program.vars.len()),
            named,
        };
        let mut seen = vec![false; sliced.exprs.len()];
        let mut pending: Vec<ExprId> = Vec::new();
        for (proc, procedure) in sliced.procs.iter_enumerated() {
            for (edge, content) in procedure.edges().iter_enumerated() {
                let origin = back.edge(proc, edge);
                for (position, op) in content.ops.iter().enumerate() {
                    if let Some((step, _)) = origin.op(position) {
                        relevance.edges[step.proc][step.edge] = true;
                    }
                    op.vars().for_each(|var| relevance.vars[var] = true);
                    pending.extend(op.exprs());
                }
            }
            procedure.results.iter().for_each(|result| relevance.vars[*result] = true);
        }
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            let expr = sliced.exprs.get(id);
            if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } | Expr::Address { var } = expr {
                relevance.vars[*var] = true;
            }
            pending.extend(expr.operands());
        }
        relevance
    }

    /// Whether an edge does or decides something that matters.
    pub(super) fn edge(&self, proc: ProcId, edge: EdgeId) -> bool {
        self.edges[proc][edge]
    }
    /// Whether a variable matters.
    pub(super) fn var(&self, var: VarId) -> bool {
        self.vars[var]
    }
    /// Whether what an edge writes matters.
    pub(super) fn write(&self, proc: ProcId, edge: EdgeId, to: Written) -> bool {
        let var = match to {
            Written::Var(var) | Written::Elem { array: var, .. } => self.vars[var],
            Written::Mem { .. } | Written::Bits { .. } => true,
        };
        var && self.edges[proc][edge]
    }
    /// Whether people know what is written.
    pub(super) fn is_named(&self, to: Written) -> bool {
        match to {
            Written::Var(var) | Written::Elem { array: var, .. } => self.named[var],
            Written::Mem { .. } | Written::Bits { .. } => true,
        }
    }
}
