//! Candidates for what variables are: what a loop adds up.
//!
//! A loop whose counter `i` moves by one and that adds `g(i)` to `s` has `s == first + g(start) + ... + g(i - 1)` at its head. For a polynomial `g` of degree two at most that is a polynomial of `i`, or a part of one: the equation is stated for a multiple
//! of `s`. Where the loop is left, the bound takes the place of the counter. If the first iteration does something else (`if (i == 0) s = 0; else s += a[i];`), the equation is known behind it. What is added may be an element of which something is known.
//!
//! The equations tell what loops store: `b[i] = s` is a value of the index.
//!
//! # Cost
//! No question: wrong candidates are dropped where they are proved. At most [`MAX_EQUATIONS`] a point.

use std::collections::BTreeSet;

use base::IndexVec;
use graph::cut::{Arc, Graph, PointId};
use graph::elements::ElementFact;
use term::{Integer, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

use super::candidates::{MAX_CHOICES, Walk};
use super::forms::{push, under};

/// Equations of one point.
const MAX_EQUATIONS: usize = 8;

/// `condition` implies `factor * symbol == value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    symbol: SymbolId,
    condition: TermId,
    factor: Integer,
    value: TermId,
}

impl Equation {
    fn symbols(&self, terms: &Terms) -> BTreeSet<SymbolId> {
        let mut all: BTreeSet<SymbolId> =
            terms.symbols_of_all(&[self.condition, self.value]).into_iter().collect();
        all.insert(self.symbol);
        all
    }

    fn formula(&self, terms: &mut Terms) -> TermId {
        let own = terms.of_symbol(self.symbol);
        let multiple = terms.scale(&self.factor, own);
        let equal = terms.eq(multiple, self.value);
        terms.implies(self.condition, equal)
    }

    /// With another value of a counter.
    fn with(&self, terms: &mut Terms, counter: SymbolId, value: TermId) -> Self {
        let mut there = Substitution::new([(counter, value)]);
        let condition = there.apply(terms, self.condition);
        let value = there.apply(terms, self.value);
        Self { condition, value, ..self.clone() }
    }
}

/// The equations of all points that were walked.
#[derive(Default)]
pub(super) struct Equations {
    /// At a point.
    at: IndexVec<PointId, Vec<Equation>>,
    /// Where the point, if it is the head of a loop, is left for good.
    leaving: IndexVec<PointId, Vec<Equation>>,
    /// That counters do not pass their bounds.
    bounds: IndexVec<PointId, Vec<TermId>>,
}

impl Equations {
    /// What is to be proved at a point.
    pub(super) fn stated(&self, graph: &Graph, terms: &mut Terms, point: PointId) -> Vec<TermId> {
        let mut found = self.bounds[point].clone();
        for equation in &self.at[point] {
            push(&mut found, equation.formula(terms));
        }
        let live = &graph.points[point].live;
        found.retain(|fact| {
            *fact != Terms::TRUE
                && terms.symbols_of(*fact).iter().all(|symbol| live.binary_search(symbol).is_ok())
        });
        found
    }
}

/// A counter of a loop, with its first value and the values that it may have at the end.
struct Counter {
    symbol: SymbolId,
    start: TermId,
    ends: Vec<TermId>,
}

