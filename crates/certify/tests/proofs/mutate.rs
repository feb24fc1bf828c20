//! Proofs with one small change.

use cfa::VarId;
use term::{BvOp, Integer};
use values::state::State;
use values::value::Value;
use verdict::formula::{FormulaNode, Operator};
use verdict::{Annotation, Formula, Instance};

/// The most nodes of one formula that are changed.
const MAX_NODES: usize = 16;

/// A changed proof, and what was changed.
pub(crate) struct Mutant {
    pub(crate) what: String,
    pub(crate) annotation: Annotation,
}

/// All mutants of a proof.
pub(crate) fn mutants(annotation: &Annotation) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for place in annotation.locations() {
        let invariant = &annotation.invariants[&place];
        let mut add = |what: String, change: &dyn Fn(&mut verdict::Invariant)| {
            let mut annotation = annotation.clone();
            if let Some(invariant) = annotation.invariants.get_mut(&place) {
                change(invariant);
            }
            mutants.push(Mutant { what: format!("{place:?}: {what}"), annotation });
        };
        match &invariant.facts {
            Some(state) => {
                add("never reached".to_owned(), &|invariant| invariant.facts = None);
                for (what, state) in changed_facts(state) {
                    add(what, &|invariant| invariant.facts = Some(state.clone()));
                }
            }
            None => add("reached".to_owned(), &|invariant| invariant.facts = Some(State::new())),
        }
        for (what, never) in changed(&invariant.never) {
            add(what, &|invariant| invariant.never = never.clone());
        }
        for (number, instance) in invariant.instances.iter().enumerate() {
            add(format!("without instance {number}"), &|invariant| {
                invariant.instances.remove(number);
            });
            for (what, changed) in changed_instances(instance) {
                add(format!("instance {number} {what}"), &|invariant| {
                    invariant.instances[number] = changed.clone();
                });
            }
        }
    }
    mutants.extend(swapped(annotation));
    mutants.retain(|mutant| mutant.annotation != *annotation);
    mutants
}

/// The invariants of two locations in each other's place.
fn swapped(annotation: &Annotation) -> Vec<Mutant> {
    let places: Vec<_> = annotation.locations().collect();
    let mut mutants = Vec::new();
    for (number, first) in places.iter().enumerate() {
        for second in &places[number + 1..] {
            let mut annotation = annotation.clone();
            let (one, other) = (annotation.invariants[first].clone(), annotation.invariants[second].clone());
            annotation.invariants.insert(*first, other);
            annotation.invariants.insert(*second, one);
            mutants.push(Mutant { what: format!("{first:?} and {second:?} swapped"), annotation });
        }
    }
    mutants
}

fn changed_facts(state: &State) -> Vec<(String, State)> {
    let mut found = Vec::new();
    for (var, value) in state.iter() {
        let mut without = state.clone();
        without.forget(var);
        found.push((format!("nothing known of {var}"), without));
        let (low, high) = (value.low(), value.high());
        for (low, high) in [(low - 1, high), (low, high + 1), (low + 1, high), (low, high - 1)] {
            found.extend(claimed(state, var, Value::range(low, high)));
        }
        found.extend(claimed(state, var, Value::range(low, high)));
    }
    found
}

fn claimed(state: &State, var: VarId, value: Option<Value>) -> Option<(String, State)> {
    let mut changed = state.clone();
    changed.claim(var, value?);
    Some((format!("{var} in {value:?}"), changed))
}

fn changed_instances(instance: &Instance) -> Vec<(String, Instance)> {
    let mut found = Vec::new();
    for (symbol, formula) in instance {
        let mut without = instance.clone();
        without.remove(symbol);
        found.push((format!("without {symbol:?}"), without));
        for (what, formula) in changed(formula).into_iter().take(2) {
            let mut other = instance.clone();
            other.insert(symbol.clone(), formula);
            found.push((format!("{symbol:?}: {what}"), other));
        }
    }
    found
}

/// A formula with one node changed: replaced by a truth value, negated, or with another number.
fn changed(formula: &Formula) -> Vec<(String, Formula)> {
    let positions = formula.reachable();
    let step = positions.len().div_ceil(MAX_NODES).max(1);
    let mut found = Vec::new();
    for position in positions.into_iter().rev().step_by(step) {
        let node = &formula.nodes()[position as usize];
        let leaf = |operator| FormulaNode { operator, operands: Box::default() };
        let with = |operator| FormulaNode { operator, operands: node.operands.clone() };
        let mut nodes = Vec::new();
        match &node.operator {
            Operator::True => nodes.push(leaf(Operator::False)),
            Operator::False => nodes.push(leaf(Operator::True)),
            Operator::Not
            | Operator::And
            | Operator::Or
            | Operator::AtMostZero
            | Operator::IsZero
            | Operator::Same
            | Operator::Divides(_)
            | Operator::OnVectors(BvOp::Ult | BvOp::Ule | BvOp::Slt | BvOp::Sle) => {
                nodes.extend([leaf(Operator::True), leaf(Operator::False)]);
                found.extend(
                    negated(formula, position).map(|formula| (format!("node {position} negated"), formula)),
                );
            }
            Operator::Number(value) => nodes.push(with(Operator::Number(value + &Integer::from(1)))),
            Operator::Vector(width, value) => {
                nodes.push(with(Operator::Vector(*width, value + &Integer::from(1))));
            }
            Operator::OnVectors(BvOp::Add) => nodes.push(with(Operator::OnVectors(BvOp::Sub))),
            Operator::OnVectors(BvOp::And) => nodes.push(with(Operator::OnVectors(BvOp::Or))),
            Operator::OnVectors(BvOp::Xor) => nodes.push(with(Operator::OnVectors(BvOp::Or))),
            Operator::OnVectors(BvOp::Shl) => nodes.push(with(Operator::OnVectors(BvOp::Lshr))),
            Operator::Sum { constant, coefficients } => {
                for change in [1, -1] {
                    let constant = constant + &Integer::from(change);
                    nodes.push(with(Operator::Sum { constant, coefficients: coefficients.clone() }));
                }
            }
            _ => {}
        }
        if let Operator::And | Operator::Or = node.operator {
            for dropped in 0..node.operands.len() {
                let mut operands = node.operands.to_vec();
                operands.remove(dropped);
                nodes.push(FormulaNode { operator: node.operator.clone(), operands: operands.into() });
            }
        }
        for node in nodes {
            let what = format!("node {position} becomes {node:?}");
            let mut all = formula.nodes().to_vec();
            all[position as usize] = node;
            found.extend(Formula::new(all, formula.root()).map(|formula| (what, formula)));
        }
    }
    found
}

/// A formula with one node negated.
fn negated(formula: &Formula, position: u32) -> Option<Formula> {
    let mut nodes: Vec<FormulaNode> = Vec::new();
    let mut moved: Vec<u32> = Vec::new();
    for (number, node) in formula.nodes().iter().enumerate() {
        let operands = node.operands.iter().map(|operand| moved[*operand as usize]).collect();
        nodes.push(FormulaNode { operator: node.operator.clone(), operands });
        if number == position as usize {
            nodes.push(FormulaNode { operator: Operator::Not, operands: [nodes.len() as u32 - 1].into() });
        }
        moved.push(nodes.len() as u32 - 1);
    }
    Formula::new(nodes, moved[formula.root() as usize])
}
