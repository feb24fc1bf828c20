//! The check that evidence must pass before it is reported.
//!
//! # Invariants
//! * I1: `Certified` says safe or unsafe only if the evidence passed its check against the program alone.
//! * I2: it never says safe about a program that lacks behaviour of its source, nor unsafe about one that has more.
//! * I3: a budget that ends during the check makes the verdict unknown.

use base::Budget;
use cfa::{Approximation, ApproximationKind, Freedom, Program, Source};
use interp::{Chosen, Inputs, Outcome, Uninitialised};
use passes::Prepared;

use verdict::{End, Ledger, Proof, Reason, Trace, Verdict};

use crate::annotation;
use crate::execution::{Execution, execute};
use crate::exhaust::{Exhaustion, exhaust};

/// The most places of undefined behaviour that the ledger names for a set of executions.
const MOST_UNDEFINED: usize = 8;

/// A verdict whose evidence was checked, with what it rests on.
#[derive(Clone, Debug)]
pub struct Certified {
    verdict: Verdict,
    check: Option<Check>,
    ledger: Option<Ledger>,
}

/// How evidence was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The interpreter repeated the trace from the start.
    Replayed {
        /// Work that it took.
        ticks: u64,
    },
    /// The interpreter carried out the execution again.
    Reexecuted {
        /// Work that it took.
        ticks: u64,
    },
    /// The solver proved the invariants to be initial, inductive and sufficient.
    Proved {
        /// How many proofs that took.
        obligations: u64,
    },
}

impl Certified {
    /// Nothing is claimed, so there is nothing to check.
    pub fn unknown(reason: Reason) -> Self {
        Self { verdict: Verdict::Unknown(reason), check: None, ledger: None }
    }
    /// The same without its claim: something outside of the program's own check contradicts the evidence. What it rested on stays.
    #[must_use]
    pub fn refuted(self, why: String) -> Self {
        Self { verdict: Verdict::Unknown(Reason::NotCertified { why }), check: None, ..self }
    }
    /// The verdict.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }
    /// How its evidence was checked; `None` if it is unknown.
    pub fn check(&self) -> Option<Check> {
        self.check
    }
    /// What it rests on; `None` if there was no program.
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }
}

/// Checks the evidence of a verdict about a program.
pub fn certify(task: &Prepared<'_>, verdict: Verdict, budget: &mut Budget) -> Certified {
    let program = task.given();
    let mut ledger = Ledger::new(program);
    let before = budget.spent();
    let checked = match &verdict {
        Verdict::Safe(proof) => check_proof(task, proof, &mut ledger, budget),
        Verdict::Unsafe(trace) => {
            check_trace(program, trace, budget).map(|()| Check::Replayed { ticks: budget.spent() - before })
        }
        Verdict::Unknown(_) => return Certified { verdict, check: None, ledger: Some(ledger) },
    };
    match checked {
        Ok(check) => Certified { verdict, check: Some(check), ledger: Some(ledger) },
        Err(reason) => Certified { verdict: Verdict::Unknown(reason), check: None, ledger: Some(ledger) },
    }
}

fn check_proof(
    task: &Prepared<'_>,
    proof: &Proof,
    ledger: &mut Ledger,
    budget: &mut Budget,
) -> Result<Check, Reason> {
    let program = task.given();
    if let Some(missing) = find(program, ApproximationKind::Under) {
        return Err(Reason::Underapproximated { what: missing.what.clone(), region: missing.region });
    }
    match proof {
        Proof::Annotation(annotation) => {
            ledger.add_undefined(program);
            annotation::check(task, annotation, budget).map(|obligations| Check::Proved { obligations })
        }
        Proof::Execution(end) => check_execution(program, end, ledger, budget),
        Proof::Executions(count) => check_executions(program, *count, ledger, budget),
    }
}

fn check_execution(
    program: &Program,
    end: &End,
    ledger: &mut Ledger,
    budget: &mut Budget,
) -> Result<Check, Reason> {
    let before = budget.spent();
    match execute(program, budget) {
        Execution::Ended(found) if found == *end => {}
        Execution::Undecided(Reason::Stopped(stop)) => return Err(Reason::Stopped(stop)),
        other => return Err(Reason::NotCertified { why: format!("the check ended differently: {other:?}") }),
    }
    if let End::Undefined { kind, region, .. } = end {
        ledger.add(format!("the execution is not considered beyond undefined behaviour ({kind})"), *region);
    }
    Ok(Check::Reexecuted { ticks: budget.spent() - before })
}

