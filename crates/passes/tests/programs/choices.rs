//! Choices of runs of prepared programs answer runs of the programs as given.

use base::{Budget, Region};
use cfa::text::parse;
use cfa::{Op, Program};
use interp::{Choice, Chosen, Oracle, Outcome, Position, Request, Run, Uninitialised};
use passes::{OpInstance, Prepared};

use crate::generate::{Random, text};

fn run(program: &Program, oracle: &mut dyn Oracle) -> Run {
    interp::run(program, Uninitialised::Choose, oracle, &mut std::io::sink(), &mut Budget::ticks(200_000))
}

/// Gives all inputs one place in the source: it tells nothing.
fn without_places(program: &mut Program) {
    for procedure in &mut program.procs {
        for edge in procedure.edges().ids().collect::<Vec<_>>() {
            for op in &mut procedure.edge_mut(edge).ops {
                if let Op::Havoc { at, .. } = op {
                    *at = Region::NOWHERE;
                }
            }
        }
    }
}

#[test]
fn what_reaches_the_error_of_the_prepared_program_reaches_that_of_the_given_one() {
    let (mut errors, mut asked) = (0, 0);
    for seed in 0..1500 {
        let mut given = parse("random.cfa", &text(seed)).unwrap();
        without_places(&mut given);
        let task = Prepared::of(&given);
        if task.kept_call().is_some() {
            continue;
        }
        for inputs in 0..4 {
            let mut random = Random(inputs);
            let mut oracle = |_: &Request<'_>| {
                Some(match random.below(3) {
                    0 => Choice::Int(random.below(9) as i128 - 3),
                    1 => Choice::Int(i128::from(i32::MAX) - random.below(2) as i128),
                    _ => Choice::Int(i128::from(random.next())),
                })
            };
            let before = run(task.program(), &mut oracle);
            if !matches!(before.outcome, Outcome::Error { .. }) {
                continue;
            }
            let after = run(&given, &mut task.choices_back(&before.choices));
            // What does not matter for the error may be undefined.
            let is_fine = matches!(after.outcome, Outcome::Error { .. } | Outcome::Undefined { .. });
            assert!(is_fine, "seed {seed}, inputs {inputs}: {:?}\n{}", after.outcome, text(seed));
            errors += usize::from(matches!(after.outcome, Outcome::Error { .. }));
            asked += before.choices.len();
        }
    }
    assert!(errors > 300 && asked > 150, "{errors} errors, {asked} choices");
}

/// `f` asks twice and gives the second answer; it is called twice on one edge.
const TWICE: &str = r#"
    program LP64 start=main
    proc main() {
      local x : i32
      local y : i32
      error l9
      l0 -> l2 : call f() -> (x); call f() -> (y)
      l2 -> l9 : assume x == 7:i32 & y == 9:i32
      l2 -> l1
    }
    proc f() -> (%return) {
      local %return : i32
      local junk : i32
      l0 -> l2 : havoc junk input "nondet"; havoc %return input "nondet"
      l2 -> l1
    }"#;

/// Where a run was asked, and what it was told.
fn asked(task: &Prepared<'_>, program: &Program, oracle: &mut dyn Oracle) -> Vec<(OpInstance, i128)> {
    let mut instances = Vec::new();
    let mut recording = |request: &Request<'_>| {
        instances.push(task.instance_of(request).unwrap());
        oracle.choose(request)
    };
    let choices = run(program, &mut recording).choices;
    instances.into_iter().zip(choices.iter().map(|chosen: &Chosen| chosen.value.as_int())).collect()
}

#[test]
fn the_operations_of_one_function_called_twice_are_told_apart() {
    let given = parse("twice.cfa", TWICE).unwrap();
    let task = Prepared::of(&given);
    let mut values = [7, 9].into_iter();
    let mut oracle = |_: &Request<'_>| values.next().map(Choice::Int);
    let before = run(task.program(), &mut oracle);
    assert!(matches!(before.outcome, Outcome::Error { .. }), "{:?}", before.outcome);
    // The first answer of each call does not matter and is not asked for.
    assert_eq!(before.choices.len(), 2);
    let main = given.find_proc("main").unwrap();
    let callee = given.find_proc("f").unwrap();
    let instance = |call: u32, op: u32| OpInstance {
        calls: vec![Position { proc: main, edge: cfa::EdgeId(0), op: call }],
        at: Position { proc: callee, edge: cfa::EdgeId(0), op },
    };
    let expected = [(instance(0, 0), 0), (instance(0, 1), 7), (instance(1, 0), 0), (instance(1, 1), 9)];
    assert_eq!(asked(&task, &given, &mut task.choices_back(&before.choices)), expected);
    for (chosen, call) in before.choices.iter().zip([0, 1]) {
        assert_eq!(task.instance_back([], chosen.at.unwrap()), Some(instance(call, 1)));
    }
}
