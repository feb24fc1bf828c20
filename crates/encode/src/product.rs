//! Products of variables as symbols of their own.
//!
//! Formulas are linear. A product of variables that matters to the program, `x·y`, is therefore a symbol, which stands for the exact product of
//! the mathematical integers: wherever the variables change, so does it. If `x` grows by one, `x·y` grows by `y`: the change of a product
//! is linear again as long as all products that occur in it have symbols, too ([`values::monomials`] chooses them with that in
//! mind). So everything that is known about linear programs (summaries, interpolants, invariants) holds for polynomials, and `b = i·a`
//! is an invariant like any other. Other products have a Skolem constant each, within one piece.
//!
//! # Paper
//! Courtois, Klimov, Patarin and Shamir, Efficient Algorithms for Solving Overdefined Systems of Multivariate Polynomial Equations,
//! EUROCRYPT 2000: equations are multiplied by variables, then products are taken for variables ([`Encoder::extend_equations`]).
//!
//! # Meaning
//! A symbol for a product has, at every location, the value that the variables have multiplied. What is said of it in the guard of a piece is a
//! consequence of that.
//!
//! # Invariants
//! * M1: the Skolem constant of a product is an arbitrary integer but for consequences of what it stands for: rounded up.
//! * M2: the value of a product at the end of a piece depends on the variables' values at its end alone, so the order of operations does not
//!   matter.

use std::collections::{BTreeMap, BTreeSet};

use cfa::VarId;
use rustc_hash::FxHashMap;
use term::{Integer, Linear, Node, Sort, SymbolId, SymbolKind, TermId, Terms};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Cases of conditional values beyond this number are not multiplied out.
const MOST_STEPS: u32 = 400;
/// Sums are not multiplied out if that has more parts than this.
const MOST_PARTS: usize = 36;
/// Products of more factors are not considered.
const MOST_FACTORS: usize = 6;
/// Rests of divisions by more than this are not treated case by case.
const MOST_RESTS: i64 = 4;
/// Equations of a piece beyond this number are not multiplied.
const MOST_EQUATIONS: usize = 16;

/// What is multiplied, ascending, perhaps not strictly: symbols of variables, and terms that are not sums.
type Factors = Vec<TermId>;

/// The products of a piece that have no symbol of their own.
#[derive(Debug, Default)]
pub(crate) struct Others {
    values: BTreeMap<Factors, (TermId, Vec<TermId>)>,
    factors: FxHashMap<TermId, Factors>,
}

