//! What can go wrong at an expression or an operation, and when, as truth values of its operands.
//!
//! # Invariants
//! * F1: where the operands are defined, the condition of a kind holds if and only if the interpreter reports that kind there, except for texts: a text with bytes
//!   that have no value may count as one that does not end.
//! * F2: evaluating a condition never overflows, and is undefined only where the operation is undefined for another reason that comes first.

use cfa::{Access, AddressTest, BinaryOp, CheckKind, CheckKinds, Expr, ExprId, Exprs, FloatKind, ProcId, Ty};

/// Something that can go wrong: one kind of it, or several of which one at most happens.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// One kind under a condition.
    Single { kind: CheckKind, cond: ExprId },
    /// An access to memory.
    Access { addr: ExprId, length: ExprId, access: Access, kinds: CheckKinds },
    /// Freeing memory.
    Free { addr: ExprId },
    /// Reading a text: up to its end, or a number of bytes.
    Text { addr: ExprId, limit: Option<ExprId>, vague: Vague },
}

/// What a byte of a text is that has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vague {
    /// A violation of its own.
    Violation,
    /// Any byte.
    Arbitrary,
}

impl Fault {
    /// The kinds that are possible.
    pub(super) fn kinds(&self) -> CheckKinds {
        use CheckKind::{
            BadFree, Dangling, DoubleFree, NullDereference, OutOfBounds, Uninitialised, WildPointer,
        };
        match *self {
            Self::Single { kind, .. } => [kind].into_iter().collect(),
            Self::Access { kinds, .. } => kinds,
            Self::Free { .. } => [DoubleFree, BadFree].into_iter().collect(),
            Self::Text { vague, .. } => {
                let mut kinds: CheckKinds =
                    [NullDereference, WildPointer, Dangling, OutOfBounds].into_iter().collect();
                if vague == Vague::Violation {
                    kinds.insert(Uninitialised);
                }
                kinds
            }
        }
    }

    /// When any of the possible kinds happens.
    pub(super) fn any(&self, exprs: &mut Exprs) -> ExprId {
        match *self {
            Self::Single { cond, .. } => cond,
            Self::Access { addr, length, access, .. } => inaccessible(exprs, addr, length, access),
            Self::Free { addr } => {
                let free = exprs.add(Expr::Freeable { addr });
                exprs.not(free)
            }
            Self::Text { addr, limit, .. } => unreadable(exprs, addr, limit),
        }
    }

    /// When a kind happens.
    pub(super) fn case(&self, exprs: &mut Exprs, kind: CheckKind) -> ExprId {
        let fails = self.any(exprs);
        match *self {
            Self::Single { .. } => fails,
            Self::Access { addr, length, access, .. } => match kind {
                CheckKind::ReadOnly => {
                    let readable = exprs.add(Expr::Accessible { addr, length, access: Access::Read });
                    exprs.binary(BinaryOp::And, readable, fails)
                }
                CheckKind::OutOfBounds if access == Access::Write => {
                    let unreadable = inaccessible(exprs, addr, length, Access::Read);
                    let outside = leads_to_object(exprs, addr);
                    exprs.binary(BinaryOp::And, unreadable, outside)
                }
                _ => by_address(exprs, addr, kind, fails),
            },
            Self::Free { addr } => {
                let freed = test(exprs, AddressTest::Freed, addr);
                let other = if kind == CheckKind::DoubleFree { freed } else { exprs.not(freed) };
                exprs.binary(BinaryOp::And, fails, other)
            }
            Self::Text { addr, vague, .. } => {
                let lacks_value = test(exprs, AddressTest::VagueText, addr);
                if kind == CheckKind::Uninitialised {
                    return exprs.binary(BinaryOp::And, fails, lacks_value);
                }
                let fails = match vague {
                    Vague::Arbitrary => fails,
                    Vague::Violation => {
                        let has_values = exprs.not(lacks_value);
                        exprs.binary(BinaryOp::And, fails, has_values)
                    }
                };
                by_address(exprs, addr, kind, fails)
            }
        }
    }
}

fn test(exprs: &mut Exprs, test: AddressTest, addr: ExprId) -> ExprId {
    exprs.add(Expr::Test { test, addr })
}

fn inaccessible(exprs: &mut Exprs, addr: ExprId, length: ExprId, access: Access) -> ExprId {
    let accessible = exprs.add(Expr::Accessible { addr, length, access });
    exprs.not(accessible)
}

/// That neither a text starts at an address nor as many bytes may be read as are needed at most.
fn unreadable(exprs: &mut Exprs, addr: ExprId, limit: Option<ExprId>) -> ExprId {
    let text = test(exprs, AddressTest::Text, addr);
    let no_text = exprs.not(text);
    match limit {
        None => no_text,
        Some(length) => {
            let short = inaccessible(exprs, addr, length, Access::Read);
            exprs.binary(BinaryOp::And, no_text, short)
        }
    }
}

/// That an address belongs to a live object, wherever in it or outside of it it points.
fn leads_to_object(exprs: &mut Exprs, addr: ExprId) -> ExprId {
    [AddressTest::Wild, AddressTest::Dead].into_iter().fold(not_null(exprs, addr), |holds, other| {
        let other = test(exprs, other, addr);
        let not_other = exprs.not(other);
        exprs.binary(BinaryOp::And, holds, not_other)
    })
}

fn not_null(exprs: &mut Exprs, addr: ExprId) -> ExprId {
    let null = test(exprs, AddressTest::Null, addr);
    exprs.not(null)
}

