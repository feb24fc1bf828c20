//! What several engines that work on one program have done, for people.

use std::fmt;

use base::Stop;
use verdict::Reason;

/// An attempt of one of several engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The engine.
    pub engine: &'static str,
    /// The round, the first of which is 0.
    pub round: u32,
    /// What it has spent.
    pub ticks: u64,
    /// What it came to.
    pub outcome: Outcome,
    /// Clauses that it has told the others.
    pub told: u64,
    /// Clauses of others that it has proved and used, by their origin.
    pub used: Vec<(&'static str, u64)>,
}

/// What an attempt came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A verdict.
    Decided,
    /// None, for this reason.
    GaveUp(Reason),
}

/// Who has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The engine.
    pub engine: &'static str,
    /// The round, the first of which is 0.
    pub round: u32,
    /// Clauses of others that it has used, by their origin.
    pub used: Vec<(&'static str, u64)>,
}

impl fmt::Display for Decided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine `{}` in round {}", self.engine, self.round + 1)?;
        for (at, (origin, clauses)) in self.used.iter().enumerate() {
            let separator = if at == 0 { ", with facts told by " } else { ", " };
            write!(f, "{separator}`{origin}` ({clauses})")?;
        }
        Ok(())
    }
}

/// What one engine has done in all its attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The engine.
    pub engine: &'static str,
    /// How often it worked.
    pub attempts: u64,
    /// How often it decided.
    pub decided: u64,
    /// What it has spent.
    pub ticks: u64,
    /// Clauses that it has told the others.
    pub told: u64,
    /// Clauses of others that it has used.
    pub used: u64,
    /// Why its last attempt did not decide, if it did not.
    pub last: Option<Reason>,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, attempts, decided, ticks, told, used, last } = self;
        write!(
            f,
            "{engine}: attempts {attempts}, decided {decided}, ticks {ticks}, facts told {told}, used {used}"
        )?;
        match last {
            Some(reason) => write!(f, "; {reason}"),
            None => Ok(()),
        }
    }
}

/// What several engines have done, in the order in which they first worked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// What each has done.
    pub shares: Vec<Share>,
    /// Who has decided last.
    pub decided: Option<Decided>,
}

impl Work {
    /// Adds an attempt.
    pub(crate) fn add(&mut self, attempt: Attempt) {
        let Attempt { engine, round, ticks, outcome, told, used } = attempt;
        let at = self.shares.iter().position(|share| share.engine == engine).unwrap_or_else(|| {
            self.shares.push(Share {
                engine,
                attempts: 0,
                decided: 0,
                ticks: 0,
                told: 0,
                used: 0,
                last: None,
            });
            self.shares.len() - 1
        });
        let share = &mut self.shares[at];
        share.attempts += 1;
        share.ticks += ticks;
        share.told += told;
        share.used += used.iter().map(|(_, clauses)| clauses).sum::<u64>();
        match outcome {
            Outcome::Decided => {
                share.decided += 1;
                share.last = None;
                self.decided = Some(Decided { engine, round, used });
            }
            Outcome::GaveUp(reason) => share.last = Some(reason),
        }
    }

    /// What was tried without success, in one line for people; nothing if there was a single engine or a verdict.
    pub fn in_vain(&self) -> Option<String> {
        if self.shares.is_empty() || self.decided.is_some() {
            return None;
        }
        let by_reason = |share: &Share| match &share.last {
            Some(Reason::Stopped(Stop::Ticks)) | None => share.engine.to_owned(),
            Some(Reason::Crashed { .. }) => format!("{} (crashed)", share.engine),
            Some(reason) => format!("{} ({})", share.engine, reason.code()),
        };
        let engines: Vec<String> = self.shares.iter().map(by_reason).collect();
        let told: u64 = self.shares.iter().map(|share| share.told).sum();
        Some(format!("tried: {}; facts told {told}", engines.join(", ")))
    }
}
