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
//! * A2: only what heads of loops know grows from visit to visit, up to widening; every cycle has one. What is known elsewhere is computed anew from the predecessors, with which it shares nearly everything.
//!
//! # Paper
//! Bourdoncle, Efficient Chaotic Iteration Strategies with Widenings, FMPA 1993: a loop is stable before what comes after it is looked at.
//!
//! # Cost
//! A few passes over the edges for each level of loop nesting, however many loops follow each other; bounds grow along the constants of the program, or some of them if there are many. A head of a loop looks at all variables that have changed since its last visit.

mod arithmetic;
pub mod cases;
mod entries;
pub mod folds;
pub mod liveness;
pub mod monomials;
pub mod representatives;
pub mod state;
pub mod sums;
mod thresholds;
pub mod total;
pub mod value;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use base::{Budget, IndexVec, Stop};
use cfa::loops::LoopForest;
use cfa::{Edge, EdgeId, Loc, Procedure, Program};

pub use entries::entry_facts;
use state::State;
use thresholds::Thresholds;

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
    let flow = Flow::of(program, procedure, start);
    let thresholds = Thresholds::of(program);
    let mut states: IndexVec<Loc, Option<State>> = IndexVec::filled(None, procedure.locations.len());
    let mut visits: IndexVec<Loc, u32> = IndexVec::filled(0, procedure.locations.len());
    let mut pending: BTreeSet<Turn> = BTreeSet::from([(0, Reverse(flow.position[procedure.entry]))]);
    while let Some((_, Reverse(position))) = pending.pop_first() {
        let location = flow.forest.order()[position as usize];
        let arriving = flow.arriving(location, &states, budget)?;
        let old = states[location].take();
        // A2: only what heads of loops know grows.
        let updated =
            match (&old, arriving) {
                (Some(old), arriving) if flow.forest.is_header(location) => Some(match arriving {
                    Some(arriving) if old.includes(&arriving) => old.clone(),
                    Some(arriving) if visits[location] >= VISITS_BEFORE_WIDENING => arriving
                        .join(old)
                        .widened(old, program, |var| thresholds.of_variable(var, visits[location])),
                    Some(arriving) => old.join(&arriving),
                    None => old.clone(),
                }),
                (_, arriving) => arriving,
            };
        if updated != old {
            visits[location] += 1;
            let leaving = procedure.outgoing(location).iter();
            pending.extend(leaving.map(|edge| flow.turn(location, procedure.edges()[*edge].target)));
        }
        states[location] = updated;
    }
    narrow(&flow, &mut states, budget)?;
    Ok(Facts { states })
}

/// Recomputes states from those of their predecessors. Each is sound, so what is computed from them is.
fn narrow(
    flow: &Flow<'_>,
    states: &mut IndexVec<Loc, Option<State>>,
    budget: &mut Budget,
) -> Result<(), Stop> {
    // Only heads of loops may know less than what arrives: elsewhere nothing changes unless a predecessor does.
    let mut has_changed: IndexVec<Loc, bool> = IndexVec::filled(false, states.len());
    for _ in 0..NARROWING_PASSES {
        for &location in flow.forest.order() {
            let mut sources = flow.sources(location);
            let is_due = flow.forest.is_header(location) || sources.any(|source| has_changed[source]);
            has_changed[location] = false;
            if is_due {
                let arriving = flow.arriving(location, states, budget)?;
                has_changed[location] = arriving != states[location];
                states[location] = arriving;
            }
        }
    }
    Ok(())
}

/// The state after an edge; nothing if no execution gets to its end.
pub fn after(program: &Program, edge: &Edge, state: &State) -> Option<State> {
    let mut state = state.clone();
    edge.ops.iter().all(|op| state.execute(program, op)).then_some(state)
}

/// When a location is looked at, and where it is in the weak topological order: of two loops that end together, the inner one comes first.
type Turn = (u32, Reverse<u32>);

/// How states flow through a procedure.
struct Flow<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    start: &'a State,
    forest: &'a LoopForest,
    /// Where locations are in the weak topological order.
    position: IndexVec<Loc, u32>,
    /// The edges into each location, from what the entry reaches.
    incoming: IndexVec<Loc, Vec<EdgeId>>,
}

impl<'a> Flow<'a> {
    fn of(program: &'a Program, procedure: &'a Procedure, start: &'a State) -> Self {
        let forest = procedure.loops();
        let count = procedure.locations.len();
        let mut position = IndexVec::filled(UNREACHED, count);
        for (at, location) in forest.order().iter().enumerate() {
            position[*location] = at as u32;
        }
        let mut incoming: IndexVec<Loc, Vec<EdgeId>> = IndexVec::filled(Vec::new(), count);
        for (id, edge) in procedure.edges().iter_enumerated() {
            if forest.reaches(edge.source) {
                incoming[edge.target].push(id);
            }
        }
        Self { program, procedure, start, forest, position, incoming }
    }

    /// When a location is due that an edge leads to: the head of a loop after all that is due inside, and before what follows.
    fn turn(&self, source: Loc, target: Loc) -> Turn {
        let (from, to) = (self.position[source], self.position[target]);
        match self.forest.headed_by(target) {
            Some(id) if to <= from => (2 * (to + self.forest.body(id).len() as u32) - 1, Reverse(to)),
            _ => (2 * to, Reverse(to)),
        }
    }

    /// Where edges into a location come from.
    fn sources(&self, location: Loc) -> impl Iterator<Item = Loc> + '_ {
        self.incoming[location].iter().map(|edge| self.procedure.edges()[*edge].source)
    }

    /// What arrives at a location from its predecessors, and at the entry from outside.
    fn arriving(
        &self,
        location: Loc,
        states: &IndexVec<Loc, Option<State>>,
        budget: &mut Budget,
    ) -> Result<Option<State>, Stop> {
        let mut joined = (location == self.procedure.entry).then(|| self.start.clone());
        for edge in &self.incoming[location] {
            budget.tick()?;
            let edge = &self.procedure.edges()[*edge];
            let arriving = states[edge.source].as_ref().and_then(|state| after(self.program, edge, state));
            joined = match (joined, arriving) {
                (Some(sofar), Some(arriving)) => Some(sofar.join(&arriving)),
                (sofar, arriving) => sofar.or(arriving),
            };
        }
        Ok(joined)
    }
}
