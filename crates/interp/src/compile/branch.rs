//! Code for conditions.

use super::super::insn::Insn;
use super::{Compiler, Label};
use cfa::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use cfa::ty::Ty;

/// When a branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// If its condition holds.
    Holds,
    /// If its condition does not hold.
    Fails,
}

impl When {
    fn opposite(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }
}

impl Compiler<'_> {
    /// Jumps if the condition holds, or if it fails.
    pub(super) fn branch(&mut self, cond: ExprId, when: When, to: Label) {
        let (cond, when) = self.strip(cond, when);
        let exprs = &self.program.exprs;
        match *exprs.get(cond) {
            Expr::Const { bits, .. } => {
                if (bits != 0) == (when == When::Holds) {
                    self.emit(Insn::Jump { to });
                }
            }
            Expr::Binary { op, lhs, rhs } if op.is_comparison() && is_fusible(exprs.ty(lhs)) => {
                let ty = exprs.ty(lhs);
                let needed = self.addresses.guard(self.program, op, lhs, rhs);
                let (mut a, mut b) = (self.value(lhs), self.value(rhs));
                self.guard_before(needed, ty, a, b);
                if ty == Ty::Ptr {
                    (a, b) = (self.address(a), self.address(b));
                }
                let signed = ty.is_signed();
                self.emit(match (op, when) {
                    (BinaryOp::Eq, When::Holds) | (BinaryOp::Ne, When::Fails) => Insn::JumpEq { a, b, to },
                    (BinaryOp::Eq, When::Fails) | (BinaryOp::Ne, When::Holds) => Insn::JumpNe { a, b, to },
                    (BinaryOp::Lt, When::Holds) if signed => Insn::JumpLtS { a, b, to },
                    (BinaryOp::Lt, When::Holds) => Insn::JumpLtU { a, b, to },
                    (BinaryOp::Lt, When::Fails) if signed => Insn::JumpLeS { a: b, b: a, to },
                    (BinaryOp::Lt, When::Fails) => Insn::JumpLeU { a: b, b: a, to },
                    (_, When::Holds) if signed => Insn::JumpLeS { a, b, to },
                    (_, When::Holds) => Insn::JumpLeU { a, b, to },
                    (_, When::Fails) if signed => Insn::JumpLtS { a: b, b: a, to },
                    (_, When::Fails) => Insn::JumpLtU { a: b, b: a, to },
                });
            }
            _ => {
                let cond = self.value(cond);
                self.emit(match when {
                    When::Holds => Insn::JumpIf { cond, to },
                    When::Fails => Insn::JumpUnless { cond, to },
                });
            }
        }
    }
    /// Removes negations and comparisons of truth values with 0, as C's conditions have them.
    fn strip(&self, mut cond: ExprId, mut when: When) -> (ExprId, When) {
        let exprs = &self.program.exprs;
        loop {
            match *exprs.get(cond) {
                Expr::Unary { op: UnaryOp::Not, arg } if exprs.ty(arg) == Ty::BOOL => {
                    cond = arg;
                    when = when.opposite();
                }
                Expr::Binary { op: op @ (BinaryOp::Eq | BinaryOp::Ne), lhs, rhs }
                    if matches!(exprs.get(rhs), Expr::Const { bits: 0, .. }) =>
                {
                    let inner = match *exprs.get(lhs) {
                        // One unsigned bit survives in every wider integer type, and in a signed one of one bit.
                        Expr::Cast { ty: Ty::Int { .. }, arg } if exprs.ty(arg) == Ty::BOOL => arg,
                        _ if exprs.ty(lhs) == Ty::BOOL => lhs,
                        _ => return (cond, when),
                    };
                    cond = inner;
                    if op == BinaryOp::Eq {
                        when = when.opposite();
                    }
                }
                _ => return (cond, when),
            }
        }
    }
}

/// Whether comparing values of a type and jumping is one instruction.
fn is_fusible(ty: Ty) -> bool {
    match ty {
        Ty::Int { width, .. } => width <= 64,
        Ty::Ptr => true,
        Ty::Float(_) => false,
    }
}
