//! Operations on bit-vectors, with the meaning that SMT-LIB gives them.

use crate::{FloatFormat, FloatOp, Integer, Node, Sort, TermId, Terms, Value};

/// An operation on bit-vectors. Where nothing else is said, operands and result have one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; by zero: all ones.
    Udiv,
    /// Unsigned rest; by zero: the dividend.
    Urem,
    /// Signed quotient, rounded towards zero.
    Sdiv,
    /// Signed rest, with the sign of the dividend.
    Srem,
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive disjunction.
    Xor,
    /// Bitwise negation.
    Not,
    /// Opposite.
    Neg,
    /// Shift to the left.
    Shl,
    /// Shift to the right, filled with zeros.
    Lshr,
    /// Shift to the right, filled with the sign.
    Ashr,
    /// The first operand's bits above those of the second.
    Concat,
    /// The bits from `low` to `high`, both included.
    Extract {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
    },
    /// So many zeros above.
    ZeroExtend(u32),
    /// So many copies of the sign above.
    SignExtend(u32),
    /// Unsigned less.
    Ult,
    /// Unsigned at most.
    Ule,
    /// Signed less.
    Slt,
    /// Signed at most.
    Sle,
    /// Whether the product of two signed numbers has their width.
    SmulFits,
    /// The unsigned value as an integer.
    ToInt,
    /// An integer modulo `2^width`.
    FromInt(u32),
    /// An operation on encodings of floating-point numbers.
    Float(FloatFormat, FloatOp),
}

