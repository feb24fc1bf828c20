//! Sets of integers: an interval together with a congruence.
//!
//! # Invariants
//! * V1: a [`Value`] is never empty; operations that may be return `Option`.
//! * V2: `low <= high`; `low` and `high` satisfy the congruence; a single value has modulus 0; otherwise the modulus is at least 1 and
//!   `0 <= residue < modulus`.
//!
//! Bounds are `i128`. What does not fit (128-bit types, products of large ranges) is the caller's to treat as
//! unknown: arithmetic returns `None` on overflow.

/// A non-empty set of integers: `{x | low <= x <= high, x = residue mod modulus}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    low: i128,
    high: i128,
    modulus: i128,
    residue: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Value {
    /// One number.
    pub fn constant(value: i128) -> Self {
        Self { low: value, high: value, modulus: 0, residue: value }
    }
    /// All numbers from `low` to `high`; `None` if there are none.
    pub fn range(low: i128, high: i128) -> Option<Self> {
        Self::new(low, high, 1, 0)
    }
    /// The numbers from `low` to `high` that are `residue` modulo `modulus`; `None` if there are none.
    pub fn new(low: i128, high: i128, modulus: i128, residue: i128) -> Option<Self> {
        if modulus == 0 {
            return (low <= residue && residue <= high).then(|| Self::constant(residue));
        }
        let residue = residue.rem_euclid(modulus);
        let low = low.checked_add((residue - low.rem_euclid(modulus)).rem_euclid(modulus))?;
        let high = high.checked_sub((high.rem_euclid(modulus) - residue).rem_euclid(modulus))?;
        if low > high {
            return None;
        }
        if low == high {
            return Some(Self::constant(low));
        }
        Some(Self { low, high, modulus, residue })
    }
    /// The smallest member.
    pub fn low(self) -> i128 {
        self.low
    }
    /// The largest member.
    pub fn high(self) -> i128 {
        self.high
    }
    /// The modulus of the congruence: 0 for a single value, 1 if nothing is known.
    pub fn modulus(self) -> i128 {
        self.modulus
    }
    /// The residue of the congruence.
    pub fn residue(self) -> i128 {
        self.residue
    }
    /// The only member, if there is just one.
    pub fn as_constant(self) -> Option<i128> {
        (self.modulus == 0).then_some(self.residue)
    }
    /// Whether a number is a member.
    pub fn contains(self, value: i128) -> bool {
        self.low <= value
            && value <= self.high
            && (self.modulus == 0 || value.rem_euclid(self.modulus) == self.residue)
    }
    /// Whether all members lie between `low` and `high`.
    pub fn within(self, low: i128, high: i128) -> bool {
        low <= self.low && self.high <= high
    }
    /// Whether all members of `other` are members.
    pub fn includes(self, other: Self) -> bool {
        other.within(self.low, self.high)
            && match (self.modulus, other.modulus) {
                (0, _) => self == other,
                (_, 0) => other.residue.rem_euclid(self.modulus) == self.residue,
                (mine, others) => others % mine == 0 && other.residue.rem_euclid(mine) == self.residue,
            }
    }
    /// The smallest value that includes both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self.includes(other) {
            return self;
        }
        let difference = self.residue.checked_sub(other.residue).unwrap_or(1);
        let modulus = gcd(gcd(self.modulus, other.modulus), difference).max(1);
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Self { low, high, modulus, residue: self.residue.rem_euclid(modulus) }.normalized()
    }
    fn normalized(self) -> Self {
        if self.low == self.high { Self::constant(self.low) } else { self }
    }
    /// What both contain, rounded up: the congruences are intersected only if one divides the other.
    pub fn meet(self, other: Self) -> Option<Self> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low > high {
            return None;
        }
        if self.modulus == 0 || other.modulus == 0 {
            let (single, set) = if self.modulus == 0 { (self, other) } else { (other, self) };
            return set.contains(single.residue).then_some(single);
        }
        let (coarse, fine) = if self.modulus <= other.modulus { (self, other) } else { (other, self) };
        if fine.residue.rem_euclid(gcd(coarse.modulus, fine.modulus))
            != coarse.residue.rem_euclid(gcd(coarse.modulus, fine.modulus))
        {
            return None;
        }
        Self::new(low, high, fine.modulus, fine.residue)
    }
    /// Bounds that grew since `previous` are moved to the next of the ascending `thresholds`.
    #[must_use]
    pub fn widened(self, previous: Self, thresholds: &[i128]) -> Self {
        let joined = previous.join(self);
        let mut low = joined.low;
        let mut high = joined.high;
        if low < previous.low {
            let below = thresholds.partition_point(|threshold| *threshold <= low);
            low = below.checked_sub(1).map_or(i128::MIN / 4, |at| thresholds[at]);
        }
        if high > previous.high {
            let above = thresholds.partition_point(|threshold| *threshold < high);
            high = thresholds.get(above).copied().unwrap_or(i128::MAX / 4);
        }
        Self::new(low, high, joined.modulus, joined.residue).unwrap_or(joined)
    }
    /// Sums of members.
    pub fn plus(self, other: Self) -> Option<Self> {
        let low = self.low.checked_add(other.low)?;
        let high = self.high.checked_add(other.high)?;
        let residue = self.residue.checked_add(other.residue)?;
        Self::new(low, high, gcd(self.modulus, other.modulus), residue)
    }
    /// The negated members.
    pub fn negate(self) -> Option<Self> {
        let (low, high) = (self.high.checked_neg()?, self.low.checked_neg()?);
        Self::new(low, high, self.modulus, self.residue.checked_neg()?)
    }
    /// Products of members.
    pub fn multiply(self, other: Self) -> Option<Self> {
        let corners = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        let modulus = gcd(
            gcd(self.modulus.checked_mul(other.modulus)?, self.modulus.checked_mul(other.residue)?),
            other.modulus.checked_mul(self.residue)?,
        );
        let residue = self.residue.checked_mul(other.residue)?;
        let (low, high) = (*corners.iter().min()?, *corners.iter().max()?);
        Self::new(low, high, modulus, residue)
    }
    /// Quotients rounded towards zero by members of `other` that are not zero; `None` if there are none.
    pub fn divide(self, other: Self) -> Option<Self> {
        let mut divisors = Vec::with_capacity(4);
        for bound in [other.low, other.high, -1, 1] {
            if bound != 0 && other.low <= bound && bound <= other.high {
                divisors.push(bound);
            }
        }
        let mut low = None::<i128>;
        let mut high = None::<i128>;
        for dividend in [self.low, self.high] {
            for divisor in &divisors {
                let quotient = dividend.checked_div(*divisor)?;
                low = Some(low.map_or(quotient, |bound| bound.min(quotient)));
                high = Some(high.map_or(quotient, |bound| bound.max(quotient)));
            }
        }
        let (mut low, mut high) = (low?, high?);
        if self.low <= 0 && 0 <= self.high {
            low = low.min(0);
            high = high.max(0);
        }
        Self::range(low, high)
    }
    /// Remainders with the dividend's sign by members of `other` that are not zero; `None` if there are none.
    pub fn remainder(self, other: Self) -> Option<Self> {
        if other.as_constant() == Some(0) {
            return None;
        }
        if let (Some(divisor), true) = (other.as_constant(), self.low >= 0) {
            let divisor = divisor.checked_abs()?;
            if self.high < divisor {
                return Some(self);
            }
            let modulus = gcd(self.modulus, divisor);
            return Self::new(0, divisor - 1, modulus.max(1), self.residue);
        }
        let largest = other.low.checked_abs()?.max(other.high.checked_abs()?) - 1;
        let low = if self.low < 0 { (-largest).max(self.low) } else { 0 };
        let high = if self.high > 0 { largest.min(self.high) } else { 0 };
        Self::range(low, high)
    }
    /// The members reduced modulo 2^`width` into the range that starts at `low`.
    #[must_use]
    pub fn wrapped(self, low: i128, width: u32) -> Self {
        let Some(size) = 1_i128.checked_shl(width).filter(|size| *size > 0) else { return self };
        let high = low + (size - 1);
        if self.within(low, high) {
            return self;
        }
        let shift_of = |value: i128| Some(value.checked_sub(low)?.div_euclid(size));
        if let (Some(shift), Some(last)) = (shift_of(self.low), shift_of(self.high))
            && let (Some(offset), true) = (shift.checked_mul(size), last == shift)
            && let Some(moved) = Self::constant(-offset).plus(self)
        {
            return moved; // all members wrap equally often
        }
        let modulus = gcd(self.modulus, size).max(1);
        Self::new(low, high, modulus, self.residue).unwrap_or(Self { low, high, modulus: 1, residue: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        (-20_i128..20, 0_i128..12, 1_i128..6, 0_i128..6)
            .prop_filter_map("empty", |(low, size, modulus, residue)| {
                Value::new(low, low + size, modulus, residue)
            })
    }
    fn members(value: Value) -> impl Iterator<Item = i128> {
        (value.low()..=value.high()).filter(move |member| value.contains(*member))
    }

    proptest! {
        #[test]
        fn operations_contain_all_results(a in value(), b in value()) {
            for x in members(a) {
                for y in members(b) {
                    prop_assert!(a.plus(b).unwrap().contains(x + y));
                    prop_assert!(a.multiply(b).unwrap().contains(x * y));
                    prop_assert!(a.join(b).contains(x) && a.join(b).contains(y));
                    if y != 0 {
                        prop_assert!(a.divide(b).unwrap().contains(x / y), "{x} / {y}");
                        prop_assert!(a.remainder(b).unwrap().contains(x % y), "{x} % {y}");
                    }
                    if x == y {
                        prop_assert!(a.meet(b).unwrap().contains(x));
                    }
                }
                prop_assert!(a.negate().unwrap().contains(-x));
                prop_assert!(a.wrapped(0, 3).contains(x.rem_euclid(8)));
                prop_assert!(a.wrapped(-4, 3).contains((x + 4).rem_euclid(8) - 4));
            }
        }

        #[test]
        fn inclusion_is_that_of_the_sets(a in value(), b in value()) {
            if a.includes(b) {
                prop_assert!(members(b).all(|member| a.contains(member)));
            }
            prop_assert!(a.join(b).includes(a) && a.join(b).includes(b));
        }

        #[test]
        fn widening_includes_both(a in value(), b in value()) {
            let widened = b.widened(a, &[-16, -1, 0, 7]);
            prop_assert!(widened.includes(a) && widened.includes(b));
        }
    }
}
