//! Convex hulls of one iteration: of its increments, of the states before and of those after.
//!
//! # Paper
//! [Gps25] §6 (compositional recurrence analysis): constraints on the increments of one iteration, multiplied by the number of iterations; convex
//! pre- and postconditions. Hulls are found by models: a model outside the hull so far is generalised to the polyhedron of
//! its cube, and joined. No path is enumerated.
//!
//! # Invariants
//! * U1: a hull contains every model of the relation; if the effort is spent first there is no exact hull but equations and bounds of templates
//!   ([`super::template`]), or nothing.
//!
//! # Cost
//! At most [`MAX_MODELS`] models and [`MAX_GENERATORS`] generators in [`MAX_DIMENSIONS`] dimensions (those that equations determine not
//! counted); beyond that templates.

use std::rc::Rc;

use base::Stop;
use term::{Evaluator, Integer, Linear, Model, Sort, SymbolId, SymbolKind, TermId, Terms};

use super::loop_body::{LoopBody, Reply};
use super::template::template_hull;
use crate::polyhedron::{Constraint, Equations, Polyhedron, Projection};

/// More dimensions than this are not joined exactly.
pub(super) const MAX_DIMENSIONS: usize = 6;
/// More models than this are not asked for one hull.
const MAX_MODELS: usize = 32;
/// More generators than this are too many.
const MAX_GENERATORS: usize = 96;
/// Coefficients above this join ends of ranges.
const MAX_COEFFICIENT: i64 = 1 << 24;
/// Distances between ends of ranges of 32 bits are below this.
const MAX_RANGE: i64 = 1 << 33;

/// `constant + Σ coefficient · dimension >= 0`, or `= 0`.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    pub(super) form: Vec<(usize, Integer)>,
    pub(super) constant: Integer,
    pub(super) equality: bool,
}

/// `Σ a·d + constant·times >= 0` (or `= 0`).
pub(super) fn scaled_facet(terms: &mut Terms, facet: &Facet, dimensions: &[TermId], times: TermId) -> TermId {
    let mut sum = Linear::constant(Integer::ZERO);
    for (at, coefficient) in &facet.form {
        let part = terms.linear(dimensions[*at]);
        sum = sum.add_scaled(&part, coefficient);
    }
    let constant = terms.scale(&facet.constant, times);
    let sum = terms.of_linear(&sum);
    let sum = terms.add(sum, constant);
    let zero = terms.int(0);
    if facet.equality { terms.eq(sum, zero) } else { terms.ge(sum, zero) }
}

/// Linear constraints that all iterations satisfy over the given integer terms.
pub(super) fn hull(body: &mut LoopBody<'_>, dimensions: &[TermId]) -> Result<Vec<Facet>, Stop> {
    if dimensions.is_empty() {
        return Ok(Vec::new());
    }
    let space = Space::new(body, dimensions);
    if dimensions.len() <= MAX_DIMENSIONS
        && let Some(polyhedron) = exact_hull(body, &space)?
    {
        body.statistics.hulls += 1;
        return Ok(polyhedron.constraints().filter_map(|constraint| facet(&constraint)).collect());
    }
    let Some(equations) = equations(body, dimensions, None)? else {
        body.statistics.lost_hulls += 1;
        return Ok(Vec::new());
    };
    let mut facets: Vec<Facet> = equations.iter().filter_map(facet).collect();
    // An equation determines its last dimension.
    let determined: Vec<usize> =
        facets.iter().filter_map(|facet| facet.form.last().map(|(at, _)| *at)).collect();
    let free: Vec<usize> = (0..dimensions.len()).filter(|at| !determined.contains(at)).collect();
    let space = Space::new(body, &free.iter().map(|at| dimensions[*at]).collect::<Vec<_>>());
    let exact =
        if free.len() <= MAX_DIMENSIONS && !determined.is_empty() { exact_hull(body, &space)? } else { None };
    let rest: Vec<Facet> = if let Some(polyhedron) = exact {
        body.statistics.hulls += 1;
        polyhedron.constraints().filter_map(|constraint| facet(&constraint)).collect()
    } else {
        body.statistics.template_hulls += 1;
        template_hull(body, &space)?
    };
    facets.extend(rest.into_iter().map(|mut facet| {
        for (at, _) in &mut facet.form {
            *at = free[*at];
        }
        facet
    }));
    Ok(facets)
}

