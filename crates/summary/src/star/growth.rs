//! Values that at least double: `x' >= 2x + c`.
//!
//! With `z = x + c` that is `z' >= 2z`. After k iterations z is at least `2^k` times as large; linear arithmetic can say: if `z >= 0` then
//! `z' >= 2z`, and if `z >= 1` then `z' >= z + k`. The same for values that fall, with signs exchanged.
//!
//! # Invariants
//! * X1: c is returned only after the solver has shown `x' >= 2x + c` for every iteration. Both consequences hold for k + 1 if they hold for k
//!   and one iteration is added at either end.

use base::Stop;
use term::{Integer, TermId};

use super::hull::Space;
use super::query::Query;
use super::template::template_hull;

/// Constants larger than this come from the ends of ranges, not from the loop.
const LARGEST: i64 = 1 << 16;

/// What holds after at least one iteration if a variable, or its negation, at least doubles: `before` and `after` are its values around one
/// iteration, `end` that after all `count`.
pub(super) fn growth(
    query: &mut Query<'_>,
    before: TermId,
    after: TermId,
    end: TermId,
    count: TermId,
) -> Result<Vec<TermId>, Stop> {
    // What only moves by small steps does not double.
    let step = query.terms.sub(after, before);
    let (least, greatest) = (query.terms.int(-LARGEST), query.terms.int(LARGEST));
    let (far_below, far_above) = (query.terms.lt(step, least), query.terms.gt(step, greatest));
    let far = query.terms.or([far_below, far_above]);
    if query.never(far)? {
        return Ok(Vec::new());
    }
    let twice = query.terms.scale(&Integer::from(2), before);
    let excess = query.terms.sub(after, twice);
    let space = Space::new(query, &[excess]);
    let mut facts = Vec::new();
    for bound in template_hull(query, &space)? {
        let [(_, factor)] = &bound.form[..] else { continue };
        if bound.constant.abs() > Integer::from(LARGEST) {
            continue;
        }
        // factor·(x' - 2x) + constant >= 0, so z = factor·x - constant has z' >= 2z.
        let signs = if bound.equality { vec![Integer::ONE, Integer::MINUS_ONE] } else { vec![Integer::ONE] };
        for sign in signs {
            let factor = factor * &sign;
            let constant = query.terms.number(&bound.constant * &sign);
            let [start, end] = [before, end].map(|value| {
                let scaled = query.terms.scale(&factor, value);
                query.terms.sub(scaled, constant)
            });
            let (zero, one) = (query.terms.int(0), query.terms.int(1));
            let doubled = query.terms.add(start, start);
            let (not_negative, positive) = (query.terms.ge(start, zero), query.terms.ge(start, one));
            let at_least_twice = query.terms.ge(end, doubled);
            let counted = query.terms.add(start, count);
            let at_least_counted = query.terms.ge(end, counted);
            facts.push(query.terms.implies(not_negative, at_least_twice));
            facts.push(query.terms.implies(positive, at_least_counted));
        }
    }
    Ok(facts)
}
