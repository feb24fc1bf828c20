//! The values that integers may have where they move pointers or count bytes.
//!
//! A forward analysis of intervals, for each procedure by itself: of its own scalar variables, with what assumptions tell on the way. What comes from
//! memory, from parameters, from global variables and from calls may be anything of its type.
//!
//! # Invariants
//! * G1: if an expression has a value in some execution, the value is in the range: where a result may wrap, the range is that of the type.
//! * G2: every cycle has a head, and bounds that still change there after [`MAX_ROUNDS`] visits are those of the type, so the analysis ends.

use std::collections::BTreeMap;

use base::IndexVec;
use cfa::{BinaryOp, Expr, ExprId, Exprs, Loc, Op, Place, ProcId, Procedure, Program, UnaryOp, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Deeper operands may have any value of their type.
const MAX_DEPTH: u32 = 16;
/// After so many visits of a head bounds may not move step by step any more.
const MAX_ROUNDS: u32 = 3;

/// The least and the greatest value.
pub(super) type Range = (i128, i128);

/// What is known of variables; of others nothing is.
type Known = BTreeMap<VarId, Range>;

/// The values of integer expressions by which operations move pointers or count bytes, over all places where that happens.
#[derive(Debug, Default)]
pub(super) struct Ranges(FxHashMap<ExprId, Option<Range>>);

impl Ranges {
    /// Analyses a program.
    pub(super) fn new(program: &Program) -> Self {
        let mut ranges = Self::default();
        for (id, procedure) in program.procs.iter_enumerated() {
            ranges.procedure(program, id, procedure);
        }
        ranges
    }
    /// The values of an expression; nothing if there is no bound.
    pub(super) fn get(&self, expr: ExprId) -> Option<Range> {
        self.0.get(&expr).copied().flatten()
    }

    fn procedure(&mut self, program: &Program, id: ProcId, procedure: &Procedure) {
        let analysis = Analysis { program, owner: id };
        let mut states: IndexVec<Loc, Option<Known>> = IndexVec::filled(None, procedure.locations.len());
        let heads = heads(procedure);
        let mut visits: IndexVec<Loc, u32> = IndexVec::filled(0, procedure.locations.len());
        states[procedure.entry] = Some(Known::new());
        let mut pending = vec![procedure.entry];
        while let Some(location) = pending.pop() {
            let Some(state) = states[location].clone() else { continue };
            for edge in procedure.outgoing(location) {
                let edge = &procedure.edges()[*edge];
                let after = edge.ops.iter().try_fold(state.clone(), |known, op| analysis.after(known, op));
                let Some(after) = after else { continue };
                let target = edge.target;
                let merged = match &states[target] {
                    None => after,
                    Some(before) => analysis.merged(before, &after, visits[target]),
                };
                if states[target].as_ref() != Some(&merged) {
                    states[target] = Some(merged);
                    visits[target] += u32::from(heads.contains(&target));
                    pending.push(target);
                }
            }
        }
        for edge in procedure.edges() {
            let mut known = states[edge.source].clone();
            for op in &edge.ops {
                let Some(before) = known else { break };
                self.collect(program, op, &before);
                known = analysis.after(before, op);
            }
        }
    }

    /// The values of what an operation moves pointers by, or counts.
    fn collect(&mut self, program: &Program, op: &Op, known: &Known) {
        let mut known = known.clone();
        // Results are written after the call, one after the other.
        if matches!(op, Op::Call { .. }) {
            forget(&mut known, op);
        }
        let mut add = |expr: ExprId| {
            let more = range(&program.exprs, expr, &known, MAX_DEPTH);
            let all = self.0.entry(expr).or_insert(more);
            *all = match (*all, more) {
                (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
                _ => None,
            };
        };
        if let Op::Copy { length, .. } | Op::Fill { length, .. } = op {
            add(*length);
        }
        let mut pending: Vec<ExprId> = op.exprs().collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                let expr = program.exprs.get(id);
                if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = *expr {
                    add(rhs);
                }
                pending.extend(expr.operands());
            }
        }
    }
}

