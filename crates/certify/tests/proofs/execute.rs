//! A second check of proofs, by executions instead of formulas: whenever an execution comes to an annotated location, the invariant must hold there; and it must
//! hold after any piece that is executed from a state in which the invariant of its start holds. What is found here is a counterexample to a proof; the
//! interpreter is independent of the encoding and of the solver.

use cfa::{Loc, ProcId, Program, Storage, VarId};
use encode::{LogicName, Vocabulary};
use interp::{
    Choice, Code, CompileOptions, Config, Machine, Markers, Outcome, Request, Silent, Step, Uninitialised,
    Value, View,
};
use term::{ArrayValue, Evaluator, Integer, Model, Sort, SymbolId, Terms};
use testkit::Random;
use values::sums::Bound;
use verdict::{Annotation, Claim, Imported, import};

/// Executions from the start of the program.
const MAX_RUNS: u64 = 12;
/// Annotated locations on one of them.
const MAX_STOPS: usize = 24;
/// Changed states at one of these.
const MAX_CHANGES: usize = 6;
/// Values of quantified symbols for one state.
const MAX_SAMPLES: usize = 6;

struct Checked<'a> {
    program: &'a Program,
    imported: Imported,
    random: Random,
}

/// What contradicts an annotation of a prepared program, if something is found.
pub(crate) fn counterexample(program: &Program, annotation: &Annotation) -> Option<String> {
    let imported = import(program, annotation).ok()?;
    let options = CompileOptions { uninitialised: Uninitialised::Choose, markers: Markers::Locations };
    let code = Code::new(program, options);
    let mut checked = Checked { program, imported, random: Random::new(1) };
    for _ in 0..MAX_RUNS {
        let mut machine = Machine::new(program, &code, Config::default());
        machine.stop_at(annotation.locations());
        for _ in 0..MAX_STOPS {
            let place = match checked.piece(&mut machine) {
                Step::Location(proc, location) => (proc, location),
                Step::Ended(Outcome::Error { .. }) => {
                    return Some("an execution reaches the error".to_owned());
                }
                Step::Ended(_) => break,
            };
            if !checked.holds(place, &machine.view()) {
                return Some(format!("an execution breaks the invariant of {place:?}"));
            }
            if let Some(found) = checked.elsewhere(place, &machine) {
                return Some(found);
            }
        }
    }
    None
}

impl Checked<'_> {
    /// Executes up to the next annotated location.
    fn piece(&mut self, machine: &mut Machine<'_>) -> Step {
        let random = &mut self.random;
        let mut oracle = |request: &Request<'_>| {
            let Some((low, high)) = request.ty.range() else { return Some(Choice::Bits(0)) };
            Some(Choice::Int(near(random, low, high)))
        };
        let mut budget = base::Budget::ticks(10_000);
        machine.step(&mut oracle, &mut Silent, &mut std::io::sink(), &mut budget)
    }

    /// Executes pieces from other states in which the invariant holds.
    fn elsewhere(&mut self, place: (ProcId, Loc), machine: &Machine<'_>) -> Option<String> {
        let Imported { terms, vocabulary, claims, .. } = &self.imported;
        // Whether it holds for all values of quantified symbols is not known of a changed state.
        let symbols = terms.symbols_of(claims[&place].never);
        if symbols.into_iter().any(|symbol| vocabulary.is_free(symbol)) {
            return None;
        }
        for _ in 0..MAX_CHANGES {
            let mut changed = machine.clone();
            for _ in 0..=self.random.below(3) {
                let var = VarId(self.random.below(self.program.vars.len()) as u32);
                let Some(value) = changed.view().scalar(var) else { continue };
                let Some((low, high)) = value.ty.range() else { continue };
                let by = near(&mut self.random, -3, 3);
                let new = if self.random.below(2) == 0 {
                    value.as_int() + by
                } else {
                    near(&mut self.random, low, high)
                };
                changed.set(var, Value::int(value.ty, new.clamp(low, high)));
            }
            if !self.holds(place, &changed.view()) {
                continue;
            }
            match self.piece(&mut changed) {
                Step::Location(proc, location) if !self.holds((proc, location), &changed.view()) => {
                    return Some(format!("a piece from {place:?} breaks the invariant of {location}"));
                }
                Step::Ended(Outcome::Error { .. }) => {
                    return Some(format!("a piece from {place:?} reaches the error"));
                }
                Step::Location(..) | Step::Ended(_) => {}
            }
        }
        None
    }

    /// Whether an invariant holds, as far as some values of quantified symbols tell.
    fn holds(&mut self, place: (ProcId, Loc), view: &View<'_>) -> bool {
        let Imported { terms, vocabulary, claims, .. } = &self.imported;
        let Claim { facts: Some(facts), never, .. } = &claims[&place] else { return false };
        let mut model = state(self.program, vocabulary, view);
        for (var, value) in facts.iter() {
            let values = match self.program.vars[var].storage {
                Storage::Array { .. } => {
                    view.elements(var).into_iter().map(|(_, value)| Some(value)).collect()
                }
                _ => vec![view.scalar(var)],
            };
            if values.into_iter().flatten().any(|found| !value.contains(found.as_int())) {
                return false;
            }
        }
        let free: Vec<SymbolId> =
            terms.symbols_of(*never).into_iter().filter(|symbol| vocabulary.is_free(*symbol)).collect();
        for _ in 0..if free.is_empty() { 1 } else { MAX_SAMPLES } {
            choose(terms, &free, &mut model, &mut self.random);
            if Evaluator::new(terms, &model).holds(*never) {
                return false;
            }
        }
        true
    }
}

