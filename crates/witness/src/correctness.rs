//! Invariants for readers, as entries of a witness.

use base::{Budget, SourceMap};
use cfa::LocationRole;
use explain::SourceInvariant;

use crate::format::{Invariant, InvariantKind, Location};
use crate::question::{Question, Text};
use crate::syntax::ControlKind;
use crate::validate::{is_inductive, is_understood};
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
    /// A shorter expression that is true only if it can be proved.
    bold: Option<String>,
}

/// The invariants that have a place in one of the texts, text by text.
pub fn readable(found: &[SourceInvariant], sources: &SourceMap, texts: &[Text]) -> Vec<Readable> {
    let in_text = |text| found.iter().filter_map(move |invariant| place(invariant, sources, text));
    texts.iter().flat_map(in_text).collect()
}

fn place(found: &SourceInvariant, sources: &SourceMap, text: &Text) -> Option<Readable> {
    let file = sources.get(found.region.file)?;
    if *file.name != *text.name() {
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
    let bold = found.bold.clone();
    Some(Readable {
        invariant: with(&found.text),
        file: text.name().to_owned(),
        place: (line, column),
        portable,
        bold,
    })
}

/// Drops what the front end does not understand, takes shorter expressions where that is proved to be right, and says whether the rest is a proof by itself; nothing if nothing is left.
pub fn confirm(invariants: &mut Vec<Readable>, question: &Question, budget: &mut Budget) -> Option<bool> {
    let all = |invariants: &[Readable]| -> Vec<Invariant> {
        invariants.iter().map(|readable| readable.invariant.clone()).collect()
    };
    let mut shorter = invariants.clone();
    shorter.iter_mut().for_each(Readable::shorten);
    if shorter != *invariants && is_inductive(&all(&shorter), question, budget) == Some(true) {
        *invariants = shorter;
        return Some(true);
    }
    if let Some(is_proof) = is_inductive(&all(invariants), question, budget) {
        return (!invariants.is_empty()).then_some(is_proof);
    }
    let count = invariants.len();
    invariants.retain(|readable| is_understood(std::slice::from_ref(&readable.invariant), question, budget));
    match invariants.len() {
        0 => None,
        left if left == count => Some(false),
        _ => confirm(invariants, question, budget),
    }
}

impl Readable {
    /// Takes the shorter expression.
    fn shorten(&mut self) {
        let Some(bold) = self.bold.take() else { return };
        if let Some(portable) = self.portable.as_mut().filter(|portable| **portable == self.invariant) {
            portable.value.clone_from(&bold);
        }
        self.invariant.value = bold;
    }
}
