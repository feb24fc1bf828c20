//! How formulas grow with the size of a program.

use base::Idx as _;
use cfa::Program;
use passes::Prepared;

use term::{Node, TermId};

use crate::cut::Cut;

/// So many branches one after the other.
fn branches(count: usize) -> Program {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n");
    text.push_str("int main(void) {\n  int a = 0, b = 0, x;\n");
    for number in 0..count {
        text.push_str("  x = __VERIFIER_nondet_int();\n");
        text.extend([format!(
            "  if (x > {number}) {{ a = b; }} else if (x == {number}) {{ b = {number}; }} else {{ a = 1; }}\n"
        )]);
        text.push_str("  if (a == x) { reach_error(); }\n");
    }
    text.push_str("  return 0;\n}\n");
    let dialect = testkit::verdicts::Dialect::of(u64::MAX);
    testkit::verdicts::judge::compile(&text, dialect).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Items of all conjunctions and disjunctions that were made.
fn size(count: usize) -> usize {
    let program = branches(count);
    let task = Prepared::of(&program);
    let cut = Cut::new(&task).expect("the program should have an error");
    let items = |term: usize| match cut.terms.node(TermId::new(term)) {
        Node::And(items) | Node::Or(items) => items.len(),
        _ => 0,
    };
    (0..cut.terms.len()).map(items).sum()
}

#[test]
fn formulas_of_paths_that_meet_again_and_again_grow_with_the_program() {
    let [small, large] = [200, 400].map(size);
    assert!(large < small * 5 / 2, "{small}, {large}");
}
