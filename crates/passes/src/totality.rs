//! Which expressions may be undefined.
//!
//! An expression that is total can be left out, or moved, without changing what an execution does. Whether
//! one is total is decided bottom-up with the interval of values that its shape allows; variables are
//! anything of their type. Reading a variable counts as defined: in verification an uninitialised variable is
//! an arbitrary value.

use base::Idx;

use cfa::{BinaryOp, DataModel, Expr, ExprId, Length, Program, SignedOverflow, Storage, Ty, UnaryOp};

/// What is known about every expression of an arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totality {
    facts: Vec<Fact>,
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    partial: bool,
    range: Option<(i128, i128)>,
}

impl Totality {
    /// Looks at all expressions.
    pub(crate) fn new(program: &Program) -> Self {
        let mut totality = Self::default();
        totality.extend(program);
        totality
    }
    /// Looks at the expressions that were added since.
    pub(crate) fn extend(&mut self, program: &Program) {
        for (_, expr) in program.exprs.iter().skip(self.facts.len()) {
            let fact = self.fact(program, expr);
            self.facts.push(fact);
        }
    }
    /// Whether the expression has a value in every state.
    pub(crate) fn is_total(&self, expr: ExprId) -> bool {
        !self.facts[expr.index()].partial
    }
    /// The least and the greatest value that an integer expression may have.
    pub(crate) fn range(&self, expr: ExprId) -> Option<(i128, i128)> {
        self.facts[expr.index()].range
    }

    fn fact(&self, program: &Program, expr: &Expr) -> Fact {
        let exprs = &program.exprs;
        let ty = exprs.infer(expr);
        let whole = if matches!(ty, Ty::Int { .. }) { ty.range() } else { None };
        let mut fact = Fact { partial: false, range: whole };
        for operand in expr.operands() {
            fact.partial |= self.facts[operand.index()].partial;
        }
        match *expr {
            Expr::Const { ty, bits } if ty.is_int() && whole.is_some() => {
                fact.range = Some((ty.value_of(bits), ty.value_of(bits)));
            }
            Expr::Const { .. } | Expr::Var { .. } | Expr::Address { .. } | Expr::Function { .. } => {}
            Expr::Elem { array, index, .. } => {
                fact.partial |= !self.is_inside(program, array, index);
            }
            Expr::Load { .. } | Expr::LoadBits { .. } | Expr::Undefined { .. } => fact.partial = true,
            Expr::Accessible { .. }
            | Expr::SameObject { .. }
            | Expr::Freeable { .. }
            | Expr::Test { .. }
            | Expr::Initialised { .. }
            | Expr::Lost => {}
            Expr::Bounded { index, low, bound } => {
                let inside = (i128::from(low), i128::from(bound) - 1);
                fact.partial |= !self.range(index).is_some_and(|range| within(range, inside));
                let (low, high) = self.range(index).unwrap_or(inside);
                fact.range = Some((low.max(inside.0), high.min(inside.1)));
            }
            Expr::Unary { op: UnaryOp::Neg, arg } => {
                let exact =
                    self.range(arg).and_then(|(low, high)| Some((high.checked_neg()?, low.checked_neg()?)));
                overflow(program.signed_overflow, ty, exact, &mut fact);
            }
            Expr::Unary { op: UnaryOp::Not, .. } => {}
            Expr::Binary { op, lhs, rhs } => {
                self.binary(program.signed_overflow, ty, op, (lhs, rhs), &mut fact);
            }
            Expr::Cast { ty: target, arg } => {
                let from = exprs.ty(arg);
                // A float may be out of the target's range.
                fact.partial |= from.is_float() && target.is_int();
                if let (Some(range), true, Some(whole)) = (self.range(arg), from.is_int(), whole) {
                    fact.range = Some(if within(range, whole) { range } else { whole });
                }
            }
            Expr::Ite { then, other, .. } => {
                if let (Some(then), Some(other)) = (self.range(then), self.range(other)) {
                    fact.range = Some((then.0.min(other.0), then.1.max(other.1)));
                }
            }
        }
        fact
    }