fn check_executions(
    program: &Program,
    count: u64,
    ledger: &mut Ledger,
    budget: &mut Budget,
) -> Result<Check, Reason> {
    let before = budget.spent();
    match exhaust(program, budget) {
        Exhaustion::Safe { executions, undefined } if executions == count => {
            for (region, kind) in undefined.into_iter().take(MOST_UNDEFINED) {
                ledger.add(
                    format!("an execution is not considered beyond undefined behaviour ({kind})"),
                    region,
                );
            }
            Ok(Check::Reexecuted { ticks: budget.spent() - before })
        }
        Exhaustion::TooLong => Err(Reason::Stopped(budget.poll().err().unwrap_or(base::Stop::Ticks))),
        other => Err(Reason::NotCertified { why: format!("the check ended differently: {other:?}") }),
    }
}

fn check_trace(program: &Program, trace: &Trace, budget: &mut Budget) -> Result<(), Reason> {
    if let Some(extra) = find(program, ApproximationKind::Over) {
        return Err(Reason::Overapproximated { what: extra.what.clone(), region: extra.region });
    }
    check_choices(&trace.choices)?;
    // A trace that says nothing about uninitialised values must not depend on them. What the library has written is chosen like them, when it is read.
    let has = |wanted: fn(&Source) -> bool| trace.choices.iter().any(|chosen| wanted(&chosen.source));
    if has(|source| *source == Source::Uninitialised) {
        return replay(program, trace, Uninitialised::Choose, budget);
    }
    match replay(program, trace, Uninitialised::Report, budget) {
        Err(Reason::NotCertified { .. }) if has(|source| matches!(source, Source::Library { .. })) => {
            replay(program, trace, Uninitialised::Choose, budget)
        }
        result => result,
    }
}

/// Repeats a trace from the start.
fn replay(program: &Program, trace: &Trace, mode: Uninitialised, budget: &mut Budget) -> Result<(), Reason> {
    let mut inputs = Inputs::replay(&trace.choices);
    let run = interp::run(program, mode, &mut inputs, &mut std::io::sink(), budget);
    // What a value was asked for counts, not what the trace says of it.
    check_choices(&run.choices)?;
    match &run.outcome {
        Outcome::Error { region, property }
            if (*region, *property) == (trace.violation.region, trace.violation.property) =>
        {
            if inputs.remaining() == 0 {
                Ok(())
            } else {
                Err(Reason::NotCertified { why: "the trace has more inputs than its execution".to_owned() })
            }
        }
        Outcome::Stopped(stop) => Err(Reason::Stopped(*stop)),
        other => Err(Reason::NotCertified { why: format!("the check ended differently: {other}") }),
    }
}

/// Whether a program is free to choose these values: not those that the C library defines.
pub fn check_choices(choices: &[Chosen]) -> Result<(), Reason> {
    for chosen in choices {
        if let Source::Library { function, freedom: Freedom::Determined } = &chosen.source {
            let what = format!("the counterexample depends on a value that `{function}` computes");
            return Err(Reason::Overapproximated { what, region: chosen.place });
        }
    }
    Ok(())
}

fn find(program: &Program, kind: ApproximationKind) -> Option<&Approximation> {
    program.approximations.iter().find(|approximation| approximation.kind == kind)
}

#[cfg(test)]
mod tests {
    use base::{FileId, Region, Stop};
    use cfa::Ty;
    use interp::{CallStack, Property, Value};

    use super::*;
    use verdict::Violation;

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
        let violation = Violation {
            property: Property::Unreachability,
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
        let fails =
            program("proc %start() {\n  entry l0\n  exit l1\n  error l2\n  l0 -> l2 : assume true\n}\n");
        assert_eq!(reason(&fails, safe(End::Returned)), Some("not-certified"));
    }

    #[test]
    fn approximations_cap_the_verdict() {
        let mut program = guessing();
        let approximation =
            |kind| Approximation { kind, what: "something".to_owned(), region: Region::NOWHERE };
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
}
