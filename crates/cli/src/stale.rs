//! Files under the names to which a run writes: results of earlier runs go, everything else stays.
//!
//! Results are removed before anything else happens, so that a run that is killed, runs out of time or ends in an error leaves nothing behind
//! that looks like its result. Which headers a program includes is known only when it has been read: results that are C text, and so may be
//! part of the program, go then.
//!
//! # Invariants
//! * I1: after [`clear`] a file under one of these names is of this run, however it ends; one that is C text after [`settle`].
//! * I2: nothing is removed or written over that the command reads, under whatever name.
//! * I3: nothing is removed or written over that is not certainly a result of this tool.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use base::SourceMap;

use crate::args::{CheckArgs, Format};
use crate::failure::Failure;
use crate::recognise::{Found, Kind};
use crate::{compile_commands, input, settings, task};

/// A file that a run may write.
pub(crate) struct Wanted {
    /// The option that asks for it.
    pub(crate) option: &'static str,
    /// Its name.
    pub(crate) path: PathBuf,
    /// What it is for.
    pub(crate) kind: Kind,
}

/// Removes the results of earlier runs; an error if the command would write over anything else.
pub(crate) fn clear(args: &CheckArgs) -> Result<(), Failure> {
    let wanted = wanted(args);
    if wanted.is_empty() {
        return Ok(());
    }
    let inputs = inputs(args);
    protect(&wanted, &inputs)?;
    // The test case goes before the metadata that say whose it is.
    for file in wanted.iter().rev() {
        if file.kind.find(&file.path) == Found::Result && !may_be_included(file, &inputs) {
            remove(&file.path)?;
        }
    }
    Ok(())
}

/// The same without removing anything: [`settle`] will.
pub(crate) fn look(args: &CheckArgs) -> Result<(), Failure> {
    protect(&wanted(args), &inputs(args))
}

/// The same for results that might have been a part of the program, once it is known what that consists of.
pub(crate) fn settle(args: &CheckArgs, files: &[PathBuf], sources: &SourceMap) -> Result<(), Failure> {
    let wanted = wanted(args);
    if wanted.is_empty() {
        return Ok(());
    }
    let mut inputs = inputs(args);
    inputs.extend_from_slice(files);
    inputs.extend(included(sources));
    protect(&wanted, &inputs)?;
    // Events are written from the start: what is there is of this run.
    for file in wanted.iter().rev().filter(|file| file.kind != Kind::Events) {
        if file.kind.find(&file.path) == Found::Result {
            remove(&file.path)?;
        }
    }
    Ok(())
}

/// Whether a report may be written although it is not known what the program consists of (I2).
pub(crate) fn may_write(kind: Kind, path: &Path) -> bool {
    match kind.find(path) {
        Found::Nothing => true,
        Found::Result => !kind.is_c(),
        Found::Empty => !is_c_name(path),
        Found::Other => false,
    }
}

/// Whether a file is C text by its name.
fn is_c_name(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["c", "h", "i", "inc"].iter().any(|text| extension == *text)
}

/// I2 and I3: an error if one of the files is an input, is there twice, or is something else than a result.
pub(crate) fn protect(wanted: &[Wanted], inputs: &[PathBuf]) -> Result<(), Failure> {
    let read: BTreeSet<(u64, u64)> = inputs.iter().filter_map(|path| identity(path)).collect();
    let mut seen: BTreeSet<(PathBuf, OsString)> = BTreeSet::new();
    for file in wanted {
        let Wanted { option, path, kind } = file;
        let refuse = |message: String| Err(Failure::usage(message, "name another file; nothing was written"));
        // Where the file cannot be created, a long search would be in vain.
        let is_made = matches!(*option, "--testcase" | "--logs");
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !is_made);
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            let message =
                format!("{option} would write to the folder `{}`, which does not exist", folder.display());
            return Err(Failure::usage(message, "create the folder first; nothing was written"));
        }
        if path.is_dir() {
            return refuse(format!("{option} would write to `{}`, which is a folder", path.display()));
        }
        if identity(path).is_some_and(|file| read.contains(&file)) {
            return refuse(format!("{option} would write over `{}`, which is an input", path.display()));
        }
        // What the tasks of a list include is known to their processes only.
        let is_header = *kind == Kind::Table && path.exists() && is_c_name(path);
        if is_header || kind.find(path) == Found::Other {
            let help = "name another file, or remove that one if it is not needed; nothing was written";
            return Err(Failure::usage(kind.complaint(option, path), help));
        }
        let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file());
        if !is_special && !seen.insert(place(path)) {
            return refuse(format!("two options would write to `{}`", path.display()));
        }
    }
    Ok(())
}

/// A file by whatever name; nothing for what is no ordinary file.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((data.dev(), data.ino()))
}

