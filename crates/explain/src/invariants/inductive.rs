//! Whether the readable invariants are a proof by themselves.
//!
//! Their meanings become an annotation: what they exclude never holds at their places, nothing is excluded elsewhere, and the error itself is
//! excluded. The facts about intervals that the certified annotation states stay. The checker of annotations decides.

use std::sync::Arc;

use base::Budget;
use certify::certify;
use passes::Prepared;
use verdict::formula::Operator;
use verdict::{Annotation, Formula, Instance, Invariant, Proof, Verdict};

use super::SourceInvariant;

/// Which text of an invariant is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// The one that holds.
    Plain,
    /// The shorter one, where there is one.
    Bold,
}

/// Whether invariants are inductive as they are worded and exclude the error. `annotation` is the one that they were read from.
pub fn is_inductive(
    task: &Prepared<'_>,
    annotation: &Annotation,
    invariants: &[&SourceInvariant],
    wording: Wording,
    budget: &mut Budget,
) -> bool {
    let prepared = task.program();
    let error = prepared.procs[prepared.entry].error;
    let mut claim = annotation.clone();
    for ((proc, location), invariant) in &mut claim.invariants {
        let is_error = *proc == prepared.entry && Some(*location) == error;
        let never = Formula::leaf(if is_error { Operator::True } else { Operator::False });
        let facts = invariant.facts.take();
        *invariant = Invariant { facts, never, instances: vec![Instance::new()] };
    }
    for meaning in invariants.iter().flat_map(|invariant| &invariant.meanings) {
        let bold = meaning.boldly.as_ref().filter(|_| wording == Wording::Bold);
        let Some(excluded) = bold.or(meaning.excluded.as_ref()) else { return false };
        if let Some(invariant) = claim.invariants.get_mut(&meaning.location) {
            invariant.never.clone_from(excluded);
        }
    }
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(claim)));
    matches!(certify(task, verdict, budget).verdict(), Verdict::Safe(_))
}
