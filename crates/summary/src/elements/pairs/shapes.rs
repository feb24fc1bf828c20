//! Candidates for facts about pairs of elements: what sorting loops and searches for an extreme element maintain.
//!
//! With places `0 <= low <= high` and an order of elements, of the elements at `k` and `l`:
//! * a part is sorted: `low <= k < l < high`, with or without one place that is just being filled;
//! * it is sorted, and the rest lies on one side of it: `0 <= k < l < high`, and `k < place` or `place <= l`;
//! * one element, or a variable, is an extreme: `low <= k < high`.
//!
//! A loop suggests those of which nothing is said where it is entered, and those that held before it. Where it ends, its variables have their last values. Places that
//! the loop orders are candidates, too. Nothing here is proved.
//!
//! # Cost
//! No question. At most [`MAX_FACTS`] candidates a point.

use std::collections::BTreeSet;

use base::IndexVec;
use graph::Graph;
use graph::cut::PointId;
use term::{Integer, Sort, Substitution, SymbolId, TermId, Terms};

use super::PairFact;
use super::places::Places;
use crate::elements::forms::push;

/// Candidates of one point and array.
const MAX_FACTS: usize = 200;

/// In which direction elements are ordered.
#[derive(Clone, Copy)]
enum Order {
    Ascending,
    Descending,
}

/// The candidates of a point for one array, given the facts of earlier points and the candidates of its own loop.
pub(super) fn candidates(
    graph: &Graph,
    terms: &mut Terms,
    ghosts: [SymbolId; 2],
    (array, places): (SymbolId, &Places),
    point: PointId,
    before: &IndexVec<PointId, Vec<PairFact>>,
) -> Vec<PairFact> {
    let mut shapes = Shapes::at(graph, terms, ghosts, array, places, point);
    shapes.inherit(before);
    if graph.points[point].body.is_some() && shapes.is_entered() {
        shapes.scalars();
        shapes.sorted();
        shapes.extremes();
    }
    shapes.found
}

struct Shapes<'a> {
    graph: &'a Graph,
    terms: &'a mut Terms,
    ghosts: [TermId; 2],
    ghost_symbols: [SymbolId; 2],
    array: SymbolId,
    places: &'a Places,
    point: PointId,
    /// The places whose variables matter at the point.
    here: Vec<TermId>,
    /// The variables that the loop of the point changes.
    changed: BTreeSet<SymbolId>,
    entries: Vec<Substitution>,
    rounds: Vec<Substitution>,
    found: Vec<PairFact>,
}

impl<'a> Shapes<'a> {
    fn at(
        graph: &'a Graph,
        terms: &'a mut Terms,
        ghost_symbols: [SymbolId; 2],
        array: SymbolId,
        places: &'a Places,
        point: PointId,
    ) -> Self {
        let live = &graph.points[point].live;
        let is_live =
            |place: &TermId| terms.symbols_of(*place).iter().all(|symbol| live.binary_search(symbol).is_ok());
        let here = places.all.iter().copied().filter(is_live).collect();
        let (mut changed, mut entries, mut rounds) = (BTreeSet::new(), Vec::new(), Vec::new());
        for arc in &graph.arcs {
            let is_inside = graph.in_loop(point, arc.source);
            if is_inside && graph.in_loop(point, arc.target) {
                changed.extend(arc.formula.update.keys().copied());
            }
            if arc.target == point {
                let list = if is_inside { &mut rounds } else { &mut entries };
                list.push(arc.formula.substitution());
            }
        }
        let ghosts = ghost_symbols.map(|ghost| terms.of_symbol(ghost));
        Self {
            graph,
            terms,
            ghosts,
            ghost_symbols,
            array,
            places,
            point,
            here,
            changed,
            entries,
            rounds,
            found: Vec::new(),
        }
    }

    fn is_entered(&self) -> bool {
        self.graph.points[self.point].live.binary_search(&self.array).is_ok() && !self.entries.is_empty()
    }

