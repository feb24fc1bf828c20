//! The smallest inputs of a path, by asking the solver.
//!
//! # Method
//! The sum of the magnitudes of all inputs is bounded, first just below what it is, then by bisection between what was refuted and what was
//! found.
//!
//! # Invariants
//! * R1: one path, one result: effort is counted in queries and in the solver's units, never in time. The clock ends the work; what was found
//!   until then is kept.

use std::collections::BTreeMap;

use base::Budget;
use smt::{Answer, Solver, Z3, Z3Settings};
use term::{Integer, Model, Node, Sort, SymbolKind, TermId, Terms};

use super::path::{Input, Path};

/// Questions about one path.
const MOST_QUERIES: u32 = 60;
/// The solver's units for one of them.
const QUERY_EFFORT: u32 = 500_000;
/// More inputs than these are not summed up.
const MOST_INPUTS: usize = 200;
/// Of the models found, as many are handed out.
const MOST_MODELS: usize = 3;

/// What was asked and found.
#[derive(Default)]
pub(super) struct Smaller {
    /// Other values for inputs, by their index, the smallest ones first.
    pub(super) candidates: Vec<Vec<(usize, Integer)>>,
    /// How many questions that took.
    pub(super) queries: u32,
}

/// Smaller inputs along a path.
pub(super) fn smaller(path: Path, budget: &mut Budget) -> Smaller {
    let Path { mut terms, conditions, inputs } = path;
    if inputs.len() > MOST_INPUTS {
        return Smaller::default();
    }
    let least = least_sum(&terms, &conditions);
    let reached = inputs.iter().fold(Integer::ZERO, |sum, input| sum + input.value.abs());
    if least >= reached {
        return Smaller::default();
    }
    let solvers = Z3::new(Z3Settings { query_effort: Some(QUERY_EFFORT), ..Z3Settings::default() });
    let mut solver = solvers.z3_solver();
    for condition in &conditions {
        solver.assert(&terms, *condition);
    }
    let sum = magnitudes(&mut terms, &mut solver, &inputs);
    let mut models = descend(&mut terms, &mut solver, sum, Span { least, reached }, &inputs, budget);
    models.reverse();
    models.truncate(MOST_MODELS);
    let values = |model: &Model| inputs.iter().map(|input| (input.index, model.int(input.symbol))).collect();
    let queries = u32::try_from(solver.statistics().queries).unwrap_or(u32::MAX);
    Smaller { candidates: models.iter().map(values).collect(), queries }
}

/// No sum below the least is possible, one as large as what was reached is.
struct Span {
    least: Integer,
    reached: Integer,
}

/// What conditions on single inputs say about how small the sum of all magnitudes can be.
fn least_sum(terms: &Terms, conditions: &[TermId]) -> Integer {
    let mut least: BTreeMap<TermId, Integer> = BTreeMap::new();
    for condition in conditions {
        let (sum, is_equation) = match *terms.node(*condition) {
            Node::Le(sum) => (sum, false),
            Node::Zero(sum) => (sum, true),
            _ => continue,
        };
        let form = terms.linear(sum);
        let ([(input, coefficient)], constant) = (form.terms(), form.constant_part()) else { continue };
        // A multiple of the input and a positive constant are at most zero: the input is that far from zero.
        if matches!(terms.node(*input), Node::Symbol(_)) && (constant.is_positive() || is_equation) {
            let magnitude = constant.abs().div_ceil(&coefficient.abs());
            let known = least.entry(*input).or_insert(Integer::ZERO);
            *known = magnitude.max(known.clone());
        }
    }
    least.into_values().fold(Integer::ZERO, |sum, magnitude| sum + magnitude)
}

/// Models with ever smaller sums.
fn descend(
    terms: &mut Terms,
    solver: &mut dyn Solver,
    sum: TermId,
    Span { mut least, mut reached }: Span,
    inputs: &[Input],
    budget: &mut Budget,
) -> Vec<Model> {
    let mut models = Vec::new();
    let mut bound = &reached - &Integer::ONE;
    for _ in 0..MOST_QUERIES {
        if least >= reached {
            break;
        }
        let limit = terms.number(bound.clone());
        let is_smaller = terms.le(sum, limit);
        solver.push();
        solver.assert(terms, is_smaller);
        let answer = solver.check(terms, &[], budget);
        solver.pop();
        match answer {
            Answer::Sat(model) => {
                reached = inputs.iter().fold(Integer::ZERO, |sum, input| sum + model.int(input.symbol).abs());
                models.push(model);
            }
            Answer::Unsat(_) => least = bound + Integer::ONE,
            Answer::Unknown(_) => break,
        }
        bound = (&least + &reached - Integer::ONE).div_floor(&Integer::from(2));
    }
    models
}

/// The sum of the magnitudes of inputs, of which only the needed part is asserted in the solver.
fn magnitudes(terms: &mut Terms, solver: &mut dyn Solver, inputs: &[Input]) -> TermId {
    let mut parts = Vec::with_capacity(inputs.len());
    for input in inputs {
        let value = terms.of_symbol(input.symbol);
        let symbol = terms.fresh("magnitude", Sort::Int, SymbolKind::Auxiliary);
        let magnitude = terms.of_symbol(symbol);
        let opposite = terms.neg(value);
        for side in [value, opposite] {
            let is_above = terms.ge(magnitude, side);
            solver.assert(terms, is_above);
        }
        parts.push(magnitude);
    }
    terms.sum(parts)
}
