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
pub(crate) const MAX_SUMS: usize = 8;

/// Where a sum of elements ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Before the value of a variable.
    Variable(VarId),
    /// Before a number.
    Number(i64),
}

/// A condition on an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// It is at most a number.
    AtMost(i64),
    /// It is a number.
    Is(i64),
    /// Its remainder is 0.
    Multiple(i64),
}

/// What an element counts: a number if a condition holds, else another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count {
    /// The condition.
    pub test: Test,
    /// What it counts if the condition holds.
    pub yes: i64,
    /// What it counts else.
    pub no: i64,
}

/// What is summed up of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Summand {
    /// The element itself.
    Elements,
    /// Its code ([`crate::folds`]).
    Codes,
    /// What it counts.
    Counts(Count),
}

/// The sum of the elements of an array, or of their codes, from the first one up to a bound; 0 if the bound is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum {
    /// What is summed up.
    pub of: Summand,
    /// The array.
    pub array: VarId,
    /// The first element that does not count.
    pub bound: Bound,
}

/// The variables that a loop writes, and those of them that move by a constant.
pub(crate) struct Counters {
    written: BTreeSet<VarId>,
    counters: BTreeSet<VarId>,
}

impl Counters {
    /// The counters of a loop with these operations.
    pub(crate) fn of(program: &Program, inside: &[&Op]) -> Self {
        let mut writes: BTreeMap<VarId, Vec<Option<ExprId>>> = BTreeMap::new();
        for op in inside {
            for place in op.places() {
                if let Some(var) = place.var() {
                    let value = if let Op::Assign { value, .. } = op { Some(*value) } else { None };
                    writes.entry(var).or_default().push(value);
                }
            }
        }
        let is_counter = |(var, values): &(&VarId, &Vec<Option<ExprId>>)| match values.as_slice() {
            [Some(value)] => matches!(increment(program, **var, *value), Some(Increment::Constant)),
            _ => false,
        };
        let counters = writes.iter().filter(is_counter).map(|(var, _)| *var).collect();
        Self { written: writes.into_keys().collect(), counters }
    }
    /// Whether a variable moves by a constant.
    pub(crate) fn contains(&self, var: VarId) -> bool {
        self.counters.contains(&var)
    }
    /// Where sums up to a counter end: at the counter, and at what it is compared with and the loop does not change.
    pub(crate) fn bounds(&self, counter: VarId, compared: impl Iterator<Item = Bound>) -> BTreeSet<Bound> {
        let is_fixed = |bound: &Bound| !matches!(bound, Bound::Variable(var) if self.written.contains(var));
        compared.filter(is_fixed).chain([Bound::Variable(counter)]).collect()
    }
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
        chosen.extend(bounds.into_iter().map(|bound| Sum { array, bound, of: Summand::Elements }));
    }
    if chosen.len() > MAX_SUMS { BTreeSet::new() } else { chosen }
}

/// The arrays whose elements a loop adds up, each with the bounds of the sums.
fn summed(program: &Program, inside: &[&Op]) -> Vec<(VarId, BTreeSet<Bound>)> {
    let counters = Counters::of(program, inside);
    let mut found: Vec<(VarId, BTreeSet<Bound>)> = Vec::new();
    for op in inside {
        let Op::Assign { place, value } = op else { continue };
        let is_fold = matches!(
            *program.exprs.get(*value),
            Expr::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, .. }
        );
        let parts = operands_first(program, [*value]);
        if is_fold || !parts.iter().any(|part| is_at(program, *part, place)) {
            continue;
        }
        for part in parts {
            let Expr::Elem { array, index, ty: Ty::Int { .. } } = *program.exprs.get(part) else { continue };
            let Some(counter) = plain_variable(program, index).filter(|var| counters.contains(*var)) else {
                continue;
            };
            if Some(array) == place.var() || found.iter().any(|(known, _)| *known == array) {
                continue;
            }
            found.push((array, counters.bounds(counter, compared(program, inside, counter))));
        }
    }
    found
}

/// What the conditions of a loop compare a counter with.
pub(crate) fn compared<'a>(
    program: &'a Program,
    inside: &'a [&Op],
    counter: VarId,
) -> impl Iterator<Item = Bound> + 'a {
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

/// The arrays that are given something else than their own elements.
fn given_others(program: &Program, procedure: &Procedure) -> BTreeSet<VarId> {
    let ops = || procedure.edges().iter().flat_map(|edge| &edge.ops);
    let is_element = |value: ExprId| matches!(*program.exprs.get(value), Expr::Elem { .. });
    // Variables that elements are kept in.
    let mut kept: BTreeMap<VarId, bool> = BTreeMap::new();
    for op in ops() {
        for place in op.places() {
            if let Place::Var(var) = place {
                let is_kept = match op {
                    Op::Assign { value, .. } => leaves(program, *value).into_iter().all(is_element),
                    _ => false,
                };
                *kept.entry(*var).or_insert(true) &= is_kept;
            }
        }
    }
    let is_moved = |own: VarId, value: ExprId| match *program.exprs.get(value) {
        Expr::Var { var, .. } => kept.get(&var) == Some(&true),
        Expr::Elem { array, .. } => array == own,
        Expr::Undefined { .. } => true,
        _ => false,
    };
    let mut given = BTreeSet::new();
    for op in ops() {
        for place in op.places() {
            let Place::Elem { array, .. } = place else { continue };
            let values = match op {
                Op::Assign { value, .. } => leaves(program, *value),
                _ => Vec::new(),
            };
            if values.is_empty() || !values.into_iter().all(|value| is_moved(*array, value)) {
                given.insert(*array);
            }
        }
    }
    given
}

/// What an expression may be, without conversions of integers.
fn leaves(program: &Program, value: ExprId) -> Vec<ExprId> {
    let (mut found, mut seen, mut pending) = (Vec::new(), BTreeSet::new(), vec![value]);
    while let Some(next) = pending.pop() {
        if !seen.insert(next) {
            continue;
        }
        match *program.exprs.get(next) {
            Expr::Cast { ty: Ty::Int { .. }, arg } => pending.push(arg),
            Expr::Ite { then, other, .. } => pending.extend([then, other]),
            _ => found.push(next),
        }
    }
    found
}

/// The arrays whose contents the program does not compute: inputs, what is never written, and what is made of such elements or moved.
pub(crate) fn unknown_contents(program: &Program, procedure: &Procedure) -> BTreeSet<VarId> {
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
    let given = given_others(program, procedure);
    unknown.extend(written.difference(&given));
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
