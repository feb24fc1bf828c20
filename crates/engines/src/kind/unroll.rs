//! Paths of a given number of arcs as one formula.
//!
//! Each position of a path has a copy of the variables, a number that says at which point it is, and a copy of what the arc that leaves it chooses. A step between two positions is the
//! disjunction of all arcs, so the formula grows linearly with the number of arcs of a path.
//!
//! # Invariants
//! * U1: a model of steps is a path in the encoding; every position satisfies the facts and the invariants of its point.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use encode::LogicName;
use graph::cut::{ArcId, PointId};
use paths::Space;
use term::{Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// Bits of the number of a point.
const POINT_BITS: u32 = 32;

/// The names at one position of a path.
#[derive(Clone, Debug)]
pub(super) struct Position {
    /// The number of the point.
    pub(super) at: SymbolId,
    /// For each variable its copy.
    pub(super) values: BTreeMap<SymbolId, SymbolId>,
    /// For each choice of an arc its copy.
    pub(super) choices: BTreeMap<SymbolId, SymbolId>,
}

impl Position {
    /// That it is at a point.
    pub(super) fn is_at(&self, terms: &mut Terms, point: PointId) -> TermId {
        let (at, number) = (terms.of_symbol(self.at), self.number(terms, point));
        terms.eq(at, number)
    }

    /// The number of a point.
    pub(super) fn number(&self, terms: &mut Terms, point: PointId) -> TermId {
        match terms.symbol(self.at).sort {
            Sort::BitVec(width) => terms.bv_number(width, i128::from(point.0)),
            _ => terms.int(i64::from(point.0)),
        }
    }
}

/// Makes positions and steps.
pub(super) struct Unrolling<'a> {
    pub(super) space: Space<'a>,
    /// What holds at the points, beyond their facts.
    pub(super) invariants: &'a IndexVec<PointId, Vec<TermId>>,
    variables: BTreeSet<SymbolId>,
}

impl<'a> Unrolling<'a> {
    pub(super) fn new(space: Space<'a>, invariants: &'a IndexVec<PointId, Vec<TermId>>) -> Self {
        let variables = space.graph.points.iter().flat_map(|point| point.live.iter().copied()).collect();
        Self { space, invariants, variables }
    }

    /// Names for a position.
    pub(super) fn position(&self, terms: &mut Terms) -> Position {
        let copy = |terms: &mut Terms, symbol: SymbolId| {
            let info = terms.symbol(symbol).clone();
            (symbol, terms.declare(info.name, info.sort, SymbolKind::Skolem))
        };
        let values = self.variables.iter().map(|symbol| copy(terms, *symbol)).collect();
        let chosen = self.space.graph.arcs.iter().flat_map(|arc| &arc.skolems);
        let choices = chosen.map(|skolem| copy(terms, skolem.symbol)).collect();
        let numbers = match self.space.graph.vocabulary.logic() {
            LogicName::Integers => Sort::Int,
            LogicName::Bits => Sort::BitVec(POINT_BITS),
        };
        Position { at: terms.declare("at", numbers, SymbolKind::Skolem), values, choices }
    }

    /// One arc between two positions.
    pub(super) fn step(&self, terms: &mut Terms, from: &Position, to: &Position) -> TermId {
        let names = from.values.iter().chain(&from.choices);
        let names: Vec<(SymbolId, TermId)> =
            names.map(|(symbol, name)| (*symbol, terms.of_symbol(*name))).collect();
        let mut renaming = Substitution::new(names);
        let mut ways = Vec::new();
        for point in self.space.graph.points.ids() {
            let way = self.arc_from(terms, point, to);
            let way = renaming.apply(terms, way);
            let is_here = from.is_at(terms, point);
            ways.push(terms.and([is_here, way]));
        }
        terms.or(ways)
    }

    /// One arc from a point, over its variables and the arcs' own choices, to a position.
    pub(super) fn arc_from(&self, terms: &mut Terms, point: PointId, to: &Position) -> TermId {
        let mut ways = Vec::new();
        for arc in &self.space.graph.points[point].outgoing {
            let arc = &self.space.graph.arcs[*arc];
            let mut parts = vec![arc.formula.guard, to.is_at(terms, arc.target)];
            for symbol in &self.space.graph.points[arc.target].live {
                let value = arc.formula.value(terms, *symbol);
                let name = terms.of_symbol(to.values[symbol]);
                parts.push(terms.eq(name, value));
            }
            ways.push(terms.and(parts));
        }
        let ways = terms.or(ways);
        let known = terms.and(self.invariants[point].iter().copied().chain([ways]));
        let background = self.space.background(terms, point, known);
        terms.and([background, known])
    }

    /// The arcs of a path that a model describes.
    pub(super) fn arcs(&self, positions: &[Position], model: &Model) -> Vec<ArcId> {
        let point = |position: &Position| model.int(position.at).to_i64();
        let mut arcs = Vec::new();
        for pair in positions.windows(2) {
            let (source, target) = (point(&pair[0]), point(&pair[1]));
            let is_taken = |arc: &graph::cut::Arc| {
                Some(i64::from(arc.source.0)) == source && Some(i64::from(arc.target.0)) == target
            };
            arcs.extend(
                self.space.graph.arcs.iter_enumerated().find(|(_, arc)| is_taken(arc)).map(|(id, _)| id),
            );
        }
        arcs
    }
}
