//! The command line, as data. Nothing here reads a file.
//!
//! # Length
//! One declaration per option, with its help text: a list that is read by searching.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::basis::FromSettings;

/// A software model checker for C: can the error be reached?
#[derive(Debug, Parser)]
#[command(
    name = "wayproof",
    version,
    max_term_width = 100,
    propagate_version = true,
    after_help = "Exit codes: 0 safe, 10 unsafe, 5 unknown, 1 usage, 2 front-end error, 6 internal error.\n\
                  Example: wayproof check examples/safe_loop.c"
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; `auto` is: on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColorChoice,
}

impl Cli {
    /// Reads a command line, its first word being the name of the program.
    pub(crate) fn from_words<W: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(words)?;
        let mut cli = Self::from_arg_matches(&matches)?;
        if let (Command::Check(args), Some((_, matches))) = (&mut cli.command, matches.subcommand()) {
            let is_given = |name| matches.value_source(name) == Some(ValueSource::CommandLine);
            args.given = Given { engine: is_given("engine"), format: is_given("format") || args.annotate };
            if args.annotate {
                args.format = Format::Annotate;
            }
        }
        Ok(cli)
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide whether the error location of a program can be reached
    Check(Box<CheckArgs>),
    /// Execute a program with the reference interpreter
    Run(RunArgs),
    /// Parse a program and report what it consists of
    Parse(ParseArgs),
    /// Print the control-flow automata of a program
    Cfa(CfaArgs),
    /// Print the path summaries of a program: the states from which the error may be reached
    Summarize(SummarizeArgs),
    /// Replay the queries that `check --log-queries` wrote with a second solver
    Queries(QueriesArgs),
    /// Validate a witness: exit code 0 confirmed, 10 refuted, 5 unknown, 2 malformed
    Validate(ValidateArgs),
    /// List the engines
    Engines,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page in roff
    Man,
}

/// How the C text is read; the same for all commands.
#[derive(Args, Debug, Default)]
pub(crate) struct SourceArgs {
    /// Sizes of int, long and pointers [default: LP64, or what the task says]
    #[arg(long, value_enum, ignore_case = true, value_name = "MODEL")]
    pub(crate) data_model: Option<DataModelArg>,
    /// What signed overflow means [default: undefined]
    #[arg(long, value_enum, value_name = "MEANING")]
    pub(crate) signed_overflow: Option<SignedOverflowArg>,
    /// Search a directory for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include_dirs: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) defines: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub(crate) undefines: Vec<String>,
    /// Include a file before the first line
    #[arg(long = "include", value_name = "FILE")]
    pub(crate) includes: Vec<PathBuf>,
    /// Take the options of each file from a compile_commands.json, or from the one in a folder; `check` without
    /// files then checks every file with a main, or with --program all files as one program
    #[arg(short = 'p', long, value_name = "FILE.json|FOLDER")]
    pub(crate) compile_commands: Option<PathBuf>,
    /// The function where execution starts [default: main, or what the property says]
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,
    /// What global variables that are not const hold if --entry names another function than main [default: any]
    #[arg(long, value_enum, value_name = "VALUES")]
    pub(crate) entry_globals: Option<EntryGlobals>,
    /// What pointers point to then [default: object]
    #[arg(long, value_enum, value_name = "TARGETS")]
    pub(crate) entry_pointers: Option<EntryPointers>,
    /// How many elements such a pointer points to [default: 1]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) entry_elements: Option<u64>,
    /// What functions without body do, other than those of the C library [default: pure]
    #[arg(long = "extern", value_enum, value_name = "POLICY")]
    pub(crate) extern_functions: Option<ExternPolicy>,
    /// What of this is from a file of settings.
    #[arg(skip)]
    pub(crate) from_settings: Option<FromSettings>,
}

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

