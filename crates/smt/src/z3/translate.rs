//! Our terms as Z3's, each translated once for a context.
//!
//! # Invariants
//! * I1: when a term is translated, so are its subterms, since ids ascend from subterms to terms.
//! * I2: terms handed to Z3 nest at most [`DEPTH_LIMIT`] deep: Z3 recurses over them on the native stack. Deeper
//!   ones are cut by constants with a definition; whoever asserts a term asserts the definitions below it as well.
//! * I3: names of constants are `s`, `a` or `d` and a number: symbols, activation constants, definitions.

use std::collections::BTreeMap;

use base::Idx;
use rustc_hash::FxHashMap;
use term::{BvOp, INDEX_WIDTH, Integer, Linear, Node, Sort, SymbolId, TermId, Terms};
use z3::ast::{Array, BV, Bool, Int};

use super::float;

const DEPTH_LIMIT: u32 = 400;

/// A term of Z3.
#[derive(Clone)]
pub(super) enum Translated {
    Bool(Bool),
    Int(Int),
    Array(Array),
    BitVec(BV),
}

/// The terms of one arena in one context.
#[derive(Default)]
pub(super) struct Translator {
    arena: Option<u64>,
    memo: FxHashMap<TermId, (Translated, u32)>,
    symbols: FxHashMap<SymbolId, Translated>,
    /// Equations that define the constants that cut deep terms.
    definitions: BTreeMap<TermId, Bool>,
}

impl Translator {
    /// A boolean term.
    pub(super) fn formula(&mut self, terms: &Terms, formula: TermId) -> Bool {
        let arena = *self.arena.get_or_insert(terms.identity());
        assert_eq!(arena, terms.identity(), "a solver should serve one arena of terms");
        if !self.memo.contains_key(&formula) {
            for term in self.unknown(terms, formula) {
                self.translate(terms, term);
            }
        }
        self.bool(formula).clone()
    }

    /// The definitions that a formula needs, those of subterms first.
    pub(super) fn definitions_below(&self, terms: &Terms, formula: TermId) -> Vec<(TermId, Bool)> {
        if self.definitions.is_empty() {
            return Vec::new();
        }
        let needed = terms.reachable(&[formula]);
        needed
            .iter()
            .filter_map(|term| self.definitions.get(term).map(|equation| (*term, equation.clone())))
            .collect()
    }

    /// A symbol that has been translated.
    pub(super) fn symbol(&self, symbol: SymbolId) -> Option<&Translated> {
        self.symbols.get(&symbol)
    }