    /// What is known where arcs to the point start: as it is, and with the last values of a loop that they leave.
    fn inherit(&mut self, before: &IndexVec<PointId, Vec<PairFact>>) {
        for arc in &self.graph.arcs {
            if arc.target != self.point || arc.source >= self.point {
                continue;
            }
            let is_end =
                self.graph.points[arc.source].body.is_some() && !self.graph.in_loop(arc.source, self.point);
            let own = before[arc.source].iter().filter(|fact| fact.array == self.array);
            for fact in own.copied().collect::<Vec<_>>() {
                if is_end {
                    let symbols = self.terms.symbols_of(fact.formula);
                    for (variable, last) in &self.places.last {
                        if symbols.contains(variable) {
                            let formula =
                                Substitution::new([(*variable, *last)]).apply(self.terms, fact.formula);
                            self.push(PairFact { formula, ..fact });
                        }
                    }
                }
                self.push(fact);
            }
        }
    }

    /// How variables are ordered: as where the loop is entered, and by its conditions.
    fn scalars(&mut self) {
        let array = self.array;
        for formula in self.places.bounds.clone() {
            self.push(PairFact { array, formula, ghosts: 0 });
        }
        let live = self.graph.points[self.point].live.clone();
        let mut variables = Vec::new();
        for place in self.places.indices.clone() {
            for symbol in self.terms.symbols_of(place) {
                if self.changed.contains(&symbol) && live.binary_search(&symbol).is_ok() {
                    push(&mut variables, self.terms.of_symbol(symbol));
                }
            }
        }
        let mut others = vec![self.terms.int(0)];
        for place in self.here.clone() {
            for symbol in self.terms.symbols_of(place) {
                push(&mut others, self.terms.of_symbol(symbol));
            }
        }
        for variable in variables {
            for other in others.clone() {
                let Some(distance) = self.on_entry(variable, other) else { continue };
                if variable == other {
                    continue;
                }
                let distance = self.terms.number(distance);
                let level = self.terms.add(other, distance);
                for formula in [self.terms.le(level, variable), self.terms.le(variable, level)] {
                    self.push(PairFact { array, formula, ghosts: 0 });
                }
            }
        }
    }

    /// Parts that are sorted.
    fn sorted(&mut self) {
        let zero = self.terms.int(0);
        let [k, l] = self.ghosts;
        let places = self.here.clone();
        for place in places.clone() {
            let moves = self.moves(place);
            if moves && self.is_at_most(place, zero, 1) {
                let inside = [self.terms.le(zero, k), self.terms.lt(l, place)];
                self.ordered(&inside);
            }
            for end in self.places.ends.clone() {
                if !moves || self.moves(end) {
                    continue;
                }
                let (after, inside) = (self.terms.le(zero, k), self.terms.lt(l, end));
                if self.is_at_most(place, zero, 0) {
                    let before = self.terms.lt(k, place);
                    self.ordered(&[after, before, inside]);
                }
                if self.is_at_most(end, place, 1) {
                    let behind = self.terms.le(place, k);
                    self.ordered(&[behind, inside]);
                }
                if self.is_at_most(end, place, 0) {
                    let behind = self.terms.le(place, l);
                    self.ordered(&[after, behind, inside]);
                }
            }
            for other in places.clone() {
                // The last place of a sorted part is being filled.
                let apart = self.terms.sub(other, place);
                let is_fixed = self.terms.as_number(apart).is_some();
                if moves && !is_fixed && self.on_entry(other, place).is_some_and(|distance| distance.is_one())
                {
                    let filled = [self.terms.ne(k, place), self.terms.ne(l, place)];
                    let inside = [self.terms.le(zero, k), self.terms.lt(l, other), filled[0], filled[1]];
                    self.ordered(&inside);
                }
            }
        }
    }

