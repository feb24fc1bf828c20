//! The names that a C text declares for all of its file, and the texts of its functions' parameters.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::{FileId, Span};
use cfront::ast::{
    DeclarationKind, DeclaratorPart, FunctionDefinition, Item, MemberDeclaration, Parameters, StmtKind,
    Storage, TranslationUnit,
};
use cfront::{Interner, Name};

use crate::syntax::Range;

/// Names of a translation unit.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// What the text itself declares for itself alone: static variables and functions, types, enumerators.
    pub internal: BTreeSet<Arc<str>>,
    /// All names at file level, those of included files too.
    pub all: BTreeSet<Arc<str>>,
    /// Members that are bit-fields in one of the records.
    pub bit_fields: BTreeSet<Arc<str>>,
    /// Variables that are declared `extern` anywhere.
    pub variables: BTreeSet<Arc<str>>,
}

/// A static variable of a function.
#[derive(Clone, Debug)]
pub struct StaticLocal {
    /// The function.
    pub function: Arc<str>,
    /// The variable.
    pub name: Arc<str>,
    /// Where its declaration ends.
    pub after: u32,
    /// Whether an execution may jump over the declaration.
    pub may_be_passed: bool,
}

/// A function that the text defines.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where the name stands in the definition.
    pub ident: Range,
    /// One past the brace that opens its body; nothing if a macro makes that.
    pub body: Option<u32>,
    /// Its parameters; nothing if their declarations cannot be copied: K&R definitions, macros.
    pub parameters: Option<Vec<Parameter>>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its declaration, where it stands.
    pub range: Range,
    /// Its name there.
    pub ident: Range,
    /// The outermost brackets of an array.
    pub brackets: Option<Range>,
}

/// Collects the names of a unit whose own text is `file`.
pub(crate) fn names(unit: &TranslationUnit, file: FileId, interner: &Interner) -> Names {
    let mut names = Names::default();
    let mut add = |name: Name, span: Span, is_internal: bool| {
        let text: Arc<str> = interner.text(name).into();
        if is_internal && span.file == file {
            names.internal.insert(text.clone());
        }
        names.all.insert(text);
    };
    for function in &unit.functions {
        let is_static = is_static(unit, function.specifiers);
        if let Some(ident) = unit.declarators[function.declarator].ident {
            add(ident.name, ident.span, is_static);
        }
    }
    for item in &unit.items {
        let Item::Declaration(declaration) = item else { continue };
        let DeclarationKind::Plain { specifiers, declarators } = &unit.declarations[*declaration].kind else {
            continue;
        };
        let is_internal = is_static(unit, *specifiers);
        for declarator in declarators {
            if let Some(ident) = unit.declarators[declarator.declarator].ident {
                add(ident.name, ident.span, is_internal);
            }
        }
    }
    for record in &unit.records {
        if let Some(tag) = record.tag {
            add(tag.name, tag.span, record.members.is_some());
        }
    }
    for definition in &unit.enums {
        if let Some(tag) = definition.tag {
            add(tag.name, tag.span, definition.enumerators.is_some());
        }
        for enumerator in definition.enumerators.iter().flatten() {
            add(enumerator.ident.name, enumerator.ident.span, true);
        }
    }
    names.bit_fields = bit_fields(unit, interner);
    names.variables = extern_variables(unit, interner);
    names
}

/// Variables that are declared `extern`, in functions too.
fn extern_variables(unit: &TranslationUnit, interner: &Interner) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    for declaration in &unit.declarations {
        let DeclarationKind::Plain { specifiers, declarators } = &declaration.kind else { continue };
        if !matches!(unit.specifiers[*specifiers].storage, Some((Storage::Extern, _))) {
            continue;
        }
        for declarator in declarators {
            let declarator = &unit.declarators[declarator.declarator];
            let is_function = matches!(declarator.parts.first(), Some(DeclaratorPart::Function { .. }));
            if let (Some(ident), false) = (declarator.ident, is_function) {
                found.insert(interner.text(ident.name).into());
            }
        }
    }
    found
}