/// Where edges lead back to in a search of depth first: each cycle has one of these locations.
fn heads(procedure: &Procedure) -> FxHashSet<Loc> {
    let mut heads = FxHashSet::default();
    let mut entered: IndexVec<Loc, bool> = IndexVec::filled(false, procedure.locations.len());
    let mut active = entered.clone();
    let mut path = vec![(procedure.entry, 0)];
    (entered[procedure.entry], active[procedure.entry]) = (true, true);
    while let Some((location, next)) = path.last_mut() {
        let Some(edge) = procedure.outgoing(*location).get(*next) else {
            active[*location] = false;
            path.pop();
            continue;
        };
        *next += 1;
        let target = procedure.edges()[*edge].target;
        if active[target] {
            heads.insert(target);
        } else if !entered[target] {
            (entered[target], active[target]) = (true, true);
            path.push((target, 0));
        }
    }
    heads
}

/// Nothing is known of what an operation writes.
fn forget(known: &mut Known, op: &Op) {
    for var in op.vars() {
        known.remove(&var);
    }
}

/// The analysis of a procedure.
struct Analysis<'p> {
    program: &'p Program,
    owner: ProcId,
}

impl Analysis<'_> {
    /// What is known after an operation; nothing if it is never passed.
    fn after(&self, mut known: Known, op: &Op) -> Option<Known> {
        match op {
            Op::Assume { cond } => self.assume(known, *cond, Truth::Holds, MAX_DEPTH),
            Op::Assign { place: Place::Var(var), value } => {
                let value = range(&self.program.exprs, *value, &known, MAX_DEPTH);
                known.remove(var);
                if let (Some(value), true) = (value, self.is_own(*var)) {
                    known.insert(*var, value);
                }
                Some(known)
            }
            _ => {
                forget(&mut known, op);
                Some(known)
            }
        }
    }

    /// Whether a variable changes only where this procedure names it.
    fn is_own(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        var.owner == Some(self.owner) && var.scalar().is_some_and(cfa::Ty::is_int)
    }

    /// What is known where two ways meet; a head may have been visited before.
    fn merged(&self, before: &Known, after: &Known, visits: u32) -> Known {
        let mut merged = Known::new();
        for (var, (least, most)) in before {
            let Some((lower, higher)) = after.get(var) else { continue };
            let Some((lowest, highest)) = self.program.vars[*var].scalar().and_then(cfa::Ty::range) else {
                continue;
            };
            let bound = |bound: i128, other: i128, worst: i128, is_worse: bool| match (
                is_worse,
                visits >= MAX_ROUNDS,
            ) {
                (false, _) => bound,
                (true, false) => other,
                (true, true) => worst,
            };
            let least = bound(*least, *lower, lowest, lower < least);
            let most = bound(*most, *higher, highest, higher > most);
            merged.insert(*var, (least, most));
        }
        merged
    }

    /// What is known where a condition has a truth value.
    fn assume(&self, known: Known, cond: ExprId, truth: Truth, depth: u32) -> Option<Known> {
        let exprs = &self.program.exprs;
        if depth == 0 {
            return Some(known);
        }
        match (*exprs.get(cond), truth) {
            (Expr::Unary { op: UnaryOp::Not, arg }, _) if exprs.ty(cond) == cfa::Ty::BOOL => {
                self.assume(known, arg, truth.opposite(), depth - 1)
            }
            (Expr::Binary { op: BinaryOp::And, lhs, rhs }, Truth::Holds)
            | (Expr::Binary { op: BinaryOp::Or, lhs, rhs }, Truth::Fails)
                if exprs.ty(cond) == cfa::Ty::BOOL =>
            {
                let known = self.assume(known, lhs, truth, depth - 1)?;
                self.assume(known, rhs, truth, depth - 1)
            }
            (Expr::Binary { op, lhs, rhs }, _) if op.is_comparison() && exprs.ty(lhs).is_int() => {
                self.compare(known, op, lhs, rhs, truth)
            }
            _ => Some(known),
        }
    }

    fn compare(&self, known: Known, op: BinaryOp, lhs: ExprId, rhs: ExprId, truth: Truth) -> Option<Known> {
        let of = |expr: ExprId| range(&self.program.exprs, expr, &known, MAX_DEPTH);
        let (Some((a, b)), Some((c, d))) = (of(lhs), of(rhs)) else { return Some(known) };
        let (left, right) = match (op, truth) {
            (BinaryOp::Lt, Truth::Holds) => {
                ((a, b.min(d.saturating_sub(1))), (c.max(a.saturating_add(1)), d))
            }
            (BinaryOp::Le, Truth::Holds) => ((a, b.min(d)), (c.max(a), d)),
            (BinaryOp::Lt, Truth::Fails) => ((a.max(c), b), (c, d.min(b))),
            (BinaryOp::Le, Truth::Fails) => {
                ((a.max(c.saturating_add(1)), b), (c, d.min(b.saturating_sub(1))))
            }
            (BinaryOp::Eq, Truth::Holds) | (BinaryOp::Ne, Truth::Fails) => {
                let both = (a.max(c), b.min(d));
                (both, both)
            }
            _ => return Some(known),
        };
        if left.0 > left.1 || right.0 > right.1 {
            return None;
        }
        let mut refined = known.clone();
        for (expr, (least, most)) in [(lhs, left), (rhs, right)] {
            if let Some(var) = self.variable(expr, &known) {
                refined.insert(var, (least, most));
            }
        }
        Some(refined)
    }

    /// The variable whose value an expression has, conversions that keep it included.
    fn variable(&self, expr: ExprId, known: &Known) -> Option<VarId> {
        let exprs = &self.program.exprs;
        match *exprs.get(expr) {
            Expr::Var { var, .. } => self.is_own(var).then_some(var),
            Expr::Cast { arg, ty } if exprs.ty(arg).is_int() => {
                let (least, most) = range(exprs, arg, known, MAX_DEPTH)?;
                let (lowest, highest) = ty.range()?;
                if lowest <= least && most <= highest { self.variable(arg, known) } else { None }
            }
            _ => None,
        }
    }
}

