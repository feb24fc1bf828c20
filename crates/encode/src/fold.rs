//! Codes of what is folded: results of `&`, `|`, `^`, maximum and minimum over elements, whatever their order.
//!
//! These operations have no inverse, so the fold of an array after a store cannot be told from the one before. What can be told is *which* elements are folded. There is an injection of finite multisets of
//! integers into the integers that takes unions to sums: h(v) = B^r(v), where r numbers the integers and B is larger than any number of elements; the *code* of a multiset is the sum of h over its members. So the code of the
//! elements of an array changes linearly under stores, as sums do, and results of folds are equal if their codes are.
//!
//! What elements count under a condition is known, so that a count is an ordinary sum, of an array of what each element counts.
//!
//! # Meaning
//! * The symbol of an array ([`Coded::Counts`]) is the array of what its elements count.
//! * The symbol of an array ([`Coded::Elements`]) is the array of h of its elements.
//! * The symbol of a variable that keeps an element ([`Coded::Element`]) is h of its value.
//! * The symbol of a result ([`Coded::Fold`]) is the code of some multiset of integers whose fold is the value of the variable. It depends on the history of an execution: it is a ghost variable, which pieces assign. The code of the empty
//!   multiset, 0, stands for the neutral element.
//! * The sum of codes up to a bound ([`values::sums::Summand::Codes`]) is the code of the multiset of these elements.
//!
//! # Invariants
//! * H1: if the symbols have these meanings at the start of a piece, then for every execution of the piece there are values of its Skolem constants with which they have them at its end. What is not known to be folded is an element of itself.
//! * H2: what is said of codes in a guard, that results with equal codes are equal, and what elements count, is a consequence of their meaning.
//!
//! # Cost
//! Terms linear in the stores and choices of a piece.

use cfa::BinaryOp;
use rustc_hash::FxHashMap;
use term::{Integer, Node, Sort, SymbolId, SymbolKind, TermId};
use values::folds::{Coded, FoldOp};
use values::sums::{Count, Test};

use crate::encoder::Encoder;
use crate::origin::{Origin, Rounding, Skolem};
use crate::transition::Transition;

/// Terms of one piece that are looked at.
const MOST_STEPS: u32 = 512;

/// Which number stands for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Code,
    Count(Count),
}

impl Of {
    /// What is followed of an array.
    fn elements(self) -> Coded {
        match self {
            Self::Code => Coded::Elements,
            Self::Count(count) => Coded::Counts(count),
        }
    }
}

/// Codes of values that are not made of values with codes: one for each term.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    of_terms: FxHashMap<(Coded, TermId), TermId>,
}

