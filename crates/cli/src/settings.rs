//! `wayproof.toml`: defaults for options, from the folder of a file or the nearest folder above it.
//!
//! # Invariants
//! * I1: the command line wins over a task definition, which wins over the settings.
//! * I2: a key or a value that is not understood is an error with its line, never skipped.
//! * I3: settings cause no writing outside of their folder unless the user allows it: they may be part of a project of someone else.

use std::fs;
use std::path::{Component, Path, PathBuf};

use base::{SourceFile, SourceMap, Span};
use clap::ValueEnum;
use toml::de::{DeTable, DeValue};

use crate::args::{CheckArg, CheckArgs, DataModelArg, Format, SignedOverflowArg, SourceArgs};
use crate::basis::FromSettings;
use crate::failure::Failure;
use crate::{basis, compile_commands, input, task};

/// The name of the file.
const NAME: &str = "wayproof.toml";
/// The keys that exist.
const KEYS: [&str; 11] = [
    "cache",
    "check",
    "compile-commands",
    "data-model",
    "defines",
    "engine",
    "format",
    "include-dirs",
    "models",
    "signed-overflow",
    "timeout",
];

/// What a file of settings says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Settings {
    /// Where it is.
    file: PathBuf,
    engine: Option<String>,
    format: Option<Format>,
    /// Seconds for each task.
    pub(crate) timeout: Option<f64>,
    data_model: Option<DataModelArg>,
    signed_overflow: Option<SignedOverflowArg>,
    checks: Vec<CheckArg>,
    include_dirs: Vec<PathBuf>,
    defines: Vec<String>,
    cache: Option<PathBuf>,
    compile_commands: Option<PathBuf>,
    models: Vec<PathBuf>,
}

/// The file of settings for a file: that of its folder, or of the nearest folder above that has one.
pub(crate) fn file_for(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    file.ancestors().skip(1).map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// Whether settings are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// In the folder of a file, and in those above it.
    On,
    /// Nowhere.
    Off,
}

impl Lookup {
    /// The settings for a file.
    pub(crate) fn find(self, file: &Path) -> Result<Option<Settings>, Failure> {
        match self {
            Self::On => file_for(file).map(|path| load(&path)).transpose(),
            Self::Off => Ok(None),
        }
    }
}

/// The build of a command line that names no file: the settings of the current folder may have one.
pub(crate) fn find_build(files: &[PathBuf], source: &mut SourceArgs, lookup: Lookup) -> Result<(), Failure> {
    if !files.is_empty() || source.compile_commands.is_some() {
        return Ok(());
    }
    let settings = lookup.find(Path::new(NAME))?;
    source.compile_commands = settings.and_then(|settings| settings.compile_commands);
    if source.compile_commands.is_some() {
        return Ok(());
    }
    Err(Failure::usage(
        "no file is given",
        "name a C file or a task definition, or a build with -p (in wayproof.toml: compile-commands = \"build\")",
    ))
}

/// Fills in what the command line leaves open about the text; the settings, if there are any.
pub(crate) fn apply_to_source(
    files: &[PathBuf],
    source: &mut SourceArgs,
    lookup: Lookup,
) -> Result<Option<Settings>, Failure> {
    let Some(file) = files.first() else { return Ok(None) };
    let settings = lookup.find(file)?;
    if let Some(settings) = &settings {
        settings.read_source(source, file);
    }
    Ok(settings)
}

/// Fills in what the command line of `check` leaves open.
pub(crate) fn apply(args: &mut CheckArgs) -> Result<(), Failure> {
    let Some(settings) = apply_to_source(&args.paths, &mut args.source, args.settings.lookup())? else {
        return Ok(());
    };
    args.search.timeout = args.search.timeout.or(settings.timeout);
    if args.search.cache.is_none() {
        args.search.cache = settings.cache(args)?;
    }
    args.display.format = args.display.format.or(settings.format);
    args.search.engine = args.search.engine.take().or(settings.engine);
    Ok(())
}

impl Settings {
    /// The file that says how the project is built.
    pub(crate) fn build(&self) -> Option<PathBuf> {
        self.compile_commands.as_deref().map(compile_commands::file)
    }

    /// The folder of the cache (I3).
    fn cache(&self, args: &CheckArgs) -> Result<Option<PathBuf>, Failure> {
        let Some(cache) = &self.cache else { return Ok(None) };
        let own = self.file.parent().unwrap_or(Path::new("/"));
        if args.settings.trust_settings || is_within(cache, own) {
            return Ok(Some(cache.clone()));
        }
        Err(Failure::usage(
            format!("`{}` names a cache outside of its folder: `{}`", self.file.display(), cache.display()),
            "--trust-settings allows it, --cache FOLDER names another one, --no-settings ignores the file",
        ))
    }

