//! Integer vectors, kept primitive: divided by the greatest common divisor of their entries.

use term::Integer;

/// A vector of arbitrarily large integers.
pub(super) type Vector = Vec<Integer>;

/// The inner product.
pub(super) fn dot(left: &[Integer], right: &[Integer]) -> Integer {
    let mut sum = Integer::ZERO;
    for (a, b) in left.iter().zip(right) {
        if !a.is_zero() && !b.is_zero() {
            sum += &(a * b);
        }
    }
    sum
}

/// `a * left + b * right`, primitive.
pub(super) fn combine(a: &Integer, left: &[Integer], b: &Integer, right: &[Integer]) -> Vector {
    let mut sum: Vector = left.iter().zip(right).map(|(x, y)| a * x + b * y).collect();
    make_primitive(&mut sum);
    sum
}

/// Divides by the greatest common divisor of the entries.
pub(super) fn make_primitive(vector: &mut [Integer]) {
    let divisor = content(vector);
    if divisor > Integer::ONE {
        for entry in vector {
            *entry = entry.div_floor(&divisor);
        }
    }
}

/// The greatest common divisor of the entries; zero for the zero vector.
pub(super) fn content(vector: &[Integer]) -> Integer {
    let mut divisor = Integer::ZERO;
    for entry in vector {
        divisor = divisor.gcd(entry);
        if divisor.is_one() {
            break;
        }
    }
    divisor
}

/// Whether all entries are zero.
pub(super) fn is_zero(vector: &[Integer]) -> bool {
    vector.iter().all(Integer::is_zero)
}

/// The vector with all signs flipped.
pub(super) fn negated(vector: &[Integer]) -> Vector {
    vector.iter().map(|entry| -entry).collect()
}
