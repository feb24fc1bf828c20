//! Constructors of integer terms and of atoms over them.
//!
//! Division by a constant is Euclidean: `t = d·(t div d) + (t mod d)` with `0 ≤ t mod d < |d|`, as in SMT-LIB. For a
//! positive divisor the quotient is thus rounded down. C's rounding towards zero is [`Terms::div_truncated`].

use std::cmp::Ordering;

use crate::{Integer, Linear, Node, Sort, TermId, Terms};

/// Products of sums are multiplied out only up to this many products.
const EXPANSION_LIMIT: usize = 32;

impl Terms {
    /// A small number.
    pub fn int(&mut self, value: i64) -> TermId {
        self.number(value)
    }

    /// A number.
    pub fn number(&mut self, value: impl Into<Integer>) -> TermId {
        self.intern(Node::Number(value.into()), Sort::Int)
    }

    /// The term of a sum.
    pub fn of_linear(&mut self, form: &Linear) -> TermId {
        self.debug_assert_integers(form);
        match form.terms() {
            [] => self.number(form.constant_part().clone()),
            [(term, coefficient)] if coefficient.is_one() && form.constant_part().is_zero() => *term,
            _ => self.intern(Node::Linear(form.clone()), Sort::Int),
        }
    }

    /// In builds for development, that all terms of a sum are integers: a caller can make a sum of anything.
    fn debug_assert_integers(&self, form: &Linear) {
        debug_assert!(
            form.terms().iter().all(|(term, _)| self.sort(*term) == Sort::Int),
            "the terms of a sum should be integers"
        );
    }

