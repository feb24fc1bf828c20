//! Proofs by invariants as values: they cross threads, have a text, and every change of one is rejected or still a proof.

mod cases;
mod execute;
mod mutate;

use std::sync::Arc;

use base::Budget;
use certify::certify;
use passes::Prepared;
use testkit::Random;
use verdict::{Annotation, Proof, Reason, Verdict};

/// What the check of a changed proof may cost beyond twice the cost of the proof itself.
const MIN_EFFORT: u64 = 100;

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

#[test]
fn changed_proofs_are_rejected_or_still_proofs() {
    let (mut rejected, mut accepted, mut given_up) = (0_u64, 0_u64, 0_u64);
    for case in cases::cases() {
        let task = Prepared::of(&case.program);
        let mut budget = Budget::unlimited();
        assert_eq!(answer(&task, (*case.annotation).clone(), &mut budget), Answer::Accepted, "{}", case.name);
        let effort = 2 * budget.spent() + MIN_EFFORT;
        assert_eq!(execute::counterexample(task.program(), &case.annotation), None, "{}", case.name);
        for mutant in mutate::mutants(&case.annotation) {
            match answer(&task, mutant.annotation.clone(), &mut Budget::ticks(effort)) {
                Answer::Accepted => {
                    accepted += 1;
                    let found = execute::counterexample(task.program(), &mutant.annotation);
                    assert_eq!(found, None, "{}: {} is accepted", case.name, mutant.what);
                }
                Answer::Rejected => rejected += 1,
                Answer::GaveUp => given_up += 1,
            }
        }
    }
    println!(
        "{rejected} mutants of proofs are rejected, {accepted} are still proofs, {given_up} are left open"
    );
    // Many facts and instances of a proof are not needed.
    let all = rejected + accepted + given_up;
    assert!(rejected * 5 >= all * 2 && given_up * 10 < all, "{rejected}, {accepted}, {given_up}");
}
