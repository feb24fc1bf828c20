//! What an engine works with.

use base::Budget;
use smt::Logic;

use crate::contracts::ContractStore;
use crate::events::Events;
use crate::exchange::Exchange;

/// The environment of an engine.
pub struct Env<'a> {
    /// Its formulas, solvers and budget.
    pub logic: Logic,
    /// The listener to what the engine does.
    pub events: &'a dyn Events,
    /// What earlier runs have found out about procedures, if it is kept.
    pub contracts: Option<&'a dyn ContractStore>,
    /// What other engines have found out about the program, if several work on it.
    pub exchange: Option<&'a dyn Exchange>,
}

impl<'a> Env<'a> {
    /// An environment within a budget.
    pub fn new(budget: Budget, events: &'a dyn Events) -> Self {
        Self { logic: Logic::new(budget), events, contracts: None, exchange: None }
    }

    /// Another environment for a part of the work: formulas and solvers of its own, within a budget of its own.
    #[must_use]
    pub fn share(&self, budget: Budget) -> Self {
        Self { logic: Logic::new(budget), ..*self }
    }
}
