//! Drives the real binary.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("wayproof-cli-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, contents).unwrap();
        path
    }
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The binary, without the colours and settings of whoever runs the test.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wayproof"));
    command.current_dir(root()).stdin(Stdio::null()).env_remove("NO_COLOR").env("TERM", "dumb");
    command
}

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a run of the binary yields.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        let finished = Self {
            code: output.status.code().expect("the process should end by itself, not by a signal"),
            stdout: String::from_utf8(output.stdout).expect("standard output should be UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("standard error should be UTF-8"),
        };
        let panicked = finished.stderr.contains("panicked") || finished.stderr.contains("internal error:");
        assert!(!panicked, "a defect of the tool: {}", finished.stderr);
        finished
    }
}

/// Runs the binary with arguments. `check` is asked for assertions alone, unless the test says what it should check.
pub(crate) fn wayproof<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Finished {
    command().args(with_assertions(arguments)).output().unwrap().into()
}

/// Runs the binary with arguments as they are.
pub(crate) fn plainly<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Finished {
    command().args(arguments).output().unwrap().into()
}

/// The arguments of `check` with `--check none`, if they do not say what is checked: most tests are about something else.
pub(crate) fn with_assertions<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Vec<OsString> {
    let mut words: Vec<OsString> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
    let says = |word: &OsString| {
        let word = word.to_string_lossy();
        ["--check", "--property", "--spec", "--help", "@"].iter().any(|option| word.starts_with(option))
    };
    // A task says it, too; a witness does not.
    let is_task = |pair: &[OsString]| {
        pair[0] != "--witness" && Path::new(&pair[1]).extension().is_some_and(|extension| extension == "yml")
    };
    let is_said = words.iter().any(says) || words.windows(2).any(is_task);
    if words.first().is_some_and(|word| word == "check") && !is_said {
        words.splice(1..1, ["--check".into(), "none".into()]);
    }
    words
}
