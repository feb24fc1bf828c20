//! Places: the indices and bounds that facts about pairs of elements may mention.
//!
//! Indices at which a program reads or writes an array, and what it compares their variables with, each with its neighbours.

use std::collections::{BTreeMap, BTreeSet};

use graph::Graph;
use graph::cells::stores;
use graph::cut::PointId;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

use crate::elements::forms::push;
use crate::elements::reads;

/// Neighbours of one place.
const MAX_OFFSETS: usize = 4;
/// Places in all.
const MAX_PLACES: usize = 24;
/// Variables in an index.
const MAX_VARIABLES: usize = 3;

/// What the program says of the indices of one array.
#[derive(Default)]
pub(super) struct Places {
    /// Indices and bounds, with their neighbours.
    pub(super) all: Vec<TermId>,
    /// Those of them that are bounds, or follow one.
    pub(super) ends: Vec<TermId>,
    /// Indices that are read or written, as they are.
    pub(super) indices: Vec<TermId>,
    /// The values that variables may have where their loop ends.
    pub(super) last: Vec<(SymbolId, TermId)>,
    /// The values that conditions allow: a variable is not above, or not below, the other term.
    pub(super) bounds: Vec<TermId>,
    /// Variables that hold elements.
    pub(super) values: Vec<SymbolId>,
}

/// Collects the places of an array.
pub(super) fn places(graph: &Graph, terms: &mut Terms, array: SymbolId) -> Places {
    let mut collector =
        Collector { terms, places: Places::default(), offsets: BTreeMap::new(), ends: BTreeSet::new() };
    let mut moved: BTreeSet<SymbolId> = BTreeSet::new();
    for arc in &graph.arcs {
        let is_round = |head: PointId| graph.in_loop(head, arc.source) && graph.in_loop(head, arc.target);
        if graph.points.ids().any(is_round) {
            moved.extend(arc.formula.update.keys().copied());
        }
        collector.indices_of(graph, &arc.formula, array);
    }
    let mut met = BTreeSet::new();
    let mut open: BTreeSet<SymbolId> = BTreeSet::new();
    for index in collector.places.indices.clone() {
        open.extend(collector.terms.symbols_of(index));
    }
    // What an index is compared with, then what that is compared with.
    for _ in 0..2 {
        let variables: Vec<SymbolId> = open.iter().copied().filter(|symbol| moved.contains(symbol)).collect();
        met.extend(open.iter().copied());
        let mut next = BTreeSet::new();
        for arc in &graph.arcs {
            for variable in &variables {
                next.extend(collector.bounds_of(arc.formula.guard, *variable));
            }
        }
        open = next.difference(&met).copied().collect();
    }
    collector.finish()
}

struct Collector<'a> {
    terms: &'a mut Terms,
    places: Places,
    /// Constant parts by the rest of a place.
    offsets: BTreeMap<Vec<(TermId, Integer)>, BTreeSet<Integer>>,
    /// The parts beside the constants that occur in bounds.
    ends: BTreeSet<Vec<(TermId, Integer)>>,
}

