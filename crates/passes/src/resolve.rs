//! Fewer targets for indirect calls, by the points-to analysis.
//!
//! # Meaning
//! The same executions: a procedure that the pointer cannot point to was never entered.

use super::back::BackTranslation;
use cfa::op::{Callee, Op};
use cfa::pointsto::PointsTo;
use cfa::{Expr, Program};

/// Narrows the targets of indirect calls; a call of a procedure's address itself becomes direct.
pub fn resolve_calls(program: &Program, points_to: &PointsTo) -> (Program, BackTranslation) {
    let mut new = program.clone();
    for procedure in &mut new.procs {
        let edges: Vec<_> = procedure.edges().ids().collect();
        for edge in edges {
            let has_indirect = |op: &Op| matches!(op, Op::Call { callee: Callee::Indirect { .. }, .. });
            if !procedure.edges()[edge].ops.iter().any(has_indirect) {
                continue;
            }
            for op in &mut procedure.edge_mut(edge).ops {
                let Op::Call { callee, .. } = op else { continue };
                let Callee::Indirect { pointer, targets } = callee else { continue };
                let possible = points_to.procs(*pointer);
                targets.retain(|target| possible.contains(target));
                if let (Expr::Function { proc }, [target]) = (program.exprs.get(*pointer), targets.as_slice())
                    && proc == target
                {
                    *callee = Callee::Direct(*target);
                }
            }
        }
    }
    (new, BackTranslation::identity(program))
}
