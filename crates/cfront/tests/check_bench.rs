//! Every task of the benchmark collection type-checks, in the data model that its task definition says.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print
#![allow(clippy::format_push_string, clippy::format_collect)] // brevity

mod check_common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::SourceMap;
use cfa::DataModel;
use cfront::preprocess::Options;
use cfront::{Input, Interner, check, load, with_large_stack};

/// The C files below the folder of benchmark tasks, sorted; `None` (with a printed reason) if there is no such folder.
fn bench_files() -> Option<Vec<PathBuf>> {
    let root = check_common::require::required_bench_folder()?;
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
                files.push(path);
            }
        }
    }
    files.sort();
    Some(files)
}

fn data_model(path: &Path) -> DataModel {
    let task = std::fs::read_to_string(path.with_extension("yml")).unwrap_or_default();
    if task.contains("LP64") && !task.contains("ILP32") { DataModel::Lp64 } else { DataModel::Ilp32 }
}

/// Checks a file; the time that checking alone took, or the message.
fn check_file(path: &Path) -> Result<Duration, String> {
    let model = data_model(path);
    let mut sources = SourceMap::new();
    let mut interner = Interner::new();
    let result = load(&Input::Path(path.to_owned()), &Options::new(model), &mut sources, &mut interner)
        .and_then(|loaded| {
            let start = Instant::now();
            let program = check::check(&[loaded.unit], &interner, &sources, model)?;
            let elapsed = start.elapsed();
            let violations = check_common::validate::violations(&program);
            assert!(violations.is_empty(), "{}: {}", path.display(), violations.join("\n"));
            assert!(program.functions.iter().any(|function| function.body.is_some()), "{}", path.display());
            Ok(elapsed)
        });
    result.map_err(|diagnostic| {
        let place = diagnostic.primary.map(|label| sources.describe(sources.region(label.span)));
        format!("{}: {}: {}", path.display(), place.unwrap_or_default(), diagnostic.message)
    })
}

#[test]
fn every_task_checks() {
    let Some(files) = bench_files() else { return };
    let (times, failed) = with_large_stack(|| {
        let mut times = Vec::new();
        let mut failed = Vec::new();
        for path in &files {
            match check_file(path) {
                Ok(time) => times.push((time, path.clone())),
                Err(message) => failed.push(message),
            }
        }
        (times, failed)
    });
    let slowest = times.iter().max();
    println!("{} files, slowest {slowest:?}", files.len());
    assert!(failed.is_empty(), "{} of {} files failed:\n{}", failed.len(), files.len(), failed.join("\n"));
}
