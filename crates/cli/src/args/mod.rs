//! The command line, as data. Nothing here reads a file.

mod ask;
mod check;
mod checked;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use witness::question::Hashes;

use crate::basis::FromSettings;
use crate::compile_commands::Grouping;
use crate::settings::Lookup;

pub(crate) use ask::{AskArgs, AskFormat};
pub(crate) use check::{CheckArgs, DisplayArgs, FileArgs, RecordArgs, SearchArgs};
pub(crate) use checked::{CheckArg, Checked, Unreachable};
pub(crate) use values::{
    ColorChoice, DataModelArg, EntryAliases, EntryElements, EntryGlobals, EntryPointers, ExternPolicy,
    Format, HornSolverArg, LogicArg, PassArg, SignedOverflowArg, SolverArg, SummaryFormat, TraceArg,
    passes_without, seconds,
};

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

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide whether the error location of a program can be reached
    Check(Box<CheckArgs>),
    /// Ask whether a condition can be true at a line of a program, and whether it must be
    Ask(Box<AskArgs>),
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
    /// Solve Horn clauses: exit code 0 sat, 10 unsat, 5 unknown
    Horn(HornArgs),
    /// Serve an editor: a language server on standard input and output
    Lsp {
        /// What most editors say; there is no other way to talk
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Test this installation with the compiler of this machine: one line for each test, exit code 0 or 1
    Selftest,
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
    /// What signed overflow means [default: undefined, or a violation if overflow is checked]
    #[arg(long, value_enum, value_name = "MEANING")]
    pub(crate) signed_overflow: Option<SignedOverflowArg>,
    /// What must not happen, besides failing assertions: a list of names [default of `check` for a C file: all but
    /// leak; for a task definition or --property: nothing else]
    #[arg(long = "check", value_enum, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) checks: Vec<CheckArg>,
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
    /// The function where execution starts [default: main, or what the property says]; `--entry main` starts the
    /// program as C does, with the initial values of global variables
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,
    /// What global variables that are not const hold if --entry names another function than main [default: any]
    #[arg(long, value_enum, value_name = "VALUES")]
    pub(crate) entry_globals: Option<EntryGlobals>,
    /// What pointers point to then [default: object]
    #[arg(long, value_enum, value_name = "TARGETS")]
    pub(crate) entry_pointers: Option<EntryPointers>,
    /// How many elements such a pointer points to, or `any`: how many is an input [default: 1, and `any` where more may be accessed]
    #[arg(long, value_name = "NUMBER|any")]
    pub(crate) entry_elements: Option<EntryElements>,
    /// Whether parameters of the entry function may point to the same object [default: distinct]
    #[arg(long, value_enum, value_name = "ALIASES")]
    pub(crate) entry_aliases: Option<EntryAliases>,
    /// What holds when the entry function is called: a comparison of integer parameters, numbers and lengths, such as
    /// `n <= len(a)`, with C's conversions; `len(a)` is signed. Several hold together
    #[arg(long, value_name = "CONDITION")]
    pub(crate) assume: Vec<String>,
    /// What functions without body do, other than those of the C library [default: pure]
    #[arg(long = "extern", value_enum, value_name = "POLICY")]
    pub(crate) extern_functions: Option<ExternPolicy>,
    /// C files that say what functions without body do, or a folder of them. A file is used if it defines a function
    /// that the program calls and does not define; may be given several times
    #[arg(long, value_name = "FILE.c|FOLDER")]
    pub(crate) models: Vec<PathBuf>,
    /// What of this is from a file of settings.
    #[arg(skip)]
    pub(crate) from_settings: Option<FromSettings>,
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
    /// The witness: YAML, format 2.0 or 2.1; of violations also GraphML, format 1.0
    #[arg(long, value_name = "WITNESS.yml")]
    pub(crate) witness: PathBuf,
    /// Go on if the witness states other hashes than those of the files; the answer says so
    #[arg(long)]
    pub(crate) ignore_hashes: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property that the witness is about
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
}

impl ValidateArgs {
    /// What the hashes of the witness are for.
    pub(crate) fn hashes(&self) -> Hashes {
        if self.ignore_hashes { Hashes::Reported } else { Hashes::Equal }
    }
    /// What the files of a build are.
    pub(crate) fn grouping(&self) -> Grouping {
        if self.program { Grouping::OneProgram } else { Grouping::Programs }
    }
    /// Whether settings are looked for.
    pub(crate) fn lookup(&self) -> Lookup {
        if self.no_settings { Lookup::Off } else { Lookup::On }
    }
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
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
    /// Leave out one of these passes; may be repeated
    #[arg(long, value_enum, value_name = "PASS", requires = "optimize")]
    pub(crate) without_pass: Vec<PassArg>,
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true, default_value = "20")]
    pub(crate) limit: f64,
}

/// `horn`.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 sat, 10 unsat, 5 unknown, 1 usage, 2 the file cannot be read, 6 a contradiction with Spacer.\n\
                  Example: wayproof horn FILE.smt2 --model --timeout 20"
)]
pub(crate) struct HornArgs {
    /// Horn clauses over integers, booleans and arrays: SMT-LIB 2, logic HORN
    #[arg(value_name = "FILE.smt2")]
    pub(crate) file: PathBuf,
    /// If the answer is sat, print a definition of each predicate
    #[arg(long)]
    pub(crate) model: bool,
    /// If the answer is unsat, print the derivation of false
    #[arg(long)]
    pub(crate) derivation: bool,
    /// Ask another solver, too, and report a contradiction
    #[arg(long, value_enum, value_name = "SOLVER")]
    pub(crate) against: Option<HornSolverArg>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
    /// Report how much work was done on standard error
    #[arg(long)]
    pub(crate) stats: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

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
}
