//! Products of variables as symbols of their own.
//!
//! Formulas are linear. A product of variables that matters to the program, `x·y`, is therefore a symbol, which stands for the exact product of
//! the mathematical integers: wherever the variables change, so does it. If `x` grows by one, `x·y` grows by `y`: the change of a product
//! is linear again as long as all products that occur in it are symbols, too ([`crate::analysis::monomials`] chooses them with that in
//! mind). So everything that is known about linear programs (summaries, interpolants, invariants) holds for polynomials, and `b = i·a`
//! is an invariant like any other.
//!
//! # Meaning
//! A symbol for a product has, at every location, the value that the variables have multiplied. What is said of it in the guard of a piece is a
//! consequence of that.
//!
//! # Invariants
//! * M1: a product that cannot be expressed is an arbitrary integer: rounded up.
//! * M2: the value of a product at the end of a piece depends on the variables' values at its end alone, so the order of operations does not
//!   matter.

use cfa::VarId;
use rustc_hash::FxHashMap;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

use crate::encoder::{Encoder, Skolem, SkolemSource, Symbolic};

/// Cases of conditional values beyond this number are not multiplied out.
const MOST_STEPS: u32 = 400;

impl Encoder<'_> {
    /// The exact product of two terms over the values at the start; `None` if it has a part that no symbol stands for.
    pub(crate) fn multiply(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        Multiplication { encoder: self, known: FxHashMap::default(), steps: 0 }.terms(left, right)
    }

    /// The products that may have changed, at the end of a piece.
    pub(crate) fn products(&mut self, symbolic: &Symbolic) -> Vec<(SymbolId, TermId)> {
        let changed: Vec<(SymbolId, Vec<VarId>)> = self
            .vocabulary
            .products()
            .filter(|(_, factors)| factors.iter().any(|factor| symbolic.values.contains_key(factor)))
            .map(|(symbol, factors)| (symbol, factors.to_vec()))
            .collect();
        let mut values = Vec::with_capacity(changed.len());
        for (symbol, factors) in changed {
            let mut product = Some(self.terms.int(1));
            for factor in factors {
                let factor = self.variable(symbolic, factor);
                product = product.and_then(|product| self.multiply(product, factor));
            }
            let value = product.unwrap_or_else(|| self.unknown_product());
            values.push((symbol, value));
        }
        values
    }

    /// Where the error is reached, the products that the way there tests are compared with each other, and so are those that are followed for this.
    pub(crate) fn compare_products(&mut self, symbolic: &mut Symbolic, changed: &[(SymbolId, TermId)]) {
        let mut pairs = Vec::new();
        for symbol in self.terms.symbols_of(symbolic.guard) {
            if let Some(&[left, right]) = self.vocabulary.factors(symbol) {
                pairs.push((symbol, left, right, false));
            }
        }
        for (symbol, factors) in self.vocabulary.compared() {
            if let [left, right] = *factors {
                pairs.push((symbol, left, right, true));
            }
        }
        let start = Symbolic::new();
        let mut products: Vec<Product> = Vec::with_capacity(pairs.len());
        for (symbol, left, right, is_at_end) in pairs {
            let at = if is_at_end { &*symbolic } else { &start };
            let new = changed.iter().find(|(other, _)| is_at_end && *other == symbol);
            let value = new.map_or_else(|| self.terms.of_symbol(symbol), |(_, value)| *value);
            let (left, right) = (self.variable(at, left), self.variable(at, right));
            let product = Product { left, right, value };
            if !products.contains(&product) {
                products.push(product);
            }
        }
        for (at, one) in products.iter().enumerate() {
            for other in &products[at + 1..] {
                let fact = one.compared(other, self.terms);
                self.require(symbolic, fact);
            }
        }
    }

    /// M1.
    fn unknown_product(&mut self) -> TermId {
        let symbol = self.terms.fresh("product", Sort::Int, SymbolKind::Skolem);
        let source = SkolemSource::Approximation("product of variables".into());
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, source });
        self.terms.of_symbol(symbol)
    }
}

struct Multiplication<'m, 'e> {
    encoder: &'m mut Encoder<'e>,
    known: FxHashMap<(TermId, TermId), TermId>,
    steps: u32,
}

