//! Systems, solutions and derivations as text.
//!
//! # Invariants
//! * I1: the text is linear in the size of the terms' graph: a subterm that is used twice is named by `let`.
//! * I2: what [`system`] prints, [`read`](crate::read()) reads as a system with the same answer, if it has no products.
//! * I3: a solution speaks of the sorts of the text. Values that stand for those of another sort are not written as if they were of it: there is no text then.

use std::fmt::Write;

use base::Idx;
use rustc_hash::FxHashMap;
use term::{Integer, Linear, Node, Sort, SymbolId, TermId, Terms, Value};

use crate::derivation::Derivation;
use crate::represented::Represented;
use crate::solution::{Meaning, Solution, Universal};
use crate::system::{Atom, Clause, System};

/// A system as an SMT-LIB script in the logic HORN.
pub fn system(terms: &Terms, system: &System) -> String {
    let mut text = String::from("(set-logic HORN)\n");
    for predicate in &system.predicates {
        let sorts: Vec<&str> = predicate.formals.iter().map(|formal| sort_name(terms, *formal)).collect();
        line(&mut text, format_args!("(declare-fun {} ({}) Bool)", quoted(&predicate.name), sorts.join(" ")));
    }
    for clause in &system.clauses {
        let bound = binders(terms, &clause.symbols(terms));
        let implication = implication(terms, system, clause, "false");
        line(&mut text, format_args!("(assert {})", quantified(&bound, implication)));
    }
    text.push_str("(check-sat)\n");
    text
}

/// The relation that stands for false in the text of [`rules`].
pub const ERROR: &str = "wayproof!error";

/// A system as relations and rules of Z3's fixed-point engines; false is the relation [`ERROR`].
pub fn rules(terms: &Terms, system: &System) -> String {
    let mut text = format!("(declare-rel {} ())\n", quoted(ERROR));
    for predicate in &system.predicates {
        let sorts: Vec<&str> = predicate.formals.iter().map(|formal| sort_name(terms, *formal)).collect();
        line(&mut text, format_args!("(declare-rel {} ({}))", quoted(&predicate.name), sorts.join(" ")));
    }
    for clause in &system.clauses {
        let bound = binders(terms, &clause.symbols(terms));
        let implication = implication(terms, system, clause, &quoted(ERROR));
        line(&mut text, format_args!("(rule {})", quantified(&bound, implication)));
    }
    text
}

/// The definitions of a solution, each a `define-fun`. What is defined by clauses has an existential quantifier, what is said of all elements a
/// universal one.
pub fn solution(terms: &mut Terms, system: &System, solution: &Solution) -> Result<String, String> {
    let meanings = solution.meanings(terms, system)?;
    let mut text = String::from("(\n");
    for (id, predicate) in system.predicates.iter_enumerated() {
        let Meaning { locals, formula, universals } = &meanings[id];
        let mut parts = vec![*formula];
        for universal in universals {
            parts.extend([universal.guard, universal.formula]);
        }
        let used = terms.symbols_of_all(&parts);
        let represented = Represented::new(terms, predicate, &parts)?;
        let text_of =
            |term: TermId| Writer { represented: &represented, ..Writer::new(terms, &[term]) }.term(term);
        let mut conjuncts = if *formula == Terms::TRUE && !universals.is_empty() {
            Vec::new()
        } else {
            vec![text_of(*formula)]
        };
        for Universal { guard, indices, formula } in universals {
            let bound = binders(terms, indices);
            let statement = format!("(forall ({bound}) {})", text_of(*formula));
            conjuncts.push(match *guard {
                Terms::TRUE => statement,
                guard => format!("(=> {} {statement})", text_of(guard)),
            });
        }
        let formula =
            if let [only] = &conjuncts[..] { only.clone() } else { format!("(and {})", conjuncts.join(" ")) };
        let locals: Vec<SymbolId> = locals.iter().copied().filter(|local| used.contains(local)).collect();
        let bound = declarations(terms, &locals, &represented);
        let body = if bound.is_empty() { formula } else { format!("(exists ({bound}) {formula})") };
        let formals = declarations(terms, &predicate.formals, &represented);
        line(&mut text, format_args!("  (define-fun {} ({formals}) Bool", quoted(&predicate.name)));
        line(&mut text, format_args!("    {body})"));
    }
    text.push_str(")\n");
    Ok(text)
}

