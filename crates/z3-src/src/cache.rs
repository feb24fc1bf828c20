//! The user's cache, shared by all clones and profiles: one library for each pinned wheel.
//!
//! # Invariants
//! * I1: a library appears under its final name by one rename of a checked file, so that concurrent builds see
//!   either nothing or all of it.
//! * I2: what [`library`] returns has the pinned SHA-256; a damaged file is fetched again.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::Error;
use crate::fetch::Fetcher;
use crate::pin::{Pin, RELEASE};
use crate::sha256;

const PARTIAL: &str = "partial-";
/// A download that has not ended after this time belongs to a build that was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// The cache's directory by the user's variables.
pub(crate) fn root(variable: &dyn Fn(&str) -> Option<OsString>) -> Result<PathBuf, Error> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("WAYPROOF_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("wayproof")))
        .or_else(|| Some(set("HOME")?.join(".cache").join("wayproof")))
        .ok_or(Error::NoCache)
}

/// The pinned library in the cache at `root`; fetched if it is absent or damaged.
pub fn library(root: &Path, pin: &Pin, fetcher: &Fetcher) -> Result<PathBuf, Error> {
    let directory = root.join(format!("z3-{RELEASE}-{}", &pin.wheel_sha256[..16]));
    let path = directory.join(pin.load_name);
    if sha256::of_file(&path).is_ok_and(|found| found == pin.library_sha256) {
        return Ok(path);
    }
    create(&directory)?;
    remove_abandoned(&directory);
    let partial = Partial::new(&directory)?;
    let fetched = fetcher.fetch(pin, &partial.0)?;
    fs::rename(&fetched, &path).map_err(|error| Error::file("write", &path, &error))?;
    Ok(path)
}

fn create(directory: &Path) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|error| Error::file("create", directory, &error))
}

/// A directory of one download; removed with what is left in it.
struct Partial(PathBuf);

impl Partial {
    fn new(parent: &Path) -> Result<Self, Error> {
        // Threads of one process occur only in tests, but they do occur.
        let thread = format!("{:?}", std::thread::current().id());
        let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
        let path = parent.join(format!("{PARTIAL}{}-{thread}", std::process::id()));
        // A killed process with the same id may have left it.
        let _ = fs::remove_dir_all(&path);
        create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Nothing depends on it: the next build after a day tries again.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the downloads of killed builds.
fn remove_abandoned(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let is_partial = entry.file_name().to_string_lossy().starts_with(PARTIAL);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if is_partial && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_specific_variable_wins() {
        let of = |pairs: &'static [(&str, &str)]| {
            root(&move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.into()))
        };
        assert_eq!(of(&[("HOME", "/h")]), Ok("/h/.cache/wayproof".into()));
        assert_eq!(of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")]), Ok("/x/wayproof".into()));
        assert_eq!(of(&[("WAYPROOF_CACHE", "/w"), ("XDG_CACHE_HOME", "/x")]), Ok("/w".into()));
        assert_eq!(of(&[("WAYPROOF_CACHE", ""), ("HOME", "/h")]), Ok("/h/.cache/wayproof".into()));
        assert_eq!(of(&[]), Err(Error::NoCache));
    }
}
