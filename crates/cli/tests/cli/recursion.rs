//! Recursion without a base case, through pointers without known targets, with variable arguments, and deeper than any stack: a verdict with evidence, or unknown with the call.

use crate::support::{Finished, Folder, wayproof};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
";

fn check(name: &str, text: &str, seconds: &str) -> Finished {
    let folder = Folder::new(&format!("recursion-{name}"));
    let file = folder.file("a.c", format!("{HEAD}{text}"));
    let words = ["check", "--check", "none", "--no-exec", "--engine", "gps", "--timeout", seconds];
    wayproof(words.into_iter().chain(file.to_str()))
}

fn assert_safe(name: &str, text: &str) {
    let finished = check(name, text, "60");
    assert_eq!(finished.code, 0, "{name}: {finished:?}");
    assert!(finished.stdout.contains("checked: "), "{name}: {finished:?}");
}

fn assert_unsafe(name: &str, text: &str) {
    let finished = check(name, text, "60");
    assert_eq!(finished.code, 10, "{name}: {finished:?}");
    assert!(finished.stdout.contains("checked: replayed from the start"), "{name}: {finished:?}");
}

/// Unknown, with a place of the program in the reason.
fn assert_unknown(name: &str, text: &str, seconds: &str, reason: &str) {
    let finished = check(name, text, seconds);
    assert_eq!(finished.code, 5, "{name}: {finished:?}");
    let said = finished.stdout.lines().chain(finished.stderr.lines());
    let said: Vec<&str> = said.filter(|line| line.starts_with("UNKNOWN: ")).collect();
    assert!(said.iter().any(|line| line.contains(reason) && line.contains("a.c:")), "{name}: {finished:?}");
}

#[test]
fn what_follows_a_recursion_that_never_ends_is_not_reached() {
    assert_safe(
        "endless",
        "int f(int n) { return f(n) + 1; }
int main(void) { int n = __VERIFIER_nondet_int(); if (f(n) == 3) reach_error(); return 0; }
",
    );
    assert_safe(
        "endless-tree",
        "int g(int n) { int a = g(n / 2); return a + g(n - 1); }
int main(void) { int r = g(__VERIFIER_nondet_int()); reach_error(); return r; }
",
    );
    assert_safe(
        "endless-cycle",
        "int g(int n) { return g(n + 1 > 100 ? 0 : n + 1); }
int main(void) { int r = g(3); reach_error(); return r; }
",
    );
}

#[test]
fn an_error_inside_of_a_recursion_that_never_ends_is_found() {
    assert_unsafe(
        "endless-error",
        "int g(int n) { if (n == 7) reach_error(); int a = g(n / 2); return a + g(n - 1); }
int main(void) { return g(__VERIFIER_nondet_int()); }
",
    );
}

#[test]
fn a_pointer_without_known_target_is_named() {
    assert_unknown(
        "pointer",
        "typedef int (*fn)(int);
extern fn unknown(void);
int f(int n, fn k) { if (n <= 0) return k(n); int a = f(n - 1, k); return a + f(n - 2, k); }
int main(void) { fn k = unknown(); if (f(__VERIFIER_nondet_int(), k) == 7) reach_error(); return 0; }
",
        "60",
        "call",
    );
}

#[test]
fn recursion_through_pointers_that_are_known_is_decided() {
    assert_unsafe(
        "table",
        "typedef int (*fn)(int);
fn table[2];
int f(int n) { if (n <= 0) return 0; int a = table[n & 1](n - 1); return a + table[n & 1](n - 2) + 1; }
int g(int n) { if (n <= 0) return 0; return table[0](n - 1); }
int main(void) { table[0] = f; table[1] = g; if (f(__VERIFIER_nondet_int() & 15) == 2) reach_error(); return 0; }
",
    );
}

#[test]
fn variable_arguments_are_carried_out_or_the_call_is_named() {
    let text = |condition: &str| {
        format!(
            "#include <stdarg.h>
int sum(int n, ...) {{
  va_list ap; va_start(ap, n); int x = va_arg(ap, int); va_end(ap);
  if (n <= 0) return x;
  int a = sum(n - 1, x + 1);
  return a + sum(n - 2, x);
}}
int main(void) {{ int n = __VERIFIER_nondet_int(); if (n > 10) return 0; if (sum(n, 1) {condition}) reach_error(); return 0; }}
"
        )
    };
    assert_unsafe("variadic-bad", &text("== 3"));
    assert_unknown("variadic", &text("< 1"), "60", "the call of `sum` is recursive and stays a call");
}

