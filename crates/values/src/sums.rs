//! Which sums of elements matter.
//!
//! # Choice
//! A loop that adds `a[i]` to something while `i` moves by a constant computes the sum of the elements before `i`. It counts if there are several such loops, whose results may have to be compared, and if the program
//! does not tell what the elements are: then an input or another array was stored. Sums end at the counter of a loop and at what the loop compares the counter with.
//!
//! The choice depends on the program alone and is a matter of precision, not of soundness.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{BinaryOp, Edge, Expr, ExprId, Loc, Op, Place, Procedure, Program, Ty, VarId};

use crate::monomials::{Increment, increment, is_at, plain_variable};
use crate::state::operands_first;

/// More symbols than this cost more than they tell.
const MAX_SUMS: usize = 8;

/// Where a sum of elements ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Before the value of a variable.
    Variable(VarId),
    /// Before a number.
    Number(i64),
}

/// The sum of the elements of an array from the first one up to a bound; 0 if the bound is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum {
    /// The array.
    pub array: VarId,
    /// The first element that does not count.
    pub bound: Bound,
}

/// The sums that matter in a procedure.
pub fn sums(program: &Program, procedure: &Procedure) -> BTreeSet<Sum> {
    let forest = procedure.loops();
    let mut found: Vec<(VarId, BTreeSet<Bound>)> = Vec::new();
    for (id, _) in forest.loops().iter_enumerated() {
        let body: BTreeSet<Loc> = forest.body(id).iter().copied().collect();
        let is_inside = |edge: &&Edge| body.contains(&edge.source) && body.contains(&edge.target);
        let inside: Vec<&Op> =
            procedure.edges().iter().filter(is_inside).flat_map(|edge| &edge.ops).collect();
        found.extend(summed(program, &inside));
    }
    if found.len() < 2 {
        return BTreeSet::new();
    }
    let unknown = unknown_contents(program, procedure);
    let mut chosen = BTreeSet::new();
    for (array, bounds) in found.into_iter().filter(|(array, _)| unknown.contains(array)) {
        chosen.extend(bounds.into_iter().map(|bound| Sum { array, bound }));
    }
    if chosen.len() > MAX_SUMS { BTreeSet::new() } else { chosen }
}

/// The arrays whose elements a loop adds up, each with the bounds of the sums.
fn summed(program: &Program, inside: &[&Op]) -> Vec<(VarId, BTreeSet<Bound>)> {
    let mut writes: BTreeMap<VarId, Vec<Option<ExprId>>> = BTreeMap::new();
    for op in inside {
        for place in op.places() {
            if let Some(var) = place.var() {
                let value = if let Op::Assign { value, .. } = op { Some(*value) } else { None };
                writes.entry(var).or_default().push(value);
            }
        }
    }
    let is_counter = |var: VarId| match writes.get(&var).map(Vec::as_slice) {
        Some([Some(value)]) => matches!(increment(program, var, *value), Some(Increment::Constant)),
        _ => false,
    };
    let mut found: Vec<(VarId, BTreeSet<Bound>)> = Vec::new();
    for op in inside {
        let Op::Assign { place, value } = op else { continue };
        let parts = operands_first(program, [*value]);
        if !parts.iter().any(|part| is_at(program, *part, place)) {
            continue;
        }
        for part in parts {
            let Expr::Elem { array, index, ty: Ty::Int { .. } } = *program.exprs.get(part) else { continue };
            let Some(counter) = plain_variable(program, index).filter(|var| is_counter(*var)) else {
                continue;
            };
            if Some(array) == place.var() || found.iter().any(|(known, _)| *known == array) {
                continue;
            }
            let mut bounds = BTreeSet::from([Bound::Variable(counter)]);
            bounds.extend(
                compared(program, inside, counter)
                    .filter(|bound| !matches!(bound, Bound::Variable(var) if writes.contains_key(var))),
            );
            found.push((array, bounds));
        }
    }
    found
}

/// What the conditions of a loop compare a counter with.
fn compared<'a>(program: &'a Program, inside: &'a [&Op], counter: VarId) -> impl Iterator<Item = Bound> + 'a {
    let conditions = inside.iter().filter_map(|op| match op {
        Op::Assume { cond } => Some(*cond),
        _ => None,
    });
    let parts = operands_first(program, conditions);
    parts.into_iter().filter_map(move |part| {
        let Expr::Binary { op, lhs, rhs } = *program.exprs.get(part) else { return None };
        let is_comparison = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Ne | BinaryOp::Eq);
        let other = if plain_variable(program, lhs) == Some(counter) {
            rhs
        } else if plain_variable(program, rhs) == Some(counter) {
            lhs
        } else {
            return None;
        };
        bound(program, other).filter(|_| is_comparison)
    })
}

fn bound(program: &Program, expr: ExprId) -> Option<Bound> {
    if let Some(var) = plain_variable(program, expr) {
        return Some(Bound::Variable(var));
    }
    match *program.exprs.get(expr) {
        Expr::Const { ty: Ty::Int { .. }, bits } => i64::try_from(bits).ok().map(Bound::Number),
        _ => None,
    }
}

/// The arrays whose contents the program does not compute: inputs, what is never written, and what is made of such elements.
fn unknown_contents(program: &Program, procedure: &Procedure) -> BTreeSet<VarId> {
    let mut unknown: BTreeSet<VarId> = BTreeSet::new();
    let mut inputs: BTreeSet<VarId> = BTreeSet::new();
    let mut written: BTreeSet<VarId> = BTreeSet::new();
    let mut sources: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
    for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
        match op {
            Op::Havoc { place: Place::Var(var), .. } => {
                inputs.insert(*var);
            }
            Op::Assign { place: Place::Elem { array, .. }, value } => {
                written.insert(*array);
                for part in operands_first(program, [*value]) {
                    if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = *program.exprs.get(part) {
                        sources.entry(*array).or_default().insert(var);
                    }
                }
            }
            _ => {
                for place in op.places() {
                    if let Place::Elem { array, .. } = place {
                        written.insert(*array);
                        unknown.insert(*array);
                    }
                }
            }
        }
    }
    let arrays = program.vars.ids().filter(|var| program.vars[*var].scalar().is_none());
    unknown.extend(arrays.filter(|array| !written.contains(array)));
    loop {
        let is_made = |(array, made_of): &(&VarId, &BTreeSet<VarId>)| {
            !unknown.contains(array)
                && made_of.iter().any(|var| var != *array && (unknown.contains(var) || inputs.contains(var)))
        };
        let more: Vec<VarId> = sources.iter().filter(is_made).map(|(array, _)| *array).collect();
        if more.is_empty() {
            return unknown;
        }
        unknown.extend(more);
    }
}
