//! The values of options.

use std::fmt;
use std::num::ParseIntError;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use passes::{OptionalPass, PipelineConfig};

/// What functions without body do, other than those of the C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExternPolicy {
    /// return any value, write nothing
    Pure,
    /// return any value, may change global variables and what their arguments point to
    Havoc,
    /// are not supported: a call is reported with its place
    Error,
}

/// What global variables hold when the entry function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryGlobals {
    /// any value
    Any,
    /// what their initialisers say
    Initial,
}

/// What pointers point to when the entry function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryPointers {
    /// distinct objects with arbitrary contents
    Object,
    /// the same, or null
    Nullable,
}

/// Whether parameters of the entry function may point to the same object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EntryAliases {
    /// all point to distinct objects
    Distinct,
    /// parameters of the same pointer type may be equal
    Allowed,
}

/// How many elements a pointer points to when the entry function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryElements {
    /// So many.
    Count(u64),
    /// Any number.
    Any,
}

impl EntryElements {
    const MOST: u64 = 1024;
}

impl FromStr for EntryElements {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(count @ 1..=Self::MOST) => Ok(Self::Count(count)),
            _ if text == "any" => Ok(Self::Any),
            _ => Err(format!("neither `any` nor a number from 1 to {}", Self::MOST)),
        }
    }
}

impl fmt::Display for EntryElements {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(formatter),
            Self::Any => formatter.write_str("any"),
        }
    }
}

/// How machine values are modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogicArg {
    /// as integers, and as bit-vectors where integers are not exact
    #[default]
    Auto,
    /// as integers alone
    Integers,
    /// as bit-vectors alone
    Bits,
}

/// A pass that prepares programs and can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PassArg {
    /// errors inside of calls move to where execution starts
    Descend,
    /// tail recursion becomes loops
    Tail,
    /// recursion over the last few results becomes loops
    Window,
    /// linear recursion becomes loops
    Linear,
}

/// The standard passes without some of them.
pub(crate) fn passes_without(passes: &[PassArg]) -> PipelineConfig {
    let pass = |pass: &PassArg| match pass {
        PassArg::Descend => OptionalPass::Descend,
        PassArg::Tail => OptionalPass::Tail,
        PassArg::Window => OptionalPass::Window,
        PassArg::Linear => OptionalPass::Linear,
    };
    PipelineConfig { without: passes.iter().map(pass).collect(), ..PipelineConfig::default() }
}

/// A second solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SolverArg {
    /// cvc5, as a command or a Python package
    Cvc5,
    /// Yices 2, the command yices-smt2
    Yices,
    /// Z3, the command z3
    Z3,
}

/// A second solver of Horn clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HornSolverArg {
    /// Spacer of the linked Z3
    Spacer,
}

/// How `summarize` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SummaryFormat {
    /// Text for people.
    Human,
    /// One JSON document, see docs/json.md.
    Json,
    /// A graph for Graphviz.
    Dot,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How `check` reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Human,
    /// One last line `RESULT: …` for BenchExec.
    Svcomp,
    /// One JSON document, see docs/json.md.
    Json,
    /// SARIF 2.1.0 with code flows.
    Sarif,
    /// Annotations of a GitHub workflow.
    Github,
    /// A code-quality report of GitLab.
    Gitlab,
    /// JUnit XML: a test case for each check.
    Junit,
    /// The source with the answer as comments.
    Annotate,
}

impl From<Format> for report::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Self::Human,
            Format::Svcomp => Self::Svcomp,
            Format::Json => Self::Json,
            Format::Sarif => Self::Sarif,
            Format::Github => Self::Github,
            Format::Gitlab => Self::Gitlab,
            Format::Junit => Self::Junit,
            Format::Annotate => Self::Annotate,
        }
    }
}

/// Which steps of an execution are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceArg {
    /// those that the violation may depend on
    Relevant,
    /// all
    All,
}

/// A data model by its SV-COMP name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataModelArg {
    /// int, long and pointers have 32 bits
    #[value(name = "ILP32", aliases = ["32", "ilp32"])]
    Ilp32,
    /// int has 32 bits, long and pointers have 64
    #[value(name = "LP64", aliases = ["64", "lp64"])]
    Lp64,
}

impl From<DataModelArg> for cfa::DataModel {
    fn from(model: DataModelArg) -> Self {
        match model {
            DataModelArg::Ilp32 => Self::Ilp32,
            DataModelArg::Lp64 => Self::Lp64,
        }
    }
}

/// What signed overflow means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SignedOverflowArg {
    /// the execution is considered up to the overflow and not beyond
    Undefined,
    /// the result wraps around, as with gcc's -fwrapv
    Wrap,
    /// it is a violation of the property
    Error,
}

impl From<SignedOverflowArg> for cfa::SignedOverflow {
    fn from(meaning: SignedOverflowArg) -> Self {
        match meaning {
            SignedOverflowArg::Undefined => Self::Undefined,
            SignedOverflowArg::Wrap => Self::Wrap,
            SignedOverflowArg::Error => Self::Error,
        }
    }
}

/// A positive number of seconds that the clock can represent.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= 1e9 => Ok(number),
        Ok(_) | Err(_) => Err("expected a number of seconds above 0".to_owned()),
    }
}

/// A positive number.
pub(super) fn count<N>(text: &str) -> Result<N, String>
where
    N: FromStr<Err = ParseIntError>,
{
    text.parse().map_err(|_| "expected a whole number above 0".to_owned())
}

/// `FORMAT=FILE`
pub(super) fn output(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE, for example json=report.json")?;
    if file.is_empty() {
        return Err("the name of the file is missing".to_owned());
    }
    let format = Format::from_str(format, true).map_err(|_| {
        let names = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|name| name.get_name().to_owned()).collect();
        format!("there is no format `{format}`; the formats are: {}", names.join(", "))
    })?;
    Ok((format, PathBuf::from(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_is_a_positive_number() {
        assert!(seconds("0").is_err());
        assert!(seconds("inf").is_err());
        assert!(seconds("nan").is_err());
        assert_eq!(seconds("0.5"), Ok(0.5));
    }
}
