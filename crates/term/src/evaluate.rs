//! Values of terms under a model.
//!
//! # Invariants
//! * I1: when a term is evaluated, so are its subterms, since ids ascend from subterms to terms.
//! * I2: arrays are never built: an element is looked up through the stores. A chain of n stores would otherwise be
//!   copied n times.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::{ArrayValue, Integer, Model, Node, Sort, TermId, Terms, Value};

/// Evaluates terms under one model, each once.
#[derive(Debug)]
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    memo: FxHashMap<TermId, Value>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has evaluated nothing yet.
    pub fn new(terms: &'a Terms, model: &'a Model) -> Self {
        Self { terms, model, memo: FxHashMap::default() }
    }

    /// The value of a term.
    pub fn value(&mut self, term: TermId) -> Value {
        if self.is_array(term) {
            let order = self.terms.reachable_except(&[term], &self.memo);
            self.evaluate_all(&order);
            return Value::Array(self.array(term));
        }
        if !self.memo.contains_key(&term) {
            let order = self.terms.reachable_except(&[term], &self.memo);
            self.evaluate_all(&order);
        }
        self.memo[&term].clone()
    }

    /// Whether a boolean term holds.
    pub fn holds(&mut self, term: TermId) -> bool {
        self.value(term) == Value::Bool(true)
    }

    /// The value of an integer term.
    pub fn int(&mut self, term: TermId) -> Integer {
        self.value(term).as_int().cloned().unwrap_or(Integer::ZERO)
    }

    fn evaluate_all(&mut self, order: &[TermId]) {
        self.memo.reserve(order.len());
        for term in order {
            if !self.is_array(*term) && !self.memo.contains_key(term) {
                let value = self.compute(*term);
                self.memo.insert(*term, value);
            }
        }
    }

    fn is_array(&self, term: TermId) -> bool {
        matches!(self.terms.sort(term), Sort::Array | Sort::BitArray(_))
    }

    fn known_bool(&self, term: TermId) -> bool {
        self.memo[&term] == Value::Bool(true)
    }

    fn known_int(&self, term: TermId) -> &Integer {
        self.memo[&term].as_int().expect("I1: the subterm should be an evaluated integer")
    }

    /// The number of an index or an element: of a bit-vector, the unsigned one.
    fn known_number(&self, term: TermId) -> &Integer {
        match &self.memo[&term] {
            Value::Int(value) | Value::BitVec(_, value) => value,
            other => unreachable!("I1: an index or element should not be {other:?}"),
        }
    }

    fn compute(&self, term: TermId) -> Value {
        match self.terms.node(term) {
            Node::True => Value::Bool(true),
            Node::False => Value::Bool(false),
            Node::Symbol(symbol) => match self.model.get(*symbol) {
                Some(value) => value.clone(),
                None => Value::default_of(self.terms.sort(term)),
            },
            Node::Not(a) => Value::Bool(!self.known_bool(*a)),
            Node::And(items) => Value::Bool(items.iter().all(|item| self.known_bool(*item))),
            Node::Or(items) => Value::Bool(items.iter().any(|item| self.known_bool(*item))),
            Node::Le(a) => Value::Bool(!self.known_int(*a).is_positive()),
            Node::Zero(a) => Value::Bool(self.known_int(*a).is_zero()),
            Node::Divides(divisor, a) => Value::Bool(divisor.divides(self.known_int(*a))),
            Node::Same(a, b) => Value::Bool(match self.terms.sort(*a) {
                Sort::Array | Sort::BitArray(_) => self.array(*a) == self.array(*b),
                Sort::Bool | Sort::Int | Sort::BitVec(_) => self.memo[a] == self.memo[b],
            }),
            Node::Number(value) => Value::Int(value.clone()),
            Node::Linear(form) => {
                let mut sum = form.constant_part().clone();
                for (term, coefficient) in form.terms() {
                    sum += &(coefficient * self.known_int(*term));
                }
                Value::Int(sum)
            }
            Node::Product(factors) => Value::Int(
                factors.iter().fold(Integer::ONE, |product, factor| product * self.known_int(*factor)),
            ),
            Node::Div(a, divisor) => Value::Int(self.known_int(*a).div_floor(divisor)),
            Node::Mod(a, divisor) => Value::Int(self.known_int(*a).modulo(divisor)),
            Node::Ite(condition, yes, no) => {
                self.memo[if self.known_bool(*condition) { yes } else { no }].clone()
            }
            Node::Select(array, index) => {
                let element = self.element(*array, self.known_number(*index));
                match self.terms.sort(term) {
                    Sort::BitVec(width) => Value::BitVec(width, element),
                    _ => Value::Int(element),
                }
            }
            Node::BvNumber(width, value) => Value::BitVec(*width, value.clone()),
            Node::Bv(op, operands) => {
                let operands: Vec<&Value> = operands.iter().map(|operand| &self.memo[operand]).collect();
                op.apply(&operands)
                    .expect("I1: the operands should have the sorts that the constructor checked")
            }
            Node::Store(..) | Node::ConstArray(_) => unreachable!("I2: arrays should not be evaluated"),
        }
    }

    /// An element, through stores and choices; all else below the array is evaluated.
    fn element(&self, array: TermId, index: &Integer) -> Integer {
        let mut array = array;
        loop {
            match self.terms.node(array) {
                Node::Store(_, at, value) if self.known_number(*at) == index => {
                    return self.known_number(*value).clone();
                }
                Node::Store(before, ..) => array = *before,
                Node::Ite(condition, yes, no) => array = if self.known_bool(*condition) { *yes } else { *no },
                Node::ConstArray(value) => return self.known_number(*value).clone(),
                Node::Symbol(symbol) => {
                    return match self.model.get(*symbol) {
                        Some(Value::Array(value)) => value.get(index).clone(),
                        Some(_) | None => Integer::ZERO,
                    };
                }
                other => unreachable!("an array should not be {other:?}"),
            }
        }
    }

    /// A whole array, for equations between arrays.
    fn array(&self, array: TermId) -> ArrayValue {
        let (mut array, mut stored, mut seen) = (array, Vec::new(), BTreeSet::new());
        let mut value = loop {
            match self.terms.node(array) {
                Node::Store(before, at, value) => {
                    let at = self.known_number(*at);
                    if seen.insert(at) {
                        stored.push((at.clone(), self.known_number(*value).clone()));
                    }
                    array = *before;
                }
                Node::Ite(condition, yes, no) => array = if self.known_bool(*condition) { *yes } else { *no },
                Node::ConstArray(value) => break ArrayValue::new(self.known_number(*value).clone()),
                Node::Symbol(symbol) => {
                    break match self.model.get(*symbol) {
                        Some(Value::Array(value)) => value.clone(),
                        Some(_) | None => ArrayValue::new(Integer::ZERO),
                    };
                }
                other => unreachable!("an array should not be {other:?}"),
            }
        };
        for (index, element) in stored {
            value.set(index, element);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SymbolKind;

    #[test]
    fn arrays_are_compared_by_their_elements() {
        let mut terms = Terms::new();
        let symbol = terms.declare("a", Sort::Array, SymbolKind::Variable);
        let array = terms.of_symbol(symbol);
        let [i, j, v] = ["i", "j", "v"].map(|name| terms.constant(name, Sort::Int, SymbolKind::Variable));
        let first = terms.store(array, i, v);
        let both = terms.store(first, j, v);
        let swapped = terms.store(array, j, v);
        let swapped = terms.store(swapped, i, v);
        let equal = terms.eq(both, swapped);
        let other = terms.eq(both, first);
        let mut model = Model::new();
        let mut value = ArrayValue::new(7.into());
        value.set(0.into(), 5.into());
        model.set(symbol, Value::Array(value));
        let mut evaluator = Evaluator::new(&terms, &model);
        assert!(evaluator.holds(equal));
        assert!(evaluator.holds(other), "i and j are both zero here");
        let Value::Array(array) = evaluator.value(both) else { panic!("should be an array") };
        assert_eq!((array.get(&0.into()), array.get(&1.into())), (&0.into(), &7.into()));
    }

    #[test]
    fn a_chain_of_a_million_additions_does_not_overflow_the_stack() {
        let mut terms = Terms::new();
        let condition = terms.constant("c", Sort::Bool, SymbolKind::Variable);
        let mut deep = terms.constant("x", Sort::Int, SymbolKind::Variable);
        let one = terms.int(1);
        for _ in 0..1_000_000 {
            let more = terms.add(deep, one);
            deep = terms.ite(condition, deep, more);
        }
        let model = Model::new();
        assert_eq!(Evaluator::new(&terms, &model).int(deep), 1_000_000.into());
    }
}
