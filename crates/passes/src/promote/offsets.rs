//! What a pointer may be: objects, and offsets in them, as far as the text of the program tells.

use std::collections::{BTreeMap, BTreeSet};

use cfa::{BinaryOp, Expr, ExprId, Program, Ty};

use super::ObjectId;
use crate::totality::Totality;

/// How many offsets are told apart before only their distance is.
const MOST: usize = 16;

/// Offsets in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Offsets {
    /// One of these.
    Few(BTreeSet<i64>),
    /// Any that leaves this remainder.
    Stride { modulus: i64, residue: i64 },
}

impl Offsets {
    pub(super) fn one(offset: i64) -> Self {
        Self::Few(BTreeSet::from([offset]))
    }
    /// The only offset.
    pub(super) fn single(&self) -> Option<i64> {
        match self {
            Self::Few(offsets) if offsets.len() == 1 => offsets.first().copied(),
            Self::Few(_) | Self::Stride { .. } => None,
        }
    }
    /// All of them in an object of a size, if they are few.
    pub(super) fn listed(&self, size: i64) -> Option<BTreeSet<i64>> {
        match self {
            Self::Few(offsets) => Some(offsets.clone()),
            Self::Stride { modulus, residue } => {
                let listed = (*residue..size).step_by(usize::try_from(*modulus).ok()?);
                (size / modulus <= MOST as i64).then(|| listed.collect())
            }
        }
    }
    /// The greatest number that divides all of them; 0 if they are all zero.
    pub(super) fn unit(&self) -> i64 {
        match self {
            Self::Few(offsets) => offsets.iter().fold(0, |unit, offset| gcd(unit, *offset)),
            Self::Stride { modulus, residue } => gcd(*modulus, *residue),
        }
    }
    fn stride(&self) -> (i64, i64) {
        match self {
            Self::Few(offsets) => {
                let first = offsets.first().copied().unwrap_or(0);
                (offsets.iter().fold(0, |unit, offset| gcd(unit, offset.wrapping_sub(first))), first)
            }
            Self::Stride { modulus, residue } => (*modulus, *residue),
        }
    }
    fn from_stride(modulus: i64, residue: i64) -> Self {
        match modulus {
            0 => Self::one(residue),
            _ => Self::Stride { modulus, residue: residue.rem_euclid(modulus) },
        }
    }
    pub(super) fn join(&mut self, other: &Self) {
        if let (Self::Few(left), Self::Few(right)) = (&*self, other) {
            let both: BTreeSet<i64> = left.union(right).copied().collect();
            if both.len() <= MOST {
                *self = Self::Few(both);
                return;
            }
        }
        let ((left, a), (right, b)) = (self.stride(), other.stride());
        *self = Self::from_stride(gcd(gcd(left, right), a.wrapping_sub(b)), a);
    }
    /// The sums with a constant and multiples of some numbers.
    pub(super) fn plus(&self, sum: &Linear) -> Self {
        let step = sum.terms.iter().fold(0, |unit, (factor, _)| gcd(unit, *factor));
        match self {
            Self::Few(offsets) if step == 0 => {
                Self::Few(offsets.iter().map(|offset| offset.wrapping_add(sum.constant)).collect())
            }
            Self::Few(_) | Self::Stride { .. } => {
                let (modulus, residue) = self.stride();
                Self::from_stride(gcd(modulus, step), residue.wrapping_add(sum.constant))
            }
        }
    }
}

/// The greatest common divisor; that with 0 is the other number.
pub(super) fn gcd(left: i64, right: i64) -> i64 {
    let (mut left, mut right) = (left.unsigned_abs(), right.unsigned_abs());
    while right != 0 {
        (left, right) = (right, left % right);
    }
    i64::try_from(left).unwrap_or(1)
}

/// What a pointer may be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pointee {
    /// Into an object.
    pub(super) objects: BTreeMap<ObjectId, Offsets>,
    /// Null or another constant.
    pub(super) other: Other,
}

/// What else a pointer may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Other {
    /// Nothing else.
    #[default]
    Nothing,
    /// Null.
    Null,
    /// Or it was never written: arbitrary, and no access through it is defined.
    Unwritten,
    /// Or a number that belongs to no object.
    Number,
    /// Or anything that is not followed.
    Foreign,
}

impl Pointee {
    pub(super) fn object(object: ObjectId) -> Self {
        Self { objects: BTreeMap::from([(object, Offsets::one(0))]), other: Other::Nothing }
    }
    pub(super) fn other(other: Other) -> Self {
        Self { objects: BTreeMap::new(), other }
    }
    pub(super) fn join(&mut self, other: &Self) {
        for (object, offsets) in &other.objects {
            match self.objects.get_mut(object) {
                Some(known) => known.join(offsets),
                None => {
                    self.objects.insert(*object, offsets.clone());
                }
            }
        }
        self.other = self.other.max(other.other);
    }
    pub(super) fn plus(&self, sum: &Linear) -> Self {
        let objects = self.objects.iter().map(|(object, offsets)| (*object, offsets.plus(sum))).collect();
        let other = match self.other {
            Other::Null if sum.constant != 0 || !sum.terms.is_empty() => Other::Number,
            other => other,
        };
        Self { objects, other }
    }
    /// The object, if it is always that one.
    pub(super) fn only(&self) -> Option<ObjectId> {
        match (self.objects.len(), self.other) {
            (1, Other::Nothing) => self.objects.keys().next().copied(),
            _ => None,
        }
    }
    /// The offset, if it is always that one; that of null is 0, and that of what was never written does not matter.
    pub(super) fn offset(&self) -> Option<i64> {
        if self.other >= Other::Number {
            return None;
        }
        let mut offsets = self.objects.values().map(Offsets::single);
        let Some(first) = offsets.next() else { return Some(0) };
        let first = first?;
        let same = offsets.all(|offset| offset == Some(first));
        (same && (first == 0 || self.other == Other::Nothing)).then_some(first)
    }
    /// What divides all offsets.
    pub(super) fn unit(&self) -> i64 {
        self.objects.values().fold(0, |unit, offsets| gcd(unit, offsets.unit())).max(1)
    }
}

