//! What shaped the program that a verdict is about, beyond its text: settings, the build, and the options of the command line.
//!
//! # Invariants
//! * I1: nothing that changes which program is read, or where it starts, is left out. What is a default is not said.

use std::path::Path;

use cfront::preprocess;
use clap::ValueEnum;
use report::Basis;

use crate::args::SourceArgs;
use crate::property::Property;
use crate::resolve::Request;

/// Which of the options are from a file of settings.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent options")]
pub(crate) struct FromSettings {
    /// The name of the file.
    pub(crate) file: String,
    /// How many of the definitions; they are the first ones.
    pub(crate) defines: usize,
    /// How many of the folders; they are the last ones.
    pub(crate) include_dirs: usize,
    /// Whether the data model is.
    pub(crate) data_model: bool,
    /// Whether the meaning of signed overflow is.
    pub(crate) signed_overflow: bool,
    /// Whether what is checked is.
    pub(crate) checks: bool,
    /// Whether the build is.
    pub(crate) compile_commands: bool,
    /// Whether the models are.
    pub(crate) models: bool,
}

const COMMAND_LINE: &str = "command line";

/// What the options say; the program is not known yet.
pub(crate) fn basis(request: &Request, source: &SourceArgs) -> Basis {
    let mut lines = Lines::default();
    lines.read(request, source);
    let settings = source.from_settings.clone().unwrap_or_default();
    let from_settings =
        |is_setting: bool| if is_setting { format!(" ({})", settings.file) } else { String::new() };
    Basis {
        options: lines.0,
        data_model: from_settings(settings.data_model),
        signed_overflow: from_settings(settings.signed_overflow),
        is_idle: false,
    }
}

/// Options, one line each.
#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn read(&mut self, request: &Request, source: &SourceArgs) {
        let settings = source.from_settings.clone().unwrap_or_default();
        let origin = |is_setting: bool| if is_setting { settings.file.as_str() } else { COMMAND_LINE };
        for (number, define) in source.defines.iter().enumerate() {
            self.add(&format!("macro {define} is defined"), origin(number < settings.defines));
        }
        for undefine in &source.undefines {
            self.add(&format!("macro {undefine} is undefined"), COMMAND_LINE);
        }
        for include in &source.includes {
            self.add(&format!("`{}` is included first", include.display()), COMMAND_LINE);
        }
        let given = source.include_dirs.len().saturating_sub(settings.include_dirs);
        for (number, folder) in source.include_dirs.iter().enumerate() {
            self.add(&format!("headers are searched in `{}`", folder.display()), origin(number >= given));
        }
        if let Some(path) = &source.compile_commands {
            let name = crate::compile_commands::file(path).display().to_string();
            self.build(request, &name);
            if settings.compile_commands {
                self.add(&format!("the build is `{name}`"), &settings.file);
            }
        }
        self.start(source);
        for (function, file) in &request.models {
            let what = format!("function `{function}` does what the model `{}` says", shown(file));
            self.add(&what, origin(settings.models));
        }
        if let Property::UnreachCall { function } = &request.property
            && !request.is_standard_property()
        {
            self.0.push(format!("the error is a call of {function}, and nothing else (property file)"));
        }
    }

    fn add(&mut self, what: &str, origin: &str) {
        self.0.push(format!("{what} ({origin})"));
    }

    /// What the build says about each file.
    fn build(&mut self, request: &Request, name: &str) {
        for (file, flags) in request.files.iter().zip(&request.flags) {
            let mut options = preprocess::Options::new(request.data_model);
            flags.extend(&mut options);
            let preprocess::Options { include_folders, defines, undefines, includes, others, .. } = options;
            let mut words: Vec<String> = defines.iter().map(|define| format!("-D{define}")).collect();
            words.extend(undefines.iter().map(|undefine| format!("-U{undefine}")));
            words.extend(includes.iter().map(|include| format!("-include {}", include.display())));
            words.extend(others.iter().map(|word| word.to_string_lossy().into_owned()));
            words.extend(include_folders.iter().map(|folder| format!("-I{}", folder.display())));
            if !words.is_empty() {
                self.add(&format!("options of `{}`: {}", file.display(), words.join(" ")), name);
            }
        }
    }

    /// Where and with what execution starts.
    fn start(&mut self, source: &SourceArgs) {
        let SourceArgs { entry, entry_globals, entry_pointers, entry_elements, entry_aliases, .. } = source;
        if let Some(entry) = entry {
            self.add(&format!("execution starts in {entry}"), COMMAND_LINE);
        }
        if let Some(globals) = entry_globals.and_then(|globals| globals.to_possible_value()) {
            self.add(&format!("--entry-globals {}", globals.get_name()), COMMAND_LINE);
        }
        if let Some(pointers) = entry_pointers.and_then(|pointers| pointers.to_possible_value()) {
            self.add(&format!("--entry-pointers {}", pointers.get_name()), COMMAND_LINE);
        }
        if let Some(elements) = entry_elements {
            self.add(&format!("--entry-elements {elements}"), COMMAND_LINE);
        }
        if let Some(aliases) = entry_aliases.and_then(|aliases| aliases.to_possible_value()) {
            self.add(&format!("--entry-aliases {}", aliases.get_name()), COMMAND_LINE);
        }
        for condition in &source.assume {
            self.add(&format!("--assume '{condition}'"), COMMAND_LINE);
        }
        if let Some(policy) = source.extern_functions.and_then(|policy| policy.to_possible_value()) {
            self.add(&format!("--extern {}", policy.get_name()), COMMAND_LINE);
        }
    }
}

/// The name of a file, relative to the current folder if it is in or below it.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
