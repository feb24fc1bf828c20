//! What a pointer may be.

use std::collections::BTreeMap;

use cfa::op::{InitKind, Source};

use super::ObjectId;
use super::offsets::{Offsets, Progression, gcd};

/// What a pointer may be besides a pointer to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each possibility is independent of the others")]
pub(super) struct Others {
    /// Null.
    pub(super) null: bool,
    /// A number that belongs to no object.
    pub(super) number: bool,
    /// It was never written: null, or to an object of its own. Pointers that are stored there are not followed.
    pub(super) unwritten: bool,
    /// It leads to memory that is not followed.
    pub(super) foreign: bool,
    /// That memory may be another one than the start of an object from outside, which is as large as the interpreter makes it.
    pub(super) strange: bool,
}

impl Others {
    const NOTHING: Self =
        Self { null: false, number: false, unwritten: false, foreign: false, strange: false };
    pub(super) const NULL: Self = Self { null: true, ..Self::NOTHING };
    pub(super) const NUMBER: Self = Self { number: true, ..Self::NOTHING };
    pub(super) const UNWRITTEN: Self = Self { null: true, unwritten: true, ..Self::NOTHING };
    /// Null, a number, or into memory that is not followed.
    pub(super) const FOREIGN: Self =
        Self { null: true, number: true, foreign: true, strange: true, ..Self::NOTHING };
    /// From outside: null, or to the start of an object that is not followed.
    pub(super) const OUTSIDE: Self = Self { null: true, foreign: true, ..Self::NOTHING };

    fn join(&mut self, other: Self) -> bool {
        let before = *self;
        self.null |= other.null;
        self.number |= other.number;
        self.unwritten |= other.unwritten;
        self.foreign |= other.foreign;
        self.strange |= other.strange;
        *self != before
    }
}

impl From<&Source> for Others {
    /// What an arbitrary pointer may be.
    fn from(source: &Source) -> Self {
        match source {
            Source::Uninitialised => Self::UNWRITTEN,
            Source::Extern { .. } | Source::Argument { .. } | Source::Global { .. } | Source::Outside => {
                Self::OUTSIDE
            }
            Source::Input { .. } | Source::Library { .. } | Source::Rounded | Source::Guess(_) => {
                Self::FOREIGN
            }
        }
    }
}

/// What a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pointee {
    /// Into an object.
    pub(super) objects: BTreeMap<ObjectId, Offsets>,
    pub(super) others: Others,
}

impl Pointee {
    /// The start of an object.
    pub(super) fn object(object: ObjectId) -> Self {
        let start = Offsets::of(Progression::one(0));
        Self { objects: BTreeMap::from([(object, start)]), others: Others::default() }
    }
    pub(super) fn others(others: Others) -> Self {
        Self { objects: BTreeMap::new(), others }
    }
    /// Adds what another one may be; whether that is more.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut changed = self.others.join(other.others);
        for (object, offsets) in &other.objects {
            if let Some(known) = self.objects.get_mut(object) {
                changed |= known.join(offsets);
            } else {
                self.objects.insert(*object, offsets.clone());
                changed = true;
            }
        }
        changed
    }
    pub(super) fn plus(&self, amount: &Offsets) -> Self {
        let objects = self.objects.iter().map(|(object, offsets)| (*object, offsets.plus(amount))).collect();
        let mut others = self.others;
        if amount.single() != Some(0) {
            others.number |= others.null;
            others.null &= amount.iter().any(|amount| amount.meets(Progression::one(0)));
        }
        Self { objects, others }
    }
    /// So many bytes further on.
    pub(super) fn plus_constant(&self, bytes: i64) -> Self {
        self.plus(&Offsets::of(Progression::one(bytes)))
    }
    /// The number of the object, if it is always the same; see [`super::slots`].
    pub(super) fn only(&self) -> Option<ObjectId> {
        let numbers = [
            (self.others.null || self.others.number, super::NONE),
            (self.others.unwritten, super::GARBAGE),
            (self.others.foreign, super::FOREIGN),
        ];
        let others = numbers.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, number)| number);
        let mut all = others.chain(self.objects.keys().copied());
        let first = all.next();
        if all.next().is_none() { first.or(Some(super::NONE)) } else { None }
    }
    /// How offsets are kept: they are all multiples of the first number plus the second one; the first is 0 if they are always the second. Null has the offset 0, and that of
    /// what was never written does not matter.
    pub(super) fn stride(&self) -> (i64, i64) {
        if self.others.number || self.others.foreign {
            return (1, 0);
        }
        let mut strides: Vec<(i64, i64)> = self.objects.values().map(Offsets::stride).collect();
        if self.others.null {
            strides.push((0, 0));
        }
        let first = strides.first().map_or(0, |(_, residue)| *residue);
        let modulus = strides
            .iter()
            .fold(0, |modulus, (own, residue)| gcd(gcd(modulus, *own), residue.saturating_sub(first)));
        // Null is always a multiple of the modulus, so zero is a residue as good as any.
        (modulus, if self.others.null { 0 } else { first })
    }
}

/// What pointers are in fresh memory.
pub(super) fn fresh(contents: InitKind) -> Others {
    match contents {
        InitKind::Uninitialised => Others::UNWRITTEN,
        InitKind::Arbitrary => Others::OUTSIDE,
        InitKind::Zero => Others::NULL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_counts_as_offset_zero() {
        let mut pointee = Pointee::object(ObjectId(7)).plus_constant(12);
        assert_eq!((pointee.only(), pointee.stride()), (Some(ObjectId(7)), (0, 12)));
        pointee.join(&Pointee::others(Others::NULL));
        assert_eq!((pointee.only(), pointee.stride()), (None, (12, 0)));
        pointee.join(&Pointee::others(Others::NUMBER));
        assert_eq!(pointee.stride(), (1, 0));
    }

    #[test]
    fn null_and_something_is_a_number() {
        let moved = Pointee::others(Others::NULL).plus_constant(8);
        assert_eq!(moved, Pointee::others(Others::NUMBER));
        let maybe = Pointee::others(Others::NULL).plus(&Offsets::of(Progression::ANY));
        assert!(maybe.others.null && maybe.others.number);
    }
}
