//! Preprocessing by the system's C compiler, with positions in the user's own text.
//!
//! [`preprocess`] runs `cc -E -dD` and adds its output to the source map; [`tokens`] lexes that output and maps every token
//! back to the file from which it came.

mod align;
mod compiler;
mod mapping;
mod predefined;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::{Diagnostic, FileId, SourceFile, SourceMap};
use cfa::DataModel;

pub(crate) use mapping::tokens;
pub(crate) use predefined::{Rules, without_output};

/// The language of programs whose build options name none: what gcc 11 and later take by default.
pub const STANDARD: &str = "-std=gnu17";

/// The option for the language that a compiler gets, before those of the build: none if its own first arguments name one.
pub fn standard(compiler: &str) -> Option<&'static str> {
    let names_one = |word: &str| word == "-ansi" || word.starts_with("-std=") || word.starts_with("--std=");
    (!compiler.split_whitespace().skip(1).any(names_one)).then_some(STANDARD)
}

/// How to preprocess.
#[derive(Clone, Debug)]
pub struct Options {
    /// Decides between `-m32` and `-m64`.
    pub data_model: DataModel,
    /// Folders given with `-I`.
    pub include_folders: Vec<PathBuf>,
    /// Macros given with `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Macros given with `-U`.
    pub undefines: Vec<String>,
    /// Files given with `-include`.
    pub includes: Vec<PathBuf>,
    /// Further options that the compiler gets as they are.
    pub others: Vec<OsString>,
    /// The compiler and its first arguments; by default the variable `CC`, or `cc`.
    pub compiler: Option<String>,
}

impl Options {
    /// No options but the data model.
    pub fn new(data_model: DataModel) -> Self {
        Self {
            data_model,
            include_folders: Vec::new(),
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Vec::new(),
            others: Vec::new(),
            compiler: None,
        }
    }

    /// Whether anything is said that may change a text without directives.
    pub(crate) fn change_texts(&self) -> bool {
        let mut others = self.others.iter();
        // Without directives nothing is looked for in folders.
        let is_folder = |word: &OsString| word == "-iquote" || word == "-isystem" || word == "-idirafter";
        let others_matter = std::iter::from_fn(|| {
            let word = others.next()?;
            Some(!(is_folder(word) && others.next().is_some()))
        })
        .any(|matters| matters);
        let is_given = !self.defines.is_empty() || !self.includes.is_empty() || others_matter;
        is_given || self.compiler_words().skip(1).any(|word| word.starts_with('-'))
    }

    /// The compiler and its first arguments.
    pub(crate) fn compiler_words(&self) -> impl Iterator<Item = String> + use<> {
        let compiler = self.compiler.clone().or_else(|| std::env::var("CC").ok()).unwrap_or_default();
        compiler.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }
}

/// Preprocesses a loaded file and loads the result, with the rules that the compiler follows. `path` is where the file is on disk; without it the text goes through
/// the compiler's standard input.
pub(crate) fn preprocess(
    file: FileId,
    path: Option<&Path>,
    options: &Options,
    sources: &mut SourceMap,
) -> Result<(FileId, Rules), Diagnostic> {
    let output = compiler::run(file, path, options, sources)?;
    let rules = predefined::read(&output, options)?;
    let name = format!("<preprocessed {}>", sources.file(file).name);
    Ok((sources.add(SourceFile::new(name, output)), rules))
}
