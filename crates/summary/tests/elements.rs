//! Facts about all elements that are found of small programs.

use std::fmt::Write as _;

use base::Budget;
use cfa::DataModel;
use cfront::{Input, Options, compile};
use expect_test::{Expect, expect};
use graph::Graph;
use graph::elements::Relation;
use smt::{Z3, Z3Settings};
use term::Terms;

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// The facts at the points of a program, a line each, and how many arcs use them.
fn facts(body: &str) -> String {
    let text = format!(
        "{PRELUDE}int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0; int a[1000], b[1000]; int s = 0;\n{body}\nreturn 0; }}\n"
    );
    let input = Input::Text { name: "test.c".to_owned(), text: text.into_bytes().into() };
    let compiled = compile(&[input], &Options::new(DataModel::Lp64)).expect("the program should compile");
    let program = passes::pipeline(&compiled.program, &passes::PipelineConfig::default()).program;
    let (mut terms, mut budget) = (Terms::new(), Budget::unlimited());
    let solvers = Z3::new(Z3Settings::default());
    let loops = program.procs[program.entry].loops();
    let mut graph =
        Graph::of(&program, program.entry, loops, graph::cut::Target::Error, &mut terms, &mut budget)
            .expect("there is no limit");
    summary::elements::add_elements(&mut graph, &program, &mut terms, &solvers, &mut budget)
        .expect("there is no limit");
    let mut out = String::new();
    for (point, facts) in &graph.elements.facts {
        for fact in facts {
            let relation = match fact.relation {
                Relation::Equal => "==",
                Relation::AtLeast => ">=",
                Relation::AtMost => "<=",
            };
            let condition = term::print::text(&terms, fact.condition);
            let value = term::print::text(&terms, fact.value);
            let array = &terms.symbol(fact.array).name;
            let _ = writeln!(out, "{point}: {condition} implies {array}[k] {relation} {value}");
        }
    }
    for (point, facts) in &graph.elements.pairs.facts {
        for fact in facts {
            let _ = writeln!(out, "{point}: {}", term::print::text(&terms, *fact));
        }
    }
    for (point, indices) in &graph.elements.indices {
        for index in indices {
            let _ = writeln!(out, "{point} uses them at {}", term::print::text(&terms, *index));
        }
    }
    out
}

fn check(body: &str, expected: &Expect) {
    expected.assert_eq(&facts(body));
}

