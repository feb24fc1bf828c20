//! Formulas made shorter for reading, with the help of a solver.
//!
//! # Invariants
//! * S1: wherever the solver's assertions hold, the result is equivalent to the formula after quantification of the symbols that may go.
//! * S2: effort is bounded; when it is used up, what remains is left as it is, which keeps S1.
//!
//! # Cost
//! One simplification takes at most [`MAX_SIMPLIFY_TICKS`] ticks, one elimination at most [`MAX_ELIMINATE_TICKS`]; formulas of more than
//! [`MAX_TERMS`] terms are left alone.

use base::Budget;
use smt::Solver;
use smt::project::eliminate;
use term::{Integer, Node, Substitution, SymbolId, TermId, Terms};

use super::quotient::with_remainders;

/// What may be spent on one formula.
const MAX_SIMPLIFY_TICKS: u64 = 2_000;
/// What may be spent on one elimination.
const MAX_ELIMINATE_TICKS: u64 = 2_000;
/// Formulas of more terms are taken as they are.
const MAX_TERMS: usize = 4_000;
/// Conjunctions inside of disjunctions are looked at so deep.
const MAX_DEPTH: usize = 5;
/// What one round made shorter may help the next.
const MAX_ROUNDS: usize = 3;
/// Larger conjunctions and disjunctions are not looked at item by item.
const MAX_WIDTH: usize = 120;

/// Makes formulas shorter.
pub(super) struct Simplifier<'a> {
    pub(super) terms: &'a mut Terms,
    /// Its assertions are what the reader takes for granted.
    pub(super) solver: &'a mut dyn Solver,
    pub(super) budget: Budget,
}

impl Simplifier<'_> {
    /// An equivalent formula without what follows from the rest.
    pub(super) fn simplify(&mut self, formula: TermId) -> TermId {
        if self.is_large(formula) {
            return formula;
        }
        let whole = std::mem::replace(&mut self.budget, Budget::ticks(0));
        self.budget = whole.child(MAX_SIMPLIFY_TICKS);
        let mut result = self.normal(formula);
        for _ in 0..MAX_ROUNDS {
            let shorter = self.within(result, MAX_DEPTH);
            let shorter = self.normal(shorter);
            if shorter == result {
                break;
            }
            result = shorter;
        }
        let spent = std::mem::replace(&mut self.budget, whole);
        self.budget.absorb(&spent);
        result
    }

    /// The formula without `symbols`, if that is possible with little effort.
    pub(super) fn eliminate(&mut self, formula: TermId, symbols: &[SymbolId]) -> Option<TermId> {
        if symbols.is_empty() {
            return Some(formula);
        }
        if self.is_large(formula) {
            return None;
        }
        let mut child = self.budget.child(MAX_ELIMINATE_TICKS);
        let result = eliminate(self.solver, self.terms, formula, symbols, &mut child);
        self.budget.absorb(&child);
        result.ok().filter(|result| !self.is_large(*result))
    }

    /// The formula with bounds that it implies: those expected, and atoms of its own. A disjunction may follow from them.
    pub(super) fn conjoin_implied(&mut self, formula: TermId, expected: &[TermId]) -> TermId {
        if self.is_large(formula) {
            return formula;
        }
        let mut candidates = expected.to_vec();
        let atoms = self.terms.reachable(&[formula]).into_iter();
        candidates
            .extend(atoms.filter(|term| matches!(self.terms.node(*term), Node::Le(_) | Node::Divides(..))));
        candidates.truncate(MAX_WIDTH);
        self.solver.push();
        self.solver.assert(self.terms, formula);
        let mut child = self.budget.child(MAX_SIMPLIFY_TICKS);
        let mut implied = vec![formula];
        for candidate in candidates {
            let negation = self.terms.not(candidate);
            if self.solver.check(self.terms, &[negation], &mut child).is_unsat() {
                implied.push(candidate);
            }
        }
        self.budget.absorb(&child);
        self.solver.pop();
        self.terms.and(implied)
    }

    /// Whether a formula has a model; nothing if that is not known.
    pub(super) fn is_possible(&mut self, formula: TermId) -> Option<bool> {
        let mut child = self.budget.child(MAX_ELIMINATE_TICKS);
        let answer = smt::check_formula(self.solver, self.terms, formula, &mut child);
        self.budget.absorb(&child);
        match answer {
            smt::Answer::Sat(_) => Some(true),
            smt::Answer::Unsat(_) => Some(false),
            smt::Answer::Unknown(_) => None,
        }
    }

    /// Negations at atoms only, bounds merged, remainders of remainders resolved.
    fn normal(&mut self, formula: TermId) -> TermId {
        let tidy = self.terms.tidy(formula);
        let flat = with_remainders(self.terms, tidy);
        self.terms.nnf(flat)
    }

    fn is_large(&self, formula: TermId) -> bool {
        self.terms.reachable(&[formula]).len() > MAX_TERMS
    }

    fn within(&mut self, formula: TermId, depth: usize) -> TermId {
        // Nothing is answered any more, so the rest stays as it is.
        if self.budget.poll().is_err() {
            return formula;
        }
        match self.terms.node(formula) {
            Node::And(_) => self.conjunction(formula, depth),
            Node::Or(_) => self.disjunction(formula, depth),
            _ => self.literal(formula),
        }
    }

    fn literal(&mut self, literal: TermId) -> TermId {
        let negation = self.terms.not(literal);
        if self.excludes(&[negation]) {
            Terms::TRUE
        } else if self.excludes(&[literal]) {
            Terms::FALSE
        } else {
            literal
        }
    }

    fn conjunction(&mut self, formula: TermId, depth: usize) -> TermId {
        let mut items = self.terms.conjuncts(formula);
        if items.len() > MAX_WIDTH {
            return formula;
        }
        if self.excludes(&items) {
            return Terms::FALSE;
        }
        // What is hardest to read is the first to go.
        self.put_constants(&mut items);
        items.sort_by_key(|item| std::cmp::Reverse((self.weight(*item), *item)));
        let mut at = 0;
        while at < items.len() {
            let negation = self.terms.not(items[at]);
            let mut question: Vec<TermId> = items.clone();
            question[at] = negation;
            if self.excludes(&question) {
                items.remove(at);
            } else {
                at += 1;
            }
        }
        if depth > 0 {
            for at in (0..items.len()).rev() {
                if !matches!(self.terms.node(items[at]), Node::Or(_)) {
                    continue;
                }
                self.solver.push();
                for (other, item) in items.iter().enumerate() {
                    if other != at {
                        self.solver.assert(self.terms, *item);
                    }
                }
                items[at] = self.disjunction(items[at], depth - 1);
                self.solver.pop();
            }
        }
        self.terms.and(items)
    }

    /// Where a conjunct gives a symbol a value, the others are written with that value.
    fn put_constants(&mut self, items: &mut [TermId]) {
        for at in 0..items.len() {
            let Node::Zero(sum) = *self.terms.node(items[at]) else { continue };
            let form = self.terms.linear(sum);
            let [(term, factor)] = form.terms() else { continue };
            let Node::Symbol(symbol) = *self.terms.node(*term) else { continue };
            if !factor.is_one() {
                continue;
            }
            let value = self.terms.number(-form.constant_part());
            let mut substitution = Substitution::new([(symbol, value)]);
            for (other, item) in items.iter_mut().enumerate() {
                if other != at {
                    *item = substitution.apply(self.terms, *item);
                }
            }
        }
    }

    fn disjunction(&mut self, formula: TermId, depth: usize) -> TermId {
        let mut items = self.terms.disjuncts(formula);
        if items.len() > MAX_WIDTH {
            return formula;
        }
        items.sort_by_key(|item| std::cmp::Reverse((self.weight(*item), *item)));
        let mut at = 0;
        while at < items.len() {
            if self.excludes(&[items[at]]) {
                items.remove(at);
                continue;
            }
            self.solver.push();
            for (other, item) in items.iter().enumerate() {
                if other != at {
                    let negation = self.terms.not(*item);
                    self.solver.assert(self.terms, negation);
                }
            }
            let shorter = if depth > 0 { self.within(items[at], depth - 1) } else { self.literal(items[at]) };
            self.solver.pop();
            match shorter {
                Terms::TRUE => return Terms::TRUE,
                Terms::FALSE => {
                    items.remove(at);
                }
                _ => {
                    items[at] = shorter;
                    at += 1;
                }
            }
        }
        self.terms.or(items)
    }

    /// Whether the assumptions contradict the assertions. Not knowing counts as no (S2).
    fn excludes(&mut self, assumptions: &[TermId]) -> bool {
        self.solver.check(self.terms, assumptions, &mut self.budget).is_unsat()
    }

    /// How much there is to read.
    fn weight(&self, formula: TermId) -> (usize, Integer) {
        let reachable = self.terms.reachable(&[formula]);
        let largest = reachable.iter().map(|term| self.largest_number(*term)).max();
        (reachable.len(), largest.unwrap_or(Integer::ZERO))
    }

    fn largest_number(&self, term: TermId) -> Integer {
        match self.terms.node(term) {
            Node::Linear(form) => form.constant_part().abs(),
            _ => Integer::ZERO,
        }
    }
}

