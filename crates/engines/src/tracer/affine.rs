//! Linear equations between variables that a state and all iterations from it satisfy.
//!
//! The affine hull of states is spanned by as many of them as its dimension says, so models find it: each that breaks an equation is one more state. First those of the path to the head, then what iterations make
//! of states that satisfy the equations so far.
//!
//! # Invariants
//! * Q1: when no model breaks an equation, the equations hold at the head and iterations keep them. None is left out, however large its coefficients are: what models break is a combination of others as soon
//!   as there is one more point.
//!
//! # Cost
//! At most one question for each variable and two more.

use term::{Integer, Linear, SymbolId, TermId, Terms};

/// The affine hull of some points.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    variables: Vec<SymbolId>,
    /// A basis of the points with 1 as their last coordinate: each row has a column, its pivot, in which the others are zero.
    rows: Vec<(usize, Vec<Integer>)>,
}

impl Hull {
    /// Of no points.
    pub(super) fn new(variables: Vec<SymbolId>) -> Self {
        Self { variables, rows: Vec::new() }
    }

    pub(super) fn variables(&self) -> &[SymbolId] {
        &self.variables
    }

    /// Whether it has no points yet.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a point; whether the hull grew.
    pub(super) fn add(&mut self, point: &[Integer]) -> bool {
        let mut row: Vec<Integer> = point.iter().cloned().chain([Integer::ONE]).collect();
        for (pivot, known) in &self.rows {
            row = without(&row, known, *pivot);
        }
        // The last one: the equations of a single point say what each variable is.
        let Some(pivot) = row.iter().rposition(|entry| !entry.is_zero()) else { return false };
        for (_, known) in &mut self.rows {
            *known = without(known, &row, pivot);
        }
        self.rows.push((pivot, row));
        true
    }

    /// The equations of the hull, each as two bounds; none if it is empty.
    pub(super) fn equations(&self, terms: &mut Terms) -> Vec<TermId> {
        let mut found = Vec::new();
        if self.is_empty() {
            return found;
        }
        let width = self.variables.len() + 1;
        for free in (0..width).filter(|column| self.rows.iter().all(|(pivot, _)| pivot != column)) {
            let mut scale = Integer::ONE;
            for (pivot, row) in &self.rows {
                scale = scale.lcm(&row[*pivot]);
            }
            let mut equation = vec![Integer::ZERO; width];
            equation[free] = scale.clone();
            for (pivot, row) in &self.rows {
                equation[*pivot] = -(&row[free] * &scale.div_floor(&row[*pivot]));
            }
            let equation = reduced(equation);
            let (coefficients, constant) = equation.split_at(width - 1);
            let mut products = Vec::new();
            for (symbol, coefficient) in self.variables.iter().zip(coefficients) {
                products.push((terms.of_symbol(*symbol), coefficient.clone()));
            }
            let form = Linear::collect(products, constant[0].clone());
            found.extend([terms.le_zero(&form), terms.le_zero(&form.negate())]);
        }
        found
    }
}

/// A row minus as much of another as makes a column zero.
fn without(row: &[Integer], other: &[Integer], column: usize) -> Vec<Integer> {
    if row[column].is_zero() {
        return row.to_vec();
    }
    let (own, theirs) = (row[column].clone(), other[column].clone());
    reduced(row.iter().zip(other).map(|(a, b)| &(a * &theirs) - &(b * &own)).collect())
}

/// A row divided by what all entries have in common.
fn reduced(row: Vec<Integer>) -> Vec<Integer> {
    let common = row.iter().fold(Integer::ZERO, |common, entry| common.gcd(entry));
    if common.is_zero() || common.is_one() {
        return row;
    }
    row.iter().map(|entry| entry.div_floor(&common)).collect()
}

#[cfg(test)]
mod tests {
    use term::{Evaluator, Model, Sort, SymbolKind, print};

    use super::*;

    #[test]
    fn equations_after_a_further_point_follow_from_those_before() {
        let mut terms = Terms::new();
        let symbols = ["n", "x"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
        let mut hull = Hull::new(symbols.to_vec());
        let point = |values: [i64; 2]| values.map(Integer::from);
        let held = |hull: &Hull, terms: &mut Terms, values: [i64; 2]| {
            let mut model = Model::new();
            for (symbol, value) in symbols.iter().zip(values) {
                model.set_int(*symbol, value);
            }
            let equations = hull.equations(terms);
            equations.into_iter().all(|equation| Evaluator::new(terms, &model).holds(equation))
        };
        assert!(hull.add(&point([2_999_999_998, 2_999_999_997])));
        // Both coefficients of the line through this point and zero are large.
        assert!(!held(&hull, &mut terms, [7, 2_999_999_997]));
        assert!(hull.add(&point([2_999_999_998, 2_999_999_996])));
        assert!(!held(&hull, &mut terms, [7, 2_999_999_997]) && held(&hull, &mut terms, [2_999_999_998, 5]));
    }

    #[test]
    fn the_equations_of_three_points_in_space_are_those_of_their_plane() {
        let mut terms = Terms::new();
        let symbols = ["x", "y", "z"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
        let mut hull = Hull::new(symbols.to_vec());
        let point = |values: [i64; 3]| values.map(Integer::from);
        assert!(hull.add(&point([0, 1, 5])));
        assert!(hull.add(&point([1, 3, 5])));
        assert!(!hull.add(&point([2, 5, 5])));
        assert_eq!(hull.equations(&mut terms).len(), 4);
        assert!(hull.add(&point([0, 0, 7])));
        let equations = hull.equations(&mut terms);
        assert_eq!(
            equations.len(),
            2,
            "{:?}",
            equations.iter().map(|e| print::text(&terms, *e)).collect::<Vec<_>>()
        );
        assert!(hull.add(&point([4, 4, 4])));
        assert!(hull.equations(&mut terms).is_empty());
    }
}
