//! Closed convex polyhedra over the rationals, with exact convex hull.
//!
//! # Paper
//! [Gps25] §6 takes convex hulls of one iteration's deltas, pre-states and post-states from a polyhedra library; the engineering
//! notes on the authors' implementation describe how it is driven by models. This module is that library: small dimensions, exact
//! integers, nothing but what the star operator needs (hull, membership, constraints).
//!
//! # Representation
//! A point `(x1..xn)` is the ray `(1, x1..xn)` of a cone; a constraint `c0 + c1 x1 + .. >= 0` is the vector `c`. So both descriptions of a
//! polyhedron are halves of a cone, and [`cone::generators`] converts between them.
//!
//! # Invariants
//! * Y1: `generators` and `constraints` describe the same set; both are irredundant and canonical, so equal sets compare equal.
//!
//! # Cost
//! The number of generators is exponential in the number of dimensions in the worst case; every operation that converts takes a limit of generators
//! and fails with [`TooLarge`] beyond it. Inclusion takes one product of vectors for each pair of a constraint and a generator, a join of two polyhedra
//! two conversions ([`cone`]).

mod cone;
mod project;
mod vector;

use term::Integer;

pub use cone::TooLarge;
use cone::{Half, canonicalize, generators};
pub use project::Projection;
use vector::{Vector, combine, content, dot, make_primitive};

/// `constant + coefficients·x >= 0`, or `= 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Constraint {
    /// One coefficient per dimension.
    pub coefficients: Vec<Integer>,
    /// The constant.
    pub constant: Integer,
    /// Whether it is an equation.
    pub equality: bool,
}

impl Constraint {
    fn to_vector(&self) -> Vector {
        let mut vector = vec![self.constant.clone()];
        vector.extend(self.coefficients.iter().cloned());
        make_primitive(&mut vector);
        vector
    }
    fn equation(vector: &[Integer]) -> Self {
        Self { coefficients: vector[1..].to_vec(), constant: vector[0].clone(), equality: true }
    }
    fn inequation(vector: &[Integer]) -> Self {
        Self { equality: false, ..Self::equation(vector) }
    }
    /// The strongest constraint that all integer points of this one satisfy; `None` if it has no integer point at all.
    pub fn tightened(&self) -> Option<Self> {
        let divisor = content(&self.coefficients);
        if divisor.is_zero() {
            let holds = if self.equality { self.constant.is_zero() } else { self.constant >= Integer::ZERO };
            return holds.then(|| self.clone());
        }
        let floor = self.constant.div_floor(&divisor);
        if self.equality && &floor * &divisor != self.constant {
            return None;
        }
        let coefficients = self.coefficients.iter().map(|entry| entry.div_floor(&divisor)).collect();
        Some(Self { coefficients, constant: floor, equality: self.equality })
    }
}

/// A closed convex polyhedron in a fixed number of dimensions; perhaps empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polyhedron {
    dimension: usize,
    generators: Half,
    constraints: Half,
}

