//! Meaning of every operator on the bits of its operands: one definition for all widths and formats.
//!
//! The evaluator and the rare instructions call it; the instructions for common types are tested against it.
//! Pointers are in the form that registers have (see `memory`): in ILP32 the address is the low half.

use std::cmp::Ordering;

use super::float;
use super::outcome::UndefinedKind;
use cfa::expr::BinaryOp;
use cfa::ty::{DataModel, SignedOverflow, Ty};

/// What operators depend on besides their operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) model: DataModel,
    pub(crate) overflow: SignedOverflow,
}

fn mask(width: u8) -> u128 {
    u128::MAX >> (128 - u32::from(width))
}

/// The result of a binary operation on bits; `ty` is the type of the left operand.
pub(crate) fn binary(
    rules: Rules,
    op: BinaryOp,
    (ty, rhs_ty): (Ty, Ty),
    lhs: u128,
    rhs: u128,
) -> Result<u128, UndefinedKind> {
    match ty {
        Ty::Int { width, signed } => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                integer(rules, op, ty, lhs, rhs)
            }
            BinaryOp::And => Ok(lhs & rhs),
            BinaryOp::Or => Ok(lhs | rhs),
            BinaryOp::Xor => Ok(lhs ^ rhs),
            BinaryOp::Shl | BinaryOp::Shr => {
                let amount = rhs_ty.value_of(rhs);
                // Unsigned amounts of 128 bits may wrap to negative ones: out of range either way.
                if amount < 0 || amount >= i128::from(width) {
                    return Err(UndefinedKind::ShiftAmount);
                }
                let shifted = (lhs << amount) & mask(width);
                let fits = || ty.value_of(shifted) >> amount == ty.value_of(lhs);
                if op == BinaryOp::Shl && signed && rules.overflow == SignedOverflow::Error && !fits() {
                    return Err(UndefinedKind::SignedOverflow);
                }
                Ok(match op {
                    BinaryOp::Shl => shifted,
                    _ if signed => ((ty.value_of(lhs) >> amount) as u128) & mask(width),
                    _ => lhs >> amount,
                })
            }
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::PtrAdd
            | BinaryOp::PtrSub => {
                let order = if signed { ty.value_of(lhs).cmp(&ty.value_of(rhs)) } else { lhs.cmp(&rhs) };
                Ok(u128::from(holds(op, Some(order))))
            }
        },
        Ty::Float(kind) => Ok(if op.is_comparison() {
            u128::from(holds(op, float::compare(kind, lhs, rhs)))
        } else {
            float::arithmetic(kind, op, lhs, rhs)
        }),
        Ty::Ptr => Ok(pointer(rules.model, op, lhs as u64, rhs as u64)),
    }
}

fn holds(op: BinaryOp, order: Option<Ordering>) -> bool {
    match op {
        BinaryOp::Eq => order == Some(Ordering::Equal),
        BinaryOp::Ne => order != Some(Ordering::Equal),
        BinaryOp::Lt => order == Some(Ordering::Less),
        _ => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

fn pointer(model: DataModel, op: BinaryOp, lhs: u64, rhs: u64) -> u128 {
    let address = |pointer: u64| match model {
        DataModel::Lp64 => pointer,
        DataModel::Ilp32 => u64::from(pointer as u32),
    };
    match (op, model) {
        (BinaryOp::PtrAdd, DataModel::Lp64) => u128::from(lhs.wrapping_add(rhs)),
        (BinaryOp::PtrAdd, DataModel::Ilp32) => u128::from(pointer_add32(lhs, rhs)),
        (BinaryOp::PtrSub, DataModel::Lp64) => u128::from(lhs.wrapping_sub(rhs)),
        (BinaryOp::PtrSub, DataModel::Ilp32) => u128::from((lhs as u32).wrapping_sub(rhs as u32)),
        _ => u128::from(holds(op, Some(address(lhs).cmp(&address(rhs))))),
    }
}

/// A pointer of ILP32 moved by an offset: the object stays, the address wraps.
pub(crate) fn pointer_add32(pointer: u64, offset: u64) -> u64 {
    (pointer & !0xffff_ffff) | u64::from((pointer as u32).wrapping_add(offset as u32))
}

fn integer(rules: Rules, op: BinaryOp, ty: Ty, lhs: u128, rhs: u128) -> Result<u128, UndefinedKind> {
    let Ty::Int { width, signed } = ty else { return Ok(0) };
    if matches!(op, BinaryOp::Div | BinaryOp::Rem) && rhs == 0 {
        return Err(UndefinedKind::DivisionByZero);
    }
    if !signed {
        return Ok(match op {
            BinaryOp::Add => lhs.wrapping_add(rhs),
            BinaryOp::Sub => lhs.wrapping_sub(rhs),
            BinaryOp::Mul => lhs.wrapping_mul(rhs),
            BinaryOp::Div => lhs / rhs,
            _ => lhs % rhs,
        } & mask(width));
    }
    let (a, b) = (ty.value_of(lhs), ty.value_of(rhs));
    let fits = |value: i128| ty.value_of(value as u128) == value;
    let (exact, wrapped) = match op {
        BinaryOp::Add => (a.checked_add(b), Some(a.wrapping_add(b))),
        BinaryOp::Sub => (a.checked_sub(b), Some(a.wrapping_sub(b))),
        BinaryOp::Mul => (a.checked_mul(b), Some(a.wrapping_mul(b))),
        // No option of a compiler makes the quotient wrap around: the processor traps.
        BinaryOp::Div => (a.checked_div(b), None),
        // The remainder of the least value by -1 is 0, but the quotient that defines it overflows.
        _ => (a.checked_div(b).filter(|quotient| fits(*quotient)).and_then(|_| a.checked_rem(b)), None),
    };
    match (exact, wrapped) {
        (Some(value), _) if fits(value) => Ok(ty.bits_of(value)),
        (_, Some(wrapped)) if rules.overflow == SignedOverflow::Wrap => Ok(ty.bits_of(wrapped)),
        (_, None) if rules.overflow == SignedOverflow::Wrap => Err(UndefinedKind::DivisionByZero),
        _ => Err(UndefinedKind::SignedOverflow),
    }
}

/// The bits of a converted value. Integers become pointers of no object; the memory model may know better.
pub(crate) fn cast(model: DataModel, from: Ty, to: Ty, bits: u128) -> Result<u128, UndefinedKind> {
    Ok(match (from, to) {
        (Ty::Int { .. }, Ty::Int { .. }) => to.bits_of(from.value_of(bits)),
        (Ty::Int { .. }, Ty::Ptr) => (from.value_of(bits) as u128) & mask(model.pointer_width()),
        (Ty::Ptr, Ty::Int { .. }) => to.bits_of((bits & mask(model.pointer_width())) as i128),
        (Ty::Int { signed: true, .. }, Ty::Float(kind)) => float::from_signed(kind, from.value_of(bits)),
        (Ty::Int { signed: false, .. }, Ty::Float(kind)) => {
            float::from_unsigned(kind, from.value_of(bits) as u128)
        }
        (Ty::Float(kind), Ty::Int { width, signed: true }) => {
            float::to_signed(kind, bits, width).ok_or(UndefinedKind::FloatToInt)?
        }
        (Ty::Float(kind), Ty::Int { width, signed: false }) => {
            float::to_unsigned(kind, bits, width).ok_or(UndefinedKind::FloatToInt)?
        }
        (Ty::Float(from), Ty::Float(to)) => float::convert(from, to, bits),
        (Ty::Ptr, Ty::Ptr | Ty::Float(_)) | (Ty::Float(_), Ty::Ptr) => bits,
    })
}
