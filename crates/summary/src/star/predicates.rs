//! The conditions of a loop body: candidates for what splits it into phases, and for what its iterations preserve.
//!
//! # Cost
//! Quadratic in the number of conditions, linear in the number of terms otherwise. No question.

use term::{Integer, Node, SymbolKind, TermId, Terms};

use encode::Transition;

/// Among more equations than this none is taken apart.
const MAX_EQUATIONS: usize = 3;

/// That a sum is below zero, and that it is above.
pub(super) fn sides(terms: &mut Terms, sum: TermId) -> [TermId; 2] {
    let form = terms.linear(sum);
    let (below, above) = (form.add_constant(&Integer::ONE), form.negate().add_constant(&Integer::ONE));
    [terms.le_zero(&below), terms.le_zero(&above)]
}

/// The conditions in a formula over variables only, ascending, one of each pair of complements. An equation that holds in passing is
/// monotone on neither side, but its sum being below or above zero may be; that is tried where there are few equations.
pub(super) fn predicates(terms: &mut Terms, formula: &Transition) -> Vec<TermId> {
    let roots: Vec<TermId> = formula.update.values().copied().chain([formula.guard]).collect();
    let mut found: Vec<TermId> = Vec::new();
    for term in terms.reachable(&roots) {
        let is_atom = matches!(terms.node(term), Node::Le(_) | Node::Zero(_) | Node::Divides(..));
        if !is_atom {
            continue;
        }
        let symbols = terms.symbols_of(term);
        if symbols.iter().any(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable) {
            continue;
        }
        if !symbols.iter().any(|symbol| formula.update.contains_key(symbol)) {
            continue;
        }
        let negation = terms.not(term);
        if !found.contains(&negation) {
            found.push(term);
        }
    }
    let is_equation = |term: &&TermId| matches!(terms.node(**term), Node::Zero(_));
    let equations: Vec<TermId> = found.iter().filter(is_equation).copied().collect();
    if equations.len() <= MAX_EQUATIONS {
        for equation in equations {
            let Node::Zero(sum) = *terms.node(equation) else { continue };
            for side in sides(terms, sum) {
                let negation = terms.not(side);
                if !found.contains(&side) && !found.contains(&negation) {
                    found.push(side);
                }
            }
        }
    }
    found
}
