//! Candidates for facts about all elements: what loops write, read off their stores.
//!
//! A loop that writes `a[w] := v` while `x` moves by a constant step has, of the elements behind it, `a[k] == v` with the `x` of that iteration. What the loop has not reached yet is as it was when the loop was
//! entered. A candidate at the exit has the bound of the loop in the place of `x`. Nothing here is proved: a wrong candidate costs questions.
//!
//! # Cost
//! No question. At most [`MAX_FACTS`] candidates a point.

use std::collections::BTreeSet;

use super::Fact;
use super::equations::Equations;
use super::forms::{Pace, pace, push, step, under};
use base::IndexVec;
use encode::{Transition, polynomial};
use graph::cells::{read_through, solve, stores};
use graph::cut::{Arc, ArcId, Graph, PointId};
use graph::elements::{ElementFact, Relation};
use term::{Integer, Node, Sort, Substitution, SymbolId, SymbolKind, TermId, Terms};

/// Candidates of one point.
const MAX_FACTS: usize = 16;
/// Facts about what was read that are tried for one written value.
pub(super) const MAX_CHOICES: usize = 4;
/// Reads that are replaced for one written value: facts may refer to each other in a circle.
const MAX_REPLACED: usize = 24;
/// A value with more subterms is left alone.
const MAX_SIZE: usize = 200;

/// The candidates of every point.
pub(super) fn candidates(graph: &Graph, terms: &mut Terms, ghost: SymbolId) -> IndexVec<PointId, Vec<Fact>> {
    let mut arcs: IndexVec<ArcId, Arc> = IndexVec::new();
    for arc in &graph.arcs {
        arcs.push(with_products(graph, terms, arc));
    }
    let mut walk = Walk {
        graph,
        arcs: &arcs,
        terms,
        ghost,
        stated: IndexVec::new(),
        leaving: IndexVec::new(),
        equations: Equations::default(),
    };
    for point in graph.points.ids() {
        walk.point(point);
    }
    let Walk { stated, equations, .. } = walk;
    let mut all = IndexVec::new();
    for (point, facts) in stated.iter_enumerated() {
        let of_variables = equations.stated(graph, terms, point).into_iter().map(Fact::Variables);
        all.push(of_variables.chain(facts.iter().copied().map(Fact::Elements)).collect());
    }
    all
}

/// An arc with products as terms: that of an index is one of the ghost where the index is the ghost.
fn with_products(graph: &Graph, terms: &mut Terms, arc: &Arc) -> Arc {
    let mut arc = arc.clone();
    if graph.vocabulary.products().next().is_none() {
        return arc;
    }
    let mut plain = |term: TermId| polynomial::with_products(terms, &graph.vocabulary, term);
    arc.formula.guard = plain(arc.formula.guard);
    for value in arc.formula.update.values_mut() {
        *value = plain(*value);
    }
    arc
}

pub(super) struct Walk<'a> {
    pub(super) graph: &'a Graph,
    pub(super) arcs: &'a IndexVec<ArcId, Arc>,
    pub(super) terms: &'a mut Terms,
    pub(super) ghost: SymbolId,
    /// Candidates by point.
    stated: IndexVec<PointId, Vec<ElementFact>>,
    /// What arcs that leave the point (a loop: for good) may carry on.
    leaving: IndexVec<PointId, Vec<ElementFact>>,
    pub(super) equations: Equations,
}

/// A loop that moves through an array.
#[derive(Clone)]
pub(super) struct Walker {
    pub(super) array: SymbolId,
    /// The index variable, how it moves, and its value in the iteration that meets the ghost.
    pub(super) index: SymbolId,
    pub(super) step: Integer,
    pub(super) solution: TermId,
    /// Where it starts.
    pub(super) start: TermId,
    /// Its last values by the conditions of the loop.
    pub(super) bounds: Vec<TermId>,
    /// What the element at the ghost is after that iteration, with the variables as they are later on, if they tell.
    pub(super) written: Option<TermId>,
    /// What is stored, over the variables before the iteration.
    pub(super) stored: TermId,
}