impl BvOp {
    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Not | Self::Neg | Self::Extract { .. } | Self::ZeroExtend(_) => 1,
            Self::SignExtend(_) | Self::ToInt | Self::FromInt(_) => 1,
            Self::Add | Self::Sub | Self::Mul | Self::Udiv | Self::Urem | Self::Sdiv | Self::Srem => 2,
            Self::And | Self::Or | Self::Xor | Self::Shl | Self::Lshr | Self::Ashr | Self::Concat => 2,
            Self::Ult | Self::Ule | Self::Slt | Self::Sle | Self::SmulFits => 2,
            Self::Float(_, op) => op.arity(),
        }
    }

    /// The sort of the result, or nothing if the operands do not fit.
    pub fn result(self, operands: &[Sort]) -> Option<Sort> {
        match (self, operands) {
            (Self::Float(format, op), _) => op.result(format, operands),
            (Self::FromInt(width), [Sort::Int]) if width > 0 => Some(Sort::BitVec(width)),
            (Self::ToInt, [Sort::BitVec(_)]) => Some(Sort::Int),
            (Self::Not | Self::Neg, [sort @ Sort::BitVec(_)]) => Some(*sort),
            (Self::Extract { high, low }, [Sort::BitVec(width)]) if low <= high && high < *width => {
                Some(Sort::BitVec(high - low + 1))
            }
            (Self::ZeroExtend(by) | Self::SignExtend(by), [Sort::BitVec(width)]) => {
                Some(Sort::BitVec(width.checked_add(by)?))
            }
            (Self::Concat, [Sort::BitVec(a), Sort::BitVec(b)]) => Some(Sort::BitVec(a.checked_add(*b)?)),
            (
                Self::Ult | Self::Ule | Self::Slt | Self::Sle | Self::SmulFits,
                [Sort::BitVec(a), Sort::BitVec(b)],
            ) if a == b => Some(Sort::Bool),
            (_, [Sort::BitVec(a), Sort::BitVec(b)]) if self.arity() == 2 && a == b => Some(Sort::BitVec(*a)),
            _ => None,
        }
    }

    /// The result on values; nothing if the operands do not fit.
    pub(crate) fn apply(self, operands: &[&Value]) -> Option<Value> {
        match (self, operands) {
            (Self::Float(format, op), _) => op.apply(format, operands),
            (Self::FromInt(width), [Value::Int(value)]) => Some(wrap(width, value)),
            (Self::ToInt, [Value::BitVec(_, value)]) => Some(Value::Int(value.clone())),
            (_, [Value::BitVec(width, value)]) => self.apply_unary(*width, value),
            (Self::Concat, [Value::BitVec(a, high), Value::BitVec(b, low)]) => {
                Some(wrap(a + b, &(high * &Integer::power_of_two(*b) + low)))
            }
            (_, [Value::BitVec(width, a), Value::BitVec(_, b)]) => self.apply_binary(*width, a, b),
            _ => None,
        }
    }

    fn apply_unary(self, width: u32, value: &Integer) -> Option<Value> {
        match self {
            Self::Not => Some(wrap(width, &(-value - Integer::ONE))),
            Self::Neg => Some(wrap(width, &-value)),
            Self::Extract { high, low } => {
                Some(wrap(high - low + 1, &value.div_floor(&Integer::power_of_two(low))))
            }
            Self::ZeroExtend(by) => Some(wrap(width + by, value)),
            Self::SignExtend(by) => Some(wrap(width + by, &signed(width, value))),
            _ => None,
        }
    }

    fn apply_binary(self, width: u32, a: &Integer, b: &Integer) -> Option<Value> {
        let (sa, sb) = (signed(width, a), signed(width, b));
        // A shift by the width or more empties the vector; the amount may be too large for a machine word.
        let shift = b.to_i64().and_then(|by| u32::try_from(by).ok()).unwrap_or(width).min(width);
        let value = match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Mul => a * b,
            Self::Udiv => unsigned_quotient(width, a, b),
            Self::Urem => unsigned_rest(a, b),
            Self::Sdiv => {
                let magnitude = unsigned_quotient(width, &sa.abs(), &sb.abs());
                if sa.is_negative() == sb.is_negative() { magnitude } else { -magnitude }
            }
            Self::Srem => {
                let magnitude = unsigned_rest(&sa.abs(), &sb.abs());
                if sa.is_negative() { -magnitude } else { magnitude }
            }
            Self::And => a.bitwise(b, |a, b| a & b, |a, b| a & b),
            Self::Or => a.bitwise(b, |a, b| a | b, |a, b| a | b),
            Self::Xor => a.bitwise(b, |a, b| a ^ b, |a, b| a ^ b),
            Self::Shl => a * Integer::power_of_two(shift),
            Self::Lshr => a.div_floor(&Integer::power_of_two(shift)),
            Self::Ashr => sa.div_floor(&Integer::power_of_two(shift)),
            Self::Ult => return Some(Value::Bool(a < b)),
            Self::Ule => return Some(Value::Bool(a <= b)),
            Self::Slt => return Some(Value::Bool(sa < sb)),
            Self::Sle => return Some(Value::Bool(sa <= sb)),
            Self::SmulFits => {
                let (product, half) = (sa * sb, Integer::power_of_two(width - 1));
                return Some(Value::Bool(-&half <= product && product < half));
            }
            _ => return None,
        };
        Some(wrap(width, &value))
    }
}

fn wrap(width: u32, value: &Integer) -> Value {
    Value::BitVec(width, value.modulo(&Integer::power_of_two(width)))
}

fn signed(width: u32, value: &Integer) -> Integer {
    if *value < Integer::power_of_two(width - 1) {
        value.clone()
    } else {
        value - Integer::power_of_two(width)
    }
}

fn unsigned_quotient(width: u32, a: &Integer, b: &Integer) -> Integer {
    if b.is_zero() { Integer::power_of_two(width) - Integer::ONE } else { a.div_floor(b) }
}

fn unsigned_rest(a: &Integer, b: &Integer) -> Integer {
    if b.is_zero() { a.clone() } else { a.modulo(b) }
}

impl Terms {
    /// A bit-vector; the value is taken modulo `2^width`.
    pub fn bv_number(&mut self, width: u32, value: impl Into<Integer>) -> TermId {
        assert!(width > 0, "a bit-vector should have a bit");
        let value = value.into().modulo(&Integer::power_of_two(width));
        self.intern(Node::BvNumber(width, value), Sort::BitVec(width))
    }

