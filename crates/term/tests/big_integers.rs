//! Integers of up to 20,000 digits, compared with another library. The shapes are those on which algorithms for long
//! numbers change their method: neighbours of powers of two, equal and almost equal operands, small remainders of long
//! numbers, Fibonacci numbers, words of zeros.

use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use proptest::prelude::*;
use term::Integer;

/// About 20,000 decimal digits.
const MAX_BITS: u64 = 66_000;
const BITS_PER_WORD: usize = 64;

fn ours(number: &BigInt) -> Integer {
    number.to_string().parse().expect("digits should be read")
}

/// All operations on two numbers.
fn compare(a: &BigInt, b: &BigInt) {
    let (x, y) = (ours(a), ours(b));
    let same = |name: &str, actual: &Integer, expected: &BigInt| {
        assert!(actual.to_string() == expected.to_string(), "{name} of\n{a:x}\nand\n{b:x}");
    };
    same("text", &x, a);
    same("sum", &(&x + &y), &(a + b));
    same("difference", &(&x - &y), &(a - b));
    same("product", &(&x * &y), &(a * b));
    same("square", &(&x * &x), &(a * a));
    same("gcd", &x.gcd(&y), &a.gcd(b));
    same("gcd, turned around", &y.gcd(&x), &a.gcd(b));
    same("gcd of a sum", &(&x + &y).gcd(&x), &a.gcd(b));
    assert_eq!(x.cmp(&y), a.cmp(b));
    if b.sign() != Sign::NoSign {
        same("quotient, down", &x.div_floor(&y), &a.div_floor(b));
        same("quotient, up", &x.div_ceil(&y), &a.div_ceil(b));
        same("quotient of a product", &(&x * &y).div_floor(&y), a);
        same("remainder", &x.modulo(&y), &a.mod_floor(&BigInt::from(b.magnitude().clone())));
        if a.sign() != Sign::NoSign {
            same("lcm", &x.lcm(&y), &a.lcm(b));
        }
    }
}

fn power_of_two(exponent: u64) -> BigInt {
    BigInt::from(1) << exponent
}

/// A number of up to `words` words, of which some are zeros or ones in all bits.
fn of_words(words: usize) -> impl Strategy<Value = BigInt> {
    let word = prop_oneof![Just(0), Just(0), Just(u64::MAX), any::<u64>()];
    (prop::collection::vec(word, 0..=words), any::<bool>()).prop_map(|(words, is_negative)| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        BigInt::from_bytes_le(if is_negative { Sign::Minus } else { Sign::Plus }, &bytes)
    })
}

fn numbers() -> impl Strategy<Value = BigInt> {
    let exponent = 0..MAX_BITS;
    prop_oneof![
        exponent.clone().prop_map(power_of_two),
        exponent.prop_map(|exponent| power_of_two(exponent) - 1),
        of_words(3),
        of_words(40),
        of_words(150),
        of_words(MAX_BITS as usize / BITS_PER_WORD),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn unrelated_numbers(a in numbers(), b in numbers()) {
        compare(&a, &b);
    }

    #[test]
    fn equal_numbers_and_neighbours(a in numbers(), step in -2..=2) {
        compare(&a, &(&a + step));
        compare(&a, &-&a);
    }

    /// The first step of Euclid's algorithm is a division of numbers of nearly equal length, the second one is not:
    /// version 0.4.3 of the library reserved its memory for the first one and panicked in the second one.
    #[test]
    fn a_long_number_and_a_multiple_with_a_shorter_remainder(
        a in of_words(300), quotient in of_words(2), rest in of_words(150), shift in 0..64_u64
    ) {
        compare(&(&a * &quotient + &rest), &a);
        compare(&(&a + (&rest << shift)), &a);
    }

    #[test]
    fn common_factors(a in of_words(120), b in of_words(120), factor in of_words(120)) {
        compare(&(&a * &factor), &(&b * &factor));
    }

    #[test]
    fn an_inverse_of_a_long_number(a in of_words(40), modulus in of_words(40)) {
        let modulus = BigInt::from(modulus.magnitude().clone()) + 2;
        let (x, m) = (ours(&a), ours(&modulus));
        match x.inverse_modulo(&m) {
            Some(inverse) => prop_assert!((&x * &inverse).modulo(&m).is_one()),
            None => prop_assert!(a.gcd(&modulus) != BigInt::from(1)),
        }
    }
}

/// All quotients are one: Euclid's algorithm needs the most steps.
#[test]
fn neighbours_in_fibonacci_s_sequence() {
    let (mut a, mut b) = (BigInt::from(0), BigInt::from(1));
    for index in 1..=20_000 {
        (a, b) = (b.clone(), a + &b);
        if index % 2_000 == 0 || (90..=94).contains(&index) || (184..=188).contains(&index) {
            compare(&a, &b);
            compare(&(&a * &b), &(&b * &b));
        }
    }
}

#[test]
fn powers_of_two_are_those_of_the_other_library() {
    for exponent in (0..300).chain([4095, 4096, 65_535]) {
        assert_eq!(
            Integer::power_of_two(exponent).to_string(),
            power_of_two(u64::from(exponent)).to_string()
        );
    }
}
