//! Inductive annotations: the evidence for safe. Crate certify says what they mean and checks them.
//!
//! An annotation holds no arena, no vocabulary and no solver of the engine that made it: it can be sent to another thread, stored as text
//! ([`crate::store`]) and checked by a process that knows nothing but the program.
//!
//! A procedure that is called has a contract if its exit is annotated: whenever it returns, the invariant of the exit holds, which speaks of the values at the entry
//! ([`Symbol::AtEntry`]) and of those of results and global variables at the exit.

use std::collections::BTreeMap;

use cfa::{Loc, ProcId};
use encode::LogicName;
use values::state::State;

use crate::formula::{Formula, Symbol};

/// Invariants of locations of the program after the standard passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// What the formulas are about.
    pub logic: LogicName,
    /// What is claimed of each location.
    pub invariants: BTreeMap<(ProcId, Loc), Invariant>,
}

/// What is claimed of a location: `facts ∧ ∀Z. ¬never`, where Z are the symbols of `never` that stand for nothing of the program's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// What is known of variables whenever the location is reached; `None` if it never is.
    pub facts: Option<State>,
    /// Never holds when the location is reached, whatever the symbols Z are.
    pub never: Formula,
    /// Choices for Z that help to show that pieces of the program preserve the invariant.
    pub instances: Vec<Instance>,
}

/// A term for each of some symbols; the others stay as they are.
pub type Instance = BTreeMap<Symbol, Formula>;

impl Annotation {
    /// The annotated locations.
    pub fn locations(&self) -> impl Iterator<Item = (ProcId, Loc)> + '_ {
        self.invariants.keys().copied()
    }
}
