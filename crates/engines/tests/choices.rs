//! Counterexamples whose choices can be told apart by their operations and activations only: the passes remove some of them, or copy them.

use base::Budget;
use certify::certify;
use engine::{Env, Recorder, Settings};
use passes::Prepared;
use verdict::Verdict;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#define IN() __VERIFIER_nondet_int()\n\
     static int get(void) { return IN(); }\n";

/// The error takes two values that no other choice may have.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "two calls on one line, of which the first does not matter",
        "int main(void) { int junk = IN(), x = IN(), y = IN(); (void) junk; if (x - y == 4711 && y > 5) reach_error(); return 0; }",
    ),
    (
        "two calls in one macro, of which the first does not matter",
        "#define READ(a, b) do { a = IN(); b = IN(); } while (0)
         int main(void) { int junk, x, y; READ(junk, x); READ(junk, y); if (x - y == 4711 && y > 5) reach_error(); return junk; }",
    ),
    (
        "the same function inlined twice",
        "int main(void) { get(); int x = get(); get(); int y = get(); if (x - y == 4711 && y > 5) reach_error(); return 0; }",
    ),
    (
        "a function that is inlined in one that is inlined",
        "static int two(void) { int junk = get(); int x = get(); return x - junk * 0; }
         int main(void) { int x = two(), y = two(); if (x - y == 4711 && y > 5) reach_error(); return 0; }",
    ),
    (
        "a loop in between",
        "int main(void) { int x = get(); for (int i = 0; i < 3; i++) { get(); }
         int y = 0; for (int i = 0; i < 3; i++) { y = get(); } if (x - y == 4711 && y > 5) reach_error(); return 0; }",
    ),
    (
        "choices of a loop in their order",
        "int main(void) { int a[3]; for (int i = 0; i < 3; i++) { get(); a[i] = get(); }
         if (a[0] - a[1] == 4711 && a[1] - a[2] == 17 && a[2] > 5) reach_error(); return 0; }",
    ),
];

#[test]
fn a_choice_answers_the_operation_and_the_activation_that_it_was_made_for() {
    for (name, body) in PROGRAMS {
        let text = format!("{PRELUDE}{body}").into_bytes().into();
        let input = cfront::Input::Text { name: "test.c".to_owned(), text };
        let options = cfront::Options::new(cfa::DataModel::Lp64);
        let program = cfront::compile(&[input], &options).expect("the program should compile").program;
        let task = Prepared::of(&program);
        for engine in ["gps", "impact"] {
            let spec = engines::find(engine).expect("the engine should exist");
            let recorder = Recorder::default();
            let mut env = Env::new(Budget::ticks(1 << 20), &recorder);
            let verdict = (spec.configure)(&Settings::default()).solve(&task, &mut env);
            let certified = certify(&task, verdict, &mut Budget::unlimited());
            assert!(matches!(certified.verdict(), Verdict::Unsafe(_)), "{name}, {engine}: {certified:?}");
        }
    }
}
