//! Strong liveness: which values are read later, by something that itself has an effect.
//!
//! A variable is live at a location if its value may be read on the way by an operation that stays, or by an
//! assignment to a variable that is live itself. Variables that feed only each other are not live. Calls read
//! all global variables; returning reads the results and, except from the entry procedure, all globals.
//!
//! # Cost
//! One bit per location and variable of a procedure. Above [`MAX_WORDS`] nothing is computed and everything
//! counts as live.

use base::IndexVec;
use rustc_hash::FxHashMap;

use super::lifetimes::read_vars;
use cfa::op::{Op, Place};
use cfa::{Edge, EdgeId, Loc, ProcId, Program, Storage, VarId};

/// The most words of 64 bits that the sets of one procedure may take.
const MAX_WORDS: usize = 1 << 24;

/// What an operation means for liveness; variables are numbers within the procedure.
struct Effect {
    /// The variable for whose sake alone it is done.
    purpose: Option<u32>,
    kills: Vec<u32>,
    reads: Vec<u32>,
    reads_globals: bool,
}

/// The operations of each edge whose only purpose is a value that is not live after them.
pub(crate) fn dead_operations(
    program: &Program,
    proc: ProcId,
    removable: impl Fn(&Op) -> Option<VarId>,
) -> IndexVec<EdgeId, Vec<bool>> {
    let procedure = &program.procs[proc];
    let nothing = || procedure.edges().iter().map(|edge| vec![false; edge.ops.len()]).collect();
    let numbering = Numbering::new(program, proc);
    let words = numbering.globals.len();
    if words.saturating_mul(procedure.locations.len()) > MAX_WORDS {
        return nothing();
    }
    let effects: IndexVec<EdgeId, Vec<Effect>> = procedure
        .edges()
        .iter()
        .map(|edge| edge.ops.iter().map(|op| numbering.effect(program, op, &removable)).collect())
        .collect();
    let live = solve(program, proc, &numbering, &effects);
    let mut dead: IndexVec<EdgeId, Vec<bool>> = nothing();
    for (id, edge) in procedure.edges().iter_enumerated() {
        let mut state = live[edge.target].clone();
        for (position, effect) in effects[id].iter().enumerate().rev() {
            dead[id][position] = effect.purpose.is_some_and(|var| !is_set(&state, var));
            apply(effect, &numbering.globals, &mut state);
        }
    }
    dead
}

