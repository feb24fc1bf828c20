//! The search of `wayproof check`: an engine works, its evidence is checked, and what is worth it is kept.

use std::time::{Duration, Instant};

use base::{Budget, timeline};
use certify::Certified;
use engine::{Engine, Env, Recorder, solve_contained};
use explain::Shrinking;
use passes::Prepared;
use verdict::{LogicName, Proof, Reason, Verdict};

use super::audit;
use super::check::{find_engine, settings};
use crate::args::CheckArgs;
use crate::cache::{Cache, Contracts};
use crate::failure::Failure;

/// Ticks of a search for invariants where other evidence has decided.
const INVARIANTS_TICKS: u64 = 1 << 15;
/// An engine whose evidence for safe is always invariants in integers.
const FINDS_INVARIANTS: &str = "impact";

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

/// For a certificate, invariants in integers in the place of other evidence for `safe`, if a search finds any: they can be checked by others.
pub(super) fn with_invariants(
    args: &CheckArgs,
    outcome: Outcome,
    task: &Prepared<'_>,
    env: &mut Env<'_>,
) -> Result<Outcome, Failure> {
    let is_safe = matches!(outcome.certified.verdict(), Verdict::Safe(_));
    if args.files.certificate.is_none() || !is_safe || has_invariants(&outcome) {
        return Ok(outcome);
    }
    for name in [args.search.engine(), FINDS_INVARIANTS] {
        let spec = find_engine(name)?;
        let engine = spec.create(&settings(args).limited_to(spec.parts).without_executions());
        let engine = engine.map_err(|error| Failure::usage(error.to_string(), error.help()))?;
        let mut slice = env.share(env.logic.budget.child(INVARIANTS_TICKS));
        let found = solve(args, engine, task, &mut slice);
        let slice = slice.logic.budget;
        env.logic.budget.absorb(&slice);
        if has_invariants(&found) {
            return Ok(found);
        }
    }
    Ok(outcome)
}

/// Whether a verdict rests on invariants in integers.
fn has_invariants(outcome: &Outcome) -> bool {
    let Verdict::Safe(Proof::Annotation(annotation)) = outcome.certified.verdict() else { return false };
    annotation.logic == LogicName::Integers
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
