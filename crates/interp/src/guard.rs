//! What an execution must not depend on: where objects lie in memory.
//!
//! C leaves the numbers of addresses open, and whether a new object gets the address of one that no longer exists. The interpreter has
//! one choice of them. So before an operation whose result could be another one with other addresses there is a guard, and an
//! execution that gets there ends as unsupported: it is evidence for nothing.
//!
//! Not guarded, because every choice gives the same: equality of pointers to live objects, comparison with null and with the
//! numbers of the first and last page, order and difference inside of one object, and the low bits of an address as far as the alignment
//! of its object goes.
//!
//! # Invariants
//! * G1: a guard that passes implies that the guarded operation gives the same result for all addresses that respect lifetimes and alignment,
//!   up to the addresses themselves.

use super::memory::{Found, Memory, may_be_far};
use super::outcome::Fault;
use cfa::ty::DataModel;

/// Numbers below this, and as many at the other end, are addresses of no object.
const PAGE: u64 = 4096;

/// What is to be done with two registers, `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Comparing for equality.
    Equality,
    /// Comparing by size.
    Order,
    /// Subtracting.
    Difference,
    /// Anything, with `a` alone.
    Number,
    /// Making `b` of `a` by adding or subtracting.
    Move,
    /// `a & b`.
    Mask,
    /// `a | b`, `a ^ b`.
    Tag,
    /// `a % b`.
    Remainder,
    /// Reading `b` bytes at `a` as a number that is no address.
    Part,
    /// Changing bits of `b` bytes at `a`.
    Bits,
}

/// Whether registers hold pointers or numbers that may be addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    Pointers,
    Numbers,
}

impl Memory {
    /// G1: an error if the result depends on addresses.
    #[inline]
    pub(crate) fn guard(&self, guard: Guard, operands: Operands, a: u64, b: u64) -> Result<(), Fault> {
        // Inside of one object, or equal: the usual case.
        if a == b && !may_be_far(a) && matches!(guard, Guard::Equality | Guard::Order | Guard::Difference) {
            return Ok(());
        }
        self.guard_slowly(guard, operands, a, b)
    }

    fn guard_slowly(&self, guard: Guard, operands: Operands, a: u64, b: u64) -> Result<(), Fault> {
        let problem = match guard {
            Guard::Part => self.reads_part(a, b).then_some("reading a part of a pointer"),
            Guard::Bits => self.changes_part(a, b).then_some("changing bits of a pointer"),
            _ => return self.guard_operands(guard, operands, a, b),
        };
        problem.map_or(Ok(()), |problem| Err(Fault::Unsupported(problem.to_owned())))
    }

    fn guard_operands(&self, guard: Guard, operands: Operands, a: u64, b: u64) -> Result<(), Fault> {
        let takes_addresses =
            matches!(guard, Guard::Equality | Guard::Order | Guard::Difference | Guard::Move);
        if self.is_far(a) || takes_addresses && self.is_far(b) {
            return Err(Fault::Unsupported(
                "computing with a pointer that is far away from its object".to_owned(),
            ));
        }
        let (left, right) = match operands {
            Operands::Pointers => (self.found(a), self.found(b)),
            Operands::Numbers => (self.found_number(a), self.found_number(b)),
        };
        let is_same = matches!((&left, &right), (Some(left), Some(right)) if left.index == right.index);
        let mask = self.low_mask(b);
        let decided = match guard {
            Guard::Equality => is_same || self.are_told_apart(left.as_ref(), right.as_ref(), (a, b)),
            Guard::Order => is_same || self.is_beside(left.as_ref(), b) && self.is_beside(right.as_ref(), a),
            Guard::Difference => is_same || left.is_none() && right.is_none(),
            Guard::Number => left.is_none(),
            Guard::Move => left.is_none() || is_same,
            Guard::Mask => left.as_ref().is_none_or(|left| mask.is_some_and(|mask| mask < left.align)),
            Guard::Tag => left.as_ref().is_none_or(|left| b < left.align),
            Guard::Remainder | Guard::Part | Guard::Bits => {
                left.as_ref().is_none_or(|left| b.is_power_of_two() && b <= left.align)
            }
        };
        if decided {
            return Ok(());
        }
        Err(Fault::Unsupported(
            match guard {
                Guard::Equality if is_dead(left.as_ref()) || is_dead(right.as_ref()) => {
                    "comparing the address of an object that no longer exists, which another object may have,"
                }
                Guard::Equality => "comparing addresses, which may be equal or not,",
                Guard::Order => "comparing the addresses of different objects by size",
                Guard::Difference => "the difference of the addresses of different objects",
                _ => "computing with the number of an address",
            }
            .to_owned(),
        ))
    }

    /// Whether two different addresses are different wherever the objects lie.
    fn are_told_apart(&self, left: Option<&Found>, right: Option<&Found>, (a, b): (u64, u64)) -> bool {
        match (left, right) {
            (None, None) => true,
            (Some(_), None) => self.is_at_an_end(b),
            (None, Some(_)) => self.is_at_an_end(a),
            (Some(left), Some(right)) => {
                let meets = |one: &Found, other: &Found| one.is_past_end() && other.offset == 0;
                left.is_live
                    && right.is_live
                    && left.is_inside()
                    && right.is_inside()
                    && !meets(left, right)
                    && !meets(right, left)
                    && !self.may_be_shared((a, left), (b, right))
            }
        }
    }

    /// Whether two string literals may share their bytes: what follows is the same in both.
    fn may_be_shared(&self, (a, left): (u64, &Found), (b, right): (u64, &Found)) -> bool {
        let rest = |found: &Found| found.rest();
        if !left.is_read_only || !right.is_read_only || rest(left) != rest(right) {
            return false;
        }
        let (mut one, mut other) = (vec![0; rest(left)], vec![0; rest(right)]);
        self.read(a, &mut one).is_ok() && self.read(b, &mut other).is_ok() && one == other
    }

    /// Whether an object, if there is one, has its place in the order relative to a number.
    fn is_beside(&self, object: Option<&Found>, number: u64) -> bool {
        object.is_none() || self.is_at_an_end(number)
    }

    /// Whether a number is in the first or last page of the address space.
    fn is_at_an_end(&self, number: u64) -> bool {
        let number = self.address(number);
        let last = match self.model() {
            DataModel::Lp64 => u64::MAX,
            DataModel::Ilp32 => u64::from(u32::MAX),
        };
        number < PAGE || number > last - PAGE
    }

    /// For `2^k - 1` and its complement the former.
    fn low_mask(&self, mask: u64) -> Option<u64> {
        let inverse = match self.model() {
            DataModel::Lp64 => !mask,
            DataModel::Ilp32 => u64::from(!(mask as u32)),
        };
        [mask, inverse].into_iter().find(|mask| mask.wrapping_add(1).is_power_of_two() || *mask == 0)
    }
}

fn is_dead(object: Option<&Found>) -> bool {
    object.is_some_and(|object| !object.is_live)
}
