//! Addresses that were made by indexing arrays.

use cfa::ExprId;
use rustc_hash::FxHashMap;

/// The elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    /// Bytes of each.
    pub(super) size: u64,
    /// How many there are.
    pub(super) count: u64,
}

/// Which sums of a pointer and a number are addresses of elements of arrays: other elements than those of the array are undefined, whatever is there.
#[derive(Debug, Default)]
pub(super) struct Indices(FxHashMap<ExprId, Option<Elements>>);

impl Indices {
    /// A sum was made by indexing an array.
    pub(super) fn within(&mut self, sum: ExprId, elements: Elements) {
        let known = self.0.entry(sum).or_insert(Some(elements));
        if *known != Some(elements) {
            *known = None;
        }
    }
    /// A sum was made by moving a pointer.
    pub(super) fn moved(&mut self, sum: ExprId) {
        self.0.insert(sum, None);
    }
    /// The offsets of the elements, the end included, from the first one.
    pub(super) fn range(&self, sum: ExprId) -> Option<(i128, i128)> {
        let Elements { size, count } = (*self.0.get(&sum)?)?;
        Some((0, i128::from(size) * i128::from(count)))
    }
    /// The greatest offset of an element.
    pub(super) fn last(&self, sum: ExprId) -> Option<i128> {
        let Elements { size, count } = (*self.0.get(&sum)?)?;
        Some(i128::from(size) * i128::from(count.saturating_sub(1)))
    }
}
