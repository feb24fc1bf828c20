//! Gas: a bound on the iterations of loops, so that a summary shows how far the error is.
//!
//! # Paper
//! [Gps25] §5.3: each loop head consumes one unit of a variable that the program chooses at its start. Any execution has enough gas
//! for some choice, so reachability is the same; a summary of the instrumented graph relates the gas that is left to the iterations that are needed.
//! Here only heads count whose iterations choose values: in all other loops there is nothing to choose, and their executions are bounded otherwise.
//!
//! The solver is asked for little gas, and every iteration leaves less of it, so a guided test makes progress according to the summary, or ends. When the
//! summary turns out to be too optimistic, the test is given new gas a bounded number of times.
//!
//! # Invariants
//! * G1: forgetting the gas turns an execution of the new graph into one of the old graph; every execution of the old graph has a counterpart
//!   for all large enough values of the gas.

use encode::Skolem;
use term::{Integer, Model, Sort, SymbolId, SymbolKind, Terms};

use graph::cut::{Graph, Point};

/// How often a test gets new gas.
const REFILLS: u32 = 32;

/// The graph with gas, and its symbol. Nothing if there is no loop to count.
pub(super) fn with_gas(graph: &Graph, terms: &mut Terms) -> Option<(Graph, SymbolId)> {
    let counted: Vec<bool> = graph.points.iter().map(|point| is_counted(graph, point)).collect();
    if !counted.contains(&true) {
        return None;
    }
    let gas = terms.fresh("gas", Sort::Int, SymbolKind::Variable);
    let left = terms.of_symbol(gas);
    let (zero, one) = (terms.int(0), terms.int(1));
    let not_negative = terms.ge(left, zero);
    let some_left = terms.ge(left, one);
    let less = terms.sub(left, one);
    let mut points = graph.points.clone();
    for point in &mut points {
        point.facts = terms.and([point.facts, not_negative]);
        point.live.push(gas);
    }
    let mut arcs = graph.arcs.clone();
    for arc in &mut arcs {
        if counted[arc.source.0 as usize] {
            arc.formula.guard = terms.and([arc.formula.guard, some_left]);
            arc.formula.update.insert(gas, less);
        }
    }
    let graph = Graph {
        points,
        arcs,
        target: graph.target,
        unreachable: graph.unreachable.clone(),
        procedure: graph.procedure,
        vocabulary: graph.vocabulary.clone(),
        cells: graph.cells.clone(),
        elements: graph.elements.clone(),
    };
    Some((graph, gas))
}

/// Whether a point is the head of a loop that chooses values on the way from it.
fn is_counted(graph: &Graph, point: &Point) -> bool {
    point.body.is_some()
        && point.outgoing.iter().any(|arc| graph.arcs[*arc].skolems.iter().any(Skolem::is_input))
}

/// How much gas a test has left.
#[derive(Clone, Debug)]
pub(super) struct Gas {
    /// The symbol of the gas, if the guide has it.
    pub(super) symbol: Option<SymbolId>,
    /// What is left, once there was a first query.
    pub(super) left: Option<Integer>,
    /// How often it can be filled again.
    pub(super) refills: u32,
}

impl Gas {
    /// Not filled yet.
    pub(super) fn new(symbol: Option<SymbolId>) -> Self {
        Self { symbol, left: None, refills: REFILLS }
    }

    /// Consumes one unit.
    pub(super) fn consume(&mut self) {
        if let Some(left) = &mut self.left {
            *left -= &Integer::ONE;
        }
    }

    /// Sets what a model says is enough.
    pub(super) fn fill(&mut self, model: &Model) {
        self.left = self.symbol.map(|gas| model.int(gas));
    }
}
