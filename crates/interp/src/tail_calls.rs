//! Calls that end their procedure.
//!
//! A procedure that returns what its last call returns need not wait for it: the activation of the callee may take the place of its own. Then a tail
//! recursion of any depth needs no memory, and is a loop to [`super::leap`].
//!
//! # Invariants
//! * T1: a run with activations replaced has the outcome, the choices and the output of the plain run, except that it does not end for lack of
//!   memory or depth where that one does; the calls that it lists are fewer ([`super::CallStack::omitted`]).
//! * T2: every cycle of tail calls goes through the entry of a procedure of [`TailCalls::entered`].

use std::collections::{BTreeMap, BTreeSet};

use super::Uninitialised;
use super::code::{CompileOptions, Markers};
use super::oracle::Position;
use cfa::CheckKind;
use cfa::op::{Callee, Op, Place};
use cfa::program::{Edge, EdgeId, ProcId, Procedure, Program};

/// The calls of a program that end their procedures.
#[derive(Clone, Debug, Default)]
pub(crate) struct TailCalls {
    /// The edges whose last operation is such a call.
    edges: BTreeSet<(ProcId, EdgeId)>,
    /// Procedures that are entered again by such calls.
    pub(crate) entered: BTreeSet<ProcId>,
}

impl TailCalls {
    /// Finds them. There are none where somebody may watch the return: at a location to stop at, or where lost memory is looked for.
    pub(crate) fn new(program: &Program, options: CompileOptions) -> Self {
        let mut found = Self::default();
        if options.markers != Markers::Heads || program.checks.contains(CheckKind::LostMemory) {
            return found;
        }
        let mut callees: BTreeMap<ProcId, Vec<ProcId>> = BTreeMap::new();
        for (proc, procedure) in program.procs.iter_enumerated() {
            for (id, edge) in procedure.edges().iter_enumerated() {
                if let Some(callee) = last_call(procedure, edge, options.uninitialised) {
                    found.edges.insert((proc, id));
                    callees.entry(proc).or_default().push(callee);
                }
            }
        }
        found.entered = closing(&callees);
        found
    }
    /// Whether an operation is such a call.
    pub(crate) fn is_one(&self, program: &Program, at: Position) -> bool {
        let operations = program.procs[at.proc].edges()[at.edge].ops.len();
        at.op as usize + 1 == operations && self.contains(at.proc, at.edge)
    }
    /// Whether the call at the end of an edge ends the procedure.
    pub(crate) fn contains(&self, proc: ProcId, edge: EdgeId) -> bool {
        self.edges.contains(&(proc, edge))
    }
}

/// The procedure that an edge calls before it returns what that one returns.
fn last_call(procedure: &Procedure, edge: &Edge, mode: Uninitialised) -> Option<ProcId> {
    let Some(Op::Call { callee: Callee::Direct(callee), results, .. }) = edge.ops.last() else { return None };
    let own = &procedure.results;
    let is_passed =
        |(index, place): (usize, &Option<Place>)| *place == own.get(index).map(|result| Place::Var(*result));
    // A result without value is chosen if the caller wants it, so it matters who that is.
    let asks = mode == Uninitialised::Choose && !own.is_empty();
    let passes = results.len() >= own.len() && results.iter().enumerate().all(is_passed) && !asks;
    (edge.target == procedure.exit && passes).then_some(*callee)
}

/// The procedures at which a walk through the calls, depth first, finds cycles (T2).
fn closing(callees: &BTreeMap<ProcId, Vec<ProcId>>) -> BTreeSet<ProcId> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Visit {
        Open,
        Done,
    }
    let mut visits: BTreeMap<ProcId, Visit> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for start in callees.keys() {
        let mut stack = vec![(*start, 0)];
        while let Some((proc, next)) = stack.last_mut() {
            if *next == 0 && visits.contains_key(proc) {
                stack.pop();
                continue;
            }
            visits.entry(*proc).or_insert(Visit::Open);
            let Some(callee) = callees.get(proc).and_then(|all| all.get(*next)).copied() else {
                visits.insert(*proc, Visit::Done);
                stack.pop();
                continue;
            };
            *next += 1;
            match visits.get(&callee) {
                Some(Visit::Open) => {
                    found.insert(callee);
                }
                Some(Visit::Done) => {}
                None => stack.push((callee, 0)),
            }
        }
    }
    found
}
