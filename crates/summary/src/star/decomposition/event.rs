//! Events: an index that walks through an array meets the index of a cell in at most one iteration, which splits a loop in three.
//!
//! # Rule
//! A body tests `d = 0`, the distance between an index and that of a cell ([`graph::cells`]). If `d` only grows, all iterations with `d < 0` come first, then those with `d = 0`, then the others:
//! `F* = (F ∧ d<0)* ∘ (F ∧ d=0)* ∘ (F ∧ d>0)*`, exactly. If it grows in every iteration, the one in the middle is executed at most once, and is taken as it is, choices included: so an element that is
//! written in a loop is written exactly. Distances that differ by constants belong to one event: a loop that writes `a[2i]` and `a[2i+1]` meets a cell once.
//!
//! # Invariants
//! * E1: a split is returned only if the solver has shown that the distance never shrinks, and where the middle is executed once, that it always grows.
//!
//! # Cost
//! Two questions for each of [`MAX_GROUPS`] groups of distances.

use base::Stop;
use term::{Integer, Linear, Node, SymbolId, SymbolKind, TermId, Terms};

use super::{Decomposition, Split};
use crate::star::Body;
use crate::star::loop_body::LoopBody;
use crate::star::partial::PartialStar;
use encode::Transition;

/// Groups of distances that are tried.
const MAX_GROUPS: usize = 6;

/// The decomposition.
pub(super) struct Events;

impl Decomposition for Events {
    fn name(&self) -> &'static str {
        "events"
    }

    fn depth_of_parts(&self, depth: u32) -> Option<u32> {
        // The parts have fewer events.
        Some(depth)
    }

    fn split(&self, body: &mut LoopBody<'_>, _star: &PartialStar) -> Result<Option<Split>, Stop> {
        if body.definition.cells.is_empty() {
            return Ok(None);
        }
        for group in groups(body).into_iter().take(MAX_GROUPS) {
            if let Some(split) = split_by(body, &group)? {
                body.statistics.phase_splits += 1;
                return Ok(Some(split));
            }
        }
        Ok(None)
    }
}

/// Distances that differ by constants.
struct Group {
    /// One of them without its constant.
    form: Linear,
    /// The constants, ascending.
    constants: Vec<Integer>,
}

/// The distances that the body tests, in groups.
fn groups(body: &mut LoopBody<'_>) -> Vec<Group> {
    let definition = body.definition.clone();
    let mut groups: Vec<Group> = Vec::new();
    for equation in equations(body.terms, &definition) {
        let Node::Zero(sum) = *body.terms.node(equation) else { continue };
        let mut form = body.terms.linear(sum);
        // An equation has two signs; the first coefficient decides which one is taken.
        if form.terms().first().is_some_and(|(_, factor)| factor.is_negative()) {
            form = form.negate();
        }
        let constant = form.constant_part().clone();
        let form = form.with_constant(Integer::ZERO);
        match groups.iter_mut().find(|group| group.form == form) {
            Some(group) => {
                if !group.constants.contains(&constant) {
                    group.constants.push(constant);
                }
            }
            None => groups.push(Group { form, constants: vec![constant] }),
        }
    }
    for group in &mut groups {
        group.constants.sort();
    }
    groups
}

/// The equations of the body between indices: those over variables some of which change, that mention a ghost or decide what a cell becomes.
fn equations(terms: &mut Terms, body: &Body) -> Vec<TermId> {
    let mut roots: Vec<TermId> = vec![body.formula.guard];
    roots.extend(body.formula.update.values().copied());
    let cells: Vec<TermId> = body
        .formula
        .update
        .iter()
        .filter(|(symbol, _)| body.cells.contains(symbol))
        .map(|(_, value)| *value)
        .collect();
    let deciding = terms.reachable(&cells);
    let is_event = |term: &TermId| {
        let Node::Zero(_) = *terms.node(*term) else { return false };
        let symbols = terms.symbols_of(*term);
        let is_plain = |symbol: &SymbolId| {
            terms.symbol(*symbol).kind == SymbolKind::Variable && !body.cells.contains(symbol)
        };
        symbols.iter().all(is_plain)
            && symbols.iter().any(|symbol| body.formula.update.contains_key(symbol))
            && (symbols.iter().any(|symbol| body.ghosts.contains(symbol)) || deciding.contains(term))
    };
    terms.reachable(&roots).into_iter().filter(is_event).collect()
}

