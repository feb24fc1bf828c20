//! Substitution of a fraction for an integer symbol.
//!
//! Where `n/a` is known to be an integer, it can take the place of a symbol without division: each integer subterm
//! `t` that mentions the symbol is represented by `a·t`, and atoms are scaled to match. Quantifier elimination uses
//! this to substitute bounds such as `(x + 1)/2`.

use rustc_hash::FxHashMap;

use crate::{Integer, Linear, Node, Sort, Substitution, SymbolId, TermId, Terms};

/// The number `numerator / denominator`, where the denominator is positive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// What is divided.
    pub numerator: Linear,
    /// The divisor, above zero.
    pub denominator: Integer,
}

impl Fraction {
    /// A sum as a fraction.
    pub fn whole(numerator: Linear) -> Self {
        Self { numerator, denominator: Integer::ONE }
    }
}

impl Terms {
    /// The formula with `value` in the place of `symbol`, equivalent wherever `value` is an integer. Nothing if the
    /// symbol occurs inside of a product, an array access or a bit-vector, and the value is a proper fraction.
    pub fn substitute_fraction(
        &mut self,
        formula: TermId,
        symbol: SymbolId,
        value: &Fraction,
    ) -> Option<TermId> {
        let numerator = self.of_linear(&value.numerator);
        if value.denominator.is_one() {
            return Some(Substitution::new([(symbol, numerator)]).apply(self, formula));
        }
        let mut scaled =
            Scaled { symbol, numerator, denominator: &value.denominator, images: FxHashMap::default() };
        for term in self.reachable(&[formula]) {
            if scaled.mentions(self, term) {
                let image = scaled.image(self, term)?;
                scaled.images.insert(term, image);
            }
        }
        Some(scaled.plain(formula))
    }
}

struct Scaled<'a> {
    symbol: SymbolId,
    numerator: TermId,
    denominator: &'a Integer,
    /// For each term that mentions the symbol: if boolean, its image; if an integer, its image times the denominator.
    images: FxHashMap<TermId, TermId>,
}

impl Scaled<'_> {
    fn mentions(&self, terms: &Terms, term: TermId) -> bool {
        let mut found = matches!(terms.node(term), Node::Symbol(symbol) if *symbol == self.symbol);
        terms.node(term).for_each_child(|child| found |= self.images.contains_key(&child));
        found
    }

    fn plain(&self, term: TermId) -> TermId {
        self.images.get(&term).copied().unwrap_or(term)
    }

    fn scaled(&self, terms: &mut Terms, term: TermId) -> TermId {
        match self.images.get(&term) {
            Some(image) => *image,
            None => terms.scale(self.denominator, term),
        }
    }

    fn scaled_form(&self, terms: &mut Terms, term: TermId) -> Linear {
        let scaled = self.scaled(terms, term);
        terms.linear(scaled)
    }

    fn image(&self, terms: &mut Terms, term: TermId) -> Option<TermId> {
        Some(match terms.node(term).clone() {
            Node::Symbol(_) => self.numerator,
            Node::Not(a) => terms.not(self.plain(a)),
            Node::And(items) => terms.and(items.iter().map(|item| self.plain(*item))),
            Node::Or(items) => terms.or(items.iter().map(|item| self.plain(*item))),
            Node::Le(a) => {
                let form = self.scaled_form(terms, a);
                terms.le_zero(&form)
            }
            Node::Zero(a) => {
                let form = self.scaled_form(terms, a);
                terms.eq_zero(&form)
            }
            Node::Divides(divisor, a) => {
                let scaled = self.scaled(terms, a);
                terms.divides(&(divisor * self.denominator), scaled)
            }
            Node::Linear(form) => self.image_of_sum(terms, &form),
            Node::Div(a, divisor) => {
                let scaled = self.scaled(terms, a);
                let quotient = terms.div(scaled, &(divisor * self.denominator));
                terms.scale(self.denominator, quotient)
            }
            Node::Mod(a, divisor) => {
                let scaled = self.scaled(terms, a);
                terms.modulo(scaled, &(divisor * self.denominator))
            }
            Node::Ite(condition, yes, no) => match terms.sort(term) {
                Sort::Bool => terms.ite(self.plain(condition), self.plain(yes), self.plain(no)),
                Sort::Int => {
                    let (yes, no) = (self.scaled(terms, yes), self.scaled(terms, no));
                    terms.ite(self.plain(condition), yes, no)
                }
                Sort::Array | Sort::BitVec(_) | Sort::BitArray(_) => return None,
            },
            Node::Same(..) | Node::Product(_) | Node::Select(..) | Node::Store(..) => return None,
            Node::ConstArray(_) | Node::Bv(..) => return None,
            Node::True | Node::False | Node::Number(_) | Node::BvNumber(..) => term,
        })
    }

    fn image_of_sum(&self, terms: &mut Terms, form: &Linear) -> TermId {
        let (mut products, mut constant) = (Vec::new(), form.constant_part() * self.denominator);
        for (child, coefficient) in form.terms() {
            let scaled = self.scaled_form(terms, *child);
            constant += &(scaled.constant_part() * coefficient);
            products.extend(scaled.terms().iter().map(|(term, factor)| (*term, factor * coefficient)));
        }
        terms.of_linear(&Linear::collect(products, constant))
    }
}
