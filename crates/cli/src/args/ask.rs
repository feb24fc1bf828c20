//! The options of `wayproof ask`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::SourceArgs;
use super::values::seconds;

/// `ask`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 the condition is true whenever the line is reached, 10 an input is known with which it is not,\n\
                  5 unknown, 1 usage or a line without a statement, 2 front-end error, also of the condition, 6 internal error.\n\
                  Example: wayproof ask examples/door_lock.c 33 'state != OPEN || digits > 2'"
)]
pub(crate) struct AskArgs {
    /// A C file, preprocessed or not
    #[arg(value_name = "FILE.c")]
    pub(crate) file: PathBuf,
    /// A line of the file: the condition is evaluated before the first statement that starts there, or whenever the
    /// condition of the loop that starts there is evaluated; a column names another statement of the line
    #[arg(value_name = "LINE[:COLUMN]", value_parser = place)]
    pub(crate) place: (u32, Option<u32>),
    /// An expression of C over what is visible there, without calls and assignments
    #[arg(value_name = "CONDITION", allow_hyphen_values = true)]
    pub(crate) condition: String,
    /// Another C file of the program; may be repeated
    #[arg(long = "with", value_name = "FILE.c")]
    pub(crate) others: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The engine; `wayproof engines` lists them [default: auto]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: AskFormat,
    /// Ignore wayproof.toml
    #[arg(long)]
    pub(crate) no_settings: bool,
    /// Give up after this many seconds; what is known by then is printed
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskFormat {
    /// Text for people
    #[default]
    Human,
    /// One JSON document (docs/json.md)
    Json,
}

/// A line, or a line and a column.
fn place(text: &str) -> Result<(u32, Option<u32>), String> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let wrong = || "a line is a number from 1, and so is a column: 12 or 12:5".to_owned();
    match text.split_once(':') {
        None => Ok((number(text).ok_or_else(wrong)?, None)),
        Some((line, column)) => {
            Ok((number(line).ok_or_else(wrong)?, Some(number(column).ok_or_else(wrong)?)))
        }
    }
}
