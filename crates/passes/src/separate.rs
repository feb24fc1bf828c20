//! A copy of the models of library functions for each call in the user's text, so that what goes wrong in a model is told apart by call.
//!
//! This comes before everything else: the result is the program as given. It has the same executions.
//!
//! # Invariants
//! * S1: procedures and variables of the old program keep their numbers; copies are added behind them.
//! * S2: a model that calls itself, or is called by pointer, is not copied.
//!
//! # Cost
//! The size of the copies, which is bounded by [`MAX_EDGES`]: what does not fit is shared as before.

use base::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use cfa::op::{Callee, Op};
use cfa::{Edge, EdgeId, Expr, ExprId, ProcId, Procedure, Program, VarId};

/// Edges that all copies have together.
const MAX_EDGES: usize = 20_000;

/// Gives each call of a model its own copy.
pub fn separate(program: &Program) -> Program {
    let is_model: IndexVec<ProcId, bool> =
        program.procs.iter().map(|procedure| is_model(program, procedure)).collect();
    if !is_model.iter().any(|model| *model) {
        return program.clone();
    }
    let mut pass = Separate {
        old: program,
        new: program.clone(),
        is_model,
        left: MAX_EDGES,
        used: FxHashSet::default(),
    };
    let users: Vec<ProcId> = program.procs.ids().filter(|proc| !pass.is_model[*proc]).collect();
    for proc in users {
        pass.procedure(proc, &mut Vec::new());
    }
    pass.new
}

fn is_model(program: &Program, procedure: &Procedure) -> bool {
    !procedure.region.is_nowhere() && !program.sources.is_users(procedure.region)
}

struct Separate<'p> {
    old: &'p Program,
    new: Program,
    is_model: IndexVec<ProcId, bool>,
    left: usize,
    /// Models that one call has already.
    used: FxHashSet<ProcId>,
}

impl Separate<'_> {
    /// Redirects the calls of a procedure that is executed under some models. They are calls of procedures of the old program.
    fn procedure(&mut self, proc: ProcId, under: &mut Vec<ProcId>) {
        let edges: Vec<EdgeId> = self.new.procs[proc].edges().ids().collect();
        for edge in edges {
            for position in 0..self.new.procs[proc].edges()[edge].ops.len() {
                let Op::Call { callee: Callee::Direct(target), .. } =
                    self.new.procs[proc].edges()[edge].ops[position]
                else {
                    continue;
                };
                let Some(own) = self.own(target, under) else { continue };
                if let Op::Call { callee, .. } = &mut self.new.procs[proc].edge_mut(edge).ops[position] {
                    *callee = Callee::Direct(own);
                }
            }
        }
    }

    /// The procedure that one call of a model enters; nothing if it is shared.
    fn own(&mut self, target: ProcId, under: &mut Vec<ProcId>) -> Option<ProcId> {
        if !self.is_model[target] || under.contains(&target) || under.len() > 8 {
            return None;
        }
        let own = if self.used.insert(target) {
            target
        } else {
            let size = self.old.procs[target].edges().len();
            self.left = self.left.checked_sub(size)?;
            self.copy(target)
        };
        under.push(target);
        self.procedure(own, under);
        under.pop();
        Some(own)
    }

    fn copy(&mut self, target: ProcId) -> ProcId {
        let own = self.new.procs.next_id();
        let mut renamed: FxHashMap<VarId, VarId> = FxHashMap::default();
        let locals: Vec<VarId> =
            self.old.vars.ids().filter(|var| self.old.vars[*var].owner == Some(target)).collect();
        for var in locals {
            let decl = cfa::Var { owner: Some(own), ..self.new.vars[var].clone() };
            renamed.insert(var, self.new.vars.push(decl));
        }
        let old = &self.old.procs[target];
        let var = |var: VarId| renamed.get(&var).copied().unwrap_or(var);
        let mut procedure = Procedure::new(old.name.clone(), old.region);
        procedure.params = old.params.iter().map(|param| var(*param)).collect();
        procedure.results = old.results.iter().map(|result| var(*result)).collect();
        while procedure.locations.len() < old.locations.len() {
            let next = procedure.locations.next_id();
            procedure.add_location(old.locations[next]);
        }
        procedure.locations = old.locations.clone();
        (procedure.entry, procedure.exit, procedure.error) = (old.entry, old.exit, old.error);
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for edge in old.edges() {
            let ops = edge.ops.iter().map(|op| {
                for root in op.exprs() {
                    self.rename(root, &var, &mut known);
                }
                op.map(|expr| known.get(&expr).copied().unwrap_or(expr), var)
            });
            let ops = ops.collect();
            procedure.add_edge(Edge { ops, ..edge.clone() });
        }
        self.new.procs.push(procedure)
    }

    /// Makes an expression over other variables.
    fn rename(&mut self, root: ExprId, var: &impl Fn(VarId) -> VarId, known: &mut FxHashMap<ExprId, ExprId>) {
        let mut pending = vec![root];
        while let Some(id) = pending.last().copied() {
            if known.contains_key(&id) {
                pending.pop();
                continue;
            }
            let node = *self.new.exprs.get(id);
            let missing: Vec<ExprId> =
                node.operands().filter(|operand| !known.contains_key(operand)).collect();
            if !missing.is_empty() {
                pending.extend(missing);
                continue;
            }
            let node = match node.map_operands(|operand| known[&operand]) {
                Expr::Var { var: old, ty } => Expr::Var { var: var(old), ty },
                Expr::Elem { array, index, ty } => Expr::Elem { array: var(array), index, ty },
                Expr::Address { var: old } => Expr::Address { var: var(old) },
                other => other,
            };
            let new = self.new.exprs.add(node);
            known.insert(id, new);
            pending.pop();
        }
    }
}
