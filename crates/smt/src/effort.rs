//! Budgets in the solver's units of effort.

use base::{Budget, Stop};

/// So many units of the solver's effort are one tick of a budget.
pub(crate) const UNITS_PER_TICK: u64 = 1_000;

/// The ticks that a budget has left.
pub(crate) fn ticks_left(budget: &Budget) -> u64 {
    let affordable = |ticks: u64| budget.clone().charge(ticks) != Err(Stop::Ticks);
    if affordable(u64::MAX - budget.spent()) {
        return u64::MAX;
    }
    let (mut least, mut most) = (0, u64::MAX);
    while least < most {
        let middle = least + (most - least).div_ceil(2);
        if affordable(middle) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    least
}

/// Charges units of effort, at most what is left.
pub(crate) fn charge(budget: &mut Budget, units: u64) {
    let ticks = units.div_ceil(UNITS_PER_TICK).min(ticks_left(budget));
    // Whether time is over is the business of who asks next.
    let _ = budget.charge(ticks);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_found_by_trying() {
        for ticks in [0, 1, 7, 1_000, 123_456_789] {
            assert_eq!(ticks_left(&Budget::ticks(ticks)), ticks);
        }
        assert_eq!(ticks_left(&Budget::unlimited()), u64::MAX);
        let mut budget = Budget::ticks(10);
        charge(&mut budget, 3_500);
        assert_eq!(ticks_left(&budget), 6);
        charge(&mut budget, 1_000_000);
        assert_eq!(budget.tick(), Err(Stop::Ticks));
    }
}