    /// `a + b`.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let form = self.linear(a).add(&self.linear(b));
        self.of_linear(&form)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let form = self.linear(a).sub(&self.linear(b));
        self.of_linear(&form)
    }

    /// `-a`.
    pub fn neg(&mut self, a: TermId) -> TermId {
        self.scale(&Integer::MINUS_ONE, a)
    }

    /// `factor * a`.
    pub fn scale(&mut self, factor: &Integer, a: TermId) -> TermId {
        let form = self.linear(a).scale(factor);
        self.of_linear(&form)
    }

    /// The sum of all items.
    pub fn sum(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        let (mut products, mut constant) = (Vec::new(), Integer::ZERO);
        for item in items {
            let form = self.linear(item);
            constant += form.constant_part();
            products.extend_from_slice(form.terms());
        }
        self.of_linear(&Linear::collect(products, constant))
    }

    /// `a * b`; linear if one of them is a number.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let (left, right) = (self.linear(a), self.linear(b));
        if let Some(factor) = left.as_constant() {
            return self.of_linear(&right.scale(factor));
        }
        if let Some(factor) = right.as_constant() {
            return self.of_linear(&left.scale(factor));
        }
        if (left.terms().len() + 1) * (right.terms().len() + 1) > EXPANSION_LIMIT {
            return self.product(a, b);
        }
        let mut result = left.scale(right.constant_part()).add(&right.scale(left.constant_part()));
        result = result.with_constant(left.constant_part() * right.constant_part());
        for (x, factor) in left.terms() {
            for (y, other) in right.terms() {
                let product = self.product(*x, *y);
                result = result.add(&Linear::monomial(product, factor * other));
            }
        }
        self.of_linear(&result)
    }

    fn product(&mut self, a: TermId, b: TermId) -> TermId {
        let mut factors = Vec::new();
        for term in [a, b] {
            match self.node(term) {
                Node::Product(inner) => factors.extend_from_slice(inner),
                _ => factors.push(term),
            }
        }
        factors.sort_unstable();
        self.intern(Node::Product(factors.into_boxed_slice()), Sort::Int)
    }

    /// `a ≤ b`.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        let form = self.linear(a).sub(&self.linear(b));
        self.le_zero(&form)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let form = self.linear(a).sub(&self.linear(b)).add_constant(&Integer::ONE);
        self.le_zero(&form)
    }

    /// `a ≥ b`.
    pub fn ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.le(b, a)
    }

    /// `a > b`.
    pub fn gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.lt(b, a)
    }

    /// `form ≤ 0`, with the coefficients divided by their common divisor and the constant tightened.
    pub fn le_zero(&mut self, form: &Linear) -> TermId {
        self.debug_assert_integers(form);
        if let Some(value) = form.as_constant() {
            return self.bool(!value.is_positive());
        }
        if let Some(folded) = self.fold_atom(form, Self::le_zero) {
            return folded;
        }
        let content = form.content();
        let constant = form.constant_part().div_ceil(&content);
        let form = form.map(|coefficient| coefficient.div_floor(&content), constant);
        if let Some(value) = self.decide_by_range(&form) {
            return self.bool(value);
        }
        let sum = self.of_linear(&form);
        if let Some(known) = self.find(&Node::Le(sum)) {
            return known;
        }
        let atom = self.intern(Node::Le(sum), Sort::Bool);
        let opposite = self.find_linear(&form.negate().add_constant(&Integer::ONE));
        if let Some(negation) = opposite.and_then(|sum| self.find(&Node::Le(sum))) {
            self.link_negation(atom, negation);
        }
        atom
    }

    /// `form = 0`, with the coefficients divided by their common divisor.
    pub fn eq_zero(&mut self, form: &Linear) -> TermId {
        self.debug_assert_integers(form);
        if let Some(value) = form.as_constant() {
            return self.bool(value.is_zero());
        }
        if let Some(folded) = self.fold_atom(form, Self::eq_zero) {
            return folded;
        }
        let mut content = form.content();
        if !content.divides(form.constant_part()) {
            return Self::FALSE;
        }
        if form.terms()[0].1.is_negative() {
            content = -content;
        }
        let constant = form.constant_part().div_floor(&content);
        let form = form.map(|coefficient| coefficient.div_floor(&content), constant);
        if let [(term, _)] = form.terms()
            && let Node::Mod(dividend, divisor) = self.node(*term)
        {
            // t mod d = v is d | t - v, if v is a rest at all.
            let (dividend, divisor, value) = (*dividend, divisor.clone(), -form.constant_part());
            if value.is_negative() || value >= divisor {
                return Self::FALSE;
            }
            let difference = self.linear(dividend).add_constant(&-value);
            return self.divides_linear(&divisor, &difference);
        }
        let sum = self.of_linear(&form);
        self.intern(Node::Zero(sum), Sort::Bool)
    }

    /// `divisor` divides `a`; zero divides only zero.
    pub fn divides(&mut self, divisor: &Integer, a: TermId) -> TermId {
        let form = self.linear(a);
        self.divides_linear(divisor, &form)
    }

    /// `divisor` divides `form`, with the coefficients reduced and the first made small.
    pub fn divides_linear(&mut self, divisor: &Integer, form: &Linear) -> TermId {
        if divisor.is_zero() {
            return self.eq_zero(form);
        }
        let divisor = divisor.abs();
        let form = reduce(form, &divisor);
        let common = form.content().gcd(&divisor);
        if !common.divides(form.constant_part()) {
            return Self::FALSE;
        }
        let divisor = divisor.div_floor(&common);
        if divisor.is_one() {
            return Self::TRUE;
        }
        let mut form =
            form.map(|coefficient| coefficient.div_floor(&common), form.constant_part().div_floor(&common));
        if let Some(folded) = self.fold_atom(&form, |terms, form| terms.divides_linear(&divisor, form)) {
            return folded;
        }
        if let Some((_, first)) = form.terms().first() {
            // A unit modulo the divisor may multiply the whole: it makes the first coefficient one, if it can.
            let unit =
                first.inverse_modulo(&divisor).unwrap_or_else(|| match (first + first).cmp(&divisor) {
                    Ordering::Greater => Integer::MINUS_ONE,
                    Ordering::Less | Ordering::Equal => Integer::ONE,
                });
            form = reduce(&form.scale(&unit), &divisor);
        }
        let sum = self.of_linear(&form);
        self.intern(Node::Divides(divisor, sum), Sort::Bool)
    }

    /// `a div divisor`, Euclidean; the divisor is not zero.
    pub fn div(&mut self, a: TermId, divisor: &Integer) -> TermId {
        assert!(!divisor.is_zero(), "a divisor should not be zero");
        if divisor.is_negative() {
            let quotient = self.div(a, &-divisor);
            return self.neg(quotient);
        }
        if divisor.is_one() {
            return a;
        }
        let form = self.linear(a);
        let floor = |value: &Integer| value.div_floor(divisor);
        let whole = form.map(floor, floor(form.constant_part()));
        let rest = reduce(&form, divisor);
        if rest.terms().is_empty() {
            return self.of_linear(&whole);
        }
        let common = rest.content().gcd(divisor);
        let small = |value: &Integer| value.div_floor(&common);
        let rest = rest.map(small, small(rest.constant_part()));
        let rest = self.of_linear(&rest);
        let mut divisor = small(divisor);
        let mut dividend = rest;
        if let Node::Div(inner, other) = self.node(rest) {
            divisor = &divisor * other;
            dividend = *inner;
        }
        let quotient =
            if divisor.is_one() { dividend } else { self.intern(Node::Div(dividend, divisor), Sort::Int) };
        let whole = self.of_linear(&whole);
        self.add(whole, quotient)
    }

    /// `a mod divisor`, never negative; the divisor is not zero.
    pub fn modulo(&mut self, a: TermId, divisor: &Integer) -> TermId {
        assert!(!divisor.is_zero(), "a divisor should not be zero");
        let divisor = divisor.abs();
        let form = reduce(&self.linear(a), &divisor);
        let common = form.content().gcd(&divisor);
        // (g·t + c) mod (g·d) = g·((t + c div g) mod d) + c mod g
        let (outer, constant) =
            (form.constant_part().modulo(&common), form.constant_part().div_floor(&common));
        let inner = form.map(|coefficient| coefficient.div_floor(&common), constant);
        let divisor = divisor.div_floor(&common);
        let rest = match inner.as_constant() {
            Some(value) => Linear::constant(value.modulo(&divisor)),
            None if divisor.is_one() => Linear::constant(0),
            None => {
                let dividend = self.of_linear(&inner);
                Linear::monomial(self.intern(Node::Mod(dividend, divisor), Sort::Int), 1)
            }
        };
        self.of_linear(&rest.scale(&common).add_constant(&outer))
    }

    /// `a / divisor` rounded towards zero, as in C; the divisor is not zero.
    pub fn div_truncated(&mut self, a: TermId, divisor: &Integer) -> TermId {
        let magnitude = divisor.abs();
        let negated = self.neg(a);
        let (zero, up, down) = (self.int(0), self.div(a, &magnitude), self.div(negated, &magnitude));
        let down = self.neg(down);
        let is_positive = self.ge(a, zero);
        let quotient = self.ite(is_positive, up, down);
        if divisor.is_negative() { self.neg(quotient) } else { quotient }
    }

    /// `a % divisor` with the sign of `a`, as in C; the divisor is not zero.
    pub fn rem_truncated(&mut self, a: TermId, divisor: &Integer) -> TermId {
        let negated = self.neg(a);
        let (zero, up, down) = (self.int(0), self.modulo(a, divisor), self.modulo(negated, divisor));
        let down = self.neg(down);
        let is_positive = self.ge(a, zero);
        self.ite(is_positive, up, down)
    }

    /// If the only term of a sum is a choice between two numbers, so is the atom over the sum.
    fn fold_atom(&mut self, form: &Linear, atom: impl Fn(&mut Self, &Linear) -> TermId) -> Option<TermId> {
        let [(term, coefficient)] = form.terms() else { return None };
        let Node::Ite(condition, yes, no) = *self.node(*term) else { return None };
        let (yes, no) = (self.as_number(yes)?.clone(), self.as_number(no)?.clone());
        let of = |value: &Integer| Linear::constant(value * coefficient + form.constant_part());
        let (yes, no) = (atom(self, &of(&yes)), atom(self, &of(&no)));
        Some(self.ite(condition, yes, no))
    }

    /// Whether `form ≤ 0`, if its only term is a rest whose range says so.
    fn decide_by_range(&self, form: &Linear) -> Option<bool> {
        let [(term, coefficient)] = form.terms() else { return None };
        let Node::Mod(_, divisor) = self.node(*term) else { return None };
        let at_most = &(divisor - Integer::ONE) * coefficient;
        let (least, most) =
            if coefficient.is_positive() { (Integer::ZERO, at_most) } else { (at_most, Integer::ZERO) };
        if !(most + form.constant_part()).is_positive() {
            return Some(true);
        }
        (least + form.constant_part()).is_positive().then_some(false)
    }

    fn find_linear(&self, form: &Linear) -> Option<TermId> {
        match form.terms() {
            [] => self.find(&Node::Number(form.constant_part().clone())),
            [(term, coefficient)] if coefficient.is_one() && form.constant_part().is_zero() => Some(*term),
            _ => self.find(&Node::Linear(form.clone())),
        }
    }
}

/// The sum with coefficients and constant reduced to `0..divisor`.
fn reduce(form: &Linear, divisor: &Integer) -> Linear {
    form.map(|coefficient| coefficient.modulo(divisor), form.constant_part().modulo(divisor))
}
