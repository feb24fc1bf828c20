//! What lowered expressions read, whether they may be undefined, and how big they are.
//!
//! # Invariants
//! * F1: facts are per node of the arena and computed in arena order, so long chains need no recursion.

use cfa::{BinaryOp, Expr, ExprId, SignedOverflow, Ty, UnaryOp, VarId};

/// What an expression reads: a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reads(u8);

impl Reads {
    /// Nothing but temporaries.
    pub(super) const NOTHING: Self = Self(0);
    /// Local variables that are no temporaries.
    pub(super) const LOCAL: Self = Self(1);
    /// Global variables or memory.
    pub(super) const SHARED: Self = Self(2);

    fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }
    /// Whether all of `other` is among this.
    pub(super) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Facts about one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    /// What it reads.
    pub reads: Reads,
    /// Whether evaluating it may be undefined.
    pub partial: bool,
    /// Number of nodes as a tree.
    pub weight: u32,
}

/// Facts about an arena.
#[derive(Debug, Default)]
pub(super) struct Facts {
    known: Vec<Fact>,
}

/// What the facts need to know about variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VarKind {
    /// Assigned once for every evaluation of the expression that needs it.
    Temporary,
    /// Of a procedure.
    Local,
    /// Of the program.
    Global,
}

impl Facts {
    /// The facts about a node.
    pub(super) fn get(
        &mut self,
        exprs: &cfa::Exprs,
        id: ExprId,
        signed_overflow: SignedOverflow,
        kind: impl Fn(VarId) -> VarKind,
    ) -> Fact {
        while self.known.len() <= id.0 as usize {
            let next = ExprId(self.known.len() as u32);
            let expr = *exprs.get(next);
            let mut fact = Fact { reads: Reads::NOTHING, partial: false, weight: 1 };
            for operand in expr.operands() {
                let part = self.known[operand.0 as usize];
                fact.reads.add(part.reads);
                fact.partial |= part.partial;
                fact.weight = fact.weight.saturating_add(part.weight);
            }
            let of_var = |var: VarId| match kind(var) {
                VarKind::Temporary => Reads::NOTHING,
                VarKind::Local => Reads::LOCAL,
                VarKind::Global => Reads::SHARED,
            };
            match expr {
                Expr::Var { var, .. } => fact.reads.add(of_var(var)),
                Expr::Elem { array, .. } => fact.reads.add(of_var(array)),
                Expr::Load { .. } | Expr::LoadBits { .. } => fact.reads.add(Reads::SHARED),
                _ => {}
            }
            fact.partial |= is_partial(exprs, &expr, signed_overflow);
            self.known.push(fact);
        }
        self.known[id.0 as usize]
    }
}

/// Whether a node may be undefined although its operands are not.
fn is_partial(exprs: &cfa::Exprs, expr: &Expr, signed_overflow: SignedOverflow) -> bool {
    let wraps = signed_overflow == SignedOverflow::Wrap;
    match *expr {
        Expr::Elem { .. }
        | Expr::Load { .. }
        | Expr::LoadBits { .. }
        | Expr::Bounded { .. }
        | Expr::Undefined { .. } => true,
        Expr::Unary { op: UnaryOp::Neg, arg } => !wraps && exprs.ty(arg).is_signed(),
        Expr::Binary { op, lhs, rhs } => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => !wraps && exprs.ty(lhs).is_signed(),
            BinaryOp::Div | BinaryOp::Rem => !exprs.ty(lhs).is_float(),
            BinaryOp::Shl if signed_overflow == SignedOverflow::Error && exprs.ty(lhs).is_signed() => true,
            BinaryOp::Shl | BinaryOp::Shr => !matches!(exprs.get(rhs), Expr::Const { .. }),
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::PtrSub => exprs.ty(lhs) == Ty::Ptr,
            _ => false,
        },
        Expr::Cast { ty, arg } => ty.is_int() && exprs.ty(arg).is_float(),
        _ => false,
    }
}
