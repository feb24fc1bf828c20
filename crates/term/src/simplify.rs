//! Cheap simplification of boolean structure: bounds of one sum are merged, clauses are shortened by literals beside
//! them, and clauses implied by others are dropped. Equivalence is kept; size never grows.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::{Integer, Linear, Node, TermId, Terms};

/// Clauses are compared with each other only up to this number.
const COMPARISON_LIMIT: usize = 64;

/// What a conjunction says about one sum.
#[derive(Default)]
struct Range {
    lower: Option<Integer>,
    upper: Option<Integer>,
    value: Option<Integer>,
    excluded: BTreeSet<Integer>,
}

impl Terms {
    /// An equivalent formula, simplified at each conjunction and disjunction.
    pub fn tidy(&mut self, formula: TermId) -> TermId {
        self.rewrite(formula, |terms, term| match terms.node(term) {
            Node::And(items) => {
                let items = items.to_vec();
                terms.tidy_and(items)
            }
            Node::Or(items) => {
                // A disjunction is the negation of the conjunction of its negated items.
                let items = items.to_vec();
                let negated = items.into_iter().map(|item| terms.negate_shallow(item)).collect();
                let conjunction = terms.tidy_and(negated);
                terms.negate_shallow(conjunction)
            }
            _ => term,
        })
    }

    /// The negation, pushed through connectives until literals or two levels deep.
    fn negate_shallow(&mut self, term: TermId) -> TermId {
        match self.node(term).clone() {
            Node::And(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.negate_clause(*item)).collect();
                self.or(items)
            }
            Node::Or(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.not(*item)).collect();
                self.and(items)
            }
            _ => self.not(term),
        }
    }

    fn negate_clause(&mut self, term: TermId) -> TermId {
        match self.node(term).clone() {
            Node::Or(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.not(*item)).collect();
                self.and(items)
            }
            _ => self.not(term),
        }
    }

    fn tidy_and(&mut self, items: Vec<TermId>) -> TermId {
        let Some(items) = self.merge_bounds(items) else { return Self::FALSE };
        let literals: BTreeSet<TermId> =
            items.iter().copied().filter(|item| !matches!(self.node(*item), Node::Or(_))).collect();
        let mut kept: Vec<TermId> = literals.iter().copied().collect();
        let mut clauses: Vec<Vec<TermId>> = Vec::new();
        for item in items {
            let Node::Or(disjuncts) = self.node(item) else { continue };
            if disjuncts.iter().any(|disjunct| literals.contains(disjunct)) {
                continue;
            }
            let refuted =
                |disjunct: &TermId| self.negation(*disjunct).is_some_and(|other| literals.contains(&other));
            clauses.push(disjuncts.iter().copied().filter(|disjunct| !refuted(disjunct)).collect());
        }
        if clauses.len() <= COMPARISON_LIMIT {
            drop_implied(&mut clauses);
        }
        for clause in clauses {
            let clause = self.or(clause);
            kept.push(clause);
        }
        self.and(kept)
    }

    /// Merges atoms over one sum; nothing if they contradict each other.
    fn merge_bounds(&mut self, items: Vec<TermId>) -> Option<Vec<TermId>> {
        let mut ranges: IndexMap<Linear, Range, FxBuildHasher> = IndexMap::default();
        let mut kept = Vec::new();
        for item in items {
            if !self.enter_bound(item, &mut ranges) {
                kept.push(item);
            }
        }
        for (form, range) in ranges {
            self.emit_bounds(&form, range, &mut kept)?;
        }
        Some(kept)
    }

    /// Records an atom in the range of its sum; false if it is not such an atom.
    fn enter_bound(&self, item: TermId, ranges: &mut IndexMap<Linear, Range, FxBuildHasher>) -> bool {
        let (atom, is_positive) = match self.node(item) {
            Node::Not(atom) => (*atom, false),
            _ => (item, true),
        };
        let (Node::Le(sum) | Node::Zero(sum)) = self.node(atom) else { return false };
        let form = self.linear(*sum);
        let is_upper = form.terms()[0].1.is_positive();
        let side = if is_upper { form.clone() } else { form.negate() };
        let bound = -side.constant_part();
        let range = ranges.entry(side.with_constant(Integer::ZERO)).or_default();
        let tighten = |old: &mut Option<Integer>, is_better: fn(&Integer, &Integer) -> bool| {
            if old.as_ref().is_none_or(|old| is_better(&bound, old)) {
                *old = Some(bound.clone());
            }
        };
        match (self.node(atom), is_positive) {
            (Node::Le(_), _) if is_upper => tighten(&mut range.upper, |new, old| new < old),
            (Node::Le(_), _) => tighten(&mut range.lower, |new, old| new > old),
            (_, true) => {
                match &range.value {
                    // Two values contradict each other: an exclusion of the one makes that known.
                    Some(value) if *value != bound => drop(range.excluded.insert(value.clone())),
                    Some(_) | None => range.value = Some(bound),
                }
            }
            (_, false) => drop(range.excluded.insert(bound)),
        }
        true
    }

    fn emit_bounds(&mut self, form: &Linear, mut range: Range, kept: &mut Vec<TermId>) -> Option<()> {
        while range.lower.as_ref().is_some_and(|lower| range.excluded.contains(lower)) {
            range.lower = range.lower.map(|lower| lower + Integer::ONE);
        }
        while range.upper.as_ref().is_some_and(|upper| range.excluded.contains(upper)) {
            range.upper = range.upper.map(|upper| upper - Integer::ONE);
        }
        let is_inside = |value: &Integer| {
            range.lower.as_ref().is_none_or(|lower| lower <= value)
                && range.upper.as_ref().is_none_or(|upper| value <= upper)
        };
        let value = match (&range.lower, &range.upper) {
            _ if range.value.is_some() => range.value.clone(),
            (Some(lower), Some(upper)) if lower > upper => return None,
            (Some(lower), Some(upper)) if lower == upper => Some(lower.clone()),
            _ => None,
        };
        if let Some(value) = value {
            if !is_inside(&value) || range.excluded.contains(&value) {
                return None;
            }
            kept.push(self.eq_zero(&form.with_constant(-value)));
            return Some(());
        }
        if let Some(upper) = &range.upper {
            kept.push(self.le_zero(&form.with_constant(-upper)));
        }
        if let Some(lower) = &range.lower {
            kept.push(self.le_zero(&form.negate().with_constant(lower.clone())));
        }
        for value in range.excluded.iter().filter(|value| is_inside(value)) {
            let equal = self.eq_zero(&form.with_constant(-value));
            kept.push(self.not(equal));
        }
        Some(())
    }
}

/// Drops each clause of which another is a part.
fn drop_implied(clauses: &mut Vec<Vec<TermId>>) {
    for clause in &mut *clauses {
        clause.sort_unstable();
    }
    clauses.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<TermId>> = Vec::with_capacity(clauses.len());
    for clause in clauses.drain(..) {
        let is_part = |part: &Vec<TermId>| part.iter().all(|item| clause.binary_search(item).is_ok());
        if !kept.iter().any(is_part) {
            kept.push(clause);
        }
    }
    *clauses = kept;
}
