//! One iteration of a loop as something to ask about.
//!
//! All domains of a star share one solver and its remembered models: most questions are answered by a model that another domain found.

use std::collections::BTreeMap;

use base::{Budget, Stop};
use smt::{Answer, Pooled, Solver, Why, Z3Solver};
use term::{Model, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::Body;

/// How many models are remembered.
const POOL: usize = 64;

/// An answer that a domain can act on; what is unknown is treated as the weaker case.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// There is such an iteration.
    Yes(Model),
    /// There is none.
    No,
    /// The solver does not know.
    Unknown,
}

/// The relation of one iteration, with names for what holds afterwards.
pub(super) struct Query<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) budget: &'a mut Budget,
    solver: Pooled<Z3Solver>,
    /// One iteration between states that satisfy the facts, over the variables and `after`.
    pub(super) relation: TermId,
    /// For each changed integer variable the symbol of its value afterwards.
    pub(super) after: BTreeMap<SymbolId, SymbolId>,
}

impl<'a> Query<'a> {
    pub(super) fn new(terms: &'a mut Terms, budget: &'a mut Budget, solver: Z3Solver, body: &Body) -> Self {
        let mut after = BTreeMap::new();
        let mut conjuncts = vec![body.formula.guard, body.facts];
        let mut pairs = Vec::new();
        for (symbol, value) in &body.formula.map {
            if terms.sort(*value) != Sort::Int {
                continue;
            }
            let name = terms.symbol(*symbol).name.clone();
            let primed = terms.declare(name, Sort::Int, SymbolKind::Primed);
            let term = terms.of_symbol(primed);
            conjuncts.push(terms.eq(term, *value));
            pairs.push((*symbol, term));
            after.insert(*symbol, primed);
        }
        conjuncts.push(Substitution::new(pairs).apply(terms, body.facts));
        let relation = terms.and(conjuncts);
        let mut solver = Pooled::new(solver, POOL);
        solver.assert(terms, relation);
        Self { terms, budget, solver, relation, after }
    }

    /// Whether an iteration satisfies a condition.
    pub(super) fn ask(&mut self, condition: TermId) -> Result<Reply, Stop> {
        if condition == Terms::FALSE {
            return Ok(Reply::No);
        }
        match self.solver.check(self.terms, &[condition], self.budget) {
            Answer::Sat(model) => Ok(Reply::Yes(model)),
            Answer::Unsat(_) => Ok(Reply::No),
            Answer::Unknown(Why::Stopped(stop)) => Err(stop),
            Answer::Unknown(Why::Effort | Why::Incomplete(_) | Why::Crashed(_)) => Ok(Reply::Unknown),
        }
    }

    /// Whether no iteration satisfies a condition.
    pub(super) fn never(&mut self, condition: TermId) -> Result<bool, Stop> {
        Ok(matches!(self.ask(condition)?, Reply::No))
    }

    /// The models known so far, latest first.
    pub(super) fn models(&self) -> Vec<Model> {
        self.solver.models().cloned().collect()
    }

    /// The term of a variable's value afterwards.
    pub(super) fn value_after(&mut self, symbol: SymbolId) -> TermId {
        let name = self.after.get(&symbol).copied().unwrap_or(symbol);
        self.terms.of_symbol(name)
    }

    /// A condition on the state, as one on the state afterwards; `None` if it mentions something that is not known afterwards.
    pub(super) fn primed(&mut self, condition: TermId) -> TermId {
        let pairs: Vec<_> =
            self.after.iter().map(|(symbol, primed)| (*symbol, self.terms.of_symbol(*primed))).collect();
        Substitution::new(pairs).apply(self.terms, condition)
    }
}
