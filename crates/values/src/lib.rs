//! What is known of values without formulas: intervals, congruences, combinations of state variables, liveness, monomials.
//!
//! [`analyze`] is a forward analysis of machine values that runs before formulas are built. For every location of a procedure it
//! computes an interval and a congruence of every scalar variable and of the elements of every array variable. It proves most
//! machine operations wrap-free, so that they are plain arithmetic in the formulas; and its facts are assumed at loop heads and around
//! star.
//!
//! Knows no terms, no solver and no engine.
//!
//! # Invariants
//! * A1: `Facts::at` includes every state in which an execution of the procedure, started in any state, reaches the location.
//!
//! # Cost
//! A few passes over the edges for each level of loop nesting; bounds grow along the constants of the program.

mod arithmetic;
pub mod cases;
mod entries;
pub mod folds;
pub mod liveness;
pub mod monomials;
pub mod representatives;
pub mod state;
pub mod sums;
pub mod total;
pub mod value;

use std::collections::BTreeSet;

use base::{Budget, IndexVec, Stop};
use cfa::loops::Digraph;
use cfa::{Edge, Expr, Loc, Procedure, Program, Ty};

pub use entries::entry_facts;
use state::State;

/// After so many visits of a loop head its bounds are widened.
const VISITS_BEFORE_WIDENING: u32 = 2;
/// The rank of a location that the entry does not reach.
const UNREACHED: u32 = u32::MAX;
/// So often the result of widening is sharpened again.
const NARROWING_PASSES: usize = 3;

/// What the analysis found: a state per location, `None` where nothing arrives.
#[derive(Clone, Debug)]
pub struct Facts {
    states: IndexVec<Loc, Option<State>>,
}

impl Facts {
    /// The facts at a location; `None` if no execution arrives there.
    pub fn at(&self, location: Loc) -> Option<&State> {
        self.states[location].as_ref()
    }
}

/// Analyses a procedure from its entry, nothing assumed there.
pub fn analyze(program: &Program, procedure: &Procedure, budget: &mut Budget) -> Result<Facts, Stop> {
    analyze_from(program, procedure, &State::new(), budget)
}

/// Analyses a procedure from its entry, where some facts hold.
pub fn analyze_from(
    program: &Program,
    procedure: &Procedure,
    start: &State,
    budget: &mut Budget,
) -> Result<Facts, Stop> {
    let order = Order::of(procedure);
    let thresholds = thresholds(program);
    let mut states: IndexVec<Loc, Option<State>> = IndexVec::filled(None, procedure.locations.len());
    let mut visits: IndexVec<Loc, u32> = IndexVec::filled(0, procedure.locations.len());
    states[procedure.entry] = Some(start.clone());
    let mut pending: BTreeSet<u32> = BTreeSet::from([order.rank[procedure.entry]]);
    while let Some(rank) = pending.pop_first() {
        let location = order.locations[rank as usize];
        for edge in procedure.outgoing(location) {
            budget.tick()?;
            let edge = &procedure.edges()[*edge];
            let Some(arriving) = states[location].as_ref().and_then(|state| after(program, edge, state))
            else {
                continue;
            };
            let target = edge.target;
            let updated = match &states[target] {
                None => arriving,
                Some(old) if old.includes(&arriving) => continue,
                Some(old) if order.is_loop_head[target] && visits[target] >= VISITS_BEFORE_WIDENING => {
                    arriving.join(old).widened(old, program, &thresholds)
                }
                Some(old) => old.join(&arriving),
            };
            visits[target] += 1;
            states[target] = Some(updated);
            pending.insert(order.rank[target]);
        }
    }
    narrow(program, procedure, &order, &mut states, budget)?;
    Ok(Facts { states })
}

/// Recomputes every state from those of its predecessors. Each is sound, so what is computed from them is.
fn narrow(
    program: &Program,
    procedure: &Procedure,
    order: &Order,
    states: &mut IndexVec<Loc, Option<State>>,
    budget: &mut Budget,
) -> Result<(), Stop> {
    for _ in 0..NARROWING_PASSES {
        for &location in &order.locations {
            if location == procedure.entry {
                continue;
            }
            let mut joined: Option<State> = None;
            for edge in &order.incoming[location] {
                budget.tick()?;
                let edge = &procedure.edges()[*edge];
                let arriving = states[edge.source].as_ref().and_then(|state| after(program, edge, state));
                joined = match (joined, arriving) {
                    (Some(sofar), Some(arriving)) => Some(sofar.join(&arriving)),
                    (sofar, arriving) => sofar.or(arriving),
                };
            }
            states[location] = joined;
        }
    }
    Ok(())
}

/// The state after an edge; nothing if no execution gets to its end.
pub fn after(program: &Program, edge: &Edge, state: &State) -> Option<State> {
    let mut state = state.clone();
    edge.ops.iter().all(|op| state.execute(program, op)).then_some(state)
}

/// Constants of the program and their neighbours, and the bounds of its types, ascending.
fn thresholds(program: &Program) -> Vec<i128> {
    let mut thresholds = BTreeSet::from([-1, 0, 1]);
    for (id, expr) in program.exprs.iter() {
        if let Expr::Const { ty: ty @ Ty::Int { width: ..=64, .. }, bits } = expr {
            let value = ty.value_of(*bits);
            thresholds.extend([value - 1, value, value + 1]);
        }
        if let Some(range) = state::type_range(program.exprs.ty(id)) {
            thresholds.extend([range.low(), range.high()]);
        }
    }
    thresholds.into_iter().collect()
}

/// Reverse postorder of the locations that the entry reaches, and what closes a cycle in it.
struct Order {
    locations: Vec<Loc>,
    rank: IndexVec<Loc, u32>,
    is_loop_head: IndexVec<Loc, bool>,
    incoming: IndexVec<Loc, Vec<cfa::EdgeId>>,
}

impl Order {
    fn of(procedure: &Procedure) -> Self {
        let count = procedure.locations.len();
        let locations = Digraph::of(procedure).reverse_postorder(procedure.entry);
        let mut rank = IndexVec::filled(UNREACHED, count);
        for (at, location) in locations.iter().enumerate() {
            rank[*location] = at as u32;
        }
        let mut is_loop_head = IndexVec::filled(false, count);
        let mut incoming: IndexVec<Loc, Vec<cfa::EdgeId>> = IndexVec::filled(Vec::new(), count);
        for (id, edge) in procedure.edges().iter_enumerated() {
            if rank[edge.source] != UNREACHED {
                incoming[edge.target].push(id);
                if rank[edge.target] <= rank[edge.source] {
                    is_loop_head[edge.target] = true;
                }
            }
        }
        Self { locations, rank, is_loop_head, incoming }
    }
}
