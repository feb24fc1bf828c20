//! Lowers every verification task, where the folder of tasks is present, and prints the statistics.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cfa::{ApproximationKind, DataModel};
use cfront::{FailureKind, Input, Options, compile};
use testkit::Model;
use testkit::tasks::bench_tasks;

#[test]
fn every_task_is_lowered_or_names_what_is_not() {
    let Some(tasks) = bench_tasks() else { return };
    let (mut lowered, mut capped) = (0, 0);
    let mut unsupported: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for task in tasks.unwrap() {
        let model = match task.model {
            Model::Lp64 => DataModel::Lp64,
            Model::Ilp32 => DataModel::Ilp32,
        };
        let mut options = Options::new(model);
        options.lower.assert_is_error = false;
        match compile(&[Input::Path(task.file.clone())], &options) {
            Ok(compiled) => {
                lowered += 1;
                let ledger = &compiled.program.approximations;
                capped += usize::from(ledger.iter().any(|entry| entry.kind == ApproximationKind::Under));
            }
            Err(failure) => {
                let message = failure.diagnostics[0].message.clone();
                assert_eq!(
                    failure.kind,
                    FailureKind::Unsupported,
                    "{}: {message}",
                    task.definition.display()
                );
                unsupported.entry(message).or_default().push(task.definition);
            }
        }
    }
    let refused: usize = unsupported.values().map(Vec::len).sum();
    println!(
        "{lowered} lowered ({capped} of them with fewer behaviours than the source), {refused} unsupported"
    );
    for (message, tasks) in &unsupported {
        println!("{:5} {message} ({})", tasks.len(), tasks[0].display());
    }
    assert!(refused * 50 <= lowered + refused, "at most 2 % should be unsupported");
}
