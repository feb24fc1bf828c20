//! The whole front end: from files or texts to a verified program.

use std::sync::Arc;

use base::{Diagnostic, Owner, Severity, SourceMap};
use cfa::{DataModel, Program};

use crate::ast::TranslationUnit;
use crate::lower::{self, lower};
use crate::{Input, Interner, Loaded, check, library, load, preprocess, with_large_stack};

/// What the messages about constructs that are not modelled start with.
pub const UNSUPPORTED: &str = "unsupported: ";

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
        match compile_into(units, options, &mut sources) {
            Ok((hir, parsed)) => {
                let sources = Arc::new(sources);
                match lower(&hir, sources.clone(), &options.lower) {
                    Ok(program) => {
                        debug_assert_eq!(program.verify(), Ok(()), "W1: the program should be well formed");
                        Ok(Compiled { program, warnings: Vec::new(), parsed })
                    }
                    Err(diagnostic) => Err(Box::new(failure(*diagnostic, sources))),
                }
            }
            Err(diagnostic) => Err(Box::new(failure(diagnostic, Arc::new(sources)))),
        }
    })
}

fn failure(diagnostic: Diagnostic, sources: Arc<SourceMap>) -> Failure {
    debug_assert_eq!(diagnostic.severity, Severity::Error);
    let unsupported = diagnostic.message.starts_with(UNSUPPORTED);
    let kind = if unsupported { FailureKind::Unsupported } else { FailureKind::Input };
    Failure { kind, diagnostics: vec![diagnostic], sources }
}

/// The typed program of all inputs and of the library models that it needs.
fn compile_into(
    inputs: &[Unit<'_>],
    options: &Options,
    sources: &mut SourceMap,
) -> Result<(crate::hir::Program, Parsed), Diagnostic> {
    let mut interner = Interner::new();
    let mut units = Vec::new();
    let mut files = Vec::new();
    for (input, preprocess) in inputs {
        let loaded = load(input, preprocess, sources, &mut interner)?;
        units.push(loaded.unit);
        files.push((loaded.file, loaded.preprocessed));
    }
    let model = options.preprocess.data_model;
    let mut hir = check::check(&units, &interner, sources, model)?;
    let models = library::needed(&hir);
    if !models.is_empty() {
        load_models(&models, options, sources, &mut units, &mut interner)?;
        hir = check::check(&units, &interner, sources, model)?;
    }
    let files = units.into_iter().zip(files);
    let units = files.map(|(unit, (file, preprocessed))| Loaded { unit, file, preprocessed }).collect();
    Ok((hir, Parsed { units, interner }))
}

/// Adds the syntax trees of library models.
fn load_models(
    models: &[library::ModelFile],
    options: &Options,
    sources: &mut SourceMap,
    units: &mut Vec<TranslationUnit>,
    interner: &mut Interner,
) -> Result<(), Diagnostic> {
    // What the user says about the preprocessor is about the user's text.
    let plain = preprocess::Options {
        compiler: options.preprocess.compiler.clone(),
        ..preprocess::Options::new(options.preprocess.data_model)
    };
    for file in models {
        let input = Input::Text { name: file.name.to_owned(), text: file.text.as_bytes().into() };
        let first = sources.iter().count();
        units.push(load(&input, &plain, sources, interner)?.unit);
        let added: Vec<_> = sources.iter().map(|(id, _)| id).skip(first).collect();
        for file in added {
            sources.file_mut(file).owner = Owner::Model;
        }
    }
    Ok(())
}
