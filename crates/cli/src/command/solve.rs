//! The search of `wayproof check`: an engine works, its evidence is checked, and what is worth it is kept.

use std::time::{Duration, Instant};

use base::{Budget, timeline};
use certify::Certified;
use engine::{Engine, Env, Recorder, solve_contained};
use explain::Shrinking;
use passes::Prepared;
use verdict::{Reason, Verdict};

use super::audit;
use crate::args::CheckArgs;
use crate::cache::{Cache, Contracts};

/// How much work was done, by name.
pub(super) fn statistics(
    front_end: Duration,
    compiled_at: Instant,
    outcome: &Outcome,
    budget: &Budget,
    recorder: &Recorder,
) -> Vec<(&'static str, f64)> {
    let Outcome { solved_at, shrinking, .. } = outcome;
    let mut statistics = vec![
        ("front end seconds", front_end.as_secs_f64()),
        ("search seconds", (*solved_at - compiled_at).as_secs_f64()),
        ("certification seconds", solved_at.elapsed().as_secs_f64()),
        ("shrinking runs", f64::from(shrinking.runs)),
        ("shrinking queries", f64::from(shrinking.queries)),
        ("ticks", budget.spent() as f64),
    ];
    statistics.extend(recorder.statistics().iter().map(|(name, value)| (*name, *value as f64)));
    statistics
}

/// What an engine said.
pub(super) struct Outcome {
    pub(super) certified: Certified,
    pub(super) solved_at: Instant,
    /// What its certification has taken.
    pub(super) ticks: u64,
    pub(super) shrinking: Shrinking,
}

impl Outcome {
    /// The verdict of an earlier run, for which no engine has worked.
    pub(super) fn cached(certified: Certified, solved_at: Instant) -> Self {
        Self { certified, solved_at, ticks: 0, shrinking: Shrinking::default() }
    }
}

/// Lets the engine work, and checks what it says.
pub(super) fn solve(
    args: &CheckArgs,
    engine: Box<dyn Engine>,
    task: &Prepared<'_>,
    env: &mut Env<'_>,
) -> Outcome {
    let stage = timeline::stage("engine");
    let verdict = match env.logic.budget.poll() {
        Ok(()) => solve_contained(engine, task, env),
        Err(stop) => Verdict::Unknown(Reason::Stopped(stop)),
    };
    drop(stage);
    let (solved_at, spent) = (Instant::now(), env.logic.budget.spent());
    let _stage = timeline::stage("certification");
    let (certified, shrinking) = if args.search.no_shrink {
        (certify::certify(task, verdict, &mut env.logic.budget), Shrinking::default())
    } else {
        explain::certify_smallest(task, verdict, &mut env.logic.budget)
    };
    Outcome { certified, solved_at, ticks: env.logic.budget.spent() - spent, shrinking }
}

/// Keeps what was found for later runs; contracts if a proof was certified.
pub(super) fn keep(
    (cache, contracts): (Option<Cache>, Option<&Contracts>),
    audited: Option<&audit::Audited>,
    certified: &Certified,
    ticks: u64,
) {
    match (cache, audited) {
        (Some(cache), Some(audited)) => audited.keep(&cache),
        (Some(cache), None) => cache.keep(certified, ticks),
        (None, _) => {}
    }
    let is_proved = matches!(certified.verdict(), Verdict::Safe(_))
        || audited.is_some_and(|audited| !audited.audit.proofs.is_empty());
    if let Some(contracts) = contracts.filter(|_| is_proved) {
        contracts.keep();
    }
}
