//! Addresses of objects in a 32-bit address space.
//!
//! # Invariants
//! * S1: live objects do not overlap, and between two of them lie at least [`GAP`] bytes: the address one past the end
//!   of an object belongs to no other.
//! * S2: addresses of dead objects are reused as late as possible: the search goes on behind the last one given.

use std::collections::BTreeMap;

/// Bytes between objects.
const GAP: u64 = 16;
/// Where objects may lie.
const SPACE: std::ops::Range<u64> = 0x0804_8000..0xc000_0000;

/// Which addresses are in use.
#[derive(Clone, Debug)]
pub(crate) struct AddressSpace {
    /// Start of a live object to its size and index.
    live: BTreeMap<u32, (u32, u32)>,
    cursor: u64,
    /// The end of the highest object so far.
    highest: u64,
}

impl AddressSpace {
    pub(crate) fn new() -> Self {
        Self { live: BTreeMap::new(), cursor: SPACE.start, highest: SPACE.start }
    }
    /// An address for a new object; `None` if there is no room.
    pub(crate) fn place(&mut self, object: u32, size: u32, align: u64) -> Option<u32> {
        let start = match self.search(self.cursor, SPACE.end, size, align) {
            Some(start) => start,
            None => self.search(SPACE.start, self.cursor, size, align)?,
        };
        self.live.insert(start as u32, (size, object));
        self.cursor = (start + u64::from(size) + GAP).min(SPACE.end);
        self.highest = self.highest.max(self.cursor);
        Some(start as u32)
    }
    fn search(&self, from: u64, limit: u64, size: u32, align: u64) -> Option<u64> {
        let mut start = from.next_multiple_of(align);
        if start >= limit {
            return None;
        }
        if let Some((before, (length, _))) = self.live.range(..=start as u32).next_back() {
            let end = u64::from(*before) + u64::from(*length) + GAP;
            if end > start {
                start = end.next_multiple_of(align);
            }
        }
        for (next, (length, _)) in self.live.range(start as u32..) {
            if start + u64::from(size) + GAP <= u64::from(*next) {
                break;
            }
            start = (u64::from(*next) + u64::from(*length) + GAP).next_multiple_of(align);
        }
        (start < limit && start + u64::from(size) + GAP <= SPACE.end).then_some(start)
    }
    /// The object at an address may be replaced from now on.
    pub(crate) fn release(&mut self, start: u32) {
        self.live.remove(&start);
    }
    /// Whether an address may be that of an object, dead or live: it lies below the highest one that was given.
    pub(crate) fn was_used(&self, address: u32) -> bool {
        (SPACE.start..self.highest).contains(&u64::from(address))
    }
    /// The live object that contains an address, or ends just before it.
    pub(crate) fn find(&self, address: u32) -> Option<u32> {
        let (start, (size, object)) = self.live.range(..=address).next_back()?;
        (u64::from(address) <= u64::from(*start) + u64::from(*size)).then_some(*object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_aligned_apart_and_found() {
        let mut space = AddressSpace::new();
        let first = space.place(1, 10, 4).unwrap();
        let second = space.place(2, 0, 4096).unwrap();
        assert_eq!(second % 4096, 0);
        assert_eq!(space.find(first + 10), Some(1));
        assert_eq!(space.find(first + 11), None);
        assert_eq!(space.find(second), Some(2));
        assert_eq!(space.find(0), None);
        assert!(space.was_used(first) && !space.was_used(second + 100) && !space.was_used(0));
        space.release(first);
        assert_eq!(space.find(first), None);
        assert!(space.was_used(first));
    }

    #[test]
    fn the_space_is_reused_when_it_is_full() {
        let mut space = AddressSpace::new();
        let half = 0x5000_0000;
        let first = space.place(1, half, 16).unwrap();
        let second = space.place(2, half, 16).unwrap();
        assert_eq!(space.place(3, half, 16), None);
        space.release(first);
        assert_eq!(space.place(3, half, 16), Some(first));
        space.release(second);
        assert!(space.place(4, 100, 16).unwrap() > first);
    }
}
