//! `compile_commands.json`: how a build compiles each file (`-p`).
//!
//! What changes the meaning of the text is taken: folders of headers, macros, included files, the standard, the machine, the
//! meaning of overflow, and every option that sets macros. What would change the meaning in a way that is not modelled is refused, and so is
//! every unknown option.
//!
//! # Invariants
//! * I1: every message about an entry says its number, counted from 1, and its file.
//! * I2: names of files are relative to the `directory` of their entry, as for the compiler.

mod flags;
mod table;
mod words;

use std::path::{Path, PathBuf};

use base::{SourceFile, SourceMap};
use cfa::{DataModel, SignedOverflow};
use cfront::{Input, Interner, preprocess};
use serde::Deserialize;

use crate::args::SourceArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::input;
pub(crate) use flags::Flags;

/// The name of the file in a folder of a build.
const NAME: &str = "compile_commands.json";

/// An entry as it is written. Unknown fields are for other tools.
#[derive(Deserialize)]
struct Written {
    directory: Option<PathBuf>,
    file: Option<PathBuf>,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// An entry whose options are not looked at yet.
struct Entry {
    /// Counted from 1.
    number: usize,
    /// The file, relative to the current folder if it lies in it.
    file: PathBuf,
    /// Where the compiler runs.
    directory: PathBuf,
    /// The words of the command.
    words: Vec<String>,
}

/// The entries of a build.
pub(crate) struct Database {
    path: PathBuf,
    entries: Vec<Entry>,
}

impl Database {
    /// Reads the file, or the one of that name in a folder.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let path = file(path);
        if !path.exists() {
            let shown = path.display();
            let help = "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, other builds with `bear -- make`; then name it, or its folder, with -p";
            return Err(Failure::usage(format!("there is no `{shown}`"), help));
        }
        let text = input::read(&path)?;
        let written: Vec<Written> =
            serde_json::from_slice(&text).map_err(|error| malformed(&path, &text, &error))?;
        let home = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let home = home.parent().unwrap_or(Path::new("/")).to_owned();
        let mut database = Self { path, entries: Vec::new() };
        for (index, written) in written.into_iter().enumerate() {
            let entry = entry(index + 1, written, &home).map_err(|(message, help)| {
                Failure::usage(format!("`{}`, entry {}: {message}", database.path.display(), index + 1), help)
            })?;
            database.entries.push(entry);
        }
        if database.entries.is_empty() {
            let message = format!("`{}` has no entry", database.path.display());
            return Err(Failure::usage(message, "build the project so that its files are listed"));
        }
        Ok(database)
    }

    /// The options of a file.
    pub(crate) fn flags(&self, file: &Path, console: Console) -> Result<Flags, Failure> {
        let wanted = identity(file);
        let mut found = self.entries.iter().filter(|entry| identity(&entry.file) == wanted);
        let Some(entry) = found.next() else {
            return Err(Failure::usage(
                format!("`{}` has no entry for `{}`", self.path.display(), file.display()),
                "name a file that the build compiles, or leave -p out and give -I and -D yourself",
            ));
        };
        let others = found.count();
        if others > 0 {
            console.warn(format!(
                "`{}` has {} entries for `{}`: entry {} is used",
                self.path.display(),
                others + 1,
                file.display(),
                entry.number
            ));
        }
        self.flags_of(entry)
    }

    fn flags_of(&self, entry: &Entry) -> Result<Flags, Failure> {
        let place = self.place(entry);
        flags::read(&entry.words, &entry.directory)
            .map_err(|refused| Failure::usage(format!("{place}: {}", refused.message), refused.help))
    }

    /// I1.
    fn place(&self, entry: &Entry) -> String {
        format!("`{}`, entry {} ({})", self.path.display(), entry.number, entry.file.display())
    }

    /// The C files of the build, each once.
    fn files(&self, console: Console) -> Result<Vec<&Entry>, Failure> {
        let mut files: Vec<&Entry> = Vec::new();
        let mut others = 0;
        for entry in &self.entries {
            if !is_c(entry) {
                others += 1;
            } else if !files.iter().any(|known| known.file == entry.file) {
                if !entry.file.is_file() {
                    let message = format!("{}: the file does not exist", self.place(entry));
                    return Err(Failure::usage(
                        message,
                        "build the project again, or name the files to check",
                    ));
                }
                files.push(entry);
            }
        }
        if others > 0 {
            let plural = if others == 1 { "entry is" } else { "entries are" };
            console.warn(format!("`{}`: {others} {plural} not in C and left out", self.path.display()));
        }
        if files.is_empty() {
            let message = format!("`{}` has no entry for a C file", self.path.display());
            return Err(Failure::usage(message, "name the files to check"));
        }
        Ok(files)
    }

    /// Whether a file defines a function. What cannot be read is left to the check, which says why.
    fn defines(&self, entry: &Entry, function: &str, source: &SourceArgs) -> bool {
        let Ok(text) = input::read(&entry.file) else { return true };
        // Parsing costs a run of the preprocessor, and most files of a build do not have the name at all.
        if !text.windows(function.len()).any(|window| window == function.as_bytes()) {
            return false;
        }
        let Ok(flags) = self.flags_of(entry) else { return true };
        let model = source.data_model.map(DataModel::from).or(flags.data_model);
        let mut options = preprocess::Options::new(model.unwrap_or(DataModel::Lp64));
        flags.extend(&mut options);
        options.defines.extend(source.defines.iter().cloned());
        options.include_folders.extend(source.include_dirs.iter().cloned());
        cfront::with_large_stack(|| {
            let mut interner = Interner::new();
            let input = Input::Path(entry.file.clone());
            let Ok(loaded) = cfront::load(&input, &options, &mut SourceMap::new(), &mut interner) else {
                return true;
            };
            let unit = &loaded.unit;
            let names =
                unit.functions.iter().filter_map(|function| unit.declarators[function.declarator].ident);
            names.into_iter().any(|name| interner.text(name.name) == function)
        })
    }
}

