//! Increments modulo the period of machine integers.
//!
//! Where a variable may wrap around, what one iteration adds is a number or that number minus 2^32: a hull of both says nothing. Modulo
//! the period it is one number again. This domain finds linear equations between increments modulo a period.
//!
//! [Gps25] has no such domain; it has unbounded integers.
//!
//! # Invariants
//! * O1: an equation is returned only after the solver has shown that no iteration violates it, and that the periods listed are all by which
//!   its sides differ in one iteration.

use base::Stop;
use term::{Evaluator, Integer, Linear, Node, Sort, TermId, Terms};

use super::hull::equations;
use super::query::{Query, Reply};
use graph::transition::TransitionFormula;

/// The widths of types whose values may wrap around.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];
/// More periods than this in one iteration are too many.
const MOST_PERIODS: usize = 3;

/// `constant + Σ coefficient · increment` is a multiple of the period.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub(super) form: Vec<(usize, Integer)>,
    pub(super) constant: Integer,
    /// The multiples that one iteration has, as numbers of periods.
    pub(super) periods: Vec<Integer>,
}

/// The periods with which values of a body wrap around: choices between numbers that far apart.
pub(super) fn periods(terms: &Terms, body: &TransitionFormula) -> Vec<Integer> {
    let roots: Vec<TermId> = body.map.values().copied().collect();
    let mut found: Vec<Integer> = Vec::new();
    for term in terms.reachable(&roots) {
        let distance = match terms.node(term) {
            Node::Ite(_, yes, no) if terms.sort(*yes) == Sort::Int => {
                terms.linear(*yes).sub(&terms.linear(*no)).as_constant().map(Integer::abs)
            }
            Node::Mod(_, divisor) => Some(divisor.clone()),
            _ => None,
        };
        let period =
            distance.filter(|distance| WIDTHS.iter().any(|width| *distance == Integer::power_of_two(*width)));
        found.extend(period);
    }
    found.sort();
    found.dedup();
    found
}

/// The equations between increments that hold modulo a period and not without it.
pub(super) fn increments(
    query: &mut Query<'_>,
    period: &Integer,
    increments: &[TermId],
) -> Result<Vec<Equation>, Stop> {
    let mut found = Vec::new();
    for equation in equations(query, increments, Some(period))?.unwrap_or_default() {
        let mut sum = Linear::constant(equation.constant.clone());
        let mut form = Vec::new();
        for (at, coefficient) in equation.coefficients.into_iter().enumerate() {
            if !coefficient.is_zero() {
                sum = sum.add_scaled(&query.terms.linear(increments[at]), &coefficient);
                form.push((at, coefficient));
            }
        }
        let sum = query.terms.of_linear(&sum);
        if let Some(periods) = multiples(query, period, sum)? {
            let is_plain = periods.iter().all(Integer::is_zero);
            if !is_plain {
                found.push(Equation { form, constant: equation.constant, periods });
            }
        }
    }
    Ok(found)
}

/// The values of a term that is a multiple of the period, as numbers of periods.
fn multiples(query: &mut Query<'_>, period: &Integer, sum: TermId) -> Result<Option<Vec<Integer>>, Stop> {
    let mut values: Vec<Integer> = Vec::new();
    loop {
        let mut others = Vec::new();
        for value in &values {
            let value = query.terms.number(value * period);
            others.push(query.terms.ne(sum, value));
        }
        let other = query.terms.and(others);
        match query.ask(other)? {
            Reply::Yes(_) if values.len() == MOST_PERIODS => return Ok(None),
            Reply::Yes(model) => {
                values.push(Evaluator::new(query.terms, &model).int(sum).div_floor(period));
            }
            Reply::No => return Ok(Some(values)),
            Reply::Unknown => return Ok(None),
        }
    }
}
