//! `--check`: each kind with a program that is right and one that is wrong; what is checked if nothing is said; and the last line.

use crate::support::{Finished, Folder, plainly};

const SAFE: i32 = 0;
const UNSAFE: i32 = 10;

fn check(name: &str, words: &[&str], text: &str) -> Finished {
    let folder = Folder::new(&format!("checks-{name}"));
    let path = folder.file("a.c", format!("extern int any(void);\n{text}"));
    let always = ["check", "--no-settings", "--no-exec", "--timeout", "30"];
    plainly(always.iter().chain(words).copied().chain([path.to_str().unwrap()]))
}

/// The kind, a program with the defect, and the same without it.
const PAIRS: [(&str, &str, &str); 11] = [
    (
        "null",
        "int main(void) { int x = 1; int *p = any() ? &x : 0; *p = 2; return 0; }",
        "int main(void) { int x = 1; int *p = any() ? &x : 0; if (p) *p = 2; return 0; }",
    ),
    (
        "bounds",
        "void set(int *a, int i) { a[i] = 1; }\nint main(void) { int a[10]; int i = any(); if (i >= 0 && i <= 10) set(a, i); return 0; }",
        "void set(int *a, int i) { a[i] = 1; }\nint main(void) { int a[10]; int i = any(); if (i >= 0 && i < 10) set(a, i); return 0; }",
    ),
    (
        "use-after-free",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; if (any()) free(p); return *p; }",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (!p) return 0; *p = 1; int r = *p; free(p); return r; }",
    ),
    (
        "double-free",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (any()) free(p); free(p); return 0; }",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (any()) { free(p); p = 0; } free(p); return 0; }",
    ),
    (
        "overlap",
        "#include <string.h>\nint main(void) { char a[9] = {0}; int i = any(); if (i >= 3 && i <= 5) memcpy(a + i, a, 4); return 0; }",
        "#include <string.h>\nint main(void) { char a[9] = {0}; int i = any(); if (i >= 4 && i <= 5) memcpy(a + i, a, 4); return 0; }",
    ),
    (
        "misuse",
        "int main(void) { unsigned x = any(); return __builtin_ctz(x) == 3; }",
        "int main(void) { unsigned x = any(); return x && __builtin_ctz(x) == 3; }",
    ),
    (
        "leak",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (any()) free(p); return 0; }",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (any()) { free(p); return 1; } free(p); return 0; }",
    ),
    (
        "uninit",
        "struct s { int a, b; };\nvoid set(struct s *p) { p->a = 1; if (any()) p->b = 2; }\n\
         int main(void) { struct s v; set(&v); return v.a + v.b; }",
        "struct s { int a, b; };\nvoid set(struct s *p) { p->a = 1; if (any()) p->b = 2; else p->b = 3; }\n\
         int main(void) { struct s v; set(&v); return v.a + v.b; }",
    ),
    (
        "overflow",
        "void up(int *p) { *p = *p + 1; }\nint main(void) { int x = any(); up(&x); return 0; }",
        "void up(int *p) { *p = *p + 1; }\nint main(void) { int x = any(); if (x > 100) return 0; up(&x); return 0; }",
    ),
    (
        "div",
        "int main(void) { unsigned y = any(); return 7u / y > 9; }",
        "int main(void) { unsigned y = any(); return y && 7u / y > 9; }",
    ),
    (
        "shift",
        "int main(void) { int y = any(); if (y < 0 || y > 32) return 0; return 1u << y == 3; }",
        "int main(void) { int y = any(); if (y < 0 || y > 31) return 0; return 1u << y == 3; }",
    ),
];

#[test]
fn each_kind_has_both_verdicts() {
    for (kind, wrong, right) in PAIRS {
        let found = check(kind, &["--check", kind], wrong);
        assert_eq!(found.code, UNSAFE, "{kind}: {}{}", found.stdout, found.stderr);
        let proved = check(kind, &["--check", kind], right);
        assert_eq!(proved.code, SAFE, "{kind}: {}{}", proved.stdout, proved.stderr);
    }
}

#[test]
fn all_but_leaks_are_checked_if_nothing_is_said() {
    for (kind, wrong, right) in PAIRS {
        let (found, proved) =
            (check(&format!("plain-{kind}"), &[], wrong), check(&format!("plain-{kind}"), &[], right));
        let expected = if kind == "leak" { SAFE } else { UNSAFE };
        assert_eq!((found.code, proved.code), (expected, SAFE), "{kind}: {}{}", found.stdout, proved.stdout);
        let last = |finished: &Finished| finished.stdout.lines().last().unwrap_or_default().to_owned();
        assert!(last(&proved).starts_with("SAFE: ") && last(&proved).contains(" check"), "{}", last(&proved));
        if kind != "leak" {
            assert!(last(&found).starts_with("UNSAFE: 1 of "), "{}", last(&found));
        }
    }
}

#[test]
fn a_call_with_arguments_that_the_definition_does_not_take_is_not_proved() {
    // An argument that is missing is read, and has no value.
    let text = "#include <assert.h>\nint f();\nint main(void) { assert(f(1) == 1); return 0; }\nint f(ARG x) { return x == 1; }";
    for (ty, code) in [("long", 5), ("double", 5), ("int a, int", UNSAFE), ("int", SAFE), ("unsigned", SAFE)]
    {
        let found = check("arguments", &[], &text.replace("ARG", ty));
        assert_eq!(found.code, code, "{ty}: {}{}", found.stdout, found.stderr);
    }
}

