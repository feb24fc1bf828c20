//! Quotients, remainders and conditional terms that mention symbols to be eliminated get names, which are then eliminated too.
//!
//! `u div d` is the only `q` with `0 ≤ u - d·q < d`, and `u mod d` is then `u - d·q`. A choice is the only `v` that is
//! the one or the other as its condition says. So the formula is equivalent to one with these names, quantified
//! existentially, whatever the polarity of their occurrences. What is left is linear. Without this, substitution nests
//! quotients in quotients, with ever larger divisors.

use rustc_hash::FxHashMap;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

/// The formula with names; the names are added to `symbols`, which stay ascending.
pub(super) fn name_terms(terms: &mut Terms, formula: TermId, symbols: &mut Vec<SymbolId>) -> TermId {
    let mut naming = Naming { symbols, quotients: FxHashMap::default(), definitions: Vec::new() };
    let named = terms.rewrite(formula, |terms, term| naming.image(terms, term));
    let Naming { mut definitions, .. } = naming;
    definitions.push(named);
    let all = terms.and(definitions);
    terms.nnf(all)
}

struct Naming<'a> {
    symbols: &'a mut Vec<SymbolId>,
    quotients: FxHashMap<(TermId, Integer), TermId>,
    definitions: Vec<TermId>,
}

impl Naming<'_> {
    fn image(&mut self, terms: &mut Terms, term: TermId) -> TermId {
        match terms.node(term) {
            Node::Div(dividend, divisor) if terms.mentions(*dividend, self.symbols) => {
                let (dividend, divisor) = (*dividend, divisor.clone());
                self.quotient(terms, dividend, &divisor)
            }
            Node::Mod(dividend, divisor) if terms.mentions(*dividend, self.symbols) => {
                let (dividend, divisor) = (*dividend, divisor.clone());
                let quotient = self.quotient(terms, dividend, &divisor);
                let rest = rest(terms, dividend, &divisor, quotient);
                terms.of_linear(&rest)
            }
            Node::Ite(condition, yes, no)
                if terms.sort(term) == Sort::Int && terms.mentions(term, self.symbols) =>
            {
                let (condition, yes, no) = (*condition, *yes, *no);
                let name = self.fresh(terms, "v");
                let (is_yes, is_no) = (terms.eq(name, yes), terms.eq(name, no));
                let definition = terms.ite(condition, is_yes, is_no);
                self.definitions.push(definition);
                name
            }
            _ => term,
        }
    }

    fn fresh(&mut self, terms: &mut Terms, prefix: &str) -> TermId {
        let symbol = terms.fresh(prefix, Sort::Int, SymbolKind::Auxiliary);
        // Fresh symbols have the greatest id, so the order is kept.
        self.symbols.push(symbol);
        terms.of_symbol(symbol)
    }

    fn quotient(&mut self, terms: &mut Terms, dividend: TermId, divisor: &Integer) -> TermId {
        if let Some(known) = self.quotients.get(&(dividend, divisor.clone())) {
            return *known;
        }
        let name = self.fresh(terms, "q");
        self.quotients.insert((dividend, divisor.clone()), name);
        let rest = rest(terms, dividend, divisor, name);
        let most = divisor - Integer::ONE;
        let at_least = terms.le_zero(&rest.negate());
        let at_most = terms.le_zero(&rest.add_constant(&-most));
        self.definitions.extend([at_least, at_most]);
        name
    }
}

fn rest(terms: &Terms, dividend: TermId, divisor: &Integer, quotient: TermId) -> Linear {
    terms.linear(dividend).add_scaled(&Linear::monomial(quotient, 1), &-divisor)
}
