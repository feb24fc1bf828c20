//! Formulas as expressions of C that mean the same wherever they are evaluated.
//!
//! # Invariants
//! * E1: a comparison of one variable with a number, or of two variables of one type, is written as it is; in everything else
//!   variables are converted to `long long`, and it is written only if no sum can leave that type.
//! * E2: so evaluating the text is defined in every state that the facts of the place allow, and gives the truth value of the formula there. The
//!   tests of crates/explain/src/invariants/laws.rs compare the two by the front end and the interpreter.

use cfa::{Program, Ty, VarId};
use term::print::c_expression;
use term::{Integer, Linear, Node, SymbolId, TermId, Terms};
use values::state::State;

/// Longer expressions help nobody.
const MAX_LENGTH: usize = 400;
/// Neither do those with more parts.
const MAX_NODES: usize = 200;

/// Numbers of this size come from ranges of types, not from what a program counts.
const FAR: i64 = 1 << 31;

/// A formula in negation normal form without the cases that speak of numbers near the ends of types; stronger, if different.
pub(super) fn without_far_cases(terms: &mut Terms, formula: TermId) -> TermId {
    let far = |terms: &Terms, term: TermId| match terms.node(term) {
        Node::Le(sum) | Node::Zero(sum) => {
            let constant = terms.linear(*sum).constant_part().to_i64();
            constant.is_none_or(|constant| constant.unsigned_abs() >= FAR.unsigned_abs() - 1024)
        }
        _ => false,
    };
    terms.rewrite(formula, |terms, term| {
        let Node::Or(items) = terms.node(term) else { return term };
        let items = items.to_vec();
        let is_far = |item: &TermId| terms.conjuncts(*item).into_iter().any(|literal| far(terms, literal));
        let near: Vec<TermId> = items.iter().copied().filter(|item| !is_far(item)).collect();
        if near.is_empty() { term } else { terms.or(near) }
    })
}

/// What the symbols of formulas are called.
pub(crate) trait Words {
    /// The variables that a symbol is the product of, and their texts: one, if it is a variable; nothing if something of it has no name.
    fn factors(&self, symbol: SymbolId) -> Option<Vec<(VarId, String)>>;
}

/// How formulas over the variables of one place are written.
pub(crate) struct Expressions<'a, W> {
    pub(crate) program: &'a Program,
    /// What is known of the variables there.
    pub(crate) known: Option<&'a State>,
    pub(crate) words: W,
}

