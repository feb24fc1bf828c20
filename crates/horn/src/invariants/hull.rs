//! The affine hull of points.
//!
//! # Invariants
//! * I1: the rows of the basis are in reduced echelon form: the pivot column of a row is zero in all others.

use term::Integer;

/// All affine combinations of points.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    origin: Vec<Integer>,
    /// Directions, with their pivot columns (I1).
    basis: Vec<(usize, Vec<Integer>)>,
}

impl Hull {
    pub(super) fn new(point: &[Integer]) -> Self {
        Self { origin: point.to_vec(), basis: Vec::new() }
    }

    /// The hull with one more point.
    pub(super) fn join(&mut self, point: &[Integer]) {
        let direction = point.iter().zip(&self.origin).map(|(a, b)| a - b).collect();
        self.add(direction);
    }

    /// The hull of both.
    pub(super) fn merge(&mut self, other: &Self) {
        self.join(&other.origin);
        for (_, row) in &other.basis {
            self.add(row.clone());
        }
    }

    fn add(&mut self, mut direction: Vec<Integer>) {
        for (pivot, row) in &self.basis {
            cancel(&mut direction, row, *pivot);
        }
        let Some(pivot) = direction.iter().position(|value| !value.is_zero()) else { return };
        reduce(&mut direction);
        for (_, row) in &mut self.basis {
            cancel(row, &direction, pivot);
            reduce(row);
        }
        self.basis.push((pivot, direction));
    }

    /// The equations of the hull: coefficients and value.
    pub(super) fn equations(&self) -> Vec<(Vec<Integer>, Integer)> {
        let is_pivot = |column: usize| self.basis.iter().any(|(pivot, _)| *pivot == column);
        let mut equations = Vec::new();
        for free in (0..self.origin.len()).filter(|column| !is_pivot(*column)) {
            let scale = self.basis.iter().fold(Integer::ONE, |lcm, (pivot, row)| lcm.lcm(&row[*pivot]));
            let mut coefficients = vec![Integer::ZERO; self.origin.len()];
            coefficients[free] = scale.clone();
            for (pivot, row) in &self.basis {
                coefficients[*pivot] = -(&row[free] * &scale.div_floor(&row[*pivot]));
            }
            reduce(&mut coefficients);
            let value =
                coefficients.iter().zip(&self.origin).fold(Integer::ZERO, |sum, (a, b)| sum + &(a * b));
            equations.push((coefficients, value));
        }
        equations
    }
}

/// Makes `row[pivot]` zero with a multiple of `by`.
fn cancel(row: &mut [Integer], by: &[Integer], pivot: usize) {
    if row[pivot].is_zero() {
        return;
    }
    let (factor, own) = (by[pivot].clone(), row[pivot].clone());
    for (value, other) in row.iter_mut().zip(by) {
        *value = &*value * &factor - &own * other;
    }
}

/// Divides by the greatest common divisor.
fn reduce(row: &mut [Integer]) {
    let divisor = row.iter().fold(Integer::ZERO, |gcd, value| gcd.gcd(value));
    if !divisor.is_zero() && !divisor.is_one() {
        for value in row {
            *value = value.div_floor(&divisor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(values: &[i64]) -> Vec<Integer> {
        values.iter().map(|value| Integer::from(*value)).collect()
    }

    #[test]
    fn points_on_a_line_satisfy_its_equations() {
        let mut hull = Hull::new(&point(&[0, 0, 5]));
        hull.join(&point(&[1, 2, 5]));
        hull.join(&point(&[3, 6, 5]));
        let equations = hull.equations();
        assert_eq!(equations.len(), 2);
        for (coefficients, value) in equations {
            for sample in [[0, 0, 5], [7, 14, 5], [-1, -2, 5]] {
                let sum = coefficients
                    .iter()
                    .zip(point(&sample))
                    .fold(Integer::ZERO, |sum, (a, b)| sum + &(a * &b));
                assert_eq!(sum, value);
            }
        }
    }
}
