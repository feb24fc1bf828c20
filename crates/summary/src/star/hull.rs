//! Convex hulls of one iteration: of its increments, of the states before and of those after.
//!
//! # Paper
//! [Gps25] §6 (compositional recurrence analysis): constraints on the increments of one iteration, multiplied by the number of iterations; convex
//! pre- and postconditions. Hulls are found by models: a model outside the hull so far is generalised to the polyhedron of
//! its cube, and joined. No path is enumerated.
//!
//! # Invariants
//! * U1: a hull contains every model of the relation; if the effort is spent first there is no hull but bounds of single dimensions, or nothing.
//!
//! # Cost
//! At most [`MOST_MODELS`] models a hull; above [`MOST_DIMENSIONS`] dimensions only bounds by optimisation.

use base::Stop;
use term::{Integer, Linear, Sort, SymbolId, SymbolKind, TermId};

use super::query::{Query, Reply};
use crate::polyhedron::{Constraint, Polyhedron, project};

/// More dimensions than this are bounded one by one.
const MOST_DIMENSIONS: usize = 7;
/// More models than this are not asked for one hull.
const MOST_MODELS: usize = 48;
/// More generators than this are too many.
const MOST_GENERATORS: usize = 400;

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
    if dimensions.len() <= MOST_DIMENSIONS
        && let Some(polyhedron) = exact_hull(query, dimensions)?
    {
        return Ok(polyhedron.constraints().filter_map(|constraint| facet(&constraint)).collect());
    }
    bounds(query, dimensions)
}

fn facet(constraint: &Constraint) -> Option<Facet> {
    // No integer point at all would mean that there is no iteration, which the caller has excluded.
    let constraint = constraint.tightened()?;
    let form =
        constraint.coefficients.iter().cloned().enumerate().filter(|(_, factor)| !factor.is_zero()).collect();
    Some(Facet { form, constant: constraint.constant.clone(), equality: constraint.equality })
}

/// The hull, unless it takes too much.
fn exact_hull(query: &mut Query<'_>, dimensions: &[TermId]) -> Result<Option<Polyhedron>, Stop> {
    let names: Vec<SymbolId> =
        dimensions.iter().map(|_| query.terms.fresh("dim", Sort::Int, SymbolKind::Auxiliary)).collect();
    let mut definition = vec![query.relation];
    for (name, dimension) in names.iter().zip(dimensions) {
        let name = query.terms.of_symbol(*name);
        definition.push(query.terms.eq(name, *dimension));
    }
    let relation = query.terms.and(definition);
    let mut sofar = Polyhedron::empty(dimensions.len());
    let mut known = query.models().into_iter();
    for _ in 0..MOST_MODELS {
        query.budget.tick()?;
        let outside = outside(query, &sofar, dimensions);
        let found = loop {
            // Models that other questions brought come first.
            match known.next() {
                Some(model) if term::Evaluator::new(query.terms, &model).holds(outside) => {
                    break Reply::Yes(model);
                }
                Some(_) => {}
                None => break query.ask(outside)?,
            }
        };
        let mut model = match found {
            Reply::Yes(model) => model,
            Reply::No => return Ok(Some(sofar)),
            Reply::Unknown => return Ok(None),
        };
        for (name, dimension) in names.iter().zip(dimensions) {
            let value = term::Evaluator::new(query.terms, &model).int(*dimension);
            model.set_int(*name, value);
        }
        let Some(literals) = query.terms.implicant(relation, &model) else { return Ok(None) };
        let cube = query.terms.linear_cube(&literals, &model);
        let constraints = project(query.terms, &cube, &model, &names);
        let Ok(piece) = Polyhedron::from_constraints(dimensions.len(), &constraints, MOST_GENERATORS) else {
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
        let form = combination(query, &constraint.coefficients, dimensions, &constraint.constant);
        let minus_one = query.terms.int(-1);
        violations.push(query.terms.le(form, minus_one));
        if constraint.equality {
            let one = query.terms.int(1);
            violations.push(query.terms.ge(form, one));
        }
    }
    query.terms.or(violations)
}

fn combination(
    query: &mut Query<'_>,
    coefficients: &[Integer],
    dimensions: &[TermId],
    constant: &Integer,
) -> TermId {
    let mut form = Linear::constant(constant.clone());
    for (coefficient, dimension) in coefficients.iter().zip(dimensions) {
        if !coefficient.is_zero() {
            let part = query.terms.linear(*dimension);
            form = form.add_scaled(&part, coefficient);
        }
    }
    query.terms.of_linear(&form)
}

/// Bounds of each dimension by itself: the value in some model is tried as a bound and moved while it is exceeded.
fn bounds(query: &mut Query<'_>, dimensions: &[TermId]) -> Result<Vec<Facet>, Stop> {
    let mut facets = Vec::new();
    for (at, dimension) in dimensions.iter().enumerate() {
        for sign in [Integer::ONE, Integer::MINUS_ONE] {
            let objective = query.terms.scale(&sign, *dimension);
            if let Some(least) = least_value(query, objective)? {
                facets.push(Facet { form: vec![(at, sign)], constant: -least, equality: false });
            }
        }
    }
    Ok(facets)
}

/// The least value of a term, if a few questions find it.
fn least_value(query: &mut Query<'_>, objective: TermId) -> Result<Option<Integer>, Stop> {
    const MOST_STEPS: usize = 6;
    let mut least: Option<Integer> = None;
    for _ in 0..MOST_STEPS {
        let below = match &least {
            None => term::Terms::TRUE,
            Some(value) => {
                let value = query.terms.number(value.clone());
                query.terms.lt(objective, value)
            }
        };
        match query.ask(below)? {
            Reply::Yes(model) => least = Some(term::Evaluator::new(query.terms, &model).int(objective)),
            Reply::No => return Ok(least),
            Reply::Unknown => return Ok(None),
        }
    }
    Ok(None)
}