/// Removes symbols that a conjunct defines: `∃ z. z = t ∧ φ` is φ with t for z. Only symbols that may go do.
pub(super) fn substitute_definitions(
    terms: &mut Terms,
    formula: TermId,
    may_go: &dyn Fn(&Terms, SymbolId) -> bool,
) -> TermId {
    let mut formula = formula;
    // Each round removes a symbol, so it ends; the bound is for the sake of time.
    for _ in 0..MAX_WIDTH {
        let definition =
            terms.conjuncts(formula).into_iter().find_map(|conjunct| definition(terms, conjunct, may_go));
        let Some((symbol, value)) = definition else { break };
        formula = Substitution::new([(symbol, value)]).apply(terms, formula);
    }
    formula
}

/// The symbol that a literal defines, and its value.
fn definition(
    terms: &mut Terms,
    literal: TermId,
    may_go: &dyn Fn(&Terms, SymbolId) -> bool,
) -> Option<(SymbolId, TermId)> {
    let goes = |terms: &Terms, term: TermId| match terms.node(term) {
        Node::Symbol(symbol) if may_go(terms, *symbol) => Some(*symbol),
        _ => None,
    };
    match *terms.node(literal) {
        Node::Symbol(_) => Some((goes(terms, literal)?, Terms::TRUE)),
        Node::Not(inner) => Some((goes(terms, inner)?, Terms::FALSE)),
        Node::Same(a, b) => {
            let (symbol, value) =
                goes(terms, a).map(|symbol| (symbol, b)).or_else(|| Some((goes(terms, b)?, a)))?;
            (!terms.mentions(value, &[symbol])).then_some((symbol, value))
        }
        Node::Zero(sum) => {
            let form = terms.linear(sum);
            for (term, factor) in form.terms() {
                let Some(symbol) = goes(terms, *term).filter(|_| factor.abs().is_one()) else { continue };
                let rest = form.without(*term);
                let rest = if factor.is_one() { rest.negate() } else { rest };
                let value = terms.of_linear(&rest);
                if !terms.mentions(value, &[symbol]) {
                    return Some((symbol, value));
                }
            }
            None
        }
        _ => None,
    }
}
