//! `check --certificate`: the evidence of a verdict as files that need no part of this tool to be checked.
//!
//! Crate witness makes the texts; here they are described by a manifest and written.
//!
//! # Invariants
//! * I1: nothing is written over: a certificate needs a folder that does not exist or is empty ([`crate::bundle::check_free`]).

use std::fs;
use std::io;
use std::path::Path;

use base::Budget;
use certify::Certified;
use passes::Prepared;
use witness::certificate::{self, File};

use crate::args::CheckArgs;
use crate::artifact;
use crate::console::Console;
use crate::failure::Failure;

/// The prepared program, the verdict, and texts that were made for it.
type Evidence<'a> = (&'a Prepared<'a>, &'a Certified, &'a [(&'static str, String)]);

/// Writes a certificate, if one is wanted; says why there is none otherwise.
pub(crate) fn export(
    args: &CheckArgs,
    (task, certified, copies): Evidence<'_>,
    budget: &mut Budget,
    console: Console,
) -> Result<(), Failure> {
    let Some(folder) = &args.files.certificate else { return Ok(()) };
    let harness = copies.iter().find(|(name, _)| *name == "harness.c").map(|(_, text)| text.as_str());
    match certificate::files(task, certified, harness, env!("CARGO_PKG_VERSION"), budget) {
        Ok(files) => write(folder, &files),
        Err(why) => {
            console.warn(format!("no certificate is written: {why}"));
            Ok(())
        }
    }
}

/// Writes the files; the manifest last, so that a folder without one is no certificate.
fn write(folder: &Path, files: &[File]) -> Result<(), Failure> {
    let explain = |path: &Path, error: &io::Error| {
        Failure::Output(io::Error::new(error.kind(), format!("`{}`: {error}", path.display())))
    };
    for File { name, text } in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| explain(parent, &error))?;
        artifact::write(&path, text)?;
    }
    Ok(())
}