impl Polyhedron {
    /// The empty set.
    pub fn empty(dimension: usize) -> Self {
        let mut never = vec![Integer::ZERO; dimension + 1];
        never[0] = Integer::MINUS_ONE;
        Self {
            dimension,
            generators: Half::default(),
            constraints: Half { lines: Vec::new(), rays: vec![never] },
        }
    }
    /// All points that satisfy the constraints. At most `limit` generators are computed.
    pub fn from_constraints(
        dimension: usize,
        constraints: &[Constraint],
        limit: usize,
    ) -> Result<Self, TooLarge> {
        let mut half = Half::default();
        for constraint in constraints {
            debug_assert_eq!(constraint.coefficients.len(), dimension);
            let list = if constraint.equality { &mut half.lines } else { &mut half.rays };
            list.push(constraint.to_vector());
        }
        half.rays.push(positivity(dimension));
        let generators = generators(dimension + 1, &half, limit)?;
        Self::from_generators(dimension, generators, limit)
    }
    fn from_generators(dimension: usize, mut from: Half, limit: usize) -> Result<Self, TooLarge> {
        if from.rays.iter().all(|ray| ray[0].is_zero()) {
            return Ok(Self::empty(dimension)); // no point, only directions
        }
        let mut constraints = generators(dimension + 1, &from, limit)?;
        // Irredundant generators, from the irredundant constraints: redundant points came from unions.
        let mut with_positivity = constraints.clone();
        with_positivity.rays.push(positivity(dimension));
        from = generators(dimension + 1, &with_positivity, limit)?;
        canonicalize(&mut constraints);
        constraints.rays.retain(|ray| ray[1..].iter().any(|entry| !entry.is_zero()));
        canonicalize(&mut from);
        Ok(Self { dimension, generators: from, constraints })
    }
    /// The smallest polyhedron that contains both.
    pub fn join(&self, other: &Self, limit: usize) -> Result<Self, TooLarge> {
        debug_assert_eq!(self.dimension, other.dimension);
        if self.is_empty() {
            return Ok(other.clone());
        }
        if other.is_empty() || self.includes(other) {
            return Ok(self.clone());
        }
        let both = |mine: &[Vector], others: &[Vector]| mine.iter().chain(others).cloned().collect();
        let union = Half {
            lines: both(&self.generators.lines, &other.generators.lines),
            rays: both(&self.generators.rays, &other.generators.rays),
        };
        Self::from_generators(self.dimension, union, limit)
    }
    /// Number of dimensions.
    pub fn dimension(&self) -> usize {
        self.dimension
    }
    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.generators.rays.is_empty()
    }
    /// Whether all of `other` lies in this polyhedron.
    pub fn includes(&self, other: &Self) -> bool {
        let equations_hold = self.constraints.lines.iter().all(|equation| {
            other
                .generators
                .lines
                .iter()
                .chain(&other.generators.rays)
                .all(|generator| dot(equation, generator).is_zero())
        });
        equations_hold
            && self.constraints.rays.iter().all(|inequation| {
                other.generators.lines.iter().all(|line| dot(inequation, line).is_zero())
                    && other.generators.rays.iter().all(|ray| dot(inequation, ray) >= Integer::ZERO)
            })
    }
    /// Whether an integer point lies in this polyhedron.
    pub fn contains(&self, point: &[Integer]) -> bool {
        let mut ray = vec![Integer::ONE];
        ray.extend(point.iter().cloned());
        self.constraints.lines.iter().all(|equation| dot(equation, &ray).is_zero())
            && self.constraints.rays.iter().all(|inequation| dot(inequation, &ray) >= Integer::ZERO)
    }
    /// The irredundant constraints: equations first.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        let equations = self.constraints.lines.iter().map(|vector| Constraint::equation(vector));
        equations.chain(self.constraints.rays.iter().map(|vector| Constraint::inequation(vector)))
    }
}

/// The linear equations that some points satisfy, while points are added.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The directions orthogonal to all points, which are vectors with a leading one.
    half: Half,
}

impl Equations {
    /// Those of no point at all.
    pub fn new(dimension: usize) -> Self {
        let unit = |at: usize| (0..=dimension).map(|index| Integer::from(i64::from(index == at))).collect();
        Self { half: Half { lines: (0..=dimension).map(unit).collect(), rays: Vec::new() } }
    }

    /// Leaves those that the point satisfies too; false if these are all.
    pub fn add(&mut self, point: &[Integer]) -> bool {
        let mut vector = vec![Integer::ONE];
        vector.extend(point.iter().cloned());
        let lines = &mut self.half.lines;
        let Some(at) = lines.iter().position(|line| !dot(&vector, line).is_zero()) else { return false };
        let pivot = lines.swap_remove(at);
        let height = dot(&vector, &pivot);
        for line in lines.iter_mut() {
            let excess = -dot(&vector, line);
            if !excess.is_zero() {
                *line = combine(&height, line, &excess, &pivot);
            }
        }
        true
    }

    /// Equations of which all others are combinations.
    pub fn basis(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.half.lines.iter().map(|vector| Constraint::equation(vector))
    }

    /// The same in a form in which each has a last dimension that occurs in no other.
    pub fn solved(mut self) -> Vec<Constraint> {
        canonicalize(&mut self.half);
        self.basis().collect()
    }
}

