//! Messages about the user's input, as data. Rendering is the business of crate cli.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Suspicious, but work goes on.
    Warning,
    /// The input cannot be used.
    Error,
}

/// A marked place with what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// What an error is about: what a command does about it, and what it advises, depends on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The input is wrong.
    #[default]
    Input,
    /// The function where execution starts has no definition.
    MissingEntry,
    /// The input may be right, but contains a construct that is not modelled.
    Unsupported,
    /// A function without a body is called, which the options forbid.
    ForbiddenCall,
}

/// What messages about constructs that are not modelled start with.
const UNSUPPORTED: &str = "unsupported: ";

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub cause: Cause,
    /// One sentence, lower case, without full stop.
    pub message: String,
    /// Where; absent if the message is about no place in a text.
    pub primary: Option<Label>,
    /// Other places that help to understand.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(message: impl Into<String>, span: Span) -> Self {
        Self {
            severity: Severity::Error,
            cause: Cause::Input,
            message: message.into(),
            primary: Some(Label { span, text: String::new() }),
            secondary: Vec::new(),
            help: None,
        }
    }
    /// An error about no particular place.
    pub fn global(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            cause: Cause::Input,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
        }
    }
    /// An error about a construct that is not modelled.
    pub fn unsupported(construct: impl std::fmt::Display, span: Span) -> Self {
        Self::error(format!("{UNSUPPORTED}{construct}"), span).with_cause(Cause::Unsupported)
    }
    /// What is not supported, if that is what the error is about.
    pub fn unsupported_construct(&self) -> Option<&str> {
        match self.cause {
            Cause::Unsupported | Cause::ForbiddenCall => self.message.strip_prefix(UNSUPPORTED),
            Cause::Input | Cause::MissingEntry => None,
        }
    }
    /// A warning at a place.
    pub fn warning(message: impl Into<String>, span: Span) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message, span) }
    }
    /// The same message about something else.
    #[must_use]
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.cause = cause;
        self
    }
    /// The same message with a text at its primary place.
    #[must_use]
    pub fn with_label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }
    /// The same message with another place.
    #[must_use]
    pub fn with_secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }
    /// The same message with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
