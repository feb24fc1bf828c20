//! Elements of arrays in the explanations of dead ends.
//!
//! Projection knows linear arithmetic. So a read of a changed array becomes a choice by index, and an element of an array that is to be
//! eliminated becomes a number of its own, together with which of the indices at hand are equal: Ackermann's reduction, for the one case that
//! a model picks.
//!
//! # Invariants
//! * Y1: [`read_through`] is an equivalence.
//! * Y2: what [`Elements::of`] returns holds in the model, and implies that some contents of the eliminated arrays satisfy the literals.

use rustc_hash::FxHashMap;
use term::{Evaluator, Integer, Model, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// Chains of writes longer than this are left alone.
const MAX_CHAIN: usize = 64;

/// The formula with reads of changed arrays as choices.
pub(crate) fn read_through(terms: &mut Terms, formula: TermId) -> TermId {
    terms.rewrite(formula, |terms, part| match *terms.node(part) {
        Node::Select(array, index) => element(terms, array, index, MAX_CHAIN),
        _ => part,
    })
}

fn element(terms: &mut Terms, array: TermId, index: TermId, left: usize) -> TermId {
    match *terms.node(array) {
        Node::Store(before, at, value) if left > 0 => {
            let is_there = terms.eq(at, index);
            let other = element(terms, before, index, left - 1);
            terms.ite(is_there, value, other)
        }
        Node::Ite(condition, yes, no) if left > 0 => {
            let (yes, no) = (element(terms, yes, index, left / 2), element(terms, no, index, left / 2));
            terms.ite(condition, yes, no)
        }
        _ => terms.select(array, index),
    }
}

/// The literals with arrays that are to be eliminated replaced by what they are said to be equal to.
fn solve_equations(
    terms: &mut Terms,
    literals: &[TermId],
    chosen: &[SymbolId],
    model: &Model,
) -> Vec<TermId> {
    let mut literals = literals.to_vec();
    while let Some((position, symbol, value)) = equation(terms, &literals, chosen) {
        literals.swap_remove(position);
        let mut substitution = Substitution::new([(symbol, value)]);
        let changed: Vec<TermId> =
            literals.iter().map(|literal| substitution.apply(terms, *literal)).collect();
        let formula = terms.and(changed);
        let formula = read_through(terms, formula);
        match terms.implicant(formula, model) {
            Some(implicant) => literals = implicant,
            // The model is of the equation, too, so this does not happen; without it the projection fails and says so.
            None => break,
        }
    }
    literals
}

/// An equation between an array that is to be eliminated and something else.
fn equation(terms: &Terms, literals: &[TermId], chosen: &[SymbolId]) -> Option<(usize, SymbolId, TermId)> {
    literals.iter().enumerate().find_map(|(position, literal)| {
        let Node::Same(a, b) = *terms.node(*literal) else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(side, value)| {
            let Node::Symbol(symbol) = *terms.node(side) else { return None };
            (chosen.contains(&symbol) && !terms.mentions(value, &[symbol]))
                .then_some((position, symbol, value))
        })
    })
}

/// Literals without elements of arrays that are to be eliminated.
pub(crate) struct Elements {
    /// The literals, and how the indices compare.
    pub(crate) literals: Vec<TermId>,
    /// What is to be eliminated now: the numbers that stand for elements, too.
    pub(crate) chosen: Vec<SymbolId>,
    /// The model with these numbers.
    pub(crate) model: Model,
}

impl Elements {
    /// Takes the elements out of literals that hold in a model.
    pub(crate) fn of(terms: &mut Terms, literals: &[TermId], chosen: &[SymbolId], model: &Model) -> Self {
        let literals = &solve_equations(terms, literals, chosen, model)[..];
        let mut result = Self { literals: Vec::new(), chosen: chosen.to_vec(), model: model.clone() };
        let mut replaced: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut seen: Vec<(SymbolId, TermId, Integer, TermId)> = Vec::new();
        let mut relations = Vec::new();
        for term in terms.reachable(literals) {
            let Node::Select(array, index) = *terms.node(term) else { continue };
            let Node::Symbol(symbol) = *terms.node(array) else { continue };
            let (at, value) = {
                let mut evaluator = Evaluator::new(terms, model);
                (evaluator.int(index), evaluator.int(term))
            };
            if !chosen.contains(&symbol) {
                if terms.mentions(index, chosen) {
                    // Of a program's array the model picks the element.
                    let at = terms.number(at);
                    relations.push(terms.eq(index, at));
                    let element = terms.select(array, at);
                    replaced.insert(term, element);
                }
                continue;
            }
            let mut known = None;
            for (other, place, other_at, name) in &seen {
                if *other != symbol {
                    continue;
                }
                let is_same = terms.eq(*place, index);
                if *other_at == at {
                    relations.push(is_same);
                    known = Some(*name);
                } else {
                    relations.push(terms.not(is_same));
                }
            }
            let name = known.unwrap_or_else(|| {
                let name = terms.fresh("element", Sort::Int, SymbolKind::Skolem);
                result.model.set_int(name, value);
                result.chosen.push(name);
                terms.of_symbol(name)
            });
            seen.push((symbol, index, at, name));
            replaced.insert(term, name);
        }
        relations.extend(literals.iter().copied());
        result.literals = relations
            .into_iter()
            .map(|literal| terms.rewrite(literal, |_, part| replaced.get(&part).copied().unwrap_or(part)))
            .collect();
        result
    }
}
