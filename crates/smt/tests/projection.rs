//! Projection against brute force over a box that is wide enough to hold a witness wherever there is one.

#![expect(clippy::many_single_char_names, reason = "variables and coefficients as in mathematics")]

use base::{Budget, Stop};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use smt::project::{Failure, Optimum, eliminate, forget, maximise, minimise, project_model};
use smt::{Answer, Solver, SolverFactory, Z3};
use term::print::text;
use term::{Evaluator, Integer, Linear, Model, Sort, SymbolId, SymbolKind, TermId, Terms, Value};

/// A literal over `x`, `y`, `z`, as a test writes it.
#[derive(Clone, Debug)]
enum Atom {
    AtMost([i64; 3], i64),
    Equal([i64; 3], i64),
    Divides(i64, [i64; 3], i64),
    /// `(sum div d) + y ≤ c`
    Quotient([i64; 3], i64, i64),
    /// `(sum mod d) ≤ c + z`
    Rest([i64; 3], i64, i64),
    /// `(if sum ≤ 0 then x else y) ≤ c`
    Choice([i64; 3], i64, i64),
    Boolean,
}

#[derive(Clone, Debug)]
enum Formula {
    Atom(Atom),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

const OUTER: i64 = 4;
/// Breakpoints of `x` are within `|sum of the rest| · divisors`, plus one period of all divisors together.
const INNER: i64 = 160;

fn coefficients() -> impl Strategy<Value = [i64; 3]> {
    [-3i64..4, -2i64..3, -2i64..3]
}

fn atoms() -> impl Strategy<Value = Atom> {
    prop_oneof![
        4 => (coefficients(), -5i64..6).prop_map(|(a, c)| Atom::AtMost(a, c)),
        2 => (coefficients(), -5i64..6).prop_map(|(a, c)| Atom::Equal(a, c)),
        2 => (2i64..5, coefficients(), -5i64..6).prop_map(|(d, a, c)| Atom::Divides(d, a, c)),
        1 => (coefficients(), 2i64..4, -5i64..6).prop_map(|(a, d, c)| Atom::Quotient(a, d, c)),
        1 => (coefficients(), 2i64..4, -5i64..6).prop_map(|(a, d, c)| Atom::Rest(a, d, c)),
        1 => (coefficients(), -5i64..6, -5i64..6).prop_map(|(a, b, c)| Atom::Choice(a, b, c)),
        1 => Just(Atom::Boolean),
    ]
}

fn formulas() -> impl Strategy<Value = Formula> {
    atoms().prop_map(Formula::Atom).prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::And),
            prop::collection::vec(inner, 1..4).prop_map(Formula::Or),
        ]
    })
}

struct World {
    terms: Terms,
    numbers: [SymbolId; 3],
    truth: SymbolId,
}

