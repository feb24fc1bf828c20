//! Integer vectors, kept primitive: divided by the greatest common divisor of their entries.

use dashu_int::ops::{Abs, Gcd};
use dashu_int::{IBig, UBig};

/// A vector of arbitrarily large integers.
pub(super) type Vector = Vec<IBig>;

/// The inner product.
pub(super) fn dot(left: &[IBig], right: &[IBig]) -> IBig {
    let mut sum = IBig::ZERO;
    for (a, b) in left.iter().zip(right) {
        if !a.is_zero() && !b.is_zero() {
            sum += a * b;
        }
    }
    sum
}

/// `a * left + b * right`, primitive.
pub(super) fn combine(a: &IBig, left: &[IBig], b: &IBig, right: &[IBig]) -> Vector {
    let mut sum: Vector = left.iter().zip(right).map(|(x, y)| a * x + b * y).collect();
    make_primitive(&mut sum);
    sum
}

/// Divides by the greatest common divisor of the entries.
pub(super) fn make_primitive(vector: &mut [IBig]) {
    let divisor = content(vector);
    if divisor > UBig::ONE {
        let divisor = IBig::from(divisor);
        for entry in vector {
            *entry /= &divisor;
        }
    }
}

/// The greatest common divisor of the entries; zero for the zero vector.
pub(super) fn content(vector: &[IBig]) -> UBig {
    let mut divisor = UBig::ZERO;
    for entry in vector {
        if !entry.is_zero() {
            let entry = entry.abs().unsigned_abs_value();
            divisor = if divisor.is_zero() { entry } else { divisor.gcd(entry) };
            if divisor.is_one() {
                break;
            }
        }
    }
    divisor
}

/// The magnitude of a number as an unsigned one.
trait UnsignedAbs {
    fn unsigned_abs_value(self) -> UBig;
}

impl UnsignedAbs for IBig {
    fn unsigned_abs_value(self) -> UBig {
        self.into_parts().1
    }
}

/// Whether all entries are zero.
pub(super) fn is_zero(vector: &[IBig]) -> bool {
    vector.iter().all(IBig::is_zero)
}

/// The vector with all signs flipped.
pub(super) fn negated(vector: &[IBig]) -> Vector {
    vector.iter().map(|entry| -entry).collect()
}
