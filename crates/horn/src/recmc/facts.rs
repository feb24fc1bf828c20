//! Summary facts and reachability facts of predicates, with their levels.
//!
//! # Paper
//! [Recmc14] §3: σ holds summary facts, ρ reachability facts. With b a bound on the height of derivations,
//! `O_b = ⋀ {ψ | (ψ, l) ∈ σ, l ≥ b}` and `U = ⋁ {δ | δ ∈ ρ}`. Reachability facts have no level here: a fact that needs a
//! higher derivation than was asked for is a fact all the same.
//!
//! # Invariants
//! * I1 (equation 3 of the paper): what a derivation of height at most b derives satisfies `O_b`; each model of `U` has a
//!   derivation. Only the rule SUM and what follows by induction make [`Over`], only REACH makes [`Under`].
//! * I2: facts are about the formals of their predicate.

use term::{Substitution, TermId, Terms};

/// A bound on the height of derivations for which a summary fact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Level(pub(crate) u32);

impl Level {
    /// Of facts that are inductive by themselves: they hold for derivations of any height.
    pub(crate) const ALWAYS: Self = Self(u32::MAX);

    /// The next level.
    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// An over-approximation: all that is derived satisfies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Over<T>(T);

impl<T> Over<T> {
    /// By the rule SUM: the negation has no derivation.
    pub(super) fn by_sum(fact: T) -> Self {
        Self(fact)
    }
    pub(crate) fn get(&self) -> &T {
        &self.0
    }
}

/// An under-approximation: all its models are derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Under<T>(T);

impl<T> Under<T> {
    /// By the rule REACH: a projection of a clause whose body atoms are reached.
    pub(super) fn by_reach(fact: T) -> Self {
        Self(fact)
    }
    pub(crate) fn get(&self) -> &T {
        &self.0
    }
}

impl Under<TermId> {
    /// The same fact about other symbols.
    pub(super) fn rename(&self, terms: &mut Terms, renaming: &mut Substitution) -> Self {
        Self(renaming.apply(terms, self.0))
    }
}

/// A summary fact: not all literals of the cube hold.
#[derive(Clone, Debug)]
pub(crate) struct Lemma {
    /// The literals that exclude each other, ascending.
    pub(crate) cube: Vec<TermId>,
    /// The negation of their conjunction.
    pub(crate) clause: Over<TermId>,
    /// Up to which height it holds.
    pub(crate) level: Level,
}

/// A reachability fact and where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The states.
    pub(crate) states: Under<TermId>,
    /// The rule by which they are derived.
    pub(crate) rule: usize,
    /// For each atom of the rule's body the fact that it uses.
    pub(crate) premises: Vec<usize>,
}

/// What is known of one predicate.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) lemmas: Vec<Lemma>,
    pub(crate) reached: Vec<Reached>,
}

impl Facts {
    /// `O` at this level, as a list of clauses.
    pub(crate) fn over(&self, level: Level) -> impl Iterator<Item = TermId> {
        self.lemmas.iter().filter(move |lemma| lemma.level >= level).map(|lemma| *lemma.clause.get())
    }

    /// Whether a lemma that holds at least as high says as much.
    pub(crate) fn subsumes(&self, cube: &[TermId], level: Level) -> bool {
        self.lemmas.iter().any(|lemma| lemma.level >= level && is_subset(&lemma.cube, cube))
    }

    /// Adds a lemma and forgets those that it makes superfluous.
    pub(crate) fn add_lemma(&mut self, lemma: Lemma) {
        self.lemmas.retain(|old| old.level > lemma.level || !is_subset(&lemma.cube, &old.cube));
        self.lemmas.push(lemma);
    }
}

/// Whether all of `few`, ascending, are in `many`, ascending.
fn is_subset(few: &[TermId], many: &[TermId]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|item| rest.any(|other| other == item))
}
