//! Systems of constrained Horn clauses.
//!
//! # Invariants
//! * I1: the formals of a predicate are distinct symbols, of sort Bool, Int or Array, that occur in no clause.
//! * I2: an atom has as many arguments as its predicate has formals, of the same sorts.
//! * I3: all symbols of a clause are universally quantified; two clauses may share symbols.

use std::collections::BTreeMap;

use base::{IndexVec, newtype_index};
use term::{Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

newtype_index!(
    /// A predicate of a [`System`].
    PredicateId,
    "p"
);

newtype_index!(
    /// A clause of a [`System`].
    ClauseId,
    "c"
);

/// An unknown relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Its name in the text.
    pub name: Box<str>,
    /// What its arguments are called in solutions (I1).
    pub formals: Vec<SymbolId>,
    /// Positions of arguments whose sort in the text is represented by that of the formal, with the sort as it is written.
    pub represented: BTreeMap<usize, Box<str>>,
}

/// A predicate applied to terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its arguments (I2).
    pub arguments: Vec<TermId>,
}

/// `constraint ∧ body ⇒ head`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What follows; nothing stands for `false`.
    pub head: Option<Atom>,
    /// The atoms that must hold.
    pub body: Vec<Atom>,
    /// A formula without predicates that must hold.
    pub constraint: TermId,
}

/// An element of an array whose sort has no terms: `array[index] = value`.
///
/// Arrays of such sorts are values that can be compared. A clause that reads one has a symbol for the element, and says that equal indices of equal arrays
/// have equal elements; a derivation must be so throughout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The array, as an integer.
    pub array: TermId,
    /// The index.
    pub index: TermId,
    /// The element.
    pub value: TermId,
}

/// Predicates and the clauses that they should satisfy.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The unknowns.
    pub predicates: IndexVec<PredicateId, Predicate>,
    /// What they should satisfy.
    pub clauses: IndexVec<ClauseId, Clause>,
    /// What clauses read from arrays whose sorts have no terms, by sort as it is written.
    pub reads: BTreeMap<ClauseId, Vec<(Box<str>, Read)>>,
}

impl System {
    /// A system without predicates and clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a predicate with arguments of these sorts, Bool, Int or Array. Its formals are new symbols.
    pub fn declare(&mut self, terms: &mut Terms, name: &str, sorts: &[Sort]) -> PredicateId {
        let formal =
            |(index, sort): (usize, &Sort)| terms.declare(format!("x{index}"), *sort, SymbolKind::Variable);
        let formals = sorts.iter().enumerate().map(formal).collect();
        self.predicates.push(Predicate { name: name.into(), formals, represented: BTreeMap::new() })
    }

    /// Adds a clause.
    pub fn add(&mut self, head: Option<Atom>, body: Vec<Atom>, constraint: TermId) -> ClauseId {
        self.clauses.push(Clause { head, body, constraint })
    }

    /// The clauses whose head is this predicate, or false.
    pub fn clauses_of(&self, head: Option<PredicateId>) -> impl Iterator<Item = ClauseId> {
        let is_wanted = move |clause: &Clause| clause.head.as_ref().map(|atom| atom.predicate) == head;
        self.clauses.iter_enumerated().filter(move |(_, clause)| is_wanted(clause)).map(|(id, _)| id)
    }

    /// Whether every clause has at most one atom in its body.
    pub fn is_linear(&self) -> bool {
        self.clauses.iter().all(|clause| clause.body.len() <= 1)
    }

    /// Whether I1 and I2 hold and all constraints are boolean.
    pub fn is_well_formed(&self, terms: &Terms) -> bool {
        let atoms_fit = |atom: &Atom| {
            self.predicates.get(atom.predicate).is_some_and(|predicate| {
                predicate.formals.len() == atom.arguments.len()
                    && predicate
                        .formals
                        .iter()
                        .zip(&atom.arguments)
                        .all(|(formal, argument)| terms.symbol(*formal).sort == terms.sort(*argument))
            })
        };
        self.clauses.iter().all(|clause| {
            terms.sort(clause.constraint) == Sort::Bool
                && clause.head.iter().chain(&clause.body).all(atoms_fit)
        })
    }
}

impl Atom {
    /// A formula over the predicate's formals, said about the arguments.
    pub fn instantiate(&self, terms: &mut Terms, system: &System, formula: TermId) -> TermId {
        let formals = &system.predicates[self.predicate].formals;
        Substitution::new(formals.iter().copied().zip(self.arguments.iter().copied())).apply(terms, formula)
    }
}

impl Clause {
    /// The atoms of body and head.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.body.iter().chain(&self.head)
    }

    /// All terms of the clause.
    pub fn terms(&self) -> Vec<TermId> {
        let arguments = self.atoms().flat_map(|atom| atom.arguments.iter().copied());
        std::iter::once(self.constraint).chain(arguments).collect()
    }

    /// The symbols that the clause is about, ascending.
    pub fn symbols(&self, terms: &Terms) -> Vec<SymbolId> {
        terms.symbols_of_all(&self.terms())
    }

    /// The clause with its symbols replaced.
    #[must_use]
    pub fn substitute(&self, terms: &mut Terms, substitution: &mut Substitution) -> Self {
        let mut atom = |atom: &Atom| Atom {
            predicate: atom.predicate,
            arguments: atom.arguments.iter().map(|term| substitution.apply(terms, *term)).collect(),
        };
        let head = self.head.as_ref().map(&mut atom);
        let body = self.body.iter().map(&mut atom).collect();
        Self { head, body, constraint: substitution.apply(terms, self.constraint) }
    }
}
