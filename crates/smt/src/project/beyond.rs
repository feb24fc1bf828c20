//! What a formula says about values of a symbol beyond all its bounds.
//!
//! # Paper
//! [Recmc14] appendix G, equation (10), there for values below all bounds.

use term::{Integer, Node, Substitution, SymbolId, TermId, Terms};

use super::choose::Direction;

/// A formula without `symbol` that holds exactly if `formula` holds for all values that are far enough in `direction`
/// and leave the rest of `residue` for every divisor. Nothing if the symbol occurs elsewhere than in linear atoms.
pub(super) fn beyond(
    terms: &mut Terms,
    formula: TermId,
    symbol: SymbolId,
    direction: Direction,
    residue: &Integer,
) -> Option<TermId> {
    let variable = terms.of_symbol(symbol);
    let value = terms.number(residue.clone());
    let mut residues = Substitution::new([(symbol, value)]);
    let mut is_linear = true;
    let normal = terms.nnf(formula);
    let limit = terms.map_literals(normal, |terms, literal| {
        let (atom, is_positive) = match terms.node(literal) {
            Node::Not(atom) => (*atom, false),
            _ => (literal, true),
        };
        let (Node::Le(sum) | Node::Zero(sum) | Node::Divides(_, sum)) = *terms.node(atom) else {
            is_linear &= !terms.mentions(atom, &[symbol]);
            return literal;
        };
        let form = terms.linear(sum);
        let coefficient = form.coefficient(variable);
        let rest = form.without(variable);
        is_linear &= !rest.terms().iter().any(|(term, _)| terms.mentions(*term, &[symbol]));
        if coefficient.is_zero() {
            return literal;
        }
        match terms.node(atom) {
            Node::Le(_) => terms.bool(coefficient.is_positive() == (direction == Direction::Down)),
            Node::Zero(_) => terms.bool(!is_positive),
            _ => residues.apply(terms, literal),
        }
    });
    is_linear.then_some(limit)
}
