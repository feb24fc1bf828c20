//! From a file to a program: the one place that calls the C front end.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use base::{Cause, Diagnostic, Region, SourceMap};
use cfa::Program;
use cfront::lower::{
    Condition, ExternFunctions, LibraryArguments, StartAliases, StartElements, StartGlobals, StartOptions,
    StartPointers,
};
use cfront::preprocess::STANDARD;
use cfront::{FailureKind, Input, Parsed, preprocess};
use report::EXTERN_ADVICE;

use crate::args::{EntryAliases, EntryElements, EntryGlobals, EntryPointers, ExternPolicy, SourceArgs};
use crate::exit::ExitStatus;
use crate::failure::Failure;
use crate::input;
use crate::resolve::{Answer, Request};

/// A program, and what is to be said about it.
pub(crate) struct Compiled {
    /// The verified program.
    pub(crate) program: Program,
    /// Warnings of the front end.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The syntax trees of its files.
    pub(crate) parsed: Parsed,
}

/// Why there is no program.
pub(crate) enum Refusal {
    /// The input is wrong.
    Failure(Failure),
    /// The input may be right, but contains what cannot be handled yet.
    Unsupported {
        /// What, without the word "unsupported".
        message: String,
        /// Where; may be nowhere.
        region: Region,
        /// The messages with their places.
        diagnostics: Vec<Diagnostic>,
        /// The texts that they refer to.
        sources: Arc<SourceMap>,
    },
}

impl Refusal {
    /// For commands that know no verdict: what cannot be handled is an error of the front end.
    pub(crate) fn into_failure(self) -> Failure {
        match self {
            Self::Failure(failure) => failure,
            Self::Unsupported { diagnostics, sources, .. } => {
                Failure::Input { status: ExitStatus::FrontEnd, diagnostics, sources }
            }
        }
    }
}

/// The file as the front end takes it; what is not there or cannot be read is an error of usage.
pub(crate) fn open(path: &Path) -> Result<Input, Failure> {
    if is_readable_file(path) {
        return Ok(Input::Path(path.to_owned()));
    }
    // A pipe can be read only once, and what cannot be read at all is explained here.
    let text = input::read(path)?;
    Ok(Input::Text { name: path.display().to_string(), text: text.into() })
}

fn is_readable_file(path: &Path) -> bool {
    // Before it is opened: opening a fifo waits for its writer.
    path.is_file() && File::open(path).is_ok_and(|mut file| file.read(&mut [0]).is_ok())
}

/// What the preprocessor is told about the file of this number.
pub(crate) fn preprocessing(request: &Request, source: &SourceArgs, file: usize) -> preprocess::Options {
    let mut options = preprocess::Options {
        data_model: request.data_model,
        include_folders: source.include_dirs.clone(),
        defines: source.defines.clone(),
        undefines: source.undefines.clone(),
        includes: source.includes.clone(),
        others: Vec::new(),
        compiler: None,
    };
    if let Some(flags) = request.flags.get(file) {
        flags.extend(&mut options);
    }
    options
}

/// The failure of a text that cannot be parsed.
pub(crate) fn refuse(mut diagnostic: Diagnostic, sources: SourceMap) -> Failure {
    diagnostic.help.get_or_insert_with(|| advice(diagnostic.cause));
    Failure::Input { status: ExitStatus::FrontEnd, diagnostics: vec![diagnostic], sources: Arc::new(sources) }
}

/// How the files of a request are compiled; what is said about the preprocessor is for the first one.
pub(crate) fn options(request: &Request, source: &SourceArgs) -> cfront::Options {
    cfront::Options {
        preprocess: preprocessing(request, source, 0),
        lower: cfront::lower::Options {
            signed_overflow: request.signed_overflow,
            checks: request.checks,
            library_arguments: match request.answer {
                Answer::Property => LibraryArguments::Unknown,
                Answer::Checks(_) => LibraryArguments::Assumed,
            },
            error_functions: request.error_functions(),
            entry: request.entry.clone(),
            assert_is_error: request.assert_is_error(),
            start: start(source),
            extern_functions: match source.extern_functions {
                None | Some(ExternPolicy::Pure) => ExternFunctions::Pure,
                Some(ExternPolicy::Havoc) => ExternFunctions::Havoc,
                Some(ExternPolicy::Error) => ExternFunctions::Error,
            },
        },
    }
}

