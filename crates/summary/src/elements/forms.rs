//! Forms of terms that candidates are read off.

use std::collections::{BTreeMap, BTreeSet};

use term::{Integer, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

/// Conditions of an arc that are simplified by each other.
const MAX_CONDITIONS: usize = 32;

/// By how much a transition moves a variable, if always by the same.
pub(super) fn step(terms: &mut Terms, symbol: SymbolId, value: TermId) -> Option<Integer> {
    let own = terms.of_symbol(symbol);
    terms.linear(value).sub(&terms.linear(own)).as_constant().cloned()
}

/// How an index variable moves.
pub(super) enum Pace {
    /// By the same in every iteration.
    Steady(Integer),
    /// In some iterations, in one direction only: of the step this is the sign.
    Halting(Integer),
}

pub(super) fn pace(terms: &mut Terms, symbol: SymbolId, value: TermId) -> Option<Pace> {
    if let Some(step) = step(terms, symbol, value) {
        return (!step.is_zero()).then_some(Pace::Steady(step));
    }
    let (mut open, mut signs) = (vec![value], BTreeSet::new());
    while let Some(term) = open.pop() {
        if let Node::Ite(_, yes, no) = *terms.node(term) {
            open.extend([yes, no]);
            continue;
        }
        let own = step(terms, symbol, term)?;
        if !own.is_zero() {
            signs.insert(if own.is_positive() { 1 } else { -1 });
        }
    }
    (signs.len() == 1).then(|| Pace::Halting(Integer::from(signs.into_iter().sum::<i64>())))
}

/// A term where a condition holds, and where it is no value that nothing is known of: an access that is not allowed has such a value.
pub(super) fn under(terms: &mut Terms, guard: TermId, term: TermId) -> TermId {
    let mut known: BTreeMap<TermId, TermId> = BTreeMap::new();
    let conjuncts = terms.conjuncts(guard);
    for conjunct in &conjuncts {
        known.insert(*conjunct, Terms::TRUE);
        let negation = terms.not(*conjunct);
        known.insert(negation, Terms::FALSE);
    }
    // Where a condition contains another, it is met in the form that it has under that one.
    let mut simpler = Vec::new();
    for conjunct in conjuncts.into_iter().take(MAX_CONDITIONS) {
        let form = terms.rewrite(conjunct, |_, part| match known.get(&part) {
            Some(truth) if part != conjunct => *truth,
            _ => part,
        });
        simpler.push((form, Terms::TRUE));
        simpler.push((terms.not(form), Terms::FALSE));
    }
    known.extend(simpler.into_iter().filter(|(form, truth)| form != truth));
    let term = terms.rewrite(term, |_, part| known.get(&part).copied().unwrap_or(part));
    let is_open = |terms: &Terms, term: TermId| matches!(*terms.node(term), Node::Symbol(symbol) if terms.symbol(symbol).kind != SymbolKind::Variable);
    terms.rewrite(term, |terms, part| match *terms.node(part) {
        Node::Ite(_, yes, no) if terms.sort(part) == Sort::Int => {
            if is_open(terms, no) {
                yes
            } else if is_open(terms, yes) {
                no
            } else {
                part
            }
        }
        _ => part,
    })
}

pub(super) fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