/// A sum of products with constants, and a constant: an offset in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) constant: i64,
    /// Factor and expression, no expression twice.
    pub(super) terms: Vec<(i64, ExprId)>,
}

impl Linear {
    pub(super) fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }
    pub(super) fn term(factor: i64, expr: ExprId) -> Self {
        Self { constant: 0, terms: vec![(factor, expr)] }
    }
    pub(super) fn add(&mut self, factor: i64, expr: ExprId) {
        match self.terms.iter().position(|(_, known)| *known == expr) {
            Some(at) => {
                self.terms[at].0 = self.terms[at].0.wrapping_add(factor);
                if self.terms[at].0 == 0 {
                    self.terms.remove(at);
                }
            }
            None => self.terms.push((factor, expr)),
        }
    }
    pub(super) fn plus_constant(&self, constant: i64) -> Self {
        Self { constant: self.constant.wrapping_add(constant), terms: self.terms.clone() }
    }
    /// The sum divided by a number that divides all of it.
    pub(super) fn divided(&self, by: i64) -> Option<Self> {
        let divides = |number: i64| number % by == 0;
        if !divides(self.constant) || !self.terms.iter().all(|(factor, _)| divides(*factor)) {
            return None;
        }
        let terms = self.terms.iter().map(|(factor, expr)| (factor / by, *expr)).collect();
        Some(Self { constant: self.constant / by, terms })
    }
    /// What divides all of it; 0 if it is zero.
    pub(super) fn unit(&self) -> i64 {
        self.terms.iter().fold(self.constant, |unit, (factor, _)| gcd(unit, *factor))
    }
}

/// An integer expression of a program as a sum. Where the expression is defined, the sum has its value: sums and products that may wrap around are not taken apart.
pub(super) fn linear(program: &Program, totality: &Totality, root: ExprId) -> Linear {
    let mut sum = Linear::default();
    let mut pending = vec![(1_i64, root)];
    while let Some((factor, id)) = pending.pop() {
        let constant = |id: ExprId| match *program.exprs.get(id) {
            Expr::Const { ty, bits } if ty.is_int() => i64::try_from(ty.value_of(bits)).ok(),
            _ => None,
        };
        let times = |by: i64| factor.checked_mul(by);
        let exact = is_exact(program, totality, id);
        match *program.exprs.get(id) {
            Expr::Binary { op: BinaryOp::Add, lhs, rhs } if exact => {
                pending.extend([(factor, lhs), (factor, rhs)]);
            }
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs } if exact && factor != i64::MIN => {
                pending.extend([(factor, lhs), (-factor, rhs)]);
            }
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs }
                if exact && constant(rhs).and_then(times).is_some() =>
            {
                pending.push((constant(rhs).and_then(times).unwrap_or(1), lhs));
            }
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs }
                if exact && constant(lhs).and_then(times).is_some() =>
            {
                pending.push((constant(lhs).and_then(times).unwrap_or(1), rhs));
            }
            Expr::Cast { arg, .. }
                if exact && matches!(program.exprs.get(arg), Expr::Binary { .. } | Expr::Const { .. }) =>
            {
                pending.push((factor, arg));
            }
            Expr::Const { .. } if constant(id).and_then(times).is_some() => {
                let value = constant(id).and_then(times).unwrap_or(0);
                sum.constant = sum.constant.wrapping_add(value);
            }
            _ => sum.add(factor, id),
        }
    }
    sum
}

/// Whether the value of a sum, a product or a conversion is that of the mathematical operation wherever it is defined.
fn is_exact(program: &Program, totality: &Totality, id: ExprId) -> bool {
    let ty = program.exprs.ty(id);
    let whole = ty.range();
    let fits = |range: Option<(i128, i128)>| match (range, whole) {
        (Some((low, high)), Some(whole)) => whole.0 <= low && high <= whole.1,
        _ => false,
    };
    match *program.exprs.get(id) {
        Expr::Binary { op, lhs, rhs } => {
            let overflow_ends = ty.is_signed() && program.signed_overflow != cfa::SignedOverflow::Wrap;
            let (Some(left), Some(right)) = (totality.range(lhs), totality.range(rhs)) else {
                return overflow_ends;
            };
            overflow_ends || fits(crate::totality::arithmetic(op, left, right))
        }
        Expr::Cast { arg, .. } => {
            matches!(program.exprs.ty(arg), Ty::Int { .. }) && fits(totality.range(arg))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_offsets_become_a_stride() {
        let mut offsets = Offsets::one(4);
        for _ in 0..40 {
            let next = offsets.plus(&Linear::constant(8));
            offsets.join(&next);
        }
        assert_eq!(offsets, Offsets::Stride { modulus: 8, residue: 4 });
        assert_eq!(offsets.unit(), 4);
        offsets.join(&Offsets::one(2));
        assert_eq!(offsets, Offsets::Stride { modulus: 2, residue: 0 });
    }

    #[test]
    fn a_sum_is_divided_only_without_remainder() {
        let sum = Linear { constant: 4, terms: vec![(8, ExprId(0))] };
        assert_eq!(sum.divided(8), None);
        assert_eq!(sum.plus_constant(-4).divided(8), Some(Linear::term(1, ExprId(0))));
        assert_eq!(sum.unit(), 4);
    }
}
