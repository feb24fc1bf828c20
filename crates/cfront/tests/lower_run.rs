//! Programs run to their end, with the output that gcc's executable gives.

use std::path::Path;

use base::Budget;
use cfa::DataModel;
use cfront::{Input, Options, compile};
use interp::{Outcome, Uninitialised, Zero, run};

fn output(input: &Input, model: DataModel) -> (String, Outcome) {
    let compiled = match compile(std::slice::from_ref(input), &Options::new(model)) {
        Ok(compiled) => compiled,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    };
    let mut output = Vec::new();
    let mut budget = Budget::ticks(100_000_000);
    let run = run(&compiled.program, Uninitialised::Report, &mut Zero, &mut output, &mut budget);
    (String::from_utf8(output).expect("the output should be text"), run.outcome)
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower_programs");
    let expected = std::fs::read_to_string(folder.join(format!("{name}.expected")))
        .expect("the output should be stored");
    let input = Input::Path(folder.join(format!("{name}.c")));
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let (output, outcome) = output(&input, model);
        assert!(matches!(outcome, Outcome::Returned | Outcome::Exit { .. }), "{model}: {outcome:?}");
        assert_eq!(output, expected, "{model}");
    }
}

#[test]
fn calls() {
    check("calls");
}

#[test]
fn control() {
    check("control");
}

#[test]
fn models() {
    check("models");
}

#[test]
fn library() {
    check("library");
}

fn outcome(source: &str) -> Outcome {
    let input = Input::Text { name: "test.c".into(), text: source.as_bytes().into() };
    output(&input, DataModel::Lp64).1
}

fn is_undefined(body: &str) -> bool {
    let source = format!(
        "int a[3][4], *p; int use(int *q) {{ return *q; }} int main(void) {{ int n = 3; {body} return 0; }}"
    );
    matches!(outcome(&source), Outcome::Undefined { .. })
}

#[test]
fn undefined_behaviour_is_not_lost() {
    assert!(is_undefined("a[0][n + 1] = 1;"), "the flat index is in range, that of the dimension is not");
    assert!(!is_undefined("a[2][n] = 1;"));
    assert!(is_undefined("n / (n - 3);"), "a dropped value is computed");
    assert!(is_undefined("{ int x = 1; p = &x; } use(p);"));
    assert!(is_undefined("for (int i = 0; i < 2; i++) { int x = i; if (i) use(p); p = &x; }"));
    assert!(is_undefined("2147483640 + n * 3;"));
    assert!(!is_undefined("n == 3 || a[0][n + 7];"));
    assert!(is_undefined("struct { int x, y; } s; s.x = 1; if (s.y) n = 2;"));
    assert!(!is_undefined("struct S { int x, y; } s, *q = &s, t; s.x = 1; t = *q; s = t; n = s.x;"));
}

#[test]
fn the_error_is_reached_where_the_error_function_is_called() {
    let error = "void reach_error(void) {} int main(void) { int n = 0; while (n < 5) n++; if (n == 5) reach_error(); return 0; }";
    let Outcome::Error { region, .. } = outcome(error) else { panic!("the error should be reached") };
    assert_eq!((region.line, region.column), (1, 86));
    let ends = "void abort(void); void reach_error(void); int main(void) { abort(); reach_error(); }";
    assert!(matches!(outcome(ends), Outcome::Halted { .. }));
}

#[test]
fn translation_units_are_linked() {
    let unit = |name: &str, text: &str| Input::Text { name: name.into(), text: text.as_bytes().into() };
    let first = unit(
        "first.c",
        "struct S { int a; struct S *n; }; extern int shared; struct S make(int); int helper(struct S s);
         void exit(int); static int local(void) { return 1; }
         int main(void) { struct S s = make(4); exit(helper(s) + shared + local()); }",
    );
    let second = unit(
        "second.c",
        "struct S { int a; struct S *n; }; int shared = 10; static int local(void) { return 100; }
         struct S make(int x) { struct S s = { x, 0 }; struct S *p = &s; *p = s; return *p; }
         int helper(struct S s) { return s.a + local(); }",
    );
    let compiled = compile(&[first, second], &Options::new(DataModel::Lp64)).expect("it should compile");
    let mut budget = Budget::ticks(1_000_000);
    let run = run(&compiled.program, Uninitialised::Report, &mut Zero, &mut std::io::sink(), &mut budget);
    assert!(matches!(run.outcome, Outcome::Exit { status: 115 }), "{:?}", run.outcome);
}
