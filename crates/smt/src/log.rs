//! Every query as an SMT-LIB file of its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use term::print::smtlib;
use term::{TermId, Terms};

/// Writes queries to numbered files.
#[derive(Debug)]
pub(crate) struct QueryLog {
    directory: PathBuf,
    count: u64,
}

impl QueryLog {
    pub(crate) fn new(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self { directory: directory.to_owned(), count: 0 })
    }

    /// Writes one query with the status that was found.
    pub(crate) fn write(&mut self, terms: &Terms, formulas: &[TermId], status: &str) {
        self.count += 1;
        let path = self.directory.join(format!("{:06}-{status}.smt2", self.count));
        // A full disk must not change a verdict: the log then simply lacks files.
        let _ = fs::write(path, smtlib::script(terms, formulas, status));
    }
}
