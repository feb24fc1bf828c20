//! With which values procedures are called: an analysis across calls.
//!
//! The facts at the entry of a procedure include all activations that an execution of the program starts: what the arguments may be where it is called, and what
//! global variables hold there. A call may change all global variables and may return anything.
//!
//! # Invariants
//! * N1: the facts of a procedure include the parameters and global variables of every activation of it; `None` means that there is none.
//!
//! # Cost
//! That of the analysis of single procedures, a few times for each of them.

use std::collections::BTreeSet;

use base::{Budget, IndexVec, Stop};
use cfa::{Op, ProcId, Program};

use crate::state::{Abstract, State};
use crate::thresholds::Thresholds;
use crate::{VISITS_BEFORE_WIDENING, analyze_from};

/// Analyses a program from its entry procedure.
pub fn entry_facts(program: &Program, budget: &mut Budget) -> Result<IndexVec<ProcId, Option<State>>, Stop> {
    let thresholds = Thresholds::of(program);
    let mut entries: IndexVec<ProcId, Option<State>> = IndexVec::filled(None, program.procs.len());
    let mut visits: IndexVec<ProcId, u32> = IndexVec::filled(0, program.procs.len());
    entries[program.entry] = Some(State::new());
    let mut pending = BTreeSet::from([program.entry]);
    while let Some(proc) = pending.pop_first() {
        let Some(start) = entries[proc].clone() else { continue };
        for (target, arriving) in calls(program, proc, &start, budget)? {
            let updated = match &entries[target] {
                None => arriving,
                Some(old) if old.includes(&arriving) => continue,
                Some(old) if visits[target] >= VISITS_BEFORE_WIDENING => {
                    arriving
                        .join(old)
                        .widened(old, program, |var| thresholds.of_variable(var, visits[target]))
                }
                Some(old) => old.join(&arriving),
            };
            visits[target] += 1;
            entries[target] = Some(updated);
            pending.insert(target);
        }
    }
    Ok(entries)
}

/// The calls that a procedure makes if it is entered with some facts, and what is known where the callee starts.
fn calls(
    program: &Program,
    proc: ProcId,
    start: &State,
    budget: &mut Budget,
) -> Result<Vec<(ProcId, State)>, Stop> {
    let procedure = &program.procs[proc];
    let facts = analyze_from(program, procedure, start, budget)?;
    let mut found = Vec::new();
    for edge in procedure.edges() {
        let Some(mut state) = facts.at(edge.source).cloned() else { continue };
        for op in &edge.ops {
            if let Op::Call { args, .. } = op {
                for target in op.call_targets() {
                    found.extend(entered(program, &state, *target, args).map(|state| (*target, state)));
                }
            }
            if !state.execute(program, op) {
                break;
            }
        }
    }
    Ok(found)
}

/// What is known where a procedure starts; nothing if an argument is undefined.
fn entered(program: &Program, caller: &State, target: ProcId, args: &[cfa::ExprId]) -> Option<State> {
    let mut state = State::new();
    for (var, value) in caller.iter().filter(|(var, _)| program.vars[*var].owner.is_none()) {
        state.claim(var, value);
    }
    for (param, arg) in program.procs[target].params.iter().zip(args) {
        match caller.eval(program, *arg) {
            Abstract::Never => return None,
            Abstract::Known(value) => state.claim(*param, value),
            Abstract::Unknown => {}
        }
    }
    Some(state)
}