fn solve(
    program: &Program,
    proc: ProcId,
    numbering: &Numbering,
    effects: &IndexVec<EdgeId, Vec<Effect>>,
) -> IndexVec<Loc, Vec<u64>> {
    let procedure = &program.procs[proc];
    let words = numbering.globals.len();
    let mut live: IndexVec<Loc, Vec<u64>> = IndexVec::filled(vec![0; words], procedure.locations.len());
    if proc != program.entry {
        live[procedure.exit].clone_from(&numbering.globals);
        for result in &procedure.results {
            if let Some(number) = numbering.numbers.get(result) {
                set(&mut live[procedure.exit], *number);
            }
        }
    }
    // Backwards, so that a round carries facts through everything but loops.
    let order: Vec<Loc> = procedure.loops().order().iter().rev().copied().collect();
    let mut state = vec![0; words];
    loop {
        let mut changed = false;
        for location in &order {
            for id in procedure.outgoing(*location) {
                let Edge { target, .. } = procedure.edges()[*id];
                state.clone_from(&live[target]);
                for effect in effects[*id].iter().rev() {
                    apply(effect, &numbering.globals, &mut state);
                }
                for (known, new) in live[*location].iter_mut().zip(&state) {
                    changed |= new & !*known != 0;
                    *known |= new;
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

fn is_set(bits: &[u64], number: u32) -> bool {
    bits[number as usize / 64] >> (number % 64) & 1 == 1
}

fn set(bits: &mut [u64], number: u32) {
    bits[number as usize / 64] |= 1 << (number % 64);
}

/// What is live before an operation, given what is after it.
fn apply(effect: &Effect, globals: &[u64], state: &mut [u64]) {
    if effect.purpose.is_some_and(|var| !is_set(state, var)) {
        return;
    }
    for var in &effect.kills {
        state[*var as usize / 64] &= !(1 << (var % 64));
    }
    for var in &effect.reads {
        set(state, *var);
    }
    if effect.reads_globals {
        for (word, global) in state.iter_mut().zip(globals) {
            *word |= global;
        }
    }
}

/// Numbers of the scalars and arrays that a procedure mentions.
struct Numbering {
    numbers: FxHashMap<VarId, u32>,
    /// Which of them are global.
    globals: Vec<u64>,
}

impl Numbering {
    fn new(program: &Program, proc: ProcId) -> Self {
        let mut found: Vec<VarId> = program.procs[proc].results.clone();
        for op in program.procs[proc].edges().iter().flat_map(|edge| &edge.ops) {
            found.extend(op.vars());
            for root in op.exprs() {
                read_vars(program, root, |var| found.push(var));
            }
        }
        found.retain(|var| !matches!(program.vars[*var].storage, Storage::Object { .. }));
        found.sort_unstable();
        found.dedup();
        let mut globals = vec![0; found.len().div_ceil(64)];
        for (number, var) in found.iter().enumerate() {
            if program.vars[*var].owner.is_none() {
                set(&mut globals, number as u32);
            }
        }
        let numbers = found.into_iter().enumerate().map(|(number, var)| (var, number as u32)).collect();
        Self { numbers, globals }
    }

    fn effect(&self, program: &Program, op: &Op, removable: impl Fn(&Op) -> Option<VarId>) -> Effect {
        let number = |var: VarId| self.numbers.get(&var).copied();
        let mut kills: Vec<u32> = Vec::new();
        let mut reads: Vec<u32> = Vec::new();
        if let Op::Init { var, .. } | Op::Allocate { var, .. } = op {
            kills.extend(number(*var));
        }
        for place in op.places() {
            match *place {
                Place::Var(var) => kills.extend(number(var)),
                // The other elements stay, and the length is used.
                Place::Elem { array, .. } => reads.extend(number(array)),
                Place::Mem { .. } | Place::Bits { .. } => {}
            }
        }
        match op {
            Op::CopyElems { to, from, .. } => reads.extend([*to, *from].into_iter().filter_map(number)),
            Op::FillElems { to, .. } => reads.extend(number(*to)),
            _ => {}
        }
        for root in op.exprs() {
            read_vars(program, root, |var| reads.extend(number(var)));
        }
        reads.sort_unstable();
        reads.dedup();
        let purpose = removable(op).and_then(number);
        Effect { purpose, kills, reads, reads_globals: matches!(op, Op::Call { .. }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Idx as _;

    use cfa::text::parse;

    #[test]
    fn a_value_that_is_overwritten_is_dead() {
        let text = "program LP64
            global g : i32
            proc main() {
              local x : i32
              local y : i32
              error l4
              l0 -> l2 : havoc x input \"f\"; y := 1:i32; x := 2:i32; g := 3:i32
              l2 -> l3 : g := 4:i32; call f(); g := 5:i32
              l3 -> l3 : y := x
              l3 -> l4 : assume x == 2:i32; x := 7:i32
            }
            proc f() { }";
        let program = parse("t.cfa", text).unwrap();
        let removable = |op: &Op| match op {
            Op::Assign { place: Place::Var(var), .. } | Op::Havoc { place: Place::Var(var), .. } => {
                Some(*var)
            }
            _ => None,
        };
        let dead = dead_operations(&program, program.entry, removable);
        let expected: [&[bool]; 4] =
            [&[true, true, false, true], &[false, false, true], &[true], &[false, true]];
        for (edge, flags) in dead.iter_enumerated() {
            assert_eq!(flags, expected[edge.index()], "{edge}");
        }
    }
}
