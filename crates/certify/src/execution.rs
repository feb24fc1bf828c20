//! Carrying out the only execution of a program.
//!
//! A nondeterministic value that is never used does not lead to several executions. So such values are treated as uninitialised:
//! the interpreter copies them, and reports the first step that depends on one.
//!
//! # Invariants
//! * I1: if [`execute`] returns [`Execution::Ended`] or [`Execution::Violated`], every execution of the program ends like
//!   that: up to that point no step depended on an arbitrary value.

use base::{Budget, Region, Stop};
use cfa::{CheckKind, Op, Program, Source};
use interp::{Config, Outcome, Resource, Run, UndefinedKind, Uninitialised};

use verdict::{End, Reason, Trace, Violation};

/// What the only execution of a program does, if there is an only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// It ends without reaching the error.
    Ended(End),
    /// It reaches the error; arbitrary values that do not matter are part of the trace all the same.
    Violated(Trace),
    /// There is more than one: an arbitrary value matters.
    Arbitrary {
        /// What the value is.
        what: String,
        /// Where it comes from, or where it is read if it is an uninitialised one.
        region: Region,
    },
    /// It was not carried out to its end.
    Undecided(Reason),
}

/// Runs a program until it ends or until an arbitrary value matters.
pub fn execute(program: &Program, budget: &mut Budget) -> Execution {
    let first = run_without_inputs(program, budget);
    let Outcome::OutOfInputs { region } = first.outcome else { return classify(program, first) };
    let blind = blind(program);
    match classify(&blind, run_without_inputs(&blind, budget)) {
        Execution::Violated(_) => {
            let mode = Uninitialised::Report;
            let config = Config::unobserved();
            let run =
                interp::run_with(program, mode, config, &mut interp::Zero, &mut std::io::sink(), budget);
            classify(program, run)
        }
        // The place where the value comes from is more useful than the place of its first use.
        Execution::Arbitrary { .. } => {
            Execution::Arbitrary { what: "a nondeterministic value".to_owned(), region }
        }
        other => other,
    }
}

fn run_without_inputs(program: &Program, budget: &mut Budget) -> Run {
    let mut nobody = |_: &interp::Request<'_>| None;
    let mode = Uninitialised::Report;
    interp::run_with(program, mode, Config::unobserved(), &mut nobody, &mut std::io::sink(), budget)
}

/// The program in which every arbitrary value is uninitialised.
fn blind(program: &Program) -> Program {
    let mut program = program.clone();
    // What lacks a value now is not what the program has not given one.
    program.checks.remove(CheckKind::Uninitialised);
    for procedure in &mut program.procs {
        let edges = procedure.edges().ids();
        for edge in edges {
            for op in &mut procedure.edge_mut(edge).ops {
                if let Op::Havoc { source, .. } = op {
                    *source = Source::Uninitialised;
                }
            }
        }
    }
    program
}

/// What an outcome says about all executions.
fn classify(program: &Program, run: Run) -> Execution {
    let unsupported = |feature: String, region| Execution::Undecided(Reason::Unsupported { feature, region });
    match run.outcome {
        Outcome::Returned => Execution::Ended(End::Returned),
        Outcome::Exit { status } => Execution::Ended(End::Exited { status }),
        Outcome::Halted { region } => Execution::Ended(End::Aborted { region }),
        Outcome::Blocked { region } => Execution::Ended(End::Blocked { region }),
        Outcome::Error { region, kind, detail, site } => {
            let violation = Violation { kind, region, detail, site, stack: run.stack };
            Execution::Violated(Trace { violation, choices: run.choices })
        }
        // Any value may stand in an uninitialised variable: reading it is not the end, it is a choice; unless it is a violation.
        Outcome::Undefined { kind: UndefinedKind::UninitialisedRead, region, .. }
            if !program.is_violation(CheckKind::Uninitialised) =>
        {
            Execution::Arbitrary { what: "an uninitialised value".to_owned(), region }
        }
        Outcome::Undefined { kind, region, detail } => {
            Execution::Ended(End::Undefined { kind, detail, region })
        }
        Outcome::OutOfInputs { region } => {
            Execution::Arbitrary { what: "a nondeterministic value".to_owned(), region }
        }
        Outcome::Resource { what: Resource::Memory, .. } => {
            Execution::Undecided(Reason::Stopped(Stop::Memory))
        }
        Outcome::Resource { what, region } => unsupported(what.to_string(), region),
        Outcome::Unsupported { what, region } => unsupported(what, region),
        Outcome::Stopped(stop) => Execution::Undecided(Reason::Stopped(stop)),
    }
}