#[test]
fn what_a_loop_writes_is_known_after_it() {
    check(
        "for (int i = 0; i < n; i++) a[i] = 2; for (int i = 0; i < n; i++) s = s + a[i]; if (s != 2 * n) reach_error();",
        &expect![[r#"
            n1: k ≥ 0, i > k implies a[k] == 2
            n2: k ≥ 0, n > k implies a[k] == 2
            n2 uses them at i#2
        "#]],
    );
}

#[test]
fn elements_are_made_from_those_before() {
    check(
        "a[0] = 6; for (int i = 1; i < n; i++) a[i] = a[i - 1] + 6; for (int i = 0; i < n; i++) { if (a[i] != 6 * i + 6) reach_error(); }",
        &expect![[r#"
            n1: k = 1, k ≥ 1, i > k implies a[k] == 12
            n1: i > k, k ≥ 0 implies a[k] == 6·k + 6
            n1: k = 0, i ≤ k implies a[k] == 6
            n1: k = 0, k ≤ 0 implies a[k] == 6
            n2: k = 1, k ≥ 1, n > k implies a[k] == 12
            n2: n > k, k ≥ 0 implies a[k] == 6·k + 6
            n2: k = 0, k ≤ 0 implies a[k] == 6
            n2: k = 0, n ≤ k implies a[k] == 6
            n1 uses them at i - 1
            n2 uses them at i#2
        "#]],
    );
}

#[test]
fn what_a_loop_adds_up_is_known_of_what_it_stores() {
    check(
        "for (int i = 0; i < n; i++) { s += i + 1; a[i] = s; } for (int i = 0; i < n; i++) if (2 * a[i] != (i + 1) * (i + 2)) reach_error();",
        &expect![[r#"
            n1: k ≥ 0, i > k implies a[k] == k + ((k + k·k) div 2) + 1
            n2: k ≥ 0, n > k implies a[k] == k + ((k + k·k) div 2) + 1
            n2 uses them at i#2
        "#]],
    );
    check(
        "for (int i = 0; i < n; i++) a[i] = 2; for (int i = 0; i < n; i++) s += a[i]; for (int i = 0; i < n; i++) a[i] = s; for (int i = 0; i < n; i++) s += a[i]; if (s != 2 * n + 2 * n * n) reach_error();",
        &expect![[r#"
            n1: k ≥ 0, i > k implies a[k] == 2
            n2: k ≥ 0, n > k implies a[k] == 2
            n3: k ≥ 0, i#3 > k implies a[k] == s
            n3: k ≥ 0, n > k, i#3 ≤ k implies a[k] == 2
            n3: k ≥ 0, i#3 > k implies a[k] == 2·n
            n4: k ≥ 0, n > k implies a[k] == 2·n
            n2 uses them at i#2
            n4 uses them at i#4
        "#]],
    );
}

#[test]
fn the_first_iteration_may_differ() {
    check(
        "for (int i = 0; i < n; i++) if (i == 0) a[i] = 6; else a[i] = a[i - 1] + 5; for (int i = 0; i < n; i++) if (i == 0) s = 0; else s += 3; for (int i = 0; i < n; i++) b[i] = s; for (int i = 0; i < n; i++) if (a[i] != 5 * i + 6 || b[i] != 3 * n - 3) reach_error();",
        &expect![[r#"
            n1: k ≥ 0, i > k implies a[k] == 5·k + 6
            n2: k ≥ 0, n > k implies a[k] == 5·k + 6
            n3: k ≥ 0, n > k implies a[k] == 5·k + 6
            n3: k ≥ 0, i#3 > k implies b[k] == s
            n3: k ≥ 0, i#3 > k implies b[k] == 3·n - 3
            n4: k ≥ 0, n > k implies a[k] == 5·k + 6
            n4: k ≥ 0, n > k implies b[k] == 3·n - 3
            n1 uses them at i - 1
            n4 uses them at i#4
        "#]],
    );
}

#[test]
fn halves_of_polynomials_are_values() {
    check(
        "a[0] = n; for (int i = 1; i < n; i++) a[i] = a[i - 1] + i; for (int i = 0; i < n; i++) if (2 * a[i] != 2 * n + i * (i + 1)) reach_error();",
        &expect![[r#"
            n1: k = 1, k ≥ 1, i > k implies a[k] == n + k
            n1: i > k, k ≥ 0 implies a[k] == n + ((k + k·k) div 2)
            n1: k = 0, i ≤ k implies a[k] == n
            n1: k = 0, k ≤ 0 implies a[k] == n
            n2: k = 1, k ≥ 1, n > k implies a[k] == n + k
            n2: n > k, k ≥ 0 implies a[k] == n + ((k + k·k) div 2)
            n2: k = 0, k ≤ 0 implies a[k] == n
            n2: k = 0, n ≤ k implies a[k] == n
            n1 uses them at i - 1
            n2 uses them at i#2
        "#]],
    );
}

#[test]
fn an_index_that_halts_gives_bounds() {
    check(
        "int g = 0; for (int i = 0; i < n; i++) { int v = __VERIFIER_nondet_int(); if (v >= 0) a[g++] = v; else s++; } for (int i = 0; i < g; i++) { if (a[i] < 0) reach_error(); }",
        &expect![[r#"
            n1: k ≥ 0, g > k implies a[k] >= 0
            n2: k ≥ 0, g > k implies a[k] >= 0
            n2 uses them at i#2
        "#]],
    );
}

#[test]
fn two_arrays_get_the_elements_on_either_side() {
    check(
        "int g = 0, l = 0; for (int i = 0; i < n; i++) { int v = __VERIFIER_nondet_int(); if (v >= 0) a[g++] = v; else b[l++] = v; }
        for (int i = 0; i < g; i++) { if (a[i] < 0) reach_error(); } for (int i = 0; i < l; i++) { if (b[i] >= 0) reach_error(); }",
        &expect![[r#"
            n1: k ≥ 0, g > k implies a[k] >= 0
            n1: k ≥ 0, l > k implies b[k] <= -1
            n2: k ≥ 0, g > k implies a[k] >= 0
            n2: k ≥ 0, l > k implies b[k] <= -1
            n3: k ≥ 0, l > k implies b[k] <= -1
            n2 uses them at i#2
            n3 uses them at i#3
        "#]],
    );
}

#[test]
fn nothing_is_known_of_what_is_written_again() {
    check(
        "for (int i = 0; i < n; i++) a[i] = 1; for (int i = 0; i < n; i++) a[i / 2] = 2; for (int i = 0; i < n; i++) s = s + a[i]; if (s > n + 1) reach_error();",
        &expect![""],
    );
}

#[test]
fn without_a_read_nothing_is_asked() {
    check("for (int i = 0; i < n; i++) { a[i] = 1; s++; } if (s != n) reach_error();", &expect![""]);
}

#[test]
fn the_index_of_the_largest_element_is_found() {
    check(
        "int m = 0; for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int(); for (int i = 1; i < n; i++) { if (a[i] > a[m]) m = i; } for (int i = 0; i < n; i++) { if (a[i] > a[m]) reach_error(); }",
        &expect![[r#"
            n2: a[m] ≥ a[k] ∨ ¬(k ≥ 0 ∧ i#2 > k)
            n3: a[m] ≥ a[k] ∨ ¬(k ≥ 0 ∧ n > k)
        "#]],
    );
}

#[test]
fn a_selection_sort_sorts() {
    check(
        "for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 0; i < n - 1; i++) { int m = i; for (int j = i + 1; j < n; j++) { if (a[j] < a[m]) m = j; } int t = a[i]; a[i] = a[m]; a[m] = t; }
        for (int i = 0; i < n - 1; i++) { if (a[i] > a[i + 1]) reach_error(); }",
        &expect![[r#"
            n2: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ i#2 > k)
            n2: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n ≥ l + 2 ∧ i#2 > k)
            n3: ¬(i#2 ≤ k ∧ j > k) ∨ a[m] ≤ a[k]
            n3: m < j
            n3: i#2 ≤ m
            n3: n ≥ j
            n3: a[i#2] ≥ a[k] ∨ ¬(k ≥ 0 ∧ i#2 ≥ k)
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ i#2 > k)
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n ≥ l + 2 ∧ i#2 > k)
            n4: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ n ≥ k + 2)
        "#]],
    );
}

#[test]
fn a_bubble_sort_sorts() {
    check(
        "for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 0; i < n - 1; i++) { for (int j = 0; j < n - i - 1; j++) { if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } } }
        for (int i = 0; i < n - 1; i++) { if (a[i] > a[i + 1]) reach_error(); }",
        &expect![[r#"
            n2: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ n ≤ i#2 + l)
            n3: a[j] ≥ a[k] ∨ ¬(k ≥ 0 ∧ j > k)
            n3: a[j] ≥ a[k] ∨ ¬(k ≥ 0 ∧ j ≥ k)
            n3: n > i#2 + j
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ n ≤ i#2 + l)
            n4: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l ∧ l ≥ 1)
        "#]],
    );
}

#[test]
fn an_insertion_sort_sorts() {
    check(
        "for (int i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
        for (int i = 1; i < n; i++) { int key = a[i]; int j = i - 1; while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; } a[j + 1] = key; }
        for (int i = 0; i < n - 1; i++) { if (a[i] > a[i + 1]) reach_error(); }",
        &expect![[r#"
            n3: i#2 ≥ k, j ≤ k - 2 implies a[k] >= key + 1
            n2: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ i#2 > l)
            n3: key ≤ a[k] ∨ ¬(i#2 ≥ k ∧ j < k)
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ j ≠ k - 1 ∧ j ≠ l - 1 ∧ i#2 ≥ l)
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ i#2 > l ∧ j ≠ k ∧ j ≠ l)
            n3: i#2 > j
            n3: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ i#2 > l)
            n4: a[k] ≤ a[l] ∨ ¬(k ≥ 0 ∧ k < l ∧ n > l)
            n3 uses them at j
        "#]],
    );
}
