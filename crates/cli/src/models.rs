//! `--models`: the user's C files that say what functions without body do become files of the program, where it needs them.

use std::fs;
use std::path::{Path, PathBuf};

use cfront::{Input, preprocess};

use crate::args::SourceArgs;
use crate::failure::Failure;
use crate::frontend;
use crate::resolve::Request;

/// Adds the models that the program of a request needs.
pub(crate) fn add(request: &mut Request, source: &SourceArgs) -> Result<(), Failure> {
    if source.models.is_empty() {
        return Ok(());
    }
    let mut files = Vec::new();
    for path in &source.models {
        files.extend(files_of(path)?);
    }
    let options = frontend::options(request, source);
    let mut program = Vec::new();
    for (number, file) in request.files.iter().enumerate() {
        program.push((frontend::open(file)?, frontend::preprocessing(request, source, number)));
    }
    let mut models = Vec::new();
    for file in &files {
        models.push((frontend::open(file)?, frontend::preprocessing(request, source, request.files.len())));
    }
    let supplies = cfront::models::choose(&units(&program), &units(&models), &options)
        .map_err(|failure| frontend::explain(*failure, request).into_failure())?;
    for supply in supplies {
        let file = files[supply.model].clone();
        request.models.extend(supply.functions.into_iter().map(|function| (function, file.clone())));
        request.files.push(file);
    }
    Ok(())
}

fn units(inputs: &[(Input, preprocess::Options)]) -> Vec<cfront::Unit<'_>> {
    inputs.iter().map(|(input, preprocess)| (input, preprocess)).collect()
}

/// A file, or the C files of a folder by name.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |error: std::io::Error| {
        Failure::usage(
            format!("cannot read the folder `{}`: {error}", path.display()),
            "--models takes C files, or folders with C files",
        )
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|extension| extension == "c" || extension == "i") && file.is_file() {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(Failure::usage(
            format!("there is no C file in the folder `{}`", path.display()),
            "--models takes C files, or folders with C files",
        ));
    }
    files.sort();
    Ok(files)
}
