//! Constructors of array terms: maps from integers to integers, and from bit-vectors to bit-vectors.

use crate::{Node, Sort, TermId, Terms};

/// The width of the indices of arrays of bit-vectors.
pub const INDEX_WIDTH: u32 = 128;

impl Terms {
    /// The element of an array at an index. Elements stored at indices that surely differ are passed over.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let (index_sort, element_sort) = self.parts_of_array(array);
        assert_eq!(self.sort(index), index_sort, "an index should have the array's sort of indices");
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::Store(_, at, value) if at == index => return value,
                Node::Store(before, at, _) if self.surely_differ(at, index) => array = before,
                Node::ConstArray(value) => return value,
                _ => return self.intern(Node::Select(array, index), element_sort),
            }
        }
    }

    /// The array with another element at an index.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let (index_sort, element_sort) = self.parts_of_array(array);
        assert_eq!(
            [self.sort(index), self.sort(value)],
            [index_sort, element_sort],
            "index and element should have the array's sorts"
        );
        let sort = self.sort(array);
        if self.find(&Node::Select(array, index)) == Some(value) {
            return array;
        }
        let array = match *self.node(array) {
            Node::Store(before, at, _) if at == index => before,
            _ => array,
        };
        self.intern(Node::Store(array, index, value), sort)
    }

    /// The array with one element everywhere.
    pub fn const_array(&mut self, value: TermId) -> TermId {
        let sort = match self.sort(value) {
            Sort::Int => Sort::Array,
            Sort::BitVec(width) => Sort::BitArray(width),
            other => panic!("an element should not be of sort {other:?}"),
        };
        self.intern(Node::ConstArray(value), sort)
    }

    /// The sorts of the indices and of the elements of an array.
    fn parts_of_array(&self, array: TermId) -> (Sort, Sort) {
        match self.sort(array) {
            Sort::Array => (Sort::Int, Sort::Int),
            Sort::BitArray(width) => (Sort::BitVec(INDEX_WIDTH), Sort::BitVec(width)),
            other => panic!("an access should not be to a term of sort {other:?}"),
        }
    }

    fn surely_differ(&self, a: TermId, b: TermId) -> bool {
        if let Sort::BitVec(_) = self.sort(a) {
            return a != b
                && matches!((self.node(a), self.node(b)), (Node::BvNumber(..), Node::BvNumber(..)));
        }
        self.linear(a).sub(&self.linear(b)).as_constant().is_some_and(|difference| !difference.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;

    #[test]
    fn elements_are_read_through_stores() {
        let mut terms = Terms::new();
        let array = terms.constant("a", Sort::Array, SymbolKind::Variable);
        let i = terms.constant("i", Sort::Int, SymbolKind::Variable);
        let (one, seven) = (terms.int(1), terms.int(7));
        let next = terms.add(i, one);
        let stored = terms.store(array, i, seven);
        assert_eq!(terms.select(stored, i), seven);
        assert_eq!(terms.select(stored, next), terms.select(array, next));
        let j = terms.constant("j", Sort::Int, SymbolKind::Variable);
        let unknown = terms.select(stored, j);
        assert!(matches!(terms.node(unknown), Node::Select(from, _) if *from == stored));
        let same = terms.select(array, i);
        assert_eq!(terms.store(array, i, same), array);
        let zeros = terms.const_array(one);
        assert_eq!(terms.select(zeros, j), one);
    }
}
