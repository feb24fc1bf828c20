//! Smaller systems with the same answer, and the way back.
//!
//! * Clauses that cannot be used and predicates that do not matter for false are dropped (`cone.rs`).
//! * Predicates that do not occur in their own clauses are unfolded where that makes the system no larger (`unfold.rs`).
//! * Equations of clauses are solved (`equations.rs`), and conjuncts that follow from others are dropped (`redundant.rs`).
//! * Arguments of predicates that do not matter are dropped (`arguments.rs`).
//!
//! # Invariants
//! * I1: the symbols of a part belong to it alone. A model of its clause makes one of the `origin`s of the part an application of original clauses.
//! * I2: a predicate that was unfolded occurs in no part; its meaning is what its original clauses derive. Such definitions are not
//!   circular: a predicate is not unfolded if its original clauses lead back to it through unfolded ones, even where the clauses that did so
//!   have disappeared.

mod arguments;
mod cone;
mod equations;
mod redundant;
mod unfold;

use base::IndexVec;
use rustc_hash::FxHashMap;
use term::{Evaluator, Model, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::derivation::{Derivation, Step};
use crate::solution::{Definition, Solution};
use crate::system::{Clause, ClauseId, PredicateId, System};
pub(crate) use redundant::drop_redundant;

/// How a clause is made of original ones.
#[derive(Clone, Debug)]
struct Origin {
    /// The original clause whose head it is.
    clause: ClauseId,
    /// Terms for the symbols of that clause.
    values: Vec<(SymbolId, TermId)>,
    /// How the atoms of its body are derived.
    premises: Vec<Premise>,
}

#[derive(Clone, Debug)]
enum Premise {
    /// By the atom at this position of the new clause.
    Atom(usize),
    /// By clauses that were unfolded.
    Unfolded(Choice),
}

/// Origins with the conditions under which they apply.
type Choice = Vec<(TermId, Origin)>;

/// A clause with its origin.
#[derive(Clone, Debug)]
struct Part {
    clause: Clause,
    origin: Choice,
}

/// What became of a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    /// Nothing derives it.
    Empty,
    /// It does not matter.
    Irrelevant,
    Unfolded,
}

/// A smaller system and the way back.
#[derive(Debug)]
pub(crate) struct Simplified {
    /// The smaller system; its predicates are those of the original, not all of which occur, perhaps with fewer arguments.
    pub(crate) system: System,
    dropped: arguments::Dropped,
    origins: IndexVec<ClauseId, Choice>,
    fates: IndexVec<PredicateId, Fate>,
}

/// Simplifies a system. Predicates that must have a formula of their own in the end are kept.
/// Those that are whole keep all their arguments.
pub(crate) fn simplify(
    terms: &mut Terms,
    system: &System,
    keep: &dyn Fn(PredicateId) -> bool,
    is_whole: &dyn Fn(PredicateId) -> bool,
) -> Simplified {
    let mut fates = IndexVec::filled(Fate::Kept, system.predicates.len());
    let mut parts: Vec<Part> = Vec::new();
    for (id, clause) in system.clauses.iter_enumerated() {
        parts.push(part(terms, id, clause));
    }
    cone::cut(system, &mut parts, &mut fates);
    for part in &mut parts {
        equations::solve(terms, part);
    }
    unfold::unfold(terms, system, keep, &mut parts, &mut fates);
    parts.retain(|part| part.clause.constraint != Terms::FALSE);
    cone::cut(system, &mut parts, &mut fates);
    let (smaller, dropped) = arguments::drop_arguments(terms, system, is_whole, &parts);
    let origins = parts.into_iter().map(|part| part.origin).collect();
    Simplified { system: smaller, dropped, origins, fates }
}

/// An original clause, with symbols of its own (I1).
fn part(terms: &mut Terms, id: ClauseId, clause: &Clause) -> Part {
    let (clause, pairs) = rename(terms, clause);
    let premises = (0..clause.body.len()).map(Premise::Atom).collect();
    Part { clause, origin: vec![(Terms::TRUE, Origin { clause: id, values: pairs, premises })] }
}

/// A clause with new symbols, and which they are.
fn rename(terms: &mut Terms, clause: &Clause) -> (Clause, Vec<(SymbolId, TermId)>) {
    let mut pairs = Vec::new();
    for symbol in clause.symbols(terms) {
        let term::Symbol { name, sort, .. } = terms.symbol(symbol).clone();
        let copy = terms.declare(name, sort, SymbolKind::Skolem);
        pairs.push((symbol, terms.of_symbol(copy)));
    }
    (clause.substitute(terms, &mut Substitution::new(pairs.clone())), pairs)
}

