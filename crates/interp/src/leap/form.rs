//! Values that are linear in the numbers of rounds.
//!
//! A form is `base + rate_0 * t_0 + rate_1 * t_1 + ...`, where `t_i` is the number of the round of the i-th loop that is being repeated, outermost
//! first. Everything is exact or absent: what does not fit 128 bits has no form.

use cfa::ty::Ty;

/// So many loops can be repeated inside each other.
pub(super) const LEVELS: usize = 8;

/// A number that depends linearly on the counters of the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) base: i128,
    rates: [i128; LEVELS],
}

impl Form {
    pub(super) fn constant(base: i128) -> Self {
        Self { base, rates: [0; LEVELS] }
    }
    /// The value if it is the same in all rounds.
    pub(super) fn as_constant(&self) -> Option<i128> {
        (self.rates == [0; LEVELS]).then_some(self.base)
    }
    /// This value, growing by `rate` with every round of a level.
    pub(super) fn growing(&self, level: usize, rate: i128) -> Self {
        let mut result = *self;
        result.rates[level] = rate;
        result
    }
    /// `self * scale + other`.
    fn combine(&self, scale: i128, other: &Self) -> Option<Self> {
        let mut result = Self::constant(self.base.checked_mul(scale)?.checked_add(other.base)?);
        for (level, rate) in result.rates.iter_mut().enumerate() {
            *rate = self.rates[level].checked_mul(scale)?.checked_add(other.rates[level])?;
        }
        Some(result)
    }
    pub(super) fn add(&self, other: &Self) -> Option<Self> {
        self.combine(1, other)
    }
    pub(super) fn sub(&self, other: &Self) -> Option<Self> {
        other.combine(-1, self)
    }
    pub(super) fn scale(&self, factor: i128) -> Option<Self> {
        self.combine(factor, &Self::constant(0))
    }
    pub(super) fn plus(&self, number: i128) -> Option<Self> {
        self.combine(1, &Self::constant(number))
    }
    /// Whether all rates are multiples of a number.
    pub(super) fn steps_by(&self, number: i128) -> bool {
        self.rates.iter().all(|rate| rate.checked_rem(number) == Some(0))
    }
    /// The quotient by a positive divisor of all rates, rounded down.
    pub(super) fn floor_by(&self, divisor: i128) -> Self {
        let mut result = Self::constant(self.base.div_euclid(divisor));
        for (level, rate) in result.rates.iter_mut().enumerate() {
            *rate = self.rates[level] / divisor;
        }
        result
    }
    /// The value when the counter of a level is 0.
    pub(super) fn at_first(&self, level: usize) -> Self {
        self.growing(level, 0)
    }
    /// The least value while the counter of a level runs from 0 to `last`, as a form of the other levels.
    pub(super) fn least(&self, level: usize, last: &Self) -> Option<Self> {
        let first = self.at_first(level);
        if self.rates[level] < 0 { last.scale(self.rates[level])?.add(&first) } else { Some(first) }
    }
    /// The last round of a level up to which the form is not negative; `None` if there is no such bound. The form must not be negative at first.
    /// Where that is not linear in the other counters, it is the one for their being 0.
    pub(super) fn last_round(&self, level: usize) -> Option<Self> {
        let fall = self.rates[level].checked_neg().filter(|fall| *fall > 0)?;
        let first = self.at_first(level);
        Some(if first.steps_by(fall) { first.floor_by(fall) } else { Self::constant(first.base / fall) })
    }
    /// How the form fits a type when all counters are 0: the multiple of 2^width that has to be taken away.
    pub(super) fn excess(&self, ty: Ty) -> Option<i128> {
        self.base.checked_sub(ty.value_of(self.base as u128))
    }
}