    /// The subterms not yet translated, subterms first.
    fn unknown(&self, terms: &Terms, root: TermId) -> Vec<TermId> {
        let (mut open, mut found) = (vec![root], rustc_hash::FxHashSet::default());
        while let Some(term) = open.pop() {
            if !self.memo.contains_key(&term) && found.insert(term) {
                terms.node(term).for_each_child(|child| open.push(child));
            }
        }
        let mut found: Vec<TermId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    fn translate(&mut self, terms: &Terms, term: TermId) {
        let mut depth = 0;
        terms.node(term).for_each_child(|child| depth = depth.max(self.memo[&child].1 + 1));
        let translated = self.build(terms, term);
        if depth < DEPTH_LIMIT {
            self.memo.insert(term, (translated, depth));
            return;
        }
        let name = format!("d{}", term.0);
        let constant = constant(&name, terms.sort(term));
        self.definitions.insert(term, equal(&constant, &translated));
        self.memo.insert(term, (constant, 0));
    }

    fn bool(&self, term: TermId) -> &Bool {
        match &self.memo[&term].0 {
            Translated::Bool(ast) => ast,
            _ => unreachable!("I1: {term} should be a translated boolean"),
        }
    }

    fn int(&self, term: TermId) -> &Int {
        match &self.memo[&term].0 {
            Translated::Int(ast) => ast,
            _ => unreachable!("I1: {term} should be a translated integer"),
        }
    }

    fn array(&self, term: TermId) -> &Array {
        match &self.memo[&term].0 {
            Translated::Array(ast) => ast,
            _ => unreachable!("I1: {term} should be a translated array"),
        }
    }

    fn bits(&self, term: TermId) -> &BV {
        match &self.memo[&term].0 {
            Translated::BitVec(ast) => ast,
            _ => unreachable!("I1: {term} should be a translated bit-vector"),
        }
    }

    fn build(&mut self, terms: &Terms, term: TermId) -> Translated {
        match terms.node(term) {
            Node::Symbol(symbol) => {
                let ast = constant(&format!("s{}", symbol.index()), terms.sort(term));
                self.symbols.insert(*symbol, ast.clone());
                ast
            }
            Node::Ite(condition, yes, no) => self.choice(*condition, *yes, *no),
            Node::Bv(op, operands) => self.operation(*op, operands),
            node => match terms.sort(term) {
                Sort::Bool => Translated::Bool(self.boolean(terms, node)),
                Sort::Int => Translated::Int(self.integer(node)),
                Sort::Array => Translated::Array(match node {
                    Node::Store(array, index, value) => {
                        self.array(*array).store(self.int(*index), self.int(*value))
                    }
                    Node::ConstArray(value) => Array::const_array(&z3::Sort::int(), self.int(*value)),
                    other => unreachable!("an array should not be {other:?}"),
                }),
                Sort::BitArray(_) => Translated::Array(match node {
                    Node::Store(array, index, value) => {
                        self.array(*array).store(self.bits(*index), self.bits(*value))
                    }
                    Node::ConstArray(value) => {
                        Array::const_array(&z3::Sort::bitvector(INDEX_WIDTH), self.bits(*value))
                    }
                    other => unreachable!("an array should not be {other:?}"),
                }),
                Sort::BitVec(_) => Translated::BitVec(match node {
                    Node::Select(array, index) => self
                        .array(*array)
                        .select(self.bits(*index))
                        .as_bv()
                        .expect("an element should be a bit-vector"),
                    Node::BvNumber(width, value) => {
                        BV::from_str(*width, &value.to_string()).expect("a bit-vector should be a numeral")
                    }
                    other => unreachable!("a bit-vector should not be {other:?}"),
                }),
            },
        }
    }

    fn boolean(&self, terms: &Terms, node: &Node) -> Bool {
        match node {
            Node::True => Bool::from_bool(true),
            Node::False => Bool::from_bool(false),
            Node::Not(a) => self.bool(*a).not(),
            Node::And(items) => Bool::and(&items.iter().map(|item| self.bool(*item)).collect::<Vec<_>>()),
            Node::Or(items) => Bool::or(&items.iter().map(|item| self.bool(*item)).collect::<Vec<_>>()),
            Node::Le(sum) => {
                let (left, right) = self.sides(terms, *sum);
                left.le(&right)
            }
            Node::Zero(sum) => {
                let (left, right) = self.sides(terms, *sum);
                left.eq(&right)
            }
            Node::Divides(divisor, a) => self.int(*a).modulo(number(divisor)).eq(number(&Integer::ZERO)),
            Node::Same(a, b) => equal(&self.memo[a].0, &self.memo[b].0),
            other => unreachable!("a boolean should not be {other:?}"),
        }
    }

    /// A sum without its constant, and the opposite of the constant.
    fn sides(&self, terms: &Terms, sum: TermId) -> (Int, Int) {
        match terms.node(sum) {
            Node::Linear(form) => {
                (self.sum(&form.with_constant(Integer::ZERO)), number(&-form.constant_part()))
            }
            _ => (self.int(sum).clone(), number(&Integer::ZERO)),
        }
    }

    fn integer(&self, node: &Node) -> Int {
        match node {
            Node::Number(value) => number(value),
            Node::Linear(form) => self.sum(form),
            Node::Product(factors) => {
                Int::mul(&factors.iter().map(|factor| self.int(*factor)).collect::<Vec<_>>())
            }
            Node::Div(a, divisor) => self.int(*a).div(number(divisor)),
            Node::Mod(a, divisor) => self.int(*a).modulo(number(divisor)),
            Node::Select(array, index) => {
                self.array(*array).select(self.int(*index)).as_int().expect("an element should be an integer")
            }
            other => unreachable!("an integer should not be {other:?}"),
        }
    }

    fn sum(&self, form: &Linear) -> Int {
        let mut parts: Vec<Int> = Vec::with_capacity(form.terms().len() + 1);
        for (term, coefficient) in form.terms() {
            let factor = self.int(*term);
            parts.push(if coefficient.is_one() { factor.clone() } else { number(coefficient) * factor });
        }
        if !form.constant_part().is_zero() || parts.is_empty() {
            parts.push(number(form.constant_part()));
        }
        if parts.len() == 1 { parts.remove(0) } else { Int::add(&parts) }
    }

    fn choice(&self, condition: TermId, yes: TermId, no: TermId) -> Translated {
        let condition = self.bool(condition);
        match (&self.memo[&yes].0, &self.memo[&no].0) {
            (Translated::Bool(yes), Translated::Bool(no)) => Translated::Bool(condition.ite(yes, no)),
            (Translated::Int(yes), Translated::Int(no)) => Translated::Int(condition.ite(yes, no)),
            (Translated::Array(yes), Translated::Array(no)) => Translated::Array(condition.ite(yes, no)),
            (Translated::BitVec(yes), Translated::BitVec(no)) => Translated::BitVec(condition.ite(yes, no)),
            _ => unreachable!("both cases should have one sort"),
        }
    }

    fn operation(&self, op: BvOp, operands: &[TermId]) -> Translated {
        let a = || self.bits(operands[0]);
        let b = || self.bits(operands[1]);
        Translated::BitVec(match op {
            BvOp::Add => a().bvadd(b()),
            BvOp::Sub => a().bvsub(b()),
            BvOp::Mul => a().bvmul(b()),
            BvOp::Udiv => a().bvudiv(b()),
            BvOp::Urem => a().bvurem(b()),
            BvOp::Sdiv => a().bvsdiv(b()),
            BvOp::Srem => a().bvsrem(b()),
            BvOp::And => a().bvand(b()),
            BvOp::Or => a().bvor(b()),
            BvOp::Xor => a().bvxor(b()),
            BvOp::Not => a().bvnot(),
            BvOp::Neg => a().bvneg(),
            BvOp::Shl => a().bvshl(b()),
            BvOp::Lshr => a().bvlshr(b()),
            BvOp::Ashr => a().bvashr(b()),
            BvOp::Concat => a().concat(b()),
            BvOp::Extract { high, low } => a().extract(high, low),
            BvOp::ZeroExtend(by) => a().zero_ext(by),
            BvOp::SignExtend(by) => a().sign_ext(by),
            BvOp::FromInt(width) => BV::from_int(self.int(operands[0]), width),
            BvOp::Ult => return Translated::Bool(a().bvult(b())),
            BvOp::Ule => return Translated::Bool(a().bvule(b())),
            BvOp::Slt => return Translated::Bool(a().bvslt(b())),
            BvOp::Sle => return Translated::Bool(a().bvsle(b())),
            BvOp::ToInt => return Translated::Int(a().to_int(false)),
            BvOp::SmulFits => {
                let parts = [a().bvmul_no_overflow(b(), true), a().bvmul_no_underflow(b())];
                return Translated::Bool(Bool::and(&parts));
            }
            BvOp::Float(format, op) => {
                let operands: Vec<&BV> = operands.iter().map(|operand| self.bits(*operand)).collect();
                return float::operation(format, op, &operands);
            }
        })
    }
}

fn constant(name: &str, sort: Sort) -> Translated {
    match sort {
        Sort::Bool => Translated::Bool(Bool::new_const(name)),
        Sort::Int => Translated::Int(Int::new_const(name)),
        Sort::Array => Translated::Array(Array::new_const(name, &z3::Sort::int(), &z3::Sort::int())),
        Sort::BitVec(width) => Translated::BitVec(BV::new_const(name, width)),
        Sort::BitArray(width) => Translated::Array(Array::new_const(
            name,
            &z3::Sort::bitvector(INDEX_WIDTH),
            &z3::Sort::bitvector(width),
        )),
    }
}

fn equal(a: &Translated, b: &Translated) -> Bool {
    match (a, b) {
        (Translated::Bool(a), Translated::Bool(b)) => a.eq(b),
        (Translated::Int(a), Translated::Int(b)) => a.eq(b),
        (Translated::Array(a), Translated::Array(b)) => a.eq(b),
        (Translated::BitVec(a), Translated::BitVec(b)) => a.eq(b),
        _ => unreachable!("both sides should have one sort"),
    }
}

fn number(value: &Integer) -> Int {
    match value.to_i64() {
        Some(word) => Int::from_i64(word),
        None => value.to_string().parse().expect("an integer should be a numeral"),
    }
}
