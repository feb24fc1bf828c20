//! What tests need beyond the repository: a missing requirement skips a test, or fails it if `WAYPROOF_REQUIRE` names it.
//!
//! `WAYPROOF_REQUIRE` is a list of names separated by commas; `.ci/run` sets it to what its machine has, so that no test
//! is skipped there unnoticed.
//!
//! Crates that testkit depends on include this file in their tests (`#[path = "../../testkit/src/require.rs"]`): it uses
//! the standard library alone.
#![allow(dead_code, reason = "each includer uses a part")]
#![allow(unreachable_pub, reason = "public here, private in tests that include the file")]

use std::path::{Path, PathBuf};

/// Something that a machine may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The folder of verification tasks.
    Bench,
    /// gcc for the machine itself.
    Gcc,
    /// gcc for 32-bit programs.
    Gcc32,
    /// Python 3 with pip.
    Pip,
}

impl Requirement {
    /// How `WAYPROOF_REQUIRE` names it.
    fn name(self) -> &'static str {
        match self {
            Self::Bench => "bench",
            Self::Gcc => "gcc",
            Self::Gcc32 => "gcc32",
            Self::Pip => "pip",
        }
    }

    /// Says that it is missing, and that a test is skipped therefore; panics if it is required.
    pub fn skip(self, reason: &str) {
        let required = std::env::var("WAYPROOF_REQUIRE").unwrap_or_default();
        assert!(!is_required(&required, self), "WAYPROOF_REQUIRE names {}: {reason}", self.name());
        eprintln!("skipped: {reason}");
    }
}

/// Whether a list of names has that of a requirement.
pub(crate) fn is_required(list: &str, requirement: Requirement) -> bool {
    list.split(',').any(|name| name.trim() == requirement.name())
}

/// The folder with the tasks: `WAYPROOF_BENCH`, else `../shared/bench` next to the repository.
pub fn bench_folder() -> Option<PathBuf> {
    let folder = match std::env::var_os("WAYPROOF_BENCH") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"),
    };
    folder.is_dir().then(|| folder.canonicalize().unwrap_or(folder))
}

/// The folder with the tasks, for a test that needs it.
pub fn required_bench_folder() -> Option<PathBuf> {
    let folder = bench_folder();
    if folder.is_none() {
        Requirement::Bench.skip("neither WAYPROOF_BENCH nor ../shared/bench is a folder");
    }
    folder
}