impl World {
    fn new() -> Self {
        let mut terms = Terms::new();
        let numbers = ["x", "y", "z"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
        let truth = terms.declare("b", Sort::Bool, SymbolKind::Variable);
        Self { terms, numbers, truth }
    }

    fn sum(&mut self, coefficients: &[i64; 3], constant: i64) -> TermId {
        let mut products = Vec::new();
        for (symbol, coefficient) in self.numbers.iter().zip(coefficients) {
            products.push((self.terms.of_symbol(*symbol), Integer::from(*coefficient)));
        }
        self.terms.of_linear(&Linear::collect(products, constant.into()))
    }

    fn build(&mut self, formula: &Formula) -> TermId {
        match formula {
            Formula::Atom(atom) => self.build_atom(atom),
            Formula::Not(a) => {
                let a = self.build(a);
                self.terms.not(a)
            }
            Formula::And(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.build(item)).collect();
                self.terms.and(items)
            }
            Formula::Or(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.build(item)).collect();
                self.terms.or(items)
            }
        }
    }

    fn build_atom(&mut self, atom: &Atom) -> TermId {
        let zero = self.terms.int(0);
        let [x, y, z] = self.numbers.map(|symbol| self.terms.of_symbol(symbol));
        match atom {
            Atom::AtMost(a, c) => {
                let sum = self.sum(a, *c);
                self.terms.le(sum, zero)
            }
            Atom::Equal(a, c) => {
                let sum = self.sum(a, *c);
                self.terms.eq(sum, zero)
            }
            Atom::Divides(d, a, c) => {
                let sum = self.sum(a, *c);
                self.terms.divides(&Integer::from(*d), sum)
            }
            Atom::Quotient(a, d, c) => {
                let (sum, c) = (self.sum(a, 0), self.terms.int(*c));
                let quotient = self.terms.div(sum, &Integer::from(*d));
                let left = self.terms.add(quotient, y);
                self.terms.le(left, c)
            }
            Atom::Rest(a, d, c) => {
                let (sum, c) = (self.sum(a, 0), self.terms.int(*c));
                let (rest, right) = (self.terms.modulo(sum, &Integer::from(*d)), self.terms.add(c, z));
                self.terms.le(rest, right)
            }
            Atom::Choice(a, b, c) => {
                let (sum, c) = (self.sum(a, *b), self.terms.int(*c));
                let condition = self.terms.le(sum, zero);
                let chosen = self.terms.ite(condition, x, y);
                self.terms.le(chosen, c)
            }
            Atom::Boolean => self.terms.of_symbol(self.truth),
        }
    }

    fn holds(&self, term: TermId, numbers: [i64; 3], truth: bool) -> bool {
        let mut model = Model::new();
        for (symbol, value) in self.numbers.iter().zip(numbers) {
            model.set_int(*symbol, value);
        }
        model.set(self.truth, Value::Bool(truth));
        Evaluator::new(&self.terms, &model).holds(term)
    }

    /// Whether some `x` in the inner box and some truth value satisfy the formula.
    fn exists_x(&self, term: TermId, y: i64, z: i64) -> bool {
        (-INNER..=INNER).any(|x| self.holds(term, [x, y, z], false) || self.holds(term, [x, y, z], true))
    }
}

/// One seed for all runs: some formulas are hard for the solver, and which ones must not depend on luck.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 150,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Enough for nearly all formulas of these tests.
fn effort() -> Budget {
    Budget::ticks(4_000)
}

/// The result of an elimination, if it took no more than [`effort`]. Other failures fail the test.
fn decided(result: Result<TermId, Failure>) -> Option<TermId> {
    match result {
        Ok(result) => Some(result),
        Err(Failure::Stopped(Stop::Ticks)) => None,
        Err(failure) => panic!("{failure}"),
    }
}

