//! Forms of recursion.
//!
//! # Definitions
//! A component is *tail recursive* if each call of a member by a member is the last thing that the caller does: what the caller returns is what the call
//! returns. It is *linear* if no path through a member makes two such calls; so none of them is in a loop.

use std::collections::BTreeMap;

use super::{CallGraph, CallSite, Component};
use crate::lifetimes::live_objects;
use cfa::loops::Digraph;
use cfa::op::{Op, Place};
use cfa::{Edge, Expr, Program, Storage, Var, VarId};

/// Whether a component is tail recursive.
pub(crate) fn is_tail(program: &Program, calls: &CallGraph, component: &Component) -> bool {
    calls.inner_sites(program, component).all(|site| returns_result(program, site))
}

/// Whether a component is linear.
pub(crate) fn is_linear(program: &Program, calls: &CallGraph, component: &Component) -> bool {
    calls.inner_sites(program, component).all(|site| {
        let procedure = &program.procs[site.proc];
        let edge = &procedure.edges()[site.edge];
        let behind = Digraph::of(procedure).reachable([edge.target]);
        let enters = |op: &Op| component.is_entered_by(op);
        let again = |other: &Edge| behind[other.source] && other.ops.iter().any(enters);
        !edge.ops[site.op + 1..].iter().any(enters) && !procedure.edges().iter().any(again)
    })
}

/// Whether an object of the caller may be live at a call.
pub(crate) fn has_live_objects(program: &Program, site: CallSite) -> bool {
    let is_object = |(id, var): (VarId, &Var)| {
        (var.owner == Some(site.proc) && matches!(var.storage, Storage::Object { .. })).then_some(id)
    };
    let objects: Vec<VarId> = program.vars.iter_enumerated().filter_map(is_object).collect();
    let edge = &program.procs[site.proc].edges()[site.edge];
    let begins = edge.ops.iter().any(|op| matches!(op, Op::Begin { .. }));
    !objects.is_empty() && (begins || !live_objects(program, site.proc, &objects, edge.source).is_empty())
}

/// Whether a procedure returns what a call in it returns, and does nothing after the call but to copy it.
fn returns_result(program: &Program, site: CallSite) -> bool {
    let procedure = &program.procs[site.proc];
    let edge = &procedure.edges()[site.edge];
    let Op::Call { results, .. } = &edge.ops[site.op] else { return false };
    // Which variables hold which result.
    let mut held: BTreeMap<VarId, usize> = BTreeMap::new();
    for (index, place) in results.iter().enumerate() {
        match place {
            Some(Place::Var(var)) if program.vars[*var].owner.is_some() => {
                held.insert(*var, index);
            }
            Some(_) => return false,
            None => {}
        }
    }
    let (mut ops, mut at) = (&edge.ops[site.op + 1..], edge.target);
    for _ in 0..procedure.locations.len() {
        if !ops.iter().all(|op| copies(program, op, &mut held)) {
            return false;
        }
        if at == procedure.exit {
            let own = procedure.results.iter().enumerate();
            return own.into_iter().all(|(index, result)| held.get(result) == Some(&index));
        }
        let [only] = procedure.outgoing(at) else { return false };
        let edge = &procedure.edges()[*only];
        (ops, at) = (&edge.ops, edge.target);
    }
    false
}

/// Whether an operation copies one local variable to another; `held` is what variables hold before and after it.
fn copies(program: &Program, op: &Op, held: &mut BTreeMap<VarId, usize>) -> bool {
    let Op::Assign { place: Place::Var(to), value } = op else { return false };
    let Expr::Var { var: from, .. } = *program.exprs.get(*value) else { return false };
    if program.vars[*to].owner.is_none() {
        return false;
    }
    match held.get(&from).copied() {
        Some(index) => held.insert(*to, index),
        None => held.remove(to),
    };
    true
}
