//! Which folds of elements matter.
//!
//! # Choice
//! A loop that combines `a[i]` with something by `&`, `|`, `^`, or keeps the larger or smaller of the two, while `i` moves by a constant, folds the elements of `a`. It counts if there are several such
//! loops with the same operation, whose results may have to be compared, and if the program does not tell what the elements are. What is followed: the arrays; the variables that elements are
//! kept in while others are written; the results, and the variables that they are copied to. A loop that counts elements that satisfy a condition is treated alike, but a count is a sum: of the array, of what each
//! element counts, and there is nothing to follow of the result.
//!
//! The choice depends on the program alone and is a matter of precision, not of soundness.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{BinaryOp, Edge, Expr, ExprId, Loc, Op, Place, Procedure, Program, Ty, VarId};

use crate::monomials::plain_variable;
use crate::sums::{Bound, Count, Counters, MAX_SUMS, Sum, Summand, Test, compared, unknown_contents};

/// More variables than this are not followed.
const MAX_CODES: usize = 24;

/// An operation whose result does not depend on the order of what it combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldOp {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
}

/// What is followed of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coded {
    /// The codes of its elements; it is an array.
    Elements,
    /// What its elements count; it is an array.
    Counts(Count),
    /// The code of its value as an element.
    Element,
    /// The code of what it is the fold of.
    Fold(FoldOp),
}

/// What is followed of the folds of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    /// The variables.
    pub vars: BTreeSet<(VarId, Coded)>,
    /// The sums of the codes of elements.
    pub sums: BTreeSet<Sum>,
}

/// What a loop does with each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Fold(FoldOp),
    Count(Count),
}

/// A loop that folds an array.
struct Folding {
    step: Step,
    array: VarId,
    result: VarId,
    bounds: BTreeSet<Bound>,
}

/// The folds that matter in a procedure.
pub fn folds(program: &Program, procedure: &Procedure) -> Folds {
    if program.vars.iter().all(|var| var.scalar().is_some()) {
        return Folds::default();
    }
    let found = foldings(program, procedure);
    let is_repeated =
        |folding: &&Folding| found.iter().filter(|other| other.step == folding.step).count() > 1;
    let repeated: Vec<&Folding> = found.iter().filter(is_repeated).collect();
    if repeated.is_empty() {
        return Folds::default();
    }
    let unknown = unknown_contents(program, procedure);
    let mut folds = Folds::default();
    let mut results: BTreeMap<VarId, FoldOp> = BTreeMap::new();
    for Folding { step, array, result, bounds } in repeated {
        if !unknown.contains(array) {
            continue;
        }
        let (coded, of) = match step {
            Step::Fold(op) => {
                results.entry(*result).or_insert(*op);
                (Coded::Elements, Summand::Codes)
            }
            Step::Count(count) => (Coded::Counts(*count), Summand::Counts(*count)),
        };
        folds.vars.insert((*array, coded));
        folds.sums.extend(bounds.iter().map(|bound| Sum { array: *array, bound: *bound, of }));
    }
    add_results(program, procedure, &mut results);
    let kept = kept_elements(program, procedure, &folds.vars);
    let kept = kept.into_iter().filter(|var| !results.contains_key(var));
    folds.vars.extend(kept.map(|var| (var, Coded::Element)));
    folds.vars.extend(results.into_iter().map(|(var, op)| (var, Coded::Fold(op))));
    let is_small = folds.sums.len() <= MAX_SUMS && folds.vars.len() <= MAX_CODES;
    if is_small { folds } else { Folds::default() }
}

fn foldings(program: &Program, procedure: &Procedure) -> Vec<Folding> {
    let forest = procedure.loops();
    let mut found: Vec<Folding> = Vec::new();
    for (id, _) in forest.loops().iter_enumerated() {
        let body: BTreeSet<Loc> = forest.body(id).iter().copied().collect();
        let is_inside = |edge: &&Edge| body.contains(&edge.source) && body.contains(&edge.target);
        let edges: Vec<&Edge> = procedure.edges().iter().filter(is_inside).collect();
        let inside: Vec<&Op> = edges.iter().flat_map(|edge| &edge.ops).collect();
        let counters = Counters::of(program, &inside);
        let folded = edges.iter().filter_map(|edge| step(program, edge, &counters));
        for (step, array, result, counter) in folded.chain(counted(program, &edges, &counters)) {
            let bounds = counters.bounds(counter, compared(program, &inside, counter));
            found.push(Folding { step, array, result, bounds });
        }
    }
    found
}

