//! Variables whose values after k iterations have a closed form: translations, and what is computed from them anew in every iteration.
//!
//! # Paper
//! [Gps25] §6 leaves acceleration to the summary engine; the closure of a guarded translation is the classical one: if the body adds a constant
//! vector c, the guard G is convex and k >= 1, then k iterations are possible iff G holds in the first and in the last one.
//! Extended here to resets (`y := e(x)`, where x is translated), to disequations and to divisibility.
//!
//! # Invariants
//! * R1: with `k` iterations, every translated variable is `v + c·k`; every derived one is, for `k >= 1`, its right-hand side at
//!   the start of the last iteration.
//! * R2: [`Recurrences::guards`] is implied by any `k >= 1` iterations, and is inductive in both directions: a further iteration in front or at
//!   the end of a run that satisfies it for k gives one that satisfies it for k + 1.

use std::collections::BTreeMap;

use term::{Integer, Linear, Node, Substitution, SymbolId, SymbolKind, TermId, Terms};

use crate::transition::TransitionFormula;

/// The closed forms of a loop body.
#[derive(Clone, Debug, Default)]
pub struct Recurrences {
    /// What one iteration adds.
    pub translations: BTreeMap<SymbolId, Integer>,
    /// The value at the end of an iteration over the values at its start of translated and unchanged variables.
    pub derived: BTreeMap<SymbolId, TermId>,
    /// Changed variables of which nothing is known here.
    pub unknown: Vec<SymbolId>,
}

impl Recurrences {
    /// Sorts the changed variables of a body.
    pub fn of(terms: &Terms, body: &TransitionFormula) -> Self {
        let mut recurrences = Self::default();
        let mut rest = Vec::new();
        for (symbol, value) in &body.map {
            match increment(terms, *symbol, *value) {
                Some(constant) => {
                    recurrences.translations.insert(*symbol, constant);
                }
                None => rest.push((*symbol, *value)),
            }
        }
        for (symbol, value) in rest {
            let known = |used: &SymbolId| {
                terms.symbol(*used).kind == SymbolKind::Variable
                    && (!body.map.contains_key(used) || recurrences.translations.contains_key(used))
            };
            if terms.symbols_of(value).iter().all(known) {
                recurrences.derived.insert(symbol, value);
            } else {
                recurrences.unknown.push(symbol);
            }
        }
        recurrences
    }

    /// The values after `k` iterations of translated and derived variables.
    pub fn after(&self, terms: &mut Terms, k: TermId) -> BTreeMap<SymbolId, TermId> {
        let mut values = BTreeMap::new();
        for (symbol, step) in &self.translations {
            values.insert(*symbol, moved(terms, *symbol, step, k));
        }
        let (zero, one) = (terms.int(0), terms.int(1));
        let last = terms.sub(k, one);
        let none = terms.eq(k, zero);
        let mut at_last = self.translate(terms, last);
        for (symbol, value) in &self.derived {
            let old = terms.of_symbol(*symbol);
            let new = at_last.apply(terms, *value);
            values.insert(*symbol, terms.ite(none, old, new));
        }
        values
    }

    /// Moves translated variables `iterations` ahead.
    fn translate(&self, terms: &mut Terms, iterations: TermId) -> Substitution {
        let pairs: Vec<_> = self
            .translations
            .iter()
            .map(|(symbol, step)| (*symbol, moved(terms, *symbol, step, iterations)))
            .collect();
        Substitution::new(pairs)
    }

    /// The state at the start of iteration `j + 2`, for `j >= 0`: derived variables have been set by the iteration before.
    fn inside(&self, terms: &mut Terms, j: TermId) -> Substitution {
        let one = terms.int(1);
        let next = terms.add(j, one);
        let mut at_j = self.translate(terms, j);
        let mut pairs: Vec<_> = self
            .translations
            .iter()
            .map(|(symbol, step)| (*symbol, moved(terms, *symbol, step, next)))
            .collect();
        for (symbol, value) in &self.derived {
            pairs.push((*symbol, at_j.apply(terms, *value)));
        }
        Substitution::new(pairs)
    }