    /// Elements, and variables, that no element of a growing part exceeds, or falls below.
    fn extremes(&mut self) {
        let [k, _] = self.ghosts;
        let live = self.graph.points[self.point].live.clone();
        let array = self.terms.of_symbol(self.array);
        let mut extremes: Vec<(TermId, Option<TermId>)> = Vec::new();
        for index in self.places.indices.clone() {
            if self.terms.symbols_of(index).iter().all(|symbol| live.binary_search(symbol).is_ok()) {
                extremes.push((self.terms.select(array, index), Some(index)));
            }
        }
        for value in &self.places.values {
            if live.binary_search(value).is_ok() && self.terms.symbol(*value).sort == Sort::Int {
                extremes.push((self.terms.of_symbol(*value), None));
            }
        }
        for low in self.here.clone() {
            for high in self.here.clone() {
                let Some(distance) = self.on_entry(high, low) else { continue };
                if distance.is_negative() || distance > Integer::ONE || !self.grows(low, high) {
                    continue;
                }
                for (extreme, index) in extremes.clone() {
                    let is_other = |shapes: &mut Self, index: TermId| {
                        shapes.on_entry(index, low).is_some_and(|distance| !distance.is_zero())
                    };
                    if distance.is_one() && index.is_some_and(|index| is_other(self, index)) {
                        continue;
                    }
                    let inside = [self.terms.le(low, k), self.terms.lt(k, high)];
                    let inside = self.terms.and(inside);
                    let element = self.terms.select(array, k);
                    for order in [self.terms.le(element, extreme), self.terms.le(extreme, element)] {
                        let formula = self.terms.implies(inside, order);
                        self.push(PairFact { array: self.array, formula, ghosts: 1 });
                    }
                }
            }
        }
    }

    fn ordered(&mut self, inside: &[TermId]) {
        let [k, l] = self.ghosts;
        let before = self.terms.lt(k, l);
        let inside = self.terms.and(inside.iter().copied().chain([before]));
        let array = self.terms.of_symbol(self.array);
        let (first, second) = (self.terms.select(array, k), self.terms.select(array, l));
        for order in [Order::Ascending, Order::Descending] {
            let order = match order {
                Order::Ascending => self.terms.le(first, second),
                Order::Descending => self.terms.le(second, first),
            };
            let formula = self.terms.implies(inside, order);
            self.push(PairFact { array: self.array, formula, ghosts: 2 });
        }
    }

    fn moves(&self, place: TermId) -> bool {
        self.terms.symbols_of(place).iter().any(|symbol| self.changed.contains(symbol))
    }

    /// By how much one place exceeds another wherever the loop is entered, if that is a number.
    fn on_entry(&mut self, place: TermId, other: TermId) -> Option<Integer> {
        let difference = self.terms.sub(place, other);
        let mut known = None;
        for entry in &mut self.entries {
            let there = entry.apply(self.terms, difference);
            let distance = self.terms.as_number(there)?.clone();
            if known.as_ref().is_some_and(|known| *known != distance) {
                return None;
            }
            known = Some(distance);
        }
        known
    }

    fn is_at_most(&mut self, place: TermId, other: TermId, most: i64) -> bool {
        self.on_entry(place, other).is_some_and(|distance| distance <= Integer::from(most))
    }

    /// Whether each round of the loop makes a part larger.
    fn grows(&mut self, low: TermId, high: TermId) -> bool {
        let length = self.terms.sub(high, low);
        for round in &mut self.rounds {
            let later = round.apply(self.terms, length);
            let growth = self.terms.sub(later, length);
            if !self.terms.as_number(growth).is_some_and(Integer::is_positive) {
                return false;
            }
        }
        !self.rounds.is_empty()
    }

    /// Adds a candidate that speaks of what matters at the point.
    fn push(&mut self, fact: PairFact) {
        let live = &self.graph.points[self.point].live;
        let is_known =
            |symbol: &SymbolId| self.ghost_symbols.contains(symbol) || live.binary_search(symbol).is_ok();
        let is_trivial = fact.formula == Terms::TRUE || fact.formula == Terms::FALSE;
        if !is_trivial
            && self.found.len() < MAX_FACTS
            && self.terms.symbols_of(fact.formula).iter().all(is_known)
        {
            push(&mut self.found, fact);
        }
    }
}
