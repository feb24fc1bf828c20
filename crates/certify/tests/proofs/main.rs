//! Proofs by invariants as values: they cross threads, have a text, and every change of one is rejected or still a proof.
//!
//! Whether an accepted change is still a proof is decided twice more: by a second proof with other formulas (`prove`, whose head says what it shows), and by executions of the interpreter
//! (`execute`), which are all that is left where the second proof is open.

mod bits;
mod cases;
mod execute;
mod mutate;
mod path;
mod prove;

use std::collections::BTreeMap;
use std::sync::Arc;

use base::Budget;
use cases::Case;
use certify::certify;
use cfa::Program;
use mutate::Mutant;
use passes::Prepared;
use prove::Opinion;
use testkit::Random;
use verdict::{Annotation, Proof, Reason, Verdict};

/// What the check of a changed proof may cost beyond twice the cost of the proof itself.
const MIN_EFFORT: u64 = 150;

/// One of so many rejected mutants is given to the second check, too: a check that refutes nothing would prove nothing.
const REJECTED_STEP: u64 = 8;

/// What the check says of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accepted,
    Rejected,
    /// Neither within the effort.
    GaveUp,
}

fn answer(task: &Prepared<'_>, annotation: Annotation, budget: &mut Budget) -> Answer {
    let verdict = Verdict::Safe(Proof::Annotation(Arc::new(annotation)));
    match certify(task, verdict, budget).verdict() {
        Verdict::Safe(_) => Answer::Accepted,
        Verdict::Unknown(Reason::Stopped(_) | Reason::SolverGaveUp { .. }) => Answer::GaveUp,
        Verdict::Unknown(_) | Verdict::Unsafe(_) => Answer::Rejected,
    }
}

fn is_accepted(task: &Prepared<'_>, annotation: Annotation) -> bool {
    answer(task, annotation, &mut Budget::ticks(1 << 16)) == Answer::Accepted
}

#[test]
fn a_verdict_can_be_sent_to_another_thread() {
    fn is_portable<T: Send + Sync + 'static>() {}
    is_portable::<Verdict>();
    is_portable::<verdict::Formula>();
}

#[test]
fn a_proof_is_read_back_as_it_was_written() {
    for case in cases::cases() {
        let text = case.annotation.to_string();
        let read: Annotation =
            text.parse().unwrap_or_else(|error| panic!("{}: {error:?}\n{text}", case.name));
        assert_eq!(read, *case.annotation, "{}", case.name);
        assert_eq!(read.to_string(), text, "{}", case.name);
        assert!(is_accepted(&Prepared::of(&case.program), read), "{}", case.name);
    }
}

#[test]
fn a_damaged_text_is_refused_or_checked_like_any_other() {
    let mut random = Random::new(7);
    let (mut refused, mut read_anyway) = (0, 0);
    for case in cases::cases().into_iter().take(6) {
        let text = case.annotation.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        let task = Prepared::of(&case.program);
        for _ in 0..40 {
            let mut damaged = words.clone();
            let (at, from) = (random.below(words.len()), random.below(words.len()));
            match random.below(3) {
                0 => damaged[at] = words[from],
                1 => damaged.truncate(at),
                _ => damaged[at] = ["99999999999", "-1", "18446744073709551615", "0", ""][random.below(5)],
            }
            match damaged.join(" ").parse::<Annotation>() {
                Err(_) => refused += 1,
                Ok(annotation) => {
                    read_anyway += 1;
                    if is_accepted(&task, annotation.clone()) {
                        let found = execute::counterexample(task.program(), &annotation);
                        assert_eq!(found, None, "{}", case.name);
                    }
                }
            }
        }
    }
    assert!(refused > 40 && read_anyway > 40, "{refused} refused, {read_anyway} read");
}

/// What became of the mutants of proofs.
#[derive(Debug, Default)]
struct Tally {
    rejected: u64,
    given_up: u64,
    accepted: u64,
    /// How many accepted ones were proved a second time, and why the others were not.
    proved: u64,
    open: BTreeMap<(String, &'static str), u64>,
    /// How many rejected ones were given to the second check, and how many it refutes.
    asked: u64,
    refuted: u64,
}

/// The mutants of a proof that the check accepts, and some that it rejects. None of the first is contradicted by an execution.
fn judged_mutants(case: &Case, task: &Prepared<'_>, tally: &mut Tally) -> (Vec<Mutant>, Vec<Mutant>) {
    let mut budget = Budget::unlimited();
    assert_eq!(answer(task, (*case.annotation).clone(), &mut budget), Answer::Accepted, "{}", case.name);
    let effort = 2 * budget.spent() + MIN_EFFORT;
    assert_eq!(execute::counterexample(task.program(), &case.annotation), None, "{}", case.name);
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    for mutant in mutate::mutants(&case.annotation) {
        match answer(task, mutant.annotation.clone(), &mut Budget::ticks(effort)) {
            Answer::Accepted => {
                tally.accepted += 1;
                let found = execute::counterexample(task.program(), &mutant.annotation);
                assert_eq!(found, None, "{}: {} is accepted", case.name, mutant.what);
                accepted.push(mutant);
            }
            Answer::Rejected => {
                tally.rejected += 1;
                if tally.rejected.is_multiple_of(REJECTED_STEP) {
                    rejected.push(mutant);
                }
            }
            Answer::GaveUp => tally.given_up += 1,
        }
    }
    (accepted, rejected)
}

/// Proves accepted mutants a second time.
fn prove_again(case: &Case, program: &Program, judged: (Vec<Mutant>, Vec<Mutant>), tally: &mut Tally) {
    let mut second = prove::Second::new(program, &case.annotation);
    let (accepted, rejected) = judged;
    for mutant in &rejected {
        tally.asked += 1;
        // The check may be wrong about these in one way only: what it rejects may be a proof with other instances.
        tally.refuted += u64::from(matches!(second.opinion(&mutant.annotation), Opinion::Refuted(_)));
    }
    for mutant in &accepted {
        match second.opinion(&mutant.annotation) {
            Opinion::Proof => tally.proved += 1,
            Opinion::Open(why) => *tally.open.entry((case.name.clone(), why)).or_default() += 1,
            Opinion::Refuted(why) => panic!("{}: {} is accepted: {why}", case.name, mutant.what),
        }
    }
}

#[test]
fn changed_proofs_are_rejected_or_still_proofs() {
    let mut tally = Tally::default();
    for case in cases::cases() {
        let task = Prepared::of(&case.program);
        let judged = judged_mutants(&case, &task, &mut tally);
        // A solver's context belongs to a thread: what the second check asks should not change what the first one answers.
        let (program, tally) = (task.program(), &mut tally);
        let second = || prove_again(&case, program, judged, tally);
        let done = std::thread::scope(|scope| scope.spawn(second).join());
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
    println!("{tally:?}");
    let Tally { rejected, given_up, accepted, proved, asked, refuted, .. } = tally;
    assert!(refuted * 2 > asked, "the second check refutes {refuted} of {asked} rejected mutants");
    assert!(proved * 10 >= accepted * 9, "{proved} of {accepted} accepted mutants are proved a second time");
    // Many facts and instances of a proof are not needed.
    let all = rejected + accepted + given_up;
    assert!(rejected * 5 >= all * 2 && given_up * 10 < all, "{rejected}, {accepted}, {given_up}");
}