impl<W: Words> Expressions<'_, W> {
    /// The expression of a formula in negation normal form; nothing if there is none that is short and safe.
    pub(crate) fn text(&self, terms: &Terms, formula: TermId) -> Option<String> {
        // What follows recurses over the connectives of small formulas only.
        if terms.reachable(&[formula]).len() > MAX_NODES {
            return None;
        }
        self.connective(terms, formula).filter(|text| text.len() <= MAX_LENGTH)
    }

    fn connective(&self, terms: &Terms, formula: TermId) -> Option<String> {
        let (items, separator) = match terms.node(formula) {
            Node::And(items) => (items, " && "),
            Node::Or(items) => (items, " || "),
            _ => return self.atom(terms, formula),
        };
        let mut texts = Vec::new();
        for item in items {
            let text = self.connective(terms, *item)?;
            let is_connective = matches!(terms.node(*item), Node::And(_) | Node::Or(_));
            texts.push(if is_connective { format!("({text})") } else { text });
        }
        Some(texts.join(separator))
    }

    fn atom(&self, terms: &Terms, formula: TermId) -> Option<String> {
        let inner = match terms.node(formula) {
            Node::Not(inner) => *inner,
            _ => formula,
        };
        let is_simple = match terms.node(inner) {
            Node::True | Node::False => true,
            Node::Le(sum) | Node::Zero(sum) => {
                let form = terms.linear(*sum);
                // Of two variables, `x < y` needs no sum, but `x == y - 1` does.
                let is_strict = form.terms().len() == 2 && !form.constant_part().is_zero();
                let is_equation = matches!(terms.node(inner), Node::Zero(_));
                let is_simple = self.is_simple(terms, &form) && !(is_equation && is_strict);
                if !is_simple {
                    self.is_bounded(terms, &form)?;
                }
                is_simple
            }
            Node::Divides(_, sum) => {
                let form = terms.linear(*sum);
                let is_simple = match form.terms() {
                    [(term, factor)] => {
                        factor.is_one() && form.constant_part().is_zero() && self.ty(terms, *term).is_some()
                    }
                    _ => false,
                };
                if !is_simple {
                    self.is_bounded(terms, &form)?;
                }
                is_simple
            }
            _ => return None,
        };
        if terms.symbols_of(formula).iter().any(|symbol| self.words.factors(*symbol).is_none()) {
            return None;
        }
        let name = |symbol: SymbolId| {
            let mut text = String::new();
            let factors = self.words.factors(symbol).unwrap_or_default();
            for (position, (var, name)) in factors.into_iter().enumerate() {
                let is_first = position == 0;
                // The first conversion makes it a product of long long, unless a factor is unsigned and as wide.
                if !is_simple && (is_first || !self.fits_long_long(var)) {
                    text += if is_first { "(long long)" } else { " * (long long)" };
                } else if !is_first {
                    text += " * ";
                }
                text += &name;
            }
            text
        };
        c_expression(terms, formula, &name, MAX_LENGTH)
    }

    fn ty(&self, terms: &Terms, term: TermId) -> Option<Ty> {
        let Node::Symbol(symbol) = terms.node(term) else { return None };
        match self.words.factors(*symbol)?.as_slice() {
            [(var, _)] => self.program.vars[*var].scalar(),
            _ => None,
        }
    }

    /// E1, for comparisons with zero.
    fn is_simple(&self, terms: &Terms, form: &Linear) -> bool {
        let is_unit = |factor: &Integer| factor.abs().is_one();
        match form.terms() {
            [(term, factor)] if is_unit(factor) => {
                // An unsigned variable would turn a negative number into a large one.
                let constant =
                    if factor.is_negative() { form.constant_part().clone() } else { -form.constant_part() };
                self.ty(terms, *term).is_some_and(|ty| ty.is_signed() || !constant.is_negative())
            }
            [(left, first), (right, second)] if is_unit(first) && is_unit(second) => {
                let sides = first.is_negative() != second.is_negative();
                let constant = form.constant_part();
                let types = (self.ty(terms, *left), self.ty(terms, *right));
                sides && (constant.is_zero() || constant.is_one()) && types.0.is_some() && types.0 == types.1
            }
            _ => false,
        }
    }

    /// Whether a type has no values beyond `long long`.
    fn fits_long_long(&self, var: VarId) -> bool {
        let range = self.program.vars[var].scalar().and_then(Ty::range);
        range.is_some_and(|(_, high)| high <= i128::from(i64::MAX))
    }

    /// Whether no part of a sum can leave `long long`; nothing if it can, or is no sum of variables.
    fn is_bounded(&self, terms: &Terms, form: &Linear) -> Option<()> {
        let mut total = form.constant_part().to_i128()?.checked_abs()?;
        for (term, factor) in form.terms() {
            let Node::Symbol(symbol) = terms.node(*term) else { return None };
            let mut size = factor.to_i128()?.checked_abs()?;
            for (var, _) in self.words.factors(*symbol)? {
                // A factor that is zero does not keep the others small.
                size = size.checked_mul(self.size(var)?.max(1))?;
            }
            total = total.checked_add(size)?;
        }
        (total <= i128::from(i64::MAX)).then_some(())
    }

    /// The largest magnitude that a variable may have.
    fn size(&self, var: VarId) -> Option<i128> {
        let (mut low, mut high) = self.program.vars[var].scalar()?.range()?;
        if let Some(value) = self.known.and_then(|state| state.get(var)) {
            (low, high) = (low.max(value.low()), high.min(value.high()));
        }
        Some(low.checked_abs()?.max(high.checked_abs()?))
    }
}