/// What may be known of the elements that a loop has passed.
pub(super) struct Claim {
    pub(super) condition: TermId,
    pub(super) relation: Relation,
    pub(super) value: TermId,
}

impl Walk<'_> {
    fn point(&mut self, point: PointId) {
        let mut incoming = Vec::new();
        for arc in self.arcs {
            if arc.target == point && arc.source < point {
                let is_inside = self.graph.in_loop(arc.source, point);
                let known = if is_inside { &self.stated } else { &self.leaving };
                let before = known[arc.source].clone();
                for fact in self.across(arc, &before) {
                    push(&mut incoming, fact);
                }
            }
        }
        self.equate(point, &incoming);
        let (stated, leaving) = if self.graph.points[point].body.is_some() {
            self.around(point, &incoming)
        } else {
            (incoming.clone(), incoming)
        };
        let live = &self.graph.points[point].live;
        let is_live = |terms: &Terms, fact: &ElementFact| {
            let known = |symbol: &SymbolId| *symbol == self.ghost || live.binary_search(symbol).is_ok();
            fact.condition != Terms::FALSE
                && live.binary_search(&fact.array).is_ok()
                && terms.symbols_of_all(&[fact.condition, fact.value]).iter().all(known)
        };
        let keep = |facts: Vec<ElementFact>, terms: &Terms| -> Vec<ElementFact> {
            facts.into_iter().filter(|fact| is_live(terms, fact)).take(MAX_FACTS).collect()
        };
        let (stated, leaving) = (keep(stated, self.terms), keep(leaving, self.terms));
        self.stated.push(stated);
        self.leaving.push(leaving);
    }

    /// What facts become on an arc that is no iteration of a loop: single elements are written, variables get other values.
    pub(super) fn across(&mut self, arc: &Arc, before: &[ElementFact]) -> Vec<ElementFact> {
        let mut after = Vec::new();
        let k = self.terms.of_symbol(self.ghost);
        for (array, value) in &arc.formula.update {
            if !self.is_array(*array) {
                continue;
            }
            for (at, stored) in stores(self.terms, *value) {
                let condition = self.terms.eq(k, at);
                let value = read_through(self.terms, stored);
                let value = under(self.terms, arc.formula.guard, value);
                // What it says of an array that the arc changes is out of date.
                let is_written =
                    |symbol: &SymbolId| self.is_array(*symbol) && arc.formula.update.contains_key(symbol);
                if self.terms.symbols_of(value).iter().any(is_written) {
                    continue;
                }
                let fact = ElementFact { array: *array, condition, relation: Relation::Equal, value };
                after.extend(self.renamed(&arc.formula, fact));
            }
        }
        for fact in before {
            let mut conditions = vec![fact.condition];
            if let Some(value) = arc.formula.update.get(&fact.array) {
                for (at, _) in stores(self.terms, *value) {
                    conditions.push(self.terms.ne(k, at));
                }
            }
            let condition = self.terms.and(conditions);
            after.extend(self.renamed(&arc.formula, ElementFact { condition, ..*fact }));
        }
        after
    }

    /// The fact over the values after a transition, if these say what the values before were.
    fn renamed(&mut self, formula: &Transition, fact: ElementFact) -> Option<ElementFact> {
        let mut pairs = Vec::new();
        for symbol in self.terms.symbols_of_all(&[fact.condition, fact.value]) {
            if self.terms.symbol(symbol).kind != SymbolKind::Variable {
                // A value that was chosen is that of a variable to which it was assigned.
                let chosen = self.terms.of_symbol(symbol);
                let (holder, _) = formula.update.iter().find(|(_, value)| **value == chosen)?;
                pairs.push((symbol, self.terms.of_symbol(*holder)));
                continue;
            }
            let Some(value) = formula.update.get(&symbol).copied() else { continue };
            if self.is_array(symbol) {
                continue;
            }
            let step = step(self.terms, symbol, value)?;
            let own = self.terms.of_symbol(symbol);
            let step = self.terms.number(step);
            pairs.push((symbol, self.terms.sub(own, step)));
        }
        let mut substitution = Substitution::new(pairs);
        let condition = substitution.apply(self.terms, fact.condition);
        let value = substitution.apply(self.terms, fact.value);
        Some(ElementFact { condition, value, ..fact })
    }

    /// The candidates of a loop head, and those of its exits.
    pub(super) fn around(
        &mut self,
        head: PointId,
        incoming: &[ElementFact],
    ) -> (Vec<ElementFact>, Vec<ElementFact>) {
        let mut changed: BTreeSet<SymbolId> = BTreeSet::new();
        for arc in self.arcs {
            if self.graph.in_loop(head, arc.source) && self.graph.in_loop(head, arc.target) {
                changed.extend(arc.formula.update.keys().copied());
            }
        }
        let (mut stated, mut leaving) = (Vec::new(), Vec::new());
        for fact in incoming {
            if !changed.contains(&fact.array) && self.is_over(&[fact.condition, fact.value], &changed) {
                push(&mut stated, *fact);
                push(&mut leaving, *fact);
            }
        }
        let unchanged: Vec<ElementFact> = stated.clone();
        for arc in self.graph.points[head].outgoing.clone() {
            let arc = &self.arcs[arc];
            if arc.target != head {
                continue;
            }
            let (now, then) = self.accumulated(head, arc, incoming, &unchanged, &changed);
            for fact in now {
                push(&mut stated, fact);
            }
            for fact in then {
                push(&mut leaving, fact);
            }
            for walker in self.walkers(head, arc, &changed) {
                let known: Vec<ElementFact> = unchanged
                    .iter()
                    .chain(incoming.iter().filter(|fact| fact.array == walker.array))
                    .copied()
                    .collect();
                let mut claims = self.values(&walker, &known, &changed);
                claims.extend(self.limits(&walker, &arc.formula, &changed));
                self.behind(&walker, &claims, &mut stated, &mut leaving);
                let before: Vec<ElementFact> =
                    incoming.iter().filter(|fact| fact.array == walker.array).copied().collect();
                for (walker, claim) in self.recurrences(&walker, &before, &unchanged, &changed) {
                    self.behind(&walker, &[claim], &mut stated, &mut leaving);
                }
                self.ahead(&walker, &before, &changed, &mut stated, &mut leaving);
            }
        }
        for (walker, claim) in self.outer(head, incoming, &changed) {
            self.behind(&walker, &[claim], &mut stated, &mut leaving);
            let before: Vec<ElementFact> =
                incoming.iter().filter(|fact| fact.array == walker.array).copied().collect();
            self.ahead(&walker, &before, &changed, &mut stated, &mut leaving);
        }
        (stated, leaving)
    }

    /// Elements that the loop has passed.
    fn behind(
        &mut self,
        walker: &Walker,
        claims: &[Claim],
        stated: &mut Vec<ElementFact>,
        leaving: &mut Vec<ElementFact>,
    ) {
        let now = self.terms.of_symbol(walker.index);
        let started = self.not_before(walker, walker.solution, walker.start);
        let difference = self.terms.sub(walker.solution, walker.start);
        let stride = walker.step.abs();
        let met = if stride.is_one() { Terms::TRUE } else { self.terms.divides(&stride, difference) };
        for Claim { condition, relation, value } in claims {
            let (array, relation, value) = (walker.array, *relation, *value);
            for bound in &walker.bounds {
                let inside = self.not_before(walker, *bound, walker.solution);
                let condition = self.terms.and([started, met, inside, *condition]);
                push(leaving, ElementFact { array, condition, relation, value });
            }
            let passed = self.not_before(walker, walker.solution, now);
            let passed = self.terms.not(passed);
            let condition = self.terms.and([started, met, passed, *condition]);
            push(stated, ElementFact { array, condition, relation, value });
            push(leaving, ElementFact { array, condition, relation, value });
        }
    }

    /// Elements that the loop has not reached, or passes over.
    fn ahead(
        &mut self,
        walker: &Walker,
        before: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
        stated: &mut Vec<ElementFact>,
        leaving: &mut Vec<ElementFact>,
    ) {
        let now = self.terms.of_symbol(walker.index);
        let is_ahead = self.not_before(walker, walker.solution, now);
        let started = self.not_before(walker, walker.solution, walker.start);
        let is_below = self.terms.not(started);
        let mut beyond = vec![is_below];
        for bound in walker.bounds.clone() {
            let inside = self.not_before(walker, bound, walker.solution);
            beyond.push(self.terms.not(inside));
        }
        for fact in before {
            // Only the index itself may occur: it says where the loop is.
            let scalars: BTreeSet<SymbolId> =
                changed.iter().copied().filter(|symbol| !self.is_array(*symbol)).collect();
            if !self.is_over(&[fact.condition, fact.value], &scalars) {
                continue;
            }
            for place in [is_ahead, is_below] {
                let condition = self.terms.and([fact.condition, place]);
                push(stated, ElementFact { condition, ..*fact });
            }
            for outside in &beyond {
                let condition = self.terms.and([fact.condition, *outside]);
                push(leaving, ElementFact { condition, ..*fact });
            }
        }
    }

    /// Whether one value of the index variable is not met before another.
    fn not_before(&mut self, walker: &Walker, later: TermId, earlier: TermId) -> TermId {
        if walker.step.is_positive() { self.terms.le(earlier, later) } else { self.terms.le(later, earlier) }
    }

    /// The ways in which an arc around a loop moves through arrays.
    fn walkers(&mut self, head: PointId, arc: &Arc, changed: &BTreeSet<SymbolId>) -> Vec<Walker> {
        let mut found = Vec::new();
        let k = self.terms.of_symbol(self.ghost);
        for (array, value) in &arc.formula.update {
            if !self.is_array(*array) {
                continue;
            }
            let element = self.terms.select(*value, k);
            let element = read_through(self.terms, element);
            let element = under(self.terms, arc.formula.guard, element);
            let equated = self.equated(head, element);
            let mut seen = BTreeSet::new();
            for (at, stored) in stores(self.terms, *value) {
                let Some((index, solution)) = solve(self.terms, at, k, &[self.ghost]) else { continue };
                if !seen.insert((index, solution)) {
                    continue;
                }
                let moved = arc.formula.value(self.terms, index);
                let Some(pace) = pace(self.terms, index, moved) else { continue };
                let Some(start) = self.start(head, index, changed) else { continue };
                let rest: BTreeSet<SymbolId> =
                    changed.iter().copied().filter(|symbol| *symbol != index).collect();
                if !self.is_over(&[solution], &rest) {
                    continue;
                }
                let stored = under(self.terms, arc.formula.guard, stored);
                let (step, bounds, values) = match pace {
                    Pace::Steady(step) => {
                        let bounds = self.bounds(&arc.formula, index, &step, changed);
                        let mut values = Vec::new();
                        for element in [element, equated] {
                            push(&mut values, self.written(&arc.formula, element, (index, solution), &step));
                        }
                        (step, bounds, values)
                    }
                    Pace::Halting(step) => (step, Vec::new(), vec![None]),
                };
                for written in values {
                    let (bounds, step) = (bounds.clone(), step.clone());
                    found.push(Walker {
                        array: *array,
                        index,
                        step,
                        solution,
                        start,
                        bounds,
                        written,
                        stored,
                    });
                }
            }
        }
        found
    }

    /// The value of an index variable where a loop is entered.
    pub(super) fn start(
        &mut self,
        head: PointId,
        index: SymbolId,
        changed: &BTreeSet<SymbolId>,
    ) -> Option<TermId> {
        let mut start = None;
        for arc in self.arcs {
            if arc.target != head || self.graph.in_loop(head, arc.source) {
                continue;
            }
            let value = *arc.formula.update.get(&index)?;
            let is_new = |symbol: &SymbolId| {
                changed.contains(symbol)
                    || arc.formula.update.contains_key(symbol)
                    || self.terms.symbol(*symbol).kind != SymbolKind::Variable
            };
            if self.terms.symbols_of(value).iter().any(is_new) || start.is_some_and(|known| known != value) {
                return None;
            }
            start = Some(value);
        }
        start
    }

    /// The last values that an index variable may have in an iteration, by single conditions of the loop.
    pub(super) fn bounds(
        &mut self,
        formula: &Transition,
        index: SymbolId,
        step: &Integer,
        changed: &BTreeSet<SymbolId>,
    ) -> Vec<TermId> {
        let own = self.terms.of_symbol(index);
        let mut found = Vec::new();
        for conjunct in self.terms.conjuncts(formula.guard) {
            let (sum, inward_by) = match *self.terms.node(conjunct) {
                Node::Le(sum) => (sum, Integer::ZERO),
                Node::Not(inner) => match *self.terms.node(inner) {
                    Node::Zero(sum) => (sum, Integer::ONE),
                    _ => continue,
                },
                _ => continue,
            };
            let form = self.terms.linear(sum);
            let factor = form.coefficient(own);
            // `x != bound` excludes the bound itself.
            let is_unequal = inward_by.is_one();
            if !factor.abs().is_one() || !is_unequal && factor.is_positive() != step.is_positive() {
                continue;
            }
            let rest = form.without(own);
            let bound = if factor.is_positive() { rest.negate() } else { rest };
            let inward = if step.is_positive() { -&inward_by } else { inward_by };
            let bound = self.terms.of_linear(&bound.add_constant(&inward));
            if self.is_over(&[bound], changed) && !found.contains(&bound) {
                found.push(bound);
            }
        }
        found.truncate(2);
        found
    }

    /// What the element at the ghost is after the iteration that meets it, with variables as they are later on.
    fn written(
        &mut self,
        formula: &Transition,
        element: TermId,
        (index, solution): (SymbolId, TermId),
        step_of_index: &Integer,
    ) -> Option<TermId> {
        if self.terms.reachable(&[element]).len() > MAX_SIZE {
            return None;
        }
        let now = self.terms.of_symbol(index);
        let mut pairs = vec![(index, solution)];
        for symbol in self.terms.symbols_of(element) {
            let Some(value) = formula.update.get(&symbol).copied() else { continue };
            if symbol == index || self.is_array(symbol) {
                continue;
            }
            // So many iterations ago.
            let step = step(self.terms, symbol, value)?;
            if !step_of_index.abs().is_one() {
                return None;
            }
            let ago = self.terms.sub(now, solution);
            let back = self.terms.scale(&(&step * step_of_index), ago);
            let own = self.terms.of_symbol(symbol);
            pairs.push((symbol, self.terms.sub(own, back)));
        }
        let written = Substitution::new(pairs).apply(self.terms, element);
        Some(written)
    }

    /// The written value by what is known of the elements that it is made of: a condition and the value.
    fn values(&mut self, walker: &Walker, known: &[ElementFact], changed: &BTreeSet<SymbolId>) -> Vec<Claim> {
        let mut done: Vec<Claim> = Vec::new();
        let mut open: Vec<(TermId, TermId)> =
            walker.written.iter().map(|written| (Terms::TRUE, *written)).collect();
        let mut left = MAX_REPLACED;
        while let Some((condition, value)) = open.pop() {
            if left == 0 || self.terms.reachable(&[value]).len() > MAX_SIZE {
                break;
            }
            left -= 1;
            let Some((term, array, index)) = self.first_read(value, changed, known) else {
                let arrays: BTreeSet<SymbolId> =
                    changed.iter().copied().filter(|symbol| self.is_array(*symbol)).collect();
                let is_plain = |symbol: &SymbolId| self.terms.symbol(*symbol).kind == SymbolKind::Variable;
                let symbols = self.terms.symbols_of(value);
                if self.is_over(&[value], &arrays) && symbols.iter().all(is_plain) {
                    done.push(Claim { condition, relation: Relation::Equal, value });
                }
                continue;
            };
            let is_used = |fact: &&ElementFact| fact.array == array && fact.relation == Relation::Equal;
            for fact in known.iter().filter(is_used).take(MAX_CHOICES) {
                let mut there = Substitution::new([(self.ghost, index)]);
                let own = there.apply(self.terms, fact.condition);
                let image = there.apply(self.terms, fact.value);
                let condition = self.terms.and([condition, own]);
                if condition == Terms::FALSE || done.len() + open.len() >= MAX_CHOICES {
                    continue;
                }
                let value = self.terms.rewrite(value, |_, part| if part == term { image } else { part });
                open.push((condition, value));
            }
        }
        done
    }

    /// The first element in a value of which something is known.
    fn first_read(
        &self,
        value: TermId,
        changed: &BTreeSet<SymbolId>,
        known: &[ElementFact],
    ) -> Option<(TermId, SymbolId, TermId)> {
        for term in self.terms.reachable(&[value]) {
            let Node::Select(array, index) = *self.terms.node(term) else { continue };
            let Node::Symbol(symbol) = *self.terms.node(array) else { continue };
            let is_told = |fact: &ElementFact| fact.array == symbol && fact.relation == Relation::Equal;
            if changed.contains(&symbol) || known.iter().any(is_told) {
                return Some((term, symbol, index));
            }
        }
        None
    }

    /// What the conditions of an iteration compare the stored value with.
    fn limits(&mut self, walker: &Walker, formula: &Transition, changed: &BTreeSet<SymbolId>) -> Vec<Claim> {
        let mut found: Vec<Claim> = Vec::new();
        if self.terms.as_number(walker.stored).is_some() {
            return found;
        }
        let mut roots: Vec<TermId> = formula.update.values().copied().collect();
        roots.push(formula.guard);
        for atom in self.terms.reachable(&roots) {
            let Node::Le(sum) = *self.terms.node(atom) else { continue };
            let form = self.terms.linear(sum);
            let factor = form.coefficient(walker.stored);
            if !factor.abs().is_one() {
                continue;
            }
            let rest = form.without(walker.stored);
            let limit = if factor.is_positive() { rest.negate() } else { rest };
            let beyond = if factor.is_positive() { Integer::ONE } else { -&Integer::ONE };
            let limit = [self.terms.of_linear(&limit), self.terms.of_linear(&limit.add_constant(&beyond))];
            let relations = if factor.is_positive() {
                [Relation::AtMost, Relation::AtLeast]
            } else {
                [Relation::AtLeast, Relation::AtMost]
            };
            for (relation, value) in relations.into_iter().zip(limit) {
                let symbols = self.terms.symbols_of(value);
                let is_plain = |symbol: &SymbolId| self.terms.symbol(*symbol).kind == SymbolKind::Variable;
                // The range of a type says nothing new.
                let is_wide = |number: &Integer| number.abs() >= Integer::from(i64::from(i32::MAX));
                let is_range = self.terms.as_number(value).is_some_and(is_wide);
                let is_stated = self.is_over(&[value], changed) && symbols.iter().all(is_plain);
                if found.len() < MAX_CHOICES && is_stated && !is_range {
                    found.push(Claim { condition: Terms::TRUE, relation, value });
                }
            }
        }
        found
    }

    pub(super) fn is_array(&self, symbol: SymbolId) -> bool {
        self.terms.symbol(symbol).sort == Sort::Array
    }

    /// Whether terms mention none of some symbols.
    pub(super) fn is_over(&self, roots: &[TermId], changed: &BTreeSet<SymbolId>) -> bool {
        self.terms.symbols_of_all(roots).iter().all(|symbol| !changed.contains(symbol))
    }
}
