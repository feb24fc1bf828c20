//! How much work may be done: deterministic ticks, a deadline, a shared cancel flag.
//!
//! Every loop without an obvious bound calls [`Budget::tick`]. What decides *how* a result is computed is
//! counted in ticks, so that runs repeat; the clock and the cancel flag only end the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Why work stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The deterministic allowance is used up.
    Ticks,
    /// The wall-clock deadline has passed.
    Deadline,
    /// The memory limit is reached.
    Memory,
    /// The user or another thread asked to stop.
    Cancelled,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Ticks => "effort limit reached",
            Self::Deadline => "time limit reached",
            Self::Memory => "memory limit reached",
            Self::Cancelled => "interrupted",
        })
    }
}

impl std::error::Error for Stop {}

/// A flag by which another thread (or Ctrl-C) ends the work.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_raised: AtomicBool,
    /// Also ends the work.
    parent: Option<Cancel>,
}

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }
    /// A flag for a part of the work: it ends that part alone, and is raised with this one.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag { is_raised: AtomicBool::new(false), parent: Some(self.clone()) }))
    }
    /// Asks all holders to stop.
    pub fn cancel(&self) {
        self.0.is_raised.store(true, Ordering::Relaxed);
    }
    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        let mut flag = &self.0;
        loop {
            if flag.is_raised.load(Ordering::Relaxed) {
                return true;
            }
            match &flag.parent {
                Some(parent) => flag = &parent.0,
                None => return false,
            }
        }
    }
}

/// An allowance of work. Cloning shares the cancel flag, not the ticks.
#[derive(Clone, Debug)]
pub struct Budget {
    ticks_left: u64,
    spent: u64,
    /// So many steps of a test are one tick.
    steps_of_a_tick: u64,
    deadline: Option<Instant>,
    cancel: Cancel,
}

/// The clock and the flag are looked at once in this many ticks.
const POLL_INTERVAL: u64 = 1024;

impl Budget {
    /// No limit but the cancel flag.
    pub fn unlimited() -> Self {
        Self::ticks(u64::MAX)
    }
    /// A budget of `ticks` steps.
    pub fn ticks(ticks: u64) -> Self {
        Self { ticks_left: ticks, spent: 0, steps_of_a_tick: 1, deadline: None, cancel: Cancel::new() }
    }
    /// The same budget, ended at `deadline`.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }
    /// The same budget, ended by `cancel`.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }
    /// The flag that ends this budget.
    pub fn cancel_flag(&self) -> &Cancel {
        &self.cancel
    }
    /// When the work must end.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
    /// Whether no tick is left.
    pub fn is_spent(&self) -> bool {
        self.ticks_left == 0
    }
    /// Ticks that are left.
    pub fn left(&self) -> u64 {
        self.ticks_left
    }
    /// Ticks spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }
    /// A budget for a sub-task: at most `ticks`, the same deadline and flag. [`Budget::absorb`] charges it back.
    #[must_use]
    pub fn child(&self, ticks: u64) -> Self {
        Self {
            ticks_left: ticks.min(self.ticks_left),
            spent: 0,
            steps_of_a_tick: self.steps_of_a_tick,
            deadline: self.deadline,
            cancel: self.cancel.clone(),
        }
    }
    /// Charges what a child has spent.
    pub fn absorb(&mut self, child: &Self) {
        self.spent += child.spent;
        self.ticks_left = self.ticks_left.saturating_sub(child.spent);
    }
    /// The same budget, in which so many steps of a test count as one tick: a tick is mostly one of the solver, which takes much longer.
    #[must_use]
    pub fn with_steps_of_a_tick(mut self, steps: std::num::NonZero<u64>) -> Self {
        self.steps_of_a_tick = steps.get();
        self
    }
    /// A budget for at most `steps` steps of a test, the same deadline and flag. [`Budget::absorb_steps`] charges it back.
    #[must_use]
    pub fn steps(&self, steps: u64) -> Self {
        let affordable = self.ticks_left.saturating_mul(self.steps_of_a_tick);
        Self { ticks_left: steps.min(affordable), ..self.child(0) }
    }
    /// Charges the steps of a test.
    pub fn absorb_steps(&mut self, steps: &Self) {
        let ticks = steps.spent.div_ceil(self.steps_of_a_tick);
        self.spent += ticks;
        self.ticks_left = self.ticks_left.saturating_sub(ticks);
    }
    /// One step of work.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Stop> {
        self.charge(1)
    }
    /// `amount` steps of work.
    #[inline]
    pub fn charge(&mut self, amount: u64) -> Result<(), Stop> {
        if amount > self.ticks_left {
            return Err(Stop::Ticks);
        }
        self.ticks_left -= amount;
        let before = self.spent;
        self.spent += amount;
        if before / POLL_INTERVAL == self.spent / POLL_INTERVAL { Ok(()) } else { self.poll() }
    }
    /// Looks at the flag and the clock now.
    pub fn poll(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::Deadline),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_run_out() {
        let mut budget = Budget::ticks(2);
        assert_eq!(budget.tick(), Ok(()));
        assert_eq!(budget.tick(), Ok(()));
        assert_eq!(budget.tick(), Err(Stop::Ticks));
        assert_eq!(budget.spent(), 2);
    }

    #[test]
    fn cancelling_is_noticed_within_one_interval() {
        let mut budget = Budget::unlimited();
        budget.cancel_flag().cancel();
        let stopped = (0..=POLL_INTERVAL).any(|_| budget.tick() == Err(Stop::Cancelled));
        assert!(stopped);
    }

    #[test]
    fn a_part_of_the_work_is_ended_alone_or_with_all_of_it() {
        let all = Cancel::new();
        let (one, other) = (all.child(), all.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !all.is_cancelled());
        all.cancel();
        assert!(other.child().is_cancelled());
    }

    #[test]
    fn steps_of_a_test_may_cost_less_than_ticks() {
        for (weight, expected) in [(1, 3), (100, 300)] {
            let weight = std::num::NonZero::new(weight).unwrap();
            let mut budget = Budget::ticks(3).with_steps_of_a_tick(weight);
            let mut test = budget.child(u64::MAX).steps(1_000);
            assert_eq!((0..1_000).take_while(|_| test.tick().is_ok()).count(), expected);
            budget.absorb_steps(&test);
            assert_eq!((budget.spent(), budget.left()), (3, 0));
        }
    }

    #[test]
    fn a_child_never_has_more_than_its_parent() {
        let mut parent = Budget::ticks(3);
        let mut child = parent.child(10);
        while child.tick().is_ok() {}
        assert_eq!(child.spent(), 3);
        parent.absorb(&child);
        assert_eq!(parent.tick(), Err(Stop::Ticks));
    }
}