    /// What the guard of the body implies for `k >= 1` iterations. The flag tells whether it is all that it implies.
    pub fn guards(&self, terms: &mut Terms, guard: TermId, k: TermId) -> (TermId, bool) {
        let mut exact = self.unknown.is_empty();
        let mut result = Vec::new();
        let (two, one, zero) = (terms.int(2), terms.int(1), terms.int(0));
        let several = terms.ge(k, two);
        let (last, before_last) = (terms.sub(k, one), terms.sub(k, two));
        let mut at_last = self.inside(terms, before_last);
        let mut at_second = self.inside(terms, zero);
        for atom in terms.conjuncts(guard) {
            let symbols = terms.symbols_of(atom);
            if symbols.iter().any(|symbol| terms.symbol(*symbol).kind != SymbolKind::Variable) {
                exact = false;
                continue;
            }
            result.push(atom);
            if symbols.iter().any(|symbol| self.unknown.contains(symbol)) {
                exact = false;
                continue;
            }
            if !symbols
                .iter()
                .any(|symbol| self.translations.contains_key(symbol) || self.derived.contains_key(symbol))
            {
                continue;
            }
            let uses_derived = symbols.iter().any(|symbol| self.derived.contains_key(symbol));
            if uses_derived {
                let second = at_second.apply(terms, atom);
                result.push(terms.implies(several, second));
            }
            match self.closed_form(terms, atom, last) {
                Some(all) if !uses_derived => result.push(all),
                Some(_) | None => {
                    exact &= is_convex(terms, atom);
                    let at_end = at_last.apply(terms, atom);
                    result.push(terms.implies(several, at_end));
                }
            }
        }
        (terms.and(result), exact)
    }

    /// For atoms that are not convex: that they hold now and after each of `last` further iterations. `None` for other atoms.
    fn closed_form(&self, terms: &mut Terms, atom: TermId, last: TermId) -> Option<TermId> {
        let zero = terms.int(0);
        match terms.node(atom).clone() {
            Node::Divides(divisor, form) => {
                let step = self.step(terms, form)?;
                Some(if divisor.divides(&step) { Terms::TRUE } else { terms.eq(last, zero) })
            }
            Node::Not(inner) => match terms.node(inner).clone() {
                Node::Zero(form) => {
                    let step = self.step(terms, form)?;
                    if step.is_zero() {
                        return Some(Terms::TRUE);
                    }
                    let (form, step) =
                        if step.is_negative() { (terms.neg(form), -step) } else { (form, step) };
                    // form + j·step is zero for no j in 0..=last.
                    let divides = terms.divides(&step, form);
                    let missed = terms.not(divides);
                    let past = terms.gt(form, zero);
                    let distance = terms.scale(&step, last);
                    let sum = terms.add(form, distance);
                    let before = terms.lt(sum, zero);
                    Some(terms.or([missed, past, before]))
                }
                Node::Divides(divisor, form) => {
                    let step = self.step(terms, form)?;
                    divisor.divides(&step).then_some(Terms::TRUE)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// By how much one iteration changes a linear term of translated and unchanged variables.
    fn step(&self, terms: &Terms, term: TermId) -> Option<Integer> {
        let form: Linear = terms.linear(term);
        let mut step = Integer::ZERO;
        for (part, coefficient) in form.terms() {
            let Node::Symbol(symbol) = terms.node(*part) else { return None };
            if let Some(change) = self.translations.get(symbol) {
                step += &(coefficient * change);
            } else if self.derived.contains_key(symbol) || self.unknown.contains(symbol) {
                return None;
            }
        }
        Some(step)
    }
}

/// The constant that `value` adds to `symbol`, if it does just that.
fn increment(terms: &Terms, symbol: SymbolId, value: TermId) -> Option<Integer> {
    if terms.sort(value) != term::Sort::Int {
        return None;
    }
    let form = terms.linear(value);
    match form.terms() {
        [(part, coefficient)] if coefficient.is_one() => {
            matches!(terms.node(*part), Node::Symbol(found) if *found == symbol)
                .then(|| form.constant_part().clone())
        }
        _ => None,
    }
}

fn moved(terms: &mut Terms, symbol: SymbolId, step: &Integer, iterations: TermId) -> TermId {
    let start = terms.of_symbol(symbol);
    let distance = terms.scale(step, iterations);
    terms.add(start, distance)
}

/// Whether an atom that holds at two points holds between them.
fn is_convex(terms: &Terms, atom: TermId) -> bool {
    let linear = |term: TermId| {
        terms.linear(term).terms().iter().all(|(part, _)| matches!(terms.node(*part), Node::Symbol(_)))
    };
    match terms.node(atom) {
        Node::Le(form) | Node::Zero(form) => linear(*form),
        _ => false,
    }
}
