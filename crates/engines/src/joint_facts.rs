//! Facts of loop heads that the conditions of the program suggest and that are inductive together.
//!
//! # Paper
//! [Houdini01]: candidates at all points are dropped until every arc preserves what is left ([`summary::joint`]).
//!
//! Candidates of a head are the conditions that any arc tests, their negations, bounds that are weaker by one, and sums and differences of two variables with the values that they
//! have when the loop is entered; powers, and values of loops that are not entered ([`crate::polynomial_candidates`]); then what other engines have told ([`crate::facts_of_others`]), together with what was kept.
//!
//! # Invariants
//! * H1: with the facts of the points, what is returned is inductive: it holds whenever a point is reached.
//!
//! # Cost
//! For each arc at most a question for each candidate of its target, in each round; at most [`EFFORT`] ticks for one's own candidates, and as many for those of others: then these are dropped.

use std::rc::Rc;

use base::{IndexVec, Stop};
use encode::LogicName;
use engine::Env;
use graph::cut::{ENTRY, PointId};
use paths::Space;
use smt::{Answer, Logic, Solver, Why};
use summary::joint::{Asserted, Candidate, Relation, Reply, settle, survivors};
use summary::starts::{Start, starts};
use term::{BvOp, Integer, Node, Sort, SymbolId, TermId, Terms};
use verdict::Reason;

use crate::bit_candidates::{compared, floats, single_bits};
use crate::facts_of_others::Heard;
use crate::float_sums::is_refuted_without_sums;
use crate::polynomial_candidates::{entered_or_bounded, powers};
use crate::trial_walks::{drop_refuted, has_floats};

/// Facts by point.
pub(crate) type Facts = IndexVec<PointId, Vec<TermId>>;

/// Ticks for all facts of one origin.
const EFFORT: u64 = 20_000;
/// Ticks for one question about bit-vectors.
const QUESTION: u64 = 1 << 8;
/// Ticks for one with floating-point numbers, whose circuits are large before the search begins.
const FLOAT_QUESTION: u64 = 1 << 13;
/// Candidates of one head.
const MAX_CANDIDATES: usize = 96;
/// Sums and differences of more variables are no candidates.
const MAX_RELATED: usize = 8;

/// Facts for each point.
pub(crate) fn joint_facts(space: Space<'_>, heard: &Heard, env: &mut Env<'_>) -> Result<Facts, Reason> {
    let (graph, logic) = (space.graph, &mut env.logic);
    let mut own = none(space);
    for (point, content) in graph.points.iter_enumerated() {
        if content.body.is_some() && point != ENTRY {
            own[point] = candidates(space, point, &mut logic.terms);
        }
    }
    let own = kept(space, own, logic)?.unwrap_or_else(|| none(space));
    facts_with(space, own, heard, env)
}

/// Facts for each point of a graph in bit-vectors.
pub(crate) fn facts_in_bits(space: Space<'_>, logic: &mut Logic) -> Result<Facts, Reason> {
    let mut own = none(space);
    for (point, content) in space.graph.points.iter_enumerated() {
        if content.body.is_some() && point != ENTRY {
            let mut found = tested(space, point, &mut logic.terms);
            found.extend(single_bits(space, point, &mut logic.terms));
            found.extend(compared(space, point, &mut logic.terms));
            found.extend(floats(space, point, &mut logic.terms));
            own[point] = distinct(found, &logic.terms);
        }
    }
    if has_floats(space, &logic.terms) {
        drop_refuted(space, &mut own, &mut logic.terms);
    }
    Ok(kept(space, own, logic)?.unwrap_or_else(|| none(space)))
}

/// Facts that others have told and that hold together with facts at hand.
pub(crate) fn facts_with(
    space: Space<'_>,
    known: Facts,
    heard: &Heard,
    env: &mut Env<'_>,
) -> Result<Facts, Reason> {
    let new = heard.besides(&known);
    if new.iter().all(Vec::is_empty) {
        return Ok(known);
    }
    let mut all = known.clone();
    all.iter_mut().zip(&new).for_each(|(known, new)| known.extend(new));
    let Some(facts) = kept(space, all, &mut env.logic)? else { return Ok(known) };
    let mut used = new;
    for (point, used) in space.graph.points.ids().zip(used.iter_mut()) {
        used.retain(|clause| facts[point].contains(clause));
    }
    heard.credit(&used, env);
    Ok(facts)
}

/// No facts.
pub(crate) fn none(space: Space<'_>) -> Facts {
    IndexVec::filled(Vec::new(), space.graph.points.len())
}

/// The candidates that are inductive together; nothing if that takes too long.
fn kept(space: Space<'_>, mut facts: Facts, logic: &mut Logic) -> Result<Option<Facts>, Reason> {
    let graph = space.graph;
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
        if graph.vocabulary.logic() == LogicName::Bits {
            let relation = logic.terms.and([background, start]);
            return survivors(&mut InBits { relation, logic: &mut *logic }, &tested);
        }
        let mut solver = logic.solvers.z3_solver();
        solver.assert(&logic.terms, background);
        solver.assert(&logic.terms, start);
        let Logic { terms, budget, .. } = &mut *logic;
        survivors(&mut Asserted { terms, solver: &mut solver, budget }, &tested)
    });
    std::mem::swap(&mut logic.budget, &mut child);
    logic.budget.absorb(&child);
    match settled {
        Ok(()) => Ok(Some(facts)),
        Err(Stop::Ticks) => {
            logic.budget.poll().map_err(Reason::Stopped)?;
            Ok(None)
        }
        Err(stop) => Err(Reason::Stopped(stop)),
    }
}

/// A relation between bit-vectors, each question about which has a solver and a limit of its own.
struct InBits<'a> {
    relation: TermId,
    logic: &'a mut Logic,
}

impl Relation for InBits<'_> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.logic.terms
    }

    fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
        let query = self.logic.terms.and([self.relation, condition]);
        if is_refuted_without_sums(query, self.logic) {
            return Ok(Reply::No);
        }
        let mut solver = self.logic.solvers.bit_solver(&self.logic.terms, query);
        solver.assert(&self.logic.terms, query);
        let is_float = |term: &TermId| matches!(self.logic.terms.node(*term), Node::Bv(BvOp::Float(..), _));
        let has_floats = self.logic.terms.reachable(&[query]).iter().any(is_float);
        let mut share = self.logic.budget.child(if has_floats { FLOAT_QUESTION } else { QUESTION });
        let answer = solver.check(&self.logic.terms, &[], &mut share);
        self.logic.budget.absorb(&share);
        match answer {
            Answer::Sat(model) => Ok(Reply::Yes(Rc::new(model))),
            Answer::Unsat(_) => Ok(Reply::No),
            Answer::Unknown(Why::Stopped(_)) => {
                self.logic.budget.poll()?;
                Ok(Reply::Unknown)
            }
            Answer::Unknown(_) => Ok(Reply::Unknown),
        }
    }
}

fn candidates(space: Space<'_>, head: PointId, terms: &mut Terms) -> Vec<TermId> {
    let mut found = powers(space, head, terms);
    found.extend(tested(space, head, terms));
    found.extend(entered_or_bounded(space.graph, head, terms));
    for start in starts(space.graph, head, terms) {
        related(terms, &space.graph.points[head].live, &start, &mut found);
    }
    distinct(found, terms)
}

/// Each candidate once, without constants, and not too many.
fn distinct(mut found: Vec<TermId>, terms: &Terms) -> Vec<TermId> {
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
