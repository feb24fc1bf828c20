//! Array variables: a fixed number of cells, each with a value or not yet.
//!
//! # Invariants
//! * A1: up to [`DENSE_LIMIT`] cells are kept in one piece; more in pages that are made when first written.
//! * A2: `initialised` is absent if every cell of an array in one piece has a value.

use super::bitmap::Bitmap;
use cfa::op::InitKind;

/// Largest number of cells that is kept in one piece.
const DENSE_LIMIT: u64 = 16 << 20;
/// Cells of a page of longer arrays.
const PAGE: usize = 1 << 13;
/// No array has more cells: the page table of a longer one would be too long itself.
pub(crate) const MAX_LENGTH: u64 = 1 << 36;

/// Why a cell has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    OutOfBounds,
    Uninitialised,
}

#[derive(Clone, Debug)]
struct Page<T> {
    cells: Box<[T]>,
    initialised: Bitmap,
}

/// The cells of an array variable.
#[derive(Clone, Debug)]
pub(crate) struct Array<T> {
    dense: Vec<T>,
    initialised: Option<Bitmap>,
    pages: Vec<Option<Box<Page<T>>>>,
    fresh: InitKind,
    length: u64,
}

impl<T: Copy + Default> Default for Array<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), initialised: None, pages: Vec::new(), fresh: InitKind::Zero, length: 0 }
    }
}