/// The values of variables and products; what has none yet is 0.
fn state(program: &Program, vocabulary: &Vocabulary, view: &View<'_>) -> Model {
    let mut model = Model::new();
    for (var, info) in program.vars.iter_enumerated() {
        let Some(symbol) = vocabulary.symbol(var) else { continue };
        if vocabulary.logic() == LogicName::Bits {
            model.set(symbol, vector(program, info.storage, view, var));
            continue;
        }
        if let Storage::Array { .. } = info.storage {
            let mut array = ArrayValue::new(Integer::from(0));
            for (index, value) in view.elements(var).into_iter().take(64) {
                array.set(Integer::from(index), Integer::from(value.as_int()));
            }
            model.set(symbol, term::Value::Array(array));
        } else if let Some(value) = view.scalar(var).filter(|value| value.ty.is_int()) {
            model.set_int(symbol, value.as_int());
        }
    }
    for (symbol, sum) in vocabulary.sums() {
        let bound = match sum.bound {
            Bound::Number(number) => Integer::from(number),
            Bound::Variable(var) => vocabulary.symbol(var).map_or(Integer::from(0), |own| model.int(own)),
        };
        let is_counted = |index: i128| index >= 0 && Integer::from(index) < bound;
        let elements = view.elements(sum.array).into_iter().filter(|(index, _)| is_counted(*index));
        let total =
            elements.fold(Integer::from(0), |total, (_, value)| total + Integer::from(value.as_int()));
        model.set_int(symbol, total);
    }
    for (symbol, factors) in vocabulary.products() {
        let factors = factors.iter().filter_map(|factor| vocabulary.symbol(*factor));
        let product = factors.fold(Integer::from(1), |product, factor| product * model.int(factor));
        model.set_int(symbol, product);
    }
    model
}

/// The value of a variable in the logic of bits; what has none yet is 0.
fn vector(program: &Program, storage: Storage, view: &View<'_>, var: VarId) -> term::Value {
    let unsigned = |value: Value| Integer::from(value.bits);
    if let Storage::Array { .. } = storage {
        let mut array = ArrayValue::new(Integer::from(0));
        for (index, value) in view.elements(var).into_iter().take(64) {
            array.set(Integer::from(index), unsigned(value));
        }
        return term::Value::Array(array);
    }
    let width = program.vars[var].scalar().map_or(1, |ty| u32::from(ty.width(program.data_model)));
    term::Value::BitVec(width, view.scalar(var).map_or(Integer::from(0), unsigned))
}

fn choose(terms: &Terms, symbols: &[SymbolId], model: &mut Model, random: &mut Random) {
    for symbol in symbols {
        match terms.symbol(*symbol).sort {
            Sort::Bool => model.set(*symbol, term::Value::Bool(random.below(2) == 0)),
            Sort::Int => model.set_int(*symbol, near(random, -100, 100)),
            Sort::BitVec(width) => {
                let number = Integer::from(near(random, -100, 100)).modulo(&Integer::power_of_two(width));
                model.set(*symbol, term::Value::BitVec(width, number));
            }
            Sort::Array | Sort::BitArray(_) => {}
        }
    }
}

/// A number between two others, often near zero or an end.
fn near(random: &mut Random, low: i128, high: i128) -> i128 {
    let value = match random.below(8) {
        0 => low,
        1 => high,
        2 => i128::from(random.between(0, 1 << 40)) - (1 << 39),
        3 | 4 => i128::from(random.between(0, 200)) - 100,
        _ => i128::from(random.between(0, 12)) - 2,
    };
    value.clamp(low, high)
}
