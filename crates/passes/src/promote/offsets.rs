//! Offsets in bytes that a pointer may have in an object, and sums that are added to pointers.

use std::collections::BTreeSet;

use cfa::{BinaryOp, Expr, ExprId, Program, SignedOverflow, Ty};

use crate::totality::{Totality, arithmetic};

/// How many progressions are told apart before only a common distance is.
const MAX_PROGRESSIONS: usize = 16;
/// Offsets in a row that are told apart.
const MAX_ROW: i64 = 8;
/// More offsets than this are as good as all.
const MAX_COUNT: i128 = 1 << 24;
/// Offsets beyond this are as good as any.
const MAX_OFFSET: i128 = 1 << 60;
/// Greatest factor in a [`Linear`] sum: with at most [`MAX_TERMS`] of them no partial sum leaves the type of offsets.
const MAX_FACTOR: i64 = 1 << 31;
const MAX_TERMS: usize = 16;

/// An arithmetic progression of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Progression {
    /// The first one; of an unbounded progression the residue.
    pub(super) start: i64,
    /// The distance between two; 0 for one offset alone.
    pub(super) step: i64,
    /// How many there are; `None` for the whole residue class.
    pub(super) count: Option<i64>,
}

impl Progression {
    /// Every offset.
    pub(super) const ANY: Self = Self { start: 0, step: 1, count: None };

    pub(super) fn one(offset: i64) -> Self {
        Self { start: offset, step: 0, count: Some(1) }
    }
    fn bounded(start: i128, step: i128, count: i128) -> Self {
        let last = step.checked_mul(count - 1).and_then(|span| span.checked_add(start));
        let is_small = |offset: i128| (-MAX_OFFSET..=MAX_OFFSET).contains(&offset);
        match last {
            Some(last) if count <= MAX_COUNT && is_small(start) && is_small(last) => {
                let step = if count == 1 { 0 } else { step as i64 };
                Self { start: start as i64, step, count: Some(count as i64) }
            }
            _ => Self::unbounded(start, step.max(1)),
        }
    }
    fn unbounded(start: i128, step: i128) -> Self {
        if step > MAX_OFFSET {
            return Self::ANY;
        }
        Self { start: start.rem_euclid(step) as i64, step: step as i64, count: None }
    }
    /// The last one.
    pub(super) fn last(self) -> Option<i64> {
        Some(self.start + self.step * (self.count? - 1))
    }
    /// The only one.
    pub(super) fn single(self) -> Option<i64> {
        (self.count == Some(1)).then_some(self.start)
    }
    fn span(self) -> Option<i128> {
        Some(i128::from(self.step) * i128::from(self.count? - 1))
    }
    /// All sums of an offset of each, and maybe more.
    pub(super) fn plus(self, other: Self) -> Self {
        let start = i128::from(self.start) + i128::from(other.start);
        let step = i128::from(gcd(self.step, other.step));
        match (self.span(), other.span()) {
            (Some(left), Some(right)) if step > 0 => Self::bounded(start, step, (left + right) / step + 1),
            (Some(_), Some(_)) => Self::bounded(start, 0, 1),
            _ => Self::unbounded(start, step),
        }
    }
    /// All sums of an offset of each: rows of a few offsets that do not fill the distance between them stay apart.
    fn sums(self, other: Self) -> Vec<Self> {
        let (rows, row) = if self.step >= other.step { (self, other) } else { (other, self) };
        match (rows.span(), row.count) {
            (Some(_), Some(count)) if row.step > 0 && count <= MAX_ROW => {
                let fills = i128::from(row.step) * i128::from(count) >= i128::from(rows.step)
                    && rows.step % row.step == 0;
                if fills {
                    return vec![rows.plus(row)];
                }
                (0..count).map(|number| rows.plus(Self::one(row.start + row.step * number))).collect()
            }
            (None, Some(count)) if row.step > 0 && count <= MAX_ROW && rows.step > row.step => {
                (0..count).map(|number| rows.plus(Self::one(row.start + row.step * number))).collect()
            }
            _ => vec![self.plus(other)],
        }
    }
    /// Whether every offset of the other is one of this.
    fn includes(self, other: Self) -> bool {
        let is_aligned = self.step != 0
            && other.step % self.step == 0
            && (i128::from(other.start) - i128::from(self.start)) % i128::from(self.step) == 0;
        match (self.last(), other.last()) {
            _ if self == other => true,
            (None, _) => is_aligned,
            (Some(last), Some(end)) => is_aligned && self.start <= other.start && end <= last,
            (Some(_), None) => false,
        }
    }
    /// Whether some offset may be one of both.
    pub(super) fn meets(self, other: Self) -> bool {
        let step = i128::from(gcd(self.step, other.step));
        let distance = i128::from(self.start) - i128::from(other.start);
        let is_aligned = if step == 0 { distance == 0 } else { distance % step == 0 };
        let is_beyond = |one: Self, other: Self| match (one.last(), other.count) {
            (Some(last), Some(_)) => last < other.start,
            _ => false,
        };
        is_aligned && !is_beyond(self, other) && !is_beyond(other, self)
    }
    /// Those at which so many bytes lie in an object of a size, if it is known; `None` if there are none.
    pub(super) fn within(self, size: Option<i64>, bytes: i64) -> Option<Self> {
        let (start, count) = match self.count {
            None => (self.start, i64::MAX),
            Some(count) if self.start < 0 && self.step > 0 => {
                let skipped = (-self.start).div_euclid(self.step) + i64::from(-self.start % self.step != 0);
                (self.start + self.step * skipped, count - skipped)
            }
            Some(count) => (self.start, count),
        };
        if count <= 0 || start < 0 {
            return None;
        }
        let Some(size) = size else {
            return Some(if self.count.is_none() {
                self
            } else {
                Self { start, count: Some(count), ..self }
            });
        };
        let room = size - bytes - start;
        if room < 0 {
            return None;
        }
        let most = if self.step == 0 { 1 } else { room / self.step + 1 };
        let count = count.min(most);
        Some(Self { start, step: if count == 1 { 0 } else { self.step }, count: Some(count) })
    }
}

