//! Recursion made loops, and errors moved to the procedure where execution starts.
//!
//! | pass | for | makes of it |
//! |---|---|---|
//! | [`tail`](fn@tail) | components whose inner calls are the last thing that their callers do | a loop; a call is a jump |
//! | [`hand_back`](fn@hand_back) | pointers to local variables that are passed down | values that are passed and returned |
//! | [`descend`](fn@descend) | procedures that are called and may fail | a part of the entry procedure that is entered by calls that do not return |
//! | [`window`](fn@window) | functions that call themselves with the last few values of an argument | a loop that keeps the last few results |
//! | [`linear`](fn@linear) | components in which no path makes two inner calls | a loop from the innermost activation outwards |
//!
//! [`tail`](fn@tail) comes first: it keeps the order of execution. Afterwards the procedures are not recursive any more and may be inlined.

mod accumulate;
mod descend;
mod exclude;
mod hand_back;
mod linear;
mod settle;
mod tail;
mod window;

use std::collections::BTreeSet;

use base::IndexVec;
use rustc_hash::FxHashMap;

use crate::back::{BackTranslation, Contexts, ProcOrigin, VarOrigin, identity_vars};
use crate::build::stub;
use crate::calls::{CallGraph, Footprint};
use crate::frames::{Frames, parallel, temporary};
use crate::lifetimes::prologue;
use cfa::{ExprId, LocationInfo, LocationRole, Op, Origin, ProcId, Procedure, Program, Ty, VarId};

pub use accumulate::accumulate;
pub use descend::descend;
pub(crate) use exclude::exclude;
pub use hand_back::hand_back;
pub(crate) use linear::obstacles;
pub use linear::{Obstacle, linear};
pub(crate) use settle::settle;
pub use tail::tail;
pub use window::window;

/// A new program that is made from an old one by copying bodies of procedures.
struct Rewriter<'a> {
    old: &'a Program,
    /// The new one, except for its procedures.
    new: Program,
    vars: IndexVec<VarId, Option<VarOrigin>>,
    frames: Frames<'a>,
    contexts: Contexts,
    /// Procedures that are not as they were.
    changed: FxHashMap<ProcId, (Procedure, ProcOrigin)>,
}

impl<'a> Rewriter<'a> {
    fn new(old: &'a Program) -> Self {
        Self {
            old,
            new: Program { procs: IndexVec::new(), ..old.clone() },
            vars: identity_vars(old),
            frames: Frames::new(old),
            contexts: Contexts::default(),
            changed: FxHashMap::default(),
        }
    }

    /// A new variable of a procedure.
    fn temporary(&mut self, owner: ProcId, name: &str, ty: Ty) -> VarId {
        temporary(&mut self.new, &mut self.vars, owner, name, ty)
    }

    /// Operations that give variables of a procedure their values all at once.
    fn parallel(&mut self, owner: ProcId, pairs: &[(VarId, ExprId)]) -> Vec<Op> {
        let Self { new, vars, .. } = self;
        parallel(new, pairs, |new, ty| temporary(new, vars, owner, "next", ty))
    }

    /// Replaces a procedure by one with the same locations and edges, and as many operations on each edge.
    fn change(&mut self, proc: ProcId, procedure: Procedure) {
        self.changed.insert(proc, (procedure, ProcOrigin::identity(self.old, proc)));
    }

    /// Puts a procedure that nobody calls any more out of use.
    fn drop_procedure(&mut self, proc: ProcId) {
        self.changed.insert(proc, stub(self.old, proc));
    }

    fn finish(mut self) -> (Program, BackTranslation) {
        let mut origins = IndexVec::new();
        for (proc, procedure) in self.old.procs.iter_enumerated() {
            let (procedure, origin) = match self.changed.remove(&proc) {
                Some(changed) => changed,
                None => (procedure.clone(), ProcOrigin::identity(self.old, proc)),
            };
            self.new.procs.push(procedure);
            origins.push(origin);
        }
        (self.new, BackTranslation::new(origins, self.vars, self.contexts))
    }
}

/// A location inside of an edge.
fn inside(origin: Origin) -> LocationInfo {
    LocationInfo { region: origin.region, role: LocationRole::Plain }
}

/// Whether nothing is chosen in a procedure or in what it calls: neither by an operation nor by the contents of a variable that was not written before.
fn is_function(
    program: &Program,
    calls: &CallGraph,
    footprints: &IndexVec<ProcId, Footprint>,
    root: ProcId,
) -> bool {
    if footprints[root].chooses {
        return false;
    }
    let (mut pending, mut seen) = (vec![root], BTreeSet::from([root]));
    while let Some(proc) = pending.pop() {
        let locals = program.vars.iter_enumerated().filter(|(_, var)| var.owner == Some(proc));
        let locals: Vec<VarId> = locals.map(|(id, _)| id).collect();
        if !prologue(program, proc, &locals).stale.is_empty() {
            return false;
        }
        let targets = calls.sites[proc].iter().flat_map(|site| site.op(program).call_targets());
        pending.extend(targets.filter(|target| seen.insert(**target)));
    }
    true
}

/// Whether a procedure reads one of its variables.
fn is_read(program: &Program, proc: ProcId, var: VarId) -> bool {
    let mut ops = program.procs[proc].edges().iter().flat_map(|edge| &edge.ops);
    program.procs[proc].results.contains(&var)
        || ops.any(|op| op.exprs().any(|expr| crate::frames::reads(program, expr, var)))
}