/// `check`.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a command line")]
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// A C file, preprocessed or not, or an SV-COMP task definition. Several of them, a folder, or a text file with
    /// their names (@LIST) are a list of tasks, each checked by itself
    #[arg(value_name = "FILE.c|TASK.yml|FOLDER|@LIST")]
    pub(crate) paths: Vec<PathBuf>,
    /// The C files together are one program
    #[arg(long)]
    pub(crate) program: bool,
    #[command(flatten)]
    pub(crate) list: ListArgs,
    /// Ignore wayproof.toml
    #[arg(long)]
    pub(crate) no_settings: bool,
    /// Allow wayproof.toml to name a cache outside of its folder
    #[arg(long, conflicts_with = "no_settings")]
    pub(crate) trust_settings: bool,
    /// What the command line says itself.
    #[arg(skip)]
    pub(crate) given: Given,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property to decide [default: no call of reach_error, no failing assert]
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// The engine; `wayproof engines` lists them
    #[arg(long, value_name = "NAME", default_value = engines::ENGINES[0].name)]
    pub(crate) engine: String,
    /// Do not count loop iterations in the summaries that guide tests
    #[arg(long)]
    pub(crate) no_gas: bool,
    /// Compute no summaries
    #[arg(long)]
    pub(crate) no_summaries: bool,
    /// Leave congruences out of the summaries of loops
    #[arg(long)]
    pub(crate) no_congruences: bool,
    /// Draw the search tree for Graphviz
    #[arg(long, value_name = "FILE.dot")]
    pub(crate) tree: Option<PathBuf>,
    /// Give up after this many seconds [default for a list of tasks: 60 for each]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Keep verdicts with their evidence in a folder; evidence of an earlier run is checked again instead of a new search
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache: Option<PathBuf>,
    /// Write every solver query as an SMT-LIB file into a new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,
    /// Write a timeline of stages and solver queries for a trace viewer (Chrome trace format)
    #[arg(long, value_name = "FILE.json")]
    pub(crate) profile: Option<PathBuf>,
    /// Print the path to the violation step by step: what the violation may depend on, or all
    #[arg(long, value_enum, value_name = "STEPS", num_args = 0..=1, require_equals = true,
          default_missing_value = "relevant")]
    pub(crate) trace: Option<TraceArg>,
    /// Print the source with the answer as comments: invariants at their loops, or inputs and violation; short for
    /// --format annotate
    #[arg(long, conflicts_with = "format")]
    pub(crate) annotate: bool,
    /// Report the inputs of a violation as they were found, without looking for smaller ones
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Report how much work was done
    #[arg(long)]
    pub(crate) stats: bool,
    /// Report the verdict only
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) files: FileArgs,
}

/// Options that stand on the command line, though they have a default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    /// `--engine`
    pub(crate) engine: bool,
    /// `--format`
    pub(crate) format: bool,
}

/// How a list of tasks is checked.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Many tasks")]
pub(crate) struct ListArgs {
    /// Check this many tasks at a time [default: one for each processor]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// Write a table of the tasks; it is kept up to date, also after Ctrl-C
    #[arg(long, value_name = "FILE.csv", conflicts_with = "resume")]
    pub(crate) csv: Option<PathBuf>,
    /// As --csv, and do not check again what the table has already, if program and options are the same; with --cache the
    /// evidence is checked again, without it such verdicts are marked and count as unknown for the exit code
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) resume: Option<PathBuf>,
    /// End if the key of program and options is this one and there is no evidence: an earlier run has a verdict
    #[arg(long, value_name = "KEY", hide = true)]
    pub(crate) known_key: Option<String>,
    /// Show only tasks whose verdict differs from an earlier table; the exit code is about these tasks only
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) since: Option<PathBuf>,
    /// Keep the reports and messages of each task
    #[arg(long, value_name = "FOLDER")]
    pub(crate) logs: Option<PathBuf>,
    /// End a task that needs more than this many MiB
    #[arg(long, value_name = "MIB")]
    pub(crate) memory: Option<NonZero<u64>>,
}

/// What `check` writes beside its report.
#[derive(Args, Debug, Default)]
pub(crate) struct FileArgs {
    /// Write the report in a format to a file, too; may be repeated
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = output)]
    pub(crate) outputs: Vec<(Format, PathBuf)>,
    /// Write a web page: source, execution, automata, search tree, figures
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a witness of the verdict: YAML, format 2.0
    #[arg(long, value_name = "WITNESS.yml")]
    pub(crate) witness: Option<PathBuf>,
    /// Write a C program that runs into the violation
    #[arg(long, value_name = "FILE.c")]
    pub(crate) harness: Option<PathBuf>,
    /// Write the inputs of the violation as a test case of Test-Comp
    #[arg(long, value_name = "FOLDER")]
    pub(crate) testcase: Option<PathBuf>,
    /// Do not build and execute the program to confirm a violation
    #[arg(long)]
    pub(crate) no_exec: bool,
}

impl FileArgs {
    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { outputs, report, witness, harness, testcase, no_exec: _ } = self;
        outputs.is_empty() && [report, witness, harness, testcase].iter().all(|path| path.is_none())
    }
}

