//! The rounds of a query with several checks.
//!
//! ```text
//!   executions            the only one, or all if they are few: they decide all checks
//!   some executions       where most errors are found by one of a few hundred: each has a check that fails
//!   all open checks       JOINT ticks of the engine               decided: done, or one violation less to look for
//!   what values exclude   together: a formality, so that a proof is checked
//!   halves, quarters, ... one by one                              each with a share of what the joint attempt had
//!   all open checks       twice as many ticks, and so on
//! ```
//!
//! The engine starts afresh each time. A check that is alone gets all that is left.
//!
//! If there is a time limit and each check is to have a verdict, the rounds end after three quarters of it. The last quarter is for what is easy and waits for what is hard:
//! what values exclude, then each check, or few together, with the same share of the time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use base::{Budget, Stop};
use cfa::Program;
use engine::{CheckVerdict, Decision, Env, Events, Executions, Settings, solve_contained};
use engines::{Tried, try_executions};
use passes::{CheckId, Instrumented, Prepared, Selection, Wanted, instrument};
use verdict::{Reason, Verdict};

use crate::discharge::discharged;
use crate::{Audit, Earlier, Goal, Inputs, Judge, Plan, Proved, State, Violated};

/// Ticks of the engine for the first attempt at all checks: some seconds.
const JOINT: u64 = 1 << 17;
/// Least ticks of a check in a group.
const LEAST_SHARE: u64 = 1 << 11;
/// Groups that are tried in one round: each is prepared anew.
const MOST_GROUPS: usize = 64;
/// Groups in the last quarter of the time.
const LAST_GROUPS: usize = 8;
/// Violations that are looked for.
const MOST_VIOLATIONS: usize = 64;

/// Checks a program.
pub fn audit(
    program: &Program,
    plan: &Plan<'_>,
    earlier: &mut dyn Earlier,
    judge: &mut dyn Judge,
    env: &mut Env<'_>,
) -> Audit {
    let Instrumented { checks, .. } = instrument(program, &Selection::all());
    let open: BTreeSet<CheckId> = checks.ids().collect();
    let audit = Audit {
        states: vec![State::Open(Reason::NotProgressing); checks.len()],
        proofs: Vec::new(),
        violations: Vec::new(),
        by_values: 0,
        shrinking: explain::Shrinking::default(),
        certification: 0,
        is_earlier: false,
        checks,
    };
    let given = program.clone();
    let mut auditor = Auditor {
        plan,
        judge,
        given,
        audit,
        open,
        why: BTreeMap::new(),
        attempts: 0,
        formalities: Formalities::Open,
        last_quarter: last_quarter(plan.goal, env.logic.budget.deadline()),
    };
    if auditor.open.is_empty() {
        // Nothing can go wrong: that is proved, too.
        auditor.attempt(&[], &plan.settings.without_executions(), Limit::default(), env);
        return auditor.finish(&env.logic.budget);
    }
    auditor.earlier(earlier, env);
    if auditor.is_done() {
        auditor.audit.is_earlier = !auditor.audit.states.is_empty();
    } else {
        auditor.rounds(env);
        auditor.last(env);
    }
    auditor.finish(&env.logic.budget)
}

struct Auditor<'a> {
    plan: &'a Plan<'a>,
    judge: &'a mut dyn Judge,
    /// The program: executions end where violations are known.
    given: Program,
    audit: Audit,
    /// What has no verdict yet.
    open: BTreeSet<CheckId>,
    /// Why the last attempts failed.
    why: BTreeMap<CheckId, Reason>,
    attempts: usize,
    formalities: Formalities,
    /// When the last quarter of the time begins; nothing if it is like the others.
    last_quarter: Option<Instant>,
}

/// Whether what values exclude was looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Formalities {
    /// Not yet.
    Open,
    /// It was.
    Done,
}

/// What an attempt may take; nothing is no limit of its own.
#[derive(Clone, Copy, Default)]
struct Limit {
    ticks: Option<u64>,
    until: Option<Instant>,
}

/// When the last quarter of the time begins, if each check is to have a verdict.
fn last_quarter(goal: Goal, deadline: Option<Instant>) -> Option<Instant> {
    let deadline = deadline.filter(|_| goal == Goal::Each)?;
    deadline.checked_sub(deadline.saturating_duration_since(Instant::now()) / 4)
}