/// The truth value of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Holds,
    Fails,
}

impl Truth {
    fn opposite(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }
}

/// The values of an expression where something is known of variables; nothing for what is no integer.
fn range(exprs: &Exprs, id: ExprId, known: &Known, depth: u32) -> Option<Range> {
    let ty = exprs.ty(id);
    if !ty.is_int() {
        return None;
    }
    let all = ty.range();
    if depth == 0 {
        return all;
    }
    let of = |id: ExprId| range(exprs, id, known, depth - 1);
    let found = match *exprs.get(id) {
        Expr::Const { ty, bits } => {
            let value = ty.value_of(bits);
            Some((value, value))
        }
        Expr::Var { var, .. } => known.get(&var).copied(),
        Expr::Cast { arg, .. } => of(arg),
        Expr::Ite { then, other, .. } => match (of(then), of(other)) {
            (Some(then), Some(other)) => Some((then.0.min(other.0), then.1.max(other.1))),
            _ => None,
        },
        Expr::Binary { op, lhs, rhs } => match (of(lhs), of(rhs)) {
            (Some(lhs), Some(rhs)) => binary(op, lhs, rhs),
            _ => None,
        },
        _ => None,
    };
    match (found, all) {
        // What does not fit wraps.
        (Some((least, most)), Some((lowest, highest))) if lowest <= least && most <= highest => found,
        _ => all,
    }
}

fn binary(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    match op {
        BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul => {
            let products = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*products.iter().min()?, *products.iter().max()?))
        }
        // A mask that is not negative bounds the result.
        BinaryOp::And if c >= 0 => Some((0, d)),
        BinaryOp::And if a >= 0 => Some((0, b)),
        BinaryOp::Rem if c > 0 => Some((if a >= 0 { 0 } else { 1 - d }, d - 1)),
        BinaryOp::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinaryOp::Shr if a >= 0 && (0..127).contains(&c) && (0..127).contains(&d) => Some((a >> d, b >> c)),
        _ => None,
    }
}
