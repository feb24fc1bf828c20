//! Engine `auto`: several engines in turn, in rounds whose budgets double, with facts that cross from round to round.
//!
//! ```text
//!   round 0     gps  kind  bself  tracer  ...               each with its first budget
//!               what they have found out is told to all
//!   round 1     gps  kind  bself  ...                       each with twice as many ticks, and with the facts of round 0
//! ```
//!
//! An engine starts afresh in each round: all of it takes at most about twice as long as the last round, and no engine keeps memory while another one works. An
//! engine that gave up before its ticks were spent has no more to say, unless it has heard something new.
//!
//! # Invariants
//! * A1: a job hears what all jobs of *earlier* rounds have told, and nothing else. So jobs of one round may run at the same time.
//! * A2: the first verdict in the order of jobs counts. Jobs after it are ended, and leave nothing behind: neither ticks nor facts nor statistics. So the number of threads
//!   changes neither verdict nor evidence nor statistics.
//! * A3: a job's solver has a history that does not depend on other jobs: the lead works on the thread that asks, every other job on a thread of its own.
//! * A4: a verdict of a member other than the lead counts only if its evidence passes the check of crate certify. The lead's evidence is checked by who asks, as that of every engine, and not twice.
//! * A5: safe and unsafe about the same program is reported as the defect that it is.
//!
//! # Cost
//! If the lead decides in the first round, that of the lead.

mod job;
mod pool;
mod relay;

use base::Stop;
use engine::{Counter, Engine, Env, Fact, Settings};
use passes::Prepared;
use verdict::{Claimed, Proof, Reason, Trace, Verdict};

use job::{FORWARDS_AND_BACKWARDS, Features, MEMBERS, Member, ordered};
use pool::{Done, Job, Pool};

/// Rounds in which the others go on although the lead has given up.
const ROUNDS_WITHOUT_LEAD: u32 = 2;

/// The engine.
pub(crate) struct Rounds {
    members: &'static [Member],
    settings: Settings,
}

impl Rounds {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { members: &MEMBERS, settings: settings.clone() }
    }

    /// `SE+BSELF` of [Bself21] §5: errors are looked for forwards, proofs backwards.
    pub(crate) fn forwards_and_backwards(settings: &Settings) -> Self {
        Self { members: &FORWARDS_AND_BACKWARDS, settings: settings.clone() }
    }
}

impl Engine for Rounds {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let features = Features::of(task);
        let members = ordered(self.members, features);
        let seats = members.into_iter().map(|member| Seat { member, state: State::Waiting }).collect();
        let mut table = Table { settings: &self.settings, seats, facts: Vec::new(), told: 0, used: 0 };
        if let Some(verdict) = table.early(features, task, env) {
            return verdict;
        }
        let mut round = 0;
        loop {
            if let Some(verdict) = table.round(round, task, env) {
                return verdict;
            }
            round += 1;
        }
    }
}

/// A member and how its last attempt ended.
struct Seat {
    member: &'static Member,
    state: State,
}

/// Whether a member works in the next round.
enum State {
    /// It does: it had no attempt yet, or too few ticks.
    Waiting,
    /// It has given up, when so many clauses had been told.
    GaveUp(Reason, u64),
}

/// All that goes from round to round.
struct Table<'a> {
    settings: &'a Settings,
    /// In the order of jobs, the lead first.
    seats: Vec<Seat>,
    /// What was told in earlier rounds: the last words of each member.
    facts: Vec<Fact>,
    /// How many clauses were told.
    told: u64,
    /// How many clauses were of use.
    used: u64,
}

