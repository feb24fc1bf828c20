//! Files of a cache: their form, and how they are read and replaced.
//!
//! # Invariants
//! * I1: what is no file of a cache is left alone, and no link is followed to write: the folder may be part of a project.
//! * I2: a file is replaced as a whole, so two processes may use one folder. One of them may lose what the other has kept, but neither reads half of a file.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::artifact;
use crate::failure::Failure;

/// The first words of a file, with the version of its form.
const FORM: &str = "wayproof cache 2";
/// What the files of all versions start with.
const FAMILY: &str = "wayproof cache ";
/// The version of the program.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// More than the first line of a file has.
const HEAD_BYTES: usize = 4096;

/// A file of a cache, which need not be there.
pub(super) struct CacheFile {
    folder: PathBuf,
    path: PathBuf,
    /// A longer body is neither written nor read.
    max_bytes: usize,
}

impl CacheFile {
    pub(super) fn new(folder: &Path, name: &str, max_bytes: usize) -> Self {
        Self { folder: folder.to_owned(), path: folder.join(name), max_bytes }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file may be written: it is not there, or one of a cache (I1).
    pub(super) fn is_free(&self) -> bool {
        match std::fs::symlink_metadata(&self.path) {
            Err(error) => error.kind() == ErrorKind::NotFound,
            Ok(data) if !data.is_file() => false,
            Ok(data) if data.len() == 0 => true,
            Ok(_) => {
                let mut head = [0; FAMILY.len()];
                let read = std::fs::File::open(&self.path).and_then(|mut file| file.read_exact(&mut head));
                read.is_ok() && head == *FAMILY.as_bytes()
            }
        }
    }

    /// What follows the first line, nothing if there is no file; otherwise why it cannot be used.
    pub(super) fn read(&self) -> Result<Option<String>, String> {
        // What is larger was not written by us.
        let text = match system::file::read_regular(&self.path, (self.max_bytes + HEAD_BYTES) as u64) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let text = String::from_utf8(text).map_err(|_| "it is not text".to_owned())?;
        body(&text).map(|body| Some(body.to_owned()))
    }

    /// Replaces the file, unless it is not one of a cache (I1); otherwise why it cannot be written.
    pub(super) fn write(&self, body: &str) -> Result<(), String> {
        if body.len() > self.max_bytes || !self.is_free() {
            return Ok(());
        }
        let text = format!("{FORM} {VERSION} {}\n{body}", witness::format::hash(body.as_bytes()));
        let made = std::fs::create_dir_all(&self.folder).map_err(Failure::from);
        made.and_then(|()| artifact::replace(&self.path, &text)).map_err(|failure| match failure {
            Failure::Output(error) => error.to_string(),
            Failure::Input { .. } => "it cannot be written".to_owned(),
        })
    }
}

/// What follows the first line, if that is as it should be.
fn body(text: &str) -> Result<&str, String> {
    let (head, body) = text.split_once('\n').unwrap_or((text, ""));
    let Some(rest) = head.strip_prefix(FORM) else { return Err("it is not of this form".to_owned()) };
    let mut words = rest.split_whitespace();
    let (version, hash) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if version != VERSION {
        return Err(format!("it was made by version {version}, this is {VERSION}"));
    }
    if hash != witness::format::hash(body.as_bytes()) {
        return Err("it is damaged".to_owned());
    }
    Ok(body)
}

/// A body of several parts, after a word that says what they are.
pub(super) fn join(word: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut body = format!("{word}\n");
    for part in parts {
        let _ = write!(body, "part {}\n{part}", part.len());
    }
    body
}

/// The parts of a body; nothing if it is not such a body.
pub(super) fn split(word: &str, body: &str) -> Option<Vec<String>> {
    let mut rest = body.strip_prefix(word)?.strip_prefix('\n')?;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (head, after) = rest.split_once('\n')?;
        let length: usize = head.strip_prefix("part ")?.parse().ok()?;
        let part = after.get(..length)?;
        parts.push(part.to_owned());
        rest = &after[length..];
    }
    Some(parts)
}
