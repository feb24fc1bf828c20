//! Programs with calls that stay: contracts and search in turn.
//!
//! An engine that knows one procedure rounds a call up: its results and what it writes are arbitrary. That is enough where they do not matter, and tests carry out the
//! call. Where they matter, contracts say what the call does ([`super::recmc`]).
//!
//! ```text
//!   contracts   FIRST ticks
//!   search      SEARCH ticks
//!   contracts   what is left
//! ```
//!
//! # Invariants
//! * I1: who works next is counted in ticks, so the verdict does not depend on the clock.

use engine::{Engine, Env};
use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::problem::stays;
use crate::recmc::Recmc;

/// Ticks of the first attempt with contracts: seconds.
const FIRST: u64 = 1 << 15;
/// Ticks of the search around calls: seconds.
const SEARCH: u64 = 1 << 14;

/// Whether calls that stay get contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contracts {
    /// They are looked for.
    Learned,
    /// Calls are rounded up.
    Never,
}

/// A search, with help where calls stay.
pub(crate) struct AroundCalls {
    pub(crate) search: Box<dyn Engine>,
    pub(crate) contracts: Contracts,
}

impl Engine for AroundCalls {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let Some(call) = task.kept_call() else { return self.search.solve(task, env) };
        if self.contracts == Contracts::Learned {
            match within(FIRST, Box::new(Recmc), task, env) {
                Verdict::Unknown(_) => env.events.restart(),
                decided => return decided,
            }
        }
        let searched = within(SEARCH, self.search, task, env);
        if !matches!(searched, Verdict::Unknown(_)) || env.logic.budget.poll().is_err() {
            return searched;
        }
        if self.contracts == Contracts::Learned {
            env.events.restart();
            match Box::new(Recmc).solve(task, env) {
                // These say more than that a call stays.
                said @ Verdict::Unknown(Reason::Stopped(_) | Reason::LongCounterexample { .. }) => {
                    return said;
                }
                Verdict::Unknown(_) => {}
                decided => return decided,
            }
        }
        Verdict::Unknown(stays(task, call))
    }
}

/// Lets an engine work for a number of ticks.
fn within(ticks: u64, engine: Box<dyn Engine>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
    let mut share = env.share(env.logic.budget.child(ticks));
    let verdict = engine.solve(task, &mut share);
    env.logic.budget.absorb(&share.logic.budget);
    verdict
}
