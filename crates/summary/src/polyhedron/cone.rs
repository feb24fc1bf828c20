//! Conversion between the two descriptions of a polyhedral cone: by constraints and by generators.
//!
//! A cone is `{x | e·x = 0 for all equations e, c·x >= 0 for all inequations c}`, or the set of all sums of lines (any
//! factor) and rays (factors >= 0). [`generators`] turns the first into the second by the double-description method
//! (Chernikova's algorithm: constraints are added one at a time, and rays on either side of the new hyperplane that
//! are adjacent are combined). By duality the same function turns generators into constraints.
//!
//! # Invariants
//! * C1: the result is irredundant: lines are independent, no ray is a sum of others.
//! * C2: after each constraint `rays` are the extreme rays (modulo lines) of the cone so far, and `saturated` tells for each of
//!   them which of the inequations so far it satisfies with equality.
//!
//! # Cost
//! Exponential in the worst case; [`TooLarge`] is returned when the number of rays exceeds the limit.

use term::Integer;

use super::vector::{Vector, combine, dot, is_zero, make_primitive, negated};

/// Half of the description of a cone: `lines` have any factor (are equations), `rays` have factors >= 0 (are inequations).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Half {
    /// Lines, or equations.
    pub lines: Vec<Vector>,
    /// Rays, or inequations.
    pub rays: Vec<Vector>,
}

/// The conversion needs more rays than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// A set of small numbers: which inequations a ray saturates.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    /// All of the first `count` numbers.
    fn full(count: usize) -> Self {
        let mut words = vec![u64::MAX; count / 64];
        if !count.is_multiple_of(64) {
            words.push((1 << (count % 64)) - 1);
        }
        Self(words)
    }
    fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }
    fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }
    fn is_subset_of(&self, other: &Self) -> bool {
        self.0.iter().enumerate().all(|(at, word)| word & !other.0.get(at).copied().unwrap_or(0) == 0)
    }
}

struct Ray {
    vector: Vector,
    saturated: Bits,
}

struct Builder {
    lines: Vec<Vector>,
    rays: Vec<Ray>,
    inequations: usize,
    limit: usize,
}

/// The generators of the cone that `constraints` describe in `dimension` coordinates (or, by duality, the constraints of the cone
/// that they generate).
pub(super) fn generators(dimension: usize, constraints: &Half, limit: usize) -> Result<Half, TooLarge> {
    let unit = |at: usize| (0..dimension).map(|index| Integer::from(i64::from(index == at))).collect();
    let mut builder =
        Builder { lines: (0..dimension).map(unit).collect(), rays: Vec::new(), inequations: 0, limit };
    for equation in &constraints.lines {
        builder.add_equation(equation)?;
    }
    for inequation in &constraints.rays {
        builder.add_inequation(inequation)?;
    }
    let rays = builder.rays.into_iter().map(|ray| ray.vector).collect();
    Ok(Half { lines: builder.lines, rays })
}

impl Builder {
    /// Moves all lines and rays but one line into the hyperplane of `constraint`; returns that line, on its positive side, or
    /// `None` if all lines lie in the hyperplane already.
    fn pivot(&mut self, constraint: &Vector) -> Option<Vector> {
        let at = self.lines.iter().position(|line| !dot(constraint, line).is_zero())?;
        let mut pivot = self.lines.swap_remove(at);
        if dot(constraint, &pivot) < Integer::ZERO {
            pivot = negated(&pivot);
        }
        let height = dot(constraint, &pivot);
        for vector in self.lines.iter_mut().chain(self.rays.iter_mut().map(|ray| &mut ray.vector)) {
            let excess = -dot(constraint, vector);
            if !excess.is_zero() {
                *vector = combine(&height, vector, &excess, &pivot);
            }
        }
        Some(pivot)
    }

    fn add_equation(&mut self, equation: &Vector) -> Result<(), TooLarge> {
        if self.pivot(equation).is_some() {
            return Ok(());
        }
        let (positive, on, negative) = self.split(equation);
        let mut rays = on;
        self.combine_adjacent(equation, &positive, &negative, &mut rays, None)?;
        self.rays = rays;
        Ok(())
    }