/// Offsets in bytes: a union of progressions, none of which includes another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offsets(BTreeSet<Progression>);

impl Offsets {
    pub(super) fn of(progression: Progression) -> Self {
        Self(BTreeSet::from([progression]))
    }
    pub(super) fn iter(&self) -> impl Iterator<Item = Progression> + '_ {
        self.0.iter().copied()
    }
    /// The only offset.
    pub(super) fn single(&self) -> Option<i64> {
        match self.0.first() {
            Some(first) if self.0.len() == 1 => first.single(),
            _ => None,
        }
    }
    /// Adds offsets; whether there are new ones. A progression that grows becomes unbounded, and so do too many of them: there are finitely many steps.
    pub(super) fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for new in other.iter() {
            if self.iter().any(|known| known.includes(new)) {
                continue;
            }
            let grows = self.iter().any(|known| known.single().is_none() && new.includes(known));
            let new = if grows {
                Progression::unbounded(i128::from(new.start), i128::from(new.step.max(1)))
            } else {
                new
            };
            self.0.retain(|known| !new.includes(*known));
            self.0.insert(new);
            changed = true;
        }
        if self.0.len() > MAX_PROGRESSIONS {
            let (modulus, residue) = self.stride();
            let all = Progression::unbounded(i128::from(residue), i128::from(modulus.max(1)));
            self.0 = BTreeSet::from([all]);
        }
        changed
    }
    /// All sums of one of these and one of others.
    pub(super) fn plus(&self, others: &Self) -> Self {
        let pairs = self.iter().flat_map(|one| others.iter().map(move |other| (one, other)));
        let sums: BTreeSet<Progression> = pairs.flat_map(|(one, other)| one.sums(other)).collect();
        if sums.len() <= MAX_PROGRESSIONS {
            let mut all = Self(BTreeSet::new());
            for sum in &sums {
                if !sums.iter().any(|other| other != sum && other.includes(*sum)) {
                    all.0.insert(*sum);
                }
            }
            return all;
        }
        Self::of(hull(&sums))
    }
    /// A number that divides the distance of any two of them, and one of them; 0 for one offset alone.
    pub(super) fn stride(&self) -> (i64, i64) {
        let first = self.0.first().map_or(0, |first| first.start);
        let modulus = self.iter().fold(0, |modulus, progression| {
            let distance = progression.start.saturating_sub(first);
            gcd(gcd(modulus, progression.step), distance)
        });
        (modulus, first)
    }
}

