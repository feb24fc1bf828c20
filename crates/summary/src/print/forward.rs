//! What is known of the states that arrive at a point, by the same stars read forwards.
//!
//! # Invariants
//! * W1: every state in which an execution arrives at a point satisfies its formula, for some choice of the Skolem constants.
//! * W2: Skolem constants of different compositions are different.

use std::collections::BTreeMap;

use base::IndexVec;
use term::{Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::names::Origins;
use super::quotient::substitute_quotients;
use super::simplify::{Simplifier, substitute_definitions};
use crate::single_target::Summaries;
use encode::Transition;
use graph::cut::{ENTRY, Graph, PointId};

/// For every point the formula of W1, without Skolem constants where these can be eliminated with little effort.
pub(super) fn reachable(
    graph: &Graph,
    summaries: &Summaries,
    origins: &Origins,
    simplifier: &mut Simplifier<'_>,
) -> IndexVec<PointId, TermId> {
    let mut states: IndexVec<PointId, TermId> = IndexVec::new();
    for (id, point) in graph.points.iter_enumerated() {
        if id == ENTRY {
            states.push(point.facts);
            continue;
        }
        let mut ways = Vec::new();
        for arc in &graph.arcs {
            // The star covers edges from inside the loop; all others come from earlier points (G3).
            if arc.target == id && !graph.in_loop(id, arc.source) {
                ways.push(after(simplifier.terms, states[arc.source], &arc.formula, &point.live));
            }
        }
        let mut state = simplifier.terms.or(ways);
        if let Some(star) = summaries.stars().get(&id) {
            state = after(simplifier.terms, state, &star.pruning().formula, &point.live);
        }
        let state = simplifier.terms.and([point.facts, state]);
        let typing = origins.typing(simplifier.terms, &point.live);
        simplifier.solver.push();
        simplifier.solver.assert(simplifier.terms, typing);
        let state = shorten(simplifier, state);
        simplifier.solver.pop();
        // What was taken for granted here is not where these values are values before.
        states.push(simplifier.terms.and([typing, state]));
    }
    states
}

/// The states after a transition: `∃ X0, Z. before(X0) ∧ guard(X0,Z) ∧ X = update(X0,Z)`, for the live variables X.
fn after(terms: &mut Terms, before: TermId, transition: &Transition, live: &[SymbolId]) -> TermId {
    let mut roots: Vec<TermId> = transition.update.values().copied().collect();
    roots.extend([before, transition.guard]);
    let mut old: BTreeMap<SymbolId, TermId> = BTreeMap::new();
    for symbol in terms.symbols_of_all(&roots).into_iter().chain(live.iter().copied()) {
        old.entry(symbol).or_insert_with(|| {
            let info = terms.symbol(symbol).clone();
            let kind = if info.kind == SymbolKind::Variable { SymbolKind::Skolem } else { info.kind };
            let copy = terms.declare(info.name, info.sort, kind);
            terms.of_symbol(copy)
        });
    }
    let mut rename = Substitution::new(old.iter().map(|(symbol, copy)| (*symbol, *copy)));
    let mut parts = vec![rename.apply(terms, before), rename.apply(terms, transition.guard)];
    for symbol in live {
        let value = transition.value(terms, *symbol);
        let (new, value) = (terms.of_symbol(*symbol), rename.apply(terms, value));
        parts.push(terms.eq(new, value));
    }
    terms.and(parts)
}

fn shorten(simplifier: &mut Simplifier<'_>, state: TermId) -> TermId {
    let is_gone = |terms: &Terms, symbol: SymbolId| terms.symbol(symbol).kind != SymbolKind::Variable;
    let state = substitute_definitions(simplifier.terms, state, &is_gone);
    let state = simplifier.simplify(state);
    // What was an alternative may have become a definition.
    let state = substitute_definitions(simplifier.terms, state, &is_gone);
    let state = substitute_quotients(simplifier.terms, state, &is_gone);
    let mut symbols = simplifier.terms.symbols_of(state);
    symbols.retain(|symbol| is_gone(simplifier.terms, *symbol));
    match simplifier.eliminate(state, &symbols) {
        Some(shorter) => {
            let more = simplifier.conjoin_implied(shorter, &[]);
            simplifier.simplify(more)
        }
        None => state,
    }
}
