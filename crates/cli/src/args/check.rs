//! The options of `wayproof check`, by topic.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;

use super::SourceArgs;
use super::values::{Format, LogicArg, PassArg, TraceArg, count, output, seconds};
use crate::compile_commands::Grouping;
use crate::settings::Lookup;

/// `check`.
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
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The property to decide [default: no call of reach_error, no failing assert]
    #[arg(long, visible_alias = "spec", value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) files: FileArgs,
}

impl CheckArgs {
    /// What the files of a build are.
    pub(crate) fn grouping(&self) -> Grouping {
        if self.program { Grouping::OneProgram } else { Grouping::Programs }
    }
}

/// What a `wayproof.toml` may say.
#[derive(Args, Debug, Default)]
pub(crate) struct SettingsArgs {
    /// Ignore wayproof.toml
    #[arg(long)]
    pub(crate) no_settings: bool,
    /// Allow wayproof.toml to name a cache outside of its folder
    #[arg(long, conflicts_with = "no_settings")]
    pub(crate) trust_settings: bool,
}

impl SettingsArgs {
    /// Whether settings are looked for.
    pub(crate) fn lookup(&self) -> Lookup {
        if self.no_settings { Lookup::Off } else { Lookup::On }
    }
}

/// What is printed on standard output.
#[derive(Args, Debug, Default)]
pub(crate) struct DisplayArgs {
    /// How to report [default: human]
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Print the source with the answer as comments: invariants at their loops, or inputs and violation; short for
    /// --format annotate
    #[arg(long, conflicts_with = "format")]
    pub(crate) annotate: bool,
    /// Print the path to the violation step by step: what the violation may depend on, or all
    #[arg(long, value_enum, value_name = "STEPS", num_args = 0..=1, require_equals = true,
          default_missing_value = "relevant")]
    pub(crate) trace: Option<TraceArg>,
    /// Report the verdict only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl DisplayArgs {
    /// The format that the command line names.
    pub(crate) fn stated_format(&self) -> Option<Format> {
        if self.annotate { Some(Format::Annotate) } else { self.format }
    }
    /// The format of standard output.
    pub(crate) fn format(&self) -> Format {
        self.stated_format().unwrap_or(Format::Human)
    }
}

/// How the question is decided.
#[expect(clippy::struct_excessive_bools, reason = "independent switches of a command line")]
#[derive(Args, Debug, Default)]
pub(crate) struct SearchArgs {
    /// The engine; `wayproof engines` lists them [default: auto]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Do not count loop iterations in the summaries that guide tests
    #[arg(long)]
    pub(crate) no_gas: bool,
    /// Compute no summaries
    #[arg(long)]
    pub(crate) no_summaries: bool,
    /// Leave congruences out of the summaries of loops
    #[arg(long)]
    pub(crate) no_congruences: bool,
    /// Let the engines of `auto` tell each other nothing
    #[arg(long)]
    pub(crate) no_exchange: bool,
    /// How machine values are modelled
    #[arg(long, value_enum, value_name = "LOGIC", default_value_t)]
    pub(crate) logic: LogicArg,
    /// Do not make loops of recursion: leave out passes that prepare the program; may be repeated
    #[arg(long, value_enum, value_name = "PASS")]
    pub(crate) without_pass: Vec<PassArg>,
    /// Report the inputs of a violation as they were found, without looking for smaller ones
    #[arg(long)]
    pub(crate) no_shrink: bool,
    /// Give up after this many seconds [default for a list of tasks: 60 for each]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
    /// Keep verdicts with their evidence in a folder; evidence of an earlier run is checked again instead of a new search
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache: Option<PathBuf>,
}

impl SearchArgs {
    /// The name of the engine.
    pub(crate) fn engine(&self) -> &str {
        self.engine.as_deref().unwrap_or(engines::ENGINES[0].name)
    }
}

/// What is recorded of the work.
#[derive(Args, Debug, Default)]
pub(crate) struct RecordArgs {
    /// Draw the search tree for Graphviz
    #[arg(long, value_name = "FILE.dot")]
    pub(crate) tree: Option<PathBuf>,
    /// Write every solver query as an SMT-LIB file into a new folder
    #[arg(long, value_name = "DIR")]
    pub(crate) log_queries: Option<PathBuf>,
    /// Write a timeline of stages and solver queries for a trace viewer (Chrome trace format)
    #[arg(long, value_name = "FILE.json")]
    pub(crate) profile: Option<PathBuf>,
    /// Write what happens as lines of JSON, each when it happens: engines, facts, checks, the verdict (docs/json.md). With
    /// `-` they take the place of the report on standard output
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub(crate) events: Option<PathBuf>,
    /// Write the program as Horn clauses (SMT-LIB, logic HORN), for other solvers: if they are satisfiable, the property holds
    #[arg(long, value_name = "FILE.smt2")]
    pub(crate) emit_chc: Option<PathBuf>,
    /// Report how much work was done
    #[arg(long)]
    pub(crate) stats: bool,
}

/// How a list of tasks is checked.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Many tasks")]
pub(crate) struct ListArgs {
    /// Check this many tasks at a time [default: one for each processor]; for one task, let the engine `auto` use so many
    /// threads [default: 1], which changes neither verdict nor evidence
    #[arg(long, value_name = "NUMBER", value_parser = count::<NonZero<usize>>)]
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
    #[arg(long, value_name = "MIB", value_parser = count::<NonZero<u64>>)]
    pub(crate) memory: Option<NonZero<u64>>,
}

/// What `check` writes beside its report.
#[derive(Args, Debug, Default)]
pub(crate) struct FileArgs {
    /// Write the report in a format to a file, too; may be repeated
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = output)]
    pub(crate) outputs: Vec<(Format, PathBuf)>,
    /// Let only findings count that an earlier report does not have; write one with --output gitlab=FILE
    #[arg(long, value_name = "FILE.json")]
    pub(crate) baseline: Option<PathBuf>,
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
    /// Write what the verdict depends on, and a script that repeats the run, into a new folder or archive: preprocessed
    /// files, options, versions, reports, witness, harness
    #[arg(long, value_name = "FOLDER|FILE.tar")]
    pub(crate) bundle: Option<PathBuf>,
    /// Write the evidence into a new folder, with a script that checks it without this tool: automata, invariants and
    /// obligations of a proof, or the inputs of a violation
    #[arg(long, value_name = "FOLDER")]
    pub(crate) certificate: Option<PathBuf>,
    /// Do not build and execute the program to confirm a violation
    #[arg(long)]
    pub(crate) no_exec: bool,
}

impl FileArgs {
    /// Whether nothing is asked for.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            outputs,
            baseline: _,
            report,
            witness,
            harness,
            testcase,
            bundle,
            certificate,
            no_exec: _,
        } = self;
        let paths = [report, witness, harness, testcase, bundle, certificate];
        outputs.is_empty() && paths.iter().all(|path| path.is_none())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;

    #[test]
    fn the_help_names_the_default_engine() {
        let mut command = Cli::command();
        let help = command.find_subcommand_mut("check").unwrap().render_long_help().to_string();
        assert!(help.contains(&format!("lists them [default: {}]", engines::ENGINES[0].name)), "{help}");
    }
}
