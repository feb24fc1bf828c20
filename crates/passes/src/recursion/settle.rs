//! Guesses that are settled where they are made.
//!
//! A value that is guessed, and compared for equality before anything else can happen, is no guess: it is computed. Analyses of values and products know
//! more of `x := 0` than of `havoc x; assume x == 0`.
//!
//! # Meaning
//! The same executions, without some that are blocked.

use super::Rewriter;
use crate::back::BackTranslation;
use crate::frames::reads;
use crate::lifetimes::read_vars;
use cfa::op::{Guess, Op, Place, Source};
use cfa::{BinaryOp, EdgeId, Expr, ExprId, Procedure, Program, VarId};

/// The most operations between a guess and its comparison.
const MOST_STEPS: usize = 64;

/// Computes what need not be guessed.
pub(crate) fn settle(program: &Program) -> (Program, BackTranslation) {
    let mut rewriter = Rewriter::new(program);
    for (proc, procedure) in program.procs.iter_enumerated() {
        let mut changed = procedure.clone();
        for (id, edge) in procedure.edges().iter_enumerated() {
            for (position, op) in edge.ops.iter().enumerate() {
                if let Op::Havoc { place: Place::Var(var), source: Source::Guess(Guess::Value), .. } = op
                    && let Some(value) = settled(program, procedure, (id, position), *var)
                {
                    changed.edge_mut(id).ops[position] = Op::Assign { place: Place::Var(*var), value };
                }
            }
        }
        rewriter.change(proc, changed);
    }
    rewriter.finish()
}

/// What a guess is compared with, if control can go one way only up to there, and neither the variable nor what it is compared with changes on it.
fn settled(
    program: &Program,
    procedure: &Procedure,
    (edge, position): (EdgeId, usize),
    var: VarId,
) -> Option<ExprId> {
    let mut written: Vec<VarId> = Vec::new();
    let (mut edge, mut next) = (&procedure.edges()[edge], position + 1);
    for _ in 0..MOST_STEPS {
        let Some(op) = edge.ops.get(next) else {
            let [only] = procedure.outgoing(edge.target) else { return None };
            (edge, next) = (&procedure.edges()[*only], 0);
            continue;
        };
        match op {
            Op::Assume { cond } => {
                if let Some(value) = compared(program, *cond, var)
                    && !written.iter().any(|changed| reads(program, value, *changed))
                {
                    return Some(value);
                }
            }
            Op::Assign { place: Place::Var(to), .. } | Op::Havoc { place: Place::Var(to), .. }
                if *to != var =>
            {
                written.push(*to);
            }
            _ => return None,
        }
        next += 1;
    }
    None
}

/// The other side of an equation that the variable is one side of. It does not depend on memory or arrays.
fn compared(program: &Program, cond: ExprId, var: VarId) -> Option<ExprId> {
    let Expr::Binary { op: BinaryOp::Eq, lhs, rhs } = *program.exprs.get(cond) else { return None };
    let is_var = |id: ExprId| matches!(*program.exprs.get(id), Expr::Var { var: other, .. } if other == var);
    let other = match (is_var(lhs), is_var(rhs)) {
        (true, false) => rhs,
        (false, true) => lhs,
        _ => return None,
    };
    (is_scalar(program, other) && !reads(program, other, var)).then_some(other)
}

fn is_scalar(program: &Program, root: ExprId) -> bool {
    let mut is_scalar = !crate::calls::loads(program, root);
    read_vars(program, root, |var| is_scalar &= program.vars[var].scalar().is_some());
    is_scalar
}
