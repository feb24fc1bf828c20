//! Readable facts about all elements of arrays: `for all k: 0 <= k && k < i implies a[k] == 1`.
//!
//! An annotation excludes states for all values of its free symbols. Where one of the excluded cases has a single free symbol, at which it compares an element, the case is such a fact.
//!
//! # Invariants
//! * I1: what is printed is the negation of a case that the annotation excludes for all values, so it holds if the annotation does.
//! * I2: no verdict depends on this; what has no name in the source is left out.

use base::Region;
use cfa::{LocationRole, Program};
use encode::Vocabulary;
use passes::Prepared;
use term::print::c_expression;
use term::{Node, Sort, SymbolId, TermId, Terms};
use verdict::{Annotation, Imported, LogicName, import};

/// Longer expressions help nobody.
const MAX_LENGTH: usize = 200;
/// Neither do more facts about one loop.
const MAX_FACTS: usize = 4;

/// What holds of all elements of an array at a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForAll {
    /// The loop.
    pub region: Region,
    /// The fact, with its quantifier.
    pub text: String,
}

/// The facts of an annotation about all elements, in the order of the source.
pub fn quantified(task: &Prepared<'_>, annotation: &Annotation) -> Vec<ForAll> {
    let prepared = task.program();
    let entry = prepared.entry;
    // Formulas about bit-vectors have no words here.
    if annotation.logic == LogicName::Bits {
        return Vec::new();
    }
    let Ok(Imported { mut terms, vocabulary, claims, .. }) = import(prepared, annotation) else {
        return Vec::new();
    };
    let mut found: Vec<ForAll> = Vec::new();
    for ((proc, location), claim) in &claims {
        // The locations of another procedure have numbers of their own.
        if *proc != entry || prepared.procs[entry].locations[*location].role != LocationRole::LoopHead {
            continue;
        }
        let Some(origin) = task.back().location(entry, *location) else { continue };
        let region = task.given().procs[origin.proc].locations[origin.location].region;
        let writer = Writer { task, program: task.given(), vocabulary: &vocabulary };
        let normal = terms.nnf(claim.never);
        let mut texts: Vec<String> = Vec::new();
        for case in terms.disjuncts(normal) {
            let text = writer.fact(&mut terms, case);
            texts.extend(text.filter(|text| !texts.contains(text)));
        }
        texts.sort_by_key(String::len);
        found.extend(texts.into_iter().take(MAX_FACTS).map(|text| ForAll { region, text }));
    }
    found.sort_by(|left, right| (left.region, &left.text).cmp(&(right.region, &right.text)));
    found.dedup();
    found
}

struct Writer<'a> {
    task: &'a Prepared<'a>,
    program: &'a Program,
    vocabulary: &'a Vocabulary,
}

impl Writer<'_> {
    /// The fact that a case is excluded for all values of its free symbol.
    fn fact(&self, terms: &mut Terms, case: TermId) -> Option<String> {
        let symbols = terms.symbols_of(case).into_iter();
        let free: Vec<SymbolId> = symbols.filter(|symbol| self.vocabulary.is_free(*symbol)).collect();
        let [index] = free[..] else { return None };
        let parts = terms.conjuncts(case);
        let reads = |terms: &Terms, part: TermId| {
            let select = |term: &TermId| matches!(terms.node(*term), Node::Select(..));
            terms.reachable(&[part]).iter().any(select)
        };
        let (about, conditions): (Vec<TermId>, Vec<TermId>) =
            parts.into_iter().partition(|part| reads(terms, *part));
        let [about] = about[..] else { return None };
        if terms.symbol(index).sort != Sort::Int || !terms.mentions(about, &[index]) {
            return None;
        }
        let mut texts: Vec<(u8, String)> = Vec::new();
        for condition in conditions {
            texts.push(self.condition(terms, condition, index)?);
        }
        texts.sort_by_key(|(rank, _)| *rank);
        let holds = terms.not(about);
        let holds = self.text(terms, holds, index)?;
        let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
        let name = self.index_name();
        let condition = texts.join(" && ");
        let text = if texts.is_empty() {
            format!("for all {name}: {holds}")
        } else {
            format!("for all {name}: {condition} implies {holds}")
        };
        (text.len() <= MAX_LENGTH).then_some(text)
    }

    /// A condition on the index: lower bounds come first, then upper ones.
    fn condition(&self, terms: &mut Terms, condition: TermId, index: SymbolId) -> Option<(u8, String)> {
        let own = terms.of_symbol(index);
        let Node::Le(sum) = *terms.node(condition) else {
            return Some((2, self.text(terms, condition, index)?));
        };
        let form = terms.linear(sum);
        let factor = form.coefficient(own);
        if !factor.abs().is_one() {
            return Some((2, self.text(terms, condition, index)?));
        }
        let rest = form.without(own);
        let name = self.text(terms, own, index)?;
        if factor.is_negative() {
            let bound = terms.of_linear(&rest);
            return Some((0, format!("{} <= {name}", self.text(terms, bound, index)?)));
        }
        let last = rest.negate();
        let is_strict = (-last.constant_part()).is_one();
        let bound = if is_strict { last.add_constant(&term::Integer::ONE) } else { last };
        let bound = terms.of_linear(&bound);
        let operator = if is_strict { "<" } else { "<=" };
        Some((1, format!("{name} {operator} {}", self.text(terms, bound, index)?)))
    }

    /// A formula or term in C; nothing if a variable has no name in the source.
    fn text(&self, terms: &Terms, term: TermId, index: SymbolId) -> Option<String> {
        let others = terms.symbols_of(term).into_iter().filter(|symbol| *symbol != index);
        for symbol in others {
            self.name(symbol)?;
        }
        let own = self.index_name();
        let name = |symbol: SymbolId| {
            if symbol == index { own.clone() } else { self.name(symbol).unwrap_or_default() }
        };
        c_expression(terms, term, &name, MAX_LENGTH)
    }

    fn name(&self, symbol: SymbolId) -> Option<String> {
        let vars = match self.vocabulary.var(symbol) {
            Some(var) => vec![var],
            None => self.vocabulary.factors(symbol)?.to_vec(),
        };
        let mut names = Vec::new();
        for var in vars {
            let source = self.task.back().var(var)?;
            let name = self.program.vars[source.var].name.to_string();
            let is_word = |word: char| word.is_ascii_alphanumeric() || word == '_';
            if name.is_empty() || !name.chars().all(is_word) {
                return None;
            }
            names.push(name);
        }
        Some(names.join(" * "))
    }

    /// A name for the index that no variable of the program has.
    fn index_name(&self) -> String {
        let is_used = |name: &str| self.program.vars.iter().any(|var| &*var.name == name);
        let names = ["k", "index", "any_index"];
        names.iter().find(|name| !is_used(name)).unwrap_or(&"k_").to_string()
    }
}