impl Encoder<'_> {
    /// The exact product of two terms over the values at the start, and what is known of it; `None` if it has too many parts.
    pub(crate) fn multiply(&mut self, left: TermId, right: TermId) -> Option<(TermId, Vec<TermId>)> {
        let mut multiplication =
            Multiplication { encoder: self, known: FxHashMap::default(), steps: 0, facts: Vec::new() };
        let product = multiplication.terms(left, right)?;
        Some((product, multiplication.facts))
    }

    /// The products that may have changed, at the end of a piece. What is known of them is added to the guard.
    pub(crate) fn products(&mut self, transition: &mut Transition) -> Vec<(SymbolId, TermId)> {
        let changed: Vec<(SymbolId, Vec<VarId>)> = self
            .vocabulary
            .products()
            .filter(|(_, factors)| factors.iter().any(|factor| self.is_changed(transition, *factor)))
            .map(|(symbol, factors)| (symbol, factors.to_vec()))
            .collect();
        let mut values = Vec::with_capacity(changed.len());
        for (symbol, vars) in changed {
            let mut product = Some(self.terms.int(1));
            let factors: Vec<TermId> = vars.iter().map(|var| self.variable(transition, *var)).collect();
            for factor in factors.iter().copied() {
                let extended = product.and_then(|product| self.multiply(product, factor));
                product = extended.map(|(product, facts)| {
                    transition.guard = self.terms.and(facts.into_iter().chain([transition.guard]));
                    product
                });
            }
            let value = product.unwrap_or_else(|| self.unknown_product());
            if let [left, right] = *factors
                && self.has_unknown_product(value)
            {
                let facts = product_facts(self.terms, left, right, value);
                transition.guard = self.terms.and(facts.into_iter().chain([transition.guard]));
            }
            values.push((symbol, value));
        }
        values
    }

    fn is_changed(&self, transition: &Transition, var: VarId) -> bool {
        self.vocabulary.symbol(var).is_some_and(|symbol| transition.update.contains_key(&symbol))
    }

    /// M1.
    fn unknown_product(&mut self) -> TermId {
        let symbol = self.terms.fresh("product", Sort::Int, SymbolKind::Skolem);
        let origin = Origin::Rounded(Rounding::FollowedProduct);
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, origin });
        self.terms.of_symbol(symbol)
    }

    /// Whether a term contains a product that has no symbol of its own.
    pub(crate) fn has_unknown_product(&self, term: TermId) -> bool {
        self.terms.reachable(&[term]).iter().any(|part| self.others.factors.contains_key(part))
    }

    /// Multiplies the equations in the guard by variables, as far as all products that result occur in the piece already.
    pub(crate) fn extend_equations(&mut self, transition: &mut Transition, products: &[(SymbolId, TermId)]) {
        if self.others.values.is_empty() && self.vocabulary.products().next().is_none() {
            return;
        }
        let mut roots: Vec<TermId> = products.iter().map(|(_, value)| *value).collect();
        roots.push(transition.guard);
        let mut multipliers: Factors = Vec::new();
        for symbol in self.terms.symbols_of_all(&roots) {
            let term = self.terms.of_symbol(symbol);
            multipliers.extend(self.factors(term).filter(|factors| factors.len() > 1).into_iter().flatten());
        }
        multipliers.sort_unstable();
        multipliers.dedup();
        let equations: Vec<Linear> = self
            .terms
            .conjuncts(transition.guard)
            .into_iter()
            .filter_map(|part| match *self.terms.node(part) {
                Node::Zero(sum) => Some(self.terms.linear(sum)),
                _ => None,
            })
            .filter(|form| form.terms().len() > 1)
            .take(MOST_EQUATIONS)
            .collect();
        for equation in equations {
            for multiplier in &multipliers {
                if let Some(product) = self.known_multiple(&equation, *multiplier) {
                    let fact = self.terms.eq_zero(&product);
                    self.require(transition, fact);
                }
            }
        }
    }

    /// The product of a sum and a factor, if all its parts have symbols.
    pub(crate) fn known_multiple(&mut self, form: &Linear, factor: TermId) -> Option<Linear> {
        let mut result = Linear::monomial(factor, form.constant_part().clone());
        for (atom, coefficient) in form.terms() {
            let mut factors = self.factors(*atom)?;
            factors.push(factor);
            factors.sort_unstable();
            let product = self.known_product(&factors)?;
            result = result.add_scaled(&Linear::monomial(product, Integer::ONE), coefficient);
        }
        Some(result)
    }

    /// The symbol of a product, if it has one.
    fn known_product(&mut self, factors: &Factors) -> Option<TermId> {
        if let Some((value, _)) = self.others.values.get(factors) {
            return Some(*value);
        }
        let variable = |factor: &TermId| match self.terms.node(*factor) {
            Node::Symbol(symbol) => self.vocabulary.var(*symbol),
            _ => None,
        };
        let mut variables: Vec<VarId> = factors.iter().map(variable).collect::<Option<_>>()?;
        variables.sort_unstable();
        let symbol = self.vocabulary.product(&variables)?;
        Some(self.terms.of_symbol(symbol))
    }

    /// What a term that is no sum is the product of: itself, if nothing else.
    fn factors(&mut self, atom: TermId) -> Option<Factors> {
        if let Some(factors) = self.others.factors.get(&atom) {
            return Some(factors.clone());
        }
        let Node::Symbol(symbol) = *self.terms.node(atom) else {
            return matches!(self.terms.node(atom), Node::Div(..) | Node::Select(..)).then(|| vec![atom]);
        };
        let Some(variables) = self.vocabulary.factors(symbol).map(<[VarId]>::to_vec) else {
            return Some(vec![atom]);
        };
        let mut factors = Vec::with_capacity(variables.len());
        for var in variables {
            let symbol = self.vocabulary.symbol(var)?;
            factors.push(self.terms.of_symbol(symbol));
        }
        factors.sort_unstable();
        Some(factors)
    }

    /// Where the error is reached, the products of values that the way there tests are compared with each other, and so are those that are followed for
    /// this.
    pub(crate) fn compare_products(&mut self, transition: &mut Transition, changed: &[(SymbolId, TermId)]) {
        if self.vocabulary.products().next().is_none() {
            return;
        }
        let mut pairs = Vec::new();
        let mut tested: BTreeSet<VarId> = BTreeSet::new();
        // Arrays are read there, too, but only numbers are multiplied.
        for symbol in self.terms.symbols_of(transition.guard) {
            if self.terms.symbol(symbol).sort != Sort::Int {
                continue;
            }
            tested.extend(self.vocabulary.var(symbol));
            tested.extend(self.vocabulary.factors(symbol).into_iter().flatten());
        }
        for (symbol, factors) in self.vocabulary.products() {
            if let &[left, right] = factors
                && tested.contains(&left)
                && tested.contains(&right)
            {
                pairs.push((symbol, left, right, false));
            }
        }
        for (symbol, factors) in self.vocabulary.compared() {
            if let [left, right] = *factors {
                pairs.push((symbol, left, right, true));
            }
        }
        self.multiply_boundaries(transition, &tested);
        let start = Transition::identity();
        let limits = self.constant_limits(transition.guard);
        let mut products: Vec<Product> = Vec::with_capacity(pairs.len());
        for (symbol, left, right, is_at_end) in pairs {
            let at = if is_at_end { &*transition } else { &start };
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
                self.require(transition, fact);
            }
            for (factor, other) in [(one.left, one.right), (one.right, one.left)] {
                for (_, limit) in limits.iter().filter(|(term, _)| *term == factor) {
                    let number = self.terms.number(limit.clone());
                    let is_there = self.terms.eq(factor, number);
                    let scaled = self.terms.scale(limit, other);
                    let is_multiple = self.terms.eq(one.value, scaled);
                    let fact = self.terms.implies(is_there, is_multiple);
                    self.require(transition, fact);
                }
            }
        }
    }

    /// The numbers with which a condition compares single terms, or that it says they are: where a loop with a constant bound is left, its counter is there.
    fn constant_limits(&mut self, condition: TermId) -> Vec<(TermId, Integer)> {
        let mut found = Vec::new();
        for part in self.terms.conjuncts(condition) {
            let (Node::Le(sum) | Node::Zero(sum)) = *self.terms.node(part) else { continue };
            let form = self.terms.linear(sum);
            if let [(term, factor)] = form.terms()
                && factor.abs().is_one()
            {
                let constant = form.constant_part().clone();
                found.push((*term, if factor.is_positive() { -&constant } else { constant }));
            }
        }
        found
    }
}