fn outer_points() -> impl Iterator<Item = (i64, i64)> {
    (-OUTER..=OUTER).flat_map(|y| (-OUTER..=OUTER).map(move |z| (y, z)))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn elimination_of_one_symbol_is_exact(formula in formulas()) {
        let mut world = World::new();
        let term = world.build(&formula);
        let mut solver = Z3::default().solver();
        let symbols = [world.numbers[0], world.truth];
        let result = eliminate(&mut solver, &mut world.terms, term, &symbols, &mut effort());
        let Some(result) = decided(result) else { return Ok(()) };
        prop_assert!(!world.terms.mentions(result, &symbols));
        for (y, z) in outer_points() {
            let expected = world.exists_x(term, y, z);
            prop_assert_eq!(world.holds(result, [0, y, z], false), expected, "at y={} z={}: {}", y, z,
                text(&world.terms, result));
        }
    }

    #[test]
    fn elimination_of_two_symbols_is_that_of_one_after_the_other(formula in formulas()) {
        let mut world = World::new();
        let term = world.build(&formula);
        let mut solver = Z3::default().solver();
        let [x, y, _] = world.numbers;
        let both = eliminate(&mut solver, &mut world.terms, term, &[x, y, world.truth], &mut effort());
        let first = eliminate(&mut solver, &mut world.terms, term, &[x, world.truth], &mut effort());
        let (Some(both), Some(first)) = (decided(both), decided(first)) else { return Ok(()) };
        let second = eliminate(&mut solver, &mut world.terms, first, &[y], &mut effort());
        let Some(second) = decided(second) else { return Ok(()) };
        for z in -2 * OUTER..=2 * OUTER {
            prop_assert_eq!(world.holds(both, [0, 0, z], false), world.holds(second, [0, 0, z], false));
        }
    }

    #[test]
    fn a_projected_model_satisfies_its_cube_and_the_cube_implies_the_projection(formula in formulas()) {
        let mut world = World::new();
        let term = world.build(&formula);
        let symbols = [world.numbers[0], world.truth];
        let weaker = forget(&mut world.terms, term, &symbols);
        prop_assert!(!world.terms.mentions(weaker, &symbols));
        let mut solver = Z3::default().solver();
        solver.assert(&world.terms, term);
        for _ in 0..4 {
            let Answer::Sat(model) = solver.check(&world.terms, &[], &mut Budget::unlimited()) else { break };
            let cube = project_model(&mut world.terms, term, &symbols, &model).unwrap();
            let cube = world.terms.of_cube(&cube);
            prop_assert!(Evaluator::new(&world.terms, &model).holds(cube));
            prop_assert!(!world.terms.mentions(cube, &symbols));
            for (y, z) in outer_points() {
                if world.holds(cube, [0, y, z], false) {
                    prop_assert!(world.exists_x(term, y, z));
                    prop_assert!(world.holds(weaker, [0, y, z], false));
                }
            }
            let other = world.terms.not(cube);
            solver.assert(&world.terms, other);
        }
    }

    #[test]
    fn the_greatest_value_is_found(formula in formulas(), coefficients in coefficients()) {
        let mut world = World::new();
        let inner = world.build(&formula);
        // In a box, so that brute force can tell.
        let (low, high) = (world.terms.int(-3), world.terms.int(3));
        let mut items = vec![inner];
        for symbol in world.numbers {
            let symbol = world.terms.of_symbol(symbol);
            items.extend([world.terms.ge(symbol, low), world.terms.le(symbol, high)]);
        }
        let boxed = world.terms.and(items);
        let objective = world.sum(&coefficients, 0);
        let value = |[x, y, z]: [i64; 3]| coefficients[0] * x + coefficients[1] * y + coefficients[2] * z;
        let mut values = Vec::new();
        for x in -3..=3 {
            for y in -3..=3 {
                for z in -3..=3 {
                    if [false, true].iter().any(|b| world.holds(boxed, [x, y, z], *b)) {
                        values.push(value([x, y, z]));
                    }
                }
            }
        }
        let mut solver = Z3::default().solver();
        let mut budget = Budget::unlimited();
        let most = maximise(&mut solver, &mut world.terms, boxed, objective, &mut budget);
        let least = minimise(&mut solver, &mut world.terms, boxed, objective, &mut budget);
        match (values.iter().max(), most, least) {
            (None, Optimum::Infeasible, Optimum::Infeasible) => {}
            (Some(expected), Optimum::Bounded(most, model), Optimum::Bounded(least, _)) => {
                prop_assert_eq!(&most, &Integer::from(*expected));
                prop_assert_eq!(Evaluator::new(&world.terms, &model).int(objective), most);
                prop_assert_eq!(least, Integer::from(*values.iter().min().unwrap()));
            }
            (expected, most, least) => prop_assert!(false, "{expected:?} {most:?} {least:?}"),
        }
    }
}

