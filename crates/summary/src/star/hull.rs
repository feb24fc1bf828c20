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
//! At most [`MOST_MODELS`] models and [`MOST_GENERATORS`] generators in [`MOST_DIMENSIONS`] dimensions (those that equations determine not
//! counted); beyond that templates.

use std::rc::Rc;

use base::Stop;
use term::{Evaluator, Integer, Linear, Model, Sort, SymbolId, SymbolKind, TermId};

use super::query::{Query, Reply};
use super::template::template_hull;
use crate::polyhedron::{Constraint, Equations, Polyhedron, Projection};

/// More dimensions than this are not joined exactly.
pub(super) const MOST_DIMENSIONS: usize = 6;
/// More models than this are not asked for one hull.
const MOST_MODELS: usize = 32;
/// More generators than this are too many.
const MOST_GENERATORS: usize = 96;

/// `constant + Σ coefficient · dimension >= 0`, or `= 0`.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    pub(super) form: Vec<(usize, Integer)>,
    pub(super) constant: Integer,
    pub(super) equality: bool,
}

/// Linear constraints that all iterations satisfy over the given integer terms.
pub(super) fn hull(query: &mut Query<'_>, dimensions: &[TermId]) -> Result<Vec<Facet>, Stop> {
    if dimensions.is_empty() {
        return Ok(Vec::new());
    }
    let space = Space::new(query, dimensions);
    if dimensions.len() <= MOST_DIMENSIONS
        && let Some(polyhedron) = exact_hull(query, &space)?
    {
        query.statistics.hulls += 1;
        return Ok(polyhedron.constraints().filter_map(|constraint| facet(&constraint)).collect());
    }
    let Some(equations) = equations(query, dimensions, None)? else {
        query.statistics.lost_hulls += 1;
        return Ok(Vec::new());
    };
    let mut facets: Vec<Facet> = equations.iter().filter_map(facet).collect();
    // An equation determines its last dimension.
    let determined: Vec<usize> =
        facets.iter().filter_map(|facet| facet.form.last().map(|(at, _)| *at)).collect();
    let free: Vec<usize> = (0..dimensions.len()).filter(|at| !determined.contains(at)).collect();
    let space = Space::new(query, &free.iter().map(|at| dimensions[*at]).collect::<Vec<_>>());
    let exact = if free.len() <= MOST_DIMENSIONS && !determined.is_empty() {
        exact_hull(query, &space)?
    } else {
        None
    };
    let rest: Vec<Facet> = if let Some(polyhedron) = exact {
        query.statistics.hulls += 1;
        polyhedron.constraints().filter_map(|constraint| facet(&constraint)).collect()
    } else {
        query.statistics.template_hulls += 1;
        template_hull(query, &space)?
    };
    facets.extend(rest.into_iter().map(|mut facet| {
        for (at, _) in &mut facet.form {
            *at = free[*at];
        }
        facet
    }));
    Ok(facets)
}

pub(super) fn facet(constraint: &Constraint) -> Option<Facet> {
    // No integer point at all would mean that there is no iteration, which the caller has excluded.
    let constraint = constraint.tightened()?;
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
    pub(super) fn new(query: &mut Query<'_>, dimensions: &[TermId]) -> Self {
        let mut conjuncts = vec![query.relation];
        let mut names = Vec::new();
        for dimension in dimensions {
            let symbol = query.terms.fresh("dim", Sort::Int, SymbolKind::Auxiliary);
            let name = query.terms.of_symbol(symbol);
            conjuncts.push(query.terms.eq(name, *dimension));
            names.push(symbol);
        }
        let relation = query.terms.and(conjuncts);
        Self { dimensions: dimensions.to_vec(), names, relation }
    }

    /// The model with values of the names, and what its cube allows of these.
    pub(super) fn generalise(&self, query: &mut Query<'_>, model: &Model) -> Option<(Model, Projection)> {
        let mut model = model.clone();
        for (name, value) in self.names.iter().zip(values(query, &self.dimensions, &model)) {
            model.set_int(*name, value);
        }
        let literals = query.terms.implicant(self.relation, &model)?;
        let cube = query.terms.linear_cube(&literals, &model);
        let projection = Projection::new(query.terms, &cube, &model, &self.names);
        Some((model, projection))
    }
}

