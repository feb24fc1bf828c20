//! Where a value that is not followed is still what it was when it was read before.
//!
//! A forward analysis for each procedure: on all ways to a location the value was chosen, and since then no variable that its expression reads was written, nor any memory. Then the value is the same, so
//! it is not chosen again, and a counterexample that reads it twice can be replayed. A value is chosen where the translation of an operation reads its variable: an expression whose value is chosen
//! as a whole does not choose those of its parts.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::op::{Op, Place};
use cfa::{EdgeId, Loc, Procedure, VarId};

use super::meaning::Stands;
use super::translate::Translator;
use crate::lifetimes::read_vars;

/// Variables that stand for values of expressions that are chosen, and the variables that these expressions read.
#[derive(Debug, Default)]
pub(super) struct Chosen(BTreeMap<VarId, BTreeSet<VarId>>);

impl Chosen {
    pub(super) fn new(translator: &Translator<'_>) -> Self {
        let program = translator.objects.program;
        let mut found = BTreeMap::new();
        for (chosen, rounded) in &translator.rounded {
            if let Stands::Expr(root) = rounded.stands {
                let mut vars = BTreeSet::new();
                read_vars(program, root, |var| {
                    vars.insert(var);
                });
                found.insert(*chosen, vars);
            }
        }
        Self(found)
    }

    /// What is known after an operation whose translation reads some variables that stand for chosen values.
    pub(super) fn after(&self, known: &mut BTreeSet<VarId>, op: &Op, read: &BTreeSet<VarId>) {
        let writes_memory = match op {
            Op::Assign { .. } | Op::Havoc { .. } => {
                op.places().any(|place| matches!(place, Place::Mem { .. } | Place::Bits { .. }))
            }
            Op::Assume { .. } => false,
            _ => true,
        };
        if writes_memory {
            known.clear();
            return;
        }
        known.extend(read.iter().filter(|var| self.0.contains_key(var)));
        for written in op.places().filter_map(Place::var) {
            known.retain(|chosen| !self.0[chosen].contains(&written));
        }
    }

    /// What is known at the locations of a procedure; nothing where nothing leads to.
    pub(super) fn known(
        &self,
        procedure: &Procedure,
        read: impl Fn(EdgeId, usize) -> BTreeSet<VarId>,
    ) -> IndexVec<Loc, BTreeSet<VarId>> {
        let mut known: IndexVec<Loc, Option<BTreeSet<VarId>>> =
            IndexVec::filled(None, procedure.locations.len());
        known[procedure.entry] = Some(BTreeSet::new());
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            if self.0.is_empty() {
                break;
            }
            for id in procedure.outgoing(location) {
                let edge = &procedure.edges()[*id];
                let mut after = known[location].clone().unwrap_or_default();
                for (position, op) in edge.ops.iter().enumerate() {
                    self.after(&mut after, op, &read(*id, position));
                }
                let merged = match &known[edge.target] {
                    None => after,
                    Some(before) => before.intersection(&after).copied().collect(),
                };
                if known[edge.target].as_ref() != Some(&merged) {
                    known[edge.target] = Some(merged);
                    pending.push(edge.target);
                }
            }
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }
}
