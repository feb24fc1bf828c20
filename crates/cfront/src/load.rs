//! From a path or a text to a syntax tree, with preprocessing where it is needed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::{Diagnostic, FileId, SourceFile, SourceMap, census};
use system::file;

use crate::ast::TranslationUnit;
use crate::lex::{Interner, needs_preprocessing};
use crate::parse::{check_bytes, parse, parse_tokens};
use crate::preprocess::{self, Options, preprocess};

/// Where a program comes from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// A text with a name for messages.
    Text {
        /// The name.
        name: String,
        /// The text.
        text: Arc<[u8]>,
    },
}

/// A parsed program.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its syntax tree.
    pub unit: TranslationUnit,
    /// The file that was asked for.
    pub file: FileId,
    /// The output of the preprocessor, if it was needed.
    pub preprocessed: Option<FileId>,
}

/// Reads, preprocesses if there are directives, and parses. To be called
/// [with a large stack](crate::with_large_stack).
pub fn load(
    input: &Input,
    options: &Options,
    sources: &mut SourceMap,
    interner: &mut Interner,
) -> Result<Loaded, Diagnostic> {
    census::count(census::Step::FileParsed);
    let (source, path) = match input {
        Input::Path(path) => (SourceFile::new(path.to_string_lossy(), read(path)?), Some(path.as_path())),
        Input::Text { name, text } => (SourceFile::new(name.as_str(), text.clone()), None),
    };
    let text = source.text.clone();
    let file = sources.add(source);
    check_bytes(file, &text)?;
    // Options matter to a file without directives, too, unless it is preprocessed already.
    let is_raw = Path::new(&*sources.file(file).name).extension().is_none_or(|extension| extension != "i");
    let options_matter = is_raw && options.change_texts();
    if !options_matter && !needs_preprocessing(&text) {
        let mut unit = parse(file, sources, interner)?;
        accept(&mut unit, preprocess::without_output(options))?;
        return Ok(Loaded { unit, file, preprocessed: None });
    }
    let (output, rules) = preprocess(file, path, options, sources)?;
    let (tokens, notes) = preprocess::tokens(output, file, sources, interner)?;
    let mut unit = parse_tokens(tokens, sources.file(output).text.clone(), notes, interner)?;
    accept(&mut unit, rules)?;
    Ok(Loaded { unit, file, preprocessed: Some(output) })
}

/// Tells a unit the compiler's rules. What they make of its pragmas is not modelled.
fn accept(unit: &mut TranslationUnit, rules: preprocess::Rules) -> Result<(), Diagnostic> {
    unit.decimal_constants = rules.decimal_constants;
    unit.is_optimised = rules.is_optimised;
    match unit.open_mp.filter(|_| rules.open_mp) {
        Some(span) => Err(Diagnostic::unsupported("the pragma `omp`: threads are not modelled", span)
            .with_help("without -fopenmp the compiler ignores it")),
        None => Ok(()),
    }
}

/// The bytes of a file, or one sentence on why they cannot be had.
fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let name = path.display();
    if path.is_dir() {
        return Err(Diagnostic::global(format!("`{name}` is a folder, not a C file")));
    }
    file::read_regular(path, file::MAX_BYTES).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Diagnostic::global(format!("there is no file `{name}`")),
        ErrorKind::PermissionDenied => Diagnostic::global(format!("no permission to read the file `{name}`")),
        _ => Diagnostic::global(format!("cannot read `{name}`: {error}")),
    })
}
