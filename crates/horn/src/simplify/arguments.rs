//! Arguments that do not matter for false are dropped.
//!
//! * *Unused*: in every body the argument is a symbol that occurs nowhere else, but for unused arguments of the head. What derives it is
//!   computed and never looked at.
//! * *Uniform*: in every atom the argument is a symbol that occurs in uniform arguments only. One value will do for all of them.
//!
//! # Invariants
//! * I1: a derivation without these arguments has one with them: from premises to conclusions, an unused argument of a premise is what its step
//!   derives, and every other symbol that is missing has its default. Uniform arguments are defaults by that, at all atoms.

use std::collections::BTreeMap;

use base::IndexVec;
use rustc_hash::FxHashMap;
use term::{Evaluator, Model, Node, SymbolId, TermId, Terms, Value};

use super::Part;
use crate::derivation::Derivation;
use crate::system::{Atom, Clause, ClauseId, Predicate, PredicateId, System};

/// For each predicate which of its positions are kept, or have some other quality.
type Kept = IndexVec<PredicateId, Vec<bool>>;

/// Clauses as they were before arguments were dropped.
#[derive(Debug)]
pub(super) struct Dropped {
    clauses: IndexVec<ClauseId, Clause>,
}

/// The system of the parts' clauses, without arguments that do not matter.
pub(super) fn drop_arguments(
    terms: &Terms,
    system: &System,
    is_whole: &dyn Fn(PredicateId) -> bool,
    parts: &[Part],
) -> (System, Dropped) {
    let start: Kept = system
        .predicates
        .iter_enumerated()
        .map(|(id, predicate)| vec![is_whole(id); predicate.formals.len()])
        .collect();
    let clauses: IndexVec<ClauseId, Clause> = parts.iter().map(|part| part.clause.clone()).collect();
    let (used, mixed) = (used(terms, start.clone(), parts), mixed(terms, start, parts));
    let mut kept = used;
    for (kept, mixed) in kept.iter_mut().zip(&mixed) {
        for (kept, is_mixed) in kept.iter_mut().zip(mixed) {
            *kept &= is_mixed;
        }
    }
    let reduce = |atom: &Atom| Atom {
        predicate: atom.predicate,
        arguments: select(&atom.arguments, &kept[atom.predicate]),
    };
    let smaller = clauses.iter().map(|clause| Clause {
        head: clause.head.as_ref().map(reduce),
        body: clause.body.iter().map(reduce).collect(),
        constraint: clause.constraint,
    });
    let smaller = smaller.collect();
    let predicates = system.predicates.iter_enumerated().map(|(id, predicate)| Predicate {
        name: predicate.name.clone(),
        formals: select(&predicate.formals, &kept[id]),
        represented: BTreeMap::default(),
    });
    (
        System { predicates: predicates.collect(), clauses: smaller, reads: BTreeMap::default() },
        Dropped { clauses },
    )
}

fn select<T: Copy>(items: &[T], kept: &[bool]) -> Vec<T> {
    items.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| *item).collect()
}

/// Positions that are not unused: the least set.
fn used(terms: &Terms, start: Kept, parts: &[Part]) -> Kept {
    let mut used = start;
    loop {
        let mut has_changed = false;
        for Part { clause, .. } in parts {
            // What is looked at: the constraint and the used arguments of the head. Each symbol of a body is looked at there, too, if it
            // occurs twice.
            let mut roots = vec![clause.constraint];
            if let Some(head) = &clause.head {
                roots.extend(select(&head.arguments, &used[head.predicate]));
            }
            let mut counts: FxHashMap<SymbolId, usize> =
                terms.symbols_of_all(&roots).into_iter().map(|symbol| (symbol, 1)).collect();
            for argument in clause.body.iter().flat_map(|atom| &atom.arguments) {
                for symbol in terms.symbols_of(*argument) {
                    *counts.entry(symbol).or_default() += 1;
                }
            }
            for atom in &clause.body {
                for (position, argument) in atom.arguments.iter().enumerate() {
                    let is_alone =
                        matches!(terms.node(*argument), Node::Symbol(symbol) if counts[symbol] == 1);
                    if !is_alone && !used[atom.predicate][position] {
                        used[atom.predicate][position] = true;
                        has_changed = true;
                    }
                }
            }
        }
        if !has_changed {
            return used;
        }
    }
}

