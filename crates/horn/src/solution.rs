//! Solutions: a meaning for each predicate, and the check that all clauses hold.
//!
//! # Invariants
//! * I1: the check asks only questions without quantifiers, of a solver that has been asked nothing before. What should hold for all indices is proved for a
//!   new one; what is known of all indices is used at finitely many ([`indices`]), so that less is assumed.
//! * I2: a predicate that is defined by its clauses ([`Definition::Clauses`]) satisfies these clauses by definition, as
//!   long as such definitions are not circular, which the check makes sure. In bodies it stands for its clauses.

use base::{Budget, Idx, IndexVec};
use smt::{Answer, Solver};
use term::{Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::indices::{Accesses, differences, indices, tuples};
use crate::system::{Atom, Clause, ClauseId, PredicateId, System};

/// What a predicate means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// A formula over its formals, without quantifiers.
    Formula(TermId),
    /// A formula over its formals that holds for all values of the indices, which are of sort Int.
    Elements {
        /// What is quantified; none of them is a formal.
        indices: Vec<SymbolId>,
        /// Over formals and indices.
        formula: TermId,
    },
    /// What its clauses derive, given the other definitions, and nothing else (I2).
    Clauses,
}

/// A meaning for each predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// By predicate.
    pub definitions: IndexVec<PredicateId, Definition>,
}

/// A predicate's meaning as `∃ locals. formula ∧ ⋀ universals`.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What is quantified; none of them is a formal.
    pub locals: Vec<SymbolId>,
    /// Over formals and locals.
    pub formula: TermId,
    /// What holds for all indices.
    pub universals: Vec<Universal>,
}

/// `guard ⇒ ∀ indices. formula`.
#[derive(Clone, Debug)]
pub struct Universal {
    /// Over formals and locals.
    pub guard: TermId,
    /// What is quantified.
    pub indices: Vec<SymbolId>,
    /// Over formals, locals and indices.
    pub formula: TermId,
}

/// Statements about all indices are used at no more tuples of indices.
const INSTANCE_LIMIT: usize = 400;
/// A clause is not split into more cases.
const CASE_LIMIT: usize = 64;