    fn add_inequation(&mut self, inequation: &Vector) -> Result<(), TooLarge> {
        let number = self.inequations;
        self.inequations += 1;
        if let Some(pivot) = self.pivot(inequation) {
            for ray in &mut self.rays {
                ray.saturated.insert(number);
            }
            // The pivot was a line: it satisfied all earlier inequations with equality.
            self.rays.push(Ray { vector: pivot, saturated: Bits::full(number) });
            return Ok(());
        }
        let (positive, mut on, negative) = self.split(inequation);
        for ray in &mut on {
            ray.saturated.insert(number);
        }
        let mut rays = on;
        self.combine_adjacent(inequation, &positive, &negative, &mut rays, Some(number))?;
        rays.extend(positive);
        self.rays = rays;
        Ok(())
    }

    fn split(&mut self, constraint: &Vector) -> (Vec<Ray>, Vec<Ray>, Vec<Ray>) {
        let (mut positive, mut on, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        for ray in std::mem::take(&mut self.rays) {
            let side = dot(constraint, &ray.vector);
            if side.is_zero() {
                on.push(ray);
            } else if side > Integer::ZERO {
                positive.push(ray);
            } else {
                negative.push(ray);
            }
        }
        (positive, on, negative)
    }

    /// Adds to `rays` (those on the hyperplane) the points where edges between the two sides cross it. `number` is that of the inequation
    /// that they saturate.
    fn combine_adjacent(
        &self,
        constraint: &Vector,
        positive: &[Ray],
        negative: &[Ray],
        rays: &mut Vec<Ray>,
        number: Option<usize>,
    ) -> Result<(), TooLarge> {
        let on = rays.len();
        let mut crossings = Vec::new();
        for (at_above, above) in positive.iter().enumerate() {
            for (at_below, below) in negative.iter().enumerate() {
                let mut saturated = above.saturated.intersection(&below.saturated);
                let adjacent = rays[..on].iter().all(|other| !saturated.is_subset_of(&other.saturated))
                    && (positive.iter().enumerate())
                        .all(|(at, other)| at == at_above || !saturated.is_subset_of(&other.saturated))
                    && (negative.iter().enumerate())
                        .all(|(at, other)| at == at_below || !saturated.is_subset_of(&other.saturated));
                if !adjacent {
                    continue;
                }
                let (up, down) = (dot(constraint, &above.vector), -dot(constraint, &below.vector));
                let vector = combine(&down, &above.vector, &up, &below.vector);
                if is_zero(&vector) {
                    continue;
                }
                if let Some(number) = number {
                    saturated.insert(number);
                }
                crossings.push(Ray { vector, saturated });
                if on + crossings.len() + positive.len() > self.limit {
                    return Err(TooLarge);
                }
            }
        }
        rays.append(&mut crossings);
        Ok(())
    }
}

/// Brings lines to reduced echelon form and reduces rays by them, so that equal cones have equal descriptions up to the order of rays,
/// which is sorted.
pub(super) fn canonicalize(half: &mut Half) {
    let mut pivots = Vec::new();
    let mut row = 0;
    let dimension = half.lines.first().map_or(0, Vec::len);
    for column in (0..dimension).rev() {
        let Some(found) = (row..half.lines.len()).find(|at| !half.lines[*at][column].is_zero()) else {
            continue;
        };
        half.lines.swap(row, found);
        if half.lines[row][column] < Integer::ZERO {
            half.lines[row] = negated(&half.lines[row]);
        }
        let pivot = half.lines[row].clone();
        for at in 0..half.lines.len() {
            if at != row {
                reduce(&mut half.lines[at], &pivot, column);
            }
        }
        pivots.push((row, column));
        row += 1;
    }
    for ray in &mut half.rays {
        for &(row, column) in &pivots {
            reduce(ray, &half.lines[row], column);
        }
        make_primitive(ray);
    }
    half.rays.sort();
    half.rays.dedup();
}

/// Makes the entry of `vector` at `column` zero by adding a multiple of `pivot`; `vector` is scaled by a positive factor.
fn reduce(vector: &mut Vector, pivot: &Vector, column: usize) {
    if !vector[column].is_zero() {
        let factor = -&vector[column];
        *vector = combine(&pivot[column], vector, &factor, pivot);
    }
}
