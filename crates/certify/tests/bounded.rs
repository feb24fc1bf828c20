//! Bounded proofs are accepted if all executions end within the bound and none reaches the error, and rejected otherwise.

use base::Budget;
use certify::certify;
use cfa::Program;
use passes::Prepared;
use verdict::{Bounded, LogicName, Proof, Reason, Verdict};

const PRELUDE: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern double __VERIFIER_nondet_double(void);\n\
                       extern void reach_error(void); int main(void) {";

fn program(body: &str) -> Program {
    let text = format!("{PRELUDE} {body} return 0; }}\n").into_bytes().into();
    let input = cfront::Input::Text { name: "test.c".to_owned(), text };
    cfront::compile(&[input], &cfront::Options::new(cfa::DataModel::Lp64)).expect("it should compile").program
}

/// What becomes of the claim that a program is safe within a bound.
fn check(body: &str, logic: LogicName, iterations: u32) -> Result<(), Reason> {
    let program = program(body);
    let proof = Proof::Bounded(Bounded { logic, iterations });
    match certify(&Prepared::of(&program), Verdict::Safe(proof), &mut Budget::ticks(200_000)).verdict() {
        Verdict::Safe(_) => Ok(()),
        Verdict::Unknown(reason) => Err(reason.clone()),
        Verdict::Unsafe(_) => panic!("a proof should not become a trace"),
    }
}

fn is_rejected(body: &str, logic: LogicName, iterations: u32) -> bool {
    matches!(check(body, logic, iterations), Err(Reason::NotCertified { .. }))
}

/// At most eight bits are set in a byte.
const POPCOUNT: &str = "unsigned x = __VERIFIER_nondet_uint() & 255u, n = 0; while (x) { x &= x - 1; n++; } \
                        if (n > 8) reach_error();";

#[test]
fn a_bound_is_accepted_only_if_no_execution_goes_beyond() {
    assert_eq!(check(POPCOUNT, LogicName::Bits, 9), Ok(()));
    assert_eq!(check(POPCOUNT, LogicName::Bits, 17), Ok(()));
    for iterations in [0, 1, 2, 7, 8] {
        assert!(is_rejected(POPCOUNT, LogicName::Bits, iterations), "{iterations}");
    }
}

#[test]
fn a_program_that_fails_is_rejected_whatever_the_bound_is() {
    let broken = POPCOUNT.replace("n > 8", "n > 7");
    for iterations in [0, 1, 9, 33] {
        assert!(is_rejected(&broken, LogicName::Bits, iterations), "{iterations}");
    }
    let endless = "unsigned n = 0; while (__VERIFIER_nondet_uint()) { if (n == 200) reach_error(); n++; }";
    for logic in [LogicName::Bits, LogicName::Integers] {
        for iterations in [1, 9, 33, 250] {
            assert!(is_rejected(endless, logic, iterations), "{logic:?} {iterations}");
        }
    }
}

#[test]
fn a_proof_counts_only_in_the_logic_that_it_names() {
    // The product wraps around, which integers do not follow.
    let product = "unsigned x = __VERIFIER_nondet_uint(); if ((x * x) % 4 == 2) reach_error();";
    assert_eq!(check(product, LogicName::Bits, 1), Ok(()));
    assert!(is_rejected(product, LogicName::Integers, 1));
    let linear = "unsigned n = 0; for (int i = 0; i < 40; i++) n += 2; if (n != 80) reach_error();";
    for logic in [LogicName::Bits, LogicName::Integers] {
        assert_eq!(check(linear, logic, 41), Ok(()), "{logic:?}");
        assert!(is_rejected(linear, logic, 40), "{logic:?}");
    }
}

#[test]
fn floating_point_numbers_are_exact() {
    let safe =
        "double x = __VERIFIER_nondet_double(); if (x > 1.0 && x < 2.0 && x + 1.0 < 2.0) reach_error();";
    assert_eq!(check(safe, LogicName::Bits, 1), Ok(()));
    let rounded = "double x = __VERIFIER_nondet_double(); if (x > 1.0 && x + 1.0 == x) reach_error();";
    assert!(is_rejected(rounded, LogicName::Bits, 1));
    assert!(is_rejected(
        "double x = __VERIFIER_nondet_double(); if (x != x) reach_error();",
        LogicName::Bits,
        1
    ));
}

#[test]
fn nested_loops_and_loops_in_sequence_are_bounded_each_time_they_are_entered() {
    let nested = "unsigned n = 0, a = __VERIFIER_nondet_uint() % 4; \
                  for (unsigned i = 0; i < a; i++) { unsigned b = __VERIFIER_nondet_uint() % 4; while (b) { b--; n++; } } \
                  for (unsigned i = 0; i < a; i++) n++; if (n > 12) reach_error();";
    assert_eq!(check(nested, LogicName::Bits, 5), Ok(()));
    assert!(is_rejected(nested, LogicName::Bits, 3));
    let broken = nested.replace("n > 12", "n > 11");
    assert!(is_rejected(&broken, LogicName::Bits, 5));
}