impl Multiplication<'_, '_> {
    /// Sums are multiplied out.
    fn terms(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        let (left, right) = (left.min(right), left.max(right));
        if let Some(known) = self.known.get(&(left, right)) {
            return Some(*known);
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        let (a, b) = (self.encoder.terms.linear(left), self.encoder.terms.linear(right));
        let mut sum = Linear::constant(a.constant_part() * b.constant_part());
        sum = sum.add_scaled(&a.with_constant(Integer::ZERO), b.constant_part());
        sum = sum.add_scaled(&b.with_constant(Integer::ZERO), a.constant_part());
        for (one, factor) in a.terms() {
            for (other, scale) in b.terms() {
                let product = self.atoms(*one, *other)?;
                let product = self.encoder.terms.linear(product);
                sum = sum.add_scaled(&product, &(factor * scale));
            }
        }
        let product = self.encoder.terms.of_linear(&sum);
        self.known.insert((left, right), product);
        Some(product)
    }

    /// Conditional values are multiplied case by case.
    fn atoms(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        for (one, other) in [(left, right), (right, left)] {
            if let Node::Ite(condition, then, otherwise) = *self.encoder.terms.node(one) {
                let then = self.terms(then, other)?;
                let otherwise = self.terms(otherwise, other)?;
                return Some(self.encoder.terms.ite(condition, then, otherwise));
            }
        }
        let mut factors = self.factors(left)?;
        factors.extend(self.factors(right)?);
        factors.sort_unstable();
        let symbol = self.encoder.vocabulary.product(&factors)?;
        Some(self.encoder.terms.of_symbol(symbol))
    }

    /// The variables that a symbol stands for.
    fn factors(&self, atom: TermId) -> Option<Vec<VarId>> {
        let Node::Symbol(symbol) = *self.encoder.terms.node(atom) else { return None };
        let vocabulary = &self.encoder.vocabulary;
        vocabulary
            .var(symbol)
            .map(|var| vec![var])
            .or_else(|| vocabulary.factors(symbol).map(<[VarId]>::to_vec))
    }
}

/// A product of two values.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Product {
    left: TermId,
    right: TermId,
    value: TermId,
}

impl Product {
    /// What is known of two products. With a common factor, the one with the larger other factor is larger by at least the common factor; products of
    /// equal factors are equal.
    fn compared(&self, other: &Self, terms: &mut Terms) -> TermId {
        let Self { left: a, right: b, .. } = *self;
        let Self { left: c, right: d, .. } = *other;
        let ways = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
        if let Some((common, x, _, y)) = ways.into_iter().find(|(one, _, other, _)| one == other) {
            return monotone(terms, common, (x, self.value), (y, other.value));
        }
        let same = terms.eq(self.value, other.value);
        let mut facts = Vec::new();
        for (first, second) in [((a, c), (b, d)), ((a, d), (b, c))] {
            let equal = [terms.eq(first.0, first.1), terms.eq(second.0, second.1)];
            let equal = terms.and(equal);
            facts.push(terms.implies(equal, same));
        }
        terms.and(facts)
    }
}

/// `common >= 1` and `x > y` imply `common·x >= common·y + common`; and so on for the other order and sign; `x = y` implies that the products are equal.
fn monotone(
    terms: &mut Terms,
    common: TermId,
    (x, common_x): (TermId, TermId),
    (y, common_y): (TermId, TermId),
) -> TermId {
    let (one, minus) = (terms.int(1), terms.int(-1));
    let (positive, negative) = (terms.ge(common, one), terms.le(common, minus));
    let mut facts = Vec::new();
    for ((high, product_high), (low, product_low)) in
        [((x, common_x), (y, common_y)), ((y, common_y), (x, common_x))]
    {
        let above = terms.gt(high, low);
        let bound = terms.add(product_low, common);
        let (more, less) = (terms.ge(product_high, bound), terms.le(product_high, bound));
        for (sign, conclusion) in [(positive, more), (negative, less)] {
            let premise = terms.and([sign, above]);
            facts.push(terms.implies(premise, conclusion));
        }
    }
    let (same, equal) = (terms.eq(x, y), terms.eq(common_x, common_y));
    facts.push(terms.implies(same, equal));
    terms.and(facts)
}
