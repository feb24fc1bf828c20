//! What the domains of star are there for: programs that the summary of the entry proves, and their neighbours that it must not.

use base::Budget;
use smt::{Answer, check_formula};

use crate::generate::{Summarised, summarise};

fn summarised(body: &str) -> Summarised {
    summarise(&format!(
        "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
         extern void reach_error(void);\nint main(void) {{\n{body}\nreturn 0; }}\n"
    ))
}

/// Whether the summary of the entry excludes the error.
fn is_proved(summarised: &Summarised) -> bool {
    let root = summarised.summaries.root().pruning().formula;
    let mut solver = summarised.solvers.z3_solver();
    let answer = check_formula(&mut solver, &summarised.terms, root, &mut Budget::unlimited());
    assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
    answer.is_unsat()
}

fn proves(body: &str) -> Summarised {
    let summarised = summarised(body);
    assert!(is_proved(&summarised), "not proved:\n{body}");
    summarised
}

fn leaves_open(body: &str) {
    assert!(!is_proved(&summarised(body)), "proved, but the error can be reached:\n{body}");
}

fn all_exact(summarised: &Summarised) -> bool {
    summarised.summaries.stars().values().all(|star| star.pruning().exact)
}

#[test]
fn sums_that_wrap_around_have_closed_forms() {
    let text = "unsigned n = __VERIFIER_nondet_uint(), x = __VERIFIER_nondet_uint(), y = x;
        while (n > 0) { n = n - 1; x = x + 3; y = y + 3; } if (x != y) reach_error();";
    assert!(all_exact(&proves(text)));
    leaves_open(
        "unsigned n = __VERIFIER_nondet_uint(), x = 5;
        while (n > 0) { n = n - 1; x = x + 3; } if (x == 1) reach_error();",
    );
}

#[test]
fn increments_may_be_variables_with_few_values() {
    let text = |wanted: &str| {
        format!(
            "int k = __VERIFIER_nondet_int(), i = 0; if (k < 1 || k > 5) return 0;
            while (i < 100 * k) i = i + k; if ({wanted}) reach_error();"
        )
    };
    assert!(all_exact(&proves(&text("i != 100 * k"))));
    leaves_open(&text("i == 300"));
}

#[test]
fn values_may_alternate() {
    let text = |wanted: &str| {
        format!(
            "int n = __VERIFIER_nondet_int(), x = 2, i = 0; if (n < 0) return 0;
            while (i < n) {{ i = i + 1; x = 7 - x; }} if ({wanted}) reach_error();"
        )
    };
    assert!(all_exact(&proves(&text("n % 2 == 0 && x != 2"))));
    leaves_open(&text("x == 5"));
}

#[test]
fn totals_agree_modulo_the_period() {
    let text = |wanted: &str| {
        format!(
            "unsigned a = 0, b = 0, t = 0;
            while (__VERIFIER_nondet_int()) {{ if (__VERIFIER_nondet_int()) a = a + 1; else b = b + 1; t = t + 1; }}
            if (a + b {wanted} t) reach_error();"
        )
    };
    proves(&text("!="));
    leaves_open(&text("=="));
}

#[test]
fn bounds_limit_the_number_of_iterations() {
    let text = |most: u32| {
        format!(
            "int i = 0, k = 0; while (i < 100) {{ int j = __VERIFIER_nondet_int();
            if (j < 1 || j > 50) return 0; i = i + j; k = k + 1; }} if (k > {most}) reach_error();"
        )
    };
    proves(&text(100));
    leaves_open(&text(99));
}

#[test]
fn what_doubles_grows() {
    let text = |least: u32| {
        format!(
            "int n = __VERIFIER_nondet_int(), x = 1, i = 0; if (n < 3 || n > 25) return 0;
            while (i < n) {{ x = x + x; i = i + 1; }} if (x < {least}) reach_error();"
        )
    };
    proves(&text(4));
    leaves_open(&text(9));
}

#[test]
fn iterations_establish_disjunctions() {
    let text = |residue: u32| {
        format!(
            "unsigned x = __VERIFIER_nondet_uint(), y = 1;
            while (__VERIFIER_nondet_int()) {{ x = __VERIFIER_nondet_uint(); if (x % 3 == 0) y = 0; else y = 1; }}
            if (y == 0 && x % 3 == {residue}) reach_error();"
        )
    };
    proves(&text(1));
    leaves_open(&text(0));
}

#[test]
fn few_iterations_are_unrolled() {
    let text = |wanted: u32| {
        format!(
            "unsigned x = 0, y = 1; while (x < 6) {{ x = x + 1; y = y * 2; }} if (y == {wanted}) reach_error();"
        )
    };
    assert!(all_exact(&proves(&text(63))));
    leaves_open(&text(64));
}

#[test]
fn many_variables_are_bounded_by_templates() {
    let names: Vec<String> = (0..12).map(|index| format!("v{index}")).collect();
    let (mut ifs, mut checks) = (String::new(), String::from("if (v3 > i) reach_error();"));
    for name in &names {
        ifs.push_str(&["if (__VERIFIER_nondet_int()) ", name, " = ", name, " + 1;\n"].concat());
        checks.push_str(&["if (", name, " < 0) reach_error();\n"].concat());
    }
    let text = format!(
        "int n = __VERIFIER_nondet_int(), i = 0, {} = 0; while (i < n) {{ {ifs} i = i + 1; }} {checks}",
        names.join(" = 0, ")
    );
    let summarised = proves(&text);
    let counted = summarised.stars.statistics();
    assert!(counted.template_hulls > 0 && counted.stars == 1, "{counted:?}");
}

#[test]
fn a_star_without_effort_is_weaker_and_says_so() {
    use graph::Graph;
    use summary::{StarOptions, Stars, Summaries};
    let mut whole = summarised(
        "int n = __VERIFIER_nondet_int(), m = n, r = 0; while (n > 0) { r = r + n; n = n - 1; }
        if (m > 0 && r < m) reach_error();",
    );
    let options = StarOptions { effort: 0, ..StarOptions::default() };
    let mut stars = Stars::new(whole.solvers.clone(), options);
    let mut budget = Budget::unlimited();
    let loops = whole.program.procs[whole.program.entry].loops();
    let graph = Graph::of(
        &whole.program,
        whole.program.entry,
        loops,
        graph::cut::Target::Error,
        &mut whole.terms,
        &mut budget,
    )
    .expect("there is no limit");
    let weak = Summaries::new(&graph, &mut whole.terms, &mut stars, &mut budget).expect("there is no limit");
    assert!(stars.statistics().unanswered > 0);
    assert_eq!(weak.stars().len(), 1);
    assert!(is_proved(&whole));
    let root = weak.root().pruning().formula;
    assert!(check_formula(&mut whole.solvers.z3_solver(), &whole.terms, root, &mut budget).is_sat());
}
