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