/// One progression that includes all of some.
fn hull(all: &BTreeSet<Progression>) -> Progression {
    let first = all.first().copied().unwrap_or(Progression::ANY);
    let step =
        all.iter().fold(0, |step, one| gcd(gcd(step, one.step), one.start.saturating_sub(first.start)));
    let start = all.iter().map(|one| one.start).min().unwrap_or(0);
    let last = all.iter().map(|one| one.last()).try_fold(start, |last, own| Some(last.max(own?)));
    match last {
        Some(last) if step > 0 => {
            let span = i128::from(last) - i128::from(start);
            Progression::bounded(i128::from(start), i128::from(step), span / i128::from(step) + 1)
        }
        _ => Progression::unbounded(i128::from(start), i128::from(step.max(1))),
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

/// A sum of products with constants, and a constant: an offset in bytes, as a mathematical integer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) constant: i128,
    /// Factor and expression, no expression twice.
    pub(super) terms: Vec<(i64, ExprId)>,
}

impl Linear {
    pub(super) fn constant(constant: i128) -> Self {
        Self { constant, terms: Vec::new() }
    }
    pub(super) fn term(factor: i64, expr: ExprId) -> Self {
        Self { constant: 0, terms: vec![(factor, expr)] }
    }
    /// Adds a product; `None` if the sum would become too large to be computed in parts.
    #[must_use]
    pub(super) fn add(mut self, factor: i64, expr: ExprId) -> Option<Self> {
        match self.terms.iter().position(|(_, known)| *known == expr) {
            Some(at) => {
                let sum = self.terms[at].0 + factor;
                if sum.abs() > MAX_FACTOR {
                    return None;
                }
                if sum == 0 {
                    self.terms.remove(at);
                } else {
                    self.terms[at].0 = sum;
                }
            }
            None if self.terms.len() < MAX_TERMS => self.terms.push((factor, expr)),
            None => return None,
        }
        Some(self)
    }
    pub(super) fn plus_constant(&self, constant: i128) -> Self {
        Self { constant: self.constant + constant, terms: self.terms.clone() }
    }
    /// The sum of both; `None` if it would become too large to be computed in parts.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let start = self.plus_constant(other.constant);
        other.terms.iter().try_fold(start, |sum, (factor, expr)| sum.add(*factor, *expr))
    }
    /// The sum divided by a number that divides all of it.
    pub(super) fn divided(&self, by: i64) -> Option<Self> {
        let divides = |factor: &(i64, ExprId)| factor.0 % by == 0;
        if self.constant % i128::from(by) != 0 || !self.terms.iter().all(divides) {
            return None;
        }
        let terms = self.terms.iter().map(|(factor, expr)| (factor / by, *expr)).collect();
        Some(Self { constant: self.constant / i128::from(by), terms })
    }
    /// The values that it may have.
    pub(super) fn values(&self, totality: &Totality) -> Offsets {
        let constant = Offsets::of(Progression::bounded(self.constant, 0, 1));
        self.terms.iter().fold(constant, |sum, (factor, expr)| {
            let factor = i128::from(*factor);
            let product = match totality.range(*expr) {
                Some((low, high)) => {
                    let least = if factor > 0 { low.checked_mul(factor) } else { high.checked_mul(factor) };
                    match (least, high.checked_sub(low).and_then(|span| span.checked_add(1))) {
                        (Some(least), Some(count)) => Progression::bounded(least, factor.abs(), count),
                        _ => Progression::unbounded(0, factor.abs()),
                    }
                }
                None => Progression::unbounded(0, factor.abs()),
            };
            sum.plus(&Offsets::of(product))
        })
    }
}

/// An integer expression of a program as a sum. Where the expression is defined, the sum has its value: operations that may wrap around are not taken apart.
pub(super) fn linear(program: &Program, totality: &Totality, root: ExprId) -> Linear {
    let mut sum = Linear::default();
    let mut pending = vec![(1_i64, root)];
    while let Some((factor, id)) = pending.pop() {
        let constant = |id: ExprId| match *program.exprs.get(id) {
            Expr::Const { ty, bits } if ty.is_int() => Some(ty.value_of(bits)),
            _ => None,
        };
        let times = |by: i128| {
            let product = i64::try_from(i128::from(factor).checked_mul(by)?).ok()?;
            (product.abs() <= MAX_FACTOR).then_some(product)
        };
        if let Some(value) = constant(id).and_then(|value| value.checked_mul(i128::from(factor)))
            && value.abs() <= i128::from(u64::MAX)
        {
            sum.constant += value;
            continue;
        }
        let parts = match *program.exprs.get(id) {
            _ if !is_exact(program, totality, id) => None,
            Expr::Binary { op: BinaryOp::Add, lhs, rhs } => Some([Some((factor, lhs)), Some((factor, rhs))]),
            Expr::Binary { op: BinaryOp::Sub, lhs, rhs } => Some([Some((factor, lhs)), Some((-factor, rhs))]),
            Expr::Binary { op: BinaryOp::Mul, lhs, rhs } => match (constant(lhs), constant(rhs)) {
                (_, Some(by)) => times(by).map(|product| [Some((product, lhs)), None]),
                (Some(by), _) => times(by).map(|product| [Some((product, rhs)), None]),
                (None, None) => None,
            },
            Expr::Cast { arg, .. } => {
                let is_sum = matches!(program.exprs.get(arg), Expr::Binary { .. } | Expr::Const { .. });
                is_sum.then_some([Some((factor, arg)), None])
            }
            _ => None,
        };
        match parts {
            Some(parts) if sum.terms.len() + pending.len() + 2 <= MAX_TERMS => {
                pending.extend(parts.into_iter().flatten().filter(|(factor, _)| *factor != 0));
            }
            _ => match sum.clone().add(factor, id) {
                Some(more) => sum = more,
                // A sum that is too long is not taken apart at all.
                None => return Linear::term(1, root),
            },
        }
    }
    sum
}

