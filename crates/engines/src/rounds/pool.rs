//! The jobs of one round, on one thread or on several.
//!
//! Workers take jobs in their order. When a job has decided, later ones are ended, and no more are started. What is returned is in the order of jobs.
//!
//! # Invariants
//! * P1: up to the first job that decides, what is returned does not depend on the number of threads: jobs share nothing but the program, which nobody changes.
//! * P2: the lead runs on the thread that asks, every other job on a thread of its own, so that the history of its solver is always the same.

use std::num::NonZero;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use base::{Budget, Cancel, Stop};
use engine::{
    Attempt, ContractStore, Env, Events, Exchange, Fact, Outcome, Part, Recorder, Settings, solve_contained,
};
use passes::Prepared;
use smt::Logic;
use verdict::{Reason, Verdict};

use super::State;
use super::job::Member;
use super::relay::{Relay, Talk};

/// Steps of a test that count as one tick of a job: a tick takes about as long.
const STEPS_OF_A_TICK: NonZero<u64> = NonZero::new(128).expect("this is not zero");
/// The stack of a job.
const STACK: usize = 128 << 20;

/// One engine in one round.
pub(super) struct Job {
    /// The place of the engine in the order; that of the lead is 0.
    pub(super) seat: usize,
    /// The engine.
    pub(super) member: &'static Member,
    /// The round.
    pub(super) round: u32,
    /// Its ticks.
    pub(super) ticks: u64,
}

/// What a job has come to.
pub(super) struct Done {
    /// Certified, unless it is that of the lead.
    pub(super) verdict: Verdict,
    /// What it has spent.
    pub(super) budget: Budget,
    /// What it reported.
    pub(super) recorder: Recorder,
    /// What it tells the others.
    pub(super) told: Option<Fact>,
    /// How many clauses of which origin it has used.
    pub(super) used: Vec<(&'static str, u64)>,
}

impl Done {
    /// Whether the engine works again, if so many clauses had been told before.
    pub(super) fn state(&self, job: &Job, known: u64) -> State {
        match &self.verdict {
            Verdict::Unknown(Reason::Crashed { message }) => {
                let message = format!("engine `{}`: {message}", job.member.name);
                State::GaveUp(Reason::Crashed { message }, u64::MAX)
            }
            Verdict::Unknown(reason) if !self.is_short(job) => State::GaveUp(reason.clone(), known),
            _ => State::Waiting,
        }
    }

    /// Whether it had too few ticks. An engine that runs short may give up instead of being stopped.
    fn is_short(&self, job: &Job) -> bool {
        self.verdict == Verdict::Unknown(Reason::Stopped(Stop::Ticks)) || self.budget.spent() >= job.ticks / 2
    }

    /// The same for people.
    pub(super) fn attempt(&self, job: &Job) -> Attempt {
        let outcome = match &self.verdict {
            Verdict::Safe(_) | Verdict::Unsafe(_) => Outcome::Decided,
            Verdict::Unknown(Reason::Stopped(stop @ (Stop::Deadline | Stop::Cancelled | Stop::Memory))) => {
                Outcome::GaveUp(Reason::Stopped(*stop))
            }
            Verdict::Unknown(Reason::Crashed { message }) => {
                Outcome::GaveUp(Reason::Crashed { message: message.clone() })
            }
            Verdict::Unknown(_) if self.is_short(job) => Outcome::GaveUp(Reason::Stopped(Stop::Ticks)),
            Verdict::Unknown(reason) => Outcome::GaveUp(reason.clone()),
        };
        Attempt {
            engine: job.member.name,
            round: job.round,
            ticks: self.budget.spent(),
            outcome,
            told: self.told.as_ref().map_or(0, |fact| fact.clauses),
            used: self.used.clone(),
        }
    }
}

/// What all jobs of a round have in common.
pub(super) struct Pool<'a> {
    task: &'a Prepared<'a>,
    settings: &'a Settings,
    facts: &'a [Fact],
    budget: Budget,
    events: &'a dyn Events,
    contracts: Option<&'a dyn ContractStore>,
}

/// What workers share.
struct Progress {
    /// The next job.
    next: usize,
    /// Jobs from here on are not wanted any more.
    end: usize,
    results: Vec<Option<Done>>,
    cancels: Vec<Cancel>,
}

impl<'a> Pool<'a> {
    pub(super) fn new(
        task: &'a Prepared<'a>,
        settings: &'a Settings,
        facts: &'a [Fact],
        env: &Env<'a>,
    ) -> Self {
        // All jobs of a round may spend what was left at its start: how much earlier ones have taken is not known when they run at the same time.
        let budget = env.logic.budget.clone();
        Self { task, settings, facts, budget, events: env.events, contracts: env.contracts }
    }

