//! Projection of models where arrays occur: the cube holds in the model, and all its models are models of the formula somehow.

use base::Budget;
use smt::project::project_arrays;
use smt::{Answer, SolverFactory, Z3, check_formula};
use term::{Evaluator, Model, Sort, SymbolId, SymbolKind, TermId, Terms, Value};

/// A generator of numbers that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

struct World {
    terms: Terms,
    integers: Vec<TermId>,
    arrays: Vec<TermId>,
    random: Random,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let integers =
            (0..4).map(|i| terms.constant(&format!("x{i}"), Sort::Int, SymbolKind::Variable)).collect();
        let arrays =
            (0..3).map(|i| terms.constant(&format!("a{i}"), Sort::Array, SymbolKind::Variable)).collect();
        Self { terms, integers, arrays, random: Random(seed) }
    }

    fn index(&mut self) -> TermId {
        let symbol = self.integers[self.random.below(4)];
        let offset = self.terms.int(self.random.below(3) as i64 - 1);
        self.terms.add(symbol, offset)
    }

    fn array(&mut self) -> TermId {
        let array = self.arrays[self.random.below(3)];
        match self.random.below(4) {
            0 => array,
            1 => {
                let (index, value) = (self.index(), self.integer());
                self.terms.store(array, index, value)
            }
            2 => {
                let (index, value) = (self.index(), self.index());
                let once = self.terms.store(array, index, value);
                let (index, value) = (self.index(), self.integer());
                self.terms.store(once, index, value)
            }
            _ => {
                let (condition, other) = (self.comparison(), self.arrays[self.random.below(3)]);
                self.terms.ite(condition, array, other)
            }
        }
    }

    fn integer(&mut self) -> TermId {
        if self.random.below(2) == 0 {
            return self.index();
        }
        let (array, index) = (self.arrays[self.random.below(3)], self.index());
        self.terms.select(array, index)
    }

    fn comparison(&mut self) -> TermId {
        let (a, b) = (self.integer(), self.integer());
        match self.random.below(3) {
            0 => self.terms.eq(a, b),
            1 => self.terms.lt(a, b),
            _ => self.terms.ne(a, b),
        }
    }

    fn literal(&mut self) -> TermId {
        match self.random.below(5) {
            0 => {
                let (a, b) = (self.array(), self.array());
                self.terms.eq(a, b)
            }
            1 => {
                let (a, b) = (self.array(), self.array());
                self.terms.ne(a, b)
            }
            2 => {
                let (array, index, value) = (self.array(), self.index(), self.integer());
                let read = self.terms.select(array, index);
                self.terms.eq(read, value)
            }
            _ => self.comparison(),
        }
    }
}

fn model_of(terms: &Terms, formula: TermId) -> Option<Model> {
    let mut solver = Z3::default().solver();
    match check_formula(&mut *solver, terms, formula, &mut Budget::ticks(50_000)) {
        Answer::Sat(model) => Some(model),
        _ => None,
    }
}

#[test]
fn a_cube_holds_in_its_model_and_implies_that_the_rest_can_be_chosen() {
    let (mut projected, mut refused) = (0, 0);
    for seed in 1..=400 {
        let mut world = World::new(seed);
        let literals: Vec<TermId> = (0..4).map(|_| world.literal()).collect();
        let formula = world.terms.and(literals);
        let Some(model) = model_of(&world.terms, formula) else { continue };
        let symbols = world.terms.symbols_of(formula);
        let gone: Vec<SymbolId> = symbols.iter().copied().filter(|_| world.random.below(2) == 0).collect();
        let Ok(cube) = project_arrays(&mut world.terms, formula, &gone, &model) else {
            refused += 1;
            continue;
        };
        projected += 1;
        let terms = &mut world.terms;
        let cube = terms.of_cube(&cube);
        assert!(!terms.mentions(cube, &gone), "seed {seed}: {}", term::print::text(terms, cube));
        assert!(Evaluator::new(terms, &model).holds(cube), "seed {seed}");
        // Another model of the cube fixes what is kept; the rest can be chosen.
        let other = model_of(terms, cube).expect("the cube has a model");
        let mut fixed = vec![formula];
        for symbol in symbols.iter().filter(|symbol| !gone.contains(symbol)) {
            let sort = terms.symbol(*symbol).sort;
            let value = other.get(*symbol).cloned().unwrap_or_else(|| Value::default_of(sort));
            let (symbol, value) = (terms.of_symbol(*symbol), terms.of_value(&value));
            fixed.push(terms.eq(symbol, value));
        }
        let question = terms.and(fixed);
        assert!(model_of(terms, question).is_some(), "seed {seed}: {}", term::print::text(terms, cube));
    }
    assert!(projected > 200 && refused * 10 < projected, "{projected} projected, {refused} refused");
}
