//! Files that a command writes beside its report.
//!
//! # Invariants
//! * I1: a file exists with all of its contents or not at all: it is written under another name first and then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file. What is no ordinary file (a pipe, `/dev/stdout`) is written as it is.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let is_special = fs::metadata(path).is_ok_and(|data| !data.is_file());
    if is_special {
        let opened = OpenOptions::new().write(true).open(path);
        return opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| explain(path, &error));
    }
    replace(path, text)
}

/// Writes an ordinary file, in the place of whatever has its name: links are not followed.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes()).map_err(|error| explain(path, &error))
}

fn explain(path: &Path, error: &io::Error) -> Failure {
    // A pipe whose reader has left ends a command in silence only if it is standard output.
    let kind = if error.kind() == ErrorKind::BrokenPipe { ErrorKind::Other } else { error.kind() };
    Failure::Output(io::Error::new(kind, format!("`{}`: {error}", path.display())))
}

fn write_bytes(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (temporary, mut file) = beside(path)?;
    let written =
        file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file in the folder of another one.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut number = 0_u32;
    loop {
        let temporary = path.with_file_name(format!(".{name}.{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
        }
    }
}