/// Whether questions about an inequality are easy enough. With large coefficients it joins ends of ranges, which is worth it in one case: if all others are units, it separates
/// the values that a condition selects from the others, as in `x <= 7 + (MAX - 7) * selected`.
fn is_simple(coefficients: &[Integer]) -> bool {
    let most = |bound: i64| move |factor: &Integer| factor.abs() <= Integer::from(bound);
    let is_end = |factor: &Integer| most(MAX_RANGE)(factor) && !most(MAX_COEFFICIENT)(factor);
    coefficients.iter().all(most(MAX_COEFFICIENT))
        || coefficients.iter().all(|factor| most(1)(factor) || is_end(factor))
}

pub(super) fn facet(constraint: &Constraint) -> Option<Facet> {
    // No integer point at all would mean that there is no iteration, which the caller has excluded.
    let constraint = constraint.tightened()?;
    if !constraint.equality && !is_simple(&constraint.coefficients) {
        return None;
    }
    let form =
        constraint.coefficients.iter().cloned().enumerate().filter(|(_, factor)| !factor.is_zero()).collect();
    Some(Facet { form, constant: constraint.constant.clone(), equality: constraint.equality })
}

/// Integer terms over the relation, with names to project on.
pub(super) struct Space {
    pub(super) dimensions: Vec<TermId>,
    pub(super) names: Vec<SymbolId>,
    /// The relation, and that the names are the terms.
    relation: TermId,
}

impl Space {
    pub(super) fn new(body: &mut LoopBody<'_>, dimensions: &[TermId]) -> Self {
        let mut conjuncts = vec![body.relation];
        let mut names = Vec::new();
        for dimension in dimensions {
            let symbol = body.terms.fresh("dim", Sort::Int, SymbolKind::Auxiliary);
            let name = body.terms.of_symbol(symbol);
            conjuncts.push(body.terms.eq(name, *dimension));
            names.push(symbol);
        }
        let relation = body.terms.and(conjuncts);
        Self { dimensions: dimensions.to_vec(), names, relation }
    }

    /// The model with values of the names, and what its cube allows of these.
    pub(super) fn generalise(&self, body: &mut LoopBody<'_>, model: &Model) -> Option<(Model, Projection)> {
        let mut model = model.clone();
        for (name, value) in self.names.iter().zip(values(body, &self.dimensions, &model)) {
            model.set_int(*name, value);
        }
        let literals = body.terms.implicant(self.relation, &model)?;
        let cube = body.terms.linear_cube(&literals, &model);
        let projection = Projection::new(body.terms, &cube, &model, &self.names);
        Some((model, projection))
    }
}

/// What terms are in a model.
pub(super) fn values(body: &LoopBody<'_>, dimensions: &[TermId], model: &Model) -> Vec<Integer> {
    let mut evaluator = Evaluator::new(body.terms, model);
    dimensions.iter().map(|dimension| evaluator.int(*dimension)).collect()
}

/// A model that satisfies a condition: one from `known`, which are used up, or one that the solver finds.
pub(super) fn next_model(
    body: &mut LoopBody<'_>,
    known: &mut std::vec::IntoIter<Rc<Model>>,
    condition: TermId,
) -> Result<Reply, Stop> {
    for model in known {
        if Evaluator::new(body.terms, &model).holds(condition) {
            return Ok(Reply::Yes(model));
        }
    }
    body.ask(condition)
}

