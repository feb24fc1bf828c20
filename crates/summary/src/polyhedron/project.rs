//! Projection of one cube onto a few of its symbols, led by a model.
//!
//! # Paper
//! Loos-Weispfenning virtual substitution as in model-based projection ([Recmc14] §5 for rationals): of all lower bounds of a symbol to
//! be eliminated the one that is greatest in the model takes its place.
//!
//! # Invariants
//! * J1: the result contains the model's point, and only points that the cube without its divisibilities has over the rationals.
//!
//! # Cost
//! For each eliminated symbol one pass over the rows; the number of rows never grows, since the model chooses one bound.

use std::collections::BTreeSet;

use term::{Constraint as Atom, Cube, Evaluator, Integer, Linear, Model, SymbolId, TermId, Terms};

use super::Constraint;

/// What a cube allows of some symbols around a model. Literals that are not linear arithmetic, and divisibilities, are dropped.
#[derive(Clone, Debug)]
pub struct Projection {
    rows: Rows,
    columns: Vec<TermId>,
}

impl Projection {
    /// The projection on the symbols `keep`, which are the dimensions in that order. The model satisfies the cube.
    pub fn new(terms: &mut Terms, cube: &Cube, model: &Model, keep: &[SymbolId]) -> Self {
        let columns: Vec<TermId> = keep.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
        let mut rows = Rows::new(cube);
        rows.eliminate_all_but(&columns, &mut Evaluator::new(terms, model));
        Self { rows, columns }
    }

    /// The projection as constraints.
    pub fn constraints(&self) -> Vec<Constraint> {
        let coefficients = |form: &Linear, sign: &Integer| -> Vec<Integer> {
            self.columns.iter().map(|column| form.coefficient(*column) * sign.clone()).collect()
        };
        let equation = |form: &Linear| Constraint {
            coefficients: coefficients(form, &Integer::ONE),
            constant: form.constant_part().clone(),
            equality: true,
        };
        // A row `form <= 0` is the constraint `-form >= 0`.
        let inequation = |form: &Linear| Constraint {
            coefficients: coefficients(form, &Integer::MINUS_ONE),
            constant: -form.constant_part(),
            equality: false,
        };
        self.rows.equations.iter().map(equation).chain(self.rows.bounds.iter().map(inequation)).collect()
    }

    /// An interval of integers that contains the value of `form` in the model and, but for rounding, only values that the projection
    /// allows; a side that is missing has no end. `form` is over the kept symbols; `name`, which occurs nowhere else, has its
    /// value in the model.
    pub fn range(
        &self,
        terms: &mut Terms,
        form: &Linear,
        name: SymbolId,
        model: &Model,
    ) -> (Option<Integer>, Option<Integer>) {
        let name = terms.of_symbol(name);
        let mut rows = self.rows.connected_to(form);
        rows.equations.push(form.sub(&Linear::monomial(name, Integer::ONE)));
        rows.eliminate_all_but(&[name], &mut Evaluator::new(terms, model));
        let (mut low, mut high): (Option<Integer>, Option<Integer>) = (None, None);
        let both = rows.equations.iter().flat_map(|row| [row.clone(), row.negate()]);
        for row in both.chain(rows.bounds.iter().cloned()) {
            // coefficient · name + constant <= 0
            let coefficient = row.coefficient(name);
            let opposite = -row.constant_part();
            if coefficient.is_positive() {
                let bound = opposite.div_floor(&coefficient);
                high = Some(high.map_or(bound.clone(), |high| high.min(bound)));
            } else if coefficient.is_negative() {
                let bound = row.constant_part().div_ceil(&-coefficient);
                low = Some(low.map_or(bound.clone(), |low| low.max(bound)));
            }
        }
        (low, high)
    }
}

/// Equations `form = 0` and bounds `form <= 0`.
#[derive(Clone, Debug)]
struct Rows {
    equations: Vec<Linear>,
    bounds: Vec<Linear>,
}

impl Rows {
    fn new(cube: &Cube) -> Self {
        let mut rows = Self { equations: Vec::new(), bounds: Vec::new() };
        for atom in &cube.constraints {
            match atom {
                Atom::AtMost(form) => rows.bounds.push(form.clone()),
                Atom::Zero(form) => rows.equations.push(form.clone()),
                Atom::Divides(..) => {}
            }
        }
        rows
    }

    fn columns(&self) -> BTreeSet<TermId> {
        self.equations
            .iter()
            .chain(&self.bounds)
            .flat_map(|row| row.terms().iter().map(|(column, _)| *column))
            .collect()
    }

