//! C's integer types, their sizes in a data model, promotions, and intervals of values.
//!
//! # Invariants
//! * I1: an interval is held in `i128`. For `unsigned __int128` the bound `i128::MAX` means "no known
//!   bound"; every rule here that could be misled by that answers with the full interval.

use super::Model;

/// An integer type of C; plain `char` is a type of its own and signed (gcc on x86).
#[allow(clippy::enum_variant_names, reason = "the names are those of C")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Int {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    Unsigned128,
}

impl Int {
    /// All types that exist in both data models.
    pub(super) const COMMON: [Int; 12] = [
        Int::Bool,
        Int::Char,
        Int::SignedChar,
        Int::UnsignedChar,
        Int::Short,
        Int::UnsignedShort,
        Int::Int,
        Int::Unsigned,
        Int::Long,
        Int::UnsignedLong,
        Int::LongLong,
        Int::UnsignedLongLong,
    ];

    pub(super) fn signed(self) -> bool {
        matches!(
            self,
            Int::Char | Int::SignedChar | Int::Short | Int::Int | Int::Long | Int::LongLong | Int::Int128
        )
    }

    /// Bytes the type occupies.
    pub(super) fn size(self, model: Model) -> u32 {
        match self {
            Int::Bool | Int::Char | Int::SignedChar | Int::UnsignedChar => 1,
            Int::Short | Int::UnsignedShort => 2,
            Int::Int | Int::Unsigned => 4,
            Int::Long | Int::UnsignedLong if model == Model::Ilp32 => 4,
            Int::Long | Int::UnsignedLong | Int::LongLong | Int::UnsignedLongLong => 8,
            Int::Int128 | Int::Unsigned128 => 16,
        }
    }

    pub(super) fn bits(self, model: Model) -> u32 {
        self.size(model) * 8
    }

    /// C11 6.3.1.1: the order that decides between types of the same size.
    fn rank(self) -> u32 {
        match self {
            Int::Bool => 0,
            Int::Char | Int::SignedChar | Int::UnsignedChar => 1,
            Int::Short | Int::UnsignedShort => 2,
            Int::Int | Int::Unsigned => 3,
            Int::Long | Int::UnsignedLong => 4,
            Int::LongLong | Int::UnsignedLongLong => 5,
            Int::Int128 | Int::Unsigned128 => 6,
        }
    }

    /// The unsigned type of the same rank.
    pub(super) fn to_unsigned(self) -> Int {
        match self {
            Int::Char | Int::SignedChar => Int::UnsignedChar,
            Int::Short => Int::UnsignedShort,
            Int::Int => Int::Unsigned,
            Int::Long => Int::UnsignedLong,
            Int::LongLong => Int::UnsignedLongLong,
            Int::Int128 => Int::Unsigned128,
            other => other,
        }
    }

    /// Integer promotion (C11 6.3.1.1p2); `int` holds every narrower type in both models.
    pub(super) fn promote(self) -> Int {
        if self.rank() < Int::Int.rank() { Int::Int } else { self }
    }

