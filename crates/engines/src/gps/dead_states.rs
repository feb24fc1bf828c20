//! States from which the error cannot be reached according to the guide.
//!
//! A state is a list of facts: bounds of integers, elements of short arrays. If the guide has no path to the error from a state, an unsatisfiable
//! core names the facts that show it, and all states with these facts are dead. They are recognised later without a query.
//!
//! # Invariants
//! * D1: a remembered [`Cube`] has no model together with the guide of its point; only the answer "unsat" makes one.

use std::collections::VecDeque;

use base::Budget;
use cfa::{Program, Ty, VarId};
use interp::{Value, View};
use smt::{Answer, Solver, minimise};
use term::{SymbolId, TermId, Terms};

/// Arrays up to this length are shown to the solver.
const MAX_ELEMENTS: u64 = 32;
/// So many cubes are remembered for each point; the oldest ones go first.
const MAX_CUBES: usize = 64;
/// Explanations up to this length are made shorter.
const MAX_MINIMISED: usize = 6;

/// Something that holds in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    AtMost(VarId, i128),
    AtLeast(VarId, i128),
    Element(VarId, i128, i128),
    /// The number of the product among those of the point, and its value.
    Product(usize, i128),
}

impl Fact {
    fn holds(self, view: &View<'_>, products: &[(SymbolId, Vec<VarId>)]) -> bool {
        match self {
            Self::AtMost(var, bound) => view.scalar(var).and_then(number).is_some_and(|value| value <= bound),
            Self::AtLeast(var, bound) => {
                view.scalar(var).and_then(number).is_some_and(|value| value >= bound)
            }
            Self::Element(var, index, value) => view.elem(var, index).and_then(number) == Some(value),
            Self::Product(at, value) => product(view, &products[at].1) == Some(value),
        }
    }
}

/// The number that formulas have for a value.
pub(super) fn number(value: Value) -> Option<i128> {
    match value.ty {
        Ty::Int { width: 128, signed: false } => None,
        _ => Some(value.as_int()),
    }
}

/// The product of variables.
fn product(view: &View<'_>, factors: &[VarId]) -> Option<i128> {
    factors.iter().try_fold(1_i128, |sofar, factor| sofar.checked_mul(view.scalar(*factor).and_then(number)?))
}

/// The value of a variable or of an element.
#[derive(Clone, Copy, Debug)]
struct Seen {
    var: VarId,
    symbol: SymbolId,
    index: Option<i128>,
    value: i128,
}

impl Seen {
    fn equation(self, terms: &mut Terms) -> TermId {
        let (variable, value) = (terms.of_symbol(self.symbol), terms.number(self.value));
        match self.index {
            None => terms.eq(variable, value),
            Some(index) => {
                let index = terms.number(index);
                let element = terms.select(variable, index);
                terms.eq(element, value)
            }
        }
    }
}

/// States with some facts in common.
type Cube = Vec<Fact>;

/// What is looked at in the states of a point, and which of them are dead.
pub(super) struct States {
    shown: Vec<(VarId, SymbolId)>,
    products: Vec<(SymbolId, Vec<VarId>)>,
    cubes: VecDeque<Cube>,
}

impl States {
    /// States of these variables, which are integers or arrays of them, and of products of variables.
    pub(super) fn new(shown: Vec<(VarId, SymbolId)>, products: Vec<(SymbolId, Vec<VarId>)>) -> Self {
        Self { shown, products, cubes: VecDeque::new() }
    }

    /// Whether a state is known to be dead.
    pub(super) fn is_dead(&self, view: &View<'_>) -> bool {
        self.cubes.iter().any(|cube| cube.iter().all(|fact| fact.holds(view, &self.products)))
    }

    /// The values of a state that formulas can speak of.
    fn values(&self, program: &Program, view: &View<'_>) -> Vec<Seen> {
        let mut seen = Vec::with_capacity(self.shown.len());
        for (var, symbol) in self.shown.iter().copied() {
            if program.vars[var].scalar().is_some() {
                let value = view.scalar(var).and_then(number);
                seen.extend(value.map(|value| Seen { var, symbol, index: None, value }));
            } else if view.length(var) <= MAX_ELEMENTS {
                let of = |(index, value): (i128, Value)| {
                    number(value).map(|value| Seen { var, symbol, index: Some(index), value })
                };
                seen.extend(view.elements(var).into_iter().filter_map(of));
            }
        }
        seen
    }

    /// That the variables have the values that they have.
    pub(super) fn formula(&self, program: &Program, view: &View<'_>, terms: &mut Terms) -> TermId {
        let mut parts: Vec<TermId> =
            self.values(program, view).iter().map(|seen| seen.equation(terms)).collect();
        parts.extend(self.products(view, terms).into_iter().map(|(equation, _)| equation));
        terms.and(parts)
    }

    fn products(&self, view: &View<'_>, terms: &mut Terms) -> Vec<(TermId, Fact)> {
        let mut facts = Vec::new();
        for (at, (symbol, factors)) in self.products.iter().enumerate() {
            if let Some(value) = product(view, factors) {
                let (symbol, number) = (terms.of_symbol(*symbol), terms.number(value));
                facts.push((terms.eq(symbol, number), Fact::Product(at, value)));
            }
        }
        facts
    }

    /// The same in pieces.
    fn facts(&self, program: &Program, view: &View<'_>, terms: &mut Terms) -> Vec<(TermId, Fact)> {
        let mut facts = self.products(view, terms);
        for seen in self.values(program, view) {
            let Seen { var, symbol, index, value } = seen;
            if let Some(index) = index {
                facts.push((seen.equation(terms), Fact::Element(var, index, value)));
            } else {
                let (variable, bound) = (terms.of_symbol(symbol), terms.number(value));
                facts.push((terms.le(variable, bound), Fact::AtMost(var, value)));
                facts.push((terms.ge(variable, bound), Fact::AtLeast(var, value)));
            }
        }
        facts
    }

    /// Remembers a state for which `solver`, which holds the guide alone, has found no path to the error, if it can say why.
    pub(super) fn learn(
        &mut self,
        program: &Program,
        view: &View<'_>,
        solver: &mut dyn Solver,
        terms: &mut Terms,
        budget: &mut Budget,
    ) {
        let facts = self.facts(program, view, terms);
        let assumptions: Vec<TermId> = facts.iter().map(|(term, _)| *term).collect();
        solver.push();
        let core = match solver.check(terms, &assumptions, budget) {
            Answer::Unsat(core) if core.0.len() <= MAX_MINIMISED => {
                Some(minimise(solver, terms, &core, budget))
            }
            Answer::Unsat(core) => Some(core),
            Answer::Sat(_) | Answer::Unknown(_) => None,
        };
        solver.pop();
        let Some(core) = core else { return };
        if self.cubes.len() == MAX_CUBES {
            self.cubes.pop_front();
        }
        let needed = facts.into_iter().filter(|(term, _)| core.0.contains(term));
        self.cubes.push_back(needed.map(|(_, fact)| fact).collect());
    }
}
