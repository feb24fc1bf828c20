//! Facts fitted to points of a predicate, in cases.
//!
//! The facts of a case are those of [`Element`]: the equations of the affine hull of its points, bounds and strides of sums of one or two arguments. A fact of a case is a candidate as an
//! implication.
//!
//! Cases are told apart by
//! * tests of clauses that derive the predicate, where they are about its arguments alone, and numbers that such arguments are ([`conditions`]);
//! * the values of an argument that has few.
//!
//! # Invariants
//! * I1: every point satisfies every fact. Nothing else is promised.

use std::collections::{BTreeMap, BTreeSet};

use term::{Evaluator, Integer, Model, Node, Substitution, SymbolId, TermId, Terms};

use super::{Samples, Scope};
use crate::invariants::element::{self, Element, Form};
use crate::invariants::{split, thresholds};
use crate::system::{Clause, PredicateId, System};

/// More cases are not told apart.
const CASE_LIMIT: usize = 16;
/// An argument with more values is not told apart by them.
const VALUE_LIMIT: usize = 4;
/// Values that are further from zero are no cases.
const FAR: i64 = 16;
/// Fewer points say nothing.
const FEW: usize = 3;

/// Facts that all points of a predicate satisfy, what is preferred first.
pub(super) fn fit(
    terms: &mut Terms,
    system: &System,
    predicate: PredicateId,
    samples: &Samples,
    scope: Scope,
) -> Vec<TermId> {
    let formals = &system.predicates[predicate].formals;
    let points: Vec<&Vec<Integer>> =
        samples.points.iter().filter(|point| point.len() == formals.len()).collect();
    let is_derived = system.clauses_of(Some(predicate)).next().is_some();
    if points.len() < FEW || !is_derived {
        return Vec::new();
    }
    let speaks_of_results = |form: &Form| {
        let has_results = samples.inputs < formals.len();
        form.len() == 1 || !has_results || form.iter().any(|(index, _)| *index >= samples.inputs)
    };
    let forms: Vec<Form> = element::forms(formals.len()).into_iter().filter(speaks_of_results).collect();
    let mut facts = common(terms, formals, &forms, &points);
    let mut seen = Vec::new();
    for condition in conditions(terms, system, predicate, &points) {
        let inside = where_it_holds(terms, formals, &points, condition);
        if !inside.is_empty() && inside.len() < points.len() {
            seen.push((condition, common(terms, formals, &forms, &inside)));
        }
    }
    // What depends on inputs alone is what callers ask for.
    let results = &formals[samples.inputs.min(formals.len())..];
    seen.sort_by_key(|(condition, _)| {
        terms.symbols_of(*condition).iter().any(|symbol| results.contains(symbol))
    });
    seen.truncate(CASE_LIMIT);
    for (condition, consequences) in seen {
        let outside = terms.not(condition);
        facts.extend(consequences.into_iter().map(|fact| terms.or([outside, fact])));
    }
    if scope == Scope::Seen {
        let outside = outside_of_bounds(terms, system, formals, samples.inputs, &points);
        let within = facts.clone().into_iter().map(|fact| terms.or(outside.iter().copied().chain([fact])));
        facts.extend(within.collect::<Vec<_>>());
    }
    facts
}

/// What all of some points satisfy.
fn common(terms: &mut Terms, formals: &[SymbolId], forms: &[Form], points: &[&Vec<Integer>]) -> Vec<TermId> {
    let elements = points.iter().map(|point| Element::new(point, forms));
    let element = elements.reduce(|a, b| a.merge(&b, forms));
    element.map(|element| element.facts(terms, formals, forms)).unwrap_or_default()
}

fn model(formals: &[SymbolId], point: &[Integer]) -> Model {
    let mut model = Model::new();
    for (formal, value) in formals.iter().zip(point) {
        model.set(*formal, term::Value::Int(value.clone()));
    }
    model
}

fn where_it_holds<'a>(
    terms: &Terms,
    formals: &[SymbolId],
    points: &[&'a Vec<Integer>],
    condition: TermId,
) -> Vec<&'a Vec<Integer>> {
    let holds = |point: &&&Vec<Integer>| {
        let model = model(formals, point);
        Evaluator::new(terms, &model).holds(condition)
    };
    points.iter().filter(holds).copied().collect()
}

/// Conditions on the formals that tell cases apart.
fn conditions(
    terms: &mut Terms,
    system: &System,
    predicate: PredicateId,
    points: &[&Vec<Integer>],
) -> Vec<TermId> {
    let formals = &system.predicates[predicate].formals;
    let mut found = Vec::new();
    for (position, formal) in formals.iter().enumerate() {
        let values: BTreeSet<&Integer> = points.iter().map(|point| &point[position]).collect();
        let is_near =
            |value: &&Integer| value.to_i64().is_some_and(|value| value.unsigned_abs() <= FAR.unsigned_abs());
        if (2..=VALUE_LIMIT).contains(&values.len()) && values.iter().all(is_near) {
            for value in values {
                let (formal, value) = (terms.of_symbol(*formal), terms.number(value.clone()));
                found.push(terms.eq(formal, value));
            }
        }
    }
    let mut tests = Vec::new();
    for clause in system.clauses_of(Some(predicate)).map(|id| &system.clauses[id]) {
        tested(terms, formals, clause, &mut tests);
    }
    tests.extend(split::comparisons(terms, system, predicate));
    for test in tests {
        found.extend([test, terms.not(test)]);
    }
    let mut once = BTreeSet::new();
    found.retain(|condition| once.insert(*condition));
    found
}

/// The tests of a clause that are about arguments of its head alone, over the formals.
fn tested(terms: &mut Terms, formals: &[SymbolId], clause: &Clause, tests: &mut Vec<TermId>) {
    let Some(head) = &clause.head else { return };
    let mut names: BTreeMap<SymbolId, TermId> = BTreeMap::new();
    for (formal, argument) in formals.iter().zip(&head.arguments) {
        let formal = terms.of_symbol(*formal);
        match terms.node(*argument) {
            Node::Symbol(symbol) => {
                names.entry(*symbol).or_insert(formal);
            }
            Node::Number(_) => {
                let equal = terms.eq(formal, *argument);
                tests.push(equal);
            }
            _ => {}
        }
    }
    let mut renaming = Substitution::new(names.iter().map(|(symbol, formal)| (*symbol, *formal)));
    for atom in terms.reachable(&[clause.constraint]) {
        if !matches!(terms.node(atom), Node::Le(_) | Node::Zero(_) | Node::Divides(..)) {
            continue;
        }
        if terms.symbols_of(atom).iter().all(|symbol| names.contains_key(symbol)) {
            tests.push(renaming.apply(terms, atom));
        }
    }
}

/// The negations of bounds of the inputs that all points satisfy and whose numbers the clauses mention.
fn outside_of_bounds(
    terms: &mut Terms,
    system: &System,
    formals: &[SymbolId],
    inputs: usize,
    points: &[&Vec<Integer>],
) -> Vec<TermId> {
    let mentioned = thresholds(terms, system);
    let mut bounds = Vec::new();
    for (position, formal) in formals.iter().enumerate().take(inputs) {
        let values = || points.iter().map(|point| &point[position]);
        let (Some(least), Some(greatest)) = (values().min(), values().max()) else { continue };
        let formal = terms.of_symbol(*formal);
        if mentioned.contains(least) {
            let least = terms.number(least.clone());
            bounds.push(terms.lt(formal, least));
        }
        if mentioned.contains(greatest) {
            let greatest = terms.number(greatest.clone());
            bounds.push(terms.lt(greatest, formal));
        }
    }
    bounds
}