    /// Usual arithmetic conversions (C11 6.3.1.8).
    pub(super) fn usual(self, other: Int, model: Model) -> Int {
        let (left, right) = (self.promote(), other.promote());
        if left.signed() == right.signed() {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (unsigned, signed) = if left.signed() { (right, left) } else { (left, right) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(model) > unsigned.bits(model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// All values of the type (I1).
    pub(super) fn range(self, model: Model) -> Range {
        let bits = self.bits(model);
        match self {
            Int::Bool => Range::new(0, 1),
            Int::Int128 => Range::new(i128::MIN, i128::MAX),
            Int::Unsigned128 => Range::new(0, i128::MAX),
            _ if self.signed() => Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => Range::new(0, (1 << bits) - 1),
        }
    }

    /// The ways to write the type.
    pub(super) fn spellings(self) -> &'static [&'static str] {
        match self {
            Int::Bool => &["_Bool"],
            Int::Char => &["char"],
            Int::SignedChar => &["signed char"],
            Int::UnsignedChar => &["unsigned char"],
            Int::Short => &["short", "short", "short int", "signed short"],
            Int::UnsignedShort => &["unsigned short", "unsigned short int"],
            Int::Int => &["int", "int", "int", "signed", "signed int"],
            Int::Unsigned => &["unsigned", "unsigned int"],
            Int::Long => &["long", "long", "long int", "signed long"],
            Int::UnsignedLong => &["unsigned long", "long unsigned int", "unsigned long int"],
            Int::LongLong => &["long long", "long long int", "signed long long"],
            Int::UnsignedLongLong => &["unsigned long long", "unsigned long long int"],
            Int::Int128 => &["__int128"],
            Int::Unsigned128 => &["unsigned __int128"],
        }
    }
}

/// A non-empty interval of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Range {
    pub(super) fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    pub(super) fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub(super) fn within(self, outer: Range) -> bool {
        outer.low <= self.low && self.high <= outer.high
    }

    pub(super) fn union(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The largest magnitude, saturated.
    pub(super) fn magnitude(self) -> i128 {
        self.low.saturating_neg().max(self.high)
    }

    /// The smallest interval with all four corner results, or `None` if one leaves `i128`.
    fn corners(self, other: Range, op: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
        let values = [
            op(self.low, other.low)?,
            op(self.low, other.high)?,
            op(self.high, other.low)?,
            op(self.high, other.high)?,
        ];
        Some(Range::new(*values.iter().min()?, *values.iter().max()?))
    }

    pub(super) fn add(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_add)
    }

    pub(super) fn sub(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_sub)
    }

    pub(super) fn mul(self, other: Range) -> Option<Range> {
        self.corners(other, i128::checked_mul)
    }

    /// Values of this interval of type `from` after a conversion to `to`.
    pub(super) fn convert(self, from: Int, to: Int, model: Model) -> Range {
        let full = to.range(model);
        let unbounded = from == Int::Unsigned128 && self.high == i128::MAX;
        if to == Int::Bool || unbounded || !self.within(full) { full } else { self }
    }

    /// Bitwise and.
    pub(super) fn and(self, other: Range, full: Range) -> Range {
        match (self.low >= 0, other.low >= 0) {
            (true, true) => Range::new(0, self.high.min(other.high)),
            (true, false) => Range::new(0, self.high),
            (false, true) => Range::new(0, other.high),
            (false, false) => full,
        }
    }

    /// Bitwise or, exclusive or.
    pub(super) fn or(self, other: Range, full: Range) -> Range {
        let high = self.high.max(other.high);
        if self.low < 0 || other.low < 0 || high > i128::MAX / 4 {
            return full;
        }
        let bits = 128 - high.leading_zeros();
        Range::new(0, (1_i128 << bits) - 1)
    }

    /// Quotient in C; the divisor is known not to be zero.
    pub(super) fn div(self, other: Range) -> Range {
        if self.low >= 0 && other.low > 0 {
            return Range::new(self.low / other.high, self.high / other.low);
        }
        let bound = self.magnitude();
        Range::new(if self.low >= 0 && other.low >= 0 { 0 } else { -bound }, bound)
    }

    /// Remainder in C: the sign is that of the dividend.
    pub(super) fn rem(self, other: Range, ty: Int, model: Model) -> Range {
        if ty == Int::Unsigned128 && other.high == i128::MAX {
            return ty.range(model);
        }
        let bound = (other.magnitude() - 1).max(0);
        Range::new((-bound).max(self.low.min(0)), bound.min(self.high.max(0)))
    }

    /// Arithmetic right shift by a count in `counts`.
    pub(super) fn shift_right(self, counts: Range) -> Range {
        let shift = |value: i128, count: i128| value >> count.clamp(0, 127);
        let low = shift(self.low, if self.low < 0 { counts.low } else { counts.high });
        let high = shift(self.high, if self.high < 0 { counts.high } else { counts.low });
        Range::new(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_conversions_depend_on_the_model() {
        assert_eq!(Int::Unsigned.usual(Int::Long, Model::Lp64), Int::Long);
        assert_eq!(Int::Unsigned.usual(Int::Long, Model::Ilp32), Int::UnsignedLong);
        assert_eq!(Int::UnsignedLong.usual(Int::LongLong, Model::Lp64), Int::UnsignedLongLong);
        assert_eq!(Int::UnsignedLong.usual(Int::LongLong, Model::Ilp32), Int::LongLong);
        assert_eq!(Int::Bool.usual(Int::UnsignedShort, Model::Lp64), Int::Int);
    }

    #[test]
    fn conversion_keeps_only_intervals_that_fit() {
        let small = Range::new(-1, 5);
        assert_eq!(small.convert(Int::Int, Int::SignedChar, Model::Lp64), small);
        assert_eq!(small.convert(Int::Int, Int::UnsignedChar, Model::Lp64), Range::new(0, 255));
        let wide = Int::Unsigned128.range(Model::Lp64);
        assert_eq!(wide.convert(Int::Unsigned128, Int::Int128, Model::Lp64).low, i128::MIN);
    }

    #[test]
    fn intervals_contain_every_concrete_result() {
        let ranges = [Range::new(-7, 3), Range::new(2, 9), Range::new(-4, -1), Range::new(0, 0)];
        let full = Int::Int.range(Model::Lp64);
        for a in ranges {
            for b in ranges {
                for x in a.low..=a.high {
                    for y in b.low..=b.high {
                        assert!(a.add(b).unwrap().contains(x + y));
                        assert!(a.mul(b).unwrap().contains(x * y));
                        assert!(a.and(b, full).contains(x & y));
                        assert!(a.or(b, full).contains(x | y) && a.or(b, full).contains(x ^ y));
                        if y != 0 {
                            assert!(a.div(b).contains(x / y), "{a:?} / {b:?}: {x} {y}");
                            assert!(a.rem(b, Int::Int, Model::Lp64).contains(x % y));
                        }
                        if b.low >= 0 {
                            assert!(a.shift_right(b).contains(x >> y));
                        }
                    }
                }
            }
        }
    }
}
