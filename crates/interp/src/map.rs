//! Unbounded array variables: a value for every integer, chosen when it is first read.
//!
//! They are made by passes and are always global, so no activation saves them.

use std::collections::BTreeMap;

use cfa::op::InitKind;

/// Memory that one element is counted as.
pub(crate) const ELEMENT: u64 = 64;

/// The elements that have values, as bits.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    elements: BTreeMap<i128, u128>,
    fresh: InitKind,
}

impl Default for Map {
    fn default() -> Self {
        Self { elements: BTreeMap::new(), fresh: InitKind::Uninitialised }
    }
}

impl Map {
    /// Gives all elements new contents; the number of elements that had values is returned.
    pub(crate) fn reset(&mut self, contents: InitKind) -> usize {
        let count = self.elements.len();
        self.elements.clear();
        self.fresh = contents;
        count
    }
    /// The bits of an element, if it has a value.
    pub(crate) fn get(&self, index: i128) -> Option<u128> {
        let fresh = match self.fresh {
            InitKind::Zero => Some(0),
            InitKind::Uninitialised | InitKind::Arbitrary => None,
        };
        self.elements.get(&index).copied().or(fresh)
    }
    /// Writes an element; whether it is a new one.
    pub(crate) fn set(&mut self, index: i128, bits: u128) -> bool {
        self.elements.insert(index, bits).is_none()
    }
    /// The elements that were written, by index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (i128, u128)> + '_ {
        self.elements.iter().map(|(index, bits)| (*index, *bits))
    }
    /// Number of elements that were written.
    pub(crate) fn len(&self) -> usize {
        self.elements.len()
    }
}