#[test]
fn a_recursion_of_depth_2_to_the_32_is_decided_as_a_loop_or_its_call_is_named() {
    let identity = "unsigned id(unsigned x) { if (x == 0) return 0; return id(x - 1) + 1; }\n";
    assert_safe(
        "deep",
        &format!(
            "{identity}int main(void) {{ unsigned x = 4294967295u; if (id(x) != x) reach_error(); return 0; }}\n"
        ),
    );
    assert_unknown(
        "deep-bad",
        &format!(
            "{identity}int main(void) {{ unsigned x = __VERIFIER_nondet_uint(); if (id(x) == 4294967295u) reach_error(); return 0; }}\n"
        ),
        // The search goes on to the end of the time.
        "15",
        "makes more calls than can be carried out",
    );
}

#[test]
fn a_counterexample_with_two_to_the_n_calls_is_replayed_or_its_call_is_named() {
    let chain = |levels: usize, step: &str, error: &str| {
        let mut lines = vec![format!("int flag; void level0(void) {{ flag = {step}; }}")];
        for level in 1..=levels {
            let calls = format!("level{next}(); level{next}();", next = level - 1);
            lines.push(format!(
                "void level{level}(void) {{ if (__VERIFIER_nondet_int()) {{ {calls} }} else {{ {calls} }} }}"
            ));
        }
        lines.push(format!("int main(void) {{ level{levels}(); if ({error}) reach_error(); return 0; }}\n"));
        lines.join("\n")
    };
    assert_unsafe("chain-16", &chain(16, "flag + 1", "flag == 65536"));
    assert_unknown("chain-64", &chain(64, "1", "flag"), "60", "makes more calls than can be carried out");
}

/// Each level calls itself last, 2^32 times, so the error is 2^96 calls away.
#[test]
fn tail_recursion_of_any_depth_is_replayed() {
    let level = |name: &str, counter: &str, inner: &str| {
        format!(
            "static void {name}(unsigned *a, unsigned *b, unsigned *c) {{
    if (*{counter} < 0xfffffffeu) {{ {inner} ++*{counter}; {name}(a, b, c); }}
}}
"
        )
    };
    let inner = level("h", "c", "if (*a == *b && *b == *c && *c == LAST) reach_error();");
    let text = inner + &level("g", "b", "*c = 0; h(a, b, c);") + &level("f", "a", "*b = 0; g(a, b, c);");
    let main = "int main(void) { unsigned a = 0, b, c; f(&a, &b, &c); return 0; }\n";
    assert_unsafe("deep-tail", &(text.replace("LAST", "0xfffffffdu") + main));
    assert_safe("deep-tail-safe", &(text.replace("LAST", "0xfffffffeu") + main));
}

/// The proof chooses what one iteration of the outer loop chose, behind the loop inside of it.
#[test]
fn choices_behind_an_inner_loop_are_those_of_the_proof() {
    let text = "static int f(signed char, int);
static int g(signed char d, int q) {
    int r = 0;
    while (r < 5) { r = r + 3; }
    r = f(d, q);
    return r + 2;
}
static int f(signed char d, int q) {
    int r = 0;
    if (d <= 2) { return d; }
    r = g(1, q);
    if (!r) { for (;;) { } }
    return r;
}
int main(void) {
    int y = __VERIFIER_nondet_int();
    int x = f(1, 0);
    int s = f(x, 0);
    if (!x || (y == 1234567 && !x)) { reach_error(); }
    return 0;
}
";
    let folder = Folder::new("recursion-choices");
    let file = folder.file("a.c", format!("{HEAD}{text}"));
    let words = ["check", "--check", "none", "--engine", "gps", "--signed-overflow", "wrap"];
    let finished = wayproof(words.into_iter().chain(file.to_str()));
    assert_eq!(finished.code, 0, "{finished:?}");
}