    fn read_source(&self, source: &mut SourceArgs, file: &Path) {
        let mut used = FromSettings { file: basis::shown(&self.file), ..FromSettings::default() };
        // I1: a task definition says itself what machine it is for, and is no part of a build.
        if !task::is_task(file) {
            used.data_model = source.data_model.is_none() && self.data_model.is_some();
            source.data_model = source.data_model.or(self.data_model);
            let is_own =
                source.compile_commands.is_none() || source.compile_commands == self.compile_commands;
            used.compile_commands = is_own && self.compile_commands.is_some();
            used.checks = source.checks.is_empty() && !self.checks.is_empty();
            if used.checks {
                source.checks.clone_from(&self.checks);
            }
            source.compile_commands =
                source.compile_commands.take().or_else(|| self.compile_commands.clone());
        }
        used.signed_overflow = source.signed_overflow.is_none() && self.signed_overflow.is_some();
        (used.defines, used.include_dirs) = (self.defines.len(), self.include_dirs.len());
        used.models = source.models.is_empty() && !self.models.is_empty();
        if used.models {
            source.models.clone_from(&self.models);
        }
        source.from_settings = Some(used);
        source.signed_overflow = source.signed_overflow.or(self.signed_overflow);
        source.include_dirs.extend(self.include_dirs.iter().cloned());
        // Of two definitions of a macro the later one counts.
        source.defines.splice(0..0, self.defines.iter().cloned());
    }
}

/// Whether a folder is below another one, or will be when it is made: whatever links lead to.
fn is_within(folder: &Path, outer: &Path) -> bool {
    let Ok(outer) = fs::canonicalize(outer) else { return false };
    // A part that does not exist yet must not lead upwards.
    let mut missing = folder;
    while fs::symlink_metadata(missing).is_err() {
        let (Some(parent), Some(Component::Normal(_))) = (missing.parent(), missing.components().next_back())
        else {
            return false;
        };
        missing = parent;
    }
    fs::canonicalize(missing).is_ok_and(|exists| exists.starts_with(&outer))
}

fn load(path: &Path) -> Result<Settings, Failure> {
    let text = String::from_utf8_lossy(&input::read(path)?).into_owned();
    let folder = path.parent().unwrap_or(Path::new(""));
    let parsed = parse(&text, folder).map(|settings| Settings { file: path.to_owned(), ..settings });
    parsed.map_err(|problem| {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new(path.display().to_string(), text.as_bytes()));
        let span = Span { file, lo: problem.at.start as u32, hi: problem.at.end as u32 };
        Failure::usage_at(sources, span, &problem.message, &problem.help)
    })
}

/// What is wrong with a file of settings.
struct Problem {
    at: std::ops::Range<usize>,
    message: String,
    help: String,
}

fn parse(text: &str, folder: &Path) -> Result<Settings, Problem> {
    let document = DeTable::parse(text).map_err(|error| Problem {
        at: error.span().unwrap_or(0..0),
        message: format!("not TOML: {}", error.message()),
        help: "a line of the settings is `key = value`; --no-settings ignores the file".to_owned(),
    })?;
    let mut settings = Settings::default();
    for (key, value) in document.get_ref() {
        let name: &str = key.get_ref();
        let wrong = |expected: &str| Problem {
            at: value.span(),
            message: format!("`{name}` has a value that cannot be used"),
            help: format!("expected {expected}"),
        };
        let value = value.get_ref();
        match name {
            "engine" => {
                let known = value.as_str().and_then(engines::find).ok_or_else(|| {
                    let names: Vec<&str> = engines::ENGINES.iter().map(|spec| spec.name).collect();
                    wrong(&format!("the name of an engine: {}", names.join(", ")))
                })?;
                settings.engine = Some(known.name.to_owned());
            }
            "format" => settings.format = Some(choice(value).map_err(|names| wrong(&names))?),
            "data-model" => settings.data_model = Some(choice(value).map_err(|names| wrong(&names))?),
            "signed-overflow" => {
                settings.signed_overflow = Some(choice(value).map_err(|names| wrong(&names))?);
            }
            "check" => settings.checks = checks(value).map_err(|names| wrong(&names))?,
            "timeout" => {
                let seconds = number(value).and_then(|text| crate::args::seconds(&text).ok());
                settings.timeout = Some(seconds.ok_or_else(|| wrong("a number of seconds above 0"))?);
            }
            "cache" => {
                let name = value.as_str().ok_or_else(|| wrong("the name of a folder"))?;
                settings.cache = Some(folder.join(name));
            }
            "compile-commands" => {
                let expected = || wrong("the name of a compile_commands.json or of its folder");
                settings.compile_commands = Some(folder.join(value.as_str().ok_or_else(expected)?));
            }
            "include-dirs" => {
                let names = strings(value).ok_or_else(|| wrong("a list of folders: [\"include\"]"))?;
                settings.include_dirs = names.iter().map(|name| folder.join(name)).collect();
            }
            "models" => {
                let names =
                    strings(value).ok_or_else(|| wrong("a list of C files and folders: [\"models\"]"))?;
                settings.models = names.iter().map(|name| folder.join(name)).collect();
            }
            "defines" => {
                settings.defines = strings(value).ok_or_else(|| wrong("a list of macros: [\"N=3\"]"))?;
            }
            _ => return Err(unknown_key(name, key.span())),
        }
    }
    Ok(settings)
}

