//! The options of the command line that the process of each task gets.

use std::ffi::OsString;
use std::path::Path;

use clap::ValueEnum;

use crate::args::{CheckArgs, DisplayArgs, FileArgs, Format, LogicArg, RecordArgs, SearchArgs, SourceArgs};
use crate::failure::Failure;

/// Options for children.
#[derive(Debug)]
pub(super) struct Forwarded {
    /// As arguments, without the limit of time.
    pub(super) arguments: Vec<OsString>,
    /// As text, to tell whether two runs had the same; with the limit of time.
    pub(super) label: String,
}

/// Sorts the options: those of each task, those of the list, and those that make no sense for a list. Every field is named,
/// so that a new option cannot be forgotten here.
pub(super) fn forward(args: &CheckArgs) -> Result<Forwarded, Failure> {
    let CheckArgs {
        paths: _,
        program: _,
        list: _,
        settings,
        source,
        property,
        display,
        search,
        record,
        files,
    } = args;
    refuse_single_files(files, record)?;
    refuse_display(display)?;
    let mut list = Arguments::default();
    list.source(source);
    list.file("--property", property.as_deref());
    list.search(search);
    list.switches(&[
        ("--stats", record.stats),
        ("--no-exec", files.no_exec),
        ("--no-settings", settings.no_settings),
        ("--trust-settings", settings.trust_settings),
    ]);
    let mut label: Vec<String> = list.0.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(seconds) = search.timeout {
        label.push(format!("--timeout {seconds}"));
    }
    // Where evidence is kept changes no verdict.
    list.file("--cache", search.cache.as_deref());
    Ok(Forwarded { arguments: list.0, label: label.join(" ") })
}

/// The options of a run on another text, about which `source` says what there is to say.
pub(crate) fn options_of(source: &SourceArgs, args: &CheckArgs) -> Vec<OsString> {
    let mut list = Arguments::default();
    list.source(source);
    list.search(&args.search);
    if let Some(seconds) = args.search.timeout {
        list.option("--timeout", &seconds.to_string());
    }
    list.switches(&[("--no-exec", args.files.no_exec), ("--no-settings", true)]);
    list.0
}

/// A list is reported as a table.
fn refuse_display(display: &DisplayArgs) -> Result<(), Failure> {
    let DisplayArgs { format: _, annotate: _, trace, quiet: _ } = display;
    if display.stated_format().is_some_and(|format| format != Format::Human) {
        return Err(Failure::usage(
            "a list of tasks is reported as a table",
            "--csv FILE writes it for programs, --logs FOLDER keeps the JSON report of each task",
        ));
    }
    if trace.is_some() {
        return Err(Failure::usage(
            "--trace is for one task, and this is a list of tasks",
            "--logs FOLDER keeps the JSON report of each task, which has the path to the violation",
        ));
    }
    Ok(())
}

/// One file cannot hold what many tasks have to say.
fn refuse_single_files(files: &FileArgs, record: &RecordArgs) -> Result<(), Failure> {
    let FileArgs { outputs, baseline, report, witness, harness, testcase, bundle, certificate, no_exec: _ } =
        files;
    let RecordArgs { tree, log_queries, profile, events, emit_chc, stats: _ } = record;
    let wanted = [
        ("--output", !outputs.is_empty()),
        ("--baseline", baseline.is_some()),
        ("--report", report.is_some()),
        ("--witness", witness.is_some()),
        ("--harness", harness.is_some()),
        ("--testcase", testcase.is_some()),
        ("--bundle", bundle.is_some()),
        ("--certificate", certificate.is_some()),
        ("--tree", tree.is_some()),
        ("--log-queries", log_queries.is_some()),
        ("--profile", profile.is_some()),
        ("--events", events.is_some()),
        ("--emit-chc", emit_chc.is_some()),
    ];
    match wanted.iter().find(|(_, is_wanted)| *is_wanted) {
        None => Ok(()),
        Some((name, _)) => Err(Failure::usage(
            format!("{name} is for one task, and this is a list of tasks"),
            "check the task alone, or use --logs FOLDER; files that form one program need --program",
        )),
    }
}

#[derive(Default)]
struct Arguments(Vec<OsString>);

impl Arguments {
    /// Where and with what execution starts.
    fn start(&mut self, source: &SourceArgs) {
        let SourceArgs {
            entry, entry_globals, entry_pointers, entry_elements, entry_aliases, assume, ..
        } = source;
        if let Some(entry) = entry {
            self.option("--entry", entry);
        }
        if let Some(value) = entry_globals.and_then(|globals| globals.to_possible_value()) {
            self.option("--entry-globals", value.get_name());
        }
        if let Some(value) = entry_pointers.and_then(|pointers| pointers.to_possible_value()) {
            self.option("--entry-pointers", value.get_name());
        }
        if let Some(count) = entry_elements {
            self.option("--entry-elements", &count.to_string());
        }
        if let Some(value) = entry_aliases.and_then(|aliases| aliases.to_possible_value()) {
            self.option("--entry-aliases", value.get_name());
        }
        for condition in assume {
            self.option("--assume", condition);
        }
    }

