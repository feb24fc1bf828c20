//! A small deterministic random number generator (SplitMix64).
//!
//! # Invariants
//! * I1: the sequence depends on the seed alone, never on the platform, the time or addresses.

/// Source of random choices; the same seed gives the same choices on every machine.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator whose whole sequence is fixed by `seed`.
    pub fn new(seed: u64) -> Random {
        // Neighbouring seeds should not start with neighbouring states.
        let mut random = Random { state: seed ^ 0x5851_F42D_4C95_7F2D };
        random.bits();
        random
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..bound`; 0 for an empty range.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.bits() % bound as u64) as usize }
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low) as u64;
        if span == u64::MAX {
            return self.bits() as i64;
        }
        low.wrapping_add((self.bits() % (span + 1)) as i64)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.bits() % 100 < u64::from(percent)
    }

    /// One of the items; the slice should not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// An index chosen with probability proportional to its weight.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut left = self.bits() % total.max(1);
        for (index, &weight) in weights.iter().enumerate() {
            if left < u64::from(weight) {
                return index;
            }
            left -= u64::from(weight);
        }
        0
    }

    /// The items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_depends_on_the_seed_alone() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..4).map(|_| random.bits()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            assert!((-3..=4).contains(&random.between(-3, 4)));
            assert!(random.below(5) < 5);
            assert_eq!(random.weighted(&[0, 3, 0]), 1);
        }
        random.between(i64::MIN, i64::MAX);
        assert_eq!(random.below(0), 0);
    }
}