impl Collector<'_> {
    fn indices_of(&mut self, graph: &Graph, formula: &encode::Transition, array: SymbolId) {
        let mut found: Vec<TermId> = reads(self.terms, graph, formula)
            .into_iter()
            .filter(|(_, symbol, _)| *symbol == array)
            .map(|(_, _, index)| index)
            .collect();
        for (at, value) in
            formula.update.get(&array).map(|value| stores(self.terms, *value)).unwrap_or_default()
        {
            found.push(at);
            self.holds_element(value);
        }
        for index in found {
            let form = self.terms.linear(index);
            if self.is_place(&form) {
                self.add(&form);
                push(&mut self.places.indices, index);
            }
        }
        let mut roots: Vec<TermId> = formula.update.values().copied().collect();
        roots.push(formula.guard);
        for atom in self.terms.reachable(&roots) {
            let Node::Le(sum) = *self.terms.node(atom) else { continue };
            let form = self.terms.linear(sum);
            let is_element = |part: &TermId| matches!(self.terms.node(*part), Node::Select(..));
            if form.terms().iter().any(|(part, _)| is_element(part)) {
                for (part, _) in form.terms() {
                    self.holds_element(*part);
                }
            }
        }
        for (symbol, value) in &formula.update {
            if matches!(self.terms.node(*value), Node::Select(..)) {
                let own = self.terms.of_symbol(*symbol);
                self.holds_element(own);
            }
        }
    }

    fn holds_element(&mut self, term: TermId) {
        if let Node::Symbol(symbol) = *self.terms.node(term)
            && self.terms.symbol(symbol).kind == SymbolKind::Variable
            && self.terms.symbol(symbol).sort == Sort::Int
        {
            push(&mut self.places.values, symbol);
        }
    }

    /// What a condition compares a variable with; the variables in that.
    fn bounds_of(&mut self, guard: TermId, variable: SymbolId) -> Vec<SymbolId> {
        let own = self.terms.of_symbol(variable);
        let mut found = Vec::new();
        for atom in self.terms.reachable(&[guard]) {
            let (sum, is_order) = match *self.terms.node(atom) {
                Node::Le(sum) => (sum, true),
                Node::Zero(sum) => (sum, false),
                _ => continue,
            };
            let form = self.terms.linear(sum);
            let factor = form.coefficient(own);
            if !factor.abs().is_one() || !self.is_place(&form) {
                continue;
            }
            let rest = form.without(own);
            let bound = if factor.is_positive() { rest.negate() } else { rest };
            // Ranges of types are no bounds of arrays.
            if bound.constant_part().abs() >= Integer::from(i64::from(i32::MAX) - 2) {
                continue;
            }
            let beyond = if factor.is_positive() { Integer::ONE } else { -&Integer::ONE };
            let last = if is_order { bound.add_constant(&beyond) } else { bound.clone() };
            let last = self.terms.of_linear(&last);
            push(&mut self.places.last, (variable, last));
            if is_order {
                let reached =
                    if factor.is_positive() { self.terms.le(own, last) } else { self.terms.le(last, own) };
                push(&mut self.places.bounds, reached);
            }
            self.add(&bound);
            self.ends.insert(bound.terms().to_vec());
            for index in self.places.indices.clone() {
                let shift = self.terms.linear(index);
                if shift.coefficient(own).is_one() && shift.terms().len() == 1 {
                    self.add(&bound.add_constant(shift.constant_part()));
                }
            }
            let bound = self.terms.of_linear(&bound);
            found.extend(self.terms.symbols_of(bound));
        }
        found
    }

    /// Whether a sum is one of few variables.
    fn is_place(&self, form: &Linear) -> bool {
        let is_variable = |(part, _): &(TermId, Integer)| matches!(*self.terms.node(*part), Node::Symbol(symbol) if self.terms.symbol(symbol).kind == SymbolKind::Variable);
        form.terms().len() <= MAX_VARIABLES && form.terms().iter().all(is_variable)
    }

    fn add(&mut self, form: &Linear) {
        let rest = form.terms().to_vec();
        self.offsets.entry(rest).or_default().insert(form.constant_part().clone());
    }

    fn finish(mut self) -> Places {
        for (rest, offsets) in std::mem::take(&mut self.offsets) {
            let after = offsets.iter().map(|offset| offset + &Integer::ONE);
            let all: BTreeSet<Integer> = offsets.iter().cloned().chain(after).collect();
            for offset in all.into_iter().take(MAX_OFFSETS) {
                let place = self.terms.of_linear(&Linear::collect(rest.clone(), offset));
                // No loop ends in front of an array.
                let is_behind =
                    !rest.is_empty() || self.terms.as_number(place).is_some_and(|end| *end > Integer::ONE);
                if self.places.all.len() < MAX_PLACES {
                    push(&mut self.places.all, place);
                    if is_behind && self.ends.contains(&rest) {
                        push(&mut self.places.ends, place);
                    }
                }
            }
        }
        let first = self.terms.int(0);
        push(&mut self.places.all, first);
        self.places
    }
}
