//! Laws of terms, judged by a second, naive evaluator over random expressions.

use proptest::prelude::*;
use term::{
    Evaluator, Fraction, Integer, Linear, Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms,
    Value,
};

/// An integer expression, as a test writes it.
#[derive(Clone, Debug)]
enum Number {
    Constant(i64),
    Variable(usize),
    Add(Box<Number>, Box<Number>),
    Sub(Box<Number>, Box<Number>),
    Scale(i64, Box<Number>),
    Mul(Box<Number>, Box<Number>),
    Div(Box<Number>, i64),
    Mod(Box<Number>, i64),
    DivTruncated(Box<Number>, i64),
    RemTruncated(Box<Number>, i64),
    Ite(Box<Truth>, Box<Number>, Box<Number>),
}

/// A boolean expression, as a test writes it.
#[derive(Clone, Debug)]
enum Truth {
    Variable(usize),
    Le(Number, Number),
    Lt(Number, Number),
    Eq(Number, Number),
    Divides(i64, Number),
    Not(Box<Truth>),
    And(Vec<Truth>),
    Or(Vec<Truth>),
    Iff(Box<Truth>, Box<Truth>),
    Ite(Box<Truth>, Box<Truth>, Box<Truth>),
}

const VARIABLES: usize = 3;

#[derive(Clone, Debug)]
struct Point {
    numbers: [i64; VARIABLES],
    truths: [bool; 2],
}

impl Number {
    fn value(&self, point: &Point) -> i64 {
        match self {
            Self::Constant(value) => *value,
            Self::Variable(at) => point.numbers[*at],
            Self::Add(a, b) => a.value(point) + b.value(point),
            Self::Sub(a, b) => a.value(point) - b.value(point),
            Self::Scale(factor, a) => factor * a.value(point),
            Self::Mul(a, b) => a.value(point) * b.value(point),
            Self::Div(a, d) => a.value(point).div_euclid(*d),
            Self::Mod(a, d) => a.value(point).rem_euclid(*d),
            Self::DivTruncated(a, d) => a.value(point) / d,
            Self::RemTruncated(a, d) => a.value(point) % d,
            Self::Ite(c, a, b) => {
                if c.value(point) {
                    a.value(point)
                } else {
                    b.value(point)
                }
            }
        }
    }

    fn build(&self, world: &mut World) -> TermId {
        match self {
            Self::Constant(value) => world.terms.int(*value),
            Self::Variable(at) => world.terms.of_symbol(world.numbers[*at]),
            Self::Add(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.add(a, b)
            }
            Self::Sub(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.sub(a, b)
            }
            Self::Scale(factor, a) => {
                let a = a.build(world);
                world.terms.scale(&Integer::from(*factor), a)
            }
            Self::Mul(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.mul(a, b)
            }
            Self::Div(a, d) => {
                let a = a.build(world);
                world.terms.div(a, &Integer::from(*d))
            }
            Self::Mod(a, d) => {
                let a = a.build(world);
                world.terms.modulo(a, &Integer::from(*d))
            }
            Self::DivTruncated(a, d) => {
                let a = a.build(world);
                world.terms.div_truncated(a, &Integer::from(*d))
            }
            Self::RemTruncated(a, d) => {
                let a = a.build(world);
                world.terms.rem_truncated(a, &Integer::from(*d))
            }
            Self::Ite(c, a, b) => {
                let (c, a, b) = (c.build(world), a.build(world), b.build(world));
                world.terms.ite(c, a, b)
            }
        }
    }
}

impl Truth {
    fn value(&self, point: &Point) -> bool {
        match self {
            Self::Variable(at) => point.truths[*at],
            Self::Le(a, b) => a.value(point) <= b.value(point),
            Self::Lt(a, b) => a.value(point) < b.value(point),
            Self::Eq(a, b) => a.value(point) == b.value(point),
            Self::Divides(d, a) => a.value(point) % d == 0,
            Self::Not(a) => !a.value(point),
            Self::And(items) => items.iter().all(|item| item.value(point)),
            Self::Or(items) => items.iter().any(|item| item.value(point)),
            Self::Iff(a, b) => a.value(point) == b.value(point),
            Self::Ite(c, a, b) => {
                if c.value(point) {
                    a.value(point)
                } else {
                    b.value(point)
                }
            }
        }
    }

