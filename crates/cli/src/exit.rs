//! Exit codes.

use std::process::ExitCode;

use verdict::Verdict;

/// How the tool ended. The numbers are those that scripts around C verifiers already know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// The property holds, or a command that gives no verdict did its work.
    Success,
    /// The command line or a file that it names cannot be used.
    Usage,
    /// The C text cannot be used.
    FrontEnd,
    /// No verdict.
    Unknown,
    /// A defect of the tool, or its output cannot be written.
    Internal,
    /// The property is violated.
    Violated,
    /// Nobody reads the output any more; as a shell shows the signal SIGPIPE.
    BrokenPipe,
    /// What the executed program returned (`run`).
    Program(u8),
}

impl ExitStatus {
    /// The number that the caller sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Usage => 1,
            Self::FrontEnd => 2,
            Self::Unknown => 5,
            Self::Internal => 6,
            Self::Violated => 10,
            Self::BrokenPipe => 141,
            Self::Program(status) => status,
        }
    }
}

impl From<&Verdict> for ExitStatus {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Safe(_) => Self::Success,
            Verdict::Unsafe(_) => Self::Violated,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
