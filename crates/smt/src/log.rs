//! Every query as an SMT-LIB file of its own.
//!
//! Either the queries of one [`Z3`](crate::Z3), or of all that the process makes: what is to be logged is the wish of whoever
//! started the process, and no part of any computation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use term::print::smtlib;
use term::{TermId, Terms};

/// The log of the whole process, if there is one.
static EVERYWHERE: OnceLock<QueryLog> = OnceLock::new();

/// Writes every query of every solver that is made from now on to a file of its own in `directory`, which is made if need be. The first
/// call decides.
pub fn log_all_queries(directory: &Path) -> io::Result<()> {
    let log = QueryLog::new(directory)?;
    EVERYWHERE.get_or_init(|| log);
    Ok(())
}

/// Why the log of the whole process is not complete, if it is not: the first query that could not be written.
pub fn query_log_failure() -> Option<io::Error> {
    let (kind, message) = EVERYWHERE.get()?.failure.get()?;
    Some(io::Error::new(*kind, message.clone()))
}

/// Writes queries to numbered files. Copies share the numbers.
#[derive(Clone, Debug)]
pub(crate) struct QueryLog {
    directory: PathBuf,
    count: Arc<AtomicU64>,
    /// The first query that could not be written.
    failure: Arc<OnceLock<(io::ErrorKind, String)>>,
}

impl QueryLog {
    pub(crate) fn new(directory: &Path) -> io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self { directory: directory.to_owned(), count: Arc::default(), failure: Arc::default() })
    }

    /// The log of the whole process, if there is one.
    pub(crate) fn everywhere() -> Option<Self> {
        EVERYWHERE.get().cloned()
    }

    /// Writes one query with the status that was found.
    pub(crate) fn write(&self, terms: &Terms, formulas: &[TermId], status: &str) {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let path = self.directory.join(format!("{number:06}-{status}.smt2"));
        // A full disk must not change a verdict: the log then lacks files, and whoever asked for it is told at the end.
        if let Err(error) = fs::write(&path, smtlib::script(terms, formulas, status)) {
            // Half a query is none.
            let _ = fs::remove_file(&path);
            self.failure.get_or_init(|| (error.kind(), format!("`{}`: {error}", path.display())));
        }
    }
}