fn bit_fields(unit: &TranslationUnit, interner: &Interner) -> BTreeSet<Arc<str>> {
    let members = unit.records.iter().filter_map(|record| record.members.as_ref()).flatten();
    let declarators = members.flat_map(|member| match member {
        MemberDeclaration::Members { declarators, .. } => declarators.as_slice(),
        MemberDeclaration::StaticAssert { .. } => &[],
    });
    let fields = declarators.filter(|declarator| declarator.width.is_some());
    let idents = fields.filter_map(|declarator| unit.declarators[declarator.declarator].ident);
    idents.map(|ident| interner.text(ident.name).into()).collect()
}

/// The static variables of the functions that the text `file` of a unit defines.
pub(crate) fn static_locals(unit: &TranslationUnit, file: FileId, interner: &Interner) -> Vec<StaticLocal> {
    let mut found = Vec::new();
    let mut switched = BTreeSet::new();
    for statement in &unit.stmts {
        if let StmtKind::Switch { body, .. } = &statement.kind
            && let StmtKind::Block { items, .. } = &unit.stmts[*body].kind
        {
            switched.extend(unit.stmts_of(*items).iter().map(|item| item.0));
        }
    }
    for function in &unit.functions {
        let Some(ident) = unit.declarators[function.declarator].ident else { continue };
        let inside = |span: Span| {
            span.file == file
                && function.span.file == file
                && function.span.lo <= span.lo
                && span.hi <= function.span.hi
        };
        let within = || unit.stmts.iter_enumerated().filter(|(_, statement)| inside(statement.span));
        let has_goto = within()
            .any(|(_, statement)| matches!(statement.kind, StmtKind::Goto(_) | StmtKind::ComputedGoto(_)));
        for (id, statement) in within() {
            let StmtKind::Declaration(declaration) = statement.kind else { continue };
            let DeclarationKind::Plain { specifiers, declarators } = &unit.declarations[declaration].kind
            else {
                continue;
            };
            if !matches!(unit.specifiers[*specifiers].storage, Some((Storage::Static, _))) {
                continue;
            }
            let names = declarators.iter().filter_map(|one| unit.declarators[one.declarator].ident);
            found.extend(names.map(|name| StaticLocal {
                function: interner.text(ident.name).into(),
                name: interner.text(name.name).into(),
                after: statement.span.hi,
                may_be_passed: has_goto || switched.contains(&id.0),
            }));
        }
    }
    found
}

/// Whether declarations with these specifiers are the unit's own.
fn is_static(unit: &TranslationUnit, specifiers: cfront::ast::SpecifiersId) -> bool {
    matches!(unit.specifiers[specifiers].storage, Some((Storage::Static | Storage::Typedef, _)))
}

/// The functions that the text `file` of a unit defines.
pub(crate) fn functions(unit: &TranslationUnit, file: FileId, interner: &Interner) -> Vec<Function> {
    let here = |span: Span| (span.file == file).then_some(Range { lo: span.lo, hi: span.hi });
    let functions = unit.functions.iter().filter_map(|function| {
        let ident = unit.declarators[function.declarator].ident?;
        let parameters = parameters(unit, function, &here, interner);
        let body = here(unit.stmts[function.body].span).map(|body| body.lo + 1);
        Some(Function { name: interner.text(ident.name).into(), ident: here(ident.span)?, body, parameters })
    });
    functions.collect()
}

fn parameters(
    unit: &TranslationUnit,
    function: &FunctionDefinition,
    here: &impl Fn(Span) -> Option<Range>,
    interner: &Interner,
) -> Option<Vec<Parameter>> {
    let DeclaratorPart::Function { parameters, .. } = unit.declarators[function.declarator].parts.first()?
    else {
        return None;
    };
    let list = match parameters {
        Parameters::Prototype { parameters, .. } => parameters,
        Parameters::Identifiers(names) => return names.is_empty().then(Vec::new),
    };
    let copied = list.iter().map(|parameter| {
        let declarator = &unit.declarators[parameter.declarator];
        let ident = declarator.ident?;
        let brackets = match declarator.parts.first() {
            Some(DeclaratorPart::Array { span, .. }) => Some(here(*span)?),
            _ => None,
        };
        let name = interner.text(ident.name).into();
        Some(Parameter { name, range: here(parameter.span)?, ident: here(ident.span)?, brackets })
    });
    copied.collect()
}
