//! Where arguments of copying functions cannot overlap.
//!
//! The models of `strcpy` and the like compare pointers, byte by byte, to find out whether source and target overlap, and end if they do. Formulas
//! know little of addresses; so comparisons of pointers that never lead to one object are decided here.
//!
//! # Invariants
//! * O1: only the conditions under which a model ends because of an overlap are replaced, and those of the ways that avoid this. Both pointers of
//!   such a comparison are used for accesses, so neither of them is null.
//! * O2: a comparison is decided if the places where its two pointers may lead ([`State`]) have no object in common, for all calls at once or for
//!   each call of the procedure by itself.

use cfa::{
    BinaryOp, EdgeId, Expr, ExprId, Op, Place, ProcId, Procedure, Program, Source, Ty, UnaryOp, VarId,
};

use crate::lower::beyond::{StartObject, State};
use crate::lower::build;
use crate::lower::indices::Indices;

/// What the names of functions end with that models call if arguments overlap, as the ledger shows it.
pub(super) const OVERLAP: &str = " (with arguments that overlap)";

/// Decides the comparisons of pointers that never lead to one object.
pub(super) fn decide(program: &mut Program, indices: &Indices, objects: &[StartObject]) {
    let guards = guards(program);
    if guards.is_empty() {
        return;
    }
    let Some(state) = State::of_program(program, indices, objects) else { return };
    let decided: Vec<(ProcId, EdgeId, bool)> = guards
        .into_iter()
        .filter_map(|(proc, edge)| {
            let Op::Assume { cond } = program.procs[proc].edges()[edge].ops.first()? else { return None };
            Some((proc, edge, Decision { program, state: &state, proc }.truth(*cond)?))
        })
        .collect();
    for (proc, edge, is_true) in decided {
        let cond = program.exprs.bool(is_true);
        program.procs[proc].edge_mut(edge).ops = vec![Op::Assume { cond }];
    }
}

/// The edges with the conditions under which models end because of an overlap, and those beside them (O1).
fn guards(program: &Program) -> Vec<(ProcId, EdgeId)> {
    let mut found = Vec::new();
    for (id, procedure) in program.procs.iter_enumerated() {
        for end in procedure.edges() {
            if !end.ops.iter().any(is_overlap) {
                continue;
            }
            let leads_there = procedure.edges().iter().filter(|edge| edge.target == end.source);
            found
                .extend(leads_there.flat_map(|edge| procedure.outgoing(edge.source)).map(|edge| (id, *edge)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_overlap(op: &Op) -> bool {
    matches!(op, Op::Havoc { source: Source::Library { function, .. }, .. } if function.ends_with(OVERLAP))
}

/// Decides conditions of a procedure.
struct Decision<'p> {
    program: &'p Program,
    state: &'p State<'p>,
    proc: ProcId,
}

impl Decision<'_> {
    /// The value of a condition, if it is known.
    fn truth(&self, cond: ExprId) -> Option<bool> {
        let exprs = &self.program.exprs;
        match *exprs.get(cond) {
            Expr::Binary { op: BinaryOp::Eq, lhs, rhs } if exprs.ty(lhs) == Ty::Ptr => {
                self.are_apart(lhs, rhs).then_some(false)
            }
            Expr::Binary { op: BinaryOp::Ne, lhs, rhs } if exprs.ty(lhs) == Ty::Ptr => {
                self.are_apart(lhs, rhs).then_some(true)
            }
            Expr::Binary { op: BinaryOp::And, lhs, rhs } => match (self.truth(lhs), self.truth(rhs)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Expr::Binary { op: BinaryOp::Or, lhs, rhs } => match (self.truth(lhs), self.truth(rhs)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Expr::Unary { op: UnaryOp::Not, arg } => self.truth(arg).map(|value| !value),
            _ => build::constant(exprs, cond).map(|value| value != 0),
        }
    }

    /// Whether two pointers never lead to one object (O2).
    fn are_apart(&self, one: ExprId, other: ExprId) -> bool {
        if !self.state.may_meet(one, other) {
            return true;
        }
        let (Some(one), Some(other)) = (self.parameter(one), self.parameter(other)) else { return false };
        let calls = self.program.procs.iter().flat_map(Procedure::edges).flat_map(|edge| &edge.ops);
        calls.filter(|op| op.call_targets().contains(&self.proc)).all(|op| match op {
            Op::Call { args, .. } => match (args.get(one), args.get(other)) {
                (Some(one), Some(other)) => !self.state.may_meet(*one, *other),
                _ => false,
            },
            _ => false,
        })
    }

    /// The position of the parameter from which a pointer is computed, if the procedure never changes it.
    fn parameter(&self, mut pointer: ExprId) -> Option<usize> {
        let var = loop {
            match *self.program.exprs.get(pointer) {
                Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => pointer = lhs,
                Expr::Cast { arg, ty: Ty::Ptr } => pointer = arg,
                Expr::Var { var, .. } => break var,
                _ => return None,
            }
        };
        let procedure = &self.program.procs[self.proc];
        let position = procedure.params.iter().position(|param| *param == var)?;
        let is_changed = procedure.edges().iter().flat_map(|edge| &edge.ops).any(|op| writes(op, var));
        (!is_changed).then_some(position)
    }
}

fn writes(op: &Op, var: VarId) -> bool {
    op.places().any(|place| matches!(place, Place::Var(written) if *written == var))
}
