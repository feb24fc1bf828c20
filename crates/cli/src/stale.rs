//! Files of an earlier run under the names to which this one writes.
//!
//! They are removed before anything else happens, so that a run that is killed, runs out of time or ends in an error leaves nothing behind
//! that looks like its result.
//!
//! # Invariants
//! * I1: after [`clear`] a file under one of these names is of this run, however it ends.
//! * I2: nothing is removed that the command reads, and no C or YAML file that is not a harness or a witness.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use evidence::{format, harness};

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::{compile_commands, input, task};

/// Whether a text is a result of a certain kind.
type Recognise = fn(&[u8]) -> bool;

/// A file that a run may write.
struct Wanted {
    option: &'static str,
    path: PathBuf,
    /// Whether what is there is a result; everything is if there is no way to tell.
    is_result: Recognise,
}

/// Removes the results of earlier runs; an error if the command would write over what it reads.
pub(crate) fn clear(args: &CheckArgs) -> Result<(), Failure> {
    let wanted = wanted(args);
    if wanted.is_empty() {
        return Ok(());
    }
    let inputs: Vec<PathBuf> = inputs(args).iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    for file in &wanted {
        if fs::canonicalize(&file.path).is_ok_and(|path| inputs.contains(&path)) {
            return Err(Failure::usage(
                format!("{} would write over `{}`, which is an input", file.option, file.path.display()),
                "name another file; nothing was written",
            ));
        }
    }
    wanted.iter().try_for_each(remove)
}

fn remove(file: &Wanted) -> Result<(), Failure> {
    // What is no ordinary file (a pipe, `/dev/stdout`) keeps nothing.
    if !fs::metadata(&file.path).is_ok_and(|data| data.is_file()) {
        return Ok(());
    }
    if !input::read(&file.path).is_ok_and(|text| (file.is_result)(&text)) {
        return Ok(());
    }
    match fs::remove_file(&file.path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let message = format!("`{}` of an earlier run cannot be removed: {error}", file.path.display());
            Err(Failure::Output(io::Error::other(message)))
        }
    }
}

/// The files that a command line asks for.
fn wanted(args: &CheckArgs) -> Vec<Wanted> {
    let anything = |_: &[u8]| true;
    let files = &args.files;
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut add = |option, path: &Path, is_result| {
        wanted.push(Wanted { option, path: path.to_owned(), is_result });
    };
    for (_, path) in &files.outputs {
        add("--output", path, anything);
    }
    let named: [(_, _, Recognise); 5] = [
        ("--report", &files.report, anything),
        ("--tree", &args.tree, anything),
        ("--profile", &args.profile, anything),
        ("--witness", &files.witness, format::is_witness),
        ("--harness", &files.harness, harness::is_harness),
    ];
    for (option, path, is_result) in named {
        if let Some(path) = path {
            add(option, path, is_result);
        }
    }
    if let Some(folder) = &files.testcase {
        for name in ["metadata.xml", "test-1.xml"] {
            add("--testcase", &folder.join(name), anything);
        }
    }
    wanted
}

/// The files that the command reads, as far as it is known by now.
fn inputs(args: &CheckArgs) -> Vec<PathBuf> {
    let mut inputs = args.paths.clone();
    for path in args.paths.iter().filter(|path| task::is_task(path)) {
        // A task that cannot be read is reported later.
        let Ok(task) = task::load(path) else { continue };
        inputs.extend(task.inputs);
        inputs.extend(task.properties.into_iter().map(|property| property.file));
    }
    inputs.extend(args.property.iter().cloned());
    inputs.extend(args.source.includes.iter().cloned());
    inputs.extend(args.source.compile_commands.as_deref().map(compile_commands::file));
    inputs
}
