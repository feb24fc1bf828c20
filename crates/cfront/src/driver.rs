//! The whole front end: from files or texts to a verified program.

use std::sync::Arc;

use base::{Cause, Diagnostic, Owner, Severity, SourceMap, census};
use cfa::{DataModel, Program};

use crate::ast::TranslationUnit;
use crate::check::Checker;
use crate::library::ModelFile;
use crate::lower::{self, lower};
use crate::{Input, Interner, Loaded, hir, library, load, preprocess, with_large_stack};

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How to preprocess; it says the data model, too.
    pub preprocess: preprocess::Options,
    /// How to lower.
    pub lower: lower::Options,
}

impl Options {
    /// The defaults for a data model.
    pub fn new(data_model: DataModel) -> Self {
        Self { preprocess: preprocess::Options::new(data_model), lower: lower::Options::default() }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program, which passes [`Program::verify`].
    pub program: Program,
    /// What is suspicious about the text.
    pub warnings: Vec<Diagnostic>,
    /// What was parsed, for those who speak about the text: nobody has to parse it again.
    pub parsed: Parsed,
}

/// The syntax trees of a program.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Of the inputs, in their order, without library models. The files are those of the program's sources.
    pub units: Vec<Loaded>,
    /// The names in them.
    pub interner: Interner,
}

/// Whose fault it is that there is no program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The input is wrong.
    Input,
    /// The input may be right, but has a construct that is not modelled.
    Unsupported,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Whose fault it is.
    pub kind: FailureKind,
    /// The messages, the first one is the reason.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they refer to.
    pub sources: Arc<SourceMap>,
}

/// A translation unit and how it is preprocessed.
pub type Unit<'a> = (&'a Input, &'a preprocess::Options);

/// Compiles the translation units of one program, with the models of the library functions that they call.
pub fn compile(inputs: &[Input], options: &Options) -> Result<Compiled, Box<Failure>> {
    let units: Vec<Unit<'_>> = inputs.iter().map(|input| (input, &options.preprocess)).collect();
    compile_units(&units, options)
}

/// Compiles translation units that are preprocessed differently; the data model is that of `options`.
pub fn compile_units(units: &[Unit<'_>], options: &Options) -> Result<Compiled, Box<Failure>> {
    with_large_stack(|| {
        let mut sources = SourceMap::new();
        let checked = check_all(units, options, &mut sources);
        let sources = Arc::new(sources);
        let lowered = checked.and_then(|(hir, parsed)| {
            let program = lower(&hir, sources.clone(), &options.lower).map_err(|failure| *failure)?;
            Ok((program, parsed))
        });
        match lowered {
            Ok((program, parsed)) => {
                assert_eq!(program.verify(), Ok(()), "W1: the program should be well formed");
                Ok(Compiled { program, warnings: Vec::new(), parsed })
            }
            Err(diagnostic) => Err(Box::new(failure(diagnostic, sources))),
        }
    })
}

/// The failure behind an error.
pub(crate) fn failure(diagnostic: Diagnostic, sources: Arc<SourceMap>) -> Failure {
    debug_assert_eq!(diagnostic.severity, Severity::Error);
    let kind = match diagnostic.cause {
        Cause::Input | Cause::MissingEntry => FailureKind::Input,
        Cause::Unsupported | Cause::ForbiddenCall => FailureKind::Unsupported,
    };
    Failure { kind, diagnostics: vec![diagnostic], sources }
}

/// The typed program of all inputs and of the library models that it needs. Each unit is checked once.
fn check_all(
    inputs: &[Unit<'_>],
    options: &Options,
    sources: &mut SourceMap,
) -> Result<(hir::Program, Parsed), Diagnostic> {
    let mut interner = Interner::new();
    let mut units = Vec::new();
    let mut files = Vec::new();
    for (input, preprocess) in inputs {
        let loaded = load(input, preprocess, sources, &mut interner)?;
        units.push(loaded.unit);
        files.push((loaded.file, loaded.preprocessed));
    }
    let program = check_units(&units, &interner, options, sources)?;
    let files = units.into_iter().zip(files);
    let units = files.map(|(unit, (file, preprocessed))| Loaded { unit, file, preprocessed }).collect();
    Ok((program, Parsed { units, interner }))
}

/// Checks the user's units, and the models of library functions that they need.
fn check_units(
    units: &[TranslationUnit],
    interner: &Interner,
    options: &Options,
    sources: &mut SourceMap,
) -> Result<hir::Program, Diagnostic> {
    census::count(census::Step::ProgramChecked);
    let mut checker = Checker::new(interner, sources, options.preprocess.data_model);
    for unit in units {
        checker.unit(unit).map_err(|failure| *failure)?;
    }
    let needed = library::needed(checker.program());
    if needed.is_empty() {
        return checker.finish().map_err(|failure| *failure);
    }
    let models = Models::load(&needed, options, interner.clone(), sources.clone())?;
    let program = with_models(checker, &models);
    *sources = models.sources;
    program
}

/// Checks the models after the user's units, as further units of the same program.
fn with_models<'a>(mut checker: Checker<'a>, models: &'a Models) -> Result<hir::Program, Diagnostic> {
    checker.extend(&models.interner, &models.sources);
    for unit in &models.units {
        checker.unit(unit).map_err(|failure| *failure)?;
    }
    checker.finish().map_err(|failure| *failure)
}

/// Parsed models of library functions.
struct Models {
    units: Vec<TranslationUnit>,
    /// The names of the user's units and of the models.
    interner: Interner,
    /// The texts of the user's units and of the models.
    sources: SourceMap,
}

impl Models {
    fn load(
        files: &[ModelFile],
        options: &Options,
        mut interner: Interner,
        mut sources: SourceMap,
    ) -> Result<Self, Diagnostic> {
        // What the user says about the preprocessor is about the user's text.
        let plain = preprocess::Options {
            compiler: options.preprocess.compiler.clone(),
            ..preprocess::Options::new(options.preprocess.data_model)
        };
        let mut units = Vec::new();
        let first = sources.iter().count();
        for file in files {
            let input = Input::Text { name: file.name.to_owned(), text: file.text.as_bytes().into() };
            units.push(load(&input, &plain, &mut sources, &mut interner)?.unit);
        }
        let added: Vec<_> = sources.iter().map(|(id, _)| id).skip(first).collect();
        for file in added {
            sources.file_mut(file).owner = Owner::Model;
        }
        Ok(Self { units, interner, sources })
    }
}