/// Applies a function to all terms of an origin, without recursion on the native stack.
fn map_terms(origin: &mut Choice, mut map: impl FnMut(TermId) -> TermId) {
    let mut open: Vec<&mut Choice> = vec![origin];
    while let Some(choice) = open.pop() {
        for (condition, origin) in choice {
            *condition = map(*condition);
            for (_, term) in &mut origin.values {
                *term = map(*term);
            }
            for premise in &mut origin.premises {
                if let Premise::Unfolded(inner) = premise {
                    open.push(inner);
                }
            }
        }
    }
}

/// Applies a function to the positions of all atoms of an origin.
fn map_atoms(origin: &mut Choice, mut map: impl FnMut(usize) -> Premise) {
    let mut open: Vec<&mut Choice> = vec![origin];
    while let Some(choice) = open.pop() {
        for premise in choice.iter_mut().flat_map(|(_, origin)| &mut origin.premises) {
            match premise {
                Premise::Atom(index) => *premise = map(*index),
                Premise::Unfolded(inner) => open.push(inner),
            }
        }
    }
}

impl Simplified {
    /// A solution of the original system.
    pub(crate) fn solution(&self, solution: &Solution) -> Solution {
        let definition = |(predicate, fate): (PredicateId, &Fate)| match fate {
            Fate::Kept => solution.definitions[predicate].clone(),
            Fate::Empty => Definition::Formula(Terms::FALSE),
            Fate::Irrelevant => Definition::Formula(Terms::TRUE),
            Fate::Unfolded => Definition::Clauses,
        };
        Solution { definitions: self.fates.iter_enumerated().map(definition).collect() }
    }

    /// A derivation in the original system.
    pub(crate) fn derivation(&self, terms: &Terms, derivation: &Derivation) -> Result<Derivation, String> {
        let mut steps: Vec<Step> = Vec::new();
        // Where the head of each step of the smaller derivation is derived.
        let mut places: Vec<usize> = Vec::new();
        let models = self.dropped.values(terms, derivation);
        for (step, values) in derivation.steps.iter().zip(&models) {
            let premises: Vec<usize> = step.premises.iter().map(|premise| places[*premise]).collect();
            let choice = &self.origins[step.clause];
            places.push(expand(terms, choice, values, &premises, &mut steps)?);
        }
        Ok(Derivation { steps })
    }
}

enum Task<'o> {
    Open(&'o Choice),
    Close(&'o Origin),
}

/// Adds the steps of one application of a new clause; the last one derives its head.
fn expand(
    terms: &Terms,
    choice: &Choice,
    values: &Model,
    premises: &[usize],
    steps: &mut Vec<Step>,
) -> Result<usize, String> {
    let mut evaluator = Evaluator::new(terms, values);
    let mut done: Vec<usize> = Vec::new();
    let mut tasks = vec![Task::Open(choice)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Open(choice) => {
                let (_, origin) = choice
                    .iter()
                    .find(|(condition, _)| evaluator.holds(*condition))
                    .ok_or("no case of an unfolded predicate applies")?;
                tasks.push(Task::Close(origin));
                for premise in origin.premises.iter().rev() {
                    if let Premise::Unfolded(inner) = premise {
                        tasks.push(Task::Open(inner));
                    }
                }
            }
            Task::Close(origin) => {
                let unfolded =
                    origin.premises.iter().filter(|premise| matches!(premise, Premise::Unfolded(_))).count();
                let mut inner = done.split_off(done.len() - unfolded).into_iter();
                let mut own = Vec::new();
                for premise in &origin.premises {
                    own.push(match premise {
                        Premise::Atom(index) => premises[*index],
                        Premise::Unfolded(_) => inner.next().ok_or("an unfolded premise is missing")?,
                    });
                }
                let mut model = Model::new();
                for (symbol, term) in &origin.values {
                    model.set(*symbol, evaluator.value(*term));
                }
                done.push(steps.len());
                steps.push(Step { clause: origin.clause, values: model, premises: own });
            }
        }
    }
    done.pop().ok_or_else(|| "a step has no origin".to_owned())
}

/// How often each predicate occurs in bodies, and how many clauses derive it.
fn counts(parts: &[Part]) -> FxHashMap<PredicateId, (usize, usize)> {
    let mut counts: FxHashMap<PredicateId, (usize, usize)> = FxHashMap::default();
    for part in parts {
        for atom in &part.clause.body {
            counts.entry(atom.predicate).or_default().0 += 1;
        }
        if let Some(head) = &part.clause.head {
            counts.entry(head.predicate).or_default().1 += 1;
        }
    }
    counts
}