    fn source(&mut self, source: &SourceArgs) {
        let SourceArgs {
            data_model,
            signed_overflow,
            checks,
            include_dirs,
            defines,
            undefines,
            includes,
            compile_commands,
            entry: _,
            entry_globals: _,
            entry_pointers: _,
            entry_elements: _,
            entry_aliases: _,
            assume: _,
            extern_functions,
            models,
            // The process of the task reads the settings itself.
            from_settings: _,
        } = source;
        if let Some(value) = data_model.and_then(|model| model.to_possible_value()) {
            self.option("--data-model", value.get_name());
        }
        if let Some(value) = signed_overflow.and_then(|meaning| meaning.to_possible_value()) {
            self.option("--signed-overflow", value.get_name());
        }
        if !checks.is_empty() {
            let names: Vec<String> = checks.iter().map(|check| check.name()).collect();
            self.option("--check", &names.join(","));
        }
        for folder in include_dirs {
            self.file("-I", Some(folder));
        }
        for define in defines {
            self.option("-D", define);
        }
        for undefine in undefines {
            self.option("-U", undefine);
        }
        for include in includes {
            self.file("--include", Some(include));
        }
        self.file("--compile-commands", compile_commands.as_deref());
        self.start(source);
        if let Some(value) = extern_functions.and_then(|policy| policy.to_possible_value()) {
            self.option("--extern", value.get_name());
        }
        for model in models {
            self.file("--models", Some(model));
        }
    }

    /// The limit of time and the cache are added elsewhere.
    fn search(&mut self, search: &SearchArgs) {
        let SearchArgs {
            engine,
            no_gas,
            no_summaries,
            no_congruences,
            no_exchange,
            logic,
            without_pass,
            no_shrink,
            timeout: _,
            cache: _,
        } = search;
        if let Some(engine) = engine {
            self.option("--engine", engine);
        }
        if let Some(value) = logic.to_possible_value().filter(|_| *logic != LogicArg::default()) {
            self.option("--logic", value.get_name());
        }
        for value in without_pass.iter().filter_map(ValueEnum::to_possible_value) {
            self.option("--without-pass", value.get_name());
        }
        self.switches(&[
            ("--no-gas", *no_gas),
            ("--no-summaries", *no_summaries),
            ("--no-congruences", *no_congruences),
            ("--no-exchange", *no_exchange),
            ("--no-shrink", *no_shrink),
        ]);
    }

    /// One word, so that a value that starts with a hyphen stays a value.
    fn option(&mut self, name: &str, value: &str) {
        let separator = if name.starts_with("--") { "=" } else { "" };
        self.0.push(format!("{name}{separator}{value}").into());
    }

    fn file(&mut self, name: &str, path: Option<&Path>) {
        let Some(path) = path else { return };
        let separator = if name.starts_with("--") { "=" } else { "" };
        let mut word = OsString::from(format!("{name}{separator}"));
        word.push(path);
        self.0.push(word);
    }

    /// Those that are on.
    fn switches(&mut self, switches: &[(&str, bool)]) {
        let on = switches.iter().filter(|(_, is_on)| *is_on);
        self.0.extend(on.map(|(name, _)| OsString::from(name)));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn label(words: &[&str]) -> Result<String, String> {
        let cli = Cli::try_parse_from(words).unwrap();
        let Command::Check(args) = cli.command else { panic!("should be check") };
        forward(&args).map(|forwarded| forwarded.label).map_err(|failure| match failure {
            Failure::Input { diagnostics, .. } => diagnostics[0].message.clone(),
            Failure::Output(error) => error.to_string(),
        })
    }

    #[test]
    fn options_reach_the_children_and_parse_again() {
        let words = [
            "wayproof",
            "check",
            "a.c",
            "b.c",
            "-DN=-3",
            "-Iinclude",
            "-UX",
            "--data-model",
            "32",
            "--timeout",
            "9",
        ];
        let text = label(&words).unwrap();
        assert_eq!(text, "--data-model=ILP32 -Iinclude -DN=-3 -UX --timeout 9");
        let mut again = vec!["wayproof", "check", "a.c"];
        again.extend(text.split(' '));
        assert_eq!(label(&again).unwrap(), text);
        // What is a default may come from the settings of each task.
        assert_eq!(label(&["wayproof", "check", "a.c"]).unwrap(), "");
        assert_eq!(label(&["wayproof", "check", "a.c", "--engine", "gps"]).unwrap(), "--engine=gps");
    }

    #[test]
    fn options_of_one_task_are_refused() {
        let error =
            |option: &[&str]| label(&[&["wayproof", "check", "a.c", "b.c"], option].concat()).unwrap_err();
        assert_eq!(error(&["--witness", "w.yml"]), "--witness is for one task, and this is a list of tasks");
        assert_eq!(error(&["--output", "json=x"]), "--output is for one task, and this is a list of tasks");
        assert_eq!(error(&["--tree", "x"]), "--tree is for one task, and this is a list of tasks");
        assert_eq!(error(&["--format", "json"]), "a list of tasks is reported as a table");
    }
}