    /// Runs jobs: what each has come to, or nothing for those that were not wanted any more. Several may have decided.
    pub(super) fn run(&self, jobs: &[Job], threads: NonZero<usize>) -> Vec<Option<Done>> {
        let progress = Mutex::new(Progress {
            next: 0,
            end: jobs.len(),
            results: jobs.iter().map(|_| None).collect(),
            cancels: jobs.iter().map(|_| self.budget.cancel_flag().child()).collect(),
        });
        // This thread takes the first job before there are others (P2).
        let first = self.take(&progress);
        thread::scope(|scope| {
            for _ in 1..threads.get().min(jobs.len()) {
                scope.spawn(|| self.work(None, jobs, &progress));
            }
            self.work(first, jobs, &progress);
        });
        progress.into_inner().unwrap_or_else(PoisonError::into_inner).results
    }

    /// The next job and what ends it, if there is a next job and time for it.
    fn take(&self, progress: &Mutex<Progress>) -> Option<(usize, Cancel)> {
        let mut progress = locked(progress);
        let at = progress.next;
        if at >= progress.end || self.budget.poll().is_err() {
            return None;
        }
        progress.next += 1;
        Some((at, progress.cancels[at].clone()))
    }

    /// Works until there is nothing left.
    fn work(&self, first: Option<(usize, Cancel)>, jobs: &[Job], progress: &Mutex<Progress>) {
        let mut taken = first.or_else(|| self.take(progress));
        while let Some((at, cancel)) = taken {
            let job = &jobs[at];
            let done = if job.seat == 0 { self.solve(job, &cancel) } else { self.apart(job, &cancel) };
            let mut shared = locked(progress);
            if !matches!(done.verdict, Verdict::Unknown(_)) {
                shared.end = shared.end.min(at + 1);
                shared.cancels[at + 1..].iter().for_each(Cancel::cancel);
            }
            shared.results[at] = Some(done);
            drop(shared);
            taken = self.take(progress);
        }
    }

    /// Runs a job on a thread of its own (P2).
    fn apart(&self, job: &Job, cancel: &Cancel) -> Done {
        let done = thread::scope(|scope| {
            let solve = || {
                smt::free_context_with_thread();
                self.solve(job, cancel)
            };
            let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, solve);
            handle.ok().and_then(|handle| handle.join().ok())
        });
        done.unwrap_or_else(|| {
            let message = "its thread did not start, or did not come to its end".to_owned();
            Done {
                verdict: Verdict::Unknown(Reason::Crashed { message }),
                budget: self.budget.child(0),
                recorder: Recorder::default(),
                told: None,
                used: Vec::new(),
            }
        })
    }

    fn solve(&self, job: &Job, cancel: &Cancel) -> Done {
        let name = job.member.name;
        self.events.works(name, job.round);
        let relay = Relay::new(self.events);
        let talk = Talk::new(name, self.facts);
        let budget = self.budget.child(job.ticks).with_cancel(cancel.clone());
        let budget = budget.with_steps_of_a_tick(STEPS_OF_A_TICK);
        let exchange: Option<&dyn Exchange> = self.settings.has(Part::Exchange).then_some(&talk);
        let mut env = Env { logic: Logic::new(budget), events: &relay, contracts: self.contracts, exchange };
        // What the lead does in bits takes as many ticks in every round: it would come to the same.
        let is_repeated = job.seat == 0 && job.round > 0;
        let settings =
            if is_repeated { self.settings.also_without(Part::Bits) } else { self.settings.clone() };
        let verdict = solve_contained((job.member.configure)(&settings), self.task, &mut env);
        let mut budget = env.logic.budget.clone();
        drop(env);
        let verdict = if job.seat == 0 { verdict } else { self.certified(verdict, cancel, &mut budget) };
        let (told, used) = talk.finish();
        Done { verdict, budget, recorder: relay.own, told, used }
    }

    /// A verdict whose evidence passes its check, or why there is none. What the program itself forbids to claim is for who asks.
    fn certified(&self, verdict: Verdict, cancel: &Cancel, budget: &mut Budget) -> Verdict {
        if matches!(verdict, Verdict::Unknown(_)) {
            return verdict;
        }
        let mut allowance = self.budget.clone().child(u64::MAX).with_cancel(cancel.clone());
        let certified = certify::certify(self.task, verdict.clone(), &mut allowance);
        budget.absorb(&allowance);
        match certified.verdict() {
            Verdict::Unknown(reason @ (Reason::NotCertified { .. } | Reason::Stopped(_))) => {
                Verdict::Unknown(reason.clone())
            }
            _ => verdict,
        }
    }
}

fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