/// The file that `-p` names: itself, or the one in a folder.
pub(crate) fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(NAME) } else { path.to_owned() }
}

/// What the C files of a build are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// All together one program.
    OneProgram,
    /// Each that defines the entry function a program of its own.
    Programs,
}

/// The files of a command line; if it names none, the build does: all C files if they are one program, otherwise each that defines the
/// entry function.
pub(crate) fn expand(
    paths: &[PathBuf],
    source: &SourceArgs,
    grouping: Grouping,
    console: Console,
) -> Result<Vec<PathBuf>, Failure> {
    let Some(path) = source.compile_commands.as_deref().filter(|_| paths.is_empty()) else {
        return Ok(paths.to_vec());
    };
    let database = Database::load(path)?;
    let mut files = database.files(console)?;
    if grouping == Grouping::Programs {
        let entry = source.entry.as_deref().unwrap_or("main");
        files.retain(|file| database.defines(file, entry, source));
        if files.is_empty() {
            let message = format!("no file of `{}` defines the function `{entry}`", database.path.display());
            return Err(Failure::usage(
                message,
                "name the function where execution starts with --entry FUNCTION",
            ));
        }
    }
    Ok(files.iter().map(|entry| entry.file.clone()).collect())
}

/// What the words of the variable `CC` after the compiler's name say: they are options like those of a build.
pub(crate) fn environment() -> Result<Flags, Failure> {
    let compiler = std::env::var("CC").unwrap_or_default();
    let words: Vec<String> = compiler.split_whitespace().map(str::to_owned).collect();
    let here = std::env::current_dir().unwrap_or_default();
    flags::read(&words, &here).map_err(|refused| {
        Failure::usage(
            format!("the variable CC: {}", refused.message),
            "set CC to a compiler without this option",
        )
    })
}

/// The options that hold for a program as a whole; an error if its files disagree.
pub(crate) fn common(
    files: &[PathBuf],
    flags: &[Flags],
) -> Result<(Option<DataModel>, Option<SignedOverflow>), Failure> {
    let Some(first) = flags.first() else { return Ok((None, None)) };
    for (file, other) in files.iter().zip(flags) {
        let what = if other.data_model != first.data_model {
            "-m32 or -m64"
        } else if other.signed_overflow != first.signed_overflow {
            "-fwrapv"
        } else {
            continue;
        };
        return Err(Failure::usage(
            format!(
                "`{}` and `{}` are compiled with different options: {what}",
                files[0].display(),
                file.display()
            ),
            "files of one program must agree on it; check them by themselves",
        ));
    }
    Ok((first.data_model, first.signed_overflow))
}

fn malformed(path: &Path, text: &[u8], error: &serde_json::Error) -> Failure {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new(path.display().to_string(), text));
    let source = sources.file(file);
    let line = u32::try_from(error.line()).unwrap_or(1).clamp(1, source.line_count());
    let width = source.line_text(line).trim_ascii_end().len();
    let lo = source.line_start(line) + error.column().saturating_sub(1).min(width) as u32;
    let span = base::Span { file, lo, hi: source.line_start(line) + width as u32 };
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let help = "a list of entries with directory, file, and command or arguments; CMake writes it with \
                -DCMAKE_EXPORT_COMPILE_COMMANDS=ON";
    Failure::usage_at(sources, span, &format!("not a list of compile commands: {message}"), help)
}

fn entry(number: usize, written: Written, home: &Path) -> Result<Entry, (String, &'static str)> {
    const FORM: &str = "an entry has directory, file, and command or arguments";
    let missing = |name: &str| (format!("`{name}` is missing"), FORM);
    let file = written.file.ok_or_else(|| missing("file"))?;
    let directory = home.join(written.directory.ok_or_else(|| missing("directory"))?);
    let words = match (written.arguments, written.command) {
        (Some(arguments), _) => arguments,
        (None, Some(command)) => {
            words::split(&command).ok_or(("the quotes in `command` do not match".to_owned(), FORM))?
        }
        (None, None) => return Err(missing("command")),
    };
    Ok(Entry { number, file: shown(&directory.join(file)), directory, words })
}

/// A path relative to the current folder, if it lies in it.
fn shown(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            // Only what is no link may be left out.
            std::path::Component::ParentDir if plain.is_dir() && !plain.is_symlink() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    plain.strip_prefix(&here).map(Path::to_owned).unwrap_or(plain)
}

/// What is the same for all names of a file.
fn identity(file: &Path) -> PathBuf {
    std::fs::canonicalize(file).or_else(|_| std::path::absolute(file)).unwrap_or_else(|_| file.to_owned())
}

fn is_c(entry: &Entry) -> bool {
    let language = entry.words.windows(2).find(|pair| pair[0] == "-x").map(|pair| pair[1].clone());
    let joined = entry.words.iter().find_map(|word| word.strip_prefix("-x").filter(|rest| !rest.is_empty()));
    match language.as_deref().or(joined) {
        Some(language) => language == "c" || language == "cpp-output",
        None => entry.file.extension().is_some_and(|extension| extension == "c" || extension == "i"),
    }
}