impl Table<'_> {
    /// What is worth an attempt with few ticks before the first round; the verdict, if there is one.
    fn early(&mut self, features: Features, task: &Prepared<'_>, env: &mut Env<'_>) -> Option<Verdict> {
        let early = |(seat, Seat { member, .. }): (usize, &Seat)| {
            Some(Job { seat, member, round: 0, ticks: (member.early)(features)? })
        };
        let jobs: Vec<Job> = self.seats.iter().enumerate().filter_map(early).collect();
        if jobs.iter().map(|job| job.ticks).sum::<u64>() > env.logic.budget.left() {
            return None;
        }
        let results = Pool::new(task, self.settings, &self.facts, env).run(&jobs, self.settings.threads());
        self.settle(&jobs, results, env)
    }

    /// One round; the verdict, if it is the last one.
    fn round(&mut self, round: u32, task: &Prepared<'_>, env: &mut Env<'_>) -> Option<Verdict> {
        let jobs = self.jobs(round);
        if let Some(reason) = self.end(round, &jobs, env) {
            return Some(Verdict::Unknown(reason));
        }
        let affordable = affordable(&jobs, env.logic.budget.left());
        let is_last = affordable < jobs.len();
        let jobs = &jobs[..affordable];
        let results = Pool::new(task, self.settings, &self.facts, env).run(jobs, self.settings.threads());
        let verdict = self.settle(jobs, results, env);
        let stopped = || Verdict::Unknown(self.obstacle().unwrap_or(Reason::Stopped(Stop::Ticks)));
        verdict.or_else(|| is_last.then(stopped))
    }

    /// Takes down what the jobs of a round have come to, in their order; the verdict, if there is one.
    fn settle(&mut self, jobs: &[Job], results: Vec<Option<Done>>, env: &mut Env<'_>) -> Option<Verdict> {
        let known = self.told;
        let mut results = jobs.iter().zip(results);
        let mut facts = Vec::new();
        let mut first: Option<Done> = None;
        for (job, done) in results.by_ref() {
            // The time is over.
            let Some(done) = done else { break };
            env.logic.budget.absorb(&done.budget);
            self.told += done.told.as_ref().map_or(0, |fact| fact.clauses);
            self.used += done.used.iter().map(|(_, clauses)| clauses).sum::<u64>();
            env.events.attempted(done.attempt(job));
            if !matches!(done.verdict, Verdict::Unknown(_)) {
                self.show(&done, env);
                let others = results.filter_map(|(job, done)| Some((job, done?)));
                return Some(others.fold(done.verdict, |verdict, (other, done)| {
                    contradicted(verdict, job.member.name, done.verdict, other.member.name)
                }));
            }
            self.seats[job.seat].state = done.state(job, known);
            facts.extend(done.told.clone());
            first.get_or_insert(done);
        }
        // Nobody decides: people want to see what the lead has done.
        if let Some(done) = first {
            self.show(&done, env);
        }
        for fact in facts {
            self.facts.retain(|known| known.origin != fact.origin);
            self.facts.push(fact);
        }
        None
    }

    /// The jobs of a round, in their order.
    fn jobs(&self, round: u32) -> Vec<Job> {
        let works = |seat: &Seat| match seat.state {
            State::Waiting => true,
            State::GaveUp(_, known) => known < self.told,
        };
        let seats = self.seats.iter().enumerate().filter(|(_, seat)| works(seat));
        let ticks = |member: &Member| member.ticks.saturating_mul(1 << round.min(40));
        seats.map(|(seat, Seat { member, .. })| Job { seat, member, round, ticks: ticks(member) }).collect()
    }

    /// Why there is no further round, if there is none.
    fn end(&self, round: u32, jobs: &[Job], env: &Env<'_>) -> Option<Reason> {
        let budget = &env.logic.budget;
        if let Err(stop) = budget.poll() {
            return Some(Reason::Stopped(stop));
        }
        self.obstacle().filter(|_| jobs.is_empty() || round >= ROUNDS_WITHOUT_LEAD)
    }

    /// Why the lead has given up, if it has.
    fn obstacle(&self) -> Option<Reason> {
        match self.seats.first().map(|seat| &seat.state) {
            Some(State::GaveUp(reason, _)) => Some(reason.clone()),
            Some(State::Waiting) => None,
            None => Some(Reason::NotProgressing),
        }
    }

    /// Shows people what a job has done.
    fn show(&self, done: &Done, env: &Env<'_>) {
        env.events.restart();
        done.recorder.repeat(env.events);
        env.events.total(Counter::FactsTold, self.told);
        env.events.total(Counter::FactsUsed, self.used);
    }
}

/// How many of some jobs can be done with so many ticks, whatever each of them takes. The lead works in the first round in any case: it may need fewer.
fn affordable(jobs: &[Job], mut left: u64) -> usize {
    let is_affordable = |job: &&Job| {
        let is_first = job.seat == 0 && job.round == 0;
        let is_affordable = is_first || job.ticks <= left;
        left = left.saturating_sub(job.ticks);
        is_affordable
    };
    jobs.iter().take_while(is_affordable).count()
}

/// The verdict of an engine after that of another one is known, which may not have waited for it (A5).
fn contradicted(verdict: Verdict, engine: &'static str, other: Verdict, by: &'static str) -> Verdict {
    match (verdict, other) {
        (Verdict::Safe(proof), Verdict::Unsafe(trace)) => contradiction((engine, &proof), (by, &trace)),
        (Verdict::Unsafe(trace), Verdict::Safe(proof)) => contradiction((by, &proof), (engine, &trace)),
        (verdict, _) => verdict,
    }
}

fn contradiction(safe: (&'static str, &Proof), violated: (&'static str, &Trace)) -> Verdict {
    let proof = match safe.1 {
        Proof::Annotation(annotation) => annotation.to_string(),
        other => format!("{other:?}"),
    };
    let inputs: Vec<String> = violated.1.choices.iter().map(|choice| format!("{choice:?}")).collect();
    Verdict::Unknown(Reason::Contradiction {
        safe: Claimed { engine: safe.0, evidence: proof },
        violated: Claimed { engine: violated.0, evidence: inputs.join("\n") },
    })
}

#[cfg(test)]
mod tests;
