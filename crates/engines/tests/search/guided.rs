//! Guided tests: how many questions they take where choices repeat, and that they notice when these must change.

use engine::{Counter, Part};

use super::{Run, solve, word};

/// The search on a program whose error its first test finds.
fn found(body: &str) -> Run {
    let run = solve(body, "gps", &[]);
    assert_eq!(word(&run.certified), "unsafe", "{body}: {:?}", run.certified.verdict());
    assert_eq!(run.total(Counter::Tests), 1, "{body}");
    run
}

#[test]
fn equal_iterations_take_few_queries() {
    let program = |rounds: u32| {
        format!(
            "int main(void) {{ int n = 0, s = 0; while (n < {rounds}) {{ int c = IN(); if (c == 7) s++; n++; }}
             if (s == {rounds}) reach_error(); return 0; }}"
        )
    };
    let (few, many) = (found(&program(2000)), found(&program(200_000)));
    let queries = |run: &Run| run.total(Counter::SolverQueries);
    assert!(
        queries(&few) < 400 && queries(&many) < queries(&few) + 100,
        "{} {}",
        queries(&few),
        queries(&many)
    );
    assert!(many.total(Counter::Skips) < 40);
    assert_eq!(many.total(Counter::ChoicesRemembered), 200_000);
}

#[test]
fn choices_that_change_after_many_rounds_are_noticed() {
    // The guide tells when the 7 is of no use any more: skips beyond that are undone.
    for program in [
        "int main(void) { int n = 0, s = 0; while (n < 1001) { int c = IN();
         if (n < 1000) { if (c == 7) s++; } else if (c == 9) s++; n++; } if (s == 1001) reach_error(); return 0; }",
        "int main(void) { int s = 0, open = 0; while (!open) { int c = IN(); if (c == 7) s++;
         else if (c == 9 && s == 1000) open = 1; else s = 0; } reach_error(); return 0; }",
    ] {
        let run = found(program);
        assert!(run.total(Counter::SolverQueries) < 800, "{program}: {}", run.total(Counter::SolverQueries));
        assert!(run.total(Counter::Skips) >= 5, "{program}");
    }
}

#[test]
fn skips_cross_the_loops_of_a_nest() {
    for (rounds, program) in [
        (
            5000,
            "int main(void) { int s = 0; for (int i = 0; i < 100; i++) for (int j = 0; j < 50; j++) if (IN() == 7) s++;
             if (s == 5000) reach_error(); return 0; }",
        ),
        // Two points that choose different values in turn.
        (
            5000,
            "int main(void) { int s = 0, t = 0, n = 0; while (n < 3000) { if (IN() == 7) s++; n++;
             if (n % 3 == 0) { int m = 0; while (m < 2) { if (IN() == 9) t++; m++; } } }
             if (s == 3000 && t == 2000) reach_error(); return 0; }",
        ),
    ] {
        let run = found(program);
        assert!(run.total(Counter::ChoicesRemembered) >= rounds, "{program}");
        assert!(run.total(Counter::SolverQueries) < 1500, "{program}: {}", run.total(Counter::SolverQueries));
    }
}

#[test]
fn dead_states_are_recognised_again() {
    // What the guide rounds up turns out to be wrong after the first choice, in every test: a round is lost, whatever comes.
    let program = "int main(void) { int n = 0, s = 0, k = 0;
        while (n < 12) { int c = IN(); if (c > 0) { if ((c ^ (c >> 3)) == 777777) k++; else s++; } n++; }
        if (k >= 12 && s == 0) reach_error(); return 0; }";
    // In bits nothing is rounded up.
    let run = solve(program, "gps", &[Part::Bits]);
    assert_ne!(word(&run.certified), "safe");
    assert!(run.total(Counter::DeadStatesRemembered) >= 5, "{:?}", run.recorder.statistics());
}

#[test]
fn a_test_of_many_equal_choices_ends() {
    // Without gas nothing makes the test change its choices: it ends by its allowance, and the search goes on.
    let program = "int main(void) { int s = 0, open = 0; while (!open) { int c = IN(); if (c == 7) s++;
        else if (c == 9 && s == 4) open = 1; else s = 0;
        if (s > 4) { int t = 1; while (t > 0) t = t ^ 2; s = 0; } } reach_error(); return 0; }";
    let run = solve(program, "gps", &[Part::Gas]);
    assert_eq!(word(&run.certified), "unsafe", "{:?}", run.certified.verdict());
    assert!(run.total(Counter::Tests) >= 2, "{:?}", run.recorder.statistics());
}

#[test]
fn loops_without_choices_take_one_step() {
    let run = solve(
        "int main(void) { unsigned x = IN(), i = 0, s = 0; while (i < 2000000000) { i++; s += 2; }
         if (x == i / 2 + 5 && s > i) reach_error(); return 0; }",
        "gps",
        &[],
    );
    assert_eq!(word(&run.certified), "unsafe");
    assert!(run.spent < 5_000_000, "{} ticks", run.spent);
}
