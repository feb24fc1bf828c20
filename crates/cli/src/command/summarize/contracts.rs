//! Contracts of functions whose calls stay: such a program has no summaries of paths, but its proof says what the functions do.

use std::fmt::Write as _;

use base::Budget;
use engine::{Env, Recorder, Settings, solve_contained};
use explain::Contract;
use passes::Prepared;
use verdict::{Proof, Verdict};

use super::place;

/// The engine that proves by contracts.
const ENGINE: &str = "recmc";
/// Work that looking for them may take.
const MAX_TICKS: u64 = 200_000_000;

/// The contracts of a certified proof; none if there is no proof.
pub(super) fn contracts(task: &Prepared<'_>, budget: &Budget) -> Vec<Contract> {
    let Some(spec) = engines::find(ENGINE) else { return Vec::new() };
    let recorder = Recorder::default();
    let mut env = Env::new(budget.child(MAX_TICKS), &recorder);
    let verdict = solve_contained((spec.configure)(&Settings::default()), task, &mut env);
    let certified = certify::certify(task, verdict, &mut env.logic.budget);
    match certified.verdict() {
        Verdict::Safe(Proof::Annotation(annotation)) => {
            explain::contracts(task, annotation, explain::READING_TICKS, &mut env.logic.budget)
        }
        _ => Vec::new(),
    }
}

/// The text for standard output.
pub(super) fn render(contracts: &[Contract], task: &Prepared<'_>) -> String {
    let mut text = "contracts, whenever the function returns:\n".to_owned();
    for contract in contracts {
        let place = place(contract.region, &task.program().sources);
        let _ = writeln!(text, "  {} at {place}:", contract.function);
        for ensures in &contract.ensures {
            let _ = writeln!(text, "    {ensures}");
        }
    }
    text
}