    fn build(&self, world: &mut World) -> TermId {
        match self {
            Self::Variable(at) => world.terms.of_symbol(world.truths[*at]),
            Self::Le(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.le(a, b)
            }
            Self::Lt(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.lt(a, b)
            }
            Self::Eq(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.eq(a, b)
            }
            Self::Divides(d, a) => {
                let a = a.build(world);
                world.terms.divides(&Integer::from(*d), a)
            }
            Self::Not(a) => {
                let a = a.build(world);
                world.terms.not(a)
            }
            Self::And(items) => {
                let items: Vec<TermId> = items.iter().map(|item| item.build(world)).collect();
                world.terms.and(items)
            }
            Self::Or(items) => {
                let items: Vec<TermId> = items.iter().map(|item| item.build(world)).collect();
                world.terms.or(items)
            }
            Self::Iff(a, b) => {
                let (a, b) = (a.build(world), b.build(world));
                world.terms.iff(a, b)
            }
            Self::Ite(c, a, b) => {
                let (c, a, b) = (c.build(world), a.build(world), b.build(world));
                world.terms.ite(c, a, b)
            }
        }
    }
}

struct World {
    terms: Terms,
    numbers: Vec<SymbolId>,
    truths: Vec<SymbolId>,
}

impl World {
    fn new() -> Self {
        let mut terms = Terms::new();
        let numbers =
            ["x", "y", "z"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable)).to_vec();
        let truths = ["p", "q"].map(|name| terms.declare(name, Sort::Bool, SymbolKind::Variable)).to_vec();
        Self { terms, numbers, truths }
    }

    fn model(&self, point: &Point) -> Model {
        let mut model = Model::new();
        for (symbol, value) in self.numbers.iter().zip(point.numbers) {
            model.set_int(*symbol, value);
        }
        for (symbol, value) in self.truths.iter().zip(point.truths) {
            model.set(*symbol, Value::Bool(value));
        }
        model
    }

    fn holds(&self, term: TermId, point: &Point) -> bool {
        Evaluator::new(&self.terms, &self.model(point)).holds(term)
    }

    fn int(&self, term: TermId, point: &Point) -> Integer {
        Evaluator::new(&self.terms, &self.model(point)).int(term)
    }
}

fn divisors() -> impl Strategy<Value = i64> {
    prop_oneof![1i64..7, -6i64..0]
}

fn leaves() -> BoxedStrategy<Number> {
    prop_oneof![(-6i64..7).prop_map(Number::Constant), (0..VARIABLES).prop_map(Number::Variable)].boxed()
}

/// Linear expressions with quotients, rests and choices.
fn numbers() -> BoxedStrategy<Number> {
    leaves()
        .prop_recursive(3, 12, 3, |inner| {
            let boxed = inner.prop_map(Box::new).boxed();
            let atom = (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Truth::Le(*a, *b));
            prop_oneof![
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Number::Add(a, b)),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Number::Sub(a, b)),
                (-3i64..4, boxed.clone()).prop_map(|(k, a)| Number::Scale(k, a)),
                (boxed.clone(), divisors()).prop_map(|(a, d)| Number::Div(a, d)),
                (boxed.clone(), divisors()).prop_map(|(a, d)| Number::Mod(a, d)),
                (boxed.clone(), divisors()).prop_map(|(a, d)| Number::DivTruncated(a, d)),
                (boxed.clone(), divisors()).prop_map(|(a, d)| Number::RemTruncated(a, d)),
                (atom, boxed.clone(), boxed).prop_map(|(c, a, b)| Number::Ite(Box::new(c), a, b)),
            ]
        })
        .boxed()
}

fn polynomials() -> BoxedStrategy<Number> {
    leaves()
        .prop_recursive(3, 10, 2, |inner| {
            let boxed = inner.prop_map(Box::new).boxed();
            prop_oneof![
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Number::Add(a, b)),
                (boxed.clone(), boxed).prop_map(|(a, b)| Number::Mul(a, b)),
            ]
        })
        .boxed()
}

fn truths() -> BoxedStrategy<Truth> {
    let atoms = prop_oneof![
        (0..2usize).prop_map(Truth::Variable),
        (numbers(), numbers()).prop_map(|(a, b)| Truth::Le(a, b)),
        (numbers(), numbers()).prop_map(|(a, b)| Truth::Lt(a, b)),
        (numbers(), numbers()).prop_map(|(a, b)| Truth::Eq(a, b)),
        (1i64..7, numbers()).prop_map(|(d, a)| Truth::Divides(d, a)),
    ];
    atoms
        .prop_recursive(3, 16, 4, |inner| {
            let boxed = inner.clone().prop_map(Box::new).boxed();
            prop_oneof![
                boxed.clone().prop_map(Truth::Not),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Truth::And),
                prop::collection::vec(inner, 0..4).prop_map(Truth::Or),
                (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Truth::Iff(a, b)),
                (boxed.clone(), boxed.clone(), boxed).prop_map(|(c, a, b)| Truth::Ite(c, a, b)),
            ]
        })
        .boxed()
}

