//! Facts that cross between engines: clauses at loop heads, told as text and heard as candidates.
//!
//! # Invariants
//! * F1: what is heard is a candidate. It counts only after it was proved together with others ([`crate::joint_facts`]), and the proof that it becomes a part of is checked again.
//! * F2: only clauses over variables that matter at their point are told and heard. What an arena has made up has no meaning elsewhere.
//!
//! # Cost
//! Telling and hearing are linear in the size of the clauses, of which there are at most [`MAX_TOLD`] for a point.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use engine::Env;
use graph::cut::{ENTRY, Graph, PointId};
use passes::Prepared;
use term::{Node, TermId, Terms};
use values::state::State;
use verdict::{Annotation, Claim, import_into};

/// Clauses of one point that are told.
const MAX_TOLD: usize = 64;
/// Clauses with more subterms are not told: what they say is seldom of use elsewhere, and questions about them take long.
const MAX_SIZE: usize = 64;

/// Clauses that other engines have told, by point.
pub(crate) struct Heard {
    clauses: IndexVec<PointId, Vec<(TermId, &'static str)>>,
}

impl Heard {
    /// What was told of a graph. What does not fit is left out.
    pub(crate) fn of(task: &Prepared<'_>, graph: &mut Graph, env: &mut Env<'_>) -> Self {
        let mut clauses = IndexVec::filled(Vec::new(), graph.points.len());
        let facts = env.exchange.map_or(&[][..], |exchange| exchange.heard());
        let texts = facts.iter().flat_map(|fact| fact.texts.iter().map(|text| (fact.origin, text)));
        for (origin, text) in texts {
            let Ok(annotation) = text.parse::<Annotation>() else { continue };
            let terms = &mut env.logic.terms;
            let imported = import_into(task.program(), terms, &mut graph.vocabulary, &annotation);
            let Ok((claims, _)) = imported else { continue };
            for (point, content) in graph.points.iter_enumerated() {
                let Some(claim) = claims.get(&(graph.procedure, content.location)) else { continue };
                let clause = terms.not(claim.never);
                let is_new = clauses[point].iter().all(|(known, _)| *known != clause);
                if is_new && is_head(graph, point) && is_told(graph, point, clause, terms) {
                    clauses[point].push((clause, origin));
                }
            }
        }
        Self { clauses }
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.clauses.iter().all(Vec::is_empty)
    }

    /// The clauses of all points that are not among facts at hand.
    pub(crate) fn besides(&self, known: &IndexVec<PointId, Vec<TermId>>) -> IndexVec<PointId, Vec<TermId>> {
        let mut new = IndexVec::filled(Vec::new(), self.clauses.len());
        for (point, clauses) in self.clauses.iter_enumerated() {
            let clauses = clauses.iter().map(|(clause, _)| *clause);
            new[point] = clauses.filter(|clause| !known[point].contains(clause)).collect();
        }
        new
    }

    /// Says which of the clauses were proved.
    pub(crate) fn credit(&self, proved: &IndexVec<PointId, Vec<TermId>>, env: &Env<'_>) {
        let Some(exchange) = env.exchange else { return };
        let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
        for (point, clauses) in self.clauses.iter_enumerated() {
            for (_, origin) in clauses.iter().filter(|(clause, _)| proved[point].contains(clause)) {
                *counts.entry(origin).or_default() += 1;
            }
        }
        for (origin, count) in counts {
            exchange.used(origin, count);
        }
    }
}

/// Tells other engines clauses, which need not hold.
pub(crate) fn tell(graph: &Graph, clauses: &IndexVec<PointId, Vec<TermId>>, env: &mut Env<'_>) {
    let Some(exchange) = env.exchange else { return };
    let terms = &mut env.logic.terms;
    let mut told: BTreeMap<PointId, Vec<TermId>> = BTreeMap::new();
    for (point, clauses) in clauses.iter_enumerated().filter(|(point, _)| is_head(graph, *point)) {
        let mut seen = BTreeSet::new();
        let new = clauses.iter().copied().filter(|clause| seen.insert(*clause));
        let own: Vec<TermId> =
            new.filter(|clause| is_told(graph, point, *clause, terms)).take(MAX_TOLD).collect();
        if !own.is_empty() {
            told.insert(point, own);
        }
    }
    if told.is_empty() {
        return;
    }
    let count = told.values().map(|clauses| clauses.len() as u64).sum();
    let most = told.values().map(Vec::len).max().unwrap_or(0);
    let layer = |at: usize| {
        let mut claims = BTreeMap::new();
        for (point, clause) in told.iter().filter_map(|(point, clauses)| Some((*point, *clauses.get(at)?))) {
            let claim = Claim { facts: Some(State::new()), never: terms.not(clause), instances: Vec::new() };
            claims.insert(graph.points[point].location, claim);
        }
        Annotation::of(terms, &graph.vocabulary, graph.procedure, &claims, &BTreeMap::new()).to_string()
    };
    exchange.tell((0..most).map(layer).collect(), count);
}

fn is_head(graph: &Graph, point: PointId) -> bool {
    point != ENTRY && graph.points[point].body.is_some()
}

/// Whether a clause says something, and only of what matters at its point (F2).
fn is_told(graph: &Graph, point: PointId, clause: TermId, terms: &Terms) -> bool {
    let live = &graph.points[point].live;
    !matches!(terms.node(clause), Node::True | Node::False)
        && terms.reachable(&[clause]).len() <= MAX_SIZE
        && terms
            .symbols_of(clause)
            .iter()
            .all(|symbol| live.contains(symbol) && !graph.vocabulary.is_free(*symbol))
}
