//! Constructors of array terms.

use crate::{Node, Sort, TermId, Terms};

impl Terms {
    /// The element of an array at an index. Elements stored at indices that surely differ are passed over.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        self.assert_array(array);
        assert_eq!(self.sort(index), Sort::Int, "an index should be an integer");
        let mut array = array;
        loop {
            match *self.node(array) {
                Node::Store(_, at, value) if at == index => return value,
                Node::Store(before, at, _) if self.surely_differ(at, index) => array = before,
                Node::ConstArray(value) => return value,
                _ => return self.intern(Node::Select(array, index), Sort::Int),
            }
        }
    }

    /// The array with another element at an index.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        self.assert_array(array);
        assert_eq!(
            [self.sort(index), self.sort(value)],
            [Sort::Int; 2],
            "index and element should be integers"
        );
        if self.find(&Node::Select(array, index)) == Some(value) {
            return array;
        }
        let array = match *self.node(array) {
            Node::Store(before, at, _) if at == index => before,
            _ => array,
        };
        self.intern(Node::Store(array, index, value), Sort::Array)
    }

    /// The array with one element everywhere.
    pub fn const_array(&mut self, value: TermId) -> TermId {
        assert_eq!(self.sort(value), Sort::Int, "an element should be an integer");
        self.intern(Node::ConstArray(value), Sort::Array)
    }

    fn assert_array(&self, array: TermId) {
        assert_eq!(self.sort(array), Sort::Array, "an access should be to an array");
    }

    fn surely_differ(&self, a: TermId, b: TermId) -> bool {
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
