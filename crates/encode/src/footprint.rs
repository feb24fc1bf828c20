//! Which global variables a call may change.

use std::collections::BTreeSet;

use cfa::{ProcId, Program, VarId};

/// The global variables that an activation of one of some procedures may write, itself or by the calls that it makes. Objects in memory are not part of the state that
/// formulas speak of, and no other variable can be written through a pointer.
pub fn written(program: &Program, procs: &[ProcId]) -> BTreeSet<VarId> {
    let mut seen: BTreeSet<ProcId> = procs.iter().copied().collect();
    let mut open: Vec<ProcId> = procs.to_vec();
    let mut written = BTreeSet::new();
    while let Some(proc) = open.pop() {
        for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
            written.extend(op.vars().filter(|var| program.vars[*var].owner.is_none()));
            open.extend(op.call_targets().iter().copied().filter(|target| seen.insert(*target)));
        }
    }
    written
}
