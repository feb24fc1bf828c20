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
    let file = folder.file("arrays.smt2", "(set-logic HORN)\n(declare-fun P ((Array Int Real)) Bool)\n");
    let finished = wayproof(["horn", file.to_str().unwrap()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""), "{finished:?}");
    assert!(finished.stderr.contains("unsupported: sort Real"), "{finished:?}");
    assert!(finished.stderr.contains("arrays.smt2:2:28"), "{finished:?}");
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

#[test]
fn a_program_is_written_as_clauses_that_say_what_the_verdict_says() {
    let folder = Folder::new("horn-emit");
    let program = folder.file(
        "steps.c",
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int steps(int n) { if (n <= 0) return 0; int a = steps(n / 2); return a + steps(n - n / 2 - 1) + 1; }
int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; if (steps(n) > n) reach_error(); return 0; }
",
    );
    let (program, clauses) = (program.to_str().unwrap(), folder.path().join("steps.smt2"));
    let clauses = clauses.to_str().unwrap();
    for _ in 0..2 {
        // The second run may write over what the first one wrote.
        let finished = wayproof(["check", "--emit-chc", clauses, "--timeout", "60", program]);
        assert_eq!(finished.code, 0, "{finished:?}");
    }
    let solved = wayproof(["horn", clauses, "--timeout", "60"]);
    assert_eq!((solved.code, solved.stdout.as_str()), (0, "sat\n"), "{solved:?}");
    let refused = wayproof(["check", "--emit-chc", program, program]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let audited = wayproof(["check", "--check", "all", "--emit-chc", clauses, program]);
    assert_eq!(audited.code, 1, "{audited:?}");
    assert!(audited.stderr.contains("--emit-chc is about one property"), "{audited:?}");
}

#[test]
fn arrays_of_a_program_are_arrays_of_its_clauses() {
    let folder = Folder::new("horn-arrays");
    let text = |value: i32| {
        format!(
            "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[10];
int main(void) {{
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 10) return 0;
  for (int i = 0; i < n; i++) a[i] = 1;
  for (int i = 0; i < n; i++) if (a[i] != {value}) reach_error();
  return 0;
}}
"
        )
    };
    for (value, verdict, answer) in [(1, 0, "sat\n"), (2, 10, "unsat\n")] {
        let program = folder.file(&format!("filled{value}.c"), text(value));
        let clauses = folder.path().join(format!("filled{value}.smt2"));
        let (program, clauses) = (program.to_str().unwrap(), clauses.to_str().unwrap());
        let checked =
            wayproof(["check", "--check", "none", "--emit-chc", clauses, "--timeout", "60", program]);
        assert_eq!(checked.code, verdict, "{checked:?}");
        let solved = wayproof(["horn", clauses, "--timeout", "60"]);
        assert_eq!(solved.stdout, answer, "{solved:?}");
    }
}
