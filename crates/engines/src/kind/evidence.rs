//! The annotation that a proof by k-induction is.
//!
//! `bad(p)` says that the error is reached from a state of p by at most k arcs, with quantified copies of what the path goes through. If no path of k + 1 arcs leads to the error, its complement
//! is inductive without any k: at most k arcs from a successor are at most k + 1 from here, hence at most k.
//!
//! # Invariants
//! * W1: for each arc one instance says what to choose at its source, given the choices of its target: the first position is where the arc leads, all others move on by one.

use graph::cut::{ENTRY, PointId};
use graph::direction::Over;
use summary::Reach;
use term::{Substitution, SymbolId, TermId, Terms};

use super::unroll::{Position, Unrolling};
use crate::guide::Guide;

/// The states of each point from which the error is reached by at most k arcs, or that no execution reaches.
pub(super) struct Bad {
    reach: Vec<Over<Reach>>,
}

impl Bad {
    /// For paths of at most `k` arcs.
    pub(super) fn new(unrolling: &Unrolling<'_>, k: usize, terms: &mut Terms) -> Self {
        let graph = unrolling.space.graph;
        // The first has names for the choices of the first arc only, the others for the states after it.
        let positions: Vec<Position> = (0..=k).map(|_| unrolling.position(terms)).collect();
        let mut rest = Terms::FALSE;
        for at in (1..=k).rev() {
            let further = if at < k {
                let step = unrolling.step(terms, &positions[at], &positions[at + 1]);
                terms.and([step, rest])
            } else {
                Terms::FALSE
            };
            let is_there = graph.target.map(|target| positions[at].is_at(terms, target));
            rest = terms.or(is_there.into_iter().chain([further]));
        }
        let renamed: Vec<(SymbolId, TermId)> =
            positions[0].choices.iter().map(|(symbol, name)| (*symbol, terms.of_symbol(*name))).collect();
        let mut renaming = Substitution::new(renamed);
        let mut reach = Vec::new();
        for point in graph.points.ids() {
            let formula = if Some(point) == graph.target {
                Terms::TRUE
            } else {
                let first = unrolling.arc_from(terms, point, &positions[1]);
                let first = renaming.apply(terms, first);
                let holds = terms.and(unrolling.invariants[point].iter().copied());
                let fails = if point == ENTRY { Terms::FALSE } else { terms.not(holds) };
                let bad = terms.and([first, rest]);
                terms.or([bad, fails])
            };
            let instances = instances(unrolling, point, &positions, terms);
            reach.push(Over::by_construction(Reach { formula, instances }));
        }
        Self { reach }
    }
}

/// W1.
fn instances(
    unrolling: &Unrolling<'_>,
    point: PointId,
    positions: &[Position],
    terms: &mut Terms,
) -> Vec<Vec<(SymbolId, TermId)>> {
    let graph = unrolling.space.graph;
    let mut later: Vec<(SymbolId, TermId)> = Vec::new();
    for (at, pair) in positions.windows(2).enumerate() {
        let choices = pair[1].choices.iter().map(|(symbol, name)| (*name, pair[0].choices[symbol]));
        later.extend(choices.map(|(name, before)| (name, terms.of_symbol(before))));
        if at > 0 {
            later.push((pair[1].at, terms.of_symbol(pair[0].at)));
            let values = pair[1].values.iter().map(|(symbol, name)| (*name, pair[0].values[symbol]));
            later.extend(values.map(|(name, before)| (name, terms.of_symbol(before))));
        }
    }
    let mut instances = Vec::new();
    for arc in &graph.points[point].outgoing {
        let arc = &graph.arcs[*arc];
        let mut instance = later.clone();
        for skolem in &arc.skolems {
            instance.push((positions[0].choices[&skolem.symbol], terms.of_symbol(skolem.symbol)));
        }
        instance.push((positions[1].at, positions[1].number(terms, arc.target)));
        for symbol in &graph.points[arc.target].live {
            instance.push((positions[1].values[symbol], arc.formula.value(terms, *symbol)));
        }
        instances.push(instance);
    }
    if instances.is_empty() {
        instances.push(Vec::new());
    }
    instances
}

impl Guide for Bad {
    fn ahead(&self, at: PointId) -> &Over<Reach> {
        &self.reach[at.0 as usize]
    }
}
