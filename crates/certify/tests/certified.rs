//! What evidence is certified, and what caps a verdict.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, FileId, Region, Stop};
use certify::{Check, Execution, certify, execute};
use cfa::{Approximation, ApproximationKind, Program, Source, Ty};
use interp::{CallStack, Chosen, Property, Value};
use passes::Prepared;
use verdict::{End, Proof, Reason, Trace, Verdict, Violation};

fn program(body: &str) -> Program {
    let text = format!("program LP64 overflow=undefined start=%start\nfile f0 \"a.c\"\n{body}");
    cfa::text::parse("test.cfa", &text).unwrap()
}

/// Asks for a number and reaches the error if it is 7.
fn guessing() -> Program {
    program(
        "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l3\n  loc l2\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l3 : assume x == 7:i32  @f0:2:1-2:9 stmt\n\
         l2 -> l1 : assume x != 7:i32\n}\n",
    )
}

fn region(line: u32, end_column: u32) -> Region {
    Region { file: FileId(0), line, column: 1, end_line: line, end_column }
}

fn trace(values: &[i128]) -> Verdict {
    let choices = values.iter().map(|value| Chosen {
        value: Value::int(Ty::signed(32), *value),
        source: Source::Input { function: "nondet".into() },
        region: region(1, 2),
        place: region(1, 2),
        at: None,
    });
    let violation =
        Violation { property: Property::Unreachability, region: region(2, 9), stack: CallStack::default() };
    Verdict::Unsafe(Trace { violation, choices: choices.collect() })
}

fn reason(program: &Program, verdict: Verdict) -> Option<&'static str> {
    match certify(&Prepared::of(program), verdict, &mut Budget::unlimited()).verdict() {
        Verdict::Unknown(reason) => Some(reason.code()),
        Verdict::Safe(_) | Verdict::Unsafe(_) => None,
    }
}

#[test]
fn a_trace_is_certified_only_if_its_inputs_lead_to_its_violation() {
    let program = guessing();
    let found = certify(&Prepared::of(&program), trace(&[7]), &mut Budget::unlimited());
    assert!(matches!(found.check(), Some(Check::Replayed { .. })), "{found:?}");
    for wrong in [&[][..], &[6], &[7, 7]] {
        assert_eq!(reason(&program, trace(wrong)), Some("not-certified"), "{wrong:?}");
    }
    let Verdict::Unsafe(mut elsewhere) = trace(&[7]) else { unreachable!("it is a trace") };
    elsewhere.violation.region = region(3, 9);
    assert_eq!(reason(&program, Verdict::Unsafe(elsewhere)), Some("not-certified"));
}

#[test]
fn a_proof_by_execution_is_certified_only_if_there_is_one_execution_with_that_end() {
    let safe = |end| Verdict::Safe(Proof::Execution(end));
    let exits = program("proc %start() {\n  entry l0\n  exit l1\n  l0 -> l1 : exit(3:i32)\n}\n");
    assert_eq!(reason(&exits, safe(End::Exited { status: 3 })), None);
    assert_eq!(reason(&exits, safe(End::Exited { status: 4 })), Some("not-certified"));
    assert_eq!(reason(&guessing(), safe(End::Returned)), Some("not-certified"));
    let fails = program("proc %start() {\n  entry l0\n  exit l1\n  error l2\n  l0 -> l2 : assume true\n}\n");
    assert_eq!(reason(&fails, safe(End::Returned)), Some("not-certified"));
}

#[test]
fn approximations_cap_the_verdict() {
    let mut program = guessing();
    let approximation = |kind| Approximation { kind, what: "something".to_owned(), region: Region::NOWHERE };
    program.approximations.push(approximation(ApproximationKind::Under));
    assert_eq!(reason(&program, trace(&[7])), None);
    let end = End::Returned;
    assert_eq!(reason(&program, Verdict::Safe(Proof::Execution(end))), Some("under-approximated"));
    program.approximations.push(approximation(ApproximationKind::Over));
    assert_eq!(reason(&program, trace(&[7])), Some("over-approximated"));
}

#[test]
fn a_budget_that_ends_makes_it_unknown() {
    let endless = program("proc %start() {\n  entry l0\n  exit l1\n  l0 -> l0\n}\n");
    let verdict = Verdict::Safe(Proof::Execution(End::Returned));
    let certified = certify(&Prepared::of(&endless), verdict, &mut Budget::ticks(1000));
    assert_eq!(*certified.verdict(), Verdict::Unknown(Reason::Stopped(Stop::Ticks)));
}

#[test]
fn the_ledger_says_where_an_execution_is_not_considered_further() {
    let divides = program(
        "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n\
         l0 -> l1 : x := 1:i32 / 0:i32  @f0:5:1-5:9 stmt\n}\n",
    );
    let Execution::Ended(end) = execute(&divides, &mut Budget::unlimited()) else {
        panic!("undefined behaviour ends the execution")
    };
    let certified =
        certify(&Prepared::of(&divides), Verdict::Safe(Proof::Execution(end)), &mut Budget::unlimited());
    let notes = &certified.ledger().unwrap().assumptions;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].what.contains("division by zero"), "{}", notes[0].what);
    assert_eq!(notes[0].region, region(5, 9));
}
