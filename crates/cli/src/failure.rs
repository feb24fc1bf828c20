//! What ends a command without a result.

use std::io;
use std::sync::Arc;

use base::{Diagnostic, SourceMap, Span};

use crate::exit::ExitStatus;

/// Why a command has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The user's input cannot be used.
    Input {
        /// Whose fault it is.
        status: ExitStatus,
        /// What to say; at least one error.
        diagnostics: Vec<Diagnostic>,
        /// The texts that the diagnostics refer to.
        sources: Arc<SourceMap>,
    },
    /// The result cannot be written.
    Output(io::Error),
}

impl Failure {
    /// A usage error about no particular place in a text.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::global(ExitStatus::Usage, Diagnostic::global(message).with_help(help))
    }
    /// An error about no particular place in a text.
    pub(crate) fn global(status: ExitStatus, diagnostic: Diagnostic) -> Self {
        Self::Input { status, diagnostics: vec![diagnostic], sources: Arc::default() }
    }
    /// A usage error at a place of a file that the command line names.
    pub(crate) fn usage_at(sources: SourceMap, span: Span, message: &str, help: &str) -> Self {
        let diagnostic = Diagnostic::error(message, span).with_help(help);
        Self::Input { status: ExitStatus::Usage, diagnostics: vec![diagnostic], sources: Arc::new(sources) }
    }
    /// One failure for all: of several files that cannot be written each is named.
    pub(crate) fn of_all(failures: Vec<Self>) -> Option<Self> {
        let mut failures = failures.into_iter();
        let first = failures.next()?;
        let others: Vec<String> = failures
            .filter_map(|failure| match failure {
                Self::Output(error) => Some(error.to_string()),
                Self::Input { .. } => None,
            })
            .collect();
        match first {
            Self::Output(error) if !others.is_empty() => {
                let message = format!("{error}; {}", others.join("; "));
                let kind = error.kind();
                let kind = if kind == io::ErrorKind::BrokenPipe { io::ErrorKind::Other } else { kind };
                Some(Self::Output(io::Error::new(kind, message)))
            }
            only => Some(only),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
