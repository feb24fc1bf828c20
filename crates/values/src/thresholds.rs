//! Where bounds stop that grow from visit to visit of a loop.
//!
//! Bounds are moved to constants of the program and their neighbours, one after the other, as the tests of the program speak of these. In a large program that would be a visit for each of its constants: after
//! a few visits only those count that the variable itself is compared with, and in the end only the bounds of types.
//!
//! # Invariants
//! * T1: in a program of more than [`FEW`] constants a bound is one of a type after [`LAST_VISIT`] visits.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{Expr, ExprId, Program, Ty, VarId};

use crate::state::type_range;

/// So many constants are tried one after the other for each variable.
const FEW: usize = 128;
/// After so many visits of a loop, the constants of a large program are those that a variable is compared with.
const OWN_VISIT: u32 = 6;
/// After so many visits, only the bounds of types are left.
const LAST_VISIT: u32 = 24;
/// Larger comparisons are looked at up to so many expressions.
const MOST_EXPRESSIONS: usize = 32;

/// The thresholds of a program.
pub(crate) struct Thresholds {
    /// Constants and their neighbours, and the bounds of types, ascending.
    all: Vec<i128>,
    /// The bounds of types, ascending.
    bounds: Vec<i128>,
    /// Whether the program has many constants.
    is_large: bool,
    /// If so: those that each variable is compared with, and the bounds of types.
    own: BTreeMap<VarId, Vec<i128>>,
}

impl Thresholds {
    pub(crate) fn of(program: &Program) -> Self {
        let mut constants = BTreeSet::new();
        let mut bounds = BTreeSet::from([-1, 0, 1]);
        for (id, expr) in program.exprs.iter() {
            constants.extend(neighbours(*expr).into_iter().flatten());
            if let Some(range) = type_range(program.exprs.ty(id)) {
                bounds.extend([range.low(), range.high()]);
            }
        }
        let is_large = constants.len() > FEW;
        let own = if is_large { compared(program, &bounds) } else { BTreeMap::new() };
        let all = constants.union(&bounds).copied().collect();
        Self { all, bounds: bounds.into_iter().collect(), is_large, own }
    }

    /// Those for a variable after so many visits of a loop.
    pub(crate) fn of_variable(&self, var: VarId, visits: u32) -> &[i128] {
        if !self.is_large || visits < OWN_VISIT {
            return &self.all;
        }
        match self.own.get(&var) {
            Some(own) if visits < LAST_VISIT => own,
            _ => &self.bounds,
        }
    }
}

/// A constant and those next to it.
fn neighbours(expr: Expr) -> Option<[i128; 3]> {
    let Expr::Const { ty: ty @ Ty::Int { width: ..=64, .. }, bits } = expr else { return None };
    let value = ty.value_of(bits);
    Some([value - 1, value, value + 1])
}

/// What variables are compared with.
fn compared(program: &Program, bounds: &BTreeSet<i128>) -> BTreeMap<VarId, Vec<i128>> {
    let mut own: BTreeMap<VarId, BTreeSet<i128>> = BTreeMap::new();
    for (id, expr) in program.exprs.iter() {
        if !matches!(expr, Expr::Binary { op, .. } if op.is_comparison()) {
            continue;
        }
        let (mut vars, mut constants) = (BTreeSet::new(), BTreeSet::new());
        let mut pending: Vec<ExprId> = vec![id];
        for _ in 0..MOST_EXPRESSIONS {
            let Some(part) = pending.pop() else { break };
            let expr = *program.exprs.get(part);
            if let Expr::Var { var, .. } | Expr::Elem { array: var, .. } = expr {
                vars.insert(var);
            }
            constants.extend(neighbours(expr).into_iter().flatten());
            pending.extend(expr.operands());
        }
        for var in vars {
            own.entry(var).or_insert_with(|| bounds.clone()).extend(&constants);
        }
    }
    own.into_iter().map(|(var, constants)| (var, constants.into_iter().collect())).collect()
}
