//! Sets of objects and offsets that pointers may lead to.

use std::collections::BTreeMap;

use cfa::VarId;

/// Offsets in bytes from the start of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offsets {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Offsets {
    pub(super) const ANY: Self = Self { least: i64::MIN, most: i64::MAX };

    pub(super) fn exact(self) -> Option<i64> {
        (self.least == self.most).then_some(self.least)
    }

    pub(super) fn plus(self, amount: Option<(i128, i128)>) -> Self {
        let Some((least, most)) = amount else { return Self::ANY };
        let sum = |offset: i64, amount: i128| i64::try_from(i128::from(offset) + amount).ok();
        match (sum(self.least, least), sum(self.most, most)) {
            (Some(least), Some(most)) if self != Self::ANY => Self { least, most },
            _ => Self::ANY,
        }
    }
}

/// Where a pointer may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Targets {
    pub(super) objects: BTreeMap<VarId, Offsets>,
    /// Whether it may lead to memory that is no variable.
    pub(super) elsewhere: bool,
}

impl Targets {
    pub(super) const fn elsewhere() -> Self {
        Self { objects: BTreeMap::new(), elsewhere: true }
    }

    pub(super) fn start_of(var: VarId) -> Self {
        Self { objects: BTreeMap::from([(var, Offsets { least: 0, most: 0 })]), elsewhere: false }
    }

    pub(super) fn plus(&self, amount: Option<(i128, i128)>) -> Self {
        let objects = self.objects.iter().map(|(var, offsets)| (*var, offsets.plus(amount))).collect();
        Self { objects, elsewhere: self.elsewhere }
    }

    /// Whether both may lead to one object.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.elsewhere && other.elsewhere || self.objects.keys().any(|var| other.objects.contains_key(var))
    }

    pub(super) fn anywhere(&self) -> Self {
        self.plus(None)
    }

    /// Adds what another pointer may lead to; whether that is new.
    pub(super) fn join(&mut self, other: &Self, growth: Growth) -> bool {
        let mut is_new = other.elsewhere && !self.elsewhere;
        self.elsewhere |= other.elsewhere;
        for (var, more) in &other.objects {
            let Some(known) = self.objects.get_mut(var) else {
                self.objects.insert(*var, *more);
                is_new = true;
                continue;
            };
            let both = Offsets { least: known.least.min(more.least), most: known.most.max(more.most) };
            if both != *known {
                *known = if growth == Growth::Bounded { Offsets::ANY } else { both };
                is_new = true;
            }
        }
        is_new
    }
}

/// Whether offsets may grow step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    Free,
    Bounded,
}
