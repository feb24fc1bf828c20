//! Every task of the benchmark collection parses.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests may panic and print

mod common;

use base::{SourceFile, SourceMap};
use cfront::Interner;

#[test]
fn every_task_parses() {
    let Some(files) = common::bench_files() else { return };
    let mut failed = Vec::new();
    for path in &files {
        let text = std::fs::read(path).unwrap();
        if cfront::lex::needs_preprocessing(&text) {
            failed.push(format!("{}: needs preprocessing", path.display()));
            continue;
        }
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new(path.display().to_string(), text));
        if let Err(diagnostic) = cfront::parse::parse(file, &mut sources, &mut Interner::new()) {
            let place = diagnostic.primary.map(|label| sources.describe(sources.region(label.span)));
            failed.push(format!("{}: {}", place.unwrap_or_default(), diagnostic.message));
        }
    }
    println!("{} files", files.len());
    assert!(failed.is_empty(), "{} of {} files failed:\n{}", failed.len(), files.len(), failed.join("\n"));
}
