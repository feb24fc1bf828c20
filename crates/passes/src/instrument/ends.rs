//! Memory that is not freed: a counter of the live heap objects, and checks where the program ends or may go on for ever.
//!
//! # Invariants
//! * E1: the counter is the number of live heap objects, in every execution that has not done anything undefined.
//!
//! * E2: where something is lost, fewer live objects are held by the variables that are looked at than there are.
//!
//! That something is lost is asked only where the counter is greater than the number of objects that variables of the procedure and global ones lead to: proofs that all is freed need not know
//! what leads where, and objects that variables hold until they are freed need no more than these variables.
//!
//! # Cost
//! Quadratic in the number of variables that are looked at, which is at most [`MAX_HOLDERS`].

use base::{IndexVec, Region};

use cfa::op::{AllocKind, Op, Source};
use cfa::watch::{allocates, watch_points};
use cfa::{BinaryOp, CheckKind, Expr, ExprId, Exprs, Loc, Place, ProcId, Program, Storage, Ty, Var, VarId};

/// More variables are not looked at.
const MAX_HOLDERS: usize = 6;

/// What is added for checks of the heap.
pub(super) struct Heap {
    /// The counter.
    live: VarId,
    /// Whether something is lost, where that is rounded up.
    lost: Option<VarId>,
    /// Where it is asked whether something is lost, other than at the end.
    points: IndexVec<ProcId, Vec<Loc>>,
    /// Pointers of each procedure, and global ones, that may hold objects.
    holders: IndexVec<ProcId, Vec<VarId>>,
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
        let holders = old.procs.ids().map(|proc| holders(old, proc)).collect();
        Some(Self { live, lost, points, holders })
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

    /// How many live objects the holders of a procedure lead to, if they lead to the starts.
    fn held(&self, exprs: &mut Exprs, proc: ProcId) -> ExprId {
        let ty = Ty::unsigned(64);
        let (null, zero, one) = (exprs.int(Ty::Ptr, 0), exprs.int(ty, 0), exprs.int(ty, 1));
        let mut sum = zero;
        let mut earlier: Vec<ExprId> = Vec::new();
        for var in &self.holders[proc] {
            let addr = exprs.var(*var, Ty::Ptr);
            let is_freeable = exprs.add(Expr::Freeable { addr });
            let mut counts = is_freeable;
            for other in earlier.iter().copied().chain([null]) {
                let differs = exprs.binary(BinaryOp::Ne, addr, other);
                counts = exprs.binary(BinaryOp::And, counts, differs);
            }
            let more = exprs.binary(BinaryOp::Add, sum, one);
            sum = exprs.add(Expr::Ite { cond: counts, then: more, other: sum });
            earlier.push(addr);
        }
        sum
    }

    /// The conditions under which memory is not freed, or lost, in a procedure.
    pub(super) fn conditions(&self, exprs: &mut Exprs, kind: CheckKind, proc: ProcId) -> Vec<ExprId> {
        let ty = Ty::unsigned(64);
        let (live, zero) = (exprs.var(self.live, ty), exprs.int(ty, 0));
        let some = exprs.binary(BinaryOp::Ne, live, zero);
        match kind {
            CheckKind::LostMemory => {
                let lost = match self.lost {
                    Some(lost) => exprs.var(lost, Ty::BOOL),
                    None => exprs.add(Expr::Lost),
                };
                let held = self.held(exprs, proc);
                vec![exprs.binary(BinaryOp::Lt, held, live), lost]
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

/// Variables of a procedure and global ones that may hold objects. Temporaries hold nothing (crates/interp/src/lost.rs).
fn holders(program: &Program, proc: ProcId) -> Vec<VarId> {
    let of = |owner: Option<ProcId>| {
        program.vars.iter_enumerated().filter(move |(_, var)| {
            var.owner == owner && var.storage == Storage::Scalar(Ty::Ptr) && !var.name.starts_with('%')
        })
    };
    of(Some(proc)).chain(of(None)).map(|(var, _)| var).take(MAX_HOLDERS).collect()
}

fn if_null(exprs: &mut Exprs, pointer: ExprId, then: ExprId, other: ExprId) -> ExprId {
    let null = exprs.int(Ty::Ptr, 0);
    let cond = exprs.binary(BinaryOp::Eq, pointer, null);
    exprs.add(Expr::Ite { cond, then, other })
}
