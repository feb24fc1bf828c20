//! Pre-images by models: conjunctions of literals over program variables that lead to a goal.
//!
//! The states before a step from which some choice leads to a goal are a formula with existential symbols. A model of it gives one conjunction: an implicant, with the chosen symbols
//! projected away. Repeated until no model is left, the conjunctions are the pre-image: there are as many as are needed, not as many as there are paths.
//!
//! # Invariants
//! * B1: every state of a conjunction that is exact has choices that satisfy the formula. The model is one of its states.

use smt::project;
use term::{Constraint, Model, Node, SymbolId, SymbolKind, TermId, Terms};
use verdict::Reason;

use crate::elements::{Elements, read_through};

/// How a conjunction relates to the states that it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// All its states are in the pre-image (B1).
    Exact,
    /// Literals that could not be projected were dropped.
    Larger,
}

/// Some states of a pre-image.
#[derive(Clone, Debug)]
pub struct Preimage {
    /// The literals, over variables only.
    pub literals: Vec<TermId>,
    /// Whether all their states belong to it.
    pub exactness: Exactness,
}

/// The states around a model of `formula`, which has no reads of changed arrays ([`readable`]).
pub fn preimage(terms: &mut Terms, formula: TermId, model: &Model) -> Result<Preimage, Reason> {
    let literals = terms.implicant(formula, model).ok_or(Reason::NotInterpolated)?;
    let chosen: Vec<SymbolId> = terms
        .symbols_of(formula)
        .into_iter()
        .filter(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable)
        .collect();
    let (touched, mut kept): (Vec<TermId>, Vec<TermId>) =
        literals.into_iter().partition(|literal| terms.mentions(*literal, &chosen));
    let mut exactness = Exactness::Exact;
    if !touched.is_empty() {
        let (projected, how) = projected(terms, &touched, &chosen, model)?;
        exactness = how;
        kept.extend(projected);
    }
    kept.retain(|literal| !matches!(terms.node(*literal), Node::True));
    kept.sort_unstable();
    kept.dedup();
    Ok(Preimage { literals: kept, exactness })
}

/// The formula with reads of changed arrays as choices: an equivalent one.
pub fn readable(terms: &mut Terms, formula: TermId) -> TermId {
    read_through(terms, formula)
}

/// Literals that hold in a model, without chosen symbols.
pub(crate) fn projected(
    terms: &mut Terms,
    literals: &[TermId],
    chosen: &[SymbolId],
    model: &Model,
) -> Result<(Vec<TermId>, Exactness), Reason> {
    let Elements { literals, chosen, model } = Elements::of(terms, literals, chosen, model);
    let formula = terms.and(literals);
    match project::project_model(terms, formula, &chosen, &model) {
        Ok(cube) => {
            let items = cube.constraints.iter().map(|item| terms.of_constraint(item));
            let mut items: Vec<TermId> = items.collect();
            items.extend(cube.others);
            Ok((items, Exactness::Exact))
        }
        Err(project::Failure::Stopped(stop)) => Err(Reason::Stopped(stop)),
        Err(_) => {
            let forgotten = project::forget(terms, formula, &chosen);
            Ok((terms.conjuncts(forgotten), Exactness::Larger))
        }
    }
}

/// Literals as linear constraints that hold in the model; equations as pairs of inequalities, of which one may be enough.
pub(crate) fn constraints(terms: &mut Terms, literals: &[TermId], model: &Model) -> Vec<TermId> {
    let cube = terms.linear_cube(literals, model);
    let mut result = cube.others;
    for constraint in cube.constraints {
        match constraint {
            Constraint::Zero(form) => {
                result.push(terms.le_zero(&form));
                result.push(terms.le_zero(&form.negate()));
            }
            other => result.push(terms.of_constraint(&other)),
        }
    }
    result.retain(|literal| !matches!(terms.node(*literal), Node::True));
    result.sort_unstable();
    result.dedup();
    result
}