/// A derivation: a line for each step, with the clause and the steps of its premises, counted from 1.
pub fn derivation(terms: &Terms, system: &System, derivation: &Derivation) -> String {
    let mut text = String::new();
    let heads = derivation.heads(terms, system);
    for (index, step) in derivation.steps.iter().enumerate() {
        let atom = match &system.clauses[step.clause].head {
            None => "false".to_owned(),
            Some(head) => {
                let name = quoted(&system.predicates[head.predicate].name);
                let arguments: Vec<String> = heads[index].iter().map(constant).collect();
                if arguments.is_empty() { name } else { format!("({name} {})", arguments.join(" ")) }
            }
        };
        let _ = write!(text, "{}: {atom} by clause {}", index + 1, step.clause.index() + 1);
        let premises: Vec<String> = step.premises.iter().map(|premise| (premise + 1).to_string()).collect();
        let from = if premises.is_empty() { String::new() } else { format!(" from {}", premises.join(", ")) };
        line(&mut text, format_args!("{from}"));
    }
    text
}

fn quantified(bound: &str, formula: String) -> String {
    if bound.is_empty() { formula } else { format!("(forall ({bound}) {formula})") }
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{arguments}");
}

fn constant(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => number(value),
        Value::BitVec(_, value) => value.to_string(),
        Value::Array(array) => {
            let start = format!("((as const (Array Int Int)) {})", number(array.default_element()));
            let store = |text: String, (index, element): (&Integer, &Integer)| {
                format!("(store {text} {} {})", number(index), number(element))
            };
            array.entries().fold(start, store)
        }
    }
}

fn number(value: &Integer) -> String {
    if value.is_negative() { format!("(- {})", value.abs()) } else { value.to_string() }
}

/// A name as a quoted symbol. The reader takes no bar from the inside of one.
fn quoted(name: &str) -> String {
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

fn sort_name(terms: &Terms, symbol: SymbolId) -> &'static str {
    match terms.symbol(symbol).sort {
        Sort::Bool => "Bool",
        Sort::Array | Sort::BitArray(_) => "(Array Int Int)",
        Sort::Int | Sort::BitVec(_) => "Int",
    }
}

/// Unique names: that of the symbol and its number.
fn symbol_name(terms: &Terms, symbol: SymbolId) -> String {
    quoted(&format!("{}!{}", terms.symbol(symbol).name, symbol.0))
}

fn binders(terms: &Terms, symbols: &[SymbolId]) -> String {
    let binder =
        |symbol: &SymbolId| format!("({} {})", symbol_name(terms, *symbol), sort_name(terms, *symbol));
    symbols.iter().map(binder).collect::<Vec<_>>().join(" ")
}

/// As [`binders`], with the sorts that symbols stand for.
fn declarations(terms: &Terms, symbols: &[SymbolId], represented: &Represented) -> String {
    let binder = |symbol: &SymbolId| {
        let sort = represented.of(*symbol).unwrap_or_else(|| sort_name(terms, *symbol));
        format!("({} {sort})", symbol_name(terms, *symbol))
    };
    symbols.iter().map(binder).collect::<Vec<_>>().join(" ")
}

fn implication(terms: &Terms, system: &System, clause: &Clause, falsity: &str) -> String {
    let mut writer = Writer::new(terms, &clause.terms());
    let lets = writer.lets(&clause.terms());
    let mut premises: Vec<String> =
        clause.body.iter().map(|atom| application(system, &writer, atom)).collect();
    premises.push(writer.expression(clause.constraint));
    let head = clause.head.as_ref().map_or(falsity.to_owned(), |atom| application(system, &writer, atom));
    let close = ")".repeat(lets.len());
    format!("{}(=> (and {}) {head}){close}", lets.concat(), premises.join(" "))
}

fn application(system: &System, writer: &Writer<'_>, atom: &Atom) -> String {
    let name = quoted(&system.predicates[atom.predicate].name);
    let arguments: Vec<String> = atom.arguments.iter().map(|term| writer.expression(*term)).collect();
    if arguments.is_empty() { name } else { format!("({name} {})", arguments.join(" ")) }
}

/// Writes terms; shared ones have names.
struct Writer<'a> {
    terms: &'a Terms,
    uses: FxHashMap<TermId, u32>,
    /// How a term is referred to.
    texts: FxHashMap<TermId, String>,
    /// Symbols that stand for values of other sorts.
    represented: &'a Represented,
}

/// All symbols have the sorts that they are written with.
static AS_WRITTEN: Represented = Represented::NONE;