/// What a function other than `main` starts with.
fn start(source: &SourceArgs) -> StartOptions {
    let mut start = StartOptions::default();
    match source.entry_globals {
        Some(EntryGlobals::Any) => start.globals = StartGlobals::Any,
        Some(EntryGlobals::Initial) => start.globals = StartGlobals::Initial,
        None => {}
    }
    match source.entry_pointers {
        Some(EntryPointers::Object) => start.pointers = StartPointers::Object,
        Some(EntryPointers::Nullable) => start.pointers = StartPointers::Nullable,
        None => {}
    }
    match source.entry_elements {
        Some(EntryElements::Count(count)) => start.elements = StartElements::Count(count),
        Some(EntryElements::Any) => start.elements = StartElements::Any,
        None => {}
    }
    if source.entry_aliases == Some(EntryAliases::Allowed) {
        start.aliases = StartAliases::Allowed;
    }
    let conditions = source.assume.iter().map(|text| Condition { text: text.clone(), place: None });
    start.assumptions.extend(conditions);
    start
}

/// Compiles the files of a request.
pub(crate) fn compile(request: &Request, source: &SourceArgs) -> Result<Compiled, Refusal> {
    let mut inputs = Vec::new();
    for file in &request.files {
        inputs.push(open(file).map_err(Refusal::Failure)?);
    }
    let preprocess: Vec<_> = (0..inputs.len()).map(|file| preprocessing(request, source, file)).collect();
    let units: Vec<cfront::Unit<'_>> = inputs.iter().zip(&preprocess).collect();
    match cfront::compile_units(&units, &options(request, source)) {
        Ok(compiled) => {
            request.check_property(&compiled.program.sources).map_err(Refusal::Failure)?;
            let cfront::Compiled { mut program, warnings, parsed } = compiled;
            if matches!(request.answer, Answer::Checks(_)) {
                program = passes::separate(&program);
            }
            Ok(Compiled { program, warnings, parsed })
        }
        Err(failure) => Err(explain(*failure, request)),
    }
}

/// Every message names a file and says what to do.
pub(crate) fn explain(failure: cfront::Failure, request: &Request) -> Refusal {
    let cfront::Failure { kind, mut diagnostics, sources } = failure;
    let (message, region) = diagnostics.first().map_or((String::new(), Region::NOWHERE), |first| {
        let message = first.unsupported_construct().unwrap_or(&first.message);
        (message.to_owned(), place(first, &sources))
    });
    for diagnostic in &mut diagnostics {
        if diagnostic.primary.is_none() {
            let files: Vec<String> = request.files.iter().map(|file| file.display().to_string()).collect();
            diagnostic.message = format!("{}: {}", files.join(", "), diagnostic.message);
        }
        if diagnostic.help.is_none() {
            diagnostic.help = Some(advice(diagnostic.cause));
        }
    }
    match kind {
        FailureKind::Input => {
            Refusal::Failure(Failure::Input { status: ExitStatus::FrontEnd, diagnostics, sources })
        }
        FailureKind::Unsupported => Refusal::Unsupported { message, region, diagnostics, sources },
    }
}

/// The place of a message; nowhere if it has none.
fn place(diagnostic: &Diagnostic, sources: &SourceMap) -> Region {
    let label = diagnostic.primary.as_ref().filter(|label| sources.get(label.span.file).is_some());
    label.map_or(Region::NOWHERE, |label| sources.region(label.span))
}

/// What helps where the front end itself has no better advice.
fn advice(cause: Cause) -> String {
    match cause {
        Cause::ForbiddenCall => EXTERN_ADVICE.to_owned(),
        Cause::Unsupported => "this construct is not supported; see SOUNDNESS.md".to_owned(),
        Cause::MissingEntry => "name the function where execution starts with --entry FUNCTION".to_owned(),
        Cause::Input => {
            format!("the file should compile without errors with `cc {STANDARD} -fsyntax-only`")
        }
    }
}
