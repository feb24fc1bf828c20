//! What leaps know about a program: its loop heads, and which variables belong to which procedure.

use base::IndexVec;

use crate::code::Code;
use cfa::program::{Loc, ProcId, Program, VarId};

/// Facts about a program that do not depend on its state.
pub(super) struct Heads {
    /// The heads, one bit for each location.
    bits: Vec<u64>,
    /// Number of the first location of each procedure.
    first: IndexVec<ProcId, u32>,
    owned: IndexVec<ProcId, Vec<VarId>>,
}

impl Heads {
    pub(super) fn new(program: &Program, code: &Code) -> Self {
        let mut owned = IndexVec::filled(Vec::new(), program.procs.len());
        for (var, decl) in program.vars.iter_enumerated() {
            if let Some(owner) = decl.owner {
                owned[owner].push(var);
            }
        }
        Self {
            bits: code.heads.clone(),
            first: code.procs.iter().map(|proc| proc.first_location).collect(),
            owned,
        }
    }
    pub(super) fn bits(&self) -> &[u64] {
        &self.bits
    }
    pub(super) fn contains(&self, proc: ProcId, location: Loc) -> bool {
        self.is_stop(&self.bits, proc, location)
    }
    /// Whether the bit of a location is set.
    pub(super) fn is_stop(&self, bits: &[u64], proc: ProcId, location: Loc) -> bool {
        is_set(bits, self.first[proc] + location.0)
    }
    /// The variables of a procedure.
    pub(super) fn owned(&self, proc: ProcId) -> &[VarId] {
        &self.owned[proc]
    }
}

/// Whether a bit is set.
pub(crate) fn is_set(bits: &[u64], number: u32) -> bool {
    bits.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
}
