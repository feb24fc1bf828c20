//! Phases: a predicate that changes its truth at most once splits a loop in two.
//!
//! # Paper
//! [Gps25]'s summary engine splits on monotone predicates: if the body preserves p, all iterations without p come before all with p, so
//! `F* = (F ∧ ¬p)* ∘ (F ∧ p)*`, exactly. Unlike there, the halves are split again, under a budget.
//!
//! # Invariants
//! * P1: a split is returned only if the solver has shown that one side is preserved; so the composition of the closures is the closure.

use base::Stop;
use term::{Integer, Node, SymbolKind, TermId, Terms};

use super::query::{Query, Reply};
use super::{Body, Recurrences};
use graph::transition::TransitionFormula;

/// More predicates than this are not tried.
const MOST_CANDIDATES: usize = 24;

/// Among more equations than this none is taken apart.
const MOST_EQUATIONS: usize = 3;
/// Phases of bodies up to this difficulty may be as difficult as the whole.
const MOST_DIFFICULT: usize = 16;

/// The two phases of a loop, in order.
pub(super) struct Split {
    pub(super) first: Body,
    pub(super) second: Body,
}

/// The split whose phases are simplest, if any predicate of the body splits it.
pub(super) fn split(query: &mut Query<'_>, body: &Body) -> Result<Option<Split>, Stop> {
    let mut best: Option<(usize, Split)> = None;
    // With many variables without closed form a split must bring some.
    let whole = difficulty(query.terms, body);
    let limit = if whole > MOST_DIFFICULT { whole + whole / 2 } else { usize::MAX };
    for predicate in predicates(query.terms, &body.formula).into_iter().take(MOST_CANDIDATES) {
        let negation = query.terms.not(predicate);
        let both_occur =
            matches!(query.ask(predicate)?, Reply::Yes(_)) && matches!(query.ask(negation)?, Reply::Yes(_));
        if !both_occur {
            continue;
        }
        let order = if preserved(query, predicate, negation)? {
            (negation, predicate)
        } else if preserved(query, negation, predicate)? {
            (predicate, negation)
        } else {
            continue;
        };
        let split = Split {
            first: restrict(query.terms, body, order.0),
            second: restrict(query.terms, body, order.1),
        };
        let difficulty = difficulty(query.terms, &split.first) + difficulty(query.terms, &split.second);
        if difficulty < limit && best.as_ref().is_none_or(|(least, _)| difficulty < *least) {
            best = Some((difficulty, split));
        }
        if difficulty == 0 {
            break;
        }
    }
    Ok(best.map(|(_, split)| split))
}

fn preserved(query: &mut Query<'_>, predicate: TermId, negation: TermId) -> Result<bool, Stop> {
    let lost = query.primed(negation);
    let broken = query.terms.and([predicate, lost]);
    query.never(broken)
}

/// The number of variables without closed form, and whether the guard is more than a conjunction.
fn difficulty(terms: &mut Terms, body: &Body) -> usize {
    let unknown = Recurrences::of(terms, &body.formula, body.facts).unknown.len();
    let choices = terms
        .conjuncts(body.formula.guard)
        .iter()
        .filter(|part| matches!(terms.node(**part), Node::Or(_)))
        .count();
    2 * unknown + choices
}

/// The body with a predicate assumed at the start of the iteration.
pub(super) fn restrict(terms: &mut Terms, body: &Body, predicate: TermId) -> Body {
    let negation = terms.not(predicate);
    let mut simplify = |term: TermId| {
        terms.rewrite(term, |terms, part| {
            if part == predicate {
                Terms::TRUE
            } else if part == negation || excludes(terms, predicate, part) {
                Terms::FALSE
            } else {
                part
            }
        })
    };
    let guard = simplify(body.formula.guard);
    let map = body.formula.map.iter().map(|(symbol, value)| (*symbol, simplify(*value))).collect();
    let guard = terms.and([predicate, guard]);
    Body {
        formula: TransitionFormula { guard, map },
        facts: body.facts,
        live: body.live.clone(),
        hints: body.hints.clone(),
    }
}

/// Whether a predicate says that an equation does not hold because its sum is on one side of zero.
fn excludes(terms: &mut Terms, predicate: TermId, equation: TermId) -> bool {
    let Node::Zero(sum) = *terms.node(equation) else { return false };
    sides(terms, sum).contains(&predicate)
}

/// That a sum is below zero, and that it is above.
fn sides(terms: &mut Terms, sum: TermId) -> [TermId; 2] {
    let form = terms.linear(sum);
    let (below, above) = (form.add_constant(&Integer::ONE), form.negate().add_constant(&Integer::ONE));
    [terms.le_zero(&below), terms.le_zero(&above)]
}

/// The conditions in a formula over variables only, ascending, one of each pair of complements. An equation that holds in passing is
/// monotone on neither side, but its sum being below or above zero may be; that is tried where there are few equations.
pub(super) fn predicates(terms: &mut Terms, formula: &TransitionFormula) -> Vec<TermId> {
    let roots: Vec<TermId> = formula.map.values().copied().chain([formula.guard]).collect();
    let mut found: Vec<TermId> = Vec::new();
    for term in terms.reachable(&roots) {
        let is_atom = matches!(terms.node(term), Node::Le(_) | Node::Zero(_) | Node::Divides(..));
        if !is_atom {
            continue;
        }
        let symbols = terms.symbols_of(term);
        if symbols.iter().any(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable) {
            continue;
        }
        if !symbols.iter().any(|symbol| formula.map.contains_key(symbol)) {
            continue;
        }
        let negation = terms.not(term);
        if !found.contains(&negation) {
            found.push(term);
        }
    }
    let is_equation = |term: &&TermId| matches!(terms.node(**term), Node::Zero(_));
    let equations: Vec<TermId> = found.iter().filter(is_equation).copied().collect();
    if equations.len() <= MOST_EQUATIONS {
        for equation in equations {
            let Node::Zero(sum) = *terms.node(equation) else { continue };
            for side in sides(terms, sum) {
                let negation = terms.not(side);
                if !found.contains(&side) && !found.contains(&negation) {
                    found.push(side);
                }
            }
        }
    }
    found
}
