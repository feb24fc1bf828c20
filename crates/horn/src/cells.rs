//! Cells: arrays as arguments become the elements at an index that stands for all of them.
//!
//! A predicate `P(a, x)` with an array becomes `P'(k, a[k], x)`, which should hold for all k. In a clause the head is said of one new index; an atom of the body is
//! said of that index, of all indices that are read, and of one at which compared arrays differ. Arrays are then local to clauses, and the search
//! knows predicates over integers and booleans only. A solution S' means `S(a, x) = ∀k. S'(k, a[k], x)`.
//!
//! All arrays of a predicate share their indices: relations between arrays at one index are what programs keep.
//!
//! # Paper
//! Monniaux, Gonnord: *Cell morphing* (SAS 2016): the distinguished cell, with one index for each array.
//!
//! # Invariants
//! * I1: a solution of the cells is one of the system. A derivation is not: an atom of a body says less than the array did.

use std::collections::BTreeMap;

use base::IndexVec;
use term::{Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::indices::{Accesses, differences, indices, tuples};
use crate::solution::{Definition, Solution};
use crate::system::{Atom, Clause, Predicate, PredicateId, System};

/// An atom of a body is said of at most so many indices.
const INSTANCE_LIMIT: usize = 10;

/// A system without arrays as arguments.
#[derive(Debug)]
pub(crate) struct Cells {
    /// The system; its predicates have the numbers of the original ones.
    pub(crate) system: System,
    predicates: IndexVec<PredicateId, Option<Ghosts>>,
}

/// What takes the place of the arrays of a predicate.
#[derive(Debug)]
struct Ghosts {
    indices: Vec<SymbolId>,
    /// The formal of an array, its index, and the symbol of the element.
    elements: Vec<(SymbolId, SymbolId, SymbolId)>,
}

/// Whether a predicate has an array as argument.
pub(crate) fn has_arrays(terms: &Terms, system: &System) -> bool {
    system.predicates.iter().any(|predicate| takes_arrays(terms, predicate))
}

fn takes_arrays(terms: &Terms, predicate: &Predicate) -> bool {
    predicate.formals.iter().any(|formal| terms.symbol(*formal).sort == Sort::Array)
}

impl Cells {
    /// The cells of a system, at so many indices together.
    pub(crate) fn new(terms: &mut Terms, system: &System, count: usize) -> Self {
        let mut cells = Self { system: System::new(), predicates: IndexVec::new() };
        for predicate in &system.predicates {
            let ghosts = takes_arrays(terms, predicate).then(|| Ghosts::new(terms, predicate, count));
            let formals = match &ghosts {
                None => predicate.formals.clone(),
                Some(ghosts) => {
                    let elements = ghosts.elements.iter().map(|(_, _, element)| *element);
                    let others = predicate.formals.iter().copied();
                    let others = others.filter(|formal| terms.symbol(*formal).sort != Sort::Array);
                    ghosts.indices.iter().copied().chain(elements).chain(others).collect()
                }
            };
            let name = predicate.name.clone();
            cells.system.predicates.push(Predicate { name, formals, represented: BTreeMap::default() });
            cells.predicates.push(ghosts);
        }
        for clause in &system.clauses {
            let clause = cells.clause(terms, system, clause, count);
            cells.system.clauses.push(clause);
        }
        cells
    }

    fn clause(&self, terms: &mut Terms, system: &System, clause: &Clause, count: usize) -> Clause {
        let differences = differences(terms, &[clause.constraint]);
        let mut conjuncts = vec![clause.constraint];
        conjuncts.extend(differences.iter().map(|(_, fact)| *fact));
        let own: Vec<TermId> =
            (0..count).map(|_| terms.constant("k", Sort::Int, SymbolKind::Skolem)).collect();
        let says_all = |atom: &Atom| self.predicates[atom.predicate].is_some();
        let mut said: Vec<TermId> = Vec::new();
        let is_about_all = clause.head.as_ref().is_some_and(says_all);
        if is_about_all {
            said.extend(&own);
        }
        said.extend(differences.iter().map(|(index, _)| *index));
        said.extend(indices(terms, &clause.terms(), Accesses::Reads));
        if said.is_empty() {
            said.extend(&own);
        }
        let tuples = tuples(&said, count, INSTANCE_LIMIT);
        let head = clause.head.as_ref().map(|head| self.atom(terms, system, head, &own));
        let mut body = Vec::new();
        for atom in &clause.body {
            if says_all(atom) {
                body.extend(tuples.iter().map(|tuple| self.atom(terms, system, atom, tuple)));
            } else {
                body.push(atom.clone());
            }
        }
        Clause { head, body, constraint: terms.and(conjuncts) }
    }

    /// An atom said of these indices.
    fn atom(&self, terms: &mut Terms, system: &System, atom: &Atom, at: &[TermId]) -> Atom {
        let Some(ghosts) = &self.predicates[atom.predicate] else { return atom.clone() };
        let formals = &system.predicates[atom.predicate].formals;
        let mut pairs: Vec<(SymbolId, TermId)> =
            formals.iter().copied().zip(atom.arguments.iter().copied()).collect();
        pairs.extend(ghosts.indices.iter().copied().zip(at.iter().copied()));
        let mut elements = Vec::new();
        for (array, index, element) in &ghosts.elements {
            let of =
                |symbol: &SymbolId| pairs.iter().find(|(known, _)| known == symbol).map(|(_, term)| *term);
            if let (Some(array), Some(index)) = (of(array), of(index)) {
                elements.push((*element, terms.select(array, index)));
            }
        }
        pairs.extend(elements);
        let argument = |formal: &SymbolId| {
            let known = pairs.iter().find(|(known, _)| known == formal);
            known.map_or_else(|| terms.of_symbol(*formal), |(_, term)| *term)
        };
        let arguments = self.system.predicates[atom.predicate].formals.iter().map(argument).collect();
        Atom { predicate: atom.predicate, arguments }
    }

    /// The solution of the system that a solution of the cells means.
    pub(crate) fn solution(&self, terms: &mut Terms, solution: &Solution) -> Solution {
        let mut definitions = IndexVec::new();
        for (predicate, definition) in solution.definitions.iter_enumerated() {
            definitions.push(match (&self.predicates[predicate], definition) {
                (Some(ghosts), Definition::Formula(formula)) => ghosts.definition(terms, *formula),
                (_, definition) => definition.clone(),
            });
        }
        Solution { definitions }
    }
}

impl Ghosts {
    fn new(terms: &mut Terms, predicate: &Predicate, count: usize) -> Self {
        let indices: Vec<SymbolId> =
            (0..count).map(|_| terms.declare("k", Sort::Int, SymbolKind::Variable)).collect();
        let mut elements = Vec::new();
        for formal in &predicate.formals {
            let term::Symbol { name, sort, .. } = terms.symbol(*formal).clone();
            if sort == Sort::Array {
                for index in &indices {
                    let element = terms.declare(format!("{name}[k]"), Sort::Int, SymbolKind::Variable);
                    elements.push((*formal, *index, element));
                }
            }
        }
        Self { indices, elements }
    }

    /// What is said about elements, said about arrays.
    fn definition(&self, terms: &mut Terms, formula: TermId) -> Definition {
        let mut pairs = Vec::new();
        for (array, index, element) in &self.elements {
            let (array, index) = (terms.of_symbol(*array), terms.of_symbol(*index));
            pairs.push((*element, terms.select(array, index)));
        }
        let formula = Substitution::new(pairs).apply(terms, formula);
        if terms.mentions(formula, &self.indices) {
            Definition::Elements { indices: self.indices.clone(), formula }
        } else {
            Definition::Formula(formula)
        }
    }
}
