//! Projection of one cube onto a few of its symbols, led by a model.
//!
//! # Paper
//! Loos-Weispfenning virtual substitution as in model-based projection ([Recmc14] §5 for rationals): of all lower bounds of a symbol to
//! be eliminated the one that is greatest in the model takes its place.
//!
//! # Invariants
//! * J1: the result contains the model's point, and only points that the cube without its divisibilities has over the rationals.

use std::collections::BTreeSet;

use term::{Constraint as Atom, Cube, Evaluator, Integer, Linear, Model, SymbolId, TermId, Terms};

use super::Constraint;

/// Constraints over the symbols `keep`, in that order, that the model satisfies and that the cube allows. Literals that are not
/// linear arithmetic, and divisibilities, are dropped.
pub fn project(terms: &mut Terms, cube: &Cube, model: &Model, keep: &[SymbolId]) -> Vec<Constraint> {
    let columns: Vec<TermId> = keep.iter().map(|symbol| terms.of_symbol(*symbol)).collect();
    let mut rows = Rows::new(cube);
    let mut evaluator = Evaluator::new(terms, model);
    let all: BTreeSet<TermId> = rows.columns();
    for column in all {
        if !columns.contains(&column) {
            rows.eliminate(column, &mut evaluator);
        }
    }
    let coefficients = |form: &Linear, sign: &Integer| -> Vec<Integer> {
        columns.iter().map(|column| form.coefficient(*column) * sign.clone()).collect()
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
    rows.equations.iter().map(equation).chain(rows.bounds.iter().map(inequation)).collect()
}

/// Equations `form = 0` and bounds `form <= 0`.
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
        let projected = project(&mut terms, &cube, &model, &[y, z]);
        assert_eq!(projected.len(), 1);
        let row: Vec<_> = projected[0].coefficients.iter().map(Integer::to_i64).collect();
        assert_eq!(row, [Some(-1), Some(1)]);
        assert_eq!(projected[0].constant.to_i64(), Some(-2));
    }
}