impl<'a> Writer<'a> {
    fn new(terms: &'a Terms, roots: &[TermId]) -> Self {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in terms.reachable(roots) {
            terms.node(term).for_each_child(|child| *uses.entry(child).or_default() += 1);
        }
        for root in roots {
            *uses.entry(*root).or_default() += 1;
        }
        Self { terms, uses, texts: FxHashMap::default(), represented: &AS_WRITTEN }
    }

    /// One term with the names that it needs.
    fn term(&mut self, term: TermId) -> String {
        let lets = self.lets(&[term]);
        format!("{}{}{}", lets.concat(), self.expression(term), ")".repeat(lets.len()))
    }

    /// Opens a `let` for each term that is used twice (I1).
    fn lets(&mut self, roots: &[TermId]) -> Vec<String> {
        let mut lets = Vec::new();
        for term in self.terms.reachable(roots) {
            let expression = self.expression_of(term);
            let is_leaf =
                matches!(self.terms.node(term), Node::True | Node::False | Node::Symbol(_) | Node::Number(_));
            if is_leaf || self.uses.get(&term).is_none_or(|uses| *uses < 2) {
                self.texts.insert(term, expression);
            } else {
                let name = format!("t{}", term.0);
                lets.push(format!("(let (({name} {expression})) "));
                self.texts.insert(term, name);
            }
        }
        lets
    }

    fn expression(&self, term: TermId) -> String {
        self.texts.get(&term).cloned().unwrap_or_else(|| "true".to_owned())
    }

    fn apply(&self, operator: &str, operands: &[TermId]) -> String {
        let operands: Vec<String> = operands.iter().map(|operand| self.expression(*operand)).collect();
        format!("({operator} {})", operands.join(" "))
    }

    fn expression_of(&self, term: TermId) -> String {
        match self.terms.node(term) {
            Node::True => "true".to_owned(),
            Node::False => "false".to_owned(),
            Node::Symbol(symbol) => symbol_name(self.terms, *symbol),
            Node::Not(inner) => self.apply("not", &[*inner]),
            Node::And(items) => self.apply("and", items),
            Node::Or(items) => self.apply("or", items),
            Node::Le(sum) => format!("(<= {} 0)", self.expression(*sum)),
            Node::Divides(divisor, sum) => format!("(= (mod {} {divisor}) 0)", self.expression(*sum)),
            Node::Zero(sum) => match Represented::sides(self.terms, term) {
                Some((a, b)) => self.apply("=", &[a, b]),
                None => format!("(= {} 0)", self.expression(*sum)),
            },
            Node::Same(a, b) => self.apply("=", &[*a, *b]),
            Node::Number(value) => number(value),
            Node::Linear(form) => self.sum(form),
            Node::Product(items) => self.apply("*", items),
            Node::Div(inner, divisor) => format!("(div {} {divisor})", self.expression(*inner)),
            Node::Mod(inner, divisor) => format!("(mod {} {divisor})", self.expression(*inner)),
            Node::Ite(a, b, c) => self.apply("ite", &[*a, *b, *c]),
            Node::Select(a, b) if self.represented.is_boolean_array(self.terms, *a) => {
                format!("(ite {} 1 0)", self.apply("select", &[*a, *b]))
            }
            Node::Select(a, b) => self.apply("select", &[*a, *b]),
            Node::Store(a, b, c) if self.represented.is_boolean_array(self.terms, *a) => {
                let (a, b, c) = (self.expression(*a), self.expression(*b), self.expression(*c));
                format!("(store {a} {b} (= {c} 1))")
            }
            Node::Store(a, b, c) => self.apply("store", &[*a, *b, *c]),
            Node::ConstArray(item) => format!("((as const (Array Int Int)) {})", self.expression(*item)),
            Node::BvNumber(..) | Node::Bv(..) => format!("unsupported{}", term.0),
        }
    }

    fn sum(&self, form: &Linear) -> String {
        let product = |(term, coefficient): &(TermId, Integer)| {
            let term = self.expression(*term);
            if coefficient.is_one() { term } else { format!("(* {} {term})", number(coefficient)) }
        };
        let mut items: Vec<String> = form.terms().iter().map(product).collect();
        if !form.constant_part().is_zero() || items.is_empty() {
            items.push(number(form.constant_part()));
        }
        if items.len() == 1 { items.remove(0) } else { format!("(+ {})", items.join(" ")) }
    }
}
