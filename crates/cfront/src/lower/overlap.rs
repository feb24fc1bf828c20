//! Copies between places that overlap, which C leaves undefined.
//!
//! A copy by `memcpy`, or by the assignment of a record, is followed by a test whether source and target overlap; if they do, the execution ends
//! ([`HaltReason::Overlap`]). The test comes last, so that both places are known to be valid. Exact overlap is allowed: C allows it in assignments, and
//! gcc expects it to work in `memcpy`.
//!
//! The models of `strcpy` and the like compare pointers, byte by byte, to find out whether source and target overlap, and end if they do. Formulas
//! know little of addresses; so comparisons of pointers that never lead to one object are decided here, for these models and for the tests of copies.
//!
//! # Invariants
//! * O1: only the conditions under which an execution ends because of an overlap are replaced, and those of the ways that avoid this. Both pointers of
//!   such a comparison are used for accesses, so neither of them is null.
//! * O2: a comparison is decided if the places where its two pointers may lead ([`State`]) have no object in common, for all calls at once or for
//!   each call of the procedure by itself.
//! * O3: no test is made only where source and target are apart, or the same, in every execution in which both may be accessed.

use cfa::{
    BinaryOp, EdgeId, Expr, ExprId, Exprs, HaltReason, Op, Origin, Place, ProcId, Procedure, Program, Source,
    Ty, UnaryOp, VarId,
};

use crate::lower::beyond::{StartObject, State};
use crate::lower::build;
use crate::lower::function::Body;
use crate::lower::indices::Indices;

/// What the names of functions end with that models call if arguments overlap, as the ledger shows it.
pub(super) const OVERLAP: &str = " (with arguments that overlap)";

impl Body<'_, '_> {
    /// Ends the execution if so many bytes at two places, which were just copied, overlap inexactly. The pointers and the length read nothing that the
    /// copy changes.
    pub(super) fn forbid_overlap(&mut self, to: ExprId, from: ExprId, length: ExprId, origin: Origin) {
        if !self.graph.is_reachable() || is_exact_or_apart(self.exprs(), to, from, length) {
            return;
        }
        let exprs = self.exprs();
        let narrow = Ty::signed(exprs.pointer_width());
        let fits = |length| narrow.range().is_some_and(|(_, most)| length <= most);
        let ty = if build::constant(exprs, length).is_some_and(fits) { narrow } else { Ty::signed(128) };
        let length = build::cast(exprs, ty, length);
        let zero = build::zero(exprs, narrow);
        let distance = exprs.binary(BinaryOp::PtrSub, to, from);
        let mut near = build::compare(exprs, BinaryOp::Ne, distance, zero);
        for (one, other) in [(to, from), (from, to)] {
            let distance = exprs.binary(BinaryOp::PtrSub, one, other);
            let distance = build::cast(exprs, ty, distance);
            let is_less = build::compare(exprs, BinaryOp::Lt, distance, length);
            near = build::and(exprs, near, is_less);
        }
        let same = exprs.add(Expr::SameObject { one: to, other: from });
        let otherwise = exprs.bool(false);
        // Pointers to different objects are not subtracted.
        let cond = exprs.add(Expr::Ite { cond: same, then: near, other: otherwise });
        let (overlaps, apart) = self.fork(cond, origin, origin);
        self.graph.set(overlaps);
        self.graph.emit_last(Op::Halt { reason: HaltReason::Overlap }, origin);
        self.graph.set(apart);
    }
}

/// Whether so many bytes at two addresses are the same or apart by the form of the addresses (O3).
fn is_exact_or_apart(exprs: &Exprs, to: ExprId, from: ExprId, length: ExprId) -> bool {
    let ((base, to), (other, from)) = (Moved::of(exprs, to), Moved::of(exprs, from));
    if let (Expr::Address { var }, Expr::Address { var: other }) = (exprs.get(base), exprs.get(other))
        && var != other
    {
        return true;
    }
    let Some(length) = build::constant(exprs, length).filter(|_| base == other) else { return false };
    if length == 0 {
        return true;
    }
    let distance = to.constant - from.constant;
    if to.variable.is_empty() && from.variable.is_empty() {
        return distance == 0 || distance.abs() >= length;
    }
    // Elements of one array.
    let mut amounts = to.variable.iter().chain(&from.variable);
    distance % length == 0 && amounts.all(|amount| is_multiple(exprs, *amount, length))
}

/// How far an address is moved.
#[derive(Default)]
struct Moved {
    constant: i128,
    variable: Vec<ExprId>,
}

impl Moved {
    /// What an address is made from, and how far it is moved.
    fn of(exprs: &Exprs, mut addr: ExprId) -> (ExprId, Self) {
        let mut moved = Self::default();
        while let Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs } = *exprs.get(addr) {
            match build::constant(exprs, rhs) {
                Some(step) => moved.constant = moved.constant.saturating_add(step),
                None => moved.variable.push(rhs),
            }
            addr = lhs;
        }
        (addr, moved)
    }
}

/// Whether an amount is a number of elements times a multiple of a size; where the product does not fit, the pointer leaves its object.
fn is_multiple(exprs: &Exprs, amount: ExprId, size: i128) -> bool {
    let is_factor = |expr| build::constant(exprs, expr).is_some_and(|factor| factor % size == 0);
    match *exprs.get(amount) {
        Expr::Binary { op: BinaryOp::Mul, lhs, rhs } => is_factor(lhs) || is_factor(rhs),
        _ => false,
    }
}

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
        if !is_true {
            close(&mut program.procs[proc], edge);
        }
    }
}

/// What is never reached is no undefined behaviour.
fn close(procedure: &mut Procedure, edge: EdgeId) {
    let target = procedure.edges()[edge].target;
    let ends: Vec<EdgeId> = procedure.outgoing(target).to_vec();
    for end in ends {
        for op in &mut procedure.edge_mut(end).ops {
            if let Op::Halt { reason: reason @ HaltReason::Overlap } = op {
                *reason = HaltReason::Abort;
            }
        }
    }
}

/// The edges with the conditions under which executions end because of an overlap, and those beside them (O1).
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
    match op {
        Op::Havoc { source: Source::Library { function, .. }, .. } => function.ends_with(OVERLAP),
        Op::Halt { reason } => *reason == HaltReason::Overlap,
        _ => false,
    }
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
            Expr::SameObject { one, other } => self.are_apart(one, other).then_some(false),
            Expr::Ite { cond, then, other } => {
                self.truth(cond).and_then(|holds| self.truth(if holds { then } else { other }))
            }
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
