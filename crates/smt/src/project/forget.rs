//! The cheapest projection: literals that mention the symbols are dropped.

use rustc_hash::FxHashSet;
use term::{Node, Sort, SymbolId, TermId, Terms};

/// A formula without the symbols that `∃ symbols. formula` implies: every literal that mentions one is dropped.
pub fn forget(terms: &mut Terms, formula: TermId, symbols: &[SymbolId]) -> TermId {
    let normal = terms.nnf(formula);
    let mentioning = mentioning(terms, normal, symbols);
    let drop = |_: &mut Terms, literal| if mentioning.contains(&literal) { Terms::TRUE } else { literal };
    let weaker = terms.map_literals(normal, drop);
    terms.tidy(weaker)
}

/// All terms below `formula` that mention one of the symbols.
fn mentioning(terms: &Terms, formula: TermId, symbols: &[SymbolId]) -> FxHashSet<TermId> {
    let symbols: FxHashSet<SymbolId> = symbols.iter().copied().collect();
    let mut found = FxHashSet::default();
    for term in terms.reachable(&[formula]) {
        let mut mentions = matches!(terms.node(term), Node::Symbol(symbol) if symbols.contains(symbol));
        terms.node(term).for_each_child(|child| mentions |= found.contains(&child));
        if mentions {
            found.insert(term);
        }
    }
    debug_assert_eq!(terms.sort(formula), Sort::Bool);
    found
}
