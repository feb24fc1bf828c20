//! What evidence is certified, and what caps a verdict.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, FileId, Region, Stop};
use certify::{Check, Execution, certify, execute};
use cfa::CheckKind;
use cfa::{Approximation, ApproximationKind, Freedom, Program, Source, Ty};
use interp::{CallStack, Chosen, Value};
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
        held: None,
    });
    let violation = Violation {
        kind: CheckKind::Assertion,
        detail: String::new(),
        site: None,
        region: region(2, 9),
        stack: CallStack::default(),
    };
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

fn choice(source: Source, value: i128) -> Chosen {
    Chosen {
        value: Value::int(Ty::signed(32), value),
        source,
        region: region(1, 2),
        place: region(1, 2),
        at: None,
        held: None,
    }
}

fn chosen(choices: Vec<Chosen>) -> Verdict {
    let violation = Violation {
        kind: CheckKind::Assertion,
        detail: String::new(),
        site: None,
        region: region(2, 9),
        stack: CallStack::default(),
    };
    Verdict::Unsafe(Trace { violation, choices })
}

fn input(value: i128) -> Chosen {
    choice(Source::Input { function: "nondet".into() }, value)
}

fn library(freedom: Freedom, value: i128) -> Chosen {
    choice(Source::Library { function: "f".into(), freedom }, value)
}

/// Reaches the error if a variable that was never set is 7, behind some operations.
fn uninitialised(before: &str) -> Program {
    program(&format!(
        "proc %start() {{\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l3\n  loc l2\n\
         l0 -> l2 : {before}\n\
         l2 -> l3 : assume x == 7:i32  @f0:2:1-2:9 stmt\n\
         l2 -> l1 : assume x != 7:i32\n}}\n"
    ))
}

#[test]
fn a_trace_that_depends_on_an_uninitialised_value_says_so() {
    let program = uninitialised("y := 1:i32");
    assert_eq!(reason(&program, chosen(vec![choice(Source::Uninitialised, 7)])), None);
    assert_eq!(reason(&program, chosen(vec![choice(Source::Uninitialised, 6)])), Some("not-certified"));
    // The same value, said to be an input.
    assert_eq!(reason(&program, chosen(vec![input(7)])), Some("not-certified"));
}

#[test]
fn what_the_library_has_written_is_chosen_when_it_is_read() {
    let program = uninitialised("havoc y world \"f\" at @f0:1:1-1:2");
    let written = |value| chosen(vec![library(Freedom::World, 1), library(Freedom::World, value)]);
    assert_eq!(reason(&program, written(7)), None);
    assert_eq!(reason(&program, written(6)), Some("not-certified"));
    assert_eq!(reason(&program, chosen(vec![input(1), input(7)])), Some("not-certified"));
}

#[test]
fn a_value_that_the_library_computes_is_no_evidence() {
    let computed = guessing();
    let said = chosen(vec![library(Freedom::Determined, 7)]);
    assert_eq!(reason(&computed, said), Some("over-approximated"));
    // What the program asks for counts, not what the trace says of it.
    let asks = program(
        "proc %start() {\n  local x : i32\n  entry l0\n  exit l1\n  error l3\n  loc l2\n\
         l0 -> l2 : havoc x library \"f\" at @f0:1:1-1:2\n\
         l2 -> l3 : assume x == 7:i32  @f0:2:1-2:9 stmt\n\
         l2 -> l1 : assume x != 7:i32\n}\n",
    );
    assert_eq!(reason(&asks, chosen(vec![input(7)])), Some("over-approximated"));
}

#[test]
fn a_trace_of_another_property_is_not_certified() {
    let Verdict::Unsafe(mut other) = trace(&[7]) else { unreachable!("it is a trace") };
    other.violation.kind = CheckKind::SignedOverflow;
    assert_eq!(reason(&guessing(), Verdict::Unsafe(other)), Some("not-certified"));
}