struct Multiplication<'m, 'e> {
    encoder: &'m mut Encoder<'e>,
    known: FxHashMap<(TermId, TermId), TermId>,
    steps: u32,
    facts: Vec<TermId>,
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
        if a.terms().len() * b.terms().len() > MOST_PARTS {
            return None;
        }
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
        let mut factors = self.encoder.factors(left)?;
        factors.extend(self.encoder.factors(right)?);
        factors.sort_unstable();
        if factors.len() > MOST_FACTORS {
            return None;
        }
        if let Some((value, facts)) = self.encoder.others.values.get(&factors) {
            self.facts.extend(facts);
            return Some(*value);
        }
        match self.encoder.known_product(&factors) {
            Some(value) => Some(value),
            None => self.other(factors),
        }
    }

    /// A product without symbol: a new Skolem constant. With a quotient among its factors, `q = a / k`: k times the product is that of `a` without the rest.
    fn other(&mut self, factors: Factors) -> Option<TermId> {
        let value = self.encoder.unknown_product();
        let quotient =
            factors.iter().enumerate().find_map(|(at, factor)| match self.encoder.terms.node(*factor) {
                Node::Div(dividend, divisor) => Some((at, *dividend, divisor.clone())),
                _ => None,
            });
        let mut facts = Vec::new();
        if let Some((at, dividend, divisor)) = quotient
            && let Some(cases) = divisor.to_i64().filter(|divisor| *divisor <= MOST_RESTS)
        {
            let before = self.facts.len();
            let mut others = self.encoder.terms.int(1);
            for (position, factor) in factors.iter().enumerate() {
                if position != at {
                    others = self.terms(others, *factor)?;
                }
            }
            let whole = self.terms(others, dividend)?;
            let rest = self.encoder.terms.modulo(dividend, &divisor);
            let mut rests = self.encoder.terms.int(0);
            for case in 1..cases {
                let number = self.encoder.terms.int(case);
                let is_case = self.encoder.terms.eq(rest, number);
                let scaled = self.encoder.terms.scale(&Integer::from(case), others);
                rests = self.encoder.terms.ite(is_case, scaled, rests);
            }
            let expected = self.encoder.terms.sub(whole, rests);
            let scaled = self.encoder.terms.scale(&divisor, value);
            facts.extend(self.facts.drain(before..));
            facts.push(self.encoder.terms.eq(scaled, expected));
        }
        facts.extend(self.by_elements(&factors, value));
        self.facts.extend(&facts);
        self.encoder.others.factors.insert(value, factors.clone());
        self.encoder.others.values.insert(factors, (value, facts));
        Some(value)
    }

    /// What a product with an element is where that is a number which the program stores into the array, or is its own index; and one of several elements where all are their own indices.
    fn by_elements(&mut self, factors: &Factors, value: TermId) -> Vec<TermId> {
        let mut facts = Vec::new();
        for (at, factor) in factors.iter().enumerate() {
            let Node::Select(array, index) = *self.encoder.terms.node(*factor) else { continue };
            let mut others: Factors = factors.clone();
            others.remove(at);
            let [rest] = others[..] else { continue };
            let mut images = vec![index];
            for number in self.encoder.stored_numbers(array) {
                images.push(self.encoder.terms.number(number));
            }
            for image in images {
                let form = self.encoder.terms.linear(image);
                let Some(product) = self.encoder.known_multiple(&form, rest) else { continue };
                let product = self.encoder.terms.of_linear(&product);
                let is_there = self.encoder.terms.eq(*factor, image);
                let is_product = self.encoder.terms.eq(value, product);
                facts.push(self.encoder.terms.implies(is_there, is_product));
            }
        }
        facts.extend(self.by_indices(factors, value));
        facts
    }

    /// What a product of several elements is where each is its own index.
    fn by_indices(&mut self, factors: &Factors, value: TermId) -> Option<TermId> {
        let mut there = Vec::new();
        let mut images: Factors = Vec::with_capacity(factors.len());
        for factor in factors {
            let Node::Select(_, index) = *self.encoder.terms.node(*factor) else {
                images.push(*factor);
                continue;
            };
            there.push(self.encoder.terms.eq(*factor, index));
            images.push(index);
        }
        if there.len() < 2 {
            return None;
        }
        images.sort_unstable();
        let product = self.encoder.known_product(&images)?;
        there.sort_unstable();
        there.dedup();
        let are_there = self.encoder.terms.and(there);
        let is_product = self.encoder.terms.eq(value, product);
        Some(self.encoder.terms.implies(are_there, is_product))
    }
}