fn check_elimination(build: impl FnOnce(&mut Terms, [TermId; 4]) -> TermId, expected: &Expect) {
    let mut terms = Terms::new();
    let symbols = ["k", "x", "m", "n"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let variables = symbols.map(|symbol| terms.of_symbol(symbol));
    let formula = build(&mut terms, variables);
    let mut solver = Z3::default().solver();
    let result = eliminate(&mut solver, &mut terms, formula, &symbols[..1], &mut Budget::unlimited())
        .expect("an elimination without limit should end");
    expected.assert_eq(&text(&terms, result));
}

#[test]
fn an_even_number_of_steps_leaves_a_parity() {
    check_elimination(
        |terms, [k, x, _, _]| {
            let (zero, double, one) = (terms.int(0), terms.scale(&Integer::from(2), k), terms.int(1));
            let rest = terms.sub(x, double);
            let (counted, ends) = (terms.ge(k, zero), terms.eq(rest, one));
            terms.and([counted, ends])
        },
        &expect!["x ≥ 1, x ≡ 1 (mod 2)"],
    );
}

#[test]
fn strict_bounds_around_a_double_leave_a_parity_too() {
    check_elimination(
        |terms, [k, x, _, _]| {
            let (zero, double, two) = (terms.int(0), terms.scale(&Integer::from(2), k), terms.int(2));
            let rest = terms.sub(x, double);
            let (above, below) = (terms.gt(rest, zero), terms.lt(rest, two));
            terms.and([above, below])
        },
        &expect!["x ≡ 1 (mod 2)"],
    );
}

#[test]
fn unit_bounds_are_combined_into_a_conjunction() {
    check_elimination(
        |terms, [k, x, m, n]| {
            let (zero, moved) = (terms.int(0), terms.add(x, k));
            let items = [terms.ge(k, zero), terms.le(moved, n), terms.ge(moved, m)];
            terms.and(items)
        },
        &expect!["x ≤ n, m ≤ n"],
    );
}

#[test]
fn a_step_of_two_or_three_leaves_residues() {
    check_elimination(
        |terms, [k, x, m, n]| {
            let (double, triple) = (terms.scale(&Integer::from(2), k), terms.scale(&Integer::from(3), k));
            let (low, high) = (terms.le(x, double), terms.le(triple, n));
            let other = terms.eq(m, double);
            let bounds = terms.and([low, high]);
            terms.or([bounds, other])
        },
        &expect!["m ≡ 0 (mod 2) ∨ (3·x ≤ 2·n ∧ x ≡ 0 (mod 2)) ∨ (3·x ≤ 2·n - 3 ∧ x ≡ 1 (mod 2))"],
    );
}

#[test]
fn unbounded_and_opaque_objectives_are_told_apart() {
    let mut terms = Terms::new();
    let symbols = ["x", "y"].map(|name| terms.declare(name, Sort::Int, SymbolKind::Variable));
    let [x, y] = symbols.map(|symbol| terms.of_symbol(symbol));
    let mut solver = Z3::default().solver();
    let mut budget = Budget::unlimited();
    let (double, difference) = (terms.scale(&Integer::from(2), y), terms.sub(x, y));
    let twice = terms.le(x, double);
    assert!(matches!(maximise(&mut solver, &mut terms, twice, difference, &mut budget), Optimum::Unbounded));
    let product = terms.mul(x, y);
    let opaque = terms.le(product, x);
    let result = eliminate(&mut solver, &mut terms, opaque, &symbols[..1], &mut budget);
    assert!(result.is_ok(), "x with coefficient one is a plain substitution: {result:?}");
    let three = terms.int(3);
    let tripled = terms.mul(product, three);
    let (far, near) = (terms.gt(tripled, x), terms.gt(product, three));
    let bound = terms.scale(&Integer::from(2), x);
    let bound = terms.le(bound, y);
    let opaque = terms.and([far, near, bound]);
    let result = eliminate(&mut solver, &mut terms, opaque, &symbols[..1], &mut budget);
    assert!(matches!(result, Err(Failure::NotLinear(_))), "{result:?}");
}

#[test]
fn an_incomplete_cover_is_never_returned() {
    let mut world = World::new();
    let [x, y, z] = world.numbers.map(|symbol| world.terms.of_symbol(symbol));
    let mut items = Vec::new();
    for factor in 2..6 {
        let (scaled, other) =
            (world.terms.scale(&Integer::from(factor), x), world.terms.scale(&Integer::from(factor + 1), x));
        items.extend([world.terms.le(scaled, y), world.terms.ge(other, z)]);
    }
    let formula = world.terms.and(items);
    let mut solver = Z3::default().solver();
    let whole =
        eliminate(&mut solver, &mut world.terms, formula, &world.numbers[..1], &mut Budget::unlimited());
    let whole = whole.unwrap();
    for ticks in [1, 2, 5, 10, 20, 40] {
        match eliminate(
            &mut solver,
            &mut world.terms,
            formula,
            &world.numbers[..1],
            &mut Budget::ticks(ticks),
        ) {
            Ok(result) => assert_eq!(result, whole),
            Err(failure) => assert!(matches!(failure, Failure::Stopped(_)), "{failure}"),
        }
    }
}

#[test]
fn nearly_all_random_formulas_are_decided_with_little_effort() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::new(ProptestConfig { rng_seed: RngSeed::Fixed(11), ..config() });
    let mut undecided = 0;
    for _ in 0..100 {
        let formula = formulas().new_tree(&mut runner).unwrap().current();
        let mut world = World::new();
        let term = world.build(&formula);
        let mut solver = Z3::default().solver();
        let symbols = [world.numbers[0], world.numbers[1], world.truth];
        let result = eliminate(&mut solver, &mut world.terms, term, &symbols, &mut effort());
        undecided += usize::from(decided(result).is_none());
    }
    assert!(undecided <= 2, "{undecided}");
}
