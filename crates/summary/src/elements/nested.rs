//! Candidates of loops inside of loops: an inner loop adds to an element whose index it does not move, an outer loop moves it.
//!
//! In the inner loop the element is what it was, and as many steps more as the loop has made. Where the loop is left, its bound takes the place of the counter. What one iteration of the outer loop makes of its element is then a value of the outer
//! index, and of the elements behind that index the same is a candidate.
//!
//! # Cost
//! No question: wrong candidates are dropped where they are proved. One walk through each inner loop.

use std::collections::BTreeSet;

use graph::cells::{read_through, solve, stores};
use graph::cut::{Arc, PointId};
use graph::elements::{ElementFact, Relation};
use term::{Integer, Node, Substitution, SymbolId, TermId};

use super::candidates::{Claim, MAX_CHOICES, Walk, Walker};
use super::forms::{push, step, under};

impl Walk<'_> {
    /// What a loop adds to elements whose index it does not move.
    pub(super) fn accumulated(
        &mut self,
        head: PointId,
        arc: &Arc,
        incoming: &[ElementFact],
        unchanged: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
    ) -> (Vec<ElementFact>, Vec<ElementFact>) {
        let (mut stated, mut leaving) = (Vec::new(), Vec::new());
        let k = self.terms.of_symbol(self.ghost);
        let scalars: BTreeSet<SymbolId> =
            changed.iter().copied().filter(|symbol| !self.is_array(*symbol)).collect();
        for (array, value) in &arc.formula.update {
            for (at, stored) in stores(self.terms, *value) {
                if !self.is_over(&[at], changed) {
                    continue;
                }
                let (is_there, is_elsewhere) = (self.terms.eq(k, at), self.terms.ne(k, at));
                let before: Vec<ElementFact> = incoming
                    .iter()
                    .filter(|fact| {
                        fact.array == *array && self.is_over(&[fact.condition, fact.value], &scalars)
                    })
                    .copied()
                    .collect();
                for fact in &before {
                    let condition = self.terms.and([fact.condition, is_elsewhere]);
                    push(&mut stated, ElementFact { condition, ..*fact });
                    push(&mut leaving, ElementFact { condition, ..*fact });
                }
                let growths = self.growths(arc, (*array, at), stored, unchanged, changed);
                for (counter, start, bounds) in self.counters(head, arc, changed) {
                    for fact in before.iter().filter(|fact| fact.relation == Relation::Equal) {
                        let condition = self.terms.and([fact.condition, is_there]);
                        for growth in &growths {
                            let now = self.grown(fact.value, *growth, counter, start);
                            push(&mut stated, ElementFact { condition, value: now, ..*fact });
                            push(&mut leaving, ElementFact { condition, value: now, ..*fact });
                            for bound in &bounds {
                                let value = self.grown(fact.value, *growth, *bound, start);
                                push(&mut leaving, ElementFact { condition, value, ..*fact });
                                // That the counter is never beyond its bound is known of the element, which is the counter.
                                for relation in [Relation::AtMost, Relation::AtLeast] {
                                    push(&mut stated, ElementFact { condition, value, relation, ..*fact });
                                }
                            }
                        }
                    }
                }
            }
        }
        (stated, leaving)
    }

    /// By how much an iteration changes an element, by what is known of others.
    fn growths(
        &mut self,
        arc: &Arc,
        (array, at): (SymbolId, TermId),
        stored: TermId,
        unchanged: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
    ) -> Vec<TermId> {
        let array = self.terms.of_symbol(array);
        let element = self.terms.select(array, at);
        let stored = read_through(self.terms, stored);
        let stored = under(self.terms, arc.formula.guard, stored);
        let mut found = Vec::new();
        for choice in 0..MAX_CHOICES {
            let told = self.told(stored, unchanged, choice);
            let growth = self.terms.sub(told, element);
            if self.is_over(&[growth], changed) {
                push(&mut found, growth);
            }
        }
        found
    }

    /// The variables that a loop moves by one: each with its first value and the values that it may have at the end.
    pub(super) fn counters(
        &mut self,
        head: PointId,
        arc: &Arc,
        changed: &BTreeSet<SymbolId>,
    ) -> Vec<(TermId, TermId, Vec<TermId>)> {
        let mut found = Vec::new();
        let one = self.terms.int(1);
        for (symbol, value) in &arc.formula.update {
            if self.is_array(*symbol) || step(self.terms, *symbol, *value) != Some(Integer::ONE) {
                continue;
            }
            let Some(start) = self.start(head, *symbol, changed) else { continue };
            let last = self.bounds(&arc.formula, *symbol, &Integer::ONE, changed);
            let ends = last.into_iter().map(|last| self.terms.add(last, one)).collect();
            found.push((self.terms.of_symbol(*symbol), start, ends));
        }
        found.truncate(2);
        found
    }

    /// A value with a step for each value of a counter from its start on.
    fn grown(&mut self, value: TermId, growth: TermId, counter: TermId, start: TermId) -> TermId {
        let distance = self.terms.sub(counter, start);
        let grown = self.terms.mul(growth, distance);
        self.terms.add(value, grown)
    }

    /// What one iteration of a loop with a loop inside makes of the element at its index: the outer loop as one that moves through the array.
    pub(super) fn outer(
        &mut self,
        head: PointId,
        incoming: &[ElementFact],
        changed: &BTreeSet<SymbolId>,
    ) -> Vec<(Walker, Claim)> {
        let mut found = Vec::new();
        let arcs = self.arcs;
        let is_inside = |arc: &&Arc| arc.source != arc.target && self.graph.in_loop(head, arc.source);
        let enter: Vec<&Arc> = arcs
            .iter()
            .filter(is_inside)
            .filter(|arc| arc.source == head && self.graph.in_loop(head, arc.target))
            .collect();
        for into in enter {
            let inner = into.target;
            for back in arcs.iter().filter(|arc| arc.source == inner && arc.target == head) {
                let first = self.across(into, incoming);
                let (_, after) = self.around(inner, &first);
                for fact in self.across(back, &after) {
                    found.extend(self.moved(head, into, back, &fact, changed));
                }
            }
        }
        found.truncate(MAX_CHOICES);
        found
    }

    /// The loop that moves its index on the way back to its head, if a fact after an iteration is about the element there.
    fn moved(
        &mut self,
        head: PointId,
        into: &Arc,
        back: &Arc,
        fact: &ElementFact,
        changed: &BTreeSet<SymbolId>,
    ) -> Option<(Walker, Claim)> {
        let k = self.terms.of_symbol(self.ghost);
        let conjuncts = self.terms.conjuncts(fact.condition);
        let (place, index, next) = conjuncts.iter().find_map(|conjunct| {
            let Node::Zero(sum) = *self.terms.node(*conjunct) else { return None };
            let form = self.terms.linear(sum);
            let zero = self.terms.int(0);
            let difference = self.terms.of_linear(&form);
            let (index, solution) = solve(self.terms, difference, zero, &[self.ghost])?;
            form.coefficient(k).abs().is_one().then_some((*conjunct, index, solution))
        })?;
        let after = back.formula.value(self.terms, index);
        if step(self.terms, index, after) != Some(Integer::ONE) {
            return None;
        }
        let one = self.terms.int(1);
        let solution = self.terms.sub(next, one);
        let start = self.start(head, index, changed)?;
        let bounds = self.bounds(&into.formula, index, &Integer::ONE, changed);
        let rest: Vec<TermId> = conjuncts.into_iter().filter(|conjunct| *conjunct != place).collect();
        let mut there = Substitution::new([(index, next)]);
        let condition = self.terms.and(rest);
        let condition = there.apply(self.terms, condition);
        let value = there.apply(self.terms, fact.value);
        if !self.is_over(&[condition, value, solution], changed) {
            return None;
        }
        let walker = Walker {
            array: fact.array,
            index,
            step: Integer::ONE,
            solution,
            start,
            bounds,
            written: None,
            stored: value,
        };
        Some((walker, Claim { condition, relation: fact.relation, value }))
    }
}
