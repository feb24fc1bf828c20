//! How far a test goes on without asking.
//!
//! A loop that repeats the same choices needs no question in every round. When the guide has confirmed the remembered choices a few times
//! in a row, the test leaps: it repeats them for a number of stops and asks once, at the end. That number doubles as long as the answer is yes.
//! After the first no, what is left is a search by halves for the last stop at which the choices are still good; so `n` equal rounds
//! take O(log n) questions, and the change of choices after them is found exactly.
//!
//! # Invariants
//! * L1: a leap is at least two stops long, and never as long as what is left of the gas.
//! * L2: between two leaps that are kept (or a step without leap) fewer leaps are taken back than the length has binary digits.

use term::Integer;

/// So many confirmations in a row come before the first leap.
const PATIENCE: u32 = 2;
/// The most confirmations that are asked for where leaps have failed before.
const MOST_PATIENCE: u32 = 64;
/// The first leap.
const FIRST: u64 = 2;
/// The longest leap.
const LONGEST: u64 = 1 << 40;
/// A leap may cost so many times what the last one did, and this many steps in any case: it may have gone astray.
const COST_FACTOR: u64 = 16;
const COST_BASE: u64 = 1 << 16;

/// The rhythm of one test.
#[derive(Clone, Debug)]
pub(super) struct Gallop {
    /// Confirmations in a row.
    streak: u32,
    /// Confirmations that are wanted.
    patience: u32,
    /// The length of the next leap.
    length: u64,
    /// Whether a leap failed since the choices last changed: lengths only shrink.
    is_narrowing: bool,
    /// Steps of the interpreter for the last leap that was kept.
    cost: u64,
}

impl Gallop {
    /// Nothing is confirmed yet.
    pub(super) fn new() -> Self {
        Self { streak: 0, patience: PATIENCE, length: FIRST, is_narrowing: false, cost: 0 }
    }

    /// A question was asked, and the remembered choices were kept or not.
    pub(super) fn asked(&mut self, kept: bool) {
        if kept {
            self.streak = self.streak.saturating_add(1);
        } else {
            self.restart();
        }
    }

    /// The number of stops to leap over, if it is time to.
    pub(super) fn due(&self, gas: Option<&Integer>) -> Option<u64> {
        if self.streak < self.patience {
            return None;
        }
        let left = gas.and_then(Integer::to_i128).map_or(u64::MAX, |gas| gas.try_into().unwrap_or(0));
        let length = self.length.min(left.saturating_sub(1));
        (length >= FIRST).then_some(length)
    }

    /// What a leap may cost.
    pub(super) fn ticks(&self) -> u64 {
        self.cost.saturating_mul(COST_FACTOR).saturating_add(COST_BASE)
    }

    /// A leap was kept; at its end the choices were, too, or changed.
    pub(super) fn landed(&mut self, kept: bool, cost: u64) {
        self.cost = cost;
        if self.length > FIRST {
            self.patience = PATIENCE;
        }
        self.asked(kept);
        if !kept {
            return;
        }
        if !self.is_narrowing {
            self.length = (self.length * 2).min(LONGEST);
        } else if self.length > FIRST {
            self.length /= 2;
        } else {
            self.restart();
        }
    }

    /// A leap was taken back.
    pub(super) fn missed(&mut self) {
        if self.length > FIRST {
            self.is_narrowing = true;
            self.length /= 2;
            return;
        }
        if !self.is_narrowing {
            self.patience = (self.patience * 2).min(MOST_PATIENCE);
        }
        self.restart();
    }

    fn restart(&mut self) {
        self.streak = 0;
        self.length = FIRST;
        self.is_narrowing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds in which the choice changes at each of `changes`; the questions that it takes, and the most leaps taken back in a row.
    fn questions(changes: &[u64], rounds: u64) -> (u64, u32) {
        let next_change =
            |from: u64| changes.iter().copied().find(|change| *change > from).unwrap_or(u64::MAX);
        let mut gallop = Gallop::new();
        let (mut at, mut asked, mut most) = (0, 0, 0);
        while at < rounds {
            at += 1;
            asked += 1;
            gallop.asked(!changes.contains(&at));
            let mut missed = 0;
            while let Some(length) = gallop.due(None) {
                asked += 1;
                // As far as the guide tells, old choices are good up to the change.
                if at + length < next_change(at) && at + length <= rounds {
                    at += length;
                    missed = 0;
                    gallop.landed(true, 1);
                } else {
                    missed += 1;
                    gallop.missed();
                }
                most = most.max(missed);
            }
        }
        (asked, most)
    }

    #[test]
    fn equal_rounds_take_few_questions() {
        for rounds in [1000, 20_000, 1_000_000] {
            let (asked, most) = questions(&[], rounds);
            assert!(asked < 60, "{rounds}: {asked}");
            assert!(most < 24, "{rounds}: {most}");
        }
    }

    #[test]
    fn every_change_costs_few_questions() {
        let (asked, _) = questions(&[1000, 1001, 5000, 400_000], 1_000_000);
        assert!(asked < 250, "{asked}");
    }

    #[test]
    fn constant_change_costs_little_more_than_no_leaps() {
        let changes: Vec<u64> = (0..1000).map(|index| index * 4).collect();
        let (asked, _) = questions(&changes, 4000);
        assert!(asked < 4200, "{asked}");
    }

    #[test]
    fn gas_bounds_a_leap() {
        let mut gallop = Gallop::new();
        gallop.asked(true);
        gallop.asked(true);
        assert_eq!(gallop.due(Some(&Integer::from(2))), None);
        assert_eq!(gallop.due(Some(&Integer::from(3))), Some(2));
        gallop.landed(true, 1);
        assert_eq!(gallop.due(Some(&Integer::from(4))), Some(3));
        assert_eq!(gallop.due(None), Some(4));
    }
}
