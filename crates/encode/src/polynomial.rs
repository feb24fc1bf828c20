//! Products as terms: symbols for products of variables and the products that they stand for.
//!
//! Formulas of engines are linear, with symbols for products ([`crate::product`]). Facts about all elements of an array speak of an index that is no variable, so there are no symbols for its products: they are terms. Such a
//! fact becomes linear again where the index is a variable.
//!
//! # Meaning
//! A symbol for a product has the value of the product (M1 of [`crate::product`]); equal factors have equal products; a square is odd where its root is. [`product_links`] states nothing else.

use cfa::VarId;
use term::{Integer, Node, Substitution, SymbolId, TermId, Terms};

use crate::vocabulary::Vocabulary;

/// Products beyond this number are not compared with each other.
const MOST_PRODUCTS: usize = 12;
/// Products of more factors are not compared.
const MOST_FACTORS: usize = 3;

/// A term with products in the place of their symbols.
pub fn with_products(terms: &mut Terms, vocabulary: &Vocabulary, term: TermId) -> TermId {
    let mut pairs = Vec::new();
    for symbol in terms.symbols_of(term) {
        let Some(factors) = factor_symbols(vocabulary, symbol) else { continue };
        let mut product = terms.int(1);
        for factor in factors {
            let factor = terms.of_symbol(factor);
            product = terms.mul(product, factor);
        }
        pairs.push((symbol, product));
    }
    Substitution::new(pairs).apply(terms, term)
}

/// A term with symbols in the place of products of variables, as far as they have one.
pub fn with_symbols(terms: &mut Terms, vocabulary: &Vocabulary, term: TermId) -> TermId {
    terms.rewrite(term, |terms, part| match symbol_of(terms, vocabulary, part) {
        Some(symbol) => terms.of_symbol(symbol),
        None => part,
    })
}

/// Whether a term multiplies others.
pub fn has_product(terms: &Terms, term: TermId) -> bool {
    terms.reachable(&[term]).iter().any(|part| matches!(terms.node(*part), Node::Product(_)))
}

/// What is known of the products in some terms: those with a symbol are equal to it, and equal factors have equal products; where the terms divide, whether squares are odd. Nothing if there are none.
pub fn product_links(terms: &mut Terms, vocabulary: &Vocabulary, roots: &[TermId]) -> TermId {
    let mut products: Vec<(TermId, Vec<TermId>)> = Vec::new();
    let mut links = Vec::new();
    let mut divides = false;
    for part in terms.reachable(roots) {
        divides |= matches!(terms.node(part), Node::Div(..));
        let Node::Product(factors) = terms.node(part) else { continue };
        let factors = factors.to_vec();
        if let Some(symbol) = symbol_of(terms, vocabulary, part) {
            let symbol = terms.of_symbol(symbol);
            links.push(terms.eq(part, symbol));
        }
        products.push((part, factors));
    }
    if products.is_empty() {
        return Terms::TRUE;
    }
    for symbol in terms.symbols_of_all(roots) {
        let Some(factors) = factor_symbols(vocabulary, symbol) else { continue };
        let factors = factors.into_iter().map(|factor| terms.of_symbol(factor)).collect();
        products.push((terms.of_symbol(symbol), factors));
    }
    products.truncate(MOST_PRODUCTS);
    if divides {
        for (product, factors) in &products {
            if let [root, other] = factors[..]
                && root == other
            {
                let difference = terms.sub(*product, root);
                links.push(terms.divides(&Integer::from(2), difference));
            }
        }
    }
    for (at, (one, factors)) in products.iter().enumerate() {
        for (other, others) in &products[at + 1..] {
            if factors.len() != others.len() || factors.len() > MOST_FACTORS || one == other {
                continue;
            }
            let same = terms.eq(*one, *other);
            for order in orders(others) {
                let pairs: Vec<TermId> =
                    factors.iter().zip(&order).map(|(left, right)| terms.eq(*left, *right)).collect();
                let equal = terms.and(pairs);
                links.push(terms.implies(equal, same));
            }
        }
    }
    terms.and(links)
}

/// The symbols of the factors of the product that a symbol stands for.
fn factor_symbols(vocabulary: &Vocabulary, symbol: SymbolId) -> Option<Vec<SymbolId>> {
    vocabulary.factors(symbol)?.iter().map(|factor| vocabulary.symbol(*factor)).collect()
}

/// The symbol of a product of variables.
fn symbol_of(terms: &Terms, vocabulary: &Vocabulary, term: TermId) -> Option<SymbolId> {
    let Node::Product(factors) = terms.node(term) else { return None };
    let mut vars: Vec<VarId> = Vec::with_capacity(factors.len());
    for factor in factors {
        let Node::Symbol(symbol) = *terms.node(*factor) else { return None };
        vars.push(vocabulary.var(symbol)?);
    }
    vars.sort_unstable();
    vocabulary.product(&vars)
}

/// The orders of a short list, each once.
fn orders(items: &[TermId]) -> Vec<Vec<TermId>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let mut found: Vec<Vec<TermId>> = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut with = order.clone();
            with.insert(at, *first);
            if !found.contains(&with) {
                found.push(with);
            }
        }
    }
    found
}
