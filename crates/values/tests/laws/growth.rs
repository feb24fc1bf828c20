//! How the effort of the analysis grows with the size of a program.

use base::Budget;
use cfa::Program;
use passes::Prepared;
use values::analyze;

use crate::compiled;

/// So many loops one after the other, each of which ends wherever the one before it has ended.
fn loops_in_a_row(count: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    text.push_str("int main(void) {\n  int n = __VERIFIER_nondet_int();\n  int x = 0, i;\n");
    for _ in 0..count {
        text.push_str("  i = 0;\n  while (i < n) {\n    if (i == 3) { x = x + 1; }\n    i = i + 1;\n  }\n");
    }
    text.push_str("  if (x < -5) { reach_error(); }\n  return 0;\n}\n");
    text
}

/// The same in a loop around them, each with a variable of its own that changes from one round to the next.
fn loops_in_a_loop(count: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    for number in 0..count {
        text.extend([format!("int x{number} = 0;\n")]);
    }
    text.push_str("int main(void) {\n  int i;\n  while (__VERIFIER_nondet_int()) {\n");
    for number in 0..count {
        text.extend([format!(
            "    i = 0;\n    while (i < 9) {{ i = i + 1; }}\n    if (x{number} < 9) {{ x{number} = x{number} + i; }}\n    if (x{number} < 0) {{ reach_error(); }}\n"
        )]);
    }
    text.push_str("  }\n  return 0;\n}\n");
    text
}

/// A loop that counts, and so many constants that it has nothing to do with.
fn counter_among_constants(count: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    text.push_str("int main(void) {\n  int n = __VERIFIER_nondet_int();\n  int x = 0, i = 0;\n  while (i < n) {\n    i = i + 1;\n");
    for number in 0..count {
        text.extend([format!("    if (n == {}) {{ x = 1; }}\n", 10 * number)]);
    }
    text.push_str("    if (x < 0) { reach_error(); }\n  }\n  return 0;\n}\n");
    text
}

/// A loop around a switch with so many cases, each of which goes back to the head of the loop.
fn cases_in_a_loop(count: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    text.push_str(
        "int main(void) {\n  int state = __VERIFIER_nondet_int();\n  while (1) {\n    switch (state) {\n",
    );
    for number in 0..count {
        text.extend([format!(
            "      case {number}: if (__VERIFIER_nondet_int()) {{ state = {}; }} break;\n",
            (number + 1) % count
        )]);
    }
    text.push_str("      default: reach_error();\n    }\n  }\n  return 0;\n}\n");
    text
}

fn effort(program: &Program) -> u64 {
    let prepared = Prepared::of(program);
    let program = prepared.program();
    let mut budget = Budget::unlimited();
    analyze(program, &program.procs[program.entry], &mut budget).expect("no budget ends");
    budget.spent()
}

/// The effort for twice as many loops, in hundredths of that for as many.
fn growth(text: impl Fn(usize) -> String) -> u64 {
    let [small, large] = [40, 80].map(|count| effort(&compiled(&text(count), u64::MAX)));
    100 * large / small
}

#[test]
fn loops_that_follow_each_other_are_analysed_one_by_one() {
    assert!(growth(loops_in_a_row) <= 220, "{}", growth(loops_in_a_row));
}

#[test]
fn loops_in_a_loop_are_analysed_a_few_times_each() {
    assert!(growth(loops_in_a_loop) <= 220, "{}", growth(loops_in_a_loop));
}

#[test]
fn bounds_do_not_grow_along_the_constants_of_a_large_program() {
    assert!(growth(counter_among_constants) <= 220, "{}", growth(counter_among_constants));
}

#[test]
fn the_head_of_a_loop_is_looked_at_after_all_of_the_loop() {
    assert!(growth(cases_in_a_loop) <= 220, "{}", growth(cases_in_a_loop));
}
