//! The check that evidence must pass before it is reported.
//!
//! # Invariants
//! * I1: `Certified` says safe or unsafe only if the evidence passed its check against the program alone.
//! * I2: it never says safe about a program that lacks behaviour of its source, nor unsafe about one that has more.
//! * I3: a budget that ends during the check makes the verdict unknown.

use base::Budget;
use cfa::{Approximation, ApproximationKind, CheckKind, Freedom, Program, Source};
use interp::{Chosen, Config, Inputs, Outcome, Uninitialised};
use passes::Prepared;

use values::representatives::MOST_VALUES;
use verdict::{End, Ledger, Proof, Reason, Trace, Verdict};

use crate::annotation::check_annotation;
use crate::bounded::check_bounded;
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
    /// The solver proved the invariants to be initial, inductive and sufficient; or, of a bounded program, that no way leads to the error.
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
            check_annotation(task, annotation, budget, &mut |_, _, _| {})
                .map(|obligations| Check::Proved { obligations })
        }
        Proof::Bounded(proof) => {
            ledger.add_undefined(program);
            check_bounded(task, *proof, budget, &mut |_, _, _| {})
                .map(|obligations| Check::Proved { obligations })
        }
        Proof::Execution(end) => check_execution(program, end, ledger, budget),
        Proof::Executions(count) => check_executions(program, *count, ledger, budget),
        Proof::UnwoundExecutions(count) => match task.unwound() {
            Some(unwound) => {
                // The passes have turned undefined behaviour into guards.
                ledger.add_undefined(program);
                check_executions(unwound, *count, ledger, budget)
            }
            None => Err(Reason::NotCertified { why: "the program is not recursive".to_owned() }),
        },
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
    match exhaust(program, MOST_VALUES, budget) {
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
    if program.is_violation(CheckKind::Uninitialised) {
        return replay(program, trace, Uninitialised::Report, budget);
    }
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
    let run =
        interp::run_with(program, mode, Config::unobserved(), &mut inputs, &mut std::io::sink(), budget);
    // What a value was asked for counts, not what the trace says of it.
    check_choices(&run.choices)?;
    match &run.outcome {
        Outcome::Error { region, kind, site, .. }
            if (*region, *kind) == (trace.violation.region, trace.violation.kind)
                && trace.violation.site.is_none_or(|stated| *site == Some(stated)) =>
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
