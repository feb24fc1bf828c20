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
//!
//! # Cost
//! For each period that occurs in the loop body about as many questions as variables change, and up to [`MAX_PERIODS`] + 1 for each equation.

use base::Stop;
use term::{Evaluator, Integer, Linear, Sort, SymbolKind, TermId};

use super::StarDomain;
use super::increments::Changes;
use crate::star::hull::equations;
use crate::star::loop_body::{LoopBody, Reply};
use crate::star::partial::{MAX_CHOICES, PartialStar, StarFacts, Witnessed};
use crate::star::wrap_around::periods;

/// More periods than this in one iteration are too many.
const MAX_PERIODS: usize = 3;

/// The domain.
pub(super) struct ModularIncrements;

impl StarDomain for ModularIncrements {
    fn name(&self) -> &'static str {
        "modular increments"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let Changes { increments, totals } = Changes::new(body, star);
        let mut found = StarFacts::default();
        let mut choices = star.more.len();
        for period in periods(body.terms, &body.definition.formula) {
            for equation in modular_equations(body, &period, &increments)? {
                if choices * equation.periods.len() <= MAX_CHOICES {
                    choices *= equation.periods.len();
                    found.any.push(equation.of_totals(body, star, &totals, &period));
                }
            }
        }
        Ok(found)
    }
}

/// `constant + Σ coefficient · increment` is a multiple of the period.
#[derive(Clone, Debug)]
struct Equation {
    form: Vec<(usize, Integer)>,
    constant: Integer,
    /// The multiples that one iteration has, as numbers of periods.
    periods: Vec<Integer>,
}

impl Equation {
    /// The equation of all iterations: by how many periods its sides differ is a Skolem constant.
    fn of_totals(
        &self,
        body: &mut LoopBody<'_>,
        star: &PartialStar,
        totals: &[TermId],
        period: &Integer,
    ) -> Witnessed {
        let terms = &mut *body.terms;
        let mut sum = terms.linear(star.count).scale(&self.constant);
        for (at, coefficient) in &self.form {
            sum = sum.add_scaled(&terms.linear(totals[*at]), coefficient);
        }
        let symbol = terms.fresh("wraps", Sort::Int, SymbolKind::Wraps);
        let (wraps, none) = (terms.of_symbol(symbol), terms.int(0));
        let sum = terms.of_linear(&sum);
        let expected = terms.scale(period, wraps);
        // Without an iteration, too: it determines the constant.
        let fact = terms.eq(sum, expected);
        let mut more = Vec::new();
        for number in &self.periods {
            let number = terms.number(number.clone());
            more.push(terms.add(wraps, number));
        }
        Witnessed { symbol, fact, none, more }
    }
}

/// The equations between increments that hold modulo a period and not without it.
fn modular_equations(
    body: &mut LoopBody<'_>,
    period: &Integer,
    increments: &[TermId],
) -> Result<Vec<Equation>, Stop> {
    let mut found = Vec::new();
    for equation in equations(body, increments, Some(period))?.unwrap_or_default() {
        let mut sum = Linear::constant(equation.constant.clone());
        let mut form = Vec::new();
        for (at, coefficient) in equation.coefficients.into_iter().enumerate() {
            if !coefficient.is_zero() {
                sum = sum.add_scaled(&body.terms.linear(increments[at]), &coefficient);
                form.push((at, coefficient));
            }
        }
        let sum = body.terms.of_linear(&sum);
        if let Some(periods) = multiples(body, period, sum)? {
            let is_plain = periods.iter().all(Integer::is_zero);
            if !is_plain {
                found.push(Equation { form, constant: equation.constant, periods });
            }
        }
    }
    Ok(found)
}

/// The values of a term that is a multiple of the period, as numbers of periods.
fn multiples(body: &mut LoopBody<'_>, period: &Integer, sum: TermId) -> Result<Option<Vec<Integer>>, Stop> {
    let mut values: Vec<Integer> = Vec::new();
    loop {
        let mut others = Vec::new();
        for value in &values {
            let value = body.terms.number(value * period);
            others.push(body.terms.ne(sum, value));
        }
        let other = body.terms.and(others);
        match body.ask(other)? {
            Reply::Yes(_) if values.len() == MAX_PERIODS => return Ok(None),
            Reply::Yes(model) => {
                values.push(Evaluator::new(body.terms, &model).int(sum).div_floor(period));
            }
            Reply::No => return Ok(Some(values)),
            Reply::Unknown => return Ok(None),
        }
    }
}
