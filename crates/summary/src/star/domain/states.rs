//! The convex hulls of the states in which iterations start, and of those in which they end: the state before the first iteration lies in the
//! one, the state after the last in the other.
//!
//! # Paper
//! [Gps25] §6: convex pre- and postconditions of the body.
//!
//! # Cost
//! One hull ([`crate::star::hull`]) for each side, which [`super::progress`] uses again.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::Stop;
use term::{Sort, SymbolId, SymbolKind, TermId};

use super::StarDomain;
use crate::star::hull::{Facet, MAX_DIMENSIONS, hull, scaled_facet};
use crate::star::loop_body::{LoopBody, Side};
use crate::star::partial::{PartialStar, StarFacts};

/// The domain, for one side of iterations.
pub(super) struct States(pub(super) Side);

impl StarDomain for States {
    fn name(&self) -> &'static str {
        match self.0 {
            Side::Before => "states before",
            Side::After => "states after",
        }
    }

    fn facts(&self, body: &mut LoopBody<'_>, star: &PartialStar) -> Result<StarFacts, Stop> {
        let symbols = state_symbols(body);
        let dimensions = values(body, &symbols, self.0);
        let one = body.terms.int(1);
        let mut facts = Vec::new();
        for facet in hull_of_states(body, self.0)?.iter() {
            let fact = scaled_facet(body.terms, facet, &dimensions, one);
            facts.push(star.lift(body, fact));
        }
        Ok(StarFacts::after_some(facts))
    }
}

/// The facets of the states at one side of iterations, over [`state_symbols`].
pub(super) fn hull_of_states(body: &mut LoopBody<'_>, side: Side) -> Result<Rc<[Facet]>, Stop> {
    if let Some(known) = body.hulls.get(&side) {
        return Ok(Rc::clone(known));
    }
    let symbols = state_symbols(body);
    let dimensions = values(body, &symbols, side);
    let facets: Rc<[Facet]> = hull(body, &dimensions)?.into();
    body.hulls.insert(side, Rc::clone(&facets));
    Ok(facets)
}

/// The changed variables, then the constants that matter to them.
pub(super) fn state_symbols(body: &LoopBody<'_>) -> Vec<SymbolId> {
    let changed = body.changed();
    let constants = constants(body, &changed);
    changed.into_iter().chain(constants).collect()
}

fn values(body: &mut LoopBody<'_>, symbols: &[SymbolId], side: Side) -> Vec<TermId> {
    let mut values = Vec::new();
    for symbol in symbols {
        values.push(match side {
            Side::Before => body.terms.of_symbol(*symbol),
            Side::After => body.value_after(*symbol),
        });
    }
    values
}

/// Unchanged variables that the guard relates to changed ones, and, as long as there is room in a hull, those by which others change; ascending.
fn constants(body: &LoopBody<'_>, changed: &[SymbolId]) -> BTreeSet<SymbolId> {
    let (terms, formula) = (&*body.terms, &body.definition.formula);
    let is_constant = |symbol: &SymbolId| {
        terms.symbol(*symbol).kind == SymbolKind::Variable
            && terms.symbol(*symbol).sort == Sort::Int
            && !formula.update.contains_key(symbol)
    };
    let mut found = BTreeSet::new();
    for part in terms.conjuncts(formula.guard) {
        let symbols = terms.symbols_of(part);
        if symbols.iter().any(|symbol| changed.contains(symbol)) {
            found.extend(symbols.into_iter().filter(is_constant));
        }
    }
    let values: Vec<TermId> =
        changed.iter().filter_map(|symbol| formula.update.get(symbol).copied()).collect();
    for symbol in terms.symbols_of_all(&values).into_iter().filter(is_constant) {
        if changed.len() + found.len() < MAX_DIMENSIONS {
            found.insert(symbol);
        }
    }
    found
}