/// What an attempt came to.
enum Attempt {
    /// A verdict for at least one check.
    Progress,
    /// The engine had too few ticks.
    Short,
    /// The engine has no more to say.
    GaveUp,
    /// The time is over, or no attempt can lead to a verdict.
    Over,
}

impl Auditor<'_> {
    fn rounds(&mut self, env: &mut Env<'_>) {
        let alone = self.plan.settings.without_executions();
        let tried = self.executions(env);
        let (settings, is_limited) = match tried {
            Tried::Decided(_) => return,
            // It takes turns with the engine, by ticks of its own.
            Tried::OneTooLong => (self.plan.settings, false),
            Tried::FewTooLong | Tried::Open => (&alone, true),
        };
        if is_limited {
            self.samples(env);
        }
        let mut ticks = JOINT;
        while !self.is_done() {
            let all: Vec<CheckId> = self.open.iter().copied().collect();
            let limit = Limit { ticks: (all.len() > 1 && is_limited).then_some(ticks), until: self.mark() };
            let joint = self.attempt(&all, settings, limit, env);
            match joint {
                Attempt::Progress => continue,
                Attempt::Over => return,
                Attempt::Short | Attempt::GaveUp if all.len() == 1 => return,
                Attempt::Short | Attempt::GaveUp => {}
            }
            self.formalities(&alone, self.mark(), env);
            let before = self.open.len();
            let is_settled = self.groups(&alone, ticks, env);
            if env.logic.budget.poll().is_err() || self.is_last_quarter() {
                return;
            }
            // An engine that has no more to say about all of them, nor about each, has no more to say.
            if is_settled && matches!(joint, Attempt::GaveUp) && self.open.len() == before {
                if matches!(tried, Tried::FewTooLong) {
                    let limit = Limit { ticks: None, until: self.mark() };
                    self.attempt(&all, self.plan.settings, limit, env);
                }
                return;
            }
            ticks = ticks.saturating_mul(2);
        }
    }

    /// Until when the rounds may go on: a check that is alone has no reason to wait for the last quarter.
    fn mark(&self) -> Option<Instant> {
        self.last_quarter.filter(|_| self.open.len() > 1)
    }

    fn is_last_quarter(&self) -> bool {
        self.mark().is_some_and(|mark| Instant::now() >= mark)
    }

    /// The last quarter of the time, if the rounds have come to it.
    fn last(&mut self, env: &mut Env<'_>) {
        let Some(deadline) = env.logic.budget.deadline().filter(|_| self.is_last_quarter()) else { return };
        let alone = self.plan.settings.without_executions();
        let share = |parts: usize| {
            let now = Instant::now();
            Some(now + deadline.saturating_duration_since(now) / u32::try_from(parts).unwrap_or(u32::MAX))
        };
        self.formalities(&alone, share(2), env);
        let open: Vec<CheckId> = self.open.iter().copied().collect();
        let groups: Vec<&[CheckId]> = open.chunks(open.len().div_ceil(LAST_GROUPS).max(1)).collect();
        for (number, group) in groups.iter().enumerate() {
            if self.is_done() || env.logic.budget.poll().is_err() {
                return;
            }
            // A violation of one check may be found in the search for another.
            let group: Vec<CheckId> =
                group.iter().copied().filter(|check| self.open.contains(check)).collect();
            if !group.is_empty() {
                self.attempt(&group, &alone, Limit { ticks: None, until: share(groups.len() - number) }, env);
            }
        }
    }

    /// Looks at what an earlier run has found out.
    fn earlier(&mut self, earlier: &mut dyn Earlier, env: &mut Env<'_>) {
        for number in 0.. {
            let given = self.given.clone();
            let all: Vec<CheckId> = self.open.iter().copied().collect();
            let task = self.task(&given, &all);
            let Some(verdict) = earlier.verdict(number, &task, &mut env.logic.budget) else { return };
            if !matches!(self.accept(&task, verdict, &all, env), Attempt::Progress) || self.is_done() {
                return;
            }
        }
    }

    fn is_done(&self) -> bool {
        let has_violation = !self.audit.violations.is_empty();
        self.open.is_empty()
            || self.plan.goal == Goal::Any && has_violation
            || self.audit.violations.len() >= MOST_VIOLATIONS
    }

    /// Tries executions, until they decide what is left or cannot.
    fn executions(&mut self, env: &mut Env<'_>) -> Tried {
        if self.plan.settings.executions() == Executions::Never {
            return Tried::Open;
        }
        loop {
            let given = self.given.clone();
            let task = Prepared::with(&given, self.plan.passes.clone());
            let tried = try_executions(&task, &mut env.logic.budget);
            let Tried::Decided(verdict) = tried else { return tried };
            let all: Vec<CheckId> = self.open.iter().copied().collect();
            let is_violated = matches!(verdict, Verdict::Unsafe(_));
            self.accept(&task, verdict.clone(), &all, env);
            if !is_violated || self.is_done() {
                return Tried::Decided(verdict);
            }
        }
    }

    /// Looks for violations in some executions.
    fn samples(&mut self, env: &mut Env<'_>) {
        while !self.is_done() {
            let all: Vec<CheckId> = self.open.iter().copied().collect();
            let given = self.given.clone();
            let task = Prepared::with(&given, self.plan.passes.clone());
            let Some(trace) = engines::sample(&task, &mut env.logic.budget) else { return };
            if !matches!(self.accept(&task, Verdict::Unsafe(trace), &all, env), Attempt::Progress) {
                return;
            }
        }
    }

    /// Lets the engine work on some checks, alone or within a number of ticks.
    fn attempt(
        &mut self,
        checks: &[CheckId],
        settings: &Settings,
        limit: Limit,
        env: &mut Env<'_>,
    ) -> Attempt {
        if let Err(stop) = env.logic.budget.poll() {
            self.note(checks, &Reason::Stopped(stop));
            return Attempt::Over;
        }
        if self.attempts > 0 {
            env.events.restart();
        }
        self.attempts += 1;
        let given = self.given.clone();
        let task = self.task(&given, checks);
        let engine = (self.plan.engine.configure)(settings);
        let slice = env.logic.budget.child(limit.ticks.unwrap_or(u64::MAX));
        let until = limit.until.or(slice.deadline());
        let mut slice = env.share(slice.with_deadline(until));
        let verdict = solve_contained(engine, &task, &mut slice);
        let spent = slice.logic.budget.spent();
        env.logic.budget.absorb(&slice.logic.budget);
        // An engine that runs short may give up instead of being stopped.
        let is_short = limit.ticks.is_some_and(|ticks| spent >= ticks / 2);
        let accepted = self.accept(&task, verdict, checks, env);
        match accepted {
            Attempt::GaveUp if is_short => Attempt::Short,
            accepted => accepted,
        }
    }

    /// A program in which some checks are errors, and no others.
    fn task<'p>(&self, given: &'p Program, checks: &[CheckId]) -> Prepared<'p> {
        if checks.len() == self.audit.checks.len() {
            return Prepared::with(given, self.plan.passes.clone());
        }
        let wanted = |check| if checks.contains(&check) { Wanted::Error } else { Wanted::Omitted };
        let selection = Selection::of(self.audit.checks.ids().map(wanted));
        Prepared::asking(given, self.plan.passes.clone(), selection)
    }

    /// Takes down what a verdict about some checks says, if its evidence passes the check.
    fn accept(
        &mut self,
        task: &Prepared<'_>,
        verdict: Verdict,
        checks: &[CheckId],
        env: &mut Env<'_>,
    ) -> Attempt {
        let budget = &mut env.logic.budget;
        let before = budget.spent();
        let certified = match self.plan.inputs {
            Inputs::AsFound => certify::certify(task, verdict, budget),
            Inputs::Smallest => {
                let (certified, shrinking) = explain::certify_smallest(task, verdict, budget);
                self.audit.shrinking.runs += shrinking.runs;
                self.audit.shrinking.queries += shrinking.queries;
                certified
            }
        };
        self.audit.certification += budget.spent() - before;
        match certified.verdict() {
            Verdict::Safe(_) => {
                let number = self.audit.proofs.len();
                // A check that has failed holds only where executions end at its violation.
                let proved: Vec<CheckId> =
                    checks.iter().copied().filter(|check| self.open.remove(check)).collect();
                for check in &proved {
                    self.audit.states[check.0 as usize] = State::Holds(number);
                    self.tell(*check, CheckVerdict::Holds, env.events);
                }
                self.audit.proofs.push(Proved { certified, checks: proved });
                Attempt::Progress
            }
            Verdict::Unsafe(trace) => {
                let Some(check) = self.audit.checks.at(trace.violation.kind, trace.violation.site) else {
                    let why = "the violation is at no place where one is looked for".to_owned();
                    self.note(checks, &Reason::NotCertified { why });
                    return Attempt::GaveUp;
                };
                let judged = self.judge.judge(task, certified, budget);
                if matches!(judged.verdict(), Verdict::Unsafe(_)) {
                    self.tell(check, CheckVerdict::Fails, env.events);
                }
                self.violated(check, judged);
                Attempt::Progress
            }
            Verdict::Unknown(reason) => {
                let reason = reason.clone();
                self.note(checks, &reason);
                match reason {
                    Reason::Stopped(Stop::Ticks) if !budget.is_spent() => Attempt::Short,
                    // What the program lacks no other attempt adds.
                    Reason::Stopped(_) | Reason::Underapproximated { .. } => Attempt::Over,
                    _ => Attempt::GaveUp,
                }
            }
        }
    }

    /// Says that a check has its verdict.
    fn tell(&self, check: CheckId, verdict: CheckVerdict, events: &dyn Events) {
        if let Some(check) = self.audit.checks.get(check) {
            events.decided(Decision { kind: check.kind, place: check.place, what: &check.what, verdict });
        }
    }

    /// A check fails, or would if the judge did not object. In both cases executions end there from now on.
    fn violated(&mut self, check: CheckId, judged: certify::Certified) {
        let mut excused = (*self.given.excused).clone();
        self.audit.checks.excuse(check, &mut excused);
        self.given.excused = Arc::new(excused);
        self.open.remove(&check);
        self.audit.states[check.0 as usize] = if let Verdict::Unknown(reason) = judged.verdict() {
            State::Open(reason.clone())
        } else {
            self.audit.violations.push(Violated { check, certified: judged });
            State::Fails(self.audit.violations.len() - 1)
        };
    }

    fn note(&mut self, checks: &[CheckId], reason: &Reason) {
        for check in checks {
            self.why.insert(*check, reason.clone());
        }
    }

    /// What the analysis of values discharges is proved together.
    fn formalities(&mut self, settings: &Settings, until: Option<Instant>, env: &mut Env<'_>) {
        if std::mem::replace(&mut self.formalities, Formalities::Done) == Formalities::Done {
            return;
        }
        let given = self.given.clone();
        let Ok(found) = discharged(&Prepared::with(&given, self.plan.passes.clone()), &mut env.logic.budget)
        else {
            return;
        };
        let found: Vec<CheckId> = found.intersection(&self.open).copied().collect();
        self.audit.by_values = found.len();
        if !found.is_empty() {
            self.attempt(&found, settings, Limit { ticks: Some(JOINT), until }, env);
        }
    }

    /// Tries the open checks in ever smaller groups; whether the engine has no more to say about any of them.
    fn groups(&mut self, settings: &Settings, ticks: u64, env: &mut Env<'_>) -> bool {
        let open: Vec<CheckId> = self.open.iter().copied().collect();
        let share = (ticks / 2 / open.len().max(1) as u64).max(LEAST_SHARE);
        let mut pending = halves(&open);
        let (mut is_settled, mut tried) = (true, 0);
        while let Some(mut group) = pending.pop() {
            // What was found in the meantime is open no more.
            group.retain(|check| self.open.contains(check));
            if group.is_empty() || self.is_done() {
                continue;
            }
            if tried == MOST_GROUPS {
                return false;
            }
            tried += 1;
            let ticks = Some(share.saturating_mul(group.len() as u64));
            match self.attempt(&group, settings, Limit { ticks, until: self.mark() }, env) {
                Attempt::Over => return true,
                // A violation: the rest of the group is tried again.
                Attempt::Progress => pending.push(group),
                Attempt::Short | Attempt::GaveUp if group.len() > 1 => pending.extend(halves(&group)),
                Attempt::Short => is_settled = false,
                Attempt::GaveUp => {}
            }
        }
        is_settled
    }

    fn finish(mut self, budget: &Budget) -> Audit {
        let over = budget.poll().err().map(Reason::Stopped);
        for check in std::mem::take(&mut self.open) {
            let last = self.why.remove(&check).unwrap_or(Reason::NotProgressing);
            let is_short = matches!(last, Reason::Stopped(_));
            let reason = over.clone().filter(|_| is_short).unwrap_or(last);
            self.audit.states[check.0 as usize] = State::Open(reason);
        }
        self.audit
    }
}

/// Two groups of about the same size, the second one first.
fn halves(checks: &[CheckId]) -> Vec<Vec<CheckId>> {
    let (first, second) = checks.split_at(checks.len().div_ceil(2));
    [second, first].into_iter().filter(|half| !half.is_empty()).map(<[CheckId]>::to_vec).collect()
}