impl<T: Copy + Default> Array<T> {
    /// Number of cells.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }
    /// Whether cells without value are inputs.
    pub(crate) fn is_input(&self) -> bool {
        self.fresh == InitKind::Arbitrary
    }
    /// The values that cells have, and of cells that have none.
    pub(crate) fn values(&self) -> impl Iterator<Item = T> {
        let paged = self.pages.iter().flatten().flat_map(|page| page.cells.iter());
        self.dense.iter().chain(paged).copied()
    }
    /// Memory that an array takes before its pages are made.
    pub(crate) fn footprint(length: u64) -> u64 {
        if length > DENSE_LIMIT {
            length.div_ceil(PAGE as u64) * 8
        } else {
            length * size_of::<T>() as u64 + Bitmap::footprint(length as usize)
        }
    }
    /// Memory that the array takes now.
    pub(crate) fn taken(&self) -> u64 {
        Self::footprint(self.length) + self.pages.iter().flatten().count() as u64 * Self::page_footprint()
    }
    fn page_footprint() -> u64 {
        (PAGE * size_of::<T>()) as u64 + Bitmap::footprint(PAGE)
    }
    /// Gives the array a length and new contents. The memory of the old ones is used again where it can be.
    pub(crate) fn reset(&mut self, length: u64, contents: InitKind) {
        self.pages = Vec::new();
        self.fresh = contents;
        self.length = length;
        if length > DENSE_LIMIT {
            self.dense = Vec::new();
            self.initialised = None;
            self.pages = vec![None; (length as usize).div_ceil(PAGE)];
            return;
        }
        let length = length as usize;
        match contents {
            InitKind::Zero => {
                if self.dense.len() == length {
                    self.dense.fill(T::default());
                } else {
                    self.dense = vec![T::default(); length];
                }
                self.initialised = None;
            }
            InitKind::Uninitialised | InitKind::Arbitrary => {
                let same = self.dense.len() == length;
                if !same {
                    self.dense = vec![T::default(); length];
                }
                match &mut self.initialised {
                    Some(map) if same => map.clear(length),
                    map => *map = (length > 0).then(|| Bitmap::empty(length)),
                }
            }
        }
    }
    /// The value of a cell, if the array is plain (A2).
    #[inline]
    pub(crate) fn plain(&self, index: u64) -> Option<T> {
        if self.initialised.is_some() { None } else { self.dense.get(index as usize).copied() }
    }
    /// Writes a cell, if the array is plain (A2).
    #[inline]
    pub(crate) fn plain_mut(&mut self, index: u64) -> Option<&mut T> {
        if self.initialised.is_some() { None } else { self.dense.get_mut(index as usize) }
    }
    /// The value of a cell.
    pub(crate) fn get(&self, index: u64) -> Result<T, Miss> {
        if index >= self.length {
            return Err(Miss::OutOfBounds);
        }
        let at = index as usize;
        if self.pages.is_empty() {
            return match &self.initialised {
                Some(map) if !map.contains(at) => Err(Miss::Uninitialised),
                Some(_) | None => Ok(self.dense[at]),
            };
        }
        match &self.pages[at / PAGE] {
            Some(page) if page.initialised.contains(at % PAGE) => Ok(page.cells[at % PAGE]),
            None if self.fresh == InitKind::Zero => Ok(T::default()),
            Some(_) | None => Err(Miss::Uninitialised),
        }
    }
    fn page(&mut self, at: usize, made: &mut u64) -> &mut Page<T> {
        let fresh = self.fresh;
        self.pages[at / PAGE].get_or_insert_with(|| {
            *made += Self::page_footprint();
            let mut initialised = Bitmap::empty(PAGE);
            if fresh == InitKind::Zero {
                initialised.insert_range(0, PAGE);
            }
            Box::new(Page { cells: vec![T::default(); PAGE].into_boxed_slice(), initialised })
        })
    }
    /// Writes a cell. Returns the memory that this took.
    pub(crate) fn set(&mut self, index: u64, value: T) -> Result<u64, Miss> {
        if index >= self.length {
            return Err(Miss::OutOfBounds);
        }
        let (at, mut made) = (index as usize, 0);
        if self.pages.is_empty() {
            self.dense[at] = value;
            if let Some(map) = &mut self.initialised {
                map.insert(at);
                if map.is_full() {
                    self.initialised = None;
                }
            }
        } else {
            let page = self.page(at, &mut made);
            page.cells[at % PAGE] = value;
            page.initialised.insert(at % PAGE);
        }
        Ok(made)
    }
    /// Takes the value of a cell away. Returns the memory that this took.
    pub(crate) fn forget(&mut self, index: u64) -> Result<u64, Miss> {
        if index >= self.length {
            return Err(Miss::OutOfBounds);
        }
        let (at, mut made) = (index as usize, 0);
        if self.pages.is_empty() {
            let length = self.dense.len();
            let map = self.initialised.get_or_insert_with(|| {
                let mut map = Bitmap::empty(length);
                map.insert_range(0, length);
                map
            });
            map.remove(at);
        } else {
            self.page(at, &mut made).initialised.remove(at % PAGE);
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_short_arrays_behave_alike() {
        for length in [10, DENSE_LIMIT + 10] {
            let mut array = Array::<u64>::default();
            array.reset(length, InitKind::Uninitialised);
            assert_eq!(array.get(3), Err(Miss::Uninitialised));
            assert_eq!(array.get(length), Err(Miss::OutOfBounds));
            assert_eq!(array.set(length, 1), Err(Miss::OutOfBounds));
            assert!(array.set(length - 1, 7).is_ok());
            assert_eq!(array.get(length - 1), Ok(7));
            array.reset(length, InitKind::Zero);
            assert_eq!(array.get(length - 1), Ok(0));
            assert!(array.forget(4).is_ok());
            assert_eq!((array.get(4), array.get(5)), (Err(Miss::Uninitialised), Ok(0)));
            assert!(array.taken() < 4 << 20);
        }
    }

    #[test]
    fn writing_every_cell_makes_access_plain() {
        let mut array = Array::<u128>::default();
        array.reset(2, InitKind::Uninitialised);
        assert!(array.set(0, 1).is_ok());
        assert_eq!(array.plain(0), None);
        assert!(array.set(1, 2).is_ok());
        assert_eq!(array.plain(1), Some(2));
        assert_eq!(array.plain(2), None);
    }
}
