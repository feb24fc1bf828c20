//! Lowers every verification task, where the folder of tasks is present (`WAYPROOF_BENCH`, or `../shared/bench` beside the
//! repository), and prints the statistics.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cfa::{ApproximationKind, DataModel};
use cfront::{FailureKind, Input, Options, compile};

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("WAYPROOF_BENCH").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench");
    given.or(Some(beside)).filter(|folder| folder.is_dir())
}

/// The value of a key of a task definition, wherever it stands.
fn value<'a>(definition: &'a str, key: &str) -> Option<&'a str> {
    let line = definition.lines().find_map(|line| line.trim().strip_prefix(key))?;
    Some(line.trim_start_matches(':').trim().trim_matches(['\'', '"']))
}

fn tasks(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let mut tasks: Vec<PathBuf> = entries(root)
        .iter()
        .flat_map(|suite| entries(suite))
        .filter(|path| path.extension().is_some_and(|extension| extension == "yml"))
        .collect();
    tasks.sort();
    tasks
}

#[test]
fn every_task_is_lowered_or_names_what_is_not() {
    let Some(root) = folder() else {
        println!("skipped: no folder of tasks");
        return;
    };
    let (mut lowered, mut capped) = (0, 0);
    let mut unsupported: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for task in tasks(&root) {
        let definition = std::fs::read_to_string(&task).unwrap();
        let Some(input) = value(&definition, "input_files") else { continue };
        let model = match value(&definition, "data_model") {
            Some("LP64") => DataModel::Lp64,
            _ => DataModel::Ilp32,
        };
        let mut options = Options::new(model);
        options.lower.assert_is_error = false;
        match compile(&[Input::Path(task.with_file_name(input))], &options) {
            Ok(compiled) => {
                lowered += 1;
                let ledger = &compiled.program.approximations;
                capped += usize::from(ledger.iter().any(|entry| entry.kind == ApproximationKind::Under));
            }
            Err(failure) => {
                let message = failure.diagnostics[0].message.clone();
                assert_eq!(failure.kind, FailureKind::Unsupported, "{}: {message}", task.display());
                unsupported.entry(message).or_default().push(task);
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
