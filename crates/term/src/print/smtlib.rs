//! SMT-LIB 2 scripts, linear in the size of the terms' graph.
//!
//! # Invariants
//! * I1: a subterm that is used twice, or that would nest deeper than [`DEPTH_LIMIT`], gets a definition of its own,
//!   so that neither the text nor the depth of its expressions explodes.
//! * I2: names of symbols end in `!` and the symbol's number, names of definitions are `t` and the term's number:
//!   they never clash.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::{BvOp, FloatFormat, FloatOp, INDEX_WIDTH, Integer, Linear, Node, Sort, SymbolId, TermId, Terms};

/// Deeper expressions are split by definitions.
const DEPTH_LIMIT: u32 = 40;

/// A script that asserts the formulas and asks whether they are satisfiable. `status` is what is known about that:
/// `sat`, `unsat` or `unknown`.
pub fn script(terms: &Terms, assertions: &[TermId], status: &str) -> String {
    let order = terms.reachable(assertions);
    let mut text = format!("(set-info :status {status})\n(set-logic {})\n", logic(terms, &order));
    for symbol in terms.symbols_of_all(assertions) {
        let sort = sort_name(terms.symbol(symbol).sort);
        writeln!(text, "(declare-fun {} () {sort})", symbol_name(terms, symbol))
            .expect("a string should take text");
    }
    let mut writer = Writer { terms, uses: FxHashMap::default(), inline: FxHashMap::default() };
    writer.count_uses(&order, assertions);
    for term in order {
        writer.write(term, &mut text);
    }
    for assertion in assertions {
        let formula = writer.inline.get(assertion).map_or("true", |(expression, _)| expression);
        writeln!(text, "(assert {formula})").expect("a string should take text");
    }
    text.push_str("(check-sat)\n");
    text
}

/// The name of a symbol in scripts.
pub fn symbol_name(terms: &Terms, symbol: SymbolId) -> String {
    let printable = |c: char| c.is_ascii_graphic() && c != '|' && c != '\\';
    let name: String =
        terms.symbol(symbol).name.chars().map(|c| if printable(c) { c } else { '_' }).collect();
    format!("|{name}!{}|", symbol.0)
}

/// A number; there are no negative literals.
fn number(value: &Integer) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Int => "Int".to_owned(),
        Sort::Array => "(Array Int Int)".to_owned(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::BitArray(width) => format!("(Array (_ BitVec {INDEX_WIDTH}) (_ BitVec {width}))"),
    }
}

/// The smallest logic that has all that occurs.
fn logic(terms: &Terms, order: &[TermId]) -> &'static str {
    let any = |is_wanted: fn(&Node) -> bool| order.iter().any(|term| is_wanted(terms.node(*term)));
    let bits = any(|node| matches!(node, Node::BvNumber(..) | Node::Bv(..)));
    let is_array = |term: &TermId| matches!(terms.sort(*term), Sort::Array | Sort::BitArray(_));
    let arrays = order.iter().any(is_array);
    let floats = any(|node| matches!(node, Node::Bv(BvOp::Float(..), _)));
    let integers = order.iter().any(|term| terms.sort(*term) == Sort::Int);
    let products = any(|node| matches!(node, Node::Product(_)));
    match (bits, arrays, products) {
        (true, false, _) if !integers && floats => "QF_BVFP",
        (true, false, _) if !integers => "QF_BV",
        (true, true, _) if !integers && !floats => "QF_ABV",
        (true, ..) => "ALL",
        (false, true, true) => "QF_ANIA",
        (false, true, false) => "QF_ALIA",
        (false, false, true) => "QF_NIA",
        (false, false, false) => "QF_LIA",
    }
}

struct Writer<'a> {
    terms: &'a Terms,
    uses: FxHashMap<TermId, u32>,
    /// The expression by which a term is referred to, and how deep it nests.
    inline: FxHashMap<TermId, (String, u32)>,
}

