//! Tests commit to the indices with which the error is to be reached.
//!
//! The guide speaks of elements at ghosts (`graph::cells`): some index κ, and the value of `a[κ]`. A state of the interpreter has all elements and no ghost. So the first model of a test fixes the
//! ghosts, and from then on the guide is asked with their values and with the elements that the interpreter has there, whatever the length of the array. One element
//! of a long array is steered, all others repeat what was chosen last (`repeat`).
//!
//! If the guide has no way to the error with these indices, others may do: it is asked without them, and the test commits anew, at most [`CHANGES`] times.
//!
//! # Invariants
//! * K1: a commitment only adds conjuncts to the state of a query; what is remembered of dead states (`dead_states`) is shown without it.

use std::collections::BTreeMap;

use cfa::VarId;
use graph::cells::Cell;
use graph::cut::{Graph, PointId};
use interp::View;
use paths::{Contents, cells_of, open_arrays};
use term::{Integer, Model, Node, Sort, SymbolId, TermId, Terms};

use super::dead_states::number;

/// How often a test commits to other indices.
const CHANGES: u32 = 8;

/// The indices of a test.
#[derive(Clone, Debug)]
pub(super) struct Commitment {
    ghosts: BTreeMap<SymbolId, Integer>,
    /// How often they may change.
    changes: u32,
}

impl Commitment {
    /// To the values of some ghosts; if there are none, to what the first model says.
    pub(super) fn new(ghosts: BTreeMap<SymbolId, Integer>) -> Self {
        Self { ghosts, changes: CHANGES }
    }

    /// Whether there is one.
    pub(super) fn is_made(&self) -> bool {
        !self.ghosts.is_empty()
    }

    /// Whether it can be given up.
    pub(super) fn may_change(&self) -> bool {
        self.changes > 0
    }

    /// What is left after giving it up: the next model makes another one.
    pub(super) fn given_up(&self) -> Self {
        Self { ghosts: BTreeMap::new(), changes: self.changes.saturating_sub(1) }
    }
}

/// What the guide of a point can be told of ghosts and of elements, and what it says of them.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    ghosts: Vec<SymbolId>,
    cells: Vec<(VarId, Cell)>,
    /// The variables of the symbols in indices.
    vars: BTreeMap<SymbolId, VarId>,
    /// The arrays at the point.
    arrays: Vec<(VarId, SymbolId)>,
    /// Those whose contents are left open on the way from it.
    open: Vec<(VarId, SymbolId)>,
}

impl Followed {
    /// Of a point of a graph.
    pub(super) fn of(graph: &Graph, id: PointId, terms: &Terms) -> Self {
        let (cells, point) = (cells_of(graph), &graph.points[id]);
        let of_symbol = |symbol: SymbolId| Some((symbol, graph.vocabulary.var(symbol)?));
        let of_index = |(_, cell): &(VarId, Cell)| terms.symbols_of(cell.index);
        let vars = cells.iter().flat_map(of_index).filter_map(of_symbol).collect();
        let arrays = point.live.iter().filter(|symbol| terms.symbol(**symbol).sort == Sort::Array);
        let arrays = arrays.filter_map(|symbol| Some((graph.vocabulary.var(*symbol)?, *symbol))).collect();
        let arcs = point.outgoing.iter().map(|arc| &graph.arcs[*arc]);
        let open = arcs.flat_map(|arc| open_arrays(graph, arc, terms));
        let open = open.map(|(var, skolem)| (var, skolem.symbol)).collect();
        Self { ghosts: graph.cells.ghosts.clone(), cells, vars, arrays, open }
    }

    /// Whether contents of arrays are left open on the way from the point.
    pub(super) fn opens_arrays(&self) -> bool {
        !self.open.is_empty()
    }

    /// What elements are to be that have no value yet; nothing if there are no arrays.
    pub(super) fn contents(&self, model: &Model, terms: &Terms) -> Option<Contents> {
        if self.arrays.is_empty() && self.open.is_empty() {
            return None;
        }
        let mut contents = Contents::of_state(&self.arrays, &self.cells, model, terms);
        contents.extend(Contents::of_open(&self.open, &self.cells, model, terms));
        Some(contents)
    }

    /// Fixes the ghosts that are not fixed yet.
    pub(super) fn commit(&self, commitment: &mut Commitment, model: &Model) {
        for ghost in &self.ghosts {
            if model.get(*ghost).is_some() {
                commitment.ghosts.entry(*ghost).or_insert_with(|| model.int(*ghost));
            }
        }
    }

    /// That the ghosts are what the test has committed to, and the elements what they are in a state.
    pub(super) fn formula(&self, commitment: &Commitment, view: &View<'_>, terms: &mut Terms) -> TermId {
        let mut parts = Vec::new();
        for (ghost, value) in &commitment.ghosts {
            let (ghost, value) = (terms.of_symbol(*ghost), terms.number(value.clone()));
            parts.push(terms.eq(ghost, value));
        }
        for (var, cell) in &self.cells {
            let Some(index) = self.index(cell.index, commitment, view, terms) else { continue };
            let Some(value) = view.elem(*var, index).and_then(number) else { continue };
            let (symbol, array) = (terms.of_symbol(cell.symbol), terms.of_symbol(cell.array));
            let (index, value) = (terms.number(index), terms.number(value));
            let element = terms.select(array, index);
            parts.push(terms.eq(symbol, value));
            parts.push(terms.eq(element, value));
        }
        terms.and(parts)
    }

    /// The number that an index is.
    fn index(&self, index: TermId, commitment: &Commitment, view: &View<'_>, terms: &Terms) -> Option<i128> {
        let form = terms.linear(index);
        let mut sum = form.constant_part().to_i128()?;
        for (part, factor) in form.terms() {
            let Node::Symbol(symbol) = *terms.node(*part) else { return None };
            let value = match commitment.ghosts.get(&symbol) {
                Some(value) => value.to_i128()?,
                None => view.scalar(*self.vars.get(&symbol)?).and_then(number)?,
            };
            sum = sum.checked_add(factor.to_i128()?.checked_mul(value)?)?;
        }
        Some(sum)
    }
}