/// What an edge folds: the operation, the array, the result and the index.
fn step(program: &Program, edge: &Edge, counters: &Counters) -> Option<(Step, VarId, VarId, VarId)> {
    let mut conditions = Vec::new();
    for op in &edge.ops {
        match op {
            Op::Assume { cond } => conditions.push(*cond),
            Op::Assign { place: Place::Var(result), value } => {
                let folded = bitwise(program, *result, *value)
                    .or_else(|| extreme(program, *result, *value, &conditions))
                    .or_else(|| chosen(program, *result, *value));
                let folded = folded.and_then(|(op, element)| {
                    let (array, counter) = element_at_counter(program, element, counters)?;
                    Some((Step::Fold(op), array, *result, counter))
                });
                if folded.is_some() {
                    return folded;
                }
            }
            _ => {}
        }
    }
    None
}

/// `r op element`.
fn bitwise(program: &Program, result: VarId, value: ExprId) -> Option<(FoldOp, ExprId)> {
    let Expr::Binary { op, lhs, rhs } = *program.exprs.get(plain(program, value)) else { return None };
    let op = match op {
        BinaryOp::And => FoldOp::And,
        BinaryOp::Or => FoldOp::Or,
        BinaryOp::Xor => FoldOp::Xor,
        _ => return None,
    };
    let other = if plain_variable(program, lhs) == Some(result) {
        rhs
    } else if plain_variable(program, rhs) == Some(result) {
        lhs
    } else {
        return None;
    };
    Some((op, other))
}

/// The element, where conditions before say that it is larger or smaller than the result.
fn extreme(
    program: &Program,
    result: VarId,
    value: ExprId,
    conditions: &[ExprId],
) -> Option<(FoldOp, ExprId)> {
    conditions.iter().find_map(|cond| Some((compares(program, result, *cond, value)?, value)))
}

/// The element if it is larger or smaller than the result, else the result.
fn chosen(program: &Program, result: VarId, value: ExprId) -> Option<(FoldOp, ExprId)> {
    let Expr::Ite { cond, then, other } = *program.exprs.get(plain(program, value)) else { return None };
    let element = if plain_variable(program, other) == Some(result) { then } else { other };
    let op = compares(program, result, cond, element)?;
    let swapped = match op {
        FoldOp::Max => FoldOp::Min,
        _ => FoldOp::Max,
    };
    Some((if element == then { op } else { swapped }, element))
}

/// Which of the two a condition says the element to be.
fn compares(program: &Program, result: VarId, cond: ExprId, element: ExprId) -> Option<FoldOp> {
    let Expr::Binary { op: BinaryOp::Lt | BinaryOp::Le, lhs, rhs } = *program.exprs.get(cond) else {
        return None;
    };
    let element = plain(program, element);
    if plain_variable(program, lhs) == Some(result) && plain(program, rhs) == element {
        Some(FoldOp::Max)
    } else if plain_variable(program, rhs) == Some(result) && plain(program, lhs) == element {
        Some(FoldOp::Min)
    } else {
        None
    }
}

/// Without conversions of integers.
fn plain(program: &Program, mut expr: ExprId) -> ExprId {
    while let Expr::Cast { ty: Ty::Int { .. }, arg } = *program.exprs.get(expr) {
        expr = arg;
    }
    expr
}

fn element_at_counter(program: &Program, element: ExprId, counters: &Counters) -> Option<(VarId, VarId)> {
    let Expr::Elem { array, index, ty: Ty::Int { .. } } = *program.exprs.get(plain(program, element)) else {
        return None;
    };
    let counter = plain_variable(program, index).filter(|var| counters.contains(*var))?;
    Some((array, counter))
}

