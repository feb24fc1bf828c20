//! Guided tests: how many questions they take where choices repeat, and that they notice when these must change.

use engine::{Env, Tuning};

use super::{solve, statistic, word};

/// The search on a program whose error its first test finds.
fn found(body: &str) -> Env {
    let (certified, env) = solve(body, "gps", Tuning::default());
    assert_eq!(word(&certified), "unsafe", "{body}: {:?}", certified.verdict());
    assert_eq!(statistic(&env, "tests"), 1, "{body}");
    env
}

#[test]
fn equal_rounds_are_leapt_over() {
    let program = |rounds: u32| {
        format!(
            "int main(void) {{ int n = 0, s = 0; while (n < {rounds}) {{ int c = IN(); if (c == 7) s++; n++; }}
             if (s == {rounds}) reach_error(); return 0; }}"
        )
    };
    let (few, many) = (found(&program(2000)), found(&program(200_000)));
    let queries = |env| statistic(env, "solver queries");
    assert!(
        queries(&few) < 400 && queries(&many) < queries(&few) + 100,
        "{} {}",
        queries(&few),
        queries(&many)
    );
    assert!(statistic(&many, "leaps") < 40);
    assert_eq!(statistic(&many, "choices remembered"), 200_000);
}

#[test]
fn choices_that_change_after_many_rounds_are_noticed() {
    // The guide tells when the 7 is of no use any more: leaps beyond that are taken back.
    for program in [
        "int main(void) { int n = 0, s = 0; while (n < 1001) { int c = IN();
         if (n < 1000) { if (c == 7) s++; } else if (c == 9) s++; n++; } if (s == 1001) reach_error(); return 0; }",
        "int main(void) { int s = 0, open = 0; while (!open) { int c = IN(); if (c == 7) s++;
         else if (c == 9 && s == 1000) open = 1; else s = 0; } reach_error(); return 0; }",
    ] {
        let env = found(program);
        assert!(statistic(&env, "solver queries") < 800, "{program}: {}", statistic(&env, "solver queries"));
        assert!(statistic(&env, "leaps") >= 5, "{program}");
    }
}

#[test]
fn leaps_cross_the_loops_of_a_nest() {
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
        let env = found(program);
        assert!(statistic(&env, "choices remembered") >= rounds, "{program}");
        assert!(statistic(&env, "solver queries") < 1500, "{program}: {}", statistic(&env, "solver queries"));
    }
}

#[test]
fn dead_states_are_recognised_again() {
    // What the guide rounds up turns out to be wrong after the first choice, in every test: a round is lost, whatever comes.
    let program = "int main(void) { int n = 0, s = 0, k = 0;
        while (n < 12) { int c = IN(); if (c > 0) { if ((c ^ (c >> 3)) == 777777) k++; else s++; } n++; }
        if (k >= 12 && s == 0) reach_error(); return 0; }";
    let (certified, env) = solve(program, "gps", Tuning::default());
    assert_ne!(word(&certified), "safe");
    assert!(statistic(&env, "dead states remembered") >= 5, "{:?}", env.statistics);
}

#[test]
fn a_test_of_many_equal_choices_ends() {
    // Without gas nothing makes the test change its choices: it ends by its allowance, and the search goes on.
    let program = "int main(void) { int s = 0, open = 0; while (!open) { int c = IN(); if (c == 7) s++;
        else if (c == 9 && s == 4) open = 1; else s = 0;
        if (s > 4) { int t = 1; while (t > 0) t = t ^ 2; s = 0; } } reach_error(); return 0; }";
    let (certified, env) = solve(program, "gps", Tuning { gas: false, ..Tuning::default() });
    assert_eq!(word(&certified), "unsafe", "{:?}", certified.verdict());
    assert!(statistic(&env, "tests") >= 2, "{:?}", env.statistics);
}

#[test]
fn loops_without_choices_take_one_step() {
    let (certified, env) = solve(
        "int main(void) { unsigned x = IN(), i = 0, s = 0; while (i < 2000000000) { i++; s += 2; }
         if (x == i / 2 + 5 && s > i) reach_error(); return 0; }",
        "gps",
        Tuning::default(),
    );
    assert_eq!(word(&certified), "unsafe");
    assert!(env.budget.spent() < 5_000_000, "{} ticks", env.budget.spent());
}