impl Solution {
    /// Whether all clauses hold under these definitions; what fails otherwise.
    pub fn check(
        &self,
        terms: &mut Terms,
        system: &System,
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Result<(), String> {
        self.check_indices(terms, system)?;
        let meanings = self.meanings(terms, system)?;
        for (id, clause) in system.clauses.iter_enumerated() {
            self.check_clause(terms, system, &meanings, clause, solver, budget)
                .map_err(|what| format!("clause {}: {what}", id.index() + 1))?;
        }
        Ok(())
    }

    /// Indices are integers of their own: no formal, and no symbol of a clause.
    fn check_indices(&self, terms: &Terms, system: &System) -> Result<(), String> {
        let mut own: Vec<SymbolId> = Vec::new();
        for definition in &self.definitions {
            if let Definition::Elements { indices, .. } = definition {
                own.extend(indices);
            }
        }
        if own.is_empty() {
            return Ok(());
        }
        let roots: Vec<TermId> = system.clauses.iter().flat_map(Clause::terms).collect();
        let mut others = terms.symbols_of_all(&roots);
        others.extend(system.predicates.iter().flat_map(|predicate| &predicate.formals));
        let is_wrong = |index: &SymbolId| terms.symbol(*index).sort != Sort::Int || others.contains(index);
        if own.iter().any(is_wrong) {
            return Err("an index is no integer of its own".to_owned());
        }
        Ok(())
    }

    fn check_clause(
        &self,
        terms: &mut Terms,
        system: &System,
        meanings: &IndexVec<PredicateId, Meaning>,
        clause: &Clause,
        solver: &mut dyn Solver,
        budget: &mut Budget,
    ) -> Result<(), String> {
        let conclusion = match &clause.head {
            None => Terms::FALSE,
            Some(head) => match &self.definitions[head.predicate] {
                Definition::Clauses => return Ok(()),
                Definition::Formula(formula) => head.instantiate(terms, system, *formula),
                Definition::Elements { indices, formula } => {
                    let mut renaming = Vec::new();
                    for index in indices {
                        let copy = copy(terms, *index);
                        renaming.push((*index, terms.of_symbol(copy)));
                    }
                    let formula = Substitution::new(renaming).apply(terms, *formula);
                    head.instantiate(terms, system, formula)
                }
            },
        };
        let mut hypotheses = vec![clause.constraint, terms.not(conclusion)];
        let mut universals = Vec::new();
        for atom in &clause.body {
            let said = instance(terms, system, atom, &meanings[atom.predicate], &mut Vec::new());
            hypotheses.push(said.formula);
            universals.extend(said.universals);
        }
        if universals.is_empty() {
            return verdict(ask(terms, &hypotheses, solver, budget));
        }
        for case in cases(terms, hypotheses, &universals) {
            check_case(terms, case, &universals, solver, budget)?;
        }
        Ok(())
    }

    /// All meanings with their quantifiers in front; an error if definitions by clauses are circular.
    pub fn meanings(
        &self,
        terms: &mut Terms,
        system: &System,
    ) -> Result<IndexVec<PredicateId, Meaning>, String> {
        if self.definitions.len() != system.predicates.len() {
            return Err("the solution is of another system".to_owned());
        }
        let mut known: IndexVec<PredicateId, Option<Meaning>> =
            IndexVec::filled(None, self.definitions.len());
        for (predicate, definition) in self.definitions.iter_enumerated() {
            known[predicate] = match definition {
                Definition::Clauses => None,
                Definition::Formula(formula) => {
                    Some(Meaning { locals: Vec::new(), formula: *formula, universals: Vec::new() })
                }
                Definition::Elements { indices, formula } => {
                    let (indices, formula) = (indices.clone(), *formula);
                    let universal = Universal { guard: Terms::TRUE, indices, formula };
                    Some(Meaning { locals: Vec::new(), formula: Terms::TRUE, universals: vec![universal] })
                }
            };
        }
        loop {
            let mut is_complete = true;
            let mut has_changed = false;
            for predicate in system.predicates.ids() {
                if known[predicate].is_some() {
                    continue;
                }
                match by_clauses(terms, system, predicate, &known) {
                    Some(meaning) => {
                        known[predicate] = Some(meaning);
                        has_changed = true;
                    }
                    None => is_complete = false,
                }
            }
            if is_complete {
                return Ok(known.into_iter().flatten().collect());
            }
            if !has_changed {
                return Err("definitions by clauses are circular".to_owned());
            }
        }
    }
}

/// What the clauses of a predicate derive; nothing yet if one of their bodies has a predicate without meaning.
fn by_clauses(
    terms: &mut Terms,
    system: &System,
    predicate: PredicateId,
    known: &IndexVec<PredicateId, Option<Meaning>>,
) -> Option<Meaning> {
    // A clause with a premise that nothing derives holds whatever the predicate means.
    let is_vacuous = |id: &ClauseId| {
        let mut meanings = system.clauses[*id].body.iter().map(|atom| &known[atom.predicate]);
        meanings.any(|meaning| meaning.as_ref().is_some_and(|meaning| meaning.formula == Terms::FALSE))
    };
    let clauses: Vec<ClauseId> =
        system.clauses_of(Some(predicate)).filter(|clause| !is_vacuous(clause)).collect();
    let is_ready =
        |id: &ClauseId| system.clauses[*id].body.iter().all(|atom| known[atom.predicate].is_some());
    if !clauses.iter().all(is_ready) {
        return None;
    }
    let formals = &system.predicates[predicate].formals;
    let (mut locals, mut cases, mut universals) = (Vec::new(), Vec::new(), Vec::new());
    for id in clauses {
        let clause = rename(terms, &system.clauses[id], &mut locals);
        let mut conjuncts = vec![clause.constraint];
        for atom in &clause.body {
            let meaning = known[atom.predicate].as_ref().expect("the caller should see that all are known");
            let said = instance(terms, system, atom, meaning, &mut locals);
            conjuncts.push(said.formula);
            if !said.universals.is_empty() {
                // The case says that what is guarded holds.
                let case = terms.fresh("case", Sort::Bool, SymbolKind::Skolem);
                locals.push(case);
                let case = terms.of_symbol(case);
                conjuncts.push(case);
                for Universal { guard, indices, formula } in said.universals {
                    universals.push(Universal { guard: terms.and([case, guard]), indices, formula });
                }
            }
        }
        for (formal, argument) in formals.iter().zip(clause.head.iter().flat_map(|head| &head.arguments)) {
            let formal = terms.of_symbol(*formal);
            conjuncts.push(terms.eq(formal, *argument));
        }
        cases.push(terms.and(conjuncts));
    }
    Some(Meaning { locals, formula: terms.or(cases), universals })
}

/// The clause with new symbols, which are added to `locals`.
fn rename(terms: &mut Terms, clause: &Clause, locals: &mut Vec<SymbolId>) -> Clause {
    let mut pairs = Vec::new();
    for symbol in clause.symbols(terms) {
        let copy = copy(terms, symbol);
        locals.push(copy);
        pairs.push((symbol, terms.of_symbol(copy)));
    }
    clause.substitute(terms, &mut Substitution::new(pairs))
}

fn copy(terms: &mut Terms, symbol: SymbolId) -> SymbolId {
    let term::Symbol { name, sort, .. } = terms.symbol(symbol).clone();
    terms.declare(name, sort, SymbolKind::Skolem)
}

/// The hypotheses, case by case: a disjunction of what several clauses say becomes one case each, so that what holds for all indices in a case is used at
/// the indices of that case.
fn cases(terms: &Terms, hypotheses: Vec<TermId>, universals: &[Universal]) -> Vec<Vec<TermId>> {
    let guards: Vec<TermId> = universals.iter().map(|universal| universal.guard).collect();
    let guards = terms.symbols_of_all(&guards);
    let (mut done, mut open) = (Vec::new(), vec![hypotheses]);
    while let Some(hypotheses) = open.pop() {
        let parts: Vec<TermId> = hypotheses.iter().flat_map(|item| terms.conjuncts(*item)).collect();
        let is_split =
            |part: &TermId| matches!(terms.node(*part), Node::Or(_)) && terms.mentions(*part, &guards);
        match parts.iter().position(is_split) {
            Some(position) if done.len() + open.len() < CASE_LIMIT => {
                for disjunct in terms.disjuncts(parts[position]) {
                    let mut case = parts.clone();
                    case[position] = disjunct;
                    open.push(case);
                }
            }
            _ => done.push(parts),
        }
    }
    done
}

/// Whether hypotheses exclude each other, with instances of what holds for all indices. Few instances first: most clauses need no more.
fn check_case(
    terms: &mut Terms,
    hypotheses: Vec<TermId>,
    universals: &[Universal],
    solver: &mut dyn Solver,
    budget: &mut Budget,
) -> Result<(), String> {
    let mut hypotheses = hypotheses;
    let symbols = terms.symbols_of_all(&hypotheses);
    let is_said = |universal: &&Universal| {
        terms.symbols_of(universal.guard).iter().all(|symbol| symbols.binary_search(symbol).is_ok())
    };
    let universals: Vec<Universal> = universals.iter().filter(is_said).cloned().collect();
    let mut at: Vec<TermId> = Vec::new();
    for (index, fact) in differences(terms, &hypotheses) {
        at.push(index);
        hypotheses.push(fact);
    }
    let mut answer = Err("does not hold".to_owned());
    for accesses in [Accesses::Reads, Accesses::All, Accesses::All] {
        use_universals(terms, &mut hypotheses, &universals, &mut at, accesses);
        answer = verdict(ask(terms, &hypotheses, solver, budget));
        if answer.is_ok() {
            break;
        }
    }
    answer
}

fn ask(terms: &Terms, hypotheses: &[TermId], solver: &mut dyn Solver, budget: &mut Budget) -> Answer {
    solver.push();
    for hypothesis in hypotheses {
        solver.assert(terms, *hypothesis);
    }
    let answer = solver.check(terms, &[], budget);
    solver.pop();
    answer
}

/// Whether a clause holds, given the answer to the question whether it can be violated.
fn verdict(answer: Answer) -> Result<(), String> {
    match answer {
        Answer::Unsat(_) => Ok(()),
        Answer::Sat(_) => Err("does not hold".to_owned()),
        Answer::Unknown(why) => Err(why.to_string()),
    }
}

/// Adds instances of what holds for all indices, at the indices of the hypotheses (I1). `at` are the indices known before.
fn use_universals(
    terms: &mut Terms,
    hypotheses: &mut Vec<TermId>,
    universals: &[Universal],
    at: &mut Vec<TermId>,
    accesses: Accesses,
) {
    for index in indices(terms, hypotheses, accesses) {
        if !at.contains(&index) {
            at.push(index);
        }
    }
    for universal in universals {
        for tuple in tuples(at, universal.indices.len(), INSTANCE_LIMIT) {
            let pairs = universal.indices.iter().copied().zip(tuple);
            let said = Substitution::new(pairs).apply(terms, universal.formula);
            let fact = terms.implies(universal.guard, said);
            if !hypotheses.contains(&fact) {
                hypotheses.push(fact);
            }
        }
    }
}

/// A meaning said about the arguments of an atom, with new symbols for its locals, which are added to `locals`.
fn instance(
    terms: &mut Terms,
    system: &System,
    atom: &Atom,
    meaning: &Meaning,
    locals: &mut Vec<SymbolId>,
) -> Meaning {
    let formals = &system.predicates[atom.predicate].formals;
    let mut pairs: Vec<_> = formals.iter().copied().zip(atom.arguments.iter().copied()).collect();
    for local in &meaning.locals {
        let copy = copy(terms, *local);
        locals.push(copy);
        pairs.push((*local, terms.of_symbol(copy)));
    }
    let mut said = Substitution::new(pairs);
    let formula = said.apply(terms, meaning.formula);
    let universal = |universal: &Universal| Universal {
        guard: said.apply(terms, universal.guard),
        indices: universal.indices.clone(),
        formula: said.apply(terms, universal.formula),
    };
    let universals = meaning.universals.iter().map(universal).collect();
    Meaning { locals: Vec::new(), formula, universals }
}
