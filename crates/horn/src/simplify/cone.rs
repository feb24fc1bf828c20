//! The cone of false, in both directions: what can be derived, and what false may need.

use base::IndexVec;

use super::{Fate, Part};
use crate::system::{PredicateId, System};

/// Drops clauses that cannot be used or do not matter, and says so of their predicates.
pub(super) fn cut(system: &System, parts: &mut Vec<Part>, fates: &mut IndexVec<PredicateId, Fate>) {
    let count = system.predicates.len();
    let mut derived: IndexVec<PredicateId, bool> = IndexVec::filled(false, count);
    grow(|| {
        let mut has_grown = false;
        for part in parts.iter() {
            let is_usable = part.clause.body.iter().all(|atom| derived[atom.predicate]);
            if let Some(head) = part.clause.head.as_ref().filter(|_| is_usable) {
                has_grown |= !std::mem::replace(&mut derived[head.predicate], true);
            }
        }
        has_grown
    });
    parts.retain(|part| part.clause.body.iter().all(|atom| derived[atom.predicate]));
    let mut needed: IndexVec<PredicateId, bool> = IndexVec::filled(false, count);
    grow(|| {
        let mut has_grown = false;
        for part in parts.iter() {
            if part.clause.head.as_ref().is_none_or(|head| needed[head.predicate]) {
                for atom in &part.clause.body {
                    has_grown |= !std::mem::replace(&mut needed[atom.predicate], true);
                }
            }
        }
        has_grown
    });
    parts.retain(|part| part.clause.head.as_ref().is_none_or(|head| needed[head.predicate]));
    for predicate in system.predicates.ids() {
        if fates[predicate] == Fate::Kept {
            fates[predicate] = match (derived[predicate], needed[predicate]) {
                (false, _) => Fate::Empty,
                (true, false) => Fate::Irrelevant,
                (true, true) => Fate::Kept,
            };
        }
    }
}

fn grow(mut round: impl FnMut() -> bool) {
    while round() {}
}
