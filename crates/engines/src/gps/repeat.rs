//! Repeated choices: how far a test goes on without a query. Not part of the paper, which asks at every choice.
//!
//! A loop that repeats the same choices needs no query in every iteration. When the guide has confirmed the choices of the last visit a few times
//! in a row, the test skips queries: it repeats the choices for a number of stops and asks once, at the end. That number doubles as long as the
//! choices are confirmed. After the first refusal a binary search finds the last stop at which they are; so `n` equal iterations
//! take O(log n) queries, and the change of choices after them is found exactly.
//!
//! # Invariants
//! * L1: a skip is at least two stops long, and shorter than what is left of the gas.
//! * L2: between two skips that are kept (or a step without skip) fewer skips are undone than the length has binary digits.

use term::Integer;

/// Confirmations in a row before the first skip.
const MIN_STREAK: u32 = 2;
/// Upper bound on the confirmations before a skip where skips have failed before.
const MAX_STREAK: u32 = 64;
/// The length of the first skip.
const FIRST: u64 = 2;
/// Upper bound on the length of a skip.
const MAX_LENGTH: u64 = 1 << 40;
/// A skip may cost so many times what the last one did, and this many steps in any case: it may have left the path.
const COST_FACTOR: u64 = 16;
const COST_BASE: u64 = 1 << 16;

/// Whether the choices at a point are those of the last visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choices {
    Repeated,
    Changed,
}

/// How the choices of one test repeat.
#[derive(Clone, Debug)]
pub(super) struct Repetition {
    /// Confirmations in a row.
    streak: u32,
    /// Confirmations that are wanted.
    wanted: u32,
    /// The length of the next skip.
    length: u64,
    /// Whether a skip was undone since the choices last changed: lengths only shrink.
    is_narrowing: bool,
    /// Steps of the interpreter for the last skip that was kept.
    cost: u64,
}

impl Repetition {
    /// Nothing is confirmed yet.
    pub(super) fn new() -> Self {
        Self { streak: 0, wanted: MIN_STREAK, length: FIRST, is_narrowing: false, cost: 0 }
    }

    /// A query was asked, and the choices of the last visit were confirmed or changed.
    pub(super) fn asked(&mut self, choices: Choices) {
        match choices {
            Choices::Repeated => self.streak = self.streak.saturating_add(1),
            Choices::Changed => self.restart(),
        }
    }

    /// The number of stops to skip, if it is time to.
    pub(super) fn due(&self, gas: Option<&Integer>) -> Option<u64> {
        if self.streak < self.wanted {
            return None;
        }
        let left = gas.and_then(Integer::to_i128).map_or(u64::MAX, |gas| gas.try_into().unwrap_or(0));
        let length = self.length.min(left.saturating_sub(1));
        (length >= FIRST).then_some(length)
    }

    /// What a skip may cost.
    pub(super) fn ticks(&self) -> u64 {
        self.cost.saturating_mul(COST_FACTOR).saturating_add(COST_BASE)
    }

    /// A skip was kept; at its end the choices were confirmed or changed.
    pub(super) fn kept(&mut self, choices: Choices, cost: u64) {
        self.cost = cost;
        if self.length > FIRST {
            self.wanted = MIN_STREAK;
        }
        self.asked(choices);
        if choices == Choices::Changed {
            return;
        }
        if !self.is_narrowing {
            self.length = (self.length * 2).min(MAX_LENGTH);
        } else if self.length > FIRST {
            self.length /= 2;
        } else {
            self.restart();
        }
    }

    /// A skip was undone.
    pub(super) fn undone(&mut self) {
        if self.length > FIRST {
            self.is_narrowing = true;
            self.length /= 2;
            return;
        }
        if !self.is_narrowing {
            self.wanted = (self.wanted * 2).min(MAX_STREAK);
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

    /// Rounds in which the choice changes at each of `changes`; the queries that it takes, and the most skips undone in a row.
    fn queries(changes: &[u64], rounds: u64) -> (u64, u32) {
        let next_change =
            |from: u64| changes.iter().copied().find(|change| *change > from).unwrap_or(u64::MAX);
        let mut repetition = Repetition::new();
        let (mut at, mut asked, mut most) = (0, 0, 0);
        while at < rounds {
            at += 1;
            asked += 1;
            repetition.asked(if changes.contains(&at) { Choices::Changed } else { Choices::Repeated });
            let mut undone = 0;
            while let Some(length) = repetition.due(None) {
                asked += 1;
                // According to the guide, the old choices are good up to the change.
                if at + length < next_change(at) && at + length <= rounds {
                    at += length;
                    undone = 0;
                    repetition.kept(Choices::Repeated, 1);
                } else {
                    undone += 1;
                    repetition.undone();
                }
                most = most.max(undone);
            }
        }
        (asked, most)
    }

    #[test]
    fn equal_rounds_take_few_queries() {
        for rounds in [1000, 20_000, 1_000_000] {
            let (asked, most) = queries(&[], rounds);
            assert!(asked < 60, "{rounds}: {asked}");
            assert!(most < 24, "{rounds}: {most}");
        }
    }

    #[test]
    fn every_change_costs_few_queries() {
        let (asked, _) = queries(&[1000, 1001, 5000, 400_000], 1_000_000);
        assert!(asked < 250, "{asked}");
    }

    #[test]
    fn constant_change_costs_little_more_than_no_skips() {
        let changes: Vec<u64> = (0..1000).map(|index| index * 4).collect();
        let (asked, _) = queries(&changes, 4000);
        assert!(asked < 4200, "{asked}");
    }

    #[test]
    fn gas_bounds_a_skip() {
        let mut repetition = Repetition::new();
        repetition.asked(Choices::Repeated);
        repetition.asked(Choices::Repeated);
        assert_eq!(repetition.due(Some(&Integer::from(2))), None);
        assert_eq!(repetition.due(Some(&Integer::from(3))), Some(2));
        repetition.kept(Choices::Repeated, 1);
        assert_eq!(repetition.due(Some(&Integer::from(4))), Some(3));
        assert_eq!(repetition.due(None), Some(4));
    }
}
