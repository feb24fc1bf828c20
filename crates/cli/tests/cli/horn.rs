//! `wayproof horn`.

use crate::support::{Folder, wayproof};

#[test]
fn a_solution_is_printed_and_spacer_agrees() {
    let finished =
        wayproof(["horn", "examples/counter.smt2", "--model", "--against", "spacer", "--timeout", "20"]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.starts_with("sat\n(\n  (define-fun |inv| "), "{finished:?}");
    assert!(finished.stdout.contains("; Spacer: "), "{finished:?}");
}

#[test]
fn a_derivation_is_printed_and_spacer_agrees() {
    let finished = wayproof([
        "horn",
        "examples/mccarthy.smt2",
        "--derivation",
        "--against",
        "spacer",
        "--timeout",
        "20",
    ]);
    assert_eq!(finished.code, 10, "{finished:?}");
    assert!(finished.stdout.starts_with("unsat\n1: (|mc| "), "{finished:?}");
    assert!(finished.stdout.ends_with("; Spacer: unsat\n"), "{finished:?}");
}

#[test]
fn a_file_that_is_no_system_is_refused_with_its_place() {
    let folder = Folder::new("horn");
    let file = folder.file("arrays.smt2", "(set-logic HORN)\n(declare-fun P ((Array Int Int)) Bool)\n");
    let finished = wayproof(["horn", file.to_str().unwrap()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{finished:?}");
    assert!(finished.stderr.contains("unsupported: sort Array"), "{finished:?}");
    assert!(finished.stderr.contains("arrays.smt2:2:17"), "{finished:?}");
    let missing = wayproof(["horn", "no-such-file.smt2"]);
    assert_eq!(missing.code, 1, "{missing:?}");
}

#[test]
fn the_time_limit_ends_in_unknown_with_a_reason() {
    let folder = Folder::new("horn-time");
    // The solution has a square; no fact of linear arithmetic is enough.
    let text = "(set-logic HORN)
(declare-fun P (Int Int Int) Bool)
(assert (P 0 0 0))
(assert (forall ((i Int) (s Int) (n Int)) (=> (P i s n) (P (+ i 1) (+ s i i 1) n))))
(assert (forall ((i Int) (s Int) (n Int)) (=> (and (P i s n) (= s 1000003)) false)))
";
    let file = folder.file("square.smt2", text);
    let finished = wayproof(["horn", file.to_str().unwrap(), "--timeout", "1"]);
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (5, "unknown\n; time limit reached\n"),
        "{finished:?}"
    );
}