/// Whether the value of a sum, a product or a conversion is that of the mathematical operation wherever it is defined.
fn is_exact(program: &Program, totality: &Totality, id: ExprId) -> bool {
    let ty = program.exprs.ty(id);
    let fits = |range: Option<(i128, i128)>| match (range, ty.range()) {
        (Some((low, high)), Some(whole)) => whole.0 <= low && high <= whole.1,
        _ => false,
    };
    match *program.exprs.get(id) {
        Expr::Binary { op, lhs, rhs } => {
            if ty.is_signed() && program.signed_overflow != SignedOverflow::Wrap {
                return true;
            }
            let (Some(left), Some(right)) = (totality.range(lhs), totality.range(rhs)) else { return false };
            fits(arithmetic(op, left, right))
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

    fn progression(start: i64, step: i64, count: i64) -> Progression {
        Progression::bounded(i128::from(start), i128::from(step), i128::from(count))
    }

    #[test]
    fn many_offsets_become_a_stride() {
        let mut offsets = Offsets::of(Progression::one(4));
        for _ in 0..40 {
            let next = offsets.plus(&Offsets::of(Progression::one(8)));
            offsets.join(&next);
        }
        assert_eq!(offsets.single(), None);
        assert_eq!(offsets.stride(), (8, 4));
        assert_eq!(offsets.iter().collect::<Vec<_>>(), [Progression::unbounded(4, 8)]);
        assert!(offsets.join(&Offsets::of(Progression::one(2))));
        assert_eq!(offsets.stride(), (2, 2));
    }

    #[test]
    fn sums_cover_all_sums() {
        let rows = progression(0, 40, 3);
        let columns = progression(4, 4, 10);
        assert_eq!(rows.plus(columns), progression(4, 4, 30));
        assert_eq!(rows.plus(Progression::one(8)), progression(8, 40, 3));
        assert_eq!(Progression::unbounded(4, 8).plus(columns), Progression::unbounded(0, 4));
        assert_eq!(Progression::one(3).plus(Progression::one(-3)), Progression::one(0));
    }

    #[test]
    fn rows_with_gaps_stay_apart() {
        let sums = |left: Progression, right: Progression| {
            Offsets::of(left).plus(&Offsets::of(right)).iter().collect::<Vec<_>>()
        };
        // Two cells of four bytes at the start of rows of sixteen.
        assert_eq!(
            sums(progression(0, 16, 2), progression(0, 4, 2)),
            [progression(0, 16, 2), progression(4, 16, 2)]
        );
        assert_eq!(sums(progression(0, 40, 3), progression(0, 4, 10)), [progression(0, 4, 30)]);
        assert_eq!(sums(progression(0, 40, 3), progression(0, 4, 9)), [progression(0, 4, 29)]);
    }

    #[test]
    fn what_lies_in_an_object_is_kept() {
        assert_eq!(Progression::unbounded(4, 8).within(Some(28), 4), Some(progression(4, 8, 3)));
        assert_eq!(progression(-8, 4, 5).within(Some(100), 4), Some(progression(0, 4, 3)));
        assert_eq!(progression(-7, 4, 5).within(Some(100), 4), Some(progression(1, 4, 3)));
        assert_eq!(Progression::one(-1).within(None, 1), None);
        assert_eq!(Progression::one(8).within(Some(8), 1), None);
        assert_eq!(Progression::one(0).within(Some(8), 8), Some(Progression::one(0)));
    }

    #[test]
    fn progressions_meet_only_where_offsets_may_be_equal() {
        let even = Progression::unbounded(0, 2);
        assert!(!even.meets(Progression::one(3)) && even.meets(Progression::one(-4)));
        assert!(!progression(0, 4, 3).meets(progression(12, 4, 3)));
        assert!(progression(0, 4, 4).meets(progression(12, 8, 3)));
        assert!(!progression(0, 4, 4).meets(progression(2, 4, 4)));
    }
}