/// Divides 12 by an input from 0 to 2.
fn few() -> Program {
    program(
        "proc %start() {\n  local x : i32\n  local y : i32\n  entry l0\n  exit l1\n  error l9\n  loc l2\n  loc l3\n\
         l0 -> l2 : havoc x input \"nondet\" at @f0:1:1-1:2\n\
         l2 -> l1 : assume x < 0:i32 | 2:i32 < x\n\
         l2 -> l3 : assume !(x < 0:i32 | 2:i32 < x)\n\
         l3 -> l4 : y := 12:i32 / x  @f0:5:1-5:9 stmt\n\
         l4 -> l9 : assume y == 7:i32\n  l4 -> l1 : assume y != 7:i32\n}\n",
    )
}

#[test]
fn a_proof_by_executions_is_certified_only_if_there_are_so_many() {
    let program = few();
    let task = Prepared::of(&program);
    let safe = |count| Verdict::Safe(Proof::Executions(count));
    // Below 0, 0 to 2, above 2.
    let found = certify(&task, safe(5), &mut Budget::unlimited());
    assert!(matches!(found.check(), Some(Check::Reexecuted { .. })), "{found:?}");
    let notes = &found.ledger().unwrap().assumptions;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].what.contains("division by zero"), "{}", notes[0].what);
    assert_eq!(notes[0].region, region(5, 9));
    for wrong in [0, 4, 6] {
        assert_eq!(reason(&program, safe(wrong)), Some("not-certified"), "{wrong}");
    }
    assert_eq!(reason(&guessing(), safe(5)), Some("not-certified"));
    let stopped = certify(&task, safe(5), &mut Budget::ticks(3));
    assert_eq!(*stopped.verdict(), Verdict::Unknown(Reason::Stopped(Stop::Ticks)));
}

/// The work that a check says it took, and that the budget was charged with.
fn work(program: &Program, verdict: Verdict) -> (u64, u64) {
    let mut budget = Budget::unlimited();
    budget.charge(100_000).unwrap();
    let found = certify(&Prepared::of(program), verdict, &mut budget);
    match found.check() {
        Some(Check::Replayed { ticks } | Check::Reexecuted { ticks }) => (ticks, budget.spent() - 100_000),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_work_of_a_check_is_what_the_check_took() {
    let exits = program("proc %start() {\n  entry l0\n  exit l1\n  l0 -> l1 : exit(3:i32)\n}\n");
    for (said, charged) in [
        work(&guessing(), trace(&[7])),
        work(&exits, Verdict::Safe(Proof::Execution(End::Exited { status: 3 }))),
        work(&few(), Verdict::Safe(Proof::Executions(5))),
    ] {
        assert_eq!(said, charged);
    }
}

#[test]
fn a_refuted_verdict_is_unknown_and_keeps_its_ledger() {
    let divides = few();
    let safe = Verdict::Safe(Proof::Executions(5));
    let certified = certify(&Prepared::of(&divides), safe, &mut Budget::unlimited());
    let ledger = certified.ledger().cloned();
    let refuted = certified.refuted("something else says so".to_owned());
    let why = "something else says so".to_owned();
    assert_eq!(*refuted.verdict(), Verdict::Unknown(Reason::NotCertified { why }));
    assert_eq!(refuted.check(), None);
    assert_eq!(refuted.ledger().map(|ledger| ledger.assumptions.len()), Some(1));
    assert!(ledger.is_some());
}

#[test]
fn an_unknown_verdict_stays_what_it_is() {
    let unknown = Verdict::Unknown(Reason::Stopped(Stop::Ticks));
    let certified = certify(&Prepared::of(&guessing()), unknown.clone(), &mut Budget::unlimited());
    assert_eq!((certified.verdict(), certified.check()), (&unknown, None));
    assert!(certified.ledger().is_some());
    let without = certify::Certified::unknown(Reason::Stopped(Stop::Memory));
    assert_eq!(*without.verdict(), Verdict::Unknown(Reason::Stopped(Stop::Memory)));
    assert!(without.check().is_none() && without.ledger().is_none());
}