    /// The rows that a form depends on: those that share a column with it, or with such a row.
    fn connected_to(&self, form: &Linear) -> Self {
        let mut columns: BTreeSet<TermId> = form.terms().iter().map(|(column, _)| *column).collect();
        let mut chosen = vec![false; self.equations.len() + self.bounds.len()];
        loop {
            let mut grown = false;
            for (row, chosen) in self.equations.iter().chain(&self.bounds).zip(&mut chosen) {
                if !*chosen && row.terms().iter().any(|(column, _)| columns.contains(column)) {
                    *chosen = true;
                    grown = true;
                    columns.extend(row.terms().iter().map(|(column, _)| *column));
                }
            }
            if !grown {
                break;
            }
        }
        let keep = |rows: &[Linear], chosen: &[bool]| {
            rows.iter().zip(chosen).filter(|(_, chosen)| **chosen).map(|(row, _)| row.clone()).collect()
        };
        let (of_equations, of_bounds) = chosen.split_at(self.equations.len());
        Self { equations: keep(&self.equations, of_equations), bounds: keep(&self.bounds, of_bounds) }
    }

    fn eliminate_all_but(&mut self, keep: &[TermId], evaluator: &mut Evaluator<'_>) {
        for column in self.columns() {
            if !keep.contains(&column) {
                self.eliminate(column, evaluator);
            }
        }
    }

    fn eliminate(&mut self, column: TermId, evaluator: &mut Evaluator<'_>) {
        let with_column = |row: &Linear| !row.coefficient(column).is_zero();
        if let Some(at) = self.equations.iter().position(with_column) {
            let pivot = self.equations.swap_remove(at);
            self.substitute(column, &pivot);
        } else if let Some(at) = self.greatest_lower_bound(column, evaluator) {
            let pivot = self.bounds.swap_remove(at);
            self.substitute(column, &pivot);
        } else {
            // Without lower bound the symbol may be as small as needed.
            self.bounds.retain(|row| row.coefficient(column).is_zero());
        }
    }

    /// Uses `pivot = 0` to remove a column.
    fn substitute(&mut self, column: TermId, pivot: &Linear) {
        let lead = pivot.coefficient(column);
        let (factor, pivot) =
            if lead.is_negative() { (-&lead, pivot.negate()) } else { (lead, pivot.clone()) };
        for row in self.equations.iter_mut().chain(&mut self.bounds) {
            let coefficient = row.coefficient(column);
            if !coefficient.is_zero() {
                // The row is scaled by a positive factor: its direction stays.
                *row = primitive(&row.scale(&factor).add_scaled(&pivot, &-coefficient));
            }
        }
        self.equations.retain(|row| row.as_constant().is_none());
        self.bounds.retain(|row| row.as_constant().is_none());
    }

    /// The bound `rest - b·x <= 0` whose `rest / b` is greatest in the model.
    fn greatest_lower_bound(&self, column: TermId, evaluator: &mut Evaluator<'_>) -> Option<usize> {
        let mut best: Option<(usize, Integer, Integer)> = None;
        for (at, row) in self.bounds.iter().enumerate() {
            let coefficient = row.coefficient(column);
            if !coefficient.is_negative() {
                continue;
            }
            let divisor = -coefficient;
            let rest = value(&row.without(column), evaluator);
            let better = best.as_ref().is_none_or(|(_, top, bottom)| &rest * bottom > top * &divisor);
            if better {
                best = Some((at, rest, divisor));
            }
        }
        best.map(|(at, _, _)| at)
    }
}

fn value(form: &Linear, evaluator: &mut Evaluator<'_>) -> Integer {
    let mut sum = form.constant_part().clone();
    for (column, coefficient) in form.terms() {
        sum += &(coefficient * &evaluator.int(*column));
    }
    sum
}

fn primitive(form: &Linear) -> Linear {
    let divisor = form.content().gcd(form.constant_part());
    if divisor > Integer::ONE {
        form.map(|coefficient| coefficient.div_floor(&divisor), form.constant_part().div_floor(&divisor))
    } else {
        form.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Sort, SymbolKind};

    #[test]
    fn the_greatest_lower_bound_in_the_model_is_substituted() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
        let [tx, ty, tz] = [x, y, z].map(|symbol| terms.of_symbol(symbol));
        // y < x, x < z, with x eliminated: y + 1 < z.
        let literals = [terms.lt(ty, tx), terms.lt(tx, tz)];
        let mut model = Model::new();
        for (symbol, value) in [(x, 5), (y, 1), (z, 9)] {
            model.set_int(symbol, value);
        }
        let cube = terms.linear_cube(&literals, &model);
        let projection = Projection::new(&mut terms, &cube, &model, &[y, z]);
        let projected = projection.constraints();
        assert_eq!(projected.len(), 1);
        let row: Vec<_> = projected[0].coefficients.iter().map(Integer::to_i64).collect();
        assert_eq!(row, [Some(-1), Some(1)]);
        assert_eq!(projected[0].constant.to_i64(), Some(-2));
        // z - y has a least value and no greatest.
        let name = terms.declare("objective", Sort::Int, SymbolKind::Auxiliary);
        model.set_int(name, 8);
        let difference = terms.sub(tz, ty);
        let form = terms.linear(difference);
        let (low, high) = projection.range(&mut terms, &form, name, &model);
        assert_eq!((low.and_then(|low| low.to_i64()), high), (Some(2), None));
    }
}