/// What the edges of a loop count: the count, the array, the result and the index.
fn counted(program: &Program, edges: &[&Edge], counters: &Counters) -> Vec<(Step, VarId, VarId, VarId)> {
    // By array, result, index and condition: what is added where it holds, and where not.
    let mut found: BTreeMap<(VarId, VarId, VarId, Test), [Option<i64>; 2]> = BTreeMap::new();
    for edge in edges {
        let mut tested = None;
        for op in &edge.ops {
            match op {
                Op::Assume { cond } => tested = tested.or_else(|| test(program, *cond, counters)),
                Op::Assign { place: Place::Var(result), value } => {
                    let Some(((array, counter), test, holds)) = tested else { continue };
                    let Some(growth) = growth(program, *result, *value) else { continue };
                    if *result != counter {
                        found.entry((array, *result, counter, test)).or_default()[usize::from(!holds)] =
                            Some(growth);
                    }
                }
                _ => {}
            }
        }
    }
    let step = |((array, result, counter, test), [yes, no]): (_, [Option<i64>; 2])| {
        let count = Count { test, yes: yes.unwrap_or(0), no: no.unwrap_or(0) };
        (Step::Count(count), array, result, counter)
    };
    found.into_iter().map(step).collect()
}

/// The array and the index of an element that a condition tests, what it tests, and whether that holds.
fn test(program: &Program, cond: ExprId, counters: &Counters) -> Option<((VarId, VarId), Test, bool)> {
    let Expr::Binary { op, lhs, rhs } = *program.exprs.get(cond) else { return None };
    let (value, limit, is_left) = match (number(program, lhs), number(program, rhs)) {
        (None, Some(limit)) => (plain(program, lhs), limit, true),
        (Some(limit), None) => (plain(program, rhs), limit, false),
        _ => return None,
    };
    if let Expr::Binary { op: BinaryOp::Rem, lhs, rhs } = *program.exprs.get(value) {
        let divisor = number(program, rhs).filter(|divisor| *divisor > 1 && limit == 0)?;
        let holds = match op {
            BinaryOp::Eq => true,
            BinaryOp::Ne => false,
            _ => return None,
        };
        return Some((element_at_counter(program, lhs, counters)?, Test::Multiple(divisor), holds));
    }
    let (test, holds) = match (op, is_left) {
        (BinaryOp::Eq, _) => (Test::Is(limit), true),
        (BinaryOp::Ne, _) => (Test::Is(limit), false),
        (BinaryOp::Le, true) => (Test::AtMost(limit), true),
        (BinaryOp::Lt, true) => (Test::AtMost(limit.checked_sub(1)?), true),
        (BinaryOp::Le, false) => (Test::AtMost(limit.checked_sub(1)?), false),
        (BinaryOp::Lt, false) => (Test::AtMost(limit), false),
        _ => return None,
    };
    Some((element_at_counter(program, value, counters)?, test, holds))
}

fn number(program: &Program, expr: ExprId) -> Option<i64> {
    match *program.exprs.get(expr) {
        Expr::Const { ty: ty @ Ty::Int { .. }, bits } => i64::try_from(ty.value_of(bits)).ok(),
        _ => None,
    }
}

/// What an assignment adds to a variable.
fn growth(program: &Program, result: VarId, value: ExprId) -> Option<i64> {
    let Expr::Binary { op, lhs, rhs } = *program.exprs.get(value) else { return None };
    if plain_variable(program, lhs) != Some(result) {
        return None;
    }
    match op {
        BinaryOp::Add => number(program, rhs),
        BinaryOp::Sub => number(program, rhs)?.checked_neg(),
        _ => None,
    }
}

/// The variables that elements of arrays whose codes are followed are kept in.
fn kept_elements(
    program: &Program,
    procedure: &Procedure,
    followed: &BTreeSet<(VarId, Coded)>,
) -> BTreeSet<VarId> {
    let mut kept = BTreeSet::new();
    for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
        let Op::Assign { place: Place::Var(var), value } = op else { continue };
        let Expr::Elem { array, .. } = *program.exprs.get(plain(program, *value)) else { continue };
        if followed.contains(&(array, Coded::Elements)) {
            kept.insert(*var);
        }
    }
    kept
}

/// Adds the variables that results are copied to.
fn add_results(program: &Program, procedure: &Procedure, results: &mut BTreeMap<VarId, FoldOp>) {
    loop {
        let mut more = Vec::new();
        for op in procedure.edges().iter().flat_map(|edge| &edge.ops) {
            let Op::Assign { place: Place::Var(var), value } = op else { continue };
            let Some(source) = plain_variable(program, *value) else { continue };
            if let Some(op) = results.get(&source)
                && !results.contains_key(var)
            {
                more.push((*var, *op));
            }
        }
        if more.is_empty() {
            return;
        }
        results.extend(more);
    }
}