impl Walk<'_> {
    /// Finds the equations of the next point.
    pub(super) fn equate(&mut self, point: PointId, incoming: &[ElementFact]) {
        let mut known = Vec::new();
        for arc in self.arcs {
            if arc.target == point && arc.source < point {
                let is_inside = self.graph.in_loop(arc.source, point);
                let equations = if is_inside { &self.equations.at } else { &self.equations.leaving };
                let before = equations[arc.source].clone();
                for equation in self.equations_across(arc, &before) {
                    push(&mut known, equation);
                }
            }
        }
        let (mut now, mut then, bounds) = if self.graph.points[point].body.is_some() {
            self.equations_around(point, &known, incoming)
        } else {
            (known.clone(), known, Vec::new())
        };
        now.truncate(MAX_EQUATIONS);
        then.truncate(MAX_EQUATIONS);
        self.equations.at.push(now);
        self.equations.leaving.push(then);
        self.equations.bounds.push(bounds);
    }

    /// A term with what is known of its variables in their place, whether or not the conditions hold.
    pub(super) fn equated(&mut self, point: PointId, term: TermId) -> TermId {
        // A loop inside may be asked about before it is walked.
        let known = self.equations.at.get(point).cloned().unwrap_or_default();
        self.by_equations(&known, term)
    }

    fn by_equations(&mut self, known: &[Equation], term: TermId) -> TermId {
        let mut pairs: Vec<(SymbolId, TermId)> = Vec::new();
        for Equation { symbol, factor, value, .. } in known {
            if pairs.iter().all(|(other, _)| other != symbol) {
                pairs.push((*symbol, self.terms.div(*value, factor)));
            }
        }
        if pairs.is_empty() { term } else { Substitution::new(pairs).apply(self.terms, term) }
    }

    /// What holds behind an arc: what it does not change, and what it assigns.
    fn equations_across(&mut self, arc: &Arc, before: &[Equation]) -> Vec<Equation> {
        let mut after: Vec<Equation> = Vec::new();
        let changed: BTreeSet<SymbolId> = arc.formula.update.keys().copied().collect();
        for equation in before {
            if equation.symbols(self.terms).is_disjoint(&changed) {
                after.push(equation.clone());
            }
        }
        for (symbol, value) in &arc.formula.update {
            if !self.is_number(*symbol) {
                continue;
            }
            let value = under(self.terms, arc.formula.guard, *value);
            let value = self.by_equations(before, value);
            if self.is_over(&[value], &changed) && self.is_plain(value) {
                let (symbol, factor) = (*symbol, Integer::ONE);
                push(&mut after, Equation { symbol, condition: Terms::TRUE, factor, value });
            }
        }
        after
    }

    /// What holds at the head of a loop, where it is left, and bounds of its counters.
    fn equations_around(
        &mut self,
        head: PointId,
        known: &[Equation],
        incoming: &[ElementFact],
    ) -> (Vec<Equation>, Vec<Equation>, Vec<TermId>) {
        let mut changed: BTreeSet<SymbolId> = BTreeSet::new();
        for arc in self.arcs {
            if self.graph.in_loop(head, arc.source) && self.graph.in_loop(head, arc.target) {
                changed.extend(arc.formula.update.keys().copied());
            }
        }
        let mut now = known.to_vec();
        now.retain(|equation| equation.symbols(self.terms).is_disjoint(&changed));
        let (mut then, mut bounds) = (now.clone(), Vec::new());
        let mut unchanged = incoming.to_vec();
        unchanged.retain(|fact| {
            !changed.contains(&fact.array) && self.is_over(&[fact.condition, fact.value], &changed)
        });
        for arc in self.arcs {
            if arc.source != head || arc.target != head {
                continue;
            }
            for counter in self.counters_of(head, arc, &changed) {
                for choice in 0..MAX_CHOICES {
                    for (symbol, value) in &arc.formula.update {
                        if *symbol == counter.symbol || !self.is_number(*symbol) {
                            continue;
                        }
                        let value = under(self.terms, arc.formula.guard, *value);
                        let value = self.told(value, &unchanged, choice);
                        let value = self.by_equations(&now, value);
                        let Some(equation) = self.added_up(&counter, *symbol, value, known, &changed) else {
                            continue;
                        };
                        if now.contains(&equation) {
                            continue;
                        }
                        let own = self.terms.of_symbol(counter.symbol);
                        for end in &counter.ends {
                            push(&mut then, equation.with(self.terms, counter.symbol, *end));
                            push(&mut bounds, self.terms.le(own, *end));
                        }
                        push(&mut bounds, self.terms.le(counter.start, own));
                        now.push(equation);
                    }
                }
            }
        }
        (now, then, bounds)
    }

    fn counters_of(&mut self, head: PointId, arc: &Arc, changed: &BTreeSet<SymbolId>) -> Vec<Counter> {
        let mut found = Vec::new();
        for (counter, start, ends) in self.counters(head, arc, changed) {
            if let Node::Symbol(symbol) = *self.terms.node(counter) {
                found.push(Counter { symbol, start, ends });
            }
        }
        found
    }

    /// What a variable is at the head of a loop that gives it a value in each iteration.
    fn added_up(
        &mut self,
        counter: &Counter,
        symbol: SymbolId,
        value: TermId,
        before: &[Equation],
        changed: &BTreeSet<SymbolId>,
    ) -> Option<Equation> {
        let index = self.terms.of_symbol(counter.symbol);
        let own = self.terms.of_symbol(symbol);
        let one = self.terms.int(1);
        let (first, first_value, next) = if let Some((at, there, next)) = self.first_apart(index, value) {
            let there = Substitution::new([(counter.symbol, at)]).apply(self.terms, there);
            (self.terms.add(at, one), there, next)
        } else {
            let known = before.iter().find(|known| known.symbol == symbol)?;
            let is_simple = known.condition == Terms::TRUE && known.factor.is_one();
            (counter.start, is_simple.then_some(known.value)?, value)
        };
        let growth = self.terms.sub(next, own);
        let mut others = changed.clone();
        others.remove(&counter.symbol);
        let is_known = self.is_over(&[growth], &others) && self.is_over(&[first, first_value], changed);
        if !is_known || !self.is_plain(growth) || !self.is_plain(first_value) {
            return None;
        }
        let ghost = self.terms.of_symbol(self.ghost);
        let growth = Substitution::new([(counter.symbol, ghost)]).apply(self.terms, growth);
        let last = self.terms.sub(first, one);
        let (multiple, factor) = self.sum_of(growth, &Integer::ONE, last)?;
        let last = self.terms.sub(index, one);
        let multiple = Substitution::new([(self.ghost, last)]).apply(self.terms, multiple);
        let first_value = self.terms.scale(&factor, first_value);
        let value = self.terms.add(first_value, multiple);
        let condition = self.terms.le(first, index);
        let condition = if first == counter.start { Terms::TRUE } else { condition };
        Some(Equation { symbol, condition, factor, value })
    }

    /// A value that has a form of its own where the counter is at one value: that value, the form there, and the one elsewhere.
    pub(super) fn first_apart(&mut self, index: TermId, value: TermId) -> Option<(TermId, TermId, TermId)> {
        let Node::Ite(condition, yes, no) = *self.terms.node(value) else { return None };
        let (sum, there, elsewhere) = match *self.terms.node(condition) {
            Node::Zero(sum) => (sum, yes, no),
            Node::Not(inner) => match *self.terms.node(inner) {
                Node::Zero(sum) => (sum, no, yes),
                _ => return None,
            },
            _ => return None,
        };
        let form = self.terms.linear(sum);
        let factor = form.coefficient(index);
        if !factor.abs().is_one() {
            return None;
        }
        let rest = form.without(index);
        let at = if factor.is_positive() { rest.negate() } else { rest };
        Some((self.terms.of_linear(&at), there, elsewhere))
    }

    fn is_number(&self, symbol: SymbolId) -> bool {
        let is_variable = self.graph.vocabulary.var(symbol).is_some();
        is_variable && self.terms.symbol(symbol).sort == Sort::Int
    }

    /// Whether a term speaks of variables alone.
    fn is_plain(&self, term: TermId) -> bool {
        let is_element = |part: &TermId| matches!(self.terms.node(*part), Node::Select(..) | Node::Ite(..));
        let is_variable = |symbol: &SymbolId| {
            self.terms.symbol(*symbol).kind == SymbolKind::Variable && !self.is_array(*symbol)
        };
        !self.terms.reachable(&[term]).iter().any(is_element)
            && self.terms.symbols_of(term).iter().all(is_variable)
    }
}
