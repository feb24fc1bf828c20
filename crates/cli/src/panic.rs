//! Defects of the tool: a panic becomes a message that asks for a report, and exit code 6.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

use base::{Diagnostic, SourceMap};

use crate::console::Console;

/// What the first panic said and where it was.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// A panic of the tool.
pub(crate) struct Crash {
    message: String,
}

/// Keeps panics quiet until the top prints them.
pub(crate) fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| describe(info));
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let message = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown cause");
    match info.location() {
        Some(location) => format!("{message} ({}:{})", location.file(), location.line()),
        None => message.to_owned(),
    }
}

/// Runs the work with a large stack and catches its panics.
pub(crate) fn contain<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Crash> {
    panic::catch_unwind(AssertUnwindSafe(|| cfront::with_large_stack(work))).map_err(|_| Crash::last())
}

impl Crash {
    fn last() -> Self {
        let mut first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        Self { message: first.take().unwrap_or_else(|| "unknown cause".to_owned()) }
    }
    /// Asks the user for a report.
    pub(crate) fn print(&self, console: Console) {
        let command: Vec<String> =
            std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let diagnostic = Diagnostic::global(format!("internal error: {}", self.message)).with_help(format!(
            "this is a defect of wayproof {}, please report it with the input file and this command:\n{}",
            env!("CARGO_PKG_VERSION"),
            command.join(" ")
        ));
        console.print(&[diagnostic], &SourceMap::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_crash_with_its_message() {
        install_hook();
        let crash = contain(|| panic!("I7: the sky should be up")).map(|()| 0).err().unwrap();
        assert!(crash.message.starts_with("I7: the sky should be up ("), "{}", crash.message);
        let _ = panic::take_hook();
    }
}
