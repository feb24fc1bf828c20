//! What the tests share.
#![allow(dead_code)] // each test uses a part

pub(crate) mod dump;
#[path = "../../../testkit/src/require.rs"]
mod require;

use std::path::{Path, PathBuf};

/// The C files of the benchmark collection in order; `None`, with a printed reason, if it is not there.
pub(crate) fn bench_files() -> Option<Vec<PathBuf>> {
    let folder = require::required_bench_folder()?;
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    Some(files)
}

/// The C files below a folder.
pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            files.push(path);
        }
    }
}
