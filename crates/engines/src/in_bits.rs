//! The logic of bits alone: unwinding and k-induction in turn.
//!
//! Unwinding finds errors, and proves programs whose loops are bounded; k-induction proves others. Each starts afresh with twice as many ticks as before, and unwinding with twice as many iterations, so all of
//! it takes at most about twice as long as the last turn.
//!
//! # Invariants
//! * I1: who works next is counted in ticks, so the verdict does not depend on the clock.

use base::Stop;
use engine::{Engine, Env};
use passes::Prepared;
use verdict::{Reason, Verdict};

use crate::kind::KindInBits;
use crate::unwinding::{LARGEST, Unwinding};

/// Ticks of the first turns of unwinding and of induction.
const TICKS: [u64; 2] = [1 << 12, 1 << 11];
/// The most iterations of the first unwinding: those over the bits of an `int`, and one more.
const ITERATIONS: u32 = 33;

/// The engine.
pub(crate) struct InBits;

impl Engine for InBits {
    fn solve(self: Box<Self>, task: &Prepared<'_>, env: &mut Env<'_>) -> Verdict {
        let (mut round, mut ends) = (0_u32, [None, None]);
        loop {
            let most = ITERATIONS.saturating_mul(1 << round.min(24));
            let jobs: [Box<dyn Engine>; 2] = [Box::new(Unwinding::in_bits(most)), Box::new(KindInBits)];
            // Unwinding to a bound says nothing of larger ones.
            let is_bounded = [most < 1 << LARGEST, false];
            for (at, job) in jobs.into_iter().enumerate() {
                if ends[at].is_some() {
                    continue;
                }
                let ticks = TICKS[at].saturating_mul(1 << round.min(40));
                let mut share = env.share(env.logic.budget.child(ticks));
                let verdict = job.solve(task, &mut share);
                let is_spent = share.logic.budget.is_spent();
                env.logic.budget.absorb(&share.logic.budget);
                match verdict {
                    Verdict::Unknown(_) if is_spent => {}
                    Verdict::Unknown(Reason::NotProgressing) if is_bounded[at] => {}
                    Verdict::Unknown(reason) => ends[at] = Some(reason),
                    decided => return decided,
                }
                if let Err(stop) = env.logic.budget.poll() {
                    return Verdict::Unknown(Reason::Stopped(stop));
                }
            }
            if env.logic.budget.is_spent() {
                return Verdict::Unknown(Reason::Stopped(Stop::Ticks));
            }
            // What unwinding says is about the program: induction gives up when its paths are long.
            if let [Some(reason), Some(_)] = &ends {
                return Verdict::Unknown(reason.clone());
            }
            round += 1;
        }
    }
}
