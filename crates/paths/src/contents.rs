//! What tests want of elements that no operation has written.
//!
//! Such an element has any value, which an execution chooses when it is first read ([`interp::Request::element`]). A model of a path, or of the guide, says which one leads on: the cells
//! (`graph::cells`), which stand for the elements that the error depends on, and the rest of each array.
//!
//! # Invariants
//! * W1: nothing here is trusted: a test with other values is a test, too.

use std::collections::BTreeMap;

use cfa::VarId;
use encode::Skolem;
use graph::cells::Cell;
use graph::cut::{Arc, Graph};
use interp::Request;
use term::{ArrayValue, Evaluator, Integer, Model, Sort, SymbolId, Terms, Value};

/// Values for elements that have none yet.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The elements that cells stand for.
    cells: BTreeMap<(VarId, i128), i128>,
    /// All others.
    arrays: BTreeMap<VarId, ArrayValue>,
}

impl Contents {
    /// What a model says of the state at hand: the values of arrays, by their symbols, and those of cells.
    pub fn of_state(
        arrays: &[(VarId, SymbolId)],
        cells: &[(VarId, Cell)],
        model: &Model,
        terms: &Terms,
    ) -> Self {
        let mut contents = Self::of_arrays(arrays, model);
        for (var, cell) in cells {
            if let Some(Value::Int(value)) = model.get(cell.symbol) {
                contents.want(*var, &Evaluator::new(terms, model).int(cell.index), value);
            }
        }
        contents
    }

    /// What a model says of arrays whose contents are left open on the way: by the symbols of these contents.
    pub fn of_open(
        arrays: &[(VarId, SymbolId)],
        cells: &[(VarId, Cell)],
        model: &Model,
        terms: &Terms,
    ) -> Self {
        let mut contents = Self::of_arrays(arrays, model);
        for (var, cell) in cells {
            if let Some(array) = contents.arrays.get(var) {
                let index = Evaluator::new(terms, model).int(cell.index);
                let value = array.get(&index).clone();
                contents.want(*var, &index, &value);
            }
        }
        contents
    }

    fn of_arrays(arrays: &[(VarId, SymbolId)], model: &Model) -> Self {
        let value = |(var, symbol): &(VarId, SymbolId)| match model.get(*symbol) {
            Some(Value::Array(value)) => Some((*var, value.clone())),
            _ => None,
        };
        Self { cells: BTreeMap::new(), arrays: arrays.iter().filter_map(value).collect() }
    }

    fn want(&mut self, var: VarId, index: &Integer, value: &Integer) {
        if let (Some(index), Some(value)) = (index.to_i128(), value.to_i128()) {
            self.cells.insert((var, index), value);
        }
    }

    /// Adds what is wanted later, which counts where both say something.
    pub fn extend(&mut self, later: Self) {
        self.cells.extend(later.cells);
        self.arrays.extend(later.arrays);
    }

    /// The value for an element that is asked for.
    pub fn answer(&self, request: &Request<'_>) -> Option<i128> {
        let (var, index) = request.element?;
        let index = i128::from(index);
        let of_array = || self.arrays.get(&var).and_then(|array| array.get(&Integer::from(index)).to_i128());
        self.cells.get(&(var, index)).copied().or_else(of_array)
    }
}

/// The cells of a graph with the variables of their arrays.
pub fn cells_of(graph: &Graph) -> Vec<(VarId, Cell)> {
    let cells = graph.cells.cells.iter();
    cells.filter_map(|cell| Some((graph.vocabulary.var(cell.array)?, cell.clone()))).collect()
}

/// The arrays whose contents an arc leaves open, and the Skolem constants that stand for these.
pub fn open_arrays<'a>(
    graph: &'a Graph,
    arc: &'a Arc,
    terms: &'a Terms,
) -> impl Iterator<Item = (VarId, &'a Skolem)> {
    let is_array = |skolem: &&Skolem| skolem.is_input() && terms.symbol(skolem.symbol).sort == Sort::Array;
    arc.skolems.iter().filter(is_array).filter_map(|skolem| {
        let mut updates = arc.formula.update.iter();
        let (array, _) = updates.find(|(_, value)| terms.mentions(**value, &[skolem.symbol]))?;
        Some((graph.vocabulary.var(*array)?, skolem))
    })
}
