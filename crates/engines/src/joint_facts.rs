//! Facts of loop heads that the conditions of the program suggest and that are inductive together.
//!
//! # Paper
//! [Houdini01]: candidates at all points are dropped until every arc preserves what is left ([`summary::joint`]).
//!
//! Candidates of a head are the conditions that any arc tests, their negations, bounds that are weaker by one, and sums and differences of two variables with the values that they
//! have when the loop is entered.
//!
//! # Invariants
//! * H1: with the facts of the points, what is returned is inductive: it holds whenever a point is reached.
//!
//! # Cost
//! For each arc at most a question for each candidate of its target, in each round; at most [`EFFORT`] ticks in all, then nothing is returned.

use base::{IndexVec, Stop};
use graph::cut::{ENTRY, PointId};
use paths::Space;
use smt::{Logic, Solver};
use summary::joint::{Asserted, Candidate, settle, survivors};
use summary::starts::{Start, starts};
use term::{Integer, Node, Sort, SymbolId, TermId, Terms};
use verdict::Reason;

/// Ticks for all facts.
const EFFORT: u64 = 20_000;
/// Candidates of one head.
const MAX_CANDIDATES: usize = 96;
/// Sums and differences of more variables are no candidates.
const MAX_RELATED: usize = 8;

/// Facts for each point.
pub(crate) fn joint_facts(
    space: Space<'_>,
    logic: &mut Logic,
) -> Result<IndexVec<PointId, Vec<TermId>>, Reason> {
    let graph = space.graph;
    let mut facts: IndexVec<PointId, Vec<TermId>> = IndexVec::filled(Vec::new(), graph.points.len());
    for (point, content) in graph.points.iter_enumerated() {
        if content.body.is_some() && point != ENTRY {
            facts[point] = candidates(space, point, &mut logic.terms);
        }
    }
    let mut child = logic.budget.child(EFFORT);
    std::mem::swap(&mut logic.budget, &mut child);
    let settled = settle(graph, &mut facts, |arc, facts| {
        let arc = &graph.arcs[arc];
        let mut after = arc.formula.substitution();
        let mut tested = Vec::new();
        for fact in &facts[arc.target] {
            let kept = after.apply(&mut logic.terms, *fact);
            tested.push(Candidate { assumed: Terms::TRUE, broken: logic.terms.not(kept) });
        }
        let known = facts[arc.source].iter().copied().chain([arc.formula.guard]);
        let start = logic.terms.and(known);
        let all = tested.iter().map(|candidate| candidate.broken).chain([start]).collect::<Vec<_>>();
        let all = logic.terms.or(all);
        let background = space.background(&mut logic.terms, arc.source, all);
        let mut solver = logic.solvers.z3_solver();
        solver.assert(&logic.terms, background);
        solver.assert(&logic.terms, start);
        let Logic { terms, budget, .. } = &mut *logic;
        survivors(&mut Asserted { terms, solver: &mut solver, budget }, &tested)
    });
    std::mem::swap(&mut logic.budget, &mut child);
    logic.budget.absorb(&child);
    match settled {
        Ok(()) => Ok(facts),
        Err(Stop::Ticks) => {
            logic.budget.poll().map_err(Reason::Stopped)?;
            Ok(IndexVec::filled(Vec::new(), graph.points.len()))
        }
        Err(stop) => Err(Reason::Stopped(stop)),
    }
}

fn candidates(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let mut found = tested(space, head, terms);
    for start in starts(space.graph, head, terms) {
        related(terms, &space.graph.points[head].live, &start, &mut found);
    }
    found.retain(|candidate| !matches!(terms.node(*candidate), Node::True | Node::False));
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|candidate| seen.insert(*candidate));
    found.truncate(MAX_CANDIDATES);
    found
}

/// The conditions that arcs test of the variables of a point, their negations, and bounds that are weaker by one.
pub(crate) fn tested(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let mut found = Vec::new();
    for hint in space.graph.hints(terms, head) {
        let negation = terms.not(hint);
        found.extend([hint, negation]);
        if let Node::Zero(sum) = *terms.node(hint) {
            let form = terms.linear(sum);
            found.extend([terms.le_zero(&form), terms.le_zero(&form.negate())]);
        }
        for bound in [hint, negation] {
            if let Node::Le(sum) = *terms.node(bound) {
                let form = terms.linear(sum).add_constant(&-Integer::ONE);
                found.push(terms.le_zero(&form));
            }
        }
    }
    found
}

/// How two variables compare at a start, as equations and as bounds.
fn related(terms: &mut Terms, live: &[SymbolId], start: &Start, found: &mut Vec<TermId>) {
    let numbers: Vec<(SymbolId, Integer)> = start
        .iter()
        .filter(|(symbol, _)| live.binary_search(symbol).is_ok() && terms.symbol(**symbol).sort == Sort::Int)
        .map(|(symbol, number)| (*symbol, number.clone()))
        .take(MAX_RELATED)
        .collect();
    for (at, (x, c)) in numbers.iter().enumerate() {
        for (y, d) in &numbers[at + 1..] {
            let (x, y) = (terms.of_symbol(*x), terms.of_symbol(*y));
            for (sum, value) in [(terms.sub(x, y), c - d), (terms.add(x, y), c + d)] {
                let value = terms.number(value);
                found.extend([terms.eq(sum, value), terms.le(sum, value), terms.ge(sum, value)]);
            }
        }
    }
}
