//! What the tests share.
#![allow(dead_code)] // each test uses a part

pub(crate) mod dump;

use std::path::{Path, PathBuf};

/// The C files of the benchmark collection in order; `None`, with a printed reason, if it is not there.
pub(crate) fn bench_files() -> Option<Vec<PathBuf>> {
    let folder = std::env::var_os("WAYPROOF_BENCH").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/bench")),
        PathBuf::from,
    );
    if !folder.is_dir() {
        println!("skipped: no folder {}; set WAYPROOF_BENCH", folder.display());
        return None;
    }
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
