//! Invariants for readers, as entries of a witness.

use base::{Budget, SourceMap};
use cfa::LocationRole;
use explain::{Contract as SourceContract, SourceInvariant, Wording};
use passes::Prepared;
use verdict::Annotation;

use crate::format::{Contract, Invariant, InvariantKind, Location};
use crate::question::Text;
use crate::syntax::{ControlKind, Parsed};
use crate::violation::location;

/// An invariant and where people look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readable {
    /// What a witness says.
    pub invariant: Invariant,
    /// The file, as the program's sources call it.
    pub file: String,
    /// Line and column of the loop or statement.
    pub place: (u32, u32),
    /// What may stand in a witness: its variables are visible where the loop starts.
    pub portable: Option<Invariant>,
    /// What was read from the proof.
    source: SourceInvariant,
}

/// The invariants that have a place in one of the texts, text by text.
pub fn readable(found: &[SourceInvariant], sources: &SourceMap, texts: &[Text]) -> Vec<Readable> {
    let in_text = |text| found.iter().filter_map(move |invariant| place(invariant, sources, text));
    texts.iter().flat_map(in_text).collect()
}

/// The contracts that can be stated of functions in the texts, text by text.
pub fn contracts(found: &[SourceContract], sources: &SourceMap, texts: &[Text]) -> Vec<Contract> {
    let in_text = |text| found.iter().filter_map(move |contract| contract_in(contract, sources, text));
    texts.iter().flat_map(in_text).collect()
}

fn contract_in(found: &SourceContract, sources: &SourceMap, text: &Text) -> Option<Contract> {
    let ensures = found.portable.as_ref().filter(|ensures| !mentions_macro(ensures, text))?;
    let file = sources.get(found.region.file)?;
    let offset = text.syntax.offset(found.region.line, found.region.column)?;
    let mut functions = text.syntax.functions.iter();
    let is_there = *file.name == *text.name()
        && functions.any(|function| function.start == Some(offset) && *function.name == *found.function);
    let column = Some(found.region.column);
    is_there.then(|| Contract {
        location: Location { file: text.shown.clone(), line: found.region.line, column },
        function: Some(found.function.clone()),
        requires: "1".to_owned(),
        ensures: ensures.clone(),
    })
}

fn place(found: &SourceInvariant, sources: &SourceMap, text: &Text) -> Option<Readable> {
    let file = sources.get(found.region.file)?;
    if *file.name != *text.name() {
        return None;
    }
    if mentions_macro(&found.text, text) {
        return None;
    }
    let (syntax, shown) = (&text.syntax, &text.shown);
    let offset = syntax.offset(found.region.line, found.region.column)?;
    let control = syntax.controls.iter().find(|control| control.at == offset && control.kind.is_loop());
    let (kind, offset) = match (found.role, control) {
        (LocationRole::LoopHead, Some(_)) => (InvariantKind::Loop, offset),
        // What holds at the head of a `do` holds before the first statement in its braces.
        (LocationRole::Statement, Some(control)) if control.kind == ControlKind::Do => {
            (InvariantKind::Location, control.first_of_body?)
        }
        (LocationRole::Statement, None) => {
            let statement = syntax.statements.iter().find(|statement| statement.range.lo == offset);
            statement.filter(|statement| statement.in_block)?;
            (InvariantKind::Location, offset)
        }
        _ => return None,
    };
    let (line, column) = syntax.position(offset);
    let location = match kind {
        InvariantKind::Loop => Location { file: shown.clone(), line, column: Some(column) },
        InvariantKind::Location => location(shown, syntax, offset),
    };
    let with = |value: &String| Invariant { location: location.clone(), kind, value: value.clone() };
    let portable = found.portable.as_ref().map(with);
    Some(Readable {
        invariant: with(&found.text),
        file: text.name().to_owned(),
        place: (line, column),
        portable,
        source: found.clone(),
    })
}

/// Takes shorter expressions where that is proved to be right, and says whether the invariants are a proof by themselves; nothing if there are none. `annotation` is the
/// one that they were read from.
pub fn confirm(
    invariants: &mut [Readable],
    task: &Prepared<'_>,
    annotation: &Annotation,
    budget: &mut Budget,
) -> Option<bool> {
    if invariants.is_empty() {
        return None;
    }
    let sources: Vec<&SourceInvariant> = invariants.iter().map(|readable| &readable.source).collect();
    let mut is_proof = |wording| explain::is_inductive(task, annotation, &sources, wording, budget);
    if sources.iter().any(|source| source.bold.is_some()) && is_proof(Wording::Bold) {
        invariants.iter_mut().for_each(Readable::shorten);
        return Some(true);
    }
    Some(is_proof(Wording::Plain))
}

/// Whether a word of an expression is a macro of a text, which would read it differently.
fn mentions_macro(expression: &str, text: &Text) -> bool {
    let Parsed::Preprocessed(preprocessed) = &text.syntax.parsed else { return false };
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words: Vec<&str> = expression.split(|character| !is_part(character)).collect();
    let defined = |line: &[u8]| {
        let line = String::from_utf8_lossy(line.trim_ascii_start());
        let rest = line.strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("define"));
        let name = rest.and_then(|rest| rest.trim_start().split(|character| !is_part(character)).next());
        name.is_some_and(|name| words.contains(&name))
    };
    preprocessed.split(|byte| *byte == b'\n').any(defined)
}

impl Readable {
    /// Takes the shorter expression.
    fn shorten(&mut self) {
        let Some(bold) = self.source.bold.clone() else { return };
        if let Some(portable) = self.portable.as_mut().filter(|portable| **portable == self.invariant) {
            portable.value.clone_from(&bold);
        }
        self.invariant.value = bold;
    }
}
