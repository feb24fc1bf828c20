//! Gas: a bound on the rounds of loops, so that a summary tells how far the error is.
//!
//! # Paper
//! [Gps25] §5.3: each loop head consumes one unit of a variable that the program chooses at its start. Any execution has enough gas
//! for some choice, so reachability is the same; a summary of the instrumented graph relates the gas that is left to the rounds that are needed.
//! Here only heads count whose rounds choose values: in all other loops there is nothing to steer, and their executions are bounded otherwise.
//!
//! # Invariants
//! * G1: forgetting the gas turns an execution of the new graph into one of the old graph; every execution of the old graph has a counterpart
//!   for all large enough values of the gas.

use encode::Skolem;
use term::{Sort, SymbolId, SymbolKind, Terms};

use crate::cut::{Graph, Point};

impl Graph {
    /// The graph with gas, and its symbol. Nothing if there is no loop to count.
    pub fn with_gas(&self, terms: &mut Terms) -> Option<(Self, SymbolId)> {
        let counted: Vec<bool> = self.points.iter().map(|point| self.is_counted(point)).collect();
        if !counted.contains(&true) {
            return None;
        }
        let gas = terms.fresh("gas", Sort::Int, SymbolKind::Variable);
        let tank = terms.of_symbol(gas);
        let (zero, one) = (terms.int(0), terms.int(1));
        let not_negative = terms.ge(tank, zero);
        let some_left = terms.ge(tank, one);
        let less = terms.sub(tank, one);
        let mut points = self.points.clone();
        for point in &mut points {
            point.facts = terms.and([point.facts, not_negative]);
            point.live.push(gas);
        }
        let mut arcs = self.arcs.clone();
        for arc in &mut arcs {
            if counted[arc.source.0 as usize] {
                arc.formula.guard = terms.and([arc.formula.guard, some_left]);
                arc.formula.map.insert(gas, less);
            }
        }
        let graph = Self {
            points,
            arcs,
            error: self.error,
            unreachable: self.unreachable.clone(),
            procedure: self.procedure,
            vocabulary: self.vocabulary.clone(),
        };
        Some((graph, gas))
    }

    /// Whether a point is the head of a loop that chooses values on the way from it.
    fn is_counted(&self, point: &Point) -> bool {
        point.body.is_some()
            && point.outgoing.iter().any(|arc| self.arcs[*arc].skolems.iter().any(Skolem::is_input))
    }
}
