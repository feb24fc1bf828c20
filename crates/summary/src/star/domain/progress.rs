//! Bounds that every iteration moves towards: they limit the number of iterations.
//!
//! If all iterations start with `a·X + c >= 0` and each lowers `a·X` by at least `d > 0`, then k iterations that start at X start the last one
//! with at most `a·X - d(k-1)`, so `a·X + c >= d(k-1)`. Likewise for states at the end. Closed forms have this from their guards; this is
//! for variables without.
//!
//! # Invariants
//! * G1: with the facts for k iterations, one iteration more in front or at the end satisfies them for k + 1, given that all iterations
//!   start (or end) within the facet.
//!
//! # Cost
//! The hull of the states, which [`super::states`] has computed before; for each of its facets that speaks of a variable without closed form one
//! question, and where there is progress the bounds of one template direction.

use base::Stop;
use term::{Integer, Linear, SymbolId, TermId};

use super::StarDomain;
use super::states::{hull_of_states, state_symbols};
use crate::star::hull::{Facet, Space};
use crate::star::loop_body::{LoopBody, Side};
use crate::star::partial::{PartialStar, StarFacts};
use crate::star::template::template_hull;

/// The domain, for the bounds of the states at one side of iterations.
pub(super) struct Progress(pub(super) Side);

impl StarDomain for Progress {
    fn name(&self) -> &'static str {
        match self.0 {
            Side::Before => "progress before",
            Side::After => "progress after",
        }
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let symbols = state_symbols(body);
        let mut facts = Vec::new();
        for facet in hull_of_states(body, self.0)?.iter() {
            let is_open = facet.form.iter().any(|(at, _)| star.is_open(body.terms, symbols[*at]));
            if is_open && let Some(distance) = self.distance(body, facet, &symbols)? {
                facts.extend(self.consequences(body, star, facet, &symbols, &distance));
            }
        }
        Ok(StarFacts::after_some(facts))
    }
}

impl Progress {
    /// By how much, at least, every iteration moves towards the bound of a facet (or away from it, at the end of iterations): a positive number, if
    /// there is one.
    fn distance(
        &self,
        body: &mut LoopBody<'_>,
        facet: &Facet,
        symbols: &[SymbolId],
    ) -> Result<Option<Integer>, Stop> {
        if facet.equality {
            return Ok(None);
        }
        let mut change = Linear::constant(Integer::ZERO);
        for (at, factor) in &facet.form {
            let (before, after) = (body.terms.of_symbol(symbols[*at]), body.value_after(symbols[*at]));
            let step = body.terms.sub(after, before);
            change = change.add_scaled(&body.terms.linear(step), factor);
        }
        // At the start forms sink towards the bound, at the end they have risen from it.
        let towards = match self.0 {
            Side::Before => change.negate(),
            Side::After => change,
        };
        let towards = body.terms.of_linear(&towards);
        let zero = body.terms.int(0);
        let stands_still = body.terms.le(towards, zero);
        if !body.never(stands_still)? {
            return Ok(None);
        }
        let space = Space::new(body, &[towards]);
        let mut distance = Integer::ONE;
        for bound in template_hull(body, &space)? {
            // ±distance + constant >= 0 (or = 0)
            if let [(_, factor)] = &bound.form[..]
                && factor.is_one()
            {
                distance = distance.max(-bound.constant);
            }
        }
        Ok(Some(distance))
    }

    /// What follows for all iterations together.
    fn consequences(
        &self,
        body: &mut LoopBody<'_>,
        star: &PartialStar,
        facet: &Facet,
        symbols: &[SymbolId],
        distance: &Integer,
    ) -> [TermId; 2] {
        let terms = &mut *body.terms;
        let mut start = Linear::constant(Integer::ZERO);
        let mut end = Linear::constant(Integer::ZERO);
        for (at, factor) in &facet.form {
            let before = terms.of_symbol(symbols[*at]);
            let after = star.update.get(&symbols[*at]).copied().unwrap_or(before);
            start = start.add_scaled(&terms.linear(before), factor);
            end = end.add_scaled(&terms.linear(after), factor);
        }
        let counted = terms.linear(star.count);
        let (bounded, moved) = match self.0 {
            Side::Before => (&start, start.sub(&end)),
            Side::After => (&end, end.sub(&start)),
        };
        // bounded + constant >= distance·(k - 1), and moved >= distance·k
        let room = bounded.add_constant(&facet.constant).add_constant(distance);
        let [room, moved] = [room, moved].map(|form| form.add_scaled(&counted, &-distance));
        [terms.le_zero(&room.negate()), terms.le_zero(&moved.negate())]
    }
}
