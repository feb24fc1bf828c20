//! Which programs have one execution that matters.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::Budget;
use certify::{Execution, execute};
use verdict::End;

fn executed(body: &str) -> Execution {
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
    execute(&cfa::text::parse("test.cfa", &text).unwrap(), &mut Budget::unlimited())
}

#[test]
fn a_value_that_nobody_looks_at_does_not_matter() {
    let ignored = executed(
        "proc %start() {\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  loc l2\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n  l2 -> l1 : y := x\n}\n",
    );
    assert_eq!(ignored, Execution::Ended(End::Returned));
}

#[test]
fn a_value_that_decides_matters_and_its_source_is_named() {
    let used = executed(
        "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  loc l2\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x < 5:i32  @f0:2:1-2:2 stmt\n}\n",
    );
    let Execution::Arbitrary { what, region } = used else { panic!("{used:?}") };
    assert_eq!((what.as_str(), region.line), ("a nondeterministic value", 1));
}

#[test]
fn an_uninitialised_value_that_decides_is_one_of_many() {
    let used = executed(
        "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n\
         l0 -> l1 : assume x < 5:i32  @f0:2:1-2:2 stmt\n}\n",
    );
    let Execution::Arbitrary { what, region } = used else { panic!("{used:?}") };
    assert_eq!((what.as_str(), region.line), ("an uninitialised value", 2));
}
