//! Messages name the user's text and functions, say each thing once, and give advice that fits the cause.

use serde_json::Value;

use crate::support::{Finished, Folder, wayproof};

/// Checks a text as `a.c`.
fn check(name: &str, text: &str, options: &[&str]) -> Finished {
    let folder = Folder::new(&format!("messages-{name}"));
    let file = folder.file("a.c", text);
    let mut arguments =
        vec!["check".to_owned(), "--no-settings".to_owned(), "--timeout".to_owned(), "60".to_owned()];
    arguments.extend(options.iter().map(|option| (*option).to_owned()));
    arguments.push(file.display().to_string());
    wayproof(arguments)
}

#[test]
fn an_unsupported_construct_has_its_place_in_every_format() {
    let text = "#include <setjmp.h>\njmp_buf b;\nint main(void) {\n    return setjmp(b);\n}\n";
    let json = check("place-json", text, &["--format", "json"]);
    assert_eq!(json.code, 5, "{json:?}");
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    let reason = &document["reason"];
    assert_eq!(reason["code"], "unsupported", "{reason}");
    assert_eq!(
        (&reason["location"]["line"], &reason["location"]["column"]),
        (&4.into(), &12.into()),
        "{reason}"
    );
    let message = reason["message"].as_str().unwrap();
    assert!(message.starts_with("non-local jumps"), "{message}");
    let human = check("place-human", text, &[]);
    assert!(human.stdout.contains("a.c:4:12\n  4 | return setjmp(b);\n"), "{}", human.stdout);
    let page = check("place-annotate", text, &["--annotate"]);
    assert!(page.stdout.contains("// wayproof: not decided: non-local jumps"), "{}", page.stdout);
}

#[test]
fn a_call_that_is_refused_by_an_option_comes_with_what_to_do() {
    let text = "int f(void);\nint main(void) { return f(); }\n";
    let finished = check("extern-error", text, &["--extern", "error"]);
    let advice = "give the function a body, or use `--extern pure` or `--extern havoc`";
    assert!(finished.stdout.contains(&format!("what may help: {advice}")), "{}", finished.stdout);
    assert!(finished.stderr.contains(&format!("help: {advice}")), "{}", finished.stderr);
}

#[test]
fn what_a_function_without_body_may_change_is_said_once() {
    let text = "extern void reach_error(void);\nint f(int *);\nint g = 1;\n\
                int main(void) { int x = 0; int y = f(&x); if (y > 3 && y < 2 + (g != g)) reach_error(); return 0; }\n";
    let havoc = check("havoc", text, &["--extern", "havoc"]);
    assert_eq!(havoc.code, 0, "{havoc:?}");
    assert_eq!(havoc.stdout.matches("extern function `f`").count(), 1, "{}", havoc.stdout);
    assert!(!havoc.stdout.contains("writes nothing"), "{}", havoc.stdout);
    assert!(havoc.stdout.contains("may change global variables"), "{}", havoc.stdout);
    let pure = check("pure", text, &["--extern", "pure"]);
    assert!(pure.stdout.contains("`f` returns an arbitrary value and writes nothing"), "{}", pure.stdout);
}

#[test]
fn a_function_of_the_user_is_not_called_one_of_the_library() {
    let text = "extern void reach_error(void);\nint g;\nvoid f(void);\n\
                int main(void) { f(); if (g == 7) reach_error(); return 0; }\n";
    let finished = check("users", text, &["--extern", "havoc"]);
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(
        finished.stdout.contains("the counterexample depends on a value that `f` computes"),
        "{}",
        finished.stdout
    );
    assert!(!finished.stdout.contains("C library"), "{}", finished.stdout);
}

#[test]
fn inputs_are_shown_at_calls_in_the_users_text() {
    let text = "#include <stdio.h>\n#include <time.h>\nextern void reach_error(void);\n\
                static int next(void) {\n    return getchar();\n}\nint main(void) {\n    int c = next();\n    \
                if (c == 'x' && time(0) > 9) reach_error();\n    return 0;\n}\n";
    let human = check("inputs", text, &[]);
    assert_eq!(human.code, 10, "{human:?}");
    for place in ["a.c:5:12\n       5 | return getchar();", "a.c:9:21\n       9 | if (c == 'x'"] {
        assert!(human.stdout.contains(place), "{place}: {}", human.stdout);
    }
    assert!(!human.stdout.contains("models/"), "{}", human.stdout);
    let json = check("inputs-json", text, &["--format", "json"]);
    let document: Value = serde_json::from_str(&json.stdout).unwrap();
    let inputs = document["evidence"]["inputs"].as_array().unwrap();
    let lines: Vec<&Value> = inputs.iter().map(|input| &input["location"]["line"]).collect();
    assert_eq!(lines, [5, 9], "{}", json.stdout);
    assert!(inputs.iter().all(|input| input["location"]["file"].as_str().unwrap().ends_with("a.c")));
    let annotated = check("inputs-annotate", text, &["--annotate"]);
    assert!(
        annotated.stdout.contains("// wayproof: value: 120 (input 1)\n    return getchar();"),
        "{annotated:?}"
    );
}

#[test]
fn an_execution_that_needs_more_input_stops_at_the_users_call() {
    let folder = Folder::new("messages-run");
    let file = folder.file("a.c", "#include <stdio.h>\nint main(void) { return getchar(); }\n");
    let finished = wayproof(["run".as_ref(), file.as_os_str()]);
    assert!(finished.stderr.contains("a.c:2:25: add --input VALUE"), "{}", finished.stderr);
}

#[test]
fn several_executions_are_said_to_be_repeated_all() {
    let text = "extern void reach_error(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n\
                int main(void) { _Bool b = __VERIFIER_nondet_bool(); int a[2] = {1, 2}; if (a[b] > 2) reach_error(); return 0; }\n";
    let finished = check("executions", text, &[]);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.contains("executions were explored, and none"), "{}", finished.stdout);
    let again = "checked: all executions were explored again, with the same result";
    assert!(finished.stdout.contains(again), "{}", finished.stdout);
}

#[test]
fn functions_that_a_pointer_may_lead_to_are_told_apart() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                static int f(int x) { return 1; }\nstatic int g(int x) { return 2; }\n\
                int main(void) {\n  int n = __VERIFIER_nondet_int();\n  int (*p)(int) = n > 5 ? f : g;\n\
                if (p(3) == 2 && n > 5) reach_error();\n  return 0;\n}\n";
    let finished = check("function-pointer", text, &["--engine", "impact"]);
    assert_eq!(finished.code, 0, "{finished:?}");
}