    /// The width of a bit-vector.
    pub fn bit_width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            other => panic!("a bit-vector should not be of sort {other:?}"),
        }
    }

    /// An operation on bit-vectors; folded if all operands are numbers.
    pub fn bv(&mut self, op: BvOp, operands: &[TermId]) -> TermId {
        let sorts: Vec<Sort> = operands.iter().map(|operand| self.sort(*operand)).collect();
        let Some(sort) = op.result(&sorts) else { panic!("{op:?} should not be given {sorts:?}") };
        let values: Option<Vec<Value>> = operands.iter().map(|operand| self.as_value(*operand)).collect();
        let folded = values.and_then(|values| op.apply(&values.iter().collect::<Vec<_>>()));
        match folded {
            Some(value) => self.of_value(&value),
            None => self.intern(Node::Bv(op, operands.into()), sort),
        }
    }

    /// The value of a term that is a constant.
    fn as_value(&self, term: TermId) -> Option<Value> {
        match self.node(term) {
            Node::Number(value) => Some(Value::Int(value.clone())),
            Node::BvNumber(width, value) => Some(Value::BitVec(*width, value.clone())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fold(op: BvOp, a: u8, b: u8) -> Value {
        op.apply(&[&Value::BitVec(8, a.into_integer()), &Value::BitVec(8, b.into_integer())]).unwrap()
    }
    trait IntoInteger {
        fn into_integer(self) -> Integer;
    }
    impl IntoInteger for u8 {
        fn into_integer(self) -> Integer {
            Integer::from(u32::from(self))
        }
    }
    fn byte(value: u8) -> Value {
        Value::BitVec(8, value.into_integer())
    }

    proptest! {
        #[test]
        fn bytes_behave_like_machine_bytes(a: u8, b: u8) {
            let (sa, sb) = (a as i8, b as i8);
            prop_assert_eq!(fold(BvOp::Add, a, b), byte(a.wrapping_add(b)));
            prop_assert_eq!(fold(BvOp::Sub, a, b), byte(a.wrapping_sub(b)));
            prop_assert_eq!(fold(BvOp::Mul, a, b), byte(a.wrapping_mul(b)));
            prop_assert_eq!(fold(BvOp::And, a, b), byte(a & b));
            prop_assert_eq!(fold(BvOp::Or, a, b), byte(a | b));
            prop_assert_eq!(fold(BvOp::Xor, a, b), byte(a ^ b));
            prop_assert_eq!(fold(BvOp::Udiv, a, b), byte(a.checked_div(b).unwrap_or(255)));
            prop_assert_eq!(fold(BvOp::Urem, a, b), byte(a.checked_rem(b).unwrap_or(a)));
            if b != 0 {
                prop_assert_eq!(fold(BvOp::Sdiv, a, b), byte(sa.wrapping_div(sb) as u8));
                prop_assert_eq!(fold(BvOp::Srem, a, b), byte(sa.wrapping_rem(sb) as u8));
            }
            let by = b % 12;
            prop_assert_eq!(fold(BvOp::Shl, a, by), byte(a.checked_shl(by.into()).unwrap_or(0)));
            prop_assert_eq!(fold(BvOp::Lshr, a, by), byte(a.checked_shr(by.into()).unwrap_or(0)));
            prop_assert_eq!(fold(BvOp::Ashr, a, by), byte((sa >> by.min(7)) as u8));
            prop_assert_eq!(fold(BvOp::Slt, a, b), Value::Bool(sa < sb));
            prop_assert_eq!(fold(BvOp::Ule, a, b), Value::Bool(a <= b));
            let wide = fold(BvOp::Concat, a, b);
            let word = Integer::from(u32::from(a) * 256 + u32::from(b));
            prop_assert_eq!(&wide, &Value::BitVec(16, word));
            prop_assert_eq!(BvOp::Extract { high: 15, low: 8 }.apply(&[&wide]), Some(byte(a)));
            prop_assert_eq!(
                BvOp::SignExtend(8).apply(&[&byte(a)]),
                Some(Value::BitVec(16, Integer::from(u32::from(i16::from(sa) as u16))))
            );
        }
    }
}