/// The hull, unless it takes too much.
fn exact_hull(body: &mut LoopBody<'_>, space: &Space) -> Result<Option<Polyhedron>, Stop> {
    let dimension = space.dimensions.len();
    let mut sofar = Polyhedron::empty(dimension);
    let mut known = body.models().into_iter();
    for _ in 0..MAX_MODELS {
        body.budget.tick()?;
        let outside = outside(body, &sofar, &space.dimensions);
        let model = match next_model(body, &mut known, outside)? {
            Reply::Yes(model) => model,
            Reply::No => return Ok(Some(sofar)),
            Reply::Unknown => return Ok(None),
        };
        let Some((_, projection)) = space.generalise(body, &model) else { return Ok(None) };
        let constraints = projection.constraints();
        let Ok(piece) = Polyhedron::from_constraints(dimension, &constraints, MAX_GENERATORS) else {
            return Ok(None);
        };
        match sofar.join(&piece, MAX_GENERATORS) {
            Ok(joined) => sofar = joined,
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// The condition that the dimensions lie outside of the polyhedron's integer hull, constraint by constraint.
fn outside(body: &mut LoopBody<'_>, polyhedron: &Polyhedron, dimensions: &[TermId]) -> TermId {
    let mut violations = Vec::new();
    if polyhedron.is_empty() {
        return Terms::TRUE;
    }
    for constraint in polyhedron.constraints() {
        let form = combination(body, &constraint, dimensions);
        let zero = body.terms.int(0);
        violations.push(if constraint.equality {
            body.terms.ne(form, zero)
        } else {
            body.terms.lt(form, zero)
        });
    }
    body.terms.or(violations)
}

/// The left side of a constraint.
fn combination(body: &mut LoopBody<'_>, constraint: &Constraint, dimensions: &[TermId]) -> TermId {
    let mut form = Linear::constant(constraint.constant.clone());
    for (coefficient, dimension) in constraint.coefficients.iter().zip(dimensions) {
        if !coefficient.is_zero() {
            let part = body.terms.linear(*dimension);
            form = form.add_scaled(&part, coefficient);
        }
    }
    body.terms.of_linear(&form)
}

/// All linear equations between terms that hold in every iteration, by sampling: those that all models so far satisfy are asked for a
/// counterexample until there is none. With a modulus: equations modulo that number, among those that the residues next to zero satisfy in all
/// samples. `None` if the solver does not know.
pub(super) fn equations(
    body: &mut LoopBody<'_>,
    dimensions: &[TermId],
    modulus: Option<&Integer>,
) -> Result<Option<Vec<Constraint>>, Stop> {
    let sample = |body: &LoopBody<'_>, model: &Model| -> Vec<Integer> {
        values(body, dimensions, model).into_iter().map(|value| near_zero(value, modulus)).collect()
    };
    let mut sofar = Equations::new(dimensions.len());
    let mut is_first = true;
    for model in body.models() {
        sofar.add(&sample(body, &model));
        is_first = false;
    }
    // Every model removes an equation; modulo a number it may be a rational combination of others all the same.
    for _ in 0..=dimensions.len() + 1 {
        body.budget.tick()?;
        let mut violations = Vec::new();
        for candidate in sofar.basis() {
            let form = combination(body, &candidate, dimensions);
            let zero = body.terms.int(0);
            let holds = match modulus {
                Some(modulus) => body.terms.divides(modulus, form),
                None => body.terms.eq(form, zero),
            };
            violations.push(body.terms.not(holds));
        }
        let violated = if is_first { Terms::TRUE } else { body.terms.or(violations) };
        is_first = false;
        match body.ask(violated)? {
            Reply::Yes(model) => {
                sofar.add(&sample(body, &model));
            }
            Reply::No => return Ok(Some(sofar.solved())),
            Reply::Unknown => return Ok(None),
        }
    }
    Ok(None)
}

/// The value, or the one of its residue class that is next to zero.
pub(super) fn near_zero(value: Integer, modulus: Option<&Integer>) -> Integer {
    let Some(modulus) = modulus else { return value };
    let rest = value.modulo(modulus);
    if &rest + &rest > *modulus { rest - modulus.clone() } else { rest }
}
