//! `wayproof summarize`: the printed form of the worked examples, formats, and bad input.
//!
//! After a change of the summaries `UPDATE_EXPECT=1 cargo test -p wayproof --test cli summarize` writes the new texts; what they must say at least
//! is checked by the solver in crates/summary/tests/examples.rs.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::support::{Finished, Folder, wayproof};

const HEAD: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// The body of `main` starts in line 4.
fn program(body: &str) -> String {
    format!("{HEAD}int main(void) {{\n{body}\n  return 0;\n}}\n")
}

fn summarize(name: &str, body: &str, options: &[&str]) -> Finished {
    let folder = Folder::new(&format!("summarize-{name}"));
    let file = folder.file("a.c", program(body));
    wayproof(["summarize", file.to_str().unwrap()].iter().chain(options))
}

fn check(name: &str, body: &str, options: &[&str], expected: &Expect) {
    let finished = summarize(name, body, options);
    expected.assert_eq(&finished.stdout);
    assert_eq!((finished.code, finished.stderr.as_str()), (0, ""));
}

const COUNTING: &str = "  int N = __VERIFIER_nondet_int();
  int i = 0, min = 0;
  while (i < N) { min++; i++; }
  if (min >= 1000) reach_error();";

#[test]
fn a_counting_loop_reads_as_people_write_it() {
    check(
        "ex1",
        COUNTING,
        &[],
        &expect![[r#"
            entry at line 3
              to the error:
                input@4 ≥ 1000
                where input@4 is what __VERIFIER_nondet_int() returns in line 4

            loop at line 6
              known of values:
                i ≥ 0
                min ≥ 0
              any number of iterations (exact):
                i' = i + k
                min' = min + k
                k ≥ 0
                if k ≥ 1:
                  i' ≤ N
                where k is the number of iterations of the loop at line 6
              to the error:
                either
                  N ≤ i
                  min ≥ 1000
                or
                  N + min ≥ i + 1000
                  N + min ≤ i + 2147483647
        "#]],
    );
}

#[test]
fn the_sum_of_numbers_grows() {
    let body = "  int N = __VERIFIER_nondet_int();
  int r = 0;
  while (N > 0) { r = r + N; N--; }
  if (r == 2) reach_error();";
    check(
        "ex2",
        body,
        &[],
        &expect![[r#"
            entry at line 3
              to the error:
                input@4 = 1
                where input@4 is what __VERIFIER_nondet_int() returns in line 4

            loop at line 6
              known of values:
                r ≥ 0
              any number of iterations (over-approximated):
                N' = N - k
                k ≥ 0
                if k = 0:
                  r' = r
                if k ≥ 1:
                  N' ≥ 0
                  r' ≥ r + k
                  r' ≥ N + k - 1
                  N + r ≤ 2147483647
                where k is the number of iterations of the loop at line 6
              to the error:
                either
                  N = 1
                  r ≤ 1
                or
                  r = 2
                  N ≤ 0
        "#]],
    );
}

#[test]
fn parity_excludes_the_error() {
    let body = "  int N = __VERIFIER_nondet_int();
  int M = __VERIFIER_nondet_int();
  int x = 2;
  while (N-- > 0) x = 2 * x;
  while (M-- > 0) x = x - 2;
  if (x == 1) reach_error();";
    check(
        "ex3",
        body,
        &[],
        &expect![[r#"
            the value analysis excludes the error

            entry at line 3
              to the error: impossible

            loop at line 7
              known of values:
                x ≥ 2
                x ≡ 0 (mod 2)
                x ≤ 2147483644
              any number of iterations (over-approximated):
                N' = N - k
                k ≥ 0
                if k = 0:
                  x' = x
                if k ≥ 1:
                  N' ≥ 0
                  x' ≥ 2·x
                  x' ≥ x + 2·k
                  x' ≡ 0 (mod 4)
                  x + 2·k ≤ 1073741824
                  x' ≤ x + 1073741822·k
                where k is the number of iterations of the loop at line 7
              to the error: impossible

            loop at line 8
              known of values:
                x ≡ 0 (mod 2)
                x ≤ 2147483644
              any number of iterations (exact):
                M' = M - k
                x' = x - 2·k
                k ≥ 0
                if k ≥ 1:
                  M' ≥ 0
                where k is the number of iterations of the loop at line 8
              to the error: impossible
        "#]],
    );
}

#[test]
fn a_state_machine_advances_by_one_at_most() {
    let body = "  int state = 0;
  while (1) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int(), s1 = __VERIFIER_nondet_int(), s2 = __VERIFIER_nondet_int();
    if (c == 68 && state == 0) state = 1;
    else if (c == 79 && state == 1) state = 2;
    else if (c == 71 && state == 2) state = 3;
    if (state == 3 && s0 == 67 && s1 == 65 && s2 == 84) reach_error();
  }";
    check(
        "machine",
        body,
        &[],
        &expect![[r#"
            entry at line 3
              to the error:
                input@7 = 67
                input@7#2 = 65
                input@7#3 = 84
                where input@7 is what __VERIFIER_nondet_int() returns in line 7
                where input@7#2 is what __VERIFIER_nondet_int() returns in line 7
                where input@7#3 is what __VERIFIER_nondet_int() returns in line 7

            loop at line 5
              known of values:
                state ≤ 3
                state ≥ 0
              any number of iterations (over-approximated):
                state' ≤ 3
                state' ≥ state
                state' ≤ state + k
                where k is the number of iterations of the loop at line 5
              to the error:
                input@7 = 67
                input@7#2 = 65
                input@7#3 = 84
                where input@7 is what __VERIFIER_nondet_int() returns in line 7
                where input@7#2 is what __VERIFIER_nondet_int() returns in line 7
                where input@7#3 is what __VERIFIER_nondet_int() returns in line 7
        "#]],
    );
}

#[test]
fn errors_behind_a_rare_step_stay_possible() {
    let first = "  int N = __VERIFIER_nondet_int(), M = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  int x = 2;
  while (N-- > 0) { if (N == 0 && z == 12345) x = x + 1; else x = 2 * x; }
  while (M-- > 0) x -= 2;
  if (x == 1) reach_error();";
    check(
        "rare-a",
        first,
        &["--at", "3"],
        &expect![[r#"
            entry at line 3
              to the error:
                either
                  input@4#3 = 12345
                  input@4 ≤ input@4#2
                  input@4#2 ≤ 536870911
                  1073741823·input@4 ≥ 2·input@4#2 + 1073741821
                or
                  input@4#3 = 12345
                  input@4 ≤ 536870912
                  input@4#2 ≥ 536870912
                  input@4#2 ≤ 1073741823
                  1073741823·input@4 ≥ 2·input@4#2 + 1073741821
                where input@4 is what __VERIFIER_nondet_int() returns in line 4
                where input@4#2 is what __VERIFIER_nondet_int() returns in line 4
                where input@4#3 is what __VERIFIER_nondet_int() returns in line 4
        "#]],
    );
    let second =
        "  int N = __VERIFIER_nondet_int(), M = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
  int x = 2;
  while (N > 0) { if (N == z) x = 3; else x = 2 * x; N--; }
  while (M > 0) { x -= 2; M--; }
  if (x == 1) reach_error();";
    check(
        "rare-b",
        second,
        &[],
        &expect![[r#"
            entry at line 3
              to the error:
                input@4#2 = 1
                input@4#3 = 1
                input@4 ≥ 1
                input@4 ≤ 536870912
                where input@4 is what __VERIFIER_nondet_int() returns in line 4
                where input@4#2 is what __VERIFIER_nondet_int() returns in line 4
                where input@4#3 is what __VERIFIER_nondet_int() returns in line 4

            loop at line 6
              known of values:
                x ≥ 2
                x ≤ 2147483646
              any number of iterations (over-approximated):
                N' = (if k2 = 1 then N - k1 - 1 else N - k1) - k3
                k1 = k - k2 - k3
                k1 ≥ 0
                k3 ≥ 0
                if k1 = 0:
                  x'' = x
                if k3 = 0:
                  x' = (if k2 = 1 then 3 else x'')
                if k2 ≠ 0:
                  k2 = 1
                  N = z + k1
                  N > k1
                if k3 ≥ 1:
                  x' ≡ 0 (mod 2)
                  x' ≥ 2·(if k2 = 1 then 3 else x'')
                  x' ≥ (if k2 = 1 then 3 else x'') + 2·k3
                  z > (if k2 = 1 then N - k1 - 1 else N - k1)
                  (if k2 = 1 then N - k1 - 1 else N - k1) ≥ k3
                  (if k2 = 1 then 3 else x'') + 2·k3 ≤ 1073741825
                  x' ≤ (if k2 = 1 then 3 else x'') + 1073741823·k3
                if k1 ≥ 1:
                  N ≥ k1
                  x'' ≥ 2·x
                  N ≥ z + k1
                  x'' ≥ x + 2·k1
                  x'' ≡ 0 (mod 2)
                  x'' ≤ 2147483646
                  x + 2·k1 ≤ 1073741825
                  x'' ≤ x + 1073741823·k1
                where k1 is the number of iterations in a phase of the loop at line 6
                where x'' is an intermediate value of x
                where k2 is the number of iterations in a phase of the loop at line 6
                where k3 is the number of iterations in a phase of the loop at line 6
                where k is the number of iterations of the loop at line 6
              to the error:
                either
                  x = 2·M + 1
                  N ≤ 0
                or
                  M = 1
                  N = 1
                  z = 1
                or
                  M = 1
                  z = 1
                  N ≥ 1
                  2·N + x ≤ 1073741827

            loop at line 7
              known of values:
                x ≤ 2147483646
              any number of iterations (exact):
                M' = M - k
                x' = x - 2·k
                k ≥ 0
                if k ≥ 1:
                  M' ≥ 0
                where k is the number of iterations of the loop at line 7
              to the error:
                x ≥ 1
                2·M < x
                x ≤ 1 or 2·M ≥ x - 1
        "#]],
    );
    let third = "  int N = __VERIFIER_nondet_int(), M = __VERIFIER_nondet_int();
  int x = 2;
  while (N > 0) { if (N == 1 && x > 60) x = 65; else x = 2 * x; N--; }
  while (M > 0) { x -= 2; M--; }
  if (x == 1) reach_error();";
    check(
        "rare-c",
        third,
        &[],
        &expect![[r#"
            entry at line 3
              to the error:
                either
                  input@4#2 = 32
                  input@4 ≥ 2
                  input@4 ≤ 31
                or
                  input@4#2 = 32
                  input@4 ≥ 4
                  input@4 ≤ 17602326
                or
                  input@4#2 = 32
                  input@4 ≤ 17602355
                  input@4 ≥ 17602326
                where input@4 is what __VERIFIER_nondet_int() returns in line 4
                where input@4#2 is what __VERIFIER_nondet_int() returns in line 4

            loop at line 6
              known of values:
                x ≥ 2
                x ≤ 2147483646
              any number of iterations (over-approximated):
                N' = N - k
                x' = (if k2 = 1 then 65 else x''')
                x'' + 61·k1 ≤ x'''
                x'' + 1073741823·k1 ≥ x'''
                x'' + 2·k1 + 2·k2 ≥ x + 2·k
                x'' + 60·k1 + 60·k2 ≤ x + 60·k
                if k2 ≠ 0:
                  N = k
                  k2 = 1
                  x''' ≥ 61
                if k1 + k2 < k:
                  x'' ≤ 120
                  N + k1 + k2 ≥ k
                  x'' ≡ 0 (mod 2)
                  x + 2·k ≤ 2·k1 + 2·k2 + 62
                if k1 ≥ 1:
                  x'' ≥ 61
                  N + k2 > k
                  2·x'' ≤ x'''
                  x''' ≡ 0 (mod 2)
                  x''' ≤ 2147483646
                  x'' + 61·k1 ≤ 1073741884
                where x'' is an intermediate value of x
                where k1 is the number of iterations in a phase of the loop at line 6
                where x''' is an intermediate value of x
                where k2 is the number of iterations in a phase of the loop at line 6
                where k is the number of iterations of the loop at line 6
              to the error:
                either
                  x = 2·M + 1
                  N ≤ 0
                or
                  N = 1
                  M = 32
                  x ≥ 61
                or
                  M = 32
                  N ≥ 2
                  61·N + x ≤ 1073741945
                or
                  M = 32
                  x ≤ 62
                  2·N + x ≥ 68
                  2·N + x ≤ 35204712

            loop at line 7
              known of values:
                x ≤ 2147483646
              any number of iterations (exact):
                M' = M - k
                x' = x - 2·k
                k ≥ 0
                if k ≥ 1:
                  M' ≥ 0
                where k is the number of iterations of the loop at line 7
              to the error:
                x ≥ 1
                2·M < x
                x ≤ 1 or 2·M ≥ x - 1
        "#]],
    );
}

#[test]
fn forwards_too() {
    check(
        "forward",
        COUNTING,
        &["--forward", "--at", "6"],
        &expect![[r#"
            loop at line 6
              known of values:
                i ≥ 0
                min ≥ 0
              states that arrive:
                i = min
                min ≤ 0 or N ≥ min
              any number of iterations (exact):
                i' = i + k
                min' = min + k
                k ≥ 0
                if k ≥ 1:
                  i' ≤ N
                where k is the number of iterations of the loop at line 6
              to the error:
                either
                  N ≤ i
                  min ≥ 1000
                or
                  N + min ≥ i + 1000
                  N + min ≤ i + 2147483647
        "#]],
    );
}

#[test]
fn json_is_one_document() {
    let finished = summarize("json", COUNTING, &["--format", "json"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (0, ""));
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(document["schema"], "wayproof-summaries");
    assert_eq!(document["schema_version"], 1);
    let points = document["points"].as_array().unwrap();
    let kinds: Vec<&str> = points.iter().map(|point| point["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["entry", "loop", "error"]);
    assert_eq!(points[0]["summary"]["lines"][0], "input@4 ≥ 1000");
    assert_eq!(points[1]["location"]["line"], 6);
    assert_eq!(points[1]["star"]["exact"], true);
    assert!(points[1]["summary"]["smtlib"].as_str().unwrap().contains("(check-sat)"));
    assert_eq!(document["arcs"].as_array().unwrap().len(), 3);
}

#[test]
fn the_drawing_has_all_points() {
    check(
        "dot",
        COUNTING,
        &["--format", "dot"],
        &expect![[r#"
            digraph summaries {
              node [shape=box, fontname="monospace", fontsize=10];
              n0 [label="entry at line 3\lto the error:\l  input@4 ≥ 1000\l", style=bold];
              n1 [label="loop at line 6\lto the error:\l  either\l    N ≤ i\l    min ≥ 1000\l  or\l    N + min ≥ i + 1000\l    N + min ≤ i + 2147483647\literations, exactly:\l  i' = i + k\l  min' = min + k\l  k ≥ 0\l  if k ≥ 1:\l    i' ≤ N\l", style=filled, fillcolor=lightblue];
              n2 [label="error at line 7\l", shape=octagon, style=filled, fillcolor=salmon];
              n0 -> n1;
              n1 -> n1;
              n1 -> n2;
            }
        "#]],
    );
}

#[test]
fn long_formulas_are_cut_unless_wanted() {
    let variables: Vec<String> = (0..60).map(|number| format!("x{number}")).collect();
    let mut body = format!("  int {};\n", variables.join(" = 0, ") + " = 0");
    body += "  while (__VERIFIER_nondet_int()) {\n";
    for variable in &variables {
        writeln!(body, "    {variable} += 2;").unwrap();
    }
    writeln!(body, "  }}\n  if ({} == 77) reach_error();", variables.join(" + ")).unwrap();
    let short = summarize("cut", &body, &[]);
    let full = summarize("full", &body, &["--full"]);
    assert_eq!((short.code, full.code), (0, 0));
    assert!(short.stdout.lines().all(|line| line.len() < 500), "{}", short.stdout);
    assert!(short.stdout.contains("more lines, which --full shows"), "{}", short.stdout);
    assert!(!full.stdout.contains("which --full shows"));
    assert!(full.stdout.contains("x59' = x59 + 2·k"));
}

#[test]
fn a_line_without_summary_names_the_nearest() {
    let finished = summarize("at", COUNTING, &["--at", "100"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (1, ""));
    expect![[r#"
        error: there is no summary at line 100
         |
         = help: summaries exist at the entry, at loops and at the error; the nearest lines are: 7, 6, 3
    "#]]
    .assert_eq(&finished.stderr);
}

#[test]
fn recursion_is_named_with_its_place() {
    let folder = Folder::new("summarize-recursion");
    let text = format!(
        "{HEAD}int f(int x) {{ return x > 0 ? f(x / 2) + f(x - 1 - x / 2) : 0; }}\nint main(void) {{ if (!f(__VERIFIER_nondet_int())) reach_error(); }}\n"
    );
    let file = folder.file("a.c", text);
    let finished = wayproof(["summarize", file.to_str().unwrap()]);
    assert_eq!((finished.code, finished.stdout.as_str()), (5, ""));
    assert!(finished.stderr.contains("a.c:4:"), "{}", finished.stderr);
    assert!(finished.stderr.contains("is recursive and stays a call"), "{}", finished.stderr);
}

#[test]
fn functions_whose_calls_stay_have_contracts() {
    let folder = Folder::new("summarize-contracts");
    let text = format!(
        "{HEAD}int f(int n) {{ return n > 100 ? n - 10 : f(f(n + 11)); }}\nint main(void) {{ if (f(__VERIFIER_nondet_int()) < 91) reach_error(); }}\n"
    );
    let file = folder.file("a.c", text);
    let finished = wayproof(["summarize", file.to_str().unwrap()]);
    let place = format!("{}:3:1", file.display());
    let facts = ["n <= 100 ==> \\result == 91", "n >= 101 ==> n == \\result + 10"];
    let expected = format!(
        "contracts, whenever the function returns:\n  f at {place}:\n    {}\n    {}\n",
        facts[0], facts[1]
    );
    assert_eq!((finished.code, finished.stdout), (0, expected));
    assert!(finished.stderr.contains("there are no summaries of paths"), "{}", finished.stderr);
    let json = wayproof(["summarize", file.to_str().unwrap(), "--format", "json"]);
    assert_eq!(json.code, 0, "{json:?}");
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("standard output is JSON");
    assert_eq!(document["contracts"][0]["function"], "f");
    assert_eq!(document["contracts"][0]["location"]["line"], 3);
    assert_eq!(document["contracts"][0]["ensures"], serde_json::json!(facts));
    let why = document["missing"].as_str().unwrap_or_default();
    assert!(why.contains("is recursive and stays a call"), "{why}");
}

#[test]
fn what_cannot_be_read_is_an_error_of_the_front_end() {
    let folder = Folder::new("summarize-broken");
    let file = folder.file("a.c", "int main(void) { return 0 }\n");
    assert_eq!(wayproof(["summarize", file.to_str().unwrap()]).code, 2);
    assert_eq!(wayproof(["summarize", folder.path().join("none.c").to_str().unwrap()]).code, 1);
}

#[test]
fn programs_without_error_or_loop_have_an_entry() {
    check(
        "plain",
        "  int x = __VERIFIER_nondet_int();\n  if (x == 3) reach_error();",
        &[],
        &expect![[r#"
        entry at line 3
          to the error:
            input@4 = 3
            where input@4 is what __VERIFIER_nondet_int() returns in line 4
    "#]],
    );
    check(
        "no-error",
        "  int x = 0;\n  while (x < 3) x++;",
        &["--forward"],
        &expect![[r#"
        the value analysis excludes the error

        entry at line 3
          states that arrive: any
          to the error: impossible
    "#]],
    );
}
