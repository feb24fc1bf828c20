//! Bounds that every iteration moves towards: they limit the number of iterations.
//!
//! If all iterations start with `a·X + c >= 0` and each lowers `a·X` by at least `d > 0`, then k iterations that start at X start the last one
//! with at most `a·X - d(k-1)`, so `a·X + c >= d(k-1)`. Likewise for states at the end. Closed forms have this from their guards; this is
//! for variables without.
//!
//! # Invariants
//! * G1: with `facts` for k iterations, one iteration more in front or at the end satisfies them for k + 1, given that all iterations
//!   start (or end) within the facet.

use std::collections::BTreeMap;

use base::Stop;
use term::{Integer, Linear, SymbolId, TermId, Terms};

use super::Side;
use super::hull::{Facet, Space};
use super::query::Query;
use super::template::template_hull;

/// By how much every iteration moves a form towards, or away from, its bound.
pub(super) struct Progress {
    side: Side,
    /// The distance; positive.
    distance: Integer,
}

/// The progress on one facet of the states at one side, if it has a bound that matters there.
pub(super) fn progress(
    query: &mut Query<'_>,
    facet: &Facet,
    symbols: &[SymbolId],
    side: Side,
) -> Result<Option<Progress>, Stop> {
    if facet.equality {
        return Ok(None);
    }
    let mut change = Linear::constant(Integer::ZERO);
    for (at, factor) in &facet.form {
        let (before, after) = (query.terms.of_symbol(symbols[*at]), query.value_after(symbols[*at]));
        let step = query.terms.sub(after, before);
        change = change.add_scaled(&query.terms.linear(step), factor);
    }
    // At the start forms sink towards the bound, at the end they have risen from it.
    let towards = match side {
        Side::Before => change.negate(),
        Side::After => change,
    };
    let towards = query.terms.of_linear(&towards);
    let zero = query.terms.int(0);
    let stands_still = query.terms.le(towards, zero);
    if !query.never(stands_still)? {
        return Ok(None);
    }
    let space = Space::new(query, &[towards]);
    let mut distance = Integer::ONE;
    for bound in template_hull(query, &space)? {
        // ±distance + constant >= 0 (or = 0)
        if let [(_, factor)] = &bound.form[..]
            && factor.is_one()
        {
            distance = distance.max(-bound.constant);
        }
    }
    Ok(Some(Progress { side, distance }))
}

impl Progress {
    /// What follows for `count` iterations, at least one, after which variables have the values of `map`.
    pub(super) fn facts(
        &self,
        terms: &mut Terms,
        facet: &Facet,
        symbols: &[SymbolId],
        map: &BTreeMap<SymbolId, TermId>,
        count: TermId,
    ) -> [TermId; 2] {
        let mut start = Linear::constant(Integer::ZERO);
        let mut end = Linear::constant(Integer::ZERO);
        for (at, factor) in &facet.form {
            let before = terms.of_symbol(symbols[*at]);
            let after = map.get(&symbols[*at]).copied().unwrap_or(before);
            start = start.add_scaled(&terms.linear(before), factor);
            end = end.add_scaled(&terms.linear(after), factor);
        }
        let counted = terms.linear(count);
        let (bounded, moved) = match self.side {
            Side::Before => (&start, start.sub(&end)),
            Side::After => (&end, end.sub(&start)),
        };
        // bounded + constant >= distance·(k - 1), and moved >= distance·k
        let room = bounded.add_constant(&facet.constant).add_constant(&self.distance);
        let [room, moved] = [room, moved].map(|form| form.add_scaled(&counted, &-&self.distance));
        [terms.le_zero(&room.negate()), terms.le_zero(&moved.negate())]
    }
}