impl Writer<'_> {
    fn count_uses(&mut self, order: &[TermId], roots: &[TermId]) {
        for root in roots {
            *self.uses.entry(*root).or_default() += 1;
        }
        for term in order {
            self.terms.node(*term).for_each_child(|child| *self.uses.entry(child).or_default() += 1);
        }
    }

    fn write(&mut self, term: TermId, text: &mut String) {
        let mut depth = 0;
        self.terms.node(term).for_each_child(|child| depth = depth.max(self.inline[&child].1));
        let is_leaf = matches!(
            self.terms.node(term),
            Node::True | Node::False | Node::Symbol(_) | Node::Number(_) | Node::BvNumber(..)
        );
        let expression = self.expression(term);
        let is_shared = self.uses.get(&term).is_some_and(|uses| *uses > 1);
        if is_leaf || (!is_shared && depth < DEPTH_LIMIT) {
            self.inline.insert(term, (expression, if is_leaf { 0 } else { depth + 1 }));
            return;
        }
        let sort = sort_name(self.terms.sort(term));
        writeln!(text, "(define-fun t{} () {sort} {expression})", term.0).expect("a string should take text");
        self.inline.insert(term, (format!("t{}", term.0), 0));
    }

    fn apply(&self, operator: &str, operands: &[TermId]) -> String {
        let mut text = format!("({operator}");
        for operand in operands {
            text.push(' ');
            text.push_str(&self.inline[operand].0);
        }
        text.push(')');
        text
    }

    fn expression(&self, term: TermId) -> String {
        let of = |term: &TermId| self.inline[term].0.as_str();
        match self.terms.node(term) {
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Symbol(symbol) => symbol_name(self.terms, *symbol),
            Node::Not(a) => self.apply("not", &[*a]),
            Node::And(items) => self.apply("and", items),
            Node::Or(items) => self.apply("or", items),
            Node::Le(a) => format!("(<= {} 0)", of(a)),
            Node::Zero(a) => format!("(= {} 0)", of(a)),
            Node::Divides(divisor, a) => format!("(= (mod {} {divisor}) 0)", of(a)),
            Node::Same(a, b) => self.apply("=", &[*a, *b]),
            Node::Number(value) => number(value),
            Node::Linear(form) => self.sum(form),
            Node::Product(factors) => self.apply("*", factors),
            Node::Div(a, divisor) => format!("(div {} {divisor})", of(a)),
            Node::Mod(a, divisor) => format!("(mod {} {divisor})", of(a)),
            Node::Ite(a, b, c) => self.apply("ite", &[*a, *b, *c]),
            Node::Select(a, b) => self.apply("select", &[*a, *b]),
            Node::Store(a, b, c) => self.apply("store", &[*a, *b, *c]),
            Node::ConstArray(a) => format!("((as const {}) {})", sort_name(self.terms.sort(term)), of(a)),
            Node::BvNumber(width, value) => format!("(_ bv{value} {width})"),
            Node::Bv(BvOp::SmulFits, operands) => format!("(not {})", self.apply("bvsmulo", operands)),
            Node::Bv(BvOp::Float(format, op), operands) => {
                float_operation(*format, *op, &operands.iter().map(of).collect::<Vec<_>>())
            }
            Node::Bv(op, operands) => self.apply(&operator_name(*op), operands),
        }
    }

    fn sum(&self, form: &Linear) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (term, coefficient) in form.terms() {
            let factor = &self.inline[term].0;
            parts.push(if coefficient.is_one() {
                factor.clone()
            } else {
                format!("(* {} {factor})", number(coefficient))
            });
        }
        if !form.constant_part().is_zero() {
            parts.push(number(form.constant_part()));
        }
        if parts.len() == 1 { parts.concat() } else { format!("(+ {})", parts.join(" ")) }
    }
}

fn operator_name(op: BvOp) -> String {
    let name = match op {
        BvOp::Add => "bvadd",
        BvOp::Sub => "bvsub",
        BvOp::Mul => "bvmul",
        BvOp::Udiv => "bvudiv",
        BvOp::Urem => "bvurem",
        BvOp::Sdiv => "bvsdiv",
        BvOp::Srem => "bvsrem",
        BvOp::And => "bvand",
        BvOp::Or => "bvor",
        BvOp::Xor => "bvxor",
        BvOp::Not => "bvnot",
        BvOp::Neg => "bvneg",
        BvOp::Shl => "bvshl",
        BvOp::Lshr => "bvlshr",
        BvOp::Ashr => "bvashr",
        BvOp::Concat => "concat",
        BvOp::Ult => "bvult",
        BvOp::Ule => "bvule",
        BvOp::Slt => "bvslt",
        BvOp::Sle => "bvsle",
        BvOp::SmulFits | BvOp::Float(..) => unreachable!("no operators of SMT-LIB"),
        BvOp::ToInt => "bv2nat",
        BvOp::Extract { high, low } => return format!("(_ extract {high} {low})"),
        BvOp::ZeroExtend(by) => return format!("(_ zero_extend {by})"),
        BvOp::SignExtend(by) => return format!("(_ sign_extend {by})"),
        BvOp::FromInt(width) => return format!("(_ int2bv {width})"),
    };
    name.to_owned()
}

/// An operation on encodings: they are decoded, and the result is encoded again. `fp.to_ieee_bv` is an extension of SMT-LIB that solvers share; it leaves the encoding of NaN open.
fn float_operation(format: FloatFormat, op: FloatOp, operands: &[&str]) -> String {
    let to_fp = |format: FloatFormat| format!("(_ to_fp {} {})", format.exponent(), format.precision());
    let other = match format {
        FloatFormat::Single => FloatFormat::Double,
        FloatFormat::Double => FloatFormat::Single,
    };
    let number = |index: usize| format!("({} {})", to_fp(format), operands[index]);
    let both = |operator: &str| format!("({operator} {} {})", number(0), number(1));
    let result = match op {
        FloatOp::Add => both("fp.add RNE"),
        FloatOp::Sub => both("fp.sub RNE"),
        FloatOp::Mul => both("fp.mul RNE"),
        FloatOp::Div => both("fp.div RNE"),
        FloatOp::Eq => return both("fp.eq"),
        FloatOp::Lt => return both("fp.lt"),
        FloatOp::Le => return both("fp.leq"),
        FloatOp::FromSigned => format!("({} RNE {})", to_fp(format), operands[0]),
        FloatOp::FromUnsigned => {
            format!("((_ to_fp_unsigned {} {}) RNE {})", format.exponent(), format.precision(), operands[0])
        }
        FloatOp::FromOther => format!("({} RNE ({} {}))", to_fp(format), to_fp(other), operands[0]),
        FloatOp::ToSigned(width) => return format!("((_ fp.to_sbv {width}) RTZ {})", number(0)),
        FloatOp::ToUnsigned(width) => return format!("((_ fp.to_ubv {width}) RTZ {})", number(0)),
    };
    let nan = format!("(_ bv{} {})", format.default_nan(), format.width());
    format!("(let ((r {result})) (ite (fp.isNaN r) {nan} (fp.to_ieee_bv r)))")
}
