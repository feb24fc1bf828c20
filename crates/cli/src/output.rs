//! Standard output. An error of writing is a `Failure`, not a panic.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};

use base::{Diagnostic, SourceMap};

use crate::console::Console;
use crate::exit::ExitStatus;
use crate::failure::Failure;

/// Buffered standard output. What is not flushed is lost: end with [`Output::finish`] or use [`Output::write`].
pub(crate) struct Output(BufWriter<Stdout>);

impl Output {
    pub(crate) fn new() -> Self {
        Self(BufWriter::with_capacity(1 << 16, io::stdout()))
    }
    /// Writes all of a text.
    pub(crate) fn write(mut self, text: &str) -> Result<(), Failure> {
        self.0.write_all(text.as_bytes())?;
        self.finish()
    }
    /// Writes what is buffered.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Says why output could not be written, unless its reader has just left.
pub(crate) fn explain(error: &io::Error, console: Console) -> ExitStatus {
    if error.kind() == ErrorKind::BrokenPipe {
        return ExitStatus::BrokenPipe;
    }
    let help = match error.kind() {
        ErrorKind::NotFound => "create the folder first, or name a file in an existing one",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "name a file in a folder that you may write to"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space on the disk and run it again",
        _ => "check that the disk has space, and that you may write to the folder",
    };
    let diagnostic = Diagnostic::global(format!("cannot write the result: {error}")).with_help(help);
    console.print(&[diagnostic], &SourceMap::new());
    ExitStatus::Internal
}
