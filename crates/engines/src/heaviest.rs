//! The operation that makes a question about bits large, for people: a solver that turns bits into clauses is stopped by products, quotients and floating point before anything else.

use cfa::{BinaryOp, Expr, ExprId, Ty};
use encode::Site;
use passes::Prepared;

use crate::rounded::place;

/// The operation of the entry procedure that has most gates, by its form, with its place; nothing if there are only cheap ones.
pub(crate) fn heaviest(task: &Prepared<'_>) -> Option<String> {
    let program = task.program();
    let mut most: Option<(u64, String, Site)> = None;
    for (edge, content) in program.procs[program.entry].edges().iter_enumerated() {
        for (op, operation) in content.ops.iter().enumerate() {
            for id in values::state::operands_first(program, operation.exprs()) {
                let Some((gates, what)) = cost(task, id) else { continue };
                if most.as_ref().is_none_or(|(known, ..)| gates > *known) {
                    most = Some((gates, what, Site::Operation { edge, op }));
                }
            }
        }
    }
    let (_, what, site) = most?;
    let region = place(task, program.entry, site);
    Some(format!("{what}, {}", task.given().sources.describe(region)))
}

/// About how many gates an operation has if its operands are unknown, and what it is.
fn cost(task: &Prepared<'_>, id: ExprId) -> Option<(u64, String)> {
    let program = task.program();
    let Expr::Binary { op, lhs, rhs } = *program.exprs.get(id) else { return None };
    let is_constant = |id: ExprId| matches!(program.exprs.get(id), Expr::Const { .. });
    let ty = program.exprs.ty(lhs);
    let width = u64::from(ty.width(program.data_model));
    let (factor, what) = match (op, ty) {
        (BinaryOp::Div, Ty::Float(_)) => (8, "floating-point quotient"),
        (BinaryOp::Mul, Ty::Float(_)) => (4, "floating-point product"),
        (BinaryOp::Add | BinaryOp::Sub, Ty::Float(_)) => (1, "floating-point sum"),
        (BinaryOp::Div | BinaryOp::Rem, _) if !is_constant(rhs) => (4, "quotient or remainder"),
        (BinaryOp::Mul, _) if !is_constant(lhs) && !is_constant(rhs) => (2, "product"),
        _ => return None,
    };
    Some((factor * width * width, format!("a {what} of {width} bits")))
}
