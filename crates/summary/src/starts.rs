//! The numbers with which a loop is entered, as far as the arcs into it show them.
//!
//! Facts that hold together at one start are candidates for what iterations preserve together ([`crate::joint`]). Starts with different numbers are kept apart: what
//! holds at one of them need not hold at another.
//!
//! # Cost
//! Linear in the size of the values; no question.

use std::collections::BTreeMap;

use encode::Transition;
use graph::cut::{Graph, PointId};
use term::{Integer, Node, Sort, SymbolId, TermId, Terms};

/// Conditions that tell starts apart, of one arc; more are not followed.
const MAX_CONDITIONS: usize = 2;
/// More starts of a loop are not looked at.
const MAX_STARTS: usize = 4;

/// Numbers of variables when a loop is entered.
pub type Start = BTreeMap<SymbolId, Integer>;

/// The starts of a loop: one for each arc from outside, and for each case of conditions between numbers.
pub fn starts(graph: &Graph, head: PointId, terms: &Terms) -> Vec<Start> {
    let mut found: Vec<Start> = Vec::new();
    for arc in &graph.arcs {
        if arc.target != head || graph.in_loop(head, arc.source) {
            continue;
        }
        let values = values(terms, &arc.formula);
        let conditions = choices(terms, &values);
        for case in 0..1_u32 << conditions.len() {
            let chosen = |condition: TermId| {
                let position = conditions.iter().position(|known| *known == condition)?;
                Some(case >> position & 1 == 1)
            };
            let numbers =
                values.iter().filter_map(|(symbol, value)| Some((*symbol, number(terms, *value, &chosen)?)));
            let start: Start = numbers.collect();
            if !start.is_empty() && !found.contains(&start) && found.len() < MAX_STARTS {
                found.push(start);
            }
        }
    }
    found
}

/// Conditions on which it depends with which values a transition enters a loop; few, if there are more.
pub fn conditions(terms: &Terms, transition: &Transition) -> Vec<TermId> {
    choices(terms, &values(terms, transition))
}

fn values(terms: &Terms, transition: &Transition) -> Vec<(SymbolId, TermId)> {
    let integers = transition.update.iter().filter(|(symbol, _)| terms.symbol(**symbol).sort == Sort::Int);
    integers.map(|(symbol, value)| (*symbol, *value)).collect()
}

/// The first conditions of choices between numbers.
fn choices(terms: &Terms, values: &[(SymbolId, TermId)]) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    for (_, value) in values {
        if let Node::Ite(condition, _, _) = *terms.node(*value)
            && found.len() < MAX_CONDITIONS
            && !found.contains(&condition)
        {
            found.push(condition);
        }
    }
    found
}

/// The number that a value is if conditions are as chosen.
fn number(terms: &Terms, mut value: TermId, chosen: &dyn Fn(TermId) -> Option<bool>) -> Option<Integer> {
    loop {
        match terms.node(value) {
            Node::Number(number) => return Some(number.clone()),
            Node::Ite(condition, yes, no) => value = if chosen(*condition)? { *yes } else { *no },
            _ => return None,
        }
    }
}
