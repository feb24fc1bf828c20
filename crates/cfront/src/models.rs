//! The user's models: C files that say what functions without body do. Here is decided which of them a program needs.
//!
//! # Invariants
//! * I1: a file is taken if it defines a function that the program, or a file that is taken, uses and does not define, and for no other reason. Functions whose call is the error need no body.
//! * I2: no function has two definitions: neither the program and a file that is taken, nor two of these files define the same one.
//!
//! Cost: program and models are parsed and checked once more than without models.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::{Diagnostic, SourceMap, Span};

use crate::check::Checker;
use crate::driver::failure;
use crate::{Failure, Interner, Options, Unit, hir, library, load, with_large_stack};

/// A file of models that a program needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Its number among the models.
    pub model: usize,
    /// The functions that it is taken for, by name.
    pub functions: Vec<String>,
}

/// The models that a program needs, in their order.
pub fn choose(
    program: &[Unit<'_>],
    models: &[Unit<'_>],
    options: &Options,
) -> Result<Vec<Supply>, Box<Failure>> {
    with_large_stack(|| {
        let mut sources = SourceMap::new();
        choose_in(program, models, options, &mut sources)
            .map_err(|diagnostic| Box::new(failure(diagnostic, Arc::new(sources))))
    })
}

fn choose_in(
    program: &[Unit<'_>],
    models: &[Unit<'_>],
    options: &Options,
    sources: &mut SourceMap,
) -> Result<Vec<Supply>, Diagnostic> {
    let Names { mut defined, missing } = Names::read(program, options, sources)?;
    let mut offered = Vec::new();
    for model in models {
        offered.push(Names::read(&[*model], options, sources)?);
    }
    let mut supplies: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let is_error = |name: &str| options.lower.error_functions.iter().any(|error| error == name);
    let mut waiting: Vec<String> = missing.into_iter().rev().filter(|name| !is_error(name)).collect();
    while let Some(function) = waiting.pop() {
        let offers = |number: &usize| offered[*number].defined.contains_key(&function);
        let Some(model) = (0..offered.len()).find(offers) else { continue };
        let is_new = !supplies.contains_key(&model);
        supplies.entry(model).or_default().insert(function);
        if is_new {
            for (name, span) in &offered[model].defined {
                if let Some(other) = defined.insert(name.clone(), *span) {
                    return Err(defined_twice(name, *span, other));
                }
            }
            let is_missing = |name: &&String| !defined.contains_key(*name) && !is_error(name);
            waiting.extend(offered[model].missing.iter().filter(is_missing).cloned());
        }
    }
    // I2: which of two models a function has would depend on the names of their files.
    for (model, names) in offered.iter().enumerate() {
        for (name, span) in names.defined.iter().filter(|_| !supplies.contains_key(&model)) {
            let is_taken = |functions: &BTreeSet<String>| functions.contains(name);
            if let Some(other) = defined.get(name).filter(|_| supplies.values().any(is_taken)) {
                return Err(defined_twice(name, *span, *other));
            }
        }
    }
    let supply = |(model, functions): (usize, BTreeSet<String>)| Supply {
        model,
        functions: functions.into_iter().collect(),
    };
    Ok(supplies.into_iter().map(supply).collect())
}

fn defined_twice(name: &str, span: Span, other: Span) -> Diagnostic {
    Diagnostic::error(format!("the model defines `{name}`, which has another definition"), span)
        .with_secondary(other, "the other definition")
        .with_help(
            "a file of models is taken as a whole: put the models of other functions into files of their own",
        )
}

/// The functions of some units.
struct Names {
    /// Those with a body that other units see, and where their names are.
    defined: BTreeMap<String, Span>,
    /// Those that are called, or whose address is taken, without a body.
    missing: BTreeSet<String>,
}

impl Names {
    fn read(units: &[Unit<'_>], options: &Options, sources: &mut SourceMap) -> Result<Self, Diagnostic> {
        let mut interner = Interner::new();
        let mut parsed = Vec::new();
        for (input, preprocess) in units {
            parsed.push(load(input, preprocess, sources, &mut interner)?.unit);
        }
        let mut checker = Checker::new(&interner, sources, options.preprocess.data_model);
        for unit in &parsed {
            checker.unit(unit).map_err(|failure| *failure)?;
        }
        Ok(Self::of(checker.program()))
    }

    fn of(program: &hir::Program) -> Self {
        let is_defined = |function: &&hir::Function| function.external && function.body.is_some();
        let defined = program.functions.iter().filter(is_defined);
        let name = |function: &hir::Function| library::plain_name(&function.name).to_owned();
        Self {
            defined: defined.map(|function| (name(function), function.declared)).collect(),
            missing: library::missing(program).map(name).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;
    use cfa::DataModel;

    /// The supplies by name, or the message.
    fn chosen(program: &str, models: &[&str]) -> Result<Vec<String>, String> {
        let options = Options::new(DataModel::Lp64);
        let text =
            |name: &str, text: &str| Input::Text { name: name.to_owned(), text: text.as_bytes().into() };
        let program = [text("a.c", program)];
        let models: Vec<Input> = models.iter().map(|model| text("model.c", model)).collect();
        let unit = |input| (input, &options.preprocess);
        let program: Vec<Unit<'_>> = program.iter().map(unit).collect();
        let models: Vec<Unit<'_>> = models.iter().map(unit).collect();
        match choose(&program, &models, &options) {
            Ok(supplies) => Ok(supplies
                .iter()
                .map(|supply| format!("{}: {}", supply.model, supply.functions.join(" ")))
                .collect()),
            Err(failure) => Err(failure.diagnostics[0].message.clone()),
        }
    }

    #[test]
    fn a_file_is_taken_for_what_is_missing_and_for_what_other_files_need() {
        let program = "int f(void); int own(void) { return 1; } int main(void) { return f() + own(); }";
        let models = [
            "int h(void) { return 3; }",
            "int g(void) { return 2; }",
            "int g(void); int f(void) { return g(); }",
        ];
        assert_eq!(chosen(program, &models), Ok(vec!["1: g".to_owned(), "2: f".to_owned()]));
        assert_eq!(chosen("int main(void) { return 0; }", &models), Ok(Vec::new()));
    }

    #[test]
    fn a_function_of_the_library_and_a_pointer_to_a_function_count() {
        let program = "char *getenv(const char *); int f(void); int (*p)(void) = f; int main(void) { return !getenv(\"A\"); }";
        let models = ["char *getenv(const char *name) { return 0; }", "int f(void) { return 2; }"];
        assert_eq!(chosen(program, &models), Ok(vec!["0: getenv".to_owned(), "1: f".to_owned()]));
    }

    #[test]
    fn a_function_whose_call_is_the_error_needs_no_model() {
        let program =
            "void reach_error(void); int f(void); int main(void) { if (f()) reach_error(); return 0; }";
        let models = ["void reach_error(void) { }", "void reach_error(void); int f(void) { return 2; }"];
        assert_eq!(chosen(program, &models), Ok(vec!["1: f".to_owned()]));
    }

    #[test]
    fn static_functions_of_a_model_are_its_own() {
        let program =
            "int f(void); static int help(void) { return 0; } int main(void) { return f() + help(); }";
        let models = ["static int help(void) { return 5; } int f(void) { return help(); }"];
        assert_eq!(chosen(program, &models), Ok(vec!["0: f".to_owned()]));
    }

    #[test]
    fn two_definitions_of_a_function_are_an_error() {
        let program = "int f(void); int own(void) { return 1; } int main(void) { return f() + own(); }";
        let message = |name: &str| Err(format!("the model defines `{name}`, which has another definition"));
        assert_eq!(
            chosen(program, &["int own(void) { return 2; } int f(void) { return 1; }"]),
            message("own")
        );
        assert_eq!(
            chosen(program, &["int f(void) { return 1; }", "int f(void) { return 2; }"]),
            message("f")
        );
        assert_eq!(chosen(program, &["int own(void) { return 2; }"]), Ok(Vec::new()));
    }
}
