//! Which value to substitute for a symbol, given constraints that a model satisfies.
//!
//! # Paper
//! [RecMC] appendix G, equation (11).
//!
//! # Invariants
//! * I1: the fraction chosen is an integer in the model, and putting it in the symbol's place keeps all constraints
//!   satisfied by the model.
//! * I2: for one set of constraints only finitely many fractions can be chosen, over all models: there are finitely
//!   many bounds, residues and offsets.

use std::cmp::Reverse;

use term::{Constraint, Evaluator, Fraction, Integer, Linear, TermId};

/// A bound `coefficient · symbol ≥ form` or `≤ form`; the coefficient is positive.
struct Bound {
    coefficient: Integer,
    form: Linear,
}

/// The value for `symbol` (as a term).
pub(super) fn choose(constraints: &[Constraint], symbol: TermId, model: &mut Evaluator<'_>) -> Fraction {
    let (mut lower, mut upper): (Vec<Bound>, Vec<Bound>) = (Vec::new(), Vec::new());
    let mut equation: Option<Bound> = None;
    let mut period = Integer::ONE;
    for constraint in constraints {
        let coefficient = constraint.form().coefficient(symbol);
        if coefficient.is_zero() {
            continue;
        }
        let rest = constraint.form().without(symbol);
        let (size, is_negative) = (coefficient.abs(), coefficient.is_negative());
        // a·x + t = 0 is |a|·x = t for negative a, and |a|·x = -t for positive a; likewise for the bounds.
        let form = if is_negative { rest } else { rest.negate() };
        match constraint {
            Constraint::Zero(_) => {
                if equation.as_ref().is_none_or(|known| size < known.coefficient) {
                    equation = Some(Bound { coefficient: size, form });
                }
            }
            Constraint::AtMost(_) if is_negative => lower.push(Bound { coefficient: size, form }),
            Constraint::AtMost(_) => upper.push(Bound { coefficient: size, form }),
            Constraint::Divides(divisor, _) => period = period.lcm(&divisor.div_floor(&divisor.gcd(&size))),
        }
    }
    if let Some(Bound { coefficient, form }) = equation {
        return Fraction { numerator: form, denominator: coefficient };
    }
    let now = model.int(symbol);
    if lower.is_empty() && upper.is_empty() {
        return Fraction::whole(Linear::constant(now.modulo(&period)));
    }
    if upper.is_empty() || (!lower.is_empty() && lower.len() <= upper.len()) {
        above(lower, &now, &period, model)
    } else {
        below(upper, &now, &period, model)
    }
}

/// The greatest lower bound, rounded up, plus the offset that the symbol has from it modulo the period.
fn above(bounds: Vec<Bound>, now: &Integer, period: &Integer, model: &mut Evaluator<'_>) -> Fraction {
    let valued = bounds.into_iter().map(|bound| {
        let value = value_of(&bound.form, model);
        (value.div_ceil(&bound.coefficient), value, bound)
    });
    let tightest = valued.max_by_key(|(least, _, bound)| (least.clone(), Reverse(bound.coefficient.clone())));
    let (least, value, Bound { coefficient, form }) = tightest.expect("the caller should give a bound");
    let residue = (-value).modulo(&coefficient);
    let offset = (now - least).modulo(period);
    let numerator = form.add_constant(&(residue + &coefficient * &offset));
    Fraction { numerator, denominator: coefficient }
}

/// The least upper bound, rounded down, minus the offset that the symbol has from it modulo the period.
fn below(bounds: Vec<Bound>, now: &Integer, period: &Integer, model: &mut Evaluator<'_>) -> Fraction {
    let valued = bounds.into_iter().map(|bound| {
        let value = value_of(&bound.form, model);
        (value.div_floor(&bound.coefficient), value, bound)
    });
    let tightest = valued.min_by_key(|(most, _, bound)| (most.clone(), bound.coefficient.clone()));
    let (most, value, Bound { coefficient, form }) = tightest.expect("the caller should give a bound");
    let residue = value.modulo(&coefficient);
    let offset = (most - now).modulo(period);
    let numerator = form.add_constant(&-(residue + &coefficient * &offset));
    Fraction { numerator, denominator: coefficient }
}

pub(super) fn value_of(form: &Linear, model: &mut Evaluator<'_>) -> Integer {
    let mut sum = form.constant_part().clone();
    for (term, coefficient) in form.terms() {
        sum += &(coefficient * model.int(*term));
    }
    sum
}
