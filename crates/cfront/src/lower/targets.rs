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

/// What a pointer may lead into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Object {
    /// A variable, or an object that execution starts with.
    Variable(VarId),
    /// All that one operation of the program allocates, by the number of the operation.
    Allocated(usize),
}

impl Object {
    pub(super) const fn variable(self) -> Option<VarId> {
        match self {
            Self::Variable(var) => Some(var),
            Self::Allocated(_) => None,
        }
    }
}

/// Where a pointer may lead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Targets {
    pub(super) objects: BTreeMap<Object, Offsets>,
    /// Whether it may lead to memory that is no variable: memory from outside, or what the program allocates.
    pub(super) elsewhere: bool,
}

impl Targets {
    pub(super) const fn elsewhere() -> Self {
        Self { objects: BTreeMap::new(), elsewhere: true }
    }

    pub(super) fn start_of(object: Object) -> Self {
        Self { objects: BTreeMap::from([(object, Offsets { least: 0, most: 0 })]), elsewhere: false }
    }

    /// The variables among the objects.
    pub(super) fn variables(&self) -> impl Iterator<Item = VarId> {
        self.objects.keys().filter_map(|object| object.variable())
    }

    pub(super) fn plus(&self, amount: Option<(i128, i128)>) -> Self {
        let objects = self.objects.iter().map(|(object, offsets)| (*object, offsets.plus(amount))).collect();
        Self { objects, elsewhere: self.elsewhere }
    }

    /// Whether both may lead to one object.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.elsewhere && other.is_outside_variables()
            || other.elsewhere && self.is_outside_variables()
            || self.objects.keys().any(|object| other.objects.contains_key(object))
    }

    /// Whether it may lead to memory that is no variable, known or not.
    fn is_outside_variables(&self) -> bool {
        self.elsewhere || self.objects.keys().any(|object| object.variable().is_none())
    }

    pub(super) fn anywhere(&self) -> Self {
        self.plus(None)
    }

    /// Adds what another pointer may lead to; whether that is new.
    pub(super) fn join(&mut self, other: &Self, growth: Growth) -> bool {
        let mut is_new = other.elsewhere && !self.elsewhere;
        self.elsewhere |= other.elsewhere;
        for (object, more) in &other.objects {
            let Some(known) = self.objects.get_mut(object) else {
                self.objects.insert(*object, *more);
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