/// `validate`.
#[derive(Args, Debug)]
pub(crate) struct ValidateArgs {
    /// The C files of the program, or an SV-COMP task definition; with -p and without files the one with a main
    #[arg(value_name = "FILE.c|TASK.yml")]
    pub(crate) files: Vec<PathBuf>,
    /// All files of -p together are the program; files that are named are so in any case
    #[arg(long)]
    pub(crate) program: bool,
    /// Ignore wayproof.toml
    #[arg(long)]
    pub(crate) no_settings: bool,
    /// The witness: YAML, format 2.0
    #[arg(long, value_name = "WITNESS.yml")]
    pub(crate) witness: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property that the witness is about
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

/// `run`.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a command line")]
#[derive(Args, Debug)]
#[command(
    after_help = "The exit code is the program's own (134 if it aborts), or 10 if it reaches the error, 5 if it \
                        ends in undefined\nbehaviour, is blocked by a false assumption, runs out of inputs or is \
                        stopped. With --verdict: 0, 10 or 5."
)]
pub(crate) struct RunArgs {
    /// A C file, preprocessed or not, or an SV-COMP task definition
    #[arg(value_name = "FILE.c|TASK.yml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property that names the error function
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// The next nondeterministic value: decimal, 0x…, 'c', a float, true or false; a byte of standard input is such a value, -1 is its end; may be repeated
    #[arg(long = "input", value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) input: Vec<String>,
    /// Read nondeterministic values from a file, separated by blanks, commas or lines; they come after those of --input
    #[arg(long, value_name = "FILE")]
    pub(crate) inputs: Option<PathBuf>,
    /// When no value is left, draw values from this seed
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Print the executed steps on standard error
    #[arg(long)]
    pub(crate) trace: bool,
    /// Exit with 0, 10 or 5 instead of the program's exit status
    #[arg(long)]
    pub(crate) verdict: bool,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
    /// Report how much work was done
    #[arg(long)]
    pub(crate) stats: bool,
    /// Do not say how the program ended
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// `parse`.
#[derive(Args, Debug)]
pub(crate) struct ParseArgs {
    /// A C file, preprocessed or not, or an SV-COMP task definition
    #[arg(value_name = "FILE.c|TASK.yml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Report the time that each phase took
    #[arg(long)]
    pub(crate) stats: bool,
}

/// `cfa`.
#[derive(Args, Debug)]
pub(crate) struct CfaArgs {
    /// A C file, preprocessed or not, or an SV-COMP task definition
    #[arg(value_name = "FILE.c|TASK.yml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property that names the error function
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: CfaForm,
    /// Run the passes that simplify the program first
    #[arg(long)]
    pub(crate) optimize: bool,
    /// Report the time that each phase took on standard error
    #[arg(long)]
    pub(crate) stats: bool,
}

/// How automata are printed.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct CfaForm {
    /// In the text format
    #[arg(long)]
    pub(crate) text: bool,
    /// As a graph for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,
}

/// `summarize`.
#[derive(Args, Debug)]
pub(crate) struct SummarizeArgs {
    /// A C file, preprocessed or not, or an SV-COMP task definition
    #[arg(value_name = "FILE.c|TASK.yml")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property that names the error function
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// Only the summary of what starts at this line
    #[arg(long, value_name = "LINE")]
    pub(crate) at: Option<u32>,
    /// Also print what is known about the reachable states
    #[arg(long)]
    pub(crate) forward: bool,
    /// Do not cut long formulas
    #[arg(long)]
    pub(crate) full: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = SummaryFormat::Human)]
    pub(crate) format: SummaryFormat,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<f64>,
}

/// `queries`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 no disagreement, 10 a disagreement, 5 no second solver, 1 broken files or usage."
)]
pub(crate) struct QueriesArgs {
    /// The folder with the queries
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: PathBuf,
    /// The second solver [default: $WAYPROOF_SECOND_SOLVER, Yices or cvc5, whichever is there]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) solver: Option<SolverArg>,
    /// Ask about this many of the queries only, evenly spread
    #[arg(long, value_name = "NUMBER")]
    pub(crate) sample: Option<usize>,
    /// Give up on a query after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    pub(crate) limit: f64,
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
            Format::Annotate => Self::Annotate,
        }
    }
}

/// Which steps of an execution are told.
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

/// `FORMAT=FILE`
fn output(text: &str) -> Result<(Format, PathBuf), String> {
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
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_negative_input_is_a_value_not_an_option() {
        let cli = Cli::try_parse_from(["wayproof", "run", "a.c", "--input", "-5", "--input", "7"]).unwrap();
        let Command::Run(run) = cli.command else { panic!("should be run") };
        assert_eq!(run.input, ["-5", "7"]);
    }

    #[test]
    fn macros_are_attached_to_their_option_as_with_a_compiler() {
        let cli = Cli::try_parse_from(["wayproof", "check", "a.c", "-DN=3", "-Iinclude", "-UX"]).unwrap();
        let Command::Check(check) = cli.command else { panic!("should be check") };
        assert_eq!(check.source.defines, ["N=3"]);
        assert_eq!(check.source.undefines, ["X"]);
        assert_eq!(check.source.include_dirs, [PathBuf::from("include")]);
    }

    #[test]
    fn a_time_limit_is_a_positive_number() {
        assert!(seconds("0").is_err());
        assert!(seconds("inf").is_err());
        assert!(seconds("nan").is_err());
        assert_eq!(seconds("0.5"), Ok(0.5));
    }
}