#[test]
fn what_is_not_named_is_not_checked() {
    let text = "int main(void) { int x = any(), y = any(); if (y == 0) return 0; return x + 1 > y / 2; }";
    assert_eq!(check("other", &["--check", "div"], text).code, SAFE);
    assert_eq!(check("other", &["--check", "div,overflow"], text).code, UNSAFE);
}

#[test]
fn every_violation_is_reported_with_its_input() {
    let text = "int main(void) {\n  int x = any();\n  int r = 0;\n  if (x == 5) r = 1 / (x - 5);\n  if (x == 6) r = 1 << (x + 30);\n  return r;\n}\n";
    let found = check("several", &[], text);
    assert_eq!(found.code, UNSAFE);
    assert!(found.stdout.lines().last().unwrap_or_default().starts_with("UNSAFE: 2 of "), "{}", found.stdout);
    assert!(
        found.stdout.contains("1. 5 for the function any")
            && found.stdout.contains("1. 6 for the function any"),
        "{}",
        found.stdout
    );
}

#[test]
fn stack_memory_is_gone_when_its_function_has_returned() {
    let text = "#include <alloca.h>\nint *f(int x) { int *p = alloca(4); *p = x; return p; }\n\
                int main(void) { int x = any(); int *p = f(x); if (x == 77) return *p; return 0; }";
    assert_ne!(check("stack", &["--check", "use-after-free"], text).code, SAFE);
    let text = "#include <alloca.h>\nint f(int x) { int *p = alloca(4); *p = x; return *p; }\n\
                int main(void) { int x = any(); return f(x) == 77; }";
    assert_eq!(check("stack", &["--check", "use-after-free"], text).code, SAFE);
}

/// Both branches of the first condition evaluate the sum: that is one check.
#[test]
fn what_both_branches_of_a_condition_evaluate_is_one_check() {
    let text = "int main(void) {\n    int n = any(), m = any(), k = 0;\n    while (n > 0) { n--; k++; }\n    if (k + 3 != m && k > 5) return 1;\n    return n == 5;\n}\n";
    let finished = check("branches", &["--check", "overflow"], text);
    assert_eq!(finished.code, UNSAFE, "{finished:?}");
    assert!(finished.stdout.contains("UNSAFE: 1 of 3 checks fails\n"), "{finished:?}");
}

/// Variables hold what is allocated while loops run: what is freed in the end is never lost.
#[test]
fn memory_that_variables_hold_is_not_lost() {
    let property = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )\n";
    let text = |last: &str| {
        format!(
            "#include <stdlib.h>\nint main(void) {{\n    int n = any();\n    char *t = malloc(5), *u = malloc(3);\n    for (int i = 0; i < 3; i++) {{ t[i] = 'a'; u[i] = n; }}\n    if (n == 987654) {{ {last} }}\n    while (n > 10) n = any();\n    free(t);\n    free(u);\n    return 0;\n}}\n"
        )
    };
    let folder = Folder::new("checks-memtrack-property");
    let property = folder.file("memory.prp", property);
    let words = ["--property", property.to_str().unwrap()];
    let finished = check("held", &words, &text("n = 1;"));
    assert_eq!(finished.code, SAFE, "{finished:?}");
    let finished = check("lost", &words, &text("t = 0;"));
    assert_eq!(finished.code, UNSAFE, "{finished:?}");
}

/// What is hard does not take the time of what is easy.
#[test]
fn a_check_that_is_easy_has_its_verdict_at_the_time_limit() {
    let text = "#include <assert.h>\nextern int any(void);\n\
        int main(void) {\n\
          unsigned a = any(), x = a, s = 0;\n\
          if (a < 5) assert(a < 6);\n\
          unsigned b = a + 1;\n\
          assert(b != a);\n\
          while (x > 1) { if (x % 2) x = 3 * x + 1; else x /= 2; s++; }\n\
          assert(s != 1000);\n\
          return 0;\n\
        }\n";
    let folder = Folder::new("checks-easy");
    let path = folder.file("a.c", text);
    let path = path.to_str().unwrap();
    let finished =
        plainly(["check", "--no-settings", "--no-exec", "--check", "bounds", "--timeout", "12", path]);
    assert_eq!(finished.code, 5, "{finished:?}");
    assert!(finished.stdout.contains("assertion: 1 is open, 2 hold"), "{}", finished.stdout);
    assert!(finished.stdout.contains("assertion in `assert(s != 1000)`: time limit"), "{}", finished.stdout);
}

#[test]
fn a_program_without_checks_has_no_proof_to_boast_of() {
    let nothing = check("nothing", &[], "int main(void) { return 0; }\n");
    assert_eq!(nothing.code, SAFE, "{nothing:?}");
    assert!(!nothing.stdout.contains("invariant"), "{}", nothing.stdout);
    assert!(nothing.stdout.ends_with("SAFE: nothing to check\n"), "{}", nothing.stdout);
}