/// The homogenising coordinate is not negative.
fn positivity(dimension: usize) -> Vector {
    let mut vector = vec![Integer::ZERO; dimension + 1];
    vector[0] = Integer::ONE;
    vector
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMIT: usize = 10_000;

    fn at_least(constant: i64, coefficients: &[i64]) -> Constraint {
        let coefficients = coefficients.iter().map(|entry| Integer::from(*entry)).collect();
        Constraint { coefficients, constant: constant.into(), equality: false }
    }
    fn equal(constant: i64, coefficients: &[i64]) -> Constraint {
        Constraint { equality: true, ..at_least(constant, coefficients) }
    }
    fn point(coordinates: &[i64]) -> Polyhedron {
        let constraints: Vec<_> = (coordinates.iter().enumerate())
            .map(|(at, value)| {
                let mut coefficients = vec![0; coordinates.len()];
                coefficients[at] = 1;
                equal(-value, &coefficients)
            })
            .collect();
        Polyhedron::from_constraints(coordinates.len(), &constraints, LIMIT).unwrap()
    }
    fn hull(points: &[Vec<i64>], dimension: usize) -> Polyhedron {
        points.iter().fold(Polyhedron::empty(dimension), |hull, next| hull.join(&point(next), LIMIT).unwrap())
    }
    fn text(polyhedron: &Polyhedron) -> Vec<String> {
        polyhedron
            .constraints()
            .map(|c| {
                let terms: Vec<_> = c.coefficients.iter().map(ToString::to_string).collect();
                format!("{} + ({}) {} 0", c.constant, terms.join(","), if c.equality { "=" } else { ">=" })
            })
            .collect()
    }

    #[test]
    fn hull_of_a_square_has_four_sides() {
        let square = hull(&[vec![0, 0], vec![2, 0], vec![0, 2], vec![2, 2], vec![1, 1]], 2);
        assert_eq!(text(&square), ["0 + (0,1) >= 0", "0 + (1,0) >= 0", "2 + (-1,0) >= 0", "2 + (0,-1) >= 0"]);
    }

    #[test]
    fn hull_of_two_points_is_a_segment() {
        let segment = hull(&[vec![0, 0], vec![2, 4]], 2);
        assert_eq!(text(&segment), ["0 + (-2,1) = 0", "0 + (1,0) >= 0", "2 + (-1,0) >= 0"]);
    }

    #[test]
    fn unbounded_directions_are_kept() {
        let up = Polyhedron::from_constraints(2, &[equal(0, &[1, 0]), at_least(0, &[0, 1])], LIMIT).unwrap();
        let joined = up.join(&point(&[1, 0]), LIMIT).unwrap();
        assert_eq!(text(&joined), ["0 + (0,1) >= 0", "0 + (1,0) >= 0", "1 + (-1,0) >= 0"]);
    }

    #[test]
    fn contradictory_constraints_are_empty() {
        let empty =
            Polyhedron::from_constraints(1, &[at_least(-1, &[1]), at_least(0, &[-1])], LIMIT).unwrap();
        assert!(empty.is_empty());
        assert_eq!(empty, Polyhedron::empty(1));
    }

    #[test]
    fn tightening_rounds_to_integers() {
        assert_eq!(at_least(-1, &[2, 0]).tightened(), Some(at_least(-1, &[1, 0])));
        assert_eq!(equal(1, &[2, 4]).tightened(), None);
    }

    #[test]
    fn points_on_a_line_satisfy_its_equations() {
        let point = |entries: [i64; 3]| entries.map(Integer::from).to_vec();
        let mut equations = Equations::new(3);
        assert!(equations.add(&point([0, 1, 5])) && equations.add(&point([1, 3, 5])));
        assert!(!equations.add(&point([2, 5, 5])));
        assert_eq!(equations.basis().count(), 2);
        assert_eq!(equations.clone().solved(), [equal(-5, &[0, 0, 1]), equal(-1, &[-2, 1, 0])]);
        assert!(equations.add(&point([0, 0, 0])) && equations.add(&point([0, 0, 1])));
        assert_eq!(equations.solved(), []);
    }

    proptest! {
        #[test]
        fn a_hull_contains_its_points_and_no_point_beyond_a_separating_direction(
            points in prop::collection::vec(prop::collection::vec(-4_i64..5, 3), 1..7),
            direction in prop::collection::vec(-3_i64..4, 3),
            probe in prop::collection::vec(-5_i64..6, 3),
        ) {
            let hull = hull(&points, 3);
            let big = |p: &[i64]| p.iter().map(|x| Integer::from(*x)).collect::<Vec<_>>();
            for point in &points {
                prop_assert!(hull.contains(&big(point)));
            }
            let height = |p: &[i64]| p.iter().zip(&direction).map(|(a, b)| a * b).sum::<i64>();
            if height(&probe) > points.iter().map(|p| height(p)).max().unwrap() {
                prop_assert!(!hull.contains(&big(&probe)));
            }
            // Every facet touches a point: the hull is the smallest one.
            for facet in hull.constraints() {
                let touches = points.iter().any(|p| (&facet.constant + dot(&facet.coefficients, &big(p))).is_zero());
                prop_assert!(touches, "{facet:?}");
            }
        }

        #[test]
        fn the_order_of_joins_does_not_matter(points in prop::collection::vec(prop::collection::vec(-3_i64..4, 2), 1..6)) {
            let mut reversed = points.clone();
            reversed.reverse();
            prop_assert_eq!(hull(&points, 2), hull(&reversed, 2));
        }
    }
}
