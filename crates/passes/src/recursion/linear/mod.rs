//! Linear recursion: a loop over the activations, from the innermost one outwards.
//!
//! # Idea
//! If no path through a procedure makes two calls into its own recursion, the activations of a run form a chain. For each of them consider the values *in* with which it
//! starts (parameters and global variables) and *out* with which it returns (results and global variables). The pair of an innermost activation depends on nothing else; the pair of
//! any other one depends on that of the activation that it calls. So the pairs are the states of a loop that starts with an innermost activation and
//! goes outwards, one return in each round. Neither a stack nor a summary is needed.
//!
//! # Method
//! A procedure P of a component that is called from outside keeps its signature and gets a new body:
//!
//! ```text
//!   start      save the arguments
//!   innermost  for each member p: guess its parameters; run p along paths without inner calls; in, out := ...; go to H(p)
//!   H(q)       guess which call s (in a member p) has started the activation that ended last:
//!                guess the parameters of p; run p to s; assume arguments of s = in; results of s := out; run p to its exit; in, out := ...; go to H(p)
//!   H(P)       or that the activation was started from outside: assume in = the saved arguments; return out
//! ```
//!
//! The states at H(p) are exactly the pairs of activations of p that return (induction on the number of activations inside). An activation that never returns has no
//! state, as its call has no successor.
//!
//! * A parameter that all inner calls pass on as it is has one value: it is no part of the state.
//! * Where an argument is `x + c`, `x - c`, `c - x`, `-x` or a conversion of such between types of one width, x is computed from it, not guessed. That is exact: wrap-around is
//!   its own inverse, and if overflow is undefined, no x fits where the inverse overflows.
//! * A global variable that is not written before the call is not guessed either.
//! * Variables of the procedure itself hold in and out where that is possible, without copies: analyses that look at single assignments understand more.
//!
//! * Without inputs an activation is a function of what it is called with. Then H(P) returns as soon as the arguments fit, and goes on only if they do not: if it went on, it would find
//!   other activations, or the same results once more (an activation inside of which there is one with the same arguments does not return).
//!
//! # What is left alone
//! Components that may fail (see [`descend`](fn@super::descend)), write memory or global arrays, or print something; whose parameters that would have to be guessed, or written
//! global variables, are no integers; and those whose copies would be too large.
//!
//! # Meaning
//! The same executions up to the order of inputs, as far as they return; guesses that turn out to be wrong end an execution.
//!
//! # Cost
//! At most one copy of a body for each inner call and one more.

mod inverse;
mod plan;
mod region;

use std::collections::BTreeMap;

use crate::back::BackTranslation;
use crate::calls::{CallGraph, footprints};
use crate::recursion::Rewriter;
use crate::relevance::Relevance;
use cfa::{ProcId, Program};

pub use plan::Obstacle;

use plan::Plan;
use region::build;

/// Why recursions are no loops, by procedure. Nothing for those that nothing is in the way of.
pub(crate) fn obstacles(program: &Program, calls: &CallGraph) -> BTreeMap<ProcId, Obstacle> {
    let relevance = Relevance::new(program);
    let footprints = footprints(program, calls);
    let mut found = BTreeMap::new();
    for component in &calls.components {
        let roots = calls.called_from_outside(program, component);
        let plans =
            roots.iter().map(|root| Plan::new(program, calls, &relevance, &footprints, component, *root));
        let obstacle = plans.into_iter().find_map(Result::err);
        found.extend(component.members.iter().filter_map(|member| Some((*member, obstacle?))));
    }
    found
}

/// Makes linear recursion loops.
pub fn linear(program: &Program) -> (Program, BackTranslation) {
    let calls = CallGraph::new(program);
    if calls.components.is_empty() {
        return (program.clone(), BackTranslation::identity(program));
    }
    let relevance = Relevance::new(program);
    let footprints = footprints(program, &calls);
    let mut rewriter = Rewriter::new(program);
    for component in &calls.components {
        let roots = calls.called_from_outside(program, component);
        let plans: Result<Vec<Plan<'_>>, Obstacle> = roots
            .iter()
            .map(|root| Plan::new(program, &calls, &relevance, &footprints, component, *root))
            .collect();
        let Ok(plans) = plans else { continue };
        for member in component.members.iter().filter(|member| !roots.contains(member)) {
            rewriter.drop_procedure(*member);
        }
        for plan in &plans {
            build(&mut rewriter, plan);
        }
    }
    rewriter.finish()
}
