//! Which items of a fixed number have been given a value.

/// A set of positions below a fixed bound that knows how many are missing.
#[derive(Clone, Debug)]
pub(crate) struct Bitmap {
    words: Vec<u64>,
    missing: u64,
}

impl Bitmap {
    /// The empty set.
    pub(crate) fn empty(bound: usize) -> Self {
        Self { words: vec![0; bound.div_ceil(64)], missing: bound as u64 }
    }
    /// Empties the set, whose bound stays.
    pub(crate) fn clear(&mut self, bound: usize) {
        self.words.fill(0);
        self.missing = bound as u64;
    }
    /// Whether every position is in the set.
    pub(crate) fn is_full(&self) -> bool {
        self.missing == 0
    }
    pub(crate) fn contains(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 != 0
    }
    pub(crate) fn insert(&mut self, at: usize) {
        let bit = 1 << (at % 64);
        let word = &mut self.words[at / 64];
        self.missing -= u64::from(*word & bit == 0);
        *word |= bit;
    }
    pub(crate) fn remove(&mut self, at: usize) {
        let bit = 1 << (at % 64);
        let word = &mut self.words[at / 64];
        self.missing += u64::from(*word & bit != 0);
        *word &= !bit;
    }
    pub(crate) fn insert_range(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let (word, from) = (at / 64, at % 64);
            let count = (64 - from).min(end - at);
            let bits = (u64::MAX >> (64 - count)) << from;
            self.missing -= u64::from((bits & !self.words[word]).count_ones());
            self.words[word] |= bits;
            at += count;
        }
    }
    pub(crate) fn remove_range(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let (word, from) = (at / 64, at % 64);
            let count = (64 - from).min(end - at);
            let bits = (u64::MAX >> (64 - count)) << from;
            self.missing += u64::from((bits & self.words[word]).count_ones());
            self.words[word] &= !bits;
            at += count;
        }
    }
    /// The first position of a range that is not in the set.
    pub(crate) fn first_missing(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        while at < end {
            let (word, from) = (at / 64, at % 64);
            let count = (64 - from).min(end - at);
            let absent = !self.words[word] & ((u64::MAX >> (64 - count)) << from);
            if absent != 0 {
                return Some(word * 64 + absent.trailing_zeros() as usize);
            }
            at += count;
        }
        None
    }
    /// Bytes that the set itself takes.
    pub(crate) fn footprint(bound: usize) -> u64 {
        bound.div_ceil(64) as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_agree_with_single_positions() {
        let mut set = Bitmap::empty(200);
        set.insert_range(3, 131);
        assert_eq!(set.first_missing(3, 131), None);
        assert_eq!(set.first_missing(0, 10), Some(0));
        assert_eq!(set.first_missing(3, 200), Some(131));
        set.remove_range(64, 66);
        assert_eq!(set.first_missing(3, 131), Some(64));
        assert!(!set.contains(65) && set.contains(66));
        set.insert(64);
        set.remove(64);
        set.insert_range(0, 200);
        assert!(set.is_full());
    }
}
