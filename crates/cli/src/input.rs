//! Reading the files that the command line names.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::failure::Failure;

/// Positions are 32-bit numbers, and a program of this size could not be analysed anyway.
const MAX_SIZE: u64 = 1 << 30;

/// All bytes of a file.
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
    let mut file = File::open(path).map_err(|error| cannot(&error))?;
    let metadata = file.metadata().map_err(|error| cannot(&error))?;
    if metadata.is_dir() {
        return Err(cannot(&ErrorKind::IsADirectory.into()));
    }
    let mut text = Vec::with_capacity(metadata.len().min(MAX_SIZE) as usize + 1);
    file.by_ref().take(MAX_SIZE + 1).read_to_end(&mut text).map_err(|error| cannot(&error))?;
    if text.len() as u64 > MAX_SIZE {
        return Err(Failure::usage(
            format!("cannot read `{shown}`: it is larger than 1 GiB"),
            "split the program or remove what is not needed",
        ));
    }
    Ok(text)
}

/// The system's words without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    text.to_lowercase()
}
