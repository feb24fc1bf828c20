//! Bounds of a linear term over the models of a formula.
//!
//! The greatest value that a model's projection allows is found without search; then the solver is asked for a
//! greater one. There are finitely many projections, so this ends, and with the exact integer bound.

use base::Budget;
use term::{Constraint, Integer, Linear, Model, Sort, SymbolKind, TermId, Terms};

use super::{Failure, project_model};
use crate::{Answer, Solver};

/// How large a term can get.
#[derive(Clone, Debug)]
pub enum Optimum {
    /// Not at all: the formula has no model.
    Infeasible,
    /// Up to this value, which it has in the model.
    Bounded(Integer, Model),
    /// Without bound.
    Unbounded,
    /// It was not found out. If there is a value, the term can get that large.
    Unknown(Option<Integer>, Failure),
}

/// How large `objective`, an integer term, can get where `formula` and the solver's assertions hold. The assertions
/// should say nothing more about the formula's symbols than the formula does.
pub fn maximise(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    formula: TermId,
    objective: TermId,
    budget: &mut Budget,
) -> Optimum {
    solver.push();
    solver.assert(terms, formula);
    let optimum = climb(solver, terms, formula, objective, budget);
    solver.pop();
    optimum
}

/// How small `objective` can get; otherwise as [`maximise`].
pub fn minimise(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    formula: TermId,
    objective: TermId,
    budget: &mut Budget,
) -> Optimum {
    let opposite = terms.neg(objective);
    match maximise(solver, terms, formula, opposite, budget) {
        Optimum::Bounded(value, model) => Optimum::Bounded(-value, model),
        Optimum::Unknown(value, failure) => Optimum::Unknown(value.map(|value| -value), failure),
        other @ (Optimum::Infeasible | Optimum::Unbounded) => other,
    }
}

fn climb(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    formula: TermId,
    objective: TermId,
    budget: &mut Budget,
) -> Optimum {
    // The value to project on needs a name that occurs nowhere else.
    let value = terms.fresh("objective", Sort::Int, SymbolKind::Auxiliary);
    let value_term = terms.of_symbol(value);
    let named = terms.eq(value_term, objective);
    let defined = terms.and([formula, named]);
    let symbols: Vec<_> = terms.symbols_of(defined).into_iter().filter(|symbol| *symbol != value).collect();
    let mut best: Option<(Integer, Model)> = None;
    loop {
        let mut assumptions = Vec::new();
        if let Some((reached, _)) = &best {
            let reached = terms.number(reached.clone());
            assumptions.push(terms.gt(objective, reached));
        }
        let reached = best.as_ref().map(|(reached, _)| reached.clone());
        match solver.check(terms, &assumptions, budget) {
            Answer::Unknown(why) => return Optimum::Unknown(reached, why.into()),
            Answer::Unsat(_) => {
                return best.map_or(Optimum::Infeasible, |(value, model)| Optimum::Bounded(value, model));
            }
            Answer::Sat(model) => {
                let now = term::Evaluator::new(terms, &model).int(objective);
                let mut named_model = model.clone();
                named_model.set_int(value, now.clone());
                match project_model(terms, defined, &symbols, &named_model) {
                    Err(failure) => return Optimum::Unknown(reached.or(Some(now)), failure),
                    Ok(cube) => match greatest(&cube.constraints, value_term) {
                        None => return Optimum::Unbounded,
                        Some(greatest) if greatest <= now => best = Some((now, model)),
                        Some(greatest) => match reach(solver, terms, objective, &greatest, budget) {
                            Some(model) => best = Some((greatest, model)),
                            None => best = Some((now, model)),
                        },
                    },
                }
            }
        }
    }
}

/// A model in which the objective has the given value.
fn reach(
    solver: &mut dyn Solver,
    terms: &mut Terms,
    objective: TermId,
    value: &Integer,
    budget: &mut Budget,
) -> Option<Model> {
    let value = terms.number(value.clone());
    let equal = terms.eq(objective, value);
    match solver.check(terms, &[equal], budget) {
        Answer::Sat(model) => Some(model),
        Answer::Unsat(_) | Answer::Unknown(_) => None,
    }
}

/// The greatest integer that satisfies constraints over one symbol; nothing if they do not bound it from above.
fn greatest(constraints: &[Constraint], symbol: TermId) -> Option<Integer> {
    let (mut most, mut period): (Option<Integer>, Integer) = (None, Integer::ONE);
    for constraint in constraints {
        let coefficient = constraint.form().coefficient(symbol);
        let opposite = -constraint.form().constant_part();
        let bound = match constraint {
            Constraint::Zero(_) => return Some(opposite.div_floor(&coefficient)),
            Constraint::AtMost(_) if coefficient.is_positive() => opposite.div_floor(&coefficient),
            Constraint::AtMost(_) => continue,
            Constraint::Divides(divisor, _) => {
                period = period.lcm(divisor);
                continue;
            }
        };
        most = Some(most.map_or(bound.clone(), |most| most.min(bound)));
    }
    let most = most?;
    // Walk down to a value with the right residues; the period is small, or the model's value is taken instead.
    let fits = |value: &Integer| {
        constraints.iter().all(|constraint| match constraint {
            Constraint::Divides(divisor, form) => divisor.divides(&at(form, symbol, value)),
            Constraint::AtMost(form) => !at(form, symbol, value).is_positive(),
            Constraint::Zero(form) => at(form, symbol, value).is_zero(),
        })
    };
    let mut value = most.clone();
    let steps = period.to_i64().unwrap_or(i64::MAX).min(10_000);
    for _ in 0..steps {
        if fits(&value) {
            return Some(value);
        }
        value = value - Integer::ONE;
    }
    // Too long a walk: any value that is not above the bound makes progress with the model's own value.
    Some(most - period)
}

fn at(form: &Linear, symbol: TermId, value: &Integer) -> Integer {
    form.coefficient(symbol) * value + form.constant_part()
}