/// Of the accesses that fail, those that fail for a reason that the address tells.
fn by_address(exprs: &mut Exprs, addr: ExprId, kind: CheckKind, fails: ExprId) -> ExprId {
    let why = match kind {
        CheckKind::NullDereference => test(exprs, AddressTest::Null, addr),
        CheckKind::WildPointer => test(exprs, AddressTest::Wild, addr),
        CheckKind::Dangling => test(exprs, AddressTest::Dead, addr),
        _ => leads_to_object(exprs, addr),
    };
    exprs.binary(BinaryOp::And, fails, why)
}

/// That an index lies outside an array with so many elements, an expression of an unsigned type or a number.
pub(super) fn outside(exprs: &mut Exprs, index: ExprId, length: Length) -> ExprId {
    let ty = exprs.ty(index);
    let zero = exprs.int(ty, 0);
    let negative = ty.is_signed().then(|| exprs.binary(BinaryOp::Lt, index, zero));
    let beyond = match length {
        Length::Number(length) => {
            // Where the type has no number that large, no index is.
            let fits = ty.range().is_none_or(|(_, most)| i128::from(length) <= most);
            fits.then(|| {
                let length = exprs.int(ty, i128::from(length));
                exprs.binary(BinaryOp::Le, length, index)
            })
        }
        Length::Value(length) => {
            let wide = if ty.is_signed() { Ty::signed(128) } else { Ty::unsigned(128) };
            let (index, length) = (exprs.cast(wide, index), exprs.cast(wide, length));
            Some(exprs.binary(BinaryOp::Le, length, index))
        }
    };
    match (negative, beyond) {
        (Some(negative), Some(beyond)) => exprs.binary(BinaryOp::Or, negative, beyond),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => exprs.bool(false),
    }
}

/// That a signed number is below `low`, or at least `bound`; its type has both numbers.
pub(super) fn beyond(exprs: &mut Exprs, number: ExprId, low: i64, bound: u64) -> ExprId {
    let ty = exprs.ty(number);
    let (low, bound) = (exprs.int(ty, i128::from(low)), exprs.int(ty, i128::from(bound)));
    let below = exprs.binary(BinaryOp::Lt, number, low);
    let above = exprs.binary(BinaryOp::Le, bound, number);
    exprs.binary(BinaryOp::Or, below, above)
}

/// The number of elements of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    /// Known.
    Number(u64),
    /// A value of the state, unsigned.
    Value(ExprId),
}

/// That a shift is by a negative amount, or by the width or more.
pub(super) fn bad_shift(exprs: &mut Exprs, amount: ExprId, width: u8) -> ExprId {
    outside(exprs, amount, Length::Number(u64::from(width)))
}

/// That a divisor is zero.
pub(super) fn is_zero(exprs: &mut Exprs, divisor: ExprId) -> ExprId {
    let zero = exprs.int(exprs.ty(divisor), 0);
    exprs.binary(BinaryOp::Eq, divisor, zero)
}

/// That a number is negative.
pub(super) fn is_negative(exprs: &mut Exprs, number: ExprId) -> ExprId {
    let zero = exprs.int(exprs.ty(number), 0);
    exprs.binary(BinaryOp::Lt, number, zero)
}

/// That a pointer leads to none of these procedures.
pub(super) fn leads_to_none(exprs: &mut Exprs, pointer: ExprId, targets: &[ProcId]) -> ExprId {
    let holds = exprs.bool(true);
    targets.iter().fold(holds, |all, target| {
        let target = exprs.add(Expr::Function { proc: *target });
        let other = exprs.binary(BinaryOp::Ne, pointer, target);
        if all == holds { other } else { exprs.binary(BinaryOp::And, all, other) }
    })
}

/// That a float, rounded towards zero, is no number of an integer type.
pub(super) fn does_not_fit(exprs: &mut Exprs, arg: ExprId, ty: Ty) -> ExprId {
    let float = exprs.ty(arg);
    let Ty::Int { width, signed } = ty else { return exprs.bool(false) };
    let digits = match float {
        Ty::Float(FloatKind::Single) => 24,
        Ty::Float(FloatKind::Double) => 53,
        Ty::Float(FloatKind::Extended) => 64,
        _ => 113,
    };
    let bits = if signed { width - 1 } else { width };
    let most = power(exprs, float, bits);
    let below_most = exprs.binary(BinaryOp::Lt, arg, most);
    let above_least = if !signed {
        let bound = exprs.int(Ty::signed(8), -1);
        let bound = exprs.cast(float, bound);
        exprs.binary(BinaryOp::Lt, bound, arg)
    } else if bits < digits {
        // The number below the least one is a float, too.
        let bound = exprs.int(Ty::signed(128), -(1_i128 << bits) - 1);
        let bound = exprs.cast(float, bound);
        exprs.binary(BinaryOp::Lt, bound, arg)
    } else {
        let power = power(exprs, float, bits);
        let least = exprs.unary(cfa::UnaryOp::Neg, power);
        exprs.binary(BinaryOp::Le, least, arg)
    };
    let fits = exprs.binary(BinaryOp::And, below_most, above_least);
    exprs.not(fits)
}

/// A power of two as a float; infinity if it is too large.
fn power(exprs: &mut Exprs, float: Ty, exponent: u8) -> ExprId {
    let half = exponent.min(64);
    let number = |exprs: &mut Exprs, exponent: u8| {
        let number = exprs.int(Ty::unsigned(128), 1_i128 << exponent);
        exprs.cast(float, number)
    };
    let first = number(exprs, half);
    if exponent == half {
        return first;
    }
    let second = number(exprs, exponent - half);
    exprs.binary(BinaryOp::Mul, first, second)
}
