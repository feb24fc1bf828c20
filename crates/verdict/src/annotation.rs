//! Inductive annotations: the evidence for safe. Crate certify says what they mean and checks them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use cfa::Loc;
use encode::{Skolem, Vocabulary};
use term::{SymbolId, TermId, Terms};
use values::state::State;

/// What is claimed of a location.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// What is known of variables whenever the location is reached; `None` if it never is.
    pub known: Option<State>,
    /// Never holds when the location is reached, whatever its other symbols are.
    pub bad: TermId,
    /// Choices for the other symbols of `bad` that help to show that pieces preserve the invariant.
    pub instances: Vec<Vec<(SymbolId, TermId)>>,
}

/// Invariants of locations of the entry procedure, after the standard passes.
#[derive(Debug)]
pub struct Annotation {
    /// The arena of its formulas.
    pub terms: RefCell<Terms>,
    /// The symbols of the variables.
    pub vocabulary: RefCell<Vocabulary>,
    /// What is claimed.
    pub invariants: BTreeMap<Loc, Invariant>,
    /// The symbols that stand for what is chosen in pieces that start at a location.
    pub choices: BTreeMap<Loc, Vec<Skolem>>,
}

impl Annotation {
    /// An annotation in terms of an arena. `choices` are the symbols that stand, in the instances, for what is chosen in pieces that start at a
    /// location; the check puts the symbols of its own pieces in their place.
    pub fn new(
        terms: Terms,
        vocabulary: Vocabulary,
        invariants: BTreeMap<Loc, Invariant>,
        choices: BTreeMap<Loc, Vec<Skolem>>,
    ) -> Self {
        Self { terms: RefCell::new(terms), vocabulary: RefCell::new(vocabulary), invariants, choices }
    }
    /// The annotated locations.
    pub fn locations(&self) -> impl Iterator<Item = Loc> + '_ {
        self.invariants.keys().copied()
    }
}