fn unknown_key(name: &str, at: std::ops::Range<usize>) -> Problem {
    let distance = |key: &&&str| strsim::damerau_levenshtein(key, name);
    let nearest = KEYS.iter().min_by_key(distance).filter(|key| distance(key) <= 3);
    let help = match nearest {
        Some(key) => format!("did you mean `{key}`?"),
        None => format!("the keys are: {}", KEYS.join(", ")),
    };
    Problem { at, message: format!("there is no setting `{name}`"), help }
}

/// One of the values of an option; otherwise their names.
fn choice<T: ValueEnum>(value: &DeValue<'_>) -> Result<T, String> {
    value.as_str().and_then(|text| T::from_str(text, true).ok()).ok_or_else(|| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|name| format!("\"{}\"", name.get_name())).collect();
        format!("one of {}", names.join(", "))
    })
}

/// The names of a list of checks, or of one; otherwise what there is.
fn checks(value: &DeValue<'_>) -> Result<Vec<CheckArg>, String> {
    match value.as_array() {
        Some(list) => list.iter().map(|name| choice(name.get_ref())).collect(),
        None => choice(value).map(|name| vec![name]),
    }
}

/// The digits of a number.
fn number(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::Integer(integer) => Some(integer.to_string()),
        DeValue::Float(float) => Some(float.to_string()),
        _ => None,
    }
}

fn strings(value: &DeValue<'_>) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|element| element.get_ref().as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let problem = parse(text, Path::new("f")).err().unwrap();
        format!("{:?}: {}; {}", &text[problem.at], problem.message, problem.help)
    }

    #[test]
    fn all_keys_are_read() {
        let text = "engine = \"cra\"\nformat = \"json\"\ntimeout = 2.5\ndata-model = \"ILP32\"\n\
                    signed-overflow = \"wrap\"\ninclude-dirs = [\"inc\"]\ndefines = [\"N=3\"]\n\
                    check = [\"overflow\", \"bounds\"]\ncache = \"proofs\"\ncompile-commands = \"build\"\nmodels = [\"c\"]\n";
        let settings = parse(text, Path::new("f")).ok().unwrap();
        let expected = Settings {
            file: PathBuf::new(),
            engine: Some("cra".to_owned()),
            format: Some(Format::Json),
            timeout: Some(2.5),
            data_model: Some(DataModelArg::Ilp32),
            signed_overflow: Some(SignedOverflowArg::Wrap),
            checks: vec![CheckArg::Overflow, CheckArg::Bounds],
            include_dirs: vec![PathBuf::from("f/inc")],
            defines: vec!["N=3".to_owned()],
            cache: Some(PathBuf::from("f/proofs")),
            compile_commands: Some(PathBuf::from("f/build")),
            models: vec![PathBuf::from("f/c")],
        };
        assert_eq!(settings, expected);
        assert_eq!(text.lines().count(), KEYS.len());
    }

    #[test]
    fn errors_name_the_place_and_what_helps() {
        assert_eq!(
            error("timeot = 3\n"),
            "\"timeot\": there is no setting `timeot`; did you mean `timeout`?"
        );
        assert!(error("colour = 3\n").contains("the keys are: cache, check, compile-commands, data-model, "));
        let text = error("timeout = \"x\"\n");
        assert_eq!(
            text,
            "\"\\\"x\\\"\": `timeout` has a value that cannot be used; expected a number of seconds above 0"
        );
        assert!(error("timeout = 0\n").contains("above 0"));
        assert!(error("signed-overflow = 3").contains("one of \"undefined\", \"wrap\", \"error\""));
        assert!(error("defines = [3]").contains("a list of macros"));
        assert!(error("engine = \"none\"").contains("the name of an engine: auto, gps"));
        assert!(error("a = = b").contains("not TOML"));
    }
}
