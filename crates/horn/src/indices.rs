//! The indices at which statements about all elements are used.
//!
//! # Paper
//! Bradley, Manna, Sipma: *What's decidable about arrays?* (VMCAI 2006): in the array property fragment the indices that are read, with one at which
//! different arrays differ, are enough. Outside of the fragment they are a choice like others: a statement that is used at fewer indices says less.

use term::{Node, Sort, SymbolKind, TermId, Terms};

/// Which accesses count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accesses {
    /// Elements that are read.
    Reads,
    /// And elements that are stored to.
    All,
}

/// The indices of accesses in terms, ascending.
pub(crate) fn indices(terms: &Terms, roots: &[TermId], accesses: Accesses) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    for term in terms.reachable(roots) {
        match *terms.node(term) {
            Node::Select(_, index) => found.push(index),
            Node::Store(_, index, _) if accesses == Accesses::All => found.push(index),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// For each comparison of arrays in the terms: a new index, and that the arrays are equal or differ there. That holds for some value of the index.
pub(crate) fn differences(terms: &mut Terms, roots: &[TermId]) -> Vec<(TermId, TermId)> {
    let compared: Vec<(TermId, TermId, TermId)> = terms
        .reachable(roots)
        .into_iter()
        .filter_map(|term| match *terms.node(term) {
            Node::Same(a, b) if terms.sort(a) == Sort::Array => Some((term, a, b)),
            _ => None,
        })
        .collect();
    let difference = |(same, a, b): (TermId, TermId, TermId)| {
        let index = terms.constant("difference", Sort::Int, SymbolKind::Skolem);
        let (left, right) = (terms.select(a, index), terms.select(b, index));
        let differ = terms.ne(left, right);
        (index, terms.or([same, differ]))
    };
    compared.into_iter().map(difference).collect()
}

/// All tuples of a length, at most so many; those with early terms come first.
pub(crate) fn tuples(items: &[TermId], length: usize, limit: usize) -> Vec<Vec<TermId>> {
    let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in 0..length {
        let longer = tuples.iter().flat_map(|tuple| {
            items.iter().map(|item| tuple.iter().copied().chain([*item]).collect::<Vec<TermId>>())
        });
        tuples = longer.take(limit).collect();
    }
    tuples
}
