//! What an engine works with.

use base::Budget;
use smt::Logic;

use crate::events::Events;

/// The environment of an engine.
pub struct Env<'a> {
    /// Its formulas, solvers and budget.
    pub logic: Logic,
    /// The listener to what the engine does.
    pub events: &'a dyn Events,
}

impl<'a> Env<'a> {
    /// An environment within a budget.
    pub fn new(budget: Budget, events: &'a dyn Events) -> Self {
        Self { logic: Logic::new(budget), events }
    }
}
