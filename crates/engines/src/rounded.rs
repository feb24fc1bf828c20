//! What the encoding rounds up on the way to the error: possible causes of a spurious counterexample.

use base::{Idx, Region};
use cfa::{BinaryOp, Expr, ExprId, ProcId, Program};
use encode::{Rounding, Site};
use graph::cut::Graph;
use passes::Prepared;
use verdict::Rounded;

/// Rounded values with places of the given program.
pub(crate) fn rounded(task: &Prepared<'_>, graph: &Graph) -> Vec<Rounded> {
    let skolems = graph.arcs.iter().flat_map(|arc| &arc.skolems);
    let values = skolems.filter_map(|skolem| Some((skolem.rounding()?, skolem.site)));
    let mut found: Vec<Rounded> = Vec::new();
    for (what, site) in values.chain(compared_addresses(task.program(), graph)) {
        let rounded = Rounded { what, region: place(task, graph.procedure, site) };
        if !found.contains(&rounded) {
            found.push(rounded);
        }
    }
    found
}

/// Where an operation of a procedure stands in the given program.
pub(crate) fn place(task: &Prepared<'_>, proc: ProcId, site: Site) -> Region {
    let Site::Operation { edge, op } = site else { return Region::NOWHERE };
    match task.back().edge(proc, edge).op(op) {
        Some((step, _)) => task.given().procs[step.proc].edges()[step.edge].origin.region,
        None => Region::NOWHERE,
    }
}

/// Operations that compare a pointer with the address of an object or function. In the encoding such an address is one number, but two of them may be
/// equal; a call through a pointer is a comparison with each of its targets.
fn compared_addresses(program: &Program, graph: &Graph) -> Vec<(Rounding, Site)> {
    let comparing = comparing_addresses(program);
    let mut found = Vec::new();
    for (edge, content) in program.procs[graph.procedure].edges().iter_enumerated() {
        for (op, content) in content.ops.iter().enumerate() {
            if content.exprs().any(|expr| comparing[expr.index()]) {
                found.push((Rounding::FixedAddress, Site::Operation { edge, op }));
            }
        }
    }
    found
}

/// For each expression whether it contains such a comparison. Operands come before their expression.
fn comparing_addresses(program: &Program) -> Vec<bool> {
    let exprs = &program.exprs;
    let is_address = |expr: ExprId| match *exprs.get(expr) {
        Expr::Function { .. } => true,
        Expr::Address { var } => program.vars[var].owner.is_none(),
        _ => false,
    };
    let mut comparing: Vec<bool> = Vec::with_capacity(exprs.len());
    for (_, node) in exprs.iter() {
        let compares = match *node {
            Expr::Binary { op: BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le, lhs, rhs } => {
                is_address(lhs) || is_address(rhs)
            }
            _ => false,
        };
        comparing.push(compares || node.operands().any(|operand| comparing[operand.index()]));
    }
    comparing
}