/// Where a file is or will be.
fn place(path: &Path) -> (PathBuf, OsString) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    (folder, path.file_name().unwrap_or_default().to_owned())
}

/// Whether a result may be a part of the program: C text is included by its name.
fn may_be_included(file: &Wanted, inputs: &[PathBuf]) -> bool {
    match file.kind {
        // Somebody may have put the annotated text in the place of the plain one.
        Kind::Report(Format::Annotate) => true,
        // A harness is a whole program: it is included, if at all, by the file that is checked.
        Kind::Harness => {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let names_it = |path: &PathBuf| {
                input::read(path)
                    .is_ok_and(|text| text.windows(name.len()).any(|word| word == name.as_bytes()))
            };
            name.is_empty() || inputs.iter().filter(|path| path.is_file()).any(names_it)
        }
        _ => false,
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let message = format!("`{}` of an earlier run cannot be removed: {error}", path.display());
            Err(Failure::Output(io::Error::other(message)))
        }
    }
}

/// The files that a command line asks for.
fn wanted(args: &CheckArgs) -> Vec<Wanted> {
    let files = &args.files;
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut add = |option, path: &Path, kind| wanted.push(Wanted { option, path: path.to_owned(), kind });
    for (format, path) in &files.outputs {
        add("--output", path, Kind::Report(*format));
    }
    let named = [
        ("--report", &files.report, Kind::Page),
        ("--tree", &args.record.tree, Kind::Tree),
        ("--profile", &args.record.profile, Kind::Profile),
        ("--emit-chc", &args.record.emit_chc, Kind::Clauses),
        ("--witness", &files.witness, Kind::Witness),
        ("--harness", &files.harness, Kind::Harness),
    ];
    for (option, path, kind) in named {
        if let Some(path) = path {
            add(option, path, kind);
        }
    }
    if let Some(path) = args.record.events.as_ref().filter(|path| *path != Path::new("-")) {
        add("--events", path, Kind::Events);
    }
    if let Some(folder) = &files.testcase {
        add("--testcase", &folder.join("metadata.xml"), Kind::Metadata);
        add("--testcase", &folder.join("test-1.xml"), Kind::TestCase);
    }
    wanted
}

/// The files that the command reads, as far as the command line tells.
fn inputs(args: &CheckArgs) -> Vec<PathBuf> {
    let mut inputs = Vec::new();
    for path in &args.paths {
        inputs.extend(files_of(path));
    }
    inputs.extend(given(args));
    inputs
}

/// The files that all tasks of a command line read.
pub(crate) fn given(args: &CheckArgs) -> Vec<PathBuf> {
    let mut inputs = args.property.iter().cloned().collect::<Vec<_>>();
    inputs.extend(args.files.baseline.iter().cloned());
    inputs.extend(args.source.includes.iter().cloned());
    inputs.extend(args.source.compile_commands.as_deref().map(compile_commands::file));
    inputs.extend(settings_of(Path::new("wayproof.toml")));
    inputs
}

/// The settings for a file, and the build that they name.
fn settings_of(path: &Path) -> Vec<PathBuf> {
    let mut inputs: Vec<PathBuf> = settings::file_for(path).into_iter().collect();
    // Settings that cannot be read are reported later.
    let build = settings::Lookup::On.find(path).ok().flatten().and_then(|settings| settings.build());
    inputs.extend(build);
    inputs
}

/// The files of one task: itself, its settings, and what its definition names.
pub(crate) fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut inputs = vec![path.to_owned()];
    inputs.extend(settings_of(path));
    if task::is_task(path)
        // A task that cannot be read is reported later.
        && let Ok(task) = task::load(path)
    {
        inputs.extend(task.inputs);
        inputs.extend(task.properties.into_iter().map(|property| property.file));
    }
    inputs
}

/// The files that the texts of a program come from, as the preprocessor names them.
fn included(sources: &SourceMap) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    for (_, file) in sources.iter() {
        files.insert(PathBuf::from(&*file.name));
        let markers = file.text.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"# "));
        files.extend(markers.filter_map(marked));
    }
    files
}

/// The file of a line marker: `12 "name" 1`.
fn marked(marker: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(marker).ok()?;
    let name = text.trim_start_matches(|character: char| character.is_ascii_digit()).strip_prefix(" \"")?;
    let (name, _) = name.rsplit_once('"')?;
    Some(PathBuf::from(name.replace("\\\"", "\"").replace("\\\\", "\\")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_files() {
        assert_eq!(marked(b"1 \"a b.h\" 1 3 4"), Some(PathBuf::from("a b.h")));
        assert_eq!(marked(b"12 \"a\\\"b.h\""), Some(PathBuf::from("a\"b.h")));
        assert_eq!(marked(b"pragma once"), None);
    }
}
