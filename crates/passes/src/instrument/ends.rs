//! Memory that is not freed: a counter of the live heap objects, and checks where the program ends or may go on for ever.
//!
//! # Invariants
//! * E1: the counter is the number of live heap objects, in every execution that has not done anything undefined.
//!
//! That something is lost is asked only where the counter is not zero: proofs that all is freed need not know what leads where.

use base::{IndexVec, Region};

use cfa::op::{AllocKind, Op, Source};
use cfa::watch::{allocates, watch_points};
use cfa::{BinaryOp, CheckKind, Expr, ExprId, Exprs, Loc, Place, ProcId, Program, Storage, Ty, Var, VarId};

/// What is added for checks of the heap.
pub(super) struct Heap {
    /// The counter.
    live: VarId,
    /// Whether something is lost, where that is rounded up.
    lost: Option<VarId>,
    /// Where it is asked whether something is lost, other than at the end.
    points: IndexVec<ProcId, Vec<Loc>>,
}

impl Heap {
    /// Adds the counter to a program that is asked for leaks and may have some.
    pub(super) fn new(old: &Program, new: &mut Program, losses: Losses) -> Option<Self> {
        let loses = old.checks.contains(CheckKind::LostMemory);
        if !allocates(old) || !(loses || old.checks.contains(CheckKind::Leak)) {
            return None;
        }
        let live = add(new, "%live", Ty::unsigned(64));
        let lost = (loses && losses == Losses::Rounded).then(|| add(new, "%lost", Ty::BOOL));
        let mut points: IndexVec<ProcId, Vec<Loc>> = IndexVec::filled(Vec::new(), old.procs.len());
        if loses {
            for (proc, location) in watch_points(old) {
                points[proc].push(location);
            }
        }
        Some(Self { live, lost, points })
    }

    /// The locations of a procedure where something may be found to be lost.
    pub(super) fn points(&self, proc: ProcId) -> &[Loc] {
        &self.points[proc]
    }

    /// What the program starts with.
    pub(super) fn start(&self, exprs: &mut Exprs) -> Op {
        let value = exprs.int(Ty::unsigned(64), 0);
        Op::Assign { place: Place::Var(self.live), value }
    }

    /// The choice whether something is lost, if that is rounded up.
    pub(super) fn guess(&self) -> Option<Op> {
        let place = Place::Var(self.lost?);
        Some(Op::Havoc { place, source: Source::Rounded, at: Region::NOWHERE })
    }

    /// How an operation changes the counter; it does so right before.
    pub(super) fn count(&self, exprs: &mut Exprs, op: &Op) -> Option<Op> {
        let ty = Ty::unsigned(64);
        let (live, one) = (exprs.var(self.live, ty), exprs.int(ty, 1));
        let value = match op {
            Op::Malloc { kind: AllocKind::Heap, .. } => exprs.binary(BinaryOp::Add, live, one),
            Op::Realloc { old, .. } => {
                let more = exprs.binary(BinaryOp::Add, live, one);
                if_null(exprs, *old, more, live)
            }
            Op::Free { addr } => {
                let fewer = exprs.binary(BinaryOp::Sub, live, one);
                if_null(exprs, *addr, live, fewer)
            }
            _ => return None,
        };
        Some(Op::Assign { place: Place::Var(self.live), value })
    }

    /// The conditions under which memory is not freed, or lost.
    pub(super) fn conditions(&self, exprs: &mut Exprs, kind: CheckKind) -> Vec<ExprId> {
        let ty = Ty::unsigned(64);
        let (live, zero) = (exprs.var(self.live, ty), exprs.int(ty, 0));
        let some = exprs.binary(BinaryOp::Ne, live, zero);
        match kind {
            CheckKind::LostMemory => {
                let lost = match self.lost {
                    Some(lost) => exprs.var(lost, Ty::BOOL),
                    None => exprs.add(Expr::Lost),
                };
                vec![some, lost]
            }
            _ => vec![some],
        }
    }
}

/// Whether memory is lost, in the new program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Losses {
    /// As the state has it.
    Exact,
    /// Arbitrary: passes that follow do not keep what holds memory. Counterexamples are replayed.
    Rounded,
}

fn add(program: &mut Program, name: &str, ty: Ty) -> VarId {
    program.vars.push(Var {
        name: name.into(),
        storage: Storage::Scalar(ty),
        owner: None,
        c_type: "".into(),
        declared: Region::NOWHERE,
        scope: Region::NOWHERE,
    })
}

fn if_null(exprs: &mut Exprs, pointer: ExprId, then: ExprId, other: ExprId) -> ExprId {
    let null = exprs.int(Ty::Ptr, 0);
    let cond = exprs.binary(BinaryOp::Eq, pointer, null);
    exprs.add(Expr::Ite { cond, then, other })
}