fn points() -> impl Strategy<Value = Vec<Point>> {
    let point = (prop::array::uniform3(-9i64..10), prop::array::uniform2(any::<bool>()))
        .prop_map(|(numbers, truths)| Point { numbers, truths });
    prop::collection::vec(point, 12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn constructors_keep_the_value_of_integers(number in numbers(), points in points()) {
        let mut world = World::new();
        let term = number.build(&mut world);
        for point in points {
            prop_assert_eq!(world.int(term, &point), Integer::from(number.value(&point)));
        }
    }

    #[test]
    fn constructors_keep_the_value_of_products(number in polynomials(), points in points()) {
        let mut world = World::new();
        let term = number.build(&mut world);
        for point in points {
            prop_assert_eq!(world.int(term, &point), Integer::from(number.value(&point)));
        }
    }

    #[test]
    fn constructors_normal_form_and_tidying_keep_the_value_of_formulas(truth in truths(), points in points()) {
        let mut world = World::new();
        let term = truth.build(&mut world);
        let negation = world.terms.not(term);
        let normal = world.terms.nnf(term);
        let negated_normal = world.terms.nnf(negation);
        let tidy = world.terms.tidy(normal);
        let tidy_negation = world.terms.tidy(negated_normal);
        for point in points {
            let expected = truth.value(&point);
            prop_assert_eq!(world.holds(term, &point), expected);
            prop_assert_eq!(world.holds(negation, &point), !expected);
            prop_assert_eq!(world.holds(normal, &point), expected);
            prop_assert_eq!(world.holds(negated_normal, &point), !expected);
            prop_assert_eq!(world.holds(tidy, &point), expected);
            prop_assert_eq!(world.holds(tidy_negation, &point), !expected);
        }
    }

    #[test]
    fn implicants_hold_in_their_model_and_imply_the_formula(truth in truths(), points in points()) {
        let mut world = World::new();
        let term = truth.build(&mut world);
        for point in &points {
            let model = world.model(point);
            let literals = world.terms.implicant(term, &model);
            prop_assert_eq!(literals.is_some(), truth.value(point));
            let Some(literals) = literals else { continue };
            let conjunction = world.terms.and(literals.clone());
            let cube = world.terms.linear_cube(&literals, &model);
            let cube = world.terms.of_cube(&cube);
            prop_assert!(world.holds(conjunction, point));
            prop_assert!(world.holds(cube, point));
            for other in &points {
                prop_assert!(!world.holds(conjunction, other) || truth.value(other));
                prop_assert!(!world.holds(cube, other) || world.holds(conjunction, other));
            }
        }
    }

    #[test]
    fn substitution_is_evaluation_in_a_changed_model(truth in truths(), image in numbers(), points in points()) {
        let mut world = World::new();
        let (term, image_term) = (truth.build(&mut world), image.build(&mut world));
        let symbol = world.numbers[0];
        let result = Substitution::new([(symbol, image_term)]).apply(&mut world.terms, term);
        for point in points {
            let mut changed = point.clone();
            changed.numbers[0] = image.value(&point);
            prop_assert_eq!(world.holds(result, &point), truth.value(&changed));
        }
    }

    #[test]
    fn a_fraction_is_substituted_correctly_where_it_is_whole(
        truth in truths(),
        (b, c, constant) in (-3i64..4, -3i64..4, -5i64..6),
        denominator in 1i64..6,
        points in points(),
    ) {
        let mut world = World::new();
        let term = truth.build(&mut world);
        let [y, z] = [1, 2].map(|at| world.terms.of_symbol(world.numbers[at]));
        let numerator = Linear::collect(vec![(y, b.into()), (z, c.into())], constant.into());
        let value = Fraction { numerator, denominator: denominator.into() };
        let result = world.terms.substitute_fraction(term, world.numbers[0], &value).unwrap();
        for point in points {
            let numerator = b * point.numbers[1] + c * point.numbers[2] + constant;
            if numerator % denominator == 0 {
                let mut changed = point.clone();
                changed.numbers[0] = numerator / denominator;
                prop_assert_eq!(world.holds(result, &point), truth.value(&changed));
            }
        }
    }

    #[test]
    fn atoms_that_differ_by_a_factor_are_one_atom(
        (a, b, c) in (-4i64..5, -4i64..5, -4i64..5), factor in 1i64..4,
    ) {
        let mut world = World::new();
        let [x, y] = [0, 1].map(|at| world.terms.of_symbol(world.numbers[at]));
        let form = Linear::collect(vec![(x, a.into()), (y, b.into())], c.into());
        let scaled = form.scale(&factor.into());
        prop_assert_eq!(world.terms.le_zero(&form), world.terms.le_zero(&scaled));
        prop_assert_eq!(world.terms.eq_zero(&form), world.terms.eq_zero(&scaled.negate()));
        let divisor = Integer::from(5);
        let multiple = world.terms.divides_linear(&(&divisor * &Integer::from(factor)), &scaled);
        prop_assert_eq!(world.terms.divides_linear(&divisor, &form), multiple);
    }
}
