//! Which value to substitute for a symbol, given constraints that a model satisfies.
//!
//! # Paper
//! [Recmc14] appendix G, equation (11).
//!
//! # Invariants
//! * I1: a fraction chosen is an integer in the model; putting the choice in the symbol's place keeps all constraints
//!   satisfied by the model.
//! * I2: for one set of constraints only finitely many choices are possible, over all models: there are finitely many
//!   bounds, residues and offsets.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use term::{Constraint, Evaluator, Fraction, Integer, Linear, TermId};

/// A bound `coefficient · symbol ≥ form` or `≤ form`; the coefficient is positive.
pub(super) struct Bound {
    pub(super) coefficient: Integer,
    pub(super) form: Linear,
}

/// What to put in a symbol's place.
pub(super) enum Choice {
    /// A value.
    Value(Fraction),
    /// A value beyond all bounds, with this residue for all divisors.
    Beyond(Direction, Integer),
}

/// Where values beyond all bounds are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
}

/// The choice for `symbol` (as a term). With bounds of one kind only, the choice is beyond them: equation (10).
pub(super) fn choose(constraints: &[Constraint], symbol: TermId, model: &mut Evaluator<'_>) -> Choice {
    let occurrences = Occurrences::collect(constraints, symbol);
    let now = model.int(symbol);
    let residue = now.modulo(&occurrences.period);
    match (&occurrences.equation, occurrences.lower.is_empty(), occurrences.upper.is_empty()) {
        (None, true, _) => Choice::Beyond(Direction::Down, residue),
        (None, false, true) => Choice::Beyond(Direction::Up, residue),
        (Some(_), ..) | (None, false, false) => Choice::Value(occurrences.value(&now, model)),
    }
}

/// As [`choose`], but always a value.
pub(super) fn choose_value(
    constraints: &[Constraint],
    symbol: TermId,
    model: &mut Evaluator<'_>,
) -> Fraction {
    let now = model.int(symbol);
    Occurrences::collect(constraints, symbol).value(&now, model)
}

/// The symbol (as a term) with the fewest possible choices, by its position in `open`. One pass over the constraints.
pub(super) fn cheapest(constraints: &[Constraint], open: &[TermId]) -> Option<usize> {
    let mut costs: FxHashMap<TermId, Cost> = open.iter().map(|symbol| (*symbol, Cost::default())).collect();
    for constraint in constraints {
        for (term, coefficient) in constraint.form().terms() {
            if let Some(cost) = costs.get_mut(term) {
                cost.add(constraint, coefficient);
            }
        }
    }
    let total = |symbol: TermId| costs.get(&symbol).map(Cost::total);
    (0..open.len()).min_by_key(|index| (total(open[*index]), open[*index]))
}

/// How many choices a symbol may have.
struct Cost {
    equation: Option<Integer>,
    lower: Integer,
    upper: Integer,
    period: Integer,
}

impl Default for Cost {
    fn default() -> Self {
        Self { equation: None, lower: Integer::ZERO, upper: Integer::ZERO, period: Integer::ONE }
    }
}

impl Cost {
    fn add(&mut self, constraint: &Constraint, coefficient: &Integer) {
        let size = coefficient.abs();
        match constraint {
            Constraint::Zero(_) => {
                let least = self.equation.take().map_or(size.clone(), |known| known.min(size));
                self.equation = Some(least);
            }
            Constraint::AtMost(_) if coefficient.is_negative() => self.lower += &size,
            Constraint::AtMost(_) => self.upper += &size,
            Constraint::Divides(divisor, _) => {
                self.period = self.period.lcm(&divisor.div_floor(&divisor.gcd(&size)));
            }
        }
    }

    fn total(&self) -> Integer {
        match &self.equation {
            Some(coefficient) => coefficient.clone(),
            None if self.lower.is_zero() || self.upper.is_zero() => self.period.clone(),
            None => self.lower.clone().min(self.upper.clone()) * &self.period,
        }
    }
}

/// How many residues the bounds distinguish.
pub(super) fn weight(bounds: &[Bound]) -> Integer {
    bounds.iter().fold(Integer::ZERO, |sum, bound| sum + &bound.coefficient)
}

/// Where a symbol occurs.
pub(super) struct Occurrences {
    /// What the symbol is at least.
    pub(super) lower: Vec<Bound>,
    /// What the symbol is at most.
    pub(super) upper: Vec<Bound>,
    /// The equation with the smallest coefficient.
    pub(super) equation: Option<Bound>,
    /// The least common multiple of what the divisors are for the symbol itself.
    pub(super) period: Integer,
}

impl Occurrences {
    pub(super) fn collect(constraints: &[Constraint], symbol: TermId) -> Self {
        let mut found = Self { lower: Vec::new(), upper: Vec::new(), equation: None, period: Integer::ONE };
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
                    if found.equation.as_ref().is_none_or(|known| size < known.coefficient) {
                        found.equation = Some(Bound { coefficient: size, form });
                    }
                }
                Constraint::AtMost(_) if is_negative => found.lower.push(Bound { coefficient: size, form }),
                Constraint::AtMost(_) => found.upper.push(Bound { coefficient: size, form }),
                Constraint::Divides(divisor, _) => {
                    found.period = found.period.lcm(&divisor.div_floor(&divisor.gcd(&size)));
                }
            }
        }
        found
    }

    fn value(self, now: &Integer, model: &mut Evaluator<'_>) -> Fraction {
        let Self { lower, upper, equation, period } = self;
        if let Some(Bound { coefficient, form }) = equation {
            return Fraction { numerator: form, denominator: coefficient };
        }
        if lower.is_empty() && upper.is_empty() {
            return Fraction::whole(Linear::constant(now.modulo(&period)));
        }
        if upper.is_empty() || (!lower.is_empty() && weight(&lower) <= weight(&upper)) {
            above(lower, now, &period, model)
        } else {
            below(upper, now, &period, model)
        }
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

fn value_of(form: &Linear, model: &mut Evaluator<'_>) -> Integer {
    let mut sum = form.constant_part().clone();
    for (term, coefficient) in form.terms() {
        sum += &(coefficient * model.int(*term));
    }
    sum
}
