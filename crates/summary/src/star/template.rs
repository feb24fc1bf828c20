//! Bounds of template directions, for hulls that are too large to be exact.
//!
//! Directions are the dimensions themselves, sums and differences of two, and the forms that the loop body tests. All are bounded together:
//! one question asks for an iteration that exceeds any of the bounds so far; the cube of its model moves them.
//!
//! # Invariants
//! * L1: every iteration satisfies the bounds that are returned: the last answer said that none exceeds them.
//!
//! # Cost
//! At most [`MAX_DIRECTIONS`] directions; after [`MAX_MODELS`] models every bound that is exceeded is given up, so that there are at most as many
//! models more as bounds.

use std::collections::BTreeSet;

use base::Stop;
use term::{Integer, Linear, Node, Sort, SymbolKind, TermId, Terms};

use super::hull::{Facet, Space, next_model};
use super::loop_body::{LoopBody, Reply};

/// More directions than this are not tried.
const MAX_DIRECTIONS: usize = 72;
/// With more dimensions than this, only those that some condition relates are paired.
const MAX_PAIRED: usize = 7;
/// After so many models, bounds that are exceeded are given up.
const MAX_MODELS: usize = 24;

/// A bound in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    /// No value is known yet.
    Nothing,
    /// The greatest value so far.
    AtMost(Integer),
    /// There is none, or it was given up.
    None,
}

impl Bound {
    /// Makes room for values up to one that is given, or for all.
    fn raise(&mut self, value: Option<Integer>) {
        *self = match (&*self, value) {
            (Self::None, _) | (_, None) => Self::None,
            (Self::AtMost(old), Some(new)) if *old >= new => return,
            (Self::Nothing | Self::AtMost(_), Some(new)) => Self::AtMost(new),
        };
    }
}

/// A direction: a form over the dimensions, both ways.
struct Direction {
    form: Vec<(usize, Integer)>,
    /// The form as a term.
    term: TermId,
    /// The same over the names of the dimensions.
    named: Linear,
    /// Bounds of the form and of its negation.
    bounds: [Bound; 2],
}

/// Bounds of templates over a space.
pub(super) fn template_hull(body: &mut LoopBody<'_>, space: &Space) -> Result<Vec<Facet>, Stop> {
    let mut directions = directions(body, space);
    let objective = body.terms.fresh("objective", Sort::Int, SymbolKind::Auxiliary);
    let mut known = body.models().into_iter();
    let mut models = 0;
    loop {
        body.budget.tick()?;
        let exceeded = exceeded(body, &directions);
        let model = match next_model(body, &mut known, exceeded)? {
            Reply::Yes(model) => model,
            Reply::No => break,
            Reply::Unknown => {
                body.statistics.lost_hulls += 1;
                return Ok(Vec::new());
            }
        };
        models += 1;
        let Some((mut model, projection)) = space.generalise(body, &model) else { return Ok(Vec::new()) };
        for direction in &mut directions {
            let value = term::Evaluator::new(body.terms, &model).int(direction.term);
            if models > MAX_MODELS {
                for (bound, value) in direction.bounds.iter_mut().zip([value.clone(), -&value]) {
                    if matches!(bound, Bound::AtMost(most) if *most < value) {
                        *bound = Bound::None;
                        body.statistics.lost_directions += 1;
                    }
                }
                continue;
            }
            model.set_int(objective, value);
            let range = projection.range(body.terms, &direction.named, objective, &model);
            let (low, high) = range;
            direction.bounds[0].raise(high);
            direction.bounds[1].raise(low.map(|low| -low));
        }
    }
    Ok(directions.into_iter().flat_map(facets).collect())
}

/// That some bound so far does not hold.
fn exceeded(body: &mut LoopBody<'_>, directions: &[Direction]) -> TermId {
    let mut violations = Vec::new();
    for direction in directions {
        let negated = body.terms.neg(direction.term);
        for (bound, form) in direction.bounds.iter().zip([direction.term, negated]) {
            match bound {
                Bound::Nothing => return Terms::TRUE,
                Bound::AtMost(most) => {
                    let most = body.terms.number(most.clone());
                    violations.push(body.terms.gt(form, most));
                }
                Bound::None => {}
            }
        }
    }
    body.terms.or(violations)
}

fn facets(direction: Direction) -> Vec<Facet> {
    let Direction { form, bounds, .. } = direction;
    let negated: Vec<(usize, Integer)> = form.iter().map(|(at, factor)| (*at, -factor)).collect();
    match bounds {
        [Bound::AtMost(high), Bound::AtMost(low)] if high == -&low => {
            vec![Facet { form, constant: low, equality: true }]
        }
        [high, low] => {
            let mut facets = Vec::new();
            for (bound, form) in [(high, negated), (low, form)] {
                if let Bound::AtMost(constant) = bound {
                    facets.push(Facet { form, constant, equality: false });
                }
            }
            facets
        }
    }
}

/// The directions of a space, each once.
fn directions(body: &mut LoopBody<'_>, space: &Space) -> Vec<Direction> {
    let count = space.dimensions.len();
    let (one, minus) = (Integer::ONE, Integer::MINUS_ONE);
    let mut forms: Vec<Vec<(usize, Integer)>> = (0..count).map(|at| vec![(at, one.clone())]).collect();
    let tested = tested_forms(body.terms, body.relation, space);
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    if count <= MAX_PAIRED {
        pairs.extend((0..count).flat_map(|left| (left + 1..count).map(move |right| (left, right))));
    } else {
        for form in &tested {
            for (index, (left, _)) in form.iter().enumerate() {
                pairs.extend(form[index + 1..].iter().map(|(right, _)| (*left, *right)));
            }
        }
    }
    forms.extend(tested);
    for (left, right) in pairs {
        for sign in [&minus, &one] {
            forms.push(vec![(left, one.clone()), (right, sign.clone())]);
        }
    }
    let mut seen = BTreeSet::new();
    forms.retain(|form| seen.insert(form.clone()));
    forms.truncate(MAX_DIRECTIONS.max(count));
    forms.into_iter().map(|form| direction(body.terms, space, form)).collect()
}

fn direction(terms: &mut Terms, space: &Space, form: Vec<(usize, Integer)>) -> Direction {
    let mut sum = Linear::constant(Integer::ZERO);
    let mut named = Linear::constant(Integer::ZERO);
    for (at, factor) in &form {
        sum = sum.add_scaled(&terms.linear(space.dimensions[*at]), factor);
        let name = terms.of_symbol(space.names[*at]);
        named = named.add_scaled(&terms.linear(name), factor);
    }
    Direction { form, term: terms.of_linear(&sum), named, bounds: [Bound::Nothing, Bound::Nothing] }
}

/// The forms of conditions in the relation that only speak of dimensions, with a positive first coefficient.
fn tested_forms(terms: &Terms, relation: TermId, space: &Space) -> Vec<Vec<(usize, Integer)>> {
    let mut found = Vec::new();
    for atom in terms.reachable(&[relation]) {
        let (Node::Le(form) | Node::Zero(form)) = terms.node(atom) else { continue };
        let linear = terms.linear(*form);
        let mut parts: Vec<(usize, Integer)> = Vec::new();
        for (part, factor) in linear.terms() {
            let at = space.dimensions.iter().position(|dimension| dimension == part);
            parts.extend(at.map(|at| (at, factor.clone())));
        }
        if parts.len() < linear.terms().len() || parts.len() < 2 {
            continue;
        }
        parts.sort();
        if parts[0].1.is_negative() {
            for (_, factor) in &mut parts {
                *factor = -&*factor;
            }
        }
        found.push(parts);
    }
    found
}