/// What terms are in a model.
pub(super) fn values(query: &Query<'_>, dimensions: &[TermId], model: &Model) -> Vec<Integer> {
    let mut evaluator = Evaluator::new(query.terms, model);
    dimensions.iter().map(|dimension| evaluator.int(*dimension)).collect()
}

/// A model that satisfies a condition: one from `known`, which are used up, or one that the solver finds.
pub(super) fn next_model(
    query: &mut Query<'_>,
    known: &mut std::vec::IntoIter<Rc<Model>>,
    condition: TermId,
) -> Result<Reply, Stop> {
    for model in known {
        if Evaluator::new(query.terms, &model).holds(condition) {
            return Ok(Reply::Yes(model));
        }
    }
    query.ask(condition)
}

/// The hull, unless it takes too much.
fn exact_hull(query: &mut Query<'_>, space: &Space) -> Result<Option<Polyhedron>, Stop> {
    let dimension = space.dimensions.len();
    let mut sofar = Polyhedron::empty(dimension);
    let mut known = query.models().into_iter();
    for _ in 0..MOST_MODELS {
        query.budget.tick()?;
        let outside = outside(query, &sofar, &space.dimensions);
        let model = match next_model(query, &mut known, outside)? {
            Reply::Yes(model) => model,
            Reply::No => return Ok(Some(sofar)),
            Reply::Unknown => return Ok(None),
        };
        let Some((_, projection)) = space.generalise(query, &model) else { return Ok(None) };
        let constraints = projection.constraints();
        let Ok(piece) = Polyhedron::from_constraints(dimension, &constraints, MOST_GENERATORS) else {
            return Ok(None);
        };
        match sofar.join(&piece, MOST_GENERATORS) {
            Ok(joined) => sofar = joined,
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// The condition that the dimensions lie outside of the polyhedron's integer hull, constraint by constraint.
fn outside(query: &mut Query<'_>, polyhedron: &Polyhedron, dimensions: &[TermId]) -> TermId {
    let mut violations = Vec::new();
    if polyhedron.is_empty() {
        return term::Terms::TRUE;
    }
    for constraint in polyhedron.constraints() {
        let form = combination(query, &constraint, dimensions);
        let zero = query.terms.int(0);
        violations.push(if constraint.equality {
            query.terms.ne(form, zero)
        } else {
            query.terms.lt(form, zero)
        });
    }
    query.terms.or(violations)
}

/// The left side of a constraint.
fn combination(query: &mut Query<'_>, constraint: &Constraint, dimensions: &[TermId]) -> TermId {
    let mut form = Linear::constant(constraint.constant.clone());
    for (coefficient, dimension) in constraint.coefficients.iter().zip(dimensions) {
        if !coefficient.is_zero() {
            let part = query.terms.linear(*dimension);
            form = form.add_scaled(&part, coefficient);
        }
    }
    query.terms.of_linear(&form)
}

/// All linear equations between terms that hold in every iteration, by sampling: those that all models so far satisfy are asked for a
/// counterexample until there is none. With a modulus: equations modulo that number, among those that the residues next to zero satisfy in all
/// samples. `None` if the solver does not know.
pub(super) fn equations(
    query: &mut Query<'_>,
    dimensions: &[TermId],
    modulus: Option<&Integer>,
) -> Result<Option<Vec<Constraint>>, Stop> {
    let sample = |query: &Query<'_>, model: &Model| -> Vec<Integer> {
        values(query, dimensions, model).into_iter().map(|value| near_zero(value, modulus)).collect()
    };
    let mut sofar = Equations::new(dimensions.len());
    let mut is_first = true;
    for model in query.models() {
        sofar.add(&sample(query, &model));
        is_first = false;
    }
    // Every model removes an equation; modulo a number it may be a rational combination of others all the same.
    for _ in 0..=dimensions.len() + 1 {
        query.budget.tick()?;
        let mut violations = Vec::new();
        for candidate in sofar.basis() {
            let form = combination(query, &candidate, dimensions);
            let zero = query.terms.int(0);
            let holds = match modulus {
                Some(modulus) => query.terms.divides(modulus, form),
                None => query.terms.eq(form, zero),
            };
            violations.push(query.terms.not(holds));
        }
        let violated = if is_first { term::Terms::TRUE } else { query.terms.or(violations) };
        is_first = false;
        match query.ask(violated)? {
            Reply::Yes(model) => {
                sofar.add(&sample(query, &model));
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
