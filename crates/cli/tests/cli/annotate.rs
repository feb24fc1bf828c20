//! `check --annotate`: the source with the answer as comments.

use expect_test::expect;

use crate::support::{Folder, wayproof};

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int i = 0;
    while (__VERIFIER_nondet_int()) {
        if (i < 10) { i++; }
    }
    if (i > LIMIT) \\
        { reach_error(); }
    return 0;
}
";

#[test]
fn invariants_stand_above_their_loops() {
    let folder = Folder::new("annotate-safe");
    let file = folder.file("a.c", LOOP.replace("LIMIT", "10"));
    let finished = wayproof(["check", "--annotate", file.to_str().unwrap()]);
    assert_eq!(finished.code, 0, "{finished:?}");
    expect![[r#"
        // wayproof: SAFE: unreach-call holds
        extern int __VERIFIER_nondet_int(void);
        extern void reach_error(void);
        int main(void) {
            int i = 0;
            // wayproof: invariant, whenever the condition is evaluated: i >= 0 && i <= 10
            while (__VERIFIER_nondet_int()) {
                if (i < 10) { i++; }
            }
            if (i > 10) \
                { reach_error(); }
            return 0;
        }
    "#]]
    .assert_eq(&finished.stdout);
}

#[test]
fn inputs_and_violation_stand_above_their_lines() {
    let folder = Folder::new("annotate-unsafe");
    let file = folder.file("a.c", LOOP.replace("LIMIT", "1"));
    let copy = folder.path().join("b.c");
    let output = format!("annotate={}", copy.display());
    let finished = wayproof(["check", "--no-exec", "--output", &output, file.to_str().unwrap()]);
    assert_eq!(finished.code, 10, "{finished:?}");
    let text = std::fs::read_to_string(copy).unwrap().replace(&*folder.path().to_string_lossy(), "");
    expect![[r#"
        // wayproof: UNSAFE: the error is reached at /a.c:9:11
        extern int __VERIFIER_nondet_int(void);
        extern void reach_error(void);
        int main(void) {
            int i = 0;
            // wayproof: values, in order: 1 (input 1), 1 (input 2), 0 (input 3)
            while (__VERIFIER_nondet_int()) {
                if (i < 10) { i++; }
            }
            // wayproof: VIOLATION
            if (i > 1) \
                { reach_error(); }
            return 0;
        }
    "#]]
    .assert_eq(&text);
    // Without what was added it is the text.
    let kept: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("// wayproof")).collect();
    assert_eq!(kept.join("\n") + "\n", LOOP.replace("LIMIT", "1"));
}

/// McCarthy's function, whose contract needs two clauses.
const CONTRACT: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
BEFOREint m91(int n) {
    if (n > 100) { return n - 10; }
    return m91(m91(n + 11));
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 100 && n > -1000 && m91(n) != 91) { reach_error(); }
    return 0;
}
";

/// What is added to the program with a text before the function: from the first line with a contract up to that with the function.
fn contract(name: &str, before: &str) -> String {
    let folder = Folder::new(&format!("annotate-contract-{name}"));
    let file = folder.file("a.c", CONTRACT.replace("BEFORE", before));
    let words = ["check", "--annotate", "--check", "none", "--engine", "recmc"];
    let finished = wayproof(words.into_iter().chain(file.to_str()));
    assert_eq!(finished.code, 0, "{finished:?}");
    // Comments do not change the program.
    let copy = folder.file("b.c", &finished.stdout);
    let words = ["check", "--check", "none", "--engine", "recmc"];
    assert_eq!(wayproof(words.into_iter().chain(copy.to_str())).code, 0);
    let lines = finished.stdout.lines().skip_while(|line| !line.contains("wayproof: contract"));
    lines.take_while(|line| !line.contains("return n")).collect::<Vec<_>>().join("\n")
}

#[test]
fn contracts_are_those_of_acsl() {
    expect![[r#"
        // wayproof: contract, whenever the function returns
        /*@ ensures n <= 100 ==> \result == 91;
          @ ensures n >= 101 ==> n == \result + 10; */
        int m91(int n) {"#]]
    .assert_eq(&contract("alone", ""));
}

#[test]
fn a_contract_that_would_be_that_of_something_else_is_a_comment() {
    for (name, before) in [
        ("line", "int x; "),
        ("comment", "/*@ ensures \\result <= 2147483637; */\n"),
        ("comments", "//@ assigns \\nothing;\n\n"),
    ] {
        let text = contract(name, before);
        assert!(
            text.starts_with("// wayproof: contract, whenever the function returns: n <= 100 ==>"),
            "{text}"
        );
        assert!(!text.contains("/*@ ensures n"), "{text}");
    }
}