/// Linear consequences of `result = left * right`.
pub(crate) fn product_facts(terms: &mut Terms, left: TermId, right: TermId, result: TermId) -> Vec<TermId> {
    let mut facts = Vec::new();
    let (zero, one, minus) = (terms.int(0), terms.int(1), terms.int(-1));
    for (a, b) in [(left, right), (right, left)] {
        for (factor, value) in [(zero, zero), (one, b)] {
            let is_factor = terms.eq(a, factor);
            let is_value = terms.eq(result, value);
            let fact = terms.implies(is_factor, is_value);
            facts.push(fact);
        }
        let negative = terms.neg(b);
        let is_minus = terms.eq(a, minus);
        let is_negated = terms.eq(result, negative);
        let fact = terms.implies(is_minus, is_negated);
        facts.push(fact);
        // a >= 1 and b >= 1: the product is at least a; a >= 1 and b <= -1: at most -a; and so on.
        for (a_positive, b_positive) in [(true, true), (true, false), (false, true), (false, false)] {
            let a_side = if a_positive { terms.ge(a, one) } else { terms.le(a, minus) };
            let b_side = if b_positive { terms.ge(b, one) } else { terms.le(b, minus) };
            let magnitude = if a_positive { a } else { terms.neg(a) };
            let bound = if a_positive == b_positive {
                terms.ge(result, magnitude)
            } else {
                let negated = terms.neg(magnitude);
                terms.le(result, negated)
            };
            let sides = terms.and([a_side, b_side]);
            let fact = terms.implies(sides, bound);
            facts.push(fact);
        }
    }
    facts
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
        if a == b && c == d {
            facts.extend([next_square(terms, self, other), next_square(terms, other, self)]);
        }
        for (first, second) in [((a, c), (b, d)), ((a, d), (b, c))] {
            let equal = [terms.eq(first.0, first.1), terms.eq(second.0, second.1)];
            let equal = terms.and(equal);
            facts.push(terms.implies(equal, same));
        }
        terms.and(facts)
    }
}

/// `x = y + 1` implies `x·x = y·y + 2·y + 1`, and `x > y >= 0` that it is no less.
fn next_square(terms: &mut Terms, high: &Product, low: &Product) -> TermId {
    let (zero, one) = (terms.int(0), terms.int(1));
    let next = terms.add(low.left, one);
    let square = [low.value, low.left, low.left, one];
    let square = terms.sum(square);
    let (is_next, is_square) = (terms.eq(high.left, next), terms.eq(high.value, square));
    let above = [terms.ge(high.left, next), terms.ge(low.left, zero)];
    let (is_above, is_more) = (terms.and(above), terms.ge(high.value, square));
    let facts = [terms.implies(is_next, is_square), terms.implies(is_above, is_more)];
    terms.and(facts)
}

/// `common >= 1` and `x > y` imply `common·x >= common·y + common`; and so on for the other order and sign; if `x` and `y` differ by one, or not at all,
/// so do the products by `common`.
fn monotone(
    terms: &mut Terms,
    common: TermId,
    (x, common_x): (TermId, TermId),
    (y, common_y): (TermId, TermId),
) -> TermId {
    let one = terms.int(1);
    let minus = terms.int(-1);
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
        let next = terms.add(low, one);
        let (is_next, is_bound) = (terms.eq(high, next), terms.eq(product_high, bound));
        facts.push(terms.implies(is_next, is_bound));
    }
    let (same, equal) = (terms.eq(x, y), terms.eq(common_x, common_y));
    facts.push(terms.implies(same, equal));
    terms.and(facts)
}
