//! Values that at least double: `x' >= 2x + c`.
//!
//! With `z = x + c` that is `z' >= 2z`. After k iterations z is at least `2^k` times as large; linear arithmetic can say: if `z >= 0` then
//! `z' >= 2z`, and if `z >= 1` then `z' >= z + k`. The same for values that fall, with signs exchanged.
//!
//! # Invariants
//! * X1: c is returned only after the solver has shown `x' >= 2x + c` for every iteration. Both consequences hold for k + 1 if they hold for k
//!   and one iteration is added at either end.
//!
//! # Cost
//! One question for each of at most [`MAX_VARIABLES`] variables without closed form, and the bounds of one template direction for those that
//! may move far.

use base::Stop;
use term::{Integer, SymbolId, TermId};

use super::StarDomain;
use crate::star::hull::{Facet, Space};
use crate::star::loop_body::LoopBody;
use crate::star::partial::{PartialStar, StarFacts};
use crate::star::template::template_hull;

/// Constants larger than this come from the ends of ranges, not from the loop.
const MAX_CONSTANT: i64 = 1 << 16;
/// Only so many variables without closed form are looked at.
const MAX_VARIABLES: usize = 12;

/// The domain.
pub(super) struct Growth;

impl StarDomain for Growth {
    fn name(&self) -> &'static str {
        "growth"
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let mut open = body.changed();
        open.retain(|symbol| star.is_open(body.terms, *symbol));
        let mut facts = Vec::new();
        for symbol in open.into_iter().take(MAX_VARIABLES) {
            for bound in excess(body, symbol)? {
                facts.extend(consequences(body, star, symbol, &bound));
            }
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// Bounds of `x' - 2x` with a small constant, unless x only moves by small steps.
fn excess(body: &mut LoopBody<'_>, symbol: SymbolId) -> Result<Vec<Facet>, Stop> {
    let (before, after) = (body.terms.of_symbol(symbol), body.value_after(symbol));
    let step = body.terms.sub(after, before);
    let (least, greatest) = (body.terms.int(-MAX_CONSTANT), body.terms.int(MAX_CONSTANT));
    let (far_below, far_above) = (body.terms.lt(step, least), body.terms.gt(step, greatest));
    let far = body.terms.or([far_below, far_above]);
    if body.never(far)? {
        return Ok(Vec::new());
    }
    let twice = body.terms.scale(&Integer::from(2), before);
    let excess = body.terms.sub(after, twice);
    let space = Space::new(body, &[excess]);
    let mut bounds = template_hull(body, &space)?;
    bounds.retain(|bound| bound.form.len() == 1 && bound.constant.abs() <= Integer::from(MAX_CONSTANT));
    Ok(bounds)
}

/// What a bound of `x' - 2x` says of all iterations.
fn consequences(body: &mut LoopBody<'_>, star: &PartialStar, symbol: SymbolId, bound: &Facet) -> Vec<TermId> {
    let [(_, factor)] = &bound.form[..] else { return Vec::new() };
    let terms = &mut *body.terms;
    let before = terms.of_symbol(symbol);
    let mut facts = Vec::new();
    // factor·(x' - 2x) + constant >= 0, so z = factor·x - constant has z' >= 2z.
    let signs = if bound.equality { vec![Integer::ONE, Integer::MINUS_ONE] } else { vec![Integer::ONE] };
    for sign in signs {
        let factor = factor * &sign;
        let constant = terms.number(&bound.constant * &sign);
        let [start, end] = [before, star.update[&symbol]].map(|value| {
            let scaled = terms.scale(&factor, value);
            terms.sub(scaled, constant)
        });
        let (zero, one) = (terms.int(0), terms.int(1));
        let doubled = terms.add(start, start);
        let (not_negative, positive) = (terms.ge(start, zero), terms.ge(start, one));
        let at_least_twice = terms.ge(end, doubled);
        let counted = terms.add(start, star.count);
        let at_least_counted = terms.ge(end, counted);
        facts.push(terms.implies(not_negative, at_least_twice));
        facts.push(terms.implies(positive, at_least_counted));
    }
    facts
}