/// The parts before, at and after an event.
fn split_by(body: &mut LoopBody<'_>, group: &Group) -> Result<Option<Split>, Stop> {
    let (Some(least), Some(greatest)) = (group.constants.first(), group.constants.last()) else {
        return Ok(None);
    };
    let distance = body.terms.of_linear(&group.form);
    let after = body.primed(distance);
    let spread = greatest - least;
    let spread = body.terms.number(spread);
    // Growing by more than the spread of the constants, the event is over after one iteration.
    let far = body.terms.add(distance, spread);
    let not_far = body.terms.le(after, far);
    let shrinks = body.terms.lt(after, distance);
    let (grows, once) = if body.never(not_far)? {
        (true, true)
    } else if body.never(shrinks)? {
        (true, false)
    } else {
        let back = body.terms.sub(distance, spread);
        let not_far = body.terms.ge(after, back);
        let rises = body.terms.gt(after, distance);
        if body.never(not_far)? {
            (false, true)
        } else if body.never(rises)? {
            (false, false)
        } else {
            return Ok(None);
        }
    };
    // All distances below zero, and all above.
    let below = group.form.add_constant(greatest).add_constant(&Integer::ONE);
    let above = group.form.add_constant(least).negate().add_constant(&Integer::ONE);
    let (below, above) = (body.terms.le_zero(&below), body.terms.le_zero(&above));
    let definition = body.definition.clone();
    let equations: Vec<TermId> = group
        .constants
        .iter()
        .map(|constant| body.terms.eq_zero(&group.form.add_constant(constant)))
        .collect();
    let parts = {
        let terms = &mut *body.terms;
        let outside =
            |terms: &mut Terms, condition: TermId| restricted(terms, &definition, condition, &equations);
        let (low, high) = (outside(terms, below), outside(terms, above));
        let (not_below, not_above) = (terms.not(below), terms.not(above));
        let between = terms.and([not_below, not_above]);
        let middle = match equations.as_slice() {
            [equation] => held(terms, &definition, *equation),
            _ => with_guard(terms, &definition, between),
        };
        if grows { (low, middle, high) } else { (high, middle, low) }
    };
    Ok(Some(if once { Split::Once(Box::new(parts)) } else { Split::Passing(Box::new(parts)) }))
}

fn with_guard(terms: &mut Terms, body: &Body, condition: TermId) -> Body {
    let guard = terms.and([condition, body.formula.guard]);
    Body { formula: Transition { guard, update: body.formula.update.clone() }, ..body.clone() }
}

/// The body where some equations do not hold.
fn restricted(terms: &mut Terms, body: &Body, condition: TermId, equations: &[TermId]) -> Body {
    let part = rewritten(terms, body, |_, part| if equations.contains(&part) { Terms::FALSE } else { part });
    with_guard(terms, &part, condition)
}

/// The body where an equation holds.
fn held(terms: &mut Terms, body: &Body, equation: TermId) -> Body {
    let part = rewritten(terms, body, |_, part| if part == equation { Terms::TRUE } else { part });
    with_guard(terms, &part, equation)
}

fn rewritten(terms: &mut Terms, body: &Body, mut rule: impl FnMut(&mut Terms, TermId) -> TermId) -> Body {
    let guard = terms.rewrite(body.formula.guard, &mut rule);
    let update = body
        .formula
        .update
        .iter()
        .map(|(symbol, value)| (*symbol, terms.rewrite(*value, &mut rule)))
        .collect();
    Body { formula: Transition { guard, update }, ..body.clone() }
}
