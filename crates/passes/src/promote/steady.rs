//! Where a value that is not followed is still what it was when it was read before.
//!
//! A forward analysis for each procedure: on all ways to a location the expression was evaluated, and since then no variable that it reads was written, nor any memory. Then its value is the same, so
//! it is not chosen again, and a counterexample that reads it twice can be replayed.

use std::collections::{BTreeMap, BTreeSet};

use base::IndexVec;
use cfa::op::{Op, Place};
use cfa::{ExprId, Loc, ProcId, Program, VarId};
use rustc_hash::FxHashSet;

use super::meaning::Stands;
use super::translate::Translator;
use crate::lifetimes::read_vars;

/// Expressions whose values are chosen, and the variables that they read.
#[derive(Debug, Default)]
pub(super) struct Chosen(BTreeMap<ExprId, BTreeSet<VarId>>);

impl Chosen {
    pub(super) fn new(translator: &Translator<'_>) -> Self {
        let program = translator.objects.program;
        let mut found = BTreeMap::new();
        for rounded in translator.rounded.values() {
            if let Stands::Expr(root) = rounded.stands {
                let mut vars = BTreeSet::new();
                read_vars(program, root, |var| {
                    vars.insert(var);
                });
                found.insert(root, vars);
            }
        }
        Self(found)
    }

    /// What is known after an operation.
    pub(super) fn after(&self, program: &Program, known: &mut BTreeSet<ExprId>, op: &Op) {
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
        let mut pending: Vec<ExprId> = op.exprs().collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                if self.0.contains_key(&id) {
                    known.insert(id);
                }
                pending.extend(program.exprs.get(id).operands());
            }
        }
        for written in op.places().filter_map(Place::var) {
            known.retain(|root| !self.0[root].contains(&written));
        }
    }

    /// What is known at the locations of a procedure; everything where nothing leads to.
    pub(super) fn known(&self, program: &Program, proc: ProcId) -> IndexVec<Loc, BTreeSet<ExprId>> {
        let procedure = &program.procs[proc];
        let mut known: IndexVec<Loc, Option<BTreeSet<ExprId>>> =
            IndexVec::filled(None, procedure.locations.len());
        known[procedure.entry] = Some(BTreeSet::new());
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            if self.0.is_empty() {
                break;
            }
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                let mut after = known[location].clone().unwrap_or_default();
                edge.ops.iter().for_each(|op| self.after(program, &mut after, op));
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
