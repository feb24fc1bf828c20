//! Proofs in bit-vectors: the same laws as for those in integers, and that a proof of one program is none of a program that differs in one operation.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use base::Budget;
use certify::certify;
use cfa::{DataModel, Program};
use engine::{Env, Part, Recorder, Settings};
use passes::Prepared;
use verdict::{Annotation, LogicName, Proof, Verdict};

use crate::cases::Case;
use crate::{Answer, answer, execute, mutate};

/// The most that the check of a mutant may cost.
const EFFORT: u64 = 2_000;

/// One of so many mutants is tried on a program that fails.
const STEP: usize = 3;

fn compiled(text: &str) -> Program {
    let input = cfront::Input::Text { name: "test.c".to_owned(), text: text.as_bytes().into() };
    cfront::compile(&[input], &cfront::Options::new(DataModel::Lp64)).expect("it should compile").program
}

/// What k-induction in bits says of a program, after the check.
fn verdict(task: &Prepared<'_>) -> Verdict {
    let settings = Settings::leaving_out([Part::Integers]).without_executions();
    let engine = engines::find("kind").expect("the engine should exist").create(&settings);
    let recorder = Recorder::default();
    let mut env = Env::new(Budget::ticks(1 << 16), &recorder);
    let verdict = engine.expect("the engine should know bits").solve(task, &mut env);
    certify(task, verdict, &mut Budget::unlimited()).verdict().clone()
}

fn text_of(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bits_unbounded");
    fs::read_to_string(folder.join(name)).expect("the program should be readable")
}

/// The programs of tests/bits_unbounded that are safe, with their proofs.
fn cases() -> Vec<Case> {
    let names = ["crc8.c", "one_bit.c", "rotation.c", "saturating.c", "two_steps.c", "xor_swap.c"];
    let mut cases = Vec::new();
    for name in names {
        let program = compiled(&text_of(name));
        let annotation = match verdict(&Prepared::of(&program)) {
            Verdict::Safe(Proof::Annotation(annotation)) => Arc::clone(&annotation),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(annotation.logic, LogicName::Bits, "{name}");
        cases.push(Case { name: name.to_owned(), program, annotation });
    }
    cases
}

#[test]
fn what_is_unsafe_is_found_in_bits() {
    let program = compiled(&text_of("rotation_bad.c"));
    let verdict = verdict(&Prepared::of(&program));
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
}

#[test]
fn proofs_in_bits_are_read_back_and_their_mutants_are_rejected_or_still_proofs() {
    let (mut accepted, mut rejected, mut given_up) = (0, 0, 0);
    for case in cases() {
        let text = case.annotation.to_string();
        let read: Annotation = text.parse().expect("what is written should be read");
        assert_eq!(read, *case.annotation, "{}", case.name);
        let task = Prepared::of(&case.program);
        let budget = &mut Budget::unlimited();
        assert_eq!(answer(&task, read, budget), Answer::Accepted, "{}", case.name);
        for mutant in mutate::mutants(&case.annotation) {
            match answer(&task, mutant.annotation.clone(), &mut Budget::ticks(EFFORT)) {
                Answer::Accepted => {
                    accepted += 1;
                    let found = execute::counterexample(task.program(), &mutant.annotation);
                    assert_eq!(found, None, "{}: {} is accepted", case.name, mutant.what);
                }
                Answer::Rejected => rejected += 1,
                Answer::GaveUp => given_up += 1,
            }
        }
    }
    println!("{accepted} accepted, {rejected} rejected, {given_up} given up");
    // Many candidates that were kept are not needed.
    let all = rejected + accepted + given_up;
    assert!(rejected > 100 && rejected * 3 >= all && given_up * 10 < all);
}

/// In each pair, the program with the second text in the place of the first is unsafe.
const BROKEN: [(&str, &str, &str); 5] = [
    (
        "rotation.c",
        "y = (y << by) | (y >> ((32u - by) & 31u));",
        "y = (y << by) | (y >> ((31u - by) & 31u));",
    ),
    ("xor_swap.c", "b ^= mask;", "b ^= mask & 0xFFFFFFFEu;"),
    ("saturating.c", "sum |= -(unsigned int)(sum < x);", "sum |= -(unsigned int)(sum < x / 2u);"),
    ("crc8.c", "mask & 0x07", "mask & 0x03"),
    ("two_steps.c", "c = 4;", "c = 1;"),
];

#[test]
fn neither_a_proof_in_bits_nor_a_mutant_of_it_is_one_of_a_program_that_fails() {
    let cases = cases();
    for (name, right, wrong) in BROKEN {
        let text = text_of(name);
        assert!(text.contains(right), "{name}");
        let program = compiled(&text.replace(right, wrong));
        let case = cases.iter().find(|case| case.name == name).expect("there should be a proof");
        let task = Prepared::of(&program);
        let found = answer(&task, (*case.annotation).clone(), &mut Budget::unlimited());
        assert_eq!(found, Answer::Rejected, "{name}");
        for mutant in mutate::mutants(&case.annotation).into_iter().step_by(STEP) {
            let found = answer(&task, mutant.annotation, &mut Budget::ticks(EFFORT));
            assert_ne!(found, Answer::Accepted, "{name}: {} is accepted", mutant.what);
        }
    }
}
