//! Facts about sums of floating-point numbers.
//!
//! Rounding is monotonic and symmetric: of two sums whose operands are in order the results are in order, also if the signs of one are changed. And a number that is finite stays finite if less than
//! half of the distance between the largest numbers is added. A solver that has adders only as circuits finds neither within minutes, so both are stated: of each sum of a piece, and of each pair of sums.
//! A difference is the sum with the second operand negated, and the double of a number is its sum with itself.
//!
//! # Invariants
//! * M1: every fact holds for all encodings, infinities and those that are no number included: it excludes no execution wherever it is stated.
//!
//! # Cost
//! Comparisons, which are small beside adders: eight for each pair of the first [`MAX_SUMS`] sums of a piece.

use term::{BvOp, FloatFormat, FloatOp, Integer, TermId, Terms};

/// Sums of a piece that are compared with each other.
const MAX_SUMS: usize = 8;

/// The sum of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatSum {
    format: FloatFormat,
    operands: [TermId; 2],
    result: TermId,
}

impl FloatSum {
    /// What an operation adds, if it adds; the result is a number, or the encoding of all that is none.
    pub(super) fn of(
        terms: &mut Terms,
        format: FloatFormat,
        op: FloatOp,
        (left, right): (TermId, TermId),
        result: TermId,
    ) -> Option<Self> {
        let operands = match op {
            FloatOp::Add => [left, right],
            FloatOp::Sub => [left, terms.float_neg(format, right)],
            FloatOp::Mul => {
                let two = terms.bv_number(format.width(), Integer::from(format.power_of_two(1)));
                let doubled =
                    [(left, right), (right, left)].into_iter().find(|(_, factor)| *factor == two)?.0;
                [doubled, doubled]
            }
            _ => return None,
        };
        // Of zero nothing is to be said.
        if operands[1] == terms.float_neg(format, operands[0]) {
            return None;
        }
        Some(Self { format, operands, result })
    }

    fn negated(self, terms: &mut Terms) -> Self {
        let mut negated = |number| terms.float_neg(self.format, number);
        Self { format: self.format, operands: self.operands.map(&mut negated), result: negated(self.result) }
    }
}

/// The sums of a piece, in order.
#[derive(Debug, Default)]
pub(crate) struct FloatSums(Vec<FloatSum>);

impl FloatSums {
    /// Adds a sum; returns what holds of it and of those before.
    pub(super) fn add(&mut self, terms: &mut Terms, sum: FloatSum) -> Vec<TermId> {
        if self.0.len() >= MAX_SUMS || self.0.contains(&sum) {
            return Vec::new();
        }
        let mut facts = finite(terms, sum).to_vec();
        for other in self.0.iter().filter(|other| other.format == sum.format) {
            facts.extend(ordered(terms, sum, *other));
            let negated = other.negated(terms);
            facts.extend(ordered(terms, sum, negated));
        }
        self.0.push(sum);
        facts
    }
}

/// A finite number plus a small one is finite.
fn finite(terms: &mut Terms, sum: FloatSum) -> [TermId; 2] {
    let format = sum.format;
    // The largest number plus half of its last place is rounded to infinity; this is a quarter of it.
    let largest_exponent = (1 << (format.exponent() - 1)) - 1;
    let small = format.power_of_two(largest_exponent - format.precision() - 1);
    let small = terms.bv_number(format.width(), Integer::from(small));
    let is_finite = terms.float_is_finite(format, sum.result);
    [(0, 1), (1, 0)].map(|(first, second)| {
        let first = terms.float_is_finite(format, sum.operands[first]);
        let magnitude = terms.float_abs(format, sum.operands[second]);
        let second = terms.bv(BvOp::Float(format, FloatOp::Le), &[magnitude, small]);
        let both = terms.and([first, second]);
        terms.implies(both, is_finite)
    })
}

/// If the operands of two sums are in order, so are the sums.
fn ordered(terms: &mut Terms, left: FloatSum, right: FloatSum) -> Vec<TermId> {
    let mut facts = Vec::new();
    for (less, more) in [(left, right), (right, left)] {
        for swapped in [more.operands, [more.operands[1], more.operands[0]]] {
            let mut at_most = |a, b| terms.bv(BvOp::Float(left.format, FloatOp::Le), &[a, b]);
            let operands = [at_most(less.operands[0], swapped[0]), at_most(less.operands[1], swapped[1])];
            let results = at_most(less.result, more.result);
            // Opposite infinities have no sum.
            let numbers = [less.result, more.result].map(|result| terms.float_is_number(left.format, result));
            let premise = terms.and(operands.into_iter().chain(numbers));
            facts.push(terms.implies(premise, results));
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specials(format: FloatFormat) -> Vec<u64> {
        let (infinity, sign) = (format.infinity(), format.sign_bit());
        let largest_exponent = (1 << (format.exponent() - 1)) - 1;
        let near = |exponent: u32| format.power_of_two(exponent);
        let mut found =
            vec![0, 1, infinity - 1, infinity - 2, infinity, infinity + 1, infinity | format.quiet_bit()];
        found.extend([near(0), near(0) + 1, near(1), near(format.precision()), near(format.precision() - 1)]);
        found.extend((0..4).map(|less| near(largest_exponent - format.precision() + 1 - less)));
        found.extend(found.clone().into_iter().map(|encoding| encoding | sign));
        found
    }

    /// M1, on all quadruples of special numbers.
    #[test]
    fn facts_about_sums_hold_for_all_numbers() {
        let mut facts = 0;
        for format in [FloatFormat::Single, FloatFormat::Double] {
            let specials = specials(format);
            for (number, a) in specials.iter().enumerate() {
                let mut terms = Terms::new();
                for b in &specials {
                    // Every other operand for each fourth pair: all would be a million.
                    for c in specials.iter().skip(number % 2).step_by(2) {
                        for d in specials.iter().skip(number % 3).step_by(3) {
                            let [a, b, c, d] = [a, b, c, d]
                                .map(|bits| terms.bv_number(format.width(), Integer::from(*bits)));
                            let mut sums = FloatSums::default();
                            for (op, pair) in [(FloatOp::Add, (a, b)), (FloatOp::Sub, (c, d))] {
                                let result = terms.bv(BvOp::Float(format, op), &[pair.0, pair.1]);
                                let sum = FloatSum::of(&mut terms, format, op, pair, result);
                                for fact in sum.into_iter().flat_map(|sum| sums.add(&mut terms, sum)) {
                                    assert_eq!(fact, Terms::TRUE, "{op:?} of {pair:?}");
                                    facts += 1;
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(facts > 1_000_000, "{facts} facts");
    }

    #[test]
    fn the_double_of_a_number_is_its_sum_with_itself() {
        for format in [FloatFormat::Single, FloatFormat::Double] {
            let mut terms = Terms::new();
            for bits in specials(format) {
                let two = terms.bv_number(format.width(), Integer::from(format.power_of_two(1)));
                let number = terms.bv_number(format.width(), Integer::from(bits));
                let product = terms.bv(BvOp::Float(format, FloatOp::Mul), &[two, number]);
                let sum =
                    FloatSum::of(&mut terms, format, FloatOp::Mul, (two, number), product).expect("a sum");
                let added = terms.bv(BvOp::Float(format, FloatOp::Add), &sum.operands);
                assert_eq!(added, product);
            }
        }
    }
}
