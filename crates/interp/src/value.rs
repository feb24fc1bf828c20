//! Values of scalar type as callers see them, and how they are kept in registers.
//!
//! # Invariants
//! * V1: the bits of a [`Value`] are reduced to the width of its type; those of a pointer are its address.
//! * V2: a register of 64 bits holds an integer sign- or zero-extended by its type, a float's encoding
//!   zero-extended, a pointer as the memory model forms it. A wide register holds the bits of V1.

use std::fmt;

use super::decimal;
use cfa::ty::{FloatKind, Ty};

/// A value of a scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// Its type.
    pub ty: Ty,
    /// Its representation, reduced to the width of the type.
    pub bits: u128,
}

impl Value {
    /// The integer `value` modulo 2^width, or an address.
    pub fn int(ty: Ty, value: i128) -> Self {
        Self { ty, bits: ty.bits_of(value) }
    }
    /// A `double`.
    pub fn double(value: f64) -> Self {
        Self { ty: Ty::Float(FloatKind::Double), bits: u128::from(value.to_bits()) }
    }
    /// A `float`.
    pub fn single(value: f32) -> Self {
        Self { ty: Ty::Float(FloatKind::Single), bits: u128::from(value.to_bits()) }
    }
    /// The number that an integer stands for (128 unsigned bits wrap); for other types the bits.
    pub fn as_int(self) -> i128 {
        self.ty.value_of(self.bits)
    }
}

impl fmt::Display for Value {
    /// As a C constant: decimal integers, shortest decimal floats, hexadecimal addresses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            Ty::Int { signed: false, .. } => write!(f, "{}", self.bits),
            Ty::Int { .. } => write!(f, "{}", self.as_int()),
            Ty::Float(FloatKind::Single) => write!(f, "{:?}f", f32::from_bits(self.bits as u32)),
            Ty::Float(FloatKind::Double) => write!(f, "{:?}", f64::from_bits(self.bits as u64)),
            Ty::Float(kind) => write!(f, "{}L", decimal::general(kind, self.bits, 21)),
            Ty::Ptr if self.bits == 0 => f.write_str("NULL"),
            Ty::Ptr => write!(f, "{:#x}", self.bits),
        }
    }
}

/// Whether values of a type are kept in wide registers.
pub(crate) fn is_wide(ty: Ty) -> bool {
    match ty {
        Ty::Int { width, .. } => width > 64,
        Ty::Float(FloatKind::Extended | FloatKind::Quad) => true,
        Ty::Float(FloatKind::Single | FloatKind::Double) | Ty::Ptr => false,
    }
}

/// The register content (V2) of the bits of a narrow type.
pub(crate) fn to_register(ty: Ty, bits: u128) -> u64 {
    match ty {
        Ty::Int { width, signed } => {
            let unused = 64 - u32::from(width);
            if signed {
                (((bits as u64) << unused) as i64 >> unused) as u64
            } else {
                (bits as u64) << unused >> unused
            }
        }
        Ty::Float(FloatKind::Single) => u64::from(bits as u32),
        Ty::Float(_) | Ty::Ptr => bits as u64,
    }
}

/// The bits of a register content of a narrow type; the inverse of [`to_register`].
pub(crate) fn from_register(ty: Ty, register: u64) -> u128 {
    match ty {
        Ty::Int { width, .. } => {
            let unused = 64 - u32::from(width);
            u128::from(register << unused >> unused)
        }
        Ty::Float(_) | Ty::Ptr => u128::from(register),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_extend_by_signedness_and_back() {
        for (ty, bits, register) in [
            (Ty::signed(8), 0xff, u64::MAX),
            (Ty::unsigned(8), 0xff, 0xff),
            (Ty::signed(64), u128::from(u64::MAX), u64::MAX),
            (Ty::signed(1), 1, u64::MAX),
            (Ty::BOOL, 1, 1),
        ] {
            assert_eq!(to_register(ty, bits), register, "{ty}");
            assert_eq!(from_register(ty, register), bits, "{ty}");
        }
    }

    #[test]
    fn values_print_as_c_constants() {
        let shown = |value: Value| value.to_string();
        assert_eq!(shown(Value::int(Ty::signed(32), -1)), "-1");
        assert_eq!(shown(Value::int(Ty::unsigned(128), -1)), u128::MAX.to_string());
        assert_eq!(shown(Value::double(0.1)), "0.1");
        assert_eq!(shown(Value::single(1.5)), "1.5f");
        assert_eq!(shown(Value::int(Ty::Ptr, 0)), "NULL");
        assert_eq!(shown(Value::int(Ty::Ptr, 0x1000)), "0x1000");
    }
}