impl Encoder<'_> {
    /// The codes that change in a piece, at its end. What is known of those at its start is added to the guard.
    pub(crate) fn codes(&mut self, transition: &mut Transition) -> Vec<(SymbolId, TermId)> {
        let all: Vec<_> = self.vocabulary.codes().collect();
        let mut values = Vec::new();
        let mut steps = MOST_STEPS;
        for (symbol, var, coded) in &all {
            let own = self.vocabulary.symbol(*var);
            let Some(value) = own.and_then(|own| transition.update.get(&own).copied()) else { continue };
            let code = match coded {
                Coded::Elements => self.code_of_array(Of::Code, value, &mut steps),
                Coded::Counts(count) => self.code_of_array(Of::Count(*count), value, &mut steps),
                Coded::Element => self.code_of_element(Of::Code, value, &mut steps),
                Coded::Fold(op) => self.code_of_fold(*op, value, &mut steps),
            };
            values.push((*symbol, code));
        }
        self.equal_folds(transition);
        self.counts_of_elements(transition, &all);
        values
    }

    /// The code of a variable at the start of a piece, if it is followed in a certain way.
    fn code_at_start(&mut self, term: TermId, wanted: Coded) -> Option<TermId> {
        let Node::Symbol(symbol) = *self.terms.node(term) else { return None };
        let code = self.vocabulary.code(self.vocabulary.var(symbol)?, wanted)?;
        Some(self.terms.of_symbol(code))
    }

    fn code_of_array(&mut self, of: Of, array: TermId, steps: &mut u32) -> TermId {
        if let Some(code) = self.code_at_start(array, of.elements()) {
            return code;
        }
        let Some(left) = steps.checked_sub(1) else { return self.code_of_unknown(of, array) };
        *steps = left;
        match *self.terms.node(array) {
            Node::Store(before, at, value) => {
                let before = self.code_of_array(of, before, steps);
                let value = self.code_of_element(of, value, steps);
                self.terms.store(before, at, value)
            }
            Node::Ite(condition, yes, no) => {
                let yes = self.code_of_array(of, yes, steps);
                let no = self.code_of_array(of, no, steps);
                self.terms.ite(condition, yes, no)
            }
            _ => self.code_of_unknown(of, array),
        }
    }

    /// h of a value, or what it counts.
    fn code_of_element(&mut self, of: Of, value: TermId, steps: &mut u32) -> TermId {
        if of == Of::Code
            && let Some(code) = self.code_at_start(value, Coded::Element)
        {
            return code;
        }
        let Some(left) = steps.checked_sub(1) else { return self.code_of_term(of, value) };
        *steps = left;
        match *self.terms.node(value) {
            Node::Select(array, at) => {
                let codes = self.code_of_array(of, array, steps);
                self.terms.select(codes, at)
            }
            Node::Ite(condition, yes, no) => {
                let yes = self.code_of_element(of, yes, steps);
                let no = self.code_of_element(of, no, steps);
                self.terms.ite(condition, yes, no)
            }
            _ => self.code_of_term(of, value),
        }
    }

    /// The code of a multiset whose fold is a value.
    fn code_of_fold(&mut self, op: FoldOp, value: TermId, steps: &mut u32) -> TermId {
        if let Some(code) = self.code_at_start(value, Coded::Fold(op)) {
            return code;
        }
        if self.is_neutral(op, value) {
            return self.terms.int(0);
        }
        let Some(left) = steps.checked_sub(1) else { return self.code_of_unknown(Of::Code, value) };
        *steps = left;
        if let Some((own, parts)) = self.chains.parts(value)
            && Some(own) == bitwise(op)
        {
            let codes: Vec<TermId> =
                parts.into_iter().map(|part| self.code_of_fold(op, part, steps)).collect();
            return self.terms.sum(codes);
        }
        match *self.terms.node(value) {
            Node::Ite(condition, yes, no) => {
                let is_both = self.is_extreme(op, condition, [yes, no]);
                let yes = self.code_of_fold(op, yes, steps);
                let no = self.code_of_fold(op, no, steps);
                if is_both { self.terms.add(yes, no) } else { self.terms.ite(condition, yes, no) }
            }
            _ => self.code_of_element(Of::Code, value, steps),
        }
    }

    /// h of the value of a term, or what it counts. Zero is the first of the integers that are numbered.
    fn code_of_term(&mut self, of: Of, value: TermId) -> TermId {
        match of {
            Of::Count(count) => self.counted(count, value),
            Of::Code if self.terms.as_number(value).is_some_and(Integer::is_zero) => self.terms.int(1),
            Of::Code => self.code_of_unknown(of, value),
        }
    }

    fn counted(&mut self, count: Count, value: TermId) -> TermId {
        let holds = match count.test {
            Test::AtMost(limit) => {
                let limit = self.terms.int(limit);
                self.terms.le(value, limit)
            }
            Test::Is(number) => {
                let number = self.terms.int(number);
                self.terms.eq(value, number)
            }
            Test::Multiple(divisor) => self.terms.divides(&Integer::from(divisor), value),
        };
        let (yes, no) = (self.terms.int(count.yes), self.terms.int(count.no));
        self.terms.ite(holds, yes, no)
    }

    /// A Skolem constant for a number, or numbers, of which only equals are known to be equal.
    fn code_of_unknown(&mut self, of: Of, value: TermId) -> TermId {
        if let Some(code) = self.codes.of_terms.get(&(of.elements(), value)) {
            return *code;
        }
        let symbol = self.terms.fresh("code", self.terms.sort(value), SymbolKind::Skolem);
        let origin = Origin::Rounded(Rounding::Code);
        self.add_skolem(Skolem { symbol, ty: None, site: self.site, origin });
        let code = self.terms.of_symbol(symbol);
        self.codes.of_terms.insert((of.elements(), value), code);
        code
    }

    fn is_neutral(&self, op: FoldOp, value: TermId) -> bool {
        let Some(number) = self.terms.as_number(value) else { return false };
        match op {
            FoldOp::And => *number == Integer::MINUS_ONE,
            FoldOp::Or | FoldOp::Xor => number.is_zero(),
            FoldOp::Max | FoldOp::Min => false,
        }
    }

    /// Whether a choice between two values is the larger or smaller one of them.
    fn is_extreme(&mut self, op: FoldOp, condition: TermId, [yes, no]: [TermId; 2]) -> bool {
        // The condition says that a sum is at most zero.
        let Node::Le(sum) = *self.terms.node(condition) else { return false };
        let growth = match op {
            FoldOp::Max => self.terms.linear(no).sub(&self.terms.linear(yes)),
            FoldOp::Min => self.terms.linear(yes).sub(&self.terms.linear(no)),
            FoldOp::And | FoldOp::Or | FoldOp::Xor => return false,
        };
        let slack = self.terms.linear(sum).sub(&growth);
        // Where the two are equal it does not matter which one it is.
        slack.as_constant().is_some_and(|slack| slack.is_zero() || slack.is_one())
    }

    /// H2: of the elements that a piece reads.
    fn counts_of_elements(&mut self, transition: &mut Transition, all: &[(SymbolId, cfa::VarId, Coded)]) {
        let is_count = |(_, _, coded): &&(SymbolId, cfa::VarId, Coded)| matches!(coded, Coded::Counts(_));
        if !all.iter().any(|one| is_count(&one)) {
            return;
        }
        let ints = transition.update.values().copied();
        let mut roots: Vec<TermId> = ints.filter(|value| self.terms.sort(*value) == Sort::Int).collect();
        roots.push(transition.guard);
        for element in self.terms.reachable(&roots) {
            let Node::Select(array, at) = *self.terms.node(element) else { continue };
            for (symbol, var, coded) in all {
                let (Coded::Counts(count), Some(own)) = (coded, self.vocabulary.symbol(*var)) else {
                    continue;
                };
                if array == self.terms.of_symbol(own) {
                    let counts = self.terms.of_symbol(*symbol);
                    let (stated, counted) = (self.terms.select(counts, at), self.counted(*count, element));
                    let fact = self.terms.eq(stated, counted);
                    self.require(transition, fact);
                }
            }
        }
    }

    /// H2: of results.
    fn equal_folds(&mut self, transition: &mut Transition) {
        let used = self.terms.symbols_of(transition.guard);
        let mut results = Vec::new();
        for (code, var, coded) in self.vocabulary.codes().collect::<Vec<_>>() {
            if let (Coded::Fold(op), Some(own)) = (coded, self.vocabulary.symbol(var))
                && used.binary_search(&own).is_ok()
            {
                results.push((op, self.terms.of_symbol(own), self.terms.of_symbol(code)));
            }
        }
        for (number, (op, value, code)) in results.iter().enumerate() {
            for (_, other, other_code) in results[..number].iter().filter(|(other, ..)| other == op) {
                let (same_code, same) = (self.terms.eq(*code, *other_code), self.terms.eq(*value, *other));
                let fact = self.terms.implies(same_code, same);
                self.require(transition, fact);
            }
        }
    }
}

fn bitwise(op: FoldOp) -> Option<BinaryOp> {
    match op {
        FoldOp::And => Some(BinaryOp::And),
        FoldOp::Or => Some(BinaryOp::Or),
        FoldOp::Xor => Some(BinaryOp::Xor),
        FoldOp::Max | FoldOp::Min => None,
    }
}
