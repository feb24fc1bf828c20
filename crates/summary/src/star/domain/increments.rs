//! The convex hull of what one iteration adds to the variables, multiplied by the number of iterations.
//!
//! # Paper
//! [Gps25] §6: linear constraints on the increments of one iteration. If `a·(X' - X) + c >= 0` holds of one iteration then
//! `a·(X' - X) + c·k >= 0` holds of k.
//!
//! # Cost
//! One hull ([`crate::star::hull`]).

use base::Stop;
use term::{Integer, TermId};

use super::StarDomain;
use crate::star::hull::{Facet, hull, scaled_facet};
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};

/// The domain.
pub(super) struct Increments;

impl StarDomain for Increments {
    fn name(&self) -> &'static str {
        "increments"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let Changes { increments, totals } = Changes::new(body, star);
        let mut facts = Vec::new();
        for facet in hull(body, &increments)? {
            if !is_steep(&facet) {
                facts.push(scaled_facet(body.terms, &facet, &totals, star.count));
            }
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// What happens to the changed variables.
pub(super) struct Changes {
    /// What one iteration adds.
    pub(super) increments: Vec<TermId>,
    /// What all iterations add.
    pub(super) totals: Vec<TermId>,
}

impl Changes {
    pub(super) fn new(body: &mut LoopBody<'_>, star: &PartialStar) -> Self {
        let mut changes = Self { increments: Vec::new(), totals: Vec::new() };
        for symbol in body.changed() {
            let (before, after) = (body.terms.of_symbol(symbol), body.value_after(symbol));
            changes.increments.push(body.terms.sub(after, before));
            changes.totals.push(body.terms.sub(star.update[&symbol], before));
        }
        changes
    }
}

/// Whether a facet has coefficients that only come from values that wrap around: it says little and costs the solver much.
fn is_steep(facet: &Facet) -> bool {
    let limit = Integer::power_of_two(24);
    facet.form.iter().any(|(_, coefficient)| coefficient.abs() >= limit)
}
