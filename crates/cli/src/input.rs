//! Reading the files that the command line names.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use system::file;

use crate::failure::Failure;

/// All bytes of a file. What is no file is refused by name, except for the pipes that this process was given: a shell passes them as files of
/// `/dev/fd`, and they end with the program that writes them.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let cannot = |error: &std::io::Error| {
        let help = match error.kind() {
            ErrorKind::NotFound => "check the spelling; the name is relative to the current folder",
            ErrorKind::PermissionDenied => "check the permissions of the file and of its folder",
            ErrorKind::IsADirectory => "name a C file or a task definition inside the folder",
            _ => "check that the file can be read by other programs",
        };
        Failure::usage(format!("cannot read `{shown}`: {}", reason(error)), help)
    };
    let kind = fs::metadata(path).map_err(|error| cannot(&error))?.file_type();
    match file::oddity(kind) {
        Some(what) if !kind.is_dir() && !is_given(path) => Err(Failure::usage(
            format!("cannot read `{shown}`: it is {what}, not a file"),
            "name a file; what a fifo or a device yields can be copied to one",
        )),
        _ => {
            let read = File::open(path).and_then(|opened| file::read(opened, file::MAX_BYTES));
            read.map_err(|error| cannot(&error))
        }
    }
}

/// Whether a name stands for something that is open already: standard input, or what a shell has opened for us.
fn is_given(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"];
    path == Path::new("/dev/stdin")
        || path.parent().is_some_and(|folder| folders.iter().any(|given| folder == Path::new(given)))
}

/// The system's words without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    text.to_lowercase()
}
