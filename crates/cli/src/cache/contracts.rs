//! What proofs say of single procedures, kept from run to run: if one function changes, the contracts of the others are candidates for the next proof, and so is its own earlier contract.
//!
//! A file has the last versions of one procedure, the newest first. Its name is made of the procedure's name and signature, the version of the program, and all options that change what a program means or what is asked about it.
//!
//! # Invariants
//! * I1: nothing that is read is trusted: engines take it for candidates, and proofs are certified as ever.
//! * I2: files that cannot be used are ignored, and the first one is reported; a folder that cannot be used does not change the verdict.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use engine::{ContractStore, Identity, Version};

use super::file::{CacheFile, VERSION, join, split};
use super::options;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::resolve::Request;

/// The word before the versions of a procedure.
const CONTRACTS: &str = "contracts";
/// Older versions of a procedure are forgotten.
const MAX_VERSIONS: usize = 4;
/// Longer texts are not kept.
const MAX_BYTES: usize = 1 << 20;

/// The contracts of a cache.
pub(crate) struct Contracts {
    folder: PathBuf,
    /// What is asked, and how.
    question: String,
    console: Console,
    has_warned: AtomicBool,
    /// What this run has found out: by file, the versions with the hash of their form first.
    learned: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Contracts {
    /// The contracts of a cache, if the command line wants one.
    pub(crate) fn new(args: &CheckArgs, request: &Request, console: Console) -> Option<Self> {
        let folder = args.search.cache.clone()?;
        let Request { property, .. } = request;
        let asked = (request.error_functions(), request.assert_is_error());
        let question = format!("{VERSION} {property:?} {asked:?} {}", options(args));
        let learned = Mutex::default();
        Some(Self { folder, question, console, has_warned: AtomicBool::new(false), learned })
    }

    /// Keeps what this run has found out.
    pub(crate) fn keep(&self) {
        let learned = std::mem::take(&mut *self.learned.lock().unwrap_or_else(PoisonError::into_inner));
        for (name, mut versions) in learned {
            let file = CacheFile::new(&self.folder, &name, MAX_BYTES);
            // What cannot be used has been reported, and is replaced.
            let earlier =
                file.read().ok().flatten().and_then(|body| split(CONTRACTS, &body)).unwrap_or_default();
            for version in &earlier {
                let is_known = versions.iter().any(|known| known.lines().next() == version.lines().next());
                if !is_known {
                    versions.push(version.clone());
                }
            }
            versions.truncate(MAX_VERSIONS);
            if versions != earlier
                && let Err(why) = file.write(&join(CONTRACTS, versions))
            {
                return self.warn(format!("the cache cannot be written: {why}"));
            }
        }
    }

    /// The name of the file for all versions of a procedure.
    fn name(&self, identity: &Identity) -> String {
        let text = format!("{}\n{}", self.question, identity.signature);
        format!("contract-{}.txt", witness::format::hash(text.as_bytes()))
    }

    /// I2.
    fn warn(&self, message: String) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            self.console.warn(message);
        }
    }
}

/// The line that a version starts with.
fn form(identity: &Identity) -> String {
    format!("form {}\n", witness::format::hash(identity.form.as_bytes()))
}

impl ContractStore for Contracts {
    fn recall(&self, identity: &Identity) -> Option<(Version, String)> {
        let file = CacheFile::new(&self.folder, &self.name(identity), MAX_BYTES);
        let found = file.read().and_then(|body| match body {
            Some(body) => split(CONTRACTS, &body).ok_or_else(|| "it has no contracts".to_owned()),
            None => Ok(Vec::new()),
        });
        let versions = found.unwrap_or_else(|why| {
            let file = file.path().display();
            self.warn(format!("`{file}` in the cache cannot be used and is ignored: {why}"));
            Vec::new()
        });
        let own = form(identity);
        if let Some(text) = versions.iter().find_map(|version| version.strip_prefix(&own)) {
            return Some((Version::Same, text.to_owned()));
        }
        let (_, text) = versions.first()?.split_once('\n')?;
        Some((Version::Other, text.to_owned()))
    }

    fn learn(&self, identity: &Identity, text: String) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = learned.entry(self.name(identity)).or_default();
        let own = form(identity);
        versions.retain(|version| !version.starts_with(&own));
        versions.insert(0, own + &text);
    }
}
