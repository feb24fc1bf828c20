//! When an operation overflows, as a truth value of its operands.
//!
//! # Invariants
//! * O1: the condition holds if and only if the interpreter says that the operation overflows, where the operands are defined.
//! * O2: evaluating the condition never overflows, and is undefined only where the operation is undefined for another reason.

use cfa::{BinaryOp, Expr, ExprId, Exprs, Program, Ty, UnaryOp};

use super::super::totality::{Totality, arithmetic, shifted};

/// An operation of a signed type that may overflow.
pub(crate) struct Overflow {
    ty: Ty,
    /// The least and the greatest value of the type.
    whole: (i128, i128),
    kind: Kind,
}

enum Kind {
    Neg(ExprId),
    /// Quotient or remainder.
    Div(ExprId, ExprId),
    /// A left shift that loses bits.
    Shl(ExprId, ExprId),
    /// Sum, difference or product; between which values the exact result lies, if that is known.
    Arithmetic(BinaryOp, ExprId, ExprId, Option<(i128, i128)>),
}

impl Overflow {
    /// The overflow of an expression itself, whose operands are defined; nothing if there is none in any state.
    pub(crate) fn of(program: &Program, totality: &Totality, id: ExprId) -> Option<Self> {
        let ty = program.exprs.ty(id);
        let whole = ty.range().filter(|_| ty.is_signed())?;
        let range = |id: ExprId| totality.range(id).unwrap_or(whole);
        let kind = match *program.exprs.get(id) {
            Expr::Unary { op: UnaryOp::Neg, arg } if range(arg).0 == whole.0 => Kind::Neg(arg),
            Expr::Binary { op: BinaryOp::Div | BinaryOp::Rem, lhs, rhs } => {
                let (divisor, is_least) = (range(rhs), range(lhs).0 == whole.0);
                if !is_least || divisor.0 > -1 || divisor.1 < -1 {
                    return None;
                }
                Kind::Div(lhs, rhs)
            }
            Expr::Binary { op: BinaryOp::Shl, lhs, rhs } => {
                let amount = totality.range(rhs).unwrap_or((0, i128::MAX));
                let exact = shifted(range(lhs), amount);
                if exact.is_some_and(|(low, high)| whole.0 <= low && high <= whole.1) {
                    return None;
                }
                Kind::Shl(lhs, rhs)
            }
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), lhs, rhs } => {
                let exact = arithmetic(op, range(lhs), range(rhs));
                if exact.is_some_and(|(low, high)| whole.0 <= low && high <= whole.1) {
                    return None;
                }
                Kind::Arithmetic(op, lhs, rhs, exact)
            }
            _ => return None,
        };
        Some(Self { ty, whole, kind })
    }

    /// The truth value that holds if and only if the operation overflows. It never overflows itself.
    pub(crate) fn condition(&self, exprs: &mut Exprs) -> ExprId {
        match self.kind {
            Kind::Neg(arg) => self.is(exprs, arg, self.whole.0),
            Kind::Div(lhs, rhs) => {
                let (least, negates) = (self.is(exprs, lhs, self.whole.0), self.is(exprs, rhs, -1));
                exprs.binary(BinaryOp::And, least, negates)
            }
            Kind::Shl(lhs, rhs) => match constant(exprs, rhs) {
                Some(amount) if (0..self.width()).contains(&amount) => {
                    let (low, high) = (Some(self.whole.0 >> amount), Some(self.whole.1 >> amount));
                    self.outside(exprs, Bounds { id: lhs, low, high })
                }
                _ => {
                    let shifted = exprs.binary(BinaryOp::Shl, lhs, rhs);
                    let restored = exprs.binary(BinaryOp::Shr, shifted, rhs);
                    exprs.binary(BinaryOp::Ne, restored, lhs)
                }
            },
            Kind::Arithmetic(op, lhs, rhs, exact) => {
                let bounds = match (constant(exprs, lhs), constant(exprs, rhs)) {
                    (_, Some(right)) => Some(self.bounds(op, lhs, right)),
                    (Some(left), None) if op == BinaryOp::Sub => Some(self.bounds_of_subtrahend(rhs, left)),
                    (Some(left), None) => Some(self.bounds(op, rhs, left)),
                    (None, None) => None,
                };
                match (bounds, self.wider(op)) {
                    (Some(bounds), _) => self.outside(exprs, bounds),
                    (None, Some(wide)) => self.in_wider_type(exprs, wide, (op, lhs, rhs), exact),
                    (None, None) => self.by_comparisons(exprs, op, lhs, rhs),
                }
            }
        }
    }

    fn width(&self) -> i128 {
        match self.ty {
            Ty::Int { width, .. } => i128::from(width),
            Ty::Float(_) | Ty::Ptr => 0,
        }
    }

    fn is(&self, exprs: &mut Exprs, id: ExprId, value: i128) -> ExprId {
        let value = exprs.int(self.ty, value);
        exprs.binary(BinaryOp::Eq, id, value)
    }

    /// Between which values an operand must lie so that its operation with a constant fits.
    fn bounds(&self, op: BinaryOp, id: ExprId, constant: i128) -> Bounds {
        let (least, greatest) = self.whole;
        // A bound that is no number of the type is none.
        let bounds = match op {
            BinaryOp::Add => (least.checked_sub(constant), greatest.checked_sub(constant)),
            BinaryOp::Sub => (least.checked_add(constant), greatest.checked_add(constant)),
            _ if constant == 0 => (None, None),
            // Division rounds towards zero, and zero lies inside.
            _ if constant > 0 => (Some(least / constant), Some(greatest / constant)),
            _ => (Some(greatest / constant), least.checked_div(constant)),
        };
        Bounds { id, low: bounds.0, high: bounds.1 }
    }

    /// Between which values what is subtracted from a constant must lie so that the difference fits.
    fn bounds_of_subtrahend(&self, id: ExprId, constant: i128) -> Bounds {
        let (least, greatest) = self.whole;
        Bounds { id, low: constant.checked_sub(greatest), high: constant.checked_sub(least) }
    }

    /// That an operand does not lie between bounds.
    fn outside(&self, exprs: &mut Exprs, bounds: Bounds) -> ExprId {
        let low = bounds.low.filter(|low| *low > self.whole.0);
        let high = bounds.high.filter(|high| *high < self.whole.1);
        let below = low.map(|low| {
            let low = exprs.int(self.ty, low);
            exprs.binary(BinaryOp::Lt, bounds.id, low)
        });
        let above = high.map(|high| {
            let high = exprs.int(self.ty, high);
            exprs.binary(BinaryOp::Lt, high, bounds.id)
        });
        either(exprs, below, above)
    }

    /// A type that holds every exact result.
    fn wider(&self, op: BinaryOp) -> Option<Ty> {
        let needed = if op == BinaryOp::Mul { self.width() * 2 } else { self.width() + 1 };
        [64_u8, 128].into_iter().find(|wide| i128::from(*wide) >= needed).map(Ty::signed)
    }

    fn in_wider_type(
        &self,
        exprs: &mut Exprs,
        wide: Ty,
        (op, lhs, rhs): (BinaryOp, ExprId, ExprId),
        exact: Option<(i128, i128)>,
    ) -> ExprId {
        let (lhs, rhs) = (exprs.cast(wide, lhs), exprs.cast(wide, rhs));
        let result = exprs.binary(op, lhs, rhs);
        let below = exact.is_none_or(|(low, _)| low < self.whole.0).then(|| {
            let least = exprs.int(wide, self.whole.0);
            exprs.binary(BinaryOp::Lt, result, least)
        });
        let above = exact.is_none_or(|(_, high)| high > self.whole.1).then(|| {
            let greatest = exprs.int(wide, self.whole.1);
            exprs.binary(BinaryOp::Lt, greatest, result)
        });
        either(exprs, below, above)
    }

    /// The condition in the widest type: what the other operand leaves of the range is computed only where it fits.
    fn by_comparisons(&self, exprs: &mut Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let zero = exprs.int(self.ty, 0);
        let least = exprs.int(self.ty, self.whole.0);
        let greatest = exprs.int(self.ty, self.whole.1);
        let positive = exprs.binary(BinaryOp::Lt, zero, rhs);
        let mut beyond = |op: BinaryOp, limit: ExprId, order: Order| {
            let limit = exprs.binary(op, limit, rhs);
            match order {
                Order::Above => exprs.binary(BinaryOp::Lt, limit, lhs),
                Order::Below => exprs.binary(BinaryOp::Lt, lhs, limit),
            }
        };
        let (then, other) = match op {
            BinaryOp::Add => {
                (beyond(BinaryOp::Sub, greatest, Order::Above), beyond(BinaryOp::Sub, least, Order::Below))
            }
            BinaryOp::Sub => {
                (beyond(BinaryOp::Add, least, Order::Below), beyond(BinaryOp::Add, greatest, Order::Above))
            }
            _ => {
                let above = beyond(BinaryOp::Div, greatest, Order::Above);
                let below = beyond(BinaryOp::Div, least, Order::Below);
                let then = exprs.binary(BinaryOp::Or, above, below);
                (then, self.product_with_negative(exprs, lhs, rhs))
            }
        };
        exprs.add(Expr::Ite { cond: positive, then, other })
    }

    /// That a product with a number that is not positive does not fit.
    fn product_with_negative(&self, exprs: &mut Exprs, lhs: ExprId, rhs: ExprId) -> ExprId {
        let least = exprs.int(self.ty, self.whole.0);
        let greatest = exprs.int(self.ty, self.whole.1);
        let minus_one = exprs.int(self.ty, -1);
        let low = exprs.binary(BinaryOp::Div, greatest, rhs);
        let below = exprs.binary(BinaryOp::Lt, lhs, low);
        let high = exprs.binary(BinaryOp::Div, least, rhs);
        let above = exprs.binary(BinaryOp::Lt, high, lhs);
        let outside = exprs.binary(BinaryOp::Or, below, above);
        let is_less = exprs.binary(BinaryOp::Lt, rhs, minus_one);
        // The least value divided by -1 would overflow itself; and zero is the other number that is left.
        let (is_least, negates) = (self.is(exprs, lhs, self.whole.0), self.is(exprs, rhs, -1));
        let negated = exprs.binary(BinaryOp::And, is_least, negates);
        exprs.add(Expr::Ite { cond: is_less, then: outside, other: negated })
    }
}

/// On which side of a limit a value overflows.
#[derive(Clone, Copy)]
enum Order {
    Above,
    Below,
}

/// The values of an operand with which the result fits; no bound on a side where all do.
#[derive(Clone, Copy)]
struct Bounds {
    id: ExprId,
    low: Option<i128>,
    high: Option<i128>,
}

fn either(exprs: &mut Exprs, first: Option<ExprId>, second: Option<ExprId>) -> ExprId {
    match (first, second) {
        (Some(first), Some(second)) => exprs.binary(BinaryOp::Or, first, second),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => exprs.bool(false),
    }
}

fn constant(exprs: &Exprs, id: ExprId) -> Option<i128> {
    match *exprs.get(id) {
        Expr::Const { ty, bits } if ty.is_int() => Some(ty.value_of(bits)),
        _ => None,
    }
}
