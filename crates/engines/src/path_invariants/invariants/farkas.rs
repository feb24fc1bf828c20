//! Implication encoding: when linear hypotheses imply a linear goal, as constraints on parameters.
//!
//! # Paper
//! [PathInvariants06] §4.2, "Implication Encoding": Farkas' lemma. Rows `hᵢ: aᵢ·y + cᵢ ≤ 0` imply `g·y + d ≤ 0` if there are multipliers λᵢ ≥ 0 with `Σ λᵢ·aᵢ = g` and `Σ λᵢ·cᵢ ≥ d`; they contradict
//! each other if there are some with `Σ λᵢ·aᵢ = 0` and `Σ λᵢ·cᵢ ≥ 1`. Multipliers of equations may be negative.
//!
//! Coefficients of templates are parameters, so a multiplier of a template makes a product of unknowns. As in the paper these multipliers are from a small set: 0 and 1, and −1 for equations. Then all
//! constraints are linear, with choices.
//!
//! # Invariants
//! * F1: under a model of the constraint the goal follows from the hypotheses. The converse does not hold: the multipliers are bounded, and rational.

use std::collections::{BTreeMap, BTreeSet};

use term::{Linear, Sort, SymbolKind, TermId, Terms};

/// A sum whose coefficients are terms over parameters.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The coefficients of columns: program variables, Skolem constants, and what is opaque to linear arithmetic.
    pub(super) parts: BTreeMap<TermId, TermId>,
    /// The constant.
    pub(super) constant: TermId,
}

impl Form {
    /// A sum with known coefficients.
    pub(super) fn known(terms: &mut Terms, form: &Linear) -> Self {
        let parts = form.terms().iter().map(|(column, factor)| (*column, terms.number(factor.clone())));
        let parts = parts.collect();
        Self { parts, constant: terms.number(form.constant_part().clone()) }
    }

    /// Adds a known sum, times a parameter.
    pub(super) fn add_scaled(&mut self, terms: &mut Terms, form: &Linear, parameter: TermId) {
        for (column, factor) in form.terms() {
            let product = terms.scale(factor, parameter);
            let sum = self.parts.get(column).copied().unwrap_or_else(|| terms.int(0));
            self.parts.insert(*column, terms.add(sum, product));
        }
        let product = terms.scale(form.constant_part(), parameter);
        self.constant = terms.add(self.constant, product);
    }

    /// The difference to another sum.
    pub(super) fn minus(&self, terms: &mut Terms, other: &Self) -> Self {
        let columns: BTreeSet<TermId> = self.parts.keys().chain(other.parts.keys()).copied().collect();
        let mut parts = BTreeMap::new();
        for column in columns {
            let zero = terms.int(0);
            let own = self.parts.get(&column).copied().unwrap_or(zero);
            let theirs = other.parts.get(&column).copied().unwrap_or(zero);
            parts.insert(column, terms.sub(own, theirs));
        }
        Self { parts, constant: terms.sub(self.constant, other.constant) }
    }

    /// The sum with opposite sign.
    pub(super) fn negated(&self, terms: &mut Terms) -> Self {
        let parts = self.parts.iter().map(|(column, factor)| (*column, terms.neg(*factor))).collect();
        Self { parts, constant: terms.neg(self.constant) }
    }
}

/// What a row says of its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// It is at most zero.
    AtMostZero,
    /// It is zero.
    Zero,
}

/// Where the coefficients of a row are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// They are numbers: any multiplier will do.
    Transition,
    /// They are parameters: the multiplier is from a small set.
    Template,
    /// The same, and the row may be used only if a condition holds.
    Instance(TermId),
}

/// A hypothesis.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The sum.
    pub(super) form: Form,
    /// What is said of it.
    pub(super) says: Says,
    /// Where it is from.
    pub(super) kind: Kind,
}

/// That the rows imply that a sum is at most zero, or that they contradict each other.
pub(super) fn implies(terms: &mut Terms, rows: &[Row], goal: &Form) -> TermId {
    let is_used = fresh(terms, "goal", Sort::Bool);
    encode(terms, rows, Some((goal, is_used)))
}

/// That the rows contradict each other.
pub(super) fn contradict(terms: &mut Terms, rows: &[Row]) -> TermId {
    encode(terms, rows, None)
}

fn encode(terms: &mut Terms, rows: &[Row], goal: Option<(&Form, TermId)>) -> TermId {
    let mut constraints = Vec::new();
    let mut sums: BTreeMap<TermId, Vec<TermId>> = BTreeMap::new();
    let mut constants = Vec::new();
    for row in rows {
        let multiplier = Multiplier::of(terms, row, &mut constraints);
        for (column, factor) in &row.form.parts {
            let product = multiplier.times(terms, *factor);
            sums.entry(*column).or_default().push(product);
        }
        constants.push(multiplier.times(terms, row.form.constant));
    }
    let zero = terms.int(0);
    let mut bound = terms.int(1);
    if let Some((goal, is_used)) = goal {
        for (column, factor) in &goal.parts {
            let wanted = terms.ite(is_used, *factor, zero);
            let wanted = terms.neg(wanted);
            sums.entry(*column).or_default().push(wanted);
        }
        bound = terms.ite(is_used, goal.constant, bound);
    }
    for summands in sums.into_values() {
        let sum = terms.sum(summands);
        constraints.push(terms.eq(sum, zero));
    }
    let constant = terms.sum(constants);
    constraints.push(terms.ge(constant, bound));
    terms.and(constraints)
}

/// A multiplier of a row.
enum Multiplier {
    /// An integer.
    Number(TermId),
    /// One if a condition holds, else zero.
    Chosen(TermId),
    /// The same, and minus one if another condition holds.
    Signed(TermId, TermId),
}

impl Multiplier {
    fn of(terms: &mut Terms, row: &Row, constraints: &mut Vec<TermId>) -> Self {
        let zero = terms.int(0);
        match (row.kind, row.says) {
            (Kind::Transition, says) => {
                let number = fresh(terms, "multiplier", Sort::Int);
                if says == Says::AtMostZero {
                    constraints.push(terms.ge(number, zero));
                }
                Self::Number(number)
            }
            (Kind::Template | Kind::Instance(_), says) => {
                let plus = fresh(terms, "multiplier", Sort::Bool);
                let minus = fresh(terms, "multiplier", Sort::Bool);
                if let Kind::Instance(condition) = row.kind {
                    let is_used = terms.or([plus, minus]);
                    constraints.push(terms.implies(is_used, condition));
                }
                match says {
                    Says::AtMostZero => Self::Chosen(plus),
                    Says::Zero => Self::Signed(plus, minus),
                }
            }
        }
    }

    fn times(&self, terms: &mut Terms, factor: TermId) -> TermId {
        let zero = terms.int(0);
        match self {
            Self::Number(number) => match terms.as_number(factor).cloned() {
                Some(factor) => terms.scale(&factor, *number),
                None => terms.mul(factor, *number),
            },
            Self::Chosen(condition) => terms.ite(*condition, factor, zero),
            Self::Signed(plus, minus) => {
                let (plus, minus) = (terms.ite(*plus, factor, zero), terms.ite(*minus, factor, zero));
                terms.sub(plus, minus)
            }
        }
    }
}

fn fresh(terms: &mut Terms, name: &str, sort: Sort) -> TermId {
    let symbol = terms.fresh(name, sort, SymbolKind::Auxiliary);
    terms.of_symbol(symbol)
}