/// Positions that are not uniform: the least set.
fn mixed(terms: &Terms, start: Kept, parts: &[Part]) -> Kept {
    let mut mixed = start;
    loop {
        let mut has_changed = false;
        for Part { clause, .. } in parts {
            let mut roots = vec![clause.constraint];
            for atom in clause.atoms() {
                roots.extend(select(&atom.arguments, &mixed[atom.predicate]));
                roots.extend(atom.arguments.iter().copied().filter(|argument| !is_symbol(terms, *argument)));
            }
            let looked_at = terms.symbols_of_all(&roots);
            for atom in clause.atoms() {
                for (position, argument) in atom.arguments.iter().enumerate() {
                    let is_free = is_symbol(terms, *argument) && !terms.mentions(*argument, &looked_at);
                    if !is_free && !mixed[atom.predicate][position] {
                        mixed[atom.predicate][position] = true;
                        has_changed = true;
                    }
                }
            }
        }
        if !has_changed {
            return mixed;
        }
    }
}

fn is_symbol(terms: &Terms, term: TermId) -> bool {
    matches!(terms.node(term), Node::Symbol(_))
}

impl Dropped {
    /// The values of all symbols of the clauses, for each step of a derivation without the arguments (I1).
    pub(super) fn values(&self, terms: &Terms, derivation: &Derivation) -> Vec<Model> {
        let mut models: Vec<Model> = Vec::new();
        let mut heads: Vec<Vec<Value>> = Vec::new();
        for step in &derivation.steps {
            let clause = &self.clauses[step.clause];
            let mut values = step.values.clone();
            for (atom, premise) in clause.body.iter().zip(&step.premises) {
                for (argument, value) in atom.arguments.iter().zip(heads.get(*premise).into_iter().flatten())
                {
                    if let Node::Symbol(symbol) = terms.node(*argument)
                        && values.get(*symbol).is_none()
                    {
                        values.set(*symbol, value.clone());
                    }
                }
            }
            let mut evaluator = Evaluator::new(terms, &values);
            let arguments = clause.head.iter().flat_map(|head| &head.arguments);
            heads.push(arguments.map(|argument| evaluator.value(*argument)).collect());
            models.push(values);
        }
        models
    }
}

#[cfg(test)]
mod tests {
    use base::Budget;
    use smt::Z3;

    use super::super::simplify;
    use super::*;
    use crate::{Answer, read, solve};

    #[test]
    fn arguments_that_are_passed_on_or_never_read_disappear() {
        let text = "(set-logic HORN)
(declare-fun p (Int (Array Int (Array Int Int)) (Array Int Int) Int) Bool)
(assert (forall ((k (Array Int (Array Int Int))) (a (Array Int Int)) (u Int)) (p 0 k a u)))
(assert (forall ((x Int) (k (Array Int (Array Int Int))) (a (Array Int Int)) (u Int) (x1 Int) (b (Array Int Int)) (u1 Int))
  (=> (and (p x k a u) (p x1 k b u1)) (p (+ x x1 1) k (store a x 7) (+ u 1)))))
(assert (forall ((x Int) (k (Array Int (Array Int Int))) (a (Array Int Int)) (u Int)) (=> (and (p x k a u) (> x 1)) false)))";
        let mut terms = Terms::new();
        let system = read(&mut terms, text).expect("the text should be a system");
        let simplified = simplify(&mut terms, &system, &|_| true, &|_| false);
        assert_eq!(
            simplified.system.predicates.iter().next().map(|predicate| predicate.formals.len()),
            Some(1)
        );
        // The check evaluates the derivation with all arguments.
        let answer = solve(&mut terms, &system, &Z3::default(), &mut Budget::ticks(20_000));
        assert!(matches!(answer, Answer::Unsat(_)), "{answer:?}");
    }
}