    fn binary(
        &self,
        policy: SignedOverflow,
        ty: Ty,
        op: BinaryOp,
        (lhs, rhs): (ExprId, ExprId),
        fact: &mut Fact,
    ) {
        let (Some(left), Some(right)) = (self.range(lhs), self.range(rhs)) else {
            // Floats never fail; pointers neither; wide unsigned integers are not followed.
            let risky = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr);
            fact.partial |= risky && matches!(ty, Ty::Int { .. });
            return;
        };
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                overflow(policy, ty, arithmetic(op, left, right), fact);
            }
            BinaryOp::Div | BinaryOp::Rem => {
                fact.partial |= right.0 <= 0 && right.1 >= 0;
                let least = ty.range().map(|(low, _)| low);
                if ty.is_signed() && Some(left.0) == least && right.0 <= -1 && right.1 >= -1 {
                    fact.partial = true;
                } else if op == BinaryOp::Rem && right.0 == right.1 && right.0 > 0 {
                    let bound = right.0 - 1;
                    let low = if left.0 < 0 { -bound } else { 0 };
                    fact.range = Some((low, bound));
                }
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let width = i128::from(ty.width(DataModel::Lp64));
                fact.partial |= right.0 < 0 || right.1 >= width;
                if op == BinaryOp::Shr && left.0 >= 0 && right.0 >= 0 {
                    fact.range = Some((0, left.1 >> right.0.min(127)));
                }
                if op == BinaryOp::Shl && ty.is_signed() && policy == SignedOverflow::Error {
                    overflow(policy, ty, shifted(left, right), fact);
                }
            }
            BinaryOp::And if left.0 >= 0 || right.0 >= 0 => {
                let bounds = [left, right].into_iter().filter(|(low, _)| *low >= 0).map(|(_, high)| high);
                fact.range = bounds.min().map(|high| (0, high));
            }
            BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub => {}
        }
    }

    /// Whether an index is always inside the array.
    pub(crate) fn is_inside(&self, program: &Program, array: cfa::VarId, index: ExprId) -> bool {
        let Storage::Array { length: Length::Fixed(length), .. } = program.vars[array].storage else {
            return false;
        };
        self.range(index).is_some_and(|(low, high)| low >= 0 && high < i128::from(length))
    }
}

fn within(inner: (i128, i128), outer: (i128, i128)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

/// Between which values the exact sum, difference or product lies, if 128 bits hold them.
pub(crate) fn arithmetic(op: BinaryOp, left: (i128, i128), right: (i128, i128)) -> Option<(i128, i128)> {
    match op {
        BinaryOp::Add => Some((left.0.checked_add(right.0)?, left.1.checked_add(right.1)?)),
        BinaryOp::Sub => Some((left.0.checked_sub(right.1)?, left.1.checked_sub(right.0)?)),
        _ => {
            let corners = [(left.0, right.0), (left.0, right.1), (left.1, right.0), (left.1, right.1)];
            let mut products = Vec::with_capacity(4);
            for (a, b) in corners {
                products.push(a.checked_mul(b)?);
            }
            Some((products.iter().copied().min()?, products.iter().copied().max()?))
        }
    }
}

/// Between which values a left shift lies if no bit is lost, if 128 bits hold them.
pub(crate) fn shifted(left: (i128, i128), amount: (i128, i128)) -> Option<(i128, i128)> {
    let power = |amount: i128| 1_i128.checked_shl(u32::try_from(amount).ok()?).filter(|power| *power > 0);
    arithmetic(BinaryOp::Mul, left, (power(amount.0)?, power(amount.1)?))
}

/// Notes the exact result's interval, or that it may leave the type. Unsigned results wrap.
fn overflow(policy: SignedOverflow, ty: Ty, exact: Option<(i128, i128)>, fact: &mut Fact) {
    let fits = match (exact, ty.range()) {
        (Some(exact), Some(whole)) => within(exact, whole),
        _ => false,
    };
    if fits {
        fact.range = exact;
    } else if ty.is_signed() {
        fact.partial |= policy != SignedOverflow::Wrap;
    }
}
